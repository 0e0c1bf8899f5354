//! Training on words: alphabets, marks, and what is refused.

use crate::counts::Counts;
use crate::model::{EndOfWord, Merges, Model, Named, Pattern, Units};
use crate::trainer::{Alphabet, BpeSettings, TargetSize, TrainingStart, train_bpe};
use crate::types::Count;

fn settings<'a>(size: TargetSize, start: TrainingStart<'a>) -> BpeSettings<'a> {
    BpeSettings {
        start,
        end_of_word: Some("</w>".into()),
        unk_token: Some("<unk>".into()),
        special_tokens: Some(vec!["<|end|>".into()]),
        ..BpeSettings::new(size)
    }
}

fn counts(pieces: &[(&str, Count)]) -> Counts {
    let mut counts = Counts::new(Pattern::Named(Named::Whitespace), Vec::new());
    for (piece, count) in pieces {
        counts.add_piece(piece.as_bytes(), *count).unwrap();
    }
    counts
}

fn trained(pieces: &[(&str, Count)], settings: &BpeSettings<'_>) -> Model {
    train_bpe(&counts(pieces), settings, &mut |_, _| Ok(())).unwrap().model
}

fn tokens(model: &Model) -> Vec<String> {
    let token = |id| model.token_bytes(id).unwrap().to_vec();
    (0..model.id_limit()).map(|id| String::from_utf8(token(id)).unwrap()).collect()
}

const LOW: [(&str, Count); 5] = [("low", 5), ("lower", 2), ("newest", 6), ("widest", 3), (" ", 15)];

#[test]
fn the_classic_example() {
    let model =
        trained(&LOW, &settings(TargetSize::Merges(4), TrainingStart::Characters(Alphabet::All)));
    let expected = [
        "d", "e", "i", "l", "n", "o", "r", "s", "t", "w", "</w>", "t</w>", "st</w>", "est</w>",
        "ow", "<unk>", "<|end|>",
    ];
    assert_eq!(tokens(&model), expected);
    assert_eq!(model.start.units, Units::Characters);
    assert_eq!(model.start.unk, Some(15));
    let end = EndOfWord { mark: "</w>".into(), joined: false };
    assert_eq!(model.start.end_of_word, Some(end));
}

#[test]
fn smaller_ones_are_truncated_ones() {
    for start in [
        TrainingStart::Characters(Alphabet::All),
        TrainingStart::Characters(Alphabet::Limit(5)),
        TrainingStart::Bytes,
    ] {
        let train = |size| {
            let unk_token = match start {
                TrainingStart::Bytes => None,
                _ => Some("<unk>".into()),
            };
            trained(&LOW, &BpeSettings { unk_token, ..settings(size, start) })
        };
        let whole = train(TargetSize::Merges(9));
        let Merges::Listed(pairs) = &whole.merges else { panic!() };
        for fewer in 0..pairs.len() {
            let size = whole.size() - fewer;
            assert_eq!(whole.truncated(size).unwrap(), train(TargetSize::Vocab(size)));
        }
    }
}

#[test]
fn a_small_alphabet_keeps_the_most_frequent_characters() {
    let pieces = [("aé中", 3), ("é", 1), ("zaz", 1), ("b", 5), ("   ", 99)];
    let model = trained(
        &pieces,
        &settings(TargetSize::Merges(9), TrainingStart::Characters(Alphabet::Limit(3))),
    );
    // a 4, b 5, é 4, 中 3, z 2. The cut around `中` leaves `</w>` alone.
    let expected = ["a", "b", "é", "</w>", "b</w>", "aé", "é</w>", "<unk>", "<|end|>"];
    assert_eq!(tokens(&model), expected);
    let model = trained(
        &pieces,
        &settings(TargetSize::Merges(0), TrainingStart::Characters(Alphabet::Limit(2))),
    );
    assert_eq!(tokens(&model)[..3], ["a", "b", "</w>"], "of a and é the smaller one");
}

#[test]
fn no_merge_makes_a_token_that_looks_like_the_mark() {
    let pieces = [("</w>", 9), ("a</w></w>b", 5), ("</wa", 2)];
    for start in [TrainingStart::Characters(Alphabet::All), TrainingStart::Bytes] {
        let settings = BpeSettings { unk_token: None, ..settings(TargetSize::Merges(99), start) };
        let model = trained(&pieces, &settings);
        let Merges::Listed(pairs) = &model.merges else { panic!() };
        let bytes = |id| model.vocab.bytes_of(id).unwrap();
        for &(left, right) in pairs {
            let made = [bytes(left), bytes(right)].concat();
            assert_eq!(made.ends_with(b"</w>"), bytes(right).ends_with(b"</w>"));
        }
        assert!(model.vocab.id_of(b"></w>").is_some() && model.vocab.id_of(b"</w").is_some());
    }
    let single = BpeSettings {
        end_of_word: Some("_".into()),
        ..settings(TargetSize::Merges(0), TrainingStart::Characters(Alphabet::All))
    };
    assert_eq!(tokens(&trained(&[("a_b", 1)], &single))[..3], ["a", "b", "_"]);
}

#[test]
fn a_base_goes_on_with_its_own_words() {
    let base =
        trained(&LOW, &settings(TargetSize::Merges(3), TrainingStart::Characters(Alphabet::All)));
    let more = BpeSettings {
        start: TrainingStart::Base(&base),
        end_of_word: None,
        unk_token: None,
        ..settings(TargetSize::Merges(1), TrainingStart::Bytes)
    };
    let model = trained(&[("lowést", 4), ("lo", 1)], &more);
    assert_eq!((model.start.clone(), model.special_tokens.len()), (base.start.clone(), 2));
    assert_eq!(tokens(&model)[..base.id_limit() as usize], tokens(&base));
    // `é` is unknown to the base: its two sides learn apart.
    assert_eq!(tokens(&model).last().unwrap(), "lo");
}

#[test]
fn lengths_are_characters_without_the_mark() {
    let limited = |most| {
        let settings = BpeSettings {
            max_token_length: Some(most),
            ..settings(TargetSize::Merges(9), TrainingStart::Characters(Alphabet::All))
        };
        let model = trained(&[("éé", 5)], &settings);
        tokens(&model)[2..].iter().filter(|token| token.contains('é')).cloned().collect::<Vec<_>>()
    };
    assert_eq!(limited(1), ["é</w>"]);
    assert_eq!(limited(2), ["éé", "éé</w>"]);
}

#[test]
fn settings_that_do_not_fit_are_refused() {
    let refused = |settings: BpeSettings<'_>| {
        train_bpe(&counts(&LOW), &settings, &mut |_, _| Ok(())).unwrap_err().to_string()
    };
    let chars = || settings(TargetSize::Merges(1), TrainingStart::Characters(Alphabet::All));
    assert_eq!(
        refused(settings(TargetSize::Merges(1), TrainingStart::Bytes)),
        "unk_token goes with initial_vocab=\"chars\": every byte is a token"
    );
    let given = BpeSettings { unk_token: None, start: TrainingStart::Given(&[]), ..chars() };
    assert_eq!(refused(given), "end_of_word goes with initial_vocab=\"chars\" or \"bytes\"");
    assert_eq!(
        refused(settings(TargetSize::Merges(1), TrainingStart::Characters(Alphabet::Limit(0)))),
        "limit_alphabet must be at least 1, not 0"
    );
    assert_eq!(
        refused(BpeSettings { unk_token: Some("</w>".into()), ..chars() }),
        "end_of_word and unk_token are both \"</w>\""
    );
    assert_eq!(
        refused(BpeSettings { end_of_word: Some(String::new()), ..chars() }),
        "the end-of-word mark is empty"
    );
    assert_eq!(
        refused(settings(TargetSize::Vocab(5), TrainingStart::Characters(Alphabet::All))),
        "vocab_size=5 is too small: 11 base tokens and 2 special tokens need at least 13\n  hint: \
         pass vocab_size=13 for no merges at all, or more to learn some"
    );
}

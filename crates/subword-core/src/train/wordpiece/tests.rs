//! What WordPiece training starts from and what it learns.

use super::*;
use crate::model::{Bert, Named, Normalizer, Pattern};
use crate::trainer::train_wordpiece;

const LOW: [(&str, Count); 5] = [("low", 5), ("lower", 2), ("newest", 6), ("widest", 3), (" ", 15)];

fn counts(pieces: &[(&str, Count)]) -> Counts {
    let normalizer = Normalizer::Bert(Bert::UNCASED);
    let mut counts = Counts::of_normalized(normalizer, Pattern::Named(Named::Bert), vec![]);
    for (piece, count) in pieces {
        counts.add_piece(piece.as_bytes(), *count).unwrap();
    }
    counts
}

fn tokens(pieces: &[(&str, Count)], settings: &WordPieceSettings) -> Vec<String> {
    let model = train_wordpiece(&counts(pieces), settings, &mut |_, _| Ok(())).unwrap().model;
    let token = |id| String::from_utf8(model.token_bytes(id).unwrap().to_vec()).unwrap();
    (0..model.id_limit()).map(token).collect()
}

/// The tokens behind the special tokens.
fn learned(pieces: &[(&str, Count)], settings: &WordPieceSettings) -> Vec<String> {
    tokens(pieces, settings).split_off(settings.special_tokens().len())
}

#[test]
fn special_tokens_then_characters_then_merges() {
    let settings = |score| WordPieceSettings { score, ..WordPieceSettings::new(27) };
    let first = [
        "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "d", "e", "i", "l", "n", "o", "r", "s", "t",
        "w", "##d", "##e", "##i", "##o", "##r", "##s", "##t", "##w",
    ];
    let all = |merges: [&'static str; 4]| [&first[..], &merges].concat();
    let by_count = tokens(&LOW, &settings(Score::Count));
    assert_eq!(by_count, all(["##es", "##est", "lo", "low"]));
    let by_likelihood = tokens(&LOW, &settings(Score::Likelihood));
    assert_eq!(by_likelihood, all(["wi", "wid", "lo", "##st"]));
}

#[test]
fn the_model_is_that_of_the_settings_and_the_counts() {
    let settings = WordPieceSettings { max_word_chars: 50, ..WordPieceSettings::new(40) };
    let model = train_wordpiece(&counts(&LOW), &settings, &mut |_, _| Ok(())).unwrap().model;
    assert_eq!(model.normalizer, Normalizer::Bert(Bert::UNCASED));
    assert_eq!(model.pattern, Pattern::Named(Named::Bert));
    assert_eq!((model.start.unk, model.special_tokens.len()), (Some(1), 5));
    assert_eq!(model.template, Template::bert(2, 3));
    assert_eq!(model.as_word_piece().unwrap().limit, WordLimit::Characters(50));
    let settings =
        WordPieceSettings { special_tokens: vec!["<s>".into()], ..WordPieceSettings::new(40) };
    let model = train_wordpiece(&counts(&LOW), &settings, &mut |_, _| Ok(())).unwrap().model;
    let special: Vec<_> = model.special_tokens.iter().map(|t| t.content.as_str()).collect();
    assert_eq!((special, model.start.unk), (vec!["[UNK]", "<s>"], Some(0)));
    assert_eq!(model.template, Template::default());
}

#[test]
fn unknown_words_teach_nothing() {
    let limited = WordPieceSettings { limit_alphabet: Some(3), ..WordPieceSettings::new(13) };
    let pieces = [("aéb", 3), ("é", 1), ("azz", 1), ("b", 5), ("   ", 99)];
    // b 8, a 4, é 4, z 2.
    let expected = ["a", "b", "é", "##b", "##é", "aé", "aéb"];
    assert_eq!(learned(&pieces, &limited), expected);
    let short = WordPieceSettings { max_word_chars: 2, ..WordPieceSettings::new(13) };
    assert_eq!(learned(&pieces, &short), ["b", "é"]);
    let pieces = [("éé", 3), ("ééé", 9)];
    assert_eq!(learned(&pieces, &short), ["é", "##é", "éé"]);
}

#[test]
fn no_token_is_spelled_like_a_special_token() {
    let special = |tokens: &[&str]| WordPieceSettings {
        special_tokens: tokens.iter().map(|token| (*token).to_owned()).collect(),
        ..WordPieceSettings::new(20)
    };
    let pieces = [("abc", 5), ("b", 2)];
    assert_eq!(learned(&pieces, &special(&["abc"])), ["a", "b", "c", "##b", "##c", "ab"]);
    assert_eq!(learned(&pieces, &special(&["a"])), ["b", "c"]);
    assert_eq!(learned(&pieces, &special(&["##c"])), ["a", "b"]);
}

#[test]
fn lengths_are_characters_without_the_prefix() {
    let limited =
        |most| WordPieceSettings { max_token_length: Some(most), ..WordPieceSettings::new(20) };
    assert_eq!(learned(&[("éééé", 5)], &limited(1)), ["é", "##é"]);
    assert_eq!(learned(&[("éééé", 5)], &limited(2)), ["é", "##é", "éé", "##éé"]);
}

#[test]
fn settings_that_do_not_fit_are_refused() {
    let refused = |settings: WordPieceSettings| {
        train_wordpiece(&counts(&LOW), &settings, &mut |_, _| Ok(())).unwrap_err().to_string()
    };
    assert_eq!(
        refused(WordPieceSettings::new(20)),
        "vocab_size=20 is too small: 18 characters, with and without prefix, and 5 special \
         tokens need at least 23\n  hint: pass a larger vocab_size, or limit_alphabet for fewer \
         characters"
    );
    assert_eq!(
        refused(WordPieceSettings::new(1 << 30)),
        "vocab_size=1073741824 is too large: the most is 2097152"
    );
    assert_eq!(
        refused(WordPieceSettings { limit_alphabet: Some(0), ..WordPieceSettings::new(40) }),
        "limit_alphabet must be at least 1, not 0"
    );
    let nothing =
        train_wordpiece(&counts(&[(" ", 4)]), &WordPieceSettings::new(40), &mut |_, _| Ok(()))
            .unwrap_err()
            .to_string();
    assert!(nothing.starts_with("there are no pieces to learn from\n"), "{nothing}");
}

//! What training starts from and what it ends with. What it learns is tested in `train::merges`.

use super::*;
use crate::model::{Named, Normalizer, Pattern};
use crate::train::merges::Stop;
use crate::trainer::{Trained, train_bpe};

fn counts(pieces: &[(&str, Count)]) -> Counts {
    let special = vec!["<s>".to_owned(), "<e>".to_owned()];
    let mut counts = Counts::new(Pattern::Named(Named::Gpt2), special);
    for (piece, count) in pieces {
        counts.add_piece(piece.as_bytes(), *count).unwrap();
    }
    counts
}

fn trained(pieces: &[(&str, Count)], settings: &BpeSettings<'_>) -> Trained {
    train_bpe(&counts(pieces), settings, &mut |_, _| Ok(())).unwrap()
}

fn refused(pieces: &[(&str, Count)], settings: &BpeSettings<'_>) -> String {
    train_bpe(&counts(pieces), settings, &mut |_, _| Ok(())).unwrap_err().to_string()
}

fn tokens(model: &Model, from: TokenId) -> Vec<String> {
    let token = |id| model.token_bytes(id).unwrap_or_default();
    (from..model.id_limit()).map(|id| String::from_utf8_lossy(token(id)).into_owned()).collect()
}

const LOW: &[(&str, Count)] = &[("low", 5), (" lower", 2), (" lowest", 1)];

#[test]
fn ids_are_bytes_then_merges_then_special_tokens() {
    let Trained { model, learned } = trained(LOW, &BpeSettings::new(TargetSize::Vocab(261)));
    assert_eq!(tokens(&model, 256), ["ow", "low", "lowe", "<e>", "<s>"]);
    assert_eq!(model.merges, Merges::Listed(vec![(111, 119), (108, 256), (257, 101)]));
    assert_eq!((learned.merges[0].count, learned.merges[2].count), (8, 3));
    let special_tokens = Some(vec!["<x>".to_owned(), "w".to_owned()]);
    let settings = BpeSettings { special_tokens, ..BpeSettings::new(TargetSize::Merges(1)) };
    let model = trained(LOW, &settings).model;
    assert_eq!(tokens(&model, 256), ["ow", "<x>"]);
    assert_eq!(model.special_tokens[0].id, 119, "a special token that is a byte keeps its id");
}

#[test]
fn a_training_that_ends_early_says_so() {
    let stop = |settings: &BpeSettings<'_>| {
        let Trained { model, learned } = trained(LOW, settings);
        (learned.stop, learned.merges.len(), model.special_tokens[0].id)
    };
    let all = BpeSettings::new(TargetSize::Vocab(10_000));
    assert_eq!(stop(&all), (Stop::NoPair, 7, 263));
    assert_eq!(stop(&BpeSettings { min_count: 3, ..all.clone() }), (Stop::MinCount, 4, 260));
    assert_eq!(stop(&BpeSettings { max_token_length: Some(3), ..all }), (Stop::NoPair, 5, 261));
}

#[test]
fn given_tokens_decide_the_ids() {
    let mut given: Vec<Vec<u8>> = (0..=255).rev().map(|byte| vec![byte]).collect();
    given.push(b"low".to_vec());
    let settings = BpeSettings {
        start: TrainingStart::Given(&given),
        ..BpeSettings::new(TargetSize::Merges(3))
    };
    let model = trained(LOW, &settings).model;
    // `l+ow` makes the token that is there.
    assert_eq!(tokens(&model, 256), ["low", "ow", "lowe", "<e>", "<s>"]);
    assert_eq!(model.merges, Merges::Listed(vec![(144, 136), (147, 257), (256, 154)]));
    let settings = BpeSettings { start: TrainingStart::Given(&given[1..]), ..settings };
    assert_eq!(trained(LOW, &settings).model.vocab.len(), 258, "UTF-8 never uses 0xFF");
    let settings = BpeSettings { start: TrainingStart::Given(&given[..255]), ..settings };
    assert_eq!(
        refused(LOW, &settings),
        "the vocabulary has no token for byte 0x00\n  hint: byte-level BPE needs all 256 single \
         bytes, so that any text can be encoded"
    );
}

#[test]
fn a_base_keeps_its_ids_and_is_continued_where_it_ended() {
    let whole = trained(LOW, &BpeSettings::new(TargetSize::Merges(6))).model;
    let base = trained(LOW, &BpeSettings::new(TargetSize::Merges(2))).model;
    let settings = BpeSettings {
        start: TrainingStart::Base(&base),
        ..BpeSettings::new(TargetSize::Merges(4))
    };
    let Trained { model, learned } = trained(LOW, &settings);
    assert_eq!(tokens(&model, 0)[..260], tokens(&base, 0));
    let spelled = |model: &Model| {
        let Merges::Listed(pairs) = &model.merges else { panic!() };
        let spell = |id| model.vocab.bytes_of(id).unwrap().to_vec();
        pairs.iter().map(|&(left, right)| (spell(left), spell(right))).collect::<Vec<_>>()
    };
    assert_eq!(spelled(&model), spelled(&whole));
    assert_eq!(learned.merges[0].token, 260, "behind the special tokens of the base");
    let special_tokens = Some(vec!["<s>".to_owned(), "<new>".to_owned()]);
    let settings = BpeSettings { special_tokens, ..settings };
    let model = trained(LOW, &settings).model;
    let ids = model.special_tokens.iter().map(|token| (token.content.as_str(), token.id));
    assert_eq!(ids.collect::<Vec<_>>(), [("<e>", 258), ("<s>", 259), ("<new>", 264)]);
}

#[test]
fn a_base_by_token_rank_stays_one() {
    let mut base = trained(LOW, &BpeSettings::new(TargetSize::Merges(2))).model;
    base.merges = Merges::Ranked;
    let settings = BpeSettings {
        start: TrainingStart::Base(&base),
        ..BpeSettings::new(TargetSize::Merges(2))
    };
    let model = trained(LOW, &settings).model;
    assert_eq!(model.merges, Merges::Ranked);
    assert_eq!(tokens(&model, 260), ["lowe", " lowe"]);
}

#[test]
fn what_cannot_be_trained_is_refused() {
    assert_eq!(
        refused(LOW, &BpeSettings::new(TargetSize::Vocab(200))),
        "vocab_size=200 is too small: 256 base tokens and 2 special tokens need at least 258\n  \
         hint: pass vocab_size=258 for no merges at all, or more to learn some"
    );
    assert_eq!(
        refused(LOW, &BpeSettings::new(TargetSize::Vocab(1 << 22))),
        "vocab_size=4194304 is too large: the most is 2097152"
    );
    assert_eq!(
        refused(LOW, &BpeSettings::new(TargetSize::Merges(1 << 22))),
        "num_merges=4194304 is too large: the most is 2096894"
    );
    assert_eq!(
        refused(&[], &BpeSettings::new(TargetSize::Merges(1))),
        "there are no pieces to learn from\n  hint: an empty corpus, or one of special tokens alone, \
         has none"
    );
    let none = BpeSettings { max_token_length: Some(0), ..BpeSettings::new(TargetSize::Merges(1)) };
    assert_eq!(refused(LOW, &none), "max_token_length must be at least 1, not 0");
    let mut base = trained(LOW, &BpeSettings::new(TargetSize::Merges(2))).model;
    base.pattern = Pattern::Named(Named::Cl100k);
    let refuse = |base: &Model| {
        refused(
            LOW,
            &BpeSettings {
                start: TrainingStart::Base(base),
                ..BpeSettings::new(TargetSize::Merges(1))
            },
        )
    };
    assert_eq!(
        refuse(&base),
        "the pieces were not cut by the pattern of the base\n  hint: count them with \
         pattern=base.pattern"
    );
    base.normalizer = Normalizer::Nfc;
    assert_eq!(
        refuse(&base),
        "the pieces were not normalised as the base does it\n  hint: count them with \
         normalizer=\"nfc\""
    );
}

#[test]
fn an_error_of_the_watcher_ends_the_training() {
    let stopped =
        train_bpe(&counts(LOW), &BpeSettings::new(TargetSize::Merges(9)), &mut |done, most| {
            assert!(done <= most);
            Err(Error::Stopped)
        });
    assert_eq!(stopped.unwrap_err(), Error::Stopped);
}

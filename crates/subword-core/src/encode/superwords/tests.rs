//! Words that are merged over their ends have the ids of their pieces merged whole.

use std::sync::Arc;

use super::Superwords;
use crate::bpe::{Merged, Merger};
use crate::counts::Counts;
use crate::model::{Merges, Model, Named, Pattern};
use crate::pretok::Splitter;
use crate::special::Allowed;
use crate::testing::Random;
use crate::tokenizer::Tokenizer;
use crate::trainer::{self, BpeSettings, TargetSize, Ties, TrainingStart};
use crate::types::TokenId;

const UNITS: [&[u8]; 12] = [
    b"a",
    b"b",
    b"a",
    b" ",
    b" a",
    " é".as_bytes(),
    "中".as_bytes(),
    b".",
    b"\n",
    b"7",
    b"\xE6\x9C",
    "\u{A0} ".as_bytes(),
];

/// What SuperBPE cuts by, and the whole text.
const PATTERNS: [&str; 2] = [r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]{2,}[\r\n/]*| +(?!\S)", r"(?s).+"];

fn text(random: &mut Random, length: usize) -> Vec<u8> {
    let units = 4 + random.below(UNITS.len() - 3);
    (0..length).flat_map(|_| UNITS[random.below(units)].iter().copied()).collect()
}

fn ends(pattern: &Pattern, text: &[u8]) -> Vec<usize> {
    let mut ends = Vec::new();
    Splitter::new(pattern).unwrap().append_ends(text, 0, &mut ends).unwrap();
    ends
}

fn counts(pattern: &Pattern, text: &[u8]) -> Counts {
    let (mut counts, mut start) = (Counts::new(pattern.clone(), Vec::new()), 0);
    for end in ends(pattern, text) {
        counts.add_piece(&text[start..end], 1).unwrap();
        start = end;
    }
    counts
}

/// Words of a random text, then merges over their ends.
fn model(random: &mut Random) -> Model {
    let text = text(random, 300);
    let merges = |most: usize, random: &mut Random| TargetSize::Merges(random.below(most));
    let learn = |counts: &Counts, settings: &BpeSettings<'_>| {
        trainer::train_bpe(counts, settings, &mut |_, _| Ok(())).unwrap().model
    };
    let words = counts(&Pattern::Named(Named::Gpt2), &text);
    let words = learn(&words, &BpeSettings::new(merges(30, random)));
    let ties = [Ties::Greatest, Ties::SmallestIds][random.below(2)];
    let settings = BpeSettings {
        start: TrainingStart::Base(&words),
        ties,
        ..BpeSettings::new(merges(60, random))
    };
    let kinds = [trainer::Superwords::Any, trainer::Superwords::Whole];
    let superwords = Some(kinds[random.below(2)]);
    let pattern = Pattern::Regex(PATTERNS[random.below(2)].into());
    learn(&counts(&pattern, &text), &BpeSettings { superwords, ..settings })
}

/// Every piece merged whole.
fn expected(model: &Model, text: &[u8]) -> Vec<TokenId> {
    let merger = Merger::new(model).unwrap();
    let (mut merged, mut ids, mut start) = (Merged::default(), Vec::new(), 0);
    for end in ends(&model.pattern, text) {
        merger.encode(&model.vocab, &text[start..end], &mut merged, &mut ids).unwrap();
        start = end;
    }
    ids
}

#[test]
fn superwords_are_those_of_pieces_merged_whole() {
    let mut random = Random::new(7);
    let mut fast = 0;
    for round in 0..150 {
        let model = model(&mut random);
        fast += usize::from(Superwords::of(&model, 1 << 16).unwrap().is_some());
        let cache = [0, 1 << 16][round % 2];
        let tokenizer = Tokenizer::new(Arc::new(model.clone()), cache).unwrap();
        for length in [0, 1, 3, 20, 200, 2000] {
            let text = text(&mut random, length);
            let ids = tokenizer.encode(&text, &Allowed::Text, None).unwrap();
            assert_eq!(ids, expected(&model, &text), "round {round}: {:?}", text.escape_ascii());
        }
    }
    assert!(fast > 75, "{fast} of 150 models are encoded by words");
}

#[test]
fn merges_that_are_not_early_or_late_are_merged_whole() {
    let mut random = Random::new(8);
    for round in 0..150 {
        let mut model = model(&mut random);
        if let Merges::Listed(merges) = &mut model.merges {
            for _ in 0..3 {
                if merges.len() > 1 {
                    let (a, b) = (random.below(merges.len()), random.below(merges.len()));
                    merges.swap(a, b);
                }
            }
        }
        let model = model.checked().unwrap();
        let tokenizer = Tokenizer::new(Arc::new(model.clone()), 1 << 16).unwrap();
        let text = text(&mut random, 300);
        let ids = tokenizer.encode(&text, &Allowed::Text, None).unwrap();
        assert_eq!(ids, expected(&model, &text), "round {round}: {:?}", text.escape_ascii());
    }
}

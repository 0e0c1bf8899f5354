//! A text that grows and shrinks has the ids of the whole text after every step, and parts between cut points
//! encode alone.

use super::*;
use crate::testing::Random;

const MODELS: [(Named, Normalizer); 6] = [
    (Named::Cl100k, Normalizer::None),
    (Named::O200k, Normalizer::Nfc),
    (Named::Gpt2, Normalizer::Nfkc),
    (Named::Gpt2, Normalizer::Nfd),
    (Named::Whitespace, Normalizer::None),
    (Named::None, Normalizer::None),
];

/// The choices of special tokens.
fn choices() -> [Allowed; 3] {
    [Allowed::Text, Allowed::All, Allowed::Only(vec!["<|end|>".into()])]
}

#[test]
fn the_ids_are_always_those_of_the_whole_text() {
    for (named, normalizer) in MODELS {
        let tokenizer = tokenizer(1 << 20, named, normalizer);
        for allowed in choices() {
            for seed in 0..40 {
                let mut random = Random::new(seed);
                let source = text(if seed < 3 { 30_000 } else { 300 }, seed);
                let mut growing = GrowingText::new(allowed.clone());
                let (mut ids, mut whole) = (Vec::new(), Vec::new());
                for _ in 0..30 {
                    let change = if random.below(4) > 0 {
                        let start = random.below(source.len());
                        let most = if seed < 3 { 12_000 } else { 20 };
                        let end = (start + random.below(most)).min(source.len());
                        whole.extend_from_slice(&source[start..end]);
                        growing.append(&tokenizer, &source[start..end]).unwrap()
                    } else {
                        let most = if random.below(4) == 0 { whole.len() + 1 } else { 9 };
                        whole.truncate(whole.len().saturating_sub(random.below(most)));
                        growing.truncate(&tokenizer, whole.len()).unwrap()
                    };
                    ids.truncate(ids.len() - change.dropped);
                    ids.extend_from_slice(&growing.ids()[growing.ids().len() - change.added..]);
                    let expected = tokenizer.encode(&whole, &allowed, on(1)).unwrap();
                    assert_eq!(growing.text(), whole);
                    assert!(growing.ids() == expected, "{named:?} {normalizer:?} {seed}");
                    assert_eq!(ids, expected, "what was dropped and added");
                }
            }
        }
    }
}

#[test]
fn an_error_changes_nothing() {
    let tokenizer = tokenizer(1 << 20, Named::Cl100k, Normalizer::None);
    let mut growing = GrowingText::new(Allowed::Error);
    growing.append(&tokenizer, b"the thing <|e").unwrap();
    let before = growing.ids().to_vec();
    let error = growing.append(&tokenizer, b"nd|> and").unwrap_err();
    assert_eq!(error, Error::SpecialToken { token: "<|end|>".into(), position: 10 });
    assert_eq!((growing.text(), growing.ids()), (&b"the thing <|e"[..], &before[..]));
    growing.append(&tokenizer, b"ar").unwrap();
    let whole = tokenizer.encode(b"the thing <|ear", &Allowed::Error, on(1)).unwrap();
    assert_eq!(growing.ids(), whole);
}

#[test]
fn a_small_change_of_a_long_text_costs_little() {
    let tokenizer = tokenizer(1 << 20, Named::Cl100k, Normalizer::None);
    let mut growing = GrowingText::new(Allowed::All);
    let long = text(1 << 20, 7);
    growing.append(&tokenizer, &long).unwrap();
    for _ in 0..3000 {
        let grown = growing.append(&tokenizer, b" and the thing").unwrap();
        let shrunk = growing.truncate(&tokenizer, growing.text().len() - 14).unwrap();
        // Were the whole encoded anew each time, this would take minutes.
        assert!(grown.added < 10 && shrunk.dropped < 10, "{grown:?} {shrunk:?}");
    }
    assert_eq!(growing.ids(), tokenizer.encode(&long, &Allowed::All, on(1)).unwrap());
}

#[test]
fn parts_between_cut_points_encode_alone() {
    for (named, normalizer) in MODELS {
        let tokenizer = tokenizer(1 << 20, named, normalizer);
        for allowed in choices() {
            for seed in 0..60 {
                let text = text(200, seed);
                let places = tokenizer.cut_points(&text, &allowed).unwrap();
                let whole = tokenizer.encode(&text, &allowed, on(1)).unwrap();
                let mut random = Random::new(seed);
                let (mut ids, mut start) = (Vec::new(), 0);
                for end in places.into_iter().chain([text.len()]) {
                    if end == text.len() || random.below(3) > 0 {
                        ids.extend(tokenizer.encode(&text[start..end], &allowed, on(1)).unwrap());
                        start = end;
                    }
                }
                assert_eq!(ids, whole, "{named:?} {normalizer:?} {seed}");
            }
        }
    }
}

#[test]
fn special_tokens_of_trusted_parts_count_and_merging_sees_one_text() {
    let tokenizer = tokenizer(1 << 20, Named::Cl100k, Normalizer::None);
    let text = b"<|end|>the<|end|> the";
    let all = tokenizer.encode(text, &Allowed::All, on(1)).unwrap();
    let whole = 0..text.len();
    assert_eq!(tokenizer.encode_trusted(text, std::slice::from_ref(&whole)).unwrap(), all);
    let none = tokenizer.encode(text, &Allowed::Text, on(1)).unwrap();
    assert_eq!(tokenizer.encode_trusted(text, &[]).unwrap(), none);
    let first = tokenizer.encode_trusted(text, std::slice::from_ref(&(0..7))).unwrap();
    let rest = tokenizer.encode(&text[7..], &Allowed::Text, on(1)).unwrap();
    assert_eq!(first, [&[500][..], &rest].concat());
    // " the" is one token, though the space is trusted and the word is not.
    let space = 17..18;
    assert_eq!(tokenizer.encode_trusted(text, std::slice::from_ref(&space)).unwrap(), none);
}

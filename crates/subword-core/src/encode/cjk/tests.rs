//! Pieces that are cut have the ids that merging them whole gives.

use std::sync::Arc;

use super::LONGEST;
use crate::bpe::{Merged, SINGLE};
use crate::model::{Merges, Model, Pattern};
use crate::pretok::Named;
use crate::simd::Level;
use crate::special::Allowed;
use crate::tokenizer::Tokenizer;
use crate::types::TokenId;
use crate::vocab::Vocab;

/// Chinese, its marks, Japanese, Korean, shorter and longer characters, and bytes that are none.
const UNITS: [&[u8]; 14] = [
    "本".as_bytes(),
    "次".as_bytes(),
    "会".as_bytes(),
    "議".as_bytes(),
    "文".as_bytes(),
    "か".as_bytes(),
    "，".as_bytes(),
    "“".as_bytes(),
    "한".as_bytes(),
    "é".as_bytes(),
    "𠀋".as_bytes(),
    b"a",
    b" ",
    b"\xE6\x9C",
];

fn random(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |limit| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % limit
    }
}

/// Mostly the first units.
fn text(units: usize, random: &mut impl FnMut(usize) -> usize) -> Vec<u8> {
    let mut unit = |_| if random(8) == 0 { random(UNITS.len()) } else { random(6) };
    (0..units).flat_map(|at| UNITS[unit(at)].iter().copied()).collect()
}

/// A model whose merges join what stands side by side in some text, within characters and across them.
fn model(merges: usize, random: &mut impl FnMut(usize) -> usize) -> Model {
    let mut vocab = Vocab::bytes();
    let mut pairs = Vec::new();
    let mut tokens: Vec<Vec<u8>> = text(200, random).iter().map(|&byte| vec![byte]).collect();
    for _ in 0..merges {
        let at = random(tokens.len() - 1);
        let joined = [&tokens[at][..], &tokens[at + 1]].concat();
        if vocab.id_of(&joined).is_none() {
            let id = |token: &[u8]| vocab.id_of(token).unwrap();
            pairs.push((id(&tokens[at]), id(&tokens[at + 1])));
            vocab.insert(vocab.id_limit(), &joined).unwrap();
        }
        tokens.splice(at..at + 2, [joined]);
    }
    let pattern = match random(3) {
        0 => Pattern::Named(Named::Cl100k),
        // Pieces of a few characters, rows of which are looked at together.
        1 => Pattern::Regex(r"\p{Han}+|[\p{L}&&[^\p{Han}]]+|[^\p{L}]+".to_owned()),
        _ => Pattern::Regex(r"[本次a]{1,3}|か+|.{1,2}".to_owned()),
    };
    Model::new(vocab, Merges::Listed(pairs), pattern, Vec::new()).checked().unwrap()
}

/// Every piece merged whole.
fn plain(tokenizer: &Tokenizer, text: &[u8]) -> Vec<TokenId> {
    let (mut ids, mut merged, mut start) = (Vec::new(), Merged::default(), 0);
    let batch = |ends: &[usize]| {
        for &end in ends {
            let piece = &text[start..end];
            tokenizer
                .plan
                .merger
                .encode(&tokenizer.model().vocab, piece, &mut merged, &mut ids)
                .unwrap();
            start = end;
        }
        Ok(())
    };
    tokenizer.plan.splitter.for_each_batch(text, &mut Vec::new(), batch).unwrap();
    ids
}

#[test]
fn chinese_has_the_ids_of_its_pieces_merged_whole() {
    for round in 0..60 {
        let mut random = random(round);
        let model = Arc::new(model(1 + random(60), &mut random));
        let text = text(1 + random(1500), &mut random);
        for level in Level::available() {
            let mut tokenizer = Tokenizer::new(model.clone(), 1 << 20).unwrap();
            tokenizer.plan.level = level;
            assert!(tokenizer.plan.merger.singles(true).is_some());
            let right = plain(&tokenizer, &text);
            for _ in 0..2 {
                let ids = tokenizer.encode(&text, &Allowed::Text, None).unwrap();
                assert_eq!(ids, right, "{level:?} {}", String::from_utf8_lossy(&text));
                let count = tokenizer.count(&text, &Allowed::Text, None, None).unwrap();
                assert_eq!(count, Some(right.len()));
            }
        }
    }
}

#[test]
fn no_row_of_pieces_goes_from_one_document_to_the_next() {
    for round in 0..60 {
        let mut random = random(100 + round);
        let model = Arc::new(model(1 + random(60), &mut random));
        let texts: Vec<Vec<u8>> = (0..40).map(|_| text(1 + random(12), &mut random)).collect();
        let texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).chain([&b""[..]]).collect();
        for level in Level::available() {
            let mut tokenizer = Tokenizer::new(model.clone(), 1 << 20).unwrap();
            tokenizer.plan.level = level;
            assert!(tokenizer.plan.merger.singles(true).is_some());
            let found = tokenizer.encode_batch(&texts, &Allowed::Text, None).unwrap();
            for (text, bounds) in texts.iter().zip(found.bounds.windows(2)) {
                let ids = &found.ids[bounds[0] as usize..bounds[1] as usize];
                assert_eq!(ids, plain(&tokenizer, text), "{}", String::from_utf8_lossy(text));
            }
        }
    }
}

#[test]
fn a_very_long_piece_is_encoded_to_its_end() {
    let mut random = random(7);
    let tokenizer = Tokenizer::new(Arc::new(model(80, &mut random)), 1 << 20).unwrap();
    assert!(tokenizer.plan.merger.singles(true).is_some());
    // On both sides of the longest that is walked, and far beyond it.
    let lens = (LONGEST / SINGLE - 9..LONGEST / SINGLE + 3).chain([50_000]);
    for len in lens {
        let text: Vec<u8> = (0..len).flat_map(|_| UNITS[random(5)].iter().copied()).collect();
        let ids = tokenizer.encode(&text, &Allowed::Text, None).unwrap();
        assert_eq!(ids, plain(&tokenizer, &text), "{len}");
    }
}

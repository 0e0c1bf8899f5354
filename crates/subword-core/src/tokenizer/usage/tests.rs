//! Tokens that come out, and models without the others.

use std::sync::Arc;

use super::*;
use crate::model::{Encoder, Merges, SpecialToken, WordPiece};
use crate::types::Pair;
use crate::vocab::Vocab;

/// Bytes, then these tokens from 256 on.
fn model(tokens: &[&str], pairs: Option<&[Pair]>) -> Model {
    let mut vocab = Vocab::bytes();
    for (id, token) in (256..).zip(tokens) {
        vocab.insert(id, token.as_bytes()).unwrap();
    }
    let merges = pairs.map_or(Merges::Ranked, |pairs| Merges::Listed(pairs.to_vec()));
    let special = vec![SpecialToken::new("<s>", 256 + tokens.len() as TokenId)];
    let pattern = Pattern::Named(Named::Whitespace);
    Model::new(vocab, merges, pattern, special).checked().unwrap()
}

fn words(tokens: &[&str]) -> Model {
    let tokens = (0..).zip(tokens.iter().map(|token| token.as_bytes()));
    let mut model = Model::word_piece(Vocab::new(tokens).unwrap(), 0, WordPiece::default());
    model.special_tokens = vec![SpecialToken::new("[UNK]", 0)];
    model.checked().unwrap()
}

fn tokenizer(model: &Model) -> Tokenizer {
    Tokenizer::new(Arc::new(model.clone()), 1 << 16).unwrap()
}

fn counts(model: &Model, pieces: &[(&str, Count)]) -> Counts {
    let mut counts = Counts::of_normalized(model.normalizer, model.pattern.clone(), Vec::new());
    for (piece, count) in pieces {
        counts.add_piece(piece.as_bytes(), *count).unwrap();
    }
    counts
}

fn pruned(model: &Model, pieces: &[&str]) -> (Model, Vec<Option<TokenId>>) {
    let pieces: Vec<(&str, Count)> = pieces.iter().map(|piece| (*piece, 1)).collect();
    let (smaller, ids) = tokenizer(model).pruned(&counts(model, &pieces), None).unwrap();
    for (piece, _) in &pieces {
        let encode = |model| tokenizer(model).encode(piece.as_bytes(), &Allowed::Text, None);
        let old = encode(model).unwrap().into_iter().map(|id| ids[id as usize].unwrap());
        assert_eq!(encode(&smaller).unwrap(), old.collect::<Vec<_>>(), "{piece}");
    }
    (smaller, ids)
}

/// The tokens that are longer than a byte.
fn left(model: &Model) -> Vec<String> {
    let tokens = model.vocab.iter().filter(|(_, bytes)| bytes.len() > 1);
    tokens.map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned()).collect()
}

const TH: Pair = (116, 104);
const THE: Pair = (256, 101);
const HE: Pair = (104, 101);

#[test]
fn every_piece_counts_as_often_as_it_occurs() {
    let model = model(&["th", "the"], Some(&[TH, THE]));
    let counted = counts(&model, &[("the", 5), ("then", 2), ("th", 1 << 40)]);
    let used = tokenizer(&model).token_counts(&counted, None).unwrap();
    assert_eq!((used[256], used[257], used[usize::from(b'n')]), (1 << 40, 7, 2));
    assert_eq!((used.len(), used.iter().sum::<u64>()), (259, (1 << 40) + 9));
}

#[test]
fn a_piece_is_not_cut_again_nor_normalised_nor_searched() {
    let mut model = model(&["a b"], None);
    model.normalizer = Normalizer::NfcLowercase;
    model.special_tokens[0].always = true;
    let counted = counts(&model, &[("a b", 1), ("B", 1), ("<s>", 1)]);
    let used = tokenizer(&model).token_counts(&counted, None).unwrap();
    let tokens = [32, b'a', b'b', b'B', b'<', b's', b'>'].map(|byte| used[usize::from(byte)]);
    assert_eq!((tokens, used[257]), ([1, 1, 1, 1, 1, 1, 1], 0));
}

#[test]
fn what_a_token_is_made_of_stays() {
    for pairs in [Some(&[TH, THE, HE][..]), None] {
        let whole = model(&["th", "the", "he"], pairs);
        let (smaller, ids) = pruned(&whole, &["the"]);
        assert_eq!(left(&smaller), ["th", "the"]);
        assert_eq!(ids[256..], [Some(256), Some(257), None, Some(258)]);
        assert_eq!(smaller.special_tokens[0].id, 258);
        assert_eq!(left(&pruned(&whole, &["thx", "ht"]).0), ["th"]);
        assert_eq!(left(&pruned(&whole, &["ht"]).0).len(), 0);
        assert_eq!(pruned(&whole, &["he", "the"]).0, whole);
    }
}

#[test]
fn of_the_merges_of_a_token_the_one_that_happens_counts() {
    let twice = [HE, TH, THE, (116, 257)]; // ids: th 256, he 257, the 258
    let (smaller, _) = pruned(&model(&["th", "he", "the"], Some(&twice)), &["the"]);
    assert_eq!(left(&smaller), ["he", "the"]);
    assert_eq!(smaller.merges, Merges::Listed(vec![HE, (116, 256)]));
}

#[test]
fn a_token_that_no_merge_makes_stays_if_it_comes_out() {
    let mut whole = model(&["xyz", "uvw"], None);
    whole.ignore_merges = true;
    assert_eq!(left(&pruned(&whole, &["xyz"]).0), ["xyz"]);
}

#[test]
fn the_longest_tokens_need_no_others() {
    let mut whole = model(&["th", "the", "he"], Some(&[TH, THE, HE]));
    whole.encoder = Encoder::Longest;
    let (smaller, _) = pruned(&whole, &["the"]);
    assert_eq!((left(&smaller), smaller.merges), (vec!["the".to_owned()], Merges::Listed(vec![])));
}

#[test]
fn a_word_that_was_given_up_is_given_up_again() {
    let whole = words(&["[UNK]", "ab", "a", "##bc", "##b", "x"]);
    let (smaller, ids) = pruned(&whole, &["abc", "a"]);
    let left: Vec<&[u8]> = smaller.vocab.iter().map(|(_, bytes)| bytes).collect();
    assert_eq!(left, [&b"ab"[..], b"a"]);
    assert_eq!(ids, [Some(0), Some(1), Some(2), None, None, None]);
}

#[test]
fn pieces_of_another_tokenizer_are_refused() {
    let (one, mut other) = (model(&[], None), model(&[], None));
    other.pattern = Pattern::Named(Named::Gpt2);
    let refused = |other: &Model| {
        let used = tokenizer(&one).token_counts(&counts(other, &[]), None);
        used.unwrap_err().to_string()
    };
    let hint = "\n  hint: count the text with the tokenizer's own pattern and normalizer";
    assert_eq!(
        refused(&other),
        format!(
            "the pieces were cut by the pattern \"gpt2\", the tokenizer has \"whitespace\"{hint}"
        )
    );
    other.normalizer = Normalizer::Nfc;
    assert_eq!(
        refused(&other),
        format!(
            "the text of the counts has the normalizer \"nfc\", the tokenizer has \"none\"{hint}"
        )
    );
}

#[test]
fn a_special_token_that_only_a_whole_piece_gives_is_refused() {
    let mut whole = model(&["b ", "ab", " d", "ab d"], None);
    whole.ignore_merges = true;
    whole.special_tokens = vec![SpecialToken::new("ab d", 259)];
    let whole = whole.checked().unwrap();
    assert_eq!(whole.vocab.id_of(b"ab d"), Some(259), "two tokens could make it");
    let counted = counts(&whole, &[("ab d", 1)]);
    let refused = tokenizer(&whole).pruned(&counted, None).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the special token b\"ab d\" is a whole piece of ordinary text\n  hint: count the pieces with \
         this tokenizer's special tokens"
    );
    assert_eq!(left(&pruned(&whole, &["abx"]).0), ["ab"]);
}

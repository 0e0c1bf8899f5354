//! The ways to merge agree with each other and with the definition.

use super::*;
use crate::model::Pattern;
use crate::pretok::Named;

fn model(merges: &[(&str, &str)], listed: bool) -> Model {
    let mut vocab = Vocab::bytes();
    let mut pairs = Vec::new();
    for (left, right) in merges {
        let id = |token: &str| vocab.id_of(token.as_bytes()).unwrap();
        pairs.push((id(left), id(right)));
        let joined = format!("{left}{right}");
        if vocab.id_of(joined.as_bytes()).is_none() {
            vocab.insert(vocab.id_limit(), joined.as_bytes()).unwrap();
        }
    }
    let merges = if listed { Merges::Listed(pairs) } else { Merges::Ranked };
    Model::new(vocab, merges, Pattern::Named(Named::None), Vec::new()).checked().unwrap()
}

/// The definition, word for word.
fn naive(model: &Model, pairs: &Pairs, piece: &[u8]) -> Vec<TokenId> {
    let mut tokens: Vec<TokenId> =
        piece.iter().map(|b| model.vocab.id_of(&[*b]).unwrap()).collect();
    loop {
        let ranks = tokens.windows(2).map(|two| pairs.rank(two[0], two[1])).enumerate();
        let best = ranks.filter(|(_, rank)| *rank != NO_RANK).min_by_key(|(at, rank)| (*rank, *at));
        let Some((at, rank)) = best else { return tokens };
        tokens.splice(at..at + 2, [pairs.merged(rank)]);
    }
}

fn spell(model: &Model, ids: &[TokenId]) -> Vec<String> {
    let bytes = |&id: &TokenId| model.vocab.bytes_of(id).unwrap();
    ids.iter().map(|id| String::from_utf8_lossy(bytes(id)).into_owned()).collect()
}

fn both(merger: &Merger, piece: &[u8]) -> [Vec<TokenId>; 2] {
    let tokens = || piece.iter().map(|&b| merger.byte_ids[usize::from(b)]);
    let mut ids = [Vec::new(), Vec::new()];
    if piece.len() <= LONGEST_SHORT {
        short::merge(&merger.pairs, piece, &merger.byte_ids, &mut ids[0]);
    } else {
        merger.merge(piece, &mut Scratch::default(), &mut ids[0]);
    }
    long::merge(&merger.pairs, tokens(), &mut long::Scratch::default(), &mut ids[1]);
    ids
}

#[test]
fn equal_pairs_merge_leftmost_first() {
    let model = model(&[("a", "a")], true);
    for ids in both(&Merger::new(&model), b"aaaaa") {
        assert_eq!(spell(&model, &ids), ["aa", "aa", "a"]);
    }
}

#[test]
fn a_listed_pair_is_not_every_pair_with_the_same_result() {
    let merges = [("b", "c"), ("a", "b"), ("ab", "c")];
    for (listed, expected) in [(true, vec!["a", "bc"]), (false, vec!["abc"])] {
        let model = model(&merges, listed);
        for ids in both(&Merger::new(&model), b"abc") {
            assert_eq!(spell(&model, &ids), expected, "listed: {listed}");
        }
    }
}

#[test]
fn all_ways_agree_on_random_merges() {
    let mut state = 1u64;
    let mut random = |n: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % n
    };
    for round in 0..400 {
        let alphabet = ["a", "b", "中", "c"];
        let mut tokens: Vec<String> = alphabet.map(String::from).to_vec();
        let mut merges: Vec<(String, String)> = Vec::new();
        for _ in 0..random(12) {
            let pair = (tokens[random(tokens.len())].clone(), tokens[random(tokens.len())].clone());
            if !merges.contains(&pair) && !pair.0.contains('中') && !pair.1.contains('中') {
                tokens.push(format!("{}{}", pair.0, pair.1));
                merges.push(pair);
            }
        }
        let pairs: Vec<(&str, &str)> = merges.iter().map(|(a, b)| (&**a, &**b)).collect();
        let model = model(&pairs, round % 2 == 0);
        let joins = Joins::new(&model.vocab);
        let merger = Merger::new(&model);
        let naive = |piece: &[u8]| naive(&model, &merger.pairs, piece);
        for _ in 0..20 {
            let piece: String = (0..1 + random(40)).map(|_| alphabet[random(4)]).collect();
            let expected = naive(piece.as_bytes());
            for ids in both(&merger, piece.as_bytes()) {
                assert_eq!(ids, expected, "{piece} {pairs:?}");
            }
            let mut cut = Vec::new();
            for (from, to) in joins.cut(piece.as_bytes()) {
                cut.extend(naive(&piece.as_bytes()[from..to]));
            }
            assert_eq!(cut, expected, "{piece} {pairs:?}");
        }
    }
}

#[test]
fn a_cut_never_splits_a_token_that_starts_or_ends_within_a_character() {
    // The last byte of `é` and the first of `中`, as one token.
    let (a, b) = ("é".as_bytes(), "中".as_bytes());
    let mut vocab = Vocab::bytes();
    vocab.insert(256, &[a[1], b[0]]).unwrap();
    let joins = Joins::new(&vocab);
    let mut segments = Vec::new();
    let piece = "é中é".as_bytes();
    segments.extend(joins.cut(piece).map(|(from, to)| &piece[from..to]));
    assert_eq!(segments, ["é中".as_bytes(), "é".as_bytes()]);
}

#[test]
fn a_whole_piece_that_is_a_token_wins_if_the_model_says_so() {
    let mut model = model(&[("b", "c")], true);
    model.vocab.insert(300, b"abc").unwrap();
    let encode = |model: &Model| {
        let mut ids = Vec::new();
        Merger::new(model).encode(&model.vocab, b"abc", false, &mut Scratch::default(), &mut ids);
        spell(model, &ids)
    };
    assert_eq!(encode(&model), ["a", "bc"]);
    model.ignore_merges = true;
    assert_eq!(encode(&model), ["abc"]);
}

//! The ways to merge agree with each other and with the definition.

use super::*;
use crate::model::Pattern;
use crate::pretok::Named;
use crate::types::Pair;

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
fn naive(model: &Model, piece: &[u8]) -> Vec<TokenId> {
    let vocab = &model.vocab;
    let mut tokens: Vec<TokenId> = piece.iter().map(|b| vocab.id_of(&[*b]).unwrap()).collect();
    loop {
        let merge = |two: &[TokenId]| {
            let joined = [two[0], two[1]].map(|id| vocab.bytes_of(id).unwrap()).concat();
            let token = vocab.id_of(&joined)?;
            match &model.merges {
                Merges::Ranked => Some((token as usize, token)),
                Merges::Listed(pairs) => {
                    Some((pairs.iter().position(|&pair| pair == (two[0], two[1]))?, token))
                }
            }
        };
        let merges = tokens.windows(2).map(merge).enumerate();
        let best =
            merges.filter_map(|(at, merge)| merge.map(|(rank, token)| (rank, at, token))).min();
        let Some((_, at, token)) = best else { return tokens };
        tokens.splice(at..at + 2, [token]);
    }
}

fn spell(model: &Model, ids: &[TokenId]) -> Vec<String> {
    let bytes = |&id: &TokenId| model.vocab.bytes_of(id).unwrap();
    ids.iter().map(|id| String::from_utf8_lossy(bytes(id)).into_owned()).collect()
}

/// By the scan where the piece is short, by the heap, and where ids are ranks by the vocabulary alone.
fn all_ways(model: &Model, merger: &Merger, piece: &[u8]) -> Vec<Vec<TokenId>> {
    let tokens = || piece.iter().map(|&b| merger.byte_ids[usize::from(b)]);
    let pairs = &merger.tables(&model.vocab).unwrap().pairs;
    let mut merged = Merged::default();
    merger.merge_by(pairs, piece, &[(0, piece.len())], &mut merged).unwrap();
    let mut ways = vec![merged.ids_of(0).to_vec(), Vec::new()];
    long::merge(pairs, tokens(), &mut long::HeapScratch::default(), &mut ways[1]).unwrap();
    if model.merges == Merges::Ranked {
        ways.push(Vec::new());
        plain::merge(&model.vocab, piece, &mut ways[2]);
    }
    ways
}

/// Numbers that are the same on every run.
fn random() -> impl FnMut(usize) -> usize {
    let mut state = 1u64;
    move |n| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % n
    }
}

#[test]
fn equal_pairs_merge_leftmost_first() {
    let model = model(&[("a", "a")], true);
    for ids in all_ways(&model, &Merger::new(&model).unwrap(), b"aaaaa") {
        assert_eq!(spell(&model, &ids), ["aa", "aa", "a"]);
    }
}

#[test]
fn a_listed_pair_is_not_every_pair_with_the_same_result() {
    let merges = [("b", "c"), ("a", "b"), ("ab", "c")];
    for (listed, expected) in [(true, vec!["a", "bc"]), (false, vec!["abc"])] {
        let model = model(&merges, listed);
        for ids in all_ways(&model, &Merger::new(&model).unwrap(), b"abc") {
            assert_eq!(spell(&model, &ids), expected, "listed: {listed}");
        }
    }
}

#[test]
fn all_ways_agree_on_random_merges() {
    let mut random = random();
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
        let merger = Merger::new(&model).unwrap();
        let naive = |piece: &[u8]| naive(&model, piece);
        for _ in 0..20 {
            let piece: String = (0..1 + random(150)).map(|_| alphabet[random(4)]).collect();
            let expected = naive(piece.as_bytes());
            for ids in all_ways(&model, &merger, piece.as_bytes()) {
                assert_eq!(ids, expected, "{piece} {pairs:?}");
            }
            let mut cut = Vec::new();
            joins
                .each_part(piece.as_bytes(), |from, to| {
                    cut.extend(naive(&piece.as_bytes()[from..to]));
                    Ok(())
                })
                .unwrap();
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
    let push = |from, to| {
        segments.push(&piece[from..to]);
        Ok(())
    };
    joins.each_part(piece, push).unwrap();
    assert_eq!(segments, ["é中".as_bytes(), "é".as_bytes()]);
}

#[test]
fn a_whole_piece_that_is_a_token_wins_if_the_model_says_so() {
    let mut model = model(&[("b", "c")], true);
    model.vocab.insert(300, b"abc").unwrap();
    let encode = |model: &Model| {
        let merger = Merger::new(model).unwrap();
        let mut ids = Vec::new();
        merger.encode(&model.vocab, b"abc", &mut Merged::default(), &mut ids).unwrap();
        spell(model, &ids)
    };
    assert_eq!(encode(&model), ["a", "bc"]);
    model.ignore_merges = true;
    assert_eq!(encode(&model), ["abc"]);
}

/// Parts may have higher ranks than what they make, and tokens that no merge reaches.
#[test]
fn ranks_in_any_order_mean_what_they_say() {
    let mut random = random();
    for _ in 0..2000 {
        let mut vocab = Vocab::bytes();
        for _ in 0..random(14) {
            let token: Vec<u8> = (0..2 + random(5)).map(|_| b"abc"[random(3)]).collect();
            let id = 256 + random(1000) as TokenId;
            if vocab.id_of(&token).is_none() && vocab.bytes_of(id).is_none() {
                vocab.insert(id, &token).unwrap();
            }
        }
        let mut model = Model::new(vocab, Merges::Ranked, Pattern::Named(Named::None), Vec::new());
        model.ignore_merges = true;
        let merger = Merger::new(&model).unwrap();
        for _ in 0..20 {
            let piece: Vec<u8> = (0..1 + random(12)).map(|_| b"abc"[random(3)]).collect();
            let expected = naive(&model, &piece);
            for ids in all_ways(&model, &merger, &piece) {
                assert_eq!(ids, expected, "{:?}", piece.escape_ascii().to_string());
            }
            let token = model.vocab.id_of(&piece);
            let whole = token.filter(|&id| expected != [id]);
            assert_eq!(merger.whole(&model.vocab, &piece), whole);
            // Without tables and with them.
            for merger in [&Merger::new(&model).unwrap(), &merger] {
                let mut ids = Vec::new();
                merger.encode(&model.vocab, &piece, &mut Merged::default(), &mut ids).unwrap();
                assert_eq!(ids, token.map_or_else(|| expected.clone(), |id| vec![id]));
            }
        }
    }
}

/// A merge may stand before those that make its parts.
#[test]
fn merges_in_any_order_mean_what_they_say() {
    let mut random = random();
    for _ in 0..2000 {
        let mut vocab = Vocab::bytes();
        let mut tokens: Vec<TokenId> = b"abc".iter().map(|&byte| byte.into()).collect();
        let mut merges: Vec<Pair> = Vec::new();
        for _ in 0..random(14) {
            let pair = (tokens[random(tokens.len())], tokens[random(tokens.len())]);
            let joined = [pair.0, pair.1].map(|id| vocab.bytes_of(id).unwrap()).concat();
            if vocab.id_of(&joined).is_none() {
                tokens.push(vocab.id_limit());
                vocab.insert(vocab.id_limit(), &joined).unwrap();
            }
            if !merges.contains(&pair) {
                merges.insert(random(merges.len() + 1), pair);
            }
        }
        let merges = Merges::Listed(merges);
        let model = Model::new(vocab, merges, Pattern::Named(Named::None), Vec::new());
        let merger = Merger::new(&model).unwrap();
        for _ in 0..20 {
            let piece: Vec<u8> = (0..1 + random(12)).map(|_| b"abc"[random(3)]).collect();
            let expected = naive(&model, &piece);
            for ids in all_ways(&model, &merger, &piece) {
                assert_eq!(ids, expected, "{} {:?}", piece.escape_ascii(), model.merges);
            }
        }
    }
}

#[test]
fn tables_are_made_when_much_was_merged_without_them() {
    let model = model(&[("a", "b"), ("ab", "a"), ("b", "a")], false);
    let (few, much) = (b"abaab".to_vec(), b"aabba".repeat(PLAIN_COST / 200));
    for text in [few.clone(), much] {
        let merger = Merger::new(&model).unwrap();
        let mut merged = Merged::default();
        merger.merge(&model.vocab, &text, &[(0, text.len())], &mut merged).unwrap();
        assert_eq!(merger.tables.get().is_none(), text == few);
        assert_eq!(merged.ids_of(0), naive(&model, &text));
    }
}

#[test]
fn pieces_that_take_turns_do_not_disturb_each_other() {
    let mut random = random();
    let model = model(&[("a", "b"), ("ab", "a"), ("b", "a"), ("aba", "ba"), ("a", "a")], true);
    let merger = Merger::new(&model).unwrap();
    let mut merged = Merged::default();
    for _ in 0..200 {
        let text: Vec<u8> = (0..2000).map(|_| b"ab"[random(2)]).collect();
        let mut places = Vec::new();
        while places.len() < random(40) {
            let start = random(1800);
            places.push((start, start + 1 + random(100)));
        }
        merger.merge(&model.vocab, &text, &places, &mut merged).unwrap();
        for (i, &(start, end)) in places.iter().enumerate() {
            assert_eq!(merged.ids_of(i), naive(&model, &text[start..end]));
        }
    }
}

/// A vocabulary of the bytes and these tokens, whose ids are their ranks.
fn ranked(tokens: impl IntoIterator<Item = (TokenId, Vec<u8>)>) -> Model {
    let mut vocab = Vocab::bytes();
    tokens.into_iter().for_each(|(id, token)| vocab.insert(id, &token).unwrap());
    Model::new(vocab, Merges::Ranked, Pattern::Named(Named::None), Vec::new())
}

/// A token of one character has as many splits as it is long, and most of its neighbours merge: the table of
/// pairs must have room for what is entered, in any order of ids.
#[test]
fn runs_of_one_character_merge_as_the_definition_says() {
    let mut random = random();
    for most in [2, 63, 64, 65, 70, 71, 80, 128, 300] {
        let rising: Vec<usize> = (2..=most).collect();
        let falling: Vec<usize> = rising.iter().rev().copied().collect();
        let mut shuffled = rising.clone();
        (1..shuffled.len()).for_each(|at| shuffled.swap(at, random(at + 1)));
        for lens in [rising, falling, shuffled] {
            let runs = lens.iter().map(|&len| vec![b'x'; len]);
            let model = ranked((256..).zip(runs));
            let merger = Merger::new(&model).unwrap();
            for len in [1, 2, most - 1, most, most + 1, 2 * most + 3, 500] {
                let piece = vec![b'x'; len];
                let expected = naive(&model, &piece);
                for ids in all_ways(&model, &merger, &piece) {
                    assert_eq!(ids, expected, "x^{len} by runs of up to {most}");
                }
            }
        }
    }
}

/// Tokens of up to 200 bytes over two letters, made of other tokens or not, ids in any order.
#[test]
fn long_tokens_in_any_order_mean_what_they_say() {
    let mut random = random();
    for _ in 0..60 {
        let mut tokens: Vec<Vec<u8>> = vec![b"a".to_vec(), b"b".to_vec()];
        for _ in 0..random(60) {
            let two =
                [&tokens[random(tokens.len())], &tokens[random(tokens.len())]].map(|t| &t[..]);
            let mut token = two.concat();
            if random(8) == 0 {
                token.push(b"ab"[random(2)]);
            }
            if token.len() <= 200 && !tokens.contains(&token) {
                tokens.push(token);
            }
        }
        let mut ids: Vec<TokenId> = (256..).take(tokens.len() - 2).collect();
        if random(3) > 0 {
            (1..ids.len()).for_each(|at| ids.swap(at, random(at + 1)));
        }
        let model = ranked(ids.into_iter().zip(tokens[2..].iter().cloned()));
        let merger = Merger::new(&model).unwrap();
        for _ in 0..10 {
            let parts = (0..1 + random(6)).map(|_| &tokens[random(tokens.len())][..]);
            let piece = parts.collect::<Vec<_>>().concat();
            let expected = naive(&model, &piece);
            for ids in all_ways(&model, &merger, &piece) {
                assert_eq!(ids, expected, "{}", piece.escape_ascii());
            }
        }
    }
}

#[test]
fn a_token_enters_one_pair_however_long_it_is() {
    let falling = (2..=1 << 9).rev().map(|len| vec![b'x'; len]);
    let longest: Vec<u8> = (0..1 << 16).map(|at| b"xy"[usize::from(at % 7 == 0)]).collect();
    let model = ranked((256..).zip(falling.chain([longest])));
    let merger = Merger::new(&model).unwrap();
    let pairs = &merger.tables(&model.vocab).unwrap().pairs;
    assert!(pairs.taken() < model.vocab.len(), "{} pairs", pairs.taken());
}

/// Tokens of bytes that are no token are never made, and disturb no other.
#[test]
fn a_token_of_a_missing_byte_is_no_pair() {
    let mut vocab = Vocab::bytes();
    vocab.remove(0xFF);
    let tokens =
        [(256, &b"ab"[..]), (257, b"a\xFF"), (258, b"\xFFb"), (259, b"ab\xFF"), (260, b"aba")];
    tokens.iter().for_each(|&(id, token)| vocab.insert(id, token).unwrap());
    let model = Model::new(vocab, Merges::Ranked, Pattern::Named(Named::None), Vec::new());
    let merger = Merger::new(&model).unwrap();
    assert_eq!(merger.tables(&model.vocab).unwrap().pairs.taken(), 2);
    for ids in all_ways(&model, &merger, b"abaa") {
        assert_eq!(ids, [260, u32::from(b'a')]);
    }
}

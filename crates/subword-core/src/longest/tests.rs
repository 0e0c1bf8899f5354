use super::*;
use crate::model::{EndOfWord, Merges, Pattern, SpecialToken, Start, Units};
use crate::pretok::Named;
use crate::vocab::Vocab;

fn model(tokens: &[&str], mark: Option<&str>, unk: Option<TokenId>) -> Model {
    let vocab = Vocab::new((0..).zip(tokens.iter().map(|token| token.as_bytes()))).unwrap();
    let merges = Merges::Listed(Vec::new());
    let mut model = Model::new(vocab, merges, Pattern::Named(Named::Whitespace), Vec::new());
    let end_of_word = mark.map(|mark| EndOfWord { mark: mark.into(), joined: false });
    model.start = Start { units: Units::Characters, end_of_word, unk };
    model
}

/// The ids of a piece and where they end, or the place that no token covers.
fn found(longest: &Longest, piece: &str) -> std::result::Result<Vec<(TokenId, usize)>, usize> {
    let mut found = Vec::new();
    let mut at = 0;
    let missing =
        longest.encode(piece.as_bytes(), &mut LongestScratch::default(), |id, start, end| {
            assert_eq!(start, at);
            at = end;
            found.push((id, end));
            Ok(())
        });
    missing.unwrap().map_or(Ok(found), Err)
}

/// The definition: cut each token in turn out of what is left.
fn plainly(tokens: &[&str], mark: Option<&str>, piece: &str) -> Vec<Option<String>> {
    let length = |token: &str| match mark.and_then(|mark| token.strip_suffix(mark)) {
        Some(text) => text.chars().count() + 1,
        None => token.chars().count(),
    };
    let mut sorted: Vec<&str> = tokens.to_vec();
    sorted.sort_by_key(|token| (Reverse(length(token)), token.to_string()));
    let mut parts = vec![(format!("{piece}{}", mark.unwrap_or_default()), false)];
    for token in sorted {
        let mut cut = Vec::new();
        for (text, done) in parts {
            if done {
                cut.push((text, true));
                continue;
            }
            for (i, part) in text.split(token).enumerate() {
                cut.extend((i > 0).then(|| (token.to_owned(), true)));
                cut.extend((!part.is_empty()).then(|| (part.to_owned(), false)));
            }
        }
        parts = cut;
    }
    parts.into_iter().map(|(text, done)| done.then_some(text)).collect()
}

#[test]
fn the_longest_token_goes_first_wherever_it_stands() {
    let tokens = ["<unk>", "</w>", "errrr</w>", "tain</w>", "moun", "est</w>", "high", "the</w>"];
    let longest = Longest::new(&model(&tokens, Some("</w>"), Some(0)));
    assert_eq!(found(&longest, "the"), Ok(vec![(7, 3)]));
    assert_eq!(found(&longest, "highest"), Ok(vec![(6, 4), (5, 7)]));
    assert_eq!(found(&longest, "mountain"), Ok(vec![(4, 4), (3, 8)]));
    assert_eq!(found(&longest, "highland"), Ok(vec![(6, 4), (0, 8), (1, 8)]));
    assert_eq!(found(&longest, ""), Ok(vec![(1, 0)]));
}

#[test]
fn every_small_word_is_cut_as_the_definition_says() {
    let sets: [&[&str]; 6] = [
        &["</w>", "a", "aa", "aaa", "aa</w>"],
        &["</w>", "a", "b", "ab", "ba", "bab", "ab</w>"],
        &["</w>", "ab", "ba", "abba", "bb</w>", "a</w>"],
        &["</w>", "a", "é", "aé", "éa", "éé", "aéa</w>"],
        &["</w>", "b", "abab", "bab", "baba"],
        &["</w>", "aab", "aba", "baa", "bb"],
    ];
    for tokens in sets {
        for mark in [None, Some("</w>")] {
            let longest = Longest::new(&model(tokens, mark, Some(0)));
            for number in 0..3 << 7 {
                let mut rest = number;
                let mut word = String::new();
                while rest > 0 {
                    word.push(['a', 'b', 'é'][rest % 3]);
                    rest /= 3;
                }
                let expected = plainly(tokens, mark, &word);
                let expected: Vec<_> = if word.is_empty() && mark.is_none() {
                    Vec::new()
                } else {
                    let id = |token: &String| tokens.iter().position(|one| one == token).unwrap();
                    expected.iter().map(|token| token.as_ref().map_or(0, id) as TokenId).collect()
                };
                let ids = found(&longest, &word).unwrap().iter().map(|&(id, _)| id).collect();
                assert_eq!((&word, expected), (&word, ids), "{tokens:?}");
            }
        }
    }
}

#[test]
fn a_stretch_without_tokens_is_one_unk_or_an_error() {
    let tokens = ["b", "<unk>"];
    assert_eq!(
        found(&Longest::new(&model(&tokens, None, Some(1))), "aabéa"),
        Ok(vec![(1, 2), (0, 3), (1, 6)])
    );
    assert_eq!(found(&Longest::new(&model(&tokens, None, None)), "baé"), Err(1));
}

#[test]
fn text_that_spells_the_mark_is_text() {
    let tokens = ["</w>", "a</w>", "a", "<unk>"];
    let longest = Longest::new(&model(&tokens, Some("</w>"), Some(3)));
    assert_eq!(found(&longest, "a</w>a"), Ok(vec![(2, 1), (3, 5), (1, 6)]));
}

#[test]
fn special_tokens_take_no_part_unless_they_are_units() {
    let mut model = model(&["a", "b", "ab"], None, None);
    model.special_tokens = vec![SpecialToken::new("a", 0), SpecialToken::new("ab", 2)];
    assert_eq!(found(&Longest::new(&model), "ab"), Ok(vec![(0, 1), (1, 2)]));
}

#[test]
fn bytes_are_units_too() {
    let mut vocab = Vocab::bytes();
    vocab.insert(256, "é".as_bytes()).unwrap();
    vocab.insert(257, b"aa").unwrap();
    let merges = Merges::Listed(Vec::new());
    let model = Model::new(vocab, merges, Pattern::Named(Named::None), Vec::new());
    // Two bytes each, and `aa` sorts first: it does not matter that the other is one character.
    assert_eq!(found(&Longest::new(&model), "aaaé"), Ok(vec![(257, 2), (97, 3), (256, 5)]));
}

#[test]
fn a_long_piece_takes_no_longer_than_many_short_ones() {
    let tokens: Vec<String> = (1..=200).map(|n| "a".repeat(n)).collect();
    let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
    let longest = Longest::new(&model(&tokens, None, None));
    let ids = found(&longest, &"a".repeat(300_001)).unwrap();
    assert_eq!(ids.len(), 1501);
    assert_eq!(ids[1500], (0, 300_001));
}

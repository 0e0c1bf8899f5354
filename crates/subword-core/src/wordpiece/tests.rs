//! Both encoders against the definition.

use super::*;
use crate::model::Model;
use crate::testing::Random;
use crate::vocab::Vocab;

/// The definition: of all lengths, the longest first.
fn plain(model: &Model, settings: &WordPiece, word: &str) -> Vec<TokenId> {
    let unk = model.start.unk.unwrap();
    let long = match settings.limit {
        WordLimit::Characters(limit) => word.chars().count() > limit as usize,
        WordLimit::Bytes(limit) => word.len() > limit as usize,
        WordLimit::None => false,
    };
    if long {
        return vec![unk];
    }
    let (mut ids, mut at) = (Vec::new(), 0);
    while at < word.len() {
        let ends = (at + 1..=word.len()).rev().filter(|&end| word.is_char_boundary(end));
        let prefix = if at == 0 { "" } else { &settings.prefix };
        let token = |end: usize| format!("{prefix}{}", &word[at..end]);
        let found =
            ends.filter_map(|end| Some((model.vocab.id_of(token(end).as_bytes())?, end))).next();
        match found {
            Some((id, end)) => {
                ids.push(id);
                at = end;
            }
            None if settings.unknown == Unknown::Word => return vec![unk],
            None => {
                ids.push(unk);
                at += word[at..].chars().next().unwrap().len_utf8();
            }
        }
    }
    ids
}

fn model(tokens: &[String], settings: &WordPiece) -> Model {
    let mut vocab = Vocab::new([(0, &b"[UNK]"[..])]).unwrap();
    for (id, token) in (1..).zip(tokens) {
        let _known_already = vocab.insert(id, token.as_bytes());
    }
    Model::word_piece(vocab, 0, settings.clone()).checked().unwrap()
}

fn words(model: &Model) -> (WordEncoder, Linear) {
    let settings = model.as_word_piece().unwrap();
    (WordEncoder::new(model, settings), Linear::new(model, settings).unwrap())
}

fn random_word(random: &mut Random, alphabet: &[&str], most: usize) -> String {
    (0..=random.below(most)).map(|_| alphabet[random.below(alphabet.len())]).collect()
}

#[test]
fn both_encoders_give_the_ids_of_the_definition() {
    let mut random = Random::new(5);
    let alphabets: [&[&str]; 3] =
        [&["a", "b"], &["a", "é", "中", "#", "\u{1F600}"], &["я", "ю", "э", "#"]];
    for round in 0..600 {
        let alphabet = alphabets[round % 3];
        let settings = WordPiece {
            prefix: ["##", "", "я", "#"][random.below(4)].into(),
            limit: [WordLimit::None, WordLimit::Characters(5), WordLimit::Bytes(7)]
                [random.below(3)],
            unknown: [Unknown::Word, Unknown::Character][random.below(2)],
            cleanup: false,
        };
        let tokens: Vec<String> = (0..2 + random.below(25))
            .map(|_| {
                let prefix = if random.below(2) == 0 { "" } else { &settings.prefix };
                format!("{prefix}{}", random_word(&mut random, alphabet, 5))
            })
            .collect();
        let model = model(&tokens, &settings);
        let (fast, linear) = words(&model);
        for _ in 0..60 {
            let word = random_word(&mut random, alphabet, 14);
            let expected = plain(&model, &settings, &word);
            let (mut found, mut one_pass) = (vec![9], vec![9]);
            fast.encode(word.as_bytes(), &mut found);
            linear.encode(word.as_bytes(), &mut one_pass);
            assert_eq!(found[1..], expected, "{word} with {tokens:?} {settings:?}");
            assert_eq!(one_pass[1..], expected, "{word} with {tokens:?} {settings:?}");
            let mut at = 0;
            let len = |id| model.token_bytes(id).unwrap().len();
            let located = fast.locate(word.as_bytes(), &expected, len, |_, start, end| {
                assert!(start == at && end > start, "{word} with {tokens:?} {settings:?}");
                at = end;
                Ok(())
            });
            located.unwrap();
            assert_eq!(at, word.len(), "{word} with {tokens:?} {settings:?}");
        }
    }
}

#[test]
fn bytes_that_are_no_text_are_unknown_characters() {
    let settings = WordPiece { unknown: Unknown::Character, ..WordPiece::default() };
    let model = model(&["a".into(), "##a".into(), "##é".into()], &settings);
    let (fast, linear) = words(&model);
    for (word, expected) in [
        (&b"a\xFFa"[..], &[1, 0, 2][..]),
        (b"a\xC3", &[1, 0]),
        (b"\xC3\xC3\xA9", &[0, 3]),
        (b"\xE4\xB8a", &[0, 0, 2]),
    ] {
        let (mut found, mut one_pass) = (Vec::new(), Vec::new());
        fast.encode(word, &mut found);
        linear.encode(word, &mut one_pass);
        assert_eq!((&found[..], &one_pass[..]), (expected, expected), "{word:?}");
    }
}

#[test]
fn the_linear_encoder_takes_no_more_steps_than_bytes() {
    // Every position starts a walk of a thousand bytes that ends in vain.
    let deep = format!("##{}b", "a".repeat(1000));
    let settings = WordPiece { limit: WordLimit::None, ..WordPiece::default() };
    let model = model(&["a".into(), "##a".into(), deep], &settings);
    let (_, linear) = words(&model);
    let word = vec![b'a'; 2_000_000];
    let mut ids = Vec::new();
    linear.encode(&word, &mut ids);
    assert_eq!(ids.len(), word.len());
}

#[test]
fn tables_that_grow_too_large_are_refused() {
    let deep = format!("{}b", "a".repeat(7000));
    let settings = WordPiece { limit: WordLimit::None, ..WordPiece::default() };
    let model = model(&["a".into(), "##a".into(), deep], &settings);
    let error = Linear::new(&model, &settings).unwrap_err();
    assert_eq!(error.to_string(), "the tokens are too long for the linear encoder");
}

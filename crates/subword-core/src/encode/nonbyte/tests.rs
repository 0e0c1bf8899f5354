//! Words held against the definition: one merge at a time, no cache, no cut.

use std::sync::Arc;

use super::*;
use crate::model::{EndOfWord, Merges, Model, Normalizer, Pattern, SpecialToken, Start, Units};
use crate::pretok::Named;
use crate::special::Allowed;
use crate::tokenizer::{Located, Threads, Tokenizer};
use crate::vocab::Vocab;

const TEXT: Allowed = Allowed::Text;

fn on(threads: usize) -> Threads {
    std::num::NonZeroUsize::new(threads)
}

/// Characters with `</w>` of its own, and merges as pairs of tokens. `<unk>` is the last token.
fn classic(alphabet: &str, merges: &[(&str, &str)], unk: bool) -> Model {
    let mut vocab = Vocab::default();
    let mut add = |token: &str| {
        let id = vocab.id_of(token.as_bytes()).unwrap_or(vocab.id_limit());
        if vocab.bytes_of(id).is_none() {
            vocab.insert(id, token.as_bytes()).unwrap();
        }
        id
    };
    for c in alphabet.chars() {
        add(&c.to_string());
    }
    add("</w>");
    let mut pairs = Vec::new();
    for (left, right) in merges {
        pairs.push((add(left), add(right)));
        add(&format!("{left}{right}"));
    }
    let last = vocab.id_limit();
    let special = vec![SpecialToken::new("<unk>", last), SpecialToken::new("<|end|>", last + 1)];
    let pattern = Pattern::Named(Named::Whitespace);
    let mut model = Model::new(vocab, Merges::Listed(pairs), pattern, special);
    model.start = Start {
        units: Units::Characters,
        end_of_word: Some(EndOfWord { mark: "</w>".into(), joined: false }),
        unk: unk.then_some(last),
    };
    model.checked().unwrap()
}

fn ready(model: Model, cache_bytes: usize) -> Tokenizer {
    Tokenizer::new(Arc::new(model), cache_bytes).unwrap()
}

fn low() -> Tokenizer {
    ready(classic("lower", &[("l", "o"), ("lo", "w"), ("e", "r"), ("er", "</w>")], true), 1 << 20)
}

fn spell(tokenizer: &Tokenizer, ids: &[TokenId]) -> Vec<String> {
    let token = |id: &TokenId| tokenizer.model().token_bytes(*id).unwrap();
    ids.iter().map(|id| String::from_utf8(token(id).to_vec()).unwrap()).collect()
}

fn encode(tokenizer: &Tokenizer, text: &str) -> Vec<String> {
    spell(tokenizer, &tokenizer.encode(text.as_bytes(), &TEXT, on(1)).unwrap())
}

#[test]
fn the_mark_is_the_last_token_of_a_word() {
    let tokenizer = low();
    assert_eq!(encode(&tokenizer, "low"), ["low", "</w>"]);
    assert_eq!(encode(&tokenizer, " lower\n\tlow "), ["low", "er</w>", "low", "</w>"]);
    assert_eq!(encode(&tokenizer, "ero"), ["er", "o", "</w>"]);
    assert_eq!(encode(&tokenizer, " \u{3000}\n"), Vec::<String>::new());
}

#[test]
fn an_unknown_character_is_unk() {
    let tokenizer = low();
    assert_eq!(encode(&tokenizer, "löw"), ["l", "<unk>", "w", "</w>"]);
    let ids = tokenizer.encode(b"lo\xFFw\xC3", &TEXT, on(1)).unwrap();
    assert_eq!(spell(&tokenizer, &ids), ["lo", "<unk>", "w", "<unk>", "</w>"]);
}

#[test]
fn without_unk_it_is_an_error_with_its_place() {
    let mut model = classic("lower", &[("l", "o")], false);
    model.normalizer = Normalizer::Nfc;
    let tokenizer = ready(model, 1 << 20);
    let refused = |text: &[u8]| tokenizer.encode(text, &Allowed::All, on(1)).unwrap_err();
    assert_eq!(
        refused("<|end|>low e\u{301}r".as_bytes()),
        Error::Text {
            message: "the model has no token for the character \"é\", and no unk token".into(),
            position: 11
        }
    );
    assert_eq!(
        refused(b"lower low lo\xFF").to_string(),
        "the model has no token for byte 0xFF, and no unk token (byte 12)"
    );
    assert!(tokenizer.count("x".as_bytes(), &TEXT, None, on(1)).is_err());
    assert!(tokenizer.encode_offsets("x".as_bytes(), &TEXT, None).is_err());
}

#[test]
fn decoding_turns_marks_into_spaces() {
    let tokenizer = low();
    let decode = |text: &str, allowed: Allowed| {
        let ids = tokenizer.encode(text.as_bytes(), &allowed, on(1)).unwrap();
        String::from_utf8(tokenizer.decode(&ids).unwrap()).unwrap()
    };
    assert_eq!(decode("low  lower\n", TEXT), "low lower");
    assert_eq!(decode("low <|end|> low", Allowed::All), "low <|end|>low");
    assert_eq!(decode("löw o", TEXT), "l<unk>w o");
    assert_eq!(decode("", TEXT), "");
    let error = tokenizer.decode(&[0, 9999]).unwrap_err().to_string();
    assert_eq!(error, "no token has id 9999 (position 1)");
}

#[test]
fn places_leave_out_white_space_and_the_mark_has_no_width() {
    let tokenizer = low();
    let located = tokenizer.encode_offsets(" löw  lower<|end|>o".as_bytes(), &Allowed::All, None);
    let Located { ids, places, pieces } = located.unwrap();
    assert_eq!(pieces, [0, 0, 0, 0, 1, 1, 2, 3, 3]);
    let tokens = spell(&tokenizer, &ids);
    assert_eq!(tokens, ["l", "<unk>", "w", "</w>", "low", "er</w>", "<|end|>", "o", "</w>"]);
    let expected =
        [(1, 2), (2, 4), (4, 5), (5, 5), (7, 10), (10, 12), (12, 19), (19, 20), (20, 20)];
    assert_eq!(places, expected);
}

#[test]
fn places_do_not_cut_a_piece_again() {
    // Alone, the first piece would be cut at its white space.
    let mut model = classic("ab _", &[], true);
    model.pattern = Pattern::Regex(r"a +(?=b)|a| +|b|_".into());
    let tokenizer = ready(model.checked().unwrap(), 1 << 20);
    let located = tokenizer.encode_offsets(b"a  b", &TEXT, None).unwrap();
    assert_eq!(located.ids, tokenizer.encode(b"a  b", &TEXT, on(1)).unwrap());
    assert_eq!(spell(&tokenizer, &located.ids), ["a", " ", " ", "</w>", "b", "</w>"]);
    assert_eq!(located.places, [(0, 1), (1, 2), (2, 3), (3, 3), (3, 4), (4, 4)]);
    // What is spelled like the mark is unknown, and one character wide.
    let mut model = classic("ab_", &[], true);
    model.start.end_of_word.as_mut().unwrap().mark = "_".into();
    let tokenizer = ready(model.checked().unwrap(), 1 << 20);
    let located = tokenizer.encode_offsets(b"a_b", &TEXT, None).unwrap();
    assert_eq!(spell(&tokenizer, &located.ids), ["a", "<unk>", "b", "_"]);
    assert_eq!(located.places, [(0, 1), (1, 2), (2, 3), (3, 3)]);
}

#[test]
fn a_joined_mark_is_part_of_the_last_character() {
    let mut model = classic("lower", &[("l", "o"), ("lo", "w</w>"), ("e", "r</w>")], true);
    model.start.end_of_word.as_mut().unwrap().joined = true;
    let tokenizer = ready(model.checked().unwrap(), 1 << 20);
    assert_eq!(encode(&tokenizer, "low lower lo"), ["low</w>", "lo", "w", "er</w>", "l", "<unk>"]);
    let ids = tokenizer.encode(b"low lower", &TEXT, on(1)).unwrap();
    assert_eq!(tokenizer.decode(&ids).unwrap(), b"low lower");
}

#[test]
fn characters_without_a_mark_keep_their_white_space() {
    let mut model = classic("lower \n中文", &[(" ", "l"), (" l", "o"), ("中", "文")], true);
    model.start.end_of_word = None;
    model.pattern = Pattern::Named(Named::Gpt2);
    let tokenizer = ready(model.checked().unwrap(), 1 << 20);
    let text = "lower  lo\n中文";
    assert_eq!(encode(&tokenizer, text), ["l", "o", "w", "e", "r", " ", " lo", "\n", "中文"]);
    let ids = tokenizer.encode(text.as_bytes(), &TEXT, on(1)).unwrap();
    assert_eq!(tokenizer.decode(&ids).unwrap(), text.as_bytes());
    let located = tokenizer.encode_offsets(text.as_bytes(), &TEXT, None).unwrap();
    assert_eq!(located.places.last(), Some(&(10, 16)));
}

/// The definition, word for word.
fn naive(model: &Model, merges: &[(&str, &str)], text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for word in text.split_whitespace() {
        let known = |c: char| model.vocab.id_of(c.to_string().as_bytes()).is_some();
        let token = |c: char| if known(c) { c.to_string() } else { "<unk>".to_owned() };
        let mut tokens: Vec<String> = word.chars().map(token).collect();
        tokens.push("</w>".to_owned());
        for (left, right) in merges {
            let mut at = 0;
            while at + 1 < tokens.len() {
                if tokens[at] == *left && tokens[at + 1] == *right {
                    tokens.splice(at..at + 2, [format!("{left}{right}")]);
                }
                at += 1;
            }
        }
        all.append(&mut tokens);
    }
    all
}

#[test]
fn caches_threads_and_cuts_change_nothing() {
    let mut state = 5u64;
    let mut random = |n: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % n
    };
    for _ in 0..60 {
        let mut tokens: Vec<String> =
            ["a", "b", "é", "中", "文", "</w>"].map(String::from).to_vec();
        let mut merges: Vec<(String, String)> = Vec::new();
        for _ in 0..random(14) {
            let pair = (tokens[random(tokens.len())].clone(), tokens[random(tokens.len())].clone());
            let joined = format!("{}{}", pair.0, pair.1);
            if !pair.0.ends_with('>') && !tokens.contains(&joined) {
                tokens.push(joined);
                merges.push(pair);
            }
        }
        let merges: Vec<(&str, &str)> = merges.iter().map(|(a, b)| (&**a, &**b)).collect();
        let model = classic("abé中文", &merges, true);
        let characters = ["a", "b", "é", "中", "文", " ", "z", "\n", "字"];
        let text: String = (0..600)
            .map(|_| {
                let kinds = if random(40) == 0 { characters.len() } else { 5 };
                characters[random(kinds)]
            })
            .collect();
        let expected = naive(&model, &merges, &text);
        for cache_bytes in [0, 3000, 1 << 20] {
            let tokenizer = ready(model.clone(), cache_bytes);
            for _ in 0..2 {
                assert_eq!(encode(&tokenizer, &text), expected, "{merges:?} {text:?}");
            }
            let located = tokenizer.encode_offsets(text.as_bytes(), &TEXT, None).unwrap();
            assert_eq!(spell(&tokenizer, &located.ids), expected);
            for (token, (start, end)) in expected.iter().zip(located.places) {
                let spelled = token.trim_end_matches("</w>");
                assert!(spelled == &text[start..end] || token == "<unk>", "{token}");
            }
            let count = tokenizer.count(text.as_bytes(), &TEXT, None, on(1)).unwrap();
            assert_eq!(count, Some(expected.len()));
        }
    }
}

#[test]
fn a_large_text_is_shared_and_streamed() {
    let tokenizer = low();
    let text = "lower löw\n low ".repeat(60_000);
    let ids = tokenizer.encode(text.as_bytes(), &TEXT, on(1)).unwrap();
    assert!(tokenizer.encode(text.as_bytes(), &TEXT, on(3)).unwrap() == ids);
    let batch = [text.as_bytes(), b"low", b""];
    let ragged = tokenizer.encode_batch(&batch, &TEXT, on(2)).unwrap();
    assert_eq!(ragged.bounds[1] as usize, ids.len());
    assert_eq!(ragged.bounds[3] as usize, ids.len() + 2);
    let limited = tokenizer.count(text.as_bytes(), &TEXT, Some(10), on(1)).unwrap();
    assert_eq!(limited, None);
    let short = &text[..60];
    let whole = tokenizer.encode(short.as_bytes(), &TEXT, on(1)).unwrap();
    for seen in 0..short.len() {
        let settled = tokenizer.settled(&short.as_bytes()[..seen], &TEXT).unwrap();
        let mut parts = tokenizer.encode(&short.as_bytes()[..settled], &TEXT, on(1)).unwrap();
        parts.extend(tokenizer.encode(&short.as_bytes()[settled..], &TEXT, on(1)).unwrap());
        assert_eq!(parts, whole, "{seen} {settled}");
    }
}

#[test]
fn a_merge_of_the_unk_token_joins_unknown_characters_in_words_of_any_length() {
    let tokens = [(0, &b"a"[..]), (1, b"<unk>"), (2, b"<unk><unk>")];
    let merges = Merges::Listed(vec![(1, 1)]);
    let pattern = Pattern::Named(Named::None);
    let mut model = Model::new(Vocab::new(tokens).unwrap(), merges, pattern, Vec::new());
    model.start = Start { units: Units::Characters, end_of_word: None, unk: Some(1) };
    let tokenizer = ready(model.checked().unwrap(), 0);
    for pairs in 1..40 {
        let word = format!("a{}", "\u{e9}x".repeat(pairs));
        let ids = tokenizer.encode(word.as_bytes(), &TEXT, on(1)).unwrap();
        assert_eq!(ids, [&[0][..], &vec![2; pairs]].concat(), "{word}");
    }
}

//! The fused front, both encoders, batches and threads, against the stages one by one.

use std::num::NonZeroUsize;
use std::sync::Arc;

use super::*;
use crate::model::{Bert, SpecialToken, Unknown, WordLimit};
use crate::pretok::Splitter;
use crate::simd::Level;
use crate::special::Allowed;
use crate::testing::Random;
use crate::tokenizer::Tokenizer;
use crate::vocab::Vocab;

const ODD: [&str; 44] = [
    "a",
    "b",
    "Z",
    "ab",
    "abc",
    "B",
    "7",
    " ",
    "  ",
    "\t",
    "\n",
    "\r",
    "\0",
    "\x0B",
    "\x7F",
    "!",
    "#",
    "##",
    "'",
    "[UNK]",
    "é",
    "É",
    "İ",
    "Σ",
    "ß",
    "Ж",
    "ж",
    "中",
    "\u{F900}",
    "\u{2B820}",
    "한",
    "\u{301}",
    "\u{302E}",
    "\u{1D165}",
    "\u{93C}",
    "\u{A0}",
    "\u{3000}",
    "\u{200D}",
    "\u{FFFD}",
    "“",
    "\u{2E52}",
    "\u{1F600}",
    "\u{E000}",
    "\u{378}",
];

/// A text that is mostly ASCII or mostly not, with some bytes that are not UTF-8.
fn random_text(random: &mut Random) -> Vec<u8> {
    let (len, plain) = (random.below(60), random.below(4));
    let mut text = Vec::new();
    for _ in 0..len {
        match random.below(12) {
            0 if plain == 3 => text.push(0x80 + random.below(128) as u8),
            n if n < 3 * plain => text.push(b"abz Z.,0"[random.below(8)]),
            _ => text.extend_from_slice(ODD[random.below(ODD.len())].as_bytes()),
        }
    }
    text
}

fn model(bert: Bert) -> Model {
    let tokens = [
        "[UNK]",
        "a",
        "##a",
        "b",
        "##b",
        "ab",
        "##ab",
        "abz",
        "z",
        "##z",
        "Z",
        "##Z",
        "7",
        "!",
        "#",
        "'",
        "e",
        "##e",
        "é",
        "##é",
        "i",
        "##i",
        "ж",
        "##ж",
        "ᄒ",
        "##ᅡ",
        "##ᆫ",
        "한",
        "中",
        "豈",
        "“",
        "##\u{302E}",
        "\u{1D165}",
        "##\u{1D165}",
        ".",
        ",",
        "0",
        "##0",
    ];
    let vocab = Vocab::new((0..).zip(tokens.iter().map(|token| token.as_bytes()))).unwrap();
    let mut model = Model::word_piece(vocab, 0, WordPiece::default());
    model.normalizer = Normalizer::Bert(bert);
    model.pattern = Pattern::Named(Named::Bert);
    model.special_tokens = vec![SpecialToken::new("[UNK]", 0)];
    model.checked().unwrap()
}

/// The definition: normalise all, split all, then each word.
fn plain(model: &Model, text: &[u8]) -> Vec<TokenId> {
    let normal = model.normalizer.apply(text);
    let splitter = Splitter::at_level(&model.pattern, Level::SCALAR).unwrap();
    let (mut ids, mut start) = (Vec::new(), 0);
    let words = WordEncoder::new(model, model.as_word_piece().unwrap());
    splitter
        .for_each_batch(&normal, &mut Vec::new(), |ends| {
            for &end in ends {
                if !is_white(&normal[start..end]) {
                    words.encode(&normal[start..end], &mut ids);
                }
                start = end;
            }
            Ok(())
        })
        .unwrap();
    ids
}

fn options() -> impl Iterator<Item = Bert> {
    (0..16).map(|choice| {
        let on = |bit: u32| choice >> bit & 1 == 1;
        let (clean, cjk, strip_accents, lowercase) = (!on(0), on(1), on(2), on(3));
        Bert { clean, cjk, strip_accents, lowercase }
    })
}

#[test]
fn one_pass_gives_the_ids_of_the_stages() {
    let one = NonZeroUsize::new(1);
    let mut random = Random::new(3);
    for bert in options() {
        let model = Arc::new(model(bert));
        let linear = Tokenizer::linear(model.clone()).unwrap();
        let mut levels = Vec::new();
        for level in Level::available() {
            let mut tokenizer = Tokenizer::new(model.clone(), 1 << 16).unwrap();
            tokenizer.plan.level = level;
            levels.push(tokenizer);
        }
        let texts: Vec<Vec<u8>> = (0..60).map(|_| random_text(&mut random)).collect();
        let texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
        let expected: Vec<Vec<TokenId>> = texts.iter().map(|text| plain(&model, text)).collect();
        for tokenizer in levels.iter().chain([&linear]) {
            let ragged = tokenizer.encode_batch(&texts, &Allowed::Text, one).unwrap();
            let counts = tokenizer.count_batch(&texts, &Allowed::Text, one).unwrap();
            for (i, text) in texts.iter().enumerate() {
                let place = ragged.bounds[i] as usize..ragged.bounds[i + 1] as usize;
                let shown = String::from_utf8_lossy(text);
                assert_eq!(ragged.ids[place], expected[i], "{shown:?} {bert:?}");
                assert_eq!(counts[i], expected[i].len());
                let located = tokenizer.encode_offsets(text, &Allowed::Text, None).unwrap();
                assert_eq!(located.ids, expected[i], "{shown:?} {bert:?}");
                let inside = |two: &(usize, usize)| two.0 <= two.1 && two.1 <= text.len();
                assert!(located.places.iter().all(inside), "{shown:?} {:?}", located.places);
            }
        }
    }
}

#[test]
fn words_may_end_anywhere_in_a_block() {
    let model = Arc::new(model(Bert::UNCASED));
    let tokenizer = Tokenizer::new(model.clone(), 1 << 20).unwrap();
    for (word, len) in ["A", "!", "\u{301}", "é", "中", " ", "\0", "\u{302E}"]
        .into_iter()
        .flat_map(|word| (55..75).map(move |len| (word, len)))
    {
        for after in ["", "a", " a", "!", "\u{1D165}b"] {
            let text = format!("{}{word}{after}", "aB ".repeat(30)[..len].to_owned());
            let found = tokenizer.encode(text.as_bytes(), &Allowed::Text, None).unwrap();
            assert_eq!(found, plain(&model, text.as_bytes()), "{text:?}");
        }
    }
}

#[test]
fn words_may_be_longer_than_what_is_kept_of_them() {
    for limit in [WordLimit::Characters(100), WordLimit::Bytes(70), WordLimit::None] {
        let mut model = model(Bert::UNCASED);
        let word_piece = WordPiece { limit, ..WordPiece::default() };
        model.encoder = crate::model::Encoder::WordPiece(word_piece);
        let model = Arc::new(model.checked().unwrap());
        for (letter, after) in ["a", "é", "ж", "한"].into_iter().flat_map(|letter| {
            ["", "!", " ab", "中", "\u{302E}b", "\u{1D165}"].map(|after| (letter, after))
        }) {
            // A tokenizer of its own: what is kept depends on the room that there was.
            let tokenizer = Tokenizer::new(model.clone(), 0).unwrap();
            for len in [99, 100, 101, 135, 400, 405, 3000] {
                let text = format!("b {}{after}", letter.repeat(len));
                let found = tokenizer.encode(text.as_bytes(), &Allowed::Text, None).unwrap();
                assert_eq!(found, plain(&model, text.as_bytes()), "{letter} {len} {after:?}");
            }
        }
    }
}

#[test]
fn long_texts_are_shared_between_threads_and_cut_anywhere() {
    let model = Arc::new(model(Bert::UNCASED));
    let tokenizer = Tokenizer::new(model.clone(), 1 << 16).unwrap();
    let mut random = Random::new(8);
    let mut text = Vec::new();
    while text.len() < 700_000 {
        text.extend_from_slice(&random_text(&mut random));
    }
    let expected = plain(&model, &text);
    for threads in [1, 3] {
        let found = tokenizer.encode(&text, &Allowed::Text, NonZeroUsize::new(threads)).unwrap();
        assert!(found == expected, "{threads}");
    }
    for len in (0..2000).step_by(7) {
        let part = &text[..len];
        let settled = tokenizer.settled(part, &Allowed::Text).unwrap();
        let mut ids = plain(&model, &text[..settled]);
        ids.extend(plain(&model, &text[settled..3000]));
        assert_eq!(ids, plain(&model, &text[..3000]), "{settled}");
    }
}

#[test]
fn without_words_a_text_is_matched_as_it_stands() {
    let mut model = model(Bert::UNCASED);
    model.normalizer = Normalizer::None;
    model.pattern = Pattern::Named(Named::None);
    let word_piece = WordPiece {
        prefix: String::new(),
        limit: WordLimit::None,
        unknown: Unknown::Character,
        cleanup: false,
    };
    model.encoder = crate::model::Encoder::WordPiece(word_piece);
    let model = Arc::new(model.checked().unwrap());
    let fast = Tokenizer::new(model.clone(), 0).unwrap();
    let linear = Tokenizer::linear(model).unwrap();
    for tokenizer in [fast, linear] {
        let found = tokenizer.encode_offsets(b"abz ab7?", &Allowed::Text, None).unwrap();
        assert_eq!(found.ids, [7, 0, 5, 12, 0]);
        assert_eq!(found.places, [(0, 3), (3, 4), (4, 6), (6, 7), (7, 8)]);
        assert_eq!(tokenizer.encode(b" ab", &Allowed::Text, None).unwrap(), [0, 5]);
    }
}

#[test]
fn places_point_into_the_original_text() {
    let model = Arc::new(model(Bert::UNCASED));
    let tokenizer = Tokenizer::new(model, 0).unwrap();
    let located =
        tokenizer.encode_offsets("A\0b 中E\u{301}".as_bytes(), &Allowed::Text, None).unwrap();
    assert_eq!(located.ids, [5, 28, 16]);
    assert_eq!(located.places, [(0, 3), (4, 7), (7, 8)]);
    let located = tokenizer.encode_offsets("한?".as_bytes(), &Allowed::Text, None).unwrap();
    assert_eq!(
        (&located.ids[..], &located.places[..]),
        (&[24, 25, 26, 0][..], &[(0, 3), (0, 3), (0, 3), (3, 4)][..])
    );
}

#[test]
fn decoding_joins_words_and_cleans_up_if_asked() {
    let tokens = ["[UNK]", "do", "##n", "'", "t", "not", ",", "n", "##'t", "s", "go", "."];
    let vocab = Vocab::new((0..).zip(tokens.iter().map(|token| token.as_bytes()))).unwrap();
    let decoded = |cleanup, ids: &[TokenId]| {
        let word_piece = WordPiece { cleanup, ..WordPiece::default() };
        let model = Model::word_piece(vocab.clone(), 0, word_piece).checked().unwrap();
        let tokenizer = Tokenizer::new(Arc::new(model), 0).unwrap();
        String::from_utf8(tokenizer.decode(ids).unwrap()).unwrap()
    };
    assert_eq!(decoded(false, &[10, 6, 1, 2, 11]), "go , don .");
    assert_eq!(decoded(true, &[10, 6, 1, 2, 11]), "go, don.");
    assert_eq!(decoded(true, &[2, 0, 3, 9]), "##n [UNK] ' s");
    let model = Model::word_piece(vocab, 0, WordPiece::default()).checked().unwrap();
    let tokenizer = Tokenizer::new(Arc::new(model), 0).unwrap();
    assert!(tokenizer.decode(&[1, 99]).unwrap_err().to_string().contains("99"));
}

#[test]
fn only_word_pieces_have_a_linear_encoder() {
    let merges = crate::model::Merges::Listed(Vec::new());
    let model = Model::new(Vocab::bytes(), merges, Pattern::Named(Named::Gpt2), Vec::new());
    let error = Tokenizer::linear(Arc::new(model)).unwrap_err();
    assert_eq!(error.to_string(), "only WordPiece models have a linear encoder");
}

/*!
Small models with scores, from random choices: the files that hold them, which are then loaded.

A `tokenizer.json` with a Unigram model, in the chains that such models have; and a `tokenizer.model` of sentencepiece
with BPE. Scores are often equal, and pieces may be spelled alike, be unused or user-defined, or have a character
that is no piece.
*/

use std::path::Path;

use subword_core::formats::{self, LoadOptions};
use subword_core::{Merges, Model, Pattern, SpecialToken, Vocab, pretok::Named};

use crate::input::Input;
use crate::models::special_tokens;

/// What stands for a space.
const MARK: &str = "▁";

/// The scores of Unigram, as a file writes them.
const SCORES: [&str; 8] = ["0", "-0.5", "-1", "-1.5", "-2.25", "-2.5", "-10.125", "3e-9"];

/// The normalisers, and those after them. All of them in a row are a chain of a published model, too.
const FORMS: [&str; 5] =
    ["", "", r#"{"type":"NFKC"}"#, r#"{"type":"NFC"}"#, r#"{"type":"Lowercase"}"#];
const STRIPS: [&str; 3] = [
    "",
    r#"{"type":"Strip","strip_left":false,"strip_right":true}"#,
    r#"{"type":"Strip","strip_left":true,"strip_right":true}"#,
];
const REPLACES: [&str; 4] = [
    "",
    r#"{"type":"Replace","pattern":{"Regex":" {2,}"},"content":" "}"#,
    r#"{"type":"Replace","pattern":{"Regex":" {2,}"},"content":"▁"}"#,
    r#"{"type":"Replace","pattern":{"String":" "},"content":"▁"}"#,
];

/// A Unigram model, if the choices make one.
pub(crate) fn unigram(input: &mut Input) -> Option<Model> {
    let mut entries = vec![("<unk>".to_owned(), "0")];
    for _ in 0..input.below(40) {
        let mark = if input.flag() { MARK } else { "" };
        entries.push((format!("{mark}{}", input.string(4)), input.pick(&SCORES)));
    }
    let (byte_fallback, whole) = (input.one_in(4), !input.one_in(8));
    let some = if whole { 0..=255u8 } else { 0..=0xC3 };
    let bytes = some.filter(|_| byte_fallback).map(|byte| (format!("<0x{byte:02X}>"), "-1"));
    entries.extend(bytes);
    let unk = if input.one_in(8) { "null" } else { "0" };
    let list = |parts: &[&str]| -> String {
        parts.iter().copied().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(",")
    };
    let steps = [input.pick(&FORMS), input.pick(&STRIPS), input.pick(&REPLACES)];
    let scheme = input.pick(&["always", "always", "first", "never"]);
    let metaspace = format!(
        r#"{{"type":"Metaspace","replacement":"▁","prepend_scheme":"{scheme}","split":{}}}"#,
        !input.one_in(4)
    );
    let split = if input.flag() { r#"{"type":"WhitespaceSplit"}"# } else { "" };
    let cuts = if input.one_in(8) { String::new() } else { list(&[split, &metaspace]) };
    let vocab: Vec<String> =
        entries.iter().map(|(token, score)| format!("[{},{score}]", json(token))).collect();
    let added = added_tokens(input, entries.iter().map(|(token, _)| token.as_str()));
    let file = format!(
        r#"{{"added_tokens":[{added}],
"normalizer":{{"type":"Sequence","normalizers":[{}]}},
"pre_tokenizer":{{"type":"Sequence","pretokenizers":[{cuts}]}},
"decoder":{metaspace},
"model":{{"type":"Unigram","unk_id":{unk},"vocab":[{}],"byte_fallback":{byte_fallback}}}}}"#,
        list(&steps),
        vocab.join(",")
    );
    loaded(file.as_bytes())
}

/// The added tokens of a model with these entries, as the file writes them.
fn added_tokens<'e>(input: &mut Input, entries: impl Iterator<Item = &'e str>) -> String {
    let mut vocab = Vocab::default();
    for (entry, id) in entries.zip(0..) {
        // The first of those that are spelled alike is as good as the last.
        let _ = vocab.insert(id, entry.as_bytes());
    }
    let none = Merges::Listed(Vec::new());
    let mut model = Model::new(vocab, none, Pattern::Named(Named::None), Vec::new());
    special_tokens(input, &mut model);
    let written = model.special_tokens.iter().map(|token: &SpecialToken| {
        format!(
            r#"{{"id":{},"content":{},"single_word":{},"lstrip":{},"rstrip":{},"normalized":{},"special":{}}}"#,
            token.id,
            json(&token.content),
            token.single_word,
            token.lstrip,
            token.rstrip,
            token.normalized,
            !token.always
        )
    });
    written.collect::<Vec<_>>().join(",")
}

/// A string of JSON.
fn json(text: &str) -> String {
    let spelled = text.chars().map(|c| match c {
        '"' | '\\' => format!("\\{c}"),
        '\0'..='\x1F' => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    });
    format!("\"{}\"", spelled.collect::<String>())
}

/// A model of sentencepiece, if the choices make one.
pub(crate) fn pieces(input: &mut Input) -> Option<Model> {
    loaded(&piece_file(input))
}

/// The kinds of pieces, as the file writes them: most are normal, some control, user-defined or unused.
const KINDS: [u8; 8] = [1, 1, 1, 1, 1, 3, 4, 5];

fn piece_file(input: &mut Input) -> Vec<u8> {
    let (byte_fallback, equal) = (input.one_in(4), input.one_in(4));
    let unk = input.pick(&["<unk>", "<unk>", "<unk>", "x"]);
    let mut file = piece(unk, 0.0, 2);
    let mut seen = vec![unk.to_owned()];
    let mut add = |text: String, score: f32, kind: u8| {
        if !seen.contains(&text) {
            file.extend(piece(&text, score, kind));
            seen.push(text);
        }
    };
    let words: Vec<(String, u8)> = (0..input.below(32))
        .map(|_| {
            let mark = if input.flag() { MARK } else { "" };
            let kind = if input.one_in(4) { input.pick(&KINDS) } else { 1 };
            (format!("{mark}{}", input.string(5)), kind)
        })
        .collect();
    let characters: String = words.iter().map(|(text, _)| text.as_str()).chain([MARK]).collect();
    for (rank, (text, kind)) in words.into_iter().enumerate() {
        add(text, if equal { -(f32::from(input.byte()) % 4.0) } else { -(rank as f32) }, kind);
    }
    let but_one = if input.one_in(4) { input.below(8) } else { usize::MAX };
    for (at, c) in characters.chars().enumerate().filter(|&(at, _)| at != but_one) {
        add(c.to_string(), -1000.0 - at as f32, 1);
    }
    for byte in (0..=255u8).filter(|_| byte_fallback) {
        add(format!("<0x{byte:02X}>"), 0.0, 6);
    }
    // The type, suffix mode, bytes; then whether a space comes first, spaces are dropped, and are marks.
    let flag = |number: u8, value: bool| [varint(usize::from(number) << 3), vec![value.into()]];
    let trainer =
        [vec![3 << 3, 2], flag(24, input.one_in(8)).concat(), flag(35, byte_fallback).concat()];
    let normalizer = [
        flag(3, !input.one_in(3)).concat(),
        flag(4, input.one_in(3)).concat(),
        flag(5, !input.one_in(8)).concat(),
    ];
    [file, field(2, &trainer.concat()), field(3, &normalizer.concat())].concat()
}

fn piece(text: &str, score: f32, kind: u8) -> Vec<u8> {
    let score = [&[2 << 3 | 5], &score.to_le_bytes()[..]].concat();
    field(1, &[field(1, text.as_bytes()), score, vec![3 << 3, kind]].concat())
}

/// A field of bytes.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    [vec![number << 3 | 2], varint(bytes.len()), bytes.to_vec()].concat()
}

fn varint(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7F {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

fn loaded(file: &[u8]) -> Option<Model> {
    formats::load_bytes(file, Path::new("tokenizer"), &LoadOptions::default()).ok()
}

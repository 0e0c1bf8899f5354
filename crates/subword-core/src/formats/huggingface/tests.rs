//! Files of many ages, and every refusal of the fast paths word for word.

use super::*;
use crate::formats::tests::with_pattern;
use crate::model::{
    Content, Merges, Named, Normalizer, Pattern, RowDefaults, Side, Start, Template, TemplateSlot,
    TrimOffsets, Truncation, TruncationStrategy, Units,
};
use crate::vocab::Vocab;

mod refused;

const BYTE_LEVEL: &str =
    r#"{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true}"#;
const NO_REGEX: &str = r#"{"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}"#;

/// The bytes and `th`, the merge of which is written as in old files.
fn model_json(more: &str) -> String {
    let bytes = Vocab::bytes();
    let entries = bytes.iter().map(|(id, byte)| {
        let token = serde_json::to_string(&crate::formats::alphabet::written(byte)).unwrap();
        format!("{token}: {id}, ")
    });
    let vocab: String = entries.collect();
    format!("{{{more}\"vocab\": {{{vocab}\"th\": 256}}, \"merges\": [\"t h\"]}}")
}

/// A file: line 2 is `more`, line 3 the pre-tokenizer, line 4 the model.
fn file(more: &str, pre_tokenizer: &str, model: &str) -> String {
    format!(
        "{{\"version\": \"1.0\",\n{more}\n\"pre_tokenizer\": {pre_tokenizer},\n\"model\": {model}}}"
    )
}

fn loaded(text: &str) -> Model {
    let mut json = Json::new(text.as_bytes()).unwrap();
    read(json.fields().unwrap(), &LoadOptions::default(), &mut Vec::new()).unwrap()
}

/// Why no fast path runs a file. Most of them are run by the plain chain.
fn refused(text: &str) -> String {
    refusal_of_fast_paths(text)
}

fn with(more: &str) -> String {
    file(more, BYTE_LEVEL, &model_json(""))
}

fn pre(pre_tokenizer: &str) -> String {
    file("", pre_tokenizer, &model_json(""))
}

fn split(pattern: &str, behavior: &str, invert: bool) -> String {
    let pattern = serde_json::to_string(pattern).unwrap();
    let split = format!(
        "{{\"type\": \"Split\", \"pattern\": {{\"Regex\": {pattern}}}, \"behavior\": \"{behavior}\", \
         \"invert\": {invert}}}"
    );
    format!("{{\"type\": \"Sequence\", \"pretokenizers\": [{split}, {NO_REGEX}]}}")
}

fn added(content: &str, id: u32, more: &str) -> String {
    format!(
        "\"added_tokens\": [{{\"id\": {id}, \"content\": \"{content}\", \"single_word\": false, \
         \"lstrip\": true, \"rstrip\": false, \"normalized\": false, \"special\": false{more}}}],"
    )
}

#[test]
fn the_smallest_file_is_gpt2s() {
    let model = loaded(&pre(BYTE_LEVEL));
    let mut vocab = Vocab::bytes();
    vocab.insert(256, b"th").unwrap();
    let merges = Merges::Listed(vec![(116, 104)]);
    let expected = Model::new(vocab, merges, Pattern::Named(Named::Gpt2), vec![]);
    assert_eq!(model, Model { decoder: Decoder::Spaced, ..expected });
}

#[test]
fn settings_that_change_nothing_are_passed_over() {
    let settings = r#""type": "BPE", "dropout": 0.0, "unk_token": "<unk>", "fuse_unk": true,
        "continuing_subword_prefix": "", "end_of_word_suffix": null, "byte_fallback": false, "#;
    let same = loaded(&file("", BYTE_LEVEL, &model_json(settings)));
    assert_eq!(same, loaded(&pre(BYTE_LEVEL)));
    let merges = pre(BYTE_LEVEL).replace("[\"t h\"]", "[[\"t\", \"h\"]]");
    assert_eq!(loaded(&merges), loaded(&pre(BYTE_LEVEL)));
    assert!(loaded(&file("", BYTE_LEVEL, &model_json("\"ignore_merges\": true, "))).ignore_merges);
}

#[test]
fn pre_tokenizers_become_patterns() {
    let pattern = |text: &str| loaded(&pre(text)).pattern;
    assert_eq!(pattern(NO_REGEX), Pattern::Named(Named::None));
    for named in [Named::Gpt2, Named::O200k, Named::Llama3, Named::Qwen2] {
        for (behavior, invert) in [("Isolated", false), ("Isolated", true), ("Removed", true)] {
            let text = split(named.regexes()[0], behavior, invert);
            assert_eq!(pattern(&text), Pattern::Named(named));
        }
    }
    let text = split(Named::CL100K_ONIGURUMA, "Isolated", false);
    assert_eq!(pattern(&text), Pattern::Named(Named::Cl100k));
    assert_eq!(pattern(&split("x+", "Isolated", false)), Pattern::Regex("x+".into()));
    let digits = |one| {
        format!(
            "{{\"type\": \"Sequence\", \"pretokenizers\": [{{\"type\": \"Sequence\", \"pretokenizers\": [{{\"type\": \"Digits\", \"individual_digits\": {one}}}]}}, {BYTE_LEVEL}]}}"
        )
    };
    let command_r = |digits: &str| {
        Pattern::Sequence(vec![Pattern::Regex(digits.into()), Pattern::Named(Named::Gpt2)])
    };
    let digit = r"[\p{N}\x{11DE0}-\x{11DE9}\x{16FF4}-\x{16FF6}]";
    assert_eq!(pattern(&digits(true)), command_r(digit));
    assert_eq!(pattern(&digits(false)), command_r(&format!("{digit}+")));
    let text = split("x", "Isolated", false).replace("\"Regex\": \"x\"", "\"String\": \"a.b\"");
    assert_eq!(pattern(&text), Pattern::Regex(r"a\.b".into()));
}

#[test]
fn added_tokens_keep_their_flags() {
    let model = loaded(&with(&added("<中 >", 257, "")));
    let expected = SpecialToken { always: true, lstrip: true, ..SpecialToken::new("<中 >", 257) };
    assert_eq!(model.special_tokens, [expected]);
    let model = loaded(&with(&added("th", 256, "")));
    assert_eq!((model.special_tokens[0].id, model.vocab.id_of(b"th")), (256, Some(256)));
}

#[test]
fn post_processors_become_templates() {
    let template = |text: &str| loaded(&with(&format!("\"post_processor\": {text},"))).template;
    let roberta = r#"{"type": "RobertaProcessing", "sep": ["b", 98], "cls": ["a", 97],
        "trim_offsets": true, "add_prefix_space": true}"#;
    assert_eq!(template(roberta), Template::roberta(97, 98));
    let bert = r#"{"type": "BertProcessing", "sep": ["b", 98], "cls": ["a", 97]}"#;
    assert_eq!(template(bert), Template::bert(97, 98));
    let llama = r#"{"type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "x", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [], "special_tokens": {"x": {"id": "x", "ids": [99, 100], "tokens": ["c", "d"]}}}"#;
    assert_eq!(template(llama), Template::around(&[99, 100], &[]));
    let both = format!("{{\"type\": \"Sequence\", \"processors\": [{BYTE_LEVEL}, {llama}]}}");
    assert_eq!(template(&both), Template::around(&[99, 100], &[]));
    let a = r#"{"Sequence": {"id": "A", "type_id": 3}}"#;
    let typed =
        r#"{"Sequence": {"id": "B", "type_id": 4}}, {"SpecialToken": {"id": "x", "type_id": 5}}"#;
    let typed = format!(
        r#"{{"type": "TemplateProcessing", "single": [{a}], "pair": [{typed}, {a}],
            "special_tokens": {{"x": {{"id": "x", "ids": [99], "tokens": ["c"]}}}}}}"#
    );
    let slot = |content, type_id| TemplateSlot { content, type_id };
    let single = vec![slot(Content::First, 3)];
    let pair = vec![slot(Content::Second, 4), slot(Content::Token(99), 5), single[0]];
    assert_eq!(template(&typed), Template { single, pair });
    assert_eq!(template(BYTE_LEVEL), Template::default());
    let trim = |text: &str| loaded(&with(&format!("\"post_processor\": {text},"))).trim_offsets;
    assert_eq!((trim(BYTE_LEVEL), trim(bert)), (TrimOffsets::Spaces, TrimOffsets::Nothing));
    assert_eq!((trim(&both), trim(roberta)), (TrimOffsets::Spaces, TrimOffsets::SpacesButFirst));
    let kept = roberta.replace("\"trim_offsets\": true", "\"trim_offsets\": false");
    assert_eq!(trim(&kept), TrimOffsets::Nothing);
}

#[test]
fn normalizers_and_decoders_are_read() {
    let normalizer = |text: &str| loaded(&with(&format!("\"normalizer\": {text},"))).normalizer;
    assert_eq!(normalizer("null"), Normalizer::None);
    assert_eq!(normalizer(r#"{"type": "NFC"}"#), Normalizer::Nfc);
    assert_eq!(normalizer(r#"{"type": "Sequence", "normalizers": []}"#), Normalizer::None);
    let sequence = r#"{"type": "Sequence", "normalizers": [{"type": "NFKD"}]}"#;
    assert_eq!(normalizer(sequence), Normalizer::Nfkd);
    let decoder = r#""decoder": {"type": "Sequence", "decoders": [{"type": "ByteLevel"}, {"type": "Fuse"}]},"#;
    assert_eq!(loaded(&with(decoder)).decoder, Decoder::Text);
    assert_eq!(loaded(&with("")).decoder, Decoder::Spaced);
}

#[test]
fn saved_rows_are_read_whole_or_refused() {
    let saved = r#""truncation": {"max_length": 128, "strategy": "OnlyFirst", "stride": 2},"#;
    let truncation = Truncation {
        max_length: 128,
        strategy: TruncationStrategy::OnlyFirst,
        stride: 2,
        side: Side::Right,
    };
    let rows = RowDefaults { truncation: Some(truncation), padding: None };
    assert_eq!(loaded(&with(saved)).rows, rows);
    let nothing = r#""truncation": null, "padding": null,"#;
    assert_eq!(loaded(&with(nothing)).rows, RowDefaults::default());
    let empty = r#""padding": {},"#;
    assert_eq!(refused(&with(empty)), "tokenizer.json:2: the key \"strategy\" is missing");
}

#[test]
fn a_pattern_from_the_caller_replaces_the_pre_tokenizer() {
    let folder = crate::formats::tests::Folder::new();
    let path = folder.file("tokenizer.json", pre(r#"{"type": "Whitespace"}"#));
    let model = crate::formats::load(&path, &with_pattern(Named::O200k)).unwrap();
    assert_eq!(model.pattern, Pattern::Named(Named::O200k));
}

#[test]
fn a_special_token_that_looks_like_other_bytes_comes_back() {
    // In the byte alphabet `éb-` is E9 62 2D, which no text becomes: the special token alone is meant.
    for ignore_merges in [false, true] {
        let special = vec![SpecialToken::new("éb-", 300), SpecialToken::new("<|end|>", 290)];
        let pattern = Pattern::Named(Named::Llama3);
        let mut model = Model::new(Vocab::bytes(), Merges::Listed(vec![]), pattern, special);
        model.ignore_merges = ignore_merges;
        let model = model.checked().unwrap();
        assert_eq!(loaded(&write(&model).unwrap()).checked().unwrap(), model);
    }
}

#[test]
fn tokens_that_are_written_alike_are_not_saved() {
    let mut model = loaded(&pre(BYTE_LEVEL));
    model.special_tokens.push(SpecialToken::new("Ġ", 300));
    assert_eq!(
        write(&model).unwrap_err().to_string(),
        "this tokenizer cannot be saved as tokenizer.json: two of its tokens are written \"Ġ\"\n  hint: \
         save it as a native file"
    );
    model.special_tokens.clear();
    model.pattern = Pattern::Regex(r"\d{1,3}+".into());
    assert_eq!(
        write(&model).unwrap_err().to_string(),
        "the pattern \"\\\\d{1,3}+\" uses {}+, which Hugging Face's engine may read differently\n  hint: \
         write the pattern without it"
    );
}

/// A file of words; line 3 is the pre-tokenizer, line 4 the model, line 5 the decoder.
fn words(pre_tokenizer: &str, settings: &str, decoder: &str) -> String {
    let model = format!(
        "{{\"type\": \"BPE\", {settings} \"vocab\": {{\"<unk>\": 0, \"l\": 1, \"é\": 2, \"é</w>\": 3, \
         \"lé</w>\": 4}}, \"merges\": [[\"l\", \"é</w>\"]]}},\n\"decoder\": {decoder}"
    );
    file("", pre_tokenizer, &model)
}

const SUFFIX: &str = r#""unk_token": "<unk>", "end_of_word_suffix": "</w>","#;
const SPLIT: &str = r#"{"type": "WhitespaceSplit"}"#;
const DECODER: &str = r#"{"type": "BPEDecoder", "suffix": "</w>"}"#;

#[test]
fn words_of_characters_are_read() {
    let model = loaded(&words(SPLIT, SUFFIX, DECODER));
    assert_eq!(model.pattern, Pattern::Named(Named::Whitespace));
    let end = crate::model::EndOfWord { mark: "</w>".into(), joined: true };
    let start = Start { units: Units::Characters, end_of_word: Some(end), unk: Some(0) };
    assert_eq!((model.start, model.merges), (start, Merges::Listed(vec![(1, 3)])));
    let spaces = r#"{"type": "Whitespace"}"#;
    let pattern = loaded(&words(spaces, SUFFIX, "null")).pattern;
    assert_eq!(pattern, Pattern::Regex(r"\w+|[^\w\s]+".into()));
    let no_mark = loaded(&words("null", "\"unk_token\": \"<unk>\",", r#"{"type": "Fuse"}"#));
    assert_eq!((no_mark.start.end_of_word, no_mark.pattern), (None, Pattern::Named(Named::None)));
}

#[test]
fn words_that_we_do_not_run_are_refused() {
    let unk = "\"unk_token\": \"<unk>\",";
    let keeps = split("x", "Isolated", false).replace(&format!(", {NO_REGEX}"), "");
    let refusal = "model \"BPE\" with end_of_word_suffix \"</w>\" is not supported here\n  hint: the \
                   mark stands for white space, and this pre_tokenizer keeps it";
    assert_eq!(refused(&words(&keeps, SUFFIX, "null")), format!("tokenizer.json:3: {refusal}"));
    assert_eq!(refused(&words("null", SUFFIX, "null")), format!("tokenizer.json:1: {refusal}"));
    assert_eq!(
        refused(&words(SPLIT, unk, "null")),
        "tokenizer.json:3: pre_tokenizer \"WhitespaceSplit\" is not supported\n  hint: the \
         pre_tokenizers that subword runs are Split, Digits and ByteLevel"
    );
    assert_eq!(
        refused(&words(SPLIT, &SUFFIX.replace("<unk>", "<u>"), "null")),
        "tokenizer.json:4: expected a vocabulary with the unk_token \"<u>\", found an object"
    );
    assert_eq!(
        refused(&words(SPLIT, &format!("{SUFFIX} \"fuse_unk\": true,"), "null")),
        "tokenizer.json:4: model \"BPE\" with fuse_unk true is not supported"
    );
    assert_eq!(
        refused(&words(SPLIT, SUFFIX, r#"{"type": "BPEDecoder", "suffix": "_"}"#)),
        "tokenizer.json:5: decoder \"BPEDecoder\" is not supported\n  hint: the decoder that subword runs \
         is BPEDecoder, or Fuse"
    );
    assert_eq!(
        refused(&words(SPLIT, "\"end_of_word_suffix\": \"</w>\",", "null")),
        "tokenizer.json:3: expected a pre_tokenizer that ends in \"ByteLevel\"\n  hint: subword reads \
         byte-level BPE, whose pre_tokenizer ends in ByteLevel, and characters with an unk_token"
    );
}

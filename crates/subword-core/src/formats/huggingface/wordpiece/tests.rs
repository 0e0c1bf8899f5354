//! What BERT's files say, and the refusals word for word.

use super::super::refusal_of_fast_paths;
use crate::formats::LoadOptions;
use crate::formats::json::Json;
use crate::model::{
    Bert, Encoder, Model, Named, Normalizer, Pattern, Template, Unknown, WordLimit, WordPiece,
};

/// An official file, on seven lines.
const FILE: &str = r###"{"version": "1.0", "truncation": null, "padding": null,
"added_tokens": [{"id": 0, "special": true, "content": "[UNK]", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false}],
"normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
"pre_tokenizer": {"type": "BertPreTokenizer"},
"post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]},
"decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
"model": {"unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "low": 3, "##er": 4}}}"###;

fn loaded(text: &str) -> Model {
    let mut json = Json::new(text.as_bytes()).unwrap();
    let fields = json.fields().unwrap();
    crate::formats::huggingface::read(fields, &LoadOptions::default(), &mut Vec::new()).unwrap()
}

/// The error of the file with one part replaced.
fn refused(old: &str, new: &str) -> String {
    assert!(FILE.contains(old), "{old}");
    refusal_of_fast_paths(&FILE.replacen(old, new, 1))
}

#[test]
fn an_official_file_is_read() {
    let model = loaded(FILE);
    assert_eq!(model.as_word_piece(), Some(&WordPiece::default()));
    assert_eq!(model.normalizer, Normalizer::Bert(Bert::UNCASED));
    assert_eq!(model.pattern, Pattern::Named(Named::Bert));
    assert_eq!(model.template, Template::bert(1, 2));
    assert_eq!((model.start.unk, model.vocab.id_of(b"##er")), (Some(0), Some(4)));
    assert_eq!(loaded(&super::super::write(&model).unwrap()), model);
}

#[test]
fn settings_are_read() {
    let with = |old: &str, new: &str| loaded(&FILE.replacen(old, new, 1));
    let bert = |model: Model| match model.normalizer {
        Normalizer::Bert(bert) => (bert.strip_accents, bert.lowercase),
        other => panic!("{other:?}"),
    };
    assert_eq!(bert(with("\"strip_accents\": null", "\"strip_accents\": false")), (false, true));
    assert_eq!(bert(with("\"lowercase\": true", "\"lowercase\": false")), (false, false));
    let none = with(
        r#"{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true}"#,
        "null",
    );
    assert_eq!(none.normalizer, Normalizer::None);
    let whitespace = with("BertPreTokenizer", "WhitespaceSplit");
    assert_eq!(whitespace.pattern, Pattern::Named(Named::Whitespace));
    let words = with("BertPreTokenizer", "Whitespace");
    assert_eq!(words.pattern, Pattern::Regex(r"\w+|[^\w\s]+".into()));
    let one = with(
        r#"{"type": "BertPreTokenizer"}"#,
        r#"{"type": "Sequence", "pretokenizers": [{"type": "BertPreTokenizer"}]}"#,
    );
    assert_eq!(one.pattern, Pattern::Named(Named::Bert));
    for model in [whitespace, words, one] {
        assert_eq!(loaded(&super::super::write(&model).unwrap()), model);
    }
    let decoder = r###"{"type": "WordPiece", "prefix": "##", "cleanup": true}"###;
    assert_eq!(with(decoder, "null").decoder, crate::model::Decoder::Spaced);
    let limit = with("100", "7").as_word_piece().unwrap().limit;
    assert_eq!(limit, WordLimit::Characters(7));
}

#[test]
fn what_is_not_run_is_refused_by_name() {
    let pre_tokenizers = "\n  hint: the pre_tokenizers that subword runs here are BertPreTokenizer, \
                          Whitespace and WhitespaceSplit";
    assert_eq!(
        refused("{\"type\": \"BertPreTokenizer\"}", "null"),
        format!("tokenizer.json:1: expected a pre_tokenizer, found null{pre_tokenizers}")
    );
    assert_eq!(
        refused("BertPreTokenizer", "Metaspace"),
        format!("tokenizer.json:4: pre_tokenizer \"Metaspace\" is not supported{pre_tokenizers}")
    );
    assert_eq!(
        refused(
            "{\"type\": \"BertPreTokenizer\"}",
            "{\"type\": \"Sequence\", \"pretokenizers\": []}"
        ),
        format!(
            "tokenizer.json:4: pre_tokenizer \"Sequence\" with other than one part is not supported{pre_tokenizers}"
        )
    );
    assert_eq!(
        refused("\"type\": \"WordPiece\", \"prefix\"", "\"type\": \"CTC\", \"prefix\""),
        "tokenizer.json:6: decoder \"CTC\" is not supported\n  hint: the decoder that subword runs here \
         is WordPiece"
    );
    assert_eq!(
        refused("\"prefix\": \"##\"", "\"prefix\": \"@@\""),
        "tokenizer.json:6: decoder \"WordPiece\" with prefix \"@@\", which is not that of the model, is \
         not supported"
    );
    assert_eq!(
        refused("\"unk_token\": \"[UNK]\"", "\"unk_token\": \"<unk>\""),
        "tokenizer.json:7: expected a vocabulary with the unk_token \"<unk>\", found an object"
    );
    assert_eq!(refused("100", "-1"), "tokenizer.json:7: expected a number of characters, found -1");
    assert_eq!(
        refused("\"unk_token\": \"[UNK]\"", "\"dropout\": 1, \"unk_token\": \"[UNK]\""),
        "tokenizer.json:7: unknown key \"dropout\" in model \"WordPiece\""
    );
    assert_eq!(
        refused("\"lowercase\": true", "\"lowercase\": true, \"x\": 1"),
        "tokenizer.json:3: unknown key \"x\" in normalizer \"BertNormalizer\""
    );
    assert_eq!(
        refused("\"clean_text\": true, ", ""),
        "tokenizer.json:3: the key \"clean_text\" is missing"
    );
}

#[test]
fn what_the_file_cannot_hold_is_not_saved() {
    let refused = |change: &dyn Fn(&mut Model, &mut WordPiece)| {
        let (mut model, mut word_piece) = (loaded(FILE), WordPiece::default());
        change(&mut model, &mut word_piece);
        model.encoder = Encoder::WordPiece(word_piece);
        let error = super::super::write(&model.checked().unwrap()).unwrap_err().to_string();
        let (start, hint) = (
            "this tokenizer cannot be saved as tokenizer.json: ",
            "\n  hint: save it as a native file",
        );
        error.strip_prefix(start).and_then(|rest| rest.strip_suffix(hint)).unwrap().to_owned()
    };
    for limit in [WordLimit::None, WordLimit::Bytes(9)] {
        assert_eq!(
            refused(&|_, it| it.limit = limit),
            "there the longest word is counted in characters"
        );
    }
    assert_eq!(
        refused(&|_, it| it.unknown = Unknown::Character),
        "there an unknown word is one unk token"
    );
    assert_eq!(
        refused(&|model, _| model.pattern = Pattern::Named(Named::None)),
        r"its pattern is not bert, whitespace or \w+|[^\w\s]+"
    );
}

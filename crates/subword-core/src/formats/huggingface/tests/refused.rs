//! What no fast path runs is refused by its name.

use super::*;

#[test]
fn other_models_are_refused() {
    let hint = "\n  hint: subword reads BPE and WordPiece from a tokenizer.json";
    let model = |text: &str| refused(&file("", "null", text));
    let refusal = |name: &str| format!("tokenizer.json:4: model \"{name}\" is not supported{hint}");
    assert_eq!(model(r#"{"type": "Unigram", "vocab": []}"#), refusal("Unigram"));
    assert_eq!(model(r#"{"vocab": [], "unk_id": 0}"#), refusal("Unigram"));
    assert_eq!(model(r#"{"vocab": {}}"#), refusal("WordLevel"));
}

#[test]
fn settings_that_change_ids_are_refused() {
    let model =
        |setting: &str| refused(&file("", BYTE_LEVEL, &model_json(&format!("{setting}, "))));
    let refusal =
        |what: &str| format!("tokenizer.json:4: model \"BPE\" with {what} is not supported");
    assert_eq!(model("\"dropout\": 0.1"), refusal("dropout 0.1"));
    assert_eq!(
        model("\"end_of_word_suffix\": \"</w>\""),
        "tokenizer.json:3: model \"BPE\" with end_of_word_suffix \"</w>\" is not supported here\n  \
         hint: the mark stands for white space, and this pre_tokenizer keeps it"
    );
    assert_eq!(
        model("\"continuing_subword_prefix\": \"##\""),
        refusal("continuing_subword_prefix \"##\"")
    );
    assert_eq!(
        model("\"surprise\": 1"),
        "tokenizer.json:4: unknown key \"surprise\" in model \"BPE\""
    );
    assert_eq!(
        refused(&with("\"extra\": 1,")),
        "tokenizer.json:2: unknown key \"extra\" in tokenizer.json"
    );
    assert_eq!(
        refused(&with("").replace("\"1.0\"", "\"2.0\"")),
        "tokenizer.json:1: expected \"1.0\", found \"2.0\""
    );
}

#[test]
fn other_components_are_refused_by_name() {
    let hint = "\n  hint: the pre_tokenizers that subword runs are Split, Digits and ByteLevel";
    assert_eq!(
        refused(&pre(r#"{"type": "Metaspace", "replacement": "_"}"#)),
        format!("tokenizer.json:3: pre_tokenizer \"Metaspace\" is not supported{hint}")
    );
    let sequence = format!(
        "{{\"type\": \"Sequence\", \"pretokenizers\": [{{\"type\": \"Whitespace\"}}, {BYTE_LEVEL}]}}"
    );
    assert_eq!(
        refused(&pre(&sequence)),
        format!(
            "tokenizer.json:3: pre_tokenizer.pretokenizers[0] \"Whitespace\" is not supported{hint}"
        )
    );
    assert_eq!(
        refused(&with(
            r#""normalizer": {"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "Lowercase"}]},"#
        )),
        "tokenizer.json:2: normalizer.normalizers[1] \"Lowercase\" is not supported\n  hint: the \
         normalizers that subword runs are NFC, NFD, NFKC, NFKD, Lowercase after NFC, and \
         BertNormalizer"
    );
    assert_eq!(
        refused(&with(
            r#""normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "NFD"}]},"#
        )),
        "tokenizer.json:2: normalizer.normalizers[1] \"NFD\" with another normalizer before it is not supported"
    );
    assert_eq!(
        refused(&with(r#""decoder": {"type": "WordPiece"},"#)),
        "tokenizer.json:2: decoder \"WordPiece\" is not supported\n  hint: the decoder that subword runs is ByteLevel"
    );
    assert_eq!(
        refused(&with(r#""post_processor": {"type": "Other"},"#)),
        "tokenizer.json:2: post_processor \"Other\" is not supported"
    );
}

#[test]
fn pre_tokenizers_that_would_cut_elsewhere_are_refused() {
    let refusal = |what: &str| format!("tokenizer.json:3: pre_tokenizer{what} is not supported");
    let prefix = BYTE_LEVEL.replacen("false", "true", 1);
    assert_eq!(refused(&pre(&prefix)), refusal(" \"ByteLevel\" with add_prefix_space"));
    let part = ".pretokenizers[0] \"Split\" with behavior";
    assert_eq!(
        refused(&pre(&split("x", "MergedWithNext", false))),
        refusal(&format!("{part} \"MergedWithNext\""))
    );
    assert_eq!(
        refused(&pre(&split("x", "Removed", false))),
        refusal(&format!("{part} \"Removed\""))
    );
    assert_eq!(
        refused(&pre(&split("x", "Removed", true))),
        refusal(&format!("{part} \"Removed\" and this pattern"))
            + "\n  hint: it drops text that the pattern does not match; subword never drops text"
    );
    let after = format!("{{\"type\": \"Sequence\", \"pretokenizers\": [{NO_REGEX}, {NO_REGEX}]}}");
    assert_eq!(
        refused(&pre(&after)),
        refusal(".pretokenizers[0] \"ByteLevel\" with another pre_tokenizer after it")
    );
    let hint = "\n  hint: subword reads byte-level BPE, whose pre_tokenizer ends in ByteLevel, and \
                characters with an unk_token";
    let digits = r#"{"type": "Digits", "individual_digits": true}"#;
    assert_eq!(
        refused(&pre(digits)),
        format!("tokenizer.json:3: expected a pre_tokenizer that ends in \"ByteLevel\"{hint}")
    );
    assert_eq!(
        refused(&pre("null")),
        format!("tokenizer.json:1: expected a pre_tokenizer, found null{hint}")
    );
    assert_eq!(
        refused(&pre(&split("x{0}", "Isolated", false))),
        "tokenizer.json:3: the pattern \"x{0}\" uses {0}, which Hugging Face's engine may read differently\n  \
         hint: write the pattern without it"
    );
    let deep = (0..9).fold(NO_REGEX.to_owned(), |inner, _| {
        format!("{{\"type\": \"Sequence\", \"pretokenizers\": [{inner}]}}")
    });
    assert!(
        refused(&pre(&deep))
            .ends_with("\"Sequence\" with so many Sequences around it is not supported")
    );
}

#[test]
fn bad_added_tokens_are_refused() {
    let give = "Hugging Face tokenizers give it";
    let hint = "\n  hint: put the token with its id into the vocabulary of the model, too";
    assert_eq!(
        refused(&with(&added("<x>", 300, ""))),
        format!("tokenizer.json:2: the added token \"<x>\" has id 300, but {give} 257{hint}")
    );
    assert_eq!(
        refused(&with(&added("th", 300, ""))),
        format!("tokenizer.json:2: the added token \"th\" has id 300, but {give} 256{hint}")
    );
    assert_eq!(
        refused(&with(&added("<x>", 257, ", \"weight\": 1"))),
        "tokenizer.json:2: unknown key \"weight\" in an added token"
    );
    assert_eq!(
        refused(&with("").replace("\"th\": 256", "\"t h\": 256").replace("[\"t h\"]", "[]")),
        "tokenizer.json:4: expected a token in GPT-2's byte alphabet, found \"t h\"\n  hint: if it is a special \
         token, say so: special_tokens=[\"t h\"]"
    );
}

#[test]
fn bad_merges_are_refused() {
    let merges = |merges: &str| refused(&pre(BYTE_LEVEL).replace("[\"t h\"]", merges));
    let hint = "\n  hint: do the merges belong to this vocabulary?";
    assert_eq!(
        merges("[[\"t\", \"he\"]]"),
        format!("tokenizer.json:4: expected a token of the vocabulary, found \"he\"{hint}")
    );
    assert_eq!(
        merges("[[\"t\"]]"),
        "tokenizer.json:4: expected a list of two tokens, found a list"
    );
    assert_eq!(merges("[7]"), "tokenizer.json:4: expected a string, found 7");
    assert_eq!(merges("7"), "tokenizer.json:4: expected a list, found 7");
}

#[test]
fn bad_templates_are_refused() {
    let template = |single: &str| {
        refused(&with(&format!(
            "\"post_processor\": {{\"type\": \"TemplateProcessing\", \"single\": [{single}], \"pair\": [], \
             \"special_tokens\": {{\"x\": {{\"id\": \"x\", \"ids\": [99], \"tokens\": [\"c\"]}}}}}},"
        )))
    };
    let a = r#"{"Sequence": {"id": "A", "type_id": 0}}"#;
    assert_eq!(
        template(""),
        "tokenizer.json:2: post_processor \"TemplateProcessing\" has no sequence \"A\""
    );
    assert_eq!(
        template(&format!("{a}, {a}")),
        "tokenizer.json:2: expected the sequence \"A\" once, found \"A\""
    );
    assert_eq!(
        template(&format!("{a}, {}", r#"{"SpecialToken": {"id": "y", "type_id": 0}}"#)),
        "tokenizer.json:2: expected one of the special_tokens of the template, found \"y\""
    );
    let pair = |pair: &str| {
        refused(&with(&format!(
            "\"post_processor\": {{\"type\": \"TemplateProcessing\", \"single\": [{a}], \"pair\": [{pair}], \
             \"special_tokens\": {{}}}},"
        )))
    };
    assert_eq!(
        pair(a),
        "tokenizer.json:2: post_processor \"TemplateProcessing\" has no sequence \"B\""
    );
    assert_eq!(
        pair(&format!("{a}, {a}")),
        "tokenizer.json:2: expected the sequence \"A\" or \"B\" once, found \"A\""
    );
    let bert = r#"{"type": "BertProcessing", "sep": ["b", 98], "cls": ["a", 97]}"#;
    assert_eq!(
        refused(&with(&format!(
            "\"post_processor\": {{\"type\": \"Sequence\", \"processors\": [{bert}, {bert}]}},"
        ))),
        "tokenizer.json:2: post_processor.processors[1] \"BertProcessing\" with another post_processor \
         before it is not supported"
    );
    let many = r#"{"SpecialToken": {"id": "x", "type_id": 0}}, "#.repeat(1025);
    assert_eq!(
        template(&(many + a)),
        "tokenizer.json:2: expected a template of at most 1024 ids, found more"
    );
}

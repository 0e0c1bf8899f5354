//! The file, line by line, and the errors word for word.

use super::*;
use crate::formats::tests::refusal;
use crate::formats::{LoadOptions, from_bytes, to_bytes};
use crate::model::{Content, Template};

fn small_model() -> Model {
    let mut vocab = Vocab::bytes();
    vocab.insert(256, b" t").unwrap();
    let special = SpecialToken { lstrip: true, always: true, ..SpecialToken::new("<m>", 258) };
    let special = vec![SpecialToken::new("<|end|>", 257), special];
    let merges = Merges::Listed(vec![(32, 116)]);
    Model::new(vocab, merges, Pattern::Named(Named::Gpt2), special).checked().unwrap()
}

/// The error of the small file with one part replaced.
fn refused(old: &str, new: &str) -> String {
    let text = write(&small_model());
    assert_eq!(text.matches(old).count(), 1, "{old}");
    refusal("t.json", text.replace(old, new), &LoadOptions::default())
}

#[test]
fn the_file_is_for_people_too() {
    let text = write(&small_model());
    let start = r#"{
  "format": "subword",
  "version": 1,
  "type": "bpe",
  "pattern": "gpt2",
  "normalizer": null,
  "ignore_merges": false,
  "special_tokens": [
    {"content": "<|end|>", "id": 257},
    {"content": "<m>", "id": 258, "always": true, "lstrip": true}
  ],
  "template": {"prefix": [], "suffix": []},
  "vocab": {
    "Ā": 0,
    "ā": 1,
"#;
    let end = r#"
    "ÿ": 255,
    "Ġt": 256
  },
  "merges": [
    "Ġ t"
  ]
}
"#;
    assert!(text.starts_with(start) && text.ends_with(end), "{text}");
}

#[test]
fn patterns_are_names_regular_expressions_or_lists() {
    let written = |pattern| {
        let mut model = small_model();
        model.pattern = pattern;
        let text = write(&model);
        assert_eq!(crate::formats::from_bytes(&to_bytes(&model)), Ok(model));
        let start = text.find("\"pattern\": ").unwrap() + 11;
        text[start..text.find(",\n  \"normalizer\"").unwrap()].to_owned()
    };
    let regex = || Pattern::Regex("\\w+\n\"".into());
    assert_eq!(written(Pattern::Named(Named::DeepseekV3)), "\"deepseek-v3\"");
    assert_eq!(written(regex()), r#"{"regex": "\\w+\n\""}"#);
    assert_eq!(
        written(Pattern::Sequence(vec![regex(), Pattern::Named(Named::Gpt2)])),
        "[\n    {\"regex\": \"\\\\w+\\n\\\"\"},\n    \"gpt2\"\n  ]"
    );
}

#[test]
fn what_words_start_from_is_written_where_it_is_not_bytes() {
    let mut vocab = Vocab::default();
    (0..).zip(["a", "é", "</w>", "é</w>"]).for_each(|(id, token)| {
        vocab.insert(id, token.as_bytes()).unwrap();
    });
    let merges = Merges::Listed(vec![(1, 2)]);
    let special = vec![SpecialToken::new("<unk>", 4)];
    let mut model = Model::new(vocab, merges, Pattern::Named(Named::Whitespace), special);
    model.start = Start {
        units: Units::Characters,
        end_of_word: Some(EndOfWord { mark: "</w>".into(), joined: false }),
        unk: Some(4),
    };
    let model = model.checked().unwrap();
    let text = write(&model);
    let part = r#"
  "ignore_merges": false,
  "units": "characters",
  "end_of_word": "</w>",
  "unk": 4,
  "special_tokens": [
    {"content": "<unk>", "id": 4}
  ],
  "template": {"prefix": [], "suffix": []},
  "vocab": {
    "a": 0,
    "Ã©": 1,
    "</w>": 2,
    "Ã©</w>": 3
  },
  "merges": [
    "Ã© </w>"
  ]
}
"#;
    assert!(text.ends_with(part), "{text}");
    let refused =
        |old: &str, new: &str| refusal("t.json", text.replace(old, new), &LoadOptions::default());
    assert_eq!(
        refused("\"characters\"", "\"letters\""),
        "t.json:8: expected \"bytes\" or \"characters\", found \"letters\""
    );
    assert_eq!(
        refused("\"unk\": 4", "\"unk\": 5"),
        "t.json: the unk token has id 5, which no token has"
    );
    let joined = text.replace("\"unk\"", "\"end_of_word_joined\": true, \"unk\"");
    let joined = crate::formats::from_bytes(joined.as_bytes()).unwrap();
    assert!(joined.start.joined_mark().is_some());
}

#[test]
fn what_is_said_about_offsets_and_decoding_is_kept() {
    for trim_offsets in [TrimOffsets::Spaces, TrimOffsets::SpacesButFirst] {
        let model = Model { trim_offsets, decoder: Decoder::Spaced, ..small_model() };
        assert_eq!(from_bytes(write(&model).as_bytes()), Ok(model));
    }
    let with = |more: &str| refused("\"vocab\"", &format!("{more}, \"vocab\""));
    assert_eq!(
        with("\"trim_offsets\": \"all\""),
        "t.json:13: expected \"spaces\" or \"spaces-but-first\", found \"all\""
    );
    assert_eq!(with("\"decoder\": \"bytes\""), "t.json:13: expected \"spaced\", found \"bytes\"");
}

#[test]
fn a_newer_version_and_unknown_keys_are_refused() {
    assert_eq!(
        refused("\"version\": 1", "\"version\": 2"),
        "t.json:3: expected version 1, found 2\n  hint: the file was written by a newer subword: \
         upgrade to read it"
    );
    assert_eq!(
        refused("\"ignore_merges\"", "\"dropout\": 0.1, \"ignore_merges\""),
        "t.json:7: unknown key \"dropout\" in a subword file of version 1"
    );
    assert_eq!(
        refused("\"type\": \"bpe\"", "\"type\": \"unigram\""),
        "t.json:4: expected \"bpe\" or \"wordpiece\", found \"unigram\""
    );
    assert_eq!(
        refused("\"always\"", "\"alwais\""),
        "t.json:10: unknown key \"alwais\" in a special token"
    );
    assert_eq!(
        refused("\"suffix\": []", "\"suffix\": [], \"x\": 1"),
        "t.json:12: unknown key \"x\" in the template"
    );
    assert_eq!(
        refused("\"gpt2\"", "{\"regex\": \"a\", \"flags\": 1}"),
        "t.json:5: unknown key \"flags\" in a pattern"
    );
    assert_eq!(refused("\"pattern\"", "\"patern\""), "t.json:1: the key \"pattern\" is missing");
    assert_eq!(
        refused("\"version\": 1,", "\"version\": 1, \"version\": 1,"),
        "t.json:3: the key \"version\" is there twice"
    );
}

#[test]
fn a_template_says_what_stands_around_two_texts() {
    let template = |text: &str| {
        let file = write(&small_model()).replace("{\"prefix\": [], \"suffix\": []}", text);
        from_bytes(file.as_bytes()).map(|model| model.template)
    };
    let bert = r#"{"prefix": [65], "suffix": [66], "pair": [[65, 0], ["A", 0], [66, 0], ["B", 1], [66, 1]]}"#;
    assert_eq!(template(bert), Ok(Template::bert(65, 66)));
    assert_eq!(template(r#"{"prefix": [65], "suffix": []}"#), Ok(Template::around(&[65], &[])));
    let typed = template(r#"{"single": [["A", 2]], "pair": [["B", 0], ["A", 2]]}"#).unwrap();
    assert_eq!((typed.single[0].type_id, typed.pair[0].content), (2, Content::Second));
    let refused = |text: &str| template(text).unwrap_err().to_string();
    assert_eq!(
        refused(r#"{"single": [[65]]}"#),
        ":12: expected an id, \"A\" or \"B\", and a type, found a list"
    );
    assert_eq!(
        refused(r#"{"single": [["C", 0]]}"#),
        ":12: expected an id, \"A\" or \"B\", found \"C\""
    );
    assert_eq!(
        refused(r#"{"single": [["A", 0]], "pair": [["A", 0]]}"#),
        "the template for two texts needs the text B 1 times, found 0"
    );
}

#[test]
fn the_encoder_is_written_where_it_does_not_merge() {
    let merging = small_model();
    let longest = merging.clone().encoded_by(Encoder::Longest).unwrap();
    let (before, after) = (write(&merging), write(&longest));
    assert_eq!(after.replace("  \"encoder\": \"longest\",\n", ""), before);
    assert_ne!(before, after);
    assert_eq!(from_bytes(after.as_bytes()), Ok(longest));
}

#[test]
fn bad_values_are_refused_with_their_line() {
    assert_eq!(
        refused("\"gpt2\"", "\"gpt3\""),
        "t.json:5: expected the name of a pattern, found \"gpt3\"\n  hint: the names are gpt2, cl100k, \
         o200k, llama3, qwen2, deepseek-v3, bert, whitespace, none; anything else is {\"regex\": \"...\"}"
    );
    assert_eq!(
        refused("null", "\"lower\""),
        "t.json:6: expected null, \"nfc\", \"nfd\", \"nfkc\", \"nfkd\" or \"nfc-lowercase\", found \"lower\""
    );
    assert_eq!(
        refused("\"ignore_merges\": false", "\"ignore_merges\": 0"),
        "t.json:7: expected true or false, found 0"
    );
    assert_eq!(
        refused("\"prefix\": []", "\"prefix\": [999]"),
        "t.json: the template uses id 999, which no token has"
    );
    assert_eq!(
        refused("\"id\": 257", "\"id\": 65"),
        "t.json: id 65 belongs to the token b\"A\" and to the special token \"<|end|>\""
    );
    assert_eq!(
        refused("\"<m>\"", "\"<|end|>\""),
        "t.json: the special token \"<|end|>\" is there twice"
    );
    assert_eq!(
        refused("\"Ġt\": 256", "\" t\": 256"),
        "t.json:270: expected a token in GPT-2's byte alphabet, found \" t\"\n  hint: in this alphabet a \
         space is written 'Ġ' and a line break 'Ċ'"
    );
    assert_eq!(
        refused("\"Ġt\": 256", "\"Ġt\": 255"),
        "t.json:270: id 255 has two tokens: b\"\\xff\" and b\" t\""
    );
    assert_eq!(
        refused("    \"Ġ t\"", "    \"Ġ tt\""),
        "t.json:273: expected a token of the vocabulary, found \"tt\"\n  hint: do the merges belong to this \
         vocabulary?"
    );
    assert_eq!(
        refused("[\n    \"Ġ t\"\n  ]", "\"rank\""),
        "t.json:272: expected a list of merges or \"ranked\", found \"rank\""
    );
    let long = format!("\"{}\"", "x".repeat(1025));
    assert_eq!(
        refused("\"<m>\"", &long),
        "t.json: the special token with id 258 has 1025 bytes, the limit is 1024"
    );
}

#[test]
fn other_objects_are_no_native_files() {
    let error = crate::formats::from_bytes(b"{\"a\": []}").unwrap_err().to_string();
    assert_eq!(error, ":1: expected an object with \"format\": \"subword\", found an object");
    let error = crate::formats::from_bytes(b"").unwrap_err().to_string();
    assert!(error.starts_with(":1: expected an object, found the end of the file"), "{error}");
}

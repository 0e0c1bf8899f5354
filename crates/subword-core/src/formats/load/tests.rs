//! What is a tokenizer and what is not.

use super::*;
use crate::formats::tests::{Folder, refusal, with_pattern};
use crate::formats::{Format, save, to_bytes};
use crate::model::{Merges, Named, Pattern};

const HINT: &str = "\n  hint: known are native files, .tiktoken, tokenizer.json, tokenizer.model, vocab.txt, and vocab.json with merges.txt";

fn model() -> Model {
    Model::new(Vocab::bytes(), Merges::Ranked, Pattern::Named(Named::Gpt2), vec![])
}

#[test]
fn the_content_says_what_a_file_is() {
    let folder = Folder::new();
    let options = with_pattern(Named::Gpt2);
    for format in [Format::Native, Format::Tiktoken, Format::HuggingFace] {
        let path = folder.path("merges.txt");
        save(&model(), &path, format).unwrap();
        assert_eq!(load(&path, &options).unwrap().vocab, Vocab::bytes(), "{format:?}");
    }
}

#[test]
fn other_files_are_refused() {
    let none = LoadOptions::default();
    let other = format!("t: expected a tokenizer, found a file of another kind{HINT}");
    assert_eq!(refusal("t", "", &none), "t: the file is empty");
    assert_eq!(refusal("t", " \r\n", &none), "t: the file is empty");
    assert_eq!(refusal("t", "\u{feff}", &none), "t: the file is empty");
    assert_eq!(refusal("t", "[PAD]\nlow\n", &none), other);
    assert_eq!(refusal("t", b"\x0a\x0e\x00\xff\xfe", &none), other);
    assert_eq!(refusal("t", "[".repeat(100_000), &none), other);
    assert_eq!(
        refusal("t", "#version: 0.2\nt h\n", &none),
        "t: expected a tokenizer, found a file of another kind\n  hint: a merge list is no tokenizer by \
         itself: load the vocab.json that belongs to it"
    );
    let json = format!("t: expected a tokenizer, found a JSON file of another kind{HINT}");
    assert_eq!(refusal("t", "{}", &none), json);
    assert_eq!(
        refusal("t", "{\"model\": 7, \"x\": {}}", &none),
        "t:1: expected an id from 0 to 2097151, found an object"
    );
    assert_eq!(refusal("t", "{\"format\": \"other\"}", &none), json);
    assert_eq!(
        refusal("t", "{\"a\": ".repeat(100_000), &none),
        "t:1: nested more than 127 levels deep"
    );
}

#[test]
fn a_missing_file_is_an_error_of_the_system() {
    let folder = Folder::new();
    let path = folder.path("gone.json");
    let error = load(&path, &LoadOptions::default()).unwrap_err();
    assert!(matches!(&error, Error::Io { code: Some(2), .. }), "{error:?}");
    assert_eq!(
        error.to_string(),
        format!("{}: No such file or directory (os error 2)", path.display())
    );
}

#[test]
fn a_huge_file_is_not_read() {
    let folder = Folder::new();
    let path = folder.file("huge.json", "{");
    File::options().write(true).open(&path).unwrap().set_len((1 << 30) + 1).unwrap();
    let error = folder.refusal(&path, &LoadOptions::default());
    assert_eq!(error, "huge.json: expected at most 1073741824 bytes, found a larger file");
}

#[test]
fn a_directory_is_the_tokenizer_that_it_holds() {
    let folder = Folder::new();
    let none = LoadOptions::default();
    let directory = folder.path("d");
    fs::create_dir(&directory).unwrap();
    assert_eq!(
        folder.refusal(&directory, &none),
        format!("d: the directory holds no tokenizer{HINT}")
    );
    folder.file("d/notes.txt", "x");
    folder.file("d/a.json", to_bytes(&model()));
    assert_eq!(load(&directory, &none), Ok(model()));
    folder.file("d/b.tiktoken", "IQ== 0");
    assert_eq!(
        folder.refusal(&directory, &none),
        "d: expected one tokenizer, found \"a.json\" and \"b.tiktoken\"\n  hint: load one of the files by \
         its own path"
    );
    save(&model(), &directory, Format::Gpt2).unwrap();
    assert_eq!(load(&directory, &none).unwrap().merges, Merges::Listed(vec![]));
    folder.file("d/tokenizer.json", "{");
    assert!(folder.refusal(&directory, &none).starts_with("d/tokenizer.json:1: expected a key"));
}

#[test]
fn the_caller_may_say_more_than_the_file() {
    let folder = Folder::new();
    let mut old = model();
    old.special_tokens.push(SpecialToken::new("<s>", 300));
    let path = folder.file("t.json", to_bytes(&old));
    let names = |names: &[(&str, Option<u32>)]| LoadOptions {
        special_tokens: Some(names.iter().map(|&(name, id)| (name.to_owned(), id)).collect()),
        ..with_pattern(Named::O200k)
    };
    let new = load(&path, &names(&[("<s>", None), ("<t>", None), ("a", None)])).unwrap();
    assert_eq!(new.pattern, Pattern::Named(Named::O200k));
    let ids: Vec<_> = new.special_tokens.iter().map(|t| (t.content.as_str(), t.id)).collect();
    assert_eq!(ids, [("a", 97), ("<s>", 300), ("<t>", 301)]);
    let error = folder.refusal(&path, &names(&[("<s>", Some(400))]));
    assert_eq!(error, "t.json: the special token \"<s>\" is there twice");
    let shared = load(&path, &names(&[("<t>", Some(300))])).unwrap();
    assert_eq!(shared.special_tokens.iter().map(|t| t.id).collect::<Vec<_>>(), [300, 300]);
    let options = LoadOptions { merges: Some("m.txt".into()), ..LoadOptions::default() };
    assert_eq!(
        folder.refusal(&path, &options),
        "t.json: expected a vocab.json for the merges in \"m.txt\", found a file of another kind\n  \
         hint: merges= goes with a vocab.json only; every other format holds its merges"
    );
}

#[test]
fn a_tokenizer_whose_file_says_how_text_is_cut_takes_no_pattern() {
    let words = r#"{"pre_tokenizer": {"type": "Whitespace"},
        "model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}}"#;
    let expected = "says itself how text is cut, and takes no pattern\n  hint: leave out pattern=";
    let folder = Folder::new();
    let path = folder.file("words.json", words);
    let own = to_bytes(&load(&path, &LoadOptions::default()).unwrap());
    let refused = refusal("t", own, &with_pattern(Named::Gpt2));
    assert_eq!(refused, format!("t: a tokenizer that runs by the plain chain {expected}"));
    let piece = |text: &[u8], kind| {
        [&[10, 4 + text.len() as u8, 10, text.len() as u8], text, &[24, kind]].concat()
    };
    let pieces = [piece(b"<unk>", 2), piece(b"a", 1), vec![18, 2, 24, 2]].concat();
    let refused = refusal("t", &pieces, &with_pattern(Named::Gpt2));
    assert_eq!(refused, format!("t: a SentencePiece model {expected}"));
}

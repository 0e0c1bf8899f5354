//! Files as they are published, and the errors word for word.

use super::*;
use crate::formats::tests::Folder;
use crate::formats::{Format, load, save};

/// The 256 bytes and then these entries, from line 2 on.
fn vocab(more: &str) -> String {
    let bytes = Vocab::bytes();
    let mut out = String::from("{");
    for (id, byte) in bytes.iter() {
        write_string(&mut out, &alphabet::written(byte));
        out.push_str(&format!(": {id}, "));
    }
    out + "\n" + more + "}"
}

fn loaded(vocab: &str, merges: &str, options: &LoadOptions) -> std::result::Result<Model, String> {
    let folder = Folder::new();
    let path = folder.file("vocab.json", vocab);
    folder.file("merges.txt", merges);
    match load(&path, options) {
        Ok(model) => Ok(model),
        Err(_) => Err(folder.refusal(&path, options)),
    }
}

fn refused(more: &str, merges: &str) -> String {
    loaded(&vocab(more), merges, &LoadOptions::default()).unwrap_err()
}

fn special(names: &[&str]) -> LoadOptions {
    let names = names.iter().map(|&name| (name.to_owned(), None)).collect();
    LoadOptions { special_tokens: Some(names), ..LoadOptions::default() }
}

#[test]
fn headers_line_ends_and_byte_order_marks_do_not_matter() {
    let vocab = vocab(r#""\u0120t": 256, "Ġth": 257"#);
    for merges in
        ["#version: 0.2\nĠ t\nĠt h\n", "Ġ t\r\nĠt h", "\u{feff}#version: 9\r\n\nĠ t\nĠt h\n\n"]
    {
        let model = loaded(&vocab, merges, &LoadOptions::default()).unwrap();
        assert_eq!(model.merges, Merges::Listed(vec![(32, 116), (256, 104)]));
        assert_eq!(model.vocab.bytes_of(257), Some(&b" th"[..]));
        assert_eq!((&model.pattern, model.ignore_merges), (&Pattern::Named(Named::Gpt2), false));
    }
    assert!(loaded(&format!("\u{feff}{vocab}"), "", &LoadOptions::default()).is_ok());
}

#[test]
fn tokens_that_no_merge_makes_are_special_only_if_they_are_named() {
    let vocab = vocab(r#""<s>": 256, "<mask>": 258"#);
    let plain = loaded(&vocab, "", &LoadOptions::default()).unwrap();
    assert_eq!((plain.vocab.id_of(b"<s>"), plain.special_tokens.len()), (Some(256), 0));
    let named = loaded(&vocab, "", &special(&["<s>", "<new>"])).unwrap();
    assert_eq!(
        named.special_tokens,
        [SpecialToken::new("<s>", 256), SpecialToken::new("<new>", 259)]
    );
    assert_eq!((named.vocab.id_of(b"<s>"), named.vocab.id_of(b"<mask>")), (None, Some(258)));
}

#[test]
fn a_special_token_may_be_written_as_it_is() {
    let vocab = vocab("\"<the end>\": 256,\n \"<中>\": 999");
    let model = loaded(&vocab, "", &special(&["<the end>", "<中>", "<x>"])).unwrap();
    let ids: Vec<_> = model.special_tokens.iter().map(|t| (t.content.as_str(), t.id)).collect();
    assert_eq!(ids, [("<the end>", 256), ("<中>", 999), ("<x>", 1000)]);
    assert_eq!(
        loaded(&vocab, "", &special(&["<the end>"])).unwrap_err(),
        "vocab.json:3: expected a token in GPT-2's byte alphabet, found \"<中>\"\n  hint: if it is a \
         special token, say so: special_tokens=[\"<中>\"]"
    );
}

#[test]
fn bad_merges_are_refused_with_their_line() {
    let space = "\n  hint: a space inside a byte-level token is written 'Ġ'";
    let two = "expected two tokens separated by one space, found";
    assert_eq!(
        refused("\"the\": 256", "t h e"),
        format!("merges.txt:1: {two} 3 in \"t h e\"{space}")
    );
    assert_eq!(
        refused("\"the\": 256", "#version\nthe"),
        format!("merges.txt:2: {two} 1 in \"the\"{space}")
    );
    assert_eq!(
        refused("\"the\": 256", "t  h"),
        format!("merges.txt:1: {two} 2 in \"t  h\"{space}")
    );
    let unknown = "expected a token of the vocabulary, found";
    let hint = "\n  hint: do the merges belong to this vocabulary?";
    assert_eq!(
        refused("\"th\": 256", "t h\nth ee"),
        format!("merges.txt:2: {unknown} \"ee\"{hint}")
    );
    assert_eq!(refused("\"th\": 256", "中 h"), format!("merges.txt:1: {unknown} \"中\"{hint}"));
    assert_eq!(
        refused("\"th\": 256", "t h\nh e"),
        "merges.txt:2: expected a merge that makes a token of the vocabulary, found one that makes \"he\""
    );
    assert_eq!(
        refused("\"th\": 256", "t h\nt h"),
        "vocab.json: merge 1 is there twice: b\"t\" b\"h\""
    );
    let folder = Folder::new();
    let path = folder.file("vocab.json", vocab("\"th\": 256"));
    folder.file("merges.txt", b"t h\n\xFF h");
    let error = folder.refusal(&path, &LoadOptions::default());
    assert_eq!(error, "merges.txt:2: expected UTF-8 text, found other bytes");
}

#[test]
fn bad_vocabularies_are_refused_with_their_line() {
    assert_eq!(
        refused("\"th\": 256,\n \"th\": 257", ""),
        "vocab.json:3: the token b\"th\" has two ids: 256 and 257"
    );
    assert_eq!(
        refused("\"th\": 256,\n \"th\": 256", ""),
        "vocab.json:3: the token b\"th\" is there twice"
    );
    assert_eq!(refused("\"th\": 65", ""), "vocab.json:2: id 65 has two tokens: b\"A\" and b\"th\"");
    assert_eq!(refused("\"\": 256", ""), "vocab.json:2: the token with id 256 is empty");
    assert_eq!(
        refused("\"a b\": 1,\n\"a b\": 2", ""),
        "vocab.json:3: the token \"a b\" is there twice"
    );
    assert_eq!(
        refused("\"th\": 4000000000", ""),
        "vocab.json:2: expected an id from 0 to 2097151, found 4000000000"
    );
    assert_eq!(
        refused("\"th\": null", ""),
        "vocab.json:2: expected an id from 0 to 2097151, found null"
    );
    let error = loaded("{\"a\": 0}", "", &LoadOptions::default()).unwrap_err();
    assert!(
        error.starts_with("vocab.json: the vocabulary has no token for byte 0x00\n"),
        "{error}"
    );
    let error = loaded("{\"a\": 0} x", "", &LoadOptions::default()).unwrap_err();
    assert_eq!(error, "vocab.json:1: expected the end of the file, found x");
}

#[test]
fn the_merges_may_be_elsewhere() {
    let folder = Folder::new();
    let path = folder.file("v.json", vocab("\"th\": 256"));
    let none = LoadOptions::default();
    assert_eq!(
        folder.refusal(&path, &none),
        "v.json: a vocab.json needs its merges, and there is no merges.txt beside it\n  hint: put \
         merges.txt beside it; in Python, merges= takes the path of another"
    );
    let options = LoadOptions { merges: Some(folder.file("m.txt", "t h")), ..none };
    assert_eq!(load(&path, &options).unwrap().merges, Merges::Listed(vec![(116, 104)]));
    let options = LoadOptions { merges: Some(folder.path("gone")), ..options };
    assert!(matches!(load(&path, &options), Err(Error::Io { code: Some(2), .. })));
}

#[test]
fn what_the_files_cannot_hold_is_not_saved() {
    let mut vocab = Vocab::bytes();
    [(256, &b"#v"[..]), (257, b"#version"), (258, b"#version:")]
        .into_iter()
        .for_each(|(id, token)| vocab.insert(id, token).unwrap());
    let gpt2 = || Pattern::Named(Named::Gpt2);
    let model = || Model::new(vocab.clone(), Merges::Listed(vec![(35, 118)]), gpt2(), vec![]);
    let refused = |change: &dyn Fn(&mut Model)| {
        let mut model = model();
        change(&mut model);
        let error = write(&model).unwrap_err().to_string();
        let error = error.strip_suffix("\n  hint: save it as a native file or as tokenizer.json");
        let start = "this tokenizer cannot be saved as vocab.json and merges.txt: ";
        error.unwrap().strip_prefix(start).unwrap().to_owned()
    };
    assert_eq!(
        refused(&|model| model.pattern = Pattern::Named(Named::Cl100k)),
        "its pattern is not gpt2, and the files have no place for another"
    );
    assert_eq!(refused(&|model| model.normalizer = Normalizer::Nfd), "it normalises its text");
    assert_eq!(
        refused(&|model| model.template = Template::around(&[], &[0])),
        "it puts special tokens around a text"
    );
    assert_eq!(
        refused(&|model| model.ignore_merges = true),
        "no merge makes token 257, b\"#version\""
    );
    assert_eq!(
        refused(&|model| model.merges = Merges::Listed(vec![(257, 58)])),
        "the merge \"#version :\" would be read as a header"
    );
    assert_eq!(
        refused(&|model| model.special_tokens = vec![SpecialToken::new("#v", 300)]),
        "two of its tokens are written \"#v\""
    );
    let flagged = SpecialToken { lstrip: true, ..SpecialToken::new("<s>", 300) };
    assert_eq!(
        refused(&|model| model.special_tokens = vec![flagged.clone()]),
        "its special token \"<s>\" has flags"
    );
}

#[test]
fn a_directory_is_made_and_a_json_path_is_the_vocabulary() {
    let folder = Folder::new();
    let model = Model::new(Vocab::bytes(), Merges::Ranked, Pattern::Named(Named::Gpt2), vec![]);
    save(&model, &folder.path("new"), Format::Gpt2).unwrap();
    save(&model, &folder.path("v.json"), Format::Gpt2).unwrap();
    assert_eq!(folder.names(), ["merges.txt", "new", "v.json"]);
    let expected = Model { merges: Merges::Listed(vec![]), ..model };
    for name in ["new", "new/vocab.json", "v.json"] {
        assert_eq!(load(&folder.path(name), &LoadOptions::default()).as_ref(), Ok(&expected));
    }
}

//! Every format there and back, on random models, and what no file may do: panic.

use std::fs;
use std::path::Path;

pub(crate) use crate::testing::{Folder, Random};

use super::*;
use crate::model::{EndOfWord, Merges, Named, Normalizer, Template, Units};

mod damaged;

impl Folder {
    /// The error of loading a path, without the name of the directory.
    pub(crate) fn refusal(&self, path: &Path, options: &LoadOptions) -> String {
        let error = load(path, options).unwrap_err().to_string();
        error.replace(&format!("{}/", self.0.display()), "")
    }
}

/// The error of loading one file.
pub(super) fn refusal(name: &str, content: impl AsRef<[u8]>, options: &LoadOptions) -> String {
    let folder = Folder::new();
    folder.refusal(&folder.file(name, content), options)
}

pub(super) fn with_pattern(pattern: Named) -> LoadOptions {
    LoadOptions { pattern: Some(Pattern::Named(pattern)), ..LoadOptions::default() }
}

/// A vocabulary of bytes and some strings of `a`, `b` and a space, with ids in any order and holes.
pub(super) fn random_vocab(random: &mut Random) -> Vocab {
    let mut vocab = Vocab::bytes();
    let mut next = 256;
    let mut ids: Vec<TokenId> = (0..random.below(12))
        .map(|_| {
            next += 1 + random.below(2) as TokenId;
            next
        })
        .collect();
    while let Some(id) = ids.pop() {
        if random.flip() && !ids.is_empty() {
            let other = random.below(ids.len());
            ids.swap(0, other);
        }
        let token: Vec<u8> = (0..2 + random.below(4)).map(|_| b"ab "[random.below(3)]).collect();
        if vocab.id_of(&token).is_none() {
            vocab.insert(id, &token).unwrap();
        }
    }
    vocab
}

/// Every pair of tokens whose concatenation is a token.
pub(super) fn all_splits(vocab: &Vocab) -> Vec<crate::Pair> {
    let mut pairs = Vec::new();
    for (_, bytes) in vocab.iter() {
        for at in 1..bytes.len() {
            let (left, right) = (vocab.id_of(&bytes[..at]), vocab.id_of(&bytes[at..]));
            pairs.extend(left.zip(right));
        }
    }
    pairs
}

pub(super) fn random_model(random: &mut Random) -> Model {
    let vocab = random_vocab(random);
    let mut merges = all_splits(&vocab);
    for at in (1..merges.len()).rev() {
        merges.swap(at, random.below(at + 1));
    }
    merges.truncate(random.below(merges.len() + 1));
    let merges = if random.flip() { Merges::Ranked } else { Merges::Listed(merges) };
    let patterns = [
        Pattern::Named(Named::Gpt2),
        Pattern::Named(Named::Cl100k),
        Pattern::Named(Named::None),
        Pattern::Regex(r"\p{L}+|[^\p{L}]".into()),
        Pattern::Sequence(vec![Pattern::Regex(r"\p{N}".into()), Pattern::Named(Named::O200k)]),
    ];
    let next = vocab.id_limit();
    let mut special_tokens = Vec::new();
    for (at, content) in ["<|end|>", " \n\"\\<中>", "aab", "a b"].into_iter().enumerate() {
        if random.flip() {
            let id = vocab.id_of(content.as_bytes()).unwrap_or(next + at as TokenId);
            special_tokens.push(SpecialToken {
                always: random.flip(),
                lstrip: random.flip(),
                rstrip: random.flip(),
                single_word: random.flip(),
                normalized: random.flip(),
                ..SpecialToken::new(content, id)
            });
        }
    }
    let ids: Vec<TokenId> = special_tokens.iter().map(|token| token.id).collect();
    let mut model =
        Model::new(vocab, merges, patterns[random.below(patterns.len())].clone(), special_tokens);
    model.ignore_merges = random.flip();
    model.normalizer = [Normalizer::None, Normalizer::Nfc, Normalizer::Nfkd][random.below(3)];
    if random.flip() {
        let around = Template::around(&ids, &[b'a'.into()]);
        let mut typed = Template::bert(b'a'.into(), b'b'.into());
        typed.single[1].type_id = 2;
        let known = [Template::bert(b'a'.into(), 0), Template::roberta(1, 2), around, typed];
        model.template = known[random.below(4)].clone();
    }
    model.checked().unwrap()
}

/// A model that starts from characters, or has a mark.
pub(super) fn random_words(random: &mut Random) -> Model {
    let mut model = random_model(random);
    let pairs = all_splits(&model.vocab);
    model.merges = Merges::Listed(pairs[..random.below(pairs.len() + 1)].to_vec());
    model.ignore_merges = false;
    let joined = random.flip();
    let mark = if random.flip() { "</w>" } else { "中\"" };
    let end_of_word = EndOfWord { mark: mark.into(), joined };
    model.start.end_of_word = (random.below(3) > 0).then_some(end_of_word);
    if random.flip() {
        model.start.units = Units::Characters;
        model.start.unk = model.special_tokens.first().map(|token| token.id);
        (0x80..0x100).for_each(|byte| model.vocab.remove(byte));
    }
    let limit = model.id_limit();
    if joined {
        let bytes = |id: TokenId| [&[id as u8], mark.as_bytes()].concat();
        let ids = (0..256).filter(|&id| model.vocab.bytes_of(id).is_some());
        let tokens: Vec<_> = ids.map(|id| (limit + id, bytes(id))).collect();
        tokens.iter().for_each(|(id, token)| model.vocab.insert(*id, token).unwrap());
    } else {
        model.vocab.insert(limit, mark.as_bytes()).unwrap();
    }
    model.checked().unwrap()
}

#[test]
fn native_files_hold_everything() {
    let mut random = Random::new(1);
    for round in 0..300 {
        let model =
            if round % 3 == 0 { random_words(&mut random) } else { random_model(&mut random) };
        let bytes = to_bytes(&model);
        assert_eq!(from_bytes(&bytes).as_ref(), Ok(&model));
        assert_eq!(to_bytes(&from_bytes(&bytes).unwrap()), bytes);
    }
}

#[test]
fn tokenizer_json_holds_everything_but_ranks_become_a_list() {
    let folder = Folder::new();
    let mut random = Random::new(2);
    let mut saved = 0;
    for _ in 0..300 {
        let mut model = random_model(&mut random);
        let path = folder.path("tokenizer.json");
        if let Err(error) = save(&model, &path, Format::HuggingFace) {
            // Ids with holes between them, and text that may be a whole special token.
            assert!(model.ignore_merges, "{error}");
            assert!(error.to_string().contains("text would become it"), "{error}");
            continue;
        }
        saved += 1;
        if model.merges == Merges::Ranked {
            model.merges = Merges::Listed(merges_of_ranks(&model.vocab));
            model = model.checked().unwrap();
        }
        let read = load(&path, &LoadOptions::default()).unwrap();
        if model.ignore_merges && !read.ignore_merges {
            // What changes nothing need not be said, and may not, see `write`.
            assert_eq!(super::ranks::unreachable_token(&model), None);
            model.ignore_merges = false;
            model = model.checked().unwrap();
        }
        assert_eq!(read, model);
    }
    assert!(saved > 200, "{saved}");
}

#[test]
fn tokenizer_json_holds_words_whose_mark_is_joined() {
    let folder = Folder::new();
    let mut random = Random::new(5);
    let mut saved = 0;
    for _ in 0..400 {
        let model = random_words(&mut random);
        let path = folder.path("tokenizer.json");
        let start = &model.start;
        let held =
            start.separate_mark().is_none() && (start.units == Units::Bytes || start.unk.is_some());
        match save(&model, &path, Format::HuggingFace) {
            Ok(_) => assert_eq!(load(&path, &LoadOptions::default()), Ok(model)),
            Err(error) if held => panic!("{error}"),
            Err(_) => continue,
        }
        saved += 1;
    }
    assert!(saved > 50, "{saved}");
}

#[test]
fn files_that_hold_less_are_saved_only_if_nothing_is_lost() {
    let folder = Folder::new();
    let mut random = Random::new(3);
    let mut saved = [0, 0];
    for _ in 0..400 {
        let mut model = random_model(&mut random);
        if random.flip() {
            model.normalizer = Normalizer::None;
            model.template = Template::default();
            model.pattern = Pattern::Named(Named::Gpt2);
            let plain = |token: &SpecialToken| SpecialToken::new(&*token.content, token.id);
            model.special_tokens = model.special_tokens.iter().map(plain).collect();
            model = model.checked().unwrap();
        }
        let names = model.special_tokens.iter().map(|token| (token.content.clone(), None));
        let options = LoadOptions {
            pattern: Some(model.pattern.clone()),
            special_tokens: Some(names.collect()),
            ..LoadOptions::default()
        };
        for (at, format) in [Format::Gpt2, Format::Tiktoken].into_iter().enumerate() {
            let path = folder.path(["dir", "t.tiktoken"][at]);
            if save(&model, &path, format).is_err() {
                continue;
            }
            saved[at] += 1;
            let back = load(&path, &options).unwrap();
            assert_eq!((&back.vocab, &back.pattern), (&model.vocab, &model.pattern));
            assert_eq!(back.normalizer, model.normalizer);
            assert_eq!(back.template, model.template);
            if format == Format::Gpt2 {
                assert_eq!(back.special_tokens, model.special_tokens);
            }
            for text in ranks::tests::texts() {
                let ours = ranks::tests::encode(&model, &text);
                assert_eq!(ranks::tests::encode(&back, &text), ours, "{text:?}");
            }
        }
    }
    assert!(saved[0] > 20 && saved[1] > 20, "{saved:?}");
}

#[test]
fn formats_are_named_and_guessed_from_paths() {
    for format in Format::ALL {
        assert_eq!(Format::from_name(format.name()), Some(format));
    }
    assert_eq!(Format::from_name("json"), None);
    let folder = Folder::new();
    let of_path = |name: &str| Output::new(&folder.path(name), None).unwrap().format;
    assert_eq!(of_path("x.tiktoken"), Format::Tiktoken);
    assert_eq!(of_path("tokenizer.json"), Format::HuggingFace);
    assert_eq!(of_path("vocab.txt"), Format::Bert);
    assert_eq!(of_path("tok.json"), Format::Native);
    assert_eq!(of_path("nothing"), Format::Native);
}

#[test]
fn a_folder_takes_the_files_of_a_format_that_has_names_for_them() {
    let folder = Folder::new();
    let file = |name: &str, format| {
        let path = PathBuf::from(format!("{}{name}", folder.path("").display()));
        let file = Output::new(&path, format).map(|output| output.file);
        file.map(|file| file.strip_prefix(folder.path("")).unwrap().display().to_string())
    };
    for name in ["", "new/"] {
        let inside = |file: &str| Ok(format!("{name}{file}"));
        assert_eq!(file(name, Some(Format::Gpt2)), inside("vocab.json"));
        assert_eq!(file(name, Some(Format::HuggingFace)), inside("tokenizer.json"));
        assert_eq!(file(name, Some(Format::Bert)), inside("vocab.txt"));
        for format in [None, Some(Format::Native), Some(Format::Tiktoken)] {
            assert!(
                file(name, format).unwrap_err().to_string().contains("this is a folder"),
                "{format:?}"
            );
        }
    }
    assert_eq!(file("new", Some(Format::Gpt2)), Ok("new/vocab.json".to_owned()));
    assert_eq!(file("x.json", Some(Format::Gpt2)), Ok("x.json".to_owned()));
    assert!(!folder.path("new").exists());
    for (name, format) in
        [("no/x.json", None), ("no/x/", Some(Format::Gpt2)), ("no/x", Some(Format::Gpt2))]
    {
        assert!(matches!(file(name, format), Err(Error::Io { code: Some(2), .. })), "{name}");
    }
}

#[test]
fn special_tokens_take_free_ids() {
    let ids = |wanted: &[(&str, Option<TokenId>)]| {
        let wanted = wanted.iter().map(|&(token, id)| (token.to_owned(), id)).collect();
        special_tokens(&Vocab::bytes(), wanted)
            .map(|tokens| tokens.iter().map(|token| token.id).collect::<Vec<_>>())
            .map_err(|error| error.to_string())
    };
    assert_eq!(ids(&[("a", None), ("<s>", None), ("<t>", None)]), Ok(vec![97, 256, 257]));
    assert_eq!(ids(&[("<s>", None), ("<t>", Some(256))]), Ok(vec![257, 256]));
    assert_eq!(
        ids(&[("<s>", None), ("<t>", Some(MAX_ID))]),
        Err("no id is free for the special token \"<s>\"".into())
    );
}

/// The published vocabularies, where `SUBWORD_DATA` says.
#[test]
#[ignore = "reads published vocabularies: `make data` fetches them, then `make rust-test` runs it"]
fn published_tokenizers_load_and_come_back() {
    let data = std::env::var_os("SUBWORD_DATA").expect("SUBWORD_DATA is a folder with vocabs/");
    let data = Path::new(&data).join("vocabs");
    let folder = Folder::new();
    for (name, tokens, pattern) in [
        ("gpt2", 50257, Named::Gpt2),
        ("gpt2/vocab.json", 50257, Named::Gpt2),
        ("roberta-base", 50265, Named::Gpt2),
        ("gpt_neox", 50277, Named::Gpt2),
        ("qwen2_5", 151_665, Named::Qwen2),
        ("cl100k_gpt4", 100_263, Named::Llama3),
        ("o200k_gpt4o", 200_000, Named::O200k),
        ("r50k_base.tiktoken", 50256, Named::Gpt2),
        ("cl100k_base.tiktoken", 100_256, Named::Cl100k),
        ("o200k_base.tiktoken", 199_998, Named::O200k),
    ] {
        let path = data.join(name);
        let tiktoken = name.ends_with("tiktoken");
        let options = if tiktoken { with_pattern(pattern) } else { LoadOptions::default() };
        let model = load(&path, &options).unwrap();
        assert_eq!(model.vocab.len() + model.special_tokens.len(), tokens, "{name}");
        assert_eq!(model.pattern, Pattern::Named(pattern), "{name}");
        assert_eq!(from_bytes(&to_bytes(&model)).as_ref(), Ok(&model), "{name}");
        if tiktoken {
            let copy = folder.path("copy.tiktoken");
            save(&model, &copy, Format::Tiktoken).unwrap();
            assert_eq!(fs::read(copy).unwrap(), fs::read(path).unwrap(), "{name}");
        }
    }
    // GPT-2's merge list is r50k's ranks: the two files are one tokenizer.
    let copy = folder.path("copy.tiktoken");
    let gpt2 = load(&data.join("gpt2"), &LoadOptions::default()).unwrap();
    save(&gpt2, &copy, Format::Tiktoken).unwrap();
    assert_eq!(fs::read(copy).unwrap(), fs::read(data.join("r50k_base.tiktoken")).unwrap());
}

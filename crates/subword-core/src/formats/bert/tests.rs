//! Files as they are published, what stands beside them, and the errors word for word.

use super::*;
use crate::formats::tests::{Folder, Random};
use crate::formats::{Format, from_bytes, load, save, to_bytes};
use crate::model::{Unknown, WordLimit};

const VOCAB: &str = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nlow\n##er\n";

/// A WordPiece model, most often one that the files can hold.
fn random_word_piece(random: &mut Random) -> Model {
    let mut vocab = Vocab::default();
    let names: &[&str] =
        if random.flip() { &["[UNK]", "[CLS]", "[SEP]"] } else { &["<unk>", "<s>", "</s>"] };
    let mut id = random.below(3) as TokenId;
    let words = ["low", "##er", "É", "中", "##中", "\"", "\\", "#"];
    for token in names.iter().copied().chain(words) {
        if random.below(5) == 0 {
            continue;
        }
        vocab.insert(id, token.as_bytes()).unwrap();
        id += 1 + TokenId::from(random.below(6) == 0);
    }
    let _ = vocab.insert(id, names[0].as_bytes());
    let known = |name: &str| vocab.id_of(name.as_bytes());
    let special_tokens: Vec<_> =
        names.iter().filter_map(|name| Some(SpecialToken::new(*name, known(name)?))).collect();
    let (unk, cls, sep) = (known(names[0]).unwrap(), known(names[1]), known(names[2]));
    let mut word_piece = WordPiece::default();
    if random.below(4) == 0 {
        word_piece.cleanup = false;
        word_piece.prefix = ["", "@@"][random.below(2)].into();
        let limits = [WordLimit::Bytes(9), WordLimit::Characters(9), WordLimit::None];
        word_piece.limit = limits[random.below(3)];
        word_piece.unknown = [Unknown::Word, Unknown::Character][random.below(2)];
    }
    let mut model = Model::word_piece(vocab, unk, word_piece);
    model.special_tokens = special_tokens;
    let mut flags = [true; 4];
    flags.iter_mut().for_each(|flag| *flag = random.flip());
    let [clean, cjk, strip_accents, lowercase] = flags;
    let clean = clean || random.flip();
    model.normalizer = Normalizer::Bert(Bert { clean, cjk, strip_accents, lowercase });
    if let (Some(cls), Some(sep)) = (cls, sep) {
        model.template = Template::bert(cls, sep);
    }
    model.checked().unwrap()
}

fn bert_of(vocab: &str, config: Option<&str>, lowercase: Option<bool>) -> Bert {
    let options = LoadOptions { lowercase, ..LoadOptions::default() };
    let config = config.map_or_else(Config::default, |text| Config::read(text.as_bytes()).unwrap());
    let model = read(vocab.as_bytes(), &config, &options).unwrap();
    match model.normalizer {
        Normalizer::Bert(bert) => bert,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_line_is_a_token_and_its_number_the_id() {
    let folder = Folder::new();
    for text in [VOCAB.to_owned(), VOCAB.replace('\n', "\r\n"), VOCAB.trim_end().to_owned()] {
        let model = load(&folder.file("any name", text), &LoadOptions::default()).unwrap();
        assert_eq!(model.vocab.iter().map(|(id, _)| id).collect::<Vec<_>>(), [5, 6]);
        assert_eq!((model.vocab.id_of(b"low"), model.start.unk), (Some(5), Some(1)));
        let special: Vec<_> = model.special_tokens.iter().map(|token| &*token.content).collect();
        assert_eq!(special, ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]);
        assert_eq!(model.template, Template::bert(2, 3));
        assert_eq!(model.as_word_piece(), Some(&WordPiece::default()));
    }
}

#[test]
fn an_empty_line_is_an_id_without_a_token() {
    let folder = Folder::new();
    let text = "\n[UNK]\n\n\nlow\n";
    let model = load(&folder.file("vocab.txt", text), &LoadOptions::default()).unwrap();
    assert_eq!((model.vocab.id_of(b"low"), model.vocab.len()), (Some(4), 1));
    save(&model, &folder.path("copy"), Format::Bert).unwrap();
    assert_eq!(std::fs::read_to_string(folder.path("copy")).unwrap(), text);
}

#[test]
fn capitals_say_whether_text_is_lower_cased() {
    let lowercase = |more: &str, config, wanted| {
        let bert = bert_of(&format!("{VOCAB}{more}\n"), config, wanted);
        (bert.lowercase, bert.strip_accents)
    };
    assert_eq!(lowercase("[unusedX]", None, None), (true, true));
    assert_eq!(lowercase("é", None, None), (true, true));
    assert_eq!(lowercase("ℝ", None, None), (true, true));
    assert_eq!(lowercase("É", None, None), (false, false));
    assert_eq!(lowercase("##lOw", None, None), (false, false));
    let config = Some(r#"{"do_lower_case": true, "chat_template": ["x", {"y": 1}]}"#);
    assert_eq!(lowercase("É", config, None), (true, true));
    assert_eq!(lowercase("É", config, Some(false)), (false, false));
    let accents = Some(r#"{"do_lower_case": null, "strip_accents": false}"#);
    assert_eq!(lowercase("é", accents, None), (true, false));
    assert!(!bert_of(VOCAB, Some(r#"{"tokenize_chinese_chars": false}"#), None).cjk);
}

#[test]
fn the_file_beside_it_names_the_special_tokens() {
    let config = r#"{"unk_token": "<unk>", "cls_token": {"content": "<s>", "lstrip": false},
        "sep_token": "</s>", "pad_token": null, "mask_token": "<mask>"}"#;
    let vocab = "<unk>\n<s>\n</s>\nlow\n[PAD]\n##er\n";
    let config = Config::read(config.as_bytes()).unwrap();
    let model = read(vocab.as_bytes(), &config, &LoadOptions::default()).unwrap();
    let special: Vec<_> = model.special_tokens.iter().map(|token| &*token.content).collect();
    assert_eq!(special, ["<unk>", "<s>", "</s>", "[PAD]"]);
    assert_eq!((model.start.unk, model.template), (Some(0), Template::bert(1, 2)));
}

#[test]
fn what_is_wrong_is_named() {
    let folder = Folder::new();
    let refused = |text: &[u8]| {
        folder.file("vocab.txt", text);
        folder.refusal(&folder.path("vocab.txt"), &LoadOptions::default())
    };
    assert_eq!(
        refused(b"low\n##er\n"),
        "vocab.txt: the vocabulary has no \"[UNK]\"\n  hint: a word that has no tokens needs one: add \
         the line, or use Tokenizer.wordpiece"
    );
    assert_eq!(
        refused(b"[UNK]\nlow\n##er\nlow\n"),
        "vocab.txt:4: the token b\"low\" has two ids: 1 and 3"
    );
    assert_eq!(refused(b"[UNK]\nl\xFFw\n"), "vocab.txt:2: expected UTF-8, found \"l\\xffw\"");
    folder.file(CONFIG, "{\"do_lower_case\": 1}");
    assert_eq!(
        refused(VOCAB.as_bytes()),
        "tokenizer_config.json:1: expected true or false, found 1"
    );
    folder.file(CONFIG, "{\n\"do_basic_tokenize\": false}");
    assert_eq!(
        refused(VOCAB.as_bytes()),
        "tokenizer_config.json:2: \"do_basic_tokenize\": false is not supported"
    );
    folder.file("t.json", "{}");
    assert_eq!(
        folder.refusal(
            &folder.path("t.json"),
            &LoadOptions { lowercase: Some(true), ..LoadOptions::default() }
        ),
        "t.json: expected a vocab.txt for lowercase=True, found a file of another kind\n  hint: \
         lowercase= goes with a vocab.txt only; every other format says it itself"
    );
}

#[test]
fn a_second_file_is_written_only_where_it_is_needed() {
    let folder = Folder::new();
    let options = LoadOptions { lowercase: Some(true), ..LoadOptions::default() };
    let model = read(VOCAB.as_bytes(), &Config::default(), &options).unwrap();
    let path = folder.path("vocab.txt");
    save(&model, &path, Format::Bert).unwrap();
    assert_eq!(folder.names(), ["vocab.txt"]);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), VOCAB);
    let mut cased = model.clone();
    cased.normalizer = Normalizer::Bert(Bert { lowercase: false, ..bert_of(VOCAB, None, None) });
    save(&cased, &path, Format::Bert).unwrap();
    assert_eq!(folder.names(), [CONFIG, "vocab.txt"]);
    assert_eq!(load(&path, &LoadOptions::default()), Ok(cased.clone()));
    save(&cased, &path, Format::Bert).unwrap();
    assert_eq!(
        save(&model, &path, Format::Bert).unwrap_err().to_string(),
        format!(
            "{}: this tokenizer cannot be saved as vocab.txt: the tokenizer_config.json beside it says \
             otherwise\n  hint: save it in a directory of its own",
            path.display()
        )
    );
}

#[test]
fn what_the_files_cannot_hold_is_not_saved() {
    let model = read(VOCAB.as_bytes(), &Config::default(), &LoadOptions::default()).unwrap();
    let refused = |change: &dyn Fn(&mut Model, &mut WordPiece)| {
        let (mut model, mut word_piece) = (model.clone(), WordPiece::default());
        change(&mut model, &mut word_piece);
        model.encoder = crate::model::Encoder::WordPiece(word_piece);
        let error = write(&model.checked().unwrap(), None).unwrap_err().to_string();
        let hint = "\n  hint: save it as a native file or as tokenizer.json";
        let start = "this tokenizer cannot be saved as vocab.txt: ";
        error.strip_prefix(start).and_then(|rest| rest.strip_suffix(hint)).unwrap().to_owned()
    };
    assert_eq!(
        refused(&|_, it| it.prefix = "@@".into()),
        "its prefix is \"@@\", there it is \"##\""
    );
    assert_eq!(
        refused(&|_, it| it.limit = WordLimit::Bytes(9)),
        "its longest word has 9 bytes, there it has 100 characters"
    );
    assert_eq!(
        refused(&|_, it| it.unknown = Unknown::Character),
        "of an unknown word it keeps what it knows"
    );
    assert_eq!(refused(&|_, it| it.cleanup = false), "it decodes without clean-up");
    assert_eq!(
        refused(&|model, _| model.pattern = Pattern::Named(Named::Whitespace)),
        "its pattern is not bert"
    );
    assert_eq!(
        refused(&|model, _| model.normalizer = Normalizer::Nfc),
        "its normaliser is not that of BERT"
    );
    assert_eq!(
        refused(&|model, _| model.special_tokens.push(SpecialToken::new("<s>", 9))),
        "its special tokens are not those of BERT, as tokenizer_config.json names them"
    );
    assert_eq!(
        refused(&|model, _| model.special_tokens.push(SpecialToken::new("<s>\n", 9))),
        "its token b\"<s>\\n\" is no line of its own"
    );
    let bpe = crate::model::Merges::Ranked;
    let bpe = Model::new(Vocab::bytes(), bpe, Pattern::Named(Named::Gpt2), Vec::new());
    assert_eq!(missing(&bpe), Some("it is not WordPiece".into()));
}

#[test]
fn what_is_saved_is_what_is_loaded() {
    let mut random = Random::new(5);
    let (mut saved, count) = (0, 300);
    for _ in 0..count {
        let folder = Folder::new();
        let model = random_word_piece(&mut random);
        assert_eq!(from_bytes(&to_bytes(&model)).as_ref(), Ok(&model));
        for (format, name) in [(Format::Bert, "vocab.txt"), (Format::HuggingFace, "tokenizer.json")]
        {
            let path = folder.path(name);
            if save(&model, &path, format).is_ok() {
                assert_eq!(load(&path, &LoadOptions::default()).as_ref(), Ok(&model), "{format:?}");
                saved += 1;
            }
        }
    }
    assert!(saved > count / 3, "{saved}");
}

#[test]
fn no_file_panics() {
    let config = Config::default().write();
    let mut random = Random::new(6);
    for _ in 0..2000 {
        let (mut vocab, mut config) = (VOCAB.as_bytes().to_vec(), config.clone().into_bytes());
        for bytes in [&mut vocab, &mut config] {
            if random.flip() {
                bytes.truncate(random.below(bytes.len() + 1));
            }
            for _ in 0..random.below(4).min(bytes.len()) {
                let at = random.below(bytes.len());
                bytes[at] = random.below(256) as u8;
            }
        }
        let config = Config::read(&config).unwrap_or_default();
        let _ = read(&vocab, &config, &LoadOptions::default());
    }
}

/*!
`vocab.txt`, as BERT was published: one token per line, its id is the number of the line.

```text
vocab.txt               [PAD]          id 0
                        [UNK]          id 1
                        low            id 2
                        ##er           id 3
tokenizer_config.json   {"do_lower_case": true, ...}      optional, beside it
```

The file holds no settings. `tokenizer_config.json` has some of them: whether text is lower-cased,
accents are stripped, Chinese characters are words, and what the special tokens are called. Without
it a vocabulary with a capital letter outside of square brackets keeps capitals, any other is
lower-cased. What the caller says wins.

An empty line is an id without a token.
*/

mod config;

use std::path::{Path, PathBuf};

use super::LoadOptions;
use super::load::read_file;
use crate::error::{Error, Result};
use crate::interrupt;
use crate::model::{
    Bert, Model, Named, Normalizer, Pattern, SpecialToken, Template, WordLimit, WordPiece,
};
use crate::types::TokenId;
use crate::vocab::Vocab;

pub(super) use config::Config;

/// The name of the second file.
const CONFIG: &str = "tokenizer_config.json";

/// What the unknown token may be called for a file to be recognised by it.
const UNKNOWN: [&[u8]; 2] = [b"[UNK]", b"<unk>"];

/// Whether the lines look like one of these files: one is the unknown token, or goes on within a
/// word.
pub(super) fn recognise(bytes: &[u8]) -> bool {
    let lines = || bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end);
    let goes_on = |line: &[u8]| line.starts_with(b"##") && !line.contains(&b' ');
    let token = |line| UNKNOWN.contains(&line) || goes_on(line);
    !bytes.starts_with(b"#version") && lines().any(token)
}

/// The model in a file, and in the one beside it if there is one.
pub(super) fn read(bytes: &[u8], config: &Config, options: &LoadOptions) -> Result<Model> {
    let vocab = read_vocab(bytes)?;
    let lowercase = options.lowercase.or(config.lowercase).unwrap_or_else(|| !is_cased(&vocab));
    let id = |name: &str| vocab.id_of(name.as_bytes());
    let Some(unk) = id(&config.unk) else {
        return Err(Error::format(format!("the vocabulary has no {:?}", config.unk)).with_hint(
            "a word that has no tokens needs one: add the line, or use Tokenizer.wordpiece",
        ));
    };
    let (cls, sep) = (id(&config.cls), id(&config.sep));
    let special = |name: &String| Some(SpecialToken::new(name.as_str(), id(name)?));
    let special_tokens = config.special().into_iter().filter_map(special).collect();
    let mut model = Model::word_piece(vocab, unk, WordPiece::default());
    model.normalizer = Normalizer::Bert(Bert {
        clean: true,
        cjk: config.cjk,
        strip_accents: config.strip_accents.unwrap_or(lowercase),
        lowercase,
    });
    model.special_tokens = special_tokens;
    if let (Some(cls), Some(sep)) = (cls, sep) {
        model.template = Template::bert(cls, sep);
    }
    model.checked()
}

fn read_vocab(bytes: &[u8]) -> Result<Vocab> {
    let mut vocab = Vocab::with_capacity(bytes.len() / 8);
    for (at, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        interrupt::worked(line.len())?;
        let token = line.trim_ascii_end();
        if token.is_empty() {
            continue;
        }
        let place = |error: Error| error.on_line(at + 1);
        if std::str::from_utf8(token).is_err() {
            let shown = token[..token.len().min(60)].escape_ascii();
            return Err(place(Error::format(format!("expected UTF-8, found \"{shown}\""))));
        }
        let id = TokenId::try_from(at).unwrap_or(TokenId::MAX);
        vocab.insert(id, token).map_err(place)?;
    }
    Ok(vocab)
}

/// Whether a token that is not in square brackets has a capital letter.
fn is_cased(vocab: &Vocab) -> bool {
    // Some are capitals and have no other form, like ℝ: they say nothing.
    let capital = |c: char| !c.to_lowercase().eq([c]);
    vocab.iter().any(|(_, token)| {
        !(token.starts_with(b"[") && token.ends_with(b"]"))
            && String::from_utf8_lossy(token).chars().any(capital)
    })
}

/// The file of a model, and the one beside it where the first alone would be read otherwise.
/// `beside` is what is there already: it is left as it is, and must say the same.
pub(super) fn write(model: &Model, beside: Option<&Config>) -> Result<(String, Option<String>)> {
    let refusal = |what: String| {
        Error::format(format!("this tokenizer cannot be saved as vocab.txt: {what}"))
            .with_hint("save it as a native file or as tokenizer.json")
    };
    if let Some(what) = missing(model) {
        return Err(refusal(what));
    }
    let mut lines = vec![""; model.id_limit() as usize];
    let special = model.special_tokens.iter().map(|token| (token.id, token.content.as_bytes()));
    for (id, token) in model.vocab.iter().chain(special) {
        let text = std::str::from_utf8(token).ok();
        let Some(text) = text.filter(|text| text.trim_ascii_end() == *text && !text.contains('\n'))
        else {
            let token = token.escape_ascii();
            return Err(refusal(format!("its token b\"{token}\" is no line of its own")));
        };
        lines[id as usize] = text;
    }
    let text = lines.join("\n") + "\n";
    let reads = |config: &Config| {
        read(text.as_bytes(), config, &LoadOptions::default()).is_ok_and(|read| read == *model)
    };
    if reads(beside.unwrap_or(&Config::default())) {
        return Ok((text, None));
    }
    if beside.is_some() {
        let what = format!("the {CONFIG} beside it says otherwise");
        return Err(refusal(what).with_hint("save it in a directory of its own"));
    }
    let config = Config::of(model);
    if reads(&config) {
        return Ok((text, Some(config.write())));
    }
    Err(refusal(format!("its special tokens are not those of BERT, as {CONFIG} names them")))
}

/// What neither file can hold.
fn missing(model: &Model) -> Option<String> {
    let Some(word_piece) = model.as_word_piece() else {
        return Some("it is not WordPiece".into());
    };
    let usual = WordPiece::default();
    let WordPiece { prefix, limit, unknown, cleanup } = word_piece;
    let what = if *prefix != usual.prefix {
        format!("its prefix is {prefix:?}, there it is {:?}", usual.prefix)
    } else if *limit != usual.limit {
        format!("its longest word has {}, there it has {}", length(*limit), length(usual.limit))
    } else if *unknown != usual.unknown {
        "of an unknown word it keeps what it knows".into()
    } else if *cleanup != usual.cleanup {
        "it decodes without clean-up".into()
    } else if model.pattern != Pattern::Named(Named::Bert) {
        "its pattern is not bert".into()
    } else {
        match model.normalizer {
            Normalizer::Bert(Bert { clean: true, .. }) => return None,
            Normalizer::Bert(_) => "its normaliser does not clean the text".into(),
            _ => "its normaliser is not that of BERT".into(),
        }
    };
    Some(what)
}

fn length(limit: WordLimit) -> String {
    match limit {
        WordLimit::Characters(limit) => format!("{limit} characters"),
        WordLimit::Bytes(limit) => format!("{limit} bytes"),
        WordLimit::None => "any length".into(),
    }
}

/// The path of the file beside a `vocab.txt`.
pub(super) fn config_path(path: &Path) -> PathBuf {
    path.with_file_name(CONFIG)
}

/// The file beside a `vocab.txt`, if there is one.
pub(super) fn config_beside(path: &Path) -> Result<Option<Config>> {
    let path = config_path(path);
    if !path.is_file() {
        return Ok(None);
    }
    Config::read(&read_file(&path)?).map(Some).map_err(|error| error.at(&path))
}

#[cfg(test)]
mod tests;

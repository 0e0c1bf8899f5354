/*!
Files to [`Model`] and back.

| format      | what it is                                             | holds everything          |
|-------------|--------------------------------------------------------|---------------------------|
| native      | one JSON file of our own                               | yes                       |
| tiktoken    | lines of base64 and rank                               | no pattern, no specials   |
| gpt2        | `vocab.json` and `merges.txt`                          | only GPT-2's pattern      |
| huggingface | `tokenizer.json`, BPE and WordPiece                    | yes                       |
| sentencepiece | `tokenizer.model`, BPE; read only                    | yes                       |
| bert        | `vocab.txt`, and `tokenizer_config.json` if need be    | BERT's settings           |

```text
load   path -> the file, or that of a directory -> recognise by content -> read -> Model::checked
save   path -> file and format (output.rs) -> text, or an error that names what the format cannot hold
       -> atomic write
```

Invariants
* What a file asks for and we do not run is an error that names it, never ignored.
* What a format cannot hold is an error when saving, except special tokens in `.tiktoken` (see
  `tiktoken`), and saved truncation and padding, which change no id: the door warns of both.
* No input panics, recurses without end or asks for more memory than a few times its size, which is
  limited.
*/

pub(crate) mod alphabet;
mod bert;
mod gpt2;
mod huggingface;
mod load;
mod native;
mod output;
mod ranks;
mod sentencepiece;
mod tiktoken;

use std::path::{Path, PathBuf};

use crate::atomic;
use crate::error::{Error, Result};
use crate::json::{self, Json};
use crate::model::{Decoder, Encoder, Model, Pattern, RowDefaults, SpecialToken, TrimOffsets};
use crate::types::TokenId;
use crate::vocab::{MAX_ID, Vocab};

pub use load::{load, load_bytes, load_noting};
pub use output::Output;
pub use ranks::{merge_list, merges_of_ranks, pairs_of_tokens};

/// What the caller says about a file: what it does not hold, or holds otherwise.
#[derive(Debug, Clone, Default)]
pub struct LoadOptions {
    /// How text is cut into pieces. A `.tiktoken` file needs it; elsewhere it replaces what the
    /// file says.
    pub pattern: Option<Pattern>,
    /// Special tokens besides those that the file names; see [`special_tokens`].
    pub special_tokens: Option<Vec<(String, Option<TokenId>)>>,
    /// The merges of a `vocab.json`, if they are not in `merges.txt` beside it.
    pub merges: Option<PathBuf>,
    /// Whether a `vocab.txt` is for text in lower case.
    pub lowercase: Option<bool>,
}

/// A kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// One JSON file of our own.
    Native,
    /// Lines of base64 and rank.
    Tiktoken,
    /// `vocab.json` and `merges.txt`.
    Gpt2,
    /// `tokenizer.json`.
    HuggingFace,
    /// `vocab.txt`.
    Bert,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 5] =
        [Format::Native, Format::Tiktoken, Format::Gpt2, Format::HuggingFace, Format::Bert];

    /// The name that a user types.
    pub fn name(self) -> &'static str {
        match self {
            Format::Native => "native",
            Format::Tiktoken => "tiktoken",
            Format::Gpt2 => "gpt2",
            Format::HuggingFace => "huggingface",
            Format::Bert => "bert",
        }
    }

    /// The format of that name.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The format that the name of a file says: `*.tiktoken`, `tokenizer.json`, `vocab.txt`, otherwise native.
    fn of_name(path: &Path) -> Format {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name == "vocab.txt" {
            Format::Bert
        } else if path.extension().is_some_and(|extension| extension == "tiktoken") {
            Format::Tiktoken
        } else if name == "tokenizer.json" {
            Format::HuggingFace
        } else {
            Format::Native
        }
    }
}

/// Writes a model to `path`, in this format if one is named: [`Output`] has the rule. Returns the format. Whatever
/// happens, the file is the old one or the new one.
pub fn save(model: &Model, path: &Path, format: impl Into<Option<Format>>) -> Result<Format> {
    let output = Output::new(path, format.into())?;
    let by_vocabulary = match model.encoder {
        Encoder::Longest => Some("longest"),
        Encoder::Fewest => Some("fewest"),
        Encoder::Merge | Encoder::WordPiece(_) => None,
    };
    if let Some(which) = by_vocabulary.filter(|_| output.format != Format::Native) {
        let message =
            format!("only a native file can hold a tokenizer that encodes by the {which} tokens");
        let hint = "save it with format=\"native\"";
        return Err(Error::format(message).with_hint(hint).at(path));
    }
    if !matches!(output.format, Format::Native | Format::HuggingFace) {
        if model.chain.is_some() {
            let message = "only a native file or a tokenizer.json can hold this tokenizer, whose steps no other \
                           format describes";
            let hint = "save it with format=\"native\" or \"huggingface\"";
            return Err(Error::format(message).with_hint(hint).at(path));
        }
        check_output(model).map_err(|error| error.at(path))?;
    }
    let without_rows;
    let model = match output.format {
        Format::Native | Format::HuggingFace => model,
        _ if model.rows.is_empty() => model,
        _ => {
            without_rows = Model { rows: RowDefaults::default(), ..model.clone() };
            &without_rows
        }
    };
    let file = output.file.as_path();
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    match output.format {
        Format::Native => files.push((file.to_owned(), native::write(model))),
        Format::Tiktoken => {
            files.push((file.to_owned(), tiktoken::write(model).map_err(|error| error.at(path))?))
        }
        Format::Gpt2 => {
            let (vocab, merges) = gpt2::write(model).map_err(|error| error.at(path))?;
            files.push((file.with_file_name("merges.txt"), merges));
            files.push((file.to_owned(), vocab));
        }
        Format::HuggingFace => {
            files.push((
                file.to_owned(),
                huggingface::write(model).map_err(|error| error.at(path))?,
            ));
        }
        Format::Bert => {
            let beside = bert::config_beside(file)?;
            let (vocab, config) =
                bert::write(model, beside.as_ref()).map_err(|error| error.at(path))?;
            files.extend(config.map(|config| (bert::config_path(file), config)));
            files.push((file.to_owned(), vocab));
        }
    }
    output.make_folder()?;
    let files: Vec<_> =
        files.iter().map(|(file, text)| (file.as_path(), text.as_bytes())).collect();
    atomic::write(&files)?;
    Ok(output.format)
}

/// Refuses settings of offsets and decoding that only a native file and a `tokenizer.json` can hold.
fn check_output(model: &Model) -> Result<()> {
    let what = if model.trim_offsets != TrimOffsets::Nothing {
        "whose offsets leave out white space"
    } else if model.decoder != Decoder::Text {
        "that decodes to its tokens with spaces between them"
    } else {
        return Ok(());
    };
    let message = format!("only a native file or a tokenizer.json can hold a tokenizer {what}");
    Err(Error::format(message).with_hint("save it with format=\"native\" or \"huggingface\""))
}

/// Why no fast path runs a model with the chain of a `tokenizer.json`.
pub(crate) fn why_chain(model: &Model) -> String {
    huggingface::why_chain(model)
}

/// A model as the bytes of its native file. Equal models have equal bytes.
///
/// ```
/// # use subword_core::{Merges, Model, Pattern, Vocab, formats, pretok::Named};
/// let model = Model::new(Vocab::bytes(), Merges::Ranked, Pattern::Named(Named::Gpt2), Vec::new());
/// let bytes = formats::to_bytes(&model);
/// assert!(bytes.starts_with(b"{\n  \"format\": \"subword\",\n  \"version\": 1,\n"));
/// assert_eq!(formats::from_bytes(&bytes), Ok(model));
/// ```
pub fn to_bytes(model: &Model) -> Vec<u8> {
    native::write(model).into_bytes()
}

/// The model whose native file these bytes are.
pub fn from_bytes(bytes: &[u8]) -> Result<Model> {
    let mut json = Json::new(bytes)?;
    let (fields, vocab) = native::open(&mut json)?;
    json.end()?;
    if !native::recognise(&fields) {
        return Err({ fields.start() }.expected("an object with \"format\": \"subword\""));
    }
    native::read(fields, vocab)
}

/// Special tokens with their ids. One without an id has the id of its bytes in the vocabulary, or
/// else the next free id after the largest.
///
/// ```
/// # use subword_core::{Vocab, formats::special_tokens};
/// let mut vocab = Vocab::bytes();
/// vocab.insert(256, b"<s>").unwrap();
/// let wanted = [("<s>", None), ("<pad>", None), ("<mask>", Some(300))];
/// let wanted = wanted.map(|(token, id)| (token.to_owned(), id)).to_vec();
/// let tokens = special_tokens(&vocab, wanted).unwrap();
/// let ids: Vec<u32> = tokens.iter().map(|token| token.id).collect();
/// assert_eq!(ids, [256, 301, 300]);
/// ```
pub fn special_tokens(
    vocab: &Vocab,
    wanted: Vec<(String, Option<TokenId>)>,
) -> Result<Vec<SpecialToken>> {
    let known = |token: &str| vocab.id_of(token.as_bytes());
    number(wanted, vocab.id_limit(), known)
}

/// Special tokens with their ids, `known` or the next free one from `next` on.
fn number(
    wanted: Vec<(String, Option<TokenId>)>,
    next: TokenId,
    known: impl Fn(&str) -> Option<TokenId>,
) -> Result<Vec<SpecialToken>> {
    let largest = wanted.iter().filter_map(|(_, id)| *id).max();
    let mut next = next.max(largest.map_or(0, |id| id.saturating_add(1)));
    let mut tokens = Vec::with_capacity(wanted.len());
    for (content, id) in wanted {
        let id = match id.or_else(|| known(&content)) {
            Some(id) => id,
            None if next > MAX_ID => {
                return Err(Error::format(format!(
                    "no id is free for the special token {content:?}"
                )));
            }
            None => {
                next += 1;
                next - 1
            }
        };
        tokens.push(SpecialToken::new(content, id));
    }
    Ok(tokens)
}

#[cfg(test)]
pub(crate) mod tests;

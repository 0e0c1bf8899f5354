/*!
A path to a model: find the file, read it, recognise it by its content.

```text
{"format": "subword", ...   native
{..., "model": {...}}       tokenizer.json
{"!": 0, ...                vocab.json
IQ== 0                      .tiktoken
0A .. 0A .. <unk>           tokenizer.model of sentencepiece
[UNK]  or  ##ing            vocab.txt
```

Names are only looked at where a directory holds several files.
*/

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::json::Json;
use super::{LoadOptions, bert, gpt2, huggingface, native, number, sentencepiece, tiktoken};
use crate::error::{Error, Result};
use crate::model::{Model, SpecialToken};
use crate::vocab::Vocab;
use crate::{interrupt, memory};

/// The largest file that is read: 1 GiB, a hundred times the largest published tokenizer.
const MAX_FILE_BYTES: u64 = 1 << 30;

/// How much is read at a time.
const BLOCK: u64 = 1 << 22;

const KNOWN: &str = concat!(
    "known are native files, .tiktoken, tokenizer.json, tokenizer.model, vocab.txt, ",
    "and vocab.json with merges.txt"
);

/// Reads a model from a file of any format, or from a directory that holds one. The content says
/// which format it is.
///
/// In a directory the first of these is read: `tokenizer.json`, `tokenizer.model`, `vocab.json`, `vocab.txt`, the only
/// `.json`, `.tiktoken` or `.model` file.
pub fn load(path: &Path, options: &LoadOptions) -> Result<Model> {
    load_noting(path, options).map(|(model, _)| model)
}

/// The same, with notes on what was not read because it does not concern the tokenizer.
pub fn load_noting(path: &Path, options: &LoadOptions) -> Result<(Model, Vec<Error>)> {
    let path = if path.is_dir() { file_in(path)? } else { path.to_owned() };
    let bytes = read_file(&path)?;
    let mut notes = Vec::new();
    let model = read(&bytes, &path, options, &mut notes).map_err(|error| error.at(&path))?;
    Ok((model, notes.into_iter().map(|note| note.at(&path)).collect()))
}

/// Reads a model from the content of the file `path`, which is not opened again; files beside it may be.
pub fn load_bytes(bytes: &[u8], path: &Path, options: &LoadOptions) -> Result<Model> {
    read(bytes, path, options, &mut Vec::new()).map_err(|error| error.at(path))
}

/// The file of a directory that is a tokenizer.
fn file_in(directory: &Path) -> Result<PathBuf> {
    for name in ["tokenizer.json", "tokenizer.model", "vocab.json", "vocab.txt"] {
        let path = directory.join(name);
        if path.is_file() {
            return Ok(path);
        }
    }
    let io = |error| Error::io(directory, &error);
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).map_err(io)? {
        let path = entry.map_err(io)?.path();
        let ends = ["json", "tiktoken", "model"];
        let known = path.extension().is_some_and(|end| ends.iter().any(|known| end == *known));
        if known && path.is_file() {
            found.push(path);
        }
    }
    found.sort();
    match found.as_slice() {
        [path] => Ok(path.clone()),
        [] => Err(Error::format("the directory holds no tokenizer").at(directory).with_hint(KNOWN)),
        [first, second, ..] => {
            let name = |path: &PathBuf| path.file_name().unwrap_or_default().display().to_string();
            let (first, second) = (name(first), name(second));
            Err(Error::format(format!("expected one tokenizer, found {first:?} and {second:?}"))
                .at(directory)
                .with_hint("load one of the files by its own path"))
        }
    }
}

/// The bytes of a file of a reasonable size.
pub(super) fn read_file(path: &Path) -> Result<Vec<u8>> {
    let io = |error| Error::io(path, &error);
    let file = File::open(path).map_err(io)?;
    let size = file.metadata().map_err(io)?.len();
    let mut bytes = Vec::new();
    if size <= MAX_FILE_BYTES {
        bytes = memory::with_capacity(size as usize + 1)?;
        let mut file = file.take(MAX_FILE_BYTES + 1);
        while file.by_ref().take(BLOCK).read_to_end(&mut bytes).map_err(io)? > 0 {
            interrupt::worked(BLOCK as usize)?;
        }
    }
    if size.max(bytes.len() as u64) > MAX_FILE_BYTES {
        let message = format!("expected at most {MAX_FILE_BYTES} bytes, found a larger file");
        return Err(Error::format(message).at(path));
    }
    Ok(bytes)
}

/// The model in the content of a file.
fn read(bytes: &[u8], path: &Path, options: &LoadOptions, notes: &mut Vec<Error>) -> Result<Model> {
    if sentencepiece::recognise(bytes) {
        refuse_merges(options)?;
        refuse_lowercase(options)?;
        return with_options(sentencepiece::read(bytes)?, options);
    }
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if text.trim_ascii().is_empty() {
        return Err(Error::format("the file is empty"));
    }
    if text.trim_ascii_start().starts_with(b"{") {
        return read_json(text, path, options, notes);
    }
    refuse_merges(options)?;
    if bert::recognise(text) {
        return read_lines(text, path, options);
    }
    refuse_lowercase(options)?;
    if tiktoken::recognise(text) {
        return tiktoken::read(text, options);
    }
    let hint = if text.starts_with(b"#version") {
        "a merge list is no tokenizer by itself: load the vocab.json that belongs to it"
    } else {
        KNOWN
    };
    Err(Error::format("expected a tokenizer, found a file of another kind").with_hint(hint))
}

/// A `vocab.txt`, with what stands beside it.
fn read_lines(text: &[u8], path: &Path, options: &LoadOptions) -> Result<Model> {
    let config = bert::config_beside(path)?.unwrap_or_default();
    with_options(bert::read(text, &config, options)?, options)
}

fn read_json(
    text: &[u8],
    path: &Path,
    options: &LoadOptions,
    notes: &mut Vec<Error>,
) -> Result<Model> {
    refuse_lowercase(options)?;
    let mut json = Json::new(text)?;
    if starts_with_an_id(json) {
        let (vocab, special_tokens) = gpt2::read_vocab(json, options)?;
        return read_merges(vocab, special_tokens, path, options);
    }
    refuse_merges(options)?;
    let (fields, vocab) = native::open(&mut json)?;
    json.end()?;
    if native::recognise(&fields) {
        return with_options(native::read(fields, vocab)?, options);
    }
    if huggingface::recognise(&fields) {
        return with_options(huggingface::read(fields, options, notes)?, options);
    }
    Err(Error::format("expected a tokenizer, found a JSON file of another kind").with_hint(KNOWN))
}

/// Whether the first value of the object is a number, as in a `vocab.json`.
fn starts_with_an_id(mut json: Json) -> bool {
    let mut number = false;
    // The first value ends the search with an error of no meaning.
    let _ = json.object(|json, _| {
        number = json.peek().is_some_and(|byte| byte == b'-' || byte.is_ascii_digit());
        Err(Error::format(""))
    });
    number
}

/// The second file of a `vocab.json`.
fn read_merges(
    vocab: Vocab,
    special_tokens: Vec<SpecialToken>,
    vocab_path: &Path,
    options: &LoadOptions,
) -> Result<Model> {
    let beside = vocab_path.with_file_name("merges.txt");
    let path = options.merges.as_ref().unwrap_or(&beside);
    if options.merges.is_none() && !path.exists() {
        let message = "a vocab.json needs its merges, and there is no merges.txt beside it";
        return Err(Error::format(message)
            .with_hint("put merges.txt beside it; in Python, merges= takes the path of another"));
    }
    let bytes = read_file(path)?;
    let merges = gpt2::read_merges(&bytes, &vocab).map_err(|error| error.at(path))?;
    gpt2::model(vocab, special_tokens, merges, options)
}

fn refuse_merges(options: &LoadOptions) -> Result<()> {
    match &options.merges {
        None => Ok(()),
        Some(path) => Err(Error::format(format!(
            "expected a vocab.json for the merges in {:?}, found a file of another kind",
            path.display().to_string()
        ))
        .with_hint("merges= goes with a vocab.json only; every other format holds its merges")),
    }
}

fn refuse_lowercase(options: &LoadOptions) -> Result<()> {
    match options.lowercase {
        None => Ok(()),
        Some(lowercase) => Err(Error::format(format!(
            "expected a vocab.txt for lowercase={}, found a file of another kind",
            if lowercase { "True" } else { "False" }
        ))
        .with_hint("lowercase= goes with a vocab.txt only; every other format says it itself")),
    }
}

/// A chain cuts by its own steps. Another pattern would be asked where a text may be cut, and nothing else.
fn refuse_pattern(model: &Model) -> Result<()> {
    let Some(chain) = &model.chain else { return Ok(()) };
    let what = match chain.pieces() {
        Some(_) => "a SentencePiece model",
        None => "a tokenizer that runs by the plain chain",
    };
    Err(Error::format(format!("{what} says itself how text is cut, and takes no pattern"))
        .with_hint("leave out pattern="))
}

/// A model from a file that says everything itself, changed by the options of the caller.
fn with_options(mut model: Model, options: &LoadOptions) -> Result<Model> {
    if options.pattern.is_none() && options.special_tokens.is_none() {
        return Ok(model);
    }
    if let Some(pattern) = &options.pattern {
        refuse_pattern(&model)?;
        model.pattern = pattern.clone();
    }
    let more = options.special_tokens.clone().unwrap_or_default();
    let more = number(more, model.id_limit(), |token| {
        let special = model.special_tokens.iter().find(|other| other.content == token);
        special.map(|special| special.id).or_else(|| model.vocab.id_of(token.as_bytes()))
    })?;
    for token in more {
        let same = |other: &SpecialToken| other.content == token.content && other.id == token.id;
        if !model.special_tokens.iter().any(same) {
            model.special_tokens.push(token);
        }
    }
    model.checked()
}

#[cfg(test)]
mod tests;

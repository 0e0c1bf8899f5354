/*!
`tokenizer.json` of Hugging Face's `tokenizers`, as far as it is BPE or WordPiece.

```text
truncation, padding   how texts become rows: see [`rows`]
added_tokens    special tokens (`special: false`: matched in every text)
normalizer      null, NFC, NFD, NFKC, NFKD, or a Sequence of at most one of them; NFC and Lowercase
pre_tokenizer   Split and Digits, one after the other, then ByteLevel
model           BPE: vocabulary in the byte alphabet, merges
post_processor  templates around one text and two; ByteLevel trims offsets
decoder         ByteLevel; null: the tokens with spaces between them
```

This is byte-level BPE; for WordPiece see [`wordpiece`]. Without ByteLevel, pieces start from characters, and
with an `end_of_word_suffix` they are words: see [`words`].

Invariants
* A component, a setting or a key that may change ids and that we do not run is refused by its name.
* A regular expression is only accepted if Oniguruma, which Hugging Face uses, and our engine agree on
  what it means: see [`dialect`].
* What [`write`] writes gives the same ids in Hugging Face's tokenizers.
*/

mod chain;
mod components;
mod dialect;
mod model;
mod pipeline;
pub(super) mod rows;
mod template;
mod unigram;
mod wordpiece;
mod words;
mod write;

use std::collections::HashMap;

use super::LoadOptions;
use super::gpt2::WrittenVocab;
use super::json::{Fields, Json};
use crate::error::{Error, Result};
use crate::model::{Decoder, Model, RowDefaults, SpecialToken};
use model::read_model;

pub(super) use chain::write as write_chain;
pub(super) use write::write;

/// How deep a Sequence may hold a Sequence.
const MAX_NESTING: usize = 8;

/// Whether the object looks like one of these files.
pub(super) fn recognise(fields: &Fields) -> bool {
    fields.get("model").is_some_and(|mut json| json.peek() == Some(b'{'))
}

/// The model in a file, and notes on what is read otherwise than the file says. What no fast path runs is read as a chain.
pub(super) fn read(fields: Fields, options: &LoadOptions, notes: &mut Vec<Error>) -> Result<Model> {
    let mut start = fields.start();
    // Its vocabulary is large, so it is not looked at in vain.
    if options.pattern.is_none() && unigram::is_one(&fields) {
        return chain::read(fields, notes);
    }
    match read_known(fields, options) {
        Err(_) if options.pattern.is_none() => {}
        done => return done,
    }
    chain::read(start.fields()?, notes)
}

/// The model with a chain in a file that was written by [`write_chain`].
pub(super) fn read_chain(fields: Fields) -> Result<Model> {
    chain::read(fields, &mut Vec::new())
}

/// Checks the version, and reads how texts become rows.
fn read_head(fields: &mut Fields) -> Result<RowDefaults> {
    if let Some(mut version) = fields.take("version")
        && { version }.string()? != "1.0"
    {
        return Err(version.expected("\"1.0\""));
    }
    rows::read(fields)
}

/// The model of a file that a fast path runs.
fn read_known(mut fields: Fields, options: &LoadOptions) -> Result<Model> {
    let rows = read_head(&mut fields)?;
    let (template, trim_offsets) = template::read(fields.take_value("post_processor"))?;
    let mut place = fields.need("model")?;
    let mut inner = place.fields()?;
    let mut model = match model::kind_of(&mut inner)?.as_str() {
        "BPE" => read_bpe(&mut fields, inner, options)?,
        "WordPiece" => read_word_piece(&mut fields, inner, options)?,
        kind => {
            let message = format!("model {kind:?} is not supported");
            return Err(Error::format_line(inner.start().line(), message)
                .with_hint("subword reads BPE and WordPiece from a tokenizer.json"));
        }
    };
    fields.finish("tokenizer.json")?;
    model.template = template;
    model.rows = rows;
    model.trim_offsets = trim_offsets;
    check_matched(&model)?;
    model.checked()
}

fn read_bpe(fields: &mut Fields, inner: Fields, options: &LoadOptions) -> Result<Model> {
    let pre_tokenizer = fields.take_value("pre_tokenizer");
    let no_pieces = pre_tokenizer.is_none() && options.pattern.is_some();
    let parts = read_model(inner, no_pieces || words::byte_level(pre_tokenizer))?;
    let normalizer = pipeline::read_normalizer(fields.take_value("normalizer"), &parts.start)?;
    let pattern = match &options.pattern {
        Some(pattern) => pattern.clone(),
        None => pipeline::read_pattern(pre_tokenizer, fields.start(), &parts.start)?,
    };
    let decoder = pipeline::read_decoder(fields.take_value("decoder"), &parts.start)?;
    let special_tokens = read_added_tokens(fields.take_value("added_tokens"), &parts.written)?;
    parts.written.check_odd(&special_tokens)?;
    let mut model = Model::new(parts.written.vocab, parts.merges, pattern, special_tokens);
    model.start = parts.start;
    model.ignore_merges = parts.ignore_merges;
    model.normalizer = normalizer;
    model.decoder = decoder;
    model::forget_look_alikes(&mut model)?;
    Ok(model)
}

fn read_word_piece(fields: &mut Fields, inner: Fields, options: &LoadOptions) -> Result<Model> {
    let wordpiece::WordPieceModel { written, unk, mut word_piece } = wordpiece::read_model(inner)?;
    let cleanup = wordpiece::read_cleanup(fields.take_value("decoder"), &word_piece.prefix)?;
    word_piece.cleanup = cleanup.unwrap_or(false);
    let special_tokens = read_added_tokens(fields.take_value("added_tokens"), &written)?;
    let mut model = Model::word_piece(written.vocab, unk, word_piece);
    model.special_tokens = special_tokens;
    model.decoder = if cleanup.is_some() { Decoder::Text } else { Decoder::Spaced };
    let normalizer = fields.take_value("normalizer");
    model.normalizer = pipeline::read_normalizer(normalizer, &model.start)?;
    let pre_tokenizer = fields.take_value("pre_tokenizer");
    model.pattern = match &options.pattern {
        Some(pattern) => pattern.clone(),
        None => wordpiece::read_pattern(pre_tokenizer, fields.start())?,
    };
    Ok(model)
}

/// The added tokens, with the ids that Hugging Face gives them: that of the vocabulary, or the next
/// after it. The id in the file must be the same, or the file means two things.
fn read_added_tokens(json: Option<Json>, written: &WrittenVocab) -> Result<Vec<SpecialToken>> {
    let mut tokens = Vec::new();
    let Some(mut json) = json else { return Ok(tokens) };
    let mut next = written.len() as u32;
    json.list(|json| {
        let (token, place) = read_added_token(json)?;
        let id = written.id_of(&token.content).unwrap_or_else(|| {
            next += 1;
            next - 1
        });
        if id != token.id {
            let (content, written) = (&token.content, token.id);
            return Err(Error::format_line(place.line(), format!(
                "the added token {content:?} has id {written}, but Hugging Face tokenizers give it {id}"
            ))
            .with_hint("put the token with its id into the vocabulary of the model, too"));
        }
        tokens.push(token);
        Ok(())
    })?;
    Ok(tokens)
}

/// One added token as the file has it, and its place. Not its line, which is counted from the start of the file.
fn read_added_token<'a>(json: &mut Json<'a>) -> Result<(SpecialToken, Json<'a>)> {
    let mut fields = json.fields()?;
    let place = fields.start();
    let mut token = SpecialToken::new(fields.need("content")?.string()?, fields.need("id")?.id()?);
    token.always = !fields.need("special")?.bool()?;
    token.lstrip = fields.need("lstrip")?.bool()?;
    token.rstrip = fields.need("rstrip")?.bool()?;
    token.single_word = fields.need("single_word")?.bool()?;
    token.normalized = fields.need("normalized")?.bool()?;
    fields.finish("an added token")?;
    Ok((token, place))
}

/// Refuses added tokens that Hugging Face's tokenizers do not find as text: two that are the same after
/// normalisation, of which they find another one from run to run, and one that is empty then, which they
/// find between all bytes.
fn check_matched(model: &Model) -> Result<()> {
    let mut seen = HashMap::new();
    for token in model.special_tokens.iter().filter(|token| token.normalized) {
        let (content, matched) = (&token.content, model.matched(token));
        if matched.is_empty() {
            let message = format!("the added token {content:?} is empty after normalisation");
            return Err(Error::format(message).with_hint(
                "Hugging Face tokenizers find it between all bytes: remove it, or let it be \
                 \"normalized\": false",
            ));
        }
        if let Some(other) = seen.insert(matched, content) {
            return Err(Error::format(format!(
                "the added tokens {other:?} and {content:?} are the same after normalisation"
            ))
            .with_hint("Hugging Face tokenizers choose one of them at random: remove the other"));
        }
    }
    Ok(())
}

/// A part of the pipeline: where it is, what it is, and its settings.
struct Component<'a> {
    path: String,
    kind: String,
    fields: Fields<'a>,
}

impl<'a> Component<'a> {
    fn read(mut json: Json<'a>, path: impl Into<String>) -> Result<Self> {
        let path = path.into();
        let mut fields = json.fields()?;
        let kind = fields.need("type")?.string()?.into_owned();
        Ok(Component { path, kind, fields })
    }

    /// The error that we do not run this component, or not this way.
    fn refusal(&self, how: &str) -> Error {
        let line = self.fields.start().line();
        let Component { path, kind, .. } = self;
        let with = if how.is_empty() { String::new() } else { format!(" with {how}") };
        Error::format_line(line, format!("{path} {kind:?}{with} is not supported"))
    }

    /// The parts of a Sequence, which are under `key`.
    fn parts(mut self, key: &str) -> Result<Vec<Component<'a>>> {
        if self.path.matches('[').count() == MAX_NESTING {
            return Err(self.refusal("so many Sequences around it"));
        }
        let mut parts = Vec::new();
        let mut json = self.fields.need(key)?;
        json.list(|json| {
            json.peek();
            let place = *json;
            json.skip()?;
            parts.push(Component::read(place, format!("{}.{key}[{}]", self.path, parts.len()))?);
            Ok(())
        })?;
        self.finish()?;
        Ok(parts)
    }

    /// Refuses the settings that were not read.
    fn finish(self) -> Result<()> {
        self.fields.finish(&format!("{} {:?}", self.path, self.kind))
    }
}

/// Why no fast path runs a model with a chain.
pub(super) fn why_chain(model: &Model) -> String {
    let Some(chain) = &model.chain else { return String::new() };
    let text = chain::write(model, chain);
    let read = || -> Result<Model> {
        let fields = Json::new(text.as_bytes())?.fields()?;
        read_known(fields, &LoadOptions::default())
    };
    match read() {
        Err(Error::ModelFormat { message, .. }) => message,
        Err(error) => error.to_string(),
        Ok(_) => "it was loaded as a chain".to_owned(),
    }
}

/// Why no fast path runs the file `text`.
#[cfg(test)]
fn refusal_of_fast_paths(text: &str) -> String {
    let read = || -> Result<Model> {
        let mut json = Json::new(text.as_bytes())?;
        let fields = json.fields()?;
        read_known(fields, &LoadOptions::default())
    };
    read().unwrap_err().at(std::path::Path::new("tokenizer.json")).to_string()
}

#[cfg(test)]
mod tests;

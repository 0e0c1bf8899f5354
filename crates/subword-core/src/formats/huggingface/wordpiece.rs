/*!
WordPiece in a `tokenizer.json`: BERT and its kin.

```text
normalizer      BertNormalizer, or any that BPE may have
pre_tokenizer   BertPreTokenizer, Whitespace or WhitespaceSplit: all drop white space
model           WordPiece: the vocabulary as it is, unk_token, prefix, the longest word
decoder         WordPiece, with or without clean-up
```

Official files do not say `type`: what has `max_input_chars_per_word` is WordPiece.
*/

use super::words::WORDS;
use super::write::{refusal, string, vocabulary};
use super::{Component, MAX_NESTING};
use crate::error::{Error, Result};
use crate::formats::gpt2::{Spelling, WrittenVocab};
use crate::formats::json::{Fields, Json, write_lines, write_string};
use crate::model::{Bert, Decoder, Model, Named, Pattern, Unknown, WordLimit, WordPiece};
use crate::types::TokenId;

const PRE_TOKENIZERS: &str = "the pre_tokenizers that subword runs here are BertPreTokenizer, Whitespace and WhitespaceSplit";

/// What the model says; its vocabulary is still to come.
pub(super) struct WordPieceModel<'a> {
    pub(super) written: WrittenVocab<'a>,
    pub(super) unk: TokenId,
    pub(super) word_piece: WordPiece,
}

/// Reads the fields of a WordPiece model.
pub(super) fn read_model(mut fields: Fields<'_>) -> Result<WordPieceModel<'_>> {
    let prefix = fields.need("continuing_subword_prefix")?.string()?.into_owned();
    let mut limit = fields.need("max_input_chars_per_word")?;
    let Ok(characters) = { limit }.number()?.parse() else {
        return Err(limit.expected("a number of characters"));
    };
    let limit = WordLimit::Characters(characters);
    let unk_token = fields.need("unk_token")?.string()?.into_owned();
    let mut place = fields.need("vocab")?;
    let written = WrittenVocab::read(&mut { place }, Spelling::Plain)?;
    let unk = written
        .id_of(&unk_token)
        .ok_or_else(|| place.expected(&format!("a vocabulary with the unk_token {unk_token:?}")))?;
    fields.finish("model \"WordPiece\"")?;
    let word_piece = WordPiece { prefix, limit, unknown: Unknown::Word, cleanup: false };
    Ok(WordPieceModel { written, unk, word_piece })
}

/// BERT's normaliser.
pub(super) fn read_normalizer(part: &mut Component) -> Result<Bert> {
    let lowercase = part.fields.need("lowercase")?.bool()?;
    let strip_accents = part.fields.take_value("strip_accents");
    Ok(Bert {
        clean: part.fields.need("clean_text")?.bool()?,
        cjk: part.fields.need("handle_chinese_chars")?.bool()?,
        strip_accents: strip_accents.map_or(Ok(lowercase), |mut json| json.bool())?,
        lowercase,
    })
}

/// The pattern of the pre-tokenizer. `file` is the place of the whole file.
pub(super) fn read_pattern(json: Option<Json>, file: Json) -> Result<Pattern> {
    let Some(json) = json else {
        let message = "expected a pre_tokenizer, found null";
        return Err(Error::format_line(file.line(), message).with_hint(PRE_TOKENIZERS));
    };
    let mut part = Component::read(json, "pre_tokenizer")?;
    for _ in 0..MAX_NESTING {
        if part.kind != "Sequence" {
            break;
        }
        let refusal = part.refusal("other than one part").with_hint(PRE_TOKENIZERS);
        let mut parts = part.parts("pretokenizers")?;
        part = parts.pop().filter(|_| parts.is_empty()).ok_or(refusal)?;
    }
    let pattern = match part.kind.as_str() {
        "BertPreTokenizer" => Pattern::Named(Named::Bert),
        "WhitespaceSplit" => Pattern::Named(Named::Whitespace),
        "Whitespace" => Pattern::Regex(WORDS.to_owned()),
        _ => return Err(part.refusal("").with_hint(PRE_TOKENIZERS)),
    };
    part.finish()?;
    Ok(pattern)
}

/// Whether the decoder cleans up, if there is one; one that takes off another prefix is refused.
pub(super) fn read_cleanup(json: Option<Json>, prefix: &str) -> Result<Option<bool>> {
    let Some(json) = json else { return Ok(None) };
    let mut part = Component::read(json, "decoder")?;
    if part.kind != "WordPiece" {
        return Err(part.refusal("").with_hint("the decoder that subword runs here is WordPiece"));
    }
    let found = part.fields.need("prefix")?.string()?.into_owned();
    if found != prefix {
        return Err(part.refusal(&format!("prefix {found:?}, which is not that of the model,")));
    }
    let cleanup = part.fields.need("cleanup")?.bool()?;
    part.finish()?;
    Ok(Some(cleanup))
}

/// Refuses a WordPiece model that a file cannot hold.
pub(super) fn check_writable(model: &Model) -> Result<()> {
    let Some(word_piece) = model.as_word_piece() else { return Ok(()) };
    let what = if word_piece.unknown == Unknown::Character {
        "there an unknown word is one unk token"
    } else if pre_tokenizer(model).is_none() {
        "its pattern is not bert, whitespace or \\w+|[^\\w\\s]+"
    } else {
        return Ok(());
    };
    Err(refusal(what))
}

/// The pre-tokenizer that cuts by the pattern of a model.
pub(super) fn pre_tokenizer(model: &Model) -> Option<&'static str> {
    match &model.pattern {
        Pattern::Named(Named::Bert) => Some("{\"type\": \"BertPreTokenizer\"}"),
        Pattern::Named(Named::Whitespace) => Some("{\"type\": \"WhitespaceSplit\"}"),
        Pattern::Regex(regex) if regex == WORDS => Some("{\"type\": \"Whitespace\"}"),
        _ => None,
    }
}

/// The decoder and the model of a file.
pub(super) fn write(out: &mut String, model: &Model, word_piece: &WordPiece) -> Result<()> {
    let WordPiece { prefix, limit, cleanup, .. } = word_piece;
    let prefix = string(prefix);
    let WordLimit::Characters(limit) = limit else {
        return Err(refusal("there the longest word is counted in characters"));
    };
    let unk = model.start.unk.and_then(|id| model.token_bytes(id)).unwrap_or_default();
    let unk = string(&String::from_utf8_lossy(unk));
    match model.decoder {
        Decoder::Spaced => out.push_str("null"),
        Decoder::Text => out.push_str(&format!(
            "{{\"type\": \"WordPiece\", \"prefix\": {prefix}, \"cleanup\": {cleanup}}}"
        )),
    }
    out.push_str(&format!(
        ",\n  \"model\": {{\n    \"type\": \"WordPiece\",\n    \"unk_token\": {unk},\n    \
         \"continuing_subword_prefix\": {prefix},\n    \"max_input_chars_per_word\": {limit},\n    \
         \"vocab\": {{"
    ));
    write_lines(out, "      ", &vocabulary(model)?, |out, (token, id)| {
        write_string(out, token);
        out.push_str(&format!(": {id}"));
    });
    out.push_str("}\n  }");
    Ok(())
}

#[cfg(test)]
mod tests;

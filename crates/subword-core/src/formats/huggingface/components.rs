/*!
The components of a `tokenizer.json` as the steps of a chain: normalizers, pre-tokenizers and decoders, all that Hugging
Face's library has. A Sequence is its parts in a row.

A setting that the library does not have is refused by its name, and so is a regular expression that its engine may
read differently from ours (see [`dialect`](super::dialect)).
*/

use base64::Engine;

use super::{Component, dialect, wordpiece};
use crate::error::{Error, Result};
use crate::formats::json::{Fields, Json};
use crate::model::{
    Behavior, DecoderStep, Matcher, NormalizerStep, Pattern, PreTokenizerStep, PrependScheme,
};
use crate::pretok::Limits;

/// The parts of a component that may be a Sequence, in order; `key` is where a Sequence has them.
fn flat<'a>(json: Json<'a>, path: &str, key: &str) -> Result<Vec<Component<'a>>> {
    let mut parts = vec![Component::read(json, path)?];
    let mut found = Vec::new();
    while let Some(part) = parts.pop() {
        if part.kind == "Sequence" {
            parts.extend(part.parts(key)?.into_iter().rev());
        } else {
            found.push(part);
        }
    }
    Ok(found)
}

/// The steps of a normalizer.
pub(super) fn normalizers(json: Option<Json>, limits: &mut Limits) -> Result<Vec<NormalizerStep>> {
    let Some(json) = json else { return Ok(Vec::new()) };
    let read = |mut part: Component| {
        let fields = &mut part.fields;
        let step = match part.kind.as_str() {
            "NFC" => NormalizerStep::Nfc,
            "NFD" => NormalizerStep::Nfd,
            "NFKC" => NormalizerStep::Nfkc,
            "NFKD" => NormalizerStep::Nfkd,
            "Lowercase" => NormalizerStep::Lowercase,
            "StripAccents" => NormalizerStep::StripAccents,
            "Strip" => NormalizerStep::Strip {
                left: fields.need("strip_left")?.bool()?,
                right: fields.need("strip_right")?.bool()?,
            },
            "Replace" => {
                let (pattern, content) = replace(fields, limits)?;
                NormalizerStep::Replace { pattern, content }
            }
            "Prepend" => NormalizerStep::Prepend(string(fields, "prepend")?),
            "Nmt" => NormalizerStep::Nmt,
            "Precompiled" => {
                let mut place = fields.need("precompiled_charsmap")?;
                let text = { place }.string()?;
                let bytes = base64::engine::general_purpose::STANDARD.decode(text.as_bytes());
                let bytes = bytes.map_err(|_| place.expected("a character map in base64"))?;
                NormalizerStep::Precompiled(bytes)
            }
            "BertNormalizer" => NormalizerStep::Bert(wordpiece::read_normalizer(&mut part)?),
            "ByteLevel" => NormalizerStep::ByteLevel,
            _ => return Err(unknown(&part)),
        };
        part.finish()?;
        Ok(step)
    };
    flat(json, "normalizer", "normalizers")?.into_iter().map(read).collect()
}

/// The steps of a pre-tokenizer.
pub(super) fn pre_tokenizers(
    json: Option<Json>,
    limits: &mut Limits,
) -> Result<Vec<PreTokenizerStep>> {
    let Some(json) = json else { return Ok(Vec::new()) };
    let read = |mut part: Component| {
        let fields = &mut part.fields;
        let step = match part.kind.as_str() {
            "ByteLevel" => {
                let (add_prefix_space, use_regex) = byte_level(fields)?;
                PreTokenizerStep::ByteLevel { add_prefix_space, use_regex }
            }
            "Whitespace" => PreTokenizerStep::Whitespace,
            "WhitespaceSplit" => PreTokenizerStep::WhitespaceSplit,
            "BertPreTokenizer" => PreTokenizerStep::Bert,
            "Metaspace" => {
                let (replacement, scheme, split) = metaspace(fields)?;
                PreTokenizerStep::Metaspace { replacement, scheme, split }
            }
            "Punctuation" => PreTokenizerStep::Punctuation(match fields.take("behavior") {
                Some(json) => behavior(json)?,
                None => Behavior::Isolated,
            }),
            "Digits" => {
                PreTokenizerStep::Digits { individual: fields.need("individual_digits")?.bool()? }
            }
            "CharDelimiterSplit" => PreTokenizerStep::Delimiter(character(fields, "delimiter")?),
            "UnicodeScripts" => PreTokenizerStep::UnicodeScripts,
            "FixedLength" => {
                let length = fields.take("length").map_or(Ok(5), number)?;
                if length == 0 {
                    return Err(part.refusal("length 0"));
                }
                PreTokenizerStep::FixedLength(length)
            }
            "Split" => PreTokenizerStep::Split {
                pattern: pattern(fields.need("pattern")?, limits)?,
                behavior: behavior(fields.need("behavior")?)?,
                invert: fields.need("invert")?.bool()?,
            },
            _ => return Err(unknown(&part)),
        };
        part.finish()?;
        Ok(step)
    };
    flat(json, "pre_tokenizer", "pretokenizers")?.into_iter().map(read).collect()
}

/// The steps of a decoder; none if there is no decoder.
pub(super) fn decoders(
    json: Option<Json>,
    limits: &mut Limits,
) -> Result<Option<Vec<DecoderStep>>> {
    let Some(json) = json else { return Ok(None) };
    let read = |mut part: Component| {
        let fields = &mut part.fields;
        let step = match part.kind.as_str() {
            "ByteLevel" => {
                byte_level(fields)?;
                DecoderStep::ByteLevel
            }
            "WordPiece" => DecoderStep::WordPiece {
                prefix: string(fields, "prefix")?,
                cleanup: fields.need("cleanup")?.bool()?,
            },
            "Metaspace" => {
                let (replacement, scheme, _) = metaspace(fields)?;
                let drop_first = scheme != PrependScheme::Never;
                DecoderStep::Metaspace { replacement, drop_first }
            }
            "BPEDecoder" => DecoderStep::Bpe { suffix: string(fields, "suffix")? },
            "CTC" => DecoderStep::Ctc {
                pad_token: string(fields, "pad_token")?,
                word_delimiter: string(fields, "word_delimiter_token")?,
                cleanup: fields.need("cleanup")?.bool()?,
            },
            "Fuse" => DecoderStep::Fuse,
            "Strip" => DecoderStep::Strip {
                content: character(fields, "content")?,
                start: number(fields.need("start")?)?,
                stop: number(fields.need("stop")?)?,
            },
            "Replace" => {
                let (pattern, content) = replace(fields, limits)?;
                DecoderStep::Replace { pattern, content }
            }
            "ByteFallback" => DecoderStep::ByteFallback,
            _ => return Err(unknown(&part)),
        };
        part.finish()?;
        Ok(step)
    };
    flat(json, "decoder", "decoders")?.into_iter().map(read).collect::<Result<_>>().map(Some)
}

fn unknown(part: &Component) -> Error {
    part.refusal("").with_hint("subword runs the components of Hugging Face's tokenizers 0.23")
}

fn string(fields: &mut Fields, key: &str) -> Result<String> {
    Ok(fields.need(key)?.string()?.into_owned())
}

fn character(fields: &mut Fields, key: &str) -> Result<char> {
    let mut place = fields.need(key)?;
    let text = { place }.string()?;
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(c), None) => Ok(c),
        _ => Err(place.expected("one character")),
    }
}

fn number(mut place: Json) -> Result<usize> {
    let number = { place }.number()?;
    number.parse().map_err(|_| place.expected("a number that is not negative"))
}

/// `add_prefix_space` and `use_regex`; the other setting has no effect here.
fn byte_level(fields: &mut Fields) -> Result<(bool, bool)> {
    let add_prefix_space = fields.need("add_prefix_space")?.bool()?;
    fields.need("trim_offsets")?.bool()?;
    Ok((add_prefix_space, fields.flag("use_regex", true)?))
}

/// The character, the scheme and whether it cuts. Older files say `add_prefix_space` instead of a scheme.
fn metaspace(fields: &mut Fields) -> Result<(char, PrependScheme, bool)> {
    let replacement = character(fields, "replacement")?;
    fields.take("str_rep");
    let scheme = match fields.take("prepend_scheme") {
        None => PrependScheme::Always,
        Some(mut place) => match { place }.string()?.as_ref() {
            "first" => PrependScheme::First,
            "never" => PrependScheme::Never,
            "always" => PrependScheme::Always,
            _ => return Err(place.expected("\"first\", \"never\" or \"always\"")),
        },
    };
    if let Some(mut place) = fields.take_value("add_prefix_space")
        && !{ place }.bool()?
        && scheme != PrependScheme::Never
    {
        return Err(place.expected("an add_prefix_space that fits the prepend_scheme"));
    }
    let split = fields.take_value("split").map_or(Ok(true), |mut json| json.bool())?;
    Ok((replacement, scheme, split))
}

fn behavior(mut place: Json) -> Result<Behavior> {
    Ok(match { place }.string()?.as_ref() {
        "Removed" => Behavior::Removed,
        "Isolated" => Behavior::Isolated,
        "MergedWithPrevious" => Behavior::MergedWithPrevious,
        "MergedWithNext" => Behavior::MergedWithNext,
        "Contiguous" => Behavior::Contiguous,
        _ => {
            return Err(place.expected(
                "\"Removed\", \"Isolated\", \"MergedWithPrevious\", \"MergedWithNext\" or \"Contiguous\"",
            ));
        }
    })
}

fn replace(fields: &mut Fields, limits: &mut Limits) -> Result<(Matcher, String)> {
    Ok((pattern(fields.need("pattern")?, limits)?, string(fields, "content")?))
}

/// A pattern of a Split or a Replace; the patterns of a file share their limits.
fn pattern(mut place: Json, limits: &mut Limits) -> Result<Matcher> {
    let mut fields = { place }.fields()?;
    let matcher = if let Some(mut json) = fields.take("String") {
        Matcher::Text(json.string()?.into_owned())
    } else if let Some(mut json) = fields.take("Regex") {
        let in_file = |error: Error| Error::format_line(place.line(), error.to_string());
        let regex =
            dialect::translate(&json.string()?).map_err(|error| error.on_line(json.line()))?;
        limits.add(&Pattern::Regex(regex.clone())).map_err(in_file)?;
        Matcher::Regex(regex)
    } else {
        return Err(place.expected("{\"Regex\": ...} or {\"String\": ...}"));
    };
    fields.finish("a pattern")?;
    Ok(matcher)
}

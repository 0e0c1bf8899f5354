/*!
Normaliser, pre-tokenizer and decoder of a `tokenizer.json`.

The pre-tokenizers that we run cut text, one after the other; the last is ByteLevel, which turns the
pieces into the byte alphabet and with `use_regex` first cuts them by GPT-2's pattern:

```text
Sequence [Split A, Digits, ByteLevel(use_regex)]   ->   [A, numbers, gpt2]
```

A Split that keeps what does not match (`Isolated`) is what our patterns do. One that keeps only the
matches (`Removed` with `invert`) is the same if the pattern is proved to match every text from end to end.

White space may be dropped where an end-of-word mark stands for it: see [`words`].
*/

use super::words::{self, Drops};
use super::{Component, dialect, wordpiece};
use crate::error::{Error, Result};
use crate::formats::json::Json;
use crate::model::{Decoder, Named, Normalizer, Pattern, Start, Units};
use crate::pretok::{Limits, covers};

/// What the pre-tokenizer Digits takes for one: the numbers of Rust's standard library, which has the
/// Unicode version of the compiler that built Hugging Face's library. That of 0.23 knows those of Unicode
/// 17, where the regular expressions of both libraries know those of Unicode 16.
const DIGIT: &str = r"[\p{N}\x{11DE0}-\x{11DE9}\x{16FF4}-\x{16FF6}]";

const BYTE_LEVEL: &str = concat!(
    "subword reads byte-level BPE, whose pre_tokenizer ends in ByteLevel, ",
    "and characters with an unk_token"
);

/// The normaliser.
pub(super) fn read_normalizer(json: Option<Json>, start: &Start) -> Result<Normalizer> {
    let Some(json) = json else { return Ok(Normalizer::None) };
    let mut parts = vec![Component::read(json, "normalizer")?];
    let mut normalizer = Normalizer::None;
    while let Some(mut part) = parts.pop() {
        let kind = match part.kind.as_str() {
            "Replace" if start.end_of_word.is_some() && joins_spaces(&part) => continue,
            "Lowercase" if normalizer == Normalizer::Nfc => {
                normalizer = Normalizer::NfcLowercase;
                part.finish()?;
                continue;
            }
            "NFC" => Normalizer::Nfc,
            "NFD" => Normalizer::Nfd,
            "NFKC" => Normalizer::Nfkc,
            "NFKD" => Normalizer::Nfkd,
            "BertNormalizer" => Normalizer::Bert(wordpiece::read_normalizer(&mut part)?),
            "Sequence" => {
                parts.extend(part.parts("normalizers")?.into_iter().rev());
                continue;
            }
            _ => {
                let hint = "the normalizers that subword runs are NFC, NFD, NFKC, NFKD, Lowercase after \
                            NFC, and BertNormalizer";
                return Err(part.refusal("").with_hint(hint));
            }
        };
        if normalizer != Normalizer::None {
            return Err(part.refusal("another normalizer before it"));
        }
        normalizer = kind;
        part.finish()?;
    }
    Ok(normalizer)
}

/// Whether a Replace makes one space of white space, which nobody sees if white space is dropped.
fn joins_spaces(part: &Component) -> bool {
    let pattern = part.fields.get("pattern").and_then(|mut json| json.fields().ok());
    let pattern = pattern.and_then(|fields| fields.get("Regex")?.string().ok());
    let content = part.fields.get("content").and_then(|mut json| json.string().ok());
    pattern.as_deref() == Some(r"\s+") && content.as_deref() == Some(" ")
}

/// The pattern that the pre-tokenizers make. `file` is the place of the whole file.
pub(super) fn read_pattern(json: Option<Json>, file: Json, start: &Start) -> Result<Pattern> {
    let (bytes, mark) = (start.units == Units::Bytes, start.end_of_word.is_some());
    let Some(json) = json else {
        if !bytes {
            words::refuse_white_space(start, file.line())?;
            return Ok(Pattern::Named(Named::None));
        }
        let message = "expected a pre_tokenizer, found null";
        return Err(Error::format_line(file.line(), message).with_hint(BYTE_LEVEL));
    };
    let first = Component::read(json, "pre_tokenizer")?;
    let line = first.fields.start().line();
    let mut parts = vec![first];
    let mut patterns = Vec::new();
    let mut limits = Limits::default();
    // How many patterns cut before the pieces of white space were dropped; any number, if none is left.
    let mut dropped = None;
    let drops = |dropped: Option<usize>, patterns: usize| match dropped {
        Some(before) if before >= patterns => Ok(()),
        _ => words::refuse_white_space(start, line),
    };
    while let Some(mut part) = parts.pop() {
        let place = part.fields.start();
        let mut add = |pattern: Pattern| {
            let in_file = |error: Error| Error::format_line(place.line(), error.to_string());
            limits.add(&pattern).map_err(in_file)?;
            patterns.push(pattern);
            Ok(())
        };
        match (part.kind.as_str(), words::drops(&part).filter(|_| mark)) {
            (_, Some(drop)) => {
                if let Drops::With(regex) = drop {
                    add(Pattern::Regex(regex.to_owned()))?;
                    dropped = Some(usize::MAX);
                } else {
                    dropped = dropped.max(Some(patterns.len()));
                }
                if part.kind != "Split" {
                    part.finish()?;
                }
            }
            ("Sequence", _) => parts.extend(part.parts("pretokenizers")?.into_iter().rev()),
            ("Split", _) => {
                add(read_split(&mut part)?)?;
                part.finish()?;
            }
            ("Digits", _) => {
                let one = part.fields.need("individual_digits")?.bool()?;
                add(Pattern::Regex(if one { DIGIT.to_owned() } else { format!("{DIGIT}+") }))?;
                part.finish()?;
            }
            ("ByteLevel", _) if parts.is_empty() => {
                if part.fields.need("add_prefix_space")?.bool()? {
                    return Err(part.refusal("add_prefix_space"));
                }
                if part.fields.flag("use_regex", true)? {
                    add(Pattern::Named(Named::Gpt2))?;
                }
                part.fields.flag("trim_offsets", true)?;
                part.finish()?;
                drops(dropped, patterns.len())?;
                return Ok(Pattern::Sequence(patterns));
            }
            ("ByteLevel", _) => return Err(part.refusal("another pre_tokenizer after it")),
            _ => {
                let hint = "the pre_tokenizers that subword runs are Split, Digits and ByteLevel";
                return Err(part.refusal("").with_hint(hint));
            }
        }
    }
    if !bytes {
        drops(dropped, patterns.len())?;
        return Ok(Pattern::Sequence(patterns));
    }
    let message = "expected a pre_tokenizer that ends in \"ByteLevel\"";
    Err(Error::format_line(line, message).with_hint(BYTE_LEVEL))
}

fn read_split(part: &mut Component) -> Result<Pattern> {
    let mut place = part.fields.need("pattern")?;
    let mut pattern = { place }.fields()?;
    let regex = if let Some(mut json) = pattern.take("String") {
        fancy_regex::escape(&json.string()?).into_owned()
    } else if let Some(mut json) = pattern.take("Regex") {
        dialect::translate(&json.string()?).map_err(|error| error.on_line(json.line()))?
    } else {
        return Err(place.expected("{\"Regex\": ...} or {\"String\": ...}"));
    };
    pattern.finish("a pattern")?;
    let behavior = part.fields.need("behavior")?.string()?;
    let invert = part.fields.flag("invert", false)?;
    match behavior.as_ref() {
        "Isolated" => Ok(Pattern::Regex(regex)),
        "Removed" if invert && covers(&regex) => Ok(Pattern::Regex(regex)),
        "Removed" if invert => Err(part
            .refusal("behavior \"Removed\" and this pattern")
            .with_hint("it drops text that the pattern does not match; subword never drops text")),
        _ => Err(part.refusal(&format!("behavior {behavior:?}"))),
    }
}

/// The decoder; one that would give another text than what the tokens spell is refused. Without one
/// Hugging Face puts spaces between the tokens.
pub(super) fn read_decoder(json: Option<Json>, start: &Start) -> Result<Decoder> {
    let Some(json) = json else { return Ok(Decoder::Spaced) };
    let hint = match start.units {
        Units::Bytes => "the decoder that subword runs is ByteLevel",
        Units::Characters => "the decoder that subword runs is BPEDecoder, or Fuse",
    };
    let first = Component::read(json, "decoder")?;
    let refusal = first.refusal("").with_hint(hint);
    let mut parts = vec![first];
    // Bytes are written in an alphabet until ByteLevel has read it, token by token.
    let mut written = start.units == Units::Bytes || start.end_of_word.is_some();
    while let Some(mut part) = parts.pop() {
        if part.kind == "Sequence" {
            parts.extend(part.parts("decoders")?.into_iter().rev());
            continue;
        }
        written &= !matches!(part.kind.as_str(), "ByteLevel" | "BPEDecoder");
        if written || !words::decodes(&mut part, start) {
            return Err(part.refusal("").with_hint(hint));
        }
    }
    if written { Err(refusal) } else { Ok(Decoder::Text) }
}

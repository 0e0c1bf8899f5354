/*!
Words in a `tokenizer.json`: pieces that start from characters, and pieces with an end-of-word mark.

```text
end_of_word_suffix   the mark, joined to the last character; it has no mark that is a token of its own
unk_token            the token of unknown characters. Without it they are dropped there: not here
```

A mark stands for the white space after a word, so what we read and write must drop it, which is what
these pre-tokenizers do:

```text
WhitespaceSplit                 our pattern `whitespace`
Whitespace                      \w+|[^\w\s]+
Split \A\s+\z Removed           after any other pattern: what is left and white
Split of CLIP, Removed, invert  keeps what matches, and matches all but white space
```
*/

use super::Component;
use crate::error::{Error, Result};
use crate::formats::gpt2::Spelling;
use crate::formats::json::Json;
use crate::model::{Model, Named, Pattern, Start, Units};

/// The pre-tokenizer `Whitespace`.
pub(super) const WORDS: &str = r"\w+|[^\w\s]+";

/// A piece that is white space.
pub(super) const WHITE_PIECE: &str = r"\A\s+\z";

/// CLIP's pattern: it matches all but white space.
const CLIP: &str = concat!(
    r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|",
    r"[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
);

/// What a pre-tokenizer does with white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Drops {
    /// It cuts by this pattern and drops the white space.
    With(&'static str),
    /// It drops the pieces that are white space.
    Pieces,
}

/// What a pre-tokenizer of words is, if it drops white space and nothing else.
pub(super) fn drops(part: &Component) -> Option<Drops> {
    match part.kind.as_str() {
        "WhitespaceSplit" => Some(Drops::With(Named::Whitespace.regexes()[0])),
        "Whitespace" => Some(Drops::With(WORDS)),
        "Split" => {
            let regex = part.fields.get("pattern")?.fields().ok()?.get("Regex")?.string().ok()?;
            let behavior = part.fields.get("behavior")?.string().ok()?;
            let invert = part.fields.get("invert").is_some_and(|mut json| json.bool() == Ok(true));
            match (regex.as_ref(), behavior.as_ref(), invert) {
                (WHITE_PIECE, "Removed", false) => Some(Drops::Pieces),
                (CLIP, "Removed", true) => Some(Drops::With(CLIP)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether the pre-tokenizers turn pieces into bytes. Errors are left to the function that reads them.
pub(super) fn byte_level(json: Option<Json>) -> bool {
    let Some(json) = json else { return false };
    let Ok(first) = Component::read(json, "pre_tokenizer") else { return true };
    let mut parts = vec![first];
    while let Some(part) = parts.pop() {
        match part.kind.as_str() {
            "ByteLevel" => return true,
            "Sequence" => match part.parts("pretokenizers") {
                Ok(more) => parts.extend(more),
                Err(_) => return true,
            },
            _ => {}
        }
    }
    false
}

/// Refuses a mark where the pre-tokenizers keep the white space that it stands for.
pub(super) fn refuse_white_space(start: &Start, line: usize) -> Result<()> {
    let Some(end) = &start.end_of_word else { return Ok(()) };
    let message =
        format!("model \"BPE\" with end_of_word_suffix {:?} is not supported here", end.mark);
    Err(Error::format_line(line, message)
        .with_hint("the mark stands for white space, and this pre_tokenizer keeps it"))
}

/// Whether a decoder gives the text that we give.
pub(super) fn decodes(part: &mut Component, start: &Start) -> bool {
    let mark = start.end_of_word.as_ref().map(|end| end.mark.as_str());
    match part.kind.as_str() {
        "ByteLevel" => start.units == Units::Bytes,
        "Fuse" => start.units == Units::Bytes || mark.is_none(),
        "BPEDecoder" => {
            let suffix = part.fields.take("suffix").and_then(|mut json| json.string().ok());
            start.units == Units::Characters && mark == suffix.as_deref()
        }
        _ => false,
    }
}

/// How a file spells the tokens of a model.
pub(super) fn spelling(model: &Model) -> Spelling {
    match model.start.units {
        Units::Bytes => Spelling::Alphabet,
        Units::Characters => Spelling::Plain,
    }
}

/// Refuses a model of words that a file cannot hold.
pub(super) fn check_writable(model: &Model) -> Result<()> {
    let start = &model.start;
    let what = match start.separate_mark() {
        Some(mark) => format!(
            "its end-of-word mark {mark:?} is a token of its own, there it is part of the last character"
        ),
        None if start.units == Units::Characters && start.unk.is_none() => {
            "it has no unk token, and there unknown characters would be dropped".to_owned()
        }
        None => return Ok(()),
    };
    Err(super::write::refusal(&what))
}

/// The pre-tokenizer that drops the white space of a model with a mark, besides its pattern; and
/// whether the pattern is all in it.
pub(super) fn dropper(model: &Model) -> Option<(String, bool)> {
    model.start.end_of_word.as_ref()?;
    let whole = match &model.pattern {
        Pattern::Named(Named::Whitespace) => Some("WhitespaceSplit"),
        // Its `\w` is that of our engine; a Split runs another, whose `\w` is not the same.
        Pattern::Regex(regex) if regex == WORDS => Some("Whitespace"),
        _ => None,
    };
    if let Some(kind) = whole {
        return Some((format!("{{\"type\": \"{kind}\"}}"), true));
    }
    let regex = WHITE_PIECE.replace('\\', "\\\\");
    let split = format!(
        "{{\"type\": \"Split\", \"pattern\": {{\"Regex\": \"{regex}\"}}, \"behavior\": \"Removed\", \
         \"invert\": false}}"
    );
    Some((split, false))
}

/*!
What Unigram and BPE in SentencePiece's form have in common: `▁` for a space, tokens of bytes, parts of words.

```text
"▁naïve▁2024", ï not learned   ->   ▁na | ve▁2024
with single digits             ->   ▁na | ve▁ | 2 | 0 | 2 | 4
```
*/

use crate::error::{Error, Result};
use crate::model::{Normalizer, NormalizerStep};

/// What stands for a space.
pub(super) const MARK: char = '▁';

/// The tokens of the 256 bytes, which stand for characters that are not learned.
pub(super) fn byte_tokens() -> impl Iterator<Item = String> {
    (0..=255u8).map(|byte| format!("<0x{byte:02X}>"))
}

/// Calls `each` with the parts of a text. It is cut at characters that are not known, and, with `split_digits`, around
/// every digit.
pub(super) fn each_part(
    text: &str,
    is_known: impl Fn(char) -> bool,
    split_digits: bool,
    mut each: impl FnMut(&str),
) {
    let mut from = 0;
    for (at, c) in text.char_indices() {
        let (is_known, is_alone) = (is_known(c), split_digits && c.is_numeric());
        if is_known && !is_alone {
            continue;
        }
        let end = at + c.len_utf8();
        let digit = if is_known { at..end } else { end..end };
        [from..at, digit].into_iter().filter(|part| !part.is_empty()).for_each(|p| each(&text[p]));
        from = end;
    }
    if from < text.len() {
        each(&text[from..]);
    }
}

/// The step of a normaliser, and its name in a file; an error if `what` has no such step.
pub(super) fn normalizer_step(
    normalizer: Normalizer,
    what: &str,
) -> Result<Option<(NormalizerStep, &'static str)>> {
    Ok(Some(match normalizer {
        Normalizer::None => return Ok(None),
        Normalizer::Nfc => (NormalizerStep::Nfc, "NFC"),
        Normalizer::Nfd => (NormalizerStep::Nfd, "NFD"),
        Normalizer::Nfkc => (NormalizerStep::Nfkc, "NFKC"),
        Normalizer::Nfkd => (NormalizerStep::Nfkd, "NFKD"),
        Normalizer::NfcLowercase | Normalizer::Bert(_) => {
            let message =
                format!("{what} cannot learn from the normalizer {:?}", normalizer.name());
            let hint = "none, nfc, nfd, nfkc and nfkd can be learned from";
            return Err(Error::training(message).with_hint(hint));
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str, split_digits: bool) -> Vec<String> {
        let mut parts = Vec::new();
        each_part(text, |c| c != 'x', split_digits, |part| parts.push(part.to_owned()));
        parts
    }

    #[test]
    fn unknown_characters_and_digits_cut() {
        assert_eq!(parts("axbc", false), ["a", "bc"]);
        assert_eq!(parts("xx", true), [""; 0]);
        assert_eq!(parts("▁12é３", true), ["▁", "1", "2", "é", "３"]);
        assert_eq!(parts("▁12é３", false), ["▁12é３"]);
    }
}

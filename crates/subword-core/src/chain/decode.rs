/*!
The decoder steps: tokens in, text out. Each step makes other tokens of the tokens; at last they are joined.
*/

use super::characters;
use super::search::Search;
use crate::error::Result;
use crate::model::DecoderStep;

/// What clean-up replaces, in this order.
pub(crate) const CLEANUP: [(&str, &str); 11] = [
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
];

/// The decoder of a chain, ready to run.
#[derive(Debug)]
pub(crate) struct Decoders(Option<Vec<Step>>);

#[derive(Debug)]
enum Step {
    Replace { search: Search, content: String },
    Other(DecoderStep),
}

impl Decoders {
    pub(crate) fn new(steps: Option<&[DecoderStep]>) -> Result<Decoders> {
        let step = |step: &DecoderStep| match step {
            DecoderStep::Replace { pattern, content } => {
                let search = Search::new(pattern)?;
                Ok(Step::Replace { search, content: content.clone() })
            }
            step => Ok(Step::Other(step.clone())),
        };
        let steps = steps.map(|steps| steps.iter().map(step).collect::<Result<_>>());
        steps.transpose().map(Decoders)
    }

    /// The text of tokens.
    pub(crate) fn decode(&self, mut tokens: Vec<String>) -> Result<String> {
        let Some(steps) = &self.0 else { return Ok(tokens.join(" ")) };
        for step in steps {
            tokens = match step {
                Step::Replace { search, content } => replaced(tokens, search, content)?,
                Step::Other(step) => decoded(step, tokens),
            };
        }
        Ok(tokens.concat())
    }
}

fn replaced(tokens: Vec<String>, search: &Search, content: &str) -> Result<Vec<String>> {
    let replace = |token: String| {
        let mut new = String::with_capacity(token.len());
        search.each_part(&token, |part| {
            new.push_str(if part.matches { content } else { &token[part.start..part.end] });
        })?;
        Ok(new)
    };
    tokens.into_iter().map(replace).collect()
}

fn decoded(step: &DecoderStep, tokens: Vec<String>) -> Vec<String> {
    match step {
        DecoderStep::ByteLevel => {
            let mut bytes = Vec::new();
            for token in &tokens {
                let start = bytes.len();
                bytes.extend(token.chars().map_while(characters::to_byte));
                if bytes.len() - start != token.chars().count() {
                    bytes.truncate(start);
                    bytes.extend_from_slice(token.as_bytes());
                }
            }
            vec![String::from_utf8_lossy(&bytes).into_owned()]
        }
        DecoderStep::WordPiece { prefix, cleanup } => {
            let word = |(i, token): (usize, String)| {
                let text = match token.strip_prefix(prefix.as_str()) {
                    _ if i == 0 => token,
                    Some(rest) => rest.to_owned(),
                    None => format!(" {token}"),
                };
                if *cleanup { cleaned(text) } else { text }
            };
            tokens.into_iter().enumerate().map(word).collect()
        }
        DecoderStep::Metaspace { replacement, drop_first } => {
            let space = |(i, token): (usize, String)| {
                let mark = if i == 0 && *drop_first { "" } else { " " };
                token.replace(*replacement, mark)
            };
            tokens.into_iter().enumerate().map(space).collect()
        }
        DecoderStep::Bpe { suffix } => {
            let last = tokens.len().wrapping_sub(1);
            let space = |(i, token): (usize, String)| {
                token.replace(suffix.as_str(), if i == last { "" } else { " " })
            };
            tokens.into_iter().enumerate().map(space).collect()
        }
        DecoderStep::Ctc { pad_token, word_delimiter, cleanup } => {
            let mut tokens = tokens;
            tokens.dedup();
            let text = |token: String| {
                let text = token.replace(pad_token.as_str(), "");
                if *cleanup { cleaned(text).replace(word_delimiter.as_str(), " ") } else { text }
            };
            tokens.into_iter().map(text).filter(|text| !text.is_empty()).collect()
        }
        DecoderStep::Fuse => vec![tokens.concat()],
        DecoderStep::Strip { content, start, stop } => {
            let strip = |token: String| {
                let all: Vec<char> = token.chars().collect();
                let leading = all.iter().take(*start).take_while(|c| *c == content).count();
                let trailing = all.iter().rev().take(*stop).take_while(|c| *c == content).count();
                all.get(leading..all.len() - trailing).unwrap_or_default().iter().collect()
            };
            tokens.into_iter().map(strip).collect()
        }
        DecoderStep::ByteFallback => byte_fallback(tokens),
        // It needs a search, which is made beforehand.
        DecoderStep::Replace { .. } => tokens,
    }
}

/// Runs of tokens like `<0x0A>` as the characters that they spell; one U+FFFD for each if they spell none.
fn byte_fallback(tokens: Vec<String>) -> Vec<String> {
    let mut out = Vec::with_capacity(tokens.len());
    let mut bytes = Vec::new();
    let flush = |bytes: &mut Vec<u8>, out: &mut Vec<String>| {
        let run = std::mem::take(bytes);
        match String::from_utf8(run) {
            Ok(text) if text.is_empty() => {}
            Ok(text) => out.push(text),
            Err(error) => {
                out.extend(
                    error.as_bytes().iter().map(|_| char::REPLACEMENT_CHARACTER.to_string()),
                );
            }
        }
    };
    for token in tokens {
        let digits = token.strip_prefix("<0x").and_then(|rest| rest.strip_suffix('>'));
        let digits = digits.filter(|digits| digits.len() == 2 && token.len() == 6);
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => bytes.push(byte),
            None => {
                flush(&mut bytes, &mut out);
                out.push(token);
            }
        }
    }
    flush(&mut bytes, &mut out);
    out
}

/// Without the spaces before punctuation marks and within contractions.
fn cleaned(text: String) -> String {
    CLEANUP.iter().fold(text, |text, (old, new)| match text.contains(old) {
        true => text.replace(old, new),
        false => text,
    })
}

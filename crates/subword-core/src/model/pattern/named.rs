/*!
The patterns that have a name, and the regular expressions that define them.

A name is short for its expressions: they say how `pretok` cuts, and the name saves it to find out how.
*/

use super::spelling::with_characters;
use crate::bert;

/// A pattern that people know by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Named {
    /// GPT-2, and with the same splits r50k and p50k, RoBERTa, GPT-NeoX.
    Gpt2,
    /// GPT-3.5 and GPT-4, as tiktoken writes it.
    Cl100k,
    /// GPT-4o and gpt-oss.
    O200k,
    /// Llama 3; also GPT-4 as `tokenizer.json` files write it. Differs from `Cl100k` at the end of
    /// a text only.
    Llama3,
    /// Qwen 2, 2.5 and 3: `Llama3` with single digits.
    Qwen2,
    /// DeepSeek V3 and R1.
    DeepseekV3,
    /// Runs of white space, single punctuation marks, and what is between them: BERT's words.
    Bert,
    /// Runs of white space, and what is between them.
    Whitespace,
    /// The whole text is one piece.
    None,
}

/// One `'s`-like ending, in any case; shared by o200k's two word forms.
macro_rules! o200k {
    () => {
        concat!(
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+",
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*",
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
            r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
        )
    };
}

impl Named {
    /// Every named pattern.
    pub const ALL: [Named; 9] = [
        Named::Gpt2,
        Named::Cl100k,
        Named::O200k,
        Named::Llama3,
        Named::Qwen2,
        Named::DeepseekV3,
        Named::Bert,
        Named::Whitespace,
        Named::None,
    ];

    /// `Cl100k` without what Oniguruma, the engine of Hugging Face, reads differently: there
    /// `{1,3}+` repeats.
    pub(crate) const CL100K_ONIGURUMA: &str = concat!(
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|",
        r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s+\z|\s*[\r\n]|\s+(?!\S)|\s"
    );

    /// The name that a user types.
    pub fn name(self) -> &'static str {
        match self {
            Named::Gpt2 => "gpt2",
            Named::Cl100k => "cl100k",
            Named::O200k => "o200k",
            Named::Llama3 => "llama3",
            Named::Qwen2 => "qwen2",
            Named::DeepseekV3 => "deepseek-v3",
            Named::Bert => "bert",
            Named::Whitespace => "whitespace",
            Named::None => "none",
        }
    }

    /// The pattern of that name.
    pub fn from_name(name: &str) -> Option<Named> {
        Named::ALL.into_iter().find(|named| named.name() == name)
    }

    /// The regular expressions that define the pattern, applied one after the other. `None` has
    /// none.
    pub fn regexes(self) -> &'static [&'static str] {
        match self {
            Named::Gpt2 => {
                &[r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"]
            }
            Named::Cl100k => &[concat!(
                r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+|",
                r" ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
            )],
            Named::O200k => &[o200k!()],
            Named::Llama3 => &[concat!(
                r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|",
                r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
            )],
            Named::Qwen2 => &[concat!(
                r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|",
                r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
            )],
            Named::DeepseekV3 => &[
                r"\p{N}{1,3}",
                r"[一-龥぀-ゟ゠-ヿ]+",
                concat!(
                    r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|"##,
                    r"[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|",
                    r"\s*[\r\n]+|\s+(?!\S)|\s+"
                ),
            ],
            Named::Bert => &[bert::PATTERN],
            Named::Whitespace => &[r"\s+|\S+"],
            Named::None => &[],
        }
    }

    /// The pattern that these regular expressions define, whether their characters are written as
    /// escapes or not. Spellings that give the same pieces on every text are known too.
    pub fn from_regexes(regexes: &[&str]) -> Option<Named> {
        const GPT2_POSSESSIVE: &str =
            r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s";
        const GPT2_LONG: &str =
            r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";
        let given: Vec<String> = regexes.iter().map(|regex| with_characters(regex)).collect();
        let equal = |known: &[&str]| {
            known.len() == given.len()
                && known.iter().zip(&given).all(|(known, given)| with_characters(known) == *given)
        };
        match () {
            () if given.is_empty() => None,
            () if equal(&[GPT2_POSSESSIVE]) || equal(&[GPT2_LONG]) => Some(Named::Gpt2),
            () if equal(&[Named::CL100K_ONIGURUMA]) => Some(Named::Cl100k),
            () => Named::ALL.into_iter().find(|named| equal(named.regexes())),
        }
    }
}

/*!
The rules of patterns that run 64 bytes at a time, and the regular expressions that they stand for.

Nearly all published patterns are one idea with a few choices: words with a character before them, groups of
digits, runs of symbols, white space. [`Rules`] are these choices. [`Rules::regexes`] is what they mean; `families` runs
them on blocks, and is tested against it.
*/

use crate::model::Named;

/// The choices of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rules {
    pub(super) words: Words,
    pub(super) digits: Digits,
    /// Digits are cut out before anything else: what is between them is a text of its own.
    pub(super) digits_first: bool,
    /// The digits that are cut out first are those of a later version of Unicode.
    pub(super) newer_digits: bool,
    pub(super) marks: Marks,
    pub(super) tail: Tail,
    pub(super) contractions: Contractions,
    /// Runs of `\p{Han}` are pieces, before anything else.
    pub(super) han_apart: bool,
    /// `\s++$`: white space at the end of the text is one piece, newlines and all.
    pub(super) space_to_end: bool,
}

/// What is a word, and which character it may take before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Words {
    /// A space: GPT-2.
    AfterSpace,
    /// Anything but newlines, letters and digits: cl100k.
    AfterAny,
    /// The same; a capital letter after a small one starts a word: o200k.
    AfterAnyByCase,
    /// White space, and ASCII punctuation before ASCII letters; Chinese and Japanese are cut out first.
    Deepseek,
}

/// Which digits are a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Digits {
    /// A run of any length, with the space before it.
    AfterSpace,
    /// A run of any length.
    Any,
    /// So many, 1 to 3.
    UpTo(u8),
}

/// Where combining marks belong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marks {
    Symbols,
    Words,
    /// To both; a word takes them first.
    Both,
}

/// What a run of symbols takes after itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tail {
    None,
    Newlines,
    NewlinesAndSlashes,
}

/// Endings such as `'s` and `'ll`. In words by case they belong to the word, in others they are pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contractions {
    None,
    Exact,
    AnyCase,
}

/// The numbers of Unicode 16, and with those that version 17 added (see `formats::huggingface::pipeline`).
const NUMBER: &str = r"\p{N}";
const NEWER_NUMBER: &str = r"[\p{N}\x{11DE0}-\x{11DE9}\x{16FF4}-\x{16FF6}]";

impl Rules {
    /// cl100k, from which the others differ in a few choices.
    pub(super) const CL100K: Rules = Rules {
        words: Words::AfterAny,
        digits: Digits::UpTo(3),
        digits_first: false,
        newer_digits: false,
        marks: Marks::Symbols,
        tail: Tail::Newlines,
        contractions: Contractions::AnyCase,
        han_apart: false,
        space_to_end: true,
    };
    pub(super) const LLAMA3: Rules = Rules { space_to_end: false, ..Rules::CL100K };
    pub(super) const O200K: Rules = Rules {
        words: Words::AfterAnyByCase,
        marks: Marks::Both,
        tail: Tail::NewlinesAndSlashes,
        ..Rules::LLAMA3
    };
    pub(super) const GPT2: Rules = Rules {
        words: Words::AfterSpace,
        digits: Digits::AfterSpace,
        tail: Tail::None,
        contractions: Contractions::Exact,
        ..Rules::LLAMA3
    };
    pub(super) const DEEPSEEK_V3: Rules = Rules {
        words: Words::Deepseek,
        digits_first: true,
        marks: Marks::Words,
        contractions: Contractions::None,
        ..Rules::LLAMA3
    };

    /// The rules of a named pattern, if it runs on blocks of this kind.
    pub(super) fn of(named: Named) -> Option<Rules> {
        Some(match named {
            Named::Gpt2 => Rules::GPT2,
            Named::Cl100k => Rules::CL100K,
            Named::O200k => Rules::O200K,
            Named::Llama3 => Rules::LLAMA3,
            Named::Qwen2 => Rules { digits: Digits::UpTo(1), ..Rules::LLAMA3 },
            Named::DeepseekV3 => Rules::DEEPSEEK_V3,
            Named::Bert | Named::Whitespace | Named::None => return None,
        })
    }

    /// Whether there are blocks for this combination.
    pub(super) fn have_blocks(&self) -> bool {
        let newer = self.digits_first && matches!(self.digits, Digits::Any | Digits::UpTo(1));
        if self.newer_digits && !newer {
            return false;
        }
        match self.words {
            Words::AfterSpace => self.tail == Tail::None && !self.han_apart && !self.space_to_end,
            Words::AfterAny | Words::AfterAnyByCase => {
                // Where digits are cut out first, the text before each of them has an end; and some are Han.
                let first = self.digits_first && (self.space_to_end || self.han_apart);
                self.digits != Digits::AfterSpace && !first
            }
            Words::Deepseek => *self == Rules::DEEPSEEK_V3,
        }
    }

    /// The regular expressions that cut as these rules do, one after the other.
    pub(super) fn regexes(&self) -> Vec<String> {
        let number = if self.newer_digits { NEWER_NUMBER } else { NUMBER };
        let digits = match self.digits {
            Digits::AfterSpace => format!(" ?{number}+"),
            Digits::Any => format!("{number}+"),
            Digits::UpTo(most) => format!("{number}{{1,{most}}}"),
        };
        let mut before = Vec::new();
        let mut parts = Vec::new();
        if self.digits_first {
            before.push(digits);
        } else {
            parts.push(digits);
        }
        if self.words == Words::Deepseek {
            before.push("[一-龥぀-ゟ゠-ヿ]+".to_owned());
        }
        let words = self.words();
        parts.splice(0..0, words);
        if self.han_apart {
            parts.insert(0, r"\p{Han}+".to_owned());
        }
        parts.push(format!(" ?{}+{}", self.symbol(), self.tail()));
        if self.space_to_end {
            parts.push(r"\s+\z".to_owned());
        }
        if self.words != Words::AfterSpace {
            parts.push(r"\s*[\r\n]+".to_owned());
        }
        parts.push(r"\s+(?!\S)|\s+".to_owned());
        before.push(parts.join("|"));
        before
    }

    fn contraction(&self) -> &'static str {
        match self.contractions {
            Contractions::None => "",
            Contractions::Exact => "'(?:[sdmt]|ll|ve|re)",
            Contractions::AnyCase => "(?i:'(?:[sdmt]|ll|ve|re))",
        }
    }

    fn symbol(&self) -> &'static str {
        match (self.words, self.marks) {
            (Words::Deepseek, _) => r"[\p{P}\p{S}]",
            (_, Marks::Words) => r"[^\s\p{L}\p{M}\p{N}]",
            _ => r"[^\s\p{L}\p{N}]",
        }
    }

    fn tail(&self) -> &'static str {
        match self.tail {
            Tail::None => "",
            Tail::Newlines => r"[\r\n]*",
            Tail::NewlinesAndSlashes => r"[\r\n/]*",
        }
    }

    /// The alternatives of words, and of contractions.
    fn words(&self) -> Vec<String> {
        let marks = if self.marks == Marks::Symbols { "" } else { r"\p{M}" };
        let but = if self.han_apart { r"&&[^\p{Han}]" } else { "" };
        let letters = format!(r"[\p{{L}}{marks}{but}]");
        let contraction = self.contraction();
        let mut parts = Vec::new();
        if !contraction.is_empty() && self.words != Words::AfterAnyByCase {
            parts.push(contraction.to_owned());
        }
        let any = r"[^\r\n\p{L}\p{N}]?";
        match self.words {
            Words::AfterSpace => parts.push(format!(" ?{letters}+")),
            Words::AfterAny => parts.push(format!("{any}{letters}+")),
            Words::AfterAnyByCase => {
                let upper = format!(r"[\p{{Lu}}\p{{Lt}}\p{{Lm}}\p{{Lo}}{marks}{but}]");
                let lower = format!(r"[\p{{Ll}}\p{{Lm}}\p{{Lo}}{marks}{but}]");
                let end = match contraction {
                    "" => String::new(),
                    contraction => format!("(?:{contraction})?"),
                };
                parts.push(format!("{any}{upper}*{lower}+{end}"));
                parts.push(format!("{any}{upper}+{lower}*{end}"));
            }
            Words::Deepseek => {
                parts.push(r"[!-/:-@\[-`{-~][A-Za-z]+".to_owned());
                parts.push(format!(r"[^\r\n\p{{L}}\p{{P}}\p{{S}}]?{letters}+"));
            }
        }
        parts
    }
}

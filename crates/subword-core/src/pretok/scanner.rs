/*!
The scanners: each finds the end of one piece, and says what is certain about its pieces.

A scanner that has rules also cuts 64 bytes at a time (`families`), and is then asked only for what the blocks leave
open.
*/

use super::class::{Char, Class};
use super::class_pairs::ClassPairs;
use super::compile::Compiled;
use super::rules::{Digits, Rules};
use super::space_words::SpaceWords;
use super::{bert, scan, whitespace};
use crate::bert::Classes;

/// Cuts one piece after the other.
#[derive(Debug)]
pub(super) enum Scanner {
    Gpt2,
    /// cl100k, llama3, qwen2: how many digits are a piece, and whether white space at the end of a text is one.
    Cl100k {
        digits: u8,
        space_to_end: bool,
    },
    O200k,
    DeepseekV3,
    Bert,
    Whitespace,
    Classes(ClassPairs),
    Compiled(Box<Compiled>),
    SpaceWords,
}

impl Scanner {
    /// The end of the piece that starts at `at`, by the plain scanner.
    #[inline(always)]
    pub(super) fn end(&self, text: &[u8], at: usize) -> usize {
        match self {
            Scanner::Gpt2 => scan::gpt2(text, at),
            Scanner::Cl100k { digits, space_to_end } => {
                scan::cl100k(text, at, usize::from(*digits), *space_to_end)
            }
            Scanner::O200k => scan::o200k(text, at),
            Scanner::DeepseekV3 => scan::deepseek_v3(text, at),
            Scanner::Bert => bert::scan(Classes::all(), text, at),
            Scanner::Whitespace => whitespace::scan(text, at),
            Scanner::Classes(pairs) => pairs.scan(text, at),
            Scanner::Compiled(compiled) => compiled.end(text, at),
            Scanner::SpaceWords => SpaceWords.scan(text, at),
        }
    }

    /// The rules of the blocks that cut alike.
    pub(super) fn rules(&self) -> Option<Rules> {
        match self {
            Scanner::Gpt2 => Some(Rules::GPT2),
            Scanner::Cl100k { digits, space_to_end } => {
                let (digits, space_to_end) = (Digits::UpTo(*digits), *space_to_end);
                Some(Rules { digits, space_to_end, ..Rules::CL100K })
            }
            Scanner::O200k => Some(Rules::O200K),
            Scanner::DeepseekV3 => Some(Rules::DEEPSEEK_V3),
            Scanner::Compiled(compiled) => compiled.rules,
            Scanner::Bert | Scanner::Whitespace | Scanner::Classes(_) | Scanner::SpaceWords => None,
        }
    }

    /// Whether a piece ends between two characters, whatever stands around them.
    ///
    /// A letter and a character that is no letter, mark or apostrophe: in all named patterns a word
    /// ends there, because only those three can follow a letter within a piece. The patterns
    /// `whitespace` and `bert` have rules of their own, and so have classes. Of a compiled pattern it is proved.
    #[inline]
    pub(super) fn cuts_between(&self, before: Char, after: Char) -> bool {
        match self {
            Scanner::Whitespace => whitespace::cuts_between(before, after),
            Scanner::Bert => bert::cuts_between(Classes::all(), before, after),
            Scanner::Classes(pairs) => pairs.cuts_between(before, after),
            Scanner::Compiled(compiled) => compiled.cuts_between(before, after),
            Scanner::SpaceWords => SpaceWords.cuts_between(before, after),
            _ => {
                let goes_on = after.class.is_letter() || after.class == Class::Mark;
                before.class.is_letter() && !goes_on && after.code != u32::from(b'\'')
            }
        }
    }
}

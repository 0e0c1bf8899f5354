/*!
The scanners: each finds the end of one piece, and says what is certain about its pieces.

A scanner that has rules also cuts 64 bytes at a time (`families`), and is then asked only for what the blocks leave
open.
*/

use std::sync::Arc;

use super::class::Char;
use super::class_pairs::ClassPairs;
use super::compile::Compiled;
use super::rules::Rules;
use super::space_words::SpaceWords;
use super::{bert, whitespace};
use crate::bert::Classes;

/// Cuts one piece after the other.
#[derive(Debug)]
pub(super) enum Scanner {
    Bert,
    Whitespace,
    Classes(ClassPairs),
    Compiled(Arc<Compiled>),
    SpaceWords,
}

impl Scanner {
    /// The end of the piece that starts at `at`.
    #[inline(always)]
    pub(super) fn end(&self, text: &[u8], at: usize) -> usize {
        match self {
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
            Scanner::Compiled(compiled) => compiled.rules,
            Scanner::Bert | Scanner::Whitespace | Scanner::Classes(_) | Scanner::SpaceWords => None,
        }
    }

    /// Whether a piece ends between two characters, whatever stands around them.
    ///
    /// Each scanner that is written by hand has a rule for it; of a compiled pattern it is proved.
    #[inline]
    pub(super) fn cuts_between(&self, before: Char, after: Char) -> bool {
        match self {
            Scanner::Whitespace => whitespace::cuts_between(before, after),
            Scanner::Bert => bert::cuts_between(Classes::all(), before, after),
            Scanner::Classes(pairs) => pairs.cuts_between(before, after),
            Scanner::Compiled(compiled) => compiled.cuts_between(before, after),
            Scanner::SpaceWords => SpaceWords.cuts_between(before, after),
        }
    }
}

/*!
The rules of each family of patterns, as arithmetic on the masks of a block (see `blocks`).

A family says where pieces start in a block, and up to which character that is certain. It has the choices of
`rules`, whose regular expressions define the answers.
*/

use super::blocks::{Block, Family, Starts, after, before, low_bits, run_ends, run_starts};
use super::class_pairs::high_bytes;
use super::rules::{Contractions, Digits, Marks, Rules, Tail, Words};
use crate::simd::{BLOCK, Isa, WideClasses};

/// Words take a space before them: GPT-2 and its children.
pub(super) struct AfterSpace(pub(super) Rules);

impl Family for AfterSpace {
    #[inline(always)]
    fn marks_in_words(&self) -> bool {
        self.0.marks != Marks::Symbols
    }

    #[inline(always)]
    fn starts<C: Isa>(&self, m: &Block, text: &[u8]) -> Starts {
        let rules = &self.0;
        let digit = m.class.digit;
        let mut runs = run_starts(m.letter) | run_starts(m.other);
        let mut last_white = run_ends(m.white);
        let mut bits = 0;
        match rules.digits {
            Digits::AfterSpace => runs |= run_starts(digit),
            _ => bits |= digits(digit, rules.digits),
        }
        if rules.digits_first {
            // White space before a digit ends a text.
            last_white &= !before(digit);
        }
        // A word takes one space before it; the last space of a run is a start in any case.
        let words = runs & !after(m.class.space);
        bits |= words | run_starts(m.white) | last_white;
        let mut starts = Starts { bits, limit: m.limit_of(m.white) };
        if rules.marks == Marks::Both {
            limit_marks(&mut starts, m);
        }
        if rules.contractions != Contractions::None {
            let fold = rules.contractions == Contractions::AnyCase;
            let open = run_starts(m.other) & words & m.class.apostrophe & before(m.letter);
            for i in positions(open) {
                split_contraction::<C>(&mut starts, m, text, i, fold);
            }
        }
        starts
    }

    #[inline(always)]
    fn long_word<C: Isa>(&self, m: &Block, _: &[u8]) -> (u64, u64) {
        (m.letter, !m.letter)
    }
}

/// Words take any character before them: cl100k, o200k and their children.
pub(super) struct AfterAny(pub(super) Rules, pub(super) &'static WideClasses);

impl Family for AfterAny {
    #[inline(always)]
    fn marks_in_words(&self) -> bool {
        self.0.marks != Marks::Symbols
    }

    #[inline(always)]
    fn table(&self) -> &'static WideClasses {
        self.1
    }

    #[inline(always)]
    fn starts<C: Isa>(&self, m: &Block, text: &[u8]) -> Starts {
        let rules = &self.0;
        let swallow = match rules.tail {
            Tail::None => 0,
            Tail::Newlines => m.class.newline,
            Tail::NewlinesAndSlashes => m.class.newline | m.class.slash,
        };
        let parts = Parts::new(m, swallow);
        let groups = digits(m.class.digit, rules.digits) | run_starts(m.class.apart);
        let end_of_text = if rules.digits_first { m.class.digit } else { 0 };
        let mut starts = parts.starts(m, groups, end_of_text);
        let by_case = rules.words == Words::AfterAnyByCase;
        if by_case {
            starts.bits |= m.class.upper & after(m.class.lower);
            limit_mixed(&mut starts, m);
        }
        if rules.marks == Marks::Both {
            limit_marks(&mut starts, m);
        }
        if rules.contractions != Contractions::None {
            let fold = rules.contractions == Contractions::AnyCase;
            let open = parts.prefix & m.class.apostrophe;
            if by_case {
                end_contractions::<C>(&mut starts, m, text, open & after(m.letter), fold);
            } else {
                for i in positions(open) {
                    split_contraction::<C>(&mut starts, m, text, i, fold);
                }
            }
            limit_apostrophe(&mut starts, m);
        }
        starts
    }

    #[inline(always)]
    fn long_word<C: Isa>(&self, m: &Block, _: &[u8]) -> (u64, u64) {
        match self.0.words {
            _ if m.class.apart & 1 == 1 => (m.class.apart, !m.class.apart),
            Words::AfterAnyByCase => {
                let caseless = m.letter & !(m.class.upper | m.class.lower);
                (caseless, !(m.letter | m.class.apostrophe))
            }
            _ => (m.letter, !m.letter),
        }
    }
}

/// DeepSeek's: digits, and Chinese and Japanese, are texts of their own.
pub(super) struct Deepseek(pub(super) &'static WideClasses);

impl Family for Deepseek {
    #[inline(always)]
    fn marks_in_words(&self) -> bool {
        true
    }

    #[inline(always)]
    fn table(&self) -> &'static WideClasses {
        self.0
    }

    #[inline(always)]
    fn starts<C: Isa>(&self, m: &Block, text: &[u8]) -> Starts {
        // Control characters are no symbols here.
        let plain = |byte: u8| (byte >= b' ') & (byte != 0x7F) | (byte.wrapping_sub(9) < 5);
        if !text[..BLOCK].iter().fold(true, |all, &byte| all & plain(byte)) {
            return Starts { bits: 0, limit: 0 };
        }
        let ascii = match m.class.starts {
            u64::MAX => u64::MAX,
            starts => C::gather(!high_bytes(text), starts),
        };
        let mut parts = Parts::new(m, m.class.newline);
        // ASCII punctuation takes ASCII letters, and only those.
        let ascii_letter = m.letter & ascii;
        parts.prefix &= ascii & before(ascii_letter);
        let end_of_text = m.class.digit | m.class.apart;
        let groups = digits(m.class.digit, Digits::UpTo(3)) | run_starts(m.class.apart);
        let mut starts = parts.starts(m, groups, end_of_text);
        let after_ascii = after(parts.prefix).wrapping_add(ascii_letter) & !ascii_letter;
        starts.bits |= after_ascii & m.letter;
        starts
    }

    #[inline(always)]
    fn long_word<C: Isa>(&self, m: &Block, _: &[u8]) -> (u64, u64) {
        match () {
            () if m.class.apart & 1 == 1 => (m.class.apart, !m.class.apart),
            // After punctuation a word is of ASCII letters only.
            () if m.other & 1 == 1 => (0, 0),
            () => (m.letter, !m.letter),
        }
    }
}

/// What cl100k and o200k share.
struct Parts {
    /// Symbols that are not swallowed by a run of symbols before them.
    other: u64,
    /// White space that is not swallowed.
    white: u64,
    /// The single symbols that a word takes as its first character.
    prefix: u64,
}

impl Parts {
    /// `swallow`: what a run of symbols takes after itself, starting with a newline.
    #[inline(always)]
    fn new(m: &Block, swallow: u64) -> Parts {
        let from = m.class.newline & swallow & after(m.other);
        // Adding a run's first bit clears the run up to its end.
        let swallowed = from | swallow & !from.wrapping_add(swallow);
        let other = m.other & !swallowed;
        let white = m.white & !swallowed;
        let prefix = run_starts(other) & !after(m.class.space) & before(m.letter);
        Parts { other, white, prefix }
    }

    /// `groups` are the starts of what is neither word, symbol nor white space; before `end_of_text` a text ends.
    #[inline(always)]
    fn starts(&self, m: &Block, groups: u64, end_of_text: u64) -> Starts {
        let blank = m.class.space | m.class.tab;
        let words = run_starts(m.letter) & !after(self.prefix | blank);
        let symbols = run_starts(self.other) & !after(m.class.space);
        let last_blank = run_ends(self.white) & blank & !before(end_of_text);
        let bits = words | symbols | groups | run_starts(self.white) | last_blank;
        let limit = m.limit_of(self.white);
        Starts { bits: bits | after_last_newline(m.class.newline & self.white, blank), limit }
    }
}

/// The blanks right after the last newline of a run of white space: those whose run does not end in
/// a newline.
#[inline(always)]
fn after_last_newline(newline: u64, blank: u64) -> u64 {
    let mut first = blank & after(newline);
    let mut wrong = first.wrapping_add(blank) & !blank & newline;
    while wrong != 0 {
        let below = (wrong & wrong.wrapping_neg()) - 1;
        let start = 64 - (!blank & below).leading_zeros();
        first &= !(1 << start);
        wrong &= wrong - 1;
    }
    first
}

/// The starts of groups of digits.
#[inline(always)]
fn digits(digit: u64, rule: Digits) -> u64 {
    match rule {
        Digits::UpTo(1) => digit,
        Digits::UpTo(2) => groups::<2>(digit),
        Digits::UpTo(_) => groups::<3>(digit),
        Digits::Any | Digits::AfterSpace => run_starts(digit),
    }
}

/// The starts of the groups of at most `N` digits, 2 or 3.
#[inline(always)]
fn groups<const N: usize>(digit: u64) -> u64 {
    let pair = digit & after(digit);
    let full = if N == 2 { pair } else { pair & after(pair) };
    let mut group = run_starts(digit);
    let mut starts = 0;
    while group != 0 {
        starts |= group;
        group = after(group << (N - 1) & full) & digit;
    }
    starts
}

/// Contractions that end the word before them. Right after another contraction one is a word of its own.
#[inline(always)]
fn end_contractions<C: Isa>(starts: &mut Starts, m: &Block, text: &[u8], open: u64, fold: bool) {
    let mut taken = 0;
    for i in positions(open) {
        if i != taken
            && let Some(end) = split_contraction::<C>(starts, m, text, i, fold)
        {
            starts.bits &= !(1 << i);
            taken = end;
        }
    }
}

/// An apostrophe at character i, if a contraction starts there: its letters are no start, what follows
/// them is. Returns the end. Where the letters are not all seen nothing from i on is certain.
#[inline(always)]
fn split_contraction<C: Isa>(
    starts: &mut Starts,
    m: &Block,
    text: &[u8],
    i: u32,
    fold: bool,
) -> Option<u32> {
    if i + 3 >= m.len {
        starts.limit = starts.limit.min(i);
        return None;
    }
    let end = m.number_of(contraction(text, m.byte_of::<C>(i), fold)?);
    starts.bits &= !(low_bits(end) & !low_bits(i + 1));
    starts.bits |= 1 << end & m.letter;
    Some(end)
}

/// The end of `'(?:[sdmt]|ll|ve|re)` at a place, in any case if `fold`: `ſ` (U+017F) is an `s` then.
#[inline]
fn contraction(text: &[u8], at: usize, fold: bool) -> Option<usize> {
    if text.get(at) != Some(&b'\'') {
        return None;
    }
    let letter = |i: usize| text.get(at + i).map_or(0, |&b| if fold { b | 0x20 } else { b });
    match (letter(1), letter(2)) {
        (b's' | b'd' | b'm' | b't', _) => Some(at + 2),
        (b'l', b'l') | (b'v' | b'r', b'e') => Some(at + 3),
        _ if fold && text[at + 1..].starts_with("ſ".as_bytes()) => Some(at + 3),
        _ => None,
    }
}

/// Where letters with and without case meet, the end of a word takes more than a look at two
/// neighbours: only its start is certain.
#[inline(always)]
fn limit_mixed(starts: &mut Starts, m: &Block) {
    let cased = m.class.upper | m.class.lower;
    let mixed = (m.class.caseless | m.class.mark) & (after(cased) | before(cased));
    if mixed != 0 {
        let before = low_bits(mixed.trailing_zeros()) & !m.letter;
        starts.limit = starts.limit.min(65 - before.leading_zeros());
    }
}

/// A mark after a symbol may belong to a word or to a run of symbols: only the start of what it follows is
/// certain.
#[inline(always)]
fn limit_marks(starts: &mut Starts, m: &Block) {
    let open = m.class.mark & after(m.other);
    if open != 0 {
        let before = low_bits(open.trailing_zeros()) & !(m.other | m.class.mark);
        starts.limit = starts.limit.min(65 - before.leading_zeros());
    }
}

/// An apostrophe as the last character may be followed by `ſ`, which has no class here.
#[inline(always)]
fn limit_apostrophe(starts: &mut Starts, m: &Block) {
    if m.len > 0 && m.class.apostrophe >> (m.len - 1) & 1 == 1 {
        starts.limit = starts.limit.min(m.len - 1);
    }
}

/// The positions of the ones.
#[inline(always)]
fn positions(mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let at = bits.trailing_zeros();
        (at < 64).then(|| bits &= bits - 1).map(|()| at)
    })
}

/*!
Kernels with SIMD forms, behind safe signatures, named after what they compute:

```text
scalar, x86_64, aarch64   the classes of 64 bytes; the forms of AVX2 and AVX-512, and of NEON
non_ascii        the classes of characters beyond ASCII
piece_keys       the keys of four pieces, and the cache lines where they live
cache_probe      the ids of a key in a cache line
byte_pairs       the bytes of a piece as tokens, with the merges of two bytes that are certain
cjk_cuts         where no token spans two characters of three bytes
bert             BERT's normaliser and word split for 64 bytes
utf8             code points to UTF-8
```

The scalar form defines the answer; the others are tested against it at every byte value and position. Which
one runs is decided once, from what the processor has, or from the environment variable `SUBWORD_SIMD`
(`scalar`, `avx2`, `avx512`, `neon`), which tests and benchmarks use to force a level. Any other name is an error,
and so is a level that the processor lacks.

A caller hands a [`Kernel`] to [`Level::run`], which calls it with the right [`Isa`] from inside a function that
has the processor's features enabled, so that the whole kernel is compiled for them.
*/

#![allow(unsafe_code)]

use std::fmt;

use crate::error::{Error, Result};
use crate::mem::{FirstUse, Line};

#[cfg(target_arch = "aarch64")]
mod aarch64;
mod bert;
#[cfg(target_arch = "aarch64")]
mod bert_aarch64;
#[cfg(target_arch = "x86_64")]
mod bert_x86_64;
mod byte_pairs;
mod cache_probe;
mod cjk_cuts;
#[cfg(target_arch = "aarch64")]
mod cjk_cuts_aarch64;
#[cfg(target_arch = "aarch64")]
mod lanes_aarch64;
mod non_ascii;
#[cfg(target_arch = "x86_64")]
mod non_ascii_x86_64;
mod piece_keys;
#[cfg(target_arch = "aarch64")]
mod piece_keys_aarch64;
mod scalar;
mod utf8;
#[cfg(target_arch = "x86_64")]
mod x86_64;

pub use bert::{BERT_PUNCTUATION, BERT_WHITE, BertBlock, BertLetters, BertRules};
pub use byte_pairs::{AllTwoBytes, MOST_BYTES, NEVER, TwoBytes};
pub use cache_probe::{FOUR, look_up};
pub use cjk_cuts::{Cuts, JoinedPairs};
pub use non_ascii::{WideClasses, class};
pub use piece_keys::{
    Bounds, CHINESE, FIRST_BYTES, KEYS, Key, LONGEST_KEY, Odd, few_bytes, hash, last_key,
    window_key,
};
pub(crate) use scalar::Scalar;
pub use utf8::{UTF8_GROUP, write_utf8};

/// How many bytes are classified at a time: one bit of a word each.
pub const BLOCK: usize = 64;

/// The block and the rest of a character that starts in it.
pub const WINDOW: usize = BLOCK + non_ascii::LONGEST - 1;

/// The characters that start in 64 bytes, up to the first whose class is not known here: bit i of a
/// class is the i-th character. What is in no class is a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Masks {
    /// Capital letters.
    pub upper: u64,
    /// Small letters.
    pub lower: u64,
    /// Letters without case.
    pub caseless: u64,
    /// Letters that a pattern tells apart from all others.
    pub apart: u64,
    /// Characters of which a pattern knows more than these classes say.
    pub odd: u64,
    /// Combining marks.
    pub mark: u64,
    /// Numbers.
    pub digit: u64,
    /// The space.
    pub space: u64,
    /// Other white space, without newlines.
    pub tab: u64,
    /// Line feed and carriage return.
    pub newline: u64,
    /// `'`
    pub apostrophe: u64,
    /// `/`
    pub slash: u64,
    /// Where the characters start: bit i is byte i. One bit for each character.
    pub starts: u64,
}

impl Masks {
    /// From a mask for each bit of a class (see [`class`]).
    #[inline(always)]
    fn new(packed: [u64; 8], starts: u64) -> Masks {
        let [upper, lower, digit, space, tab, newline, apostrophe, slash] = packed;
        let (caseless, mark, odd) = (upper & lower, apostrophe & slash, space & tab);
        let (upper, lower) = (upper & !caseless, lower & !caseless);
        let apart = caseless & digit;
        let (caseless, digit) = (caseless & !apart, digit & !apart);
        let (apostrophe, slash) = (apostrophe & !mark, slash & !mark);
        let (space, tab) = (space & !odd, tab & !odd);
        Masks {
            upper,
            lower,
            caseless,
            apart,
            odd,
            mark,
            digit,
            space,
            tab,
            newline,
            apostrophe,
            slash,
            starts,
        }
    }

    /// How many characters there are.
    #[inline(always)]
    pub fn len(&self) -> u32 {
        self.starts.count_ones()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.starts == 0
    }
}

/// An instruction set: the kernels that have a form of their own at some level. Where a level has none, it takes
/// the scalar form, which is the default here.
pub trait Isa {
    /// The classes of the characters that start in the first 64 bytes; those beyond ASCII by a table.
    fn classify(window: &[u8; WINDOW], table: &WideClasses) -> Masks;

    /// The bits of `bits`, spread to the places of the ones in `places`, in order.
    fn spread(bits: u64, places: u64) -> u64;

    /// The bits of `bits` at the places of the ones in `places`, side by side: what [`Isa::spread`] undoes.
    fn gather(bits: u64, places: u64) -> u64;

    /// Bit i: byte i of a text is this one. The text has 64 bytes or more.
    #[inline(always)]
    fn equal_bytes(text: &[u8], byte: u8) -> u64 {
        scalar::equal_bytes(text, byte)
    }

    /// Appends the positions of the ones, each with `base` added.
    #[inline(always)]
    fn positions(bits: u64, base: usize, into: &mut Vec<usize>) {
        scalar::positions(bits, base, into);
    }

    /// The ids of a key in a line of two keys and their ids (see `cache`): writes all places, says how
    /// many count, 0 if it is not there.
    #[inline(always)]
    fn look_up(line: &Line, key: Key, into: &mut [u32; 8]) -> usize {
        cache_probe::look_up(line, key, into)
    }

    /// The same for four keys, each in its line: writes the ids one after the other, and says where those
    /// of each key end; none if one of them is not there.
    #[inline(always)]
    fn look_up_four(
        lines: [&Line; KEYS],
        keys: &[Key; KEYS],
        into: &mut [u32; FOUR],
    ) -> Option<[usize; KEYS]> {
        cache_probe::look_up_four(lines, keys, into)
    }

    /// How many ids a key has in a line; 0 if it is not there.
    #[inline(always)]
    fn number(line: &Line, key: Key) -> usize {
        cache_probe::number(line, key)
    }

    /// The keys of four pieces and the lines where they live: the top bits of their
    /// hashes without the last `shift`. The line of a piece that is too long is 0, and its key means
    /// nothing. None if a piece starts in the last 15 bytes of the text.
    #[inline(always)]
    fn keys(
        text: &[u8],
        bounds: Bounds,
        shift: u32,
        keys: &mut [Key; KEYS],
        lines: &mut [u32; KEYS],
    ) -> Option<Odd> {
        piece_keys::keys(text, bounds, shift, keys, lines)
    }

    /// Where a text may be cut between the characters of three bytes that a block starts with.
    #[inline(always)]
    fn cuts(block: &[u8; BLOCK], pairs: &JoinedPairs) -> Cuts {
        cjk_cuts::cuts(block, pairs)
    }

    /// The bytes of a piece, at most 64, as tokens, two of them as one where that merge is sure: how many
    /// there are. What was written beyond them means nothing. `ids` are those of the bytes.
    #[inline(always)]
    fn sure_merges(
        piece: &[u8],
        all: &AllTwoBytes,
        ids: &[u32; 256],
        into: &mut [u32; MOST_BYTES],
    ) -> usize {
        byte_pairs::sure_merges(piece, all, ids, into)
    }

    /// What the first bytes of a text, at most 64, become by BERT's rules. What was written beyond the
    /// bytes that count means nothing.
    #[inline(always)]
    fn bert(text: &[u8], bytes: &mut [u8; BLOCK], rules: &BertRules) -> BertBlock {
        bert::plain(text, bytes, rules)
    }

    /// Code points as UTF-8: how many bytes were written; none if one of them is no character.
    #[inline(always)]
    fn utf8(codes: &[u32; UTF8_GROUP], into: &mut [u8; 4 * UTF8_GROUP]) -> Option<usize> {
        utf8::plain(codes, into)
    }
}

/// Work that is compiled for each level.
pub trait Kernel {
    /// What it returns.
    type Output;
    /// Does it; mark this `#[inline(always)]`.
    fn run<C: Isa>(self) -> Self::Output;
}

/// A level of SIMD that this processor has.
///
/// INVARIANT: only [`Level::available`] makes a level above [`Level::SCALAR`], after it has asked the
/// processor. The field is private, so safe code cannot run instructions that the processor lacks:
///
/// ```compile_fail,E0423
/// let forged = subword_core::Level(todo!());
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Level(Features);

/// What the kernels of a level need.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Features {
    /// Plain Rust, any processor.
    Scalar,
    /// x86-64 with AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// x86-64 with AVX-512 (BW, VBMI).
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// ARM of 64 bits, which always has NEON.
    #[cfg(target_arch = "aarch64")]
    Neon,
}

/// The environment variable that chooses a level.
const CHOICE: &str = "SUBWORD_SIMD";

/// The names of all levels, also of those that this processor does not have.
const NAMES: [&str; 4] = ["scalar", "avx2", "avx512", "neon"];

impl Level {
    /// Plain Rust, any processor.
    pub const SCALAR: Level = Level(Features::Scalar);

    /// The levels that this processor has, the best last.
    pub fn available() -> Vec<Level> {
        #[allow(unused_mut)]
        let mut levels = vec![Level::SCALAR];
        #[cfg(target_arch = "x86_64")]
        {
            if x86_64::has_avx2() {
                levels.push(Level(Features::Avx2));
            }
            if x86_64::has_avx512() {
                levels.push(Level(Features::Avx512));
            }
        }
        #[cfg(target_arch = "aarch64")]
        levels.push(Level(Features::Neon));
        levels
    }

    /// The name that `SUBWORD_SIMD` takes.
    pub fn name(self) -> &'static str {
        match self.0 {
            Features::Scalar => NAMES[0],
            #[cfg(target_arch = "x86_64")]
            Features::Avx2 => NAMES[1],
            #[cfg(target_arch = "x86_64")]
            Features::Avx512 => NAMES[2],
            #[cfg(target_arch = "aarch64")]
            Features::Neon => NAMES[3],
        }
    }

    /// The level to use: the best one, or the one that `SUBWORD_SIMD` names. It is read once. A name that
    /// is no level, or that of a level which this processor does not have, is an error.
    pub fn chosen() -> Result<Level> {
        static CHOSEN: FirstUse<Result<Level>> = FirstUse::new();
        let choose = || {
            let name = std::env::var_os(CHOICE).unwrap_or_default();
            Level::named(&name.to_string_lossy(), &Level::available())
        };
        CHOSEN.get_or_make(choose).clone()
    }

    /// The level of this name among those that there are; for no name the best.
    fn named(name: &str, available: &[Level]) -> Result<Level> {
        let named = available.iter().copied().find(|level| level.name() == name);
        let best = available.last().copied().filter(|_| name.is_empty());
        named.or(best).ok_or_else(|| {
            let has: Vec<&str> = available.iter().map(|level| level.name()).collect();
            let message = if NAMES.contains(&name) {
                format!("{CHOICE}={name}: this processor has only {}", has.join(", "))
            } else {
                format!("{CHOICE}={name:?}: expected one of {}", NAMES.join(", "))
            };
            Error::Argument { message }
        })
    }

    /// Runs the kernel at this level.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            Features::Scalar => kernel.run::<scalar::Scalar>(),
            // SAFETY: by the invariant `available` has asked the processor for these features.
            #[cfg(target_arch = "x86_64")]
            Features::Avx2 => unsafe { x86_64::run_avx2(kernel) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Features::Avx512 => unsafe { x86_64::run_avx512(kernel) },
            // SAFETY: NEON is part of every processor of this architecture.
            #[cfg(target_arch = "aarch64")]
            Features::Neon => unsafe { aarch64::run_neon(kernel) },
        }
    }
}

impl fmt::Debug for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests;

/*!
Byte scans with SIMD forms, behind safe signatures.

`scalar` defines the answer; the others are tested against it at every byte value and position.
Which one runs is decided once, from what the processor has, or from the environment variable
`SUBWORD_SIMD` (`scalar`, `avx2`, `avx512`), which tests and benchmarks use to force a path. A level
that the processor lacks is never chosen.

A caller hands a [`Kernel`] to [`Level::run`], which calls it with the right [`Classify`] from
inside a function that has the processor's features enabled, so that the whole kernel is compiled
for them.
*/

#![allow(unsafe_code)]

use std::sync::OnceLock;

mod lines;
mod pages;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod x86_64;

pub use lines::{Line, Lines};
pub use pages::prefer_huge_pages;

/// How many bytes are classified at a time: one bit of a word each.
pub const BLOCK: usize = 64;

/// The classes of 64 bytes: bit i of a mask is byte i.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AsciiMasks {
    /// `A` to `Z`
    pub upper: u64,
    /// `a` to `z`
    pub lower: u64,
    /// `0` to `9`
    pub digit: u64,
    /// The space.
    pub space: u64,
    /// Tab, vertical tab, form feed.
    pub tab: u64,
    /// Line feed and carriage return.
    pub newline: u64,
    /// `'`
    pub apostrophe: u64,
    /// `/`
    pub slash: u64,
    /// Not ASCII.
    pub high: u64,
}

/// A way to classify 64 bytes.
pub trait Classify {
    /// The classes of the block.
    fn classify(block: &[u8; BLOCK]) -> AsciiMasks;
}

/// Work that is compiled for each level.
pub trait Kernel {
    /// What it returns.
    type Output;
    /// Does it; mark this `#[inline(always)]`.
    fn run<C: Classify>(self) -> Self::Output;
}

/// What the processor has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Plain Rust, any processor.
    Scalar,
    /// x86-64 with AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// x86-64 with AVX-512 (BW, VBMI).
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Level {
    /// The levels that this processor has, the best last.
    pub fn available() -> Vec<Level> {
        #[allow(unused_mut)]
        let mut levels = vec![Level::Scalar];
        #[cfg(target_arch = "x86_64")]
        {
            if x86_64::has_avx2() {
                levels.push(Level::Avx2);
            }
            if x86_64::has_avx512() {
                levels.push(Level::Avx512);
            }
        }
        levels
    }

    /// The name that `SUBWORD_SIMD` takes.
    pub fn name(self) -> &'static str {
        match self {
            Level::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => "avx512",
        }
    }

    /// The level to use: the best one, or the one that `SUBWORD_SIMD` names.
    pub fn best() -> Level {
        static BEST: OnceLock<Level> = OnceLock::new();
        *BEST.get_or_init(|| {
            let available = Level::available();
            let wanted = std::env::var("SUBWORD_SIMD").unwrap_or_default();
            let named = available.iter().find(|level| level.name() == wanted);
            *named.unwrap_or_else(|| available.last().expect("scalar is always there"))
        })
    }

    /// Runs the kernel at this level.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self {
            Level::Scalar => kernel.run::<scalar::Scalar>(),
            // SAFETY: `available`, the only maker of these two levels, has checked the processor's
            // features.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { x86_64::run_avx2(kernel) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { x86_64::run_avx512(kernel) },
        }
    }
}

/// Asks for the cache line of `value` ahead of its use. A hint: it changes nothing but time.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    x86_64::prefetch(value);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

#[cfg(test)]
mod tests {
    use super::*;

    struct One<'a>(&'a [u8; BLOCK]);

    impl Kernel for One<'_> {
        type Output = AsciiMasks;
        #[inline(always)]
        fn run<C: Classify>(self) -> AsciiMasks {
            C::classify(self.0)
        }
    }

    #[test]
    fn every_level_classifies_as_the_scalar_one() {
        for level in Level::available() {
            for byte in 0..=255u8 {
                for at in 0..BLOCK {
                    let mut block = [b'.'; BLOCK];
                    block[at] = byte;
                    let expected = Level::Scalar.run(One(&block));
                    assert_eq!(level.run(One(&block)), expected, "{level:?} byte {byte} at {at}");
                }
            }
        }
    }

    #[test]
    fn the_scalar_classes_are_what_their_names_say() {
        for byte in 0..=255u8 {
            let masks = Level::Scalar.run(One(&[byte; BLOCK]));
            let all = |yes: bool| if yes { u64::MAX } else { 0 };
            assert_eq!(masks.upper, all(byte.is_ascii_uppercase()));
            assert_eq!(masks.lower, all(byte.is_ascii_lowercase()));
            assert_eq!(masks.digit, all(byte.is_ascii_digit()));
            assert_eq!(masks.space, all(byte == b' '));
            assert_eq!(masks.tab, all(matches!(byte, b'\t' | 0x0B | 0x0C)));
            assert_eq!(masks.newline, all(matches!(byte, b'\r' | b'\n')));
            assert_eq!(masks.apostrophe, all(byte == b'\''));
            assert_eq!(masks.slash, all(byte == b'/'));
            assert_eq!(masks.high, all(!byte.is_ascii()));
        }
    }
}

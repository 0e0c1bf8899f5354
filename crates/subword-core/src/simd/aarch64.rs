/*!
NEON, which every ARM processor of 64 bits has.

There is no instruction that makes a bit of every byte, none that spreads bits, and none that closes gaps. So a block is
dealt to four registers in turn (see `lanes_aarch64`), where four bytes become four bits by three selections; spreading bits
is a look-up of each bit by its place among the ones; and gaps are closed eight bytes at a time, by a table.
*/

use std::arch::aarch64::*;

use super::bert_aarch64::bert_neon;
use super::lanes_aarch64::{Dealt, bits_as_bytes, close};
use super::non_ascii::{self, Lanes, WideClasses};
use super::scalar::CLASS_BITS;
use super::{
    BLOCK, BertBlock, BertRules, Bounds, Cuts, Isa, JoinedPairs, KEYS, Kernel, Key, Masks, Odd,
    UTF8_GROUP, WINDOW, cjk_cuts_aarch64, piece_keys_aarch64,
};

/// Unsafe for the sake of its likes on other processors: it is compiled for NEON, which is always there.
#[target_feature(enable = "neon")]
pub(super) fn run_neon<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Neon>()
}

pub(super) struct Neon;

impl Isa for Neon {
    #[inline(always)]
    fn classify(window: &[u8; WINDOW], table: &WideClasses) -> Masks {
        let first = Dealt::load(window.first_chunk().expect("a window is a block and more"));
        let high = first.high();
        if high != 0 {
            return non_ascii::classify::<Dealt>(window, high, table);
        }
        let [upper, lower, digit, space, tab, newline, apostrophe, slash] =
            first.look_up_128(&CLASS_BITS).planes();
        let starts = u64::MAX;
        let ascii = Masks { upper, lower, digit, space, tab, newline, ..Masks::default() };
        Masks { apostrophe, slash, starts, ..ascii }
    }

    /// PERF: nearly all blocks are ASCII, where every place is taken.
    #[inline(always)]
    fn spread(bits: u64, places: u64) -> u64 {
        // SAFETY: NEON is always there.
        if places == u64::MAX { bits } else { unsafe { spread_neon(bits, places) } }
    }

    #[inline(always)]
    fn gather(bits: u64, places: u64) -> u64 {
        // SAFETY: as above.
        unsafe { gather_neon(bits, places) }
    }

    #[inline(always)]
    fn equal_bytes(text: &[u8], byte: u8) -> u64 {
        Dealt::load(text.first_chunk().expect("a block")).equal(byte)
    }

    #[inline(always)]
    fn positions(bits: u64, base: usize, into: &mut Vec<usize>) {
        positions(bits, base, into);
    }

    #[inline(always)]
    fn keys(
        text: &[u8],
        bounds: Bounds,
        shift: u32,
        keys: &mut [Key; KEYS],
        lines: &mut [u32; KEYS],
    ) -> Option<Odd> {
        // SAFETY: as above.
        unsafe { piece_keys_aarch64::keys_neon(text, bounds, shift, keys, lines) }
    }

    #[inline(always)]
    fn cuts(block: &[u8; BLOCK], pairs: &JoinedPairs) -> Cuts {
        // SAFETY: as above.
        unsafe { cjk_cuts_aarch64::cuts_neon(block, pairs) }
    }

    #[inline(always)]
    fn bert(text: &[u8], bytes: &mut [u8; BLOCK], rules: &BertRules) -> BertBlock {
        // SAFETY: as above.
        unsafe { bert_neon(text, bytes, rules) }
    }

    #[inline(always)]
    fn utf8(codes: &[u32; UTF8_GROUP], into: &mut [u8; 4 * UTF8_GROUP]) -> Option<usize> {
        // SAFETY: as above.
        unsafe { utf8_neon(codes, into) }
    }
}

/// Every place knows how many come before it, and takes the bit of that number.
#[inline]
#[target_feature(enable = "neon")]
fn spread_neon(bits: u64, places: u64) -> u64 {
    let Dealt([a, b, c, d]) = Dealt::of_mask(places);
    // A place is 255, which is -1: so many places are there, up to each of four bytes side by side.
    let a_sum = vsubq_u8(vdupq_n_u8(0), a);
    let b_sum = vsubq_u8(a_sum, b);
    let c_sum = vsubq_u8(b_sum, c);
    let d_sum = vsubq_u8(c_sum, d);
    // And before these four.
    let zero = vdupq_n_u8(0);
    let mut sum = d_sum;
    sum = vaddq_u8(sum, vextq_u8::<15>(zero, sum));
    sum = vaddq_u8(sum, vextq_u8::<14>(zero, sum));
    sum = vaddq_u8(sum, vextq_u8::<12>(zero, sum));
    sum = vaddq_u8(sum, vextq_u8::<8>(zero, sum));
    let before = vaddq_u8(vsubq_u8(sum, d_sum), vdupq_n_u8(255));
    let all = bits_as_bytes(bits);
    let bit = |place, number| vandq_u8(place, vqtbl4q_u8(all, vaddq_u8(before, number)));
    Dealt([bit(a, a_sum), bit(b, b_sum), bit(c, c_sum), bit(d, d_sum)]).mask()
}

#[inline]
#[target_feature(enable = "neon")]
fn gather_neon(bits: u64, places: u64) -> u64 {
    let (mut bytes, mut closed) = ([0; BLOCK], [0; BLOCK + 8]);
    Dealt::of_mask(bits).store(&mut bytes);
    close(&bytes, places, &mut closed);
    Dealt::load(closed.first_chunk().expect("a block")).mask()
}

/// A place takes five instructions, four of them at a time: with the bits reversed, the lowest is the one that leading
/// zeros are counted to.
#[inline(always)]
fn positions(bits: u64, base: usize, into: &mut Vec<usize>) {
    const AT_A_TIME: u32 = 4;
    into.reserve(BLOCK + AT_A_TIME as usize);
    let count = bits.count_ones();
    let mut rest = bits.reverse_bits();
    let mut to = into.spare_capacity_mut().as_mut_ptr().cast::<usize>();
    let mut left = count as i32;
    while left > 0 {
        for _ in 0..AT_A_TIME {
            let place = rest.leading_zeros();
            rest &= !((1 << 63) >> (place % 64));
            // SAFETY: at most three places are written after the last of at most 64, and there is room for them all.
            unsafe {
                to.write(base + place as usize);
                to = to.add(1);
            }
        }
        left -= AT_A_TIME as i32;
    }
    // SAFETY: the first `count` places beyond the length are written, and there is room for them.
    unsafe { into.set_len(into.len() + count as usize) };
}

/// All characters as four bytes, the last of them highest; then the bytes that they do not need are closed.
#[inline]
#[target_feature(enable = "neon")]
fn utf8_neon(codes: &[u32; UTF8_GROUP], into: &mut [u8; 4 * UTF8_GROUP]) -> Option<usize> {
    let number = |n: u32| vdupq_n_u32(n);
    let (mut kept, mut wrong) = (0, number(0));
    let mut bytes = [0; BLOCK];
    for (group, (four, to)) in
        codes.as_chunks::<4>().0.iter().zip(bytes.as_chunks_mut::<16>().0).enumerate()
    {
        // SAFETY: these are four numbers; a load takes any alignment.
        let code = unsafe { vld1q_u32(four.as_ptr()) };
        let (two, three, four) = (
            vcgeq_u32(code, number(0x80)),
            vcgeq_u32(code, number(0x800)),
            vcgeq_u32(code, number(0x1_0000)),
        );
        let surrogate = vcltq_u32(vsubq_u32(code, number(0xD800)), number(0x800));
        wrong = vorrq_u32(wrong, vorrq_u32(surrogate, vcgeq_u32(code, number(0x11_0000))));
        // The last byte of each, the one before it, and so on: six bits of the code point and a mark.
        let six = |shifted| vorrq_u32(vandq_u32(shifted, number(0x3F)), number(0x80));
        let [a, b, c] = [six(code), six(vshrq_n_u32::<6>(code)), six(vshrq_n_u32::<12>(code))];
        let then = |first, second| vsliq_n_u32::<8>(first, second);
        let mut all = code;
        let lead = vorrq_u32(vshrq_n_u32::<6>(code), number(0xC0));
        all = vbslq_u32(two, then(lead, a), all);
        let lead = vorrq_u32(vshrq_n_u32::<12>(code), number(0xE0));
        all = vbslq_u32(three, then(lead, then(b, a)), all);
        let lead = vorrq_u32(vshrq_n_u32::<18>(code), number(0xF0));
        all = vbslq_u32(four, then(lead, then(c, then(b, a))), all);
        // SAFETY: these are 16 bytes; a store takes any alignment.
        unsafe { vst1q_u8(to.as_mut_ptr(), vreinterpretq_u8_u32(all)) };
        // A bit for each byte: 1, 3, 7 or 15.
        let bits = vorrq_u32(
            vorrq_u32(number(1), vandq_u32(two, number(2))),
            vorrq_u32(vandq_u32(three, number(4)), vandq_u32(four, number(8))),
        );
        let place = [0, 4, 8, 12];
        // SAFETY: as above.
        let place = unsafe { vld1q_s32(place.as_ptr()) };
        kept |= u64::from(vaddvq_u32(vshlq_u32(bits, place))) << (16 * group);
    }
    if vmaxvq_u32(wrong) != 0 {
        return None;
    }
    let mut closed = [0; BLOCK + 8];
    close(&bytes, kept, &mut closed);
    *into = *closed.first_chunk().expect("a block");
    Some(kept.count_ones() as usize)
}

/*!
64 bytes in four NEON registers, dealt in turn:

```text
register 0   byte 0, 4, 8 .. 60        register 2   byte 2, 6, 10 .. 62
register 1   byte 1, 5, 9 .. 61        register 3   byte 3, 7, 11 .. 63
```

Four bytes side by side stand at the same place of four registers. So a mask of 64 bytes takes three selections, which keep a
bit of each of the four, and a shift that closes up half bytes. In reading order, the sixteen bytes of every register would
have to be added up to two. All eight bits of 64 bytes become masks by the same idea, in 24 instructions and eight moves.
*/

use std::arch::aarch64::*;

use super::BLOCK;
use super::non_ascii::Lanes;

/// 64 bytes, dealt.
#[derive(Clone, Copy)]
pub(super) struct Dealt(pub(super) [uint8x16_t; 4]);

impl Dealt {
    /// Each register by itself.
    #[inline(always)]
    pub(super) fn map(self, change: impl Fn(uint8x16_t) -> uint8x16_t) -> Dealt {
        Dealt(self.0.map(change))
    }

    /// Each register with the same one of another.
    #[inline(always)]
    pub(super) fn zip(
        self,
        other: Dealt,
        change: impl Fn(uint8x16_t, uint8x16_t) -> uint8x16_t,
    ) -> Dealt {
        Dealt(std::array::from_fn(|i| change(self.0[i], other.0[i])))
    }

    #[inline(always)]
    pub(super) fn and(self, other: Dealt) -> Dealt {
        // SAFETY: NEON is always there.
        self.zip(other, |a, b| unsafe { vandq_u8(a, b) })
    }

    /// In reading order.
    #[inline(always)]
    pub(super) fn store(self, bytes: &mut [u8; BLOCK]) {
        let [a, b, c, d] = self.0;
        // SAFETY: these are 64 bytes; a store takes any alignment.
        unsafe { vst4q_u8(bytes.as_mut_ptr(), uint8x16x4_t(a, b, c, d)) };
    }

    /// 255 where the mask is, and 0.
    #[inline(always)]
    pub(super) fn of_mask(mask: u64) -> Dealt {
        // SAFETY: NEON is always there.
        unsafe {
            let bytes = vcombine_u8(vcreate_u8(mask), vcreate_u8(0));
            // Half a byte of the mask is one place of the four registers.
            let twice = vzip1q_u8(bytes, bytes);
            let bit = |half: u16| {
                let both = vreinterpretq_u8_u16(vdupq_n_u16(half | half << 12));
                vtstq_u8(twice, both)
            };
            Dealt([bit(1), bit(2), bit(4), bit(8)])
        }
    }

    /// Which bytes are 255; the others are 0.
    #[inline(always)]
    pub(super) fn mask(self) -> u64 {
        let [a, b, c, d] = self.0;
        // SAFETY: as above.
        unsafe {
            // Half a byte is one bit of each register, and so is the other half.
            let two = |even, odd| vbslq_u8(vdupq_n_u8(0x55), even, odd);
            let four = vbslq_u8(vdupq_n_u8(0x33), two(a, b), two(c, d));
            let bytes = vshrn_n_u16::<4>(vreinterpretq_u16_u8(four));
            vget_lane_u64::<0>(vreinterpret_u64_u8(bytes))
        }
    }

    /// Which bytes have the highest bit.
    #[inline(always)]
    pub(super) fn high(self) -> u64 {
        // SAFETY: as above.
        self.map(|lanes| unsafe { vcltzq_s8(vreinterpretq_s8_u8(lanes)) }).mask()
    }

    /// For each bit, lowest first: which bytes have it.
    ///
    /// Two registers swap every second bit, then pairs of bits are swapped, so that half a byte is one bit of four bytes side
    /// by side: four instructions for each bit, where one after the other takes eleven.
    #[inline(always)]
    pub(super) fn planes(self) -> [u64; 8] {
        let [a, b, c, d] = self.0;
        // SAFETY: as above.
        unsafe {
            let (one, two) = (vdupq_n_u8(0x55), vdupq_n_u8(0x33));
            // Bits 0, 2, 4 and 6 of both; bits 1, 3, 5 and 7.
            let even = |low, high| vbslq_u8(one, low, vshlq_n_u8::<1>(high));
            let odd = |low, high| vbslq_u8(one, vshrq_n_u8::<1>(low), high);
            let (ab, cd) = ([even(a, b), odd(a, b)], [even(c, d), odd(c, d)]);
            let lower = |i: usize| vbslq_u8(two, ab[i], vshlq_n_u8::<2>(cd[i]));
            let upper = |i: usize| vbslq_u8(two, vshrq_n_u8::<2>(ab[i]), cd[i]);
            // A register has a bit in the lower halves of its bytes and another in the upper ones: of two registers at once,
            // the halves of adjacent bytes are put together.
            let put = |first, second| {
                let (left, right) = (vuzp1q_u8(first, second), vuzp2q_u8(first, second));
                let low = vreinterpretq_u64_u8(vsliq_n_u8::<4>(left, right));
                let high = vreinterpretq_u64_u8(vsriq_n_u8::<4>(right, left));
                [
                    vgetq_lane_u64::<0>(low),
                    vgetq_lane_u64::<1>(low),
                    vgetq_lane_u64::<0>(high),
                    vgetq_lane_u64::<1>(high),
                ]
            };
            let [b0, b1, b4, b5] = put(lower(0), lower(1));
            let [b2, b3, b6, b7] = put(upper(0), upper(1));
            [b0, b1, b2, b3, b4, b5, b6, b7]
        }
    }
}

/// The bits of a word as bytes in reading order: 255 or 0.
#[inline(always)]
pub(super) fn bits_as_bytes(bits: u64) -> uint8x16x4_t {
    // SAFETY: NEON is always there.
    unsafe {
        let all = vreinterpretq_u8_u64(vdupq_n_u64(bits));
        let bit = vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201));
        let two = |number: u8| {
            let places = vcombine_u8(vdup_n_u8(number), vdup_n_u8(number + 1));
            vtstq_u8(vqtbl1q_u8(all, places), bit)
        };
        uint8x16x4_t(two(0), two(2), two(4), two(6))
    }
}

/// For every choice of eight bytes: where they are, one after the other, and then a place that there is not.
static CHOSEN: [[u8; 8]; 256] = {
    let mut all = [[u8::MAX; 8]; 256];
    let mut choice = 0;
    while choice < 256 {
        let (mut place, mut count) = (0, 0);
        while place < 8 {
            if choice >> place & 1 == 1 {
                all[choice][count] = place as u8;
                count += 1;
            }
            place += 1;
        }
        choice += 1;
    }
    all
};

/// Writes the bytes at the places of the ones one after the other, and zeros after them up to the end of a block. `into`
/// is all zeros.
#[inline(always)]
pub(super) fn close(bytes: &[u8; BLOCK], places: u64, into: &mut [u8; BLOCK + 8]) {
    // SAFETY: NEON is always there.
    let counts = unsafe { vget_lane_u64::<0>(vreinterpret_u64_u8(vcnt_u8(vcreate_u8(places)))) };
    // Byte i: how many there are in the groups before group i.
    let before = counts.wrapping_mul(0x0101_0101_0101_0101) << 8;
    for (group, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
        let choice = usize::from((places >> (8 * group)) as u8);
        let at = (before >> (8 * group)) as u8;
        // SAFETY: these are eight bytes each; at most eight bytes are kept of each of the groups before, so `at` is
        // at most 56; loads and stores take any alignment.
        unsafe {
            let closed = vtbl1_u8(vld1_u8(eight.as_ptr()), vld1_u8(CHOSEN[choice].as_ptr()));
            vst1_u8(into.as_mut_ptr().add(usize::from(at)), closed);
        }
    }
}

impl Lanes for Dealt {
    #[inline(always)]
    fn all(byte: u8) -> Dealt {
        // SAFETY: NEON is always there.
        Dealt(unsafe { [vdupq_n_u8(byte); 4] })
    }

    #[inline(always)]
    fn load(bytes: &[u8; BLOCK]) -> Dealt {
        // SAFETY: these are 64 bytes; a load takes any alignment.
        let uint8x16x4_t(a, b, c, d) = unsafe { vld4q_u8(bytes.as_ptr()) };
        Dealt([a, b, c, d])
    }

    #[inline(always)]
    fn equal(self, byte: u8) -> u64 {
        // SAFETY: NEON is always there.
        self.map(|lanes| unsafe { vceqq_u8(lanes, vdupq_n_u8(byte)) }).mask()
    }

    #[inline(always)]
    fn at_least(self, byte: u8) -> u64 {
        // SAFETY: as above.
        self.map(|lanes| unsafe { vcgeq_u8(lanes, vdupq_n_u8(byte)) }).mask()
    }

    #[inline(always)]
    fn continuation(self) -> u64 {
        // As signed bytes these are the lowest.
        // SAFETY: as above.
        let below = |lanes| unsafe { vcltq_s8(vreinterpretq_s8_u8(lanes), vdupq_n_s8(-0x40)) };
        self.map(below).mask()
    }

    #[inline(always)]
    fn groups(first: Dealt, second: Dealt) -> Dealt {
        // SAFETY: as above.
        first.zip(second, |first, second| unsafe {
            let high = vandq_u8(vshlq_n_u8::<3>(first), vdupq_n_u8(0x78));
            vorrq_u8(high, vandq_u8(vshrq_n_u8::<3>(second), vdupq_n_u8(7)))
        })
    }

    #[inline(always)]
    fn places(before: Dealt, last: Dealt) -> Dealt {
        // SAFETY: as above.
        before.zip(last, |before, last| unsafe {
            let high = vandq_u8(vshlq_n_u8::<6>(before), vdupq_n_u8(0x40));
            vorrq_u8(high, vandq_u8(last, vdupq_n_u8(0x3F)))
        })
    }

    #[inline(always)]
    fn look_up_64(self, table: &[u8; 64]) -> Dealt {
        // SAFETY: as above; the table has 64 bytes.
        unsafe {
            let table = vld1q_u8_x4(table.as_ptr());
            self.map(|lanes| vqtbl4q_u8(table, vandq_u8(lanes, vdupq_n_u8(0x3F))))
        }
    }

    #[inline(always)]
    fn look_up_128(self, table: &[u8; 128]) -> Dealt {
        // SAFETY: as above; the table has 128 bytes.
        unsafe {
            let low = vld1q_u8_x4(table.as_ptr());
            let high = vld1q_u8_x4(table.as_ptr().add(64));
            self.map(|lanes| {
                // A place that the first table does not have becomes 0, one that the second lacks is left as it is.
                let beyond = veorq_u8(lanes, vdupq_n_u8(0x40));
                vqtbx4q_u8(vqtbl4q_u8(low, lanes), high, beyond)
            })
        }
    }

    #[inline(always)]
    fn only(self, mask: u64) -> Dealt {
        self.and(Dealt::of_mask(mask))
    }

    #[inline(always)]
    fn or(self, other: Dealt) -> Dealt {
        // SAFETY: as above.
        self.zip(other, |a, b| unsafe { vorrq_u8(a, b) })
    }

    #[inline(always)]
    fn with(self, bit: u8) -> u64 {
        // SAFETY: as above.
        self.map(|lanes| unsafe { vtstq_u8(lanes, vdupq_n_u8(bit)) }).mask()
    }

    #[inline(always)]
    fn pack(self, places: u64) -> [u64; 8] {
        let (mut bytes, mut closed) = ([0; BLOCK], [0; BLOCK + 8]);
        self.store(&mut bytes);
        close(&bytes, places, &mut closed);
        Dealt::load(closed.first_chunk().expect("a block")).planes()
    }
}

/*!
BPE-dropout: merges that are left out at random, and the random numbers that say which.

```text
queue  t+h  e+r  n+o        the pair of lowest rank comes first
t+h    a draw below the rate: set aside
e+r    a draw above it: merged, and t+h is put back into the queue
```

Every pair that comes out of the queue takes one draw, also one that is stale, as in Hugging Face's library. What is
still aside when the queue is empty is never merged. `subword.reference.dropout` has all of it in plain Python, and
draws the same numbers.

The generator is SplitMix64, whose n-th number needs no other: each text of a call has a generator of its own, so
its ids depend on the seed and its place in the call, and on no thread.
*/

/// What the state of the generator grows by: 2⁶⁴ divided by the golden ratio.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// How many bits of a number are a draw: as many as a float holds.
const DRAW_BITS: u32 = f64::MANTISSA_DIGITS;

/// Decides which merges are left out.
#[derive(Debug, Clone)]
pub(crate) struct Dropout {
    rate: f64,
    state: u64,
}

impl Dropout {
    /// Leaves out nothing.
    pub(crate) fn none() -> Dropout {
        Dropout { rate: 0.0, state: 0 }
    }

    /// For the text with this number in a call; `rate` is between 0 and 1.
    pub(crate) fn new(rate: f64, seed: u64, text: usize) -> Dropout {
        let state = seed.wrapping_add((text as u64).wrapping_mul(STEP));
        Dropout { rate, state: Dropout { rate, state }.number() }
    }

    /// Whether nothing is left out.
    #[inline]
    pub(crate) fn is_none(&self) -> bool {
        self.rate == 0.0
    }

    /// Whether the next merge is left out. Takes a draw.
    #[inline]
    pub(crate) fn leaves_out(&mut self) -> bool {
        if self.is_none() {
            return false;
        }
        let draw = self.number() >> (u64::BITS - DRAW_BITS);
        let draw = draw as f64 / (1u64 << DRAW_BITS) as f64;
        draw < self.rate
    }

    fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        let mixed = (self.state ^ self.state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_splitmix64() {
        // The first numbers of the generator that its authors published, from the state 1234567.
        let mut dropout = Dropout { rate: 0.5, state: 1_234_567 };
        let numbers: Vec<u64> = (0..3).map(|_| dropout.number()).collect();
        let published = [6457827717110365317, 3203168211198807973, 9817491932198370423];
        assert_eq!(numbers, published);
    }

    #[test]
    fn the_rate_is_how_often_merges_are_left_out() {
        for (rate, least, most) in [(0.0, 0, 0), (0.1, 900, 1100), (0.9, 8900, 9100)] {
            let mut dropout = Dropout::new(rate, 7, 0);
            let count = (0..10_000).filter(|_| dropout.leaves_out()).count();
            assert!((least..=most).contains(&count), "{rate} {count}");
        }
        let mut all = Dropout::new(1.0, 7, 0);
        assert!((0..10_000).all(|_| all.leaves_out()));
    }
}

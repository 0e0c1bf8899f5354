/*!
The random key of this process, for every hash of bytes or numbers that a stranger may choose.

With a fixed hash and linear probing, somebody who knows the hash can choose words that all fall into one
corner of a table: each look-up then walks over all of them, and the time is quadratic. With a key that
nobody knows, no such choice is possible.

INVARIANT: nothing that is written to a file, and no order in which anything is handed out, depends on the
key: two processes give the same ids, the same merges and the same bytes.
*/

use std::hash::{BuildHasher, RandomState};

use crate::mem::FirstUse;

/// The words of a key. A table keeps a copy, so that its hot loop has them in registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seed {
    /// A word that is combined with the first word of what is hashed.
    pub first: u64,
    /// A word that is combined with the second.
    pub second: u64,
    /// An odd word, to multiply by: modulo a power of two nothing is lost.
    pub odd: u64,
}

impl Default for Seed {
    /// The key of this process. A forked child has that of its parent, whose tables it has too.
    fn default() -> Seed {
        static SEED: FirstUse<Seed> = FirstUse::new();
        *SEED.get_or_make(|| {
            // The standard library asks the system for random bytes.
            let random = RandomState::new();
            let word = |number: u64| random.hash_one(number);
            Seed { first: word(1), second: word(2), odd: word(3) | 1 }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_one_key() {
        let seed = Seed::default();
        assert_eq!(std::thread::spawn(Seed::default).join().unwrap(), seed);
        assert_eq!(seed.odd % 2, 1);
        assert!(seed.first != seed.second && seed.second != seed.odd);
    }
}

/*!
Pieces as keys of the table, and their hashes.

A piece of up to 23 bytes and its length are the key: three words, compared as words. The key of a longer
piece is its hash, its place in an arena, and its length; two such pieces are compared in the arena.

Hashes have a random key (see `seed`), because strangers write corpora. The check sum of a file is the same
function with the fixed key [`FILE`], which is part of the format.
*/

use crate::seed::Seed;

/// The key of the check sum of a file.
pub(super) const FILE: Seed = Seed {
    first: 0x9E37_79B9_7F4A_7C15,
    second: 0xD6E8_FEB8_6659_FD93,
    odd: 0x9FB2_1C65_1E98_DF25,
};

/// The length of the longest piece that is its own key.
pub(super) const LONGEST_INLINE: usize = 23;

/// The last byte of the key of a longer piece.
pub(super) const LONG: u64 = 0xFF;
pub(super) const TAG_SHIFT: u32 = 56;

/// The place in the arena of a piece that is looked up: no entry has it, so long pieces are always compared.
pub(super) const NOWHERE: u64 = u64::MAX;

/// A piece, or its hash and its place, and its length.
pub(super) type PieceKey = [u64; 3];

/// A piece that is looked up: its key and its hash.
#[derive(Debug, Clone, Copy)]
pub struct Probe {
    pub(super) key: PieceKey,
    pub(super) hash: u64,
}

impl Probe {
    /// The probe for the piece of an entry of another table.
    pub(super) fn of_entry([a, b, c]: PieceKey, seed: Seed) -> Probe {
        let key = [a, if c >> TAG_SHIFT == LONG { NOWHERE } else { b }, c];
        Probe { key, hash: hash_of(key, seed) }
    }

    #[inline(always)]
    pub(super) fn new(text: &[u8], start: usize, end: usize, seed: Seed) -> Probe {
        let len = end - start;
        debug_assert!(len > 0);
        let key = if len <= LONGEST_INLINE {
            inline_key(text, start, end)
        } else {
            [hash_long(&text[start..end], seed), NOWHERE, LONG << TAG_SHIFT | len as u64]
        };
        Probe { key, hash: hash_of(key, seed) }
    }
}

/// The bytes of a word that belong to a piece, by its length.
const MASKS: [PieceKey; LONGEST_INLINE + 1] = {
    let mut masks = [[0; 3]; LONGEST_INLINE + 1];
    let mut len = 0;
    while len <= LONGEST_INLINE {
        let mut byte = 0;
        while byte < len {
            masks[len][byte / 8] |= 0xFF << (byte % 8 * 8);
            byte += 1;
        }
        len += 1;
    }
    masks
};

/// The key of `text[start..end]`, at most 23 bytes.
#[inline(always)]
fn inline_key(text: &[u8], start: usize, end: usize) -> PieceKey {
    let len = end - start;
    let [a, b, c] = match text[start..].first_chunk::<24>() {
        Some(window) => {
            let mask = &MASKS[len];
            let (words, _) = window.as_chunks::<8>();
            std::array::from_fn(|i| u64::from_le_bytes(words[i]) & mask[i])
        }
        None => {
            let mut bytes = [0; 24];
            bytes[..len].copy_from_slice(&text[start..end]);
            let (words, _) = bytes.as_chunks::<8>();
            std::array::from_fn(|i| u64::from_le_bytes(words[i]))
        }
    };
    [a, b, c | (len as u64) << TAG_SHIFT]
}

/// The hash of a key; it does not depend on the place of a long piece.
#[inline(always)]
pub(super) fn hash_of([a, b, c]: PieceKey, seed: Seed) -> u64 {
    let b = if c >> TAG_SHIFT == LONG { 0 } else { b };
    mix(a, b, seed) ^ c.wrapping_mul(seed.odd)
}

/// Two words into one that depends on all of both.
#[inline(always)]
pub(super) fn mix(low: u64, high: u64, seed: Seed) -> u64 {
    let wide = u128::from(low ^ seed.first) * u128::from(high ^ seed.second);
    wide as u64 ^ (wide >> 64) as u64
}

pub(super) fn hash_long(piece: &[u8], seed: Seed) -> u64 {
    let (words, rest) = piece.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
    words.iter().chain([&last]).fold(0, |hash, bytes| mix(hash, word(bytes), seed))
}

//! What training asks of a token: its length, and where it sorts.

use std::cmp::Ordering;

use super::Rules;
use crate::types::TokenId;
use crate::vocab::{MAX_TOKEN_BYTES, Vocab};

/// What is known of each token, by id.
#[derive(Debug)]
pub(super) struct Tokens {
    pub(super) next: TokenId,
    /// Its first eight bytes, such that the greater is greater.
    pub(super) keys: Vec<u64>,
    pub(super) lengths: Vec<u32>,
    pub(super) bytes: Vec<u32>,
    /// After how many merges it last lost a place.
    pub(super) changed: Vec<u32>,
}

impl Tokens {
    pub(super) fn new(vocab: &Vocab, rules: &Rules) -> Tokens {
        let ids = rules.next as usize;
        let mut tokens = Tokens {
            next: rules.next,
            keys: Vec::with_capacity(ids),
            lengths: Vec::with_capacity(ids),
            bytes: Vec::with_capacity(ids),
            changed: Vec::with_capacity(ids),
        };
        for id in 0..rules.next {
            let bytes = vocab.bytes_of(id).unwrap_or_default();
            let length = match rules.lengths.is_empty() {
                true => bytes.len() as u32,
                false => rules.lengths.get(id as usize).copied().unwrap_or(0),
            };
            tokens.push(bytes, length);
        }
        tokens
    }

    pub(super) fn push(&mut self, bytes: &[u8], length: u32) {
        let mut key = [0; 8];
        let len = bytes.len().min(8);
        key[..len].copy_from_slice(&bytes[..len]);
        self.keys.push(u64::from_be_bytes(key));
        self.bytes.push(bytes.len() as u32);
        self.lengths.push(length);
        self.changed.push(0);
    }

    /// Whether what two tokens make is not too long.
    #[inline]
    pub(super) fn may_merge(&self, rules: &Rules, left: TokenId, right: TokenId) -> bool {
        let sum = |of: &[u32]| of[left as usize] as usize + of[right as usize] as usize;
        sum(&self.bytes) <= MAX_TOKEN_BYTES
            && rules.max_length.is_none_or(|most| sum(&self.lengths) <= most)
    }

    /// Two tokens by their bytes.
    pub(super) fn compare(&self, vocab: &Vocab, a: TokenId, b: TokenId) -> Ordering {
        self.keys[a as usize].cmp(&self.keys[b as usize]).then_with(|| {
            if a == b { Ordering::Equal } else { vocab.bytes_of(a).cmp(&vocab.bytes_of(b)) }
        })
    }
}

/*!
What training needs to know of each token: its length, its sort key, and when it was last merged.
*/

use std::cmp::Ordering;

use super::MergeRules;
use crate::types::{Pair, TokenId};
use crate::vocab::{MAX_TOKEN_BYTES, Vocab};

/// What is known of each token, in arrays by id.
#[derive(Debug)]
pub(super) struct TokenFacts {
    /// The id of the next new token.
    pub(super) next: TokenId,
    /// The first eight bytes as a number that sorts like them.
    pub(super) keys: Vec<u64>,
    /// The length that `max_length` limits.
    pub(super) lengths: Vec<u32>,
    /// The number of bytes.
    pub(super) bytes: Vec<u32>,
    /// The number of merges after the last one that took places of it as its left part, and as its right part.
    pub(super) merged: Vec<[u32; 2]>,
    /// The first bytes of the tokens that must not be made.
    forbidden: [bool; 256],
}

/// The bytes of the token that a pair makes.
pub(super) fn join(rules: &MergeRules, vocab: &Vocab, (left, right): Pair, joined: &mut Vec<u8>) {
    let [left, right] = [left, right].map(|id| vocab.bytes_of(id).unwrap_or_default());
    joined.clear();
    joined.extend_from_slice(left);
    joined.extend_from_slice(right.strip_prefix(&*rules.prefix).unwrap_or(right));
}

impl TokenFacts {
    pub(super) fn new(vocab: &Vocab, rules: &MergeRules) -> TokenFacts {
        let ids = rules.next as usize;
        let mut tokens = TokenFacts {
            next: rules.next,
            keys: Vec::with_capacity(ids),
            lengths: Vec::with_capacity(ids),
            bytes: Vec::with_capacity(ids),
            merged: Vec::with_capacity(ids),
            forbidden: [false; 256],
        };
        for first in rules.forbidden.iter().filter_map(|token| token.first()) {
            tokens.forbidden[usize::from(*first)] = true;
        }
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
        self.merged.push([0; 2]);
    }

    /// Whether the token that a pair makes is neither too long nor forbidden, and the pair may merge.
    #[inline]
    pub(super) fn may_merge(&self, rules: &MergeRules, vocab: &Vocab, (left, right): Pair) -> bool {
        let bytes = |id: TokenId| vocab.bytes_of(id).unwrap_or_default();
        let sum = |of: &[u32]| of[left as usize] as usize + of[right as usize] as usize;
        sum(&self.bytes) <= MAX_TOKEN_BYTES
            && rules.max_length.is_none_or(|most| sum(&self.lengths) <= most)
            && !(self.forbidden[(self.keys[left as usize] >> 56) as usize]
                && self.is_forbidden(rules, vocab, (left, right)))
            && !rules.apart.is_some_and(|apart| apart(bytes(left), bytes(right)))
    }

    #[cold]
    fn is_forbidden(&self, rules: &MergeRules, vocab: &Vocab, pair: Pair) -> bool {
        let mut joined = Vec::new();
        join(rules, vocab, pair, &mut joined);
        rules.forbidden.contains(&joined)
    }

    /// The length of the token that a pair makes: the sum of both lengths, unless it is spelled like a token
    /// that continues a word.
    pub(super) fn length_of(&self, rules: &MergeRules, (left, right): Pair, joined: &[u8]) -> u32 {
        let sum = self.lengths[left as usize].saturating_add(self.lengths[right as usize]);
        if rules.prefix.is_empty() {
            return sum;
        }
        let text = joined.strip_prefix(&*rules.prefix).filter(|text| !text.is_empty());
        String::from_utf8_lossy(text.unwrap_or(joined)).chars().count() as u32
    }

    /// Two tokens by their bytes.
    pub(super) fn compare(&self, vocab: &Vocab, a: TokenId, b: TokenId) -> Ordering {
        self.keys[a as usize].cmp(&self.keys[b as usize]).then_with(|| {
            if a == b { Ordering::Equal } else { vocab.bytes_of(a).cmp(&vocab.bytes_of(b)) }
        })
    }
}

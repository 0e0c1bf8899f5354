/*!
Token bytes to id, and back.

All token bytes are in one arena, and `spans[id]` says where: decoding copies slices. The way back is an
open-addressed hash table of ids that compares against the arena, so no token is stored twice.

```text
arena  ! " # ... t h e Ġ t h e
spans  0..1 1..2 2..3 ... 83..86 86..90        an empty span: no token has this id
```

Ids may have holes (published vocabularies skip some), up to [`MAX_ID`]. The hash has a random key (see
`seed`), because the author of a file chooses the tokens.
*/

mod builder;

use std::fmt;
use std::ops::Range;

use crate::error::{Error, Result};
use crate::mem;
use crate::seed::Seed;
use crate::simd;
use crate::types::TokenId;

pub use crate::types::MAX_ID;
pub(crate) use builder::VocabBuilder;

/// The longest token that a vocabulary may have, in bytes.
pub const MAX_TOKEN_BYTES: usize = 1 << 16;

/// How many bytes all tokens may have together: spans are 32-bit numbers.
const MAX_ARENA_BYTES: usize = u32::MAX as usize;

/// About how many bytes a token has, to reserve memory.
const USUAL_BYTES: usize = 8;

/// A free slot. A taken slot has the tag of its token in the upper half and the id in the lower half.
const FREE: u64 = u64::MAX;

/// Token bytes to id, and back.
#[derive(Clone, Default)]
pub struct Vocab {
    /// The bytes of all tokens.
    arena: Vec<u8>,
    /// Start and length of each token in the arena, by id.
    spans: Vec<(u32, u32)>,
    /// The hash table: tag and id of each token.
    slots: Vec<u64>,
    /// How many tokens there are.
    len: usize,
    /// The key of the hash.
    seed: Seed,
}

impl Vocab {
    /// An empty vocabulary with room for `tokens` tokens, or for as many as there are ids if that is less.
    pub fn with_capacity(tokens: usize) -> Self {
        let tokens = tokens.min(MAX_ID as usize + 1);
        let mut vocab = Vocab::default();
        vocab.reserve(tokens);
        vocab.arena.reserve(tokens * USUAL_BYTES);
        vocab.spans.reserve(tokens);
        vocab
    }

    /// A vocabulary of these tokens. Every token is non-empty, has one id, and every id one token.
    pub fn new<'a>(tokens: impl IntoIterator<Item = (TokenId, &'a [u8])>) -> Result<Self> {
        let tokens = tokens.into_iter();
        let mut vocab = Vocab::with_capacity(tokens.size_hint().0);
        for (id, bytes) in tokens {
            vocab.insert(id, bytes)?;
        }
        Ok(vocab)
    }

    /// The 256 single bytes, in byte order.
    pub fn bytes() -> Self {
        let all: Vec<u8> = (0..=255).collect();
        let tokens = all.chunks(1).enumerate().map(|(id, byte)| (id as TokenId, byte));
        Vocab::new(tokens).expect("256 distinct bytes")
    }

    /// Adds a token.
    pub fn insert(&mut self, id: TokenId, bytes: &[u8]) -> Result<()> {
        let start = self.arena.len();
        self.arena.extend_from_slice(bytes);
        let entered = self.enter(id, start..start + bytes.len(), self.tag_of(bytes));
        if entered.is_err() {
            self.arena.truncate(start);
        }
        entered
    }

    /// Adds a token whose bytes are in the arena.
    fn enter(&mut self, id: TokenId, place: Range<usize>, tag: u32) -> Result<()> {
        let len = place.len();
        if id > MAX_ID {
            return Err(Error::format(format!("id {id} is larger than the limit of {MAX_ID}")));
        }
        if len == 0 {
            return Err(Error::format(format!("the token with id {id} is empty")));
        }
        if len > MAX_TOKEN_BYTES {
            return Err(Error::format(format!(
                "the token with id {id} has {len} bytes, the limit is {MAX_TOKEN_BYTES}"
            )));
        }
        if place.end > MAX_ARENA_BYTES {
            return Err(too_many_bytes(id));
        }
        let bytes = &self.arena[place.clone()];
        if let Some(other) = self.bytes_of(id) {
            if other == bytes {
                let token = bytes.escape_ascii();
                return Err(Error::format(format!("the token b\"{token}\" is there twice")));
            }
            let (other, new) = (other.escape_ascii(), bytes.escape_ascii());
            return Err(Error::format(format!(
                "id {id} has two tokens: b\"{other}\" and b\"{new}\""
            )));
        }
        self.reserve(1);
        let bytes = &self.arena[place.clone()];
        let slot = self.find(tag, bytes);
        if self.slots[slot] != FREE {
            let (first, token) = (self.slots[slot] as TokenId, bytes.escape_ascii());
            return Err(Error::format(format!(
                "the token b\"{token}\" has two ids: {first} and {id}"
            )));
        }
        self.slots[slot] = u64::from(tag) << 32 | u64::from(id);
        if self.spans.len() <= id as usize {
            self.spans.resize(id as usize + 1, (0, 0));
        }
        self.spans[id as usize] = (place.start as u32, len as u32);
        self.len += 1;
        Ok(())
    }

    /// Removes a token. Its bytes stay in the arena, where nothing refers to them.
    pub fn remove(&mut self, id: TokenId) {
        let Some(bytes) = self.bytes_of(id) else { return };
        let mask = self.slots.len() - 1;
        let mut slot = self.find(self.tag_of(bytes), bytes);
        self.slots[slot] = FREE;
        self.spans[id as usize] = (0, 0);
        self.len -= 1;
        // The tokens after it may have been displaced by it, so each is inserted again.
        loop {
            slot = (slot + 1) & mask;
            let moved = std::mem::replace(&mut self.slots[slot], FREE);
            if moved == FREE {
                break;
            }
            let place = self.free_slot((moved >> 32) as u32);
            self.slots[place] = moved;
        }
        while self.spans.last().is_some_and(|span| span.1 == 0) {
            self.spans.pop();
        }
    }

    /// The id of a token.
    pub fn id_of(&self, bytes: &[u8]) -> Option<TokenId> {
        if self.slots.is_empty() {
            return None;
        }
        let slot = self.slots[self.find(self.tag_of(bytes), bytes)];
        (slot != FREE).then_some(slot as TokenId)
    }

    /// The id of a token that is probably `guess`: merge lists make tokens in the order of their
    /// ids.
    pub(crate) fn id_of_guess(&self, bytes: &[u8], guess: TokenId) -> Option<TokenId> {
        if self.bytes_of(guess) == Some(bytes) { Some(guess) } else { self.id_of(bytes) }
    }

    /// The bytes of a token.
    pub fn bytes_of(&self, id: TokenId) -> Option<&[u8]> {
        let place = self.place_of(id);
        (!place.is_empty()).then(|| &self.arena[place])
    }

    /// How many tokens there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// One more than the largest id.
    pub fn id_limit(&self) -> TokenId {
        self.spans.len() as TokenId
    }

    /// The bytes of all tokens, for callers that look at many tokens at once.
    pub(crate) fn arena(&self) -> &[u8] {
        &self.arena
    }

    /// Where in [`Vocab::arena`] a token is; an empty place if there is none.
    pub(crate) fn place_of(&self, id: TokenId) -> Range<usize> {
        let (start, len) = self.spans.get(id as usize).copied().unwrap_or_default();
        start as usize..start as usize + len as usize
    }

    /// All tokens, by rising id.
    pub fn iter(&self) -> impl Iterator<Item = (TokenId, &[u8])> {
        (0..self.id_limit()).filter_map(|id| self.bytes_of(id).map(|bytes| (id, bytes)))
    }

    /// The part of the hash that gives the first slot of a token, and that is compared before its bytes.
    fn tag_of(&self, bytes: &[u8]) -> u32 {
        (hash(bytes, self.seed) >> 32) as u32
    }

    /// Makes room for `more` tokens: at most half of the slots are ever taken.
    fn reserve(&mut self, more: usize) {
        let slots = ((self.len + more) * 2).next_power_of_two().max(1024);
        if slots <= self.slots.len() {
            return;
        }
        let mut free = Vec::with_capacity(slots);
        mem::prefer_huge_pages(free.spare_capacity_mut());
        free.resize(slots, FREE);
        let old = std::mem::replace(&mut self.slots, free);
        for taken in old.into_iter().filter(|&slot| slot != FREE) {
            let slot = self.free_slot((taken >> 32) as u32);
            self.slots[slot] = taken;
        }
    }

    /// The slot that holds `bytes`, or the free one where it would go.
    ///
    /// PERF: comparing tags avoids nearly all reads of the arena; loading o200k from `tokenizer.json` takes half
    /// the time (2026-11).
    fn find(&self, tag: u32, bytes: &[u8]) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = tag as usize & mask;
        loop {
            let slot = self.slots[at];
            let same = (slot >> 32) as u32 == tag;
            if slot == FREE || same && self.bytes_of(slot as TokenId) == Some(bytes) {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    /// The free slot for a token that is in no slot.
    fn free_slot(&self, tag: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = tag as usize & mask;
        while self.slots[at] != FREE {
            at = (at + 1) & mask;
        }
        at
    }
}

/// Eight bytes at a time, each folded in by a multiplication whose two halves are mixed.
pub(crate) fn hash(bytes: &[u8], seed: Seed) -> u64 {
    let fold = |state: u64, word: u64| {
        let wide = u128::from(state ^ word) * u128::from(seed.odd);
        (wide as u64) ^ (wide >> 64) as u64
    };
    let (words, tail) = bytes.as_chunks::<8>();
    let mut state = seed.first ^ bytes.len() as u64;
    for word in words {
        state = fold(state, u64::from_le_bytes(*word));
    }
    fold(state, simd::few_bytes(tail))
}

#[cold]
fn too_many_bytes(id: TokenId) -> Error {
    Error::format(format!(
        "the tokens up to the one with id {id} have more than {MAX_ARENA_BYTES} bytes, which is the limit"
    ))
}

impl PartialEq for Vocab {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other.iter())
    }
}

impl Eq for Vocab {}

impl fmt::Debug for Vocab {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Vocab({} tokens)", self.len)
    }
}

#[cfg(test)]
mod tests;

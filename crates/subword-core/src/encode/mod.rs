/*!
Text to ids, on one thread.

A [`Plan`] is made once for a tokenizer and only read afterwards: any number of threads share it. What a
thread writes while it encodes (a cache, buffers) is its [`Scratch`]. In reading order:

```text
plan.rs        Plan::encode_text      added tokens are cut out, twice: before and after normalisation
               Plan::encode_ordinary  chooses the path that fits the model
  short.rs       a text of a few words: every piece is looked up as soon as it is cut
  pieces.rs      byte-level BPE: pieces come in batches, and each batch is done in three passes
    prefetch.rs    pass 1: the key of each piece, and a prefetch of its cache line
    lookup.rs      pass 2: the ids of the pieces that the cache has; the others are misses
    misses.rs      pass 3: misses are merged side by side and inserted into the cache
    cjk.rs         Chinese and Japanese pieces, which are walked character by character
  packed.rs      short documents, packed into one batch; joined.rs: cut as one text
  superwords.rs  BPE with superwords: words as byte-level BPE, then merged over their ends
  nonbyte.rs     BPE from characters, end-of-word marks, unknown tokens; and the longest tokens
  wordpiece.rs   WordPiece, word by word; wordpiece/front.rs: with BERT's normaliser fused in
  metaspace.rs   SentencePiece's BPE: the tokens are rewritten, then as byte-level BPE
  raw_words.rs   Unigram: raw text is cut at white space, then as byte-level BPE
  chain.rs       the plain chain, where none of these paths computes the same
  dropout.rs     texts whose merges are left out at random
offsets.rs     the same with the place of every id in the text
finders.rs     the added tokens that are searched for; selections.rs, allowed.rs: those that a caller chooses
```

The result goes to a [`Sink`]: a vector of ids, or a counter.
*/

mod allowed;
mod chain;
mod cjk;
mod describe;
mod dropout;
mod finders;
mod joined;
mod lattice;
mod lookup;
mod metaspace;
mod misses;
mod nonbyte;
mod offsets;
mod packed;
mod pieces;
mod plan;
mod prefetch;
mod raw_words;
mod scratch;
mod selections;
mod short;
mod superwords;
mod wordpiece;

use crate::error::Result;
use crate::types::TokenId;
use crate::{interrupt, memory};

pub(crate) use finders::{ChosenFinders, Finders};
pub use lattice::{Lattice, LatticePiece};
pub use offsets::{Located, in_characters};
pub(crate) use plan::{Path, Plan};
pub(crate) use scratch::Scratch;

/// The ids of many texts: those of text i are `ids[bounds[i]..bounds[i + 1]]`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ragged {
    /// The ids of all texts, one text after the other.
    pub ids: Vec<TokenId>,
    /// Where each text starts, and where the last one ends.
    pub bounds: Vec<u64>,
}

impl Ragged {
    /// The same with these ids before and after those of each text.
    pub fn surrounded(self, prefix: &[TokenId], suffix: &[TokenId]) -> Result<Ragged> {
        let texts = self.bounds.len();
        let more = texts.saturating_sub(1) * (prefix.len() + suffix.len());
        let mut all = Ragged {
            ids: memory::with_capacity(self.ids.len() + more)?,
            bounds: memory::with_capacity(texts)?,
        };
        all.bounds.push(0);
        for two in self.bounds.windows(2) {
            let ids = &self.ids[two[0] as usize..two[1] as usize];
            all.ids.extend_from_slice(prefix);
            all.ids.extend_from_slice(ids);
            all.ids.extend_from_slice(suffix);
            all.bounds.push(all.ids.len() as u64);
            interrupt::worked(size_of_val(ids))?;
        }
        Ok(all)
    }

    /// Empties it and keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.ids.clear();
        self.bounds.clear();
    }
}

/// Where ids go.
pub(crate) trait Sink {
    /// Takes some ids; an error if there is no memory for them.
    fn many(&mut self, ids: &[TokenId]) -> Result<()>;
    /// Whether the sink needs no more ids.
    fn is_full(&self) -> bool;
    /// Whether the sink needs the ids themselves; if not, only their number counts.
    fn wants_ids(&self) -> bool {
        true
    }
}

impl Sink for Vec<TokenId> {
    #[inline]
    fn many(&mut self, ids: &[TokenId]) -> Result<()> {
        memory::extend(self, ids)
    }

    fn is_full(&self) -> bool {
        false
    }
}

/// Counts ids, and stops soon after `limit`.
pub(crate) struct Counter {
    pub(crate) count: usize,
    pub(crate) limit: usize,
}

impl Sink for Counter {
    #[inline]
    fn many(&mut self, ids: &[TokenId]) -> Result<()> {
        self.count += ids.len();
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.count > self.limit
    }

    fn wants_ids(&self) -> bool {
        false
    }
}

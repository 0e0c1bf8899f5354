/*!
Fills a vocabulary from a file, several tokens at a time.

```text
builder.bytes().extend(b"low")      the bytes are written where they stay
builder.add(7, place)               the token waits, its slot is prefetched
...
builder.finish()                    all that wait are entered
```

PERF: most of the time that filling a vocabulary takes is cache misses on its slots, so
[`WAITING`] tokens wait while theirs are prefetched. Without it cl100k takes 33% longer to load and o200k 49%
(AVX-512, 2026-11-18).
*/

use std::ops::Range;

use super::Vocab;
use crate::error::Error;
use crate::interrupt;
use crate::mem;
use crate::types::TokenId;

/// A vocabulary that is being filled. Every token comes with a place in its file, for its error.
pub(crate) struct VocabBuilder<P> {
    vocab: Vocab,
    waiting: Vec<PendingToken<P>>,
    /// Where the bytes of the next token start.
    start: usize,
}

/// A token whose bytes are in the arena, and that is not entered yet.
struct PendingToken<P> {
    id: TokenId,
    tag: u32,
    bytes: Range<usize>,
    place: P,
}

/// How many tokens wait.
pub(super) const WAITING: usize = 32;

impl<P: Copy> VocabBuilder<P> {
    /// An empty vocabulary with room for `tokens` tokens.
    pub(crate) fn new(tokens: usize) -> Self {
        let waiting = Vec::with_capacity(WAITING);
        VocabBuilder { vocab: Vocab::with_capacity(tokens), waiting, start: 0 }
    }

    /// The arena, to which the bytes of the next token are appended.
    pub(crate) fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.vocab.arena
    }

    /// Adds the token whose bytes were appended. An error may be that of an earlier token.
    pub(crate) fn add(&mut self, id: TokenId, place: P) -> std::result::Result<(), (Error, P)> {
        if self.waiting.len() == WAITING {
            self.settle()?;
        }
        let Vocab { arena, slots, .. } = &self.vocab;
        let bytes = self.start..arena.len();
        let tag = self.vocab.tag_of(&arena[bytes.clone()]);
        mem::prefetch_at(slots, tag as usize & (slots.len() - 1));
        self.start = bytes.end;
        self.waiting.push(PendingToken { id, tag, bytes, place });
        Ok(())
    }

    /// Enters the tokens that wait.
    fn settle(&mut self) -> std::result::Result<(), (Error, P)> {
        for PendingToken { id, tag, bytes, place } in self.waiting.drain(..) {
            let len = bytes.len();
            let entered = self.vocab.enter(id, bytes, tag).and_then(|()| interrupt::worked(len));
            entered.map_err(|error| (error, place))?;
        }
        Ok(())
    }

    /// The vocabulary.
    pub(crate) fn finish(mut self) -> std::result::Result<Vocab, (Error, P)> {
        self.settle()?;
        Ok(self.vocab)
    }
}

/*!
One piece to token ids by the vocabulary alone: the longest token first, wherever it stands.

```text
tokens       tain</w>  est</w>  high  moun          the mark counts as one character

highest      high [est</w>]     ->  [high] [est</w>]
highland     [high] land</w>    ->  [high] [unk]
```

Or the fewest tokens, which `fewest` finds over the same tables.

Longer tokens are placed first; of equally long ones, the one whose bytes sort first; of its occurrences, the leftmost.
A token never overlaps one that was placed before it. Each stretch that no token covers becomes one unknown token; if
the model has none, that is an error. Special tokens are not placed, unless they are single units.

```text
for every place      the longest token that starts there goes into a heap (see `automaton`)
while there are any  take the first by the order above
                     if its end is free, it is taken; else the next shorter one from there goes in
```

Invariants
* Tokens are placed by falling length. So if the first and the last place of a token are free, all places between them
  are free.
* Every place is in the heap at most once at a time, and enters it at most once for each token that can start there.
*/

mod automaton;
mod fewest;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::error::Result;
use crate::model::{Encoder, Model};
use crate::types::TokenId;
use crate::{interrupt, memory};
use automaton::{Automaton, MARK, NONE, Symbol};

/// How many elements of each buffer stay allocated between two pieces; the memory beyond is freed.
const KEPT: usize = 1 << 16;

/// Popping an entry off the heap is about as much work as reading this many bytes (see `interrupt`).
const ENTRY: usize = 16;

/// A place that no token covers, and one that a token covers which starts before it.
const FREE: u32 = u32::MAX;
const COVERED: u32 = u32::MAX - 1;

/// Encodes pieces by the longest tokens, or by the fewest.
#[derive(Debug)]
pub struct Longest {
    automaton: Automaton,
    /// By falling length, and by their bytes.
    tokens: Vec<Token>,
    mark: bool,
    unk: Option<TokenId>,
    /// Whether the fewest tokens are asked for.
    fewest: bool,
}

#[derive(Debug)]
struct Token {
    id: TokenId,
    /// How many bytes it covers, and one for the mark.
    places: u32,
    /// The next shorter token that starts where this one starts.
    shorter: u32,
}

/// Memory that is kept between pieces.
#[derive(Debug, Default)]
pub struct LongestScratch {
    heap: BinaryHeap<Reverse<(u32, u32)>>,
    places: Vec<u32>,
    /// The fewest tokens from each place on, and the first of them.
    best: Vec<(u32, u32)>,
}

impl Longest {
    /// Prepares a checked model's vocabulary.
    pub fn new(model: &Model) -> Longest {
        let mark = model.start.separate_mark().map(str::as_bytes);
        let special = |id| model.special_tokens.iter().any(|token| token.id == id);
        let mut tokens: Vec<(Reverse<usize>, &[u8], TokenId)> = model
            .vocab
            .iter()
            .filter(|&(id, bytes)| model.start.is_unit(bytes) || !special(id))
            .map(|(id, bytes)| {
                let (text, ends) = without_mark(bytes, mark);
                let units = model.start.units.of(text).count() + usize::from(ends);
                (Reverse(units), bytes, id)
            })
            .collect();
        tokens.sort_unstable();
        let keys: Vec<Vec<Symbol>> = tokens
            .iter()
            .map(|&(_, bytes, _)| {
                let (text, ends) = without_mark(bytes, mark);
                let text = text.iter().rev().map(|&byte| Symbol::from(byte));
                ends.then_some(MARK).into_iter().chain(text).collect()
            })
            .collect();
        let (automaton, shorter) = Automaton::new(&keys);
        let tokens = tokens.iter().zip(&keys).zip(shorter);
        Longest {
            automaton,
            tokens: tokens
                .map(|((&(_, _, id), key), shorter)| Token {
                    id,
                    places: key.len() as u32,
                    shorter,
                })
                .collect(),
            mark: mark.is_some(),
            unk: model.start.unk,
            fewest: model.encoder == Encoder::Fewest,
        }
    }

    /// Calls `each` with every id of a piece of less than 4 GiB, and where it starts and ends there;
    /// the mark has no width. Gives the first place that no token covers, if there is one and no unk token.
    pub fn encode(
        &self,
        piece: &[u8],
        scratch: &mut LongestScratch,
        mut each: impl FnMut(TokenId, usize, usize) -> Result<()>,
    ) -> Result<Option<usize>> {
        if self.fewest {
            return self.encode_fewest(piece, scratch, each);
        }
        let LongestScratch { heap, places, .. } = scratch;
        self.enter(piece, heap)?;
        places.clear();
        memory::fill_up(places, piece.len() + usize::from(self.mark), FREE)?;
        while let Some(Reverse((rank, start))) = heap.pop() {
            interrupt::worked(ENTRY)?;
            let token = &self.tokens[rank as usize];
            let (start, end) = (start as usize, start as usize + token.places as usize);
            if places[start] != FREE {
                continue;
            }
            if places[end - 1] == FREE {
                places[start..end].fill(COVERED);
                places[start] = rank;
            } else if token.shorter != NONE {
                heap.push(Reverse((token.shorter, start as u32)));
            }
        }
        let mut at = 0;
        while at < places.len() {
            let (id, end) = match self.tokens.get(places[at] as usize) {
                Some(token) => (token.id, at + token.places as usize),
                None => {
                    let free = places[at..].iter().take_while(|&&place| place == FREE).count();
                    let Some(unk) = self.unk else { return Ok(Some(at)) };
                    (unk, at + free)
                }
            };
            each(id, at.min(piece.len()), end.min(piece.len()))?;
            at = end;
        }
        places.clear();
        places.shrink_to(KEPT);
        heap.shrink_to(KEPT);
        Ok(None)
    }

    /// Puts the longest token from every place into the heap.
    fn enter(&self, piece: &[u8], heap: &mut BinaryHeap<Reverse<(u32, u32)>>) -> Result<()> {
        let mut entries = std::mem::take(heap).into_vec();
        entries.clear();
        let mut state = self.automaton.start();
        let mark = self.mark.then_some((piece.len(), MARK));
        let text = piece.iter().enumerate().rev().map(|(at, &byte)| (at, Symbol::from(byte)));
        for (at, symbol) in mark.into_iter().chain(text) {
            state = self.automaton.next(state, symbol);
            let longest = self.automaton.longest(state);
            if longest != NONE {
                memory::reserve(&mut entries, 1)?;
                entries.push(Reverse((longest, at as u32)));
            }
        }
        *heap = entries.into();
        Ok(())
    }
}

/// A token without the mark at its end, and whether it has one.
fn without_mark<'a>(token: &'a [u8], mark: Option<&[u8]>) -> (&'a [u8], bool) {
    match mark.and_then(|mark| token.strip_suffix(mark)) {
        Some(text) => (text, true),
        None => (token, false),
    }
}

#[cfg(test)]
mod tests;

/*!
A piece as the fewest tokens of the vocabulary: the shortest way from its start to its end.

```text
tokens   a b c   ab bc abc cd         abcd  ->  [ab] [cd]      by the longest first: [abc] d, and d is no token
place    a  b  c  d  end
fewest   2  2  1  -  0                from right to left: one more than the least of where a token leads
```

Of ways with equally few tokens the one whose first token is the longest is taken, then the one whose second is, and so
on. From each place all tokens that start there are tried (`automaton`), so a piece takes its length times the number of
tokens that are the start of one another.
*/

use super::{Longest, LongestScratch, NONE, Symbol};
use crate::error::Result;
use crate::types::TokenId;
use crate::{interrupt, memory};

/// A place from which no tokens lead to the end.
const NO_WAY: (u32, u32) = (u32::MAX, NONE);

impl Longest {
    /// The same as [`Longest::encode`] for the fewest tokens, without a mark and without an unk token.
    pub(super) fn encode_fewest(
        &self,
        piece: &[u8],
        scratch: &mut LongestScratch,
        mut each: impl FnMut(TokenId, usize, usize) -> Result<()>,
    ) -> Result<Option<usize>> {
        let best = &mut scratch.best;
        best.clear();
        memory::fill_up(best, piece.len() + 1, NO_WAY)?;
        best[piece.len()].0 = 0;
        let mut state = self.automaton.start();
        for (at, &byte) in piece.iter().enumerate().rev() {
            state = self.automaton.next(state, Symbol::from(byte));
            let mut rank = self.automaton.longest(state);
            let mut tried = 1;
            while let Some(token) = self.tokens.get(rank as usize) {
                let rest = best[at + token.places as usize].0;
                if rest != NO_WAY.0 && rest + 1 < best[at].0 {
                    best[at] = (rest + 1, rank);
                }
                rank = token.shorter;
                tried += 1;
            }
            interrupt::worked(tried)?;
        }
        if best[0] == NO_WAY && !piece.is_empty() {
            let without = |&at: &usize| {
                let state = self.automaton.next(self.automaton.start(), Symbol::from(piece[at]));
                self.automaton.longest(state) == NONE
            };
            return Ok(Some((0..piece.len()).find(without).unwrap_or_default()));
        }
        let mut at = 0;
        while at < piece.len() {
            let token = &self.tokens[best[at].1 as usize];
            each(token.id, at, at + token.places as usize)?;
            at += token.places as usize;
        }
        best.clear();
        best.shrink_to(super::KEPT);
        Ok(None)
    }
}

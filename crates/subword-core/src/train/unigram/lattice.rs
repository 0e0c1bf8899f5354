/*!
The lattices of the segments: at every character the pieces that start there. They are found once, and only become
smaller when pieces are pruned.

```text
pieces  l 0, o 1, w 2, lo 3, low 4        segment  low

l   0 of 1 character, 3 of 2, 4 of 3      the best way to every place is found from left to right (Viterbi):
o   1 of 1                                it ends with some piece, before which stands the best way to the
w   2 of 1                                place where that piece starts
```

INVARIANT: every character of a segment is a piece, so there is a way to every place.

PERF: to look all pieces up anew in every round, by walking a trie with a million pieces from every character, took 2/3 of the
time of Chinese (2026-11-18).
*/

use super::{Count, Segments};
use crate::error::Result;
use crate::trie::{ROOT, Trie};
use crate::types::TokenId;
use crate::{interrupt, memory};

/// How many bits of an [`Edge`] are the length. 64 characters are the most that a piece may have.
const LENGTH_BITS: u32 = 7;

/// A piece that starts at a character: its number, and below it its length in characters.
#[derive(Debug, Clone, Copy)]
struct Edge(u32);

impl Edge {
    fn new(id: TokenId, length: usize) -> Edge {
        Edge(id << LENGTH_BITS | length as u32)
    }

    #[inline(always)]
    fn id(self) -> TokenId {
        self.0 >> LENGTH_BITS
    }

    #[inline(always)]
    fn length(self) -> usize {
        (self.0 & ((1 << LENGTH_BITS) - 1)) as usize
    }
}

/// The best way to a place in a segment, by its last piece.
#[derive(Debug, Clone, Copy)]
struct Way {
    score: f64,
    id: TokenId,
    length: u32,
}

const NO_WAY: Way = Way { score: f64::NEG_INFINITY, id: 0, length: 0 };

/// The best ways through a segment; kept for the next one.
#[derive(Debug, Default)]
pub(super) struct Ways(Vec<Way>);

impl Ways {
    /// The sum of the scores of the best way.
    pub(super) fn score(&self) -> f64 {
        self.0.last().map_or(0.0, |way| way.score)
    }

    /// The pieces of the best way, the last one first.
    pub(super) fn pieces(&self) -> impl Iterator<Item = TokenId> {
        let mut end = self.0.len().saturating_sub(1);
        std::iter::from_fn(move || {
            let Way { id, length, .. } = *self.0.get(end).filter(|_| end > 0)?;
            end -= length as usize;
            Some(id)
        })
    }
}

/// Some segments, one after the other.
#[derive(Debug)]
pub(super) struct Lattices {
    /// The first character of each segment, and how often it occurs.
    segments: Vec<(u32, Count)>,
    /// Where the edges of each character start in `edges`; at the end, where the last ones end.
    starts: Vec<u32>,
    /// The pieces that start at each character, the shorter first.
    edges: Vec<Edge>,
}

impl Lattices {
    /// The lattices of the segments with these numbers.
    pub(super) fn new(
        segments: &Segments,
        numbers: std::ops::Range<usize>,
        trie: &Trie,
    ) -> Result<Lattices> {
        let mut new = Lattices { segments: Vec::new(), starts: vec![0], edges: Vec::new() };
        for number in numbers {
            let (text, count) = segments.get(number);
            new.segments.push((new.starts.len() as u32 - 1, count));
            for start in (0..text.len()).filter(|&at| is_start(text[at])) {
                let (mut node, mut length) = (ROOT, 0);
                for &byte in &text[start..] {
                    let Some(next) = trie.child(node, byte) else { break };
                    node = next;
                    length += usize::from(is_start(byte));
                    if let Some(id) = trie.id(node) {
                        memory::extend(&mut new.edges, &[Edge::new(id, length)])?;
                    }
                }
                let end = u32::try_from(new.edges.len()).map_err(|_| super::too_long())?;
                new.starts.push(end);
            }
            interrupt::worked(8 * text.len())?;
        }
        new.edges.shrink_to_fit();
        Ok(new)
    }

    /// Calls `each` with every piece and a character where it starts; a piece may come several times.
    pub(super) fn each_place(&self, mut each: impl FnMut(TokenId, u32)) {
        for at in 0..self.starts.len() - 1 {
            self.edges_at(at).iter().for_each(|edge| each(edge.id(), at as u32));
        }
    }

    /// Leaves out the pieces that have no new number.
    pub(super) fn keep(&mut self, new_id: &[Option<TokenId>]) {
        let (mut kept, mut start) = (0, 0);
        for at in 1..self.starts.len() {
            let end = self.starts[at] as usize;
            for from in start..end {
                let edge = self.edges[from];
                if let Some(id) = new_id[edge.id() as usize] {
                    self.edges[kept] = Edge::new(id, edge.length());
                    kept += 1;
                }
            }
            start = end;
            self.starts[at] = kept as u32;
        }
        self.edges.truncate(kept);
    }

    /// Adds to `used` how often each piece is part of the best way through a segment.
    pub(super) fn add_uses(
        &self,
        scores: &[f64],
        ways: &mut Ways,
        used: &mut [Count],
    ) -> Result<()> {
        let ends = self.segments.iter().skip(1).map(|next| next.0 as usize);
        let ends = ends.chain([self.starts.len() - 1]);
        for (&(start, count), end) in self.segments.iter().zip(ends) {
            self.find_ways(start as usize, end, None, scores, ways);
            for id in ways.pieces() {
                let uses = &mut used[id as usize];
                *uses = uses.saturating_add(count);
            }
            interrupt::worked(8 * (end - start as usize))?;
        }
        Ok(())
    }

    /// The best ways to all places of the characters from `start` to `end`, by pieces other than `without`.
    pub(super) fn find_ways(
        &self,
        start: usize,
        end: usize,
        without: Option<TokenId>,
        scores: &[f64],
        ways: &mut Ways,
    ) {
        let ways = &mut ways.0;
        ways.clear();
        ways.resize(end - start + 1, NO_WAY);
        ways[0].score = 0.0;
        for at in 0..end - start {
            let score = ways[at].score;
            for edge in self.edges_at(start + at) {
                // The shorter ones come first.
                let Some(way) = ways.get_mut(at + edge.length()) else { break };
                let (id, sum) = (edge.id(), score + scores[edge.id() as usize]);
                if sum > way.score && without != Some(id) {
                    *way = Way { score: sum, id, length: edge.length() as u32 };
                }
            }
        }
    }

    #[inline(always)]
    fn edges_at(&self, at: usize) -> &[Edge] {
        &self.edges[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

/// Whether a byte is the first one of a character.
fn is_start(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}

/*!
Tokens, to be walked byte by byte: a double array.

A node is a cell. It has a base, and its child by byte `b` is the cell `base ^ b`, if that cell says
that it was reached by `b`. No two nodes have the same base, so the byte is all that has to be
compared. The children of a node lie in one block of 256 cells.

```text
tokens a, ab, b     cell   base  byte  id
                    0      1     -     -       the root: children at 1^'a' and 1^'b'
                    1^'a'  2     'a'   a
                    1^'b'  3     'b'   b
                    2^'b'  4     'b'   ab
```

Built depth first from the sorted tokens. A node takes the first base that fits in one of the few
blocks that still have room: a search through all blocks packs a little tighter and takes a hundred
times as long.
*/

use crate::types::TokenId;

/// A node.
pub(super) type Node = u32;

/// The node of the empty string.
pub(super) const ROOT: Node = 0;

/// How many blocks are searched for room.
const OPEN_BLOCKS: usize = 8;

/// In `Cell::what`: the byte that leads here, and that one does; above them the id, plus one.
const TAKEN: u32 = 0x100;
const ID: u32 = 9;

#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    base: u32,
    what: u32,
}

/// Tokens.
#[derive(Debug)]
pub(super) struct Trie {
    cells: Vec<Cell>,
}

impl Trie {
    /// Those of these tokens, which are distinct and not empty.
    pub(super) fn new<'a>(tokens: impl Iterator<Item = (TokenId, &'a [u8])>) -> Trie {
        let mut tokens: Vec<(u64, &[u8], TokenId)> =
            tokens.map(|(id, bytes)| (first_word(bytes), bytes, id)).collect();
        tokens.sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
        let mut builder = Builder::default();
        builder.add_block();
        // INVARIANT: the root is nobody's child, not even by byte 0.
        builder.free[0].take(0);
        // What is left to do: the tokens that go through a node, how much of them is above it.
        let mut todo = vec![(0, tokens.len(), 0, ROOT)];
        let mut parts: Vec<(u8, usize, usize)> = Vec::new();
        while let Some((mut first, last, depth, node)) = todo.pop() {
            if tokens.get(first).is_some_and(|token| first < last && token.1.len() == depth) {
                builder.cells[node as usize].what |= (tokens[first].2 + 1) << ID;
                first += 1;
            }
            parts.clear();
            while first < last {
                let byte = tokens[first].1[depth];
                let same = tokens[first..last].iter().take_while(|token| token.1[depth] == byte);
                let end = first + same.count();
                parts.push((byte, first, end));
                first = end;
            }
            if parts.is_empty() {
                continue;
            }
            let base = builder.base_for(&parts);
            builder.cells[node as usize].base = base;
            for &(byte, first, last) in parts.iter().rev() {
                let child = base ^ u32::from(byte);
                builder.cells[child as usize].what = TAKEN | u32::from(byte);
                todo.push((first, last, depth + 1, child));
            }
        }
        Trie { cells: builder.cells }
    }

    /// The child of a node.
    #[inline(always)]
    pub(super) fn child(&self, node: Node, byte: u8) -> Option<Node> {
        let child = self.cells[node as usize].base ^ u32::from(byte);
        let cell = self.cells.get(child as usize)?;
        (cell.what & 0x1FF == TAKEN | u32::from(byte)).then_some(child)
    }

    /// The longest token from a node on that the text starts with, and its length there.
    ///
    /// PERF: one load for each byte; the base and the id of a node are in the same cell.
    #[inline]
    pub(super) fn longest(&self, from: Node, text: &[u8]) -> Option<(TokenId, usize)> {
        let mut base = self.cells[from as usize].base;
        let (mut id, mut len) = (0, 0);
        for (at, &byte) in text.iter().enumerate() {
            let Some(&cell) = self.cells.get((base ^ u32::from(byte)) as usize) else { break };
            if cell.what & 0x1FF != TAKEN | u32::from(byte) {
                break;
            }
            base = cell.base;
            if cell.what >> ID != 0 {
                (id, len) = (cell.what >> ID, at + 1);
            }
        }
        id.checked_sub(1).map(|id| (id, len))
    }

    /// The token that ends at a node.
    #[inline(always)]
    pub(super) fn id(&self, node: Node) -> Option<TokenId> {
        (self.cells[node as usize].what >> ID).checked_sub(1)
    }

    /// The node of a string.
    pub(super) fn node_of(&self, string: &[u8]) -> Option<Node> {
        string.iter().try_fold(ROOT, |node, &byte| self.child(node, byte))
    }

    /// One more than the largest node.
    pub(super) fn limit(&self) -> usize {
        self.cells.len()
    }
}

/// The first eight bytes, to compare them at once.
fn first_word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    let len = bytes.len().min(8);
    word[..len].copy_from_slice(&bytes[..len]);
    u64::from_be_bytes(word)
}

/// 256 flags.
#[derive(Clone, Copy)]
struct Flags([u64; 4]);

impl Flags {
    fn take(&mut self, at: u32) {
        self.0[at as usize / 64 % 4] &= !(1 << (at % 64));
    }

    fn has(self, at: u32) -> bool {
        self.0[at as usize / 64 % 4] >> (at % 64) & 1 == 1
    }

    fn iter(self) -> impl Iterator<Item = u32> {
        (0..4).flat_map(move |word| {
            let mut bits = self.0[word as usize];
            std::iter::from_fn(move || {
                let bit = bits.trailing_zeros();
                (bit < 64).then(|| bits &= bits - 1).map(|()| word * 64 + bit)
            })
        })
    }
}

#[derive(Default)]
struct Builder {
    cells: Vec<Cell>,
    /// For each block the cells and the bases that are free.
    free: Vec<Flags>,
    bases: Vec<Flags>,
    /// The first of the blocks that are searched.
    open: usize,
}

impl Builder {
    fn add_block(&mut self) {
        self.cells.resize(self.cells.len() + 256, Cell::default());
        self.free.push(Flags([u64::MAX; 4]));
        self.bases.push(Flags([u64::MAX; 4]));
        // INVARIANT: base 0 belongs to the nodes without children, and no cell is reached by it.
        self.bases[0].take(0);
        self.open = self.open.max(self.free.len().saturating_sub(OPEN_BLOCKS));
    }

    /// A base whose children of these bytes are free, and takes it and them.
    fn base_for(&mut self, parts: &[(u8, usize, usize)]) -> u32 {
        let first = u32::from(parts[0].0);
        loop {
            for block in self.open..self.free.len() {
                let (free, bases) = (self.free[block], self.bases[block]);
                let fits = |&base: &u32| {
                    bases.has(base)
                        && parts.iter().all(|&(byte, ..)| free.has(base ^ u32::from(byte)))
                };
                if let Some(base) = free.iter().map(|cell| cell ^ first).find(fits) {
                    self.bases[block].take(base);
                    for &(byte, ..) in parts {
                        self.free[block].take(base ^ u32::from(byte));
                    }
                    return (block * 256) as u32 + base;
                }
            }
            self.add_block();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocab::Vocab;

    #[test]
    fn the_trie_holds_the_tokens_and_nothing_else() {
        let mut state = 7u64;
        let mut random = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % n
        };
        for bytes in [2, 256] {
            let mut vocab = Vocab::default();
            for id in 0..3000 {
                let len = 1 + random(if bytes == 2 { 13 } else { 3 });
                let token: Vec<u8> = (0..len).map(|_| random(bytes) as u8).collect();
                let _known_already = vocab.insert(id, &token);
            }
            let trie = Trie::new(vocab.iter());
            for (id, token) in vocab.iter() {
                assert_eq!(trie.node_of(token).and_then(|node| trie.id(node)), Some(id));
            }
            for _ in 0..3000 {
                let token: Vec<u8> = (0..1 + random(5)).map(|_| random(bytes) as u8).collect();
                let id = trie.node_of(&token).and_then(|node| trie.id(node));
                assert_eq!(id, vocab.id_of(&token), "{token:?}");
            }
        }
        assert_eq!(Trie::new(Vocab::default().iter()).node_of(b"a"), None);
    }
}

/*!
A trie of all tokens, stored as a double array.

Each node is a cell of one array. A cell has a base, and the child by byte `b` is the cell `base ^ b`, provided that
this cell records `b` as the byte that leads to it. No two nodes have the same base, so comparing that byte is enough.
The children of a node lie in one block of 256 cells.

```text
tokens a, ab, b     cell   base  byte  id
                    0      1     -     -       the root: children at 1^'a' and 1^'b'
                    1^'a'  2     'a'   a
                    1^'b'  3     'b'   b
                    2^'b'  4     'b'   ab
```

The trie is built depth first from the sorted tokens. A node takes the first base in the last block for which the
cells of all its children are free, or else a base in a new block. Searching more blocks would pack the array a little
tighter (BERT's 65,016 nodes take 69,888 cells; 65,536 when the last eight blocks are searched), and takes longer.
*/

use crate::mem;
use crate::types::TokenId;
use crate::vocab::Vocab;

/// A node.
pub(crate) type Node = u32;

/// The node of the empty string.
pub(crate) const ROOT: Node = 0;

/// How many cells a block has.
const BLOCK: usize = 256;

/// The bit of `Cell::what` that says that the cell belongs to a node; below it is the byte that leads to the node.
const TAKEN: u32 = 0x100;

/// Where in `Cell::what` the id of a token starts, plus one; 0 stands for no token.
const ID: u32 = 9;

#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    /// Combined with a byte, the place of the child by that byte.
    base: u32,
    /// The byte that leads to this node, [`TAKEN`], and above [`ID`] the token that ends here, plus one.
    what: u32,
}

/// A trie of tokens.
#[derive(Debug)]
pub(crate) struct Trie {
    cells: Vec<Cell>,
}

/// A token without the prefix: its first bytes as a number, all of its bytes, and its id. The number decides most
/// comparisons when tokens are sorted.
type SortedToken<'a> = (u128, &'a [u8], TokenId);

impl Trie {
    /// The tokens that start with a prefix and are longer, without it.
    pub(crate) fn new(vocab: &Vocab, prefix: &[u8]) -> Trie {
        let tokens = sorted(vocab, prefix);
        let mut builder = Builder::new();
        // What is left to do: the tokens that go through a node, how many of their bytes are above it, the node.
        let mut todo = vec![(&tokens[..], 0, ROOT)];
        let mut children: Vec<(u8, &[SortedToken])> = Vec::new();
        while let Some((mut tokens, depth, node)) = todo.pop() {
            if let [(_, token, id), rest @ ..] = tokens
                && token.len() == depth
            {
                builder.cells[node as usize].what |= (id + 1) << ID;
                tokens = rest;
            }
            let byte = |token: &SortedToken| token.1[depth];
            children.clear();
            children
                .extend(tokens.chunk_by(|a, b| byte(a) == byte(b)).map(|of| (byte(&of[0]), of)));
            if children.is_empty() {
                continue;
            }
            let base = builder.base_for(&children);
            builder.cells[node as usize].base = base;
            for &(byte, tokens) in children.iter().rev() {
                let child = base ^ u32::from(byte);
                builder.cells[child as usize].what = TAKEN | u32::from(byte);
                todo.push((tokens, depth + 1, child));
            }
        }
        Trie { cells: builder.cells }
    }

    /// The child of a node.
    #[inline(always)]
    pub(crate) fn child(&self, node: Node, byte: u8) -> Option<Node> {
        let child = self.cells[node as usize].base ^ u32::from(byte);
        let cell = self.cells.get(child as usize)?;
        (cell.what & 0x1FF == TAKEN | u32::from(byte)).then_some(child)
    }

    /// The longest token from a node on that the text starts with, and its length there.
    ///
    /// PERF: one load for each byte; the base and the id of a node are in the same cell.
    #[inline]
    pub(crate) fn longest(&self, from: Node, text: &[u8]) -> Option<(TokenId, usize)> {
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

    /// What the children of a node are found by; 0 if it has none.
    pub(crate) fn base(&self, node: Node) -> u32 {
        self.cells[node as usize].base
    }

    /// The token that ends at a node.
    #[inline(always)]
    pub(crate) fn id(&self, node: Node) -> Option<TokenId> {
        (self.cells[node as usize].what >> ID).checked_sub(1)
    }

    /// The node of a string.
    pub(crate) fn node_of(&self, string: &[u8]) -> Option<Node> {
        string.iter().try_fold(ROOT, |node, &byte| self.child(node, byte))
    }

    /// One more than the largest node.
    pub(crate) fn limit(&self) -> usize {
        self.cells.len()
    }
}

/// Tokens with their scores.
///
/// PERF: the score of a token lies in the cell of its node. In a list by id it is another cache miss, which took a third of
/// the time of Chinese (2026-11-18).
#[derive(Debug)]
pub(crate) struct ScoredTrie {
    cells: Vec<ScoredCell>,
}

#[derive(Debug, Clone, Copy)]
struct ScoredCell {
    cell: Cell,
    score: f64,
}

impl ScoredTrie {
    /// The tokens of a trie; `score` is that of an id.
    pub(crate) fn new(trie: &Trie, score: impl Fn(TokenId) -> f64) -> ScoredTrie {
        let mut cells = Vec::with_capacity(trie.cells.len());
        mem::prefer_huge_pages(cells.spare_capacity_mut());
        cells.extend(trie.cells.iter().map(|&cell| {
            let id = (cell.what >> ID).checked_sub(1);
            ScoredCell { cell, score: id.map_or(0.0, &score) }
        }));
        ScoredTrie { cells }
    }

    /// Fetches what a walk from a node reads first.
    #[inline(always)]
    pub(crate) fn prefetch(&self, base: u32, byte: u8) {
        mem::prefetch_at(&self.cells, (base ^ u32::from(byte)) as usize);
    }

    /// Calls `each` with every token from a node on that the text starts with, its score and its length there, the
    /// shorter first.
    #[inline(always)]
    pub(crate) fn prefixes(
        &self,
        mut base: u32,
        text: &[u8],
        mut each: impl FnMut(TokenId, f64, usize),
    ) {
        if base == 0 {
            return;
        }
        for (at, &byte) in text.iter().enumerate() {
            let Some(&scored) = self.cells.get((base ^ u32::from(byte)) as usize) else { break };
            if scored.cell.what & 0x1FF != TAKEN | u32::from(byte) {
                break;
            }
            base = scored.cell.base;
            if scored.cell.what >> ID != 0 {
                each((scored.cell.what >> ID) - 1, scored.score, at + 1);
            }
        }
    }
}

/// The tokens that start with a prefix and are longer, without it, in the order of their bytes.
fn sorted<'a>(vocab: &'a Vocab, prefix: &[u8]) -> Vec<SortedToken<'a>> {
    let without_prefix = |(id, token): (TokenId, &'a [u8])| {
        let rest = token.strip_prefix(prefix).filter(|rest| !rest.is_empty())?;
        let mut first = [0; 16];
        let len = rest.len().min(first.len());
        first[..len].copy_from_slice(&rest[..len]);
        Some((u128::from_be_bytes(first), rest, id))
    };
    let mut tokens: Vec<SortedToken> = vocab.iter().filter_map(without_prefix).collect();
    tokens.sort_unstable();
    tokens
}

struct Builder {
    cells: Vec<Cell>,
    /// The cells of the last block that belong to a node.
    taken: [bool; BLOCK],
    /// The bases in the last block that a node has.
    bases: [bool; BLOCK],
    /// All bases of the last block before this one belong to nodes.
    first: usize,
}

impl Builder {
    fn new() -> Builder {
        let none = [false; BLOCK];
        let mut builder = Builder { cells: Vec::new(), taken: none, bases: none, first: 0 };
        builder.add_block();
        // INVARIANT: the root is nobody's child, not even by byte 0; base 0 belongs to the nodes without
        // children, and no cell is reached by it.
        builder.taken[ROOT as usize] = true;
        builder.bases[0] = true;
        builder
    }

    fn add_block(&mut self) {
        self.cells.resize(self.cells.len() + BLOCK, Cell::default());
        (self.taken, self.bases, self.first) = ([false; BLOCK], [false; BLOCK], 0);
    }

    /// A base whose children of these bytes are free; takes it and them.
    fn base_for(&mut self, children: &[(u8, &[SortedToken])]) -> u32 {
        loop {
            let cell = |base: usize, byte: u8| base ^ usize::from(byte);
            let is_free = |&base: &usize| {
                !self.bases[base] && children.iter().all(|&(byte, _)| !self.taken[cell(base, byte)])
            };
            if let Some(base) = (self.first..BLOCK).find(is_free) {
                self.bases[base] = true;
                children.iter().for_each(|&(byte, _)| self.taken[cell(base, byte)] = true);
                self.first += self.bases[self.first..].iter().take_while(|&&taken| taken).count();
                return (self.cells.len() - BLOCK + base) as u32;
            }
            self.add_block();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_sorted_by_all_their_bytes() {
        let long = |len: usize| [b"#", &vec![b'a'; len][..]].concat();
        let tokens =
            [b"#b".to_vec(), b"#b\0".to_vec(), b"#".to_vec(), b"b".to_vec(), b"#aab".to_vec()]
                .into_iter()
                .chain([300, 11, 255, 12, 1, 254].map(long));
        let vocab = tokens.zip(0..).fold(Vocab::default(), |mut vocab, (token, id)| {
            vocab.insert(id, &token).unwrap();
            vocab
        });
        let ids: Vec<TokenId> = sorted(&vocab, b"#").iter().map(|&(.., id)| id).collect();
        assert_eq!(ids, [9, 6, 8, 10, 7, 5, 4, 0, 1]);
    }

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
            let trie = Trie::new(&vocab, b"");
            for (id, token) in vocab.iter() {
                assert_eq!(trie.node_of(token).and_then(|node| trie.id(node)), Some(id));
            }
            for _ in 0..3000 {
                let token: Vec<u8> = (0..1 + random(5)).map(|_| random(bytes) as u8).collect();
                let id = trie.node_of(&token).and_then(|node| trie.id(node));
                assert_eq!(id, vocab.id_of(&token), "{token:?}");
            }
        }
        assert_eq!(Trie::new(&Vocab::default(), b"").node_of(b"a"), None);
    }
}

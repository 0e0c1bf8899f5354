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

Built depth first from the sorted tokens. A node takes the first base that fits in the last block, or
else in a new one. To look into more blocks packs a little tighter (BERT's 65,016 nodes take 69,888
cells, 65,536 with the last eight blocks) and takes longer.
*/

use crate::types::TokenId;
use crate::vocab::Vocab;

/// A node.
pub(super) type Node = u32;

/// The node of the empty string.
pub(super) const ROOT: Node = 0;

/// How many cells a block has.
const BLOCK: usize = 256;

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
    /// The tokens that start with a prefix and are longer, without it.
    pub(super) fn new(vocab: &Vocab, prefix: &[u8]) -> Trie {
        let tokens = Sorted::new(vocab, prefix);
        let mut builder = Builder::new();
        // What is left to do: the tokens that go through a node, how much of them is above it.
        let mut todo = vec![(0, tokens.order.len(), 0, ROOT)];
        let mut parts: Vec<(u8, usize, usize)> = Vec::new();
        while let Some((mut first, last, depth, mut node)) = todo.pop() {
            if last - first == 1 {
                // One token goes on alone.
                for depth in depth..tokens.len_of(first) {
                    node = builder.add_child(node, tokens.byte(first, depth));
                }
                builder.cells[node as usize].what |= (tokens.id(first) + 1) << ID;
                continue;
            }
            if first < last && tokens.len_of(first) == depth {
                builder.cells[node as usize].what |= (tokens.id(first) + 1) << ID;
                first += 1;
            }
            parts.clear();
            while first < last {
                let byte = tokens.byte(first, depth);
                let same = (first..last).take_while(|&token| tokens.byte(token, depth) == byte);
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

/// Tokens in the order of their bytes.
///
/// PERF: a number has the first bytes of a token, its length and its id, so that sorting compares
/// numbers, and few tokens are looked at where they are.
struct Sorted<'a> {
    order: Vec<u128>,
    vocab: &'a Vocab,
    /// How many bytes of a token do not count.
    skip: usize,
}

impl<'a> Sorted<'a> {
    /// How many bytes of a token are in its number, the first on top. Then comes the length, if it is
    /// less than 255, and then the id.
    const BYTES: usize = 11;
    const LEN: u32 = 32;

    fn new(vocab: &'a Vocab, prefix: &[u8]) -> Sorted<'a> {
        let number = |(id, token): (TokenId, &[u8])| {
            let rest = token.strip_prefix(prefix).filter(|rest| !rest.is_empty())?;
            let mut bytes = [0; 16];
            let len = rest.len().min(Self::BYTES);
            bytes[..len].copy_from_slice(&rest[..len]);
            let len = (rest.len().min(255) as u128) << Self::LEN;
            Some(u128::from_be_bytes(bytes) | len | u128::from(id))
        };
        let mut order = Vec::with_capacity(vocab.len());
        order.extend(vocab.iter().filter_map(number));
        order.sort_unstable();
        let mut sorted = Sorted { order: Vec::new(), vocab, skip: prefix.len() };
        let bytes = Self::LEN + 8;
        for same in order.chunk_by_mut(|a, b| a >> bytes == b >> bytes) {
            if same.len() > 1 {
                same.sort_unstable_by_key(|&number| sorted.bytes(number));
            }
        }
        sorted.order = order;
        sorted
    }

    fn bytes(&self, number: u128) -> &'a [u8] {
        self.vocab.bytes_of(number as TokenId).map_or(&[], |token| &token[self.skip..])
    }

    fn id(&self, at: usize) -> TokenId {
        self.order[at] as TokenId
    }

    #[inline(always)]
    fn len_of(&self, at: usize) -> usize {
        match (self.order[at] >> Self::LEN) as u8 {
            255 => self.bytes(self.order[at]).len(),
            len => usize::from(len),
        }
    }

    /// A byte of a token that is longer than this.
    #[inline(always)]
    fn byte(&self, at: usize, depth: usize) -> u8 {
        let number = self.order[at];
        if depth < Self::BYTES {
            (number >> (120 - 8 * depth)) as u8
        } else {
            self.bytes(number)[depth]
        }
    }
}

/// 256 flags.
#[derive(Clone, Copy)]
struct Flags([u64; 4]);

impl Flags {
    const ALL: Flags = Flags([u64::MAX; 4]);

    fn take(&mut self, at: u32) {
        self.0[at as usize / 64 % 4] &= !(1 << (at % 64));
    }

    /// Those that both have.
    #[inline(always)]
    fn and(self, other: Flags) -> Flags {
        Flags(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    /// Each flag at the place `at ^ by`, where `at` is its own.
    ///
    /// Each bit of `by` exchanges neighbours: flags, pairs of them, and so on up to halves of a word;
    /// the two highest exchange words.
    #[inline(always)]
    fn moved(self, by: u8) -> Flags {
        let mut words = std::array::from_fn(|word| self.0[word ^ usize::from(by >> 6)]);
        let mut exchange = |bit: u32, first: u64| {
            let first = first & u64::from(by >> bit & 1).wrapping_neg();
            words = words.map(|word| {
                let differ = (word >> (1 << bit) ^ word) & first;
                word ^ differ ^ differ << (1 << bit)
            });
        };
        exchange(0, 0x5555_5555_5555_5555);
        exchange(1, 0x3333_3333_3333_3333);
        exchange(2, 0x0F0F_0F0F_0F0F_0F0F);
        exchange(3, 0x00FF_00FF_00FF_00FF);
        exchange(4, 0x0000_FFFF_0000_FFFF);
        exchange(5, 0x0000_0000_FFFF_FFFF);
        Flags(words)
    }

    fn first(self) -> Option<u32> {
        let word = self.0.iter().position(|&word| word != 0)?;
        Some(word as u32 * 64 + self.0[word].trailing_zeros())
    }
}

struct Builder {
    cells: Vec<Cell>,
    /// The cells and the bases of the last block that are free.
    free: Flags,
    bases: Flags,
}

impl Builder {
    fn new() -> Builder {
        let mut builder = Builder { cells: Vec::new(), free: Flags::ALL, bases: Flags::ALL };
        builder.add_block();
        // INVARIANT: the root is nobody's child, not even by byte 0; base 0 belongs to the nodes without
        // children, and no cell is reached by it.
        builder.free.take(ROOT);
        builder.bases.take(0);
        builder
    }

    fn add_block(&mut self) {
        self.cells.resize(self.cells.len() + BLOCK, Cell::default());
        (self.free, self.bases) = (Flags::ALL, Flags::ALL);
    }

    /// Gives a node its only child.
    fn add_child(&mut self, node: Node, byte: u8) -> Node {
        let base = self.base_for(&[(byte, 0, 0)]);
        self.cells[node as usize].base = base;
        let child = base ^ u32::from(byte);
        self.cells[child as usize].what = TAKEN | u32::from(byte);
        child
    }

    /// A base whose children of these bytes are free, and takes it and them.
    ///
    /// PERF: all bases of a block at once. Those that have a free child by a byte are the free cells,
    /// moved by that byte.
    #[inline(always)]
    fn base_for(&mut self, parts: &[(u8, usize, usize)]) -> u32 {
        loop {
            let mut bases = self.bases;
            for &(byte, ..) in parts {
                bases = bases.and(self.free.moved(byte));
            }
            if let Some(base) = bases.first() {
                self.bases.take(base);
                for &(byte, ..) in parts {
                    self.free.take(base ^ u32::from(byte));
                }
                return (self.cells.len() - BLOCK) as u32 + base;
            }
            self.add_block();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_move_to_where_their_places_say() {
        for by in 0..=255 {
            for at in 0..=255 {
                let mut one = Flags::ALL;
                one.take(at);
                let one = Flags(one.0.map(|word| !word));
                assert_eq!(one.moved(by).first(), Some(at ^ u32::from(by)));
            }
        }
    }

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
        let sorted = Sorted::new(&vocab, b"#");
        let places = 0..sorted.order.len();
        let ids: Vec<TokenId> = places.clone().map(|at| sorted.id(at)).collect();
        assert_eq!(ids, [9, 6, 8, 10, 7, 5, 4, 0, 1]);
        for (at, id) in places.zip(ids) {
            let token = &vocab.bytes_of(id).unwrap()[1..];
            assert_eq!(sorted.len_of(at), token.len());
            assert!((0..token.len()).all(|depth| sorted.byte(at, depth) == token[depth]));
        }
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

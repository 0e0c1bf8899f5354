/*!
WordPiece in one pass: a trie with failure links, whose nodes know where to continue when no child fits.

Walk the trie byte by byte. Where no child fits, the bytes that were read since the last token begin with tokens that
are already certain. These are appended to the result (`pops`), and the walk continues at the node of the remaining
bytes (`failure`), without reading any byte again.

```text
tokens  a  abcdx  ##b  ##c  ##cdy  ##dz          text abcdz
read abcd       the node abcd, which has no child z
pops a ##b      the failure of abcd is the node ##cd; it has no child z either
pops ##c        its failure is the node ##d
read z          the node ##dz, at the end: pops ##dz
```

A failure leads to a shorter string, so there are at most as many of them as bytes were read: the time is linear in the
word, whatever the vocabulary. Both tables are filled from the root on, each node from its parent. A node whose string
does not begin with a token has no failure: the word is unknown. If the model makes only the character unknown and not
the word, such a node pops the unknown token as soon as its character is complete; before that it records how many
bytes of the character were read.

There are two tries: one of all tokens, for the start of a word, and one of the tokens with the prefix, stored without
it. With a single trie, a word that is spelled `##x` would be mistaken for the continuation of a word by `x`.

This is LinMaxMatch (Song, Salcianu, Song, Dopson and Zhou, "Fast WordPiece Tokenization", 2021).

Why not a suffix array over text and vocabulary, which is linear too (`subword.reference` has it): it needs the whole
text at once and a dozen times its memory, and it sorts where this encoder walks. Why this encoder is not the default:
words are short, so on ordinary text it is slower than the fast encoder with its cache
(docs/decisions/wordpiece-misses.md). It has no cache, so text that never repeats itself takes no longer than any other.
*/

use std::collections::VecDeque;

use super::{WordEncoder, character};
use crate::error::{Error, Result};
use crate::model::{Model, Unknown, WordPiece};
use crate::trie::{Node, ROOT, Trie};
use crate::types::TokenId;

/// No failure.
const NONE: Node = Node::MAX;

/// How many ids all pops may have. Published vocabularies need some hundred thousand.
const MOST_POPS: usize = 1 << 24;

/// Encodes words in one pass.
#[derive(Debug)]
pub struct Linear {
    /// The fast encoder, whose trie is the one for the start of a word.
    words: WordEncoder,
    /// The tokens with the prefix, stored without it. Its nodes are numbered after those of the other trie.
    within: Trie,
    /// By node, where to continue when no child fits.
    failures: Vec<Failure>,
    /// The tokens that failures append, one list after the other.
    pops: Vec<TokenId>,
}

#[derive(Debug, Clone, Copy)]
struct Failure {
    /// The node where the walk continues, or [`NONE`].
    node: Node,
    /// The tokens to append: where they start in `Linear::pops`, and how many they are.
    pops: (u32, u32),
    /// If the walk cannot continue: how many bytes of an unknown character were read.
    read: u8,
}

impl Linear {
    /// Prepares a checked model. Fails where the tables would be too large, for tokens that no
    /// published vocabulary has.
    pub fn new(model: &Model, word_piece: &WordPiece) -> Result<Linear> {
        let words = WordEncoder::new(model, word_piece);
        let within = Trie::new(&model.vocab, word_piece.prefix.as_bytes());
        let none = Failure { node: NONE, pops: (0, 0), read: 0 };
        let failures = vec![none; words.trie.limit() + within.limit()];
        let mut linear = Linear { words, within, failures, pops: Vec::new() };
        linear.fill()?;
        Ok(linear)
    }

    /// The fast encoder for the same model.
    pub fn words(&self) -> &WordEncoder {
        &self.words
    }

    /// Appends the ids of a word.
    pub fn encode(&self, word: &[u8], ids: &mut Vec<TokenId>) {
        let before = ids.len();
        if self.words.is_too_long(word) || !self.walk(word, ids) {
            ids.truncate(before);
            ids.push(self.words.unk);
        }
    }

    /// Appends the ids of a word that is not too long; says whether it is known.
    fn walk(&self, word: &[u8], ids: &mut Vec<TokenId>) -> bool {
        let within = self.split();
        let (mut node, mut at) = (ROOT, 0);
        while at < word.len() || node != within {
            let child = word.get(at).and_then(|&byte| self.child(node, byte));
            if let Some(child) = child {
                node = child;
                at += 1;
                continue;
            }
            let failure = self.failures[node as usize];
            ids.extend_from_slice(self.pops_of(node));
            if failure.node != NONE {
                node = failure.node;
                continue;
            }
            if self.words.unknown == Unknown::Word {
                return false;
            }
            let start = at - usize::from(failure.read);
            ids.push(self.words.unk);
            at = start + character(&word[start..]);
            node = within;
        }
        true
    }

    /// Finds all failures, nodes near the roots first.
    fn fill(&mut self) -> Result<()> {
        let split = self.split();
        let mut todo = VecDeque::from([(ROOT, 0, 0), (split, 0, 0)]);
        let mut pops = Vec::new();
        // `read` bytes of the character are read, of `left` that it has.
        while let Some((parent, read, left)) = todo.pop_front() {
            for byte in 0..=255 {
                let Some(node) = self.child(parent, byte) else { continue };
                let (read, left) =
                    if left == 0 { (1, length(byte) - 1) } else { (read + 1, left - 1) };
                todo.push_back((node, read, left));
                pops.clear();
                let mut failure = match self.token_at(node) {
                    Some(id) => {
                        pops.push(id);
                        split
                    }
                    None => self.failure_of(parent, byte, &mut pops),
                };
                if failure == NONE && left == 0 && self.words.unknown == Unknown::Character {
                    pops.push(self.words.unk);
                    failure = split;
                }
                if self.pops.len() + pops.len() > MOST_POPS {
                    return Err(Error::format("the tokens are too long for the linear encoder"));
                }
                let place = (self.pops.len() as u32, pops.len() as u32);
                self.failures[node as usize] = Failure { node: failure, pops: place, read };
                self.pops.extend_from_slice(&pops);
            }
        }
        Ok(())
    }

    /// The failure of the child of a node by a byte, which is no token, and its pops.
    fn failure_of(&self, parent: Node, byte: u8, pops: &mut Vec<TokenId>) -> Node {
        pops.extend_from_slice(self.pops_of(parent));
        let mut from = self.failures[parent as usize].node;
        while from != NONE {
            if let Some(child) = self.child(from, byte) {
                return child;
            }
            pops.extend_from_slice(self.pops_of(from));
            from = self.failures[from as usize].node;
        }
        NONE
    }

    /// The token that ends at a node.
    fn token_at(&self, node: Node) -> Option<TokenId> {
        match node.checked_sub(self.split()) {
            Some(node) => self.within.id(node),
            None => self.words.trie.id(node),
        }
    }

    /// The first node of the second trie, its root.
    fn split(&self) -> Node {
        self.words.trie.limit() as Node
    }

    #[inline(always)]
    fn child(&self, node: Node, byte: u8) -> Option<Node> {
        let split = self.split();
        match node.checked_sub(split) {
            Some(node) => self.within.child(node, byte).map(|child| child + split),
            None => self.words.trie.child(node, byte),
        }
    }

    #[inline(always)]
    fn pops_of(&self, node: Node) -> &[TokenId] {
        let (at, len) = self.failures[node as usize].pops;
        &self.pops[at as usize..(at + len) as usize]
    }
}

/// The length of a character by its first byte.
fn length(byte: u8) -> u8 {
    match byte {
        ..0x80 => 1,
        0x80..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    }
}

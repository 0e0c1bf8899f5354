/*!
One word to token ids: WordPiece.

Take the longest token that the word starts with, then the longest token with the prefix (`##`) that the rest starts
with, and so on until nothing is left. If no token fits at some place, or if the word is too long, the whole word
becomes the unknown token:

```text
tokens  low  ##er  ##e  ##s
lower   ->  low ##er
lows    ->  low ##s
slow    ->  [UNK]                 no token without the prefix starts with s
```

All tokens are in one trie, including those with the prefix: a token that continues a word is searched from the node
of the prefix. There are two encoders, which give the same ids:

* *fast* ([`WordEncoder::encode`]) walks the trie from the start of a token as far as it goes, and starts again after
  the longest token that it saw. Bytes that were read beyond that token are read again, so a word of n bytes takes up
  to n·m steps, where m is the length of the longest token. Words are short and the cache has most of them, so this
  encoder is the faster one on ordinary text. Letters beyond ASCII are looked up in a table first (`letters`): without
  it the first pass over 10 MB of Russian takes 16% longer (AVX-512, 2026-11-18).
* *linear* ([`Linear`]) knows for every node where to continue when no child fits, so a word of n bytes takes n steps,
  whatever the vocabulary.

Invariants
* A token starts and ends where characters do, because all tokens are whole characters.
* The ids depend on the word alone.
*/

mod front;
mod letters;
mod linear;

pub use front::{FindWords, FoundWords, Front, Place, run};
pub use linear::Linear;

use crate::error::Result;
use crate::model::{Model, Units, Unknown, WordLimit, WordPiece};
use crate::trie::{Node, ROOT, Trie};
use crate::types::TokenId;
use letters::Letters;

/// Encodes words.
#[derive(Debug)]
pub struct WordEncoder {
    /// All tokens.
    trie: Trie,
    /// The node of the prefix, from which tokens that continue a word are searched; none if no token has the prefix.
    within: Option<Node>,
    /// Tokens that begin with a letter beyond ASCII.
    letters: Letters,
    /// The unknown token.
    unk: TokenId,
    /// How long a word may be.
    limit: WordLimit,
    /// Whether a word that cannot be encoded is unknown as a whole, or character by character.
    unknown: Unknown,
    /// The length of the prefix, in bytes.
    prefix: usize,
    /// The tokens of one character.
    characters: Vec<(char, TokenId)>,
}

impl WordEncoder {
    /// Prepares a checked model.
    pub fn new(model: &Model, word_piece: &WordPiece) -> WordEncoder {
        let trie = Trie::new(&model.vocab, b"");
        let prefix = word_piece.prefix.as_bytes();
        WordEncoder {
            within: trie.node_of(prefix),
            letters: Letters::new(model.vocab.iter(), prefix),
            trie,
            unk: model.start.unk.unwrap_or_default(),
            limit: word_piece.limit,
            unknown: word_piece.unknown,
            prefix: word_piece.prefix.len(),
            characters: model.vocab.iter().filter_map(one_character).collect(),
        }
    }

    /// Appends the ids of a word.
    pub fn encode(&self, word: &[u8], ids: &mut Vec<TokenId>) {
        let before = ids.len();
        if !self.walk(word, ids) {
            ids.truncate(before);
            ids.push(self.unk);
        }
    }

    /// Appends the tokens of a word; returns whether the word is known. If it is not, the tokens are those before
    /// the first place that has none.
    pub fn walk(&self, word: &[u8], ids: &mut Vec<TokenId>) -> bool {
        if self.is_too_long(word) {
            return false;
        }
        let (mut at, mut from) = (0, Some(ROOT));
        while at < word.len() {
            if word[at] >= 0x80 {
                at = self.letters.encode(word, at, ids);
                if at == word.len() {
                    return true;
                }
                from = if at > 0 { self.within } else { from };
            }
            match from.and_then(|from| self.longest(from, &word[at..])) {
                Some((id, len)) => {
                    ids.push(id);
                    at += len;
                }
                None if self.unknown == Unknown::Word => return false,
                None => {
                    ids.push(self.unk);
                    at += character(&word[at..]);
                }
            }
            from = self.within;
        }
        true
    }

    /// The id of a word of one character that is no token.
    pub fn unknown_character(&self) -> TokenId {
        self.unk
    }

    /// Calls `each` with every token of one character that a word may be, and its id.
    pub fn each_character(&self, mut each: impl FnMut(char, TokenId)) {
        let fits = |c: char| !self.is_too_long(c.encode_utf8(&mut [0; 4]).as_bytes());
        self.characters.iter().filter(|&&(c, _)| fits(c)).for_each(|&(c, id)| each(c, id));
    }

    /// The longest token from a node on that the text starts with, and its length there.
    #[inline]
    fn longest(&self, from: Node, text: &[u8]) -> Option<(TokenId, usize)> {
        self.trie.longest(from, text)
    }

    /// Whether a word is unknown because of its length.
    #[inline]
    pub fn is_too_long(&self, word: &[u8]) -> bool {
        match self.limit {
            WordLimit::Bytes(limit) => word.len() > limit as usize,
            WordLimit::Characters(limit) => {
                word.len() > limit as usize && characters(word) > limit as usize
            }
            WordLimit::None => false,
        }
    }

    /// A word of this many bytes is too long, whatever its characters are. `usize::MAX` if there is no limit.
    fn too_long(&self) -> usize {
        match self.limit {
            WordLimit::Bytes(limit) => (limit as usize).saturating_add(1),
            // A character has at most four bytes.
            WordLimit::Characters(limit) => (limit as usize).saturating_mul(4).saturating_add(4),
            WordLimit::None => usize::MAX,
        }
    }

    /// Calls `each` with the ids of a word, which `encode` gave, and the place of each within it; ends with its
    /// first error.
    pub fn locate(
        &self,
        word: &[u8],
        ids: &[TokenId],
        token_len: impl Fn(TokenId) -> usize,
        mut each: impl FnMut(TokenId, usize, usize) -> Result<()>,
    ) -> Result<()> {
        let (mut at, mut from) = (0, Some(ROOT));
        for (i, &id) in ids.iter().enumerate() {
            let mut unknown = id == self.unk;
            if unknown && self.unknown == Unknown::Character {
                let token = from.and_then(|from| self.longest(from, &word[at..]));
                unknown = token.is_none_or(|(token, _)| token != id);
            }
            let end = match self.unknown {
                _ if unknown && ids.len() == 1 => word.len(),
                Unknown::Character if unknown => at + character(&word[at..]),
                _ => at + token_len(id) - if i == 0 { 0 } else { self.prefix },
            };
            each(id, at, end)?;
            (at, from) = (end, self.within);
        }
        Ok(())
    }
}

/// A token that is one character.
fn one_character((id, token): (TokenId, &[u8])) -> Option<(char, TokenId)> {
    let short = Some(token).filter(|token| token.len() <= 4)?;
    let mut chars = std::str::from_utf8(short).ok()?.chars();
    chars.next().filter(|_| chars.next().is_none()).map(|c| (c, id))
}

/// The length of the first character.
fn character(text: &[u8]) -> usize {
    Units::Characters.of(text).next().map_or(0, <[u8]>::len)
}

/// How many characters there are.
fn characters(text: &[u8]) -> usize {
    match std::str::from_utf8(text) {
        Ok(text) => text.chars().count(),
        Err(_) => Units::Characters.of(text).count(),
    }
}

#[cfg(test)]
mod tests;

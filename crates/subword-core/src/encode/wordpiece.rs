/*!
WordPiece models: each word is looked up in the cache, and a miss is cut into the longest tokens.

```text
ENCODE  "Playing, ça"  ->  "playing, ca"  ->  playing | , | ca  ->  play ##ing , ca
DECODE  play ##ing , ca  ->  "playing , ca"     and with clean-up "playing, ca"
```

Where the normaliser and the pattern are BERT's, `front` does both in one pass over the text.
*/

mod front;

use super::{Plan, Scratch, Sink};
use crate::cache::Segment;
use crate::error::Result;
use crate::model::{Model, Normalizer, Pattern, Units, WordPiece};
use crate::pretok::Named;
use crate::types::TokenId;
use crate::wordpiece::{Front, Linear, WordEncoder};

pub(super) use front::WordBatch;

/// How words become ids.
#[derive(Debug)]
pub(crate) enum Words {
    /// By a trie, with a cache.
    Fast(Box<FastWords>),
    /// In one pass by failure links, without a cache.
    Linear(Box<Linear>),
}

/// The encoder with a cache, and the front that normalises and splits at once, where there is one.
#[derive(Debug)]
pub(crate) struct FastWords {
    pub(super) encoder: WordEncoder,
    pub(super) front: Option<Front>,
    /// The words that are tokens, the most frequent first, so that the cache finds those soonest.
    vocabulary: Vec<TokenId>,
}

impl FastWords {
    pub(super) fn new(model: &Model, word_piece: &WordPiece) -> FastWords {
        let encoder = WordEncoder::new(model, word_piece);
        let front = match (model.normalizer, &model.pattern) {
            (Normalizer::Bert(bert), Pattern::Named(Named::Bert)) => Front::new(bert, &encoder),
            _ => None,
        };
        let prefix = word_piece.prefix.as_bytes();
        let is_word = |bytes: &[u8]| {
            (prefix.is_empty() || !bytes.starts_with(prefix)) && !encoder.is_too_long(bytes)
        };
        let words = model.vocab.iter().filter(|&(_, bytes)| is_word(bytes));
        let vocabulary = words.map(|(id, _)| id).collect();
        FastWords { encoder, front, vocabulary }
    }
}

impl Words {
    /// The encoder that walks a trie.
    pub(crate) fn encoder(&self) -> &WordEncoder {
        match self {
            Words::Fast(fast) => &fast.encoder,
            Words::Linear(linear) => linear.words(),
        }
    }
}

impl Plan {
    /// Encodes a normalised text.
    pub(super) fn encode_word_pieces(
        &self,
        words: &Words,
        text: &[u8],
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) -> Result<()> {
        let Scratch { cache, ids, .. } = scratch;
        self.each_piece(text, |start, end| {
            let word = &text[start..end];
            if is_white(word) {
                return Ok(true);
            }
            ids.clear();
            match words {
                Words::Linear(linear) => linear.encode(word, ids),
                Words::Fast(fast) => {
                    if !cache.recall(text, start, end, false, |known| ids.extend_from_slice(known))
                    {
                        fast.encoder.encode(word, ids);
                        cache.insert(text, start, end, false, ids);
                    }
                }
            }
            sink.many(ids)?;
            Ok(!sink.is_full())
        })
    }

    /// Inserts the words that are tokens into the cache of a new scratch.
    pub(super) fn remember_vocabulary(&self, fast: &FastWords, scratch: &mut Scratch) {
        scratch.cache.reserve(fast.vocabulary.len());
        let token = |&id: &TokenId| Some((id, self.model.vocab.bytes_of(id)?));
        // A few at a time, whose cache lines are prefetched first. PERF: without these words in the cache the first
        // pass over 10 MB of English takes 17% longer (AVX-512, 2026-11-18).
        for some in fast.vocabulary.chunks(32) {
            let view = scratch.cache.view();
            for (_, word) in some.iter().filter_map(token) {
                view.key_and_line(word, Segment { start: 0, end: word.len(), part: false });
            }
            for (id, word) in some.iter().filter_map(token) {
                scratch.cache.insert(word, 0, word.len(), false, &[id]);
            }
        }
    }

    /// Calls `each` with every id of a normalised text, its place there and the number of its word; returns how
    /// many words there are.
    pub(super) fn locate_word_pieces(
        &self,
        words: &Words,
        text: &[u8],
        mut each: impl FnMut(TokenId, (usize, usize), usize) -> Result<()>,
    ) -> Result<usize> {
        let (mut ids, mut number) = (Vec::new(), 0);
        let token_len = |id| self.model.token_bytes(id).map_or(0, <[u8]>::len);
        self.each_piece(text, |start, end| {
            let word = &text[start..end];
            if is_white(word) {
                return Ok(true);
            }
            ids.clear();
            words.encoder().encode(word, &mut ids);
            let place = |id, from, to| each(id, (start + from, start + to), number);
            words.encoder().locate(word, &ids, token_len, place)?;
            number += 1;
            Ok(true)
        })?;
        Ok(number)
    }
}

/// Whether a piece is white space: no pattern puts that and something else into one piece, except
/// those that know no words.
fn is_white(piece: &[u8]) -> bool {
    let white = |c: &[u8]| std::str::from_utf8(c).is_ok_and(|c| c.chars().all(char::is_whitespace));
    !piece.first().is_some_and(u8::is_ascii_graphic)
        && (piece == b" " || Units::Characters.of(piece).all(white))
}

#[cfg(test)]
mod tests;

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
use crate::cache::{LONGEST_SHORT, short_key};
use crate::error::Result;
use crate::interrupt;
use crate::model::{BertTables, Model, Normalizer, Pattern, Units, WordPiece};
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
        let tables = match model.pattern {
            Pattern::Named(Named::Bert) => Some(BertTables::V0_23),
            Pattern::Named(Named::BertV1) => Some(BertTables::V1_0),
            _ => None,
        };
        let front = match (model.normalizer, tables) {
            (Normalizer::Bert(bert), Some(tables)) => Front::new(bert, tables, &encoder),
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
    fn encoder(&self) -> &WordEncoder {
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
        let mut cursor = self.splitter.cursor(text)?;
        let mut ends = std::mem::take(&mut scratch.ends);
        let mut at = 0;
        loop {
            let pieces = cursor.next_batch(&mut ends);
            if pieces.is_empty() || sink.is_full() {
                break;
            }
            for &end in pieces {
                let start = std::mem::replace(&mut at, end);
                let word = &text[start..end];
                if is_white(word) {
                    continue;
                }
                let Scratch { cache, ids, .. } = &mut *scratch;
                ids.clear();
                let mut taken = Ok(());
                match words {
                    Words::Linear(linear) => linear.encode(word, ids),
                    Words::Fast(_)
                        if cache.recall(text, start, end, false, |ids| taken = sink.many(ids)) => {}
                    Words::Fast(fast) => {
                        fast.encoder.encode(word, ids);
                        cache.insert(text, start, end, false, ids);
                    }
                }
                taken?;
                sink.many(ids)?;
                interrupt::worked(word.len())?;
            }
        }
        scratch.ends = ends;
        Ok(())
    }

    /// Inserts the words that are tokens into the cache of a new scratch.
    pub(super) fn remember_vocabulary(&self, fast: &FastWords, scratch: &mut Scratch) {
        scratch.cache.reserve(fast.vocabulary.len());
        let token = |&id: &TokenId| Some((id, self.model.vocab.bytes_of(id)?));
        // A few at a time, whose cache lines are prefetched first.
        for some in fast.vocabulary.chunks(32) {
            let view = scratch.cache.view();
            for (_, word) in some.iter().filter_map(token) {
                if word.len() <= LONGEST_SHORT {
                    view.prefetch_key(short_key(word, 0, word.len(), false));
                }
            }
            for (id, word) in some.iter().filter_map(token) {
                scratch.cache.insert(word, 0, word.len(), false, &[id]);
            }
        }
    }

    /// Calls `each` with every id of a normalised text and its place there.
    pub(super) fn locate_word_pieces(
        &self,
        words: &Words,
        text: &[u8],
        mut each: impl FnMut(TokenId, usize, usize) -> Result<()>,
    ) -> Result<()> {
        let mut cursor = self.splitter.cursor(text)?;
        let (mut ends, mut ids, mut start) = (Vec::new(), Vec::new(), 0);
        let token_len = |id| self.model.token_bytes(id).map_or(0, <[u8]>::len);
        loop {
            let pieces = cursor.next_batch(&mut ends);
            if pieces.is_empty() {
                return Ok(());
            }
            for &end in pieces {
                let word = &text[start..end];
                if !is_white(word) {
                    ids.clear();
                    words.encoder().encode(word, &mut ids);
                    let mut taken = Ok(());
                    words.encoder().locate(word, &ids, token_len, |id, from, to| {
                        if taken.is_ok() {
                            taken = each(id, start + from, start + to);
                        }
                    });
                    taken?;
                }
                interrupt::worked(word.len())?;
                start = end;
            }
        }
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

/*!
WordPiece models: each word is looked up, and if it is new encoded by the longest tokens.

```text
ENCODE  "Playing, ça"  ->  "playing, ca"  ->  playing | , | ca  ->  play ##ing , ca
DECODE  play ##ing , ca  ->  "playing , ca"     and with clean-up "playing, ca"
```
*/

mod batch;

use super::{Sink, Worker};
use crate::cache::{LONGEST_SHORT, short_key};
use crate::error::Result;
use crate::interrupt;
use crate::model::{BertTables, Model, Normalizer, Pattern, Units, WordPiece};
use crate::pretok::Named;
use crate::tokenizer::Tokenizer;
use crate::types::TokenId;
use crate::wordpiece::{Front, Linear, WordEncoder};

pub(in crate::tokenizer) use batch::Batch;

/// How words become ids.
#[derive(Debug)]
pub(in crate::tokenizer) enum Words {
    Fast(Box<Fast>),
    Linear(Box<Linear>),
}

/// With a cache, and where there is one a front that normalises and splits at once.
#[derive(Debug)]
pub(in crate::tokenizer) struct Fast {
    pub(super) encoder: WordEncoder,
    pub(super) front: Option<Front>,
    /// The words that are tokens, the most frequent first: the cache finds those soonest.
    vocabulary: Vec<TokenId>,
}

impl Fast {
    pub(in crate::tokenizer) fn new(model: &Model, word_piece: &WordPiece) -> Fast {
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
        Fast { encoder, front, vocabulary }
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

impl Tokenizer {
    /// A normalised text that only needs to be cut and encoded.
    pub(super) fn encode_word_pieces(
        &self,
        words: &Words,
        text: &[u8],
        worker: &mut Worker,
        sink: &mut impl Sink,
    ) -> Result<()> {
        let mut cursor = self.splitter.cursor(text)?;
        let mut ends = std::mem::take(&mut worker.ends);
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
                let Worker { cache, ids, .. } = &mut *worker;
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
        worker.ends = ends;
        Ok(())
    }

    /// Lets a new worker know the words that are tokens.
    pub(super) fn remember_vocabulary(&self, fast: &Fast, worker: &mut Worker) {
        worker.cache.reserve(fast.vocabulary.len());
        let token = |&id: &TokenId| Some((id, self.model.vocab.bytes_of(id)?));
        // PERF: a few at a time, whose lines are asked for first.
        for some in fast.vocabulary.chunks(32) {
            let view = worker.cache.view();
            for (_, word) in some.iter().filter_map(token) {
                if word.len() <= LONGEST_SHORT {
                    view.line_of(short_key(word, 0, word.len(), false));
                }
            }
            for (id, word) in some.iter().filter_map(token) {
                worker.cache.insert(word, 0, word.len(), false, &[id]);
            }
        }
    }

    /// Calls `each` with every id of a normalised text and its place there.
    pub(in crate::tokenizer) fn locate_word_pieces(
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

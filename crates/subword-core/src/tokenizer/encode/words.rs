/*!
Models whose pieces do not start from plain bytes: characters, end-of-word marks, unk; and those that
cut pieces into the longest tokens.

The same path as for bytes, with fewer shortcuts: a piece is looked up, and if it is new cut where no
token can span, each part looked up in turn, and what is still new merged. A part that does not end
its piece has no mark, so the cache keeps it apart from the same bytes as a whole piece.

```text
ENCODE  "low  lower"  ->  low | lower          white space is skipped where there is a mark
                      ->  low</w>   low er</w>
DECODE  low</w> low er</w>  ->  "low lower"    the mark is a space, but not at the very end
```
*/

use super::{Sink, Worker};
use crate::cache::{LONGEST_SHORT, short_key};
use crate::error::{Error, Result};
use crate::pretok::BATCH;
use crate::tokenizer::{Finders, Tokenizer};
use crate::types::TokenId;
use crate::{interrupt, longest, memory};

impl Tokenizer {
    /// A text that only needs to be cut and merged.
    pub(super) fn encode_words(
        &self,
        text: &[u8],
        worker: &mut Worker,
        sink: &mut impl Sink,
    ) -> Result<()> {
        let mut cursor = self.splitter.cursor(text)?;
        let (mut ends, mut batch) =
            (std::mem::take(&mut worker.ends), Vec::with_capacity(2 * BATCH));
        let mut at = 0;
        loop {
            let pieces = cursor.next_batch(&mut ends);
            if pieces.is_empty() || sink.is_full() {
                break;
            }
            // PERF: first ask for the cache lines of all, then look: see `encode`.
            let view = worker.cache.view();
            for &end in pieces {
                let start = std::mem::replace(&mut at, end);
                if self.model.start.skips(&text[start..end]) {
                    continue;
                }
                if end - start <= LONGEST_SHORT {
                    view.line_of(short_key(text, start, end, false));
                }
                batch.push((start, end));
            }
            for (start, end) in batch.drain(..) {
                self.encode_word(text, start, end, worker, sink)?;
                interrupt::worked(end - start)?;
            }
        }
        worker.ends = ends;
        Ok(())
    }

    /// The piece `text[start..end]`.
    fn encode_word(
        &self,
        text: &[u8],
        start: usize,
        end: usize,
        worker: &mut Worker,
        sink: &mut impl Sink,
    ) -> Result<()> {
        if !self.recall(text, (start, end), false, worker, sink)? {
            let mut ids = std::mem::take(&mut worker.ids);
            ids.clear();
            self.encode_new_word(text, start, end, worker, &mut ids)?;
            sink.many(&ids)?;
            worker.ids = ids;
        }
        Ok(())
    }

    /// Calls `each` with the place of every piece that has tokens, as long as it says so.
    fn each_word(
        &self,
        text: &[u8],
        mut each: impl FnMut(usize, usize) -> Result<bool>,
    ) -> Result<()> {
        let mut cursor = self.splitter.cursor(text)?;
        let (mut ends, mut start) = (Vec::new(), 0);
        loop {
            let pieces = cursor.next_batch(&mut ends);
            if pieces.is_empty() {
                return Ok(());
            }
            for &end in pieces {
                interrupt::worked(end - start)?;
                if !self.model.start.skips(&text[start..end]) && !each(start, end)? {
                    return Ok(());
                }
                start = end;
            }
        }
    }

    /// Gives the ids of a piece to `sink` if they are remembered. `part`: it does not end its piece.
    fn recall(
        &self,
        text: &[u8],
        (start, end): (usize, usize),
        part: bool,
        worker: &Worker,
        sink: &mut impl Sink,
    ) -> Result<bool> {
        let mut taken = Ok(());
        let known = worker.cache.recall(text, start, end, part, |ids| taken = sink.many(ids));
        taken.map(|()| known)
    }

    /// Appends the ids of a piece that no table remembers.
    fn encode_new_word(
        &self,
        text: &[u8],
        start: usize,
        end: usize,
        worker: &mut Worker,
        ids: &mut Vec<TokenId>,
    ) -> Result<()> {
        let piece = &text[start..end];
        if u32::try_from(piece.len()).is_err() {
            let message = format!("a piece of {} bytes is over the limit of 4 GiB", piece.len());
            return Err(Error::Text { message, position: start });
        }
        if let Some(longest) = &self.longest {
            let missing = longest
                .encode(piece, &mut worker.longest, |id, _, _| memory::extend(ids, &[id]))?;
            if let Some(at) = missing {
                return Err(no_token(&piece[at..], start + at));
            }
            worker.cache.insert(text, start, end, false, ids);
            return Ok(());
        }
        let vocab = &self.model.vocab;
        let merge = |from: usize, to: usize, worker: &mut Worker, ids: &mut Vec<TokenId>| {
            let (whole, known) = (to == end, ids.len());
            let missing =
                self.merger.encode_word(vocab, &text[from..to], whole, &mut worker.merged, ids)?;
            if let Some(at) = missing {
                return Err(no_token(&text[from + at..to], from + at));
            }
            interrupt::worked(to - from)?;
            worker.cache.insert(text, from, to, !whole, &ids[known..]);
            Ok(())
        };
        if piece.len() <= LONGEST_SHORT || self.unk_merges {
            return merge(start, end, worker, ids);
        }
        self.joins().each_part(piece, |from, to| {
            let (from, to) = (start + from, start + to);
            if self.recall(text, (from, to), to < end, worker, ids)? {
                return Ok(());
            }
            merge(from, to, worker, ids)
        })?;
        worker.cache.insert(text, start, end, false, ids);
        Ok(())
    }

    /// Calls `each` with every id of a text and its place there. The mark has no width, and unk that
    /// of one character, or of all that no token covers.
    pub(in crate::tokenizer) fn locate_words(
        &self,
        text: &[u8],
        mut each: impl FnMut(TokenId, usize, usize) -> Result<()>,
    ) -> Result<()> {
        if let Some(longest) = &self.longest {
            let mut scratch = longest::Scratch::default();
            return self.each_word(text, |from, to| {
                let missing = longest.encode(&text[from..to], &mut scratch, |id, a, b| {
                    each(id, from + a, from + b)
                })?;
                missing.map_or(Ok(true), |at| Err(no_token(&text[from + at..to], from + at)))
            });
        }
        let start = &self.model.start;
        let mut ids = Vec::new();
        self.each_word(text, |from, to| {
            ids.clear();
            self.with_worker(|worker| self.encode_word(text, from, to, worker, &mut ids))?;
            let (mut at, last) = (from, ids.len().saturating_sub(1));
            for (i, &id) in ids.iter().enumerate() {
                let unit = || start.units.of(&text[at..to]).next().unwrap_or_default();
                let unknown = start.unk == Some(id) && self.model.vocab.id_of(unit()) != Some(id);
                let end = match i {
                    _ if i == last => to,
                    _ if unknown => at + unit().len(),
                    _ => to.min(at + self.model.token_bytes(id).map_or(0, <[u8]>::len)),
                };
                each(id, at, end)?;
                at = end;
            }
            Ok(true)
        })
    }

    /// The error about a character without a token, with its place in the text that the caller gave;
    /// any other error as it is.
    pub(in crate::tokenizer) fn with_position(
        &self,
        error: Error,
        texts: &[&[u8]],
        finders: &Finders,
    ) -> Error {
        if self.plain || self.words.is_some() || !matches!(error, Error::Text { .. }) {
            return error;
        }
        texts.iter().find_map(|text| self.first_unknown(text, finders).err()).unwrap_or(error)
    }

    /// An error if a character of the text has no token.
    fn first_unknown(&self, text: &[u8], finders: &Finders) -> Result<()> {
        let (mut tokens, mut scratch) = (Vec::new(), longest::Scratch::default());
        finders.raw.split(text, |span| {
            if span.special.is_some() {
                return Ok(());
            }
            let (normal, map) = self.model.normalizer.apply_mapped(&text[span.start..span.end])?;
            finders.normal.split(&normal, |part| {
                if part.special.is_some() {
                    return Ok(());
                }
                let part_text = &normal[part.start..part.end];
                self.each_word(part_text, |from, to| {
                    let word = &part_text[from..to];
                    let missing = match &self.longest {
                        Some(longest) => longest.encode(word, &mut scratch, |_, _, _| Ok(()))?,
                        None => {
                            self.merger.first_tokens(&self.model.vocab, word, true, &mut tokens)?
                        }
                    };
                    missing.map_or(Ok(true), |at| {
                        let position = span.start + map.start(part.start + from + at);
                        Err(no_token(&part_text[from + at..to], position))
                    })
                })
            })
        })
    }
}

/// The error about the first character of `text`.
fn no_token(text: &[u8], position: usize) -> Error {
    let unit = crate::model::Units::Characters.of(text).next().unwrap_or_default();
    let what = match std::str::from_utf8(unit) {
        Ok(character) => format!("the character {character:?}"),
        Err(_) => format!("byte 0x{:02X}", unit[0]),
    };
    let message = format!("the model has no token for {what}, and no unk token");
    Error::Text { message, position }
}

#[cfg(test)]
mod tests;

/*!
Models whose pieces do not start as plain bytes: characters, end-of-word marks, unknown tokens; and models that
cut pieces into the longest tokens.

The path is that of bytes with fewer shortcuts. A piece is looked up in the cache. A miss is cut where no token
can span, each part is looked up in turn, and what is still missing is merged. A part that does not end its
piece has no mark, so the cache keeps it apart from the same bytes as a whole piece.

```text
ENCODE  "low  lower"  ->  low | lower          white space is skipped where there is a mark
                      ->  low</w>   low er</w>
DECODE  low</w> low er</w>  ->  "low lower"    the mark is a space, but not at the very end
```
*/

use super::misses::check_length;
use super::{Finders, Path, Plan, Scratch, Sink};
use crate::cache::LONGEST_SHORT;
use crate::error::{Error, Result};
use crate::types::TokenId;
use crate::{interrupt, memory};

impl Plan {
    /// Encodes a text that only has to be cut and merged.
    pub(super) fn encode_words(
        &self,
        text: &[u8],
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) -> Result<()> {
        self.each_word(text, |start, end| {
            self.encode_word(text, start, end, scratch, sink)?;
            Ok(!sink.is_full())
        })
    }

    /// The piece `text[start..end]`.
    fn encode_word(
        &self,
        text: &[u8],
        start: usize,
        end: usize,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) -> Result<()> {
        if !self.recall(text, (start, end), false, scratch, sink)? {
            let mut ids = std::mem::take(&mut scratch.ids);
            ids.clear();
            self.encode_new_word(text, start, end, scratch, &mut ids)?;
            sink.many(&ids)?;
            scratch.ids = ids;
        }
        Ok(())
    }

    /// Calls `each` with the place of every piece that has tokens, as long as it says so.
    fn each_word(
        &self,
        text: &[u8],
        mut each: impl FnMut(usize, usize) -> Result<bool>,
    ) -> Result<()> {
        let skips = |start: usize, end: usize| self.model.start.skips(&text[start..end]);
        self.each_piece(text, |start, end| Ok(skips(start, end) || each(start, end)?))
    }

    /// Gives the ids of a piece to `sink` if the cache has them. `part`: it does not end its piece.
    fn recall(
        &self,
        text: &[u8],
        (start, end): (usize, usize),
        part: bool,
        scratch: &Scratch,
        sink: &mut impl Sink,
    ) -> Result<bool> {
        let mut taken = Ok(());
        let known = scratch.cache.recall(text, start, end, part, |ids| taken = sink.many(ids));
        taken.map(|()| known)
    }

    /// Appends the ids of a cache miss.
    fn encode_new_word(
        &self,
        text: &[u8],
        start: usize,
        end: usize,
        scratch: &mut Scratch,
        ids: &mut Vec<TokenId>,
    ) -> Result<()> {
        let piece = &text[start..end];
        check_length(piece, start)?;
        if let Path::Longest(longest) = &self.path {
            let missing = longest
                .encode(piece, &mut scratch.longest, |id, _, _| memory::extend(ids, &[id]))?;
            if let Some(at) = missing {
                return Err(no_token(&piece[at..], start + at));
            }
            scratch.cache.insert(text, start, end, false, ids);
            return Ok(());
        }
        let vocab = &self.model.vocab;
        let merge = |from: usize, to: usize, scratch: &mut Scratch, ids: &mut Vec<TokenId>| {
            let (whole, known) = (to == end, ids.len());
            let missing =
                self.merger.encode_word(vocab, &text[from..to], whole, &mut scratch.merged, ids)?;
            if let Some(at) = missing {
                return Err(no_token(&text[from + at..to], from + at));
            }
            interrupt::worked(to - from)?;
            scratch.cache.insert(text, from, to, !whole, &ids[known..]);
            Ok(())
        };
        if piece.len() <= LONGEST_SHORT || self.unk_merges {
            return merge(start, end, scratch, ids);
        }
        self.joins().each_part(piece, |from, to| {
            let (from, to) = (start + from, start + to);
            if self.recall(text, (from, to), to < end, scratch, ids)? {
                return Ok(());
            }
            merge(from, to, scratch, ids)
        })?;
        scratch.cache.insert(text, start, end, false, ids);
        Ok(())
    }

    /// Calls `each` with every id of a text, its place there and the number of its word; returns how many words
    /// there are. The mark has no width; the unk token has that of one character, or of all characters that no
    /// token covers.
    pub(super) fn locate_words(
        &self,
        text: &[u8],
        scratch: &mut Scratch,
        mut each: impl FnMut(TokenId, (usize, usize), usize) -> Result<()>,
    ) -> Result<usize> {
        let mut number = 0;
        if let Path::Longest(longest) = &self.path {
            self.each_word(text, |from, to| {
                let missing =
                    longest.encode(&text[from..to], &mut scratch.longest, |id, a, b| {
                        each(id, (from + a, from + b), number)
                    })?;
                number += 1;
                missing.map_or(Ok(true), |at| Err(no_token(&text[from + at..to], from + at)))
            })?;
            return Ok(number);
        }
        let start = &self.model.start;
        let mut ids = Vec::new();
        self.each_word(text, |from, to| {
            ids.clear();
            self.encode_word(text, from, to, scratch, &mut ids)?;
            let (mut at, last) = (from, ids.len().saturating_sub(1));
            for (i, &id) in ids.iter().enumerate() {
                let unit = || start.units.of(&text[at..to]).next().unwrap_or_default();
                let unknown = start.unk == Some(id) && self.model.vocab.id_of(unit()) != Some(id);
                let end = match i {
                    _ if i == last => to,
                    _ if unknown => at + unit().len(),
                    _ => to.min(at + self.model.token_bytes(id).map_or(0, <[u8]>::len)),
                };
                each(id, (at, end), number)?;
                at = end;
            }
            number += 1;
            Ok(true)
        })?;
        Ok(number)
    }

    /// The error about a character without a token, with its place in the text that the caller gave;
    /// any other error as it is.
    pub(crate) fn with_position(&self, error: Error, texts: &[&[u8]], finders: &Finders) -> Error {
        let is_exact = matches!(self.path, Path::Bytes | Path::Words(_) | Path::Chain { .. });
        if is_exact || !matches!(error, Error::Text { .. }) {
            return error;
        }
        let mut scratch = Scratch::new(0);
        let mut refused =
            |text: &&[u8]| self.encode_offsets(text, finders, None, &mut scratch).err();
        texts.iter().find_map(&mut refused).unwrap_or(error)
    }
}

/// The error about the first character of `text`.
pub(super) fn no_token(text: &[u8], position: usize) -> Error {
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

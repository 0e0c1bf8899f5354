/*!
Short documents in a row that is cut as one text.

Where the two characters at a place decide whether a piece ends there (SentencePiece's models), the pieces of a row of
documents are those of each document, with a cut between any two of them:

```text
documents   the cat | on mats             the space before a document is put there
row         ␣the␣cat␣on␣mats
pieces      ␣the | ␣cat | ␣on | ␣mats     the row is cut as one text; a document also ends where no piece does
```

So blocks of 64 bytes go on from one document to the next, two parts of a row are cut side by side, and added tokens
are searched for once. A row that has one, or something else that is spelled otherwise in the tables, is encoded
document by document.

Measured 2026-11-18 on a busy machine, AVX-512, engine alone, medians of three runs in turn: lines of English by
Mistral's vocabulary at 440 MB/s in place of 320, met for the first time at 240 in place of 180.
*/

use super::metaspace::has_no_mark;
use super::packed::{LARGE, Packed};
use super::{Finders, Plan, Ragged, Scratch};
use crate::error::Result;
use crate::interrupt;
use crate::utf8::Characters;

/// A row of this many bytes or more is encoded: enough for two sections, few enough for the first-level cache.
const ROW: usize = 10 << 10;

impl Plan {
    /// Appends the ids of documents. False if one of them has a code unit that is no character.
    pub(super) fn pack_joined<'a>(
        &self,
        texts: impl Iterator<Item = Characters<'a>>,
        finders: &Finders,
        packed: &mut Packed,
        scratch: &mut Scratch,
        part: &mut Ragged,
    ) -> Result<bool> {
        let prefix = self.spaced();
        let mut texts = texts.peekable();
        while let Some(text) = texts.next() {
            if let Some(next) = texts.peek() {
                next.prefetch();
            }
            let large = text.len() >= LARGE;
            if large || packed.text.len() >= ROW {
                self.encode_joined(packed, finders, scratch, part)?;
            }
            if large {
                let Ok(text) = text.utf8() else { return Ok(false) };
                self.encode_document(&text, finders, scratch, part)?;
                continue;
            }
            let mut start = packed.text.len();
            if let Some(prefix) = prefix {
                packed.text.push(b' ');
                start += 1;
                if text.append_to(&mut packed.text).is_err() {
                    return Ok(false);
                }
                if !prefix.stands_before_all(&packed.text[start..]) {
                    start -= 1;
                    packed.text.remove(start);
                }
            } else if text.append_to(&mut packed.text).is_err() {
                return Ok(false);
            }
            packed.starts.push(start);
            packed.documents.push(packed.text.len());
        }
        self.encode_joined(packed, finders, scratch, part)?;
        Ok(true)
    }

    /// Encodes the row, and empties it.
    fn encode_joined(
        &self,
        packed: &mut Packed,
        finders: &Finders,
        scratch: &mut Scratch,
        part: &mut Ragged,
    ) -> Result<()> {
        if self.is_one_text(packed, finders) {
            self.encode_one_text(packed, scratch, part)?;
        } else {
            let documents = packed.starts.iter().zip(&packed.documents);
            documents.clone().try_for_each(|(&start, &end)| {
                self.encode_document(&packed.text[start..end], finders, scratch, part)
            })?;
        }
        packed.clear();
        Ok(())
    }

    /// Whether nothing in the row is special, and all of it is spelled as the tables are.
    fn is_one_text(&self, Packed { text, starts, .. }: &Packed, finders: &Finders) -> bool {
        if self.has_added(text, finders) {
            return false;
        }
        text.is_ascii()
            || simdutf8::basic::from_utf8(text).is_ok_and(|text| {
                starts.iter().all(|&start| text.is_char_boundary(start))
                    && (self.spaced().is_none() || has_no_mark(text.as_bytes()))
            })
    }

    fn encode_one_text(
        &self,
        packed: &mut Packed,
        scratch: &mut Scratch,
        part: &mut Ragged,
    ) -> Result<()> {
        let base = part.ids.len();
        let Packed { text, ends, documents, .. } = packed;
        scratch.document_ends.clear();
        scratch.flushed = 0;
        let mut cursor = self.splitter.cursor(text)?;
        let mut found = std::mem::take(&mut scratch.ends);
        let (mut start, mut rest) = (0, &documents[..]);
        loop {
            let batch = cursor.next_batch(&mut found);
            let Some(&last) = batch.last() else { break };
            let (now, later) = rest.split_at(rest.partition_point(|&end| end <= last));
            let batch = end_documents(batch, start, now, ends);
            self.encode_batch_of_pieces(text, start, batch, now, scratch, &mut part.ids)?;
            interrupt::worked(last - start)?;
            (start, rest) = (last, later);
        }
        scratch.ends = found;
        self.flush(text, scratch, &mut part.ids)?;
        // Documents without a piece, where there is no other.
        scratch.document_ends.extend(rest.iter().map(|_| 0));
        part.bounds.extend(scratch.document_ends.iter().map(|end| (base + end) as u64));
        Ok(())
    }

    /// Appends the ids of one document.
    fn encode_document(
        &self,
        text: &[u8],
        finders: &Finders,
        scratch: &mut Scratch,
        part: &mut Ragged,
    ) -> Result<()> {
        self.encode_text(text, finders, scratch, &mut part.ids)?;
        part.bounds.push(part.ids.len() as u64);
        Ok(())
    }
}

/// The ends of pieces, the first from `start` on, that are cut where documents end: `ends` as they are, or a copy in
/// `room`.
fn end_documents<'a>(
    ends: &'a [usize],
    start: usize,
    documents: &[usize],
    room: &'a mut Vec<usize>,
) -> &'a [usize] {
    room.clear();
    let mut copied = 0;
    for &document in documents {
        let at = copied + ends[copied..].partition_point(|&end| end < document);
        // An empty document may end where the pieces before these do.
        if document > start && ends.get(at) != Some(&document) && room.last() != Some(&document) {
            room.extend_from_slice(&ends[copied..at]);
            room.push(document);
            copied = at;
        }
    }
    if room.is_empty() {
        return ends;
    }
    room.extend_from_slice(&ends[copied..]);
    room
}

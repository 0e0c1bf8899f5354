/*!
Short documents in a row.

A document of some hundred bytes has fewer pieces than a batch, so its look-ups would be over before the
cache lines that they ask for are there. Documents are therefore put one behind the other, and a batch of
pieces goes on from one to the next:

```text
text        Hello world.Good night!          two documents
ends             5     11 12  16    22 23    of their pieces: each is cut by itself
documents                 12           23
```

No piece knows of another document. A text that Python does not keep as UTF-8 is converted right here.
*/

use super::Worker;
use crate::error::Result;
use crate::interrupt;
use crate::pretok::BATCH;
use crate::tokenizer::{Held, Ragged, Tokenizer};

/// A document of so many characters is encoded by itself.
const LARGE: usize = 1 << 12;

/// Documents in a row.
#[derive(Debug, Default)]
pub(super) struct Joined {
    text: Vec<u8>,
    /// The ends of all pieces, and of the documents.
    ends: Vec<usize>,
    documents: Vec<usize>,
}

impl Joined {
    fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        self.documents.clear();
    }
}

impl Tokenizer {
    /// The ids of documents that only need to be cut and merged; false if a unit is no character.
    pub(in crate::tokenizer) fn encode_joined(
        &self,
        texts: &[impl Held],
        worker: &mut Worker,
        part: &mut Ragged,
    ) -> Result<bool> {
        let mut joined = std::mem::take(&mut worker.joined);
        let done = self.join(texts, &mut joined, worker, part);
        joined.clear();
        worker.joined = joined;
        done.inspect_err(|_| worker.forget())
    }

    fn join(
        &self,
        texts: &[impl Held],
        joined: &mut Joined,
        worker: &mut Worker,
        part: &mut Ragged,
    ) -> Result<bool> {
        for (number, text) in texts.iter().enumerate() {
            // PERF: a document is far from the one before, and was not read for long.
            if let Some(next) = texts.get(number + 1) {
                next.characters().prefetch();
            }
            let text = text.characters();
            let large = text.len() >= LARGE;
            if large || joined.ends.len() >= BATCH {
                self.encode_row(joined, worker, part)?;
            }
            if large {
                let Ok(text) = text.utf8() else { return Ok(false) };
                self.encode_ordinary(&text, worker, &mut part.ids)?;
                part.offsets.push(part.ids.len() as u64);
                continue;
            }
            let start = joined.text.len();
            if text.append_to(&mut joined.text).is_err() {
                return Ok(false);
            }
            self.splitter.append_ends(&joined.text, start, &mut joined.ends)?;
            joined.documents.push(joined.text.len());
        }
        self.encode_row(joined, worker, part)?;
        Ok(true)
    }

    /// Encodes the documents that are there, and forgets them.
    fn encode_row(
        &self,
        joined: &mut Joined,
        worker: &mut Worker,
        part: &mut Ragged,
    ) -> Result<()> {
        let base = part.ids.len();
        let Joined { text, ends, documents, .. } = &*joined;
        worker.document_ends.clear();
        worker.taken = 0;
        self.encode_batch_of_pieces(text, 0, ends, documents, worker, &mut part.ids)?;
        self.hand_over(text, worker, &mut part.ids)?;
        interrupt::worked(text.len())?;
        if ends.is_empty() {
            worker.document_ends.extend(documents.iter().map(|_| 0));
        }
        part.offsets.extend(worker.document_ends.iter().map(|end| (base + end) as u64));
        joined.clear();
        Ok(())
    }
}

/*!
BPE with superwords: words are found, cut and cached as ever, and then merged over their ends.

```text
text      In 1984 one of the few         the pattern of the model:  In␣ | 198 | 4 | ␣one of the few
words     In . ␣ . 198 . 4 . ␣one . ␣of . ␣the . ␣few               cut where no early token spans two classes
ids       In . ␣ . 198 . 4 . ␣one . ␣of␣the . ␣few                  merged within pieces of the pattern
```

The early merges of the model are those before the first over the end of a word (`bpe::Seams` says why that is enough).
With them alone a piece may be cut where classes of characters show that no early token spans (`pretok::ClassPairs`),
so its words go the way of byte-level BPE: cache, batches, misses side by side. The tokens of a piece's words are then
merged by all merges.

Why not cache whole pieces: a sentence does not recur. Why not cut them by the two characters at a place, as
`bpe::Joins` does: some superword spans nearly every two letters with a space between.
*/

use std::sync::Arc;

use super::plan::{Path, Plan};
use super::{Scratch, Sink};
use crate::bpe::{HeapScratch, Merger, Seams};
use crate::error::Result;
use crate::interrupt;
use crate::model::{Merges, Model, Named, Pattern};
use crate::pretok::{ClassPairs, Splitter};
use crate::types::TokenId;
use crate::vocab::Vocab;

/// How the words of a model with superwords are encoded, and what merges them.
#[derive(Debug)]
pub(crate) struct Superwords {
    /// The early merges, with a cut where no early token spans two classes.
    words: Plan,
    seams: Seams,
}

/// Buffers that are kept between calls.
#[derive(Debug, Default)]
pub(super) struct SuperwordScratch {
    /// The ends of the pieces of a batch.
    pieces: Vec<usize>,
    /// The ends of their words, at first without those of the pieces.
    cuts: Vec<usize>,
    ends: Vec<usize>,
    /// The ids of the words, and of what they merge to.
    words: Vec<TokenId>,
    ids: Vec<TokenId>,
    long: HeapScratch,
}

impl Superwords {
    /// None if the model has no superwords, or words cannot be told from them by rank.
    pub(super) fn of(model: &Model, cache_bytes: usize) -> Result<Option<Superwords>> {
        let Some(seams) = Seams::of(model).filter(|_| !model.ignore_merges) else {
            return Ok(None);
        };
        let (merges, tokens) = seams.early(model);
        let pairs = ClassPairs::of(tokens.iter().map(|(_, token)| *token));
        let merges = Merges::Listed(merges.to_vec());
        let vocab = Vocab::new(tokens)?;
        let early = Model::new(vocab, merges, Pattern::Named(Named::None), Vec::new());
        let merger = Merger::new(&early)?;
        let splitter = Splitter::by_classes(pairs)?;
        let words = Plan::with_parts(Arc::new(early), Path::Bytes, merger, splitter, cache_bytes)?;
        Ok(Some(Superwords { words, seams }))
    }
}

impl Plan {
    /// Encodes a text that only has to be cut and merged, first to words.
    pub(super) fn encode_superwords(
        &self,
        superwords: &Superwords,
        text: &[u8],
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) -> Result<()> {
        let mut buffers = std::mem::take(&mut scratch.superwords);
        let done = self.merge_batches(superwords, text, &mut buffers, scratch, sink);
        scratch.superwords = buffers;
        done
    }

    fn merge_batches(
        &self,
        Superwords { words, seams }: &Superwords,
        text: &[u8],
        buffers: &mut SuperwordScratch,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) -> Result<()> {
        let mut cursor = self.splitter.cursor(text)?;
        let SuperwordScratch { pieces, cuts, ends, words: word_ids, ids, long } = buffers;
        let mut start = 0;
        loop {
            let pieces = cursor.next_batch(pieces);
            let Some(&last) = pieces.last() else { return Ok(()) };
            cuts.clear();
            words.splitter.append_ends(&text[..last], start, cuts)?;
            both(pieces, cuts, ends);
            scratch.document_ends.clear();
            scratch.flushed = 0;
            word_ids.clear();
            words.encode_batch_of_pieces(text, start, ends, pieces, scratch, word_ids)?;
            words.flush(text, scratch, word_ids)?;
            ids.clear();
            let mut from = 0;
            for &to in &scratch.document_ends {
                self.merger.merge_words(&word_ids[from..to], seams, long, ids)?;
                from = to;
            }
            sink.many(ids)?;
            interrupt::worked(last - start)?;
            start = last;
            if sink.is_full() {
                return Ok(());
            }
        }
    }
}

/// Both of two sorted lists that end alike, each place once.
fn both(pieces: &[usize], cuts: &[usize], ends: &mut Vec<usize>) {
    ends.clear();
    let mut cuts = cuts.iter().copied().peekable();
    for &piece in pieces {
        while let Some(cut) = cuts.next_if(|&cut| cut <= piece) {
            if cut < piece {
                ends.push(cut);
            }
        }
        ends.push(piece);
    }
}

#[cfg(test)]
mod tests;

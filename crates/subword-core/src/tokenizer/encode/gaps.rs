/*!
What the near tables did not know: merged side by side, remembered, and put where it belongs.

Known ids stand in a row, and a gap says after how many of them something is missing:

```text
known   the . cat . on . mat          gaps  2: sprawled       ->   the . cat . spr . awled . on . mat
```

A batch of English has three gaps or so, too few to merge side by side, so batches wait until there are
some more.
*/

use super::enter::Place;
use super::{Sink, Worker};
use crate::bpe::LONGEST_SHORT as LONGEST_WORD;
use crate::error::{Error, Result};
use crate::memory;
use crate::tokenizer::Tokenizer;
use crate::types::TokenId;

/// So many gaps are enough to be filled.
const ENOUGH: usize = 16;

/// So many ids wait at most for gaps to come: they should stay in the nearest cache.
const MOST_HELD: usize = 1 << 11;

/// How many ids are copied at a time, and written too much.
pub(super) const WIDE: usize = 16;

/// A piece or segment that is not in the near tables.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gap {
    /// How many ids are known before it.
    known: usize,
    place: Place,
    /// Its ids, if the table of long pieces has it.
    remembered: (usize, usize),
}

impl Gap {
    #[inline(always)]
    pub(super) fn new(known: usize, place: Place) -> Gap {
        Gap { known, place, remembered: (0, 0) }
    }
}

/// The end of a document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    /// How many ids are known before it, and how many gaps there are.
    pub(super) known: usize,
    pub(super) gaps: usize,
}

/// Whether what was found should be handed over now.
#[inline(always)]
pub(super) fn is_time(held: usize, gaps: &[Gap]) -> bool {
    gaps.is_empty() || gaps.len() >= ENOUGH || held >= MOST_HELD
}

impl Tokenizer {
    /// Hands over all ids that wait, with what belongs into the gaps between them.
    pub(super) fn hand_over(
        &self,
        text: &[u8],
        worker: &mut Worker,
        sink: &mut impl Sink,
    ) -> Result<()> {
        let mut count = std::mem::take(&mut worker.held);
        if worker.gaps.is_empty() {
            sink.many(&worker.known[..count])?;
        } else {
            count = self.fill_gaps(text, count, worker)?;
            sink.many(&worker.filled[..count])?;
        }
        let Worker { taken, marks, document_ends, .. } = worker;
        document_ends.extend(marks.drain(..).map(|mark| *taken + mark.known));
        *taken += count;
        Ok(())
    }

    /// Fills the gaps between the first `held` known ids, and says how many ids there are then.
    #[cold]
    #[inline(never)]
    fn fill_gaps(&self, text: &[u8], held: usize, worker: &mut Worker) -> Result<usize> {
        self.merge_gaps(text, worker)?;
        let Worker { cache, known, gaps, filled, marks, places, merged, remembered, ids, .. } =
            worker;
        let most = held + remembered.len() + merged.count() + WIDE;
        memory::fill_up(filled, most, 0)?;
        let mut marks = marks.iter_mut().peekable();
        // How many known ids are taken, how many places are done, and how many ids are written.
        let (mut from, mut place, mut to) = (0, 0, 0);
        for (number, gap) in gaps.drain(..).enumerate() {
            while let Some(mark) = marks.next_if(|mark| mark.gaps <= number) {
                mark.known += to - from;
            }
            copy_wide(&known[from..], gap.known - from, &mut filled[to..]);
            to += gap.known - from;
            from = gap.known;
            let Place { start, end, part } = gap.place;
            let (first, last) = gap.remembered;
            if first < last {
                filled[to..][..last - first].copy_from_slice(&remembered[first..last]);
                to += last - first;
                continue;
            }
            let mut new = merged.ids_of(place);
            place += 1;
            if places[place - 1].1 < end {
                // A piece in several parts.
                ids.clear();
                ids.extend_from_slice(new);
                while places.get(place).is_some_and(|&(_, last)| last <= end) {
                    ids.extend_from_slice(merged.ids_of(place));
                    place += 1;
                }
                new = ids;
            }
            let whole = self.merger.whole(&self.model.vocab, &text[start..end]);
            if let Some(id) = whole.filter(|_| !part) {
                ids.clear();
                ids.push(id);
                new = ids;
            }
            cache.insert(text, start, end, part, new);
            filled[to..][..new.len()].copy_from_slice(new);
            to += new.len();
        }
        marks.for_each(|mark| mark.known += to - from);
        copy_wide(&known[from..], held - from, &mut filled[to..]);
        Ok(to + held - from)
    }

    /// Merges what belongs into the gaps, unless the table of long pieces has it.
    fn merge_gaps(&self, text: &[u8], worker: &mut Worker) -> Result<()> {
        let Worker { cache, gaps, places, merged, remembered, .. } = worker;
        places.clear();
        remembered.clear();
        for gap in gaps.iter_mut() {
            let Place { start, end, part } = gap.place;
            let piece = &text[start..end];
            if let Some(ids) = cache.long(piece, part) {
                let first = remembered.len();
                memory::extend(remembered, ids)?;
                gap.remembered = (first, remembered.len());
            } else if piece.len() <= LONGEST_WORD {
                places.push((start, end));
            } else if u32::try_from(piece.len()).is_ok() {
                self.joins().each_part(piece, |from, to| {
                    memory::reserve(places, 1)?;
                    places.push((start + from, start + to));
                    Ok(())
                })?;
            } else {
                let message =
                    format!("a piece of {} bytes is over the limit of 4 GiB", end - start);
                return Err(Error::Text { message, position: start });
            }
        }
        self.merger.merge(&self.model.vocab, text, places, merged)
    }
}

/// Copies the first `count` ids, and some more if there are any.
///
/// PERF: how many there are cannot be predicted, and a call that asks would take longer than to copy.
#[inline(always)]
fn copy_wide(from: &[TokenId], count: usize, to: &mut [TokenId]) {
    let wide = count.next_multiple_of(WIDE);
    if let (Some(from), Some(to)) = (from.get(..wide), to.get_mut(..wide)) {
        for (from, to) in from.chunks_exact(WIDE).zip(to.chunks_exact_mut(WIDE)) {
            to.copy_from_slice(from);
        }
    } else {
        to[..count].copy_from_slice(&from[..count]);
    }
}

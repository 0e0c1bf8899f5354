/*!
Cache misses: merged side by side, inserted into the cache, and put between the hits.

The ids of hits stand in a row, and a miss says after how many of them it belongs:

```text
hits     the . cat . on . mat          misses  2: sprawled       ->   the . cat . spr . awled . on . mat
```

A batch of English has about three misses, too few to merge side by side, so batches wait until there are some
more.
*/

use super::{Plan, Scratch, Sink};
use crate::bpe::LONGEST_SHORT as LONGEST_WORD;
use crate::cache::Segment;
use crate::error::{Error, Result};
use crate::memory;
use crate::types::TokenId;

/// This many misses are worth merging.
const ENOUGH: usize = 16;

/// The most ids that wait for more misses: they should stay in the first-level cache.
const MOST_HELD: usize = 1 << 11;

/// How many ids are copied at a time. Up to this many may be written beyond those that count.
pub(super) const WIDE: usize = 16;

/// A piece or segment that the tables of short and middle-sized pieces do not have.
#[derive(Debug, Clone, Copy)]
pub(super) struct Miss {
    /// How many ids of hits come before it.
    hits: usize,
    segment: Segment,
    /// The bounds of its ids among the hits of the table of long pieces, if it is there. Of white space there may be none.
    long_hit: Option<(usize, usize)>,
    /// The token that the whole piece is, whatever the merges say.
    whole: Option<TokenId>,
}

impl Miss {
    #[inline(always)]
    pub(super) fn new(hits: usize, segment: Segment) -> Miss {
        Miss { hits, segment, long_hit: None, whole: None }
    }
}

/// The end of a packed document.
#[derive(Debug, Clone, Copy)]
pub(super) struct DocumentMark {
    /// How many ids of hits come before it.
    pub(super) hits: usize,
    /// How many misses come before it.
    pub(super) misses: usize,
}

/// Whether the hits should go to the sink now.
#[inline(always)]
pub(super) fn should_flush(held: usize, misses: &[Miss]) -> bool {
    misses.is_empty() || misses.len() >= ENOUGH || held >= MOST_HELD
}

impl Plan {
    /// Gives all hits to the sink, with the ids of the misses between them.
    pub(super) fn flush(
        &self,
        text: &[u8],
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) -> Result<()> {
        let mut count = std::mem::take(&mut scratch.held);
        if scratch.misses.is_empty() {
            sink.many(&scratch.hits[..count])?;
        } else {
            count = self.fill_misses(text, count, scratch)?;
            sink.many(&scratch.complete[..count])?;
        }
        let Scratch { flushed, document_marks, document_ends, .. } = scratch;
        document_ends.extend(document_marks.drain(..).map(|mark| *flushed + mark.hits));
        *flushed += count;
        Ok(())
    }

    /// Puts the ids of the misses between the first `held` hits; returns how many ids there are then.
    #[cold]
    #[inline(never)]
    fn fill_misses(&self, text: &[u8], held: usize, scratch: &mut Scratch) -> Result<usize> {
        self.merge_misses(text, scratch)?;
        let Scratch {
            cache,
            hits,
            misses,
            complete,
            document_marks,
            unmerged,
            merged,
            long_hits,
            ids,
            ..
        } = scratch;
        let most = held + misses.len() + long_hits.len() + merged.count() + WIDE;
        memory::fill_up(complete, most, 0)?;
        let mut document_marks = document_marks.iter_mut().peekable();
        // How many hits are copied, how many of the merged ones are used, and how many ids are written.
        let (mut from, mut place, mut to) = (0, 0, 0);
        for (number, miss) in misses.drain(..).enumerate() {
            while let Some(mark) = document_marks.next_if(|mark| mark.misses <= number) {
                mark.hits += to - from;
            }
            copy_wide(&hits[from..], miss.hits - from, &mut complete[to..]);
            to += miss.hits - from;
            from = miss.hits;
            let Segment { start, end, part } = miss.segment;
            if let Some((first, last)) = miss.long_hit {
                complete[to..][..last - first].copy_from_slice(&long_hits[first..last]);
                to += last - first;
                continue;
            }
            if let Some(id) = miss.whole {
                cache.insert(text, start, end, part, &[id]);
                complete[to] = id;
                to += 1;
                continue;
            }
            let mut new = merged.ids_of(place);
            place += 1;
            if unmerged[place - 1].1 < end {
                // A piece in several parts.
                ids.clear();
                ids.extend_from_slice(new);
                while unmerged.get(place).is_some_and(|&(_, last)| last <= end) {
                    ids.extend_from_slice(merged.ids_of(place));
                    place += 1;
                }
                new = ids;
            }
            cache.insert(text, start, end, part, new);
            complete[to..][..new.len()].copy_from_slice(new);
            to += new.len();
        }
        document_marks.for_each(|mark| mark.hits += to - from);
        copy_wide(&hits[from..], held - from, &mut complete[to..]);
        Ok(to + held - from)
    }

    /// Merges the misses, unless the table of long pieces has them.
    fn merge_misses(&self, text: &[u8], scratch: &mut Scratch) -> Result<()> {
        let Scratch { cache, misses, unmerged, merged, long_hits, .. } = scratch;
        let raw_words = self.raw_words().is_some();
        unmerged.clear();
        long_hits.clear();
        for miss in misses.iter_mut() {
            let Segment { start, end, part } = miss.segment;
            let piece = &text[start..end];
            if let Some(ids) = cache.long(piece, part) {
                let first = long_hits.len();
                memory::extend(long_hits, ids)?;
                miss.long_hit = Some((first, long_hits.len()));
                continue;
            }
            // PERF: most of the first pieces after loading are tokens, and looking one up is much less than merging it
            // without tables.
            if !part {
                miss.whole = self.merger.whole(&self.model.vocab, piece);
            }
            if miss.whole.is_some() {
                continue;
            }
            if raw_words || piece.len() <= LONGEST_WORD {
                unmerged.push((start, end));
            } else {
                check_length(piece, start)?;
                self.joins().each_part(piece, |from, to| {
                    memory::reserve(unmerged, 1)?;
                    unmerged.push((start + from, start + to));
                    Ok(())
                })?;
            }
        }
        if raw_words {
            return self.encode_raw_words(text, scratch);
        }
        self.merger.merge(&self.model.vocab, text, unmerged, merged)
    }
}

/// An error for a piece whose places do not fit in 32 bits, which starts at `start` of its text.
pub(super) fn check_length(piece: &[u8], start: usize) -> Result<()> {
    if u32::try_from(piece.len()).is_ok() {
        return Ok(());
    }
    let message = format!("a piece of {} bytes is over the limit of 4 GiB", piece.len());
    Err(Error::Text { message, position: start })
}

/// Copies the first `count` ids, and a few after them.
///
/// PERF: `count` cannot be predicted, so copying whole vectors of 16 ids is faster than a call of `memcpy`.
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

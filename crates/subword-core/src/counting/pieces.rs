/*!
The hot loop: a text, normalised, to pieces to a table, in one thread.

Pieces come by the batch, and each batch is done in two passes, so that the cache lines of the second
are on their way while the first goes on:

```text
for each piece    build its key, ask for its cache line
for each piece    find its entry, add one
```
*/

use super::cuts::Cuts;
use crate::counts::{Probe, Spill};
use crate::error::Result;
use crate::pretok::BATCH;
use crate::types::Count;

/// What one thread needs.
pub(super) struct Counter<'c> {
    cuts: &'c Cuts<'c>,
    spill: Spill<'c>,
    ends: Vec<usize>,
    probes: Vec<Probe>,
}

impl<'c> Counter<'c> {
    pub(super) fn new(cuts: &'c Cuts<'c>, spill: Spill<'c>) -> Self {
        let (ends, probes) = (Vec::with_capacity(2 * BATCH), Vec::with_capacity(2 * BATCH));
        Counter { cuts, spill, ends, probes }
    }

    /// Counts the pieces of a text, special tokens cut out before it is normalised.
    pub(super) fn text(&mut self, text: &[u8]) -> Result<()> {
        let cuts = self.cuts;
        if cuts.finder.is_empty() {
            return self.ordinary(text);
        }
        cuts.finder.split(text, |span| match span.special {
            Some(_) => Ok(()),
            None => self.ordinary(&text[span.start..span.end]),
        })
    }

    fn ordinary(&mut self, text: &[u8]) -> Result<()> {
        let Counter { cuts, spill, ends, probes } = self;
        let text = &*cuts.normalizer.apply(text);
        let mut start = 0;
        cuts.splitter.for_each_batch(text, ends, |ends| {
            add(text, start, ends, probes, spill);
            start = ends.last().copied().unwrap_or(start);
            spill.relieve()
        })
    }

    /// Hands in what was counted.
    pub(super) fn finish(self) {
        self.spill.finish();
    }
}

/// Adds the pieces of a batch; the first starts at `first`.
#[inline(always)]
fn add(text: &[u8], first: usize, ends: &[usize], probes: &mut Vec<Probe>, spill: &mut Spill) {
    probes.clear();
    let mut start = first;
    probes.extend(ends.iter().map(|&end| {
        let probe = spill.table.probe(text, start, end);
        start = end;
        probe
    }));
    let mut start = first;
    for (&probe, &end) in probes.iter().zip(ends) {
        spill.table.add(probe, &text[start..end], 1);
        start = end;
    }
    spill.total += ends.len() as Count;
}

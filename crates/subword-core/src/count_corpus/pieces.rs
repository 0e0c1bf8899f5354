/*!
The hot loop of counting, on one thread: a text is normalised, cut into pieces, and each is added to a
table.

Pieces come in batches, and each batch is handled in two passes, so that the cache misses of the second
overlap:

```text
for each piece    build its key, prefetch its cache line
for each piece    find its entry, add one
```
*/

use crate::boundary::Boundary;
use crate::counts::{Probe, Spill};
use crate::error::Result;
use crate::interrupt;
use crate::model::{Normalizer, Pattern, SpecialToken};
use crate::pretok::{BATCH, Splitter};
use crate::special::Finder;
use crate::types::Count;

/// The stages that a text goes through.
#[derive(Debug)]
pub(super) struct Stages {
    normalizer: Normalizer,
    splitter: Splitter,
    finder: Finder,
}

impl Stages {
    pub(super) fn new(
        normalizer: Normalizer,
        pattern: &Pattern,
        special_tokens: &[String],
    ) -> Result<Stages> {
        let special = special_tokens.iter().map(|token| SpecialToken::new(token, 0));
        let (splitter, finder) = (Splitter::new(pattern)?, Finder::new(special)?);
        Ok(Stages { normalizer, splitter, finder })
    }

    /// Where a text may be cut without changing a count.
    pub(super) fn boundary(&self) -> Boundary<'_> {
        Boundary::new(self.normalizer, &self.splitter, &self.finder)
    }
}

/// Counts on one thread.
pub(super) struct PieceCounter<'c> {
    stages: &'c Stages,
    spill: Spill<'c>,
    ends: Vec<usize>,
    probes: Vec<Probe>,
}

impl<'c> PieceCounter<'c> {
    pub(super) fn new(stages: &'c Stages, spill: Spill<'c>) -> Self {
        let (ends, probes) = (Vec::with_capacity(2 * BATCH), Vec::with_capacity(2 * BATCH));
        PieceCounter { stages, spill, ends, probes }
    }

    /// Counts the pieces of a text, special tokens cut out before it is normalised.
    pub(super) fn text(&mut self, text: &[u8]) -> Result<()> {
        let stages = self.stages;
        if stages.finder.is_empty() {
            return self.ordinary(text);
        }
        stages.finder.split(text, |span| match span.special {
            Some(_) => Ok(()),
            None => self.ordinary(&text[span.start..span.end]),
        })
    }

    fn ordinary(&mut self, text: &[u8]) -> Result<()> {
        let PieceCounter { stages, spill, ends, probes } = self;
        let text = &*stages.normalizer.apply_by_blocks(text)?;
        let mut start = 0;
        stages.splitter.for_each_batch(text, ends, |ends| {
            add(text, start, ends, probes, spill);
            let end = ends.last().copied().unwrap_or(start);
            interrupt::worked(std::mem::replace(&mut start, end).abs_diff(end))?;
            spill.relieve()
        })
    }

    /// Hands over what was counted.
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
        let probe = spill.table.prefetch(text, start, end);
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

/*!
Unigram models of the common chain: raw text is cut at white space, and its parts go the way of byte-level BPE.

Batches, keys and cache are those of [`pieces`](super::pieces), over raw bytes. A part that is in no table is
normalised and encoded here, by `chain::RawWords`, which also says why the parts have the ids of the whole.

A part is never cut: the sums of its scores run from its start.
*/

use super::{Plan, Scratch};
use crate::error::Result;
use crate::memory;

impl Plan {
    /// Encodes the parts that are not in the cache.
    pub(super) fn encode_raw_words(&self, text: &[u8], scratch: &mut Scratch) -> Result<()> {
        let Some((runner, words)) = self.raw_words() else { return Ok(()) };
        let Scratch { unmerged, merged, ids, chain, .. } = scratch;
        merged.clear();
        for &(start, end) in unmerged.iter() {
            ids.clear();
            let push = |id| memory::extend(ids, &[id]);
            runner.encode_raw(&self.model, words, &text[start..end], chain, push)?;
            merged.push(ids)?;
        }
        Ok(())
    }
}

/*!
What the caller of a training decides while it runs.

```text
the best pair is l+ow    vetoes("low")?    yes: never merged, and the next best pair is looked at
                                           no:  merged, and `merged` is told; is it enough?
```

A veto is asked for when a pair is about to be merged, and not for every pair that is seen: there are a thousand times
as many. That gives the merges of a training that leaves the pair out from the start, as long as the answer depends on
the token alone.
*/

use super::LearnedMerge;
use crate::error::Result;
use crate::vocab::Vocab;

/// What the caller decides; by default nothing.
pub trait Control {
    /// Whether no merge may make a token, by its bytes.
    fn vetoes(&mut self, _token: &[u8]) -> Result<bool> {
        Ok(false)
    }

    /// Called after each merge; true if it is enough.
    fn merged(&mut self, _merge: &LearnedMerge, _vocab: &Vocab) -> Result<bool> {
        Ok(false)
    }
}

/// Decides nothing.
impl Control for () {}

/*!
A queue of candidates by falling count, for counts that never exceed the best one before (a radix heap).

Candidates lie in buckets by the highest bit in which their count differs from the best one:

```text
best 12 = 1100    bucket 0: 12    1: 13 would be, but is more than the best    2: -    3: 8..11    4: 0..7
```

When bucket 0 is empty, the greatest count of the next bucket becomes the best one, and the candidates of that
bucket move to lower ones. Each candidate moves a few times at most, and always by sequential reads.
*/

use crate::types::Count;

/// The count of a candidate when it was pushed, and its number.
type QueuedCount = (Count, u32);

#[derive(Debug)]
pub(super) struct CountQueue {
    /// The highest count; nothing that is pushed exceeds it.
    best: Count,
    buckets: [Vec<QueuedCount>; 65],
    /// One bit for each bucket that is not empty.
    filled: u128,
    /// A buffer for the bucket that is being distributed.
    moved: Vec<QueuedCount>,
    pub(super) operations: u64,
}

impl CountQueue {
    pub(super) fn new() -> CountQueue {
        CountQueue {
            best: Count::MAX,
            buckets: [const { Vec::new() }; 65],
            filled: 0,
            moved: Vec::new(),
            operations: 0,
        }
    }

    /// Adds a candidate.
    #[inline]
    pub(super) fn push(&mut self, count: Count, candidate: u32) {
        debug_assert!(count <= self.best);
        self.operations += 1;
        self.put((count, candidate));
    }

    #[inline]
    fn put(&mut self, entry: QueuedCount) {
        let bucket = 64 - (entry.0 ^ self.best).leading_zeros();
        self.buckets[bucket as usize].push(entry);
        self.filled |= 1 << bucket;
    }

    /// The highest count, and all candidates that have it, in no order.
    pub(super) fn next_into(&mut self, candidates: &mut Vec<u32>) -> Option<Count> {
        candidates.clear();
        if self.filled == 0 {
            return None;
        }
        let bucket = self.filled.trailing_zeros() as usize;
        self.filled &= !(1 << bucket);
        if bucket > 0 {
            std::mem::swap(&mut self.moved, &mut self.buckets[bucket]);
            let best = self.moved.iter().map(|entry| entry.0).max();
            self.best = best.unwrap_or_default();
            let mut moved = std::mem::take(&mut self.moved);
            moved.drain(..).for_each(|entry| self.put(entry));
            self.moved = moved;
            self.filled &= !1;
        }
        candidates.extend(self.buckets[0].drain(..).map(|entry| entry.1));
        self.operations += candidates.len() as u64;
        Some(self.best)
    }

    /// Removes a candidate that was added with the best count since [`CountQueue::next_into`].
    #[inline]
    pub(super) fn pop_same(&mut self) -> Option<u32> {
        let (_, candidate) = self.buckets[0].pop()?;
        self.operations += 1;
        self.filled &= !u128::from(self.buckets[0].is_empty());
        Some(candidate)
    }

    /// Removes all candidates; the next may have any count.
    pub(super) fn clear(&mut self) {
        self.buckets.iter_mut().for_each(Vec::clear);
        (self.filled, self.best) = (0, Count::MAX);
    }
}

/*!
The loop by count: take the best candidate, check it, merge it, find its new neighbours.

The count of a candidate (`index`) is never too low, so the queue returns it in time. When it is popped, its
places are read: if it has lost some, it is pushed back with its new count. If not, it is the best pair, and
is merged.

A pair that counts less than the threshold `least` is no candidate. When the queue is empty, the threshold is
lowered and all pairs are counted again (`pair_scan`). Pairs only lose places, so no pair below the threshold
has risen above it in the meantime, with one exception: a merge that makes an existing token adds places to
existing pairs. After it, all pairs are counted again, too.
*/

use std::cmp::Ordering;
use std::time::Instant;

use super::cells::TokenCell;
use super::count_queue::CountQueue;
use super::heap;
use super::index::PairIndex;
use super::{Learned, Stop};
use crate::error::Result;
use crate::types::Count;

/// How the threshold of candidates falls.
#[derive(Debug, Clone, Copy)]
pub(super) struct Thresholds {
    /// The first threshold is the highest count divided by this.
    pub(super) first: Count,
    /// Each further threshold is the one before divided by this; at least 2.
    pub(super) next: Count,
}

struct CountLearner<'a, C> {
    index: PairIndex<'a, C>,
    queue: CountQueue,
    /// The threshold: the least count of a candidate.
    least: Count,
}

/// Learns merges.
pub(super) fn learn<C: TokenCell>(
    index: PairIndex<'_, C>,
    thresholds: Thresholds,
    begin: Instant,
) -> Result<Learned> {
    let mut learner = CountLearner { index, queue: CountQueue::new(), least: Count::MAX };
    learner.scan(|highest| highest / thresholds.first)?;
    learner.index.effort.index = begin.elapsed();
    let stop = learner.run(thresholds.next)?;
    learner.index.finish(stop, begin, learner.queue.operations)
}

impl<C: TokenCell> CountLearner<'_, C> {
    fn run(&mut self, part: Count) -> Result<Stop> {
        let (mut level, mut late) = (Vec::new(), Vec::new());
        while !self.index.is_full() {
            if let Some(count) = self.queue.next_into(&mut level) {
                self.sort(&mut level);
                late.clear();
                self.run_level(count, &level, &mut late)?;
            } else if self.least > self.index.floor() {
                let least = self.least / part;
                self.scan(|highest| least.min(highest))?;
            } else {
                return Ok(if self.index.any_pair()? { Stop::MinCount } else { Stop::NoPair });
            }
        }
        Ok(Stop::Full)
    }

    /// Merges all candidates of the highest count: those of `level`, which are sorted, and those that reach this
    /// count in the meantime, which go to the heap `late`.
    fn run_level(&mut self, count: Count, level: &[u32], late: &mut Vec<u32>) -> Result<()> {
        let mut at = 0;
        loop {
            let index = match (level.get(at), late.first()) {
                (None, None) => return Ok(()),
                (Some(&next), None) => next,
                (Some(&next), Some(&other)) if self.is_before(next, other) => next,
                (_, Some(_)) => self.pop(late),
            };
            at += usize::from(level.get(at) == Some(&index));
            if !self.check(index, count)? {
                continue;
            }
            if self.index.is_full() {
                return Ok(());
            }
            if self.index.is_vetoed(self.index.pair(index))? {
                continue;
            }
            if self.merge(index, count)? {
                let least = self.least;
                return self.scan(|_| least);
            }
            while let Some(index) = self.queue.pop_same() {
                let last = late.len();
                late.push(index);
                heap::rise(late, last, |a, b| self.is_before(a, b), |_, _| ());
            }
        }
    }

    /// Removes the first of a heap that is not empty.
    fn pop(&self, late: &mut Vec<u32>) -> u32 {
        let first = late.swap_remove(0);
        heap::sink(late, 0, |a, b| self.is_before(a, b), |_, _| ());
        first
    }

    /// Counts all pairs, and makes candidates of those that reach the threshold `least`.
    fn scan(&mut self, least: impl FnOnce(Count) -> Count) -> Result<()> {
        let CountLearner { index, queue, .. } = self;
        queue.clear();
        self.least = index.scan(least, |count, candidate| queue.push(count, candidate))?;
        Ok(())
    }

    fn sort(&self, level: &mut [u32]) {
        level.sort_unstable_by(|&a, &b| self.index.order(a, b));
    }

    /// Which of two candidates with the same count is merged first: the lesser.
    fn is_before(&self, a: u32, b: u32) -> bool {
        self.index.order(a, b) == Ordering::Less
    }

    /// Whether the candidate still has this count. If not, it is pushed back to the queue.
    fn check(&mut self, candidate: u32, count: Count) -> Result<bool> {
        let Some(sum) = self.index.recount(candidate)? else { return Ok(true) };
        if sum != count {
            self.index.effort.stale_candidates += 1;
            if sum >= self.least {
                self.queue.push(sum, candidate);
            }
        }
        Ok(sum == count)
    }

    /// Merges a candidate; true if its token existed before.
    fn merge(&mut self, candidate: u32, count: Count) -> Result<bool> {
        let CountLearner { index, queue, least } = self;
        let done = index.merge(candidate, count, *least, |count, new| queue.push(count, new))?;
        Ok(done.known)
    }
}

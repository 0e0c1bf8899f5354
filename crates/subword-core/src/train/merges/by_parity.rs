/*!
The loop over several sources: every merge is the best one for the source that is worst off.

```text
tokens / size      en 2.1 / 10   fi 3.9 / 10     fi is worst off: its most frequent pair is merged, in both
                   en 2.1 / 10   fi 3.5 / 10     fi again
```

A source is worst off that has the most tokens for its size, which is the number of its bytes or whatever the caller
says; of equals the first. Its pair with the highest count there is merged everywhere, ties as ever. A source
without a pair that counts `min_count` there is passed over. This is parity-aware BPE (arXiv 2508.04796).

All sources are in one array (`cells`), one after the other, and a candidate has its places in all of them. Whatever
counts enough in one source counts enough in all together, so the candidates are those of `by_count`, and its
thresholds hold. Each source has a queue of its own with the counts in that source.
*/

use std::cmp::Ordering;
use std::time::Instant;

use super::by_count::Thresholds;
use super::cells::TokenCell;
use super::count_queue::CountQueue;
use super::heap;
use super::index::{Candidate, PairIndex};
use super::{Learned, MergeRules, Stop, TrainingWords};
use crate::error::Result;
use crate::types::Count;

/// A source: how long it is, and its candidates.
#[derive(Debug)]
pub(super) struct Source {
    /// How many tokens it has.
    tokens: Count,
    /// What they are divided by.
    size: u64,
    /// The candidates that count at least the threshold in this source.
    queue: CountQueue,
    /// The candidates of the highest count, the first of them first (`heap`).
    level: Vec<u32>,
    /// That count.
    count: Count,
    /// Whether it has no pair to merge.
    done: bool,
}

/// The sources of a training, if the rules tell them apart.
pub(super) fn sources(words: &TrainingWords, rules: &MergeRules) -> Vec<Source> {
    let tokens = |(piece, count): (usize, &Count)| {
        let start = piece.checked_sub(1).map_or(0, |before| words.ends[before]);
        Count::from(words.ends[piece] - start) * count
    };
    let all = words.sources().into_iter().zip(&rules.sizes).map(|(pieces, &size)| {
        let counts = words.counts.iter().enumerate();
        let tokens = counts.skip(pieces.start).take(pieces.len()).map(tokens).sum();
        let queue = CountQueue::new();
        Source { tokens, size, queue, level: Vec::new(), count: 0, done: false }
    });
    all.collect()
}

impl Source {
    /// By how many tokens it has for its size.
    fn compare(&self, other: &Source) -> Ordering {
        let tokens = |of: &Source, size: u64| u128::from(of.tokens) * u128::from(size);
        tokens(self, other.size).cmp(&tokens(other, self.size))
    }
}

struct ParityLearner<'a, C> {
    index: PairIndex<'a, C>,
    sources: Vec<Source>,
    /// The threshold: the least count of a candidate.
    least: Count,
    /// The counts of one candidate, by source.
    counts: Vec<Count>,
    helped: Vec<u32>,
}

/// Learns merges.
pub(super) fn learn<C: TokenCell>(
    index: PairIndex<'_, C>,
    sources: Vec<Source>,
    thresholds: Thresholds,
    begin: Instant,
) -> Result<Learned> {
    let counts = vec![0; sources.len()];
    let mut learner =
        ParityLearner { index, sources, least: Count::MAX, counts, helped: Vec::new() };
    learner.scan(|highest| highest / thresholds.first)?;
    learner.index.effort.index = begin.elapsed();
    let stop = learner.run(thresholds.next)?;
    let operations = learner.sources.iter().map(|source| source.queue.operations).sum();
    let helped = learner.helped;
    Ok(Learned { helped, ..learner.index.finish(stop, begin, operations)? })
}

impl<C: TokenCell> ParityLearner<'_, C> {
    fn run(&mut self, part: Count) -> Result<Stop> {
        while !self.index.is_full() {
            // Of equals `max_by` gives the last.
            let open = self.sources.iter().enumerate().rev().filter(|(_, source)| !source.done);
            let Some((worst, _)) = open.max_by(|(_, a), (_, b)| a.compare(b)) else {
                return Ok(if self.index.any_pair()? { Stop::MinCount } else { Stop::NoPair });
            };
            if let Some(candidate) = self.best_of(worst)? {
                self.merge(worst, candidate)?;
            } else if self.least > self.index.floor() {
                let least = self.least / part;
                self.scan(|highest| least.min(highest))?;
            } else {
                self.sources[worst].done = true;
            }
        }
        Ok(Stop::Full)
    }

    /// Counts all pairs, and makes candidates of those that reach the threshold `least` in all sources together.
    fn scan(&mut self, least: impl FnOnce(Count) -> Count) -> Result<()> {
        for source in &mut self.sources {
            source.queue.clear();
            source.level.clear();
            source.done = false;
        }
        let mut candidates = 0;
        self.least = self.index.scan(least, |_, candidate| candidates = candidate + 1)?;
        (0..candidates).for_each(|candidate| self.push(candidate));
        Ok(())
    }

    /// Adds a new candidate to the queue of every source in which it counts enough.
    fn push(&mut self, candidate: u32) {
        self.index.count_by_source(candidate, &mut self.counts);
        for (source, &count) in self.sources.iter_mut().zip(&self.counts) {
            if count >= self.least {
                source.queue.push(count, candidate);
            }
        }
    }

    /// Removes the candidate that counts most in a source from its queue; none if none reaches the threshold.
    fn best_of(&mut self, at: usize) -> Result<Option<u32>> {
        let ParityLearner { index, sources, counts, least, .. } = self;
        let Source { queue, level, count, .. } = &mut sources[at];
        loop {
            while let Some(candidate) = queue.pop_same() {
                let last = level.len();
                level.push(candidate);
                heap::rise(level, last, |a, b| index.order(a, b).is_lt(), |_, _| ());
            }
            if level.is_empty() {
                let Some(highest) = queue.next_into(level) else { return Ok(None) };
                *count = highest;
                level.sort_unstable_by(|&a, &b| index.order(a, b));
                continue;
            }
            let candidate = level.swap_remove(0);
            heap::sink(level, 0, |a, b| index.order(a, b).is_lt(), |_, _| ());
            index.recount(candidate)?;
            index.count_by_source(candidate, counts);
            if counts[at] < *count {
                index.effort.stale_candidates += 1;
                if counts[at] >= *least {
                    queue.push(counts[at], candidate);
                }
            } else if !index.is_vetoed(index.pair(candidate))? {
                return Ok(Some(candidate));
            }
        }
    }

    /// Merges a candidate, whose counts by source are in `counts`, everywhere.
    fn merge(&mut self, worst: usize, candidate: u32) -> Result<()> {
        let (count, known) = (self.counts.iter().sum(), self.index.merges.len());
        let first = self.index.candidates.len() as u32;
        let done = self.index.merge(candidate, count, self.least, |_, _| ())?;
        let new = self.index.merges.len() - known;
        self.helped.extend(std::iter::repeat_n(worst as u32, new));
        for (source, saved) in self.sources.iter_mut().zip(&self.index.saved) {
            source.tokens -= saved;
        }
        if done.known {
            let least = self.least;
            return self.scan(|_| least);
        }
        (first..self.index.candidates.len() as u32).for_each(|candidate| self.push(candidate));
        Ok(())
    }
}

impl<C: TokenCell> PairIndex<'_, C> {
    /// Adds up how often a candidate stands in each source, at the places that it has.
    fn count_by_source(&self, index: u32, counts: &mut [Count]) {
        let Candidate { start, len, .. } = self.candidates[index as usize];
        let mut places = &self.places[start..][..len as usize];
        for (source, sum) in counts.iter_mut().enumerate() {
            let end = self.cells.source(source).end;
            let here = places.partition_point(|&at| (at as usize) < end);
            *sum = places[..here].iter().map(|&at| self.cells.count(at as usize)).sum();
            places = &places[here..];
        }
    }

    /// Adds up by how many tokens the merge shortened each source, at the places that it had.
    pub(super) fn save_by_source(&mut self) {
        let mut places = &self.merged[0].places[..];
        for (source, sum) in self.saved.iter_mut().enumerate() {
            let end = self.cells.source(source).end;
            let here = places.partition_point(|&(at, ..)| (at as usize) < end);
            *sum = places[..here].iter().map(|&(at, ..)| self.cells.count(at as usize)).sum();
            places = &places[here..];
        }
    }
}

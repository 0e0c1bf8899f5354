/*!
The loop by likelihood: take the best candidate, check it, merge it, find its new neighbours.

As in `by_count`, the count of a candidate is never too low, and is corrected when it is popped. But its score
can rise when its tokens get rarer; `score_groups` keeps up with that. All pairs that count `min_count` or
more are candidates from the start, because a pair of any count can have any score.
*/

use std::time::Instant;

use super::cells::TokenCell;
use super::index::PairIndex;
use super::score_groups::ScoreGroups;
use super::{Learned, MergeRules, Stop, TrainingWords};
use crate::error::Result;
use crate::types::Count;

struct LikelihoodLearner<'a, C> {
    index: PairIndex<'a, C>,
    groups: ScoreGroups,
    /// The candidates of the last scan or merge: count and number.
    new: Vec<(Count, u32)>,
}

/// Learns merges. `totals` are those of `totals`.
pub(super) fn learn<C: TokenCell>(
    index: PairIndex<'_, C>,
    totals: Vec<Count>,
    begin: Instant,
) -> Result<Learned> {
    let groups = ScoreGroups::new(totals);
    let mut learner = LikelihoodLearner { index, groups, new: Vec::new() };
    learner.scan()?;
    learner.index.effort.index = begin.elapsed();
    let stop = learner.run()?;
    learner.index.finish(stop, begin, learner.groups.operations)
}

/// How often each token stands in the text.
pub(super) fn totals(words: &TrainingWords, rules: &MergeRules) -> Vec<Count> {
    let mut totals = vec![0; rules.next as usize];
    for (tokens, count) in words.iter() {
        tokens.iter().for_each(|&token| totals[token as usize] += count);
    }
    totals
}

impl<C: TokenCell> LikelihoodLearner<'_, C> {
    fn run(&mut self) -> Result<Stop> {
        let floor = self.index.floor();
        while !self.index.is_full() {
            let Some((candidate, count)) = self.groups.first() else {
                return Ok(if self.index.any_pair()? { Stop::MinCount } else { Stop::NoPair });
            };
            match self.index.recount(candidate)?.filter(|&now| now != count) {
                None => self.merge(candidate, count)?,
                Some(now) => {
                    self.index.effort.stale_candidates += 1;
                    if now >= floor {
                        self.groups.lower_first(now);
                    } else {
                        self.groups.pop_first();
                    }
                }
            }
        }
        Ok(Stop::Full)
    }

    /// Counts all pairs, and makes them candidates.
    fn scan(&mut self) -> Result<()> {
        let LikelihoodLearner { index, groups, new } = self;
        new.clear();
        index.scan(|_| 1, |count, candidate| new.push((count, candidate)))?;
        groups.clear();
        self.add();
        Ok(())
    }

    /// Merges the first candidate.
    fn merge(&mut self, candidate: u32, count: Count) -> Result<()> {
        let LikelihoodLearner { index, groups, new } = self;
        new.clear();
        let floor = index.floor();
        let done = index.merge(candidate, count, floor, |count, pair| new.push((count, pair)))?;
        groups.pop_first();
        groups.gain(done.token, done.saved);
        let (left, right) = done.pair;
        groups.lose(left, done.saved);
        groups.lose(right, done.saved);
        if done.known {
            return self.scan();
        }
        self.add();
        Ok(())
    }

    fn add(&mut self) {
        for &(count, candidate) in &self.new {
            self.groups.push(self.index.pair(candidate), count);
        }
    }
}

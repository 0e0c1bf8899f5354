/*!
The loop by likelihood: take the best candidate, check it, merge it, find its new neighbours.

As in `learn`, a candidate's count is never too low, and is corrected when it comes up. But its score
can rise, when its tokens get rarer: `groups` keeps up with that. All pairs that count `min_count` or
more are candidates from the start, since a pair of any count can have any score.
*/

use std::time::Instant;

use super::cells::Cell;
use super::groups::Groups;
use super::index::Index;
use super::watch::Watch;
use super::{Learned, Rules, Stop, Words};
use crate::error::Result;
use crate::types::Count;
use crate::vocab::Vocab;

struct Learner<'a, C> {
    index: Index<'a, C>,
    groups: Groups,
    /// The candidates that a merge brings.
    new: Vec<(Count, u32)>,
}

/// Learns merges, in cells that hold all ids that there will be.
pub(super) fn learn<C: Cell>(
    words: Words,
    vocab: &mut Vocab,
    rules: &Rules,
    watch: &mut dyn FnMut(usize) -> Result<()>,
) -> Result<Learned> {
    let begin = Instant::now();
    let groups = Groups::new(totals(&words, rules));
    let index = Index::<C>::new(words, vocab, rules, Watch::new(watch))?;
    let mut learner = Learner { index, groups, new: Vec::new() };
    learner.scan()?;
    learner.index.effort.index = begin.elapsed();
    let stop = learner.run()?;
    let Learner { mut index, groups, .. } = learner;
    index.watch.ended(index.merges.len())?;
    let Index { merges, mut effort, .. } = index;
    effort.queue_operations = groups.operations;
    effort.merge = begin.elapsed() - effort.index;
    Ok(Learned { merges, stop, effort })
}

/// How often each token stands in the text.
fn totals(words: &Words, rules: &Rules) -> Vec<Count> {
    let mut totals = vec![0; rules.next as usize];
    for (tokens, count) in words.iter() {
        tokens.iter().for_each(|&token| totals[token as usize] += count);
    }
    totals
}

impl<C: Cell> Learner<'_, C> {
    fn run(&mut self) -> Result<Stop> {
        let floor = self.index.floor();
        while !self.index.is_full() {
            let Some((candidate, count)) = self.groups.first() else {
                return Ok(if self.index.any_pair() { Stop::MinCount } else { Stop::NoPair });
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
        let Learner { index, groups, new } = self;
        new.clear();
        index.scan(|_| 1, |count, candidate| new.push((count, candidate)))?;
        groups.clear();
        self.add();
        Ok(())
    }

    /// Merges the first candidate.
    fn merge(&mut self, candidate: u32, count: Count) -> Result<()> {
        let Learner { index, groups, new } = self;
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

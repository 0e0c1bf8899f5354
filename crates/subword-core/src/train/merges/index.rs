/*!
Candidates: pairs that may be merged, with their places. Both scores use this index.

A candidate is a pair with all places where it stood when it was found, and its count at that time. Places
and count are not updated by other merges: these only take places away, so the count is never too low.
Before a candidate is merged, its places are read again, which gives its count now:

```text
merge a+b -> c at all places of `... x a b y ...`
    x+c gets the place of x, y its own:  new candidates, exact as they are made
    x+a and b+y lost a place:            noticed when they are recounted
```

A merge needs no hash look-up: what stands to the left (or right) of the merged pair is added up in a table
by token (`neighbours`), then the places of each new pair are written in one range.
*/

use std::cmp::Ordering;
use std::time::Instant;

use super::cells::{Cells, TokenCell};
use super::control::Control;
use super::neighbours::{MergedPlaces, NeighbourTable};
use super::pair_scan;
use super::places;
use super::progress::TrainingProgress;
use super::tokens::{self, TokenFacts};
use super::{Effort, Learned, LearnedMerge, MergeRules, Stop, Ties, TrainingWords};
use crate::error::Result;
use crate::types::{Count, Pair, TokenId};
use crate::vocab::Vocab;

/// A pair that may be merged.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<C> {
    pub(super) left: C,
    pub(super) right: C,
    /// The number of merges after which its count was last exact.
    checked: u32,
    /// The number of its places.
    pub(super) len: u32,
    /// Where its places start: behind those of all candidates before it.
    pub(super) start: usize,
}

/// The text and the pairs in it.
pub(super) struct PairIndex<'a, C> {
    pub(super) cells: Cells<C>,
    pub(super) rules: &'a MergeRules,
    pub(super) vocab: &'a mut Vocab,
    pub(super) watch: TrainingProgress<'a>,
    control: &'a mut dyn Control,
    /// Whether the caller said that it is enough.
    stopped: bool,
    pub(super) candidates: Vec<Candidate<C>>,
    pub(super) tokens: TokenFacts,
    pub(super) merges: Vec<LearnedMerge>,
    pub(super) effort: Effort,
    pub(super) places: Vec<u32>,
    /// What the last merge found: the first has all of it, the others belong to other threads.
    pub(super) merged: Vec<MergedPlaces<C>>,
    /// By how many tokens the last merge shortened each source; none where the sources are one text.
    pub(super) saved: Vec<Count>,
    /// The bytes of the token that a pair makes.
    joined: Vec<u8>,
}

/// What a merge changed.
#[derive(Debug, Clone, Copy)]
pub(super) struct MergeOutcome {
    pub(super) pair: Pair,
    pub(super) token: TokenId,
    /// By how many tokens the text became shorter.
    pub(super) saved: Count,
    /// Whether the token existed before: then the counts of other pairs may have risen.
    pub(super) known: bool,
}

impl<'a, C: TokenCell> PairIndex<'a, C> {
    pub(super) fn new(
        words: TrainingWords,
        vocab: &'a mut Vocab,
        rules: &'a MergeRules,
        watch: TrainingProgress<'a>,
        control: &'a mut dyn Control,
    ) -> Result<Self> {
        let ids = rules.next as usize;
        Ok(PairIndex {
            cells: Cells::new(words, ids, rules.threads)?,
            tokens: TokenFacts::new(vocab, rules),
            rules,
            vocab,
            watch,
            control,
            stopped: false,
            candidates: Vec::new(),
            places: Vec::new(),
            merges: Vec::new(),
            merged: vec![MergedPlaces::default()],
            saved: vec![0; rules.sizes.len()],
            joined: Vec::new(),
            effort: Effort::default(),
        })
    }

    /// What was learned, and what it took since `begin`.
    pub(super) fn finish(
        mut self,
        stop: Stop,
        begin: Instant,
        queue_operations: u64,
    ) -> Result<Learned> {
        self.watch.ended(self.merges.len())?;
        let merge = begin.elapsed() - self.effort.index;
        let effort = Effort { merge, queue_operations, ..self.effort };
        let stop = if self.stopped { Stop::Asked } else { stop };
        Ok(Learned { merges: self.merges, helped: Vec::new(), stop, effort })
    }

    /// The least count of a pair that may be merged.
    pub(super) fn floor(&self) -> Count {
        self.rules.min_count.max(1)
    }

    pub(super) fn is_full(&self) -> bool {
        self.stopped
            || self.merges.len() >= self.rules.merges
            || (self.tokens.next - self.rules.next) as usize >= self.rules.tokens
    }

    /// The two tokens of a candidate.
    pub(super) fn pair(&self, index: u32) -> Pair {
        let candidate = &self.candidates[index as usize];
        (candidate.left.id(), candidate.right.id())
    }

    /// Which of two candidates of the same count is merged first.
    pub(super) fn order(&self, a: u32, b: u32) -> Ordering {
        let (a, b) = (self.pair(a), self.pair(b));
        match self.rules.ties {
            Ties::SmallestIds => a.cmp(&b),
            Ties::Greatest => {
                let compare = |a, b| self.tokens.compare(self.vocab, a, b);
                compare(b.0, a.0).then_with(|| compare(b.1, a.1))
            }
        }
    }

    /// Counts all pairs, makes candidates of those that reach the threshold `least`, and calls `found` with the
    /// count and the number of each; returns the threshold.
    pub(super) fn scan(
        &mut self,
        least: impl FnOnce(Count) -> Count,
        mut found: impl FnMut(Count, u32),
    ) -> Result<Count> {
        self.cells.pack()?;
        let floor = self.floor();
        let least = |highest| least(highest).max(floor);
        self.places = Vec::new();
        let (pairs, places, least) = pair_scan::scan(&self.cells, least, self.rules.threads)?;
        self.places = places;
        self.watch.worked(self.cells.cells.len())?;
        self.candidates.clear();
        for pair in pairs {
            let (left, right) = pair.pair;
            if self.tokens.may_merge(self.rules, self.vocab, (left.id(), right.id())) {
                found(pair.count, self.candidates.len() as u32);
                let checked = self.watch.merges as u32;
                let (start, len) = (pair.start, pair.len as u32);
                self.candidates.push(Candidate { left, right, checked, len, start });
            }
        }
        self.effort.scans += 1;
        Ok(least)
    }

    /// Whether some pair is left that may be merged.
    pub(super) fn any_pair(&mut self) -> Result<bool> {
        self.cells.pack()?;
        for at in 1..self.cells.cells.len() {
            let (left, right) = (self.cells.cells[at - 1], self.cells.cells[at]);
            if left == C::default() || right == C::default() {
                continue;
            }
            let pair = (left.id(), right.id());
            if self.tokens.may_merge(self.rules, self.vocab, pair) && !self.is_vetoed(pair)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the caller forbids the token that a pair makes.
    pub(super) fn is_vetoed(&mut self, pair: Pair) -> Result<bool> {
        tokens::join(self.rules, self.vocab, pair, &mut self.joined);
        self.control.vetoes(&self.joined)
    }

    /// Tells the caller of the merges from `first` on.
    fn tell(&mut self, first: usize) -> Result<()> {
        for merge in &self.merges[first..] {
            self.stopped = self.control.merged(merge, self.vocab)?;
        }
        Ok(())
    }

    /// The count of a candidate now; `None` if it cannot have changed.
    pub(super) fn recount(&mut self, index: u32) -> Result<Option<Count>> {
        let candidate = &mut self.candidates[index as usize];
        let Candidate { left, right, .. } = *candidate;
        // A merge of a+b takes the places of x+a and of b+y, but none of a+y, nor of x+b.
        let [_, as_right] = self.tokens.merged[left.id() as usize];
        let [as_left, _] = self.tokens.merged[right.id() as usize];
        if as_right.max(as_left) <= candidate.checked {
            return Ok(None);
        }
        let places = &mut self.places[candidate.start..][..candidate.len as usize];
        let (kept, sum) = places::keep(&self.cells, (left, right), places, self.rules.threads)?;
        self.watch.worked(places.len() + 1)?;
        self.effort.stale_places += (places.len() - kept) as u64;
        candidate.len = kept as u32;
        candidate.checked = self.watch.merges as u32;
        Ok(Some(sum))
    }

    /// Merges a candidate. If its token is new, the pairs with that token that count at least `least` become
    /// candidates, and `found` is called with each.
    pub(super) fn merge(
        &mut self,
        index: u32,
        count: Count,
        least: Count,
        found: impl FnMut(Count, u32),
    ) -> Result<MergeOutcome> {
        let Candidate { left, right, start, len, .. } = self.candidates[index as usize];
        let pair = (left.id(), right.id());
        let known = self.known(pair);
        // A known token may have another width elsewhere, so the merged pair first gets a new name.
        let new = C::new(self.tokens.next);
        self.cells.add(left, right);
        let (places, threads) = (&self.places[start..][..len as usize], self.rules.threads);
        places::merge(&mut self.cells, (left, right), new, places, &mut self.merged, threads)?;
        self.candidates[index as usize].len = 0;
        let saved = self.merged[0].saved;
        self.save_by_source();
        self.watch.merges += 1;
        let told = self.merges.len();
        let now = self.watch.merges as u32;
        self.tokens.merged[pair.0 as usize][0] = now;
        self.tokens.merged[pair.1 as usize][1] = now;
        let token = if let Some(token) = known {
            // The token may be known because the same pair was merged before.
            let again = |merge: &LearnedMerge| merge.pair == pair;
            if !self.rules.listed.contains(&pair) && !self.merges.iter().any(again) {
                self.merges.push(LearnedMerge { pair, token, count, saved });
            }
            self.cells.rename_last(C::new(token))?;
            token
        } else {
            let token = self.add_token(pair)?;
            self.merges.push(LearnedMerge { pair, token, count, saved });
            self.add_candidates(new, left, least, found);
            token
        };
        self.watch.worked(len as usize + 64)?;
        self.tell(told)?;
        Ok(MergeOutcome { pair, token, saved, known: known.is_some() })
    }

    /// Makes candidates of the new token and its neighbours. `left` is the left part of the token: where two new
    /// tokens are adjacent, the first has seen `left` on its right, so the count of that pair is uncertain.
    fn add_candidates(&mut self, new: C, left: C, least: Count, mut found: impl FnMut(Count, u32)) {
        self.make_room(2 * self.merged[0].places.len() + 1);
        let MergedPlaces { lefts, rights, places: merged, .. } = &mut self.merged[0];
        let base = self.places.len();
        let mut end = base;
        for (side, is_left) in [(&mut *lefts, true), (&mut *rights, false)] {
            for &cell in &side.touched[..side.len] {
                let beside = &mut side.beside[cell.index()];
                let (count, len) = (beside.count, beside.len);
                (beside.len, beside.next) = (0, u32::MAX);
                if count < least || cell == C::default() {
                    continue;
                }
                let (a, b) = if is_left { (cell, new) } else { (new, cell) };
                if !self.tokens.may_merge(self.rules, self.vocab, (a.id(), b.id())) {
                    continue;
                }
                (beside.len, beside.next) = (1, (end - base) as u32);
                found(count, self.candidates.len() as u32);
                let uncertain = !is_left && cell == left;
                self.candidates.push(Candidate {
                    left: a,
                    right: b,
                    checked: self.watch.merges as u32 - u32::from(uncertain),
                    len,
                    start: end,
                });
                end += len as usize;
            }
        }
        if end == base {
            return;
        }
        // Places of pairs that are no candidates are all written to one spare place at the end.
        self.places.resize(end + 1, 0);
        let new_places = &mut self.places[base..];
        let last = (end - base) as u32;
        let mut place = |side: &mut NeighbourTable<C>, cell: C, at: u32| {
            let beside = &mut side.beside[cell.index()];
            new_places[beside.next.min(last) as usize] = at;
            beside.next += beside.len;
        };
        for &(at, before, after) in &*merged {
            let width = self.cells.widths[before.index()];
            place(lefts, before, at - width);
            place(rights, after, at);
        }
        self.places.truncate(end);
        let bytes = self.places.capacity() * size_of::<u32>()
            + self.candidates.capacity() * size_of::<Candidate<C>>();
        self.effort.bytes = self.effort.bytes.max(bytes + self.cells.bytes());
    }

    /// Makes room for some more places. Most of those that are there belong to pairs that were merged meanwhile, or were
    /// lost to other merges, so these are forgotten first.
    fn make_room(&mut self, more: usize) {
        if self.places.capacity() - self.places.len() >= more {
            return;
        }
        let mut end = 0;
        for candidate in &mut self.candidates {
            let start = std::mem::replace(&mut candidate.start, end);
            if start != end {
                self.places.copy_within(start..start + candidate.len as usize, end);
            }
            end += candidate.len as usize;
        }
        self.places.truncate(end);
        self.places.reserve_exact(more.max(end / 4));
    }

    /// The token that a pair makes, if it exists.
    fn known(&mut self, pair: Pair) -> Option<TokenId> {
        tokens::join(self.rules, self.vocab, pair, &mut self.joined);
        self.vocab.id_of(&self.joined)
    }

    /// Adds the token that a pair makes, whose bytes are in `joined`.
    fn add_token(&mut self, pair: Pair) -> Result<TokenId> {
        let token = self.tokens.next;
        self.vocab.insert(token, &self.joined)?;
        let length = self.tokens.length_of(self.rules, pair, &self.joined);
        self.tokens.push(&self.joined, length);
        self.tokens.next += 1;
        Ok(token)
    }
}

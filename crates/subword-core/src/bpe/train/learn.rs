/*!
The loop: take the best candidate, check it, merge it, find its new neighbours.

A candidate is a pair with all places where it stood when it was found, and its count then. Places
and count are never updated: merges around a pair only take places away, so the count is never too
low, and the queue gives the candidate in time. When it comes up, its places are read: if it lost
some, it goes back with what is left. If it did not, it is the best pair there is, and is merged:

```text
merge a+b -> c at all places of `... x a b y ...`
    x+c gets the place of x, y its own:  new candidates, exact as they are made
    x+a and b+y lost a place:            whoever has it will see
```

A merge of pairs needs no look-up: what stands to the left (or right) of the merged pair is added up
in a table by token, then places are dealt out, each new pair's in one go.

A pair that counts less than `least` is no candidate. When there are no more, `least` is lowered and
all pairs are counted once more (`scan`). Pairs only lose places, so none of those that were passed
over has become one in the meantime, with one exception: a merge that makes a token that was there
before adds to pairs that were there before. After it, too, all pairs are counted once more.
*/

use std::cmp::Ordering;
use std::time::{Duration, Instant};

use super::cells::{Cell, Cells};
use super::queue::{self, Queue};
use super::scan;
use super::sides::Side;
use super::tokens::Tokens;
use super::{Effort, Learned, Merge, Rules, Stop, Ties, Words};
use crate::arch;
use crate::error::Result;
use crate::types::{Count, Pair, TokenId};
use crate::vocab::Vocab;

/// Which pairs are candidates: a part of the count of the best pair is enough.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts {
    /// At first.
    pub(super) first: Count,
    /// Each time that there are no more, of what was enough before; at least 2.
    pub(super) next: Count,
}

/// How far ahead of the place that is read the next one is asked for.
const AHEAD: usize = 12;

/// How often the clock is read, in places.
const WATCH_EVERY: usize = 1 << 15;

/// How often `watch` is called.
const WATCH_TIME: Duration = Duration::from_millis(40);

/// A pair that may be merged.
#[derive(Debug, Clone, Copy)]
struct Candidate<C> {
    left: C,
    right: C,
    /// Its count was right after so many merges.
    checked: u32,
    /// Its places.
    len: u32,
    start: usize,
}

pub(super) struct Learner<'a, C> {
    cells: Cells<C>,
    rules: &'a Rules,
    vocab: &'a mut Vocab,
    watch: Watch<'a>,
    candidates: Vec<Candidate<C>>,
    places: Vec<u32>,
    queue: Queue,
    /// What a candidate counts at least.
    least: Count,
    tokens: Tokens,
    merges: Vec<Merge>,
    lefts: Side<C>,
    rights: Side<C>,
    /// The places of a merge and what stands around them.
    merged: Vec<(u32, C, C)>,
    /// The bytes of the token that a pair makes.
    joined: Vec<u8>,
    effort: Effort,
}

/// Calls the caller back from time to time.
pub(super) struct Watch<'a> {
    call: &'a mut dyn FnMut(usize) -> Result<()>,
    called: Instant,
    work: usize,
    pub(super) merges: usize,
}

impl<'a> Watch<'a> {
    pub(super) fn new(call: &'a mut dyn FnMut(usize) -> Result<()>) -> Watch<'a> {
        Watch { call, called: Instant::now(), work: 0, merges: 0 }
    }

    /// Says that so many places were read.
    #[inline]
    pub(super) fn worked(&mut self, places: usize) -> Result<()> {
        self.work += places;
        if self.work < WATCH_EVERY {
            return Ok(());
        }
        self.work = 0;
        let now = Instant::now();
        if now.duration_since(self.called) < WATCH_TIME {
            return Ok(());
        }
        self.called = now;
        (self.call)(self.merges)
    }
}

/// Learns merges, in cells that hold all ids that there will be.
pub(super) fn learn<C: Cell>(
    words: Words,
    vocab: &mut Vocab,
    rules: &Rules,
    parts: Parts,
    watch: &mut dyn FnMut(usize) -> Result<()>,
) -> Result<Learned> {
    let begin = Instant::now();
    let mut learner = Learner::<C>::new(words, vocab, rules, Watch::new(watch))?;
    learner.scan(|highest| highest / parts.first)?;
    learner.effort.index = begin.elapsed();
    let stop = learner.run(parts.next)?;
    (learner.watch.call)(learner.merges.len())?;
    let Learner { merges, mut effort, queue, .. } = learner;
    effort.queue_operations = queue.operations;
    effort.merge = begin.elapsed() - effort.index;
    Ok(Learned { merges, stop, effort })
}

impl<'a, C: Cell> Learner<'a, C> {
    fn new(
        words: Words,
        vocab: &'a mut Vocab,
        rules: &'a Rules,
        mut watch: Watch<'a>,
    ) -> Result<Self> {
        let ids = rules.next as usize;
        Ok(Learner {
            cells: Cells::new(words, ids, &mut watch)?,
            tokens: Tokens::new(vocab, rules),
            rules,
            vocab,
            watch,
            candidates: Vec::new(),
            places: Vec::new(),
            queue: Queue::new(),
            least: Count::MAX,
            merges: Vec::new(),
            lefts: Side::new(ids),
            rights: Side::new(ids),
            merged: Vec::new(),
            joined: Vec::new(),
            effort: Effort::default(),
        })
    }

    /// What a pair must count to be merged.
    fn floor(&self) -> Count {
        self.rules.min_count.max(1)
    }

    fn is_full(&self) -> bool {
        self.merges.len() >= self.rules.merges
            || (self.tokens.next - self.rules.next) as usize >= self.rules.tokens
    }

    fn run(&mut self, part: Count) -> Result<Stop> {
        let (mut level, mut late) = (Vec::new(), Vec::new());
        while !self.is_full() {
            if let Some(count) = self.queue.next_into(&mut level) {
                self.sort(&mut level);
                late.clear();
                self.run_level(count, &level, &mut late)?;
            } else if self.least > self.floor() {
                let least = self.least / part;
                self.scan(|highest| least.min(highest))?;
            } else {
                return Ok(if self.any_pair() { Stop::MinCount } else { Stop::NoPair });
            }
        }
        Ok(Stop::Full)
    }

    /// Merges all candidates of the highest count: those of `level`, which are sorted, and those that
    /// come up in the meantime.
    fn run_level(&mut self, count: Count, level: &[u32], late: &mut Vec<u32>) -> Result<()> {
        let mut at = 0;
        loop {
            let index = match (level.get(at), late.first()) {
                (None, None) => return Ok(()),
                (Some(&next), None) => next,
                (Some(&next), Some(&other)) if self.is_before(next, other) => next,
                (_, Some(_)) => queue::pop(late, |a, b| self.is_before(a, b)),
            };
            at += usize::from(level.get(at) == Some(&index));
            if !self.check(index, count)? {
                continue;
            }
            if self.is_full() {
                return Ok(());
            }
            if self.merge(index, count)? {
                let least = self.least;
                return self.scan(|_| least);
            }
            while let Some(index) = self.queue.pop_same() {
                queue::push(late, index, |a, b| self.is_before(a, b));
            }
        }
    }

    /// Counts all pairs, and makes those candidates that count at least what `least` says.
    fn scan(&mut self, least: impl FnOnce(Count) -> Count) -> Result<()> {
        self.cells.pack();
        let floor = self.floor();
        let least = |highest| least(highest).max(floor);
        let (found, least) = scan::scan(&self.cells, &mut self.places, least, &mut self.watch)?;
        self.least = least;
        self.candidates.clear();
        self.queue.clear();
        for found in found {
            let (left, right) = found.pair;
            if self.tokens.may_merge(self.rules, left.id(), right.id()) {
                self.queue.push(found.count, self.candidates.len() as u32);
                let checked = self.watch.merges as u32;
                let (start, len) = (found.start, found.len as u32);
                self.candidates.push(Candidate { left, right, checked, len, start });
            }
        }
        self.effort.scans += 1;
        Ok(())
    }

    /// Whether some pair is left that may be merged.
    fn any_pair(&mut self) -> bool {
        self.cells.pack();
        self.cells.cells.windows(2).any(|two| {
            two.iter().all(|cell| *cell != C::default())
                && self.tokens.may_merge(self.rules, two[0].id(), two[1].id())
        })
    }

    fn sort(&self, level: &mut [u32]) {
        level.sort_unstable_by(|&a, &b| self.order(a, b));
    }

    /// Which of two candidates with the same count is merged first: the lesser.
    fn order(&self, a: u32, b: u32) -> Ordering {
        let pair = |index: u32| {
            let candidate = &self.candidates[index as usize];
            (candidate.left.id(), candidate.right.id())
        };
        let (a, b) = (pair(a), pair(b));
        match self.rules.ties {
            Ties::SmallestIds => a.cmp(&b),
            Ties::Greatest => {
                let compare = |a, b| self.tokens.compare(self.vocab, a, b);
                compare(b.0, a.0).then_with(|| compare(b.1, a.1))
            }
        }
    }

    fn is_before(&self, a: u32, b: u32) -> bool {
        self.order(a, b) == Ordering::Less
    }

    /// Whether the candidate still counts so often. If not, it goes back into the queue.
    fn check(&mut self, index: u32, count: Count) -> Result<bool> {
        let candidate = &mut self.candidates[index as usize];
        let Candidate { left, right, .. } = *candidate;
        let changed = |cell: C| self.tokens.changed[cell.id() as usize];
        if changed(left).max(changed(right)) <= candidate.checked {
            return Ok(true);
        }
        let places = &mut self.places[candidate.start..][..candidate.len as usize];
        let width = self.cells.widths[left.index()] as usize;
        let (mut kept, mut sum) = (0, 0);
        for i in 0..places.len() {
            let at = places[i];
            let ahead = places.get(i + AHEAD).copied().unwrap_or(at);
            arch::prefetch(&self.cells.cells[ahead as usize]);
            let here = self.cells.is_at(at as usize, left, right, width);
            places[kept] = at;
            kept += usize::from(here);
            sum += if here { self.cells.count(at as usize) } else { 0 };
        }
        self.watch.worked(places.len() + 1)?;
        self.effort.stale_places += (places.len() - kept) as u64;
        candidate.len = kept as u32;
        candidate.checked = self.watch.merges as u32;
        if sum != count {
            self.effort.stale_candidates += 1;
            if sum >= self.least {
                self.queue.push(sum, index);
            }
        }
        Ok(sum == count)
    }

    /// Merges a candidate; whether its token was there before.
    fn merge(&mut self, index: u32, count: Count) -> Result<bool> {
        let Candidate { left, right, start, len, .. } = self.candidates[index as usize];
        let pair = (left.id(), right.id());
        let known = self.known(pair);
        // A known token may take another number of cells elsewhere: at first it has another name.
        let new = C::new(self.tokens.next);
        let width = self.cells.widths[left.index()] as usize;
        let whole = self.cells.add(width + self.cells.widths[right.index()] as usize);
        self.lefts.grow();
        self.rights.grow();
        let mut saved = 0;
        let places = &self.places[start..][..len as usize];
        self.merged.clear();
        for (i, &at) in places.iter().enumerate() {
            let ahead = places.get(i + AHEAD).copied().unwrap_or(at);
            arch::prefetch(&self.cells.cells[ahead as usize]);
            let first = at as usize;
            // Of places that overlap, as in `aaa`, the first has taken the second.
            if !self.cells.is_at(first, left, right, width) {
                continue;
            }
            let count = self.cells.count(first);
            let cells = &mut self.cells.cells;
            let (before, after) = (cells[first - 1], cells[first + whole]);
            (cells[first + width - 1], cells[first + width]) = (C::default(), C::default());
            (cells[first], cells[first + whole - 1]) = (new, new);
            saved += count;
            self.lefts.add(before, count);
            self.rights.add(after, count);
            self.merged.push((at, before, after));
        }
        self.watch.merges += 1;
        let now = self.watch.merges as u32;
        (self.tokens.changed[pair.0 as usize], self.tokens.changed[pair.1 as usize]) = (now, now);
        if let Some(token) = known {
            // A pair that was merged before made a token that is known now.
            let again = |merge: &Merge| merge.pair == pair;
            if !self.rules.listed.contains(&pair) && !self.merges.iter().any(again) {
                self.merges.push(Merge { pair, token, count, saved });
            }
            self.cells.rename_last(C::new(token));
        } else {
            let token = self.add_token(pair)?;
            self.merges.push(Merge { pair, token, count, saved });
            self.add_candidates(new, left);
        }
        for side in [&mut self.lefts, &mut self.rights] {
            side.clear();
            if known.is_some() {
                side.shrink();
            }
        }
        self.watch.worked(len as usize + 64)?;
        Ok(known.is_some())
    }

    /// Makes candidates of the new token and what stands beside it. `left` is the left part of the
    /// token: where two new tokens stand side by side, the first has seen it to its right, so that
    /// its count is not certain.
    fn add_candidates(&mut self, new: C, left: C) {
        let base = self.places.len();
        let mut end = base;
        for (side, is_left) in [(&mut self.lefts, true), (&mut self.rights, false)] {
            for &cell in &side.touched[..side.len] {
                let beside = &mut side.beside[cell.index()];
                let (count, len) = (beside.count, beside.len);
                (beside.len, beside.next) = (0, u32::MAX);
                if count < self.least || cell == C::default() {
                    continue;
                }
                let (a, b) = if is_left { (cell, new) } else { (new, cell) };
                if !self.tokens.may_merge(self.rules, a.id(), b.id()) {
                    continue;
                }
                (beside.len, beside.next) = (1, (end - base) as u32);
                self.queue.push(count, self.candidates.len() as u32);
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
        // What is no candidate writes behind the last place, over and over.
        self.places.resize(end + 1, 0);
        let new_places = &mut self.places[base..];
        let last = (end - base) as u32;
        let mut place = |side: &mut Side<C>, cell: C, at: u32| {
            let beside = &mut side.beside[cell.index()];
            new_places[beside.next.min(last) as usize] = at;
            beside.next += beside.len;
        };
        for &(at, before, after) in &self.merged {
            let width = self.cells.widths[before.index()];
            place(&mut self.lefts, before, at - width);
            place(&mut self.rights, after, at);
        }
        self.places.truncate(end);
        let bytes = self.places.capacity() * size_of::<u32>()
            + self.candidates.capacity() * size_of::<Candidate<C>>();
        self.effort.bytes = self.effort.bytes.max(bytes + self.cells.bytes());
    }

    /// The token that a pair makes, if it is there already.
    fn known(&mut self, (left, right): Pair) -> Option<TokenId> {
        let bytes = |id| self.vocab.bytes_of(id).unwrap_or_default();
        self.joined.clear();
        self.joined.extend_from_slice(bytes(left));
        self.joined.extend_from_slice(bytes(right));
        self.vocab.id_of(&self.joined)
    }

    /// Adds the token that a pair makes, whose bytes are in `joined`.
    fn add_token(&mut self, (left, right): Pair) -> Result<TokenId> {
        let token = self.tokens.next;
        self.vocab.insert(token, &self.joined)?;
        let lengths = &self.tokens.lengths;
        let length = lengths[left as usize].saturating_add(lengths[right as usize]);
        self.tokens.push(&self.joined, length);
        self.tokens.next += 1;
        Ok(token)
    }
}

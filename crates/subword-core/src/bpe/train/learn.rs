/*! The loop. */

use std::cmp::Ordering;
use std::collections::HashSet;
use std::time::{Duration, Instant};

use super::cells::{Cell, Cells};
use super::queue::{self, Queue};
use super::scan::{self, Found};
use super::{Effort, Learned, Merge, Rules, Stop, Ties, Words};
use crate::error::Result;
use crate::types::{Count, Pair, TokenId};
use crate::vocab::{MAX_TOKEN_BYTES, Vocab};

struct Candidate {
    pair: Pair,
    count: Count,
    start: usize,
    len: u32,
    stamp: u32,
}

/// What stands beside a merged pair.
#[derive(Clone, Copy, Default)]
struct Side {
    count: Count,
    len: u32,
    at: u32,
}

pub(super) struct Learner<'a, C> {
    cells: Cells<C>,
    vocab: &'a mut Vocab,
    rules: &'a Rules,
    watch: &'a mut dyn FnMut(usize) -> Result<()>,
    watched: Instant,
    candidates: Vec<Candidate>,
    places: Vec<u32>,
    queue: Queue,
    /// Pairs with fewer are not in the index.
    least: Count,
    keys: Vec<u64>,
    lengths: Vec<u32>,
    changed: Vec<u32>,
    time: u32,
    listed: HashSet<Pair>,
    next: TokenId,
    merges: Vec<Merge>,
    lefts: Vec<Side>,
    rights: Vec<Side>,
    touched_left: Vec<u32>,
    touched_right: Vec<u32>,
    done: Vec<(u32, C, C)>,
    effort: Effort,
}

fn env(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

impl<'a, C: Cell> Learner<'a, C> {
    pub(super) fn new(
        words: Words,
        vocab: &'a mut Vocab,
        rules: &'a Rules,
        watch: &'a mut dyn FnMut(usize) -> Result<()>,
    ) -> Self {
        let start = Instant::now();
        let ids = rules.next as usize;
        let cells = Cells::new(words, ids);
        let mut lengths = rules.lengths.clone();
        if lengths.is_empty() {
            lengths = (0..ids as u32)
                .map(|id| vocab.bytes_of(id).unwrap_or_default().len() as u32)
                .collect();
        }
        lengths.resize(ids, 0);
        let keys = (0..ids as u32).map(|id| key(vocab.bytes_of(id).unwrap_or_default())).collect();
        let mut made = Learner {
            cells,
            vocab,
            rules,
            watch,
            watched: start,
            candidates: Vec::new(),
            places: Vec::new(),
            queue: Queue::new(),
            least: Count::MAX,
            keys,
            lengths,
            changed: vec![0; ids],
            time: 1,
            listed: rules.listed.iter().copied().collect(),
            next: rules.next,
            merges: Vec::new(),
            lefts: vec![Side::default(); ids],
            rights: vec![Side::default(); ids],
            touched_left: Vec::new(),
            touched_right: Vec::new(),
            done: Vec::new(),
            effort: Effort::default(),
        };
        let factor = env("F1", 16);
        made.scan(|highest| highest / factor);
        made.effort.index = start.elapsed();
        made
    }

    fn scan(&mut self, least: impl FnOnce(Count) -> Count) {
        self.cells.pack();
        let mut found: Vec<Found> = Vec::new();
        let floor = self.rules.min_count.max(1);
        self.least = scan::scan(
            &self.cells,
            |highest| least(highest).max(floor),
            &mut self.places,
            &mut found,
        );
        self.candidates.clear();
        self.queue.clear();
        for found in found {
            let Found { pair, count, start, len } = found;
            if self.allowed(pair) {
                self.queue.push(count, self.candidates.len() as u32);
                self.candidates.push(Candidate { pair, count, start, len, stamp: self.time });
            }
        }
        self.effort.scans += 1;
        self.effort.bytes = self.effort.bytes.max(self.places.capacity() * 4);
    }

    fn allowed(&self, pair: Pair) -> bool {
        let length =
            self.lengths[pair.0 as usize] as usize + self.lengths[pair.1 as usize] as usize;
        length <= self.rules.max_length.unwrap_or(usize::MAX) && length <= MAX_TOKEN_BYTES
    }

    fn full(&self) -> bool {
        self.merges.len() >= self.rules.merges
            || (self.next - self.rules.next) as usize >= self.rules.tokens
    }

    pub(super) fn run(mut self) -> Result<Learned> {
        let start = Instant::now();
        let stop = self.learn()?;
        self.effort.queue_operations = self.queue.operations;
        self.effort.merge = start.elapsed();
        (self.watch)(self.merges.len())?;
        Ok(Learned { merges: self.merges, stop, effort: self.effort })
    }

    fn learn(&mut self) -> Result<Stop> {
        let mut level: Vec<u32> = Vec::new();
        let mut late: Vec<u32> = Vec::new();
        let factor = env("F2", 4);
        loop {
            if self.full() {
                return Ok(Stop::Full);
            }
            let Some(count) = self.queue.next_into(&mut level) else {
                let floor = self.rules.min_count.max(1);
                if self.least <= floor {
                    return Ok(if self.any_pair() { Stop::MinCount } else { Stop::NoPair });
                }
                let least = self.least;
                self.scan(|highest| (least / factor).min(highest));
                continue;
            };
            self.sort(&mut level);
            let mut at = 0;
            loop {
                // Of the sorted ones and the late ones, whichever is first.
                let index = match (level.get(at), late.first()) {
                    (Some(&a), Some(&b)) if self.before(a, b) => {
                        at += 1;
                        a
                    }
                    (_, Some(_)) => queue::pop(&mut late, |a, b| self.before(a, b)),
                    (Some(&a), None) => {
                        at += 1;
                        a
                    }
                    (None, None) => break,
                };
                if !self.is_current(index, count) {
                    continue;
                }
                if self.full() {
                    return Ok(Stop::Full);
                }
                let known = self.merge(index)?;
                if known {
                    let least = self.least;
                    self.scan(|_| least);
                    late.clear();
                    break;
                }
                // New candidates of this very count take their turn among the others.
                while let Some(index) = self.queue.pop_same() {
                    queue::push(&mut late, index, |a, b| self.before(a, b));
                }
            }
        }
    }

    fn any_pair(&mut self) -> bool {
        self.cells.pack();
        self.cells.cells.windows(2).any(|two| {
            two[0] != C::GAP && two[1] != C::GAP && self.allowed((two[0].id(), two[1].id()))
        })
    }

    fn sort(&self, level: &mut [u32]) {
        let pair = |index: &u32| self.candidates[*index as usize].pair;
        match self.rules.ties {
            Ties::SmallestIds => level.sort_unstable_by_key(pair),
            Ties::Greatest => level.sort_unstable_by(|a, b| self.greater_first(pair(a), pair(b))),
        }
    }

    /// Whether of two candidates with the same count the first is merged first.
    fn before(&self, a: u32, b: u32) -> bool {
        let pair = |index: u32| self.candidates[index as usize].pair;
        match self.rules.ties {
            Ties::SmallestIds => pair(a) < pair(b),
            Ties::Greatest => self.greater_first(pair(a), pair(b)) == Ordering::Less,
        }
    }

    fn greater_first(&self, a: Pair, b: Pair) -> Ordering {
        self.order(b.0, a.0).then_with(|| self.order(b.1, a.1))
    }

    /// Tokens by their bytes.
    fn order(&self, a: TokenId, b: TokenId) -> Ordering {
        self.keys[a as usize].cmp(&self.keys[b as usize]).then_with(|| {
            if a == b {
                Ordering::Equal
            } else {
                self.vocab.bytes_of(a).cmp(&self.vocab.bytes_of(b))
            }
        })
    }

    /// Whether the candidate still counts so often; if not it goes back into the queue.
    fn is_current(&mut self, index: u32, count: Count) -> bool {
        let candidate = &mut self.candidates[index as usize];
        let (left, right) = candidate.pair;
        if self.changed[left as usize].max(self.changed[right as usize]) <= candidate.stamp {
            return true;
        }
        let places = &mut self.places[candidate.start..candidate.start + candidate.len as usize];
        let (mut kept, mut sum) = (0, 0);
        let width = self.cells.widths[left as usize];
        let (a, b) = (C::new(left), C::new(right));
        for i in 0..places.len() {
            let at = places[i];
            let here =
                self.cells.cells[at as usize] == a && self.cells.cells[(at + width) as usize] == b;
            places[kept] = at;
            kept += usize::from(here);
            sum += if here { self.cells.count(at) } else { 0 };
        }
        self.effort.stale_places += (places.len() - kept) as u64;
        candidate.len = kept as u32;
        candidate.stamp = self.time;
        candidate.count = sum;
        if sum == count {
            return true;
        }
        self.effort.stale_candidates += 1;
        if sum >= self.least {
            self.queue.push(sum, index);
        }
        false
    }

    /// Merges a candidate; whether its token was there before.
    fn merge(&mut self, index: u32) -> Result<bool> {
        let Candidate { pair, count, start, len, .. } = self.candidates[index as usize];
        let (left, right) = pair;
        let (token, known) = self.token(pair)?;
        let (a, b, new) = (C::new(left), C::new(right), C::new(token));
        let widths = (self.cells.widths[left as usize], self.cells.widths[right as usize]);
        let width = widths.0 + widths.1;
        let mut saved = 0;
        for i in start..start + len as usize {
            let at = self.places[i] as usize;
            let second = at + widths.0 as usize;
            let line = &mut self.cells.cells;
            if line[at] != a || line[second] != b {
                continue;
            }
            let (before, after) = (line[at - 1], line[at + width as usize]);
            line[second - 1] = C::GAP;
            line[second] = C::GAP;
            line[at] = new;
            line[at + width as usize - 1] = new;
            let count = self.cells.count(at as u32);
            saved += count;
            if before != C::GAP {
                let side = &mut self.lefts[before.id() as usize];
                if side.len == 0 {
                    self.touched_left.push(before.id());
                }
                side.count += count;
                side.len += 1;
            }
            if after != C::GAP {
                let side = &mut self.rights[after.id() as usize];
                if side.len == 0 {
                    self.touched_right.push(after.id());
                }
                side.count += count;
                side.len += 1;
            }
            self.done.push((at as u32, before, after));
        }
        self.cells.widths[token as usize] = width;
        self.time += 1;
        (self.changed[left as usize], self.changed[right as usize]) = (self.time, self.time);
        if known || self.listed.contains(&pair) {
            if self.listed.insert(pair) {
                self.merges.push(Merge { pair, token, count, saved });
            }
        } else {
            self.listed.insert(pair);
            self.merges.push(Merge { pair, token, count, saved });
        }
        self.add_candidates(token, left);
        let now = Instant::now();
        if now - self.watched > Duration::from_millis(40) {
            self.watched = now;
            (self.watch)(self.merges.len())?;
        }
        Ok(known)
    }

    fn add_candidates(&mut self, token: TokenId, left: TokenId) {
        const NONE: u32 = u32::MAX;
        let (mut any_left, mut any_right) = (false, false);
        let first = self.candidates.len() as u32;
        let _ = first;
        for i in 0..self.touched_left.len() {
            let before = self.touched_left[i];
            let Side { count, len, .. } = self.lefts[before as usize];
            let pair = (before, token);
            let wanted = count >= self.least && self.allowed(pair);
            self.lefts[before as usize] = Side { count: 0, len: 0, at: NONE };
            if wanted {
                any_left = true;
                let start = self.places.len();
                self.places.resize(start + len as usize, 0);
                self.lefts[before as usize].at = start as u32;
                self.queue.push(count, self.candidates.len() as u32);
                self.candidates.push(Candidate { pair, count, start, len, stamp: self.time });
            }
        }
        for i in 0..self.touched_right.len() {
            let after = self.touched_right[i];
            let Side { count, len, .. } = self.rights[after as usize];
            let pair = (token, after);
            let wanted = count >= self.least && self.allowed(pair);
            self.rights[after as usize] = Side { count: 0, len: 0, at: NONE };
            if wanted {
                any_right = true;
                let start = self.places.len();
                self.places.resize(start + len as usize, 0);
                self.rights[after as usize].at = start as u32;
                self.queue.push(count, self.candidates.len() as u32);
                let stamp = self.time - u32::from(after == left);
                self.candidates.push(Candidate { pair, count, start, len, stamp });
            }
        }
        if any_left {
            for &(at, before, _) in &self.done {
                if before != C::GAP {
                    let side = &mut self.lefts[before.id() as usize];
                    if side.at != NONE {
                        self.places[side.at as usize] =
                            at - self.cells.widths[before.id() as usize];
                        side.at += 1;
                    }
                }
            }
        }
        if any_right {
            for &(at, _, after) in &self.done {
                if after != C::GAP {
                    let side = &mut self.rights[after.id() as usize];
                    if side.at != NONE {
                        self.places[side.at as usize] = at;
                        side.at += 1;
                    }
                }
            }
        }
        self.touched_left.clear();
        self.touched_right.clear();
        self.done.clear();
        self.effort.bytes = self.effort.bytes.max(self.places.capacity() * 4);
    }

    /// The token that a pair makes, and whether it was there before.
    fn token(&mut self, (left, right): Pair) -> Result<(TokenId, bool)> {
        let bytes = |id| self.vocab.bytes_of(id).unwrap_or_default();
        let joined = [bytes(left), bytes(right)].concat();
        if let Some(token) = self.vocab.id_of(&joined) {
            return Ok((token, true));
        }
        let token = self.next;
        self.vocab.insert(token, &joined)?;
        self.next += 1;
        self.keys.push(key(&joined));
        self.lengths.push(self.lengths[left as usize] + self.lengths[right as usize]);
        self.changed.push(0);
        self.lefts.push(Side::default());
        self.rights.push(Side::default());
        self.cells.widths.push(0);
        Ok((token, false))
    }
}

/// The first eight bytes, such that greater is greater.
fn key(bytes: &[u8]) -> u64 {
    let mut first = [0; 8];
    let len = bytes.len().min(8);
    first[..len].copy_from_slice(&bytes[..len]);
    u64::from_be_bytes(first)
}

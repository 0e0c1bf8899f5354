/*!
Candidates by falling likelihood: `count(ab) / (count(a) * count(b))`, compared exactly.

A merge of `a+b` takes places from `a` and `b`, so every pair with an `a` or a `b` gets a higher score. One
heap of all pairs would have to move them all. Here each pair belongs to one of its two tokens, the more
frequent one, and the pairs of a token are a heap of their own:

```text
group of a:   a+b, c+a, a+d ...   by count(ab) / count(b): what a counts does not matter
groups:       a, e, ...           by the score of the first pair of each
```

When a token loses places, its group moves in the heap of groups, which is one step, and its pairs that belong
to the other token move in their groups. These are few: a frequent token has many pairs, but few with a token
that is more frequent still; a rare token has few pairs.

A pair of `a` scores at most `1 / count(a)`. Until that is the best score, the group of `a` stays
closed: its pairs are a list in no order, and nothing in it moves.

Invariants
* The count of a candidate is never less than what it is, so no score is.
* Token counts are exact.
* Of equal scores the higher count goes first, of equal counts the smaller ids.
*/

use super::heap;
use crate::types::{Count, Pair, TokenId};

/// The place of what is in no heap.
const GONE: u32 = u32::MAX;

/// A candidate and what its score needs.
#[derive(Debug, Clone, Copy)]
struct ScoredPair {
    count: Count,
    /// How often the other token occurs, as of the last update: one key of a heap changes at a time.
    total: Count,
    pair: Pair,
    /// The token whose group it is in.
    owner: TokenId,
    /// The other token of the pair.
    other: TokenId,
}

impl ScoredPair {
    /// An upper bound of its count: the other token may occur less often than `count` says. A token that does
    /// not occur any more has pairs of an infinite score, until they are recounted.
    #[inline]
    fn most(&self) -> Count {
        self.count.min(self.total.max(1))
    }
}

/// The candidates that belong to a token.
#[derive(Debug, Clone, Default)]
struct ScoreGroup {
    candidates: Vec<u32>,
    /// How often the token occurs in the text.
    total: Count,
    /// Whether `candidates` is a heap; otherwise it is a list in no order.
    is_open: bool,
}

#[derive(Debug)]
pub(super) struct ScoreGroups {
    /// How often each token occurs in the text.
    totals: Vec<Count>,
    entries: Vec<ScoredPair>,
    /// The place of each candidate in its group.
    places: Vec<u32>,
    groups: Vec<ScoreGroup>,
    /// A heap of the tokens whose groups have candidates, the best first.
    order: Vec<u32>,
    /// The place of each token in `order`.
    order_places: Vec<u32>,
    /// By token, the candidates that it is in and that are in another's group.
    elsewhere: Vec<Vec<u32>>,
    pub(super) operations: u64,
}

impl ScoreGroups {
    /// No candidates yet; `totals` says how often each token occurs in the text.
    pub(super) fn new(totals: Vec<Count>) -> ScoreGroups {
        let mut groups = ScoreGroups {
            totals,
            entries: Vec::new(),
            places: Vec::new(),
            groups: Vec::new(),
            order: Vec::new(),
            order_places: Vec::new(),
            elsewhere: Vec::new(),
            operations: 0,
        };
        groups.clear();
        groups
    }

    /// Removes all candidates.
    pub(super) fn clear(&mut self) {
        let tokens = self.totals.len();
        self.entries.clear();
        self.places.clear();
        self.groups.clear();
        self.order.clear();
        self.elsewhere.clear();
        self.order_places.clear();
        let group = |&total: &Count| ScoreGroup { total, ..ScoreGroup::default() };
        self.groups.extend(self.totals.iter().map(group));
        self.elsewhere.resize(tokens, Vec::new());
        self.order_places.resize(tokens, GONE);
    }

    /// Adds the next candidate.
    pub(super) fn push(&mut self, pair: Pair, count: Count) {
        let candidate = self.entries.len() as u32;
        let left = self.totals[pair.0 as usize] >= self.totals[pair.1 as usize];
        let (owner, other) = if left { pair } else { (pair.1, pair.0) };
        let total = self.totals[other as usize];
        self.entries.push(ScoredPair { count, total, pair, owner, other });
        self.elsewhere[other as usize].push(candidate);
        let group = &mut self.groups[owner as usize].candidates;
        self.places.push(group.len() as u32);
        group.push(candidate);
        self.operations += 1;
        if self.order_places[owner as usize] == GONE {
            self.order_places[owner as usize] = self.order.len() as u32;
            self.order.push(owner);
            self.rise_in_order(owner);
        } else {
            self.rise(candidate);
        }
    }

    /// The first candidate and its count.
    pub(super) fn first(&mut self) -> Option<(u32, Count)> {
        loop {
            let &owner = self.order.first()?;
            let group = &mut self.groups[owner as usize];
            if group.is_open {
                let first = group.candidates[0];
                return Some((first, self.entries[first as usize].count));
            }
            group.is_open = true;
            self.sort(owner);
            self.sink_in_order();
        }
    }

    /// Corrects the count of the first candidate.
    pub(super) fn lower_first(&mut self, count: Count) {
        let owner = self.order[0];
        let first = self.groups[owner as usize].candidates[0];
        self.entries[first as usize].count = count;
        self.sink(owner, 0);
        self.sink_in_order();
    }

    /// Removes the first candidate.
    pub(super) fn pop_first(&mut self) {
        let owner = self.order[0];
        let group = &mut self.groups[owner as usize];
        let first = group.candidates.swap_remove(0);
        self.places[first as usize] = GONE;
        if !group.candidates.is_empty() {
            self.sink(owner, 0);
        } else {
            // A group that gets candidates again is still open, so they are inserted as in a heap.
            self.order.swap_remove(0);
            self.order_places[owner as usize] = GONE;
        }
        self.sink_in_order();
    }

    /// Says that a token lost `places` of its occurrences.
    pub(super) fn lose(&mut self, token: TokenId, places: Count) {
        self.totals[token as usize] -= places;
        let total = self.totals[token as usize];
        self.groups[token as usize].total = total;
        if self.order_places[token as usize] != GONE {
            self.rise_in_order(token);
        }
        let mut elsewhere = std::mem::take(&mut self.elsewhere[token as usize]);
        elsewhere.retain(|&candidate| self.places[candidate as usize] != GONE);
        for &candidate in &elsewhere {
            self.entries[candidate as usize].total = total;
            self.rise(candidate);
        }
        self.operations += elsewhere.len() as u64;
        self.elsewhere[token as usize] = elsewhere;
    }

    /// Says that a token gained `places` occurrences; it may be new.
    pub(super) fn gain(&mut self, token: TokenId, places: Count) {
        if token as usize == self.totals.len() {
            self.totals.push(0);
            self.groups.push(ScoreGroup::default());
            self.elsewhere.push(Vec::new());
            self.order_places.push(GONE);
        }
        self.totals[token as usize] += places;
        self.groups[token as usize].total = self.totals[token as usize];
    }

    /// Moves a candidate up in its group after its score has risen.
    fn rise(&mut self, candidate: u32) {
        let owner = self.entries[candidate as usize].owner;
        let ScoreGroup { candidates, is_open: true, .. } = &mut self.groups[owner as usize] else {
            return;
        };
        let (entries, places) = (&self.entries, &mut self.places);
        let at = places[candidate as usize] as usize;
        let before = |one, two| is_before(entries, one, two);
        if heap::rise(candidates, at, before, |item, at| places[item as usize] = at as u32) == 0 {
            self.rise_in_order(owner);
        }
    }

    /// Moves a candidate down in its group after its score has fallen.
    fn sink(&mut self, owner: TokenId, at: usize) {
        let (entries, places) = (&self.entries, &mut self.places);
        let candidates = &mut self.groups[owner as usize].candidates;
        let before = |one, two| is_before(entries, one, two);
        heap::sink(candidates, at, before, |item, at| places[item as usize] = at as u32);
    }

    /// Makes a heap of a group.
    fn sort(&mut self, owner: TokenId) {
        let len = self.groups[owner as usize].candidates.len();
        for &candidate in &self.groups[owner as usize].candidates {
            let entry = &mut self.entries[candidate as usize];
            entry.total = self.totals[entry.other as usize];
        }
        (0..len / 2).rev().for_each(|at| self.sink(owner, at));
        self.operations += len as u64;
    }

    /// Moves a group up after its score has risen.
    fn rise_in_order(&mut self, owner: TokenId) {
        let (groups, entries, places) = (&self.groups, &self.entries, &mut self.order_places);
        let at = places[owner as usize] as usize;
        let before = |one, two| is_group_before(groups, entries, one, two);
        heap::rise(&mut self.order, at, before, |item, at| places[item as usize] = at as u32);
    }

    /// Moves the first group down after its score has fallen.
    fn sink_in_order(&mut self) {
        let (groups, entries, places) = (&self.groups, &self.entries, &mut self.order_places);
        let before = |one, two| is_group_before(groups, entries, one, two);
        heap::sink(&mut self.order, 0, before, |item, at| places[item as usize] = at as u32);
    }
}

/// Whether one candidate comes before another one of the same group.
#[inline]
fn is_before(entries: &[ScoredPair], one: u32, two: u32) -> bool {
    let [one, two] = [one, two].map(|candidate| &entries[candidate as usize]);
    let left = u128::from(one.most()) * u128::from(two.total);
    let right = u128::from(two.most()) * u128::from(one.total);
    if left != right {
        return left > right;
    }
    (two.count, one.pair) < (one.count, two.pair)
}

/// Whether one group comes before another. A closed group counts by the highest score that it can have.
fn is_group_before(
    groups: &[ScoreGroup],
    entries: &[ScoredPair],
    one: TokenId,
    two: TokenId,
) -> bool {
    let key = |token: TokenId| {
        let group = &groups[token as usize];
        if !group.is_open {
            return (1, group.total.into(), (Count::MAX, (0, 0)));
        }
        let entry = &entries[group.candidates[0] as usize];
        let both = u128::from(group.total) * u128::from(entry.total);
        (entry.most(), both, (entry.count, entry.pair))
    };
    let ((a, below_a, (count_a, pair_a)), (b, below_b, (count_b, pair_b))) = (key(one), key(two));
    let (left, right) = (product(a, below_b), product(b, below_a));
    if left != right {
        return left > right;
    }
    (count_b, pair_a) < (count_a, pair_b)
}

/// A product of 192 bits: the upper 128 and the lower 64.
#[inline]
fn product(a: Count, b: u128) -> (u128, u64) {
    let low = u128::from(a) * u128::from(b as u64);
    (u128::from(a) * (b >> 64) + (low >> 64), low as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_exact() {
        assert_eq!(product(3, 5), (0, 15));
        assert_eq!(product(1 << 63, 1 << 127), (1 << 126, 0));
        let (a, b) = (u64::MAX - 1, u128::MAX - 7);
        assert!(product(a, b) < product(a, b + 1) && product(a, b) < product(a + 1, b));
    }

    #[test]
    fn a_token_that_loses_places_lifts_its_pairs_wherever_they_are() {
        // 0+1: 4/(10*10), 2+1: 4/(20*10), 2+3: 5/(20*5).
        let mut groups = ScoreGroups::new(vec![10, 10, 20, 5]);
        for (pair, count) in [((0, 1), 4), ((2, 1), 4), ((2, 3), 5)] {
            groups.push(pair, count);
        }
        assert_eq!(groups.first(), Some((2, 5)));
        groups.lose(1, 6);
        // 0+1: 4/(10*4), 2+1: 4/(20*4), 2+3: 5/(20*5).
        assert_eq!(groups.first(), Some((0, 4)));
        groups.lower_first(1);
        // 0+1: 1/(10*4); the other two are equal, and the higher count goes first.
        assert_eq!(groups.first(), Some((2, 5)));
        groups.pop_first();
        assert_eq!(groups.first(), Some((1, 4)));
        groups.pop_first();
        assert_eq!(groups.first(), Some((0, 1)));
        groups.pop_first();
        assert_eq!(groups.first(), None);
    }
}

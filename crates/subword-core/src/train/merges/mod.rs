/*!
Learns merges: pieces as tokens with their counts in, merges out.

```text
count every adjacent pair within pieces, weighted by the count of the piece
repeat: merge the pair of the highest count everywhere, left to right, and write it down
```

With `low` 5 times and `lower` twice, `o+w` and `l+o` both count 7. `o+w` is the greater, so it is
merged first; then `l+ow`, and so on:

```text
l o w | l o w e r   ->   l ow | l ow e r   ->   low | low e r
```

Learning stops when there are enough merges or tokens, when no pair is left, or when the best pair counts
less than `min_count`. Overlapping occurrences count (`aaa` holds `a+a` twice) but merge from the left
without overlap (`aa a`).

Two merges may make the same bytes: `a+bc` after `ab+c`. Then no token is added: the merge is recorded and
makes the token that exists. After such a merge, a pair that was merged before may occur again; it is merged
again when its turn comes, and not recorded twice.

The result depends on the pieces and their counts alone, not on their order.

| file                             | what it does                                              |
|----------------------------------|-----------------------------------------------------------|
| `cells`                          | all pieces in one array                                   |
| `pair_scan` `pair_table`         | counts all pairs at once, and finds their places          |
| `index` `tokens`                 | candidates: recount and merge                             |
| `places` `neighbours` `sharing`  | the work at their places, by several threads              |
| `count_queue` `by_count`         | candidates by falling count, and the loop over them       |
| `score_groups` `by_likelihood`   | candidates by falling likelihood, and the loop over them  |
| `by_parity`                      | the loop over several sources, for the one that is worst off |
| `heap`                           | a heap in any order, which the loops use                  |
| `control`                        | what the caller forbids, hears and ends                   |
| `progress`                       | calls the watcher, and checks for an interrupt            |
| `tests/naive`                    | the definition, for the tests                             |
*/

mod by_count;
mod by_likelihood;
mod by_parity;
mod cells;
mod control;
mod count_queue;
mod heap;
mod index;
mod neighbours;
mod pair_scan;
mod pair_table;
mod places;
mod progress;
mod score_groups;
mod sharing;
mod tokens;

pub use control::Control;

use std::ops::Range;
use std::time::Instant;

use crate::error::{Error, Result};
use crate::types::{Count, Pair, TokenId};
use crate::vocab::Vocab;
use index::PairIndex;
use progress::TrainingProgress;

/// How many tokens the distinct pieces may have, so that a place among them and their gaps has 32 bits.
const MOST_TOKENS: usize = 1 << 31;

/// How many tokens the text may have, so that the count of a pair fits in 63 bits.
const MOST_TOTAL: Count = i64::MAX as Count;

/// A trade between fewer places in memory and fewer scans of all pairs: docs/decisions/training-threshold.md.
const THRESHOLDS: by_count::Thresholds = by_count::Thresholds { first: 64, next: 16 };

/// The pieces to learn from, as the tokens that they start as, one after the other.
#[derive(Debug, Clone, Default)]
pub struct TrainingWords {
    tokens: Vec<TokenId>,
    /// Where each piece ends in `tokens`.
    ends: Vec<u32>,
    /// How often each piece occurs.
    counts: Vec<Count>,
    /// How many tokens the text has: those of each piece as often as it occurs.
    total: Count,
    /// The number of pieces before each source; none where there is one source.
    sources: Vec<usize>,
}

/// Which of two pairs with the same count is merged first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ties {
    /// The one whose bytes, first of the left token, then of the right, sort last.
    #[default]
    Greatest,
    /// The one with the smaller ids, first of the left token, then of the right.
    SmallestIds,
}

/// Which pair is merged first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Score {
    /// The one with the highest count; [`Ties`] decides between equals.
    #[default]
    Count,
    /// The one with the highest `count(ab) / (count(a) * count(b))`; of equals the one with the higher
    /// count, of those the one with the smaller ids.
    Likelihood,
}

/// Whether two tokens never merge, by their bytes.
pub type Apart = fn(&[u8], &[u8]) -> bool;

/// What to learn, and when to stop.
#[derive(Debug, Clone)]
pub struct MergeRules {
    /// The most merges.
    pub merges: usize,
    /// The most new tokens. There are fewer than merges if two merges make the same token.
    pub tokens: usize,
    /// The id of the first new token; the others follow.
    pub next: TokenId,
    /// Pairs that are merges already. If one comes up, it is merged but not recorded.
    pub listed: Vec<Pair>,
    /// What decides between equal counts.
    pub ties: Ties,
    /// A pair that counts less is not merged. 0 is the same as 1.
    pub min_count: Count,
    /// The longest token that is made, in units of `lengths`; `None` for as long as a vocabulary allows.
    pub max_length: Option<usize>,
    /// The length of each token, by id. If it is empty, the length of a token is that of its bytes.
    pub lengths: Vec<u32>,
    /// What decides which pair is merged.
    pub score: Score,
    /// The prefix of tokens that continue a word. The right token of a pair loses it.
    pub prefix: Vec<u8>,
    /// Tokens that no merge may make.
    pub forbidden: Vec<Vec<u8>>,
    /// Says of two tokens, by their bytes, that they never merge.
    pub apart: Option<Apart>,
    /// What the tokens of each source are divided by: every merge is the best one for the source that has the most
    /// then. Empty where the sources are one text.
    pub sizes: Vec<u64>,
    /// How many threads may work. The result does not depend on it.
    pub threads: usize,
}

/// A pair that was merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LearnedMerge {
    /// Its two tokens.
    pub pair: Pair,
    /// The token that it makes.
    pub token: TokenId,
    /// How often the pair occurred.
    pub count: Count,
    /// By how many tokens the text became shorter: less than `count` where occurrences overlap.
    pub saved: Count,
}

/// Why there are no more merges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// There are as many as the rules allow.
    Full,
    /// No pair is left.
    NoPair,
    /// All pairs that are left count less than `min_count`.
    MinCount,
    /// The caller said that it is enough.
    Asked,
}

/// What was learned, and what it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Learned {
    /// The merges, in their order.
    pub merges: Vec<LearnedMerge>,
    /// The source that each merge was the best one for; none where the sources are one text.
    pub helped: Vec<u32>,
    /// Why there are no more.
    pub stop: Stop,
    /// What it took.
    pub effort: Effort,
}

/// How much work a training was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effort {
    /// Time until the first merge could start.
    pub index: std::time::Duration,
    /// Time from there to the end.
    pub merge: std::time::Duration,
    /// The largest size of the arrays of the index, in bytes.
    pub bytes: usize,
    /// How many candidates were pushed to the queue or popped from it.
    pub queue_operations: u64,
    /// How many popped candidates had an outdated count.
    pub stale_candidates: u64,
    /// How many places were read where the pair was no longer.
    pub stale_places: u64,
    /// How often all pairs were counted.
    pub scans: u64,
}

impl TrainingWords {
    /// Adds a piece that occurs `count` times.
    pub fn push(&mut self, tokens: impl IntoIterator<Item = TokenId>, count: Count) -> Result<()> {
        let start = self.tokens.len();
        self.tokens.extend(tokens);
        let (end, len) = (self.tokens.len(), (self.tokens.len() - start) as Count);
        if end > MOST_TOKENS {
            let message = format!("the distinct pieces have more than {MOST_TOKENS} tokens in all");
            return Err(
                Error::training(message).with_hint("leave rare pieces out: counts.prune(2)")
            );
        }
        let total = count.checked_mul(len).and_then(|tokens| tokens.checked_add(self.total));
        self.total = total.filter(|&total| total <= MOST_TOTAL).ok_or_else(|| {
            Error::training(format!(
                "the pieces have more than {MOST_TOTAL} tokens in all, each as often as it occurs"
            ))
        })?;
        self.ends.push(end as u32);
        self.counts.push(count);
        Ok(())
    }

    /// Adds the pieces of one more source; see [`MergeRules::sizes`].
    pub fn push_source(&mut self, words: &TrainingWords) -> Result<()> {
        self.sources.push(self.len());
        words.iter().try_for_each(|(tokens, count)| self.push(tokens.iter().copied(), count))
    }

    /// The pieces of each source, as ranges.
    fn sources(&self) -> Vec<Range<usize>> {
        let starts = if self.sources.is_empty() { &[0][..] } else { &self.sources };
        let ends = starts[1..].iter().copied().chain([self.len()]);
        starts.iter().zip(ends).map(|(&start, end)| start..end).collect()
    }

    /// Replaces every token by `name` of it.
    pub fn rename(&mut self, name: impl Fn(TokenId) -> TokenId) {
        self.tokens.iter_mut().for_each(|token| *token = name(*token));
    }

    /// How many pieces there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The piece with this number.
    fn piece(&self, number: u32) -> &[TokenId] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.tokens[start as usize..self.ends[number as usize] as usize]
    }

    /// The pieces and their counts.
    fn iter(&self) -> impl Iterator<Item = (&[TokenId], Count)> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let piece = move |(start, end): (u32, u32)| &self.tokens[start as usize..end as usize];
        starts.zip(self.ends.iter().copied()).map(piece).zip(self.counts.iter().copied())
    }
}

impl MergeRules {
    /// Rules for `merges` merges, whose tokens have the ids from `next` on, and defaults for the rest.
    pub fn new(merges: usize, next: TokenId) -> MergeRules {
        MergeRules {
            merges,
            tokens: usize::MAX,
            next,
            listed: Vec::new(),
            ties: Ties::default(),
            min_count: 1,
            max_length: None,
            lengths: Vec::new(),
            score: Score::default(),
            prefix: Vec::new(),
            forbidden: Vec::new(),
            apart: None,
            sizes: Vec::new(),
            threads: 1,
        }
    }
}

/// Learns merges. Adds the new tokens to `vocab`, which has all tokens of the words. `watch` is called with
/// the number of merges every 50 ms or so, but not while all pairs are counted; an error that it returns ends the
/// training.
pub fn learn(
    words: TrainingWords,
    vocab: &mut Vocab,
    rules: &MergeRules,
    watch: &mut dyn FnMut(usize) -> Result<()>,
    control: &mut dyn Control,
) -> Result<Learned> {
    let most = rules.merges.min(rules.tokens).min(words.tokens.len());
    // One more id for the token of a merge that may turn out to exist already.
    match rules.next as usize + most < usize::from(u16::MAX) {
        true => learn_in::<u16>(words, vocab, rules, THRESHOLDS, watch, control),
        false => learn_in::<u32>(words, vocab, rules, THRESHOLDS, watch, control),
    }
}

/// The same with cells that are wide enough for all ids.
fn learn_in<C: cells::TokenCell>(
    words: TrainingWords,
    vocab: &mut Vocab,
    rules: &MergeRules,
    thresholds: by_count::Thresholds,
    watch: &mut dyn FnMut(usize) -> Result<()>,
    control: &mut dyn Control,
) -> Result<Learned> {
    let begin = Instant::now();
    let sources = by_parity::sources(&words, rules);
    let totals = (rules.score == Score::Likelihood).then(|| by_likelihood::totals(&words, rules));
    let index = PairIndex::<C>::new(words, vocab, rules, TrainingProgress::new(watch), control)?;
    match totals {
        Some(totals) => by_likelihood::learn(index, totals, begin),
        None if rules.sizes.is_empty() => by_count::learn(index, thresholds, begin),
        None => by_parity::learn(index, sources, thresholds, begin),
    }
}

#[cfg(test)]
mod tests;

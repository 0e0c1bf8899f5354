/*!
Pieces with scores: fitted to the segments, and pruned.

```text
fit     cut all segments as well as possible; a piece that is used n times has the score ln n - ln of all uses
prune   how much worse would the text be without a piece? The most important ones stay
```

The best cut of a segment is found from left to right (Viterbi): the best way to every place ends with some piece, before
which stands the best way to the place where that piece starts.
*/

use std::cmp::Ordering;

use super::seeds::Seeds;
use super::{Count, Segments};
use crate::error::Result;
use crate::trie::{ROOT, ScoredTrie, Trie};
use crate::types::TokenId;
use crate::vocab::Vocab;
use crate::{interrupt, parallel};

/// How many segments, or pieces, make a job.
const JOB: usize = 1 << 12;

/// Cutting a segment is about this much more work for each byte than reading it.
const CUT_WORK: usize = 8;

/// The pieces, by id.
#[derive(Debug)]
pub(super) struct Pieces {
    vocab: Vocab,
    trie: Trie,
    scores: Vec<f64>,
    /// The same pieces and scores, as the best ways are searched for.
    scored: ScoredTrie,
    /// How many of them are single characters: the first ones.
    characters: usize,
}

/// The best way to a place in a segment.
#[derive(Debug, Clone, Copy)]
struct Way {
    score: f64,
    start: u32,
    id: TokenId,
}

const NO_WAY: Way = Way { score: f64::NEG_INFINITY, start: 0, id: 0 };

impl Pieces {
    /// Characters and seeds; the more of the text a piece makes up, the higher its score.
    pub(super) fn new(characters: &[(char, Count)], seeds: &Seeds, text: &[u8]) -> Result<Pieces> {
        let (mut vocab, mut weights) =
            (Vocab::with_capacity(characters.len() + seeds.0.len()), Vec::new());
        for (c, count) in characters {
            vocab.insert(weights.len() as TokenId, c.encode_utf8(&mut [0; 4]).as_bytes())?;
            weights.push(u128::from(*count));
        }
        for seed in &seeds.0 {
            let spelled = &text[seed.at as usize..][..seed.bytes as usize];
            vocab.insert(weights.len() as TokenId, spelled)?;
            weights.push(u128::from(seed.count) * u128::from(seed.characters));
        }
        Ok(Pieces::with_scores(vocab, logarithms(&weights), characters.len()))
    }

    fn with_scores(vocab: Vocab, scores: Vec<f64>, characters: usize) -> Pieces {
        let trie = Trie::new(&vocab, b"");
        let scored = ScoredTrie::new(&trie, |id| scores[id as usize]);
        Pieces { vocab, trie, scores, scored, characters }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.scores.len()
    }

    /// Takes the uses in the best cuts for probabilities, and returns them. What is not used counts as used once.
    pub(super) fn fit(&mut self, segments: &Segments, threads: usize) -> Result<Vec<Count>> {
        let used = self.uses(segments, threads)?;
        let at_least_once: Vec<u128> = used.iter().map(|&uses| u128::from(uses.max(1))).collect();
        self.scores = logarithms(&at_least_once);
        self.scored = ScoredTrie::new(&self.trie, |id| self.scores[id as usize]);
        Ok(used)
    }

    /// Keeps the single characters and the most important of the others, `size` in all. `used`: how often each is
    /// part of the best cuts.
    pub(super) fn prune(&mut self, used: &[Count], size: usize, threads: usize) -> Result<()> {
        let total: u128 = used.iter().map(|&uses| u128::from(uses)).sum();
        let (first, last) = (self.characters, self.len());
        let jobs = (last - first).div_ceil(JOB);
        let losses = parallel::map(jobs, threads, |jobs| {
            let mut ways = Vec::new();
            jobs.map(|job| {
                let start = first + job * JOB;
                let of_job = start..(start + JOB).min(last);
                interrupt::worked(CUT_WORK * JOB)?;
                let loss = |id: usize| Some((self.loss(id, used, total, &mut ways)?, id));
                Ok(of_job.filter_map(loss).collect::<Vec<_>>())
            })
        })?;
        let mut losses = losses.concat();
        let spelled = |id: usize| self.vocab.bytes_of(id as TokenId).unwrap_or_default();
        let order = |a: &(f64, usize), b: &(f64, usize)| -> Ordering {
            b.0.total_cmp(&a.0).then_with(|| spelled(a.1).cmp(spelled(b.1)))
        };
        losses.sort_unstable_by(order);
        losses.truncate(size.saturating_sub(first));
        let kept = (0..first).chain(losses.iter().map(|(_, id)| *id));
        let (mut vocab, mut scores) = (Vocab::with_capacity(size), Vec::with_capacity(size));
        for id in kept {
            vocab.insert(scores.len() as TokenId, spelled(id))?;
            scores.push(self.scores[id]);
        }
        *self = Pieces::with_scores(vocab, scores, first);
        Ok(())
    }

    /// The pieces with their scores, the highest first, of equals the one that sorts first.
    pub(super) fn by_score(&self) -> Vec<(&str, f64)> {
        let mut pieces: Vec<(&str, f64)> = self
            .vocab
            .iter()
            .filter_map(|(id, piece)| {
                Some((std::str::from_utf8(piece).ok()?, self.scores[id as usize]))
            })
            .collect();
        pieces.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        pieces
    }

    /// How often each piece is part of the best cut of a segment.
    fn uses(&self, segments: &Segments, threads: usize) -> Result<Vec<Count>> {
        let jobs = segments.places.len().div_ceil(JOB);
        let parts = parallel::run(jobs, threads, |jobs| -> Result<Vec<Count>> {
            let mut used = vec![0; self.len()];
            let mut ways = Vec::new();
            while let Some(job) = jobs.next() {
                let last = segments.places.len().min((job + 1) * JOB);
                for number in job * JOB..last {
                    let (segment, count) = segments.get(number);
                    interrupt::worked(CUT_WORK * segment.len())?;
                    self.find_ways(segment, None, &mut ways);
                    let mut end = segment.len();
                    while end > 0 {
                        let Way { start, id, .. } = ways[end];
                        let uses: &mut Count = &mut used[id as usize];
                        *uses = uses.saturating_add(count);
                        end = start as usize;
                    }
                }
            }
            Ok(used)
        })?;
        let mut all = vec![0; self.len()];
        for part in parts {
            let add = |(all, uses): (&mut Count, Count)| *all = all.saturating_add(uses);
            all.iter_mut().zip(part?).for_each(add);
        }
        Ok(all)
    }

    /// How much worse the text would be without a piece; none if it is not used, or never would be.
    fn loss(&self, id: usize, used: &[Count], total: u128, ways: &mut Vec<Way>) -> Option<f64> {
        let count = used[id];
        if count == 0 {
            return None;
        }
        let piece = self.vocab.bytes_of(id as TokenId)?;
        self.find_ways(piece, Some(id as TokenId), ways);
        if ways[piece.len()].score >= self.scores[id] {
            return None;
        }
        let mut parts = Vec::new();
        let mut end = piece.len();
        while end > 0 {
            parts.push(ways[end].id);
            end = ways[end].start as usize;
        }
        let total_without = (total + u128::from(count) * (parts.len() as u128 - 1)) as f64;
        let total_without = total_without.ln();
        let mut without = 0.0;
        for &part in parts.iter().rev() {
            let uses = u128::from(used[part as usize]) + u128::from(count);
            without += (uses as f64).ln() - total_without;
        }
        let count = count as f64;
        Some(count * (count.ln() - (total as f64).ln() - without))
    }

    /// The best ways to all places of a segment, by pieces other than `without`.
    fn find_ways(&self, segment: &[u8], without: Option<TokenId>, ways: &mut Vec<Way>) {
        ways.clear();
        ways.resize(segment.len() + 1, NO_WAY);
        ways[0].score = 0.0;
        let root = self.trie.base(ROOT);
        for start in 0..segment.len() {
            let score = ways[start].score;
            // Only where a character starts is there a way.
            if score == f64::NEG_INFINITY {
                continue;
            }
            self.scored.prefixes(root, &segment[start..], |id, of_piece, len| {
                let sum = score + of_piece;
                let way = &mut ways[start + len];
                if sum > way.score && without != Some(id) {
                    *way = Way { score: sum, start: start as u32, id };
                }
            });
        }
    }
}

/// The logarithms of the probabilities that counts stand for.
fn logarithms(counts: &[u128]) -> Vec<f64> {
    let total = (counts.iter().sum::<u128>() as f64).ln();
    counts.iter().map(|&count| (count as f64).ln() - total).collect()
}

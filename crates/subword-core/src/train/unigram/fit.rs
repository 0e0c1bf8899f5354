/*!
Pieces with scores: fitted to the segments, and pruned.

```text
fit     cut all segments as well as possible; a piece that is used n times has the score ln n - ln of all uses
prune   how much worse would the text be without a piece? The most important ones stay
```

The best cuts are found by `lattice`. That of a piece by itself is found where the piece stands in some segment.
*/

use std::cmp::Ordering;
use std::sync::Mutex;

use super::lattice::{Lattices, Ways};
use super::seeds::Seeds;
use super::{Count, Segments};
use crate::error::Result;
use crate::trie::Trie;
use crate::types::TokenId;
use crate::vocab::Vocab;
use crate::{interrupt, parallel};

/// How many segments, or pieces, make a job.
const JOB: usize = 1 << 12;

/// How important a piece is takes about as long as reading this many bytes.
const LOSS_WORK: usize = 64;

/// The pieces, by number.
#[derive(Debug)]
pub(super) struct Pieces<'t> {
    spelled: Vec<&'t [u8]>,
    scores: Vec<f64>,
    /// How many characters each has, and where it stands: in which lattices, from which character on.
    places: Vec<Place>,
    /// How many of them are single characters: the first ones.
    characters: usize,
    /// The segments, `JOB` at a time.
    lattices: Vec<Mutex<Lattices>>,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    length: u32,
    lattices: u32,
    start: u32,
}

const NO_PLACE: u32 = u32::MAX;

impl<'t> Pieces<'t> {
    /// Characters and seeds; the more of the text a piece makes up, the higher its score. `letters` are the characters,
    /// one after the other.
    pub(super) fn new(
        characters: &[(char, Count)],
        letters: &'t str,
        seeds: &Seeds,
        segments: &'t Segments,
        threads: usize,
    ) -> Result<Pieces<'t>> {
        let most = characters.len() + seeds.0.len();
        let (mut spelled, mut weights) = (Vec::with_capacity(most), Vec::with_capacity(most));
        let mut places = Vec::with_capacity(most);
        let mut add = |text: &'t [u8], count: Count, length: u32| {
            spelled.push(text);
            weights.push(u128::from(count) * u128::from(length));
            places.push(Place { length, lattices: NO_PLACE, start: 0 });
        };
        for ((at, c), (_, count)) in letters.char_indices().zip(characters) {
            add(&letters.as_bytes()[at..at + c.len_utf8()], *count, 1);
        }
        for seed in &seeds.0 {
            let text = &segments.text[seed.at as usize..][..seed.bytes as usize];
            add(text, seed.count, seed.characters);
        }
        let lattices = lattices(&spelled, segments, threads)?;
        for (number, lattices) in (0..).zip(&lattices) {
            parallel::locked(lattices).each_place(|id, start| {
                let place = &mut places[id as usize];
                if place.lattices == NO_PLACE {
                    *place = Place { lattices: number, start, ..*place };
                }
            });
            interrupt::worked(JOB * LOSS_WORK)?;
        }
        let (scores, characters) = (logarithms(&weights), characters.len());
        Ok(Pieces { spelled, scores, places, characters, lattices })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.scores.len()
    }

    /// Takes the uses in the best cuts for probabilities, and returns them. What is not used counts as used once.
    pub(super) fn fit(&mut self, threads: usize) -> Result<Vec<Count>> {
        let used = self.uses(threads)?;
        let at_least_once: Vec<u128> = used.iter().map(|&uses| u128::from(uses.max(1))).collect();
        self.scores = logarithms(&at_least_once);
        Ok(used)
    }

    /// Keeps the single characters and the most important of the others, `size` in all. `used`: how often each is
    /// part of the best cuts.
    pub(super) fn prune(&mut self, used: &[Count], size: usize, threads: usize) -> Result<()> {
        let mut losses = self.losses(used, threads)?;
        let order = |a: &(f64, usize), b: &(f64, usize)| -> Ordering {
            let spelled = || self.spelled[a.1].cmp(self.spelled[b.1]);
            b.0.total_cmp(&a.0).then_with(spelled)
        };
        losses.sort_unstable_by(order);
        losses.truncate(size.saturating_sub(self.characters));
        let kept: Vec<usize> =
            (0..self.characters).chain(losses.iter().map(|(_, id)| *id)).collect();
        let mut new_ids = vec![None; self.len()];
        kept.iter().zip(0..).for_each(|(&id, new)| new_ids[id] = Some(new));
        parallel::map(self.lattices.len(), threads, |jobs| {
            jobs.map(|job| {
                parallel::locked(&self.lattices[job]).keep(&new_ids);
                interrupt::worked(JOB * LOSS_WORK)
            })
        })?;
        self.spelled = kept.iter().map(|&id| self.spelled[id]).collect();
        self.scores = kept.iter().map(|&id| self.scores[id]).collect();
        self.places = kept.iter().map(|&id| self.places[id]).collect();
        Ok(())
    }

    /// The pieces with their scores, the highest first, of equals the one that sorts first.
    pub(super) fn by_score(&self) -> Vec<(&'t [u8], f64)> {
        let mut pieces: Vec<(&[u8], f64)> =
            self.spelled.iter().copied().zip(self.scores.iter().copied()).collect();
        pieces.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        pieces
    }

    /// How often each piece is part of the best cut of a segment.
    fn uses(&self, threads: usize) -> Result<Vec<Count>> {
        let parts = parallel::run(self.lattices.len(), threads, |jobs| -> Result<Vec<Count>> {
            let (mut used, mut ways) = (vec![0; self.len()], Ways::default());
            while let Some(job) = jobs.next() {
                let lattices = parallel::locked(&self.lattices[job]);
                lattices.add_uses(&self.scores, &mut ways, &mut used)?;
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

    /// How much worse the text would be without each piece of several characters; those without which it would be no
    /// worse are left out.
    fn losses(&self, used: &[Count], threads: usize) -> Result<Vec<(f64, usize)>> {
        let total: u128 = used.iter().map(|&uses| u128::from(uses)).sum();
        // In the order of their places, so that each of the lattices is needed by one job only.
        let mut ids: Vec<usize> =
            (self.characters..self.len()).filter(|&id| used[id] > 0).collect();
        ids.sort_unstable_by_key(|&id| (self.places[id].lattices, self.places[id].start));
        let jobs: Vec<&[usize]> =
            ids.chunk_by(|&a, &b| self.places[a].lattices == self.places[b].lattices).collect();
        let losses = parallel::map(jobs.len(), threads, |numbers| {
            let mut ways = Ways::default();
            numbers.map(|job| {
                let ids = jobs[job];
                let lattices =
                    parallel::locked(&self.lattices[self.places[ids[0]].lattices as usize]);
                let loss =
                    |&id: &usize| Some((self.loss(id, &lattices, used, total, &mut ways)?, id));
                let losses: Vec<(f64, usize)> = ids.iter().filter_map(loss).collect();
                interrupt::worked(LOSS_WORK * ids.len())?;
                Ok(losses)
            })
        })?;
        Ok(losses.concat())
    }

    /// How much worse the text would be without a piece; none if it would never be used.
    fn loss(
        &self,
        id: usize,
        lattices: &Lattices,
        used: &[Count],
        total: u128,
        ways: &mut Ways,
    ) -> Option<f64> {
        let (count, Place { start, length, .. }) = (used[id], self.places[id]);
        let (start, end) = (start as usize, (start + length) as usize);
        lattices.find_ways(start, end, Some(id as TokenId), &self.scores, ways);
        if ways.score() >= self.scores[id] {
            return None;
        }
        let parts: Vec<TokenId> = ways.pieces().collect();
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
}

/// The lattices of all segments.
fn lattices(
    spelled: &[&[u8]],
    segments: &Segments,
    threads: usize,
) -> Result<Vec<Mutex<Lattices>>> {
    let mut vocab = Vocab::with_capacity(spelled.len());
    for (piece, id) in spelled.iter().zip(0..) {
        vocab.insert(id, piece)?;
    }
    let (trie, count) = (Trie::new(&vocab, b""), segments.places.len());
    drop(vocab);
    parallel::map(count.div_ceil(JOB), threads, |jobs| {
        jobs.map(|job| {
            let numbers = job * JOB..count.min((job + 1) * JOB);
            Lattices::new(segments, numbers, &trie).map(Mutex::new)
        })
    })
}

/// The logarithms of the probabilities that counts stand for.
fn logarithms(counts: &[u128]) -> Vec<f64> {
    let total = (counts.iter().sum::<u128>() as f64).ln();
    counts.iter().map(|&count| (count as f64).ln() - total).collect()
}

/*!
Where a run of words may be cut before its tokens merge to superwords.

A model with superwords merges over the ends of words, so a sentence is one piece. Its first merges stay within words,
though, and by rank they all come before the others:

```text
merges   0 .. 39,000    o+f  ␣+of  ␣+the ...     early: no token has a space behind anything else
         39,000 ..      ␣of+␣the ...             late, from the first that has one
text     one of the few   ->   one . ␣of . ␣the . ␣few      words, merged one by one by the early merges
                          ->   one . ␣of␣the . ␣few         all merges, over the tokens of the words
```

So the second step starts where merging the piece as a whole would have come to when no early pair is left, and goes on
by all merges. It is short, too: two tokens may be cut apart if no late merge has the first as the last token of its
left side and the second as the first token of its right side. These pairs, the *seams*, are bits indexed by a hash. Two
pairs may share a bit; then a cut is missed, which costs time, but never changes the ids.

The models that this is true of: an early merge joins bytes and what early merges made, a late one what came before it,
and makes a token that nothing made before. Training gives no others.
*/

use super::Merger;
use super::long;
use super::pairs::PairView;
use super::{HeapScratch, NO_RANK};
use crate::error::Result;
use crate::memory;
use crate::model::{Merges, Model};
use crate::seed::Seed;
use crate::types::{Pair, TokenId};

/// Up to this many tokens a run is merged by a scan.
const SCAN: usize = 24;

/// A model has superwords if at least one of so many merges goes over the end of a word.
const EXCEPTIONS: usize = 64;

/// How many bits there are for each seam.
const BITS: usize = 32;

/// Which two tokens of words a late merge may join.
#[derive(Debug)]
pub struct Seams {
    bits: Vec<u64>,
    shift: u32,
    factor: u64,
    /// How many merges are early.
    early: usize,
}

impl Seams {
    /// The seams of a model; none if it has no superwords.
    pub fn of(model: &Model) -> Option<Seams> {
        let Merges::Listed(merges) = &model.merges else { return None };
        let bytes_of = |id: TokenId| model.vocab.bytes_of(id).unwrap_or_default();
        let joined = |&(left, right): &Pair| [bytes_of(left), bytes_of(right)].concat();
        let over_ends = merges.iter().filter(|pair| is_late(&joined(pair))).count();
        if over_ends * EXCEPTIONS < merges.len() {
            return None;
        }
        let early = merges.iter().position(|pair| is_late(&joined(pair)))?;
        // The first and the last token of words in each token, as far as they are known.
        let mut edges: Vec<Option<Pair>> = vec![None; model.vocab.id_limit() as usize];
        for (id, token) in model.vocab.iter() {
            edges[id as usize] = (token.len() == 1).then_some((id, id));
        }
        let mut seams = Vec::with_capacity(merges.len() - early);
        for (rank, pair) in merges.iter().enumerate() {
            let made = model.vocab.id_of(&joined(pair))?;
            let (left, right) = (edges[pair.0 as usize]?, edges[pair.1 as usize]?);
            if rank < early {
                edges[made as usize] = Some((made, made));
                continue;
            }
            seams.push((left.1, right.0));
            if edges[made as usize].replace((left.0, right.1)).is_some() {
                return None;
            }
        }
        let bits = (seams.len() * BITS).next_power_of_two().max(64);
        let mut all = Seams {
            bits: vec![0; bits / 64],
            shift: u64::BITS - bits.trailing_zeros(),
            factor: Seed::default().odd | 1,
            early,
        };
        for (left, right) in seams {
            let bit = all.bit(left, right);
            all.bits[bit / 64] |= 1 << (bit % 64);
        }
        Some(all)
    }

    /// The early merges of a model, and the tokens that they start from and make.
    pub fn early<'m>(&self, model: &'m Model) -> (&'m [Pair], Vec<(TokenId, &'m [u8])>) {
        let merges = match &model.merges {
            Merges::Listed(merges) => &merges[..self.early],
            Merges::Ranked => &[],
        };
        let mut is_early = vec![false; model.vocab.id_limit() as usize];
        let mut joined = Vec::new();
        for &(left, right) in merges {
            joined.clear();
            joined
                .extend([left, right].iter().filter_map(|&id| model.vocab.bytes_of(id)).flatten());
            model.vocab.id_of(&joined).into_iter().for_each(|id| is_early[id as usize] = true);
        }
        let tokens = model.vocab.iter();
        (merges, tokens.filter(|(id, token)| token.len() == 1 || is_early[*id as usize]).collect())
    }

    #[inline(always)]
    fn bit(&self, left: TokenId, right: TokenId) -> usize {
        let pair = u64::from(left) << 32 | u64::from(right);
        // The high half goes through a multiplication of its own, or its top bits would be lost.
        let mixed = pair ^ u64::from(left).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed.wrapping_mul(self.factor) >> self.shift) as usize
    }

    #[inline(always)]
    fn joins(&self, left: TokenId, right: TokenId) -> bool {
        let bit = self.bit(left, right);
        self.bits[bit / 64] >> (bit % 64) & 1 == 1
    }
}

/// Whether a token has a space behind a character that is not white.
fn is_late(token: &[u8]) -> bool {
    token.utf8_chunks().any(|chunk| {
        let characters = chunk.valid().chars();
        characters
            .clone()
            .zip(characters.skip(1))
            .any(|(c, next)| next == ' ' && !c.is_whitespace())
    })
}

impl Merger {
    /// Appends what all merges make of the tokens of the words of one piece.
    pub fn merge_words(
        &self,
        words: &[TokenId],
        seams: &Seams,
        long: &mut HeapScratch,
        ids: &mut Vec<TokenId>,
    ) -> Result<()> {
        // A merge list has its tables from the start.
        let Some(tables) = self.tables.get() else { return memory::extend(ids, words) };
        let view = tables.pairs.view();
        memory::reserve(ids, words.len())?;
        let mut rest = words;
        while let Some(&first) = rest.first() {
            let mut len = 1;
            let mut last = first;
            while let Some(&next) = rest.get(len)
                && seams.joins(last, next)
            {
                last = next;
                len += 1;
            }
            let (run, after) = rest.split_at(len);
            rest = after;
            match *run {
                [one] => ids.push(one),
                [left, right] => match view.rank(left, right) {
                    NO_RANK => ids.extend([left, right]),
                    rank => ids.push(view.merged(rank)),
                },
                _ if len <= SCAN => scan(view, run, ids),
                _ => long::merge(&tables.pairs, run.iter().copied(), long, ids)?,
            }
        }
        Ok(())
    }
}

/// Merges a short run by scanning for the lowest rank, the leftmost of equals.
fn scan(view: PairView<'_>, run: &[TokenId], ids: &mut Vec<TokenId>) {
    let mut tokens = [0; SCAN];
    let mut ranks = [NO_RANK; SCAN];
    let mut len = run.len();
    tokens[..len].copy_from_slice(run);
    for at in 0..len - 1 {
        ranks[at] = view.rank(tokens[at], tokens[at + 1]);
    }
    loop {
        // Of equals, `min_by_key` takes the first.
        let lowest = ranks[..len - 1].iter().enumerate().min_by_key(|(_, rank)| **rank);
        let Some((at, &rank)) = lowest.filter(|(_, rank)| **rank != NO_RANK) else { break };
        tokens[at] = view.merged(rank);
        tokens.copy_within(at + 2..len, at + 1);
        ranks.copy_within(at + 1..len, at);
        len -= 1;
        ranks[len - 1] = NO_RANK;
        if at + 1 < len {
            ranks[at] = view.rank(tokens[at], tokens[at + 1]);
        }
        if at > 0 {
            ranks[at - 1] = view.rank(tokens[at - 1], tokens[at]);
        }
    }
    ids.extend_from_slice(&tokens[..len]);
}

/*!
One piece to token ids: byte-pair encoding by rank.

Start with one token per byte, or as `first` says. Find the adjacent pair with the lowest rank, the
leftmost of equals, replace it by its merged token, repeat until no adjacent pair has a rank. With
merges `l+o` (rank 0) and `lo+w` (rank 1):

```text
l o w e r   ->   lo w e r   ->   low e r
```

A pair can have a rank in two ways, and the model says which one holds. With a merge list, a pair has a rank if it is
in the list; the rank is its position. With token ranks, a pair has a rank if its concatenation is a token; the
rank is the id of that token. Both become one table of pairs here (`pairs`).

Invariants
* Concatenated, the tokens always spell the piece: a merge removes a boundary, never a byte.
* Equal pairs merge leftmost first (`aaa` holds `a+a` twice).

The same answer is computed in several ways, depending on the piece:

| file    | which pieces                        | how                                              |
|---------|-------------------------------------|--------------------------------------------------|
| `plain` | the first ones after loading        | by look-ups in the vocabulary, without the table |
| `short` | up to 64 bytes                      | by scanning a small array for the lowest rank    |
| `long`  | longer ones                         | by a priority queue over a linked list           |
| `joins` | longer ones, before they are merged | cut at boundaries that no token spans            |
| `seams` | words that are merged over their ends | cut where no merge joins two tokens of words     |

Where merges are left out at random, `dropout` merges any piece, by another queue.
*/

mod characters;
mod dropout;
mod first;
mod joins;
mod long;
mod pairs;
mod plain;
mod seams;
mod short;
mod singles;

pub use joins::{CUTS, Joins};
pub use long::HeapScratch;
pub use seams::Seams;
pub use singles::{SINGLE, Singles};

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::Result;
use crate::mem::FirstUse;
use crate::model::{Merges, Model};
use crate::simd::Level;
use crate::types::TokenId;
use crate::vocab::Vocab;
use crate::{interrupt, memory};

use characters::Characters;
use first::First;
use pairs::Pairs;

/// Up to this many bytes the scan is used, above it the heap.
pub const LONGEST_SHORT: usize = 64;

/// How much is merged by the vocabulary alone before the tables are made, in units of [`plain::cost`]: about a
/// tenth of the time that making the tables of o200k takes.
const PLAIN_COST: usize = 1 << 16;

/// How many pieces are merged by the scan between two calls of `interrupt::worked`.
const SHORT_ONES: usize = 1 << 12;

/// The rank of a pair that is never merged.
const NO_RANK: u32 = u32::MAX;

/// Stands for the id of a byte that has no token. Only bytes that never occur in UTF-8 may lack one (see
/// `Model::checked`).
const NO_TOKEN: TokenId = TokenId::MAX;

/// Where a piece starts and ends in its text.
type PieceBounds = (usize, usize);

/// Merges pieces. Methods that take a vocabulary expect that of the model that the merger was made from.
#[derive(Debug)]
pub struct Merger {
    /// The tables of pairs. For a merge list they are built at once; for token ranks, after enough pieces were
    /// merged without them.
    tables: FirstUse<Tables>,
    /// The cost of all pieces that were merged without the tables, in units of [`plain::cost`].
    spent: AtomicUsize,
    /// Whether a whole piece that is a token becomes that token, whatever the merges say.
    ignore_merges: bool,
    /// The id of each single byte, or [`NO_TOKEN`].
    byte_ids: [TokenId; 256],
    level: Level,
    /// What words start as, for models that do not start from plain bytes.
    first: First,
    /// What pieces start as, for models that start from characters and fall back to bytes.
    characters: Option<Characters>,
}

#[derive(Debug)]
struct Tables {
    pairs: Pairs,
    /// With `ignore_merges`, the tokens that merging their own bytes does not produce. There are few of them, or
    /// none.
    whole: HashMap<Box<[u8]>, TokenId>,
    /// The ids of all characters of three bytes, computed when they are first needed.
    singles: FirstUse<Singles>,
}

/// The ids of some pieces, and buffers that are kept between calls.
#[derive(Debug, Default)]
pub struct Merged {
    /// The ids of all pieces, not in the order of the pieces.
    ids: Vec<TokenId>,
    /// For each piece, the range of its ids in `ids`.
    spans: Vec<PieceBounds>,
    short: short::ScanScratch,
    long: long::HeapScratch,
    /// The tokens that a word starts as, or those of all pieces.
    tokens: Vec<TokenId>,
    /// For each piece, the range of its first tokens in `tokens`. Empty for a piece that starts from bytes.
    firsts: Vec<PieceBounds>,
}

impl Merged {
    /// Empties it, for pieces whose ids are found otherwise.
    pub fn clear(&mut self) {
        self.ids.clear();
        self.spans.clear();
    }

    /// Adds the ids of a piece.
    pub fn push(&mut self, ids: &[TokenId]) -> Result<()> {
        let start = self.ids.len();
        memory::extend(&mut self.ids, ids)?;
        memory::extend(&mut self.spans, &[(start, self.ids.len())])
    }

    /// How many ids all pieces have.
    pub fn count(&self) -> usize {
        self.ids.len()
    }

    /// The ids of the i-th piece.
    pub fn ids_of(&self, i: usize) -> &[TokenId] {
        let (start, end) = self.spans[i];
        &self.ids[start..end]
    }
}

impl Merger {
    /// Prepares a checked model's merges. The one error is that of [`Level::chosen`].
    pub fn new(model: &Model) -> Result<Merger> {
        let byte_id = |byte: usize| model.vocab.id_of(&[byte as u8]).unwrap_or(NO_TOKEN);
        Merger::with_bytes(model, std::array::from_fn(byte_id), None)
    }

    /// Prepares a merge list whose pieces start from characters. A character that is no token starts as its bytes;
    /// `bytes` are the tokens of these, where there are any.
    pub fn from_characters(model: &Model, bytes: &[Option<TokenId>; 256]) -> Result<Merger> {
        let characters = Characters::new(&model.vocab, bytes.map(|id| id.unwrap_or(NO_TOKEN)));
        Merger::with_bytes(model, characters.byte_ids(), Some(characters))
    }

    fn with_bytes(
        model: &Model,
        byte_ids: [TokenId; 256],
        characters: Option<Characters>,
    ) -> Result<Merger> {
        let merger = Merger {
            tables: FirstUse::new(),
            spent: AtomicUsize::new(0),
            ignore_merges: model.ignore_merges,
            byte_ids,
            level: Level::chosen()?,
            first: First::new(model),
            characters,
        };
        if let Merges::Listed(pairs) = &model.merges {
            let all = model.vocab.iter().map(|(id, _)| id).collect();
            let listed = Pairs::listed(&model.vocab, pairs);
            merger.tables.get_or_try_make(|| merger.tables_of(&model.vocab, listed, all))?;
        }
        Ok(merger)
    }

    /// The tables, built now if they do not exist yet.
    fn tables(&self, vocab: &Vocab) -> Result<&Tables> {
        self.tables.get_or_try_make(|| {
            Merger::try_memory(vocab.len())?;
            let merge =
                |pairs: &Pairs, text: &[u8], places: &[PieceBounds], merged: &mut Merged| {
                    self.merge_by(pairs, text, places, merged)
                };
            let (pairs, unmade) = Pairs::ranked(vocab, &self.byte_ids, merge)?;
            self.tables_of(vocab, pairs, unmade)
        })
    }

    /// The tables, built if enough was merged without them; none if merging these pieces without them is cheaper.
    fn tables_for(&self, vocab: &Vocab, places: &[PieceBounds]) -> Result<Option<&Tables>> {
        if let Some(tables) = self.tables.get() {
            return Ok(Some(tables));
        }
        let cost = places.iter().map(|(start, end)| plain::cost(end - start)).sum();
        let spent = self.spent.fetch_add(cost, Ordering::Relaxed).saturating_add(cost);
        if spent <= PLAIN_COST {
            return Ok(None);
        }
        self.tables(vocab).map(Some)
    }

    /// An error if there is no memory for tables of this many pairs.
    pub(crate) fn try_memory(pairs: usize) -> Result<()> {
        memory::probe::<u64>(8 * pairs)
    }

    /// Completes the tables. Each of the `doubtful` tokens is merged from its own bytes, to find those that merging
    /// does not produce.
    fn tables_of(&self, vocab: &Vocab, pairs: Pairs, doubtful: Vec<TokenId>) -> Result<Tables> {
        let mut whole = HashMap::new();
        if self.ignore_merges {
            let mut merged = Merged::default();
            let token = |id: TokenId| vocab.bytes_of(id).map(|bytes| (id, bytes));
            let longer =
                doubtful.into_iter().filter_map(token).filter(|(_, bytes)| bytes.len() > 1);
            for (id, bytes) in longer {
                self.merge_by(&pairs, bytes, &[(0, bytes.len())], &mut merged)?;
                if merged.ids_of(0) != [id] {
                    whole.insert(bytes.into(), id);
                }
            }
        }
        Ok(Tables { pairs, whole, singles: FirstUse::new() })
    }

    /// The bytes that have no token, usually none. A text that contains one of them cannot be encoded.
    pub fn missing_bytes(&self) -> Vec<u8> {
        (0..=255).filter(|&byte| self.byte_ids[usize::from(byte)] == NO_TOKEN).collect()
    }

    /// The id of a piece that `ignore_merges` makes one token. None for any other piece, and possibly also for a piece
    /// that merging turns into that token anyway.
    #[inline]
    pub fn whole(&self, vocab: &Vocab, piece: &[u8]) -> Option<TokenId> {
        match self.tables.get() {
            Some(tables) if tables.whole.is_empty() => None,
            Some(tables) => tables.whole.get(piece).copied(),
            None if self.ignore_merges => {
                let found = vocab.id_of(piece)?;
                // Merged, it would have cost this: the tables are made after as much text as with such pieces merged.
                self.spent.fetch_add(plain::cost(piece.len()), Ordering::Relaxed);
                Some(found)
            }
            None => None,
        }
    }

    /// Whether the ids of a whole piece can differ from those of the same bytes as a part of a longer piece. Once this
    /// is false, it stays false.
    #[inline]
    pub fn tells_parts(&self) -> bool {
        self.tables.get().map_or(self.ignore_merges, |tables| !tables.whole.is_empty())
    }

    /// The ids of every character of three bytes. None if a whole piece can have other ids than a part of one. If
    /// `pays` is false, also none if the table does not exist yet: building it takes as long as merging 65,536 pieces.
    pub fn singles(&self, pays: bool) -> Option<&Singles> {
        let tables = self.tables.get().filter(|tables| tables.whole.is_empty())?;
        if !pays {
            return tables.singles.get();
        }
        if tables.singles.get().is_none() {
            let text = singles::all();
            let places: Vec<PieceBounds> =
                (0..text.len()).step_by(SINGLE).map(|start| (start, start + SINGLE)).collect();
            let mut merged = Merged::default();
            // The error can only be an interrupt, which the caller notices soon; until then it does without the table.
            self.merge_by(&tables.pairs, &text, &places, &mut merged).ok()?;
            tables.singles.get_or_make(|| Singles::new(|i| merged.ids_of(i)));
        }
        tables.singles.get()
    }

    /// Appends the ids of one whole piece, which contains none of the [`Merger::missing_bytes`].
    pub fn encode(
        &self,
        vocab: &Vocab,
        piece: &[u8],
        merged: &mut Merged,
        ids: &mut Vec<TokenId>,
    ) -> Result<()> {
        if let Some(id) = self.whole(vocab, piece) {
            return memory::extend(ids, &[id]);
        }
        self.merge(vocab, piece, &[(0, piece.len())], merged)?;
        memory::extend(ids, merged.ids_of(0))
    }

    /// Merges pieces of a text, given by their bounds. They contain none of the [`Merger::missing_bytes`].
    pub fn merge(
        &self,
        vocab: &Vocab,
        text: &[u8],
        places: &[PieceBounds],
        merged: &mut Merged,
    ) -> Result<()> {
        if let Some(tables) = self.tables_for(vocab, places)? {
            return self.merge_by(&tables.pairs, text, places, merged);
        }
        let Merged { ids, spans, .. } = merged;
        ids.clear();
        spans.clear();
        for &(start, end) in places {
            let first = ids.len();
            plain::merge(vocab, &text[start..end], ids);
            spans.push((first, ids.len()));
        }
        Ok(())
    }

    /// The same by a table of pairs: long pieces one by one, then all others side by side.
    fn merge_by(
        &self,
        pairs: &Pairs,
        text: &[u8],
        places: &[PieceBounds],
        merged: &mut Merged,
    ) -> Result<()> {
        let byte_ids = &self.byte_ids;
        let Merged { ids, spans, short, long, tokens, firsts } = merged;
        ids.clear();
        spans.clear();
        memory::fill_up(spans, places.len(), (0, 0))?;
        self.first_of_all(text, places, tokens, firsts)?;
        for (i, (&(start, end), span)) in places.iter().zip(spans.iter_mut()).enumerate() {
            if end - start > LONGEST_SHORT {
                let first = ids.len();
                match firsts.get(i) {
                    Some(&(from, to)) if from < to => {
                        long::merge(pairs, tokens[from..to].iter().copied(), long, ids)?;
                    }
                    _ => {
                        let bytes = text[start..end].iter();
                        let tokens = bytes.map(|&byte| byte_ids[usize::from(byte)]);
                        long::merge(pairs, tokens, long, ids)?;
                    }
                }
                *span = (first, ids.len());
            }
        }
        // A bounded number at a time, so that the work can be interrupted: a long piece has many parts.
        let mut firsts = firsts.chunks(SHORT_ONES);
        for (places, spans) in places.chunks(SHORT_ONES).zip(spans.chunks_mut(SHORT_ONES)) {
            let short_one = |&(start, end): &PieceBounds| (end - start).min(LONGEST_SHORT);
            let bytes = places.iter().map(short_one).sum();
            memory::reserve(ids, bytes)?;
            interrupt::worked(bytes)?;
            let scratch = &mut *short;
            let first =
                short::FirstTokens { byte_ids, tokens, firsts: firsts.next().unwrap_or_default() };
            self.level.run(short::Merge { pairs, first, text, places, scratch, ids, spans });
        }
        Ok(())
    }

    /// Collects the first tokens of all pieces, for models that start from characters. An ASCII piece starts as its
    /// bytes and gets an empty range.
    fn first_of_all(
        &self,
        text: &[u8],
        places: &[PieceBounds],
        tokens: &mut Vec<TokenId>,
        firsts: &mut Vec<PieceBounds>,
    ) -> Result<()> {
        firsts.clear();
        let Some(characters) = &self.characters else { return Ok(()) };
        tokens.clear();
        tokens.shrink_to(first::KEPT);
        memory::reserve(firsts, places.len())?;
        for &(start, end) in places {
            let (piece, from) = (&text[start..end], tokens.len());
            if !piece.is_ascii() {
                memory::reserve(tokens, piece.len())?;
                interrupt::worked(piece.len())?;
                characters.append(piece, tokens);
            }
            firsts.push((from, tokens.len()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;

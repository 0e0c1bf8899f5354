/*!
What a tokenizer makes of counted pieces: how often each token comes out, and the smaller tokenizer
without the tokens that never do.

```text
counts   "low": 5, "lower": 2       tokens  low lo we er ...
used     low: 7, er: 2
stays    low, er, and lo, which low is made of; the bytes
```

A piece is encoded once, however often it occurs, as a piece: neither normalised nor cut again.

A token stays if it comes out, or if a token that stays is made of it. A word that WordPiece gives up
has tokens too, up to the place where there is none; without them it might go on another way, so they
stay. Why nothing changes then for the pieces that were counted stands in `model/truncated`.
*/

use std::sync::Arc;

use super::{Threads, Tokenizer};
use crate::counts::Counts;
use crate::encode::Path;
use crate::error::{Error, Result};
use crate::formats;
use crate::model::{Model, Normalizer, Pattern};
use crate::pretok::Named;
use crate::special::Allowed;
use crate::types::{Count, TokenId};
use crate::{interrupt, memory};

/// How many bytes of pieces are encoded at a time.
const BATCH_BYTES: usize = 1 << 20;

impl Tokenizer {
    /// How often each id comes out of the pieces.
    pub fn token_counts(&self, counts: &Counts, threads: Threads) -> Result<Vec<Count>> {
        let mut used: Vec<Count> = Vec::new();
        memory::fill_up(&mut used, self.model().id_limit() as usize, 0)?;
        self.for_each_piece(counts, threads, |_, count, ids| {
            for &id in ids {
                let one = &mut used[id as usize];
                *one = one
                    .checked_add(count)
                    .ok_or_else(|| Error::counts("a token comes out more than 2^64 - 1 times"))?;
            }
            Ok(())
        })?;
        Ok(used)
    }

    /// The model without the tokens that the pieces do not need, and the new id of every id that has
    /// one.
    pub fn pruned(
        &self,
        counts: &Counts,
        threads: Threads,
    ) -> Result<(Model, Vec<Option<TokenId>>)> {
        let model = self.model();
        let mut used = Vec::new();
        memory::fill_up(&mut used, model.id_limit() as usize, false)?;
        let mut tokens = Vec::new();
        self.for_each_piece(counts, threads, |piece, _, ids| {
            tokens.clear();
            if let Path::Words(words) = &self.plan.path
                && ids.first().copied() == model.start.unk
            {
                words.encoder().walk(piece, &mut tokens);
            }
            ids.iter().chain(&tokens).for_each(|&id| used[id as usize] = true);
            Ok(())
        })?;
        let mut stays = used.clone();
        let pairs = formats::pairs_of_tokens(model);
        let length = |id: usize| model.token_bytes(id as TokenId).map_or(0, <[u8]>::len);
        let mut made: Vec<usize> = (0..pairs.len()).filter(|&id| pairs[id].is_some()).collect();
        made.sort_unstable_by_key(|&id| std::cmp::Reverse(length(id)));
        for id in made {
            if let Some((left, right)) = pairs[id].filter(|_| stays[id]) {
                (stays[left as usize], stays[right as usize]) = (true, true);
            }
        }
        let (smaller, numbers) = model.only(&stays)?;
        let lost = |id: &usize| {
            let is_text = |id| model.vocab.bytes_of(id).is_some();
            let now = numbers[*id].is_some_and(|number| smaller.vocab.bytes_of(number).is_some());
            used[*id] && is_text(*id as TokenId) && !now
        };
        if let Some(id) = (0..used.len()).find(lost) {
            // Special tokens leave the vocabulary where no merge makes or uses them.
            let token = model.token_bytes(id as TokenId).unwrap_or_default().escape_ascii();
            return Err(Error::counts(format!(
                "the special token b\"{token}\" is a whole piece of ordinary text"
            ))
            .with_hint("count the pieces with this tokenizer's special tokens"));
        }
        Ok((smaller, numbers))
    }

    /// Calls `entry` with each piece, its count and its ids.
    fn for_each_piece(
        &self,
        counts: &Counts,
        threads: Threads,
        mut entry: impl FnMut(&[u8], Count, &[TokenId]) -> Result<()>,
    ) -> Result<()> {
        self.model().refuse_chain("run on counted pieces")?;
        counts.check_made_by(self.model().normalizer, &self.model().pattern)?;
        let whole = Tokenizer::new(Arc::new(self.model().of_pieces()), self.cache_bytes())?;
        let (mut bytes, mut ends) = (Vec::with_capacity(BATCH_BYTES), Vec::new());
        let mut encode = |bytes: &mut Vec<u8>, ends: &mut Vec<(usize, Count)>| {
            let starts = std::iter::once(0).chain(ends.iter().map(|&(end, _)| end));
            let pieces: Vec<&[u8]> =
                starts.zip(ends.iter()).map(|(start, &(end, _))| &bytes[start..end]).collect();
            let ragged = whole.encode_batch(&pieces, &Allowed::Text, threads)?;
            let places = ragged.bounds.windows(2).map(|two| two[0] as usize..two[1] as usize);
            for ((piece, &(_, count)), place) in pieces.iter().zip(ends.iter()).zip(places) {
                entry(piece, count, &ragged.ids[place])?;
            }
            bytes.clear();
            ends.clear();
            Ok(())
        };
        counts.for_each(|piece, count| {
            interrupt::worked(piece.len())?;
            bytes.extend_from_slice(piece);
            ends.push((bytes.len(), count));
            if bytes.len() >= BATCH_BYTES { encode(&mut bytes, &mut ends) } else { Ok(()) }
        })?;
        encode(&mut bytes, &mut ends)
    }
}

impl Model {
    /// The same model for texts that are pieces.
    fn of_pieces(&self) -> Model {
        let mut model = Model {
            pattern: Pattern::Named(Named::None),
            normalizer: Normalizer::None,
            ..self.clone()
        };
        model.special_tokens.iter_mut().for_each(|token| token.always = false);
        model
    }
}

#[cfg(test)]
mod tests;

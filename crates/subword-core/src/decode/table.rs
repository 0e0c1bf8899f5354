/*!
Ids to bytes where a token is nothing but its bytes.

Nearly all tokens are short, so a table holds the bytes of each token, padded to sixteen, with their number in the last
byte. Decoding a token is one load and one store of sixteen bytes; the bytes that are written beyond its end are
overwritten by the next token. The lengths are added up first, so that the result is written where it stays:

```text
" the"    20 74 68 65 00 00 00 00 00 00 00 00 00 00 00 04
" longer than fifteen"                              ..  00      see the vocabulary
```
*/

use crate::error::{Error, Result};
use crate::interrupt;
use crate::model::Model;
use crate::types::TokenId;

/// The bytes of a token, with their number in the highest byte. PERF: an integer stays in registers; an array of bytes
/// goes through memory, where reading the length waits for the bytes (three times as slow).
type Spelling = u128;

/// How many bytes an entry has.
const ENTRY: usize = size_of::<Spelling>();

/// How many ids are decoded between two calls of `interrupt::worked`.
const BATCH: usize = 1 << 12;

/// The longest token that has its bytes in place.
const LONGEST: usize = ENTRY - 1;

/// The bytes of all tokens that are short, by id.
#[derive(Debug)]
pub(super) struct Spellings(Vec<Spelling>);

impl Spellings {
    pub(super) fn new(model: &Model) -> Spellings {
        let entry = |id: TokenId| {
            let mut entry = [0; ENTRY];
            if let Some(bytes) = model.token_bytes(id).filter(|bytes| bytes.len() <= LONGEST) {
                entry[..bytes.len()].copy_from_slice(bytes);
                entry[LONGEST] = bytes.len() as u8;
            }
            Spelling::from_le_bytes(entry)
        };
        Spellings((0..model.id_limit()).map(entry).collect())
    }

    /// The entry of a token; one without a length for an id that it does not know.
    #[inline(always)]
    fn entry(&self, id: TokenId) -> Spelling {
        self.0.get(id as usize).copied().unwrap_or_default()
    }
}

/// How many bytes a token has, if they are in place.
#[inline(always)]
fn length(entry: Spelling) -> usize {
    (entry >> (8 * LONGEST)) as usize
}

/// Ids that are known, ready to be written as bytes.
#[derive(Debug, Clone, Copy)]
pub struct PlainBytes<'a> {
    model: &'a Model,
    spellings: &'a Spellings,
    ids: &'a [TokenId],
    len: usize,
}

impl<'a> PlainBytes<'a> {
    pub(super) fn new(
        model: &'a Model,
        spellings: &'a Spellings,
        ids: &'a [TokenId],
    ) -> Result<PlainBytes<'a>> {
        let mut len = 0;
        for (some, first) in ids.chunks(BATCH).zip((0..).step_by(BATCH)) {
            for (position, &id) in (first..).zip(some) {
                let short = length(spellings.entry(id));
                len += if short > 0 { short } else { token(model, id, position)?.len() };
            }
            interrupt::worked(size_of_val(some))?;
        }
        Ok(PlainBytes { model, spellings, ids, len })
    }

    /// How many bytes there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Writes them; `out` has exactly the room.
    pub fn write(&self, out: &mut [u8]) -> Result<()> {
        let mut at = 0;
        for some in self.ids.chunks(BATCH) {
            for &id in some {
                let entry = self.spellings.entry(id);
                let len = length(entry);
                // PERF: always sixteen bytes, so that nothing depends on the length but the next place.
                if let Some(place) = out[at..].first_chunk_mut::<ENTRY>()
                    && len > 0
                {
                    *place = entry.to_le_bytes();
                    at += len;
                    continue;
                }
                // `new` has found every id in the vocabulary.
                let bytes = self.model.token_bytes(id).unwrap_or_default();
                out[at..at + bytes.len()].copy_from_slice(bytes);
                at += bytes.len();
            }
            interrupt::worked(size_of_val(some))?;
        }
        Ok(())
    }
}

fn token(model: &Model, id: TokenId, position: usize) -> Result<&[u8]> {
    model.token_bytes(id).ok_or_else(|| Error::unknown_id(id, position))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Merges, Pattern, SpecialToken};
    use crate::pretok::Named;
    use crate::vocab::Vocab;

    /// Tokens of every length around that of an entry, and special ones.
    fn model() -> Model {
        let mut vocab = Vocab::bytes();
        for len in 2..40u32 {
            vocab.insert(300 + len, &vec![b'a' + len as u8 % 26; len as usize]).unwrap();
        }
        let special =
            vec![SpecialToken::new("<s>", 290), SpecialToken::new("<end of it all>", 400)];
        Model::new(vocab, Merges::Listed(vec![]), Pattern::Named(Named::None), special)
    }

    #[test]
    fn tokens_of_every_length_come_one_after_the_other() {
        let model = model();
        let spellings = Spellings::new(&model);
        let all: Vec<TokenId> =
            (0..model.id_limit()).filter(|&id| model.token_bytes(id).is_some()).collect();
        for start in 0..all.len() {
            for len in [0, 1, 2, 3, 20, all.len()] {
                let ids: Vec<_> = all.iter().cycle().skip(start).take(len).copied().collect();
                let expected: Vec<u8> =
                    ids.iter().flat_map(|&id| model.token_bytes(id).unwrap()).copied().collect();
                let plain = PlainBytes::new(&model, &spellings, &ids).unwrap();
                assert_eq!((plain.len(), plain.is_empty()), (expected.len(), expected.is_empty()));
                let mut out = vec![0; plain.len()];
                plain.write(&mut out).unwrap();
                assert_eq!(out, expected, "from {start}, {len} tokens");
            }
        }
    }

    #[test]
    fn an_unknown_id_is_refused_with_its_place() {
        let model = model();
        let spellings = Spellings::new(&model);
        for id in [299, 401, TokenId::MAX] {
            let error = PlainBytes::new(&model, &spellings, &[97, 302, id]).unwrap_err();
            assert_eq!(error.to_string(), Error::unknown_id(id, 2).to_string());
        }
    }
}

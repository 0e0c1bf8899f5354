/*!
Training on words: the characters to begin with, and pieces as what merges may join.

```text
low 5, löw 1   ->   alphabet l o w ö </w>   ->   l o w </w> 5,   l ö w </w> 1
```

The alphabet is every character of the pieces, in the order of code points, then the mark. With a
limit, or a coverage, the most frequent characters are kept, of equals those with the smaller code point.

No merge may reach across some places of a piece. The piece is cut there, and its parts are separate
words of the training:

* around a character that is not in the alphabet, and a byte that is not UTF-8;
* before the last character of text that spells the mark. Otherwise merges could make a token of text
  that is spelled like the mark (`<` `/` `w` `>`), and decoding could not tell the two apart.

A part that does not end its piece has no mark. Pieces of white space are skipped where there is a
mark: it stands for them.
*/

use crate::bpe::{Merged, Merger};
use crate::counts::Counts;
use crate::error::Result;
use crate::model::{Merges, Model, Start, Units};
use crate::train::alphabet::{Alphabet, CharacterCounts};
use crate::train::each_piece;
use crate::train::merges::TrainingWords;
use crate::types::TokenId;
use crate::vocab::Vocab;

/// The first tokens of a model with this start: the alphabet of the pieces, or all bytes; then the mark.
pub(super) fn first_vocab(counts: &Counts, start: &Start, alphabet: Alphabet) -> Result<Vocab> {
    let mut vocab = match start.units {
        Units::Bytes => Vocab::bytes(),
        Units::Characters => {
            let characters = characters(counts, start, alphabet)?;
            let texts: Vec<String> = characters.into_iter().map(String::from).collect();
            Vocab::new((0..).zip(texts.iter().map(String::as_bytes)))?
        }
    };
    if let Some(mark) = start.separate_mark() {
        vocab.insert(vocab.id_limit(), mark.as_bytes())?;
    }
    Ok(vocab)
}

/// The characters of the pieces, but for the mark where it is a single character: text that spells it
/// is unknown.
fn characters(counts: &Counts, start: &Start, alphabet: Alphabet) -> Result<Vec<char>> {
    let mut characters = CharacterCounts::default();
    each_piece(counts, |piece, count| {
        let chunks = piece.utf8_chunks().filter(|_| !start.skips(piece));
        characters.add(chunks.flat_map(|chunk| chunk.valid().chars()), count);
        Ok(())
    })?;
    let mark = start.separate_mark().unwrap_or_default();
    Ok(characters.alphabet(alphabet, |c| *c.encode_utf8(&mut [0; 4]) != *mark))
}

/// The lengths of the tokens of a model that `max_token_length` limits: in units, without the mark.
pub(super) fn lengths(model: &Model) -> Vec<u32> {
    let mark = model.start.end_of_word.as_ref().map_or("", |end| end.mark.as_str());
    let length = |id: TokenId| {
        let token = model.vocab.bytes_of(id).unwrap_or_default();
        let token = match token.strip_suffix(mark.as_bytes()) {
            Some(text) if !mark.is_empty() => text,
            _ => token,
        };
        model.start.units.of(token).count() as u32
    };
    (0..model.vocab.id_limit()).map(length).collect()
}

/// The parts of pieces as the tokens that the model encodes them to.
pub(super) fn first_tokens(counts: &Counts, model: &Model) -> Result<TrainingWords> {
    let merger = Merger::new(model)?;
    let fresh = model.merges == Merges::Listed(Vec::new());
    let (mut words, mut merged, mut ids) =
        (TrainingWords::default(), Merged::default(), Vec::new());
    each_piece(counts, |piece, count| {
        if model.start.skips(piece) {
            return Ok(());
        }
        for (part, whole) in parts(piece, model, &merger) {
            // No part has a character without a token. PERF: with nothing to merge, do not try.
            let _none = if fresh {
                merger.first_tokens(&model.vocab, part, whole, &mut ids)?
            } else {
                merger.encode_word(&model.vocab, part, whole, &mut merged, &mut ids)?
            };
            if !ids.is_empty() {
                words.push(ids.drain(..), count)?;
            }
        }
        Ok(())
    })?;
    Ok(words)
}

/// The parts of a piece that learn by themselves, and whether each ends where the piece ends.
fn parts<'p>(piece: &'p [u8], model: &Model, merger: &Merger) -> Vec<(&'p [u8], bool)> {
    let end_of_word = model.start.end_of_word.as_ref();
    let mark = end_of_word.map_or(&b""[..], |end| end.mark.as_bytes());
    let (mut parts, mut from, mut at) = (Vec::new(), 0, 0);
    for unit in model.start.units.of(piece) {
        let (before, after) = (at, at + unit.len());
        at = after;
        if !merger.is_known(&model.vocab, unit, after == piece.len()) {
            parts.push((&piece[from..before], false));
            from = after;
        } else if mark.len() > unit.len() && piece[..after].ends_with(mark) {
            parts.push((&piece[from..before], false));
            from = before;
        }
    }
    parts.push((&piece[from..], true));
    parts.retain(|(part, whole)| !part.is_empty() || *whole);
    parts
}

#[cfg(test)]
mod tests;

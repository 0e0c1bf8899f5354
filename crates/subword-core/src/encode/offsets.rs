/*!
Ids with the place in the original text that each comes from.

Tokens spell the normalised text, so their lengths give places in it; the normaliser's map leads
back to the original. Last, white space may be left out of a place, as Hugging Face's library does it:

```text
"Hello there"  ->  Hello (0, 5)   Ġthere (5, 11), trimmed (6, 11)
```

It counts the spaces at both ends of the token, not those of the text that it comes from, and takes off
as many characters. Of ordinary bytes only the space counts, of special tokens all white space.

Each id also has the number of its piece in the text. As in that library, an added token is a piece of its own,
and pieces that the pre-tokenizer removes (the white space between words) have no number.
*/

use super::{Finders, Path, Plan, Scratch};
use crate::error::{Error, Result};
use crate::model::{TrimOffsets, Units};
use crate::special::Span;
use crate::types::TokenId;
use crate::{interrupt, memory};

/// Ids, and for each the bytes of the original text that it stands for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Located {
    /// The ids.
    pub ids: Vec<TokenId>,
    /// Where each starts and ends, in bytes.
    pub places: Vec<(usize, usize)>,
    /// The number of the piece that each is part of.
    pub pieces: Vec<u32>,
}

impl Located {
    pub(super) fn push(&mut self, id: TokenId, place: (usize, usize), piece: usize) -> Result<()> {
        memory::extend(&mut self.ids, &[id])?;
        memory::extend(&mut self.places, &[place])?;
        memory::extend(&mut self.pieces, &[u32::try_from(piece).unwrap_or(u32::MAX)])
    }
}

/// Puts ids and places together.
struct Locator<'t> {
    text: &'t [u8],
    trim: TrimOffsets,
    located: Located,
    /// How many pieces there are before the part of the text that comes next.
    pieces: usize,
}

impl Locator<'_> {
    /// Adds an added token, which is a piece of its own.
    fn push_special(&mut self, id: TokenId, place: (usize, usize), text: &[u8]) -> Result<()> {
        self.push(id, place, 0, || EdgeSpaces::of_text(text))?;
        self.pieces += 1;
        Ok(())
    }

    /// Adds an id of this piece of the part; `spaces` counts the white space at both ends of its token.
    fn push(
        &mut self,
        id: TokenId,
        place: (usize, usize),
        piece: usize,
        spaces: impl FnOnce() -> EdgeSpaces,
    ) -> Result<()> {
        let place = match self.trim {
            TrimOffsets::Nothing => place,
            trim => {
                let first = self.located.ids.is_empty() || place.0 == 0;
                let keeps = trim == TrimOffsets::SpacesButFirst && first;
                trimmed(self.text, place, spaces(), keeps)
            }
        };
        self.located.push(id, place, self.pieces + piece)?;
        interrupt::worked(place.1 - place.0)
    }
}

/// A place without the white space of its token; `keeps`: a single space at the start stays.
pub(super) fn trimmed(
    text: &[u8],
    (mut start, mut end): (usize, usize),
    spaces: EdgeSpaces,
    keeps: bool,
) -> (usize, usize) {
    let characters = |from: usize, to: usize| Units::Characters.of(&text[from..to]);
    if !(keeps && spaces.before == 1) {
        start += characters(start, end).take(spaces.before).map(<[u8]>::len).sum::<usize>();
    }
    if spaces.after == 0 {
        return (start, end);
    }
    let inside = characters(start, end).count();
    // Where normalisation makes many spaces of a few characters, there may be too few to take off.
    if inside >= spaces.after || characters(0, end).take(spaces.after).count() == spaces.after {
        let left = inside.saturating_sub(spaces.after);
        end = start + characters(start, end).take(left).map(<[u8]>::len).sum::<usize>();
    }
    (start, end)
}

/// How many characters of white space a token has at its ends.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct EdgeSpaces {
    before: usize,
    after: usize,
}

impl EdgeSpaces {
    /// Those of bytes: in GPT-2's alphabet only the space is white.
    fn of_bytes(token: &[u8]) -> EdgeSpaces {
        let space = |byte: &&u8| **byte == b' ';
        EdgeSpaces {
            before: token.iter().take_while(space).count(),
            after: token.iter().rev().take_while(space).count(),
        }
    }

    /// Those of a text. The library takes the space of GPT-2's alphabet for one there, too.
    pub(super) fn of_text(token: &[u8]) -> EdgeSpaces {
        let token = String::from_utf8_lossy(token);
        let white = |c: &char| *c == 'Ġ' || c.is_whitespace();
        EdgeSpaces {
            before: token.chars().take_while(white).count(),
            after: token.chars().rev().take_while(white).count(),
        }
    }
}

impl Plan {
    /// The ids of a text and where they come from. `trim` says whether white space is left out; if
    /// none, the model does.
    pub(crate) fn encode_offsets(
        &self,
        text: &[u8],
        finders: &Finders,
        trim: Option<bool>,
        scratch: &mut Scratch,
    ) -> Result<Located> {
        if let Path::Chain { runner, .. } = &self.path {
            return self.chain_offsets(runner, text, finders, trim, scratch);
        }
        let trim = match (trim, self.model.trim_offsets) {
            (Some(false), _) => TrimOffsets::Nothing,
            (Some(true), TrimOffsets::Nothing) => TrimOffsets::Spaces,
            (_, trim) => trim,
        };
        let mut locator = Locator { text, trim, located: Located::default(), pieces: 0 };
        finders.raw.split(text, |span| match span.special {
            Some(id) => {
                locator.push_special(id, (span.start, span.end), &text[span.start..span.end])
            }
            None => self.locate(text, span, finders, scratch, &mut locator),
        })?;
        Ok(locator.located)
    }

    fn locate(
        &self,
        text: &[u8],
        span: Span,
        finders: &Finders,
        scratch: &mut Scratch,
        locator: &mut Locator,
    ) -> Result<()> {
        let (normal, map) = self.model.normalizer.apply_mapped(&text[span.start..span.end])?;
        let place = |start: usize, end: usize| {
            let (from, to) = map.place(start, end);
            (span.start + from, span.start + to)
        };
        finders.normal.split(&normal, |part| {
            let part_text = &normal[part.start..part.end];
            if let Some(id) = part.special {
                return locator.push_special(id, place(part.start, part.end), part_text);
            }
            let push = |id, (start, end): (usize, usize), piece| {
                let place = place(part.start + start, part.start + end);
                locator.push(id, place, piece, || self.spaces(id))
            };
            let pieces = match &self.path {
                Path::Words(words) => self.locate_word_pieces(words, part_text, push),
                Path::NonByte | Path::Longest(_) => self.locate_words(part_text, scratch, push),
                Path::Bytes | Path::Chain { .. } => self.locate_merged(part_text, scratch, push),
            };
            locator.pieces += pieces.map_err(|error| match error {
                Error::Text { message, position } => {
                    let position = span.start + map.start(part.start + position);
                    Error::Text { message, position }
                }
                other => other,
            })?;
            Ok(())
        })
    }

    /// Calls `each` with every id of a text of byte-level BPE, its place and its piece; returns how many pieces
    /// there are.
    fn locate_merged(
        &self,
        text: &[u8],
        scratch: &mut Scratch,
        mut each: impl FnMut(TokenId, (usize, usize), usize) -> Result<()>,
    ) -> Result<usize> {
        let (mut ids, mut ends) = (Vec::new(), Vec::new());
        self.encode_ordinary(text, scratch, &mut ids)?;
        self.each_piece(text, |_, end| memory::extend(&mut ends, &[end]).map(|()| true))?;
        let (mut at, mut piece) = (0, 0);
        for id in ids {
            while ends.get(piece).is_some_and(|&end| end <= at) {
                piece += 1;
            }
            let end = at + self.model.token_bytes(id).map_or(0, <[u8]>::len);
            each(id, (at, end), piece)?;
            at = end;
        }
        Ok(ends.len())
    }

    /// The white space of an ordinary token.
    fn spaces(&self, id: TokenId) -> EdgeSpaces {
        let token = self.model.token_bytes(id).unwrap_or_default();
        match self.model.start.units {
            Units::Bytes => EdgeSpaces::of_bytes(token),
            Units::Characters => EdgeSpaces::of_text(token),
        }
    }
}

/// Places in bytes as places in characters: a place within a character moves outwards to its edge.
/// A byte that is not part of a valid character counts as one.
pub fn in_characters(text: &[u8], mut places: Vec<(usize, usize)>) -> Result<Vec<(usize, usize)>> {
    if text.is_ascii() {
        return Ok(places);
    }
    // The number of the character that each byte belongs to.
    let mut character = memory::with_capacity(text.len() + 1)?;
    let mut count = 0;
    for chunk in text.utf8_chunks() {
        let lengths = chunk.valid().chars().map(char::len_utf8);
        for len in lengths.chain(chunk.invalid().iter().map(|_| 1)) {
            character.extend(std::iter::repeat_n(count, len));
            count += 1;
            interrupt::worked(len)?;
        }
    }
    character.push(count);
    for (start, end) in &mut places {
        let inside = *end > 0 && character[*end] == character[*end - 1];
        *end = character[*end] + usize::from(inside);
        *start = character[*start];
        interrupt::worked(8)?;
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::in_characters;

    #[test]
    fn places_within_a_character_move_to_its_edges() {
        let text = "aé中\u{1F600}".as_bytes();
        let text = [text, b"\xFFz"].concat();
        let places = vec![
            (0, 1),
            (1, 2),
            (2, 3),
            (1, 3),
            (3, 6),
            (4, 5),
            (7, 9),
            (6, 10),
            (10, 11),
            (11, 12),
            (12, 12),
        ];
        let expected = [
            (0, 1),
            (1, 2),
            (1, 2),
            (1, 2),
            (2, 3),
            (2, 3),
            (3, 4),
            (3, 4),
            (4, 5),
            (5, 6),
            (6, 6),
        ];
        assert_eq!(in_characters(&text, places).unwrap(), expected);
    }
}

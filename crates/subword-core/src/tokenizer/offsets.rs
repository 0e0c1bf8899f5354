/*!
Ids with the place in the original text that each comes from.

Tokens spell the normalised text, so their lengths give places in it; the normaliser's map leads
back to the original.
*/

use super::{Finders, Tokenizer};
use crate::error::Result;
use crate::special::{Allowed, Span};
use crate::types::TokenId;

/// Ids, and for each the bytes of the original text that it stands for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Located {
    /// The ids.
    pub ids: Vec<TokenId>,
    /// Where each starts and ends, in bytes.
    pub places: Vec<(usize, usize)>,
}

impl Located {
    fn push(&mut self, id: TokenId, start: usize, end: usize) {
        self.ids.push(id);
        self.places.push((start, end));
    }
}

impl Tokenizer {
    /// The ids of a text and where they come from.
    pub fn encode_offsets(&self, text: &[u8], allowed: &Allowed) -> Result<Located> {
        let mut located = Located::default();
        self.with_finders(allowed, &[text], |finders| {
            finders.raw.split(text, |span| {
                match span.special {
                    Some(id) => located.push(id, span.start, span.end),
                    None => self.locate(text, span, finders, &mut located)?,
                }
                Ok(())
            })
        })?;
        Ok(located)
    }

    fn locate(
        &self,
        text: &[u8],
        span: Span,
        finders: &Finders,
        located: &mut Located,
    ) -> Result<()> {
        let (normal, map) = self.model.normalizer.apply_mapped(&text[span.start..span.end]);
        let place =
            |start: usize, end: usize| (span.start + map.start(start), span.start + map.end(end));
        finders.normal.split(&normal, |part| {
            if let Some(id) = part.special {
                let (start, end) = place(part.start, part.end);
                located.push(id, start, end);
                return Ok(());
            }
            let mut ids = Vec::new();
            let part_text = &normal[part.start..part.end];
            let push = |id, start: usize, end: usize| {
                let (from, to) = place(part.start + start, part.start + end);
                located.push(id, from, to);
            };
            if let Some(words) = &self.words {
                return self.locate_word_pieces(words, part_text, push);
            }
            if !self.plain {
                return self.locate_words(part_text, push);
            }
            self.with_worker(|worker| self.encode_ordinary(part_text, worker, &mut ids))?;
            let mut at = part.start;
            for id in ids {
                let end = at + self.model.token_bytes(id).map_or(0, <[u8]>::len);
                let (from, to) = place(at, end);
                located.push(id, from, to);
                at = end;
            }
            Ok(())
        })
    }
}

/// Places in bytes as places in characters: a place within a character moves outwards to its edge.
/// A byte that is not part of a valid character counts as one.
pub fn in_characters(text: &[u8], mut places: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    // The number of the character that each byte belongs to.
    let mut character = Vec::with_capacity(text.len() + 1);
    let mut count = 0;
    for chunk in text.utf8_chunks() {
        let lengths = chunk.valid().chars().map(char::len_utf8);
        for len in lengths.chain(chunk.invalid().iter().map(|_| 1)) {
            character.extend(std::iter::repeat_n(count, len));
            count += 1;
        }
    }
    character.push(count);
    for (start, end) in &mut places {
        let inside = *end > 0 && character[*end] == character[*end - 1];
        *end = character[*end] + usize::from(inside);
        *start = character[*start];
    }
    places
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
        assert_eq!(in_characters(&text, places), expected);
    }
}

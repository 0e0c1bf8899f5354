/*!
How a piece becomes its first tokens, which merging then joins.

```text
bytes                          l o w
characters, mark of its own    l o w </w>          Sennrich, Haddow and Birch (2016)
bytes, mark joined             l o w</w>           CLIP
```

The mark stands for the end of a word, and therefore for the white space after it: a model with a mark skips
pieces of white space, and decoding turns the mark into a space, except at the very end.

A character that is not a token becomes the `unk` token; if the model has none, such a text is an error. A
byte that is not part of valid UTF-8 counts as such a character.
*/

use std::fmt;

use super::{MAX_SPECIAL_BYTES, Merges, Model};
use crate::error::{Error, Result};
use crate::types::TokenId;

/// How a piece becomes its first tokens.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Start {
    /// What a piece is cut into.
    pub units: Units,
    /// What is put at the end of a piece.
    pub end_of_word: Option<EndOfWord>,
    /// The token for a character that is no token.
    pub unk: Option<TokenId>,
}

/// What a piece is cut into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Units {
    /// Bytes.
    #[default]
    Bytes,
    /// Characters.
    Characters,
}

/// The mark at the end of a piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndOfWord {
    /// What it looks like: `</w>`.
    pub mark: String,
    /// It is part of the last unit; otherwise a token of its own.
    pub joined: bool,
}

impl Units {
    /// The units of a piece, in order.
    pub fn of(self, mut piece: &[u8]) -> impl Iterator<Item = &[u8]> {
        std::iter::from_fn(move || {
            let (unit, rest) =
                piece.split_at_checked(self.first(piece)).filter(|two| !two.0.is_empty())?;
            piece = rest;
            Some(unit)
        })
    }

    /// The length of the first unit; 0 if there is none.
    fn first(self, piece: &[u8]) -> usize {
        let len = match piece.first() {
            None => return 0,
            Some(0xC2..=0xDF) => 2,
            Some(0xE0..=0xEF) => 3,
            Some(0xF0..=0xF4) => 4,
            Some(_) => 1,
        };
        let character = |bytes: &[u8]| std::str::from_utf8(bytes).is_ok();
        match self {
            Units::Characters if piece.get(..len).is_some_and(character) => len,
            _ => 1,
        }
    }
}

impl Start {
    /// Whether a piece is its bytes and nothing else.
    pub fn is_plain(&self) -> bool {
        *self == Start::default()
    }

    /// The mark, if it is a token of its own.
    pub fn separate_mark(&self) -> Option<&str> {
        self.end_of_word.as_ref().filter(|end| !end.joined).map(|end| end.mark.as_str())
    }

    /// The mark, if it is part of the last unit.
    pub fn joined_mark(&self) -> Option<&str> {
        self.end_of_word.as_ref().filter(|end| end.joined).map(|end| end.mark.as_str())
    }

    /// Whether a piece has no tokens at all: white space, where a mark stands for it.
    #[inline]
    pub fn skips(&self, piece: &[u8]) -> bool {
        // PERF: the first byte decides for nearly all words.
        let letter = piece.first().is_some_and(u8::is_ascii_graphic);
        self.end_of_word.is_some() && !letter && (piece == b" " || is_white(piece))
    }

    /// What a token is merged from: its units, the mark at its end being one or part of the last.
    pub fn units_of<'t>(&self, token: &'t [u8]) -> Vec<&'t [u8]> {
        let end = self.end_of_word.as_ref().filter(|end| token.ends_with(end.mark.as_bytes()));
        let (text, mark) = token.split_at(token.len() - end.map_or(0, |end| end.mark.len()));
        let mut units: Vec<&[u8]> = self.units.of(text).collect();
        if end.is_some_and(|end| end.joined) {
            let last = units.pop().unwrap_or_default();
            units.push(&token[text.len() - last.len()..]);
        } else if end.is_some() {
            units.push(mark);
        }
        units
    }

    /// Whether merging may start from this token.
    pub fn is_unit(&self, token: &[u8]) -> bool {
        let one = |bytes: &[u8]| !bytes.is_empty() && self.units.first(bytes) == bytes.len();
        let joined = self.joined_mark().and_then(|mark| token.strip_suffix(mark.as_bytes()));
        one(token)
            || joined.is_some_and(one)
            || self.separate_mark().is_some_and(|mark| mark.as_bytes() == token)
    }
}

/// What a model starts from, for an error.
impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.units {
            Units::Bytes => "bytes",
            Units::Characters => "characters",
        })?;
        self.end_of_word.iter().try_for_each(|end| write!(f, " with the mark {:?}", end.mark))
    }
}

/// Whether a piece is white space.
#[cold]
fn is_white(piece: &[u8]) -> bool {
    std::str::from_utf8(piece).is_ok_and(|piece| piece.chars().all(char::is_whitespace))
}

/// Checks that the vocabulary of a model has what its pieces start from.
pub(crate) fn check_start(model: &Model) -> Result<()> {
    let Model { start, vocab, .. } = model;
    if let Some(end) = &start.end_of_word {
        EndOfWord::check(&end.mark)?;
    }
    if !start.is_plain() && (model.ignore_merges || model.merges == Merges::Ranked) {
        let what = if model.ignore_merges { "ignore_merges" } else { "token ranks" };
        return Err(Error::format(format!(
            "{what} and {} do not go together",
            if start.end_of_word.is_some() { "an end-of-word mark" } else { "characters" }
        )));
    }
    if let Some(mark) = start.separate_mark().filter(|mark| vocab.id_of(mark.as_bytes()).is_none())
    {
        return Err(Error::format(format!(
            "the vocabulary has no token for the end-of-word mark {mark:?}"
        )));
    }
    match start.units {
        Units::Bytes => check_bytes(model),
        Units::Characters => check_characters(model),
    }
}

impl EndOfWord {
    /// An error if this string cannot be a mark.
    pub fn check(mark: &str) -> Result<()> {
        let wrong = if mark.is_empty() {
            "is empty".to_owned()
        } else if mark.contains(char::is_whitespace) {
            "holds white space, and pieces of white space are skipped".to_owned()
        } else if mark.len() > MAX_SPECIAL_BYTES {
            format!("has {} bytes, the limit is {MAX_SPECIAL_BYTES}", mark.len())
        } else {
            return Ok(());
        };
        Err(Error::format(format!("the end-of-word mark {wrong}")))
    }
}

/// Every byte that UTF-8 uses is a token, and with a joined mark also before the mark.
fn check_bytes(model: &Model) -> Result<()> {
    let Model { start, vocab, .. } = model;
    if start.unk.is_some() {
        return Err(Error::format("bytes have no unk token: every byte is a token"));
    }
    let joined = start.joined_mark().map(|mark| (mark, " at the end of a word"));
    for (mark, place) in [("", "")].into_iter().chain(joined) {
        let missing = |byte: &u8| vocab.id_of(&[&[*byte], mark.as_bytes()].concat()).is_none();
        let used = (0..=255).filter(|byte| !matches!(byte, 0xC0 | 0xC1 | 0xF5..));
        if let Some(byte) = used.into_iter().find(missing) {
            return Err(Error::format(format!(
                "the vocabulary has no token for byte 0x{byte:02X}{place}"
            ))
            .with_hint(
                "byte-level BPE needs all 256 single bytes, so that any text can be encoded",
            ));
        }
    }
    Ok(())
}

/// Every token is made of whole characters, and `unk` is a token.
fn check_characters(model: &Model) -> Result<()> {
    let text = |bytes: &[u8]| std::str::from_utf8(bytes).is_ok();
    if let Some((id, bytes)) = model.vocab.iter().find(|(_, bytes)| !text(bytes)) {
        let token = bytes.escape_ascii();
        return Err(Error::format(format!(
            "the token b\"{token}\" with id {id} is not made of whole characters"
        )));
    }
    let special = |id| model.special_tokens.iter().any(|token| token.id == id);
    match model.start.unk.filter(|&id| model.vocab.bytes_of(id).is_none() && !special(id)) {
        Some(id) => Err(Error::format(format!("the unk token has id {id}, which no token has"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Named, Pattern};
    use crate::types::Pair;
    use crate::vocab::Vocab;

    fn model(tokens: &[&str], merges: &[Pair], start: Start) -> Model {
        let tokens = (0..).zip(tokens.iter().map(|token| token.as_bytes()));
        let merges = Merges::Listed(merges.to_vec());
        let pattern = Pattern::Named(Named::Whitespace);
        let mut model = Model::new(Vocab::new(tokens).unwrap(), merges, pattern, Vec::new());
        model.start = start;
        model
    }

    fn characters(mark: Option<(&str, bool)>, unk: Option<TokenId>) -> Start {
        let end_of_word = mark.map(|(mark, joined)| EndOfWord { mark: mark.into(), joined });
        Start { units: Units::Characters, end_of_word, unk }
    }

    fn refused(model: Model) -> String {
        model.checked().unwrap_err().to_string()
    }

    #[test]
    fn units_are_characters_and_stray_bytes() {
        let piece = [b"a\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x98\x80", &b"\xFF\xE4\xB8\xC3"[..]].concat();
        let lengths = |units: Units| units.of(&piece).map(<[u8]>::len).collect::<Vec<_>>();
        assert_eq!(lengths(Units::Characters), [1, 2, 3, 4, 1, 1, 1, 1]);
        assert_eq!(lengths(Units::Bytes), vec![1; piece.len()]);
        assert_eq!(Units::Characters.of(b"").count(), 0);
    }

    #[test]
    fn the_units_of_a_token_know_the_mark() {
        let of = |start: &Start, token: &str| {
            let units = start.units_of(token.as_bytes());
            units.iter().map(|unit| String::from_utf8_lossy(unit).into_owned()).collect::<Vec<_>>()
        };
        let own = characters(Some(("</w>", false)), None);
        assert_eq!(of(&own, "él</w>"), ["é", "l", "</w>"]);
        assert_eq!(of(&own, "él"), ["é", "l"]);
        let joined = characters(Some(("</w>", true)), None);
        assert_eq!(of(&joined, "él</w>"), ["é", "l</w>"]);
        assert_eq!(of(&joined, "</w>"), ["</w>"]);
        assert_eq!(Start::default().units_of(b"ab").len(), 2);
    }

    #[test]
    fn only_white_space_is_skipped_and_only_with_a_mark() {
        let with = characters(Some(("</w>", false)), None);
        for (piece, white) in [(" \n\t", true), ("\u{3000}", true), (" a", false), ("é", false)] {
            assert_eq!(with.skips(piece.as_bytes()), white, "{piece:?}");
            assert!(!characters(None, None).skips(piece.as_bytes()));
        }
        assert!(!with.skips(b"\xFF"));
    }

    #[test]
    fn special_tokens_leave_the_vocabulary_but_units_stay() {
        let tokens = ["a", "é", "</w>", "<unk>"];
        let mut model = model(&tokens, &[], characters(Some(("</w>", false)), Some(3)));
        model.special_tokens =
            (0..4).map(|id| super::super::SpecialToken::new(tokens[id as usize], id)).collect();
        let model = model.checked().unwrap();
        let stays = |token: &str| model.vocab.id_of(token.as_bytes()).is_some();
        assert_eq!(
            tokens.iter().map(|token| stays(token)).collect::<Vec<_>>(),
            [true, true, true, false]
        );
        assert_eq!(model.token_bytes(3), Some(&b"<unk>"[..]));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mark = |mark| Some((mark, false));
        assert_eq!(
            refused(model(&["a"], &[], characters(mark("</w>"), None))),
            "the vocabulary has no token for the end-of-word mark \"</w>\""
        );
        assert_eq!(
            refused(model(&["a"], &[], characters(mark(""), None))),
            "the end-of-word mark is empty"
        );
        assert_eq!(
            refused(model(&["a"], &[], characters(mark("< >"), None))),
            "the end-of-word mark holds white space, and pieces of white space are skipped"
        );
        let long = "x".repeat(1025);
        assert_eq!(
            refused(model(&["a"], &[], characters(Some((&long, false)), None))),
            "the end-of-word mark has 1025 bytes, the limit is 1024"
        );
        assert_eq!(
            refused(model(&["a"], &[], characters(None, Some(7)))),
            "the unk token has id 7, which no token has"
        );
        let mut odd = model(&["a"], &[], characters(None, None));
        odd.vocab.insert(1, b"\xC3").unwrap();
        assert_eq!(refused(odd), "the token b\"\\xc3\" with id 1 is not made of whole characters");
        let mut ranked = model(&["a"], &[], characters(None, None));
        ranked.merges = Merges::Ranked;
        assert_eq!(refused(ranked), "token ranks and characters do not go together");
        let mut whole = model(&["a", "</w>"], &[], characters(mark("</w>"), None));
        whole.ignore_merges = true;
        assert_eq!(refused(whole), "ignore_merges and an end-of-word mark do not go together");
    }

    #[test]
    fn bytes_need_every_byte_before_a_joined_mark_too() {
        let mut bytes = model(&[], &[], Start::default());
        bytes.vocab = Vocab::bytes();
        bytes.start.end_of_word = Some(EndOfWord { mark: "</w>".into(), joined: true });
        assert_eq!(
            refused(bytes.clone()),
            "the vocabulary has no token for byte 0x00 at the end of a word\n  hint: byte-level BPE \
             needs all 256 single bytes, so that any text can be encoded"
        );
        for byte in 0..=255u8 {
            bytes.vocab.insert(256 + u32::from(byte), &[&[byte], &b"</w>"[..]].concat()).unwrap();
        }
        assert!(bytes.clone().checked().is_ok());
        bytes.start.unk = Some(0);
        assert_eq!(refused(bytes), "bytes have no unk token: every byte is a token");
    }
}

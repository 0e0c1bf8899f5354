/*!
The tables of BERT's front end, which normalises and splits a text in one pass (`walk`).

For every character they say what the normaliser and the pattern `bert` make of it. ASCII and letters of two bytes are
handled 64 bytes at a time, by the rules in [`BertRules`]; every other character has an entry in a table by code
point. A Chinese character or a punctuation mark is a word by itself, so its entry is the id of that word.

Invariants
* The words are those of `Bert::apply` and the pattern `bert`, which define them.
* A character that only the plain normaliser can handle is `CharacterKind::Odd`; its result is never guessed.
*/

mod walk;

pub use walk::{FindWords, FoundWords, Place, run};

use super::WordEncoder;
use crate::bert::{self, BertCharacters, BertClass, Classes, Order, TwoLevel};
use crate::model::Bert;
use crate::simd::{BERT_PUNCTUATION, BERT_WHITE, BertLetters, BertRules};
use crate::types::TokenId;

/// The first bytes of the two-byte letters that are handled in blocks: Latin, Greek, Cyrillic.
const LETTERS: [u8; 7] = [0xC3, 0xC4, 0xC5, 0xCE, 0xCF, 0xD0, 0xD1];

/// What a code point becomes: the lowest three bits of its entry. The meaning of the other bits depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
enum CharacterKind {
    /// Part of a word, as it is.
    Same,
    /// Part of a word: the text at this place, of this length.
    Text,
    /// A word of its own: its id.
    Id,
    /// Part of a word: the letters of a Korean syllable.
    Syllable,
    /// Nothing.
    Nothing,
    /// White space.
    White,
    /// A character that is left to the plain normaliser.
    Odd,
}

const KINDS: [CharacterKind; 8] = [
    CharacterKind::Same,
    CharacterKind::Text,
    CharacterKind::Id,
    CharacterKind::Syllable,
    CharacterKind::Nothing,
    CharacterKind::White,
    CharacterKind::Odd,
    CharacterKind::Odd,
];

/// How many bits of an entry are its kind.
const KIND: u32 = 3;

/// How many bits above these are the length of a text; the bits above them are its place in `Front::texts`.
const LEN: u32 = 5;

/// The longest text, in bytes.
const TEXT: usize = 1 << LEN;

/// BERT's normaliser and pattern.
#[derive(Debug)]
pub struct Front {
    /// The options of the normaliser.
    bert: Bert,
    /// The classes of the word split.
    classes: &'static Classes,
    /// What each code point becomes.
    entries: TwoLevel<u32>,
    /// The texts that entries refer to.
    texts: Vec<u8>,
    /// A word of this many bytes is unknown, whatever its characters are.
    too_long: usize,
    /// The rules for blocks of 64 bytes.
    rules: BertRules,
}

impl Front {
    /// The tables for a normaliser. None if it does not clean the text: the rules for ASCII assume that.
    pub fn new(bert: Bert, words: &WordEncoder) -> Option<Front> {
        if !bert.clean {
            return None;
        }
        let classes = Classes::all();
        let (entries, texts) = (TwoLevel::new(), Vec::new());
        let rules = BertRules { lowercase: bert.lowercase, ..BertRules::default() };
        let too_long = words.too_long();
        let mut front = Front { bert, classes, entries, texts, too_long, rules };
        let unknown = id_entry(words.unknown_character());
        if bert.strip_accents {
            front.entries.fill(bert::HANGUL, CharacterKind::Syllable as u32);
        }
        if bert.cjk {
            front.entries.fill(bert::CJK, unknown);
            words.each_character(|c, id| {
                if bert::is_cjk(c as u32) {
                    *front.entries.at(c as u32) = id_entry(id);
                }
            });
        }
        let changed = bert.touched();
        for code in Classes::punctuation().chain(changed).filter(|&code| code >= 0x80) {
            let entry = front.entry(code, words);
            *front.entries.at(code) = entry;
        }
        front.entries.fill(bert::DELETED, CharacterKind::Nothing as u32);
        front.rules.letters = LETTERS.map(|lead| front.letters(lead)).to_vec();
        front.rules.symbols.c2 = std::array::from_fn(|i| front.symbol(0x80 + i as u32));
        front.rules.symbols.e2_80 = std::array::from_fn(|i| front.symbol(0x2000 + i as u32));
        // Texts are copied in one go, whatever their length.
        front.texts.resize(front.texts.len() + TEXT, 0);
        Some(front)
    }

    /// What the letters of two bytes become whose first byte is `lead`.
    fn letters(&self, lead: u8) -> BertLetters {
        let mut letters = BertLetters { lead, first: [0; 64], second: [0; 64] };
        for last in 0..64 {
            let code = u32::from(lead & 0x1F) << 6 | last;
            let entry = self.entries.get(code);
            let itself = [lead, 0x80 | last as u8];
            let text = match KINDS[(entry & 7) as usize] {
                CharacterKind::Same => &itself,
                CharacterKind::Text => self.text(entry),
                _ => continue,
            };
            if let [first] | [first, _] = *text {
                letters.first[last as usize] = first;
                letters.second[last as usize] = text.get(1).copied().unwrap_or(0);
            }
        }
        letters
    }

    /// How blocks handle a character that is not part of a word; 0 if they do not handle it.
    fn symbol(&self, code: u32) -> u8 {
        let stays = BertCharacters::of(self.bert).get(code, &mut [0; 12]).is_none();
        match KINDS[(self.entries.get(code) & 7) as usize] {
            CharacterKind::Id if stays => BERT_PUNCTUATION,
            CharacterKind::White => BERT_WHITE,
            _ => 0,
        }
    }

    /// The text of an entry of the kind `Text`.
    fn text(&self, entry: u32) -> &[u8] {
        let (len, at) = (entry >> KIND & ((1 << LEN) - 1), entry >> (KIND + LEN));
        &self.texts[at as usize..(at + len) as usize]
    }

    /// The entry of a code point that is punctuation or that the normaliser changes.
    fn entry(&mut self, code: u32, words: &WordEncoder) -> u32 {
        let mut room = [0; 12];
        let mut itself = [0; 4];
        let c = char::from_u32(code).unwrap_or_default();
        let characters = BertCharacters::of(self.bert);
        let same = (&*c.encode_utf8(&mut itself), Order::Apart);
        let (text, order) = characters.get(code, &mut room).unwrap_or(same);
        let alone = text.trim_matches(' ');
        let word = |c: char| self.classes.get(c as u32) == BertClass::Word;
        let mut chars = alone.chars();
        match (chars.next(), chars.next()) {
            _ if order == Order::Sorted => CharacterKind::Odd as u32,
            (None, _) if text.is_empty() => CharacterKind::Nothing as u32,
            (None, _) => CharacterKind::White as u32,
            (Some(first), None) if alone.len() < text.len() || !word(first) => {
                let mut ids = Vec::new();
                words.encode(alone.as_bytes(), &mut ids);
                id_entry(ids[0])
            }
            _ if alone.len() == text.len() && text.chars().all(word) => {
                let at = self.texts.len() as u32;
                self.texts.extend_from_slice(text.as_bytes());
                CharacterKind::Text as u32 | (text.len() as u32) << KIND | at << (KIND + LEN)
            }
            _ => CharacterKind::Odd as u32,
        }
    }
}

fn id_entry(id: TokenId) -> u32 {
    CharacterKind::Id as u32 | id << KIND
}

/*!
What BERT's front knows: what each character becomes, and the ids of those that are words.

The walk over texts (see `walk`) asks here. ASCII and letters of two bytes go by blocks, for which there
are rules; other characters have an entry each, in a table by code point. Chinese characters and
punctuation are words of their own, so their entries are ids at once.

Invariants
* The words are those of `Bert::apply` and the pattern `bert`, which define them.
* What only the plain normaliser knows is `CharacterKind::Odd`, and never guessed.
*/

mod walk;

pub use walk::{FindWords, FoundWords, Place, run};

use super::WordEncoder;
use crate::bert::{self, BertCharacters, BertClass, Classes, Order, TwoLevel};
use crate::model::Bert;
use crate::simd::{BERT_PUNCTUATION, BERT_WHITE, BertLetters, BertRules};
use crate::types::TokenId;

/// The first bytes of letters that blocks know: Latin, Greek, Cyrillic.
const LETTERS: [u8; 7] = [0xC3, 0xC4, 0xC5, 0xCE, 0xCF, 0xD0, 0xD1];

/// What a code point becomes, in three bits; the rest of an entry depends on it.
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
    /// Something that only the plain normaliser knows.
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

/// Bits of a kind; a text has its length in the next five and its place above.
const KIND: u32 = 3;
const LEN: u32 = 5;

/// The longest text.
const TEXT: usize = 1 << LEN;

/// BERT's normaliser and pattern.
#[derive(Debug)]
pub struct Front {
    bert: Bert,
    classes: &'static Classes,
    entries: TwoLevel<u32>,
    texts: Vec<u8>,
    /// A word of so many bytes is unknown, whatever they are.
    too_long: usize,
    /// What blocks know.
    rules: BertRules,
}

impl Front {
    /// For a normaliser and the classes of a pattern; none where ASCII is not what is assumed here.
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

    /// What the letters become that start with a byte.
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

    /// What blocks take a character for that is not part of a word; 0: they do not know it.
    fn symbol(&self, code: u32) -> u8 {
        let stays = BertCharacters::of(self.bert).get(code, &mut [0; 12]).is_none();
        match KINDS[(self.entries.get(code) & 7) as usize] {
            CharacterKind::Id if stays => BERT_PUNCTUATION,
            CharacterKind::White => BERT_WHITE,
            _ => 0,
        }
    }

    /// The text of an entry that is one.
    fn text(&self, entry: u32) -> &[u8] {
        let (len, at) = (entry >> KIND & ((1 << LEN) - 1), entry >> (KIND + LEN));
        &self.texts[at as usize..(at + len) as usize]
    }

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

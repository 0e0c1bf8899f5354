/*!
What BERT's normaliser and word split do with a character.

Both work character by character, so tables hold them: a code point to what it becomes, for one choice
of options, and a code point to its class in the split. The tables are those of Hugging Face's library,
old Unicode and odd ranges included, and `table` was made by asking it; here they become arrays that
are read at two levels, the first time that they are used.

```text
clean    U+0000 -> nothing       U+00A0 -> a space
cjk      中     -> a space, 中, a space
strip    é      -> e             각     -> ᄀ ᅡ ᆨ       U+0301 -> nothing
lower    É      -> é
```

The one thing that takes more than one character: stripping is canonical decomposition, which sorts
adjacent marks. Nearly all marks are dropped; the few that stay have a rank to sort them by.
*/

mod options;
mod table;
mod two_level;

use crate::mem::FirstUse;

pub use options::Bert;
pub(crate) use table::PATTERN;
pub(crate) use two_level::TwoLevel;

/// A class of the word split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum BertClass {
    /// Part of a word.
    #[default]
    Word,
    /// A word of its own.
    Punctuation,
    /// Between words.
    White,
}

/// What canonical order does with a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// It stands where it is, and marks do not move across it.
    Apart,
    /// It is dropped, and marks move across it.
    Through,
    /// It holds marks that are sorted by their ranks.
    Sorted,
}

/// The classes of all characters.
#[derive(Debug)]
pub struct Classes(TwoLevel<BertClass>);

impl Classes {
    /// The one table of classes.
    pub fn all() -> &'static Classes {
        static CLASSES: FirstUse<Classes> = FirstUse::new();
        CLASSES.get_or_make(|| {
            let mut classes = TwoLevel::new();
            classes.fill(table::WHITE, BertClass::White);
            classes.fill(table::PUNCTUATION, BertClass::Punctuation);
            Classes(classes)
        })
    }

    /// The code points of punctuation.
    pub(crate) fn punctuation() -> impl Iterator<Item = u32> {
        codes(table::PUNCTUATION)
    }

    /// The class of a code point.
    #[inline(always)]
    pub fn get(&self, code: u32) -> BertClass {
        self.0.get(code)
    }
}

/// What all characters become, for one choice of options.
#[derive(Debug)]
pub struct BertCharacters {
    bert: Bert,
    /// Where the text of a character is; 0 if it stays as it is.
    entries: TwoLevel<u32>,
    texts: String,
    /// By what marks are sorted.
    marks: &'static [(u32, u32, u8)],
}

/// An entry: the place of the text in 20 bits, its length in 5, its order in 2, and a bit that says
/// that it is one.
const LEN: u32 = 20;
const ORDER: u32 = 25;
const CHANGED: u32 = 1 << 31;

impl BertCharacters {
    /// Those of a normaliser.
    pub fn of(bert: Bert) -> &'static BertCharacters {
        static CHARACTERS: [FirstUse<BertCharacters>; 16] = [const { FirstUse::new() }; 16];
        let Bert { clean, cjk, strip_accents, lowercase } = bert;
        let options = [clean, cjk, strip_accents, lowercase];
        let place = options.iter().fold(0, |place, &on| place << 1 | usize::from(on));
        CHARACTERS[place].get_or_make(|| BertCharacters::new(bert))
    }

    fn new(bert: Bert) -> BertCharacters {
        let marks = if bert.strip_accents { table::MARKS } else { &[] };
        let mut new =
            BertCharacters { bert, entries: TwoLevel::new(), texts: String::new(), marks };
        if bert.clean {
            new.entries.fill(table::DELETED, CHANGED | (Order::Through as u32) << ORDER);
        }
        let mut text = String::new();
        for code in bert.touched() {
            let order = new.write(code, &mut text);
            new.put(code, &text, order);
        }
        new
    }

    fn put(&mut self, code: u32, text: &str, order: Order) {
        if *self.entries.at(code) != 0 {
            return;
        }
        let at = self.texts.len() as u32;
        self.texts.push_str(text);
        *self.entries.at(code) =
            CHANGED | at | (text.len() as u32) << LEN | (order as u32) << ORDER;
    }

    /// What a character becomes, by the steps of the definition.
    fn write(&self, code: u32, text: &mut String) -> Order {
        let bert = self.bert;
        text.clear();
        let character = char::from_u32(code).unwrap_or_default();
        if bert.clean && contains(table::SPACES, code) {
            text.push(' ');
            return Order::Apart;
        }
        let spaced = bert.cjk && contains(table::CJK, code);
        if spaced {
            text.push(' ');
        }
        let mut order = Order::Apart;
        let lower = |c: char, text: &mut String| match find(table::LOWER, c as u32) {
            Some(small) if bert.lowercase => text.push_str(small),
            _ => text.push(c),
        };
        if bert.strip_accents {
            if contains(table::DROPPED, code) {
                let apart = contains(table::APART, code);
                order = if apart { Order::Apart } else { Order::Through };
            } else {
                let mut room = [0; 4];
                let itself = &*character.encode_utf8(&mut room);
                let stripped = find(table::STRIPPED, code).unwrap_or(itself);
                if stripped.chars().any(|c| self.rank(c) > 0) {
                    order = Order::Sorted;
                }
                stripped.chars().for_each(|c| lower(c, text));
            }
        } else {
            lower(character, text);
        }
        if spaced {
            text.push(' ');
        }
        order
    }

    /// What a character becomes. `None`: it stays. `room` is for what no
    /// table holds.
    #[inline(always)]
    pub fn get<'a>(&'a self, code: u32, room: &'a mut [u8; 12]) -> Option<(&'a str, Order)> {
        let entry = self.entries.get(code);
        if entry != 0 {
            let (at, len) = (entry & ((1 << LEN) - 1), entry >> LEN & 31);
            let text = &self.texts[at as usize..(at + len) as usize];
            let order =
                [Order::Apart, Order::Through, Order::Sorted][(entry >> ORDER & 3) as usize];
            return Some((text, order));
        }
        if self.bert.strip_accents && (0xAC00..0xD7A4).contains(&code) {
            let (bytes, len) = syllable(code);
            *room = bytes;
            return Some((std::str::from_utf8(&room[..len]).unwrap_or_default(), Order::Apart));
        }
        if self.bert.cjk && is_cjk(code) {
            return Some((spaced(code, room), Order::Apart));
        }
        None
    }

    /// The first and the last character of what a character becomes, if that is something and no mark
    /// moves across it.
    pub fn ends_apart(&self, c: char) -> Option<(char, char)> {
        match self.get(c as u32, &mut [0; 12]) {
            None => Some((c, c)),
            Some((text, Order::Apart)) => Some((text.chars().next()?, text.chars().next_back()?)),
            Some(_) => None,
        }
    }

    /// By what a mark is sorted; 0 for what stays in its place.
    pub fn rank(&self, c: char) -> u8 {
        let range = |&&(first, last, _): &&(u32, u32, u8)| (first..=last).contains(&(c as u32));
        self.marks.iter().find(range).map_or(0, |&(.., rank)| rank)
    }
}

impl Bert {
    /// The code points that become something else, or are sorted; without those that cleaning deletes,
    /// Korean syllables, and Chinese characters that are spaced out and nothing else.
    pub(crate) fn touched(self) -> Vec<u32> {
        let mut touched: Vec<u32> = Vec::new();
        if self.clean {
            touched.extend(codes(table::SPACES));
        }
        if self.lowercase {
            touched.extend(table::LOWER.iter().map(|&(code, _)| code));
        }
        if self.strip_accents {
            touched.extend(codes(table::DROPPED));
            touched.extend(table::STRIPPED.iter().map(|&(code, _)| code));
            touched.extend(table::MARKS.iter().flat_map(|&(first, last, _)| first..=last));
        }
        touched
    }
}

/// What cleaning deletes.
pub(crate) const DELETED: &[(u32, u32)] = table::DELETED;

/// What gets spaces around it.
pub(crate) const CJK: &[(u32, u32)] = table::CJK;

/// The syllables that stripping takes apart.
pub(crate) const HANGUL: &[(u32, u32)] = &[(0xAC00, 0xD7A3)];

/// The letters of a Korean syllable, two or three of three bytes each, and how many bytes count.
#[inline(always)]
pub(crate) fn syllable(code: u32) -> ([u8; 12], usize) {
    let at = code.wrapping_sub(0xAC00);
    let letters = [0x1100 + at / 588, 0x1161 + at % 588 / 28, 0x11A7 + at % 28];
    let mut bytes = [0; 12];
    for (to, letter) in bytes.as_chunks_mut::<3>().0.iter_mut().zip(letters) {
        *to = [0xE1, 0x80 | (letter >> 6 & 0x3F) as u8, 0x80 | (letter & 0x3F) as u8];
    }
    (bytes, if at.is_multiple_of(28) { 6 } else { 9 })
}

/// A Chinese character between spaces.
fn spaced(code: u32, room: &mut [u8; 12]) -> &str {
    let mut len = 0;
    for c in [0x20, code, 0x20].into_iter().filter_map(char::from_u32) {
        len += c.encode_utf8(&mut room[len..]).len();
    }
    std::str::from_utf8(&room[..len]).unwrap_or_default()
}

/// Whether a code point gets spaces around it.
#[inline(always)]
pub fn is_cjk(code: u32) -> bool {
    contains(table::CJK, code)
}

/// Whether cleaning deletes a code point.
pub fn is_deleted(code: u32) -> bool {
    contains(table::DELETED, code)
}

/// Whether stripping accents drops a code point, in the tables of version 0.23.
pub(crate) fn is_dropped(code: u32) -> bool {
    contains(table::DROPPED, code)
}

/// A character in lower case, if that is another; in the tables of version 0.23.
pub(crate) fn lowercase(c: char) -> Option<&'static str> {
    find(table::LOWER, u32::from(c))
}

fn codes(ranges: &'static [(u32, u32)]) -> impl Iterator<Item = u32> {
    ranges.iter().flat_map(|&(first, last)| first..=last)
}

fn contains(ranges: &[(u32, u32)], code: u32) -> bool {
    let after = ranges.partition_point(|&(first, _)| first <= code);
    after > 0 && code <= ranges[after - 1].1
}

fn find(strings: &[(u32, &'static str)], code: u32) -> Option<&'static str> {
    strings.binary_search_by_key(&code, |&(code, _)| code).ok().map(|at| strings[at].1)
}

/*!
BERT's front in one pass: text in, normalised words out, and the ids of those that are one character.

What the normaliser and the pattern `bert` do character by character is fused here. ASCII and letters
of two bytes go by 64 bytes (see `arch::BertBlock`): one pass over them writes what they become and
gives a mask of what belongs to words and one of punctuation, and shifts of the masks are where words
start and end.

```text
text         Hi, there!
word         11..11111.
punctuation  ..1......1
starts       1.1.1....1      first of a run of word bits, or punctuation
ends         ..11.....11     one after the last of a run, one after punctuation
```

Other characters are looked up one by one, in a table of what each becomes. Chinese characters and
punctuation are words of their own, so the table has their ids at once.

Invariants
* The words are those of `Bert::apply` and the pattern `bert`, which define them.
* Starts and ends alternate; a word that is open at the end of a block goes on in the next.

Marks that canonical order may move are rare: the word with one is left to the plain normaliser, up to
the next space.
*/

use super::WordEncoder;
use crate::arch::{
    self, BERT_PUNCTUATION, BERT_WHITE, BLOCK, BertLetters, BertRules, Classify, Kernel,
};
use crate::bert::{self, Characters, Class, Classes, Order, TwoLevel};
use crate::model::{Bert, BertTables, Normalizer};
use crate::types::TokenId;

/// After so many bytes of ASCII in a row blocks are tried again.
const PATIENCE: usize = 4;

/// The first bytes of letters that blocks know: Latin, Greek, Cyrillic.
const LETTERS: [u8; 7] = [0xC3, 0xC4, 0xC5, 0xCE, 0xCF, 0xD0, 0xD1];

/// PERF: how many texts ahead the start of a text is asked for. Texts lie scattered in memory.
const AHEAD: usize = 3;

/// The most words of one character each that are kept together.
const RUN: usize = 64;

/// The words of a text.
///
/// Words of one character each, whose ids are known at once, are kept together as one: `starts` has
/// where their ids start, and `ends` has their number in a form that [`run`] knows.
#[derive(Debug, Default)]
pub struct Found {
    /// What was normalised, and room for more.
    pub normal: Vec<u8>,
    /// How much of it is written.
    len: usize,
    /// How many words there were when each text ended.
    pub bounds: Vec<usize>,
    /// Where each word starts.
    pub starts: Vec<usize>,
    /// Where each word ends.
    pub ends: Vec<usize>,
    /// The ids of words that need no look-up.
    pub ids: Vec<TokenId>,
}

/// How many words of one character an entry of `ends` stands for; none if it is the end of a word.
#[inline(always)]
pub fn run(end: usize) -> Option<usize> {
    Some(usize::MAX - end).filter(|&len| len <= RUN)
}

impl Found {
    /// Forgets all words.
    pub fn clear(&mut self) {
        self.len = 0;
        self.bounds.clear();
        self.starts.clear();
        self.ends.clear();
        self.ids.clear();
    }

    /// Makes room for `more` bytes after what is written, so that whole blocks can be read and written.
    #[inline(always)]
    fn reserve(&mut self, more: usize) {
        if self.normal.len() < self.len + more + BLOCK {
            self.normal.resize(2 * (self.len + more + BLOCK), 0);
        }
    }
}

/// What a code point becomes, in three bits; the rest of an entry depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
enum Kind {
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

const KINDS: [Kind; 8] = [
    Kind::Same,
    Kind::Text,
    Kind::Id,
    Kind::Syllable,
    Kind::Nothing,
    Kind::White,
    Kind::Odd,
    Kind::Odd,
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
    /// What blocks know.
    rules: BertRules,
}

impl Front {
    /// For a normaliser and the classes of a pattern; none where ASCII is not what is assumed here.
    pub fn new(bert: Bert, tables: BertTables, words: &WordEncoder) -> Option<Front> {
        if !bert.clean {
            return None;
        }
        let classes = Classes::of(tables);
        let (entries, texts) = (TwoLevel::new(), Vec::new());
        let rules = BertRules { lowercase: bert.lowercase, ..BertRules::default() };
        let mut front = Front { bert, classes, entries, texts, rules };
        let unknown = id_entry(words.unknown_character());
        if bert.strip_accents {
            front.entries.fill(bert::HANGUL, Kind::Syllable as u32);
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
        for code in Classes::punctuation(tables).chain(changed).filter(|&code| code >= 0x80) {
            let entry = front.entry(code, words);
            *front.entries.at(code) = entry;
        }
        front.entries.fill(bert::DELETED, Kind::Nothing as u32);
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
                Kind::Same => &itself,
                Kind::Text => self.text(entry),
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
        let stays = Characters::of(self.bert).get(code, &mut [0; 12]).is_none();
        match KINDS[(self.entries.get(code) & 7) as usize] {
            Kind::Id if stays => BERT_PUNCTUATION,
            Kind::White => BERT_WHITE,
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
        let characters = Characters::of(self.bert);
        let same = (&*c.encode_utf8(&mut itself), Order::Apart);
        let (text, order) = characters.get(code, &mut room).unwrap_or(same);
        let alone = text.trim_matches(' ');
        let word = |c: char| self.classes.get(c as u32) == Class::Word;
        let mut chars = alone.chars();
        match (chars.next(), chars.next()) {
            _ if order == Order::Sorted => Kind::Odd as u32,
            (None, _) if text.is_empty() => Kind::Nothing as u32,
            (None, _) => Kind::White as u32,
            (Some(first), None) if alone.len() < text.len() || !word(first) => {
                let mut ids = Vec::new();
                words.encode(alone.as_bytes(), &mut ids);
                id_entry(ids[0])
            }
            _ if alone.len() == text.len() && text.chars().all(word) => {
                let at = self.texts.len() as u32;
                self.texts.extend_from_slice(text.as_bytes());
                Kind::Text as u32 | (text.len() as u32) << KIND | at << (KIND + LEN)
            }
            _ => Kind::Odd as u32,
        }
    }
}

fn id_entry(id: TokenId) -> u32 {
    Kind::Id as u32 | id << KIND
}

/// Finds words, from a place on, until there are `most` of them or no more texts; returns where it
/// stopped. There no word is open.
pub struct Find<'a> {
    /// What to do.
    pub front: &'a Front,
    /// The texts.
    pub texts: &'a [&'a [u8]],
    /// Where to begin.
    pub at: Place,
    /// How many words are enough, those that were there before included.
    pub most: usize,
    /// Where words go.
    pub found: &'a mut Found,
}

/// A place in texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// The text.
    pub text: usize,
    /// The byte in it.
    pub at: usize,
}

impl Kernel for Find<'_> {
    type Output = Place;

    #[inline(always)]
    fn run<C: Classify>(self) -> Place {
        let Find { front, texts, at: Place { mut text, mut at }, most, found } = self;
        while let Some(&bytes) = texts.get(text) {
            if let Some(next) = texts.get(text + AHEAD) {
                (0..4).for_each(|line| arch::prefetch_at(next, line * 64));
            }
            let mut walk =
                Walk { front, text: bytes, at, open: false, source: at, found: &mut *found };
            while walk.at < bytes.len() {
                walk.blocks::<C>(most);
                if !walk.open && walk.found.starts.len() >= most {
                    break;
                }
                walk.characters(most);
            }
            walk.close();
            at = walk.at;
            if at < bytes.len() {
                break;
            }
            found.bounds.push(found.starts.len());
            (text, at) = (text + 1, 0);
            if found.starts.len() >= most {
                break;
            }
        }
        Place { text, at }
    }
}

struct Walk<'a> {
    front: &'a Front,
    text: &'a [u8],
    at: usize,
    /// A word is open, and where in the text it started.
    open: bool,
    source: usize,
    found: &'a mut Found,
}

impl Walk<'_> {
    /// Blocks, up to something that they do not know or the end of the text.
    #[inline(always)]
    fn blocks<C: Classify>(&mut self, most: usize) {
        loop {
            let rest = &self.text[self.at..];
            self.found.reserve(BLOCK);
            let base = self.found.len;
            let Some(bytes) = self.found.normal[base..].first_chunk_mut() else { return };
            let block = C::bert(rest, bytes, &self.front.rules);
            let (word, punctuation) = (block.word, block.punctuation);
            let written = block.kept.count_ones();
            let before = word << 1 | u64::from(self.open);
            let starts = word & !before | punctuation;
            // A word that reaches the end of the block may go on, unless the text ends there.
            let ended = block.read == rest.len();
            let closed = if written == 64 || ended { u64::MAX } else { (1 << written) - 1 };
            let ends = before & !word & closed | block.last << 1;
            C::positions(starts, base, &mut self.found.starts);
            C::positions(ends, base, &mut self.found.ends);
            if block.last >> 63 == 1 {
                self.found.ends.push(base + BLOCK);
            }
            if starts != 0 {
                let start = C::spread(1 << (63 - starts.leading_zeros()), block.kept);
                self.source = self.at + start.trailing_zeros() as usize;
            }
            if ended && written < 64 {
                self.open = false;
            } else if written > 0 {
                self.open = word >> (written - 1) & 1 == 1;
            }
            self.found.len += written as usize;
            self.at += block.read;
            let short = block.read < BLOCK - 2;
            if short || ended || !self.open && self.found.starts.len() >= most {
                return;
            }
        }
    }

    /// Character by character, until it is worth to try blocks again.
    #[inline(always)]
    fn characters(&mut self, most: usize) {
        let (text, from) = (self.text, self.at);
        let mut ascii = 0;
        while let Some(&byte) = text.get(self.at) {
            if byte < 0x80 {
                if ascii == PATIENCE {
                    return;
                }
                ascii += 1;
                self.ascii(byte);
                continue;
            }
            ascii = 0;
            if matches!(byte, 0xC2..=0xC5 | 0xCE..=0xD1) && self.at > from {
                return;
            }
            if self.ids() {
                continue;
            }
            if !self.open && self.found.starts.len() >= most {
                return;
            }
            let (code, len) = decode(&text[self.at..]);
            let entry = self.front.entries.get(code);
            let kind = KINDS[(entry & 7) as usize];
            match kind {
                Kind::Same => {
                    self.begin();
                    self.append_text(&text[self.at..self.at + len]);
                }
                Kind::Text => {
                    self.begin();
                    let (len, at) = (entry >> KIND & ((1 << LEN) - 1), entry >> (KIND + LEN));
                    if let Some(&text) = self.front.texts[at as usize..].first_chunk::<TEXT>() {
                        self.append(text, len as usize);
                    }
                }
                Kind::Id => self.push_ids(&[entry >> KIND]),
                Kind::Syllable => {
                    self.begin();
                    let (letters, len) = bert::syllable(code);
                    self.append(letters, len);
                }
                Kind::Nothing => {}
                Kind::White => self.close(),
                Kind::Odd => {
                    self.plain();
                    continue;
                }
            }
            self.at += len;
        }
    }

    /// A run of words of three bytes each, as Chinese is; says whether there was one.
    #[inline(always)]
    fn ids(&mut self) -> bool {
        let mut ids = [0; RUN];
        let mut len = 0;
        while len < RUN {
            let Some(&[a, b, c]) = self.text[self.at + 3 * len..].first_chunk() else { break };
            let valid = matches!(a, 0xE1..=0xEC | 0xEE | 0xEF) & (b & c & 0xC0 == 0x80);
            let valid = valid & ((b | c) & 0x40 == 0);
            let [a, b, c] = [a & 0x0F, b & 0x3F, c & 0x3F].map(u32::from);
            let entry = self.front.entries.get(a << 12 | b << 6 | c);
            if !valid || entry & 7 != Kind::Id as u32 {
                break;
            }
            ids[len] = entry >> KIND;
            len += 1;
        }
        if len > 0 {
            self.push_ids(&ids[..len]);
            self.at += 3 * len;
        }
        len > 0
    }

    /// Words of which the ids are known.
    #[inline(always)]
    fn push_ids(&mut self, ids: &[TokenId]) {
        self.close();
        self.found.starts.push(self.found.ids.len());
        self.found.ends.push(usize::MAX - ids.len());
        self.found.ids.extend_from_slice(ids);
    }

    #[inline(always)]
    fn ascii(&mut self, byte: u8) {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'A'..=b'Z' => {
                self.begin();
                let upper = byte.is_ascii_uppercase() && self.front.bert.lowercase;
                self.append([byte | u8::from(upper) << 5], 1);
            }
            b' ' | b'\t' | b'\n' | b'\r' => self.close(),
            0..0x20 | 0x7F => {}
            _ => {
                self.close();
                self.begin();
                self.append([byte], 1);
                self.close();
            }
        }
        self.at += 1;
    }

    #[inline(always)]
    fn begin(&mut self) {
        if !self.open {
            self.found.starts.push(self.found.len);
            self.open = true;
            self.source = self.at;
        }
    }

    #[inline(always)]
    fn close(&mut self) {
        if self.open {
            self.found.ends.push(self.found.len);
            self.open = false;
        }
    }

    #[inline(always)]
    fn append<const N: usize>(&mut self, bytes: [u8; N], len: usize) {
        self.found.reserve(N);
        if let Some(to) = self.found.normal[self.found.len..].first_chunk_mut() {
            *to = bytes;
            self.found.len += len;
        }
    }

    /// At most four bytes.
    #[inline(always)]
    fn append_text(&mut self, text: &[u8]) {
        let mut bytes = [0; 4];
        for (to, &byte) in bytes.iter_mut().zip(text) {
            *to = byte;
        }
        self.append(bytes, text.len());
    }

    /// The open word, or the one that starts here, and all up to the next space, by the definition.
    #[cold]
    #[inline(never)]
    fn plain(&mut self) {
        let mut from = self.at;
        if self.open {
            from = self.source;
            self.found.len = self.found.starts.pop().unwrap_or(self.found.len);
            self.open = false;
        }
        let rest = &self.text[self.at..];
        let len = rest.iter().position(|&byte| byte == b' ').unwrap_or(rest.len());
        let normal = Normalizer::Bert(self.front.bert).apply(&self.text[from..self.at + len]);
        for chunk in normal.utf8_chunks() {
            for c in chunk.valid().chars() {
                let class = self.front.classes.get(c as u32);
                if class != Class::Word {
                    self.close();
                }
                if class != Class::White {
                    self.begin();
                    self.append_text(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                if class == Class::Punctuation {
                    self.close();
                }
            }
        }
        self.close();
        self.at += len;
    }
}

/// The code point at the start of a text and its length. A byte that is part of none is U+FFFD.
#[inline(always)]
fn decode(text: &[u8]) -> (u32, usize) {
    const REPLACEMENT: (u32, usize) = (0xFFFD, 1);
    let mut bytes = [0; 4];
    match text.first_chunk() {
        Some(window) => bytes = *window,
        None => bytes[..text.len()].copy_from_slice(text),
    }
    let [first, rest @ ..] = bytes.map(u32::from);
    let [b, c, d] = rest.map(|byte| byte & 0x3F);
    let continued = rest.map(|byte| byte & 0xC0 == 0x80);
    let valid = |code: u32, from: u32, len| {
        if code >= from && char::from_u32(code).is_some() { (code, len) } else { REPLACEMENT }
    };
    match (first, continued) {
        (0xE0..=0xEF, [true, true, _]) => valid((first & 0x0F) << 12 | b << 6 | c, 0x800, 3),
        (0xC2..=0xDF, [true, ..]) => ((first & 0x1F) << 6 | b, 2),
        (0xF0..=0xF4, [true, true, true]) => {
            valid((first & 0x07) << 18 | b << 12 | c << 6 | d, 0x1_0000, 4)
        }
        _ => REPLACEMENT,
    }
}

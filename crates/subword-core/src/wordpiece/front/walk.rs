/*!
BERT's front in one pass: text in, normalised words out, and the ids of those that are one character.

This fuses what the normaliser and the pattern `bert` do character by character. ASCII and letters of two bytes are
handled 64 bytes at a time (see `simd::BertBlock`): one step writes the normalised bytes and returns a mask of those
that belong to words and a mask of punctuation. Shifting the masks by one bit shows where words start and end.

```text
text         Hi, there!
word         11..11111.
punctuation  ..1......1
starts       1.1.1....1      first of a run of word bits, or punctuation
ends         ..11.....11     one after the last of a run, one after punctuation
```

Other characters are looked up one by one, in the tables of `front`.

Invariants
* The words are those of `Bert::apply` and the pattern `bert`, which define them.
* Starts and ends alternate; a word that is open at the end of a block goes on in the next.

Combining marks that canonical ordering may move are rare. A word that contains one is left to the plain normaliser,
together with what follows up to the next space.
*/

use super::super::letters::decode;
use super::{CharacterKind, Front, KIND, KINDS, LEN, TEXT};
use crate::bert::{self, BertClass};
use crate::mem;
use crate::model::Normalizer;
use crate::simd::{BLOCK, Isa, Kernel};
use crate::types::TokenId;

/// After this many ASCII characters in a row, blocks are tried again.
const PATIENCE: usize = 4;

/// PERF: how many texts ahead the start of a text is prefetched. Texts lie scattered in memory.
const AHEAD: usize = 3;

/// PERF: how many bytes ahead a text is prefetched. The processor's own prefetching stops while words are looked up.
/// (One long text: from 9.6 to 8.9 ns per word, 2026-11-16.)
const BYTES_AHEAD: usize = 1 << 11;

/// The most one-character words that are stored as one entry.
const RUN: usize = 64;

/// The words of a text.
///
/// Words of one character each, whose ids are known at once, are stored as one entry: `starts` has the place of their
/// ids in `ids`, and `ends` has their number, in a form that [`run`] recognises.
#[derive(Debug, Default)]
pub struct FoundWords {
    /// The normalised text, with unused room at its end.
    pub normal: Vec<u8>,
    /// How many bytes of `normal` are written.
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

impl FoundWords {
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
    fn reserve(&mut self, more: usize, too_long: usize) {
        if self.normal.len() < self.len + more + BLOCK {
            self.grow(more, too_long);
        }
    }

    /// The same where there is not enough.
    ///
    /// PERF: once so much of a word is written that it is too long and unknown, the rest of it is not kept. A text that
    /// is one word of some megabytes would otherwise touch new memory for all of it.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, more: usize, too_long: usize) {
        if let Some(&start) = self.starts.last()
            && self.starts.len() > self.ends.len()
        {
            self.len = self.len.min(start.saturating_add(too_long));
        }
        let needed = self.len + more + BLOCK;
        if self.normal.len() < needed {
            self.normal.resize(needed + needed / 4, 0);
        }
    }
}

/// Finds words, from a place on, until there are `most` of them or no more texts; returns where it
/// stopped. There no word is open.
pub struct FindWords<'a> {
    /// What to do.
    pub front: &'a Front,
    /// The texts.
    pub texts: &'a [&'a [u8]],
    /// Where to begin.
    pub at: Place,
    /// How many words are enough, those that were there before included.
    pub most: usize,
    /// Where words go.
    pub found: &'a mut FoundWords,
}

/// A place in texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// The text.
    pub text: usize,
    /// The byte in it.
    pub at: usize,
}

impl Kernel for FindWords<'_> {
    type Output = Place;

    #[inline(always)]
    fn run<C: Isa>(self) -> Place {
        let FindWords { front, texts, at: Place { mut text, mut at }, most, found } = self;
        while let Some(&bytes) = texts.get(text) {
            if let Some(next) = texts.get(text + AHEAD) {
                (0..4).for_each(|line| mem::prefetch_at(next, line * 64));
            }
            let mut walk =
                FrontWalk { front, text: bytes, at, open: false, source: at, found: &mut *found };
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

struct FrontWalk<'a> {
    front: &'a Front,
    text: &'a [u8],
    at: usize,
    /// A word is open, and where in the text it started.
    open: bool,
    source: usize,
    found: &'a mut FoundWords,
}

impl FrontWalk<'_> {
    /// Blocks, up to something that they do not know or the end of the text.
    #[inline(always)]
    fn blocks<C: Isa>(&mut self, most: usize) {
        loop {
            let rest = &self.text[self.at..];
            mem::prefetch_at(rest, BYTES_AHEAD);
            self.found.reserve(BLOCK, self.front.too_long);
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
                CharacterKind::Same => {
                    self.begin();
                    self.append_text(&text[self.at..self.at + len]);
                }
                CharacterKind::Text => {
                    self.begin();
                    let (len, at) = (entry >> KIND & ((1 << LEN) - 1), entry >> (KIND + LEN));
                    if let Some(&text) = self.front.texts[at as usize..].first_chunk::<TEXT>() {
                        self.append(text, len as usize);
                    }
                }
                CharacterKind::Id => self.push_ids(&[entry >> KIND]),
                CharacterKind::Syllable => {
                    self.begin();
                    let (letters, len) = bert::syllable(code);
                    self.append(letters, len);
                }
                CharacterKind::Nothing => {}
                CharacterKind::White => self.close(),
                CharacterKind::Odd => {
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
            if !valid || entry & 7 != CharacterKind::Id as u32 {
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
        self.found.reserve(N, self.front.too_long);
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
                if class != BertClass::Word {
                    self.close();
                }
                if class != BertClass::White {
                    self.begin();
                    self.append_text(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                if class == BertClass::Punctuation {
                    self.close();
                }
            }
        }
        self.close();
        self.at += len;
    }
}

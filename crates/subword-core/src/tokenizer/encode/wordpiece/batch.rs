/*!
WordPiece with a front: texts to words to ids, many words at a time.

Texts are short, so a batch of words goes on from one text to the next, and only the ends of the texts
are kept. Each batch is done in passes, as in `encode`: all keys are made and their cache lines asked
for, then all words are looked up, and what was new is remembered at the end.
*/

use crate::arch::{Classify, Kernel, Level};
use crate::cache::{
    Cache, Key, LONGEST_MIDDLE, LONGEST_SHORT, MIDDLE_IDS, NO_KEY, SHORT_IDS, View, characters,
    short_key,
};
use crate::tokenizer::encode::wordpiece::{Fast, Words};
use crate::tokenizer::encode::{Sink, Worker};
use crate::tokenizer::{Finders, Ragged, Tokenizer};
use crate::types::TokenId;
use crate::wordpiece::{Find, Found, Front, Place, WordEncoder, run};

/// How many words are looked up at a time: enough to amortise, few enough to stay in the first-level
/// cache.
const WORDS: usize = 256;

/// What is known of a word when it is looked up.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    /// The key of a short word.
    key: Key,
    /// Where it lives, in the table of its kind; or how many ids there are.
    line: u32,
    kind: Kind,
}

/// Which table a word may be in.
#[derive(Debug, Clone, Copy, Default)]
enum Kind {
    #[default]
    Short,
    Middle,
    Long,
    /// None: words that are ids already.
    Ids,
}

/// The words of a batch, and what is found out about them.
#[derive(Debug, Default)]
pub(in crate::tokenizer) struct Batch {
    found: Found,
    entries: Vec<Entry>,
    known: Vec<TokenId>,
    /// How many ids there were when each text ended.
    ends: Vec<usize>,
    /// What is to be remembered: a word, and its ids among those that are known.
    new: Vec<New>,
    /// The ids of one word.
    ids: Vec<TokenId>,
}

#[derive(Debug)]
struct New {
    start: usize,
    end: usize,
    ids: (usize, usize),
}

/// Where the ids of texts go.
pub(in crate::tokenizer) trait TextSink {
    /// Takes ids, and how many of them there were when each text ended that ended.
    fn batch(&mut self, ids: &[TokenId], ends: &[usize]);
    /// Whether it wants no more.
    fn is_full(&self) -> bool;
}

impl<S: Sink> TextSink for S {
    #[inline]
    fn batch(&mut self, ids: &[TokenId], _: &[usize]) {
        self.many(ids);
    }

    fn is_full(&self) -> bool {
        Sink::is_full(self)
    }
}

/// Ids of many texts, without the first offset.
struct Many<'a>(&'a mut Ragged);

impl TextSink for Many<'_> {
    #[inline]
    fn batch(&mut self, ids: &[TokenId], ends: &[usize]) {
        let base = self.0.ids.len();
        self.0.offsets.extend(ends.iter().map(|end| (base + end) as u64));
        self.0.ids.extend_from_slice(ids);
    }

    fn is_full(&self) -> bool {
        false
    }
}

impl Tokenizer {
    /// The ids of texts that have no special tokens, if the model has a front; says whether it has.
    pub(in crate::tokenizer) fn encode_plain_texts(
        &self,
        texts: &[&[u8]],
        finders: &Finders,
        worker: &mut Worker,
        part: &mut Ragged,
    ) -> bool {
        match &self.words {
            Some(Words::Fast(fast)) if finders.raw.is_empty() && finders.normal.is_empty() => {
                let Some(front) = &fast.front else { return false };
                self.encode_texts(fast, front, texts, worker, &mut Many(part));
                true
            }
            _ => false,
        }
    }

    /// The ids of texts without special tokens.
    pub(in crate::tokenizer::encode) fn encode_texts(
        &self,
        fast: &Fast,
        front: &Front,
        texts: &[&[u8]],
        worker: &mut Worker,
        sink: &mut impl TextSink,
    ) {
        let Worker { cache, words, .. } = worker;
        let mut at = Place::default();
        while at.text < texts.len() && !sink.is_full() {
            let found = &mut words.found;
            at = self.level.run(Find { front, texts, at, most: WORDS, found });
            words.look_up(self.level, &fast.encoder, cache, sink);
        }
    }
}

impl Batch {
    /// Hands over the ids of all words, and forgets the words.
    fn look_up(
        &mut self,
        level: Level,
        encoder: &WordEncoder,
        cache: &mut Cache,
        sink: &mut impl TextSink,
    ) {
        let view = cache.view();
        level.run(Enter { found: &self.found, view, entries: &mut self.entries });
        let len = level.run(LookUp { batch: self, view, encoder });
        sink.batch(&self.known[..len], &self.ends);
        for New { start, end, ids } in self.new.drain(..) {
            cache.insert(&self.found.normal, start, end, false, &self.known[ids.0..ids.1]);
        }
        self.found.clear();
    }

    /// Appends the ids of a word that the near tables do not know to those that are known, of which
    /// there are `len`; returns how many there are then.
    #[cold]
    #[inline(never)]
    fn encode_new(&mut self, word: usize, len: usize, encoder: &WordEncoder) -> usize {
        let (start, end) = (self.found.starts[word], self.found.ends[word]);
        let text = &self.found.normal[start..end];
        self.ids.clear();
        encoder.encode(text, &mut self.ids);
        let now = len + self.ids.len();
        // PERF: what the near tables have no room for is encoded again: that takes no longer than a
        // look into the table of long pieces (Russian first pass +20%, 2026-11-15).
        if end - start <= LONGEST_MIDDLE && self.ids.len() <= MIDDLE_IDS {
            self.new.push(New { start, end, ids: (len, now) });
        }
        let words = self.found.starts.len() - word;
        let most = now + words * MIDDLE_IDS + self.found.ids.len() + 8;
        if self.known.len() < most {
            self.known.resize(most, 0);
        }
        self.known[len..now].copy_from_slice(&self.ids);
        now
    }
}

/// The first pass: makes the keys of the words, and asks for their cache lines.
struct Enter<'a> {
    found: &'a Found,
    view: View<'a>,
    entries: &'a mut Vec<Entry>,
}

impl Kernel for Enter<'_> {
    type Output = ();

    #[inline(always)]
    fn run<C: Classify>(self) {
        let Enter { found: Found { normal, starts, ends, .. }, view, entries } = self;
        if entries.len() < starts.len() {
            entries.resize(starts.len(), Entry::default());
        }
        // PERF: a closure would not be compiled for the level.
        for ((&start, &end), entry) in starts.iter().zip(ends).zip(entries) {
            let len = end.wrapping_sub(start);
            *entry = if len <= LONGEST_SHORT {
                let key = short_key(normal, start, end, false);
                Entry { key, line: view.line_of(key), kind: Kind::Short }
            } else if let Some(ids) = run(end) {
                Entry { key: NO_KEY, line: ids as u32, kind: Kind::Ids }
            } else if len <= LONGEST_MIDDLE {
                let line = view.middle_line_of(normal, start, end, false);
                Entry { key: NO_KEY, line, kind: Kind::Middle }
            } else {
                Entry { key: NO_KEY, line: 0, kind: Kind::Long }
            };
        }
    }
}

/// The second pass: the ids of the words; returns how many.
struct LookUp<'a> {
    batch: &'a mut Batch,
    view: View<'a>,
    encoder: &'a WordEncoder,
}

impl Kernel for LookUp<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<C: Classify>(self) -> usize {
        let LookUp { batch, view, encoder } = self;
        let words = batch.found.starts.len();
        let most = words * MIDDLE_IDS + batch.found.ids.len() + 8;
        if batch.known.len() < most {
            batch.known.resize(most, 0);
        }
        batch.ends.clear();
        let (mut len, mut word) = (0, 0);
        for text in 0..=batch.found.bounds.len() {
            let bound = batch.found.bounds.get(text).copied().unwrap_or(words);
            while word < bound {
                len = batch.one::<C>(word, len, view, encoder);
                word += 1;
            }
            if text < batch.found.bounds.len() {
                batch.ends.push(len);
            }
        }
        len
    }
}

impl Batch {
    /// Appends the ids of a word to those that are known, of which there are `len`; returns how many
    /// there are then.
    #[inline(always)]
    fn one<C: Classify>(
        &mut self,
        word: usize,
        len: usize,
        view: View,
        encoder: &WordEncoder,
    ) -> usize {
        let Entry { key, line, kind } = self.entries[word];
        let (start, end) = (self.found.starts[word], self.found.ends[word]);
        let normal = &self.found.normal;
        let middle = match kind {
            Kind::Ids => {
                let now = len + line as usize;
                self.known[len..now].copy_from_slice(&self.found.ids[start..start + line as usize]);
                return now;
            }
            Kind::Short => {
                let Some(places) = self.known[len..].first_chunk_mut() else { return len };
                let mut count = view.short_into::<C>(key, line, places);
                if count == 0 {
                    count = view.short_beside(key, line, places);
                }
                if count > 0 {
                    return len + count;
                }
                // PERF: a short word is in the middle table only if it has many ids, and it has no more of
                // them than characters. ASCII never is (see `cache`).
                let (characters, ascii) = characters(key);
                let many = characters > SHORT_IDS && !ascii;
                if many { view.middle(normal, start, end, false) } else { None }
            }
            Kind::Middle => view.middle_at(line, normal, start, end, false),
            Kind::Long => None,
        };
        match middle {
            Some((ids, more)) => {
                self.known[len..len + MIDDLE_IDS].copy_from_slice(&ids);
                len + more
            }
            None => self.encode_new(word, len, encoder),
        }
    }
}

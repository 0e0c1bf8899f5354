/*!
WordPiece with BERT's normaliser and pattern fused into one pass: texts to words to ids, many words at a time.

Texts are short, so a batch of words goes on from one text to the next, and only the ends of the texts are kept.
As in `encode::pieces` there are two passes over a batch: keys are made and their cache lines prefetched, then
words are looked up. Here the second pass follows some words behind the first, four words at a time. Misses
are inserted into the cache at the end of the batch.
*/

use super::{FastWords, Words};
use crate::cache::{
    Cache, FOUR, KEYS, Key, LONGEST_MIDDLE, LONGEST_SHORT, MIDDLE_IDS, Segment, View,
};
use crate::encode::{Finders, Path, Plan, Ragged, Scratch, Sink};
use crate::error::Result;
use crate::simd::{Isa, Kernel, Level};
use crate::types::TokenId;
use crate::wordpiece::{FindWords, FoundWords, Front, Place, WordEncoder, run};
use crate::{interrupt, memory};

/// How many words are looked up at a time: enough to pay for the passes, few enough to stay in the
/// first-level cache.
const WORDS: usize = 256;

/// How many groups of four words are prefetched before the first of them is read: enough that their cache lines
/// have arrived, and few enough that they have not been evicted.
const AHEAD: usize = 8;

/// The words of a batch, and their ids.
#[derive(Debug, Default)]
pub(crate) struct WordBatch {
    found: FoundWords,
    /// The words whose cache lines are prefetched and not read yet.
    prefetched: [Four; AHEAD],
    /// The ids of all words so far.
    known: Vec<TokenId>,
    /// How many ids there were before each word, and after the last.
    lens: Vec<usize>,
    /// How many ids there were when each text ended.
    ends: Vec<usize>,
    /// The misses, to be inserted into the cache.
    misses: Vec<WordMiss>,
    /// The ids of one word.
    ids: Vec<TokenId>,
}

/// A word that the cache did not have.
#[derive(Debug)]
struct WordMiss {
    start: usize,
    end: usize,
    /// The bounds of its ids among those of the batch.
    ids: (usize, usize),
}

/// Where the ids of texts go.
pub(in crate::encode) trait TextSink {
    /// Takes ids, and for each text that ended after how many of them it did.
    fn batch(&mut self, ids: &[TokenId], ends: &[usize]) -> Result<()>;
    /// Whether it wants no more.
    fn is_full(&self) -> bool;
}

impl<S: Sink> TextSink for S {
    #[inline]
    fn batch(&mut self, ids: &[TokenId], _: &[usize]) -> Result<()> {
        self.many(ids)
    }

    fn is_full(&self) -> bool {
        Sink::is_full(self)
    }
}

/// Ids of many texts, without the first bound.
struct Many<'a>(&'a mut Ragged);

impl TextSink for Many<'_> {
    #[inline]
    fn batch(&mut self, ids: &[TokenId], ends: &[usize]) -> Result<()> {
        let base = self.0.ids.len();
        memory::reserve(&mut self.0.bounds, ends.len())?;
        self.0.bounds.extend(ends.iter().map(|end| (base + end) as u64));
        memory::extend(&mut self.0.ids, ids)
    }

    fn is_full(&self) -> bool {
        false
    }
}

impl Plan {
    /// Appends the ids of texts, if the model has a front and no added tokens are searched for; returns whether
    /// that is so.
    pub(crate) fn encode_by_front(
        &self,
        texts: &[&[u8]],
        finders: &Finders,
        scratch: &mut Scratch,
        part: &mut Ragged,
    ) -> Result<bool> {
        match &self.path {
            Path::Words(Words::Fast(fast)) if finders.are_empty() => {
                let Some(front) = &fast.front else { return Ok(false) };
                self.encode_texts(fast, front, texts, scratch, &mut Many(part))?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Encodes texts without added tokens.
    pub(in crate::encode) fn encode_texts(
        &self,
        fast: &FastWords,
        front: &Front,
        texts: &[&[u8]],
        scratch: &mut Scratch,
        sink: &mut impl TextSink,
    ) -> Result<()> {
        let Scratch { cache, words, .. } = &mut *scratch;
        let mut at = Place::default();
        let mut done = Ok(());
        while at.text < texts.len() && !sink.is_full() && done.is_ok() {
            let found = &mut words.found;
            at = self.level.run(FindWords { front, texts, at, most: WORDS, found });
            done = words.flush(self.level, &fast.encoder, cache, sink);
        }
        done.inspect_err(|_| scratch.forget())
    }
}

impl WordBatch {
    /// Gives the ids of all words to the sink, and empties the batch.
    fn flush(
        &mut self,
        level: Level,
        encoder: &WordEncoder,
        cache: &mut Cache,
        sink: &mut impl TextSink,
    ) -> Result<()> {
        let len = level.run(LookUpWords { batch: self, view: cache.view(), encoder });
        sink.batch(&self.known[..len], &self.ends)?;
        for WordMiss { start, end, ids } in self.misses.drain(..) {
            cache.insert(&self.found.normal, start, end, false, &self.known[ids.0..ids.1]);
        }
        // About eight bytes for each word.
        let bytes = 8 * (self.found.starts.len() + self.found.ids.len());
        self.found.clear();
        interrupt::worked(bytes)
    }

    /// Empties the batch.
    pub(in crate::encode) fn clear(&mut self) {
        self.misses.clear();
        self.found.clear();
    }
}

/// A bit for each of four.
const ALL: u8 = (1 << KEYS) - 1;

/// Four words whose cache lines are prefetched.
///
/// Aligned, so that one store writes all keys.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(64))]
struct Four {
    /// The keys of short words; of longer ones the line in the middle table.
    keys: [Key; KEYS],
    lines: [u32; KEYS],
    /// Bit i: the i-th is not short, or not there.
    long: u8,
}

impl Four {
    /// The first pass: makes the keys of the words from `at` on, and prefetches their cache lines.
    #[inline(always)]
    fn prefetch<C: Isa>(&mut self, found: &FoundWords, at: usize, view: View) {
        let (starts, ends) = (&found.starts[at..], &found.ends[at..]);
        let Four { keys, lines, long } = self;
        let odd = match (starts.first_chunk(), ends.first_chunk()) {
            (Some(starts), Some(ends)) => {
                view.keys::<C>(&found.normal, [starts, ends], keys, lines)
            }
            _ => None,
        };
        *long = ALL;
        if let Some(odd) = odd {
            view.prefetch(lines);
            *long = odd.long;
        }
        let mut rest = *long;
        while rest != 0 {
            let i = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let (Some(&start), Some(&end)) = (starts.get(i), ends.get(i)) else { break };
            let word = Segment { start, end, part: false };
            (keys[i], lines[i]) = view.key_and_line(&found.normal, word);
            if end - start <= LONGEST_SHORT {
                *long &= !(1 << i);
            }
        }
    }

    /// The second pass for one of them, which is `word`: writes its ids; returns how many there are, 0 for a
    /// miss.
    #[inline(always)]
    fn look_up<C: Isa>(
        &self,
        found: &FoundWords,
        word: usize,
        view: View,
        into: &mut [TokenId],
    ) -> usize {
        let (start, end) = (found.starts[word], found.ends[word]);
        let (key, line) = (self.keys[word % KEYS], self.lines[word % KEYS]);
        if self.long >> (word % KEYS) & 1 == 0 {
            let Some(places) = into.first_chunk_mut() else { return 0 };
            let own = view.short_into::<C>(key, line, places);
            if own > 0 {
                return own;
            }
        } else if let Some(ids) = run(end) {
            into[..ids].copy_from_slice(&found.ids[start..start + ids]);
            return ids;
        }
        let word = Segment { start, end, part: false };
        view.elsewhere_into(&found.normal, word, (key, line), into)
    }
}

/// Both passes, the second some words behind the first; returns how many ids there are.
///
/// PERF: with one pass after the other, the first waits for memory while the second has nothing to wait for.
/// English 427 to 463 MB/s, AVX-512, 2026-11-16.
struct LookUpWords<'a> {
    batch: &'a mut WordBatch,
    view: View<'a>,
    encoder: &'a WordEncoder,
}

impl Kernel for LookUpWords<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<C: Isa>(self) -> usize {
        let LookUpWords { batch, view, encoder } = self;
        let words = batch.found.starts.len();
        batch.make_room(words * MIDDLE_IDS);
        if batch.lens.len() <= words {
            batch.lens.resize(words + 1, 0);
        }
        let (fours, mut len) = (words.div_ceil(KEYS), 0);
        for four in 0..fours + AHEAD {
            let four_words = &mut batch.prefetched[four % AHEAD];
            if let Some(from) = four.checked_sub(AHEAD).map(|four| four * KEYS) {
                if four_words.long == 0
                    && let Some(into) = batch.known[len..].first_chunk_mut()
                    && let Some(lens) = batch.lens[from + 1..].first_chunk_mut()
                    && let Some(ends) =
                        view.four_into::<C>(&four_words.keys, &four_words.lines, into)
                {
                    *lens = ends.map(|end| len + end);
                    len += ends[KEYS - 1];
                } else {
                    let four_words = *four_words;
                    for word in from..words.min(from + KEYS) {
                        let into = &mut batch.known[len..];
                        let count = four_words.look_up::<C>(&batch.found, word, view, into);
                        len +=
                            if count > 0 { count } else { batch.encode_miss(word, len, encoder) };
                        batch.lens[word + 1] = len;
                    }
                }
            }
            if four < fours {
                batch.prefetched[four % AHEAD].prefetch::<C>(&batch.found, four * KEYS, view);
            }
        }
        batch.ends.clear();
        batch.ends.extend(batch.found.bounds.iter().map(|&bound| batch.lens[bound]));
        len
    }
}

impl WordBatch {
    /// Makes room for this many ids beside those that the front has found itself.
    #[inline(always)]
    fn make_room(&mut self, ids: usize) {
        let most = ids + self.found.ids.len() + FOUR;
        if self.known.len() < most {
            self.known.resize(most, 0);
        }
    }

    /// Writes the ids of a miss behind `len` others; returns how many there are.
    #[cold]
    #[inline(never)]
    fn encode_miss(&mut self, word: usize, len: usize, encoder: &WordEncoder) -> usize {
        let (start, end) = (self.found.starts[word], self.found.ends[word]);
        let text = &self.found.normal[start..end];
        self.ids.clear();
        encoder.encode(text, &mut self.ids);
        let now = len + self.ids.len();
        // PERF: what the tables of short and middle-sized pieces have no room for is encoded again, which takes
        // no longer than a look into the table of long pieces. Russian, first pass: 20% faster, AVX-512, 2026-11-15.
        if end - start <= LONGEST_MIDDLE && self.ids.len() <= MIDDLE_IDS {
            self.misses.push(WordMiss { start, end, ids: (len, now) });
        }
        self.make_room(now + (self.found.starts.len() - word) * MIDDLE_IDS);
        self.known[len..now].copy_from_slice(&self.ids);
        self.ids.len()
    }
}

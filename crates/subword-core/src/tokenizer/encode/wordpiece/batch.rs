/*!
WordPiece with a front: texts to words to ids, many words at a time.

Texts are short, so a batch of words goes on from one text to the next, and only the ends of the texts
are kept. There are two passes over a batch, as in `encode`: keys are made and their cache lines asked
for, and words are looked up. Here the second follows some words behind the first, four words at a time.
What was new is remembered at the end.
*/

use crate::arch::{Classify, Kernel, Level};
use crate::cache::{
    Cache, FOUR, KEYS, Key, LONGEST_MIDDLE, LONGEST_SHORT, MIDDLE_IDS, View, short_key,
};
use crate::error::Result;
use crate::tokenizer::encode::wordpiece::{Fast, Words};
use crate::tokenizer::encode::{Sink, Worker};
use crate::tokenizer::{Finders, Ragged, Tokenizer};
use crate::types::TokenId;
use crate::wordpiece::{Find, Found, Front, Place, WordEncoder, run};
use crate::{interrupt, memory};

/// How many words are looked up at a time: enough to amortise, few enough to stay in the first-level
/// cache.
const WORDS: usize = 256;

/// PERF: how many fours of words are entered before the first of them is looked up: enough that their cache
/// lines are there then, and few enough that they are still there.
const AHEAD: usize = 8;

/// The words of a batch, and what is found out about them.
#[derive(Debug, Default)]
pub(in crate::tokenizer) struct Batch {
    found: Found,
    /// Those that are entered and not looked up yet.
    entered: [Four; AHEAD],
    known: Vec<TokenId>,
    /// How many ids there were before each word, and after the last.
    lens: Vec<usize>,
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

/// Ids of many texts, without the first offset.
struct Many<'a>(&'a mut Ragged);

impl TextSink for Many<'_> {
    #[inline]
    fn batch(&mut self, ids: &[TokenId], ends: &[usize]) -> Result<()> {
        let base = self.0.ids.len();
        memory::reserve(&mut self.0.offsets, ends.len())?;
        self.0.offsets.extend(ends.iter().map(|end| (base + end) as u64));
        memory::extend(&mut self.0.ids, ids)
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
    ) -> Result<bool> {
        match &self.words {
            Some(Words::Fast(fast)) if finders.raw.is_empty() && finders.normal.is_empty() => {
                let Some(front) = &fast.front else { return Ok(false) };
                self.encode_texts(fast, front, texts, worker, &mut Many(part))?;
                Ok(true)
            }
            _ => Ok(false),
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
    ) -> Result<()> {
        let Worker { cache, words, .. } = &mut *worker;
        let mut at = Place::default();
        let mut done = Ok(());
        while at.text < texts.len() && !sink.is_full() && done.is_ok() {
            let found = &mut words.found;
            at = self.level.run(Find { front, texts, at, most: WORDS, found });
            done = words.look_up(self.level, &fast.encoder, cache, sink);
        }
        done.inspect_err(|_| worker.forget())
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
    ) -> Result<()> {
        let len = level.run(LookUp { batch: self, view: cache.view(), encoder });
        sink.batch(&self.known[..len], &self.ends)?;
        for New { start, end, ids } in self.new.drain(..) {
            cache.insert(&self.found.normal, start, end, false, &self.known[ids.0..ids.1]);
        }
        // About eight bytes for each word.
        let bytes = 8 * (self.found.starts.len() + self.found.ids.len());
        self.found.clear();
        interrupt::worked(bytes)
    }

    /// Forgets the words.
    pub(in crate::tokenizer::encode) fn clear(&mut self) {
        self.new.clear();
        self.found.clear();
    }
}

/// A bit for each of four.
const ALL: u8 = (1 << KEYS) - 1;

/// Four words that are entered.
///
/// PERF: aligned, so that the keys are written at once.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(64))]
struct Four {
    /// The keys of those that are short; of others the line in the middle table.
    keys: [Key; KEYS],
    lines: [u32; KEYS],
    /// Bit i: the i-th is not short, or not there.
    long: u8,
}

impl Four {
    /// The first pass: makes the keys of the words from `at` on, and asks for their cache lines.
    #[inline(always)]
    fn enter<C: Classify>(&mut self, found: &Found, at: usize, view: View) {
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
            view.ask(lines);
            *long = odd.long;
        }
        let mut rest = *long;
        while rest != 0 {
            let i = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let (Some(&start), Some(&end)) = (starts.get(i), ends.get(i)) else { break };
            let len = end.wrapping_sub(start);
            if len <= LONGEST_SHORT {
                keys[i] = short_key(&found.normal, start, end, false);
                lines[i] = view.line_of(keys[i]);
                *long &= !(1 << i);
            } else if len <= LONGEST_MIDDLE {
                keys[i][0] = view.middle_line_of(&found.normal, start, end, false).into();
            }
        }
    }

    /// The second pass for one of them, which is `word`: writes its ids, and says how many there are; 0 if
    /// it is new.
    #[inline(always)]
    fn look_up<C: Classify>(
        &self,
        found: &Found,
        word: usize,
        view: View,
        into: &mut [TokenId],
    ) -> usize {
        let (start, end) = (found.starts[word], found.ends[word]);
        let (key, line) = (self.keys[word % KEYS], self.lines[word % KEYS]);
        let middle = if self.long >> (word % KEYS) & 1 == 0 {
            let Some(places) = into.first_chunk_mut() else { return 0 };
            let own = view.short_into::<C>(key, line, places);
            let count = if own > 0 { own } else { view.short_beside(key, line, places) };
            if count > 0 || !view.is_marked(key, line) {
                return count;
            }
            view.middle(&found.normal, start, end, false)
        } else if let Some(ids) = run(end) {
            into[..ids].copy_from_slice(&found.ids[start..start + ids]);
            return ids;
        } else if end - start <= LONGEST_MIDDLE {
            view.middle_at(key[0] as u32, &found.normal, start, end, false)
        } else {
            None
        };
        let Some((ids, count)) = middle else { return 0 };
        into[..MIDDLE_IDS].copy_from_slice(&ids);
        count
    }
}

/// Both passes, the second some words behind the first; returns how many ids there are.
///
/// PERF: one after the other, the first waits for memory and the second does not use it (English 427 to 463
/// MB/s, 2026-11-16).
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
        batch.make_room(words * MIDDLE_IDS);
        if batch.lens.len() <= words {
            batch.lens.resize(words + 1, 0);
        }
        let (fours, mut len) = (words.div_ceil(KEYS), 0);
        for four in 0..fours + AHEAD {
            let entered = &mut batch.entered[four % AHEAD];
            if let Some(from) = four.checked_sub(AHEAD).map(|four| four * KEYS) {
                if entered.long == 0
                    && let Some(into) = batch.known[len..].first_chunk_mut()
                    && let Some(lens) = batch.lens[from + 1..].first_chunk_mut()
                    && let Some(ends) = view.four_into::<C>(&entered.keys, &entered.lines, into)
                {
                    *lens = ends.map(|end| len + end);
                    len += ends[KEYS - 1];
                } else {
                    let entered = *entered;
                    for word in from..words.min(from + KEYS) {
                        let into = &mut batch.known[len..];
                        let count = entered.look_up::<C>(&batch.found, word, view, into);
                        len += if count > 0 { count } else { batch.encode_new(word, len, encoder) };
                        batch.lens[word + 1] = len;
                    }
                }
            }
            if four < fours {
                batch.entered[four % AHEAD].enter::<C>(&batch.found, four * KEYS, view);
            }
        }
        batch.ends.clear();
        batch.ends.extend(batch.found.bounds.iter().map(|&bound| batch.lens[bound]));
        len
    }
}

impl Batch {
    /// Makes room for so many ids, and for those that are known already.
    #[inline(always)]
    fn make_room(&mut self, ids: usize) {
        let most = ids + self.found.ids.len() + FOUR;
        if self.known.len() < most {
            self.known.resize(most, 0);
        }
    }

    /// Writes the ids of a word that the near tables do not know behind `len` others, and says how many
    /// there are.
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
        self.make_room(now + (self.found.starts.len() - word) * MIDDLE_IDS);
        self.known[len..now].copy_from_slice(&self.ids);
        self.ids.len()
    }
}

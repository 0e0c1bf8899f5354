/*!
The hot loop: an ordinary text to ids, in one thread.

Pieces come by the batch, and each batch is done in passes, so that the cache lines of the second are
on their way while the first goes on, and what is new can be merged side by side:

```text
for each piece        build its key, ask for its cache line
for each piece        compare, take the ids; if it is not there, leave a gap
for all gaps at once  merge, and remember
```

A long piece is first cut where no token can span (see `bpe::Joins`), and its segments are treated
like pieces. Where the script is written with spaces a long piece is a long word: it is looked up
whole, and cut only if it is new and very long.
*/

mod chinese;
mod enter;
mod gaps;
mod joined;
mod short;
mod wordpiece;
mod words;

use super::{Finders, Tokenizer};
use crate::arch::{Classify, Kernel};
use crate::bpe::Merged;
use crate::cache::{Cache, Key, LONGEST_MIDDLE, LONGEST_SHORT, MIDDLE_IDS, View};
use crate::error::Result;
use crate::pretok::BATCH;
use crate::types::TokenId;
use crate::{interrupt, longest, memory};
use chinese::{Chinese, Segments};
use enter::{Enter, Entries, Place, Walk, key_and_line};
use gaps::{Gap, Mark, WIDE};
use joined::Joined;

pub(super) use wordpiece::{Batch, Fast, Words};

/// So many Chinese pieces are looked up as others are, before their characters get a table.
const CHINESE_PAYS: usize = 1 << 12;

/// What one thread needs.
#[derive(Debug)]
pub(super) struct Worker {
    cache: Cache,
    ends: Vec<usize>,
    /// The pieces and segments of a batch.
    entries: Entries,
    /// The ids of those that were found, how many of them wait to be handed over, and what stands between
    /// them.
    known: Vec<TokenId>,
    held: usize,
    gaps: Vec<Gap>,
    /// The same with the gaps filled.
    filled: Vec<TokenId>,
    /// How many ids were handed over, where documents ended in what waits, and after how many ids others
    /// ended, all of them of one call.
    taken: usize,
    marks: Vec<Mark>,
    document_ends: Vec<usize>,
    joined: Joined,
    /// What is to be merged, and what came of it.
    places: Vec<(usize, usize)>,
    merged: Merged,
    /// The ids of long pieces that were seen before, and those of one piece.
    remembered: Vec<TokenId>,
    ids: Vec<TokenId>,
    longest: longest::Scratch,
    /// For WordPiece: the words of a batch.
    words: Batch,
}

impl Worker {
    pub(super) fn new(cache_bytes: usize) -> Worker {
        Worker {
            cache: Cache::new(cache_bytes),
            ends: Vec::with_capacity(2 * BATCH),
            entries: Entries::new(),
            known: Vec::new(),
            held: 0,
            gaps: Vec::new(),
            filled: Vec::new(),
            taken: 0,
            marks: Vec::new(),
            document_ends: Vec::new(),
            joined: Joined::default(),
            places: Vec::new(),
            merged: Merged::default(),
            remembered: Vec::new(),
            ids: Vec::new(),
            longest: longest::Scratch::default(),
            words: Batch::default(),
        }
    }

    /// Drops what is left of a text whose encoding ended with an error.
    fn forget(&mut self) {
        self.held = 0;
        self.gaps.clear();
        self.marks.clear();
        self.document_ends.clear();
        self.words.clear();
    }
}

/// Where ids go.
pub(super) trait Sink {
    /// Takes any number; an error if there is no memory for them.
    fn many(&mut self, ids: &[TokenId]) -> Result<()>;
    /// Whether it wants no more.
    fn is_full(&self) -> bool;
    /// Whether it looks at the ids; else how many there are is enough.
    fn wants_ids(&self) -> bool {
        true
    }
}

impl Sink for Vec<TokenId> {
    #[inline]
    fn many(&mut self, ids: &[TokenId]) -> Result<()> {
        memory::extend(self, ids)
    }

    fn is_full(&self) -> bool {
        false
    }
}

/// Counts ids, and stops soon after `limit`.
pub(super) struct Counter {
    pub(super) count: usize,
    pub(super) limit: usize,
}

impl Sink for Counter {
    #[inline]
    fn many(&mut self, ids: &[TokenId]) -> Result<()> {
        self.count += ids.len();
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.count > self.limit
    }

    fn wants_ids(&self) -> bool {
        false
    }
}

impl Tokenizer {
    /// A worker for the length of a call.
    pub(super) fn with_worker<R>(&self, run: impl FnOnce(&mut Worker) -> R) -> R {
        self.workers.with(|| self.new_worker(), run)
    }

    /// Makes the first worker ahead of the first call.
    pub(super) fn prepare_worker(&self) {
        self.workers.put(Box::new(self.new_worker()));
    }

    fn new_worker(&self) -> Worker {
        let mut worker = Worker::new(self.cache_bytes);
        if let Some(Words::Fast(fast)) = &self.words {
            self.remember_vocabulary(fast, &mut worker);
        }
        worker
    }

    /// A text, special tokens and all.
    pub(super) fn encode_text(
        &self,
        text: &[u8],
        finders: &Finders,
        worker: &mut Worker,
        sink: &mut impl Sink,
    ) -> Result<()> {
        if finders.raw.is_empty() {
            return self.encode_raw(text, finders, worker, sink);
        }
        finders.raw.split(text, |span| match span.special {
            Some(id) => sink.many(&[id]),
            None => self.encode_raw(&text[span.start..span.end], finders, worker, sink),
        })
    }

    /// A text between special tokens, not yet normalised.
    pub(super) fn encode_raw(
        &self,
        text: &[u8],
        finders: &Finders,
        worker: &mut Worker,
        sink: &mut impl Sink,
    ) -> Result<()> {
        if let Some(Words::Fast(fast)) = &self.words
            && let Some(front) = fast.front.as_ref().filter(|_| finders.normal.is_empty())
        {
            return self.encode_texts(fast, front, &[text], worker, sink);
        }
        let text = self.model.normalizer.apply_by_blocks(text)?;
        if finders.normal.is_empty() {
            return self.encode_ordinary(&text, worker, sink);
        }
        finders.normal.split(&text, |span| match span.special {
            Some(id) => sink.many(&[id]),
            None => self.encode_ordinary(&text[span.start..span.end], worker, sink),
        })
    }

    /// A text that only needs to be cut and merged.
    pub(super) fn encode_ordinary(
        &self,
        text: &[u8],
        worker: &mut Worker,
        sink: &mut impl Sink,
    ) -> Result<()> {
        if let Some(words) = &self.words {
            return self.encode_word_pieces(words, text, worker, sink);
        }
        if !self.plain {
            return self.encode_words(text, worker, sink);
        }
        if self.encode_short(text, worker, sink)? {
            return Ok(());
        }
        self.encode_pieces(text, worker, sink).inspect_err(|_| worker.forget())
    }

    fn encode_pieces(&self, text: &[u8], worker: &mut Worker, sink: &mut impl Sink) -> Result<()> {
        let mut cursor = self.splitter.cursor(text)?;
        let mut ends = std::mem::take(&mut worker.ends);
        let mut start = 0;
        loop {
            let batch = cursor.next_batch(&mut ends);
            let Some(&last) = batch.last() else { break };
            self.encode_batch_of_pieces(text, start, batch, &[], worker, sink)?;
            interrupt::worked(last - start)?;
            start = last;
            if sink.is_full() {
                break;
            }
        }
        worker.ends = ends;
        self.hand_over(text, worker, sink)
    }

    /// Pieces with these ends, the first from `start` on. Some of their ids may have to be handed over at
    /// the end (see [`Tokenizer::hand_over`]). For each of the documents that end where `documents` says,
    /// the worker is told then how many ids there were.
    fn encode_batch_of_pieces(
        &self,
        text: &[u8],
        start: usize,
        ends: &[usize],
        mut documents: &[usize],
        worker: &mut Worker,
        sink: &mut impl Sink,
    ) -> Result<()> {
        let mut walk = Walk { piece: 0, start, within: false };
        while walk.piece < ends.len() {
            let Worker { cache, entries, known, gaps, marks, held, .. } = &mut *worker;
            let view = cache.view();
            let singles = self.merger.singles(entries.chinese_seen > CHINESE_PAYS);
            let chinese = singles.map(|singles| Chinese { joins: self.joins(), singles });
            let walk = &mut walk;
            self.level.run(Enter { tokenizer: self, text, ends, view, walk, entries, chinese });
            // A Chinese piece has at most an id for each byte, and some places more are written.
            let most = *held + entries.count * MIDDLE_IDS + entries.bytes() + WIDE;
            memory::fill_up(known, most, 0)?;
            let (wants_ids, ended) = (sink.wants_ids(), marks.len());
            *held = self.level.run(LookUp {
                text,
                entries,
                view,
                chinese,
                known,
                held: *held,
                gaps,
                documents,
                marks,
                wants_ids,
            });
            documents = &documents[marks.len() - ended..];
            if gaps::is_time(*held, gaps) {
                self.hand_over(text, worker, sink)?;
            }
        }
        Ok(())
    }
}

/// The second pass: the ids of the entries that the near tables know, and the gaps between them; returns
/// how many ids.
struct LookUp<'a> {
    text: &'a [u8],
    entries: &'a Entries,
    view: View<'a>,
    chinese: Option<Chinese<'a>>,
    /// What was found before, as many ids as `held` says, and room for those of all entries.
    known: &'a mut [TokenId],
    held: usize,
    gaps: &'a mut Vec<Gap>,
    /// Where documents end.
    documents: &'a [usize],
    marks: &'a mut Vec<Mark>,
    /// Whether anybody looks at the ids; else they are not written.
    wants_ids: bool,
}

impl Kernel for LookUp<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<C: Classify>(self) -> usize {
        match (self.wants_ids, self.entries.chinese) {
            (true, false) => self.each::<C, true, false>(),
            (true, true) => self.each::<C, true, true>(),
            (false, false) => self.each::<C, false, false>(),
            (false, true) => self.each::<C, false, true>(),
        }
    }
}

impl LookUp<'_> {
    #[inline(always)]
    fn each<C: Classify, const IDS: bool, const CHINESE: bool>(self) -> usize {
        let LookUp { text, entries, view, chinese, known, held, gaps, documents, marks, .. } = self;
        let (mut len, mut at) = (held, 0);
        let mut documents = documents.iter();
        loop {
            // Document by document, so that nothing is asked of an entry but its key.
            let document = documents.next().and_then(|&end| entries.up_to(end, at));
            let to = document.unwrap_or(entries.count);
            let keys = entries.keys[at..to].iter().zip(&entries.lines[at..to]);
            for (number, (&key, &line)) in keys.enumerate() {
                let from = if IDS { len } else { 0 };
                let Some(places) = known[from..].first_chunk_mut() else { break };
                let mut count = if CHINESE && chinese::is_key(key) {
                    0
                } else if IDS {
                    view.short_into::<C>(key, line, places)
                } else {
                    view.short_number::<C>(key, line)
                };
                if count == 0 {
                    let place = entries.place(at + number);
                    if let Some(chinese) = chinese.filter(|_| CHINESE && chinese::is_key(key)) {
                        let mut segments = Segments::new(place, key);
                        // Who only counts need not walk over the single characters.
                        len += if IDS { 0 } else { segments.count::<C>(text, chinese) };
                        loop {
                            let next = if IDS {
                                segments.next::<C>(text, chinese.joins)
                            } else {
                                let next = segments.next_joined::<C>(text, chinese, &mut len);
                                next.map(|place| (place, false))
                            };
                            let Some((place, run)) = next else { break };
                            let into = &mut known[if IDS { len } else { 0 }..];
                            let count = if run {
                                chinese.singles.write(&text[place.start..place.end], into)
                            } else {
                                entry_into::<C, IDS>(view, text, place, into)
                            };
                            if count == 0 {
                                gaps.push(Gap::new(len, place));
                            }
                            len += count;
                        }
                        continue;
                    }
                    count = elsewhere(view, text, place, key, line, &mut known[from..]);
                    if count == 0 {
                        gaps.push(Gap::new(len, place));
                    }
                }
                len += count;
            }
            if document.is_none() {
                break;
            }
            at = to;
            marks.push(Mark { known: len, gaps: gaps.len() });
        }
        len
    }
}

/// Writes the ids of a piece or segment of which nothing was asked for ahead, and says how many there are;
/// where nobody looks at them, they need not be written.
#[inline(always)]
fn entry_into<C: Classify, const IDS: bool>(
    view: View,
    text: &[u8],
    place: Place,
    into: &mut [TokenId],
) -> usize {
    let (key, line) = key_and_line(view, text, place);
    let count = match into.first_chunk_mut() {
        Some(into) if IDS => view.short_into::<C>(key, line, into),
        _ => view.short_number::<C>(key, line),
    };
    if count > 0 { count } else { elsewhere(view, text, place, key, line, into) }
}

/// Writes the ids of a piece that is not in the line of its key, and says how many there are.
#[inline(always)]
fn elsewhere(
    view: View,
    text: &[u8],
    place: Place,
    key: Key,
    line: u32,
    into: &mut [TokenId],
) -> usize {
    let Place { start, end, part } = place;
    if end - start <= LONGEST_SHORT {
        let Some(into) = into.first_chunk_mut() else { return 0 };
        let count = view.short_beside(key, line, into);
        if count > 0 || !view.is_marked(key, line) {
            return count;
        }
    }
    if end - start > LONGEST_MIDDLE {
        return 0;
    }
    let found = if end - start <= LONGEST_SHORT {
        view.middle(text, start, end, part)
    } else {
        view.middle_at(key[0] as u32, text, start, end, part)
    };
    let Some((ids, count)) = found else { return 0 };
    into[..MIDDLE_IDS].copy_from_slice(&ids);
    count
}

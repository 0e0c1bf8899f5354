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
mod joined;
mod wordpiece;
mod words;

use super::{Finders, Tokenizer};
use crate::arch::{Classify, Kernel};
use crate::bpe::{LONGEST_SHORT as LONGEST_WORD, Merged};
use crate::cache::{Cache, Key, LONGEST_MIDDLE, LONGEST_SHORT, MIDDLE_IDS, View};
use crate::error::{Error, Result};
use crate::longest;
use crate::pretok::BATCH;
use crate::types::TokenId;
use chinese::{Chinese, Segments};
use enter::{Enter, Entries, Place, Walk, key_and_line};
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
    /// The ids of those that were found, and what stands between them.
    known: Vec<TokenId>,
    gaps: Vec<Gap>,
    /// Where documents ended in a batch, and in all batches of a call: how many ids there were.
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

/// A piece or segment that is not in the near tables.
#[derive(Debug, Clone, Copy)]
struct Gap {
    /// How many ids are known before it.
    known: usize,
    place: Place,
    /// Its ids, if the table of long pieces has it.
    remembered: (usize, usize),
}

/// The end of a document.
#[derive(Debug, Clone, Copy)]
struct Mark {
    /// How many ids are known before it, and how many gaps there are.
    known: usize,
    gaps: usize,
}

impl Worker {
    pub(super) fn new(cache_bytes: usize) -> Worker {
        Worker {
            cache: Cache::new(cache_bytes),
            ends: Vec::with_capacity(2 * BATCH),
            entries: Entries::new(),
            known: Vec::new(),
            gaps: Vec::new(),
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
}

/// Where ids go.
pub(super) trait Sink {
    /// Takes any number.
    fn many(&mut self, ids: &[TokenId]);
    /// Whether it wants no more.
    fn is_full(&self) -> bool;
    /// Whether it looks at the ids; else how many there are is enough.
    fn wants_ids(&self) -> bool {
        true
    }
}

impl Sink for Vec<TokenId> {
    #[inline]
    fn many(&mut self, ids: &[TokenId]) {
        self.extend_from_slice(ids);
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
    fn many(&mut self, ids: &[TokenId]) {
        self.count += ids.len();
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
        let mut worker = self.workers.take(|| self.new_worker());
        let result = run(&mut worker);
        self.workers.put(worker);
        result
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
            Some(id) => {
                sink.many(&[id]);
                Ok(())
            }
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
            self.encode_texts(fast, front, &[text], worker, sink);
            return Ok(());
        }
        let text = self.model.normalizer.apply(text);
        if finders.normal.is_empty() {
            return self.encode_ordinary(&text, worker, sink);
        }
        finders.normal.split(&text, |span| match span.special {
            Some(id) => {
                sink.many(&[id]);
                Ok(())
            }
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
        let mut cursor = self.splitter.cursor(text)?;
        let mut ends = std::mem::take(&mut worker.ends);
        let mut start = 0;
        loop {
            cursor.next_batch(&mut ends);
            let Some(&last) = ends.last() else { break };
            self.encode_batch_of_pieces(text, start, &ends, &[], worker, sink)?;
            start = last;
            if sink.is_full() {
                break;
            }
        }
        worker.ends = ends;
        Ok(())
    }

    /// Pieces with these ends, the first from `start` on. For each of the documents that end where
    /// `documents` says, the worker is told how many ids there were.
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
        let mut taken = 0;
        while walk.piece < ends.len() {
            let Worker { cache, entries, known, gaps, marks, .. } = &mut *worker;
            let view = cache.view();
            let singles = self.merger.singles(entries.chinese_seen > CHINESE_PAYS);
            let chinese = singles.map(|singles| Chinese { joins: self.joins(), singles });
            let walk = &mut walk;
            self.level.run(Enter { tokenizer: self, text, ends, view, walk, entries, chinese });
            marks.clear();
            let wants_ids = sink.wants_ids();
            let look_up =
                LookUp { text, entries, view, chinese, known, gaps, documents, marks, wants_ids };
            let mut found = self.level.run(look_up);
            if gaps.is_empty() {
                sink.many(&known[..found]);
            } else {
                found = self.fill_gaps(text, found, worker, sink)?;
            }
            let Worker { marks, document_ends, .. } = &mut *worker;
            documents = &documents[marks.len()..];
            document_ends.extend(marks.iter().map(|mark| taken + mark.known));
            taken += found;
        }
        Ok(())
    }

    /// Hands over the first `found` known ids with what belongs into the gaps between them, and says how
    /// many ids there are then.
    #[cold]
    #[inline(never)]
    fn fill_gaps(
        &self,
        text: &[u8],
        found: usize,
        worker: &mut Worker,
        sink: &mut impl Sink,
    ) -> Result<usize> {
        let Worker { cache, known, gaps, marks, places, merged, remembered, ids, .. } = worker;
        places.clear();
        remembered.clear();
        // What is short and has many ids is in the middle table, unless it is ASCII (see `cache`).
        let view = cache.view();
        let in_middle = |Place { start, end, .. }: Place| {
            end - start <= LONGEST_SHORT && !text[start..end].is_ascii()
        };
        for Place { start, end, part } in gaps.iter().map(|gap| gap.place).filter(|&p| in_middle(p))
        {
            view.middle_line_of(text, start, end, part);
        }
        for gap in gaps.iter_mut() {
            let Place { start, end, part } = gap.place;
            let piece = &text[start..end];
            if u32::try_from(piece.len()).is_err() {
                return Err(Error::Text {
                    message: format!("a piece of {} bytes is over the limit of 4 GiB", piece.len()),
                    position: start,
                });
            }
            let first = remembered.len();
            let middle = in_middle(gap.place).then(|| view.middle(text, start, end, part));
            if let Some((ids, count)) = middle.flatten() {
                remembered.extend_from_slice(&ids[..count]);
            } else if let Some(ids) = cache.long(piece, part) {
                remembered.extend_from_slice(ids);
            } else if piece.len() > LONGEST_WORD {
                self.joins().each_part(piece, |from, to| {
                    places.push((start + from, start + to));
                });
            } else {
                places.push((start, end));
            }
            gap.remembered = (first, remembered.len());
        }
        self.merger.merge(&self.model.vocab, text, places, merged);
        let (mut from, mut place) = (0, 0);
        let (mut more, mut marks) = (0, marks.iter_mut().peekable());
        for (number, gap) in gaps.drain(..).enumerate() {
            while let Some(mark) = marks.next_if(|mark| mark.gaps <= number) {
                mark.known += more;
            }
            sink.many(&known[from..gap.known]);
            from = gap.known;
            let Place { start, end, part } = gap.place;
            let (first, last) = gap.remembered;
            if first < last {
                sink.many(&remembered[first..last]);
                more += last - first;
                continue;
            }
            ids.clear();
            while places.get(place).is_some_and(|&(_, last)| last <= end) {
                ids.extend_from_slice(merged.ids_of(place));
                place += 1;
            }
            let piece = &text[start..end];
            if let Some(id) = self.merger.whole(&self.model.vocab, piece).filter(|_| !part) {
                ids.clear();
                ids.push(id);
            }
            cache.insert(text, start, end, part, ids);
            sink.many(ids);
            more += ids.len();
        }
        marks.for_each(|mark| mark.known += more);
        sink.many(&known[from..found]);
        Ok(found + more)
    }
}

/// The second pass: the ids of the entries that the near tables know, and the gaps between them; returns
/// how many ids.
struct LookUp<'a> {
    text: &'a [u8],
    entries: &'a Entries,
    view: View<'a>,
    chinese: Option<Chinese<'a>>,
    known: &'a mut Vec<TokenId>,
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
        let LookUp { text, entries, view, chinese, known, gaps, documents, marks, .. } = self;
        // A Chinese piece has at most an id for each byte, and some places more are written.
        let most = entries.count * MIDDLE_IDS + entries.bytes() + 8;
        if known.len() < most {
            known.resize(most, 0);
        }
        let known = &mut known[..];
        let (mut len, mut at) = (0, 0);
        let mut documents = documents.iter();
        loop {
            // Document by document, so that nothing is asked of an entry but its key.
            let document = documents.next().and_then(|&end| entries.up_to(end, at));
            let to = document.unwrap_or(entries.count);
            let keys = entries.keys[at..to].iter().zip(&entries.lines[at..to]);
            for (number, (&key, &line)) in keys.enumerate() {
                let from = if IDS { len } else { 0 };
                let Some(places) = known[from..].first_chunk_mut() else { break };
                let mut count = if IDS {
                    view.short_into::<C>(key, line, places)
                } else {
                    view.short_number::<C>(key, line)
                };
                if count == 0 {
                    let place = entries.place(at + number);
                    if let Some(chinese) = chinese.filter(|_| CHINESE && chinese::is_key(key)) {
                        let mut segments = Segments::new(place, key);
                        while let Some((place, run)) = segments.next::<C>(text, chinese.joins) {
                            let into = &mut known[if IDS { len } else { 0 }..];
                            let count = if run {
                                chinese.singles.write(&text[place.start..place.end], into)
                            } else {
                                segment_into::<C>(view, text, place, into)
                            };
                            if count == 0 {
                                gaps.push(Gap { known: len, place, remembered: (0, 0) });
                            }
                            len += count;
                        }
                        continue;
                    }
                    count = elsewhere(view, text, place, key, line, &mut known[from..]);
                    if count == 0 {
                        gaps.push(Gap { known: len, place, remembered: (0, 0) });
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

/// Writes the ids of a segment of which nothing was asked for ahead, and says how many there are.
#[inline(always)]
fn segment_into<C: Classify>(view: View, text: &[u8], place: Place, into: &mut [TokenId]) -> usize {
    let (key, line) = key_and_line(view, text, place);
    let count = into.first_chunk_mut().map_or(0, |into| view.short_into::<C>(key, line, into));
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
        return into.first_chunk_mut().map_or(0, |into| view.short_beside(key, line, into));
    }
    if end - start > LONGEST_MIDDLE {
        return 0;
    }
    let found = view.middle_at(key[0] as u32, text, start, end, part);
    let Some((ids, count)) = found else { return 0 };
    into[..MIDDLE_IDS].copy_from_slice(&ids);
    count
}

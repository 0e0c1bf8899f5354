/*!
The second pass over a batch: the ids of the pieces that the cache has, and the misses between them.

The keys are compared in the cache lines that the first pass has prefetched. A piece that is not in the line of its
key may be in the neighbouring line or in the table of middle-sized pieces; what is in none of them is a miss,
and its place among the hits is kept.

A sink that only counts does not need the ids of hits, so they are not written for it. PERF: `count` of
English takes 15.6 instead of 20.9 ms for 10 MB (AVX-512, 2026-11-18).
*/

use super::cjk::{self, Cjk, CjkWalk};
use super::misses::{DocumentMark, Miss};
use super::prefetch::Entries;
use crate::cache::{Key, Segment, View};
use crate::simd::{Isa, Kernel};
use crate::types::TokenId;

/// Looks up all entries; returns how many ids there are then.
pub(super) struct LookUp<'a> {
    pub(super) text: &'a [u8],
    pub(super) entries: &'a Entries,
    pub(super) view: View<'a>,
    pub(super) cjk: Option<Cjk<'a>>,
    /// The first `held` are those of earlier batches; there is room for those of all entries.
    pub(super) hits: &'a mut [TokenId],
    pub(super) held: usize,
    pub(super) misses: &'a mut Vec<Miss>,
    /// Where packed documents end in the text.
    pub(super) documents: &'a [usize],
    pub(super) document_marks: &'a mut Vec<DocumentMark>,
    /// Whether the ids of hits are written, or only counted.
    pub(super) wants_ids: bool,
}

impl Kernel for LookUp<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<C: Isa>(self) -> usize {
        match (self.wants_ids, self.entries.cjk) {
            (true, false) => self.each::<C, true, false>(),
            (true, true) => self.each::<C, true, true>(),
            (false, false) => self.each::<C, false, false>(),
            (false, true) => self.each::<C, false, true>(),
        }
    }
}

impl LookUp<'_> {
    /// `IDS`: the ids of hits are written. `CJK`: one of the entries is Chinese or Japanese.
    #[inline(always)]
    fn each<C: Isa, const IDS: bool, const CJK: bool>(self) -> usize {
        let LookUp { text, entries, view, cjk, hits, held, misses, documents, .. } = self;
        let document_marks = self.document_marks;
        let (mut len, mut at) = (held, 0);
        // PERF: what is left of the hits, instead of a place among them, whose bounds are checked twice.
        let mut room = &mut hits[if IDS { held } else { 0 }..];
        let mut documents = documents.iter();
        loop {
            // Document by document, so that the inner loop reads nothing of an entry but its key.
            let document = documents.next().and_then(|&end| entries.up_to(end, at));
            let to = document.unwrap_or(entries.count);
            let keys = entries.keys[at..to].iter().zip(&entries.lines[at..to]);
            for (number, (&key, &line)) in keys.enumerate() {
                let Some(into) = room.first_chunk_mut() else { break };
                let is_cjk = CJK && cjk::is_key(key);
                let mut count = if is_cjk {
                    0
                } else if IDS {
                    view.short_into::<C>(key, line, into)
                } else {
                    view.short_number::<C>(key, line)
                };
                if count == 0 {
                    let segment = entries.segment(at + number);
                    if let Some(cjk) = cjk.filter(|_| is_cjk) {
                        count = walk::<C, IDS>(cjk, view, text, segment, key, room, len, misses);
                    } else {
                        count = view.elsewhere_into(text, segment, (key, line), room);
                        if count == 0 {
                            misses.push(Miss::new(len, segment));
                        }
                    }
                }
                len += count;
                if IDS {
                    room = &mut std::mem::take(&mut room)[count..];
                }
            }
            if document.is_none() {
                break;
            }
            at = to;
            document_marks.push(DocumentMark { hits: len, misses: misses.len() });
        }
        len
    }
}

/// Looks up the segments of a Chinese or Japanese piece, before which there are `before` ids; returns how many there
/// are.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn walk<C: Isa, const IDS: bool>(
    cjk: Cjk,
    view: View,
    text: &[u8],
    piece: Segment,
    key: Key,
    room: &mut [TokenId],
    before: usize,
    misses: &mut Vec<Miss>,
) -> usize {
    let mut segments = CjkWalk::new(piece, key);
    let mut len = 0;
    while let Some((segment, is_run)) = segments.next::<C>(text, cjk.joins) {
        let into = &mut room[if IDS { len } else { 0 }..];
        let count = if is_run {
            cjk.singles.write(&text[segment.start..segment.end], into)
        } else {
            view.ids_into::<C>(text, segment, into)
        };
        if count == 0 {
            misses.push(Miss::new(before + len, segment));
        }
        len += count;
    }
    len
}

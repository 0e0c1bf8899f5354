/*!
Byte-level BPE: a text to ids, batch by batch.

Pieces come in batches of about 256, and each batch is done in three passes. While the first pass makes keys, the
cache lines that the second one reads are on their way; and the misses of the third are merged side by side:

```text
for each piece         make its key, prefetch its cache line        prefetch.rs
for each piece         compare the key, copy the ids                lookup.rs
for all misses         merge, insert into the cache                 misses.rs
```

A long piece is first cut where no token can span (see `bpe::Joins`), and its segments are treated like
pieces. In scripts that put spaces between words a long piece is a long word: it is looked up whole, and
cut only if it is a miss and very long.
*/

use super::cjk::Cjk;
use super::lookup::LookUp;
use super::misses::{WIDE, should_flush};
use super::prefetch::{Prefetch, Walk};
use super::{Plan, Scratch, Sink};
use crate::cache::MIDDLE_IDS;
use crate::error::Result;
use crate::{interrupt, memory};

/// After this many Chinese or Japanese pieces their characters get a table of their own; the first ones are
/// looked up as others are.
const CJK_PAYS: usize = 1 << 12;

impl Plan {
    /// Encodes a text that only has to be cut and merged.
    pub(super) fn encode_pieces(
        &self,
        text: &[u8],
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) -> Result<()> {
        let mut cursor = self.splitter.cursor(text)?;
        let mut ends = std::mem::take(&mut scratch.ends);
        let mut start = 0;
        loop {
            let batch = cursor.next_batch(&mut ends);
            let Some(&last) = batch.last() else { break };
            self.encode_batch_of_pieces(text, start, batch, &[], scratch, sink)?;
            interrupt::worked(last - start)?;
            start = last;
            if sink.is_full() {
                break;
            }
        }
        scratch.ends = ends;
        self.flush(text, scratch, sink)
    }

    /// Calls `each` with the start and the end of every piece of a text, as long as it returns true: for models
    /// that take one piece after the other.
    pub(super) fn each_piece(
        &self,
        text: &[u8],
        mut each: impl FnMut(usize, usize) -> Result<bool>,
    ) -> Result<()> {
        let mut cursor = self.splitter.cursor(text)?;
        let (mut ends, mut start) = (Vec::new(), 0);
        loop {
            let pieces = cursor.next_batch(&mut ends);
            if pieces.is_empty() {
                return Ok(());
            }
            for &end in pieces {
                interrupt::worked(end - start)?;
                if !each(start, end)? {
                    return Ok(());
                }
                start = end;
            }
        }
    }

    /// Encodes pieces with these ends, the first from `start` on. Some ids may stay in the scratch until
    /// [`Plan::flush`]. `documents` says where packed documents end; the scratch learns after how many ids
    /// each of them does.
    pub(super) fn encode_batch_of_pieces(
        &self,
        text: &[u8],
        start: usize,
        ends: &[usize],
        mut documents: &[usize],
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) -> Result<()> {
        let mut walk = Walk { piece: 0, start, within: false };
        while walk.piece < ends.len() {
            let Scratch { cache, entries, hits, misses, document_marks, held, .. } = &mut *scratch;
            let view = cache.view();
            let merges = self.raw_words().is_none();
            let pays = entries.cjk_seen > CJK_PAYS;
            let singles = if merges { self.merger.singles(pays) } else { None };
            let cjk = singles.map(|singles| Cjk { joins: self.joins(), singles });
            let walk = &mut walk;
            self.level.run(Prefetch {
                plan: self,
                text,
                ends,
                view,
                walk,
                entries,
                cjk,
                documents,
            });
            // A Chinese piece has at most one id for each byte, and some places more are written.
            let most = *held + entries.count * MIDDLE_IDS + entries.bytes() + WIDE;
            memory::fill_up(hits, most, 0)?;
            let (held_before, ended) = (*held, document_marks.len());
            *held = self.level.run(LookUp {
                text,
                entries,
                view,
                cjk,
                hits,
                held: held_before,
                misses,
                documents,
                document_marks,
                wants_ids: sink.wants_ids(),
            });
            documents = &documents[document_marks.len() - ended..];
            if should_flush(*held, misses) {
                self.flush(text, scratch, sink)?;
            }
        }
        Ok(())
    }
}

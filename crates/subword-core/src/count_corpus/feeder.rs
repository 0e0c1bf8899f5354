/*!
Texts that the caller holds in memory: gathered into blocks and put into a queue for the workers.

The queue is bounded, so no more than a few blocks are copied ahead of the workers. The caller may hold a
lock that others want (Python's): a text shorter than [`Feeder::room`] is taken without waiting.
*/

use super::workers::CountWork;
use crate::corpus::BLOCK;
use crate::error::{Error, Result};
use crate::interrupt;
use crate::parallel::{Queue, TICK};

/// A block of texts, one after the other.
#[derive(Debug, Default)]
pub(super) struct TextBlock {
    pub(super) bytes: Vec<u8>,
    /// Where each text ends.
    pub(super) ends: Vec<usize>,
    /// The number of the block, from 0 on.
    pub(super) number: usize,
    /// The number of its first text.
    pub(super) first: usize,
    /// The byte of that text where the block starts.
    pub(super) offset: u64,
}

/// Takes the texts of the caller.
pub struct Feeder<'w, 's> {
    work: &'w CountWork<'s>,
    queue: &'w Queue<TextBlock>,
    watch: &'w mut (dyn FnMut(u64) -> Result<()> + Send),
    texts: TextBlock,
    /// How many texts were pushed.
    seen: usize,
}

impl<'w, 's> Feeder<'w, 's> {
    pub(super) fn new(
        work: &'w CountWork<'s>,
        queue: &'w Queue<TextBlock>,
        watch: &'w mut (dyn FnMut(u64) -> Result<()> + Send),
    ) -> Self {
        Feeder { work, queue, watch, texts: TextBlock::default(), seen: 0 }
    }

    /// A text shorter than this is taken without waiting.
    pub fn room(&self) -> usize {
        BLOCK - self.texts.bytes.len()
    }

    /// Adds a text; one of more than two blocks is cut.
    pub fn push(&mut self, text: &[u8]) -> Result<()> {
        let mut start = 0;
        while text.len() - start > 2 * BLOCK {
            let cut = self.work.stages.boundary().first(text, start + BLOCK..text.len());
            let cut = cut.unwrap_or(text.len());
            self.append(&text[start..cut]);
            start = cut;
            self.send(start as u64)?;
        }
        if start < text.len() || start == 0 {
            self.append(&text[start..]);
        }
        self.seen += 1;
        if self.texts.bytes.len() >= BLOCK { self.send(0) } else { Ok(()) }
    }

    fn append(&mut self, text: &[u8]) {
        self.texts.bytes.extend_from_slice(text);
        self.texts.ends.push(self.texts.bytes.len());
    }

    /// Puts the block into the queue; what follows starts at `offset` of its text.
    pub(super) fn send(&mut self, offset: u64) -> Result<()> {
        let number = self.texts.number + 1;
        let next = TextBlock { number, first: self.seen, offset, ..TextBlock::default() };
        let mut full = Some(std::mem::replace(&mut self.texts, next));
        while full.is_some() {
            if self.work.is_stopped() {
                return Err(Error::Stopped);
            }
            self.queue.push_within(&mut full, TICK);
            (self.watch)(self.work.done())?;
            interrupt::waited()?;
        }
        Ok(())
    }
}

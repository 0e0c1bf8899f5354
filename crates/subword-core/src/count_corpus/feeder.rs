/*!
Texts that a caller has in its hands: gathered into blocks, and handed to the workers.

A worker that is busy is waited for, so that no more than a few blocks are copied ahead. The caller
may hold a lock that others want (Python's): a text that is shorter than [`Feeder::room`] is taken
without waiting.
*/

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};

use super::workers::{CountWork, TICK};
use crate::corpus::BLOCK;
use crate::error::{Error, Result};
use crate::interrupt;
/// Some texts, one after the other.
#[derive(Debug, Default)]
pub(super) struct TextBlock {
    pub(super) bytes: Vec<u8>,
    pub(super) ends: Vec<usize>,
    /// Which block it is.
    pub(super) number: usize,
    /// Which text is the first.
    pub(super) first: usize,
    /// Where in that text it starts, in bytes.
    pub(super) offset: u64,
}

/// Takes texts.
pub struct Feeder<'w, 's> {
    work: &'w CountWork<'s>,
    queue: &'w TextQueue,
    watch: &'w mut (dyn FnMut(u64) -> Result<()> + Send),
    texts: TextBlock,
    /// How many texts there were.
    seen: usize,
}

impl<'w, 's> Feeder<'w, 's> {
    pub(super) fn new(
        work: &'w CountWork<'s>,
        queue: &'w TextQueue,
        watch: &'w mut (dyn FnMut(u64) -> Result<()> + Send),
    ) -> Self {
        Feeder { work, queue, watch, texts: TextBlock::default(), seen: 0 }
    }

    /// A text that is shorter than this is taken without waiting.
    pub fn room(&self) -> usize {
        BLOCK - self.texts.bytes.len()
    }

    /// Takes a text.
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

    /// Hands out what there is; what follows starts at `offset` of its text.
    pub(super) fn send(&mut self, offset: u64) -> Result<()> {
        let number = self.texts.number + 1;
        let next = TextBlock { number, first: self.seen, offset, ..TextBlock::default() };
        let mut full = Some(std::mem::replace(&mut self.texts, next));
        while full.is_some() {
            if self.work.is_stopped() {
                return Err(Error::Stopped);
            }
            self.queue.put(&mut full);
            (self.watch)(self.work.done())?;
            interrupt::waited()?;
        }
        Ok(())
    }
}

/// What waits for a worker.
#[derive(Debug)]
pub(super) struct TextQueue {
    state: Mutex<TextQueueState>,
    changed: Condvar,
    most: usize,
}

#[derive(Debug, Default)]
struct TextQueueState {
    waiting: VecDeque<TextBlock>,
    closed: bool,
}

impl TextQueue {
    /// At most so many blocks wait.
    pub(super) fn new(most: usize) -> TextQueue {
        TextQueue { state: Mutex::default(), changed: Condvar::new(), most }
    }

    /// Puts a block in, unless there is no room for some time.
    fn put(&self, texts: &mut Option<TextBlock>) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let full = |state: &mut TextQueueState| state.waiting.len() >= self.most;
        let waited = self.changed.wait_timeout_while(state, TICK, full);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if !full(&mut state) {
            state.waiting.extend(texts.take());
            self.changed.notify_all();
        }
    }

    /// The next block; none if there is none and never will be.
    pub(super) fn take(&self, work: &CountWork) -> Option<TextBlock> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(texts) = state.waiting.pop_front() {
                self.changed.notify_all();
                return Some(texts);
            }
            if state.closed || work.is_stopped() {
                return None;
            }
            let waited = self.changed.wait_timeout(state, TICK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Nothing more comes.
    pub(super) fn close(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        self.changed.notify_all();
    }
}

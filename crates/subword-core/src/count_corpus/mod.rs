/*!
A corpus to counts: files or texts in, [`Counts`] out.

```text
files or texts  ->  blocks  ->  special  ->  (normalize)  ->  pretok  ->  pieces
pieces          ->  a table per thread   ->  one table, or sorted runs on disk  ->  Counts
```

The calling thread feeds and watches, the others count (`workers`). A worker takes the next block in the
order of the corpus and adds its pieces to a table of its own; at the end the tables become one. Blocks
end where a text may be cut without changing a count (`boundary`), so the counts depend on the corpus
alone: not on threads, blocks, the order of files, or the memory limit.

If several blocks fail, the error that comes first in the corpus is returned. The caller's `watch` is
called every few milliseconds, and an error that it returns stops all threads.
*/

mod feeder;
mod pieces;
mod workers;

use std::path::PathBuf;
use std::sync::Mutex;

pub use crate::corpus::Errors;
pub use feeder::Feeder;

use crate::corpus::{Files, MAX_DOCUMENT};
use crate::counts::Counts;
use crate::error::{Error, Result};
use crate::interrupt;
use crate::model::{MAX_SPECIAL_BYTES, Normalizer, Pattern};
use crate::parallel::{self, Queue, Threads, locked};
use workers::{CountJob, CountWork};

/// With less memory than this for its table, a thread does not pay.
const LEAST_BYTES: usize = 8 << 20;

/// How to count, and what the counts are made with.
#[derive(Debug, Clone)]
pub struct CountSettings {
    /// What a text goes through before it is cut.
    pub normalizer: Normalizer,
    /// What cuts a text into pieces.
    pub pattern: Pattern,
    /// The strings that are cut out before, and not counted.
    pub special_tokens: Vec<String>,
    /// How many threads to use at most; `None` means as many as the process has cores.
    pub threads: Threads,
    /// How much memory the tables may use, in bytes. Pieces that do not fit go to disk.
    pub memory_limit: Option<usize>,
    /// What to do with text that is not UTF-8.
    pub errors: Errors,
    /// The field of a JSON line that is its text.
    pub field: String,
    /// The most bytes that a line, or a text without a place to cut, may have.
    pub max_document: u64,
}

impl CountSettings {
    /// The defaults, for a pattern.
    pub fn new(pattern: Pattern) -> CountSettings {
        CountSettings {
            normalizer: Normalizer::None,
            pattern,
            special_tokens: Vec::new(),
            threads: None,
            memory_limit: None,
            errors: Errors::Strict,
            field: "text".to_owned(),
            max_document: MAX_DOCUMENT,
        }
    }

    /// Empty counts that are made with these settings.
    pub fn counts(&self) -> Result<Counts> {
        if self.special_tokens.iter().any(String::is_empty) {
            return Err(Error::counts("a special token is empty"));
        }
        if let Some(long) = self.special_tokens.iter().find(|t| t.len() > MAX_SPECIAL_BYTES) {
            let (found, most) = (long.len(), MAX_SPECIAL_BYTES);
            let message = format!("a special token has {found} bytes, the limit is {most}");
            return Err(Error::counts(message));
        }
        let (pattern, special_tokens) = (self.pattern.clone(), self.special_tokens.clone());
        Ok(Counts::of_normalized(self.normalizer, pattern, special_tokens))
    }

    fn threads(&self) -> usize {
        let threads = parallel::allowed(self.threads);
        let useful = self.memory_limit.map_or(usize::MAX, |limit| limit / LEAST_BYTES);
        threads.min(useful).max(1)
    }
}

/// Counts the pieces of files. `watch` is called with how many bytes of them were read so far.
pub fn count_files(
    paths: Vec<PathBuf>,
    settings: &CountSettings,
    mut watch: impl FnMut(u64) -> Result<()> + Send,
) -> Result<Counts> {
    let (counts, threads) = (settings.counts()?, settings.threads());
    interrupt::own(|stop| {
        let work = CountWork::new(&counts, settings, threads, stop)?;
        let files = Mutex::new(Files::new(paths).with_limit(settings.max_document));
        let next = |bytes: Vec<u8>| {
            let mut files = locked(&files);
            let block = files.next(bytes, |text, seen| work.stages.boundary().last(text, seen))?;
            Ok(block.map(CountJob::Block))
        };
        let lead = |finished: &dyn Fn() -> bool| work.watch(finished, &mut watch);
        work.run(threads, next, lead)?;
        work.finish(threads)
    })
}

/// Counts the pieces of the texts that `feed` pushes into the feeder. `watch` is called with how many
/// bytes of them were counted so far.
pub fn count_texts(
    settings: &CountSettings,
    mut watch: impl FnMut(u64) -> Result<()> + Send,
    feed: impl FnOnce(&mut Feeder<'_, '_>) -> Result<()>,
) -> Result<Counts> {
    let (counts, threads) = (settings.counts()?, settings.threads());
    interrupt::own(|stop| {
        let work = CountWork::new(&counts, settings, threads, stop)?;
        let queue = Queue::new(2 * threads);
        let lead = |finished: &dyn Fn() -> bool| {
            let closing = queue.closing();
            let mut feeder = Feeder::new(&work, &queue, &mut watch);
            let fed = feed(&mut feeder).and_then(|()| feeder.send(0));
            drop(closing);
            fed.and_then(|()| work.watch(finished, &mut watch))
        };
        work.run(threads, |_| Ok(queue.pop().map(CountJob::Texts)), lead)?;
        work.finish(threads)
    })
}

#[cfg(test)]
mod tests;

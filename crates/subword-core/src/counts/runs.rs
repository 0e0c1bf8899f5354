/*!
More pieces than fit in memory: sorted runs on disk, and their sum.

```text
a table is full   ->  sorted, written as a run, emptied
runs              ->  merged, smallest piece first, counts of equal pieces added  ->  one run
```

A run is a temporary file in the format of `file`. It has no name, or loses it when it is closed, so nothing is
left behind whatever happens to the process. Only its owner may read it: the folder is everybody's, and the
corpus may not be.

At most [`MOST_RUNS`] runs are merged at a time, each with one buffer, so memory and open files are bounded
whatever the size of the corpus. [`MOST_RUNS`] runs of one level are merged into one run of the next level,
so a piece is written once per level, not once per run.
*/

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufWriter, Read};
use std::sync::Arc;

use super::PIECE;
use super::file::{CountsHeader, CountsReader, CountsSummary, CountsWriter};
use super::table::CountTable;
use super::{OVERFLOW, sorted};
use crate::error::{Error, Result};
use crate::interrupt;
use crate::types::Count;

/// How many runs are merged at a time.
const MOST_RUNS: usize = 64;

/// Sorted pieces on disk.
#[derive(Debug, Clone)]
pub(super) struct SortedRun {
    file: Arc<File>,
    summary: CountsSummary,
}

impl SortedRun {
    pub(super) fn len(&self) -> usize {
        self.summary.len as usize
    }

    pub(super) fn total(&self) -> Count {
        self.summary.total
    }

    /// A reader of its bytes, from the start.
    pub(super) fn bytes(&self) -> RunBytes {
        RunBytes { file: self.file.clone(), at: 0 }
    }

    /// Reads it from its start.
    pub(super) fn read(&self) -> Result<CountsReader<RunBytes>> {
        CountsReader::new(self.bytes())
    }

    /// Writes the pieces of a table.
    pub(super) fn of_table(table: &CountTable, header: &CountsHeader) -> Result<SortedRun> {
        SortedRun::write(header, |writer| {
            sorted::for_each(table, |piece, count| {
                interrupt::worked(PIECE + piece.len())?;
                writer.push(piece, count).map_err(disk)
            })
        })
    }

    /// Writes the pieces that `fill` pushes.
    pub(super) fn write(
        header: &CountsHeader,
        fill: impl FnOnce(&mut CountsWriter<BufWriter<&File>>) -> Result<()>,
    ) -> Result<SortedRun> {
        let file = tempfile::tempfile().map_err(disk)?;
        // The crate leaves the mode of a file without a name to the umask.
        #[cfg(unix)]
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600)).map_err(disk)?;
        let to = BufWriter::with_capacity(1 << 16, &file);
        let mut writer = CountsWriter::new(to, header).map_err(disk)?;
        fill(&mut writer)?;
        let (_, summary) = writer.finish().map_err(disk)?;
        Ok(SortedRun { file: Arc::new(file), summary })
    }

    /// Merges runs into one.
    fn merge(runs: &[SortedRun], header: &CountsHeader) -> Result<SortedRun> {
        let readers = runs.iter().map(SortedRun::read).collect::<Result<Vec<_>>>()?;
        SortedRun::write(header, |writer| {
            merge(readers, |piece, count| {
                interrupt::worked(PIECE + piece.len())?;
                writer.push(piece, count).map_err(disk)
            })
        })
    }
}

/// Calls `entry` with each piece and the sum of its counts, in the order of the pieces' bytes.
pub(super) fn merge<R: Read>(
    readers: Vec<CountsReader<R>>,
    mut entry: impl FnMut(&[u8], Count) -> Result<()>,
) -> Result<()> {
    let mut heads = BinaryHeap::with_capacity(readers.len());
    for mut reader in readers {
        if let Some(count) = reader.advance()? {
            heads.push(Reverse(RunHead { reader, count }));
        }
    }
    let (mut piece, mut sum): (Vec<u8>, Count) = (Vec::new(), 0);
    while let Some(mut top) = heads.peek_mut() {
        let Reverse(head) = &mut *top;
        if head.reader.piece() == piece.as_slice() {
            sum = super::sum(sum, head.count)?;
        } else {
            if sum > 0 {
                entry(&piece, sum)?;
            }
            piece.clear();
            piece.extend_from_slice(head.reader.piece());
            sum = head.count;
        }
        match head.reader.advance()? {
            Some(count) => head.count = count,
            None => drop(std::collections::binary_heap::PeekMut::pop(top)),
        }
    }
    if sum > 0 { entry(&piece, sum) } else { Ok(()) }
}

/// A run that is being read, ordered by the piece that comes next.
struct RunHead<R> {
    reader: CountsReader<R>,
    count: Count,
}

impl<R: Read> Ord for RunHead<R> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.reader.piece().cmp(other.reader.piece())
    }
}

impl<R: Read> PartialOrd for RunHead<R> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<R: Read> PartialEq for RunHead<R> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<R: Read> Eq for RunHead<R> {}

/// The runs of a corpus.
#[derive(Debug)]
pub(super) struct SortedRuns {
    header: CountsHeader,
    /// A run of level n is the sum of `MOST_RUNS` to the power of n tables.
    levels: Vec<Vec<SortedRun>>,
}

impl SortedRuns {
    pub(super) fn new(header: CountsHeader) -> SortedRuns {
        SortedRuns { header, levels: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// Adds a run, and merges a level that is full.
    pub(super) fn push(&mut self, mut run: SortedRun) -> Result<()> {
        for level in 0.. {
            if level == self.levels.len() {
                self.levels.push(Vec::new());
            }
            self.levels[level].push(run);
            if self.levels[level].len() < MOST_RUNS {
                break;
            }
            run = SortedRun::merge(&std::mem::take(&mut self.levels[level]), &self.header)?;
        }
        Ok(())
    }

    /// Merges all runs into one.
    pub(super) fn finish(self) -> Result<SortedRun> {
        let mut runs: Vec<SortedRun> = self.levels.into_iter().flatten().collect();
        while runs.len() > MOST_RUNS {
            let rest = runs.split_off(MOST_RUNS);
            let merged = SortedRun::merge(&runs, &self.header)?;
            runs = rest;
            runs.push(merged);
        }
        match runs.len() {
            1 => Ok(runs.remove(0)),
            _ => SortedRun::merge(&runs, &self.header),
        }
    }
}

/// A reader of a temporary file.
#[derive(Debug)]
pub(super) struct RunBytes {
    file: Arc<File>,
    at: u64,
}

impl Read for RunBytes {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        let len = std::os::unix::fs::FileExt::read_at(&*self.file, bytes, self.at)?;
        #[cfg(windows)]
        let len = std::os::windows::fs::FileExt::seek_read(&*self.file, bytes, self.at)?;
        self.at += len as u64;
        Ok(len)
    }
}

/// The error of writing a temporary file.
pub(super) fn disk(error: io::Error) -> Error {
    if error.to_string() == OVERFLOW {
        return Error::counts(OVERFLOW);
    }
    Error::io(&std::env::temp_dir(), &error)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::model::{Named, Normalizer, Pattern};
    use crate::testing::Random;

    fn header() -> CountsHeader {
        CountsHeader {
            normalizer: Normalizer::None,
            pattern: Pattern::Named(Named::Gpt2),
            special_tokens: Vec::new(),
        }
    }

    fn content(run: &SortedRun) -> BTreeMap<Vec<u8>, Count> {
        let mut content = BTreeMap::new();
        let mut reader = run.read().unwrap();
        while let Some((piece, count)) = reader.next().unwrap() {
            content.insert(piece.to_vec(), count);
        }
        assert_eq!(content.len(), run.len());
        assert_eq!(content.values().sum::<Count>(), run.total());
        content
    }

    #[test]
    fn runs_add_up_to_the_whole() {
        let mut random = Random::new(3);
        for how_many in [1, 2, 63, 64, 65, 300] {
            let mut runs = SortedRuns::new(header());
            let mut expected = BTreeMap::new();
            for _ in 0..how_many {
                let mut table = CountTable::default();
                for _ in 0..random.below(20) {
                    let piece = format!("{}", random.below(100)).repeat(1 + random.below(12));
                    let piece = piece.as_bytes();
                    table.add(table.prefetch(piece, 0, piece.len()), piece, 3);
                    *expected.entry(piece.to_vec()).or_insert(0) += 3;
                }
                runs.push(SortedRun::of_table(&table, &header()).unwrap()).unwrap();
                assert!(runs.levels.iter().all(|level| level.len() < MOST_RUNS));
            }
            assert_eq!(content(&runs.finish().unwrap()), expected);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_run_can_be_read_by_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let run = SortedRun::write(&header(), |_| Ok(())).unwrap();
        let mode = run.file.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn merging_can_be_stopped() {
        let run = |from: u64| {
            SortedRun::write(&header(), |writer| {
                let mut pieces = (0..100u64).map(|n| (n + from).to_be_bytes());
                pieces.try_for_each(|piece| writer.push(&piece, 1).map_err(disk))
            })
        };
        let runs = [run(0).unwrap(), run(7).unwrap()];
        let stopped = interrupt::own(|stop| {
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
            SortedRun::merge(&runs, &header()).unwrap_err()
        });
        assert_eq!(stopped, Error::Stopped);
    }

    #[test]
    fn a_sum_that_overflows_is_an_error() {
        let run = SortedRun::write(&header(), |writer| writer.push(b"low", u64::MAX).map_err(disk));
        let run = run.unwrap();
        let error = SortedRun::merge(&[run.clone(), run], &header()).unwrap_err();
        assert_eq!(error, Error::counts(OVERFLOW));
        let two = |writer: &mut CountsWriter<BufWriter<&File>>| {
            writer.push(b"low", u64::MAX).map_err(disk)?;
            writer.push(b"new", 1).map_err(disk)
        };
        assert_eq!(SortedRun::write(&header(), two).unwrap_err(), Error::counts(OVERFLOW));
    }
}

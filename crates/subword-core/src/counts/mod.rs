/*!
How often each piece occurs: the only thing that training reads of a corpus.

```text
"low low lower"  ->  "low": 1, " low": 1, " lower": 1
```

Adding counts is associative and commutative, so one thread, ten processes and a cluster get the same
result. Counts know the normaliser, the pattern and the special tokens that they were counted with;
counts that were not made alike are refused, not added.

| file     | what it knows                                                       |
|----------|---------------------------------------------------------------------|
| `table`  | piece to count in memory; `shard`: its hash tables; `key`: pieces as words |
| `gather` | the tables of several threads become one                            |
| `sorted` | the pieces of a table in the order of their bytes                   |
| `runs`   | sorted pieces on disk, and their sum: for what does not fit in memory |
| `file`   | sorted pieces as bytes, and back; `varint`: numbers and strings     |
| `alike`  | whether counts were made alike                                      |
| `scaled` | counts times a fraction, for mixtures                               |

Counts are a table in memory, or a sorted run on disk if counting had a memory limit and reached it. Every
method works on both; a change of counts on disk writes them anew.
*/

mod alike;
mod file;
mod gather;
mod key;
mod runs;
mod scaled;
mod shard;
mod sorted;
mod table;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, Cursor, Read, Write};
use std::path::Path;

pub(crate) use gather::{Gatherer, Spill};
pub(crate) use key::Probe;
pub(crate) use table::CountTable;

use crate::atomic::Staged;
use crate::error::{Error, InFile, Result};
use crate::interrupt;
use crate::model::{Normalizer, Pattern};
use crate::types::Count;
use file::{CountsHeader, CountsReader, CountsWriter};
use runs::SortedRun;

/// Reading or writing one piece is about as much work as reading this many bytes of text.
const PIECE: usize = 32;

const OVERFLOW: &str = "the sum of the counts is over 2^64 - 1";

/// How often each piece occurs. A copy of counts on disk shares the file until it is changed.
#[derive(Debug, Clone)]
pub struct Counts {
    header: CountsHeader,
    pieces: PieceStore,
}

#[derive(Debug, Clone)]
enum PieceStore {
    Memory { table: CountTable, total: Count },
    Disk(SortedRun),
}

impl Counts {
    /// Empty counts. Special tokens are sorted, and duplicates are removed.
    pub fn new(pattern: Pattern, mut special_tokens: Vec<String>) -> Counts {
        special_tokens.sort_unstable();
        special_tokens.dedup();
        let (normalizer, pattern) = (Normalizer::None, pattern.canonical());
        let header = CountsHeader { normalizer, pattern, special_tokens };
        Counts { header, pieces: PieceStore::Memory { table: CountTable::default(), total: 0 } }
    }

    /// Empty counts of text that is normalised before it is cut.
    pub fn of_normalized(
        normalizer: Normalizer,
        pattern: Pattern,
        special_tokens: Vec<String>,
    ) -> Counts {
        let mut counts = Counts::new(pattern, special_tokens);
        counts.header.normalizer = normalizer;
        counts
    }

    /// The normaliser that was applied before the text was cut.
    pub fn normalizer(&self) -> Normalizer {
        self.header.normalizer
    }

    /// The pattern that cut the pieces.
    pub fn pattern(&self) -> &Pattern {
        &self.header.pattern
    }

    /// The special tokens that were cut out of the text and are not counted, sorted.
    pub fn special_tokens(&self) -> &[String] {
        &self.header.special_tokens
    }

    /// How many different pieces there are.
    pub fn len(&self) -> usize {
        match &self.pieces {
            PieceStore::Memory { table, .. } => table.len(),
            PieceStore::Disk(run) => run.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many pieces there are: the sum of all counts.
    pub fn total(&self) -> Count {
        match &self.pieces {
            PieceStore::Memory { total, .. } => *total,
            PieceStore::Disk(run) => run.total(),
        }
    }

    /// Whether the pieces are on disk, because they did not fit in the memory limit of counting.
    pub fn is_on_disk(&self) -> bool {
        matches!(self.pieces, PieceStore::Disk(_))
    }

    /// The count of a piece; 0 if it is not there. On disk, all pieces before it are read.
    pub fn get(&self, piece: &[u8]) -> Result<Count> {
        let run = match &self.pieces {
            PieceStore::Memory { table, .. } => return Ok(table.get(piece)),
            PieceStore::Disk(run) => run,
        };
        let mut reader = run.read()?;
        while let Some((other, count)) = reader.next()? {
            if other >= piece {
                return Ok(if other == piece { count } else { 0 });
            }
        }
        Ok(0)
    }

    /// Adds `count` to the count of a piece. A count of 0 adds no piece, and an empty piece is an error.
    pub fn add_piece(&mut self, piece: &[u8], count: Count) -> Result<()> {
        if piece.is_empty() {
            return Err(Error::counts("a piece is empty"));
        }
        if let PieceStore::Memory { table, total } = &mut self.pieces {
            *total = sum(*total, count)?;
            if count > 0 {
                table.add(table.prefetch(piece, 0, piece.len()), piece, count);
            }
            return Ok(());
        }
        let mut one = self.like();
        one.add_piece(piece, count)?;
        self.add(&one)
    }

    /// Removes all pieces, and gives their memory or their file back.
    pub fn clear(&mut self) {
        *self = self.like();
    }

    /// Empty counts that are made alike.
    fn like(&self) -> Counts {
        let CountsHeader { normalizer, pattern, special_tokens } = self.header.clone();
        Counts::of_normalized(normalizer, pattern, special_tokens)
    }

    /// Calls `entry` with each piece and its count, in an unspecified order.
    pub fn for_each(&self, mut entry: impl FnMut(&[u8], Count) -> Result<()>) -> Result<()> {
        match &self.pieces {
            PieceStore::Memory { table, .. } => table.for_each(entry),
            PieceStore::Disk(run) => {
                let mut reader = run.read()?;
                while let Some((piece, count)) = reader.next()? {
                    entry(piece, count)?;
                }
                Ok(())
            }
        }
    }

    /// The same in the order of the pieces' bytes.
    pub fn for_each_sorted(&self, entry: impl FnMut(&[u8], Count) -> Result<()>) -> Result<()> {
        match &self.pieces {
            PieceStore::Memory { table, .. } => sorted::for_each(table, entry),
            PieceStore::Disk(_) => self.for_each(entry),
        }
    }

    /// An iterator over the pieces in the order of their bytes, for callers that cannot pass a function. It
    /// sees the counts as they are now.
    pub fn sorted(&self) -> Result<SortedPieces> {
        CountsReader::new(match &self.pieces {
            PieceStore::Memory { .. } => SortedSource::Memory(Cursor::new(self.to_bytes()?)),
            PieceStore::Disk(run) => SortedSource::Disk(run.bytes()),
        })
        .map(SortedPieces)
    }

    /// The `n` pieces that occur most often, and their counts; of equals those that come first in
    /// the order of their bytes.
    pub fn most_common(&self, n: usize) -> Result<Vec<(Vec<u8>, Count)>> {
        // The least common of the `n` is on top of the heap.
        let mut most: BinaryHeap<(Reverse<Count>, Vec<u8>)> = BinaryHeap::new();
        self.for_each(|piece, count| {
            interrupt::worked(piece.len())?;
            if most.len() < n {
                most.push((Reverse(count), piece.to_vec()));
            } else if let Some(mut least) = most.peek_mut()
                && (Reverse(count), piece) < (least.0, least.1.as_slice())
            {
                *least = (Reverse(count), piece.to_vec());
            }
            Ok(())
        })?;
        let most = most.into_sorted_vec();
        Ok(most.into_iter().map(|(Reverse(count), piece)| (piece, count)).collect())
    }

    /// Adds all of `other`, which must be made alike.
    pub fn add(&mut self, other: &Counts) -> Result<()> {
        self.check_alike(other)?;
        let sum = sum(self.total(), other.total())?;
        match (&mut self.pieces, &other.pieces) {
            (PieceStore::Memory { table, total }, PieceStore::Memory { table: other, .. }) => {
                *total = sum;
                table.add_all(other);
            }
            _ => {
                let both = vec![self.sorted()?.0, other.sorted()?.0];
                let run = SortedRun::write(&self.header, |writer| {
                    runs::merge(both, |piece, count| writer.push(piece, count).map_err(runs::disk))
                })?;
                self.pieces = PieceStore::Disk(run);
            }
        }
        Ok(())
    }

    /// Removes the pieces that occur less often than `min`.
    pub fn prune(&mut self, min: Count) -> Result<()> {
        match &mut self.pieces {
            PieceStore::Memory { table, total } => *total = table.prune(min),
            PieceStore::Disk(run) => {
                let mut reader = run.read()?;
                *run = SortedRun::write(&self.header, |writer| {
                    while let Some((piece, count)) = reader.next()? {
                        if count >= min {
                            writer.push(piece, count).map_err(runs::disk)?;
                        }
                    }
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    /// Whether both have the same pieces, with the same counts, and were made alike.
    pub fn is_equal(&self, other: &Counts) -> Result<bool> {
        if self.header != other.header || (self.len(), self.total()) != (other.len(), other.total())
        {
            return Ok(false);
        }
        let (mut one, mut two) = (self.sorted()?, other.sorted()?);
        loop {
            let (a, b) = (one.next_piece()?, two.next_piece()?);
            interrupt::worked(PIECE)?;
            if a != b || a.is_none() {
                return Ok(a == b);
            }
        }
    }

    /// Writes a file. Whatever happens, the file is the old one or the new one.
    pub fn save(&self, path: &Path) -> Result<()> {
        let io = |error| Error::io(path, &error);
        let mut file = Staged::create(path).map_err(io)?;
        self.write(&mut file, io)?;
        file.commit().map_err(io)
    }

    /// The bytes of the file. Equal counts have equal bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write(&mut bytes, |error| Error::counts(error.to_string()))?;
        Ok(bytes)
    }

    fn write(&self, to: impl Write, io: impl Fn(io::Error) -> Error) -> Result<()> {
        let mut writer = CountsWriter::new(to, &self.header).map_err(&io)?;
        self.for_each_sorted(|piece, count| writer.push(piece, count).map_err(&io))?;
        writer.finish().map_err(&io)?;
        Ok(())
    }

    /// Reads a file.
    pub fn load(path: &Path) -> Result<Counts> {
        let file = File::open(path).in_file(path)?;
        if file.metadata().is_ok_and(|about| about.is_dir()) {
            return Err(Error::io(path, &io::ErrorKind::IsADirectory.into()));
        }
        Counts::read(file).map_err(|error| error.at(path))
    }

    /// The counts whose file these bytes are.
    pub fn from_bytes(bytes: &[u8]) -> Result<Counts> {
        Counts::read(bytes)
    }

    fn read(from: impl Read) -> Result<Counts> {
        let mut reader = CountsReader::new(from)?;
        let mut table = CountTable::default();
        while let Some((piece, count)) = reader.next()? {
            interrupt::worked(PIECE)?;
            table.add(table.prefetch(piece, 0, piece.len()), piece, count);
        }
        let header = reader.header().clone();
        Ok(Counts { header, pieces: PieceStore::Memory { table, total: reader.summary().total } })
    }
}

/// An iterator over pieces in the order of their bytes.
#[derive(Debug)]
pub struct SortedPieces(CountsReader<SortedSource>);

impl SortedPieces {
    /// The next piece and its count; none after the last.
    pub fn next_piece(&mut self) -> Result<Option<(&[u8], Count)>> {
        self.0.next()
    }
}

/// The file of counts that sorted pieces are read from.
#[derive(Debug)]
enum SortedSource {
    Memory(Cursor<Vec<u8>>),
    Disk(runs::RunBytes),
}

impl Read for SortedSource {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            SortedSource::Memory(from) => from.read(bytes),
            SortedSource::Disk(from) => from.read(bytes),
        }
    }
}

/// A sum of counts.
fn sum(a: Count, b: Count) -> Result<Count> {
    a.checked_add(b).ok_or_else(|| Error::counts(OVERFLOW))
}

#[cfg(test)]
mod tests;

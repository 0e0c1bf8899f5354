/*!
Counting with several threads: each fills a table of its own, and at the end the tables become one.

```text
thread 1   table  \                     without a memory limit: tables are added shard by shard
thread 2   table   >  Counts             with one: a full table is written as a sorted run,
thread 3   table  /                      and at the end the runs are merged
```

Pieces are never all in memory twice: a shard that was added is freed before the next is added.
*/

use std::sync::{Mutex, PoisonError};

use super::file::CountsHeader;
use super::runs::{SortedRun, SortedRuns};
use super::shard::Shard;
use super::sorted;
use super::table::CountTable;
use super::{Counts, PieceStore};
use crate::error::Result;
use crate::interrupt;
use crate::types::Count;

/// Collects the tables of all threads.
#[derive(Debug)]
pub struct Gatherer {
    header: CountsHeader,
    /// How much memory each table may use, in bytes.
    limit: Option<usize>,
    runs: Mutex<SortedRuns>,
    /// The tables of threads that have finished, each with the sum of its counts.
    done: Mutex<Vec<(CountTable, Count)>>,
}

/// The table of one thread, which spills to disk when it is full.
#[derive(Debug)]
pub struct Spill<'g> {
    gatherer: &'g Gatherer,
    /// The pieces since the last run.
    pub table: CountTable,
    /// The sum of the counts in the table.
    pub total: Count,
}

impl Gatherer {
    /// Collects counts that are made like `counts`. All tables together use at most `limit` bytes, or a
    /// little more if `limit` is very small.
    pub fn new(counts: &Counts, limit: Option<usize>, threads: usize) -> Gatherer {
        let header = counts.header.clone();
        let runs = Mutex::new(SortedRuns::new(header.clone()));
        let limit = limit.map(|limit| limit / threads.max(1));
        Gatherer { header, limit, runs, done: Mutex::new(Vec::new()) }
    }

    /// A table for a thread.
    pub fn spill(&self) -> Spill<'_> {
        let table = self.limit.map_or_else(CountTable::default, |limit| {
            CountTable::with_limit(limit, sorted::BYTES_PER_PIECE)
        });
        Spill { gatherer: self, table, total: 0 }
    }

    /// The sum of what the threads counted. `share(jobs, threads, add)` must call `add` with each number
    /// below `jobs`, on at most `threads` threads.
    pub fn finish(self, share: impl FnOnce(usize, usize, Add<'_>) -> Result<()>) -> Result<Counts> {
        let mut runs = self.runs.into_inner().unwrap_or_else(PoisonError::into_inner);
        let tables = self.done.into_inner().unwrap_or_else(PoisonError::into_inner);
        let pieces = if runs.is_empty() {
            let total = tables.iter().try_fold(0, |sum, (_, total)| super::sum(sum, *total))?;
            // A thread that started too late has counted nothing.
            let tables =
                tables.into_iter().map(|(table, _)| table).filter(|table| !table.is_empty());
            let tables = tables.collect();
            PieceStore::Memory { table: added(tables, share)?, total }
        } else {
            for (table, _) in tables {
                runs.push(SortedRun::of_table(&table, &self.header)?)?;
            }
            PieceStore::Disk(runs.finish()?)
        };
        Ok(Counts { header: self.header, pieces })
    }
}

impl Spill<'_> {
    /// Writes the table as a run if it is full.
    #[inline]
    pub fn relieve(&mut self) -> Result<()> {
        let full = self.gatherer.limit.is_some() && self.table.is_full();
        if full { self.write() } else { Ok(()) }
    }

    #[cold]
    fn write(&mut self) -> Result<()> {
        let run = SortedRun::of_table(&self.table, &self.gatherer.header)?;
        self.table.clear();
        self.total = 0;
        let mut runs = self.gatherer.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.push(run)
    }

    /// Hands the table over.
    pub fn finish(self) {
        let done = &self.gatherer.done;
        done.lock().unwrap_or_else(PoisonError::into_inner).push((self.table, self.total));
    }
}

/// Adds the shards that have this number in all tables.
pub type Add<'a> = &'a (dyn Fn(usize) -> Result<()> + Sync);

/// The sum of all tables.
fn added(
    mut tables: Vec<CountTable>,
    share: impl FnOnce(usize, usize, Add<'_>) -> Result<()>,
) -> Result<CountTable> {
    // The others are added to the largest.
    tables.sort_by_key(CountTable::len);
    let threads = tables.len();
    let Some(mut sum) = tables.pop() else { return Ok(CountTable::default()) };
    let mut others: Vec<Vec<Shard>> = (0..sum.shards_mut().len()).map(|_| Vec::new()).collect();
    for table in tables {
        others.iter_mut().zip(table.into_shards()).for_each(|(all, shard)| all.push(shard));
    }
    let jobs: Vec<_> = sum.shards_mut().iter_mut().zip(others).map(Mutex::new).collect();
    share(jobs.len(), threads, &|job| {
        let (sum, others) = &mut *jobs[job].lock().unwrap_or_else(PoisonError::into_inner);
        others.drain(..).try_for_each(|other| {
            sum.add_all(&other);
            interrupt::waited()
        })
    })?;
    drop(jobs);
    Ok(sum)
}

/*!
Ids and ends of documents to the files of a format.

```text
Raw      ids.bin                            ids
Npy      ids.npy                            a head, ids
Shards   00000.bin, 00000.bin.index, ...    ids; ends of documents in this shard, as u64
Megatron ids.bin, ids.idx                   ids; an index, made at the end
Parquet  ids.parquet                        pages, a footer
```
*/

use std::path::PathBuf;

use super::journal::Commit;
use super::parquet::{self, PageBuffer};
use super::partial::{CancelCheck, PartialFile, PartialMark};
use super::record::{FinishedFile, Resume, RowGroup};
use super::{TokenFileFormat, TokenFileSettings, megatron, npy};
use crate::error::Result;

/// The files that are being written.
pub(super) struct OutputFiles<'s> {
    settings: &'s TokenFileSettings,
    /// The files of the current shard; none until something is written.
    files: Vec<PartialFile>,
    /// The number of the current shard.
    shard: usize,
    /// How many ids the shard has.
    tokens: u64,
    /// How many documents the shard has.
    documents: u64,
    /// The entries of a Parquet file that are not written yet.
    table: PageBuffer,
    /// Whether files were created since the last commit.
    created: bool,
}

/// A state of the output that can be restored.
#[derive(Debug)]
pub(super) struct OutputMark {
    files: Vec<PartialMark>,
    tokens: u64,
    documents: u64,
    table: PageBuffer,
}

impl<'s> OutputFiles<'s> {
    /// Starts where `resume` says. `check` is called while existing files are verified.
    pub(super) fn new(
        settings: &'s TokenFileSettings,
        resume: &Resume,
        check: &mut CancelCheck,
    ) -> Result<OutputFiles<'s>> {
        let mut output = OutputFiles {
            settings,
            files: Vec::new(),
            shard: resume.shards,
            tokens: 0,
            documents: 0,
            table: PageBuffer::new(resume.groups.clone()),
            created: false,
        };
        let (head, targets) = (output.head().len() as u64, output.targets());
        for (target, &state) in targets.into_iter().zip(&resume.files) {
            let head = if output.files.is_empty() { head } else { 0 };
            output.files.push(PartialFile::resume(target, head, state, check)?);
        }
        if settings.format != TokenFileFormat::Shards {
            (output.tokens, output.documents) = (resume.totals.tokens, resume.totals.documents);
        } else if let [data, index] = &output.files[..] {
            output.tokens = data.body() / settings.width.bytes() as u64;
            output.documents = index.body() / 8;
        }
        Ok(output)
    }

    fn targets(&self) -> Vec<PathBuf> {
        let out = &self.settings.out;
        match self.settings.format {
            TokenFileFormat::Raw | TokenFileFormat::Npy | TokenFileFormat::Parquet => {
                vec![out.clone()]
            }
            TokenFileFormat::Megatron => {
                vec![out.with_extension("bin"), out.with_extension("ends")]
            }
            TokenFileFormat::Shards => {
                let data = out.join(format!("{:05}.bin", self.shard));
                let index = out.join(format!("{:05}.bin.index", self.shard));
                vec![data, index]
            }
        }
    }

    fn head(&self) -> Vec<u8> {
        match self.settings.format {
            TokenFileFormat::Npy => npy::head(self.settings.width, self.tokens),
            TokenFileFormat::Parquet => parquet::MAGIC.to_vec(),
            TokenFileFormat::Raw | TokenFileFormat::Shards | TokenFileFormat::Megatron => {
                Vec::new()
            }
        }
    }

    /// Creates the files of the shard, unless it has them.
    fn open(&mut self) -> Result<()> {
        if self.files.is_empty() {
            for target in self.targets() {
                let head = if self.files.is_empty() { self.head() } else { Vec::new() };
                self.files.push(PartialFile::create(target, &head)?);
            }
            self.created = true;
        }
        Ok(())
    }

    /// Writes ids, and where among them documents end.
    pub(super) fn write(&mut self, ids: &[u8], ends: &[usize]) -> Result<()> {
        self.open()?;
        if self.settings.format == TokenFileFormat::Parquet {
            self.table.take(ids, ends, |page| self.files[0].write(page))?;
        } else {
            self.files[0].write(ids)?;
        }
        if let Some(index) = self.files.get_mut(1) {
            let ends = ends.iter().map(|&end| self.tokens + end as u64);
            index.write(&ends.flat_map(u64::to_le_bytes).collect::<Vec<u8>>())?;
        }
        self.tokens += (ids.len() / self.settings.width.bytes()) as u64;
        self.documents += ends.len() as u64;
        Ok(())
    }

    /// How many bytes of ids the shard has.
    pub(super) fn bytes(&self) -> u64 {
        self.tokens * self.settings.width.bytes() as u64
    }

    /// Whether nothing was written to the shard.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Writes the page that is not full.
    fn flush(&mut self) -> Result<()> {
        match self.files.first_mut() {
            Some(data) => self.table.flush(|page| data.write(page)),
            None => Ok(()),
        }
    }

    /// The state to come back to with [`OutputFiles::back_to`].
    pub(super) fn mark(&mut self) -> Result<OutputMark> {
        self.flush()?;
        Ok(OutputMark {
            files: self.files.iter().map(PartialFile::mark).collect(),
            tokens: self.tokens,
            documents: self.documents,
            table: self.table.clone(),
        })
    }

    /// Restores a state. Files that were created since stay, and are empty.
    pub(super) fn back_to(&mut self, mark: &OutputMark) -> Result<()> {
        if mark.files.is_empty() {
            self.files.clear();
        }
        for (file, mark) in self.files.iter_mut().zip(&mark.files) {
            file.back_to(mark)?;
        }
        (self.tokens, self.documents) = (mark.tokens, mark.documents);
        self.table = mark.table.clone();
        Ok(())
    }

    /// Ends a row group, before a commit.
    pub(super) fn end_group(&mut self) -> Result<Option<RowGroup>> {
        self.flush()?;
        let end = self.files.first().map_or(0, |data| data.state().0);
        Ok(self.table.end_group(end))
    }

    /// Length and check sum of each file.
    pub(super) fn states(&self) -> Vec<(u64, u32)> {
        self.files.iter().map(PartialFile::state).collect()
    }

    /// Makes a commit sync the files.
    pub(super) fn sync(&mut self, commit: &mut Commit) {
        commit.names_are_new |= std::mem::take(&mut self.created);
        self.files.iter().for_each(|file| commit.sync(file));
    }

    /// Writes what a complete file ends with, and returns what the record says about the files.
    pub(super) fn complete(&mut self) -> Result<Vec<FinishedFile>> {
        self.open()?;
        self.end_group()?;
        match self.settings.format {
            TokenFileFormat::Npy => {
                self.files[0].write_head(&npy::head(self.settings.width, self.tokens))?
            }
            TokenFileFormat::Parquet => {
                self.files[0].write(&self.table.footer())?;
                self.files[0].write_head(parquet::MAGIC)?;
            }
            TokenFileFormat::Megatron => {
                let mut index = PartialFile::create(self.settings.out.clone(), &[])?;
                let ends = &self.files[1].file;
                megatron::write(&mut index, ends, self.documents, self.settings.width)?;
                self.files.push(index);
                self.created = true;
            }
            TokenFileFormat::Raw | TokenFileFormat::Shards => {}
        }
        let holds = |at: usize| (at == 0).then_some((self.tokens, self.documents));
        let numbered = self.files.iter().enumerate().filter(|(at, _)| !self.is_left_over(*at));
        Ok(numbered.map(|(at, file)| file.finished(holds(at))).collect())
    }

    /// Whether a file is only needed until the others are complete.
    fn is_left_over(&self, at: usize) -> bool {
        self.settings.format == TokenFileFormat::Megatron && at == 1
    }

    /// Makes a commit rename the files, the ids last, and starts the next shard.
    pub(super) fn close(&mut self, commit: &mut Commit) {
        commit.names_are_new |= std::mem::take(&mut self.created);
        for (at, file) in self.files.iter().enumerate().rev() {
            if self.is_left_over(at) { commit.remove(file) } else { commit.finish(file) }
        }
        self.files.clear();
        (self.tokens, self.documents) = (0, 0);
        self.shard += 1;
    }
}

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
use super::manifest::{FinishedFile, Resume, RowGroup};
use super::parquet::{self, PageBuffer};
use super::partial::{CancelCheck, PartialFile, PartialMark};
use super::{TokenFileFormat, TokenFileSettings, megatron, npy};
use crate::error::{Error, Result};

/// The files that are being written.
pub(super) struct OutputFiles<'s> {
    settings: &'s TokenFileSettings,
    /// Those of the shard; none before it has something in it.
    files: Vec<PartialFile>,
    /// Which shard it is.
    shard: usize,
    /// How many ids and documents it has.
    tokens: u64,
    documents: u64,
    /// What of a Parquet file is not written yet.
    table: PageBuffer,
    /// Whether files were created since the last commit.
    created: bool,
}

/// What to come back to.
#[derive(Debug)]
pub(super) struct OutputMark {
    files: Vec<PartialMark>,
    tokens: u64,
    documents: u64,
    table: PageBuffer,
}

impl<'s> OutputFiles<'s> {
    /// Goes on where a run has ended. `go_on` is asked while what it left behind is read.
    pub(super) fn new(
        settings: &'s TokenFileSettings,
        resume: &Resume,
        go_on: &mut CancelCheck,
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
        if !resume.files.is_empty() && resume.files.len() != targets.len() {
            let (expected, found) = (targets.len(), resume.files.len());
            return Err(Error::Corpus {
                place: settings.manifest.display().to_string(),
                message: format!("expected {expected} files that are being written, found {found}"),
                hint: None,
            });
        }
        for (target, &state) in targets.into_iter().zip(&resume.files) {
            let head = if output.files.is_empty() { head } else { 0 };
            output.files.push(PartialFile::resume(target, head, state, go_on)?);
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

    /// Makes the files, if they are not there.
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

    /// Takes ids, and where among them documents end.
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

    /// Whether there is something in the shard.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Writes what waits for a page to be full.
    fn flush(&mut self) -> Result<()> {
        match self.files.first_mut() {
            Some(data) => self.table.flush(|page| data.write(page)),
            None => Ok(()),
        }
    }

    pub(super) fn mark(&mut self) -> Result<OutputMark> {
        self.flush()?;
        Ok(OutputMark {
            files: self.files.iter().map(PartialFile::mark).collect(),
            tokens: self.tokens,
            documents: self.documents,
            table: self.table.clone(),
        })
    }

    /// Forgets what was written since. Files that came since stay, with nothing in them.
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

    /// Ends a group of rows, before a commit.
    pub(super) fn pause(&mut self) -> Result<Option<RowGroup>> {
        self.flush()?;
        let end = self.files.first().map_or(0, |data| data.state().0);
        Ok(self.table.end_group(end))
    }

    /// Length and check sum of the files.
    pub(super) fn states(&self) -> Vec<(u64, u32)> {
        self.files.iter().map(PartialFile::state).collect()
    }

    /// Makes a commit sync what there is.
    pub(super) fn sync(&mut self, commit: &mut Commit) {
        commit.names_are_new |= std::mem::take(&mut self.created);
        self.files.iter().for_each(|file| commit.sync(file));
    }

    /// What the manifest is to say once the shard is complete.
    pub(super) fn complete(&mut self) -> Result<Vec<FinishedFile>> {
        self.open()?;
        self.pause()?;
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

    /// Whether that file is only needed until the others are complete.
    fn is_left_over(&self, at: usize) -> bool {
        self.settings.format == TokenFileFormat::Megatron && at == 1
    }

    /// Makes a commit give the files their names, the ids last, and starts the next shard.
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

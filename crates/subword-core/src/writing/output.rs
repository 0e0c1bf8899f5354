/*!
Ids and ends of documents to the files of a format.

```text
Raw      ids.bin                            ids
Npy      ids.npy                            a head, ids
Shards   00000.bin, 00000.bin.index, ...    ids; ends of documents in this shard, as u64
```
*/

use std::path::PathBuf;

use super::growing::{Growing, Mark};
use super::npy;
use super::record::{Finished, Resume};
use super::sync::Commit;
use super::{Format, Settings};
use crate::error::Result;

/// The files that are being written.
pub(super) struct Output<'s> {
    settings: &'s Settings,
    /// Those of the shard; none before it has something in it.
    files: Vec<Growing>,
    /// Which shard it is.
    shard: usize,
    /// How many ids and documents it has.
    tokens: u64,
    documents: u64,
}

/// What to come back to.
#[derive(Debug)]
pub(super) struct OutputMark {
    files: Vec<Mark>,
    tokens: u64,
    documents: u64,
}

impl<'s> Output<'s> {
    /// Goes on where a run has ended.
    pub(super) fn new(settings: &'s Settings, resume: &Resume) -> Result<Output<'s>> {
        let mut output =
            Output { settings, files: Vec::new(), shard: resume.shards, tokens: 0, documents: 0 };
        let head = output.head().len() as u64;
        for (target, &(len, crc)) in output.targets().into_iter().zip(&resume.files) {
            let head = if output.files.is_empty() { head } else { 0 };
            output.files.push(Growing::resume(target, head, len, crc)?);
        }
        if let Some(data) = output.files.first() {
            output.tokens = data.body() / settings.width.bytes() as u64;
            output.documents = match output.files.get(1) {
                Some(index) => index.body() / 8,
                None => resume.totals.documents,
            };
        }
        Ok(output)
    }

    fn targets(&self) -> Vec<PathBuf> {
        let out = &self.settings.out;
        match self.settings.format {
            Format::Raw | Format::Npy => vec![out.clone()],
            Format::Shards => {
                let data = out.join(format!("{:05}.bin", self.shard));
                let index = out.join(format!("{:05}.bin.index", self.shard));
                vec![data, index]
            }
        }
    }

    fn head(&self) -> Vec<u8> {
        match self.settings.format {
            Format::Npy => npy::head(self.settings.width, self.tokens),
            Format::Raw | Format::Shards => Vec::new(),
        }
    }

    /// Makes the files, if they are not there.
    fn open(&mut self) -> Result<()> {
        if self.files.is_empty() {
            for target in self.targets() {
                let head = if self.files.is_empty() { self.head() } else { Vec::new() };
                self.files.push(Growing::create(target, &head)?);
            }
        }
        Ok(())
    }

    /// Takes ids, and where among them documents end.
    pub(super) fn write(&mut self, ids: &[u8], ends: &[usize]) -> Result<()> {
        self.open()?;
        self.files[0].write(ids)?;
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

    pub(super) fn mark(&self) -> OutputMark {
        let (tokens, documents) = (self.tokens, self.documents);
        OutputMark { files: self.files.iter().map(Growing::mark).collect(), tokens, documents }
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
        Ok(())
    }

    /// Length and check sum of the files.
    pub(super) fn states(&self) -> Vec<(u64, u32)> {
        self.files.iter().map(Growing::state).collect()
    }

    /// Makes a commit sync what there is.
    pub(super) fn sync(&self, commit: &mut Commit) {
        self.files.iter().for_each(|file| commit.sync(file));
    }

    /// What the manifest is to say once the shard is complete.
    pub(super) fn complete(&mut self) -> Result<Vec<Finished>> {
        self.open()?;
        if self.settings.format == Format::Npy {
            let head = self.head();
            self.files[0].write_head(&head)?;
        }
        let holds = |at: usize| (at == 0).then_some((self.tokens, self.documents));
        Ok(self.files.iter().enumerate().map(|(at, file)| file.finished(holds(at))).collect())
    }

    /// Makes a commit give the files their names, the ids last, and starts the next shard.
    pub(super) fn close(&mut self, commit: &mut Commit) {
        self.files.iter().rev().for_each(|file| commit.finish(file));
        self.files.clear();
        (self.tokens, self.documents) = (0, 0);
        self.shard += 1;
    }
}

/*!
The index of a Megatron dataset: how long each document is, and where it starts.

```text
MMIDIDX\0\0 | version, u64 | type of ids, u8 | sequences, u64 | documents and one more, u64
lengths, i32 each | starts in bytes, i64 each | 0, 1, 2, ... for each document, and their number, i64
```

It is made from the ends of documents. These are kept in a file of their own while the ids are written, so
the memory does not depend on the number of documents.
*/

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

use super::Width;
use super::partial::PartialFile;
use crate::error::{Error, InFile, Result};

/// How many numbers are written at a time.
const SOME: usize = 1 << 16;

/// What Megatron calls the type of the ids.
fn code(width: Width) -> u8 {
    match width {
        Width::Two => 8,
        Width::Four => 4,
    }
}

/// Writes the index of documents whose ends, in ids, are in the file `ends`.
pub(super) fn write(
    index: &mut PartialFile,
    ends: &File,
    documents: u64,
    width: Width,
) -> Result<()> {
    index.write(b"MMIDIDX\0\0")?;
    index.write(&1u64.to_le_bytes())?;
    index.write(&[code(width)])?;
    index.write(&documents.to_le_bytes())?;
    index.write(&(documents + 1).to_le_bytes())?;
    each(index, ends, documents, |start, end, out| {
        let length = i32::try_from(end - start).map_err(|_| end - start)?;
        out.extend(length.to_le_bytes());
        Ok(())
    })?;
    let bytes = width.bytes() as u64;
    each(index, ends, documents, |start, _, out| {
        out.extend((start * bytes).to_le_bytes());
        Ok(())
    })?;
    for first in (0..=documents).step_by(SOME) {
        let last = (first + SOME as u64 - 1).min(documents);
        let numbers: Vec<u8> = (first..=last).flat_map(u64::to_le_bytes).collect();
        index.write(&numbers)?;
    }
    Ok(())
}

/// Writes what `number` makes of the start and the end of each document.
fn each(
    index: &mut PartialFile,
    mut ends: &File,
    documents: u64,
    number: impl Fn(u64, u64, &mut Vec<u8>) -> std::result::Result<(), u64>,
) -> Result<()> {
    ends.seek(SeekFrom::Start(0)).in_file(&index.target)?;
    let mut ends = BufReader::with_capacity(8 * SOME, ends);
    let (mut start, mut out) = (0, Vec::new());
    for document in 0..documents {
        let mut end = [0; 8];
        ends.read_exact(&mut end).in_file(&index.target)?;
        let end = u64::from_le_bytes(end);
        number(start, end, &mut out).map_err(|length| {
            let limit = i32::MAX;
            let message =
                format!("document {document} has {length} tokens, the format's limit is {limit}");
            let error = Error::corpus(index.target.display(), message);
            error.with_hint("write a directory of shards")
        })?;
        start = end;
        if out.len() >= 8 * SOME {
            index.write(&out)?;
            out.clear();
        }
    }
    index.write(&out)
}

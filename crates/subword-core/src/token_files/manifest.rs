/*!
The lines of the manifest that say how far a run is.

```text
{"documents":2,"tokens":9,"read":40,"skipped":0,"place":[0,40,3,0,0],"files":[[18,2774041413]]}
```

`place` is where a resumed run reads on ([`SourcePosition`]); `files` are the files that are being
written, with their length and check sum (CRC-32) so far. `finished` lists files that are complete, `bad`
the documents that were left out since the line before. The first line, which says what is made from what,
is written and read by Python (`_manifest.py`), and so is the whole manifest when a run is resumed.
*/

use super::Totals;
use crate::json::write_string;

/// A place in the sources where a run can resume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SourcePosition {
    /// The number of the source.
    pub source: usize,
    /// The byte, or the row, where a block starts.
    pub start: u64,
    /// The line of that byte, the first is 1; 0 at the start of a source.
    pub line: usize,
    /// How many of the documents that end in that block are written already.
    pub documents: usize,
    /// Whether a document that is written in part goes on there.
    pub open: bool,
}

/// A row group of a Parquet file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowGroup {
    /// Where it starts in the file.
    pub start: u64,
    /// How many bytes it has.
    pub bytes: u64,
    /// How many documents it has.
    pub rows: u64,
    /// How many entries it has: one for each id and each empty document.
    pub entries: u64,
    /// How many ids it has.
    pub tokens: u64,
}

/// A document that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The file and the line.
    pub place: String,
    /// What is wrong with it.
    pub message: String,
}

/// How far an earlier run was.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Resume {
    /// Where to read on.
    pub place: SourcePosition,
    /// What was done. Only sources that were read to their end count as read.
    pub totals: Totals,
    /// How many shards are complete.
    pub shards: usize,
    /// Length and check sum of the files that are being written.
    pub files: Vec<(u64, u32)>,
    /// The row groups of a Parquet file.
    pub groups: Vec<RowGroup>,
}

/// A file that is complete.
#[derive(Debug, Clone)]
pub(super) struct FinishedFile {
    pub(super) name: String,
    pub(super) bytes: u64,
    pub(super) crc: u32,
    /// How many ids and documents it holds; only for files that hold ids.
    pub(super) holds: Option<(u64, u64)>,
}

/// A line of the manifest.
#[derive(Debug, Default)]
pub(super) struct ManifestLine<'r> {
    pub(super) totals: Totals,
    pub(super) place: SourcePosition,
    pub(super) files: Vec<(u64, u32)>,
    pub(super) group: Option<RowGroup>,
    pub(super) finished: &'r [FinishedFile],
    pub(super) bad: &'r [Skipped],
    pub(super) complete: bool,
}

impl ManifestLine<'_> {
    pub(super) fn to_line(&self) -> String {
        let Totals { documents, tokens, read, skipped } = self.totals;
        let SourcePosition { source, start, line, documents: written, open } = self.place;
        let open = u8::from(open);
        let mut out = format!(
            "{{\"documents\":{documents},\"tokens\":{tokens},\"read\":{read},\"skipped\":{skipped},\
             \"place\":[{source},{start},{line},{written},{open}]"
        );
        write_list(&mut out, "files", &self.files, |out, (bytes, crc)| {
            *out += &format!("[{bytes},{crc}]");
        });
        if let Some(RowGroup { start, bytes, rows, entries, tokens }) = self.group {
            out += &format!(",\"group\":[{start},{bytes},{rows},{entries},{tokens}]");
        }
        if !self.finished.is_empty() {
            write_list(&mut out, "finished", self.finished, |out, file| {
                *out += "{\"name\":";
                write_string(out, &file.name);
                *out += &format!(",\"bytes\":{},\"crc32\":{}", file.bytes, file.crc);
                if let Some((tokens, documents)) = file.holds {
                    *out += &format!(",\"tokens\":{tokens},\"documents\":{documents}");
                }
                out.push('}');
            });
        }
        if !self.bad.is_empty() {
            write_list(&mut out, "bad", self.bad, |out, bad| {
                out.push('[');
                write_string(out, &bad.place);
                out.push(',');
                write_string(out, &bad.message);
                out.push(']');
            });
        }
        out + if self.complete { ",\"complete\":true}\n" } else { "}\n" }
    }
}

/// Appends a list as the value of `key`.
fn write_list<T>(out: &mut String, key: &str, items: &[T], write: impl Fn(&mut String, &T)) {
    *out += &format!(",\"{key}\":[");
    for (at, item) in items.iter().enumerate() {
        *out += if at == 0 { "" } else { "," };
        write(out, item);
    }
    out.push(']');
}

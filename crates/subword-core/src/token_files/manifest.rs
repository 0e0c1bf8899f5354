/*!
Where a run is, as a line of the manifest.

```text
{"documents":2,"tokens":9,"read":40,"skipped":0,"place":[0,40,3,0,0],"files":[[18,2774041413]]}
```

`place` is where reading goes on, `files` are those that are being written, with their length and check
sum (CRC-32) so far. Where files are complete, `finished` says so; `bad` lists the documents that were
left out since the line before.
*/

use super::Totals;
use crate::json::write_string;

/// Where in the sources a run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SourcePosition {
    /// Which source.
    pub source: usize,
    /// The byte, or the row, where a block starts.
    pub start: u64,
    /// The line there, the first is 1; 0 is the start of a source.
    pub line: usize,
    /// How many documents end in that block that were written before.
    pub documents: usize,
    /// Whether a document goes on there that is written in part.
    pub open: bool,
}

/// A part of a table file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowGroup {
    /// Where it starts in the file.
    pub start: u64,
    /// How many bytes it has.
    pub bytes: u64,
    /// How many documents.
    pub rows: u64,
    /// How many entries, one for each id and each empty document.
    pub entries: u64,
    /// How many ids.
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

/// How far a run was that is taken up again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Resume {
    /// Where it goes on.
    pub place: SourcePosition,
    /// What was done. Of the sources, only those count as read that were read to their end.
    pub totals: Totals,
    /// How many shards are complete.
    pub shards: usize,
    /// Length and check sum of the files that are being written.
    pub files: Vec<(u64, u32)>,
    /// The parts of a table file.
    pub groups: Vec<RowGroup>,
}

/// A file that is complete.
#[derive(Debug, Clone)]
pub(super) struct FinishedFile {
    pub(super) name: String,
    pub(super) bytes: u64,
    pub(super) crc: u32,
    /// How many ids and documents; only of files that hold ids.
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
        let (totals, place) = (&self.totals, &self.place);
        let mut line = format!(
            "{{\"documents\":{},\"tokens\":{},\"read\":{},\"skipped\":{}",
            totals.documents, totals.tokens, totals.read, totals.skipped
        );
        line += &format!(
            ",\"place\":[{},{},{},{},{}]",
            place.source,
            place.start,
            place.line,
            place.documents,
            u8::from(place.open)
        );
        let files = self.files.iter().map(|(bytes, crc)| format!("[{bytes},{crc}]"));
        line += &format!(",\"files\":[{}]", files.collect::<Vec<_>>().join(","));
        if let Some(RowGroup { start, bytes, rows, entries, tokens }) = self.group {
            line += &format!(",\"group\":[{start},{bytes},{rows},{entries},{tokens}]");
        }
        if !self.finished.is_empty() {
            line += ",\"finished\":[";
            for (at, file) in self.finished.iter().enumerate() {
                line += if at == 0 { "{\"name\":" } else { ",{\"name\":" };
                write_string(&mut line, &file.name);
                line += &format!(",\"bytes\":{},\"crc32\":{}", file.bytes, file.crc);
                if let Some((tokens, documents)) = file.holds {
                    line += &format!(",\"tokens\":{tokens},\"documents\":{documents}");
                }
                line.push('}');
            }
            line.push(']');
        }
        if !self.bad.is_empty() {
            line += ",\"bad\":[";
            for (at, bad) in self.bad.iter().enumerate() {
                line += if at == 0 { "[" } else { ",[" };
                write_string(&mut line, &bad.place);
                line.push(',');
                write_string(&mut line, &bad.message);
                line.push(']');
            }
            line.push(']');
        }
        if self.complete {
            line += ",\"complete\":true";
        }
        line + "}\n"
    }
}

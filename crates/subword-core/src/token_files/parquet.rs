/*!
A Parquet file with one column, `input_ids: list<uint32>`: a row per document.

```text
PAR1 | pages of a row group | pages of the next | ... | footer: where everything is | its length | PAR1
```

A page has one entry for each id, and one for each empty document. For each entry one bit says whether it
goes on with a row (the repetition level) and one whether it has an id (the definition level); then come
the ids. Nothing is compressed. A row may go on in the next page, so a document needs no more memory than a
page. A row group ends with every commit: the list of groups is all that a run needs to resume.
*/

use super::record::RowGroup;
use super::thrift::Thrift::{self, Byte, False, I32, I64, List, Struct, Text};
use super::thrift::varint;

/// How many entries a page has at most.
const PAGE: usize = 1 << 17;

/// What a Parquet file starts and ends with.
pub(super) const MAGIC: &[u8] = b"PAR1";

/// The name of the column.
const COLUMN: &str = "input_ids";

/// Parquet's numbers for types, encodings and repetition.
const INT32: i32 = 1;
const PLAIN: i32 = 0;
const RLE: i32 = 3;
const REQUIRED: i32 = 0;
const REPEATED: i32 = 2;
const CONVERTED_LIST: i32 = 3;
const CONVERTED_UINT32: i32 = 13;

/// The entries of a page that is not full, and what is known of the row groups.
#[derive(Debug, Clone, Default)]
pub(super) struct PageBuffer {
    /// The row groups that are complete.
    groups: Vec<RowGroup>,
    /// The row group that is being written.
    group: RowGroup,
    /// Whether the row that is being written has an entry.
    in_row: bool,
    /// The repetition levels: 0 starts a row.
    starts: LevelBits,
    /// The definition levels: 1 has an id.
    there: LevelBits,
    ids: Vec<u8>,
}

impl PageBuffer {
    pub(super) fn new(groups: Vec<RowGroup>) -> PageBuffer {
        PageBuffer { groups, ..PageBuffer::default() }
    }

    /// Takes ids and the ends of documents; passes full pages to `write`.
    pub(super) fn take<E>(
        &mut self,
        ids: &[u8],
        ends: &[usize],
        mut write: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let (ids, _) = ids.as_chunks::<4>();
        let mut start = 0;
        for &end in ends {
            self.row_part(&ids[start..end], &mut write)?;
            if !self.in_row {
                self.starts.push(false, 1);
                self.there.push(false, 1);
            }
            self.in_row = false;
            self.group.rows += 1;
            start = end;
        }
        self.row_part(&ids[start..], &mut write)
    }

    fn row_part<E>(
        &mut self,
        mut ids: &[[u8; 4]],
        write: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        while !ids.is_empty() {
            let some;
            (some, ids) = ids.split_at(ids.len().min(PAGE.saturating_sub(self.starts.len).max(1)));
            if !self.in_row {
                self.starts.push(false, 1);
            }
            self.starts.push(true, some.len() - usize::from(!self.in_row));
            self.there.push(true, some.len());
            self.ids.extend_from_slice(some.as_flattened());
            self.in_row = true;
            self.group.tokens += some.len() as u64;
            if self.starts.len >= PAGE {
                self.flush(&mut *write)?;
            }
        }
        Ok(())
    }

    /// Writes the page.
    pub(super) fn flush<E>(
        &mut self,
        mut write: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let entries = self.starts.len;
        if entries == 0 {
            return Ok(());
        }
        let mut page = Vec::with_capacity(self.ids.len() + entries / 4 + 32);
        for levels in [&self.starts, &self.there] {
            let levels = levels.encoded();
            page.extend((levels.len() as u32).to_le_bytes());
            page.extend(levels);
        }
        page.append(&mut self.ids);
        let data = [(1, I32(entries as i32)), (2, I32(PLAIN)), (3, I32(RLE)), (4, I32(RLE))];
        let size = || I32(page.len() as i32);
        let mut head = Vec::new();
        Struct(vec![(1, I32(0)), (2, size()), (3, size()), (5, Struct(data.into()))])
            .write(&mut head);
        write(&head)?;
        write(&page)?;
        self.group.bytes += (head.len() + page.len()) as u64;
        self.group.entries += entries as u64;
        self.starts.clear();
        self.there.clear();
        Ok(())
    }

    /// Ends the row group, whose last page is written; the file has `end` bytes.
    pub(super) fn end_group(&mut self, end: u64) -> Option<RowGroup> {
        let group = std::mem::take(&mut self.group);
        if group.rows == 0 {
            return None;
        }
        let group = RowGroup { start: end - group.bytes, ..group };
        self.groups.push(group);
        Some(group)
    }

    /// The footer, after the last row group.
    pub(super) fn footer(&self) -> Vec<u8> {
        let list = Struct(vec![(3, Struct(Vec::new()))]);
        let uint32 = Struct(vec![(10, Struct(vec![(1, Byte(32)), (2, False)]))]);
        let schema = [
            vec![(4, Text("schema")), (5, I32(1))],
            vec![
                (3, I32(REQUIRED)),
                (4, Text(COLUMN)),
                (5, I32(1)),
                (6, I32(CONVERTED_LIST)),
                (10, list),
            ],
            vec![(3, I32(REPEATED)), (4, Text("list")), (5, I32(1))],
            vec![
                (1, I32(INT32)),
                (3, I32(REQUIRED)),
                (4, Text("element")),
                (6, I32(CONVERTED_UINT32)),
                (10, uint32),
            ],
        ];
        let tokens: Vec<_> = self.groups.iter().map(|group| group.tokens.to_string()).collect();
        let tokens = format!("[{}]", tokens.join(","));
        let mut footer = Vec::new();
        Struct(vec![
            (1, I32(1)),
            (2, List(schema.into_iter().map(Struct).collect())),
            (3, I64(self.groups.iter().map(|group| group.rows).sum())),
            (4, List(self.groups.iter().map(row_group).collect())),
            (5, List(vec![Struct(vec![(1, Text("subword.tokens")), (2, Text(&tokens))])])),
            (6, Text(concat!("subword ", env!("CARGO_PKG_VERSION")))),
        ])
        .write(&mut footer);
        footer.extend((footer.len() as u32).to_le_bytes());
        footer.extend(MAGIC);
        footer
    }
}

/// The metadata of a row group.
fn row_group(group: &RowGroup) -> Thrift<'static> {
    let column = Struct(vec![
        (1, I32(INT32)),
        (2, List(vec![I32(PLAIN), I32(RLE)])),
        (3, List(vec![Text(COLUMN), Text("list"), Text("element")])),
        (4, I32(0)),
        (5, I64(group.entries)),
        (6, I64(group.bytes)),
        (7, I64(group.bytes)),
        (9, I64(group.start)),
    ]);
    let chunk = Struct(vec![(2, I64(group.start)), (3, column)]);
    Struct(vec![(1, List(vec![chunk])), (2, I64(group.bytes)), (3, I64(group.rows))])
}

/// Bits, the first is the lowest of the first byte.
#[derive(Debug, Clone, Default)]
struct LevelBits {
    bytes: Vec<u8>,
    len: usize,
    ones: usize,
}

impl LevelBits {
    /// Appends the same bit `times` times.
    fn push(&mut self, bit: bool, mut times: usize) {
        self.ones += if bit { times } else { 0 };
        while times > 0 {
            if self.len.is_multiple_of(8) {
                self.bytes.push(0);
            }
            let some = times.min(8 - self.len % 8);
            if bit && let Some(last) = self.bytes.last_mut() {
                *last |= (0xFF >> (8 - some)) << (self.len % 8);
            }
            self.len += some;
            times -= some;
        }
    }

    /// As one run of equal bits, or bit by bit.
    fn encoded(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        if self.ones == self.len || self.ones == 0 {
            varint(&mut bytes, (self.len as u64) << 1);
            bytes.push(u8::from(self.ones > 0));
        } else {
            varint(&mut bytes, (self.bytes.len() as u64) << 1 | 1);
            bytes.extend(&self.bytes);
        }
        bytes
    }

    fn clear(&mut self) {
        *self = LevelBits { bytes: std::mem::take(&mut self.bytes), len: 0, ones: 0 };
        self.bytes.clear();
    }
}

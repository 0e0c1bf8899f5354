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

use super::manifest::RowGroup;
use super::thrift::{ThriftStruct, varint};

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
        let mut data = ThriftStruct::default();
        data.i32(1, entries as i32).i32(2, PLAIN).i32(3, RLE).i32(4, RLE);
        let mut head = ThriftStruct::default();
        head.i32(1, 0).i32(2, page.len() as i32).i32(3, page.len() as i32).structure(5, &mut data);
        let head = head.take();
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
        let mut kind = ThriftStruct::default();
        let mut schema = vec![kind.text(4, "schema").i32(5, 1).take()];
        let list = |kind: &mut ThriftStruct| kind.structure(3, &mut ThriftStruct::default()).take();
        let mut kind = ThriftStruct::default();
        kind.i32(3, REQUIRED).text(4, COLUMN).i32(5, 1).i32(6, CONVERTED_LIST);
        kind.logical(list(&mut ThriftStruct::default()));
        schema.push(kind.take());
        schema.push(ThriftStruct::default().i32(3, REPEATED).text(4, "list").i32(5, 1).take());
        let mut kind = ThriftStruct::default();
        kind.i32(1, INT32).i32(3, REQUIRED).text(4, "element").i32(6, CONVERTED_UINT32);
        let mut width = ThriftStruct::default();
        width.byte(1, 32).no(2);
        kind.logical(ThriftStruct::default().structure(10, &mut width).take());
        schema.push(kind.take());

        let numbers: Vec<_> = self.groups.iter().map(|group| group.tokens.to_string()).collect();
        let about = [("subword.tokens", format!("[{}]", numbers.join(",")))];
        let rows = self.groups.iter().map(|group| group.rows).sum();
        let mut all = ThriftStruct::default();
        all.i32(1, 1)
            .structures(2, schema.into_iter())
            .i64(3, rows)
            .structures(4, self.groups.iter().map(row_group))
            .structures(
                5,
                about
                    .iter()
                    .map(|(key, value)| ThriftStruct::default().text(1, key).text(2, value).take()),
            )
            .text(6, concat!("subword ", env!("CARGO_PKG_VERSION")));
        let mut footer = all.take();
        footer.extend((footer.len() as u32).to_le_bytes());
        footer.extend(MAGIC);
        footer
    }
}

/// The metadata of a row group.
fn row_group(group: &RowGroup) -> Vec<u8> {
    let mut column = ThriftStruct::default();
    column
        .i32(1, INT32)
        .numbers(2, &[PLAIN, RLE])
        .texts(3, &[COLUMN, "list", "element"])
        .i32(4, 0)
        .i64(5, group.entries)
        .i64(6, group.bytes)
        .i64(7, group.bytes)
        .i64(9, group.start);
    let chunk = ThriftStruct::default().i64(2, group.start).structure(3, &mut column).take();
    let mut all = ThriftStruct::default();
    all.structures(1, [chunk].into_iter()).i64(2, group.bytes).i64(3, group.rows).take()
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

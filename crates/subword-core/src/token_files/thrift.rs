/*!
Thrift's compact protocol, as far as writing a Parquet file needs it.

```text
field    delta to the number of the field before << 4 | type
number   zigzag, seven bits per byte
text     length, bytes
list     length << 4 | type, elements
struct   fields, a zero
```
*/

/// The numbers of the types of fields.
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I32: u8 = 5;
const I64: u8 = 6;
const TEXT: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// A struct that is being written, field by field.
#[derive(Debug, Default)]
pub(super) struct ThriftStruct {
    bytes: Vec<u8>,
    last: u8,
}

impl ThriftStruct {
    fn field(&mut self, number: u8, kind: u8) {
        self.bytes.push((number - self.last) << 4 | kind);
        self.last = number;
    }

    pub(super) fn i32(&mut self, number: u8, value: i32) -> &mut Self {
        self.field(number, I32);
        zigzag(&mut self.bytes, i64::from(value));
        self
    }

    pub(super) fn i64(&mut self, number: u8, value: u64) -> &mut Self {
        self.field(number, I64);
        zigzag(&mut self.bytes, value as i64);
        self
    }

    pub(super) fn byte(&mut self, number: u8, value: u8) -> &mut Self {
        self.field(number, BYTE);
        self.bytes.push(value);
        self
    }

    pub(super) fn no(&mut self, number: u8) -> &mut Self {
        self.field(number, FALSE);
        self
    }

    pub(super) fn text(&mut self, number: u8, value: &str) -> &mut Self {
        self.field(number, TEXT);
        text(&mut self.bytes, value);
        self
    }

    pub(super) fn structure(&mut self, number: u8, fields: &mut ThriftStruct) -> &mut Self {
        self.field(number, STRUCT);
        self.bytes.extend(fields.take());
        self
    }

    /// The logical type of a column, which is a struct made elsewhere.
    pub(super) fn logical(&mut self, bytes: Vec<u8>) -> &mut Self {
        self.field(10, STRUCT);
        self.bytes.extend(bytes);
        self
    }

    pub(super) fn numbers(&mut self, number: u8, values: &[i32]) -> &mut Self {
        self.list(number, I32, values.len());
        values.iter().for_each(|&value| zigzag(&mut self.bytes, i64::from(value)));
        self
    }

    pub(super) fn texts(&mut self, number: u8, values: &[&str]) -> &mut Self {
        self.list(number, TEXT, values.len());
        values.iter().for_each(|value| text(&mut self.bytes, value));
        self
    }

    pub(super) fn structures(
        &mut self,
        number: u8,
        all: impl ExactSizeIterator<Item = Vec<u8>>,
    ) -> &mut Self {
        self.list(number, STRUCT, all.len());
        self.bytes.extend(all.flatten());
        self
    }

    fn list(&mut self, number: u8, kind: u8, len: usize) {
        self.field(number, LIST);
        if len < 15 {
            self.bytes.push((len as u8) << 4 | kind);
        } else {
            self.bytes.push(0xF0 | kind);
            varint(&mut self.bytes, len as u64);
        }
    }

    /// The bytes of the struct.
    pub(super) fn take(&mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.last = 0;
        std::mem::take(&mut self.bytes)
    }
}

/// Seven bits per byte, the lowest first.
pub(super) fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn zigzag(bytes: &mut Vec<u8>, value: i64) {
    varint(bytes, (value << 1 ^ value >> 63) as u64);
}

fn text(bytes: &mut Vec<u8>, value: &str) {
    varint(bytes, value.len() as u64);
    bytes.extend(value.bytes());
}

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

/// A value of Thrift.
pub(super) enum Thrift<'a> {
    False,
    Byte(u8),
    I32(i32),
    I64(u64),
    Text(&'a str),
    /// Values of one type. An empty list is one of structs.
    List(Vec<Thrift<'a>>),
    /// Numbers of fields, rising, and their values.
    Struct(Vec<(u8, Thrift<'a>)>),
}

impl Thrift<'_> {
    /// The number of its type.
    fn kind(&self) -> u8 {
        match self {
            Thrift::False => 2,
            Thrift::Byte(_) => 3,
            Thrift::I32(_) => 5,
            Thrift::I64(_) => 6,
            Thrift::Text(_) => 8,
            Thrift::List(_) => 9,
            Thrift::Struct(_) => 12,
        }
    }

    /// Appends the value, without its type.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Thrift::False => {} // its type says it all
            Thrift::Byte(byte) => out.push(*byte),
            Thrift::I32(number) => zigzag(out, i64::from(*number)),
            Thrift::I64(number) => zigzag(out, *number as i64),
            Thrift::Text(text) => {
                varint(out, text.len() as u64);
                out.extend(text.bytes());
            }
            Thrift::List(values) => {
                let kind = values.first().map_or(12, Thrift::kind);
                if values.len() < 15 {
                    out.push((values.len() as u8) << 4 | kind);
                } else {
                    out.push(0xF0 | kind);
                    varint(out, values.len() as u64);
                }
                values.iter().for_each(|value| value.write(out));
            }
            Thrift::Struct(fields) => {
                let mut before = 0;
                for (number, value) in fields {
                    out.push((number - before) << 4 | value.kind());
                    value.write(out);
                    before = *number;
                }
                out.push(0);
            }
        }
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

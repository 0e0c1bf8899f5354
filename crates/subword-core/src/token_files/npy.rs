/*!
The start of a `.npy` file (version 1.0): what the numbers are and how many.

```text
\x93NUMPY 1 0 | length of the rest, two bytes | a Python dictionary, spaces, a line feed
```

It always has [`HEAD`] bytes, so that it can be written again once the number of ids is known.
*/

use super::Width;

/// The length of the head, which is that of numpy itself.
pub(super) const HEAD: usize = 128;

/// The head of a file that holds `ids` ids.
pub(super) fn head(width: Width, ids: u64) -> Vec<u8> {
    let number = width.bytes();
    let about = format!("{{'descr': '<u{number}', 'fortran_order': False, 'shape': ({ids},), }}");
    let mut head = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    head.extend(about.bytes());
    head.resize(HEAD - 1, b' ');
    head.push(b'\n');
    head
}

/*!
The pattern `bert`: runs of white space, single punctuation marks, and words between them.

```text
"it's  5 km."  ->  "it" | "'" | "s" | "  " | "5" | " " | "km" | "."
```

Punctuation is that of the Unicode version which the tables were made with, and all symbols of ASCII.
*/

use super::blocks::{Block, Family, Starts, after};
use super::class::{Char, char_at};
use crate::bert::{BertClass, Classes};
use crate::simd::{BLOCK, Isa};

/// The pattern, 64 bytes at a time. Letters, digits and white space are known wherever they come from. A
/// symbol is punctuation for certain if it is one of ASCII, which is looked at for the whole block.
///
/// PERF: counting en_10mb takes 76 ms and not 118 (2026-11-15).
pub(super) struct BertWords;

impl Family for BertWords {
    #[inline(always)]
    fn starts<C: Isa>(&self, m: &Block, text: &[u8]) -> Starts {
        let plain = |byte: u8| (byte < 0x7F) & ((byte >= b' ') | (byte.wrapping_sub(9) < 5));
        let is_plain = text[..BLOCK].iter().fold(true, |all, &byte| all & plain(byte));
        let limit = if is_plain { m.len } else { m.len.min(m.other.trailing_zeros()) };
        let bits = (m.white ^ after(m.white)) | m.other | after(m.other);
        Starts { bits, limit }
    }
}

/// Where the piece that starts at `at` ends.
pub(super) fn scan(classes: &Classes, text: &[u8], at: usize) -> usize {
    let Some(first) = char_at(text, at) else { return at };
    let class = classes.get(first.code);
    let mut end = first.end;
    if class == BertClass::Punctuation {
        return end;
    }
    while let Some(c) = char_at(text, end).filter(|c| classes.get(c.code) == class) {
        end = c.end;
    }
    end
}

/// Whether a piece ends between two characters, whatever stands around them.
pub(super) fn cuts_between(classes: &Classes, before: Char, after: Char) -> bool {
    let (before, after) = (classes.get(before.code), classes.get(after.code));
    before != after || before == BertClass::Punctuation
}

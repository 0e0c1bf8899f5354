/*!
The pattern `whitespace`: runs of white space, and what is between them.

```text
"to be,  or"  ->  "to" | " " | "be," | "  " | "or"
```

It is the simplest of the patterns and the one of words as people see them: characters with an
end-of-word mark are merged within its pieces, and the mark stands for the white space.
*/

use super::class::{char_at, char_before};

/// Where the piece that starts at `at` ends.
pub(super) fn scan(text: &[u8], at: usize) -> usize {
    let Some(first) = char_at(text, at) else { return at };
    let white = first.class.is_space();
    let mut end = first.end;
    while let Some(&byte) = text.get(end) {
        // PERF: most of a text is printable ASCII.
        if byte.is_ascii_graphic() {
            if white {
                break;
            }
            end += 1;
            continue;
        }
        match char_at(text, end).filter(|c| c.class.is_space() == white) {
            Some(c) => end = c.end,
            None => break,
        }
    }
    end
}

/// Whether a piece ends at `at`, whatever stands around the two characters there.
pub(super) fn cuts_before(text: &[u8], at: usize) -> bool {
    let starts = text.get(at).is_some_and(|byte| byte & 0xC0 != 0x80);
    match (char_before(text, at), char_at(text, at)) {
        (Some(before), Some(after)) if starts => before.class.is_space() != after.class.is_space(),
        _ => false,
    }
}

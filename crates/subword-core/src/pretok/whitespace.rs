/*!
The pattern `whitespace`: runs of white space, and what is between them.

```text
"to be,  or"  ->  "to" | " " | "be," | "  " | "or"
```

It is the simplest of the patterns and the one of words as people see them: characters with an
end-of-word mark are merged within its pieces, and the mark stands for the white space.
*/

use super::class::{Char, char_at};

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

/// Whether a piece ends between two characters, whatever stands around them.
pub(super) fn cuts_between(before: Char, after: Char) -> bool {
    before.class.is_space() != after.class.is_space()
}

/*!
Where the characters of a normalised text come from.

```text
"abΩcd"  --NFC-->  "abΩcd"        U+2126 becomes U+03A9, which has a byte less
                   ab    byte for byte from 0
                   Ω     all of 2..5
                   cd    byte for byte from 5
```

A token that spells the bytes `a..b` of the normalised text comes from the start of the source of byte
`a` up to the end of the source of byte `b - 1`.
*/

use crate::error::Result;
use crate::memory;

/// Where the parts of a normalised text come from. Empty: nothing was changed.
#[derive(Debug, Default)]
pub struct Map {
    /// By rising place in the normalised text; none is empty.
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    /// Where it starts in the normalised text.
    normalised: usize,
    /// Where its source starts.
    from: usize,
    /// Where the source ends, if every byte stands for all of it. `None`: byte for byte.
    to: Option<usize>,
}

impl Map {
    /// Makes room for this many more parts.
    pub(super) fn reserve(&mut self, parts: usize) -> Result<()> {
        memory::reserve(&mut self.parts, parts)
    }

    /// From here on the text stands byte for byte for the text from `from` on.
    #[inline(always)]
    pub(super) fn same(&mut self, normalised: usize, from: usize) {
        let goes_on = |last: &Part| {
            last.to.is_none() && normalised - last.normalised == from.wrapping_sub(last.from)
        };
        if !self.parts.last().is_some_and(goes_on) {
            self.parts.push(Part { normalised, from, to: None });
        }
    }

    /// From here on every byte stands for all of `from..to`.
    #[inline(always)]
    pub(super) fn whole(&mut self, normalised: usize, (from, to): (usize, usize)) {
        if !self.parts.last().is_some_and(|last| last.from == from && last.to == Some(to)) {
            self.parts.push(Part { normalised, from, to: Some(to) });
        }
    }

    /// The place in the original text of a place where something starts in the normalised one.
    pub fn start(&self, at: usize) -> usize {
        let after = self.parts.partition_point(|part| part.normalised <= at);
        let Some(index) = after.checked_sub(1) else { return at };
        let part = &self.parts[index];
        part.from + if part.to.is_some() { 0 } else { at - part.normalised }
    }

    /// The place in the original text of a stretch of the normalised one. What has no width stands
    /// at the end of what comes before it.
    pub fn place(&self, start: usize, end: usize) -> (usize, usize) {
        let to = self.end(end);
        (if start < end { self.start(start) } else { to }, to)
    }

    fn end(&self, at: usize) -> usize {
        let after = self.parts.partition_point(|part| part.normalised < at);
        let Some(index) = after.checked_sub(1) else { return at };
        let part = &self.parts[index];
        part.to.unwrap_or(part.from + at - part.normalised)
    }
}

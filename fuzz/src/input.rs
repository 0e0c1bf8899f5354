/*!
Random bytes as choices: which model, which text.

libFuzzer changes, inserts and deletes bytes. So every choice is one byte, a missing byte is 0, and the
text comes last: a small change of the bytes is then a small change of what they mean.
*/

/// What texts and tokens are made of: what is cut, normalised, composed, skipped or swallowed in different ways.
pub(crate) const UNITS: [&str; 56] = [
    "a",
    "b",
    "c",
    "e",
    "s",
    "x",
    "A",
    "Z",
    "1",
    "2",
    " ",
    "  ",
    "\n",
    "\r\n",
    "\t",
    "'",
    "'s",
    "-",
    ".",
    ",",
    "!",
    "<",
    ">",
    "#",
    "_",
    "\u{e9}",
    "e\u{301}",
    "\u{301}",
    "\u{316}",
    "\u{140}",
    "\u{df}",
    "\u{130}",
    "\u{3a3}",
    "\u{44f}",
    "\u{4e2d}",
    "\u{6587}",
    "\u{938}",
    "\u{95c}",
    "\u{93c}",
    "\u{ac00}",
    "\u{1100}",
    "\u{1161}",
    "\u{11a8}",
    "\u{3000}",
    "\u{2001}",
    "\u{a0}",
    "\u{85}",
    "\u{200d}",
    "\u{fb01}",
    "\u{2126}",
    "\u{b2}",
    "\u{ad}",
    "\u{0}",
    "\u{fffd}",
    "\u{1f600}",
    "\u{1d165}",
];

/// Bytes that are used up one by one.
pub(crate) struct Input<'a>(pub(crate) &'a [u8]);

impl Input<'_> {
    /// The next byte; 0 if there is none.
    pub(crate) fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// A number below `n`, which is at most 256.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n
    }

    /// Yes or no; no if there is no byte.
    pub(crate) fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    /// Yes once in `n` times.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    /// One of these.
    pub(crate) fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }

    /// A string of 1 to `most` units.
    pub(crate) fn string(&mut self, most: usize) -> String {
        (0..=self.below(most)).map(|_| self.pick(&UNITS)).collect()
    }

    /// A text of all bytes that are left: units, some of `words`, repetitions, and bytes that are no text.
    pub(crate) fn text(&mut self, words: &[Vec<u8>], most: usize) -> Vec<u8> {
        let (mut text, mut last) = (Vec::new(), Vec::new());
        while !self.0.is_empty() && text.len() < most {
            match usize::from(self.byte()) {
                unit if unit < UNITS.len() => last = UNITS[unit].into(),
                word @ 64..192 if !words.is_empty() => last = words[word % words.len()].clone(),
                192..208 => (1..self.below(40)).for_each(|_| text.extend_from_slice(&last)),
                208..212 => last = vec![self.byte()],
                letter => last = vec![b'a' + (letter % 26) as u8],
            }
            text.extend_from_slice(&last);
        }
        text.truncate(most);
        text
    }
}

/*!
The first of many strings in a text; of those that start at the same place the longest.

The strings are walked by an automaton (Aho and Corasick's), a byte at a time. What stands between them, nearly all of a
text, is not walked: a string can only start where two bytes are the first two of one.

```text
strings   \n\n  ▁▁  <unused0>  <unused1> ...         first bytes  \n  E2  <
text      The cat sat.\nOn the mat.\n\n"Why?"
                       ^ \n, but no second one   ^ walked
```

Such a place is found by its first byte: by vector instructions for up to three different ones, by a table for more. From
there the automaton walks until it stands at its start again, so every byte is walked once at most, whatever the text.

Why not the search of the library, which also looks for first bytes: it does so for ASCII alone. The tokens of Gemma 3 have
runs of `▁` among them, and English with them took twice as long (AVX-512, 2026-11-19).
*/

use std::ops::Range;

use aho_corasick::automaton::Automaton;
use aho_corasick::nfa::contiguous::NFA;
use aho_corasick::{Anchored, BuildError, MatchKind};
use memchr::{memchr, memchr2, memchr3};

/// Strings made ready to be searched for.
#[derive(Debug)]
pub(super) struct Search {
    automaton: NFA,
    /// The different first bytes.
    first: Vec<u8>,
    is_first: Box<[bool; 256]>,
    /// One bit for each two bytes that a string may start with.
    pairs: Box<[u64; 65536 / 64]>,
    /// Some string is one byte, so it may start with any two.
    has_single: bool,
}

/// A string in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// The number of the string.
    pub(super) string: usize,
    /// Its bytes.
    pub(super) place: Range<usize>,
}

impl Search {
    /// None of the strings is empty.
    pub(super) fn new(strings: &[&str]) -> Result<Search, BuildError> {
        let builder = &mut NFA::builder();
        let automaton = builder.match_kind(MatchKind::LeftmostLongest).prefilter(false);
        let mut search = Search {
            automaton: automaton.build(strings)?,
            first: Vec::new(),
            is_first: Box::new([false; 256]),
            pairs: Box::new([0; 65536 / 64]),
            has_single: false,
        };
        for string in strings.iter().map(|string| string.as_bytes()) {
            if !std::mem::replace(&mut search.is_first[usize::from(string[0])], true) {
                search.first.push(string[0]);
            }
            match string {
                &[first, second, ..] => {
                    let bit = pair_bit(first, second);
                    search.pairs[bit / 64] |= 1 << (bit % 64);
                }
                _ => search.has_single = true,
            }
        }
        Ok(search)
    }

    /// The first string within a range of a text.
    pub(super) fn find(&self, text: &[u8], range: Range<usize>) -> Option<Found> {
        let text = &text[..range.end];
        let start = self.automaton.start_state(Anchored::No).ok()?;
        let (mut at, mut state, mut found) = (self.skip(text, range.start)?, start, None);
        while let Some(&byte) = text.get(at) {
            state = self.automaton.next_state(Anchored::No, state, byte);
            at += 1;
            if state == start && found.is_none() {
                match self.skip(text, at) {
                    Some(next) => at = next,
                    None => break,
                }
            } else if self.automaton.is_match(state) {
                let string = self.automaton.match_pattern(state, 0);
                let len = self.automaton.pattern_len(string);
                found = Some(Found { string: string.as_usize(), place: at - len..at });
            } else if self.automaton.is_dead(state) {
                // No string that starts there is longer.
                break;
            }
        }
        found
    }

    /// The first place from `at` on where a string may start.
    #[inline]
    fn skip(&self, text: &[u8], mut at: usize) -> Option<usize> {
        loop {
            let rest = text.get(at..)?;
            let next = match self.first[..] {
                [a] => memchr(a, rest),
                [a, b] => memchr2(a, b, rest),
                [a, b, c] => memchr3(a, b, c, rest),
                _ => rest.iter().position(|&byte| self.is_first[usize::from(byte)]),
            };
            at += next?;
            let bit = text.get(at + 1).map(|&second| pair_bit(text[at], second));
            if self.has_single || bit.is_some_and(|bit| self.pairs[bit / 64] >> (bit % 64) & 1 == 1)
            {
                return Some(at);
            }
            at += 1;
        }
    }
}

/// The number of the bit for two bytes.
fn pair_bit(first: u8, second: u8) -> usize {
    usize::from(first) << 8 | usize::from(second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    /// By comparing every string at every place.
    fn plain(strings: &[&str], text: &[u8], range: Range<usize>) -> Option<Found> {
        range.clone().find_map(|at| {
            let here = |string: &&str| text[at..range.end].starts_with(string.as_bytes());
            let longest = strings.iter().filter(|string| here(string)).max_by_key(|s| s.len())?;
            let string = strings.iter().position(|other| other == longest)?;
            Some(Found { string, place: at..at + longest.len() })
        })
    }

    #[test]
    fn every_range_has_what_comparing_everywhere_finds() {
        let mut random = Random::new(1);
        let units = ["a", "b", "\n", "<", ">", "▁", "é", " "];
        for round in 0..4000 {
            let kinds = 2 + random.below(units.len() - 1);
            let mut some = |most: usize| -> String {
                (0..1 + random.below(most)).map(|_| units[random.below(kinds)]).collect()
            };
            let strings: Vec<String> = (0..1 + round % 7).map(|_| some(4)).collect();
            let mut strings: Vec<&str> = strings.iter().map(String::as_str).collect();
            strings.sort_unstable();
            strings.dedup();
            let text = some(40).into_bytes();
            let search = Search::new(&strings).unwrap();
            let mut from = 0;
            for end in [text.len(), random.below(text.len() + 1)] {
                while from <= end {
                    let expected = plain(&strings, &text, from..end);
                    assert_eq!(search.find(&text, from..end), expected, "{strings:?} {text:?}");
                    from += 1 + random.below(5);
                }
                from = 0;
            }
        }
    }
}

/*!
The alphabet of a training: the characters of the counted pieces, or the most frequent of them.

```text
"low" 5, "löw" 1   ->   l 6, o 5, w 6, ö 1   ->   limit 3: l o w
```

Characters are in the order of code points. With a limit, the most frequent ones stay, of equals those
with the smaller code point.
*/

use std::cmp::Reverse;

use crate::types::Count;

/// How often each character occurs, by code point.
#[derive(Debug, Default)]
pub(super) struct CharacterCounts(Vec<Count>);

impl CharacterCounts {
    /// Counts each of the characters `count` times.
    pub(super) fn add(&mut self, characters: impl Iterator<Item = char>, count: Count) {
        for character in characters {
            let code = character as usize;
            if code >= self.0.len() {
                self.0.resize((code + 1).next_power_of_two(), 0);
            }
            self.0[code] = self.0[code].saturating_add(count);
        }
    }

    /// The characters and how often each occurs, by code point.
    pub(super) fn counted(self) -> impl Iterator<Item = (char, Count)> {
        let counted = (0..).zip(self.0).filter(|&(_, count)| count > 0);
        counted.filter_map(|(code, count)| Some((char::from_u32(code)?, count)))
    }

    /// The characters that may be in the alphabet, at most `limit` of them, by code point.
    pub(super) fn alphabet(self, limit: Option<usize>, may_be: impl Fn(char) -> bool) -> Vec<char> {
        let mut found: Vec<(char, Count)> =
            self.counted().filter(|&(character, _)| may_be(character)).collect();
        if let Some(limit) = limit {
            found.sort_by_key(|&(_, count)| Reverse(count));
            found.truncate(limit);
            found.sort_unstable();
        }
        found.into_iter().map(|(character, _)| character).collect()
    }
}

/*!
The alphabet of a training: the characters of the counted pieces, or the most frequent of them.

```text
"low" 5, "löw" 1   ->   l 6, o 5, w 6, ö 1   ->   limit 3, or a coverage of 0.9: l o w
```

Characters are in the order of code points. With a limit, or a coverage, the most frequent ones stay, of equals those
with the smaller code point.
*/

use std::cmp::Reverse;

use crate::error::{Error, Result};
use crate::types::Count;

/// Which characters are kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Alphabet {
    /// All.
    All,
    /// So many: the most frequent.
    Limit(usize),
    /// The most frequent, as many as make up this share of the text.
    Coverage(f64),
}

impl Alphabet {
    /// So many, or all.
    pub fn limited(limit: Option<usize>) -> Alphabet {
        limit.map_or(Alphabet::All, Alphabet::Limit)
    }

    /// An error if no text has such an alphabet.
    pub(super) fn check(self) -> Result<()> {
        let message = match self {
            Alphabet::Limit(0) => "limit_alphabet must be at least 1, not 0".into(),
            Alphabet::Coverage(share) if !(share > 0.0 && share <= 1.0) => {
                format!("character_coverage must be above 0 and at most 1, not {share}")
            }
            _ => return Ok(()),
        };
        Err(Error::Argument { message })
    }

    /// How many characters are kept of these, which are in the order of falling counts.
    fn size(self, found: &[(char, Count)]) -> usize {
        let Alphabet::Coverage(share) = self else {
            let Alphabet::Limit(limit) = self else { return found.len() };
            return limit.min(found.len());
        };
        let total: u128 = found.iter().map(|(_, count)| u128::from(*count)).sum();
        let (mut covered, wanted) = (0u128, share * total as f64);
        let is_wanted = |&&(_, count): &&(char, Count)| {
            let go_on = (covered as f64) < wanted;
            covered += u128::from(count);
            go_on
        };
        found.iter().take_while(is_wanted).count()
    }
}

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

    /// The characters of an alphabet with their counts, the most frequent first; only those that may be in it.
    pub(super) fn most_frequent(
        self,
        alphabet: Alphabet,
        may_be: impl Fn(char) -> bool,
    ) -> Vec<(char, Count)> {
        let mut found: Vec<(char, Count)> =
            self.counted().filter(|&(character, _)| may_be(character)).collect();
        found.sort_by_key(|&(_, count)| Reverse(count));
        found.truncate(alphabet.size(&found));
        found
    }

    /// The characters of an alphabet by code point; only those that may be in it.
    pub(super) fn alphabet(self, alphabet: Alphabet, may_be: impl Fn(char) -> bool) -> Vec<char> {
        let mut found = self.most_frequent(alphabet, may_be);
        found.sort_unstable();
        found.into_iter().map(|(character, _)| character).collect()
    }
}

/// A set of characters.
#[derive(Debug)]
pub(super) struct CharacterSet(Vec<bool>);

impl CharacterSet {
    /// The set of these.
    pub(super) fn new(characters: impl Iterator<Item = char>) -> CharacterSet {
        let mut known = Vec::new();
        for code in characters.map(|c| c as usize) {
            if code >= known.len() {
                known.resize(code + 1, false);
            }
            known[code] = true;
        }
        CharacterSet(known)
    }

    /// Whether a character is in it.
    pub(super) fn has(&self, character: char) -> bool {
        self.0.get(character as usize).is_some_and(|known| *known)
    }
}

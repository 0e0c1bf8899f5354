/*!
The character map of a SentencePiece model, as Hugging Face's library reads it, and as SentencePiece does.

The map is a double array of keys and a list of replacements that end with a zero byte:

```text
u32 n, then n bytes of u32 units, then the replacements
```

A text is walked by extended grapheme cluster. A cluster of less than six bytes that starts with a key is replaced as a
whole, by what belongs to its **shortest** key. Otherwise each of its characters is looked up alone. SentencePiece
itself takes the longest key at each place ([`Charsmap::longest`]).
*/

use unicode_segmentation::UnicodeSegmentation;

use super::aligned::Change;
use crate::error::{Error, Result};

/// Clusters of this many bytes are not looked up.
const LONG_CLUSTER: usize = 6;

#[derive(Debug)]
pub(super) struct Charsmap {
    units: Vec<u32>,
    replacements: String,
}

impl Charsmap {
    pub(super) fn new(bytes: &[u8]) -> Result<Charsmap> {
        let wrong = || Error::format("the precompiled_charsmap is not a character map");
        let (size, rest) = bytes.split_first_chunk::<4>().ok_or_else(wrong)?;
        let size = u32::from_le_bytes(*size) as usize;
        let (trie, replacements) = rest.split_at_checked(size).ok_or_else(wrong)?;
        let (units, odd) = trie.as_chunks::<4>();
        let replacements = String::from_utf8(replacements.to_vec()).map_err(|_| wrong())?;
        if !odd.is_empty() || units.is_empty() {
            return Err(wrong());
        }
        let units = units.iter().map(|unit| u32::from_le_bytes(*unit)).collect();
        Ok(Charsmap { units, replacements })
    }

    /// The changes that the map makes; none if it changes nothing.
    pub(super) fn changes(&self, text: &str) -> Option<Vec<Change>> {
        let mut changes = Vec::with_capacity(text.len());
        let mut changed = false;
        let mut part = |part: &str, changes: &mut Vec<Change>| {
            let Some(new) = self.replacement(part) else { return false };
            changed = true;
            replace(changes, part, new);
            true
        };
        for cluster in text.graphemes(true) {
            if cluster.len() < LONG_CLUSTER && part(cluster, &mut changes) {
                continue;
            }
            for (start, c) in cluster.char_indices() {
                if !part(&cluster[start..start + c.len_utf8()], &mut changes) {
                    changes.push((c, 0));
                }
            }
        }
        changed.then_some(changes)
    }

    /// What belongs to the shortest key that a text starts with.
    fn replacement(&self, text: &str) -> Option<&str> {
        let mut found = None;
        self.each_key(text.as_bytes(), |_, start| {
            found = Some(start);
            true
        });
        self.replacement_at(found?)
    }

    /// The longest key that a text starts with, as its length, and what belongs to it.
    pub(super) fn longest(&self, text: &str) -> Option<(usize, &str)> {
        let (mut found, bytes) = (None, text.as_bytes());
        self.each_key(bytes, |len, start| {
            found = Some((len, start));
            false
        });
        let (len, start) = found.filter(|&(len, _)| text.is_char_boundary(len))?;
        Some((len, self.replacement_at(start)?))
    }

    fn replacement_at(&self, start: usize) -> Option<&str> {
        let rest = self.replacements.get(start..)?;
        Some(&rest[..rest.find('\0').unwrap_or(rest.len())])
    }

    /// Calls `stop` with the length and the value of each key that a text starts with, the shortest first, until it
    /// says true: see Darts-clone, whose format it is.
    fn each_key(&self, text: &[u8], mut stop: impl FnMut(usize, usize) -> bool) -> Option<()> {
        let offset = |unit: u32| ((unit >> 10) << ((unit & (1 << 9)) >> 6)) as usize;
        let mut at = offset(*self.units.first()?);
        for (len, &byte) in (1..).zip(text.iter().take_while(|&&byte| byte != 0)) {
            at ^= usize::from(byte);
            let unit = *self.units.get(at)?;
            let label = unit & (1 << 31 | 0xFF);
            if label != u32::from(byte) {
                return None;
            }
            at ^= offset(unit);
            let has_leaf = unit >> 8 & 1 == 1;
            if has_leaf && stop(len, (*self.units.get(at)? & !(1 << 31)) as usize) {
                return None;
            }
        }
        None
    }
}

/// `new` in place of `old`, character by character; what is left over of either counts to the last.
fn replace(changes: &mut Vec<Change>, old: &str, new: &str) {
    let (old, count) = (old.chars().count() as isize, new.chars().count() as isize);
    let from = changes.len();
    changes.extend(new.chars().enumerate().map(|(i, c)| (c, isize::from(i as isize >= old))));
    if count < old {
        // Where nothing is left, the character before it takes what is dropped.
        if let Some(last) = changes.last_mut() {
            last.1 += count - old;
        }
    }
    debug_assert_eq!(changes.len(), from + count as usize);
}

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
    pub(super) fn replacement(&self, text: &str) -> Option<&str> {
        self.text_at(self.shortest_key(text.as_bytes())?)
    }

    /// The longest key that a text starts with, as its length, and what belongs to it.
    pub(super) fn longest(&self, text: &str) -> Option<(usize, &str)> {
        let (mut found, mut node) = (None, self.root());
        for (len, &byte) in (1..).zip(text.as_bytes().iter().take_while(|&&byte| byte != 0)) {
            let Some((child, value)) = self.step(node, byte) else { break };
            found = value.map(|start| (len, start)).or(found);
            node = child;
        }
        let (len, start) = found.filter(|&(len, _)| text.is_char_boundary(len))?;
        Some((len, self.text_at(start)?))
    }

    /// The replacement that starts here.
    fn text_at(&self, start: usize) -> Option<&str> {
        let rest = self.replacements.get(start..)?;
        Some(&rest[..rest.find('\0').unwrap_or(rest.len())])
    }

    /// Calls `each` with every character that is a key and what replaces it.
    pub(super) fn each_character(&self, mut each: impl FnMut(char, &str)) {
        // Nodes, and the bytes that lead to them.
        let mut open: Vec<(usize, Vec<u8>)> = vec![(self.root(), Vec::new())];
        while let Some((node, bytes)) = open.pop() {
            let next = if bytes.is_empty() { 0x01..=0xF4 } else { 0x80..=0xBF };
            for byte in next {
                let Some((child, value)) = self.step(node, byte) else { continue };
                let bytes = [&bytes[..], &[byte]].concat();
                match std::str::from_utf8(&bytes).ok().and_then(|text| text.chars().next()) {
                    Some(c) if value.is_some() => {
                        each(c, value.and_then(|at| self.text_at(at)).unwrap_or_default());
                    }
                    None if value.is_none() && bytes.len() < 4 => open.push((child, bytes)),
                    _ => {}
                }
            }
        }
    }

    /// Whether a key starts with this text, or is a part of its start.
    pub(super) fn starts_key(&self, text: &str) -> bool {
        let mut node = self.root();
        for &byte in text.as_bytes() {
            match self.step(node, byte) {
                None => return false,
                Some((_, Some(_))) => return true,
                Some((child, None)) => node = child,
            }
        }
        true
    }

    /// The value of the shortest key that a text starts with.
    fn shortest_key(&self, text: &[u8]) -> Option<usize> {
        let mut node = self.root();
        for &byte in text.iter().take_while(|&&byte| byte != 0) {
            let (child, value) = self.step(node, byte)?;
            if value.is_some() {
                return value;
            }
            node = child;
        }
        None
    }

    fn root(&self) -> usize {
        self.units.first().map_or(0, |&unit| offset(unit))
    }

    /// The node that a byte leads to, and the value of the key that ends there: see Darts-clone, whose format it is.
    fn step(&self, node: usize, byte: u8) -> Option<(usize, Option<usize>)> {
        let at = node ^ usize::from(byte);
        let unit = *self.units.get(at)?;
        if unit & (1 << 31 | 0xFF) != u32::from(byte) {
            return None;
        }
        let child = at ^ offset(unit);
        let has_leaf = unit >> 8 & 1 == 1;
        let value = if has_leaf { Some(self.units.get(child)? & !(1 << 31)) } else { None };
        Some((child, value.map(|value| value as usize)))
    }
}

/// How far the children of a unit are from it.
fn offset(unit: u32) -> usize {
    ((unit >> 10) << ((unit & (1 << 9)) >> 6)) as usize
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

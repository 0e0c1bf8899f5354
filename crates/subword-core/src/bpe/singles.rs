/*!
The ids of every character of three bytes.

Most segments that Chinese is cut into are one character, with at most three ids. They are not looked up in the cache:
a character of three bytes is a number of sixteen bits, which is the index of its ids in a table.

```text
中  E4 B8 AD  ->  4E2D  ->  first . second . third . how many
```
*/

use crate::types::TokenId;

/// How many bytes such a character has, and the most ids that it can have.
pub const SINGLE: usize = 3;

/// The ids of a character, and how many there are.
type SingleIds = [TokenId; SINGLE + 1];

/// How many numbers of sixteen bits there are; some of them are no characters.
const ALL: usize = 1 << 16;

/// The ids of every character of three bytes.
#[derive(Debug)]
pub struct Singles {
    entries: Box<[SingleIds; ALL]>,
}

impl Singles {
    /// Builds the table; `ids_of(i)` are the ids of the i-th character of [`all`].
    pub(super) fn new<'i>(ids_of: impl Fn(usize) -> &'i [TokenId]) -> Singles {
        let entry = |i: usize| {
            let (ids, mut entry) = (ids_of(i), SingleIds::default());
            entry[..ids.len()].copy_from_slice(ids);
            entry[SINGLE] = ids.len() as TokenId;
            entry
        };
        let entries: Box<[SingleIds]> = (0..ALL).map(entry).collect();
        Singles { entries: entries.try_into().expect("an entry for each number") }
    }

    /// Writes the ids of a run of such characters; returns how many there are. `into` has three places for each
    /// character and one more, which may be written too.
    #[inline(always)]
    pub fn write(&self, run: &[u8], into: &mut [TokenId]) -> usize {
        let mut len = 0;
        for &character in run.as_chunks::<SINGLE>().0 {
            let entry = self.entries[number(character)];
            // PERF: all four places are stored at once; the last one is overwritten.
            let Some(places) = into[len..].first_chunk_mut() else { break };
            *places = entry;
            len += entry[SINGLE] as usize;
        }
        len
    }
}

/// All characters of three bytes, one after the other, as a text.
pub(super) fn all() -> Vec<u8> {
    let character = |number: u16| {
        let six = |shift: u32| 0x80 | (number >> shift) as u8 & 0x3F;
        [0xE0 | (number >> 12) as u8, six(6), six(0)]
    };
    (0..=u16::MAX).flat_map(character).collect()
}

#[inline(always)]
fn number([a, b, c]: [u8; SINGLE]) -> usize {
    usize::from(u16::from(a) << 12 | u16::from(b & 0x3F) << 6 | u16::from(c & 0x3F))
}

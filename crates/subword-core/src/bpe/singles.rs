/*!
The ids of every character of three bytes.

Most of the segments that Chinese is cut into are one character, of at most three ids. They need no key
and no look-up that may be in vain: a character is a number, and its ids lie in a table.

```text
中  E4 B8 AD  ->  4E2D  ->  first . second . third . how many
```
*/

use crate::arch::{BLOCK, Classify, SmallNumbers};
use crate::types::TokenId;

/// How many bytes such a character has, and how many ids at most.
pub const SINGLE: usize = 3;

/// The ids of a character, and how many there are.
type Entry = [TokenId; SINGLE + 1];

/// All numbers of sixteen bits, whether they are characters or not.
const ALL: usize = 1 << 16;

/// The ids of every character of three bytes.
#[derive(Debug)]
pub struct Singles {
    entries: Box<[Entry; ALL]>,
    /// How many there are, once more for who only counts.
    numbers: Box<SmallNumbers>,
}

impl Singles {
    /// From the ids of the i-th of [`all`].
    pub(super) fn new<'i>(ids_of: impl Fn(usize) -> &'i [TokenId]) -> Singles {
        let entry = |i: usize| {
            let (ids, mut entry) = (ids_of(i), Entry::default());
            entry[..ids.len()].copy_from_slice(ids);
            entry[SINGLE] = ids.len() as TokenId;
            entry
        };
        let entries: Box<[Entry]> = (0..ALL).map(entry).collect();
        let mut numbers = Box::new([0; ALL / 16]);
        for (i, entry) in entries.iter().enumerate() {
            numbers[i / 16] |= entry[SINGLE] << (2 * (i % 16));
        }
        Singles { entries: entries.try_into().expect("an entry for each number"), numbers }
    }

    /// Writes the ids of a run of such characters, and something behind them; says how many there are.
    /// `into` has three places for each character, and one more.
    #[inline(always)]
    pub fn write(&self, run: &[u8], into: &mut [TokenId]) -> usize {
        let mut len = 0;
        for &character in run.as_chunks::<SINGLE>().0 {
            let entry = self.entries[number(character)];
            // PERF: the fourth place is not needed, and one store of all is shorter.
            let Some(places) = into[len..].first_chunk_mut() else { break };
            *places = entry;
            len += entry[SINGLE] as usize;
        }
        len
    }

    /// How many ids some of the characters have that a block starts with: bit i is the i-th.
    #[inline(always)]
    pub fn number<C: Classify>(&self, block: &[u8; BLOCK], which: u32) -> usize {
        C::sum(block, which, &self.numbers)
    }
}

/// All of them as a text.
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

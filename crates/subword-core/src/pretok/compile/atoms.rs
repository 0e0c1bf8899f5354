/*!
The kinds of characters that a pattern tells apart.

Two characters that are in the same sets of a pattern are the same to it. So all of Unicode falls into a few atoms,
and a set of characters becomes a set of atoms, one bit for each:

```text
\p{L}+|\p{N}|[a-f]+      atoms   a-f . other letters . numbers . everything else
                         \p{L} = atoms 0 and 1        [a-f] = atom 0
```
*/

use std::collections::HashMap;

use super::syntax::{Refused, Sets};

/// How many atoms there may be: the bits of a word, but for the one that stands for the end of the text.
const MOST: usize = 63;

/// How many characters a page of the table has.
const PAGE: usize = 128;

/// A set of atoms: bit i is atom i.
pub(super) type AtomSet = u64;

/// All characters, as ranges of the same atom, and each set of a pattern as atoms.
#[derive(Debug)]
pub(super) struct Atoms {
    /// The first code point of each range, ascending, and its atom.
    ranges: Vec<(u32, u8)>,
    pub(super) sets: Vec<AtomSet>,
    pub(super) count: usize,
}

impl Atoms {
    /// The coarsest partition of all characters that every set respects.
    pub(super) fn of(sets: &Sets) -> Result<Atoms, Refused> {
        let words = sets.0.len().div_ceil(64);
        let mut edges: Vec<(u32, usize)> = Vec::new();
        for (id, set) in sets.0.iter().enumerate() {
            for range in set.ranges() {
                edges.push((range.start() as u32, id));
                edges.push((range.end() as u32 + 1, id));
            }
        }
        edges.sort_unstable();
        let mut members = vec![0u64; words];
        let mut known: HashMap<Vec<u64>, u8> = HashMap::new();
        let mut atoms = Atoms { ranges: Vec::new(), sets: vec![0; sets.0.len()], count: 0 };
        let mut at = 0;
        let mut start = 0;
        while start < 0x11_0000 {
            while let Some(&(edge, id)) = edges.get(at).filter(|(edge, _)| *edge <= start) {
                debug_assert!(edge == start);
                members[id / 64] ^= 1 << (id % 64);
                at += 1;
            }
            let next = known.len();
            let atom = *known.entry(members.clone()).or_insert(next as u8);
            if known.len() > MOST {
                return Err(format!("more than {MOST} kinds of characters"));
            }
            for (id, set) in atoms.sets.iter_mut().enumerate() {
                *set |= (members[id / 64] >> (id % 64) & 1) << atom;
            }
            atoms.ranges.push((start, atom));
            start = edges.get(at).map_or(0x11_0000, |(edge, _)| *edge);
        }
        atoms.count = known.len();
        Ok(atoms)
    }
}

/// The atom of every character, in two levels.
#[derive(Debug)]
pub(super) struct AtomTable {
    /// The first page once more, as an array: its places need no check.
    ascii: [u8; PAGE],
    pages: Vec<u8>,
    /// The page of a character `c`: `index[c / 128]`.
    index: Vec<u16>,
}

impl AtomTable {
    pub(super) fn new(atoms: &Atoms) -> AtomTable {
        let mut all = vec![0u8; 0x11_0000];
        let ends = atoms.ranges.iter().skip(1).map(|(start, _)| *start).chain([0x11_0000]);
        for (&(start, atom), end) in atoms.ranges.iter().zip(ends) {
            all[start as usize..end as usize].fill(atom);
        }
        let mut known: HashMap<&[u8], u16> = HashMap::new();
        let (mut pages, mut index) = (Vec::new(), Vec::with_capacity(all.len() / PAGE));
        let mut last: (&[u8], u16) = (&[], 0);
        for page in all.chunks(PAGE) {
            if page != last.0 {
                let number = *known.entry(page).or_insert_with(|| {
                    pages.extend_from_slice(page);
                    (pages.len() / PAGE - 1) as u16
                });
                last = (page, number);
            }
            index.push(last.1);
        }
        let ascii = *pages.first_chunk().expect("there is a first page");
        AtomTable { ascii, pages, index }
    }

    /// The atom of a code point.
    #[inline(always)]
    pub(super) fn of(&self, code: u32) -> usize {
        let page = usize::from(self.index[(code >> 7) as usize]);
        usize::from(self.pages[page << 7 | (code & 127) as usize])
    }

    /// The atom of an ASCII character.
    #[inline(always)]
    pub(super) fn of_ascii(&self, byte: u8) -> usize {
        usize::from(self.ascii[usize::from(byte) % PAGE])
    }
}

/*!
The pieces of a table in the order of their bytes.

Entries are sorted by their first eight bytes as a number, which nearly always decides, and by the whole
piece where these are equal. Sorting moves 16 bytes per piece: that number, and the place of the entry.
*/

use super::table::CountTable;
use crate::error::Result;
use crate::interrupt;
use crate::types::Count;

/// The memory that sorting takes per piece, in bytes.
pub(super) const BYTES_PER_PIECE: usize = size_of::<(u64, u64)>();

/// Calls `entry` with each piece and its count, in the order of the pieces' bytes.
pub(super) fn for_each(
    table: &CountTable,
    mut entry: impl FnMut(&[u8], Count) -> Result<()>,
) -> Result<()> {
    let mut places = table.places();
    interrupt::sort_by(&mut places, |&(one, a), &(two, b)| {
        one.cmp(&two).then_with(|| {
            let (mut left, mut right) = ([0; 24], [0; 24]);
            table.entry(a, &mut left).0.cmp(table.entry(b, &mut right).0)
        })
    })?;
    for (_, place) in places {
        let mut bytes = [0; 24];
        let (piece, count) = table.entry(place, &mut bytes);
        interrupt::worked(piece.len())?;
        entry(piece, count)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn pieces_come_in_the_order_of_their_bytes() {
        let mut random = Random::new(7);
        let mut table = CountTable::default();
        let mut expected = std::collections::BTreeMap::new();
        for _ in 0..5000 {
            let len = 1 + random.below(40);
            let piece: Vec<u8> =
                (0..len).map(|_| [0, 0, 0, b'a', b'b', 0xFF][random.below(6)]).collect();
            table.add(table.prefetch(&piece, 0, len), &piece, 1);
            *expected.entry(piece).or_insert(0) += 1;
        }
        let mut found = Vec::new();
        for_each(&table, |piece, count| {
            found.push((piece.to_vec(), count));
            Ok(())
        })
        .unwrap();
        assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
    }
}

/*!
How the work on places and cells is shared out over threads.

```text
places of a pair     3 9 14 | 61 70 | 88 90 95      a part for each thread, with the cells around its places
cells                . . . . . | . . . . . . | .     which no other part reads or writes
```

A part is worked on as the whole would be, and what the parts give is put together in their order: sums of counts are
whole numbers, and places stay sorted. So no result depends on the number of threads. Most pairs have so few places that
another thread would not pay; most of the work is on the pairs that have many.
*/

use std::ops::Range;

/// How many places or cells a part has at least. To start a thread takes about as long as a few thousand places. In
/// tests it is almost none, so that they see many parts.
const LEAST: usize = if cfg!(test) { 2 } else { 1 << 13 };

/// The most parts for `len` places or cells.
pub(super) fn parts(len: usize, threads: usize) -> usize {
    (len / LEAST).clamp(1, threads.max(1))
}

/// The parts of `len` blocks of `size` cells each.
pub(super) fn ranges(len: usize, size: usize, threads: usize) -> Vec<Range<usize>> {
    let parts = parts(len * size, threads);
    (0..parts).map(|part| len * part / parts..len * (part + 1) / parts).collect()
}

/// The parts of some pieces, about as many tokens in each, by where each piece ends.
pub(super) fn pieces(ends: &[u32], some: Range<usize>, threads: usize) -> Vec<Range<usize>> {
    let before = |piece: usize| piece.checked_sub(1).map_or(0, |last| ends[last] as usize);
    let (first, tokens) = (before(some.start), before(some.end) - before(some.start));
    let parts = parts(tokens, threads);
    let cut = |part: usize| {
        let enough = |&end: &u32| end as usize <= first + tokens * part / parts;
        some.start + ends[some.clone()].partition_point(enough)
    };
    let start = |part| if part == 0 { some.start } else { cut(part) };
    let end = |part| if part + 1 == parts { some.end } else { cut(part + 1) };
    (0..parts).map(|part| start(part)..end(part)).collect()
}

/// Where each part of sorted places begins, and behind the last where it ends. Two places beside each other are in the
/// same part if the second is at most `reach` cells behind the first.
pub(super) fn cuts(places: &[u32], reach: usize, threads: usize) -> Vec<usize> {
    let parts = parts(places.len(), threads);
    let mut cuts = vec![0];
    for part in 1..parts {
        let from = (places.len() * part / parts).max(cuts[part - 1] + 1);
        let apart = |at: &usize| places[*at] as usize > places[at - 1] as usize + reach;
        match (from..places.len()).find(apart) {
            Some(cut) => cuts.push(cut),
            None => break,
        }
    }
    cuts.push(places.len());
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_place_of_a_part_reaches_into_the_next() {
        let places = [1, 3, 5, 7, 20, 22, 30, 31, 40];
        assert_eq!(cuts(&places, 1, 1), [0, 9]);
        assert_eq!(cuts(&places, 1, 2), [0, 4, 9]);
        assert_eq!(cuts(&places, 2, 3), [0, 4, 6, 9]);
        assert_eq!(cuts(&places, 2, 4), [0, 4, 6, 8, 9]);
        assert_eq!(cuts(&places, 50, 4), [0, 9]);
        assert_eq!(cuts(&[], 1, 4), [0, 0]);
        assert_eq!(pieces(&[3, 4, 4, 9, 12], 0..5, 2), [0..3, 3..5]);
        assert_eq!(pieces(&[3, 4, 4, 9, 12], 1..5, 3), [1..3, 3..4, 4..5]);
        assert_eq!(pieces(&[3], 1..1, 2).first(), Some(&(1..1)));
        assert_eq!(pieces(&[], 0..0, 2).first(), Some(&(0..0)));
        assert_eq!(ranges(10, 1, 3), [0..3, 3..6, 6..10]);
        assert_eq!(ranges(3, 1, 3).first(), Some(&(0..3)));
    }
}

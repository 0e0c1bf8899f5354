/*!
The work at the places of a pair: where does it still stand, and what becomes of it when it is merged?

```text
keep    a+b at 3, 9, 14    another merge took the b at 9      3, 14, and the sum of their counts
merge   x a b y            ->  x c . y                        x and y are added up, and 3 is kept with both
```

Two fifths of merging are in these two loops, and as much in counting all pairs. A pair with many places is shared out over threads (`sharing`).
*/

use super::cells::{BLOCK, Cells, TokenCell};
use super::neighbours::MergedPlaces;
use super::sharing;
use crate::error::Result;
use crate::mem;
use crate::parallel;
use crate::types::Count;

/// How many places ahead of the one that is read are prefetched.
const AHEAD: usize = 12;

/// Moves the places where the pair still stands to the front, in their order. Returns how many there are, and the sum
/// of their counts.
pub(super) fn keep<C: TokenCell>(
    cells: &Cells<C>,
    pair: (C, C),
    places: &mut [u32],
    threads: usize,
) -> Result<(usize, Count)> {
    let parts = sharing::parts(places.len(), threads);
    if parts == 1 {
        return Ok(keep_part(cells, pair, places));
    }
    let size = places.len().div_ceil(parts);
    let chunks = places.chunks_mut(size).collect();
    let found = parallel::each(chunks, |part| Ok(keep_part(cells, pair, part)))?;
    let (mut kept, mut sum) = (0, 0);
    for (part, (len, count)) in found.into_iter().enumerate() {
        places.copy_within(part * size..part * size + len, kept);
        kept += len;
        sum += count;
    }
    Ok((kept, sum))
}

fn keep_part<C: TokenCell>(
    cells: &Cells<C>,
    (left, right): (C, C),
    places: &mut [u32],
) -> (usize, Count) {
    let width = cells.widths[left.index()] as usize;
    let (mut kept, mut sum) = (0, 0);
    for i in 0..places.len() {
        let at = places[i];
        let ahead = places.get(i + AHEAD).copied().unwrap_or(at);
        mem::prefetch(&cells.cells[ahead as usize]);
        let here = cells.is_at(at as usize, left, right, width);
        places[kept] = at;
        kept += usize::from(here);
        sum += if here { cells.count(at as usize) } else { 0 };
    }
    (kept, sum)
}

/// Some of the places of a pair, for one thread.
struct MergePart<'p, C> {
    places: &'p [u32],
    /// The cells from `first` on, as far as the pair and its neighbours reach.
    cells: &'p mut [C],
    first: usize,
    merged: &'p mut MergedPlaces<C>,
}

/// Replaces the pair by `new`, a token that `cells` knows, at all places where it still stands. What it found is in the
/// first of `merged`; the others are for the other threads.
pub(super) fn merge<C: TokenCell>(
    cells: &mut Cells<C>,
    pair: (C, C),
    new: C,
    places: &[u32],
    merged: &mut Vec<MergedPlaces<C>>,
    threads: usize,
) -> Result<()> {
    let [width, whole] = [pair.0, new].map(|cell| cells.widths[cell.index()] as usize);
    let tokens = cells.widths.len();
    let (mut rest, counts) = cells.cells_and_counts();
    let mut first = 0;
    if sharing::parts(places.len(), threads) == 1 {
        merged[0].clear(tokens);
        let part = MergePart { places, cells: rest, first, merged: &mut merged[0] };
        merge_part(part, counts, pair, new, [width, whole]);
        return Ok(());
    }
    // A merge reads the cell behind the pair, and the next one reads the cell before it.
    let cuts = sharing::cuts(places, whole + 1, threads);
    let parts = cuts.len() - 1;
    if merged.len() < parts {
        merged.resize_with(parts, MergedPlaces::default);
    }
    let part = |(cut, merged): (&[usize], _)| {
        let end = places.get(cut[1]).map_or(first + rest.len(), |&at| at as usize - 1);
        let (cells, others) = std::mem::take(&mut rest).split_at_mut(end - first);
        rest = others;
        let first = std::mem::replace(&mut first, end);
        MergePart { places: &places[cut[0]..cut[1]], cells, first, merged }
    };
    let shares: Vec<_> = cuts.windows(2).zip(merged.iter_mut()).map(part).collect();
    parallel::each(shares, |part| {
        part.merged.clear(tokens);
        merge_part(part, counts, pair, new, [width, whole]);
        Ok(())
    })?;
    if let Some((sum, others)) = merged[..parts].split_first_mut() {
        others.iter_mut().for_each(|other| sum.take(other));
    }
    Ok(())
}

fn merge_part<C: TokenCell>(
    MergePart { places, cells, first, merged }: MergePart<'_, C>,
    counts: &[Count],
    (left, right): (C, C),
    new: C,
    [width, whole]: [usize; 2],
) {
    for (i, &at) in places.iter().enumerate() {
        let ahead = places.get(i + AHEAD).copied().unwrap_or(at);
        mem::prefetch(&cells[ahead as usize - first]);
        let here = at as usize - first;
        // Of overlapping places, as in `aaa`, the first was merged and the second is gone.
        if cells[here] != left || cells[here + width] != right {
            continue;
        }
        let (before, after) = (cells[here - 1], cells[here + whole]);
        (cells[here + width - 1], cells[here + width]) = (C::default(), C::default());
        (cells[here], cells[here + whole - 1]) = (new, new);
        merged.add(at, before, after, counts[at as usize / BLOCK]);
    }
}

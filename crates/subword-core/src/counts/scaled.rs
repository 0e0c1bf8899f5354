/*!
Counts times a fraction: how a corpus weighs more or less in a mixture.

```text
low 5, lower 2   times 7/10   ->   low 4 (3.5 is rounded up), lower 1 (1.4)
```

Counts stay whole numbers: each is multiplied exactly and rounded, a half upwards. A piece whose count becomes 0
is gone. So the result depends on the counts and the fraction alone, and counts on disk give what counts in memory
give.
*/

use super::{Counts, OVERFLOW, PieceStore, SortedRun, runs};
use crate::error::{Error, Result};
use crate::types::Count;

impl Counts {
    /// Every count times a fraction. The denominator is not 0.
    pub fn scaled(&self, numerator: u64, denominator: u64) -> Result<Counts> {
        let scaled = |count| times(count, numerator, denominator);
        let mut counts = self.like();
        match &self.pieces {
            PieceStore::Memory { table, .. } => {
                table.for_each(|piece, count| counts.add_piece(piece, scaled(count)?))?;
            }
            PieceStore::Disk(run) => {
                let mut reader = run.read()?;
                counts.pieces = PieceStore::Disk(SortedRun::write(&self.header, |writer| {
                    while let Some((piece, count)) = reader.next()? {
                        match scaled(count)? {
                            0 => {}
                            count => writer.push(piece, count).map_err(runs::disk)?,
                        }
                    }
                    Ok(())
                })?);
            }
        }
        Ok(counts)
    }
}

/// A count times a fraction, a half rounded up.
fn times(count: Count, numerator: u64, denominator: u64) -> Result<Count> {
    let denominator = u128::from(denominator);
    let product = u128::from(count) * u128::from(numerator);
    let half = u128::from(product % denominator * 2 >= denominator);
    Count::try_from(product / denominator + half).map_err(|_| Error::counts(OVERFLOW))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_half_is_rounded_up_and_nothing_overflows_unseen() {
        assert_eq!(times(5, 7, 10), Ok(4));
        assert_eq!(times(2, 7, 10), Ok(1));
        assert_eq!(times(1, 1, 3), Ok(0));
        assert_eq!(times(u64::MAX, u64::MAX, u64::MAX), Ok(u64::MAX));
        assert_eq!(times(u64::MAX - 1, 1, u64::MAX), Ok(1));
        assert_eq!(times(1 << 63, 2, 1), Err(Error::counts(OVERFLOW)));
    }
}

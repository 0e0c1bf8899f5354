/*!
The public calls of training: counts and settings in, a model and a log out.

```text
train_bpe         Counts, BpeSettings       -> Trained
train_wordpiece   Counts, WordPieceSettings -> Trained
```

A training has two steps, [`BpeTraining`] and [`WordPieceTraining`] show both: `new` checks the
settings and turns the counted pieces into tokens, after which the counts are no longer needed; `run`
learns. How both work is in `train`.
*/

pub use crate::train::bpe::{BpeSettings, BpeTraining, TargetSize, TrainingStart};
pub use crate::train::merges::{Effort, Learned, LearnedMerge, Score, Stop, Ties};
pub use crate::train::wordpiece::{WordPieceSettings, WordPieceTraining};
pub use crate::train::{Trained, no_pieces};

use crate::counts::Counts;
use crate::error::Result;

/// Called during a training with the number of merges so far and the number that there will be at
/// most. An error that it returns ends the training.
pub type WatchMerges<'a> = &'a mut dyn FnMut(usize, usize) -> Result<()>;

/// Trains a BPE model on counted pieces.
pub fn train_bpe(
    counts: &Counts,
    settings: &BpeSettings<'_>,
    watch: WatchMerges<'_>,
) -> Result<Trained> {
    BpeTraining::new(counts, settings)?.run(watch)
}

/// Trains a WordPiece model on counted words.
pub fn train_wordpiece(
    counts: &Counts,
    settings: &WordPieceSettings,
    watch: WatchMerges<'_>,
) -> Result<Trained> {
    WordPieceTraining::new(counts, settings)?.run(watch)
}

/*!
The public calls of training: counts and settings in, a model and a log out.

```text
train_bpe         Counts, BpeSettings       -> Trained
train_wordpiece   Counts, WordPieceSettings -> Trained
train_unigram     Counts, UnigramSettings   -> Trained
```

A training has two steps. [`prepare_bpe`], [`prepare_wordpiece`] and [`prepare_unigram`] check the settings and turn the counted
pieces into tokens, after which the counts are no longer needed; [`Training::run`] learns. How both work is in
`train`.
*/

pub use crate::train::alphabet::Alphabet;
pub use crate::train::bpe::{
    BpeSettings, Superwords, TargetSize, TrainingStart, prepare as prepare_bpe,
};
pub use crate::train::merges::{Control, Effort, Learned, LearnedMerge, Score, Stop, Ties};
pub use crate::train::unigram::{UnigramSettings, UnigramTraining, prepare as prepare_unigram};
pub use crate::train::wordpiece::{WordPieceSettings, prepare as prepare_wordpiece};
pub use crate::train::{Trained, Training, WatchMerges, no_pieces};

use crate::counts::Counts;
use crate::error::Result;

/// Trains a BPE model on counted pieces.
pub fn train_bpe(
    counts: &Counts,
    settings: &BpeSettings<'_>,
    watch: WatchMerges<'_>,
) -> Result<Trained> {
    prepare_bpe(counts, settings)?.run(watch, &mut ())
}

/// Trains a WordPiece model on counted words.
pub fn train_wordpiece(
    counts: &Counts,
    settings: &WordPieceSettings,
    watch: WatchMerges<'_>,
) -> Result<Trained> {
    prepare_wordpiece(counts, settings)?.run(watch, &mut ())
}

/// Trains a Unigram model on counted words.
pub fn train_unigram(
    counts: &Counts,
    settings: &UnigramSettings,
    watch: WatchMerges<'_>,
) -> Result<Trained> {
    prepare_unigram(counts, settings)?.run(watch)
}

/*!
Training: counted pieces and settings in, a [`Model`] and a log out.

```text
bpe         pieces -> bytes, characters or the tokens of a base -> merges -> Model
wordpiece   words -> characters, with and without prefix        -> merges -> Model
merges      pieces as tokens, with counts                       -> merges and the tokens they make
```

`bpe` and `wordpiece` decide what a piece starts as, which ids tokens get and what the model is;
`merges` is the loop that both share. The public calls are in `trainer`.

The result depends on the counts and the settings alone: not on the order of the pieces, nor on how
the corpus was counted.
*/

mod alphabet;
pub mod bpe;
pub mod merges;
pub mod wordpiece;

use crate::counts::Counts;
use crate::error::{Error, Result};
use crate::interrupt;
use crate::model::Model;
use crate::types::Count;
use merges::Learned;

/// Preparing one piece is about as much work as reading this many bytes of text; see `interrupt`.
const PIECE_WORK: usize = 64;

/// A model and how it came about.
#[derive(Debug)]
pub struct Trained {
    /// The model.
    pub model: Model,
    /// The merges in their order, with their counts, and what learning them took.
    pub learned: Learned,
}

/// Calls `each` with every piece and its count.
fn each_piece(counts: &Counts, mut each: impl FnMut(&[u8], Count) -> Result<()>) -> Result<()> {
    counts.for_each(|piece, count| {
        interrupt::worked(PIECE_WORK)?;
        each(piece, count)
    })
}

/// The error of a training that has no piece to learn from.
pub fn no_pieces() -> Error {
    Error::training("there are no pieces to learn from")
        .with_hint("an empty corpus, or one of special tokens alone, has none")
}

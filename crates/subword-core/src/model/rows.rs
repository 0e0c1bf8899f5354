/*!
How texts become the rows of a batch where the caller says nothing: what a `tokenizer.json` saves of truncation and
padding.

Nothing here changes the ids of a text. `encode_inputs` asks for it, and the arguments of a call win.
*/

use crate::types::TokenId;

/// What a file saves about rows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RowDefaults {
    /// How long rows are cut.
    pub truncation: Option<Truncation>,
    /// How short rows are made longer.
    pub padding: Option<Padding>,
}

/// How long rows are cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Truncation {
    /// The most ids of a row, template included.
    pub max_length: usize,
    /// Which of two texts is cut.
    pub strategy: TruncationStrategy,
    /// How many ids a window has in common with the one before it.
    pub stride: usize,
    /// At which end a text is cut.
    pub side: Side,
}

/// Which of two texts is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TruncationStrategy {
    /// The longer one, until they fit.
    LongestFirst,
    /// The first.
    OnlyFirst,
    /// The second.
    OnlySecond,
}

/// An end of a text or a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Where it starts.
    Left,
    /// Where it ends.
    Right,
}

/// How short rows are made longer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Padding {
    /// As long as this; none: as long as the longest row of the batch.
    pub length: Option<usize>,
    /// At which end.
    pub side: Side,
    /// The length of rows is a multiple of this.
    pub multiple: Option<usize>,
    /// What a row is filled up with. It need not be the id of a token.
    pub id: TokenId,
    /// The type of these ids.
    pub type_id: u32,
    /// The token that the file names for them.
    pub token: String,
}

impl RowDefaults {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        *self == RowDefaults::default()
    }

    /// The same with other ids.
    pub(crate) fn renumbered(&self, number: impl Fn(TokenId) -> TokenId) -> RowDefaults {
        let mut rows = self.clone();
        if let Some(padding) = &mut rows.padding {
            padding.id = number(padding.id);
        }
        rows
    }
}

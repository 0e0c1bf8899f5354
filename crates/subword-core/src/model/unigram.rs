/*!
A Unigram model, as plain data: what the vocabulary does not say.

Every entry of the model has an index, which is its id, and a score. Scores are numbers of 64 bits whose last bit
matters: sums of them are compared, and ties are common. So a score is its bits.

```text
entries   ["<unk>", 0.0], ["a", -1.5], ["b", -2.0], ["a", -3.0]
vocab     <unk> 0, b 2, a 3          an entry that is there twice: the last one counts
scores    0.0, -1.5, -2.0, -3.0
shadowed  1: a
```
*/

use std::collections::BTreeMap;

use crate::json::decimal;
use crate::types::TokenId;

/// What a Unigram model has besides its vocabulary.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UnigramOptions {
    /// The score of every entry, by id.
    pub scores: Vec<Score>,
    /// The entry of what has no token; without it that is an error.
    pub unk: Option<TokenId>,
    /// What has no token is its bytes, as `<0x0A>`, if all of them are tokens.
    pub byte_fallback: bool,
    /// The entries that no text becomes, because a later one is spelled alike, or because they are empty.
    pub shadowed: BTreeMap<TokenId, String>,
}

/// A score: the bits of a number, which is finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Score(u64);

impl Score {
    /// The score of this value; none if it is not finite.
    pub fn new(value: f64) -> Option<Score> {
        value.is_finite().then_some(Score(value.to_bits()))
    }

    /// The scores of these values, or of neighbours that the reader of Hugging Face's library can read; none if one
    /// is not finite.
    pub fn readable(values: &[f64]) -> Option<Vec<Score>> {
        let score = |&value: &f64| Score::new(value).and(Score::new(decimal::readable(value)));
        values.iter().map(score).collect()
    }

    /// The number.
    pub fn value(self) -> f64 {
        f64::from_bits(self.0)
    }
}

impl UnigramOptions {
    /// The lowest score of all entries.
    pub fn lowest(&self) -> f64 {
        self.scores.iter().map(|score| score.value()).fold(f64::INFINITY, f64::min)
    }
}

/*!
Training: counted pieces and settings in, a [`Model`] and a log out.

```text
bpe         pieces -> bytes, characters or the tokens of a base -> merges -> Model
wordpiece   words -> characters, with and without prefix        -> merges -> Model
unigram     words -> substrings, pruned                                   -> Model
merges      pieces as tokens, with counts                       -> merges and the tokens they make
```

`bpe` and `wordpiece` decide what a piece starts as, which ids tokens get and what the model is;
`merges` is the loop that both share. The public calls are in `trainer`.

The result depends on the counts and the settings alone: not on the order of the pieces, nor on how
the corpus was counted.
*/

pub mod alphabet;
pub mod bpe;
pub mod merges;
mod metaspace;
pub mod unigram;
pub mod wordpiece;

use crate::counts::Counts;
use crate::error::{Error, Result};
use crate::interrupt;
use crate::model::{Merges, Model, SpecialToken};
use crate::types::Count;
use merges::{Control, Learned, MergeRules, TrainingWords};
use std::time::Duration;

/// Preparing one piece is about as much work as reading this many bytes of text; see `interrupt`.
const PIECE_WORK: usize = 64;

/// A training that is ready to run and does not need the counts any more.
#[derive(Debug)]
pub struct Training {
    /// The model so far. Its tokens are those that pieces start as.
    model: Model,
    /// The pieces, as these tokens.
    words: TrainingWords,
    /// What to learn.
    rules: MergeRules,
    /// Special tokens that get the ids after all other tokens.
    special_tokens: Vec<String>,
    /// The special token among them that stands for what has no token.
    unk_token: Option<String>,
    /// Tokens that the vocabulary must have; see `bpe::required`.
    required: Vec<Vec<u8>>,
    /// How long it took to prepare.
    prepared: Duration,
}

/// Called with how many merges there are, and how many there will be at most. An error ends the training.
pub type WatchMerges<'a> = &'a mut dyn FnMut(usize, usize) -> Result<()>;

impl Training {
    /// Learns the merges and completes the model.
    pub fn run(self, watch: WatchMerges<'_>, control: &mut dyn Control) -> Result<Trained> {
        let Training { mut model, words, rules, special_tokens, unk_token, required, prepared } =
            self;
        let most = rules.merges.min(rules.tokens);
        let mut watch = |done| watch(done, most);
        let base = (!required.is_empty()).then(|| model.clone());
        let mut learned = merges::learn(words, &mut model.vocab, &rules, &mut watch, control)?;
        if let Some(base) = base {
            model = bpe::required::complete(&base, &mut learned, &required, &rules)?;
        }
        learned.effort.index += prepared;
        // WordPiece keeps nothing of the merges but what they make.
        if model.as_word_piece().is_none()
            && let Merges::Listed(pairs) = &mut model.merges
        {
            pairs.extend(learned.merges.iter().map(|merge| merge.pair));
        }
        add_special_tokens(&mut model, &special_tokens);
        if let Some(unk) = &unk_token {
            let token = model.special_tokens.iter().find(|token| token.content == *unk);
            model.start.unk = token.map(|token| token.id);
        }
        Ok(Trained { model: model.checked()?, learned })
    }
}

/// Gives the special tokens that have no id yet the ids after all tokens.
fn add_special_tokens(model: &mut Model, wanted: &[String]) {
    for content in wanted {
        if model.special_tokens.iter().all(|token| token.content != *content) {
            let id = model.vocab.id_of(content.as_bytes()).unwrap_or(model.id_limit());
            model.special_tokens.push(SpecialToken::new(content.clone(), id));
            model.special_tokens.sort_by_key(|token| token.id);
        }
    }
}

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

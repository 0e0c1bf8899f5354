/*!
Everything that a trained tokenizer is, as plain data.

A model says *what* to compute, never how fast: caches, tables and threads belong to the tokenizer that is
built from it. Training makes models, formats read and write them, and `canonical` checks that the parts of a
model fit together. Nothing here runs on text.

| file         | what it holds                                                              |
|--------------|----------------------------------------------------------------------------|
| `pattern`    | how text is cut into pieces; the patterns that have a name                 |
| `normalizer` | what happens to text before it is cut, and the names of normalisers        |
| `start`      | how a piece becomes its first tokens: bytes, characters, marks, unk        |
| `encoder`    | how a piece becomes ids: merges, the longest tokens, WordPiece             |
| `chain`      | the steps of a `tokenizer.json` that none of the others describes          |
| `pieces`     | what a SentencePiece model says                                            |
| `unigram`    | the scores of a Unigram model                                              |
| `template`   | the ids around one text, and around and between two                        |
| `rows`       | truncation and padding that a file saves                                   |
| `output`     | which white space offsets leave out, and how ids become text               |
*/

mod chain;
mod encoder;
mod normalizer;
mod output;
mod pattern;
mod pieces;
mod rows;
mod start;
mod template;
mod unigram;

use std::sync::Arc;

use crate::types::{Pair, TokenId};
use crate::vocab::Vocab;

pub use crate::bert::Bert;
pub use chain::{
    Behavior, BpeOptions, Chain, ChainModel, ChainSource, DecoderStep, Matcher, NormalizerStep,
    PreTokenizerStep, PrependScheme,
};
pub(crate) use encoder::check_encoder;
pub use encoder::{Encoder, Unknown, WordLimit, WordPiece};
pub use normalizer::Normalizer;
pub use output::{Decoder, TrimOffsets};
pub(crate) use pattern::escaped_character;
pub use pattern::{Named, Pattern};
pub use pieces::{PieceKind, PieceModel, PieceRule, PieceSettings};
pub use rows::{Padding, RowDefaults, Side, Truncation, TruncationStrategy};
pub(crate) use start::check_start;
pub use start::{EndOfWord, Start, Units};
pub use template::{Content, Template, TemplateSlot};
pub use unigram::{Score, UnigramOptions};

/// The longest special token that a model may have, in bytes.
pub(crate) const MAX_SPECIAL_BYTES: usize = 1024;

/// The most merges that a model may list: a rank has 22 bits, and two values mean something else.
pub(crate) const MAX_MERGES: usize = (1 << 22) - 2;

/// A tokenizer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// The tokens that merging starts from and those that it makes.
    pub vocab: Vocab,
    /// How a piece becomes its first tokens.
    pub start: Start,
    /// How a piece becomes ids.
    pub encoder: Encoder,
    /// Which pairs merge, and in which order.
    pub merges: Merges,
    /// A whole piece that is a token is that token, whatever the merges say.
    pub ignore_merges: bool,
    /// How text is cut into pieces.
    pub pattern: Pattern,
    /// What happens to text before it is cut.
    pub normalizer: Normalizer,
    /// The strings that bypass merging, by rising id.
    pub special_tokens: Vec<SpecialToken>,
    /// The ids that are put around a text when the caller asks for it.
    pub template: Template,
    /// How texts become rows where the caller does not say it.
    pub rows: RowDefaults,
    /// Which white space the offsets of tokens leave out.
    pub trim_offsets: TrimOffsets,
    /// How ids become text.
    pub decoder: Decoder,
    /// The steps that are run instead, for a tokenizer that no fast path runs.
    pub chain: Option<Arc<Chain>>,
}

/// Which pairs merge, and in which order: BPE has two meanings in published files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merges {
    /// Any two tokens whose concatenation is a token; the lowest id first (tiktoken).
    Ranked,
    /// These pairs only, the first has the lowest rank (Hugging Face). Several may make the same
    /// token.
    Listed(Vec<Pair>),
}

/// A string that bypasses merging.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecialToken {
    /// Its text.
    pub content: String,
    /// Its id.
    pub id: TokenId,
    /// Matched in every text, whatever the caller says about special tokens: a word that was added to the
    /// vocabulary, not a control token.
    pub always: bool,
    /// Swallows the white space before it.
    pub lstrip: bool,
    /// Swallows the white space after it.
    pub rstrip: bool,
    /// Matches only between characters that are not part of a word.
    pub single_word: bool,
    /// Matched after normalisation, not before.
    pub normalized: bool,
}

impl SpecialToken {
    /// A control token, matched as it is written.
    pub fn new(content: impl Into<String>, id: TokenId) -> Self {
        SpecialToken {
            content: content.into(),
            id,
            always: false,
            lstrip: false,
            rstrip: false,
            single_word: false,
            normalized: false,
        }
    }
}

impl Model {
    /// A byte-level model without normaliser and template.
    pub fn new(
        vocab: Vocab,
        merges: Merges,
        pattern: Pattern,
        special_tokens: Vec<SpecialToken>,
    ) -> Self {
        Model {
            vocab,
            start: Start::default(),
            encoder: Encoder::Merge,
            merges,
            ignore_merges: false,
            pattern,
            normalizer: Normalizer::None,
            special_tokens,
            template: Template::default(),
            rows: RowDefaults::default(),
            trim_offsets: TrimOffsets::default(),
            decoder: Decoder::default(),
            chain: None,
        }
    }

    /// The bytes of a token, special or not. Of special tokens that share an id it is the first.
    pub fn token_bytes(&self, id: TokenId) -> Option<&[u8]> {
        let shadowed = || self.chain.as_ref()?.shadowed(id).map(str::as_bytes);
        let special = || Some(self.special_token(id)?.content.as_bytes());
        self.vocab.bytes_of(id).or_else(special).or_else(shadowed)
    }

    /// The special token with this id; the first, if there are several.
    pub fn special_token(&self, id: TokenId) -> Option<&SpecialToken> {
        let at = self.special_tokens.partition_point(|token| token.id < id);
        self.special_tokens.get(at).filter(|token| token.id == id)
    }

    /// Two special tokens with the same id, if there are any. Of all formats only our own holds them.
    pub(crate) fn same_id(&self) -> Option<(&SpecialToken, &SpecialToken)> {
        let two = self.special_tokens.windows(2).find(|two| two[0].id == two[1].id)?;
        Some((&two[0], &two[1]))
    }

    /// One more than the largest id, special tokens included.
    pub fn id_limit(&self) -> TokenId {
        let special = self.special_tokens.last().map_or(0, |token| token.id + 1);
        let entries = self.chain.as_ref().and_then(|chain| chain.as_unigram());
        let entries = entries.map_or(0, |options| options.scores.len() as TokenId);
        self.vocab.id_limit().max(special).max(entries)
    }
}

/*!
The plain chain: what a `tokenizer.json` says step by step, as data.

```text
text -> added tokens -> normalizer steps -> added tokens -> pre-tokenizer steps -> model -> ids -> decoder steps -> text
```

A model has a chain if none of the fast paths computes the same. Then the chain alone says how text is normalised,
cut, encoded and decoded, and of the other fields of a [`Model`](super::Model) only the vocabulary, the merges, the
special tokens, the template and `ignore_merges` count. `chain` runs it. A Sequence in a file is its parts in a
row, however deep they are nested, so a chain has lists and no tree.

The components are also kept as the file writes them, so that saving loses no setting, not even one
without effect.
*/

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Model, PieceModel, PieceSettings, SpecialToken, UnigramOptions};
use crate::bert::Bert;
use crate::error::{Error, Result};
use crate::types::TokenId;
use crate::vocab::Vocab;

/// The steps of a tokenizer that no fast path runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    /// What changes the text, in order.
    pub normalizer: Vec<NormalizerStep>,
    /// What cuts the text, in order; some steps change it too.
    pub pre_tokenizer: Vec<PreTokenizerStep>,
    /// How a piece becomes tokens.
    pub model: ChainModel,
    /// What takes white space out of offsets, in order: each says whether a single space at the very start stays
    /// (`add_prefix_space`).
    pub trims: Vec<bool>,
    /// What makes text of tokens, in order; none: the tokens with spaces between them.
    pub decoder: Option<Vec<DecoderStep>>,
    /// The added tokens that are searched for in another form than their own, because normalisation
    /// changes them. Decoding gives that form, too.
    pub normalized_tokens: BTreeMap<String, String>,
    /// The components as the file writes them.
    pub source: ChainSource,
}

/// Components as JSON, without white space between their parts; `null` where there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainSource {
    /// The normalizer.
    pub normalizer: String,
    /// The pre-tokenizer.
    pub pre_tokenizer: String,
    /// The post-processor.
    pub post_processor: String,
    /// The decoder.
    pub decoder: String,
}

/// What is searched for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Matcher {
    /// This text.
    Text(String),
    /// A regular expression, in the spelling of our engine.
    Regex(String),
}

/// A step that changes text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NormalizerStep {
    /// Canonical composition.
    Nfc,
    /// Canonical decomposition.
    Nfd,
    /// Compatibility composition.
    Nfkc,
    /// Compatibility decomposition.
    Nfkd,
    /// Every character in lower case.
    Lowercase,
    /// Without combining marks.
    StripAccents,
    /// Without white space at the ends.
    Strip {
        /// At the start.
        left: bool,
        /// At the end.
        right: bool,
    },
    /// Every match becomes this text.
    Replace {
        /// What is replaced.
        pattern: Matcher,
        /// What stands there afterwards.
        content: String,
    },
    /// This text before every text that is not empty.
    Prepend(String),
    /// Without control characters, and every kind of space is one: as Google's translation system has it.
    Nmt,
    /// The character map of a SentencePiece model, as its bytes.
    Precompiled(Vec<u8>),
    /// BERT's.
    Bert(Bert),
    /// Every byte a character of GPT-2's alphabet.
    ByteLevel,
    /// All that a SentencePiece model does to a text.
    SentencePiece(Arc<PieceSettings>),
}

/// What becomes of the matches of a pattern that cuts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behavior {
    /// They are dropped.
    Removed,
    /// Each is a piece.
    Isolated,
    /// They end the piece before them.
    MergedWithPrevious,
    /// They start the piece after them.
    MergedWithNext,
    /// Several in a row are one piece.
    Contiguous,
}

/// When Metaspace puts its character before a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrependScheme {
    /// At the start of the whole text.
    First,
    /// Nowhere.
    Never,
    /// At the start of every piece.
    Always,
}

/// A step that cuts text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PreTokenizerStep {
    /// Every byte a character of GPT-2's alphabet.
    ByteLevel {
        /// A piece that does not start with a space gets one.
        add_prefix_space: bool,
        /// Cut by GPT-2's pattern first.
        use_regex: bool,
    },
    /// `\w+|[^\w\s]+`; the rest is dropped.
    Whitespace,
    /// White space cuts and is dropped.
    WhitespaceSplit,
    /// The same, and every punctuation mark is a piece.
    Bert,
    /// Every space becomes `replacement`, which starts a piece if `split`.
    Metaspace {
        /// The character that stands for a space.
        replacement: char,
        /// When it is put before a text.
        scheme: PrependScheme,
        /// Whether it cuts.
        split: bool,
    },
    /// Cut at punctuation marks.
    Punctuation(Behavior),
    /// Cut at numbers.
    Digits {
        /// Each digit is a piece.
        individual: bool,
    },
    /// This character cuts and is dropped.
    Delimiter(char),
    /// Cut where the script changes.
    UnicodeScripts,
    /// Pieces of this many characters.
    FixedLength(usize),
    /// Cut by a pattern.
    Split {
        /// What cuts.
        pattern: Matcher,
        /// What becomes of the matches.
        behavior: Behavior,
        /// The matches are what is between the matches.
        invert: bool,
    },
}

/// How a piece becomes tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChainModel {
    /// Merges, in the options of Hugging Face's BPE.
    Bpe(BpeOptions),
    /// The longest token at the start, then the longest of the rest with a prefix.
    WordPiece {
        /// The token of a word that has a part without a token.
        unk_token: String,
        /// What tokens within a word start with.
        prefix: String,
        /// A word of more characters is unknown.
        max_characters: usize,
    },
    /// A piece is a token, or unknown.
    WordLevel {
        /// The token of other pieces.
        unk_token: String,
    },
    /// Merges by the scores of pieces, as the sentencepiece library has them.
    SentencePiece(PieceModel),
    /// The tokens whose scores have the highest sum.
    Unigram(UnigramOptions),
}

/// The options of BPE.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BpeOptions {
    /// The token of characters that are no tokens; without it they are dropped.
    pub unk_token: Option<String>,
    /// Unknown characters in a row are one token.
    pub fuse_unk: bool,
    /// A character that is no token is its bytes, as `<0x0A>`, if all of them are tokens.
    pub byte_fallback: bool,
    /// What every character but the first of a piece starts with.
    pub prefix: Option<String>,
    /// What the last character of a piece ends with.
    pub suffix: Option<String>,
    /// The probability of leaving out a merge, as the file writes it. Only training uses it.
    pub dropout: Option<String>,
}

/// A step that makes text of tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecoderStep {
    /// The characters of GPT-2's alphabet become bytes, and all tokens one text.
    ByteLevel,
    /// A token without the prefix has a space before it.
    WordPiece {
        /// What tokens within a word start with.
        prefix: String,
        /// Take out the space before punctuation marks and within contractions.
        cleanup: bool,
    },
    /// The character becomes a space.
    Metaspace {
        /// The character.
        replacement: char,
        /// In the first token it is dropped instead.
        drop_first: bool,
    },
    /// The suffix becomes a space, in the last token nothing.
    Bpe {
        /// The suffix.
        suffix: String,
    },
    /// Equal tokens in a row are one, the pad token is nothing.
    Ctc {
        /// The pad token.
        pad_token: String,
        /// What becomes a space.
        word_delimiter: String,
        /// Clean up as WordPiece does, and make spaces.
        cleanup: bool,
    },
    /// All tokens become one.
    Fuse,
    /// Takes characters off both ends of every token.
    Strip {
        /// Which character.
        content: char,
        /// At most this many at the start.
        start: usize,
        /// At most this many at the end.
        stop: usize,
    },
    /// Every match becomes this text.
    Replace {
        /// What is replaced.
        pattern: Matcher,
        /// What stands there afterwards.
        content: String,
    },
    /// Runs of `<0x0A>` become the characters that they spell.
    ByteFallback,
}

impl Model {
    /// An error if the model has a chain, whose merges and pieces no other room knows.
    pub(crate) fn refuse_chain(&self, what: &str) -> Result<()> {
        match self.chain {
            None => Ok(()),
            Some(_) => Err(Error::Argument {
                message: format!("a tokenizer that runs by the plain chain cannot be {what}"),
            }),
        }
    }
}

impl Chain {
    /// The form of an added token that is searched for in normalised text.
    pub fn matched(&self, token: &SpecialToken) -> String {
        let normal = self.normalized_tokens.get(&token.content).filter(|_| token.normalized);
        normal.unwrap_or(&token.content).clone()
    }

    /// The settings of a Unigram model.
    pub fn as_unigram(&self) -> Option<&UnigramOptions> {
        if let ChainModel::Unigram(options) = &self.model { Some(options) } else { None }
    }

    /// An entry of the model that no text becomes.
    pub fn shadowed(&self, id: TokenId) -> Option<&str> {
        self.as_unigram()?.shadowed.get(&id).map(String::as_str)
    }

    /// The token of what has no token.
    pub fn unk_token<'a>(&'a self, vocab: &'a Vocab) -> Option<&'a str> {
        match &self.model {
            ChainModel::Bpe(options) => options.unk_token.as_deref(),
            ChainModel::WordPiece { unk_token, .. } | ChainModel::WordLevel { unk_token } => {
                Some(unk_token)
            }
            ChainModel::SentencePiece(pieces) => Some(&pieces.settings.unk_token),
            ChainModel::Unigram(options) => {
                let unk = options.unk?;
                let token = vocab.bytes_of(unk).and_then(|token| std::str::from_utf8(token).ok());
                token.or_else(|| self.shadowed(unk))
            }
        }
    }

    /// The pieces of a SentencePiece model, if it is one.
    pub fn pieces(&self) -> Option<&PieceModel> {
        match &self.model {
            ChainModel::SentencePiece(pieces) => Some(pieces),
            _ => None,
        }
    }

    /// Whether the tokens of a part of a text depend on where the part stands.
    pub fn depends_on_place(&self) -> bool {
        let first = |step: &PreTokenizerStep| {
            matches!(step, PreTokenizerStep::Metaspace { scheme: PrependScheme::First, .. })
        };
        let starts = |step: &NormalizerStep| matches!(step, NormalizerStep::SentencePiece(settings) if settings.add_dummy_prefix);
        self.pre_tokenizer.iter().any(first) || self.normalizer.iter().any(starts)
    }
}

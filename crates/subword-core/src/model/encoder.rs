/*!
How a piece becomes ids: by merges, or by the vocabulary alone.

```text
merges      l o w e r  ->  low er           the pair of lowest rank first
longest     lower      ->  low er           the longest token anywhere, then the longest of the rest
fewest      lower      ->  low er           the fewest tokens that spell it
WordPiece   lower      ->  low ##er         the longest token at the start, then the same for the rest
```
*/

use super::{
    Decoder, MAX_SPECIAL_BYTES, Merges, Model, Named, Normalizer, Pattern, RowDefaults, Start,
    Template, TrimOffsets, Units,
};
use crate::error::{Error, Result};
use crate::types::TokenId;
use crate::vocab::Vocab;

/// How a piece becomes ids.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Encoder {
    /// By the merges of the model.
    #[default]
    Merge,
    /// By the longest tokens, wherever they stand; the merges are not asked.
    Longest,
    /// By the fewest tokens, of equals those of which the first is the longest, and so on; the merges are not asked.
    Fewest,
    /// By the longest tokens, from the start of a word on.
    WordPiece(WordPiece),
}

/// The longest token that starts a word, then the longest of what is left, with a prefix before it.
/// Pieces of white space have no tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordPiece {
    /// The prefix of tokens that continue a word: `##`.
    pub prefix: String,
    /// How long a word may be; a longer one is unknown.
    pub limit: WordLimit,
    /// What becomes of a word that has a part without a token.
    pub unknown: Unknown,
    /// Decoding takes out the spaces before punctuation and within English contractions.
    pub cleanup: bool,
}

/// How long a word may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordLimit {
    /// This many characters.
    Characters(u32),
    /// This many bytes.
    Bytes(u32),
    /// No limit.
    None,
}

/// What becomes of a word that has a part without a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unknown {
    /// The whole word is one unk token.
    #[default]
    Word,
    /// The character at which no token starts is an unk token, and the word goes on after it.
    Character,
}

impl Default for WordPiece {
    /// As in BERT.
    fn default() -> Self {
        WordPiece {
            prefix: "##".into(),
            limit: WordLimit::Characters(100),
            unknown: Unknown::Word,
            cleanup: true,
        }
    }
}

impl Model {
    /// A WordPiece model with BERT's pattern, without normaliser, special tokens and template.
    pub fn word_piece(vocab: Vocab, unk: TokenId, word_piece: WordPiece) -> Self {
        Model {
            vocab,
            start: Start { units: Units::Characters, end_of_word: None, unk: Some(unk) },
            encoder: Encoder::WordPiece(word_piece),
            merges: Merges::Listed(Vec::new()),
            ignore_merges: false,
            pattern: Pattern::Named(Named::Bert),
            normalizer: Normalizer::None,
            special_tokens: Vec::new(),
            template: Template::default(),
            rows: RowDefaults::default(),
            trim_offsets: TrimOffsets::default(),
            decoder: Decoder::default(),
            chain: None,
        }
    }

    /// The same tokens and merges with another encoder: by merges, by the longest tokens or by the fewest.
    pub fn encoded_by(mut self, encoder: Encoder) -> Result<Self> {
        if self.as_word_piece().is_some() {
            return Err(Error::format("a WordPiece model has no other encoder"));
        }
        self.encoder = encoder;
        self.checked()
    }

    /// What a WordPiece model is made of; none for one that merges.
    pub fn as_word_piece(&self) -> Option<&WordPiece> {
        match &self.encoder {
            Encoder::Merge | Encoder::Longest | Encoder::Fewest => None,
            Encoder::WordPiece(word_piece) => Some(word_piece),
        }
    }
}

/// Checks that a model has what its encoder needs, and WordPiece nothing that it does not use.
pub(crate) fn check_encoder(model: &Model) -> Result<()> {
    let word_piece = match (&model.encoder, model.start.joined_mark()) {
        (Encoder::Merge, _) | (Encoder::Longest, None) => return Ok(()),
        (Encoder::Longest, Some(mark)) => {
            return Err(Error::format(format!(
                "the longest tokens need an end-of-word mark that is a token of its own, and {mark:?} \
                 is part of the last unit"
            )));
        }
        (Encoder::Fewest, _) if model.start.is_plain() => return Ok(()),
        (Encoder::Fewest, _) => {
            return Err(Error::format(
                "the fewest tokens are found for models that start from bytes",
            ));
        }
        (Encoder::WordPiece(word_piece), _) => word_piece,
    };
    let wrong = if model.merges != Merges::Listed(Vec::new()) || model.ignore_merges {
        "a WordPiece model has no merges".to_owned()
    } else if model.start.units != Units::Characters || model.start.end_of_word.is_some() {
        format!("a WordPiece model starts from characters, not from {}", model.start)
    } else if model.start.unk.is_none() {
        "a WordPiece model needs an unk token".to_owned()
    } else if word_piece.prefix.len() > MAX_SPECIAL_BYTES {
        let found = word_piece.prefix.len();
        format!("the prefix has {found} bytes, the limit is {MAX_SPECIAL_BYTES}")
    } else {
        return Ok(());
    };
    Err(Error::format(wrong))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> Model {
        let tokens = ["[UNK]", "low", "##er", "[CLS]", "#"];
        let vocab = Vocab::new((0..).zip(tokens.iter().map(|token| token.as_bytes()))).unwrap();
        Model::word_piece(vocab, 0, WordPiece::default())
    }

    #[test]
    fn a_model_that_merges_may_take_the_longest_tokens_instead() {
        let merges = Merges::Listed(vec![(97, 98)]);
        let mut vocab = Vocab::bytes();
        vocab.insert(256, b"ab").unwrap();
        let merging = Model::new(vocab, merges, Pattern::Named(Named::None), Vec::new());
        let longest = merging.clone().encoded_by(Encoder::Longest).unwrap();
        assert_eq!((&longest.vocab, &longest.merges), (&merging.vocab, &merging.merges));
        assert_eq!(longest.encoded_by(Encoder::Merge), Ok(merging.clone()));
        let wordpiece = model().encoded_by(Encoder::Longest).unwrap_err();
        assert_eq!(wordpiece.to_string(), "a WordPiece model has no other encoder");
        let mut joined = merging;
        joined.start.end_of_word = Some(crate::model::EndOfWord { mark: "@".into(), joined: true });
        assert_eq!(
            joined.encoded_by(Encoder::Longest).unwrap_err().to_string(),
            "the longest tokens need an end-of-word mark that is a token of its own, and \"@\" is \
             part of the last unit"
        );
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let refused = |change: &dyn Fn(&mut Model)| {
            let mut model = model();
            change(&mut model);
            model.checked().unwrap_err().to_string()
        };
        let no_merges = "a WordPiece model has no merges";
        assert_eq!(refused(&|model| model.merges = Merges::Listed(vec![(0, 1)])), no_merges);
        assert_eq!(
            refused(&|model| model.start.end_of_word =
                Some(crate::model::EndOfWord { mark: "#".into(), joined: false })),
            "a WordPiece model starts from characters, not from characters with the mark \"#\""
        );
        assert_eq!(
            refused(&|model| model.start.unk = None),
            "a WordPiece model needs an unk token"
        );
        assert_eq!(
            refused(&|model| model.start.unk = Some(9)),
            "the unk token has id 9, which no token has"
        );
        let long = WordPiece { prefix: "#".repeat(1025), ..WordPiece::default() };
        assert_eq!(
            refused(&|model| model.encoder = Encoder::WordPiece(long.clone())),
            "the prefix has 1025 bytes, the limit is 1024"
        );
    }
}

//! A WordPiece model from Python's settings.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use subword_core::{Bert, Normalizer, Template, Unknown, Vocab, WordLimit, WordPiece, formats};

use crate::arguments::{PatternArgument, SpecialTokens, choice};

/// The tokens that are special in BERT.
const SPECIAL: [&str; 5] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];

/// The settings, as `Tokenizer.wordpiece` takes them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Settings {
    special_tokens: Option<SpecialTokens>,
    pattern: PatternArgument,
    unk_token: String,
    cls_token: String,
    sep_token: String,
    prefix: String,
    max_word_chars: Option<i128>,
    max_word_bytes: Option<i128>,
    unknown: String,
    cleanup: bool,
    lowercase: bool,
    strip_accents: Option<bool>,
    clean: bool,
    cjk: bool,
}

impl Settings {
    /// The model with these tokens.
    pub(crate) fn model(self, vocab: Vocab) -> PyResult<subword_core::Result<subword_core::Model>> {
        let known = [("word", Unknown::Word), ("char", Unknown::Character)];
        let word_piece = WordPiece {
            limit: self.limit()?,
            unknown: choice("unknown", &self.unknown, &known)?,
            prefix: self.prefix,
            cleanup: self.cleanup,
        };
        let strip_accents = self.strip_accents.unwrap_or(self.lowercase);
        let Settings { clean, cjk, lowercase, unk_token, .. } = self;
        let bert = Bert { clean, cjk, strip_accents, lowercase };
        let known = |token: &&str| vocab.id_of(token.as_bytes()).is_some();
        let usual = || {
            let names = SPECIAL.iter().copied().filter(known);
            names.map(|name| (name.to_owned(), None)).collect()
        };
        let wanted = self.special_tokens.map_or_else(usual, |tokens| tokens.0);
        let special_tokens = match formats::special_tokens(&vocab, wanted) {
            Ok(tokens) => tokens,
            Err(error) => return Ok(Err(error)),
        };
        let special = |name: &str| {
            special_tokens.iter().find(|token| token.content == name).map(|token| token.id)
        };
        let Some(unk) = special(&unk_token).or_else(|| vocab.id_of(unk_token.as_bytes())) else {
            let message = format!("unk_token {unk_token:?} is no token and no special token");
            return Ok(Err(subword_core::Error::format(message)));
        };
        let around = special(&self.cls_token).zip(special(&self.sep_token));
        let mut model = subword_core::Model::word_piece(vocab, unk, word_piece);
        if clean || cjk || strip_accents || lowercase {
            model.normalizer = Normalizer::Bert(bert);
        }
        model.pattern = self.pattern.0;
        model.special_tokens = special_tokens;
        model.template = around.map(|(cls, sep)| Template::bert(cls, sep)).unwrap_or_default();
        Ok(model.checked())
    }

    fn limit(&self) -> PyResult<WordLimit> {
        let number = |name: &str, number: i128| {
            u32::try_from(number).map_err(|_| {
                let message = format!("{name} must be from 0 to {}, not {number}", u32::MAX);
                PyValueError::new_err(message)
            })
        };
        match (self.max_word_chars, self.max_word_bytes) {
            (_, Some(bytes)) => Ok(WordLimit::Bytes(number("max_word_bytes", bytes)?)),
            (Some(chars), None) => Ok(WordLimit::Characters(number("max_word_chars", chars)?)),
            (None, None) => Ok(WordLimit::None),
        }
    }
}

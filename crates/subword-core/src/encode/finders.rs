//! The added tokens of one choice: those that are searched for before normalisation, and those after it.

use std::sync::Arc;

use crate::error::Result;
use crate::model::{Model, Normalizer, SpecialToken};
use crate::special::Finder;

/// Searches for added tokens, in both phases.
#[derive(Debug)]
pub(crate) struct Finders {
    /// Searches the text as it is.
    pub(crate) raw: Finder,
    /// Searches the normalised text.
    pub(crate) normal: Finder,
}

/// The finders of one choice: kept by the plan, or shared with others that made the same choice.
#[derive(Debug)]
pub(crate) enum ChosenFinders<'t> {
    Kept(&'t Finders),
    Shared(Arc<Finders>),
}

impl ChosenFinders<'_> {
    pub(crate) fn get(&self) -> &Finders {
        match self {
            ChosenFinders::Kept(finders) => finders,
            ChosenFinders::Shared(finders) => finders,
        }
    }
}

impl Finders {
    /// The finders of the tokens for which `counts` says yes; it is told the place of a token in the model.
    ///
    /// The others are text. In models that have tokens which are always matched they hide those within them,
    /// as in Hugging Face's library; in others they hide nothing, as in tiktoken.
    ///
    /// What is matched after normalisation is itself normalised. Without a normaliser the order of the phases
    /// still counts: a token of the first phase wins over one of the second that starts before it. If all
    /// are of the second, one search will do.
    pub(super) fn of_some(
        model: &Model,
        counts: impl Fn(usize, &SpecialToken) -> bool,
    ) -> Result<Finders> {
        let hides = model.special_tokens.iter().any(|token| token.always);
        let finder = |normalized: bool| {
            let (mut counting, mut hiding) = (Vec::new(), Vec::new());
            let tokens = model.special_tokens.iter().enumerate();
            for (place, token) in tokens.filter(|(_, token)| token.normalized == normalized) {
                let found = SpecialToken { content: model.matched(token), ..token.clone() };
                if counts(place, token) {
                    counting.push(found);
                } else if hides {
                    hiding.push(found);
                }
            }
            Finder::passing_over(counting, hiding)
        };
        let (mut raw, mut normal) = (finder(false)?, finder(true)?);
        if model.normalizer == Normalizer::None && model.chain.is_none() && raw.is_empty() {
            std::mem::swap(&mut normal, &mut raw);
        }
        Ok(Finders { raw, normal })
    }

    /// Whether nothing is searched for.
    pub(crate) fn are_empty(&self) -> bool {
        self.raw.is_empty() && self.normal.is_empty()
    }
}

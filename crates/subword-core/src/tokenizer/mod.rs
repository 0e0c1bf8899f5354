/*!
The assembly: a [`Model`] made ready to encode, decode and count.

```text
text -> special tokens cut out -> normalised -> pieces -> cache, or merge on a miss -> ids
```

A tokenizer is frozen: any number of threads share one. What a thread needs for itself (a cache,
buffers) is a [`Worker`], taken from a pool for the length of a call. Threads are started for a call
that is large enough to gain from them and end with it, so nothing runs in the background and a
forked child misses nothing.
*/

mod batch;
mod decode;
mod documents;
mod encode;
mod offsets;
mod room;
mod selections;
mod threads;
mod units;
mod usage;

use std::sync::Arc;

use crate::arch::{FirstUse, Level};
use crate::boundary::Boundary;
use crate::bpe::{Joins, Merger};
use crate::cache::Pool;
use crate::error::{Error, Result};
use crate::longest::Longest;
use crate::model::{Encoder, Merges, Model, Normalizer, SpecialToken};
use crate::pretok::Splitter;
use crate::special::{Allowed, Finder};
use crate::vocab::Vocab;
use crate::wordpiece::Linear;
use decode::Spellings;
use encode::{Fast, Words, Worker};
use selections::Selections;

pub use batch::{Apart, Held, Ragged};
pub use decode::{Decoding, PlainBytes};
pub use documents::{DocumentEncoder, Session};
pub use offsets::{Located, in_characters};
pub use room::{give_back, is_large};
pub use threads::Threads;

/// How much memory the cache of each thread may use, if the caller does not say.
pub const DEFAULT_CACHE_BYTES: usize = 64 << 20;

/// What is cut where no token spans, in a model that does not merge.
static NO_TOKENS: FirstUse<Vocab> = FirstUse::new();

/// How many workers are kept between calls.
const POOL_SIZE: usize = 64;

/// A model made ready.
#[derive(Debug)]
pub struct Tokenizer {
    model: Arc<Model>,
    splitter: Splitter,
    merger: Merger,
    /// Where no token spans, made when a long piece first asks.
    joins: FirstUse<Joins>,
    /// Where pieces are not merged, but cut into the longest tokens.
    longest: Option<Longest>,
    /// Pieces start from bytes and merge: for all others see `encode/words`.
    plain: bool,
    /// A merge joins the unk token. It stands for other bytes than its own, so where no token spans
    /// says nothing about where a word may be cut.
    unk_merges: bool,
    /// What a WordPiece model has instead of merges: see `encode/wordpiece`.
    words: Option<Words>,
    /// The finders of all special tokens, and of those that are always matched.
    all: Finders,
    always: Finders,
    /// Those of the selections that callers ask for.
    selections: Selections,
    /// The bytes that cannot be encoded, usually none.
    missing_bytes: Vec<u8>,
    workers: Pool<Worker>,
    /// For decoding much, made when it is first needed.
    spellings: FirstUse<Spellings>,
    level: Level,
    cache_bytes: usize,
}

/// What is found before normalisation, and what after it.
#[derive(Debug)]
struct Finders {
    raw: Finder,
    normal: Finder,
}

/// The finders of one choice.
#[derive(Debug)]
enum Chosen<'t> {
    Kept(&'t Finders),
    Shared(Arc<Finders>),
}

impl Chosen<'_> {
    fn finders(&self) -> &Finders {
        match self {
            Chosen::Kept(finders) => finders,
            Chosen::Shared(finders) => finders,
        }
    }
}

impl Finders {
    /// What is matched after normalisation is itself normalised. Without a normaliser the order
    /// still counts: a token of the first kind wins over one of the second that starts before it.
    /// If all are of the second, one search will do.
    ///
    /// `counts` is told the place of a token in the model.
    fn new(model: &Model, counts: impl Fn(usize, &SpecialToken) -> bool) -> Result<Finders> {
        Finders::passing_over(model, counts, |_| false)
    }

    /// The finders of the tokens that are always matched: the others are text, and passed over.
    fn of_always(model: &Model) -> Result<Finders> {
        Finders::passing_over(model, |_, token| token.always, |token| !token.always)
    }

    fn passing_over(
        model: &Model,
        counts: impl Fn(usize, &SpecialToken) -> bool,
        hides: impl Fn(&SpecialToken) -> bool,
    ) -> Result<Finders> {
        let finder = |normalized: bool| {
            let (mut counting, mut hiding) = (Vec::new(), Vec::new());
            let tokens = model.special_tokens.iter().enumerate();
            for (place, token) in tokens.filter(|(_, token)| token.normalized == normalized) {
                let found = SpecialToken { content: model.matched(token), ..token.clone() };
                if counts(place, token) {
                    counting.push(found);
                } else if hides(token) {
                    hiding.push(found);
                }
            }
            Finder::passing_over(counting, hiding)
        };
        let (mut raw, mut normal) = (finder(false)?, finder(true)?);
        if model.normalizer == Normalizer::None && raw.is_empty() {
            std::mem::swap(&mut normal, &mut raw);
        }
        Ok(Finders { raw, normal })
    }
}

impl Tokenizer {
    /// Prepares a model that `Model::checked` has passed. `cache_bytes` bounds the cache of each
    /// thread that encodes at the same time; 0 switches it off.
    pub fn new(model: Arc<Model>, cache_bytes: usize) -> Result<Tokenizer> {
        let words = model.as_word_piece().map(|words| Box::new(Fast::new(&model, words)));
        Tokenizer::with_words(model, cache_bytes, words.map(Words::Fast))
    }

    /// The same for a WordPiece model, in time that is linear in the text whatever the vocabulary, and
    /// without a cache: see `wordpiece::Linear`.
    pub fn linear(model: Arc<Model>) -> Result<Tokenizer> {
        let Some(words) = model.as_word_piece() else {
            let message = "only WordPiece models have a linear encoder".to_owned();
            return Err(Error::Argument { message });
        };
        let words = Box::new(Linear::new(&model, words)?);
        Tokenizer::with_words(model, 0, Some(Words::Linear(words)))
    }

    fn with_words(
        model: Arc<Model>,
        cache_bytes: usize,
        words: Option<Words>,
    ) -> Result<Tokenizer> {
        if let Merges::Listed(pairs) = &model.merges {
            Merger::try_memory(pairs.len())?;
        }
        let merger = Merger::new(&model)?;
        let longest = (model.encoder == Encoder::Longest).then(|| Longest::new(&model));
        let plain = model.start.is_plain() && longest.is_none();
        let tokenizer = Tokenizer {
            splitter: Splitter::new(&model.pattern)?,
            missing_bytes: if plain { merger.missing_bytes() } else { Vec::new() },
            plain,
            longest,
            merger,
            joins: FirstUse::new(),
            unk_merges: unk_merges(&model),
            words,
            all: Finders::new(&model, |_, _| true)?,
            always: Finders::of_always(&model)?,
            selections: Selections::new(&model),
            workers: Pool::new(POOL_SIZE),
            spellings: FirstUse::new(),
            level: Level::chosen()?,
            model,
            cache_bytes,
        };
        if tokenizer.words.is_some() {
            tokenizer.prepare_worker();
        }
        Ok(tokenizer)
    }

    /// Whether pieces are merged from their bytes, and all that can go wrong is a missing byte.
    fn only_merges(&self) -> bool {
        self.plain && self.words.is_none()
    }

    /// What it was made from.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Where a long piece may be cut.
    #[inline]
    fn joins(&self) -> &Joins {
        self.joins.get_or_make(|| match self.words {
            Some(_) => Joins::new(NO_TOKENS.get_or_make(Vocab::default)),
            None => Joins::new(&self.model.vocab),
        })
    }

    /// The bound of the cache of each thread.
    pub fn cache_bytes(&self) -> usize {
        self.cache_bytes
    }

    /// Where texts may be cut in which these are found.
    fn boundary<'a>(&'a self, finders: &'a Finders) -> Boundary<'a> {
        Boundary::new(self.model.normalizer, &self.splitter, &finders.raw)
            .with_normal(&finders.normal)
    }

    /// Runs with the finders that a caller's choice asks for.
    fn with_finders<R>(
        &self,
        allowed: &Allowed,
        texts: &[&[u8]],
        run: impl FnOnce(&Finders) -> Result<R>,
    ) -> Result<R> {
        texts.iter().try_for_each(|text| self.refuse(text, allowed))?;
        let chosen = self.chosen(allowed)?;
        let finders = chosen.finders();
        run(finders).map_err(|error| self.with_position(error, texts, finders))
    }

    /// An error if the text has what cannot be encoded, or what the caller forbids.
    fn refuse(&self, text: &[u8], allowed: &Allowed) -> Result<()> {
        if !self.missing_bytes.is_empty() {
            self.refuse_missing_bytes(text)?;
        }
        if *allowed == Allowed::Error { self.refuse_special(text) } else { Ok(()) }
    }

    /// The finders that a caller's choice asks for.
    fn chosen(&self, allowed: &Allowed) -> Result<Chosen<'_>> {
        match allowed {
            Allowed::Text | Allowed::Error => Ok(Chosen::Kept(&self.always)),
            Allowed::All => Ok(Chosen::Kept(&self.all)),
            Allowed::Only(contents) if contents.is_empty() => Ok(Chosen::Kept(&self.always)),
            Allowed::Only(contents) => {
                self.selections.finders(&self.model, contents).map(Chosen::Shared)
            }
        }
    }

    /// An error if the text has a byte that is no token.
    fn refuse_missing_bytes(&self, text: &[u8]) -> Result<()> {
        let missing = |byte: &u8| self.missing_bytes.contains(byte);
        match text.iter().position(missing) {
            Some(position) => {
                let message = format!("the model has no token for byte 0x{:02X}", text[position]);
                Err(Error::Text { message, position })
            }
            None => Ok(()),
        }
    }

    /// An error if the text spells a special token that is not always matched.
    fn refuse_special(&self, text: &[u8]) -> Result<()> {
        let refuse = |at: usize, token: &str| {
            Err(Error::SpecialToken { token: token.to_owned(), position: at })
        };
        for finder in [&self.all.raw, &self.all.normal] {
            let mut at = 0;
            while let Some((token, start)) = finder.first(&text[at..]) {
                if !token.always {
                    return refuse(at + start, &token.content);
                }
                at += start + token.content.len();
            }
        }
        Ok(())
    }
}

/// Whether the unk token is part of a listed merge.
fn unk_merges(model: &Model) -> bool {
    let Merges::Listed(pairs) = &model.merges else { return false };
    model
        .start
        .unk
        .is_some_and(|unk| pairs.iter().any(|&(left, right)| left == unk || right == unk))
}

#[cfg(test)]
mod tests;

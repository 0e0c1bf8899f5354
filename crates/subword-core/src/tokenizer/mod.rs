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
mod threads;
mod units;
mod usage;

use std::sync::{Arc, LazyLock, OnceLock};

use crate::arch::Level;
use crate::bpe::{Joins, Merger};
use crate::cache::Pool;
use crate::error::{Error, Result};
use crate::longest::Longest;
use crate::model::{Encoder, Model, Normalizer};
use crate::pretok::Splitter;
use crate::special::{Allowed, Finder};
use crate::vocab::Vocab;
use crate::wordpiece::Linear;
use decode::Spellings;
use encode::{Fast, Words, Worker};

pub use batch::{Apart, Held, Ragged};
pub use decode::{Decoding, PlainBytes};
pub use documents::{DocumentEncoder, Session};
pub use offsets::{Located, in_characters};
pub use room::{give_back, is_large};
pub use threads::Threads;

/// How much memory the cache of each thread may use, if the caller does not say.
pub const DEFAULT_CACHE_BYTES: usize = 64 << 20;

/// What is cut where no token spans, in a model that does not merge.
static NO_TOKENS: LazyLock<Vocab> = LazyLock::new(Vocab::default);

/// How many workers are kept between calls.
const POOL_SIZE: usize = 64;

/// A model made ready.
#[derive(Debug)]
pub struct Tokenizer {
    model: Arc<Model>,
    splitter: Splitter,
    merger: Merger,
    /// Where no token spans, made when a long piece first asks.
    joins: OnceLock<Joins>,
    /// Where pieces are not merged, but cut into the longest tokens.
    longest: Option<Longest>,
    /// Pieces start from bytes and merge: for all others see `encode/words`.
    plain: bool,
    /// What a WordPiece model has instead of merges: see `encode/wordpiece`.
    words: Option<Words>,
    /// The finders of all special tokens, and of those that are always matched.
    all: Finders,
    always: Finders,
    /// The bytes that cannot be encoded, usually none.
    missing_bytes: Vec<u8>,
    workers: Pool<Worker>,
    /// For decoding much, made when it is first needed.
    spellings: OnceLock<Spellings>,
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
    Made(Finders),
}

impl Chosen<'_> {
    fn finders(&self) -> &Finders {
        match self {
            Chosen::Kept(finders) => finders,
            Chosen::Made(finders) => finders,
        }
    }
}

impl Finders {
    /// What is matched after normalisation is itself normalised. Without a normaliser the order
    /// still counts: a token of the first kind wins over one of the second that starts before it.
    /// If all are of the second, one search will do.
    fn new<'m>(
        normalizer: Normalizer,
        tokens: impl Iterator<Item = &'m crate::model::SpecialToken>,
    ) -> Result<Finders> {
        let (mut normal, mut raw): (Vec<_>, Vec<_>) =
            tokens.cloned().partition(|token| token.normalized);
        if normalizer == Normalizer::None && raw.is_empty() {
            std::mem::swap(&mut normal, &mut raw);
        }
        for token in &mut normal {
            let content = normalizer.apply(token.content.as_bytes());
            token.content = String::from_utf8_lossy(&content).into_owned();
        }
        Ok(Finders { raw: Finder::new(raw)?, normal: Finder::new(normal)? })
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
        let tokens = || model.special_tokens.iter();
        let merger = Merger::new(&model);
        let longest = (model.encoder == Encoder::Longest).then(|| Longest::new(&model));
        let plain = model.start.is_plain() && longest.is_none();
        let tokenizer = Tokenizer {
            splitter: Splitter::new(&model.pattern)?,
            missing_bytes: if plain { merger.missing_bytes() } else { Vec::new() },
            plain,
            longest,
            merger,
            joins: OnceLock::new(),
            words,
            all: Finders::new(model.normalizer, tokens())?,
            always: Finders::new(model.normalizer, tokens().filter(|token| token.always))?,
            workers: Pool::new(POOL_SIZE),
            spellings: OnceLock::new(),
            level: Level::best(),
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
        let vocab = if self.words.is_some() { &NO_TOKENS } else { &self.model.vocab };
        self.joins.get_or_init(|| Joins::new(vocab))
    }

    /// The bound of the cache of each thread.
    pub fn cache_bytes(&self) -> usize {
        self.cache_bytes
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

    /// The finders that a caller's choice asks for; builds them where the choice is a selection.
    fn chosen(&self, allowed: &Allowed) -> Result<Chosen<'_>> {
        match allowed {
            Allowed::Text | Allowed::Error => Ok(Chosen::Kept(&self.always)),
            Allowed::All => Ok(Chosen::Kept(&self.all)),
            Allowed::Only(contents) => {
                let known = |content: &String| {
                    self.model.special_tokens.iter().any(|token| token.content == *content)
                };
                if let Some(unknown) = contents.iter().find(|&content| !known(content)) {
                    let message = format!("{unknown:?} is not a special token of this tokenizer");
                    return Err(Error::Argument { message });
                }
                let chosen = |token: &&crate::model::SpecialToken| {
                    token.always || contents.contains(&token.content)
                };
                let tokens = self.model.special_tokens.iter().filter(chosen);
                Finders::new(self.model.normalizer, tokens).map(Chosen::Made)
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

#[cfg(test)]
mod tests;

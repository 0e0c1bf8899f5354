/*!
The public calls: a [`Model`] made ready to encode, count and decode, on one thread or several.

A tokenizer is frozen: any number of threads share one. What a thread writes while it encodes is taken from a
pool for the length of a call. Threads are started for a call that is large enough to gain from them and
end with it, so nothing runs in the background and a forked child misses nothing.

A large text is shared between threads by cutting it into blocks where both parts encode alone (`boundary`); many
texts are shared some texts at a time (`batch`). Results are put together in order, so the ids are those of
one thread, whatever the number of threads.
*/

mod batch;
mod documents;
mod dropout;
mod growing;
mod usage;

use std::ops::Range;
use std::sync::Arc;

use crate::cache::Pool;
use crate::decode::Detokenizer;
use crate::encode::{Counter, Finders, Plan, Scratch, Sink};
use crate::error::{Error, Result};
use crate::model::{Model, Normalizer, SpecialToken};
use crate::parallel::{self, Jobs};
use crate::special::{Allowed, Span, split_trusted};
use crate::types::TokenId;
use crate::{interrupt, memory};

pub use crate::decode::{Decoding, PlainBytes};
pub use crate::encode::{Lattice, LatticePiece, Located, Ragged, in_characters};
pub use crate::parallel::Threads;
pub use batch::{Detached, Held};
pub(crate) use documents::{DocumentEncoder, Session};
pub use growing::{Change, GrowingText};

/// How much memory the cache of each thread may use, if the caller does not say.
pub const DEFAULT_CACHE_BYTES: usize = 64 << 20;

/// How many scratches are kept between calls.
const POOL_SIZE: usize = 64;

/// The smallest block of a large text, in bytes.
const BLOCK_BYTES: usize = 1 << 17;

/// A call with fewer bytes than this runs on one thread.
const LEAST_BYTES: usize = 2 * BLOCK_BYTES;

/// How many bytes of many texts make a job: few, so that all threads end at about the same time.
const JOB_BYTES: usize = 1 << 16;

/// Beginning with a text is about as much work as reading this many bytes.
const TEXT_BYTES: usize = 64;

/// A model made ready.
#[derive(Debug)]
pub struct Tokenizer {
    pub(crate) plan: Plan,
    detokenizer: Detokenizer,
    scratches: Pool<Scratch>,
}

impl Tokenizer {
    /// Prepares a model that `Model::checked` has passed. `cache_bytes` bounds the cache of each
    /// thread that encodes at the same time; 0 switches it off.
    pub fn new(model: Arc<Model>, cache_bytes: usize) -> Result<Tokenizer> {
        Plan::new(model, cache_bytes).and_then(Tokenizer::with_plan)
    }

    /// The same for a WordPiece model, in time that is linear in the text whatever the vocabulary, and
    /// without a cache.
    pub fn linear(model: Arc<Model>) -> Result<Tokenizer> {
        Plan::linear(model).and_then(Tokenizer::with_plan)
    }

    fn with_plan(plan: Plan) -> Result<Tokenizer> {
        let detokenizer = Detokenizer::new(plan.model.clone(), plan.is_bytes())?;
        let tokenizer = Tokenizer { plan, detokenizer, scratches: Pool::new(POOL_SIZE) };
        if tokenizer.model().as_word_piece().is_some() {
            // The cache of a WordPiece model is filled with its words now, not in the first call.
            tokenizer.scratches.put(Box::new(tokenizer.plan.new_scratch()));
        }
        Ok(tokenizer)
    }

    /// The path that encodes texts, and why it is that one: see `encode/describe`.
    pub fn path(&self) -> (&'static str, String) {
        self.plan.describe()
    }

    /// What it was made from.
    pub fn model(&self) -> &Model {
        &self.plan.model
    }

    /// The bound of the cache of each thread.
    pub fn cache_bytes(&self) -> usize {
        self.plan.cache_bytes
    }

    /// The ids of a text.
    pub fn encode(&self, text: &[u8], allowed: &Allowed, threads: Threads) -> Result<Vec<TokenId>> {
        let empty = |bytes: usize| memory::guessed_capacity(bytes / 4 + 8);
        self.encode_into(text, allowed, threads, empty, |parts| {
            let mut ids = memory::guessed_capacity(parts.iter().map(Vec::len).sum());
            parts.iter().try_for_each(|part| memory::extend(&mut ids, part))?;
            Ok(ids)
        })
    }

    /// How many ids a text has; none if they are more than `limit`.
    pub fn count(
        &self,
        text: &[u8],
        allowed: &Allowed,
        limit: Option<usize>,
        threads: Threads,
    ) -> Result<Option<usize>> {
        let limit = limit.unwrap_or(usize::MAX);
        let empty = |_| Counter { count: 0, limit };
        let counted = self.encode_into(text, allowed, threads, empty, |parts| {
            Ok(Counter { count: parts.iter().map(|part| part.count).sum(), limit })
        })?;
        Ok(Some(counted.count).filter(|&count| count <= limit))
    }

    /// Encodes a text into one sink. If the text is shared between threads, each of its blocks has a sink, and `join`
    /// puts them together in order. `empty` makes a sink for a text of about this many bytes.
    fn encode_into<S: Sink + Send>(
        &self,
        text: &[u8],
        allowed: &Allowed,
        threads: Threads,
        empty: impl Fn(usize) -> S + Sync,
        join: impl FnOnce(Vec<S>) -> Result<S>,
    ) -> Result<S> {
        let threads = how_many(threads, text.len());
        self.plan.with_finders(allowed, &[text], |finders| {
            let blocks = self.blocks(text, finders, threads)?;
            if blocks.len() < 2 {
                let mut whole = empty(text.len());
                self.with_scratch(|scratch| {
                    self.plan.encode_text(text, finders, scratch, &mut whole)
                })?;
                return Ok(whole);
            }
            let parts = self.share(blocks.len(), threads, |block, scratch| {
                let mut part = empty(0);
                self.plan.encode_block(text, &blocks[block], finders, scratch, &mut part)?;
                Ok(part)
            })?;
            join(parts)
        })
    }

    /// How many ids each of many texts has.
    pub fn count_batch(
        &self,
        texts: &[&[u8]],
        allowed: &Allowed,
        threads: Threads,
    ) -> Result<Vec<usize>> {
        let threads = how_many(threads, texts.iter().map(|text| text.len()).sum());
        self.plan.with_finders(allowed, texts, |finders| {
            let groups = groups(texts.iter().map(|text| text.len()));
            let parts = self.share(groups.len(), threads, |group, scratch| {
                let count = |text: &&[u8]| {
                    let mut counter = Counter { count: 0, limit: usize::MAX };
                    self.plan.encode_text(text, finders, scratch, &mut counter)?;
                    interrupt::worked(TEXT_BYTES)?;
                    Ok(counter.count)
                };
                texts[groups[group].clone()].iter().map(count).collect::<Result<Vec<_>>>()
            })?;
            Ok(parts.concat())
        })
    }

    /// The ids of a text and where they come from. `trim` says whether white space is left out of the
    /// places; if none, as the model says.
    pub fn encode_offsets(
        &self,
        text: &[u8],
        allowed: &Allowed,
        trim: Option<bool>,
    ) -> Result<Located> {
        self.plan.with_finders(allowed, &[text], |finders| {
            self.with_scratch(|scratch| self.plan.encode_offsets(text, finders, trim, scratch))
        })
    }

    /// Every token that may stand in a text, by a Unigram model. Special tokens are text, but those that always count.
    pub fn lattice(&self, text: &[u8]) -> Result<Lattice> {
        self.plan.with_finders(&Allowed::Text, &[text], |finders| self.plan.lattice(text, finders))
    }

    /// The ids of a text in which special tokens count within the `trusted` ranges alone, which rise and do not
    /// touch. Merging sees one text.
    pub fn encode_trusted(&self, text: &[u8], trusted: &[Range<usize>]) -> Result<Vec<TokenId>> {
        let (all, always) = (&self.plan.all, &self.plan.always);
        let in_second_phase = |token: &&SpecialToken| token.normalized && !token.always;
        if !all.normal.is_empty()
            && let Some(token) = self.model().special_tokens.iter().find(in_second_phase)
        {
            let content = &token.content;
            return Err(Error::Argument {
                message: format!(
                    "{content:?} is searched for in normalised text, of which no part is trusted"
                ),
            });
        }
        self.plan.refuse(text, &Allowed::Text)?;
        let mut spans = Vec::new();
        split_trusted(text, trusted, &all.raw, &always.raw, |span| {
            spans.push(span);
            interrupt::worked(span.end - span.start)
        })?;
        let mut ids = Vec::new();
        self.with_scratch(|scratch| {
            self.plan.encode_block(text, &spans, always, scratch, &mut ids)
        })?;
        Ok(ids)
    }

    /// The places where a text may be cut so that all parts encode alone.
    pub fn cut_points(&self, text: &[u8], allowed: &Allowed) -> Result<Vec<usize>> {
        self.document_encoder(allowed, None)?.boundary().all(text)
    }

    /// The same for many texts, with places in characters if `characters`, else in bytes.
    pub fn encode_offsets_batch(
        &self,
        texts: &[&[u8]],
        allowed: &Allowed,
        trim: Option<bool>,
        characters: bool,
        threads: Threads,
    ) -> Result<Vec<Located>> {
        let threads = how_many(threads, texts.iter().map(|text| text.len()).sum());
        self.plan.with_finders(allowed, texts, |finders| {
            let groups = groups(texts.iter().map(|text| text.len()));
            let parts = self.share(groups.len(), threads, |group, scratch| {
                let locate = |text: &&[u8]| {
                    let mut located = self.plan.encode_offsets(text, finders, trim, scratch)?;
                    if characters {
                        located.places = in_characters(text, located.places)?;
                    }
                    interrupt::worked(TEXT_BYTES)?;
                    Ok(located)
                };
                texts[groups[group].clone()].iter().map(locate).collect::<Result<Vec<_>>>()
            })?;
            Ok(parts.into_iter().flatten().collect())
        })
    }

    /// The bytes that the ids spell, as the model says.
    pub fn decode(&self, ids: &[TokenId]) -> Result<Vec<u8>> {
        self.decode_with(ids, Decoding::default())
    }

    /// The bytes that the ids spell.
    pub fn decode_with(&self, ids: &[TokenId], decoding: Decoding) -> Result<Vec<u8>> {
        self.detokenizer.decode(ids, decoding)
    }

    /// The bytes of many ids, ready to be written where they stay; none if the text of a token is not its
    /// bytes, or if the ids are too few to be worth a table of all tokens.
    pub fn plain_bytes<'a>(
        &'a self,
        ids: &'a [TokenId],
        decoding: Decoding,
    ) -> Result<Option<PlainBytes<'a>>> {
        self.detokenizer.plain_bytes(ids, decoding)
    }

    /// The bytes that each of many sequences of ids spells.
    pub fn decode_batch(
        &self,
        batch: &[Vec<TokenId>],
        decoding: Decoding,
        threads: Threads,
    ) -> Result<Vec<Vec<u8>>> {
        let bytes = batch.iter().map(|ids| ids.len() * size_of::<TokenId>()).sum();
        let groups = groups(batch.iter().map(Vec::len));
        let parts = parallel::map(groups.len(), how_many(threads, bytes), |jobs| {
            jobs.map(|group| {
                let decode = |ids: &Vec<TokenId>| {
                    interrupt::worked(TEXT_BYTES)?;
                    self.decode_with(ids, decoding)
                };
                batch[groups[group].clone()].iter().map(decode).collect::<Result<Vec<_>>>()
            })
        })?;
        Ok(parts.into_iter().flatten().collect())
    }

    /// Whether the bytes of the tokens of a text are the text, whatever the text.
    pub fn spells(&self) -> bool {
        let model = self.model();
        let swallows = |token: &SpecialToken| token.lstrip || token.rstrip;
        self.plan.is_bytes()
            && model.normalizer == Normalizer::None
            && !model.special_tokens.iter().any(swallows)
    }

    /// How much of a text that goes on can be encoded now, without knowing the rest: up to a place where
    /// it may be cut. 0 if there is none yet.
    pub fn settled(&self, text: &[u8], allowed: &Allowed) -> Result<usize> {
        Ok(self.document_encoder(allowed, None)?.last_cut(text, 0))
    }

    /// Runs with the cache and the buffers of one thread.
    fn with_scratch<R>(&self, run: impl FnOnce(&mut Scratch) -> R) -> R {
        self.scratches.with(|| self.plan.new_scratch(), run)
    }

    /// The text in blocks that encode one by one; fewer than two if it is too small to share.
    fn blocks(&self, text: &[u8], finders: &Finders, threads: usize) -> Result<Vec<Vec<Span>>> {
        if threads < 2 || text.len() < LEAST_BYTES {
            return Ok(Vec::new());
        }
        let target = (text.len() / threads.saturating_mul(4)).max(BLOCK_BYTES);
        self.plan.boundary(finders).blocks(text, target)
    }

    /// Runs jobs on at most `threads` threads and returns their results in order; the first error wins.
    fn share<R: Send>(
        &self,
        jobs: usize,
        threads: usize,
        run: impl Fn(usize, &mut Scratch) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        parallel::map(jobs, threads, |jobs: &Jobs| {
            self.with_scratch(|scratch| jobs.map(|job| run(job, scratch)))
        })
    }
}

/// How many threads a call gets that has this many bytes to encode. Asking for the number of cores costs
/// more than encoding a short text.
fn how_many(threads: Threads, bytes: usize) -> usize {
    if bytes < LEAST_BYTES { 1 } else { parallel::allowed(threads) }
}

/// Texts of these sizes in groups that are worth a job each.
fn groups(sizes: impl ExactSizeIterator<Item = usize>) -> Vec<Range<usize>> {
    let texts = sizes.len();
    let mut groups = Vec::new();
    let (mut start, mut size) = (0, 0);
    for (at, text) in sizes.enumerate() {
        size += text + TEXT_BYTES;
        if size >= JOB_BYTES || at + 1 == texts {
            groups.push(start..at + 1);
            (start, size) = (at + 1, 0);
        }
    }
    groups
}

#[cfg(test)]
mod tests;

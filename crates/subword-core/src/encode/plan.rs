/*!
Everything that encoding needs and never changes: chosen once, when a tokenizer is made.

```text
text -> added tokens cut out -> normalised -> those of the second phase cut out -> the path of the model
```

The plain chain (normaliser, pattern, model) defines the ids of every model. A path is a way to compute them
that fits a kind of model; all paths are tested against the chain.
*/

use std::sync::Arc;

use super::finders::Finders;
use super::metaspace::{self, Prefix};
use super::selections::Selections;
use super::superwords::Superwords;
use super::wordpiece::{FastWords, Words};
use super::{Scratch, Sink};
use crate::boundary::{Boundary, PartStart};
use crate::bpe::{Joins, Merger};
use crate::chain::{RawWords, Runner};
use crate::error::{Error, Result};
use crate::longest::Longest;
use crate::mem::FirstUse;
use crate::model::{Chain, Encoder, Merges, Model, Named, Normalizer, Pattern};
use crate::pretok::{ClassPairs, Splitter};
use crate::simd::Level;
use crate::special::{Allowed, Finder, Span};
use crate::vocab::Vocab;
use crate::wordpiece::Linear;

/// A model without merges, for the merger of a chain.
static NO_MODEL: FirstUse<Model> = FirstUse::new();

/// A model made ready to encode.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) model: Arc<Model>,
    pub(crate) path: Path,
    pub(super) splitter: Splitter,
    pub(super) merger: Merger,
    /// How words are encoded, where tokens span their ends.
    pub(super) superwords: Option<Box<Superwords>>,
    /// Where no token spans two characters; made when a long piece first asks.
    joins: FirstUse<Joins>,
    /// A merge joins the unk token. It stands for other bytes than its own, so where no token spans
    /// says nothing about where a word may be cut.
    pub(super) unk_merges: bool,
    /// The finders of all added tokens.
    pub(crate) all: Finders,
    /// The finders of the added tokens that are always matched.
    pub(crate) always: Finders,
    /// The finders of the selections that callers asked for last.
    pub(super) selections: Selections,
    /// The bytes that cannot be encoded, usually none.
    pub(super) missing_bytes: Vec<u8>,
    pub(super) level: Level,
    /// The bound of the cache of each thread.
    pub(crate) cache_bytes: usize,
}

/// How the pieces of a model become ids.
#[derive(Debug)]
pub(crate) enum Path {
    /// Byte-level BPE: pieces start as bytes and are merged.
    Bytes,
    /// BPE that starts from something else: see `nonbyte`.
    NonByte,
    /// Pieces are cut into the longest tokens, or the fewest: see `nonbyte`.
    Longest(Longest),
    /// WordPiece.
    Words(Words),
    /// The plain chain: see `chain`.
    Chain {
        runner: Box<Runner>,
        /// Its ids are found as those of byte-level BPE, with or without a space before a text: see `metaspace`.
        spaced: Option<Prefix>,
        /// What is found before anything is merged, where the ids are found so.
        symbols: Finder,
        /// Its text is cut at white space and looked up before it is normalised: see `raw_words`.
        words: Option<Box<RawWords>>,
        /// The chain may cut a piece wherever no token spans two characters.
        cuts: bool,
    },
}

impl Plan {
    /// Prepares a model that `Model::checked` has passed. `cache_bytes` bounds the cache of each thread
    /// that encodes at the same time; 0 switches it off.
    pub(crate) fn new(model: Arc<Model>, cache_bytes: usize) -> Result<Plan> {
        if let Some(chain) = &model.chain {
            return Plan::of_chain(model.clone(), chain, cache_bytes);
        }
        let path = match model.as_word_piece() {
            Some(words) => Path::Words(Words::Fast(Box::new(FastWords::new(&model, words)))),
            None if model.encoder != Encoder::Merge => Path::Longest(Longest::new(&model)),
            None if model.start.is_plain() => Path::Bytes,
            None => Path::NonByte,
        };
        Plan::with_path(model, path, cache_bytes)
    }

    /// The same for a WordPiece model, in time that is linear in the text whatever the vocabulary, and
    /// without a cache: see `wordpiece::Linear`.
    pub(crate) fn linear(model: Arc<Model>) -> Result<Plan> {
        let Some(words) = model.as_word_piece() else {
            let message = "only WordPiece models have a linear encoder".to_owned();
            return Err(Error::Argument { message });
        };
        let words = Words::Linear(Box::new(Linear::new(&model, words)?));
        Plan::with_path(model, Path::Words(words), 0)
    }

    fn of_chain(model: Arc<Model>, chain: &Chain, cache_bytes: usize) -> Result<Plan> {
        let runner = Box::new(Runner::new(&model, chain)?);
        let cuts = metaspace::may_cut(&model, chain);
        let Some(front) = metaspace::of(&model, chain) else {
            // The chain has merges of its own.
            let merger = Merger::new(NO_MODEL.get_or_make(no_model))?;
            let splitter = Splitter::new(&model.pattern)?;
            let symbols = Finder::new([])?;
            if chain.as_unigram().is_some() {
                let splitter = Splitter::space_words()?;
                if let Some(words) = RawWords::of(chain, &splitter) {
                    let words = Some(Box::new(words));
                    let path = Path::Chain { runner, spaced: None, symbols, words, cuts };
                    return Plan::with_parts(model, path, merger, splitter, cache_bytes);
                }
            }
            let path = Path::Chain { runner, spaced: None, symbols, words: None, cuts };
            return Plan::with_parts(model, path, merger, splitter, cache_bytes);
        };
        let vocab = &front.model.vocab;
        let tokens: Vec<&[u8]> = vocab.iter().map(|(_, token)| token).collect();
        let splitter = Splitter::by_classes(ClassPairs::of(tokens.iter().copied()))?;
        let merger = Merger::from_characters(&front.model, &front.bytes)?;
        let symbols = Finder::new(front.symbols)?;
        // Its table of joins is that of the front.
        let (spaced, words, cuts) = (Some(front.prefix), None, false);
        let path = Path::Chain { runner, spaced, symbols, words, cuts };
        let plan = Plan::with_parts(model, path, merger, splitter, cache_bytes)?;
        plan.joins.get_or_make(|| Joins::new(vocab));
        Ok(plan)
    }

    fn with_path(model: Arc<Model>, path: Path, cache_bytes: usize) -> Result<Plan> {
        if let Merges::Listed(pairs) = &model.merges {
            Merger::try_memory(pairs.len())?;
        }
        let merger = Merger::new(&model)?;
        let splitter = Splitter::new(&model.pattern)?;
        let is_bytes = matches!(path, Path::Bytes);
        let superwords = if is_bytes { Superwords::of(&model, cache_bytes)? } else { None };
        let plan = Plan::with_parts(model, path, merger, splitter, cache_bytes)?;
        Ok(Plan { superwords: superwords.map(Box::new), ..plan })
    }

    pub(super) fn with_parts(
        model: Arc<Model>,
        path: Path,
        merger: Merger,
        splitter: Splitter,
        cache_bytes: usize,
    ) -> Result<Plan> {
        let is_bytes = matches!(path, Path::Bytes);
        Ok(Plan {
            splitter,
            missing_bytes: if is_bytes { merger.missing_bytes() } else { Vec::new() },
            path,
            merger,
            superwords: None,
            joins: FirstUse::new(),
            unk_merges: unk_merges(&model),
            all: Finders::of_some(&model, |_, _| true)?,
            always: Finders::of_some(&model, |_, token| token.always)?,
            selections: Selections::new(&model),
            level: Level::chosen()?,
            model,
            cache_bytes,
        })
    }

    /// What a thread needs to encode. The cache of a WordPiece model starts with the words that are tokens.
    pub(crate) fn new_scratch(&self) -> Scratch {
        let mut scratch = Scratch::new(self.cache_bytes);
        if let Path::Words(Words::Fast(fast)) = &self.path {
            self.remember_vocabulary(fast, &mut scratch);
        }
        scratch
    }

    /// Whether this is byte-level BPE.
    pub(crate) fn is_bytes(&self) -> bool {
        matches!(self.path, Path::Bytes)
    }

    /// Whether short documents can be packed into one batch, if no added tokens are searched for in normalised text.
    pub(crate) fn packs(&self) -> bool {
        match &self.path {
            Path::Bytes => self.model.normalizer == Normalizer::None && self.superwords.is_none(),
            Path::Chain { spaced, words, .. } => spaced.is_some() || words.is_some(),
            _ => false,
        }
    }

    /// Whether a text may have an added token of the first phase, or a user-defined symbol.
    #[inline]
    pub(super) fn has_added(&self, text: &[u8], finders: &Finders) -> bool {
        let symbols =
            if let Path::Chain { symbols, .. } = &self.path { Some(symbols) } else { None };
        finders.raw.first(text).is_some()
            || symbols.is_some_and(|symbols| has_symbol(symbols, text))
    }

    /// What cuts raw text at white space, for models that are encoded so, and what encodes its parts.
    #[inline(always)]
    pub(super) fn raw_words(&self) -> Option<(&Runner, &RawWords)> {
        let Path::Chain { runner, words, .. } = &self.path else { return None };
        words.as_deref().map(|words| (&**runner, words))
    }

    /// When there is a space before a text, for models that are encoded with spaces in their tokens.
    pub(super) fn spaced(&self) -> Option<Prefix> {
        if let Path::Chain { spaced, .. } = self.path { spaced } else { None }
    }

    /// Whether every text can be encoded, so that no error has to say where it is.
    pub(crate) fn takes_everything(&self, allowed: &Allowed) -> bool {
        // A character that a SentencePiece model does not know is its bytes.
        let has_all = matches!(self.path, Path::Bytes | Path::Words(_)) || self.spaced().is_some();
        has_all && self.missing_bytes.is_empty() && *allowed != Allowed::Error
    }

    /// Where a long piece may be cut.
    #[inline]
    pub(super) fn joins(&self) -> &Joins {
        self.joins.get_or_make(|| Joins::new(&self.model.vocab))
    }

    /// Where texts may be cut in which these added tokens are searched for.
    pub(crate) fn boundary<'a>(&'a self, finders: &'a Finders) -> Boundary<'a> {
        let depends_on_place = { self.model.chain.as_ref() }.is_some_and(|c| c.depends_on_place());
        let boundary = Boundary::new(self.model.normalizer, &self.splitter, &finders.raw)
            .with_normal(&finders.normal)
            .never_after_special(depends_on_place);
        // What is found in the normalised text is spelled otherwise there.
        let unsure = matches!(self.path, Path::Chain { .. }) && !finders.normal.is_empty();
        if unsure { boundary.with_part_start(PartStart::Never) } else { boundary }
    }

    /// The same for texts whose parts are encoded as texts of their own.
    pub(crate) fn boundary_of_parts<'a>(&'a self, finders: &'a Finders) -> Boundary<'a> {
        let boundary = self.boundary(finders);
        match self.spaced() {
            Some(Prefix::First) => boundary.with_part_start(PartStart::Space),
            Some(Prefix::Always | Prefix::Start) => boundary.with_part_start(PartStart::Never),
            _ => boundary,
        }
    }

    /// Encodes a text, added tokens and all.
    pub(crate) fn encode_text(
        &self,
        text: &[u8],
        finders: &Finders,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) -> Result<()> {
        if finders.raw.is_empty() {
            return self.encode_raw(text, (0, false), finders, scratch, sink);
        }
        finders.raw.split(text, |span| self.encode_span(text, &span, finders, scratch, sink))
    }

    /// Encodes a part of a text between two places where `boundary` allows a cut.
    pub(crate) fn encode_block(
        &self,
        text: &[u8],
        block: &[Span],
        finders: &Finders,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) -> Result<()> {
        block.iter().try_for_each(|span| self.encode_span(text, span, finders, scratch, sink))
    }

    fn encode_span(
        &self,
        text: &[u8],
        span: &Span,
        finders: &Finders,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) -> Result<()> {
        match span.special {
            Some(id) => sink.many(&[id]),
            None => {
                let place = (span.start, span.goes_on);
                self.encode_raw(&text[span.start..span.end], place, finders, scratch, sink)
            }
        }
    }

    /// Encodes what stands between two added tokens, not yet normalised. `place`: where it starts in the text, and
    /// whether it was cut off from what stands before it.
    fn encode_raw(
        &self,
        text: &[u8],
        place: (usize, bool),
        finders: &Finders,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) -> Result<()> {
        if let Path::Words(Words::Fast(fast)) = &self.path
            && let Some(front) = fast.front.as_ref().filter(|_| finders.normal.is_empty())
        {
            return self.encode_texts(fast, front, &[text], scratch, sink);
        }
        if let Path::Chain { runner, spaced, symbols, words, .. } = &self.path {
            let fast = finders.normal.is_empty();
            return match spaced.filter(|_| fast) {
                Some(prefix) => self.encode_spaced((prefix, symbols), text, place, scratch, sink),
                None if words.is_some() && finders.normal.is_empty() => {
                    self.encode_merged(text, scratch, sink)
                }
                None => self.encode_chain(runner, text, place.0, finders, scratch, sink),
            };
        }
        let text = self.model.normalizer.apply_by_blocks(text)?;
        if finders.normal.is_empty() {
            return self.encode_ordinary(&text, scratch, sink);
        }
        finders.normal.split(&text, |span| match span.special {
            Some(id) => sink.many(&[id]),
            None => self.encode_ordinary(&text[span.start..span.end], scratch, sink),
        })
    }

    /// Encodes a normalised text without added tokens, by the path of the model.
    pub(super) fn encode_ordinary(
        &self,
        text: &[u8],
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) -> Result<()> {
        match &self.path {
            Path::Words(words) => self.encode_word_pieces(words, text, scratch, sink),
            Path::NonByte | Path::Longest(_) => self.encode_words(text, scratch, sink),
            Path::Bytes | Path::Chain { .. } => self.encode_merged(text, scratch, sink),
        }
    }

    /// Encodes a text that only has to be cut and merged, by the way of byte-level BPE.
    pub(super) fn encode_merged(
        &self,
        text: &[u8],
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) -> Result<()> {
        if let Some(superwords) = &self.superwords {
            let done = self.encode_superwords(superwords, text, scratch, sink);
            return done.inspect_err(|_| scratch.forget());
        }
        if self.encode_short(text, scratch, sink)? {
            return Ok(());
        }
        self.encode_pieces(text, scratch, sink).inspect_err(|_| scratch.forget())
    }
}

/// Whether a text has one of these, whose spaces are spelled as spaces.
fn has_symbol(symbols: &Finder, text: &[u8]) -> bool {
    !symbols.is_empty() && symbols.first(&metaspace::with_spaces(text)).is_some()
}

/// A model without merges.
fn no_model() -> Model {
    Model::new(
        Vocab::default(),
        Merges::Listed(Vec::new()),
        Pattern::Named(Named::None),
        Vec::new(),
    )
}

/// Whether the unk token is part of a listed merge.
fn unk_merges(model: &Model) -> bool {
    let Merges::Listed(pairs) = &model.merges else { return false };
    let Some(unk) = model.start.unk else { return false };
    pairs.iter().any(|&(left, right)| left == unk || right == unk)
}

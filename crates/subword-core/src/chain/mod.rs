/*!
The plain chain: what a `tokenizer.json` says, one plain function per step.

```text
text -> added tokens -> normalizer steps -> added tokens -> pre-tokenizer steps -> model -> ids
ids  -> tokens -> decoder steps -> text
```

It defines the ids, offsets and text of every file that Hugging Face's library loads, and runs those that no fast path
runs. A file is compiled once ([`Runner::new`]). Its text is one [`Pieces`]: a text with the source of each byte, and the
pieces that it is cut into.

| file         | what it does                                                        |
|--------------|---------------------------------------------------------------------|
| `aligned`    | a text that knows where each byte comes from, and how changes keep that |
| `normalize`  | the normalizer steps                                                |
| `charsmap`   | the character map of SentencePiece                                  |
| `search`     | matches, and the five things that can become of them                |
| `pretok`     | the pre-tokenizer steps                                             |
| `raw_words`  | the common chain of Unigram models, one raw word after the other     |
| `characters` | what single characters are; `scripts_table`: their scripts          |
| `bpe` `words` | the models: BPE; WordPiece and WordLevel (Unigram is `unigram`)    |
| `piece_text` `pieces` | SentencePiece's own rules: the text before merging; merging by score and decoding |
| `decode`     | the decoder steps                                                   |

Invariants
* Offsets are those of the library, also where they surprise: see [`aligned`] and [`bpe`].
* Nothing here is quadratic in a text, however few pieces it has.

A byte that is not part of valid UTF-8 counts as U+FFFD.
*/

mod aligned;
mod bpe;
mod characters;
mod charsmap;
mod decode;
mod normalize;
mod piece_text;
mod pieces;
mod pretok;
mod raw_words;
mod scripts_table;
mod search;
mod words;

use std::ops::Range;

use crate::dropout::Dropout;
use crate::error::{Error, Result};
use crate::model::{Chain, ChainModel, Model, PieceRule};
use crate::special::Finder;
use crate::types::TokenId;
use crate::unigram::{Unigram, UnigramScratch};
use aligned::{Aligned, Source, View};
use bpe::{Bpe, BpeScratch};
use pieces::PieceMerger;
use pretok::PreTokenizer;
use raw_words::RawPieces;
use words::{WordPieces, word_level};

pub(crate) use bpe::merged;
pub(crate) use decode::{CLEANUP, Decoders};
pub(crate) use normalize::Normalizers;
pub(crate) use pieces::decode_pieces;
pub(crate) use raw_words::RawWords;

/// A chain, ready to run.
#[derive(Debug)]
pub(crate) struct Runner {
    normalizers: Normalizers,
    pre_tokenizers: Vec<PreTokenizer>,
    model: Words,
}

/// A model, ready to run.
#[derive(Debug)]
enum Words {
    Bpe(Box<Bpe>),
    WordPiece(WordPieces),
    WordLevel { unk_token: String },
    SentencePiece(Box<PieceMerger>),
    Unigram(Box<Unigram>),
}

/// What a thread keeps between texts.
#[derive(Debug, Default)]
pub(crate) struct ChainScratch {
    bpe: BpeScratch,
    unigram: UnigramScratch,
    /// The pieces of a raw word.
    words: RawPieces,
    tokens: Vec<(TokenId, usize)>,
}

/// A text in pieces.
#[derive(Debug)]
pub(crate) struct Pieces {
    text: Aligned,
    pieces: Vec<Piece>,
}

/// A part of the text of some pieces.
#[derive(Debug, Clone, Copy)]
struct Piece {
    start: usize,
    end: usize,
    /// The part of the original text that it was cut from.
    original: Source,
    /// The added token that it is.
    token: Option<TokenId>,
}

/// A piece as others see it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CutPiece<'p> {
    view: View<'p>,
    /// The added token that it is.
    pub(crate) token: Option<TokenId>,
    /// Where it starts and ends in the text of all pieces.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Runner {
    pub(crate) fn new(model: &Model, chain: &Chain) -> Result<Runner> {
        let pre_tokenizers = chain.pre_tokenizer.iter().map(PreTokenizer::new);
        let words = match &chain.model {
            ChainModel::Bpe(options) => Words::Bpe(Box::new(Bpe::new(model, options)?)),
            ChainModel::WordPiece { unk_token, prefix, max_characters } => {
                Words::WordPiece(WordPieces::new(model, unk_token, prefix, *max_characters))
            }
            ChainModel::WordLevel { unk_token } => {
                Words::WordLevel { unk_token: unk_token.clone() }
            }
            ChainModel::SentencePiece(pieces) => match &pieces.rule {
                PieceRule::Merge(ranks) => {
                    Words::SentencePiece(Box::new(PieceMerger::new(model, pieces, ranks)?))
                }
                PieceRule::BestSum(scores) => {
                    let unigram = Unigram::of_pieces(&model.vocab, pieces, scores)?;
                    Words::Unigram(Box::new(unigram))
                }
            },
            ChainModel::Unigram(options) => {
                Words::Unigram(Box::new(Unigram::new(&model.vocab, options)))
            }
        };
        Ok(Runner {
            normalizers: Normalizers::new(&chain.normalizer)?,
            pre_tokenizers: pre_tokenizers.collect::<Result<_>>()?,
            model: words,
        })
    }

    /// The pieces of the text between two added tokens of the first phase, which starts at `base` in the whole text.
    /// `added` finds those of the second phase.
    pub(crate) fn pieces(&self, text: &[u8], base: usize, added: &Finder) -> Result<Pieces> {
        let mut pieces = self.normalized(text, base, added)?;
        for step in &self.pre_tokenizers {
            step.apply(&mut pieces)?;
        }
        Ok(pieces)
    }

    /// The normalised text, with its added tokens as pieces.
    fn normalized(&self, text: &[u8], base: usize, added: &Finder) -> Result<Pieces> {
        let end = base + text.len();
        if u32::try_from(end).is_err() {
            let message = format!("a text of {end} bytes is over the limit of 4 GiB");
            return Err(Error::Text { message, position: 0 });
        }
        let original = (base as u32, end as u32);
        let mut normal = read(text, base);
        if !self.normalizers.is_empty() {
            self.normalizers.apply(&mut normal, original)?;
        }
        let mut pieces = Vec::new();
        let view = View { text: &normal.text, sources: &normal.sources, original };
        added.split(normal.text.as_bytes(), |span| {
            let original = view.original_of(span.start, span.end);
            pieces.push(Piece { start: span.start, end: span.end, original, token: span.special });
            Ok(())
        })?;
        Ok(Pieces { text: normal, pieces })
    }

    /// Calls `each` with every token of a raw word, or what else was cut off at white space.
    pub(crate) fn encode_raw(
        &self,
        model: &Model,
        words: &RawWords,
        part: &[u8],
        scratch: &mut ChainScratch,
        mut each: impl FnMut(TokenId) -> Result<()>,
    ) -> Result<()> {
        if let Ok(part) = simdutf8::basic::from_utf8(part)
            && let Words::Unigram(unigram) = &self.model
            && words.pieces(part, &mut scratch.words)
        {
            let ChainScratch { unigram: room, words: found, .. } = scratch;
            return found
                .iter()
                .try_for_each(|piece| unigram.encode(&model.vocab, piece, room, |id, _| each(id)));
        }
        let pieces = self.pieces(part, 0, &words.no_tokens)?;
        pieces
            .iter()
            .try_for_each(|piece| self.encode_piece(model, piece.text(), scratch, |id, _| each(id)))
    }

    /// Calls `each` with every token of a piece that is no added token, and where its text is in the piece.
    pub(crate) fn encode_piece(
        &self,
        model: &Model,
        piece: &str,
        scratch: &mut ChainScratch,
        each: impl FnMut(TokenId, Range<usize>) -> Result<()>,
    ) -> Result<()> {
        self.encode_with_dropout(model, piece, scratch, &mut Dropout::none(), each)
    }

    /// The same without the merges that are left out, for models that merge.
    pub(crate) fn encode_with_dropout(
        &self,
        model: &Model,
        piece: &str,
        scratch: &mut ChainScratch,
        dropout: &mut Dropout,
        mut each: impl FnMut(TokenId, Range<usize>) -> Result<()>,
    ) -> Result<()> {
        if let Words::Unigram(unigram) = &self.model {
            return unigram.encode(&model.vocab, piece, &mut scratch.unigram, each);
        }
        let mut at = 0;
        let mut next = |id, len| {
            at += len;
            each(id, at - len..at)
        };
        match &self.model {
            Words::Bpe(bpe) => bpe.encode(model, piece, &mut scratch.bpe, dropout, next),
            Words::WordPiece(words) => words.encode(model, piece, &mut scratch.tokens, next),
            Words::WordLevel { unk_token } => {
                next(word_level(model, piece, unk_token)?, piece.len())
            }
            Words::SentencePiece(merger) => merger.encode(model, piece, dropout, next),
            Words::Unigram(_) => Ok(()),
        }
    }
}

/// A text as characters, with their places in the whole text. What is no character counts as U+FFFD.
fn read(text: &[u8], base: usize) -> Aligned {
    let mut out = match std::str::from_utf8(text) {
        Ok(text) => Aligned::identity(text.to_owned()),
        Err(_) => {
            let mut out = Aligned::default();
            let mut at = 0;
            for chunk in text.utf8_chunks() {
                let valid = chunk.valid().char_indices().map(|(i, c)| (i, c, c.len_utf8()));
                let valid_len = chunk.valid().len();
                let invalid = (0..chunk.invalid().len()).map(|i| (valid_len + i, '\u{FFFD}', 1));
                for (i, c, len) in valid.chain(invalid) {
                    out.push(c, ((at + i) as u32, (at + i + len) as u32));
                }
                at += valid_len + chunk.invalid().len();
            }
            out
        }
    };
    if base > 0 {
        let base = base as u32;
        out.sources.iter_mut().for_each(|source| *source = (source.0 + base, source.1 + base));
    }
    out
}

impl Pieces {
    fn view(&self, piece: &Piece) -> View<'_> {
        View {
            text: &self.text.text[piece.start..piece.end],
            sources: &self.text.sources[piece.start..piece.end],
            original: piece.original,
        }
    }

    /// The text of all pieces.
    pub(crate) fn text(&self) -> &str {
        &self.text.text
    }

    /// The pieces, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = CutPiece<'_>> {
        self.pieces.iter().map(|piece| CutPiece {
            view: self.view(piece),
            token: piece.token,
            start: piece.start,
            end: piece.end,
        })
    }
}

impl CutPiece<'_> {
    /// The text of the piece.
    pub(crate) fn text(&self) -> &str {
        self.view.text
    }

    /// Where in the original text a part of the piece comes from.
    pub(crate) fn place(&self, start: usize, end: usize) -> (usize, usize) {
        if start == end || end > self.view.text.len() {
            // The library has no answer then, and gives the place in the piece.
            let base = if start == end { self.view.original.0 as usize } else { 0 };
            return (base + start, base + end);
        }
        let (start, end) = self.view.original_of(start, end);
        (start as usize, end as usize)
    }
}

/*!
A SentencePiece file as it is: pieces with scores and kinds, what training said, what normalisation says. Of both
specifications only what says how text is encoded and decoded is kept.

The checks are those of the library that reads the file: pieces are not empty and not there twice, one of them is
unknown, and with byte fallback all 256 bytes are there. A piece that is there twice in different kinds is refused
here as well; the library would hide one of them.
*/

use std::collections::HashSet;

use super::protobuf::{Field, Message};
use crate::error::{Error, Result};
use crate::model::PieceKind;
use crate::vocab::MAX_ID;

/// What a decoder writes for the unknown piece, if the file does not say.
const UNK_SURFACE: &str = " \u{2047} ";

/// What is in a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SentencePieceFile {
    /// The pieces, by id.
    pub(crate) pieces: Vec<ScoredPiece>,
    pub(crate) trainer: TrainerSpec,
    pub(crate) normalizer: NormalizerSpec,
}

/// A piece.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ScoredPiece {
    pub(crate) text: String,
    pub(crate) score: f32,
    pub(crate) kind: PieceKind,
}

/// The algorithm of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Algorithm {
    Unigram,
    Bpe,
    Word,
    Char,
}

/// What training said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TrainerSpec {
    pub(crate) algorithm: Algorithm,
    pub(crate) whitespace_as_suffix: bool,
    pub(crate) byte_fallback: bool,
    pub(crate) unk_surface: String,
}

/// What happens to a text first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NormalizerSpec {
    pub(crate) charsmap: Vec<u8>,
    pub(crate) add_dummy_prefix: bool,
    pub(crate) remove_extra_whitespaces: bool,
    pub(crate) escape_whitespaces: bool,
}

impl SentencePieceFile {
    /// Reads a file.
    pub(crate) fn read(bytes: &[u8]) -> Result<SentencePieceFile> {
        let mut file = SentencePieceFile {
            pieces: Vec::new(),
            trainer: TrainerSpec::default(),
            normalizer: NormalizerSpec::default(),
        };
        Message::new(bytes).fields(|field| {
            match field.number {
                1 => file.pieces.push(read_piece(field)?),
                2 => file.trainer.read(field.message()?)?,
                3 => file.normalizer.read(field.message()?)?,
                5 => {
                    let mut spec = NormalizerSpec::default();
                    spec.read(field.message()?)?;
                    if !spec.charsmap.is_empty() {
                        return Err(
                            field.error("a denormalizer with a character map is not supported")
                        );
                    }
                }
                _ => {}
            }
            Ok(())
        })?;
        file.check()?;
        Ok(file)
    }

    fn check(&self) -> Result<()> {
        let wrong = |message: String| Err(Error::format(message));
        if self.pieces.len() > MAX_ID as usize {
            return wrong(format!("{} pieces, the limit is {MAX_ID}", self.pieces.len()));
        }
        let mut seen = HashSet::with_capacity(self.pieces.len());
        for (id, piece) in self.pieces.iter().enumerate() {
            let text = &piece.text;
            if text.is_empty() {
                return wrong(format!("piece {id} is empty"));
            }
            if !seen.insert(text.as_str()) {
                return wrong(format!("the piece {text:?} is there twice (ids up to {id})"));
            }
            if piece.score.is_nan() {
                return wrong(format!("the score of the piece {text:?} is not a number"));
            }
        }
        let of = |kind| self.pieces.iter().filter(move |piece| piece.kind == kind);
        if of(PieceKind::Unknown).count() != 1 {
            let found = of(PieceKind::Unknown).count();
            return wrong(format!("expected one piece of the kind unknown, found {found}"));
        }
        let bytes = of(PieceKind::Byte).count();
        if self.trainer.byte_fallback {
            let missing = |byte: &u8| !seen.contains(format!("<0x{byte:02X}>").as_str());
            if let Some(byte) = (0..=255).find(missing) {
                return wrong(format!("byte_fallback needs the piece \"<0x{byte:02X}>\""));
            }
        }
        if bytes != if self.trainer.byte_fallback { 256 } else { 0 } {
            return wrong(format!(
                "{bytes} pieces are bytes, and byte_fallback is {}",
                self.trainer.byte_fallback
            ));
        }
        Ok(())
    }
}

fn read_piece(field: Field) -> Result<ScoredPiece> {
    let mut piece = ScoredPiece { text: String::new(), score: 0.0, kind: PieceKind::Normal };
    field.message()?.fields(|field| {
        match field.number {
            1 => piece.text = field.text()?,
            2 => piece.score = field.float()?,
            3 => {
                piece.kind = match field.number()? {
                    1 => PieceKind::Normal,
                    2 => PieceKind::Unknown,
                    3 => PieceKind::Control,
                    4 => PieceKind::UserDefined,
                    5 => PieceKind::Unused,
                    6 => PieceKind::Byte,
                    other => {
                        return Err(field.error(format_args!("{other} is no kind of piece")));
                    }
                };
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(piece)
}

impl Default for TrainerSpec {
    fn default() -> Self {
        TrainerSpec {
            algorithm: Algorithm::Unigram,
            whitespace_as_suffix: false,
            byte_fallback: false,
            unk_surface: UNK_SURFACE.to_owned(),
        }
    }
}

impl TrainerSpec {
    fn read(&mut self, message: Message) -> Result<()> {
        message.fields(|field| {
            match field.number {
                3 => {
                    self.algorithm = match field.number()? {
                        1 => Algorithm::Unigram,
                        2 => Algorithm::Bpe,
                        3 => Algorithm::Word,
                        4 => Algorithm::Char,
                        other => {
                            return Err(field.error(format_args!("{other} is no type of model")));
                        }
                    };
                }
                24 => self.whitespace_as_suffix = field.bool()?,
                35 => self.byte_fallback = field.bool()?,
                44 => self.unk_surface = field.text()?,
                _ => {}
            }
            Ok(())
        })
    }
}

impl Default for NormalizerSpec {
    fn default() -> Self {
        NormalizerSpec {
            charsmap: Vec::new(),
            add_dummy_prefix: true,
            remove_extra_whitespaces: true,
            escape_whitespaces: true,
        }
    }
}

impl NormalizerSpec {
    fn read(&mut self, message: Message) -> Result<()> {
        message.fields(|field| {
            match field.number {
                2 => self.charsmap = field.message()?.bytes().to_vec(),
                3 => self.add_dummy_prefix = field.bool()?,
                4 => self.remove_extra_whitespaces = field.bool()?,
                5 => self.escape_whitespaces = field.bool()?,
                _ => {}
            }
            Ok(())
        })
    }
}

/*!
What a SentencePiece model of type BPE says, as data.

Such a model has no list of merges. Any two neighbours whose text together is a piece merge, the piece of the best
score first; of equal scores the leftmost. Scores are only compared, so here they are ranks: 0 is the best, and equal
scores have equal ranks.
*/

use std::sync::Arc;

/// The pieces of a model, by id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PieceModel {
    /// What each piece is for.
    pub kinds: Vec<PieceKind>,
    /// The rank of each piece: the lowest merges first.
    pub ranks: Vec<u32>,
    /// The other settings.
    pub settings: Arc<PieceSettings>,
}

/// What a piece is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PieceKind {
    /// It is made by merging.
    Normal,
    /// It stands for characters that are no pieces.
    Unknown,
    /// It is never found in a text, and has none.
    Control,
    /// It is found before anything is merged, and takes no part in merges.
    UserDefined,
    /// It is made by merging, and taken apart again at the end.
    Unused,
    /// It is one byte of a character that is no piece.
    Byte,
}

impl PieceKind {
    /// Every kind, with its name in native files.
    pub(crate) const ALL: [(&'static str, PieceKind); 6] = [
        ("normal", PieceKind::Normal),
        ("unknown", PieceKind::Unknown),
        ("control", PieceKind::Control),
        ("user-defined", PieceKind::UserDefined),
        ("unused", PieceKind::Unused),
        ("byte", PieceKind::Byte),
    ];

    /// Whether text can become such a piece by merging or as it is written.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, PieceKind::Normal | PieceKind::UserDefined | PieceKind::Unused)
    }
}

/// How a text is normalised, and how pieces become text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PieceSettings {
    /// The character map; empty if characters stay as they are.
    pub charsmap: Vec<u8>,
    /// A space is put before a text, or after it in suffix mode.
    pub add_dummy_prefix: bool,
    /// Spaces at the ends are dropped, and several in a row are one.
    pub remove_extra_whitespaces: bool,
    /// A space is written `▁`.
    pub escape_whitespaces: bool,
    /// Suffix mode: spaces end words.
    pub whitespace_as_suffix: bool,
    /// A character that is no piece is its bytes.
    pub byte_fallback: bool,
    /// The piece of characters that are no pieces.
    pub unk_token: String,
    /// What that piece becomes in a text.
    pub unk_surface: String,
    /// The pieces that are user-defined.
    pub symbols: Vec<String>,
}

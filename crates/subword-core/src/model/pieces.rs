/*!
What a SentencePiece model says, as data.

One of the type BPE has no list of merges. Any two neighbours whose text together is a piece merge, the piece of the
best score first; of equal scores the leftmost. Scores are only compared, so here they are ranks: 0 is the best, and
equal scores have equal ranks. Of one of the type Unigram the scores are added, so they stay what they are: numbers of
32 bits, which those of 64 bits hold.
*/

use std::sync::Arc;

use super::Score;

/// The pieces of a model, by id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PieceModel {
    /// What each piece is for.
    pub kinds: Vec<PieceKind>,
    /// Which pieces a text becomes.
    pub rule: PieceRule,
    /// The other settings.
    pub settings: Arc<PieceSettings>,
}

/// Which pieces a text becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PieceRule {
    /// BPE: merges by the rank of each piece, the lowest first.
    Merge(Vec<u32>),
    /// Unigram: the pieces whose scores have the highest sum.
    BestSum(Vec<Score>),
}

impl PieceModel {
    /// The scores of a model of the type Unigram.
    pub fn scores(&self) -> Option<&[Score]> {
        if let PieceRule::BestSum(scores) = &self.rule { Some(scores) } else { None }
    }
}

/// What a piece is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PieceKind {
    /// A text becomes it by the rule.
    Normal,
    /// It stands for characters that are no pieces.
    Unknown,
    /// It is never found in a text, and has none.
    Control,
    /// It is found before anything else, and takes no part in merges.
    UserDefined,
    /// Merging makes it, and it is taken apart again at the end; of Unigram it is no part.
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

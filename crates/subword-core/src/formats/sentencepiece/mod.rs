/*!
`tokenizer.model`, the files of the sentencepiece library.

```text
bytes -> fields (protobuf) -> pieces and specifications (file) -> Model with a chain
```

Ids, pieces and decoding are those of the library: see `chain::pieces` and `unigram` for what that is. Models of the
types BPE and Unigram are read; other types are refused by their name.

The library merges by score, so a file of the type BPE has no merges. Where a list of merges gives the same pieces (`merges`), the
model has that list too: by it the fast path of SentencePiece's BPE runs, and a `tokenizer.json` can be written
([`as_tokenizer_json`]).
*/

mod convert;
mod file;
mod merges;
mod protobuf;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::model::{
    Chain, ChainModel, ChainSource, Merges, Model, Named, NormalizerStep, Pattern, PieceKind,
    PieceModel, PieceRule, PieceSettings, Score, SpecialToken,
};
use crate::vocab::Vocab;

pub(super) use convert::as_tokenizer_json;
use file::{Algorithm, ScoredPiece, SentencePieceFile};

/// Whether a file starts as these do: with a piece, whose text comes first.
pub(super) fn recognise(bytes: &[u8]) -> bool {
    let &[0x0A, whole, 0x0A, text, ..] = bytes else { return false };
    let after = usize::from(text) + 4;
    let fits = whole < 0x80 && text < 0x80 && text + 2 <= whole;
    let next = if text + 2 == whole { &[0x0A, 0x12, 0x1A][..] } else { &[0x15, 0x18][..] };
    fits && bytes.get(after).is_some_and(|tag| next.contains(tag))
}

/// The model in a file.
pub(super) fn read(bytes: &[u8]) -> Result<Model> {
    let SentencePieceFile { pieces, trainer, normalizer } = SentencePieceFile::read(bytes)?;
    let refused = |name: &str| {
        let message = format!("a SentencePiece model of the type {name} is not supported");
        Err(Error::format(message).with_hint("subword reads those of the types BPE and Unigram"))
    };
    let rule = match trainer.algorithm {
        Algorithm::Bpe => PieceRule::Merge(ranks(pieces.iter().map(|piece| piece.score).collect())),
        Algorithm::Unigram => PieceRule::BestSum(scores(&pieces)?),
        Algorithm::Word => return refused("Word"),
        Algorithm::Char => return refused("Char"),
    };
    let unknown = pieces.iter().find(|piece| piece.kind == PieceKind::Unknown);
    let symbols = pieces.iter().filter(|piece| piece.kind == PieceKind::UserDefined);
    let settings = PieceSettings {
        charsmap: normalizer.charsmap,
        add_dummy_prefix: normalizer.add_dummy_prefix,
        remove_extra_whitespaces: normalizer.remove_extra_whitespaces,
        escape_whitespaces: normalizer.escape_whitespaces,
        whitespace_as_suffix: trainer.whitespace_as_suffix,
        byte_fallback: trainer.byte_fallback,
        unk_token: unknown.map_or(String::new(), |piece| piece.text.clone()),
        unk_surface: trainer.unk_surface,
        symbols: symbols.map(|piece| piece.text.clone()).collect(),
    };
    let control = pieces.iter().zip(0..).filter(|(piece, _)| piece.kind == PieceKind::Control);
    let special = control.map(|(piece, id)| SpecialToken::new(piece.text.clone(), id)).collect();
    let vocab = Vocab::new(pieces.iter().zip(0..).map(|(piece, id)| (id, piece.text.as_bytes())))?;
    let kinds = pieces.iter().map(|piece| piece.kind).collect();
    model(vocab, PieceModel { kinds, rule, settings: Arc::new(settings) }, special)
}

/// The model of these pieces.
pub(super) fn model(
    vocab: Vocab,
    pieces: PieceModel,
    special_tokens: Vec<SpecialToken>,
) -> Result<Model> {
    let merges = merges::listed(&vocab, &pieces)?.unwrap_or_default();
    let pattern = Pattern::Named(Named::None);
    let mut model = Model::new(vocab, Merges::Listed(merges), pattern, special_tokens);
    let none = || "null".to_owned();
    model.chain = Some(Arc::new(Chain {
        normalizer: vec![NormalizerStep::SentencePiece(pieces.settings.clone())],
        pre_tokenizer: Vec::new(),
        model: ChainModel::SentencePiece(pieces),
        trims: Vec::new(),
        decoder: None,
        normalized_tokens: BTreeMap::new(),
        source: ChainSource {
            normalizer: none(),
            pre_tokenizer: none(),
            post_processor: none(),
            decoder: none(),
        },
    }));
    model.checked()
}

/// The scores of pieces whose sums decide.
fn scores(pieces: &[ScoredPiece]) -> Result<Vec<Score>> {
    let score = |piece: &ScoredPiece| {
        // The library's trie ends a piece at a zero byte.
        if piece.kind.is_text() && piece.text.contains('\0') {
            return Err(Error::format(format!("the piece {:?} has a zero byte", piece.text)));
        }
        let infinite = || Error::format(format!("the score of {:?} is infinite", piece.text));
        Score::new(f64::from(piece.score)).ok_or_else(infinite)
    };
    pieces.iter().map(score).collect()
}

/// The rank of each score: the highest score has rank 0, equal scores have equal ranks.
fn ranks(scores: Vec<f32>) -> Vec<u32> {
    let mut sorted = scores.clone();
    sorted.sort_by(|a, b| b.total_cmp(a));
    sorted.dedup_by(|a, b| a == b);
    // Zero has two spellings, which are equal.
    let rank = |score: &f32| sorted.partition_point(|other| other > score) as u32;
    scores.iter().map(rank).collect()
}

#[cfg(test)]
mod tests;

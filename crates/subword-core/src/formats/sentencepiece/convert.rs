/*!
A SentencePiece model as the chain of a `tokenizer.json`, where Hugging Face's library then gives equal ids.

```text
normalizer   Prepend "▁" if a space is put before a text; Replace " " by "▁"
model        BPE by the list of merges, with byte fallback or an unk token that is fused
decoder      Replace "▁" by " ", ByteFallback, Fuse, and Strip of the space that was prepended
```

What that cannot say is refused by its name: a model of the type Unigram (its sums are kept in 32 bits, those of the
library in 64, and so other sums tie), a character map (the library reads it in another way), white space that is
dropped or left as it is, suffix mode, unused pieces, an unknown piece that is a character (it would be found in a
text), and scores that no list of merges stands for. User-defined
pieces are added tokens that are found in the normalised text; a file that prepends a space would prepend it to
them, too, so both together are refused.

Two things differ where sentencepiece has no say. Control pieces are added tokens of the file, and found in a text
there; and a run of bytes that is no text decodes to other replacement characters.
*/

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::model::{
    BpeOptions, Chain, ChainModel, ChainSource, Merges, Model, PieceKind, PieceModel, SpecialToken,
};

/// The model with the chain of a `tokenizer.json`; none if it is no SentencePiece model.
pub(in crate::formats) fn as_tokenizer_json(model: &Model) -> Result<Option<Model>> {
    let Some(chain) = &model.chain else { return Ok(None) };
    let ChainModel::SentencePiece(pieces) = &chain.model else { return Ok(None) };
    check(model, pieces)?;
    let settings = &pieces.settings;
    let options = BpeOptions {
        unk_token: Some(settings.unk_token.clone()),
        fuse_unk: true,
        byte_fallback: settings.byte_fallback,
        ..BpeOptions::default()
    };
    let replace = r#"{"type":"Replace","pattern":{"String":" "},"content":"▁"}"#;
    let (normalizer, strip) = if settings.add_dummy_prefix {
        let prepend = r#"{"type":"Prepend","prepend":"▁"}"#;
        let both = format!("{{\"type\":\"Sequence\",\"normalizers\":[{prepend},{replace}]}}");
        (both, r#",{"type":"Strip","content":" ","start":1,"stop":0}"#)
    } else {
        (replace.to_owned(), "")
    };
    let decoder = format!(
        "{{\"type\":\"Sequence\",\"decoders\":[{{\"type\":\"Replace\",\"pattern\":{{\"String\":\"▁\"}},\
         \"content\":\" \"}},{{\"type\":\"ByteFallback\"}},{{\"type\":\"Fuse\"}}{strip}]}}"
    );
    let source = ChainSource { normalizer, decoder, ..chain.source.clone() };
    let mut converted = model.clone();
    let words = model.vocab.iter().filter(|&(id, _)| kind(pieces, id) == PieceKind::UserDefined);
    // No normalised text has a space, so one that has is never found.
    for (id, word) in words.filter(|(_, word)| !word.contains(&b' ')) {
        let mut token = SpecialToken::new(String::from_utf8_lossy(word), id);
        (token.always, token.normalized) = (true, true);
        converted.special_tokens.push(token);
    }
    converted.special_tokens.sort_by_key(|token| token.id);
    converted.chain =
        Some(Arc::new(Chain { model: ChainModel::Bpe(options), source, ..Chain::clone(chain) }));
    Ok(Some(converted))
}

fn kind(pieces: &PieceModel, id: u32) -> PieceKind {
    pieces.kinds.get(id as usize).copied().unwrap_or(PieceKind::Normal)
}

fn check(model: &Model, pieces: &PieceModel) -> Result<()> {
    let settings = &pieces.settings;
    let unlisted = || {
        let is_word = |(id, token): (u32, &[u8])| {
            let text = std::str::from_utf8(token).unwrap_or_default();
            kind(pieces, id).is_text() && text.chars().nth(1).is_some()
        };
        model.merges == Merges::Listed(Vec::new()) && model.vocab.iter().any(is_word)
    };
    let what = if pieces.scores().is_some() {
        "of the type Unigram, whose scores are added in 32 bits and there in 64"
    } else if !settings.charsmap.is_empty() {
        "with a character map"
    } else if settings.remove_extra_whitespaces {
        "that drops white space"
    } else if !settings.escape_whitespaces {
        "whose spaces stay spaces"
    } else if settings.add_dummy_prefix && settings.whitespace_as_suffix {
        "that puts a space behind a text"
    } else if settings.add_dummy_prefix && !settings.symbols.is_empty() {
        "with user-defined pieces that puts a space before a text"
    } else if pieces.kinds.contains(&PieceKind::Unused) {
        "with unused pieces"
    } else if settings.unk_token.chars().nth(1).is_none() {
        "whose unknown piece is a single character"
    } else if unlisted() {
        "whose scores are those of no list of merges"
    } else {
        return Ok(());
    };
    let message = format!("a tokenizer.json cannot hold a SentencePiece model {what}");
    Err(Error::format(message).with_hint("save it with format=\"native\""))
}

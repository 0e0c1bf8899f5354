/*!
SentencePiece's BPE, as a `tokenizer.json` or a `tokenizer.model` has it, without a normalised copy of the text.

The chain of such a file writes `▁` for every space, puts one before the text or does not, and merges what stands
between two added tokens as one piece, from characters or their bytes (Llama 2, Mistral, Gemma, Phi-3, Yi):

```text
"the cat"   ->   ▁the▁cat   ->   ▁the . ▁cat
```

Here the tables are changed and the text is not: in the tokens `▁` is a space. The text is cut wherever no token spans
(`pretok::ClassPairs`, `bpe::Joins`), and the pieces go the way of byte-level BPE: cache, batches, misses side by side.
The space before a text is put there in a copy, of a short text or of the first piece of a long one; `▁` in a text
and bytes that are no characters are replaced in a copy, too.

Why this gives the ids of the chain:
* Both texts differ only in how a space is spelled, and so do the tokens.
* A merge makes a token, so no merge crosses a cut. Tokens of bytes take no part in merges ([`of`] insists).
* Each token is spelled in one way, so what a pair makes depends on the pair alone.
*/

use std::borrow::Cow;

use memchr::memmem;

use super::{Plan, Scratch, Sink};
use crate::error::Result;
use crate::model::{
    Behavior, Chain, ChainModel, Matcher, Merges, Model, Named, NormalizerStep, Pattern, PieceKind,
    PieceModel, PreTokenizerStep, PrependScheme, SpecialToken,
};
use crate::special::Finder;
use crate::types::{Pair, TokenId};
use crate::vocab::Vocab;

/// What stands for a space.
const MARK: char = '▁';
const MARK_TEXT: &str = "▁";

/// A text of at most this many bytes is copied where it needs a space before it.
const SHORT: usize = 1 << 14;

/// When there is a space before a text that has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prefix {
    Never,
    /// At the start of the whole text, unless that is a space already.
    First,
    /// At the start of what stands between two added tokens, whatever that is.
    Always,
    /// At the start of the whole text, whatever that is.
    Start,
}

impl Prefix {
    /// Whether there is a space before a text that starts at `base` in the whole text; `goes_on`: it was cut off from
    /// what stands before it.
    fn stands_before(self, text: &[u8], base: usize, goes_on: bool) -> bool {
        let needs = match self {
            Prefix::Never => false,
            Prefix::First => base == 0 && text.first() != Some(&b' '),
            Prefix::Always => !goes_on,
            Prefix::Start => base == 0,
        };
        needs && !text.is_empty()
    }

    /// The same for a whole text.
    pub(super) fn stands_before_all(self, text: &[u8]) -> bool {
        self.stands_before(text, 0, false)
    }
}

/// The merges of such a model, in terms of spaces.
pub(super) struct Spaced {
    pub(super) prefix: Prefix,
    /// The tokens that merging starts from or makes, and the merges.
    pub(super) model: Model,
    /// The tokens of bytes.
    pub(super) bytes: [Option<TokenId>; 256],
    /// What is found before anything is merged, and takes no part in merges.
    pub(super) symbols: Vec<SpecialToken>,
}

/// The model in terms of spaces; none if it is not such a model.
pub(super) fn of(model: &Model, chain: &Chain) -> Option<Spaced> {
    let Merges::Listed(listed) = &model.merges else { return None };
    let prefix = match &chain.model {
        ChainModel::Bpe(options) => {
            let whole = |part: &Option<String>| part.as_deref().unwrap_or_default().is_empty();
            let plain = whole(&options.prefix) && whole(&options.suffix) && !model.ignore_merges;
            prefix_of(chain).filter(|_| options.byte_fallback && plain)?
        }
        ChainModel::SentencePiece(pieces) => prefix_of_pieces(pieces, listed).ok()?,
        _ => return None,
    };
    model.vocab.id_of(MARK_TEXT.as_bytes())?;
    let byte_token = |byte: usize| model.vocab.id_of(format!("<0x{byte:02X}>").as_bytes());
    let bytes = std::array::from_fn(byte_token);
    if !knows_all(&model.vocab, &bytes) {
        return None;
    }
    let mut is_byte = vec![false; model.vocab.id_limit() as usize];
    bytes.iter().flatten().for_each(|&id| is_byte[id as usize] = true);
    let mut used: Vec<(TokenId, String)> = Vec::new();
    let mut is_used = vec![false; model.vocab.id_limit() as usize];
    let mut use_token = |id: TokenId, token: &[u8]| -> Option<()> {
        let token = std::str::from_utf8(token).ok()?;
        if !std::mem::replace(&mut is_used[id as usize], true) {
            used.push((id, token.replace(MARK, " ")));
        }
        Some(())
    };
    // A character becomes its piece whatever that is for, even a control piece. Unknown ones become bytes, and the
    // user-defined are symbols.
    let is_found = |id: TokenId| {
        let kind = chain.pieces().and_then(|pieces| pieces.kinds.get(id as usize));
        kind.is_none_or(|kind| !matches!(kind, PieceKind::Unknown | PieceKind::UserDefined))
    };
    for (id, token) in model.vocab.iter().filter(|&(id, _)| is_found(id)) {
        let is_character = |token: &str| token.chars().count() == 1 && token != " ";
        if token.len() <= 4 && std::str::from_utf8(token).is_ok_and(is_character) {
            use_token(id, token)?;
        }
    }
    let mut pairs: Vec<Pair> = Vec::with_capacity(listed.len());
    for &(left, right) in listed {
        let (left_text, right_text) = (model.vocab.bytes_of(left)?, model.vocab.bytes_of(right)?);
        let joined = [left_text, right_text].concat();
        if is_byte[left as usize] || is_byte[right as usize] {
            return None;
        }
        // No text has a space when it is merged.
        if joined.contains(&b' ') {
            continue;
        }
        for (id, token) in [(left, left_text), (right, right_text)] {
            use_token(id, token)?;
        }
        use_token(model.vocab.id_of(&joined)?, &joined)?;
        pairs.push((left, right));
    }
    // They are among the tokens so that no cut goes through one. One with a space is never found, as no text has a
    // space by then.
    let mut symbols = Vec::new();
    let all = chain.pieces().map_or(&[][..], |pieces| &pieces.settings.symbols);
    for symbol in all.iter().filter(|symbol| !symbol.contains(' ')) {
        let id = model.vocab.id_of(symbol.as_bytes())?;
        use_token(id, symbol.as_bytes())?;
        symbols.push(SpecialToken::new(symbol.replace(MARK, " "), id));
    }
    let vocab = Vocab::new(used.iter().map(|(id, token)| (*id, token.as_bytes()))).ok()?;
    let merges = Merges::Listed(last_of_each(pairs));
    let model = Model::new(vocab, merges, Pattern::Named(Named::None), Vec::new());
    Some(Spaced { prefix, model, bytes, symbols })
}

/// Whether the plain chain may cut a piece wherever no token spans two characters: merges alone decide its ids, no
/// character is unknown, and tokens of bytes take no part in merges.
pub(super) fn may_cut(model: &Model, chain: &Chain) -> bool {
    let Merges::Listed(listed) = &model.merges else { return false };
    let fits = match &chain.model {
        ChainModel::Bpe(options) => {
            let whole = |part: &Option<String>| part.as_deref().unwrap_or_default().is_empty();
            let plain = whole(&options.prefix) && whole(&options.suffix) && !model.ignore_merges;
            options.byte_fallback && plain
        }
        // A list of merges says that nothing but the pair decides.
        ChainModel::SentencePiece(pieces) => pieces.settings.byte_fallback && !listed.is_empty(),
        _ => false,
    };
    let byte_token = |byte: usize| model.vocab.id_of(format!("<0x{byte:02X}>").as_bytes());
    let bytes: [Option<TokenId>; 256] = std::array::from_fn(byte_token);
    let mut is_byte = vec![false; model.vocab.id_limit() as usize];
    bytes.iter().flatten().for_each(|&id| is_byte[id as usize] = true);
    let knows_space = bytes[0x20].is_some() || model.vocab.id_of(b" ").is_some();
    let apart = |&(left, right): &Pair| !is_byte[left as usize] && !is_byte[right as usize];
    fits && knows_space && knows_all(&model.vocab, &bytes) && listed.iter().all(apart)
}

/// When such a chain puts a space before a text; none if the chain does anything else.
fn prefix_of(chain: &Chain) -> Option<Prefix> {
    let marks_spaces = |step: &NormalizerStep| {
        let NormalizerStep::Replace { pattern: Matcher::Text(pattern), content } = step else {
            return false;
        };
        pattern == " " && content == MARK_TEXT
    };
    let prepends =
        |step: &NormalizerStep| matches!(step, NormalizerStep::Prepend(text) if text == MARK_TEXT);
    let (prefix, replaced) = match &chain.normalizer[..] {
        [] => (Prefix::Never, false),
        [step] if marks_spaces(step) => (Prefix::Never, true),
        [first, step] if prepends(first) && marks_spaces(step) => (Prefix::Always, true),
        _ => return None,
    };
    match &chain.pre_tokenizer[..] {
        [] if replaced => Some(prefix),
        // There is no space left to cut at.
        [PreTokenizerStep::Split { pattern: Matcher::Text(pattern), behavior, invert: false }]
            if replaced && pattern == " " && *behavior == Behavior::MergedWithPrevious =>
        {
            Some(prefix)
        }
        [PreTokenizerStep::Metaspace { replacement: MARK, scheme, split: false }]
            if prefix == Prefix::Never =>
        {
            match scheme {
                PrependScheme::Never => Some(Prefix::Never),
                PrependScheme::First => Some(Prefix::First),
                PrependScheme::Always => None,
            }
        }
        _ => None,
    }
}

/// The same for a SentencePiece model; or why it has no fast path.
fn prefix_of_pieces(
    pieces: &PieceModel,
    listed: &[Pair],
) -> std::result::Result<Prefix, &'static str> {
    let settings = &pieces.settings;
    let spaced = |symbol: &String| symbol.starts_with(MARK) && !symbol.contains(' ');
    if pieces.scores().is_some() {
        Err("the scores of the SentencePiece model are added in 32 bits over the whole text")
    } else if !settings.charsmap.is_empty() {
        Err("the SentencePiece model has a character map")
    } else if settings.remove_extra_whitespaces {
        Err("the SentencePiece model drops white space")
    } else if !settings.escape_whitespaces || settings.whitespace_as_suffix {
        Err("the SentencePiece model treats white space in a rare way")
    } else if !settings.byte_fallback {
        Err("the SentencePiece model has no byte fallback")
    } else if listed.is_empty() {
        Err("the scores of the SentencePiece model are those of no list of merges")
    } else if settings.add_dummy_prefix && settings.symbols.iter().any(spaced) {
        Err("a user-defined piece starts with the space that stands before a text")
    } else {
        Ok(if settings.add_dummy_prefix { Prefix::Start } else { Prefix::Never })
    }
}

/// Why a SentencePiece model has no fast path.
pub(super) fn why_not(model: &Model, pieces: &PieceModel) -> &'static str {
    let listed: &[Pair] = if let Merges::Listed(listed) = &model.merges { listed } else { &[] };
    prefix_of_pieces(pieces, listed).err().unwrap_or("the SentencePiece model has no piece ▁")
}

/// Whether every character is a token, or its bytes are.
fn knows_all(vocab: &Vocab, bytes: &[Option<TokenId>; 256]) -> bool {
    (0x00..=0xF4usize).all(|byte| match byte {
        0x20 | 0xC0 | 0xC1 => true,
        0x00..0x80 => bytes[byte].is_some() || vocab.id_of(&[byte as u8]).is_some(),
        _ => bytes[byte].is_some(),
    })
}

/// The pairs, each at its last place.
fn last_of_each(pairs: Vec<Pair>) -> Vec<Pair> {
    let mut seen = std::collections::HashSet::with_capacity(pairs.len());
    let mut last: Vec<Pair> = pairs.into_iter().rev().filter(|&pair| seen.insert(pair)).collect();
    last.reverse();
    last
}

impl Plan {
    /// Encodes what stands between two added tokens. `base`: where it starts in the whole text; `goes_on`: it was
    /// cut off from what stands before it.
    pub(super) fn encode_spaced(
        &self,
        (prefix, symbols): (Prefix, &Finder),
        text: &[u8],
        (base, goes_on): (usize, bool),
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) -> Result<()> {
        let text = &*with_spaces(text);
        // A space that stands before a symbol is a text of its own.
        let mut space_first = prefix.stands_before(text, base, goes_on);
        symbols.split(text, |span| {
            let place = (base + span.start, goes_on || span.start > 0);
            match span.special {
                Some(id) => {
                    if std::mem::take(&mut space_first) {
                        self.encode_merged(b" ", scratch, sink)?;
                    }
                    sink.many(&[id])
                }
                None => {
                    space_first = false;
                    self.encode_between(prefix, &text[span.start..span.end], place, scratch, sink)
                }
            }
        })
    }

    /// Encodes what stands between two symbols.
    fn encode_between(
        &self,
        prefix: Prefix,
        text: &[u8],
        (base, goes_on): (usize, bool),
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) -> Result<()> {
        if !prefix.stands_before(text, base, goes_on) {
            return self.encode_merged(text, scratch, sink);
        }
        let first = match text.len() {
            ..=SHORT => text.len(),
            _ => match self.splitter.end_of_piece(&text[..SHORT], 0) {
                Some(end) if end < SHORT => end,
                _ => self.joins().first_part(text),
            },
        };
        let mut copy = std::mem::take(&mut scratch.prefixed);
        copy.clear();
        copy.push(b' ');
        copy.extend_from_slice(&text[..first]);
        self.encode_merged(&copy, scratch, sink)?;
        scratch.prefixed = copy;
        self.encode_merged(&text[first..], scratch, sink)
    }
}

/// Whether a text of whole characters is spelled as the tables are.
pub(super) fn has_no_mark(text: &[u8]) -> bool {
    memmem::find(text, MARK_TEXT.as_bytes()).is_none()
}

/// The text as the tables spell it: with spaces for `▁`, and U+FFFD for what is no character.
pub(super) fn with_spaces(text: &[u8]) -> Cow<'_, [u8]> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    match simdutf8::basic::from_utf8(text) {
        Ok(_) if has_no_mark(text) => Cow::Borrowed(text),
        Ok(text) => Cow::Owned(text.replace(MARK, " ").into_bytes()),
        Err(_) => {
            let mut valid = String::with_capacity(text.len());
            for chunk in text.utf8_chunks() {
                valid.push_str(chunk.valid());
                valid.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
            }
            Cow::Owned(valid.replace(MARK, " ").into_bytes())
        }
    }
}

#[cfg(test)]
mod tests;

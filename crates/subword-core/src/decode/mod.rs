/*!
Ids to text.

```text
bytes              the bytes of the tokens, one after the other
end-of-word mark   it becomes a space, except at the very end
WordPiece          a token that goes on within a word loses its prefix, any other has a space before it
spaced             the tokens as a tokenizer.json writes them, with a space between two
```

The clean-up of WordPiece takes the space out before `.` and its kin. It sees one token at a time, as
Hugging Face's does: of `don ' t` nothing is taken.
*/

mod table;

use std::borrow::Cow;
use std::sync::Arc;

use crate::chain::{CLEANUP, Decoders, decode_pieces};
use crate::error::{Error, Result};
use crate::formats::alphabet;
use crate::mem::FirstUse;
use crate::model::{Decoder, Model, SpecialToken, Units, WordPiece};
use crate::types::TokenId;
use crate::{interrupt, memory};

pub use table::PlainBytes;
use table::Spellings;

/// Decoding an id is about as much work as reading this many bytes.
const ID: usize = 8;

/// The table of all tokens is built when a call decodes at least one id for this many tokens of the vocabulary.
const FEW: usize = 8;

/// What decoding leaves out of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Decoding {
    /// Leaves out special tokens, except those that are always matched, which are words of the text.
    pub skip_special_tokens: bool,
    /// Whether WordPiece cleans up; if none, as the model says.
    pub cleanup: Option<bool>,
}

/// A model made ready to decode.
#[derive(Debug)]
pub(crate) struct Detokenizer {
    model: Arc<Model>,
    /// The text of a token is its bytes.
    is_bytes: bool,
    /// The decoder of a chain.
    chain: Option<Decoders>,
    /// The bytes of all short tokens, made when much is decoded for the first time.
    spellings: FirstUse<Spellings>,
}

impl Detokenizer {
    /// `is_bytes`: the model is byte-level BPE.
    pub(crate) fn new(model: Arc<Model>, is_bytes: bool) -> Result<Detokenizer> {
        let chain = model.chain.as_ref().map(|chain| Decoders::new(chain.decoder.as_deref()));
        let chain = chain.transpose()?;
        Ok(Detokenizer { model, is_bytes, chain, spellings: FirstUse::new() })
    }

    /// The bytes that the ids spell.
    pub(crate) fn decode(&self, ids: &[TokenId], decoding: Decoding) -> Result<Vec<u8>> {
        if let Some(chain) = &self.chain {
            return self.decode_chain(chain, ids, decoding);
        }
        if let Some(plain) = self.plain_bytes(ids, decoding)? {
            memory::probe::<u8>(plain.len())?;
            let mut bytes = vec![0; plain.len()];
            plain.write(&mut bytes)?;
            return Ok(bytes);
        }
        let mut bytes = Vec::new();
        // The usual case: the text is the bytes of all tokens.
        if self.is_plain(decoding) {
            for (position, &id) in ids.iter().enumerate() {
                let unknown = || Error::unknown_id(id, position);
                memory::extend(&mut bytes, self.model.token_bytes(id).ok_or_else(unknown)?)?;
                interrupt::worked(ID)?;
            }
            return Ok(bytes);
        }
        let mark = self.model.start.end_of_word.as_ref().map(|end| end.mark.as_bytes());
        let word_piece = self.model.as_word_piece();
        let (mut space, mut first) = (false, true);
        for (position, &id) in ids.iter().enumerate() {
            let unknown = || Error::unknown_id(id, position);
            let token = self.model.token_bytes(id).ok_or_else(unknown)?;
            interrupt::worked(ID)?;
            if decoding.skip_special_tokens && self.is_control(id) {
                continue;
            }
            if self.model.decoder == Decoder::Spaced {
                if !std::mem::take(&mut first) {
                    bytes.push(b' ');
                }
                bytes.extend_from_slice(&self.written(id, token));
                continue;
            }
            if let Some(word_piece) = word_piece {
                let cleanup = decoding.cleanup.unwrap_or(word_piece.cleanup);
                memory::extend(&mut bytes, &spelled(word_piece, token, first, cleanup))?;
                first = false;
                continue;
            }
            let word = mark.and_then(|mark| token.strip_suffix(mark));
            memory::reserve(&mut bytes, 1 + token.len())?;
            if space {
                bytes.push(b' ');
            }
            bytes.extend_from_slice(word.unwrap_or(token));
            space = word.is_some();
        }
        Ok(bytes)
    }

    /// The same by the decoder of a chain. There an added token is spelled in its normalised form, by which Hugging
    /// Face's library also decides whether the token is special.
    fn decode_chain(
        &self,
        chain: &Decoders,
        ids: &[TokenId],
        decoding: Decoding,
    ) -> Result<Vec<u8>> {
        if let Some(pieces) = self.model.chain.as_ref().and_then(|chain| chain.pieces()) {
            let skipped = |id| decoding.skip_special_tokens && self.is_control(id);
            let added = |id| {
                let content = &self.model.special_token(id)?.content;
                Some(if skipped(id) { String::new() } else { content.clone() })
            };
            return decode_pieces(&self.model, pieces, ids, added).map(String::into_bytes);
        }
        let mut tokens = memory::with_capacity(ids.len())?;
        for (position, &id) in ids.iter().enumerate() {
            interrupt::worked(ID)?;
            let special = self.model.special_token(id);
            let token = match special {
                Some(token) => Cow::Owned(self.model.matched(token)),
                None => {
                    let unknown = || Error::unknown_id(id, position);
                    let bytes = self.model.token_bytes(id).ok_or_else(unknown)?;
                    String::from_utf8_lossy(bytes)
                }
            };
            let is_special = |special: &SpecialToken| !special.always && special.content == token;
            if !(decoding.skip_special_tokens && special.is_some_and(is_special)) {
                tokens.push(token.into_owned());
            }
        }
        chain.decode(tokens).map(String::into_bytes)
    }

    /// The bytes of many ids, ready to be written where they stay; none if the text of a token is not its
    /// bytes, or if the ids are too few to be worth a table of all tokens.
    pub(crate) fn plain_bytes<'a>(
        &'a self,
        ids: &'a [TokenId],
        decoding: Decoding,
    ) -> Result<Option<PlainBytes<'a>>> {
        let worth = ids.len() >= self.model.id_limit() as usize / FEW;
        if !self.is_plain(decoding) || self.spellings.get().is_none() && !worth {
            return Ok(None);
        }
        // Without memory for the table, decoding goes token by token.
        if self.spellings.get().is_none()
            && memory::probe::<u128>(self.model.id_limit() as usize).is_err()
        {
            return Ok(None);
        }
        let spellings = self.spellings.get_or_make(|| Spellings::new(&self.model));
        PlainBytes::new(&self.model, spellings, ids).map(Some)
    }

    /// Whether the text is the bytes of all tokens, one after the other.
    fn is_plain(&self, decoding: Decoding) -> bool {
        self.is_bytes && self.model.decoder == Decoder::Text && !decoding.skip_special_tokens
    }

    /// A token as a `tokenizer.json` writes it.
    fn written<'t>(&self, id: TokenId, token: &'t [u8]) -> Cow<'t, [u8]> {
        let tokens = &self.model.special_tokens;
        let special = tokens.binary_search_by_key(&id, |token| token.id).is_ok();
        match self.model.start.units {
            Units::Bytes if !special => Cow::Owned(alphabet::written(token).into_bytes()),
            _ => Cow::Borrowed(token),
        }
    }

    /// Whether an id is that of a special token that is no word.
    fn is_control(&self, id: TokenId) -> bool {
        self.model.special_token(id).is_some_and(|token| !token.always)
    }
}

/// A token of WordPiece as text; `first` if no other comes before it.
fn spelled<'a>(
    word_piece: &WordPiece,
    token: &'a [u8],
    first: bool,
    cleanup: bool,
) -> Cow<'a, [u8]> {
    let text = match token.strip_prefix(word_piece.prefix.as_bytes()) {
        _ if first => Cow::Borrowed(token),
        Some(rest) => Cow::Borrowed(rest),
        None => Cow::Owned([b" ", token].concat()),
    };
    if cleanup && may_change(&text) { cleaned(text) } else { text }
}

/// Whether clean-up may change a token. PERF: it spares nearly all of them a search for each rule.
fn may_change(text: &[u8]) -> bool {
    let starts = |at: usize| text.get(at + 1).is_some_and(|next| b".?!,'nd".contains(next));
    text.iter().enumerate().any(|(at, &byte)| byte == b' ' && starts(at))
}

#[cold]
fn cleaned(text: Cow<[u8]>) -> Cow<[u8]> {
    let Ok(mut out) = String::from_utf8(text.to_vec()) else { return text };
    for (old, new) in CLEANUP {
        if out.contains(old) {
            out = out.replace(old, new);
        }
    }
    Cow::Owned(out.into_bytes())
}

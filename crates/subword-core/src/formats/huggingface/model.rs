/*!
The `model` of a `tokenizer.json`: vocabulary, merges and the settings of BPE.

Tokens are in the byte alphabet, or as they are where the pieces start from characters: see
[`words`](super::words).

Official files are of many ages: `type` is missing in GPT-2's, `ignore_merges` and `byte_fallback`
in older ones, and merges are `"a b"` or `["a", "b"]`.
*/

use crate::error::{Error, Result};
use crate::formats::gpt2::{PairReader, Spelling, WrittenVocab};
use crate::formats::json::{Fields, Json};
use crate::model::{EndOfWord, Merges, Model, SpecialToken, Start, Units};
use crate::types::{Pair, TokenId};
use crate::vocab::Vocab;

/// What the model says.
pub(super) struct BpeModel<'a> {
    pub(super) written: WrittenVocab<'a>,
    pub(super) merges: Merges,
    pub(super) ignore_merges: bool,
    pub(super) start: Start,
}

/// Removes from the vocabulary what is there only as an added token.
///
/// An added token that is in the vocabulary too is written there as it is, and may look like other bytes in
/// the alphabet: `é` is 0xE9. If no merge makes or uses these bytes, and text cannot become them without a
/// merge, they are not what is meant.
pub(super) fn forget_look_alikes(model: &mut Model) -> Result<()> {
    let vocab = &model.vocab;
    let other =
        |bytes: &[u8], token: &SpecialToken| bytes.len() > 1 && bytes != token.content.as_bytes();
    let mut look_alikes: Vec<TokenId> = { model.special_tokens.iter() }
        .filter(|token| vocab.bytes_of(token.id).is_some_and(|bytes| other(bytes, token)))
        .map(|token| token.id)
        .collect();
    if look_alikes.is_empty() {
        return Ok(());
    }
    let bytes = |id| vocab.bytes_of(id).unwrap_or_default();
    let mut used = vec![false; vocab.id_limit() as usize];
    if let Merges::Listed(pairs) = &model.merges {
        for &(left, right) in pairs {
            let made = vocab.id_of(&[bytes(left), bytes(right)].concat());
            let all = [Some(left), Some(right), made];
            all.iter().flatten().for_each(|&id| used[id as usize] = true);
        }
    }
    let may_be_text = model.may_be_text()?;
    look_alikes.retain(|&id| !used[id as usize] && !may_be_text(bytes(id)));
    drop(may_be_text);
    look_alikes.into_iter().for_each(|id| model.vocab.remove(id));
    Ok(())
}

/// What the settings of BPE say.
struct BpeOptions {
    end_of_word: Option<EndOfWord>,
    unk_token: Option<String>,
}

/// Reads a model of BPE; `bytes` if the pre-tokenizer turns pieces into bytes.
pub(super) fn read_model(mut fields: Fields<'_>, bytes: bool) -> Result<BpeModel<'_>> {
    // Without unk_token, characters that are not in the vocabulary are dropped: we do not.
    let bytes = bytes || { fields.get("unk_token") }.is_none_or(|mut json| json.string().is_err());
    let settings = read_settings(&mut fields, bytes)?;
    let ignore_merges = fields.flag("ignore_merges", false)?;
    let spelling = if bytes { Spelling::Alphabet } else { Spelling::Plain };
    let mut place = fields.need("vocab")?;
    let written = WrittenVocab::read(&mut { place }, spelling)?;
    let unk_token = settings.unk_token.filter(|_| !bytes);
    let unk = unk_token.as_ref().map(|token| match written.id_of(token) {
        Some(id) => Ok(id),
        None => Err(place.expected(&format!("a vocabulary with the unk_token {token:?}"))),
    });
    let start = Start {
        units: if bytes { Units::Bytes } else { Units::Characters },
        end_of_word: settings.end_of_word,
        unk: unk.transpose()?,
    };
    let mut merges = fields.need("merges")?;
    let merges = Merges::Listed(read_merges(&mut merges, &written.vocab, spelling)?);
    fields.finish("model \"BPE\"")?;
    Ok(BpeModel { written, merges, ignore_merges, start })
}

/// The type of the model; old files do not say it, then the keys do.
pub(super) fn kind_of(fields: &mut Fields) -> Result<String> {
    if let Some(mut json) = fields.take("type") {
        return Ok(json.string()?.into_owned());
    }
    let kind = match fields.get("vocab").and_then(|mut json| json.peek()) {
        _ if fields.get("merges").is_some() => "BPE",
        Some(b'[') => "Unigram",
        _ if fields.get("max_input_chars_per_word").is_some() => "WordPiece",
        _ => "WordLevel",
    };
    Ok(kind.to_owned())
}

/// The settings of BPE. Those that we do not run are refused; `unk_token` and `fuse_unk` change
/// nothing where every byte has a token.
fn read_settings(fields: &mut Fields, bytes: bool) -> Result<BpeOptions> {
    let refuse = |key: &str, found: &str, json: Json| {
        Err(Error::format_line(
            json.line(),
            format!("model \"BPE\" with {key} {found} is not supported"),
        ))
    };
    if let Some(json) = fields.take_value("dropout") {
        let dropout = { json }.number()?;
        if dropout.parse() != Ok(0.0) {
            return refuse("dropout", dropout, json);
        }
    }
    if let Some(json) = fields.take_value("continuing_subword_prefix") {
        let text = { json }.string()?;
        if !text.is_empty() {
            return refuse("continuing_subword_prefix", &format!("{text:?}"), json);
        }
    }
    let mut settings = BpeOptions { end_of_word: None, unk_token: None };
    if let Some(mut json) = fields.take_value("end_of_word_suffix") {
        let mark = json.string()?.into_owned();
        settings.end_of_word = (!mark.is_empty()).then_some(EndOfWord { mark, joined: true });
    }
    if let Some(json) = fields.take_value("byte_fallback")
        && { json }.bool()?
        && !bytes
    {
        return refuse("byte_fallback", "true", json);
    }
    if let Some(mut json) = fields.take_value("unk_token") {
        settings.unk_token = Some(json.string()?.into_owned());
    }
    if let Some(json) = fields.take("fuse_unk")
        && { json }.bool()?
        && !bytes
    {
        return refuse("fuse_unk", "true", json);
    }
    Ok(settings)
}

fn read_merges(json: &mut Json, vocab: &Vocab, spelling: Spelling) -> Result<Vec<Pair>> {
    let mut pairs = Vec::with_capacity(vocab.len());
    let mut reader = PairReader::new(vocab, spelling);
    json.list(|json| {
        let pair = if json.peek() == Some(b'[') {
            let mut place = *json;
            let mut tokens = Vec::with_capacity(2);
            json.list(|json| {
                tokens.push(json.string()?);
                Ok(())
            })?;
            match tokens.as_slice() {
                [left, right] => reader.pair(left, right),
                _ => Err(place.expected("a list of two tokens")),
            }
        } else {
            reader.line(&json.string()?)
        };
        pairs.push(pair.map_err(|error| error.on_line(json.line()))?);
        Ok(())
    })?;
    Ok(pairs)
}

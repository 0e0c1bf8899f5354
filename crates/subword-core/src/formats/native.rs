/*!
The format of `subword`: one JSON file that holds all of a [`Model`]. The example is a BPE model; the keys of
WordPiece are in `wordpiece`.

```text
{
  "format": "subword",
  "version": 1,
  "type": "bpe",
  "pattern": "gpt2",                               a name, {"regex": "..."}, or a list of these
  "normalizer": null,                              or "nfc", "nfd", "nfkc", "nfkd", "nfc-lowercase",
                                                   or BERT's, an object of its options
  "ignore_merges": false,
  "units": "characters",                           these four where a piece is not its bytes alone
  "end_of_word": "</w>",
  "end_of_word_joined": true,
  "unk": 3,
  "encoder": "longest",                            where merges are not what encodes
  "special_tokens": [
    {"content": "<|endoftext|>", "id": 50256}      flags are written where they are true
  ],
  "template": {"prefix": [], "suffix": []},        see [`template`]
  "truncation": {...}, "padding": {...},           where they are saved, as a `tokenizer.json` has them
  "trim_offsets": "spaces",                        where offsets leave out white space; "spaces-but-first"
  "decoder": "spaced",                             where the text of ids is not what tokens spell
  "vocab": {
    "!": 0,                                        tokens in GPT-2's alphabet, by rising id
    "Ġt": 256
  },
  "merges": [                                      or "ranked"
    "Ġ t"
  ]
}
```

Invariants
* Equal models are written as equal bytes, so that a checksum of the file names the model.
* A key or a version that we do not know is refused: it may change ids.
*/

mod sentencepiece;
mod template;
mod wordpiece;
mod write;

use super::json::{Fields, Json};
use super::{alphabet, gpt2, huggingface};
use crate::error::{Error, Result};
use crate::model::{
    Decoder, Encoder, EndOfWord, Merges, Model, Named, Normalizer, Pattern, SpecialToken, Start,
    TrimOffsets, Units,
};
use crate::pretok::Limits;
use crate::types::TokenId;
use crate::vocab::{Vocab, VocabBuilder};

pub(super) use write::write;

const FORMAT: &str = "subword";
const VERSION: TokenId = 1;

/// About how many bytes a file has for each token, to reserve memory.
const BYTES_OF_A_TOKEN: usize = 32;

type Flag = (&'static str, fn(&mut SpecialToken) -> &mut bool);

const FLAGS: [Flag; 5] = [
    ("always", |token| &mut token.always),
    ("lstrip", |token| &mut token.lstrip),
    ("rstrip", |token| &mut token.rstrip),
    ("single_word", |token| &mut token.single_word),
    ("normalized", |token| &mut token.normalized),
];

/// Whether the object says that it is one of these files.
pub(super) fn recognise(fields: &Fields) -> bool {
    fields.get("format").is_some_and(|mut json| json.string().is_ok_and(|name| name == FORMAT))
}

/// The fields of a JSON file. A native file says first that it is one; then its tokens are read at once.
pub(super) fn open<'a>(json: &mut Json<'a>) -> Result<(Fields<'a>, Option<Vocab>)> {
    let mut vocab = None;
    let fields = json.fields_and(|fields, key, json| {
        let wanted = key == "vocab" && recognise(fields) && has_version(fields);
        if wanted {
            vocab = Some(read_vocab(json)?);
        }
        Ok(wanted)
    })?;
    Ok((fields, vocab))
}

fn has_version(fields: &Fields) -> bool {
    fields.get("version").is_some_and(|mut json| json.id().is_ok_and(|found| found == VERSION))
}

/// The model in a file; `vocab` are its tokens if they were read already.
pub(super) fn read(mut fields: Fields, vocab: Option<Vocab>) -> Result<Model> {
    fields.take("format");
    let known = has_version(&fields);
    let mut version = fields.need("version")?;
    if !known {
        return Err(version
            .expected(&format!("version {VERSION}"))
            .with_hint("the file was written by a newer subword: upgrade to read it"));
    }
    let kind = fields.need("type")?;
    if { kind }.string()? == "chain" {
        let tokenizer = fields.need("tokenizer")?.fields()?;
        fields.finish("a native file of a chain")?;
        return huggingface::read_chain(tokenizer);
    }
    if { kind }.string()? == "sentencepiece" {
        return sentencepiece::read(fields);
    }
    let mut tokens = fields.need("vocab")?;
    let vocab = vocab.map_or_else(|| read_vocab(&mut tokens), Ok)?;
    let mut model = match kind.choice(&[("bpe", false), ("wordpiece", true)])? {
        false => read_bpe(&mut fields, vocab)?,
        true => read_word_piece(&mut fields, vocab)?,
    };
    model.pattern = read_pattern(&mut fields.need("pattern")?)?;
    if let Some(json) = fields.take_value("normalizer") {
        model.normalizer = read_normalizer(json)?;
    }
    if let Some(mut json) = fields.take("special_tokens") {
        model.special_tokens = json.items(read_special_token)?;
    }
    if let Some(json) = fields.take("template") {
        model.template = template::read(json)?;
    }
    model.rows = huggingface::rows::read(&mut fields)?;
    if let Some(json) = fields.take("trim_offsets") {
        model.trim_offsets = json.choice(&[
            ("spaces", TrimOffsets::Spaces),
            ("spaces-but-first", TrimOffsets::SpacesButFirst),
        ])?;
    }
    if let Some(json) = fields.take("decoder") {
        model.decoder = json.choice(&[("spaced", Decoder::Spaced)])?;
    }
    fields.finish("a subword file of version 1")?;
    model.checked()
}

fn read_bpe(fields: &mut Fields, vocab: Vocab) -> Result<Model> {
    let merges = read_merges(&mut fields.need("merges")?, &vocab)?;
    let mut model = Model::new(vocab, merges, Pattern::Named(Named::None), Vec::new());
    model.ignore_merges = fields.flag("ignore_merges", false)?;
    model.start = read_start(fields)?;
    if let Some(json) = fields.take("encoder") {
        let known = [
            ("merges", Encoder::Merge),
            ("longest", Encoder::Longest),
            ("fewest", Encoder::Fewest),
        ];
        model.encoder = json.choice(&known)?;
    }
    Ok(model)
}

fn read_word_piece(fields: &mut Fields, vocab: Vocab) -> Result<Model> {
    let mut model = Model::word_piece(vocab, 0, wordpiece::read(fields)?);
    model.start.unk = read_unk(fields)?;
    Ok(model)
}

fn read_pattern(json: &mut Json) -> Result<Pattern> {
    let mut limits = Limits::default();
    let mut read_one = |json: &mut Json| {
        json.peek();
        let place = *json;
        let pattern = read_one_pattern(json)?;
        let in_file = |error: Error| Error::format_line(place.line(), error.to_string());
        limits.add(&pattern).map_err(in_file)?;
        Ok(pattern)
    };
    match json.peek() {
        Some(b'[') => json.items(read_one).map(Pattern::Sequence),
        _ => read_one(json),
    }
}

fn read_one_pattern(json: &mut Json) -> Result<Pattern> {
    if json.peek() == Some(b'{') {
        let mut fields = json.fields()?;
        let regex = fields.need("regex")?.string()?.into_owned();
        fields.finish("a pattern")?;
        return Ok(Pattern::Regex(regex));
    }
    let mut place = *json;
    match Named::from_name(&json.string()?) {
        Some(named) => Ok(Pattern::Named(named)),
        None => {
            let names = Named::ALL.map(Named::name).join(", ");
            Err(place.expected("the name of a pattern").with_hint(format!(
                "the names are {names}; anything else is {{\"regex\": \"...\"}}"
            )))
        }
    }
}

fn read_normalizer(mut json: Json) -> Result<Normalizer> {
    if json.peek() == Some(b'{') {
        return wordpiece::read_normalizer(json).map(Normalizer::Bert);
    }
    let mut place = json;
    let name = json.string()?;
    let unicode = |form: &Normalizer| !matches!(form, Normalizer::None | Normalizer::Bert(_));
    Normalizer::from_name(&name).filter(unicode).ok_or_else(|| {
        place.expected("null, \"nfc\", \"nfd\", \"nfkc\", \"nfkd\" or \"nfc-lowercase\"")
    })
}

fn read_start(fields: &mut Fields) -> Result<Start> {
    let mut start = Start::default();
    if let Some(json) = fields.take("units") {
        start.units = json.choice(&[("bytes", Units::Bytes), ("characters", Units::Characters)])?;
    }
    let joined = fields.flag("end_of_word_joined", false)?;
    if let Some(mut json) = fields.take_value("end_of_word") {
        start.end_of_word = Some(EndOfWord { mark: json.string()?.into_owned(), joined });
    }
    start.unk = read_unk(fields)?;
    Ok(start)
}

fn read_unk(fields: &mut Fields) -> Result<Option<TokenId>> {
    fields.take_value("unk").map(|mut json| json.id()).transpose()
}

fn read_special_token(json: &mut Json) -> Result<SpecialToken> {
    let mut fields = json.fields()?;
    let content = fields.need("content")?.string()?.into_owned();
    let mut token = SpecialToken::new(content, fields.need("id")?.id()?);
    for (name, flag) in FLAGS {
        *flag(&mut token) = fields.flag(name, false)?;
    }
    fields.finish("a special token")?;
    Ok(token)
}

fn read_vocab(json: &mut Json) -> Result<Vocab> {
    let mut vocab = VocabBuilder::new(json.left() / BYTES_OF_A_TOKEN);
    let at_its_line = |(error, place): (Error, Json)| error.on_line(place.line());
    json.object(|json, token| {
        if !alphabet::append_to(vocab.bytes(), &token) {
            return Err(alphabet::refusal(&token).on_line(json.line()));
        }
        let id = json.id()?;
        vocab.add(id, *json).map_err(at_its_line)
    })?;
    vocab.finish().map_err(at_its_line)
}

fn read_merges(json: &mut Json, vocab: &Vocab) -> Result<Merges> {
    if json.peek() != Some(b'[') {
        let mut place = *json;
        return match json.string() {
            Ok(word) if word == "ranked" => Ok(Merges::Ranked),
            _ => Err(place.expected("a list of merges or \"ranked\"")),
        };
    }
    let mut reader = gpt2::PairReader::new(vocab, gpt2::Spelling::Alphabet);
    let pairs = json.items(|json| {
        let line = json.string()?;
        reader.line(&line).map_err(|error| error.on_line(json.line()))
    })?;
    Ok(Merges::Listed(pairs))
}

#[cfg(test)]
mod tests;

/*!
A `tokenizer.json` that no fast path runs, as a model with a chain; and back.

Reading follows Hugging Face's library where a file can mean several things: an added token has the id of the
vocabulary, or the next after it, whatever the file says; of two with the same content the last counts; and what is
matched in normalised text is itself normalised.

Writing keeps every component as the file had it.
*/

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::{check_matched, components, model, read_added_token, read_head, template, unigram};
use crate::chain::{Normalizers, merged};
use crate::error::{Error, Result};
use crate::formats::gpt2::{Spelling, WrittenVocab};
use crate::formats::json::{Fields, Json, write_lines, write_string};
use crate::model::{
    BpeOptions, Chain, ChainModel, ChainSource, Merges, Model, Named, Pattern, SpecialToken,
};
use crate::pretok::Limits;
use crate::types::{Pair, TokenId};
use crate::vocab::Vocab;

/// The model in a file, and notes on what the library reads otherwise than the file says.
pub(super) fn read(mut fields: Fields, notes: &mut Vec<Error>) -> Result<Model> {
    let rows = read_head(&mut fields)?;
    let mut source = |key: &str| -> Result<(Option<Json>, String)> {
        let json = fields.take_value(key);
        let text = json.map_or(Ok("null".to_owned()), |mut json| json.compact())?;
        Ok((json, text))
    };
    let (normalizer, normalizer_text) = source("normalizer")?;
    let (pre_tokenizer, pre_tokenizer_text) = source("pre_tokenizer")?;
    let (post_processor, post_processor_text) = source("post_processor")?;
    let (decoder, decoder_text) = source("decoder")?;
    let inner = fields.need("model")?.fields()?;
    let parts = read_model(inner, notes)?;
    let limits = &mut Limits::default();
    let normalizer = components::normalizers(normalizer, limits)?;
    let pre_tokenizer = components::pre_tokenizers(pre_tokenizer, limits)?;
    let (template, trims) = template::read_all(post_processor)?;
    let decoder = components::decoders(decoder, limits)?;
    let added = fields.take_value("added_tokens");
    fields.finish("tokenizer.json")?;

    let pattern = Pattern::Named(Named::None);
    let mut model = Model::new(parts.vocab, Merges::Listed(parts.pairs), pattern, Vec::new());
    let entries = match &parts.model {
        ChainModel::Unigram(options) => options.scores.len(),
        _ => model.vocab.len(),
    };
    model.special_tokens = read_added_tokens(added, &model.vocab, entries, notes)?;
    model.ignore_merges = parts.ignore_merges;
    model.template = template;
    model.rows = rows;
    let normalized_tokens = normalized(&normalizer, &model.special_tokens)?;
    model.chain = Some(Arc::new(Chain {
        normalizer,
        pre_tokenizer,
        model: parts.model,
        trims,
        decoder,
        normalized_tokens,
        source: ChainSource {
            normalizer: normalizer_text,
            pre_tokenizer: pre_tokenizer_text,
            post_processor: post_processor_text,
            decoder: decoder_text,
        },
    }));
    check_matched(&model)?;
    check_pairs(&model)?;
    model.checked()
}

/// What the model of a file says.
struct ModelParts {
    vocab: Vocab,
    pairs: Vec<Pair>,
    ignore_merges: bool,
    model: ChainModel,
}

fn read_model(mut fields: Fields, notes: &mut Vec<Error>) -> Result<ModelParts> {
    let kind = model::kind_of(&mut fields)?;
    if kind == "Unigram" {
        let (vocab, options) = unigram::read(&mut fields)?;
        fields.finish("model \"Unigram\"")?;
        let model = ChainModel::Unigram(options);
        return Ok(ModelParts { vocab, pairs: Vec::new(), ignore_merges: false, model });
    }
    if !matches!(kind.as_str(), "BPE" | "WordPiece" | "WordLevel") {
        let line = fields.start().line();
        return Err(Error::format_line(line, format!("model {kind:?} is not supported"))
            .with_hint(
                "subword reads BPE, WordPiece, WordLevel and Unigram from a tokenizer.json",
            ));
    }
    let vocab = WrittenVocab::read(&mut fields.need("vocab")?, Spelling::Plain)?.vocab;
    let (mut pairs, mut ignore_merges) = (Vec::new(), false);
    let model = match kind.as_str() {
        "BPE" => {
            pairs = read_pairs(fields.need("merges")?, &vocab)?;
            ignore_merges = flag(&mut fields, "ignore_merges")?;
            ChainModel::Bpe(read_options(&mut fields, notes)?)
        }
        "WordPiece" => {
            let mut limit = fields.need("max_input_chars_per_word")?;
            let Ok(max_characters) = { limit }.number()?.parse() else {
                return Err(limit.expected("a number of characters"));
            };
            ChainModel::WordPiece {
                unk_token: fields.need("unk_token")?.string()?.into_owned(),
                prefix: fields.need("continuing_subword_prefix")?.string()?.into_owned(),
                max_characters,
            }
        }
        _ => ChainModel::WordLevel { unk_token: fields.need("unk_token")?.string()?.into_owned() },
    };
    fields.finish(&format!("model {kind:?}"))?;
    Ok(ModelParts { vocab, pairs, ignore_merges, model })
}

fn flag(fields: &mut Fields, key: &str) -> Result<bool> {
    fields.take_value(key).map_or(Ok(false), |mut json| json.bool())
}

fn read_options(fields: &mut Fields, notes: &mut Vec<Error>) -> Result<BpeOptions> {
    let dropout = match fields.take_value("dropout") {
        None => None,
        Some(mut place) => {
            let dropout = { place }.number()?;
            if !dropout.parse().is_ok_and(|dropout: f32| (0.0..=1.0).contains(&dropout)) {
                return Err(place.expected("a dropout from 0 to 1"));
            }
            if dropout.parse() != Ok(0.0) {
                let message = format!("dropout {dropout} is kept, and not used to encode");
                let hint = "encode_dropout leaves out merges at random; other calls take all";
                notes.push(Error::format_line(place.line(), message).with_hint(hint));
            }
            Some(dropout)
        }
    };
    let text = |fields: &mut Fields, key: &str| -> Result<Option<String>> {
        let json = fields.take_value(key);
        json.map(|mut json| json.string().map(|text| text.into_owned())).transpose()
    };
    Ok(BpeOptions {
        unk_token: text(fields, "unk_token")?,
        fuse_unk: flag(fields, "fuse_unk")?,
        byte_fallback: flag(fields, "byte_fallback")?,
        prefix: text(fields, "continuing_subword_prefix")?,
        suffix: text(fields, "end_of_word_suffix")?,
        dropout: dropout.map(str::to_owned),
    })
}

/// The merges: `"a b"`, or `["a", "b"]`.
fn read_pairs(mut json: Json, vocab: &Vocab) -> Result<Vec<Pair>> {
    let mut pairs = Vec::with_capacity(vocab.len());
    json.list(|json| {
        json.peek();
        let mut place = *json;
        let mut tokens: Vec<String> = Vec::with_capacity(2);
        if json.peek() == Some(b'[') {
            json.list(|json| {
                tokens.push(json.string()?.into_owned());
                Ok(())
            })?;
        } else {
            let line = json.string()?;
            if line.starts_with("#version") {
                return Ok(());
            }
            tokens.extend(line.split(' ').map(str::to_owned));
        }
        let [left, right] = &tokens[..] else { return Err(place.expected("a pair of two tokens")) };
        let id = |token: &str| {
            vocab.id_of(token.as_bytes()).ok_or_else(|| {
                let message = format!("expected a token of the vocabulary, found {token:?}");
                Error::format_line(place.line(), message)
                    .with_hint("do the merges belong to this vocabulary?")
            })
        };
        pairs.push((id(left)?, id(right)?));
        Ok(())
    })?;
    Ok(pairs)
}

/// Refuses a merge that makes no token.
fn check_pairs(model: &Model) -> Result<()> {
    let Merges::Listed(pairs) = &model.merges else { return Ok(()) };
    let prefix = match model.chain.as_ref().map(|chain| &chain.model) {
        Some(ChainModel::Bpe(options)) => options.prefix.as_deref().unwrap_or_default(),
        _ => "",
    };
    let wrong = |&(left, right): &Pair| merged(model, prefix, left, right).is_none();
    match pairs.iter().position(wrong) {
        None => Ok(()),
        Some(rank) => {
            let token = |id| String::from_utf8_lossy(model.vocab.bytes_of(id).unwrap_or_default());
            let (left, right) = (token(pairs[rank].0), token(pairs[rank].1));
            Err(Error::format(format!(
                "expected a merge that makes a token of the vocabulary, found {left:?} {right:?}"
            )))
        }
    }
}

/// The added tokens, with the ids that the library gives them; new ones come after the `entries` of the model.
fn read_added_tokens(
    json: Option<Json>,
    vocab: &Vocab,
    entries: usize,
    notes: &mut Vec<Error>,
) -> Result<Vec<SpecialToken>> {
    let mut tokens: BTreeMap<TokenId, SpecialToken> = BTreeMap::new();
    let Some(mut json) = json else { return Ok(Vec::new()) };
    let mut next = entries as TokenId;
    let mut ids: HashMap<String, TokenId> = HashMap::new();
    let (mut first_moved, mut moved) = (None, 0);
    json.list(|json| {
        let (mut token, place) = read_added_token(json)?;
        if token.content.is_empty() {
            return Ok(());
        }
        let known = ids.get(&token.content).copied();
        let id = known.or_else(|| vocab.id_of(token.content.as_bytes())).unwrap_or_else(|| {
            next += 1;
            next - 1
        });
        ids.insert(token.content.clone(), id);
        if id != token.id {
            first_moved.get_or_insert_with(|| (place, token.clone(), id));
            moved += 1;
        }
        token.id = id;
        tokens.insert(id, token);
        Ok(())
    })?;
    if let Some((place, SpecialToken { content, id: written, .. }, id)) = first_moved {
        let others = if moved > 1 { format!(" (and {} others)", moved - 1) } else { String::new() };
        let message = format!(
            "the added token {content:?} has id {written}, but Hugging Face tokenizers give it {id}{others}"
        );
        notes.push(Error::format_line(place.line(), message).with_hint("so does subword"));
    }
    Ok(tokens.into_values().collect())
}

/// The added tokens that normalisation changes, and what they become.
fn normalized(
    steps: &[crate::model::NormalizerStep],
    tokens: &[SpecialToken],
) -> Result<BTreeMap<String, String>> {
    let normalizers = Normalizers::new(steps)?;
    let mut changed = BTreeMap::new();
    for token in tokens.iter().filter(|token| token.normalized) {
        let normal = normalizers.text(&token.content)?;
        if normal != token.content {
            changed.insert(token.content.clone(), normal);
        }
    }
    Ok(changed)
}

/// The file of a model with a chain.
pub(in crate::formats) fn write(model: &Model, chain: &Chain) -> String {
    let ChainSource { normalizer, pre_tokenizer, post_processor, decoder } = &chain.source;
    let mut out = String::with_capacity(model.vocab.len() * 48);
    super::write::write_head(&mut out, model);
    out.push_str("  \"added_tokens\": [");
    write_lines(&mut out, "    ", &model.special_tokens, super::write::write_added_token);
    out.push_str(&format!(
        "],\n  \"normalizer\": {normalizer},\n  \"pre_tokenizer\": {pre_tokenizer},\n  \
         \"post_processor\": {post_processor},\n  \"decoder\": {decoder},\n  \"model\": {{\n"
    ));
    if let ChainModel::Unigram(options) = &chain.model {
        unigram::write(&mut out, model, options);
        out.push_str("\n  }\n}\n");
        return out;
    }
    write_settings(&mut out, model, &chain.model);
    out.push_str("    \"vocab\": {");
    write_lines(&mut out, "      ", model.vocab.iter(), |out, (id, token)| {
        write_string(out, &String::from_utf8_lossy(token));
        out.push_str(&format!(": {id}"));
    });
    out.push('}');
    if let (ChainModel::Bpe(_), Merges::Listed(pairs)) = (&chain.model, &model.merges) {
        out.push_str(",\n    \"merges\": [");
        write_lines(&mut out, "      ", pairs, |out, &(left, right)| {
            let token = |id| {
                text(Some(&String::from_utf8_lossy(model.vocab.bytes_of(id).unwrap_or_default())))
            };
            out.push_str(&format!("[{}, {}]", token(left), token(right)));
        });
        out.push(']');
    }
    out.push_str("\n  }\n}\n");
    out
}

/// A string as JSON writes it, or null.
fn text(text: Option<&str>) -> String {
    text.map_or("null".to_owned(), super::write::string)
}

fn write_settings(out: &mut String, model: &Model, settings: &ChainModel) {
    match settings {
        ChainModel::Bpe(options) => out.push_str(&format!(
            "    \"type\": \"BPE\",\n    \"dropout\": {},\n    \"unk_token\": {},\n    \
             \"continuing_subword_prefix\": {},\n    \"end_of_word_suffix\": {},\n    \
             \"fuse_unk\": {},\n    \"byte_fallback\": {},\n    \"ignore_merges\": {},\n",
            options.dropout.as_deref().unwrap_or("null"),
            text(options.unk_token.as_deref()),
            text(options.prefix.as_deref()),
            text(options.suffix.as_deref()),
            options.fuse_unk,
            options.byte_fallback,
            model.ignore_merges,
        )),
        ChainModel::WordPiece { unk_token, prefix, max_characters } => out.push_str(&format!(
            "    \"type\": \"WordPiece\",\n    \"unk_token\": {},\n    \
             \"continuing_subword_prefix\": {},\n    \"max_input_chars_per_word\": {max_characters},\n",
            text(Some(unk_token)),
            text(Some(prefix)),
        )),
        ChainModel::WordLevel { unk_token } => out.push_str(&format!(
            "    \"type\": \"WordLevel\",\n    \"unk_token\": {},\n",
            text(Some(unk_token)),
        )),
        // Such a model is converted before it is written.
        ChainModel::SentencePiece(_) => {}
        ChainModel::Unigram(_) => {}
    }
}

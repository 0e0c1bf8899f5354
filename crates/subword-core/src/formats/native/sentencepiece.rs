/*!
SentencePiece models in native files.

```text
"type": "sentencepiece",
"byte_fallback": true, ...
"pieces": [
  ["<unk>", 0, "unknown"],
  ["▁t", 1, "normal"],
```

A piece has its text, its rank (the lowest merges first; equal scores have equal ranks) and its kind. Its place is
its id. With `"algorithm": "unigram"` a score, a number of 32 bits, stands in place of the rank.
*/

use base64::Engine;

use super::write::{write_between, write_special_token};
use super::{FORMAT, VERSION, read_special_token, template};
use crate::error::{Error, Result};
use crate::formats::json::{Fields, Json, write_string};
use crate::formats::sentencepiece;
use crate::model::{Model, PieceKind, PieceModel, PieceRule, PieceSettings, Score};
use crate::types::TokenId;
use crate::vocab::Vocab;
use std::sync::Arc;

/// The file of a model.
pub(super) fn write(model: &Model, pieces: &PieceModel) -> String {
    let settings = &pieces.settings;
    let mut out = String::with_capacity(model.vocab.len() * 32);
    out.push_str(&format!(
        "{{\n  \"format\": \"{FORMAT}\",\n  \"version\": {VERSION},\n  \"type\": \"sentencepiece\",\n"
    ));
    if pieces.scores().is_some() {
        out.push_str("  \"algorithm\": \"unigram\",\n");
    }
    for (key, value) in [
        ("add_dummy_prefix", settings.add_dummy_prefix),
        ("remove_extra_whitespaces", settings.remove_extra_whitespaces),
        ("escape_whitespaces", settings.escape_whitespaces),
        ("whitespace_as_suffix", settings.whitespace_as_suffix),
        ("byte_fallback", settings.byte_fallback),
    ] {
        out.push_str(&format!("  \"{key}\": {value},\n"));
    }
    out.push_str("  \"unk_surface\": ");
    write_string(&mut out, &settings.unk_surface);
    let charsmap = base64::engine::general_purpose::STANDARD.encode(&settings.charsmap);
    out.push_str(&format!(",\n  \"charsmap\": \"{charsmap}\",\n  \"special_tokens\": "));
    write_between(&mut out, ['[', ']'], model.special_tokens.iter().cloned(), write_special_token);
    out.push_str(",\n  \"template\": ");
    template::write(&mut out, &model.template);
    out.push_str(",\n  \"pieces\": ");
    let number = |id: TokenId| match &pieces.rule {
        PieceRule::Merge(ranks) => ranks[id as usize].to_string(),
        PieceRule::BestSum(scores) => (scores[id as usize].value() as f32).to_string(),
    };
    let all = pieces.kinds.iter().zip(0..);
    write_between(&mut out, ['[', ']'], all, |out, (kind, id)| {
        out.push('[');
        write_string(out, &String::from_utf8_lossy(model.vocab.bytes_of(id).unwrap_or_default()));
        let name = PieceKind::ALL.iter().find(|(_, other)| other == kind);
        out.push_str(&format!(", {}, \"{}\"]", number(id), name.map_or("", |(name, _)| name)));
    });
    out.push_str("\n}\n");
    out
}

/// The model in a file.
pub(super) fn read(mut fields: Fields) -> Result<Model> {
    let algorithms = [("bpe", false), ("unigram", true)];
    let place = fields.take("algorithm");
    let is_unigram = place.map_or(Ok(false), |place| place.choice(&algorithms))?;
    let mut flag = |key: &str| fields.need(key)?.bool();
    let add_dummy_prefix = flag("add_dummy_prefix")?;
    let remove_extra_whitespaces = flag("remove_extra_whitespaces")?;
    let escape_whitespaces = flag("escape_whitespaces")?;
    let whitespace_as_suffix = flag("whitespace_as_suffix")?;
    let byte_fallback = flag("byte_fallback")?;
    let unk_surface = fields.need("unk_surface")?.string()?.into_owned();
    let mut place = fields.need("charsmap")?;
    let text = { place }.string()?;
    let charsmap = base64::engine::general_purpose::STANDARD.decode(text.as_bytes());
    let charsmap = charsmap.map_err(|_| place.expected("a character map in base64"))?;
    let special_tokens = fields.need("special_tokens")?.items(read_special_token)?;
    let template = template::read(fields.need("template")?)?;
    let mut place = fields.need("pieces")?;
    let mut rule = match is_unigram {
        true => PieceRule::BestSum(Vec::new()),
        false => PieceRule::Merge(Vec::new()),
    };
    let pieces = { place }.items(|json| read_piece(json, &mut rule))?;
    fields.finish("a subword file of version 1")?;

    let mut symbols = Vec::new();
    let mut unk_token = None;
    for (text, kind) in &pieces {
        match kind {
            PieceKind::UserDefined => symbols.push(text.clone()),
            PieceKind::Unknown if unk_token.is_none() => unk_token = Some(text.clone()),
            PieceKind::Unknown => return Err(place.expected("one piece that is unknown")),
            _ => {}
        }
    }
    let Some(unk_token) = unk_token else {
        return Err(place.expected("a piece that is unknown"));
    };
    let settings = PieceSettings {
        charsmap,
        add_dummy_prefix,
        remove_extra_whitespaces,
        escape_whitespaces,
        whitespace_as_suffix,
        byte_fallback,
        unk_token,
        unk_surface,
        symbols,
    };
    let at_its_line = |error: Error| error.on_line(place.line());
    let tokens = pieces.iter().zip(0..).map(|((text, _), id)| (id, text.as_bytes()));
    let vocab = Vocab::new(tokens).map_err(at_its_line)?;
    let piece_model = PieceModel {
        kinds: pieces.iter().map(|piece| piece.1).collect(),
        rule,
        settings: Arc::new(settings),
    };
    let mut model = sentencepiece::model(vocab, piece_model, special_tokens)?;
    model.template = template;
    model.checked()
}

/// A piece and its kind; its rank or score goes to the others.
fn read_piece(json: &mut Json, rule: &mut PieceRule) -> Result<(String, PieceKind)> {
    let mut place = *json;
    let (mut text, mut kind, mut parts) = (None, None, 0);
    json.list(|json| {
        match (parts, &mut *rule) {
            (0, _) => text = Some(json.string()?.into_owned()),
            (1, PieceRule::Merge(ranks)) => ranks.push(json.id()?),
            (1, PieceRule::BestSum(scores)) => {
                let mut at = *json;
                let score = json.number()?.parse::<f32>().ok();
                let score = score.and_then(|score| Score::new(f64::from(score)));
                scores.push(score.ok_or_else(|| at.expected("a score of 32 bits"))?);
            }
            _ => {
                json.peek();
                let value = *json;
                json.skip()?;
                kind = Some(value.choice(&PieceKind::ALL)?);
            }
        }
        parts += 1;
        Ok(())
    })?;
    match (text, kind, parts) {
        (Some(text), Some(kind), 3) => Ok((text, kind)),
        _ => Err(place.expected("a piece: [text, rank, kind]")),
    }
}

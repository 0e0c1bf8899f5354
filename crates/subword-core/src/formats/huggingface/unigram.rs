/*!
The model "Unigram" of a `tokenizer.json`: entries with scores, in the order of their ids.

```text
{"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["a", -1.5]], "byte_fallback": false}
```

Of two entries that are spelled alike the last counts; the first has an id that no text becomes. So has an entry that
is empty.
*/

use std::borrow::Cow;
use std::collections::HashMap;

use crate::error::{Error, Result};
use crate::formats::json::{Fields, Json, decimal, write_lines, write_string};
use crate::model::{Model, Score, UnigramOptions};
use crate::types::{MAX_ID, TokenId};
use crate::vocab::{Vocab, VocabBuilder};

/// An entry, its score and where it stands.
type Entry<'a> = (Cow<'a, str>, Score, Json<'a>);

/// About how many bytes a file has for each entry, to reserve memory.
const BYTES_OF_AN_ENTRY: usize = 32;

/// Whether the model of a file says first that it is one.
pub(super) fn is_one(fields: &Fields) -> bool {
    let Some(mut model) = fields.get("model") else { return false };
    let mut kind = None;
    // The error ends the reading at the first key.
    let _ = model.object(|json, key| {
        kind = json.string().ok().filter(|_| key == "type");
        Err(Error::format("read"))
    });
    kind.is_some_and(|kind| kind == "Unigram")
}

/// The vocabulary and the options of the model.
pub(super) fn read(fields: &mut Fields) -> Result<(Vocab, UnigramOptions)> {
    let entries = read_entries(fields.need("vocab")?)?;
    let mut options = UnigramOptions {
        scores: entries.iter().map(|entry| entry.1).collect(),
        unk: None,
        byte_fallback: fields.flag("byte_fallback", false)?,
        ..UnigramOptions::default()
    };
    if let Some(mut place) = fields.take_value("unk_id") {
        let unk = { place }.id()?;
        if unk as usize >= entries.len() {
            return Err(place.expected(&format!("an unk_id below {}", entries.len())));
        }
        options.unk = Some(unk);
    }
    let mut builder = VocabBuilder::new(entries.len());
    let distinct = (0..).zip(&entries).try_for_each(|(id, (token, _, place))| {
        builder.bytes().extend_from_slice(token.as_bytes());
        builder.add(id, *place)
    });
    if let Ok(vocab) = distinct.and_then(|()| builder.finish()) {
        return Ok((vocab, options));
    }
    let vocab = read_shadowed(&entries, &mut options)?;
    Ok((vocab, options))
}

fn read_entries(mut json: Json<'_>) -> Result<Vec<Entry<'_>>> {
    let mut entries = Vec::with_capacity(json.left() / BYTES_OF_AN_ENTRY);
    json.list(|json| {
        json.peek();
        let mut place = *json;
        let (mut token, mut score, mut parts) = (None, None, 0);
        json.list(|json| {
            match parts {
                0 => token = Some(json.string()?),
                1 => {
                    let mut at = *json;
                    let read = decimal::read(json.number()?).and_then(Score::new);
                    score = Some(read.ok_or_else(|| at.expected("a score within its range"))?);
                }
                _ => json.skip()?,
            }
            parts += 1;
            Ok(())
        })?;
        let (Some(token), Some(score), 2) = (token, score, parts) else {
            return Err(place.expected("a list of a token and its score"));
        };
        if entries.len() > MAX_ID as usize {
            return Err(place.expected(&format!("at most {} entries", MAX_ID + 1)));
        }
        entries.push((token, score, place));
        Ok(())
    })?;
    Ok(entries)
}

/// The vocabulary of entries that are not all different.
fn read_shadowed(entries: &[Entry], options: &mut UnigramOptions) -> Result<Vocab> {
    let ids = (0..).zip(entries);
    let last: HashMap<&str, TokenId> = ids.clone().map(|(id, entry)| (&*entry.0, id)).collect();
    let mut vocab = Vocab::with_capacity(entries.len());
    for (id, (token, _, place)) in ids {
        if token.is_empty() || last[&**token] != id {
            options.shadowed.insert(id, token.clone().into_owned());
        } else {
            let inserted = vocab.insert(id, token.as_bytes());
            inserted.map_err(|error: Error| error.on_line(place.line()))?;
        }
    }
    Ok(vocab)
}

/// The settings and the entries of the model.
pub(super) fn write(out: &mut String, model: &Model, options: &UnigramOptions) {
    let unk = options.unk.map_or("null".to_owned(), |id| id.to_string());
    out.push_str(&format!(
        "    \"type\": \"Unigram\",\n    \"unk_id\": {unk},\n    \"byte_fallback\": {},\n    \"vocab\": [",
        options.byte_fallback
    ));
    write_lines(out, "      ", (0..).zip(&options.scores), |out, (id, &score)| {
        let shadowed = options.shadowed.get(&id).map(|token| Cow::Borrowed(token.as_str()));
        let token = || String::from_utf8_lossy(model.vocab.bytes_of(id).unwrap_or_default());
        out.push('[');
        write_string(out, &shadowed.unwrap_or_else(token));
        out.push_str(&format!(", {}]", decimal::spelled(score.value())));
    });
    out.push(']');
}

/*!
What WordPiece models have in the file that others do not.

```text
  "type": "wordpiece",
  "normalizer": {"type": "bert", "clean": true, "cjk": true, "strip_accents": true,
                 "lowercase": true, "tables": "0.23"},
  "prefix": "##",
  "max_word_chars": 100,           or "max_word_bytes", or neither
  "unknown": "word",               or "character"
  "cleanup": true,
  "unk": 100,
```
*/

use super::{Fields, Json};
use crate::error::Result;
use crate::formats::json::write_string;
use crate::model::{Bert, Unknown, WordLimit, WordPiece};

/// Whose Unicode tables the normaliser uses: a version of Hugging Face's library, and the only one so far.
const TABLES: &str = "0.23";

const UNKNOWN: [(&str, Unknown); 2] = [("word", Unknown::Word), ("character", Unknown::Character)];

/// The keys of a WordPiece model.
pub(super) fn read(fields: &mut Fields) -> Result<WordPiece> {
    let prefix = fields.need("prefix")?.string()?.into_owned();
    let mut limit = WordLimit::None;
    if let Some(mut json) = fields.take("max_word_chars") {
        limit = WordLimit::Characters(json.id()?);
    }
    if let Some(mut json) = fields.take("max_word_bytes") {
        if limit != WordLimit::None {
            return Err(json.expected("one limit, in characters or in bytes"));
        }
        limit = WordLimit::Bytes(json.id()?);
    }
    let unknown = fields.need("unknown")?.choice(&UNKNOWN)?;
    Ok(WordPiece { prefix, limit, unknown, cleanup: fields.flag("cleanup", false)? })
}

/// Writes them, a line each.
pub(super) fn write(out: &mut String, word_piece: &WordPiece) {
    out.push_str("  \"prefix\": ");
    write_string(out, &word_piece.prefix);
    match word_piece.limit {
        WordLimit::Characters(limit) => {
            out.push_str(&format!(",\n  \"max_word_chars\": {limit}"));
        }
        WordLimit::Bytes(limit) => out.push_str(&format!(",\n  \"max_word_bytes\": {limit}")),
        WordLimit::None => {}
    }
    let unknown = name(&UNKNOWN, word_piece.unknown);
    let cleanup = word_piece.cleanup;
    out.push_str(&format!(",\n  \"unknown\": \"{unknown}\",\n  \"cleanup\": {cleanup},\n"));
}

/// BERT's normaliser.
pub(super) fn read_normalizer(mut json: Json) -> Result<Bert> {
    let mut fields = json.fields()?;
    fields.need("type")?.choice(&[("bert", ())])?;
    let mut option = |name| fields.flag(name, false);
    let bert = Bert {
        clean: option("clean")?,
        cjk: option("cjk")?,
        strip_accents: option("strip_accents")?,
        lowercase: option("lowercase")?,
    };
    fields.need("tables")?.choice(&[(TABLES, ())])?;
    fields.finish("BERT's normaliser")?;
    Ok(bert)
}

/// The same as it is written.
pub(super) fn normalizer_text(bert: &Bert) -> String {
    let Bert { clean, cjk, strip_accents, lowercase } = *bert;
    format!(
        "{{\"type\": \"bert\", \"clean\": {clean}, \"cjk\": {cjk}, \"strip_accents\": \
         {strip_accents}, \"lowercase\": {lowercase}, \"tables\": \"{TABLES}\"}}"
    )
}

fn name<T: PartialEq>(known: &[(&'static str, T); 2], value: T) -> &'static str {
    known[usize::from(known[1].1 == value)].0
}

#[cfg(test)]
mod tests {
    use crate::formats::tests::refusal;
    use crate::formats::{LoadOptions, from_bytes, to_bytes};
    use crate::model::{Bert, Model, Normalizer, SpecialToken, Template};
    use crate::model::{Encoder, Unknown, WordLimit, WordPiece};
    use crate::vocab::Vocab;

    fn model() -> Model {
        let tokens = ["[UNK]", "low", "##er", "##é"];
        let vocab = Vocab::new((0..).zip(tokens.iter().map(|token| token.as_bytes()))).unwrap();
        let mut model = Model::word_piece(vocab, 0, WordPiece::default());
        model.normalizer = Normalizer::Bert(Bert::UNCASED);
        model.special_tokens = vec![SpecialToken::new("[UNK]", 0)];
        model.template = Template::around(&[1], &[2]);
        model.checked().unwrap()
    }

    #[test]
    fn the_file_is_for_people_too() {
        let text = String::from_utf8(to_bytes(&model())).unwrap();
        let expected = r###"{
  "format": "subword",
  "version": 1,
  "type": "wordpiece",
  "pattern": "bert",
  "normalizer": {"type": "bert", "clean": true, "cjk": true, "strip_accents": true, "lowercase": true, "tables": "0.23"},
  "prefix": "##",
  "max_word_chars": 100,
  "unknown": "word",
  "cleanup": true,
  "unk": 0,
  "special_tokens": [
    {"content": "[UNK]", "id": 0}
  ],
  "template": {"prefix": [1], "suffix": [2]},
  "vocab": {
    "low": 1,
    "##er": 2,
    "##Ã©": 3
  }
}
"###;
        assert_eq!(text, expected);
    }

    #[test]
    fn every_option_comes_back() {
        let limits = [WordLimit::None, WordLimit::Bytes(0), WordLimit::Characters(200)];
        for (choice, limit) in (0..64).flat_map(|choice| limits.map(|limit| (choice, limit))) {
            let mut model = model();
            let on = |bit: u32| choice >> bit & 1 == 1;
            model.normalizer = Normalizer::Bert(Bert {
                clean: on(0),
                cjk: on(1),
                strip_accents: on(2),
                lowercase: on(3),
            });
            model.encoder = Encoder::WordPiece(WordPiece {
                prefix: if on(5) { "@@\"".into() } else { String::new() },
                limit,
                unknown: if on(0) { Unknown::Word } else { Unknown::Character },
                cleanup: on(1),
            });
            assert_eq!(from_bytes(&to_bytes(&model)), Ok(model));
        }
    }

    #[test]
    fn bad_values_are_refused_with_their_line() {
        let text = String::from_utf8(to_bytes(&model())).unwrap();
        let refused = |old: &str, new: &str| {
            assert_eq!(text.matches(old).count(), 1, "{old}");
            refusal("t.json", text.replace(old, new), &LoadOptions::default())
        };
        assert_eq!(refused("\"0.23\"", "\"0.24\""), "t.json:6: expected \"0.23\", found \"0.24\"");
        assert_eq!(
            refused("\"type\": \"bert\"", "\"type\": \"nmt\""),
            "t.json:6: expected \"bert\", found \"nmt\""
        );
        assert_eq!(
            refused("\"cjk\"", "\"kanji\""),
            "t.json:6: unknown key \"kanji\" in BERT's normaliser"
        );
        assert_eq!(
            refused("\"word\"", "\"words\""),
            "t.json:9: expected \"word\" or \"character\", found \"words\""
        );
        assert_eq!(
            refused("\"unknown\"", "\"max_word_bytes\": 5,\n  \"unknown\""),
            "t.json:9: expected one limit, in characters or in bytes, found 5"
        );
        assert_eq!(
            refused("\"prefix\": \"##\"", "\"x\": 1"),
            "t.json:1: the key \"prefix\" is missing"
        );
        assert_eq!(
            refused("\"unk\": 0", "\"unk\": null"),
            "t.json: a WordPiece model needs an unk token"
        );
        assert_eq!(
            refused("\"unk\": 0", "\"unk\": 0, \"ignore_merges\": false"),
            "t.json:11: unknown key \"ignore_merges\" in a subword file of version 1"
        );
    }
}

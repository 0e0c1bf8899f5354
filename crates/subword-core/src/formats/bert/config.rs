/*!
`tokenizer_config.json`, as far as it says how a `vocab.txt` is read.

```text
{"do_lower_case": true, "strip_accents": null, "tokenize_chinese_chars": true,
 "unk_token": "[UNK]", "cls_token": {"content": "[CLS]", ...}, ...}
```

The rest of it is about training and models, and is not read. `strip_accents` follows `do_lower_case`
where it is null.
*/

use crate::error::{Error, Result};
use crate::formats::json::{Json, write_string};
use crate::model::{Bert, Model, Normalizer};
use crate::types::TokenId;

/// What it says; a token is called as in BERT unless it says otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::formats) struct Config {
    pub(super) lowercase: Option<bool>,
    pub(super) strip_accents: Option<bool>,
    pub(super) cjk: bool,
    pub(super) pad: String,
    pub(super) unk: String,
    pub(super) cls: String,
    pub(super) sep: String,
    pub(super) mask: String,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            lowercase: None,
            strip_accents: None,
            cjk: true,
            pad: "[PAD]".into(),
            unk: "[UNK]".into(),
            cls: "[CLS]".into(),
            sep: "[SEP]".into(),
            mask: "[MASK]".into(),
        }
    }
}

impl Config {
    /// The tokens that are special.
    pub(super) fn special(&self) -> [&String; 5] {
        [&self.pad, &self.unk, &self.cls, &self.sep, &self.mask]
    }

    /// What a file says.
    pub(super) fn read(bytes: &[u8]) -> Result<Config> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let mut config = Config::default();
        let mut json = Json::new(bytes)?;
        json.object(|json, key| {
            match key.as_ref() {
                "do_lower_case" => config.lowercase = read_flag(json)?,
                "strip_accents" => config.strip_accents = read_flag(json)?,
                "tokenize_chinese_chars" => config.cjk = read_flag(json)?.unwrap_or(true),
                "do_basic_tokenize" if read_flag(json)? == Some(false) => {
                    let message = "\"do_basic_tokenize\": false is not supported";
                    return Err(Error::format_line(json.line(), message));
                }
                "do_basic_tokenize" => {}
                "pad_token" => read_token(json, &mut config.pad)?,
                "unk_token" => read_token(json, &mut config.unk)?,
                "cls_token" => read_token(json, &mut config.cls)?,
                "sep_token" => read_token(json, &mut config.sep)?,
                "mask_token" => read_token(json, &mut config.mask)?,
                _ => json.skip()?,
            }
            Ok(())
        })?;
        json.end()?;
        Ok(config)
    }

    /// What a file of this model says.
    pub(super) fn of(model: &Model) -> Config {
        let mut config = Config::default();
        if let Normalizer::Bert(Bert { cjk, strip_accents, lowercase, .. }) = model.normalizer {
            config.lowercase = Some(lowercase);
            config.strip_accents = Some(strip_accents).filter(|&strip| strip != lowercase);
            config.cjk = cjk;
        }
        let name = |id: Option<TokenId>| {
            let token = id.and_then(|id| model.token_bytes(id)).unwrap_or_default();
            String::from_utf8_lossy(token).into_owned()
        };
        config.unk = name(model.start.unk);
        let (prefix, suffix) = model.template.sides();
        if let ([cls], [sep]) = (prefix.as_slice(), suffix.as_slice()) {
            config.cls = name(Some(*cls));
            config.sep = name(Some(*sep));
        }
        config
    }

    /// The file.
    pub(super) fn write(&self) -> String {
        let flag = |flag: Option<bool>| flag.map_or("null".to_owned(), |flag| flag.to_string());
        let mut out = format!(
            "{{\n  \"tokenizer_class\": \"BertTokenizer\",\n  \"do_lower_case\": {},\n  \
             \"strip_accents\": {},\n  \"tokenize_chinese_chars\": {}",
            flag(self.lowercase),
            flag(self.strip_accents),
            self.cjk
        );
        for (key, token) in ["pad", "unk", "cls", "sep", "mask"].into_iter().zip(self.special()) {
            out.push_str(&format!(",\n  \"{key}_token\": "));
            write_string(&mut out, token);
        }
        out.push_str("\n}\n");
        out
    }
}

fn read_flag(json: &mut Json) -> Result<Option<bool>> {
    if json.null() { Ok(None) } else { json.bool().map(Some) }
}

/// A string, or an object with one under `content`; null leaves the token as it is.
fn read_token(json: &mut Json, token: &mut String) -> Result<()> {
    if json.null() {
        return Ok(());
    }
    if json.peek() != Some(b'{') {
        *token = json.string()?.into_owned();
        return Ok(());
    }
    *token = json.fields()?.need("content")?.string()?.into_owned();
    Ok(())
}

/*!
The `post_processor` of a `tokenizer.json`: the ids around one text.

```text
TemplateProcessing   single: [{SpecialToken <s>}, {Sequence A}]   ->   prefix [id of <s>]
RobertaProcessing    cls, sep                                     ->   prefix [cls], suffix [sep]
ByteLevel            moves offsets, changes no id                 ->   nothing
Sequence             each around what the one before it made
```

What is said about pairs of texts is not read: subword has none.
*/

use std::collections::HashMap;

use super::Component;
use crate::error::{Error, Result};
use crate::formats::json::Json;
use crate::model::Template;
use crate::types::TokenId;

/// How many ids may stand before or after a text.
const MAX_IDS: usize = 1024;

/// The template.
pub(super) fn read(json: Option<Json>) -> Result<Template> {
    let mut template = Template::default();
    let Some(json) = json else { return Ok(template) };
    let mut parts = vec![Component::read(json, "post_processor")?];
    while let Some(mut part) = parts.pop() {
        let outer = match part.kind.as_str() {
            "ByteLevel" => {
                // Settings of offsets; none of them changes an id.
                continue;
            }
            "Sequence" => {
                parts.extend(part.parts("processors")?.into_iter().rev());
                continue;
            }
            "TemplateProcessing" => read_template(&mut part)?,
            "RobertaProcessing" => {
                part.fields.flag("trim_offsets", true)?;
                part.fields.flag("add_prefix_space", true)?;
                read_cls_sep(&mut part)?
            }
            "BertProcessing" => read_cls_sep(&mut part)?,
            _ => return Err(part.refusal("")),
        };
        part.finish()?;
        template.prefix.splice(0..0, outer.prefix);
        template.suffix.extend(outer.suffix);
    }
    Ok(template)
}

fn read_cls_sep(part: &mut Component) -> Result<Template> {
    let mut id_of = |key| {
        let mut place = part.fields.need(key)?;
        let (mut at, mut id) = (0, None);
        { place }.list(|json| {
            at += 1;
            if at == 2 {
                id = Some(json.id()?);
                return Ok(());
            }
            json.string().map(drop)
        })?;
        id.filter(|_| at == 2).ok_or_else(|| place.expected("a token and its id"))
    };
    Ok(Template { prefix: vec![id_of("cls")?], suffix: vec![id_of("sep")?] })
}

fn read_template(part: &mut Component) -> Result<Template> {
    let tokens = read_special_tokens(part.fields.need("special_tokens")?)?;
    part.fields.take("pair");
    let mut template = Template::default();
    let mut seen = false;
    let mut single = part.fields.need("single")?;
    let place = single;
    single.list(|json| {
        let mut item = json.fields()?;
        if let Some(mut sequence) = item.take("Sequence") {
            let mut fields = sequence.fields()?;
            let mut name = fields.need("id")?;
            if seen || { name }.string()? != "A" {
                return Err(name.expected("the sequence \"A\" once"));
            }
            seen = true;
            return item.finish("an item of a template");
        }
        let mut token = item.need("SpecialToken")?.fields()?;
        let mut name = token.need("id")?;
        let wanted = { name }.string()?;
        let Some(ids) = tokens.get(wanted.as_ref()) else {
            return Err(name.expected("one of the special_tokens of the template"));
        };
        let side = if seen { &mut template.suffix } else { &mut template.prefix };
        if side.len() + ids.len() > MAX_IDS {
            let message = format!("expected a template of at most {MAX_IDS} ids, found more");
            return Err(Error::format_line(name.line(), message));
        }
        side.extend(ids);
        item.finish("an item of a template")
    })?;
    if seen {
        return Ok(template);
    }
    let message = format!("{} {:?} has no sequence \"A\"", part.path, part.kind);
    Err(Error::format_line(place.line(), message))
}

/// The tokens that a template may name, and their ids.
fn read_special_tokens(mut json: Json) -> Result<HashMap<String, Vec<TokenId>>> {
    let mut tokens = HashMap::new();
    json.object(|json, name| {
        let mut fields = json.fields()?;
        let mut ids = Vec::new();
        fields.need("ids")?.list(|json| {
            ids.push(json.id()?);
            Ok(())
        })?;
        match tokens.insert(name.into_owned(), ids) {
            None => Ok(()),
            Some(_) => Err(Error::format_line(
                json.line(),
                "a special token of the template is there twice",
            )),
        }
    })?;
    Ok(tokens)
}

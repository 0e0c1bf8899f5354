/*!
The template in a native file.

```text
{"prefix": [101], "suffix": [102]}                       around every text
{"prefix": [101], "suffix": [102],
 "pair": [[101, 0], ["A", 0], [102, 0], ["B", 1], [102, 1]]}   two texts otherwise, with types
{"single": [["A", 0], [4, 0], [3, 2]], "pair": [...]}    types in one text
```

One template is written one way: the shortest of these that says it.
*/

use crate::error::Result;
use crate::formats::json::Json;
use crate::model::{Content, Template, TemplateSlot};

pub(super) fn read(mut json: Json) -> Result<Template> {
    let mut fields = json.fields()?;
    let mut template = if let Some(mut single) = fields.take("single") {
        Template { single: read_slots(&mut single)?, ..Template::default() }
    } else {
        let mut ids = |key| fields.need(key)?.items(Json::id);
        Template::around(&ids("prefix")?, &ids("suffix")?)
    };
    if let Some(mut pair) = fields.take("pair") {
        template.pair = read_slots(&mut pair)?;
    }
    fields.finish("the template")?;
    Ok(template)
}

fn read_slots(json: &mut Json) -> Result<Vec<TemplateSlot>> {
    json.items(|json| {
        let mut place = *json;
        let (mut content, mut type_id, mut at) = (None, None, 0);
        json.list(|json| {
            at += 1;
            match at {
                1 => content = Some(read_content(json)?),
                2 => type_id = Some(json.id()?),
                _ => json.skip()?,
            }
            Ok(())
        })?;
        match (content, type_id) {
            (Some(content), Some(type_id)) if at == 2 => Ok(TemplateSlot { content, type_id }),
            _ => Err(place.expected("an id, \"A\" or \"B\", and a type")),
        }
    })
}

fn read_content(json: &mut Json) -> Result<Content> {
    if json.peek() != Some(b'"') {
        return Ok(Content::Token(json.id()?));
    }
    let mut place = *json;
    match json.string()?.as_ref() {
        "A" => Ok(Content::First),
        "B" => Ok(Content::Second),
        _ => Err(place.expected("an id, \"A\" or \"B\"")),
    }
}

pub(super) fn write(out: &mut String, template: &Template) {
    let (prefix, suffix) = template.sides();
    let around = Template::around(&prefix, &suffix);
    if template.single == around.single {
        out.push_str(&format!("{{\"prefix\": {prefix:?}, \"suffix\": {suffix:?}"));
    } else {
        out.push_str("{\"single\": ");
        write_slots(out, &template.single);
    }
    if *template != around {
        out.push_str(", \"pair\": ");
        write_slots(out, &template.pair);
    }
    out.push('}');
}

fn write_slots(out: &mut String, slots: &[TemplateSlot]) {
    let slot = |slot: &TemplateSlot| {
        let type_id = slot.type_id;
        match slot.content {
            Content::Token(id) => format!("[{id}, {type_id}]"),
            Content::First => format!("[\"A\", {type_id}]"),
            Content::Second => format!("[\"B\", {type_id}]"),
        }
    };
    let slots: Vec<String> = slots.iter().map(slot).collect();
    out.push_str(&format!("[{}]", slots.join(", ")));
}

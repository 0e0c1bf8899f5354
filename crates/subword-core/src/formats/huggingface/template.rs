/*!
The `post_processor` of a `tokenizer.json`: the ids around a text, and around and between two; and
which white space offsets leave out.

```text
TemplateProcessing   single: [{SpecialToken <s>}, {Sequence A}]   ->   <s> A
                     pair: the same with {Sequence B}, each with its type
BertProcessing       cls, sep       ->   cls A sep,  cls A sep B sep       types 0 and 1
RobertaProcessing    cls, sep       ->   cls A sep,  cls A sep sep B sep   type 0
ByteLevel            no ids
Sequence             at most one of them that has ids, and one that trims
```

ByteLevel and RobertaProcessing trim offsets where `trim_offsets` says so, which is their default. Their
`add_prefix_space` keeps one space of the first token. The `trim_offsets` of a pre-tokenizer or a decoder
has no effect there either.
*/

use std::collections::HashMap;

use super::Component;
use super::words::spelling;
use super::write::string;
use crate::error::{Error, Result};
use crate::formats::json::Json;
use crate::model::{Content, Model, Template, TemplateSlot, TrimOffsets};
use crate::types::TokenId;

/// How many ids a template may have.
const MAX_IDS: usize = 1024;

/// The template, and what offsets leave out; one step that trims at most.
pub(super) fn read(json: Option<Json>) -> Result<(Template, TrimOffsets)> {
    let (template, trims) = read_all(json)?;
    let trim = match trims[..] {
        [] => TrimOffsets::Nothing,
        [false] => TrimOffsets::Spaces,
        [true] => TrimOffsets::SpacesButFirst,
        _ => return Err(Error::format("post_processor with two parts that trim is not supported")),
    };
    Ok((template, trim))
}

/// The template, and the steps that trim offsets, each with its `add_prefix_space`.
pub(super) fn read_all(json: Option<Json>) -> Result<(Template, Vec<bool>)> {
    let (mut template, mut trims) = (None, Vec::new());
    let Some(json) = json else { return Ok((Template::default(), trims)) };
    let mut parts = vec![Component::read(json, "post_processor")?];
    while let Some(mut part) = parts.pop() {
        if matches!(part.kind.as_str(), "ByteLevel" | "RobertaProcessing") {
            let does = part.fields.flag("trim_offsets", true)?;
            let prefix_space = part.fields.flag("add_prefix_space", true)?;
            trims.extend(does.then_some(prefix_space));
        }
        let read = match part.kind.as_str() {
            "ByteLevel" => {
                part.fields.flag("use_regex", true)?;
                part.finish()?;
                continue;
            }
            "Sequence" => {
                parts.extend(part.parts("processors")?.into_iter().rev());
                continue;
            }
            _ if template.is_some() => {
                return Err(part.refusal("another post_processor before it"));
            }
            "TemplateProcessing" => read_template(&mut part)?,
            "RobertaProcessing" => {
                Template::roberta(read_token(&mut part, "cls")?, read_token(&mut part, "sep")?)
            }
            "BertProcessing" => {
                Template::bert(read_token(&mut part, "cls")?, read_token(&mut part, "sep")?)
            }
            _ => return Err(part.refusal("")),
        };
        part.finish()?;
        template = Some(read);
    }
    Ok((template.unwrap_or_default(), trims))
}

/// The id of a pair of token and id.
fn read_token(part: &mut Component, key: &str) -> Result<TokenId> {
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
}

fn read_template(part: &mut Component) -> Result<Template> {
    let tokens = read_special_tokens(part.fields.need("special_tokens")?)?;
    let mut form = |key: &str, sequences: &[(&str, Content)]| -> Result<Vec<TemplateSlot>> {
        let mut json = part.fields.need(key)?;
        let place = json;
        let slots = read_slots(&mut json, sequences, &tokens)?;
        let missing = |(_, content): &&(&str, Content)| slots.iter().all(|s| s.content != *content);
        // Nobody can have used a template for two texts that has neither.
        if (key == "pair" && slots.is_empty()) || !sequences.iter().any(|s| missing(&s)) {
            return Ok(slots);
        }
        let name = sequences.iter().find(missing).map_or("A", |(name, _)| name);
        let message = format!("{} {:?} has no sequence {name:?}", part.path, part.kind);
        Err(Error::format_line(place.line(), message))
    };
    let (a, b) = (("A", Content::First), ("B", Content::Second));
    let mut template = Template { single: form("single", &[a])?, pair: form("pair", &[a, b])? };
    if template.pair.is_empty() {
        let (prefix, suffix) = template.sides();
        template.pair = Template::around(&prefix, &suffix).pair;
    }
    Ok(template)
}

/// The items of a form; each sequence at most once.
fn read_slots(
    json: &mut Json,
    sequences: &[(&str, Content)],
    tokens: &HashMap<String, Vec<TokenId>>,
) -> Result<Vec<TemplateSlot>> {
    let mut slots: Vec<TemplateSlot> = Vec::new();
    json.list(|json| {
        let mut item = json.fields()?;
        let (mut value, text) = match item.take("Sequence") {
            Some(value) => (value, true),
            None => (item.need("SpecialToken")?, false),
        };
        let mut fields = value.fields()?;
        let mut name = fields.need("id")?;
        let wanted = { name }.string()?;
        let type_id = fields.take("type_id").map_or(Ok(0), |mut json| json.id())?;
        if text {
            let known = sequences.iter().find(|(known, _)| *known == wanted).map(|(_, it)| *it);
            let Some(content) = known.filter(|it| slots.iter().all(|slot| slot.content != *it))
            else {
                let names: Vec<String> = sequences.iter().map(|(s, _)| format!("{s:?}")).collect();
                return Err(name.expected(&format!("the sequence {} once", names.join(" or "))));
            };
            slots.push(TemplateSlot { content, type_id });
            return item.finish("an item of a template");
        }
        let Some(ids) = tokens.get(wanted.as_ref()) else {
            return Err(name.expected("one of the special_tokens of the template"));
        };
        if slots.len() + ids.len() > MAX_IDS {
            let message = format!("expected a template of at most {MAX_IDS} ids, found more");
            return Err(Error::format_line(name.line(), message));
        }
        slots.extend(ids.iter().map(|&id| TemplateSlot { content: Content::Token(id), type_id }));
        item.finish("an item of a template")
    })?;
    Ok(slots)
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

/// The post-processor of a model: its template, and before it what trims offsets.
pub(super) fn write(out: &mut String, model: &Model) {
    let trimmer = match model.trim_offsets {
        TrimOffsets::Nothing => None,
        TrimOffsets::Spaces => Some(false),
        TrimOffsets::SpacesButFirst => Some(true),
    }
    .map(|prefix_space| {
        format!(
            "{{\"type\": \"ByteLevel\", \"add_prefix_space\": {prefix_space}, \
             \"trim_offsets\": true, \"use_regex\": true}}"
        )
    });
    let template = (model.template != Template::default()).then(|| template(model));
    out.push_str(&match (trimmer, template) {
        (None, None) => "null".to_owned(),
        (Some(one), None) | (None, Some(one)) => one,
        (Some(trimmer), Some(template)) => format!(
            "{{\"type\": \"Sequence\", \"processors\": [\n    {trimmer},\n    {template}\n  ]}}"
        ),
    });
}

fn template(model: &Model) -> String {
    let template = &model.template;
    let name = |id: TokenId| {
        let special = model.special_tokens.binary_search_by_key(&id, |token| token.id).ok();
        string(&match special {
            Some(at) => model.special_tokens[at].content.clone(),
            None => spelling(model).written(model.vocab.bytes_of(id).unwrap_or_default()),
        })
    };
    let slot = |slot: &TemplateSlot| {
        let type_id = slot.type_id;
        let (kind, name) = match slot.content {
            Content::Token(id) => ("SpecialToken", name(id)),
            Content::First => ("Sequence", "\"A\"".to_owned()),
            Content::Second => ("Sequence", "\"B\"".to_owned()),
        };
        format!("{{\"{kind}\": {{\"id\": {name}, \"type_id\": {type_id}}}}}")
    };
    let form = |slots: &[TemplateSlot]| slots.iter().map(slot).collect::<Vec<_>>().join(", ");
    let mut ids: Vec<TokenId> = template.ids().collect();
    ids.sort_unstable();
    ids.dedup();
    let tokens = ids.iter().map(|&id| {
        let name = name(id);
        format!("{name}: {{\"id\": {name}, \"ids\": [{id}], \"tokens\": [{name}]}}")
    });
    format!(
        "{{\n    \"type\": \"TemplateProcessing\",\n    \"single\": [{}],\n    \"pair\": [{}],\n    \
         \"special_tokens\": {{{}}}\n  }}",
        form(&template.single),
        form(&template.pair),
        tokens.collect::<Vec<_>>().join(", ")
    )
}

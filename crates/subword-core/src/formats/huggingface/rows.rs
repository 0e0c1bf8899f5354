/*!
`truncation` and `padding` of a `tokenizer.json`: how texts become rows, saved with the tokenizer.

```text
"truncation": {"direction": "Right", "max_length": 512, "strategy": "LongestFirst", "stride": 0}
"padding": {"strategy": "BatchLongest" or {"Fixed": 512}, "direction": "Right", "pad_to_multiple_of": null,
            "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]"}
```

Native files have the same keys.
*/

use super::write::string;
use crate::error::Result;
use crate::formats::json::{Fields, Json};
use crate::model::{Padding, RowDefaults, Side, Truncation, TruncationStrategy};

const SIDES: [(&str, Side); 2] = [("Left", Side::Left), ("Right", Side::Right)];

const STRATEGIES: [(&str, TruncationStrategy); 3] = [
    ("LongestFirst", TruncationStrategy::LongestFirst),
    ("OnlyFirst", TruncationStrategy::OnlyFirst),
    ("OnlySecond", TruncationStrategy::OnlySecond),
];

/// What the file saves.
pub(in crate::formats) fn read(fields: &mut Fields) -> Result<RowDefaults> {
    Ok(RowDefaults {
        truncation: fields.take_value("truncation").map(read_truncation).transpose()?,
        padding: fields.take_value("padding").map(read_padding).transpose()?,
    })
}

fn read_truncation(mut json: Json) -> Result<Truncation> {
    let mut fields = json.fields()?;
    let truncation = Truncation {
        max_length: natural(fields.need("max_length")?)?,
        strategy: fields.need("strategy")?.choice(&STRATEGIES)?,
        stride: natural(fields.need("stride")?)?,
        // Old files do not say it.
        side: fields.take("direction").map_or(Ok(Side::Right), |json| json.choice(&SIDES))?,
    };
    fields.finish("truncation")?;
    Ok(truncation)
}

fn read_padding(mut json: Json) -> Result<Padding> {
    let mut fields = json.fields()?;
    let mut strategy = fields.need("strategy")?;
    let length = if strategy.peek() == Some(b'{') {
        let mut fixed = strategy.fields()?;
        let length = natural(fixed.need("Fixed")?)?;
        fixed.finish("a padding strategy")?;
        Some(length)
    } else {
        strategy.choice(&[("BatchLongest", None)])?
    };
    let padding = Padding {
        length,
        side: fields.need("direction")?.choice(&SIDES)?,
        multiple: fields.take_value("pad_to_multiple_of").map(natural).transpose()?,
        id: natural(fields.need("pad_id")?)?,
        type_id: natural(fields.need("pad_type_id")?)?,
        token: fields.need("pad_token")?.string()?.into_owned(),
    };
    fields.finish("padding")?;
    Ok(padding)
}

fn natural<T: std::str::FromStr>(mut json: Json) -> Result<T> {
    let place = json;
    json.number()?.parse().map_err(|_| { place }.expected("a number from 0 up"))
}

/// `truncation` as the file has it, or null.
pub(in crate::formats) fn truncation(rows: &RowDefaults) -> String {
    let Some(Truncation { max_length, strategy, stride, side }) = &rows.truncation else {
        return "null".to_owned();
    };
    let (side, strategy) = (name(&SIDES, side), name(&STRATEGIES, strategy));
    format!(
        "{{\"direction\": \"{side}\", \"max_length\": {max_length}, \"strategy\": \"{strategy}\", \
         \"stride\": {stride}}}"
    )
}

/// The same for `padding`.
pub(in crate::formats) fn padding(rows: &RowDefaults) -> String {
    let Some(padding) = &rows.padding else { return "null".to_owned() };
    let Padding { length, side, multiple, id, type_id, token } = padding;
    let strategy = match length {
        Some(length) => format!("{{\"Fixed\": {length}}}"),
        None => "\"BatchLongest\"".to_owned(),
    };
    let multiple = multiple.map_or("null".to_owned(), |multiple| multiple.to_string());
    let (side, token) = (name(&SIDES, side), string(token));
    format!(
        "{{\"strategy\": {strategy}, \"direction\": \"{side}\", \"pad_to_multiple_of\": {multiple}, \
         \"pad_id\": {id}, \"pad_type_id\": {type_id}, \"pad_token\": {token}}}"
    )
}

fn name<T: PartialEq>(names: &[(&'static str, T)], value: &T) -> &'static str {
    names.iter().find(|(_, other)| other == value).map_or("", |(name, _)| name)
}

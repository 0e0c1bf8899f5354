/*!
JSON lines: one text per line, the string in one field of an object.

```text
{"id": 1, "text": "low lower"}      ->   low lower
```

Empty lines are skipped. A line that is no object, or that lacks the field, is an error with its line
number, because a text that is left out silently would not be noticed.
*/

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::json::Json;

/// Calls `text` with the text of each line. `first` is the number of the first line.
pub fn for_each_text(
    lines: &[u8],
    first: usize,
    field: &str,
    mut text: impl FnMut(&str) -> Result<()>,
) -> Result<()> {
    for (at, line) in lines.split(|&byte| byte == b'\n').enumerate() {
        if !line.trim_ascii().is_empty() {
            let found = text_of(line, field).map_err(|error| on_line(error, first + at))?;
            text(&found)?;
        }
    }
    Ok(())
}

/// The text of a line. An error does not name the line.
pub fn text_of<'l>(line: &'l [u8], field: &str) -> Result<Cow<'l, str>> {
    text_in(line, field).map_err(without_line)
}

fn text_in<'l>(line: &'l [u8], field: &str) -> Result<Cow<'l, str>> {
    let mut json = Json::new(line)?;
    let (mut found, mut others) = (None, Vec::new());
    json.object(|json, key| {
        if key != field {
            others.push(key);
            return json.skip();
        }
        if json.peek() != Some(b'"') {
            return Err(json.expected(&format!("a string in the field {field:?}")));
        }
        found = Some(json.string()?);
        Ok(())
    })?;
    json.end()?;
    match found {
        Some(found) => Ok(found),
        None => {
            let error = Error::corpus("", format!("no field {field:?}"));
            Err(match others.first() {
                Some(other) => error.with_hint(format!("pass field={other:?}, or another one")),
                None => error,
            })
        }
    }
}

/// What is wrong with a line, in words that fit a line.
fn without_line(error: Error) -> Error {
    match error {
        Error::ModelFormat { message, .. } => {
            Error::corpus("", message.replace("the end of the file", "the end of the line"))
        }
        other => other,
    }
}

fn on_line(error: Error, line: usize) -> Error {
    match error {
        Error::Corpus { message, hint, .. } => {
            Error::Corpus { place: format!(":{line}"), message, hint }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lines: &str) -> Result<Vec<String>> {
        let mut texts = Vec::new();
        for_each_text(lines.as_bytes(), 7, "text", |text| {
            texts.push(text.to_owned());
            Ok(())
        })?;
        Ok(texts)
    }

    fn refused(lines: &str) -> String {
        texts(lines).unwrap_err().to_string()
    }

    #[test]
    fn each_line_is_a_text() {
        let lines = "{\"text\": \"low\\nlower\", \"id\": [1, {\"text\": 2}]}\r\n\n  \n\
                     {\"id\": {}, \"text\": \"\\u00e9\\ud83d\\ude00\"}";
        assert_eq!(texts(lines), Ok(vec!["low\nlower".into(), "é😀".into()]));
        assert_eq!(texts(""), Ok(vec![]));
        assert_eq!(texts("{\"text\": \"\"}\n"), Ok(vec![String::new()]));
    }

    #[test]
    fn a_line_that_holds_no_text_is_named() {
        let good = "{\"text\": \"\"}\n";
        let number = format!("{good}{good}{{\"text\": 12}}");
        assert_eq!(refused(&number), ":9: expected a string in the field \"text\", found 12");
        assert_eq!(
            refused("{\"body\": \"\", \"id\": 1}"),
            ":7: no field \"text\"\n  hint: pass field=\"body\", or another one"
        );
        assert_eq!(refused("{}"), ":7: no field \"text\"");
        assert_eq!(refused("\n[1]"), ":8: expected an object, found a list");
        let cut = ":7: expected '\"' to end the string, found the end of the line";
        assert_eq!(refused("{\"text\": \"low"), cut);
        assert_eq!(refused("{\"text\": \"\"} 1"), ":7: expected the end of the line, found 1");
    }
}

/*!
The keys of a small object: take what is known, then refuse what is left over.

```text
{"type": "Split", "invert": false, "colour": 7}
    need("type"), flag("invert", false), finish("a Split")   ->   unknown key "colour" in a Split
```
*/

use std::borrow::Cow;

use super::Json;
use crate::error::{Error, Result};

/// The most keys of such an object.
const MAX_FIELDS: usize = 64;

/// The keys of a small object, each with the position of its value.
pub(crate) struct Fields<'a> {
    start: Json<'a>,
    fields: Vec<(Cow<'a, str>, Json<'a>)>,
}

impl<'a> Json<'a> {
    /// A small object, its values checked but not read.
    pub(crate) fn fields(&mut self) -> Result<Fields<'a>> {
        self.fields_and(|_, _, _| Ok(false))
    }

    /// A small object. `read` may read a value at once, and returns whether it did; other values are only
    /// checked. That avoids reading a large value twice.
    pub(crate) fn fields_and(
        &mut self,
        mut read: impl FnMut(&Fields<'a>, &str, &mut Json<'a>) -> Result<bool>,
    ) -> Result<Fields<'a>> {
        self.peek();
        let mut all = Fields { start: *self, fields: Vec::new() };
        self.object(|json, key| {
            let fields = &all.fields;
            if fields.iter().any(|(other, _)| *other == key) {
                return Err(Error::format_line(
                    json.line(),
                    format!("the key {key:?} is there twice"),
                ));
            }
            if fields.len() == MAX_FIELDS {
                let message = format!("expected at most {MAX_FIELDS} keys, found more");
                return Err(Error::format_line(json.line(), message));
            }
            json.peek();
            let place = *json;
            if !read(&all, &key, json)? {
                json.skip()?;
            }
            all.fields.push((key, place));
            Ok(())
        })?;
        Ok(all)
    }
}

impl Json<'_> {
    /// The values of a list.
    pub(crate) fn items<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut items = Vec::new();
        self.list(|json| {
            items.push(item(json)?);
            Ok(())
        })?;
        Ok(items)
    }

    /// A string that is one of these names: what the name stands for.
    pub(crate) fn choice<T: Clone>(mut self, known: &[(&str, T)]) -> Result<T> {
        let mut place = self;
        let name = self.string()?;
        let found = known.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value.clone()).ok_or_else(|| {
            let names: Vec<_> = known.iter().map(|(name, _)| format!("\"{name}\"")).collect();
            place.expected(&names.join(" or "))
        })
    }
}

impl<'a> Fields<'a> {
    /// The value of `key`, if it is there.
    pub(crate) fn take(&mut self, key: &str) -> Option<Json<'a>> {
        let at = self.fields.iter().position(|(name, _)| name == key)?;
        Some(self.fields.remove(at).1)
    }

    /// The value of `key`, if it is there and not null.
    pub(crate) fn take_value(&mut self, key: &str) -> Option<Json<'a>> {
        self.take(key).filter(|&json| !{ json }.null())
    }

    /// The value of `key`, which must be there.
    pub(crate) fn need(&mut self, key: &str) -> Result<Json<'a>> {
        let missing =
            || Error::format_line(self.start.line(), format!("the key {key:?} is missing"));
        let at = self.fields.iter().position(|(name, _)| name == key).ok_or_else(missing)?;
        Ok(self.fields.remove(at).1)
    }

    /// A boolean, `default` if the key is missing.
    pub(crate) fn flag(&mut self, key: &str, default: bool) -> Result<bool> {
        self.take(key).map_or(Ok(default), |mut json| json.bool())
    }

    /// The value of `key`, left where it is.
    pub(crate) fn get(&self, key: &str) -> Option<Json<'a>> {
        self.fields.iter().find(|(name, _)| name == key).map(|&(_, json)| json)
    }

    /// The place where the object starts.
    pub(crate) fn start(&self) -> Json<'a> {
        self.start
    }

    /// Refuses the keys that were not taken. `what` names the object.
    pub(crate) fn finish(self, what: &str) -> Result<()> {
        match self.fields.first() {
            None => Ok(()),
            Some((key, json)) => {
                Err(Error::format_line(json.line(), format!("unknown key {key:?} in {what}")))
            }
        }
    }
}

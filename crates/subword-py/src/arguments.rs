//! The arguments of calls, as the engine's values.

use std::num::NonZeroUsize;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMapping, PyString};
use subword_core::tokenizer::Threads;
use subword_core::{Allowed, Normalizer, Pattern, TokenId, corpus};

use crate::errors::{self, OrRaise};

/// An argument that is one of these names: what the name stands for.
pub(crate) fn choice<T: Clone>(argument: &str, name: &str, known: &[(&str, T)]) -> PyResult<T> {
    let found = known.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| value.clone()).ok_or_else(|| {
        let names: Vec<_> = known.iter().map(|(known, _)| format!("\"{known}\"")).collect();
        let names = names.join(" or ");
        PyValueError::new_err(format!("{argument} must be {names}, not {name:?}"))
    })
}

/// A number that a caller passes, by the name of its argument. A number above `usize::MAX` means no
/// limit.
pub(crate) fn natural(name: &str, number: i128) -> PyResult<usize> {
    if number < 0 {
        let message = format!("{name} must be at least 0, not {number}");
        return Err(errors::argument(name, message));
    }
    Ok(usize::try_from(number).unwrap_or(usize::MAX))
}

/// The same for a number that may be left out.
pub(crate) fn optional(name: &str, number: Option<i128>) -> PyResult<Option<usize>> {
    number.map(|number| natural(name, number)).transpose()
}

/// `threads=`: a positive number, or None for all cores.
pub(crate) fn threads_of(threads: Option<i64>) -> PyResult<Threads> {
    let Some(number) = threads else { return Ok(None) };
    let threads = usize::try_from(number).ok().and_then(NonZeroUsize::new);
    let message = || format!("threads must be at least 1, not {number}");
    threads.map(Some).ok_or_else(|| errors::argument("threads", message()))
}

/// `errors=`: "strict" or "replace".
#[derive(Clone, Copy, Default)]
pub(crate) struct Errors(pub(crate) corpus::Errors);

impl<'a, 'py> FromPyObject<'a, 'py> for Errors {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let known = [("strict", corpus::Errors::Strict), ("replace", corpus::Errors::Replace)];
        choice("errors", object.extract()?, &known).map(Errors)
    }
}

/// `special=`: "text", "encode", "error", or a collection of special tokens.
#[derive(Default)]
pub(crate) struct Special(pub(crate) Allowed);

impl<'a, 'py> FromPyObject<'a, 'py> for Special {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let expected = "special must be \"text\", \"encode\", \"error\" or a set of special tokens";
        if let Ok(name) = object.cast::<PyString>() {
            return match name.to_str()? {
                "text" => Ok(Special(Allowed::Text)),
                "encode" => Ok(Special(Allowed::All)),
                "error" => Ok(Special(Allowed::Error)),
                other => Err(PyValueError::new_err(format!("{expected}, not {other:?}"))),
            };
        }
        let tokens = object.try_iter().map_err(|_| PyTypeError::new_err(expected))?;
        let mut contents =
            tokens.map(|token| token?.extract()).collect::<PyResult<Vec<String>>>()?;
        contents.sort_unstable();
        Ok(Special(Allowed::Only(contents)))
    }
}

/// `pattern=`: a name, a regular expression, or a sequence of them.
pub(crate) struct PatternArgument(pub(crate) Pattern);

impl<'a, 'py> FromPyObject<'a, 'py> for PatternArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let one = |text: &Bound<'py, PyString>| -> PyResult<Pattern> {
            Pattern::parse(text.to_str()?).or_raise(text.py())
        };
        if let Ok(text) = object.cast::<PyString>() {
            return Ok(PatternArgument(one(&text)?));
        }
        let wrong = || PyTypeError::new_err("pattern must be a string or a sequence of strings");
        let parts = object.try_iter().map_err(|_| wrong())?;
        let part = |part: PyResult<Bound<'py, PyAny>>| -> PyResult<Pattern> {
            let part = part?;
            one(part.cast::<PyString>().map_err(|_| wrong())?)
        };
        Ok(PatternArgument(Pattern::Sequence(parts.map(part).collect::<PyResult<_>>()?)))
    }
}

/// `normalizer=`: a name.
pub(crate) struct NormalizerArgument(Normalizer);

impl<'a, 'py> FromPyObject<'a, 'py> for NormalizerArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let name = object.extract::<String>()?;
        Normalizer::from_name(&name).map(NormalizerArgument).ok_or_else(|| {
            let names = Normalizer::names().collect::<Vec<_>>().join(", ");
            let message = format!(
                "no normalizer has the name {name:?}; there are {names}, and bert: with options"
            );
            errors::argument("normalizer", message)
        })
    }
}

pub(crate) fn normalizer_of(argument: Option<NormalizerArgument>) -> Normalizer {
    argument.map_or(Normalizer::None, |normalizer| normalizer.0)
}

/// `special_tokens=`: strings, or a mapping from strings to ids.
pub(crate) struct SpecialTokens(pub(crate) Vec<(String, Option<TokenId>)>);

impl<'a, 'py> FromPyObject<'a, 'py> for SpecialTokens {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if object.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err(
                "special_tokens must be a list of strings, not one string",
            ));
        }
        let mut tokens = Vec::new();
        if let Ok(mapping) = object.cast::<PyMapping>() {
            for item in mapping.items()?.iter() {
                let (content, id): (String, Bound<'_, PyAny>) = item.extract()?;
                tokens.push((content, Some(token_id(&id)?)));
            }
        } else {
            for content in object.try_iter()? {
                tokens.push((content?.extract()?, None));
            }
        }
        Ok(SpecialTokens(tokens))
    }
}

/// An id that a caller passes: any integer that is not one is a value error with the number in it.
pub(crate) fn token_id(id: &Bound<'_, PyAny>) -> PyResult<TokenId> {
    id.extract::<TokenId>().map_err(|error| match id.extract::<i128>() {
        Ok(_) => PyValueError::new_err(format!("an id is a number from 0 up, not {id}")),
        Err(_) => error,
    })
}

/// A token that a caller passes.
pub(crate) fn token(bytes: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    match bytes.cast::<PyBytes>() {
        Ok(bytes) => Ok(bytes.as_bytes().to_vec()),
        Err(_) => {
            let found = bytes.get_type().name()?;
            Err(PyTypeError::new_err(format!("a token is bytes, not {found}")))
        }
    }
}

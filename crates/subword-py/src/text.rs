//! Python texts as bytes, and Python's choices as the engine's.

use std::ops::Range;
use std::ptr::NonNull;

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::string::PyStringData;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};
use subword_core::Allowed;
use subword_core::utf8::{append_units, from_units};

use crate::errors;

/// What to do with a `str` that has lone surrogates.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Errors {
    Strict,
    Replace,
}

impl<'a, 'py> FromPyObject<'a, 'py> for Errors {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match object.extract::<&str>()? {
            "strict" => Ok(Errors::Strict),
            "replace" => Ok(Errors::Replace),
            other => Err(PyValueError::new_err(format!(
                "errors must be \"strict\" or \"replace\", not {other:?}"
            ))),
        }
    }
}

impl From<Errors> for subword_core::corpus::Errors {
    fn from(errors: Errors) -> Self {
        match errors {
            Errors::Strict => subword_core::corpus::Errors::Strict,
            Errors::Replace => subword_core::corpus::Errors::Replace,
        }
    }
}

/// A text that can be read without the GIL: `str` and `bytes` are borrowed, the rest is copied.
pub(crate) enum Text<'py> {
    Str(Bound<'py, PyString>),
    Bytes(Bound<'py, PyBytes>),
    Copied(Vec<u8>),
}

impl<'py> Text<'py> {
    pub(crate) fn new(object: &Bound<'py, PyAny>, errors: Errors) -> PyResult<Self> {
        if let Ok(text) = object.cast::<PyString>() {
            if let Some(converted) = converted(text) {
                return Ok(Text::Copied(converted));
            }
            if text.to_str().is_ok() {
                return Ok(Text::Str(text.clone()));
            }
            return repaired(text, errors).map(Text::Copied);
        }
        if let Ok(text) = object.cast::<PyBytes>() {
            return Ok(Text::Bytes(text.clone()));
        }
        if let Ok(buffer) = PyBuffer::<u8>::get(object) {
            return Ok(Text::Copied(buffer.to_vec(object.py())?));
        }
        let found = object.get_type().name()?;
        Err(PyTypeError::new_err(format!("text must be str or bytes, not {found}")))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            // `new` has made the UTF-8 form, which the string keeps.
            Text::Str(text) => text.to_str().map_or(&[], str::as_bytes),
            Text::Bytes(text) => text.as_bytes(),
            Text::Copied(text) => text,
        }
    }
}

/// Many texts that can be read without the GIL.
pub(crate) struct Texts<'py> {
    /// Keeps the texts alive, whatever becomes of the list that they came in.
    ///
    /// PERF: Python makes a tuple of a list in one go, and its items are looked at without counting
    /// references again.
    _objects: Bound<'py, PyTuple>,
    texts: Vec<Held<'py>>,
    /// The UTF-8 form of the strings that Python keeps in another one.
    converted: Vec<u8>,
}

enum Held<'py> {
    /// A string of ASCII among the objects. PERF: where it is, so that there is no need to ask again.
    Ascii(NonNull<[u8]>),
    Text(Text<'py>),
    /// A place in `converted`.
    Converted(Range<usize>),
}

impl<'py> Texts<'py> {
    /// The texts of a sequence. A single string is a mistake, not a batch of characters.
    pub(crate) fn new(texts: &Bound<'py, PyAny>, errors: Errors) -> PyResult<Self> {
        if texts.is_instance_of::<PyString>() || texts.is_instance_of::<PyBytes>() {
            let found = texts.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "texts must be a sequence of texts, not one {found}"
            )));
        }
        let objects = match texts.cast::<PyList>() {
            Ok(list) => list.to_tuple(),
            Err(_) => PyTuple::new(texts.py(), texts.try_iter()?.collect::<PyResult<Vec<_>>>()?)?,
        };
        let (mut held, mut converted) = (Vec::with_capacity(objects.len()), Vec::new());
        for object in objects.iter_borrowed() {
            held.push(Held::new(object, &mut converted, errors)?);
        }
        Ok(Texts { _objects: objects, texts: held, converted })
    }

    #[allow(unsafe_code)]
    pub(crate) fn slices(&self) -> Vec<&[u8]> {
        let slices = self.texts.iter().map(|held| match held {
            // SAFETY: the bytes are those of one of the objects, which are immutable strings here and
            // live as long as `self`.
            Held::Ascii(bytes) => unsafe { bytes.as_ref() },
            Held::Text(text) => text.bytes(),
            Held::Converted(place) => &self.converted[place.clone()],
        });
        slices.collect()
    }
}

impl<'py> Held<'py> {
    fn new(
        object: Borrowed<'_, 'py, PyAny>,
        converted: &mut Vec<u8>,
        errors: Errors,
    ) -> PyResult<Held<'py>> {
        if let Ok(text) = object.cast::<PyString>() {
            match Form::of(&text) {
                Some(Form::Ascii(bytes)) => return Ok(Held::Ascii(NonNull::from(bytes))),
                Some(Form::Units(units)) => {
                    let start = converted.len();
                    if units.append_to(converted).is_ok() {
                        return Ok(Held::Converted(start..converted.len()));
                    }
                    converted.truncate(start);
                }
                Some(Form::Kept) | None => {}
            }
        }
        Text::new(&object, errors).map(Held::Text)
    }
}

/// From this many characters on a single string is converted here, where it is faster than in Python.
/// Python keeps what it has converted, which is good for short strings that come again.
const CONVERTED_CHARS: usize = 1 << 14;

/// In which form Python has a string.
enum Form<'a> {
    /// As ASCII.
    Ascii(&'a [u8]),
    /// In some other form, and as UTF-8 besides.
    Kept,
    /// In some other form alone.
    Units(Units<'a>),
}

impl<'a> Form<'a> {
    #[allow(unsafe_code)]
    fn of(text: &'a Bound<'_, PyString>) -> Option<Form<'a>> {
        // SAFETY: the interpreter is CPython with its full interface, a string is immutable, and `text`
        // keeps it alive; the tests compare what comes out for every kind of string.
        let data = unsafe { text.data() }.ok()?;
        if let PyStringData::Ucs1(bytes) = data {
            // The characters of an ASCII string follow its header at once, as PEP 393 says; only a
            // string of a derived class has to be looked through.
            let header = size_of::<pyo3::ffi::PyASCIIObject>();
            if bytes.as_ptr().addr() == text.as_ptr().addr() + header || bytes.is_ascii() {
                return Some(Form::Ascii(bytes));
            }
        }
        // SAFETY: a string that is not compact ASCII starts with this structure (PEP 393); the GIL is
        // held.
        let kept = unsafe { (*text.as_ptr().cast::<pyo3::ffi::PyCompactUnicodeObject>()).utf8 };
        Some(if kept.is_null() { Form::Units(Units(data)) } else { Form::Kept })
    }
}

/// The characters of a string. What is converted from them is not kept in the string, so a large text
/// does not take its memory twice for as long as it lives.
struct Units<'a>(PyStringData<'a>);

impl Units<'_> {
    fn append_to(&self, text: &mut Vec<u8>) -> Result<(), usize> {
        match self.0 {
            PyStringData::Ucs1(units) => append_units(units, text),
            PyStringData::Ucs2(units) => append_units(units, text),
            PyStringData::Ucs4(units) => append_units(units, text),
        }
    }
}

/// The characters of a large string that Python has not as UTF-8.
pub(crate) fn large_units<'a>(text: &'a Bound<'_, PyAny>) -> Option<PyStringData<'a>> {
    let text = text.cast::<PyString>().ok().filter(|text| text.len().is_ok_and(is_large))?;
    match Form::of(text)? {
        Form::Units(Units(data)) => Some(data),
        Form::Ascii(_) | Form::Kept => None,
    }
}

fn is_large(chars: usize) -> bool {
    chars >= CONVERTED_CHARS
}

/// The UTF-8 form of a large string.
fn converted(text: &Bound<'_, PyString>) -> Option<Vec<u8>> {
    if !is_large(text.len().ok()?) {
        return None;
    }
    let Form::Units(Units(data)) = Form::of(text)? else { return None };
    match data {
        PyStringData::Ucs1(units) => from_units(units).ok(),
        PyStringData::Ucs2(units) => from_units(units).ok(),
        PyStringData::Ucs4(units) => from_units(units).ok(),
    }
}

/// A string with lone surrogates: an error, or with pairs joined and the rest as U+FFFD.
fn repaired(text: &Bound<'_, PyString>, errors: Errors) -> PyResult<Vec<u8>> {
    let py = text.py();
    if errors == Errors::Strict {
        let error = text.to_str().err().ok_or_else(|| errors::internal("a string became valid"))?;
        let position: usize = error.value(py).getattr("start")?.extract()?;
        let hint = "pass errors=\"replace\" to put U+FFFD in its place";
        return Err(errors::new(
            py,
            "TextError",
            ("the text has a lone surrogate", position, hint),
        ));
    }
    let utf16 = text.call_method1("encode", ("utf-16-le", "surrogatepass"))?;
    let utf16 = utf16.cast::<PyBytes>()?.as_bytes();
    let (units, _) = utf16.as_chunks::<2>();
    let units = units.iter().map(|unit| u16::from_le_bytes(*unit));
    let text: String = char::decode_utf16(units).map(|c| c.unwrap_or('\u{FFFD}')).collect();
    Ok(text.into_bytes())
}

/// `special=`: "text", "encode", "error", or a collection of special tokens.
#[derive(Default)]
pub(crate) struct Special(pub(crate) Allowed);

impl<'a, 'py> FromPyObject<'a, 'py> for Special {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(name) = object.cast::<PyString>() {
            return match name.to_str()? {
                "text" => Ok(Special(Allowed::Text)),
                "encode" => Ok(Special(Allowed::All)),
                "error" => Ok(Special(Allowed::Error)),
                other => Err(PyValueError::new_err(format!(
                    "special must be \"text\", \"encode\", \"error\" or a set of special tokens, not {other:?}"
                ))),
            };
        }
        let tokens = object.try_iter().map_err(|_| {
            PyTypeError::new_err(
                "special must be \"text\", \"encode\", \"error\" or a set of special tokens",
            )
        })?;
        let mut contents =
            tokens.map(|token| token?.extract()).collect::<PyResult<Vec<String>>>()?;
        contents.sort_unstable();
        Ok(Special(Allowed::Only(contents)))
    }
}

//! Python's texts, as bytes that can be read without the GIL.

use std::ops::Range;

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::string::PyStringData;
use pyo3::types::{PyBytes, PyList, PyMapping, PyString};
use subword_core::tokenizer::Held;
use subword_core::utf8::Characters;
use subword_core::{corpus, memory, prefetch_pointer};

use crate::arguments::Errors;
use crate::arrow::{Buffers, Column};
use crate::errors::{self, OrRaise};
use crate::interrupts::Pauses;
use crate::lists::probe;

/// A text that can be read without the GIL: `str` and `bytes` are borrowed, the rest is copied.
pub(crate) enum Text<'py> {
    Str(Bound<'py, PyString>),
    Bytes(Bound<'py, PyBytes>),
    Copied(Vec<u8>),
}

impl<'py> Text<'py> {
    pub(crate) fn new(object: &Bound<'py, PyAny>, errors: Errors) -> PyResult<Self> {
        if let Ok(text) = object.cast::<PyString>() {
            if let Some(converted) = large_units(object).and_then(|units| units.to_utf8().ok()) {
                return Ok(Text::Copied(converted));
            }
            return match text.to_str() {
                Ok(_) => Ok(Text::Str(text.clone())),
                Err(error) if error.is_instance_of::<PyMemoryError>(object.py()) => Err(error),
                Err(_) => repaired(text, errors).map(Text::Copied),
            };
        }
        if let Ok(text) = object.cast::<PyBytes>() {
            return Ok(Text::Bytes(text.clone()));
        }
        if let Ok(buffer) = PyBuffer::<u8>::get(object) {
            probe::<u8>(object.py(), buffer.len_bytes())?;
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

/// The texts of a sequence.
pub(crate) struct Objects<'py> {
    list: Bound<'py, PyList>,
    /// The texts instead of the list, which is empty then.
    column: Option<Column>,
}

impl<'py> Objects<'py> {
    /// A single string is a mistake, not a batch of characters, and a table or a mapping not one of its names.
    pub(crate) fn new(texts: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(list) = texts.cast::<PyList>() {
            return Ok(Objects { list: list.clone(), column: None });
        }
        check_several(texts)?;
        Objects::of(texts, Column::new(texts)?)
    }

    /// The same for a column that may have nulls: the other texts, and the rows that are null.
    pub(crate) fn with_nulls(texts: &Bound<'py, PyAny>) -> PyResult<(Self, Vec<usize>)> {
        check_several(texts)?;
        let mut column = Column::with_nulls(texts)?;
        let nulls = column.as_mut().map(Column::take_nulls).unwrap_or_default();
        Ok((Objects::of(texts, column)?, nulls))
    }

    /// The texts of the column, or of the object if there is none.
    fn of(texts: &Bound<'py, PyAny>, column: Option<Column>) -> PyResult<Self> {
        let list = match &column {
            Some(_) => PyList::empty(texts.py()),
            None => list_from(texts)?,
        };
        Ok(Objects { list, column })
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.column.as_ref().map_or_else(|| self.list.len(), Column::len)
    }

    /// The texts. The length is read anew for each, because converting a text may run code that changes the
    /// list.
    fn iter(&self) -> impl Iterator<Item = Bound<'py, PyAny>> {
        (0..).map_while(|at| {
            // PERF: the objects are far from each other in memory; the header of a string may be in two cache
            // lines.
            if let Some(pointer) = self.pointer(at + AHEAD) {
                prefetch_pointer(pointer);
                prefetch_pointer(pointer.wrapping_byte_add(HEADER));
            }
            self.get(at)
        })
    }

    #[allow(unsafe_code)]
    fn get(&self, at: usize) -> Option<Bound<'py, PyAny>> {
        // SAFETY: there is an item at this place.
        (at < self.list.len()).then(|| unsafe { self.list.get_item_unchecked(at) })
    }

    #[allow(unsafe_code)]
    fn pointer(&self, at: usize) -> Option<*mut pyo3::ffi::PyObject> {
        let (list, index) = (self.list.as_ptr(), at as isize);
        // SAFETY: there is an item at this place.
        (at < self.list.len()).then(|| unsafe { pyo3::ffi::PyList_GET_ITEM(list, index) })
    }

    /// The texts where Python has them; none for one that cannot stay there. Whether their characters are
    /// characters shows when they are converted.
    pub(crate) fn placed(&self) -> impl Iterator<Item = Option<Placed>> {
        self.in_column().map(Some).chain(self.iter().map(Placed::new))
    }

    /// The texts of a column, where they lie.
    fn in_column(&self) -> impl Iterator<Item = Placed> {
        let texts = self.column.iter().flat_map(|column| (0..).map_while(|at| column.get(at)));
        texts.map(|(buffers, text)| Placed {
            _owner: Owner::Buffers(buffers),
            place: Characters::Utf8(text),
        })
    }
}

/// An error for what iterates over something else than texts: one text, a mapping, a table.
pub(crate) fn check_several(texts: &Bound<'_, PyAny>) -> PyResult<()> {
    let found = texts.get_type().name()?;
    if texts.is_instance_of::<PyString>() || texts.is_instance_of::<PyBytes>() {
        return Err(PyTypeError::new_err(format!(
            "texts must be a sequence of texts, not one {found}"
        )));
    }
    let (what, hint) = if texts.cast::<PyMapping>().is_ok() {
        ("a mapping", "pass what it holds, such as texts.values() or texts[\"text\"]")
    } else if ["columns", "column_names"].iter().any(|name| has(texts, name)) {
        ("a table", "pass one column of it, such as texts[\"text\"]")
    } else {
        return Ok(());
    };
    Err(PyTypeError::new_err(format!(
        "texts must be a sequence of texts, not {what} ({found})\n  hint: {hint}"
    )))
}

/// Whether an item of an iterable of texts is several texts: it can be iterated over, or is of Arrow, and is no text.
pub(crate) fn is_batch(object: &Bound<'_, PyAny>) -> bool {
    let one = object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>();
    let several = ["__iter__", "__arrow_c_array__", "__arrow_c_stream__"];
    !one && PyBuffer::<u8>::get(object).is_err() && several.iter().any(|name| has(object, name))
}

/// Whether the class of an object has an attribute. The object is not asked: it might compute something.
fn has(object: &Bound<'_, PyAny>, name: &str) -> bool {
    object.get_type().hasattr(name).unwrap_or(false)
}

/// What an iterable gives, as a list. Signals are heard: what it gives may never end.
fn list_from<'py>(texts: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let py = texts.py();
    let mut all = Vec::new();
    let mut pauses = Pauses::new();
    for text in texts.try_iter()? {
        pauses.item(py)?;
        memory::reserve(&mut all, 1).or_raise(py)?;
        all.push(text?);
    }
    probe::<*const u8>(py, all.len())?;
    PyList::new(py, all)
}

/// A text where Python has it, kept alive, whatever becomes of the list that it came in.
pub(crate) struct Placed {
    /// Keeps the characters alive.
    _owner: Owner,
    place: Characters<'static>,
}

/// To whom the characters of a text belong.
enum Owner {
    Object(#[expect(dead_code, reason = "held, not read")] Py<PyAny>),
    Buffers(#[expect(dead_code, reason = "held, not read")] Buffers),
}

impl Placed {
    #[allow(unsafe_code)]
    fn new(object: Bound<'_, PyAny>) -> Option<Placed> {
        let place = place(&object)?;
        // SAFETY: the characters belong to the object, not to this reference to it, and never change. They
        // are shown for as long as `self` lives, which has a reference.
        let place = unsafe { std::mem::transmute::<Characters<'_>, Characters<'static>>(place) };
        Some(Placed { _owner: Owner::Object(object.unbind()), place })
    }
}

impl Held for Placed {
    fn characters(&self) -> Characters<'_> {
        self.place
    }
}

/// How many texts ahead one is prefetched.
const AHEAD: usize = 16;

/// How many bytes a string has before its characters.
const HEADER: usize = size_of::<pyo3::ffi::PyASCIIObject>();

/// Many texts as UTF-8 that can be read without the GIL.
pub(crate) struct Texts {
    texts: Vec<Shown>,
    copies: Vec<u8>,
}

/// A text where Python has it, or its place among the copies.
enum Shown {
    Placed(Placed),
    Copied(Range<usize>),
}

impl Texts {
    pub(crate) fn new(objects: &Objects<'_>, errors: Errors) -> PyResult<Self> {
        let mut copies = Vec::new();
        let py = objects.list.py();
        let mut texts = memory::with_capacity(objects.len()).or_raise(py)?;
        texts.extend(objects.in_column().map(Shown::Placed));
        for (at, object) in objects.iter().enumerate() {
            memory::reserve(&mut texts, 1).or_raise(py)?;
            texts.push(match Placed::new(object.clone()) {
                Some(text) if text.place.as_utf8().is_some() => Shown::Placed(text),
                _ => {
                    let start = copies.len();
                    append_copy(&object, errors, &mut copies)
                        .map_err(|error| errors::of_element(py, error, at))?;
                    Shown::Copied(start..copies.len())
                }
            });
        }
        Ok(Texts { texts, copies })
    }

    /// All of them.
    pub(crate) fn all(&self) -> Vec<&[u8]> {
        let texts = self.texts.iter().map(|text| match text {
            Shown::Placed(text) => text.characters().as_utf8().unwrap_or_default(),
            Shown::Copied(copy) => &self.copies[copy.clone()],
        });
        texts.collect()
    }
}

/// Where Python has a text, if it can stay there.
fn place<'a>(object: &'a Bound<'_, PyAny>) -> Option<Characters<'a>> {
    if let Ok(text) = object.cast::<PyString>() {
        return characters(text);
    }
    object.cast::<PyBytes>().ok().map(|text| Characters::Utf8(text.as_bytes()))
}

/// Calls `work` with the bytes of a text: those that Python has, or a copy.
pub(crate) fn with_bytes<R>(
    text: &Bound<'_, PyAny>,
    errors: Errors,
    work: impl FnOnce(&[u8]) -> PyResult<R>,
) -> PyResult<R> {
    match place(text).and_then(Characters::as_utf8) {
        Some(bytes) => work(bytes),
        None => work(Text::new(text, errors)?.bytes()),
    }
}

/// Appends the UTF-8 form of a text.
fn append_copy(object: &Bound<'_, PyAny>, errors: Errors, copies: &mut Vec<u8>) -> PyResult<()> {
    let start = copies.len();
    if place(object).is_some_and(|characters| characters.append_to(copies).is_ok()) {
        return Ok(());
    }
    copies.truncate(start);
    let text = Text::new(object, errors)?;
    memory::extend(copies, text.bytes()).or_raise(object.py())
}

/// From this many characters on a single string is converted here, where it is faster than in Python.
/// Python keeps what it has converted, which is good for short strings that come again.
const CONVERTED_CHARS: usize = 1 << 14;

/// The characters of a string, as UTF-8 if Python has them so. What is converted from them is not kept in
/// the string, so a large text does not take its memory twice for as long as it lives.
#[allow(unsafe_code)]
fn characters<'a>(text: &'a Bound<'_, PyString>) -> Option<Characters<'a>> {
    // SAFETY: the interpreter is CPython with its full interface, a string is immutable, and `text`
    // keeps it alive; the tests compare what comes out for every kind of string.
    let data = unsafe { text.data() }.ok()?;
    if let PyStringData::Ucs1(bytes) = data {
        // The characters of an ASCII string follow its header at once, as PEP 393 says; only a
        // string of a derived class has to be looked through.
        if bytes.as_ptr().addr() == text.as_ptr().addr() + HEADER || bytes.is_ascii() {
            return Some(Characters::Utf8(bytes));
        }
    }
    // SAFETY: a string that is not compact ASCII starts with this structure (PEP 393); the GIL is
    // held.
    let kept = unsafe { (*text.as_ptr().cast::<pyo3::ffi::PyCompactUnicodeObject>()).utf8 };
    if !kept.is_null() {
        return text.to_str().ok().map(|text| Characters::Utf8(text.as_bytes()));
    }
    Some(match data {
        PyStringData::Ucs1(units) => Characters::One(units),
        PyStringData::Ucs2(units) => Characters::Two(units),
        PyStringData::Ucs4(units) => Characters::Four(units),
    })
}

/// The characters of a large string that Python has not as UTF-8.
fn large_units<'a>(text: &'a Bound<'_, PyAny>) -> Option<Characters<'a>> {
    let text = text.cast::<PyString>().ok()?;
    let large = text.len().is_ok_and(|chars| chars >= CONVERTED_CHARS);
    characters(text).filter(|characters| large && characters.as_utf8().is_none())
}

/// A string with lone surrogates: an error, or with pairs joined and the rest as U+FFFD.
fn repaired(text: &Bound<'_, PyString>, errors: Errors) -> PyResult<Vec<u8>> {
    let py = text.py();
    if errors.0 == corpus::Errors::Strict {
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

//! A column of texts, read where it lies.
//!
//! An object with `__arrow_c_stream__` or `__arrow_c_array__` gives a capsule. Its arrays are kept until the last text
//! is read. A text is a range of the column's own buffer: nothing is copied.
//!
//! ```text
//! u U z Z     validity, offsets of 32 or 64 bits, bytes
//! vu vz       validity, views of 16 bytes: a length, then the text, or its prefix, buffer and offset; buffers
//! n           nothing: all rows are null
//! ```
//!
//! Any other type is an error. So is a null, where the result has no place for one: an empty text would be a guess.

use std::ffi::{CStr, c_int, c_void};
use std::sync::Arc;

use pyo3::exceptions::{PyException, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::{ARRAY, Array, ArrowArray, SCHEMA, STREAM, Schema, Stream};

/// Keeps the buffers of a column alive.
pub(crate) type Buffers = Arc<dyn Send + Sync>;

/// The texts of a column.
pub(crate) struct Column {
    buffers: Arc<Vec<Array>>,
    /// Slices of the buffers.
    texts: Vec<&'static [u8]>,
    /// The rows that are null, rising. They are not among the texts.
    nulls: Vec<usize>,
}

impl Column {
    /// The texts of an object that offers an Arrow column; none for an object that offers nothing of Arrow,
    /// or that cannot offer it (pandas without pyarrow, texts of several types).
    pub(crate) fn new(object: &Bound<'_, PyAny>) -> PyResult<Option<Column>> {
        let Some(mut column) = Column::with_nulls(object)? else { return Ok(None) };
        match column.take_nulls().first() {
            None => Ok(Some(column)),
            Some(row) => Err(PyTypeError::new_err(format!(
                "text {row} is null\n  hint: drop nulls first, or put \"\" in their place"
            ))),
        }
    }

    /// The same for a column that may have nulls.
    pub(crate) fn with_nulls(object: &Bound<'_, PyAny>) -> PyResult<Option<Column>> {
        let Some((schema, arrays)) = exported(object)? else { return Ok(None) };
        let layout = Layout::new(&schema, object)?;
        let mut column = Column { buffers: Arc::default(), texts: Vec::new(), nulls: Vec::new() };
        for array in &arrays {
            layout.append_texts(&array.0, &mut column)?;
        }
        column.buffers = Arc::new(arrays);
        Ok(Some(column))
    }

    /// The rows that are null, rising.
    pub(crate) fn take_nulls(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.nulls)
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    /// All texts.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &[u8]> {
        self.texts.iter().copied()
    }

    /// One text. It is valid for as long as the buffers live.
    pub(crate) fn get(&self, at: usize) -> Option<(Buffers, &'static [u8])> {
        let text = self.texts.get(at)?;
        Some((self.buffers.clone(), text))
    }
}

/// The type and the arrays that an object offers.
fn exported(object: &Bound<'_, PyAny>) -> PyResult<Option<(Schema, Vec<Array>)>> {
    let call = |method: &str| -> PyResult<Option<Bound<'_, PyAny>>> {
        if !object.get_type().hasattr(method)? {
            return Ok(None);
        }
        match object.call_method0(method) {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.is_instance_of::<PyException>(object.py()) => Ok(None),
            Err(error) => Err(error),
        }
    };
    if let Some(capsule) = call("__arrow_c_stream__")? {
        let mut stream = Stream::from_capsule(&capsule, STREAM)?;
        return all_of(&mut stream).map(Some);
    }
    let Some(both) = call("__arrow_c_array__")? else { return Ok(None) };
    let both = both.cast::<PyTuple>()?;
    let schema = Schema::from_capsule(&both.get_item(0)?, SCHEMA)?;
    Ok(Some((schema, vec![Array::from_capsule(&both.get_item(1)?, ARRAY)?])))
}

/// Everything in a stream.
#[allow(unsafe_code)]
fn all_of(stream: &mut Stream) -> PyResult<(Schema, Vec<Array>)> {
    let (Some(get_schema), Some(get_next)) = (stream.0.get_schema, stream.0.get_next) else {
        return Err(PyRuntimeError::new_err("an Arrow stream was read before"));
    };
    let mut schema = Schema::empty();
    // SAFETY: the function belongs to this stream, and fills an empty structure.
    let code = unsafe { get_schema(&mut stream.0, &mut schema.0) };
    check(stream, code)?;
    let mut arrays = Vec::new();
    loop {
        let mut array = Array::empty();
        // SAFETY: as above.
        let code = unsafe { get_next(&mut stream.0, &mut array.0) };
        check(stream, code)?;
        if array.0.release.is_none() {
            return Ok((schema, arrays)); // this is how a stream says that it ends
        }
        arrays.push(array);
    }
}

#[allow(unsafe_code)]
fn check(stream: &mut Stream, code: c_int) -> PyResult<()> {
    if code == 0 {
        return Ok(());
    }
    // SAFETY: the function belongs to this stream; what it returns is null or a text that lives until the
    // next call.
    let told = stream.0.get_last_error.map(|told| unsafe { told(&mut stream.0) });
    let told = told.filter(|text| !text.is_null());
    // SAFETY: as above.
    let told = told.map(|text| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned());
    let message = told.unwrap_or_else(|| format!("code {code}"));
    Err(PyRuntimeError::new_err(format!("an Arrow stream cannot be read: {message}")))
}

/// How the texts of a column lie in its buffers.
#[derive(Clone, Copy)]
enum Layout {
    Offsets32,
    Offsets64,
    Views,
    Nulls,
}

impl Layout {
    #[allow(unsafe_code)]
    fn new(schema: &Schema, object: &Bound<'_, PyAny>) -> PyResult<Layout> {
        // SAFETY: a schema that was not released has a format, which ends in a zero.
        let format = unsafe { CStr::from_ptr(schema.0.format) }.to_string_lossy();
        let dictionary = !schema.0.dictionary.is_null();
        let wrong = |what: &str, hint: &str| {
            let found = object.get_type().name()?;
            Err(PyTypeError::new_err(format!(
                "texts must be texts, not {what} ({found})\n  hint: {hint}"
            )))
        };
        match format.as_ref() {
            _ if dictionary => wrong(
                "a dictionary-encoded column",
                "pass plain strings: column.dictionary_decode(), or astype(str) of pandas",
            ),
            "u" | "z" => Ok(Layout::Offsets32),
            "U" | "Z" => Ok(Layout::Offsets64),
            "vu" | "vz" => Ok(Layout::Views),
            "n" => Ok(Layout::Nulls),
            "+s" => wrong("a table", "pass one column of it, such as table[\"text\"]"),
            other => wrong(
                &format!("a column of Arrow's type {other:?}"),
                "pass a column of strings, such as column.cast(\"string\")",
            ),
        }
    }

    /// Appends the texts of an array. The producer vouches for its offsets.
    #[allow(unsafe_code)]
    fn append_texts(self, array: &ArrowArray, column: &mut Column) -> PyResult<()> {
        let bad = || PyRuntimeError::new_err("an Arrow array says nonsense about its size");
        let (length, offset) = (usize::try_from(array.length), usize::try_from(array.offset));
        let (Ok(length), Ok(offset)) = (length, offset) else { return Err(bad()) };
        let count = usize::try_from(array.n_buffers).map_err(|_| bad())?;
        if length == 0 {
            return Ok(());
        }
        let first = column.texts.len() + column.nulls.len();
        if matches!(self, Layout::Nulls) {
            column.nulls.extend(first..first + length);
            return Ok(());
        }
        // SAFETY: an array has as many buffers as it says.
        let buffers = unsafe { std::slice::from_raw_parts(array.buffers, count) };
        if buffers.len() < 3 && !(matches!(self, Layout::Views) && buffers.len() == 2) {
            return Err(bad());
        }
        let may_be_null = array.null_count != 0 && !buffers[0].is_null();
        // SAFETY: the first buffer has a bit for each row, from the first row of the buffers on.
        let bit = |row: usize| unsafe { *buffers[0].cast::<u8>().add(row / 8) >> (row % 8) & 1 };
        let room = column.texts.try_reserve(length);
        room.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        for row in offset..offset + length {
            if may_be_null && bit(row) == 0 {
                column.nulls.push(first + row - offset);
                continue;
            }
            // SAFETY: the row is one of the array's, and the buffers are those of the layout. What is shown
            // lives as long as the array, which `Column` keeps.
            column.texts.push(unsafe {
                match self {
                    Layout::Offsets32 => by_offsets::<i32>(buffers, row),
                    Layout::Offsets64 => by_offsets::<i64>(buffers, row),
                    Layout::Views | Layout::Nulls => by_view(buffers, row),
                }
            });
        }
        Ok(())
    }
}

/// A row of a column with offsets.
///
/// # Safety
/// The buffers are those of such a column, which has this row; they live as long as what is returned.
#[allow(unsafe_code)]
unsafe fn by_offsets<T: Copy + TryInto<usize>>(
    buffers: &[*const c_void],
    row: usize,
) -> &'static [u8] {
    // SAFETY: there is one offset more than there are rows, and they rise.
    unsafe {
        let offsets = buffers[1].cast::<T>().add(row);
        let [start, end] = [*offsets, *offsets.add(1)].map(|at| at.try_into().unwrap_or(0));
        slice(buffers[2], start, end.saturating_sub(start))
    }
}

/// A row of a column of views.
///
/// # Safety
/// As for [`by_offsets`].
#[allow(unsafe_code)]
unsafe fn by_view(buffers: &[*const c_void], row: usize) -> &'static [u8] {
    const INLINE: usize = 12;
    // SAFETY: a view is four numbers of 32 bits. A short text lies in the view itself, behind its length.
    unsafe {
        let view = buffers[1].cast::<[u32; 4]>().add(row);
        let [length, _, buffer, start] = view.read_unaligned().map(|number| number as usize);
        if length <= INLINE {
            return slice(view.cast(), size_of::<u32>(), length);
        }
        slice(buffers[2 + buffer], start, length)
    }
}

/// # Safety
/// The buffer holds these bytes, for as long as what is returned is used.
#[allow(unsafe_code)]
unsafe fn slice(buffer: *const c_void, start: usize, length: usize) -> &'static [u8] {
    if length == 0 {
        return &[]; // the buffer of a column of empty texts may be null
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(buffer.cast::<u8>().add(start), length) }
}

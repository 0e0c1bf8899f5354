//! A column of texts in Arrow's C data interface, read where it lies: pyarrow, polars, pandas and others.
//!
//! An object with `__arrow_c_stream__` or `__arrow_c_array__` gives a capsule with C structures. Their arrays are
//! moved out of it, kept until the last text is read, and then released by the function that came with them. A
//! text is a range of the column's own buffer: nothing is copied.
//!
//! ```text
//! u U z Z     validity, offsets of 32 or 64 bits, bytes
//! vu vz       validity, views of 16 bytes: a length, then the text, or its prefix, buffer and offset; buffers
//! ```
//!
//! Any other type is an error, and so is a null: an empty text in its place would be a guess.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Arc;

use pyo3::exceptions::{PyException, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

#[repr(C)]
struct ArrowSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut ArrowSchema,
    dictionary: *mut ArrowSchema,
    release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *const *const c_void,
    children: *mut *mut ArrowArray,
    dictionary: *mut ArrowArray,
    release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct ArrowArrayStream {
    get_schema: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    private_data: *mut c_void,
}

/// A structure that was moved here from its producer, and is released by the producer's function.
macro_rules! released {
    ($owned:ident, $structure:ident) => {
        struct $owned($structure);

        impl $owned {
            /// An empty structure, to be filled by a producer.
            #[allow(unsafe_code)]
            fn empty() -> Self {
                // SAFETY: all fields are numbers, pointers and optional functions, for which zero is a value.
                $owned(unsafe { std::mem::zeroed() })
            }

            /// Moves a structure out of a capsule, as the interface asks: the source is marked as released.
            #[allow(unsafe_code)]
            fn from_capsule(capsule: &Bound<'_, PyAny>, name: &CStr) -> PyResult<Self> {
                let pointer = capsule.cast::<PyCapsule>()?.pointer_checked(Some(name))?;
                // SAFETY: a capsule of this name holds a structure of this type, by the interface.
                let source = unsafe { pointer.cast::<$structure>().as_mut() };
                let moved = std::mem::replace(source, Self::empty().0.take());
                Ok($owned(moved))
            }
        }

        impl $structure {
            /// This structure, with a released one in its place.
            #[allow(unsafe_code)]
            fn take(&mut self) -> Self {
                // SAFETY: as in `empty`.
                std::mem::replace(self, unsafe { std::mem::zeroed() })
            }
        }

        impl Drop for $owned {
            #[allow(unsafe_code)]
            fn drop(&mut self) {
                if let Some(release) = self.0.release {
                    // SAFETY: the function belongs to this structure, and is called once.
                    unsafe { release(&mut self.0) };
                }
            }
        }
    };
}

released!(Schema, ArrowSchema);
released!(Array, ArrowArray);
released!(Stream, ArrowArrayStream);

/// SAFETY: the interface lets a consumer read and release an array on any thread; it is never written.
#[allow(unsafe_code)]
unsafe impl Send for Array {}
/// SAFETY: as for `Send`.
#[allow(unsafe_code)]
unsafe impl Sync for Array {}

/// Keeps the buffers of a column alive.
pub(crate) type Buffers = Arc<dyn Send + Sync>;

/// The texts of a column.
pub(crate) struct Column {
    buffers: Arc<Vec<Array>>,
    /// Slices of the buffers.
    texts: Vec<&'static [u8]>,
}

impl Column {
    /// The texts of an object that offers an Arrow column; none for an object that offers nothing of Arrow,
    /// or that cannot offer it (pandas without pyarrow, texts of several types).
    pub(crate) fn new(object: &Bound<'_, PyAny>) -> PyResult<Option<Column>> {
        let Some((schema, arrays)) = exported(object)? else { return Ok(None) };
        let layout = Layout::new(&schema, object)?;
        let mut texts = Vec::new();
        for array in &arrays {
            layout.append_texts(&array.0, &mut texts)?;
        }
        Ok(Some(Column { buffers: Arc::new(arrays), texts }))
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
        let mut stream = Stream::from_capsule(&capsule, c"arrow_array_stream")?;
        return all_of(&mut stream).map(Some);
    }
    let Some(both) = call("__arrow_c_array__")? else { return Ok(None) };
    let both = both.cast::<PyTuple>()?;
    let schema = Schema::from_capsule(&both.get_item(0)?, c"arrow_schema")?;
    Ok(Some((schema, vec![Array::from_capsule(&both.get_item(1)?, c"arrow_array")?])))
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
            "+s" => wrong("a table", "pass one column of it, such as table[\"text\"]"),
            other => wrong(
                &format!("a column of Arrow's type {other:?}"),
                "pass a column of strings, such as column.cast(\"string\")",
            ),
        }
    }

    /// Appends the texts of an array. The producer vouches for its offsets.
    #[allow(unsafe_code)]
    fn append_texts(self, array: &ArrowArray, texts: &mut Vec<&'static [u8]>) -> PyResult<()> {
        let bad = || PyRuntimeError::new_err("an Arrow array says nonsense about its size");
        let (length, offset) = (usize::try_from(array.length), usize::try_from(array.offset));
        let (Ok(length), Ok(offset)) = (length, offset) else { return Err(bad()) };
        let count = usize::try_from(array.n_buffers).map_err(|_| bad())?;
        if length == 0 {
            return Ok(());
        }
        // SAFETY: an array has as many buffers as it says.
        let buffers = unsafe { std::slice::from_raw_parts(array.buffers, count) };
        if buffers.len() < 3 && !(matches!(self, Layout::Views) && buffers.len() == 2) {
            return Err(bad());
        }
        if array.null_count != 0 && !buffers[0].is_null() {
            // SAFETY: the first buffer has a bit for each row, from the first row of the buffers on.
            let bit =
                |row: usize| unsafe { *buffers[0].cast::<u8>().add(row / 8) >> (row % 8) & 1 };
            if let Some(row) = (0..length).find(|row| bit(offset + row) == 0) {
                let at = texts.len() + row;
                return Err(PyTypeError::new_err(format!(
                    "text {at} is null\n  hint: drop nulls first, or put \"\" in their place"
                )));
            }
        }
        texts.try_reserve(length).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        for row in offset..offset + length {
            // SAFETY: the row is one of the array's, and the buffers are those of the layout. What is shown
            // lives as long as the array, which `Column` keeps.
            texts.push(unsafe {
                match self {
                    Layout::Offsets32 => by_offsets::<i32>(buffers, row),
                    Layout::Offsets64 => by_offsets::<i64>(buffers, row),
                    Layout::Views => by_view(buffers, row),
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

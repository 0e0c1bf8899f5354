//! Columns of Arrow, in and out, by its C data interface: pyarrow, polars, pandas and others.
//!
//! An object of Python offers a capsule with C structures, and with each of them the function that releases it.
//! Whoever takes a capsule moves the structures out of it, so that only one side ever releases them. `texts` reads
//! columns of strings where they lie; `ids` offers columns of lists of ids, whose buffers are the vectors that the
//! engine has filled.

use std::ffi::{CStr, c_char, c_int, c_void};

use pyo3::prelude::*;
use pyo3::types::PyCapsule;

pub(crate) use ids::IdColumn;
pub(crate) use texts::{Buffers, Column};

mod ids;
mod texts;

/// The names of the capsules.
const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

#[repr(C)]
pub(super) struct ArrowSchema {
    pub(super) format: *const c_char,
    pub(super) name: *const c_char,
    pub(super) metadata: *const c_char,
    pub(super) flags: i64,
    pub(super) n_children: i64,
    pub(super) children: *mut *mut ArrowSchema,
    pub(super) dictionary: *mut ArrowSchema,
    pub(super) release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    pub(super) private_data: *mut c_void,
}

#[repr(C)]
pub(super) struct ArrowArray {
    pub(super) length: i64,
    pub(super) null_count: i64,
    pub(super) offset: i64,
    pub(super) n_buffers: i64,
    pub(super) n_children: i64,
    pub(super) buffers: *const *const c_void,
    pub(super) children: *mut *mut ArrowArray,
    pub(super) dictionary: *mut ArrowArray,
    pub(super) release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    pub(super) private_data: *mut c_void,
}

#[repr(C)]
pub(super) struct ArrowArrayStream {
    pub(super) get_schema:
        Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int>,
    pub(super) get_next:
        Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int>,
    pub(super) get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
    pub(super) release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    pub(super) private_data: *mut c_void,
}

/// A structure that was moved here from its producer, and is released by the producer's function.
macro_rules! released {
    ($owned:ident, $structure:ident) => {
        #[repr(transparent)]
        pub(super) struct $owned(pub(super) $structure);

        impl $owned {
            /// An empty structure, to be filled by a producer.
            #[allow(unsafe_code)]
            pub(super) fn empty() -> Self {
                // SAFETY: all fields are numbers, pointers and optional functions, for which zero is a value.
                $owned(unsafe { std::mem::zeroed() })
            }

            /// Moves a structure out of a capsule, as the interface asks: the source is marked as released.
            #[allow(unsafe_code)]
            pub(super) fn from_capsule(capsule: &Bound<'_, PyAny>, name: &CStr) -> PyResult<Self> {
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
/// SAFETY: as for arrays.
#[allow(unsafe_code)]
unsafe impl Send for Schema {}
/// SAFETY: as for `Send`.
#[allow(unsafe_code)]
unsafe impl Sync for Array {}

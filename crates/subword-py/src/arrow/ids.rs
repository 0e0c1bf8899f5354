//! A column of lists of ids, which Arrow's consumers take without a copy.
//!
//! ```text
//! texts    "low", null, "lower"        ids 257 | | 257 101 114
//!
//! large_list<item: uint32>    validity 1 0 1, offsets 0 1 1 4        one bit a row, absent without nulls
//!   item: uint32              257 257 101 114
//! ```
//!
//! Each array that is handed out, and the array of ids within it, keeps the column alive by itself: a consumer may
//! move the inner array out and release the outer one.

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use subword_core::tokenizer::Ragged;
use subword_core::{Result, TokenId, memory};

use super::{ARRAY, Array, ArrowArray, ArrowSchema, SCHEMA, Schema};

/// What a schema says of a column that may hold nulls, as columns do by default.
const NULLABLE: i64 = 2;

/// Lists of ids, as a column of Arrow: what `encode_arrow` returns. It goes where such columns go, such as
/// `pyarrow.array(column)`, `polars.Series(column)` and `pandas.Series.from_arrow(column)`, and nothing is copied.
#[pyclass(frozen, module = "subword._core")]
pub(crate) struct IdColumn(Arc<Lists>);

/// The buffers of a column.
struct Lists {
    ids: Vec<TokenId>,
    /// Where each list starts, and where the last one ends. Arrow reads them as signed numbers.
    bounds: Vec<u64>,
    /// A bit for each row; empty if no row is null.
    valid: Vec<u8>,
    nulls: usize,
}

impl IdColumn {
    /// The lists of a batch, with nulls at these rows of the column.
    pub(crate) fn new(ragged: Ragged, nulls: &[usize]) -> Result<IdColumn> {
        let Ragged { ids, bounds } = ragged;
        if nulls.is_empty() {
            return Ok(IdColumn(Arc::new(Lists { ids, bounds, valid: Vec::new(), nulls: 0 })));
        }
        let rows = bounds.len() - 1 + nulls.len();
        let mut all = memory::with_capacity(rows + 1)?;
        let mut valid = memory::with_capacity(rows.div_ceil(8))?;
        valid.resize(rows.div_ceil(8), 0);
        let (mut nulls_left, mut texts) = (nulls.iter().peekable(), 0);
        for row in 0..rows {
            all.push(bounds[texts]);
            if nulls_left.next_if(|&&null| null == row).is_none() {
                valid[row / 8] |= 1 << (row % 8);
                texts += 1;
            }
        }
        all.push(bounds[texts]);
        Ok(IdColumn(Arc::new(Lists { ids, bounds: all, valid, nulls: nulls.len() })))
    }

    /// The column as C structures: lists, and the ids in them.
    fn array(&self) -> Array {
        let Lists { ids, bounds, valid, nulls } = &*self.0;
        let item = exported(&self.0, ids.len(), 0, [null(), ids.as_ptr().cast()], Vec::new());
        let valid = if valid.is_empty() { null() } else { valid.as_ptr().cast() };
        let buffers = [valid, bounds.as_ptr().cast()];
        Array(exported(&self.0, bounds.len() - 1, *nulls, buffers, vec![item]))
    }
}

#[pymethods]
impl IdColumn {
    /// The type of the column: `large_list<uint32>`.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        PyCapsule::new_with_value(py, schema(), SCHEMA)
    }

    /// The type and the column. Another type cannot be asked for.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema; // a wish, which the interface allows to leave alone
        let array = PyCapsule::new_with_value(py, self.array(), ARRAY)?;
        Ok((self.__arrow_c_schema__(py)?, array))
    }

    /// How many lists there are, nulls among them.
    fn __len__(&self) -> usize {
        self.0.bounds.len() - 1
    }

    fn __repr__(&self) -> String {
        let Lists { ids, nulls, .. } = &*self.0;
        format!("<IdColumn: {} lists, {nulls} of them null, {} ids>", self.__len__(), ids.len())
    }
}

/// What an exported array keeps until it is released.
struct Kept {
    _lists: Arc<Lists>,
    buffers: [*const c_void; 2],
    children: Vec<*mut ArrowArray>,
}

/// An array over buffers of the lists.
fn exported(
    lists: &Arc<Lists>,
    length: usize,
    nulls: usize,
    buffers: [*const c_void; 2],
    children: Vec<ArrowArray>,
) -> ArrowArray {
    let children = children.into_iter().map(|child| Box::into_raw(Box::new(child))).collect();
    let kept = Box::leak(Box::new(Kept { _lists: lists.clone(), buffers, children }));
    ArrowArray {
        length: length as i64,
        null_count: nulls as i64,
        offset: 0,
        n_buffers: kept.buffers.len() as i64,
        n_children: kept.children.len() as i64,
        buffers: kept.buffers.as_ptr(),
        children: kept.children.as_mut_ptr(),
        dictionary: null_mut(),
        release: Some(release_array),
        private_data: std::ptr::from_mut(kept).cast(),
    }
}

/// # Safety
/// The array is one that [`exported`] made, and is released once.
#[allow(unsafe_code)]
unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: the caller's promise. A child that a consumer has moved out is marked as released, and `Array` lets it
    // be.
    unsafe {
        let kept = Box::from_raw((*array).private_data.cast::<Kept>());
        kept.children.iter().for_each(|&child| drop(Array(*Box::from_raw(child))));
        (*array).release = None;
    }
}

/// `large_list<item: uint32>`.
fn schema() -> Schema {
    let plain = |format: &'static CStr, name: &'static CStr| ArrowSchema {
        format: format.as_ptr(),
        name: name.as_ptr(),
        metadata: null(),
        flags: NULLABLE,
        n_children: 0,
        children: null_mut(),
        dictionary: null_mut(),
        release: Some(release_schema),
        private_data: null_mut(),
    };
    let item = Box::into_raw(Box::new(plain(c"I", c"item")));
    let children = Box::into_raw(Box::new(item));
    Schema(ArrowSchema { n_children: 1, children, ..plain(c"+L", c"") })
}

/// # Safety
/// The schema is one that [`schema`] made, or the one within it, and is released once.
#[allow(unsafe_code)]
unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: the caller's promise. Only the outer one has children, and it has one.
    unsafe {
        if !(*schema).children.is_null() {
            let child = Box::from_raw((*schema).children);
            drop(Schema(*Box::from_raw(*child)));
        }
        (*schema).release = None;
    }
}

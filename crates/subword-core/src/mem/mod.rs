//! What needs `unsafe` and is not arithmetic: memory that threads fill, tables of cache lines, values that are made
//! once.

#![allow(unsafe_code)]

mod extend;

pub(crate) use extend::{Copying, extend_with};

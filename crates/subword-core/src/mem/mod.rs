//! What needs `unsafe` and is not arithmetic: prefetching, tables of cache lines, values that are made once, and
//! vectors that threads fill together.

#![allow(unsafe_code)]

mod cache_lines;
mod extend;
mod first_use;
mod huge_pages;
mod prefetch;

pub use cache_lines::{Line, Lines};
pub(crate) use extend::{Copying, extend_with};
pub use first_use::FirstUse;
pub use huge_pages::prefer_huge_pages;
pub use prefetch::{prefetch, prefetch_at, prefetch_pointer};

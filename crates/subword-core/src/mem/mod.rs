//! What needs `unsafe` and is not arithmetic: prefetching, tables of cache lines, and values that are made
//! once.

#![allow(unsafe_code)]

mod cache_lines;
mod first_use;
mod huge_pages;
mod prefetch;

pub use cache_lines::{Line, Lines};
pub use first_use::FirstUse;
pub use huge_pages::prefer_huge_pages;
pub use prefetch::{prefetch, prefetch_at, prefetch_pointer};

//! Text to pieces.

mod named;

pub use named::Named;

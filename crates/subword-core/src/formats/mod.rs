//! Files to `Model` and back.

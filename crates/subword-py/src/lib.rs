//! The Python door: converts types, frees the GIL, maps errors. It decides nothing.

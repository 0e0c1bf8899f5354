//! Cuts a text by a pattern.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| subword_fuzz::split::check(data));

//! Encodes by a small model.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| subword_fuzz::encode::check(data));

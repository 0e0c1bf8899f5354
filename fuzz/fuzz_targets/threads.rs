//! Encodes large texts on several threads.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| subword_fuzz::threads::check(data));

//! Loads the files of a tokenizer.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| subword_fuzz::load::check(data));

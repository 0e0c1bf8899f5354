//! Loads a file of sentencepiece.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| subword_fuzz::sentencepiece::check(data));

//! Reads, adds and writes counts.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| subword_fuzz::counts::check(data));

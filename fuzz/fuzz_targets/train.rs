//! Learns merges.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| subword_fuzz::train::check(data));

//! The target `scanner` for libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cassette_fuzz::scanner(data));

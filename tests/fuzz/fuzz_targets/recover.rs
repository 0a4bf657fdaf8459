//! The target `recover` for libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cassette_fuzz::recover(data));

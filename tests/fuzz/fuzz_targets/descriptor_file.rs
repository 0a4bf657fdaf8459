//! The target `descriptor_file` for libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cassette_fuzz::descriptor_file(data));

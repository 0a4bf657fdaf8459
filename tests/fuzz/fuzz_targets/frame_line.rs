//! The target `frame_line` for libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cassette_fuzz::frame_line(data));

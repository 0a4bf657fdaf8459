//! The target `rollout` for libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cassette_fuzz::rollout(data));

//! Hands libFuzzer's inputs to [`receipt_fuzz::carried::inspect`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| receipt_fuzz::carried::inspect(data));

//! Hands libFuzzer's inputs to [`receipt_fuzz::receipt_json`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| receipt_fuzz::receipt_json(data));

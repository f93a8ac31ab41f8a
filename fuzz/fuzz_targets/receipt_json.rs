//! Hands libFuzzer's inputs to [`receipt_fuzz::carried::receipt_json`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| receipt_fuzz::carried::receipt_json(data));

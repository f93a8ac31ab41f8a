//! Hands libFuzzer's inputs to [`receipt_fuzz::signed::certificate`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| receipt_fuzz::signed::certificate(data));

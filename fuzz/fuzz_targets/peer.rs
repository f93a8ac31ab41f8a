//! Hands libFuzzer's inputs to [`receipt_fuzz::peer::compare`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| receipt_fuzz::peer::compare(data));

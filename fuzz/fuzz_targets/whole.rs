//! Hands libFuzzer's inputs to [`receipt_fuzz::whole`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| receipt_fuzz::whole(data));

//! Hands libFuzzer's inputs to [`receipt_fuzz::given::audit`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| receipt_fuzz::given::audit(data));

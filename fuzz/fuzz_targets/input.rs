//! Hands libFuzzer's inputs to [`receipt_fuzz::given::input`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| receipt_fuzz::given::input(data));

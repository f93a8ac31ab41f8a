//! Hands libFuzzer's inputs to [`receipt_fuzz::given::trace`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| receipt_fuzz::given::trace(data));

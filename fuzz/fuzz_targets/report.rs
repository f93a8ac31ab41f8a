//! Hands libFuzzer's inputs to [`receipt_fuzz::report::answer`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| receipt_fuzz::report::answer(data));

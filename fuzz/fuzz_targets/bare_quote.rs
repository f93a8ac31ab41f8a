//! Hands libFuzzer's inputs to [`receipt_fuzz::bare_quote`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| receipt_fuzz::bare_quote(data));

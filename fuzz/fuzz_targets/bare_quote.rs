//! Hands libFuzzer's inputs to [`receipt_fuzz::carried::bare_quote`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| receipt_fuzz::carried::bare_quote(data));

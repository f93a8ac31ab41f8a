//! Hands libFuzzer's inputs to [`receipt_fuzz::signed::crl`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| receipt_fuzz::signed::crl(data));

//! Hands libFuzzer's inputs to [`receipt_fuzz::signed::qe_identity`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| receipt_fuzz::signed::qe_identity(data));

//! Hands libFuzzer's inputs to [`receipt_fuzz::carried::whole`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| receipt_fuzz::carried::whole(data));

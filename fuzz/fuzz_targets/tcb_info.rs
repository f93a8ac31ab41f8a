//! Hands libFuzzer's inputs to [`receipt_fuzz::signed::tcb_info`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| receipt_fuzz::signed::tcb_info(data));

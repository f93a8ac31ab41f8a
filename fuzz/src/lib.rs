//! The fuzz targets of `verify-core`, as plain functions over bytes.
//!
//! Each target builds a receipt or a policy from its input, lets the core judge it, and asserts the oracle of [`soundness`].
//! A target returns normally for every input; a panic is a finding. The programs in `fuzz_targets/` hand libFuzzer's inputs
//! to these functions, and `tests/replay.rs` does the same with the seeds on stable.

#![forbid(unsafe_code)]

use data_encoding::BASE64;
use soundness::vectors::{Vectors, vectors};
use soundness::{edits, essence, invariants, judge};
use verify_core::{Anchors, Outcome, Policy, Verifier};

/// A target: returns for every input, or panics with what it found.
pub type Target = fn(&[u8]);

/// Every target with its name, which is also the name of its folder of seeds.
pub const TARGETS: [(&str, Target); 6] = [
    ("receipt_json", receipt_json),
    ("quote", quote),
    ("bare_quote", bare_quote),
    ("collateral", collateral),
    ("whole", whole),
    ("policy", policy),
];

/// The bytes are a whole receipt.
pub fn receipt_json(data: &[u8]) {
    judge(data);
    let intel = invariants::verify(&Verifier::new(Policy::authenticity(), Anchors::intel()), data);
    assert_ne!(intel.outcome, Outcome::Verified, "no input holds evidence that Intel signed");
}

/// The bytes are the quote of an otherwise good receipt.
pub fn quote(data: &[u8]) {
    judge(&edits::with_member(&vectors().good, "quote_b64", &BASE64.encode(data)));
}

/// The bytes are a quote without a receipt, judged by the collateral of a trust domain and by that of an SGX enclave.
pub fn bare_quote(data: &[u8]) {
    let Vectors { anchors, quotes, collaterals, .. } = vectors();
    for collateral in collaterals {
        let report = invariants::verify_quote(data, collateral, anchors);
        if report.outcome == Outcome::Verified {
            let parts = essence::quote_parts(data).expect("verified, so a second reader can take it apart");
            assert!(quotes.contains(&parts), "verified, but no shipped quote has these authenticated parts");
        }
    }
}

/// The bytes are the collateral of an otherwise good receipt.
pub fn collateral(data: &[u8]) {
    judge(&edits::with_member(&vectors().good, "collateral_b64", &BASE64.encode(data)));
}

/// The bytes say which shipped receipt to take and how to edit it, inside its decoded parts too.
pub fn whole(data: &[u8]) {
    judge(&edits::edited(data, &vectors().receipts));
}

/// The bytes are the text of a policy. A policy can refuse what another accepts, but it can never accept a forgery.
pub fn policy(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (first, second) = (toml::from_str::<Policy>(text), toml::from_str::<Policy>(text));
    let policy = match (first, second) {
        (Ok(first), Ok(second)) => {
            assert_eq!(first.digest(), second.digest(), "one text, two policies");
            first
        }
        (Err(first), Err(second)) => {
            assert_eq!(first.to_string(), second.to_string(), "one text, two refusals");
            return;
        }
        _ => panic!("one text was read once and refused once"),
    };
    let Vectors { anchors, good, forged, .. } = vectors();
    let verifier = Verifier::new(policy, anchors.clone());
    let report = invariants::verify(&verifier, good);
    if report.outcome == Outcome::Verified {
        essence::assert_known(good, essence::Scope::Evidence);
    }
    let report = invariants::verify(&verifier, forged);
    assert_eq!(report.outcome, Outcome::Invalid, "a policy changed what a forged quote is");
}

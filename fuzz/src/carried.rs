//! What a receipt carries, where nobody has the keys: only what was shipped may come out as verified.

use data_encoding::BASE64;
use soundness::vectors::{Vectors, vectors};
use soundness::{edits, essence, invariants, judge};
use verify_core::{Anchors, Instant, Outcome, Policy, Request, Verifier, dcap};

/// The bytes are a whole receipt.
pub fn receipt_json(data: &[u8]) {
    judge(data);
    let intel = Verifier::new(Policy::authenticity(), Anchors::intel()).verify(&Request::new(data));
    assert_ne!(intel.outcome, Outcome::Verified, "no input holds evidence that Intel signed");
}

/// The bytes are a whole receipt that is only to be decoded.
pub fn inspect(data: &[u8]) {
    invariants::inspect(data);
}

/// The bytes are the quote of an otherwise good receipt.
pub fn quote(data: &[u8]) {
    judge(&edits::with_member(&vectors().good, "quote_b64", &BASE64.encode(data)));
}

/// The bytes are a quote without a receipt, judged by the collateral of a trust domain and by that of an SGX enclave.
pub fn bare_quote(data: &[u8]) {
    let Vectors { anchors, quotes, collaterals, .. } = vectors();
    for collateral in collaterals {
        let report = dcap::verify_quote(data, collateral, Instant::Collateral, anchors);
        invariants::assert_of_quote(&report, data);
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

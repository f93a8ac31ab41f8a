//! The one oracle: **nothing wrong ever comes out as verified.**
//!
//! [`essence`] reads a receipt a second time, without the core, and keeps what a signature or a hash covers: a receipt may be
//! verified only if that is the same as in a receipt that was shipped. [`invariants`] holds what every report has to keep, whatever
//! went in. [`edits`] makes mutants from the bytes of a fuzzer, [`mutants`] all of a kind, and [`vectors`] is what the former are made
//! from. [`exempt`] lists what evidence does not cover, and [`differences`] finds where two receipts differ. Tests, fuzz targets and mutation testing stand on these.

#![forbid(unsafe_code)]

pub mod differences;
pub mod edits;
pub mod essence;
pub mod exempt;
pub mod invariants;
pub mod mutants;
pub mod vectors;

use verify_core::{Outcome, Policy, Request, Verifier};

use crate::essence::Scope;
use crate::vectors::{Vectors, vectors};

/// Verifies `receipt` under the two test policies, inspects it, and panics unless the oracle holds.
pub fn judge(receipt: &[u8]) {
    let Vectors { anchors, policy, .. } = vectors();
    let judged_under = |policy: Policy| {
        let report = Verifier::new(policy, anchors.clone()).verify(&Request::new(receipt));
        invariants::assert_of_receipt(&report, receipt);
        report
    };
    let report = judged_under(policy.clone());
    if report.outcome == Outcome::Verified {
        essence::assert_known(receipt, Scope::Receipt);
        essence::assert_verdict(receipt);
    }
    let mild = judged_under(Policy::authenticity());
    if mild.outcome == Outcome::Verified {
        essence::assert_known(receipt, Scope::Evidence);
    }
    invariants::inspect(receipt);
}

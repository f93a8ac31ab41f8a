//! The fuzz targets of `verify-core`, as plain functions over bytes.
//!
//! Each target builds something from its input, lets the core judge it, and asserts an oracle: that of [`soundness`], or a reading
//! of its own. A target returns normally for every input; a panic is a finding. The programs in `fuzz_targets/` hand libFuzzer's
//! inputs to these functions, and `tests/replay.rs` does the same on stable with `seeds/` and `corpus/`.
//!
//! [`carried`] is what an attacker without keys can carry in a receipt. [`signed`] gets behind the signatures: what is fuzzed there is
//! signed with the keys of the test PKI. [`given`] is what users hand in beside a receipt, and [`report`] all of it at once. [`peer`]
//! asks a second verifier.

#![forbid(unsafe_code)]

pub mod carried;
pub mod evidence;
pub mod given;
#[cfg(feature = "peer")]
pub mod peer;
pub mod python;
#[cfg(feature = "schema")]
pub mod report;
pub mod signed;
pub mod tree;

/// A target: returns for every input, or panics with what it found.
pub type Target = fn(&[u8]);

/// Every target with its name, which is also that of its program and of its folders of inputs.
pub const TARGETS: &[(&str, Target)] = &[
    ("receipt_json", carried::receipt_json),
    ("inspect", carried::inspect),
    ("quote", carried::quote),
    ("bare_quote", carried::bare_quote),
    ("collateral", carried::collateral),
    ("whole", carried::whole),
    #[cfg(feature = "schema")]
    ("report", report::answer),
    ("certificate", signed::certificate),
    ("crl", signed::crl),
    ("tcb_info", signed::tcb_info),
    ("qe_identity", signed::qe_identity),
    ("attestation", signed::attestation),
    ("policy", given::policy),
    ("expectation", given::expectation),
    ("input", given::input),
    ("run", given::run),
    ("audit", given::audit),
    ("score", given::score),
    ("classify", given::classify),
    ("trace", given::trace),
    ("fresh", given::fresh),
    #[cfg(feature = "peer")]
    ("peer", peer::compare),
];

//! Offline verification of Polaris receipts.
//!
//! A receipt is a JSON file that says "this code, on these weights, earned this verdict", with an Intel TDX quote and
//! Intel's collateral, or an Ed25519 signature, as evidence. This crate answers from the bytes alone what the evidence proves and what it does not:
//!
//! ```
//! use verify_core::{Anchors, Policy, Request, Verifier};
//!
//! let verifier = Verifier::new(Policy::strict(), Anchors::intel());
//! let report = verifier.verify(&Request::new(b"{}"));
//! assert_eq!(report.outcome.name(), "unverifiable");
//! ```
//!
//! [`dcap::verify_quote`] judges a quote without any receipt around it.
//!
//! The verifier is a pure function of its arguments. It reads no clock, file, network or environment, and hostile bytes give
//! a report like any others: never a panic, never unbounded work. Every text in a report is safe to show on a terminal.
//! What it reads is bounded by the [`limits`]; the deepest JSON within them takes less than 64 KiB of stack in a release build.

#![deny(missing_docs)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable,
        clippy::indexing_slicing,
        clippy::string_slice,
        clippy::arithmetic_side_effects,
        clippy::as_conversions
    )
)]

mod anchors;
pub mod audit;
mod base64;
pub mod bench;
mod binding;
mod certificate;
mod claimed_tier;
mod claims;
mod compare;
mod crypto;
pub mod dcap;
mod expectation;
mod facts;
mod fields;
mod input;
mod inspect;
mod json;
mod ledger;
pub mod limits;
mod memo;
mod pins;
mod policy;
mod problem;
mod provenance;
mod python;
mod receipt;
mod report;
mod run;
mod scorer;
mod signature;
mod text;
pub mod tier;
mod time;
mod verdict;
mod verify;

pub use anchors::{Anchors, AnchorsError, SignerKey, SignerKeyError};
pub use dcap::Instant;
pub use expectation::{Expectation, ExpectationError};
pub use facts::{
    EnclaveFacts, Facts, InputFacts, ObjectWindow, OutputFacts, PlatformFacts, QuoteFacts, TcbFacts, TcbStatus, TrustDomainFacts,
    WindowFacts,
};
pub use inspect::{Inspection, InspectionEntry, inspect};
pub use policy::{Policy, PolicyError};
pub use problem::{Code, CodeInfo, Effect, Location, Problem};
pub use report::{
    AnchorsInForce, Check, CheckResult, Claim, ComparedFile, Comparison, Coverage, ExpectationResult, FigureSource, Input, Judged,
    Obligation, Outcome, PolicyInForce, QuoteReport, RecordedFigure, Report, Rescored, Tool,
};
pub use run::{Companion, RunFile};
pub use text::{escape, escape_json};
pub use time::{Timestamp, TimestampError};
pub use verify::{Request, Verifier};

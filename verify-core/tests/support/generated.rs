//! Quotes and collateral that the test PKI signs on the spot.

use std::sync::OnceLock;

use vector_gen::receipt::{Material, test_pki};
use verify_core::dcap::verify_quote;
use verify_core::{Anchors, Effect, Instant, QuoteReport};

/// Judges the quote of an up-to-date trust domain after `change`.
pub(crate) fn judge(change: impl FnOnce(&mut Material), at: Instant) -> QuoteReport {
    static ANCHORS: OnceLock<Anchors> = OnceLock::new();
    let anchors = ANCHORS.get_or_init(|| {
        let (root, signing) = test_pki();
        let anchors = Anchors::from_root(root.pem().as_bytes());
        anchors.and_then(|anchors| anchors.with_tcb_signing(signing.pem().as_bytes())).expect("the test PKI")
    });
    let mut material = Material::classic();
    change(&mut material);
    let [quote, collateral] = material.evidence();
    verify_quote(&quote, &collateral, at, anchors)
}

/// The codes of what was found above notes, sorted, each once.
pub(crate) fn codes(report: &QuoteReport) -> Vec<&'static str> {
    let grave = report.problems.iter().filter(|problem| problem.effect > Effect::Notes);
    let mut codes: Vec<_> = grave.map(|problem| problem.code.name()).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

//! Every leaf of the attestation, once, with what carries it.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::input::{Counterpart, INPUT, SHORTENED};
use crate::json::Value;
use crate::ledger::Findings;
use crate::limits;
use crate::problem::{Code, Location, Problem};
use crate::receipt::{Attestation, DOCUMENT};
use crate::report::{Claim, Comparison, Coverage};
use crate::text::{escape, quoted};
use crate::verdict::{self, Output};

/// What was proven, as far as claims depend on it. Every member includes the quote and its whole chain.
#[derive(Default)]
pub(crate) struct Proven<'a> {
    /// The nonce, where it is a hash over commit, model and seed.
    pub(crate) nonce: Option<&'a str>,
    /// The fields that stand in the enclave's input too, by their pointer in the attestation.
    pub(crate) counterparts: BTreeMap<String, Counterpart<'a>>,
    /// The enclave's output, where it is bound.
    pub(crate) output: Option<&'a Output<'a>>,
    /// A known scorer made that output of an input that holds no verdict of its own.
    pub(crate) verdict_is_computed: bool,
}

/// Lists the claims of `attestation`; over the limit the list ends and the finding says so.
pub(crate) fn list(value: &Value<'_>, attestation: Option<&Attestation<'_>>, proven: &Proven<'_>, findings: &mut Findings) -> Vec<Claim> {
    let mut claims = Vec::new();
    let _ = value.leaves("", limits::CLAIM_DEPTH, &mut |pointer, value| {
        if claims.len() >= limits::CLAIMS {
            let message = format!("the attestation has more than {} members", limits::CLAIMS);
            findings.raise(Problem::new(Code::LimitExceeded, Location::pointer(DOCUMENT, "/attestation"), message));
            return ControlFlow::Break(());
        }
        let shown = value.shown();
        let covered = attestation.map(|attestation| cover(pointer, &shown, attestation, proven));
        let (coverage, compared) = covered.unwrap_or((Coverage::Asserted, Vec::new()));
        claims.push(Claim { pointer: escape(&format!("/attestation{pointer}")), value: shown, coverage, compared });
        ControlFlow::Continue(())
    });
    claims
}

/// What carries the claim `value` at `pointer`, and what it was compared with. One that differs from the enclave's input is
/// carried by nothing, whatever the output says, and so is a commit of which only the beginning stands there.
fn cover(pointer: &str, value: &str, attestation: &Attestation<'_>, proven: &Proven<'_>) -> (Coverage, Vec<Comparison>) {
    let nonce = proven.nonce.filter(|_| ["/code/commit", "/references/model_sha256", "/references/eval_seed"].contains(&pointer));
    let nonce = nonce.map(|nonce| Comparison { document: DOCUMENT, pointer: "/tdx/nonce".to_owned(), value: quoted(nonce), agrees: true });
    let input = nearest(pointer, &proven.counterparts).map(|counterpart| Comparison {
        document: INPUT,
        pointer: escape(&counterpart.pointer),
        value: counterpart.given.shown(),
        agrees: counterpart.agrees,
    });
    let output = proven.output.and_then(|output| verdict::comparison(output, attestation, pointer));
    let agrees = |comparison: &Option<Comparison>| comparison.as_ref().map(|comparison| comparison.agrees);
    let is_computed = proven.verdict_is_computed && ["/verdict/label", "/verdict/pass"].contains(&pointer);
    let is_whole = input.iter().chain(&output).any(|comparison| comparison.value == value);
    let coverage = match (agrees(&input), agrees(&output)) {
        _ if nonce.is_some() => Coverage::Nonce,
        _ if SHORTENED.contains(&pointer) && !is_whole => Coverage::Asserted,
        (Some(false), _) => Coverage::Asserted,
        (None, Some(true)) if is_computed => Coverage::Quote,
        (Some(true), _) | (None, Some(true)) => Coverage::EnclaveInput,
        (None, _) => Coverage::Asserted,
    };
    (coverage, nonce.into_iter().chain(input).chain(output).collect())
}

/// The counterpart of the field at `pointer`, or of the field that it is a part of.
fn nearest<'a>(mut pointer: &str, counterparts: &'a BTreeMap<String, Counterpart<'a>>) -> Option<&'a Counterpart<'a>> {
    loop {
        if let Some(counterpart) = counterparts.get(pointer) {
            return Some(counterpart);
        }
        pointer = pointer.rsplit_once('/')?.0;
    }
}

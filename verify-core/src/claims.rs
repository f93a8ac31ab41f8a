//! Every leaf of the attestation, once, with what carries it.

use std::ops::ControlFlow;

use crate::json::Value;
use crate::ledger::Findings;
use crate::limits;
use crate::problem::{Code, Location, Problem};
use crate::receipt::{Attestation, DOCUMENT};
use crate::report::{Claim, Coverage};
use crate::text::escape;
use crate::verdict::{self, Output};

/// What was proven, as far as claims depend on it. Every member includes the quote and its whole chain.
#[derive(Clone, Copy, Default)]
pub(crate) struct Proven<'a> {
    /// The nonce is a hash over commit, model and seed.
    pub(crate) nonce: bool,
    /// The measurements are the file that the enclave was given.
    pub(crate) input: bool,
    /// That file went to a known scorer and holds no verdict of its own.
    pub(crate) verdict_is_computed: bool,
    /// The enclave's output, where it is bound.
    pub(crate) output: Option<&'a Output<'a>>,
}

/// Lists the claims of `attestation`; over the limit the list ends and the finding says so.
pub(crate) fn list(value: &Value<'_>, attestation: Option<&Attestation<'_>>, proven: Proven<'_>, findings: &mut Findings) -> Vec<Claim> {
    let mut claims = Vec::new();
    let _ = value.leaves("", limits::CLAIM_DEPTH, &mut |pointer, value| {
        if claims.len() >= limits::CLAIMS {
            let message = format!("the attestation has more than {} members", limits::CLAIMS);
            findings.raise(Problem::new(Code::LimitExceeded, Location::pointer(DOCUMENT, "/attestation"), message));
            return ControlFlow::Break(());
        }
        claims.push(Claim {
            pointer: escape(&format!("/attestation{pointer}")),
            value: value.shown(),
            coverage: coverage(pointer, attestation, proven),
        });
        ControlFlow::Continue(())
    });
    claims
}

/// What carries the value at `pointer`, which is relative to the attestation.
pub(crate) fn coverage(pointer: &str, attestation: Option<&Attestation<'_>>, proven: Proven<'_>) -> Coverage {
    let Some(attestation) = attestation else { return Coverage::Asserted };
    match pointer {
        "/code/commit" | "/references/model_sha256" | "/references/eval_seed" if proven.nonce => Coverage::Nonce,
        _ if proven.input && pointer.starts_with("/measurements/") => Coverage::EnclaveInput,
        _ => proven
            .output
            .and_then(|output| verdict::coverage(output, attestation, pointer, proven.verdict_is_computed))
            .unwrap_or(Coverage::Asserted),
    }
}

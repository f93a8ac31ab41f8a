//! Every leaf of what the receipt says, once, with what carries it.

use std::ops::ControlFlow;

use crate::json::{Kind, Value};
use crate::ledger::Findings;
use crate::limits;
use crate::problem::{Code, Location, Problem};
use crate::receipt::canonical::signed_number;
use crate::receipt::{Attestation, DOCUMENT, Statement};
use crate::report::{Claim, Coverage};
use crate::text::{brief, escape};
use crate::verdict::{self, Output};

/// What was proven, as far as claims depend on it. Every member includes the quote and its whole chain.
#[derive(Clone, Copy, Default)]
pub(crate) struct Proven<'a> {
    /// A trusted signer's signature covers the attestation.
    pub(crate) signature: bool,
    /// The nonce is a hash over commit, model and seed, or the head of a note's bundle.
    pub(crate) nonce: bool,
    /// The measurements, or a note's bundle, are the file that the enclave was given.
    pub(crate) input: bool,
    /// A note repeats the enclave's bound output.
    pub(crate) repeats_output: bool,
    /// The files are those that the enclave was given.
    pub(crate) files: bool,
    /// The container image is the bound one.
    pub(crate) image: bool,
    /// The digests of a response whose content is in the file and bound.
    pub(crate) contents: &'a [&'static str],
    /// That file went to a known scorer and holds no verdict of its own.
    pub(crate) verdict_is_computed: bool,
    /// The enclave's output, where it is bound.
    pub(crate) output: Option<&'a Output<'a>>,
}

/// Lists the claims of what is `stated`; over the limit the list ends and the finding says so.
pub(crate) fn list(
    stated: &[(String, &Value<'_>)],
    statement: Option<&Statement<'_>>,
    proven: Proven<'_>,
    findings: &mut Findings,
) -> Vec<Claim> {
    let mut claims = Vec::new();
    let _ = stated.iter().try_for_each(|(root, value)| {
        value.leaves(root, limits::CLAIM_DEPTH, &mut |pointer, value| {
            if claims.len() >= limits::CLAIMS {
                let message = format!("the receipt has more than {} members that say something", limits::CLAIMS);
                findings.raise(Problem::new(Code::LimitExceeded, Location::pointer(DOCUMENT, root), message));
                return ControlFlow::Break(());
            }
            let coverage = match statement {
                _ if proven.signature => Coverage::Signature,
                Some(Statement::Attestation(attestation)) => of_attestation(pointer, attestation, proven),
                Some(Statement::Note(_) | Statement::Absent) => of_response(pointer, proven),
                None => Coverage::Asserted,
            };
            claims.push(Claim { pointer: escape(pointer), value: shown(value, coverage), coverage });
            ControlFlow::Continue(())
        })
    });
    claims
}

/// A signature covers numbers as they were signed, not as the file has them.
fn shown(value: &Value<'_>, coverage: Coverage) -> String {
    match value.kind {
        Kind::Number(token) if coverage == Coverage::Signature => brief(&signed_number(token)),
        _ => value.shown(),
    }
}

fn of_attestation(pointer: &str, attestation: &Attestation<'_>, proven: Proven<'_>) -> Coverage {
    let pointer = pointer.strip_prefix("/attestation").unwrap_or_default();
    match pointer {
        "/code/commit" | "/references/model_sha256" | "/references/eval_seed" if proven.nonce => Coverage::Nonce,
        _ if proven.input && pointer.starts_with("/measurements/") => Coverage::EnclaveInput,
        _ => proven
            .output
            .and_then(|output| verdict::coverage(output, attestation, pointer, proven.verdict_is_computed))
            .unwrap_or(Coverage::Asserted),
    }
}

/// What the enclave printed went through a script that is not known: it may repeat what it was given.
fn of_response(pointer: &str, proven: Proven<'_>) -> Coverage {
    let path = pointer.strip_prefix("/receipt").unwrap_or(pointer);
    let member = path.split('/').nth(1).unwrap_or_default();
    let holds = |name: &str| proven.contents.contains(&name);
    match member {
        _ if path == "/bundle/head" && proven.nonce => Coverage::Nonce,
        "bundle" if proven.input => Coverage::EnclaveInput,
        "label" | "reason" | "verdict_doc" if proven.repeats_output => Coverage::EnclaveInput,
        "stdout" if proven.output.is_some() => Coverage::EnclaveInput,
        "files" | "files_sha256" if proven.files => Coverage::EnclaveInput,
        "task_policy" | "policy_sha256" if holds("policy_sha256") => Coverage::EnclaveInput,
        "egress_log_b64" | "egress_log_sha256" if holds("egress_log_sha256") => Coverage::Quote,
        "artifacts" | "artifacts_sha256" if holds("artifacts_sha256") => Coverage::Quote,
        "image_digest" if proven.image => Coverage::Quote,
        _ => Coverage::Asserted,
    }
}

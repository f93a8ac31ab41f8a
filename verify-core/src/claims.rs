//! Every leaf of what the receipt says, once, with what carries it.

use std::borrow::Cow;
use std::ops::ControlFlow;

use crate::expectation::NOTE_HEAD;
use crate::json::{Kind, Value};
use crate::ledger::Findings;
use crate::limits;
use crate::problem::{Code, Location, Problem};
use crate::receipt::canonical::signed_number;
use crate::receipt::{Attestation, DOCUMENT, Statement, TDX};
use crate::report::{Claim, Coverage};
use crate::text::{brief, escape};
use crate::verdict::{self, Output};

/// What was proven, as far as the coverage of values depends on it. Every member but the signature's includes the quote and its
/// whole chain.
#[derive(Clone, Copy)]
pub(crate) struct Proven<'a> {
    /// A trusted signer's signature covers the attestation.
    pub(crate) signature: bool,
    /// The receipt id follows from what the evidence carries.
    pub(crate) receipt_id: bool,
    /// Pointer of the block that shows the texts under the report data; empty where there is none.
    pub(crate) block: &'static str,
    /// Nonce and requester key are those under the quote.
    pub(crate) low: bool,
    /// Bound digest, output digest and the digests of what the enclave was given are those under the quote.
    pub(crate) high: bool,
    /// The nonce is a hash over commit, model and seed, or the head of a note's bundle.
    pub(crate) nonce: bool,
    /// The measurements, or a note's bundle, are the file that the enclave was given.
    pub(crate) input: bool,
    /// A note repeats the enclave's bound output.
    pub(crate) repeats_output: bool,
    /// The files are those that the enclave was given.
    pub(crate) files: bool,
    /// The container image, where one ran and is the bound one.
    pub(crate) image: Option<&'a str>,
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
    proven: &Proven<'_>,
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
            let coverage = coverage(pointer, statement, proven);
            claims.push(Claim { pointer: escape(pointer), value: shown(value, coverage), coverage });
            ControlFlow::Continue(())
        })
    });
    claims
}

/// What carries the value at `pointer` of the receipt. A value that the receipt does not have is carried by nothing that it says.
pub(crate) fn coverage(pointer: &str, statement: Option<&Statement<'_>>, proven: &Proven<'_>) -> Coverage {
    let below = |root: &str| pointer.strip_prefix(root).filter(|rest| !root.is_empty() && rest.starts_with('/'));
    match (pointer, below("/attestation"), below(proven.block)) {
        (_, Some(_), _) | ("/receipt_id" | "/public_key", ..) if proven.signature => of_signed(pointer, proven),
        ("/receipt_id", ..) if proven.receipt_id => Coverage::Quote,
        ("/_expected/scoring_sha256" | "/_expected/result_sha256", ..) if proven.files && proven.block == TDX => Coverage::Quote,
        (_, _, Some(member)) => of_block(member, proven),
        (_, below_attestation, _) => match (statement, below_attestation) {
            (Some(Statement::Attestation(attestation)), Some(pointer)) => of_attestation(pointer, attestation, proven),
            (Some(Statement::Note(_)), _) => below("/receipt").map_or_else(|| of_note(pointer, proven), |path| of_response(path, proven)),
            (Some(Statement::Absent), _) => of_response(pointer, proven),
            _ => Coverage::Asserted,
        },
    }
}

/// The value of a claim for showing.
pub(crate) fn shown(value: &Value<'_>, coverage: Coverage) -> String {
    match value.kind {
        Kind::Number(token) => brief(&number(token, coverage)),
        _ => value.shown(),
    }
}

/// A number as its evidence has it: a signature covers what was signed, not what the file has.
pub(crate) fn number(token: &str, coverage: Coverage) -> Cow<'_, str> {
    if coverage == Coverage::Signature { Cow::Owned(signed_number(token)) } else { Cow::Borrowed(token) }
}

/// All of the attestation is signed; its hash is the id, and the key is the one that verifies it.
fn of_signed(pointer: &str, proven: &Proven<'_>) -> Coverage {
    if pointer == "/receipt_id" && !proven.receipt_id { Coverage::Asserted } else { Coverage::Signature }
}

/// The texts under the report data, and what hashes to one of them.
fn of_block(member: &str, proven: &Proven<'_>) -> Coverage {
    let is_bound = match member {
        "/nonce" | "/e2e_pubkey_b64" => proven.low,
        "/bound_digest" | "/result_sha256" | "/files_sha256" => proven.high,
        "/stdout_b64" => proven.output.is_some(),
        _ => false,
    };
    if is_bound { Coverage::Quote } else { Coverage::Asserted }
}

fn of_attestation(pointer: &str, attestation: &Attestation<'_>, proven: &Proven<'_>) -> Coverage {
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
fn of_note(pointer: &str, proven: &Proven<'_>) -> Coverage {
    match first_member(pointer) {
        _ if pointer == NOTE_HEAD && proven.nonce => Coverage::Nonce,
        "bundle" if proven.input => Coverage::EnclaveInput,
        "label" | "reason" | "verdict_doc" if proven.repeats_output => Coverage::EnclaveInput,
        _ => Coverage::Asserted,
    }
}

/// `pointer` is relative to the response.
fn of_response(pointer: &str, proven: &Proven<'_>) -> Coverage {
    let holds = |name: &str| proven.contents.contains(&name);
    match first_member(pointer) {
        "stdout" if proven.output.is_some() => Coverage::EnclaveInput,
        "files" | "files_sha256" if proven.files => Coverage::EnclaveInput,
        "task_policy" | "policy_sha256" if holds("policy_sha256") => Coverage::EnclaveInput,
        "egress_log_b64" | "egress_log_sha256" if holds("egress_log_sha256") => Coverage::Quote,
        "artifacts" | "artifacts_sha256" if holds("artifacts_sha256") => Coverage::Quote,
        "image_digest" if proven.image.is_some() => Coverage::Quote,
        _ => Coverage::Asserted,
    }
}

fn first_member(pointer: &str) -> &str {
    pointer.split('/').nth(1).unwrap_or_default()
}

//! Every leaf of what the receipt says, once, with what carries it and what it was compared with.

use std::borrow::Cow;
use std::ops::ControlFlow;

use crate::expectation::{Field, NOTE_HEAD};
use crate::input::{Counterpart, Counterparts, INPUT, SHORTENED};
use crate::json::{Kind, Value};
use crate::ledger::Findings;
use crate::limits;
use crate::problem::{Code, Location, Problem};
use crate::receipt::canonical::signed_number;
use crate::receipt::{ARTIFACT_MEMBERS, DOCUMENT, Statement, TDX};
use crate::report::{Claim, Comparison, Coverage};
use crate::text::{brief, escape, quoted};
use crate::verdict::{self, Output};

/// What was proven, as far as the coverage of values depends on it. Every member but the signature's includes the quote and its
/// whole chain.
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
    /// The nonce, where it is a hash over commit, model and seed, or the head of a note's bundle.
    pub(crate) nonce: Option<&'a str>,
    /// What the enclave's proven input says in the place of fields of the receipt.
    pub(crate) counterparts: Counterparts<'a>,
    /// The files are those that the enclave was given.
    pub(crate) files: bool,
    /// The container image, where one ran and is the bound one.
    pub(crate) image: Option<&'a str>,
    /// The digests of a response whose content is in the file and bound.
    pub(crate) contents: &'a [&'static str],
    /// A known scorer made that output of an input that holds no verdict of its own.
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
            let (coverage, compared) = cover(pointer, value, statement, proven);
            claims.push(Claim { pointer: escape(pointer), value: shown(value, coverage), coverage, compared });
            ControlFlow::Continue(())
        })
    });
    claims
}

/// What carries the `value` at `pointer` of the receipt, and what it was compared with.
pub(crate) fn cover(
    pointer: &str,
    value: &Value<'_>,
    statement: Option<&Statement<'_>>,
    proven: &Proven<'_>,
) -> (Coverage, Vec<Comparison>) {
    let below = |root: &str| pointer.strip_prefix(root).filter(|rest| !root.is_empty() && rest.starts_with('/'));
    let alone = |coverage: Coverage| (coverage, Vec::new());
    match (pointer, below("/attestation"), below(proven.block)) {
        (_, Some(_), _) | ("/receipt_id" | "/public_key", ..) if proven.signature => alone(of_signed(pointer, proven)),
        ("/receipt_id", ..) if proven.receipt_id => alone(Coverage::Quote),
        ("/_expected/scoring_sha256" | "/_expected/result_sha256", ..) if proven.files && proven.block == TDX => alone(Coverage::Quote),
        (_, _, Some(member)) => alone(of_block(member, proven)),
        (_, below_attestation, _) => match (statement, below_attestation) {
            (Some(Statement::Attestation(attestation)), Some(member)) => {
                let output = proven.output.and_then(|output| verdict::comparison(output, attestation, member));
                of_run(pointer, value, &BY_A_HASHED_NONCE, output, proven)
            }
            (Some(Statement::Note(_)), _) => match below("/receipt") {
                Some(member) => of_response(member, value, proven),
                None => {
                    let output = proven.output.and_then(|output| verdict::note_comparison(output, value, pointer));
                    of_run(pointer, value, &[NOTE_HEAD], output, proven)
                }
            },
            (Some(Statement::Absent), _) => of_response(pointer, value, proven),
            _ => alone(Coverage::Asserted),
        },
    }
}

/// The beginning of the commit at `pointer`, as far as the enclave was given it or printed it.
pub(crate) fn bound_beginning<'p>(pointer: &str, proven: &'p Proven<'_>) -> Option<&'p str> {
    if !SHORTENED.contains(&pointer) {
        return None;
    }
    let given = proven.counterparts.get(pointer).and_then(|counterpart| counterpart.given.string());
    let printed = proven.output.and_then(Output::commit).filter(|_| pointer == Field::Commit.in_a_log());
    let of_commit = [given, printed].into_iter().flatten().filter(|text| !text.is_empty());
    of_commit.max_by_key(|text| text.len())
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

/// What the receipt says of the run. A claim that differs from the enclave's input or output is carried by nothing, whatever the
/// other says, and so is a commit of which only the beginning stands there. Label and pass were computed only where that was shown; anything
/// else a script may merely repeat.
fn of_run(
    pointer: &str,
    value: &Value<'_>,
    by_the_nonce: &[&str],
    output: Option<Comparison>,
    proven: &Proven<'_>,
) -> (Coverage, Vec<Comparison>) {
    let nonce = proven.nonce.filter(|_| by_the_nonce.contains(&pointer)).map(|nonce| Comparison {
        document: DOCUMENT,
        pointer: format!("{}/nonce", proven.block),
        value: quoted(nonce),
        agrees: true,
    });
    let input = nearest(pointer, &proven.counterparts).map(|counterpart| Comparison {
        document: INPUT,
        pointer: escape(&counterpart.pointer),
        value: counterpart.given.shown(),
        agrees: counterpart.agrees,
    });
    let agrees = |comparison: &Option<Comparison>| comparison.as_ref().map(|comparison| comparison.agrees);
    let is_computed = proven.verdict_is_computed && [Field::Label, Field::Pass].map(Field::in_a_log).contains(&pointer);
    let is_whole = value.string().is_some_and(|text| bound_beginning(pointer, proven) == Some(text));
    let coverage = match (agrees(&input), agrees(&output)) {
        _ if nonce.is_some() => Coverage::Nonce,
        _ if SHORTENED.contains(&pointer) && !is_whole => Coverage::Asserted,
        (Some(false), _) | (_, Some(false)) => Coverage::Asserted,
        (None, Some(true)) if is_computed => Coverage::Quote,
        (Some(true), _) | (None, Some(true)) => Coverage::EnclaveInput,
        (None, _) => Coverage::Asserted,
    };
    (coverage, nonce.into_iter().chain(input).chain(output).collect())
}

/// What the nonce of a log's receipt is the hash of, if it is a hash.
const BY_A_HASHED_NONCE: [&str; 3] =
    ["/attestation/code/commit", "/attestation/references/model_sha256", "/attestation/references/eval_seed"];

/// The counterpart of the field at `pointer`, or of the field that it is a part of.
fn nearest<'a>(mut pointer: &str, counterparts: &'a Counterparts<'a>) -> Option<&'a Counterpart<'a>> {
    loop {
        if let Some(counterpart) = counterparts.get(pointer) {
            return Some(counterpart);
        }
        pointer = pointer.bytes().rposition(|byte| byte == b'/').and_then(|end| pointer.get(..end))?;
    }
}

/// What a response says; `pointer` is relative to it. The enclave's script is not known to have made what it printed.
fn of_response(pointer: &str, value: &Value<'_>, proven: &Proven<'_>) -> (Coverage, Vec<Comparison>) {
    let holds = |name: &str| proven.contents.contains(&name);
    let bound_digest = |image: &str| Comparison {
        document: DOCUMENT,
        pointer: format!("{}/bound_digest", proven.block),
        value: quoted(image),
        agrees: value.string().is_some_and(|named| named.ends_with(image)),
    };
    let is_digest_alone = value.string().is_some_and(|named| proven.image == Some(named));
    let is_hashed = pointer.split('/').nth(3).is_none_or(|member| ARTIFACT_MEMBERS.contains(&member));
    let (coverage, compared) = match (pointer.split('/').nth(1).unwrap_or_default(), proven.output, proven.image) {
        ("stdout", Some(output), _) if pointer == "/stdout" => (Coverage::EnclaveInput, Some(verdict::text_comparison(output, value))),
        // Nothing binds a name before the digest.
        ("image_digest", _, Some(image)) => (if is_digest_alone { Coverage::Quote } else { Coverage::Asserted }, Some(bound_digest(image))),
        ("files" | "files_sha256", ..) if proven.files => (Coverage::EnclaveInput, None),
        ("task_policy" | "policy_sha256", ..) if holds("policy_sha256") => (Coverage::EnclaveInput, None),
        ("egress_log_b64" | "egress_log_sha256", ..) if holds("egress_log_sha256") => (Coverage::Quote, None),
        ("artifacts" | "artifacts_sha256", ..) if holds("artifacts_sha256") && is_hashed => (Coverage::Quote, None),
        _ => (Coverage::Asserted, None),
    };
    match compared {
        Some(comparison) if !comparison.agrees => (Coverage::Asserted, vec![comparison]),
        compared => (coverage, compared.into_iter().collect()),
    }
}

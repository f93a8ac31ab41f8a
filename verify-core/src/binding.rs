//! Recomputed hash equalities that tie the receipt's fields to the report data of the quote.
//!
//! Report data is `SHA-256(nonce, requester key)` and `SHA-256(bound digest, result_sha256, egress log, files, task policy,
//! artifacts)`, each over the texts of the receipt joined without separators. The receipts of a log have no egress log, task policy
//! and artifacts; an empty text stands for what is not there.

use data_encoding::HEXLOWER;

use crate::crypto;
use crate::dcap::quote::TdReport;
use crate::json;
use crate::ledger::{Checked, Findings, Stopped};
use crate::problem::{Code, Location, Problem};
use crate::receipt::{Attestation, Bound, Content, DOCUMENT, Files, Note, QuoteEvidence};
use crate::text::{is_hex, quoted};

/// SHA-256 of the commands that producers submit: in logs `python3 /submission/score.py`, in notes
/// `python3 /in/eval_scorer.py /in/bundle.json`.
pub(crate) const KNOWN_WORKLOADS: [&str; 2] = [
    "sha256:01e6062597aa3f87e4800beca4e9f0ab0762337066e0e8ffbf839d683f240932",
    "sha256:a18bd38a69f1450f50a8f50387b406e60ab6f8fdef3d59452ee292bf4d0ba8f4",
];

/// How much of the quote's base64 the receipt id hashes: 48 bytes, the quote header, alike in every quote.
const RECEIPT_ID_QUOTE_PREFIX: usize = 64;

/// Bytes 0 to 31 of the report data.
pub(crate) fn report_data_low(bound: &Bound<'_>, report: &TdReport<'_>, findings: &mut Findings) -> Checked<()> {
    let [low, _] = halves(report);
    let wanted = hash(&[bound.nonce, bound.requester_key]);
    require(
        low == wanted,
        Code::BindingReportData,
        &format!("{}/nonce", bound.block),
        "nonce and e2e_pubkey_b64 do not hash to bytes 0 to 31 of the report data",
        low,
        &wanted,
        findings,
    )
}

/// Bytes 32 to 63 of the report data.
pub(crate) fn report_data_high(bound: &Bound<'_>, report: &TdReport<'_>, findings: &mut Findings) -> Checked<()> {
    let [_, high] = halves(report);
    let Bound { bound_digest, result_sha256, egress_sha256, files_sha256, policy_sha256, artifacts_sha256, .. } = bound;
    let wanted = hash(&[bound_digest, result_sha256, egress_sha256, files_sha256, policy_sha256, artifacts_sha256]);
    let message = "bound_digest, result_sha256 and the other bound digests do not hash to bytes 32 to 63 of the report data";
    let pointer = format!("{}/result_sha256", bound.block);
    require(high == wanted, Code::BindingReportData, &pointer, message, high, &wanted, findings)
}

/// `result_sha256` is the hash of the enclave's output.
pub(crate) fn output(bound: &Bound<'_>, stdout: &[u8], findings: &mut Findings) -> Checked<()> {
    let found = HEXLOWER.encode(&crypto::sha256([stdout]));
    let message = "stdout_b64 does not hash to result_sha256";
    let pointer = format!("{}/stdout_b64", bound.block);
    require_text(found == bound.result_sha256, Code::BindingOutput, &pointer, message, &found, bound.result_sha256, findings)
}

/// `files_sha256` is the hash of the manifest of the files that the enclave was given.
pub(crate) fn files(bound: &Bound<'_>, files: &Files<'_>, findings: &mut Findings) -> Checked<()> {
    let manifest: String = files.digests.iter().map(|(path, digest)| format!("{path}\t{digest}\n")).collect();
    let found = if manifest.is_empty() { String::new() } else { HEXLOWER.encode(&hash(&[&manifest])) };
    let message = format!("the manifest of the files in {} does not hash to files_sha256", files.pointer);
    require_text(found == bound.files_sha256, Code::BindingFiles, &files.pointer, &message, &found, bound.files_sha256, findings)
}

/// Egress log, task policy and artifacts hash to their digests. The hash over all of them does not say which is which, so a digest
/// could be that of something else: where the file does not show its content, and where a log reads as one of the others, whose
/// forms exclude each other.
/// Returns the digests whose content is there.
pub(crate) fn contents(contents: &[Content<'_>], findings: &mut Findings) -> Checked<Vec<&'static str>> {
    if contents.iter().all(|content| content.digest.is_empty()) {
        return Err(Stopped::NotApplicable("the response binds neither egress log nor task policy nor artifacts"));
    }
    let mut shown = Vec::new();
    for Content { pointer, name, digest, texts } in contents.iter().filter(|content| !content.digest.is_empty()) {
        let digests: Vec<String> = texts.iter().map(|text| HEXLOWER.encode(&crypto::sha256([text.as_slice()]))).collect();
        let location = Location::pointer(DOCUMENT, pointer);
        match digests.first() {
            None => {
                let message = format!("{name} is bound, but what it is the hash of is not in the file");
                findings.raise(Problem::new(Code::BindingContentAbsent, location, message).found(*digest));
            }
            Some(found) if !digests.iter().any(|found| found == digest) => {
                let message = format!("{pointer} does not hash to {name}");
                findings.raise(Problem::new(Code::BindingContent, location, message).found(found).wanted(*digest));
            }
            Some(_) if *name == "egress_log_sha256" && texts.iter().any(|text| is_manifest(text)) => {
                let message = "the egress log reads as a manifest of files or artifacts, whose digest could stand in its place";
                findings.raise(Problem::new(Code::ReceiptMalformedField, location, message));
            }
            Some(_) if *name == "egress_log_sha256" && texts.iter().any(|text| is_document(text)) => {
                let message = "the egress log reads as a task policy, whose digest could stand in its place";
                findings.raise(Problem::new(Code::BindingContentAbsent, location, message).found(*digest));
            }
            Some(_) => shown.push(*name),
        }
    }
    findings.refutation().map(|()| shown)
}

/// Whether every line is a path and a digest, and perhaps a size, with tabs between.
fn is_manifest(text: &[u8]) -> bool {
    let is_entry = |line: &str| line.split('\t').nth(1).is_some_and(|digest| is_hex(digest, 64));
    std::str::from_utf8(text).is_ok_and(|text| !text.is_empty() && text.lines().all(is_entry))
}

/// Whether the text is one JSON object with nothing around it, as task policies are hashed.
fn is_document(text: &[u8]) -> bool {
    text.starts_with(b"{") && text.ends_with(b"}") && json::read(text).is_ok()
}

/// In image mode the workload digest is not under the report data; it can only be compared with the known commands.
pub(crate) fn workload(evidence: &QuoteEvidence<'_>, findings: &mut Findings) -> Checked<()> {
    let digest = evidence.workload_sha256?;
    if !KNOWN_WORKLOADS.contains(&digest) {
        let location = Location::pointer(DOCUMENT, format!("{}/workload_sha256", evidence.block));
        let message = "the workload is none of the known commands";
        findings.raise(Problem::new(Code::WorkloadUnknown, location, message).found(digest).wanted(KNOWN_WORKLOADS.join(" or ")));
    }
    Ok(())
}

/// The receipt id hashes the beginning of the quote, which is alike in every quote, and the output.
pub(crate) fn receipt_id(receipt_id: &str, evidence: &QuoteEvidence<'_>, bound: &Bound<'_>, findings: &mut Findings) -> Checked<()> {
    let prefix = evidence.quote_base64.get(..RECEIPT_ID_QUOTE_PREFIX).unwrap_or(evidence.quote_base64);
    let digest = HEXLOWER.encode(&hash(&[prefix, bound.result_sha256]));
    let wanted = digest.get(..32).unwrap_or_default();
    let message = "receipt_id does not follow from the quote and result_sha256";
    require_text(receipt_id == wanted, Code::BindingReceiptId, "/receipt_id", message, receipt_id, wanted, findings)
}

/// A nonce of 64 hex digits is a hash over commit, model and seed; a shorter one is random and binds nothing.
pub(crate) fn nonce(bound: &Bound<'_>, attestation: &Attestation<'_>, findings: &mut Findings) -> Checked<()> {
    if !is_hex(bound.nonce, 64) {
        return Err(Stopped::NotApplicable("the nonce is random, so it binds neither commit nor model nor seed"));
    }
    for (pointer, value, digits) in
        [("/attestation/code/commit", attestation.commit, 40), ("/attestation/references/model_sha256", attestation.model_sha256, 64)]
    {
        if !is_hex(value, digits) {
            let shown = quoted(value);
            let message = format!(
                "the nonce binds this field, so its shape is part of the proof: it is {shown}; wanted {digits} lower-case hex digits"
            );
            findings.raise(Problem::new(Code::ReceiptMalformedField, Location::pointer(DOCUMENT, pointer), message).found(shown));
        }
    }
    findings.refutation()?;
    let wanted = HEXLOWER.encode(&hash(&[attestation.commit, attestation.model_sha256, attestation.eval_seed]));
    let message =
        "commit, model_sha256 and eval_seed do not hash to the nonce: at least one of the three is not the one that was requested";
    require_text(bound.nonce == wanted, Code::BindingNonce, "/tdx/nonce", message, bound.nonce, &wanted, findings)
}

/// A nonce of 40 hex digits in a note is the commit under test; any other is random and binds nothing.
pub(crate) fn head(bound: &Bound<'_>, note: &Note<'_>, findings: &mut Findings) -> Checked<()> {
    if !is_hex(bound.nonce, 40) {
        return Err(Stopped::NotApplicable("the nonce is random, so it does not bind the commit"));
    }
    let message = "the head of the bundle is not the nonce: the enclave was asked about another commit";
    require_text(bound.nonce == note.head, Code::BindingNonce, "/bundle/head", message, note.head, bound.nonce, findings)
}

fn halves<'a>(report: &TdReport<'a>) -> [&'a [u8]; 2] {
    let (low, high) = report.report_data.split_at(32);
    [low, high]
}

fn hash(texts: &[&str]) -> [u8; 32] {
    crypto::sha256(texts.iter().map(|text| text.as_bytes()))
}

fn require(holds: bool, code: Code, pointer: &str, message: &str, found: &[u8], wanted: &[u8], findings: &mut Findings) -> Checked<()> {
    require_text(holds, code, pointer, message, &HEXLOWER.encode(found), &HEXLOWER.encode(wanted), findings)
}

fn require_text(holds: bool, code: Code, pointer: &str, message: &str, found: &str, wanted: &str, findings: &mut Findings) -> Checked<()> {
    match holds {
        true => Ok(()),
        false => Err(findings.stop(Problem::new(code, Location::pointer(DOCUMENT, pointer), message).found(found).wanted(wanted))),
    }
}

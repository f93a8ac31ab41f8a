//! Recomputed hash equalities that tie the receipt's fields to the report data of the quote.
//!
//! Report data is `SHA-256(nonce, requester key)` and `SHA-256(image digest, result_sha256, files_sha256)`, each over the
//! texts of the receipt joined without separators.

use data_encoding::HEXLOWER;

use crate::crypto;
use crate::dcap::quote::TdReport;
use crate::ledger::{Checked, Findings};
use crate::problem::{Code, Location, Problem};
use crate::receipt::{Attestation, Bound, DOCUMENT, Evidence, Expected};
use crate::text::{is_hex, quoted};

/// SHA-256 of `python3 /submission/score.py`, the one command that producers submit.
const KNOWN_WORKLOAD: &str = "sha256:01e6062597aa3f87e4800beca4e9f0ab0762337066e0e8ffbf839d683f240932";

/// How much of the quote's base64 the receipt id hashes: 48 bytes, the quote header, alike in every quote.
const RECEIPT_ID_QUOTE_PREFIX: usize = 64;

/// Bytes 0 to 31 of the report data.
pub(crate) fn report_data_low(bound: &Bound<'_>, report: &TdReport<'_>, findings: &mut Findings) -> Checked<()> {
    let [low, _] = halves(report);
    let wanted = hash(&[bound.nonce, bound.requester_key]);
    require(
        low == wanted,
        Code::BindingReportData,
        "/tdx/nonce",
        "nonce and e2e_pubkey_b64 do not hash to bytes 0 to 31 of the report data",
        low,
        &wanted,
        findings,
    )
}

/// Bytes 32 to 63 of the report data.
pub(crate) fn report_data_high(bound: &Bound<'_>, report: &TdReport<'_>, findings: &mut Findings) -> Checked<()> {
    let [_, high] = halves(report);
    let wanted = hash(&[bound.image, bound.result_sha256, bound.files_sha256]);
    let message = "bound_digest, result_sha256 and files_sha256 do not hash to bytes 32 to 63 of the report data";
    require(high == wanted, Code::BindingReportData, "/tdx/result_sha256", message, high, &wanted, findings)
}

/// `result_sha256` is the hash of the enclave's output.
pub(crate) fn output(bound: &Bound<'_>, stdout: &[u8], findings: &mut Findings) -> Checked<()> {
    let found = HEXLOWER.encode(&crypto::sha256([stdout]));
    let message = "stdout_b64 does not hash to result_sha256";
    require_text(found == bound.result_sha256, Code::BindingOutput, "/tdx/stdout_b64", message, &found, bound.result_sha256, findings)
}

/// `files_sha256` is the hash of the manifest of the two files that the enclave was given.
pub(crate) fn files(bound: &Bound<'_>, expected: &Expected<'_>, findings: &mut Findings) -> Checked<()> {
    let manifest = format!("/submission/result.json\t{}\n/submission/score.py\t{}\n", expected.input_sha256, expected.scorer_sha256);
    let found = HEXLOWER.encode(&hash(&[&manifest]));
    let message = "the manifest of the two files in _expected does not hash to files_sha256";
    require_text(found == bound.files_sha256, Code::BindingFiles, "/_expected", message, &found, bound.files_sha256, findings)
}

/// The workload digest is not under the report data; it can only be compared with the known command.
pub(crate) fn workload(digest: &str, findings: &mut Findings) {
    if digest != KNOWN_WORKLOAD {
        let location = Location::pointer(DOCUMENT, "/tdx/workload_sha256");
        let message = "the workload is not the known command python3 /submission/score.py";
        findings.raise(Problem::new(Code::WorkloadUnknown, location, message).found(digest).wanted(KNOWN_WORKLOAD));
    }
}

/// The receipt id hashes the beginning of the quote, which is alike in every quote, and the output.
pub(crate) fn receipt_id(receipt_id: &str, evidence: &Evidence<'_>, bound: &Bound<'_>, findings: &mut Findings) -> Checked<()> {
    let prefix = evidence.quote_base64.get(..RECEIPT_ID_QUOTE_PREFIX).unwrap_or(evidence.quote_base64);
    let digest = HEXLOWER.encode(&hash(&[prefix, bound.result_sha256]));
    let wanted = digest.get(..32).unwrap_or_default();
    let message = "receipt_id does not follow from the quote and result_sha256";
    require_text(receipt_id == wanted, Code::BindingReceiptId, "/receipt_id", message, receipt_id, wanted, findings)
}

/// A nonce of 64 hex digits is a hash over commit, model and seed; a shorter one is random and binds nothing. Returns which.
pub(crate) fn nonce(bound: &Bound<'_>, attestation: &Attestation<'_>, findings: &mut Findings) -> Checked<bool> {
    if !is_hex(bound.nonce, 64) {
        findings.not_applicable("the nonce is random, so it binds neither commit nor model nor seed");
        return Ok(false);
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
    if findings.is_refuted() {
        return Err(findings.last());
    }
    let wanted = HEXLOWER.encode(&hash(&[attestation.commit, attestation.model_sha256, attestation.eval_seed]));
    let message =
        "commit, model_sha256 and eval_seed do not hash to the nonce: at least one of the three is not the one that was requested";
    require_text(bound.nonce == wanted, Code::BindingNonce, "/tdx/nonce", message, bound.nonce, &wanted, findings)?;
    Ok(true)
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

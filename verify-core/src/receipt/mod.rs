//! Bytes to a receipt: the TDX envelope of `polaris_version` 1, with every bound field pinned in length and alphabet.

mod attestation;
pub(crate) mod canonical;

pub(crate) use attestation::Attestation;

use data_encoding::BASE64;

use crate::fields::{Fields, Format, Type};
use crate::json::Value;
use crate::ledger::{Checked, Findings};
use crate::problem::{Code, Location, Problem};
use crate::text::{is_hex, quoted};

pub(crate) const DOCUMENT: &str = "receipt";
pub(crate) const FORMAT: Format = Format {
    document: DOCUMENT,
    missing: Code::ReceiptMissingMember,
    wrong_type: Code::ReceiptWrongType,
    malformed: Code::ReceiptMalformedField,
};

/// A TDX receipt. Parts that fail stop only what depends on them.
pub(crate) struct Receipt<'a> {
    pub(crate) receipt_id: Checked<&'a str>,
    pub(crate) evidence: Checked<Evidence<'a>>,
    pub(crate) expected: Checked<Expected<'a>>,
    pub(crate) attestation: Checked<Attestation<'a>>,
    /// The attestation as it stands, for the list of claims.
    pub(crate) attestation_value: Option<&'a Value<'a>>,
}

/// The `tdx` block.
pub(crate) struct Evidence<'a> {
    /// The quote's text: the receipt id hashes its beginning.
    pub(crate) quote_base64: &'a str,
    pub(crate) quote: Checked<Vec<u8>>,
    pub(crate) collateral: Checked<Vec<u8>>,
    pub(crate) stdout: Checked<Vec<u8>>,
    pub(crate) bound: Checked<Bound<'a>>,
    pub(crate) workload_sha256: Checked<&'a str>,
    pub(crate) self_report: Checked<SelfReport>,
}

/// The texts under the report data. They are joined without separators, so the shape of each one is part of the proof.
#[derive(Clone, Copy)]
pub(crate) struct Bound<'a> {
    /// 32 or 64 lower-case hex digits.
    pub(crate) nonce: &'a str,
    /// Canonical base64 of 32 bytes.
    pub(crate) requester_key: &'a str,
    /// `sha256:` and 64 lower-case hex digits.
    pub(crate) image: &'a str,
    /// 64 lower-case hex digits.
    pub(crate) result_sha256: &'a str,
    /// 64 lower-case hex digits.
    pub(crate) files_sha256: &'a str,
}

/// What the file says about itself. Never evidence.
#[derive(Clone, Copy)]
pub(crate) struct SelfReport {
    pub(crate) intel_verified: bool,
    pub(crate) report_data_match: bool,
}

/// The two files that the enclave was given, by digest: 64 lower-case hex digits each.
#[derive(Clone, Copy)]
pub(crate) struct Expected<'a> {
    pub(crate) scorer_sha256: &'a str,
    pub(crate) input_sha256: &'a str,
}

impl<'a> Receipt<'a> {
    pub(crate) fn read(document: &'a Value<'a>, findings: &mut Findings) -> Checked<Self> {
        require_tdx_envelope(document, findings)?;
        let Some(mut fields) = Fields::of(document, "", FORMAT, findings) else {
            return Err(findings.last());
        };
        let known = ["polaris_version", "receipt_id", "chain", "attestation", "attestation_type", "tdx", "_expected"];
        fields.refuse_unknown(&known, Code::ReceiptUnknownMember);
        if let Some(version) = fields.integer::<i64>("polaris_version").filter(|version| *version != 1) {
            fields.raise(Code::ReceiptVersion, "polaris_version", format!("polaris_version {version} is not supported; wanted 1"));
            return Err(fields.last());
        }
        if let Some(kind) = fields.string("attestation_type").filter(|kind| *kind != "tdx-quote") {
            let message = format!("attestation_type {} is not supported; wanted \"tdx-quote\"", quoted(kind));
            fields.raise(Code::EvidenceTypeUnsupported, "attestation_type", message);
        }
        read_chain(&mut fields);
        let receipt_id = fields.shaped("receipt_id", "32 lower-case hex digits", |text| is_hex(text, 32)).ok_or_else(|| fields.last());
        let expected = read_expected(&mut fields).ok_or_else(|| fields.last());
        let evidence = fields.object("tdx").and_then(|mut tdx| Evidence::read(&mut tdx)).ok_or_else(|| fields.last());
        let attestation = fields.object("attestation").and_then(|mut fields| Attestation::read(&mut fields)).ok_or_else(|| fields.last());
        Ok(Self { receipt_id, evidence, expected, attestation, attestation_value: document.member("attestation") })
    }
}

/// Exactly one kind of evidence, and it is the supported one. What the file calls itself decides nothing here.
fn require_tdx_envelope(document: &Value<'_>, findings: &mut Findings) -> Checked<()> {
    let has = |name: &str| document.member(name).is_some();
    let kind = document.member("attestation_type").and_then(Value::string);
    let (code, message) = match (has("tdx"), has("signature")) {
        _ if document.object().is_none() => (Code::ReceiptWrongType, format!("the document is {}; wanted an object", document.type_name())),
        (true, true) => (Code::EvidenceAmbiguous, "both a tdx block and a signature are present".to_owned()),
        (true, false) => return Ok(()),
        (false, true) => (Code::EvidenceSignatureUnsupported, "the receipt carries an Ed25519 signature and no quote".to_owned()),
        (false, false) if kind.is_some_and(|kind| kind != "tdx-quote") => {
            let shown = quoted(kind.unwrap_or_default());
            (Code::EvidenceTypeUnsupported, format!("attestation_type {shown} is not supported; wanted \"tdx-quote\""))
        }
        (false, false) if has("attestation") => {
            (Code::EvidenceAbsent, "the receipt carries neither a tdx block nor a signature: it is unsigned".to_owned())
        }
        (false, false) => (Code::ReceiptEnvelope, "the document has none of the members attestation, tdx and signature".to_owned()),
    };
    Err(findings.stop(Problem::new(code, Location::document(DOCUMENT), message)))
}

fn read_chain(fields: &mut Fields<'_, '_, '_>) {
    let Some(mut chain) = fields.object("chain") else { return };
    chain.refuse_unknown(&["prev_receipt_hash", "chain_index"], Code::ReceiptUnknownMember);
    let _ = chain.require_types(&[("prev_receipt_hash", Type::StringOrNull), ("chain_index", Type::Integer)]);
    fields.raise(
        Code::ChainUnchecked,
        "chain",
        "the chain was not checked: no predecessor is given, and no evidence covers this block".to_owned(),
    );
}

fn read_expected<'a>(fields: &mut Fields<'a, 'a, '_>) -> Option<Expected<'a>> {
    let mut expected = fields.object("_expected")?;
    expected.refuse_unknown(&["scoring_sha256", "result_sha256"], Code::ReceiptUnknownMember);
    let (scorer, input) = (sha256(&mut expected, "scoring_sha256"), sha256(&mut expected, "result_sha256"));
    Some(Expected { scorer_sha256: scorer?, input_sha256: input? })
}

impl<'a> Evidence<'a> {
    fn read(fields: &mut Fields<'a, 'a, '_>) -> Option<Self> {
        fields.refuse_unknown(
            &[
                "quote_b64",
                "collateral_b64",
                "nonce",
                "e2e_pubkey_b64",
                "bound_digest",
                "result_sha256",
                "stdout_b64",
                "files_sha256",
                "workload_sha256",
                "verification",
                "cost_usd",
            ],
            Code::ReceiptUnknownMember,
        );
        let _ = fields.allow_type("cost_usd", Type::NumberOrNull);
        let quote_base64 = fields.string("quote_b64");
        let quote = evidence_part(fields, "quote_b64", Code::EvidenceAbsent, "the quote is empty: there is no hardware evidence");
        let collateral =
            evidence_part(fields, "collateral_b64", Code::CollateralAbsent, "the collateral is empty: the quote could not be checked");
        let stdout = base64(fields, "stdout_b64").ok_or_else(|| fields.last());
        let bound = read_bound(fields).ok_or_else(|| fields.last());
        let workload_sha256 = prefixed_sha256(fields, "workload_sha256").ok_or_else(|| fields.last());
        let self_report = fields.object("verification").and_then(|mut fields| {
            fields.refuse_unknown(&["intel_verified", "report_data_match"], Code::ReceiptUnknownMember);
            let (intel_verified, report_data_match) = (fields.boolean("intel_verified"), fields.boolean("report_data_match"));
            Some(SelfReport { intel_verified: intel_verified?, report_data_match: report_data_match? })
        });
        let self_report = self_report.ok_or_else(|| fields.last());
        Some(Self { quote_base64: quote_base64?, quote, collateral, stdout, bound, workload_sha256, self_report })
    }
}

fn read_bound<'a>(fields: &mut Fields<'a, 'a, '_>) -> Option<Bound<'a>> {
    let nonce = fields.shaped("nonce", "32 or 64 lower-case hex digits", |text| is_hex(text, 32) || is_hex(text, 64));
    let is_key = |text: &str| BASE64.decode(text.as_bytes()).is_ok_and(|key| key.len() == 32);
    let requester_key = fields.shaped("e2e_pubkey_b64", "canonical base64 of 32 bytes", is_key);
    let image = prefixed_sha256(fields, "bound_digest");
    let (result_sha256, files_sha256) = (sha256(fields, "result_sha256"), sha256(fields, "files_sha256"));
    Some(Bound { nonce: nonce?, requester_key: requester_key?, image: image?, result_sha256: result_sha256?, files_sha256: files_sha256? })
}

fn sha256<'a>(fields: &mut Fields<'a, 'a, '_>, name: &str) -> Option<&'a str> {
    fields.shaped(name, "64 lower-case hex digits", |text| is_hex(text, 64))
}

fn prefixed_sha256<'a>(fields: &mut Fields<'a, 'a, '_>, name: &str) -> Option<&'a str> {
    fields
        .shaped(name, "sha256: and 64 lower-case hex digits", |text| text.strip_prefix("sha256:").is_some_and(|digest| is_hex(digest, 64)))
}

/// A part without which nothing can be decided; empty is absent.
fn evidence_part(fields: &mut Fields<'_, '_, '_>, name: &str, absent: Code, message: &str) -> Checked<Vec<u8>> {
    let bytes = base64(fields, name).ok_or_else(|| fields.last())?;
    if bytes.is_empty() {
        fields.raise(absent, name, message.to_owned());
        return Err(fields.last());
    }
    Ok(bytes)
}

fn base64(fields: &mut Fields<'_, '_, '_>, name: &str) -> Option<Vec<u8>> {
    let text = fields.string(name)?;
    match BASE64.decode(text.as_bytes()) {
        Ok(bytes) => Some(bytes),
        Err(error) => {
            let found = text.get(error.position..).and_then(|rest| rest.chars().next());
            let hint = match found {
                Some('-' | '_') => "; it was written in the URL-safe alphabet",
                Some('\n' | '\r' | ' ') => "; it is broken into lines",
                _ => "",
            };
            let shown = found.map(|character| format!(" ({})", quoted(&character.to_string()))).unwrap_or_default();
            let message =
                format!("the member {name:?} is not canonical base64 at character {}{shown}: {}{hint}", error.position, error.kind);
            fields.raise(Code::ReceiptBase64, name, message);
            None
        }
    }
}

/// Raises one finding for all bare NaN and Infinity of a document.
pub(crate) fn note_non_finite(document: &Value<'_>, findings: &mut Findings) {
    let tokens = document.non_finite();
    if let Some((offset, token)) = tokens.first() {
        let more = if tokens.len() > 1 { format!(" (and {} more)", tokens.len().saturating_sub(1)) } else { String::new() };
        let message = format!("the bare token {token} stands in the file{more}: Python writes it, other readers refuse it");
        findings.raise(
            Problem::new(Code::JsonNonFinite, Location::offset(DOCUMENT, *offset), message).found(*token).wanted("a finite number or null"),
        );
    }
}

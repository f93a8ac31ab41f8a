//! Bytes to a receipt, whatever its envelope: the receipts of `polaris_version` 1 with a quote or with a signature here, the
//! service's direct response and the note that wraps one in `response`. Every bound field is pinned in length and alphabet.
//!
//! A part that an envelope does not have stops what depends on it as not applicable; a part that could not be read stops it with
//! the code that says why.

mod attestation;
pub(crate) mod canonical;
mod response;

pub(crate) use attestation::Attestation;
pub(crate) use response::{ARTIFACT_MEMBERS, Note};

use crate::base64;
use crate::expectation::{Field, NOTE_HEAD};
use crate::fields::{Fields, Format, Type};
use crate::json::{Value, child};
use crate::ledger::{Checked, Findings, Stopped, need};
use crate::limits;
use crate::problem::{Code, Location, Problem};
use crate::text::{is_hex, quoted};

pub(crate) const DOCUMENT: &str = "receipt";
pub(crate) const FORMAT: Format = Format {
    document: DOCUMENT,
    missing: Code::ReceiptMissingMember,
    wrong_type: Code::ReceiptWrongType,
    malformed: Code::ReceiptMalformedField,
};

/// A receipt. Parts that fail stop only what depends on them.
pub(crate) struct Receipt<'a> {
    envelope: Envelope,
    pub(crate) receipt_id: Checked<&'a str>,
    pub(crate) evidence: Checked<Evidence<'a>>,
    pub(crate) files: Checked<Files<'a>>,
    pub(crate) expected: Checked<Expected<'a>>,
    pub(crate) statement: Checked<Statement<'a>>,
    /// What the receipt says, as it stands, for the list of claims: values with their pointers.
    pub(crate) stated: Vec<(String, &'a Value<'a>)>,
}

/// What carries authenticity: exactly one of the two.
pub(crate) enum Evidence<'a> {
    Quote(Box<QuoteEvidence<'a>>),
    Signature(SignatureEvidence<'a>),
}

/// Who says what the receipt says about the run, and in which form.
pub(crate) enum Statement<'a> {
    Attestation(Attestation<'a>),
    Note(Note<'a>),
    /// The service's response alone says nothing about the run.
    Absent,
}

/// A quote with its collateral, and the texts under its report data.
pub(crate) struct QuoteEvidence<'a> {
    /// Pointer of the block that holds the quote.
    pub(crate) block: &'static str,
    /// The quote's text: the receipt id hashes its beginning.
    pub(crate) quote_base64: &'a str,
    pub(crate) quote: Checked<Vec<u8>>,
    pub(crate) collateral: Checked<Vec<u8>>,
    pub(crate) stdout: Checked<Vec<u8>>,
    pub(crate) bound: Checked<Bound<'a>>,
    /// What the digests under the report data are of, beside output and files. Receipts of a log have none.
    pub(crate) contents: Checked<Vec<Content<'a>>>,
    pub(crate) workload_sha256: Checked<&'a str>,
    pub(crate) self_report: Checked<SelfReport>,
}

/// An Ed25519 signature over the canonical text of the attestation, with the key that the file names.
pub(crate) struct SignatureEvidence<'a> {
    pub(crate) signature: [u8; 64],
    /// The key inside of the file: by itself it vouches for nothing.
    pub(crate) key: [u8; 32],
    pub(crate) attestation: &'a Value<'a>,
}

/// The texts under the report data. They are joined without separators, so the shape of each one is part of the proof.
#[derive(Clone, Copy)]
pub(crate) struct Bound<'a> {
    /// Pointer of the block that holds nonce, key, output and their digests.
    pub(crate) block: &'static str,
    /// 32 or 64 lower-case hex digits; in responses also 40.
    pub(crate) nonce: &'a str,
    /// Canonical base64 of 32 bytes.
    pub(crate) requester_key: &'a str,
    /// Digest of the container image, or of the command where no image ran: `sha256:` and 64 lower-case hex digits.
    pub(crate) bound_digest: &'a str,
    /// The container image, where one ran.
    pub(crate) image: Checked<&'a str>,
    /// 64 lower-case hex digits.
    pub(crate) result_sha256: &'a str,
    /// 64 lower-case hex digits, or empty.
    pub(crate) egress_sha256: &'a str,
    /// 64 lower-case hex digits; in responses without files empty.
    pub(crate) files_sha256: &'a str,
    /// 64 lower-case hex digits, or empty.
    pub(crate) policy_sha256: &'a str,
    /// 64 lower-case hex digits, or empty.
    pub(crate) artifacts_sha256: &'a str,
}

/// What a digest under the report data has to be the hash of.
pub(crate) struct Content<'a> {
    /// Pointer of the content.
    pub(crate) pointer: String,
    /// The member that holds the digest.
    pub(crate) name: &'static str,
    /// 64 lower-case hex digits, or empty where nothing is bound.
    pub(crate) digest: &'a str,
    /// The content in every way in which its producer may write it; none where the file does not show it.
    pub(crate) texts: Vec<Vec<u8>>,
}

/// The files that the enclave was given, by path: 64 lower-case hex digits each.
pub(crate) struct Files<'a> {
    /// Pointer of what lists them.
    pub(crate) pointer: String,
    /// In the order of the paths.
    pub(crate) digests: Vec<(&'a str, &'a str)>,
}

/// What the file says about itself. Never evidence.
pub(crate) struct SelfReport {
    pub(crate) pointer: String,
    pub(crate) intel_verified: bool,
    pub(crate) report_data_match: bool,
}

/// Scorer and input among the files: 64 lower-case hex digits each with the pointer where they stand. They are empty, and the
/// pointer that of all files, where no path says that a file is one of them.
pub(crate) struct Expected<'a> {
    pub(crate) scorer_pointer: String,
    pub(crate) scorer_sha256: &'a str,
    pub(crate) input_pointer: String,
    pub(crate) input_sha256: &'a str,
}

/// The block of a log's receipt that holds its quote.
pub(crate) const TDX: &str = "/tdx";

/// Where the enclave of a log's receipt finds its input and its scorer.
const LOG_INPUT: &str = "/submission/result.json";
const LOG_SCORER: &str = "/submission/score.py";

const NO_QUOTE: Stopped = Stopped::NotApplicable("the receipt is signed: it carries no quote, and no hardware vouches for it");
const NO_SIGNATURE: Stopped = Stopped::NotApplicable("the receipt carries a quote and no signature");
const NO_ATTESTATION: Stopped = Stopped::NotApplicable("the envelope carries no attestation block");
const NO_SCORER: Stopped = Stopped::NotApplicable("no path says that a file of the receipt is its scorer");

impl<'a> Evidence<'a> {
    pub(crate) fn quote(&self) -> Checked<&QuoteEvidence<'a>> {
        match self {
            Self::Quote(quote) => Ok(quote),
            Self::Signature(_) => Err(NO_QUOTE),
        }
    }

    pub(crate) fn signature(&self) -> Checked<&SignatureEvidence<'a>> {
        match self {
            Self::Signature(signature) => Ok(signature),
            Self::Quote(_) => Err(NO_SIGNATURE),
        }
    }
}

impl<'a> Statement<'a> {
    pub(crate) fn attestation(&self) -> Checked<&Attestation<'a>> {
        match self {
            Self::Attestation(attestation) => Ok(attestation),
            Self::Note(_) | Self::Absent => Err(NO_ATTESTATION),
        }
    }
}

impl<'a> Receipt<'a> {
    pub(crate) fn read(document: &'a Value<'a>, findings: &mut Findings) -> Checked<Self> {
        let envelope = Envelope::of(document, findings)?;
        let Some(mut fields) = Fields::of(document, "", FORMAT, findings) else {
            return Err(findings.last());
        };
        match envelope {
            Envelope::Quoted => Self::read_quoted(&mut fields),
            Envelope::Signed => Self::read_signed(&mut fields),
            Envelope::Response => response::read(&mut fields),
            Envelope::Note => response::read_note(&mut fields),
        }
    }

    /// The attestation block as it stands.
    pub(crate) fn attestation_value(&self) -> Checked<&'a Value<'a>> {
        match self.envelope {
            Envelope::Quoted | Envelope::Signed => {
                self.stated.first().map(|(_, value)| *value).ok_or(Stopped::By(Code::ReceiptMissingMember))
            }
            Envelope::Response | Envelope::Note => Err(NO_ATTESTATION),
        }
    }

    /// Pointer of the member that holds `field`, or why the receipt can have none.
    pub(crate) fn place(&self, field: Field) -> Checked<String> {
        let of_run = matches!(field, Field::Commit | Field::Repository | Field::Model | Field::Label | Field::Pass);
        match (self.envelope, field) {
            (Envelope::Quoted, _) => Ok(field.in_a_log().to_owned()),
            (Envelope::Signed, _) if of_run => Ok(field.in_a_log().to_owned()),
            (Envelope::Signed, _) => Err(NO_QUOTE),
            (Envelope::Note, Field::Commit) => Ok(NOTE_HEAD.to_owned()),
            (Envelope::Note, Field::Label) => Ok("/label".to_owned()),
            (Envelope::Response | Envelope::Note, _) if of_run => Err(NO_ATTESTATION),
            (Envelope::Response | Envelope::Note, Field::Scorer) => {
                let expected = need(&self.expected)?;
                if expected.scorer_sha256.is_empty() { Err(NO_SCORER) } else { Ok(expected.scorer_pointer.clone()) }
            }
            (Envelope::Response | Envelope::Note, Field::Image) => {
                let bound = need(&need(&self.evidence)?.quote()?.bound)?;
                bound.image.map(|_| child(bound.block, "bound_digest"))
            }
            (Envelope::Response | Envelope::Note, _) => Ok(child(need(&self.evidence)?.quote()?.block, "e2e_pubkey_b64")),
        }
    }

    fn read_quoted(fields: &mut Fields<'a, 'a, '_>) -> Checked<Self> {
        let known = ["polaris_version", "receipt_id", "chain", "attestation", "attestation_type", "tdx", "_expected"];
        fields.refuse_unknown(&known, Code::ReceiptUnknownMember);
        fields.version("polaris_version", "1", Code::ReceiptVersion)?;
        if let Some(kind) = fields.string("attestation_type").filter(|kind| *kind != "tdx-quote") {
            let message = format!("attestation_type {} is not supported; wanted \"tdx-quote\"", quoted(kind));
            fields.raise(Code::EvidenceTypeUnsupported, "attestation_type", message);
        }
        read_chain(fields);
        let receipt_id = fields.shaped("receipt_id", "32 lower-case hex digits", |text| is_hex(text, 32)).ok_or_else(|| fields.last());
        let expected = read_expected(fields).ok_or_else(|| fields.last());
        let files = need(&expected).map(|expected| Files {
            pointer: "/_expected".to_owned(),
            digests: vec![(LOG_INPUT, expected.input_sha256), (LOG_SCORER, expected.scorer_sha256)],
        });
        let evidence = fields.object("tdx").and_then(|mut tdx| QuoteEvidence::read(&mut tdx)).ok_or_else(|| fields.last());
        let (statement, stated) = read_attestation(fields);
        let evidence = evidence.map(Box::new).map(Evidence::Quote);
        Ok(Self { envelope: Envelope::Quoted, receipt_id, evidence, files, expected, statement, stated })
    }

    fn read_signed(fields: &mut Fields<'a, 'a, '_>) -> Checked<Self> {
        let known = ["polaris_version", "receipt_id", "chain", "attestation", "attestation_type", "signature", "public_key"];
        fields.refuse_unknown(&known, Code::ReceiptUnknownMember);
        fields.version("polaris_version", "1", Code::ReceiptVersion)?;
        if fields.optional("attestation_type").is_some()
            && let Some(kind) = fields.string("attestation_type").filter(|kind| *kind != "ed25519")
        {
            let message = format!("attestation_type is {}, but the receipt carries a signature; wanted none or \"ed25519\"", quoted(kind));
            fields.raise(Code::EvidenceTypeUnsupported, "attestation_type", message);
        }
        read_chain(fields);
        let receipt_id = fields.shaped("receipt_id", "64 lower-case hex digits", |text| is_hex(text, 64)).ok_or_else(|| fields.last());
        let signature = base64_array::<64>(fields, "signature");
        let key = base64_array::<32>(fields, "public_key");
        let attestation = fields.required("attestation");
        let evidence = match (signature, key, attestation) {
            (Some(signature), Some(key), Some(attestation)) => Ok(Evidence::Signature(SignatureEvidence { signature, key, attestation })),
            _ => Err(fields.last()),
        };
        let (statement, stated) = read_attestation(fields);
        Ok(Self { envelope: Envelope::Signed, receipt_id, evidence, files: Err(NO_QUOTE), expected: Err(NO_QUOTE), statement, stated })
    }
}

/// The documents that are receipts, told apart by the evidence that they carry. What a file calls itself decides nothing here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Envelope {
    /// A receipt of a log with a `tdx` block.
    Quoted,
    /// A receipt of a log with an Ed25519 signature.
    Signed,
    /// The attestation service's own response.
    Response,
    /// A producer's note around such a response.
    Note,
}

/// Documents that look like receipts: an issuer signed what he himself found, and no hardware evidence is inside.
const ISSUER_ONLY: [(&str, &str); 2] = [
    ("cathedral_customer_receipt_v1", "a customer receipt: the issuer's Ed25519 signature under his own statement"),
    ("cathedral_ml_inference_receipt_v1", "an inference receipt: the validator's sr25519 signature under his own statement"),
];

impl Envelope {
    /// Exactly one kind of evidence, in an envelope that is known.
    fn of(document: &Value<'_>, findings: &mut Findings) -> Checked<Self> {
        let mut refuse = |code, pointer: &str, message: String| {
            let location = if pointer.is_empty() { Location::document(DOCUMENT) } else { Location::pointer(DOCUMENT, pointer) };
            Err(findings.stop(Problem::new(code, location, message)))
        };
        let Some(members) = document.object() else {
            return refuse(Code::ReceiptWrongType, "", format!("the document is {}; wanted an object", document.type_name()));
        };
        let has = |name: &str| document.member(name).is_some();
        let wrapped = document.member("receipt");
        let evidence = [
            (has("tdx"), "a tdx block", Self::Quoted),
            (has("signature"), "a signature", Self::Signed),
            (has("tee_attestation"), "a tee_attestation block", Self::Response),
            (
                wrapped.is_some_and(|receipt| receipt.member("tee_attestation").is_some()),
                "a receipt with a tee_attestation block",
                Self::Note,
            ),
        ];
        let (mut present, mut names) = (Vec::new(), Vec::new());
        for (_, name, envelope) in evidence.into_iter().filter(|(is_present, ..)| *is_present) {
            present.push(envelope);
            names.push(name);
        }
        if names.len() > 1 {
            return refuse(Code::EvidenceAmbiguous, "", format!("{} are present; wanted one kind of evidence", names.join(" and ")));
        }
        for (pointer, candidate) in [("", Some(document)), ("/receipt", wrapped)] {
            let schema = candidate.and_then(|candidate| candidate.member("schema")).and_then(Value::string);
            if let Some((schema, what)) = ISSUER_ONLY.into_iter().find(|(known, _)| Some(*known) == schema) {
                let message = format!("this is {what} ({schema}); it holds no quote, so it is the issuer's word and nothing else");
                return refuse(Code::ReceiptIssuerOnly, pointer, message);
            }
        }
        if let Some(envelope) = present.pop() {
            return Ok(envelope);
        }
        let kind = document.member("attestation_type").and_then(Value::string).filter(|kind| *kind != "tdx-quote");
        if let Some(kind) = kind {
            let message = format!("attestation_type {} is not supported; wanted \"tdx-quote\"", quoted(kind));
            return refuse(Code::EvidenceTypeUnsupported, "/attestation_type", message);
        }
        if has("attestation") {
            return refuse(Code::EvidenceAbsent, "", "the receipt carries neither a tdx block nor a signature: it is unsigned".to_owned());
        }
        let shown: Vec<String> = members.iter().take(SHOWN_MEMBERS).map(|member| quoted(&member.name)).collect();
        let more = if members.len() > SHOWN_MEMBERS { " and others" } else { "" };
        let found = if shown.is_empty() { "no members".to_owned() } else { format!("the members {}{more}", shown.join(", ")) };
        refuse(Code::ReceiptEnvelope, "", format!("not a receipt: the document is an object with {found}"))
    }
}

/// How many members of an unknown document are named.
const SHOWN_MEMBERS: usize = 6;

type Stated<'a> = Vec<(String, &'a Value<'a>)>;

fn read_attestation<'a>(fields: &mut Fields<'a, 'a, '_>) -> (Checked<Statement<'a>>, Stated<'a>) {
    let statement = fields.object("attestation").and_then(|mut fields| Attestation::read(&mut fields)).ok_or_else(|| fields.last());
    let stated = fields.optional("attestation").map(|value| (child("", "attestation"), value));
    (statement.map(Statement::Attestation), stated.into_iter().collect())
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
    let [scorer_pointer, input_pointer] = ["scoring_sha256", "result_sha256"].map(|name| expected.pointer(name));
    Some(Expected { scorer_pointer, scorer_sha256: scorer?, input_pointer, input_sha256: input? })
}

impl<'a> QuoteEvidence<'a> {
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
        let stdout = output(fields).ok_or_else(|| fields.last());
        let bound = read_bound(fields).ok_or_else(|| fields.last());
        let workload_sha256 = prefixed_sha256(fields, "workload_sha256").ok_or_else(|| fields.last());
        let pointer = fields.pointer("verification");
        let self_report = fields.object("verification").and_then(|mut fields| {
            fields.refuse_unknown(&["intel_verified", "report_data_match"], Code::ReceiptUnknownMember);
            let (intel_verified, report_data_match) = (fields.boolean("intel_verified"), fields.boolean("report_data_match"));
            Some(SelfReport { pointer, intel_verified: intel_verified?, report_data_match: report_data_match? })
        });
        let self_report = self_report.ok_or_else(|| fields.last());
        Some(Self {
            block: TDX,
            quote_base64: quote_base64?,
            quote,
            collateral,
            stdout,
            bound,
            contents: Err(Stopped::NotApplicable("receipts of a log have neither egress log nor task policy nor artifacts")),
            workload_sha256,
            self_report,
        })
    }
}

fn read_bound<'a>(fields: &mut Fields<'a, 'a, '_>) -> Option<Bound<'a>> {
    let nonce = fields.shaped("nonce", "32 or 64 lower-case hex digits", |text| is_hex(text, 32) || is_hex(text, 64));
    let requester_key = requester_key(fields);
    let image = prefixed_sha256(fields, "bound_digest");
    let (result_sha256, files_sha256) = (sha256(fields, "result_sha256"), sha256(fields, "files_sha256"));
    Some(Bound {
        block: TDX,
        nonce: nonce?,
        requester_key: requester_key?,
        bound_digest: image?,
        image: Ok(image?),
        result_sha256: result_sha256?,
        egress_sha256: "",
        files_sha256: files_sha256?,
        policy_sha256: "",
        artifacts_sha256: "",
    })
}

fn requester_key<'a>(fields: &mut Fields<'a, 'a, '_>) -> Option<&'a str> {
    let is_key = |text: &str| base64::decode(text.as_bytes()).is_ok_and(|key| key.len() == 32);
    fields.shaped("e2e_pubkey_b64", "canonical base64 of 32 bytes", is_key)
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

/// What the enclave printed.
fn output(fields: &mut Fields<'_, '_, '_>) -> Option<Vec<u8>> {
    let bytes = base64(fields, "stdout_b64")?;
    if bytes.len() > limits::OUTPUT_BYTES {
        let message = format!("the enclave's output has {} bytes; at most {} are read", bytes.len(), limits::OUTPUT_BYTES);
        fields.raise(Code::LimitExceeded, "stdout_b64", message);
        return None;
    }
    Some(bytes)
}

/// Canonical base64 of exactly `N` bytes.
fn base64_array<const N: usize>(fields: &mut Fields<'_, '_, '_>, name: &str) -> Option<[u8; N]> {
    let bytes = base64(fields, name)?;
    let length = bytes.len();
    let array = <[u8; N]>::try_from(bytes).ok();
    if array.is_none() {
        fields.malformed(name, format!("the member {name:?} has {length} bytes; wanted {N}"));
    }
    array
}

fn base64(fields: &mut Fields<'_, '_, '_>, name: &str) -> Option<Vec<u8>> {
    let text = fields.string(name)?;
    match base64::decode(text.as_bytes()) {
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

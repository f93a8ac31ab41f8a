//! The attestation service's own response to a request, binding version 2, and the note in which a producer keeps one.
//!
//! A response has no attestation block. It says what it bound: output, files, egress log, task policy and artifacts. In image mode
//! the bound digest is that of a container image, in workload mode that of the command.

use super::canonical::{compact_dumps, sorted_dumps};
use super::{
    Bound, Content, Envelope, Evidence, Expected, Files, LOG_INPUT, LOG_SCORER, QuoteEvidence, Receipt, SelfReport, Stated, Statement,
    base64, evidence_part, output, prefixed_sha256, requester_key, sha256,
};
use crate::fields::{Fields, Type};
use crate::json::{Kind, Value, child};
use crate::ledger::{Checked, Stopped};
use crate::limits;
use crate::problem::Code;
use crate::text::{is_hex, quoted};

/// What a producer's note says beside the response that it wraps.
pub(crate) struct Note<'a> {
    /// What was submitted as the enclave's input.
    pub(crate) bundle: &'a Value<'a>,
    /// The commit under test: 40 lower-case hex digits.
    pub(crate) head: &'a str,
    pub(crate) label: &'a str,
    pub(crate) reason: &'a str,
    /// The enclave's output, as the note repeats it.
    pub(crate) verdict: &'a Value<'a>,
}

/// Where the enclave of a note finds its input and its scorer.
const NOTE_INPUT: &str = "/in/bundle.json";
const NOTE_SCORER: &str = "/in/eval_scorer.py";

const RESPONSE_MEMBERS: [&str; 28] = [
    "artifacts",
    "artifacts_sha256",
    "billed",
    "billed_user",
    "billing_status",
    "binding_version",
    "box",
    "cost_usd",
    "egress",
    "egress_log",
    "egress_log_b64",
    "egress_log_sha256",
    "elapsed_s",
    "exit_code",
    "files",
    "files_sha256",
    "image",
    "image_digest",
    "instance_id",
    "ip",
    "lifecycle",
    "machine_image",
    "policy_sha256",
    "started_at",
    "stdout",
    "task_policy",
    "tee_attestation",
    "verification",
];

const ATTESTATION_MEMBERS: [&str; 12] = [
    "binding_recipe",
    "bound_digest",
    "collateral_b64",
    "e2e_pubkey_b64",
    "image_digest",
    "kind",
    "nonce",
    "quote_b64",
    "report_data_recipe",
    "result_sha256",
    "stdout_b64",
    "workload_sha256",
];

/// What of an artifact is hashed.
pub(crate) const ARTIFACT_MEMBERS: [&str; 3] = ["path", "sha256", "size"];

/// Reads a document that is a response.
pub(super) fn read<'a>(fields: &mut Fields<'a, 'a, '_>) -> Checked<Receipt<'a>> {
    read_response(fields, "/tee_attestation")
}

/// Reads a document that is a note.
pub(super) fn read_note<'a>(fields: &mut Fields<'a, 'a, '_>) -> Checked<Receipt<'a>> {
    fields.refuse_unknown(&["bundle", "label", "reason", "receipt", "ts", "verdict_doc"], Code::ReceiptUnknownMember);
    let _ = fields.allow_type("ts", Type::Integer);
    let statement = Note::read(fields).map(Statement::Note).ok_or_else(|| fields.last());
    let mut stated: Stated<'a> = ["bundle", "label", "reason", "ts", "verdict_doc"]
        .iter()
        .filter_map(|name| Some((child("", name), fields.optional(name)?)))
        .collect();
    let Some(mut response) = fields.object("receipt") else {
        return Err(fields.last());
    };
    let mut receipt = read_response(&mut response, "/receipt/tee_attestation")?;
    stated.append(&mut receipt.stated);
    Ok(Receipt { envelope: Envelope::Note, statement, stated, ..receipt })
}

impl<'a> Note<'a> {
    fn read(fields: &mut Fields<'a, 'a, '_>) -> Option<Self> {
        let head =
            fields.object("bundle").and_then(|mut bundle| bundle.shaped("head", "40 lower-case hex digits", |text| is_hex(text, 40)));
        let (label, reason) = (fields.string("label"), fields.string("reason"));
        let _ = fields.object("verdict_doc");
        let (bundle, verdict) = (fields.optional("bundle"), fields.optional("verdict_doc"));
        Some(Self { bundle: bundle?, head: head?, label: label?, reason: reason?, verdict: verdict? })
    }
}

fn read_response<'a>(fields: &mut Fields<'a, 'a, '_>, block: &'static str) -> Checked<Receipt<'a>> {
    fields.refuse_unknown(&RESPONSE_MEMBERS, Code::ReceiptUnknownMember);
    fields.version("binding_version", "2", Code::ReceiptVersion)?;
    let files = read_files(fields).ok_or_else(|| fields.last());
    let expected = files.as_ref().map(|files| expected(files)).map_err(|stopped| *stopped);
    let evidence = read_evidence(fields, block).ok_or_else(|| fields.last());
    let stated = fields.each().filter(|(_, member)| !["tee_attestation", "verification"].contains(&&*member.name));
    let stated = stated.map(|(pointer, member)| (pointer, &member.value)).collect();
    Ok(Receipt {
        envelope: Envelope::Response,
        receipt_id: Err(Stopped::NotApplicable("a response has no receipt id")),
        evidence: evidence.map(Box::new).map(Evidence::Quote),
        files,
        expected,
        statement: Ok(Statement::Absent),
        stated,
    })
}

fn read_files<'a>(fields: &mut Fields<'a, 'a, '_>) -> Option<Files<'a>> {
    let mut files = fields.object("files")?;
    // The manifest separates paths and digests with these two.
    let names: Vec<&'a str> = files.names().collect();
    if names.len() > limits::LIST_ITEMS {
        return fields.too_many("files", names.len());
    }
    let mut digests = Vec::new();
    for name in &names {
        if name.contains(['\t', '\n']) {
            files.malformed(name, format!("the path {} holds a separator of the manifest", quoted(name)));
            return None;
        }
        digests.push(sha256(&mut files, name).map(|digest| (*name, digest)));
    }
    let mut digests: Vec<_> = digests.into_iter().collect::<Option<_>>()?;
    digests.sort_unstable();
    Some(Files { pointer: fields.pointer("files"), digests })
}

/// Which of the files are scorer and input, by the paths of the two known commands.
fn expected<'a>(files: &Files<'a>) -> Expected<'a> {
    let digest = |path: &str| files.digests.iter().find(|(known, _)| *known == path).map(|(_, digest)| *digest);
    let pair = [(NOTE_SCORER, NOTE_INPUT), (LOG_SCORER, LOG_INPUT)].into_iter().find_map(|(scorer, input)| {
        Some([(child(&files.pointer, scorer), digest(scorer)?), (child(&files.pointer, input), digest(input)?)])
    });
    let [(scorer_pointer, scorer_sha256), (input_pointer, input_sha256)] =
        pair.unwrap_or_else(|| [(files.pointer.clone(), ""), (files.pointer.clone(), "")]);
    Expected { scorer_pointer, scorer_sha256, input_pointer, input_sha256 }
}

fn read_evidence<'a>(fields: &mut Fields<'a, 'a, '_>, pointer: &'static str) -> Option<QuoteEvidence<'a>> {
    let digests = ["egress_log_sha256", "files_sha256", "policy_sha256", "artifacts_sha256"].map(|name| sha256_or_empty(fields, name));
    let contents = read_contents(fields, &digests).ok_or_else(|| fields.last());
    let shown_image = fields.string("image_digest");
    let shown_output = fields.string("stdout");
    let pointer_to_report = fields.pointer("verification");
    let self_report = fields.object("verification").and_then(|mut fields| {
        fields.refuse_unknown(&["collateral_urls", "intel_verified", "report_data_match"], Code::ReceiptUnknownMember);
        let (intel_verified, report_data_match) = (fields.boolean("intel_verified"), fields.boolean("report_data_match"));
        Some(SelfReport { pointer: pointer_to_report, intel_verified: intel_verified?, report_data_match: report_data_match? })
    });
    let self_report = self_report.ok_or_else(|| fields.last());

    let mut block = fields.object("tee_attestation")?;
    block.refuse_unknown(&ATTESTATION_MEMBERS, Code::ReceiptUnknownMember);
    if let Some(kind) = block.string("kind").filter(|kind| *kind != "tdx-1.5") {
        block.raise(Code::EvidenceTypeUnsupported, "kind", format!("the kind {} is not supported; wanted \"tdx-1.5\"", quoted(kind)));
    }
    let quote_base64 = block.string("quote_b64");
    let quote = evidence_part(&mut block, "quote_b64", Code::EvidenceAbsent, "the quote is empty: there is no hardware evidence");
    let collateral =
        evidence_part(&mut block, "collateral_b64", Code::CollateralAbsent, "the collateral is empty: the quote could not be checked");
    let stdout = output(&mut block).ok_or_else(|| block.last());
    if let (Ok(stdout), Some(shown)) = (&stdout, shown_output) {
        let stdout = String::from_utf8_lossy(stdout);
        require_copy(&mut block, "stdout_b64", &stdout, "stdout", shown);
    }
    let workload_sha256 = prefixed_sha256(&mut block, "workload_sha256").ok_or_else(|| block.last());
    let bound = read_bound(&mut block, &digests, workload_sha256, shown_image, pointer).ok_or_else(|| block.last());
    Some(QuoteEvidence {
        block: pointer,
        quote_base64: quote_base64?,
        quote,
        collateral,
        stdout,
        bound,
        contents,
        workload_sha256,
        self_report,
    })
}

fn read_bound<'a>(
    block: &mut Fields<'a, 'a, '_>,
    digests: &[Option<&'a str>; 4],
    workload_sha256: Checked<&'a str>,
    shown_image: Option<&'a str>,
    pointer: &'static str,
) -> Option<Bound<'a>> {
    let is_nonce = |text: &str| [32, 40, 64].into_iter().any(|digits| is_hex(text, digits));
    let nonce = block.shaped("nonce", "32, 40 or 64 lower-case hex digits", is_nonce);
    let requester_key = requester_key(block);
    let bound_digest = prefixed_sha256(block, "bound_digest");
    let result_sha256 = sha256(block, "result_sha256");
    let image = block.string("image_digest");
    if let (Some(image), Some(shown)) = (image, shown_image) {
        require_copy(block, "image_digest", image, "image_digest", shown);
    }
    // An image may be named before its digest.
    let (what, copy) = match image? {
        "" => ("workload_sha256", workload_sha256.ok()?),
        image => ("image_digest", image.rsplit_once('@').map_or(image, |(_, digest)| digest)),
    };
    require_copy(block, "bound_digest", bound_digest?, what, copy);
    let [egress_sha256, files_sha256, policy_sha256, artifacts_sha256] = *digests;
    Some(Bound {
        block: pointer,
        nonce: nonce?,
        requester_key: requester_key?,
        bound_digest: bound_digest?,
        image: if image?.is_empty() {
            Err(Stopped::NotApplicable("no container image ran: the quote binds the command in its place"))
        } else {
            Ok(bound_digest?)
        },
        result_sha256: result_sha256?,
        egress_sha256: egress_sha256?,
        files_sha256: files_sha256?,
        policy_sha256: policy_sha256?,
        artifacts_sha256: artifacts_sha256?,
    })
}

/// Two members that say the same thing have to say it alike.
fn require_copy(fields: &mut Fields<'_, '_, '_>, name: &str, value: &str, copy_name: &str, copy: &str) {
    if value != copy {
        let message = format!("{name} says {}, {copy_name} says {}", quoted(value), quoted(copy));
        fields.raise(Code::ReceiptCopiesDiffer, name, message);
    }
}

/// What egress log, task policy and artifacts have to hash to. A part that is empty is not shown.
fn read_contents<'a>(fields: &mut Fields<'a, 'a, '_>, digests: &[Option<&'a str>; 4]) -> Option<Vec<Content<'a>>> {
    let [egress_sha256, _, policy_sha256, artifacts_sha256] = *digests;
    let egress = base64(fields, "egress_log_b64");
    let policy = fields.required("task_policy");
    let artifacts = fields
        .objects("artifacts", |artifact| {
            artifact.refuse_unknown(&ARTIFACT_MEMBERS, Code::ReceiptUnknownMember);
            let path = artifact.shaped("path", "a path without separators of the manifest", |path| !path.contains(['\t', '\n']));
            let (digest, size) = (sha256(artifact, "sha256"), artifact.integer::<u64>("size"));
            Some((path?, digest?, size?))
        })
        .map(|mut artifacts| {
            artifacts.sort_unstable();
            artifacts.iter().map(|(path, digest, size)| format!("{path}\t{digest}\t{size}\n")).collect::<String>()
        });
    let shown = |texts: Vec<Vec<u8>>| if texts.iter().all(Vec::is_empty) { Vec::new() } else { texts };
    let policy = policy.map(|policy| match &policy.kind {
        Kind::Null => Vec::new(),
        Kind::Object(members) if members.is_empty() => Vec::new(),
        _ => vec![compact_dumps(policy).into_bytes(), sorted_dumps(policy).into_bytes()],
    });
    let content = |member: &str, name, digest, texts| Content { pointer: fields.pointer(member), name, digest, texts };
    Some(vec![
        content("egress_log_b64", "egress_log_sha256", egress_sha256?, shown(vec![egress?])),
        content("task_policy", "policy_sha256", policy_sha256?, policy?),
        content("artifacts", "artifacts_sha256", artifacts_sha256?, shown(vec![artifacts?.into_bytes()])),
    ])
}

fn sha256_or_empty<'a>(fields: &mut Fields<'a, 'a, '_>, name: &str) -> Option<&'a str> {
    fields.shaped(name, "64 lower-case hex digits, or nothing", |text| text.is_empty() || is_hex(text, 64))
}

//! Decodes a receipt without judging it: what stands in the file, none of it verified.

use serde::Serialize;

use crate::dcap::collateral::Collateral;
use crate::dcap::quote::{Accepted, Body, Quote};
use crate::dcap::{chain, enclave_facts, trust_domain_facts};
use crate::facts::{EnclaveFacts, TrustDomainFacts};
use crate::json::{self, Value};
use crate::ledger::{Checked, Findings, need};
use crate::limits;
use crate::problem::{Code, Location, Problem};
use crate::receipt::{DOCUMENT, Receipt};
use crate::text::{self, brief, quoted};

/// What stands in a receipt. **Nothing here is verified**: an entry says what the file says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Inspection {
    /// Always `false`: nothing was judged.
    pub verified: bool,
    /// What could be decoded, in the order of the file's parts.
    pub entries: Vec<InspectionEntry>,
    /// What could not be decoded, and why.
    pub problems: Vec<Problem>,
}

/// One decoded value, escaped for showing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct InspectionEntry {
    /// The part of the file: `receipt`, `attestation`, `note`, `files`, `output`, `quote`, `certificates`, `collateral`.
    pub section: &'static str,
    /// The field.
    pub name: String,
    /// Its value.
    pub value: String,
}

impl Inspection {
    /// The inspection as indented JSON that is harmless wherever it is shown: see [`escape_json`](crate::escape_json).
    pub fn to_json_pretty(&self) -> String {
        text::escape_json(&serde_json::to_string_pretty(self).unwrap_or_default())
    }
}

/// Decodes `bytes` without judging them. Total: hostile bytes give problems, never a panic.
pub fn inspect(bytes: &[u8]) -> Inspection {
    let mut findings = Findings::default();
    let mut entries = Entries::default();
    // The findings say what stopped the decoding.
    let _ = decode(bytes, &mut entries, &mut findings);
    if entries.is_cut {
        let message = format!("the receipt has more than {} values; the rest is not listed", limits::CLAIMS);
        findings.raise(Problem::new(Code::LimitExceeded, Location::document(DOCUMENT), message));
    }
    Inspection { verified: false, entries: entries.listed, problems: findings.into_problems() }
}

fn decode(bytes: &[u8], entries: &mut Entries, findings: &mut Findings) -> Checked<()> {
    if bytes.len() > limits::RECEIPT_BYTES {
        let message = format!("the receipt has {} bytes; at most {} are read", bytes.len(), limits::RECEIPT_BYTES);
        return Err(findings.stop(Problem::new(Code::LimitExceeded, Location::document(DOCUMENT), message)));
    }
    let document = json::read(bytes).map_err(|error| findings.stop(error.into_problem(DOCUMENT)))?;
    let receipt = Receipt::read(&document, findings)?;
    let response = document.member("receipt").unwrap_or(&document);
    entries.members(
        "receipt",
        &document,
        &["polaris_version", "receipt_id", "attestation_type", "label", "reason", "public_key", "signature"],
    );
    entries.members("receipt", response, &["binding_version", "egress", "exit_code", "image", "started_at"]);
    if let Some(attestation) = document.member("attestation") {
        for part in ["code", "references", "environment", "verdict"] {
            entries.all_members("attestation", part, attestation.member(part));
        }
        entries.members("attestation", attestation, &["timestamp_utc"]);
    }
    entries.all_members("note", "bundle", document.member("bundle"));
    entries.all_members("note", "verdict_doc", document.member("verdict_doc"));
    let evidence = match need(&receipt.evidence)?.quote() {
        Ok(evidence) => evidence,
        // A signed receipt has nothing more to decode.
        Err(_) => return Ok(()),
    };
    if let Some(block) = document.member("tdx").or(response.member("tee_attestation")) {
        entries.members("receipt", block, &["nonce", "e2e_pubkey_b64", "bound_digest", "result_sha256", "files_sha256", "workload_sha256"]);
    }
    entries.members("receipt", response, &["egress_log_sha256", "files_sha256", "policy_sha256", "artifacts_sha256"]);
    for (path, digest) in receipt.files.iter().flat_map(|files| &files.digests) {
        entries.push("files", path, (*digest).to_owned());
    }
    if let Ok(stdout) = &evidence.stdout {
        entries.push("output", "bytes", stdout.len().to_string());
        entries.push("output", "text", quoted(&String::from_utf8_lossy(stdout)));
    }
    if let Ok(bytes) = &evidence.quote
        && let Ok(quote) = Quote::read(bytes, Accepted::Any, findings)
    {
        entries.push("quote", "bytes", bytes.len().to_string());
        entries.push("quote", "tee", quote.tee().name().to_owned());
        match quote.body.unauthenticated() {
            Body::TrustDomain(report) => entries.trust_domain(trust_domain_facts(report)),
            Body::Enclave(report) => entries.enclave(enclave_facts(report)),
        }
        for (index, certificate) in chain::read_any(quote.pck_chain, findings).iter().enumerate() {
            let validity = format!(
                "{}, issued by {}, valid {} to {}",
                certificate.subject, certificate.issuer, certificate.not_before, certificate.not_after
            );
            entries.push("certificates", &index.to_string(), validity);
        }
    }
    if let Ok(bytes) = &evidence.collateral
        && let Ok(collateral) = Collateral::read(bytes, findings)
    {
        for (name, document) in [("TCB info", &collateral.tcb_info), ("QE identity", &collateral.qe_identity)] {
            let Ok(document) = document else { continue };
            let read = json::read(document.text()).map_err(|error| findings.raise(error.into_problem(name)));
            let Ok(value) = read else { continue };
            let signed = value.member("tcbInfo").or(value.member("enclaveIdentity")).unwrap_or(&value);
            for member in ["id", "version", "issueDate", "nextUpdate", "tcbEvaluationDataNumber", "fmspc", "pceId"] {
                if let Some(value) = signed.member(member) {
                    entries.push("collateral", &format!("{name} {member}"), value.shown());
                }
            }
        }
        for (name, crl) in [("PCK CRL", &collateral.pck_crl), ("root CRL", &collateral.root_crl)] {
            if let Ok(crl) = crl {
                entries.push("collateral", &format!("{name} bytes"), crl.len().to_string());
            }
        }
    }
    Ok(())
}

#[derive(Default)]
struct Entries {
    listed: Vec<InspectionEntry>,
    /// Whether there were more than are listed.
    is_cut: bool,
}

impl Entries {
    fn push(&mut self, section: &'static str, name: &str, value: String) {
        if self.listed.len() < limits::CLAIMS {
            self.listed.push(InspectionEntry { section, name: brief(name), value });
        } else {
            self.is_cut = true;
        }
    }

    fn trust_domain(&mut self, report: TrustDomainFacts) {
        self.push("quote", "mrtd", report.mrtd);
        for (index, register) in report.rtmr.into_iter().enumerate() {
            self.push("quote", &format!("rtmr{index}"), register);
        }
        for (name, value) in [
            ("mrseam", Some(report.mrseam)),
            ("mrconfigid", Some(report.mrconfigid)),
            ("mrowner", Some(report.mrowner)),
            ("td_attributes", Some(report.td_attributes)),
            ("xfam", Some(report.xfam)),
            ("tee_tcb_svn", Some(report.tee_tcb_svn)),
            ("tee_tcb_svn2", report.tee_tcb_svn2),
            ("mrservicetd", report.mrservicetd),
            ("report_data", Some(report.report_data)),
        ] {
            if let Some(value) = value {
                self.push("quote", name, value);
            }
        }
    }

    fn enclave(&mut self, report: EnclaveFacts) {
        for (name, value) in [
            ("mrenclave", report.mrenclave),
            ("mrsigner", report.mrsigner),
            ("isv_prod_id", report.isv_prod_id.to_string()),
            ("isv_svn", report.isv_svn.to_string()),
            ("attributes", report.attributes),
            ("report_data", report.report_data),
        ] {
            self.push("quote", name, value);
        }
    }

    fn members(&mut self, section: &'static str, object: &Value<'_>, names: &[&str]) {
        for name in names {
            if let Some(value) = object.member(name) {
                self.push(section, name, value.shown());
            }
        }
    }

    fn all_members(&mut self, section: &'static str, part: &str, object: Option<&Value<'_>>) {
        for member in object.and_then(Value::object).unwrap_or_default().iter().take(limits::CLAIMS.saturating_add(1)) {
            self.push(section, &format!("{part}.{}", member.name), member.value.shown());
        }
    }
}

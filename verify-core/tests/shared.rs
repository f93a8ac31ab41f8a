//! The verifier against real receipts, forged ones, a corpus of quotes and the cases of public bug reports, one named test
//! each. The material lies beside the checkout and is not part of it; see [`shared_folder`].

#![expect(clippy::disallowed_methods, clippy::disallowed_macros, reason = "tests read files and the environment")]

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use data_encoding::{BASE64, HEXLOWER};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::{Value, json};
use verify_core::{
    Anchors, CheckResult, Code, Coverage, Effect, Instant, Obligation, Outcome, Policy, Report, Request, Timestamp, Verifier,
};

fn main() {
    let arguments = Arguments::from_args();
    let trials = match shared_folder() {
        None => Vec::new(),
        Some(shared) => [receipts(&shared), forged(&shared), dcap(&shared), cases(&shared)].into_iter().flatten().collect(),
    };
    libtest_mimic::run(&arguments, trials).exit();
}

/// The folder of shared real and synthetic material beside the checkout; `None`, with a word on stderr, where there is none.
/// With `CI=true` its absence is a failure.
fn shared_folder() -> Option<PathBuf> {
    let folder = support::workspace().join("../shared");
    if folder.join("dcap/manifest.json").is_file() {
        return Some(folder);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "CI=true, but {} is missing", folder.display());
    eprintln!("SKIPPED: {} is missing, so nothing was checked against the shared receipts, quotes and cases", folder.display());
    None
}

fn test(name: String, run: impl FnOnce() -> Result<(), String> + Send + 'static) -> Trial {
    Trial::test(name, move || run().map_err(Failed::from))
}

fn check(holds: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(message()) }
}

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, found: T, wanted: T) -> Result<(), String> {
    check(found == wanted, || format!("{what}: found {found:?}, wanted {wanted:?}"))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Codes above notes.
fn grave(report: &Report) -> Vec<Code> {
    let mut codes: Vec<Code> =
        report.problems.iter().filter(|problem| problem.effect > Effect::Notes).map(|problem| problem.code).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

fn strict() -> Verifier {
    Verifier::new(Policy::strict(), Anchors::intel())
}

// The 83 real receipts.

/// The classic receipts whose signed output refuses or differs from what they claim.
const CLASSIC_CONTRADICTIONS: [&str; 4] = ["0560-8bdc432", "museglimmer-0806-788fc92", "qwen38-0832-743d30f", "qwen38-0835-f9bd9bb"];
/// The one whose commit differs too.
const COMMIT_CONTRADICTION: &str = "89fb50be";

fn receipts(shared: &Path) -> Vec<Trial> {
    let expected = support::read_json(&shared.join("receipts/expected.json"));
    let entries: Vec<Value> = expected.as_array().cloned().unwrap_or_default();
    assert_eq!(entries.len(), 83);
    let from_result = |entry: &&Value| entry["input_recovered_from"].as_str().is_some_and(|from| from.starts_with("result.json"));
    assert_eq!(entries.iter().filter(from_result).count(), 1, "82 inputs are recovered from the receipt alone");
    let shared = shared.to_owned();
    entries
        .into_iter()
        .map(|entry| {
            let path = shared.join(text(&entry["path"]));
            test(format!("receipts::{}", text(&entry["run"])), move || check_receipt(&path, &entry))
        })
        .collect()
}

fn check_receipt(path: &Path, entry: &Value) -> Result<(), String> {
    let receipt = support::read(path);
    let report = strict().verify(&Request::new(&receipt));
    let run = text(&entry["run"]);
    let is_k3 = entry["path"].as_str().is_some_and(|path| path.contains("k3-log"));
    check_hardware(&report, &entry["dcap"])?;

    for (obligation, field) in [
        (Obligation::ReportDataLow, "report_data_lo"),
        (Obligation::ReportDataHigh, "report_data_hi"),
        (Obligation::OutputHash, "stdout_hash"),
        (Obligation::FilesManifest, "files_manifest"),
        (Obligation::Workload, "workload_known"),
        (Obligation::Nonce, "nonce_formula"),
    ] {
        equal(field, passed(&report, obligation), entry[field] == json!(true))?;
    }
    check(passed(&report, Obligation::ReceiptId), || "receipt id".to_owned())?;
    equal("non-finite", report.has(Code::JsonNonFinite), entry["nonstandard_json"] == json!(true))?;
    check_input(&receipt, path, &report, entry)?;

    let contradicts = is_k3 && entry["attestation_verdict"][1] == json!(true) || CLASSIC_CONTRADICTIONS.contains(&run.as_str());
    let output = report.facts.output.as_ref().ok_or("no output facts")?;
    let relation = match text(&entry["stdout_verdict"][0]).as_str() {
        "<absent>" => Some(Code::VerdictNotAttested),
        "<traceback>" => Some(Code::VerdictCrashed),
        label => {
            equal("output label", output.label.as_deref(), Some(label))?;
            equal("output pass", output.pass, entry["stdout_verdict"][1].as_bool())?;
            match (entry["stdout_verdict"][1].as_bool(), entry["attestation_verdict"][1].as_bool()) {
                (Some(false), Some(true)) => Some(Code::VerdictContradicts),
                (Some(true), Some(false)) => Some(Code::VerdictStricter),
                _ => None,
            }
        }
    };
    let verdict_codes = [Code::VerdictContradicts, Code::VerdictStricter, Code::VerdictNotAttested, Code::VerdictCrashed];
    let found: Vec<Code> = verdict_codes.into_iter().filter(|code| report.has(*code)).collect();
    equal("verdict", found, relation.into_iter().collect())?;
    equal("commit contradiction", report.has(Code::VerdictCommit), run.starts_with(COMMIT_CONTRADICTION))?;

    let wanted = if contradicts { Outcome::Invalid } else { Outcome::UnderProvenanced };
    equal("outcome", report.outcome, wanted)?;
    let refuting: Vec<Code> = refuting(&report);
    let mut wanted = if contradicts { vec![Code::VerdictContradicts] } else { Vec::new() };
    if run.starts_with(COMMIT_CONTRADICTION) {
        wanted.push(Code::VerdictCommit);
    }
    equal("refuting codes", refuting, wanted)?;
    check(report.has(Code::EnclaveUnpinned) && report.has(Code::ImageUnpinned), || "unpinned".to_owned())?;
    check(report.has(Code::ProvenanceClocks) || !is_k3, || "no K3 run pinned its clocks".to_owned())?;
    equal("llama.cpp commit absent", report.has(Code::ProvenanceLlamaCpp), !is_k3)
}

/// The receipt alone leads to the input, or the result beside it does; the scorer prints exactly the output, or crashed.
fn check_input(receipt: &[u8], path: &Path, alone: &Report, entry: &Value) -> Result<(), String> {
    let recovered_from = text(&entry["input_recovered_from"]);
    let needs_result = recovered_from.starts_with("result.json");
    equal("not recovered alone", alone.has(Code::InputNotRecovered), needs_result)?;
    let result = needs_result.then(|| support::read(&path.with_file_name("result.json")));
    let report = match &result {
        None => alone.clone(),
        Some(result) => strict().verify(&Request::new(receipt).with_published_result(result)),
    };
    check(passed(&report, Obligation::Input) && passed(&report, Obligation::Counterparts), || format!("{:?}", grave(&report)))?;
    let input = report.facts.input.as_ref().ok_or("no input facts")?;
    equal("input digest", json!(input.sha256), entry["input_sha256"].clone())?;
    equal("input length", json!(input.bytes), entry["input_bytes"].clone())?;
    let source = match recovered_from.as_str() {
        "attestation.measurements" => "the measurements",
        "stdout+verdict" => "the enclave's output and the claimed verdict",
        _ => "the published result",
    };
    equal("source", input.source, source)?;

    let is_crash = entry["score_branch"].as_str().is_some_and(|branch| branch.starts_with("crash"));
    equal("reproduced", passed(&report, Obligation::Scorer), entry["rescored_equals_stdout"] == json!(true))?;
    equal("crash named", report.has(Code::VerdictCrashed), is_crash)?;
    let scorer = if text(&entry["scoring_sha256"]).starts_with("3da819f7") { "score.py of 2026-07-08" } else { "score.py of 2026-08-07" };
    let reproduced_by = report.facts.output.as_ref().and_then(|output| output.reproduced_by);
    equal("scorer", reproduced_by, (!is_crash).then_some(scorer))?;
    check(![Code::ScorerUnknown, Code::ScorerNotRerun, Code::ScorerOutputDiffers].into_iter().any(|code| report.has(code)), || {
        "scorer".to_owned()
    })
}

fn check_hardware(report: &Report, dcap: &Value) -> Result<(), String> {
    let (platform, tcb) = (report.facts.platform.as_ref().ok_or("no platform facts")?, report.facts.tcb.as_ref().ok_or("no TCB facts")?);
    let td = report.facts.trust_domain.as_ref().ok_or("no trust domain facts")?;
    let window = report.facts.window.as_ref().ok_or("no window")?;
    equal("status", tcb.status.name(), dcap["status"].as_str().unwrap_or_default())?;
    equal("advisories", json!(tcb.advisories), dcap["advisories"].clone())?;
    equal("evaluation", u64::from(tcb.tcb_info_evaluation), dcap["tcb_eval"].as_u64().unwrap_or_default())?;
    for (what, found, wanted) in [
        ("fmspc", &platform.fmspc, "fmspc"),
        ("pce id", &platform.pce_id, "pceid"),
        ("ca", &platform.ca.to_owned(), "ca_type"),
        ("mrtd", &td.mrtd, "mrtd"),
        ("mrseam", &td.mrseam, "mrseam"),
        ("rtmr0", &td.rtmr[0], "rtmr0"),
        ("rtmr1", &td.rtmr[1], "rtmr1"),
        ("rtmr2", &td.rtmr[2], "rtmr2"),
        ("rtmr3", &td.rtmr[3], "rtmr3"),
        ("td attributes", &td.td_attributes, "td_attributes"),
        ("xfam", &td.xfam, "xfam"),
        ("tee tcb svn", &td.tee_tcb_svn, "tee_tcb_svn"),
        ("report data", &td.report_data, "report_data"),
        ("window start", &window.start.to_string(), "window_start"),
        ("window end", &window.end.to_string(), "window_end"),
    ] {
        equal(what, found.as_str(), dcap[wanted].as_str().unwrap_or_default())?;
    }
    let serial = platform.pck_serial.trim_start_matches("00").to_owned();
    equal("serial", serial.trim_start_matches('0'), text(&dcap["pck_serial"]).trim_start_matches('0'))?;
    for (object, field) in [("TCB info", "tcb"), ("QE identity", "qe"), ("PCK CRL", "pckcrl"), ("root CRL", "rootcrl")] {
        let found = window.objects.iter().find(|window| window.object == object).ok_or(object)?;
        equal(object, json!([found.start.to_string(), found.end.to_string()]), dcap["windows"][field].clone())?;
    }
    equal("judged", report.judged.at, Some(window.start))
}

fn passed(report: &Report, obligation: Obligation) -> bool {
    report.checks.iter().any(|check| check.id == obligation && check.result == CheckResult::Passed)
}

fn refuting(report: &Report) -> Vec<Code> {
    let mut codes: Vec<Code> =
        report.problems.iter().filter(|problem| problem.effect == Effect::Refutes).map(|problem| problem.code).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

// Forged receipts.

/// Of each forged file, a code without which it was caught for the wrong reason.
const FORGED: [(&str, Code); 23] = [
    ("f02", Code::BindingNonce),
    ("f03", Code::BindingReportData),
    ("f04", Code::QuoteSignature),
    ("f05", Code::QuoteSignature),
    ("f06", Code::QuoteSignature),
    ("f07", Code::TcbInfoSignature),
    ("f08", Code::EvidenceAbsent),
    ("f09", Code::BindingReportData),
    ("f10", Code::ReceiptBase64),
    ("f11", Code::JsonDuplicateKey),
    ("f12", Code::BindingInput),
    ("f13", Code::BindingInput),
    ("f14", Code::BindingFiles),
    ("f15", Code::BindingReportData),
    ("f16", Code::EvidenceAmbiguous),
    ("f17", Code::QuoteVendorUnknown),
    ("f18", Code::BindingReportData),
    ("f19", Code::QuoteSignature),
    ("f20", Code::BindingInput),
    ("f21", Code::ReceiptMalformedField),
    ("f22", Code::ReceiptMalformedField),
    ("f23", Code::ReceiptMalformedField),
    ("f24", Code::BindingNonce),
];

/// Claims that somebody edited without any evidence noticing: they have to be shown as asserted.
const EDITED_UNNOTICED: [(&str, &[&str]); 3] = [
    ("f01", &["/verdict/label", "/verdict/pct_over_frontier"]),
    (
        "u01",
        &[
            "/code/build_hash",
            "/code/scoring_scripts_commit",
            "/environment/gpu_name",
            "/environment/driver_version",
            "/environment/clocks_pinned",
            "/timestamp_utc",
            "/references/llamacpp_commit",
        ],
    ),
    ("u02", &["/references/model_sha256", "/code/build_hash", "/code/commit", "/timestamp_utc"]),
];

fn forged(shared: &Path) -> Vec<Trial> {
    let folder = shared.join("vectors/forged");
    let manifest = support::read_json(&folder.join("MANIFEST.json"));
    let entries = manifest.as_array().cloned().unwrap_or_default();
    assert_eq!(entries.len(), 26);
    entries
        .into_iter()
        .map(|entry| {
            let file = text(&entry["file"]);
            let path = folder.join(&file);
            test(format!("forged::{file}"), move || check_forged(&path, &file))
        })
        .collect()
}

fn check_forged(path: &Path, file: &str) -> Result<(), String> {
    let report = strict().verify(&Request::new(&support::read(path)));
    let id = file.get(..3).unwrap_or_default();
    if let Some((_, code)) = FORGED.iter().find(|(forged, _)| *forged == id) {
        check(report.has(*code), || format!("{code} is missing: {:?}", grave(&report)))?;
        let allowed: &[Outcome] = if id == "f08" { &[Outcome::Invalid, Outcome::Unverifiable] } else { &[Outcome::Invalid] };
        return check(allowed.contains(&report.outcome), || format!("{}: {:?}", report.outcome, grave(&report)));
    }
    let (_, edited) = EDITED_UNNOTICED.iter().find(|(unnoticed, _)| *unnoticed == id).ok_or("no expectation")?;
    for pointer in *edited {
        let pointer = format!("/attestation{pointer}");
        let claim = report.claims.iter().find(|claim| claim.pointer == pointer).ok_or_else(|| pointer.clone())?;
        equal(&pointer, claim.coverage, Coverage::Asserted)?;
    }
    let wanted = if id == "u02" { (Outcome::Invalid, vec![Code::VerdictContradicts]) } else { (Outcome::UnderProvenanced, Vec::new()) };
    equal("outcome and refuting codes", (report.outcome, refuting(&report)), wanted)
}

// The corpus of quotes.

/// The codes that count as refusing for the reason of a `reject:` kind.
const REFUSALS: [(&str, &[Code]); 47] = [
    ("binding", &[Code::QeReportData]),
    ("cert_expired", &[Code::CertificateValidity]),
    ("cert_not_yet_valid", &[Code::CertificateValidity]),
    ("cert_type", &[Code::QuoteCertificationUnsupported]),
    ("collateral_missing", &[Code::CollateralAbsent]),
    ("crl_expired", &[Code::CrlWindow]),
    ("crl_format", &[Code::CrlMalformed, Code::CrlExtension]),
    ("crl_issuer", &[Code::CrlIssuer]),
    ("crl_not_yet_valid", &[Code::CrlWindow]),
    ("crl_signature", &[Code::CrlSignature]),
    ("fmspc", &[Code::PlatformFmspc]),
    ("json", &[Code::JsonMalformed, Code::JsonDuplicateKey, Code::LimitExceeded, Code::TcbInfoMalformed]),
    ("parse", &[Code::QuoteTruncated, Code::QuoteMalformed, Code::QuoteTeeUnsupported, Code::QuoteVersionUnsupported]),
    (
        "pck_chain",
        &[
            Code::ChainMalformed,
            Code::ChainOrder,
            Code::CertificateMalformed,
            Code::CertificateAlgorithm,
            Code::CertificateExtension,
            Code::CertificateKeyUsage,
            Code::CertificateName,
            Code::CertificateNotCa,
        ],
    ),
    ("pck_extension", &[Code::SgxExtension]),
    ("qe_binding", &[Code::QeReportData]),
    ("qe_identity_expired", &[Code::QeIdentityWindow]),
    ("qe_identity_format", &[Code::QeIdentityMalformed, Code::TcbStatusUnknown]),
    ("qe_identity_mismatch", &[Code::QeIdentityMismatch, Code::QeIdentityKind, Code::QeIdentityVersion]),
    ("qe_identity_not_yet_valid", &[Code::QeIdentityWindow]),
    ("qe_identity_signature", &[Code::QeIdentitySignature]),
    // Without a carried chain a wrong signer and a wrong signature are one and the same.
    ("qe_identity_signer", &[Code::QeIdentitySignature]),
    ("qe_report_signature", &[Code::QeReportSignature]),
    ("qe_sig", &[Code::QeReportSignature]),
    (
        "quote_format",
        &[
            Code::QuoteMalformed,
            Code::QuoteTruncated,
            Code::QuoteTrailingBytes,
            Code::QuoteVersionUnsupported,
            Code::QuoteTeeUnsupported,
            Code::QuoteKeyTypeUnsupported,
            Code::QuoteVendorUnknown,
            Code::QuoteCertificationUnsupported,
            Code::ChainMalformed,
        ],
    ),
    ("quote_sig", &[Code::QuoteSignature]),
    ("quote_signature", &[Code::QuoteSignature, Code::QuoteAttestationKey]),
    ("revoked", &[Code::CertificateRevoked]),
    ("sept_ve_disable", &[Code::TdSeptVe]),
    ("tcb_id", &[Code::TcbInfoKind, Code::QeIdentityKind]),
    ("tcb_info_expired", &[Code::TcbInfoWindow, Code::WindowEmpty]),
    ("tcb_info_format", &[Code::TcbInfoMalformed, Code::TcbStatusUnknown]),
    ("tcb_info_mismatch", &[Code::TcbInfoKind, Code::TcbInfoVersion, Code::PlatformFmspc, Code::PlatformPceId]),
    ("tcb_info_not_yet_valid", &[Code::TcbInfoWindow]),
    ("tcb_info_signature", &[Code::TcbInfoSignature]),
    ("tcb_not_supported", &[Code::TcbNoLevel]),
    ("tcb_revoked", &[Code::TcbRevoked]),
    ("tcb_sig", &[Code::TcbInfoSignature]),
    ("tcb_signer", &[Code::TcbInfoSignature]),
    ("td_attributes", &[Code::TdProfiling, Code::TdReservedBits, Code::TdSeptVe]),
    ("td_debug", &[Code::TdDebug]),
    ("td_service", &[Code::TdService]),
    ("tdx_module_mismatch", &[Code::ModuleMismatch]),
    ("time", &[Code::QeIdentityWindow]),
    ("time/eval", &[Code::WindowEmpty]),
    ("tcbinfo_version", &[Code::TcbInfoVersion]),
    ("untrusted_root", &[Code::RootUntrusted, Code::CertificateSignature, Code::CertificateName]),
];

/// Entries where two readings are legitimate, and ours.
const CHOICES: [(&str, &[Code]); 7] = [
    ("real/q_pad_nonzero", &[Code::QuoteTrailingBytes]),
    ("real/time_end_equal", &[]),
    ("real/time_2026_11_30", &[Code::CrlWindow, Code::TcbInfoWindow, Code::QeIdentityWindow]),
    ("real/time_2035", &[Code::CertificateValidity, Code::CrlWindow, Code::TcbInfoWindow, Code::QeIdentityWindow]),
    ("synthetic/td_kl", &[]),
    ("synthetic/xfam_reserved", &[Code::TdXfam]),
    // A CRL as PEM is accepted and noted.
    ("synthetic/pck_crl_pem", &[]),
];

fn dcap(shared: &Path) -> Vec<Trial> {
    let folder = shared.join("dcap");
    let manifest = support::read_json(&folder.join("manifest.json"));
    let entries = manifest["entries"].as_array().cloned().unwrap_or_default();
    assert_eq!(entries.len(), 268);
    entries
        .into_iter()
        .map(|entry| {
            let folder = folder.clone();
            test(format!("dcap::{}", text(&entry["id"])), move || check_quote(&folder, &entry))
        })
        .collect()
}

fn check_quote(folder: &Path, entry: &Value) -> Result<(), String> {
    let quote = support::read(&folder.join(text(&entry["file"])));
    let anchors = match text(&entry["root"]).as_str() {
        "intel" => Anchors::intel(),
        root => anchors(&folder.join(root), &folder.join(text(&entry["tcb_signing"])))?,
    };
    let collateral = support::read(&folder.join(text(&entry["collateral"])));
    let at = Timestamp::parse_rfc3339(&text(&entry["at_time"])).map_err(|error| error.to_string())?;
    let receipt = receipt_around(&quote, &collateral);
    let report = Verifier::new(Policy::authenticity(), anchors).verify(&Request::new(&receipt).judged_at(Instant::Given(at)));
    let dcap_codes: Vec<Code> = report
        .checks
        .iter()
        .filter(|check| is_dcap(check.id))
        .flat_map(|check| match &check.result {
            CheckResult::Failed { codes } => codes.clone(),
            _ => Vec::new(),
        })
        .collect();
    let refusals: Vec<Code> = dcap_codes
        .iter()
        .copied()
        .filter(|code| *code != Code::CollateralCrlAsText && code.info().default_effect >= Effect::Prevents)
        .collect();

    if matches!(quote.as_slice(), [3 | 5, 0, ..]) {
        // Genuine versions that are not supported yet: refused by name, and by nothing graver.
        let beside_the_collateral: Vec<Code> = refusals.into_iter().filter(|code| *code != Code::CollateralAbsent).collect();
        return equal("unsupported version", beside_the_collateral, vec![Code::QuoteVersionUnsupported]);
    }
    let id = text(&entry["id"]);
    if let Some((_, wanted)) = CHOICES.iter().find(|(choice, _)| *choice == id) {
        let mut found = dcap_codes.clone();
        found.sort_unstable();
        found.dedup();
        let mut wanted = wanted.to_vec();
        wanted.sort_unstable();
        return equal("our choice", found, wanted);
    }
    let expected = text(&entry["expected"]);
    let (accepted, policy_refusal) = match expected.split_once(" | policy ") {
        Some((accepted, refusal)) => (accepted.to_owned(), Some(refusal.to_owned())),
        None => (expected.clone(), None),
    };
    if let Some(status) = accepted.strip_prefix("ok:") {
        let tcb = report.facts.tcb.as_ref().ok_or_else(|| format!("no status: {dcap_codes:?}"))?;
        equal("status", tcb.status.name(), status)?;
        if let Some(advisories) = entry["advisories"].as_array() {
            let mut wanted: Vec<String> = advisories.iter().map(text).collect();
            let mut found = tcb.advisories.clone();
            wanted.sort_unstable();
            found.sort_unstable();
            equal("advisories", found, wanted)?;
        }
        return match policy_refusal {
            Some(refusal) => refuses(&refusal, &refusals),
            None => equal("refusals", refusals, Vec::new()),
        };
    }
    refuses(&expected, &refusals)
}

fn refuses(expected: &str, refusals: &[Code]) -> Result<(), String> {
    let kind = expected.strip_prefix("reject:").ok_or_else(|| format!("unknown expectation {expected}"))?;
    let kind = kind.split(" (").next().unwrap_or_default();
    let (_, allowed) = REFUSALS.iter().find(|(known, _)| *known == kind).ok_or_else(|| format!("no codes for {kind}"))?;
    check(refusals.iter().any(|code| allowed.contains(code)), || format!("wanted one of {allowed:?} for {kind}, found {refusals:?}"))
}

fn is_dcap(obligation: Obligation) -> bool {
    (Obligation::Quote..=Obligation::TdAttributes).contains(&obligation)
}

fn anchors(root: &Path, tcb_signing: &Path) -> Result<Anchors, String> {
    Anchors::from_root(&support::read(root))
        .and_then(|anchors| anchors.with_tcb_signing(&support::read(tcb_signing)))
        .map_err(|error| error.to_string())
}

/// A receipt of the right shape around a bare quote; its bindings cannot hold and are not looked at.
fn receipt_around(quote: &[u8], collateral: &[u8]) -> Vec<u8> {
    let digest = "0123456789abcdef".repeat(4);
    let receipt = json!({
        "polaris_version": 1,
        "receipt_id": "0".repeat(32),
        "attestation_type": "tdx-quote",
        "chain": {"prev_receipt_hash": null, "chain_index": 0},
        "_expected": {"scoring_sha256": digest, "result_sha256": digest},
        "attestation": {},
        "tdx": {
            "quote_b64": BASE64.encode(quote),
            "collateral_b64": BASE64.encode(collateral),
            "nonce": digest,
            "e2e_pubkey_b64": BASE64.encode(&[0; 32]),
            "bound_digest": format!("sha256:{digest}"),
            "result_sha256": HEXLOWER.encode(&[0; 32]),
            "stdout_b64": "",
            "files_sha256": digest,
            "workload_sha256": format!("sha256:{digest}"),
            "verification": {"intel_verified": true, "report_data_match": true},
        },
    });
    receipt.to_string().into_bytes()
}

// The cases of public bug reports.

/// Cases whose quote is of version 5.
const UNSUPPORTED_QUOTES: [&str; 5] = [
    "043-quote-version-5/td15.json",
    "043-quote-version-5/td10.json",
    "044-td-relaunch-advised/relaunch.json",
    "044-td-relaunch-advised/no-relaunch.json",
    "045-service-td-bound/service-td.json",
];

/// Cases that `../shared/README.md` settles otherwise than their own file, and the one whose class needs a policy of its own
/// (a minimum evaluation number): under the fixed policy it is fine.
const SETTLED: [(&str, Outcome); 4] = [
    ("040-chain-shapes/root-first.json", Outcome::Invalid),
    ("040-chain-shapes/text-before.json", Outcome::Invalid),
    ("064-infinity-token-real/receipt.json", Outcome::UnderProvenanced),
    ("083-collateral-sets-differ/old-set.json", Outcome::Verified),
];

/// One line of `expected.txt`.
struct CaseFile {
    path: PathBuf,
    classes: Vec<String>,
    settings: BTreeMap<String, String>,
}

fn cases(shared: &Path) -> Vec<Trial> {
    let folder = shared.join("cases");
    let mut folders: Vec<PathBuf> = std::fs::read_dir(&folder).expect("cases").map(|entry| entry.expect("case").path()).collect();
    folders.retain(|path| path.join("expected.txt").is_file());
    folders.sort();
    let trust = folder.join("_trust");
    let old_set = folder.join("083-collateral-sets-differ/old-set.json");
    let minimum = test("cases::083-collateral-sets-differ/old-set.json with a minimum".to_owned(), {
        let trust = trust.clone();
        move || {
            let policy = "version = 1\nname = \"minimum\"\nbase = \"authenticity\"\nminimum_tcb_evaluation = 20\n";
            let verifier = Verifier::new(toml::from_str(policy).map_err(|error| error.to_string())?, synthetic_anchors(&trust)?);
            let report = verifier.verify(&Request::new(&support::read(&old_set)));
            equal("outcome", (report.outcome, grave(&report)), (Outcome::UnderProvenanced, vec![Code::TcbEvaluationLow]))
        }
    });
    folders.into_iter().flat_map(|case| case_trials(&case, &trust)).chain([minimum]).collect()
}

fn synthetic_anchors(trust: &Path) -> Result<Anchors, String> {
    anchors(&trust.join("synthetic_root.pem"), &trust.join("synthetic_tcb_signing.pem"))
}

fn case_trials(case: &Path, trust: &Path) -> Vec<Trial> {
    let name = case.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let expected = String::from_utf8(support::read(&case.join("expected.txt"))).expect("UTF-8");
    let mut defaults = BTreeMap::new();
    let mut files = Vec::new();
    for line in expected.lines() {
        if let Some(line) = line.strip_prefix("  ") {
            let columns: Vec<&str> = line.split(" | ").map(str::trim).collect();
            let column = |index: usize| columns.get(index).copied().unwrap_or_default();
            let classes = column(1).split('|').map(str::to_owned).collect();
            let settings = column(3).split_whitespace().filter_map(|setting| setting.split_once('='));
            let settings = settings.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
            files.push(CaseFile { path: case.join(column(0)), classes, settings });
        } else if let Some((key, value)) = line.split_once(": ") {
            defaults.insert(key.to_owned(), value.to_owned());
        }
    }
    files
        .into_iter()
        .enumerate()
        .filter(|(_, file)| file.path.extension().is_some_and(|extension| extension == "json") && !file.classes.contains(&"*".to_owned()))
        .map(|(index, file)| {
            let (trust, mut settings) = (trust.to_owned(), defaults.clone());
            settings.extend(file.settings.clone());
            let title = format!(
                "cases::{name}/{}#{index}",
                file.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
            );
            test(title, move || check_case(&file, &trust, &settings))
        })
        .collect()
}

fn check_case(file: &CaseFile, trust: &Path, settings: &BTreeMap<String, String>) -> Result<(), String> {
    let bytes = support::read(&file.path);
    let setting = |key: &str| settings.get(key).map(String::as_str).unwrap_or_default();
    let anchors = match setting("trust") {
        "intel" => Anchors::intel(),
        _ => synthetic_anchors(trust)?,
    };
    let policy = match setting("strict") {
        "yes" | "True" => strict_any_enclave(),
        _ => Policy::authenticity(),
    };
    let instant = match setting("at") {
        "receipt" => Instant::Collateral,
        at => Instant::Given(Timestamp::parse_rfc3339(at).map_err(|error| error.to_string())?),
    };
    let report = Verifier::new(policy, anchors).verify(&Request::new(&bytes).judged_at(instant));
    if report.has(Code::EvidenceSignatureUnsupported) || UNSUPPORTED_QUOTES.iter().any(|case| file.path.ends_with(case)) {
        // Named, and refused as unsupported so far.
        return equal("outcome", report.outcome, Outcome::Unverifiable);
    }
    if let Some((_, wanted)) = SETTLED.iter().find(|(case, _)| file.path.ends_with(case)) {
        return equal("outcome", report.outcome, *wanted);
    }
    let allowed: Vec<Outcome> = file
        .classes
        .iter()
        .flat_map(|class| match class.as_str() {
            "VALID" => vec![Outcome::Verified],
            "POLICY" => vec![Outcome::UnderProvenanced, Outcome::Unverifiable],
            "INVALID" => vec![Outcome::Invalid],
            _ => vec![Outcome::Invalid, Outcome::Unverifiable],
        })
        .collect();
    check(allowed.contains(&report.outcome), || format!("{}, wanted {:?}: {:?}", report.outcome, file.classes, messages(&report)))
}

fn messages(report: &Report) -> Vec<String> {
    report
        .problems
        .iter()
        .filter(|problem| problem.effect > Effect::Notes)
        .map(|problem| format!("{}: {}", problem.code, problem.message))
        .collect()
}

/// `strict` with the enclave and image waivers of `authenticity`.
fn strict_any_enclave() -> Policy {
    toml::from_str("version = 1\nname = \"strict, any enclave and image\"\nbase = \"strict\"\nany_enclave = true\nany_image = true\n")
        .expect("policy")
}

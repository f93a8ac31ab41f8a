//! The verifier against real receipts, forged ones, a corpus of quotes and the cases of public bug reports, one named test
//! each. The material lies beside the checkout and is not part of it; see [`shared_folder`].

#![expect(clippy::disallowed_methods, clippy::disallowed_macros, reason = "tests read files and the environment")]

#[path = "support/comparison.rs"]
mod comparison;
#[path = "../examples/vectors/run.rs"]
mod run;
#[path = "support/signed.rs"]
mod signed;
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::{Value, json};
use verify_core::dcap::verify_quote;
use verify_core::tier::{self, Label, Measurement, Params, Scored};
use verify_core::{
    Anchors, CheckResult, Code, Coverage, Effect, Instant, Obligation, Outcome, Policy, QuoteReport, Report, Request, SignerKey, Timestamp,
    Verifier,
};

fn main() {
    let arguments = Arguments::from_args();
    let trials = match shared_folder() {
        None => Vec::new(),
        Some(shared) => {
            let parts = [receipts, observed, runs, expectations, forged, dcap, cases, labels, tiers, ed25519, canonical, producers];
            parts.into_iter().flat_map(|part| part(&shared)).collect()
        }
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
    let run = run::Run::of(path.parent().filter(|_| needs_result));
    let report = match needs_result {
        false => alone.clone(),
        true => strict().verify(&Request::new(receipt).with_run(&run.files())),
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

// The example policy.

/// Every receipt has an enclave and an image that the example policy lists, and beside each value stands where and when it was seen.
fn observed(shared: &Path) -> Vec<Trial> {
    let shared = shared.to_owned();
    vec![test("observed::policy".to_owned(), move || check_observed(&shared))]
}

fn check_observed(shared: &Path) -> Result<(), String> {
    let policy = support::read(&support::workspace().join("test-vectors/policies/observed.toml"));
    let policy = String::from_utf8(policy).map_err(|error| error.to_string())?;
    check(policy.contains("Observed is not vouched for."), || "the policy does not say what it is worth".to_owned())?;
    let verifier = Verifier::new(toml::from_str(&policy).map_err(|error| error.to_string())?, Anchors::intel());
    let expected = support::read_json(&shared.join("receipts/expected.json"));
    let mut seen: BTreeMap<String, BTreeMap<&str, Vec<String>>> = BTreeMap::new();
    for entry in expected.as_array().into_iter().flatten() {
        let report = verifier.verify(&Request::new(&support::read(&shared.join(text(&entry["path"])))));
        for obligation in [Obligation::Enclave, Obligation::Image] {
            check(passed(&report, obligation), || format!("{}: {} is not listed", text(&entry["run"]), obligation.id()))?;
        }
        let log = if text(&entry["path"]).contains("k3-log") { "sparkinfer-k3-log" } else { "sparkinfer-log" };
        let day: String = text(&entry["dcap"]["claimed_timestamp"]).chars().take(10).collect();
        let td = report.facts.trust_domain.as_ref().ok_or("no trust domain facts")?;
        let set = [("mrtd", &td.mrtd), ("rtmr0", &td.rtmr[0]), ("rtmr1", &td.rtmr[1]), ("rtmr2", &td.rtmr[2]), ("rtmr3", &td.rtmr[3])];
        let set: String = set.iter().map(|(register, value)| format!("\n{register} = \"{value}\"")).collect();
        let image = format!("  \"{}\",\n", report.facts.image.as_ref().ok_or("no image")?);
        for value in [set, image] {
            seen.entry(value).or_default().entry(log).or_default().push(day.clone());
        }
    }
    equal("sets and images", policy.matches("[[enclave]]").count() + policy.matches("  \"sha256:").count(), seen.len())?;
    for (value, logs) in seen {
        let before = policy.split_once(&value).map(|(before, _)| before).ok_or_else(|| format!("{value} is not listed as a whole"))?;
        let comment = before.lines().rev().find_map(|line| line.trim_start().strip_prefix("# ")).unwrap_or_default();
        for (log, days) in logs {
            let (first, last) = (days.iter().min().ok_or("no day")?, days.iter().max().ok_or("no day")?);
            let plural = if days.len() == 1 { "" } else { "s" };
            let wanted = format!("{log} {first} to {last}, {} receipt{plural}", days.len());
            check(comment.split("; ").any(|seen| seen == wanted), || format!("{value}: wanted {wanted:?} in {comment:?}"))?;
        }
    }
    Ok(())
}

// Run directories.

/// The runs whose files differ, with the members of `result.json` that differ from the receipt and those of the log that differ from
/// `result.json`. The first six attest another commit than the one they are published for, the next two were published under
/// another label, and of the last two the receipt is of an earlier run than the result.
const DIFFERING_RUNS: [(&str, &[&str], &[&str]); 10] = [
    ("0363-99ae7d5", &["/commit"], &["/commit"]),
    ("0511-74bafab", &["/commit"], &[]),
    ("0668-bb8e7b5", &["/commit"], &[]),
    ("museglimmer-0806-788fc92", &["/commit"], &[]),
    ("qwen38-0832-743d30f", &["/commit"], &[]),
    ("89fb50be", &["/commit"], &[]),
    ("0560-8bdc432", &["/label"], &["/label"]),
    ("0666-ea9f481", &["/label"], &["/label"]),
    ("0465-0217e1f", &["/label", "/context_gains_pct", "/clocks_pinned", "/clock_mhz"], &["/commit"]),
    ("0618-6dcd216", REWRITTEN, &[]),
];

/// What differs where a result was written anew, with other numbers throughout.
const REWRITTEN: &[&str] = &[
    "/label",
    "/tps",
    "/delta_pct",
    "/delta_tps",
    "/top1",
    "/kl",
    "/score_context",
    "/best_context_label",
    "/context_gains_pct",
    "/ctx_128_tps",
    "/ctx_512_tps",
    "/ctx_4096_tps",
    "/ctx_16384_tps",
    "/ctx_32768_tps",
    "/guard_128_baseline",
    "/guard_128_ratio",
    "/guard_512_baseline",
    "/guard_512_ratio",
    "/guard_4k_baseline",
    "/guard_4k_ratio",
    "/guard_16k_baseline",
    "/guard_16k_ratio",
    "/guard_32k_baseline",
    "/guard_32k_ratio",
    "/clock_mhz",
];

fn runs(shared: &Path) -> Vec<Trial> {
    let of_log = |log: &str| std::fs::read_dir(shared.join("receipts").join(log).join("runs")).expect("runs");
    let folders: Vec<PathBuf> = ["k3-log", "classic-log"].into_iter().flat_map(of_log).map(|run| run.expect("a run").path()).collect();
    assert_eq!(folders.len(), 83);
    folders.into_iter().map(|folder| test(format!("runs::{}", name_of(&folder)), move || check_run(&folder))).collect()
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn check_run(folder: &Path) -> Result<(), String> {
    let (run, receipt) = (run::Run::of(Some(folder)), support::read(&folder.join("receipt.json")));
    let files = run.files();
    let report = strict().verify(&Request::new(&receipt).with_run(&files));
    let alone = strict().verify(&Request::new(&receipt));
    let name = name_of(folder);
    let (_, result, log) = DIFFERING_RUNS.into_iter().find(|(differing, _, _)| name.starts_with(differing)).unwrap_or_default();

    let found = |file: &str| report.run.iter().find(|compared| compared.name == file);
    let differing = |file: &str| found(file).map(|file| file.differing.clone()).unwrap_or_default();
    equal("attestation.json", differing("attestation.json"), Vec::<String>::new())?;
    equal("result.json", differing("result.json"), result.iter().map(|name| (*name).to_owned()).collect())?;
    equal("log.txt", differing("log.txt"), log.iter().map(|name| (*name).to_owned()).collect())?;
    check(found("result.json").is_none_or(|file| file.compared >= 6), || "result.json says too little".to_owned())?;
    check(found("log.txt").is_none_or(|file| file.compared >= 6), || "log.txt holds no result".to_owned())?;
    check(found("eval.log").is_none_or(|file| file.compared == 0 && file.sha256.is_some()), || "eval.log".to_owned())?;

    let codes = [Code::RunAttestation, Code::RunResult, Code::RunLog, Code::RunReceiptId, Code::RunUnreadable];
    let found: Vec<Code> = codes.into_iter().filter(|code| report.has(*code)).collect();
    let wanted = [(Code::RunResult, result), (Code::RunLog, log)];
    equal("codes", found, wanted.into_iter().filter(|(_, differing)| !differing.is_empty()).map(|(code, _)| code).collect())?;
    let is_compared = report.run.iter().any(|file| file.compared > 0);
    equal("passed", passed(&report, Obligation::Run), result.is_empty() && is_compared)?;
    equal("a run alone", !is_compared, name.starts_with("11406ee4"))?;
    // The result of one run leads to its input; the files change nothing else.
    let is_recovered =
        alone.has(Code::InputNotRecovered) && report.facts.input.as_ref().is_some_and(|input| input.source == "the published result");
    equal("recovered from the result", is_recovered, name.starts_with("091146e0"))?;
    let is_of_file = |code: &Code| codes.contains(code) || (is_recovered && *code == Code::InputNotRecovered);
    let rest = |report: &Report| report.problems.iter().filter(|problem| !is_of_file(&problem.code)).cloned().collect::<Vec<_>>();
    equal("other findings", rest(&report), rest(&alone))?;
    equal("outcome", report.outcome, if result.is_empty() { alone.outcome } else { Outcome::Invalid })
}

// Expectations about real receipts.

fn expectations(shared: &Path) -> Vec<Trial> {
    let run = |log: &str, run: &str| shared.join("receipts").join(log).join("runs").join(run).join("receipt.json");
    let k3 = run("k3-log", "00f85eed1e73664c9225ad528f1f8155");
    let other_commit = run("k3-log", "89fb50be174bf4a29071edbcf018022c");
    let classic = run("classic-log", "0318-c91f381");
    let (met, differs, asserted) = (None, Some(Code::ExpectationDiffers), Some(Code::ExpectationOnlyAsserted));
    [
        (&k3, "commit=6700d34", met),
        (&k3, "commit=6700d348", asserted),
        (&k3, "commit=6700d34802b90f1c3f81633f8011cb9c8f53b9bd", asserted),
        (&k3, "commit=6700d35", differs),
        (&k3, "label=S", asserted),
        (&k3, "/attestation/verdict/tps=9.990", met),
        (&k3, "model=5022014e7c49d8844e9f1bc7d9fb824c0d640214540aa845690518d800286083", asserted),
        (&k3, "image=sha256:57cd7c3a7a273101a6485ba99423ee568157882804b1124b4dd04266317710de", met),
        (&k3, "/receipt_id=00f85eed1e73664c9225ad528f1f8155", met),
        (&k3, "/attestation/verdict/score_context=131072", Some(Code::ExpectationAbsent)),
        (&classic, "commit=c91f3811e3e93663d04b8abf160129bccc4c9581", met),
        (&classic, "model=ac0e2c1189e055faa36eff361580e79c5bd6f8e76bffb4ce547f167d53e31a61", met),
        (&classic, "key=Wf+zAcqX5IswqbCDDgiwEi0H+9Tj5jdGsqDhhvKgMy8=", met),
        (&classic, "/attestation/measurements/primary/kl=0.0243", met),
        (&classic, "/attestation/references/eval_seed=ad02f2df77bfcbba", Some(Code::ExpectationAbsent)),
        (&classic, "repo=https://github.com/gittensor-ai-lab/sparkinfer", asserted),
        (&other_commit, "commit=20c0fe6", differs),
    ]
    .into_iter()
    .map(|(path, expectation, wanted)| {
        let path = path.clone();
        test(format!("expectations::{expectation}"), move || {
            let expectations = [expectation.parse().map_err(|error| format!("{error}"))?];
            let report = strict().verify(&Request::new(&support::read(&path)).expecting(&expectations));
            let result = report.expectations.first().ok_or("no result")?;
            equal("code", result.code, wanted)?;
            equal("carried", result.coverage.is_some(), wanted.is_none())?;
            equal("passed", passed(&report, Obligation::Expectations), wanted.is_none())
        })
    })
    .collect()
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

/// Entries where two readings are legitimate, ours, and why.
const CHOICES: [(&str, &[Code], &str); 7] = [
    ("real/q_pad_nonzero", &[Code::QuoteTrailingBytes], "refuted: nothing signs these bytes, and real quotes are padded with zeros only"),
    ("real/time_end_equal", &[], "current: windows are closed at both ends"),
    (
        "real/time_2026_11_30",
        &[Code::CrlWindow, Code::TcbInfoWindow, Code::QeIdentityWindow],
        "unverifiable: what is stale refutes nothing, and its dates are said",
    ),
    (
        "real/time_2035",
        &[Code::CertificateValidity, Code::CrlWindow, Code::TcbInfoWindow, Code::QeIdentityWindow],
        "unverifiable: what is stale refutes nothing, and its dates are said",
    ),
    ("synthetic/td_kl", &[], "accepted: the TDX module enforces what a key locker bit means"),
    ("synthetic/xfam_reserved", &[Code::TdXfam], "weakens: the TDX module enforces XFAM, an unknown bit is only unknown to us"),
    ("synthetic/pck_crl_pem", &[], "accepted and noted: services hand CRLs out as PEM, the signature decides"),
];

fn dcap(shared: &Path) -> Vec<Trial> {
    let folder = shared.join("dcap");
    let manifest = support::read_json(&folder.join("manifest.json"));
    let entries = manifest["entries"].as_array().cloned().unwrap_or_default();
    assert_eq!(entries.len(), 268);
    let sgx = folder.clone();
    let sgx = test("dcap::an SGX quote under the Processor CA".to_owned(), move || check_sgx_quote(&sgx));
    let supplied = folder.clone();
    let supplied = test("dcap::a supplied signer of Intel's".to_owned(), move || check_supplied_signer(&supplied));
    let all = entries.clone();
    let others = test("dcap::what others answered".to_owned(), move || the_corpus_of_quotes(&all));
    let all = entries.clone();
    let of_names = folder.clone();
    let names = test("dcap::Intel's names".to_owned(), move || check_names(&of_names, &all));
    entries
        .into_iter()
        .map(|entry| {
            let folder = folder.clone();
            test(format!("dcap::{}", text(&entry["id"])), move || check_quote(&folder, &entry))
        })
        .chain([sgx, supplied, others, names])
        .collect()
}

/// What others answered, and where they differ.
fn the_corpus_of_quotes(entries: &[Value]) -> Result<(), String> {
    let choices: Vec<(&str, &str)> = CHOICES.iter().map(|(id, _, reason)| (*id, *reason)).collect();
    documented("corpus", &comparison::corpus(entries, &choices))
}

/// A part of `docs/comparison.md`, between its marks, is what was found. `UPDATE=1` rewrites it.
fn documented(part: &str, found: &str) -> Result<(), String> {
    let path = support::workspace().join("docs/comparison.md");
    let page = String::from_utf8(support::read(&path)).map_err(|error| error.to_string())?;
    let [begin, end] = ["begin", "end"].map(|word| format!("<!-- {word}: {part} -->\n"));
    let (before, rest) = page.split_once(&begin).ok_or("no begin")?;
    let (committed, after) = rest.split_once(&end).ok_or("no end")?;
    if std::env::var_os("UPDATE").is_some() {
        return std::fs::write(&path, [before, &begin, found, &end, after].concat()).map_err(|error| error.to_string());
    }
    check(committed == found, || format!("{part}: run UPDATE=1 cargo test -p verify-core --test shared -- --test-threads 1"))
}

/// Intel's name in the registry is one of those that Intel's own library gave, wherever it refused what we refuse with that code alone.
fn check_names(folder: &Path, entries: &[Value]) -> Result<(), String> {
    let mut given: BTreeMap<Code, Vec<String>> = BTreeMap::new();
    for entry in entries {
        let mut codes = corpus_codes(folder, entry)?.1;
        codes.dedup();
        let observed = &entry["observed"];
        let answer = observed["q2026"].as_str().or_else(|| observed["intel_qvl"]["2026-07 (d12717e)"].as_str()).unwrap_or_default();
        let names = answer.split([' ', ':']).map(|name| name.trim_start_matches("STATUS_").to_owned());
        if let [code] = codes[..] {
            let is_name = |name: &String| name.len() > 2 && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
            given.entry(code).or_default().extend(names.filter(is_name));
        }
    }
    // Codes about JSON of any kind have no name of Intel's.
    given.retain(|code, names| !names.is_empty() && !code.name().starts_with("json."));
    check(given.len() >= 30, || format!("only {} codes have an answer", given.len()))?;
    let wrong = given.iter().filter(|(code, names)| {
        let name = code.info().intel.map(|name| name.trim_start_matches("STATUS_").to_owned());
        name.is_none_or(|name| !names.contains(&name))
    });
    let wrong: Vec<String> = wrong.map(|(code, names)| format!("{code}: {:?} is none of {names:?}", code.info().intel)).collect();
    check(wrong.is_empty(), || wrong.join("\n"))
}

/// An SGX quote and its own collateral, which stand in the corpus only in crossed pairs.
fn check_sgx_quote(folder: &Path) -> Result<(), String> {
    let quote = support::read(&folder.join("real/quotes/dcapqvl_sgx_quote.bin"));
    let collateral = support::read(&folder.join("real/collateral/dq_2025_sgx_00a067.polaris.json"));
    let report = verify_quote(&quote, &collateral, Instant::Collateral, &Anchors::intel());
    equal("outcome", report.outcome, Outcome::UnderProvenanced)?;
    equal("codes", report.problems.iter().map(|problem| problem.code).collect(), vec![Code::TcbConfigurationSwHardening])?;
    let tcb = report.facts.tcb.ok_or("no status")?;
    equal("advisories", tcb.advisories, vec!["INTEL-SA-00289".to_owned(), "INTEL-SA-00615".to_owned()])?;
    equal("issuing CA", report.facts.platform.map(|platform| platform.ca), Some("processor"))
}

/// Intel's own signer of collateral is an anchor like any other where it is supplied.
fn check_supplied_signer(folder: &Path) -> Result<(), String> {
    let signer = support::read(&folder.join("certs/intel_sgx_tcb_signing_2025_2032.pem"));
    let supplied = Anchors::intel().with_tcb_signing(&signer).map_err(|error| error.to_string())?;
    check(Anchors::intel().are_built_in() && !supplied.are_built_in(), || "a supplied anchor is called built in".to_owned())?;
    equal("signer", supplied.tcb_signing_key_sha256(), Anchors::intel().tcb_signing_key_sha256())
}

/// The report about an entry, and the codes that fail its checks.
fn corpus_codes(folder: &Path, entry: &Value) -> Result<(QuoteReport, Vec<Code>), String> {
    let quote = support::read(&folder.join(text(&entry["file"])));
    let anchors = match text(&entry["root"]).as_str() {
        "intel" => Anchors::intel(),
        root => anchors(&folder.join(root), &folder.join(text(&entry["tcb_signing"])))?,
    };
    let collateral = support::read(&folder.join(text(&entry["collateral"])));
    let at = Timestamp::parse_rfc3339(&text(&entry["at_time"])).map_err(|error| error.to_string())?;
    let report = verify_quote(&quote, &collateral, Instant::Given(at), &anchors);
    let codes = report
        .checks
        .iter()
        .flat_map(|check| match &check.result {
            CheckResult::Failed { codes } => codes.clone(),
            _ => Vec::new(),
        })
        .collect();
    Ok((report, codes))
}

fn check_quote(folder: &Path, entry: &Value) -> Result<(), String> {
    let (report, dcap_codes) = corpus_codes(folder, entry)?;
    let refusals: Vec<Code> = dcap_codes
        .iter()
        .copied()
        .filter(|code| *code != Code::CollateralCrlAsText && code.info().default_effect >= Effect::Prevents)
        .collect();

    let id = text(&entry["id"]);
    if let Some((_, wanted, _)) = CHOICES.iter().find(|(choice, _, _)| *choice == id) {
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

fn anchors(root: &Path, tcb_signing: &Path) -> Result<Anchors, String> {
    Anchors::from_root(&support::read(root))
        .and_then(|anchors| anchors.with_tcb_signing(&support::read(tcb_signing)))
        .map_err(|error| error.to_string())
}

// The cases of public bug reports.

/// Files on which ours differs from what their case asks, and why; the last needs a policy of its own, under which it is judged too.
const SETTLED: [(&str, Outcome, &str); 4] = [
    ("040-chain-shapes/root-first.json", Outcome::Invalid, "a chain is leaf first, and a wrong order has a name of its own"),
    ("040-chain-shapes/text-before.json", Outcome::Invalid, "nothing but certificates belongs into a chain"),
    ("064-infinity-token-real/receipt.json", Outcome::UnderProvenanced, "a bare Infinity is read as Python wrote it, and weakens"),
    (
        "083-collateral-sets-differ/old-set.json",
        Outcome::Verified,
        "fine under the policy of all cases; with a minimum evaluation number it is under-provenanced, as the case asks",
    ),
];

/// Files that are no receipts, or of which the case leaves the class open, with the test that reads them.
const ELSEWHERE: [(&str, &str); 6] = [
    ("074-same-id-in-a-batch/dir/0580.json", "case_074_one_note_for_one_id_in_two_files"),
    ("074-same-id-in-a-batch/dir/0581.json", "case_074_one_note_for_one_id_in_two_files"),
    ("076-one-bad-file-in-a-batch/dir/notes.txt", "case_076_one_bad_file_in_a_batch"),
    ("077-nothing-to-verify/dir/readme.txt", "case_077_nothing_to_verify"),
    ("079-error-names-the-right-file/policy.json", "case_079_the_right_file_is_blamed"),
    ("079-error-names-the-right-file/root.pem", "case_079_the_right_file_is_blamed"),
];

/// Cases about signatures, each with the code that says what its file is about.
const NAMED: [(&str, Code); 11] = [
    ("002-tdx-block-beside-ed25519/injected.json", Code::EvidenceAmbiguous),
    ("056-embedded-key-only/receipt-nokey.json", Code::SignerUnknown),
    ("057-wrong-key-versus-bad-signature/other-signer.json", Code::SignerUntrusted),
    ("057-wrong-key-versus-bad-signature/tampered.json", Code::SignatureWrong),
    ("057-wrong-key-versus-bad-signature/no-signature.json", Code::EvidenceAbsent),
    ("057-wrong-key-versus-bad-signature/id-wrong.json", Code::BindingReceiptId),
    ("058-ed25519-weak-keys/identity-key.json", Code::SignerKeyWeak),
    ("058-ed25519-weak-keys/identity-non-canonical.json", Code::SignerKeyWeak),
    ("058-ed25519-weak-keys/order-2-key.json", Code::SignerKeyWeak),
    ("058-ed25519-weak-keys/zero-key.json", Code::SignerKeyWeak),
    ("073-attestation-type/bare.json", Code::EvidenceAbsent),
];

/// One line of `expected.txt`, with the settings of its case.
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
    let read: Vec<(String, Vec<CaseFile>)> = folders.iter().map(|case| (name_of(case), case_files(case))).collect();
    assert_eq!((read.len(), read.iter().map(|(_, files)| files.len()).sum()), (68, 236));
    let mut table: BTreeMap<String, comparison::Case> = BTreeMap::new();
    for (case, files) in &read {
        assert_eq!(files.iter().map(|file| file.path.clone()).collect::<BTreeSet<_>>(), files_below(&folder.join(case)), "{case}");
        let row = table.entry(case.clone()).or_default();
        for file in files {
            match file {
                file if is_listed(&SETTLED.map(|(name, _, _)| name), file) => row.argued += 1,
                file if is_listed(&ELSEWHERE.map(|(name, _)| name), file) => row.elsewhere += 1,
                _ => row.agree += 1,
            }
        }
    }
    let every_case = test("cases::every file of every case".to_owned(), move || every_file_of_every_case(&table));
    let judged =
        read.into_iter().flat_map(|(case, files)| files.into_iter().enumerate().map(move |(index, file)| (case.clone(), index, file)));
    let judged = judged.filter(|(_, _, file)| !is_listed(&ELSEWHERE.map(|(name, _)| name), file)).map(|(case, index, file)| {
        let trust = trust.clone();
        test(format!("cases::{case}/{}#{index}", name_of(&file.path)), move || check_case(&file, &trust))
    });
    judged.chain([minimum, every_case]).collect()
}

fn every_file_of_every_case(table: &BTreeMap<String, comparison::Case>) -> Result<(), String> {
    documented("cases", &comparison::cases(table, &SETTLED.map(|(file, _, reason)| (file, reason)), &ELSEWHERE))
}

fn is_listed(list: &[&str], file: &CaseFile) -> bool {
    list.iter().any(|listed| file.path.ends_with(listed))
}

/// Every file of a case but the one that says what is expected.
fn files_below(folder: &Path) -> BTreeSet<PathBuf> {
    let paths = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = paths.partition(|path| path.is_dir());
    let files = files.into_iter().filter(|path| !path.ends_with("expected.txt"));
    folders.iter().flat_map(|folder| files_below(folder)).chain(files).collect()
}

fn synthetic_anchors(trust: &Path) -> Result<Anchors, String> {
    anchors(&trust.join("synthetic_root.pem"), &trust.join("synthetic_tcb_signing.pem"))
}

/// The files of a case with what is expected of each. A file may be judged twice, with other settings.
fn case_files(case: &Path) -> Vec<CaseFile> {
    let expected = String::from_utf8(support::read(&case.join("expected.txt"))).expect("UTF-8");
    let mut settings = BTreeMap::new();
    let mut files = Vec::new();
    for line in expected.lines() {
        if let Some(line) = line.strip_prefix("  ") {
            let columns: Vec<&str> = line.split(" | ").map(str::trim).collect();
            let column = |index: usize| columns.get(index).copied().unwrap_or_default();
            let of_file = column(3).split_whitespace().filter_map(|setting| setting.split_once('='));
            let mut settings = settings.clone();
            settings.extend(of_file.map(|(key, value)| (key.to_owned(), value.to_owned())));
            files.push(CaseFile { path: case.join(column(0)), classes: column(1).split('|').map(str::to_owned).collect(), settings });
        } else if let Some((key, value)) = line.split_once(": ") {
            settings.insert(key.to_owned(), value.to_owned());
        }
    }
    files
}

fn check_case(file: &CaseFile, trust: &Path) -> Result<(), String> {
    let bytes = support::read(&file.path);
    let setting = |key: &str| file.settings.get(key).map(String::as_str).unwrap_or_default();
    let anchors = match setting("trust") {
        "intel" => Anchors::intel(),
        _ => synthetic_anchors(trust)?,
    };
    let anchors = match setting("key") {
        "" | "none" => anchors,
        key => anchors.with_signer_keys([signer_key(key)?]),
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
    if let Some((_, code)) = NAMED.iter().find(|(case, _)| file.path.ends_with(case)) {
        check(report.has(*code), || format!("{code} is missing: {:?}", messages(&report)))?;
    }
    if let Some((_, wanted, _)) = SETTLED.iter().find(|(case, _, _)| file.path.ends_with(case)) {
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

// The labels of the producers' own script.

/// Vectors where we differ on purpose, what we answer, and why.
const OTHER_LABELS: [(&str, Label, &str); 5] = [
    ("L031", Label::Reject, "a KL of NaN is no KL within the bar; the script passes it"),
    ("L032", Label::Reject, "a KL of NaN is no KL within the bar; the script passes it"),
    ("L033", Label::Reject, "an agreement of NaN is none above the bar; the script passes it"),
    ("L034", Label::Reject, "an agreement of NaN is none above the bar; the script passes it"),
    ("L076", Label::None, "a label is derived; the classic script lets the run's own provenance overwrite it"),
];

/// Vectors that the script refuses to score: what it refuses is no parameters and no measurement of ours either.
const UNSCORED: [(&str, &str); 3] = [
    ("L067", "missing field `reference`"),
    ("L073", "EOF while parsing an object at line 1 column 1"),
    ("L074", "unknown variant `maybe`, expected `auto` or `off`"),
];

fn labels(shared: &Path) -> Vec<Trial> {
    let vectors = support::read_json(&shared.join("vectors/label_vectors.json"));
    let vectors = vectors.as_array().cloned().unwrap_or_default();
    assert_eq!(vectors.len(), 82);
    vectors.into_iter().map(|vector| test(format!("labels::{}", text(&vector["id"])), move || check_label(&vector))).collect()
}

fn check_label(vector: &Value) -> Result<(), String> {
    let id = text(&vector["id"]);
    let is_k3 = vector["script"] == "k3";
    let cap = if is_k3 { "g" } else { "2g" };
    let scored = params_of(&vector["env"], cap, is_k3).and_then(|params| {
        let measurement = measurement_of(&vector["argv"], if is_k3 { &vector["env"]["SPARKINFER_GUARDS"] } else { &Value::Null })?;
        tier::score(&params, &measurement).map_err(|error| error.to_string())
    });
    if let Some((_, refusal)) = UNSCORED.iter().find(|(unscored, _)| *unscored == id) {
        equal("exit", &vector["exit"], &json!(2))?;
        return check(scored.as_ref().is_err_and(|error| error.contains(refusal)), || format!("wanted {refusal}: {scored:?}"));
    }
    let scored = scored?;
    equal("exit", &vector["exit"], &json!(0))?;
    if let Some((_, ours, _)) = OTHER_LABELS.iter().find(|(other, _, _)| *other == id) {
        check(vector["label"] != ours.name(), || "the script agrees by now".to_owned())?;
        return equal("our label", scored.label, *ours);
    }
    equal("label and pass", (json!(scored.label.name()), json!(scored.pass)), (vector["label"].clone(), vector["pass"].clone()))?;
    check_printed(&scored, &text(&vector["stdout"]))
}

/// The figures that the script printed beside the label. After a refusal it goes on to print a tier; we stop.
fn check_printed(scored: &Scored, stdout: &str) -> Result<(), String> {
    let printed: Value = serde_json::from_str(stdout.trim_start_matches("RESULT_JSON ")).map_err(|error| error.to_string())?;
    let rounded = &scored.rounded;
    let mut figures = vec![("tps", rounded.value), ("frontier_tps", rounded.frontier), ("top1", rounded.top1), ("kl", rounded.kl)];
    if scored.pass {
        figures.extend([
            ("delta_tps", rounded.delta),
            ("pct_over_frontier", rounded.pct_over_frontier),
            ("pct_of_ceiling", rounded.pct_of_ceiling),
            ("effective_pct", rounded.effective_pct),
            ("difficulty_mult", rounded.difficulty.filter(|factor| *factor != 1.0)),
        ]);
    }
    let is_overwritten = |name: &str| name == "tps" && printed["node"] == "h200x8";
    figures.into_iter().filter(|(name, _)| !is_overwritten(name)).try_for_each(|(name, figure)| equal(name, figure, printed[name].as_f64()))
}

/// The parameters that a call of the script had: its environment, and its defaults for the rest.
fn params_of(env: &Value, cap: &str, is_k3: bool) -> Result<Params, String> {
    let set = |name: &str, default: &str| env[format!("SPARKINFER_{name}")].as_str().unwrap_or(default).to_owned();
    let reference = match (env["SPARKINFER_DIFFICULTY_REF"].as_str(), is_k3) {
        (Some(reference), _) => format!("reference = {reference}"),
        (None, false) => "reference = 365.85".to_owned(),
        (None, true) => String::new(),
    };
    let text = format!(
        "version = 1\nname = \"test\"\ncap = \"{cap}\"\nanchor = \"{}\"\nlower_is_better = {}\nsignificance = 0.02\n\
         [bars]\ntop1 = {}\nkl = {}\nkl_prefer = {}\n[difficulty]\n{reference}\nboost = {}\nk = {}\nmax = {}\n\
         [guards]\ntolerance = {}\n[tiers]\nXL = 0.18\nL = 0.10\nM = 0.06\nS = 0.035\n[places]\nvalue = {}\ntop1 = 4\nkl = {}\n",
        if is_k3 { set("TIER_ANCHOR", "auto") } else { "auto".to_owned() },
        set("LABEL_LOWER_IS_BETTER", "0") == "1",
        set("TOP1_BAR", "0.90"),
        set("KL_BAR", "0.20"),
        set("KL_PREFER", "0.15"),
        set("DIFFICULTY_BOOST", "0") == "1",
        set("DIFFICULTY_K", "8"),
        set("DIFFICULTY_MAX", "1.5"),
        set("GUARD_TOL", "0.98"),
        if set("LABEL_LOWER_IS_BETTER", "0") == "1" { 6 } else { 2 },
        if is_k3 { 9 } else { 4 },
    );
    toml::from_str(&text).map_err(|error| error.message().to_owned())
}

/// The figures that a call of the script had as arguments.
fn measurement_of(argv: &Value, guards: &Value) -> Result<Measurement, String> {
    let figure = |index: usize| argv[index].as_str().and_then(|text| text.parse::<f64>().ok());
    let mut measurement = Measurement::default();
    (measurement.value, measurement.frontier, measurement.ceiling) = (figure(0), figure(1), figure(2));
    (measurement.top1, measurement.kl) = (figure(3), figure(4));
    if let Some(guards) = guards.as_str() {
        let guards: BTreeMap<String, Value> = serde_json::from_str(guards).map_err(|error| error.to_string())?;
        let read = |(name, guard): (String, Value)| {
            tier::Guard::new(name, guard["tps"].as_f64().unwrap_or(f64::NAN), guard["base"].as_f64().unwrap_or(0.0))
        };
        measurement.guards = guards.into_iter().map(read).collect();
    }
    Ok(measurement)
}

// The labels of the K3 log, from the figures of the runs and from the receipts.

/// The receipt whose signed output holds no figures: they stand in its attestation only.
const NO_FIGURES_IN_OUTPUT: &str = "091146e09794e7109724248d1a102650";

fn tiers(shared: &Path) -> Vec<Trial> {
    let runs = support::read_json(&shared.join("vectors/label_real_k3.json"));
    let runs = runs.as_array().cloned().unwrap_or_default();
    assert_eq!(runs.len(), 51);
    let another_today = runs.iter().filter(|run| run["logged_label"] != run["head_label"]).count();
    assert_eq!(another_today, 9);
    let shared = shared.to_owned();
    runs.into_iter()
        .map(|run| {
            let folder = shared.join("receipts/k3-log/runs").join(text(&run["run"]));
            test(format!("tiers::{}", text(&run["run"])), move || check_tier(&folder, &run))
        })
        .collect()
}

fn check_tier(folder: &Path, run: &Value) -> Result<(), String> {
    let params = params_of(&run["env"], &text(&run["tier_cap"]), true)?;
    let measurement = measurement_of(&run["argv"], &Value::Null)?;
    let scored = tier::score(&params, &measurement).map_err(|error| error.to_string())?;
    equal("label of the run's figures", json!(scored.label.name()), run["logged_label"].clone())?;

    let record = folder.join("result.json");
    if record.is_file() {
        let recorded = Measurement::read(&support::read(&record)).map_err(|error| error.to_string())?;
        let scored = tier::score(&params, &recorded).map_err(|error| error.to_string())?;
        equal("label of result.json", json!(scored.label.name()), run["logged_label"].clone())?;
    }

    let receipt = support::read(&folder.join("receipt.json"));
    let is_without_figures = run["run"] == NO_FIGURES_IN_OUTPUT;
    let report = strict().verify(&Request::new(&receipt).scored_by(&params));
    let wanted = if is_without_figures { vec![Code::TierOnlyAsserted] } else { Vec::new() };
    equal("findings about the tier", tier_codes(&report), wanted)?;
    let rescored = report.rescored.as_ref().ok_or("not rescored")?;
    let derived = rescored.scored.as_ref().ok_or("no label")?;
    equal("label of the receipt", json!(derived.label.name()), run["logged_label"].clone())?;
    check(!report.problems.iter().any(|problem| problem.message.contains("enclave gave")), || "the enclave gave no tier".to_owned())?;

    // By the rule of today nine runs earn another label, and their receipts say so.
    let today = params_of(&run["env"], "g", true)?;
    let report = strict().verify(&Request::new(&receipt).scored_by(&today));
    let mut wanted = if is_without_figures { vec![Code::TierOnlyAsserted] } else { Vec::new() };
    if run["logged_label"] != run["head_label"] {
        wanted.push(Code::TierDiffers);
    }
    equal("findings by the rule of today", tier_codes(&report), wanted)?;
    let derived = report.rescored.as_ref().and_then(|rescored| rescored.scored.as_ref()).ok_or("no label")?;
    equal("label by the rule of today", json!(derived.label.name()), run["head_label"].clone())
}

fn tier_codes(report: &Report) -> Vec<Code> {
    let codes = [Code::TierDiffers, Code::TierStricter, Code::TierNotDerivable, Code::TierOnlyAsserted];
    codes.into_iter().filter(|code| report.has(*code)).collect()
}

fn signer_key(text: &str) -> Result<SignerKey, String> {
    text.parse().map_err(|_| format!("{text} is no signer key"))
}

// Ed25519 receipts.

/// Of each signed receipt that is refused under its trusted key, the code that says why.
const REFUSED_SIGNATURES: [(&str, Code); 8] = [
    ("e2", Code::BindingReceiptId),
    ("e3", Code::SignatureWrong),
    ("e4", Code::SignerUntrusted),
    ("e6", Code::SignatureNotReduced),
    ("e7", Code::SignerKeyWeak),
    ("e8", Code::ReceiptWrongType),
    ("e9", Code::ReceiptBase64),
    ("e10", Code::SignatureWrong),
];

fn ed25519(shared: &Path) -> Vec<Trial> {
    let folder = shared.join("vectors/ed25519");
    let manifest = support::read_json(&folder.join("MANIFEST.json"));
    let entries = manifest["files"].as_array().cloned().unwrap_or_default();
    assert_eq!(entries.len(), 10);
    let key = text(&manifest["trusted_key1"]);
    entries
        .into_iter()
        .map(|entry| {
            let (folder, key) = (folder.clone(), key.clone());
            test(format!("ed25519::{}", text(&entry["file"])), move || check_signed(&folder, &entry, &key))
        })
        .collect()
}

/// Without a key a good signature is unverifiable, with the trusted one it carries every claim; a bad one is invalid either way.
fn check_signed(folder: &Path, entry: &Value, key: &str) -> Result<(), String> {
    let file = text(&entry["file"]);
    let bytes = support::read(&folder.join(&file));
    let judge = |anchors: Anchors| Verifier::new(Policy::authenticity(), anchors).verify(&Request::new(&bytes));
    let (without, with) = (judge(Anchors::intel()), judge(Anchors::intel().with_signer_keys([signer_key(key)?])));
    let is_good = |field: &str| entry[field] == json!(true);
    let wanted = if is_good("correct_without_trusted_key") { Outcome::Unverifiable } else { Outcome::Invalid };
    check(without.outcome == wanted, || format!("without a key: {}: {:?}", without.outcome, messages(&without)))?;
    let wanted = if is_good("correct_with_trusted_key1") { Outcome::Verified } else { Outcome::Invalid };
    check(with.outcome == wanted, || format!("with the key: {}: {:?}", with.outcome, messages(&with)))?;
    if let Some((_, code)) = REFUSED_SIGNATURES.iter().find(|(id, _)| file.starts_with(&format!("{id}_"))) {
        return check(with.has(*code), || format!("{code} is missing: {:?}", messages(&with)));
    }
    equal("signer", with.facts.signer.as_deref(), Some(key))?;
    equal("rounded", with.has(Code::SignatureRounded), file.starts_with("e5"))?;
    check(with.claims.iter().all(|claim| claim.coverage == Coverage::Signature), || "a claim that is not signed".to_owned())
}

// Canonical text.

/// What a strict reader refuses: repeated members, a number that is too large, lone surrogates, and what is no JSON.
const NOT_READ: [(&str, Code); 9] = [
    ("c08", Code::JsonDuplicateKey),
    ("c09", Code::JsonDuplicateKey),
    ("c34", Code::JsonNumberOverflow),
    ("c46", Code::JsonMalformed),
    ("c47", Code::JsonMalformed),
    ("c49", Code::JsonMalformed),
    ("c50", Code::JsonMalformed),
    ("c51", Code::JsonMalformed),
    ("c52", Code::JsonMalformed),
];

fn canonical(shared: &Path) -> Vec<Trial> {
    let vectors = support::read_json(&shared.join("vectors/canonical_vectors.json"));
    let vectors = vectors.as_array().cloned().unwrap_or_default();
    assert_eq!(vectors.len(), 57);
    vectors.into_iter().map(|vector| test(format!("canonical::{}", text(&vector["id"])), move || check_canonical(&vector))).collect()
}

fn check_canonical(vector: &Value) -> Result<(), String> {
    let receipt = signed::receipt_around(&text(&vector["input_json"]), &text(&vector["sha256"]));
    let report = strict().verify(&Request::new(receipt.as_bytes()));
    if let Some((_, code)) = NOT_READ.iter().find(|(id, _)| vector["id"].as_str() == Some(id)) {
        return equal("refused", refuting(&report), vec![*code]);
    }
    let found: Vec<&Option<String>> =
        report.problems.iter().filter(|problem| problem.code == Code::BindingReceiptId).map(|problem| &problem.wanted).collect();
    check(passed(&report, Obligation::ReceiptId), || format!("{found:?}, wanted {}: {:?}", vector["sha256"], messages(&report)))
}

// Other producers.

fn producers(shared: &Path) -> Vec<Trial> {
    let folder = shared.join("vectors/other-producers");
    let manifest = support::read_json(&folder.join("MANIFEST.json"));
    let files: Vec<String> = manifest.as_array().into_iter().flatten().map(|entry| text(&entry["file"])).collect();
    let notes = files.iter().filter(|file| file.starts_with("braid_")).cloned();
    let notes: Vec<Trial> = notes
        .map(|file| {
            let path = folder.join(&file);
            test(format!("producers::{file}"), move || check_note(&path))
        })
        .collect();
    assert_eq!(notes.len(), 7);
    let named = ["cathedral_customer_receipt_v1", "cathedral_ml_inference_receipt_v1"].map(|schema| {
        let path = folder.join(format!("{schema}.json"));
        test(format!("producers::{schema}"), move || {
            let report = strict().verify(&Request::new(&support::read(&path)));
            equal("outcome", report.outcome, Outcome::Unverifiable)?;
            equal("codes", grave(&report), vec![Code::ReceiptIssuerOnly])?;
            let message = &report.problems.first().ok_or("no finding")?.message;
            check(message.contains(schema), || message.clone())
        })
    });
    notes.into_iter().chain(named).collect()
}

fn check_note(path: &Path) -> Result<(), String> {
    let bytes = support::read(path);
    let report = Verifier::new(Policy::authenticity(), Anchors::intel()).verify(&Request::new(&bytes));
    check(report.outcome == Outcome::Verified, || format!("{}: {:?}", report.outcome, messages(&report)))?;
    for (obligation, wanted) in [
        (Obligation::ReportDataLow, true),
        (Obligation::ReportDataHigh, true),
        (Obligation::OutputHash, true),
        (Obligation::FilesManifest, true),
        (Obligation::Nonce, true),
        (Obligation::Input, true),
        (Obligation::Workload, true),
        (Obligation::Verdict, true),
        (Obligation::Signature, false),
    ] {
        equal(obligation.id(), passed(&report, obligation), wanted)?;
    }
    for (pointer, wanted) in [
        ("/bundle/head", Coverage::Nonce),
        ("/bundle/pr", Coverage::EnclaveInput),
        ("/verdict_doc/label", Coverage::EnclaveInput),
        ("/label", Coverage::EnclaveInput),
        ("/ts", Coverage::Asserted),
        ("/receipt/exit_code", Coverage::Asserted),
        ("/receipt/files_sha256", Coverage::EnclaveInput),
    ] {
        let claim = report.claims.iter().find(|claim| claim.pointer == pointer).ok_or(pointer)?;
        equal(pointer, claim.coverage, wanted)?;
    }
    let strict = strict().verify(&Request::new(&bytes));
    equal("under strict", strict.outcome, Outcome::UnderProvenanced)
}

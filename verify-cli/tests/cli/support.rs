//! Runs the binary, and knows where the material lies.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::Value;

/// What a run came to.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// Standard output as JSON. An answer about measurements fits its schema.
    pub(crate) fn json(&self) -> Value {
        let json = serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}", self.stdout));
        if let Some(faults) = faults(&json) {
            assert!(faults.is_empty(), "{}\n{}", faults.join("\n"), self.stdout);
        }
        json
    }
}

/// The schemas of answers about measurements, by what the answers say they are.
const SCHEMAS: [(&str, &str); 5] = [
    ("receipt-compare/1", "compare-v1"),
    ("receipt-floor/1", "floor-v1"),
    ("receipt-floored/1", "floor-v1"),
    ("trace/1", "trace-v1"),
    ("classification/1", "classify-v1"),
];

/// What of a document does not fit its schema; `None` where it has none.
pub(crate) fn faults(json: &Value) -> Option<Vec<String>> {
    static VALIDATORS: LazyLock<Vec<(&str, Validator)>> = LazyLock::new(|| {
        let read = |name: &str| fs::read(workspace().join(format!("docs/{name}.schema.json"))).unwrap();
        let validator = |name: &str| jsonschema::validator_for(&serde_json::from_slice(&read(name)).unwrap()).expect("a valid schema");
        SCHEMAS.map(|(format, name)| (format, validator(name))).into()
    });
    let format = json.get("schema").or_else(|| json.get("format"))?;
    let (_, validator) = VALIDATORS.iter().find(|(known, _)| format == known)?;
    let mut faults: Vec<String> = validator.iter_errors(json).map(|error| format!("{}: {error}", error.instance_path())).collect();
    // A refused floor holds the answer about the pair.
    faults.extend(json.get("refused").and_then(self::faults).into_iter().flatten());
    Some(faults)
}

/// The binary in an empty environment, in the root of the workspace.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_receipt"));
    command.args(arguments).env_clear().current_dir(workspace()).stdin(Stdio::null());
    command
}

pub(crate) fn receipt(arguments: &[&str]) -> Run {
    finish(&mut command(arguments), b"")
}

/// With `input` on standard input.
pub(crate) fn receipt_with_input(arguments: &[&str], input: &[u8]) -> Run {
    finish(command(arguments).stdin(Stdio::piped()), input)
}

pub(crate) fn finish(command: &mut Command, input: &[u8]) -> Run {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    if let Some(mut pipe) = child.stdin.take() {
        pipe.write_all(input).unwrap();
    }
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code().expect("an exit code"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// `verify` with the anchors of the test PKI.
pub(crate) fn with_test_anchors<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    let anchors = ["verify", "--root", "test-vectors/pki/root.pem", "--tcb-signing-cert", "test-vectors/pki/tcb_signing.pem"];
    [&anchors, arguments].concat()
}

/// `verify` with the anchors of the test PKI and the policy that its receipts meet.
pub(crate) fn verify<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    with_test_anchors(&[&["--policy", "test-vectors/policies/test.toml"], arguments].concat())
}

pub(crate) const VERIFIED: &str = "test-vectors/receipts/verified.json";
pub(crate) const REFUTED: &str = "test-vectors/receipts/verdict-enclave-refuses.json";
pub(crate) const CUT: &str = "test-vectors/receipts/json-cut.json";
pub(crate) const RUN: &str = "test-vectors/runs/run-agrees";
/// The record of a measurement, and where the files lie that it names.
pub(crate) const CLAIM: &str = "verify-cli/tests/fixtures/bench/classify/claim-grade/record.json";
pub(crate) const CLAIM_FOLDER: &str = "verify-cli/tests/fixtures/bench/classify/claim-grade";
/// Published numbers, and the files that they follow from.
pub(crate) const TRACE: &str = "verify-cli/tests/fixtures/bench/trace";
pub(crate) const TRACE_CLAIMS: &str = "verify-cli/tests/fixtures/bench/trace/claims.toml";
pub(crate) const TRACE_DIFFERS: &str = "verify-cli/tests/fixtures/bench/trace/differs.toml";
/// Judged by the test policy: something needed is absent.
pub(crate) const NO_EVIDENCE: &str = "test-vectors/receipts/evidence-absent.json";

const SWEEPS: [&str; 2] = ["verify-cli/tests/fixtures/bench/compare/a-sweep.json", "verify-cli/tests/fixtures/bench/compare/b-sweep.json"];

/// Calls of every command, with good and bad answers.
pub(crate) fn every_command() -> Vec<Vec<&'static str>> {
    let anchors = ["--root", "test-vectors/pki/root.pem", "--tcb-signing-cert", "test-vectors/pki/tcb_signing.pem"];
    let trace = |claims: &'static str, options: &[&'static str]| [&["trace", claims, "--folder", TRACE], options].concat();
    let quote = ["quote", "test-vectors/quotes/bare-v4.bin", "--collateral", "test-vectors/quotes/bare-v4.json"];
    vec![
        verify(&["-v", VERIFIED, REFUTED, CUT, NO_EVIDENCE]),
        verify(&["--run", RUN, "--score", "test-vectors/scores/classic.toml", "--expect", "label=XL", "--format", "json"]),
        verify(&["--collateral", "test-vectors/collateral/fresh-same.json", "--input", "test-vectors/inputs/input-given", VERIFIED]),
        verify(&["--format", "jsonl", "test-vectors/policies", RUN, "missing.json"]),
        [&["claims"], &anchors[..], &[VERIFIED]].concat(),
        [&["claims", "--format", "json"], &anchors[..], &[VERIFIED]].concat(),
        [&quote, &anchors[..]].concat(),
        [&quote, &anchors[..], &["--format", "jsonl", "-v"]].concat(),
        [&["audit"], &anchors[..], &["test-vectors/logs/row-label", "--since", "test-vectors/logs/newer-two"]].concat(),
        [&["audit", "-v", "--format", "json"], &anchors[..], &["test-vectors/logs/older-quotes"]].concat(),
        [&["audit", "--format", "jsonl"], &anchors[..], &["test-vectors/logs/older"]].concat(),
        vec!["inspect", VERIFIED, CUT],
        vec!["inspect", "--format", "json", VERIFIED, CUT],
        vec!["score", "--preset", "classic", "--from", "test-vectors/runs/run-agrees/result.json"],
        vec!["score", "--params", "test-vectors/scores/k3.toml", "--value", "45.38", "--frontier", "40", "--top1", "1", "--kl", "0"],
        vec!["compare", "--format", "markdown", SWEEPS[0], SWEEPS[1]],
        vec![
            "compare",
            "--format",
            "json",
            "--waive",
            "sweep.seed=a reason",
            SWEEPS[0],
            "verify-cli/tests/fixtures/bench/compare/b-sweep-other-seed.json",
        ],
        vec!["compare", SWEEPS[0], CUT],
        vec![
            "floor",
            "verify-cli/tests/fixtures/bench/compare/stock-again-1.json",
            "verify-cli/tests/fixtures/bench/compare/stock-again-2.json",
        ],
        trace(TRACE_CLAIMS, &["-v", "--coverage", "page.md"]),
        trace(TRACE_DIFFERS, &["--format", "json"]),
        trace(TRACE_DIFFERS, &["--format", "markdown"]),
        trace(TRACE_DIFFERS, &["--pin"]),
        vec!["explain"],
        vec!["explain", "enclave.unpinned", "--format", "json"],
        vec!["explain", "enclave.unpined"],
        vec!["policy", "show", "test-vectors/policies/observed.toml"],
        vec!["policy", "show", "--format", "json"],
        vec!["policy", "check", "test-vectors/policies/test.toml", CUT],
        vec!["classify", "--promote", CLAIM, "--folder", CLAIM_FOLDER],
        vec!["classify", "--format", "json", "--require", "4", CLAIM, "--folder", CLAIM_FOLDER],
        vec!["classify", "--format", "markdown", CLAIM, "--folder", "test-vectors/runs"],
    ]
}

/// Whether a program can be started by `tool`, which is `why` it is wanted. Where not, a word on stderr says so; with `CI=true` that
/// is a failure.
pub(crate) fn can_start_with(tool: &[&str], why: &str) -> bool {
    let (program, options) = tool.split_first().unwrap();
    let can = Command::new(program).args(options).arg("true").output().is_ok_and(|output| output.status.success());
    assert!(can || std::env::var("CI").as_deref() != Ok("true"), "CI=true, but {program} cannot start a program, so {why}");
    if !can {
        eprintln!("SKIPPED: {program} cannot start a program, so {why}");
    }
    can
}

/// `command`, started by `tool`.
pub(crate) fn started_with(tool: &[&str], arguments: &[&str]) -> Command {
    let (program, options) = tool.split_first().unwrap();
    let mut command = Command::new(program);
    command.args(options).arg(env!("CARGO_BIN_EXE_receipt")).args(arguments);
    command.env_clear().current_dir(workspace()).stdin(Stdio::null());
    command
}

/// The root of the workspace.
pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The folder of shared real and synthetic material beside the checkout; `None`, with a word on stderr, where there is none.
/// With `CI=true` its absence is a failure.
pub(crate) fn shared() -> Option<PathBuf> {
    let folder = workspace().join("../shared");
    if folder.join("dcap/manifest.json").is_file() {
        return Some(folder);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "CI=true, but {} is missing", folder.display());
    eprintln!("SKIPPED: {} is missing, so the command line was not tried on the shared receipts and cases", folder.display());
    None
}

/// An empty folder of this name, made anew.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Copies a file of the workspace.
pub(crate) fn copy(from: &str, to: &Path) {
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::copy(workspace().join(from), to).unwrap();
}

/// Copies a folder with everything below it.
pub(crate) fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_all(&entry.path(), &target);
        } else {
            fs::write(target, fs::read(entry.path()).unwrap()).unwrap();
        }
    }
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

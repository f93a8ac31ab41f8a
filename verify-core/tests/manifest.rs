//! The manifest of the vectors as others use it: its schema, the comparer and the foreign runner.

#![expect(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros, reason = "tests read files and run python3")]

mod support;

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

fn manifest() -> Value {
    support::read_json(&support::workspace().join("test-vectors/manifest.json"))
}

#[test]
fn the_manifest_fits_its_schema() {
    let schema = support::read_json(&support::workspace().join("test-vectors/manifest.schema.json"));
    let schema = jsonschema::validator_for(&schema).expect("a valid schema");
    let good = manifest();
    let faults: Vec<String> = schema.iter_errors(&good).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert_eq!(faults, <[String; 0]>::default());
    let edits: [(&str, Value); 12] = [
        ("/version", json!(2)),
        ("/files/receipts~1verified.json", json!("00")),
        ("/vectors/0/id", json!("Verified")),
        ("/vectors/0/receipt", json!("../verified.json")),
        ("/vectors/0/policy", Value::Null),
        ("/vectors/0/outcome", json!("valid")),
        ("/vectors/1/edit", json!([])),
        ("/vectors/1/edit", json!(["receipt"])),
        ("/vectors/1/parent", Value::Null),
        ("/logs/0/log", json!("../newer")),
        ("/logs/0/outcome", json!("valid")),
        ("/logs/0/receipts", json!([])),
    ];
    for (pointer, value) in edits {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}")) = value;
        assert!(!schema.is_valid(&bad), "{pointer}");
    }
}

/// What `compare.py` prints and its exit code for these answers; `None`, with a word on stderr, where there is no python3. With
/// `CI=true` its absence is a failure.
fn compared(answers: &[Value]) -> Option<(i32, String)> {
    let mut child = python("compare.py").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok().or_else(no_python)?;
    let lines: String = answers.iter().map(|answer| format!("{answer}\n")).collect();
    child.stdin.take().expect("a pipe").write_all(lines.as_bytes()).expect("python3 reads everything");
    let output = child.wait_with_output().expect("python3 ends");
    Some((output.status.code().expect("an exit code"), String::from_utf8(output.stdout).expect("UTF-8")))
}

fn python(script: &str) -> Command {
    let folder = support::workspace().join("test-vectors");
    let mut command = Command::new("python3");
    command.arg(folder.join(script)).arg(&folder);
    command
}

fn no_python<T>() -> Option<T> {
    assert!(std::env::var("CI").as_deref() != Ok("true"), "CI=true, but there is no python3");
    eprintln!("SKIPPED: there is no python3");
    None
}

#[test]
fn the_comparer_lets_nothing_pass() {
    let manifest = manifest();
    let vectors = manifest["vectors"].as_array().expect("vectors");
    let right: Vec<Value> = vectors.iter().map(|vector| json!({ "id": vector["id"], "outcome": vector["outcome"] })).collect();
    let position = |id: &str| vectors.iter().position(|vector| vector["id"] == id).expect("the vector");
    let (forged, good, fresh) = (position("quote-signature-bit"), position("verified"), position("fresh-too-old"));
    let with = |index: usize, answer: Value| {
        let mut answers = right.clone();
        answers[index] = answer;
        answers[index]["id"] = vectors[index]["id"].clone();
        answers
    };
    let logs = manifest["logs"].as_array().expect("logs").iter();
    let logs: Vec<Value> = logs.map(|log| json!({ "log": log["id"], "outcome": log["outcome"], "receipts": log["receipts"] })).collect();
    let with_logs = |logs: &[Value]| right.iter().chain(logs).cloned().collect::<Vec<_>>();
    let mut other_receipts = logs.clone();
    other_receipts[0]["receipts"] = json!({});
    let all_skipped = vectors.iter().map(|vector| json!({ "id": vector["id"], "skipped": "for a test" })).collect();
    let cases: [(i32, &str, Vec<Value>); 17] = [
        (0, "agrees", right.clone()),
        (0, "skipped 1: not done", with(forged, json!({ "skipped": "not done" }))),
        (0, "agrees in part 1", with(good, json!({ "authentic": true }))),
        (0, "agrees", with(good, json!({ "outcome": "verified", "codes": vectors[good]["codes"] }))),
        (0, "agrees", with(fresh, json!({ "outcome": "unverifiable", "fresh": { "as_carried": vectors[fresh]["fresh"]["as_carried"] } }))),
        (1, "WRONGLY VERIFIED", with(forged, json!({ "outcome": "verified" }))),
        (1, "WRONGLY AUTHENTIC", with(forged, json!({ "authentic": true }))),
        (1, "wanted verified", with(good, json!({ "outcome": "invalid" }))),
        (1, "codes []", with(good, json!({ "outcome": "verified", "codes": [] }))),
        (1, "fresh as_carried invalid", with(fresh, json!({ "outcome": "unverifiable", "fresh": { "as_carried": "invalid" } }))),
        (1, "neither an outcome", with(good, json!({}))),
        (1, "missing: ", right[1..].to_vec()),
        (1, "repeated: ", right.iter().chain(&right[..1]).cloned().collect()),
        (1, "skipped", all_skipped),
        (0, "agrees", with_logs(&logs)),
        (1, "log newer: receipts {}", with_logs(&other_receipts)),
        (1, "missing: log ", with_logs(&logs[1..])),
    ];
    for (code, word, answers) in cases {
        let Some((found, text)) = compared(&answers) else { return };
        assert_eq!(found, code, "{word}: {text}");
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn a_foreign_runner_agrees_about_signed_receipts() {
    let Ok(Output { status, stdout, stderr }) = python("runner.py").output() else {
        no_python::<()>();
        return;
    };
    let stderr = String::from_utf8_lossy(&stderr);
    assert!(status.success(), "{stderr}");
    let answers: Vec<Value> = String::from_utf8(stdout).expect("UTF-8").lines().map(|line| line.parse().expect("JSON")).collect();
    if stderr.contains("cryptography is not installed") {
        eprintln!("SKIPPED: no signature was judged: {stderr}");
        return;
    }
    let Some((code, text)) = compared(&answers) else { return };
    assert_eq!(code, 0, "{text}");
    let signed = answers.iter().filter(|answer| answer["id"].as_str().is_some_and(|id| id.starts_with("signed-")));
    let (skipped, judged): (Vec<&Value>, Vec<&Value>) = signed.partition(|answer| answer["skipped"].is_string());
    assert!(judged.len() > 4 * skipped.len(), "too much is skipped: {skipped:?}");
}

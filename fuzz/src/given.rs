//! What users hand in beside a receipt. It can refuse what a receipt alone would pass, and never pass a forgery.

use std::path::Path;
use std::sync::LazyLock;

use data_encoding::BASE64;
use serde_json::Value;
use soundness::essence::{self, Essence};
use soundness::vectors::{Vectors, folder, vectors};
use soundness::{edits, invariants};
use vector_gen::pki::Signer;
use vector_gen::receipt::{Envelope, Material};
use verify_core::audit::{Directory, Log};
use verify_core::bench::classify::{Class, Record};
use verify_core::bench::trace::{Answer, Claims, Verdict};
use verify_core::bench::{self, Files};
use verify_core::tier::{self, Measurement, Params};
use verify_core::{Anchors, Companion, Expectation, Outcome, Policy, Report, Request, RunFile, Verifier};

use crate::signed::{SIGNED, SIGNER};

/// The bytes are the text of a policy.
pub fn policy(data: &[u8]) {
    let Some(policy) = read_toml::<Policy>(data) else { return };
    let Vectors { anchors, good, forged, .. } = vectors();
    assert_eq!(policy.digest(), read_toml::<Policy>(data).expect("read before").digest(), "one text, two policies");
    let verifier = Verifier::new(policy, anchors.clone());
    if judged(&verifier, good, |request| request).outcome == Outcome::Verified {
        essence::assert_known(good, essence::Scope::Evidence);
    }
    let outcome = judged(&verifier, forged, |request| request).outcome;
    assert_eq!(outcome, Outcome::Invalid, "a policy changed what a forged quote is");
}

/// The bytes are the text of an expectation.
pub fn expectation(data: &[u8]) {
    let Some(expectation) = std::str::from_utf8(data).ok().and_then(|text| text.parse::<Expectation>().ok()) else { return };
    assert_eq!(expectation.to_string().as_bytes(), data, "an expectation is shown as it was written");
    let outcome = judged(&TEST, &vectors().good, |request| request.expecting(std::slice::from_ref(&expectation))).outcome;
    if outcome == Outcome::Verified && expectation.place().starts_with('/') {
        let (wanted, place) = (expectation.value(), expectation.place());
        let found = GOOD.pointer(place).unwrap_or_else(|| panic!("met, but there is nothing at {place}"));
        let shown = found.to_string();
        let is_met = match found {
            Value::String(text) => text == wanted || wanted.len() >= 7 && text.starts_with(wanted),
            Value::Number(number) => number.as_f64() == wanted.parse().ok(),
            _ => shown == wanted,
        };
        assert!(is_met, "met, but {place} is {shown}");
    }
}

/// The bytes are the input that the enclave is said to have been given.
pub fn input(data: &[u8]) {
    let report = judged(&TEST, &ASKS_FOR_INPUT.0, |request| request.with_input(data));
    if report.outcome == Outcome::Verified {
        let given: Value = serde_json::from_slice(data).expect("verified, so it is JSON");
        assert_eq!(given, ASKS_FOR_INPUT.1, "verified with another input");
    }
}

/// The first byte says which file stands beside the receipt, the others are its bytes.
pub fn run(data: &[u8]) {
    let (which, bytes) = data.split_first().unwrap_or((&0, &[]));
    let companion = Companion::ALL[usize::from(*which) % Companion::ALL.len()];
    let files = [RunFile::new(companion, bytes)];
    let report = judged(&SIGNED, &VOUCHED_FOR, |request| request.with_run(&files));
    if report.outcome == Outcome::Verified && companion == Companion::Attestation {
        let file: Value = serde_json::from_slice(bytes).expect("verified, so it is JSON");
        for pointer in ["/code/commit", "/references/model_sha256", "/verdict/label", "/verdict/pass"] {
            let (file, receipt) = (file.pointer(pointer).unwrap_or(&Value::Null), GOOD.pointer(&format!("/attestation{pointer}")));
            let says_nothing = file.is_null() || file == "";
            assert!(says_nothing || Some(file) == receipt, "verified, but {pointer} is {file} beside {receipt:?}");
        }
    }
}

/// The bytes are the index of a log, and after a NUL its ledger; its runs are shipped ones.
pub fn audit(data: &[u8]) {
    let (index, ledger) = data.split_at(data.iter().position(|byte| *byte == 0).unwrap_or(data.len()));
    let lists = [index, ledger.get(1..).unwrap_or_default()];
    let audit = || {
        let log = Log::read(Some(Ok(lists[0])), Some(Ok(lists[1])));
        let judge = |(name, receipt): &(String, Vec<u8>)| {
            log.judge(&Directory::new(name, Some(Ok(receipt)), &[]), |_| judged(&SIGNED, receipt, |request| request))
        };
        let runs = LOG.runs.iter().map(judge).collect();
        log.audit(None, runs, &vectors().policy, &vectors().anchors)
    };
    let found = audit();
    let json = found.to_json();
    assert_eq!(json, audit().to_json(), "one log, two answers");
    assert!(json.bytes().all(|byte| matches!(byte, b' '..=b'~')), "{json}");
    assert_eq!(found.exit_code, found.outcome.exit_code());
    if found.outcome != Outcome::Verified || json_has_non_finite(data) {
        return;
    }
    // Nothing was found, so each list publishes each run once, and what it publishes is what the honest one does.
    let index: Vec<Value> = serde_json::from_slice(lists[0]).expect("verified, so it is JSON");
    let ledger: Vec<Value> = std::str::from_utf8(lists[1]).expect("verified").lines().map(|line| line.parse().expect("JSON")).collect();
    for mut rows in [index, ledger] {
        // A ledger may hold merges too.
        rows.retain(|row| ["run_id", "id"].iter().any(|name| row[name].as_str().is_some_and(|run| !run.is_empty())));
        assert_eq!(rows.len(), LOG.rows.len(), "verified, but a list has other runs");
        for honest in &LOG.rows {
            let row =
                rows.iter().find(|row| row["run_id"] == honest["run_id"] || row["id"] == honest["run_id"]).expect("a row for each run");
            for member in ["label", "tps", "top1", "kl", "commit"] {
                let (found, wanted) = (&row[member], &honest[member]);
                let number = |value: &Value| value.as_f64().or_else(|| value.as_str()?.parse().ok());
                let is_near = || number(found).zip(number(wanted)).is_some_and(|(found, wanted): (f64, f64)| (found - wanted).abs() < 1e-6);
                let is_beginning = || found.as_str().zip(wanted.as_str()).is_some_and(|(found, wanted)| wanted.starts_with(found));
                let says_nothing = found.is_null() || found == "";
                assert!(says_nothing || found == wanted || is_near() || is_beginning(), "verified, but {member} is {found}, not {wanted}");
            }
        }
    }
}

/// A bare NaN or Infinity, which the second reader does not take.
fn json_has_non_finite(data: &[u8]) -> bool {
    let text = String::from_utf8_lossy(data);
    text.contains("NaN") || text.contains("Infinity")
}

/// A shipped log: its receipts by their runs, and the rows that it publishes.
struct ShippedLog {
    runs: Vec<(String, Vec<u8>)>,
    rows: Vec<Value>,
}

static LOG: LazyLock<ShippedLog> = LazyLock::new(|| {
    let rows: Vec<Value> = serde_json::from_slice(&read("logs/newer/index.json")).expect("JSON");
    let run = |row: &Value| {
        let name = row["run_id"].as_str().expect("a run").to_owned();
        let receipt = read(&format!("logs/newer/runs/{name}/receipt.json"));
        (name, receipt)
    };
    ShippedLog { runs: rows.iter().map(run).collect(), rows }
});

/// The bytes are tier parameters, and after a NUL the record of a run.
pub fn score(data: &[u8]) {
    let (params, record) = data.split_at(data.iter().position(|byte| *byte == 0).unwrap_or(data.len()));
    let Some(params) = read_toml::<Params>(params) else { return };
    judged(&SIGNED, &VOUCHED_FOR, |request| request.scored_by(&params));
    let Ok(measurement) = Measurement::read(record.get(1..).unwrap_or_default()) else { return };
    let Ok(scored) = tier::score(&params, &measurement) else { return };
    assert_eq!(Ok(&scored), tier::score(&params, &measurement).as_ref(), "one run, two labels");
    assert_eq!(scored.pass, scored.label.passes());
    if scored.pass {
        let finite = [measurement.value, measurement.top1, measurement.kl].into_iter().all(|figure| figure.is_some_and(f64::is_finite));
        assert!(finite, "a run passed whose figures are no numbers: {measurement:?}");
    }
}

/// The bytes are the record of a measurement; the files that it may name are those of the shipped claim-grade one.
pub fn classify(data: &[u8]) {
    let Ok(record) = Record::read(data) else { return };
    let ClaimGrade { files, anchors, signature } = &*CLAIM_GRADE;
    let answer = || record.classify(files, anchors, &|receipt| TEST.verify(&Request::new(receipt)));
    let (answer, again) = (answer(), answer());
    let shown = serde_json::to_string(&answer).expect("an answer");
    assert_eq!(shown, serde_json::to_string(&again).expect("an answer"), "one record, two answers");
    assert!(!shown.chars().any(char::is_control), "a control character is shown");
    if answer.class != Some(Class::ClaimGrade) {
        return;
    }
    // Nobody else can sign a review, and the signed one is of the rows of the shipped record.
    let said: Value = serde_json::from_slice(data).expect("JSON");
    let is_shipped = said["review"]["signed"]["signature"].as_str().is_some_and(|said| said.eq_ignore_ascii_case(signature));
    assert!(is_shipped, "claim-grade by a review that nobody signed");
    let is_good = |found: &str| found == "digest holds" || found == "verified";
    let is_read = |pointer: &str| answer.files.iter().any(|file| file.pointer == pointer && is_good(file.found));
    for pointer in ["/source/0", "/rows/0", "/control", "/protocol", "/quality/source", "/lineage/0", "/review/signed"] {
        assert!(is_read(pointer) || is_read(&format!("{pointer}/receipt")), "claim-grade without {pointer}");
    }
    for name in ["candidate", "workload", "order", "failures", "exclusions", "uncertainty", "claim_boundary", "thresholds", "closure"] {
        assert!(said.get(name).is_some_and(|value| !value.is_null()), "claim-grade without {name}");
    }
    assert!(answer.contradictions.is_empty() && answer.unreadable.is_empty() && answer.exploratory.is_none());
}

struct ClaimGrade {
    files: Files,
    /// With the key that signed the review.
    anchors: Anchors,
    signature: String,
}

static CLAIM_GRADE: LazyLock<ClaimGrade> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../verify-cli/tests/fixtures/bench/classify/claim-grade");
    let mut files = Files::default();
    for entry in std::fs::read_dir(folder).expect("the fixture") {
        let path = entry.expect("the fixture").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        files.add(name, std::fs::read(path).map_err(|error| error.to_string()));
    }
    let record: Value = serde_json::from_slice(RECORD).expect("the record");
    let text = |name: &str| record["review"]["signed"][name].as_str().expect("a text").to_owned();
    let anchors = vectors().anchors.clone().with_signer_keys([text("key").parse().expect("a key")]);
    ClaimGrade { files, anchors, signature: text("signature") }
});

const RECORD: &[u8] = include_bytes!("../../verify-cli/tests/fixtures/bench/classify/claim-grade/record.json");

/// The bytes are a manifest of claims, and after a NUL each the files that it names, in the order of their names. Digests are recorded
/// as they are: of others there would be nothing more to say.
pub fn trace(data: &[u8]) {
    let Some((claims, files)) = claims(data) else { return };
    let found = bench::trace::trace(&claims, &files);
    let json = serde_json::to_value(&found).expect("JSON");
    assert_eq!(json, serde_json::to_value(bench::trace::trace(&claims, &files)).expect("JSON"), "one manifest, two answers");
    assert_harmless(&json);
    let made: Vec<_> = found.claims.iter().filter(|claim| claim.retired.is_none()).collect();
    let all_hold = !made.is_empty() && made.iter().all(|claim| claim.citable);
    assert_eq!(found.answer() == Answer::Ok, all_hold);
    for claim in found.claims.iter().filter(|claim| claim.verdict == Verdict::Reproduced) {
        assert!(claim.sources.iter().all(|source| source.pinned && source.sha256.is_some()), "{claim:?}");
        if claim.kind == "number" {
            assert!(claim.value.is_some(), "{claim:?}");
            assert_eq!(claim.recomputed.as_ref(), claim.published.as_ref().map(|published| &published.text));
        }
    }
    for page in claims.files() {
        if let Ok(coverage) = bench::trace::coverage(&claims, page, &files) {
            assert!(coverage.examples.len() <= coverage.uncovered && coverage.uncovered <= coverage.numbers, "{coverage:?}");
            assert_harmless(&serde_json::to_value(&coverage).expect("JSON"));
        }
    }
}

/// Claims and their files, with the digests of these.
fn claims(data: &[u8]) -> Option<(Claims, Files)> {
    let mut parts = data.split(|byte| *byte == 0);
    let mut manifest = parts.next().and_then(read_toml::<toml::Table>)?;
    manifest.remove("files");
    let unpinned = manifest.clone().try_into::<Claims>().ok()?;
    let mut files = Files::default();
    unpinned.files().into_iter().zip(parts).for_each(|(name, content)| files.add(name, Ok(content.to_vec())));
    let digests = unpinned.sources().into_iter().filter_map(|name| Some((name.to_owned(), files.sha256(name)?.into())));
    manifest.insert("files".to_owned(), toml::Value::Table(digests.collect()));
    Some((manifest.try_into().expect("read before"), files))
}

/// No text of an answer does more than to show itself.
fn assert_harmless(answer: &Value) {
    match answer {
        Value::String(text) => {
            assert!(!text.chars().any(|character| character.is_control() || ('\u{202a}'..='\u{202e}').contains(&character)), "{text:?}")
        }
        Value::Array(items) => items.iter().for_each(assert_harmless),
        Value::Object(members) => members.values().for_each(assert_harmless),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The bytes say which shipped collateral the caller brings, and how to edit it, inside its decoded items too.
pub fn fresh(data: &[u8]) {
    let Vectors { good, .. } = vectors();
    let Some(collateral) = edits::member(&edits::edited(data, &BROUGHT), "collateral_b64") else { return };
    if judged(&TEST, good, |request| request.with_fresh_collateral(&collateral)).outcome == Outcome::Verified {
        let brought = Essence::read(&edits::with_member(good, "collateral_b64", &BASE64.encode(&collateral)));
        let is_known = brought.is_some() && BROUGHT.iter().any(|known| Essence::read(known) == brought);
        assert!(is_known, "verified by collateral that nobody signed");
    }
}

/// Good receipts around collateral that callers bring, because edits are of receipts.
static BROUGHT: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let around = |id: &str| edits::with_member(&vectors().good, "collateral_b64", &BASE64.encode(&read(&format!("collateral/{id}.json"))));
    ["fresh-up-to-date", "fresh-out-of-date", "fresh-certificate-revoked"].map(around).to_vec()
});

/// Judges the shipped receipts under the test policy.
static TEST: LazyLock<Verifier> = LazyLock::new(|| Verifier::new(vectors().policy.clone(), vectors().anchors.clone()));

/// A receipt with the attestation of the good one and a signature in the place of the quote, which is verified ten times as fast.
static VOUCHED_FOR: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut material = Material::classic();
    material.receipt.envelope = Envelope::Signed(Signer::named(SIGNER));
    material.file()
});

/// The good receipt as a second reader sees it.
static GOOD: LazyLock<Value> = LazyLock::new(|| serde_json::from_slice(&vectors().good).expect("JSON"));

/// A receipt whose input is not in it, and that input.
static ASKS_FOR_INPUT: LazyLock<(Vec<u8>, Value)> =
    LazyLock::new(|| (read("receipts/input-given.json"), serde_json::from_slice(&read("inputs/input-given")).expect("JSON")));

fn read(path: &str) -> Vec<u8> {
    std::fs::read(folder().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn judged<'a>(verifier: &Verifier, receipt: &'a [u8], ask: impl FnOnce(Request<'a>) -> Request<'a>) -> Report {
    let report = verifier.verify(&ask(Request::new(receipt)));
    invariants::assert_of_receipt(&report, receipt);
    report
}

fn read_toml<T: serde::de::DeserializeOwned>(data: &[u8]) -> Option<T> {
    toml::from_str(std::str::from_utf8(data).ok()?).ok()
}

/// Without this the targets could pass because nothing is ever verified.
#[cfg(test)]
mod tests {
    use super::*;
    use vector_gen::receipt::COMMIT;

    #[test]
    fn claims_are_reproduced() {
        for name in ["rows", "values", "lines"] {
            let seed = std::fs::read(format!("{}/seeds/trace/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
            let (claims, files) = claims(&seed).unwrap();
            assert_eq!(bench::trace::trace(&claims, &files).answer(), Answer::Ok, "{name}");
        }
    }

    #[test]
    fn the_starting_points_are_verified() {
        let verified = |report: Report| assert_eq!(report.outcome, Outcome::Verified, "{:?}", report.problems);
        let attestation = read("runs/run-agrees/attestation.json");
        let files = [RunFile::new(Companion::Attestation, &attestation)];
        verified(judged(&SIGNED, &VOUCHED_FOR, |request| request.with_run(&files)));
        let lists = [read("logs/newer/index.json"), read("logs/newer/ledger.jsonl")];
        let log = Log::read(Some(Ok(&lists[0])), Some(Ok(&lists[1])));
        let judge = |(name, receipt): &(String, Vec<u8>)| {
            log.judge(&Directory::new(name, Some(Ok(receipt)), &[]), |_| judged(&SIGNED, receipt, |request| request))
        };
        let runs = LOG.runs.iter().map(judge).collect();
        let audit = log.audit(None, runs, &vectors().policy, &vectors().anchors);
        assert_eq!(audit.outcome, Outcome::Verified, "{:?}", audit.findings);
        let input = read("inputs/input-given");
        verified(judged(&TEST, &ASKS_FOR_INPUT.0, |request| request.with_input(&input)));
        let collateral = edits::member(&BROUGHT[0], "collateral_b64").expect("collateral");
        verified(judged(&TEST, &vectors().good, |request| request.with_fresh_collateral(&collateral)));
        let expectations = [format!("/attestation/code/commit={COMMIT}").parse().expect("an expectation")];
        verified(judged(&TEST, &vectors().good, |request| request.expecting(&expectations)));
    }
}

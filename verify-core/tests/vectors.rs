//! Every vector of `test-vectors/`, of receipts and of bare quotes, one named test each: the outcome and the exact codes.

#![expect(clippy::disallowed_methods, reason = "tests read files")]

mod support;

use std::path::Path;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use verify_core::dcap::verify_quote;
use verify_core::{Anchors, Instant, Outcome, Policy, Problem, Request, Timestamp, Verifier};

fn main() {
    let folder = support::workspace().join("test-vectors");
    let trials = [("manifest.json", check_receipt as Check), ("quotes.json", check_quote)].into_iter().flat_map(|(manifest, check)| {
        let manifest = support::read_json(&folder.join(manifest));
        let vectors = manifest.as_array().cloned().expect("an array of vectors");
        let folder = folder.clone();
        vectors.into_iter().map(move |vector| {
            let folder = folder.clone();
            Trial::test(text(&vector["id"]), move || check(&folder, &vector).map_err(Failed::from))
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

type Check = fn(&Path, &Value) -> Result<(), String>;

fn check_receipt(folder: &Path, vector: &Value) -> Result<(), String> {
    let policy = String::from_utf8(support::read(&folder.join(text(&vector["policy"])))).map_err(|error| error.to_string())?;
    let policy: Policy = toml::from_str(&policy).map_err(|error| error.to_string())?;
    let receipt = support::read(&folder.join(text(&vector["receipt"])));
    let verifier = Verifier::new(policy, anchors(folder, &vector["anchors"])?);
    let report = verifier.verify(&Request::new(&receipt).judged_at(instant(vector)?));
    compare(report.outcome, &report.problems, vector)
}

fn check_quote(folder: &Path, vector: &Value) -> Result<(), String> {
    let [quote, collateral] = ["quote", "collateral"].map(|file| support::read(&folder.join(text(&vector[file]))));
    let report = verify_quote(&quote, &collateral, instant(vector)?, &anchors(folder, &vector["anchors"])?);
    compare(report.outcome, &report.problems, vector)
}

fn instant(vector: &Value) -> Result<Instant, String> {
    match vector["at"].as_str() {
        None => Ok(Instant::Collateral),
        Some(at) => Timestamp::parse_rfc3339(at).map(Instant::Given).map_err(|error| error.to_string()),
    }
}

fn compare(outcome: Outcome, problems: &[Problem], vector: &Value) -> Result<(), String> {
    let mut codes: Vec<&str> = problems.iter().map(|problem| problem.code.name()).collect();
    codes.sort_unstable();
    codes.dedup();
    let wanted: Vec<&str> = vector["codes"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if (outcome.name(), &codes) == (vector["outcome"].as_str().unwrap_or_default(), &wanted) {
        return Ok(());
    }
    let messages: Vec<String> =
        problems.iter().map(|problem| format!("{} at {}: {}", problem.code, problem.location, problem.message)).collect();
    Err(format!("{outcome} with {codes:?}\nwanted {} with {wanted:?}\n{}", vector["outcome"], messages.join("\n")))
}

fn anchors(folder: &Path, anchors: &Value) -> Result<Anchors, String> {
    if anchors.as_str() == Some("intel") {
        return Ok(Anchors::intel());
    }
    let root = Anchors::from_root(&support::read(&folder.join(text(&anchors["root"])))).map_err(|error| error.to_string())?;
    match anchors["tcb_signing"].as_str() {
        None => Ok(root),
        Some(path) => root.with_tcb_signing(&support::read(&folder.join(path))).map_err(|error| error.to_string()),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

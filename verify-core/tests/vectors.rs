//! Every vector of `test-vectors/manifest.json`, one named test each: the outcome and the exact codes.

#![expect(clippy::disallowed_methods, reason = "tests read files")]

mod support;

use std::path::Path;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use verify_core::{Anchors, Instant, Policy, Request, Timestamp, Verifier};

fn main() {
    let folder = support::workspace().join("test-vectors");
    let manifest = support::read_json(&folder.join("manifest.json"));
    let vectors = manifest.as_array().cloned().expect("an array of vectors");
    let trials = vectors.into_iter().map(|vector| {
        let folder = folder.clone();
        Trial::test(text(&vector["id"]), move || check(&folder, &vector).map_err(Failed::from))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

fn check(folder: &Path, vector: &Value) -> Result<(), String> {
    let policy = String::from_utf8(support::read(&folder.join(text(&vector["policy"])))).map_err(|error| error.to_string())?;
    let policy: Policy = toml::from_str(&policy).map_err(|error| error.to_string())?;
    let instant = match vector["at"].as_str() {
        None => Instant::Collateral,
        Some(at) => Instant::Given(Timestamp::parse_rfc3339(at).map_err(|error| error.to_string())?),
    };
    let receipt = support::read(&folder.join(text(&vector["receipt"])));
    let beside = |member: &str| vector[member].as_str().map(|path| support::read(&folder.join(path)));
    let (input, result) = (beside("input"), beside("result"));
    let mut request = Request::new(&receipt).judged_at(instant);
    if let Some(input) = &input {
        request = request.with_input(input);
    }
    if let Some(result) = &result {
        request = request.with_published_result(result);
    }
    let report = Verifier::new(policy, anchors(folder, &vector["anchors"])?).verify(&request);

    let mut codes: Vec<&str> = report.problems.iter().map(|problem| problem.code.name()).collect();
    codes.sort_unstable();
    codes.dedup();
    let wanted: Vec<&str> = vector["codes"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if (report.outcome.name(), &codes) == (vector["outcome"].as_str().unwrap_or_default(), &wanted) {
        return Ok(());
    }
    let messages: Vec<String> =
        report.problems.iter().map(|problem| format!("{} at {}: {}", problem.code, problem.location, problem.message)).collect();
    Err(format!("{} with {codes:?}\nwanted {} with {wanted:?}\n{}", report.outcome, vector["outcome"], messages.join("\n")))
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

//! Every vector of `test-vectors/manifest.json`, one named test each: the outcome, the exact codes, and that the report fits its
//! schema.

#![expect(clippy::disallowed_methods, reason = "tests read files")]

mod support;

use std::path::Path;
use std::sync::LazyLock;

use jsonschema::Validator;
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use verify_core::tier::Params;
use verify_core::{Anchors, Instant, Outcome, Policy, Problem, Report, Request, Timestamp, Verifier};

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
    let time = |member: &str| vector[member].as_str().map(|text| Timestamp::parse_rfc3339(text).expect("an instant"));
    let instant = time("at").map_or(Instant::Collateral, Instant::Given);
    let receipt = support::read(&folder.join(text(&vector["receipt"])));
    let mut request = Request::new(&receipt).judged_at(instant);
    request = time("now").map_or(request, |now| request.now(now));
    let fresh = vector["fresh"]["collateral"].as_str().map(|path| support::read(&folder.join(path)));
    if let Some(fresh) = &fresh {
        request = request.with_fresh_collateral(fresh);
    }
    let score = vector["score"].as_str().map(|path| String::from_utf8(support::read(&folder.join(path))).expect("UTF-8"));
    let params: Option<Params> = score.map(|text| toml::from_str(&text)).transpose().map_err(|error| error.to_string())?;
    if let Some(params) = &params {
        request = request.scored_by(params);
    }
    let report = Verifier::new(policy, anchors(folder, &vector["anchors"])?).verify(&request);

    fits_schema(&report)?;
    if let Some(fresh) = &report.fresh {
        compare(fresh.outcome, &fresh.problems, &vector["fresh"]).map_err(|difference| format!("fresh: {difference}"))?;
    }
    compare(report.outcome, &report.problems, vector)
}

fn fits_schema(report: &Report) -> Result<(), String> {
    static SCHEMA: LazyLock<Validator> = LazyLock::new(|| {
        let schema = support::read_json(&support::workspace().join("docs/report-v1.schema.json"));
        jsonschema::validator_for(&schema).expect("a valid schema")
    });
    let json: Value = serde_json::from_str(&report.to_json()).map_err(|error| error.to_string())?;
    let faults: Vec<String> = SCHEMA.iter_errors(&json).map(|error| format!("{}: {error}", error.instance_path())).collect();
    if json != serde_json::from_str::<Value>(&report.to_json_pretty()).map_err(|error| error.to_string())? {
        return Err("the two JSON forms of the report differ".to_owned());
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

/// The outcome and the codes are those that the vector wants.
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

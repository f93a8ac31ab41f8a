//! Every vector of `test-vectors/`, of receipts and of bare quotes, one named test each: the outcome, the exact codes, and that the
//! report fits its schema.

#![expect(clippy::disallowed_methods, reason = "tests read files")]

#[path = "support/run.rs"]
mod run;
mod support;

use std::path::Path;
use std::sync::LazyLock;

use jsonschema::Validator;
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use verify_core::dcap::verify_quote;
use verify_core::tier::Params;
use verify_core::{Anchors, Expectation, Instant, Outcome, Policy, Problem, Request, SignerKey, Timestamp, Verifier};

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
    let mut request = Request::new(&receipt).judged_at(judged(vector));
    request = instant(&vector["now"]).map_or(request, |now| request.now(now));
    let fresh = vector["fresh"]["collateral"].as_str().map(|path| support::read(&folder.join(path)));
    if let Some(fresh) = &fresh {
        request = request.with_fresh_collateral(fresh);
    }
    let expectations = vector["expect"].as_array().into_iter().flatten().map(|expectation| text(expectation).parse::<Expectation>());
    let expectations = expectations.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    let run = run::Run::of(vector["run"].as_str().map(|run| folder.join(run)).as_deref());
    let files = run.files();
    request = request.expecting(&expectations).with_run(&files);
    let input = vector["input"].as_str().map(|path| support::read(&folder.join(path)));
    if let Some(input) = &input {
        request = request.with_input(input);
    }
    let score = vector["score"].as_str().map(|path| String::from_utf8(support::read(&folder.join(path))).expect("UTF-8"));
    let params: Option<Params> = score.map(|text| toml::from_str(&text)).transpose().map_err(|error| error.to_string())?;
    if let Some(params) = &params {
        request = request.scored_by(params);
    }
    let report = Verifier::new(policy, anchors(folder, &vector["anchors"])?).verify(&request);

    fits_schema("", &report.to_json(), &report.to_json_pretty())?;
    if let Some(fresh) = &report.fresh {
        let as_carried = (report.outcome_as_carried.name(), vector["fresh"]["as_carried"].as_str().unwrap_or_default());
        if as_carried.0 != as_carried.1 {
            return Err(format!("as carried: {}; wanted {}", as_carried.0, as_carried.1));
        }
        compare(fresh.outcome, &fresh.problems, &vector["fresh"]).map_err(|difference| format!("fresh: {difference}"))?;
    }
    compare(report.outcome, &report.problems, vector)
}

fn check_quote(folder: &Path, vector: &Value) -> Result<(), String> {
    let [quote, collateral] = ["quote", "collateral"].map(|file| support::read(&folder.join(text(&vector[file]))));
    let report = verify_quote(&quote, &collateral, judged(vector), &anchors(folder, &vector["anchors"])?);
    fits_schema("#/$defs/quote_report", &report.to_json(), &report.to_json_pretty())?;
    compare(report.outcome, &report.problems, vector)
}

fn judged(vector: &Value) -> Instant {
    instant(&vector["at"]).map_or(Instant::Collateral, Instant::Given)
}

fn instant(value: &Value) -> Option<Timestamp> {
    value.as_str().map(|text| Timestamp::parse_rfc3339(text).expect("an instant"))
}

/// The two JSON forms of a report say the same and fit the committed schema, or that part of it.
fn fits_schema(part: &'static str, line: &str, pretty: &str) -> Result<(), String> {
    static SCHEMAS: LazyLock<[(&str, Validator); 2]> = LazyLock::new(|| {
        let whole = support::read_json(&support::workspace().join("docs/report-v1.schema.json"));
        let quotes = serde_json::json!({ "$ref": "#/$defs/quote_report", "$defs": whole["$defs"] });
        [("", whole), ("#/$defs/quote_report", quotes)]
            .map(|(part, schema)| (part, jsonschema::validator_for(&schema).expect("a valid schema")))
    });
    let json: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let (_, schema) = SCHEMAS.iter().find(|(known, _)| *known == part).expect("a part of the schema");
    let faults: Vec<String> = schema.iter_errors(&json).map(|error| format!("{}: {error}", error.instance_path())).collect();
    if json != serde_json::from_str::<Value>(pretty).map_err(|error| error.to_string())? {
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
    let keys = anchors["signer_keys"].as_array().into_iter().flatten().map(|key| text(key).parse().expect("a signer key"));
    let keys: Vec<SignerKey> = keys.collect();
    let root = Anchors::from_root(&support::read(&folder.join(text(&anchors["root"])))).map_err(|error| error.to_string())?;
    let root = root.with_signer_keys(keys);
    match anchors["tcb_signing"].as_str() {
        None => Ok(root),
        Some(path) => root.with_tcb_signing(&support::read(&folder.join(path))).map_err(|error| error.to_string()),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

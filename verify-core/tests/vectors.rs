//! Every vector of `test-vectors/`, of receipts and of bare quotes, one named test each: the outcome, the exact codes, and that the
//! report fits its schema.

#![expect(clippy::disallowed_methods, reason = "tests read files")]

#[path = "support/judge.rs"]
mod judge;
#[path = "support/run.rs"]
mod run;
mod support;

use std::path::Path;
use std::sync::LazyLock;

use jsonschema::Validator;
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use verify_core::{Outcome, Problem};

fn main() {
    let folder = support::workspace().join("test-vectors");
    let trials = [("manifest.json", check_receipt as Check), ("quotes.json", check_quote)].into_iter().flat_map(|(manifest, check)| {
        let folder = folder.clone();
        judge::vectors(manifest).into_iter().map(move |vector| {
            let folder = folder.clone();
            let id = vector["id"].as_str().expect("an id").to_owned();
            Trial::test(id, move || check(&folder, &vector).map_err(Failed::from))
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

type Check = fn(&Path, &Value) -> Result<(), String>;

fn check_receipt(folder: &Path, vector: &Value) -> Result<(), String> {
    let report = judge::receipt(folder, vector)?;

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
    let report = judge::quote(folder, vector)?;
    fits_schema("#/$defs/quote_report", &report.to_json(), &report.to_json_pretty())?;
    compare(report.outcome, &report.problems, vector)
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

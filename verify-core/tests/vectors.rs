//! Every vector of `test-vectors/`, of receipts and of bare quotes, one named test each: the outcome, the exact codes, and that the
//! report fits its schema.

#![expect(clippy::disallowed_methods, reason = "tests read files")]

#[path = "../examples/vectors/judge.rs"]
mod judge;
#[path = "../examples/vectors/run.rs"]
mod run;
mod support;

use std::path::Path;
use std::sync::LazyLock;

use jsonschema::Validator;
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use verify_core::Problem;

use crate::judge::Judged;

fn main() {
    let folder = support::workspace().join("test-vectors");
    let mut manifest = support::read_json(&folder.join("manifest.json"));
    let Value::Array(vectors) = manifest["vectors"].take() else { panic!("the manifest has no list of vectors") };
    let trials = vectors.into_iter().map(|vector| {
        let folder = folder.clone();
        let id = vector["id"].as_str().expect("an id").to_owned();
        Trial::test(id, move || check(&folder, &vector).map_err(Failed::from))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

fn check(folder: &Path, vector: &Value) -> Result<(), String> {
    let judged = judge::judge(folder, vector)?;
    let problems = match &judged {
        Judged::Receipt(report) => {
            fits_schema("", &report.to_json(), &report.to_json_pretty())?;
            report.problems.iter().chain(report.fresh.iter().flat_map(|fresh| &fresh.problems)).collect()
        }
        Judged::Quote(report) => {
            fits_schema("#/$defs/quote_report", &report.to_json(), &report.to_json_pretty())?;
            report.problems.iter().collect::<Vec<_>>()
        }
    };
    let answer = judged.answer();
    let differing = ["outcome", "codes"].into_iter().find(|member| answer[member] != vector[member]);
    let differing = differing.map(|member| (&answer[member], &vector[member])).or_else(|| {
        let members = ["as_carried", "outcome", "codes"].into_iter();
        let mut fresh = members.map(|member| (&answer["fresh"][member], &vector["fresh"][member]));
        fresh.find(|(found, wanted)| found != wanted)
    });
    let Some((found, wanted)) = differing else { return Ok(()) };
    let message = |problem: &Problem| format!("{} at {}: {}", problem.code, problem.location, problem.message);
    Err(format!("{found}\nwanted {wanted}\n{}", problems.into_iter().map(message).collect::<Vec<_>>().join("\n")))
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

//! Every vector of `test-vectors/`, of receipts, of bare quotes and of logs, one named test each: the outcome, the exact codes, and that the
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
    type Check = fn(&Path, &Value) -> Result<(), String>;
    let lists: [(&str, &str, Check); 2] = [("vectors", "", check), ("logs", "log ", check_log)];
    let trials = lists.into_iter().flat_map(|(list, prefix, check)| {
        let Value::Array(entries) = manifest[list].take() else { panic!("the manifest has no list of {list}") };
        let folder = folder.clone();
        entries.into_iter().map(move |entry| {
            let folder = folder.clone();
            let id = format!("{prefix}{}", entry["id"].as_str().expect("an id"));
            Trial::test(id, move || check(&folder, &entry).map_err(Failed::from))
        })
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

fn check_log(folder: &Path, entry: &Value) -> Result<(), String> {
    let audit = judge::audit(folder, entry)?;
    fits_schema("#/$defs/audit", &audit.to_json(), &audit.to_json_pretty())?;
    for line in audit.to_json_lines() {
        fits_schema("#/$defs/audit_line", &line, &line)?;
    }
    let answer = judge::answer_about_log(&audit);
    let Some(member) = ["outcome", "receipts", "codes"].into_iter().find(|member| answer[member] != entry[member]) else { return Ok(()) };
    let found: Vec<String> = audit.findings.iter().map(|finding| format!("{} {}", finding.file, finding.problem.message)).collect();
    let receipts = audit.receipts.iter().map(|group| format!("{}: {}", group.code, group.message));
    Err(format!("{}\nwanted {}\n{}", answer[member], entry[member], found.into_iter().chain(receipts).collect::<Vec<_>>().join("\n")))
}

/// The two JSON forms of a report say the same and fit the committed schema, or that part of it.
fn fits_schema(part: &'static str, line: &str, pretty: &str) -> Result<(), String> {
    static SCHEMAS: LazyLock<Vec<(&str, Validator)>> = LazyLock::new(|| {
        let whole = support::read_json(&support::workspace().join("docs/report-v1.schema.json"));
        let parts = ["#/$defs/quote_report", "#/$defs/audit", "#/$defs/audit_line"];
        let parts = parts.map(|part| (part, serde_json::json!({ "$ref": part, "$defs": whole["$defs"] })));
        let schemas = parts.into_iter().chain([("", whole.clone())]);
        schemas.map(|(part, schema)| (part, jsonschema::validator_for(&schema).expect("a valid schema"))).collect()
    });
    let json: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let (_, schema) = SCHEMAS.iter().find(|(known, _)| *known == part).expect("a part of the schema");
    let faults: Vec<String> = schema.iter_errors(&json).map(|error| format!("{}: {error}", error.instance_path())).collect();
    if json != serde_json::from_str::<Value>(pretty).map_err(|error| error.to_string())? {
        return Err("the two JSON forms of the report differ".to_owned());
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

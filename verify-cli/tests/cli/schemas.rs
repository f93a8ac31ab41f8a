//! The schemas of answers about measurements refuse what no answer holds. That they take what answers do hold, `Run::json` asks of each
//! answer that a test reads.

use std::fs;

use serde_json::{Value, json};

use crate::compare::{ARMS, run};
use crate::support::{CLAIM_FOLDER, TRACE_CLAIMS, TRACE_DIFFERS, copy_all, faults, folder, receipt, text, workspace};

const COMPONENT: &str = "verify-cli/tests/fixtures/bench/classify/component";
/// It lacks much.
const SCOUT: &str = "verify-cli/tests/fixtures/bench/classify/turbo";
const MATCHED: &str = "verify-cli/tests/fixtures/bench/classify/matched";

fn classify(folder: &str) -> Value {
    receipt(&["classify", "--promote", "--format", "json", &format!("{folder}/record.json")]).json()
}

/// Every form of an answer, with places where only some words, figures or digests may stand.
fn answers() -> Vec<(Value, &'static [&'static str])> {
    let folder = folder("schemas");
    let floor = run("floor @/stock-again-1.json @/stock-again-2.json");
    let floor_file = folder.join("floor.json");
    fs::write(&floor_file, &floor.stdout).unwrap();
    let floors = format!("--floor {0} --between-windows {0}", text(&floor_file));
    let trace = |claims: &str, page: &str| receipt(&["trace", claims, "--coverage", page, "--format", "json"]).json();
    let [contradicted, unreadable] = ["contradicted", "unreadable"].map(|name| {
        let folder = folder.join(name);
        copy_all(&workspace().join(CLAIM_FOLDER), &folder);
        folder
    });
    fs::write(contradicted.join("prompts.txt"), "others").unwrap();
    fs::remove_file(unreadable.join("prompts.txt")).unwrap();
    vec![
        (
            run(&format!("{ARMS} --format json {floors} --drain @/drain.json --gate @/gate.json")).json(),
            &[
                "/exit/code",
                "/exit/name",
                "/inputs/A/0/sha256",
                "/profile_verified/profile_sha256",
                "/profile_verified/fields/0/result",
                "/points/0/A/requests",
                "/metrics/0/better",
                "/metrics/0/method",
                "/metrics/0/floor/reading",
                "/metrics/0/between_windows/reading",
                "/drain/killed",
                "/gate/result",
            ],
        ),
        (run("compare --format json @/a-sweep.json @/b-sweep-other-seed.json").json(), &["/exit/code", "/exit/name"]),
        (
            floor.json(),
            &["/pairs", "/inputs/0/A/0/sha256", "/metrics/0/point", "/metrics/0/better", "/metrics/0/method", "/metrics/0/floor_pct"],
        ),
        (run("floor @/a-sweep.json @/b-sweep.json").json(), &["/exit/code", "/exit/name", "/refused/schema", "/refused/exit/name"]),
        (
            trace(TRACE_DIFFERS, "page.md"),
            &[
                "/exit/code",
                "/exit/name",
                "/made",
                "/claims/0/kind",
                "/claims/0/verdict",
                "/claims/0/backing",
                "/claims/0/published/line",
                "/claims/0/sources/0/sha256",
                "/coverage/numbers",
            ],
        ),
        (trace(TRACE_CLAIMS, "lost.md"), &["/exit/code", "/exit/name", "/claims/5/retired/standing"]),
        (
            classify(SCOUT),
            &[
                "/tool/name",
                "/record_sha256",
                "/exit/code",
                "/exit/name",
                "/class",
                "/name",
                "/next",
                "/not_recorded/0",
                "/needs/0/classes/0",
                "/needs/0/pointer",
                "/files/0/found",
                "/change/better",
                "/change/percent",
                "/promotion/conditions/0/id",
                "/promotion/conditions/0/answer",
            ],
        ),
        (classify(text(&contradicted)), &["/exit/code", "/exit/name", "/contradictions/0/kind", "/contradictions/0/pointer"]),
        (classify(text(&unreadable)), &["/exit/code", "/exit/name", "/unreadable/0/kind"]),
        (classify(text(&folder)), &["/exit/code", "/exit/name"]),
    ]
}

#[test]
fn what_no_answer_holds_is_refused() {
    for (answer, words) in answers() {
        assert_eq!(faults(&answer), Some(Vec::new()));
        for (pointer, value) in places(&answer) {
            refuses(&answer, &pointer, json!([[]]));
            if value.is_object() {
                let mut more = value.clone();
                more["surprise"] = json!([[]]);
                refuses(&answer, &pointer, more);
            }
        }
        for pointer in words {
            let is_number = answer.pointer(pointer).is_some_and(Value::is_number);
            refuses(&answer, pointer, if is_number { json!(-1) } else { json!("surprise") });
        }
    }
}

/// Words that are each known, and do not go together.
#[test]
fn a_class_goes_with_what_it_is_made_of() {
    let known = [COMPONENT, SCOUT, MATCHED].map(classify);
    for answer in &known {
        for other in known.iter().filter(|other| other["class"] != answer["class"]) {
            ["class", "name", "next"].iter().for_each(|member| refuses(answer, &format!("/{member}"), other[member].clone()));
        }
    }
    let lack = |kind: &str| json!([{ "kind": kind, "pointer": "/rows", "why": "" }]);
    for (pointer, other) in [
        ("/class", Value::Null),
        ("/needs", json!([])),
        ("/contradictions", lack("not-met")),
        ("/unreadable", lack("unreadable")),
        ("/exit", json!({ "code": 3, "name": "MISSING" })),
        ("/exit", json!({ "code": 4, "name": "MISMATCH" })),
        ("/exit", json!({ "code": 0, "name": "UNVERIFIABLE" })),
        ("/promotion/allowed", json!(true)),
        ("/promotion/conditions", json!([])),
        ("/promotion/conditions/0/answer", json!("met")),
        ("/promotion/conditions/0/answer", json!("refused")),
    ] {
        refuses(&known[1], pointer, other);
    }
}

#[test]
fn every_schema_is_named_where_readers_look() {
    let names = fs::read_dir(workspace().join("docs")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let schemas: Vec<String> = names.filter(|name| name.ends_with(".schema.json")).collect();
    assert!(schemas.len() >= 5, "{schemas:?}");
    for page in ["README.md", "ARCHITECTURE.md", "docs/stability.md"] {
        let page_text = fs::read_to_string(workspace().join(page)).unwrap();
        for schema in &schemas {
            assert!(page_text.contains(schema), "{page} does not name {schema}");
        }
    }
}

/// Its schema refuses `answer` with `other` at `pointer`.
fn refuses(answer: &Value, pointer: &str, other: Value) {
    let mut changed = answer.clone();
    *changed.pointer_mut(pointer).unwrap_or_else(|| panic!("there is no {pointer} in {answer}")) = other.clone();
    assert_ne!(faults(&changed), Some(Vec::new()), "{other} at {pointer} of {answer}");
}

/// Every value of a document, with its pointer.
fn places(document: &Value) -> Vec<(String, &Value)> {
    let mut found = vec![(String::new(), document)];
    let mut next = 0;
    while let Some((pointer, value)) = found.get(next).cloned() {
        let below: Vec<(String, &Value)> = match value {
            Value::Object(members) => members.iter().map(|(name, value)| (name.replace('~', "~0").replace('/', "~1"), value)).collect(),
            Value::Array(items) => items.iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect(),
            _ => Vec::new(),
        };
        found.extend(below.into_iter().map(|(name, value)| (format!("{pointer}/{name}"), value)));
        next += 1;
    }
    found
}

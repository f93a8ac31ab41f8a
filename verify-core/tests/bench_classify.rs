//! Classes of recorded measurements: the worked examples of the policy, and of every need a record that meets it and one that fails it.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "tests read and write files and the environment, and say what is skipped"
)]

#[path = "support/records.rs"]
mod records;
#[expect(dead_code, reason = "other tests read JSON")]
mod support;

use std::collections::BTreeSet;

use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use vector_gen::pki::Signer;
use vector_gen::receipt::{Material, digest};
use verify_core::bench::classify::{Class, Classification, LackKind, Record};
use verify_core::bench::{Files, Question, RawFile, floor};
use verify_core::{Anchors, Policy, Request, Verifier};

use records::{Fixture, RECORD, REVIEWER};

fn judge(fixture: &Fixture) -> Classification {
    let policy = support::read(&support::workspace().join("test-vectors/policies/test.toml"));
    judge_by(toml::from_str(&String::from_utf8(policy).unwrap()).unwrap(), fixture)
}

fn judge_by(policy: Policy, fixture: &Fixture) -> Classification {
    let sealed = fixture.sealed();
    let vectors = support::workspace().join("test-vectors");
    let keys = [REVIEWER, "receipt signer"].map(|name| HEXLOWER.encode(&Signer::named(name).public_key()).parse().unwrap());
    let anchors = Anchors::from_root(&support::read(&vectors.join("pki/root.pem")))
        .and_then(|anchors| anchors.with_tcb_signing(&support::read(&vectors.join("pki/tcb_signing.pem"))))
        .unwrap()
        .with_signer_keys(keys);
    let verifier = Verifier::new(policy, anchors.clone());
    let record = Record::read(&sealed[RECORD]).unwrap();
    let mut files = Files::default();
    for _ in 0..2 {
        for name in record.names(&files) {
            let content = sealed.get(&name).cloned().ok_or_else(|| "there is no such file".to_owned());
            files.add(name, content);
        }
    }
    record.classify(&files, &anchors, &|receipt| verifier.verify(&Request::new(receipt)))
}

/// What the next class lacks, each as `pointer: why`.
fn missing(answer: &Classification) -> Vec<String> {
    answer.missing().filter_map(|need| need.lack.as_ref()).map(|lack| format!("{} {}", lack.pointer, lack.why)).collect()
}

/// The answers P1 to P7, each with its pointer and reason where it is not met.
fn conditions(answer: &Classification) -> Vec<String> {
    let promotion = answer.promotion.as_ref().unwrap();
    let shown = promotion.conditions.iter().map(|condition| {
        let lack = condition.lack.as_ref().map_or_else(String::new, |lack| format!(": {} {}", lack.pointer, lack.why));
        format!("{} {}{lack}", condition.id, condition.answer)
    });
    shown.collect()
}

// The worked examples.

#[test]
fn the_component_is_a_component_however_much_is_recorded() {
    let answer = judge(&records::component());
    assert_eq!((answer.class, answer.next, answer.exit_code(None)), (Some(Class::Component), None, 0));
    assert_eq!(answer.contradictions, []);
    let change = answer.change.as_ref().unwrap();
    assert_eq!((change.percent.as_deref(), change.recomputed), (Some("+98.98"), true));
    assert_eq!(
        conditions(&answer),
        [
            "P1 met",
            "P2 met",
            r#"P3 refused: /endpoint/kind is "component", not the endpoint of a system"#,
            "P4 refused: /quality/measured is false",
            "P5 met",
            "P6 refused: /resources is recorded as none",
            "P7 met",
        ]
    );
    let mut all = records::claim_grade();
    for record in [&mut all.record, all.control.as_mut().unwrap()] {
        record["endpoint"]["kind"] = "component".into();
    }
    assert_eq!(judge(&all).class, Some(Class::Component));
}

#[test]
fn a_component_may_be_published_as_one_where_it_is_named_and_bounded() {
    let exception = |change: &dyn Fn(&mut Value)| {
        let mut fixture = records::component();
        change(&mut fixture.record);
        judge(&fixture).promotion.unwrap().component_exception.map(|lack| format!("{} {}", lack.pointer, lack.why))
    };
    assert_eq!(exception(&|_| {}), None);
    let refused = |change: &dyn Fn(&mut Value), why: &str| assert_eq!(exception(change).as_deref(), Some(why));
    refused(
        &|record| record["closure"]["wording"] = "A hundred times faster.".into(),
        r#"/closure/wording does not name the component "plan construction""#,
    );
    refused(&|record| record["closure"]["prohibited"] = json!([]), "/closure/prohibited is recorded as none");
    refused(&|record| drop(record["closure"].as_object_mut().unwrap().remove("prohibited")), "/closure/prohibited is not recorded");
    for nothing in ["TBD", "none"] {
        let prohibited = json!(["quality", nothing]);
        refused(&|record| record["closure"]["prohibited"] = prohibited.clone(), "/closure/prohibited/1 names no inference");
    }
    refused(&|record| record["endpoint"]["kind"] = "system".into(), r#"/endpoint/kind is "system", not a component"#);
}

#[test]
fn what_changes_semantics_stays_a_scout() {
    let answer = judge(&records::turbo());
    assert_eq!(answer.class, Some(Class::Scout));
    assert_eq!(answer.change.as_ref().unwrap().percent.as_deref(), Some("+23.50"));
    assert!(!answer.change.as_ref().unwrap().recomputed);
    assert_eq!(answer.verdict.as_deref(), Some("semantic-changing diagnostic"));
    assert_eq!(conditions(&answer)[1], "P2 refused: /equivalence/tolerance was not agreed, and the semantics are not identical");
    assert_eq!(
        answer.not_recorded,
        ["/runtime", "/affinity", "/warmup", "/order", "/aggregation", "/uncertainty", "/exclusions", "/claim_boundary"]
    );
}

#[test]
fn five_cases_of_equality_are_a_scout() {
    let answer = judge(&records::k32());
    assert_eq!((answer.class, answer.next), (Some(Class::Scout), Some(Class::Matched)));
    assert!(missing(&answer).contains(&r#"/endpoint/kind is "quality"; wanted system"#.to_owned()));
    assert!(!answer.promotion.unwrap().allowed);
}

#[test]
fn a_table_of_two_endpoints_has_no_control() {
    let answer = judge(&records::table_of_two_endpoints());
    assert_eq!(answer.class, Some(Class::Scout));
    assert_eq!(answer.not_recorded, ["/affinity", "/uncertainty", "/exclusions", "/claim_boundary"]);
    let mut fixture = records::table_of_two_endpoints();
    for record in [&mut fixture.record, fixture.control.as_mut().unwrap()] {
        record["affinity"] = json!([]);
    }
    assert!(missing(&judge(&fixture)).contains(&"/control differs in /semantics/quantisation, /endpoint/name, /runtime".to_owned()));
}

#[test]
fn one_run_a_cell_is_a_scout() {
    let answer = judge(&records::one_run_a_cell());
    assert_eq!(answer.class, Some(Class::Scout));
    assert_eq!(answer.not_recorded, ["/runtime/digest", "/affinity", "/order"]);
    let lacks = missing(&answer);
    assert!(lacks.contains(&"/repetitions is 1; wanted at least 2".to_owned()), "{lacks:?}");
    let mut fixture = records::one_run_a_cell();
    for record in [&mut fixture.record, fixture.control.as_mut().unwrap()] {
        record["affinity"] = "none".into();
    }
    assert!(missing(&judge(&fixture)).contains(&"/control differs in /workload/prompt_tokens_observed".to_owned()));
}

#[test]
fn one_repetition_is_a_scout() {
    let answer = judge(&records::one_repetition());
    assert_eq!(answer.class, Some(Class::Scout));
    assert_eq!(answer.not_recorded, ["/warmup", "/order", "/uncertainty"]);
    assert!(missing(&answer).contains(&"/rows is not recorded".to_owned()));
}

#[test]
fn a_matched_result_lacks_what_makes_a_claim() {
    let answer = judge(&records::matched());
    assert_eq!((answer.class, answer.next), (Some(Class::Matched), Some(Class::ClaimGrade)), "{:#?}", missing(&answer));
    let pointers: Vec<&str> = answer.missing().map(|need| need.pointer).collect();
    let wanted = ["/protocol", "/protocol/frozen_at", "/thresholds", "/repetitions", "/quality/measured", "/quality", "/quality/source"];
    assert_eq!(pointers[..7], wanted);
    assert_eq!(pointers[7..], ["/statistics", "/lineage", "/review/independent", "/review", "/closure"]);
}

#[test]
fn a_claim_is_a_claim_with_all_of_it() {
    let answer = judge(&records::claim_grade());
    assert_eq!((answer.class, answer.next), (Some(Class::ClaimGrade), None), "{:#?}", answer.needs);
    assert_eq!(answer.unread, [""; 0]);
    let promotion = answer.promotion.as_ref().unwrap();
    assert!(promotion.allowed, "{promotion:#?}");
    assert_eq!(answer.change.unwrap().percent.as_deref(), Some("+20.00"));
}

// Every need by itself.

/// Takes what stands at `pointer` out.
fn without(record: &mut Value, pointer: &str) {
    let (above, name) = pointer.rsplit_once('/').unwrap();
    record.pointer_mut(above).unwrap().as_object_mut().unwrap().remove(name).unwrap_or_else(|| panic!("{pointer}"));
}

/// Another value at `pointer`, or the first one.
fn put(record: &mut Value, pointer: &str, value: Value) {
    let (above, name) = pointer.rsplit_once('/').unwrap();
    match record.pointer_mut(above).unwrap() {
        Value::Array(items) if name.parse() == Ok(items.len()) => items.push(value),
        Value::Array(items) => items[name.parse::<usize>().unwrap()] = value,
        object => object[name] = value,
    }
}

/// Sets both the record and its control, so that they stay alike.
fn both(fixture: &mut Fixture, change: impl Fn(&mut Value)) {
    change(&mut fixture.record);
    change(fixture.control.as_mut().unwrap());
}

/// A raw file of two requests.
fn raw(seed: u32, ms: f64) -> Value {
    let row = json!({ "ok": true, "ttft_ms": 10, "tpot_ms": 2, "e2e_ms": ms, "completion_tokens": 100 });
    json!({
        "format": "native-single/1",
        "profile": {
            "concurrency": 1, "requests": 2, "warmup_requests": 0, "input_tokens_target": 512, "output_tokens_target": 100,
            "temperature": 0, "top_p": 1, "streaming": true, "ignore_eos": true, "seed": seed, "prompt_sha256": "0d".repeat(32)
        },
        "rows": [row, row]
    })
}

/// Raw files of both sides, that of the control first.
fn name_raw_files(fixture: &mut Fixture, seeds: [u32; 2]) {
    fixture.put("raw-old.json", &raw(seeds[0], 250.0));
    fixture.put("raw-new.json", &raw(seeds[1], 200.0));
    fixture.control.as_mut().unwrap()["raw"] = json!([{ "path": "raw-old.json" }]);
    fixture.record["raw"] = json!([{ "path": "raw-new.json" }]);
}

/// A floor of one pair in the place of the interval, its distances times `factor`.
fn name_floor(fixture: &mut Fixture, factor: f64) {
    fixture.put("floor-a.json", &raw(1, 200.0));
    fixture.put("floor-b.json", &raw(1, 201.0));
    let mut files = Files::default();
    for arm in ["a", "b"] {
        files.add(arm, Ok(fixture.files[&format!("floor-{arm}.json")].clone()));
    }
    let floored = floor(&[Question::new(&files, vec![RawFile::new("a")], vec![RawFile::new("b")])]);
    let mut measured = serde_json::to_value(floored.floor.expect("a floor")).unwrap();
    for metric in measured["metrics"].as_array_mut().unwrap() {
        metric["floor_pct"] = json!(metric["floor_pct"].as_f64().unwrap() * factor);
    }
    fixture.put("floor.json", &measured);
    let pairs = json!([{ "a": [{ "path": "floor-a.json" }], "b": [{ "path": "floor-b.json" }] }]);
    fixture.record["statistics"] = json!({ "floor": { "path": "floor.json", "pairs": pairs } });
}

/// An edit of the claim-grade record: the class that is left, and what is lacking then that was not before, each as pointer and words.
type Edit = (Class, &'static [(&'static str, &'static str)], fn(&mut Fixture));

const FROZEN: &str = "the protocol was frozen before the run";
const UNCHANGED: &str = "protocol and thresholds were not changed after the start";
const PINNED: &str = "no member of the candidate is left open";
const FIGURES: &str = "the figures, where there are some, can be computed again";
const MEASURED: &str = "the control has sources, samples and rows of its own";
const TIMELY: &str = "the control started within a week of the candidate";
const ALIKE: &str = "the control has the same semantics, workload and environment";

const EDITS: &[Edit] = &[
    (
        Class::Number,
        &[("/candidate", "the candidate is named"), ("/candidate", PINNED), ("/control", "the control is of another candidate")],
        |fixture| without(&mut fixture.record, "/candidate"),
    ),
    (Class::Scout, &[("/candidate", PINNED)], |fixture| put(&mut fixture.record, "/candidate/commit", "TBD".into())),
    (Class::Scout, &[("/result", FIGURES)], |fixture| without(&mut fixture.record, "/result/a/arm")),
    (Class::Scout, &[("/control", MEASURED)], |fixture| without(fixture.control.as_mut().unwrap(), "/rows")),
    (Class::Scout, &[("/control", TIMELY)], |fixture| {
        put(fixture.control.as_mut().unwrap(), "/run/started_at", "2023-07-01T10:00:00Z".into())
    }),
    (Class::Number, &[("/endpoint/name", "the endpoint is named")], |fixture| both(fixture, |record| without(record, "/endpoint/name"))),
    (Class::Scout, &[("/endpoint/kind", "the endpoint is of a system")], |fixture| {
        both(fixture, |record| put(record, "/endpoint/kind", "quality".into()));
    }),
    (
        Class::Number,
        &[("/endpoint/kind", "the endpoint is of a system"), ("/endpoint/kind", "the endpoint is of a system or of its quality")],
        |fixture| {
            both(fixture, |record| put(record, "/endpoint/kind", "kernel".into()));
        },
    ),
    (Class::Number, &[("/units", "the units are named"), ("/control", ALIKE)], |fixture| both(fixture, |record| without(record, "/units"))),
    (Class::Number, &[("/samples", "there is at least one sample")], |fixture| without(&mut fixture.record, "/samples")),
    (Class::Number, &[("/source", "every source artifact is there with its digest")], |fixture| {
        fixture.review(&format!("{} and {}", digest(&fixture.files["rows.json"]), "0e".repeat(32)));
        put(&mut fixture.record, "/source/1", json!({ "path": "gone.json", "sha256": "0e".repeat(32) }));
    }),
    (Class::Scout, &[("/claim_boundary", "the claim has a boundary")], |fixture| put(&mut fixture.record, "/claim_boundary", "n/a".into())),
    (Class::Scout, &[("/run/status", "the run is complete")], |fixture| put(&mut fixture.record, "/run/status", "interrupted".into())),
    (Class::Scout, &[("/run/status", "the run is complete")], |fixture| without(&mut fixture.record, "/run/status")),
    (Class::Scout, &[("/protocol", UNCHANGED)], |fixture| {
        put(&mut fixture.record, "/protocol/amended_at", "2026-07-01T12:00:01+02:00".into())
    }),
    (Class::Scout, &[("/endpoint/is_claim_endpoint", "the endpoint is the one of the claim")], |fixture| {
        both(fixture, |record| put(record, "/endpoint/is_claim_endpoint", false.into()));
    }),
    (Class::Scout, &[("/failures", "the failures are those of the rows")], |fixture| put(&mut fixture.record, "/failures", "few".into())),
    (Class::Scout, &[("/control", ALIKE)], |fixture| put(&mut fixture.record, "/workload/concurrency", 8.into())),
    (Class::Scout, &[("/control", ALIKE)], |fixture| without(fixture.control.as_mut().unwrap(), "/semantics")),
    (Class::Scout, &[("/control", "the run of the control is complete")], |fixture| {
        put(fixture.control.as_mut().unwrap(), "/run/status", "failed".into());
    }),
    (Class::Scout, &[("/control", "the control is of another candidate")], |fixture| {
        fixture.control.as_mut().unwrap()["candidate"] = fixture.record["candidate"].clone();
    }),
    (
        Class::Scout,
        &[
            ("/control", "the control is a record of its own"),
            ("/control", "the run of the control is complete"),
            ("/control", MEASURED),
            ("/control", TIMELY),
            ("/control", ALIKE),
            ("/control", "the control is of another candidate"),
        ],
        |fixture| without(&mut fixture.record, "/control"),
    ),
    (Class::ClaimGrade, &[], |fixture| name_floor(fixture, 1.0)),
    (Class::Matched, &[("/statistics", "an interval or a floor can be computed again")], |fixture| {
        name_floor(fixture, 1.0);
        without(&mut fixture.record, "/statistics/floor/pairs");
    }),
    (Class::Scout, &[("/raw", "the raw files compare with those of the control, where both name some")], |fixture| {
        name_raw_files(fixture, [1, 2]);
    }),
    (Class::ClaimGrade, &[], |fixture| name_raw_files(fixture, [1, 1])),
    (Class::ClaimGrade, &[], |fixture| {
        name_raw_files(fixture, [1, 2]);
        without(fixture.control.as_mut().unwrap(), "/raw");
    }),
    (Class::Matched, &[("/protocol/frozen_at", FROZEN)], |fixture| {
        fixture.put("protocol.json", &json!({ "thresholds": { "gain_percent": 5 }, "min_repetitions": 3 }));
        put(&mut fixture.record, "/protocol/frozen_at", "2026-07-01T10:00:00Z".into());
    }),
    (
        Class::Matched,
        &[
            ("/protocol", "the protocol is there with its digest"),
            ("/protocol/frozen_at", FROZEN),
            ("/thresholds", "the thresholds are those of the protocol"),
            ("/repetitions", "it was repeated as often as the protocol asks"),
        ],
        |fixture| without(&mut fixture.record, "/protocol"),
    ),
    (Class::Scout, &[("/protocol", UNCHANGED), ("/thresholds", "the thresholds are those of the protocol")], |fixture| {
        put(&mut fixture.record, "/thresholds/gain_percent", 4.into());
    }),
    (Class::Scout, &[("/protocol", UNCHANGED), ("/thresholds", "the thresholds are those of the protocol")], |fixture| {
        let thresholds = json!({ "gain_percent": 5, "loss_percent": "TBD" });
        fixture.put("protocol.json", &json!({ "thresholds": thresholds, "min_repetitions": 3 }));
        put(&mut fixture.record, "/thresholds", thresholds);
    }),
    (Class::Matched, &[("/thresholds", "the thresholds are those of the protocol")], |fixture| without(&mut fixture.record, "/thresholds")),
    (Class::Matched, &[("/repetitions", "it was repeated as often as the protocol asks")], |fixture| {
        fixture.put("protocol.json", &json!({ "thresholds": { "gain_percent": 5 }, "min_repetitions": 4 }));
    }),
    (Class::Matched, &[("/quality/measured", "quality was measured")], |fixture| {
        put(&mut fixture.record, "/quality/measured", false.into())
    }),
    (Class::Matched, &[("/quality", "quality is on a par, or its materiality is stated")], |fixture| {
        put(&mut fixture.record, "/quality/parity", "fail".into());
    }),
    (Class::Matched, &[("/quality/source", "the artifact of the quality is there with its digest")], |fixture| {
        without(&mut fixture.record, "/quality/source");
    }),
    (Class::Matched, &[("/statistics", "an interval or a floor can be computed again")], |fixture| {
        put(&mut fixture.record, "/statistics/interval/method", "bootstrap".into());
    }),
    (Class::Matched, &[("/lineage", "every input is there with its digest, and its receipt is verified")], |fixture| {
        put(&mut fixture.record, "/lineage", json!([]));
    }),
    (Class::Matched, &[("/lineage", "every input is there with its digest, and its receipt is verified")], |fixture| {
        put(&mut fixture.record, "/lineage/0", json!({ "name": "weights", "sha256": "0d".repeat(32) }));
    }),
    (Class::Matched, &[("/review/independent", "the review is independent")], |fixture| {
        put(&mut fixture.record, "/review/independent", false.into());
    }),
    (Class::Matched, &[("/review", "the review is signed, or has a receipt, and is of these artifacts")], |fixture| {
        fixture.review("I looked at something.");
    }),
    (Class::Matched, &[("/closure", "owner, wording and prohibited inferences are stated")], |fixture| {
        without(&mut fixture.record, "/closure/wording")
    }),
    (Class::Matched, &[("/closure", "owner, wording and prohibited inferences are stated")], |fixture| {
        put(&mut fixture.record, "/closure/prohibited", "none".into());
    }),
    (
        Class::Scout,
        &[("/rows", "there are rows of every repetition"), ("/repetitions", "it was repeated as often as the protocol asks")],
        |fixture| {
            let mut rows: Value = serde_json::from_slice(&fixture.files["rows.json"]).unwrap();
            rows["candidate"][2] = json!([]);
            fixture.put("rows.json", &rows);
            let reviewed = digest(&fixture.files["rows.json"]);
            fixture.review(&reviewed);
            put(&mut fixture.record, "/samples", json!({ "candidate": 6, "control": 9 }));
            put(&mut fixture.record, "/statistics/interval", json!({ "arm": "candidate", "method": "range", "low": 1.9, "high": 2.1 }));
        },
    ),
    (
        Class::Scout,
        &[("/repetitions", "it was repeated at least twice"), ("/repetitions", "it was repeated as often as the protocol asks")],
        |fixture| {
            let rows = fixture.record["rows"].as_array_mut().unwrap();
            rows.retain(|entry| entry["at"].as_str().unwrap().ends_with("/0"));
            put(&mut fixture.record, "/repetitions", 1.into());
            put(&mut fixture.record, "/order", "sequential".into());
            put(&mut fixture.record, "/samples", 3.into());
            put(&mut fixture.record, "/statistics/interval", json!({ "arm": "candidate", "method": "range", "low": 1.9, "high": 2.1 }));
        },
    ),
    (Class::Scout, &[("/workload", "the workload"), ("/control", ALIKE)], |fixture| without(&mut fixture.record, "/workload")),
    (Class::Scout, &[("/model", "the identity of the model"), ("/control", ALIKE)], |fixture| without(&mut fixture.record, "/model")),
    (Class::Scout, &[("/data", "the identity of the data"), ("/control", ALIKE)], |fixture| without(&mut fixture.record, "/data")),
    (Class::Scout, &[("/scale", "the scale"), ("/control", ALIKE)], |fixture| without(&mut fixture.record, "/scale")),
    (Class::Scout, &[("/hardware", "the hardware"), ("/control", ALIKE)], |fixture| without(&mut fixture.record, "/hardware")),
    (Class::Scout, &[("/runtime", "the runtime"), ("/control", ALIKE)], |fixture| without(&mut fixture.record, "/runtime")),
    (Class::Scout, &[("/affinity", "the affinity"), ("/control", ALIKE)], |fixture| without(&mut fixture.record, "/affinity")),
    (Class::Scout, &[("/warmup", "the warm-up"), ("/control", ALIKE)], |fixture| without(&mut fixture.record, "/warmup")),
    (Class::Scout, &[("/order", "the order or randomisation")], |fixture| without(&mut fixture.record, "/order")),
    (Class::Scout, &[("/aggregation", "the aggregation"), ("/control", ALIKE)], |fixture| without(&mut fixture.record, "/aggregation")),
    (Class::Scout, &[("/uncertainty", "the uncertainty")], |fixture| put(&mut fixture.record, "/uncertainty", " Unknown ".into())),
    (Class::Scout, &[("/exclusions", "the exclusions")], |fixture| put(&mut fixture.record, "/exclusions", Value::Null)),
];

fn lacking(answer: &Classification) -> BTreeSet<(&'static str, &'static str)> {
    answer.needs.iter().filter(|need| need.lack.is_some()).map(|need| (need.pointer, need.needs)).collect()
}

#[test]
fn every_need_fails_by_itself() {
    let before = lacking(&judge(&records::claim_grade()));
    let mut failed = BTreeSet::new();
    for (index, (class, lacks, edit)) in EDITS.iter().enumerate() {
        let mut fixture = records::claim_grade();
        edit(&mut fixture);
        let answer = judge(&fixture);
        assert_eq!(answer.contradictions, [], "{index}");
        let now: BTreeSet<_> = lacking(&answer).difference(&before).copied().collect();
        assert_eq!((answer.class, &now), (Some(*class), &lacks.iter().copied().collect()), "{index}");
        failed.extend(now);
    }
    // What the claim-grade record cannot fail, because it is of a system; and the whole endpoint, whose parts fail before it.
    assert_eq!(before, [("/endpoint/kind", "the endpoint is a component")].into());
    let all: BTreeSet<_> = judge(&records::claim_grade()).needs.iter().map(|need| (need.pointer, need.needs)).collect();
    let untried: Vec<_> = all.difference(&failed).filter(|need| !before.contains(*need)).collect();
    assert_eq!(untried, [&("/endpoint", "the endpoint")]);
}

/// A lack, and the edit of a part of the claim-grade record that leads to it.
type Reason = (&'static str, fn(&mut Value));

/// What the claim-grade record lacks for its next class after an edit that contradicts nothing.
fn lacks_after(edit: impl Fn(&mut Fixture)) -> Vec<String> {
    let mut fixture = records::claim_grade();
    edit(&mut fixture);
    let answer = judge(&fixture);
    assert_eq!(answer.contradictions, []);
    missing(&answer)
}

#[test]
fn figures_that_cannot_be_computed_again_make_no_matched_result() {
    let cases: [Reason; 11] = [
        ("/result/a/arm is not recorded", |result| without(result, "/a/arm")),
        (r#"/result/b has no rows of the arm "nobody""#, |result| put(result, "/b/arm", "nobody".into())),
        ("/result/b/value is not recorded", |result| without(result, "/b")),
        ("/result/a/value is a string; wanted a number", |result| put(result, "/a/value", "2.5".into())),
        ("/result/statistic is not recorded", |result| without(result, "/statistic")),
        (r#"/result/statistic is "best"; wanted mean, median, min, max or percentile"#, |result| put(result, "/statistic", "best".into())),
        ("/result/method is not recorded", |result| put(result, "/statistic", "percentile".into())),
        ("/result/better is not recorded", |result| without(result, "/better")),
        (r#"/result/better is "faster"; wanted "higher" or "lower""#, |result| put(result, "/better", "faster".into())),
        ("/result/percent is a string; wanted a number", |result| put(result, "/percent", "900 %".into())),
        ("/result is written too coarsely: the two figures make +33.33 %, the rows +18.52 %", |result| {
            // The greatest of each arm: 2.7 and 2.2.
            let [a, b] = [("control", 3), ("candidate", 2)].map(|(arm, value)| json!({ "arm": arm, "value": value }));
            *result = json!({ "statistic": "max", "better": "lower", "a": a, "b": b });
        }),
    ];
    for (lack, edit) in cases {
        assert_eq!(lacks_after(|fixture| edit(&mut fixture.record["result"])), [lack]);
    }
    assert_eq!(lacks_after(|fixture| without(&mut fixture.record, "/result")), [""; 0], "no figure is none that is wrong");
    let mut fixture = records::component();
    without(&mut fixture.record, "/result/a/arm");
    assert_eq!(judge(&fixture).class, Some(Class::Component));
}

#[test]
fn a_member_left_open_leaves_its_field_open() {
    let deep = (0..12).fold(json!("TBD"), |below, _| json!([below]));
    for (place, value) in [
        ("/model/sha256", json!("TBD")),
        ("/hardware/driver", json!("unknown")),
        ("/runtime/engine", Value::Null),
        ("/workload/concurrency", json!({})),
        ("/data/sha256", json!("0".repeat(64))),
        ("/scale/nodes", json!("n/a")),
    ] {
        let lacks = lacks_after(|fixture| both(fixture, |record| put(record, place, value.clone())));
        let lack = format!("{place} is not recorded");
        assert_eq!(lacks, [lack.as_str(), &lack], "the field, and what the control has in common");
    }
    let lacks = lacks_after(|fixture| both(fixture, |record| put(record, "/scale", json!([1, deep]))));
    assert_eq!(lacks[0], format!("/scale/1{} is not recorded", "/0".repeat(7)));
    let one = |place: &str, value: Value| lacks_after(|fixture| both(fixture, |record| put(record, place, value.clone())));
    assert_eq!(one("/semantics/sampling", "TBD".into()), ["/semantics/sampling is not recorded"]);
    assert_eq!(one("/units", json!({ "latency": "s", "memory": "TBD" })), ["/units/memory is not recorded"]);
    assert_eq!(one("/claim_boundary", json!(["this host", "unknown"])), ["/claim_boundary/1 is not recorded"]);
    assert_eq!(lacks_after(|fixture| both(fixture, |record| put(record, "/hardware/numa", "none".into()))), [""; 0]);
}

#[test]
fn a_control_was_measured_itself_and_at_about_the_same_time() {
    let cases: [Reason; 10] = [
        ("/control#/rows is not recorded", |control| without(control, "/rows")),
        ("/control#/samples is not recorded", |control| without(control, "/samples")),
        ("/control#/source is not recorded", |control| without(control, "/source")),
        ("/control#/source/0/path is not recorded", |control| put(control, "/source/0", json!({ "note": "a log" }))),
        ("/control#/repetitions is 1; wanted at least 2", |control| {
            put(control, "/repetitions", 1.into());
            put(control, "/samples", 3.into());
            control["rows"].as_array_mut().unwrap().truncate(1);
        }),
        ("/control#/failures is \"few\"; wanted their number or a list", |control| put(control, "/failures", "few".into())),
        ("/control#/run/started_at is not recorded", |control| without(control, "/run/started_at")),
        ("/run/started_at is 2026-07-01T10:00:00Z, and 2023-07-01T10:00:00Z in the control; wanted within 7 days", |control| {
            put(control, "/run/started_at", "2023-07-01T10:00:00Z".into())
        }),
        ("/run/started_at is 2026-07-01T10:00:00Z, and 2026-06-24T09:59:59Z in the control; wanted within 7 days", |control| {
            put(control, "/run/started_at", "2026-06-24T09:59:59Z".into())
        }),
        ("/control is of the candidate itself", |control| put(control, "/candidate", records::claim_grade().record["candidate"].clone())),
    ];
    for (lack, edit) in cases {
        assert_eq!(lacks_after(|fixture| edit(fixture.control.as_mut().unwrap())), [lack]);
        let mut fixture = records::claim_grade();
        edit(fixture.control.as_mut().unwrap());
        assert!(conditions(&judge(&fixture))[5].ends_with(lack), "{:?}", conditions(&judge(&fixture)));
    }
    let a_week_before = |fixture: &mut Fixture| put(fixture.control.as_mut().unwrap(), "/run/started_at", "2026-06-24T10:00:00Z".into());
    assert_eq!(lacks_after(a_week_before), [""; 0]);
    let later_rows = |fixture: &mut Fixture| {
        let later = |rows: Value| serde_json::from_str::<Value>(&rows.to_string().replace("2026-07-01", "2029-07-01")).unwrap();
        fixture.put("later.json", &json!([[2.4, 2.6], [2.3, 2.7]].map(|values| later(records::rows(1, &values)))));
        let control = fixture.control.as_mut().unwrap();
        put(control, "/samples", 4.into());
        put(control, "/repetitions", 2.into());
        control["rows"] = json!([{ "path": "later.json", "at": "/0" }, { "path": "later.json", "at": "/1" }]);
    };
    assert_eq!(
        lacks_after(later_rows),
        [
            "/result/a/arm has rows that are not of the control: /rows/3",
            "/rows begin at 2026-07-01T10:01:00Z, and 2029-07-01T10:01:00Z in the control; wanted within 7 days"
        ]
    );
    let same_rows = |fixture: &mut Fixture| {
        without(&mut fixture.record, "/result");
        fixture.record["rows"].as_array_mut().unwrap().truncate(3);
        fixture.control.as_mut().unwrap()["rows"] = fixture.record["rows"].clone();
    };
    assert_eq!(lacks_after(same_rows), ["/control has the rows of the candidate itself"]);
    let other_rows = |fixture: &mut Fixture| {
        fixture.control.as_mut().unwrap()["rows"][0] = json!({ "path": "rows.json", "at": "/candidate/0", "arm": "control" });
    };
    assert!(lacks_after(other_rows).contains(&"/result/a/arm has rows that are not of the control: /rows/3".to_owned()));
}

#[test]
fn a_repetition_without_a_good_row_is_none() {
    for failed in [json!({ "ok": false }), json!({ "ok": "false" }), json!({ "success": 0 }), json!({ "error": "timeout" })] {
        let lacks = lacks_after(|fixture| {
            with_rows(fixture, |rows| rows["candidate"] = json!([[2.0], [failed], [failed]]));
            put(&mut fixture.record, "/failures", 2.into());
            put(&mut fixture.record, "/samples", json!({ "control": 9 }));
            put(&mut fixture.record, "/statistics/interval", json!({ "arm": "candidate", "method": "range", "low": 2, "high": 2 }));
        });
        assert_eq!(lacks, [r#"/rows are of 1 different repetitions of the arm "candidate"; wanted at least 2"#], "{failed}");
    }
}

#[test]
fn a_repetition_that_cannot_be_told_from_another_counts_once() {
    let empty = |fixture: &mut Fixture| {
        with_rows(fixture, |rows| rows["control"] = json!([[], [], []]));
        put(&mut fixture.record, "/samples", json!({ "candidate": 9 }));
        fixture.control = None;
    };
    assert!(lacks_after(empty).contains(&"/rows/3 leads to no rows".to_owned()), "no rows are no copy of each other");
    // Without times; 2.0 in other bytes.
    let lacks = lacks_after(|fixture| {
        with_rows(fixture, |rows| rows["candidate"] = json!([[1.9, 2.0, 2.1], [1.9, 2, 2.1], [1.9, 2e0, 2.1]]));
        put(&mut fixture.record, "/statistics/interval", json!({ "arm": "candidate", "method": "range", "low": 1.9, "high": 2.1 }));
    });
    assert_eq!(lacks, [r#"/rows are of 1 different repetitions of the arm "candidate"; wanted at least 2"#]);
}

#[test]
fn raw_files_of_two_questions_are_refused_by_name() {
    let mut fixture = records::claim_grade();
    name_raw_files(&mut fixture, [1, 2]);
    let lacks = missing(&judge(&fixture));
    assert!(lacks[0].starts_with("/raw are refused, PROFILE_MISMATCH: ") && lacks[0].contains("seed"), "{lacks:?}");
}

#[test]
fn a_component_needs_its_boundary_and_what_every_result_needs() {
    for (pointer, why) in [
        ("/candidate", "is not recorded"),
        ("/endpoint/name", "is not recorded"),
        ("/units", "is not recorded"),
        ("/samples", "is not recorded"),
        ("/source", "is not recorded"),
        ("/claim_boundary", "is not recorded"),
    ] {
        let mut fixture = records::component();
        without(&mut fixture.record, pointer);
        let answer = judge(&fixture);
        assert_eq!((answer.class, answer.next), (Some(Class::Number), Some(Class::Component)), "{pointer}");
        assert_eq!(missing(&answer), [format!("{pointer} {why}")]);
    }
    let mut fixture = records::component();
    put(&mut fixture.record, "/samples", 0.into());
    without(&mut fixture.record, "/rows");
    assert_eq!(missing(&judge(&fixture)), ["/samples is recorded as none"]);
}

#[test]
fn not_recorded_and_recorded_as_none_are_told_apart() {
    let found = |value: Value| {
        let mut fixture = records::claim_grade();
        put(&mut fixture.record, "/exclusions", value);
        judge(&fixture).not_recorded
    };
    for none in [json!([]), json!(0), json!(false), json!("none"), json!("None"), json!({ "rows": [] })] {
        assert_eq!(found(none.clone()), [""; 0], "{none}");
    }
    for absent in [Value::Null, json!(""), json!(" "), json!("unknown"), json!("TBD"), json!("n/a"), json!("N/A"), json!({}), json!([null])]
    {
        assert_eq!(found(absent.clone()), ["/exclusions"], "{absent}");
    }
    for absent in [json!("REDACTED"), json!("YOUR_PROJECT_ID")] {
        assert_eq!(found(absent.clone()), ["/exclusions"], "{absent}");
    }
    assert_eq!(found(json!({ "rows": 3, "why": "TBD" })), ["/exclusions/why"]);
    for pointer in ["/workload", "/model", "/hardware", "/runtime", "/aggregation"] {
        let mut fixture = records::claim_grade();
        both(&mut fixture, |record| put(record, pointer, "none".into()));
        assert!(missing(&judge(&fixture)).contains(&format!("{pointer} is recorded as none")), "{pointer}");
    }
}

// Contradictions: no class at all.

fn contradicted(change: impl Fn(&mut Fixture)) -> Vec<String> {
    let mut fixture = records::claim_grade();
    change(&mut fixture);
    let answer = judge(&fixture);
    let found: Vec<String> = answer.contradictions.iter().map(|lack| format!("{} {}", lack.pointer, lack.why)).collect();
    assert_eq!((answer.class, answer.exit_code(None)), if found.is_empty() { (answer.class, 0) } else { (None, 4) });
    assert!(found.is_empty() || (answer.needs.is_empty() && answer.promotion.is_none()));
    found
}

/// The rows of the fixture, changed, with a review that names them.
fn with_rows(fixture: &mut Fixture, change: impl Fn(&mut Value)) {
    let mut rows: Value = serde_json::from_slice(&fixture.files["rows.json"]).unwrap();
    change(&mut rows);
    fixture.put("rows.json", &rows);
    let reviewed = digest(&fixture.files["rows.json"]);
    fixture.review(&reviewed);
}

#[test]
fn a_file_with_another_digest_contradicts() {
    let recorded = "0f".repeat(32);
    let found = contradicted(|fixture| put(&mut fixture.record, "/lineage/0/sha256", recorded.clone().into()));
    let of_file = digest(&records::claim_grade().files["prompts.txt"]);
    assert_eq!(found, [format!("/lineage/0 names \"prompts.txt\" with the SHA-256 {recorded}, but that of the file is {of_file}")]);
    assert_eq!(contradicted(|fixture| put(&mut fixture.record, "/lineage/0/sha256", of_file.to_uppercase().into())), [""; 0]);
}

#[test]
fn statements_that_the_rows_contradict() {
    let fails = |rows: &mut Value| put(rows, "/candidate/0/0/ok", false.into());
    let lone = |fixture: &mut Fixture| without(&mut fixture.record, "/result");
    let found = contradicted(|fixture| {
        with_rows(fixture, fails);
        lone(fixture);
    });
    assert_eq!(found[0], "/failures says 0, but 1 of 18 rows failed");
    assert_eq!(
        contradicted(|fixture| {
            with_rows(fixture, |rows| put(rows, "/candidate/0/0/error", "timeout".into()));
            put(&mut fixture.record, "/failures", json!(["timeout of the first request"]));
            lone(fixture);
            put(&mut fixture.record, "/samples", json!({ "candidate": 8, "control": 9 }));
        }),
        ["/control#/failures says 0, but 0 of 9 rows failed"; 0]
    );
    assert_eq!(
        contradicted(|fixture| put(&mut fixture.record, "/samples", 20.into())),
        [r#"/samples says 20, but the arm "candidate" has 9 rows, 9 of them good"#]
    );
    assert_eq!(
        contradicted(|fixture| put(fixture.control.as_mut().unwrap(), "/samples", 20.into())),
        [r#"/control#/samples says 20, but the arm "control" has 9 rows, 9 of them good"#]
    );
    assert_eq!(
        contradicted(|fixture| put(&mut fixture.record, "/repetitions", 4.into())),
        [r#"/repetitions says 4, but there are rows of 3 repetitions of the arm "candidate""#]
    );
    assert_eq!(
        contradicted(|fixture| put(&mut fixture.record, "/rows/2/at", "/candidate/1".into()))[0],
        "/rows/2 has the same rows as /rows/1"
    );
    assert_eq!(
        contradicted(|fixture| {
            let copy = [fixture.files["rows.json"].as_slice(), b" "].concat();
            fixture.files.insert("copy.json".to_owned(), copy);
            put(&mut fixture.record, "/rows/2", json!({ "path": "copy.json", "at": "/candidate/1" }));
        })[0],
        "/rows/2 has the same rows as /rows/1"
    );
    let in_another_order = |fixture: &mut Fixture| {
        with_rows(fixture, |rows| {
            let mut copy = rows["candidate"][1].as_array().unwrap().clone();
            copy.reverse();
            rows["candidate"][2] = copy.into();
        });
    };
    assert_eq!(contradicted(in_another_order)[0], "/rows/2 has the same rows as /rows/1");
    let with_copies = |copies: usize| {
        let fixture = |fixture: &mut Fixture| {
            with_rows(fixture, |rows| {
                for index in 0..copies {
                    rows["candidate"][2][index] = rows["candidate"][1][index].clone();
                }
            });
        };
        contradicted(fixture).into_iter().find(|why| why.contains("in common"))
    };
    assert_eq!(with_copies(1), None, "one of three");
    assert_eq!(with_copies(2).as_deref(), Some("/rows/2 has most rows in common with /rows/1"));
    assert_eq!(
        contradicted(|fixture| put(&mut fixture.record, "/samples", json!({ "candidate": 9, "control": 9, "another": 100 }))),
        [r#"/samples says 100, but the arm "another" has 0 rows, 0 of them good"#]
    );
    assert_eq!(
        contradicted(|fixture| put(&mut fixture.record, "/run/started_at", "2026-07-01T12:01:01+02:00".into())),
        ["/run/started_at is 2026-07-01T10:01:01Z, but a row began at 2026-07-01T10:01:00Z"]
    );
    assert_eq!(
        contradicted(|fixture| put(&mut fixture.record, "/result/b/value", json!(1.99))),
        ["/result/b/value is 1.99, but the rows give 2", "/result/percent is 20.0, but the two figures give 20.400000000000002"]
    );
    assert_eq!(
        contradicted(|fixture| put(&mut fixture.record, "/statistics/interval/high", json!(2.1))),
        ["/statistics/interval/high is 2.1, but the rows give 2.2"]
    );
    assert_eq!(contradicted(|fixture| name_floor(fixture, 0.5)), ["/statistics/floor is another one than its arms give, in metrics"]);
    assert_eq!(
        contradicted(|fixture| put(&mut fixture.record, "/protocol/frozen_at", "2026-06-02T00:00:00Z".into())),
        [r#"/protocol/frozen_at is "2026-06-02T00:00:00Z", but the protocol says "2026-06-01T00:00:00+00:00""#]
    );
    assert_eq!(
        contradicted(|fixture| put(&mut fixture.record, "/review/by", "a. owner".into())),
        [r#"/review/by is the owner of the claim, "a. owner", who is not independent"#]
    );
    assert_eq!(
        contradicted(|fixture| put(&mut fixture.record, "/review/signed/signature", "00".repeat(64).into())),
        ["/review/signed/signature is no signature of that key over the review"]
    );
}

#[test]
fn a_name_in_another_spelling_is_the_same() {
    let is_told = |by: &str| {
        let found = contradicted(|fixture| put(&mut fixture.record, "/review/by", by.into()));
        found.iter().any(|lack| lack.starts_with("/review/by is the owner of the claim"))
    };
    for same in [
        " A.  Owner",
        "a. OWNER",
        "A.\u{a0}Owner",
        "A.\u{2003}Owner\u{200b}",
        "A Owner",
        "A. Owner (me)",
        "A. Owner <owner@example.org>",
        "[author] A. Owner",
    ] {
        assert!(is_told(same), "{same}");
    }
    for other in ["B. Owner", "A. Owner Jr.", "Owner", "(A. Reviewer)"] {
        assert!(!is_told(other), "{other}");
    }
    let folded = |by: &str, owner: &str| {
        !contradicted(|fixture| {
            put(&mut fixture.record, "/review/by", by.into());
            put(&mut fixture.record, "/closure/owner", owner.into());
        })
        .is_empty()
    };
    assert!(folded("STRASSE", "Straße") && folded("(one)", "( One )") && !folded("(one)", "(other)") && !folded("李雷", "韩梅梅"));
}

/// Rows of both arms, each with its own minute.
fn in_order(order: impl Into<Value>, arms: [(u32, usize); 2]) -> Vec<String> {
    let mut fixture = records::component();
    let [(minute, count), (other_minute, other_count)] = arms;
    let (a, b) = (records::rows(minute, &vec![1.0; count]), records::rows(other_minute, &vec![2.0; other_count]));
    fixture.put("rows.json", &json!({ "scan": a, "count": b }));
    put(&mut fixture.record, "/samples", json!({ "scan": arms[0].1, "count": arms[1].1 }));
    put(&mut fixture.record, "/order", order.into());
    without(&mut fixture.record, "/result");
    judge(&fixture).contradictions.iter().map(|lack| format!("{} {}", lack.pointer, lack.why)).collect()
}

#[test]
fn a_mixed_order_is_not_one_arm_after_the_other() {
    let wanted = |order: &str, [first, second]: [&str; 2]| {
        [format!("/order is \"{order}\", but all rows of the arm \"{first}\" came before those of \"{second}\"")]
    };
    assert_eq!(in_order("randomised", [(1, 20), (2, 20)]), wanted("randomised", ["scan", "count"]));
    assert_eq!(in_order("Randomized by row", [(2, 20), (1, 20)]), wanted("Randomized by row", ["count", "scan"]));
    assert_eq!(in_order("interleaved", [(1, 2), (2, 2)]), wanted("interleaved", ["scan", "count"]));
    // 7 and 7 rows are apart in 2 of 3432 orders, 6 and 6 in 2 of 924.
    assert_eq!(in_order("randomised", [(1, 7), (2, 7)]), wanted("randomised", ["scan", "count"]));
    assert_eq!(in_order("randomised", [(1, 6), (2, 6)]), [""; 0]);
    // Wherever it is said.
    for order in ["fully randomised", "rows in random order", "arms: random", "Block-wise, then shuffled.", "not sequential but randomized"]
    {
        assert_eq!(in_order(order, [(1, 20), (2, 20)]), wanted(order, ["scan", "count"]));
    }
    for order in ["ABAB", "round-robin", "counterbalanced, ABBA"] {
        assert_eq!(in_order(order, [(1, 20), (2, 20)]), wanted(order, ["scan", "count"]));
    }
    let wrapped = json!({ "seed": 7, "how": ["by row", "interleaved"] });
    assert_eq!(in_order(wrapped, [(1, 20), (2, 20)]), wanted("interleaved", ["scan", "count"]));
    for unmixed in ["non-randomised", "no arm was shuffled", "sequential, random prompts", "random seed 7", "sequential; prompts shuffled"]
    {
        assert_eq!(in_order(unmixed, [(1, 20), (2, 20)]), [""; 0], "{unmixed}");
    }
    // What is not said, and what overlaps.
    assert_eq!(in_order("sequential, not randomised", [(1, 20), (2, 20)]), [""; 0]);
    assert_eq!(in_order("randomisation: none", [(1, 20), (2, 20)]), [""; 0]);
    assert_eq!(in_order("randomised", [(1, 20), (1, 20)]), [""; 0]);
}

#[test]
fn whole_repetitions_are_shuffled_where_there_are_several() {
    let order = |change: &dyn Fn(&mut Value)| {
        contradicted(|fixture| {
            put(&mut fixture.record, "/order", "randomised by repetition".into());
            with_rows(fixture, change);
        })
    };
    // Three and three repetitions are apart in 2 of 20 orders.
    let apart =
        |rows: &mut Value| (0..3).for_each(|index| put(rows, &format!("/control/{index}"), records::rows(10 + index, &[2.5, 2.5, 2.5])));
    assert_eq!(order(&apart), [""; 0]);
    let interleaved = contradicted(|fixture| with_rows(fixture, apart));
    assert_eq!(interleaved, [r#"/order is "interleaved", but all rows of the arm "candidate" came before those of "control""#]);
    // Instants and numbers have no order among each other.
    let numbers = |rows: &mut Value| {
        for index in 0..9 {
            put(rows, &format!("/control/{}/{}/started_at", index / 3, index % 3), json!(1e12 + f64::from(index)));
        }
    };
    assert_eq!(contradicted(|fixture| with_rows(fixture, numbers)), [""; 0]);
}

#[test]
fn the_committed_fixtures_are_these() {
    let folder = support::workspace().join("verify-cli/tests/fixtures/bench/classify");
    for fixture in records::all() {
        for (name, content) in fixture.sealed() {
            let path = folder.join(fixture.name).join(name);
            if std::env::var_os("UPDATE").is_some() {
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(&path, &content).unwrap();
            }
            assert!(support::read(&path) == content, "{}: UPDATE=1 cargo test -p verify-core --test bench_classify", path.display());
        }
    }
}

// Receipts, reviews and what else the record leads to.

#[test]
fn a_receipt_in_the_lineage_is_verified() {
    let receipt = |name: &str, expected: &[&str]| {
        let mut fixture = records::claim_grade();
        fixture.files.insert("receipt.json".to_owned(), support::read(&support::workspace().join("test-vectors/receipts").join(name)));
        put(&mut fixture.record, "/lineage/1", json!({ "name": "build", "receipt": { "path": "receipt.json" } }));
        let answer = judge(&fixture);
        let lacks: Vec<String> =
            answer.contradictions.iter().map(|lack| format!("{} {}", lack.pointer, lack.why)).chain(missing(&answer)).collect();
        assert_eq!(lacks, expected, "{name}");
        answer.class
    };
    assert_eq!(receipt("verified.json", &[]), Some(Class::ClaimGrade));
    let thin = ["/lineage/1/receipt is a receipt that is under-provenanced: provenance.clocks-unpinned"];
    assert_eq!(receipt("provenance-clocks.json", &thin), Some(Class::Matched));
    let refused = ["/lineage/1/receipt is a receipt that is invalid: verdict.contradicts-enclave"];
    assert_eq!(receipt("verdict-enclave-refuses.json", &refused), None);
}

#[test]
fn a_review_is_of_these_artifacts_and_by_a_trusted_key() {
    let lacks = |change: &dyn Fn(&mut Fixture)| {
        let mut fixture = records::claim_grade();
        change(&mut fixture);
        let answer = judge(&fixture);
        assert_eq!(answer.contradictions, []);
        missing(&answer)
    };
    let other = digest(b"another file\n");
    assert_eq!(
        lacks(&|fixture| {
            fixture.files.insert("log.txt".to_owned(), b"another file\n".to_vec());
            put(&mut fixture.record, "/source/0", json!({ "path": "log.txt" }));
            fixture.review(&other);
        }),
        [format!("/review/signed does not name the file of source or rows {}", digest(&records::claim_grade().files["rows.json"]))]
    );
    let stranger = Signer::named("a stranger");
    assert_eq!(
        lacks(&|fixture| {
            let words = fixture.files["review.txt"].clone();
            put(&mut fixture.record, "/review/signed/key", HEXLOWER.encode(&stranger.public_key()).into());
            put(&mut fixture.record, "/review/signed/signature", HEXLOWER.encode(&stranger.sign(&words)).into());
        }),
        ["/review/signed/key is none of the trusted keys"]
    );
}

#[test]
fn a_receipt_reviews_what_its_evidence_carries() {
    let lacks = |edits: &[(&str, String)]| {
        let mut fixture = records::claim_grade();
        let mut material = Material::signed();
        let reviewed = digest(&fixture.files["rows.json"]);
        material.receipt.attestation.set("/references/model_sha256", reviewed.as_str());
        edits.iter().for_each(|(pointer, value)| material.receipt.attestation.set(pointer, value.as_str()));
        fixture.files.insert("review.json".to_owned(), material.file());
        fixture.record["review"] = json!({ "independent": true, "by": "B. Reviewer", "receipt": { "path": "review.json" } });
        let answer = judge_by(Policy::strict(), &fixture);
        assert_eq!(answer.contradictions, []);
        (answer.class.unwrap(), missing(&answer))
    };
    assert_eq!(lacks(&[]), (Class::ClaimGrade, vec![]));
    let reviewed = digest(&records::claim_grade().files["rows.json"]);
    let other = [("/references/model_sha256", "0a".repeat(32))];
    assert_eq!(lacks(&other), (Class::Matched, vec![format!("/review/receipt does not name the file of source or rows {reviewed}")]));
    let thin = [("/references/eval_seed", String::new())];
    assert_eq!(lacks(&thin).0, Class::Matched);
}

#[test]
fn what_cannot_be_read_is_named_and_is_no_class_more() {
    let mut fixture = records::claim_grade();
    fixture.record["lineage"][0]["sha256"] = digest(&fixture.files["prompts.txt"]).into();
    fixture.files.remove("prompts.txt");
    let answer = judge(&fixture);
    assert_eq!((answer.class, answer.exit_code(None)), (Some(Class::Matched), 3));
    assert_eq!(answer.unreadable.len(), 1);
    assert_eq!(answer.unreadable[0].why, "names \"prompts.txt\": there is no such file");
    assert_eq!(answer.unreadable[0].kind, LackKind::Unreadable);
    let mut fixture = records::claim_grade();
    fixture.control = None;
    fixture.files.insert("control.json".to_owned(), b"{\"schema\": \"bench-record/1\"".to_vec());
    let answer = judge(&fixture);
    assert_eq!((answer.class, answer.exit_code(None)), (Some(Class::Scout), 3));
    assert!(answer.unreadable[0].why.starts_with("names a record that cannot be read: byte "), "{:?}", answer.unreadable);
}

#[test]
fn a_required_class_sets_the_exit_code() {
    let answer = judge(&records::matched());
    let codes: Vec<u8> = Class::ALL.into_iter().map(|class| answer.exit_code(Some(class))).collect();
    assert_eq!(codes, [0, 0, 0, 0, 6]);
}

#[test]
fn what_was_changed_afterwards_is_exploratory_and_inconclusive_stays_so() {
    let mut fixture = records::claim_grade();
    assert_eq!(judge(&fixture).exploratory, None);
    put(&mut fixture.record, "/protocol/amended_at", "2026-07-01T10:00:00Z".into());
    assert_eq!(judge(&fixture).exploratory, None, "an amendment at the start is not after it");
    put(&mut fixture.record, "/protocol/amended_at", "2026-07-01T10:00:00.001Z".into());
    let answer = judge(&fixture);
    let why = "is 2026-07-01T10:00:00.001000000Z, after the start of the run at 2026-07-01T10:00:00Z";
    assert_eq!(answer.exploratory.as_ref().map(|lack| lack.why.as_str()), Some(why));
    assert!(missing(&answer)[0].ends_with("a post-result change cannot rescue the original claim"), "{:?}", missing(&answer));
    assert_eq!(conditions(&answer)[2], format!("P3 refused: /protocol/amended_at {why}"));
    for unamended in [json!("none"), Value::Null] {
        let mut fixture = records::claim_grade();
        let mut protocol: Value = serde_json::from_slice(&fixture.files["protocol.json"]).unwrap();
        protocol["amended_at"] = unamended.clone();
        fixture.put("protocol.json", &protocol);
        assert_eq!(judge(&fixture).class, Some(Class::ClaimGrade), "the protocol alone says {unamended}");
        put(&mut fixture.record, "/protocol/amended_at", unamended.clone());
        assert_eq!(judge(&fixture).class, Some(Class::ClaimGrade), "both say {unamended}");
    }
    put(&mut fixture.record, "/protocol/amended_at", "yesterday".into());
    assert_eq!(judge(&fixture).class, Some(Class::Scout), "a date that cannot be read clears nothing");

    let mut fixture = records::claim_grade();
    put(&mut fixture.record, "/verdict", "inconclusive".into());
    let answer = judge(&fixture);
    assert_eq!((answer.verdict.as_deref(), answer.promotion.unwrap().allowed), (Some("inconclusive"), false));
    for verdict in [json!("Inconclusive: needs more"), json!({ "label": "inconclusive" })] {
        put(&mut fixture.record, "/verdict", verdict);
        assert!(!judge(&fixture).promotion.unwrap().allowed);
    }
    put(&mut fixture.record, "/verdict", "faster".into());
    assert!(judge(&fixture).promotion.unwrap().allowed);
    put(&mut fixture.record, "/verdict", "inconclusive".into());
    put(&mut fixture.record, "/run/status", "failed".into());
    let answer = judge(&fixture);
    assert_eq!((answer.class, answer.run_status.as_deref()), (Some(Class::Scout), Some("failed")));
}

/// The number of a condition, how it is answered, and the edit of the claim-grade record that leads there.
type Refusal = (usize, &'static str, fn(&mut Value));

#[test]
fn every_condition_is_refused_and_left_open_by_itself() {
    let cases: [Refusal; 25] = [
        (1, "unverifiable: /candidate/repository is not recorded", |record| without(record, "/candidate/repository")),
        (1, "refused: /candidate/commit is \"main\", which pins nothing; wanted 40 or 64 hex digits", |record| {
            put(record, "/candidate/commit", "main".into());
        }),
        (1, "unverifiable: /candidate/commit is not recorded", |record| without(record, "/candidate/commit")),
        (2, "unverifiable: /equivalence/identical is not recorded", |record| without(record, "/equivalence")),
        (2, "refused: /equivalence/tolerance was not agreed, and the semantics are not identical", |record| {
            put(record, "/equivalence/identical", false.into());
        }),
        (2, "refused: /equivalence/tolerance/measured is 0.82, outside of the tolerance", |record| {
            let tolerance = json!({ "agreed_at": "2026-06-01T00:00:00Z", "at_least": 0.99, "measured": 0.82 });
            put(record, "/equivalence", json!({ "identical": false, "tolerance": tolerance }));
        }),
        (2, "refused: /equivalence/tolerance/measured is 0.5, outside of the tolerance", |record| {
            let tolerance = json!({ "agreed_at": "2026-06-01T00:00:00Z", "at_least": 0.1, "at_most": 0.2, "measured": 0.5 });
            put(record, "/equivalence", json!({ "identical": false, "tolerance": tolerance }));
        }),
        (2, "refused: /equivalence/tolerance/measured is 0.02, outside of the tolerance", |record| {
            let tolerance = json!({ "agreed_at": "2026-06-01T00:00:00Z", "at_most": 0.01, "measured": 0.02 });
            put(record, "/equivalence", json!({ "identical": false, "tolerance": tolerance }));
        }),
        (
            2,
            "refused: /equivalence/tolerance/agreed_at is 2026-07-01T10:00:00Z, not before the start of the run at 2026-07-01T10:00:00Z",
            |record| {
                let tolerance = json!({ "agreed_at": "2026-07-01T10:00:00Z", "at_least": 0.8, "measured": 0.82 });
                put(record, "/equivalence", json!({ "identical": false, "tolerance": tolerance }));
            },
        ),
        (2, "unverifiable: /equivalence/tolerance/at_most is not recorded", |record| {
            let tolerance = json!({ "agreed_at": "2026-06-01T00:00:00Z", "measured": 0.82 });
            put(record, "/equivalence", json!({ "identical": false, "tolerance": tolerance }));
        }),
        (3, "refused: /run/status is \"warning\", so that the result is no more than a scout", |record| {
            put(record, "/run/status", "warning".into())
        }),
        (3, "unverifiable: /run/status is not recorded", |record| without(record, "/run/status")),
        (3, "unverifiable: /protocol/frozen_at is not recorded", |record| without(record, "/protocol/frozen_at")),
        (4, "refused: /quality/measured is false", |record| put(record, "/quality/measured", false.into())),
        (4, "refused: /quality/when is \"after\"; wanted \"before\" or \"alongside\"", |record| {
            put(record, "/quality/when", "after".into())
        }),
        (4, "unverifiable: /quality/when is not recorded", |record| without(record, "/quality/when")),
        (5, "unverifiable: /order is not recorded", |record| without(record, "/order")),
        (5, "unverifiable: /uncertainty is not recorded", |record| without(record, "/uncertainty")),
        (5, "unverifiable: /order/seed is not recorded", |record| put(record, "/order", json!({ "kind": "interleaved", "seed": "TBD" }))),
        (6, "unverifiable: /resources/memory_mib is not recorded", |record| put(record, "/resources/memory_mib", "unknown".into())),
        (6, "unverifiable: /resources is not recorded", |record| without(record, "/resources")),
        (6, "refused: /resources is recorded as none", |record| put(record, "/resources", json!([]))),
        (6, "refused: /control differs in /workload/concurrency", |record| put(record, "/workload/concurrency", 2.into())),
        (7, "refused: /closure/approved is false", |record| put(record, "/closure/approved", false.into())),
        (7, "unverifiable: /closure/owner is not recorded", |record| without(record, "/closure/owner")),
    ];
    for (number, answer, edit) in cases {
        let mut fixture = records::claim_grade();
        edit(&mut fixture.record);
        let judged = judge(&fixture);
        let open: Vec<String> = conditions(&judged).into_iter().filter(|shown| !shown.ends_with(" met")).collect();
        assert_eq!(open, [format!("P{number} {answer}")]);
        assert!(!judged.promotion.unwrap().allowed);
    }
    let mut fixture = records::claim_grade();
    let tolerance = json!({ "agreed_at": "2026-06-01T00:00:00Z", "at_least": 0.82, "measured": 0.82 });
    put(&mut fixture.record, "/equivalence", json!({ "identical": false, "tolerance": tolerance }));
    assert!(judge(&fixture).promotion.unwrap().allowed);
}

#[test]
fn conditions_carry_no_claim_whose_class_or_files_do_not() {
    let refused = |edit: &dyn Fn(&mut Fixture)| {
        let mut fixture = records::claim_grade();
        edit(&mut fixture);
        let answer = judge(&fixture);
        assert!(conditions(&answer).iter().all(|shown| shown.ends_with(" met")), "{:?}", conditions(&answer));
        let promotion = answer.promotion.unwrap();
        assert!(!promotion.allowed);
        promotion.base.map(|lack| format!("{} {}", lack.pointer, lack.why)).unwrap()
    };
    assert_eq!(refused(&|fixture| without(&mut fixture.record, "/samples")), "/samples is not recorded");
    assert_eq!(refused(&|fixture| put(&mut fixture.record, "/claim_boundary", "TBD".into())), "/claim_boundary is not recorded");
    assert_eq!(
        refused(&|fixture| {
            fixture.record["lineage"][0]["sha256"] = digest(&fixture.files["prompts.txt"]).into();
            fixture.files.remove("prompts.txt");
        }),
        r#"/lineage/0 names "prompts.txt": there is no such file"#
    );
    assert_eq!(
        refused(&|fixture| {
            fixture.control.as_mut().unwrap()["lineage"] = json!([{ "path": "gone.txt", "sha256": "0e".repeat(32) }]);
        }),
        r#"/control#/lineage/0 names "gone.txt": there is no such file"#
    );
    // What only a claim-grade result needs is no condition.
    let mut fixture = records::claim_grade();
    without(&mut fixture.record, "/review");
    assert!(judge(&fixture).promotion.unwrap().allowed);
    let mut fixture = records::component();
    without(&mut fixture.record, "/units");
    let exception = judge(&fixture).promotion.unwrap().component_exception;
    assert_eq!(exception.map(|lack| format!("{} {}", lack.pointer, lack.why)).as_deref(), Some("/units is not recorded"));
}

#[test]
fn intervals_and_figures_are_computed_again() {
    let interval = |interval: Value| {
        let mut fixture = records::claim_grade();
        fixture.put("resamples.json", &json!({ "means": [1.0, 2.0, 3.0, 4.0, 5.0], "one": [2.0], "others": [7.0, 8.0] }));
        put(&mut fixture.record, "/statistics/interval", interval);
        let answer = judge(&fixture);
        answer.contradictions.iter().map(|lack| format!("{} {}", lack.pointer, lack.why)).chain(missing(&answer)).collect::<Vec<_>>()
    };
    // Of 1.8 1.9 2 2 2 2 2 2.1 2.2: mean 2, squares 0.1, standard error sqrt(0.1 / 8 / 9) = 0.0372678.
    assert_eq!(interval(json!({ "arm": "candidate", "method": "normal", "z": 2, "low": 1.9255, "high": 2.0745 })), [""; 0]);
    assert_eq!(
        interval(json!({ "arm": "candidate", "method": "normal", "z": 2, "low": 1.926, "high": 2.0745 })),
        ["/statistics/interval/low is 1.926, but the rows give 1.925464400750007"]
    );
    assert_eq!(
        interval(json!({ "arm": "candidate", "method": "range", "low": 2, "high": 2 })),
        ["/statistics/interval/low is 2, which is too coarse: the rows give 1.8 to 2.2"]
    );
    // Of 1.9254644 to 2.0745356: an end may be a tenth of the width away.
    assert_eq!(interval(json!({ "arm": "candidate", "method": "normal", "z": 2, "low": 1.93, "high": 2.07 })), [""; 0]);
    assert_eq!(
        interval(json!({ "arm": "candidate", "method": "normal", "z": 2, "low": 1.9, "high": 2.1 })),
        ["/statistics/interval/low is 1.9, which is too coarse: the rows give 1.925464400750007 to 2.074535599249993"]
    );
    let of_means = |low: f64, method: &str| {
        let rows = json!({ "path": "resamples.json", "at": "/means" });
        json!({ "rows": rows, "method": "percentiles", "percentile_method": method, "low_p": 10, "high_p": 100, "low": low, "high": 5 })
    };
    assert_eq!(interval(of_means(1.4, "linear")), [""; 0]);
    assert_eq!(interval(of_means(1.0, "nearest-rank")), [""; 0]);
    assert_eq!(interval(of_means(1.0, "linear")), ["/statistics/interval/low is 1.0, but the rows give 1.4"]);
    assert_eq!(interval(of_means(1.0, "best")), ["/statistics/interval/percentile_method is \"best\", which is no known method"]);
    let of = |at: &str, low: f64, high: f64| {
        interval(json!({ "rows": { "path": "resamples.json", "at": at }, "method": "range", "low": low, "high": high }))
    };
    assert_eq!(of("/one", 2.0, 2.0), ["/statistics/interval is of a single value"]);
    assert_eq!(
        of("/others", 7.0, 8.0),
        ["/statistics/interval is of 7 to 8, which holds neither figure of the result, nor their difference or ratio"]
    );
    assert_eq!(
        interval(json!({ "arm": "nobody", "method": "range", "low": 1, "high": 2 })),
        ["/statistics/interval has no rows of the arm \"nobody\""]
    );
    let mut fixture = records::turbo();
    put(&mut fixture.record, "/result/a/value", 0.into());
    let change = judge(&fixture).change.unwrap();
    assert_eq!((change.a.as_str(), change.percent), ("0", None));
}

#[test]
fn what_is_no_record_is_refused_with_its_place() {
    let error = |bytes: &[u8]| Record::read(bytes).unwrap_err().to_string();
    assert_eq!(error(b"{"), "byte 1: wanted a member name in double quotes");
    assert!(error(br#"{"schema": "bench-record/1", "schema": 1}"#).contains("stands twice"));
    assert_eq!(error(b"[]"), "the record is an array; wanted an object");
    assert_eq!(error(b"{}"), "/schema is absent; wanted bench-record/1");
    assert_eq!(error(br#"{"schema": "bench-record/2"}"#), r#"/schema is "bench-record/2"; wanted bench-record/1"#);
    assert_eq!(error(br#"{"schema": "bench-record/1", "run": "done"}"#), "/run is a string; wanted an object");
    assert_eq!(error(br#"{"schema": "bench-record/1", "rows": {"path": "a"}}"#), "/rows is an object; wanted an array");
    assert_eq!(error(br#"{"schema": "bench-record/1", "source": [{"path": "a"}, "b"]}"#), "/source/1 is a string; wanted an object");
    assert_eq!(error(br#"{"schema": "bench-record/1", "samples": NaN}"#), "byte 40: \"NaN\" is no number of JSON");
    assert!(Record::read(br#"{"schema": "bench-record/1", "run": "none", "rows": "TBD"}"#).is_ok());
    let many = format!(r#"{{"schema": "bench-record/1", "lineage": [{}{{}}]}}"#, "{},".repeat(128));
    assert_eq!(error(many.as_bytes()), "/lineage is 129 items; wanted at most 128");
}

#[test]
fn members_that_nothing_reads_are_listed() {
    let mut fixture = records::turbo();
    fixture.record["claim_boundry"] = "this host".into();
    fixture.record["\u{1b}[2J"] = 1.into();
    let unread = judge(&fixture).unread;
    assert_eq!(unread, ["/\\u{1b}[2J", "/claim_boundry"]);
}

#[test]
fn the_document_has_every_need() {
    let path = support::workspace().join("docs/classify.md");
    let document = String::from_utf8(support::read(&path)).unwrap();
    let head = "| classes | where | what is needed |\n|---|---|---|\n";
    let (before, after) = document.split_once(head).unwrap();
    let after: String = after.split_inclusive('\n').skip_while(|line| line.starts_with('|')).collect();
    let rows = judge(&records::claim_grade()).needs.into_iter().map(|need| {
        let classes: Vec<String> = need.classes.iter().map(|class| class.number().to_string()).collect();
        format!("| {} | `{}` | {} |\n", classes.join(" "), need.pointer, need.needs)
    });
    let wanted = format!("{before}{head}{}{after}", rows.collect::<String>());
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    assert!(document == wanted || std::env::var_os("UPDATE").is_some(), "UPDATE=1 cargo test -p verify-core --test bench_classify");
}

/// Rows of real measurements, which lie beside the checkout and are not part of it. With `CI=true` their absence is a failure.
#[test]
fn statements_are_held_against_rows_of_real_measurements() {
    let folder = support::workspace().join("../shared/bench");
    if !folder.join("MANIFEST.json").is_file() {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "CI=true, but {} is missing", folder.display());
        eprintln!("SKIPPED: {} is missing, so no record was held against real rows", folder.display());
        return;
    }
    let contradictions = |path: &str, entry: Value, change: &dyn Fn(&mut Value)| {
        let mut fixture = records::one_repetition();
        fixture.files.insert("rows.json".to_owned(), support::read(&folder.join(path)));
        put(&mut fixture.record, "/rows", json!([entry]));
        change(&mut fixture.record);
        judge(&fixture).contradictions.iter().map(|lack| format!("{} {}", lack.pointer, lack.why)).collect::<Vec<_>>()
    };
    // Eight latencies of a tool that takes percentiles between two rows.
    let latency = "sparkinfer-k3/vllm_awq/vllm_awq_local_ctx128_out128.json";
    let median = |samples: u32, method: &'static str| {
        contradictions(latency, json!({ "path": "rows.json", "at": "/latencies" }), &move |record| {
            put(record, "/samples", samples.into());
            let a = json!({ "arm": "candidate", "value": 0.459_949_897_000_115 });
            put(record, "/result", json!({ "statistic": "percentile", "p": 50, "method": method, "better": "lower", "a": a }));
        })
    };
    assert_eq!(median(8, "linear"), [""; 0]);
    assert_eq!(median(8, "nearest-rank"), ["/result/a/value is 0.459949897000115, but the rows give 0.45987317700200947"]);
    assert_eq!(median(9, "linear"), [r#"/samples says 9, but the arm "candidate" has 8 rows, 8 of them good"#]);
    // Requests around a failure that was made on purpose; two of them failed.
    let failover = |failures: u32, samples: u32| {
        let entry = json!({ "path": "rows.json", "at": "/samples", "value": "latency", "time": "t" });
        contradictions("kernelore/failover_failover.json", entry, &move |record| {
            put(record, "/failures", failures.into());
            put(record, "/samples", samples.into());
        })
    };
    assert_eq!(failover(2, 3441), [""; 0]);
    assert_eq!(failover(2, 3439), [""; 0]);
    assert_eq!(failover(0, 3441), ["/failures says 0, but 2 of 3441 rows failed"]);
}

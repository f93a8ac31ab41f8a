//! Classes of recorded measurements: the worked examples of the policy, and of every need a record that meets it and one that fails it.

#![expect(clippy::disallowed_methods, reason = "tests read and write files and the environment")]

#[path = "support/records.rs"]
mod records;
mod support;

use std::collections::{BTreeMap, BTreeSet};

use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use vector_gen::pki::Signer;
use vector_gen::receipt::{Material, digest};
use verify_core::bench::Files;
use verify_core::bench::classify::{Class, Classification, LackKind, Record};
use verify_core::{Anchors, Policy, Request, Verifier};

use records::{Fixture, RECORD, REVIEWER};

fn judge(fixture: &Fixture) -> Classification {
    judge_files(&fixture.sealed())
}

fn judge_files(sealed: &BTreeMap<String, Vec<u8>>) -> Classification {
    let vectors = support::workspace().join("test-vectors");
    let keys = [REVIEWER, "receipts"].map(|name| HEXLOWER.encode(&Signer::named(name).public_key()).parse().unwrap());
    let anchors = Anchors::from_root(&support::read(&vectors.join("pki/root.pem")))
        .and_then(|anchors| anchors.with_tcb_signing(&support::read(&vectors.join("pki/tcb_signing.pem"))))
        .unwrap()
        .with_signer_keys(keys);
    let policy: Policy = toml::from_str(&String::from_utf8(support::read(&vectors.join("policies/test.toml"))).unwrap()).unwrap();
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
    refused(&|record| record["closure"]["prohibited"] = json!(["quality", "TBD"]), "/closure/prohibited/1 names no inference");
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
    assert_eq!(answer.not_recorded, ["/affinity", "/order"]);
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
    assert_eq!(pointers[7..], ["/statistics/interval", "/lineage", "/review/independent", "/review", "/closure"]);
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

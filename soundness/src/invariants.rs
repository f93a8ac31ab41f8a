//! What has to hold for every report and every inspection, whatever was put in.

use std::ops::RangeInclusive;

use serde_json::Value;
use verify_core::dcap;
use verify_core::limits;
use verify_core::{Anchors, Check, CheckResult, Effect, Instant, Obligation, Outcome, Problem, QuoteReport, Report, Request, Verifier};

/// Verifies `receipt` twice and asserts everything that does not depend on what it is.
pub fn verify(verifier: &Verifier, receipt: &[u8]) -> Report {
    let request = Request::new(receipt);
    let report = verifier.verify(&request);
    assert_eq!(report.to_json(), verifier.clone().verify(&request).to_json(), "the same request gave two reports");
    assert_of_receipt(&report, receipt);
    report
}

/// Asserts everything that has to hold of a report on `receipt`, whatever else was in the request.
pub fn assert_of_receipt(report: &Report, receipt: &[u8]) {
    let json = report.to_json();
    assert!(json.len() <= limits::REPORT_BYTES, "{} bytes of report for {} bytes", json.len(), receipt.len());

    let value = read_back(&json, &report.to_json_pretty());
    assert_eq!(value["outcome"], report.outcome.name());
    assert_eq!(value["exit_code"], report.exit_code);
    assert_eq!(value["input"]["bytes"], receipt.len());
    assert_safe(&report.headline());
    let settled = assert_findings(&report.checks, &report.problems, Obligation::OF_A_RECEIPT);
    let fresh = report.fresh.as_ref().map_or(settled, |fresh| {
        let settled = assert_findings(&fresh.checks, &fresh.problems, Obligation::OF_A_QUOTE);
        assert_outcome(fresh.outcome, fresh.exit_code, settled);
        settled
    });
    assert_outcome(report.outcome, report.exit_code, settled.max(fresh));
    assert!(report.outcome >= report.outcome_as_carried, "fresh collateral made it better");
    assert_proven(report);
}

/// Verifies a bare quote twice and asserts the same of its report.
pub fn verify_quote(quote: &[u8], collateral: &[u8], anchors: &Anchors) -> QuoteReport {
    let judge = || dcap::verify_quote(quote, collateral, Instant::Collateral, anchors);
    let report = judge();
    assert_eq!(report.to_json(), judge().to_json(), "the same quote gave two reports");
    assert_of_quote(&report, quote);
    report
}

/// Asserts everything that has to hold of a report on the bare `quote`.
pub fn assert_of_quote(report: &QuoteReport, quote: &[u8]) {
    let json = report.to_json();
    assert!(json.len() <= limits::REPORT_BYTES, "{} bytes of report", json.len());
    let value = read_back(&json, &report.to_json_pretty());
    assert_eq!(value["quote"]["bytes"], quote.len());
    assert_safe(&report.headline());
    let settled = assert_findings(&report.checks, &report.problems, Obligation::OF_A_QUOTE);
    assert_outcome(report.outcome, report.exit_code, settled);
    let facts = &report.facts;
    assert!(facts.trust_domain.is_none() || facts.enclave.is_none(), "a quote of two things");
    if report.outcome == Outcome::Verified {
        let complete = facts.platform.is_some() && facts.tcb.is_some() && facts.window.is_some();
        assert!(complete && (facts.trust_domain.is_some() || facts.enclave.is_some()), "verified without facts");
    }
}

/// Decodes `receipt` twice and asserts the same of the inspection.
pub fn inspect(receipt: &[u8]) {
    let inspection = verify_core::inspect(receipt);
    let json = inspection.to_json_pretty();
    assert_eq!(json, verify_core::inspect(receipt).to_json_pretty(), "the same receipt gave two inspections");
    assert!(!inspection.verified, "an inspection verifies nothing");
    read_back(&json.replace('\n', ""), &json);
}

/// The outcome that follows from checks and problems, which agree; no text in them is unsafe to show.
fn assert_findings(checks: &[Check], problems: &[Problem], required: RangeInclusive<Obligation>) -> Outcome {
    for problem in problems {
        assert_safe(&problem.message);
        assert_safe(&problem.location.to_string());
    }
    let order: Vec<Obligation> = checks.iter().map(|check| check.id).collect();
    let wanted: Vec<Obligation> = Obligation::ALL.iter().copied().filter(|obligation| required.contains(obligation)).collect();
    assert_eq!(order, wanted, "every obligation stands once and in order");
    assert!(problems.is_sorted_by_key(|problem| std::cmp::Reverse(problem.effect)), "the gravest problems stand first");

    let any = |is: fn(&CheckResult) -> bool| checks.iter().any(|check| is(&check.result));
    let is_unsettled = any(|result| matches!(result, CheckResult::Skipped { .. } | CheckResult::NotReached));
    let outcome = match problems.first().map_or(Effect::Notes, |problem| problem.effect) {
        Effect::Refutes => Outcome::Invalid,
        Effect::Prevents => Outcome::Unverifiable,
        Effect::Weakens | Effect::Notes if is_unsettled => Outcome::Unverifiable,
        Effect::Weakens => Outcome::UnderProvenanced,
        Effect::Notes => Outcome::Verified,
        other => panic!("an unknown effect: {other}"),
    };
    let all_hold = !is_unsettled && !any(|result| matches!(result, CheckResult::Failed { .. }));
    assert_eq!(all_hold, outcome == Outcome::Verified, "verified means that every check passed or does not apply");
    outcome
}

fn assert_outcome(outcome: Outcome, exit_code: u8, wanted: Outcome) {
    let wanted_code = match wanted {
        Outcome::Verified => 0,
        Outcome::UnderProvenanced => 7,
        Outcome::Unverifiable => 6,
        Outcome::Invalid => 4,
        other => panic!("an unknown outcome: {other}"),
    };
    assert_eq!((outcome, exit_code, outcome.exit_code()), (wanted, wanted_code, wanted_code), "another outcome than the findings have");
}

/// No fact without its proof, and none is absent where everything is proven.
fn assert_proven(report: &Report) {
    let Report { outcome, checks, facts, .. } = report;
    let passed = |obligation: Obligation| {
        checks.iter().any(|check| check.id == obligation && matches!(check.result, CheckResult::Passed | CheckResult::NotApplicable { .. }))
    };
    assert!(facts.trust_domain.is_none() || passed(Obligation::QuoteSignature), "facts of a trust domain without a signed quote");
    assert!(facts.tcb.is_none() || passed(Obligation::TcbInfo) && passed(Obligation::QeIdentity), "a TCB status without its documents");
    assert!(facts.output.is_none() || passed(Obligation::ReportDataHigh) && passed(Obligation::OutputHash), "an output that nothing binds");
    assert!(facts.image.is_none() || passed(Obligation::ReportDataHigh), "an image that nothing binds");
    assert!(facts.signer.is_none() || passed(Obligation::Signature) && passed(Obligation::SignerKey), "a signer who did not sign");
    if *outcome == Outcome::Verified && facts.signer.is_some() {
        let has_no_quote = facts.platform.is_none() && facts.trust_domain.is_none() && facts.tcb.is_none() && facts.window.is_none();
        assert!(has_no_quote && facts.output.is_none() && facts.image.is_none(), "a signer's word with facts of hardware");
    } else if *outcome == Outcome::Verified {
        let complete = facts.platform.is_some() && facts.trust_domain.is_some() && facts.tcb.is_some() && facts.window.is_some();
        let has_no_image =
            checks.iter().any(|check| check.id == Obligation::Image && matches!(check.result, CheckResult::NotApplicable { .. }));
        assert!(complete && facts.output.is_some() && (facts.image.is_some() || has_no_image), "verified without facts");
        assert!(report.judged.at.is_some(), "verified at no instant");
    }
}

/// Both written forms are printable ASCII and the same JSON, and no text in them could move a cursor or turn a line around.
fn read_back(line: &str, pretty: &str) -> Value {
    assert!(line.bytes().all(|byte| matches!(byte, b' '..=b'~')), "the JSON is not one line of printable ASCII");
    assert!(pretty.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n')), "the indented JSON is not printable ASCII");
    let value: Value = serde_json::from_str(line).expect("the JSON can be read");
    assert_eq!(serde_json::from_str::<Value>(pretty).expect("the indented JSON can be read"), value);
    assert_texts_safe(&value);
    value
}

fn assert_texts_safe(value: &Value) {
    match value {
        Value::String(text) => assert_safe(text),
        Value::Array(items) => items.iter().for_each(assert_texts_safe),
        Value::Object(members) => members.iter().for_each(|(name, value)| {
            assert_safe(name);
            assert_texts_safe(value);
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn assert_safe(text: &str) {
    let is_unsafe = |character: char| {
        character.is_control()
            || matches!(character, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    assert!(!text.contains(is_unsafe), "unsafe to show: {text:?}");
}

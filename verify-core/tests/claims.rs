//! Coverage of claims and presence of facts: what is shown as proven, and what must not be.

#![expect(clippy::disallowed_methods, reason = "tests read files")]

mod support;

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;
use sha2::Digest as _;
use verify_core::{Anchors, CheckResult, Code, Coverage, Obligation, Outcome, Policy, Report, Request, Verifier};

fn report(vector: &str) -> Report {
    let folder = support::workspace().join("test-vectors");
    let policy = String::from_utf8(support::read(&folder.join("policies/test.toml"))).expect("UTF-8");
    let policy: Policy = toml::from_str(&policy).expect("a policy");
    Verifier::new(policy, anchors()).verify(&Request::new(&receipt(vector)))
}

fn anchors() -> Anchors {
    let pki = |name: &str| support::read(&support::workspace().join("test-vectors/pki").join(name));
    Anchors::from_root(&pki("root.pem")).and_then(|anchors| anchors.with_tcb_signing(&pki("tcb_signing.pem"))).expect("anchors")
}

fn receipt(vector: &str) -> Vec<u8> {
    support::read(&path(vector))
}

fn path(vector: &str) -> PathBuf {
    support::workspace().join("test-vectors/receipts").join(format!("{vector}.json"))
}

fn coverage(report: &Report, pointer: &str) -> Coverage {
    report.claims.iter().find(|claim| claim.pointer == pointer).unwrap_or_else(|| panic!("no claim {pointer}")).coverage
}

#[test]
fn each_field_is_covered_by_what_binds_it() {
    let report = report("verified");
    assert_eq!(report.outcome, Outcome::Verified);
    for (pointer, wanted) in [
        ("/attestation/code/commit", Coverage::Nonce),
        ("/attestation/references/model_sha256", Coverage::Nonce),
        ("/attestation/references/eval_seed", Coverage::Nonce),
        ("/attestation/verdict/pass", Coverage::Quote),
        ("/attestation/verdict/label", Coverage::Asserted),
        ("/attestation/code/build_hash", Coverage::Asserted),
        ("/attestation/code/repo", Coverage::Asserted),
        ("/attestation/environment/gpu_name", Coverage::Asserted),
        ("/attestation/timestamp_utc", Coverage::Asserted),
    ] {
        assert_eq!(coverage(&report, pointer), wanted, "{pointer}");
    }
    let measurements: Vec<Coverage> =
        report.claims.iter().filter(|claim| claim.pointer.starts_with("/attestation/measurements/")).map(|claim| claim.coverage).collect();
    assert!(measurements.len() > 5 && measurements.iter().all(|coverage| *coverage == Coverage::EnclaveInput), "{measurements:?}");
}

/// A claim is shown with what it was compared with, as far as that goes.
#[test]
fn each_field_names_what_it_was_compared_with() {
    let compared = |vector: &str, pointer: &str| {
        let report = report(vector);
        let claim = report.claims.iter().find(|claim| claim.pointer == pointer).unwrap_or_else(|| panic!("no claim {pointer}")).clone();
        let compared = claim.compared.iter().map(|one| format!("{} {} {} {}", one.document, one.pointer, one.value, one.agrees));
        (claim.coverage, compared.collect::<Vec<String>>())
    };
    let (coverage, nonce) = compared("verified", "/attestation/code/commit");
    assert_eq!(coverage, Coverage::Nonce);
    assert!(nonce.len() == 1 && nonce[0].starts_with("receipt /tdx/nonce \""), "{nonce:?}");
    let given = |value: &str, document: &str, agrees: bool| format!("{document} {value} {agrees}");
    for (vector, pointer, wanted, comparisons) in [
        ("verified", "/attestation/verdict/pass", Coverage::Quote, vec![given("/pass true", "enclave output", true)]),
        ("verified", "/attestation/verdict/label", Coverage::Asserted, Vec::new()),
        (
            "verified",
            "/attestation/measurements/dflash/mean_accept",
            Coverage::EnclaveInput,
            vec![given("/dflash/mean_accept 4.75", "enclave input", true)],
        ),
        (
            "input-submitted-tier",
            "/attestation/verdict/label",
            Coverage::EnclaveInput,
            vec![given("/label \"S\"", "enclave input", true), given("/label \"REJECT\"", "enclave output", false)],
        ),
        (
            "input-other-label",
            "/attestation/verdict/label",
            Coverage::Asserted,
            vec![given("/label \"none\"", "enclave input", false), given("/label \"REJECT\"", "enclave output", true)],
        ),
        (
            "input-from-output",
            "/attestation/code/commit",
            Coverage::Asserted,
            vec![given("/commit \"0123456\"", "enclave input", true), given("/commit \"0123456\"", "enclave output", true)],
        ),
        (
            "input-from-output",
            "/attestation/measurements/primary/kl",
            Coverage::EnclaveInput,
            vec![given("/kl 0.012345678", "enclave input", true), given("/kl 0.012345678", "enclave output", true)],
        ),
        ("input-without-counterpart", "/attestation/measurements/primary/ctx_128_tps", Coverage::Asserted, Vec::new()),
        // The scorer that would show that pass was computed printed something else.
        ("scorer-output-differs", "/attestation/verdict/pass", Coverage::EnclaveInput, vec![given("/pass true", "enclave output", true)]),
    ] {
        assert_eq!(compared(vector, pointer), (wanted, comparisons), "{vector} {pointer}");
    }
}

#[test]
fn the_facts_say_where_the_input_is_from_and_which_scorer_made_the_output() {
    let facts = report("verified").facts;
    let input = facts.input.expect("an input");
    assert_eq!((input.source, input.bytes), ("the measurements", 469));
    assert_eq!(facts.output.expect("an output").reproduced_by, Some("score.py of 2026-08-07"));
    assert_eq!(report("input-from-output").facts.input.expect("an input").source, "the enclave's output and the claimed verdict");
    assert_eq!(
        report("input-other-label").facts.input.expect("an input").source,
        "the enclave's output and another verdict than the claimed one"
    );
    assert_eq!(report("input-refused-early").facts.input, None);
    assert_eq!(report("quote-signature-bit").facts.input, None);
    assert_eq!(report("scorer-output-differs").facts.output.expect("an output").reproduced_by, None);
}

/// Members of an input are looked up by name, so that many of them cost no more than their sum. The input is proven here, if
/// under a forged quote: everything below the quote is looked at all the same.
#[test]
fn a_flood_of_members_is_compared_in_time() {
    let mut document = support::read_json(&path("verified"));
    for number in 0..60_000 {
        document["attestation"]["measurements"]["dflash"][format!("m{number}")] = number.into();
    }
    let input = document["attestation"]["measurements"].to_string();
    let sha256 = |text: &str| data_encoding::HEXLOWER.encode(&sha2::Sha256::digest(text));
    let (digest, scorer) = (sha256(&input), document["_expected"]["scoring_sha256"].as_str().expect("a digest").to_owned());
    document["tdx"]["files_sha256"] = sha256(&format!("/submission/result.json\t{digest}\n/submission/score.py\t{scorer}\n")).into();
    document["_expected"]["result_sha256"] = digest.into();
    let receipt = document.to_string();
    let report = Verifier::new(Policy::strict(), anchors()).verify(&Request::new(receipt.as_bytes()).with_input(input.as_bytes()));
    let result = |id: Obligation| &report.checks.iter().find(|check| check.id == id).expect("a check").result;
    assert_eq!(*result(Obligation::Counterparts), CheckResult::Passed);
    assert!(report.has(Code::ScorerOutputDiffers) && !report.has(Code::InputGivenDiffers));
}

#[test]
fn every_leaf_of_the_attestation_is_listed_once() {
    let document = support::read_json(&path("verified"));
    let mut wanted = BTreeSet::new();
    let mut stack = vec![("/attestation".to_owned(), &document["attestation"])];
    while let Some((pointer, value)) = stack.pop() {
        match value {
            Value::Object(members) if !members.is_empty() => {
                stack.extend(members.iter().map(|(name, value)| (format!("{pointer}/{name}"), value)))
            }
            Value::Array(items) if !items.is_empty() => {
                stack.extend(items.iter().enumerate().map(|(index, item)| (format!("{pointer}/{index}"), item)))
            }
            _ => {
                wanted.insert(pointer);
            }
        }
    }
    let report = report("verified");
    let found: BTreeSet<String> = report.claims.iter().map(|claim| claim.pointer.clone()).collect();
    assert_eq!(found, wanted);
    assert_eq!(report.claims.len(), wanted.len());
}

/// Where the input was not recovered, an output may repeat anything that it was given.
#[test]
fn what_an_unknown_input_may_hold_is_not_called_computed() {
    let report = report("nonce-random");
    assert_eq!(coverage(&report, "/attestation/verdict/pass"), Coverage::EnclaveInput);
    assert_eq!(coverage(&report, "/attestation/verdict/label"), Coverage::EnclaveInput);
    assert_eq!(coverage(&report, "/attestation/code/commit"), Coverage::Asserted, "the output holds its beginning only");
    let unbound = |claim: &&verify_core::Claim| claim.pointer.ends_with("/ctx_128_tps") || claim.pointer.contains("/guard");
    assert!(report.claims.iter().filter(unbound).all(|claim| claim.coverage == Coverage::Asserted), "{:?}", report.claims);
}

/// An enclave that is not the quoting enclave, a revoked PCK, a debug TD, an expired CRL: their signatures are all good, and
/// nothing that they say may be shown as covered.
#[test]
fn good_signatures_alone_cover_nothing() {
    for vector in ["qe-other-signer", "revoked-leaf", "td-debug", "quote-signature-bit", "collateral-no-pck-crl", "binding-requester-key"] {
        let report = report(vector);
        assert_eq!(coverage(&report, "/attestation/code/commit"), Coverage::Asserted, "{vector}");
    }
    for vector in
        ["qe-other-signer", "revoked-leaf", "td-debug", "quote-signature-bit", "collateral-no-pck-crl", "binding-output-rewritten"]
    {
        let report = report(vector);
        assert_eq!(coverage(&report, "/attestation/verdict/pass"), Coverage::Asserted, "{vector}");
        assert_eq!(report.facts.output, None, "{vector}");
        assert_eq!(report.facts.image, None, "{vector}");
    }
}

#[test]
fn facts_of_an_impostor_are_absent_and_those_of_an_old_platform_are_there() {
    for vector in ["qe-other-signer", "quote-signature-bit", "revoked-leaf", "crl-root-signature"] {
        let facts = report(vector).facts;
        assert_eq!((facts.trust_domain, facts.tcb, facts.platform), (None, None, None), "{vector}");
    }
    let facts = report("tcb-out-of-date").facts;
    assert_eq!(facts.tcb.expect("a status").status.name(), "OutOfDate");
    assert!(facts.trust_domain.is_some());
}

#[test]
fn a_verified_report_has_no_check_without_a_result() {
    let report = report("verified");
    assert!(
        report.checks.iter().all(|check| matches!(check.result, CheckResult::Passed | CheckResult::NotApplicable { .. })),
        "{:?}",
        report.checks
    );
}

/// What a policy softens or waives is not called passed.
#[test]
fn a_softened_or_waived_obligation_has_a_result_of_its_own() {
    let report = Verifier::new(Policy::authenticity(), anchors()).verify(&Request::new(&receipt("provenance-all")));
    assert_eq!(report.outcome, Outcome::Verified);
    let result = |id: Obligation| &report.checks.iter().find(|check| check.id == id).expect("a check").result;
    assert!(matches!(result(Obligation::Provenance), CheckResult::Softened { codes } if codes.len() == 5));
    assert!(matches!(result(Obligation::Input), CheckResult::Softened { codes } if *codes == [Code::InputNotRecovered]));
    assert_eq!(*result(Obligation::Enclave), CheckResult::Waived);
    assert_eq!(*result(Obligation::Image), CheckResult::Waived);
}

#[test]
fn one_input_gives_one_report() {
    assert_eq!(report("verified").to_json(), report("verified").to_json());
}

#[test]
fn a_receipt_over_the_size_limit_is_not_read() {
    let limit = 4 * 1024 * 1024;
    let mut bytes = receipt("verified");
    let verifier = Verifier::new(Policy::strict(), Anchors::intel());
    bytes.resize(limit, b' ');
    assert!(!verifier.verify(&Request::new(&bytes)).has(Code::LimitExceeded));
    bytes.push(b' ');
    let report = verifier.verify(&Request::new(&bytes));
    assert!(report.has(Code::LimitExceeded));
    assert_eq!(report.outcome, Outcome::Unverifiable);
}

#[test]
fn a_flood_of_claims_ends_the_list_and_says_so() {
    let mut document = support::read_json(&path("verified"));
    let labels = vec![Value::from("XL"); 2000];
    document["attestation"]["verdict"]["regression_labels"] = Value::from(labels);
    let report = Verifier::new(Policy::strict(), Anchors::intel()).verify(&Request::new(document.to_string().as_bytes()));
    assert!(report.has(Code::LimitExceeded));
    assert_eq!(report.claims.len(), 1000);
}

/// Hostile members must not make a report larger than its receipt by more than a small factor.
#[test]
fn a_report_stays_in_proportion_to_its_receipt() {
    let verifier = Verifier::new(Policy::strict(), Anchors::intel());
    let text = String::from_utf8(receipt("verified")).expect("UTF-8");
    let name = "\u{7f}".repeat(250);
    let nested = (0..5).fold(format!("{{{}}}", (0..850).map(|n| format!("\"{n}{name}\":0")).collect::<Vec<_>>().join(",")), |inner, _| {
        format!("{{\"{name}\":{inner}}}")
    });
    let many_nan = (0..100_000).map(|n| format!("\"u{n}\":NaN")).collect::<Vec<_>>().join(",");
    for hostile in [format!("\"q\":{nested},"), format!("{many_nan},"), format!("\"tps\":{},", "9".repeat(1_000_000))] {
        let hostile = text.replacen("\"verdict\": {", &format!("\"verdict\": {{{hostile}"), 1);
        assert_ne!(hostile, text);
        let report = verifier.verify(&Request::new(hostile.as_bytes())).to_json();
        assert!(report.len() < 200_000 + 8 * hostile.len(), "{} bytes for {}", report.len(), hostile.len());
    }
}

//! Coverage of claims and presence of facts: what is shown as proven, and what must not be.

#![expect(clippy::disallowed_methods, reason = "tests read files")]

mod support;

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;
use sha2::Digest as _;
use verify_core::{Anchors, CheckResult, Code, Coverage, Expectation, Obligation, Outcome, Policy, Report, Request, SignerKey, Verifier};

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
            Coverage::Asserted,
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

/// What a response shows of its output is carried where it is the output.
#[test]
fn a_copy_of_the_output_is_carried_only_where_it_agrees() {
    for (vector, wanted) in [("response-verified", None), ("response-copy-output", Some(Code::ExpectationOnlyAsserted))] {
        let receipt = receipt(vector);
        let shown: Value = serde_json::from_slice(&receipt).expect("JSON");
        let expectation = Expectation::new("/stdout", shown["stdout"].as_str().expect("a text")).expect("an expectation");
        let verifier = Verifier::new(Policy::authenticity(), anchors());
        let report = verifier.verify(&Request::new(&receipt).expecting(std::slice::from_ref(&expectation)));
        assert_eq!(report.expectations.first().expect("a result").code, wanted, "{vector}");
    }
    let mut inside: Value = serde_json::from_slice(&receipt("response-verified")).expect("JSON");
    let text = inside["stdout"].take();
    let expectation = Expectation::new("/stdout/text", text.as_str().expect("a text")).expect("an expectation");
    inside["stdout"]["text"] = text;
    let verifier = Verifier::new(Policy::authenticity(), anchors());
    let report = verifier.verify(&Request::new(inside.to_string().as_bytes()).expecting(&[expectation]));
    assert_eq!(report.expectations.first().expect("a result").code, Some(Code::ExpectationOnlyAsserted));
}

/// What was computed once is remembered, and forgotten with the arithmetic.
#[test]
fn a_verifier_counts_the_signatures_that_it_computes() {
    let receipt = receipt("verified");
    let verifier = Verifier::new(Policy::strict(), anchors());
    verifier.verify(&Request::new(&receipt));
    let computed = verifier.signatures_computed();
    assert!(computed > 1);
    verifier.verify(&Request::new(&receipt));
    assert_eq!(verifier.signatures_computed(), computed);
    let portable = verifier.with_portable_arithmetic();
    assert_eq!(portable.signatures_computed(), 0);
    portable.verify(&Request::new(&receipt));
    assert_eq!(portable.signatures_computed(), computed);
}

/// Members of an input are looked up by name, so that many of them cost no more than their sum. The input is proven here, if
/// under a forged quote: everything below the quote is looked at all the same.
#[test]
fn a_flood_of_members_is_compared_in_time() {
    let mut document = support::read_json(&path("verified"));
    for number in 0..15_000 {
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

/// What was carried may be genuine; under fresh collateral that refutes it, nothing is shown as covered any more.
#[test]
fn what_fresh_collateral_refutes_covers_nothing() {
    let read = |path: &str| support::read(&support::workspace().join("test-vectors").join(path));
    let under = |id: &str| {
        let (receipt, fresh) = (receipt(id), read(&format!("collateral/{id}.json")));
        Verifier::new(Policy::authenticity(), anchors()).verify(&Request::new(&receipt).with_fresh_collateral(&fresh))
    };
    let carries_nothing = |report: &Report| report.claims.iter().all(|claim| claim.coverage == Coverage::Asserted);
    for id in ["fresh-certificate-revoked", "fresh-level-revoked", "fresh-module-mismatch", "fresh-qe-mismatch"] {
        let report = under(id);
        assert_eq!(report.outcome, Outcome::Invalid, "{id}");
        assert!(!report.claims.is_empty() && carries_nothing(&report), "{id}: {:?}", report.claims);
        assert_eq!((report.facts.output, report.facts.image), (None, None), "{id}");
    }
    assert!(!carries_nothing(&under("fresh-up-to-date")));
}

#[test]
fn a_platform_that_stands_on_no_level_by_now_has_no_status() {
    let facts = report("relaunch-platform-below-all").facts;
    assert_eq!(facts.tcb, None);
    assert!(facts.trust_domain.is_some());
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

/// A waiver beside pins waives nothing.
#[test]
fn a_pinned_enclave_is_not_waived() {
    let pinned = String::from_utf8(support::read(&support::workspace().join("test-vectors/policies/test.toml"))).expect("UTF-8");
    let policy: Policy = toml::from_str(&format!("any_enclave = true\nany_image = true\n{pinned}")).expect("a policy");
    let report = Verifier::new(policy, anchors()).verify(&Request::new(&receipt("verified")));
    let result = |id: Obligation| &report.checks.iter().find(|check| check.id == id).expect("a check").result;
    assert_eq!([result(Obligation::Enclave), result(Obligation::Image)], [&CheckResult::Passed; 2]);
    assert!(report.policy.waivers.is_empty() && !report.headline().contains("any"), "{}", report.headline());
}

/// What the policy softens is said, wherever it was found.
#[test]
fn what_fresh_collateral_alone_finds_is_named_where_it_is_softened() {
    let folder = support::workspace().join("test-vectors");
    let policy = String::from_utf8(support::read(&folder.join("policies/tolerant.toml"))).expect("UTF-8");
    let policy: Policy = toml::from_str(&policy).expect("a policy");
    let fresh = support::read(&folder.join("collateral/fresh-out-of-date-tolerant.json"));
    let report =
        Verifier::new(policy, anchors()).verify(&Request::new(&receipt("fresh-out-of-date-tolerant")).with_fresh_collateral(&fresh));
    assert!(!report.has(Code::TcbOutOfDate));
    assert!(report.policy.softened.contains(&Code::TcbOutOfDate), "{:?}", report.policy.softened);
}

#[test]
fn one_input_gives_one_report() {
    assert_eq!(report("verified").to_json(), report("verified").to_json());
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

/// Every pointer outside the attestation that a binding carries.
const BOUND: [&str; 8] = [
    "/receipt_id",
    "/tdx/nonce",
    "/tdx/e2e_pubkey_b64",
    "/tdx/bound_digest",
    "/tdx/result_sha256",
    "/tdx/files_sha256",
    "/tdx/stdout_b64",
    "/_expected/scoring_sha256",
];

#[test]
fn an_expectation_is_met_by_what_a_genuine_quote_carries_and_by_nothing_else() {
    for (vector, wanted) in [("verified", None), ("quote-signature-bit", Some(Code::ExpectationOnlyAsserted))] {
        let document = support::read_json(&path(vector));
        let expectations = BOUND.map(|pointer| {
            let value = document.pointer(pointer).and_then(Value::as_str).expect("a text");
            Expectation::new(pointer, value).expect("an expectation")
        });
        let verifier = Verifier::new(Policy::authenticity(), anchors());
        let report = verifier.verify(&Request::new(&receipt(vector)).expecting(&expectations));
        for (result, pointer) in report.expectations.iter().zip(BOUND) {
            let shown = result.found.as_deref().expect("what was found");
            assert!(document.pointer(pointer).and_then(Value::as_str).expect("a text").starts_with(&shown[1..20]), "{shown}");
            assert_eq!((result.pointer.as_str(), result.code), (pointer, wanted));
            assert_eq!(result.coverage, wanted.is_none().then_some(Coverage::Quote), "{pointer}");
        }
        assert_eq!(report.expectations.len(), BOUND.len());
    }
}

#[test]
fn the_bound_beginning_of_a_commit_is_the_submitters_word_inside_the_enclave() {
    let expectations = ["commit=0123456".parse().expect("an expectation")];
    let report = Verifier::new(Policy::authenticity(), anchors())
        .verify(&Request::new(&receipt("expect-commit-bound-digits")).expecting(&expectations));
    assert_eq!(report.expectations.first().and_then(|result| result.coverage), Some(Coverage::EnclaveInput));
}

#[test]
fn an_expectation_that_was_not_judged_says_why() {
    let expectations = ["pass=true".parse().expect("an expectation")];
    let report = Verifier::new(Policy::strict(), anchors()).verify(&Request::new(b"{").expecting(&expectations));
    let result = report.expectations.first().expect("a result");
    assert_eq!((result.code, result.coverage, &result.found), (Some(Code::JsonMalformed), None, &None));
}

// Signed receipts, responses and notes.

/// The signer of the vectors, from the manifest.
fn signer() -> SignerKey {
    let manifest = support::read_json(&support::workspace().join("test-vectors/manifest.json"));
    let vector =
        manifest["vectors"].as_array().expect("vectors").iter().find(|vector| vector["id"] == "signed-verified").expect("the vector");
    vector["anchors"]["signer_keys"][0].as_str().expect("a key").parse().expect("a signer key")
}

fn judge(vector: &str, anchors: Anchors) -> Report {
    Verifier::new(Policy::authenticity(), anchors).verify(&Request::new(&receipt(vector)))
}

/// What nobody asks for in these tests.
const UNASKED: [&str; 6] = ["fresh-collateral", "collateral-age", "tier", "pins", "expectations", "run"];

/// What does not apply beside that.
fn not_applicable(report: &Report) -> Vec<&'static str> {
    let applies = |result: &CheckResult| !matches!(result, CheckResult::NotApplicable { .. });
    let (unasked, others): (Vec<&str>, Vec<&str>) =
        report.checks.iter().filter(|check| !applies(&check.result)).map(|check| check.id.id()).partition(|id| UNASKED.contains(id));
    assert_eq!(unasked, UNASKED);
    others
}

#[test]
fn a_trusted_signature_covers_every_claim_and_nothing_else_does() {
    let trusted = anchors().with_signer_keys([signer()]);
    let report = judge("signed-verified", trusted.clone());
    assert!(!report.claims.is_empty() && report.claims.iter().all(|claim| claim.coverage == Coverage::Signature));
    assert_eq!(report.facts.signer, Some(signer().to_base64()));
    assert_eq!(report.anchors.signer_keys, [signer().to_base64()]);
    assert!(report.headline().contains("no hardware evidence"), "{}", report.headline());
    let unproven = [judge("signed-verified", anchors()), judge("signed-edited", trusted.clone()), judge("signed-other-signer", trusted)];
    for report in unproven {
        assert!(!report.claims.is_empty() && report.claims.iter().all(|claim| claim.coverage == Coverage::Asserted));
        assert_eq!(report.facts.signer, None);
    }
}

/// What is asked of a receipt that cannot have it is not given; that is no check that does not apply.
#[test]
fn a_request_that_a_signed_receipt_cannot_meet_weakens_it() {
    let verifier = Verifier::new(Policy::authenticity(), anchors().with_signer_keys([signer()]));
    let receipt = receipt("signed-verified");
    let request = Request::new(&receipt);
    assert_eq!(verifier.verify(&request).outcome, Outcome::Verified);
    for (asked, check) in [(request.with_fresh_collateral(b"{}"), "fresh-collateral"), (request.with_input(b"{}"), "input")] {
        let report = verifier.verify(&asked);
        assert_eq!(report.outcome, Outcome::UnderProvenanced, "{check}");
        let failed: Vec<&str> =
            report.checks.iter().filter(|check| matches!(check.result, CheckResult::Failed { .. })).map(|check| check.id.id()).collect();
        assert_eq!(failed, [check]);
        assert!(report.has(Code::PinNotInEvidence));
    }
}

/// The file says 120.50000049; what the signature covers is shown.
#[test]
fn a_signed_number_is_shown_as_it_was_signed() {
    let value = |anchors: Anchors| {
        let claims = judge("signed-rounded", anchors).claims;
        claims.into_iter().find(|claim| claim.pointer == "/attestation/verdict/tps").expect("a claim").value
    };
    assert_eq!(value(anchors().with_signer_keys([signer()])), "120.5");
    assert_eq!(value(anchors()), "120.50000049");
}

/// The signature is over the attestation, not over a member whose name begins like it.
#[test]
fn a_name_that_begins_like_the_attestation_is_not_signed() {
    let signed = String::from_utf8(receipt("signed-verified")).expect("UTF-8");
    let receipt = signed.replacen('{', r#"{"attestation_note": {"label": "XL"}, "#, 1);
    let verifier = Verifier::new(Policy::authenticity(), anchors().with_signer_keys([signer()]));
    let expectations = ["/attestation_note/label=XL".parse().expect("an expectation")];
    let report = verifier.verify(&Request::new(receipt.as_bytes()).expecting(&expectations));
    assert_eq!(report.expectations.first().map(|result| result.code), Some(Some(Code::ExpectationOnlyAsserted)));
    assert_eq!(report.outcome, Outcome::UnderProvenanced);
}

#[test]
fn a_signature_binds_pinned_fields() {
    let commit = "commit = [\"0123456789abcdef0123456789abcdef01234567\"]";
    let policy = format!("version = 1\nname = \"commit\"\nbase = \"authenticity\"\n[accept]\n{commit}\n");
    let verifier = Verifier::new(toml::from_str(&policy).expect("a policy"), anchors().with_signer_keys([signer()]));
    assert_eq!(verifier.verify(&Request::new(&receipt("signed-verified"))).outcome, Outcome::Verified);
    assert_eq!(verifier.verify(&Request::new(&receipt("note-verified"))).outcome, Outcome::Verified);
    // Under a random nonce the head is still a part of the enclave's input.
    assert_eq!(verifier.verify(&Request::new(&receipt("note-random-nonce"))).outcome, Outcome::Verified);
    assert!(verifier.verify(&Request::new(&receipt("signed-other-signer"))).has(Code::PinOnlyAsserted));
}

/// The short names mean the same field in every envelope, and a field that the envelope cannot have is absent.
#[test]
fn an_expectation_by_name_finds_its_field_in_every_envelope() {
    let digest = |text: &str| text.repeat(64);
    let names = ["commit=0123456", "label=L", "pass=true", "key=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="];
    let expectations: Vec<Expectation> = names
        .into_iter()
        .map(str::to_owned)
        .chain([format!("image=sha256:{}", digest("0")), format!("scorer={}", digest("0"))])
        .map(|text| text.parse().expect("an expectation"))
        .collect();
    let verifier = Verifier::new(Policy::authenticity(), anchors().with_signer_keys([signer()]));
    let (differs, absent) = (Some(Code::ExpectationDiffers), Some(Code::ExpectationAbsent));
    for (vector, wanted) in [
        (
            "verified",
            [
                ("/attestation/code/commit", None, Some(Coverage::Nonce)),
                ("/attestation/verdict/label", Some(Code::ExpectationOnlyAsserted), None),
                ("/attestation/verdict/pass", None, Some(Coverage::Quote)),
                ("/tdx/e2e_pubkey_b64", differs, None),
                ("/tdx/bound_digest", differs, None),
                ("/_expected/scoring_sha256", differs, None),
            ],
        ),
        (
            "signed-verified",
            [
                ("/attestation/code/commit", None, Some(Coverage::Signature)),
                ("/attestation/verdict/label", None, Some(Coverage::Signature)),
                ("/attestation/verdict/pass", None, Some(Coverage::Signature)),
                ("key", absent, None),
                ("image", absent, None),
                ("scorer", absent, None),
            ],
        ),
        (
            "response-verified",
            [
                ("commit", absent, None),
                ("label", absent, None),
                ("pass", absent, None),
                ("/tee_attestation/e2e_pubkey_b64", differs, None),
                ("/tee_attestation/bound_digest", differs, None),
                ("/files/~1submission~1score.py", differs, None),
            ],
        ),
        (
            "note-verified",
            [
                ("/bundle/head", None, Some(Coverage::Nonce)),
                ("/label", differs, None),
                ("pass", absent, None),
                ("/receipt/tee_attestation/e2e_pubkey_b64", differs, None),
                ("image", absent, None),
                ("/receipt/files/~1in~1eval_scorer.py", differs, None),
            ],
        ),
    ] {
        let report = verifier.verify(&Request::new(&receipt(vector)).expecting(&expectations));
        let found: Vec<_> = report.expectations.iter().map(|result| (result.pointer.as_str(), result.code, result.coverage)).collect();
        assert_eq!(found, wanted, "{vector}");
    }
}

/// A signature covers what was signed: the digits of the file beyond that are nobody's word.
#[test]
fn an_expected_number_is_the_signed_one() {
    let verifier = Verifier::new(Policy::authenticity(), anchors().with_signer_keys([signer()]));
    let codes = ["120.5", "120.50000049"].map(|number| {
        let expectations = [Expectation::new("/attestation/verdict/tps", number).expect("an expectation")];
        let report = verifier.verify(&Request::new(&receipt("signed-rounded")).expecting(&expectations));
        report.expectations.first().expect("a result").code
    });
    assert_eq!(codes, [None, Some(Code::ExpectationDiffers)]);
}

/// What is bound under a response's report data, and beside a signature, is carried by it; what only looks like it is not.
#[test]
fn an_expectation_by_pointer_is_judged_by_its_envelope() {
    let verifier = Verifier::new(Policy::authenticity(), anchors().with_signer_keys([signer()]));
    for (vector, pointer, wanted) in [
        ("response-verified", "/tee_attestation/bound_digest", Some(Coverage::Quote)),
        ("response-verified", "/tee_attestation/nonce", Some(Coverage::Quote)),
        ("response-verified", "/tee_attestation/result_sha256", Some(Coverage::Quote)),
        ("response-verified", "/tee_attestation/kind", None),
        ("response-forged", "/tee_attestation/bound_digest", None),
        ("note-verified", "/receipt/tee_attestation/stdout_b64", Some(Coverage::Quote)),
        ("note-verified", "/receipt/files/~1in~1eval_scorer.py", Some(Coverage::EnclaveInput)),
        ("signed-verified", "/receipt_id", Some(Coverage::Signature)),
        ("signed-verified", "/public_key", Some(Coverage::Signature)),
        ("signed-verified", "/signature", None),
        ("signed-id-wrong", "/receipt_id", None),
        ("signed-other-signer", "/public_key", None),
    ] {
        let value = support::read_json(&path(vector)).pointer(pointer).and_then(Value::as_str).expect("a text").to_owned();
        let expectations = [Expectation::new(pointer, &value).expect("an expectation")];
        let report = verifier.verify(&Request::new(&receipt(vector)).expecting(&expectations));
        let result = report.expectations.first().expect("a result");
        assert_eq!(result.coverage, wanted, "{vector} {pointer}");
        assert_eq!(result.code, wanted.is_none().then_some(Code::ExpectationOnlyAsserted), "{vector} {pointer}");
    }
}

/// What does not apply follows from the envelope, and is the same list for every receipt of its kind.
#[test]
fn only_what_an_envelope_lacks_does_not_apply() {
    let dcap = Obligation::ALL.iter().filter(|id| Obligation::OF_A_QUOTE.contains(*id)).map(|id| id.id());
    let bound = [
        "report-data-low",
        "report-data-high",
        "output-hash",
        "files-manifest",
        "contents",
        "nonce",
        "input",
        "counterparts",
        "workload",
        "scorer",
    ];
    let signed: Vec<&str> = dcap.chain(bound).chain(["verdict", "enclave", "image"]).collect();
    let trusted = || anchors().with_signer_keys([signer()]);
    for vector in ["signed-edited", "signed-thin", "signed-id-wrong", "signed-key-identity", "signed-other-signer"] {
        assert_eq!(not_applicable(&judge(vector, trusted())), signed, "{vector}");
    }
    let of_quote = ["signer-key", "signature", "contents"];
    for (vector, more) in [("verified", &[][..]), ("quote-signature-bit", &[]), ("nonce-random", &["nonce", "counterparts", "scorer"])] {
        assert_eq!(not_applicable(&judge(vector, trusted())), [&of_quote, more].concat(), "{vector}");
    }
    // Nothing leads to the input of a response, so nothing is compared with it and no scorer is run.
    let of_response = ["signer-key", "signature", "contents", "receipt-id", "nonce", "counterparts", "scorer", "verdict"];
    assert_eq!(not_applicable(&judge("response-verified", trusted())), of_response);
    assert_eq!(not_applicable(&judge("response-forged", trusted())), of_response);
    assert_eq!(not_applicable(&judge("note-verified", trusted())), ["signer-key", "signature", "contents", "receipt-id", "image"]);
}

/// A part that is there and cannot be read is no part that the envelope lacks.
#[test]
fn what_cannot_be_read_is_skipped() {
    let result = |vector: &str, id: Obligation| {
        let report = judge(vector, anchors().with_signer_keys([signer()]));
        report.checks.into_iter().find(|check| check.id == id).expect("a check").result
    };
    for (vector, id, because) in [
        ("signed-short", Obligation::Signature, Code::ReceiptMalformedField),
        ("signed-short", Obligation::Quote, Code::ReceiptMalformedField),
        ("signed-without-key", Obligation::SignerKey, Code::ReceiptMissingMember),
        ("signed-key-identity", Obligation::Signature, Code::SignerKeyWeak),
        ("signed-tdx-null", Obligation::QuoteSignature, Code::EvidenceAmbiguous),
        ("note-without-bundle", Obligation::Verdict, Code::ReceiptMissingMember),
        ("note-without-bundle", Obligation::Provenance, Code::ReceiptMissingMember),
    ] {
        assert_eq!(result(vector, id), CheckResult::Skipped { because }, "{vector}");
    }
}

#[test]
fn every_leaf_of_a_response_has_its_coverage() {
    let report = judge("response-contents", anchors());
    for (pointer, wanted) in [
        ("/artifacts/0/path", Coverage::Quote),
        ("/artifacts_sha256", Coverage::Quote),
        ("/egress_log_b64", Coverage::Quote),
        ("/image_digest", Coverage::Quote),
        ("/task_policy/hosts/0", Coverage::EnclaveInput),
        ("/files/~1submission~1score.py", Coverage::EnclaveInput),
        ("/stdout", Coverage::EnclaveInput),
        ("/egress", Coverage::Asserted),
        ("/exit_code", Coverage::Asserted),
        ("/started_at", Coverage::Asserted),
    ] {
        assert_eq!(coverage(&report, pointer), wanted, "{pointer}");
    }
    assert!(report.facts.image.is_some());
    let unbound = ["response-forged", "response-file-edited", "response-contents-absent", "response-egress-edited"];
    for (vector, pointer) in unbound.into_iter().zip(["/stdout", "/files/~1submission~1score.py", "/artifacts_sha256", "/egress_log_b64"]) {
        assert_eq!(coverage(&judge(vector, anchors()), pointer), Coverage::Asserted, "{vector}");
    }
    let named = judge("response-image-named", anchors());
    let compared = &named.claims.iter().find(|claim| claim.pointer == "/image_digest").expect("a claim").compared;
    assert_eq!(coverage(&named, "/image_digest"), Coverage::Asserted, "nothing binds a name");
    assert!(compared.len() == 1 && compared.iter().all(|comparison| comparison.agrees), "{compared:?}");
    for vector in ["response-artifacts-as-egress", "response-policy-as-egress"] {
        assert_eq!(coverage(&judge(vector, anchors()), "/egress_log_b64"), Coverage::Asserted, "{vector}");
    }
    let workload = judge("response-workload", anchors());
    assert_eq!((coverage(&workload, "/image_digest"), &workload.facts.image), (Coverage::Asserted, &None));
}

#[test]
fn what_a_response_no_longer_binds_is_its_own_word() {
    let edited = report("response-output-edited");
    let stdout = edited.claims.iter().find(|claim| claim.pointer == "/stdout").expect("a claim");
    assert_eq!(stdout.coverage, Coverage::Asserted);
    let edited = report("response-policy-edited");
    for pointer in ["/policy_sha256", "/task_policy/egress", "/task_policy/hosts/0"] {
        assert_eq!(coverage(&edited, pointer), Coverage::Asserted, "{pointer}");
    }
    assert_eq!(coverage(&edited, "/stdout"), Coverage::EnclaveInput, "what is still bound");
}

#[test]
fn every_leaf_of_a_note_has_its_coverage() {
    let report = judge("note-verified", anchors());
    for (pointer, wanted) in [
        ("/bundle/head", Coverage::Nonce),
        ("/bundle/samples/pr/0", Coverage::EnclaveInput),
        ("/label", Coverage::EnclaveInput),
        ("/verdict_doc/delta_pct", Coverage::EnclaveInput),
        ("/ts", Coverage::Asserted),
        ("/receipt/exit_code", Coverage::Asserted),
    ] {
        assert_eq!(coverage(&report, pointer), wanted, "{pointer}");
    }
    for (vector, pointer) in [
        ("note-random-nonce", "/bundle/head"),
        ("note-other-bundle", "/bundle/pr"),
        ("note-other-label", "/label"),
        ("note-other-verdict", "/verdict_doc/delta_pct"),
    ] {
        let coverage = coverage(&judge(vector, anchors()), pointer);
        assert!(coverage != Coverage::Nonce && (vector == "note-random-nonce" || coverage == Coverage::Asserted), "{vector}: {coverage:?}");
    }
}

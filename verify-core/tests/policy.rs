//! The limits that a caller adds to a policy: they only ever tighten it.

use verify_core::{Anchors, Code, Instant, Outcome, Policy, PolicyError, Request, Timestamp, Verifier};

fn aged(age: &str) -> Policy {
    Policy::strict().with_maximum_age(age).expect("an age")
}

/// Two policies with one digest judge alike.
#[test]
fn a_limit_is_never_milder_than_before() {
    let evaluation = |minimum| Policy::strict().with_minimum_tcb_evaluation(minimum);
    assert_eq!(evaluation(20).with_minimum_tcb_evaluation(19).digest(), evaluation(20).digest());
    assert_eq!(evaluation(19).with_minimum_tcb_evaluation(20).digest(), evaluation(20).digest());
    assert_ne!(evaluation(19).digest(), evaluation(20).digest());

    assert_eq!(aged("30d").with_maximum_age("60d").map(|policy| policy.digest()), Ok(aged("30d").digest()));
    assert_eq!(aged("60d").with_maximum_age("30d").map(|policy| policy.digest()), Ok(aged("30d").digest()));
    assert_ne!(aged("30d").digest(), aged("60d").digest());
}

/// A length below a second would be shown, and compared, as none at all.
#[test]
fn an_age_is_in_whole_seconds() {
    for age in ["1ns", "999ms", "1s 1ns", "30", "-1d", ""] {
        assert_eq!(Policy::strict().with_maximum_age(age), Err(PolicyError::Age(age.to_owned())), "{age:?}");
    }
    assert!(aged("1s").limits_age() && aged("0s").limits_age());
}

/// A verifier of the vectors' PKI.
fn verifier(policy: Policy) -> Verifier {
    let anchors = Anchors::from_root(include_bytes!("../../test-vectors/pki/root.pem"))
        .and_then(|anchors| anchors.with_tcb_signing(include_bytes!("../../test-vectors/pki/tcb_signing.pem")));
    Verifier::new(policy, anchors.expect("the test PKI"))
}

const RECEIPT: &[u8] = include_bytes!("../../test-vectors/receipts/verified.json");

/// The collateral of the receipt has the evaluation data number 19.
#[test]
fn the_least_evaluation_number_is_itself_enough() {
    let outcome = |minimum| verifier(Policy::authenticity().with_minimum_tcb_evaluation(minimum)).verify(&Request::new(RECEIPT)).outcome;
    assert_eq!((outcome(19), outcome(20)), (Outcome::Verified, Outcome::UnderProvenanced));
}

/// A caller who judges at his current time has given it.
#[test]
fn the_judged_now_is_the_now_of_the_age_limit() {
    let verifier = verifier(Policy::authenticity().with_maximum_age("10d").expect("an age"));
    let at = |instant: &str| Timestamp::parse_rfc3339(instant).expect("an instant");
    let judged = |instant: Instant| verifier.verify(&Request::new(RECEIPT).judged_at(instant));

    assert_eq!(judged(Instant::Now(at("2026-08-13T11:00:00Z"))).outcome, Outcome::Verified);
    assert!(judged(Instant::Now(at("2026-08-13T11:00:01Z"))).has(Code::CollateralTooOld));
    assert!(judged(Instant::Given(at("2026-08-13T11:00:00Z"))).has(Code::CollateralAgeUnknown));
}

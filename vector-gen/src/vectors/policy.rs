//! Policies: pins, waivers and accepted values.

use super::{Vector, classic, echo, k3};

pub(super) fn vectors() -> Vec<Vector> {
    let differs = &["pin.value-differs"];
    let asserted = &["pin.only-asserted"];
    let under = |id: &str, rule: &str, policy: &'static str| classic(id, rule).policy(policy);
    vec![
        under("policy-strict", "Without pins any genuine machine and any image could have made the quote.", "strict")
            .thin(&["enclave.unpinned", "image.unpinned"]),
        under("policy-authenticity", "The policy authenticity waives both pins.", "authenticity").verified(&[]),
        under("policy-any-machine", "A waiver of both pins leaves the rest as it is.", "any-machine").verified(&[]),
        echo("policy-any-scorer", "A waiver that nothing needs leaves the rest as it is.")
            .policy("any-scorer")
            .thin(&["verdict.not-attested"]),
        under("policy-other-enclave", "Other measurements than the pinned ones are refused.", "other-enclave")
            .invalid(&["enclave.pin-mismatch"]),
        under("policy-second-enclave", "One matching set of measurements among several is enough.", "second-enclave").verified(&[]),
        classic("policy-one-register", "Every register of a pinned set has to match.")
            .change(|m| m.quote.body.rtmr[3][47] = 1)
            .invalid(&["enclave.pin-mismatch"]),
        classic("policy-second-register", "RTMR1 is one of them.")
            .change(|m| m.quote.body.rtmr[1][47] ^= 1)
            .invalid(&["enclave.pin-mismatch"]),
        under("policy-other-image", "Another image than the pinned ones is refused.", "other-image").invalid(&["image.pin-mismatch"]),
        under("policy-evaluation-20", "Collateral below the wanted evaluation number is too old.", "evaluation-20")
            .thin(&["tcb.evaluation-below-minimum"]),
        under(
            "policy-evaluation-of-qe-identity",
            "The lower of the two evaluation numbers counts: here that of the QE identity.",
            "evaluation-20",
        )
        .change(|m| m.collateral.tcb_info.body.set("/tcbEvaluationDataNumber", 20))
        .thin(&["tcb.evaluation-below-minimum", "tcb.evaluation-numbers-differ"]),
        under(
            "policy-evaluation-of-tcb-info",
            "The lower of the two evaluation numbers counts: here that of the TCB info.",
            "evaluation-20",
        )
        .change(|m| m.collateral.qe_identity.body.set("/tcbEvaluationDataNumber", 20))
        .thin(&["tcb.evaluation-below-minimum", "tcb.evaluation-numbers-differ"]),
        under("age-thirty-days", "Collateral that is exactly as old as the policy allows is young enough.", "age-30d")
            .now("2026-09-02T11:00:00Z")
            .verified(&[]),
        under("age-thirty-days-and-a-second", "A second more is too old: what Intel said since is not known.", "age-30d")
            .now("2026-09-02T11:00:01Z")
            .unverifiable(&["collateral.too-old"]),
        under("age-without-now", "A limit of age cannot be judged without a current time.", "age-30d")
            .unverifiable(&["collateral.age-unknown"]),
        under("age-before-the-collateral", "A current time before the collateral cannot be right.", "age-30d")
            .now("2026-08-03T10:59:59Z")
            .unverifiable(&["collateral.age-unknown"]),
        under("age-of-forged-quote", "A quote that was edited is refused before anybody asks for the age of its collateral.", "age-30d")
            .now("2026-08-20T00:00:00Z")
            .change(|m| m.quote.afterwards.add(|quote| quote[crate::quote::SIGNATURE + 10] ^= 1))
            .invalid(&["quote.signature-wrong"]),
        under("accept-all-bound", "Accepted values of bound fields are met.", "accept-bound").verified(&[]),
        under("accept-other-commit", "A bound commit that is not accepted is refused.", "accept-other-commit").invalid(differs),
        under("accept-other-model", "A bound model hash that is not accepted is refused.", "accept-other-model").invalid(differs),
        under("accept-other-scorer", "A bound scorer that is not accepted is refused.", "accept-other-scorer").invalid(differs),
        under("accept-other-requester", "A bound requester key that is not accepted is refused.", "accept-other-requester")
            .invalid(differs),
        under("accept-repository", "An accepted value that nothing binds is met, and weakly.", "accept-repository").thin(asserted),
        under("accept-other-repository", "A value that is not accepted is refused, bound or not.", "accept-other-repository")
            .invalid(differs),
        k3("accept-commit-prefix", "Where only a prefix of the commit is bound, the whole is the producer's word.")
            .policy("accept-commit")
            .thin(asserted),
    ]
}

//! Why some vectors are more than one edit away from every other.

/// Reasons, each with the vectors that it holds for.
const REASONS: [(&str, &[&str]); 7] = [
    (
        "The setting is the one under which the change has this effect.",
        &[
            "certificate-root-not-yet",
            "json-nan-tolerated",
            "root-replaced",
            "signer-expired",
            "signer-qe-apart-expired",
            "tier-measured",
            "tier-not-measured",
        ],
    ),
    (
        "What the verifier is given beside the receipt is about the changed value.",
        &[
            "expect-digits-beyond-a-double",
            "expect-list-index",
            "input-over-limit",
            "input-twice",
            "response-artifact-unknown-member",
            "run-result-nested",
            "run-result-nested-rounded",
        ],
    ),
    (
        "One fact stands in several places, and all of them are changed.",
        &[
            "input-submitted-tier",
            "response-image-hidden",
            "response-output-edited",
            "scorer-gate-bars",
            "scorer-guard-accuracy",
            "signed-no-key-edited",
            "tier-asserted-latency",
            "tier-asserted-other",
            "tier-asserted-within-rounding",
            "verdict-other-tier-refused",
            "verdict-other-tier-stricter",
        ],
    ),
    (
        "Two values are compared with each other, and both are set.",
        &[
            "input-list-cut",
            "input-other-gains",
            "input-other-model",
            "input-same-context",
            "scorer-gate",
            "scorer-older",
            "tier-baseline",
            "tier-beyond-rounding",
            "tier-frontier-within-rounding",
            "tier-kl-at-the-bar",
            "tier-no-gain-over-nothing",
            "tier-top1-at-the-bar",
            "tier-within-rounding",
        ],
    ),
    (
        "The output is made longer first, so that its base64 ends in padding.",
        &["base64-junk", "base64-line-break", "base64-no-padding", "base64-unused-bits", "base64-url-safe"],
    ),
    (
        "The weak key is in the receipt and among the trusted ones.",
        &["signed-key-identity", "signed-key-no-point", "signed-key-not-canonical", "signed-key-order-2"],
    ),
    (
        "The vector is about how several things go together.",
        &[
            "age-of-forged-quote",
            "expect-forged",
            "fresh-young",
            "note-other-bundle-unknown-command",
            "response-contents-absent",
            "td-perfmon",
        ],
    ),
];

/// The reason for this vector.
pub(crate) fn reason(id: &str) -> Option<&'static str> {
    REASONS.iter().find(|(_, ids)| ids.contains(&id)).map(|(reason, _)| *reason)
}

/// Panics unless the vectors that have a reason are those that need one.
pub(crate) fn check<'a>(needed: impl Iterator<Item = &'a str>) {
    let mut needed: Vec<&str> = needed.collect();
    let mut listed: Vec<&str> = REASONS.iter().flat_map(|(_, ids)| *ids).copied().collect();
    needed.sort_unstable();
    listed.sort_unstable();
    let missing: Vec<&&str> = needed.iter().filter(|id| !listed.contains(id)).collect();
    assert!(missing.is_empty(), "no vector is one edit away from {missing:?}: add the one in between, or say here why there is none");
    let stale: Vec<&&str> = listed.iter().filter(|id| !needed.contains(id)).collect();
    assert!(stale.is_empty(), "{stale:?} are not combined, or not there");
    assert_eq!(needed.len(), listed.len(), "a vector has two reasons");
}

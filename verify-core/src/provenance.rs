//! The strict provenance fields: what makes a run repeatable. Absent, blank, placeholder and malformed are one problem.

use crate::facts::WindowFacts;
use crate::ledger::Findings;
use crate::problem::{Code, Location, Problem};
use crate::receipt::{Attestation, DOCUMENT};
use crate::text::quoted;

/// Texts that stand for "not recorded", in lower case.
const PLACEHOLDERS: [&str; 10] = ["unknown", "none", "null", "n/a", "na", "tbd", "todo", "placeholder", "unset", "-"];

pub(crate) fn check(attestation: &Attestation<'_>, window: Option<&WindowFacts>, findings: &mut Findings) {
    check_clocks(attestation, findings);
    let mut require = |code: Code, pointer: &str, value: &str, wanted: &str, digits: Option<usize>| {
        if let Some(fault) = fault(value, digits) {
            let message = format!("{} is {fault}; wanted {wanted}", pointer.rsplit('/').next().unwrap_or_default());
            findings.raise(Problem::new(code, Location::pointer(DOCUMENT, pointer), message).found(quoted(value)).wanted(wanted));
        }
    };
    require(Code::ProvenanceBuildHash, "/attestation/code/build_hash", attestation.build_hash, "64 hex digits", Some(64));
    require(Code::ProvenanceLlamaCpp, "/attestation/references/llamacpp_commit", attestation.llamacpp_commit, "40 hex digits", Some(40));
    require(Code::ProvenanceModel, "/attestation/references/model_sha256", attestation.model_sha256, "64 hex digits", Some(64));
    require(Code::ProvenanceEvalSeed, "/attestation/references/eval_seed", attestation.eval_seed, "a seed", None);
    if let Some(window) = window.filter(|window| !(window.start..=window.end).contains(&attestation.timestamp)) {
        let message = format!(
            "the receipt says {}, its collateral is of {} to {}; nothing covers that timestamp",
            attestation.timestamp, window.start, window.end
        );
        findings.raise(Problem::new(Code::ProvenanceTimestamp, Location::pointer(DOCUMENT, "/attestation/timestamp_utc"), message));
    }
}

/// An envelope without an attestation block records none of it.
pub(crate) fn absent(findings: &mut Findings) {
    for (code, name) in [
        (Code::ProvenanceClocks, "clocks"),
        (Code::ProvenanceBuildHash, "build hash"),
        (Code::ProvenanceLlamaCpp, "llama.cpp commit"),
        (Code::ProvenanceModel, "model sha256"),
        (Code::ProvenanceEvalSeed, "eval seed"),
    ] {
        let message = format!("the envelope carries no attestation block, so it records no {name}");
        findings.raise(Problem::new(code, Location::document(DOCUMENT), message));
    }
}

fn check_clocks(attestation: &Attestation<'_>, findings: &mut Findings) {
    let fault = match (attestation.clocks_pinned, attestation.pin_target_mhz) {
        (true, 1..) => return,
        (true, target) => format!("clocks_pinned is true, but pin_target_mhz is {target}"),
        (false, _) => "clocks_pinned is false".to_owned(),
    };
    let location = Location::pointer(DOCUMENT, "/attestation/environment/clocks_pinned");
    findings.raise(Problem::new(Code::ProvenanceClocks, location, fault).wanted("clocks_pinned true and a pin_target_mhz above 0"));
}

/// Why `value` counts as absent; `digits` is the number of hex digits it must have.
fn fault(value: &str, digits: Option<usize>) -> Option<&'static str> {
    let trimmed = value.trim();
    if trimmed.is_empty() {
        return Some(if value.is_empty() { "absent" } else { "blank" });
    }
    if PLACEHOLDERS.contains(&trimmed.to_lowercase().as_str())
        || trimmed.bytes().all(|byte| byte == b'0')
        || !trimmed.chars().any(char::is_alphanumeric)
    {
        return Some("a placeholder");
    }
    let is_well_formed = digits.is_none_or(|digits| value.len() == digits && value.bytes().all(|byte| byte.is_ascii_hexdigit()));
    (!is_well_formed).then_some("malformed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_blank_placeholder_and_malformed_are_told_apart() {
        let hash = "0123456789abcdefABCDEF0123456789abcdefABCDEF01234567890123456789";
        assert_eq!(fault(&hash[..64], Some(64)), None);
        assert_eq!(fault("", Some(64)), Some("absent"));
        assert_eq!(fault(" \t", Some(64)), Some("blank"));
        assert_eq!(fault("Unknown", Some(64)), Some("a placeholder"));
        assert_eq!(fault("TBD", None), Some("a placeholder"));
        assert_eq!(fault("....", None), Some("a placeholder"));
        assert_eq!(fault("\u{200b}", None), Some("a placeholder"));
        assert_eq!(fault(&"0".repeat(64), Some(64)), Some("a placeholder"));
        assert_eq!(fault("abc123", Some(64)), Some("malformed"));
        assert_eq!(fault(&"g".repeat(64), Some(64)), Some("malformed"));
        assert_eq!(fault("dflash-0687", None), None);
    }
}

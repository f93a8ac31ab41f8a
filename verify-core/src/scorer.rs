//! The enclave scripts that are known by digest.

use crate::ledger::Findings;
use crate::problem::{Code, Location, Problem};
use crate::receipt::{DOCUMENT, Expected};

/// SHA-256 of the published versions of `score.py`, from the history of the evaluation repositories: of 2026-07-08, without
/// the dflash rule, and of 2026-08-07, with it.
const KNOWN: [&str; 2] = [
    "3da819f79756e2608e629983e104f18297f28f5935bb80b7a62b57b75b2580a3",
    "6009bbbd8e54db34a097b9027416dbe34fe41559e6c434eb964a0b5cbf5f9ae8",
];

pub(crate) fn is_known(expected: &Expected<'_>) -> bool {
    KNOWN.contains(&expected.scorer_sha256)
}

/// A known scorer still has to be run again before its output counts as its own. `pointer` is where its digest stands.
pub(crate) fn check(expected: &Expected<'_>, pointer: &str, findings: &mut Findings) {
    if !is_known(expected) {
        let message = match expected.scorer_sha256 {
            "" => "no path says that a file is the scorer".to_owned(),
            scorer => format!("the scorer {scorer} is not one of the known scorers"),
        };
        findings.raise(Problem::new(Code::ScorerUnknown, Location::pointer(DOCUMENT, pointer), message).found(expected.scorer_sha256));
    }
    let message = "this version does not run the scorer again, so that it made this output from this input is not shown";
    findings.raise(Problem::new(Code::ScorerNotRerun, Location::document("enclave output"), message));
}

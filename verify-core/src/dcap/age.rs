//! How old collateral is: against the caller's current time, and against fresher collateral.

use std::time::Duration;

use crate::dcap::collateral::DOCUMENT;
use crate::facts::{QuoteFacts, WindowFacts};
use crate::ledger::{Checked, Findings, Stopped};
use crate::policy::show_age;
use crate::problem::{Code, Location, Problem};
use crate::report::QuoteReport;
use crate::time::Timestamp;

/// The newest collateral is at most `limit` old at the caller's `now`.
pub(crate) fn check_limit(newest: &QuoteFacts, now: Option<Timestamp>, limit: Duration, findings: &mut Findings) {
    let limit_shown = show_age(limit);
    let (Some(WindowFacts { start, .. }), Some(now)) = (&newest.window, now) else {
        let missing = if now.is_none() { "no current time was given" } else { "the start of its window is not known" };
        let message = format!("the policy allows collateral that is at most {limit_shown} old, and {missing}");
        return findings.raise(Problem::new(Code::CollateralAgeUnknown, Location::document(DOCUMENT), message));
    };
    match u64::try_from(now.unix_seconds().saturating_sub(start.unix_seconds())).map(Duration::from_secs) {
        Ok(age) if age <= limit => {}
        Ok(age) => {
            let age = format!("{} days", age.as_secs() / 86_400);
            let message = format!("the newest collateral starts at {start}, {age} before {now}; the policy allows {limit_shown}");
            let problem = Problem::new(Code::CollateralTooOld, Location::document(DOCUMENT), message);
            findings.raise(problem.found(age).wanted(limit_shown));
        }
        Err(_) => {
            let message = format!("the newest collateral starts at {start}, after the given current time {now}");
            findings.raise(Problem::new(Code::CollateralAgeUnknown, Location::document(DOCUMENT), message));
        }
    }
}

/// Collateral that is given as fresh does not start before the one that the receipt carries, whose window is known unless the verdict
/// under it says why not.
pub(crate) fn check_fresh(
    carried: Option<&WindowFacts>,
    genuine_as_carried: Checked<()>,
    fresh: &QuoteReport,
    findings: &mut Findings,
) -> Checked<()> {
    let unknown = |by: Option<Code>| Stopped::By(by.unwrap_or(Code::CollateralAgeUnknown));
    let carried = carried.ok_or_else(|| unknown(genuine_as_carried.err().and_then(Stopped::code)))?;
    let fresh = fresh.facts.window.as_ref().ok_or_else(|| unknown(fresh.problems.first().map(|problem| problem.code)))?;
    let (old, new) = (carried.start, fresh.start);
    if new < old {
        let message = format!("the collateral that was given as fresh starts at {new}, before that of the receipt at {old}");
        let problem = Problem::new(Code::CollateralNotFresh, Location::document("fresh collateral"), message);
        findings.raise(problem.found(new.to_string()).wanted(format!("{old} or later")));
    }
    Ok(())
}

//! The ledger in which a report is built. It starts at unverifiable, and only results that were recorded can lift it.

use std::ops::RangeInclusive;

use crate::limits;
use crate::policy::Policy;
use crate::problem::{Code, Effect, Location, Problem};
use crate::report::{Check, CheckResult, Obligation, Outcome};

/// Why a line of reasoning ends, and with it everything that depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// A finding stopped it: what depends on it is skipped because of this code.
    By(Code),
    /// The envelope that was read has no such part, or nobody asked for it: what depends on it does not apply, for this reason.
    NotApplicable(&'static str),
}

impl Stopped {
    /// The code of the finding that stopped it, if it was one.
    pub(crate) const fn code(self) -> Option<Code> {
        match self {
            Stopped::By(code) => Some(code),
            Stopped::NotApplicable(_) => None,
        }
    }
}

/// A value that some obligation established, or what stopped it.
pub(crate) type Checked<T> = Result<T, Stopped>;

/// The value that a prerequisite established; otherwise what stopped it stops the caller too.
pub(crate) fn need<T>(checked: &Checked<T>) -> Checked<&T> {
    checked.as_ref().map_err(|stopped| *stopped)
}

/// The findings of one obligation.
pub(crate) struct Findings {
    problems: Vec<Problem>,
    /// How many are listed.
    room: usize,
}

impl Default for Findings {
    fn default() -> Self {
        Self { problems: Vec::new(), room: limits::PROBLEMS }
    }
}

impl Findings {
    /// As many findings of one code as make a difference: one more than are listed.
    pub(crate) const MOST: usize = limits::PROBLEMS.saturating_add(1);

    /// Records a finding; the obligation goes on. Beyond the limit, which becomes a finding itself, a code that stands already is not
    /// repeated, and notes are dropped.
    pub(crate) fn raise(&mut self, problem: Problem) {
        if self.problems.len() < self.room {
            return self.problems.push(problem);
        }
        let is_new = |code: Code| !self.problems.iter().any(|known| known.code == code);
        let adds = problem.effect > Effect::Notes && problem.code != Code::LimitExceeded && is_new(problem.code);
        if is_new(Code::LimitExceeded) {
            let message = format!("there are more than {} findings; the rest is not listed", limits::PROBLEMS);
            let location = Location::document(problem.location.document);
            self.problems.push(Problem::new(Code::LimitExceeded, location, message));
        }
        if adds {
            self.problems.push(problem);
        }
    }

    /// Records a finding that ends the obligation.
    pub(crate) fn stop(&mut self, problem: Problem) -> Stopped {
        let stopped = Stopped::By(problem.code);
        self.problems.push(problem);
        stopped
    }

    /// What stops those who depend on a value that could not be read: the last finding that is more than a note, which says why.
    pub(crate) fn last(&self) -> Stopped {
        let grave = self.problems.iter().rfind(|problem| problem.effect > Effect::Notes);
        Stopped::By(grave.map_or(Code::JsonMalformed, |problem| problem.code))
    }

    /// What stops those who depend on something that a finding refutes.
    pub(crate) fn refutation(&self) -> Checked<()> {
        let refuting = self.problems.iter().find(|problem| problem.effect == Effect::Refutes);
        refuting.map_or(Ok(()), |problem| Err(Stopped::By(problem.code)))
    }

    /// `part`, which policy or caller asked for by `request`, if they did: where the receipt can have no such part, they do not get it.
    pub(crate) fn asked<T>(&mut self, is_asked: bool, request: &str, part: Checked<T>) -> Checked<T> {
        if let (true, Err(Stopped::NotApplicable(reason))) = (is_asked, &part) {
            let message = format!("{request}, but {reason}");
            self.raise(Problem::new(Code::PinNotInEvidence, Location::document("receipt"), message));
        }
        part
    }

    /// The findings alone, for those who keep no ledger.
    pub(crate) fn into_problems(self) -> Vec<Problem> {
        self.problems
    }
}

/// Everything recorded so far. It starts at unverifiable: an obligation that was never met has no result.
#[derive(Default)]
pub(crate) struct Ledger {
    results: Vec<(Obligation, Recorded)>,
    problems: Vec<Problem>,
}

/// What came of one obligation.
struct Recorded {
    found: Vec<Code>,
    /// What ended it early, if that is none of its own findings above notes.
    stopped: Option<Stopped>,
}

impl Recorded {
    const fn skipped(&self) -> Option<Code> {
        match self.stopped {
            Some(Stopped::By(code)) => Some(code),
            Some(Stopped::NotApplicable(_)) | None => None,
        }
    }
}

impl Ledger {
    /// Meets one obligation and records what came of it. An early return because of something else leaves it unmet.
    pub(crate) fn meet<T>(&mut self, obligation: Obligation, run: impl FnOnce(&mut Findings) -> Checked<T>) -> Checked<T> {
        let mut findings = Findings { problems: Vec::new(), room: limits::PROBLEMS.saturating_sub(self.problems.len()) };
        let outcome = run(&mut findings);
        let is_own = |code: Code| findings.problems.iter().any(|problem| problem.code == code && problem.effect > Effect::Notes);
        let stopped = outcome.as_ref().err().copied().filter(|stopped| !stopped.code().is_some_and(is_own));
        let found = findings.problems.iter().map(|problem| problem.code).collect();
        self.results.push((obligation, Recorded { found, stopped }));
        self.problems.extend(findings.problems);
        outcome
    }

    /// Whether every obligation in `range` was met so far; otherwise the gravest code that stands against it.
    pub(crate) fn holds(&self, range: RangeInclusive<Obligation>, policy: &Policy) -> Checked<()> {
        let results = self.results.iter().filter(|(obligation, _)| range.contains(obligation)).map(|(_, recorded)| recorded);
        let against = results.flat_map(|recorded| {
            let grave = recorded.found.iter().copied().filter(|code| policy.effect(*code) >= Effect::Prevents);
            grave.chain(recorded.skipped())
        });
        against.max_by_key(|code| policy.effect(*code)).map_or(Ok(()), |code| Err(Stopped::By(code)))
    }

    /// Records a note that belongs to no obligation.
    pub(crate) fn note(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// The outcome, every check and every finding under `policy`, where the obligations in `required` are the ones to meet.
    pub(crate) fn settle(self, required: RangeInclusive<Obligation>, policy: &Policy) -> (Outcome, Vec<Check>, Vec<Problem>) {
        let checks: Vec<Check> = Obligation::ALL
            .iter()
            .filter(|obligation| required.contains(obligation))
            .map(|obligation| {
                let recorded = self.results.iter().find(|(recorded, _)| recorded == obligation);
                let result = recorded.map_or(CheckResult::NotReached, |(_, recorded)| {
                    let by = |effect: &dyn Fn(Code) -> Effect| {
                        recorded.found.iter().copied().filter(|code| effect(*code) > Effect::Notes).collect::<Vec<Code>>()
                    };
                    let (grave, grave_by_default) = (by(&|code| policy.effect(code)), by(&|code| code.info().default_effect));
                    match recorded.stopped {
                        _ if !grave.is_empty() => CheckResult::Failed { codes: grave },
                        Some(Stopped::By(code)) => CheckResult::Skipped { because: code },
                        _ if !grave_by_default.is_empty() => CheckResult::Softened { codes: grave_by_default },
                        Some(Stopped::NotApplicable(reason)) => CheckResult::NotApplicable { reason },
                        None if policy.waives(*obligation) => CheckResult::Waived,
                        None => CheckResult::Passed,
                    }
                });
                Check { id: *obligation, title: obligation.title(), result }
            })
            .collect();
        let mut problems = self.problems;
        for problem in &mut problems {
            problem.effect = policy.effect(problem.code);
        }
        problems.sort_by_key(|problem| std::cmp::Reverse(problem.effect));
        let unsettled = checks.iter().any(|check| matches!(check.result, CheckResult::Skipped { .. } | CheckResult::NotReached));
        let found = checks.iter().filter_map(|check| match &check.result {
            CheckResult::Failed { codes } => codes.iter().map(|code| policy.effect(*code)).max(),
            _ => None,
        });
        let outcome = match found.max() {
            Some(Effect::Refutes) => Outcome::Invalid,
            Some(Effect::Prevents) => Outcome::Unverifiable,
            _ if unsettled => Outcome::Unverifiable,
            Some(Effect::Weakens) => Outcome::UnderProvenanced,
            Some(Effect::Notes) | None => Outcome::Verified,
        };
        (outcome, checks, problems)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Location;

    fn problem(code: Code) -> Problem {
        Problem::new(code, Location::document("receipt"), "found")
    }

    fn ledger_with(codes: &[Code]) -> Ledger {
        let mut ledger = Ledger::default();
        for (index, obligation) in Obligation::ALL.iter().enumerate() {
            let _ = ledger.meet(*obligation, |findings| {
                if index == 0 {
                    codes.iter().for_each(|code| findings.raise(problem(*code)));
                }
                Ok(())
            });
        }
        ledger
    }

    fn outcome(ledger: Ledger) -> Outcome {
        settle(ledger).0
    }

    fn settle(ledger: Ledger) -> (Outcome, Vec<Check>, Vec<Problem>) {
        ledger.settle(Obligation::OF_A_RECEIPT, &Policy::strict())
    }

    #[test]
    fn an_empty_ledger_is_unverifiable() {
        assert_eq!(outcome(Ledger::default()), Outcome::Unverifiable);
    }

    #[test]
    fn one_missing_obligation_is_enough_to_be_unverifiable() {
        let mut ledger = ledger_with(&[]);
        ledger.results.pop();
        assert_eq!(outcome(ledger), Outcome::Unverifiable);
    }

    #[test]
    fn only_the_required_obligations_count() {
        let mut ledger = Ledger::default();
        for obligation in Obligation::ALL.iter().filter(|obligation| Obligation::OF_A_QUOTE.contains(obligation)) {
            let _ = ledger.meet(*obligation, |_| Ok(()));
        }
        let (outcome, checks, _) = ledger.settle(Obligation::OF_A_QUOTE, &Policy::strict());
        assert_eq!(outcome, Outcome::Verified);
        assert_eq!(checks.first().map(|check| check.id), Some(Obligation::Quote));
        assert_eq!(checks.last().map(|check| check.id), Some(Obligation::Attributes));
    }

    #[test]
    fn the_gravest_effect_decides() {
        assert_eq!(outcome(ledger_with(&[])), Outcome::Verified);
        assert_eq!(outcome(ledger_with(&[Code::ChainUnchecked])), Outcome::Verified);
        assert_eq!(outcome(ledger_with(&[Code::TcbOutOfDate])), Outcome::UnderProvenanced);
        assert_eq!(outcome(ledger_with(&[Code::TcbOutOfDate, Code::CrlWindow])), Outcome::Unverifiable);
        assert_eq!(outcome(ledger_with(&[Code::CrlWindow, Code::QuoteSignature, Code::TcbOutOfDate])), Outcome::Invalid);
    }

    #[test]
    fn a_skip_is_no_pass_and_names_what_stopped_it() {
        let mut ledger = ledger_with(&[]);
        ledger.results.pop();
        let skipped: Checked<()> = ledger.meet(Obligation::Claims, |_| Err(Stopped::By(Code::QuoteMalformed)));
        assert_eq!(skipped, Err(Stopped::By(Code::QuoteMalformed)));
        let (outcome, checks, _) = settle(ledger);
        assert_eq!(outcome, Outcome::Unverifiable);
        assert_eq!(checks.last().unwrap().result, CheckResult::Skipped { because: Code::QuoteMalformed });
    }

    #[test]
    fn a_note_before_a_skip_makes_no_pass_of_it() {
        let mut ledger = ledger_with(&[]);
        ledger.results.pop();
        let _: Checked<()> = ledger.meet(Obligation::Claims, |findings| {
            findings.raise(problem(Code::ReceiptUnknownMember));
            Err(Stopped::By(Code::QuoteMalformed))
        });
        let (outcome, checks, problems) = settle(ledger);
        assert_eq!(outcome, Outcome::Unverifiable);
        assert_eq!(checks.last().unwrap().result, CheckResult::Skipped { because: Code::QuoteMalformed });
        assert_eq!(problems.len(), 1);
    }

    /// Nor does a finding that the policy softens: the rest of the check did not run.
    #[test]
    fn a_softened_finding_before_a_skip_makes_no_pass_of_it() {
        let mut ledger = ledger_with(&[]);
        ledger.results.pop();
        let _: Checked<()> = ledger.meet(Obligation::Claims, |findings| {
            findings.raise(problem(Code::JsonNonFinite));
            Err(Stopped::By(Code::ProvenanceClocks))
        });
        let policy = Policy::authenticity();
        assert!([Code::JsonNonFinite, Code::ProvenanceClocks].iter().all(|code| policy.effect(*code) == Effect::Notes));
        assert_eq!(ledger.holds(Obligation::Claims..=Obligation::Claims, &policy), Err(Stopped::By(Code::ProvenanceClocks)));
        let (outcome, checks, _) = ledger.settle(Obligation::OF_A_RECEIPT, &policy);
        assert_eq!(outcome, Outcome::Unverifiable);
        assert_eq!(checks.last().unwrap().result, CheckResult::Skipped { because: Code::ProvenanceClocks });
    }

    #[test]
    fn what_stops_is_the_last_finding_above_notes() {
        let mut findings = Findings::default();
        for code in [Code::ReceiptVersion, Code::ReceiptWrongType, Code::ReceiptUnknownMember] {
            findings.raise(problem(code));
        }
        assert_eq!(findings.last(), Stopped::By(Code::ReceiptWrongType));
        assert_eq!(findings.refutation(), Err(Stopped::By(Code::ReceiptWrongType)));
    }

    #[test]
    fn a_flood_of_findings_is_said_and_hides_nothing_graver() {
        let flood = |count: usize| vec![Code::ReceiptUnknownMember; count];
        assert_eq!(outcome(ledger_with(&flood(limits::PROBLEMS))), Outcome::Verified);
        assert_eq!(outcome(ledger_with(&flood(limits::PROBLEMS + 1))), Outcome::Unverifiable);
        for (code, wanted) in [
            (Code::TcbOutOfDate, Outcome::Unverifiable),
            (Code::CrlWindow, Outcome::Unverifiable),
            (Code::QuoteSignature, Outcome::Invalid),
        ] {
            let (outcome, _, problems) = settle(ledger_with(&[flood(limits::PROBLEMS + 5), vec![code; 3]].concat()));
            assert_eq!(outcome, wanted);
            assert!([code, Code::LimitExceeded].iter().all(|code| problems.iter().any(|problem| problem.code == *code)));
            assert_eq!(problems.len(), limits::PROBLEMS + 2);
        }
    }

    #[test]
    fn all_obligations_share_the_room_for_findings() {
        let mut ledger = ledger_with(&[Code::ReceiptUnknownMember; limits::PROBLEMS]);
        let _ = ledger.meet(Obligation::Claims, |findings| {
            for code in [Code::ReceiptUnknownMember, Code::QuoteSignature, Code::QuoteSignature] {
                findings.raise(problem(code));
            }
            Ok(())
        });
        assert_eq!(settle(ledger).2.len(), limits::PROBLEMS + 2);
    }

    #[test]
    fn only_a_note_skips_the_obligation_that_it_stops() {
        let softened = Policy { effects: [(Code::TcbOutOfDate, Effect::Notes)].into(), ..Policy::strict() };
        for (code, policy, wanted) in [
            (Code::TcbOutOfDate, Policy::strict(), CheckResult::Failed { codes: vec![Code::TcbOutOfDate] }),
            (Code::TcbOutOfDate, softened, CheckResult::Softened { codes: vec![Code::TcbOutOfDate] }),
            (Code::ChainUnchecked, Policy::strict(), CheckResult::Skipped { because: Code::ChainUnchecked }),
        ] {
            let mut ledger = Ledger::default();
            let _ = ledger.meet(Obligation::Json, |findings| Err::<(), _>(findings.stop(problem(code))));
            let (_, checks, _) = ledger.settle(Obligation::Json..=Obligation::Json, &policy);
            assert_eq!(checks.first().unwrap().result, wanted);
        }
    }
}

//! A whole evaluation log: does every published verdict rest on a receipt that holds, and was anything changed, dropped or reused?
//!
//! 1. [`Log::read`] reads the lists in which verdicts are published: `index.json` and `ledger.jsonl`.
//! 2. [`Log::judge`] judges one run directory: its receipt by the caller's verifier, then receipt, rows and result against each other.
//!    It needs no other run, so that runs can be judged in any order and many at a time.
//! 3. [`Log::audit`] holds the runs against the lists and against each other, and sums up.
//!
//! An earlier copy of the log, or its seal, is a [`Snapshot`]; [`Log::compare`] says what did not just grow since.
//!
//! Nothing authenticates a log. What it says is compared with what its receipts prove, and with itself. Two shapes are known, and
//! recognised by what is there: docs/audit.md describes them.

mod lists;
mod report;
mod run;
mod snapshot;

use std::collections::{BTreeMap, BTreeSet};

use crate::anchors::Anchors;
use crate::limits;
use crate::policy::Policy;
use crate::problem::{Code, Location, Problem};
use crate::text::{brief, quoted};

use lists::{List, Row};

pub use report::{Audit, Counts, Finding, Group, PublishedList, Since};
pub use run::{Carried, Directory, Run, RunReceipt};
pub use snapshot::{Published, SealError, Snapshot};

/// The list of the newest verdicts first.
pub const INDEX: &str = "index.json";
/// The list that only grows, one row a line.
pub const LEDGER: &str = "ledger.jsonl";
/// The folder with a directory for each run.
pub const RUNS: &str = "runs";
/// The folder with the texts of rounds that sealed nothing.
pub const ROUNDS: &str = "rounds";
/// The receipt of a run directory.
pub const RECEIPT: &str = "receipt.json";

/// The bytes of a file, or why it could not be read.
pub type Content<'a> = Result<&'a [u8], &'a str>;

/// The published lists of a log, and what was found about the log itself so far.
#[derive(Debug)]
pub struct Log<'a> {
    index: List<'a>,
    ledger: List<'a>,
    findings: Vec<Finding>,
    since: Option<Since>,
}

/// Why a part of a log was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeftOut {
    /// It is a link, a device or a pipe.
    NotAFile,
    /// It cannot be read.
    Unreadable,
    /// It is larger, deeper or more than is read.
    OverLimit,
}

impl<'a> Log<'a> {
    /// Reads `index.json` and `ledger.jsonl`; `None` where there is no such file. Total: what cannot be read becomes a finding.
    pub fn read(index: Option<Content<'a>>, ledger: Option<Content<'a>>) -> Self {
        let mut findings = Vec::new();
        let index = List::of_index(index, &mut findings);
        let ledger = List::of_ledger(ledger, &mut findings);
        Self { index, ledger, findings, since: None }
    }

    /// Records that something of the log was not read, and why.
    pub fn leave_out(&mut self, path: &str, left_out: LeftOut, why: &str) {
        let code = match left_out {
            LeftOut::NotAFile => Code::LogNotAFile,
            LeftOut::Unreadable => Code::LogFileUnreadable,
            LeftOut::OverLimit => Code::LimitExceeded,
        };
        let problem = Problem::new(code, Location::document("log"), format!("{} was not read: {}", quoted(path), brief(why)));
        self.findings.push(Finding::at(path, problem));
    }

    /// Records everything of the `earlier` log that `present`, the log of this audit, does not hold as it was.
    pub fn compare(&mut self, earlier: &Snapshot, present: &Snapshot) {
        self.since = Some(Since { files: earlier.files(), verdicts: earlier.verdicts() });
        self.findings.extend(snapshot::changes(earlier, present));
    }

    /// Sums up: `runs` are all that [`Log::judge`] made of the directories of this log. `policy` and `anchors` have to be those that
    /// the receipts were judged by.
    pub fn audit(self, name: Option<&str>, mut runs: Vec<Run>, policy: &Policy, anchors: &Anchors) -> Audit {
        runs.sort_by(|left, right| left.directory.cmp(&right.directory));
        let mut findings = self.findings;
        findings.extend(runs.iter_mut().flat_map(|run| std::mem::take(&mut run.findings)));
        let lists = Lists { index: &self.index, ledger: &self.ledger };
        findings.extend(lists.absent(&runs));
        findings.extend(lists.rows_without_directory(&runs));
        findings.extend(lists.order());
        findings.extend(lists.unnamed(&runs));
        findings.extend(lists.replaced());
        findings.extend(reused(&runs));
        let lists = lists.both().into_iter().filter_map(List::published).collect();
        Audit::new(name, runs, findings, lists, self.since, policy, anchors)
    }
}

/// Both lists, once everything is known about the runs.
struct Lists<'l, 'a> {
    index: &'l List<'a>,
    ledger: &'l List<'a>,
}

impl<'l, 'a> Lists<'l, 'a> {
    fn both(&self) -> [&'l List<'a>; 2] {
        [self.index, self.ledger]
    }

    /// A list that a log of this shape has, and this one has not.
    fn absent(&self, runs: &[Run]) -> Option<Finding> {
        let (absent, why) = match (self.index.is_absent(), self.ledger.is_absent()) {
            (true, true) if !runs.is_empty() => {
                (self.index, "there is neither index.json nor ledger.jsonl: nothing says which runs there are")
            }
            (true, false) if self.ledger.lists_runs() => (self.index, "the ledger lists runs, but there is no index.json"),
            (false, _) if self.index.is_by_run_id() && !self.ledger.lists_runs() && !self.ledger.is_unreadable() => {
                (self.ledger, "index.json has the rows of a log with a ledger, but there is no ledger.jsonl with such rows")
            }
            _ => return None,
        };
        Some(Finding::at(absent.name, Problem::new(Code::LogListAbsent, Location::document(absent.name), why)))
    }

    /// Rows of runs that have no directory.
    fn rows_without_directory(&self, runs: &[Run]) -> Vec<Finding> {
        let directories: BTreeSet<&str> = runs.iter().map(|run| run.directory.as_str()).collect();
        let of_index = self.index.by_run.keys();
        let of_ledger = self.ledger.by_run.keys().filter(|run| !self.index.by_run.contains_key(*run));
        let without = of_index.chain(of_ledger).filter(|run| !directories.contains(run.as_str()));
        without.filter_map(|run| run::without_receipt(run, &self.both(), None)).collect()
    }

    /// The index is the ledger from the newest row to the oldest.
    fn order(&self) -> Option<Finding> {
        let places = self.index.rows.iter().filter_map(|row| Some((row, self.ledger.row(&row.run)?.place)));
        let mut places = places.filter(|(row, _)| self.index.row(&row.run).is_some_and(|first| first.place == row.place));
        let mut before = places.next()?;
        let misplaced = places.find(|next| {
            let is_later = next.1 > before.1;
            before = if is_later { before } else { *next };
            is_later
        })?;
        let message = format!(
            "{INDEX} has {} below {}, which stands before it in the ledger; the index is the ledger from the newest row to the oldest",
            brief(&misplaced.0.run),
            brief(&before.0.run),
        );
        Some(self.index.finding(Code::LogIndexOrder, misplaced.0, message))
    }

    /// Runs whose receipt their row or result does not name, although those of other runs do.
    fn unnamed(&self, runs: &[Run]) -> Vec<Finding> {
        let results_name = runs.iter().any(|run| run.result_names_receipt == Some(true));
        let of_run = |run: &Run| {
            let rows = self.both().into_iter().filter(|list| list.names_receipts);
            let rows = rows.filter_map(|list| Some((list, list.row(&run.directory).filter(|row| row.named_receipt().is_none())?)));
            let rows: Vec<_> = rows.collect();
            let is_result_silent = results_name && run.result_names_receipt == Some(false);
            let names: Vec<&str> = rows.iter().map(|(list, _)| list.name).chain(is_result_silent.then_some(crate::run::RESULT)).collect();
            let first = *names.first()?;
            let message =
                format!("no receipt of {} is named in {}, although those of other runs are", brief(&run.directory), names.join(" and "));
            Some(match rows.first() {
                Some((list, row)) => list.finding(Code::LogReceiptUnnamed, row, message),
                None => run::finding(&run.directory, first, Problem::new(Code::LogReceiptUnnamed, Location::document(first), message)),
            })
        };
        runs.iter().filter(|run| run.receipt.is_some()).filter_map(of_run).collect()
    }

    /// Rows that were superseded, and commits that were measured again.
    fn replaced(&self) -> Vec<Finding> {
        let list = if self.ledger.rows.is_empty() { self.index } else { self.ledger };
        let mut findings = Vec::new();
        let mut measured: BTreeMap<(&str, String), Vec<&Row<'_>>> = BTreeMap::new();
        for row in list.by_run.values().filter_map(|row| list.rows.get(*row)) {
            if let Some(successor) = row.text("superseded_by") {
                let known = self.both().into_iter().any(|list| list.row(successor).is_some());
                let (code, word) = match known {
                    true => (Code::LogSuperseded, "superseded by"),
                    false => (Code::LogSuccessorMissing, "superseded by a run that the log does not list:"),
                };
                findings.push(list.finding(code, row, format!("{} is {word} {}", brief(&row.run), brief(successor))));
            }
            if let Some((commit, pull_request)) = row.text("commit").zip(row.value.member("pr")) {
                measured.entry((commit, pull_request.shown())).or_default().push(row);
            }
        }
        for ((commit, pull_request), mut rows) in measured.into_iter().filter(|(_, rows)| rows.len() > 1) {
            rows.sort_by_key(|row| row.place);
            let Some(last) = rows.last() else { continue };
            let message = format!("commit {} of pull request {pull_request} was measured {} times", brief(commit), rows.len());
            let finding = list.finding(Code::LogMeasuredAgain, last, message);
            findings.push(finding.about(rows.iter().map(|row| row.run.as_str())));
        }
        findings
    }
}

/// The same evidence under several runs: the same file, else the same quote or signature, else the same nonce; and the same id.
fn reused(runs: &[Run]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut known: BTreeSet<(&str, &str)> = BTreeSet::new();
    type Identity = fn(&Run) -> Option<&str>;
    let identities: [(Code, &str, &str, Identity); 4] = [
        (Code::LogReceiptRepeated, "receipt file", "", |run| Some(&run.receipt.as_ref()?.sha256)),
        (Code::LogQuoteReused, "quote or signature", "", |run| run.evidence.as_deref()),
        (Code::LogNonceShared, "nonce", "", |run| run.nonce.as_deref()),
        (Code::LogIdShared, "receipt id", "/receipt_id", |run| run.receipt.as_ref()?.id.as_deref()),
    ];
    for (code, what, place, identity) in identities {
        let mut sharing: BTreeMap<&str, Vec<&Run>> = BTreeMap::new();
        for run in runs {
            if let Some(identity) = identity(run) {
                sharing.entry(identity).or_default().push(run);
            }
        }
        for (identity, sharers) in sharing.into_iter().filter(|(_, sharers)| sharers.len() > 1) {
            let [first, others @ ..] = sharers.as_slice() else { continue };
            // Who shares the graver thing shares the milder ones too.
            if others.iter().all(|other| known.contains(&(first.directory.as_str(), other.directory.as_str()))) {
                continue;
            }
            known.extend(others.iter().map(|other| (first.directory.as_str(), other.directory.as_str())));
            let message = format!("{} runs have the same {what}: {}", sharers.len(), brief(identity));
            let problem = Problem::new(code, Location::pointer(crate::receipt::DOCUMENT, place), message);
            let finding = run::finding(&first.directory, RECEIPT, problem);
            findings.push(finding.about(sharers.iter().take(limits::DIFFERENCES).map(|run| run.directory.as_str())));
        }
    }
    findings
}

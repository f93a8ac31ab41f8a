//! The answer about a log.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::run::Run;
use super::{INDEX, LEDGER};
use crate::anchors::Anchors;
use crate::limits;
use crate::policy::Policy;
use crate::problem::{Code, Effect, Location, Problem};
use crate::report::{AnchorsInForce, Outcome, PolicyInForce, Tool, qualified};
use crate::text::{escape, escape_json};

/// One finding about the log itself. Every text in it is safe to show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The runs that it is about, by their directories; escaped for showing.
    pub runs: Vec<String>,
    /// The file in which it stands, relative to the log; escaped for showing.
    pub file: String,
    /// The line of that file, from 1, where its lines are documents of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// What was found.
    #[serde(flatten)]
    pub problem: Problem,
}

impl Finding {
    pub(super) fn at(file: &str, problem: Problem) -> Self {
        Self { runs: Vec::new(), file: escape(file), line: None, problem }
    }

    pub(super) fn about<'r>(mut self, runs: impl IntoIterator<Item = &'r str>) -> Self {
        self.runs = runs.into_iter().map(escape).collect();
        self
    }

    pub(super) fn on_line(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }
}

/// What receipts of several runs have in common: one code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Group {
    /// The code.
    pub code: Code,
    /// Its effect under the policy.
    pub effect: Effect,
    /// What was found, where it is the same in all of them; else what the code means.
    pub message: String,
    /// The runs, in order; escaped for showing.
    pub runs: Vec<String>,
}

/// How many runs came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Counts {
    /// Run directories.
    pub runs: usize,
    /// Those without a receipt that could be read.
    pub without_receipt: usize,
    /// Receipts by their outcomes.
    pub verified: usize,
    /// Likewise.
    pub under_provenanced: usize,
    /// Likewise.
    pub unverifiable: usize,
    /// Likewise.
    pub invalid: usize,
    /// Rows of the index.
    pub index_rows: usize,
    /// Rows of the ledger that are about runs.
    pub ledger_rows: usize,
}

/// A list of the log that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PublishedList {
    /// Its name: `index.json` or `ledger.jsonl`.
    pub name: &'static str,
    /// SHA-256 of the file, 64 lower-case hex digits.
    pub sha256: String,
    /// Its rows that are about runs.
    pub rows: usize,
}

/// How much of an earlier log the present one was compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Since {
    /// Files.
    pub files: usize,
    /// Published verdicts.
    pub verdicts: usize,
}

/// The whole answer about a log: a pure function of its files, of the earlier log, and of policy and anchors.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Audit {
    /// The version of this shape.
    pub audit_version: u32,
    /// Who made it.
    pub tool: Tool,
    /// The caller's name for the log, escaped for showing.
    pub log: Option<String>,
    /// Under which policy.
    pub policy: PolicyInForce,
    /// With which anchors.
    pub anchors: AnchorsInForce,
    /// The worst of the receipts and of the findings about the log; a log without a receipt is unverifiable at best.
    pub outcome: Outcome,
    /// The exit code that belongs to it.
    pub exit_code: u8,
    /// How many runs came to what.
    pub counts: Counts,
    /// The lists that were read.
    pub lists: Vec<PublishedList>,
    /// With how much of an earlier log it was compared; absent where it was with none.
    pub since: Option<Since>,
    /// What was found about receipts, by code, gravest first; without notes.
    pub receipts: Vec<Group>,
    /// What was found about the log itself, gravest first.
    pub findings: Vec<Finding>,
    /// Every run, in order.
    pub runs: Vec<Run>,
}

impl Audit {
    pub(super) fn new(
        name: Option<&str>,
        runs: Vec<Run>,
        mut findings: Vec<Finding>,
        lists: Vec<PublishedList>,
        since: Option<Since>,
        policy: &Policy,
        anchors: &Anchors,
    ) -> Self {
        for finding in &mut findings {
            finding.problem.effect = policy.effect(finding.problem.code);
        }
        findings.sort_by_key(|finding| (std::cmp::Reverse(finding.problem.effect), finding.problem.code));
        if findings.len() > limits::LOG_FINDINGS {
            let message = format!("there are {} findings about the log; {} are listed", findings.len(), limits::LOG_FINDINGS);
            findings.truncate(limits::LOG_FINDINGS);
            findings.push(Finding::at("", Problem::new(Code::LimitExceeded, Location::document("log"), message)));
        }
        let rows = |name| lists.iter().find(|list| list.name == name).map_or(0, |list| list.rows);
        let mut counts = Counts { runs: runs.len(), index_rows: rows(INDEX), ledger_rows: rows(LEDGER), ..Counts::default() };
        for run in &runs {
            let counted = match run.receipt.as_ref().map(|receipt| receipt.outcome) {
                None => &mut counts.without_receipt,
                Some(Outcome::Verified) => &mut counts.verified,
                Some(Outcome::UnderProvenanced) => &mut counts.under_provenanced,
                Some(Outcome::Unverifiable) => &mut counts.unverifiable,
                Some(Outcome::Invalid) => &mut counts.invalid,
            };
            *counted = counted.saturating_add(1);
        }
        let of_receipts = runs.iter().filter_map(|run| Some(run.receipt.as_ref()?.outcome)).max().unwrap_or(Outcome::Unverifiable);
        let of_log = findings.iter().map(|finding| outcome_of(finding.problem.effect)).max().unwrap_or(Outcome::Verified);
        let outcome = of_receipts.max(of_log);
        let found = runs.iter().flat_map(|run| &run.problems).chain(findings.iter().map(|finding| &finding.problem));
        Self {
            audit_version: 1,
            tool: Tool::THIS,
            log: name.map(escape),
            policy: policy.in_force(found.map(|problem| problem.code)),
            anchors: AnchorsInForce::of(anchors),
            outcome,
            exit_code: outcome.exit_code(),
            counts,
            lists,
            since,
            receipts: groups(&runs),
            findings,
            runs,
        }
    }

    /// The outcome with everything that qualifies it, as in the headline of a report.
    pub fn headline(&self) -> String {
        qualified(self.outcome, self.anchors.qualifier().into_iter().map(str::to_owned).chain(self.policy.qualifiers()).collect())
    }

    /// Whether there is such a finding about the log itself.
    pub fn has(&self, code: Code) -> bool {
        self.findings.iter().any(|finding| finding.problem.code == code)
    }

    /// The JSON form on one line, in ASCII and harmless wherever it is shown.
    pub fn to_json(&self) -> String {
        escape_json(&serde_json::to_string(self).unwrap_or_default())
    }

    /// Like [`Audit::to_json`], indented.
    pub fn to_json_pretty(&self) -> String {
        escape_json(&serde_json::to_string_pretty(self).unwrap_or_default())
    }

    /// The JSON form as one line for each run, one for each finding about the log, and one for the rest.
    pub fn to_json_lines(&self) -> Vec<String> {
        #[derive(Serialize)]
        #[serde(tag = "kind", rename_all = "kebab-case")]
        enum Line<'a> {
            Run(&'a Run),
            Finding(&'a Finding),
            Audit(&'a Audit),
        }
        let rest = Self { runs: Vec::new(), findings: Vec::new(), ..self.clone() };
        let lines = self.runs.iter().map(Line::Run).chain(self.findings.iter().map(Line::Finding)).chain([Line::Audit(&rest)]);
        lines.map(|line| escape_json(&serde_json::to_string(&line).unwrap_or_default())).collect()
    }
}

const fn outcome_of(effect: Effect) -> Outcome {
    match effect {
        Effect::Notes => Outcome::Verified,
        Effect::Weakens => Outcome::UnderProvenanced,
        Effect::Prevents => Outcome::Unverifiable,
        Effect::Refutes => Outcome::Invalid,
    }
}

/// The findings of all receipts by code.
fn groups(runs: &[Run]) -> Vec<Group> {
    struct Gathered<'a> {
        effect: Effect,
        messages: BTreeSet<&'a str>,
        runs: Vec<&'a str>,
    }
    let mut by_code: BTreeMap<Code, Gathered<'_>> = BTreeMap::new();
    for run in runs {
        for problem in run.problems.iter().filter(|problem| problem.effect > Effect::Notes) {
            let empty = || Gathered { effect: problem.effect, messages: BTreeSet::new(), runs: Vec::new() };
            let gathered = by_code.entry(problem.code).or_insert_with(empty);
            gathered.messages.insert(&problem.message);
            if gathered.runs.last() != Some(&run.name.as_str()) {
                gathered.runs.push(&run.name);
            }
        }
    }
    let group = |(code, gathered): (Code, Gathered<'_>)| Group {
        code,
        effect: gathered.effect,
        message: match gathered.messages.first() {
            Some(message) if gathered.messages.len() == 1 => (*message).to_owned(),
            _ => code.info().title.to_owned(),
        },
        runs: gathered.runs.into_iter().map(str::to_owned).collect(),
    };
    let mut groups: Vec<Group> = by_code.into_iter().map(group).collect();
    groups.sort_by_key(|group| std::cmp::Reverse((group.effect, group.runs.len())));
    groups
}

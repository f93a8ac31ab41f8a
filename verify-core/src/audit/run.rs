//! One run directory of a log: its receipt, held against the name of the directory, the rows of the run and its result.

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;
use serde::Serialize;

use super::lists::{List, Row, is_receipt_id};
use super::{Content, Finding, Log, RECEIPT, RUNS};
use crate::compare;
use crate::crypto;
use crate::dcap::quote::{Accepted, Quote};
use crate::json::{self, Kind, Value, child};
use crate::ledger::Findings;
use crate::limits;
use crate::problem::{Code, Effect, Location, Problem};
use crate::receipt::{DOCUMENT, Receipt};
use crate::report::{Claim, Coverage, Outcome, Report};
use crate::run::{self, Companion, RECEIPT_IDS, RESULT, RunFile, is_recorded};
use crate::text::{brief, escape, quoted};
use crate::time::Timestamp;

/// A directory of a log, as the caller found it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Directory<'a> {
    /// Its name below the folder of runs.
    pub name: &'a str,
    /// Its receipt, if it has one.
    pub receipt: Option<Content<'a>>,
    /// What stands beside it.
    pub files: &'a [RunFile<'a>],
}

impl<'a> Directory<'a> {
    /// The directory of this name with its files.
    pub const fn new(name: &'a str, receipt: Option<Content<'a>>, files: &'a [RunFile<'a>]) -> Self {
        Self { name, receipt, files }
    }
}

/// What is known about one run: the answer about its receipt, and what else the log will be held against. The files themselves are
/// not needed any more.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Run {
    /// The directory, escaped for showing.
    pub name: String,
    /// The answer about the receipt; absent where there is none that could be read.
    pub receipt: Option<RunReceipt>,
    /// Not escaped: as rows name it.
    #[serde(skip)]
    pub(super) directory: String,
    /// What was found about the receipt, with the effects that the report gave it.
    #[serde(skip)]
    pub(super) problems: Vec<Problem>,
    #[serde(skip)]
    pub(super) findings: Vec<Finding>,
    #[serde(skip)]
    pub(super) nonce: Option<String>,
    /// What tells the signature under the receipt from every other one.
    #[serde(skip)]
    pub(super) evidence: Option<String>,
    /// Whether the result names a receipt; nothing where there is no result.
    #[serde(skip)]
    pub(super) result_names_receipt: Option<bool>,
}

/// The answer about a receipt in short.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct RunReceipt {
    /// SHA-256 of the file, 64 lower-case hex digits.
    pub sha256: String,
    /// The id that it gives itself, escaped for showing; it proves nothing.
    pub id: Option<String>,
    /// The label that it claims, escaped for showing.
    pub label: Option<String>,
    /// The speed that it claims, in tokens per second, as it is written there.
    pub tps: Option<String>,
    /// The commit that it claims, escaped for showing.
    pub commit: Option<String>,
    /// The instant that it claims.
    pub timestamp: Option<Timestamp>,
    /// What carries its claims.
    pub claims: Carried,
    /// The answer.
    pub outcome: Outcome,
    /// The exit code of the answer.
    pub exit_code: u8,
    /// The codes of its findings that are graver than notes, each once.
    pub codes: Vec<Code>,
}

/// How many claims of a receipt are carried by what; [`Coverage`] says what each means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Carried {
    /// By the quote.
    pub quote: usize,
    /// As input of the enclave.
    pub enclave_input: usize,
    /// By the nonce.
    pub nonce: usize,
    /// By a signature.
    pub signature: usize,
    /// By nothing.
    pub asserted: usize,
}

impl Carried {
    fn count(claims: &[Claim]) -> Self {
        let by = |coverage| claims.iter().filter(|claim| claim.coverage == coverage).count();
        Self {
            quote: by(Coverage::Quote),
            enclave_input: by(Coverage::EnclaveInput),
            nonce: by(Coverage::Nonce),
            signature: by(Coverage::Signature),
            asserted: by(Coverage::Asserted),
        }
    }
}

impl Run {
    /// What was found about the receipt, gravest first.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl Log<'_> {
    /// Judges one run. `verify` answers about the bytes of its receipt, and should compare it with the files beside it.
    pub fn judge(&self, directory: &Directory<'_>, verify: impl FnOnce(&[u8]) -> Report) -> Run {
        let Directory { name, receipt, files } = *directory;
        let mut run = Run {
            name: escape(name),
            receipt: None,
            directory: name.to_owned(),
            problems: Vec::new(),
            findings: Vec::new(),
            nonce: None,
            evidence: None,
            result_names_receipt: None,
        };
        let result = files.iter().find(|file| file.companion == Companion::Result).and_then(|file| run::read(file).ok().flatten());
        run.result_names_receipt = result.as_ref().map(|result| receipt_ids_of(result).next().is_some());
        let lists = [&self.index, &self.ledger];
        let bytes = match receipt {
            Some(Ok(bytes)) => bytes,
            Some(Err(why)) => {
                let message = format!("{RECEIPT} of {} cannot be read: {}", brief(name), brief(why));
                run.findings.push(finding(name, RECEIPT, Problem::new(Code::LogFileUnreadable, Location::document(DOCUMENT), message)));
                return run;
            }
            None => {
                run.findings.extend(without_receipt(name, &lists, result.as_ref()));
                return run;
            }
        };

        let Report { outcome, exit_code, problems, input, claims, .. } = verify(bytes);
        let document = if bytes.len() > limits::RECEIPT_BYTES { None } else { json::read(bytes).ok() };
        let facts = document.as_ref().map(Facts::of).unwrap_or_default();
        run.nonce = facts.nonce;
        run.evidence = facts.evidence;
        let mut codes: Vec<Code> = Vec::new();
        for Problem { code, .. } in problems.iter().filter(|problem| problem.effect > Effect::Notes) {
            if !codes.contains(code) {
                codes.push(*code);
            }
        }
        let at = |pointer: &str| facts.attestation.and_then(|attestation| attestation.at(pointer));
        let text = |pointer: &str| at(pointer).and_then(Value::string);
        run.receipt = Some(RunReceipt {
            sha256: input.sha256,
            id: facts.receipt_id.map(brief),
            label: text("/verdict/label").map(brief),
            tps: at("/verdict/tps").filter(|speed| matches!(speed.kind, Kind::Number(_))).map(Value::shown),
            commit: text("/code/commit").filter(|commit| !commit.is_empty()).map(brief),
            timestamp: text("/timestamp_utc").and_then(|instant| Timestamp::parse_rfc3339(instant).ok()),
            claims: Carried::count(&claims),
            outcome,
            exit_code,
            codes,
        });
        run.problems = problems;

        run.findings.extend(check_name(name, facts.receipt_id, facts.attestation));
        run.findings.extend(facts.attestation.and_then(|attestation| check_guards(name, attestation)));
        let mut claimed = facts.attestation.map(run::results_of).unwrap_or_default();
        if let Some(kind) = document.as_ref().and_then(|document| document.member(ATTESTATION_TYPE)) {
            claimed.insert(ATTESTATION_TYPE, vec![kind]);
        }
        let lists = lists.into_iter().filter(|list| list.lists_runs());
        let (listed, unlisted): (Vec<_>, Vec<_>) = lists.map(|list| (list, list.row(name))).partition(|(_, row)| row.is_some());
        for (list, row) in listed.into_iter().filter_map(|(list, row)| Some((list, row?))) {
            run.findings.extend(check_row(list, row, &claimed, facts.receipt_id, result.as_ref()));
        }
        if let Some((first, _)) = unlisted.first() {
            let names: Vec<&str> = unlisted.iter().map(|(list, _)| list.name).collect();
            let message = format!("{} has a receipt and no row in {}", brief(name), names.join(" and "));
            let problem = Problem::new(Code::LogReceiptUnlisted, Location::document(first.name), message);
            run.findings.push(Finding::at(first.name, problem).about([name]));
        }
        if let Some((of_index, of_ledger)) = self.index.row(name).zip(self.ledger.row(name)) {
            run.findings.extend(compare_rows(&self.index, of_index, of_ledger, &claimed));
        }
        run
    }
}

const ATTESTATION_TYPE: &str = "attestation_type";

/// Digits of a commit in the name of a directory, at least.
const COMMIT_DIGITS: std::ops::RangeInclusive<usize> = 7..=40;

/// What a receipt says of itself that the log is held against; nothing in it is authentic.
#[derive(Default)]
struct Facts<'v> {
    receipt_id: Option<&'v str>,
    attestation: Option<&'v Value<'v>>,
    nonce: Option<String>,
    evidence: Option<String>,
}

impl<'v> Facts<'v> {
    fn of(document: &'v Value<'v>) -> Self {
        let mut ignored = Findings::default();
        let Ok(receipt) = Receipt::read(document, &mut ignored) else { return Self::default() };
        let evidence = receipt.evidence.as_ref().ok();
        let quote = evidence.and_then(|evidence| evidence.quote().ok());
        let of_quote = quote.and_then(|evidence| {
            let quote = Quote::read(evidence.quote.as_ref().ok()?, Accepted::TrustDomains, &mut ignored).ok()?;
            Some(HEXLOWER.encode(&crypto::sha256(quote.body.identity())))
        });
        let of_signature = || Some(HEXLOWER.encode(&evidence?.signature().ok()?.signature));
        Self {
            receipt_id: receipt.receipt_id.ok(),
            attestation: receipt.attestation_value().ok(),
            nonce: quote.and_then(|quote| Some(quote.bound.as_ref().ok()?.nonce.to_owned())),
            evidence: of_quote.or_else(of_signature),
        }
    }
}

/// A finding about a file of a run directory.
pub(super) fn finding(directory: &str, file: &str, problem: Problem) -> Finding {
    Finding::at(&format!("{RUNS}/{directory}/{file}"), problem).about([directory])
}

/// A run whose verdict is published, in a row or a result, without a receipt.
pub(super) fn without_receipt(name: &str, lists: &[&List<'_>; 2], result: Option<&Value<'_>>) -> Option<Finding> {
    let rows = || lists.iter().filter_map(|list| Some((list, list.row(name)?)));
    let is_claimed = rows().any(|(_, row)| row.claims_receipt()) || result.is_some_and(|result| receipt_ids_of(result).next().is_some());
    let (code, word) = match is_claimed {
        true => (Code::LogReceiptMissing, "with the claim of a receipt, which is not there"),
        false => (Code::LogRunUnattested, "without a receipt"),
    };
    let publishes = |place: &str| format!("{place} publishes a verdict of {} {word}", brief(name));
    match rows().next() {
        Some((list, row)) => Some(list.finding(code, row, publishes(list.name))),
        None => result.map(|_| finding(name, RESULT, Problem::new(code, Location::document(RESULT), publishes(RESULT)))),
    }
}

/// The name of a directory is the id of its receipt, or ends in the commit that the receipt attests; other names say nothing.
fn check_name(name: &str, receipt_id: Option<&str>, attestation: Option<&Value<'_>>) -> Option<Finding> {
    if is_receipt_id(name) {
        let id = receipt_id.filter(|id| *id != name)?;
        let message = format!("the directory is named {}, its receipt {}", quoted(name), quoted(id));
        let problem = Problem::new(Code::LogDirectoryDiffers, Location::pointer(DOCUMENT, "/receipt_id"), message);
        return Some(finding(name, RECEIPT, problem.found(quoted(id)).wanted(quoted(name))));
    }
    let is_hex = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let (_, digits) = name.rsplit_once('-').filter(|(_, digits)| COMMIT_DIGITS.contains(&digits.len()) && is_hex(digits))?;
    let commit = attestation?.at("/code/commit")?.string().filter(|commit| !commit.starts_with(digits))?;
    let message = format!("the directory is named after commit {}, its receipt attests {}", quoted(digits), quoted(commit));
    let problem = Problem::new(Code::LogCommitDiffers, Location::pointer(DOCUMENT, "/attestation/code/commit"), message);
    Some(finding(name, RECEIPT, problem.found(quoted(commit)).wanted(quoted(digits))))
}

/// A guard compares with a baseline, so one that passes has one.
fn check_guards(name: &str, attestation: &Value<'_>) -> Option<Finding> {
    const MEASUREMENTS: &str = "/measurements";
    let blocks = attestation.at(MEASUREMENTS)?.object()?;
    let baselines = blocks.iter().flat_map(|block| {
        let of_block = block.value.object().unwrap_or_default().iter();
        of_block.filter_map(|member| {
            let guard = member.name.strip_suffix("_baseline").filter(|_| member.value.double() == Some(0.0))?;
            let passes = block.value.member(&format!("{guard}_pass"))?;
            let pointer = child(&child(&format!("/attestation{MEASUREMENTS}"), &block.name), &member.name);
            matches!(passes.kind, Kind::Bool(true)).then(|| (brief(guard), pointer))
        })
    });
    let guards: Vec<(String, String)> = baselines.take(limits::GUARDS).collect();
    let (_, pointer) = guards.first()?;
    let names: Vec<&str> = guards.iter().map(|(guard, _)| guard.as_str()).collect();
    let message = format!("a guard passes with a baseline of zero: {}", names.join(", "));
    Some(finding(name, RECEIPT, Problem::new(Code::LogZeroBaseline, Location::pointer(DOCUMENT, pointer), message)))
}

/// Holds a row against the receipt, and in what the receipt does not record against the result.
fn check_row(
    list: &List<'_>,
    row: &Row<'_>,
    claimed: &BTreeMap<&str, Vec<&Value<'_>>>,
    receipt_id: Option<&str>,
    result: Option<&Value<'_>>,
) -> Vec<Finding> {
    let place = row.pointer(list);
    let with_receipt = run::repeated(&row.value, claimed);
    let mut problems = Vec::new();
    problems.extend(run::problem_of(Code::LogRowDiffers, list.name, &place, &with_receipt.differing, DOCUMENT));
    if let Some((name, named)) = receipt_id.and_then(|id| receipt_ids_of(&row.value).find(|(_, named)| !begins(id, named))) {
        let (found, wanted) = (named.shown(), receipt_id.map(quoted).unwrap_or_default());
        let message = format!("{} names the receipt {found}; the one of the run is {wanted}", list.name);
        let location = Location::pointer(list.name, child(&place, name));
        problems.push(Problem::new(Code::LogRowDiffers, location, message).found(found).wanted(wanted));
    }
    if let Some(result) = result {
        let mut published = run::members_of(result);
        published.retain(|name, _| !claimed.contains_key(name) && !RECEIPT_IDS.contains(name));
        let with_result = run::repeated(&row.value, &published);
        problems.extend(run::problem_of(Code::LogRowDiffers, list.name, &place, &with_result.differing, RESULT));
    }
    problems.into_iter().map(|problem| list.place(row, problem)).collect()
}

/// The index copies the ledger. What both say and the receipt says too is compared with the receipt.
fn compare_rows(index: &List<'_>, of_index: &Row<'_>, of_ledger: &Row<'_>, claimed: &BTreeMap<&str, Vec<&Value<'_>>>) -> Option<Finding> {
    let comparison = compare::compare(&of_index.value, &of_ledger.value, compare::is_same);
    let name_of = |pointer: &String| pointer.split('/').nth(1).unwrap_or_default().replace("~1", "/").replace("~0", "~");
    let is_compared = |name: &str| {
        let is_given = |row: &Row<'_>| row.value.member(name).is_some_and(is_recorded);
        claimed.contains_key(name) && is_given(of_index) && is_given(of_ledger)
    };
    let pointer = comparison.differing.iter().find(|pointer| !is_compared(&name_of(pointer)))?;
    let [found, wanted] = [of_index, of_ledger].map(|row| row.value.at(pointer).map_or("absent".to_owned(), Value::shown));
    let message = format!("{} has {} {found}, the ledger {wanted}", index.name, escape(pointer));
    let location = Location::pointer(index.name, format!("{}{pointer}", of_index.pointer(index)));
    Some(index.place(of_index, Problem::new(Code::LogRowsDisagree, location, message).found(found).wanted(wanted)))
}

/// The members in which a row or a result names its receipt.
fn receipt_ids_of<'v, 'a>(document: &'v Value<'a>) -> impl Iterator<Item = (&'static str, &'v Value<'a>)> {
    RECEIPT_IDS.into_iter().filter_map(|name| Some((name, document.member(name).filter(|named| is_recorded(named))?)))
}

/// Digits of a receipt id that a row has to give, at least; the older index gives 16.
const RECEIPT_ID_DIGITS: usize = 16;

fn begins(id: &str, named: &Value<'_>) -> bool {
    named.string().is_some_and(|named| named.len() >= RECEIPT_ID_DIGITS && id.starts_with(named))
}

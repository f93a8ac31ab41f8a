//! The lists in which a log publishes verdicts, as rows that each name a run.

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;

use super::{Content, Finding, INDEX, LEDGER, PublishedList};
use crate::crypto;
use crate::json::{self, JsonError, JsonErrorKind, Kind, Value};
use crate::limits;
use crate::problem::{Code, Location, Problem};
use crate::run::{RECEIPT_IDS, is_recorded};
use crate::text::{brief, is_hex, quoted};

/// One of the lists.
#[derive(Debug)]
pub(super) struct List<'a> {
    pub(super) name: &'static str,
    state: State,
    /// Of the bytes, where they were read.
    sha256: Option<String>,
    /// Every row that names a run, in the order of the file.
    pub(super) rows: Vec<Row<'a>>,
    /// The first row of each run.
    pub(super) by_run: BTreeMap<String, usize>,
    /// Whether some row names a receipt, so that one that names none stands out.
    pub(super) names_receipts: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Absent,
    Unreadable,
    /// Read, and not about runs: the older log keeps a ledger of merges.
    OfMerges,
    Read,
}

/// What a list says about one run.
#[derive(Debug)]
pub(super) struct Row<'a> {
    /// The run, as the row names it: its directory.
    pub(super) run: String,
    /// Place in the index from 0, line of the ledger from 1.
    pub(super) place: usize,
    pub(super) value: Value<'a>,
}

/// The members that name a run, in the newer and in the older shape.
const RUN_ID: &str = "run_id";
const ID: &str = "id";

/// Members by one of which a ledger of merges is known.
const OF_A_MERGE: [&str; 2] = ["new_frontier", "proof"];

impl Row<'_> {
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.value.member(name)?.string().filter(|text| !text.is_empty())
    }

    /// The receipt that the row names, whole or by its beginning; a run that is named by a receipt id names its receipt.
    pub(super) fn named_receipt(&self) -> Option<&str> {
        let named = RECEIPT_IDS.into_iter().find_map(|name| self.text(name));
        named.or_else(|| self.text(RUN_ID).filter(|id| is_receipt_id(id)))
    }

    /// Whether the row says that there is a receipt.
    pub(super) fn claims_receipt(&self) -> bool {
        let is_flagged = || self.value.member("polaris").is_some_and(|flag| matches!(flag.kind, Kind::Bool(true)));
        self.named_receipt().is_some() || self.text("attestation_type").is_some() || is_flagged()
    }

    /// Where the row stands in the document.
    pub(super) fn pointer(&self, list: &List<'_>) -> String {
        if list.name == INDEX { format!("/{}", self.place) } else { String::new() }
    }
}

/// Whether a name has the form of a receipt id: of a receipt with a quote, or of a signed one.
pub(super) fn is_receipt_id(name: &str) -> bool {
    is_hex(name, 32) || is_hex(name, 64)
}

impl<'a> List<'a> {
    pub(super) fn of_index(content: Option<Content<'a>>, findings: &mut Vec<Finding>) -> Self {
        let mut list = Self::empty(INDEX);
        let Some(bytes) = list.open(content, findings) else { return list };
        let items = match json::read_many(bytes, limits::LIST_VALUES) {
            Ok(Value { kind: Kind::Array(items), .. }) => items,
            Ok(other) => {
                list.refuse(format!("it is {}; wanted one array of rows", other.type_name()), findings);
                return list;
            }
            Err(error) => {
                list.refuse_json(&error, findings);
                return list;
            }
        };
        for (place, value) in items.into_iter().enumerate() {
            if is_full(findings) {
                break;
            }
            list.push(place, value, findings);
        }
        list
    }

    pub(super) fn of_ledger(content: Option<Content<'a>>, findings: &mut Vec<Finding>) -> Self {
        let mut list = Self::empty(LEDGER);
        let Some(bytes) = list.open(content, findings) else { return list };
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let lines = bytes.split(|byte| *byte == b'\n').filter(|_| !bytes.is_empty());
        let (mut merges, mut room) = (0_usize, limits::LIST_VALUES);
        for (line, place) in lines.zip(1_usize..) {
            if is_full(findings) {
                break;
            }
            let row = json::read_many(line, room.min(limits::JSON_VALUES));
            room = room.saturating_sub(row.as_ref().map_or(0, Value::count));
            match row {
                Ok(value) if is_merge(&value) => merges = merges.saturating_add(1),
                Ok(value) => list.push(place, value, findings),
                Err(error) => {
                    let problem = Problem::new(code_of(&error), Location::offset(LEDGER, error.offset), error.message);
                    findings.push(Finding::at(LEDGER, problem).on_line(place));
                }
            }
        }
        if merges > 0 && list.rows.is_empty() {
            list.state = State::OfMerges;
        }
        list
    }

    fn empty(name: &'static str) -> Self {
        Self { name, state: State::Absent, sha256: None, rows: Vec::new(), by_run: BTreeMap::new(), names_receipts: false }
    }

    /// The bytes to read, where there are any.
    fn open(&mut self, content: Option<Content<'a>>, findings: &mut Vec<Finding>) -> Option<&'a [u8]> {
        match content? {
            Err(why) => self.refuse(brief(why), findings),
            Ok(bytes) if bytes.len() > limits::LIST_BYTES => {
                self.state = State::Unreadable;
                let message = format!("{} has {} bytes; at most {} are read", self.name, bytes.len(), limits::LIST_BYTES);
                let problem = Problem::new(Code::LimitExceeded, Location::document(self.name), message);
                findings.push(Finding::at(self.name, problem));
            }
            Ok(bytes) => {
                self.state = State::Read;
                self.sha256 = Some(HEXLOWER.encode(&crypto::sha256([bytes])));
                return Some(bytes);
            }
        }
        None
    }

    fn refuse(&mut self, why: String, findings: &mut Vec<Finding>) {
        self.state = State::Unreadable;
        let problem = Problem::new(Code::LogFileUnreadable, Location::document(self.name), format!("{} cannot be read: {why}", self.name));
        findings.push(Finding::at(self.name, problem));
    }

    fn refuse_json(&mut self, error: &JsonError, findings: &mut Vec<Finding>) {
        self.state = State::Unreadable;
        let code = if error.kind == JsonErrorKind::Limit { Code::LimitExceeded } else { Code::LogFileUnreadable };
        let message = format!("{} cannot be read: {}", self.name, error.message);
        findings.push(Finding::at(self.name, Problem::new(code, Location::offset(self.name, error.offset), message)));
    }

    fn push(&mut self, place: usize, value: Value<'a>, findings: &mut Vec<Finding>) {
        let row = match run_of(&value) {
            Ok(run) => Row { run, place, value },
            Err(why) => {
                let row = Row { run: String::new(), place, value };
                findings.push(Finding { runs: Vec::new(), ..self.finding(Code::LogRowUnreadable, &row, why) });
                return;
            }
        };
        if let Some(first) = self.row(&row.run) {
            let place = if self.name == INDEX { format!("item {}", first.place) } else { format!("line {}", first.place) };
            let message = format!("{} has {} twice: first in {place}", self.name, brief(&row.run));
            findings.push(self.finding(Code::LogRowRepeated, &row, message));
        } else {
            self.by_run.insert(row.run.clone(), self.rows.len());
        }
        self.names_receipts |= row.named_receipt().is_some();
        self.rows.push(row);
    }

    pub(super) fn row(&self, run: &str) -> Option<&Row<'a>> {
        self.rows.get(*self.by_run.get(run)?)
    }

    /// What is said of it in an audit, where it was read.
    pub(super) fn published(&self) -> Option<PublishedList> {
        Some(PublishedList { name: self.name, sha256: self.sha256.clone()?, rows: self.rows.len() })
    }

    pub(super) fn is_absent(&self) -> bool {
        self.state == State::Absent
    }

    pub(super) fn is_unreadable(&self) -> bool {
        self.state == State::Unreadable
    }

    /// Whether the list is one of runs, be it empty.
    pub(super) fn lists_runs(&self) -> bool {
        self.state == State::Read
    }

    /// Whether its rows are of the newer shape.
    pub(super) fn is_by_run_id(&self) -> bool {
        self.rows.iter().any(|row| row.text(RUN_ID).is_some())
    }

    /// A finding about a row.
    pub(super) fn finding(&self, code: Code, row: &Row<'_>, message: String) -> Finding {
        self.place(row, Problem::new(code, Location::pointer(self.name, row.pointer(self)), message))
    }

    /// A finding inside of a row.
    pub(super) fn place(&self, row: &Row<'_>, problem: Problem) -> Finding {
        let finding = Finding::at(self.name, problem).about([row.run.as_str()]);
        if self.name == LEDGER { finding.on_line(row.place) } else { finding }
    }
}

/// Whether there are more findings than an audit lists, which says so: then nothing more is read.
fn is_full(findings: &[Finding]) -> bool {
    findings.len() > limits::LOG_FINDINGS
}

fn code_of(error: &JsonError) -> Code {
    if error.kind == JsonErrorKind::Limit { Code::LimitExceeded } else { Code::LogRowUnreadable }
}

fn is_merge(value: &Value<'_>) -> bool {
    let has = |name: &str| value.member(name).is_some_and(is_recorded);
    !has(RUN_ID) && !has(ID) && OF_A_MERGE.into_iter().any(has)
}

/// The run that a row names.
fn run_of(value: &Value<'_>) -> Result<String, String> {
    if value.object().is_none() {
        return Err(format!("the row is {}; wanted an object", value.type_name()));
    }
    let named = [RUN_ID, ID].map(|name| value.member(name).filter(|id| is_recorded(id)));
    match named {
        [Some(run), Some(id)] if run.string() != id.string() => Err(format!("the row names two runs: {} and {}", run.shown(), id.shown())),
        [Some(run), _] | [None, Some(run)] => {
            run.string().map(str::to_owned).ok_or_else(|| format!("the row names its run by {}; wanted a string", run.type_name()))
        }
        [None, None] => Err(format!("the row has neither {} nor {}", quoted(RUN_ID), quoted(ID))),
    }
}

//! The files that a record names, each opened and hashed; the receipts among them, verified; and the rows that they hold.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::record::{Judged, Lack, Record, is_none, items};
use crate::bench::Files;
use crate::bench::select::Selector;
use crate::json::{self, Kind, Value, child};
use crate::limits;
use crate::problem::Effect;
use crate::report::{Coverage, Outcome, Report};
use crate::text::quoted;
use crate::time::Timestamp;

/// Levels of a record at which files are looked for; `/statistics/floor/pairs/0/a/0` is the lowest place where one is asked for.
const DEPTH: usize = 6;

/// Answers about the bytes of a receipt.
pub(super) type Verify<'a> = &'a dyn Fn(&[u8]) -> Report;

/// Every file that a record names, by the pointer to the object with its `path` and `sha256`.
pub(super) struct Evidence<'a> {
    named: BTreeMap<String, Named<'a>>,
    pub(super) rows: Vec<Judged<Repetition>>,
}

struct Named<'a> {
    path: String,
    state: State<'a>,
    receipt: Option<Receipt>,
}

enum State<'a> {
    Holds(&'a [u8]),
    Differs { recorded: String, found: String },
    Unreadable(String),
    NoDigest,
}

/// What the verifier says of a receipt.
struct Receipt {
    outcome: Outcome,
    codes: String,
    /// Values that evidence carries.
    carried: Vec<String>,
}

/// Rows of one arm that were measured in one go.
pub(super) struct Repetition {
    pub(super) pointer: String,
    pub(super) arm: String,
    /// Digest of the file and the place in it.
    pub(super) place: (String, String),
    pub(super) rows: Vec<Row>,
    /// What the rows hold, in an order of its own.
    content: Vec<Content>,
}

/// What a row holds: instant, other time, value, and whether it failed. Numbers are their bits.
type Content = (Option<Timestamp>, Option<u64>, Option<u64>, bool);

pub(super) struct Row {
    pub(super) is_failed: bool,
    pub(super) value: Option<f64>,
    pub(super) time: Option<Time>,
}

/// When a row began. Instants and numbers have no order among each other.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Time {
    Instant(Timestamp),
    Number(f64),
}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Instant(one), Self::Instant(other)) => Some(one.cmp(other)),
            (Self::Number(one), Self::Number(other)) => one.partial_cmp(other),
            _ => None,
        }
    }
}

/// The objects in a record that name files, with their pointers.
pub(super) fn named<'v, 'a>(record: &'v Record<'a>) -> Vec<(String, &'v Value<'a>)> {
    let (mut found, mut open) = (Vec::new(), vec![(String::new(), &record.value, 0_usize)]);
    while let Some((pointer, value, depth)) = open.pop() {
        if value.member("path").is_some_and(|path| path.string().is_some()) {
            found.push((pointer.clone(), value));
        }
        if depth < DEPTH {
            let below = depth.saturating_add(1);
            match &value.kind {
                Kind::Object(members) => {
                    open.extend(members.iter().map(|member| (child(&pointer, &member.name), &member.value, below)));
                }
                Kind::Array(items) => {
                    open.extend(items.iter().enumerate().map(|(index, item)| (child(&pointer, &index.to_string()), item, below)));
                }
                _ => {}
            }
        }
    }
    found
}

/// The names of the files that a record names with a digest; nothing else is opened.
pub(super) fn names(record: &Record<'_>) -> BTreeSet<String> {
    let named = named(record).into_iter().filter(|(_, value)| digest(value).is_some());
    named.filter_map(|(_, value)| Some(value.member("path")?.string()?.to_owned())).collect()
}

fn digest<'v>(value: &'v Value<'_>) -> Option<&'v str> {
    value.member("sha256").and_then(Value::string).filter(|text| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

impl<'a> Evidence<'a> {
    /// Opens and hashes every file, verifies every receipt and reads all rows.
    pub(super) fn gather(record: &Record<'_>, files: &'a Files, verify: Verify<'_>) -> Self {
        let mut digests: BTreeMap<String, String> = BTreeMap::new();
        let mut named = BTreeMap::new();
        for (pointer, value) in self::named(record) {
            let path = value.member("path").and_then(Value::string).unwrap_or_default();
            let found = digests.entry(path.to_owned()).or_insert_with(|| files.sha256(path).unwrap_or_default());
            let state = match (digest(value), files.get(path)) {
                (None, _) => State::NoDigest,
                (_, Err(why)) => State::Unreadable(why.to_owned()),
                (_, Ok(bytes)) if bytes.len() > limits::BENCH_FILE_BYTES => {
                    State::Unreadable(format!("it has {} bytes; at most {} are read", bytes.len(), limits::BENCH_FILE_BYTES))
                }
                (Some(recorded), Ok(bytes)) if recorded.eq_ignore_ascii_case(found) => State::Holds(bytes),
                (Some(recorded), Ok(_)) => State::Differs { recorded: recorded.to_lowercase(), found: found.clone() },
            };
            let receipt = match &state {
                State::Holds(bytes) if is_receipt(&pointer) => Some(Receipt::of(&verify(bytes))),
                _ => None,
            };
            named.insert(pointer, Named { path: path.to_owned(), state, receipt });
        }
        let mut evidence = Self { named, rows: Vec::new() };
        evidence.rows = evidence.read_rows(record.value.member("rows").and_then(items).unwrap_or_default());
        evidence
    }

    /// The rows of all entries, in their order. Each file is parsed once, whatever the number of entries that name it.
    fn read_rows(&self, entries: &[Value<'_>]) -> Vec<Judged<Repetition>> {
        let mut by_path: BTreeMap<&str, Vec<(usize, &Value<'_>)>> = BTreeMap::new();
        for (index, entry) in entries.iter().enumerate() {
            let path = entry.member("path").and_then(Value::string).unwrap_or_default();
            by_path.entry(path).or_default().push((index, entry));
        }
        let (mut read, mut left) = (BTreeMap::new(), limits::BENCH_VALUES);
        for entries in by_path.values() {
            // The digest is that of the entry, so that entries of one path may fare differently.
            let mut document: Option<Judged<Value<'_>>> = None;
            for (index, entry) in entries {
                let pointer = format!("/rows/{index}");
                let rows = self.file(&pointer).and_then(|_| {
                    let document = document.get_or_insert_with(|| self.document(&pointer)).as_ref().map_err(Clone::clone)?;
                    repetition(&pointer, entry, document, &mut left)
                });
                read.insert(*index, rows);
            }
        }
        read.into_values().collect()
    }

    /// The bytes of the file that is named at `pointer`, whose digest is the recorded one.
    pub(super) fn file(&self, pointer: &str) -> Judged<&'a [u8]> {
        let named = self.named.get(pointer).ok_or_else(|| Lack::not_recorded(&child(pointer, "path")))?;
        let path = quoted(&named.path);
        match &named.state {
            State::Holds(bytes) => Ok(bytes),
            State::Unreadable(why) => Err(Lack::unreadable(pointer, &format!("names {path}: {why}"))),
            State::NoDigest => Err(Lack::not_recorded(&child(pointer, "sha256"))),
            State::Differs { recorded, found } => {
                Err(Lack::not_met(pointer, format!("names {path} with the SHA-256 {recorded}, but that of the file is {found}")))
            }
        }
    }

    /// The file at `pointer` as JSON.
    pub(super) fn document(&self, pointer: &str) -> Judged<Value<'a>> {
        let bytes = self.file(pointer)?;
        json::read_many(bytes, limits::BENCH_VALUES)
            .map_err(|error| Lack::unreadable(pointer, &format!("names a file that is no JSON: byte {}: {}", error.offset, error.message)))
    }

    /// Files that differ from what the record says of them, and receipts that are invalid.
    pub(super) fn contradictions(&self) -> Vec<Lack> {
        let mut found = Vec::new();
        for (pointer, named) in &self.named {
            match (&named.state, &named.receipt) {
                (State::Differs { .. }, _) => found.extend(self.file(pointer).err()),
                (_, Some(receipt)) if receipt.outcome == Outcome::Invalid => found.extend(self.receipt(pointer).err()),
                _ => {}
            }
        }
        found
    }

    /// Files that cannot be read.
    pub(super) fn unreadable(&self) -> Vec<Lack> {
        let of_files = self.named.iter().filter(|(_, named)| matches!(named.state, State::Unreadable(_)));
        of_files.filter_map(|(pointer, _)| self.file(pointer).err()).collect()
    }

    /// Which files were looked at, with what came of it: pointer, path, and a word.
    pub(super) fn listed(&self) -> impl Iterator<Item = (&str, &str, &'static str)> {
        self.named.iter().map(|(pointer, named)| {
            let word = match (&named.state, &named.receipt) {
                (State::Holds(_), None) => "digest holds",
                (State::Holds(_), Some(receipt)) => receipt.outcome.name(),
                (State::Differs { .. }, _) => "digest differs",
                (State::Unreadable(_), _) => "cannot be read",
                (State::NoDigest, _) => "no digest recorded",
            };
            (pointer.as_str(), named.path.as_str(), word)
        })
    }

    /// The receipt at `pointer` is verified. Thin evidence is none: who accepts it says so in a policy.
    pub(super) fn receipt(&self, pointer: &str) -> Judged {
        self.file(pointer)?;
        match self.named.get(pointer).and_then(|named| named.receipt.as_ref()) {
            Some(Receipt { outcome: Outcome::Verified, .. }) => Ok(()),
            Some(Receipt { outcome, codes, .. }) => Err(Lack::not_met(pointer, format!("is a receipt that is {outcome}: {codes}"))),
            None => Err(Lack::not_recorded(pointer)),
        }
    }

    /// Whether evidence carries `value` in the receipt at `pointer`.
    pub(super) fn carries(&self, pointer: &str, value: &str) -> bool {
        let receipt = self.named.get(pointer).and_then(|named| named.receipt.as_ref());
        receipt.is_some_and(|receipt| receipt.carried.iter().any(|carried| carried.eq_ignore_ascii_case(&quoted(value))))
    }
}

/// The rows that an entry leads to in its file. Of all entries together, at most `left` are read.
fn repetition(pointer: &str, entry: &Value<'_>, document: &Value<'_>, left: &mut usize) -> Judged<Repetition> {
    let said = |name: &str, otherwise: &str| match entry.member(name).map(|value| (value, value.string())) {
        None => Ok(otherwise.to_owned()),
        Some((_, Some(text))) => Ok(text.to_owned()),
        Some((value, None)) => Err(Lack::not_met(&child(pointer, name), format!("is {}; wanted a text", value.type_name()))),
    };
    let (arm, at) = (said("arm", "candidate")?, said("at", "")?);
    let members = [said("value", "value")?, said("time", "started_at")?];
    let place = child(pointer, "at");
    let selector: Selector = at.parse().map_err(|error| Lack::not_met(&place, format!("{error}")))?;
    let found = selector.find(document).map_err(|error| Lack::not_met(&place, format!("leads nowhere: {error}")))?;
    let rows = items(found).ok_or_else(|| Lack::not_met(&place, format!("leads to {}; wanted a list of rows", found.type_name())))?;
    let why = || format!("leads to more rows than are read; {} are, of all entries together", limits::BENCH_VALUES);
    *left = left.checked_sub(rows.len()).ok_or_else(|| Lack::unreadable(pointer, &why()))?;
    let digest = entry.member("sha256").and_then(Value::string).unwrap_or_default().to_lowercase();
    let rows: Vec<Row> = rows.iter().map(|row| Row::of(row, &members)).collect();
    let mut content: Vec<_> = rows.iter().map(Row::content).collect();
    content.sort_unstable();
    Ok(Repetition { pointer: pointer.to_owned(), arm, place: (digest, selector.written().to_owned()), rows, content })
}

/// The numbers of a list in the file that `entry` names at `pointer`, at its member `at`.
pub(super) fn numbers(evidence: &Evidence<'_>, record: &Record<'_>, pointer: &str) -> Judged<Vec<f64>> {
    let document = evidence.document(pointer)?;
    let at = child(pointer, "at");
    let selector: Selector = record.text(&at)?.parse().map_err(|error| Lack::not_met(&at, format!("{error}")))?;
    let found = selector.find(&document).map_err(|error| Lack::not_met(&at, format!("leads nowhere: {error}")))?;
    let numbers: Option<Vec<f64>> = items(found).and_then(|items| items.iter().map(finite).collect());
    numbers.ok_or_else(|| Lack::not_met(&at, "does not lead to a list of numbers"))
}

impl Repetition {
    /// Whether nothing tells the two apart: their rows have the same values and times, in whatever order and bytes.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        self.place == other.place || self.content == other.content
    }

    /// Whether both are one measurement: no two have the same values at the same instants, in more than half of the rows of either.
    pub(super) fn is_copy_of(&self, other: &Self) -> bool {
        let is_dated = self.content.iter().all(|(instant, ..)| instant.is_some());
        let fewer = self.content.len().min(other.content.len());
        self.place == other.place || (is_dated && in_common(&self.content, &other.content) > fewer / 2)
    }
}

/// How many items two sorted lists have in common, each as often as both hold it.
fn in_common<T: Ord>(one: &[T], other: &[T]) -> usize {
    let mut others = other.iter().peekable();
    let is_common = |item: &&T| {
        while others.next_if(|other| other < item).is_some() {}
        others.next_if(|other| other == item).is_some()
    };
    one.iter().filter(is_common).count()
}

impl Receipt {
    fn of(report: &Report) -> Self {
        let against = report.problems.iter().filter(|problem| problem.effect != Effect::Notes);
        let codes: BTreeSet<&str> = against.map(|problem| problem.code.name()).collect();
        let carried = report.claims.iter().filter(|claim| claim.coverage != Coverage::Asserted);
        Self {
            outcome: report.outcome,
            codes: codes.into_iter().collect::<Vec<_>>().join(", "),
            carried: carried.map(|claim| claim.value.clone()).collect(),
        }
    }
}

impl Row {
    fn content(&self) -> Content {
        // Adding zero makes both zeros one.
        let bits = |number: f64| (number + 0.0).to_bits();
        let (instant, number) = match self.time {
            Some(Time::Instant(instant)) => (Some(instant), None),
            Some(Time::Number(number)) => (None, Some(bits(number))),
            None => (None, None),
        };
        (instant, number, self.value.map(bits), self.is_failed)
    }

    /// A bare number is a row that did not fail. One that is an object failed where it says so: an error that is something, or `ok` or `success` false, 0
    /// or "false".
    fn of(row: &Value<'_>, [value, time]: &[String; 2]) -> Self {
        let says_no = |name: &str| {
            row.member(name)
                .is_some_and(|flag| is_none(flag) || flag.string().is_some_and(|flag| flag.trim().eq_ignore_ascii_case("false")))
        };
        let has_error =
            row.member("error").is_some_and(|error| !(is_none(error) || matches!(error.kind, Kind::Null) || error.string() == Some("")));
        let is_row = matches!(row.kind, Kind::Number(_) | Kind::Object(_));
        Self {
            is_failed: !is_row || has_error || says_no("ok") || says_no("success"),
            value: finite(row.member(value).unwrap_or(row)),
            time: row.member(time).and_then(|time| match &time.kind {
                Kind::String(text) => Timestamp::parse_rfc3339(text).ok().map(Time::Instant),
                _ => finite(time).map(Time::Number),
            }),
        }
    }
}

/// Where a file is a receipt: there are at most as many as a list has items, so that they can all be verified.
fn is_receipt(pointer: &str) -> bool {
    let steps: Vec<&str> = pointer.split('/').skip(1).collect();
    matches!(steps.as_slice(), ["review", "receipt"] | ["lineage", _, "receipt"])
}

fn finite(value: &Value<'_>) -> Option<f64> {
    value.double().filter(|double| double.is_finite())
}

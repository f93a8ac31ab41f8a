//! A record as it was written, with typed access to what it says. What is not recorded is told apart from what is recorded as none.

use std::ops::ControlFlow;

use serde::Serialize;
use thiserror::Error;

use crate::bench::recorded::is_placeholder;
use crate::json::{self, Kind, Value};
use crate::limits;
use crate::text::{brief, quoted, safe};
use crate::time::Timestamp;

/// The schema of the records that are read.
pub(super) const SCHEMA: &str = "bench-record/1";

/// The fields that a record has to hold, with what they are.
pub(super) const FIELDS: [(&str, &str); 19] = [
    ("/candidate", "the candidate"),
    ("/workload", "the workload"),
    ("/model", "the identity of the model"),
    ("/data", "the identity of the data"),
    ("/scale", "the scale"),
    ("/hardware", "the hardware"),
    ("/runtime", "the runtime"),
    ("/affinity", "the affinity"),
    ("/warmup", "the warm-up"),
    ("/samples", "the sample count"),
    ("/order", "the order or randomisation"),
    ("/aggregation", "the aggregation"),
    ("/uncertainty", "the uncertainty"),
    ("/failures", "the failures"),
    ("/exclusions", "the exclusions"),
    ("/endpoint", "the endpoint"),
    ("/units", "the units"),
    ("/source", "the source artifacts"),
    ("/claim_boundary", "the boundary of the claim"),
];

/// What else is read, and that it is made of members; lists of such stand below.
const BLOCKS: [&str; 10] =
    ["endpoint", "run", "control", "equivalence", "protocol", "quality", "statistics", "review", "closure", "result"];
const LISTS: [&str; 4] = ["source", "rows", "lineage", "raw"];
const OTHERS: [&str; 6] = ["schema", "semantics", "thresholds", "repetitions", "resources", "verdict"];

/// A record of a measurement, `bench-record/1`.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) value: Value<'a>,
}

/// Why a record cannot be read. Every text is escaped.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// It is not strict JSON, or nests deeper or holds more values than are read.
    #[error("byte {offset}: {fault}")]
    Json {
        /// Where.
        offset: usize,
        /// What was found and wanted.
        fault: String,
    },
    /// It has more bytes than are read.
    #[error("it has {bytes} bytes; at most {} are read", limits::RUN_FILE_BYTES)]
    Size {
        /// How many it has.
        bytes: usize,
    },
    /// A member is not what it has to be.
    #[error("{pointer} is {found}; wanted {wanted}")]
    Member {
        /// JSON pointer; `the record` for all of it.
        pointer: String,
        /// What was found.
        found: String,
        /// What was wanted.
        wanted: String,
    },
}

/// Why something that is asked of a record does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Lack {
    /// Which kind of reason it is.
    pub kind: LackKind,
    /// JSON pointer into the record, escaped for showing.
    pub pointer: String,
    /// The reason, safe to show.
    pub why: String,
}

/// The kinds of reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LackKind {
    /// The record does not say it.
    NotRecorded,
    /// The record names a file that cannot be read.
    Unreadable,
    /// The record says it, and it is not what is asked for.
    NotMet,
}

/// What was asked of a record, or why it does not hold.
pub(super) type Judged<T = ()> = Result<T, Lack>;

impl Lack {
    /// The same of the record of the control.
    pub(super) fn of_control(self) -> Self {
        Self { pointer: format!("/control#{}", self.pointer), ..self }
    }

    pub(super) fn not_recorded(pointer: &str) -> Self {
        Self { kind: LackKind::NotRecorded, pointer: brief(pointer), why: "is not recorded".to_owned() }
    }

    pub(super) fn unreadable(pointer: &str, why: &str) -> Self {
        Self { kind: LackKind::Unreadable, pointer: brief(pointer), why: safe(why.to_owned()) }
    }

    /// `why` goes on after the pointer and holds texts of others only as quoted.
    pub(super) fn not_met(pointer: &str, why: impl Into<String>) -> Self {
        Self { kind: LackKind::NotMet, pointer: brief(pointer), why: safe(why.into()) }
    }
}

impl<'a> Record<'a> {
    /// Reads a record: strict JSON, an object with `"schema": "bench-record/1"`.
    ///
    /// # Errors
    ///
    /// [`RecordError`] says where it is not that.
    pub fn read(bytes: &'a [u8]) -> Result<Self, RecordError> {
        if bytes.len() > limits::RUN_FILE_BYTES {
            return Err(RecordError::Size { bytes: bytes.len() });
        }
        let value = json::read(bytes).map_err(|error| RecordError::Json { offset: error.offset, fault: error.message })?;
        if let Some((offset, token)) = value.non_finite().first() {
            return Err(RecordError::Json { offset: *offset, fault: format!("{} is no number of JSON", quoted(token)) });
        }
        let record = Self { bytes, value };
        record.check_shape()?;
        Ok(record)
    }

    fn check_shape(&self) -> Result<(), RecordError> {
        let error = |pointer: String, found: String, wanted: &str| RecordError::Member { pointer, found, wanted: wanted.to_owned() };
        if self.value.object().is_none() {
            return Err(error("the record".to_owned(), self.value.type_name().to_owned(), "an object"));
        }
        match self.value.member("schema") {
            Some(schema) if schema.string() == Some(SCHEMA) => {}
            schema => return Err(error("/schema".to_owned(), schema.map_or("absent".to_owned(), Value::shown), SCHEMA)),
        }
        let members = |names: &'static [&'static str]| {
            let said = |name: &&'static str| Some((*name, self.value.member(name).filter(|value| !is_absent(value) && !is_none(value))?));
            names.iter().filter_map(said)
        };
        for (name, value) in members(&BLOCKS) {
            if value.object().is_none() {
                return Err(error(format!("/{name}"), value.type_name().to_owned(), "an object"));
            }
        }
        for (name, value) in members(&LISTS) {
            let items = items(value).ok_or_else(|| error(format!("/{name}"), value.type_name().to_owned(), "an array"))?;
            if items.len() > limits::LIST_ITEMS {
                return Err(error(format!("/{name}"), format!("{} items", items.len()), &format!("at most {}", limits::LIST_ITEMS)));
            }
            if let Some((index, item)) = items.iter().enumerate().find(|(_, item)| item.object().is_none()) {
                return Err(error(format!("/{name}/{index}"), item.type_name().to_owned(), "an object"));
            }
        }
        Ok(())
    }

    /// The fields that are not recorded, and members of those that are. Escaped for showing.
    pub(super) fn not_recorded(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (pointer, _) in FIELDS {
            let Ok(value) = self.said(pointer) else {
                found.push(pointer.to_owned());
                continue;
            };
            found.extend(left_open(pointer, value));
        }
        found
    }

    /// Members of the record that nothing reads: a name with a slip is one of them. Escaped for showing.
    pub(super) fn unread(&self) -> Vec<String> {
        let is_read = |name: &str| {
            BLOCKS.iter().chain(&LISTS).chain(&OTHERS).any(|known| *known == name)
                || FIELDS.iter().any(|(pointer, _)| pointer.strip_prefix('/') == Some(name))
        };
        let members = self.value.object().unwrap_or_default().iter();
        members
            .filter(|member| !is_read(&member.name))
            .take(limits::LIST_ITEMS)
            .map(|member| brief(&json::child("", &member.name)))
            .collect()
    }

    /// What is recorded at `pointer`.
    pub(super) fn said(&self, pointer: &str) -> Judged<&Value<'a>> {
        if let Some(value) = self.value.at(pointer).filter(|value| is_recorded(value)) {
            return Ok(value);
        }
        let above = pointer.match_indices('/').skip(1).filter_map(|(end, _)| pointer.get(..end));
        match above.into_iter().find(|above| self.value.at(above).is_some_and(is_none)) {
            Some(above) => Err(Lack::not_met(above, "is recorded as none")),
            None => Err(Lack::not_recorded(pointer)),
        }
    }

    /// What is recorded at `pointer`, if no member of it is left open.
    pub(super) fn in_full(&self, pointer: &str) -> Judged<&Value<'a>> {
        let value = self.said(pointer)?;
        left_open(pointer, value).first().map_or(Ok(value), |below| Err(Lack::not_recorded(below)))
    }

    /// What is recorded at `pointer` and not as none.
    pub(super) fn some(&self, pointer: &str) -> Judged<&Value<'a>> {
        let value = self.said(pointer)?;
        if is_none(value) { Err(Lack::not_met(pointer, "is recorded as none")) } else { Ok(value) }
    }

    pub(super) fn text(&self, pointer: &str) -> Judged<&str> {
        let value = self.some(pointer)?;
        value.string().ok_or_else(|| wrong_type(pointer, value, "a text"))
    }

    pub(super) fn flag(&self, pointer: &str) -> Judged<bool> {
        let value = self.said(pointer)?;
        if let Kind::Bool(flag) = value.kind { Ok(flag) } else { Err(wrong_type(pointer, value, "true or false")) }
    }

    /// Refuses unless the flag at `pointer` is true.
    pub(super) fn holds(&self, pointer: &str) -> Judged {
        if self.flag(pointer)? { Ok(()) } else { Err(Lack::not_met(pointer, "is false")) }
    }

    /// The token of the number at `pointer`.
    pub(super) fn number(&self, pointer: &str) -> Judged<&'a str> {
        let value = self.said(pointer)?;
        if let Kind::Number(token) = value.kind { Ok(token) } else { Err(wrong_type(pointer, value, "a number")) }
    }

    pub(super) fn count(&self, pointer: &str) -> Judged<u64> {
        let value = self.said(pointer)?;
        whole(value).ok_or_else(|| Lack::not_met(pointer, format!("is {}; wanted a whole number", value.shown())))
    }

    /// Dates are RFC 3339 with a zone.
    pub(super) fn instant(&self, pointer: &str) -> Judged<Timestamp> {
        let text = self.text(pointer)?;
        Timestamp::parse_rfc3339(text).map_err(|error| Lack::not_met(pointer, format!("is {}: {error}", quoted(text))))
    }

    /// The items of the list at `pointer`, of which there is at least one.
    pub(super) fn list(&self, pointer: &str) -> Judged<&[Value<'a>]> {
        let value = self.some(pointer)?;
        items(value).ok_or_else(|| wrong_type(pointer, value, "a list"))
    }
}

fn wrong_type(pointer: &str, value: &Value<'_>, wanted: &str) -> Lack {
    Lack::not_met(pointer, format!("is {}; wanted {wanted}", value.type_name()))
}

pub(super) fn items<'v, 'a>(value: &'v Value<'a>) -> Option<&'v [Value<'a>]> {
    if let Kind::Array(items) = &value.kind { Some(items) } else { None }
}

/// The whole number that a value is, however it is written.
pub(super) fn whole(value: &Value<'_>) -> Option<u64> {
    let Kind::Number(token) = value.kind else { return None };
    let double = token.parse::<f64>().ok().filter(|double| double.fract() == 0.0 && (0.0..9e15).contains(double))?;
    format!("{:.0}", double.abs()).parse().ok()
}

/// Whether a value says anything: some leaf of it does.
pub(super) fn is_recorded(value: &Value<'_>) -> bool {
    leaves(value).any(|leaf| !is_absent(leaf))
}

/// Places below `pointer` that say nothing, though what stands there does.
fn left_open(pointer: &str, value: &Value<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let _ = value.leaves(pointer, limits::CLAIM_DEPTH, &mut |below, leaf| {
        // What lies deeper is one leaf there, but none here.
        if leaves(leaf).any(is_absent) && found.len() < limits::DIFFERENCES {
            found.push(brief(below));
        }
        ControlFlow::Continue(())
    });
    found
}

/// The scalars and empty containers of a value, in their order, however deep.
pub(super) fn leaves<'v, 'a>(value: &'v Value<'a>) -> impl Iterator<Item = &'v Value<'a>> {
    let mut open = vec![value];
    std::iter::from_fn(move || {
        loop {
            let value = open.pop()?;
            match &value.kind {
                Kind::Array(items) if !items.is_empty() => open.extend(items.iter().rev()),
                Kind::Object(members) if !members.is_empty() => open.extend(members.iter().rev().map(|member| &member.value)),
                _ => return Some(value),
            }
        }
    })
}

/// Whether a leaf says nothing: null, an empty object, or a word for something that is not recorded. An empty list is a statement.
fn is_absent(value: &Value<'_>) -> bool {
    match &value.kind {
        Kind::Null => true,
        Kind::Object(members) => members.is_empty(),
        Kind::String(text) => is_placeholder(text),
        _ => false,
    }
}

/// Whether a value says that there is none.
pub(super) fn is_none(value: &Value<'_>) -> bool {
    match &value.kind {
        Kind::Bool(flag) => !flag,
        Kind::Number(_) => whole(value) == Some(0),
        Kind::String(text) => text.trim().eq_ignore_ascii_case("none"),
        Kind::Array(items) => items.is_empty(),
        _ => false,
    }
}

//! The manifest of claims, as people write it: what is published, and what it is to follow from.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use serde::Deserialize;

use super::expression::Expression;
use super::page::begins_whole;
use super::rows::{Filter, Take};
use super::seen::seen;
use crate::bench::select::Selector;
use crate::limits;
use crate::text::{is_hex, quoted};

/// Published numbers, lines of logs and equalities, each with the files that it is to follow from.
///
/// It is read by serde, in the command line from TOML; `docs/trace.md` describes it. Members that it does not know are refused.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Manifest")]
pub struct Claims {
    /// SHA-256 in lower-case hex by the names of files.
    pub(super) digests: BTreeMap<String, String>,
    pub(super) claims: Vec<Claim>,
}

#[derive(Clone, Debug)]
pub(super) struct Claim {
    pub(super) id: String,
    pub(super) published: Option<Published>,
    pub(super) retired: Option<Retired>,
    pub(super) evidence: Evidence,
}

#[derive(Clone, Debug)]
pub(super) enum Evidence {
    Number(Number),
    Line(Line),
    Same(Vec<Place>),
}

/// What a reader sees.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Published {
    /// The page on which it is to stand.
    pub(super) file: Option<String>,
    pub(super) text: String,
    /// What stands on the same line of the page.
    pub(super) beside: Option<String>,
}

impl Published {
    /// The same as readers see it.
    pub(super) fn as_seen(&self) -> Self {
        Self { file: self.file.clone(), text: seen(&self.text), beside: self.beside.as_deref().map(seen) }
    }
}

/// Why a claim is no longer made.
#[derive(Clone, Debug)]
pub(super) struct Retired {
    pub(super) word: &'static str,
    pub(super) date: String,
    pub(super) reason: String,
}

#[derive(Clone, Debug)]
pub(super) struct Number {
    pub(super) inputs: BTreeMap<String, Input>,
    pub(super) expression: Expression,
    pub(super) writing: Writing,
    /// Whether recorded summaries are not enough.
    pub(super) needs_rows: bool,
}

/// How a number is written.
#[derive(Clone, Debug)]
pub(super) struct Writing {
    pub(super) round: usize,
    pub(super) prefix: String,
    pub(super) suffix: String,
    pub(super) thousands: String,
}

#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) file: String,
    /// From 1.
    pub(super) line: usize,
    pub(super) contains: String,
}

/// A value in a file.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) file: String,
    pub(super) form: Form,
    pub(super) at: Selector,
}

/// A value, or rows, in a file.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "InputEntry")]
pub(super) struct Input {
    pub(super) place: Place,
    pub(super) take: Take,
}

/// What of a file is the document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    /// All of it.
    Whole,
    /// Each line that is not blank is an item of a list.
    Lines,
    /// What follows this text in the last line that begins with it.
    After(String),
    /// What stands on a page by itself, and on a line with something else.
    Page(Published),
}

/// The most decimal places of a published number.
const MOST_PLACES: usize = 17;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    version: u32,
    #[serde(default)]
    require_rows: bool,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    number: Vec<NumberEntry>,
    #[serde(default)]
    line: Vec<LineEntry>,
    #[serde(default)]
    same: Vec<SameEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NumberEntry {
    id: String,
    published: Published,
    inputs: BTreeMap<String, Input>,
    expr: Expression,
    round: usize,
    #[serde(default)]
    prefix: String,
    #[serde(default)]
    suffix: String,
    #[serde(default)]
    thousands: String,
    require_rows: Option<bool>,
    withdrawn: Option<RetiredEntry>,
    history: Option<RetiredEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LineEntry {
    id: String,
    published: Option<Published>,
    file: String,
    line: usize,
    contains: String,
    withdrawn: Option<RetiredEntry>,
    history: Option<RetiredEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SameEntry {
    id: String,
    values: Vec<PlaceEntry>,
    withdrawn: Option<RetiredEntry>,
    history: Option<RetiredEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RetiredEntry {
    date: String,
    reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlaceEntry {
    file: String,
    at: Option<Selector>,
    after: Option<String>,
    text: Option<String>,
    beside: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InputEntry {
    file: String,
    at: Option<Selector>,
    rows: Option<Selector>,
    #[serde(default)]
    lines: bool,
    after: Option<String>,
    value: Option<Selector>,
    #[serde(default, rename = "where")]
    filters: Vec<Filter>,
    expect_rows: Option<usize>,
}

impl Claims {
    /// The names of the files that the claims are about, in order: those to be handed in.
    #[must_use]
    pub fn files(&self) -> BTreeSet<&str> {
        let pages = self.claims.iter().filter_map(|claim| claim.published.as_ref()?.file.as_deref());
        self.sources().into_iter().chain(pages).collect()
    }

    /// Those of them that the claims follow from, and whose digests have to be recorded; a page on which something is published need
    /// not be one.
    #[must_use]
    pub fn sources(&self) -> BTreeSet<&str> {
        self.claims.iter().flat_map(|claim| claim.evidence.files()).collect()
    }
}

impl Evidence {
    /// The files that it is taken from.
    pub(super) fn files(&self) -> BTreeSet<&str> {
        match self {
            Self::Number(number) => number.inputs.values().map(|input| input.place.file.as_str()).collect(),
            Self::Line(line) => BTreeSet::from([line.file.as_str()]),
            Self::Same(places) => places.iter().map(|place| place.file.as_str()).collect(),
        }
    }
}

impl TryFrom<Manifest> for Claims {
    type Error = String;

    fn try_from(manifest: Manifest) -> Result<Self, String> {
        if manifest.version != 1 {
            return Err(format!("claims of version {} are not supported; wanted version = 1", manifest.version));
        }
        if let Some((name, _)) = manifest.files.iter().find(|(_, digest)| !is_hex(digest, 64)) {
            return Err(format!("files: {} needs a SHA-256 of 64 lower-case hex digits", quoted(name)));
        }
        let by_default = manifest.require_rows;
        let numbers = manifest.number.into_iter().map(|entry| entry.into_claim(by_default));
        let lines = manifest.line.into_iter().map(LineEntry::into_claim);
        let same = manifest.same.into_iter().map(SameEntry::into_claim);
        let claims: Vec<Claim> = numbers.chain(lines).chain(same).collect::<Result<_, String>>()?;
        if claims.len() > limits::BENCH_CLAIMS {
            return Err(format!("there are {} claims; at most {} are read", claims.len(), limits::BENCH_CLAIMS));
        }
        let mut ids = BTreeSet::new();
        if let Some(claim) = claims.iter().find(|claim| claim.id.trim().is_empty() || !ids.insert(&claim.id)) {
            return Err(format!("the id {} is blank or stands twice", quoted(&claim.id)));
        }
        let claims = Self { digests: manifest.files, claims };
        let known = claims.files();
        match claims.digests.keys().find(|name| !known.contains(name.as_str())) {
            Some(name) => Err(format!("files: no claim is about {}", quoted(name))),
            None => Ok(claims),
        }
    }
}

impl NumberEntry {
    fn into_claim(self, needs_rows: bool) -> Result<Claim, String> {
        let refused = |why: String| format!("number {}: {why}", quoted(&self.id));
        let retired = retired(self.withdrawn, self.history).map_err(&refused)?;
        check_published(&self.published).map_err(&refused)?;
        if self.round > MOST_PLACES {
            return Err(refused(format!("round is {}; wanted at most {MOST_PLACES}", self.round)));
        }
        if !THOUSANDS.contains(&self.thousands.as_str()) {
            return Err(refused("thousands are separated by a comma, an apostrophe, a low line or a blank".to_owned()));
        }
        if changes_the_number(&self.prefix, &self.suffix) {
            return Err(refused("prefix and suffix hold no digit, and no minus, point or comma beside the number".to_owned()));
        }
        if self.inputs.is_empty() {
            return Err(refused("it follows from no input".to_owned()));
        }
        if self.inputs.len() > limits::BENCH_INPUTS {
            return Err(refused(format!("it has more than {} inputs", limits::BENCH_INPUTS)));
        }
        let (numbers, rows) = self.expr.names();
        if let Some(name) = numbers.union(&rows).find(|name| !self.inputs.contains_key(**name)) {
            return Err(refused(format!("the expression uses {name}, which is no input")));
        }
        for (name, input) in &self.inputs {
            match (&input.take, numbers.contains(name.as_str()), rows.contains(name.as_str())) {
                (_, false, false) => return Err(refused(format!("the expression does not use the input {}", quoted(name)))),
                (Take::Rows { .. }, true, _) => {
                    return Err(refused(format!("{name} has rows: use a statistic of it, such as mean({name})")));
                }
                _ => {}
            }
        }
        let needs_rows = self.require_rows.unwrap_or(needs_rows);
        let writing = Writing { round: self.round, prefix: self.prefix, suffix: self.suffix, thousands: self.thousands };
        let number = Number { inputs: self.inputs, expression: self.expr, writing, needs_rows };
        Ok(Claim { id: self.id, published: Some(self.published), retired, evidence: Evidence::Number(number) })
    }
}

/// What may stand between groups of three digits.
const THOUSANDS: [&str; 10] = ["", ",", "'", "’", "_", " ", "\u{a0}", "\u{2007}", "\u{2009}", "\u{202f}"];

/// Whether what stands before or behind a number makes it another one.
fn changes_the_number(prefix: &str, suffix: &str) -> bool {
    let is_part = |character: char| matches!(character, '.' | ',');
    [prefix, suffix].into_iter().any(|text| text.chars().any(char::is_numeric))
        || !begins_whole(prefix, false)
        || prefix.ends_with(is_part)
        || suffix.starts_with(is_part)
}

impl LineEntry {
    fn into_claim(self) -> Result<Claim, String> {
        let refused = |why: String| format!("line {}: {why}", quoted(&self.id));
        let retired = retired(self.withdrawn, self.history).map_err(&refused)?;
        if self.line == 0 || self.contains.is_empty() || self.contains.contains('\n') {
            return Err(refused("lines are counted from 1, and contain a text of one line".to_owned()));
        }
        if let Some(published) = &self.published {
            check_published(published).map_err(&refused)?;
            if !self.contains.contains(&published.text) {
                return Err(refused("what the line contains has to include the published text".to_owned()));
            }
        }
        let evidence = Evidence::Line(Line { file: self.file, line: self.line, contains: self.contains });
        Ok(Claim { id: self.id, published: self.published, retired, evidence })
    }
}

impl Form {
    fn after(text: String) -> Result<Self, String> {
        if text.contains('\n') { Err("a line begins with a text of one line".to_owned()) } else { Ok(Self::After(text)) }
    }
}

impl SameEntry {
    fn into_claim(self) -> Result<Claim, String> {
        let refused = |why: String| format!("same {}: {why}", quoted(&self.id));
        let retired = retired(self.withdrawn, self.history).map_err(&refused)?;
        if !(2..=limits::BENCH_INPUTS).contains(&self.values.len()) {
            return Err(refused(format!("wanted 2 to {} values", limits::BENCH_INPUTS)));
        }
        let places = self.values.into_iter().map(Place::try_from).collect::<Result<_, String>>().map_err(&refused)?;
        Ok(Claim { id: self.id, published: None, retired, evidence: Evidence::Same(places) })
    }
}

impl TryFrom<PlaceEntry> for Place {
    type Error = String;

    fn try_from(entry: PlaceEntry) -> Result<Self, String> {
        match entry {
            PlaceEntry { file, at: Some(at), after, text: None, beside: None } => {
                Ok(Self { file, form: after.map_or(Ok(Form::Whole), Form::after)?, at })
            }
            PlaceEntry { file, at: None, after: None, text: Some(text), beside } => {
                let shown = Published { file: None, text, beside };
                check_published(&shown)?;
                Ok(Self { file, form: Form::Page(shown), at: Selector::default() })
            }
            _ => Err("a value has at, with after or without, or text, with beside or without".to_owned()),
        }
    }
}

impl TryFrom<InputEntry> for Input {
    type Error = String;

    fn try_from(entry: InputEntry) -> Result<Self, String> {
        let form = match (entry.lines, entry.after) {
            (false, None) => Form::Whole,
            (true, None) => Form::Lines,
            (false, Some(text)) => Form::after(text)?,
            (true, Some(_)) => return Err("an input has lines or after, not both".to_owned()),
        };
        let is_of_rows = entry.value.is_some() || !entry.filters.is_empty() || entry.expect_rows.is_some();
        let (at, take) = match (entry.at, entry.rows.or((form == Form::Lines).then(Selector::default))) {
            (Some(at), None) if !is_of_rows => (at, Take::One),
            (None, Some(rows)) if entry.filters.len() <= limits::BENCH_INPUTS => {
                (rows, Take::Rows { value: entry.value.unwrap_or_default(), filters: entry.filters, expected: entry.expect_rows })
            }
            (None, Some(_)) => return Err(format!("rows have at most {} filters", limits::BENCH_INPUTS)),
            _ => return Err("an input has at, or rows (or lines) with value, where and expect_rows".to_owned()),
        };
        Ok(Self { place: Place { file: entry.file, form, at }, take })
    }
}

fn check_published(published: &Published) -> Result<(), String> {
    let is_line = |text: &str| !seen(text).trim().is_empty() && !text.contains('\n');
    let is_good = is_line(&published.text) && published.beside.as_deref().is_none_or(is_line);
    if is_good { Ok(()) } else { Err("a published text is a part of one line".to_owned()) }
}

/// Who withdraws a claim, or keeps it as history, says when and why.
fn retired(withdrawn: Option<RetiredEntry>, history: Option<RetiredEntry>) -> Result<Option<Retired>, String> {
    let (word, entry) = match (withdrawn, history) {
        (None, None) => return Ok(None),
        (Some(entry), None) => ("withdrawn", entry),
        (None, Some(entry)) => ("history", entry),
        (Some(_), Some(_)) => return Err("it is withdrawn or history, not both".to_owned()),
    };
    if NaiveDate::parse_from_str(&entry.date, "%Y-%m-%d").is_err() || entry.reason.trim().is_empty() {
        return Err(format!("what is {word} has a date such as \"2026-07-31\" and a reason"));
    }
    Ok(Some(Retired { word, date: entry.date, reason: entry.reason }))
}

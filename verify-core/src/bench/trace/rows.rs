//! Numbers out of documents: one value, or the rows that fit filters, with a count of those that do not.

use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::Verdict;
use super::expression::Operand;
use super::library::Refusal;
use crate::bench::select::{NotFound, Selector};
use crate::compare::is_same;
use crate::json::{Kind, Value, is_integer, read};
use crate::text::escape;

/// What is taken at a place.
#[derive(Clone, Debug)]
pub(super) enum Take {
    /// The number that stands there.
    One,
    /// A number of each item of the list there.
    Rows { value: Selector, filters: Vec<Filter>, expected: Option<usize> },
}

/// Which rows count.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "FilterEntry")]
pub(super) struct Filter {
    at: Selector,
    test: Test,
}

#[derive(Clone, Debug)]
enum Test {
    /// The value is this scalar, written as JSON.
    Equals(String),
    Is(Presence),
    Below(Bound),
    AtLeast(Bound),
}

/// A bound of rows; where it is an integer, exactly.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Scalar")]
struct Bound {
    number: f64,
    integer: Option<i128>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Presence {
    Absent,
    Present,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FilterEntry {
    at: Selector,
    equals: Option<Scalar>,
    is: Option<Presence>,
    below: Option<Bound>,
    at_least: Option<Bound>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Scalar {
    Flag(bool),
    Integer(i64),
    Number(f64),
    Text(String),
}

/// How many rows a filter let through.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Filtered {
    /// The filter, in words.
    pub filter: String,
    /// How many rows came to it.
    pub of: usize,
    /// How many of them fit it.
    pub kept: usize,
}

/// The rows of an input.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct RowCount {
    /// How many rows there are.
    pub total: usize,
    /// How many of them are used.
    pub used: usize,
    /// What each filter dropped, in the order of their use.
    pub filters: Vec<Filtered>,
}

impl Take {
    /// How many times each value of the document may be looked at.
    pub(super) fn looks(&self) -> usize {
        match self {
            Self::One => 1,
            Self::Rows { value, filters, .. } => {
                let places = filters.iter().map(|filter| &filter.at).chain([value]);
                places.map(|at| at.conditions().saturating_add(1)).sum::<usize>().saturating_add(1)
            }
        }
    }

    /// The number or the rows at `at` in `document`; how many rows there are is put into `rows`, whatever becomes of them.
    pub(super) fn from(&self, at: &Selector, document: &Value<'_>, counted: &mut Option<RowCount>) -> Result<Operand, Refusal> {
        let found = at.find(document).map_err(|not| not_found(&not))?;
        let Self::Rows { value, filters, expected } = self else {
            let one = number(found).map(|number| Operand::One(number, integer(found).map(str::to_owned)));
            return one.map_err(|why| (Verdict::Absent, format!("at {} {why}", escape(at.written()))));
        };
        let Kind::Array(items) = &found.kind else {
            let place = if at.written().is_empty() { "the document".to_owned() } else { escape(at.written()) };
            return Err((
                Verdict::Unbacked,
                format!("{place} is {}, not a list of rows: a summary proves no statistic", found.type_name()),
            ));
        };
        let mut rows: Vec<(usize, &Value<'_>)> = items.iter().enumerate().collect();
        let mut count = RowCount { total: rows.len(), used: 0, filters: Vec::new() };
        for filter in filters {
            let of = rows.len();
            let test = filter.test.read();
            rows.retain(|(_, row)| test.fits(filter.at.find(row)));
            count.filters.push(Filtered { filter: filter.to_string(), of, kept: rows.len() });
        }
        count.used = rows.len();
        *counted = Some(count);
        if items.is_empty() {
            return Err((Verdict::Unbacked, format!("{} is an empty list: there are no rows", escape(at.written()))));
        }
        if let Some(expected) = expected.filter(|expected| *expected != rows.len()) {
            return Err((Verdict::Mismatch, format!("{} rows are there; {expected} are expected", rows.len())));
        }
        let number_of = |(index, row): (usize, &Value<'_>)| {
            let found = value.find(row).map_err(|not| not.to_string()).and_then(number);
            found.map_err(|why| (Verdict::Absent, format!("row {index} (from 0): {why}; a filter can leave such rows out, and says so")))
        };
        rows.into_iter().map(number_of).collect::<Result<_, _>>().map(Operand::of_rows)
    }
}

/// A selector that leads nowhere, or to several values.
pub(super) fn not_found(not: &NotFound) -> Refusal {
    let verdict = match not {
        NotFound::Absent(_) => Verdict::Absent,
        NotFound::Ambiguous(..) => Verdict::Ambiguous,
    };
    (verdict, not.to_string())
}

/// The finite number that a value is.
fn number(value: &Value<'_>) -> Result<f64, String> {
    value.double().filter(|number| number.is_finite()).ok_or_else(|| format!("stands {}; wanted a number", value.type_name()))
}

/// The token of a value that is an integer.
fn integer<'d>(value: &Value<'d>) -> Option<&'d str> {
    match value.kind {
        Kind::Number(token) if is_integer(token) => Some(token),
        _ => None,
    }
}

/// A test whose scalar is read, once for all rows.
enum Reading<'t> {
    Equals(Option<Value<'t>>),
    Is(Presence),
    Below(&'t Bound),
    AtLeast(&'t Bound),
}

impl Test {
    fn read(&self) -> Reading<'_> {
        match self {
            Self::Equals(json) => Reading::Equals(read(json.as_bytes()).ok()),
            Self::Is(presence) => Reading::Is(*presence),
            Self::Below(bound) => Reading::Below(bound),
            Self::AtLeast(bound) => Reading::AtLeast(bound),
        }
    }
}

impl Reading<'_> {
    fn fits(&self, found: Result<&Value<'_>, NotFound>) -> bool {
        match self {
            Self::Is(Presence::Absent) => matches!(found, Err(NotFound::Absent(_))),
            Self::Is(Presence::Present) => found.is_ok(),
            Self::Equals(wanted) => found.is_ok_and(|found| wanted.as_ref().is_some_and(|wanted| is_same(found, wanted))),
            Self::Below(bound) => found.is_ok_and(|found| bound.order(found) == Some(Ordering::Less)),
            Self::AtLeast(bound) => found.is_ok_and(|found| bound.order(found).is_some_and(Ordering::is_ge)),
        }
    }
}

impl Bound {
    /// How a value stands to the bound: integers by their digits, all others as doubles.
    fn order(&self, value: &Value<'_>) -> Option<Ordering> {
        let integers = self.integer.zip(integer(value).and_then(|token| token.parse::<i128>().ok()));
        integers.map_or_else(|| value.double()?.partial_cmp(&self.number), |(bound, value)| Some(value.cmp(&bound)))
    }
}

impl TryFrom<Scalar> for Bound {
    type Error = String;

    fn try_from(scalar: Scalar) -> Result<Self, String> {
        let number = match scalar {
            Scalar::Integer(number) => number.to_string(),
            Scalar::Number(number) if number.is_finite() => number.to_string(),
            _ => return Err("a bound is a finite number".to_owned()),
        };
        let parsed = number.parse().map_err(|_| "a bound is a finite number".to_owned())?;
        Ok(Self { integer: number.parse().ok(), number: parsed })
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = escape(self.at.written());
        match &self.test {
            Test::Is(Presence::Absent) => write!(formatter, "{at} is absent"),
            Test::Is(Presence::Present) => write!(formatter, "{at} is present"),
            Test::Equals(json) => write!(formatter, "{at} = {}", escape(json)),
            Test::Below(bound) => write!(formatter, "{at} < {bound}"),
            Test::AtLeast(bound) => write!(formatter, "{at} >= {bound}"),
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.integer {
            Some(integer) => write!(formatter, "{integer}"),
            None => write!(formatter, "{}", self.number),
        }
    }
}

impl TryFrom<FilterEntry> for Filter {
    type Error = String;

    fn try_from(entry: FilterEntry) -> Result<Self, String> {
        let test = match (entry.equals, entry.is, entry.below, entry.at_least) {
            (Some(scalar), None, None, None) => Test::Equals(scalar.into_json()?),
            (None, Some(presence), None, None) => Test::Is(presence),
            (None, None, Some(bound), None) => Test::Below(bound),
            (None, None, None, Some(bound)) => Test::AtLeast(bound),
            _ => return Err("a filter has at and one of equals, is, below and at_least".to_owned()),
        };
        Ok(Self { at: entry.at, test })
    }
}

impl Scalar {
    fn into_json(self) -> Result<String, String> {
        let json = match self {
            Self::Flag(flag) => serde_json::to_string(&flag),
            Self::Integer(number) => serde_json::to_string(&number),
            Self::Number(number) if number.is_finite() => serde_json::to_string(&number),
            Self::Number(_) => return Err("equals is no finite number".to_owned()),
            Self::Text(text) => serde_json::to_string(&text),
        };
        json.map_err(|error| error.to_string())
    }
}

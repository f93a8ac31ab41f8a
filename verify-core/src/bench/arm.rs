//! One arm of a comparison, read from its raw files: how it was measured, its points, and what was measured there.

use std::collections::{BTreeMap, BTreeSet};

use super::document::Document;
use super::files::Files;
use super::recorded::Recorded;
use super::select::Selector;
use super::shape::{Better, Column, KeyPart, Metric, Node, Rows, Section, Shape};
use super::{Method, declared::Declared};
use crate::json::{Kind, Value, is_integer};
use crate::limits;
use crate::text::{brief, quoted};

/// Two numbers that should be one may differ by this fraction: sums of doubles in two orders do.
const SAME: f64 = 1e-9;

/// A raw file of an arm.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RawFile {
    /// The name under which [`Files`] has it.
    pub name: String,
    /// Which half of the arm it has to be, where the caller says so.
    pub section: Option<Section>,
}

impl RawFile {
    /// A file that may be either half of the arm.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), section: None }
    }

    /// A file that has to be this half of the arm.
    #[must_use]
    pub fn of(section: Section, name: impl Into<String>) -> Self {
        Self { name: name.into(), section: Some(section) }
    }

    /// What the file is, in the words of a refusal.
    pub(crate) fn what(&self) -> &'static str {
        match self.section {
            Some(Section::Single) => "single-stream raw file",
            Some(Section::Sweep) => "sweep raw file",
            None => "raw file",
        }
    }
}

/// A field of the profile, or why its value is not known although it was recorded.
pub(crate) type Field = Result<Recorded, String>;

#[derive(Debug, Default)]
pub(crate) struct Arm {
    /// By full names: `sweep.seed`, `sweep.c8.requests`.
    pub(crate) fields: BTreeMap<String, Field>,
    /// The fields that no raw file records and that were declared instead.
    pub(crate) declared: BTreeSet<String>,
    /// In the order of the files.
    pub(crate) points: Vec<Point>,
    /// Where each of them is, by its name.
    places: BTreeMap<String, usize>,
    /// Halves of which a file lists the points.
    pub(crate) listing: BTreeSet<Section>,
    /// Points that the arm itself says it has.
    pub(crate) listed: BTreeSet<(Section, String)>,
    /// The fields that list them.
    pub(crate) lists: BTreeSet<String>,
}

#[derive(Debug)]
pub(crate) struct Point {
    pub(crate) section: Section,
    /// The name with its section: `sweep.c8`, or `single` of the one point that needs no name.
    pub(crate) name: String,
    /// The shapes of the files that speak of the point.
    shapes: Vec<String>,
    /// The point stands twice, so that nobody knows which one is meant.
    pub(crate) is_repeated: bool,
    /// A field by which points are told apart and which this one does not record.
    pub(crate) lacks: Option<String>,
    pub(crate) counts: Counts,
    pub(crate) metrics: Vec<Measured>,
    /// Where the files contradict themselves.
    pub(crate) doubts: Vec<String>,
}

/// How many requests a point had, as far as its files say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) requests: Option<u64>,
    pub(crate) ok: Option<u64>,
    pub(crate) failed: Option<u64>,
    /// Rows of the measurement.
    pub(crate) rows: Option<u64>,
    /// Those of them whose request succeeded.
    pub(crate) rows_ok: Option<u64>,
}

#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub(crate) name: String,
    pub(crate) unit: String,
    pub(crate) better: Better,
    pub(crate) definition: String,
    pub(crate) method: Option<Method>,
    pub(crate) value: Option<f64>,
    /// It was computed from rows here.
    pub(crate) is_of_rows: bool,
}

impl Arm {
    /// Adds what a raw file says, as the one of `shapes` that it fits. The error says why it cannot be read.
    pub(crate) fn add(&mut self, file: &RawFile, files: &Files, shapes: &[Shape], declared: Option<&Declared>) -> Result<String, String> {
        let bytes = files.get(&file.name)?;
        let document = Document::read(bytes)?;
        let (shape, value) = document.shape(shapes)?;
        if let Some(section) = file.section.filter(|section| *section != shape.section) {
            return Err(format!("it is of the shape {}, which is {}, not {}", brief(&shape.name), shape.section.name(), section.name()));
        }
        let declared = declared.and_then(|declared| declared.of_file(&file.name));
        self.add_document(shape, value, declared.unwrap_or(&BTreeMap::new()))?;
        Ok(shape.name.clone())
    }

    /// Fills in what was declared of the arm. What the files record themselves is not replaced.
    pub(crate) fn declare(&mut self, declared: &Declared) {
        for (name, value) in &declared.fields {
            self.declare_field(name.clone(), value);
        }
    }

    pub(crate) fn point(&self, name: &str) -> Option<&Point> {
        self.points.get(*self.places.get(name)?)
    }

    /// Whether a point is among those that the arm itself lists, where it lists any.
    pub(crate) fn lists_point(&self, point: &Point) -> bool {
        let label = point.name.strip_prefix(point.section.name()).and_then(|rest| rest.strip_prefix('.')).unwrap_or_default();
        !self.listing.contains(&point.section) || self.listed.contains(&(point.section, label.to_owned()))
    }

    fn declare_field(&mut self, name: String, value: &Recorded) {
        match self.fields.get(&name) {
            None => {
                self.declared.insert(name.clone());
                self.fields.insert(name, Ok(value.clone()));
            }
            Some(Ok(recorded)) if !recorded.is_same(value) => {
                let why = format!("recorded as {}, declared as {}", recorded.shown(), value.shown());
                self.fields.insert(name, Err(why));
            }
            Some(_) => {}
        }
    }

    fn record(&mut self, name: String, value: Recorded) {
        match self.fields.get(&name) {
            Some(Ok(other)) if !other.is_same(&value) => {
                let why = format!("its files record {} and {}", other.shown(), value.shown());
                self.fields.insert(name, Err(why));
            }
            Some(_) => {}
            None => {
                self.fields.insert(name, Ok(value));
            }
        }
    }

    /// `declared` are fields of every point of the document.
    fn add_document(&mut self, shape: &Shape, document: &Value<'_>, declared: &BTreeMap<String, Recorded>) -> Result<(), String> {
        let section = shape.section;
        let common = fields(document, &shape.fields);
        let points: Vec<&Value<'_>> = match &shape.points.at {
            None => vec![document],
            Some(at) => match at.find(document).map(|found| &found.kind) {
                Ok(Kind::Array(points)) => points.iter().collect(),
                Ok(_) => return Err(format!("{} is no list of points", quoted(at.written()))),
                Err(absent) => return Err(absent.to_string()),
            },
        };
        if points.len() > limits::BENCH_POINTS {
            return Err(format!("it has {} points; at most {} are read", points.len(), limits::BENCH_POINTS));
        }
        if let [KeyPart { prefix, listed_in: Some(list), .. }] = shape.points.key.as_slice() {
            self.lists.insert(full_name(section, "", list));
            let items: Vec<String> = common.get(list).map(Recorded::items).unwrap_or_default();
            if common.contains_key(list) {
                self.listing.insert(section);
            }
            if items.len() > limits::BENCH_POINTS {
                return Err(format!("it lists {} points; at most {} are read", items.len(), limits::BENCH_POINTS));
            }
            self.listed.extend(items.into_iter().map(|value| (section, format!("{prefix}{value}"))));
        }
        for (index, value) in points.into_iter().enumerate() {
            let is_kept = shape.points.keep.iter().all(|condition| condition.holds(|at| at.find(value).ok()));
            if is_kept {
                self.add_point(shape, value, index, declared)?;
            }
        }
        common.into_iter().for_each(|(name, value)| self.record(full_name(section, "", &name), value));
        self.within_limits()
    }

    fn add_point(&mut self, shape: &Shape, value: &Value<'_>, index: usize, declared: &BTreeMap<String, Recorded>) -> Result<(), String> {
        let section = shape.section;
        let recorded = fields(value, &shape.points.fields);
        let named_by = |field: &String| recorded.get(field).or_else(|| declared.get(field)).filter(|value| value.says_something());
        let part = |part: &KeyPart| match &part.field {
            None => Some(format!("{}{index}", part.prefix)),
            Some(field) => Some(format!("{}{}", part.prefix, named_by(field)?.label())),
        };
        let label = shape.points.key.iter().filter_map(part).collect::<Vec<_>>().join("-");
        let lacks = shape.points.key.iter().filter_map(|part| part.field.as_ref()).find(|field| named_by(field).is_none()).cloned();
        if label.len() > limits::JSON_NAME_BYTES {
            return Err(format!("the name of a point has more than {} bytes", limits::JSON_NAME_BYTES));
        }
        recorded.into_iter().for_each(|(name, value)| self.record(full_name(section, &label, &name), value));
        declared.iter().for_each(|(name, value)| self.declare_field(full_name(section, &label, name), value));
        let point = Point { lacks, ..Point::read(shape, &label, value)? };
        let place = *self.places.entry(point.name.clone()).or_insert(self.points.len());
        match self.points.get_mut(place) {
            None => self.points.push(point),
            Some(other) => other.join(point)?,
        }
        self.within_limits()
    }

    fn within_limits(&self) -> Result<(), String> {
        let of = |count: usize, most: usize, what: &str| match count > most {
            true => Err(format!("with it the arm has {count} {what}; at most {most} are read")),
            false => Ok(()),
        };
        of(self.points.len(), limits::BENCH_POINTS, "points")?;
        of(self.fields.len(), limits::BENCH_FIELDS, "fields")
    }
}

impl Point {
    fn read(shape: &Shape, label: &str, value: &Value<'_>) -> Result<Self, String> {
        let table = shape.points.rows.as_ref().map(|rows| Table::read(rows, value)).transpose()?.flatten();
        let mut doubts = Vec::new();
        let mut number = |at: &Option<Selector>, what: &str| {
            let found = at.as_ref()?.find(value).ok().filter(|found| !matches!(found.kind, Kind::Null))?;
            let number = whole_number(found);
            if number.is_none() {
                doubts.push(format!("{} is no number of requests that {what}", found.shown()));
            }
            number
        };
        let counts = &shape.points.counts;
        let counts = Counts {
            requests: number(&counts.requests, "were made"),
            ok: number(&counts.ok, "succeeded"),
            failed: number(&counts.failed, "failed"),
            rows: table.as_ref().map(|table| table.total),
            rows_ok: table.as_ref().map(|table| table.ok),
        };
        let mut point = Self {
            section: shape.section,
            name: full_name(shape.section, label, ""),
            shapes: vec![shape.name.clone()],
            is_repeated: false,
            lacks: None,
            counts,
            metrics: Vec::new(),
            doubts,
        };
        let is_any_ok = counts.rows_ok.or(counts.ok) != Some(0);
        for metric in &shape.metrics {
            let (summary, of_rows) = measured(metric, shape.points.rows.as_ref(), table.as_ref(), value)?;
            if let (Some(summary), Some(of_rows)) = (summary, of_rows) {
                point.hold_together(&metric.name, summary, of_rows);
            }
            point.metrics.push(Measured {
                name: metric.name.clone(),
                unit: metric.unit.clone(),
                better: metric.better,
                definition: metric.definition.clone(),
                method: shape.points.rows.as_ref().filter(|_| metric.column.is_some()).map(|rows| rows.method),
                value: of_rows.or(summary.filter(|_| table.is_none() || metric.column.is_none())).filter(|_| is_any_ok),
                is_of_rows: of_rows.is_some(),
            });
        }
        Ok(point)
    }

    pub(crate) fn metric(&self, name: &str) -> Option<&Measured> {
        self.metrics.iter().find(|metric| metric.name == name)
    }

    /// Takes over what another file says of the same point. Two of one shape say different things, so that nothing is left.
    fn join(&mut self, other: Self) -> Result<(), String> {
        self.is_repeated |= other.shapes.iter().any(|shape| self.shapes.contains(shape));
        if self.is_repeated {
            self.metrics.clear();
            return Ok(());
        }
        self.shapes.extend(other.shapes);
        self.doubts.extend(other.doubts);
        let (mine, its) = (self.counts, other.counts);
        self.counts = Counts {
            requests: mine.requests.or(its.requests),
            ok: mine.ok.or(its.ok),
            failed: mine.failed.or(its.failed),
            rows: mine.rows.or(its.rows),
            rows_ok: mine.rows_ok.or(its.rows_ok),
        };
        for metric in other.metrics {
            let Some(index) = self.metrics.iter().position(|mine| mine.name == metric.name) else {
                self.metrics.push(metric);
                continue;
            };
            let Some(mine) = self.metrics.get_mut(index) else { continue };
            if let Some((what, one, other)) = mine.difference(&metric) {
                return Err(format!("its {what} of {} is {}, that of the file before it {}", quoted(&metric.name), other, one));
            }
            let (is_of_rows, pair) = (metric.is_of_rows, mine.value.zip(metric.value));
            if mine.value.is_none() || is_of_rows {
                *mine = metric;
            }
            let name = mine.name.clone();
            if let Some((mine, its)) = pair {
                let (summary, of_rows) = if is_of_rows { (mine, its) } else { (its, mine) };
                self.hold_together(&name, summary, of_rows);
            }
        }
        Ok(())
    }

    /// What two sources say of one number has to be one number.
    fn hold_together(&mut self, metric: &str, summary: f64, of_rows: f64) {
        let allowed = SAME * summary.abs().max(of_rows.abs());
        if (summary - of_rows).abs() > allowed {
            self.doubts.push(format!("{}: the summary says {summary}, the rows give {of_rows}", brief(metric)));
        }
    }
}

impl Measured {
    /// What of the definition differs, with both sides.
    pub(crate) fn difference(&self, other: &Self) -> Option<(&'static str, String, String)> {
        let method = |measured: &Self| measured.method.map(Method::name).unwrap_or_default();
        let is_method_known = self.method.is_some() && other.method.is_some();
        [
            ("definition", self.definition.as_str(), other.definition.as_str()),
            ("unit", self.unit.as_str(), other.unit.as_str()),
            ("direction", direction(self.better), direction(other.better)),
            ("percentile method", method(self), method(other)),
        ]
        .into_iter()
        .find(|(what, one, other)| one != other && (*what != "percentile method" || is_method_known))
        .map(|(what, one, other)| (what, quoted(one), quoted(other)))
    }
}

pub(crate) fn direction(better: Better) -> &'static str {
    match better {
        Better::Higher => "higher is better",
        Better::Lower => "lower is better",
    }
}

/// A name below a section and, where there is one, a point.
pub(crate) fn full_name(section: Section, label: &str, name: &str) -> String {
    [section.name(), label, name].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".")
}

/// The fields that are in these parts of a value, each by its name: `seed`, `input_config.endpoint.streaming`.
fn fields(value: &Value<'_>, nodes: &[Node]) -> BTreeMap<String, Recorded> {
    let mut fields = BTreeMap::new();
    for node in nodes {
        let mut open: Vec<(String, &Value<'_>, usize)> =
            node.at.find(value).ok().map(|found| (node.name.clone(), found, 0)).into_iter().collect();
        while let Some((name, value, depth)) = open.pop() {
            match &value.kind {
                Kind::Object(members) if depth < limits::CLAIM_DEPTH && !members.is_empty() => {
                    let members = members.iter().filter(|member| depth > 0 || !node.without.iter().any(|without| *without == member.name));
                    let below = |member: &str| if name.is_empty() { member.to_owned() } else { format!("{name}.{member}") };
                    open.extend(members.map(|member| (below(&member.name), &member.value, depth.saturating_add(1))));
                }
                _ if name.is_empty() => {}
                _ => {
                    fields.entry(name).or_insert_with(|| Recorded::of(value));
                }
            }
        }
    }
    fields
}

/// What the tool says of a metric, and what its rows give.
fn measured(
    metric: &Metric,
    rows: Option<&Rows>,
    table: Option<&Table<'_>>,
    point: &Value<'_>,
) -> Result<(Option<f64>, Option<f64>), String> {
    let unit = metric.unit_at.as_ref().and_then(|at| at.find(point).ok()).and_then(Value::string);
    if let Some(unit) = unit.filter(|unit| *unit != metric.unit) {
        return Err(format!("its {} is in {}; wanted {}", quoted(&metric.name), quoted(unit), quoted(&metric.unit)));
    }
    let summary = metric.at.as_ref().and_then(|at| at.find(point).ok()).and_then(finite);
    let column = metric.column.as_deref().and_then(|column| table.and_then(|table| table.columns.get(column)));
    let of_rows = column.and_then(Option::as_ref).zip(metric.statistic).zip(rows);
    Ok((summary, of_rows.and_then(|((column, statistic), rows)| statistic.of(column, rows.method)).filter(|value| value.is_finite())))
}

/// A number as such; a text such as "inf" is none.
fn finite(value: &Value<'_>) -> Option<f64> {
    matches!(value.kind, Kind::Number(_)).then(|| value.double()).flatten().filter(|value| value.is_finite())
}

/// A count, which some tools write as 66.0.
fn whole_number(value: &Value<'_>) -> Option<u64> {
    let Kind::Number(token) = value.kind else { return None };
    let token = token.split_once('.').filter(|(_, fraction)| fraction.bytes().all(|digit| digit == b'0')).map_or(token, |(whole, _)| whole);
    is_integer(token).then(|| token.parse().ok()).flatten()
}

/// The rows of a point, in columns.
struct Table<'r> {
    total: u64,
    ok: u64,
    /// Values of the rows whose request succeeded; `None` where one of them lacks the value.
    columns: BTreeMap<&'r str, Option<Vec<f64>>>,
}

impl<'r> Table<'r> {
    /// `None` where there are no rows.
    fn read(rows: &'r Rows, point: &Value<'_>) -> Result<Option<Self>, String> {
        let items = match &rows.at {
            Some(at) => match at.find(point).map(|found| &found.kind) {
                Err(_) => return Ok(None),
                Ok(Kind::Array(items)) => Some(items),
                Ok(_) => return Err(format!("{} is no list of rows", quoted(at.written()))),
            },
            None => None,
        };
        let conditions = rows.ok.iter().chain(&rows.keep).map(|condition| &condition.at);
        let lists: BTreeMap<&str, &[Value<'_>]> = match items {
            Some(_) => BTreeMap::new(),
            None => rows.columns.iter().map(|column| &column.at).chain(conditions).filter_map(|at| list(at, point)).collect(),
        };
        let mut lengths = items.map(Vec::len).into_iter().chain(lists.values().map(|list| list.len()));
        let Some(length) = lengths.next() else { return Ok(None) };
        if lengths.any(|other| other != length) {
            return Err("its lists of rows have different lengths".to_owned());
        }
        let mut table =
            Self { total: 0, ok: 0, columns: rows.columns.iter().map(|column| (column.name.as_str(), Some(Vec::new()))).collect() };
        for index in 0..length {
            let look = |at: &Selector| match items {
                Some(items) => items.get(index).and_then(|row| at.find(row).ok()),
                None => lists.get(at.written()).and_then(|list| list.get(index)),
            };
            if !rows.keep.iter().all(|condition| condition.holds(look)) {
                continue;
            }
            table.total = table.total.saturating_add(1);
            if !rows.ok.iter().all(|condition| condition.holds(look)) {
                continue;
            }
            table.ok = table.ok.saturating_add(1);
            for column in &rows.columns {
                let Some(values) = table.columns.get_mut(column.name.as_str()) else { continue };
                match (cell(column, look), column.may_lack) {
                    (Some(value), _) => values.iter_mut().for_each(|values| values.push(value)),
                    (None, true) => {}
                    (None, false) => *values = None,
                }
            }
        }
        Ok(Some(table))
    }
}

/// A list that holds a value of each row, under the place where it is.
fn list<'s, 'v, 'd>(at: &'s Selector, point: &'v Value<'d>) -> Option<(&'s str, &'v [Value<'d>])> {
    match at.find(point).map(|found| &found.kind) {
        Ok(Kind::Array(items)) => Some((at.written(), items)),
        _ => None,
    }
}

fn cell<'v, 'd: 'v>(column: &Column, look: impl Fn(&Selector) -> Option<&'v Value<'d>>) -> Option<f64> {
    let value = finite(look(&column.at)?)? * column.times.unwrap_or(1.0);
    let value = match &column.per {
        Some(per) => value / finite(look(per)?)?,
        None => value,
    };
    value.is_finite().then_some(value)
}

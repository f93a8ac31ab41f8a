//! The noise floor: how far apart two arms of one and the same configuration come out. It holds for the points and under the conditions
//! that it was measured at, and nowhere else, and it is never rounded down.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::Method;
use super::arm::direction;
use super::compare::{Compared, Exit, InputFile, ONE_MEASUREMENT, Question, Row, Sides, compare, is_one_measurement};
use super::data::{self, DataError};
use super::profile::{FieldCheck, FieldResult, ProfileCheck, is_candidate};
use super::recorded::Recorded;
use super::shape::{Better, Section};
use crate::text::{escape, escape_json, is_hex, quoted, safe};

/// A floor, as it is written to a file and read again.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Floor {
    format: Format,
    /// How many pairs of arms it is measured with. One pair is one difference a point: it can be exceeded by chance.
    pub pairs: usize,
    /// The name of the profile by which the arms were found to be alike.
    pub profile: String,
    /// The SHA-256 of that profile.
    pub profile_sha256: String,
    /// The raw files, pair by pair: name and SHA-256 of each.
    pub inputs: Vec<FloorPair>,
    /// What was measured, where the arms record it. Noise is that of a window and not of a candidate, so that this is no condition.
    candidate: BTreeMap<String, Recorded>,
    /// How it was measured: fields of each section and of each point that the arms had in common, as JSON.
    conditions: Conditions,
    /// The floor of each metric at each point.
    pub metrics: Vec<FloorMetric>,
}

/// Fields that are equal, by the section or the point that they are of.
type Conditions = BTreeMap<String, BTreeMap<String, Recorded>>;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Format {
    #[serde(rename = "receipt-floor/1")]
    One,
}

/// The raw files of one pair.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FloorPair {
    /// Of arm A.
    #[serde(rename = "A")]
    pub a: Vec<FloorInput>,
    /// Of arm B.
    #[serde(rename = "B")]
    pub b: Vec<FloorInput>,
}

/// A raw file that a floor was measured with.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FloorInput {
    /// Its name.
    pub path: String,
    /// Its SHA-256.
    pub sha256: String,
}

/// The floor of one metric at one point.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FloorMetric {
    /// The full name.
    pub metric: String,
    /// The point.
    pub point: String,
    /// The unit.
    pub unit: String,
    /// Which direction is an improvement.
    pub better: Better,
    /// What is measured.
    pub definition: String,
    /// How percentiles are taken.
    pub method: Option<String>,
    /// The largest difference of any pair, in percent, without its sign and not rounded.
    pub floor_pct: f64,
    /// How many pairs have the metric.
    pub pairs: usize,
    /// The rows of each arm at this point, pair by pair, where there are any.
    pub rows: Vec<Option<u64>>,
}

/// How a difference is to be read by a floor.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Reading {
    /// Whether the difference is more than noise.
    pub reading: ReadingResult,
    /// The floor, where it applies.
    pub floor_pct: Option<f64>,
    /// How many pairs it was measured with.
    pub pairs: Option<usize>,
    /// Why it does not apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Whether a difference is more than noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReadingResult {
    /// It may be noise: the arms are to be called equal.
    WithinFloor,
    /// It is larger than the noise that was measured.
    AboveFloor,
    /// No noise was measured there, or not under these conditions.
    FloorNotApplicable,
}

/// The answer of [`floor()`]: a floor, or why there is none. Texts of a floor that was read from a file are not escaped.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Floored {
    /// `receipt-floored/1`.
    pub schema: &'static str,
    /// The outcome.
    pub exit: Exit,
    /// Why there is no floor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The floor.
    pub floor: Option<Floor>,
    /// The pair that was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<Compared>,
}

/// Measures a floor with pairs of arms of one configuration, all of them asked the same question.
#[must_use]
pub fn floor(pairs: &[Question<'_>]) -> Floored {
    let mut floored = Floored { schema: "receipt-floored/1", exit: Exit::OK, why: None, floor: None, refused: None };
    let refused = |mut floored: Floored, exit, why| {
        floored.exit = exit;
        floored.why = Some(why);
        floored.floor = None;
        floored
    };
    if pairs.is_empty() {
        return refused(floored, Exit::USAGE, "no pair of arms is given".to_owned());
    }
    let mut measured = BTreeSet::new();
    for (index, pair) in pairs.iter().enumerate() {
        let compared = compare(&Question { same_candidate: true, ..pair.clone() });
        let number = index.saturating_add(1);
        if let Some(why) = compared.why.clone() {
            let exit = compared.exit;
            floored.refused = Some(compared);
            return refused(floored, exit, format!("pair {number}: {why}"));
        }
        let inputs = compared.inputs.a.iter().chain(&compared.inputs.b);
        if inputs.filter_map(|file| file.sha256.clone()).any(|digest| !measured.insert(digest)) {
            return refused(floored, Exit::USAGE, format!("pair {number} holds a file again, which is no other measurement"));
        }
        if compared.points.iter().any(|point| point.a.failures > Some(0) || point.b.failures > Some(0)) {
            let why = format!("pair {number}: requests failed, so that the arms differ by more than noise");
            return refused(floored, Exit::PROFILE_UNVERIFIABLE, why);
        }
        if let Some((metric, why)) = compared.metrics.iter().find_map(|row| Some((&row.metric, row.why?))) {
            return refused(floored, Exit::PROFILE_UNVERIFIABLE, format!("pair {number}: {metric}: {why}"));
        }
        if is_one_measurement(&compared.metrics) {
            return refused(floored, Exit::PROFILE_UNVERIFIABLE, format!("pair {number}: {ONE_MEASUREMENT}"));
        }
        let more = Floor::of(&compared);
        let joined = match floored.floor.take() {
            None => Ok(more),
            Some(floor) => floor.joined_with(more),
        };
        match joined {
            Ok(joined) => floored.floor = Some(joined),
            Err(what) => {
                return refused(floored, Exit::PROFILE_MISMATCH, format!("pair {number} was measured under other conditions: {what}"));
            }
        }
    }
    floored
}

impl Floored {
    /// The answer where nothing could be asked: a refusal for a wrong call.
    #[must_use]
    pub fn unasked(why: &str) -> Self {
        Self { schema: "receipt-floored/1", exit: Exit::USAGE, why: Some(escape(why)), floor: None, refused: None }
    }

    /// The answer as JSON that is harmless wherever it is shown: the file of the floor, where there is one.
    #[must_use]
    pub fn to_json_pretty(&self) -> String {
        let json = match &self.floor {
            Some(floor) => serde_json::to_string_pretty(floor),
            None => serde_json::to_string_pretty(self),
        };
        escape_json(&json.unwrap_or_default())
    }
}

impl Floor {
    /// Reads a floor in JSON.
    ///
    /// # Errors
    /// Where it is malformed.
    pub fn read(bytes: &[u8]) -> Result<Self, DataError> {
        let floor: Self = data::read(bytes)?;
        match floor.fault() {
            Some(fault) => Err(DataError(safe(fault))),
            None => Ok(floor),
        }
    }

    /// Whether runs of both arms are among those that it was taken of: by such a floor they are within it, whatever they are.
    pub(crate) fn is_of(&self, arms: &Sides<Vec<InputFile>>) -> bool {
        let files = self.inputs.iter().flat_map(|pair| pair.a.iter().chain(&pair.b));
        let known: BTreeSet<&str> = files.map(|file| file.sha256.as_str()).collect();
        let is_known = |file: &InputFile| file.sha256.as_deref().is_some_and(|digest| known.contains(digest));
        [&arms.a, &arms.b].iter().all(|arm| arm.iter().any(is_known))
    }

    /// What no measured floor says, and where.
    fn fault(&self) -> Option<String> {
        let mut once = BTreeSet::new();
        let mut digests = self.inputs.iter().flat_map(|pair| pair.a.iter().chain(&pair.b)).map(|file| file.sha256.as_str());
        let groups = self.conditions.iter().flat_map(|(of, fields)| fields.iter().map(move |(name, value)| (of.as_str(), name, value)));
        let recorded = groups.chain(self.candidate.iter().map(|(name, value)| ("candidate", name, value)));
        let is_odd = |of: &str, name: &str, value: &Recorded| {
            let is_of = if of == "candidate" { is_candidate(name) } else { is_place(of) && name.strip_prefix(of).is_some_and(is_below) };
            !is_of || Recorded::read(value.json()).is_none_or(|read| read != *value)
        };
        if self.pairs == 0 || self.pairs != self.inputs.len() {
            return Some(format!("pairs is {}, and the files of {} pairs are named", self.pairs, self.inputs.len()));
        }
        if let Some(pair) = self.inputs.iter().position(|pair| pair.a.is_empty() || pair.b.is_empty()) {
            return Some(format!("inputs/{pair} lacks the files of an arm"));
        }
        if let Some(digest) = digests.find(|digest| !is_hex(digest, 64) || !once.insert(*digest)) {
            return Some(format!("inputs: {} is no SHA-256, or that of a file which is there already", quoted(digest)));
        }
        if !is_hex(&self.profile_sha256, 64) {
            return Some(format!("profile_sha256: {} is no SHA-256", quoted(&self.profile_sha256)));
        }
        if let Some((of, name, _)) = recorded.into_iter().find(|(of, name, value)| is_odd(of, name, value)) {
            return Some(format!("{} of {} is no field as a floor records it", quoted(name), quoted(of)));
        }
        if self.metrics.is_empty() {
            return Some("it has no metrics".to_owned());
        }
        let mut names = BTreeSet::new();
        self.metrics.iter().find_map(|metric| {
            let name = &metric.metric;
            let fault = match metric {
                _ if !names.insert(name) => "stands twice".to_owned(),
                _ if !is_place(&metric.point) => format!("is of {}, which is no point", quoted(&metric.point)),
                _ if !name.strip_prefix(&metric.point).is_some_and(is_below) => format!("is no metric of {}", quoted(&metric.point)),
                _ if !(metric.floor_pct.is_finite() && metric.floor_pct >= 0.0) => "has a floor that is no distance".to_owned(),
                _ if metric.pairs == 0 || metric.pairs > self.pairs => format!("is of {} of {} pairs", metric.pairs, self.pairs),
                _ if metric.rows.len() != metric.pairs.saturating_mul(2) => "has not the rows of two arms a pair".to_owned(),
                _ => match &metric.method {
                    Some(method) if Method::ALL.iter().all(|known| known.name() != method) => {
                        format!("has the percentile method {}, which is not known", quoted(method))
                    }
                    _ => return None,
                },
            };
            Some(format!("metrics: {} {fault}", quoted(name)))
        })
    }

    /// What a comparison that was not refused says of noise.
    fn of(compared: &Compared) -> Self {
        let check = compared.profile_verified.as_ref();
        let inputs = |files: &[InputFile]| {
            let file = |file: &InputFile| Some(FloorInput { path: file.path.clone(), sha256: file.sha256.clone()? });
            files.iter().filter_map(file).collect()
        };
        let rows: BTreeMap<&str, [Option<u64>; 2]> =
            compared.points.iter().map(|counts| (counts.point.as_str(), [counts.a.rows_ok, counts.b.rows_ok])).collect();
        let metric = |row: &Row| {
            Some(FloorMetric {
                metric: row.metric.clone(),
                point: row.point.clone(),
                unit: row.unit.clone(),
                better: row.better,
                definition: row.definition.clone(),
                method: row.method.map(str::to_owned),
                floor_pct: row.delta_pct?.abs(),
                pairs: 1,
                rows: rows.get(row.point.as_str()).map(|rows| rows.to_vec()).unwrap_or_default(),
            })
        };
        Self {
            format: Format::One,
            pairs: 1,
            profile: check.map(|check| check.profile.clone()).unwrap_or_default(),
            profile_sha256: check.map(|check| check.profile_sha256.clone()).unwrap_or_default(),
            inputs: vec![FloorPair { a: inputs(&compared.inputs.a), b: inputs(&compared.inputs.b) }],
            candidate: check.map(candidate).unwrap_or_default(),
            conditions: check.map(conditions).unwrap_or_default(),
            metrics: compared.metrics.iter().filter_map(metric).collect(),
        }
    }

    /// The floor of both, unless they were measured under different conditions.
    fn joined_with(mut self, other: Self) -> Result<Self, String> {
        let groups: Vec<&String> = self.conditions.keys().chain(other.conditions.keys()).collect();
        if let Some(difference) = difference(&self.candidate, &other.candidate) {
            return Err(difference);
        }
        if let Some(difference) = groups.into_iter().find_map(|of| difference(self.conditions.get(of)?, other.conditions.get(of)?)) {
            return Err(difference);
        }
        for (of, fields) in other.conditions {
            self.conditions.entry(of).or_insert(fields);
        }
        self.pairs = self.pairs.saturating_add(other.pairs);
        self.inputs.extend(other.inputs);
        let mut places: BTreeMap<String, usize> =
            self.metrics.iter().enumerate().map(|(place, metric)| (metric.metric.clone(), place)).collect();
        for metric in other.metrics {
            let place = *places.entry(metric.metric.clone()).or_insert(self.metrics.len());
            match self.metrics.get_mut(place) {
                None => self.metrics.push(metric),
                Some(mine) => {
                    mine.floor_pct = mine.floor_pct.max(metric.floor_pct);
                    mine.pairs = mine.pairs.saturating_add(metric.pairs);
                    mine.rows.extend(metric.rows);
                }
            }
        }
        Ok(self)
    }
}

/// Whether it is the name of a half of an arm, or of a point of one.
fn is_place(name: &str) -> bool {
    [Section::Single, Section::Sweep]
        .iter()
        .any(|section| name.strip_prefix(section.name()).is_some_and(|rest| rest.is_empty() || is_below(rest)))
}

/// Whether what follows a name is that of something below it.
fn is_below(rest: &str) -> bool {
    rest.strip_prefix('.').is_some_and(|name| !name.is_empty())
}

/// A floor that is held against the rows of one comparison.
pub(crate) struct Reader<'f> {
    metrics: BTreeMap<&'f str, &'f FloorMetric>,
    points: BTreeSet<&'f str>,
    /// The digests of both profiles, where they differ.
    profiles: Option<[&'f str; 2]>,
    there: &'f Conditions,
    here: Conditions,
}

impl<'f> Reader<'f> {
    pub(crate) fn new(floor: &'f Floor, check: &'f ProfileCheck) -> Self {
        Self {
            metrics: floor.metrics.iter().map(|metric| (metric.metric.as_str(), metric)).collect(),
            points: floor.metrics.iter().map(|metric| metric.point.as_str()).collect(),
            profiles: Some([floor.profile_sha256.as_str(), check.profile_sha256.as_str()]).filter(|[there, here]| there != here),
            there: &floor.conditions,
            here: conditions(check),
        }
    }

    /// How the difference in `row` is to be read; `None` where there is none.
    pub(crate) fn reading(&self, row: &Row) -> Option<Reading> {
        let delta = row.delta_pct?;
        Some(match self.applicable(row) {
            Err(why) => Reading { reading: ReadingResult::FloorNotApplicable, floor_pct: None, pairs: None, why: Some(safe(why)) },
            Ok(metric) => {
                let is_within = delta.abs() <= metric.floor_pct;
                let reading = if is_within { ReadingResult::WithinFloor } else { ReadingResult::AboveFloor };
                Reading { reading, floor_pct: Some(metric.floor_pct), pairs: Some(metric.pairs), why: None }
            }
        })
    }

    /// The floor of this very metric at this very point, measured under the conditions of the comparison.
    fn applicable(&self, row: &Row) -> Result<&'f FloorMetric, String> {
        if !self.points.contains(row.point.as_str()) {
            return Err(format!("no A/A at {}", row.point));
        }
        if let Some([there, here]) = self.profiles {
            return Err(format!("the profile is {there} there, {here} here"));
        }
        let metric = self.metrics.get(row.metric.as_str()).ok_or_else(|| format!("no A/A of {}", row.metric))?;
        for (what, there, here) in [
            ("definition", metric.definition.as_str(), row.definition.as_str()),
            ("unit", metric.unit.as_str(), row.unit.as_str()),
            ("direction", direction(metric.better), direction(row.better)),
            ("percentile method", metric.method.as_deref().unwrap_or("none"), row.method.unwrap_or("none")),
        ] {
            if there != here {
                return Err(format!("the {what} is {} there, {} here", quoted(there), quoted(here)));
            }
        }
        let section = row.point.split('.').next().unwrap_or_default();
        let none = BTreeMap::new();
        let differing = [section, row.point.as_str()]
            .into_iter()
            .find_map(|of| difference(self.there.get(of).unwrap_or(&none), self.here.get(of).unwrap_or(&none)));
        differing.map_or(Ok(*metric), Err)
    }
}

/// The fields that a comparison found to be alike, but for the candidate, by the section or the point that they are of. Which other
/// points there were is no condition of one.
fn conditions(check: &ProfileCheck) -> Conditions {
    let mut conditions = Conditions::new();
    for (field, value) in alike(check).filter(|(field, _)| !field.is_list && !is_candidate(&field.field)) {
        conditions.entry(field.of.clone()).or_default().insert(field.field.clone(), value);
    }
    conditions
}

fn candidate(check: &ProfileCheck) -> BTreeMap<String, Recorded> {
    alike(check).filter(|(field, _)| is_candidate(&field.field)).map(|(field, value)| (field.field.clone(), value)).collect()
}

fn alike(check: &ProfileCheck) -> impl Iterator<Item = (&FieldCheck, Recorded)> {
    let fields = check.fields.iter().filter(|field| field.result == FieldResult::Identical && field.waived.is_none());
    fields.filter_map(|field| Some((field, Recorded::read(field.a.as_deref()?)?)))
}

/// The first field that is not the same there and here.
fn difference(there: &BTreeMap<String, Recorded>, here: &BTreeMap<String, Recorded>) -> Option<String> {
    there.keys().chain(here.keys()).find_map(|name| {
        let (one, other) = (there.get(name), here.get(name));
        let is_same = one.zip(other).is_some_and(|(one, other)| one.is_same(other));
        let shown = |value: Option<&Recorded>| value.map_or_else(|| "not checked".to_owned(), Recorded::shown);
        (!is_same).then(|| format!("{name} is {} there, {} here", shown(one), shown(other)))
    })
}

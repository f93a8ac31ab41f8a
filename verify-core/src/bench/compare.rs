//! `compare`: two arms of one window, number by number, once it is certain that both were asked the same question.
//!
//! The stages come in order, and the first one that refuses decides: a file that cannot be read, a waiver of nothing, a field that
//! differs, a field of which nobody can say, a baseline of zero, nothing to compare. A refusal still is a whole answer.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::arm::{Arm, Counts, Measured, Point, RawFile};
use super::declared::Declared;
use super::drain::{Drain, DrainCheck};
use super::files::Files;
use super::floor::{Floor, Reader, Reading};
use super::gate::{Gate, GateCheck};
use super::profile::{Profile, ProfileCheck, Waiver};
use super::shape::{Better, Shape};
use crate::text::{brief, escape, escape_json, quoted, safe};

/// What a difference means, for every output.
pub const DELTA_CONVENTION: &str = "positive means arm B is better; throughput (B-A)/|A|, latency (A-B)/|A|, in percent";

/// What is asked about two arms.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Question<'a> {
    /// The bytes of the raw files, and of files with exit codes beside them.
    pub files: &'a Files,
    /// The raw files of the arm that is compared with.
    pub a: Vec<RawFile>,
    /// The raw files of the arm that is compared.
    pub b: Vec<RawFile>,
    /// What raw files may look like. A single shape is the one that they all have.
    pub shapes: Vec<Shape>,
    /// What has to be equal.
    pub profile: Profile,
    /// What is declared of arm A and of arm B.
    pub declared: [Option<Declared>; 2],
    /// What need not be equal.
    pub waivers: Vec<Waiver>,
    /// The noise within one window, to read differences by.
    pub floor: Option<Floor>,
    /// The noise between two windows, to be shown beside it.
    pub between_windows: Option<Floor>,
    /// The record of draining between the arms.
    pub drain: Option<Drain>,
    /// The result of the accuracy gate.
    pub gate: Option<Gate>,
    /// The metric of the headline, by its full name; the first one without it.
    pub headline: Option<String>,
    /// Both arms have to be of one candidate, where either records it.
    pub same_candidate: bool,
}

impl<'a> Question<'a> {
    /// Asks about two arms by the built-in shapes and the built-in profile.
    #[must_use]
    pub fn new(files: &'a Files, a: Vec<RawFile>, b: Vec<RawFile>) -> Self {
        Self {
            files,
            a,
            b,
            shapes: Shape::built_in(),
            profile: Profile::built_in(),
            declared: [None, None],
            waivers: Vec::new(),
            floor: None,
            between_windows: None,
            drain: None,
            gate: None,
            headline: None,
            same_candidate: false,
        }
    }
}

/// The answer, whole also where the comparison is refused. Texts are escaped for showing.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Compared {
    /// `receipt-compare/1`.
    pub schema: &'static str,
    /// The outcome.
    pub exit: Exit,
    /// Why the comparison is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// All that the refusing stage found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<String>,
    /// [`DELTA_CONVENTION`].
    pub delta_convention: &'static str,
    /// The files.
    pub inputs: Sides<Vec<InputFile>>,
    /// What became of the profile, unless an arm is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile_verified: Option<ProfileCheck>,
    /// Requests and rows of each point.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<PointCounts>,
    /// The numbers, unless the comparison is refused.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<Row>,
    /// The drain record, where one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drain: Option<DrainCheck>,
    /// The accuracy gate, where its result was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateCheck>,
    /// The one number, and whether it may be published.
    pub headline: Headline,
}

/// Exit code and name of an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Exit {
    /// The code.
    pub code: u8,
    /// The name.
    pub name: &'static str,
}

impl Exit {
    pub(crate) const OK: Self = Self { code: 0, name: "OK" };
    pub(crate) const USAGE: Self = Self { code: 2, name: "USAGE" };
    pub(crate) const MISSING_ARM: Self = Self { code: 3, name: "MISSING_ARM" };
    pub(crate) const PROFILE_MISMATCH: Self = Self { code: 4, name: "PROFILE_MISMATCH" };
    pub(crate) const ZERO_BASELINE: Self = Self { code: 5, name: "ZERO_BASELINE" };
    pub(crate) const PROFILE_UNVERIFIABLE: Self = Self { code: 6, name: "PROFILE_UNVERIFIABLE" };
}

/// One thing for each arm.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Sides<T> {
    /// Of arm A.
    #[serde(rename = "A")]
    pub a: T,
    /// Of arm B.
    #[serde(rename = "B")]
    pub b: T,
}

/// A raw file.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct InputFile {
    /// Its name.
    pub path: String,
    /// Its SHA-256, unless it cannot be read.
    pub sha256: Option<String>,
    /// The shape that it has.
    pub shape: Option<String>,
}

/// Requests and rows of a point.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PointCounts {
    /// The name of the point.
    pub point: String,
    /// In arm A.
    #[serde(rename = "A")]
    pub a: ArmCounts,
    /// In arm B.
    #[serde(rename = "B")]
    pub b: ArmCounts,
}

/// Requests and rows of a point in one arm, as far as its files say.
#[derive(Clone, Copy, Debug, Serialize)]
#[non_exhaustive]
pub struct ArmCounts {
    /// Requests that were made.
    pub requests: Option<u64>,
    /// Requests that failed.
    pub failures: Option<u64>,
    /// Rows of the measurement.
    pub rows_total: Option<u64>,
    /// Rows of requests that succeeded.
    pub rows_ok: Option<u64>,
}

/// One metric at one point.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Row {
    /// The full name: section, point and metric.
    pub metric: String,
    /// The point.
    pub point: String,
    /// The unit of both values.
    pub unit: String,
    /// Which direction is an improvement.
    pub better: Better,
    /// What is measured.
    pub definition: String,
    /// How its percentiles are taken, where they are taken of rows.
    pub method: Option<&'static str>,
    /// The value in arm A; `absent` in JSON where there is none.
    #[serde(rename = "A", serialize_with = "or_absent")]
    pub a: Option<f64>,
    /// The value in arm B.
    #[serde(rename = "B", serialize_with = "or_absent")]
    pub b: Option<f64>,
    /// The difference in percent of |A|; positive means that B is better.
    pub delta_pct: Option<f64>,
    /// The difference as it is shown.
    pub shown: String,
    /// Why there is no difference, although both values are there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<&'static str>,
    /// How the noise within one window lets the difference be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floor: Option<Reading>,
    /// How the noise between windows does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub between_windows: Option<Reading>,
}

/// The one number of a comparison.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Headline {
    /// Whether it may be published.
    pub publishable: bool,
    /// The metric.
    pub metric: Option<String>,
    /// The value in arm A.
    #[serde(rename = "armA")]
    pub arm_a: Option<f64>,
    /// The value in arm B.
    #[serde(rename = "armB")]
    pub arm_b: Option<f64>,
    /// B by A, of the values as they are.
    pub ratio_b_over_a: Option<f64>,
    /// Why it may not be published.
    pub reasons: Vec<String>,
}

fn or_absent<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => serializer.serialize_f64(*value),
        None => serializer.serialize_str("absent"),
    }
}

/// Why a stage refuses: the outcome and all that it found.
struct Refusal(Exit, String, Vec<String>);

/// Compares two arms. Total: whatever the files hold, there is an answer.
#[must_use]
pub fn compare(question: &Question<'_>) -> Compared {
    let mut compared = Compared::default();
    if let Err(Refusal(exit, why, findings)) = stages(question, &mut compared) {
        compared.headline.reasons.push(format!("refused: {}", exit.name));
        compared.why = Some(why);
        compared.findings = findings;
        compared.exit = exit;
    }
    compared
}

impl Compared {
    /// The answer where nothing could be asked: a refusal for a wrong call.
    #[must_use]
    pub fn unasked(why: &str) -> Self {
        Self { exit: Exit::USAGE, why: Some(escape(why)), ..Self::default() }
    }

    /// The answer as JSON that is harmless wherever it is shown: see [`escape_json`].
    #[must_use]
    pub fn to_json_pretty(&self) -> String {
        escape_json(&serde_json::to_string_pretty(self).unwrap_or_default())
    }
}

impl Default for Compared {
    fn default() -> Self {
        Self {
            schema: "receipt-compare/1",
            exit: Exit::OK,
            why: None,
            findings: Vec::new(),
            delta_convention: DELTA_CONVENTION,
            inputs: Sides::default(),
            profile_verified: None,
            points: Vec::new(),
            metrics: Vec::new(),
            drain: None,
            gate: None,
            headline: Headline::default(),
        }
    }
}

fn stages(question: &Question<'_>, compared: &mut Compared) -> Result<(), Refusal> {
    if question.a.is_empty() && question.b.is_empty() {
        return Err(Refusal(Exit::USAGE, "no arm is given".to_owned(), Vec::new()));
    }
    let (a, b) = arms(question, &mut compared.inputs)?;
    compared.points = counts(&a, &b);
    let check = question.profile.check(&a, &b, &question.waivers, question.same_candidate);
    let check = compared.profile_verified.insert(check);
    verify(check)?;
    let rows = rows(question, &a, &b, check);
    refuse_zero(&rows)?;
    if !rows.iter().any(|row| row.a.is_some() && row.b.is_some()) {
        return Err(Refusal(
            Exit::PROFILE_UNVERIFIABLE,
            "no metric is in both arms, so there is nothing to compare".to_owned(),
            Vec::new(),
        ));
    }
    compared.drain = question.drain.as_ref().map(|drain| drain.check(&a, &b));
    compared.gate = question.gate.as_ref().map(Gate::check);
    compared.headline = headline(question, &rows)?;
    compared.headline.reasons = reasons(question, compared, &rows, &a, &b);
    compared.headline.publishable = compared.headline.reasons.is_empty();
    compared.metrics = rows;
    Ok(())
}

/// Both arms, or every file of them that cannot be read.
fn arms(question: &Question<'_>, inputs: &mut Sides<Vec<InputFile>>) -> Result<(Arm, Arm), Refusal> {
    let mut unreadable = Vec::new();
    let [declared_a, declared_b] = &question.declared;
    let a = arm("A", &question.a, declared_a.as_ref(), question, &mut inputs.a, &mut unreadable);
    let b = arm("B", &question.b, declared_b.as_ref(), question, &mut inputs.b, &mut unreadable);
    match unreadable.first() {
        None => Ok((a, b)),
        Some(first) => Err(Refusal(Exit::MISSING_ARM, first.clone(), unreadable)),
    }
}

fn arm(
    name: &str,
    raw: &[RawFile],
    declared: Option<&Declared>,
    question: &Question<'_>,
    inputs: &mut Vec<InputFile>,
    unreadable: &mut Vec<String>,
) -> Arm {
    let mut arm = Arm::default();
    if raw.is_empty() {
        unreadable.push(format!("arm {name} has no raw file"));
    }
    for file in raw {
        let added = arm.add(file, question.files, &question.shapes, declared);
        let shape = added.as_ref().ok().map(|shape| escape(shape));
        inputs.push(InputFile { path: escape(&file.name), sha256: question.files.sha256(&file.name), shape });
        if let Err(why) = added {
            let exit_code = exit_code(&file.name, question.files).map(|said| format!("; {said}")).unwrap_or_default();
            unreadable.push(format!("arm {name} {} {} cannot be read: {}{exit_code}", file.what(), brief(&file.name), safe(why)));
        }
    }
    if let Some(declared) = declared {
        arm.declare(declared);
    }
    arm
}

/// Where tools leave the exit code of the run that should have written a raw file: the name of the file, or its beginning, and
/// `_exitcode.txt`, from the longest.
#[must_use]
pub fn exit_code_files(raw: &str) -> Vec<String> {
    let folder = raw.rfind(['/', '\\']).map_or(0, |slash| slash.saturating_add(1));
    let (folder, base) = raw.split_at_checked(folder).unwrap_or(("", raw));
    let mut stem = base.rsplit_once('.').map_or(base, |(stem, _)| stem);
    let mut names = Vec::new();
    while names.len() < 8 && !stem.is_empty() {
        names.push(format!("{folder}{stem}_exitcode.txt"));
        stem = stem.rsplit_once('_').map_or("", |(stem, _)| stem);
    }
    names
}

/// The exit code of the run that should have written a raw file, if it was another one than 0.
fn exit_code(raw: &str, files: &Files) -> Option<String> {
    let (name, code) = exit_code_files(raw).into_iter().find_map(|name| {
        let code = std::str::from_utf8(files.get(&name).ok()?).ok()?.trim().parse::<i64>().ok()?;
        Some((name, code))
    })?;
    (code != 0).then(|| format!("{} beside it says that the run ended with {code}", brief(&name)))
}

/// A mismatch stays one whatever else is missing.
fn verify(check: &ProfileCheck) -> Result<(), Refusal> {
    let refused = |exit, names: &[String], what: &str| {
        let why = format!("{} of {} fields {what}: {}", names.len(), check.required, few(names));
        Err(Refusal(exit, why, names.to_vec()))
    };
    match () {
        () if !check.unused_waivers.is_empty() => {
            let why = format!("no field is named {}, so nothing is waived", few(&check.unused_waivers));
            Err(Refusal(Exit::USAGE, why, check.unused_waivers.clone()))
        }
        () if !check.mismatch.is_empty() => refused(Exit::PROFILE_MISMATCH, &check.mismatch, "differ"),
        () if !check.unverifiable.is_empty() => refused(Exit::PROFILE_UNVERIFIABLE, &check.unverifiable, "cannot be checked"),
        () if check.verified => Ok(()),
        () => Err(Refusal(Exit::PROFILE_UNVERIFIABLE, "no field is left to be checked".to_owned(), Vec::new())),
    }
}

/// So many of several names as fit a line.
fn few(names: &[String]) -> String {
    const SHOWN: usize = 6;
    let shown = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(SHOWN) {
        None | Some(0) => shown,
        Some(more) => format!("{shown} and {more} more"),
    }
}

fn rows(question: &Question<'_>, a: &Arm, b: &Arm, check: &ProfileCheck) -> Vec<Row> {
    let mut rows = Vec::new();
    let [floor, between_windows] =
        [&question.floor, &question.between_windows].map(|floor| floor.as_ref().map(|floor| Reader::new(floor, check)));
    let only_in_b = b.points.iter().filter(|point| a.point(&point.name).is_none()).map(|point| (None, Some(point)));
    for (one, other) in a.points.iter().map(|point| (Some(point), b.point(&point.name))).chain(only_in_b) {
        let Some(point) = one.or(other) else { continue };
        let mut names: Vec<&Measured> = one.iter().flat_map(|point| &point.metrics).collect();
        names.extend(
            other.iter().flat_map(|point| &point.metrics).filter(|metric| one.is_none_or(|one| one.metric(&metric.name).is_none())),
        );
        for metric in names {
            let value = |point: Option<&Point>| point.and_then(|point| point.metric(&metric.name)?.value);
            let (a, b) = (value(one), value(other));
            if a.is_none() && b.is_none() {
                continue;
            }
            let delta_pct = a.zip(b).and_then(|(a, b)| delta(metric.better, a, b));
            let mut row = Row {
                metric: escape(&format!("{}.{}", point.name, metric.name)),
                point: escape(&point.name),
                unit: escape(&metric.unit),
                better: metric.better,
                definition: escape(&metric.definition),
                method: metric.method.map(super::Method::name),
                a,
                b,
                delta_pct,
                shown: delta_pct.map_or_else(|| "absent".to_owned(), shown),
                why: (delta_pct.is_none() && a.is_some() && b.is_some()).then_some(BEYOND),
                floor: None,
                between_windows: None,
            };
            row.floor = floor.as_ref().and_then(|floor| floor.reading(&row));
            row.between_windows = between_windows.as_ref().and_then(|floor| floor.reading(&row));
            rows.push(row);
        }
    }
    rows
}

/// Why two numbers have no difference in percent.
const BEYOND: &str = "the difference in percent is beyond a double";

/// The difference in percent; `None` where it is no number.
fn delta(better: Better, a: f64, b: f64) -> Option<f64> {
    let gain = match better {
        Better::Higher => b - a,
        Better::Lower => a - b,
    };
    Some(gain / a.abs() * 100.0).filter(|delta| delta.is_finite())
}

/// As `printf("%+.2f")`, but nothing at all has no sign.
fn shown(delta: f64) -> String {
    if delta == 0.0 { "0.00".to_owned() } else { format!("{delta:+.2}") }
}

/// What is said of two arms without a difference.
pub(crate) const ONE_MEASUREMENT: &str = "no metric differs in its last digit, as if both arms were one measurement";

/// Whether nothing tells the arms apart: no two runs have the same times, a file with other blanks or names has.
pub(crate) fn is_one_measurement(rows: &[Row]) -> bool {
    rows.iter().filter_map(|row| row.a.zip(row.b)).all(|(a, b)| a == b)
}

fn refuse_zero(rows: &[Row]) -> Result<(), Refusal> {
    let zero: Vec<String> = rows.iter().filter(|row| row.a == Some(0.0)).map(|row| row.metric.clone()).collect();
    match zero.is_empty() {
        true => Ok(()),
        false => {
            Err(Refusal(Exit::ZERO_BASELINE, format!("arm A is zero for {}, and nothing can be said in percent of it", few(&zero)), zero))
        }
    }
}

fn headline(question: &Question<'_>, rows: &[Row]) -> Result<Headline, Refusal> {
    let row = match &question.headline {
        None => rows.first(),
        Some(wanted) => rows.iter().find(|row| row.metric == escape(wanted)),
    };
    let Some(row) = row else {
        let wanted = question.headline.as_deref().unwrap_or_default();
        let names: Vec<String> = rows.iter().map(|row| row.metric.clone()).collect();
        return Err(Refusal(Exit::USAGE, format!("no metric is named {}; there are {}", quoted(wanted), few(&names)), Vec::new()));
    };
    let ratio = row.a.zip(row.b).map(|(a, b)| b / a).filter(|ratio| ratio.is_finite());
    Ok(Headline {
        publishable: false,
        metric: Some(row.metric.clone()),
        arm_a: row.a,
        arm_b: row.b,
        ratio_b_over_a: ratio,
        reasons: Vec::new(),
    })
}

/// Why what was compared may not be published.
fn reasons(question: &Question<'_>, compared: &Compared, rows: &[Row], a: &Arm, b: &Arm) -> Vec<String> {
    let mut reasons = Vec::new();
    match (compared.headline.arm_a.zip(compared.headline.arm_b), compared.headline.ratio_b_over_a) {
        (None, _) => reasons.push("the metric of the headline is absent in an arm".to_owned()),
        (Some(_), None) => reasons.push("the ratio of the headline is beyond a double".to_owned()),
        _ => {}
    }
    reasons.extend(rows.iter().filter_map(|row| Some(format!("{}: {}", row.metric, row.why?))));
    let sides = rows.iter().flat_map(|row| [("A", row, row.a), ("B", row, row.b)]);
    // Zero is what tools write where nothing was measured, and less than nothing takes no time.
    let unmeasured = sides.filter_map(|(arm, row, value)| Some((arm, row, value.filter(|value| *value <= 0.0)?)));
    reasons.extend(unmeasured.map(|(arm, row, value)| format!("arm {arm}, {}: {value:?} is not above 0", row.metric)));
    if let Some(check) = &compared.profile_verified {
        let waived = check.fields.iter().filter_map(|field| Some((&field.field, field.waived.as_ref()?)));
        reasons.extend(waived.map(|(field, reason)| format!("waived: {field} ({reason})")));
        if !check.declared.is_empty() {
            reasons.push(format!("declared, not recorded: {}", few(&check.declared)));
        }
    }
    let shared = compared.inputs.a.iter().filter(|file| compared.inputs.b.iter().any(|other| other.sha256 == file.sha256));
    reasons.extend(shared.map(|file| format!("{} is in both arms, byte for byte", file.path)));
    if question.floor.as_ref().is_some_and(|floor| floor.is_of(&compared.inputs)) {
        reasons.push("the floor was taken of runs of both arms, which are within it by construction".to_owned());
    }
    if is_one_measurement(rows) {
        reasons.push(ONE_MEASUREMENT.to_owned());
    }
    for (name, arm) in [("A", a), ("B", b)] {
        for point in &arm.points {
            let fault = point.counts.fault();
            reasons.extend(
                fault.into_iter().chain(point.doubts.iter().cloned()).map(|why| format!("arm {name}, {}: {why}", escape(&point.name))),
            );
        }
    }
    let unequal = compared.points.iter().filter(|point| matches!((point.a.rows_ok, point.b.rows_ok), (Some(a), Some(b)) if a != b));
    reasons.extend(unequal.map(|point| format!("{}: the arms have unequal numbers of rows", point.point)));
    reasons.extend(compared.drain.iter().flat_map(|drain| &drain.reasons).cloned());
    reasons.extend(compared.gate.iter().flat_map(|gate| &gate.reasons).cloned());
    reasons
}

fn counts(a: &Arm, b: &Arm) -> Vec<PointCounts> {
    let mut points: BTreeMap<&str, ()> = BTreeMap::new();
    let all = a.points.iter().chain(&b.points).map(|point| point.name.as_str());
    let of = |arm: &Arm, name: &str| {
        let counts = arm.point(name).map(|point| point.counts).unwrap_or_default();
        ArmCounts { requests: counts.requests, failures: counts.failures(), rows_total: counts.rows, rows_ok: counts.rows_ok }
    };
    all.filter(|name| points.insert(name, ()).is_none())
        .map(|name| PointCounts { point: escape(name), a: of(a, name), b: of(b, name) })
        .collect()
}

impl Counts {
    /// How many requests failed, by whatever tells the most of them.
    fn failures(&self) -> Option<u64> {
        let by_rows = self.rows.zip(self.rows_ok).map(|(rows, ok)| rows.saturating_sub(ok));
        let by_requests = self.requests.zip(self.ok.or(self.rows_ok)).map(|(requests, ok)| requests.saturating_sub(ok));
        [self.failed, by_rows, by_requests].into_iter().flatten().max()
    }

    /// Why these counts forbid publication.
    fn fault(&self) -> Option<String> {
        let told = |count: Option<u64>| count.map_or_else(|| "an unknown number of".to_owned(), |count| count.to_string());
        let sum = self.ok.zip(self.failed).map(|(ok, failed)| ok.saturating_add(failed));
        match (self.failures(), self.requests, sum) {
            (None, ..) => Some("whether requests failed is not recorded".to_owned()),
            (Some(failures @ 1..), requests, _) => Some(format!("{failures} of {} requests failed", told(requests.or(sum).or(self.rows)))),
            (_, Some(requests), Some(sum)) if sum != requests => {
                Some(format!("{} that succeeded and {} that failed are not {requests} requests", told(self.ok), told(self.failed)))
            }
            (_, Some(requests), _) if self.ok.is_some_and(|ok| ok > requests) => {
                Some(format!("{} of {requests} requests succeeded", told(self.ok)))
            }
            _ if self.ok.zip(self.rows_ok).is_some_and(|(ok, rows_ok)| ok != rows_ok) => {
                Some(format!("there are {} good rows of {} requests that succeeded", told(self.rows_ok), told(self.ok)))
            }
            (_, None, Some(sum)) if self.rows.is_some_and(|rows| rows != sum) => {
                Some(format!("there are {} rows of {sum} requests", told(self.rows)))
            }
            (_, Some(requests), _) if self.rows.is_some_and(|rows| rows != requests) => {
                Some(format!("there are {} rows of {requests} requests", told(self.rows)))
            }
            _ => None,
        }
    }
}

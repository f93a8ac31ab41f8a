//! Shapes of raw files, as data: where a tool writes the profile, the points, the metrics and the rows, in which units and with which
//! percentile method, and how it writes down failures. A file of a tool that is not known needs a shape of its own and no code.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::Method;
use super::data::{self, DataError};
use super::recorded::says_something;
use super::select::Selector;
use super::statistic::mean;
use crate::compare::is_same;
use crate::json::{Value, read};

/// The shapes that are built in.
const BUILT_IN: [&str; 7] = [
    include_str!("../../shapes/native-single.json"),
    include_str!("../../shapes/native-sweep.json"),
    include_str!("../../shapes/vllm-latency.json"),
    include_str!("../../shapes/vllm-serve.json"),
    include_str!("../../shapes/aiperf.json"),
    include_str!("../../shapes/aiperf-rows.json"),
    include_str!("../../shapes/hyperfine.json"),
];

/// How one tool writes its raw files.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    #[expect(dead_code, reason = "that it can be read says that the format is known")]
    format: Format,
    pub(crate) name: String,
    #[expect(dead_code, reason = "for those who read the file")]
    #[serde(default)]
    about: String,
    pub(crate) section: Section,
    #[serde(default)]
    pub(crate) document: Layout,
    /// What a file of this shape fulfils, and no other.
    fits: Vec<Condition>,
    /// What of the file says how the measurement was made.
    #[serde(default)]
    pub(crate) fields: Vec<Node>,
    #[serde(default)]
    pub(crate) points: Points,
    pub(crate) metrics: Vec<Metric>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
enum Format {
    #[serde(rename = "receipt-shape/1")]
    One,
}

/// The halves of an arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Section {
    /// One stream of requests, one after the other.
    Single,
    /// Several points, such as one for each concurrency.
    Sweep,
}

impl Section {
    /// The name, as it begins the names of fields and metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Sweep => "sweep",
        }
    }
}

/// One JSON document, or one a line, which together are a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Layout {
    #[default]
    Json,
    Lines,
}

/// What holds of the value at a place: that it is this scalar, whether there is one, or whether it says anything.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Condition {
    pub(crate) at: Selector,
    is: Option<serde_json::Value>,
    exists: Option<bool>,
    /// Null, empty values and what stands for "not recorded" say nothing.
    says: Option<bool>,
}

impl Condition {
    pub(crate) fn holds<'v, 'd: 'v>(&self, look: impl Fn(&Selector) -> Option<&'v Value<'d>>) -> bool {
        let found = look(&self.at);
        let is = |wanted: &serde_json::Value| {
            found.is_some_and(|found| read(wanted.to_string().as_bytes()).is_ok_and(|wanted| is_same(found, &wanted)))
        };
        self.is.as_ref().is_none_or(is)
            && self.exists.is_none_or(|exists| exists == found.is_some())
            && self.says.is_none_or(|says| says == found.is_some_and(says_something))
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.at.written();
        match (&self.is, self.exists.or(self.says)) {
            (Some(wanted), _) => write!(formatter, "{at} is {wanted}"),
            (None, Some(false)) => write!(formatter, "nothing is at {at}"),
            (None, _) => write!(formatter, "something is at {at}"),
        }
    }
}

/// A part of a file whose values are fields of the profile: a scalar or a list by itself, an object with what is in it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Node {
    pub(crate) at: Selector,
    /// What the names of the fields begin with; of a single value, its name.
    #[serde(rename = "as", default)]
    pub(crate) name: String,
    /// Names below it that are no fields.
    #[serde(default)]
    pub(crate) without: Vec<String>,
}

/// Where the points are. Without `at` the document is one point.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Points {
    pub(crate) at: Option<Selector>,
    /// What is no point of the measurement, such as a cell that was skipped, does not fulfil this.
    #[serde(default)]
    pub(crate) keep: Vec<Condition>,
    #[serde(default)]
    pub(crate) key: Vec<KeyPart>,
    #[serde(default)]
    pub(crate) fields: Vec<Node>,
    #[serde(default)]
    pub(crate) counts: Counts,
    pub(crate) rows: Option<Rows>,
}

/// A part of a point's name: a letter or word, and the value of one of its fields; without one, the number of the point in its list.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyPart {
    #[serde(default)]
    pub(crate) prefix: String,
    pub(crate) field: Option<String>,
    /// A field of the file that lists the values, so that a point which is not there is missed.
    pub(crate) listed_in: Option<String>,
}

/// Where a point says how many requests there were.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Counts {
    pub(crate) requests: Option<Selector>,
    pub(crate) ok: Option<Selector>,
    pub(crate) failed: Option<Selector>,
}

/// One row a request: items of a list, or, without `at`, lists of equal length side by side.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rows {
    pub(crate) at: Option<Selector>,
    /// What is no row of the measurement, such as a warm-up, does not fulfil this.
    #[serde(default)]
    pub(crate) keep: Vec<Condition>,
    /// What a row of a request that succeeded fulfils.
    #[serde(default)]
    pub(crate) ok: Vec<Condition>,
    /// How the tool takes percentiles.
    pub(crate) method: Method,
    pub(crate) columns: Vec<Column>,
}

/// A value of each row: `times` the value at a place, divided by that at another one.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) at: Selector,
    pub(crate) per: Option<Selector>,
    pub(crate) times: Option<f64>,
    /// Whether a row may lack the value; otherwise there is no statistic of the column then.
    #[serde(default)]
    pub(crate) may_lack: bool,
}

/// A number to be compared: a statistic of a column of the rows, or, where there are none, what the tool says at a place.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Metric {
    pub(crate) name: String,
    pub(crate) unit: String,
    /// Where the file names the unit itself.
    pub(crate) unit_at: Option<Selector>,
    pub(crate) better: Better,
    /// What is measured, from where to where. Two numbers of different definitions are not compared.
    pub(crate) definition: String,
    pub(crate) at: Option<Selector>,
    pub(crate) column: Option<String>,
    pub(crate) statistic: Option<Statistic>,
}

/// Which direction is an improvement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// As for throughput.
    Higher,
    /// As for latency.
    Lower,
}

/// A statistic of rows.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) enum Statistic {
    Mean,
    Percentile(f64),
}

impl Statistic {
    pub(crate) fn of(self, rows: &[f64], method: Method) -> Option<f64> {
        match self {
            Self::Mean => mean(rows),
            Self::Percentile(p) => method.percentile(rows, p),
        }
    }
}

impl TryFrom<String> for Statistic {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let percentile = || text.strip_prefix('p')?.parse::<f64>().ok().filter(|p| (0.0..=100.0).contains(p));
        match text.as_str() {
            "mean" => Ok(Self::Mean),
            _ => percentile().map(Self::Percentile).ok_or_else(|| format!("{text:?} is no statistic: wanted mean, or p50 and the like")),
        }
    }
}

impl Shape {
    /// The shapes that are built in.
    #[must_use]
    pub fn built_in() -> Vec<Self> {
        BUILT_IN.iter().filter_map(|shape| Self::read(shape.as_bytes()).ok()).collect()
    }

    /// Reads a shape in JSON.
    ///
    /// # Errors
    /// Where it is malformed, names something unknown, or says of a metric neither where it is nor of which column.
    pub fn read(bytes: &[u8]) -> Result<Self, DataError> {
        let shape: Self = data::read(bytes)?;
        match shape.fault() {
            None => Ok(shape),
            Some(fault) => Err(DataError(crate::text::escape(&fault))),
        }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The first condition that a document of this shape would fulfil and this one does not.
    pub(crate) fn misfit<'d>(&self, document: &Value<'d>) -> Option<&Condition> {
        self.fits.iter().find(|condition| !condition.holds(|at| at.find(document).ok()))
    }

    fn fault(&self) -> Option<String> {
        let rows = self.points.rows.as_ref();
        let conditions =
            self.fits.iter().chain(&self.points.keep).chain(rows.into_iter().flat_map(|rows| rows.keep.iter().chain(&rows.ok)));
        if self.name.is_empty() || self.fits.is_empty() || self.metrics.is_empty() {
            return Some("a shape has a name, a condition by which it is recognised, and a metric".to_owned());
        }
        let asked = |condition: &&Condition| {
            [condition.is.is_some(), condition.exists.is_some(), condition.says.is_some()].into_iter().filter(|is| *is).count()
        };
        if let Some(condition) = conditions.into_iter().find(|condition| asked(condition) != 1) {
            return Some(format!("the condition at {:?} has one of is, exists and says", condition.at.written()));
        }
        let mut columns = rows.iter().flat_map(|rows| &rows.columns).map(|column| column.name.as_str());
        let names: BTreeSet<&str> = columns.clone().collect();
        if names.len() < columns.clone().count() || columns.any(str::is_empty) {
            return Some("every column has a name of its own".to_owned());
        }
        let mut metrics = BTreeSet::new();
        self.metrics.iter().find_map(|metric| {
            let name = &metric.name;
            let is_of_rows = metric.column.is_some();
            if name.is_empty() || !metrics.insert(name) {
                Some(format!("the metric {name:?} has no name of its own"))
            } else if is_of_rows != metric.statistic.is_some() || !(is_of_rows || metric.at.is_some()) {
                Some(format!("the metric {name:?} has a place (at), or a column and a statistic of it, or all three"))
            } else {
                let unknown = metric.column.as_deref().filter(|column| !names.contains(column))?;
                Some(format!("the metric {name:?} is of the column {unknown:?}, which the rows do not have"))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_that_is_built_in_can_be_read() {
        for shape in BUILT_IN {
            if let Err(error) = Shape::read(shape.as_bytes()) {
                panic!("{shape}: {error}");
            }
        }
        assert_eq!(Shape::built_in().len(), BUILT_IN.len());
    }

    fn refused(shape: serde_json::Value) -> String {
        Shape::read(shape.to_string().as_bytes()).unwrap_err().0
    }

    #[test]
    fn a_shape_says_nothing_that_is_not_understood() {
        let shape = serde_json::json!({
            "format": "receipt-shape/1", "name": "s", "section": "single", "fits": [{"at": "/x", "exists": true}],
            "metrics": [{"name": "m", "unit": "s", "better": "lower", "definition": "d", "at": "/m"}],
        });
        Shape::read(shape.to_string().as_bytes()).unwrap();
        let edits: [(&str, serde_json::Value, &str); 10] = [
            ("/format", serde_json::json!("receipt-shape/2"), "receipt-shape/2"),
            ("/section", serde_json::json!("both"), "both"),
            ("/fits/0/at", serde_json::json!("x"), "no selector"),
            ("/fits/0", serde_json::json!({"at": "/x"}), "one of is, exists and says"),
            ("/fits", serde_json::json!([]), "recognised"),
            ("/metrics", serde_json::json!([]), "a metric"),
            ("/metrics/0/name", serde_json::json!(""), "no name of its own"),
            ("/metrics/0/at", serde_json::json!(null), "has a place"),
            ("/metrics/0/better", serde_json::json!("bigger"), "bigger"),
            ("/name", serde_json::json!(""), "has a name"),
        ];
        for (pointer, value, wanted) in edits {
            let mut edited = shape.clone();
            *edited.pointer_mut(pointer).unwrap() = value;
            assert!(refused(edited.clone()).contains(wanted), "{}: {}", pointer, refused(edited));
        }
        for (pointer, name, value, wanted) in [
            ("", "surprise", serde_json::json!(1), "unknown field"),
            ("/metrics/0", "column", serde_json::json!("c"), "has a place"),
            ("/metrics/0", "statistic", serde_json::json!("p101"), "no statistic"),
        ] {
            let mut edited = shape.clone();
            edited.pointer_mut(pointer).unwrap()[name] = value;
            assert!(refused(edited.clone()).contains(wanted), "{}", refused(edited));
        }
        let mut edited = shape.clone();
        edited["metrics"][0]["column"] = "c".into();
        edited["metrics"][0]["statistic"] = "p50".into();
        assert!(refused(edited).contains("which the rows do not have"));
        assert!(Shape::read(br#"{"name":"a","name":"b"}"#).unwrap_err().0.contains("name"));
    }
}

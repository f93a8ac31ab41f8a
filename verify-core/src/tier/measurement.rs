//! What a run measured, as figures and as the record that a producer writes of it.

use serde::Serialize;

use super::figures;
use crate::json::{self, JsonErrorKind, Kind, Value, child};
use crate::limits;
use crate::text::escape;

/// The figures of one run. A figure that is `None` was not recorded.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Measurement {
    /// The measured speed in tokens a second, or the latency in seconds.
    #[serde(serialize_with = "figures::optional")]
    pub value: Option<f64>,
    /// The best accepted one before; 0 or less where there is none yet.
    #[serde(serialize_with = "figures::optional")]
    pub frontier: Option<f64>,
    /// What the hardware could reach, where it is known. It is shown and decides nothing.
    #[serde(serialize_with = "figures::optional")]
    pub ceiling: Option<f64>,
    /// Fraction of tokens that agree with the reference's first choice, from 0 to 1.
    #[serde(serialize_with = "figures::optional")]
    pub top1: Option<f64>,
    /// Mean KL divergence from the reference, in nats.
    #[serde(serialize_with = "figures::optional")]
    pub kl: Option<f64>,
    /// Whether the record says that its value is a latency; `None` where it says nothing.
    pub lower_is_better: Option<bool>,
    /// Speeds that must not have got worse.
    pub guards: Vec<Guard>,
}

/// One speed that must not have got worse.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Guard {
    /// Which one, usually a context length. Not escaped.
    pub name: String,
    /// The measured speed (or latency).
    #[serde(serialize_with = "figures::number")]
    pub value: f64,
    /// The speed to compare with. Where it is 0 or less there is none, and the guard holds.
    #[serde(serialize_with = "figures::number")]
    pub base: f64,
}

impl Guard {
    /// A guard of this name.
    pub fn new(name: impl Into<String>, value: f64, base: f64) -> Self {
        Self { name: name.into(), value, base }
    }
}

/// One of the figures that decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Figure {
    /// [`Measurement::value`].
    Value,
    /// [`Measurement::frontier`].
    Frontier,
    /// [`Measurement::top1`].
    Top1,
    /// [`Measurement::kl`].
    Kl,
}

impl Figure {
    /// Every figure.
    pub const ALL: [Figure; 4] = [Figure::Value, Figure::Frontier, Figure::Top1, Figure::Kl];

    /// Its name: `value`, `frontier`, `top1`, `kl`.
    pub const fn name(self) -> &'static str {
        match self {
            Figure::Value => "value",
            Figure::Frontier => "frontier",
            Figure::Top1 => "top1",
            Figure::Kl => "kl",
        }
    }

    /// The member of a producer's record that holds it.
    pub(crate) const fn member(self) -> &'static str {
        match self {
            Figure::Value => "tps",
            Figure::Frontier => "frontier_tps",
            Figure::Top1 => "top1",
            Figure::Kl => "kl",
        }
    }
}

/// Why a record could not be read. Every text is escaped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MeasurementError {
    /// It is not strict JSON.
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
    /// It nests deeper, or holds more values, than are read.
    #[error("byte {offset}: {fault}")]
    Extent {
        /// Where the limit was reached.
        offset: usize,
        /// What was found and wanted.
        fault: String,
    },
    /// It is a receipt, whose figures nobody verified yet.
    #[error("this is a receipt; `receipt verify --score` derives its tier from what was verified")]
    Receipt,
    /// It holds more guards than are read.
    #[error("it holds more than {} guards", limits::GUARDS)]
    Guards,
    /// A member has the wrong type.
    #[error("{pointer} is {found}; wanted {wanted}")]
    Type {
        /// JSON pointer, escaped.
        pointer: String,
        /// What was found.
        found: &'static str,
        /// What was wanted.
        wanted: &'static str,
    },
}

impl MeasurementError {
    /// Whether a limit of this reader was reached, so that the record may well be good.
    pub const fn is_limit(&self) -> bool {
        matches!(self, Self::Size { .. } | Self::Extent { .. } | Self::Guards)
    }
}

/// How a line of a producer's log begins that holds a record.
const LINE: &[u8] = b"RESULT_JSON ";

impl Measurement {
    /// Reads a producer's record: the JSON object of a `result.json`, or a log whose last line that begins with
    /// `RESULT_JSON` holds it. It reads the members `tps`, `frontier_tps`, `top1`, `kl`, `guards` and `lower_is_better`; the
    /// rest, the record's own label included, decides nothing. Python's bare `NaN` and `Infinity` are read as such.
    ///
    /// # Errors
    ///
    /// The record is not strict JSON, a figure is not a number or null, or the record or the log around it is over a limit.
    pub fn read(bytes: &[u8]) -> Result<Self, MeasurementError> {
        if bytes.len() > limits::RUN_FILE_BYTES {
            return Err(MeasurementError::Size { bytes: bytes.len() });
        }
        let line = bytes.split(|byte| *byte == b'\n').rev().find_map(|line| line.strip_prefix(LINE));
        let record = json::read(line.unwrap_or(bytes)).map_err(|error| match (error.kind, line) {
            (JsonErrorKind::Limit, _) => MeasurementError::Extent { offset: error.offset, fault: error.message },
            (_, Some(_)) => {
                MeasurementError::Json { offset: error.offset, fault: format!("{} (in the last RESULT_JSON line)", error.message) }
            }
            (_, None) => {
                let fault = format!("{} (and as a log it has no line that begins with RESULT_JSON)", error.message);
                MeasurementError::Json { offset: error.offset, fault }
            }
        })?;
        if record.member("attestation").is_some() {
            return Err(MeasurementError::Receipt);
        }
        Self::of_record(&record)
    }

    /// The figures of a record that was read already.
    pub(crate) fn of_record(record: &Value<'_>) -> Result<Self, MeasurementError> {
        if record.object().is_none() {
            return Err(wrong_type("the record", Some(record), "an object"));
        }
        let mut measurement = Self::default();
        for figure in Figure::ALL {
            *measurement.figure_mut(figure) = number(record, "", figure.member())?;
        }
        measurement.lower_is_better = match record.member("lower_is_better").map(|flag| &flag.kind) {
            None | Some(Kind::Null) => None,
            Some(Kind::Bool(flag)) => Some(*flag),
            Some(_) => return Err(wrong_type("/lower_is_better", record.member("lower_is_better"), "a boolean")),
        };
        measurement.guards = match record.member("guards").map(|guards| &guards.kind) {
            None | Some(Kind::Null) => Vec::new(),
            Some(Kind::Array(guards)) if guards.len() > limits::GUARDS => return Err(MeasurementError::Guards),
            Some(Kind::Array(guards)) => {
                let read = |(index, guard): (usize, &Value<'_>)| read_guard(guard, &child("/guards", &index.to_string()));
                guards.iter().enumerate().map(read).collect::<Result<_, _>>()?
            }
            Some(_) => return Err(wrong_type("/guards", record.member("guards"), "an array")),
        };
        Ok(measurement)
    }

    pub(crate) fn figure(&self, figure: Figure) -> Option<f64> {
        match figure {
            Figure::Value => self.value,
            Figure::Frontier => self.frontier,
            Figure::Top1 => self.top1,
            Figure::Kl => self.kl,
        }
    }

    pub(crate) fn figure_mut(&mut self, figure: Figure) -> &mut Option<f64> {
        match figure {
            Figure::Value => &mut self.value,
            Figure::Frontier => &mut self.frontier,
            Figure::Top1 => &mut self.top1,
            Figure::Kl => &mut self.kl,
        }
    }
}

/// `ctx`, `tps` and, where there is one, `base`.
fn read_guard(guard: &Value<'_>, pointer: &str) -> Result<Guard, MeasurementError> {
    let name = match guard.member("ctx").map(|name| &name.kind) {
        Some(Kind::String(name)) => name.to_string(),
        Some(Kind::Number(token)) => (*token).to_owned(),
        _ => return Err(wrong_type(&child(pointer, "ctx"), guard.member("ctx"), "a context as number or text")),
    };
    let value = number(guard, pointer, "tps")?.ok_or_else(|| wrong_type(&child(pointer, "tps"), guard.member("tps"), "a number"))?;
    Ok(Guard { name, value, base: number(guard, pointer, "base")?.unwrap_or(0.0) })
}

/// A number, `None` where it is null or absent.
fn number(object: &Value<'_>, pointer: &str, name: &str) -> Result<Option<f64>, MeasurementError> {
    let Some(value) = object.member(name) else { return Ok(None) };
    match value.kind {
        Kind::Null => Ok(None),
        _ => value.double().map(Some).ok_or_else(|| wrong_type(&child(pointer, name), Some(value), "a number or null")),
    }
}

fn wrong_type(pointer: &str, value: Option<&Value<'_>>, wanted: &'static str) -> MeasurementError {
    MeasurementError::Type { pointer: escape(pointer), found: value.map_or("absent", Value::type_name), wanted }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(record: &str) -> String {
        Measurement::read(record.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn a_record_holds_the_figures_whatever_else_it_says() {
        let record = r#"{
            "tps": 9.99, "frontier_tps": 9.04, "top1": 1, "kl": null, "label": "XL", "lower_is_better": false,
            "guards": [{"ctx": 128, "tps": 3.5, "base": 3.6, "pass": true}, {"ctx": "4k", "tps": 3}]
        }"#;
        let mut wanted = Measurement {
            value: Some(9.99),
            frontier: Some(9.04),
            top1: Some(1.0),
            lower_is_better: Some(false),
            ..Measurement::default()
        };
        wanted.guards = vec![Guard::new("128", 3.5, 3.6), Guard::new("4k", 3.0, 0.0)];
        assert_eq!(Measurement::read(record.as_bytes()).unwrap(), wanted);
    }

    #[test]
    fn of_a_log_the_last_record_counts() {
        let log = "RESULT_JSON {\"tps\": 1}\nnoise\nRESULT_JSON {\"tps\": 2}\n>> sealing\n";
        assert_eq!(Measurement::read(log.as_bytes()).unwrap().value, Some(2.0));
    }

    #[test]
    fn python_tokens_are_the_numbers_that_they_name() {
        let measurement = Measurement::read(br#"{"tps": Infinity, "frontier_tps": -Infinity, "kl": NaN}"#).unwrap();
        assert_eq!((measurement.value, measurement.frontier), (Some(f64::INFINITY), Some(f64::NEG_INFINITY)));
        assert!(measurement.kl.is_some_and(f64::is_nan));
    }

    #[test]
    fn everything_else_is_refused_with_its_place() {
        assert_eq!(refusal("[]"), "the record is an array; wanted an object");
        assert_eq!(refusal(r#"{"tps": "9"}"#), "/tps is a string; wanted a number or null");
        assert_eq!(refusal(r#"{"kl": true}"#), "/kl is a boolean; wanted a number or null");
        assert_eq!(refusal(r#"{"lower_is_better": 1}"#), "/lower_is_better is a number; wanted a boolean");
        assert_eq!(refusal(r#"{"guards": {}}"#), "/guards is an object; wanted an array");
        assert_eq!(refusal(r#"{"guards": [{"tps": 1}]}"#), "/guards/0/ctx is absent; wanted a context as number or text");
        assert_eq!(refusal(r#"{"guards": [{"ctx": 1}]}"#), "/guards/0/tps is absent; wanted a number");
        assert!(refusal(r#"{"tps": 1, "tps": 2}"#).starts_with("byte 11: "), "{}", refusal(r#"{"tps": 1, "tps": 2}"#));
        assert!(refusal(">> measured\n").contains("no line that begins with RESULT_JSON"), "{}", refusal(">> measured\n"));
        assert!(refusal("RESULT_JSON {").ends_with("(in the last RESULT_JSON line)"), "{}", refusal("RESULT_JSON {"));
        assert!(refusal(r#"{"attestation": {}}"#).contains("this is a receipt"));
    }

    #[test]
    fn a_record_over_a_limit_is_told_from_a_malformed_one() {
        let of_length = |length: usize| [b"{}".as_slice(), &vec![b' '; length - 2]].concat();
        assert!(Measurement::read(&of_length(limits::RUN_FILE_BYTES)).is_ok());
        let long = Measurement::read(&of_length(limits::RUN_FILE_BYTES + 1)).unwrap_err();
        assert_eq!(long, MeasurementError::Size { bytes: limits::RUN_FILE_BYTES + 1 });
        let deep = format!("{{\"a\": {}", "[".repeat(limits::JSON_DEPTH + 1));
        let wide = format!("{{\"a\": [{}0]}}", "0,".repeat(limits::JSON_VALUES));
        let guarded = format!("{{\"guards\": [{}0]}}", "0,".repeat(limits::GUARDS));
        for record in [deep, wide, guarded] {
            let error = Measurement::read(record.as_bytes()).unwrap_err();
            assert!(error.is_limit(), "{error}");
        }
        assert!(!Measurement::read(b"{").unwrap_err().is_limit());
    }
}

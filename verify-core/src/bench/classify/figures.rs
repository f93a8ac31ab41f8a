//! What a record computes of its rows, computed again.

use serde::Serialize;

use super::evidence::{Evidence, numbers};
use super::record::{Judged, Lack, Record};
use crate::bench::Method;
use crate::bench::statistic::{count, mean};
use crate::compare::same_decimal;
use crate::text::quoted;

/// How near two numbers are, in proportion, that differ by the order of additions alone.
const NEAR: f64 = 1e-12;

/// The change from arm A to arm B, computed from the two recorded figures. Positive means that B is better: (B-A)/|A| where higher is
/// better, (A-B)/|A| where lower is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// The figure of arm A, as it was recorded.
    pub a: String,
    /// The figure of arm B, as it was recorded.
    pub b: String,
    /// `higher` or `lower`: which is better.
    pub better: &'static str,
    /// The change in percent with two places and its sign; `None` where arm A is 0.
    pub percent: Option<String>,
    /// Whether the two figures were computed again from rows.
    pub recomputed: bool,
}

/// The change that the two figures of a record make, if it records them.
pub(super) fn change(record: &Record<'_>, evidence: &Evidence<'_>) -> Option<Change> {
    let (a, b) = (record.number("/result/a/value").ok()?, record.number("/result/b/value").ok()?);
    let better = better(record).ok()?;
    let recomputed = ["/result/a", "/result/b"].iter().all(|arm| recomputed(record, evidence, arm).is_ok());
    let percent = percent(record).map(|percent| format!("{percent:+.2}"));
    Some(Change { a: quoted(a).trim_matches('"').to_owned(), b: quoted(b).trim_matches('"').to_owned(), better, percent, recomputed })
}

/// What a record says of its figures and its interval against its rows: where they differ.
pub(super) fn contradictions(record: &Record<'_>, evidence: &Evidence<'_>) -> Vec<Lack> {
    let mut found = Vec::new();
    for arm in ["/result/a", "/result/b"] {
        let pointer = format!("{arm}/value");
        if let (Ok(said), Ok(computed)) = (record.number(&pointer), recomputed(record, evidence, arm)) {
            found.extend(differs(&pointer, said, computed, "the rows give"));
        }
    }
    if let (Ok(said), Some(computed)) = (record.number("/result/percent"), percent(record)) {
        found.extend(differs("/result/percent", said, computed, "the two figures give"));
    }
    if let Ok((low, high)) = interval(record, evidence) {
        for (pointer, computed) in [("/statistics/interval/low", low), ("/statistics/interval/high", high)] {
            found.extend(record.number(pointer).ok().and_then(|said| differs(pointer, said, computed, "the rows give")));
        }
    }
    found
}

/// Every figure of the result, where there is one, can be computed again, and the two make no greater change than the rows do.
pub(super) fn check_result(record: &Record<'_>, evidence: &Evidence<'_>) -> Judged {
    const AT: &str = "/result";
    if record.some(AT).is_err() {
        return Ok(());
    }
    let figure = |arm: &str| record.number(&format!("{arm}/value")).and_then(|_| recomputed(record, evidence, arm));
    let (a, b, better) = (figure("/result/a")?, figure("/result/b")?, better(record)?);
    let (written, measured) = (percent(record), gain(better, a, b));
    if !is_borne(written, measured) {
        let [written, measured] =
            [written, measured].map(|change| change.map_or("no change in percent".to_owned(), |of| format!("{of:+.2} %")));
        return Err(Lack::not_met(AT, format!("is written too coarsely: the two figures make {written}, the rows {measured}")));
    }
    match record.said("/result/percent") {
        Ok(_) if written.is_none() => Err(Lack::not_met("/result/percent", "is of a figure that is 0")),
        Ok(_) => record.number("/result/percent").map(|_| ()),
        Err(_) => Ok(()),
    }
}

/// Whether a change in percent goes the same way as the measured one and is at most a tenth greater.
fn is_borne(written: Option<f64>, measured: Option<f64>) -> bool {
    match (written, measured) {
        (Some(written), Some(measured)) => written == measured || (0.0..=1.1).contains(&(written / measured)),
        (written, measured) => written == measured,
    }
}

/// The interval of a record can be computed again, is about a figure of the result, where there is one, and its ends are written no more
/// coarsely than a tenth of its width.
pub(super) fn check_interval(record: &Record<'_>, evidence: &Evidence<'_>) -> Judged {
    const AT: &str = "/statistics/interval";
    const ENDS: [&str; 2] = ["/statistics/interval/low", "/statistics/interval/high"];
    ENDS.iter().try_for_each(|end| record.number(end).map(|_| ()))?;
    let (low, high) = interval(record, evidence)?;
    let figures = figures(record);
    if !figures.is_empty() && !figures.iter().any(|figure| (low..=high).contains(figure)) {
        return Err(Lack::not_met(
            AT,
            format!("is of {low} to {high}, which holds neither figure of the result, nor their difference or ratio"),
        ));
    }
    ENDS.iter().zip([low, high]).try_for_each(|(end, computed)| {
        let written = double(record, end)?;
        let why = || format!("is {written}, which is too coarse: the rows give {low} to {high}");
        let is_fine = (written - computed).abs() <= (high - low) / 10.0 + computed.abs() * NEAR;
        if is_fine { Ok(()) } else { Err(Lack::not_met(end, why())) }
    })
}

fn better(record: &Record<'_>) -> Judged<&'static str> {
    match record.text("/result/better")? {
        "higher" => Ok("higher"),
        "lower" => Ok("lower"),
        other => Err(Lack::not_met("/result/better", format!("is {}; wanted \"higher\" or \"lower\"", quoted(other)))),
    }
}

fn percent(record: &Record<'_>) -> Option<f64> {
    let double = |pointer: &str| record.number(pointer).ok()?.parse::<f64>().ok();
    let (a, b) = (double("/result/a/value")?, double("/result/b/value")?);
    gain(better(record).ok()?, a, b)
}

/// What an interval may be about: either figure of the result, and their difference, ratio and change in percent, both ways.
fn figures(record: &Record<'_>) -> Vec<f64> {
    let (Ok(a), Ok(b)) = (double(record, "/result/a/value"), double(record, "/result/b/value")) else { return Vec::new() };
    let changes = ["higher", "lower"].into_iter().flat_map(|better| [gain(better, a, b), gain(better, b, a)]).flatten();
    changes.chain([a, b, b - a, a - b, a / b, b / a]).collect()
}

/// The change from `a` to `b` in percent.
fn gain(better: &str, a: f64, b: f64) -> Option<f64> {
    let gain = if better == "higher" { b - a } else { a - b };
    Some(gain / a.abs() * 100.0).filter(|percent| percent.is_finite())
}

/// The statistic of `/result` over the rows of one of its two arms.
fn recomputed(record: &Record<'_>, evidence: &Evidence<'_>, arm: &str) -> Judged<f64> {
    let values = values(evidence, record.text(&format!("{arm}/arm"))?, arm)?;
    let pointer = "/result/statistic";
    let computed = match record.text(pointer)? {
        "mean" => mean(&values),
        "median" => Method::Linear.percentile(&values, 50.0),
        "min" => Method::Linear.percentile(&values, 0.0),
        "max" => Method::Linear.percentile(&values, 100.0),
        "percentile" => method(record, "/result/method")?.percentile(&values, double(record, "/result/p")?),
        other => return Err(Lack::not_met(pointer, format!("is {}; wanted mean, median, min, max or percentile", quoted(other)))),
    };
    computed.ok_or_else(|| Lack::not_met(pointer, "has no value for these rows"))
}

/// The interval of `/statistics/interval`, computed by the method that it names.
fn interval(record: &Record<'_>, evidence: &Evidence<'_>) -> Judged<(f64, f64)> {
    const AT: &str = "/statistics/interval";
    let name = record.text("/statistics/interval/method")?;
    let values = match record.some("/statistics/interval/rows") {
        Ok(_) => numbers(evidence, record, "/statistics/interval/rows")?,
        Err(_) => values(evidence, record.text("/statistics/interval/arm")?, AT)?,
    };
    if values.len() < 2 {
        return Err(Lack::not_met(AT, "is of a single value"));
    }
    let ends = match name {
        "range" => Method::Linear.percentile(&values, 0.0).zip(Method::Linear.percentile(&values, 100.0)),
        "normal" => {
            let z = double(record, "/statistics/interval/z")?;
            if z <= 0.0 {
                return Err(Lack::not_met("/statistics/interval/z", "spans nothing; wanted more than 0"));
            }
            standard_error(&values).zip(mean(&values)).map(|(error, mean)| (mean - z * error, mean + z * error))
        }
        "percentiles" => {
            let method = method(record, "/statistics/interval/percentile_method")?;
            let [low, high] = [double(record, "/statistics/interval/low_p")?, double(record, "/statistics/interval/high_p")?];
            if low >= high {
                return Err(Lack::not_met("/statistics/interval/high_p", format!("is not above low_p, which is {low}")));
            }
            method.percentile(&values, low).zip(method.percentile(&values, high))
        }
        other => {
            let why = format!("is {}, which cannot be computed again; wanted range, normal or percentiles", quoted(other));
            return Err(Lack::not_met("/statistics/interval/method", why));
        }
    };
    ends.ok_or_else(|| Lack::not_met(AT, "has no value for these rows"))
}

/// The values of the rows of one arm that did not fail.
fn values(evidence: &Evidence<'_>, arm: &str, pointer: &str) -> Judged<Vec<f64>> {
    let mut values = Vec::new();
    for repetition in &evidence.rows {
        let repetition = repetition.as_ref().map_err(Clone::clone)?;
        for row in repetition.rows.iter().filter(|row| repetition.arm == arm && !row.is_failed) {
            values.push(row.value.ok_or_else(|| Lack::not_met(&repetition.pointer, "has a row without a value"))?);
        }
    }
    if values.is_empty() { Err(Lack::not_met(pointer, format!("has no rows of the arm {}", quoted(arm)))) } else { Ok(values) }
}

/// The standard deviation of a sample of at least two values, over the root of its size.
fn standard_error(values: &[f64]) -> Option<f64> {
    let (center, n) = (mean(values)?, count(values.len()));
    let squares: f64 = values.iter().map(|value| (value - center).powi(2)).sum();
    Some((squares / (n - 1.0) / n).sqrt())
}

fn double(record: &Record<'_>, pointer: &str) -> Judged<f64> {
    let token = record.number(pointer)?;
    token.parse().map_err(|_| Lack::not_met(pointer, "is no number"))
}

fn method(record: &Record<'_>, pointer: &str) -> Judged<Method> {
    let name = record.text(pointer)?;
    let known = Method::ALL.into_iter().find(|method| method.name() == name);
    known.ok_or_else(|| Lack::not_met(pointer, format!("is {}, which is no known method", quoted(name))))
}

/// Unless the number that was written is `computed`, rounded to as many places.
fn differs(pointer: &str, said: &str, computed: f64, whence: &str) -> Option<Lack> {
    let places = said.split_once('.').map_or(0, |(_, places)| places.len());
    let is_near = said.parse::<f64>().is_ok_and(|said| (said - computed).abs() <= computed.abs() * NEAR);
    let rounded = format!("{computed:.places$}");
    let agrees = is_near || (!said.contains(['e', 'E']) && same_decimal(&rounded, said));
    (!agrees).then(|| Lack::not_met(pointer, format!("is {}, but {whence} {computed}", quoted(said).trim_matches('"'))))
}

//! The claimed tier against the tier function: parameters are the caller's, figures those that the receipt records.
//!
//! A figure comes from the enclave's output where that holds it, and from the attestation otherwise. Either way it is what a
//! submitter measured: the enclave was given it, and gave no tier. Recorded figures are rounded, so a claim is contradicted
//! only if no figures that round to the recorded ones earn it.

use crate::json::Value;
use crate::ledger::Findings;
use crate::problem::{Code, Location, Problem};
use crate::receipt::{Attestation, DOCUMENT};
use crate::report::{FigureSource, RecordedFigure, Rescored};
use crate::text::{escape, quoted};
use crate::tier::{self, Figure, Guard, Label, Measurement, Params, ScoreError, Scored};
use crate::verdict::{Output, describe};

/// Decimal places that every producer keeps when it seals.
const SEALED_PLACES: usize = 6;

/// Derives the tier again and raises how the claim stands to it: other, stricter, not derivable, or only from figures that
/// nothing binds, as `is_carried` says by pointer. There is no `output` where a signature takes the place of a quote.
pub(crate) fn check(
    params: &Params,
    output: Option<&Output<'_>>,
    attestation: &Attestation<'_>,
    is_carried: &dyn Fn(&str) -> bool,
    findings: &mut Findings,
) -> Rescored {
    let mut rescored = Rescored { params: escape(params.name()), sha256: params.digest(), figures: Vec::new(), scored: None };
    let record = output.and_then(Output::object).map_or(Ok(Measurement::default()), Measurement::of_record);
    let mut measurement = match record {
        Ok(measurement) => measurement,
        Err(error) => {
            findings.raise(not_derivable(params, &format!("the enclave's output holds no record of figures: {error}")));
            return rescored;
        }
    };
    let mut margins = Margins::of_output(params);
    let recorded = Figure::ALL.into_iter().filter_map(|figure| Some((figure, measurement.figure(figure)?)));
    rescored.figures = recorded.map(|(figure, value)| RecordedFigure { figure, value, source: FigureSource::EnclaveOutput }).collect();
    let scored = loop {
        let error = match tier::score(params, &measurement) {
            Ok(scored) => break scored,
            Err(error) => error,
        };
        let missing = if let ScoreError::Missing(figure) = error { Some(figure) } else { None };
        let Some((figure, claimed)) = missing.and_then(|figure| Some((figure, Claimed::figure(figure, attestation, params)?))) else {
            findings.raise(not_derivable(params, &error.to_string()));
            return rescored;
        };
        *measurement.figure_mut(figure) = Some(claimed.value);
        *margins.of(figure) = claimed.margin;
        rescored.figures.push(RecordedFigure { figure, value: claimed.value, source: FigureSource::Attestation });
    };
    compare(params, &scored, &measurement, margins, attestation, findings);
    let unbound: Vec<&str> = rescored
        .figures
        .iter()
        .filter(|recorded| {
            recorded.source == FigureSource::Attestation && !Claimed::pointers(recorded.figure).iter().all(|pointer| is_carried(pointer))
        })
        .map(|recorded| recorded.figure.name())
        .collect();
    if !unbound.is_empty() {
        let message = format!(
            "by the parameters {} the tier was derived from what the receipt claims and no evidence carries: {}",
            quoted(params.name()),
            unbound.join(", ")
        );
        findings.raise(Problem::new(Code::TierOnlyAsserted, Location::pointer(DOCUMENT, "/attestation"), message));
    }
    rescored.scored = Some(scored);
    rescored
}

fn compare(
    params: &Params,
    scored: &Scored,
    measurement: &Measurement,
    margins: Margins,
    attestation: &Attestation<'_>,
    findings: &mut Findings,
) {
    let agrees = |label: Label| attestation.label == label.name() && attestation.pass == label.passes();
    if agrees(scored.label) {
        return;
    }
    let derived = describe(Some(scored.label.name()), Some(scored.pass));
    let claimed = describe(Some(attestation.label), Some(attestation.pass));
    let name = quoted(params.name());
    let last = scored.why.last().map_or_else(String::new, |step| format!(" ({}: {})", step.rule, step.text));
    if labels_within(params, measurement, margins).into_iter().any(agrees) {
        let why = format!("the recorded figures give {derived}{last}, but they are rounded, and what they were before may give {claimed}");
        return findings.raise(not_derivable(params, &why));
    }
    let claim_refuses = !attestation.pass || attestation.label == Label::Reject.name();
    let code = if claim_refuses && scored.pass { Code::TierStricter } else { Code::TierDiffers };
    let message =
        format!("by the parameters {name} the figures that the submitter recorded give {derived}{last}; the receipt claims {claimed}");
    findings.raise(Problem::new(code, label_location(), message).found(claimed).wanted(derived));
}

/// How far each figure may lie from what it was before rounding.
#[derive(Clone, Copy)]
struct Margins {
    value: f64,
    frontier: f64,
    top1: f64,
    kl: f64,
    /// Of a guard's value and of its base.
    guards: f64,
}

impl Margins {
    fn of_output(params: &Params) -> Self {
        let places = params.places;
        let value = half_a_unit(places.value);
        Self { value, frontier: value, top1: half_a_unit(places.top1), kl: half_a_unit(places.kl), guards: value }
    }

    fn of(&mut self, figure: Figure) -> &mut f64 {
        match figure {
            Figure::Value => &mut self.value,
            Figure::Frontier => &mut self.frontier,
            Figure::Top1 => &mut self.top1,
            Figure::Kl => &mut self.kl,
        }
    }
}

/// A figure that only the attestation holds.
struct Claimed {
    value: f64,
    margin: f64,
}

impl Claimed {
    fn figure(figure: Figure, attestation: &Attestation<'_>, params: &Params) -> Option<Self> {
        let places = params.places;
        let margin = |places: usize| half_a_unit(places.min(SEALED_PLACES));
        let verdict = |name: &str| attestation.verdict.member(name).and_then(Value::double);
        let measured = |name: &str| attestation.measurements.member("primary")?.member(name)?.double();
        match figure {
            Figure::Value => Some(Self { value: verdict("tps")?, margin: margin(places.value) }),
            // Two rounded figures, so twice the margin; of a speed, because a latency's difference has the other sign.
            Figure::Frontier if params.lower_is_better => {
                Some(Self { value: verdict("tps")? + verdict("delta_tps")?, margin: 2.0 * margin(places.value) })
            }
            Figure::Frontier => Some(Self { value: verdict("tps")? - verdict("delta_tps")?, margin: 2.0 * margin(places.value) }),
            Figure::Top1 => Some(Self { value: measured("top1")?, margin: margin(places.top1) }),
            Figure::Kl => Some(Self { value: measured("kl")?, margin: margin(places.kl) }),
        }
    }

    /// Where the attestation has what the figure is made of.
    const fn pointers(figure: Figure) -> &'static [&'static str] {
        match figure {
            Figure::Value => &["/attestation/verdict/tps"],
            Figure::Frontier => &["/attestation/verdict/tps", "/attestation/verdict/delta_tps"],
            Figure::Top1 => &["/attestation/measurements/primary/top1"],
            Figure::Kl => &["/attestation/measurements/primary/kl"],
        }
    }
}

/// The labels that figures within the margins earn: those of the corners and middles of the ranges, and the tiers between.
fn labels_within(params: &Params, recorded: &Measurement, margins: Margins) -> Vec<Label> {
    // A shift may not lead out of what a figure can be, nor into it.
    let around = |figure: Option<f64>, margin: f64, least: f64, most: f64| match figure {
        // A frontier of 0 is not rounded: it says that there is none.
        Some(value) if value.is_finite() && value != 0.0 => {
            [value - margin, value, value + margin].map(|shifted| Some(shifted.max(least.min(value)).min(most.max(value)))).to_vec()
        }
        other => vec![other],
    };
    let mut labels = Vec::new();
    let mut measurement = recorded.clone();
    for shift in [-margins.guards, 0.0, margins.guards] {
        // All guards have to hold, so their best and their worst together decide.
        measurement.guards = recorded.guards.iter().map(|guard| shifted(guard, shift)).collect();
        for value in around(recorded.value, margins.value, 0.0, f64::MAX) {
            for frontier in around(recorded.frontier, margins.frontier, f64::MIN, f64::MAX) {
                for top1 in around(recorded.top1, margins.top1, 0.0, 1.0) {
                    for kl in around(recorded.kl, margins.kl, 0.0, f64::MAX) {
                        (measurement.value, measurement.frontier, measurement.top1, measurement.kl) = (value, frontier, top1, kl);
                        labels.extend(tier::score(params, &measurement).map(|scored| scored.label));
                    }
                }
            }
        }
    }
    // A gain moves without leaps, so between two tiers it earns those that lie between.
    let tiers = labels.iter().copied().filter(|label| *label <= Label::None);
    if let (Some(best), Some(worst)) = (tiers.clone().min(), tiers.max()) {
        labels.extend(Label::ALL.into_iter().filter(|label| (best..=worst).contains(label)));
    }
    labels
}

/// A guard whose value was that much greater and whose base that much less. A base that is not above 0 says that there is none.
fn shifted(guard: &Guard, shift: f64) -> Guard {
    let by = |figure: f64, shift: f64| if figure > 0.0 { (figure + shift).max(f64::MIN_POSITIVE) } else { figure };
    Guard::new(guard.name.clone(), by(guard.value, shift), by(guard.base, -shift))
}

/// Half a unit of the last of `places` decimal places.
fn half_a_unit(places: usize) -> f64 {
    i32::try_from(places).map_or(0.0, |places| 0.5 / 10_f64.powi(places))
}

fn not_derivable(params: &Params, why: &str) -> Problem {
    let message = format!("by the parameters {} no tier can be derived: {why}", quoted(params.name()));
    Problem::new(Code::TierNotDerivable, label_location(), message)
}

fn label_location() -> Location {
    Location::pointer(DOCUMENT, "/attestation/verdict/label")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiers_between_two_possible_ones_are_possible() {
        let params = Params::preset("k3", Some(0.0)).unwrap();
        let mut measurement = Measurement::default();
        (measurement.value, measurement.frontier) = (Some(0.11), Some(0.1));
        (measurement.top1, measurement.kl) = (Some(1.0), Some(0.01));
        let mut labels = labels_within(&params, &measurement, Margins::of_output(&params));
        labels.sort();
        labels.dedup();
        // Gains from 0 to 21 per cent. None of the figures tried lies from 2 to 3.5, and neither gate is near.
        assert_eq!(labels, [Label::XL, Label::L, Label::M, Label::S, Label::XS, Label::None]);
    }

    #[test]
    fn a_gate_at_its_bar_leaves_both_ways_open() {
        let params = Params::preset("k3", Some(0.0)).unwrap();
        let mut measurement = Measurement::default();
        (measurement.value, measurement.frontier) = (Some(130.0), Some(100.0));
        (measurement.top1, measurement.kl) = (Some(1.0), Some(0.01));
        let possible = |change: &dyn Fn(&mut Measurement)| {
            let mut measurement = measurement.clone();
            change(&mut measurement);
            let mut labels = labels_within(&params, &measurement, Margins::of_output(&params));
            labels.sort();
            labels.dedup();
            labels
        };
        let guarded = |value: f64, base: f64| possible(&|m| m.guards = vec![Guard::new("128", 9.0, 9.0), Guard::new("4k", value, base)]);
        assert_eq!(possible(&|_| {}), [Label::XL]);
        assert_eq!(possible(&|m| m.top1 = Some(0.95)), [Label::XL, Label::Reject]);
        assert_eq!(possible(&|m| m.top1 = Some(0.9501)), [Label::XL]);
        assert_eq!(possible(&|m| m.kl = Some(0.05)), [Label::XL, Label::Reject]);
        assert_eq!(possible(&|m| m.kl = Some(0.049_999_999)), [Label::XL]);
        assert_eq!(guarded(3.47, 3.55), [Label::XL, Label::Reject], "3.475 / 3.545 holds");
        assert_eq!(guarded(3.48, 3.55), [Label::XL, Label::Reject], "3.475 / 3.555 fails");
        assert_eq!(guarded(3.46, 3.55), [Label::Reject]);
        assert_eq!(guarded(3.49, 3.55), [Label::XL]);
        assert_eq!(guarded(3.46, 0.0), [Label::XL], "there is nothing to compare with");
        assert_eq!(guarded(0.0, 0.0), [Label::XL], "nor is there where nothing was measured");
    }
}

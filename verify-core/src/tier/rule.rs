//! The rule, in the order in which it decides. Every comparison is between binary doubles, and nothing is rounded before it.

use std::fmt;

use serde::{Serialize, Serializer};

use super::figures;
use super::measurement::{Figure, Guard, Measurement};
use super::params::{Anchor, Cap, Params};
use crate::limits;
use crate::text::quoted;

/// What a run earns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Label {
    /// The highest tier.
    XL,
    /// The second tier.
    L,
    /// The third tier.
    M,
    /// The fourth tier.
    S,
    /// The lowest tier: every significant gain earns it.
    XS,
    /// No significant gain.
    None,
    /// There is no frontier yet, and this run becomes it.
    Baseline,
    /// Refused.
    Reject,
}

impl Label {
    /// Every label.
    pub const ALL: [Label; 8] = [Label::XL, Label::L, Label::M, Label::S, Label::XS, Label::None, Label::Baseline, Label::Reject];

    /// The word that producers write: `XL`, `L`, `M`, `S`, `XS`, `none`, `BASELINE`, `REJECT`.
    pub const fn name(self) -> &'static str {
        match self {
            Label::XL => "XL",
            Label::L => "L",
            Label::M => "M",
            Label::S => "S",
            Label::XS => "XS",
            Label::None => "none",
            Label::Baseline => "BASELINE",
            Label::Reject => "REJECT",
        }
    }

    /// The label of this name.
    pub fn from_name(name: &str) -> Option<Label> {
        Label::ALL.into_iter().find(|label| label.name() == name)
    }

    /// Whether the run passes: every label but `REJECT`, for passing says nothing about a gain.
    pub const fn passes(self) -> bool {
        !matches!(self, Label::Reject)
    }
}

impl fmt::Display for Label {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl Serialize for Label {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A label with the way to it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Scored {
    /// The label.
    pub label: Label,
    /// Whether the run passes.
    pub pass: bool,
    /// Every step of the rule that was taken, in order.
    pub why: Vec<Step>,
    /// The gain; absent where the rule did not get that far.
    pub gain: Option<Gain>,
    /// The figures as the producer would print them.
    pub rounded: Rounded,
}

/// One step of the rule: numbers and comparison, so that a person can repeat it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Step {
    /// Which step.
    pub rule: &'static str,
    /// What was compared and what came of it, escaped for showing.
    pub text: String,
}

/// The gain over the frontier and what became of it. Fractions, not per cent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Gain {
    /// The difference to the frontier; positive is better.
    #[serde(serialize_with = "figures::number")]
    pub delta: f64,
    /// `delta / frontier`.
    #[serde(serialize_with = "figures::number")]
    pub g: f64,
    /// The gain by the reference; absent where `g` is not significant.
    #[serde(serialize_with = "figures::optional")]
    pub g_fair: Option<f64>,
    /// The factor for gains beyond the reference.
    #[serde(serialize_with = "figures::optional")]
    pub difficulty: Option<f64>,
    /// What the tiers are compared with: `g_fair * difficulty`, at most the cap.
    #[serde(serialize_with = "figures::optional")]
    pub g_eff: Option<f64>,
}

/// Figures after decimal rounding (half to even on the exact binary value, as Python rounds).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Rounded {
    /// The value.
    #[serde(serialize_with = "figures::optional")]
    pub value: Option<f64>,
    /// The frontier.
    #[serde(serialize_with = "figures::optional")]
    pub frontier: Option<f64>,
    /// Agreement of the first token.
    #[serde(serialize_with = "figures::optional")]
    pub top1: Option<f64>,
    /// KL divergence.
    #[serde(serialize_with = "figures::optional")]
    pub kl: Option<f64>,
    /// The difference to the frontier.
    #[serde(serialize_with = "figures::optional")]
    pub delta: Option<f64>,
    /// The gain over the frontier in per cent.
    #[serde(serialize_with = "figures::optional")]
    pub pct_over_frontier: Option<f64>,
    /// The value in per cent of the ceiling, for a speed whose gain is significant.
    #[serde(serialize_with = "figures::optional")]
    pub pct_of_ceiling: Option<f64>,
    /// What the tiers were compared with, in per cent.
    #[serde(serialize_with = "figures::optional")]
    pub effective_pct: Option<f64>,
    /// The factor for gains beyond the reference.
    #[serde(serialize_with = "figures::optional")]
    pub difficulty: Option<f64>,
}

/// Why no label could be derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScoreError {
    /// The rule needs a figure that was not recorded.
    #[error("the rule needs the figure {:?} ({}), which was not recorded", .0.name(), .0.member())]
    Missing(Figure),
    /// The record is of a latency and the parameters are of a speed, or the other way round.
    #[error("the record says lower_is_better = {recorded}, and the parameters say {wanted}", wanted = !.recorded)]
    Direction {
        /// What the record says.
        recorded: bool,
    },
    /// There are more guards than are judged.
    #[error("there are {found} guards; at most {} are judged", limits::GUARDS)]
    Guards {
        /// How many there are.
        found: usize,
    },
}

/// Derives the label.
///
/// Correctness decides first, then the guards, then whether there is a frontier, then the gain. A figure that is NaN or
/// infinite, and a negative one where none can be, refuses the run wherever the rule looks at it. A frontier of 0 or less is none.
///
/// # Errors
///
/// A figure is missing that the rule needed (where a gate refuses, later figures are not needed), the record is of the other
/// direction than the parameters, or there are more guards than are judged.
pub fn score(params: &Params, measurement: &Measurement) -> Result<Scored, ScoreError> {
    if let Some(recorded) = measurement.lower_is_better.filter(|recorded| *recorded != params.lower_is_better) {
        return Err(ScoreError::Direction { recorded });
    }
    if measurement.guards.len() > limits::GUARDS {
        return Err(ScoreError::Guards { found: measurement.guards.len() });
    }
    let mut rule = Rule { params, measurement, why: Vec::new(), gain: None };
    let label = rule.decide()?;
    let rounded = rule.rounded();
    Ok(Scored { label, pass: label.passes(), why: rule.why, gain: rule.gain, rounded })
}

struct Rule<'a> {
    params: &'a Params,
    measurement: &'a Measurement,
    why: Vec<Step>,
    gain: Option<Gain>,
}

impl Rule<'_> {
    fn decide(&mut self) -> Result<Label, ScoreError> {
        let gates = [self.top1_is_good(), self.kl_is_good()];
        if gates.contains(&Ok(false)) {
            return Ok(Label::Reject);
        }
        for gate in gates {
            gate?;
        }
        if !self.guards_hold() {
            return Ok(Label::Reject);
        }
        let (value, frontier) = (self.need(Figure::Value)?, self.need(Figure::Frontier)?);
        if !self.can_be_compared(value, frontier) {
            return Ok(Label::Reject);
        }
        if frontier <= 0.0 {
            self.say("frontier", format!("{frontier:?} <= 0: there is none yet, and this run becomes it"));
            return Ok(Label::Baseline);
        }
        Ok(self.tier(value, frontier))
    }

    fn top1_is_good(&mut self) -> Result<bool, ScoreError> {
        let (top1, bar) = (self.need(Figure::Top1)?, self.params.bars.top1);
        let holds = (bar..=1.0).contains(&top1);
        self.say("top1", format!("{bar:?} <= {top1:?} <= 1: {}", outcome(holds)));
        Ok(holds)
    }

    fn kl_is_good(&mut self) -> Result<bool, ScoreError> {
        let (kl, bar, preferred) = (self.need(Figure::Kl)?, self.params.bars.kl, self.params.bars.kl_prefer);
        let holds = (0.0..=bar).contains(&kl);
        let warning = if holds && kl > preferred { format!(", but above the preferred {preferred:?}") } else { String::new() };
        self.say("kl", format!("0 <= {kl:?} <= {bar:?}: {}{warning}", outcome(holds)));
        Ok(holds)
    }

    fn guards_hold(&mut self) -> bool {
        let (guards, tolerance) = (&self.measurement.guards, self.params.guards.tolerance);
        let mut all_hold = true;
        for Guard { name, value, base } in guards {
            let name = quoted(name);
            if !value.is_finite() || !base.is_finite() {
                all_hold = false;
                self.say("guard", format!("{name}: {value:?} and {base:?} are not both finite: refused"));
            } else if *base <= 0.0 {
                self.say("guard", format!("{name}: the base is {base:?}, so there is nothing to compare with: holds by default"));
            } else {
                let (above, below) = if self.params.lower_is_better { (base, value) } else { (value, base) };
                let ratio = if *below > 0.0 { above / below } else { 0.0 };
                let holds = ratio >= tolerance;
                all_hold &= holds;
                self.say("guard", format!("{name}: {above:?} / {below:?} = {ratio:?} >= {tolerance:?}: {}", outcome(holds)));
            }
        }
        all_hold
    }

    /// Python compares NaN and infinite speeds too, and passes them.
    fn can_be_compared(&mut self, value: f64, frontier: f64) -> bool {
        let value_measures = value.is_finite() && (value > 0.0 || (value == 0.0 && !self.params.lower_is_better));
        if !value_measures {
            let wanted = if self.params.lower_is_better { "a finite latency above 0" } else { "a finite speed, not below 0" };
            self.say("value", format!("{value:?} is not {wanted}: refused"));
        }
        if !frontier.is_finite() {
            self.say("frontier", format!("{frontier:?} is not finite: refused"));
        }
        value_measures && frontier.is_finite()
    }

    /// The tier of a run that passed, over a frontier above 0.
    fn tier(&mut self, value: f64, frontier: f64) -> Label {
        let Params { lower_is_better, significance, anchor, difficulty, cap, tiers, .. } = *self.params;
        let (better, worse) = if lower_is_better { (frontier, value) } else { (value, frontier) };
        let delta = better - worse;
        let g = delta / frontier;
        self.gain = Some(Gain { delta, g, g_fair: None, difficulty: None, g_eff: None });
        self.say("gain", format!("g = ({better:?} - {worse:?}) / {frontier:?} = {g:?}"));
        if !g.is_finite() {
            self.say("gain", "g does not fit a double, so it measures nothing: refused".to_owned());
            return Label::Reject;
        }
        if g <= significance {
            self.say("significance", format!("g = {g:?} <= {significance:?}: no significant gain"));
            return Label::None;
        }
        self.say("significance", format!("g = {g:?} > {significance:?}: a significant gain"));

        let (reference, which) = match anchor {
            Anchor::Auto if difficulty.reference > 0.0 => (difficulty.reference, "the reference"),
            Anchor::Auto => (frontier, "the frontier, for there is no reference"),
            Anchor::Off => (frontier, "the frontier, for the anchor is off"),
        };
        let gained = if lower_is_better { (reference, value) } else { (value, frontier) };
        let g_fair = (gained.0 - gained.1) / reference;
        self.say("fair gain", format!("g_fair = ({:?} - {:?}) / {reference:?} = {g_fair:?}, sized by {which}", gained.0, gained.1));

        let factor = if difficulty.boost {
            let (ahead, behind) = if lower_is_better { (reference, frontier) } else { (frontier, reference) };
            let beyond = ahead / behind - 1.0;
            let factor = (1.0 + difficulty.k * beyond.max(0.0)).min(difficulty.max);
            let (k, max) = (difficulty.k, difficulty.max);
            self.say("difficulty", format!("D = min(1 + {k:?} * max(0, {ahead:?} / {behind:?} - 1), {max:?}) = {factor:?}"));
            factor
        } else {
            self.say("difficulty", "D = 1, for there is no boost".to_owned());
            1.0
        };
        let (most, most_name) = match cap {
            Cap::Gain => (g, "g"),
            Cap::TwiceTheGain => (2.0 * g, "2 * g"),
        };
        let g_eff = (g_fair * factor).min(most);
        self.gain = Some(Gain { delta, g, g_fair: Some(g_fair), difficulty: Some(factor), g_eff: Some(g_eff) });
        self.say("cap", format!("g_eff = min(g_fair * D, {most_name}) = min({:?}, {most:?}) = {g_eff:?}", g_fair * factor));
        if !g_eff.is_finite() {
            self.say("cap", "g_eff does not fit a double, so it measures nothing: refused".to_owned());
            return Label::Reject;
        }

        for (label, least) in [(Label::XL, tiers.xl), (Label::L, tiers.l), (Label::M, tiers.m), (Label::S, tiers.s)] {
            if g_eff >= least {
                self.say("tier", format!("g_eff = {g_eff:?} >= {least:?}: {label}"));
                return label;
            }
        }
        self.say("tier", format!("g_eff = {g_eff:?} < {:?}, but the gain is significant: XS", tiers.s));
        Label::XS
    }

    fn rounded(&self) -> Rounded {
        let Measurement { value, frontier, ceiling, top1, kl, .. } = self.measurement;
        let places = self.params.places;
        let to = |places: usize| move |figure: f64| round(figure, places);
        let per_cent = |fraction: f64| round(100.0 * fraction, 1);
        let gain = self.gain;
        let is_speed_with_tier = !self.params.lower_is_better && gain.is_some_and(|gain| gain.g_eff.is_some());
        Rounded {
            value: value.map(to(places.value)),
            frontier: frontier.map(to(places.value)),
            top1: top1.map(to(places.top1)),
            kl: kl.map(to(places.kl)),
            delta: gain.map(|gain| gain.delta).map(to(places.value)),
            pct_over_frontier: gain.map(|gain| per_cent(gain.g)),
            pct_of_ceiling: value
                .zip(ceiling.filter(|ceiling| *ceiling > 0.0))
                .filter(|_| is_speed_with_tier)
                .map(|(value, ceiling)| round(100.0 * value / ceiling, 1)),
            effective_pct: gain.and_then(|gain| gain.g_eff).map(per_cent),
            difficulty: gain.and_then(|gain| gain.difficulty).map(to(2)),
        }
    }

    fn need(&self, figure: Figure) -> Result<f64, ScoreError> {
        self.measurement.figure(figure).ok_or(ScoreError::Missing(figure))
    }

    fn say(&mut self, rule: &'static str, text: String) {
        self.why.push(Step { rule, text });
    }
}

const fn outcome(holds: bool) -> &'static str {
    if holds { "holds" } else { "fails" }
}

/// Decimal rounding of the exact binary value, ties to even.
fn round(figure: f64, places: usize) -> f64 {
    format!("{figure:.places$}").parse().unwrap_or(figure)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without a reference, so that the gain over the frontier decides.
    fn plain() -> Params {
        Params::preset("k3", Some(0.0)).unwrap()
    }

    fn run(value: f64, frontier: f64) -> Measurement {
        let mut measurement = Measurement::default();
        (measurement.value, measurement.frontier) = (Some(value), Some(frontier));
        (measurement.top1, measurement.kl) = (Some(1.0), Some(0.004));
        measurement
    }

    fn with(params: &Params, change: impl Fn(&mut Measurement)) -> Label {
        let mut measurement = run(120.0, 100.0);
        change(&mut measurement);
        score(params, &measurement).unwrap().label
    }

    fn label(params: &Params, value: f64, frontier: f64) -> Label {
        score(params, &run(value, frontier)).unwrap().label
    }

    #[test]
    fn a_tier_begins_at_its_threshold_and_a_gain_after_significance() {
        for (value, wanted) in [
            (95.0, Label::None),
            (102.0, Label::None),
            (102.001, Label::XS),
            (103.49, Label::XS),
            (103.5, Label::S),
            (105.99, Label::S),
            (106.0, Label::M),
            (109.99, Label::M),
            (110.0, Label::L),
            (117.99, Label::L),
            (118.0, Label::XL),
        ] {
            assert_eq!(label(&plain(), value, 100.0), wanted, "{value}");
        }
    }

    #[test]
    fn comparisons_are_of_doubles_not_of_printed_figures() {
        // 0.33 / 0.3 is a little more than 1.1 and 1.06 / 1 - 1 a little more than 0.06, as doubles.
        assert_eq!(label(&plain(), 0.33, 0.3), Label::L);
        assert_eq!(label(&plain(), 1.06, 1.0), Label::M);
        // 1.18 - 1 is a little less than 0.18, but prints as 18.0.
        let scored = score(&plain(), &run(1.18, 1.0)).unwrap();
        assert_eq!((scored.label, scored.rounded.pct_over_frontier), (Label::L, Some(18.0)));
    }

    #[test]
    fn the_bars_are_inclusive() {
        let params = plain();
        assert_eq!(with(&params, |run| run.top1 = Some(0.95)), Label::XL);
        assert_eq!(with(&params, |run| run.top1 = Some(0.95_f64.next_down())), Label::Reject);
        assert_eq!(with(&params, |run| run.kl = Some(0.05)), Label::XL);
        assert_eq!(with(&params, |run| run.kl = Some(0.05_f64.next_up())), Label::Reject);
        assert_eq!(with(&params, |run| run.kl = Some(0.0)), Label::XL);
    }

    #[test]
    fn what_is_no_agreement_and_no_divergence_is_refused() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.1, 1.000001, 5.0] {
            assert_eq!(with(&plain(), |run| run.top1 = Some(bad)), Label::Reject, "top1 {bad}");
        }
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.1] {
            assert_eq!(with(&plain(), |run| run.kl = Some(bad)), Label::Reject, "kl {bad}");
        }
    }

    #[test]
    fn what_is_no_speed_is_refused_even_where_there_is_no_frontier() {
        for frontier in [100.0, 0.0, -1.0] {
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.1] {
                assert_eq!(label(&plain(), bad, frontier), Label::Reject, "{bad} over {frontier}");
            }
        }
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(label(&plain(), 120.0, bad), Label::Reject, "120 over {bad}");
        }
        assert_eq!(label(&plain(), f64::MAX, f64::MIN_POSITIVE), Label::Reject, "the gain is infinite");
        assert_eq!(label(&plain(), 0.0, 100.0), Label::None);
    }

    #[test]
    fn without_a_frontier_a_good_run_is_the_baseline() {
        for frontier in [0.0, -0.0, -1.0, -f64::MIN_POSITIVE] {
            assert_eq!(label(&plain(), 3.55, frontier), Label::Baseline, "{frontier}");
        }
        assert_eq!(with(&plain(), |run| (run.frontier, run.kl) = (Some(0.0), Some(0.06))), Label::Reject);
    }

    #[test]
    fn the_cap_is_what_the_two_versions_differ_in() {
        let (new, old) = (Params::preset("k3", Some(18.4435)).unwrap(), Params::preset("k3-2026-07", Some(18.4435)).unwrap());
        assert_eq!((label(&new, 45.38, 40.02), label(&old, 45.38, 40.02)), (Label::L, Label::XL));
        let capped = |params: &Params| score(params, &run(41.0, 40.0)).unwrap().gain.unwrap();
        assert_eq!((capped(&new).g_eff, capped(&old).g_eff), (Some(0.025), Some(0.05)));
        // Below the reference neither cap matters.
        assert_eq!((label(&new, 9.99, 9.04), label(&old, 9.99, 9.04)), (Label::S, Label::S));
    }

    #[test]
    fn a_reference_of_zero_and_an_anchor_that_is_off_size_by_the_frontier() {
        let mut params = Params::preset("k3", Some(143.88)).unwrap();
        assert_eq!(label(&params, 69.0, 66.62), Label::XS);
        params.anchor = Anchor::Off;
        assert_eq!(label(&params, 69.0, 66.62), Label::S);
        assert_eq!(label(&plain(), 69.0, 66.62), Label::S);
    }

    #[test]
    fn a_boost_begins_beyond_the_reference_and_ends_at_its_maximum() {
        let mut params = Params::preset("classic", None).unwrap();
        params.difficulty.boost = true;
        let factor = |frontier: f64| score(&params, &run(frontier * 1.1, frontier)).unwrap().gain.unwrap().difficulty;
        assert_eq!(factor(100.0), Some(1.0));
        assert_eq!(factor(365.85), Some(1.0));
        assert_eq!(factor(365.85 * 1.03125), Some(1.25));
        assert_eq!(factor(700.0), Some(1.5));
    }

    #[test]
    fn of_a_latency_a_reduction_is_a_gain() {
        let mut params = plain();
        params.lower_is_better = true;
        params.places.value = 6;
        for (value, wanted) in [(0.8, Label::XL), (0.99, Label::None), (1.2, Label::None), (0.0, Label::Reject), (-0.1, Label::Reject)] {
            assert_eq!(label(&params, value, 1.0), wanted, "{value}");
        }
        params.difficulty.reference = 0.9;
        assert_eq!(label(&params, 0.8, 1.0), Label::L);
        params.difficulty.boost = true;
        let boosted = |frontier: f64| score(&params, &run(frontier * 0.9, frontier)).unwrap().gain.unwrap().difficulty;
        assert_eq!((boosted(1.0), boosted(0.9), boosted(0.45)), (Some(1.0), Some(1.0), Some(1.5)));
    }

    #[test]
    fn a_guard_may_lose_up_to_its_tolerance() {
        let guarded = |lower_is_better, value: f64, base: f64| {
            let mut params = plain();
            params.lower_is_better = lower_is_better;
            let mut measurement = if lower_is_better { run(0.8, 1.0) } else { run(120.0, 100.0) };
            measurement.guards = vec![Guard::new("128", 1.0, 1.0), Guard::new("4096", value, base)];
            score(&params, &measurement).unwrap().label
        };
        assert_eq!(guarded(false, 98.0, 100.0), Label::XL);
        assert_eq!(guarded(false, 97.99, 100.0), Label::Reject);
        assert_eq!(guarded(false, 0.0, 100.0), Label::Reject);
        assert_eq!(guarded(false, -98.0, 100.0), Label::Reject);
        assert_eq!(guarded(true, 100.0, 98.0), Label::XL);
        assert_eq!(guarded(true, 100.0, 97.99), Label::Reject);
        assert_eq!(guarded(true, 0.0, 97.99), Label::Reject);
        for nothing in [0.0, -1.0] {
            assert_eq!(guarded(false, 98.0, nothing), Label::XL, "nothing to compare with");
        }
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(guarded(false, bad, 100.0), Label::Reject, "{bad}");
            assert_eq!(guarded(false, 98.0, bad), Label::Reject, "over {bad}");
        }
    }

    #[test]
    fn a_missing_figure_is_an_error_unless_a_gate_refuses_before_it() {
        let missing = |change: fn(&mut Measurement)| {
            let mut measurement = run(120.0, 100.0);
            change(&mut measurement);
            score(&plain(), &measurement).map(|scored| scored.label)
        };
        assert_eq!(missing(|run| run.value = None), Err(ScoreError::Missing(Figure::Value)));
        assert_eq!(missing(|run| run.frontier = None), Err(ScoreError::Missing(Figure::Frontier)));
        assert_eq!(missing(|run| run.top1 = None), Err(ScoreError::Missing(Figure::Top1)));
        assert_eq!(missing(|run| run.kl = None), Err(ScoreError::Missing(Figure::Kl)));
        assert_eq!(missing(|run| (run.top1, run.kl) = (None, Some(0.06))), Ok(Label::Reject));
        assert_eq!(missing(|run| (run.value, run.frontier, run.top1) = (None, None, Some(0.5))), Ok(Label::Reject));
    }

    #[test]
    fn whatever_the_figures_are_only_sound_ones_pass() {
        let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 5e-324, 1e-300, 0.5, 1.0, 100.0, 1e300, f64::MAX, -1.0, f64::MIN];
        let mut all_params = Vec::new();
        for (lower_is_better, boost) in [(false, false), (false, true), (true, false), (true, true)] {
            for reference in [0.0, 5e-324, 100.0, f64::MAX] {
                let mut params = Params::preset("k3-2026-07", Some(reference)).unwrap();
                (params.lower_is_better, params.difficulty.boost) = (lower_is_better, boost);
                all_params.push(params);
            }
        }
        for params in &all_params {
            for (value, frontier) in odd.into_iter().flat_map(|value| odd.map(|frontier| (value, frontier))) {
                let scored = score(params, &run(value, frontier)).unwrap();
                let is_sound = value.is_finite() && frontier.is_finite() && (value > 0.0 || (value == 0.0 && !params.lower_is_better));
                assert!(!scored.pass || is_sound, "{value} over {frontier}: {scored:?}");
                let figures = scored.gain.map(|gain| [Some(gain.g), gain.g_eff, gain.difficulty]);
                let are_finite = figures.is_none_or(|figures| figures.into_iter().flatten().all(f64::is_finite));
                assert!(!scored.pass || are_finite, "{value} over {frontier}: {scored:?}");
            }
        }
        for (top1, kl) in odd.into_iter().flat_map(|top1| odd.map(|kl| (top1, kl))) {
            let label = with(&plain(), |run| (run.top1, run.kl) = (Some(top1), Some(kl)));
            assert_eq!(label.passes(), top1 == 1.0 && (0.0..=0.05).contains(&kl), "{top1} {kl}");
        }
    }

    #[test]
    fn a_latency_is_not_scored_as_a_speed() {
        for (recorded, wanted) in
            [(None, Ok(Label::XL)), (Some(false), Ok(Label::XL)), (Some(true), Err(ScoreError::Direction { recorded: true }))]
        {
            let mut measurement = run(120.0, 100.0);
            measurement.lower_is_better = recorded;
            assert_eq!(score(&plain(), &measurement).map(|scored| scored.label), wanted);
        }
    }

    #[test]
    fn every_step_says_what_was_compared() {
        let params = Params::preset("k3", Some(18.4435)).unwrap();
        let mut measurement = run(45.38, 40.02);
        measurement.kl = Some(0.03);
        measurement.guards = vec![Guard::new("12\u{1b}8", 3.4, 3.45)];
        let steps: Vec<(&str, String)> = score(&params, &measurement).unwrap().why.into_iter().map(|step| (step.rule, step.text)).collect();
        let wanted = [
            ("top1", "0.95 <= 1.0 <= 1: holds"),
            ("kl", "0 <= 0.03 <= 0.05: holds, but above the preferred 0.02"),
            ("guard", "\"12\\u{1b}8\": 3.4 / 3.45 = 0.9855072463768115 >= 0.98: holds"),
            ("gain", "g = (45.38 - 40.02) / 40.02 = 0.13393303348325836"),
            ("significance", "g = 0.13393303348325836 > 0.02: a significant gain"),
            ("fair gain", "g_fair = (45.38 - 40.02) / 18.4435 = 0.29061729064440045, sized by the reference"),
            ("difficulty", "D = 1, for there is no boost"),
            ("cap", "g_eff = min(g_fair * D, g) = min(0.29061729064440045, 0.13393303348325836) = 0.13393303348325836"),
            ("tier", "g_eff = 0.13393303348325836 >= 0.1: L"),
        ];
        assert_eq!(steps, wanted.map(|(rule, text)| (rule, text.to_owned())));
    }

    #[test]
    fn a_divergence_is_warned_of_between_the_preferred_one_and_the_bar() {
        for (kl, wanted) in [
            (0.02, "0 <= 0.02 <= 0.05: holds"),
            (0.021, "0 <= 0.021 <= 0.05: holds, but above the preferred 0.02"),
            (0.051, "0 <= 0.051 <= 0.05: fails"),
        ] {
            let mut measurement = run(120.0, 100.0);
            measurement.kl = Some(kl);
            let why = score(&plain(), &measurement).unwrap().why;
            assert_eq!(why.iter().find(|step| step.rule == "kl").unwrap().text, wanted);
        }
    }

    #[test]
    fn only_a_speed_with_a_tier_is_so_much_of_its_ceiling() {
        let of_ceiling = |lower_is_better: bool, value: f64| {
            let mut params = plain();
            params.lower_is_better = lower_is_better;
            let mut measurement = run(value, 100.0);
            measurement.ceiling = Some(200.0);
            score(&params, &measurement).unwrap().rounded.pct_of_ceiling
        };
        assert_eq!((of_ceiling(false, 120.0), of_ceiling(false, 95.0)), (Some(60.0), None));
        assert_eq!((of_ceiling(true, 80.0), of_ceiling(true, 120.0)), (None, None));
    }

    #[test]
    fn printed_figures_are_rounded_as_python_rounds() {
        assert_eq!(round(2.675, 2), 2.67);
        assert_eq!(round(0.125, 2), 0.12);
        assert_eq!(round(0.375, 2), 0.38);
        assert_eq!(round(5e-5, 4), 0.0001);
        assert_eq!(round(45.385, 2), 45.38);
        assert!(round(-0.001, 2).is_sign_negative());
        let mut measurement = run(45.38, 40.02);
        measurement.ceiling = Some(60.0);
        let rounded = score(&Params::preset("classic", Some(18.4435)).unwrap(), &measurement).unwrap().rounded;
        let percent = (rounded.pct_over_frontier, rounded.pct_of_ceiling, rounded.effective_pct);
        assert_eq!((rounded.delta, percent), (Some(5.36), (Some(13.4), Some(75.6), Some(26.8))));
    }

    #[test]
    fn labels_have_the_names_that_producers_write() {
        for label in Label::ALL {
            assert_eq!(Label::from_name(label.name()), Some(label));
            assert_eq!(label.passes(), label.name() != "REJECT");
        }
        assert_eq!(Label::from_name("xl"), None);
    }
}

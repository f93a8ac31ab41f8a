//! The accuracy gate: a candidate's agreement with the baseline, readable only beside the baseline's agreement with itself.

use serde::{Deserialize, Serialize};

use super::data::{self, DataError};
use crate::text::{escape, quoted};

/// The part of the positions that may be left out: with more of them, what was not looked at outweighs what was.
const MOST_SKIPPED: f64 = 0.5;

/// The result of an accuracy gate. Higher values are better.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gate {
    #[expect(dead_code, reason = "that it can be read says that the format is known")]
    format: Format,
    metric: String,
    bar: f64,
    candidate: f64,
    /// The baseline against another instance of itself.
    control: Option<f64>,
    /// The part of the positions that were left out, from 0 to 1.
    skipped_fraction: Option<f64>,
    /// What an evaluation of the task itself said, where there was one.
    task_level: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
enum Format {
    #[serde(rename = "receipt-gate/1")]
    One,
}

/// What the result of a gate comes to.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct GateCheck {
    /// Whether the candidate passes, and whether the gate can say so.
    pub result: GateResult,
    /// What was compared.
    pub metric: String,
    /// What has to be reached.
    pub bar: f64,
    /// What the candidate reached.
    pub candidate: f64,
    /// What the baseline reached against itself.
    pub control: Option<f64>,
    /// The part of the positions that were left out.
    pub skipped_fraction: Option<f64>,
    /// What an evaluation of the task said; `SKIPPED` where there was none.
    pub task_level: String,
    /// Why the comparison may not be published.
    pub reasons: Vec<String>,
}

/// What a gate says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum GateResult {
    /// The candidate reaches the bar, and so does the control.
    Pass,
    /// The control reaches the bar, the candidate does not.
    Fail,
    /// The control itself does not reach the bar, so that the gate measures something else than the candidate.
    Unsound,
    /// There is no control, the bar stops nothing, or more than half of the positions were left out, so that nobody can say.
    Unreadable,
}

impl GateResult {
    /// The name, as it is in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Unsound => "unsound",
            Self::Unreadable => "unreadable",
        }
    }
}

/// What an evaluation of the task may say of a comparison that is published.
const TASK_LEVEL: [&str; 4] = ["pass", "passed", "ok", "skipped"];

impl Gate {
    /// Reads the result of a gate in JSON.
    ///
    /// # Errors
    /// Where it is malformed or says something unknown.
    pub fn read(bytes: &[u8]) -> Result<Self, DataError> {
        data::read(bytes)
    }

    pub(crate) fn check(&self) -> GateCheck {
        let (result, reason) = match (self.control, self.skipped_fraction) {
            _ if self.bar <= 0.0 => (GateResult::Unreadable, Some(format!("a bar of {} stops nothing", self.bar))),
            (_, Some(skipped)) if !(0.0..=MOST_SKIPPED).contains(&skipped) => {
                (GateResult::Unreadable, Some(format!("the part {skipped} of the positions was left out; from 0 to {MOST_SKIPPED} may be")))
            }
            (None, _) => (GateResult::Unreadable, Some("it has no self-comparison control".to_owned())),
            (Some(control), _) if control < self.bar => {
                (GateResult::Unsound, Some(format!("its own control reaches {control}, below the bar of {}", self.bar)))
            }
            _ if self.candidate < self.bar => {
                (GateResult::Fail, Some(format!("the candidate reaches {}, below the bar of {}", self.candidate, self.bar)))
            }
            _ => (GateResult::Pass, None),
        };
        let task_level = self.task_level.as_deref().unwrap_or("SKIPPED");
        let is_no_objection = TASK_LEVEL.iter().any(|word| word.eq_ignore_ascii_case(task_level));
        let objection = (!is_no_objection).then(|| format!("the evaluation of the task says {}", quoted(task_level)));
        let metric = escape(&self.metric);
        GateCheck {
            result,
            bar: self.bar,
            candidate: self.candidate,
            control: self.control,
            skipped_fraction: self.skipped_fraction,
            task_level: escape(task_level),
            reasons: reason.into_iter().chain(objection).map(|reason| format!("accuracy gate {metric}: {reason}")).collect(),
            metric,
        }
    }
}

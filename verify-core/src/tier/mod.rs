//! The tier function: which label measurements earn, and why.
//!
//! Producers label a run by one rule: correctness gates first, then guards, then the gain over the best speed so far (the
//! frontier), sized against a reference. The rule has had two versions and many settings, so all of its figures are data
//! ([`Params`]). It is arithmetic only: nothing here says that a figure is true, or that an enclave saw it.
//!
//! ```
//! use verify_core::tier::{Label, Measurement, Params, score};
//!
//! let params = Params::preset("k3", Some(18.4435))?;
//! let mut measurement = Measurement::default();
//! (measurement.value, measurement.frontier) = (Some(45.38), Some(40.02));
//! (measurement.top1, measurement.kl) = (Some(1.0), Some(0.0067));
//! assert_eq!(score(&params, &measurement)?.label, Label::L);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod figures;
mod measurement;
mod params;
mod rule;

pub use measurement::{Figure, Guard, Measurement, MeasurementError};
pub use params::{Params, ParamsError};
pub use rule::{Gain, Label, Rounded, ScoreError, Scored, Step, score};

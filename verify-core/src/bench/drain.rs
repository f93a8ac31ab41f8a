//! The record of draining the accelerators between two arms: what still held memory, and what was killed.

use serde::{Deserialize, Serialize};

use super::arm::Arm;
use super::data::{self, DataError};
use crate::text::quoted;

/// The highest threshold, in MiB, below which an accelerator counts as drained: what a small model needs. Contexts and drivers hold less
/// than 1 GiB.
const MOST_MIB: f64 = 4096.0;

/// A drain record: one entry for each boundary between arms.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drain {
    #[expect(dead_code, reason = "that it can be read says that the format is known")]
    format: Format,
    boundaries: Vec<Boundary>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
enum Format {
    #[serde(rename = "receipt-drain/1")]
    One,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Boundary {
    at: String,
    threshold_mib: f64,
    gpus: Vec<Gpu>,
    /// What was ended to free memory. That nothing was is said by an empty list.
    killed: Option<Vec<Killed>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Gpu {
    index: u64,
    used_mib: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Killed {
    #[expect(dead_code, reason = "for those who read the record")]
    pid: u64,
    #[expect(dead_code, reason = "for those who read the record")]
    used_mib: f64,
}

/// What a drain record comes to.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct DrainCheck {
    /// Every accelerator was free at every boundary, by a threshold that tells so, and what was killed is recorded.
    pub clean: bool,
    /// The most that was in use on any accelerator, in MiB.
    pub max_used_mib: Option<f64>,
    /// The lowest threshold, in MiB.
    pub threshold_mib: Option<f64>,
    /// How many boundaries there are.
    pub boundaries: usize,
    /// How many processes were killed.
    pub killed: usize,
    /// Why it is not clean.
    pub reasons: Vec<String>,
}

impl Drain {
    /// Reads a drain record in JSON.
    ///
    /// # Errors
    /// Where it is malformed or says something unknown.
    pub fn read(bytes: &[u8]) -> Result<Self, DataError> {
        data::read(bytes)
    }

    /// Holds the record against two arms.
    pub(crate) fn check(&self, a: &Arm, b: &Arm) -> DrainCheck {
        let mut reasons = Vec::new();
        if self.boundaries.is_empty() {
            reasons.push("drain: no boundary between arms is recorded".to_owned());
        }
        let gpus = [a, b].into_iter().find_map(|arm| arm.fields.get("sweep.gpu_count")?.as_ref().ok()?.label().parse::<usize>().ok());
        for boundary in &self.boundaries {
            let at = quoted(&boundary.at);
            let mut indices: Vec<u64> = boundary.gpus.iter().map(|gpu| gpu.index).collect();
            indices.sort_unstable();
            indices.dedup();
            match gpus {
                _ if indices.is_empty() => reasons.push(format!("drain at {at}: no accelerator is recorded")),
                Some(gpus) if gpus != indices.len() => {
                    reasons.push(format!("drain at {at}: {} accelerators are recorded, the arms ran on {gpus}", indices.len()));
                }
                _ => {}
            }
            if !(0.0..=MOST_MIB).contains(&boundary.threshold_mib) {
                let threshold = boundary.threshold_mib;
                reasons.push(format!("drain at {at}: a threshold of {threshold} MiB tells nothing; at least 0 and at most {MOST_MIB} do"));
            }
            let dirty = boundary.gpus.iter().filter(|gpu| !(gpu.used_mib >= 0.0 && gpu.used_mib <= boundary.threshold_mib));
            reasons.extend(dirty.map(|gpu| {
                format!("drain at {at}: {} MiB in use on accelerator {}; allowed {}", gpu.used_mib, gpu.index, boundary.threshold_mib)
            }));
            if boundary.killed.is_none() {
                reasons.push(format!("drain at {at}: what was killed is not recorded"));
            }
        }
        let used = self.boundaries.iter().flat_map(|boundary| &boundary.gpus).map(|gpu| gpu.used_mib);
        DrainCheck {
            clean: reasons.is_empty(),
            max_used_mib: used.max_by(f64::total_cmp),
            threshold_mib: self.boundaries.iter().map(|boundary| boundary.threshold_mib).min_by(f64::total_cmp),
            boundaries: self.boundaries.len(),
            killed: self.boundaries.iter().filter_map(|boundary| boundary.killed.as_ref()).map(Vec::len).sum(),
            reasons,
        }
    }
}

//! The parameters of the tier function, as a file and as the presets of the known producers.

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};

use crate::crypto;

/// Every figure of the tier function.
///
/// Read with serde, from TOML on the command line; no key may be missing, and none has a default:
///
/// ```toml
/// version = 1
/// name = "mine"
/// cap = "g"
/// anchor = "auto"
/// lower_is_better = false
/// significance = 0.02
///
/// [bars]
/// top1 = 0.95
/// kl = 0.05
/// kl_prefer = 0.02
///
/// [difficulty]
/// reference = 18.4435
/// boost = false
/// k = 8.0
/// max = 1.5
///
/// [guards]
/// tolerance = 0.98
///
/// [tiers]
/// XL = 0.18
/// L = 0.1
/// M = 0.06
/// S = 0.035
///
/// [places]
/// value = 2
/// top1 = 4
/// kl = 9
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "ParamsFile")]
pub struct Params {
    pub(crate) name: String,
    pub(crate) cap: Cap,
    pub(crate) anchor: Anchor,
    /// Value and frontier are latencies: a gain is a reduction.
    pub(crate) lower_is_better: bool,
    /// A gain over the frontier counts only above this fraction of it.
    pub(crate) significance: f64,
    pub(crate) bars: Bars,
    pub(crate) difficulty: Difficulty,
    pub(crate) guards: Guards,
    pub(crate) tiers: Tiers,
    pub(crate) places: Places,
}

/// The version of the rule: the most that counts for a tier, in gains over the frontier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Cap {
    /// The gain itself: K3 since 2026-08-04.
    #[serde(rename = "g")]
    Gain,
    /// Twice the gain: the classic rule, and K3 before.
    #[serde(rename = "2g")]
    TwiceTheGain,
}

/// What a gain is measured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Anchor {
    /// The reference, where there is one.
    Auto,
    /// The frontier: the reference measures something else.
    Off,
}

/// The correctness gates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Bars {
    /// The least fraction of tokens that agree with the reference's first choice.
    pub(crate) top1: f64,
    /// The greatest mean KL divergence, in nats.
    pub(crate) kl: f64,
    /// A divergence above this one is warned of.
    pub(crate) kl_prefer: f64,
}

/// The reference, and how much harder a gain is beyond it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Difficulty {
    /// Speed (or latency) of the reference; 0 for none.
    pub(crate) reference: f64,
    pub(crate) boost: bool,
    pub(crate) k: f64,
    pub(crate) max: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Guards {
    /// The least ratio of a guarded speed to its base.
    pub(crate) tolerance: f64,
}

/// The least fair gain of each tier, from the highest down. Every other significant gain is XS.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tiers {
    #[serde(rename = "XL")]
    pub(crate) xl: f64,
    #[serde(rename = "L")]
    pub(crate) l: f64,
    #[serde(rename = "M")]
    pub(crate) m: f64,
    #[serde(rename = "S")]
    pub(crate) s: f64,
}

/// Decimal places to which the producer rounds the figures that it records. The rule itself rounds nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Places {
    pub(crate) value: usize,
    pub(crate) top1: usize,
    pub(crate) kl: usize,
}

/// The most decimal places that say something about a double of ordinary size.
const MOST_PLACES: usize = 17;

/// Why parameters were refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParamsError {
    /// The parameters have another version than 1.
    #[error("parameters of version {0} are not supported; wanted version = 1")]
    Version(u32),
    /// `name` is blank.
    #[error("name is blank; give the parameters a name")]
    Name,
    /// A figure is outside of its range.
    #[error("{key} is {found:?}; wanted {wanted}")]
    Figure {
        /// The key of the file.
        key: &'static str,
        /// The figure found.
        found: f64,
        /// What it must be.
        wanted: &'static str,
    },
    /// The tiers do not fall from XL to S.
    #[error("[tiers] has to fall: XL > L > M > S")]
    Tiers,
    /// No preset has this name.
    #[error("{0:?} is no preset; wanted \"k3\", \"k3-2026-07\" or \"classic\"")]
    Preset(String),
    /// The preset has no reference of its own.
    #[error("the preset {0:?} needs a reference: the speed that gains are sized by, as pinned for the run; 0 for none")]
    Reference(String),
}

/// The form in which parameters are written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ParamsFile {
    version: u32,
    name: String,
    cap: Cap,
    anchor: Anchor,
    lower_is_better: bool,
    significance: f64,
    bars: Bars,
    difficulty: Difficulty,
    guards: Guards,
    tiers: Tiers,
    places: Places,
}

impl Params {
    /// The names of the presets.
    pub const PRESETS: [&'static str; 3] = ["k3", "k3-2026-07", "classic"];

    /// The parameters of a known producer: `k3` (the K3 log since 2026-08-04), `k3-2026-07` (the same log before, with the
    /// bars of its first days) or `classic` (the older log).
    ///
    /// `reference` is the speed that gains are sized by. It moves with every node and metric, so the K3 presets have none.
    ///
    /// # Errors
    ///
    /// The preset is unknown, it needs a reference, or the reference is negative or not finite.
    pub fn preset(name: &str, reference: Option<f64>) -> Result<Self, ParamsError> {
        let strict = Bars { top1: 0.95, kl: 0.05, kl_prefer: 0.02 };
        let first = Bars { top1: 0.90, kl: 0.20, kl_prefer: 0.15 };
        let (cap, bars, own_reference, kl_places) = match name {
            "k3" => (Cap::Gain, strict, None, 9),
            "k3-2026-07" => (Cap::TwiceTheGain, first, None, 4),
            "classic" => (Cap::TwiceTheGain, first, Some(365.85), 4),
            _ => return Err(ParamsError::Preset(name.to_owned())),
        };
        Self {
            name: name.to_owned(),
            cap,
            anchor: Anchor::Auto,
            lower_is_better: false,
            significance: 0.02,
            bars,
            difficulty: Difficulty {
                reference: reference.or(own_reference).ok_or_else(|| ParamsError::Reference(name.to_owned()))?,
                boost: false,
                k: 8.0,
                max: 1.5,
            },
            guards: Guards { tolerance: 0.98 },
            tiers: Tiers { xl: 0.18, l: 0.10, m: 0.06, s: 0.035 },
            places: Places { value: 2, top1: 4, kl: kl_places },
        }
        .checked()
    }

    /// The parameters' own name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// SHA-256 over the parameters' JSON form, as 64 lower-case hex digits: parameters with one digest score alike.
    pub fn digest(&self) -> String {
        let json = serde_json::to_vec(self).unwrap_or_default();
        HEXLOWER.encode(&crypto::sha256([json.as_slice()]))
    }

    fn checked(self) -> Result<Self, ParamsError> {
        if self.name.trim().is_empty() {
            return Err(ParamsError::Name);
        }
        let not_negative = |figure: f64| figure.is_finite() && figure >= 0.0;
        let fraction = |figure: f64| (0.0..=1.0).contains(&figure);
        let Self { significance, bars, difficulty, guards, tiers, .. } = &self;
        for (key, found, wanted, holds) in [
            ("significance", *significance, "a fraction from 0 to 1", fraction(*significance)),
            ("bars.top1", bars.top1, "a fraction from 0 to 1", fraction(bars.top1)),
            ("bars.kl", bars.kl, "a finite number from 0", not_negative(bars.kl)),
            ("bars.kl_prefer", bars.kl_prefer, "a finite number from 0", not_negative(bars.kl_prefer)),
            ("difficulty.reference", difficulty.reference, "a finite number from 0", not_negative(difficulty.reference)),
            ("difficulty.k", difficulty.k, "a finite number from 0", not_negative(difficulty.k)),
            ("difficulty.max", difficulty.max, "a finite number from 1", not_negative(difficulty.max) && difficulty.max >= 1.0),
            ("guards.tolerance", guards.tolerance, "a fraction from 0 to 1", fraction(guards.tolerance)),
            ("tiers.XL", tiers.xl, "a finite number from 0", not_negative(tiers.xl)),
            ("tiers.S", tiers.s, "a finite number from 0", not_negative(tiers.s)),
        ] {
            if !holds {
                return Err(ParamsError::Figure { key, found, wanted });
            }
        }
        if !(tiers.xl > tiers.l && tiers.l > tiers.m && tiers.m > tiers.s) {
            return Err(ParamsError::Tiers);
        }
        let Places { value, top1, kl } = self.places;
        for (key, places) in [("places.value", value), ("places.top1", top1), ("places.kl", kl)] {
            if places > MOST_PLACES {
                let found = u32::try_from(places).map_or(f64::INFINITY, f64::from);
                return Err(ParamsError::Figure { key, found, wanted: "at most 17 places" });
            }
        }
        Ok(self)
    }
}

impl TryFrom<ParamsFile> for Params {
    type Error = ParamsError;

    fn try_from(file: ParamsFile) -> Result<Self, ParamsError> {
        let ParamsFile { version, name, cap, anchor, lower_is_better, significance, bars, difficulty, guards, tiers, places } = file;
        match version {
            1 => Self { name, cap, anchor, lower_is_better, significance, bars, difficulty, guards, tiers, places }.checked(),
            _ => Err(ParamsError::Version(version)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The preset `k3` for a reference of 18.4435, as a file.
    const K3: &str = r#"
version = 1
name = "k3"
cap = "g"
anchor = "auto"
lower_is_better = false
significance = 0.02
bars = { top1 = 0.95, kl = 0.05, kl_prefer = 0.02 }
difficulty = { reference = 18.4435, boost = false, k = 8, max = 1.5 }
guards = { tolerance = 0.98 }
tiers = { XL = 0.18, L = 0.10, M = 0.06, S = 0.035 }
places = { value = 2, top1 = 4, kl = 9 }
"#;

    fn with(old: &str, new: &str) -> Result<Params, String> {
        assert_eq!(K3.matches(old).count(), 1, "{old}");
        toml::from_str(&K3.replace(old, new)).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn what_is_written_is_what_is_read() {
        assert_eq!(with("version = 1", "version = 1").unwrap(), Params::preset("k3", Some(18.4435)).unwrap());
    }

    #[test]
    fn nothing_unknown_and_nothing_left_out() {
        for (old, new, said) in [
            ("version = 1", "version = 2", "version 2 are not supported"),
            ("version = 1", "version = 1\nwhat = 1", "unknown field `what`"),
            ("name = \"k3\"", "name = \" \"", "name is blank"),
            ("cap = \"g\"", "cap = \"3g\"", "unknown variant `3g`"),
            ("anchor = \"auto\"", "anchor = \"maybe\"", "unknown variant `maybe`"),
            (" boost = false,", "", "missing field `boost`"),
            ("reference = 18.4435,", "", "missing field `reference`"),
            ("tolerance = 0.98", "tolerance = 0.98, others = 1", "unknown field `others`"),
        ] {
            let error = with(old, new).unwrap_err();
            assert!(error.contains(said), "{old} -> {new}: {error}");
        }
    }

    #[test]
    fn figures_have_their_range() {
        for (old, new, said) in [
            ("top1 = 0.95", "top1 = 1.01", "bars.top1 is 1.01"),
            ("top1 = 0.95", "top1 = nan", "bars.top1 is NaN"),
            ("kl = 0.05", "kl = -0.05", "bars.kl is -0.05"),
            ("kl_prefer = 0.02", "kl_prefer = inf", "bars.kl_prefer is inf"),
            ("reference = 18.4435", "reference = -1", "difficulty.reference is -1.0"),
            ("reference = 18.4435", "reference = inf", "difficulty.reference is inf"),
            ("k = 8", "k = nan", "difficulty.k is NaN"),
            ("max = 1.5", "max = 0.5", "difficulty.max is 0.5"),
            ("tolerance = 0.98", "tolerance = nan", "guards.tolerance is NaN"),
            ("XL = 0.18", "XL = inf", "tiers.XL is inf"),
            (" L = 0.10", " L = 0.18", "has to fall"),
            (" L = 0.10", " L = nan", "has to fall"),
            (" L = 0.10", " L = 0.06", "has to fall"),
            (" M = 0.06", " M = 0.035", "has to fall"),
            ("significance = 0.02", "significance = nan", "significance is NaN"),
            ("value = 2", "value = 18", "places.value is 18.0"),
        ] {
            let error = with(old, new).unwrap_err();
            assert!(error.contains(said), "{old} -> {new}: {error}");
        }
        assert!(with("value = 2", "value = 17").is_ok());
    }

    #[test]
    fn only_the_classic_preset_has_a_reference() {
        assert_eq!(Params::preset("classic", None).unwrap().difficulty.reference, 365.85);
        assert_eq!(Params::preset("classic", Some(0.0)).unwrap().difficulty.reference, 0.0);
        assert_eq!(Params::preset("k3", None), Err(ParamsError::Reference("k3".to_owned())));
        assert_eq!(Params::preset("k4", None), Err(ParamsError::Preset("k4".to_owned())));
        assert!(matches!(Params::preset("k3", Some(f64::NAN)), Err(ParamsError::Figure { key: "difficulty.reference", .. })));
        for name in Params::PRESETS {
            assert_eq!(Params::preset(name, Some(1.0)).unwrap().name(), name);
        }
    }

    #[test]
    fn a_digest_tells_parameters_apart() {
        let digest = |reference| Params::preset("k3", Some(reference)).unwrap().digest();
        assert_eq!(digest(16.7026), digest(16.7026));
        assert_ne!(digest(16.7026), digest(18.4435));
    }
}

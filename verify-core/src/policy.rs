//! Policies: what is required, and what each tunable finding does. A policy holds no keys and can switch off no
//! integrity check.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};

use crate::crypto;
use crate::expectation::{COMMIT_DIGITS, Field, Form};
use crate::problem::{Code, Effect};
use crate::report::{Obligation, PolicyInForce};
use crate::text::{escape, is_hex};

/// What a report is judged by.
///
/// Built in are [`Policy::strict`] and [`Policy::authenticity`]. Any other policy starts from one of the two and is read
/// with serde, from TOML on the command line:
///
/// ```toml
/// version = 1
/// name = "my validator"
/// base = "strict"
/// images = ["sha256:<64 hex digits>"]
///
/// [effects]
/// "provenance.clocks-unpinned" = "notes"
///
/// [[enclave]]
/// name = "scorer of August"
/// mrtd = "<96 hex digits>"
/// rtmr0 = "<96 hex digits>"
/// rtmr1 = "<96 hex digits>"
/// rtmr2 = "<96 hex digits>"
/// rtmr3 = "<96 hex digits>"
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "PolicyFile")]
pub struct Policy {
    pub(crate) name: String,
    pub(crate) effects: BTreeMap<Code, Effect>,
    pub(crate) any_enclave: bool,
    pub(crate) any_image: bool,
    pub(crate) enclaves: Vec<EnclavePin>,
    pub(crate) images: Vec<String>,
    pub(crate) minimum_tcb_evaluation: Option<u32>,
    #[serde(serialize_with = "write_age")]
    pub(crate) maximum_age: Option<Duration>,
    pub(crate) accept: Accepted,
}

/// Why a policy was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// The policy has another version than 1.
    #[error("policy version {0} is not supported; wanted version = 1")]
    Version(u32),
    /// `name` is empty, or that of a built-in policy.
    #[error("name = {0:?} is empty or the name of a built-in policy; give this one a name of its own")]
    Name(String),
    /// `base` names no built-in policy.
    #[error("base = {0:?} is no built-in policy; wanted \"strict\" or \"authenticity\"")]
    Base(String),
    /// A key of `[effects]` is not a code of the registry.
    #[error("[effects] names {0:?}, which is no code; `receipt explain` lists them all")]
    UnknownCode(String),
    /// An effect is not one that the code may take.
    #[error("[effects] sets {code} to {effect:?}; it may be {allowed}")]
    NotTunable {
        /// The code.
        code: &'static str,
        /// What the policy asked for.
        effect: String,
        /// What the registry allows.
        allowed: String,
    },
    /// A maximum age is no length of time.
    #[error("maximum_age = {0:?} is no length of time; wanted a number and a unit, such as \"30d\" or \"12h\"")]
    Age(String),
    /// A pinned value has the wrong length or alphabet.
    #[error("{field} holds {value:?}; wanted {wanted}")]
    Pin {
        /// The key of the policy.
        field: &'static str,
        /// The value found.
        value: String,
        /// What it must look like.
        wanted: &'static str,
    },
}

/// One accepted set of enclave measurements: all five registers have to match. 48 bytes each, as lower-case hex.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EnclavePin {
    pub(crate) name: String,
    pub(crate) mrtd: String,
    pub(crate) rtmr0: String,
    pub(crate) rtmr1: String,
    pub(crate) rtmr2: String,
    pub(crate) rtmr3: String,
}

/// Accepted values of fields of the receipt; an empty list accepts every value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Accepted {
    pub(crate) commit: Vec<String>,
    pub(crate) repository: Vec<String>,
    pub(crate) model_sha256: Vec<String>,
    pub(crate) scorer: Vec<String>,
    pub(crate) requester_key: Vec<String>,
}

impl Accepted {
    /// The fields for which values are listed, with the values.
    pub(crate) fn pins(&self) -> impl Iterator<Item = (Field, &[String])> {
        let pins = [
            (Field::Commit, &self.commit),
            (Field::Repository, &self.repository),
            (Field::Model, &self.model_sha256),
            (Field::Scorer, &self.scorer),
            (Field::RequesterKey, &self.requester_key),
        ];
        pins.into_iter().map(|(field, values)| (field, values.as_slice())).filter(|(_, values)| !values.is_empty())
    }
}

/// The form in which a policy is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyFile {
    version: u32,
    name: String,
    base: String,
    #[serde(default)]
    effects: BTreeMap<String, String>,
    #[serde(default)]
    any_enclave: Option<bool>,
    #[serde(default)]
    any_image: Option<bool>,
    #[serde(default, rename = "enclave")]
    enclaves: Vec<EnclavePin>,
    #[serde(default)]
    images: Vec<String>,
    #[serde(default)]
    minimum_tcb_evaluation: Option<u32>,
    #[serde(default)]
    maximum_age: Option<String>,
    #[serde(default)]
    accept: Accepted,
}

impl Policy {
    /// The names of the built-in policies.
    pub const BUILT_IN: [&'static str; 2] = ["strict", "authenticity"];

    /// Every finding has the effect of the registry; enclave and image have to be pinned. This is the default.
    pub fn strict() -> Self {
        Self {
            name: "strict".to_owned(),
            effects: BTreeMap::new(),
            any_enclave: false,
            any_image: false,
            enclaves: Vec::new(),
            images: Vec::new(),
            minimum_tcb_evaluation: None,
            maximum_age: None,
            accept: Accepted::default(),
        }
    }

    /// Asks only whether the evidence is authentic: like strict, with provenance, non-finite numbers, scorer, input and an
    /// absent verdict as notes, any enclave and any image.
    pub fn authenticity() -> Self {
        let noted = [
            Code::JsonNonFinite,
            Code::ProvenanceClocks,
            Code::ProvenanceBuildHash,
            Code::ProvenanceLlamaCpp,
            Code::ProvenanceModel,
            Code::ProvenanceEvalSeed,
            Code::WorkloadUnknown,
            Code::InputNotRecovered,
            Code::ScorerUnknown,
            Code::ScorerNotRerun,
            Code::VerdictNotAttested,
        ];
        Self {
            name: "authenticity".to_owned(),
            effects: noted.into_iter().map(|code| (code, Effect::Notes)).collect(),
            any_enclave: true,
            any_image: true,
            ..Self::strict()
        }
    }

    /// The built-in policy of this name.
    pub fn built_in(name: &str) -> Option<Self> {
        match name {
            "strict" => Some(Self::strict()),
            "authenticity" => Some(Self::authenticity()),
            _ => None,
        }
    }

    /// This policy, but with collateral of evaluation number `minimum` or later; never milder than before.
    pub fn with_minimum_tcb_evaluation(mut self, minimum: u32) -> Self {
        self.minimum_tcb_evaluation = self.minimum_tcb_evaluation.max(Some(minimum));
        self
    }

    /// This policy, but with the newest collateral at most `age` old at the caller's now; never milder than before. `age` is a
    /// number with a unit: `30d`, `12h`, `90m`.
    ///
    /// # Errors
    /// [`PolicyError::Age`] if `age` is no length of time.
    pub fn with_maximum_age(mut self, age: &str) -> Result<Self, PolicyError> {
        let age = read_age(age.to_owned())?;
        self.maximum_age = Some(self.maximum_age.map_or(age, |known| known.min(age)));
        Ok(self)
    }

    /// The policy's own name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What `code` does under this policy.
    pub fn effect(&self, code: Code) -> Effect {
        self.effects.get(&code).copied().unwrap_or(code.info().default_effect)
    }

    /// This policy for collateral that the caller brought. Its faults are not the receipt's, so of what it may find only Intel's
    /// word about the platform refutes, if that collateral `is_usable`; everything else that would refute, prevents.
    pub(crate) fn for_fresh_collateral(&self, is_usable: bool) -> Self {
        let said_by_intel = [Code::CertificateRevoked, Code::TcbRevoked, Code::TcbNoLevel, Code::ModuleMismatch, Code::QeIdentityMismatch];
        let mut policy = self.clone();
        for code in Code::ALL.iter().filter(|code| !(is_usable && said_by_intel.contains(code))) {
            if self.effect(*code) == Effect::Refutes {
                policy.effects.insert(*code, Effect::Prevents);
            }
        }
        policy
    }

    /// Whether this policy limits the age of collateral, so that a request needs the current time.
    pub fn limits_age(&self) -> bool {
        self.maximum_age.is_some()
    }

    /// How a report names this policy; `found` are the codes of all its findings.
    pub(crate) fn in_force(&self, found: impl Iterator<Item = Code>) -> PolicyInForce {
        let softened: BTreeSet<Code> = found.filter(|code| self.effect(*code) < code.info().default_effect).collect();
        PolicyInForce {
            name: escape(&self.name),
            sha256: self.digest(),
            waivers: self.waived_pins(),
            softened: softened.into_iter().collect(),
        }
    }

    /// The pins that this policy waives, in the words of the headline; empty under `strict`.
    pub(crate) fn waived_pins(&self) -> Vec<&'static str> {
        let enclave = self.waives(Obligation::Enclave).then_some("any enclave");
        let image = self.waives(Obligation::Image).then_some("any image");
        enclave.into_iter().chain(image).collect()
    }

    /// Whether this policy asks for no pins where `obligation` would.
    pub(crate) fn waives(&self, obligation: Obligation) -> bool {
        match obligation {
            Obligation::Enclave => self.any_enclave && self.enclaves.is_empty(),
            Obligation::Image => self.any_image && self.images.is_empty(),
            _ => false,
        }
    }

    /// SHA-256 over the policy's JSON form, as 64 lower-case hex digits: two policies with one digest judge alike.
    pub fn digest(&self) -> String {
        let json = serde_json::to_vec(self).unwrap_or_default();
        HEXLOWER.encode(&crypto::sha256([json.as_slice()]))
    }
}

impl TryFrom<PolicyFile> for Policy {
    type Error = PolicyError;

    fn try_from(file: PolicyFile) -> Result<Self, PolicyError> {
        if file.version != 1 {
            return Err(PolicyError::Version(file.version));
        }
        let base = Self::built_in(&file.base).ok_or(PolicyError::Base(file.base))?;
        if Self::BUILT_IN.contains(&file.name.as_str()) || file.name.trim().is_empty() {
            return Err(PolicyError::Name(file.name));
        }
        let mut effects = base.effects;
        for (name, effect) in file.effects {
            let code = Code::from_name(&name).ok_or(PolicyError::UnknownCode(name))?;
            effects.insert(code, tuned(code, effect)?);
        }
        effects.retain(|code, effect| code.info().default_effect != *effect);
        for pin in &file.enclaves {
            for (field, value) in [
                ("enclave.mrtd", &pin.mrtd),
                ("enclave.rtmr0", &pin.rtmr0),
                ("enclave.rtmr1", &pin.rtmr1),
                ("enclave.rtmr2", &pin.rtmr2),
                ("enclave.rtmr3", &pin.rtmr3),
            ] {
                require(field, value, "96 lower-case hex digits", is_hex(value, 96))?;
            }
        }
        for image in &file.images {
            require("images", image, Form::Image.description(), Form::Image.fits(image))?;
        }
        for commit in &file.accept.commit {
            require("accept.commit", commit, "40 lower-case hex digits", is_hex(commit, COMMIT_DIGITS))?;
        }
        for (field, values, form) in [
            ("accept.model_sha256", &file.accept.model_sha256, Form::Sha256),
            ("accept.scorer", &file.accept.scorer, Form::Sha256),
            ("accept.requester_key", &file.accept.requester_key, Form::Key),
        ] {
            for value in values {
                require(field, value, form.description(), form.fits(value))?;
            }
        }
        Ok(Self {
            name: file.name,
            effects,
            any_enclave: file.any_enclave.unwrap_or(base.any_enclave),
            any_image: file.any_image.unwrap_or(base.any_image),
            enclaves: file.enclaves,
            images: file.images,
            minimum_tcb_evaluation: file.minimum_tcb_evaluation,
            maximum_age: file.maximum_age.map(read_age).transpose()?,
            accept: file.accept,
        })
    }
}

fn tuned(code: Code, effect: String) -> Result<Effect, PolicyError> {
    let info = code.info();
    let allowed = || std::iter::once(info.default_effect).chain(info.tunable.iter().copied());
    allowed().find(|candidate| candidate.name() == effect).ok_or_else(|| PolicyError::NotTunable {
        code: info.name,
        effect,
        allowed: allowed().map(Effect::name).collect::<Vec<_>>().join(" or "),
    })
}

/// Whole seconds: instants are compared in them.
fn read_age(text: String) -> Result<Duration, PolicyError> {
    match humantime::parse_duration(&text) {
        Ok(age) if age.subsec_nanos() == 0 => Ok(age),
        _ => Err(PolicyError::Age(text)),
    }
}

fn write_age<S: serde::Serializer>(age: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    age.map(show_age).serialize(serializer)
}

/// An age in the largest unit that leaves no rest.
pub(crate) fn show_age(age: Duration) -> String {
    let seconds = age.as_secs();
    let units = [("d", 86_400), ("h", 3_600), ("m", 60)];
    let whole = units.into_iter().find(|(_, size)| seconds != 0 && seconds.is_multiple_of(*size));
    whole.map_or_else(|| format!("{seconds}s"), |(unit, size)| format!("{}{unit}", seconds.checked_div(size).unwrap_or_default()))
}

fn require(field: &'static str, value: &str, wanted: &'static str, holds: bool) -> Result<(), PolicyError> {
    match holds {
        true => Ok(()),
        false => Err(PolicyError::Pin { field, value: value.to_owned(), wanted }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// A policy that only asks for genuine evidence, with these members set.
    fn policy(members: &Value) -> Result<Policy, String> {
        let mut file = json!({ "version": 1, "name": "ours", "base": "authenticity" });
        file.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        serde_json::from_value(file).map_err(|error| error.to_string())
    }

    fn enclave(digits: &str) -> Value {
        let register = digits.repeat(48);
        json!([{ "name": "a", "mrtd": register, "rtmr0": register, "rtmr1": register, "rtmr2": register, "rtmr3": register }])
    }

    #[test]
    fn a_pin_is_waived_only_where_none_is_listed() {
        let waived = |members: Value| policy(&members).unwrap().waived_pins();
        let image = format!("sha256:{}", "0".repeat(64));
        assert_eq!(waived(json!({})), ["any enclave", "any image"]);
        assert_eq!(waived(json!({ "enclave": enclave("ab") })), ["any image"]);
        assert_eq!(waived(json!({ "images": [image] })), ["any enclave"]);
        assert_eq!(waived(json!({ "base": "strict" })), [""; 0]);
        assert_eq!(waived(json!({ "base": "strict", "any_image": true })), ["any image"]);
    }

    #[test]
    fn what_is_malformed_is_no_policy() {
        for (members, why) in [
            (json!({ "name": "strict" }), "strict"),
            (json!({ "name": " " }), "name"),
            (json!({ "enclave": enclave("AB") }), "enclave.mrtd"),
            (json!({ "images": ["sha256:0"] }), "images"),
            (json!({ "accept": { "commit": ["6700d34"] } }), "accept.commit"),
            (json!({ "accept": { "model_sha256": ["0"] } }), "accept.model_sha256"),
        ] {
            let error = policy(&members).err().unwrap_or_else(|| panic!("taken: {members}"));
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn an_age_is_shown_in_the_largest_unit_without_a_rest() {
        for (seconds, shown) in [(0, "0s"), (59, "59s"), (90, "90s"), (120, "2m"), (7200, "2h"), (86_400, "1d"), (90_000, "25h")] {
            assert_eq!(show_age(Duration::from_secs(seconds)), shown);
        }
        assert!(!Policy::strict().limits_age());
    }
}

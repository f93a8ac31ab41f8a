//! The table of vectors: what each one changes, and what a verifier has to find.

mod binding;
mod certificates;
mod collateral;
mod input;
mod meaning;
mod policy;
mod quote;
mod reading;
mod tcb;

use crate::edits::Edit;
use crate::json::{Json, token};
use crate::receipt::Material;

/// Always found where a receipt could be read: its chain block is covered by nothing.
const USUAL: &str = "chain.unchecked";

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Outcome {
    Verified,
    UnderProvenanced,
    Unverifiable,
    Invalid,
}

impl Outcome {
    fn name(self) -> &'static str {
        match self {
            Outcome::Verified => "verified",
            Outcome::UnderProvenanced => "under-provenanced",
            Outcome::Unverifiable => "unverifiable",
            Outcome::Invalid => "invalid",
        }
    }
}

/// Whose root and TCB signing certificate the verifier is given.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Anchors {
    Test,
    OtherTest,
    Intel,
}

/// One vector.
pub(crate) struct Vector {
    pub(crate) id: String,
    rule: String,
    base: fn() -> Material,
    changes: Vec<Edit<Material>>,
    policy: &'static str,
    anchors: Anchors,
    at: Option<&'static str>,
    outcome: Outcome,
    pub(crate) codes: Vec<&'static str>,
    flags: Option<(bool, bool)>,
    /// A file beside the receipt, after the manifest's member that names it: `input` or `result`.
    beside: Option<(&'static str, String)>,
}

/// A vector made from a receipt with a derived nonce.
fn classic(id: impl Into<String>, rule: impl Into<String>) -> Vector {
    Vector::new(id.into(), rule.into(), Material::classic, &[USUAL])
}

/// A vector made from a receipt whose enclave output holds no verdict.
fn echo(id: &str, rule: &str) -> Vector {
    Vector::new(id.into(), rule.into(), Material::echo, &[USUAL])
}

/// A vector made from a receipt with a random nonce: nothing in it leads to the enclave's input.
fn k3(id: &str, rule: &str) -> Vector {
    Vector::new(id.into(), rule.into(), Material::k3, &[USUAL, "input.not-recovered"])
}

/// A vector whose enclave may print anything: nobody knows its scorer, and the policy lets that pass.
fn any_output(id: &str, rule: &str, output: &'static str) -> Vector {
    Vector::new(id.into(), rule.into(), Material::echo, &[USUAL, "scorer.unknown"]).policy("any-scorer").change(move |m| {
        m.receipt.scorer = crate::receipt::digest("another scorer");
        m.receipt.output = output.to_owned();
    })
}

/// The receipt claims this verdict.
fn claim(label: &'static str, pass: bool) -> impl Fn(&mut Material) {
    move |m| {
        m.receipt.attestation.set("/verdict/label", label);
        m.receipt.attestation.set("/verdict/pass", pass);
    }
}

impl Vector {
    fn new(id: String, rule: String, base: fn() -> Material, usual: &[&'static str]) -> Self {
        Self {
            id,
            rule,
            base,
            changes: Vec::new(),
            policy: "test",
            anchors: Anchors::Test,
            at: None,
            outcome: Outcome::Verified,
            codes: usual.to_vec(),
            flags: None,
            beside: None,
        }
    }

    /// The verifier is told that this is the enclave's input.
    fn given(mut self, input: String) -> Self {
        self.beside = Some(("input", input));
        self
    }

    /// The verifier finds this result beside the receipt.
    fn published(mut self, result: String) -> Self {
        self.beside = Some(("result", result));
        self
    }

    fn change(mut self, change: impl Fn(&mut Material) + 'static) -> Self {
        self.changes.push(Box::new(change));
        self
    }

    fn policy(mut self, name: &'static str) -> Self {
        self.policy = name;
        self
    }

    fn anchors(mut self, anchors: Anchors) -> Self {
        self.anchors = anchors;
        self
    }

    fn at(mut self, instant: &'static str) -> Self {
        self.at = Some(instant);
        self
    }

    /// What the file says of itself: `intel_verified` and `report_data_match`.
    fn flags(mut self, intel_verified: bool, report_data_match: bool) -> Self {
        self.flags = Some((intel_verified, report_data_match));
        self
    }

    fn verified(self, codes: &[&'static str]) -> Self {
        self.expect(Outcome::Verified, codes)
    }

    fn thin(self, codes: &[&'static str]) -> Self {
        self.expect(Outcome::UnderProvenanced, codes)
    }

    fn unverifiable(self, codes: &[&'static str]) -> Self {
        self.expect(Outcome::Unverifiable, codes)
    }

    fn invalid(self, codes: &[&'static str]) -> Self {
        self.expect(Outcome::Invalid, codes)
    }

    fn expect(mut self, outcome: Outcome, codes: &[&'static str]) -> Self {
        self.outcome = outcome;
        self.codes.extend_from_slice(codes);
        self.codes.sort_unstable();
        self
    }

    /// The verifier gets no further than these codes.
    fn only(mut self, outcome: Outcome, codes: &[&'static str]) -> Self {
        self.codes.clear();
        self.expect(outcome, codes)
    }

    /// The flags that the file carries. Unless a vector is about them they say what the checks show: that
    /// everything about the evidence holds, and that the report data was compared and is right.
    fn written_flags(&self) -> (bool, bool) {
        let failed = matches!(self.outcome, Outcome::Unverifiable | Outcome::Invalid);
        let of_evidence = |code: &&str| {
            let stages = ["quote", "certificate", "sgx-extension", "collateral", "crl", "tcb-info", "qe-identity"];
            let more = ["window", "qe", "platform", "tdx-module", "tcb", "td", "limit"];
            let stage = code.split('.').next().unwrap_or_default();
            let harmless = ["collateral.unknown-item", "collateral.crl-as-text"];
            !harmless.contains(code) && (stages.contains(&stage) || more.contains(&stage))
        };
        let no_report_data = [
            "binding.report-data-mismatch",
            "limit.exceeded",
            "quote.malformed",
            "quote.truncated",
            "quote.version-unsupported",
            "receipt.malformed-field",
            "receipt.missing-member",
        ];
        self.flags
            .unwrap_or((!(failed && self.codes.iter().any(of_evidence)), !self.codes.iter().any(|code| no_report_data.contains(code))))
    }

    /// The bytes of the receipt.
    pub(crate) fn file(&self) -> Vec<u8> {
        let mut material = (self.base)();
        material.receipt.flags = self.written_flags();
        for change in &self.changes {
            change(&mut material);
        }
        material.file()
    }

    /// The file beside the receipt, by its path.
    pub(crate) fn beside(&self) -> Option<(String, Vec<u8>)> {
        self.beside.as_ref().map(|(_, text)| (self.beside_path(), text.clone().into_bytes()))
    }

    fn beside_path(&self) -> String {
        format!("beside/{}.json", self.id)
    }

    /// The entry in the manifest.
    pub(crate) fn entry(&self) -> Json {
        let text = |text: &str| Json::from(text);
        let anchors = match self.anchors {
            Anchors::Intel => text("intel"),
            Anchors::Test | Anchors::OtherTest => {
                let [root, tcb_signing] = self.anchors.files();
                Json::Object(vec![("root".into(), text(root)), ("tcb_signing".into(), text(tcb_signing))])
            }
        };
        let mut entry = vec![
            ("id".into(), text(&self.id)),
            ("rule".into(), text(&self.rule)),
            ("receipt".into(), format!("receipts/{}.json", self.id).into()),
            ("policy".into(), format!("policies/{}.toml", self.policy).into()),
            ("anchors".into(), anchors),
            ("at".into(), self.at.map_or_else(|| token("null"), text)),
            ("outcome".into(), text(self.outcome.name())),
            ("codes".into(), Json::List(self.codes.iter().map(|code| text(code)).collect())),
        ];
        entry.extend(self.beside.as_ref().map(|(member, _)| ((*member).to_owned(), self.beside_path().into())));
        Json::Object(entry)
    }
}

impl Anchors {
    /// Root and TCB signing certificate, relative to the vectors.
    pub(crate) fn files(self) -> [&'static str; 2] {
        match self {
            Anchors::Test => ["pki/root.pem", "pki/tcb_signing.pem"],
            Anchors::OtherTest => ["pki/other_root.pem", "pki/other_tcb_signing.pem"],
            Anchors::Intel => unreachable!("Intel's certificates are not ours to write"),
        }
    }
}

/// Every vector, in the order of the manifest.
pub(crate) fn all() -> Vec<Vector> {
    [
        reading::vectors(),
        quote::vectors(),
        certificates::vectors(),
        collateral::vectors(),
        tcb::vectors(),
        binding::vectors(),
        input::vectors(),
        meaning::vectors(),
        policy::vectors(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Replaces the one place where `old` stands.
fn replace(bytes: &mut Vec<u8>, old: &str, new: &str) {
    let text = String::from_utf8(std::mem::take(bytes)).expect("the file is text");
    assert_eq!(text.matches(old).count(), 1, "{old} does not stand exactly once");
    *bytes = text.replacen(old, new, 1).into_bytes();
}

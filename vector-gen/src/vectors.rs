//! The table of vectors: what each one changes, and what a verifier has to find.

mod bare;
mod binding;
mod certificates;
mod collateral;
mod expectations;
mod fresh;
mod input;
mod lessons;
mod limits;
mod meaning;
mod policy;
mod quote;
mod reading;
mod response;
mod runs;
mod signed;
mod tcb;
mod text;
mod tier;

use data_encoding::BASE64;

use crate::edits::Edit;
use crate::json::{self, Json};
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
    pub(crate) fn name(self) -> &'static str {
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

/// What is under test.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Subject {
    /// A receipt, judged under a policy.
    Receipt,
    /// A quote with its collateral and no receipt.
    Quote,
}

/// One vector.
pub(crate) struct Vector {
    pub(crate) id: String,
    pub(crate) subject: Subject,
    rule: String,
    base: fn() -> Material,
    changes: Vec<Edit<Material>>,
    policy: &'static str,
    anchors: Anchors,
    /// Trusted signers of receipts, as base64.
    signer_keys: Vec<String>,
    at: Option<&'static str>,
    now: Option<&'static str>,
    fresh: Option<Fresh>,
    expect: Vec<String>,
    input: Option<String>,
    beside: Option<Vec<Beside>>,
    score: Option<&'static str>,
    outcome: Outcome,
    pub(crate) codes: Vec<&'static str>,
    flags: Option<(bool, bool)>,
}

/// Fresher collateral beside the receipt, and the answer under it.
struct Fresh {
    changes: Vec<Edit<Material>>,
    /// The answer without it.
    as_carried: Outcome,
    outcome: Outcome,
    codes: Vec<&'static str>,
}

/// A file beside the receipt: its name, and its text for the finished receipt.
type Beside = (&'static str, Box<dyn Fn(&mut Json) -> String>);

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

/// A vector made from a quote and collateral alone.
fn bare(id: &str, rule: &str) -> Vector {
    Vector { subject: Subject::Quote, ..Vector::new(id.into(), rule.into(), Material::classic, &[]) }
}

impl Vector {
    fn new(id: String, rule: String, base: fn() -> Material, usual: &[&'static str]) -> Self {
        Self {
            id,
            subject: Subject::Receipt,
            rule,
            base,
            changes: Vec::new(),
            policy: "test",
            anchors: Anchors::Test,
            signer_keys: Vec::new(),
            at: None,
            now: None,
            fresh: None,
            expect: Vec::new(),
            input: None,
            beside: None,
            score: None,
            outcome: Outcome::Verified,
            codes: usual.to_vec(),
            flags: None,
        }
    }

    /// The verifier is told that this is the enclave's input.
    fn given(mut self, input: String) -> Self {
        self.input = Some(input);
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

    /// Trusts the signer with this key.
    fn trusting(mut self, key: impl AsRef<[u8]>) -> Self {
        self.signer_keys.push(BASE64.encode(key.as_ref()));
        self
    }

    fn at(mut self, instant: &'static str) -> Self {
        self.at = Some(instant);
        self
    }

    fn now(mut self, instant: &'static str) -> Self {
        self.now = Some(instant);
        self
    }

    /// What the caller expects of the receipt.
    fn expecting(mut self, expectations: &[&str]) -> Self {
        self.expect = expectations.iter().map(|expectation| (*expectation).to_owned()).collect();
        self
    }

    /// The receipt stands in a run directory, so far alone.
    fn in_run(mut self) -> Self {
        self.beside = Some(Vec::new());
        self
    }

    /// Puts a file beside the receipt.
    fn beside(mut self, name: &'static str, text: impl Fn(&mut Json) -> String + 'static) -> Self {
        self.beside.get_or_insert_default().push((name, Box::new(text)));
        self
    }

    /// The parameters by which the claimed tier is derived again.
    fn score(mut self, name: &'static str) -> Self {
        self.score = Some(name);
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

    /// The verifier does not get as far as this code, which its kind usually has.
    fn without(mut self, code: &str) -> Self {
        self.codes.retain(|usual| *usual != code);
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
            let more = ["window", "qe", "platform", "tdx-module", "tcb", "td", "sgx-enclave", "limit"];
            let stage = code.split('.').next().unwrap_or_default();
            let harmless = ["unknown-item", "crl-as-text", "too-old", "age-unknown", "not-fresh"].map(|what| format!("collateral.{what}"));
            !harmless.iter().any(|harmless| harmless == code) && (stages.contains(&stage) || more.contains(&stage))
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

    /// The files under test, by their paths.
    pub(crate) fn files(&self) -> Vec<(String, Vec<u8>)> {
        let contents = self.under_test();
        let beside = self.texts_beside(&contents).into_iter();
        let beside = beside.map(|(name, text)| (format!("runs/{}/{name}", self.id), text.into_bytes()));
        let fresh = self.fresh.as_ref().map(|fresh| (fresh.path(&self.id), fresh.file((self.base)())));
        let input = self.input.as_ref().map(|input| (self.input_path(), input.clone().into_bytes()));
        let mut files: Vec<_> = beside.chain(fresh).chain(input).collect();
        files.extend(self.paths().into_iter().map(|(_, path)| path).zip(contents));
        files
    }

    /// The contents of the files under test.
    pub(crate) fn under_test(&self) -> Vec<Vec<u8>> {
        self.contents(self.changes.len(), self.written_flags())
    }

    /// How the files under test come about, backwards: finished, without the last change, without the last two, and so on. What a
    /// file says of itself is what a good one says, unless the vector is about that.
    pub(crate) fn stages(&self) -> Vec<Vec<Vec<u8>>> {
        let good = (true, true);
        let earlier = (0..self.changes.len()).rev().map(|changes| self.contents(changes, good));
        let unsaid = (self.changes.is_empty() && self.flags.is_some()).then(|| self.contents(0, good));
        [self.contents(self.changes.len(), self.flags.unwrap_or(good))].into_iter().chain(earlier).chain(unsaid).collect()
    }

    /// The contents of the files under test after the first of the changes, with these flags.
    fn contents(&self, changes: usize, flags: (bool, bool)) -> Vec<Vec<u8>> {
        let mut material = (self.base)();
        material.receipt.flags = flags;
        for change in &self.changes[..changes] {
            change(&mut material);
        }
        match self.subject {
            Subject::Receipt => vec![material.file()],
            Subject::Quote => material.evidence().to_vec(),
        }
    }

    /// Names and texts of the files beside the receipt.
    fn texts_beside(&self, contents: &[Vec<u8>]) -> Vec<(&'static str, String)> {
        let beside = self.beside.iter().flatten().map(|(name, text)| {
            let mut receipt = json::parse(std::str::from_utf8(&contents[0]).expect("the receipt is text"));
            (*name, text(&mut receipt))
        });
        beside.collect()
    }

    /// What the verifier is given beside the files under test, by the name in the manifest: paths of files that other vectors share,
    /// contents of those that are this vector's own.
    pub(crate) fn settings(&self) -> Vec<(&'static str, Option<Json>)> {
        let run = self.beside.as_ref().map(|_| {
            let texts = self.texts_beside(&self.under_test()).into_iter().map(|(name, text)| (name.to_owned(), text.into()));
            Json::Object(texts.collect())
        });
        let fresh = self.fresh.as_ref().map(|fresh| BASE64.encode(&fresh.file((self.base)())).into());
        let input = self.input.as_deref().map(Json::from);
        self.members(fresh, input, run)
    }

    fn members(&self, fresh: Option<Json>, input: Option<Json>, run: Option<Json>) -> Vec<(&'static str, Option<Json>)> {
        let text = |text: &str| Json::from(text);
        let policy = (self.subject == Subject::Receipt).then(|| format!("policies/{}.toml", self.policy).into());
        let expect = self.expect.iter().map(|expectation| text(expectation)).collect::<Vec<_>>();
        vec![
            ("policy", policy),
            ("anchors", Some(self.anchors.entry(&self.signer_keys))),
            ("at", self.at.map(text)),
            ("now", self.now.map(text)),
            ("fresh", fresh),
            ("expect", (!expect.is_empty()).then_some(Json::List(expect))),
            ("score", self.score.map(|score| format!("scores/{score}.toml").into())),
            ("input", input),
            ("run", run),
        ]
    }

    /// The names of the files under test in the manifest, and their paths.
    pub(crate) fn paths(&self) -> Vec<(&'static str, String)> {
        match self.subject {
            Subject::Receipt if self.beside.is_some() => vec![("receipt", format!("runs/{}/receipt.json", self.id))],
            Subject::Receipt => vec![("receipt", format!("receipts/{}.json", self.id))],
            Subject::Quote => {
                vec![("quote", format!("quotes/{}.bin", self.id)), ("collateral", format!("quotes/{}.json", self.id))]
            }
        }
    }

    fn input_path(&self) -> String {
        format!("inputs/{}", self.id)
    }

    /// The entry in the manifest, with the members that tell where the vector comes from.
    pub(crate) fn entry(&self, lineage: Vec<(&'static str, Json)>) -> Json {
        let text = |text: &str| Json::from(text);
        let mut members = vec![("id", text(&self.id)), ("rule", text(&self.rule))];
        members.extend(lineage);
        members.extend(self.paths().into_iter().map(|(name, path)| (name, path.into())));
        let fresh = self.fresh.as_ref().map(|fresh| fresh.entry(&self.id));
        let input = self.input.as_ref().map(|_| self.input_path().into());
        let run = self.beside.as_ref().map(|_| format!("runs/{}", self.id).into());
        members.extend(self.members(fresh, input, run).into_iter().filter_map(|(name, value)| Some((name, value?))));
        members.extend([("outcome", text(self.outcome.name())), ("codes", names(&self.codes))]);
        Json::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }
}

impl Fresh {
    fn path(&self, id: &str) -> String {
        format!("collateral/{id}.json")
    }

    /// The collateral of `material`, changed.
    fn file(&self, mut material: Material) -> Vec<u8> {
        for change in &self.changes {
            change(&mut material);
        }
        material.collateral.file(&material.ca, &material.root)
    }

    fn entry(&self, id: &str) -> Json {
        Json::Object(vec![
            ("collateral".into(), self.path(id).into()),
            ("as_carried".into(), self.as_carried.name().into()),
            ("outcome".into(), self.outcome.name().into()),
            ("codes".into(), names(&self.codes)),
        ])
    }
}

pub(crate) fn names(codes: &[&'static str]) -> Json {
    Json::List(codes.iter().map(|code| Json::from(*code)).collect())
}

impl Anchors {
    /// The member of the manifest.
    fn entry(self, signer_keys: &[String]) -> Json {
        if self == Anchors::Intel {
            return "intel".into();
        }
        let [root, tcb_signing] = self.files();
        let mut members = vec![("root".to_owned(), root.into()), ("tcb_signing".to_owned(), tcb_signing.into())];
        if !signer_keys.is_empty() {
            members.push(("signer_keys".to_owned(), Json::List(signer_keys.iter().map(|key| key.as_str().into()).collect())));
        }
        Json::Object(members)
    }

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
        vec![classic("verified", "A receipt with everything in place is verified.").verified(&[])],
        reading::vectors(),
        quote::vectors(),
        certificates::vectors(),
        collateral::vectors(),
        fresh::vectors(),
        tcb::vectors(),
        binding::vectors(),
        input::vectors(),
        meaning::vectors(),
        tier::vectors(),
        policy::vectors(),
        signed::vectors(),
        response::vectors(),
        expectations::vectors(),
        runs::vectors(),
        bare::vectors(),
        lessons::vectors(),
        text::vectors(),
        limits::vectors(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Writes the length of a DER value of 256 bytes or more with one byte more than it needs.
fn lengthen_length(der: &mut Vec<u8>) {
    assert_eq!(der[1], 0x82, "the length has two bytes");
    der[1] = 0x83;
    der.insert(2, 0);
}

/// Replaces the one place where `old` stands.
fn replace(bytes: &mut Vec<u8>, old: &str, new: &str) {
    let text = String::from_utf8(std::mem::take(bytes)).expect("the file is text");
    assert_eq!(text.matches(old).count(), 1, "{old} does not stand exactly once");
    *bytes = text.replacen(old, new, 1).into_bytes();
}

//! The report: the whole answer about one receipt, as types and as JSON (version 1).

use std::ops::RangeInclusive;

use data_encoding::HEXLOWER;
use serde::Serialize;
use serde::ser::Serializer;

use crate::anchors::Anchors;
use crate::crypto;
use crate::facts::{Facts, QuoteFacts};
use crate::problem::{Code, Effect, Problem};
use crate::text;
use crate::tier::{Figure, Scored};
use crate::time::Timestamp;

/// The answer about one receipt. The order is that of severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Outcome {
    /// Every required check passed and nothing weakens the result.
    Verified,
    /// Nothing contradicts the receipt, but it is thinner than the policy asks.
    UnderProvenanced,
    /// Something needed was absent, stale or unsupported, or a required check has no result.
    Unverifiable,
    /// The evidence is contradicted, forged or malformed.
    Invalid,
}

impl Outcome {
    /// The name used in reports: `verified`, `under-provenanced`, `unverifiable`, `invalid`.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Verified => "verified",
            Outcome::UnderProvenanced => "under-provenanced",
            Outcome::Unverifiable => "unverifiable",
            Outcome::Invalid => "invalid",
        }
    }

    /// The process exit code: 0, 7, 6 and 4 in the order of the variants.
    pub const fn exit_code(self) -> u8 {
        match self {
            Outcome::Verified => 0,
            Outcome::UnderProvenanced => 7,
            Outcome::Unverifiable => 6,
            Outcome::Invalid => 4,
        }
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}

macro_rules! obligations {
    ($($variant:ident = $id:literal, $title:literal;)*) => {
        /// The obligations of a verification, in the order in which they are met. All of them are required: one without a
        /// result leaves the receipt unverifiable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Obligation {
            $(#[doc = $title] $variant,)*
        }

        impl Obligation {
            /// Every obligation, in order.
            pub const ALL: &'static [Obligation] = &[$(Obligation::$variant,)*];

            /// The obligations of a report about a receipt: all of them.
            pub const OF_A_RECEIPT: RangeInclusive<Obligation> = Obligation::Json..=Obligation::Claims;

            /// The obligations of a report about a quote; a receipt has them too.
            pub const OF_A_QUOTE: RangeInclusive<Obligation> = Obligation::Quote..=Obligation::Attributes;

            /// The stable name.
            pub const fn id(self) -> &'static str {
                match self { $(Obligation::$variant => $id,)* }
            }

            /// What has to hold.
            pub const fn title(self) -> &'static str {
                match self { $(Obligation::$variant => $title,)* }
            }
        }
    };
}

obligations! {
    Json = "json", "The receipt is strict JSON";
    Shape = "shape", "The receipt has the members, types and field shapes of its format";
    Quote = "quote", "The quote has the exact layout of its version";
    Collateral = "collateral", "The collateral is complete and decodable";
    PckChain = "pck-chain", "Three certificates lead from the PCK to the trusted root, by name, constraint and signature";
    SgxExtension = "sgx-extension", "The PCK certificate names its platform";
    RootCrl = "root-crl", "The root's revocation list is genuine";
    PckCrl = "pck-crl", "The PCK CA's revocation list is genuine";
    TcbSigner = "tcb-signer", "The TCB signing certificate was issued by the trusted root";
    Revocation = "revocation", "No certificate is revoked";
    QeReport = "qe-report", "The PCK key signed the QE report";
    QeBinding = "qe-binding", "The QE report names the attestation key";
    QuoteSignature = "quote-signature", "The attestation key signed the quote";
    TcbInfo = "tcb-info", "The TCB info is signed by the TCB signing key and well-formed";
    QeIdentity = "qe-identity", "The QE identity is signed by the TCB signing key and well-formed";
    Validity = "validity", "Every signed object is current at the judged instant";
    Platform = "platform", "The TCB info is of this platform";
    QuotingEnclave = "quoting-enclave", "The QE report is of Intel's quoting enclave";
    TdxModule = "tdx-module", "The TDX module is one that the TCB info describes";
    TcbStatus = "tcb-status", "Platform, TDX module and QE stand on a TCB level that the policy accepts";
    Attributes = "attributes", "The trust domain or enclave is closed to its host";
    FreshCollateral = "fresh-collateral", "The fresh collateral is not older than the carried one";
    CollateralAge = "collateral-age", "The newest collateral is as young as the policy asks";
    SignerKey = "signer-key", "The signer's key is one that the caller trusts";
    Signature = "signature", "The signature covers the attestation";
    ReportDataLow = "report-data-low", "The first half of the report data binds nonce and requester key";
    ReportDataHigh = "report-data-high", "The second half of the report data binds image or command, output and files";
    OutputHash = "output-hash", "The enclave's output is the bound one";
    FilesManifest = "files-manifest", "Scorer and input are the bound files";
    Contents = "contents", "Egress log, task policy and artifacts are the bound ones";
    ReceiptId = "receipt-id", "The receipt id follows from quote and output (weak: every quote begins alike), or from what is signed";
    Nonce = "nonce", "The nonce binds commit, model and seed";
    Input = "input", "The exact input that the enclave was given is recovered and proven by its hash";
    Counterparts = "counterparts", "What the receipt says again of that input is what stands there";
    Workload = "workload", "The workload is a known command";
    Scorer = "scorer", "The scorer is known and its output was reproduced";
    Verdict = "verdict", "The enclave's signed output is a verdict, and does not contradict the claimed one";
    Tier = "tier", "The claimed tier follows from the given parameters and the recorded figures";
    Provenance = "provenance", "The strict provenance fields are present";
    Enclave = "enclave", "The enclave's measurements are pinned";
    Image = "image", "The container image is pinned";
    Pins = "pins", "Pinned fields have accepted values, and evidence carries them";
    Expectations = "expectations", "The receipt says what the caller expects, and evidence carries it";
    Run = "run", "The files beside the receipt say the same";
    Claims = "claims", "Every statement of the attestation is listed with what carries it";
}

impl Serialize for Obligation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id())
    }
}

/// What became of one obligation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "result", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CheckResult {
    /// It holds.
    Passed,
    /// It does not hold, or only weakly: the codes say how, their effects how much.
    Failed {
        /// The codes of the findings, in the order in which they were made.
        codes: Vec<Code>,
    },
    /// It does not hold in full, and the policy makes only notes of what was found; nothing graver was.
    Softened {
        /// The codes whose effect the policy made milder.
        codes: Vec<Code>,
    },
    /// The policy waives it: it was not asked for.
    Waived,
    /// It could not be looked at, because an earlier one stopped with this code.
    Skipped {
        /// The code that stopped it.
        because: Code,
    },
    /// It does not apply to this receipt.
    NotApplicable {
        /// Why.
        reason: &'static str,
    },
    /// It was never reached.
    NotReached,
}

/// One obligation with its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Check {
    /// Which obligation.
    pub id: Obligation,
    /// What has to hold.
    pub title: &'static str,
    /// What became of it.
    #[serde(flatten)]
    pub result: CheckResult,
}

/// At which instant the receipt was judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Judged {
    /// The instant; absent where no signed object could be read.
    pub at: Option<Timestamp>,
    /// Where it came from: `collateral`, `now` or `given`.
    pub source: &'static str,
}

/// What was verified: the name that the caller gave and the bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Input {
    /// The caller's name for it, escaped for showing.
    pub name: Option<String>,
    /// SHA-256 of the bytes, 64 lower-case hex digits.
    pub sha256: String,
    /// Length in bytes.
    pub bytes: usize,
}

impl Input {
    pub(crate) fn new(name: Option<&str>, bytes: &[u8]) -> Self {
        Self { name: name.map(text::escape), sha256: HEXLOWER.encode(&crypto::sha256([bytes])), bytes: bytes.len() }
    }
}

/// The policy of a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PolicyInForce {
    /// Its name, escaped for showing.
    pub name: String,
    /// SHA-256 of its JSON form, 64 lower-case hex digits.
    pub sha256: String,
    /// Waived pins: `any enclave`, `any image`.
    pub waivers: Vec<&'static str>,
    /// Codes of this report whose effect the policy made milder than the default.
    pub softened: Vec<Code>,
}

impl PolicyInForce {
    /// What a headline has to say about it.
    pub(crate) fn qualifiers(&self) -> impl Iterator<Item = String> {
        let softened = match self.softened.len() {
            0 => None,
            1 => Some("1 finding softened by policy".to_owned()),
            count => Some(format!("{count} findings softened by policy")),
        };
        self.waivers.iter().map(|waiver| (*waiver).to_owned()).chain(softened)
    }
}

/// The trust anchors of a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AnchorsInForce {
    /// Whether they are the built-in ones of Intel.
    pub built_in: bool,
    /// SHA-256 of the root's public key (64 bytes x and y), 64 lower-case hex digits.
    pub root_key_sha256: String,
    /// SHA-256 of the TCB signing key likewise; absent where the anchors hold none.
    pub tcb_signing_key_sha256: Option<String>,
    /// The Ed25519 keys that were trusted to sign receipts, as base64, sorted.
    pub signer_keys: Vec<String>,
}

impl AnchorsInForce {
    pub(crate) fn of(anchors: &Anchors) -> Self {
        Self {
            built_in: anchors.are_built_in(),
            root_key_sha256: anchors.root_key_sha256(),
            tcb_signing_key_sha256: anchors.tcb_signing_key_sha256(),
            signer_keys: anchors.signer_keys.iter().map(|key| key.to_base64()).collect(),
        }
    }

    /// What a headline has to say about them.
    pub(crate) fn qualifier(&self) -> Option<&'static str> {
        (!self.built_in).then_some("anchors replaced: not Intel's")
    }
}

/// The tool that made a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Tool {
    /// The name of the core.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

impl Tool {
    pub(crate) const THIS: Self = Self { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") };
}

/// The whole answer about one receipt: a pure function of request, policy and anchors.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The version of this shape.
    pub report_version: u32,
    /// Who made it.
    pub tool: Tool,
    /// What was verified.
    pub input: Input,
    /// At which instant.
    pub judged: Judged,
    /// Under which policy.
    pub policy: PolicyInForce,
    /// With which anchors.
    pub anchors: AnchorsInForce,
    /// The answer: the worse of the one under the carried collateral and the one under fresh collateral, where that was given.
    pub outcome: Outcome,
    /// The exit code that belongs to the answer.
    pub exit_code: u8,
    /// The answer under the carried collateral, to which checks, problems, claims and facts belong.
    pub outcome_as_carried: Outcome,
    /// The same quote under the collateral that the caller brought, at the start of its window. Of its findings only what Intel
    /// says there about this platform refutes (a revocation, no TCB level); faults of the collateral itself prevent.
    pub fresh: Option<QuoteReport>,
    /// Every obligation with its result, in order.
    pub checks: Vec<Check>,
    /// Every finding, gravest first, then in the order in which they were made.
    pub problems: Vec<Problem>,
    /// Every leaf of the attestation with what covers it.
    pub claims: Vec<Claim>,
    /// What the caller expected, in the order of the request, with what became of it.
    pub expectations: Vec<ExpectationResult>,
    /// The files beside the receipt that the caller gave; empty where he gave none.
    pub run: Vec<ComparedFile>,
    /// Values that the evidence authenticates, and nothing else.
    pub facts: Facts,
    /// The tier derived again, where parameters were given and the receipt could be read that far.
    pub rescored: Option<Rescored>,
}

/// The claimed tier derived again. The figures are the submitter's; no enclave gave the tier.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Rescored {
    /// The name of the parameters, escaped for showing.
    pub params: String,
    /// SHA-256 of the parameters' JSON form, 64 lower-case hex digits.
    pub sha256: String,
    /// The figures that the rule could use.
    pub figures: Vec<RecordedFigure>,
    /// What they earn; absent where the rule needs a figure that is not recorded.
    pub scored: Option<Scored>,
}

/// A figure as the receipt records it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RecordedFigure {
    /// Which one.
    pub figure: Figure,
    /// Its value; not finite where Python wrote it so (`"NaN"`, `"Infinity"` or `"-Infinity"` in JSON).
    #[serde(serialize_with = "crate::tier::figures::number")]
    pub value: f64,
    /// Where it stands.
    pub source: FigureSource,
}

/// Where a recorded figure stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FigureSource {
    /// In the enclave's output, which repeats what it was given.
    EnclaveOutput,
    /// In the attestation, or follows from figures there.
    Attestation,
}

/// The whole answer about one quote: a pure function of quote, collateral, instant and anchors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct QuoteReport {
    /// The version of this shape.
    pub report_version: u32,
    /// Who made it.
    pub tool: Tool,
    /// The quote that was verified.
    pub quote: Input,
    /// The collateral that it was verified with.
    pub collateral: Input,
    /// At which instant.
    pub judged: Judged,
    /// With which anchors.
    pub anchors: AnchorsInForce,
    /// The answer.
    pub outcome: Outcome,
    /// The exit code that belongs to the answer.
    pub exit_code: u8,
    /// Every obligation about a quote with its result, in order.
    pub checks: Vec<Check>,
    /// Every finding, gravest first, then in the order in which they were made.
    pub problems: Vec<Problem>,
    /// Values that the evidence authenticates, and nothing else.
    pub facts: QuoteFacts,
}

/// One leaf of the attestation: a statement of the receipt with what carries it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Claim {
    /// RFC 6901 pointer into the receipt, escaped for showing.
    pub pointer: String,
    /// The value as it stands in the receipt, cut to a line and escaped for showing.
    pub value: String,
    /// What carries it.
    pub coverage: Coverage,
    /// What it was compared with; empty where it has no counterpart.
    pub compared: Vec<Comparison>,
}

/// A value that proven data holds in the place of a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// Where it stands: `enclave input`, `enclave output` or `receipt`.
    pub document: &'static str,
    /// RFC 6901 pointer into that document, escaped for showing.
    pub pointer: String,
    /// The value there, cut to a line and escaped for showing.
    pub value: String,
    /// Whether the claim agrees with it: numbers after rounding to six places, commits as far as the shorter one goes.
    pub agrees: bool,
}

/// One expectation of the caller with what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ExpectationResult {
    /// RFC 6901 pointer into the receipt, escaped for showing; the short name of a field that the receipt does not have or that
    /// was not looked up.
    pub pointer: String,
    /// The value expected, cut to a line and escaped for showing.
    pub wanted: String,
    /// The value in the receipt, cut to a line and escaped for showing; absent where there is none.
    pub found: Option<String>,
    /// What carries it, where it is met.
    pub coverage: Option<Coverage>,
    /// The code of the finding against it, where it is not.
    pub code: Option<Code>,
}

/// One file beside the receipt with what its comparison came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ComparedFile {
    /// Its name in the run directory.
    pub name: &'static str,
    /// SHA-256 of the bytes, 64 lower-case hex digits; absent where it could not be read.
    pub sha256: Option<String>,
    /// Length in bytes, likewise.
    pub bytes: Option<usize>,
    /// With what it was compared: `receipt` or `result.json`; absent where it could not be.
    pub against: Option<&'static str>,
    /// How many values were compared: of an attestation its leaves, of a result its members that the other side records too.
    pub compared: usize,
    /// How many of them differ.
    pub differ: usize,
    /// The first 100 of those, as RFC 6901 pointers into this file, escaped for showing.
    pub differing: Vec<String>,
}

/// What carries a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Coverage {
    /// The enclave computed it: it stands in the output that the quote binds, or its digest is itself under the quote.
    Quote,
    /// The enclave was given it: the submitter's word, which the scorer may merely echo.
    EnclaveInput,
    /// The nonce under the quote is a hash over it: the requester's word at the time of the request.
    Nonce,
    /// A signature covers it.
    Signature,
    /// Nothing binds it.
    Asserted,
}

impl Coverage {
    /// The name used in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Coverage::Quote => "quote",
            Coverage::EnclaveInput => "enclave-input",
            Coverage::Nonce => "nonce",
            Coverage::Signature => "signature",
            Coverage::Asserted => "asserted",
        }
    }
}

impl Report {
    /// The report as one line of JSON that is harmless wherever it is shown: see [`escape_json`](crate::escape_json).
    pub fn to_json(&self) -> String {
        text::escape_json(&serde_json::to_string(self).unwrap_or_default())
    }

    /// Like [`Report::to_json`], indented.
    pub fn to_json_pretty(&self) -> String {
        text::escape_json(&serde_json::to_string_pretty(self).unwrap_or_default())
    }

    /// The outcome with everything that qualifies it: replaced anchors, waived pins and findings that the policy softened.
    pub fn headline(&self) -> String {
        let signer = self.facts.signer.is_some().then(|| "on a signer's word, no hardware evidence".to_owned());
        let anchors = self.anchors.qualifier().map(str::to_owned);
        qualified(self.outcome, signer.into_iter().chain(anchors).chain(self.policy.qualifiers()).collect())
    }

    /// Whether some finding has this code.
    pub fn has(&self, code: Code) -> bool {
        self.problems.iter().any(|problem| problem.code == code)
    }
}

impl QuoteReport {
    /// The code that refutes, where one does.
    pub(crate) fn refutation(&self) -> Option<Code> {
        self.problems.iter().find(|problem| problem.effect == Effect::Refutes).map(|problem| problem.code)
    }

    /// The same report with names for its inputs, escaped for showing; they have no other meaning.
    pub fn named(mut self, quote: &str, collateral: &str) -> Self {
        self.quote.name = Some(text::escape(quote));
        self.collateral.name = Some(text::escape(collateral));
        self
    }

    /// The report as one line of JSON that is harmless wherever it is shown: see [`escape_json`](crate::escape_json).
    pub fn to_json(&self) -> String {
        text::escape_json(&serde_json::to_string(self).unwrap_or_default())
    }

    /// Like [`QuoteReport::to_json`], indented.
    pub fn to_json_pretty(&self) -> String {
        text::escape_json(&serde_json::to_string_pretty(self).unwrap_or_default())
    }

    /// The outcome, with a word where it rests on replaced anchors.
    pub fn headline(&self) -> String {
        qualified(self.outcome, self.anchors.qualifier().map(str::to_owned).into_iter().collect())
    }

    /// Whether some finding has this code.
    pub fn has(&self, code: Code) -> bool {
        self.problems.iter().any(|problem| problem.code == code)
    }
}

/// An outcome with what qualifies it.
pub(crate) fn qualified(outcome: Outcome, qualifiers: Vec<String>) -> String {
    match qualifiers.is_empty() {
        true => outcome.name().to_owned(),
        false => format!("{} ({})", outcome.name(), qualifiers.join(", ")),
    }
}

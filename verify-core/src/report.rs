//! The report: the whole answer about one receipt, as types and as JSON (version 1).

use serde::Serialize;
use serde::ser::Serializer;

use crate::json;
use crate::problem::{Code, Problem};
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
    Quote = "quote", "The quote has the exact layout of a TDX quote";
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
    QuotingEnclave = "quoting-enclave", "The QE report is of Intel's TD quoting enclave";
    TdxModule = "tdx-module", "The TDX module is one that the TCB info describes";
    TcbStatus = "tcb-status", "Platform, TDX module and QE stand on a TCB level that the policy accepts";
    TdAttributes = "td-attributes", "The trust domain is closed to its host";
    ReportDataLow = "report-data-low", "The first half of the report data binds nonce and requester key";
    ReportDataHigh = "report-data-high", "The second half of the report data binds image, output and files";
    OutputHash = "output-hash", "The enclave's output is the bound one";
    FilesManifest = "files-manifest", "Scorer and input are the bound files";
    ReceiptId = "receipt-id", "The receipt id follows from quote and output (weak: every quote begins alike)";
    Nonce = "nonce", "The nonce binds commit, model and seed";
    Input = "input", "The exact input that the enclave was given is recovered and proven by its hash";
    Counterparts = "counterparts", "What the receipt says again of that input is what stands there";
    Workload = "workload", "The workload is the known command";
    Scorer = "scorer", "The scorer is known and its output was reproduced";
    Verdict = "verdict", "The enclave's signed output is a verdict, and does not contradict the claimed one";
    Provenance = "provenance", "The strict provenance fields are present";
    Enclave = "enclave", "The enclave's measurements are pinned";
    Image = "image", "The container image is pinned";
    Pins = "pins", "Pinned fields have accepted values";
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
    /// The answer.
    pub outcome: Outcome,
    /// The exit code that belongs to the answer.
    pub exit_code: u8,
    /// Every obligation with its result, in order.
    pub checks: Vec<Check>,
    /// Every finding, gravest first, then in the order in which they were made.
    pub problems: Vec<Problem>,
    /// Every leaf of the attestation with what covers it.
    pub claims: Vec<Claim>,
    /// Values that the evidence authenticates, and nothing else.
    pub facts: Facts,
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

/// What carries a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Coverage {
    /// The enclave computed it: it stands in the output that the quote binds.
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

/// Values that the evidence authenticates. A group is absent where its chain of proof is not complete, and all are absent
/// where anything refutes that a genuine quoting enclave signed the quote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Facts {
    /// The platform, from the PCK certificate.
    pub platform: Option<PlatformFacts>,
    /// The trust domain, from the signed quote.
    pub trust_domain: Option<TrustDomainFacts>,
    /// The TCB status under the judged collateral.
    pub tcb: Option<TcbFacts>,
    /// The common validity window of all signed objects.
    pub window: Option<WindowFacts>,
    /// What the enclave was given, where it is recovered and the quote binds it.
    pub input: Option<InputFacts>,
    /// What the enclave printed, where the quote binds it.
    pub output: Option<OutputFacts>,
    /// Digest of the container image under the quote: `sha256:` and 64 lower-case hex digits.
    pub image: Option<String>,
}

/// Facts of the PCK certificate (Intel SGX PCK certificate specification, section 1.3.5). Hex is lower case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PlatformFacts {
    /// Family, model, stepping, platform type: 6 bytes as hex.
    pub fmspc: String,
    /// Id of the provisioning certification enclave: 2 bytes as hex.
    pub pce_id: String,
    /// SVN of the provisioning certification enclave.
    pub pce_svn: u16,
    /// The issuing CA: `platform` or `processor`.
    pub ca: &'static str,
    /// Platform provisioning id: 16 bytes as hex.
    pub ppid: String,
    /// Serial number of the PCK certificate as hex.
    pub pck_serial: String,
}

/// Facts of the TD report inside the quote. Hex is lower case; registers are 48 bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TrustDomainFacts {
    /// Measurement of the initial TD.
    pub mrtd: String,
    /// Run-time measurement registers 0 to 3.
    pub rtmr: [String; 4],
    /// Measurement of the TDX module.
    pub mrseam: String,
    /// Software-defined id of the TD's configuration.
    pub mrconfigid: String,
    /// Software-defined id of the TD's owner.
    pub mrowner: String,
    /// TD attributes: 8 bytes in quote order.
    pub td_attributes: String,
    /// Extended features allowed to the TD: 8 bytes in quote order.
    pub xfam: String,
    /// TEE TCB SVN: 16 bytes.
    pub tee_tcb_svn: String,
    /// Report data: 64 bytes.
    pub report_data: String,
}

/// The TCB status and where it comes from (Intel PCS API version 4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TcbFacts {
    /// The converged status.
    pub status: TcbStatus,
    /// Status of the platform's level alone.
    pub platform: TcbStatus,
    /// Status of the TDX module's level; absent where the module has no identity of its own (module version 0).
    pub tdx_module: Option<TcbStatus>,
    /// Status of the quoting enclave's level.
    pub quoting_enclave: TcbStatus,
    /// The earliest date of the levels that decided.
    pub tcb_date: Timestamp,
    /// Advisories of the levels that decided: platform, QE, module; each once.
    pub advisories: Vec<String>,
    /// Evaluation data number of the TCB info.
    pub tcb_info_evaluation: u32,
    /// Evaluation data number of the QE identity.
    pub qe_identity_evaluation: u32,
}

/// Intel's TCB statuses, by Intel's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub enum TcbStatus {
    /// Nothing to do.
    UpToDate,
    /// Software in the TD needs hardening.
    SWHardeningNeeded,
    /// The platform needs another configuration.
    ConfigurationNeeded,
    /// Both of the above.
    ConfigurationAndSWHardeningNeeded,
    /// Behind the current level.
    OutOfDate,
    /// Behind the current level, and needs another configuration.
    OutOfDateConfigurationNeeded,
    /// No longer trusted by Intel.
    Revoked,
}

impl TcbStatus {
    /// Intel's name.
    pub const fn name(self) -> &'static str {
        match self {
            TcbStatus::UpToDate => "UpToDate",
            TcbStatus::SWHardeningNeeded => "SWHardeningNeeded",
            TcbStatus::ConfigurationNeeded => "ConfigurationNeeded",
            TcbStatus::ConfigurationAndSWHardeningNeeded => "ConfigurationAndSWHardeningNeeded",
            TcbStatus::OutOfDate => "OutOfDate",
            TcbStatus::OutOfDateConfigurationNeeded => "OutOfDateConfigurationNeeded",
            TcbStatus::Revoked => "Revoked",
        }
    }
}

/// The instants at which every signed object is current. Bounds are closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct WindowFacts {
    /// The latest start.
    pub start: Timestamp,
    /// The earliest end.
    pub end: Timestamp,
    /// The windows of the single objects.
    pub objects: Vec<ObjectWindow>,
}

/// The validity of one signed object. Bounds are closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ObjectWindow {
    /// Which object.
    pub object: &'static str,
    /// notBefore, thisUpdate or issueDate.
    pub start: Timestamp,
    /// notAfter or nextUpdate.
    pub end: Timestamp,
}

/// The enclave's recovered input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct InputFacts {
    /// SHA-256 of the input, 64 lower-case hex digits.
    pub sha256: String,
    /// Length in bytes.
    pub bytes: usize,
    /// What it was recovered from, in words.
    pub source: &'static str,
}

/// What the enclave's bound output says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct OutputFacts {
    /// SHA-256 of the output, 64 lower-case hex digits.
    pub sha256: String,
    /// Its label, escaped for showing; absent where it holds none.
    pub label: Option<String>,
    /// Its pass; absent where it holds none.
    pub pass: Option<bool>,
    /// Its commit or commit prefix, escaped for showing; absent where it holds none.
    pub commit: Option<String>,
    /// The known scorer that prints exactly this output on the proven input; absent where that was not shown.
    pub reproduced_by: Option<&'static str>,
}

impl Report {
    /// The report as one line of JSON in ASCII: everything else, terminal controls included, is escaped.
    pub fn to_json(&self) -> String {
        json::ascii(serde_json::to_string(self).unwrap_or_default())
    }

    /// Like [`Report::to_json`], indented.
    pub fn to_json_pretty(&self) -> String {
        json::ascii(serde_json::to_string_pretty(self).unwrap_or_default())
    }

    /// The outcome with everything that qualifies it: replaced anchors, waived pins and findings that the policy softened.
    pub fn headline(&self) -> String {
        let anchors = (!self.anchors.built_in).then(|| "anchors replaced: not Intel's".to_owned());
        let waivers = self.policy.waivers.iter().map(|waiver| (*waiver).to_owned());
        let softened = match self.policy.softened.len() {
            0 => None,
            1 => Some("1 finding softened by policy".to_owned()),
            count => Some(format!("{count} findings softened by policy")),
        };
        let qualifiers: Vec<String> = anchors.into_iter().chain(waivers).chain(softened).collect();
        match qualifiers.is_empty() {
            true => self.outcome.name().to_owned(),
            false => format!("{} ({})", self.outcome.name(), qualifiers.join(", ")),
        }
    }

    /// Whether some finding has this code.
    pub fn has(&self, code: Code) -> bool {
        self.problems.iter().any(|problem| problem.code == code)
    }
}

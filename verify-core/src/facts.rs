//! What the evidence authenticates, as a report shows it.

use serde::Serialize;

use crate::time::Timestamp;

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
    /// The trusted Ed25519 key that signed the attestation, as base64.
    pub signer: Option<String>,
}

/// Values that a quote with its collateral authenticates; see [`Facts`] for when a group is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct QuoteFacts {
    /// The platform, from the PCK certificate.
    pub platform: Option<PlatformFacts>,
    /// The trust domain, from a signed quote of TDX.
    pub trust_domain: Option<TrustDomainFacts>,
    /// The enclave, from a signed quote of SGX.
    pub enclave: Option<EnclaveFacts>,
    /// The TCB status under the judged collateral.
    pub tcb: Option<TcbFacts>,
    /// The common validity window of all signed objects.
    pub window: Option<WindowFacts>,
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
    /// TEE TCB SVN: 16 bytes. Where the body has a second one, this is that of the TDX module that launched the TD.
    pub tee_tcb_svn: String,
    /// TEE TCB SVN of the TDX module that runs now: 16 bytes; absent before TD 1.5.
    pub tee_tcb_svn2: Option<String>,
    /// Measurement of the bound service TDs: 48 bytes, zero where none is bound; absent before TD 1.5.
    pub mrservicetd: Option<String>,
    /// Report data: 64 bytes.
    pub report_data: String,
}

/// Facts of the SGX enclave report inside the quote. Hex is lower case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct EnclaveFacts {
    /// Measurement of the enclave: 32 bytes.
    pub mrenclave: String,
    /// Hash of the key that signed the enclave: 32 bytes.
    pub mrsigner: String,
    /// Product id that the signer gave it.
    pub isv_prod_id: u16,
    /// Security version that the signer gave it.
    pub isv_svn: u16,
    /// Flags and extended features: 16 bytes in quote order.
    pub attributes: String,
    /// Report data: 64 bytes.
    pub report_data: String,
}

/// The TCB status and where it comes from (Intel PCS API version 4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TcbFacts {
    /// The converged status.
    pub status: TcbStatus,
    /// The status that the TD would have if the TDX module that runs now had launched it; absent before TD 1.5.
    pub with_running_module: Option<TcbStatus>,
    /// Status of the platform's level alone.
    pub platform: TcbStatus,
    /// Status of the TDX module's level at launch; absent for SGX and where the module has no identity of its own (module
    /// version 0).
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
    /// The TD was launched by a TDX module that was behind, and the module that runs now is not: launch it again. Follows from
    /// a quote with a TD 1.5 body, and never stands in collateral.
    TDRelaunchAdvised,
    /// The same on a platform that also needs another configuration.
    TDRelaunchAdvisedConfigurationNeeded,
    /// No longer trusted by Intel.
    Revoked,
}

impl TcbStatus {
    /// Every status.
    pub const ALL: &'static [TcbStatus] = &[
        TcbStatus::UpToDate,
        TcbStatus::SWHardeningNeeded,
        TcbStatus::ConfigurationNeeded,
        TcbStatus::ConfigurationAndSWHardeningNeeded,
        TcbStatus::OutOfDate,
        TcbStatus::OutOfDateConfigurationNeeded,
        TcbStatus::TDRelaunchAdvised,
        TcbStatus::TDRelaunchAdvisedConfigurationNeeded,
        TcbStatus::Revoked,
    ];

    /// Intel's name.
    pub const fn name(self) -> &'static str {
        match self {
            TcbStatus::UpToDate => "UpToDate",
            TcbStatus::SWHardeningNeeded => "SWHardeningNeeded",
            TcbStatus::ConfigurationNeeded => "ConfigurationNeeded",
            TcbStatus::ConfigurationAndSWHardeningNeeded => "ConfigurationAndSWHardeningNeeded",
            TcbStatus::OutOfDate => "OutOfDate",
            TcbStatus::OutOfDateConfigurationNeeded => "OutOfDateConfigurationNeeded",
            TcbStatus::TDRelaunchAdvised => "TDRelaunchAdvised",
            TcbStatus::TDRelaunchAdvisedConfigurationNeeded => "TDRelaunchAdvisedConfigurationNeeded",
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

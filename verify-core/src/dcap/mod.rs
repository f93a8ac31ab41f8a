//! Verification of Intel quotes against Intel's collateral, without any receipt.
//!
//! A *quote* is what a TDX trust domain or an SGX enclave hands out to show what it is: measurements and 64 bytes of its choice
//! (the report data), signed by a key that a chain of certificates ties to Intel's root. The *collateral* is what Intel signs about
//! platforms: TCB info, the identity of the quoting enclave and two revocation lists. [`verify_quote`] judges the one by the
//! other, offline, at one instant:
//!
//! ```
//! use verify_core::dcap::verify_quote;
//! use verify_core::{Anchors, Instant, Outcome, TrustDomainFacts};
//!
//! /// Whether this is a genuine quote of the trust domain with this MRTD, over this report data (both in hex).
//! fn is_of(mrtd: &str, report_data: &str, quote: &[u8], collateral: &[u8]) -> bool {
//!     let report = verify_quote(quote, collateral, Instant::Collateral, &Anchors::intel());
//!     for problem in &report.problems {
//!         println!("{} at {}: {}", problem.code, problem.location, problem.message);
//!     }
//!     let is_wanted = |domain: TrustDomainFacts| domain.mrtd == mrtd && domain.report_data == report_data;
//!     report.outcome == Outcome::Verified && report.facts.trust_domain.is_some_and(is_wanted)
//! }
//!
//! assert!(!is_of("00", "00", b"not a quote", b"{}"));
//! ```
//!
//! A report says *verified* where every rule holds: the layout fits exactly, the signatures lead to the anchors, nothing is
//! revoked, everything signed is current at the instant, the collateral is of this platform, the quoting enclave and the TDX
//! module are Intel's, all stand on an up-to-date TCB level, and the trust domain or enclave is closed to its host. That is
//! all: whose measurements those are, and what the report data means, the caller has to compare with what he expects
//! ([`QuoteFacts`]); anybody with a genuine machine can have a genuine quote. Nor does a quote say when it
//! was made.
//!
//! | version | of | TCB info | identity |
//! |---|---|---|---|
//! | 3 | an SGX enclave | SGX | QE |
//! | 4 | a trust domain (TD 1.0), or an SGX enclave | TDX, or SGX | TD_QE, or QE |
//! | 5 | a trust domain (TD 1.0, 1.5, 1.5Ex), or an SGX enclave | TDX, or SGX | TD_QE, or QE |

pub(crate) mod age;
pub(crate) mod attributes;
pub(crate) mod chain;
pub(crate) mod collateral;
pub(crate) mod crl;
pub(crate) mod level;
pub(crate) mod qe_identity;
pub(crate) mod quote;
pub(crate) mod sgx_extension;
pub(crate) mod signed;
pub(crate) mod tcb;
pub(crate) mod tcb_info;

use data_encoding::HEXLOWER;

use crate::anchors::{Anchors, Trust};
use crate::certificate::Certificate;
use crate::crypto::{self, Arithmetic, PublicKey};
use crate::dcap::chain::{CollateralSigner, PckChain};
use crate::dcap::collateral::Collateral;
use crate::dcap::crl::Crl;
use crate::dcap::qe_identity::QeIdentity;
use crate::dcap::quote::{Accepted, Body, EnclaveReport, Quote, TdReport};
use crate::dcap::sgx_extension::SgxExtension;
use crate::dcap::signed::Authentic;
use crate::dcap::tcb::Evaluation;
use crate::dcap::tcb_info::TcbInfo;
use crate::facts::{EnclaveFacts, ObjectWindow, PlatformFacts, QuoteFacts, TrustDomainFacts, WindowFacts};
use crate::ledger::{Checked, Findings, Ledger, Stopped, need};
use crate::policy::Policy;
use crate::problem::{Code, Effect, Location, Problem};
use crate::report::{AnchorsInForce, Input, Judged, Obligation, QuoteReport, Tool};
use crate::time::Timestamp;

/// At which instant to judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Instant {
    /// At the start of the common validity window of the evidence's own signed objects: the same answer on every day.
    #[default]
    Collateral,
    /// At the caller's current time.
    Now(Timestamp),
    /// At an instant that the caller vouches for.
    Given(Timestamp),
}

impl Instant {
    /// The caller's current time, where that is the instant.
    pub(crate) const fn now(self) -> Option<Timestamp> {
        match self {
            Instant::Now(now) => Some(now),
            Instant::Collateral | Instant::Given(_) => None,
        }
    }
}

/// Judges `quote` by `collateral` at the instant `at`, trusting `anchors`. Findings have the effects of the registry.
///
/// `quote` is the quote's bytes, at most [`QUOTE_BYTES`](crate::limits::QUOTE_BYTES), of version 3, 4 or 5; zero bytes may follow. It
/// may be of a TDX trust domain (TD 1.0, TD 1.5 or TD 1.5Ex) or of an SGX enclave. `collateral` is the JSON of either known container,
/// at most [`COLLATERAL_BYTES`](crate::limits::COLLATERAL_BYTES): the Polaris item map of version 1 or dcap-qvl's QuoteCollateralV3.
/// Total: hostile bytes give a report as any others do.
pub fn verify_quote(quote: &[u8], collateral: &[u8], at: Instant, anchors: &Anchors) -> QuoteReport {
    let (policy, mut ledger) = (Policy::strict(), Ledger::default());
    let trust = Trust { anchors, memory: &anchors.memory(Arithmetic::fastest()) };
    let appraisal = verify(Ok(quote), Accepted::Any, Ok(collateral), at, &policy, trust, &mut ledger);
    report(quote, collateral, appraisal, ledger, &policy, anchors)
}

/// Judges `quote` by collateral that the caller brought, at the start of that collateral's window. What Intel says in it counts
/// against the quote only where the collateral is whole, current, of this platform, and not older than `carried`, if that is known.
pub(crate) fn judge_again(
    quote: &[u8],
    accepted: Accepted,
    collateral: &[u8],
    carried: Option<&WindowFacts>,
    policy: &Policy,
    trust: Trust<'_>,
) -> QuoteReport {
    let mut ledger = Ledger::default();
    let appraisal = verify(Ok(quote), accepted, Ok(collateral), Instant::Collateral, policy, trust, &mut ledger);
    let is_usable = ledger.holds(Obligation::Collateral..=Obligation::TcbSigner, policy).is_ok()
        && ledger.holds(Obligation::TcbInfo..=Obligation::Platform, policy).is_ok();
    let is_fresh = appraisal.judged.at.is_some_and(|start| carried.is_none_or(|carried| start >= carried.start));
    let policy = policy.for_fresh_collateral(is_usable && is_fresh);
    report(quote, collateral, appraisal, ledger, &policy, trust.anchors)
}

fn report(quote: &[u8], collateral: &[u8], appraisal: Appraisal<'_>, ledger: Ledger, policy: &Policy, anchors: &Anchors) -> QuoteReport {
    let Appraisal { judged, facts, .. } = appraisal;
    let (outcome, checks, problems) = ledger.settle(Obligation::OF_A_QUOTE, policy);
    QuoteReport {
        report_version: 1,
        tool: Tool::THIS,
        quote: Input::new(None, quote),
        collateral: Input::new(None, collateral),
        judged,
        anchors: AnchorsInForce::of(anchors),
        outcome,
        exit_code: outcome.exit_code(),
        checks,
        problems,
        facts,
    }
}

/// What the quote says once everything about it was checked.
pub(crate) struct Appraisal<'a> {
    /// The quote's layout, whether or not its signature holds.
    pub(crate) quote: Checked<Quote<'a>>,
    /// The TD report under the whole chain of signatures.
    pub(crate) trust_domain: Checked<Authentic<TdReport<'a>>>,
    /// Whether the quote is evidence: every obligation about it is met.
    pub(crate) genuine: Checked<()>,
    pub(crate) judged: Judged,
    pub(crate) facts: QuoteFacts,
}

/// Checks `quote` against `collateral` and the anchors: layout, signatures up to the root, revocation, validity at `instant`,
/// identities, TCB level, attributes.
pub(crate) fn verify<'a>(
    quote: Checked<&'a [u8]>,
    accepted: Accepted,
    collateral: Checked<&[u8]>,
    instant: Instant,
    policy: &Policy,
    trust: Trust<'_>,
    ledger: &mut Ledger,
) -> Appraisal<'a> {
    // What is carried: layouts only.
    let quote = ledger.meet(Obligation::Quote, |findings| Quote::read(quote?, accepted, findings));
    let collateral = ledger.meet(Obligation::Collateral, |findings| Collateral::read(collateral?, findings));

    // Who vouches: from the PCK certificate and the collateral signer up to the root.
    let chain = ledger.meet(Obligation::PckChain, |findings| PckChain::verify(need(&quote)?.pck_chain, trust, findings));
    let platform = ledger.meet(Obligation::SgxExtension, |findings| SgxExtension::read(need(&chain)?, findings));
    let root_crl = ledger.meet(Obligation::RootCrl, |findings| {
        let (chain, collateral) = (need(&chain)?, need(&collateral)?);
        Crl::verify(need(&collateral.root_crl)?, "root CRL", &chain.root, trust.memory, findings)
    });
    let pck_crl = ledger.meet(Obligation::PckCrl, |findings| {
        let (chain, collateral) = (need(&chain)?, need(&collateral)?);
        if let Some(pem) = &collateral.pck_crl_chain {
            chain.check_crl_issuer_chain(pem, trust.memory, findings)?;
        }
        Crl::verify(need(&collateral.pck_crl)?, "PCK CRL", &chain.intermediate, trust.memory, findings)
    });
    let signers = ledger.meet(Obligation::TcbSigner, |findings| {
        let (chain, collateral) = (need(&chain)?, need(&collateral)?);
        Signers::establish(collateral, trust, &chain.root, findings)
    });
    let _unrevoked = ledger.meet(Obligation::Revocation, |findings| {
        let (chain, root_crl, pck_crl, signers) = (need(&chain)?, need(&root_crl), need(&pck_crl), need(&signers));
        check_revocation(chain, root_crl, pck_crl, signers, findings)
    });

    // What they signed.
    let qe_report = ledger.meet(Obligation::QeReport, |findings| {
        let (quote, chain) = (need(&quote)?, need(&chain)?);
        quote.qe_report.verify(&chain.leaf.key, trust.memory).ok_or_else(|| {
            findings.stop(Problem::new(
                Code::QeReportSignature,
                Location::document("QE report"),
                "the QE report is not signed by the PCK key",
            ))
        })
    });
    let attestation_key = ledger.meet(Obligation::QeBinding, |findings| attestation_key(need(&quote)?, need(&qe_report)?, findings));
    let body = ledger.meet(Obligation::QuoteSignature, |findings| {
        let (quote, key) = (need(&quote)?, need(&attestation_key)?);
        quote.body.verify(key, trust.memory).ok_or_else(|| {
            let location = Location::offset("quote", quote.signature_offset);
            findings.stop(Problem::new(Code::QuoteSignature, location, "the quote is not signed by its attestation key"))
        })
    });
    let tcb_info = ledger.meet(Obligation::TcbInfo, |findings| {
        let (tee, document, signers) = (need(&quote)?.tee(), need(&need(&collateral)?.tcb_info)?, need(&signers)?);
        let opened = document.open("tcbInfo", tcb_info::FORMAT, findings)?;
        let value = opened.signed().verify(&signers.tcb_info.key, trust.memory).ok_or_else(|| {
            let message = "the TCB info is not signed by the TCB signing key";
            findings.stop(Problem::new(Code::TcbInfoSignature, Location::document("TCB info"), message))
        })?;
        value.read(|value| TcbInfo::read(value, tee, findings))
    });
    let qe_identity = ledger.meet(Obligation::QeIdentity, |findings| {
        let (tee, document, signers) = (need(&quote)?.tee(), need(&need(&collateral)?.qe_identity)?, need(&signers)?);
        let opened = document.open("enclaveIdentity", qe_identity::FORMAT, findings)?;
        let value = opened.signed().verify(&signers.qe_identity.key, trust.memory).ok_or_else(|| {
            let message = "the QE identity is not signed by the TCB signing key";
            findings.stop(Problem::new(Code::QeIdentitySignature, Location::document("QE identity"), message))
        })?;
        value.read(|value| QeIdentity::read(value, tee, findings))
    });

    // When: one instant for every signed object.
    let mut judged = Judged { at: None, source: source(instant) };
    let window = ledger.meet(Obligation::Validity, |findings| {
        let mut objects = Vec::new();
        objects.extend(chain.iter().flat_map(PckChain::windows));
        objects.extend(root_crl.iter().chain(&pck_crl).map(|crl| crl.window.clone()));
        objects.extend(tcb_info.iter().map(|tcb_info| tcb_info.window.clone()));
        objects.extend(qe_identity.iter().map(|qe_identity| qe_identity.window.clone()));
        let Some((at, window)) = common_window(instant, objects, signers.as_ref().ok()) else {
            return Err(need(&chain).err().unwrap_or(Stopped::By(Code::CollateralAbsent)));
        };
        judged.at = Some(at);
        check_validity(at, &window, findings);
        need(&chain)?;
        need(&signers)?;
        need(&root_crl)?;
        need(&pck_crl)?;
        need(&tcb_info)?;
        need(&qe_identity)?;
        Ok(window)
    });

    // What that says about this platform and this trust domain or enclave.
    let _same_platform = ledger.meet(Obligation::Platform, |findings| {
        check_platform(need(&platform)?, need(&tcb_info)?, findings);
        Ok(())
    });
    let quoting_enclave = ledger.meet(Obligation::QuotingEnclave, |findings| {
        need(&qe_identity)?.check(need(&qe_report)?, findings);
        Ok(())
    });
    let modules = ledger.meet(Obligation::TdxModule, |findings| tcb::modules(need(&body)?, need(&tcb_info)?, findings));
    let tcb = ledger.meet(Obligation::TcbStatus, |findings| {
        let is_asked = policy.minimum_tcb_evaluation.is_some();
        let tcb_info = findings.asked(is_asked, "the policy asks for an evaluation number of the collateral", need(&tcb_info))?;
        let evaluation = Evaluation {
            platform: need(&platform)?,
            modules: match &modules {
                Err(Stopped::NotApplicable(_)) => &[],
                modules => need(modules)?,
            },
            qe_report: need(&qe_report)?,
            tcb_info,
            qe_identity: need(&qe_identity)?,
        };
        check_evaluation_numbers(evaluation.tcb_info, evaluation.qe_identity, policy, findings);
        evaluation.status(findings)
    });
    let _closed = ledger.meet(Obligation::Attributes, |findings| {
        attributes::check(need(&body)?, findings);
        Ok(())
    });

    let genuine = ledger.holds(Obligation::OF_A_QUOTE, policy).and(need(&body).map(|_| ()));
    let authentic = ledger.holds(Obligation::Quote..=Obligation::TdxModule, policy);
    // A genuine platform certifies any enclave's report: only the quoting enclave's word makes the body one of a trust domain.
    let body = quoting_enclave.and(body);
    let facts = if authentic.err().and_then(Stopped::code).is_some_and(|code| code.info().default_effect == Effect::Refutes) {
        QuoteFacts::default()
    } else {
        let (trust_domain, enclave) = match body.as_deref() {
            Ok(Body::TrustDomain(report)) => (Some(trust_domain_facts(report)), None),
            Ok(Body::Enclave(report)) => (None, Some(enclave_facts(report))),
            Err(_) => (None, None),
        };
        QuoteFacts {
            platform: chain.as_ref().ok().zip(platform.ok()).map(|(chain, platform)| platform_facts(chain, &platform)),
            trust_domain,
            enclave,
            tcb: tcb.ok(),
            window: window.ok(),
        }
    };
    let trust_domain = body.and_then(|body| body.read(Body::into_trust_domain));
    Appraisal { quote, trust_domain, genuine, judged, facts }
}

/// The signers of the two JSON documents; usually one key.
struct Signers {
    tcb_info: CollateralSigner,
    qe_identity: CollateralSigner,
}

impl Signers {
    fn establish(collateral: &Collateral, trust: Trust<'_>, root: &Certificate, findings: &mut Findings) -> Checked<Self> {
        let tcb_info = CollateralSigner::establish(collateral.tcb_info_chain.as_deref(), trust, root, findings);
        if collateral.tcb_info_chain == collateral.qe_identity_chain {
            let signer = tcb_info?;
            return Ok(Self { tcb_info: signer.clone(), qe_identity: signer });
        }
        let qe_identity = CollateralSigner::establish(collateral.qe_identity_chain.as_deref(), trust, root, findings);
        Ok(Self { tcb_info: tcb_info?, qe_identity: qe_identity? })
    }
}

/// The root CRL answers for the intermediate and the collateral signers, the PCK CRL for the leaf.
fn check_revocation(
    chain: &PckChain,
    root_crl: Checked<&Crl>,
    pck_crl: Checked<&Crl>,
    signers: Checked<&Signers>,
    findings: &mut Findings,
) -> Checked<()> {
    let mut check = |crl: Checked<&Crl>, serial: &[u8], what: &'static str| {
        if crl.is_ok_and(|crl| crl.revokes(serial)) {
            let message = format!("the {what} with serial {} is revoked", HEXLOWER.encode(serial));
            findings.raise(Problem::new(Code::CertificateRevoked, Location::document(what), message));
        }
    };
    check(root_crl, &chain.intermediate.serial, "PCK CA certificate");
    check(pck_crl, &chain.leaf.serial, "PCK certificate");
    if let Ok(signers) = signers {
        check(root_crl, &signers.tcb_info.serial, "TCB signing certificate");
        if signers.qe_identity.serial != signers.tcb_info.serial {
            check(root_crl, &signers.qe_identity.serial, "TCB signing certificate");
        }
    }
    root_crl.and(pck_crl)?;
    signers.map(|_| ())
}

/// The QE report vouches for the attestation key with all of its report data: SHA-256(key, authentication data), then zeros.
fn attestation_key(quote: &Quote<'_>, qe_report: &Authentic<EnclaveReport<'_>>, findings: &mut Findings) -> Checked<PublicKey> {
    let mut wanted = crypto::sha256([quote.attestation_key.as_slice(), quote.qe_authentication]).to_vec();
    wanted.resize(64, 0);
    if qe_report.report_data.as_slice() != wanted {
        let message = "the QE report's report data is not the hash of the attestation key and the authentication data";
        let problem = Problem::new(Code::QeReportData, Location::document("QE report"), message);
        return Err(findings.stop(problem.found(HEXLOWER.encode(qe_report.report_data)).wanted(HEXLOWER.encode(&wanted))));
    }
    PublicKey::from_coordinates(quote.attestation_key).ok_or_else(|| {
        findings.stop(Problem::new(
            Code::QuoteAttestationKey,
            Location::offset("quote", quote.signature_offset.saturating_add(64)),
            "the attestation key is not a point on P-256",
        ))
    })
}

const fn source(instant: Instant) -> &'static str {
    match instant {
        Instant::Collateral => "collateral",
        Instant::Now(_) => "now",
        Instant::Given(_) => "given",
    }
}

/// The judged instant and the common window of all objects. The signers come last, because the built-in one has two
/// certificates of which the instant selects one.
fn common_window(instant: Instant, mut objects: Vec<ObjectWindow>, signers: Option<&Signers>) -> Option<(Timestamp, WindowFacts)> {
    let latest_start = |objects: &[ObjectWindow]| objects.iter().map(|object| object.start).max();
    let at = |objects: &[ObjectWindow]| match instant {
        Instant::Collateral => latest_start(objects),
        Instant::Now(at) | Instant::Given(at) => Some(at),
    };
    if let (Some(signers), Some(at)) = (signers, at(&objects)) {
        objects.extend(signers.tcb_info.window(at));
        objects.extend(signers.qe_identity.window(at).filter(|window| !objects.contains(window)));
    }
    let (start, end) = (latest_start(&objects)?, objects.iter().map(|object| object.end).min()?);
    Some((at(&objects)?, WindowFacts { start, end, objects }))
}

fn check_validity(at: Timestamp, window: &WindowFacts, findings: &mut Findings) {
    for ObjectWindow { object, start, end } in &window.objects {
        if (*start..=*end).contains(&at) {
            continue;
        }
        let code = match *object {
            "TCB info" => Code::TcbInfoWindow,
            "QE identity" => Code::QeIdentityWindow,
            "root CRL" | "PCK CRL" => Code::CrlWindow,
            _ => Code::CertificateValidity,
        };
        let verb = if at < *start { "is not yet valid" } else { "has expired" };
        let message = format!("the {object} {verb} at {at}: it is valid from {start} to {end}; its signature is good");
        findings.raise(Problem::new(code, Location::document(object), message).found(at.to_string()).wanted(format!("{start} to {end}")));
    }
    if window.start > window.end {
        let message = format!("the signed objects have no common window: one starts at {}, another ends at {}", window.start, window.end);
        findings.raise(Problem::new(Code::WindowEmpty, Location::document("collateral"), message));
    }
}

fn check_platform(platform: &SgxExtension, tcb_info: &Authentic<TcbInfo>, findings: &mut Findings) {
    for (code, name, found, wanted) in [
        (Code::PlatformFmspc, "FMSPC", tcb_info.fmspc.as_slice(), platform.fmspc.as_slice()),
        (Code::PlatformPceId, "PCE id", &tcb_info.pce_id, &platform.pce_id),
    ] {
        if found != wanted {
            let (found, wanted) = (HEXLOWER.encode(found), HEXLOWER.encode(wanted));
            let message = format!("the TCB info is for {name} {found}, the PCK certificate says {wanted}");
            findings.raise(Problem::new(code, Location::document("TCB info"), message).found(found).wanted(wanted));
        }
    }
}

fn check_evaluation_numbers(tcb_info: &Authentic<TcbInfo>, qe_identity: &Authentic<QeIdentity>, policy: &Policy, findings: &mut Findings) {
    let location = Location::document("collateral");
    if tcb_info.evaluation != qe_identity.evaluation {
        let message = format!("TCB info has evaluation number {}, QE identity {}", tcb_info.evaluation, qe_identity.evaluation);
        findings.raise(Problem::new(Code::TcbEvaluationDiffers, location.clone(), message));
    }
    let lower = tcb_info.evaluation.min(qe_identity.evaluation);
    if let Some(minimum) = policy.minimum_tcb_evaluation.filter(|minimum| lower < *minimum) {
        let message = format!("the collateral has evaluation number {lower}, the policy asks for {minimum}");
        findings.raise(Problem::new(Code::TcbEvaluationLow, location, message).found(lower.to_string()).wanted(minimum.to_string()));
    }
}

fn platform_facts(chain: &PckChain, platform: &SgxExtension) -> PlatformFacts {
    PlatformFacts {
        fmspc: HEXLOWER.encode(&platform.fmspc),
        pce_id: HEXLOWER.encode(&platform.pce_id),
        pce_svn: platform.pce_svn,
        ca: chain.ca.name(),
        ppid: HEXLOWER.encode(&platform.ppid),
        pck_serial: HEXLOWER.encode(&chain.leaf.serial),
    }
}

/// The fields of a TD report as hex.
pub(crate) fn trust_domain_facts(report: &TdReport<'_>) -> TrustDomainFacts {
    TrustDomainFacts {
        mrtd: HEXLOWER.encode(report.mrtd),
        rtmr: report.rtmr.map(|register| HEXLOWER.encode(register)),
        mrseam: HEXLOWER.encode(report.mrseam),
        mrconfigid: HEXLOWER.encode(report.mrconfigid),
        mrowner: HEXLOWER.encode(report.mrowner),
        td_attributes: HEXLOWER.encode(report.td_attributes),
        xfam: HEXLOWER.encode(report.xfam),
        tee_tcb_svn: HEXLOWER.encode(report.tee_tcb_svn),
        tee_tcb_svn2: report.td15.map(|td15| HEXLOWER.encode(td15.tee_tcb_svn2)),
        mrservicetd: report.td15.map(|td15| HEXLOWER.encode(td15.mrservicetd)),
        report_data: HEXLOWER.encode(report.report_data),
    }
}

/// The fields of an SGX enclave's report as hex.
pub(crate) fn enclave_facts(report: &EnclaveReport<'_>) -> EnclaveFacts {
    EnclaveFacts {
        mrenclave: HEXLOWER.encode(report.mrenclave),
        mrsigner: HEXLOWER.encode(report.mrsigner),
        isv_prod_id: report.isv_prod_id,
        isv_svn: report.isv_svn,
        attributes: HEXLOWER.encode(report.attributes),
        report_data: HEXLOWER.encode(report.report_data),
    }
}

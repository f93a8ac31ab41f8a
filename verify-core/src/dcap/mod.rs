//! Verification of a TDX quote against Intel's collateral. Knows no receipt.
//!
//! [`verify`] meets the obligations in order; each file below holds the rules of one object.

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
pub(crate) mod td_attributes;

use data_encoding::HEXLOWER;

use crate::anchors::Anchors;
use crate::certificate::Certificate;
use crate::crypto::{self, PublicKey};
use crate::dcap::chain::{CollateralSigner, PckChain};
use crate::dcap::collateral::Collateral;
use crate::dcap::crl::Crl;
use crate::dcap::qe_identity::QeIdentity;
use crate::dcap::quote::{QeReport, Quote, TdReport};
use crate::dcap::sgx_extension::SgxExtension;
use crate::dcap::signed::Authentic;
use crate::dcap::tcb::Evaluation;
use crate::dcap::tcb_info::TcbInfo;
use crate::ledger::{Checked, Findings, Ledger, Stopped, need};
use crate::policy::Policy;
use crate::problem::{Code, Effect, Location, Problem};
use crate::report::{Facts, Judged, ObjectWindow, Obligation, PlatformFacts, TrustDomainFacts, WindowFacts};
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

/// What the quote says once everything about it was checked.
pub(crate) struct Appraisal<'a> {
    /// The quote's layout, whether or not its signature holds.
    pub(crate) quote: Checked<Quote<'a>>,
    /// The TD report under the whole chain of signatures.
    pub(crate) trust_domain: Checked<Authentic<TdReport<'a>>>,
    /// Whether the quote is evidence: every obligation about it is met.
    pub(crate) genuine: Checked<()>,
    pub(crate) judged: Judged,
    pub(crate) facts: Facts,
}

/// Checks `quote` against `collateral` and `anchors`: layout, signatures up to the root, revocation, validity at `instant`,
/// identities, TCB level, TD attributes.
pub(crate) fn verify<'a>(
    quote: Checked<&'a [u8]>,
    collateral: Checked<&[u8]>,
    instant: Instant,
    policy: &Policy,
    anchors: &Anchors,
    ledger: &mut Ledger,
) -> Appraisal<'a> {
    // What is carried: layouts only.
    let quote = ledger.meet(Obligation::Quote, |findings| Quote::read(quote?, findings));
    let collateral = ledger.meet(Obligation::Collateral, |findings| Collateral::read(collateral?, findings));

    // Who vouches: from the PCK certificate and the collateral signer up to the root.
    let chain = ledger.meet(Obligation::PckChain, |findings| PckChain::verify(need(&quote)?.pck_chain, anchors, findings));
    let platform = ledger.meet(Obligation::SgxExtension, |findings| SgxExtension::read(need(&chain)?, findings));
    let root_crl = ledger.meet(Obligation::RootCrl, |findings| {
        let (chain, collateral) = (need(&chain)?, need(&collateral)?);
        Crl::verify(need(&collateral.root_crl)?, "root CRL", &chain.root, findings)
    });
    let pck_crl = ledger.meet(Obligation::PckCrl, |findings| {
        let (chain, collateral) = (need(&chain)?, need(&collateral)?);
        if let Some(pem) = &collateral.pck_crl_chain {
            chain.check_crl_issuer_chain(pem, findings)?;
        }
        Crl::verify(need(&collateral.pck_crl)?, "PCK CRL", &chain.intermediate, findings)
    });
    let signers = ledger.meet(Obligation::TcbSigner, |findings| {
        let (chain, collateral) = (need(&chain)?, need(&collateral)?);
        Signers::establish(collateral, anchors, &chain.root, findings)
    });
    let _unrevoked = ledger.meet(Obligation::Revocation, |findings| {
        let (chain, root_crl, pck_crl, signers) = (need(&chain)?, need(&root_crl), need(&pck_crl), need(&signers));
        check_revocation(chain, root_crl, pck_crl, signers, findings)
    });

    // What they signed.
    let qe_report = ledger.meet(Obligation::QeReport, |findings| {
        let (quote, chain) = (need(&quote)?, need(&chain)?);
        quote.qe_report.verify(&chain.leaf.key).ok_or_else(|| {
            findings.stop(Problem::new(
                Code::QeReportSignature,
                Location::document("QE report"),
                "the QE report is not signed by the PCK key",
            ))
        })
    });
    let attestation_key = ledger.meet(Obligation::QeBinding, |findings| attestation_key(need(&quote)?, need(&qe_report)?, findings));
    let trust_domain = ledger.meet(Obligation::QuoteSignature, |findings| {
        let (quote, key) = (need(&quote)?, need(&attestation_key)?);
        quote.trust_domain.verify(key).ok_or_else(|| {
            findings.stop(Problem::new(
                Code::QuoteSignature,
                Location::offset("quote", 636),
                "the quote is not signed by its attestation key",
            ))
        })
    });
    let tcb_info = ledger.meet(Obligation::TcbInfo, |findings| {
        let (document, signers) = (need(&need(&collateral)?.tcb_info)?, need(&signers)?);
        let opened = document.open("tcbInfo", tcb_info::FORMAT, findings)?;
        let value = opened.signed().verify(&signers.tcb_info.key).ok_or_else(|| {
            let message = "the TCB info is not signed by the TCB signing key";
            findings.stop(Problem::new(Code::TcbInfoSignature, Location::document("TCB info"), message))
        })?;
        value.read(|value| TcbInfo::read(value, findings))
    });
    let qe_identity = ledger.meet(Obligation::QeIdentity, |findings| {
        let (document, signers) = (need(&need(&collateral)?.qe_identity)?, need(&signers)?);
        let opened = document.open("enclaveIdentity", qe_identity::FORMAT, findings)?;
        let value = opened.signed().verify(&signers.qe_identity.key).ok_or_else(|| {
            let message = "the QE identity is not signed by the TCB signing key";
            findings.stop(Problem::new(Code::QeIdentitySignature, Location::document("QE identity"), message))
        })?;
        value.read(|value| QeIdentity::read(value, findings))
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

    // What that says about this platform and this trust domain.
    let _same_platform = ledger.meet(Obligation::Platform, |findings| {
        check_platform(need(&platform)?, need(&tcb_info)?, findings);
        Ok(())
    });
    let _td_quoting_enclave = ledger.meet(Obligation::QuotingEnclave, |findings| {
        need(&qe_identity)?.check(need(&qe_report)?, findings);
        Ok(())
    });
    let module = ledger.meet(Obligation::TdxModule, |findings| tcb::module_level(need(&trust_domain)?, need(&tcb_info)?, findings));
    let tcb = ledger.meet(Obligation::TcbStatus, |findings| {
        let evaluation = Evaluation {
            platform: need(&platform)?,
            report: need(&trust_domain)?,
            qe_report: need(&qe_report)?,
            tcb_info: need(&tcb_info)?,
            qe_identity: need(&qe_identity)?,
        };
        check_evaluation_numbers(evaluation.tcb_info, evaluation.qe_identity, policy, findings);
        evaluation.status(need(&module)?.as_ref(), findings)
    });
    let _closed = ledger.meet(Obligation::TdAttributes, |findings| {
        td_attributes::check(need(&trust_domain)?, findings);
        Ok(())
    });

    let genuine = ledger.holds(Obligation::Quote..=Obligation::TdAttributes, policy).and(need(&trust_domain).map(|_| ()));
    let authentic = ledger.holds(Obligation::Quote..=Obligation::TdxModule, policy);
    let facts = if matches!(authentic, Err(Stopped::By(code)) if policy.effect(code) == Effect::Refutes) {
        Facts::default()
    } else {
        Facts {
            platform: chain.as_ref().ok().zip(platform.ok()).map(|(chain, platform)| platform_facts(chain, &platform)),
            trust_domain: trust_domain.as_ref().ok().map(|report| trust_domain_facts(report)),
            tcb: tcb.ok(),
            window: window.ok(),
            ..Facts::default()
        }
    };
    Appraisal { quote, trust_domain, genuine, judged, facts }
}

/// The signers of the two JSON documents; usually one key.
struct Signers {
    tcb_info: CollateralSigner,
    qe_identity: CollateralSigner,
}

impl Signers {
    fn establish(collateral: &Collateral, anchors: &Anchors, root: &Certificate, findings: &mut Findings) -> Checked<Self> {
        let tcb_info = CollateralSigner::establish(collateral.tcb_info_chain.as_deref(), anchors, root, findings);
        if collateral.tcb_info_chain == collateral.qe_identity_chain {
            let signer = tcb_info?;
            return Ok(Self { tcb_info: signer.clone(), qe_identity: signer });
        }
        let qe_identity = CollateralSigner::establish(collateral.qe_identity_chain.as_deref(), anchors, root, findings);
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
fn attestation_key(quote: &Quote<'_>, qe_report: &Authentic<QeReport<'_>>, findings: &mut Findings) -> Checked<PublicKey> {
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
            Location::offset("quote", 700),
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
        report_data: HEXLOWER.encode(report.report_data),
    }
}

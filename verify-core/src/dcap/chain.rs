//! Certificate chains of Intel's PKI (RFC 5280; Intel SGX PCK certificate specification, section 1.3).

use std::sync::Arc;

use crate::anchors::{TcbSigner, Trust};
use crate::certificate::{Certificate, CertificateFault, read_pem};
use crate::crypto::PublicKey;
use crate::facts::ObjectWindow;
use crate::ledger::{Checked, Findings};
use crate::memo::Memory;
use crate::problem::{Code, Location, Problem};
use crate::time::Timestamp;

const ROOT: &str = "Intel SGX Root CA";
const PLATFORM_CA: &str = "Intel SGX PCK Platform CA";
const PROCESSOR_CA: &str = "Intel SGX PCK Processor CA";
const PCK: &str = "Intel SGX PCK Certificate";
const TCB_SIGNING: &str = "Intel SGX TCB Signing";

/// The PCK chain after every rule but validity and revocation: leaf, intermediate, trusted root.
#[derive(Clone, Debug)]
pub(crate) struct PckChain {
    pub(crate) leaf: Arc<Certificate>,
    pub(crate) intermediate: Arc<Certificate>,
    pub(crate) root: Arc<Certificate>,
    pub(crate) ca: PckCa,
}

/// Which of Intel's two CAs issued a PCK certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PckCa {
    Platform,
    Processor,
}

/// The place of a certificate in a chain.
#[derive(Clone, Copy)]
enum Place {
    Leaf,
    /// A CA with at most this many CAs below it.
    Ca {
        below: u32,
    },
}

impl PckChain {
    /// Reads the PEM of a quote and checks names, constraints, key usage and signatures up to the anchor.
    pub(crate) fn verify(pem: &[u8], trust: Trust<'_>, findings: &mut Findings) -> Checked<Self> {
        let places = ["PCK certificate", "PCK CA certificate", "root certificate"];
        let [leaf, intermediate, root] = read_chain(pem, places, trust.memory, findings)?;
        let called =
            |certificate: &Certificate| [ROOT, PLATFORM_CA, PROCESSOR_CA, PCK].into_iter().find(|name| certificate.subject.is_called(name));
        if called(&leaf) == Some(ROOT) || called(&root) == Some(PCK) {
            let message = "the certificates stand in the wrong order; wanted leaf, intermediate, root";
            return Err(findings.stop(Problem::new(Code::ChainOrder, Location::document("PCK chain"), message)));
        }
        require_root(&root, "root certificate", trust, findings)?;
        let ca = if intermediate.subject.is_called(PROCESSOR_CA) { PckCa::Processor } else { PckCa::Platform };
        check_certificate(&intermediate, "PCK CA certificate", ca.common_name(), Place::Ca { below: 0 }, &root, trust, findings)?;
        check_certificate(&leaf, "PCK certificate", PCK, Place::Leaf, &intermediate, trust, findings)?;
        Ok(Self { leaf, intermediate, root, ca })
    }

    /// The validity of the three certificates.
    pub(crate) fn windows(&self) -> [ObjectWindow; 3] {
        [window("PCK certificate", &self.leaf), window("PCK CA certificate", &self.intermediate), window("root certificate", &self.root)]
    }

    /// Checks a CRL issuer chain that the collateral carries: it has to be the CA certificate of the quote, whose validity and
    /// revocation are checked there.
    pub(crate) fn check_crl_issuer_chain(&self, pem: &[u8], memory: &Memory, findings: &mut Findings) -> Checked<()> {
        let place = "PCK CRL issuer certificate";
        let [issuer, root] = read_chain(pem, [place, "PCK CRL issuer's root certificate"], memory, findings)?;
        require_same_root(&root, &self.root, "PCK CRL issuer's root certificate", findings)?;
        if issuer.to_be_signed != self.intermediate.to_be_signed || !issuer.is_signed_by(&root.key, memory) {
            let message = "the carried issuer chain is not of the CA that issued the PCK certificate";
            return Err(findings.stop(Problem::new(Code::CrlIssuer, Location::document(place), message)));
        }
        Ok(())
    }
}

impl PckCa {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            PckCa::Platform => "platform",
            PckCa::Processor => "processor",
        }
    }

    const fn common_name(self) -> &'static str {
        match self {
            PckCa::Platform => PLATFORM_CA,
            PckCa::Processor => PROCESSOR_CA,
        }
    }
}

/// A key that may sign TCB info or QE identities, with what decides whether it may do so at an instant.
#[derive(Clone, Debug)]
pub(crate) struct CollateralSigner {
    pub(crate) key: PublicKey,
    pub(crate) serial: Vec<u8>,
    /// One period for each certificate that carries the key.
    validity: Vec<(Timestamp, Timestamp)>,
}

impl CollateralSigner {
    /// From the issuer chain that the collateral carries or, where it carries none, from the anchors.
    pub(crate) fn establish(carried: Option<&[u8]>, trust: Trust<'_>, root: &Certificate, findings: &mut Findings) -> Checked<Self> {
        let place = "TCB signing certificate";
        if let Some(pem) = carried {
            let [signer, carried_root] = read_chain(pem, [place, "TCB signing root certificate"], trust.memory, findings)?;
            require_same_root(&carried_root, root, "TCB signing root certificate", findings)?;
            return Self::from_certificate(&signer, root, trust, findings);
        }
        match &trust.anchors.tcb_signer {
            Some(TcbSigner::Supplied(signer)) => Self::from_certificate(signer, root, trust, findings),
            Some(TcbSigner::BuiltIn { key, serial, validity }) => match PublicKey::from_coordinates(key) {
                Some(key) => Ok(Self { key, serial: serial.clone(), validity: validity.clone() }),
                None => Err(findings.stop(Problem::new(
                    Code::CertificateAlgorithm,
                    Location::document(place),
                    "the key is not a point on P-256",
                ))),
            },
            None => {
                let message =
                    "the collateral carries no issuer chain and the anchors hold no TCB signing certificate: give one beside the root";
                Err(findings.stop(Problem::new(Code::CollateralAbsent, Location::document(place), message)))
            }
        }
    }

    fn from_certificate(signer: &Certificate, root: &Certificate, trust: Trust<'_>, findings: &mut Findings) -> Checked<Self> {
        check_certificate(signer, "TCB signing certificate", TCB_SIGNING, Place::Leaf, root, trust, findings)?;
        Ok(Self { key: signer.key.clone(), serial: signer.serial.clone(), validity: vec![(signer.not_before, signer.not_after)] })
    }

    /// The certificate's validity; of several certificates, that of the first one that is valid at `instant`.
    pub(crate) fn window(&self, instant: Timestamp) -> Option<ObjectWindow> {
        let valid = self.validity.iter().find(|(start, end)| *start <= instant && instant <= *end);
        let (start, end) = valid.or(self.validity.last())?;
        Some(ObjectWindow { object: "TCB signing certificate", start: *start, end: *end })
    }
}

fn window(object: &'static str, certificate: &Certificate) -> ObjectWindow {
    ObjectWindow { object, start: certificate.not_before, end: certificate.not_after }
}

/// Reads exactly the certificates named in `places`.
fn read_chain<const N: usize>(
    pem: &[u8],
    places: [&'static str; N],
    memory: &Memory,
    findings: &mut Findings,
) -> Checked<[Arc<Certificate>; N]> {
    let document = "certificate chain";
    let blocks = read_pem(pem, "CERTIFICATE").map_err(|fault| findings.stop(fault.into_problem(Code::ChainMalformed, document)))?;
    let blocks: [Vec<u8>; N] = blocks.try_into().map_err(|blocks: Vec<Vec<u8>>| {
        let message = format!("the chain has {} certificates", blocks.len());
        let problem = Problem::new(Code::ChainMalformed, Location::document(document), message);
        findings.stop(problem.found(blocks.len().to_string()).wanted(format!("{N} ({})", places.join(", "))))
    })?;
    let mut certificates = Vec::new();
    for (der, place) in blocks.iter().zip(places) {
        let certificate =
            memory.certificate(der).map_err(|fault| findings.stop(Problem::new(fault.code, Location::document(place), fault.message)))?;
        certificates.push(certificate);
    }
    certificates.try_into().map_err(|_| crate::ledger::Stopped::By(Code::ChainMalformed))
}

/// Every certificate that can be read, whatever it is.
pub(crate) fn read_any(pem: &[u8], findings: &mut Findings) -> Vec<Certificate> {
    let document = "certificate chain";
    let blocks = read_pem(pem, "CERTIFICATE").map_err(|fault| findings.raise(fault.into_problem(Code::ChainMalformed, document)));
    let read = blocks.unwrap_or_default().into_iter().map(|der| {
        let refused = |fault: CertificateFault| Problem::new(fault.code, Location::document(document), fault.message);
        Certificate::from_der(&der).map_err(|fault| findings.raise(refused(fault))).ok()
    });
    read.flatten().collect()
}

/// The root has the anchor's key, signs itself and follows the rules of a root.
fn require_root(root: &Certificate, place: &'static str, trust: Trust<'_>, findings: &mut Findings) -> Checked<()> {
    if root.key.coordinates() != trust.anchors.root_key {
        let message = format!("the chain ends in {}, whose key is not that of the trusted root", root.subject);
        return Err(findings.stop(Problem::new(Code::RootUntrusted, Location::document(place), message)));
    }
    check_certificate(root, place, ROOT, Place::Ca { below: 1 }, root, trust, findings)
}

/// The root of a carried issuer chain is the one of the quote's chain, which was checked.
fn require_same_root(carried: &Certificate, root: &Certificate, place: &'static str, findings: &mut Findings) -> Checked<()> {
    if carried.to_be_signed == root.to_be_signed {
        return Ok(());
    }
    let message = format!("the chain ends in {}, which is not the root certificate of the quote", carried.subject);
    Err(findings.stop(Problem::new(Code::RootUntrusted, Location::document(place), message)))
}

/// Every rule for one certificate under `issuer`, but validity and revocation.
fn check_certificate(
    certificate: &Certificate,
    place: &'static str,
    common_name: &str,
    kind: Place,
    issuer: &Certificate,
    trust: Trust<'_>,
    findings: &mut Findings,
) -> Checked<()> {
    let mut wrong = |code: Code, message: String| Err(findings.stop(Problem::new(code, Location::document(place), message)));
    if !certificate.subject.is_called(common_name) || !certificate.subject.same_organisation(&trust.anchors.root_subject) {
        return wrong(
            Code::CertificateName,
            format!(
                "the subject is {}; wanted the common name {common_name:?} and the rest of {}",
                certificate.subject, trust.anchors.root_subject
            ),
        );
    }
    if certificate.issuer != issuer.subject {
        return wrong(
            Code::CertificateName,
            format!("the issuer is {}, but the certificate above is {}", certificate.issuer, issuer.subject),
        );
    }
    let Some(constraints) = certificate.constraints else {
        return wrong(Code::CertificateNotCa, "there are no basic constraints, so it may not issue anything".to_owned());
    };
    let constraints_fit = match kind {
        Place::Leaf => !constraints.ca,
        Place::Ca { below } => constraints.ca && constraints.path_length.is_none_or(|length| length >= below),
    };
    if !constraints_fit {
        return wrong(
            Code::CertificateNotCa,
            match kind {
                Place::Leaf => "it is a CA certificate, but stands in the place of a leaf".to_owned(),
                Place::Ca { .. } => "it may not issue the certificate below it: not a CA, or the path length is used up".to_owned(),
            },
        );
    }
    let usage_fits = certificate.key_usage.is_some_and(|usage| match kind {
        Place::Leaf => usage.digital_signature,
        Place::Ca { .. } => usage.certificate_and_crl_sign,
    });
    if !usage_fits {
        return wrong(Code::CertificateKeyUsage, "the key usage does not allow the use of this key".to_owned());
    }
    if !certificate.is_signed_by(&issuer.key, trust.memory) {
        return wrong(Code::CertificateSignature, format!("the signature is not by {}", issuer.subject));
    }
    Ok(())
}

//! Certificate revocation lists (RFC 5280 section 5) as Intel issues them: complete, direct, version 2.

use std::borrow::Cow;

use x509_parser::prelude::FromDer;
use x509_parser::revocation_list::CertificateRevocationList;
use x509_parser::x509::X509Version;

use crate::certificate::{Certificate, Name, SignedObject, is_ecdsa_with_sha256, read_pem, times};
use crate::crypto::{self, Signature};
use crate::ledger::{Checked, Findings};
use crate::limits;
use crate::problem::{Code, Location, Problem};
use crate::report::ObjectWindow;
use crate::text::quoted;

const CRL_NUMBER: &str = "2.5.29.20";
const AUTHORITY_KEY_IDENTIFIER: &str = "2.5.29.35";

/// A revocation list that its CA signed.
#[derive(Clone, Debug)]
pub(crate) struct Crl {
    pub(crate) window: ObjectWindow,
    /// Serial numbers' content bytes.
    revoked: Vec<Vec<u8>>,
}

impl Crl {
    /// Reads DER, PEM or hex text, and checks that `issuer` issued it.
    pub(crate) fn verify(bytes: &[u8], document: &'static str, issuer: &Certificate, findings: &mut Findings) -> Checked<Self> {
        let der = to_der(bytes, document, findings)?;
        let mut wrong = |code: Code, message: String| findings.stop(Problem::new(code, Location::document(document), message));
        if der.len() > limits::CRL_BYTES {
            return Err(wrong(Code::LimitExceeded, format!("the CRL has {} bytes; at most {} are read", der.len(), limits::CRL_BYTES)));
        }
        let signed = SignedObject::from_der(&der).map_err(|fault| match fault.code {
            Code::CertificateAlgorithm => wrong(Code::CrlSignature, fault.message),
            _ => wrong(Code::CrlMalformed, fault.message),
        })?;
        let (_, parsed) = CertificateRevocationList::from_der(&der).map_err(|_| wrong(Code::CrlMalformed, "not a CRL".to_owned()))?;
        let list = &parsed.tbs_cert_list;
        if list.version != Some(X509Version::V2) {
            return Err(wrong(Code::CrlMalformed, "the CRL is not version 2".to_owned()));
        }
        if list.next_update.is_none() {
            return Err(wrong(Code::CrlMalformed, "the CRL has no next update, so it would never expire".to_owned()));
        }
        let Some([start, end]) = signed.members.get(3..5).and_then(times) else {
            return Err(wrong(Code::CrlMalformed, "the CRL is not dated by two times of RFC 5280".to_owned()));
        };
        check_extensions(&parsed).map_err(|message| wrong(Code::CrlExtension, message))?;
        match Name::from_x509(&list.issuer) {
            Some(name) if name == issuer.subject => {}
            Some(name) => return Err(wrong(Code::CrlIssuer, format!("the CRL was issued by {name}; wanted {}", issuer.subject))),
            None => return Err(wrong(Code::CrlMalformed, "the issuer is not text".to_owned())),
        }
        let signature = Signature::from_der(signed.signature).filter(|_| is_ecdsa_with_sha256(&list.signature));
        if !signature.is_some_and(|signature| crypto::verify(&issuer.key, &signature, signed.to_be_signed)) {
            let message = format!("the CRL is not signed with ecdsa-with-SHA256 by the key of {}", issuer.subject);
            return Err(wrong(Code::CrlSignature, message));
        }
        Ok(Self {
            window: ObjectWindow { object: document, start, end },
            revoked: parsed.iter_revoked_certificates().map(|entry| entry.raw_serial().to_vec()).collect(),
        })
    }

    /// Whether `serial` is listed, for whatever reason.
    pub(crate) fn revokes(&self, serial: &[u8]) -> bool {
        self.revoked.iter().any(|revoked| without_leading_zeros(revoked) == without_leading_zeros(serial))
    }
}

/// Serial numbers are compared as numbers: a longer encoding must not hide an entry.
fn without_leading_zeros(serial: &[u8]) -> &[u8] {
    let zeros = serial.iter().take_while(|byte| **byte == 0).count();
    serial.get(zeros..).unwrap_or_default()
}

/// Intel's PCS serves DER, its caching service hex digits, older interfaces PEM.
fn to_der<'a>(bytes: &'a [u8], document: &'static str, findings: &mut Findings) -> Checked<Cow<'a, [u8]>> {
    let location = Location::document(document);
    let mut note =
        |form: &str| findings.raise(Problem::new(Code::CollateralCrlAsText, location.clone(), format!("the CRL came as {form}")));
    if bytes.starts_with(b"-----BEGIN") {
        note("PEM");
        let blocks = read_pem(bytes, "X509 CRL").map_err(|fault| findings.stop(fault.into_problem(Code::CrlMalformed, document)))?;
        let [block] = <[Vec<u8>; 1]>::try_from(blocks)
            .map_err(|_| findings.stop(Problem::new(Code::CrlMalformed, location, "wanted exactly one PEM block")))?;
        return Ok(Cow::Owned(block));
    }
    let text = bytes.trim_ascii_end();
    if !text.is_empty() && text.iter().all(u8::is_ascii_hexdigit) {
        note("hex text");
        return data_encoding::HEXLOWER_PERMISSIVE.decode(text).map(Cow::Owned).map_err(|error| {
            findings.stop(Problem::new(
                Code::CrlMalformed,
                Location::offset(document, error.position),
                "the hex text has an odd number of digits",
            ))
        });
    }
    Ok(Cow::Borrowed(bytes))
}

fn check_extensions(parsed: &CertificateRevocationList<'_>) -> Result<(), String> {
    let mut seen = std::collections::BTreeSet::new();
    for extension in parsed.extensions() {
        let oid = extension.oid.to_id_string();
        if oid != CRL_NUMBER && oid != AUTHORITY_KEY_IDENTIFIER {
            return Err(format!(
                "the extension {} makes the CRL unusable here: a complete CRL of Intel has none but its number and the authority key identifier",
                quoted(&oid)
            ));
        }
        if !seen.insert(oid.clone()) {
            return Err(format!("the extension {} stands twice", quoted(&oid)));
        }
    }
    for (oid, name) in [(CRL_NUMBER, "CRL number"), (AUTHORITY_KEY_IDENTIFIER, "authority key identifier")] {
        if !seen.contains(oid) {
            return Err(format!("the CRL has no {name}"));
        }
    }
    for entry in parsed.iter_revoked_certificates() {
        if let Some(extension) = entry.extensions().iter().find(|extension| extension.critical) {
            return Err(format!("an entry has the critical extension {}", quoted(&extension.oid.to_id_string())));
        }
    }
    Ok(())
}

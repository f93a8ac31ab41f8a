//! Certificate revocation lists (RFC 5280 section 5) as Intel issues them: complete, direct, version 2.

use std::borrow::Cow;

use der::asn1::{AnyRef, ObjectIdentifier};
use der::{Decode, Reader, Tag, TagNumber, Tagged};

use crate::certificate::{
    AUTHORITY_KEY_IDENTIFIER, Certificate, Extension, ExtensionFault, Name, SignedObject, extensions, integer, is_ecdsa_with_sha256,
    read_pem, tagged_extensions, time,
};
use crate::crypto::Signature;
use crate::facts::ObjectWindow;
use crate::ledger::{Checked, Findings};
use crate::limits;
use crate::memo::Memory;
use crate::problem::{Code, Location, Problem};

const CRL_NUMBER: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.20");

/// A revocation list that its CA signed.
#[derive(Clone, Debug)]
pub(crate) struct Crl {
    pub(crate) window: ObjectWindow,
    /// The members of `revokedCertificates`, in DER.
    revoked: Vec<u8>,
}

impl Crl {
    /// Reads DER, PEM or hex text, and checks that `issuer` issued it.
    pub(crate) fn verify(
        bytes: &[u8],
        document: &'static str,
        issuer: &Certificate,
        memory: &Memory,
        findings: &mut Findings,
    ) -> Checked<Self> {
        let der = to_der(bytes, document, findings)?;
        let mut wrong = |code: Code, message: String| findings.stop(Problem::new(code, Location::document(document), message));
        if der.len() > limits::CRL_BYTES {
            return Err(wrong(Code::LimitExceeded, format!("the CRL has {} bytes; at most {} are read", der.len(), limits::CRL_BYTES)));
        }
        let signed = SignedObject::from_der(&der).map_err(|fault| match fault.code {
            Code::CertificateAlgorithm => wrong(Code::CrlSignature, fault.message),
            _ => wrong(Code::CrlMalformed, fault.message),
        })?;
        let [version, algorithm, issued_by, this_update, rest @ ..] = signed.members.as_slice() else {
            return Err(wrong(Code::CrlMalformed, "the CRL lacks members".to_owned()));
        };
        if integer(*version) != Ok(&[1]) {
            return Err(wrong(Code::CrlMalformed, "the CRL is not version 2".to_owned()));
        }
        let is_time = |value: &AnyRef<'_>| matches!(value.tag(), Tag::UtcTime | Tag::GeneralizedTime);
        let Some((next_update, rest)) = rest.split_first().filter(|(next_update, _)| is_time(next_update)) else {
            return Err(wrong(Code::CrlMalformed, "the CRL has no next update, so it would never expire".to_owned()));
        };
        let (Some(start), Some(end)) = (time(*this_update), time(*next_update)) else {
            return Err(wrong(Code::CrlMalformed, "the CRL is not dated by two times of RFC 5280".to_owned()));
        };
        let (revoked, rest): (&[u8], _) = match rest.split_first() {
            Some((entries, rest)) if entries.tag() == Tag::Sequence => (entries.value(), rest),
            _ => (&[], rest),
        };
        let mut acceptable = None;
        let checked = check_extensions(rest).and_then(|()| entries(revoked).try_for_each(|entry| check_entry(entry?, &mut acceptable)));
        checked.map_err(|fault| match fault {
            ExtensionFault::Malformed => wrong(Code::CrlMalformed, "the CRL is not a list in DER".to_owned()),
            ExtensionFault::Unacceptable(message) => wrong(Code::CrlExtension, message),
        })?;
        match Name::from_der(*issued_by) {
            Ok(name) if name == issuer.subject => {}
            Ok(name) => return Err(wrong(Code::CrlIssuer, format!("the CRL was issued by {name}; wanted {}", issuer.subject))),
            Err(_) => return Err(wrong(Code::CrlMalformed, "the issuer is not text".to_owned())),
        }
        let signature = Signature::from_der(signed.signature).filter(|_| is_ecdsa_with_sha256(*algorithm));
        if !signature.is_some_and(|signature| memory.verify(&issuer.key, &signature, signed.to_be_signed)) {
            let message = format!("the CRL is not signed with ecdsa-with-SHA256 by the key of {}", issuer.subject);
            return Err(wrong(Code::CrlSignature, message));
        }
        Ok(Self { window: ObjectWindow { object: document, start, end }, revoked: revoked.to_vec() })
    }

    /// Whether `serial` is listed, for whatever reason.
    pub(crate) fn revokes(&self, serial: &[u8]) -> bool {
        let wanted = without_leading_zeros(serial);
        let serials = entries(&self.revoked).flatten().filter_map(|entry| AnyRef::from_der_partial(entry.value()).ok());
        serials.map(|(listed, _)| listed).any(|listed| without_leading_zeros(listed.value()) == wanted)
    }
}

/// A number that lost its zero, and so became another one, must not hide an entry.
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

/// A complete CRL of Intel has its number and the authority key identifier, and no other extension.
fn check_extensions(members: &[AnyRef<'_>]) -> Result<(), ExtensionFault> {
    let extensions = tagged_extensions(members, TagNumber(0))?;
    let wanted = [(CRL_NUMBER, "CRL number"), (AUTHORITY_KEY_IDENTIFIER, "authority key identifier")];
    if let Some(Extension { oid, .. }) = extensions.iter().find(|extension| wanted.iter().all(|(oid, _)| *oid != extension.oid)) {
        let message = format!(
            "the extension {oid} makes the CRL unusable here: a complete CRL of Intel has none but its number and the authority key identifier"
        );
        return Err(ExtensionFault::Unacceptable(message));
    }
    match wanted.iter().find(|(oid, _)| extensions.iter().all(|extension| extension.oid != *oid)) {
        Some((_, name)) => Err(ExtensionFault::Unacceptable(format!("the CRL has no {name}"))),
        None => Ok(()),
    }
}

/// The members of `revokedCertificates`, up to the first fault.
fn entries(mut list: &[u8]) -> impl Iterator<Item = Result<AnyRef<'_>, ExtensionFault>> {
    std::iter::from_fn(move || {
        if list.is_empty() {
            return None;
        }
        let entry = AnyRef::from_der_partial(list);
        list = entry.as_ref().map_or(&[], |(_, rest)| *rest);
        Some(entry.map(|(entry, _)| entry).map_err(ExtensionFault::from))
    })
}

/// An entry begins with the serial number that it revokes: whatever its date and the extensions that are not critical say.
/// Most entries have the extensions of the one before, which were found `acceptable`.
fn check_entry<'a>(entry: AnyRef<'a>, acceptable: &mut Option<AnyRef<'a>>) -> Result<(), ExtensionFault> {
    entry.sequence(|reader| {
        integer(reader.decode()?)?;
        time(reader.decode()?).ok_or(ExtensionFault::Malformed)?;
        let carried = if reader.is_finished() { None } else { Some(reader.decode()?) };
        if carried == *acceptable {
            return Ok(());
        }
        let extensions = carried.map_or(Ok(Vec::new()), extensions)?;
        if let Some(Extension { oid, .. }) = extensions.iter().find(|extension| extension.is_critical) {
            return Err(ExtensionFault::Unacceptable(format!("an entry has the critical extension {oid}")));
        }
        *acceptable = carried;
        Ok(())
    })
}

//! X.509 certificates and PEM: bytes to fields. Says nothing on trust; `dcap::chain` does.

use der::asn1::{AnyRef, BitStringRef, Ia5StringRef, IntRef, ObjectIdentifier, OctetStringRef, PrintableStringRef, Utf8StringRef};
use der::{Decode, Reader, SliceReader, Tag, TagNumber, Tagged};

use crate::base64;
use crate::crypto::{PublicKey, Signature};
use crate::limits;
use crate::memo::Memory;
use crate::problem::{Code, Location, Problem};
use crate::text::quoted;
use crate::time::Timestamp;

const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");
/// Members of the AlgorithmIdentifier ecdsa-with-SHA256: 1.2.840.10045.4.3.2 without parameters.
const ECDSA_WITH_SHA256: [u8; 10] = [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
/// Members of the AlgorithmIdentifier of a key on P-256: 1.2.840.10045.2.1 with the parameter 1.2.840.10045.3.1.7.
const EC_PUBLIC_KEY_P256: [u8; 19] =
    [0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
const BASIC_CONSTRAINTS: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.19");
const KEY_USAGE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.15");
const SUBJECT_KEY_IDENTIFIER: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.14");
pub(crate) const AUTHORITY_KEY_IDENTIFIER: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.35");
const CRL_DISTRIBUTION_POINTS: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.31");
const SGX_EXTENSION: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113741.1.13.1");

/// Extensions that may be critical because the rules of the chain look at them or because they restrict nothing.
const KNOWN_EXTENSIONS: [ObjectIdentifier; 6] =
    [BASIC_CONSTRAINTS, KEY_USAGE, SUBJECT_KEY_IDENTIFIER, AUTHORITY_KEY_IDENTIFIER, CRL_DISTRIBUTION_POINTS, SGX_EXTENSION];

/// A parsed X.509 version 3 certificate with an ECDSA P-256 key, signed with ecdsa-with-SHA256 by somebody.
#[derive(Clone, Debug)]
pub(crate) struct Certificate {
    /// The bytes that the issuer signed, as received.
    pub(crate) to_be_signed: Vec<u8>,
    pub(crate) signature: Signature,
    pub(crate) subject: Name,
    pub(crate) issuer: Name,
    /// The serial number's content bytes.
    pub(crate) serial: Vec<u8>,
    pub(crate) not_before: Timestamp,
    pub(crate) not_after: Timestamp,
    pub(crate) key: PublicKey,
    pub(crate) constraints: Option<Constraints>,
    pub(crate) key_usage: Option<KeyUsage>,
    /// The content of Intel's SGX extension, where there is one.
    pub(crate) sgx_extension: Option<Vec<u8>>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Constraints {
    pub(crate) ca: bool,
    pub(crate) path_length: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyUsage {
    pub(crate) digital_signature: bool,
    pub(crate) certificate_and_crl_sign: bool,
}

/// A distinguished name: attribute types and values in order, whatever string type carried them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name(Vec<(ObjectIdentifier, String)>);

/// Why a text is not the PEM that was wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PemFault {
    is_limit: bool,
    offset: usize,
    message: String,
}

impl PemFault {
    fn malformed(offset: usize, message: impl Into<String>) -> Self {
        Self { is_limit: false, offset, message: message.into() }
    }

    /// The fault as a finding, where malformed PEM has the code `malformed`.
    pub(crate) fn into_problem(self, malformed: Code, document: &'static str) -> Problem {
        let code = if self.is_limit { Code::LimitExceeded } else { malformed };
        Problem::new(code, Location::offset(document, self.offset), self.message)
    }
}

impl std::fmt::Display for PemFault {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "byte {}: {}", self.offset, self.message)
    }
}

/// Why bytes are no acceptable certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CertificateFault {
    pub(crate) code: Code,
    pub(crate) message: String,
}

impl Name {
    pub(crate) fn new(attributes: &[(ObjectIdentifier, &str)]) -> Self {
        Self(attributes.iter().map(|(kind, value)| (*kind, (*value).to_owned())).collect())
    }

    pub(crate) fn from_der(name: AnyRef<'_>) -> der::Result<Self> {
        let mut attributes = Vec::new();
        for relative in members(name, Tag::Sequence)? {
            for attribute in members(relative, Tag::Set)? {
                let (kind, value) = attribute.sequence(|reader| Ok::<_, der::Error>((reader.decode()?, reader.decode()?)))?;
                attributes.push((kind, text(value)?.to_owned()));
            }
        }
        Ok(Self(attributes))
    }

    /// Whether the only common name is `name`.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        let mut common = self.0.iter().filter(|(kind, _)| *kind == COMMON_NAME);
        common.next().is_some_and(|(_, value)| value == name) && common.next().is_none()
    }

    /// Whether everything but the common name is the same in both.
    pub(crate) fn same_organisation(&self, other: &Name) -> bool {
        let is_of_organisation = |(kind, _): &&(ObjectIdentifier, String)| *kind != COMMON_NAME;
        self.0.iter().filter(is_of_organisation).eq(other.0.iter().filter(is_of_organisation))
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown: Vec<String> = self.0.iter().map(|(kind, value)| format!("{}={value}", short(&kind.to_string()))).collect();
        formatter.write_str(&quoted(&shown.join(", ")))
    }
}

fn short(kind: &str) -> &str {
    match kind {
        "2.5.4.3" => "CN",
        "2.5.4.6" => "C",
        "2.5.4.7" => "L",
        "2.5.4.8" => "ST",
        "2.5.4.10" => "O",
        "2.5.4.11" => "OU",
        other => other,
    }
}

impl Certificate {
    /// Reads exactly one certificate in DER.
    pub(crate) fn from_der(der: &[u8]) -> Result<Self, CertificateFault> {
        if der.len() > limits::CERTIFICATE_BYTES {
            return Err(fault(Code::LimitExceeded, format!("{} bytes; at most {} are read", der.len(), limits::CERTIFICATE_BYTES)));
        }
        let malformed = |message: &str| fault(Code::CertificateMalformed, message.to_owned());
        let signed = SignedObject::from_der(der)?;
        let [version, serial, algorithm, issuer, validity, subject, key, rest @ ..] = signed.members.as_slice() else {
            return Err(malformed("it lacks members of a version 3 certificate"));
        };
        if explicit(*version, TagNumber(0)).and_then(|version| version.decode_as::<u8>()) != Ok(2) {
            return Err(malformed("not version 3"));
        }
        if !is_ecdsa_with_sha256(*algorithm) {
            return Err(fault(Code::CertificateAlgorithm, "not signed with ecdsa-with-SHA256".to_owned()));
        }
        let validity = members(*validity, Tag::Sequence).unwrap_or_default();
        let Some([not_before, not_after]) = <[_; 2]>::try_from(validity).ok().and_then(|[start, end]| Some([time(start)?, time(end)?]))
        else {
            return Err(malformed("the validity is not two times of RFC 5280"));
        };
        let mut certificate = Self {
            to_be_signed: signed.to_be_signed.to_vec(),
            signature: Signature::from_der(signed.signature).ok_or_else(|| malformed("the signature is not an ECDSA signature"))?,
            subject: Name::from_der(*subject).map_err(|_| malformed("the subject is not text"))?,
            issuer: Name::from_der(*issuer).map_err(|_| malformed("the issuer is not text"))?,
            serial: integer(*serial).map_err(|_| malformed("the serial number is not an integer"))?.to_vec(),
            not_before,
            not_after,
            key: public_key(*key).ok_or_else(|| fault(Code::CertificateAlgorithm, "the key is not a point on P-256".to_owned()))?,
            constraints: None,
            key_usage: None,
            sgx_extension: None,
        };
        for Extension { oid, is_critical, value } in tagged_extensions(rest, TagNumber(3)).map_err(|fault| match fault {
            ExtensionFault::Malformed => malformed("an extension cannot be decoded"),
            ExtensionFault::Unacceptable(message) => self::fault(Code::CertificateExtension, message),
        })? {
            if is_critical && !KNOWN_EXTENSIONS.contains(&oid) {
                return Err(fault(Code::CertificateExtension, format!("the critical extension {oid} is unknown")));
            }
            let undecodable = |_| malformed("an extension cannot be decoded");
            match oid {
                BASIC_CONSTRAINTS => certificate.constraints = Some(Constraints::from_der(value).map_err(undecodable)?),
                KEY_USAGE => certificate.key_usage = Some(KeyUsage::from_der(value).map_err(undecodable)?),
                SGX_EXTENSION => certificate.sgx_extension = Some(value.to_vec()),
                _ => {}
            }
        }
        Ok(certificate)
    }

    /// Whether `issuer` signed this certificate.
    pub(crate) fn is_signed_by(&self, issuer: &PublicKey, memory: &Memory) -> bool {
        memory.verify(issuer, &self.signature, &self.to_be_signed)
    }
}

impl Constraints {
    fn from_der(value: &[u8]) -> der::Result<Self> {
        let constraints =
            AnyRef::from_der(value)?.sequence(|reader| Ok::<_, der::Error>(Self { ca: flag(reader)?, path_length: reader.decode()? }))?;
        let is_bounded_in_vain = !constraints.ca && constraints.path_length.is_some();
        if is_bounded_in_vain { Err(Tag::Sequence.value_error().into()) } else { Ok(constraints) }
    }
}

impl KeyUsage {
    fn from_der(value: &[u8]) -> der::Result<Self> {
        let bits = BitStringRef::from_der(value)?;
        if bits.raw_bytes().last().is_some_and(|last| last.trailing_zeros() < u32::from(bits.unused_bits())) {
            return Err(Tag::BitString.non_canonical_error().into());
        }
        let bits = bits.raw_bytes().first().copied().unwrap_or_default();
        Ok(Self { digital_signature: bits & 0x80 != 0, certificate_and_crl_sign: bits & 0x06 == 0x06 })
    }
}

fn fault(code: Code, message: String) -> CertificateFault {
    CertificateFault { code, message }
}

/// The frame of a certificate or CRL. Nothing signs it, so there is exactly one way to write it: DER with the one algorithm.
pub(crate) struct SignedObject<'a> {
    /// The bytes that the issuer signed, as received.
    pub(crate) to_be_signed: &'a [u8],
    /// The members of the sequence that these bytes are.
    pub(crate) members: Vec<AnyRef<'a>>,
    /// The signature in DER.
    pub(crate) signature: &'a [u8],
}

impl<'a> SignedObject<'a> {
    pub(crate) fn from_der(bytes: &'a [u8]) -> Result<Self, CertificateFault> {
        let read = || {
            let mut reader = SliceReader::new(bytes)?;
            let (to_be_signed, algorithm, signature) = reader.sequence(|inner| {
                let (to_be_signed, algorithm) = (inner.tlv_bytes()?, inner.decode()?);
                let signature: BitStringRef<'a> = inner.decode()?;
                Ok::<_, der::Error>((to_be_signed, algorithm, signature.as_bytes().ok_or(Tag::BitString.value_error())?))
            })?;
            reader.finish()?;
            let members = members(AnyRef::from_der(to_be_signed)?, Tag::Sequence)?;
            Ok::<_, der::Error>((Self { to_be_signed, members, signature }, algorithm))
        };
        let (signed, algorithm) = read().map_err(|_| fault(Code::CertificateMalformed, "not one signed object in DER".to_owned()))?;
        if !is_ecdsa_with_sha256(algorithm) {
            return Err(fault(Code::CertificateAlgorithm, "not signed with ecdsa-with-SHA256".to_owned()));
        }
        Ok(signed)
    }
}

/// Why extensions are not those of Intel's certificates and CRLs.
pub(crate) enum ExtensionFault {
    Malformed,
    Unacceptable(String),
}

impl From<der::Error> for ExtensionFault {
    fn from(_: der::Error) -> Self {
        Self::Malformed
    }
}

/// An extension of a certificate, a CRL or an entry of one.
pub(crate) struct Extension<'a> {
    pub(crate) oid: ObjectIdentifier,
    pub(crate) is_critical: bool,
    pub(crate) value: &'a [u8],
}

/// The extensions in the only one of `members`, which is tagged `number`; where there is no member there is no extension.
pub(crate) fn tagged_extensions<'a>(members: &[AnyRef<'a>], number: TagNumber) -> Result<Vec<Extension<'a>>, ExtensionFault> {
    match members {
        [] => Ok(Vec::new()),
        [member] => extensions(explicit(*member, number)?),
        _ => Err(ExtensionFault::Malformed),
    }
}

/// The members of an `Extensions` sequence (RFC 5280, section 4.2), each of which stands once.
pub(crate) fn extensions(sequence: AnyRef<'_>) -> Result<Vec<Extension<'_>>, ExtensionFault> {
    sequence.sequence(|reader| {
        let mut extensions: Vec<Extension<'_>> = Vec::new();
        while !reader.is_finished() {
            let extension = reader.sequence(|reader| {
                let (oid, is_critical) = (reader.decode()?, flag(reader)?);
                Ok::<_, der::Error>(Extension { oid, is_critical, value: reader.decode::<&OctetStringRef>()?.as_bytes() })
            })?;
            extensions.push(extension);
        }
        let mut oids: Vec<ObjectIdentifier> = extensions.iter().map(|extension| extension.oid).collect();
        oids.sort_unstable();
        match oids.windows(2).find(|pair| pair.first() == pair.last()) {
            Some([oid, ..]) => Err(ExtensionFault::Unacceptable(format!("the extension {oid} stands twice"))),
            _ => Ok(extensions),
        }
    })
}

/// The members of a SEQUENCE or SET.
pub(crate) fn members(constructed: AnyRef<'_>, tag: Tag) -> der::Result<Vec<AnyRef<'_>>> {
    constructed.tag().assert_eq(tag)?;
    let mut reader = SliceReader::new(constructed.value())?;
    let mut members = Vec::new();
    while !reader.is_finished() {
        members.push(reader.decode()?);
    }
    Ok(members)
}

/// What stands under the explicit tag `number`.
fn explicit(member: AnyRef<'_>, number: TagNumber) -> der::Result<AnyRef<'_>> {
    member.tag().assert_eq(Tag::ContextSpecific { constructed: true, number })?;
    AnyRef::from_der(member.value())
}

/// A BOOLEAN that is false where it is absent, which in DER is the only way to say so.
fn flag<'a>(reader: &mut impl Reader<'a>) -> der::Result<bool> {
    match reader.decode()? {
        Some(false) => Err(Tag::Boolean.non_canonical_error().into()),
        flag => Ok(flag.is_some()),
    }
}

/// The content bytes of an INTEGER. In DER a number has one encoding, so numbers are equal where these are.
pub(crate) fn integer(value: AnyRef<'_>) -> der::Result<&[u8]> {
    value.decode_as::<IntRef<'_>>().map(|_| value.value())
}

/// The text of a string type with a fixed alphabet.
fn text(value: AnyRef<'_>) -> der::Result<&str> {
    match value.tag() {
        Tag::Utf8String => Ok(value.decode_as::<Utf8StringRef<'_>>()?.as_str()),
        Tag::PrintableString => Ok(value.decode_as::<PrintableStringRef<'_>>()?.as_str()),
        Tag::Ia5String => Ok(value.decode_as::<Ia5StringRef<'_>>()?.as_str()),
        other => Err(other.value_error().into()),
    }
}

/// A time in a form of RFC 5280 (section 4.1.2.5): with seconds, without a fraction, in UTC. UTCTime stands for the years 1950 to 2049,
/// GeneralizedTime for any.
pub(crate) fn time(value: AnyRef<'_>) -> Option<Timestamp> {
    let digits = value.value().strip_suffix(b"Z")?;
    let (century, rest) = match value.tag() {
        Tag::UtcTime if digits < b"50".as_slice() => (b"20", digits),
        Tag::UtcTime => (b"19", digits),
        Tag::GeneralizedTime => digits.split_first_chunk()?,
        _ => return None,
    };
    Timestamp::from_digits(*century, rest.try_into().ok()?)
}

/// The algorithm is named twice, beside the signature and inside the signed bytes: both have to say the same.
pub(crate) fn is_ecdsa_with_sha256(algorithm: AnyRef<'_>) -> bool {
    algorithm.tag() == Tag::Sequence && algorithm.value() == ECDSA_WITH_SHA256
}

fn public_key(info: AnyRef<'_>) -> Option<PublicKey> {
    let info = members(info, Tag::Sequence).ok()?;
    let [algorithm, point] = info.as_slice() else { return None };
    if algorithm.tag() != Tag::Sequence || algorithm.value() != EC_PUBLIC_KEY_P256 {
        return None;
    }
    PublicKey::from_sec1(point.decode_as::<BitStringRef<'_>>().ok()?.as_bytes()?)
}

/// Splits PEM text into the DER of its `label` blocks. Between and after the blocks only line ends may stand, and one NUL
/// at the very end, as quoting libraries write it.
pub(crate) fn read_pem(text: &[u8], label: &str) -> Result<Vec<Vec<u8>>, PemFault> {
    let text = text.strip_suffix(&[0]).unwrap_or(text);
    let begin = format!("-----BEGIN {label}-----");
    let end = format!("-----END {label}-----");
    let text = std::str::from_utf8(text).map_err(|error| PemFault::malformed(error.valid_up_to(), "the PEM text is not ASCII"))?;
    let mut blocks = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(['\r', '\n']);
        let offset = text.len().saturating_sub(rest.len());
        if rest.is_empty() {
            return Ok(blocks);
        }
        if blocks.len() >= limits::CERTIFICATES {
            return Err(PemFault { is_limit: true, offset, message: format!("more than {} PEM blocks", limits::CERTIFICATES) });
        }
        let body = rest
            .strip_prefix(begin.as_str())
            .ok_or_else(|| PemFault::malformed(offset, format!("wanted {begin:?} and nothing before it")))?;
        let (body, after) =
            body.split_once(end.as_str()).ok_or_else(|| PemFault::malformed(offset, format!("the block has no {end:?}")))?;
        let lines: Vec<&[u8]> = body.as_bytes().split(|byte| matches!(byte, b'\r' | b'\n')).collect();
        let der = base64::decode(&lines.concat()).map_err(|_| PemFault::malformed(offset, "the block is not canonical base64"))?;
        blocks.push(der);
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pem_allows_line_ends_and_one_final_nul() {
        let block = "-----BEGIN X-----\nAQID\n-----END X-----";
        let wanted = vec![vec![1, 2, 3]];
        for text in
            [block.to_owned(), format!("{block}\n"), format!("{block}\n\0"), format!("\r\n{block}\r\n"), block.replace('\n', "\r\n")]
        {
            assert_eq!(read_pem(text.as_bytes(), "X").unwrap(), wanted, "{text:?}");
        }
        assert_eq!(read_pem(format!("{block}\n{block}").as_bytes(), "X").unwrap().len(), 2);
        assert_eq!(read_pem(b"", "X").unwrap().len(), 0);
    }

    #[test]
    fn pem_refuses_anything_else() {
        let block = "-----BEGIN X-----\nAQID\n-----END X-----\n";
        for text in [
            format!("text\n{block}"),
            format!("{block}text"),
            format!("{block}\0\0"),
            format!("{block}\0\n"),
            format!("{block} "),
            block.replace("AQID", "AQI"),
            block.replace("AQID", "AQ\0ID"),
            block.replace("AQID", "AR=="),
            block.replace("-----END X-----\n", ""),
            block.replace("BEGIN X", "BEGIN Y"),
        ] {
            assert!(read_pem(text.as_bytes(), "X").is_err(), "{text:?}");
        }
    }

    #[test]
    fn names_compare_by_common_name_and_organisation_apart() {
        const ORGANISATION: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.10");
        let name = Name::new(&[(COMMON_NAME, "Root"), (ORGANISATION, "Org")]);
        assert!(name.is_called("Root") && !name.is_called("Root "));
        assert!(!Name::new(&[(COMMON_NAME, "Root"), (COMMON_NAME, "Root")]).is_called("Root"));
        assert!(name.same_organisation(&Name::new(&[(ORGANISATION, "Org"), (COMMON_NAME, "Other")])));
        assert!(!name.same_organisation(&Name::new(&[(COMMON_NAME, "Root"), (ORGANISATION, "Other")])));
    }

    #[test]
    fn a_certificate_has_a_most_size() {
        for (size, code) in [(0, Code::CertificateMalformed), (1, Code::LimitExceeded), (2, Code::LimitExceeded)] {
            let fault = Certificate::from_der(&vec![0; limits::CERTIFICATE_BYTES + size]).unwrap_err();
            assert_eq!(fault.code, code, "{size} bytes more");
        }
    }
}

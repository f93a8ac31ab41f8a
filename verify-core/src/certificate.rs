//! X.509 certificates and PEM: bytes to fields. Says nothing on trust; `dcap::chain` does.

use der::asn1::{AnyRef, BitStringRef};
use der::{Decode, Reader, SliceReader, Tag, Tagged};
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::ParsedExtension;
use x509_parser::prelude::FromDer;
use x509_parser::x509::{AlgorithmIdentifier, SubjectPublicKeyInfo, X509Name, X509Version};

use crate::crypto::{PublicKey, Signature};
use crate::limits;
use crate::problem::{Code, Location, Problem};
use crate::text::quoted;
use crate::time::Timestamp;

const COMMON_NAME: &str = "2.5.4.3";
/// AlgorithmIdentifier of ecdsa-with-SHA256, 1.2.840.10045.4.3.2 without parameters, in DER.
const ECDSA_WITH_SHA256_DER: [u8; 12] = [0x30, 0x0a, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const EC_PUBLIC_KEY: &str = "1.2.840.10045.2.1";
const PRIME256V1: &str = "1.2.840.10045.3.1.7";
const BASIC_CONSTRAINTS: &str = "2.5.29.19";
const KEY_USAGE: &str = "2.5.29.15";
const SUBJECT_KEY_IDENTIFIER: &str = "2.5.29.14";
const AUTHORITY_KEY_IDENTIFIER: &str = "2.5.29.35";
const CRL_DISTRIBUTION_POINTS: &str = "2.5.29.31";
const SGX_EXTENSION: &str = "1.2.840.113741.1.13.1";

/// Extensions that may be critical because the rules of the chain look at them or because they restrict nothing.
const KNOWN_EXTENSIONS: [&str; 6] =
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

/// A distinguished name: attribute types (dotted) and values in order, whatever string type carried them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name(Vec<(String, String)>);

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
    pub(crate) fn new(attributes: &[(&str, &str)]) -> Self {
        Self(attributes.iter().map(|(kind, value)| ((*kind).to_owned(), (*value).to_owned())).collect())
    }

    pub(crate) fn from_x509(name: &X509Name<'_>) -> Option<Self> {
        let mut attributes = Vec::new();
        for relative in name.iter_rdn() {
            for attribute in relative.iter() {
                attributes.push((attribute.attr_type().to_id_string(), attribute.as_str().ok()?.to_owned()));
            }
        }
        Some(Self(attributes))
    }

    /// Whether the only common name is `name`.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        let mut common = self.0.iter().filter(|(kind, _)| kind == COMMON_NAME);
        common.next().is_some_and(|(_, value)| value == name) && common.next().is_none()
    }

    /// Whether everything but the common name is the same in both.
    pub(crate) fn same_organisation(&self, other: &Name) -> bool {
        let rest = |name: &Name| name.0.iter().filter(|(kind, _)| kind != COMMON_NAME).cloned().collect::<Vec<_>>();
        rest(self) == rest(other)
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown: Vec<String> = self.0.iter().map(|(kind, value)| format!("{}={value}", short(kind))).collect();
        formatter.write_str(&quoted(&shown.join(", ")))
    }
}

fn short(kind: &str) -> &str {
    match kind {
        COMMON_NAME => "CN",
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
        let (_, parsed) = X509Certificate::from_der(der).map_err(|_| malformed("not an X.509 certificate"))?;
        if parsed.version() != X509Version::V3 {
            return Err(malformed("not version 3"));
        }
        if !is_ecdsa_with_sha256(&parsed.tbs_certificate.signature) {
            return Err(fault(Code::CertificateAlgorithm, "not signed with ecdsa-with-SHA256".to_owned()));
        }
        let Some([not_before, not_after]) = signed.members.get(4).and_then(|validity| times(&members(validity.value()).ok()?)) else {
            return Err(malformed("the validity is not two times of RFC 5280"));
        };
        let mut certificate = Self {
            to_be_signed: signed.to_be_signed.to_vec(),
            signature: Signature::from_der(signed.signature).ok_or_else(|| malformed("the signature is not an ECDSA signature"))?,
            subject: Name::from_x509(parsed.subject()).ok_or_else(|| malformed("the subject is not text"))?,
            issuer: Name::from_x509(parsed.issuer()).ok_or_else(|| malformed("the issuer is not text"))?,
            serial: parsed.raw_serial().to_vec(),
            not_before,
            not_after,
            key: public_key(parsed.public_key())
                .ok_or_else(|| fault(Code::CertificateAlgorithm, "the key is not a point on P-256".to_owned()))?,
            constraints: None,
            key_usage: None,
            sgx_extension: None,
        };
        let mut seen = std::collections::BTreeSet::new();
        for extension in parsed.extensions() {
            let oid = extension.oid.to_id_string();
            if extension.critical && !KNOWN_EXTENSIONS.contains(&oid.as_str()) {
                return Err(fault(Code::CertificateExtension, format!("the critical extension {} is unknown", quoted(&oid))));
            }
            match extension.parsed_extension() {
                ParsedExtension::BasicConstraints(constraints) => {
                    certificate.constraints = Some(Constraints { ca: constraints.ca, path_length: constraints.path_len_constraint });
                }
                ParsedExtension::KeyUsage(usage) => {
                    certificate.key_usage = Some(KeyUsage {
                        digital_signature: usage.digital_signature(),
                        certificate_and_crl_sign: usage.key_cert_sign() && usage.crl_sign(),
                    });
                }
                ParsedExtension::ParseError { .. } => return Err(malformed("an extension cannot be decoded")),
                _ if oid == SGX_EXTENSION => certificate.sgx_extension = Some(extension.value.to_vec()),
                _ => {}
            }
            if !seen.insert(oid.clone()) {
                return Err(fault(Code::CertificateExtension, format!("the extension {} stands twice", quoted(&oid))));
            }
        }
        Ok(certificate)
    }

    /// Whether `issuer` signed this certificate.
    pub(crate) fn is_signed_by(&self, issuer: &PublicKey) -> bool {
        crate::crypto::verify(issuer, &self.signature, &self.to_be_signed)
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
            let parts: [&'a [u8]; 3] = reader.sequence(|inner| {
                let (to_be_signed, algorithm) = (inner.tlv_bytes()?, inner.tlv_bytes()?);
                let signature: BitStringRef<'a> = inner.decode()?;
                Ok::<_, der::Error>([to_be_signed, algorithm, signature.as_bytes().unwrap_or_default()])
            })?;
            reader.finish()?;
            let [to_be_signed, ..] = parts;
            Ok::<_, der::Error>((parts, members(AnyRef::from_der(to_be_signed)?.value())?))
        };
        let ([to_be_signed, algorithm, signature], members) =
            read().map_err(|_| fault(Code::CertificateMalformed, "not one signed object in DER".to_owned()))?;
        if algorithm != ECDSA_WITH_SHA256_DER {
            return Err(fault(Code::CertificateAlgorithm, "not signed with ecdsa-with-SHA256".to_owned()));
        }
        Ok(Self { to_be_signed, members, signature })
    }
}

fn members(sequence: &[u8]) -> der::Result<Vec<AnyRef<'_>>> {
    let mut reader = SliceReader::new(sequence)?;
    let mut members = Vec::new();
    while !reader.is_finished() {
        members.push(reader.decode()?);
    }
    Ok(members)
}

/// Two times, each in a form of RFC 5280 (section 4.1.2.5): with seconds, without a fraction, in UTC. The parser reads more forms,
/// of which one names no instant. UTCTime stands for the years 1950 to 2049.
pub(crate) fn times(values: &[AnyRef<'_>]) -> Option<[Timestamp; 2]> {
    let time = |value: &AnyRef<'_>| {
        let text = std::str::from_utf8(value.value()).ok()?;
        let text = match (value.tag(), text.len()) {
            (Tag::UtcTime, 13) if text < "50" => format!("20{text}"),
            (Tag::UtcTime, 13) => format!("19{text}"),
            (Tag::GeneralizedTime, 15) => text.to_owned(),
            _ => return None,
        };
        let (year, month, day) = (text.get(..4)?, text.get(4..6)?, text.get(6..8)?);
        let (hour, minute, second) = (text.get(8..10)?, text.get(10..12)?, text.get(12..)?);
        Timestamp::parse_rfc3339(&format!("{year}-{month}-{day}T{hour}:{minute}:{second}")).ok()
    };
    match values {
        [start, end] => Some([time(start)?, time(end)?]),
        _ => None,
    }
}

/// The second place that names the algorithm, inside the signed bytes, has to say the same.
pub(crate) fn is_ecdsa_with_sha256(algorithm: &AlgorithmIdentifier<'_>) -> bool {
    ECDSA_WITH_SHA256_DER.ends_with(algorithm.algorithm.as_bytes())
        && algorithm.algorithm.as_bytes().len() == 8
        && algorithm.parameters.is_none()
}

fn public_key(info: &SubjectPublicKeyInfo<'_>) -> Option<PublicKey> {
    let curve = info.algorithm.parameters.as_ref()?.as_oid().ok()?;
    if info.algorithm.algorithm.to_id_string() != EC_PUBLIC_KEY || curve.to_id_string() != PRIME256V1 {
        return None;
    }
    PublicKey::from_sec1(&info.subject_public_key.data)
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
        let base64: String = body.chars().filter(|character| !matches!(character, '\r' | '\n')).collect();
        let der = data_encoding::BASE64
            .decode(base64.as_bytes())
            .map_err(|_| PemFault::malformed(offset, "the block is not canonical base64"))?;
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
        let name = Name::new(&[(COMMON_NAME, "Root"), ("2.5.4.10", "Org")]);
        assert!(name.is_called("Root") && !name.is_called("Root "));
        assert!(!Name::new(&[(COMMON_NAME, "Root"), (COMMON_NAME, "Root")]).is_called("Root"));
        assert!(name.same_organisation(&Name::new(&[("2.5.4.10", "Org"), (COMMON_NAME, "Other")])));
        assert!(!name.same_organisation(&Name::new(&[(COMMON_NAME, "Root"), ("2.5.4.10", "Other")])));
    }
}

//! The test PKI: Intel's shape and common names, with keys that anybody can derive.

use std::collections::BTreeMap;
use std::sync::Mutex;

use p256::ecdsa::signature::hazmat::PrehashSigner;
use p256::ecdsa::{Signature, SigningKey};
use sha2::{Digest, Sha256, Sha384};

use crate::der;
use crate::edits::Edits;

pub const ROOT_NAME: &str = "Intel SGX Root CA";
pub const PLATFORM_NAME: &str = "Intel SGX PCK Platform CA";
pub const PROCESSOR_NAME: &str = "Intel SGX PCK Processor CA";
pub const PCK_NAME: &str = "Intel SGX PCK Certificate";
pub const TCB_SIGNING_NAME: &str = "Intel SGX TCB Signing";

/// Says in every certificate that none of this is Intel's.
pub const ORGANISATION: &str = "Receipt Verifier Test PKI - not Intel";

const ROOT_CRL_URL: &str = "https://certificates.trustedservices.intel.com/IntelSGXRootCA.der";

pub const BASIC_CONSTRAINTS: &str = "2.5.29.19";
pub const KEY_USAGE: &str = "2.5.29.15";
pub const AUTHORITY_KEY_ID: &str = "2.5.29.35";
pub const SGX_EXTENSION: &str = "1.2.840.113741.1.13.1";
pub const SUBJECT_KEY_ID: &str = "2.5.29.14";
const CRL_DISTRIBUTION: &str = "2.5.29.31";
pub const P256: &str = "1.2.840.10045.3.1.7";
const EC_PUBLIC_KEY: &str = "1.2.840.10045.2.1";

pub fn sha256(bytes: impl AsRef<[u8]>) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// A key pair that follows from a published phrase.
#[derive(Clone)]
pub struct Key(SigningKey);

impl Key {
    /// The private scalar is the SHA-256 of `receipt-verifier test key: <name>`.
    pub fn named(name: &str) -> Self {
        static KEYS: Memory<String, Key> = Memory::new();
        KEYS.recall(name.to_owned(), || {
            let scalar = sha256(format!("receipt-verifier test key: {name}"));
            Self(SigningKey::from_slice(&scalar).expect("the hash is a scalar"))
        })
    }

    /// x and y.
    pub fn coordinates(&self) -> [u8; 64] {
        let point = self.0.verifying_key().to_sec1_point(false);
        point.as_bytes()[1..].try_into().expect("an uncompressed point")
    }

    /// Twenty bytes that name the key in certificates.
    pub fn identifier(&self) -> Vec<u8> {
        sha256(self.coordinates())[..20].to_vec()
    }

    /// r and s over the SHA-256 of `message`, by RFC 6979.
    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.sign_digest(&sha256(message)).to_bytes().into()
    }

    fn sign_digest(&self, digest: &[u8]) -> Signature {
        static SIGNATURES: Memory<(Vec<u8>, Vec<u8>), Signature> = Memory::new();
        SIGNATURES.recall((self.0.to_bytes().to_vec(), digest.to_vec()), || self.0.sign_prehash(digest).expect("a digest can be signed"))
    }

    /// `[message, algorithm, signature]` as certificates and CRLs hold it.
    pub fn seal(&self, algorithm: Algorithm, message: &[u8]) -> Vec<u8> {
        let signature = match algorithm {
            Algorithm::Sha256 => self.sign_digest(&sha256(message)),
            Algorithm::Sha384 => self.sign_digest(&Sha384::digest(message)),
        };
        der::sequence(&[message.to_vec(), algorithm.der(), der::bits(0, signature.to_der().as_bytes())])
    }
}

/// What was computed before: most of a vector is signed in many others, too.
struct Memory<K, V>(Mutex<BTreeMap<K, V>>);

impl<K: Ord, V: Clone> Memory<K, V> {
    const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    fn recall(&self, key: K, compute: impl FnOnce() -> V) -> V {
        self.0.lock().expect("no thread panicked here").entry(key).or_insert_with(compute).clone()
    }
}

/// A signer of receipts; its key follows from a published phrase too.
pub struct Signer(ed25519_dalek::SigningKey);

impl Signer {
    /// The seed is the SHA-256 of `receipt-verifier test key: <name>`.
    pub fn named(name: &str) -> Self {
        Self(ed25519_dalek::SigningKey::from_bytes(&sha256(format!("receipt-verifier test key: {name}"))))
    }

    pub fn public_key(&self) -> [u8; 32] {
        self.0.verifying_key().to_bytes()
    }

    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        use ed25519_dalek::Signer as _;
        self.0.sign(message).to_bytes()
    }
}

/// How a certificate or CRL is signed.
#[derive(Clone, Copy)]
pub enum Algorithm {
    Sha256,
    Sha384,
}

impl Algorithm {
    pub fn der(self) -> Vec<u8> {
        der::sequence(&[der::oid(match self {
            Algorithm::Sha256 => "1.2.840.10045.4.3.2",
            Algorithm::Sha384 => "1.2.840.10045.4.3.3",
        })])
    }
}

/// A distinguished name; locality, state and country are the same in all.
#[derive(Clone)]
pub struct Name {
    pub common_name: String,
    pub organisation: String,
    /// How the text is written, but for the country.
    pub string: fn(&str) -> Vec<u8>,
}

impl Name {
    pub fn of(common_name: &str) -> Self {
        Self { common_name: common_name.to_owned(), organisation: ORGANISATION.to_owned(), string: der::utf8 }
    }

    pub fn der(&self) -> Vec<u8> {
        let part = |oid: &str, value: Vec<u8>| der::set(&[der::sequence(&[der::oid(oid), value])]);
        der::sequence(&[
            part("2.5.4.3", (self.string)(&self.common_name)),
            part("2.5.4.10", (self.string)(&self.organisation)),
            part("2.5.4.7", (self.string)("Nowhere")),
            part("2.5.4.8", (self.string)("TEST")),
            part("2.5.4.6", der::printable("ZZ")),
        ])
    }
}

/// One X.509 extension.
#[derive(Clone)]
pub struct Extension {
    pub oid: &'static str,
    pub critical: bool,
    pub value: Vec<u8>,
}

impl Extension {
    pub fn new(oid: &'static str, critical: bool, value: Vec<u8>) -> Self {
        Self { oid, critical, value }
    }

    pub fn authority_key(key: &Key) -> Self {
        Self::new(AUTHORITY_KEY_ID, false, der::sequence(&[der::context_primitive(0, &key.identifier())]))
    }

    pub fn der(&self) -> Vec<u8> {
        let critical = if self.critical { der::boolean(true) } else { Vec::new() };
        der::sequence(&[der::oid(self.oid), critical, der::octets(&self.value)])
    }
}

/// Value of basicConstraints.
pub fn constraints(authority: bool, path_length: Option<u64>) -> Vec<u8> {
    let authority = if authority { der::boolean(true) } else { Vec::new() };
    der::sequence(&[authority, path_length.map(der::integer).unwrap_or_default()])
}

/// What a key may be used for.
#[derive(Clone, Copy)]
pub enum Usage {
    /// digitalSignature and nonRepudiation.
    Signing,
    /// keyCertSign and cRLSign.
    Issuing,
    /// keyCertSign alone.
    CertifyingOnly,
    /// cRLSign alone.
    RevokingOnly,
    /// nonRepudiation alone.
    NonRepudiationOnly,
}

impl Usage {
    /// Value of keyUsage.
    pub fn der(self) -> Vec<u8> {
        match self {
            Usage::Signing => der::bits(6, &[0xc0]),
            Usage::Issuing => der::bits(1, &[0x06]),
            Usage::CertifyingOnly => der::bits(2, &[0x04]),
            Usage::RevokingOnly => der::bits(1, &[0x02]),
            Usage::NonRepudiationOnly => der::bits(6, &[0x40]),
        }
    }
}

/// SubjectPublicKeyInfo of a point on an elliptic curve.
pub fn public_key(curve: &str, point: &[u8]) -> Vec<u8> {
    der::sequence(&[der::sequence(&[der::oid(EC_PUBLIC_KEY), der::oid(curve)]), der::bits(0, point)])
}

/// A certificate before it is signed.
pub struct Certificate {
    pub serial: Vec<u8>,
    pub issuer: Name,
    pub subject: Name,
    pub not_before: &'static str,
    pub not_after: &'static str,
    pub key: Key,
    pub issuer_key: Key,
    pub algorithm: Algorithm,
    pub extensions: Vec<Extension>,
    /// Changes to the members of the part that will be signed, from version to extensions.
    pub members: Edits<Vec<Vec<u8>>>,
    /// Changes to the signed DER.
    pub afterwards: Edits<Vec<u8>>,
}

impl Certificate {
    fn new(subject: &str, key: Key, issuer: &str, issuer_key: Key, crl_url: &str, usage: Usage) -> Self {
        let uri = der::context_primitive(6, crl_url.as_bytes());
        let point = der::sequence(&[der::context(0, &der::context(0, &uri))]);
        let path_length = if subject == ROOT_NAME { 1 } else { 0 };
        let constraints = match usage {
            Usage::Issuing => constraints(true, Some(path_length)),
            _ => constraints(false, None),
        };
        Self {
            serial: key.identifier(),
            issuer: Name::of(issuer),
            subject: Name::of(subject),
            not_before: "2020-01-01T00:00:00Z",
            not_after: "2049-12-31T23:59:59Z",
            extensions: vec![
                Extension::authority_key(&issuer_key),
                Extension::new(CRL_DISTRIBUTION, false, der::sequence(&[point])),
                Extension::new(SUBJECT_KEY_ID, false, der::octets(&key.identifier())),
                Extension::new(KEY_USAGE, true, usage.der()),
                Extension::new(BASIC_CONSTRAINTS, true, constraints),
            ],
            key,
            issuer_key,
            algorithm: Algorithm::Sha256,
            members: Edits::default(),
            afterwards: Edits::default(),
        }
    }

    /// A self-signed root.
    pub fn root(key: &Key) -> Self {
        Self::new(ROOT_NAME, key.clone(), ROOT_NAME, key.clone(), ROOT_CRL_URL, Usage::Issuing)
    }

    /// An issuer of PCK certificates.
    pub fn intermediate(name: &str, key: Key, root: &Key) -> Self {
        let mut certificate = Self::new(name, key, ROOT_NAME, root.clone(), ROOT_CRL_URL, Usage::Issuing);
        certificate.not_after = "2035-01-01T00:00:00Z";
        certificate
    }

    /// The signer of TCB info and QE identity.
    pub fn tcb_signing(key: Key, root: &Key) -> Self {
        let mut certificate = Self::new(TCB_SIGNING_NAME, key, ROOT_NAME, root.clone(), ROOT_CRL_URL, Usage::Signing);
        certificate.not_before = "2025-01-01T00:00:00Z";
        certificate.not_after = "2032-01-01T00:00:00Z";
        certificate
    }

    /// A platform's certificate, without its SGX extension.
    pub fn pck(key: Key, issuer: &str, issuer_key: &Key) -> Self {
        let url = crate::collateral::pck_crl_url(issuer);
        let mut certificate = Self::new(PCK_NAME, key, issuer, issuer_key.clone(), &url, Usage::Signing);
        certificate.not_before = "2026-06-01T00:00:00Z";
        certificate.not_after = "2033-06-01T00:00:00Z";
        certificate
    }

    /// Puts an extension in the place of the one with its OID, or at the end.
    pub fn set_extension(&mut self, oid: &'static str, critical: bool, value: Vec<u8>) {
        let extension = Extension::new(oid, critical, value);
        match self.extensions.iter_mut().find(|old| old.oid == oid) {
            Some(old) => *old = extension,
            None => self.extensions.push(extension),
        }
    }

    pub fn remove_extension(&mut self, oid: &str) {
        self.extensions.retain(|extension| extension.oid != oid);
    }

    pub fn der(&self) -> Vec<u8> {
        let point = [&[0x04][..], &self.key.coordinates()].concat();
        let extensions: Vec<_> = self.extensions.iter().map(Extension::der).collect();
        let mut members = vec![
            der::context(0, &der::integer(2)),
            der::unsigned(&self.serial),
            self.algorithm.der(),
            self.issuer.der(),
            der::sequence(&[der::time(self.not_before), der::time(self.not_after)]),
            self.subject.der(),
            public_key(P256, &point),
            der::context(3, &der::sequence(&extensions)),
        ];
        self.members.apply(&mut members);
        let mut out = self.issuer_key.seal(self.algorithm, &der::sequence(&members));
        self.afterwards.apply(&mut out);
        out
    }

    pub fn pem(&self) -> String {
        der::pem("CERTIFICATE", &self.der())
    }
}

/// The SGX extension of a PCK certificate.
pub struct SgxExtension {
    pub carried: bool,
    pub components: [u64; 16],
    pub pce_svn: u64,
    pub pce_id: Vec<u8>,
    pub fmspc: Vec<u8>,
    /// Platform instance id and configuration, which the Processor CA leaves out.
    pub platform: bool,
    /// Changes to the items of the TCB, then to the items of the whole.
    pub tcb_items: Edits<Vec<Vec<u8>>>,
    pub items: Edits<Vec<Vec<u8>>>,
}

impl Default for SgxExtension {
    fn default() -> Self {
        Self {
            carried: true,
            components: [3, 3, 2, 2, 1, 1, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0],
            pce_svn: 13,
            pce_id: vec![0, 0],
            fmspc: vec![0x00, 0xa1, 0xb2, 0xc3, 0xd4, 0xe5],
            platform: true,
            tcb_items: Edits::default(),
            items: Edits::default(),
        }
    }
}

impl SgxExtension {
    pub fn der(&self) -> Vec<u8> {
        let item = |path: &str, value: Vec<u8>| der::sequence(&[der::oid(&format!("{SGX_EXTENSION}.{path}")), value]);
        let cpu_svn: Vec<u8> = self.components.iter().map(|component| *component as u8).collect();
        let mut tcb: Vec<_> =
            self.components.iter().zip(1..).map(|(component, number)| item(&format!("2.{number}"), der::integer(*component))).collect();
        tcb.push(item("2.17", der::integer(self.pce_svn)));
        tcb.push(item("2.18", der::octets(&cpu_svn)));
        self.tcb_items.apply(&mut tcb);
        let mut items = vec![
            item("1", der::octets(&sha256("test platform")[..16])),
            item("2", der::sequence(&tcb)),
            item("3", der::octets(&self.pce_id)),
            item("4", der::octets(&self.fmspc)),
            item("5", der::enumerated(u8::from(self.platform))),
        ];
        if self.platform {
            items.push(item("6", der::octets(&sha256("test platform instance")[..16])));
            items.push(item(
                "7",
                der::sequence(&[item("7.1", der::boolean(true)), item("7.2", der::boolean(false)), item("7.3", der::boolean(true))]),
            ));
        }
        self.items.apply(&mut items);
        der::sequence(&items)
    }
}

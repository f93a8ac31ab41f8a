//! What the user trusts: a root key, the key that signs TCB info and QE identities, and the keys of receipt signers.

use std::collections::BTreeSet;
use std::str::FromStr;

use data_encoding::{BASE64, HEXLOWER, HEXLOWER_PERMISSIVE};
use der::asn1::ObjectIdentifier;

use crate::base64;
use crate::certificate::{Certificate, Name, read_pem};
use crate::crypto::{self, Arithmetic, Message, PublicKey};
use crate::memo::{Fact, Key, Memory};
use crate::time::Timestamp;

/// Public key of the Intel SGX Root CA, x and y, 32 bytes big endian each. From the certificate that Intel publishes as
/// `Intel_SGX_Provisioning_Certification_RootCA.cer`, SHA-256 of the DER
/// 44a0196b2b99f889b8e149e95b807a350e7424964399e885a7cbb8ccfab674d3, valid 2018-05-21 to 2049-12-31.
const INTEL_ROOT_KEY: [u8; 64] = [
    0x0b, 0xa9, 0xc4, 0xc0, 0xc0, 0xc8, 0x61, 0x93, 0xa3, 0xfe, 0x23, 0xd6, 0xb0, 0x2c, 0xda, 0x10, 0xa8, 0xbb, 0xd4, 0xe8, 0x8e, 0x48,
    0xb4, 0x45, 0x85, 0x61, 0xa3, 0x6e, 0x70, 0x55, 0x25, 0xf5, 0x67, 0x91, 0x8e, 0x2e, 0xdc, 0x88, 0xe4, 0x0d, 0x86, 0x0b, 0xd0, 0xcc,
    0x4e, 0xe2, 0x6a, 0xac, 0xc9, 0x88, 0xe5, 0x05, 0xa9, 0x53, 0x55, 0x8c, 0x45, 0x3f, 0x6b, 0x09, 0x04, 0xae, 0x73, 0x94,
];

/// SHA-256 of what that certificate signs, its `tbsCertificate`.
const INTEL_ROOT_DIGEST: [u8; 32] = [
    0x0e, 0x1c, 0x8a, 0xd1, 0xfa, 0xd9, 0x25, 0x4a, 0xd1, 0xd0, 0xbc, 0x36, 0x2c, 0x4c, 0x83, 0xda, 0xd2, 0x7f, 0x32, 0xfc, 0x90, 0x3c,
    0xbb, 0x9c, 0xda, 0x58, 0x34, 0x9e, 0xc2, 0xa4, 0x62, 0x6a,
];

/// The signature of that certificate, made by its own key: r and s, 32 bytes big endian each.
const INTEL_ROOT_SIGNATURE: [u8; 64] = [
    0xe5, 0xbf, 0xe5, 0x09, 0x11, 0xf9, 0x2f, 0x42, 0x89, 0x20, 0xdc, 0x36, 0x8a, 0x30, 0x2e, 0xe3, 0xd1, 0x2e, 0xc5, 0x86, 0x7f, 0xf6,
    0x22, 0xec, 0x64, 0x97, 0xf7, 0x80, 0x60, 0xc1, 0x3c, 0x20, 0xe0, 0x9d, 0x25, 0xac, 0x7a, 0x0c, 0xb3, 0xe5, 0xe8, 0xe6, 0x8f, 0xec,
    0x5f, 0xa3, 0xbd, 0x41, 0x6c, 0x47, 0x44, 0x0b, 0xd9, 0x50, 0x63, 0x9d, 0x45, 0x0e, 0xdc, 0xbe, 0xa4, 0x57, 0x6a, 0xa2,
];

/// Public key of "Intel SGX TCB Signing". Two certificates carry it: SHA-256 of their DER
/// ec37d98107bfb7dab6ff8de4d4dda6fde30a6f50b0d7b03eefb5652f1e652969 (2018) and
/// c0575e76d0303b61d09cde8cbdb70db34a74f38318300d7c0e6ba8cf4bf45aea (2025), both with the serial below.
const INTEL_TCB_SIGNING_KEY: [u8; 64] = [
    0x43, 0x45, 0x1b, 0xcc, 0x73, 0xc9, 0xd5, 0x91, 0x7c, 0xaf, 0x76, 0x6e, 0x61, 0xaf, 0x3f, 0xe9, 0x80, 0x87, 0xdd, 0x4f, 0x13, 0x25,
    0x7b, 0x26, 0x1e, 0x85, 0x18, 0x97, 0x79, 0x9d, 0xd1, 0x3d, 0x68, 0x11, 0xfb, 0x47, 0x71, 0x38, 0x03, 0xbb, 0x9b, 0xae, 0x58, 0x7f,
    0xcc, 0xdd, 0xc2, 0xe3, 0x1b, 0xe9, 0xa2, 0x8b, 0x86, 0x96, 0x2a, 0xcc, 0x6d, 0xaf, 0x96, 0xda, 0x58, 0xee, 0xca, 0x96,
];

/// Serial number of both TCB signing certificates: one entry in the root CRL revokes both.
const INTEL_TCB_SIGNING_SERIAL: [u8; 20] =
    [0x7e, 0x38, 0x82, 0xd5, 0xfb, 0x55, 0x29, 0x4a, 0x40, 0x49, 0x8e, 0x45, 0x84, 0x03, 0xe9, 0x14, 0x91, 0xbd, 0xf4, 0x55];

/// Validity of the TCB signing certificates of 2018 and of 2025, as Unix seconds: 2018-05-21T10:45:10Z to
/// 2025-05-21T10:45:10Z, and 2025-05-06T09:25:00Z to 2032-05-06T09:25:00Z.
const INTEL_TCB_SIGNING_VALIDITY: [(i64, i64); 2] = [(1_526_899_510, 1_747_824_310), (1_746_523_500, 1_967_448_300)];

/// Subject of Intel's root; every name of the hierarchy has the same attributes beside its common name.
const INTEL_ROOT_SUBJECT: [(ObjectIdentifier, &str); 5] = [
    (ObjectIdentifier::new_unwrap("2.5.4.3"), "Intel SGX Root CA"),
    (ObjectIdentifier::new_unwrap("2.5.4.10"), "Intel Corporation"),
    (ObjectIdentifier::new_unwrap("2.5.4.7"), "Santa Clara"),
    (ObjectIdentifier::new_unwrap("2.5.4.8"), "CA"),
    (ObjectIdentifier::new_unwrap("2.5.4.6"), "US"),
];

/// The trust anchors of a [`Verifier`](crate::Verifier).
#[derive(Clone, Debug)]
pub struct Anchors {
    /// x and y of the root's public key.
    pub(crate) root_key: [u8; 64],
    pub(crate) root_subject: Name,
    pub(crate) tcb_signer: Option<TcbSigner>,
    pub(crate) signer_keys: BTreeSet<SignerKey>,
    /// That the root certificate which these anchors were made from signs itself. Another one with the same key has to show it.
    root_signs_itself: Fact,
    built_in: bool,
}

/// What signatures are checked by.
#[derive(Clone, Copy)]
pub(crate) struct Trust<'a> {
    pub(crate) anchors: &'a Anchors,
    pub(crate) memory: &'a Memory,
}

/// An Ed25519 public key that the user trusts to sign receipts, read from base64 or hex text. Any 32 bytes are one; a weak key
/// vouches for nothing, and a receipt that it signed is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SignerKey([u8; 32]);

/// Why a text is no signer key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the 32 bytes of an Ed25519 public key in canonical base64 (44 characters) or hex (64 digits)")]
#[non_exhaustive]
pub struct SignerKeyError;

/// The signer of TCB info and QE identities where the collateral carries no certificate of its own.
#[derive(Clone, Debug)]
pub(crate) enum TcbSigner {
    /// The built-in key of Intel: its certificates were checked when the constants were made.
    BuiltIn { key: [u8; 64], serial: Vec<u8>, validity: Vec<(Timestamp, Timestamp)> },
    /// A certificate that the user supplied; it still has to pass every rule under the root.
    Supplied(Box<Certificate>),
}

/// Why files are no anchors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnchorsError {
    /// The root certificate cannot be read.
    #[error("not one root certificate (PEM or DER) with a P-256 key: {0}")]
    Root(String),
    /// The TCB signing certificate cannot be read.
    #[error("not one TCB signing certificate (PEM or DER) with a P-256 key: {0}")]
    TcbSigning(String),
}

impl Anchors {
    /// Intel's production anchors, built in.
    pub fn intel() -> Self {
        let validity =
            INTEL_TCB_SIGNING_VALIDITY.map(|(start, end)| (Timestamp::from_unix_seconds(start), Timestamp::from_unix_seconds(end)));
        Self {
            root_key: INTEL_ROOT_KEY,
            root_subject: Name::new(&INTEL_ROOT_SUBJECT),
            tcb_signer: Some(TcbSigner::BuiltIn {
                key: INTEL_TCB_SIGNING_KEY,
                serial: INTEL_TCB_SIGNING_SERIAL.to_vec(),
                validity: validity.to_vec(),
            }),
            signer_keys: BTreeSet::new(),
            root_signs_itself: Fact { digest: INTEL_ROOT_DIGEST, signature: INTEL_ROOT_SIGNATURE, key: Key::P256(INTEL_ROOT_KEY) },
            built_in: true,
        }
    }

    /// Replaces the root by the certificate in `root` (PEM or DER). With another root the built-in TCB signing key is gone
    /// too: pass its replacement to [`Anchors::with_tcb_signing`], or rely on the chains that the collateral carries.
    ///
    /// # Errors
    /// [`AnchorsError::Root`] where `root` is not exactly one self-signed CA certificate with a P-256 key.
    pub fn from_root(root: &[u8]) -> Result<Self, AnchorsError> {
        let root = one_certificate(root).map_err(AnchorsError::Root)?;
        let memory = Memory::new(Arithmetic::fastest(), []);
        if !root.constraints.is_some_and(|constraints| constraints.ca) || !root.is_signed_by(&root.key, &memory) {
            return Err(AnchorsError::Root(format!("{} is not a root: not a CA certificate that signs itself", root.subject)));
        }
        Ok(Self {
            root_key: root.key.coordinates(),
            root_subject: root.subject,
            tcb_signer: None,
            signer_keys: BTreeSet::new(),
            root_signs_itself: Fact::ecdsa(&root.key, &root.signature, &Message::new(&root.to_be_signed)),
            built_in: false,
        })
    }

    /// Replaces the TCB signing certificate by the one in `certificate` (PEM or DER). It has to pass every rule under the
    /// root at each verification.
    ///
    /// # Errors
    /// [`AnchorsError::TcbSigning`] where `certificate` is not exactly one certificate that the root issued.
    pub fn with_tcb_signing(self, certificate: &[u8]) -> Result<Self, AnchorsError> {
        let certificate = one_certificate(certificate).map_err(AnchorsError::TcbSigning)?;
        let memory = Memory::new(Arithmetic::fastest(), []);
        if !PublicKey::from_coordinates(&self.root_key).is_some_and(|root| certificate.is_signed_by(&root, &memory)) {
            return Err(AnchorsError::TcbSigning(format!("{} was not issued by the trusted root", certificate.subject)));
        }
        if certificate.constraints.is_none_or(|constraints| constraints.ca) {
            return Err(AnchorsError::TcbSigning(format!("{} is a CA certificate, not a signer of collateral", certificate.subject)));
        }
        Ok(Self { tcb_signer: Some(TcbSigner::Supplied(Box::new(certificate))), built_in: false, ..self })
    }

    /// Trusts the signers with these keys, beside those that are trusted already. Without any, a signed receipt is unverifiable.
    pub fn with_signer_keys(mut self, keys: impl IntoIterator<Item = SignerKey>) -> Self {
        self.signer_keys.extend(keys);
        self
    }

    /// A memory that holds nothing but what was checked when these anchors were made.
    pub(crate) fn memory(&self, arithmetic: Arithmetic) -> Memory {
        Memory::new(arithmetic, [self.root_signs_itself.clone()])
    }

    /// Whether these are the built-in anchors of Intel. Signer keys have no built-in ones and change nothing here.
    pub fn are_built_in(&self) -> bool {
        self.built_in
    }

    /// SHA-256 of the root's public key (x and y, 64 bytes), as 64 lower-case hex digits.
    pub fn root_key_sha256(&self) -> String {
        fingerprint(&self.root_key)
    }

    /// SHA-256 of the TCB signing key likewise, where these anchors hold one.
    pub fn tcb_signing_key_sha256(&self) -> Option<String> {
        self.tcb_signer.as_ref().map(|signer| match signer {
            TcbSigner::BuiltIn { key, .. } => fingerprint(key),
            TcbSigner::Supplied(certificate) => fingerprint(&certificate.key.coordinates()),
        })
    }
}

impl SignerKey {
    pub(crate) const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    pub(crate) const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The key as base64, as receipts carry it.
    pub fn to_base64(&self) -> String {
        BASE64.encode(&self.0)
    }
}

impl FromStr for SignerKey {
    type Err = SignerKeyError;

    fn from_str(text: &str) -> Result<Self, SignerKeyError> {
        let decoded = match text.len() {
            64 => HEXLOWER_PERMISSIVE.decode(text.as_bytes()),
            _ => base64::decode(text.as_bytes()),
        };
        decoded.ok().and_then(|bytes| bytes.try_into().ok()).map(Self).ok_or(SignerKeyError)
    }
}

fn fingerprint(key: &[u8; 64]) -> String {
    HEXLOWER.encode(&crypto::sha256([key.as_slice()]))
}

fn one_certificate(file: &[u8]) -> Result<Certificate, String> {
    let der = match file.starts_with(b"-----BEGIN") {
        false => file.to_vec(),
        true => {
            let mut blocks = read_pem(file, "CERTIFICATE").map_err(|fault| fault.to_string())?;
            match (blocks.pop(), blocks.is_empty()) {
                (Some(block), true) => block,
                _ => return Err("wanted exactly one certificate".to_owned()),
            }
        }
    };
    Certificate::from_der(&der).map_err(|fault| fault.message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crypto::Signature;

    #[test]
    fn the_built_in_root_signs_itself() {
        let (key, signature) = (PublicKey::from_coordinates(&INTEL_ROOT_KEY).unwrap(), Signature::from_raw(&INTEL_ROOT_SIGNATURE).unwrap());
        let digested = |digest| Message { bytes: &[], digest };
        let key = Arithmetic::PORTABLE.prepare(&key);
        assert!(crypto::verify(&key, &signature, &digested(INTEL_ROOT_DIGEST)));
        assert!(!crypto::verify(&key, &signature, &digested([0; 32])));
    }
}

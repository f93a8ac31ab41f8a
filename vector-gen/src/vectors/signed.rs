//! Receipts that a signer vouches for: whose key, what it signed, and how numbers and texts are written under a signature.

use data_encoding::BASE64;

use super::{Outcome, Vector, replace};
use crate::json::{self, token};
use crate::pki::Signer;
use crate::receipt::{Material, digest};

/// Found in every such receipt that can be read.
const USUAL: &[&str] = &["chain.unchecked"];

/// The identity, as y = 1.
const IDENTITY: [u8; 32] = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// The order of Ed25519's group, little endian.
const ORDER: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0x10,
];

pub(super) fn vectors() -> Vec<Vector> {
    let mut vectors = signers();
    vectors.extend(signatures());
    vectors.extend(texts());
    vectors.extend(envelope());
    vectors
}

fn signer() -> [u8; 32] {
    Signer::named("receipt signer").public_key()
}

/// Judged under `strict` without pins and without a trusted signer.
fn unknown(id: &str, rule: &str) -> Vector {
    Vector::new(id.into(), rule.into(), Material::signed, USUAL).policy("strict")
}

/// Likewise with its signer trusted.
fn signed(id: &str, rule: &str) -> Vector {
    unknown(id, rule).trusting(signer())
}

fn relabel(material: &mut Material) {
    material.receipt.afterwards.add(|receipt| receipt.set("/attestation/verdict/label", "XL"));
}

/// The id follows from what the file says now.
fn with_new_id(material: &mut Material) {
    material.receipt.afterwards.add(|receipt| {
        let text = receipt.at("/attestation").signed();
        receipt.set("/receipt_id", digest(text));
    });
}

fn signed_by_another(material: &mut Material) {
    material.receipt.envelope = crate::receipt::Envelope::Signed(Signer::named("another signer"));
}

/// A key with a signature of R = identity and S = 0, which a lenient check accepts for any message under the identity.
fn with_key(key: [u8; 32]) -> impl Fn(&mut Material) {
    move |material| {
        material.receipt.afterwards.add(move |receipt| {
            receipt.set("/public_key", BASE64.encode(&key));
            receipt.set("/signature", BASE64.encode(&[IDENTITY, [0; 32]].concat()));
        });
    }
}

fn signers() -> Vec<Vector> {
    let weak = |id: &str, rule: &str, key: [u8; 32]| unknown(id, rule).trusting(key).change(with_key(key)).invalid(&["signer.key-weak"]);
    let mut not_canonical = [0xff; 32];
    (not_canonical[0], not_canonical[31]) = (0xf0, 0x7f);
    let mut no_point = [0; 32];
    no_point[0] = 2;
    let mut order_2 = [0xff; 32];
    (order_2[0], order_2[31]) = (0xec, 0x7f);
    vec![
        signed("signed-verified", "A complete receipt of a trusted signer is verified.").verified(&[]),
        signed("signed-two-keys", "Any of the trusted keys may be the signer's.")
            .trusting(Signer::named("another signer").public_key())
            .verified(&[]),
        unknown("signed-no-key", "Without a trusted key a good signature under the key in the file proves nothing.")
            .unverifiable(&["signer.unknown"]),
        unknown("signed-no-key-edited", "Without a trusted key a broken signature is broken all the same.")
            .change(relabel)
            .change(with_new_id)
            .invalid(&["signature.wrong", "signer.unknown"]),
        signed("signed-other-signer", "A good signature of another signer than the trusted one is refused.")
            .change(signed_by_another)
            .invalid(&["signer.untrusted"]),
        signed("signed-other-signer-renamed", "The trusted key beside another signer's signature does not make it good.")
            .change(signed_by_another)
            .change(|m| m.receipt.afterwards.add(|receipt| receipt.set("/public_key", BASE64.encode(&signer()))))
            .invalid(&["signature.wrong"]),
        weak("signed-key-identity", "A key of small order is weak, even if it is trusted.", IDENTITY),
        weak("signed-key-order-2", "A key of order 2 is weak, even if it is trusted.", order_2),
        weak("signed-key-not-canonical", "A key in another than the one encoding of its point is weak.", not_canonical),
        weak("signed-key-no-point", "A key that is no point of the curve is weak.", no_point),
        unknown("signed-key-weak-unknown", "A weak key is refused without a trusted key too.")
            .change(with_key(IDENTITY))
            .invalid(&["signer.key-weak"]),
    ]
}

fn signatures() -> Vec<Vector> {
    vec![
        signed("signed-edited", "An attestation that was edited after it was signed is refused.")
            .change(relabel)
            .invalid(&["binding.receipt-id-mismatch", "signature.wrong"]),
        signed("signed-edited-id", "A new id does not make an edited attestation good.")
            .change(relabel)
            .change(with_new_id)
            .invalid(&["signature.wrong"]),
        signed("signed-id-wrong", "The id is the hash of what is signed.")
            .change(|m| m.receipt.afterwards.add(|receipt| receipt.set("/receipt_id", digest("another attestation"))))
            .invalid(&["binding.receipt-id-mismatch"]),
        signed("signed-not-reduced", "A scalar that is not reduced is refused, as it makes a second signature of a good one.")
            .change(|m| {
                m.receipt.afterwards.add(|receipt| {
                    let mut signature = BASE64.decode(receipt.text("/signature").as_bytes()).expect("base64");
                    let mut carry = 0;
                    for (byte, order) in signature[32..].iter_mut().zip(ORDER) {
                        let sum = u16::from(*byte) + u16::from(order) + carry;
                        (*byte, carry) = (sum.to_le_bytes()[0], sum >> 8);
                    }
                    receipt.set("/signature", BASE64.encode(&signature));
                })
            })
            .invalid(&["signature.not-reduced"]),
        signed("signed-short", "A signature has 64 bytes.")
            .change(|m| m.receipt.afterwards.add(|receipt| receipt.set("/signature", BASE64.encode(&[7; 63]))))
            .invalid(&["receipt.malformed-field"]),
        signed("signed-short-key", "A key has 32 bytes.")
            .change(|m| m.receipt.afterwards.add(|receipt| receipt.set("/public_key", BASE64.encode(&[7; 31]))))
            .invalid(&["receipt.malformed-field"]),
        signed("signed-base64-junk", "Stray characters in a signature are not skipped.")
            .change(|m| {
                m.receipt.afterwards.add(|receipt| {
                    let signature = receipt.text("/signature");
                    receipt.set("/signature", format!("*{signature}"));
                })
            })
            .invalid(&["receipt.base64-not-canonical"]),
        signed("signed-base64-unused-bits", "Bits of the last character that no byte uses are zero, or there were many spellings of one.")
            .change(|m| {
                m.receipt.afterwards.add(|receipt| {
                    let signature = receipt.text("/signature");
                    let stem = signature.strip_suffix("==").expect("64 bytes leave two places").to_owned();
                    let (stem, last) = stem.split_at(stem.len() - 1);
                    // A, Q, g and w are followed by the letters that differ in the lowest bit.
                    let next = char::from(last.as_bytes()[0] + 1);
                    receipt.set("/signature", format!("{stem}{next}=="));
                })
            })
            .invalid(&["receipt.base64-not-canonical"]),
    ]
}

fn texts() -> Vec<Vector> {
    let gains = "/verdict/context_gains_pct";
    let file_says = |id: &str, rule: &str, value: &'static str| {
        signed(id, rule).change(move |m| {
            m.receipt.attestation.set("/verdict/tps", token("120.5"));
            m.receipt.afterwards.add(move |receipt| receipt.set("/attestation/verdict/tps", token(value)));
        })
    };
    vec![
        file_says("signed-rounded", "A number that differs beyond the sixth place is signed rounded, which is noted.", "120.50000049")
            .verified(&["signature.number-rounded"]),
        signed("signed-rounded-in-list", "So are those in a list.")
            .change(|m| {
                let list = "/verdict/regression_labels";
                m.receipt.attestation.set(list, json::parse("[120.5, 7.5]"));
                m.receipt.afterwards.add(move |receipt| receipt.set(&format!("/attestation{list}"), json::parse("[120.50000049, 7.50000049]")));
            })
            .verified(&["signature.number-rounded"]),
        file_says("signed-beyond-rounding", "A number that differs at the sixth place is not the signed one.", "120.5000006")
            .invalid(&["binding.receipt-id-mismatch", "signature.wrong"]),
        file_says("signed-other-spelling", "Another spelling of the same number is the same number.", "1.2050E+2").verified(&[]),
        signed("signed-int-for-float", "An integer is not the float of the same value.")
            .change(|m| {
                m.receipt.attestation.set("/verdict/tps", token("120.0"));
                m.receipt.afterwards.add(|receipt| receipt.set("/attestation/verdict/tps", token("120")));
            })
            .invalid(&["binding.receipt-id-mismatch", "signature.wrong"]),
        signed("signed-float-layout", "Numbers are signed in Python's layout.")
            .change(move |m| m.receipt.attestation.set(gains, json::parse(
                r#"{"a": 1e-05, "b": 1e-06, "c": 0.0001, "d": 1e+16, "e": 1000000000000000.0, "f": 1.5e+300, "g": -0.0, "h": 961038874585682.2}"#,
            )))
            .verified(&[]),
        signed("signed-big-integer", "Integers of any size are signed as they are written.")
            .change(move |m| m.receipt.attestation.set(gains, json::parse(
                r#"{"a": 9007199254740993, "b": 18446744073709551616, "c": -123456789012345678901234567890}"#,
            )))
            .verified(&[]),
        signed("signed-key-order", "Keys are ordered by code point, not by UTF-16 unit, and characters are signed as UTF-8.")
            .change(move |m| m.receipt.attestation.set(gains, json::parse("{\"\u{1f600}\": 1.5, \"\u{ff5e}\": 2.5, \"Z\": 3.5, \"é\": 4.5}")))
            .verified(&[]),
        signed("signed-escapes", "Quotes, backslashes and control characters are escaped under a signature, and nothing else is.")
            .change(|m| m.receipt.attestation.set("/verdict/reason", "\" \\ / \u{8} \u{c} \n \r \t \u{1} \u{1f} \u{7f} ± \u{2028} \u{1f600}"))
            .verified(&[]),
        signed("signed-member-twice", "Of a member that stands twice, one value may be the signed one: the other may be what is read.")
            .change(|m| m.receipt.bytes.add(|bytes| replace(bytes, r#""label": "L""#, r#""label": "XL", "label": "L""#)))
            .only(Outcome::Invalid, &["json.duplicate-key"]),
        signed("signed-lone-surrogate", "A text that is no Unicode has no canonical form, so it is not read.")
            .change(|m| m.receipt.bytes.add(|bytes| replace(bytes, r#""label": "L""#, r#""label": "\ud800""#)))
            .only(Outcome::Invalid, &["json.malformed"]),
        signed("signed-infinite", "A bare Infinity is signed as Python writes it; it measures nothing.")
            .change(|m| m.receipt.attestation.set("/verdict/pct_over_frontier", token("Infinity")))
            .thin(&["json.non-finite", "verdict.number-not-finite"]),
    ]
}

fn envelope() -> Vec<Vector> {
    vec![
        signed("signed-thin", "A signature does not make up for thin provenance.")
            .change(|m| m.receipt.attestation.set("/environment/clocks_pinned", false))
            .thin(&["provenance.clocks-unpinned"]),
        signed("signed-pinned", "A policy that pins enclave and image is not met by a signer's word.")
            .policy("test")
            .thin(&["pin.not-in-evidence"]),
        signed("signed-age", "Nor is one that limits the age of collateral.").policy("age-30d").thin(&["pin.not-in-evidence"]),
        signed("signed-evaluation", "Nor is one that asks for an evaluation number.")
            .policy("evaluation-20")
            .thin(&["pin.not-in-evidence"]),
        signed("signed-accept-commit", "A signature binds the commit.").policy("accept-commit").thin(&["pin.not-in-evidence"]),
        signed("signed-accept-other-commit", "A signed commit that the policy does not accept is refused.")
            .policy("accept-other-commit")
            .invalid(&["pin.not-in-evidence", "pin.value-differs"]),
        signed("signed-expect", "A signature carries every expected value of the attestation.")
            .expecting(&["commit=0123456789", "label=L", "/attestation/verdict/tps=120.5"])
            .verified(&[]),
        signed("signed-expect-image", "A receipt without a quote says nothing of an image, so none can be expected of it.")
            .expecting(&[&format!("image=sha256:{}", digest("any"))])
            .unverifiable(&["expectation.absent"]),
        signed("signed-tier", "A signature carries the figures from which a tier is derived.").score("test").verified(&[]),
        signed("signed-tier-edited", "The figures of a forged attestation are nobody's word.")
            .change(|m| m.receipt.afterwards.add(|receipt| receipt.set("/attestation/timestamp_utc", "2026-08-03T12:00:01Z")))
            .score("test")
            .invalid(&["binding.receipt-id-mismatch", "signature.wrong", "tier.only-asserted"]),
        signed("signed-says-quote", "A signed receipt that calls itself a quote is not judged by that name.")
            .change(|m| m.receipt.afterwards.add(|receipt| receipt.set("/attestation_type", "tdx-quote")))
            .unverifiable(&["evidence.type-unsupported"]),
        signed("signed-says-ed25519", "A signed receipt may say what it is.")
            .change(|m| m.receipt.afterwards.add(|receipt| receipt.set("/attestation_type", "ed25519")))
            .verified(&[]),
        signed("signed-tdx-null", "A tdx block that is null is present all the same.")
            .change(|m| m.receipt.afterwards.add(|receipt| receipt.set("/tdx", token("null"))))
            .only(Outcome::Invalid, &["evidence.ambiguous"]),
        signed("signed-without-signature", "A signed receipt whose signature is gone is unsigned.")
            .change(|m| m.receipt.afterwards.add(|receipt| drop(receipt.remove("/signature"))))
            .only(Outcome::Unverifiable, &["evidence.absent"]),
        signed("signed-without-key", "A signed receipt names its signer's key.")
            .change(|m| m.receipt.afterwards.add(|receipt| drop(receipt.remove("/public_key"))))
            .invalid(&["receipt.missing-member"]),
        signed("signed-version-true", "A version that is no number is none.")
            .change(|m| m.receipt.afterwards.add(|receipt| receipt.set("/polaris_version", true)))
            .invalid(&["receipt.wrong-type"]),
    ]
}

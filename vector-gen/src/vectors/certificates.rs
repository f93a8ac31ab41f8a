//! The PCK certificate chain and its SGX extension.

use super::{Anchors, Vector, classic};
use crate::crl::{KEY_COMPROMISE, REASON_CODE};
use crate::der;
use crate::pki::{self, Algorithm, Extension, Key, Name, Usage, constraints};
use crate::receipt::Material;

pub(super) fn vectors() -> Vec<Vector> {
    let mut vectors = chain();
    vectors.extend(certificates());
    vectors.extend(time());
    vectors.extend(revocation());
    vectors.extend(sgx_extension());
    vectors.extend(anchors());
    vectors
}

fn chain() -> Vec<Vector> {
    let listed = |id: &str, rule: &str, edit: fn(&mut Vec<String>)| classic(id, rule).change(move |m| m.quote.certificates.add(edit));
    let written = |id: &str, rule: &str, edit: fn(&mut String)| classic(id, rule).change(move |m| m.quote.pem.add(edit));
    let malformed = &["certificate.chain-malformed"];
    vec![
        listed("chain-two", "The root stands in the chain too.", |chain| chain.truncate(2)).invalid(malformed),
        listed("chain-four", "A chain has three certificates and no more.", |chain| chain.push(chain[2].clone())).invalid(malformed),
        written("chain-bytes-after-nul", "Nothing follows the chain but one NUL.", |pem| pem.push_str("\0x")).invalid(malformed),
        written("chain-cut", "The last certificate has its end line.", |pem| pem.truncate(pem.len() - 40)).invalid(malformed),
        written("chain-nul", "One NUL may end the chain.", |pem| pem.push('\0')).verified(&[]),
        written("chain-crlf", "Lines may end with CR LF.", |pem| *pem = pem.replace('\n', "\r\n")).verified(&[]),
        listed("chain-root-first", "The order is leaf, intermediate, root: a reversed chain is named as such.", |chain| {
            chain.reverse();
        })
        .invalid(&["certificate.chain-order"]),
        classic("chain-processor-ca", "A platform below the Processor CA is as good as one below the Platform CA.")
            .change(Material::use_processor_ca)
            .verified(&[]),
    ]
}

fn certificates() -> Vec<Vector> {
    let name = &["certificate.name-wrong"];
    let constraint = &["certificate.constraints-wrong"];
    let usage = &["certificate.key-usage-wrong"];
    let extension = &["certificate.extension-unacceptable"];
    let signature = &["certificate.signature-wrong"];
    vec![
        classic("certificate-cut", "A certificate is well-formed DER from its first to its last byte.")
            .change(|m| m.pck.afterwards.add(|der| der.push(0)))
            .invalid(&["certificate.malformed"]),
        classic("certificate-leaf-name", "The leaf has the common name of PCK certificates.")
            .change(|m| m.pck.subject = Name::of("Intel SGX PCK Certificate 2"))
            .invalid(name),
        classic("certificate-leaf-issuer", "The issuer named in a certificate is the subject of the one above.")
            .change(|m| m.pck.issuer = Name::of(pki::PROCESSOR_NAME))
            .invalid(name),
        classic("certificate-leaf-organisation", "The other parts of a name are those of the root.")
            .change(|m| m.pck.subject.organisation = "Somebody else".to_owned())
            .invalid(name),
        classic("certificate-intermediate-name", "The intermediate is the Platform CA or the Processor CA.")
            .change(|m| {
                let name = Name::of("Intel SGX PCK Gateway CA");
                m.ca.subject = name.clone();
                m.pck.issuer = name.clone();
                m.collateral.pck_crl.issuer = name;
            })
            .invalid(name),
        classic("certificate-intermediate-no-ca", "A certificate that is not a CA issues nothing.")
            .change(|m| m.ca.set_extension(pki::BASIC_CONSTRAINTS, true, constraints(false, None)))
            .invalid(constraint),
        classic("certificate-intermediate-unconstrained", "An issuer without basic constraints issues nothing.")
            .change(|m| m.ca.remove_extension(pki::BASIC_CONSTRAINTS))
            .invalid(constraint),
        classic("certificate-root-path", "A root that allows no CA below it issues no intermediate.")
            .change(|m| m.root.set_extension(pki::BASIC_CONSTRAINTS, true, constraints(true, Some(0))))
            .invalid(constraint),
        classic("certificate-leaf-ca", "A leaf is not a CA.")
            .change(|m| m.pck.set_extension(pki::BASIC_CONSTRAINTS, true, constraints(true, Some(0))))
            .invalid(constraint),
        classic("certificate-intermediate-usage", "An issuer's key usage allows it to sign certificates.")
            .change(|m| m.ca.set_extension(pki::KEY_USAGE, true, Usage::RevokingOnly.der()))
            .invalid(usage),
        classic("certificate-leaf-usage", "A leaf's key usage allows it to sign.")
            .change(|m| m.pck.set_extension(pki::KEY_USAGE, true, Usage::NonRepudiationOnly.der()))
            .invalid(usage),
        classic("certificate-unknown-critical", "A critical extension that is not understood is refused.")
            .change(|m| m.pck.set_extension("1.3.6.1.4.1.99999.1", true, der::boolean(true)))
            .invalid(extension),
        classic("certificate-extension-twice", "An extension stands once.")
            .change(|m| m.pck.extensions.push(m.pck.extensions[0].clone()))
            .invalid(extension),
        classic("certificate-sha384", "Certificates are signed with ECDSA and SHA-256.")
            .change(|m| m.pck.algorithm = Algorithm::Sha384)
            .invalid(&["certificate.algorithm-wrong"]),
        classic("certificate-leaf-signature", "The intermediate signs the leaf.")
            .change(|m| m.pck.issuer_key = Key::named("other platform CA"))
            .invalid(signature),
        classic("certificate-intermediate-signature", "The root signs the intermediate.")
            .change(|m| m.ca.issuer_key = Key::named("lookalike root"))
            .invalid(signature),
    ]
}

fn time() -> Vec<Vector> {
    let outside = &["certificate.outside-validity"];
    vec![
        classic("certificate-expired", "A leaf that has expired at the judged instant decides nothing.")
            .change(|m| m.pck.not_after = "2026-08-20T00:00:00Z")
            .at("2026-08-25T00:00:00Z")
            .unverifiable(outside),
        classic("certificate-intermediate-expired", "An intermediate that has expired at the judged instant decides nothing.")
            .change(|m| m.ca.not_after = "2026-08-20T00:00:00Z")
            .at("2026-08-25T00:00:00Z")
            .unverifiable(outside),
        classic("certificate-root-expired", "A root whose key is the anchor's has to be valid at the judged instant too.")
            .change(|m| m.root.not_after = "2026-08-20T00:00:00Z")
            .at("2026-08-25T00:00:00Z")
            .unverifiable(outside),
        classic("certificate-not-yet", "A leaf that is not valid yet at the judged instant decides nothing.")
            .change(|m| {
                m.pck.not_before = "2026-08-05T00:00:00Z";
                m.receipt.attestation.set("/timestamp_utc", "2026-08-05T00:10:00Z");
            })
            .at("2026-08-04T00:00:00Z")
            .unverifiable(outside),
        classic("certificate-starts-window", "Without a given instant, the judged one is not before any certificate's start.")
            .change(|m| {
                m.pck.not_before = "2026-08-05T00:00:00Z";
                m.receipt.attestation.set("/timestamp_utc", "2026-08-05T00:10:00Z");
            })
            .verified(&[]),
        classic("certificate-expired-before-window", "A leaf that expired before the collateral was issued belongs to no instant.")
            .change(|m| m.pck.not_after = "2026-07-01T00:00:00Z")
            .unverifiable(&["certificate.outside-validity", "provenance.timestamp-outside-window", "window.empty"]),
    ]
}

/// The PCK CRL lists the leaf, whose serial number begins with a one bit, by an INTEGER with this content.
fn revoke_leaf_as(material: &mut Material, content: impl Fn(&[u8]) -> Vec<u8>) {
    material.pck.serial = vec![0x9f; 20];
    let reason = Extension::new(REASON_CODE, false, der::enumerated(KEY_COMPROMISE));
    let crl = &mut material.collateral.pck_crl;
    crl.more_entries.push(crl.entry(der::raw_integer(&content(&material.pck.serial)), &reason));
}

fn revocation() -> Vec<Vector> {
    let revoked = &["certificate.revoked"];
    vec![
        classic("revoked-leaf", "A leaf in the CRL of its issuer is revoked.")
            .change(|m| m.collateral.pck_crl.revoked.push(m.pck.serial.clone()))
            .invalid(revoked),
        classic("revoked-intermediate", "An intermediate in the root's CRL is revoked.")
            .change(|m| m.collateral.root_crl.revoked.push(m.ca.serial.clone()))
            .invalid(revoked),
        classic("revoked-signer", "The anchor's TCB signing certificate is looked up in the root's CRL.")
            .change(|m| m.collateral.root_crl.revoked.push(m.collateral.signer_chain[0].serial.clone()))
            .invalid(revoked),
        classic("revoked-leaf-zeros", "Serials are numbers: more zeros before one than needed hide no entry.")
            .change(|m| revoke_leaf_as(m, |serial| [&[0, 0], serial].concat()))
            .invalid(revoked),
        classic("revoked-leaf-no-zero", "Nor does a missing zero before a serial that begins with a one bit.")
            .change(|m| revoke_leaf_as(m, <[u8]>::to_vec))
            .invalid(revoked),
        classic("revoked-others", "Other serials in a CRL revoke nobody here.")
            .change(|m| m.collateral.pck_crl.revoked.extend([vec![0x12, 0x34], vec![0xfe; 20]]))
            .verified(&[]),
        classic("revoked-leaf-in-root-crl", "The root's CRL does not speak for the intermediate: a leaf's serial there means nothing.")
            .change(|m| m.collateral.root_crl.revoked.push(m.pck.serial.clone()))
            .verified(&[]),
    ]
}

fn sgx_extension() -> Vec<Vector> {
    let changed = |id: &str, rule: &str, change: fn(&mut Material)| classic(id, rule).change(change).invalid(&["sgx-extension.malformed"]);
    vec![
        changed("sgx-extension-absent", "A PCK certificate has the SGX extension.", |m| m.sgx.carried = false),
        changed("sgx-extension-component-missing", "The TCB of the certificate has eighteen items.", |m| {
            m.sgx.tcb_items.add(|items| drop(items.remove(15)));
        }),
        changed("sgx-extension-component-256", "A component is one byte; 256 does not wrap to 0.", |m| {
            m.sgx.components[8] = 256;
        }),
        changed("sgx-extension-item-twice", "No item of the extension stands twice.", |m| {
            m.sgx.items.add(|items| items.insert(4, items[3].clone()));
        }),
        changed("sgx-extension-fmspc-short", "An FMSPC has six bytes.", |m| m.sgx.fmspc.truncate(5)),
        changed("sgx-extension-five-items", "A certificate of the Platform CA has seven items.", |m| {
            m.sgx.items.add(|items| items.truncate(5));
        }),
    ]
}

fn anchors() -> Vec<Vector> {
    vec![
        classic("root-lookalike", "A root with the right name and another key is not the anchor.")
            .change(|m| {
                let lookalike = Key::named("lookalike root");
                m.root = pki::Certificate::root(&lookalike);
                m.ca = pki::Certificate::intermediate(pki::PLATFORM_NAME, m.ca.key.clone(), &lookalike);
            })
            .invalid(&["certificate.root-untrusted"]),
        classic("root-of-test-pki", "Under Intel's anchors nothing of a test PKI counts, whatever its names.")
            .anchors(Anchors::Intel)
            .invalid(&["certificate.root-untrusted"]),
        classic("root-replaced", "Anchors can be replaced: a PKI is judged by its own root and signer.")
            .change(Material::use_other_pki)
            .anchors(Anchors::OtherTest)
            .verified(&[]),
    ]
}

//! The PCK certificate chain and its SGX extension.

use super::{Anchors, Vector, bare, classic};
use crate::crl::{KEY_COMPROMISE, REASON_CODE, REMOVE_FROM_CRL};
use crate::der;
use crate::pki::{self, Algorithm, Extension, Key, Name, Usage, constraints};
use crate::receipt::Material;

pub(super) fn vectors() -> Vec<Vector> {
    let mut vectors = chain();
    vectors.extend(certificates());
    vectors.extend(forms());
    vectors.extend(names());
    vectors.extend(powers());
    vectors.extend(dates());
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
        listed("chain-rotated", "So is one in which the root alone comes first.", |chain| chain.rotate_right(1))
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

/// A vector whose leaf has `value` as its member number `at`, before it is signed.
fn leaf_with(id: &str, rule: &str, at: usize, value: Vec<u8>) -> Vector {
    bare(id, rule).change(move |m| {
        let value = value.clone();
        m.pck.members.add(move |members| members[at].clone_from(&value));
    })
}

const VERSION: usize = 0;
const SERIAL: usize = 1;
const ALGORITHM: usize = 2;
const VALIDITY: usize = 4;
const KEY: usize = 6;
const EXTENSIONS: usize = 7;

/// A vector whose leaf's key usage, the start of that extension, is `written` in place of critical TRUE.
fn usage_written(id: &str, rule: &str, written: &'static [u8]) -> Vector {
    bare(id, rule).change(|m| {
        m.pck.members.add(|members| {
            let extensions = &mut members[EXTENSIONS];
            let usage = [der::oid(pki::KEY_USAGE), der::boolean(true)].concat();
            let at = extensions.windows(usage.len()).position(|found| found == usage).expect("a key usage");
            extensions[at..at + usage.len()].copy_from_slice(written);
        });
    })
}

fn forms() -> Vec<Vector> {
    let malformed = &["certificate.malformed"];
    let algorithm = &["certificate.algorithm-wrong"];
    let coordinates = Key::named("PCK").coordinates();
    let point = [&[4][..], &coordinates].concat();
    let compressed = [&[2 + coordinates[63] % 2][..], &coordinates[..32]].concat();
    let with_parameters = der::sequence(&[der::oid("1.2.840.10045.4.3.2"), der::tlv(5, &[])]);
    vec![
        bare("certificate-version-1", "A certificate has version 3, the first with extensions.")
            .change(|m| m.pck.members.add(|members| drop(members.remove(VERSION))))
            .invalid(malformed),
        leaf_with("certificate-version-2", "Nor is version 2 good enough.", VERSION, der::context(0, &der::integer(1))).invalid(malformed),
        bare("certificate-ber-length", "The frame of a certificate is DER: a length has its shortest form.")
            .change(|m| m.pck.afterwards.add(super::lengthen_length))
            .invalid(malformed),
        leaf_with("certificate-algorithm-inside", "The signed part names ECDSA with SHA-256 too.", ALGORITHM, Algorithm::Sha384.der())
            .invalid(algorithm),
        leaf_with(
            "certificate-algorithm-outside",
            "What stands beside the signature is ECDSA with SHA-256.",
            ALGORITHM,
            Algorithm::Sha256.der(),
        )
        .change(|m| m.pck.algorithm = Algorithm::Sha384)
        .invalid(algorithm),
        leaf_with("certificate-algorithm-parameters", "ECDSA with SHA-256 has no parameters.", ALGORITHM, with_parameters)
            .invalid(algorithm),
        leaf_with("certificate-key-curve", "A key lies on P-256.", KEY, pki::public_key("1.3.132.0.10", &point)).invalid(algorithm),
        leaf_with(
            "certificate-key-off-curve",
            "A key is a point of its curve.",
            KEY,
            pki::public_key(pki::P256, &[&[4][..], &[1; 64]].concat()),
        )
        .invalid(algorithm),
        leaf_with("certificate-key-compressed", "A key is written in full.", KEY, pki::public_key(pki::P256, &compressed))
            .invalid(algorithm),
        leaf_with("certificate-serial-zero", "A serial number is only compared: zero is one.", SERIAL, der::raw_integer(&[0]))
            .verified(&[]),
        leaf_with("certificate-serial-negative", "So is a negative one.", SERIAL, der::raw_integer(&[0x9f; 20])).verified(&[]),
        leaf_with("certificate-serial-needless-zero", "A number is written in its shortest form.", SERIAL, der::raw_integer(&[0, 0x11]))
            .invalid(malformed),
        leaf_with("certificate-unique-id", "What only version 2 had has no place.", EXTENSIONS, der::context_primitive(1, &[0, 1]))
            .invalid(malformed),
        usage_written(
            "certificate-critical-false",
            "What is false where it is absent is not written as false.",
            &[0x06, 0x03, 0x55, 0x1d, 0x0f, 0x01, 0x01, 0x00],
        )
        .invalid(malformed),
        usage_written("certificate-critical-one", "True is FF.", &[0x06, 0x03, 0x55, 0x1d, 0x0f, 0x01, 0x01, 0x01]).invalid(malformed),
        usage_written("certificate-critical-constructed", "A truth value has no parts.", &[0x06, 0x03, 0x55, 0x1d, 0x0f, 0x21, 0x01, 0xff])
            .invalid(malformed),
        usage_written(
            "certificate-oid-mistagged",
            "An object identifier is one by its tag.",
            &[0x0d, 0x03, 0x55, 0x1d, 0x0f, 0x01, 0x01, 0xff],
        )
        .invalid(malformed),
        leaf_with("certificate-serial-long", "So is one of more than twenty bytes.", SERIAL, der::raw_integer(&[0x11; 64])).verified(&[]),
    ]
}

fn names() -> Vec<Vector> {
    let name = &["certificate.name-wrong"];
    vec![
        bare("certificate-name-printable", "Names are compared as text, whichever string type carries it.")
            .change(|m| m.ca.subject.string = der::printable)
            .verified(&[]),
        bare("certificate-name-teletex", "A name in a string type without a fixed alphabet is not text.")
            .change(|m| m.pck.subject.string = |text| der::tlv(0x14, text.as_bytes()))
            .invalid(&["certificate.malformed"]),
        bare("certificate-name-octets", "Text is text by its tag.")
            .change(|m| m.pck.subject.string = |text| der::octets(text.as_bytes()))
            .invalid(&["certificate.malformed"]),
        bare("certificate-name-case", "Upper and lower case differ.")
            .change(|m| m.pck.subject.common_name.make_ascii_lowercase())
            .invalid(name),
        bare("certificate-intermediate-issuer", "The issuer named in the intermediate is the root.")
            .change(|m| m.ca.issuer = Name::of(pki::PROCESSOR_NAME))
            .invalid(name),
        bare("certificate-root-issuer", "The root names itself as its issuer.")
            .change(|m| m.root.issuer = Name::of(pki::PLATFORM_NAME))
            .invalid(name),
        bare("certificate-root-signature", "The root signs itself: its key alone does not make a certificate the anchor's.")
            .change(|m| m.root.issuer_key = Key::named("lookalike root"))
            .invalid(&["certificate.signature-wrong"]),
        bare("certificate-key-ids", "Key identifiers help to find an issuer; its signature decides.")
            .change(|m| {
                let other = Key::named("lookalike root");
                m.pck.set_extension(pki::AUTHORITY_KEY_ID, false, Extension::authority_key(&other).value);
                m.pck.set_extension(pki::SUBJECT_KEY_ID, false, der::octets(&other.identifier()));
            })
            .verified(&[]),
    ]
}

/// What a certificate says that its key may do.
fn powers() -> Vec<Vector> {
    let constraint = &["certificate.constraints-wrong"];
    let usage = &["certificate.key-usage-wrong"];
    vec![
        bare("certificate-leaf-unconstrained", "A leaf says that it is not a CA.")
            .change(|m| m.pck.remove_extension(pki::BASIC_CONSTRAINTS))
            .invalid(constraint),
        bare("certificate-root-no-ca", "A root is a CA.")
            .change(|m| m.root.set_extension(pki::BASIC_CONSTRAINTS, true, constraints(false, None)))
            .invalid(constraint),
        bare("certificate-path-open", "A CA without a path length allows any.")
            .change(|m| {
                m.root.set_extension(pki::BASIC_CONSTRAINTS, true, constraints(true, None));
                m.ca.set_extension(pki::BASIC_CONSTRAINTS, true, constraints(true, None));
            })
            .verified(&[]),
        bare("certificate-intermediate-usage-no-crl", "An issuer's key usage allows it to sign CRLs.")
            .change(|m| m.ca.set_extension(pki::KEY_USAGE, true, Usage::CertifyingOnly.der()))
            .invalid(usage),
        bare("certificate-intermediate-no-usage", "An issuer has a key usage.")
            .change(|m| m.ca.remove_extension(pki::KEY_USAGE))
            .invalid(usage),
        bare("certificate-leaf-no-usage", "A leaf has a key usage.").change(|m| m.pck.remove_extension(pki::KEY_USAGE)).invalid(usage),
        bare("certificate-root-usage", "A root's key usage allows it to sign certificates.")
            .change(|m| m.root.set_extension(pki::KEY_USAGE, true, Usage::Signing.der()))
            .invalid(usage),
        bare("certificate-constraints-false", "A leaf is no CA by not saying so, which has one form.")
            .change(|m| m.pck.set_extension(pki::BASIC_CONSTRAINTS, true, der::sequence(&[der::boolean(false)])))
            .invalid(&["certificate.malformed"]),
        bare("certificate-constraints-in-vain", "What is no CA has no CAs below it to count.")
            .change(|m| m.pck.set_extension(pki::BASIC_CONSTRAINTS, true, constraints(false, Some(0))))
            .invalid(&["certificate.malformed"]),
        bare("certificate-usage-unused-bits", "Unused bits are zero, so that nobody reads them.")
            .change(|m| m.pck.set_extension(pki::KEY_USAGE, true, der::tlv(0x03, &[7, 0xc0])))
            .invalid(&["certificate.malformed"]),
        bare("certificate-constraints-more", "Constraints have two members.")
            .change(|m| {
                let members = [der::boolean(true), der::integer(0), der::integer(0)];
                m.ca.set_extension(pki::BASIC_CONSTRAINTS, true, der::sequence(&members));
            })
            .invalid(&["certificate.malformed"]),
        bare("certificate-unknown-harmless", "An extension that is not understood and not critical is passed over.")
            .change(|m| m.pck.set_extension("1.3.6.1.4.1.99999.1", false, der::boolean(true)))
            .verified(&[]),
    ]
}

/// How the dates of a certificate may be written.
fn dates() -> Vec<Vector> {
    let malformed = &["certificate.malformed"];
    let dated = |id: &str, rule: &str, start: Vec<u8>, end: Vec<u8>| leaf_with(id, rule, VALIDITY, der::sequence(&[start, end]));
    let until = |id: &str, rule: &str, end: Vec<u8>| dated(id, rule, der::utc_time("260601000000Z"), end);
    vec![
        until(
            "certificate-date-generalized",
            "A date of this century may be written with its century.",
            der::generalized_time("20330601000000Z"),
        )
        .verified(&[]),
        until("certificate-date-2050", "From 2050 on a date is written with its century.", der::generalized_time("20500101000000Z"))
            .verified(&[]),
        until("certificate-date-9999", "The last date that can be written means: no end.", der::generalized_time("99991231235959Z"))
            .verified(&[]),
        until("certificate-date-utc-49", "Two digits below 50 are of this century.", der::utc_time("491231235959Z")).verified(&[]),
        until("certificate-date-utc-50", "Two digits from 50 on are of the last century.", der::utc_time("500101000000Z"))
            .unverifiable(&["certificate.outside-validity", "window.empty"]),
        dated(
            "certificate-date-1949",
            "A date before 1950 is written with its century.",
            der::generalized_time("19491231235959Z"),
            der::utc_time("330601000000Z"),
        )
        .verified(&[]),
        until("certificate-date-no-seconds", "A date has seconds.", der::utc_time("3306010000Z")).invalid(malformed),
        until("certificate-date-offset", "A date is in UTC, and says so by Z.", der::utc_time("330601000000+0000")).invalid(malformed),
        until("certificate-date-fraction", "A date has no fractions of a second.", der::generalized_time("20330601000000.5Z"))
            .invalid(malformed),
        until("certificate-date-local", "A date without a zone names no instant.", der::generalized_time("20330601000000"))
            .invalid(malformed),
        until("certificate-date-no-such-day", "A date is one of the calendar.", der::utc_time("330230000000Z")).invalid(malformed),
        dated(
            "certificate-date-reversed",
            "A certificate that ends before it begins is never valid.",
            der::utc_time("260820000000Z"),
            der::utc_time("260810000000Z"),
        )
        .unverifiable(&["certificate.outside-validity", "window.empty"]),
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
        bare("certificate-root-not-yet", "Nor does a root that is not valid yet, although its key is the anchor's.")
            .change(|m| m.root.not_before = "2026-08-05T00:00:00Z")
            .at("2026-08-04T00:00:00Z")
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
        classic("revoked-leaf-zeros", "A serial number with more zeros before it than needed is no number in DER, and hides no entry.")
            .change(|m| revoke_leaf_as(m, |serial| [&[0, 0], serial].concat()))
            .invalid(&["crl.malformed"]),
        classic("revoked-leaf-no-zero", "A missing zero before a serial that begins with a one bit hides no entry.")
            .change(|m| revoke_leaf_as(m, <[u8]>::to_vec))
            .invalid(revoked),
        bare("revoked-leaf-zero", "A serial number of zero can be revoked.")
            .change(|m| {
                m.pck.serial = vec![0];
                m.collateral.pck_crl.revoked.push(vec![0]);
            })
            .invalid(revoked),
        bare("revoked-leaf-without-reason", "An entry without a reason revokes.")
            .change(|m| {
                let entry = der::sequence(&[der::unsigned(&m.pck.serial), der::time("2026-08-01T00:00:00Z")]);
                m.collateral.pck_crl.more_entries.push(entry);
            })
            .invalid(revoked),
        bare("revoked-leaf-removed", "An entry revokes whatever its reason: a complete list takes nothing back.")
            .change(|m| {
                let removed = Extension::new(REASON_CODE, false, der::enumerated(REMOVE_FROM_CRL));
                let crl = &mut m.collateral.pck_crl;
                crl.more_entries.push(crl.entry(der::unsigned(&m.pck.serial), &removed));
            })
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

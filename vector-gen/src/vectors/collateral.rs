//! Containers, CRLs, the signed documents and the time in which they hold.

use super::{Vector, bare, classic};
use crate::collateral::{Container, CrlText};
use crate::crl::{CRL_NUMBER, Crl, ISSUING_DISTRIBUTION_POINT};
use crate::der;
use crate::json::{parse, token};
use crate::pki::{self, Certificate, Extension, Key, Name};
use crate::receipt::Material;

pub(super) fn vectors() -> Vec<Vector> {
    let mut vectors = containers();
    vectors.extend(issuer_chains());
    vectors.extend(crls());
    vectors.extend(crl_forms());
    vectors.extend(tcb_info());
    vectors.extend(qe_identity());
    vectors.extend(time());
    vectors
}

fn containers() -> Vec<Vector> {
    let malformed = &["collateral.malformed"];
    let absent = |id: &str, rule: &str, item: usize| {
        classic(id, rule)
            .change(move |m| m.collateral.items.add(move |items| drop(items.remove(item))))
            .unverifiable(&["collateral.part-absent"])
    };
    let absent_v3 = |id: &str, rule: &str, member: &'static str| {
        v3(id, rule)
            .change(move |m| m.collateral.afterwards.add(move |container| container.set(&format!("/{member}"), "")))
            .unverifiable(&["collateral.part-absent"])
    };
    let lacking_v3 = |id: &str, rule: &str, member: &'static str| {
        v3(id, rule)
            .change(move |m| m.collateral.afterwards.add(move |container| drop(container.remove(&format!("/{member}")))))
            .unverifiable(&["collateral.part-absent"])
    };
    vec![
        classic("collateral-not-json", "A container is strict JSON.")
            .change(|m| m.collateral.bytes.add(|bytes| bytes.truncate(100)))
            .flags(false, true)
            .invalid(&["json.malformed"]),
        classic("collateral-empty", "Empty collateral is absent.")
            .change(|m| m.collateral.bytes.add(Vec::clear))
            .unverifiable(&["collateral.part-absent"]),
        classic("collateral-unknown-container", "An object of other members is no collateral.")
            .change(|m| m.collateral.afterwards.add(|container| *container = parse(r#"{"parts": []}"#)))
            .unverifiable(&["collateral.container-unsupported"]),
        classic("collateral-duplicate-member", "A member that stands twice is refused in the collateral too.")
            .change(|m| {
                m.collateral.bytes.add(|bytes| super::replace(bytes, r#","v":1}"#, r#","v":1,"v":1}"#));
            })
            .flags(false, true)
            .invalid(&["json.duplicate-key"]),
        classic("collateral-urls-no-list", "The list of URLs is a list.")
            .change(|m| m.collateral.afterwards.add(|container| container.set("/urls", 7)))
            .invalid(malformed),
        classic("collateral-item-not-base64", "An item that is not base64 cannot be read.")
            .change(|m| {
                m.collateral.afterwards.add(|container| {
                    let crate::json::Json::Object(items) = container.at("/items") else { unreachable!() };
                    items[0].1 = "not base64".into();
                });
            })
            .invalid(malformed),
        classic("collateral-version-2", "An unknown container version is not read, and is no fraud.")
            .change(|m| m.collateral.afterwards.add(|container| container.set("/v", 2)))
            .unverifiable(&["collateral.container-unsupported"]),
        classic("collateral-unknown-item", "An unknown item is named and not used.")
            .change(|m| {
                m.collateral.items.add(|items| items.push(("https://example.invalid/more".to_owned(), b"more".to_vec())));
            })
            .verified(&["collateral.unknown-item"]),
        classic("collateral-qve-identity", "The identity of another enclave is no QE identity.")
            .change(|m| {
                m.collateral.items.add(|items| {
                    let url = "https://api.trustedservices.intel.com/sgx/certification/v4/qve/identity";
                    items.push((url.to_owned(), b"{}".to_vec()));
                });
            })
            .verified(&["collateral.unknown-item"]),
        classic("collateral-without-version", "The items alone tell the container, whose version then is absent.")
            .change(|m| m.collateral.afterwards.add(|container| drop(container.remove("/v"))))
            .unverifiable(&["collateral.part-absent"]),
        classic("collateral-without-items", "So does the version alone, whose items then are absent.")
            .change(|m| m.collateral.afterwards.add(|container| drop(container.remove("/items"))))
            .unverifiable(&["collateral.part-absent"]),
        classic("collateral-item-empty", "An item without content is absent.")
            .change(|m| m.collateral.items.add(|items| items[2].1.clear()))
            .unverifiable(&["collateral.part-absent"]),
        absent("collateral-no-pck-crl", "Without the PCK CRL nobody knows whether the leaf is revoked.", 0),
        absent("collateral-no-qe-identity", "Without the QE identity any enclave could have vouched for the key.", 1),
        absent("collateral-no-tcb-info", "Without the TCB info the platform's state is unknown.", 2),
        absent("collateral-no-root-crl", "Without the root CRL nobody knows whether an issuer is revoked.", 3),
        v3("collateral-v3", "QuoteCollateralV3 is as good as the item map; its CRLs are hex.").verified(&[]),
        absent_v3("collateral-v3-no-pck-crl", "An empty member of QuoteCollateralV3 is absent.", "pck_crl"),
        absent_v3("collateral-v3-no-tcb-info", "Empty TCB info is absent, not forged.", "tcb_info"),
        lacking_v3("collateral-v3-without-tcb-info", "The QE identity alone tells the container.", "tcb_info"),
        lacking_v3("collateral-v3-without-qe-identity", "So does the TCB info alone.", "qe_identity"),
        v3("collateral-v3-odd-hex", "Hex has two digits for each byte.")
            .change(|m| {
                m.collateral.afterwards.add(|container| {
                    let crl = container.text("/root_ca_crl");
                    container.set("/root_ca_crl", &crl[1..]);
                });
            })
            .invalid(malformed),
    ]
}

/// A vector whose collateral is a QuoteCollateralV3.
fn v3(id: &str, rule: &str) -> Vector {
    classic(id, rule).change(|m| m.collateral.container = Container::V3)
}

/// Puts `signer` before the root in both issuer chains, and signs both documents with its key.
fn sign_with(material: &mut Material, signer: Certificate) {
    material.collateral.tcb_info.key = signer.key.clone();
    material.collateral.qe_identity.key = signer.key.clone();
    material.collateral.signer_chain[0] = signer;
}

/// Gives the QE identity a signer of its own, changed by `change`.
fn sign_qe_identity_apart(material: &mut Material, change: impl Fn(&mut Certificate)) {
    let mut signer = Certificate::tcb_signing(Key::named("second TCB signing"), &material.root.key);
    change(&mut signer);
    material.collateral.qe_identity.key = signer.key.clone();
    material.collateral.qe_signer = Some(signer);
}

fn issuer_chains() -> Vec<Vector> {
    vec![
        v3("signer-chain-absent", "Without issuer chains the anchor's TCB signing certificate decides.")
            .change(|m| m.collateral.signer_chain.clear())
            .verified(&[]),
        v3("signer-chain-members-missing", "A missing issuer chain is the same as an empty one.")
            .change(|m| {
                m.collateral.afterwards.add(|container| {
                    container.remove("/tcb_info_issuer_chain");
                    container.remove("/qe_identity_issuer_chain");
                });
            })
            .verified(&[]),
        v3("signer-chain-renewed", "A renewed signer that the anchor's root issued under the right name is accepted.")
            .change(|m| {
                let signer = Certificate::tcb_signing(Key::named("renewed TCB signing"), &m.root.key);
                sign_with(m, signer);
            })
            .verified(&[]),
        v3("signer-pck-leaf", "A platform's own key signs no collateral, although the root stands above it.")
            .change(|m| {
                let leaf = Certificate::pck(m.pck.key.clone(), pki::PLATFORM_NAME, &m.ca.key);
                sign_with(m, leaf);
            })
            .invalid(&["certificate.name-wrong"]),
        v3("signer-other-leaf", "Another leaf of the root signs no collateral: the name decides.")
            .change(|m| {
                let mut leaf = Certificate::tcb_signing(Key::named("other leaf of the root"), &m.root.key);
                leaf.subject = Name::of("Intel SGX Something Else");
                sign_with(m, leaf);
            })
            .invalid(&["certificate.name-wrong"]),
        v3("signer-self-made", "A complete issuer chain of another root with the same names proves nothing.")
            .change(|m| {
                let lookalike = Key::named("lookalike root");
                sign_with(m, Certificate::tcb_signing(Key::named("lookalike TCB signing"), &lookalike));
                m.collateral.signer_chain[1] = Certificate::root(&lookalike);
            })
            .invalid(&["certificate.root-untrusted"]),
        v3("signer-forged", "A signer that the root did not sign proves nothing.")
            .change(|m| {
                let lookalike = Key::named("lookalike root");
                sign_with(m, Certificate::tcb_signing(Key::named("lookalike TCB signing"), &lookalike));
            })
            .invalid(&["certificate.signature-wrong"]),
        v3("signer-ca", "A CA signs no collateral.")
            .change(|m| {
                m.collateral.signer_chain[0].set_extension(pki::BASIC_CONSTRAINTS, true, pki::constraints(true, Some(0)));
            })
            .invalid(&["certificate.constraints-wrong"]),
        v3("signer-usage", "A signer's key usage allows it to sign.")
            .change(|m| {
                let usage = pki::Usage::NonRepudiationOnly.der();
                m.collateral.signer_chain[0].set_extension(pki::KEY_USAGE, true, usage);
            })
            .invalid(&["certificate.key-usage-wrong"]),
        v3("signer-expired", "A signer that has expired at the judged instant decides nothing.")
            .change(|m| m.collateral.signer_chain[0].not_after = "2026-08-20T00:00:00Z")
            .at("2026-08-25T00:00:00Z")
            .unverifiable(&["certificate.outside-validity"]),
        v3("signer-revoked", "A carried signer is looked up in the root's CRL.")
            .change(|m| m.collateral.root_crl.revoked.push(m.collateral.signer_chain[0].serial.clone()))
            .invalid(&["certificate.revoked"]),
        v3("signer-qe-apart", "The two documents may have two signers, each under the root.")
            .change(|m| sign_qe_identity_apart(m, |_| {}))
            .verified(&[]),
        v3("signer-qe-apart-revoked", "The signer of the QE identity alone is looked up in the root's CRL too.")
            .change(|m| {
                sign_qe_identity_apart(m, |_| {});
                m.collateral.root_crl.revoked.push(Key::named("second TCB signing").identifier());
            })
            .invalid(&["certificate.revoked"]),
        v3("signer-qe-apart-expired", "The signer of the QE identity alone has to be valid at the judged instant too.")
            .change(|m| sign_qe_identity_apart(m, |signer| signer.not_after = "2026-08-20T00:00:00Z"))
            .at("2026-08-25T00:00:00Z")
            .unverifiable(&["certificate.outside-validity"]),
        v3("signer-chain-other-root", "The root of an issuer chain is the certificate of the quote's chain, not only its key.")
            .change(|m| m.collateral.signer_chain[1].not_after = "2026-08-04T00:00:00Z")
            .invalid(&["certificate.root-untrusted"]),
        v3("signer-chain-one", "An issuer chain has a signer and a root.")
            .change(|m| m.collateral.signer_chain.truncate(1))
            .invalid(&["certificate.chain-malformed"]),
        v3("crl-issuer-chain-other", "A carried issuer chain of the PCK CRL is that of the quote's own CA.")
            .change(|m| {
                m.collateral.afterwards.add(|container| {
                    let other = container.at("/tcb_info_issuer_chain").clone();
                    container.set("/pck_crl_issuer_chain", other);
                });
            })
            .invalid(&["crl.issuer-wrong"]),
    ]
}

fn crls() -> Vec<Vector> {
    let pck = |id: &str, rule: &str, change: fn(&mut Crl)| classic(id, rule).change(move |m| change(&mut m.collateral.pck_crl));
    let root = |id: &str, rule: &str, change: fn(&mut Crl)| classic(id, rule).change(move |m| change(&mut m.collateral.root_crl));
    let malformed = &["crl.malformed"];
    let extension = &["crl.extension-unacceptable"];
    let signature = &["crl.signature-wrong"];
    let issuer = &["crl.issuer-wrong"];
    vec![
        pck("crl-garbage", "A CRL is DER.", |crl| crl.afterwards.add(|der| *der = vec![0x30, 0x03, 0x02, 0x01, 0x05])).invalid(malformed),
        root("crl-trailing-byte", "Nothing follows a CRL.", |crl| crl.afterwards.add(|der| der.push(0))).invalid(malformed),
        pck("crl-version-1", "A CRL has version 2.", |crl| crl.version = None).invalid(malformed),
        root("crl-no-next-update", "A CRL without a next update would be good forever.", |crl| crl.next_update = None).invalid(malformed),
        pck("crl-no-number", "A CRL has a number.", |crl| {
            crl.extensions.retain(|extension| extension.oid != CRL_NUMBER);
        })
        .invalid(extension),
        root("crl-no-authority-key", "A CRL names the key of its issuer.", |crl| {
            crl.extensions.retain(|extension| extension.oid != pki::AUTHORITY_KEY_ID);
        })
        .invalid(extension),
        pck("crl-no-extensions", "A CRL without any extension lacks both.", |crl| crl.extensions.clear()).invalid(extension),
        pck("crl-partial", "A CRL that covers only a part of the certificates is refused.", |crl| {
            let only_users = der::sequence(&[der::context_primitive(1, &[0xff])]);
            crl.extensions.push(Extension::new(ISSUING_DISTRIBUTION_POINT, true, only_users));
        })
        .invalid(extension),
        pck("crl-unknown-critical", "A critical extension that is not understood is refused.", |crl| {
            crl.extensions.push(Extension::new("1.3.6.1.4.1.99999.1", true, der::boolean(true)));
        })
        .invalid(extension),
        pck("crl-other-extension", "An extension that Intel's lists do not have is refused, critical or not.", |crl| {
            crl.extensions.push(Extension::new("1.3.6.1.4.1.99999.1", false, der::boolean(true)));
        })
        .invalid(extension),
        pck("crl-number-twice", "An extension stands once.", |crl| crl.extensions.push(crl.extensions[0].clone())).invalid(extension),
        root("crl-entry-critical", "A critical extension of one entry that is not understood makes the list unusable.", |crl| {
            let unknown = Extension::new("1.3.6.1.4.1.99999.1", true, der::boolean(true));
            crl.more_entries.push(crl.entry(der::integer(0x1234), &unknown));
        })
        .invalid(extension),
        root("crl-entry-critical-second", "So does one behind an extension that is passed over.", |crl| {
            let extensions = [false, true].map(|critical| Extension::new("1.3.6.1.4.1.99999.1", critical, der::boolean(true)));
            let [harmless, mut critical] = extensions;
            critical.oid = "1.3.6.1.4.1.99999.2";
            let extensions = der::sequence(&[harmless.der(), critical.der()]);
            crl.more_entries.push(der::sequence(&[der::integer(0x1234), der::time(crl.this_update), extensions]));
        })
        .invalid(extension),
        pck("crl-algorithm-differs", "The signed part of a CRL names the algorithm of its signature.", |crl| {
            crl.stated_algorithm = pki::Algorithm::Sha384;
        })
        .invalid(signature),
        classic("crl-of-processor-ca", "The PCK CRL is that of the CA that issued the leaf.")
            .change(|m| {
                m.collateral.pck_crl.issuer = Name::of(pki::PROCESSOR_NAME);
                m.sign_pck_crl_with(&Key::named("processor CA"));
            })
            .invalid(issuer),
        classic("crl-swapped", "Each of the two CRLs is looked for in its own place.")
            .change(|m| {
                let collateral = &mut m.collateral;
                std::mem::swap(&mut collateral.pck_crl, &mut collateral.root_crl);
            })
            .invalid(issuer),
        classic("crl-same-name-other-key", "A CRL of the right name is signed by that CA's key.")
            .change(|m| m.collateral.pck_crl.issuer_key = Key::named("other platform CA"))
            .invalid(signature),
        root("crl-root-signature", "The root signs its CRL.", |crl| crl.issuer_key = Key::named("lookalike root")).invalid(signature),
        classic("crl-pem", "A CRL in PEM is decoded and checked like any other.")
            .change(|m| m.collateral.crl_text = CrlText::Pem)
            .verified(&["collateral.crl-as-text"]),
        classic("crl-hex", "A CRL in hex is decoded and checked like any other.")
            .change(|m| m.collateral.crl_text = CrlText::Hex)
            .verified(&["collateral.crl-as-text"]),
        classic("crl-hex-revoked", "A CRL in hex revokes like any other.")
            .change(|m| {
                m.collateral.crl_text = CrlText::Hex;
                m.collateral.pck_crl.revoked.push(m.pck.serial.clone());
            })
            .invalid(&["certificate.revoked", "collateral.crl-as-text"]),
    ]
}

/// Numbers of members of the signed part of a CRL.
const THIS_UPDATE: usize = 3;
const NEXT_UPDATE: usize = 4;

fn crl_forms() -> Vec<Vector> {
    let pck = |id: &str, rule: &str, change: fn(&mut Crl)| bare(id, rule).change(move |m| change(&mut m.collateral.pck_crl));
    let root = |id: &str, rule: &str, change: fn(&mut Crl)| bare(id, rule).change(move |m| change(&mut m.collateral.root_crl));
    let malformed = &["crl.malformed"];
    let signature = &["crl.signature-wrong"];
    vec![
        root("crl-version-3", "A CRL has version 2 and no later one.", |crl| crl.version = Some(2)).invalid(malformed),
        pck("crl-ber-length", "The frame of a CRL is DER: a length has its shortest form.", |crl| {
            crl.afterwards.add(super::lengthen_length)
        })
        .invalid(malformed),
        root("crl-delta", "Changes to an earlier CRL are no complete one.", |crl| {
            crl.extensions.push(Extension::new("2.5.29.27", true, der::integer(1)));
        })
        .invalid(&["crl.extension-unacceptable"]),
        pck("crl-entry-harmless", "An extension of one entry that is not critical is passed over.", |crl| {
            let unknown = Extension::new("1.3.6.1.4.1.99999.1", false, der::boolean(true));
            crl.more_entries.push(crl.entry(der::integer(0x1234), &unknown));
        })
        .verified(&[]),
        pck("crl-entry-no-date", "An entry says since when.", |crl| {
            crl.more_entries.push(der::sequence(&[der::integer(0x1234)]));
        })
        .invalid(malformed),
        root("crl-entry-serial-octets", "A serial number is an integer by its tag.", |crl| {
            crl.more_entries.push(der::sequence(&[der::octets(&[0x12, 0x34]), der::time(crl.this_update)]));
        })
        .invalid(malformed),
        pck("crl-entry-more", "An entry has nothing behind its extensions.", |crl| {
            let members = [der::integer(0x1234), der::time(crl.this_update), der::sequence(&[]), der::sequence(&[])];
            crl.more_entries.push(der::sequence(&members));
        })
        .invalid(malformed),
        pck("crl-entry-cut", "Entries fill their list.", |crl| crl.more_entries.push(vec![0x30])).invalid(malformed),
        root("crl-sha384", "CRLs are signed with ECDSA and SHA-256.", |crl| {
            crl.algorithm = pki::Algorithm::Sha384;
            crl.stated_algorithm = pki::Algorithm::Sha384;
        })
        .invalid(signature),
        root("crl-algorithm-outside", "What stands beside the signature of a CRL is ECDSA with SHA-256.", |crl| {
            crl.algorithm = pki::Algorithm::Sha384;
        })
        .invalid(signature),
        pck("crl-issuer-printable", "The issuer of a CRL is compared as text, whichever string type carries it.", |crl| {
            crl.issuer.string = der::printable;
        })
        .verified(&[]),
        pck("crl-issuer-teletex", "An issuer in a string type without a fixed alphabet is not text.", |crl| {
            crl.issuer.string = |text| der::tlv(0x14, text.as_bytes());
        })
        .invalid(malformed),
        pck("crl-authority-key-other", "The key identifier in a CRL helps to find its issuer; the signature decides.", |crl| {
            crl.extensions[1] = Extension::authority_key(&Key::named("processor CA"));
        })
        .verified(&[]),
        pck("crl-date-generalized", "A date of this century may be written with its century.", |crl| {
            crl.members.add(|members| members[NEXT_UPDATE] = der::generalized_time("20260902090000Z"));
        })
        .verified(&[]),
        root("crl-date-offset", "A date is in UTC, and says so by Z.", |crl| {
            crl.members.add(|members| members[THIS_UPDATE] = der::utc_time("260301000000+0000"));
        })
        .invalid(malformed),
        pck("crl-date-fraction", "A date has no fractions of a second.", |crl| {
            crl.members.add(|members| members[NEXT_UPDATE] = der::generalized_time("20260902090000.5Z"));
        })
        .invalid(malformed),
        pck("crl-date-reversed", "A CRL that ends before it begins is never current.", |crl| {
            crl.this_update = "2026-08-20T00:00:00Z";
            crl.next_update = Some("2026-08-10T00:00:00Z");
        })
        .unverifiable(&["crl.outside-window", "window.empty"]),
    ]
}

fn tcb_info() -> Vec<Vector> {
    let signature = &["tcb-info.signature-wrong"];
    let malformed = &["tcb-info.malformed"];
    let version = &["tcb-info.version-unsupported"];
    let changed = |id: &str, rule: &str, change: fn(&mut crate::json::Json)| {
        classic(id, rule).change(move |m| change(&mut m.collateral.tcb_info.body))
    };
    let item = |id: &str, rule: &str, edit: fn(&mut String)| classic(id, rule).change(move |m| m.collateral.tcb_info_item.add(edit));
    vec![
        classic("tcb-info-signature-bit", "One other bit in the signature of the TCB info breaks it.")
            .change(|m| m.collateral.tcb_info.signature.add(|signature| signature[5] ^= 1))
            .invalid(signature),
        classic("tcb-info-edited", "The signature covers every level.")
            .change(|m| {
                m.collateral.tcb_info.after_signing.add(|text| *text = text.replacen("OutOfDate", "UpToDate", 1));
            })
            .invalid(signature),
        classic("tcb-info-reformatted", "The signature covers the exact bytes: one blank more breaks it.")
            .change(|m| m.collateral.tcb_info.after_signing.add(|text| *text = text.replacen(':', ": ", 1)))
            .invalid(signature),
        classic("tcb-info-signed-blank", "Blanks that were there when the text was signed belong to it.")
            .change(|m| m.collateral.tcb_info.before_signing.add(|text| *text = text.replacen(':', ": ", 3)))
            .verified(&[]),
        v3("tcb-info-v3-blanks-added", "In QuoteCollateralV3 a blank before the value is part of the text: it was not signed.")
            .change(|m| m.collateral.tcb_info.after_signing.add(|text| text.insert(0, ' ')))
            .invalid(signature),
        v3("tcb-info-v3-blanks-signed", "Blanks around the value that were signed with it belong to it.")
            .change(|m| m.collateral.tcb_info.before_signing.add(|text| *text = format!(" {text}\n")))
            .verified(&[]),
        classic("tcb-info-by-pck-key", "A platform's key does not sign TCB info.")
            .change(|m| m.collateral.tcb_info.key = m.pck.key.clone())
            .invalid(signature),
        item("tcb-info-signature-first", "The signature may stand before the text.", |item| {
            let (text, signature) = item[1..item.len() - 1].split_once(r#","signature":"#).expect("a signature");
            *item = format!(r#"{{"signature":{signature},{text}}}"#);
        })
        .verified(&[]),
        item("tcb-info-extra-member", "The signed envelope has two members and no other.", |item| {
            item.insert_str(1, r#""note":1,"#);
        })
        .invalid(&["tcb-info.malformed"]),
        item("tcb-info-escaped-name", "The names of the signed envelope are written plainly.", |item| {
            *item = item.replacen("tcbInfo", "\\u0074cbInfo", 1);
        })
        .invalid(&["tcb-info.malformed"]),
        item("tcb-info-twice", "A second text beside the signed one is refused.", |item| {
            item.insert_str(1, r#""tcbInfo":{"id":"TDX"},"#);
        })
        .flags(false, true)
        .invalid(&["json.duplicate-key"]),
        item("tcb-info-signature-short", "A signature has 64 bytes.", |item| {
            item.replace_range(item.len() - 4..item.len() - 2, "");
        })
        .invalid(malformed),
        changed("tcb-info-fifteen-components", "A level has sixteen components: a missing one is not met.", |body| {
            body.remove("/tcbLevels/0/tcb/tdxtcbcomponents/15");
        })
        .invalid(malformed),
        changed("tcb-info-component-256", "A component is one byte; 256 does not wrap to 0.", |body| {
            body.set("/tcbLevels/0/tcb/sgxtcbcomponents/8/svn", 256);
        })
        .invalid(malformed),
        changed("tcb-info-no-module", "TCB info of version 3 describes the TDX module.", |body| {
            body.remove("/tdxModule");
        })
        .invalid(malformed),
        changed("tcb-info-date-no-zone", "A date names an instant.", |body| {
            body.set("/issueDate", "2026-08-03T11:00:00");
        })
        .invalid(malformed),
        changed("tcb-info-level-twice", "Two levels with the same lowest values contradict each other.", |body| {
            let mut again = body.at("/tcbLevels/0").clone();
            again.set("/tcbStatus", "OutOfDate");
            body.list("/tcbLevels").insert(1, again);
        })
        .invalid(malformed),
        changed("tcb-info-levels-of-tdx", "Two levels that differ in the TDX components alone are two.", |body| {
            let mut lower = body.at("/tcbLevels/0").clone();
            lower.set("/tcb/tdxtcbcomponents/2/svn", 1);
            lower.set("/tcbStatus", "OutOfDate");
            body.list("/tcbLevels").insert(0, lower);
        })
        .verified(&[]),
        changed("tcb-info-no-levels", "TCB info without levels says nothing about a platform.", |body| {
            body.list("/tcbLevels").clear();
        })
        .invalid(malformed),
        changed("tcb-info-module-level-twice", "Two levels of a module with the same SVN contradict each other.", |body| {
            body.set("/tdxModuleIdentities/0/tcbLevels/1/tcb/isvsvn", 4);
        })
        .invalid(malformed),
        changed("tcb-info-module-no-levels", "The identity of a module has levels.", |body| {
            body.list("/tdxModuleIdentities/0/tcbLevels").clear();
        })
        .invalid(malformed),
        changed("tcb-info-date-offset", "Intel's dates may end with +00:00.", |body| {
            body.set("/issueDate", "2026-08-03T11:00:00+00:00");
        })
        .verified(&[]),
        changed("tcb-info-new-member", "Intel may add members; they are signed, and not used.", |body| {
            body.set("/novelty", parse(r#"{"of": ["no", "matter"]}"#));
        })
        .verified(&[]),
        changed("tcb-info-fmspc-upper-case", "Hex is compared as bytes.", |body| body.set("/fmspc", "00A1B2C3D4E5")).verified(&[]),
        changed("tcb-info-for-sgx", "TCB info of another kind of TEE says nothing about a TD.", |body| {
            body.set("/id", "SGX");
        })
        .invalid(&["tcb-info.kind-wrong"]),
        changed("tcb-info-version-4", "A version of TCB info that is not known is not read.", |body| {
            body.set("/version", 4);
        })
        .unverifiable(version),
        changed("tcb-info-type-1", "A TCB type that is not known is not compared.", |body| body.set("/tcbType", 1)).unverifiable(version),
        changed("platform-fmspc", "Genuine TCB info of another platform type does not count.", |body| {
            body.set("/fmspc", "00a1b2c3d4e6");
        })
        .invalid(&["platform.fmspc-mismatch"]),
        changed("platform-pceid", "Genuine TCB info for another PCE does not count.", |body| body.set("/pceId", "0001"))
            .invalid(&["platform.pceid-mismatch"]),
    ]
}

fn qe_identity() -> Vec<Vector> {
    let signature = &["qe-identity.signature-wrong"];
    let malformed = &["qe-identity.malformed"];
    let changed = |id: &str, rule: &str, change: fn(&mut crate::json::Json)| {
        classic(id, rule).change(move |m| change(&mut m.collateral.qe_identity.body))
    };
    vec![
        classic("qe-identity-signature-bit", "One other bit in the signature of the QE identity breaks it.")
            .change(|m| m.collateral.qe_identity.signature.add(|signature| signature[5] ^= 1))
            .invalid(signature),
        classic("qe-identity-edited", "The signature covers the signer of the quoting enclave.")
            .change(|m| {
                m.collateral.qe_identity.after_signing.add(|text| *text = text.replacen("DC9E2A7C", "DC9E2A7D", 1));
            })
            .invalid(signature),
        classic("qe-identity-twice", "A second text beside the signed one is refused.")
            .change(|m| {
                m.collateral.qe_identity_item.add(|item| item.insert_str(1, r#""enclaveIdentity":{"id":"TD_QE"},"#));
            })
            .flags(false, true)
            .invalid(&["json.duplicate-key"]),
        changed("qe-identity-signer-short", "A signer has 32 bytes.", |body| body.set("/mrsigner", "DC9E2A7C")).invalid(malformed),
        changed("qe-identity-svn-text", "A security version is a number.", |body| {
            body.set("/tcbLevels/0/tcb/isvsvn", "4");
        })
        .invalid(malformed),
        changed("qe-identity-level-twice", "Two levels with the same SVN contradict each other.", |body| {
            body.set("/tcbLevels/1/tcb/isvsvn", 4);
        })
        .invalid(malformed),
        changed("qe-identity-no-levels", "The identity of a quoting enclave has levels.", |body| body.list("/tcbLevels").clear())
            .invalid(malformed),
        changed("qe-identity-for-sgx", "The identity of another quoting enclave does not count.", |body| {
            body.set("/id", "QE");
        })
        .invalid(&["qe-identity.kind-wrong"]),
        changed("qe-identity-version-3", "A version of QE identity that is not known is not read.", |body| {
            body.set("/version", 3);
        })
        .unverifiable(&["qe-identity.version-unsupported"]),
        changed("evaluation-numbers-differ", "TCB info and QE identity of different evaluation sets are named.", |body| {
            body.set("/tcbEvaluationDataNumber", token("20"));
        })
        .verified(&["tcb.evaluation-numbers-differ"]),
    ]
}

fn time() -> Vec<Vector> {
    let judged = |id: &str, rule: &str, at: &'static str| classic(id, rule).at(at);
    vec![
        judged("time-inside", "Any instant inside the common window gives the same answer.", "2026-08-20T00:00:00Z").verified(&[]),
        judged("time-inside-earlier", "Any other is as good.", "2026-08-15T00:00:00Z").verified(&[]),
        judged("time-inside-later", "Nor does it matter how long ago the collateral was issued.", "2026-08-25T00:00:00Z").verified(&[]),
        judged("time-last-instant", "Windows are closed: the last instant is inside.", "2026-09-02T09:00:00Z").verified(&[]),
        judged("time-crl-expired", "A PCK CRL that has expired at the judged instant decides nothing.", "2026-09-02T09:00:01Z")
            .unverifiable(&["crl.outside-window"]),
        judged("time-before-tcb-info", "TCB info is not known before it was issued.", "2026-08-03T10:59:59Z")
            .unverifiable(&["tcb-info.outside-window"]),
        judged("time-all-expired", "Every expired part is named; none of it is forged.", "2026-12-01T00:00:00Z").unverifiable(&[
            "crl.outside-window",
            "qe-identity.outside-window",
            "tcb-info.outside-window",
        ]),
        judged("time-qe-identity-expired", "A QE identity that has expired at the judged instant decides nothing.", "2026-08-15T00:00:00Z")
            .change(|m| m.collateral.qe_identity.body.set("/nextUpdate", "2026-08-10T00:00:00Z"))
            .unverifiable(&["qe-identity.outside-window"]),
        judged("time-root-crl-expired", "A root CRL that has expired at the judged instant decides nothing.", "2026-08-15T00:00:00Z")
            .change(|m| m.collateral.root_crl.next_update = Some("2026-08-10T00:00:00Z"))
            .unverifiable(&["crl.outside-window"]),
        judged("time-root-crl-not-yet", "Nor does a root CRL that was not issued yet.", "2026-08-15T00:00:00Z")
            .change(|m| {
                m.collateral.root_crl.this_update = "2026-08-20T00:00:00Z";
                m.receipt.attestation.set("/timestamp_utc", "2026-08-20T00:10:00Z");
            })
            .unverifiable(&["crl.outside-window"]),
        classic("time-window-empty", "Parts that are never current together do not belong together.")
            .change(|m| m.collateral.pck_crl.next_update = Some("2026-08-03T10:30:00Z"))
            .unverifiable(&["crl.outside-window", "provenance.timestamp-outside-window", "window.empty"]),
        classic("time-window-one-instant", "A common window of one instant is enough.")
            .change(|m| {
                m.collateral.pck_crl.next_update = Some("2026-08-03T11:00:00Z");
                m.receipt.attestation.set("/timestamp_utc", "2026-08-03T11:00:00Z");
            })
            .verified(&[]),
        classic("time-own-timestamp", "The receipt's own timestamp is compared with the window and never used.")
            .change(|m| m.receipt.attestation.set("/timestamp_utc", "2027-01-01T00:00:00Z"))
            .verified(&["provenance.timestamp-outside-window"]),
    ]
}

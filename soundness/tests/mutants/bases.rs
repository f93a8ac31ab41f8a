//! The verified receipts that are changed.

use data_encoding::{BASE64, HEXLOWER, HEXUPPER};
use soundness::edits::{Part, spliced};
use soundness::essence::{Essence, Frame};
use soundness::exempt::{self, Exempt};
use soundness::mutants::nodes;
use vector_gen::collateral::Container;
use vector_gen::json::token;
use vector_gen::pki::{self, Key, Signer};
use vector_gen::receipt::{Envelope, Input, Material, Nonce, digest, test_pki};
use verify_core::{Anchors, Outcome, Policy, Report, Request, SignerKey, Verifier};

/// A verified receipt, and another one whose parts are put into it.
pub(crate) struct Base {
    pub(crate) name: &'static str,
    pub(crate) receipt: Vec<u8>,
    pub(crate) other: Vec<u8>,
    pub(crate) exempt: Vec<&'static Exempt>,
    pub(crate) verifier: Verifier,
    pub(crate) report: Report,
    pub(crate) essence: Essence,
}

/// One receipt of each kind that a verifier tells apart.
pub(crate) fn all() -> Vec<Base> {
    let v3 = |material: &mut Material| material.collateral.container = Container::V3;
    let v5 = |material: &mut Material| {
        material.use_td15();
        material.quote.padded_to = 8000;
    };
    vec![
        Base::new("classic", Material::classic, |_| {}, &[exempt::ATTESTATION, exempt::HASHED, exempt::LOG, exempt::QUOTE, exempt::ITEMS]),
        Base::new(
            "random",
            Material::k3,
            |_| {},
            &[exempt::ATTESTATION, exempt::RANDOM, exempt::ROUNDED, exempt::LOG, exempt::QUOTE, exempt::ITEMS],
        ),
        Base::new("v3", Material::classic, v3, &[exempt::ATTESTATION, exempt::HASHED, exempt::LOG, exempt::QUOTE, exempt::V3]),
        Base::new("v5", Material::classic, v5, &[exempt::ATTESTATION, exempt::HASHED, exempt::LOG, exempt::QUOTE, exempt::ITEMS]),
        Base::new("signed", Material::signed, |_| {}, &[exempt::SIGNED, exempt::SIGNED_ROUNDED]),
        Base::new("response", Material::full_response, |_| {}, &[exempt::RESPONSE, exempt::QUOTE, exempt::ITEMS]),
        Base::new("note", Material::note, |_| {}, &[exempt::NOTE, exempt::QUOTE, exempt::ITEMS]),
    ]
}

/// The anchors of the test PKI, and one trusted signer.
pub(crate) fn anchors() -> Anchors {
    let (root, signing) = test_pki();
    let signer = BASE64.encode(&Signer::named("receipt signer").public_key()).parse::<SignerKey>().expect("a key");
    let anchors = Anchors::from_root(root.pem().as_bytes()).and_then(|anchors| anchors.with_tcb_signing(signing.pem().as_bytes()));
    anchors.expect("the test PKI").with_signer_keys([signer])
}

/// The mildest policy that the product ships, so that nothing but evidence refuses.
pub(crate) fn verifier() -> Verifier {
    Verifier::new(Policy::authenticity(), anchors())
}

impl Base {
    fn new(name: &'static str, make: fn() -> Material, change: fn(&mut Material), lists: &[&'static [Exempt]]) -> Self {
        let (mut material, mut other) = (make(), make());
        change(&mut material);
        change(&mut other);
        elsewhere(&mut other);
        let (receipt, other, verifier) = (material.file(), other.file(), verifier());
        for (which, receipt) in [("it", &receipt), ("the other one", &other)] {
            let report = verifier.verify(&Request::new(receipt));
            assert_eq!(report.outcome, Outcome::Verified, "{name}, {which}: {:?}", report.problems);
        }
        Self {
            name,
            essence: Essence::read(&receipt).expect("a second reader can take it apart"),
            report: verifier.verify(&Request::new(&receipt)),
            receipt,
            other,
            exempt: crate::joined(lists),
            verifier,
        }
    }
}

/// Another run, of another commit and model, on another platform of the same PKI.
pub(crate) fn elsewhere(material: &mut Material) {
    let receipt = &mut material.receipt;
    let commit = &digest("another commit")[..40];
    let is_log = matches!(receipt.envelope, Envelope::Log | Envelope::Signed(_));
    if is_log && matches!(receipt.nonce, Nonce::Formula) {
        receipt.attestation.set("/code/commit", commit);
        receipt.attestation.set("/references/model_sha256", digest("another model"));
        receipt.attestation.set("/references/eval_seed", "ffeeddcc00112233");
    }
    receipt.attestation.set("/environment/gpu_name", "Other GPU");
    receipt.attestation.set("/timestamp_utc", "2026-08-03T12:16:00Z");
    match &mut receipt.nonce {
        Nonce::Random(nonce) if nonce.len() == 32 => *nonce = "0dd5".repeat(8),
        _ => {}
    }
    match (&receipt.envelope, &mut receipt.input) {
        (Envelope::Note(..), Input::Document(bundle)) => bundle.set("/noise_pct", token("2.5")),
        (Envelope::Log, Input::Document(_)) => {
            receipt.attestation.set("/verdict/tps", token("121.5"));
            receipt.output = receipt.output.replace("120.5", "121.5");
        }
        _ => {}
    }
    receipt.image = format!("sha256:{}", digest("another image"));
    receipt.requester_key = pki::sha256("another requester key").to_vec();
    let key = Key::named("another PCK");
    material.pck.key = key;
    material.pck.serial = vec![0x11; 20];
    material.sgx.fmspc = vec![0, 0xb1, 0xb2, 0xb3, 0xb4, 0xb5];
    material.collateral.tcb_info.body.set("/fmspc", "00b1b2b3b4b5");
    material.quote.attestation_key = Key::named("another attestation key");
}

/// Changes that no systematic kind makes, but that stay verified.
pub(crate) fn witnesses(base: &Base) -> Vec<Vec<u8>> {
    let part = |part: Part, change: &dyn Fn(&[u8]) -> Vec<u8>| {
        part.decode(&base.receipt).and_then(|bytes| part.encode(&base.receipt, &change(&bytes)))
    };
    let padded = |quote: &[u8]| {
        let end = Frame::of(quote).map_or(0, |frame| frame.chain.end);
        if quote.len() > end { quote[..end].to_vec() } else { [quote, &[0; 7]].concat() }
    };
    let pem = |der: &[u8]| vector_gen::der::pem("X509 CRL", der).into_bytes();
    let hex = |der: &[u8]| HEXUPPER.encode(der).into_bytes();
    let with_upper_case_signature = |text: &[u8]| {
        let signature = nodes(text).into_iter().find(|node| node.pointer.ends_with("signature")).expect("a signature");
        spliced(text, signature.value.clone(), &text[signature.value].to_ascii_uppercase())
    };
    let mut witnesses: Vec<Option<Vec<u8>>> = vec![part(Part::Quote, &padded)];
    for item in ["/pckcrl", "/IntelSGXRootCA.der"] {
        witnesses.extend([part(Part::Item(item), &pem), part(Part::Item(item), &hex)]);
    }
    for item in ["/tcb", "/qe/identity"] {
        witnesses.push(part(Part::Item(item), &with_upper_case_signature));
    }
    witnesses.extend(relabelled(base));
    witnesses.extend(unbound_contents(base));
    witnesses.extend(detached(base));
    witnesses.into_iter().flatten().collect()
}

/// The items under URLs of another host.
fn relabelled(base: &Base) -> Vec<Option<Vec<u8>>> {
    let Some(text) = Part::Collateral.decode(&base.receipt) else { return Vec::new() };
    let items = nodes(&text).into_iter().filter(|node| node.pointer.starts_with("/items/")).filter_map(|node| node.name);
    let relabelled = items.map(|name| {
        let url = String::from_utf8_lossy(&text[name.clone()]).into_owned();
        let path = url.split_once(".com").map_or("", |(_, path)| path);
        Part::Collateral.encode(&base.receipt, &spliced(&text, name, format!("\"https://mirror.example{path}").as_bytes()))
    });
    relabelled.collect()
}

/// Contents of a note whose digests are empty.
fn unbound_contents(base: &Base) -> Vec<Option<Vec<u8>>> {
    let artifact = format!(r#"[{{"path": "a", "sha256": "{}", "size": 1}}]"#, digest("a"));
    let contents = [("/receipt/egress_log_b64", "\"AAAA\""), ("/receipt/artifacts", &artifact)];
    let nodes = nodes(&base.receipt);
    let put = |(pointer, value): (&str, &str)| {
        let node = nodes.iter().find(|node| node.pointer == pointer)?;
        Some(spliced(&base.receipt, node.value.clone(), value.as_bytes()))
    };
    contents.into_iter().map(put).collect()
}

/// Other forms of the members of QuoteCollateralV3.
fn detached(base: &Base) -> Vec<Option<Vec<u8>>> {
    let Some(text) = Part::Collateral.decode(&base.receipt) else { return Vec::new() };
    let nodes = nodes(&text);
    let member = |pointer: &str, change: &dyn Fn(&[u8]) -> Vec<u8>| {
        let node = nodes.iter().find(|node| node.pointer == pointer)?;
        Part::Collateral.encode(&base.receipt, &spliced(&text, node.value.clone(), &change(&text[node.value.clone()])))
    };
    let upper = |text: &[u8]| text.to_ascii_uppercase();
    let pem = |text: &[u8]| {
        let der = HEXLOWER.decode(&text[1..text.len() - 1]).expect("hex");
        format!("\"-----BEGIN X509 CRL-----\\n{}\\n-----END X509 CRL-----\\n\"", BASE64.encode(&der)).into_bytes()
    };
    let none = |_: &[u8]| b"null".to_vec();
    vec![
        member("/tcb_info_signature", &upper),
        member("/qe_identity_signature", &upper),
        member("/pck_crl", &upper),
        member("/root_ca_crl", &pem),
        member("/pck_crl_issuer_chain", &none),
        member("/tcb_info_issuer_chain", &none),
        member("/qe_identity_issuer_chain", &none),
    ]
}

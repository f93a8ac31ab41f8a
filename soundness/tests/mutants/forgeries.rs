//! Changes that know how a receipt is made: forgeries that agree with themselves, receipts put together of two good ones, and what is
//! no forgery although bytes under a signature differ.

use std::collections::BTreeSet;

use data_encoding::{BASE64, HEXLOWER};
use libtest_mimic::{Failed, Trial};
use soundness::edits::{Part, member, spliced, with_member};
use soundness::essence::{Essence, Frame};
use soundness::exempt::{GENUINE, TWINS};
use soundness::mutants::{Node, negated, nodes};
use vector_gen::der;
use vector_gen::json::{self, Json, token};
use vector_gen::pki::{Key, Signer, sha256};
use vector_gen::quote::{ATTESTATION_KEY, QE_REPORT};
use vector_gen::receipt::{COMMIT, Envelope, Input, Material, Nonce, Response, dflash_output, digest};
use verify_core::{Effect, Outcome, Report, Request};

use crate::BASES;
use crate::bases;
use crate::table::{self, Tally};

type Check = fn() -> Result<(), String>;

pub(crate) fn trials() -> Vec<Trial> {
    let trials: [(&str, Check); 5] = [
        ("forgeries that agree with themselves", forgeries),
        ("every mixture of two receipts", mixtures),
        ("the other ECDSA signature is the same signature", twins),
        ("another genuine document of the platform is as good", genuine),
        ("a signature over other bytes is no signature", borrowed),
    ];
    trials.into_iter().map(|(name, check)| Trial::test(name, move || check().map_err(Failed::from))).collect()
}

fn verify(receipt: &[u8]) -> Report {
    bases::verifier().verify(&Request::new(receipt))
}

fn codes(report: &Report) -> BTreeSet<&'static str> {
    report.problems.iter().filter(|problem| problem.effect > Effect::Notes).map(|problem| problem.code.name()).collect()
}

/// A receipt that was made anew with `change`, every hash of it right, around the quote of the receipt without the change.
fn around_the_genuine_quote(make: Make, change: Change) -> Vec<u8> {
    let genuine = make().file();
    let mut material = make();
    change(&mut material);
    let quote = member(&genuine, "quote_b64").expect("a quote");
    with_member(&material.file(), "quote_b64", &BASE64.encode(&quote))
}

type Make = fn() -> Material;
type Change = fn(&mut Material);

/// A rich attacker recomputes all that is not signed; then one thing is left that stands against him.
fn forgeries() -> Result<(), String> {
    let report_data = "binding.report-data-mismatch";
    let around_genuine: [(&str, Make, Change); 13] = [
        ("another commit", Material::classic, |m| m.receipt.attestation.set("/code/commit", "89abcdef".repeat(5))),
        ("another seed", Material::classic, |m| m.receipt.attestation.set("/references/eval_seed", "1122334455667788")),
        ("another speed", Material::classic, faster),
        ("another key", Material::classic, |m| m.receipt.requester_key = sha256("the attacker").to_vec()),
        ("another image", Material::classic, |m| m.receipt.image = format!("sha256:{}", digest("the attacker's image"))),
        ("another scorer", Material::classic, |m| m.receipt.scorer = digest("the attacker's scorer")),
        ("a random nonce", Material::classic, |m| m.receipt.nonce = Nonce::Random("00".repeat(16))),
        ("another tier printed", Material::k3, |m| {
            m.receipt.attestation.set("/verdict/label", "XL");
            m.change_output(|output| output.set("/label", "XL"));
        }),
        ("another input", Material::k3, |m| m.receipt.input = Input::Document(json::parse("{}"))),
        ("another artifact", Material::full_response, |m| respond(m, |response| response.artifacts[0].1 = "another trace")),
        ("another policy", Material::full_response, |m| respond(m, |response| response.task_policy.set("/seconds", token("600.5")))),
        ("another egress log", Material::full_response, |m| respond(m, |response| response.egress_log.push_str("{}\n"))),
        ("another bundle", Material::note, |m| m.receipt.input = Input::Document(bundle())),
    ];
    let mut forged: Vec<(&str, Vec<u8>, &str)> =
        around_genuine.into_iter().map(|(name, make, change)| (name, around_the_genuine_quote(make, change), report_data)).collect();

    // His own quote over the right report data, with the genuine QE report: it names another attestation key.
    let quote_of_his = |change: fn(&mut Material)| {
        let mut material = Material::classic();
        change(&mut material);
        material.file()
    };
    let genuine = member(&Material::classic().file(), "quote_b64").expect("a quote");
    let own_key = quote_of_his(|m| m.quote.attestation_key = Key::named("the attacker's attestation key"));
    let mut own_quote = member(&own_key, "quote_b64").expect("a quote");
    own_quote[QE_REPORT..].copy_from_slice(&genuine[QE_REPORT..]);
    let with_quote = |quote: &[u8]| with_member(&own_key, "quote_b64", &BASE64.encode(quote));
    forged.push(("a quote under an own key", with_quote(&own_quote), "qe.report-data-wrong"));
    own_quote[ATTESTATION_KEY..ATTESTATION_KEY + 64].copy_from_slice(&genuine[ATTESTATION_KEY..ATTESTATION_KEY + 64]);
    forged.push(("an own quote under the genuine key's name", with_quote(&own_quote), "quote.signature-wrong"));
    forged.push(("an own PKI with Intel's names", quote_of_his(Material::use_other_pki), "certificate.root-untrusted"));
    forged.push((
        "an own PCK certificate",
        quote_of_his(|m| m.pck.issuer_key = Key::named("the attacker's CA")),
        "certificate.signature-wrong",
    ));
    forged.push(("own TCB info", quote_of_his(|m| m.collateral.tcb_info.key = Key::named("the attacker")), "tcb-info.signature-wrong"));
    forged.push((
        "own QE identity",
        quote_of_his(|m| m.collateral.qe_identity.key = Key::named("the attacker")),
        "qe-identity.signature-wrong",
    ));
    forged.push((
        "TCB info under the PCK key",
        quote_of_his(|m| m.collateral.tcb_info.key = m.pck.key.clone()),
        "tcb-info.signature-wrong",
    ));
    forged.push(("an own CRL", quote_of_his(|m| m.collateral.pck_crl.issuer_key = Key::named("the attacker")), "crl.signature-wrong"));

    // A signed receipt with its id recomputed, and one signed anew.
    let signed = || {
        let mut material = Material::signed();
        material.receipt.attestation.set("/verdict/label", "XL");
        material
    };
    let good = Material::signed().file();
    let text = |file: &[u8], name: &str| BASE64.encode(&member(file, name).expect("base64"));
    let edited = with_member(&signed().file(), "signature", &text(&good, "signature"));
    forged.push(("an edited attestation with its id", edited, "signature.wrong"));
    let mut resigned = signed();
    resigned.receipt.envelope = Envelope::Signed(Signer::named("the attacker"));
    let resigned = resigned.file();
    forged.push(("signed by the attacker", resigned.clone(), "signer.untrusted"));
    forged.push((
        "signed by the attacker in another's name",
        with_member(&resigned, "public_key", &text(&good, "public_key")),
        "signature.wrong",
    ));

    let mut tally = Tally::start();
    let mut faults = Vec::new();
    for (name, receipt, wanted) in forged {
        let report = verify(&receipt);
        let codes = codes(&report);
        tally.refused(&codes);
        if report.outcome == Outcome::Verified || codes != BTreeSet::from([wanted]) {
            faults.push(format!("{name}: {} with {codes:?}; wanted {wanted}", report.outcome));
        }
    }
    tally.add("made anew", Part::Receipt, "forgery");
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

fn faster(material: &mut Material) {
    material.receipt.attestation.set("/measurements/dflash/pr_dflash_tps", token("241.0"));
    let mut measurements = material.receipt.attestation.at("/measurements").clone();
    material.receipt.output = dflash_output(&mut measurements, true);
}

fn respond(material: &mut Material, change: fn(&mut Response)) {
    if let Envelope::Response(response) = &mut material.receipt.envelope {
        change(response);
    }
}

/// The bundle of another run of the same commit.
fn bundle() -> Json {
    let mut bundle = json::parse(r#"{"head": "", "noise_pct": 0.5}"#);
    bundle.set("/head", COMMIT);
    bundle
}

/// Every choice of bound parts from one good receipt and the others from another: only the two themselves are good.
fn mixtures() -> Result<(), String> {
    const PARTS: [&[&str]; 10] = [
        &["/receipt_id"],
        &["/attestation"],
        &["/_expected"],
        &["/tdx/quote_b64"],
        &["/tdx/collateral_b64"],
        &["/tdx/nonce"],
        &["/tdx/e2e_pubkey_b64"],
        &["/tdx/bound_digest"],
        &["/tdx/result_sha256", "/tdx/stdout_b64"],
        &["/tdx/files_sha256"],
    ];
    let mut other = Material::classic();
    bases::elsewhere(&mut other);
    faster(&mut other);
    let (good, other) = (Material::classic().file(), other.file());
    let (in_good, in_other) = (nodes(&good), nodes(&other));
    let span = |nodes: &[Node], pointer: &str| nodes.iter().find(|node| node.pointer == pointer).expect("the part is there").value.clone();
    let mut tally = Tally::start();
    let mut verified = Vec::new();
    for chosen in 0..1u32 << PARTS.len() {
        let is_chosen = |(index, _): &(usize, &&[&str])| chosen >> index & 1 == 1;
        let pointers = PARTS.iter().enumerate().filter(is_chosen).flat_map(|(_, pointers)| *pointers);
        let mut taken: Vec<_> = pointers.map(|pointer| (span(&in_good, pointer), span(&in_other, pointer))).collect();
        taken.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
        let mixed = taken.into_iter().fold(good.clone(), |mixed, (span, from)| spliced(&mixed, span, &other[from]));
        let report = verify(&mixed);
        if report.outcome == Outcome::Verified {
            verified.push(chosen);
            tally.verified();
        } else {
            tally.refused(&codes(&report));
        }
    }
    tally.add("mixed", Part::Receipt, "mixture");
    if verified == [0, (1 << PARTS.len()) - 1] { Ok(()) } else { Err(format!("verified: {verified:?}")) }
}

/// Of an ECDSA signature (r, s) anybody can make (r, n - s), which is a signature of the same message by the same key. Intel does not
/// normalise s, so both have to be accepted: what is signed is the same.
fn twins() -> Result<(), String> {
    let raw = |bytes: &[u8], at: usize| {
        let scalar: [u8; 32] = bytes[at..at + 32].try_into().expect("32 bytes");
        spliced(bytes, at..at + 32, &negated(scalar))
    };
    let base = Material::classic().file();
    let changed =
        |part: Part, change: &dyn Fn(&[u8]) -> Vec<u8>| part.encode(&base, &change(&part.decode(&base).expect("a part"))).expect("a part");
    let in_json = |text: &[u8]| {
        let signature = nodes(text).into_iter().find(|node| node.pointer == "/signature").expect("a signature").value;
        let signature = signature.start + 1..signature.end - 1;
        let bytes = HEXLOWER.decode(&text[signature.clone()]).expect("hex");
        spliced(text, signature, HEXLOWER.encode(&raw(&bytes, 32)).as_bytes())
    };
    let quote_signature = |quote: &[u8]| raw(quote, Frame::of(quote).expect("a quote").signed + 4 + 32);
    let qe_signature = |quote: &[u8]| raw(quote, Frame::of(quote).expect("a quote").qe_report + 384 + 32);
    let twins = [
        ("quote", changed(Part::Quote, &quote_signature)),
        ("QE report", changed(Part::Quote, &qe_signature)),
        ("PCK certificate", changed(Part::Certificate(0), &in_der)),
        ("PCK CA certificate", changed(Part::Certificate(1), &in_der)),
        ("root certificate", changed(Part::Certificate(2), &in_der)),
        ("PCK CRL", changed(Part::Item("/pckcrl"), &in_der)),
        ("root CRL", changed(Part::Item("/IntelSGXRootCA.der"), &in_der)),
        ("TCB info", changed(Part::Item("/tcb"), &in_json)),
        ("QE identity", changed(Part::Item("/qe/identity"), &in_json)),
    ];
    let listed: Vec<&str> = TWINS.iter().map(|twin| twin.place).collect();
    assert_eq!(twins.iter().map(|(name, _)| *name).collect::<Vec<_>>(), listed);
    table::listed("(r, n - s)", TWINS.len());
    let mut tally = Tally::start();
    for (name, twin) in twins {
        let report = verify(&twin);
        if twin == base || report.outcome != Outcome::Verified {
            return Err(format!("{name}: {} with {:?}", report.outcome, codes(&report)));
        }
        tally.verified();
    }
    tally.add("classic", Part::Receipt, "(r, n - s)");
    Ok(())
}

/// A certificate or CRL with the second scalar of its signature negated, and the lengths around it put right.
fn in_der(der: &[u8]) -> Vec<u8> {
    // The signature stands at the end: BIT STRING { 0, SEQUENCE { INTEGER r, INTEGER s } }.
    let start = (der.len().saturating_sub(80)..der.len()).find(|at| {
        let tail = &der[*at..];
        tail.len() > 8
            && tail[0] == 0x03
            && usize::from(tail[1]) + 2 == tail.len()
            && tail[2] == 0
            && tail[3] == 0x30
            && usize::from(tail[4]) + 5 == tail.len()
    });
    let start = start.expect("a signature at the end");
    let integer = |bytes: &[u8]| {
        let (length, rest) = (usize::from(bytes[1]), &bytes[2..]);
        let digits = &rest[..length];
        let padded = [&[0; 33][..], digits].concat();
        <[u8; 32]>::try_from(&padded[padded.len() - 32..]).expect("32 bytes")
    };
    let r = &der[start + 5..];
    let s = &r[2 + usize::from(r[1])..];
    let header = match der[1] {
        0x82 => 4,
        0x81 => 3,
        _ => 2,
    };
    let signature = der::sequence(&[der::unsigned(&integer(r)), der::unsigned(&negated(integer(s)))]);
    der::sequence(&[der[header..start].to_vec(), der::bits(0, &signature)])
}

/// Old and new collateral of a platform are both Intel's word: which one a receipt carries nothing binds.
fn genuine() -> Result<(), String> {
    table::listed(GENUINE.place, 1);
    let newer = || {
        let mut material = Material::classic();
        material.collateral.tcb_info.body.set("/issueDate", "2026-08-05T11:00:00Z");
        material.collateral.tcb_info.body.set("/tcbEvaluationDataNumber", 20);
        material
    };
    let good = Material::classic().file();
    let collateral = member(&newer().file(), "collateral_b64").expect("collateral");
    let replaced = with_member(&good, "collateral_b64", &BASE64.encode(&collateral));
    let report = verify(&replaced);
    let same = Essence::read(&replaced) == Essence::read(&good);
    match (report.outcome, same) {
        (Outcome::Verified, false) => Ok(()),
        (outcome, same) => Err(format!("{outcome}, the essence is the same: {same}, {:?}", codes(&report))),
    }
}

/// Signatures of one place in every other place of the same form.
fn borrowed() -> Result<(), String> {
    let base = &BASES[0];
    let quote = member(&base.receipt, "quote_b64").expect("a quote");
    let Frame { signed, qe_report, .. } = Frame::of(&quote).expect("a quote");
    let hex = |part: Part| {
        let text = part.decode(&base.receipt).expect("an item");
        let node = nodes(&text).into_iter().find(|node| node.pointer == "/signature").expect("a signature");
        HEXLOWER.decode(&text[node.value.start + 1..node.value.end - 1]).expect("hex")
    };
    let signatures = [
        quote[signed + 4..signed + 68].to_vec(),
        quote[qe_report + 384..qe_report + 448].to_vec(),
        hex(Part::Item("/tcb")),
        hex(Part::Item("/qe/identity")),
    ];
    let zero = [[0; 64], [0xff; 64]].map(|bytes| bytes.to_vec());
    let in_quote =
        |at: usize, signature: &[u8]| Part::Quote.encode(&base.receipt, &spliced(&quote, at..at + 64, signature)).expect("a quote");
    let in_item = |item: &'static str, signature: &[u8]| {
        let text = Part::Item(item).decode(&base.receipt).expect("an item");
        let node = nodes(&text).into_iter().find(|node| node.pointer == "/signature").expect("a signature");
        let quoted = format!("\"{}\"", HEXLOWER.encode(signature));
        Part::Item(item).encode(&base.receipt, &spliced(&text, node.value, quoted.as_bytes())).expect("an item")
    };
    let mut tally = Tally::start();
    for (index, signature) in signatures.iter().chain(&zero).enumerate() {
        let placed = [
            (0, in_quote(signed + 4, signature), "quote.signature-wrong"),
            (1, in_quote(qe_report + 384, signature), "qe.report-signature-wrong"),
            (2, in_item("/tcb", signature), "tcb-info.signature-wrong"),
            (3, in_item("/qe/identity", signature), "qe-identity.signature-wrong"),
        ];
        for (place, receipt, wanted) in placed.into_iter().filter(|(place, ..)| *place != index) {
            let report = verify(&receipt);
            let codes = codes(&report);
            tally.refused(&codes);
            if report.outcome == Outcome::Verified || codes != BTreeSet::from([wanted]) {
                return Err(format!("signature {index} in place {place}: {} with {codes:?}; wanted {wanted}", report.outcome));
            }
        }
    }
    tally.add("classic", Part::Quote, "borrowed signature");
    Ok(())
}

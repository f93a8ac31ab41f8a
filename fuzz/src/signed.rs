//! What stands behind a signature: the fuzzed part is signed with the keys of the test PKI, so its bytes reach their reader. A second
//! reading of the same part says what a verified report has to mean.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use data_encoding::{BASE64, HEXLOWER, HEXLOWER_PERMISSIVE};
use serde_json::Value;
use soundness::invariants;
use soundness::vectors::vectors;
use vector_gen::der;
use vector_gen::pki::{self, SgxExtension, Signer, sha256};
use verify_core::{Anchors, CheckResult, Instant, Obligation, Outcome, Policy, QuoteReport, Request, SignerKey, TcbStatus, Verifier, dcap};

use crate::evidence::{Evidence, Part, TD_REPORT};
use crate::python;
use crate::tree::Node;

/// The first byte says which certificate, the others are the script of what its issuer signs, or, from 128 on, its DER.
pub fn certificate(data: &[u8]) {
    let (which, signed) = scripted(data);
    let part = [Part::Leaf, Part::Intermediate, Part::Root, Part::Signer][which % 4];
    let mut evidence = Evidence::good().clone();
    evidence.replace(part, signed);
    let report = verified(&evidence.quote(), &evidence.v3().expect("the documents are text"));
    if report.outcome == Outcome::Verified {
        assert_certificate(part, evidence.signed(part), &at(&report));
    }
}

/// The first byte says which CRL, the others are the script of what its issuer signs, or, from 128 on, its DER.
pub fn crl(data: &[u8]) {
    let (which, signed) = scripted(data);
    let (part, serials): (_, &[Part]) =
        if which % 2 == 0 { (Part::PckCrl, &[Part::Leaf]) } else { (Part::RootCrl, &[Part::Intermediate, Part::Signer]) };
    let report = judged(part, signed.clone());
    if report.outcome == Outcome::Verified {
        let list = Node::read(&signed).expect("verified, so it is DER");
        for certificate in serials {
            let serial = &field(&Node::read(Evidence::good().signed(*certificate)).expect("DER"), 1);
            assert!(!lists(&list, serial), "verified, but the CRL lists the serial of {certificate:?}");
        }
        let [this_update, next_update] = [3, 4].map(|index| field(&list, index).instant());
        assert!(this_update <= at(&report) && at(&report) <= next_update, "verified outside {this_update} to {next_update}");
    }
}

/// The bytes are the signed text of the TCB info.
pub fn tcb_info(data: &[u8]) {
    let report = judged(Part::TcbInfo, data.to_vec());
    let Some(tcb) = &report.facts.tcb else { return };
    let info: Value = serde_json::from_slice(data).expect("there is a status, so it is JSON");
    assert_eq!(Some(tcb.platform.name()), platform_level(&info), "status of the platform");
    assert_eq!(tcb.tdx_module.map(TcbStatus::name), module_level(&info), "status of the TDX module");
    if report.outcome == Outcome::Verified {
        let module = tdx_module(&info).expect("an identity");
        assert_eq!((tcb.platform, tcb.tdx_module), (TcbStatus::UpToDate, Some(TcbStatus::UpToDate)));
        assert_eq!((&info["id"], &info["version"], &info["tcbType"]), (&"TDX".into(), &3.into(), &0.into()));
        let platform = SgxExtension::default();
        assert_eq!((hex(&info["fmspc"]), hex(&info["pceId"])), (platform.fmspc, platform.pce_id));
        assert_eq!((hex(&module["mrsigner"]), hex(&module["attributes"])), (vec![0; 48], vec![0; 8]));
        assert_current(&info, &report);
    }
}

/// The bytes are the signed text of the QE identity.
pub fn qe_identity(data: &[u8]) {
    let report = judged(Part::QeIdentity, data.to_vec());
    let Some(tcb) = &report.facts.tcb else { return };
    let identity: Value = serde_json::from_slice(data).expect("there is a status, so it is JSON");
    let enclave = Evidence::good().signed(Part::QeReport);
    let [product, svn] = [256, 258].map(|at| u64::from(u16::from_le_bytes([enclave[at], enclave[at + 1]])));
    assert_eq!(Some(tcb.quoting_enclave.name()), svn_level(&identity["tcbLevels"], svn), "status of the quoting enclave");
    if report.outcome == Outcome::Verified {
        assert_eq!(tcb.quoting_enclave, TcbStatus::UpToDate);
        assert_eq!((&identity["id"], &identity["version"]), (&"TD_QE".into(), &2.into()));
        assert_eq!((hex(&identity["mrsigner"]), &identity["isvprodid"]), (enclave[128..160].to_vec(), &product.into()));
        for (name, mask, found) in [("miscselect", "miscselectMask", 16..20), ("attributes", "attributesMask", 48..64)] {
            let masked: Vec<u8> = enclave[found].iter().zip(hex(&identity[mask])).map(|(byte, mask)| byte & mask).collect();
            assert_eq!(masked, hex(&identity[name]), "{name}");
        }
        assert_current(&identity, &report);
    }
}

/// The bytes are the attestation of a receipt that a trusted signer signed, in the text that a second writer makes of it.
pub fn attestation(data: &[u8]) {
    let (Ok(document), Ok(value)) = (std::str::from_utf8(data), serde_json::from_slice::<Value>(data)) else { return };
    if !has_exact_numbers(document) {
        return;
    }
    let (signer, text) = (Signer::named(SIGNER), python::signed_text(&value));
    let answer = |signed: &str| {
        let receipt = format!(
            r#"{{"polaris_version":1,"receipt_id":"{}","chain":{{"prev_receipt_hash":null,"chain_index":0}},"attestation":{document},"signature":"{}","public_key":"{}"}}"#,
            HEXLOWER.encode(&sha256(signed)),
            BASE64.encode(&signer.sign(signed.as_bytes())),
            BASE64.encode(&signer.public_key()),
        );
        let report = SIGNED.verify(&Request::new(receipt.as_bytes()));
        invariants::assert_of_receipt(&report, receipt.as_bytes());
        let result = |wanted: Obligation| report.checks.iter().find(|check| check.id == wanted).map(|check| check.result.clone());
        [Obligation::Signature, Obligation::ReceiptId].map(|obligation| result(obligation).expect("every obligation has a result"))
    };
    for result in answer(&text) {
        let holds = matches!(result, CheckResult::Passed | CheckResult::Skipped { .. });
        assert!(holds, "the two writers differ: {result:?} for {text}");
    }
    for result in answer(&(text + " ")) {
        assert_ne!(result, CheckResult::Passed, "another text was signed");
    }
}

/// The name of the signer whom [`SIGNED`] trusts.
pub(crate) const SIGNER: &str = "receipt signer";

/// Judges receipts with a signature.
pub(crate) static SIGNED: LazyLock<Verifier> = LazyLock::new(|| {
    let key: SignerKey = BASE64.encode(&Signer::named(SIGNER).public_key()).parse().expect("a key");
    Verifier::new(Policy::strict(), Anchors::intel().with_signer_keys([key]))
});

fn judged(part: Part, signed: Vec<u8>) -> QuoteReport {
    let mut evidence = Evidence::good().clone();
    evidence.replace(part, signed);
    verified(&evidence.quote(), &evidence.item_map())
}

fn verified(quote: &[u8], collateral: &[u8]) -> QuoteReport {
    let report = dcap::verify_quote(quote, collateral, Instant::Collateral, &vectors().anchors);
    invariants::assert_of_quote(&report, quote);
    report
}

/// The number in the first byte, and the DER that the others stand for.
fn scripted(data: &[u8]) -> (usize, Vec<u8>) {
    let (first, mut rest) = data.split_first().unwrap_or((&0, &[]));
    (usize::from(*first), if *first < 128 { Node::of_script(&mut rest).der() } else { rest.to_vec() })
}

/// The digits of the judged instant, from year to second.
fn at(report: &QuoteReport) -> String {
    digits(&report.judged.at.expect("verified at some instant").to_string())
}

/// The digits of an instant in RFC 3339, from year to second.
fn digits(instant: &str) -> String {
    instant.chars().filter(char::is_ascii_digit).take(14).collect()
}

fn assert_current(document: &Value, report: &QuoteReport) {
    let [issued, next] = ["issueDate", "nextUpdate"].map(|name| digits(document[name].as_str().expect("a date")));
    assert!(issued <= at(report) && at(report) <= next, "verified outside {issued} to {next}");
}

/// The field of a signed certificate or CRL at `index`, where it has a version.
fn field(signed: &Node, index: usize) -> Node {
    signed.nodes().get(index).cloned().expect("a field of every certificate and CRL")
}

fn hex(value: &Value) -> Vec<u8> {
    HEXLOWER_PERMISSIVE.decode(value.as_str().expect("text").as_bytes()).expect("hex")
}

/// Whether a list of entries among the fields of `list` has one that begins with the number `serial`.
fn lists(list: &Node, serial: &Node) -> bool {
    let number = |node: &Node| (node.tag, node.bytes().iter().copied().skip_while(|byte| *byte == 0).collect::<Vec<u8>>());
    list.nodes().iter().flat_map(Node::nodes).filter_map(|entry| entry.nodes().first()).any(|first| number(first) == number(serial))
}

/// The status of the highest platform level that is reached: by components, then PCE SVN, then TDX components from the third on.
fn platform_level(info: &Value) -> Option<&str> {
    let SgxExtension { components, pce_svn, .. } = SgxExtension::default();
    let svns = |list: &Value| list.as_array()?.iter().map(|component| component["svn"].as_u64()).collect::<Option<Vec<u64>>>();
    let reaches = |has: &[u64], wants: &[u64]| has.iter().zip(wants).all(|(has, wants)| has >= wants);
    let tdx_svns: Vec<u64> = tee_tcb_svn().iter().copied().map(u64::from).collect();
    let reached = info["tcbLevels"].as_array()?.iter().filter_map(|level| {
        let tcb = &level["tcb"];
        let (sgx, pce, tdx) = (svns(&tcb["sgxtcbcomponents"])?, tcb["pcesvn"].as_u64()?, svns(&tcb["tdxtcbcomponents"])?);
        let is_reached = reaches(&components, &sgx) && pce_svn >= pce && reaches(&tdx_svns[2..], &tdx[2..]);
        is_reached.then(|| ((sgx, pce, tdx), level["tcbStatus"].as_str()))
    });
    reached.max()?.1
}

fn module_level(info: &Value) -> Option<&str> {
    svn_level(&tdx_module(info)?["tcbLevels"], tee_tcb_svn()[0].into())
}

/// The identity of the module version that the TD report states.
fn tdx_module(info: &Value) -> Option<&Value> {
    let id = format!("TDX_{:02X}", tee_tcb_svn()[1]);
    info["tdxModuleIdentities"].as_array()?.iter().find(|module| module["id"].as_str().is_some_and(|found| found.eq_ignore_ascii_case(&id)))
}

/// The status of the highest of `levels` that `svn` reaches.
fn svn_level(levels: &Value, svn: u64) -> Option<&str> {
    let reached = levels.as_array()?.iter().filter_map(|level| {
        let wanted = level["tcb"]["isvsvn"].as_u64()?;
        (wanted <= svn).then(|| (wanted, level["tcbStatus"].as_str()))
    });
    reached.max()?.1
}

fn tee_tcb_svn() -> &'static [u8] {
    &Evidence::good().signed(Part::Body)[TD_REPORT..TD_REPORT + 16]
}

/// What a certificate has to say that stands in a verified chain: RFC 5280, and Intel's profile.
fn assert_certificate(part: Part, signed: &[u8], at: &str) {
    let read = |signed: &[u8]| Node::read(signed).expect("verified, so it is DER");
    let (found, good) = (read(signed), read(Evidence::good().signed(part)));
    assert_eq!(field(&found, 0), good.nodes()[0], "version 3");
    for (index, what) in [(3, "issuer"), (5, "subject"), (6, "key")] {
        assert_eq!(texts(&field(&found, index)), texts(&good.nodes()[index]), "{what}");
    }
    let [not_before, not_after] = [0, 1].map(|index| field(&field(&found, 4), index).instant());
    assert!(*not_before <= *at && *at <= *not_after, "verified outside {not_before} to {not_after}");

    let extensions = field(&field(&found, 7), 0);
    let mut seen = BTreeSet::new();
    for extension in extensions.nodes() {
        let [oid, middle @ .., value] = extension.nodes() else { panic!("an extension without a value") };
        assert!(seen.insert(oid.der()), "an extension twice");
        let value = value.nodes().first().cloned();
        let is = |dotted: &str| oid.der() == der::oid(dotted);
        let is_known = if is(pki::BASIC_CONSTRAINTS) {
            let is_authority =
                value.as_ref().is_some_and(|value| value.nodes().first().is_some_and(|flag| flag.der() == der::boolean(true)));
            assert_eq!(is_authority, matches!(part, Part::Intermediate | Part::Root), "CA");
            true
        } else if is(pki::KEY_USAGE) {
            let bits = value.as_ref().and_then(|value| value.bytes().get(1).copied()).unwrap_or_default();
            let wanted = if matches!(part, Part::Intermediate | Part::Root) { 0x06 } else { 0x80 };
            assert_eq!(bits & wanted, wanted, "key usage {bits:#x}");
            true
        } else {
            is(pki::SGX_EXTENSION)
        };
        let is_critical = middle.iter().any(|flag| flag.der() == der::boolean(true));
        assert!(is_known || !is_critical, "an unknown critical extension");
    }
    for wanted in [pki::BASIC_CONSTRAINTS, pki::KEY_USAGE] {
        assert!(seen.contains(&der::oid(wanted)), "no extension {wanted}");
    }
    if part == Part::Leaf {
        let fmspc = der::octets(&SgxExtension::default().fmspc);
        assert!(seen.contains(&der::oid(pki::SGX_EXTENSION)), "no SGX extension");
        assert!(extensions.der().windows(fmspc.len()).any(|window| window == fmspc), "another FMSPC");
    }
}

/// The contents of everything below a node, whatever their types: a name may be written in several types of text.
fn texts(node: &Node) -> Vec<Vec<u8>> {
    match node.nodes() {
        [] => vec![node.bytes().to_vec()],
        nodes => nodes.iter().flat_map(texts).collect(),
    }
}

/// Whether every number of the JSON document keeps its value in `serde_json`, which reads whole numbers beyond 64 bits, and -0, as
/// floats.
fn has_exact_numbers(document: &str) -> bool {
    let is_number = |character: char| character.is_ascii_digit() || matches!(character, '-' | '+' | '.' | 'e' | 'E');
    let mut tokens = document.split(|character: char| !is_number(character));
    tokens.all(|token| token != "-0" && (token.len() < 19 || token.contains(['.', 'e', 'E'])))
}

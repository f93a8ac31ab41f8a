//! The public door for bare quotes: what a report says beside outcome and codes.

#![expect(clippy::disallowed_methods, reason = "tests read files")]

#[path = "support/generated.rs"]
mod generated;
#[expect(dead_code, reason = "other tests read JSON with it")]
mod support;

use verify_core::dcap::verify_quote;
use verify_core::{Anchors, CheckResult, Code, Instant, Location, Obligation, Outcome, QuoteReport, TcbStatus};

fn judge(id: &str, change: impl FnOnce(&mut Vec<u8>)) -> QuoteReport {
    let vectors = support::workspace().join("test-vectors");
    let read = |name: String| support::read(&vectors.join(name));
    let anchors = Anchors::from_root(&read("pki/root.pem".to_owned()))
        .and_then(|anchors| anchors.with_tcb_signing(&read("pki/tcb_signing.pem".to_owned())));
    let mut quote = read(format!("quotes/{id}.bin"));
    change(&mut quote);
    verify_quote(&quote, &read(format!("quotes/{id}.json")), Instant::Collateral, &anchors.expect("the test PKI"))
}

fn location(report: &QuoteReport, code: Code) -> &Location {
    &report.problems.iter().find(|problem| problem.code == code).expect("the finding").location
}

#[test]
fn a_report_has_the_obligations_of_a_quote_and_no_others() {
    let report = judge("bare-v4", |_| {});
    assert_eq!((report.outcome, report.exit_code), (Outcome::Verified, 0));
    let ids: Vec<Obligation> = report.checks.iter().map(|check| check.id).collect();
    let wanted: Vec<Obligation> =
        Obligation::ALL.iter().copied().filter(|obligation| Obligation::OF_A_QUOTE.contains(obligation)).collect();
    assert_eq!(ids, wanted);
    assert!(report.checks.iter().all(|check| check.result == CheckResult::Passed));
    assert_eq!(report.headline(), "verified (anchors replaced: not Intel's)");
    assert_eq!(report.outcome.to_string(), "verified");
    let advised = judge("bare-v4", |quote| quote.extend_from_slice(&[1]));
    assert!(advised.has(Code::QuoteTrailingBytes) && !advised.has(Code::QuoteSignature) && !report.has(Code::QuoteTrailingBytes));
}

#[test]
fn facts_are_of_a_trust_domain_or_of_an_enclave() {
    let td10 = judge("bare-v4", |_| {}).facts;
    let domain = td10.trust_domain.expect("a trust domain");
    assert_eq!((domain.tee_tcb_svn2, domain.mrservicetd, td10.enclave), (None, None, None));
    assert_eq!(td10.tcb.expect("a status").with_running_module, None);

    let td15 = judge("bare-v5-td15", |_| {}).facts;
    let domain = td15.trust_domain.expect("a trust domain");
    assert_eq!((domain.tee_tcb_svn2, domain.mrservicetd), (Some(domain.tee_tcb_svn), Some("0".repeat(96))));
    assert_eq!(td15.tcb.expect("a status").with_running_module, Some(TcbStatus::UpToDate));

    let sgx = judge("sgx-v3", |_| {});
    let enclave = sgx.facts.enclave.expect("an enclave");
    assert_eq!((enclave.isv_prod_id, enclave.isv_svn), (3, 1));
    assert_eq!(enclave.attributes, "0500000000000000e700000000000000");
    assert_eq!((sgx.facts.trust_domain, sgx.facts.tcb.expect("a status").tdx_module), (None, None));
    let module = sgx.checks.iter().find(|check| check.id == Obligation::TdxModule).expect("the check");
    assert!(matches!(module.result, CheckResult::NotApplicable { .. }));
}

/// The oldest date, the advisories of all three, and each document's own number.
#[test]
fn facts_of_the_tcb_are_those_of_platform_quoting_enclave_and_module() {
    let tcb = judge("bare-all-behind", |_| {}).facts.tcb.expect("a status");
    let behind = TcbStatus::OutOfDate;
    assert_eq!((tcb.status, tcb.platform, tcb.quoting_enclave, tcb.tdx_module), (behind, behind, behind, Some(behind)));
    assert_eq!(tcb.advisories, ["INTEL-SA-99001", "INTEL-SA-99003", "INTEL-SA-99002"]);
    assert_eq!(tcb.tcb_date.to_string(), "2023-08-09T00:00:00Z");
    assert_eq!((tcb.tcb_info_evaluation, tcb.qe_identity_evaluation), (19, 20));
}

#[test]
fn nothing_of_a_forged_quote_is_a_fact() {
    for id in ["bare-signature-bit", "sgx-body-edited", "sgx-qe-identity-of-tdx"] {
        let facts = judge(id, |_| {}).facts;
        assert_eq!((facts.platform, facts.trust_domain, facts.enclave, facts.tcb), (None, None, None, None), "{id}");
    }
}

/// A good quote of each version, where its body stands, and how long that is.
const LAYOUTS: [(&str, usize, usize); 5] =
    [("sgx-v3", 48, 384), ("sgx-v4", 48, 384), ("bare-v4", 48, 584), ("sgx-v5", 54, 384), ("bare-v5-td15", 54, 648)];

#[test]
fn offsets_are_those_of_the_version() {
    for (id, body, size) in LAYOUTS {
        let (length, signature) = (body + size, body + size + 4);
        let forged = judge(id, |quote| quote[signature] ^= 1);
        assert_eq!(location(&forged, Code::QuoteSignature).offset, Some(signature), "{id}");
        let cut = judge(id, |quote| quote.truncate(length + 3));
        assert_eq!(location(&cut, Code::QuoteTruncated).offset, Some(length), "{id}");
        let end = judge(id, |_| {}).quote.bytes;
        let trailing = judge(id, |quote| quote.extend([0, 0, 7]));
        assert_eq!(location(&trailing, Code::QuoteTrailingBytes).offset, Some(end + 2), "{id}");
    }
    assert_eq!(location(&judge("sgx-debug", |_| {}), Code::SgxDebug).offset, Some(48 + 48));
}

/// Every cut of a good quote of every layout is refused, and none of them panics.
#[test]
fn no_part_of_a_quote_is_a_quote() {
    for (id, ..) in LAYOUTS {
        for length in (0..judge(id, |_| {}).quote.bytes).step_by(17) {
            let report = judge(id, |quote| quote.truncate(length));
            assert_eq!(report.outcome, Outcome::Invalid, "{id} cut to {length}");
        }
    }
}

#[test]
fn names_are_escaped() {
    let report = judge("bare-v4", |_| {}).named("\u{1b}[2J.bin", "c.json");
    assert_eq!(report.quote.name.as_deref(), Some("\\u{1b}[2J.bin"));
    assert_eq!(report.collateral.name.as_deref(), Some("c.json"));
}

#[test]
fn an_inspection_shows_the_body_of_any_version() {
    let names = |id: &str| -> Vec<String> {
        let receipt = support::read(&support::workspace().join(format!("test-vectors/receipts/{id}.json")));
        let entries = verify_core::inspect(&receipt).entries.into_iter().filter(|entry| entry.section == "quote");
        entries.map(|entry| entry.name).collect()
    };
    let has = |id: &str, name: &str| names(id).iter().any(|found| found == name);
    assert!(has("verified", "mrtd") && !has("verified", "mrservicetd"));
    assert!(has("quote-v5-td15", "mrservicetd") && has("quote-v5-td15", "tee_tcb_svn2"));
    assert!(has("quote-version-3", "mrenclave") && has("quote-tee-sgx", "isv_svn"));
}

#[test]
fn an_inspection_lists_every_certificate_of_the_chain() {
    let inspection = verify_core::inspect(&support::read(&support::workspace().join("test-vectors/receipts/verified.json")));
    let certificates: Vec<&str> =
        inspection.entries.iter().filter(|entry| entry.section == "certificates").map(|entry| entry.value.as_str()).collect();
    let names = ["CN=Intel SGX PCK Certificate", "CN=Intel SGX PCK Platform CA", "CN=Intel SGX Root CA"];
    assert!(
        certificates.len() == 3 && certificates.iter().zip(names).all(|(shown, name)| shown[1..].starts_with(name)),
        "{certificates:?}"
    );
    let written: serde_json::Value = serde_json::from_str(&inspection.to_json_pretty()).expect("JSON");
    assert_eq!(written["entries"].as_array().map(Vec::len), Some(inspection.entries.len()));
}

/// Bits of the TD attributes, each turned over in a good TD (Intel TDX module ABI specification 348551-008US).
#[test]
fn every_bit_of_the_attributes_has_its_meaning() {
    for bit in 0..64u32 {
        let wanted = match bit {
            0 => ["td.debug"].as_slice(),
            1..=3 | 7..=15 | 23..=26 | 32..=61 => &["td.reserved-bits"],
            4..=6 => &["td.profiling"],
            17 => &["td.service-td-bound"],
            28 => &["td.sept-ve-not-disabled"],
            29 => &["td.migratable"],
            16 | 18..=22 | 27 | 30 | 31 | 62.. => &[],
        };
        let report = generated::judge(|m| m.quote.body.td_attributes ^= 1 << bit, Instant::Collateral);
        assert_eq!(generated::codes(&report), wanted, "attribute {bit}");
    }
    let always = [0, 1];
    let known = [2, 5, 6, 7, 8, 9, 11, 12, 14, 15, 17, 18];
    for bit in 0..64 {
        let report = generated::judge(|m| m.quote.body.xfam ^= 1 << bit, Instant::Collateral);
        let unknown = always.contains(&bit) || !known.contains(&bit);
        assert_eq!(generated::codes(&report), if unknown { vec!["td.xfam-unknown"] } else { vec![] }, "XFAM {bit}");
    }
}

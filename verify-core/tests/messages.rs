//! What findings say beside their codes: what was found, how much of it, and where.

#![expect(clippy::disallowed_methods, reason = "tests read files")]

#[expect(dead_code, reason = "other tests read JSON with it")]
mod support;

use verify_core::{Anchors, Code, Instant, Policy, Problem, Report, Request, SignerKey, Timestamp, Verifier};

const SIGNER: &str = "oTA0bsh6ttCqDqFj+4emLZKheyMi2Qh47R9OF0GFqjs=";

fn receipt(vector: &str) -> String {
    let receipt = support::read(&support::workspace().join(format!("test-vectors/receipts/{vector}.json")));
    String::from_utf8(receipt).expect("UTF-8")
}

fn judge(request: &Request<'_>) -> Report {
    let pki = |name: &str| support::read(&support::workspace().join("test-vectors/pki").join(name));
    let anchors = Anchors::from_root(&pki("root.pem")).and_then(|anchors| anchors.with_tcb_signing(&pki("tcb_signing.pem")));
    let signer: SignerKey = SIGNER.parse().expect("a key");
    Verifier::new(Policy::authenticity(), anchors.expect("the test PKI").with_signer_keys([signer])).verify(request)
}

fn message(report: &Report, code: Code) -> &str {
    let of_code = |problem: &&Problem| problem.code == code;
    &report.problems.iter().find(of_code).unwrap_or_else(|| panic!("no {code} in {:?}", report.problems)).message
}

#[test]
fn a_finding_says_what_was_found() {
    for (vector, code, wanted) in [
        (
            "base64-url-safe",
            Code::ReceiptBase64,
            r#"the member "collateral_b64" is not canonical base64 at character 8 ("-"): invalid symbol; it was written in the URL-safe alphabet"#,
        ),
        ("receipt-quote-number", Code::ReceiptWrongType, r#"the member "quote_b64" is a number; wanted a string"#),
        ("receipt-version-boolean", Code::ReceiptWrongType, r#"the member "polaris_version" is a boolean; wanted a whole number"#),
        (
            "certificate-leaf-issuer",
            Code::CertificateName,
            "the issuer is \"CN=Intel SGX PCK Processor CA, O=Receipt Verifier Test PKI - not Intel, L=Nowhere, ST=TEST, C=ZZ\", but the \
             certificate above is \"CN=Intel SGX PCK Platform CA, O=Receipt Verifier Test PKI - not Intel, L=Nowhere, ST=TEST, C=ZZ\"",
        ),
        ("crl-no-number", Code::CrlExtension, "the CRL has no CRL number"),
        ("crl-no-authority-key", Code::CrlExtension, "the CRL has no authority key identifier"),
        ("quote-tee-sgx", Code::QuoteTeeUnsupported, "the TEE type is 0x0 (SGX), which is not supported here"),
        ("quote-tee-unknown", Code::QuoteTeeUnsupported, "the TEE type is 0x82 (unknown), which is not supported here"),
        (
            "tcb-lower-pcesvn",
            Code::TcbOutOfDate,
            "TCB status OutOfDate: platform OutOfDate (PCE SVN is 12, wanted 13 for the highest level); advisories: INTEL-SA-99001",
        ),
        (
            "module-out-of-date",
            Code::TcbOutOfDate,
            "TCB status OutOfDate: TDX module TDX_01 with SVN 5 OutOfDate; advisories: INTEL-SA-99002",
        ),
        (
            "qe-out-of-date",
            Code::TcbOutOfDate,
            "TCB status OutOfDate: quoting enclave with SVN 6 OutOfDate (highest level: 7); advisories: INTEL-SA-99003",
        ),
        ("collateral-no-tcb-info", Code::CollateralAbsent, "the TCB info is absent: the TCB status could not be checked"),
        ("collateral-no-qe-identity", Code::CollateralAbsent, "the QE identity is absent: the quoting enclave could not be checked"),
        ("collateral-no-pck-crl", Code::CollateralAbsent, "the PCK CRL is absent: revocation of the PCK certificate could not be checked"),
        (
            "input-refused-early",
            Code::InputNotRecovered,
            "the input of the enclave was not recovered: neither the measurements nor the output under any verdict hash to \
             /_expected/result_sha256",
        ),
        (
            "note-other-bundle-unknown-command",
            Code::InputNotRecovered,
            "the input of the enclave was not recovered: the bundle does not hash to /receipt/files/~1in~1bundle.json",
        ),
        (
            "response-verified",
            Code::InputNotRecovered,
            "the input of the enclave was not recovered: the response holds its digest alone, at /files/~1submission~1result.json",
        ),
        (
            "scorer-no-newline",
            Code::ScorerOutputDiffers,
            r#"score.py of 2026-08-07, run again on the enclave's input, prints "\n" at byte 560; the enclave's signed output has "" there"#,
        ),
        (
            "verdict-enclave-refuses",
            Code::VerdictContradicts,
            r#"the enclave's signed output says "REJECT" (pass=false); the receipt claims "L" (pass=true)"#,
        ),
        (
            "verdict-script-crashed",
            Code::VerdictCrashed,
            r#"the enclave's output is not a result; its first line is "Traceback (most recent call last):""#,
        ),
    ] {
        assert_eq!(message(&judge(&Request::new(receipt(vector).as_bytes())), code), wanted, "{vector}");
    }
}

/// The first of several is named, with how many more there are.
#[test]
fn a_finding_says_how_much_was_found() {
    let counted = |vector: &str, edit: [&str; 2], code: Code| {
        let text = receipt(vector);
        let edited = text.replacen(edit[0], edit[1], 1);
        assert_eq!(edited == text, edit[0] == edit[1], "{vector}");
        message(&judge(&Request::new(edited.as_bytes())), code).to_owned()
    };
    let (infinite, same) = (["\"tps\": 120.5,", "\"tps\": NaN,"], ["", ""]);
    for (vector, edit, code, wanted) in [
        (
            "verdict-infinite-gain",
            same,
            Code::JsonNonFinite,
            "the bare token Infinity stands in the file: Python writes it, other readers refuse it",
        ),
        (
            "verdict-infinite-gain",
            infinite,
            Code::JsonNonFinite,
            "the bare token NaN stands in the file (and 1 more): Python writes it, other readers refuse it",
        ),
        (
            "verdict-infinite-gain",
            same,
            Code::VerdictNotFinite,
            r#"the claimed verdict has no finite "pct_over_frontier", so it measures nothing there"#,
        ),
        (
            "verdict-infinite-gain",
            infinite,
            Code::VerdictNotFinite,
            r#"the claimed verdict has no finite "tps" (and 1 more), so it measures nothing there"#,
        ),
        ("signed-rounded", same, Code::SignatureRounded, r#"the file says "120.50000049"; the signature covers 120.5"#),
        (
            "signed-rounded-in-list",
            same,
            Code::SignatureRounded,
            r#"the file says "120.50000049" (and 1 more); the signature covers 120.5"#,
        ),
        (
            "other-wrapped-document",
            ["\"receipt\"", "\"a\":0,\"b\":0,\"c\":0,\"d\":0,\"e\":0,\"f\""],
            Code::ReceiptEnvelope,
            r#"not a receipt: the document is an object with the members "a", "b", "c", "d", "e", "f""#,
        ),
        (
            "other-wrapped-document",
            ["\"receipt\"", "\"a\":0,\"b\":0,\"c\":0,\"d\":0,\"e\":0,\"f\":0,\"g\""],
            Code::ReceiptEnvelope,
            r#"not a receipt: the document is an object with the members "a", "b", "c", "d", "e", "f" and others"#,
        ),
        (
            "verified",
            ["\"quote_b64\": \"BAAC", "\"quote_b64\": \"BA\\nC"],
            Code::ReceiptBase64,
            r#"the member "quote_b64" is not canonical base64 at character 2 ("\n"): invalid symbol; it is broken into lines"#,
        ),
    ] {
        assert_eq!(counted(vector, edit, code), wanted, "{vector}");
    }
}

#[test]
fn a_finding_about_time_says_which_side_was_missed() {
    for (vector, at, wanted) in [
        (
            "certificate-not-yet",
            "2026-08-04T23:59:59Z",
            "the PCK certificate is not yet valid at 2026-08-04T23:59:59Z: it is valid from 2026-08-05T00:00:00Z to 2033-06-01T00:00:00Z; its \
             signature is good",
        ),
        (
            "certificate-expired",
            "2026-08-20T00:00:01Z",
            "the PCK certificate has expired at 2026-08-20T00:00:01Z: it is valid from 2026-06-01T00:00:00Z to 2026-08-20T00:00:00Z; its \
             signature is good",
        ),
    ] {
        let at = Instant::Given(Timestamp::parse_rfc3339(at).expect("an instant"));
        assert_eq!(message(&judge(&Request::new(receipt(vector).as_bytes()).judged_at(at)), Code::CertificateValidity), wanted);
    }
}

#[test]
fn a_finding_about_a_value_says_what_was_wanted() {
    let commit = "0123456789abcdef0123456789abcdef01234567";
    let (receipt, expected) = (receipt("verified"), "commit=0123457".parse().expect("an expectation"));
    let report = judge(&Request::new(receipt.as_bytes()).expecting(std::slice::from_ref(&expected)));
    let wanted = format!("/attestation/code/commit is \"{commit}\"; the caller expects \"0123457\"");
    assert_eq!(message(&report, Code::ExpectationDiffers), wanted);

    let [one, other] = ["a", "b"].map(|digit| digit.repeat(40));
    let policy = format!("version = 1\nname = \"commits\"\nbase = \"authenticity\"\n[accept]\ncommit = [\"{one}\", \"{other}\"]\n");
    let verifier = Verifier::new(toml::from_str(&policy).expect("a policy"), Anchors::intel());
    let wanted = format!("/attestation/code/commit is \"{commit}\"; the policy accepts \"{one}\" or \"{other}\"");
    assert_eq!(message(&verifier.verify(&Request::new(receipt.as_bytes())), Code::PinDiffers), wanted);
}

/// A published result is told apart from any other file.
#[test]
fn a_given_input_that_was_published_is_named() {
    for (vector, wanted) in [
        ("input-given-other", "the given input does not hash to /_expected/result_sha256"),
        (
            "input-given-published",
            "the given input does not hash to /_expected/result_sha256; without the members that were added after the run it is the input",
        ),
    ] {
        let input = support::read(&support::workspace().join("test-vectors/inputs").join(vector));
        let receipt = receipt(vector);
        assert_eq!(message(&judge(&Request::new(receipt.as_bytes()).with_input(&input)), Code::InputGivenDiffers), wanted);
    }
}

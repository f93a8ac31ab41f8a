//! `receipt claims`, and the input that is handed over with `--input`.

use crate::support::{VERIFIED, receipt, verify, workspace};

const REFUSED_EARLY: &str = "test-vectors/receipts/input-refused-early.json";
const ITS_INPUT: &str = "test-vectors/inputs/input-given";
const ANOTHER_INPUT: &str = "test-vectors/inputs/input-given-other";

/// `claims` with what `verify` is given.
fn claims<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = verify(arguments);
    arguments[0] = "claims";
    arguments
}

#[test]
fn claims_are_one_aligned_line_each() {
    let run = receipt(&claims(&[VERIFIED]));
    assert_eq!(run.code, 0);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines[0], format!("VERIFIED (anchors replaced: not Intel's)  {VERIFIED}"));
    let columns = ["coverage", "value", "compared with"].map(|head| lines[1].find(head).expect("a head"));
    let row = |pointer: &str| *lines.iter().find(|line| line.starts_with(&format!("  {pointer} "))).expect("a row");
    for (pointer, cells) in [
        ("/verdict/pass", ["quote ", "true ", "enclave output /pass"]),
        ("/measurements/dflash/mean_accept", ["enclave-input ", "4.75 ", "enclave input /dflash/mean_accept"]),
        ("/code/commit", ["nonce ", "\"0123456789abcdef0123456789abcdef01234567\" ", "receipt /tdx/nonce: \""]),
    ] {
        for (column, cell) in columns.iter().zip(cells) {
            assert!(row(pointer)[*column..].starts_with(cell), "{cell} in\n{}", run.stdout);
        }
    }
    assert_eq!(lines.len(), 2 + 51);
    assert!(run.stderr.ends_with(": 1 verified\n"), "the table is alone on standard output: {}", run.stderr);
}

#[test]
fn claims_answer_as_verify_does() {
    for input in
        [VERIFIED, "test-vectors/receipts/input-other-label.json", "test-vectors/receipts/json-cut.json", "missing.json", "verify-cli/src"]
    {
        for format in ["text", "json", "jsonl"] {
            let arguments = ["--format", format, input];
            assert_eq!(receipt(&claims(&arguments)).code, receipt(&verify(&arguments)).code, "{input}");
        }
    }
    let report = receipt(&verify(&["--format", "json", VERIFIED])).json()[0].clone();
    let alone = receipt(&claims(&["--format", "json", VERIFIED])).json()[0].clone();
    for member in ["input", "outcome", "exit_code", "claims"] {
        assert_eq!(alone[member], report[member], "{member}");
    }
    assert_eq!(alone.as_object().unwrap().len(), 4);
    assert_eq!(receipt(&claims(&["-q", VERIFIED])).stdout, "");
}

#[test]
fn claims_of_every_envelope_are_listed() {
    let key = "--trust-key=".to_owned() + &signer();
    for (vector, pointer, wanted) in [
        (
            "note-verified",
            "/bundle/head",
            "nonce          \"0123456789abcdef0123456789abcdef01234567\"  receipt /receipt/tee_attestation/nonce; enclave input /head",
        ),
        ("note-verified", "/label", "enclave-input  \"eval:faster\"                               enclave output /label"),
        ("signed-verified", "/verdict/label", "signature  \"L\""),
        ("response-workload", "/exit_code", "asserted       0"),
    ] {
        let run = receipt(&claims(&[&key, &format!("test-vectors/receipts/{vector}.json")]));
        let row = run.stdout.lines().find(|line| line.starts_with(&format!("  {pointer} "))).expect("a row");
        assert!(row.split_whitespace().eq(std::iter::once(pointer).chain(wanted.split_whitespace())), "{row}");
    }
}

/// The signer of the vectors.
fn signer() -> String {
    let receipt = std::fs::read_to_string(workspace().join("test-vectors/receipts/signed-verified.json")).expect("a vector");
    let receipt: serde_json::Value = serde_json::from_str(&receipt).expect("JSON");
    receipt["public_key"].as_str().expect("a key").to_owned()
}

#[test]
fn the_result_of_a_run_may_lead_to_the_input() {
    let run = receipt(&verify(&["--run", "test-vectors/runs/input-published"]));
    assert_eq!(run.code, 0, "{}", run.stdout);
    assert!(
        run.stdout.replace("\n            ", " ").contains("recovered from the published result; score.py of 2026-07-08"),
        "{}",
        run.stdout
    );
}

#[test]
fn what_differs_is_named_beside_the_claim() {
    let run = receipt(&claims(&["test-vectors/receipts/input-submitted-tier.json"]));
    assert_eq!(run.code, 4);
    let label = run.stdout.lines().find(|line| line.starts_with("  /verdict/label ")).expect("a row");
    assert!(label.ends_with("enclave input /label; DIFFERS from enclave output /label: \"REJECT\""), "{label}");
}

#[test]
fn an_input_is_given_for_one_receipt() {
    assert_eq!(receipt(&verify(&[REFUSED_EARLY])).code, 7);
    let given = receipt(&verify(&["--input", ITS_INPUT, REFUSED_EARLY]));
    assert_eq!(given.code, 0, "{}", given.stdout);
    assert!(given.stdout.contains("recovered from the given input; score.py of 2026-07-08, run again on it, prints"), "{}", given.stdout);

    let other = receipt(&verify(&["--input", ANOTHER_INPUT, REFUSED_EARLY]));
    assert_eq!(other.code, 4);
    assert!(other.stdout.contains("input.given-differs"), "{}", other.stdout);

    let several = receipt(&verify(&["--input", ITS_INPUT, REFUSED_EARLY, VERIFIED]));
    assert_eq!((several.code, several.stdout.as_str()), (2, ""));
    assert_eq!(several.stderr, "error: --input names the input of one receipt, but there are 2 to judge\n");

    let missing = receipt(&verify(&["--input", "missing.json", REFUSED_EARLY]));
    assert_eq!((missing.code, missing.stdout.as_str()), (3, ""));
    assert!(missing.stderr.starts_with("error: --input missing.json: "), "{}", missing.stderr);
}

#[test]
fn an_output_of_another_program_is_named() {
    let run = receipt(&verify(&["test-vectors/receipts/scorer-output-differs.json"]));
    assert_eq!(run.code, 4);
    assert!(run.stdout.contains("run again on it, prints SOMETHING ELSE"), "{}", run.stdout);
    assert!(run.stdout.replace("\n            ", " ").contains("prints \"5, \\\"pr_ar_tps"), "{}", run.stdout);
}

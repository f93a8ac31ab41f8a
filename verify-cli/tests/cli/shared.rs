//! Real receipts and the cases of public bug reports that are about command lines.

use std::path::Path;

use serde_json::Value;

use crate::support::{receipt, shared, text};

fn at<'a>(shared: &Path, path: &'a str) -> (String, &'a str) {
    (text(&shared.join(path)).to_owned(), path)
}

/// `verify` with the anchors of the synthetic cases.
fn synthetic(shared: &Path, arguments: &[&str]) -> crate::support::Run {
    let (root, signer) = (at(shared, "cases/_trust/synthetic_root.pem").0, at(shared, "cases/_trust/synthetic_tcb_signing.pem").0);
    receipt(&[&["verify", "--root", &root, "--tcb-signing-cert", &signer], arguments].concat())
}

#[test]
fn the_whole_k3_log() {
    let Some(shared) = shared() else { return };
    let (runs, _) = at(&shared, "receipts/k3-log/runs");
    let run = receipt(&["verify", &runs]);
    assert_eq!(run.code, 4);
    assert!(run.stdout.ends_with("\n51 receipts under policy \"strict\": 50 invalid, 1 under-provenanced\n"), "{}", run.stderr);
    assert_eq!(run.stdout.matches("genuine TDX quote; was UpToDate under Intel collateral of ").count(), 51);
    assert_eq!(run.stdout.matches("\n  Covered ").count(), 51);
}

#[test]
fn the_classic_receipts_share_ids_and_are_still_told_apart() {
    let Some(shared) = shared() else { return };
    let (runs, _) = at(&shared, "receipts/classic-log/runs");
    let run = receipt(&["verify", "--format", "jsonl", &runs]);
    let reports: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(reports.len(), 32);
    assert!(run.stderr.ends_with("32 receipts under policy \"strict\": 4 invalid, 28 under-provenanced\n"), "{}", run.stderr);
}

#[test]
fn case_074_one_note_for_one_id_in_two_files() {
    let Some(shared) = shared() else { return };
    let (folder, _) = at(&shared, "cases/074-same-id-in-a-batch/dir");
    let run = receipt(&["verify", &folder]);
    assert_eq!(run.stdout.matches("UNDER-PROVENANCED  ").count(), 2, "{}", run.stdout);
    assert_eq!(run.stdout.matches("different files have the same receipt_id").count(), 1, "{}", run.stdout);
    let one = at(&shared, "cases/074-same-id-in-a-batch/dir/0580.json").0;
    assert!(!receipt(&["verify", &one, &one]).stdout.contains("same receipt_id"), "one file twice is one file");
}

#[test]
fn case_076_one_bad_file_in_a_batch() {
    let Some(shared) = shared() else { return };
    let (folder, _) = at(&shared, "cases/076-one-bad-file-in-a-batch/dir");
    let run = synthetic(&shared, &["--policy", "authenticity", "--format", "json", &folder]);
    let outcomes: Vec<Value> = run.json().as_array().unwrap().iter().map(|report| report["outcome"].clone()).collect();
    assert_eq!(outcomes, ["verified", "invalid", "under-provenanced", "verified"]);
    assert_eq!(run.code, 4);
    assert!(run.stderr.ends_with(": 2 verified, 1 invalid, 1 under-provenanced\n"), "{}", run.stderr);
}

#[test]
fn case_077_nothing_to_verify() {
    let Some(shared) = shared() else { return };
    let run = receipt(&["verify", &at(&shared, "cases/077-nothing-to-verify/dir").0]);
    assert_eq!(run.code, 2);
    assert!(run.stdout.contains("no receipts found"));
}

#[test]
fn case_079_the_right_file_is_blamed() {
    let Some(shared) = shared() else { return };
    let path = |name: &str| at(&shared, "cases/079-error-names-the-right-file").0 + "/" + name;
    for (flag, file, words) in [("--policy", "policy.json", "policy"), ("--root", "root.pem", "trust root")] {
        let run = receipt(&["verify", flag, &path(file), &path("receipt.json")]);
        assert_eq!(run.code, 2);
        assert!(run.stderr.starts_with(&format!("error: cannot read {words} {}: ", path(file))), "{}", run.stderr);
        assert!(!run.stderr.contains("receipt.json"), "{}", run.stderr);
    }
}

#[test]
fn case_080_all_findings_are_listed_without_byte_dumps() {
    let Some(shared) = shared() else { return };
    let run = synthetic(&shared, &[&at(&shared, "cases/080-all-findings-listed/receipt.json").0]);
    assert_eq!(run.code, 4);
    for code in ["tcb.out-of-date", "binding.output-hash-mismatch", "binding.receipt-id-mismatch", "provenance.build-hash-absent"] {
        assert!(run.stdout.contains(code), "{code} is not in\n{}", run.stdout);
    }
    assert!(run.stdout.lines().count() < 50 && run.stdout.lines().all(|line| line.chars().count() < 160), "{}", run.stdout);
}

#[test]
fn case_082_the_receipt_does_not_reach_the_terminal() {
    let Some(shared) = shared() else { return };
    let (path, _) = at(&shared, "cases/082-terminal-escape-in-fields/receipt.json");
    for (arguments, code) in [(&["verify", "-v"][..], 4), (&["inspect"], 0)] {
        let run = receipt(&[arguments, &[&path]].concat());
        assert_eq!(run.code, code);
        assert!(run.stdout.contains("\\u{202e}"), "{}", run.stdout);
        let bad = run.stdout.chars().find(|character| (character.is_control() && *character != '\n') || *character == '\u{202e}');
        assert_eq!(bad, None, "{:?}", run.stdout);
    }
}

#[test]
fn a_receipt_of_july_then_and_under_the_collateral_of_august() {
    let Some(shared) = shared() else { return };
    let (july, _) = at(&shared, "receipts/classic-log/runs/0000-51467dd/receipt.json");
    let (august, _) = at(&shared, "dcap/real/collateral/rec_aug_eval20.polaris.json");
    let run = receipt(&["verify", "--policy", "authenticity", "--collateral", &august, &july]);
    assert_eq!(run.code, 7, "{}", run.stdout);
    assert!(run.stdout.starts_with("UNDER-PROVENANCED (any enclave, any image"), "{}", run.stdout);
    let words = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("was UpToDate under Intel collateral of 2026-07-10 to "), "{words}");
    let fresh = "Fresh under-provenanced (as carried: verified): OutOfDate under the fresh collateral of 2026-08-17 to ";
    assert!(words.contains(fresh), "{words}");
    let reports = receipt(&["verify", "--policy", "authenticity", "--format", "json", "--collateral", &august, &july]).json();
    let fresh = &reports[0]["fresh"]["facts"]["tcb"];
    assert_eq!(fresh["status"], "OutOfDate");
    assert_eq!(fresh["advisories"], serde_json::json!(["INTEL-SA-01192", "INTEL-SA-01245", "INTEL-SA-01312", "INTEL-SA-01313"]));
    assert_eq!(reports[0]["outcome_as_carried"], "verified");

    let (later, _) = at(&shared, "receipts/classic-log/runs/qwen38-0835-f9bd9bb/receipt.json");
    assert_eq!(receipt(&["verify", "-q", "--collateral", &later, &july]).code, 6, "a receipt is no collateral");
    let missing = receipt(&["verify", "--collateral", "no-such-file", &july]);
    assert_eq!((missing.code, missing.stdout.as_str()), (3, ""));
    assert!(missing.stderr.starts_with("error: --collateral no-such-file: cannot be read: "), "{}", missing.stderr);
}

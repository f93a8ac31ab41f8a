//! The one table of exit codes, for every command and format. 1 is never used.

use std::fs::OpenOptions;
use std::path::Path;

use crate::support::{CUT, NO_EVIDENCE, REFUTED, VERIFIED, command, receipt, verify, with_test_anchors};

const FORMATS: [&[&str]; 5] = [&[], &["--format", "json"], &["--format", "jsonl"], &["-q"], &["-v"]];

#[track_caller]
fn gives(code: i32, arguments: &[&str]) {
    let run = receipt(arguments);
    assert_eq!(run.code, code, "{arguments:?}\n{}\n{}", run.stdout, run.stderr);
}

#[test]
fn verify_has_one_code_for_each_outcome_in_every_format() {
    for format in FORMATS {
        gives(0, &verify(&[format, &[VERIFIED]].concat()));
        gives(7, &with_test_anchors(&[format, &[VERIFIED]].concat()));
        gives(6, &verify(&[format, &[NO_EVIDENCE]].concat()));
        gives(6, &verify(&[format, &["--at", "2040-01-01T00:00:00Z", VERIFIED]].concat()));
        gives(4, &verify(&[format, &[REFUTED]].concat()));
        gives(4, &verify(&[format, &[CUT]].concat()));
        gives(3, &verify(&[format, &["missing.json"]].concat()));
        gives(2, &verify(&[format, &["verify-cli/src"]].concat()));
        gives(2, &verify(format));
    }
}

#[test]
fn the_built_in_anchors_trust_no_test_receipt() {
    gives(4, &["verify", VERIFIED]);
    gives(4, &["verify", "--policy", "authenticity", VERIFIED]);
}

#[test]
fn the_root_alone_brings_no_signer_of_tcb_info() {
    let arguments = ["verify", "--root", "test-vectors/pki/root.pem", "--policy", "test-vectors/policies/test.toml", VERIFIED];
    gives(6, &arguments);
}

#[test]
fn of_several_inputs_the_worst_wins_wherever_it_stands() {
    let worst_first = [(2, "verify-cli/src"), (4, REFUTED), (3, "missing.json"), (6, NO_EVIDENCE), (0, VERIFIED)];
    for format in FORMATS {
        for (index, (code, worse)) in worst_first.iter().enumerate() {
            for (_, better) in &worst_first[index..] {
                gives(*code, &verify(&[format, &[*worse, *better]].concat()));
                gives(*code, &verify(&[format, &[*better, *worse]].concat()));
            }
        }
    }
}

#[test]
fn inspect_decodes_or_says_what_stops_it() {
    for format in ["text", "json", "jsonl"] {
        gives(0, &["inspect", "--format", format, VERIFIED]);
        gives(0, &["inspect", "--format", format, REFUTED]);
        gives(4, &["inspect", "--format", format, CUT]);
        gives(6, &["inspect", "--format", format, NO_EVIDENCE]);
        gives(3, &["inspect", "--format", format, "missing.json"]);
        gives(2, &["inspect", "--format", format, "verify-cli/src"]);
        gives(2, &["inspect", "--format", format]);
        gives(4, &["inspect", "--format", format, "missing.json", CUT, VERIFIED]);
    }
}

#[test]
fn explain_knows_its_codes_only() {
    for format in ["text", "json"] {
        gives(0, &["explain", "--format", format]);
        gives(0, &["explain", "--format", format, "enclave.unpinned"]);
        gives(2, &["explain", "--format", format, "enclave.unpined"]);
    }
    gives(2, &["explain", ""]);
}

#[test]
fn policy_files_are_usable_or_usage_errors() {
    for format in ["text", "json"] {
        gives(0, &["policy", "show", "--format", format]);
        gives(0, &["policy", "show", "--format", format, "authenticity"]);
        gives(0, &["policy", "show", "--format", format, "test-vectors/policies/test.toml"]);
        gives(2, &["policy", "show", "--format", format, "missing.toml"]);
    }
    gives(0, &["policy", "check", "test-vectors/policies/test.toml", "test-vectors/policies/observed.toml"]);
    gives(2, &["policy", "check", "test-vectors/policies/test.toml", VERIFIED]);
    gives(2, &["policy", "check", "missing.toml", "test-vectors/policies/test.toml"]);
    gives(2, &["policy", "check"]);
}

#[test]
fn bad_settings_are_usage_errors_even_beside_good_receipts() {
    gives(2, &["verify", "--policy", "missing.toml", VERIFIED]);
    gives(2, &["verify", "--policy", VERIFIED, VERIFIED]);
    gives(2, &["verify", "--root", "missing.pem", VERIFIED]);
    gives(2, &["verify", "--root", VERIFIED, VERIFIED]);
    gives(2, &["verify", "--tcb-signing-cert", "missing.pem", VERIFIED]);
    gives(2, &["verify", "--tcb-signing-cert", VERIFIED, VERIFIED]);
}

#[test]
fn bad_arguments_are_usage_errors_and_help_is_none() {
    gives(2, &[]);
    gives(2, &["judge"]);
    gives(2, &["verify", "--no-such-flag", VERIFIED]);
    gives(2, &["verify", "--format", "xml", VERIFIED]);
    gives(2, &["verify", "--at", "yesterday", VERIFIED]);
    gives(2, &["verify", "--at", "2026-08-02T00:00:00", VERIFIED]);
    gives(2, &["verify", "-q", "-v", VERIFIED]);
    for help in [&["--help"][..], &["-h"], &["--version"], &["verify", "--help"], &["explain", "--help"], &["policy", "show", "--help"]] {
        gives(0, help);
    }
}

#[test]
fn a_report_that_could_not_be_written_is_no_success() {
    if !Path::new("/dev/full").exists() {
        eprintln!("SKIPPED: there is no /dev/full, so a full disk was not tried");
        return;
    }
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = command(&verify(&[VERIFIED])).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(70));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write to standard output"));
}

#[test]
fn standard_input_is_read_once() {
    let run = receipt(&["verify", "-", "--collateral", "-"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stderr);
    assert!(run.stderr.contains("cannot both be read from standard input"), "{}", run.stderr);
}

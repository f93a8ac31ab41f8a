//! Expectations and run directories on the command line.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use crate::support::{Run, VERIFIED, copy, folder, receipt, text, verify};

const AGREEING: &str = "test-vectors/runs/run-agrees";

fn expecting(expectations: &[&str]) -> Run {
    let options: Vec<&str> = expectations.iter().flat_map(|expectation| ["--expect", *expectation]).collect();
    receipt(&verify(&[&options, [VERIFIED].as_slice()].concat()))
}

#[test]
fn a_met_expectation_is_shown_with_what_carries_it() {
    let run = expecting(&["commit=0123456", "pass=true"]);
    assert_eq!(run.code, 0, "{}", run.stdout);
    assert!(run.stdout.contains("  Expected  /attestation/code/commit = 0123456: met (nonce)\n"), "{}", run.stdout);
    assert!(run.stdout.contains("            /attestation/verdict/pass = true: met (quote)\n"), "{}", run.stdout);
}

#[test]
fn an_expectation_that_is_not_met_decides_the_exit_code() {
    for (expectation, code, shown) in [
        ("commit=89abcde", 4, "/attestation/code/commit = 89abcde: not met (expectation.value-differs)"),
        ("/attestation/code/branch=main", 6, "/attestation/code/branch = main: not met (expectation.absent)"),
        ("label=L", 7, "/attestation/verdict/label = L: not met (expectation.only-asserted)"),
    ] {
        let run = expecting(&["pass=true", expectation]);
        assert_eq!(run.code, code, "{}", run.stdout);
        assert!(run.stdout.contains(shown), "{}", run.stdout);
    }
}

#[test]
fn a_text_that_is_no_expectation_is_a_usage_error() {
    for (expectation, error) in [
        ("commit", "\"commit\" has no =; wanted POINTER=VALUE"),
        ("branch=main", "\"branch\" is neither a JSON pointer, which begins with /, nor one of commit, repo,"),
        ("commit=main", "commit is never \"main\"; wanted 7 to 40 lower-case hex digits"),
    ] {
        let run = expecting(&[expectation]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""));
        assert!(run.stderr.contains(error), "{}", run.stderr);
    }
}

#[test]
fn a_run_names_every_file_that_was_compared() {
    let run = receipt(&verify(&["--run", AGREEING]));
    assert_eq!(run.code, 0, "{}", run.stdout);
    assert!(run.stdout.starts_with("VERIFIED"), "{}", run.stdout);
    assert!(run.stdout.contains("test-vectors/runs/run-agrees/receipt.json\n"), "{}", run.stdout);
    assert!(run.stdout.contains("  Beside    attestation.json agrees with receipt (51 values)\n"), "{}", run.stdout);
    assert!(run.stdout.contains("            result.json agrees with receipt (8 values)\n"), "{}", run.stdout);

    let run = receipt(&verify(&["--run", "test-vectors/runs/run-log-other-label"]));
    assert_eq!(run.code, 4);
    assert!(run.stdout.contains("            log.txt differs from result.json in 1 of 16 values: /label\n"), "{}", run.stdout);

    let run = receipt(&verify(&["--run", "test-vectors/runs/run-attestation-cut"]));
    assert_eq!(run.code, 6);
    assert!(run.stdout.contains("  Beside    attestation.json not compared: nothing in it could be\n"), "{}", run.stdout);
}

#[test]
fn links_in_a_run_are_not_followed() {
    let folder = folder("run-links");
    copy(&format!("{AGREEING}/receipt.json"), &folder.join("receipt.json"));
    symlink("receipt.json", folder.join("result.json")).unwrap();
    fs::create_dir(folder.join("log.txt")).unwrap();
    let run = receipt(&verify(&["--run", text(&folder)]));
    assert_eq!(run.code, 6, "{}", run.stdout);
    assert!(run.stdout.contains("result.json cannot be compared: it is a symbolic link"), "{}", run.stdout);
    assert!(run.stdout.contains("log.txt cannot be compared: it is not a regular file"), "{}", run.stdout);

    fs::rename(folder.join("receipt.json"), folder.join("other.json")).unwrap();
    symlink("other.json", folder.join("receipt.json")).unwrap();
    let run = receipt(&verify(&["--run", text(&folder)]));
    assert_eq!(run.code, 3);
    assert!(run.stdout.contains("it is a symbolic link"), "{}", run.stdout);
}

#[test]
fn a_receipt_that_is_no_file_ends_the_answer() {
    let folder = folder("run-special");
    let path = folder.join("receipt.json");
    fs::create_dir(&path).unwrap();
    let is_refused = || {
        let run = receipt(&verify(&["--run", text(&folder)]));
        assert_eq!(run.code, 3, "{}", run.stdout);
        assert!(run.stdout.contains("it is not a regular file"), "{}", run.stdout);
    };
    is_refused();
    fs::remove_dir(&path).unwrap();
    // Reading a pipe that nobody writes to would never end.
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    is_refused();
}

#[test]
fn a_run_is_the_only_input_and_holds_a_receipt() {
    let run = receipt(&verify(&["--run", AGREEING, VERIFIED]));
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("cannot be used with"), "{}", run.stderr);
    let run = receipt(&verify(&["--run", text(&folder("run-empty"))]));
    assert_eq!(run.code, 3);
    assert!(run.stdout.contains("run-empty/receipt.json"), "{}", run.stdout);
}

//! What is printed, where, and what never is.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::Value;

use crate::support::{
    CUT, NO_EVIDENCE, REFUTED, VERIFIED, command, copy, finish, folder, receipt, text, verify, with_test_anchors, workspace,
};

#[test]
fn json_is_the_only_thing_on_standard_output() {
    let inputs = [VERIFIED, "missing.json", REFUTED, "verify-cli/src", CUT];
    let wanted = [(0, "\"verified\""), (3, "null"), (4, "\"invalid\""), (2, "null"), (4, "\"invalid\"")];
    let array = receipt(&verify(&[&["--format", "json"], &inputs[..]].concat()));
    let lines = receipt(&verify(&[&["--format", "jsonl"], &inputs[..]].concat()));
    let from_lines: Vec<Value> = lines.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(array.json(), Value::from(from_lines));
    for run in [&array, &lines] {
        assert!(run.stdout.is_ascii());
        assert!(run.stderr.contains("missing.json: cannot be read"), "{}", run.stderr);
        assert!(run.stderr.contains("2 invalid"), "{}", run.stderr);
    }
    for (report, ((code, outcome), input)) in array.json().as_array().unwrap().iter().zip(wanted.iter().zip(inputs)) {
        assert_eq!(report["input"]["name"], input);
        assert_eq!((report["exit_code"].as_i64(), report["outcome"].to_string().as_str()), (Some(*code), *outcome));
        assert_eq!(report["error"].is_string(), *outcome == "null");
    }
}

#[test]
fn one_input_is_an_array_of_one() {
    for arguments in [verify(&["--format", "json", VERIFIED]), vec!["inspect", "--format", "json", VERIFIED]] {
        assert_eq!(receipt(&arguments).json().as_array().map(Vec::len), Some(1));
    }
    assert_eq!(receipt(&["verify", "--format", "jsonl", "missing.json"]).json()["outcome"], Value::Null);
}

#[test]
fn usage_errors_leave_standard_output_empty() {
    for arguments in [&["verify", "--format", "json"][..], &["verify", "--policy", "missing.toml", VERIFIED], &["verify", "--what"]] {
        let run = receipt(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""));
        assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
    }
}

#[test]
fn an_argument_cannot_forge_a_line_of_a_usage_error() {
    for arguments in [&["verify", "--x\nVERIFIED  everything.json"][..], &["verify", "--at", "x\nVERIFIED  everything.json", VERIFIED]] {
        let run = receipt(arguments);
        assert_eq!(run.code, 2);
        assert!(!run.stderr.lines().any(|line| line.starts_with("VERIFIED")), "{}", run.stderr);
        assert!(run.stderr.contains("\\nVERIFIED"), "{}", run.stderr);
    }
}

#[test]
fn json_lines_end_with_their_line() {
    let run = receipt(&verify(&["--format", "jsonl", VERIFIED, "missing.json"]));
    assert_eq!(run.stdout.matches('\n').count(), 2);
    assert!(run.stdout.ends_with("}\n"));
}

#[test]
fn quiet_prints_nothing() {
    let mixed = folder("quiet-mixed");
    copy(CUT, &mixed.join("receipt.json"));
    copy(CUT, &mixed.join("other.json"));
    for (code, input) in [(0, VERIFIED), (4, REFUTED), (3, "missing.json"), (2, "verify-cli/src"), (4, text(&mixed))] {
        for format in ["text", "json", "jsonl"] {
            let run = receipt(&verify(&["-q", "--format", format, input]));
            assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (code, "", ""));
        }
    }
}

#[test]
fn the_screen_says_what_a_validator_asks() {
    let run = receipt(&verify(&[VERIFIED]));
    for line in [
        &format!("VERIFIED (anchors replaced: not Intel's)  {VERIFIED}\n"),
        "\n  Verdict   claims \"L\" (pass=true), the label covered by nothing; the enclave signed \"ok\" (pass=true)\n",
        "\n  Hardware  TDX quote that is genuine under the given anchors, not Intel's; was UpToDate under their collateral",
        "\n  Bindings  all hold: nonce+key, ",
        "\n  Enclave   measurements pinned (MRTD ff3c1e7abad2051b), image pinned (1187327c6d0f0b0b)\n",
        "\n  Scorer    input of 469 bytes recovered from the measurements; score.py of 2026-08-07, run again on it, prints",
        "\n  Covered   by the quote 1, as enclave input 18, by the nonce 3, by nothing 29 (51 fields; -v lists them)\n",
        "\n  Judged    at 2026-08-03T11:00:00Z (start of the collateral's window); revocations after that are not visible\n",
        "\n1 receipt under policy \"test enclave and image\" (not Intel's anchors): 1 verified\n",
    ] {
        assert!(run.stdout.contains(line), "{line}\nis not in\n{}", run.stdout);
    }
    assert_eq!(run.stderr, "");
}

#[test]
fn a_refusal_leads_with_its_reason_and_keeps_two_verdicts_apart() {
    let run = receipt(&verify(&[REFUTED]));
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert!(lines[0].starts_with("INVALID ("), "{}", run.stdout);
    assert!(lines[1].starts_with("  refutes   the enclave's signed output says "), "{}", run.stdout);
    assert!(run.stdout.contains("verdict.contradicts-enclave"));
    assert!(run.stdout.contains("at receipt /attestation/verdict/label: Treat the enclave's output"));
    assert!(run.stdout.contains("the enclave signed \"REJECT\" (pass=false)"));
}

#[test]
fn an_attested_refusal_is_a_good_receipt_of_a_refused_run() {
    let run = receipt(&verify(&["test-vectors/receipts/verdict-both-reject.json"]));
    assert_eq!(run.code, 0);
    let text = run.stdout.replace("\n            ", " ");
    assert!(
        text.contains("claims \"REJECT\" (pass=false), the label covered by the quote; the enclave signed \"REJECT\" (pass=false); a valid receipt is not an accepted run")
    );
}

#[test]
fn stale_collateral_is_named_with_both_remedies() {
    let text = receipt(&verify(&["--at", "2040-01-01T00:00:00Z", VERIFIED])).stdout.replace("\n            ", " ");
    assert!(text.starts_with("UNVERIFIABLE"));
    assert!(text.contains("  Time      the collateral is current from 2026-08-03T11:00:00Z to "), "{text}");
    assert!(text.contains("leave out --at") && text.contains("ask for the receipt with collateral that is current"), "{text}");
    assert!(text.contains("Judged    at 2040-01-01T00:00:00Z (given with --at)"), "{text}");
    assert!(!text.contains("genuine under"), "{text}");

    let now = receipt(&verify(&["--format", "json", "--at", "now", VERIFIED])).json();
    assert_eq!(now[0]["judged"]["source"], "now");
}

#[test]
fn bindings_to_a_forged_quote_are_not_called_good() {
    let run = receipt(&["verify", VERIFIED]);
    assert!(run.stdout.starts_with("INVALID  "), "{}", run.stdout);
    assert!(run.stdout.contains("to a quote that was not shown to be genuine"), "{}", run.stdout);
    assert!(!run.stdout.contains("genuine TDX quote"), "{}", run.stdout);
}

#[test]
fn verbose_lists_checks_notes_and_claims() {
    let brief = receipt(&verify(&[VERIFIED])).stdout;
    let verbose = receipt(&verify(&["-v", VERIFIED])).stdout;
    for text in [
        "passed    The attestation key signed the quote",
        "notes     ",
        "chain.unchecked",
        "MRTD         ff3c1e7abad2051bfcbea9578e0978b93f64c6adeaf2c5e5c97f77f9694c3e53232dc5d5ed7e2ccfcc92f3581184fbe1",
    ] {
        assert!(verbose.contains(text), "{text}\nis not in\n{verbose}");
    }
    assert!(!brief.contains("passed    ") && !brief.contains("notes     ") && !brief.contains("asserted"), "{brief}");
    let (before, claims) = verbose.split_once("  Claims, with what carries each\n").expect("the claims come last");
    assert!(claims.lines().any(|line| line.starts_with("  /code/repo ")), "{claims}");
    let longest = before.lines().map(|line| line.chars().count()).max();
    assert!(longest <= Some(116), "{longest:?}");
}

#[test]
fn thin_is_never_called_forged() {
    let mut thin = 0;
    for path in vectors() {
        let run = receipt(&with_test_anchors(&["-v", &path]));
        if run.code == 7 {
            let shown = run.stdout.replace(&path, "").to_lowercase();
            assert!(!shown.contains("invalid") && !shown.contains("forged"), "{}", run.stdout);
            thin += 1;
        }
    }
    assert!(thin > 10, "only {thin} vectors are thin");
}

/// Every fourth vector: this is about words, not about outcomes.
fn vectors() -> impl Iterator<Item = String> {
    let folder = workspace().join("test-vectors/receipts");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().step_by(4).map(|path| text(&path).to_owned())
}

/// Everything that could move a cursor, forge a line or reorder a display.
const HOSTILE: &str = "a\u{1b}[2J\u{202e}b\u{7f}\u{9b}31m\r";

#[track_caller]
fn is_safe(run: &crate::support::Run) {
    for text in [&run.stdout, &run.stderr] {
        let bad =
            text.chars().find(|character| (character.is_control() && *character != '\n') || ('\u{202a}'..='\u{202e}').contains(character));
        assert_eq!(bad, None, "{text:?}");
    }
}

#[test]
fn text_of_a_receipt_is_escaped() {
    let honest = fs::read_to_string(workspace().join(VERIFIED)).unwrap();
    let label = serde_json::to_string(&format!("{HOSTILE}\nVERIFIED")).unwrap();
    let hostile = honest.replace("\"label\": \"L\"", &format!("\"label\": {label}, {label}: {label}"));
    assert_ne!(honest, hostile);
    let path = folder("hostile").join("receipt.json");
    fs::write(&path, hostile).unwrap();
    for format in [&["verify", "-v"][..], &["verify"], &["verify", "--format", "json"], &["inspect"], &["inspect", "--format", "jsonl"]] {
        let run = receipt(&[format, &[text(&path)]].concat());
        is_safe(&run);
        assert!(!run.stdout.contains("\nVERIFIED"), "{}", run.stdout);
    }
    let run = receipt(&verify(&["-v", text(&path)]));
    assert!(run.stdout.contains("a\\u{1b}[2J\\u{202e}b\\u{7f}\\u{9b}31m\\r\\nVERIFIED"), "{}", run.stdout);
}

#[cfg(unix)]
#[test]
fn paths_and_arguments_are_escaped() {
    let name = format!("{HOSTILE}\nVERIFIED  good");
    let folder = folder("hostile-paths");
    let path = folder.join(&name);
    copy(CUT, &path.join("receipt.json"));
    let there = path.join("receipt.json");
    let missing = folder.join(format!("{name}.toml"));
    let (there, missing, empty) = (text(&there), text(&missing), folder.join(&name));
    for arguments in [
        &["verify", there][..],
        &["verify", "--format", "json", there],
        &["verify", missing],
        &["verify", "--format", "jsonl", missing],
        &["verify", "--policy", missing, there],
        &["verify", "--root", missing, there],
        &["verify", "--tcb-signing-cert", missing, there],
        &["verify", text(&empty)],
        &["inspect", there],
        &["inspect", "--format", "json", there],
        &["explain", &name],
        &["policy", "show", missing],
        &["policy", "check", missing, there],
    ] {
        let run = receipt(arguments);
        assert_ne!(run.code, 0);
        is_safe(&run);
        let shown = format!("{}{}", run.stdout, run.stderr);
        assert!(!shown.contains("\nVERIFIED") && shown.contains("u{1b}[2J"), "{shown}");
    }
    let flag = format!("--{HOSTILE}");
    for arguments in [&[flag.as_str()][..], &["verify", &flag], &["verify", "--format", HOSTILE], &["verify", "--at", HOSTILE]] {
        let run = receipt(arguments);
        assert_eq!(run.code, 2);
        is_safe(&run);
    }
}

#[test]
fn colour_is_for_terminals_and_for_those_who_ask() {
    let colour = |arguments: &[&str], variables: &[(&str, &str)]| {
        let run = finish(command(arguments).envs(variables.iter().copied()), b"");
        run.stdout.contains('\u{1b}')
    };
    let plain = verify(&[REFUTED]);
    let always = verify(&["--color", "always", REFUTED]);
    let never = verify(&["--color", "never", REFUTED]);
    assert!(!colour(&plain, &[("TERM", "xterm-256color")]), "a pipe is no terminal");
    assert!(!colour(&plain, &[("TERM", "xterm-256color"), ("NO_COLOR", "1")]));
    assert!(!colour(&plain, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]), "NO_COLOR is stronger");
    assert!(colour(&always, &[]));
    assert!(!colour(&never, &[("CLICOLOR_FORCE", "1")]));
    assert!(!colour(&verify(&["--color", "always", "--format", "json", REFUTED]), &[]), "JSON has no colours");
    let coloured = receipt(&always).stdout;
    assert_eq!(receipt(&plain).stdout, strip(&coloured), "colours add nothing but themselves");
}

fn strip(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once('m').unwrap().1)
}

#[test]
fn a_reader_that_leaves_is_no_crash_and_changes_no_answer() {
    let inputs = vec![REFUTED; 40];
    let mut child = command(&verify(&[&["-v"], &inputs[..]].concat())).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::with_capacity(64, child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(4), ""));
    assert!(first.starts_with("INVALID"));
}

#[test]
fn inspect_never_lets_its_words_be_taken_for_a_verdict() {
    let run = receipt(&["inspect", VERIFIED, NO_EVIDENCE]);
    assert!(run.stdout.starts_with(&format!("UNVERIFIED  {VERIFIED}\n  receipt (UNVERIFIED)\n")), "{}", run.stdout);
    assert_eq!(run.stdout.matches("\nUNVERIFIED: this is what the file says.").count(), 2);
    assert!(run.stdout.contains("  mrtd           ff3c1e7abad2051b"), "{}", run.stdout);
    for inspected in receipt(&["inspect", "--format", "json", VERIFIED, CUT]).json().as_array().unwrap() {
        assert_eq!((&inspected["status"], &inspected["inspection"]["verified"]), (&Value::from("UNVERIFIED"), &Value::from(false)));
    }
}

//! Policies, anchors and the registry of codes as the command line shows them.

use std::fs;

use serde_json::Value;

use crate::support::{VERIFIED, folder, receipt, text, with_test_anchors, workspace};

/// What is wrong with the policy `toml`, as `policy check` says it.
fn refusal(toml: &str) -> String {
    let path = folder(&format!("policy-{}", toml.len())).join("mine.toml");
    fs::write(&path, toml).unwrap();
    let run = receipt(&["policy", "check", text(&path)]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{toml}");
    let judged = receipt(&["verify", "--policy", text(&path), VERIFIED]);
    assert_eq!((judged.code, &judged.stdout, &judged.stderr), (2, &run.stdout, &run.stderr));
    let prefix = format!("error: cannot read policy {}: ", text(&path));
    run.stderr.strip_prefix(&prefix).unwrap_or_else(|| panic!("{}", run.stderr)).trim_end().to_owned()
}

const HEAD: &str = "version = 1\nname = \"mine\"\nbase = \"strict\"\n";

#[test]
fn the_documented_policy_is_one() {
    let page = fs::read_to_string(workspace().join("docs/policies.md")).unwrap();
    let (_, block) = page.split_once("```toml\n").unwrap();
    let path = folder("policy-documented").join("mine.toml");
    fs::write(&path, block.split_once("```").unwrap().0).unwrap();
    let run = receipt(&["policy", "check", text(&path)]);
    assert_eq!(run.code, 0, "{}", run.stderr);
}

#[test]
fn a_bad_policy_is_named_with_the_place_of_the_fault() {
    assert!(refusal("{bad").starts_with("line 1, column 1: "), "{}", refusal("{bad"));
    assert!(refusal(&format!("{HEAD}what = 1\n")).starts_with("line 4, column 1: unknown field `what`"));
    assert!(refusal(&format!("{HEAD}any_image = 1\n")).starts_with("line 4, column 13: "));
    assert!(
        refusal(&format!("{HEAD}images = [\"latest\"]\n")).contains("images holds \"latest\"; wanted sha256: and 64 lower-case hex digits")
    );
    for (field, value, wanted) in [
        ("commit", "0123456", "40 lower-case hex digits"),
        ("model_sha256", "0123", "64 lower-case hex digits"),
        ("scorer", "01234", "64 lower-case hex digits"),
        ("requester_key", "AAAAAA==", "canonical base64 of 32 bytes"),
    ] {
        let refusal = refusal(&format!("{HEAD}[accept]\n{field} = [\"{value}\"]\n"));
        assert!(refusal.contains(&format!("accept.{field} holds \"{value}\"; wanted {wanted}")), "{refusal}");
    }
    assert!(refusal(&format!("{HEAD}[effects]\n\"no.code\" = \"notes\"\n")).contains("\"no.code\", which is no code"));
    assert!(refusal(&format!("{HEAD}[effects]\n\"td.debug\" = \"notes\"\n")).contains("sets td.debug to \"notes\"; it may be refutes"));
    assert!(refusal("version = 2\nname = \"mine\"\nbase = \"strict\"\n").contains("version 2 is not supported"));
    assert!(refusal(&format!("{HEAD}{}", "#".repeat(1 << 20))).contains("more than 1048576 bytes"));
}

#[test]
fn a_good_policy_is_named_with_its_digest() {
    let run = receipt(&["policy", "check", "test-vectors/policies/test.toml"]);
    let shown = receipt(&["policy", "show", "--format", "json", "test-vectors/policies/test.toml"]).json();
    let digest = shown["sha256"].as_str().unwrap();
    assert_eq!(digest.len(), 64);
    assert_eq!(run.stdout, format!("OK  test-vectors/policies/test.toml  policy \"test enclave and image\", sha256 {digest}\n"));
    let report = receipt(&["verify", "--format", "json", "--policy", "test-vectors/policies/test.toml", VERIFIED]).json();
    assert_eq!(report[0]["policy"]["sha256"], digest);
}

#[test]
fn age_and_evaluation_are_asked_for_on_the_command_line() {
    let by_test_policy = |setting: [&str; 2]| {
        receipt(&with_test_anchors(&["--policy", "test-vectors/policies/test.toml", setting[0], setting[1], VERIFIED]))
    };
    // The test collateral is of August 2026, whatever the clock says.
    assert_eq!(by_test_policy(["--max-age", "36500d"]).code, 0);
    let old = by_test_policy(["--max-age", "1m"]);
    assert_eq!(old.code, 6);
    assert!(old.stdout.contains("collateral.too-old"), "{}", old.stdout);
    for age in ["soon", "10", "1ms", ""] {
        let refused = by_test_policy(["--max-age", age]);
        assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{age}");
        assert!(refused.stderr.contains("--max-age"), "{}", refused.stderr);
    }
    assert_eq!(by_test_policy(["--min-eval", "19"]).code, 0);
    let low = by_test_policy(["--min-eval", "20"]);
    assert_eq!(low.code, 7);
    assert!(low.stdout.contains("tcb.evaluation-below-minimum"), "{}", low.stdout);
    // A flag can only ask for more than the policy does.
    let both = receipt(&with_test_anchors(&["--policy", "test-vectors/policies/evaluation-20.toml", "--min-eval", "1", VERIFIED]));
    assert_eq!(both.code, 7);
}

#[test]
fn one_bad_policy_does_not_hide_the_good_ones() {
    let run = receipt(&["policy", "check", "missing.toml", "test-vectors/policies/test.toml"]);
    assert_eq!(run.code, 2);
    assert!(run.stdout.starts_with("OK  test-vectors/policies/test.toml"));
    assert!(run.stderr.starts_with("error: cannot read policy missing.toml: "));
}

#[test]
fn a_mistyped_built_in_policy_is_answered_with_their_names() {
    let run = receipt(&["verify", "--policy", "strct", VERIFIED]);
    assert!(run.stderr.contains("policy strct: ") && run.stderr.contains("strict and authenticity"), "{}", run.stderr);
}

#[test]
fn bad_anchors_are_named_with_what_they_are_for() {
    for (flag, words) in [("--root", "trust root"), ("--tcb-signing-cert", "TCB signing certificate")] {
        for file in ["missing.pem", VERIFIED] {
            let run = receipt(&["verify", flag, file, VERIFIED, "missing.json"]);
            assert!(run.stderr.starts_with(&format!("error: cannot read {words} {file}: ")), "{}", run.stderr);
            assert_eq!(run.stderr.lines().count(), 1, "no receipt is judged: {}", run.stderr);
            assert_eq!(run.stdout, "");
        }
    }
}

#[test]
fn policy_show_tells_what_differs() {
    let strict = receipt(&["policy", "show"]).stdout;
    assert!(strict.starts_with("strict  sha256 ") && strict.contains("every finding has its default effect"), "{strict}");
    assert!(strict.contains("none: enclave and image have to be pinned"), "{strict}");
    let lax = receipt(&["policy", "show", "authenticity"]).stdout;
    assert!(lax.contains("provenance.clocks-unpinned: notes (default weakens)"), "{lax}");
    assert!(lax.contains("any_enclave") && lax.contains("any_image"), "{lax}");
    let pinned = receipt(&["policy", "show", "test-vectors/policies/test.toml"]).stdout;
    for text in ["test TD: mrtd", "sha256:1187327c6d0f0b0b"] {
        assert!(pinned.contains(text), "{text}\nis not in\n{pinned}");
    }
    let softening = receipt(&["policy", "show", "test-vectors/policies/any-scorer.toml"]).stdout;
    assert!(softening.contains("scorer.unknown: notes (default weakens)"), "{softening}");
    let accepting = receipt(&["policy", "show", "test-vectors/policies/accept-commit.toml"]).stdout;
    assert!(accepting.contains("Accepts   commit "), "{accepting}");
    let minimum = receipt(&["policy", "show", "test-vectors/policies/evaluation-20.toml"]).stdout;
    assert!(minimum.contains("evaluation 20 or later"), "{minimum}");
}

#[test]
fn explain_lists_what_it_explains() {
    let codes = receipt(&["explain", "--format", "json"]).json();
    let codes = codes.as_array().unwrap();
    let table = receipt(&["explain"]).stdout;
    assert!(codes.len() > 80);
    for code in codes {
        let name = code["code"].as_str().unwrap();
        assert!(table.lines().any(|line| line.split_whitespace().take(2).eq([name, code["default_effect"].as_str().unwrap()])), "{name}");
    }
    let entry = codes.iter().find(|code| code["code"] == "tcb.out-of-date").unwrap();
    assert_eq!(receipt(&["explain", "--format", "json", "tcb.out-of-date"]).json(), *entry);
    assert_eq!(entry["tunable"], Value::from(vec!["notes"]));

    let text = receipt(&["explain", "tcb.out-of-date"]).stdout;
    for part in ["title", "help", "reference", "intel"] {
        let words = entry[part].as_str().unwrap().split_whitespace();
        assert!(text.split_whitespace().collect::<Vec<_>>().join(" ").contains(&words.collect::<Vec<_>>().join(" ")), "{part} in\n{text}");
    }
    assert!(text.contains("weakens: ") && text.contains("a policy may choose notes"), "{text}");
}

#[test]
fn a_mistyped_code_is_answered_with_close_ones() {
    let run = receipt(&["explain", "verdict.contradict-enclave"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("close: verdict.contradicts-enclave"), "{}", run.stderr);
    assert!(receipt(&["explain", "zzzzzzzzzz"]).stderr.contains("receipt explain lists all codes"));
}

#[test]
fn help_shows_examples_and_every_exit_code() {
    for arguments in [&["--help"][..], &["verify", "--help"]] {
        let help = receipt(arguments).stdout;
        assert!(help.contains("Examples:\n  receipt verify receipt.json"), "{help}");
        for code in ["   0  ", "   2  ", "   3  ", "   4  ", "   6  ", "   7  ", "  70  "] {
            assert!(help.lines().any(|line| line.starts_with(code)), "{code} in\n{help}");
        }
    }
    assert_eq!(receipt(&["--version"]).stdout, format!("receipt {}\n", env!("CARGO_PKG_VERSION")));
}

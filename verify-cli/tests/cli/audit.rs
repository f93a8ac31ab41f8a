//! `receipt audit` on whole logs: our own, the public ones, and copies that somebody changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::Value;
use verify_core::limits;

use crate::support::{Run, copy_all, folder, receipt, shared, text, workspace};

const ANCHORS: [&str; 4] = ["--root", "test-vectors/pki/root.pem", "--tcb-signing-cert", "test-vectors/pki/tcb_signing.pem"];
const POLICY: &str = "test-vectors/policies/any-machine.toml";

/// `audit` with what our own logs are judged by.
fn audit(arguments: &[&str]) -> Run {
    let manifest: Value = serde_json::from_slice(&fs::read(workspace().join("test-vectors/manifest.json")).unwrap()).unwrap();
    let key = manifest["logs"][0]["anchors"]["signer_keys"][0].as_str().unwrap().to_owned();
    receipt(&[&["audit", "--trust-key", &key, "--policy", POLICY], &ANCHORS[..], arguments].concat())
}

/// What an audit found about the log: code, runs, and the place.
fn findings(run: &Run) -> BTreeSet<(String, Vec<String>, String)> {
    let found = |finding: &Value| {
        let runs = finding["runs"].as_array().unwrap().iter().map(short).collect();
        (finding["code"].as_str().unwrap().to_owned(), runs, finding["file"].as_str().unwrap().to_owned())
    };
    run.json()["findings"].as_array().unwrap().iter().map(found).collect()
}

/// Codes with the runs that they are about.
fn by_code(run: &Run) -> BTreeMap<String, BTreeSet<Vec<String>>> {
    let mut codes: BTreeMap<String, BTreeSet<Vec<String>>> = BTreeMap::new();
    for (code, runs, _) in findings(run) {
        codes.entry(code).or_default().insert(runs);
    }
    codes
}

/// A run by the first digits of its receipt id, or by its name.
fn short(run: &Value) -> String {
    let run = run.as_str().unwrap();
    if run.contains('-') { run.to_owned() } else { run.chars().take(8).collect() }
}

fn wanted(codes: &[(&str, &[&[&str]])]) -> BTreeMap<String, BTreeSet<Vec<String>>> {
    let runs = |runs: &&[&str]| runs.iter().map(|run| (*run).to_owned()).collect();
    codes.iter().map(|(code, found)| ((*code).to_owned(), found.iter().map(runs).collect())).collect()
}

/// The group of a code among what receipts came to.
fn group(run: &Run, code: &str) -> Vec<String> {
    let audit = run.json();
    let group = audit["receipts"].as_array().unwrap().iter().find(|group| group["code"] == code).unwrap_or_else(|| panic!("no {code}"));
    group["runs"].as_array().unwrap().iter().map(short).collect()
}

/// A copy of one of our own logs.
fn copy_of(log: &str, name: &str) -> PathBuf {
    let copy = folder(name);
    copy_all(&workspace().join("test-vectors/logs").join(log), &copy);
    copy
}

fn edit(file: &Path, old: &str, new: &str) {
    let before = fs::read_to_string(file).unwrap();
    assert!(before.contains(old), "{} has no {old}", file.display());
    fs::write(file, before.replacen(old, new, 1)).unwrap();
}

#[test]
fn our_own_logs_come_out_as_the_manifest_says() {
    let manifest: Value = serde_json::from_slice(&fs::read(workspace().join("test-vectors/manifest.json")).unwrap()).unwrap();
    let links = folder("audit-links");
    for entry in manifest["logs"].as_array().unwrap() {
        let path = |member: &str| format!("test-vectors/{}", entry[member].as_str().unwrap());
        let mut log = path("log");
        for link in entry["links"].as_array().into_iter().flatten() {
            let copy = links.join(entry["id"].as_str().unwrap());
            copy_all(&workspace().join(&log), &copy);
            symlink("..", copy.join(link.as_str().unwrap())).unwrap();
            log = text(&copy).to_owned();
        }
        let policy = path("policy");
        let key = entry["anchors"]["signer_keys"][0].as_str().unwrap();
        let since = entry["since"].is_string().then(|| path("since"));
        let since: Vec<&str> = since.iter().flat_map(|since| ["--since", since]).collect();
        let ask = |format: &str| {
            receipt(&[&["audit", "--format", format, "--policy", &policy, "--trust-key", key], &ANCHORS[..], &since, &[&log]].concat())
        };
        let run = ask("json");
        let audit = run.json();
        assert_eq!(audit["outcome"], entry["outcome"], "{log}: {}{}", run.stdout, run.stderr);
        assert_eq!(run.code, audit["exit_code"], "{log}");
        let codes: BTreeSet<String> = findings(&run).into_iter().map(|(code, ..)| code).collect();
        assert_eq!(serde_json::json!(codes), entry["codes"], "{log}");
        let shown = ask("text");
        assert_eq!(shown.code, run.code, "{log}");
        assert!(codes.iter().all(|code| shown.stdout.contains(code)), "{log}: {}", shown.stdout);
    }
}

#[test]
fn the_newer_public_log() {
    let Some(shared) = shared() else { return };
    let run = receipt(&["audit", "--format", "json", text(&shared.join("receipts/k3-log"))]);
    assert_eq!(run.code, 4);
    let counts = &run.json()["counts"];
    for (name, count) in [("runs", 51), ("invalid", 50), ("under_provenanced", 1), ("index_rows", 50), ("ledger_rows", 50)] {
        assert_eq!(counts[name], count, "{name}");
    }
    let found = wanted(&[
        ("log.receipt-unlisted", &[&["11406ee4"]]),
        ("log.receipt-unnamed", &[&["89fb50be"]]),
        ("log.superseded", &[&["446e6eb4"]]),
        ("log.measured-again", &[&["00f85eed", "6d0ca87d"], &["3f808092", "51fa336c"]]),
    ]);
    assert_eq!(by_code(&run), found);
    assert_eq!(group(&run, "verdict.contradicts-enclave").len(), 50);
    assert_eq!(group(&run, "run.result-differs"), ["89fb50be"]);
    let shown = receipt(&["audit", text(&shared.join("receipts/k3-log"))]);
    assert!(shown.stdout.contains("50 runs: The receipt claims a verdict that the enclave's signed output refuses"), "{}", shown.stdout);
    assert!(shown.stdout.lines().count() < 80, "a wall of lines: {}", shown.stdout);
}

#[test]
fn the_older_public_log() {
    let Some(shared) = shared() else { return };
    let run = receipt(&["audit", "--format", "json", text(&shared.join("receipts/classic-log"))]);
    assert_eq!(run.code, 4);
    let one = |runs: [&'static str; 9]| runs.map(|run| vec![run.to_owned()]);
    let guards = [
        "0318-c91f381",
        "0537-508ca78",
        "0553-de90e68",
        "0560-8bdc432",
        "0572-20e58ba",
        "0585-89c3450",
        "0591-628bd27",
        "0618-6dcd216",
        "0668-bb8e7b5",
    ];
    let mut found = wanted(&[
        ("log.row-differs", &[&["0465-0217e1f"], &["0560-8bdc432"], &["0618-6dcd216"], &["0666-ea9f481"]]),
        (
            "log.commit-differs",
            &[&["0363-99ae7d5"], &["0511-74bafab"], &["0668-bb8e7b5"], &["museglimmer-0806-788fc92"], &["qwen38-0832-743d30f"]],
        ),
        ("log.receipt-unnamed", &[&["0465-0217e1f"], &["0618-6dcd216"]]),
        ("log.nonce-shared", &[&["0618-25b8d85", "0664-25b8d85"]]),
        ("log.id-shared", &[&["0511-74bafab", "0666-ea9f481"], &["0553-de90e68", "0585-89c3450"]]),
    ]);
    found.insert("log.zero-baseline".to_owned(), one(guards).into());
    assert_eq!(by_code(&run), found);
    // The harness of these runs measured another commit, or another verdict, than was published.
    assert_eq!(group(&run, "run.log-differs"), ["0363-99ae7d5", "0465-0217e1f", "0560-8bdc432", "0666-ea9f481"]);
    assert_eq!(group(&run, "run.result-differs").len(), 9);
}

/// Edits a line of the ledger, puts the receipt of one run in the place of another's, and deletes a run; all three have to be named, and nothing else.
fn tampered(log: &Path, name: &str, ask: impl Fn(&[&str]) -> Run) {
    let copy = folder(name);
    copy_all(log, &copy);
    let seal = folder(&format!("{name}-seal")).join("log.seal");
    let sealed = ask(&["--seal", text(&seal), "--format", "json", text(log)]);
    let untouched = ask(&["--since", text(log), "--format", "json", text(&copy)]);
    assert_eq!(findings(&sealed), findings(&untouched), "a copy is no change");
    assert!(untouched.json()["since"]["files"].as_u64().unwrap() > 6);

    let mut runs: Vec<PathBuf> = fs::read_dir(copy.join("runs")).unwrap().map(|run| run.unwrap().path()).collect();
    runs.sort();
    let ledger = fs::read_to_string(copy.join("ledger.jsonl")).unwrap();
    let first = ledger.lines().next().unwrap();
    let row: Value = serde_json::from_str(first).unwrap();
    let label = row["label"].as_str().unwrap();
    edit(&copy.join("ledger.jsonl"), &format!("\"label\": \"{label}\""), "\"label\": \"XXL\"");
    let others: Vec<&PathBuf> = runs.iter().filter(|run| !run.ends_with(row["run_id"].as_str().unwrap())).collect();
    let [swapped, deleted] = [others[0], others[1]];
    fs::write(swapped.join("receipt.json"), fs::read(deleted.join("receipt.json")).unwrap()).unwrap();
    fs::remove_dir_all(deleted).unwrap();

    let name_of = |run: &Path| run.file_name().unwrap().to_str().unwrap().chars().take(8).collect::<String>();
    let edited = row["run_id"].as_str().unwrap()[..8].to_owned();
    for since in [text(log), text(&seal)] {
        let run = ask(&["--since", since, "--format", "json", text(&copy)]);
        assert_eq!(run.code, 4);
        let codes = ["log.ledger-rewritten", "log.verdict-changed", "log.file-changed", "log.file-vanished", "log.row-vanished"];
        let mut changes = by_code(&run);
        changes.retain(|code, _| codes.contains(&code.as_str()));
        let mut found = wanted(&[
            ("log.ledger-rewritten", &[&[]]),
            ("log.file-changed", &[&[&name_of(swapped)]]),
            ("log.file-vanished", &[&[&name_of(deleted)]]),
        ]);
        let mut verdicts = BTreeSet::from([vec![edited.clone()]]);
        // The receipt of the other run may claim another verdict.
        if changes["log.verdict-changed"].len() > 1 {
            verdicts.insert(vec![name_of(swapped)]);
        }
        found.insert("log.verdict-changed".to_owned(), verdicts);
        assert_eq!(changes, found, "since {since}");
        let audit = run.json();
        let message = |code: &str| {
            let finding = audit["findings"].as_array().unwrap().iter().find(|finding| finding["code"] == code).unwrap();
            finding["message"].as_str().unwrap().to_owned()
        };
        assert!(message("log.file-changed").matches(|digit: char| digit.is_ascii_hexdigit()).count() > 128, "both digests are listed");
        assert!(message("log.verdict-changed").ends_with(&format!("was {label}, is XXL")), "{}", message("log.verdict-changed"));
        assert_eq!(message("log.ledger-rewritten").contains("first in line 1"), since == text(log));
    }
}

#[test]
fn a_log_that_was_tampered_with_names_what_was_changed() {
    tampered(&workspace().join("test-vectors/logs/newer"), "audit-tampered", audit);
    let Some(shared) = shared() else { return };
    tampered(&shared.join("receipts/k3-log"), "audit-tampered-k3", |arguments| receipt(&[&["audit"], arguments].concat()));
}

#[test]
fn a_seal_is_sorted_and_holds_against_damage() {
    let seal = folder("audit-seal").join("log.seal");
    let [log, sealed] = ["test-vectors/logs/newer-two", text(&seal)];
    assert_eq!(audit(&["--seal", sealed, log]).code, 0);
    let text = fs::read_to_string(&seal).unwrap();
    let paths: Vec<String> =
        text.lines().filter_map(|line| serde_json::from_str::<Value>(line).unwrap()["path"].as_str().map(str::to_owned)).collect();
    assert!(paths.is_sorted() && paths.contains(&"ledger.jsonl".to_owned()), "{paths:?}");
    assert_eq!(paths.len(), 9);
    let grown = audit(&["--since", sealed, "test-vectors/logs/newer"]);
    assert_eq!(grown.code, 0, "{}{}", grown.stdout, grown.stderr);
    assert!(grown.stdout.contains("compared with 9 files and "), "{}", grown.stdout);

    let frozen = audit(&["--since", "verify-cli/tests/frozen/log.seal", "test-vectors/logs/newer"]);
    assert_eq!(frozen.code, 0, "a seal of version 1 is read: {}{}", frozen.stdout, frozen.stderr);

    let lines: Vec<&str> = text.lines().collect();
    let damaged = [
        text.replacen("\"bytes\":", "\"bytes\":1", 1),
        text.replacen('a', "b", 1),
        lines[1..].join("\n"),
        lines[..lines.len() - 1].join("\n"),
        text.replace("\"seal\":1", "\"seal\":2"),
        String::new(),
    ];
    for damaged in damaged {
        assert_ne!(damaged, text);
        fs::write(&seal, damaged).unwrap();
        let run = audit(&["--since", sealed, "test-vectors/logs/newer"]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stderr);
        assert!(run.stderr.contains("no seal that can be used"), "{}", run.stderr);
    }
}

#[test]
fn what_is_no_log_is_said_to_be_none() {
    let empty = folder("audit-empty");
    for (arguments, code, word) in [
        (vec!["missing"], 3, "cannot be read"),
        (vec![text(&empty)], 2, "there is no folder runs/ in it"),
        (vec!["--since", "missing", "test-vectors/logs/newer"], 3, "cannot be read"),
        (vec!["--since", text(&empty), "test-vectors/logs/newer"], 2, "there is no folder runs/ in it"),
        (vec!["--seal", "test-vectors/logs/newer/ledger.jsonl", "test-vectors/logs/newer"], 2, "which is read"),
    ] {
        let run = audit(&arguments);
        assert_eq!((run.code, run.stdout.as_str()), (code, ""), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(word), "{arguments:?}: {}", run.stderr);
    }
    let quiet = audit(&["-q", "test-vectors/logs/row-label"]);
    assert_eq!((quiet.code, quiet.stdout.as_str()), (4, ""));
}

#[test]
fn links_are_findings_and_are_not_followed() {
    let outside = folder("audit-outside");
    copy_all(&workspace().join("test-vectors/logs/newer"), &outside);
    let codes = |name: &str, place: &str| {
        let log = copy_of("newer", name);
        let mut runs: Vec<PathBuf> = fs::read_dir(log.join("runs")).unwrap().map(|run| run.unwrap().path()).collect();
        runs.sort();
        let path = place.replace("RUN", text(&runs[0]));
        let path = log.join(&path);
        let target = outside.join(path.strip_prefix(&log).unwrap());
        if path.is_dir() {
            fs::remove_dir_all(&path).unwrap();
        } else {
            let _ = fs::remove_file(&path);
        }
        symlink(target, &path).unwrap();
        let run = audit(&["--format", "json", text(&log)]);
        if run.stdout.is_empty() { (run.code, vec![run.stderr]) } else { (run.code, by_code(&run).into_keys().collect()) }
    };
    assert_eq!(codes("audit-link-index", "index.json"), (6, vec!["log.file-unreadable".to_owned()]));
    assert_eq!(codes("audit-link-ledger", "ledger.jsonl"), (6, vec!["log.file-unreadable".to_owned()]));
    assert_eq!(codes("audit-link-receipt", "RUN/receipt.json"), (6, vec!["log.file-unreadable".to_owned()]));
    assert_eq!(codes("audit-link-run", "RUN"), (6, vec!["log.not-a-file".to_owned(), "log.receipt-missing".to_owned()]));
    assert_eq!(codes("audit-link-other", "RUN/notes"), (6, vec!["log.not-a-file".to_owned()]));
    assert_eq!(codes("audit-link-rounds", "rounds"), (6, vec!["log.not-a-file".to_owned()]));
    assert_eq!(codes("audit-link-result", "RUN/result.json"), (6, Vec::new()), "the receipt's own report says so");
    let (code, said) = codes("audit-link-runs", "runs");
    assert_eq!(code, 2, "{said:?}");
}

#[test]
fn depth_number_and_size_are_bounded() {
    let exceeded = |log: &Path, more: &[&str]| {
        let run = audit(&[&["--format", "json"], more, &[text(log)]].concat());
        (run.code, findings(&run).into_iter().map(|(code, ..)| code).collect::<Vec<_>>())
    };
    let over = (6, vec!["limit.exceeded".to_owned()]);
    for (depth, wanted) in [(limits::LOG_DEPTH, (0, Vec::new())), (limits::LOG_DEPTH + 1, over.clone())] {
        let log = copy_of("newer", "audit-deep");
        fs::create_dir_all(log.join("rounds").join(vec!["d"; depth].join("/"))).unwrap();
        assert_eq!(exceeded(&log, &[]), wanted, "{depth}");
    }
    for (bytes, wanted) in [(limits::LOG_FILE_BYTES, (0, Vec::new())), (limits::LOG_FILE_BYTES + 1, over.clone())] {
        let log = copy_of("newer", "audit-large");
        File::create(log.join("rounds/0123456789ab/trace")).unwrap().set_len(u64::try_from(bytes).unwrap()).unwrap();
        let seal = folder("audit-large-seal").join("log.seal");
        assert_eq!(exceeded(&log, &["--since", "test-vectors/logs/newer"]), wanted, "{bytes}");
        let sealed = audit(&["--seal", text(&seal), text(&log)]);
        assert_eq!((sealed.code == 0, seal.exists()), (wanted.0 == 0, wanted.0 == 0), "{}", sealed.stderr);
    }
    let log = copy_of("newer", "audit-many");
    let many = log.join("rounds/many");
    fs::create_dir_all(&many).unwrap();
    (0..limits::LOG_FILES).for_each(|number| drop(File::create(many.join(number.to_string())).unwrap()));
    assert_eq!(exceeded(&log, &[]), over);
    fs::remove_dir_all(many).unwrap();
}

#[test]
fn names_of_others_are_escaped() {
    let log = copy_of("older", "audit-escaped");
    let name = "0001-\u{1b}[31m\u{202e}::error::x";
    fs::create_dir_all(log.join("runs").join(name)).unwrap();
    fs::write(log.join("runs").join(name).join("result.json"), r#"{"label": "\u001b[31mXL\u202e", "receipt_id": "x"}"#).unwrap();
    symlink("..", log.join("runs/\u{1b}[2J")).unwrap();
    for format in ["text", "json", "jsonl"] {
        let run = audit(&["-v", "--format", format, "--since", "test-vectors/logs/older", text(&log)]);
        assert_eq!(run.code, 6, "{}", run.stdout);
        let is_harmless = |character: char| matches!(character, '\n' | ' '..='~');
        assert!(run.stdout.chars().all(is_harmless), "{format}: {:?}", run.stdout);
        assert!(!run.stdout.contains("::error"), "{format}: {}", run.stdout);
    }
}

#[test]
fn lines_of_json_hold_what_the_document_holds() {
    let arguments = ["--since", "test-vectors/logs/newer", "test-vectors/logs/run-gone"];
    let whole = audit(&[&["--format", "json"], &arguments[..]].concat()).json();
    let lines = audit(&[&["--format", "jsonl"], &arguments[..]].concat()).stdout;
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of_kind = |kind: &str| -> Vec<Value> {
        let mut of_kind: Vec<Value> = lines.iter().filter(|line| line["kind"] == kind).cloned().collect();
        of_kind.iter_mut().for_each(|line| drop(line.as_object_mut().unwrap().remove("kind")));
        of_kind
    };
    assert_eq!(Value::Array(of_kind("run")), whole["runs"]);
    assert_eq!(Value::Array(of_kind("finding")), whole["findings"]);
    let rest = of_kind("audit");
    assert_eq!((rest.len(), &rest[0]["counts"], &rest[0]["outcome"]), (1, &whole["counts"], &whole["outcome"]));
}

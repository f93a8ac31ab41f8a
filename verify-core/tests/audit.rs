//! Logs by the library: what an audit says beside outcome and codes, and what it holds to be one run.

use std::collections::BTreeSet;

use verify_core::audit::{Audit, Content, Directory, INDEX, LEDGER, Log, Run, SealError, Snapshot};
use verify_core::{Anchors, Code, Companion, Outcome, Policy, Request, RunFile, Verifier, limits};

const THIN: &[u8] = include_bytes!("../../test-vectors/receipts/provenance-all.json");

fn anchors() -> Anchors {
    let anchors = Anchors::from_root(include_bytes!("../../test-vectors/pki/root.pem"));
    anchors.and_then(|anchors| anchors.with_tcb_signing(include_bytes!("../../test-vectors/pki/tcb_signing.pem"))).expect("the test PKI")
}

fn judged(log: &Log<'_>, name: &str, receipt: Option<&[u8]>, result: Option<&str>) -> Run {
    let files: Vec<RunFile<'_>> = result.map(|result| RunFile::new(Companion::Result, result.as_bytes())).into_iter().collect();
    let verifier = Verifier::new(Policy::strict(), anchors());
    log.judge(&Directory::new(name, receipt.map(Ok), &files), |receipt| verifier.verify(&Request::new(receipt)))
}

fn audited(log: Log<'_>, runs: Vec<Run>) -> Audit {
    log.audit(None, runs, &Policy::strict(), &anchors())
}

fn text(content: &str) -> Option<Content<'_>> {
    Some(Ok(content.as_bytes()))
}

/// The audit of these lists without run directories.
fn listed(index: &str, ledger: Option<&str>) -> Audit {
    audited(Log::read(text(index), ledger.and_then(text)), Vec::new())
}

/// The runs of the findings with this code.
fn about(audit: &Audit, code: Code) -> Vec<Vec<&str>> {
    let found = audit.findings.iter().filter(|finding| finding.problem.code == code);
    found.map(|finding| finding.runs.iter().map(String::as_str).collect()).collect()
}

#[test]
fn a_run_without_a_directory_is_found_once_wherever_it_is_listed() {
    let audit = listed(r#"[{"id": "both"}, {"id": "index"}]"#, Some("{\"id\": \"both\"}\n{\"id\": \"ledger\"}\n"));
    assert_eq!(about(&audit, Code::LogRunUnattested), [["both"], ["index"], ["ledger"]]);
    assert!(audit.has(Code::LogRunUnattested) && !audit.has(Code::LogReceiptMissing));
}

/// A name, a type or a flag: each alone claims a receipt.
#[test]
fn a_row_claims_a_receipt_in_several_ways() {
    for (member, is_claimed) in [
        (r#""receipt_id": "00000000000000000000000000000000""#, true),
        (r#""attestation_type": "tdx-quote""#, true),
        (r#""polaris": true"#, true),
        (r#""polaris": false"#, false),
        (r#""receipt_id": "", "attestation_type": """#, false),
    ] {
        let audit = listed(&format!(r#"[{{"id": "a", {member}}}]"#), None);
        assert_eq!(audit.has(Code::LogReceiptMissing), is_claimed, "{member}");
        assert_eq!(audit.has(Code::LogRunUnattested), !is_claimed, "{member}");
    }
}

#[test]
fn a_row_is_named_by_its_place() {
    let audit = listed(r#"[{"id": "a"}, 7, {"id": "b"}, {"id": "b"}]"#, Some("{\"id\": \"b\"}\n{\"id\": \"a\"}\n{\"id\": \"b\"}\nnull\n"));
    let found = |code: Code, file: &str| {
        let finding = audit.findings.iter().find(|finding| finding.problem.code == code && finding.file == file).expect("a finding");
        (finding.line, finding.problem.location.to_string(), finding.runs.clone(), finding.problem.message.as_str())
    };
    let b = vec!["b".to_owned()];
    let [unreadable, repeated] = [Code::LogRowUnreadable, Code::LogRowRepeated];
    assert_eq!(found(unreadable, INDEX), (None, "index.json /1".to_owned(), vec![], "the row is a number; wanted an object"));
    assert_eq!(found(unreadable, LEDGER), (Some(4), "ledger.jsonl ".to_owned(), vec![], "the row is null; wanted an object"));
    assert_eq!(found(repeated, INDEX), (None, "index.json /3".to_owned(), b.clone(), "index.json has b twice: first in item 2"));
    assert_eq!(found(repeated, LEDGER), (Some(3), "ledger.jsonl ".to_owned(), b, "ledger.jsonl has b twice: first in line 1"));
}

#[test]
fn a_row_may_name_its_run_twice_alike() {
    let audit = listed(r#"[{"id": "a", "run_id": "a"}, {"id": "b", "run_id": "c"}]"#, None);
    assert_eq!((audit.counts.index_rows, about(&audit, Code::LogRowUnreadable).len()), (1, 1));
}

/// The older log keeps a ledger of merges: that lists no runs. An empty ledger, and one that has both, does.
#[test]
fn a_ledger_lists_runs_unless_it_lists_merges_alone() {
    let merge = r#"{"pr": 1, "new_frontier": 120.5, "proof": "abc"}"#;
    let unlisted = |ledger: &str| {
        let log = Log::read(text("[]"), text(ledger));
        let runs = vec![judged(&log, "a", Some(THIN), None)];
        let audit = audited(log, runs);
        audit.findings.iter().find(|finding| finding.problem.code == Code::LogReceiptUnlisted).expect("a finding").problem.message.clone()
    };
    assert_eq!(unlisted(""), "a has a receipt and no row in index.json and ledger.jsonl");
    assert_eq!(unlisted(&format!("{merge}\n{{\"id\": \"b\"}}\n")), "a has a receipt and no row in index.json and ledger.jsonl");
    assert_eq!(unlisted(&format!("{merge}\n")), "a has a receipt and no row in index.json");
}

/// What has no runs needs no list of them, and a ledger of merges is none.
#[test]
fn a_list_is_missed_where_there_is_something_to_list() {
    let is_missed = |ledger: Option<&str>, has_run: bool| {
        let log = Log::read(None, ledger.and_then(text));
        let runs = has_run.then(|| judged(&log, "a", None, None)).into_iter().collect();
        audited(log, runs).has(Code::LogListAbsent)
    };
    let merges = Some("{\"pr\": 1, \"new_frontier\": 120.5}\n");
    assert!(!is_missed(None, false) && is_missed(None, true));
    assert!(is_missed(Some("{\"id\": \"a\"}\n"), true) && !is_missed(merges, true));
}

/// After one finding more than are listed nothing more is read.
#[test]
fn findings_about_rows_come_to_an_end() {
    let rows = vec!["0"; limits::LOG_FINDINGS + 50].join(",");
    let audit = listed(&format!("[{rows}]"), None);
    let wanted = format!("there are {} findings about the log; {} are listed", limits::LOG_FINDINGS + 1, limits::LOG_FINDINGS);
    assert_eq!(audit.findings.last().map(|finding| finding.problem.message.as_str()), Some(wanted.as_str()));
}

/// Results that name no receipt are silent only beside others that do.
#[test]
fn results_are_silent_beside_others_that_name_their_receipt() {
    let unnamed = |first: &str| {
        let log = Log::read(None, None);
        let runs = [("a", first), ("b", "{\"label\": \"L\"}")].map(|(name, result)| judged(&log, name, Some(THIN), Some(result)));
        let audit = audited(log, runs.into());
        about(&audit, Code::LogReceiptUnnamed).into_iter().flatten().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(unnamed("{\"label\": \"L\"}"), Vec::<String>::new());
    assert_eq!(unnamed("{\"receipt_id\": \"00000000000000000000000000000000\"}"), ["b"]);
}

#[test]
fn a_run_says_what_was_found_about_its_receipt() {
    let log = Log::read(None, None);
    let run = judged(&log, "a", Some(THIN), None);
    let receipt = run.receipt.as_ref().expect("a receipt");
    assert_eq!(receipt.outcome, Outcome::UnderProvenanced);
    assert_eq!(receipt.commit.as_deref(), Some("0123456789abcdef0123456789abcdef01234567"));
    let codes: BTreeSet<Code> = receipt.codes.iter().copied().collect();
    assert_eq!(codes.len(), receipt.codes.len(), "{:?}", receipt.codes);
    assert!(codes.contains(&Code::ProvenanceClocks) && !codes.contains(&Code::ChainUnchecked));
    assert!(run.problems().iter().any(|problem| problem.code == Code::ChainUnchecked));
}

/// At the greatest size of a receipt it still names its run.
#[test]
fn the_largest_receipt_is_read() {
    let mut receipt = THIN.to_vec();
    receipt.resize(limits::RECEIPT_BYTES, b' ');
    let run = judged(&Log::read(None, None), "a", Some(&receipt), None);
    assert!(run.receipt.expect("a receipt").id.is_some());
}

/// Seven to forty digits behind a dash are a commit, and nothing else is.
#[test]
fn other_names_of_directories_say_nothing() {
    let has = |name: &str| {
        let log = Log::read(None, None);
        let runs = vec![judged(&log, name, Some(THIN), None)];
        audited(log, runs).has(Code::LogCommitDiffers)
    };
    for name in ["run", "run-another", "run-fedcba", &format!("run-{}", "f".repeat(41)), "run-0123456"] {
        assert!(!has(name), "{name}");
    }
    for name in ["run-fedcba9", &format!("run-{}", "f".repeat(40))] {
        assert!(has(name), "{name}");
    }
}

#[test]
fn the_last_line_holds_what_no_other_line_does() {
    let log = Log::read(text(r#"[{"id": "a"}]"#), None);
    let runs = vec![judged(&log, "b", None, None)];
    let audit = audited(log, runs);
    let lines: Vec<serde_json::Value> =
        audit.to_json_lines().iter().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    let kinds: Vec<_> = lines.iter().map(|line| line["kind"].as_str().expect("a kind")).collect();
    assert_eq!(kinds, ["run", "finding", "audit"]);
    assert_eq!((&lines[2]["findings"], &lines[2]["runs"]), (&serde_json::json!([]), &serde_json::json!([])));
}

#[test]
fn parts_of_a_snapshot_come_together() {
    let files: [(&str, &[u8]); 3] = [
        (INDEX, br#"[{"id": "a", "label": "L", "pass": true}]"#),
        (LEDGER, b"{\"id\": \"a\", \"label\": \"L\"}\n"),
        ("runs/a/log.txt", b"x"),
    ];
    let (mut whole, mut parts) = (Snapshot::default(), Snapshot::default());
    for (path, bytes) in files {
        whole.add(path, bytes);
        let mut part = Snapshot::default();
        part.add(path, bytes);
        parts.extend(part);
    }
    assert_eq!(parts, whole);
    assert_eq!((whole.files(), whole.verdicts()), (3, 2));
}

/// A file of a run publishes a verdict up to the size to which it is read.
#[test]
fn a_file_that_is_too_large_publishes_nothing() {
    let verdicts = |more: usize| {
        let mut result = br#"{"label": "L"}"#.to_vec();
        result.resize(limits::RUN_FILE_BYTES + more, b' ');
        let mut snapshot = Snapshot::default();
        snapshot.add("runs/a/result.json", &result);
        snapshot.verdicts()
    };
    assert_eq!([0, 1, 2].map(verdicts), [1, 0, 0]);
}

#[test]
fn a_fault_of_a_seal_is_in_its_line() {
    let fault = |seal: &[u8]| match Snapshot::from_seal(seal) {
        Err(SealError::Line { line, .. }) => line,
        other => panic!("{other:?}"),
    };
    assert_eq!(fault(b"{}\n{}\n{}\n"), 3);
    assert_eq!(fault(b"seal"), 1);
}

/// A run that is gone is one finding, which names its files; what is gone of one that is there is one each.
#[test]
fn what_is_gone_of_a_run_is_named_together_or_apart() {
    let snapshot = |paths: &[&str]| {
        let mut snapshot = Snapshot::default();
        paths.iter().for_each(|path| snapshot.add(path, path.as_bytes()));
        snapshot
    };
    let gone = |left: &[&str]| {
        let mut log = Log::read(None, None);
        log.compare(&snapshot(&["runs/a/log.txt", "runs/a/eval.log", "runs/b/log.txt", "README"]), &snapshot(left));
        let audit = audited(log, Vec::new());
        let gone = audit.findings.iter().filter(|finding| finding.problem.code == Code::LogFileVanished);
        gone.map(|finding| format!("{} {:?}", finding.file, finding.runs)).collect::<Vec<_>>()
    };
    assert_eq!(gone(&["runs/b/log.txt", "README"]), ["runs/a [\"a\"]"]);
    assert_eq!(gone(&["runs/a/other", "runs/b/log.txt"]), ["README []", "runs/a/eval.log [\"a\"]", "runs/a/log.txt [\"a\"]"]);
}

//! `receipt classify`: classes of the committed records, what is read for them, and one exit code for each kind of answer.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{copy, copy_all, folder, receipt, receipt_with_input, text, workspace};

const RECORDS: &str = "verify-cli/tests/fixtures/bench/classify";

fn record(name: &str) -> String {
    format!("{RECORDS}/{name}/record.json")
}

/// A copy of the fixture `name`, to be changed.
fn copied(name: &str, to: &str) -> PathBuf {
    let folder = folder(to);
    copy_all(&workspace().join(RECORDS).join(name), &folder);
    folder
}

/// Writes the record of a copied fixture anew.
fn change(folder: &std::path::Path, change: impl FnOnce(&mut Value)) {
    let path = folder.join("record.json");
    let mut record: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut record);
    fs::write(path, record.to_string()).unwrap();
}

/// The key that signed the review of the claim-grade record.
fn reviewer() -> String {
    let record: Value = serde_json::from_slice(&fs::read(workspace().join(record("claim-grade"))).unwrap()).unwrap();
    record["review"]["signed"]["key"].as_str().unwrap().to_owned()
}

#[test]
fn every_committed_record_has_its_class() {
    for (name, class) in [
        ("component", 1),
        ("turbo", 2),
        ("k32", 2),
        ("two-endpoints", 2),
        ("one-run-a-cell", 2),
        ("one-repetition", 2),
        ("matched", 3),
        ("claim-grade", 4),
    ] {
        let run = receipt(&["classify", "--format", "json", "--trust-key", &reviewer(), &record(name)]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{name}");
        let answer = run.json();
        assert_eq!(answer["class"], class, "{name}");
        assert_eq!(answer["exit"], json!({ "code": 0, "name": "OK" }));
        assert_eq!((&answer["schema"], &answer["promotion"]), (&"classification/1".into(), &Value::Null));
        let promoted = receipt(&["classify", "--format", "json", "--promote", "--require", "4", "--trust-key", &reviewer(), &record(name)]);
        let answer = promoted.json();
        assert_eq!(
            answer["exit"],
            if class == 4 { json!({ "code": 0, "name": "OK" }) } else { json!({ "code": 6, "name": "UNVERIFIABLE" }) }
        );
        assert_eq!(answer["promotion"]["allowed"], class == 4, "{name}");
    }
}

#[test]
fn a_required_class_is_reached_or_not() {
    let gives = |code: i32, require: &str, name: &str| {
        let run = receipt(&["classify", "--require", require, &record(name)]);
        assert_eq!(run.code, code, "{name} {require}: {}", run.stdout);
        run.stderr
    };
    assert_eq!(gives(0, "3", "matched"), "");
    assert_eq!(gives(6, "4", "matched"), format!("{}: class 3, below the required 4\n", record("matched")));
    gives(6, "2", "component");
    gives(0, "0", "component");
    gives(2, "5", "component");
    // The key inside of the record proves nothing.
    gives(6, "4", "claim-grade");
    assert_eq!(receipt(&["classify", "--require", "4", "--trust-key", &reviewer(), &record("claim-grade")]).code, 0);
}

#[test]
fn text_says_what_is_missing_and_that_it_is_not_truth() {
    let run = receipt(&["classify", "--promote", &record("turbo")]);
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = words(&run.stdout);
    assert!(run.stdout.starts_with("CLASS 2  scout  "), "{}", run.stdout);
    for said in [
        "it does not say that the record is true",
        "Missing for class 3, matched systems result",
        "/order is not recorded (the order or randomisation)",
        "change A 357.8, B 441.9: +23.50 % (positive: B is better; higher is better; from the two recorded figures)",
        "Promotion refused",
        "class the result is a matched one, and every file was read: refused: /claim_boundary is not recorded",
        "P2 refused semantic identity, or a tolerance that was agreed before, passes: /equivalence/tolerance was not agreed",
        "exception published as a bounded result of one component: refused: /endpoint/kind is \"system\", not a component",
        "/source/0 summary.json: digest holds",
    ] {
        assert!(shown.contains(said), "{said}\nis not in\n{}", run.stdout);
    }
    assert!(!receipt(&["classify", &record("turbo")]).stdout.contains("Promotion"));
    let claim = words(&receipt(&["classify", "--promote", &record("claim-grade")]).stdout);
    assert!(claim.contains("class the result is a matched one, and every file was read: met exception"), "{claim}");
    let folder = copied("claim-grade", "classify-unread");
    fs::remove_file(folder.join("prompts.txt")).unwrap();
    let unread = receipt(&["classify", "--promote", text(&folder.join("record.json"))]);
    assert_eq!(unread.code, 3);
    assert!(words(&unread.stdout).contains("every file was read: refused: /lineage/0 names \"prompts.txt\": "), "{}", unread.stdout);
    assert!(unread.stdout.contains("Promotion refused") && !unread.stdout.contains("P1 refused"), "{}", unread.stdout);
    let component = receipt(&["classify", "--promote", &record("component")]).stdout;
    assert!(words(&component).contains("exception published as a bounded result of one component: allowed"), "{component}");
    assert!(words(&component).contains("No higher class /endpoint/kind a component cannot imply behaviour from end to end"), "{component}");
}

#[test]
fn a_contradiction_leaves_no_class() {
    let folder = copied("component", "classify-contradicted");
    fs::write(folder.join("rows.json"), fs::read_to_string(folder.join("rows.json")).unwrap() + " ").unwrap();
    let run = receipt(&["classify", "--require", "0", text(&folder.join("record.json"))]);
    assert_eq!(run.code, 4);
    assert!(run.stdout.starts_with("CONTRADICTED  "), "{}", run.stdout);
    let run = receipt(&["classify", "--format", "json", "--promote", text(&folder.join("record.json"))]);
    let answer = run.json();
    assert_eq!(answer["exit"], json!({ "code": 4, "name": "MISMATCH" }));
    assert_eq!((&answer["class"], &answer["promotion"], &answer["needs"]), (&Value::Null, &Value::Null, &json!([])));
    assert_eq!(answer["contradictions"][0]["pointer"], "/rows/0");
}

#[test]
fn files_are_regular_and_below_the_folder() {
    let unread = |name: &str, prepare: &dyn Fn(&std::path::Path)| {
        let folder = copied("component", &format!("classify-{name}"));
        prepare(&folder);
        let run = receipt(&["classify", "--format", "json", text(&folder.join("record.json"))]);
        assert_eq!((run.code, &run.json()["exit"]["name"]), (3, &json!("MISSING")), "{name}: {}", run.stdout);
        run.json()["unreadable"][0]["why"].as_str().unwrap().to_owned()
    };
    let renamed = |path: &'static str| move |folder: &std::path::Path| change(folder, |record| record["source"][0]["path"] = path.into());
    assert!(unread("gone", &|folder| fs::remove_file(folder.join("rows.json")).unwrap()).contains("No such file"));
    for path in ["../classify-up/rows.json", "/etc/hostname", "./rows.json"] {
        let why = unread("up", &renamed(path));
        assert!(why.ends_with("a name is relative, and has no . or .."), "{path}: {why}");
    }
    assert!(
        unread("folder", &|folder| {
            fs::create_dir(folder.join("more")).unwrap();
            renamed("more")(folder);
        })
        .ends_with("it is not a regular file")
    );
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;

    let folder = copied("component", "classify-links");
    fs::create_dir(folder.join("real")).unwrap();
    fs::rename(folder.join("rows.json"), folder.join("real/rows.json")).unwrap();
    let code = || receipt(&["classify", text(&folder.join("record.json"))]).code;
    symlink("real/rows.json", folder.join("rows.json")).unwrap();
    assert_eq!(code(), 3);
    change(&folder, |record| {
        for pointer in ["/source/0/path", "/rows/0/path", "/rows/1/path"] {
            *record.pointer_mut(pointer).unwrap() = "link/rows.json".into();
        }
    });
    symlink("real", folder.join("link")).unwrap();
    assert_eq!(code(), 3);
    fs::remove_file(folder.join("link")).unwrap();
    fs::rename(folder.join("real"), folder.join("link")).unwrap();
    assert_eq!(code(), 0);
}

#[test]
fn what_is_no_record_cannot_be_read() {
    let folder = folder("classify-none");
    let refused = |bytes: &str, why: &str| {
        let path = folder.join("record.json");
        fs::write(&path, bytes).unwrap();
        let run = receipt(&["classify", "--format", "json", text(&path)]);
        let answer = run.json();
        assert_eq!((&answer["schema"], &answer["exit"]["name"]), (&json!("classification/1"), &json!("MISSING")));
        assert_eq!((run.code, &answer["class"]), (3, &Value::Null));
        assert!(run.stderr.contains(why) && answer["error"].as_str().unwrap().contains(why), "{}", run.stderr);
    };
    refused("{", "cannot be read as a record: byte 1: ");
    refused("{}", "/schema is absent; wanted bench-record/1");
    refused(r#"{"schema": "bench-record/1", "rows": 3}"#, "/rows is a number; wanted an array");
    let gone = receipt(&["classify", text(&folder.join("gone.json"))]);
    assert_eq!((gone.code, gone.stdout.as_str()), (3, ""));
    assert_eq!(receipt(&["classify"]).code, 2);
}

#[test]
fn the_folder_of_the_files_may_be_another_one() {
    let bytes = fs::read(workspace().join(record("component"))).unwrap();
    let beside = format!("{RECORDS}/component");
    assert_eq!(receipt_with_input(&["classify", "--folder", &beside, "-"], &bytes).code, 0);
    assert_eq!(receipt_with_input(&["classify", "-"], &bytes).code, 3);
}

#[test]
fn the_answer_never_replaces_its_evidence() {
    let folder = copied("component", "classify-spares");
    let (record, rows) = (folder.join("record.json"), folder.join("rows.json"));
    let before = fs::read(&rows).unwrap();
    for target in [&record, &rows] {
        assert_eq!(receipt(&["classify", "-o", text(target), text(&record)]).code, 2);
    }
    assert_eq!(fs::read(&rows).unwrap(), before);
}

#[test]
fn receipts_are_judged_by_policy_and_anchors() {
    let folder = copied("claim-grade", "classify-receipt");
    copy("test-vectors/receipts/verified.json", &folder.join("receipt.json"));
    let manifest: Value = serde_json::from_slice(&fs::read(workspace().join("test-vectors/manifest.json")).unwrap()).unwrap();
    let digest = &manifest["files"]["receipts/verified.json"];
    change(&folder, |record| {
        record["lineage"].as_array_mut().unwrap().push(json!({ "receipt": { "path": "receipt.json", "sha256": digest } }));
    });
    let key = reviewer();
    let terms = ["--root", "test-vectors/pki/root.pem", "--tcb-signing-cert", "test-vectors/pki/tcb_signing.pem", "--trust-key", &key];
    let path = folder.join("record.json");
    let class = |more: &[&str]| {
        let run = receipt(&[&["classify", "--format", "json"], &terms[..], more, &[text(&path)]].concat());
        (run.code, run.json()["class"].clone())
    };
    assert_eq!(class(&["--policy", "test-vectors/policies/test.toml"]), (0, json!(4)));
    // By the strict policy nothing is pinned, and a thin receipt is none.
    assert_eq!(class(&[]), (0, json!(3)));
    // Another root made this evidence: that contradicts.
    let run = receipt(&["classify", "--trust-key", &key, text(&path)]);
    assert_eq!(run.code, 4, "{}", run.stdout);
}

#[test]
fn markdown_holds_texts_of_others_in_code_alone() {
    let folder = copied("turbo", "classify-markdown");
    change(&folder, |record| {
        record["verdict"] = "a | b `` c @somebody <img src=x> \u{1b}[2J \u{202e} ::error:: https://example.org".into();
        record["a`b"] = 1.into();
    });
    let run = receipt(&["classify", "--promote", "--format", "markdown", text(&folder.join("record.json"))]);
    assert_eq!(run.code, 0);
    assert!(run.stdout.starts_with("**CLASS 2: scout**\n"), "{}", run.stdout);
    let verdict = run.stdout.lines().find(|line| line.starts_with("| `verdict`")).unwrap();
    assert_eq!(
        verdict,
        "| `verdict` | ``` a \\| b `` c @somebody <img src=x> \\u{1b}[2J \\u{202e} :\\u{3a}error:\\u{3a} https://example.org ``` |"
    );
    assert!(run.stdout.contains("| `` /a`b `` |"), "{}", run.stdout);
    assert!(run.stdout.chars().all(|character| character == '\n' || !character.is_control()), "{}", run.stdout);
}

#[test]
fn nothing_of_a_record_moves_a_cursor() {
    let folder = copied("matched", "classify-injection");
    let hostile = "\u{1b}]0;x\u{7}\r\n::error::\u{202e}##[error]";
    change(&folder, |record| {
        for name in ["verdict", "order", "failures", "candidate"] {
            record[name] = hostile.into();
        }
        record["endpoint"]["kind"] = hostile.into();
        record["rows"][0]["arm"] = hostile.into();
        record["rows"][1]["at"] = hostile.into();
        record["source"][0]["path"] = hostile.into();
        record[hostile] = json!(hostile);
        record["hardware"][hostile] = Value::Null;
    });
    for format in ["text", "json", "markdown"] {
        let run = receipt(&["classify", "--promote", "--format", format, text(&folder.join("record.json"))]);
        for shown in [&run.stdout, &run.stderr] {
            assert!(shown.bytes().all(|byte| byte == b'\n' || (b' '..=b'~').contains(&byte)), "{format}: {shown}");
            assert!(!shown.contains("::") && !shown.contains("##["), "{format}: {shown}");
        }
        if format == "json" {
            run.json();
        }
    }
}

#[test]
fn the_document_shows_what_is_printed() {
    let document = fs::read_to_string(workspace().join("docs/classify.md")).unwrap();
    let shown = receipt(&["classify", "--promote", &record("turbo")]).stdout;
    assert!(document.contains(&format!("turbo/record.json\n{shown}```\n")), "the document has another answer than\n{shown}");
}

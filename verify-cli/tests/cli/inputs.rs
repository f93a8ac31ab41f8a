//! What a path stands for, and how much of it is read.

use std::fs::{self, File};

use serde_json::Value;

use crate::support::{CUT, VERIFIED, copy, folder, receipt, receipt_with_input, text, verify, workspace};

/// The names of the inputs, in the order of the reports.
fn names(arguments: &[&str]) -> Vec<String> {
    let run = receipt(&[&["verify", "--format", "json"], arguments].concat());
    let reports = run.json();
    reports.as_array().unwrap().iter().map(|report| report["input"]["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_directory_stands_for_every_receipt_below_it_sorted() {
    let folder = folder("receipts-below");
    for path in ["b/receipt.json", "a/deep/er/receipt.json", "receipt.json", "a/other.json", "other.json", "a/receipt.json.bak"] {
        copy(CUT, &folder.join(path));
    }
    let wanted = ["a/deep/er/receipt.json", "b/receipt.json", "receipt.json"].map(|path| text(&folder.join(path)).to_owned());
    assert_eq!(names(&[text(&folder)]), wanted);
}

#[test]
fn a_directory_without_receipts_stands_for_its_own_json_files() {
    let folder = folder("own-json");
    for path in ["b.json", "a.json", "notes.txt", "deeper/c.json", "json"] {
        copy(CUT, &folder.join(path));
    }
    assert_eq!(names(&[text(&folder)]), ["a.json", "b.json"].map(|path| text(&folder.join(path)).to_owned()));
}

#[test]
fn files_that_are_passed_over_are_counted() {
    let folder = folder("passed-over");
    for path in ["sub/receipt.json", "bad.json", "worse.json"] {
        copy(CUT, &folder.join(path));
    }
    std::os::unix::fs::symlink(folder.join("bad.json"), folder.join("link.json")).unwrap();
    let run = receipt(&["verify", "--format", "json", text(&folder)]);
    assert_eq!(run.json().as_array().unwrap().len(), 1);
    assert!(run.stderr.contains("2 other *.json files"), "{}", run.stderr);
    assert!(run.stderr.contains("1 links or special files"), "{}", run.stderr);
}

#[test]
fn a_directory_without_anything_to_judge_says_so() {
    let folder = folder("nothing");
    copy(CUT, &folder.join("notes.txt"));
    copy(CUT, &folder.join("deeper/other.json"));
    let run = receipt(&["verify", text(&folder)]);
    assert_eq!(run.code, 2);
    assert!(run.stdout.contains("no receipts found"), "{}", run.stdout);

    let run = receipt(&["verify"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("no receipts found"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn links_are_followed_where_they_are_named_and_not_below() {
    use std::os::unix::fs::symlink;

    let folder = folder("links");
    copy(CUT, &folder.join("runs/one/receipt.json"));
    copy(CUT, &folder.join("elsewhere/receipt.json"));
    symlink(folder.join("elsewhere"), folder.join("runs/two")).unwrap();
    symlink(folder.join("elsewhere/receipt.json"), folder.join("runs/receipt.json")).unwrap();
    symlink(folder.join("runs"), folder.join("runs/loop")).unwrap();
    symlink(folder.join("runs"), folder.join("named")).unwrap();
    symlink(folder.join("elsewhere/receipt.json"), folder.join("named.json")).unwrap();

    assert_eq!(names(&[text(&folder.join("runs"))]), [text(&folder.join("runs/one/receipt.json"))]);
    assert_eq!(names(&[text(&folder.join("named"))]), [text(&folder.join("named/one/receipt.json"))]);
    let report = &receipt(&["verify", "--format", "json", text(&folder.join("named.json"))]).json()[0];
    assert_eq!(report["outcome"], "invalid");
}

#[test]
fn inputs_keep_their_order() {
    assert_eq!(names(&[VERIFIED, "missing.json", CUT, VERIFIED]), [VERIFIED, "missing.json", CUT, VERIFIED]);
}

#[test]
fn a_minus_is_standard_input() {
    let bytes = fs::read(workspace().join(VERIFIED)).unwrap();
    let run = receipt_with_input(&verify(&["-"]), &bytes);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let run = receipt_with_input(&verify(&["--format", "json", CUT, "-"]), &bytes);
    assert_eq!(run.json()[1]["input"]["name"], "-");
    assert_eq!(run.json()[1]["outcome"], "verified");

    let run = receipt_with_input(&["inspect", "-"], &bytes);
    assert_eq!(run.code, 0);

    let run = receipt(&["verify", "-"]);
    assert_eq!(run.code, 4, "an empty input is no receipt: {}", run.stdout);

    let run = receipt_with_input(&verify(&["--format", "json", "-", "-"]), &bytes);
    assert_eq!(run.code, 2);
    assert_eq!(run.json()[0]["outcome"], "verified");
    assert_eq!(run.json()[1]["outcome"], Value::Null);
}

#[test]
fn a_missing_file_does_not_stop_the_others() {
    let run = receipt(&verify(&["missing.json", VERIFIED, "also/missing.json"]));
    assert_eq!(run.code, 3);
    assert!(run.stdout.contains("MISSING  missing.json\n"), "{}", run.stdout);
    assert!(run.stdout.contains("MISSING  also/missing.json\n"), "{}", run.stdout);
    assert!(run.stdout.contains("VERIFIED (anchors replaced"), "{}", run.stdout);
    assert!(run.stdout.ends_with(": 1 verified, 2 missing\n"), "{}", run.stdout);
}

#[test]
fn no_more_is_read_than_the_core_accepts() {
    let large = folder("large").join("receipt.json");
    File::create(&large).unwrap().set_len(8 << 30).unwrap();
    let mut endless = vec![text(&large)];
    if cfg!(target_os = "linux") {
        endless.push("/dev/zero");
    }
    for path in endless {
        let run = receipt(&["verify", "--format", "json", path]);
        assert_eq!(run.code, 6);
        let report = &run.json()[0];
        assert_eq!(report["input"]["bytes"], (2 << 20) + 1);
        assert_eq!(report["problems"][0]["code"], "limit.exceeded");
        assert_eq!(receipt(&["inspect", path]).code, 6);
    }
}

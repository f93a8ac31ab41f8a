//! `-o`: the answer in a file, whole or not at all, and never in the place of something that was not asked for.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use crate::support::{CUT, RUN, VERIFIED, copy, every_command, folder, receipt, started_with, text, verify, workspace};

#[test]
fn a_file_holds_what_standard_output_would() {
    let file = folder("destination-every").join("answer");
    for arguments in every_command() {
        let printed = receipt(&arguments);
        for option in [&["-o", text(&file)][..], &["--output", text(&file)]] {
            fs::write(&file, "old").unwrap();
            let run = receipt(&[&arguments, option].concat());
            assert_eq!((run.code, run.stdout.as_str(), &run.stderr), (printed.code, "", &printed.stderr), "{arguments:?}");
            let wanted = if printed.stdout.is_empty() { "old" } else { &printed.stdout };
            assert_eq!(fs::read_to_string(&file).unwrap(), wanted, "{arguments:?}");
        }
        assert_eq!(receipt(&[&arguments, &["-o", "-"][..]].concat()).stdout, printed.stdout, "{arguments:?}");
    }
    assert_eq!(names(file.parent().unwrap()), ["answer"]);
}

#[test]
fn a_new_file_is_made_and_an_old_one_keeps_its_permissions() {
    let folder = folder("destination-permissions");
    let (new, old) = (folder.join("new"), folder.join("old"));
    fs::write(&old, "old").unwrap();
    fs::set_permissions(&old, fs::Permissions::from_mode(0o600)).unwrap();
    for file in [&new, &old] {
        assert_eq!(receipt(&verify(&["-o", text(file), VERIFIED])).code, 0);
        assert!(fs::read_to_string(file).unwrap().starts_with("VERIFIED"));
    }
    assert_eq!(fs::metadata(&old).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn styles_stand_in_a_file_only_where_they_are_asked_for() {
    let file = folder("destination-styles").join("answer");
    for (color, styled) in [("auto", false), ("never", false), ("always", true)] {
        receipt(&verify(&["--color", color, "-o", text(&file), VERIFIED]));
        assert_eq!(fs::read_to_string(&file).unwrap().contains('\u{1b}'), styled, "{color}");
    }
}

/// Nothing is judged, nothing is written, and the reason is said.
#[track_caller]
fn refused(target: &Path, why: &str) {
    let run = receipt(&verify(&["-o", text(target), VERIFIED]));
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stderr);
    assert!(run.stderr.starts_with("error: cannot write to ") && run.stderr.contains(why), "{}", run.stderr);
}

#[test]
fn nothing_is_written_through_a_link() {
    let folder = folder("destination-links");
    let other = folder.join("other");
    fs::write(&other, "somebody else's").unwrap();
    for (name, target) in [("link", &other), ("dangling", &folder.join("nowhere")), ("device", &PathBuf::from("/dev/null"))] {
        symlink(target, folder.join(name)).unwrap();
        refused(&folder.join(name), "it is a symbolic link");
    }
    assert_eq!(fs::read_to_string(&other).unwrap(), "somebody else's");
    assert_eq!(names(&folder), ["dangling", "device", "link", "other"]);
}

#[test]
fn only_a_file_in_a_folder_can_be_written() {
    let folder = folder("destination-kinds");
    fs::create_dir(folder.join("sub")).unwrap();
    refused(&folder.join("sub"), "it is not a regular file");
    refused(&folder.join("new/"), "it names no file");
    refused(&folder.join(".."), "it names no file");
    refused(&folder.join("absent/answer"), "no file can be created beside it: No such file or directory");
    refused(&folder.join("sub/x".repeat(300)), "");
    refused(Path::new("/dev/null"), "it is not a regular file");
    assert_eq!(names(&folder), ["sub"]);
}

#[test]
fn evidence_is_never_replaced_by_an_answer() {
    let folder = folder("destination-evidence");
    let receipt_file = folder.join("run/receipt.json");
    for name in ["receipt.json", "result.json"] {
        copy(&format!("{RUN}/{name}"), &folder.join("run").join(name));
    }
    for (from, to) in [(CUT, "given"), ("test-vectors/policies/test.toml", "policy.toml"), ("test-vectors/pki/root.pem", "root.pem")] {
        copy(from, &folder.join(to));
    }
    let [run, given, policy, root] = ["run", "given", "policy.toml", "root.pem"].map(|name| folder.join(name));
    let [result, again] = ["run/result.json", "run/../run/receipt.json"].map(|name| folder.join(name));
    let (run, receipt_file, given, policy, root) = (text(&run), text(&receipt_file), text(&given), text(&policy), text(&root));
    for (arguments, target) in [
        (vec!["verify", receipt_file], text(&again)),
        (vec!["verify", run], receipt_file),
        (vec!["claims", run], receipt_file),
        (vec!["inspect", run], receipt_file),
        (vec!["verify", "--run", run], text(&result)),
        (vec!["verify", "--collateral", given, receipt_file], given),
        (vec!["verify", "--input", given, receipt_file], given),
        (vec!["verify", "--score", given, receipt_file], given),
        (vec!["verify", "--trust-keys", given, receipt_file], given),
        (vec!["verify", "--policy", policy, receipt_file], policy),
        (vec!["verify", "--root", root, receipt_file], root),
        (vec!["quote", given, "--collateral", receipt_file], given),
        (vec!["quote", receipt_file, "--collateral", given], given),
        (vec!["score", "--preset", "classic", "--from", text(&result)], text(&result)),
        (vec!["policy", "show", policy], policy),
        (vec!["policy", "check", policy], policy),
    ] {
        let before = fs::read(target).unwrap();
        let run = receipt(&[&arguments, &["-o", target][..]].concat());
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{arguments:?}\n{}", run.stderr);
        assert!(fs::read(target).unwrap() == before, "{arguments:?}");
    }
}

#[test]
fn an_answer_that_cannot_be_written_leaves_the_old_file_whole() {
    let folder = folder("destination-full");
    let file = folder.join("answer");
    fs::write(&file, "old").unwrap();
    let limited = ["sh", "-c", "ulimit -f 0; trap '' XFSZ; exec \"$0\" \"$@\""];
    let output = started_with(&limited, &verify(&["-o", text(&file), VERIFIED])).output().unwrap();
    assert_eq!(output.status.code(), Some(70));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: cannot write to "), "{output:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "old");
    assert_eq!(names(&folder), ["answer"]);
}

#[test]
fn quiet_has_nothing_to_write() {
    let file = folder("destination-quiet").join("answer");
    assert_eq!(receipt(&verify(&["-q", "-o", text(&file), VERIFIED])).code, 2);
    assert!(!file.exists());
}

#[test]
fn what_killed_processes_left_behind_stops_nothing() {
    let folder = folder("destination-left");
    let shell = format!("for number in 0 1 2; do : > {}/.answer.$$-$number.tmp; done; exec \"$0\" \"$@\"", text(&folder));
    let output = started_with(&["sh", "-c", &shell], &verify(&["-o", text(&folder.join("answer")), VERIFIED])).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let left = names(&folder);
    assert!(left.len() == 4 && left.contains(&"answer".to_owned()), "{left:?}");
    assert!(fs::read_to_string(folder.join("answer")).unwrap().starts_with("VERIFIED"));
}

#[test]
fn a_relative_name_is_one_of_the_working_directory() {
    let folder = folder("destination-relative");
    let receipt_file = workspace().join(CUT).canonicalize().unwrap();
    let output = started_with(&["env", "-C", text(&folder)], &["inspect", text(&receipt_file), "-o", "answer"]).output().unwrap();
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    assert_eq!(names(&folder), ["answer"]);
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

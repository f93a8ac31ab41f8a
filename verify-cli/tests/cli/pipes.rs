//! Readers that went away, closed streams and full disks: never a crash, and the exit code stays true.

use std::fs::OpenOptions;
use std::io;
use std::process::Stdio;

use crate::support::{command, every_command, finish, receipt, started_with, verify};

/// Every command, and what the reader of arguments prints by itself.
fn calls() -> Vec<Vec<&'static str>> {
    let printed = [&["--help"][..], &["-h"], &["--version"], &["verify", "--help"], &["policy", "help"], &[], &["verify", "--what"]];
    every_command().into_iter().chain(printed.map(<[_]>::to_vec)).chain([verify(&["-q", "missing.json"])]).collect()
}

#[test]
fn a_reader_that_went_away_before_the_first_line_changes_no_answer() {
    for arguments in calls() {
        let usual = receipt(&arguments);
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let output = command(&arguments).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(usual.code), "{arguments:?}: {output:?}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), usual.stderr, "{arguments:?}");

        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let output = command(&arguments).stdout(Stdio::piped()).stderr(writer).output().unwrap();
        assert_eq!(output.status.code(), Some(usual.code), "{arguments:?}");
        assert_eq!(String::from_utf8(output.stdout).unwrap(), usual.stdout, "{arguments:?}");
    }
}

#[test]
fn closed_streams_change_no_answer() {
    for arguments in calls() {
        let usual = receipt(&arguments);
        for (closed, stdout, stderr) in [(">&-", "", &*usual.stderr), ("2>&-", &usual.stdout, ""), ("<&- >&- 2>&-", "", "")] {
            let run = finish(&mut started_with(&["sh", "-c", &format!("exec \"$0\" \"$@\" {closed}")], &arguments), b"");
            assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (usual.code, stdout, stderr), "{arguments:?} {closed}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_a_full_disk_swallows_is_no_success() {
    let full = || OpenOptions::new().write(true).open("/dev/full").unwrap();
    for arguments in calls() {
        let usual = receipt(&arguments);
        let output = command(&arguments).stdout(full()).output().unwrap();
        let wanted = if usual.stdout.is_empty() { usual.code } else { 70 };
        assert_eq!(output.status.code(), Some(wanted), "{arguments:?}: {output:?}");
        let said = String::from_utf8(output.stderr).unwrap().contains("cannot write to standard output");
        assert_eq!(said, !usual.stdout.is_empty(), "{arguments:?}");

        let output = command(&arguments).stderr(full()).output().unwrap();
        assert_eq!(output.status.code(), Some(usual.code), "{arguments:?}");
    }
}

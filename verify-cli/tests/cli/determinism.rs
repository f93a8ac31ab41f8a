//! The same inputs give the same bytes, whatever the surroundings.

use std::os::unix::fs::symlink;

use serde_json::Value;

use crate::support::{CUT, NO_EVIDENCE, REFUTED, Run, VERIFIED, command, copy, every_command, finish, folder, receipt, workspace};

/// What surrounds a process and is none of its business.
const SURROUNDINGS: [&[(&str, &str)]; 3] = [
    &[("LANG", "de_DE.UTF-8"), ("LC_ALL", "tr_TR.UTF-8"), ("LANGUAGE", "ar"), ("TZ", "Pacific/Kiritimati"), ("COLUMNS", "20")],
    &[
        ("LANG", "C"),
        ("LC_NUMERIC", "de_DE.ISO-8859-1"),
        ("TZ", "America/St_Johns"),
        ("TERM", "xterm-256color"),
        ("COLORTERM", "truecolor"),
    ],
    &[
        ("NO_COLOR", "1"),
        ("CLICOLOR", "0"),
        ("TERM", "dumb"),
        ("RUST_BACKTRACE", "full"),
        ("HTTPS_PROXY", "http://proxy.example"),
        ("CI", "1"),
    ],
];

#[track_caller]
fn is_same(run: &Run, usual: &Run, about: &str) {
    assert_eq!((run.code, &run.stdout, &run.stderr), (usual.code, &usual.stdout, &usual.stderr), "{about}");
}

#[test]
fn surroundings_change_no_byte() {
    for arguments in every_command() {
        let usual = receipt(&arguments);
        is_same(&receipt(&arguments), &usual, &format!("{arguments:?} again"));
        for surroundings in SURROUNDINGS {
            is_same(
                &finish(command(&arguments).envs(surroundings.iter().copied()), b""),
                &usual,
                &format!("{arguments:?} {surroundings:?}"),
            );
        }
    }
}

#[test]
fn styles_are_all_that_asking_for_them_adds() {
    for arguments in every_command() {
        let (usual, styled) = (receipt(&arguments), finish(command(&arguments).env("CLICOLOR_FORCE", "1"), b""));
        assert_eq!(plain(&styled.stdout), usual.stdout, "{arguments:?}");
        assert_eq!(styled.stderr, usual.stderr, "{arguments:?}");
    }
}

/// Without styles.
fn plain(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once('m').unwrap().1)
}

#[test]
fn the_working_directory_is_only_where_names_begin() {
    let elsewhere = folder("elsewhere");
    for name in ["test-vectors", "verify-cli"] {
        symlink(workspace().join(name).canonicalize().unwrap(), elsewhere.join(name)).unwrap();
    }
    for arguments in every_command() {
        is_same(&finish(command(&arguments).current_dir(&elsewhere), b""), &receipt(&arguments), &format!("{arguments:?}"));
    }
}

#[test]
fn the_order_of_a_directory_is_that_of_its_names() {
    let runs: Vec<Run> = [("order-up", false), ("order-down", true)]
        .into_iter()
        .map(|(name, is_reversed)| {
            let folder = folder(name);
            let mut names: Vec<String> = (0..40).map(|number| format!("{number}/receipt.json")).collect();
            if is_reversed {
                names.reverse();
            }
            for name in names {
                let number: usize = name.split_once('/').unwrap().0.parse().unwrap();
                copy([VERIFIED, REFUTED, CUT, NO_EVIDENCE][number % 4], &folder.join(name));
            }
            finish(command(&["verify", "--format", "jsonl", "."]).current_dir(folder), b"")
        })
        .collect();
    is_same(&runs[0], &runs[1], "by the order in which the files were made");
    let names: Vec<Value> =
        runs[0].stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["input"]["name"].clone()).collect();
    assert!(names.len() == 40 && names.is_sorted_by_key(|name| name.as_str()), "{names:?}");
}

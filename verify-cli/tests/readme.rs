//! The README shows what the program prints. `UPDATE=1` rewrites the shown output.

use std::path::Path;
use std::process::Command;

#[test]
fn the_shipped_receipt_prints_what_the_readme_shows() {
    let command = line_with("cargo run --release -p verify-cli -- verify ");
    check(&command, command.split_once(" -- ").expect("arguments").1, 0);
}

#[test]
fn the_two_arms_print_what_the_readme_shows() {
    let command = line_with("receipt compare verify-cli/");
    check(&command, command.strip_prefix("receipt ").expect("arguments"), 4);
}

#[test]
fn the_public_log_prints_what_the_readme_shows() {
    let log = workspace().join("../shared/receipts/k3-log");
    if !log.is_dir() {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "CI=true, but {} is missing", log.display());
        eprintln!("SKIPPED: {} is missing, so the README's examples of the public log were not run", log.display());
        return;
    }
    for start in ["receipt verify runs/", "receipt audit "] {
        let command = line_with(start);
        check(&command, command.strip_prefix("receipt ").expect("arguments"), 4);
    }
}

/// Runs `arguments` and compares with the text block that follows `command` in the README.
fn check(command: &str, arguments: &str, code: i32) {
    let folder = if command.contains("test-vectors") || command.contains("fixtures") {
        workspace()
    } else {
        workspace().join("../shared/receipts/k3-log")
    };
    let output = Command::new(env!("CARGO_BIN_EXE_receipt")).args(arguments.split(' ')).current_dir(folder).output().expect("it runs");
    assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    let readme = readme();
    let (before, after) = readme.split_once(command).expect("the command");
    let (between, block) = after.split_once("```text\n").expect("a text block");
    let (shown, rest) = block.split_once("```").expect("the end of the block");
    if std::env::var_os("UPDATE").is_some() {
        let updated = format!("{before}{command}{between}```text\n{printed}```{rest}");
        std::fs::write(workspace().join("README.md"), updated).expect("the README is written");
    } else {
        assert_eq!(shown, printed, "run UPDATE=1 cargo test -p verify-cli --test readme -- --test-threads 1");
    }
}

fn line_with(start: &str) -> String {
    readme().lines().find(|line| line.starts_with(start)).expect("a line of the README").to_owned()
}

fn readme() -> String {
    std::fs::read_to_string(workspace().join("README.md")).expect("the README")
}

fn workspace() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

//! The resolved dependencies of both published crates against a reviewed list: a crate that is not on it needs a look, and
//! no crate that speaks to a network gets on it.

#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests run cargo and read files")]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// What gives a program sockets, a resolver or an async runtime. None of it may be anywhere in either tree.
const NETWORK: [&str; 22] = [
    "async-std",
    "curl",
    "curl-sys",
    "h2",
    "hickory-resolver",
    "hyper",
    "isahc",
    "libcurl-sys",
    "mio",
    "native-tls",
    "openssl",
    "openssl-sys",
    "quinn",
    "reqwest",
    "rustls",
    "smol",
    "socket2",
    "surf",
    "tokio",
    "trust-dns-resolver",
    "tungstenite",
    "ureq",
];

#[test]
fn core_has_the_reviewed_dependencies() {
    check("verify-core");
}

#[test]
fn command_line_has_the_reviewed_dependencies() {
    check("verify-cli");
}

fn check(package: &str) {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--edges", "normal,build", "--prefix", "none", "--format", "{p}"])
        .args(["--target", "x86_64-unknown-linux-gnu", "--package", package])
        .current_dir(&workspace)
        .output()
        .expect("cargo tree runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8(output.stdout).expect("UTF-8");
    let resolved: BTreeSet<&str> = tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(resolved.contains(package));
    let network: Vec<&&str> = resolved.iter().filter(|name| NETWORK.contains(name)).collect();
    assert!(network.is_empty(), "{package} depends on {network:?}");

    let list = workspace.join(package).join("dependencies.txt");
    let reviewed = std::fs::read_to_string(&list).expect("the reviewed list");
    let reviewed: BTreeSet<&str> = reviewed.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
    let unreviewed: Vec<&&str> = resolved.difference(&reviewed).collect();
    let gone: Vec<&&str> = reviewed.difference(&resolved).collect();
    assert!(unreviewed.is_empty() && gone.is_empty(), "{}: not on the list {unreviewed:?}, no longer resolved {gone:?}", list.display());
}

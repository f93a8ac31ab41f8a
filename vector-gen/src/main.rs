//! Writes `test-vectors/`: receipts and quotes of a PKI of our own, the policies they are judged under, and what a verifier has to find.
//!
//! Nothing is drawn at random and nothing is verified: the expected findings stand in the source, beside each change.

mod collateral;
mod crl;
mod der;
mod edits;
mod json;
mod pki;
mod policies;
mod quote;
mod receipt;
mod scores;
mod uncovered;
mod vectors;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use crate::json::Json;
use crate::vectors::{Anchors, Subject, Vector};

/// Folders in which every file is ours, but for those that are kept.
const FOLDERS: [&str; 7] = ["collateral", "inputs", "pki", "policies", "quotes", "receipts", "scores"];

/// The folder in which every run directory is ours.
const RUNS: &str = "runs";

/// Hand-written files in the generated folders.
const KEPT: [&str; 4] = ["policies/observed.toml", "scores/classic.toml", "scores/k3-2026-07.toml", "scores/k3.toml"];

fn main() -> io::Result<()> {
    let target = env::args_os().nth(1).map_or_else(committed, PathBuf::from);
    let files = files();
    for name in files.keys() {
        fs::create_dir_all(target.join(name).parent().expect("a folder"))?;
    }
    for stale in present(&target)?.into_iter().filter(|name| !files.contains_key(name)) {
        fs::remove_file(target.join(stale))?;
    }
    for folder in run_folders(&target)?.into_iter().filter(|folder| !files.keys().any(|name| name.starts_with(&format!("{folder}/")))) {
        fs::remove_dir(target.join(folder))?;
    }
    files.into_iter().try_for_each(|(name, bytes)| fs::write(target.join(name), bytes))
}

/// Where the vectors stand in the repository.
fn committed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../test-vectors")
}

/// The files of the generated folders, without those that are kept.
fn present(target: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for folder in FOLDERS.map(str::to_owned).into_iter().chain(run_folders(target)?) {
        names.extend(listed(target, &folder)?);
    }
    names.retain(|name| !KEPT.contains(&name.as_str()));
    Ok(names)
}

/// The run directories.
fn run_folders(target: &Path) -> io::Result<Vec<String>> {
    listed(target, RUNS)
}

fn listed(target: &Path, folder: &str) -> io::Result<Vec<String>> {
    fs::read_dir(target.join(folder))?.map(|entry| Ok(format!("{folder}/{}", entry?.file_name().to_string_lossy()))).collect()
}

/// Every generated file, by its path below the target.
fn files() -> BTreeMap<String, Vec<u8>> {
    let vectors = vectors::all();
    let ids: BTreeSet<_> = vectors.iter().map(|vector| &vector.id).collect();
    assert_eq!(ids.len(), vectors.len(), "two vectors have the same id");

    let manifest = |subject: Subject| {
        let entries = vectors.iter().filter(|vector| vector.subject == subject).map(Vector::entry).collect();
        (Json::List(entries).indented() + "\n").into_bytes()
    };
    let produced = vectors.iter().flat_map(|vector| &vector.codes).copied().collect();
    let mut files = BTreeMap::from([
        ("manifest.json".to_owned(), manifest(Subject::Receipt)),
        ("quotes.json".to_owned(), manifest(Subject::Quote)),
        ("UNCOVERED.md".to_owned(), uncovered::page(&produced).into_bytes()),
    ]);
    files.extend(vectors.iter().flat_map(Vector::files));
    files.extend(policies::all().into_iter().map(|(name, text)| (format!("policies/{name}.toml"), text.into_bytes())));
    files.extend(scores::all().into_iter().map(|(name, text)| (format!("scores/{name}.toml"), text.into_bytes())));
    for (anchors, (root, tcb_signing)) in [(Anchors::Test, receipt::test_pki()), (Anchors::OtherTest, receipt::other_pki())] {
        let [root_file, tcb_signing_file] = anchors.files();
        files.insert(root_file.to_owned(), root.pem().into_bytes());
        files.insert(tcb_signing_file.to_owned(), tcb_signing.pem().into_bytes());
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_vectors_are_those_of_this_source() {
        let files = files();
        for (name, bytes) in &files {
            let written = fs::read(committed().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(written == *bytes, "{name} differs: run `cargo run -p vector-gen`");
        }
        for name in present(&committed()).unwrap() {
            assert!(files.contains_key(&name), "{name} belongs to no vector: run `cargo run -p vector-gen`");
        }
    }

    #[test]
    fn every_policy_and_every_file_of_parameters_is_used() {
        let manifest = String::from_utf8(files().remove("manifest.json").unwrap()).unwrap();
        for (name, _) in scores::all() {
            assert!(manifest.contains(&format!("scores/{name}.toml")), "no vector is scored by {name}");
        }
        for (name, _) in policies::all() {
            assert!(manifest.contains(&format!("policies/{name}.toml")), "no vector is judged under {name}");
        }
    }
}

//! Writes `test-vectors/`, or the folder that is named as the first argument.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use vector_gen::files;

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
}

//! Writes `test-vectors/`, or the folder that is named as the argument. `lint`, and a folder where that is another, looks for faults
//! in the vectors that are there.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs, io};

use vector_gen::lint::{self, read_folder};
use vector_gen::{EXAMPLES, committed, files};

/// Folders in which every file is ours, but for the examples.
const FOLDERS: [&str; 9] = ["collateral", "inputs", "logs", "pki", "policies", "quotes", "receipts", "runs", "scores"];

fn main() -> io::Result<ExitCode> {
    let mut arguments = env::args_os().skip(1).peekable();
    let is_lint = arguments.next_if(|argument| argument == "lint").is_some();
    let folder = arguments.next().map_or_else(committed, PathBuf::from);
    if !is_lint {
        return write(&folder).map(|()| ExitCode::SUCCESS);
    }
    let faults = lint::faults(&read_folder(&folder)?);
    for fault in &faults {
        println!("{fault}");
    }
    Ok(if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn write(target: &Path) -> io::Result<()> {
    let files = files();
    for stale in present(target)?.into_iter().filter(|name| !files.contains_key(name)) {
        fs::remove_file(target.join(stale))?;
    }
    for folder in ["logs", "runs"] {
        remove_empty(&target.join(folder))?;
    }
    for (name, bytes) in files {
        let path = target.join(name);
        fs::create_dir_all(path.parent().expect("a folder"))?;
        fs::write(path, bytes)?;
    }
    Ok(())
}

/// Removes the folders below that hold no file any more.
fn remove_empty(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry?.path();
        if path.is_dir() {
            remove_empty(&path)?;
            if fs::read_dir(&path)?.next().is_none() {
                fs::remove_dir(path)?;
            }
        }
    }
    Ok(())
}

/// The files of the generated folders, without the examples.
fn present(target: &Path) -> io::Result<Vec<String>> {
    let is_ours = |name: &String| name.split_once('/').is_some_and(|(folder, _)| FOLDERS.contains(&folder));
    let mut names: Vec<String> = read_folder(target)?.into_keys().filter(is_ours).collect();
    names.retain(|name| !EXAMPLES.contains(&name.as_str()));
    Ok(names)
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

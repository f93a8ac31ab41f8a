//! What lies in the folder of a log. Only regular files are read, links are never followed, and depth and number are bounded: who
//! publishes a log chose every name in it.

use std::fs::{self, File, FileType};
use std::io;
use std::path::{Path, PathBuf};

use verify_core::audit::{INDEX, LEDGER, LeftOut, RECEIPT, ROUNDS, RUNS, Snapshot};
use verify_core::{Companion, escape, limits};

use crate::exit;
use crate::inputs::{FILE_BYTES, Failure, read_bounded, refused_in_run, unreadable};

/// The folder of a log, listed but not yet read.
pub(crate) struct LogFolder {
    root: PathBuf,
    /// Names of run directories, sorted.
    pub(crate) runs: Vec<String>,
    /// Every regular file below the runs and the rounds, by its path below the root; sorted.
    files: Vec<(String, PathBuf)>,
    /// What is not read, and why.
    pub(crate) left_out: Vec<(String, LeftOut, String)>,
}

impl LogFolder {
    /// Lists the folder.
    pub(crate) fn open(root: &Path) -> Result<Self, Failure> {
        let named = |failure: Failure| Failure { message: format!("{}: {}", escape(&root.to_string_lossy()), failure.message), ..failure };
        let mut folder = Self { root: root.to_owned(), runs: Vec::new(), files: Vec::new(), left_out: Vec::new() };
        fs::metadata(root).map_err(|error| named(unreadable(&error)))?;
        match fs::symlink_metadata(root.join(RUNS)) {
            Ok(runs) if runs.is_dir() => {}
            _ => {
                let message = format!("no log: there is no folder {RUNS}/ in it");
                return Err(named(Failure { word: "EMPTY", message, exit_code: exit::USAGE }));
            }
        }
        for top in [RUNS, ROUNDS] {
            folder.list(top);
        }
        folder.runs.sort();
        folder.files.sort();
        folder.left_out.sort_by(|left, right| left.0.cmp(&right.0));
        Ok(folder)
    }

    /// Lists everything below the folder `top` of the log, if it is there.
    fn list(&mut self, top: &str) {
        let mut unseen = vec![(top.to_owned(), self.root.join(top), 0_usize)];
        while let Some((name, path, depth)) = unseen.pop() {
            let listed = fs::symlink_metadata(&path).map(|metadata| metadata.file_type());
            match listed {
                Err(error) if error.kind() == io::ErrorKind::NotFound && depth == 0 => continue,
                Err(error) => self.leave_out(name, LeftOut::Unreadable, &error.to_string()),
                Ok(kind) if !kind.is_dir() => self.leave_out(name, LeftOut::NotAFile, word_for(kind)),
                Ok(_) if depth > limits::LOG_DEPTH => self.leave_out(name, LeftOut::OverLimit, "it lies deeper than is read"),
                Ok(_) => {
                    let entries: io::Result<Vec<_>> = fs::read_dir(&path).and_then(Iterator::collect);
                    let entries = match entries {
                        Ok(entries) => entries,
                        Err(error) => {
                            self.leave_out(name, LeftOut::Unreadable, &error.to_string());
                            continue;
                        }
                    };
                    for entry in entries {
                        let file_name = entry.file_name().to_string_lossy().into_owned();
                        let below = format!("{name}/{file_name}");
                        if self.files.len() + unseen.len() + self.left_out.len() >= limits::LOG_FILES {
                            self.leave_out(below, LeftOut::OverLimit, "there are more files than are read");
                            return;
                        }
                        match entry.file_type() {
                            Err(error) => self.leave_out(below, LeftOut::Unreadable, &error.to_string()),
                            Ok(kind) if kind.is_dir() => {
                                if top == RUNS && depth == 0 {
                                    self.runs.push(file_name);
                                }
                                unseen.push((below, entry.path(), depth + 1));
                            }
                            Ok(kind) if kind.is_file() => self.files.push((below, entry.path())),
                            // What a run is known by is read, and refused, with the run.
                            Ok(_) if top == RUNS && depth == 1 && is_of_a_run(&file_name) => {}
                            Ok(kind) => self.leave_out(below, LeftOut::NotAFile, word_for(kind)),
                        }
                    }
                }
            }
        }
    }

    fn leave_out(&mut self, name: String, left_out: LeftOut, why: &str) {
        self.left_out.push((name, left_out, why.to_owned()));
    }

    /// The bytes of the index, if it is there, or why they cannot be had.
    pub(crate) fn index(&self) -> Option<Result<Vec<u8>, String>> {
        content(&self.root.join(INDEX))
    }

    /// Likewise of the ledger.
    pub(crate) fn ledger(&self) -> Option<Result<Vec<u8>, String>> {
        content(&self.root.join(LEDGER))
    }

    /// Likewise of the receipt of a run.
    pub(crate) fn receipt(&self, run: &str) -> Option<Result<Vec<u8>, String>> {
        content(&self.run(run).join(RECEIPT))
    }

    /// The directory of a run.
    pub(crate) fn run(&self, run: &str) -> PathBuf {
        self.root.join(RUNS).join(run)
    }

    /// Every file that is read.
    pub(crate) fn paths(&self) -> impl Iterator<Item = PathBuf> {
        let lists = [INDEX, LEDGER].map(|name| self.root.join(name));
        self.files.iter().map(|(_, path)| path.clone()).chain(lists)
    }

    /// Digests and verdicts of everything that the log holds; with it what of it could not be read.
    pub(crate) fn snapshot(&self) -> (Snapshot, Vec<(String, LeftOut, String)>) {
        let lists = [INDEX, LEDGER].map(|name| (name.to_owned(), self.root.join(name)));
        let lists = lists.into_iter().filter(|(_, path)| matches!(refused_in_run(path), Ok(None)));
        let (mut snapshot, mut left_out) = (Snapshot::default(), Vec::new());
        for (name, path) in self.files.iter().cloned().chain(lists) {
            match File::open(&path).and_then(|file| read_bounded(file, limits::LOG_FILE_BYTES as u64)) {
                Ok(bytes) if bytes.len() > limits::LOG_FILE_BYTES => {
                    left_out.push((name, LeftOut::OverLimit, format!("it has more than {} bytes", limits::LOG_FILE_BYTES)));
                }
                Ok(bytes) => snapshot.add(&name, &bytes),
                Err(error) => left_out.push((name, LeftOut::Unreadable, error.to_string())),
            }
        }
        (snapshot, left_out)
    }
}

fn is_of_a_run(name: &str) -> bool {
    name == RECEIPT || Companion::ALL.iter().any(|companion| companion.name() == name)
}

fn word_for(kind: FileType) -> &'static str {
    if kind.is_symlink() { "it is a symbolic link" } else { "it is not a regular file" }
}

/// The bytes of a file, if it is there, with one more than any file that the core reads may have; or why they cannot be had.
fn content(path: &Path) -> Option<Result<Vec<u8>, String>> {
    match refused_in_run(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => Some(Err(error.to_string())),
        Ok(Some(why)) => Some(Err(why.to_owned())),
        Ok(None) => Some(File::open(path).and_then(|file| read_bounded(file, LARGEST)).map_err(|error| error.to_string())),
    }
}

const LARGEST: u64 = limits::LIST_BYTES as u64;
const _: () = assert!(LARGEST >= FILE_BYTES);

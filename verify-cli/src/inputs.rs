//! From paths to bytes: what a path stands for, and reading with a bound.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Read};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};

use verify_core::{Companion, RunFile, escape, limits};

use crate::exit;
use crate::output::complain;

/// No file that the core reads may have more bytes than this; one more is read so that it can see and say that.
pub(crate) const FILE_BYTES: u64 = limits::RECEIPT_BYTES as u64;
const _: () = assert!(limits::RUN_FILE_BYTES <= limits::RECEIPT_BYTES && limits::COLLATERAL_BYTES <= limits::RECEIPT_BYTES);
const _: () = assert!(limits::INPUT_BYTES <= limits::RECEIPT_BYTES && limits::QUOTE_BYTES <= limits::RECEIPT_BYTES);

/// Policies and certificates are much smaller than this.
const SETTINGS_BYTES: u64 = 1024 * 1024;

/// One thing to judge, under the name that the user knows it by.
pub(crate) struct Input {
    name: String,
    source: Source,
}

enum Source {
    StandardInput,
    File(PathBuf),
    /// These bytes, which were read already.
    Held(Vec<u8>),
    /// There is nothing to read.
    Nothing(Failure),
}

/// Why there is no answer about an input.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    /// One word for the headline.
    pub(crate) word: &'static str,
    pub(crate) message: String,
    pub(crate) exit_code: u8,
}

impl Failure {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { word: "USAGE", message: message.into(), exit_code: exit::USAGE }
    }

    /// Says it, where it ends the command.
    pub(crate) fn end(&self) -> u8 {
        complain(&format!("error: {}", self.message));
        self.exit_code
    }
}

impl Input {
    /// Every input that `paths` stand for, in the order of the paths; those of one directory are sorted. With them, a word for
    /// people about what was passed over.
    pub(crate) fn resolve(paths: &[PathBuf]) -> (Vec<Self>, Vec<String>) {
        let (mut inputs, mut passed_over): (Vec<Self>, Vec<String>) = (Vec::new(), Vec::new());
        for path in paths {
            if path.as_os_str() == "-" {
                let is_read = inputs.iter().any(Self::is_standard_input);
                let again =
                    Failure { word: "REPEATED", message: "standard input can be read once only".to_owned(), exit_code: exit::USAGE };
                inputs.push(Self::at(path.clone(), if is_read { Source::Nothing(again) } else { Source::StandardInput }));
            } else if path.is_dir() {
                inputs.extend(in_directory(path, &mut passed_over));
            } else {
                inputs.push(Self::at(path.clone(), Source::File(path.clone())));
            }
        }
        (inputs, passed_over)
    }

    /// The input that `path` names, whatever it is; - is standard input.
    pub(crate) fn named(path: &Path) -> Self {
        let source = if path.as_os_str() == "-" { Source::StandardInput } else { Source::File(path.to_owned()) };
        Self::at(path.to_owned(), source)
    }

    pub(crate) fn is_standard_input(&self) -> bool {
        matches!(self.source, Source::StandardInput)
    }

    /// The receipt in a line of standard input, which is named by its number.
    pub(crate) fn of_line(number: usize, line: io::Result<Vec<u8>>) -> Self {
        let source = line.map_or_else(|error| Source::Nothing(unreadable(&error)), Source::Held);
        Self { name: format!("-:{number}"), source }
    }

    /// The receipt whose path is in a line of standard input.
    pub(crate) fn of_path_line(number: usize, line: io::Result<Vec<u8>>) -> Self {
        let path = line.and_then(|line| String::from_utf8(line).map_err(|_| io::Error::other("the path is not UTF-8")));
        match path {
            Ok(path) => Self::at(PathBuf::from(&path), Source::File(PathBuf::from(path))),
            Err(error) => Self { name: format!("-:{number}"), source: Source::Nothing(unreadable(&error)) },
        }
    }

    /// The receipt of a run directory.
    pub(crate) fn of_run(directory: &Path) -> Self {
        let path = directory.join("receipt.json");
        let source = match refused_in_run(&path) {
            Ok(Some(why)) => Source::Nothing(unreadable(&io::Error::other(why))),
            Ok(None) => Source::File(path.clone()),
            Err(error) => Source::Nothing(unreadable(&error)),
        };
        Self::at(path, source)
    }

    fn at(path: PathBuf, source: Source) -> Self {
        Self { name: path.to_string_lossy().into_owned(), source }
    }

    /// The name as it was given; not escaped.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The file to be read, where it is one.
    pub(crate) fn path(&self) -> Option<&PathBuf> {
        if let Source::File(path) = &self.source { Some(path) } else { None }
    }

    /// Reads the input and asks `core` about it. A panic in there is a bug, but it ends this answer only.
    pub(crate) fn ask<T>(&self, core: impl FnOnce(&[u8]) -> T) -> Result<T, Failure> {
        let bytes = match &self.source {
            Source::StandardInput => read_bounded(io::stdin().lock(), FILE_BYTES).map(Cow::Owned),
            Source::File(path) => File::open(path).and_then(|file| read_bounded(file, FILE_BYTES)).map(Cow::Owned),
            Source::Held(bytes) => Ok(Cow::Borrowed(bytes.as_slice())),
            Source::Nothing(failure) => return Err(failure.clone()),
        };
        let bytes = bytes.map_err(|error| unreadable(&error))?;
        panic::catch_unwind(AssertUnwindSafe(|| core(&bytes))).map_err(|_| Failure {
            word: "INTERNAL",
            message: "a bug in this tool: nothing was judged; please report it".to_owned(),
            exit_code: exit::INTERNAL,
        })
    }
}

/// What stands beside the receipt of a run directory: each file that is there, with its bytes or why they cannot be had.
pub(crate) struct Beside(Vec<(Companion, Result<Vec<u8>, String>)>);

impl Beside {
    pub(crate) fn of_run(directory: &Path) -> Self {
        let found = Companion::ALL.into_iter().filter_map(|companion| {
            let path = directory.join(companion.name());
            let content = match refused_in_run(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
                Err(error) => Err(error.to_string()),
                Ok(Some(why)) => Err(why.to_owned()),
                Ok(None) => File::open(&path).and_then(|file| read_bounded(file, FILE_BYTES)).map_err(|error| error.to_string()),
            };
            Some((companion, content))
        });
        Self(found.collect())
    }

    /// The files as the core takes them.
    pub(crate) fn files(&self) -> Vec<RunFile<'_>> {
        let files = self.0.iter().map(|(companion, content)| match content {
            Ok(bytes) => RunFile::new(*companion, bytes),
            Err(why) => RunFile::unreadable(*companion, why),
        });
        files.collect()
    }
}

/// Why a file of a run directory is not read, if it is there and must not be: who published the directory also chose what its
/// names lead to, and reading a pipe may never end.
pub(crate) fn refused_in_run(path: &Path) -> io::Result<Option<&'static str>> {
    let metadata = fs::symlink_metadata(path)?;
    Ok(match metadata.is_symlink() {
        true => Some("it is a symbolic link, and those in a run directory are not followed"),
        false if !metadata.is_file() => Some("it is not a regular file"),
        false => None,
    })
}

/// Every `receipt.json` below `directory`; where there is none, its own `*.json` files.
fn in_directory(directory: &Path, passed_over: &mut Vec<String>) -> Vec<Input> {
    let (mut receipts, mut own, mut failures, mut irregular) = (Vec::new(), Vec::new(), Vec::new(), 0_usize);
    let mut unseen = vec![directory.to_owned()];
    while let Some(folder) = unseen.pop() {
        let listed: io::Result<Vec<_>> = fs::read_dir(&folder).and_then(Iterator::collect);
        let entries = match listed {
            Ok(entries) => entries,
            Err(error) => {
                failures.push(Input::at(folder, Source::Nothing(unreadable(&error))));
                continue;
            }
        };
        for entry in entries {
            let path = entry.path();
            match entry.file_type() {
                Err(error) => failures.push(Input::at(path, Source::Nothing(unreadable(&error)))),
                Ok(kind) if kind.is_dir() => unseen.push(path),
                Ok(kind) if kind.is_file() && entry.file_name() == "receipt.json" => receipts.push(path),
                Ok(kind) if kind.is_file() && folder == directory && path.extension().is_some_and(|end| end == "json") => own.push(path),
                Ok(kind) if !kind.is_file() && path.extension().is_some_and(|end| end == "json") => irregular += 1,
                Ok(_) => {}
            }
        }
    }
    let name = escape(&directory.to_string_lossy());
    if irregular > 0 {
        passed_over.push(format!("{name}: {irregular} links or special files named *.json below it were not followed"));
    }
    let beside = own.iter().filter(|path| !receipts.contains(path)).count();
    if !receipts.is_empty() && beside > 0 {
        passed_over.push(format!("{name}: {beside} other *.json files in it were not judged, because it holds files named receipt.json"));
    }
    let mut found = if receipts.is_empty() { own } else { receipts };
    if found.is_empty() && failures.is_empty() {
        let message = "no receipts found: no receipt.json below this directory, and no *.json in it".to_owned();
        let nothing = Failure { word: "EMPTY", message, exit_code: exit::USAGE };
        return vec![Input::at(directory.to_owned(), Source::Nothing(nothing))];
    }
    found.sort();
    found.into_iter().map(|path| Input::at(path.clone(), Source::File(path))).chain(failures).collect()
}

/// Reads a policy or a certificate.
pub(crate) fn read_settings(path: &Path) -> Result<Vec<u8>, String> {
    let bytes = File::open(path).and_then(|file| read_bounded(file, SETTINGS_BYTES)).map_err(|error| error.to_string())?;
    match u64::try_from(bytes.len()).is_ok_and(|length| length <= SETTINGS_BYTES) {
        true => Ok(bytes),
        false => Err(format!("it has more than {SETTINGS_BYTES} bytes")),
    }
}

/// Reads settings in TOML. The error names the file, `what` it is for and the place of the fault; `hint` helps those whose file
/// cannot be read.
pub(crate) fn read_toml<T>(
    file: &Path,
    what: &str,
    hint: &str,
    parse: impl FnOnce(&str) -> Result<T, toml::de::Error>,
) -> Result<T, String> {
    let name = escape(&file.to_string_lossy());
    let refused = |fault: String| format!("cannot read {what} {name}: {fault}");
    let bytes = read_settings(file).map_err(|error| refused(format!("{error}{hint}")))?;
    let text = std::str::from_utf8(&bytes).map_err(|error| refused(format!("byte {}: not UTF-8", error.valid_up_to())))?;
    parse(text).map_err(|error| {
        let place = error.span().map_or_else(String::new, |span| place(text, span.start));
        refused(format!("{place}{}", escape(error.message())))
    })
}

/// Line and column of a byte, both from 1.
fn place(text: &str, byte: usize) -> String {
    let before = text.get(..byte).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("line {line}, column {column}: ")
}

/// For how many bytes there is room before the first of them is read: for a receipt, so that it is read at once.
const ROOM: usize = 64 * 1024;

/// Reads at most `limit` bytes and one more, from files and devices alike.
pub(crate) fn read_bounded(source: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(ROOM);
    source.take(limit + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

pub(crate) fn unreadable(error: &io::Error) -> Failure {
    Failure { word: "MISSING", message: format!("cannot be read: {error}"), exit_code: exit::MISSING }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_in_the_core_is_an_internal_error_of_one_input() {
        let input = Input::at(PathBuf::from("Cargo.toml"), Source::File(PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))));
        let failure = input.ask::<()>(|_| panic!("a panic on purpose")).unwrap_err();
        assert_eq!((failure.word, failure.exit_code), ("INTERNAL", 70));
        assert!(input.ask(|bytes| bytes.len()).unwrap() > 0);
    }

    #[test]
    fn reading_stops_one_byte_after_the_limit() {
        assert_eq!(read_bounded(io::repeat(0), 10).unwrap().len(), 11);
        assert_eq!(read_bounded(&b"abc"[..], 10).unwrap(), b"abc");
    }
}

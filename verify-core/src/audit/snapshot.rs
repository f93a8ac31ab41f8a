//! What a log held at some time: the digest of every file and every published verdict. It can be sealed into a small file, and two of
//! them show what did not just grow.

use std::collections::{BTreeMap, BTreeSet};

use data_encoding::HEXLOWER;
use serde_json::json;

use super::lists::List;
use super::{Finding, INDEX, LEDGER, RECEIPT, ROUNDS, RUNS};
use crate::crypto;
use crate::json::{self, Kind, Value};
use crate::limits;
use crate::problem::{Code, Location, Problem};
use crate::run::RESULT;
use crate::text::{brief, escape_json, is_hex, quoted};

/// The files and verdicts of a log at some time.
///
/// A verdict is known by the file that publishes it, and in a list by the list and the run, joined by `#`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    files: BTreeMap<String, Digest>,
    verdicts: BTreeMap<String, Published>,
    /// The ledger itself, where it was there and not only its seal.
    ledger: Option<Vec<u8>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Digest {
    sha256: String,
    bytes: usize,
}

/// A verdict as one file publishes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Published {
    /// The label, if there is one.
    pub label: Option<String>,
    /// Whether the run passed, if that is said.
    pub pass: Option<bool>,
}

/// Why a file is no seal that can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SealError {
    /// It is larger than any seal that this version writes.
    #[error("it has {0} bytes; at most {max} are read", max = limits::SEAL_BYTES)]
    TooLarge(usize),
    /// It is not what this version writes, or was damaged.
    #[error("line {line}: {what}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it, escaped for showing.
        what: String,
    },
    /// The digest at its end is another one than that of what stands before it.
    #[error("it was damaged or edited: its own digest says {said}, its lines have {found}")]
    Digest {
        /// What the last line says.
        said: String,
        /// What the lines before it have.
        found: String,
    },
}

/// The version of the form of a seal.
const SEAL_VERSION: u32 = 1;

impl Snapshot {
    /// Adds a file by its path relative to the log, with `/` between names.
    pub fn add(&mut self, path: &str, bytes: &[u8]) {
        let digest = Digest { sha256: HEXLOWER.encode(&crypto::sha256([bytes])), bytes: bytes.len() };
        self.files.insert(path.to_owned(), digest);
        let mut ignored = Vec::new();
        let list = match path.split('/').collect::<Vec<_>>().as_slice() {
            [INDEX] => List::of_index(Some(Ok(bytes)), &mut ignored),
            [LEDGER] => {
                self.ledger = Some(bytes.to_vec());
                List::of_ledger(Some(Ok(bytes)), &mut ignored)
            }
            [RUNS, _, RESULT] => return self.publish(path, bytes, ""),
            [RUNS, _, RECEIPT] => return self.publish(path, bytes, "/attestation/verdict"),
            _ => return,
        };
        for row in list.by_run.keys().filter_map(|run| list.row(run)) {
            self.verdicts.insert(place_of_row(list.name, &row.run), Published::of(&row.value));
        }
    }

    /// How many files it holds.
    pub fn files(&self) -> usize {
        self.files.len()
    }

    /// How many published verdicts it holds.
    pub fn verdicts(&self) -> usize {
        self.verdicts.len()
    }

    /// Adds everything that `other` holds; so can parts of a log be read apart.
    pub fn extend(&mut self, other: Self) {
        self.files.extend(other.files);
        self.verdicts.extend(other.verdicts);
        self.ledger = other.ledger.or(self.ledger.take());
    }

    fn publish(&mut self, path: &str, bytes: &[u8], pointer: &str) {
        let document = if bytes.len() > limits::RUN_FILE_BYTES { None } else { json::read(bytes).ok() };
        if let Some(published) = document.as_ref().and_then(|document| document.at(pointer)).map(Published::of) {
            self.verdicts.insert(path.to_owned(), published);
        }
    }

    /// The seal: a line of JSON for each file and each verdict, sorted, and one with the digest of all lines before it.
    pub fn seal(&self) -> String {
        let files = self.files.iter().map(|(path, digest)| json!({ "path": path, "sha256": digest.sha256, "bytes": digest.bytes }));
        let verdicts = self.verdicts.iter().map(|(at, published)| json!({ "at": at, "label": published.label, "pass": published.pass }));
        let lines: String = files.chain(verdicts).map(|line| escape_json(&line.to_string()) + "\n").collect();
        let digest = HEXLOWER.encode(&crypto::sha256([lines.as_bytes()]));
        format!("{lines}{}\n", json!({ "seal": SEAL_VERSION, "sha256": digest }))
    }

    /// Reads a seal.
    ///
    /// # Errors
    /// [`SealError`] where it is none, or was changed since it was written.
    pub fn from_seal(seal: &[u8]) -> Result<Self, SealError> {
        if seal.len() > limits::SEAL_BYTES {
            return Err(SealError::TooLarge(seal.len()));
        }
        let content = seal.strip_suffix(b"\n").unwrap_or(seal);
        let start = content.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end.saturating_add(1));
        let (lines, last) = content.split_at_checked(start).unwrap_or_default();
        let count = lines.iter().filter(|byte| **byte == b'\n').count();
        let refused = |line: usize, what: String| SealError::Line { line: line.saturating_add(1), what };
        let end = json::read(last).map_err(|error| refused(count, error.message))?;
        let version = end.member("seal").and_then(Value::double);
        if version != Some(f64::from(SEAL_VERSION)) {
            return Err(refused(count, "the last line is not that of a seal of version 1".to_owned()));
        }
        let found = HEXLOWER.encode(&crypto::sha256([lines]));
        let said = end.member("sha256").and_then(Value::string).unwrap_or_default();
        if said != found {
            return Err(SealError::Digest { said: brief(said), found });
        }
        let mut snapshot = Self::default();
        let lines = lines.strip_suffix(b"\n").unwrap_or_default();
        for (index, line) in lines.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty()) {
            let value = json::read(line).map_err(|error| refused(index, error.message))?;
            snapshot.unseal(&value).ok_or_else(|| refused(index, "it is neither a file nor a verdict".to_owned()))?;
        }
        Ok(snapshot)
    }

    fn unseal(&mut self, line: &Value<'_>) -> Option<()> {
        let text = |name: &str| line.member(name)?.string();
        if let Some(path) = text("path") {
            let sha256 = text("sha256").filter(|text| is_hex(text, 64))?.to_owned();
            let Kind::Number(bytes) = line.member("bytes")?.kind else { return None };
            self.files.insert(path.to_owned(), Digest { sha256, bytes: bytes.parse().ok()? });
        } else {
            self.verdicts.insert(text("at")?.to_owned(), Published::of(line));
        }
        Some(())
    }
}

impl Published {
    fn of(verdict: &Value<'_>) -> Self {
        let label = verdict.member("label").and_then(Value::string).map(str::to_owned);
        let pass = verdict.member("pass").and_then(|pass| if let Kind::Bool(pass) = pass.kind { Some(pass) } else { None });
        Self { label, pass }
    }

    fn shown(&self) -> String {
        let pass = self.pass.map_or_else(String::new, |pass| format!(" (pass={pass})"));
        format!("{}{pass}", self.label.as_deref().map_or("no label".to_owned(), brief))
    }
}

fn place_of_row(list: &str, run: &str) -> String {
    format!("{list}#{run}")
}

/// Everything of the earlier log that the present one does not hold as it was: the ledger may grow at its end, the index may be
/// written anew, and files may be added.
pub(super) fn changes(earlier: &Snapshot, present: &Snapshot) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend(ledger_change(earlier, present));
    findings.extend(vanished(earlier, present));
    let is_kept = |path: &str| [RUNS, ROUNDS].iter().any(|folder| path.split('/').next() == Some(*folder));
    for (path, old) in earlier.files.iter().filter(|(path, _)| is_kept(path)) {
        if let Some(new) = present.files.get(path).filter(|new| *new != old) {
            let message = format!("{} was {}, is {}", quoted(path), old.sha256, new.sha256);
            findings.push(about_file(Code::LogFileChanged, path, message).found_and_wanted(&new.sha256, &old.sha256));
        }
    }
    for (place, old) in &earlier.verdicts {
        let of_row = [INDEX, LEDGER].into_iter().find_map(|list| Some((list, Some(place.strip_prefix(list)?.strip_prefix('#')?))));
        let (file, run) = of_row.unwrap_or((place.as_str(), None));
        match (present.verdicts.get(place), run) {
            (Some(new), _) if new == old => {}
            (Some(new), _) => {
                let what = run.map_or_else(|| quoted(file), |run| format!("{} in {}", quoted(run), quoted(file)));
                let message = format!("the verdict of {what} was {}, is {}", old.shown(), new.shown());
                let finding = about_file(Code::LogVerdictChanged, file, message).found_and_wanted(&new.shown(), &old.shown());
                findings.push(run.map_or(finding.clone(), |run| finding.about([run])));
            }
            (None, Some(run)) => {
                let message = format!("the row of {} in {} is gone; it said {}", quoted(run), quoted(file), old.shown());
                findings.push(about_file(Code::LogRowVanished, file, message).about([run]));
            }
            // The file is gone or was changed, which is said; what it publishes cannot be read.
            (None, None) => {}
        }
    }
    findings
}

/// The earlier ledger is a prefix of the present one.
fn ledger_change(earlier: &Snapshot, present: &Snapshot) -> Option<Finding> {
    let old = earlier.files.get(LEDGER)?;
    let Some(ledger) = &present.ledger else {
        let message = format!("{LEDGER} is gone; it had {} bytes, SHA-256 {}", old.bytes, old.sha256);
        return Some(about_file(Code::LogLedgerRewritten, LEDGER, message));
    };
    let prefix = ledger.get(..old.bytes).unwrap_or(ledger);
    let found = HEXLOWER.encode(&crypto::sha256([prefix]));
    if found == old.sha256 {
        return None;
    }
    let line = earlier.ledger.as_ref().and_then(|earlier| {
        let [earlier, present] = [earlier, ledger].map(|ledger| ledger.split(|byte| *byte == b'\n'));
        let present = present.map(Some).chain(std::iter::repeat(None));
        earlier.zip(present).zip(1_usize..).find(|((old, new), _)| Some(*old) != *new).map(|(_, line)| line)
    });
    let place = line.map_or_else(String::new, |line| format!(", first in line {line}"));
    let message = format!(
        "the first {} bytes of {LEDGER} had SHA-256 {}, now {}{} have {found}{place}",
        old.bytes,
        old.sha256,
        if ledger.len() < old.bytes { "all " } else { "the first " },
        prefix.len(),
    );
    let finding = about_file(Code::LogLedgerRewritten, LEDGER, message).found_and_wanted(&found, &old.sha256);
    Some(line.map_or(finding.clone(), |line| finding.on_line(line)))
}

/// Files that are gone; those of a run that is gone as a whole together.
fn vanished(earlier: &Snapshot, present: &Snapshot) -> Vec<Finding> {
    let present_folders: BTreeSet<&str> = present.files.keys().filter_map(|path| folder_of(path)).collect();
    let mut gone: BTreeMap<&str, Vec<(&String, &Digest)>> = BTreeMap::new();
    for (path, digest) in earlier.files.iter().filter(|(path, _)| *path != LEDGER && !present.files.contains_key(*path)) {
        let whole = folder_of(path).filter(|folder| !present_folders.contains(folder));
        gone.entry(whole.unwrap_or(path)).or_default().push((path, digest));
    }
    let finding = |(place, files): (&str, Vec<(&String, &Digest)>)| {
        let list: Vec<String> = files.iter().map(|(path, digest)| format!("{} had {}", quoted(path), digest.sha256)).collect();
        about_file(Code::LogFileVanished, place, format!("{} is gone: {}", quoted(place), list.join(", ")))
    };
    gone.into_iter().map(finding).collect()
}

/// The directory of a run or a round, for a file below it.
fn folder_of(path: &str) -> Option<&str> {
    let (end, _) = path.match_indices('/').nth(1)?;
    path.split_at_checked(end).map(|(folder, _)| folder)
}

/// A finding about a file, and about the run to whose directory it belongs.
fn about_file(code: Code, path: &str, message: String) -> Finding {
    let finding = Finding::at(path, Problem::new(code, Location::document("log"), message));
    match path.split('/').collect::<Vec<_>>().as_slice() {
        [RUNS, run, ..] => finding.about([*run]),
        _ => finding,
    }
}

impl Finding {
    fn found_and_wanted(mut self, found: &str, wanted: &str) -> Self {
        self.problem = self.problem.found(found).wanted(wanted);
        self
    }
}

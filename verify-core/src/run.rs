//! The files beside a receipt in its run directory: they must say the same as the receipt.
//!
//! Nothing authenticates them, so nothing they say is evidence; but people read them in the place of the receipt. Producers write
//! them in several shapes and leave much out: compared is what two of them both record.

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;

use crate::crypto;
use crate::json::{self, Kind, Value, child, first_difference, same_decimal};
use crate::ledger::{Checked, Findings, Stopped};
use crate::limits;
use crate::problem::{Code, Location, Problem};
use crate::receipt::DOCUMENT;
use crate::report::ComparedFile;
use crate::text::{brief, escape, quoted};
use crate::verdict::same_number;

/// A file that may stand beside a receipt in its run directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Companion {
    /// `attestation.json`: the attestation of the receipt, alone.
    Attestation,
    /// `result.json`: what the run came to, in the producer's own shape.
    Result,
    /// `eval.log`: what the run printed.
    EvalLog,
    /// `log.txt`: the same under its older name.
    LogText,
}

impl Companion {
    /// All of them.
    pub const ALL: [Companion; 4] = [Companion::Attestation, Companion::Result, Companion::EvalLog, Companion::LogText];

    /// The name of the file.
    pub const fn name(self) -> &'static str {
        match self {
            Companion::Attestation => "attestation.json",
            Companion::Result => RESULT,
            Companion::EvalLog => "eval.log",
            Companion::LogText => "log.txt",
        }
    }
}

/// One file beside a receipt, as the caller found it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RunFile<'a> {
    /// Which file it is.
    pub companion: Companion,
    /// Its bytes, or why it could not be read.
    pub content: Result<&'a [u8], &'a str>,
}

impl<'a> RunFile<'a> {
    /// A file with these bytes.
    pub const fn new(companion: Companion, bytes: &'a [u8]) -> Self {
        Self { companion, content: Ok(bytes) }
    }

    /// A file that is there but could not be read, and why.
    pub const fn unreadable(companion: Companion, why: &'a str) -> Self {
        Self { companion, content: Err(why) }
    }
}

const RESULT: &str = "result.json";

/// How the line of a log begins that holds the result of its run.
const RESULT_LINE: &[u8] = b"RESULT_JSON ";

/// The blocks of an attestation whose members a result repeats under the same name.
const BLOCKS: [&str; 4] = ["/verdict", "/measurements/primary", "/measurements/dflash", "/environment"];

/// Members of these names mean another thing in each place.
const AMBIGUOUS: [&str; 2] = ["model", "model_sha256"];

/// Members that a result repeats under a name of its own, with their place in an attestation.
const RENAMED: [(&str, &str); 6] = [
    (COMMIT, "/code/commit"),
    ("eval_seed", "/references/eval_seed"),
    ("llama_commit", "/references/llamacpp_commit"),
    ("delta_pct", "/verdict/pct_over_frontier"),
    ("pr_top1", "/measurements/primary/top1"),
    ("pr_kl", "/measurements/primary/kl"),
];

const COMMIT: &str = "commit";

/// How many differing members beside the first a message names.
const NAMED: usize = 4;

/// The members in which a result names its receipt.
const RECEIPT_IDS: [&str; 2] = ["receipt_id", "polaris_receipt_id"];

/// What every file is, before anything is compared.
pub(crate) fn list(files: &[RunFile<'_>]) -> Vec<ComparedFile> {
    let entry = |file: &RunFile<'_>| ComparedFile {
        name: file.companion.name(),
        sha256: file.content.ok().map(|bytes| HEXLOWER.encode(&crypto::sha256([bytes]))),
        bytes: file.content.ok().map(<[u8]>::len),
        against: None,
        compared: 0,
        differing: Vec::new(),
    };
    files.iter().map(entry).collect()
}

/// Compares each file with the receipt, and a log with `result.json` where there is one. `listed` is the list of the same files.
pub(crate) fn check(
    files: &[RunFile<'_>],
    attestation: Checked<&Value<'_>>,
    receipt_id: Checked<&str>,
    listed: &mut [ComparedFile],
    findings: &mut Findings,
) -> Checked<()> {
    if files.is_empty() {
        return Err(Stopped::NotApplicable("no files beside the receipt were given"));
    }
    let attestation = attestation?;
    let documents: Vec<Result<Option<Value<'_>>, String>> = files.iter().map(read).collect();
    let result = files.iter().zip(&documents).find(|(file, _)| file.companion == Companion::Result);
    let result = result.and_then(|(_, document)| document.as_ref().ok()?.as_ref());
    for ((file, document), entry) in files.iter().zip(&documents).zip(listed.iter_mut()) {
        let document = match document {
            Ok(Some(document)) => document,
            Ok(None) => continue,
            Err(why) => {
                let message = format!("{} cannot be compared: {why}", entry.name);
                findings.raise(Problem::new(Code::RunUnreadable, Location::document(entry.name), message));
                continue;
            }
        };
        match (file.companion, result) {
            (Companion::Attestation, _) => compare_attestation(document, attestation, entry, findings),
            (Companion::Result, _) => {
                compare_results(Code::RunResult, document, DOCUMENT, &results_of(attestation), entry, findings);
                compare_receipt_id(document, receipt_id, findings);
            }
            (Companion::EvalLog | Companion::LogText, Some(result)) => {
                let members = result.object().unwrap_or_default().iter().map(|member| (&*member.name, &member.value)).collect();
                compare_results(Code::RunLog, document, RESULT, &members, entry, findings);
            }
            (Companion::EvalLog | Companion::LogText, None) => {
                compare_results(Code::RunLog, document, DOCUMENT, &results_of(attestation), entry, findings);
            }
        }
    }
    if listed.iter().all(|entry| entry.compared == 0) {
        return Err(Stopped::NotApplicable("no file beside the receipt says anything that the receipt says too"));
    }
    Ok(())
}

/// The JSON that a file holds for comparison, if it holds any; or why it cannot be compared.
fn read<'a>(file: &RunFile<'a>) -> Result<Option<Value<'a>>, String> {
    let bytes = file.content.map_err(brief)?;
    if bytes.len() > limits::RUN_FILE_BYTES {
        return Err(format!("it has {} bytes; at most {} are read", bytes.len(), limits::RUN_FILE_BYTES));
    }
    let json = match file.companion {
        Companion::Attestation | Companion::Result => Some(bytes),
        Companion::EvalLog | Companion::LogText => last_result(bytes),
    };
    let object = |bytes| {
        let value = json::read(bytes).map_err(|error| format!("byte {}: {}", error.offset, error.message))?;
        match value.object() {
            Some(_) => Ok(value),
            None => Err(format!("it is {}; wanted an object", value.type_name())),
        }
    };
    json.map(object).transpose()
}

/// The result that a log holds last: a harness that tries again prints another one.
fn last_result(log: &[u8]) -> Option<&[u8]> {
    log.split(|byte| *byte == b'\n').filter_map(|line| line.strip_prefix(RESULT_LINE)).next_back()
}

fn compare_attestation(file: &Value<'_>, attestation: &Value<'_>, entry: &mut ComparedFile, findings: &mut Findings) {
    entry.against = Some(DOCUMENT);
    entry.compared = file.object().unwrap_or_default().len();
    let Some(pointer) = first_difference(file, attestation, same_decimal) else { return };
    let shown = |value: &Value<'_>| value.at(&pointer).map_or("absent".to_owned(), Value::shown);
    let (found, wanted) = (shown(file), shown(attestation));
    let place = if pointer.is_empty() { "the whole".to_owned() } else { escape(&pointer) };
    let message = format!("{} is not the attestation of the receipt: {place} is {found}, in the receipt {wanted}", entry.name);
    findings.raise(Problem::new(Code::RunAttestation, Location::pointer(entry.name, &pointer), message).found(found).wanted(wanted));
    entry.differing.push(escape(&pointer));
}

/// What an attestation says, by the names under which a result says it.
fn results_of<'v, 'a>(attestation: &'v Value<'a>) -> BTreeMap<&'v str, &'v Value<'a>> {
    let blocks = BLOCKS.into_iter().filter_map(|block| attestation.at(block)?.object()).flatten();
    let repeated = blocks.map(|member| (&*member.name, &member.value)).filter(|(name, _)| !AMBIGUOUS.contains(name));
    let renamed = RENAMED.into_iter().filter_map(|(name, pointer)| Some((name, attestation.at(pointer)?)));
    repeated.chain(renamed).collect()
}

/// Compares the members of `file` with those of the same name in `others`, which stand in the document `against`.
fn compare_results(
    code: Code,
    file: &Value<'_>,
    against: &'static str,
    others: &BTreeMap<&str, &Value<'_>>,
    entry: &mut ComparedFile,
    findings: &mut Findings,
) {
    let members = file.object().unwrap_or_default().iter();
    let pairs = members.filter_map(|member| {
        let other = *others.get(&*member.name)?;
        (is_recorded(&member.value) && is_recorded(other)).then_some((&*member.name, &member.value, other))
    });
    let pairs: Vec<_> = pairs.collect();
    let differing: Vec<_> = pairs.iter().filter(|(name, value, other)| !agree(name, value, other)).collect();
    entry.compared = pairs.len();
    entry.against = (!pairs.is_empty()).then_some(against);
    entry.differing = differing.iter().take(limits::RUN_DIFFERENCES).map(|(name, _, _)| escape(&child("", name))).collect();
    if let Some((name, value, other)) = differing.first() {
        let (found, wanted) = (value.shown(), other.shown());
        let also: Vec<String> = differing.iter().skip(1).take(NAMED).map(|(name, _, _)| brief(name)).collect();
        let also = if also.is_empty() {
            String::new()
        } else {
            format!("; {} more differ: {}", differing.len().saturating_sub(1), also.join(", "))
        };
        let message = format!("{} has {} {found}, {against} has {wanted}{also}", entry.name, brief(name));
        let location = Location::pointer(entry.name, child("", name));
        findings.raise(Problem::new(code, location, message).found(found).wanted(wanted));
    }
}

fn compare_receipt_id(file: &Value<'_>, receipt_id: Checked<&str>, findings: &mut Findings) {
    let Ok(receipt_id) = receipt_id else { return };
    for name in RECEIPT_IDS {
        let Some(named) = file.member(name).filter(|named| is_recorded(named) && named.string() != Some(receipt_id)) else { continue };
        let (found, wanted) = (named.shown(), quoted(receipt_id));
        let message = format!("{RESULT} names the receipt {found}; this one is {wanted}");
        let location = Location::pointer(RESULT, child("", name));
        findings.raise(Problem::new(Code::RunReceiptId, location, message).found(found).wanted(wanted));
    }
}

/// Producers write null or an empty text for what they did not record.
fn is_recorded(value: &Value<'_>) -> bool {
    !matches!(value.kind, Kind::Null) && value.string() != Some("")
}

/// A commit agrees with its beginning, a number with its text and with what sealing rounds it to, everything else with itself.
fn agree(name: &str, left: &Value<'_>, right: &Value<'_>) -> bool {
    match (&left.kind, &right.kind) {
        (Kind::String(left), Kind::String(right)) if name == COMMIT => left.starts_with(&**right) || right.starts_with(&**left),
        (Kind::Number(left) | Kind::NonFinite(left), Kind::Number(right) | Kind::NonFinite(right)) => same_number(left, right),
        (Kind::String(left), Kind::Number(right)) => same_decimal(left, right),
        (Kind::Number(left), Kind::String(right)) => same_decimal(left, right),
        _ => first_difference(left, right, same_decimal).is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_result_of_a_log_counts() {
        let log = b"RESULT_JSON 1\nnoise RESULT_JSON 3\nRESULT_JSON 2\n RESULT_JSON 4\n";
        assert_eq!(last_result(log), Some(b"2".as_slice()));
        assert_eq!(last_result(b"no RESULT_JSON 1\nRESULT_JSON\n"), None);
    }
}

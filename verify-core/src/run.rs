//! The files beside a receipt in its run directory: they must say the same as the receipt.
//!
//! Nothing authenticates them, so nothing they say is evidence; but people read them in the place of the receipt. Producers write
//! them in several shapes and leave much out: compared is what two of them both record.

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;

use crate::compare::{compare, is_same, same_decimal};
use crate::crypto;
use crate::expectation::Form;
use crate::json::{self, JsonErrorKind, Kind, Value, child, is_number};
use crate::ledger::{Checked, Findings, Stopped};
use crate::limits;
use crate::problem::{Code, Location, Problem};
use crate::receipt::DOCUMENT;
use crate::report::ComparedFile;
use crate::text::{brief, escape, quoted};
use crate::time::Timestamp;
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

pub(crate) const RESULT: &str = "result.json";

/// How the line of a log begins that holds the result of its run.
const RESULT_LINE: &[u8] = b"RESULT_JSON ";

/// The blocks of an attestation whose members a result repeats under the same name.
const BLOCKS: [&str; 6] = ["/verdict", "/measurements/primary", "/measurements/dflash", "/environment", "/code", "/references"];

/// Members of these names mean another thing in each place.
const AMBIGUOUS: [&str; 2] = ["model", "model_sha256"];

/// Members that a result repeats from another place or under a name of its own, with their place in an attestation.
const RENAMED: [(&str, &str); 5] = [
    (TIMESTAMP, "/timestamp_utc"),
    ("llama_commit", "/references/llamacpp_commit"),
    ("delta_pct", "/verdict/pct_over_frontier"),
    ("pr_top1", "/measurements/primary/top1"),
    ("pr_kl", "/measurements/primary/kl"),
];

const COMMIT: &str = "commit";
const TIMESTAMP: &str = "timestamp_utc";

/// How many differing members beside the first a message names.
const NAMED: usize = 4;

/// The members in which a result names its receipt.
pub(crate) const RECEIPT_IDS: [&str; 2] = ["receipt_id", "polaris_receipt_id"];

/// What every file is, before anything is compared.
pub(crate) fn list(files: &[RunFile<'_>]) -> Vec<ComparedFile> {
    let entry = |file: &RunFile<'_>| ComparedFile {
        name: file.companion.name(),
        sha256: file.content.ok().map(|bytes| HEXLOWER.encode(&crypto::sha256([bytes]))),
        bytes: file.content.ok().map(<[u8]>::len),
        against: None,
        compared: 0,
        differ: 0,
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
    let documents: Vec<Result<_, _>> = files.iter().map(read).collect();
    let result = files.iter().zip(&documents).find(|(file, _)| file.companion == Companion::Result);
    let result = result.and_then(|(_, document)| document.as_ref().ok()?.as_ref());
    for ((file, document), entry) in files.iter().zip(&documents).zip(listed.iter_mut()) {
        let document = match document {
            Ok(Some(document)) => document,
            Ok(None) => continue,
            Err((code, why)) => {
                let message = format!("{} cannot be compared: {why}", entry.name);
                findings.raise(Problem::new(*code, Location::document(entry.name), message));
                continue;
            }
        };
        match (file.companion, result) {
            (Companion::Attestation, _) => compare_attestation(document, attestation, entry, findings),
            (Companion::Result, _) => {
                compare_results(Code::RunResult, document, DOCUMENT, &results_of(attestation), entry, findings);
                compare_receipt_id(document, receipt_id, entry, findings);
            }
            (Companion::EvalLog | Companion::LogText, Some(result)) => {
                compare_results(Code::RunLog, document, RESULT, &members_of(result), entry, findings);
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
pub(crate) fn read<'a>(file: &RunFile<'a>) -> Result<Option<Value<'a>>, (Code, String)> {
    let bytes = file.content.map_err(|why| (Code::RunUnreadable, brief(why)))?;
    if bytes.len() > limits::RUN_FILE_BYTES {
        return Err((Code::LimitExceeded, format!("it has {} bytes; at most {} are read", bytes.len(), limits::RUN_FILE_BYTES)));
    }
    let json = match file.companion {
        Companion::Attestation | Companion::Result => Some(bytes),
        Companion::EvalLog | Companion::LogText => last_result(bytes),
    };
    let object = |bytes| {
        let value = json::read(bytes).map_err(|error| {
            let code = if error.kind == JsonErrorKind::Limit { Code::LimitExceeded } else { Code::RunUnreadable };
            (code, format!("byte {}: {}", error.offset, error.message))
        })?;
        match value.object() {
            Some(_) => Ok(value),
            None => Err((Code::RunUnreadable, format!("it is {}; wanted an object", value.type_name()))),
        }
    };
    json.map(object).transpose()
}

/// The result that a log holds last: a harness that tries again prints another one.
fn last_result(log: &[u8]) -> Option<&[u8]> {
    log.split(|byte| *byte == b'\n').filter_map(|line| line.strip_prefix(RESULT_LINE)).next_back()
}

fn compare_attestation(file: &Value<'_>, attestation: &Value<'_>, entry: &mut ComparedFile, findings: &mut Findings) {
    let comparison = compare(file, attestation, is_same);
    entry.against = Some(DOCUMENT);
    (entry.compared, entry.differ) = (comparison.compared, comparison.differ);
    if let Some(pointer) = comparison.differing.first() {
        let (found, wanted) = (shown_at(file, pointer), shown_at(attestation, pointer));
        let place = if pointer.is_empty() { "the whole".to_owned() } else { escape(pointer) };
        let message = format!("{} is not the attestation of the receipt: {place} is {found}, in the receipt {wanted}", entry.name);
        findings.raise(Problem::new(Code::RunAttestation, Location::pointer(entry.name, pointer), message).found(found).wanted(wanted));
    }
    entry.differing = comparison.differing.iter().map(|pointer| escape(pointer)).collect();
}

/// What an attestation says, by the names under which a result says it. Blocks that share a name are all heard: which of them
/// a reader takes the name for is not known.
pub(crate) fn results_of<'v, 'a>(attestation: &'v Value<'a>) -> BTreeMap<&'v str, Vec<&'v Value<'a>>> {
    let blocks = BLOCKS.into_iter().filter_map(|block| attestation.at(block)?.object()).flatten();
    let repeated = blocks.map(|member| (&*member.name, &member.value)).filter(|(name, _)| !AMBIGUOUS.contains(name));
    let renamed = RENAMED.into_iter().filter_map(|(name, pointer)| Some((name, attestation.at(pointer)?)));
    let mut results: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (name, value) in repeated.chain(renamed) {
        results.entry(name).or_default().push(value);
    }
    results
}

/// The members of an object by their names.
pub(crate) fn members_of<'v, 'a>(object: &'v Value<'a>) -> BTreeMap<&'v str, Vec<&'v Value<'a>>> {
    object.object().unwrap_or_default().iter().map(|member| (&*member.name, vec![&member.value])).collect()
}

/// Compares the members of `file` with all of the same name in `others`, which stand in the document `against`.
fn compare_results(
    code: Code,
    file: &Value<'_>,
    against: &'static str,
    others: &BTreeMap<&str, Vec<&Value<'_>>>,
    entry: &mut ComparedFile,
    findings: &mut Findings,
) {
    let Repeated { compared, differing } = repeated(file, others);
    entry.compared = entry.compared.saturating_add(compared);
    entry.against = (entry.compared > 0).then_some(against);
    entry.differ = differing.len();
    entry.differing = differing.iter().take(limits::DIFFERENCES).map(|differing| escape(&child("", differing.name))).collect();
    problem_of(code, entry.name, "", &differing, against).into_iter().for_each(|problem| findings.raise(problem));
}

/// What two documents both record.
pub(crate) struct Repeated<'v, 'a> {
    /// How many members of one stand in the other.
    pub(crate) compared: usize,
    /// Those that differ.
    pub(crate) differing: Vec<Differing<'v, 'a>>,
}

/// A member that another document has otherwise.
pub(crate) struct Differing<'v, 'a> {
    pub(crate) name: &'v str,
    found: &'v Value<'a>,
    wanted: &'v Value<'a>,
    /// Where, below the member.
    pointer: String,
}

/// Compares the members of `file` with all of the same name in `others`.
pub(crate) fn repeated<'v, 'a>(file: &'v Value<'a>, others: &BTreeMap<&str, Vec<&'v Value<'a>>>) -> Repeated<'v, 'a> {
    let mut repeated = Repeated { compared: 0, differing: Vec::new() };
    for member in file.object().unwrap_or_default().iter().filter(|member| is_recorded(&member.value)) {
        let name = &*member.name;
        let recorded: Vec<_> = others.get(name).into_iter().flatten().filter(|other| is_recorded(other)).collect();
        repeated.compared = repeated.compared.saturating_add(usize::from(!recorded.is_empty()));
        repeated.differing.extend(recorded.into_iter().find_map(|other| {
            let comparison = compare(&member.value, other, |left, right| agree(name, left, right));
            Some(Differing { name, found: &member.value, wanted: other, pointer: comparison.differing.into_iter().next()? })
        }));
    }
    repeated
}

/// One finding about the members of `document`, below `place`, that differ from those of `against`.
pub(crate) fn problem_of(
    code: Code,
    document: &'static str,
    place: &str,
    differing: &[Differing<'_, '_>],
    against: &'static str,
) -> Option<Problem> {
    let Differing { name, found, wanted, pointer } = differing.first()?;
    let (found, wanted) = (shown_at(found, pointer), shown_at(wanted, pointer));
    let also: Vec<String> = differing.iter().skip(1).take(NAMED).map(|differing| brief(differing.name)).collect();
    let also = match also.is_empty() {
        true => String::new(),
        false => format!("; {} more differ: {}", differing.len().saturating_sub(1), also.join(", ")),
    };
    let message = format!("{document} has {}{} {found}, {against} has {wanted}{also}", brief(name), escape(pointer));
    let location = Location::pointer(document, format!("{}{pointer}", child(place, name)));
    Some(Problem::new(code, location, message).found(found).wanted(wanted))
}

fn compare_receipt_id(file: &Value<'_>, receipt_id: Checked<&str>, entry: &mut ComparedFile, findings: &mut Findings) {
    let Ok(receipt_id) = receipt_id else { return };
    for name in RECEIPT_IDS {
        let Some(named) = file.member(name).filter(|named| is_recorded(named)) else { continue };
        entry.against = Some(DOCUMENT);
        entry.compared = entry.compared.saturating_add(1);
        if named.string() == Some(receipt_id) {
            continue;
        }
        entry.differ = entry.differ.saturating_add(1);
        if entry.differing.len() < limits::DIFFERENCES {
            entry.differing.push(child("", name));
        }
        let (found, wanted) = (named.shown(), quoted(receipt_id));
        let message = format!("{RESULT} names the receipt {found}; this one is {wanted}");
        let location = Location::pointer(RESULT, child("", name));
        findings.raise(Problem::new(Code::RunReceiptId, location, message).found(found).wanted(wanted));
    }
}

/// Producers write null or an empty text for what they did not record.
pub(crate) fn is_recorded(value: &Value<'_>) -> bool {
    !matches!(value.kind, Kind::Null) && value.string() != Some("")
}

/// Whether a result says the same under `name` as another document: of a commit its beginning, of a time its instant, of a number
/// what sealing rounds it to or its text.
fn agree(name: &str, left: &Value<'_>, right: &Value<'_>) -> bool {
    match (&left.kind, &right.kind) {
        (Kind::String(left), Kind::String(right)) if is_commit(name) && [left, right].iter().all(|text| Form::Commit.fits(text)) => {
            left.starts_with(&**right) || right.starts_with(&**left)
        }
        (Kind::String(left), Kind::String(right)) if name == TIMESTAMP => {
            let same_instant = || Some(Timestamp::parse_utc(left).ok()? == Timestamp::parse_utc(right).ok()?);
            left == right || same_instant() == Some(true)
        }
        (Kind::Number(left), Kind::Number(right)) => agree_in_number(left, right),
        (Kind::String(text), Kind::Number(number)) | (Kind::Number(number), Kind::String(text)) => {
            is_number(text) && agree_in_number(text, number)
        }
        _ => is_same(left, right),
    }
}

fn is_commit(name: &str) -> bool {
    name == COMMIT || name.ends_with("_commit")
}

/// Sealing rounds fractions; whole numbers it leaves alone.
fn agree_in_number(left: &str, right: &str) -> bool {
    let is_whole = |token: &str| !token.contains(['.', 'e', 'E']);
    if is_whole(left) && is_whole(right) { same_decimal(left, right) } else { same_number(left, right) }
}

/// What stands at a pointer that a comparison gave.
fn shown_at(value: &Value<'_>, pointer: &str) -> String {
    value.at(pointer).map_or("absent".to_owned(), Value::shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_agrees_up_to_rounding_and_spelling() {
        let agrees = |name: &str, left: &str, right: &str| {
            let (left, right) = (json::read(left.as_bytes()).unwrap(), json::read(right.as_bytes()).unwrap());
            let agrees = |left, right| compare(left, right, |left, right| agree(name, left, right)).differ == 0;
            assert_eq!(agrees(&left, &right), agrees(&right, &left), "{left:?} {right:?}");
            agrees(&left, &right)
        };
        for (left, right) in [
            ("1.23456749", "1.234567"),
            ("100", "100.0000001"),
            ("\"1.23456749\"", "1.234567"),
            ("\"2400\"", "2400"),
            ("NaN", "NaN"),
            (r#"{"a":[1.23456749,"0.5"]}"#, r#"{"a":["1.234567",0.50]}"#),
        ] {
            assert!(agrees("tps", left, right), "{left} {right}");
        }
        for (left, right) in [
            ("1.2345676", "1.234567"),
            ("9007199254740993", "9007199254740992"),
            ("\"9007199254740993\"", "9007199254740992"),
            ("\"2400 MHz\"", "2400"),
            ("\"+2400\"", "2400"),
            ("NaN", "Infinity"),
            ("NaN", "null"),
            ("\"0123456\"", "\"01234567\""),
            (r#"{"a":[1,2]}"#, r#"{"a":[1,3]}"#),
        ] {
            assert!(!agrees("tps", left, right), "{left} {right}");
        }
        let [utc, offset] = ["\"2026-08-01T23:47:45Z\"", "\"2026-08-01T23:47:45+00:00\""];
        assert!(agrees(TIMESTAMP, utc, offset) && !agrees("started", utc, offset));
        assert!(agrees("llama_commit", "\"0123456\"", "\"01234567\""));
        assert!(!agrees("commit", "\"012345\"", "\"01234567\""));
        assert!(!agrees("commit", "\"0123456\"", "\"0123457\""));
        assert!(!agrees("commit", "\"0123456z\"", "\"0123456\""));
    }

    #[test]
    fn the_last_result_of_a_log_counts() {
        let log = b"RESULT_JSON 1\nnoise RESULT_JSON 3\nRESULT_JSON 2\n RESULT_JSON 4\n";
        assert_eq!(last_result(log), Some(b"2".as_slice()));
        assert_eq!(last_result(b"no RESULT_JSON 1\nRESULT_JSON\n"), None);
    }
}

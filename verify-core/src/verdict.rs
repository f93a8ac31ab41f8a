//! The enclave's output against the verdict that the receipt claims.

use crate::facts::OutputFacts;
use crate::json::{self, JsonErrorKind, Kind, Value};
use crate::ledger::Findings;
use crate::problem::{Code, Location, Problem};
use crate::receipt::canonical::{compact_dumps, rounded};
use crate::receipt::{Attestation, DOCUMENT, Note};
use crate::report::Comparison;
use crate::text::{brief, escape, quoted};
use crate::tier::Label;

/// The document that pointers into the output lead into.
pub(crate) const OUTPUT: &str = "enclave output";
const LABEL: &str = "/attestation/verdict/label";
const REJECT: &str = Label::Reject.name();
/// What a scorer answers that checks but gives no tier.
pub(crate) const OK: &str = "ok";
/// How Python begins when a script crashes.
const CRASH: &[u8] = b"Traceback (most recent call last):";

/// Numbers that a scorer echoes: member of the output, pointer in the attestation.
const ECHOED_NUMBERS: [(&str, &str); 5] = [
    ("tps", "/verdict/tps"),
    ("delta_tps", "/verdict/delta_tps"),
    ("pct_over_frontier", "/verdict/pct_over_frontier"),
    ("top1", "/measurements/primary/top1"),
    ("kl", "/measurements/primary/kl"),
];

/// What the enclave printed.
pub(crate) struct Output<'a> {
    text: &'a [u8],
    content: Content<'a>,
}

enum Content<'a> {
    Object(Value<'a>),
    Empty,
    /// The trace of a script that crashed.
    Crash,
    /// None of these: another reader may see a verdict in it.
    Unreadable {
        code: Code,
        offset: usize,
        fault: String,
    },
}

impl<'a> Output<'a> {
    /// Total: output that is no JSON object has no members.
    pub(crate) fn read(text: &'a [u8]) -> Self {
        let content = match json::read(text) {
            Ok(value) if value.object().is_some() => Content::Object(value),
            Ok(value) => {
                let fault = format!("it is {}; wanted an object", value.type_name());
                Content::Unreadable { code: Code::VerdictUnreadable, offset: 0, fault }
            }
            Err(_) if text.trim_ascii().is_empty() => Content::Empty,
            Err(_) if is_crash(text) => Content::Crash,
            Err(error) => {
                let code = if error.kind == JsonErrorKind::Limit { Code::LimitExceeded } else { Code::VerdictUnreadable };
                Content::Unreadable { code, offset: error.offset, fault: error.message }
            }
        };
        Self { text, content }
    }

    pub(crate) fn text(&self) -> &[u8] {
        self.text
    }

    /// The output, where it is a JSON object.
    pub(crate) fn object(&self) -> Option<&Value<'a>> {
        match &self.content {
            Content::Object(value) => Some(value),
            Content::Empty | Content::Crash | Content::Unreadable { .. } => None,
        }
    }

    pub(crate) const fn is_crash(&self) -> bool {
        matches!(self.content, Content::Crash)
    }

    fn member(&self, name: &str) -> Option<&Value<'a>> {
        self.object()?.member(name)
    }

    fn label(&self) -> Option<&str> {
        self.member("label")?.string()
    }

    fn pass(&self) -> Option<bool> {
        match self.member("pass")?.kind {
            Kind::Bool(pass) => Some(pass),
            _ => None,
        }
    }

    /// The commit, or its beginning, that the output is about.
    pub(crate) fn commit(&self) -> Option<&str> {
        self.member("commit")?.string().filter(|commit| !commit.is_empty())
    }

    fn refuses(&self) -> bool {
        self.pass() == Some(false) || self.label() == Some(REJECT)
    }

    /// The label, if it is one that scorers write.
    fn known_label(&self) -> Option<&str> {
        self.label().filter(|label| *label == OK || Label::from_name(label).is_some())
    }

    /// Members of a form that no scorer writes: what they say is not known. Null is absent.
    fn odd_members(&self) -> Vec<&'static str> {
        let is_odd = |name: &str| {
            let Some(value) = self.member(name) else { return false };
            match (&value.kind, name) {
                (Kind::Null, _) | (Kind::Bool(_), "pass") | (Kind::String(_), "commit") => false,
                (Kind::String(_), "label") => self.known_label().is_none(),
                (Kind::Number(_) | Kind::NonFinite(_), _) => ["label", "pass", "commit"].contains(&name),
                _ => true,
            }
        };
        let numbers = ECHOED_NUMBERS.map(|(name, _)| name);
        ["label", "pass", "commit"].into_iter().chain(numbers).filter(|name| is_odd(name)).collect()
    }

    pub(crate) fn facts(&self, sha256: &str, reproduced_by: Option<&'static str>) -> OutputFacts {
        let (label, commit) = (self.label().map(brief), self.commit().map(brief));
        OutputFacts { sha256: sha256.to_owned(), label, pass: self.pass(), commit, reproduced_by }
    }

    fn crashed(&self) -> Problem {
        let message = format!("the enclave's output is not a result; its first line is {}", self.first_line());
        Problem::new(Code::VerdictCrashed, Location::document(OUTPUT), message)
    }

    fn unreadable(&self, code: Code, offset: usize, fault: &str) -> Problem {
        let message = format!(
            "the enclave's output cannot be read, so its verdict is not known: byte {offset}: {fault}; its first line is {}",
            self.first_line()
        );
        Problem::new(code, Location::offset(OUTPUT, offset), message)
    }

    pub(crate) fn first_line(&self) -> String {
        let text = String::from_utf8_lossy(self.text);
        quoted(text.lines().next().unwrap_or_default())
    }
}

/// Raises how the claimed verdict stands to the output: contradicted, stricter, not attested, crashed, or nothing.
pub(crate) fn check(output: &Output<'_>, attestation: &Attestation<'_>, findings: &mut Findings) {
    let location = |pointer: &str| Location::pointer(DOCUMENT, pointer);
    let not_attested = |label: &str| {
        let (claimed, pass) = (quoted(attestation.label), attestation.pass);
        let message = format!("the enclave's output {label}: label {claimed} and pass {pass} are claimed, not attested");
        Problem::new(Code::VerdictNotAttested, location(LABEL), message)
    };
    match &output.content {
        Content::Object(_) => {}
        Content::Empty => return findings.raise(not_attested("is empty")),
        Content::Crash => return findings.raise(output.crashed()),
        Content::Unreadable { code, offset, fault } => return findings.raise(output.unreadable(*code, *offset, fault)),
    }
    check_commit(output, attestation, findings);
    check_numbers(output, attestation, findings);
    let odd = output.odd_members();
    if let Some(first) = odd.first() {
        let shown = output.member(first).map(Value::shown).unwrap_or_default();
        let message = format!(
            "the enclave's output has a form that no scorer writes, so what it says is not known: {} ({first} is {shown})",
            odd.join(", ")
        );
        findings.raise(Problem::new(Code::VerdictUnreadable, Location::pointer(OUTPUT, format!("/{first}")), message));
    }
    if output.known_label().is_none() && output.pass().is_none() {
        if odd.is_empty() {
            findings.raise(not_attested("holds neither label nor pass"));
        }
        return;
    }
    let code = match relation(output, attestation) {
        Relation::Agrees => return,
        Relation::Contradicts => Code::VerdictContradicts,
        Relation::Stricter => Code::VerdictStricter,
    };
    let enclave = describe(output.label(), output.pass());
    let claimed = describe(Some(attestation.label), Some(attestation.pass));
    let message = format!("the enclave's signed output says {enclave}; the receipt claims {claimed}");
    findings.raise(Problem::new(code, location(LABEL), message).found(claimed).wanted(enclave));
}

/// Raises where a note does not repeat the enclave's output.
pub(crate) fn check_note(output: &Output<'_>, note: &Note<'_>, findings: &mut Findings) {
    let signed = match &output.content {
        Content::Object(value) => value,
        Content::Empty => {
            let message = format!("the enclave's output is empty: the label {} is claimed, not attested", quoted(note.label));
            return findings.raise(Problem::new(Code::VerdictNotAttested, Location::pointer(DOCUMENT, "/label"), message));
        }
        Content::Crash => return findings.raise(output.crashed()),
        Content::Unreadable { code, offset, fault } => return findings.raise(output.unreadable(*code, *offset, fault)),
    };
    if compact_dumps(signed) != compact_dumps(note.verdict) {
        let message = "verdict_doc is not the enclave's signed output";
        findings.raise(Problem::new(Code::VerdictContradicts, Location::pointer(DOCUMENT, "/verdict_doc"), message));
    }
    for (name, claimed) in [("label", note.label), ("reason", note.reason)] {
        if signed.member(name).and_then(Value::string) != Some(claimed) {
            let (enclave, claimed) = (signed.member(name).map_or("nothing".to_owned(), Value::shown), quoted(claimed));
            let message = format!("the enclave's signed output has the {name} {enclave}; the note claims {claimed}");
            let location = Location::pointer(DOCUMENT, format!("/{name}"));
            findings.raise(Problem::new(Code::VerdictContradicts, location, message).found(claimed).wanted(enclave));
        }
    }
}

enum Relation {
    Agrees,
    Contradicts,
    Stricter,
}

fn relation(output: &Output<'_>, claimed: &Attestation<'_>) -> Relation {
    let claims_other_label = output.known_label().is_some_and(|label| label != OK && label != claimed.label && claimed.label != REJECT);
    let claim_refuses = !claimed.pass || claimed.label == REJECT;
    match (output.refuses(), claim_refuses) {
        _ if claims_other_label => Relation::Contradicts,
        (true, _) if claimed.pass => Relation::Contradicts,
        (true, _) | (false, false) => Relation::Agrees,
        (false, true) => Relation::Stricter,
    }
}

/// Python's trace, at the beginning or after warnings that hold nothing that could be JSON.
fn is_crash(text: &[u8]) -> bool {
    let holds_json = text.iter().any(|byte| matches!(byte, b'{' | b'['));
    text.starts_with(CRASH) || (!holds_json && text.split(|byte| *byte == b'\n').any(|line| line.starts_with(CRASH)))
}

/// A label with its pass, quoted.
pub(crate) fn describe(label: Option<&str>, pass: Option<bool>) -> String {
    let label = label.map_or("no label".to_owned(), quoted);
    let pass = pass.map_or("no pass".to_owned(), |pass| format!("pass={pass}"));
    format!("{label} ({pass})")
}

/// The output may shorten the commit; what it holds has to begin the claimed one.
fn check_commit(output: &Output<'_>, attestation: &Attestation<'_>, findings: &mut Findings) {
    if let Some(commit) = output.commit().filter(|commit| !attestation.commit.starts_with(commit)) {
        let (enclave, claimed) = (quoted(commit), quoted(attestation.commit));
        let message = format!("the enclave's signed output is about commit {enclave}; the receipt claims {claimed}");
        let location = Location::pointer(DOCUMENT, "/attestation/code/commit");
        findings.raise(Problem::new(Code::VerdictCommit, location, message).found(claimed).wanted(enclave));
    }
}

/// Producers round to six places when they seal, so both sides are compared there. Null in the place of a number is another value.
fn check_numbers(output: &Output<'_>, attestation: &Attestation<'_>, findings: &mut Findings) {
    for (name, pointer) in ECHOED_NUMBERS {
        if let Some((enclave, claimed)) = number_pair(output, attestation, name, pointer)
            && !is_number(claimed, enclave)
        {
            let (enclave, claimed) = (quoted(enclave), quoted(token(claimed).unwrap_or("null")));
            let message = format!("the enclave's signed output has {name} {enclave}; the receipt claims {claimed}");
            let location = Location::pointer(DOCUMENT, format!("/attestation{pointer}"));
            findings.raise(Problem::new(Code::VerdictNumbers, location, message).found(claimed).wanted(enclave));
        }
    }
}

/// Verdict numbers that Python wrote as NaN or Infinity: usually a division by a frontier of zero.
pub(crate) fn check_finite(attestation: &Attestation<'_>, findings: &mut Findings) {
    let members = attestation.verdict.object().unwrap_or_default();
    let names: Vec<&str> =
        members.iter().filter(|member| matches!(member.value.kind, Kind::NonFinite(_))).map(|member| &*member.name).collect();
    if let Some(first) = names.first() {
        let more = if names.len() > 1 { format!(" (and {} more)", names.len().saturating_sub(1)) } else { String::new() };
        let message = format!("the claimed verdict has no finite {}{more}, so it measures nothing there", quoted(first));
        let location = Location::pointer(DOCUMENT, json::child("/attestation/verdict", first));
        findings.raise(Problem::new(Code::VerdictNotFinite, location, message).wanted("a finite number or null"));
    }
}

/// Both sides of one echoed number: what the output has, and what is claimed in its place.
fn number_pair<'v>(
    output: &'v Output<'_>,
    attestation: &'v Attestation<'v>,
    name: &str,
    pointer: &str,
) -> Option<(&'v str, &'v Value<'v>)> {
    let claimed = match pointer.strip_prefix("/verdict/") {
        Some(member) => attestation.verdict.member(member)?,
        None => attestation.measurements.member("primary")?.member(name)?,
    };
    Some((token(output.member(name)?)?, claimed))
}

fn is_number(claimed: &Value<'_>, enclave: &str) -> bool {
    token(claimed).is_some_and(|claimed| same_number(enclave, claimed))
}

fn token<'v>(value: &'v Value<'_>) -> Option<&'v str> {
    match value.kind {
        Kind::Number(token) | Kind::NonFinite(token) => Some(token),
        _ => None,
    }
}

/// Alike as written, or finite and alike after rounding to the six places that sealing keeps.
pub(crate) fn same_number(left: &str, right: &str) -> bool {
    let rounded = |token: &str| token.parse::<f64>().ok().filter(|number| number.is_finite()).map(rounded);
    left == right || rounded(left).is_some_and(|left| Some(left) == rounded(right))
}

/// What the output says in the place of the claim at `pointer`, if it says something about it.
pub(crate) fn comparison(output: &Output<'_>, attestation: &Attestation<'_>, pointer: &str) -> Option<Comparison> {
    let (name, value, agrees) = match pointer {
        "/verdict/label" => {
            let label = output.known_label().filter(|label| *label != OK)?;
            ("label", quoted(label), label == attestation.label)
        }
        "/verdict/pass" => ("pass", output.pass()?.to_string(), output.pass() == Some(attestation.pass)),
        "/code/commit" => ("commit", quoted(output.commit()?), attestation.commit.starts_with(output.commit()?)),
        _ => {
            let (name, _) = ECHOED_NUMBERS.into_iter().find(|(_, echoed)| *echoed == pointer)?;
            let (enclave, claimed) = number_pair(output, attestation, name, pointer)?;
            (name, brief(enclave), is_number(claimed, enclave))
        }
    };
    Some(Comparison { document: OUTPUT, pointer: escape(&json::child("", name)), value, agrees })
}

/// What the output says in the place of the `claimed` value at `pointer` of a note, if it says something about it.
pub(crate) fn note_comparison(output: &Output<'_>, claimed: &Value<'_>, pointer: &str) -> Option<Comparison> {
    let place = match pointer {
        "/label" | "/reason" => pointer,
        _ => pointer.strip_prefix("/verdict_doc").filter(|rest| rest.is_empty() || rest.starts_with('/'))?,
    };
    let signed = output.object()?.at(place)?;
    let agrees = compact_dumps(signed) == compact_dumps(claimed);
    Some(Comparison { document: OUTPUT, pointer: escape(place), value: signed.shown(), agrees })
}

/// The whole output against the text in which a response repeats it.
pub(crate) fn text_comparison(output: &Output<'_>, claimed: &Value<'_>) -> Comparison {
    let text = String::from_utf8_lossy(output.text);
    Comparison { document: OUTPUT, pointer: String::new(), value: quoted(&text), agrees: claimed.string() == Some(&text) }
}

/// Whether the output repeats `given`, a number or commit of its input, in the place of the claim at `pointer`.
pub(crate) fn repeats(output: &Output<'_>, pointer: &str, given: &Value<'_>) -> bool {
    if pointer == "/code/commit" {
        return output.commit().is_some() && output.commit() == given.string();
    }
    let name = ECHOED_NUMBERS.into_iter().find(|(_, echoed)| *echoed == pointer).map(|(name, _)| name);
    let enclave = name.and_then(|name| token(output.member(name)?));
    enclave.zip(token(given)).is_some_and(|(enclave, given)| same_number(enclave, given))
}

/// Whether an input holds a label or pass that a scorer could repeat.
pub(crate) fn holds_verdict(input: &Value<'_>) -> bool {
    let mut stack = vec![input];
    while let Some(value) = stack.pop() {
        for member in value.object().unwrap_or_default() {
            if ["label", "pass"].contains(&&*member.name) {
                return true;
            }
            stack.push(&member.value);
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_one_at_the_beginning_or_behind_warnings() {
        let trace = "Traceback (most recent call last):\n  File \"score.py\", line 1\n";
        for text in [trace.to_owned(), format!("{trace}{{}}"), format!("a warning\nanother\n{trace}")] {
            assert!(is_crash(text.as_bytes()), "{text}");
        }
        for text in [String::new(), "a warning\n".to_owned(), format!("{{}}\n{trace}"), format!("[1]\n{trace}"), format!(" {trace}")] {
            assert!(!is_crash(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn an_input_with_a_label_or_pass_at_any_depth_holds_a_verdict() {
        let holds = |input: &str| holds_verdict(&crate::json::read(input.as_bytes()).unwrap());
        for input in [r#"{"label": 1}"#, r#"{"a": {"b": {"pass": true}}}"#, r#"{"a": 1, "pass": null}"#] {
            assert!(holds(input), "{input}");
        }
        for input in [r#"{}"#, r#"{"a": {"b": "label"}}"#, r#"["label", "pass"]"#] {
            assert!(!holds(input), "{input}");
        }
    }

    #[test]
    fn an_output_repeats_what_it_holds_in_the_place_of_the_claim() {
        let repeats = |output: &str, pointer: &str, given: &str| {
            repeats(&Output::read(output.as_bytes()), pointer, &crate::json::read(given.as_bytes()).unwrap())
        };
        let output = r#"{"commit": "0123456", "tps": 120.5}"#;
        assert!(repeats(output, "/code/commit", r#""0123456""#) && repeats(output, "/verdict/tps", "120.50"));
        for (output, pointer, given) in [
            (output, "/code/commit", r#""01234567""#),
            (output, "/code/commit", "null"),
            (output, "/verdict/tps", "120.6"),
            (output, "/verdict/model", r#""0123456""#),
            (output, "/verdict/delta_tps", "120.5"),
            ("{}", "/code/commit", "null"),
            ("{}", "/code/commit", r#""0123456""#),
        ] {
            assert!(!repeats(output, pointer, given), "{output} {pointer} {given}");
        }
    }

    #[test]
    fn numbers_are_alike_as_written_or_after_rounding_to_six_places() {
        assert!(same_number("0.006694998", "0.006695"));
        assert!(same_number("9.99", "9.990"));
        assert!(same_number("NaN", "NaN"));
        assert!(same_number("-0.0", "0.0"));
        assert!(!same_number("9.99", "9.990001"));
        assert!(!same_number("NaN", "1"));
        assert!(!same_number(&"9".repeat(400), &"8".repeat(500)), "both are infinite as doubles");
    }
}

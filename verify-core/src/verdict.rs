//! The enclave's output against the verdict that the receipt claims.

use crate::json::{self, JsonError, Kind, Value};
use crate::ledger::Findings;
use crate::problem::{Code, Location, Problem};
use crate::receipt::{Attestation, DOCUMENT};
use crate::report::{Coverage, OutputFacts};
use crate::text::{brief, quoted};

const LABEL: &str = "/attestation/verdict/label";
const TIERS: [&str; 7] = ["XL", "L", "M", "S", "XS", "none", "BASELINE"];
const REJECT: &str = "REJECT";
/// What a scorer answers that checks but gives no tier.
const OK: &str = "ok";
/// How Python begins when a script crashes.
const CRASH: &[u8] = b"Traceback (most recent call last):";

/// Numbers that a scorer echoes: member of the output, pointer in the attestation.
pub(crate) const ECHOED_NUMBERS: [(&str, &str); 5] = [
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
    /// JSON without members, or the trace of a script that crashed.
    NoResult,
    /// Neither: another reader may see a verdict in it.
    Unreadable(JsonError),
}

impl<'a> Output<'a> {
    /// Total: output that is no JSON object has no members.
    pub(crate) fn read(text: &'a [u8]) -> Self {
        let content = match json::read(text) {
            Ok(value) if value.object().is_some() => Content::Object(value),
            Ok(_) => Content::NoResult,
            Err(_) if text.starts_with(CRASH) => Content::NoResult,
            Err(error) => Content::Unreadable(error),
        };
        Self { text, content }
    }

    fn member(&self, name: &str) -> Option<&Value<'a>> {
        match &self.content {
            Content::Object(value) => value.member(name),
            Content::NoResult | Content::Unreadable(_) => None,
        }
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

    fn commit(&self) -> Option<&str> {
        self.member("commit")?.string().filter(|commit| !commit.is_empty())
    }

    fn refuses(&self) -> bool {
        self.pass() == Some(false) || self.label() == Some(REJECT)
    }

    /// Whether label and pass, as far as they are there, have a form that scorers write.
    fn is_understood(&self) -> bool {
        let label =
            self.member("label").is_none_or(|_| self.label().is_some_and(|label| label == REJECT || label == OK || TIERS.contains(&label)));
        label && self.member("pass").is_none_or(|_| self.pass().is_some()) && (self.label().is_some() || self.pass().is_some())
    }

    pub(crate) fn facts(&self, sha256: &str) -> OutputFacts {
        OutputFacts { sha256: sha256.to_owned(), label: self.label().map(brief), pass: self.pass(), commit: self.commit().map(brief) }
    }

    fn first_line(&self) -> String {
        let text = String::from_utf8_lossy(self.text);
        quoted(text.lines().next().unwrap_or_default())
    }
}

/// Raises how the claimed verdict stands to the output: contradicted, stricter, not attested, crashed, or nothing.
pub(crate) fn check(output: &Output<'_>, attestation: &Attestation<'_>, findings: &mut Findings) {
    let location = |pointer: &str| Location::pointer(DOCUMENT, pointer);
    check_finite(attestation, findings);
    match &output.content {
        Content::Object(_) => {}
        Content::NoResult => {
            let message = format!("the enclave's output is not a result; its first line is {}", output.first_line());
            findings.raise(Problem::new(Code::VerdictCrashed, location("/tdx/stdout_b64"), message));
            return;
        }
        Content::Unreadable(error) => {
            let (offset, fault) = (error.offset, &error.message);
            let message = format!(
                "the enclave's output cannot be read, so its verdict is not known: byte {offset}: {fault}; its first line is {}",
                output.first_line()
            );
            findings.raise(Problem::new(Code::VerdictUnreadable, Location::offset("enclave output", offset), message));
            return;
        }
    }
    check_commit(output, attestation, findings);
    check_numbers(output, attestation, findings);
    if !output.is_understood() && !output.refuses() {
        let shown = |name: &str| output.member(name).map_or("absent".to_owned(), Value::shown);
        let (label, pass) = (quoted(attestation.label), attestation.pass);
        let message = format!(
            "the enclave's output holds no verdict (label {}, pass {}): label {label} and pass {pass} are claimed, not attested",
            shown("label"),
            shown("pass")
        );
        findings.raise(Problem::new(Code::VerdictNotAttested, location(LABEL), message));
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

enum Relation {
    Agrees,
    Contradicts,
    Stricter,
}

fn relation(output: &Output<'_>, claimed: &Attestation<'_>) -> Relation {
    let claim_refuses = !claimed.pass || claimed.label == REJECT;
    let other_label = output.label().is_some_and(|label| (label == REJECT || TIERS.contains(&label)) && label != claimed.label);
    match (output.refuses(), claim_refuses) {
        (true, true) if !claimed.pass && (output.label() != Some(REJECT) || claimed.label == REJECT) => Relation::Agrees,
        (true, _) => Relation::Contradicts,
        (false, true) => Relation::Stricter,
        (false, false) if other_label => Relation::Contradicts,
        (false, false) => Relation::Agrees,
    }
}

fn describe(label: Option<&str>, pass: Option<bool>) -> String {
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

/// Producers round to six places when they seal, so both sides are compared there.
fn check_numbers(output: &Output<'_>, attestation: &Attestation<'_>, findings: &mut Findings) {
    for (name, pointer) in ECHOED_NUMBERS {
        if let Some((enclave, claimed)) = number_pair(output, attestation, name, pointer)
            && !same_number(enclave, claimed)
        {
            let (enclave, claimed) = (quoted(enclave), quoted(claimed));
            let message = format!("the enclave's signed output has {name} {enclave}; the receipt claims {claimed}");
            let location = Location::pointer(DOCUMENT, format!("/attestation{pointer}"));
            findings.raise(Problem::new(Code::VerdictNumbers, location, message).found(claimed).wanted(enclave));
        }
    }
}

/// Verdict numbers that Python wrote as NaN or Infinity: usually a division by a frontier of zero.
fn check_finite(attestation: &Attestation<'_>, findings: &mut Findings) {
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

/// Both sides of one echoed number, where both are there.
fn number_pair<'v>(output: &'v Output<'_>, attestation: &'v Attestation<'_>, name: &str, pointer: &str) -> Option<(&'v str, &'v str)> {
    let claimed = match pointer.strip_prefix("/verdict/") {
        Some(member) => attestation.verdict.member(member)?,
        None => attestation.measurements.member("primary")?.member(name)?,
    };
    Some((token(output.member(name)?)?, token(claimed)?))
}

fn token<'v>(value: &'v Value<'_>) -> Option<&'v str> {
    match value.kind {
        Kind::Number(token) | Kind::NonFinite(token) => Some(token),
        _ => None,
    }
}

/// Alike as written, or finite and alike after rounding.
fn same_number(left: &str, right: &str) -> bool {
    let rounded = |token: &str| token.parse::<f64>().ok().filter(|number| number.is_finite()).map(|number| format!("{number:.6}"));
    left == right || rounded(left).is_some_and(|left| Some(left) == rounded(right))
}

/// What carries a member of the verdict, given that output and quote are bound: the enclave computes a refusal and the label
/// `ok`; every other label, and every number, it only repeats from its input.
pub(crate) fn coverage(output: &Output<'_>, attestation: &Attestation<'_>, pointer: &str) -> Option<Coverage> {
    if !output.is_understood() && !output.refuses() {
        return None;
    }
    let computed = output.refuses() || output.label() == Some(OK);
    let carried = if computed { Coverage::Quote } else { Coverage::EnclaveInput };
    match pointer {
        "/verdict/label" => (output.label() == Some(attestation.label)).then_some(carried),
        "/verdict/pass" => (output.pass() == Some(attestation.pass)).then_some(carried),
        _ => {
            let (name, _) = ECHOED_NUMBERS.into_iter().find(|(_, echoed)| *echoed == pointer)?;
            let (enclave, claimed) = number_pair(output, attestation, name, pointer)?;
            same_number(enclave, claimed).then_some(Coverage::EnclaveInput)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_alike_as_written_or_after_rounding_to_six_places() {
        assert!(same_number("0.006694998", "0.006695"));
        assert!(same_number("9.99", "9.990"));
        assert!(same_number("NaN", "NaN"));
        assert!(!same_number("9.99", "9.990001"));
        assert!(!same_number("NaN", "1"));
        assert!(!same_number(&"9".repeat(400), &"8".repeat(500)), "both are infinite as doubles");
    }
}

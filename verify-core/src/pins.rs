//! What policy and caller want to read: pinned enclave measurements, container images, and values of single fields.

use crate::claims;
use crate::compare::same_decimal;
use crate::dcap::quote::TdReport;
use crate::dcap::signed::Authentic;
use crate::dcap::trust_domain_facts;
use crate::expectation::{self, Expectation, Field, Form, Place};
use crate::json::{Kind, Value};
use crate::ledger::{Checked, Findings, Stopped};
use crate::limits;
use crate::policy::Policy;
use crate::problem::{Code, Location, Problem};
use crate::receipt::{Bound, DOCUMENT};
use crate::report::{Coverage, ExpectationResult};
use crate::text::{brief, escape, quoted};

pub(crate) fn check_enclave(policy: &Policy, report: Checked<&Authentic<TdReport<'_>>>, findings: &mut Findings) -> Checked<()> {
    let report = findings.asked(!policy.enclaves.is_empty(), "the policy pins enclave measurements", report)?;
    let facts = trust_domain_facts(report);
    let found = [&facts.mrtd, &facts.rtmr[0], &facts.rtmr[1], &facts.rtmr[2], &facts.rtmr[3]];
    let is_pinned = policy.enclaves.iter().any(|pin| [&pin.mrtd, &pin.rtmr0, &pin.rtmr1, &pin.rtmr2, &pin.rtmr3] == found);
    let shown = format!("MRTD {}, RTMR0 {}, RTMR1 {}, RTMR2 {}, RTMR3 {}", found[0], found[1], found[2], found[3], found[4]);
    let location = Location::document("quote");
    if !policy.enclaves.is_empty() && !is_pinned {
        let names: Vec<String> = policy.enclaves.iter().map(|pin| quoted(&pin.name)).collect();
        let message = format!("the measurements of the quote are none of those that the policy accepts ({})", names.join(", "));
        findings.raise(Problem::new(Code::EnclaveMismatch, location, message).found(shown));
    } else if policy.enclaves.is_empty() && !policy.any_enclave {
        let message = "the policy names no enclave measurements: any genuine TDX machine could have made this quote";
        findings.raise(Problem::new(Code::EnclaveUnpinned, location, message).found(shown));
    }
    Ok(())
}

pub(crate) fn check_image(policy: &Policy, bound: Checked<&Bound<'_>>, findings: &mut Findings) -> Checked<()> {
    let image = bound.and_then(|bound| bound.image);
    let image = findings.asked(!policy.images.is_empty(), "the policy pins container images", image)?;
    let location = Location::pointer(DOCUMENT, format!("{}/bound_digest", bound?.block));
    if !policy.images.is_empty() && !policy.images.iter().any(|accepted| accepted == image) {
        let message = "the container image is not one that the policy accepts";
        findings.raise(Problem::new(Code::ImageMismatch, location, message).found(image).wanted(policy.images.join(" or ")));
    } else if policy.images.is_empty() && !policy.any_image {
        let message = "the policy names no container image: any image could have emitted this output";
        findings.raise(Problem::new(Code::ImageUnpinned, location, message).found(image));
    }
    Ok(())
}

/// A receipt in which values are looked up, with what its evidence shows about them.
pub(crate) struct Subject<'a> {
    pub(crate) document: &'a Value<'a>,
    /// Where the receipt has a field, or why it cannot have it.
    pub(crate) place: &'a dyn Fn(Field) -> Checked<String>,
    /// What carries the value at a pointer.
    pub(crate) coverage: &'a dyn Fn(&str, &Value<'_>) -> Coverage,
    /// The beginning of the commit at a pointer, as far as evidence carries it.
    pub(crate) bound_beginning: &'a dyn Fn(&str) -> Option<&'a str>,
}

/// Checks every field for which the policy lists values.
pub(crate) fn check_policy(policy: &Policy, subject: Checked<&Subject<'_>>, findings: &mut Findings) -> Checked<()> {
    let mut pins = policy.accept.pins().peekable();
    if pins.peek().is_none() {
        return Err(Stopped::NotApplicable("the policy accepts every value of the fields"));
    }
    let subject = subject?;
    for (field, accepted) in pins {
        let _ = check_field(&POLICY, field, accepted, subject, findings)?;
    }
    Ok(())
}

/// Checks what the caller expects.
pub(crate) fn check_expectations(
    expectations: &[Expectation],
    subject: Checked<&Subject<'_>>,
    findings: &mut Findings,
) -> Checked<Vec<ExpectationResult>> {
    if expectations.is_empty() {
        return Err(Stopped::NotApplicable("the caller expects nothing"));
    }
    let subject = subject?;
    if expectations.len() > limits::EXPECTATIONS {
        let message = format!("the caller has {} expectations; at most {} are judged", expectations.len(), limits::EXPECTATIONS);
        return Err(findings.stop(Problem::new(Code::LimitExceeded, Location::document(DOCUMENT), message)));
    }
    let mut check = |expectation: &Expectation| {
        let wanted = expectation.values();
        let (checked, pointer) = match expectation.where_to_look() {
            Place::Named(field) => (check_field(&CALLER, *field, wanted, subject, findings)?, (subject.place)(*field).ok()),
            Place::Pointer(pointer) => (check_value(&CALLER, pointer, wanted, subject, findings), Some(pointer.clone())),
        };
        let shown = |pointer: &String| {
            let value = subject.document.at(pointer)?;
            Some(claims::shown(value, (subject.coverage)(pointer, value)))
        };
        let found = pointer.as_ref().and_then(shown);
        let unjudged = unjudged(expectation, checked.err());
        let pointer = pointer.map_or(unjudged.pointer, |pointer| escape(&pointer));
        Ok(ExpectationResult { pointer, found, coverage: checked.ok(), ..unjudged })
    };
    expectations.iter().map(&mut check).collect()
}

/// An expectation about a receipt in which nothing could be looked up, because of `code`.
pub(crate) fn unjudged(expectation: &Expectation, code: Option<Code>) -> ExpectationResult {
    let (pointer, wanted) = (escape(expectation.place()), brief(expectation.value()));
    ExpectationResult { pointer, wanted, found: None, coverage: None, code }
}

/// Who wants a value, and with which codes it is refused.
struct Origin {
    wants: &'static str,
    differs: Code,
    absent: Code,
    /// The envelope has no such field.
    not_in_evidence: Code,
    only_asserted: Code,
}

const POLICY: Origin = Origin {
    wants: "the policy accepts",
    differs: Code::PinDiffers,
    absent: Code::PinAbsent,
    not_in_evidence: Code::PinNotInEvidence,
    only_asserted: Code::PinOnlyAsserted,
};
const CALLER: Origin = Origin {
    wants: "the caller expects",
    differs: Code::ExpectationDiffers,
    absent: Code::ExpectationAbsent,
    not_in_evidence: Code::ExpectationAbsent,
    only_asserted: Code::ExpectationOnlyAsserted,
};

/// One of the `accepted` values stands where the envelope has `field`. Returns as [`check_value`] does.
fn check_field(
    origin: &Origin,
    field: Field,
    accepted: &[String],
    subject: &Subject<'_>,
    findings: &mut Findings,
) -> Checked<Result<Coverage, Code>> {
    match (subject.place)(field) {
        Ok(pointer) => Ok(check_value(origin, &pointer, accepted, subject, findings)),
        Err(Stopped::NotApplicable(reason)) => {
            let code = origin.not_in_evidence;
            let message = format!("{} certain values of {:?}, but {reason}", origin.wants, field.name());
            findings.raise(Problem::new(code, Location::document(DOCUMENT), message).found("nothing").wanted(one_of(accepted)));
            Ok(Err(code))
        }
        Err(stopped) => Err(stopped),
    }
}

fn one_of(accepted: &[String]) -> String {
    accepted.iter().map(|value| quoted(value)).collect::<Vec<_>>().join(" or ")
}

/// One of the `accepted` values stands at `pointer`. Returns what carries it, or the code of what was raised.
fn check_value(
    origin: &Origin,
    pointer: &str,
    accepted: &[String],
    subject: &Subject<'_>,
    findings: &mut Findings,
) -> Result<Coverage, Code> {
    let wanted = || one_of(accepted);
    let mut raise = |code: Code, message: String, found: String| -> Result<Coverage, Code> {
        let message = format!("{} {message}", escape(pointer));
        findings.raise(Problem::new(code, Location::pointer(DOCUMENT, pointer), message).found(found).wanted(wanted()));
        Err(code)
    };
    let Some(value) = subject.document.at(pointer) else {
        return raise(origin.absent, format!("is not in the receipt; {} {}", origin.wants, wanted()), "nothing".to_owned());
    };
    let coverage = (subject.coverage)(pointer, value);
    let shown = claims::shown(value, coverage);
    let Some(agreed) = accepted.iter().find(|accepted| agrees(pointer, value, coverage, accepted)) else {
        return match is_single(value) {
            true => raise(origin.differs, format!("is {shown}; {} {}", origin.wants, wanted()), shown),
            false => raise(origin.absent, format!("is {shown}, which says nothing; {} {}", origin.wants, wanted()), shown),
        };
    };
    let commit = value.string().filter(|_| expectation::is_commit(pointer));
    // Of a commit the evidence may carry only the beginning, and the receipt may hold no more than that.
    let (carried, by) = match (coverage, commit) {
        (Coverage::Asserted, Some(_)) => ((subject.bound_beginning)(pointer), Coverage::EnclaveInput),
        (Coverage::Asserted, None) => (None, coverage),
        (_, Some(commit)) => (Some(commit), coverage),
        (_, None) => (Some(agreed.as_str()), coverage),
    };
    match carried {
        None => raise(origin.only_asserted, format!("is {shown} as wanted, but nothing binds it to the evidence"), shown),
        Some(part) if !part.starts_with(agreed.as_str()) && !agreed.starts_with(part) => {
            let part = quoted(part);
            raise(origin.differs, format!("is {shown}, but the enclave's input or output says {part}; {} {}", origin.wants, wanted()), part)
        }
        Some(part) if part.len() < agreed.len() => {
            let (digits, whole) = (part.len(), agreed.len());
            let message = format!("is {shown} as wanted, but only the first {digits} of {whole} digits are bound to the evidence");
            raise(origin.only_asserted, message, shown)
        }
        Some(_) => Ok(by),
    }
}

/// Whether the receipt says what is wanted: by the type of its value, and of a commit by the beginning that both have.
fn agrees(pointer: &str, value: &Value<'_>, coverage: Coverage, wanted: &str) -> bool {
    match &value.kind {
        Kind::Null => wanted == "null",
        Kind::Bool(flag) => wanted == if *flag { "true" } else { "false" },
        Kind::Number(token) => same_decimal(&claims::number(token, coverage), wanted),
        Kind::NonFinite(token) => *token == wanted,
        Kind::String(text) if expectation::is_commit(pointer) && Form::Commit.fits(text) => {
            text.starts_with(wanted) || wanted.starts_with(&**text)
        }
        Kind::String(text) => text == wanted,
        Kind::Array(items) => items.is_empty() && wanted == "[]",
        Kind::Object(members) => members.is_empty() && wanted == "{}",
    }
}

/// Whether a value says one thing: null and an empty text stand for what was not recorded, and a container says many things.
fn is_single(value: &Value<'_>) -> bool {
    match &value.kind {
        Kind::Null => false,
        Kind::String(text) => !text.is_empty(),
        Kind::Array(items) => items.is_empty(),
        Kind::Object(members) => members.is_empty(),
        Kind::Bool(_) | Kind::Number(_) | Kind::NonFinite(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn a_value_agrees_with_what_is_written_like_it() {
        let agrees =
            |value: &str, wanted: &str| agrees("/attestation/x", &json::read(value.as_bytes()).unwrap(), Coverage::Asserted, wanted);
        for (value, wanted) in
            [("null", "null"), ("true", "true"), ("1.50", "1.5"), ("NaN", "NaN"), ("\"null\"", "null"), ("[]", "[]"), ("{}", "{}")]
        {
            assert!(agrees(value, wanted), "{value} {wanted}");
        }
        for (value, wanted) in [
            ("null", ""),
            ("null", "0"),
            ("true", "false"),
            ("1", "NaN"),
            ("NaN", "Infinity"),
            ("NaN", "nan"),
            ("[]", ""),
            ("[]", "{}"),
            ("[1]", "[]"),
            ("{}", "[]"),
            ("{\"a\": 1}", "{}"),
        ] {
            assert!(!agrees(value, wanted), "{value} {wanted}");
        }
    }
}

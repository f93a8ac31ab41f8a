//! The exact input that the enclave was given, and what the receipt says again of it.
//!
//! The quote binds the input's hash only, so any source will do for a candidate: what hashes to it is the input.

use std::borrow::Cow;
use std::collections::BTreeMap;

use data_encoding::HEXLOWER;

use crate::crypto;
use crate::json::{self, Kind, Value};
use crate::ledger::{Checked, Findings};
use crate::problem::{Code, Location, Problem};
use crate::python;
use crate::receipt::canonical::{sorted_dumps, sorted_object_dumps};
use crate::receipt::{Attestation, Bound, DOCUMENT, Expected};
use crate::report::InputFacts;
use crate::scorer::Scorer;
use crate::text::is_hex;
use crate::verdict::{self, OK, Output, REJECT, TIERS, same_number};

/// The document that the pointers of counterparts lead into.
pub(crate) const INPUT: &str = "enclave input";

/// Members that the scorer adds to its input, or writes over.
const WRITTEN_BY_SCORER: [&str; 3] = ["guard", "reason", "guard_regression_labels"];

/// Members that producers add to a published result after it was submitted.
const ADDED_LATER: [&str; 2] = ["receipt_id", "kl_depths"];

/// Fields of the attestation of which the input may hold the beginning only.
pub(crate) const SHORTENED: [&str; 2] = ["/code/commit", "/references/llamacpp_commit"];

/// Where the input may be found.
pub(crate) struct Sources<'a> {
    /// What the caller says the input is.
    pub(crate) given: Option<&'a [u8]>,
    /// The result that was published beside the receipt.
    pub(crate) result: Option<&'a [u8]>,
    pub(crate) output: Option<&'a Output<'a>>,
}

/// An input that hashes to the digest in the manifest of files.
pub(crate) struct Recovered {
    pub(crate) text: Vec<u8>,
    pub(crate) source: Source,
}

impl Recovered {
    pub(crate) fn facts(&self) -> InputFacts {
        InputFacts { sha256: digest(&self.text), bytes: self.text.len(), source: self.source.name() }
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Source {
    Given,
    Measurements,
    OutputAndClaim,
    OutputAndOtherVerdict,
    Result,
}

impl Source {
    const fn name(self) -> &'static str {
        match self {
            Source::Given => "the given input",
            Source::Measurements => "the measurements",
            Source::OutputAndClaim => "the enclave's output and the claimed verdict",
            Source::OutputAndOtherVerdict => "the enclave's output and another verdict than the claimed one",
            Source::Result => "the published result",
        }
    }
}

/// The input, if some source leads to it. `nonce` is what the nonce was found to be: producers whose nonce is a hash submit the
/// measurements to a known scorer, and there anything else is a contradiction.
pub(crate) fn recover(
    bound: &Bound<'_>,
    attestation: &Attestation<'_>,
    expected: &Expected<'_>,
    nonce: Checked<bool>,
    sources: &Sources<'_>,
    findings: &mut Findings,
) -> Checked<Option<Recovered>> {
    let wanted = expected.input_sha256;
    let proven = |source: Source, text: Vec<u8>| (digest(&text) == wanted).then_some(Recovered { text, source });

    let given = sources.given.and_then(|given| {
        let as_submitted = || json::read(given).ok().map(|value| sorted_dumps(&value).into_bytes());
        proven(Source::Given, given.to_vec()).or_else(|| proven(Source::Given, as_submitted()?))
    });
    if let Some(bytes) = sources.given.filter(|_| given.is_none()) {
        let is_published = published_forms(bytes).iter().any(|form| digest(form) == wanted);
        let hint = if is_published { "; without the members that were added after the run it is the input" } else { "" };
        let message = format!("the given input does not hash to _expected.result_sha256{hint}");
        let location = Location::pointer(DOCUMENT, "/_expected/result_sha256");
        findings.raise(Problem::new(Code::InputGivenDiffers, location, message).found(digest(bytes)).wanted(wanted));
    }

    let measurements = proven(Source::Measurements, sorted_dumps(attestation.measurements).into_bytes());
    let location = Location::pointer(DOCUMENT, "/attestation/measurements");
    let are_submitted = is_hex(bound.nonce, 64) && Scorer::of(expected).is_some() && nonce.is_ok();
    let are_contradicted = are_submitted && measurements.is_none();
    if are_contradicted {
        let message = "the measurements do not hash to _expected.result_sha256: they are not what the enclave was given";
        let found = digest(sorted_dumps(attestation.measurements).as_bytes());
        findings.raise(Problem::new(Code::BindingInput, location.clone(), message).found(found).wanted(wanted));
    }

    let recovered = given
        .or(measurements)
        .or_else(|| from_output(sources.output?, attestation).find_map(|(source, text)| proven(source, text.into_bytes())))
        .or_else(|| published_forms(sources.result?).into_iter().find_map(|form| proven(Source::Result, form)));
    match recovered {
        Some(recovered) => Ok(Some(recovered)),
        None if are_contradicted => Err(findings.last()),
        None if sources.given.is_some() => Ok(None),
        None if is_hex(bound.nonce, 64) && nonce.is_err() => nonce.map(|_| None),
        None => {
            let published = if sources.result.is_some() { ", nor does the published result" } else { "" };
            let message = format!(
                "the input of the enclave was not recovered: neither the measurements nor the output under any verdict hash to \
                 _expected.result_sha256{published}"
            );
            findings.raise(Problem::new(Code::InputNotRecovered, location, message).wanted(wanted));
            Ok(None)
        }
    }
}

/// What a scorer that hands its input on was given: its output without what it adds, under the claimed verdict, then under
/// every verdict there is.
fn from_output<'v>(output: &'v Output<'v>, attestation: &'v Attestation<'v>) -> impl Iterator<Item = (Source, String)> + 'v {
    // A claimed reason was in the input, where it stands at all: the scorer wrote over it.
    let claimed: Vec<(&str, &Value<'_>)> =
        ["reason", "guard_regression_labels"].into_iter().filter_map(|name| Some((name, attestation.verdict.member(name)?))).collect();
    let claimed: Vec<_> = claimed.into_iter().filter(|(_, value)| python::is_true(value)).collect();
    let restored: Vec<Vec<(&str, &Value<'_>)>> = if claimed.is_empty() { vec![Vec::new()] } else { vec![claimed, Vec::new()] };

    let is_claimed = |label: &str, pass: bool| label == attestation.label && pass == attestation.pass;
    let known = TIERS.into_iter().chain([REJECT, OK]).flat_map(|label| [(label, true), (label, false)]);
    let verdicts =
        std::iter::once((attestation.label, attestation.pass)).chain(known.filter(move |(label, pass)| !is_claimed(label, *pass)));
    verdicts.flat_map(move |(label, pass)| {
        let source = if is_claimed(label, pass) { Source::OutputAndClaim } else { Source::OutputAndOtherVerdict };
        let (label, pass) = (plain(Kind::String(Cow::Borrowed(label))), plain(Kind::Bool(pass)));
        let texts: Vec<_> = restored
            .iter()
            .map(|restored| {
                let kept = output.members().iter().map(|member| (&*member.name, &member.value));
                let kept = kept.filter(|(name, _)| !WRITTEN_BY_SCORER.contains(name) && !["label", "pass"].contains(name));
                sorted_object_dumps(kept.chain([("label", &label), ("pass", &pass)]).chain(restored.iter().copied()))
            })
            .collect();
        texts.into_iter().map(move |text| (source, text))
    })
}

/// The forms in which a published result may have been submitted.
fn published_forms(result: &[u8]) -> Vec<Vec<u8>> {
    let Ok(result) = json::read(result) else { return Vec::new() };
    let without = |left_out: &[&str]| {
        let members = result.object().unwrap_or_default().iter().map(|member| (&*member.name, &member.value));
        sorted_object_dumps(members.filter(|(name, _)| !left_out.contains(name))).into_bytes()
    };
    let counts = 0..=ADDED_LATER.len();
    counts.filter_map(|count| ADDED_LATER.get(..count)).map(without).collect()
}

fn plain(kind: Kind<'_>) -> Value<'_> {
    Value { kind, span: 0..0 }
}

fn digest(bytes: &[u8]) -> String {
    HEXLOWER.encode(&crypto::sha256([bytes]))
}

/// A field of the attestation that the input holds too.
pub(crate) struct Counterpart<'v> {
    /// Its pointer in the input.
    pub(crate) pointer: String,
    claimed: &'v Value<'v>,
    pub(crate) given: &'v Value<'v>,
    pub(crate) agrees: bool,
}

/// The counterparts by the field's pointer in the attestation.
///
/// | attestation | input | rule |
/// |---|---|---|
/// | `/measurements/primary/*` | `/primary/*` in inputs that have it, else `/*` | alike |
/// | `/measurements/guard/*`, the name of the model | `/guard/*`, `/guard_model` | alike |
/// | `/measurements/` other parts | the same part | alike |
/// | `/verdict/*` | `/*` | alike |
/// | `/code/commit`, `/references/llamacpp_commit` | `/commit`, `/llama_commit` | the input's one begins it |
///
/// Alike are equal texts, booleans and nulls, and numbers that are equal after rounding to six places, as producers round.
pub(crate) fn counterparts<'v>(attestation: &'v Value<'v>, input: &'v Value<'v>) -> BTreeMap<String, Counterpart<'v>> {
    let mut found = BTreeMap::new();
    let mut add = |claim: String, pointer: String, claimed: &'v Value<'v>, given: &'v Value<'v>, agrees: bool| {
        // Producers write an empty container where the input has nothing.
        if agrees || python::is_true(given) || !is_empty_container(claimed) {
            found.insert(claim, Counterpart { pointer, claimed, given, agrees });
        }
    };
    let mut add_members = |claim: &str, pointer: &str, claimed: &'v Value<'v>, given: &'v Value<'v>, except: &[&str]| {
        if claimed.object().is_none_or(<[_]>::is_empty) {
            return add(claim.to_owned(), pointer.to_owned(), claimed, given, alike(claimed, given));
        }
        let given = by_name(given);
        for (name, claimed) in by_name(claimed).into_iter().filter(|(name, _)| !except.contains(name)) {
            if let Some(given) = given.get(name) {
                add(json::child(claim, name), json::child(pointer, name), claimed, given, alike(claimed, given));
            }
        }
    };

    if let Some(verdict) = attestation.member("verdict") {
        add_members("/verdict", "", verdict, input, &[]);
    }
    let is_flat = input.member("primary").is_none() && input.member("dflash").is_none();
    for part in attestation.member("measurements").and_then(Value::object).unwrap_or_default() {
        let claim = json::child("/measurements", &part.name);
        match (&*part.name, input.member(&part.name)) {
            // A flat input knows no digest of the weights, and calls the model of its guard otherwise.
            ("primary", None) if is_flat => add_members(&claim, "", &part.value, input, &["model_sha256"]),
            ("guard", Some(guard)) if is_flat => add_members(&claim, "/guard", &part.value, guard, &["model", "model_sha256"]),
            (_, Some(given)) => add_members(&claim, &json::child("", &part.name), &part.value, given, &[]),
            (_, None) => {}
        }
    }
    let texts = |section: &str, name: &str, given: &str| {
        let claimed = attestation.member(section)?.member(name)?;
        let given = input.member(given)?;
        Some((claimed, given, claimed.string()?.starts_with(given.string().filter(|text| !text.is_empty())?)))
    };
    for (section, name, given) in [("code", "commit", "commit"), ("references", "llamacpp_commit", "llama_commit")] {
        if let Some((claimed, value, agrees)) = texts(section, name, given) {
            add(format!("/{section}/{name}"), json::child("", given), claimed, value, agrees);
        }
    }
    let guard_model = attestation.member("measurements").and_then(|measurements| measurements.member("guard")?.member("model"));
    if let Some((claimed, given)) = guard_model.zip(input.member("guard_model").filter(|_| is_flat)) {
        add("/measurements/guard/model".to_owned(), "/guard_model".to_owned(), claimed, given, alike(claimed, given));
    }
    found
}

/// Raises every field that differs from its counterpart, but for those where the output repeats the input: that the claim
/// differs from the output is said there.
pub(crate) fn check_counterparts(counterparts: &BTreeMap<String, Counterpart<'_>>, output: Option<&Output<'_>>, findings: &mut Findings) {
    for (claim, counterpart) in counterparts.iter().filter(|(_, counterpart)| !counterpart.agrees) {
        if output.is_some_and(|output| verdict::repeats(output, claim, counterpart.given)) {
            continue;
        }
        let (claimed, given) = (counterpart.claimed.shown(), counterpart.given.shown());
        let name = crate::text::escape(&counterpart.pointer);
        let message = format!("the enclave was given {given} as {name}; the receipt claims {claimed}");
        let location = Location::pointer(DOCUMENT, format!("/attestation{claim}"));
        findings.raise(Problem::new(Code::InputContradictsClaim, location, message).found(claimed).wanted(given));
    }
}

/// Recursion is bounded by the nesting limit of the reader.
fn alike(left: &Value<'_>, right: &Value<'_>) -> bool {
    match (&left.kind, &right.kind) {
        (Kind::Null, Kind::Null) => true,
        (Kind::Bool(left), Kind::Bool(right)) => left == right,
        (Kind::String(left), Kind::String(right)) => left == right,
        (Kind::Number(left) | Kind::NonFinite(left), Kind::Number(right) | Kind::NonFinite(right)) => same_number(left, right),
        (Kind::Array(left), Kind::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| alike(left, right))
        }
        (Kind::Object(_), Kind::Object(_)) => {
            let (left, right) = (by_name(left), by_name(right));
            left.len() == right.len()
                && left.iter().zip(&right).all(|((left_name, left), (right_name, right))| left_name == right_name && alike(left, right))
        }
        _ => false,
    }
}

fn by_name<'v>(value: &'v Value<'v>) -> BTreeMap<&'v str, &'v Value<'v>> {
    value.object().unwrap_or_default().iter().map(|member| (&*member.name, &member.value)).collect()
}

fn is_empty_container(value: &Value<'_>) -> bool {
    matches!(&value.kind, Kind::Array(items) if items.is_empty()) || matches!(&value.kind, Kind::Object(members) if members.is_empty())
}

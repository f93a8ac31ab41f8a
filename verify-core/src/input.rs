//! The exact input that the enclave was given, and what the receipt says again of it.
//!
//! The quote binds the input's hash only, so any source will do for a candidate: what hashes to it is the input.

use std::borrow::Cow;
use std::collections::BTreeMap;

use data_encoding::HEXLOWER;

use crate::binding::KNOWN_WORKLOADS;
use crate::compare;
use crate::crypto;
use crate::facts::InputFacts;
use crate::json::{self, Kind, Member, Value};
use crate::ledger::{Checked, Findings, Stopped};
use crate::limits;
use crate::problem::{Code, Location, Problem};
use crate::python;
use crate::receipt::canonical::{compact_dumps, sorted_dumps, sorted_object_dumps};
use crate::receipt::{Attestation, Bound, DOCUMENT, Expected, Note, QuoteEvidence, Statement};
use crate::scorer::Scorer;
use crate::text::{escape, is_hex};
use crate::tier::Label;
use crate::verdict::{self, OK, Output, same_number};

/// The document that the pointers of counterparts lead into.
pub(crate) const INPUT: &str = "enclave input";

/// Members that the scorer adds to its input, or writes over.
const WRITTEN_BY_SCORER: [&str; 3] = ["guard", "reason", "guard_regression_labels"];

/// Members that producers add to a published result after it was submitted.
const ADDED_LATER: [&str; 2] = ["receipt_id", "kl_depths"];

/// Fields of which the input may hold the beginning only.
pub(crate) const SHORTENED: [&str; 2] = ["/attestation/code/commit", "/attestation/references/llamacpp_commit"];

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
    Bundle,
    OutputAndClaim,
    OutputAndOtherVerdict,
    Result,
}

impl Source {
    const fn name(self) -> &'static str {
        match self {
            Source::Given => "the given input",
            Source::Measurements => "the measurements",
            Source::Bundle => "the bundle",
            Source::OutputAndClaim => "the enclave's output and the claimed verdict",
            Source::OutputAndOtherVerdict => "the enclave's output and another verdict than the claimed one",
            Source::Result => "the published result",
        }
    }
}

/// The input, if some source leads to it. `nonce` is what the nonce of an attestation's receipt was found to be.
pub(crate) fn recover(
    evidence: &QuoteEvidence<'_>,
    bound: &Bound<'_>,
    statement: &Statement<'_>,
    expected: &Expected<'_>,
    nonce: Checked<()>,
    sources: &Sources<'_>,
    findings: &mut Findings,
) -> Checked<Option<Recovered>> {
    let wanted = expected.input_sha256;
    let proven = |source: Source, text: Vec<u8>| (digest(&text) == wanted).then_some(Recovered { text, source });

    // Of a longer file the caller may have read a part only, and a part proves nothing.
    if let Some(size) = sources.given.map(<[u8]>::len).filter(|size| *size > limits::INPUT_BYTES) {
        let message = format!("the given input has {size} bytes; at most {} are read", limits::INPUT_BYTES);
        return Err(findings.stop(Problem::new(Code::LimitExceeded, Location::document(INPUT), message)));
    }
    let given_value = sources.given.and_then(|given| json::read(given).ok());
    let given = sources.given.and_then(|given| {
        let [spaced, compact] = [sorted_dumps, compact_dumps].map(|dumps| given_value.as_ref().map(|value| dumps(value).into_bytes()));
        [Some(given.to_vec()), spaced, compact].into_iter().flatten().find_map(|text| proven(Source::Given, text))
    });
    if let Some(bytes) = sources.given.filter(|_| given.is_none() && !wanted.is_empty()) {
        let is_published = given_value.as_ref().is_some_and(|value| published_forms(value).any(|form| digest(&form) == wanted));
        let hint = if is_published { "; without the members that were added after the run it is the input" } else { "" };
        let message = format!("the given input does not hash to {}{hint}", escape(&expected.input_pointer));
        let location = Location::pointer(DOCUMENT, &expected.input_pointer);
        findings.raise(Problem::new(Code::InputGivenDiffers, location, message).found(digest(bytes)).wanted(wanted));
    }

    let (shown, text) = match statement {
        Statement::Attestation(attestation) => Some(Shown::measurements(attestation, bound, expected, nonce)),
        Statement::Note(note) => Some(Shown::bundle(note, evidence, expected)?),
        Statement::Absent => None,
    }
    .unzip();
    let found = text.as_deref().map(digest);
    let recovered_from_shown = shown.as_ref().zip(text).filter(|_| found.as_deref() == Some(wanted));
    let recovered_from_shown = recovered_from_shown.map(|(shown, text)| Recovered { text, source: shown.source });
    let contradicted = shown.as_ref().zip(found).filter(|(shown, _)| shown.is_submitted && recovered_from_shown.is_none());
    if let Some((Shown { pointer, .. }, found)) = &contradicted {
        let message = format!("{pointer} does not hash to {}: it is not what the enclave was given", escape(&expected.input_pointer));
        let problem = Problem::new(Code::BindingInput, Location::pointer(DOCUMENT, pointer), message);
        findings.raise(problem.found(found).wanted(wanted));
    }

    let recovered = given
        .or(recovered_from_shown)
        .or_else(|| match statement {
            Statement::Attestation(attestation) => {
                from_output(sources.output?, attestation).find_map(|(source, text)| proven(source, text.into_bytes()))
            }
            Statement::Note(_) | Statement::Absent => None,
        })
        .or_else(|| published_forms(&read_result(sources.result?)?).find_map(|form| proven(Source::Result, form)));
    match recovered {
        Some(recovered) => Ok(Some(recovered)),
        None if contradicted.is_some() => Err(Stopped::By(Code::BindingInput)),
        None if sources.given.is_some() && !wanted.is_empty() => Ok(None),
        None if is_hex(bound.nonce, 64) && matches!(nonce, Err(Stopped::By(_))) => nonce.map(|_| None),
        None => {
            let message = format!("the input of the enclave was not recovered: {}", why_not(statement, expected, sources));
            let pointer = shown.map_or(expected.input_pointer.as_str(), |shown| shown.pointer);
            findings.raise(Problem::new(Code::InputNotRecovered, Location::pointer(DOCUMENT, pointer), message).wanted(wanted));
            Ok(None)
        }
    }
}

/// The part of a receipt that may be the input.
struct Shown {
    source: Source,
    pointer: &'static str,
    /// Whether this part is known to be what was submitted, so that another input contradicts it.
    is_submitted: bool,
}

impl Shown {
    /// Producers whose nonce is a hash submit the measurements to a known scorer. With what would have been submitted.
    fn measurements(attestation: &Attestation<'_>, bound: &Bound<'_>, expected: &Expected<'_>, nonce: Checked<()>) -> (Self, Vec<u8>) {
        let text = sorted_dumps(attestation.measurements).into_bytes();
        let is_submitted = is_hex(bound.nonce, 64) && Scorer::of(expected).is_some() && nonce.is_ok();
        (Self { source: Source::Measurements, pointer: "/attestation/measurements", is_submitted }, text)
    }

    /// The path says which file the input is only where it is the known command that ran. With what would have been submitted.
    fn bundle(note: &Note<'_>, evidence: &QuoteEvidence<'_>, expected: &Expected<'_>) -> Checked<(Self, Vec<u8>)> {
        let text = compact_dumps(note.bundle).into_bytes();
        let is_submitted = KNOWN_WORKLOADS.contains(&evidence.workload_sha256?) && !expected.input_sha256.is_empty();
        Ok((Self { source: Source::Bundle, pointer: "/bundle", is_submitted }, text))
    }
}

fn why_not(statement: &Statement<'_>, expected: &Expected<'_>, sources: &Sources<'_>) -> String {
    if expected.input_sha256.is_empty() {
        return "no path says which file it is".to_owned();
    }
    let tried = match statement {
        Statement::Attestation(_) => "neither the measurements nor the output under any verdict hash to",
        Statement::Note(_) => "the bundle does not hash to",
        Statement::Absent => "the response holds its digest alone, at",
    };
    let published = if sources.result.is_some() { ", nor does the published result" } else { "" };
    format!("{tried} {}{published}", escape(&expected.input_pointer))
}

/// A published result as JSON, if it is that; one that is too large is unreadable where the files of the run are compared.
fn read_result(file: &[u8]) -> Option<Value<'_>> {
    if file.len() > limits::RUN_FILE_BYTES { None } else { json::read(file).ok() }
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
    let known = Label::ALL.map(Label::name).into_iter().chain([OK]).flat_map(|label| [(label, true), (label, false)]);
    let verdicts =
        std::iter::once((attestation.label, attestation.pass)).chain(known.filter(move |(label, pass)| !is_claimed(label, *pass)));
    verdicts.flat_map(move |(label, pass)| {
        let source = if is_claimed(label, pass) { Source::OutputAndClaim } else { Source::OutputAndOtherVerdict };
        let (label, pass) = (plain(Kind::String(Cow::Borrowed(label))), plain(Kind::Bool(pass)));
        let texts: Vec<_> = restored
            .iter()
            .map(|restored| {
                let members = output.object().and_then(Value::object).unwrap_or_default();
                let kept = members.iter().map(|member| (&*member.name, &member.value));
                let kept = kept.filter(|(name, _)| !WRITTEN_BY_SCORER.contains(name) && !["label", "pass"].contains(name));
                sorted_object_dumps(kept.chain([("label", &label), ("pass", &pass)]).chain(restored.iter().copied()))
            })
            .collect();
        texts.into_iter().map(move |text| (source, text))
    })
}

/// The forms in which a published result may have been submitted.
fn published_forms(result: &Value<'_>) -> impl Iterator<Item = Vec<u8>> {
    let without = |left_out: &[&str]| {
        let members = result.object().unwrap_or_default().iter().map(|member| (&*member.name, &member.value));
        sorted_object_dumps(members.filter(|(name, _)| !left_out.contains(name))).into_bytes()
    };
    let counts = 0..=ADDED_LATER.len();
    counts.filter_map(|count| ADDED_LATER.get(..count)).map(without)
}

fn plain(kind: Kind<'_>) -> Value<'_> {
    Value { kind, span: 0..0 }
}

fn digest(bytes: &[u8]) -> String {
    HEXLOWER.encode(&crypto::sha256([bytes]))
}

/// A field of the receipt that the input holds too.
pub(crate) struct Counterpart<'v> {
    /// Its pointer in the input.
    pub(crate) pointer: String,
    claimed: &'v Value<'v>,
    pub(crate) given: &'v Value<'v>,
    pub(crate) agrees: bool,
}

/// Counterparts by the field's pointer in the receipt.
pub(crate) type Counterparts<'v> = BTreeMap<String, Counterpart<'v>>;

/// The counterparts of what `statement` says; a response says nothing.
///
/// | field | input | rule |
/// |---|---|---|
/// | `/attestation/measurements/primary/*` | `/primary/*` in inputs that have it, else `/*` | alike |
/// | `/attestation/measurements/guard/*`, the name of the model | `/guard/*`, `/guard_model` | alike |
/// | `/attestation/measurements/` other parts | the same part | alike |
/// | `/attestation/verdict/*` | `/*` | alike |
/// | `/attestation/code/commit`, `/attestation/references/llamacpp_commit` | `/commit`, `/llama_commit` | the input's one begins it |
/// | `/bundle/*` of a note | `/*` | alike |
///
/// Alike are equal texts, booleans and nulls, and numbers that are equal after rounding to six places, as producers round.
pub(crate) fn counterparts<'v>(
    statement: &'v Statement<'v>,
    attestation: Checked<&'v Value<'v>>,
    input: &'v Value<'v>,
) -> Checked<Counterparts<'v>> {
    let mut found = Counterparts::new();
    match statement {
        Statement::Attestation(_) => add_attestation(attestation?, input, &mut found),
        Statement::Note(note) => add_members("/bundle", "", note.bundle, input, &[], &mut found),
        Statement::Absent => return Err(Stopped::NotApplicable("a response says nothing again of the enclave's input")),
    }
    Ok(found)
}

fn add_attestation<'v>(attestation: &'v Value<'v>, input: &'v Value<'v>, found: &mut Counterparts<'v>) {
    if let Some(verdict) = attestation.member("verdict") {
        add_members("/attestation/verdict", "", verdict, input, &[], found);
    }
    let members = by_name(input);
    let is_flat = !members.contains_key("primary") && !members.contains_key("dflash");
    for part in attestation.member("measurements").and_then(Value::object).unwrap_or_default() {
        let claim = json::child("/attestation/measurements", &part.name);
        match (&*part.name, members.get(&*part.name).copied()) {
            // A flat input knows no digest of the weights, and calls the model of its guard otherwise.
            ("primary", None) if is_flat => add_members(&claim, "", &part.value, input, &["model_sha256"], found),
            ("guard", Some(guard)) if is_flat => add_members(&claim, "/guard", &part.value, guard, &["model", "model_sha256"], found),
            (_, Some(given)) => add_members(&claim, &json::child("", &part.name), &part.value, given, &[], found),
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
            add(format!("/attestation/{section}/{name}"), json::child("", given), claimed, value, agrees, found);
        }
    }
    let guard_model = attestation.member("measurements").and_then(|measurements| measurements.member("guard")?.member("model"));
    if let Some((claimed, given)) = guard_model.zip(input.member("guard_model").filter(|_| is_flat)) {
        let agrees = alike(claimed, given);
        add("/attestation/measurements/guard/model".to_owned(), "/guard_model".to_owned(), claimed, given, agrees, found);
    }
}

/// Every member of `claimed`, which stands at `claim`, that `given` has too, which stands at `pointer` in the input.
fn add_members<'v>(
    claim: &str,
    pointer: &str,
    claimed: &'v Value<'v>,
    given: &'v Value<'v>,
    except: &[&str],
    found: &mut Counterparts<'v>,
) {
    let Some(members) = claimed.object().filter(|members| !members.is_empty()) else {
        return add(claim.to_owned(), pointer.to_owned(), claimed, given, alike(claimed, given), found);
    };
    let given = by_name(given);
    for Member { name, value, .. } in members.iter().filter(|member| !except.contains(&&*member.name)) {
        if let Some(given) = given.get(&**name) {
            add(json::child(claim, name), json::child(pointer, name), value, given, alike(value, given), found);
        }
    }
}

fn add<'v>(claim: String, pointer: String, claimed: &'v Value<'v>, given: &'v Value<'v>, agrees: bool, found: &mut Counterparts<'v>) {
    // Producers write an empty container where the input has nothing.
    if agrees || python::is_true(given) || !is_empty_container(claimed) {
        found.insert(claim, Counterpart { pointer, claimed, given, agrees });
    }
}

/// Raises every field that differs from its counterpart, but for those where the output repeats the input: that the claim
/// differs from the output is said there.
pub(crate) fn check_counterparts(counterparts: &Counterparts<'_>, output: Option<&Output<'_>>, findings: &mut Findings) {
    let is_said_there = |claim: &str, given: &Value<'_>| {
        let below = claim.strip_prefix("/attestation").unwrap_or_default();
        output.is_some_and(|output| verdict::repeats(output, below, given))
    };
    let differing = counterparts.iter().filter(|(claim, counterpart)| !counterpart.agrees && !is_said_there(claim, counterpart.given));
    for (claim, counterpart) in differing.take(Findings::MOST) {
        let (claimed, given) = (counterpart.claimed.shown(), counterpart.given.shown());
        let name = escape(&counterpart.pointer);
        let message = format!("the enclave was given {given} as {name}; the receipt claims {claimed}");
        let location = Location::pointer(DOCUMENT, claim);
        findings.raise(Problem::new(Code::InputContradictsClaim, location, message).found(claimed).wanted(given));
    }
}

fn alike(left: &Value<'_>, right: &Value<'_>) -> bool {
    let leaves = |left: &Value<'_>, right: &Value<'_>| match (&left.kind, &right.kind) {
        (Kind::Number(left), Kind::Number(right)) => same_number(left, right),
        _ => compare::is_same(left, right),
    };
    compare::compare(left, right, leaves).differ == 0
}

fn by_name<'v>(value: &'v Value<'v>) -> BTreeMap<&'v str, &'v Value<'v>> {
    value.object().unwrap_or_default().iter().map(|member| (&*member.name, &member.value)).collect()
}

fn is_empty_container(value: &Value<'_>) -> bool {
    matches!(&value.kind, Kind::Array(items) if items.is_empty()) || matches!(&value.kind, Kind::Object(members) if members.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counterparts_of_measurements_follow_the_shape_of_the_input() {
        let attestation =
            r#"{"measurements": {"primary": {"model": "a", "model_sha256": "b", "kl": 0.1}, "guard": {"model": "g", "kl": 0.2}}}"#;
        let attestation = json::read(attestation.as_bytes()).unwrap();
        let (primary, guard) = ("/attestation/measurements/primary", "/attestation/measurements/guard");
        for (input, wanted) in [
            // Flat: without the digest of the weights, and the guard's model beside the guard.
            (
                r#"{"model": "a", "model_sha256": "c", "kl": 0.1, "guard_model": "g", "guard": {"model": "h", "kl": 0.2}}"#,
                vec![(format!("{guard}/kl"), "/guard/kl"), (format!("{guard}/model"), "/guard_model")]
                    .into_iter()
                    .chain([(format!("{primary}/kl"), "/kl"), (format!("{primary}/model"), "/model")])
                    .collect(),
            ),
            (
                r#"{"model": "a", "kl": 0.1, "guard_model": "g", "primary": {"model_sha256": "b"}, "guard": {"model": "g"}}"#,
                vec![(format!("{guard}/model"), "/guard/model"), (format!("{primary}/model_sha256"), "/primary/model_sha256")],
            ),
            (
                r#"{"model": "a", "guard": {"model": "h", "kl": 0.2}}"#,
                vec![(format!("{guard}/kl"), "/guard/kl"), (format!("{primary}/model"), "/model")],
            ),
            (r#"{"model": "a", "kl": 0.1, "guard_model": "g", "dflash": {}}"#, Vec::new()),
        ] {
            let input = json::read(input.as_bytes()).unwrap();
            let mut found = Counterparts::new();
            add_attestation(&attestation, &input, &mut found);
            let found: Vec<(String, &str)> = found.iter().map(|(claim, one)| (claim.clone(), one.pointer.as_str())).collect();
            assert_eq!(found, wanted);
        }
    }

    #[test]
    fn an_empty_container_stands_for_nothing_and_for_nothing_else() {
        let is_compared = |claimed: &str, given: &str| {
            let [claimed, given] = [claimed, given].map(|text| json::read(text.as_bytes()).unwrap());
            let mut found = Counterparts::new();
            add(String::new(), String::new(), &claimed, &given, alike(&claimed, &given), &mut found);
            !found.is_empty()
        };
        for (claimed, given, wanted) in
            [("{}", "null", false), ("[]", "0", false), ("{}", "{}", true), ("[]", "[1]", true), ("0", "null", true), ("1", "2", true)]
        {
            assert_eq!(is_compared(claimed, given), wanted, "{claimed} {given}");
        }
    }

    #[test]
    fn only_lists_and_objects_without_items_are_empty_containers() {
        let is_empty = |json: &str| is_empty_container(&json::read(json.as_bytes()).unwrap());
        assert!(is_empty("[]") && is_empty("{}"));
        for other in ["[0]", "{\"a\":0}", "\"\"", "0", "null", "false"] {
            assert!(!is_empty(other), "{other}");
        }
    }

    #[test]
    fn a_published_result_is_read_up_to_the_size_of_a_file_of_a_run() {
        let is_read = |more: usize| {
            let mut file = b"{}".to_vec();
            file.resize(limits::RUN_FILE_BYTES + more, b' ');
            read_result(&file).is_some()
        };
        assert_eq!([0, 1, 2].map(is_read), [true, false, false]);
    }
}

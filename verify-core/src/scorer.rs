//! The enclave scripts that are known by digest, ported: what each prints for an input.

use crate::json::{JsonError, Kind, Value};
use crate::ledger::{Checked, Findings, Stopped};
use crate::problem::{Code, Location, Problem};
use crate::python::{self, Raised};
use crate::receipt::canonical::{write_printed, write_printed_string};
use crate::receipt::{DOCUMENT, Expected};
use crate::text::quoted;
use crate::verdict::{OUTPUT, Output};

/// A published version of `score.py`, from the history of the evaluation repositories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scorer {
    /// Of 2026-07-08: a gate for accuracy and a guard against regressions.
    July,
    /// Of 2026-08-07: the same, and a rule of its own for inputs with a member `dflash`.
    August,
}

/// SHA-256 of every known version.
const KNOWN: [(&str, Scorer); 2] = [
    ("3da819f79756e2608e629983e104f18297f28f5935bb80b7a62b57b75b2580a3", Scorer::July),
    ("6009bbbd8e54db34a097b9027416dbe34fe41559e6c434eb964a0b5cbf5f9ae8", Scorer::August),
];

/// The least agreement of the most likely token, and the greatest divergence, that the gates of both versions let pass.
const TOP1_BAR: f64 = 0.9;
const KL_BAR: f64 = 0.2;
/// The least share of agreeing tokens in speculative decoding.
const AGREEMENT_BAR: f64 = 0.999;

/// Contexts that a guard may name as held or not, with the word for each.
const GUARDED: [(&str, &str); 5] =
    [("guard_128_pass", "128"), ("guard_512_pass", "512"), ("guard_4k_pass", "4k"), ("guard_16k_pass", "16k"), ("guard_32k_pass", "32k")];

/// What the output repeats of a guard, in this order.
const REPEATED: [&str; 14] = [
    "pass",
    "top1",
    "kl",
    "label",
    "ctx_128_tps",
    "ctx_512_tps",
    "ctx_4096_tps",
    "ctx_16384_tps",
    "ctx_32768_tps",
    "guard_128_pass",
    "guard_512_pass",
    "guard_4k_pass",
    "guard_16k_pass",
    "guard_32k_pass",
];

/// Problems of a guard that its refusal lists at most.
const LISTED_PROBLEMS: usize = 6;

impl Scorer {
    pub(crate) fn of(expected: &Expected<'_>) -> Option<Self> {
        KNOWN.into_iter().find(|(digest, _)| *digest == expected.scorer_sha256).map(|(_, scorer)| scorer)
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Scorer::July => "score.py of 2026-07-08",
            Scorer::August => "score.py of 2026-08-07",
        }
    }

    /// What the script prints for `input`, its final newline included.
    pub(crate) fn run(self, input: &Value<'_>) -> Result<String, Raised> {
        python::check_loadable(input)?;
        input.object().ok_or(Raised::Exception)?;
        let verdict = match (self, input.member("dflash")) {
            (Scorer::August, Some(dflash)) => score_dflash(dflash, input)?,
            _ => score(input)?,
        };
        let mut text = String::new();
        verdict.write(&mut text);
        text.push('\n');
        Ok(text)
    }
}

/// Runs a known scorer again on the proven `input` and compares what it prints with the enclave's `output`, byte for byte.
/// Returns the scorer if that was shown.
pub(crate) fn check(
    expected: &Expected<'_>,
    input: Checked<Option<&Result<Value<'_>, JsonError>>>,
    output: Checked<&Output<'_>>,
    findings: &mut Findings,
) -> Checked<Option<Scorer>> {
    let Some(scorer) = Scorer::of(expected) else {
        let message = match expected.scorer_sha256 {
            "" => "no path says that a file is the scorer, so none was run again".to_owned(),
            scorer => format!("the scorer {scorer} is not one of the known scorers, so it was not run again"),
        };
        let location = Location::pointer(DOCUMENT, &expected.scorer_pointer);
        findings.raise(Problem::new(Code::ScorerUnknown, location, message).found(expected.scorer_sha256));
        return Ok(None);
    };
    let output = output?;
    let Some(input) = input? else {
        return Err(Stopped::NotApplicable("the enclave's input was not recovered, so there is nothing to run the scorer on"));
    };
    let location = Location::document(OUTPUT);
    let not_rerun = |why: String| {
        Problem::new(
            Code::ScorerNotRerun,
            location.clone(),
            format!("{} could not be run again on the enclave's input: {why}", scorer.name()),
        )
    };
    let printed = match input {
        Ok(input) => scorer.run(input),
        Err(error) => {
            findings.raise(not_rerun(format!("byte {} of the input: {}", error.offset, error.message)));
            return Ok(None);
        }
    };
    let differs = |printed: String, found: String| {
        let message = format!("{}, run again on the enclave's input, {printed}; the enclave's signed output {found}", scorer.name());
        Problem::new(Code::ScorerOutputDiffers, location.clone(), message)
    };
    match printed {
        Ok(printed) if printed.as_bytes() == output.text() => return Ok(Some(scorer)),
        Ok(printed) => {
            let at = printed.bytes().zip(output.text()).take_while(|(printed, found)| printed == *found).count();
            let rest = |text: &[u8]| quoted(&String::from_utf8_lossy(text.get(at..).unwrap_or_default()));
            let (wanted, found) = (rest(printed.as_bytes()), rest(output.text()));
            findings.raise(differs(format!("prints {wanted} at byte {at}"), format!("has {found} there")));
        }
        Err(Raised::Unported(what)) => findings.raise(not_rerun(format!("{what} is not ported"))),
        Err(Raised::Exception) if output.is_crash() => {
            return Err(Stopped::NotApplicable("the scorer crashes on this input, as it did in the enclave; traces are not compared"));
        }
        Err(Raised::Exception) => findings.raise(differs("crashes".to_owned(), format!("is no trace: {}", output.first_line()))),
    }
    Ok(None)
}

/// The rule of both versions: accuracy has to hold, then the guard, and what was measured is handed on.
fn score<'v>(input: &'v Value<'_>) -> Result<Dict<'v>, Raised> {
    let primary = input.member("primary").unwrap_or(input);
    if !python::is_true(primary) {
        return Ok(refusal("primary (Qwen3.6) eval produced no verdict (infra error)".to_owned()));
    }
    primary.object().ok_or(Raised::Exception)?;
    let (top1, kl) = accuracy(Some(primary))?;
    if !is_accurate(top1, kl) {
        let low = (top1 < TOP1_BAR).then(|| format!("top1={} (need >= {TOP1_BAR})", python::four_places(top1)));
        let high = (kl > KL_BAR).then(|| format!("kl={} (need <= {KL_BAR})", python::four_places(kl)));
        let reasons: Vec<String> = low.into_iter().chain(high).collect();
        return Ok(refusal(format!("correctness gate failed: {}", reasons.join("; "))));
    }
    let guard = input.member("guard").filter(|guard| python::is_true(guard));
    if let Some(guard) = guard {
        guard.object().ok_or(Raised::Exception)?;
    }
    let of_guard = |name: &str| guard.and_then(|guard| guard.member(name));
    let is_regressed = |name: &str| of_guard(name).is_some_and(|held| !python::is_true(held));
    let regressed: Vec<&str> = GUARDED.iter().filter(|(name, _)| is_regressed(name)).map(|(_, context)| *context).collect();
    let (guard_top1, guard_kl) = accuracy(guard)?;
    let guard_is_accurate = is_accurate(guard_top1, guard_kl);

    let mut shown = Dict(REPEATED.iter().filter_map(|name| Some((*name, Item::Kept(of_guard(name)?)))).collect());
    shown.set("speed_ok", Item::Bool(regressed.is_empty()));
    shown.set("accuracy_ok", Item::Bool(guard_is_accurate));
    let mut verdict = Dict::copy(primary);
    verdict.set("guard", Item::Dict(shown));

    let mut reasons = Vec::new();
    if !regressed.is_empty() {
        reasons.push(format!("Qwen3-30B decode regressed at context(s): {}", regressed.join(", ")));
    }
    if !guard_is_accurate {
        let (top1, kl) = (python::repr(guard_top1), python::repr(guard_kl));
        reasons.push(format!("Qwen3-30B accuracy broke (top1={top1} need>={TOP1_BAR}, kl={kl} need<={KL_BAR})"));
    }
    if guard.is_none() {
        reasons.push("Qwen3-30B guard produced no verdict (infra error)".to_owned());
    }
    if !reasons.is_empty() {
        verdict.refuse(format!("no-regression guard: {}", reasons.join("; ")));
        verdict
            .set("guard_regression_labels", Item::Texts(regressed.iter().map(|context| format!("regression-qwen3-{context}")).collect()));
    }
    Ok(verdict)
}

/// The rule for speculative decoding: the drafts have to agree, then the guard has to hold.
fn score_dflash<'v>(dflash: &'v Value<'_>, input: &'v Value<'_>) -> Result<Dict<'v>, Raised> {
    if !python::is_true(dflash) {
        return Ok(refusal("dflash measurements missing (infra error)".to_owned()));
    }
    dflash.object().ok_or(Raised::Exception)?;
    let agreement = agreement(dflash.member("spec_agree"))?;
    let shown = python::four_places(agreement);
    let guard = input.member("qwen_guard").filter(|guard| python::is_true(guard));
    if let Some(guard) = guard {
        guard.object().ok_or(Raised::Exception)?;
    }
    let of_guard = |name: &str| guard.and_then(|guard| guard.member(name)).filter(|value| python::is_true(value));

    let mut verdict = Dict::copy(dflash);
    verdict.set("guard", guard.map_or_else(|| Item::Dict(Dict(Vec::new())), Item::Kept));
    if agreement < AGREEMENT_BAR {
        verdict.refuse(format!("DFlash accuracy gate failed: SPEC_AGREE={shown} (need >= {AGREEMENT_BAR})"));
    } else if of_guard("ok").is_none() {
        let problems = match of_guard("problems") {
            None => "qwen3.5/3.6 guard produced no verdict (infra error)".to_owned(),
            Some(problems) => first_joined(problems)?,
        };
        verdict.refuse(format!("qwen3.5/qwen3.6 no-regression guard failed: {problems}"));
    } else {
        verdict.set("label", Item::Text("ok".to_owned()));
        verdict.set("pass", Item::Bool(true));
        verdict.set("reason", Item::Text(format!("DFlash accuracy (SPEC_AGREE={shown}) + qwen3.5/3.6 guard both pass")));
    }
    Ok(verdict)
}

/// `top1` and `kl` of a dict, with what counts where they are absent.
fn accuracy(dict: Option<&Value<'_>>) -> Result<(f64, f64), Raised> {
    let number = |name: &str, absent: f64| dict.and_then(|dict| dict.member(name)).map_or(Ok(absent), python::float);
    Ok((number("top1", 0.0)?, number("kl", 99.0)?))
}

fn is_accurate(top1: f64, kl: f64) -> bool {
    top1 >= TOP1_BAR && kl <= KL_BAR
}

/// The number behind the last `=` of a text that ends with it; 0 for every other value.
fn agreement(value: Option<&Value<'_>>) -> Result<f64, Raised> {
    let text = value.and_then(Value::string).unwrap_or_default();
    let Some((_, number)) = python::strip(text).rsplit_once('=') else { return Ok(0.0) };
    let number = number.trim_start_matches(python::is_space);
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return Ok(0.0);
    }
    number.parse().map_err(|_| Raised::Exception)
}

/// The first items of a list of texts, or the first characters of a text, joined.
fn first_joined(problems: &Value<'_>) -> Result<String, Raised> {
    let texts: Option<Vec<String>> = match &problems.kind {
        Kind::Array(items) => items.iter().take(LISTED_PROBLEMS).map(|item| item.string().map(str::to_owned)).collect(),
        Kind::String(text) => Some(text.chars().take(LISTED_PROBLEMS).map(String::from).collect()),
        _ => None,
    };
    Ok(texts.ok_or(Raised::Exception)?.join("; "))
}

fn refusal<'v>(reason: String) -> Dict<'v> {
    let mut verdict = Dict(Vec::new());
    verdict.refuse(reason);
    verdict
}

/// A Python dict: a member that is set again keeps its place.
struct Dict<'v>(Vec<(&'v str, Item<'v>)>);

enum Item<'v> {
    Kept(&'v Value<'v>),
    Bool(bool),
    Text(String),
    Texts(Vec<String>),
    Dict(Dict<'v>),
}

impl<'v> Dict<'v> {
    fn copy(value: &'v Value<'_>) -> Self {
        Self(value.object().unwrap_or_default().iter().map(|member| (&*member.name, Item::Kept(&member.value))).collect())
    }

    fn set(&mut self, name: &'v str, item: Item<'v>) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = item,
            None => self.0.push((name, item)),
        }
    }

    fn refuse(&mut self, reason: String) {
        self.set("label", Item::Text("REJECT".to_owned()));
        self.set("pass", Item::Bool(false));
        self.set("reason", Item::Text(reason));
    }

    /// As `json.dumps` writes it.
    fn write(&self, text: &mut String) {
        text.push('{');
        for (index, (name, item)) in self.0.iter().enumerate() {
            text.push_str(if index == 0 { "" } else { ", " });
            write_printed_string(name, text);
            text.push_str(": ");
            match item {
                Item::Kept(value) => write_printed(value, text),
                Item::Bool(flag) => text.push_str(if *flag { "true" } else { "false" }),
                Item::Text(string) => write_printed_string(string, text),
                Item::Dict(dict) => dict.write(text),
                Item::Texts(strings) => {
                    text.push('[');
                    for (index, string) in strings.iter().enumerate() {
                        text.push_str(if index == 0 { "" } else { ", " });
                        write_printed_string(string, text);
                    }
                    text.push(']');
                }
            }
        }
        text.push('}');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Outputs as the scripts print them under CPython 3.11; `None` where they end with a trace.
    #[test]
    fn the_output_is_that_of_the_scripts() {
        for (scorer, input, printed) in [
            (Scorer::July, r#"[]"#, None),
            (
                Scorer::July,
                r#"{}"#,
                Some(r#"{"label": "REJECT", "pass": false, "reason": "primary (Qwen3.6) eval produced no verdict (infra error)"}"#),
            ),
            (Scorer::August, r#""dflash""#, None),
            (
                Scorer::July,
                r#"{"primary":null,"top1":1}"#,
                Some(r#"{"label": "REJECT", "pass": false, "reason": "primary (Qwen3.6) eval produced no verdict (infra error)"}"#),
            ),
            (Scorer::July, r#"{"primary":"text"}"#, None),
            (
                Scorer::July,
                r#"{"top1":0.8999999,"kl":0.20000001,"label":"XL"}"#,
                Some(
                    r#"{"label": "REJECT", "pass": false, "reason": "correctness gate failed: top1=0.9000 (need >= 0.9); kl=0.2000 (need <= 0.2)"}"#,
                ),
            ),
            (
                Scorer::July,
                r#"{"top1":0.9,"kl":0.3}"#,
                Some(r#"{"label": "REJECT", "pass": false, "reason": "correctness gate failed: kl=0.3000 (need <= 0.2)"}"#),
            ),
            (
                Scorer::July,
                r#"{"top1":0.8,"kl":0.2}"#,
                Some(r#"{"label": "REJECT", "pass": false, "reason": "correctness gate failed: top1=0.8000 (need >= 0.9)"}"#),
            ),
            (Scorer::July, r#"{"top1":NaN,"kl":0}"#, Some(r#"{"label": "REJECT", "pass": false, "reason": "correctness gate failed: "}"#)),
            (Scorer::July, r#"{"top1":null}"#, None),
            (
                Scorer::July,
                r#"{"top1":"0.95","kl":" 1_0 "}"#,
                Some(r#"{"label": "REJECT", "pass": false, "reason": "correctness gate failed: kl=10.0000 (need <= 0.2)"}"#),
            ),
            (
                Scorer::July,
                r#"{"tps":1e2,"pass":true,"top1":true,"label":"S","kl":0.20}"#,
                Some(
                    r#"{"tps": 100.0, "pass": false, "top1": true, "label": "REJECT", "kl": 0.2, "guard": {"speed_ok": true, "accuracy_ok": false}, "reason": "no-regression guard: Qwen3-30B accuracy broke (top1=0.0 need>=0.9, kl=99.0 need<=0.2); Qwen3-30B guard produced no verdict (infra error)", "guard_regression_labels": []}"#,
                ),
            ),
            (
                Scorer::July,
                r#"{"label":"S","reason":"old","guard":{"kl":0.1,"x":1,"top1":0.9,"pass":0,"guard_4k_pass":null},"top1":0.9,"kl":-0.0}"#,
                Some(
                    r#"{"label": "REJECT", "reason": "no-regression guard: Qwen3-30B decode regressed at context(s): 4k", "guard": {"pass": 0, "top1": 0.9, "kl": 0.1, "guard_4k_pass": null, "speed_ok": false, "accuracy_ok": true}, "top1": 0.9, "kl": -0.0, "pass": false, "guard_regression_labels": ["regression-qwen3-4k"]}"#,
                ),
            ),
            (
                Scorer::July,
                r#"{"primary":{"kl":0,"top1":1},"guard":{"top1":0.8969,"kl":1e16,"guard_128_pass":"","guard_512_pass":1}}"#,
                Some(
                    r#"{"kl": 0, "top1": 1, "guard": {"top1": 0.8969, "kl": 1e+16, "guard_128_pass": "", "guard_512_pass": 1, "speed_ok": false, "accuracy_ok": false}, "label": "REJECT", "pass": false, "reason": "no-regression guard: Qwen3-30B decode regressed at context(s): 128; Qwen3-30B accuracy broke (top1=0.8969 need>=0.9, kl=1e+16 need<=0.2)", "guard_regression_labels": ["regression-qwen3-128"]}"#,
                ),
            ),
            (Scorer::July, r#"{"primary":{"kl":0,"top1":1},"guard":"no"}"#, None),
            (Scorer::July, r#"{"primary":{"kl":0,"top1":1},"guard":{"top1":0.95,"kl":[]}}"#, None),
            (
                Scorer::July,
                r#"{"dflash":{},"top1":0.5}"#,
                Some(
                    r#"{"label": "REJECT", "pass": false, "reason": "correctness gate failed: top1=0.5000 (need >= 0.9); kl=99.0000 (need <= 0.2)"}"#,
                ),
            ),
            (
                Scorer::August,
                r#"{"dflash":{}}"#,
                Some(r#"{"label": "REJECT", "pass": false, "reason": "dflash measurements missing (infra error)"}"#),
            ),
            (Scorer::August, r#"{"dflash":[1]}"#, None),
            (
                Scorer::August,
                r#"{"dflash":{"spec_agree":"A 32/32 = 1.0000 \n","label":0},"qwen_guard":{"ok":true}}"#,
                Some(
                    r#"{"spec_agree": "A 32/32 = 1.0000 \n", "label": "ok", "guard": {"ok": true}, "pass": true, "reason": "DFlash accuracy (SPEC_AGREE=1.0000) + qwen3.5/3.6 guard both pass"}"#,
                ),
            ),
            (Scorer::August, r#"{"dflash":{"spec_agree":"= 0.9989"},"qwen_guard":7}"#, None),
            (
                Scorer::August,
                r#"{"dflash":{"spec_agree":"= 0.9989"}}"#,
                Some(
                    r#"{"spec_agree": "= 0.9989", "guard": {}, "label": "REJECT", "pass": false, "reason": "DFlash accuracy gate failed: SPEC_AGREE=0.9989 (need >= 0.999)"}"#,
                ),
            ),
            (
                Scorer::August,
                r#"{"dflash":{"spec_agree":"= 0.999"}}"#,
                Some(
                    r#"{"spec_agree": "= 0.999", "guard": {}, "label": "REJECT", "pass": false, "reason": "qwen3.5/qwen3.6 no-regression guard failed: qwen3.5/3.6 guard produced no verdict (infra error)"}"#,
                ),
            ),
            (
                Scorer::August,
                r#"{"dflash":{"spec_agree":"= all"}}"#,
                Some(
                    r#"{"spec_agree": "= all", "guard": {}, "label": "REJECT", "pass": false, "reason": "DFlash accuracy gate failed: SPEC_AGREE=0.0000 (need >= 0.999)"}"#,
                ),
            ),
            (Scorer::August, r#"{"dflash":{"spec_agree":"= 1.2.3"}}"#, None),
            (
                Scorer::August,
                r#"{"dflash":{"spec_agree":["= 1"]}}"#,
                Some(
                    r#"{"spec_agree": ["= 1"], "guard": {}, "label": "REJECT", "pass": false, "reason": "DFlash accuracy gate failed: SPEC_AGREE=0.0000 (need >= 0.999)"}"#,
                ),
            ),
            (
                Scorer::August,
                r#"{"dflash":{"spec_agree":"=1"},"qwen_guard":{"problems":["a","b","c","d","e","f",7]}}"#,
                Some(
                    r#"{"spec_agree": "=1", "guard": {"problems": ["a", "b", "c", "d", "e", "f", 7]}, "label": "REJECT", "pass": false, "reason": "qwen3.5/qwen3.6 no-regression guard failed: a; b; c; d; e; f"}"#,
                ),
            ),
            (Scorer::August, r#"{"dflash":{"spec_agree":"=1"},"qwen_guard":{"problems":["a",7]}}"#, None),
            (
                Scorer::August,
                r#"{"dflash":{"spec_agree":"=1"},"qwen_guard":{"problems":"slow run"}}"#,
                Some(
                    r#"{"spec_agree": "=1", "guard": {"problems": "slow run"}, "label": "REJECT", "pass": false, "reason": "qwen3.5/qwen3.6 no-regression guard failed: s; l; o; w;  ; r"}"#,
                ),
            ),
            (
                Scorer::August,
                r#"{"dflash":{"spec_agree":"=1"}}"#,
                Some(
                    r#"{"spec_agree": "=1", "guard": {}, "label": "REJECT", "pass": false, "reason": "qwen3.5/qwen3.6 no-regression guard failed: qwen3.5/3.6 guard produced no verdict (infra error)"}"#,
                ),
            ),
            (
                Scorer::August,
                r#"{"primary":{"top1":1,"kl":0,"model":"\u00e9\ud83d\ude00"}}"#,
                Some(
                    r#"{"top1": 1, "kl": 0, "model": "\u00e9\ud83d\ude00", "guard": {"speed_ok": true, "accuracy_ok": false}, "label": "REJECT", "pass": false, "reason": "no-regression guard: Qwen3-30B accuracy broke (top1=0.0 need>=0.9, kl=99.0 need<=0.2); Qwen3-30B guard produced no verdict (infra error)", "guard_regression_labels": []}"#,
                ),
            ),
        ] {
            let run = scorer.run(&crate::json::read(input.as_bytes()).unwrap());
            assert_eq!(run.ok().as_deref(), printed.map(|line| format!("{line}\n")).as_deref(), "{input}");
        }
    }

    #[test]
    fn what_is_not_ported_is_not_guessed() {
        let input = "{\"top1\": \"\u{660}.\u{669}\"}";
        assert!(matches!(Scorer::July.run(&crate::json::read(input.as_bytes()).unwrap()), Err(Raised::Unported(_))));
    }
}

//! One entry of the manifest, put to the core.

use std::path::Path;

use serde_json::{Value, json};
use verify_core::dcap::verify_quote;
use verify_core::tier::Params;
use verify_core::{Anchors, Expectation, Instant, Outcome, Policy, Problem, QuoteReport, Report, Request, SignerKey, Timestamp, Verifier};

use crate::run::Run;

/// What the core says of a vector.
pub(crate) enum Judged {
    Receipt(Box<Report>),
    Quote(Box<QuoteReport>),
}

impl Judged {
    /// Outcome and codes, and what they are under fresher collateral, as the manifest writes them.
    pub(crate) fn answer(&self) -> Value {
        let report = match self {
            Judged::Quote(report) => return answer(report.outcome, &report.problems),
            Judged::Receipt(report) => report,
        };
        let mut whole = answer(report.outcome, &report.problems);
        if let Some(fresh) = &report.fresh {
            whole["fresh"] = answer(fresh.outcome, &fresh.problems);
            whole["fresh"]["as_carried"] = report.outcome_as_carried.name().into();
        }
        whole
    }
}

/// Judges the vector `entry` of the manifest in `folder`; an error says what is wrong with the entry or its files.
pub(crate) fn judge(folder: &Path, entry: &Value) -> Result<Judged, String> {
    let read = |path: &Value| {
        let path = folder.join(path.as_str().ok_or_else(|| format!("{path} is no path"))?);
        std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let read_if_there = |path: &Value| if path.is_null() { Ok(None) } else { read(path).map(Some) };
    let read_text = |path: &Value| String::from_utf8(read(path)?).map_err(|error| error.to_string());
    let anchors = anchors(&entry["anchors"], read)?;
    let judged_at = instant(&entry["at"])?.map_or(Instant::Collateral, Instant::Given);
    if entry["receipt"].is_null() {
        let report = verify_quote(&read(&entry["quote"])?, &read(&entry["collateral"])?, judged_at, &anchors);
        return Ok(Judged::Quote(Box::new(report)));
    }

    let receipt = read(&entry["receipt"])?;
    let policy: Policy = toml::from_str(&read_text(&entry["policy"])?).map_err(|error| error.to_string())?;
    let mut request = Request::new(&receipt).judged_at(judged_at);
    if let Some(now) = instant(&entry["now"])? {
        request = request.now(now);
    }
    let fresh = read_if_there(&entry["fresh"]["collateral"])?;
    if let Some(fresh) = &fresh {
        request = request.with_fresh_collateral(fresh);
    }
    let expectations = texts(&entry["expect"]).map(str::parse).collect::<Result<Vec<Expectation>, _>>();
    let expectations = expectations.map_err(|error| error.to_string())?;
    let run = Run::of(entry["run"].as_str().map(|run| folder.join(run)).as_deref());
    let beside = run.files();
    let input = read_if_there(&entry["input"])?;
    if let Some(input) = &input {
        request = request.with_input(input);
    }
    let params = match &entry["score"] {
        Value::Null => None,
        path => Some(toml::from_str::<Params>(&read_text(path)?).map_err(|error| error.to_string())?),
    };
    if let Some(params) = &params {
        request = request.scored_by(params);
    }
    let report = Verifier::new(policy, anchors).verify(&request.expecting(&expectations).with_run(&beside));
    Ok(Judged::Receipt(Box::new(report)))
}

fn answer(outcome: Outcome, problems: &[Problem]) -> Value {
    let mut codes: Vec<&str> = problems.iter().map(|problem| problem.code.name()).collect();
    codes.sort_unstable();
    codes.dedup();
    json!({ "outcome": outcome.name(), "codes": codes })
}

fn anchors(anchors: &Value, read: impl Fn(&Value) -> Result<Vec<u8>, String>) -> Result<Anchors, String> {
    if anchors == "intel" {
        return Ok(Anchors::intel());
    }
    let keys = texts(&anchors["signer_keys"]).map(str::parse).collect::<Result<Vec<SignerKey>, _>>();
    let keys = keys.map_err(|error| error.to_string())?;
    let [root, tcb_signing] = [read(&anchors["root"])?, read(&anchors["tcb_signing"])?];
    let anchors = Anchors::from_root(&root).and_then(|anchors| anchors.with_tcb_signing(&tcb_signing));
    Ok(anchors.map_err(|error| error.to_string())?.with_signer_keys(keys))
}

fn instant(value: &Value) -> Result<Option<Timestamp>, String> {
    value.as_str().map(Timestamp::parse_rfc3339).transpose().map_err(|error| error.to_string())
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

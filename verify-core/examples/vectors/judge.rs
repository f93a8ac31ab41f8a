//! One entry of the manifest, put to the core.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};
use verify_core::audit::{Audit, Directory, INDEX, LEDGER, LeftOut, Log, Snapshot};
use verify_core::dcap::verify_quote;
use verify_core::tier::Params;
use verify_core::{
    Anchors, Companion, Expectation, Instant, Outcome, Policy, Problem, QuoteReport, Report, Request, RunFile, SignerKey, Timestamp,
    Verifier,
};

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

/// Judges the log `entry` of the manifest in `folder`.
pub(crate) fn audit(folder: &Path, entry: &Value) -> Result<Audit, String> {
    let read = |path: &Value| std::fs::read(folder.join(path.as_str().unwrap_or_default())).map_err(|error| format!("{path}: {error}"));
    let policy: Policy = toml::from_str(&String::from_utf8_lossy(&read(&entry["policy"])?)).map_err(|error| error.to_string())?;
    let anchors = anchors(&entry["anchors"], read)?;
    let files = files_below(&folder.join(entry["log"].as_str().ok_or("the log is no path")?))?;
    let content = |path: &str| files.get(path).map(|bytes| Ok(bytes.as_slice()));
    let mut log = Log::read(content(INDEX), content(LEDGER));
    for link in texts(&entry["links"]) {
        log.leave_out(link, LeftOut::NotAFile, "it is a symbolic link");
    }
    if let Some(earlier) = entry["since"].as_str() {
        log.compare(&snapshot(&files_below(&folder.join(earlier))?), &snapshot(&files));
    }
    let names: BTreeSet<&str> = files.keys().filter_map(|path| path.strip_prefix("runs/")?.split_once('/')).map(|(run, _)| run).collect();
    let verifier = Verifier::new(policy.clone(), anchors.clone());
    let runs = names.into_iter().map(|name| {
        let beside: Vec<RunFile<'_>> = Companion::ALL
            .into_iter()
            .filter_map(|companion| Some(RunFile::new(companion, files.get(&format!("runs/{name}/{}", companion.name()))?)))
            .collect();
        let directory = Directory::new(name, content(&format!("runs/{name}/receipt.json")), &beside);
        log.judge(&directory, |receipt| verifier.verify(&Request::new(receipt).with_run(&beside)))
    });
    let runs = runs.collect();
    Ok(log.audit(None, runs, &policy, &anchors))
}

/// What the core says of a log, as the manifest writes it.
pub(crate) fn answer_about_log(audit: &Audit) -> Value {
    let codes: BTreeSet<&str> = audit.findings.iter().map(|finding| finding.problem.code.name()).collect();
    let receipts = audit.runs.iter().filter_map(|run| Some((run.name.clone(), run.receipt.as_ref()?.outcome.name().into())));
    json!({ "outcome": audit.outcome.name(), "receipts": receipts.collect::<serde_json::Map<_, _>>(), "codes": codes })
}

fn snapshot(files: &BTreeMap<String, Vec<u8>>) -> Snapshot {
    let mut snapshot = Snapshot::default();
    files.iter().for_each(|(path, bytes)| snapshot.add(path, bytes));
    snapshot
}

/// The files below a folder, by their paths.
fn files_below(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let mut files = BTreeMap::new();
    let mut folders = vec![String::new()];
    while let Some(name) = folders.pop() {
        let path = folder.join(&name);
        let entries = std::fs::read_dir(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        for entry in entries {
            let entry = entry.map_err(|error| error.to_string())?;
            let below = format!("{name}{}", entry.file_name().to_string_lossy());
            match entry.path().is_dir() {
                true => folders.push(below + "/"),
                false => drop(files.insert(below, std::fs::read(entry.path()).map_err(|error| error.to_string())?)),
            }
        }
    }
    Ok(files)
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

//! `receipt audit`: judge every receipt of a log, hold the log against them and against an earlier one, and show what it came to.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};

use serde_json::Value;
use verify_core::audit::{Audit, Directory, Finding, Log, Run, Snapshot};
use verify_core::{Code, Effect, Problem, escape, limits};

use crate::args::{At, AuditArgs, Color, Format, JudgementArgs};
use crate::engine::{Engine, Inputs};
use crate::exit;
use crate::html;
use crate::inputs::{Beside, Failure, read_bounded, unreadable};
use crate::layout::{FAINT, PLAIN, Page};
use crate::log_folder::LogFolder;
use crate::output::{Output, complain};
use crate::terms::Judgement;
use crate::text;

pub(crate) fn run(arguments: &AuditArgs, output: &mut Output) -> u8 {
    match audited(arguments, output) {
        Err(failure) => failure.end(),
        Ok((audit, code)) => {
            if !arguments.quiet {
                match arguments.format {
                    Format::Text => output.print(&page(&audit, arguments.verbose)),
                    Format::Json => output.print(&format!("{}\n", audit.to_json_pretty())),
                    Format::Jsonl => audit.to_json_lines().iter().for_each(|line| output.print(&format!("{line}\n"))),
                }
            }
            exit::worst(code, audit.exit_code)
        }
    }
}

/// The audit, and the exit code that what happened on the way deserves.
fn audited(arguments: &AuditArgs, output: &Output) -> Result<(Audit, u8), Failure> {
    let judgement = Judgement::of(&arguments.judgement, &[])?;
    let folder = LogFolder::open(&arguments.log)?;
    let earlier = arguments.since.as_deref().map(earlier).transpose()?;
    let beside = |path: &Option<PathBuf>| path.as_deref().map(|path| Output::to(path, Color::Never)).transpose().map_err(Failure::usage);
    let (seal, html) = (beside(&arguments.seal)?, beside(&arguments.html)?);
    let is_spared = |output: &Output| output.spares(folder.paths().chain(arguments.judgement.files().chain(&arguments.since).cloned()));
    let outputs: Vec<&Output> = [Some(output), seal.as_ref(), html.as_ref()].into_iter().flatten().collect();
    if !outputs.iter().all(|output| is_spared(output)) {
        return Err(Failure::usage("nothing was written"));
    }
    let answers = if arguments.quiet { outputs.get(1..).unwrap_or_default() } else { &outputs };
    if answers.iter().enumerate().any(|(place, one)| answers.iter().skip(place + 1).any(|other| one.shares_place_with(other))) {
        return Err(Failure::usage("answer, seal and page cannot go to the same place"));
    }

    let [index, ledger] = [folder.index(), folder.ledger()];
    let [index_content, ledger_content] = [&index, &ledger].map(|content| content.as_ref().map(as_content));
    let mut log = Log::read(index_content, ledger_content);
    let (mut runs, mut code) = (Vec::new(), exit::OK);
    let engine = Engine::new(&arguments.judgement.effort, Some(folder.runs.len()))?;
    let is_whole = engine.run(
        Inputs::Listed(folder.runs.clone().into_iter()),
        |name| judge(&log, &folder, name, &judgement),
        |_, (run, of_run)| {
            runs.push(run);
            code = exit::worst(code, of_run);
        },
    );
    if !is_whole {
        return Err(partial(&runs, folder.runs.len()));
    }

    for (path, left_out, why) in &folder.left_out {
        log.leave_out(path, *left_out, why);
    }
    let mut sealed = None;
    if earlier.is_some() || seal.is_some() {
        let (present, left_out) = folder.snapshot();
        for (path, left_out, why) in &left_out {
            log.leave_out(path, *left_out, why);
        }
        if let Some(earlier) = &earlier {
            log.compare(earlier, &present);
        }
        if let Some(mut seal) = seal {
            if left_out.is_empty() && folder.left_out.is_empty() {
                let text = present.seal();
                seal.print(&text);
                sealed = Some(text);
                code = exit::worst(code, seal.finish());
            } else {
                complain("error: not sealed: a seal is of the whole log, and not all of it could be read");
                code = exit::worst(code, exit::MISSING);
            }
        }
    }
    let audit = log.audit(Some(&arguments.log.to_string_lossy()), runs, &judgement.policy, &judgement.anchors);
    if let Some(mut html) = html {
        html.print(&html::audit::page(&audit, &terms(&arguments.judgement, sealed.as_deref())));
        code = exit::worst(code, html.finish());
    }
    Ok((audit, code))
}

/// What the audit itself does not say about how it was made: the instant, further files, the seal.
fn terms(arguments: &JudgementArgs, sealed: Option<&str>) -> Vec<(&'static str, String)> {
    let instant = match arguments.terms.at {
        At::Collateral => "the start of the window of the collateral that each receipt carries; no clock was read".to_owned(),
        At::Now => "the time when this page was made, by the clock of that machine: on another day the answer may be another".to_owned(),
        At::Given(instant) => format!("{instant}, as asked for"),
    };
    let file = |path: &Option<PathBuf>| path.as_ref().map(|path| escape(&path.to_string_lossy()));
    let digest = |seal: &str| Some(serde_json::from_str::<Value>(seal.lines().next_back()?).ok()?["sha256"].as_str()?.to_owned());
    let terms = [
        ("Judged at", Some(instant)),
        ("Age of the collateral", arguments.max_age.as_deref().map(|age| format!("at most {} by the clock of that machine", escape(age)))),
        ("Fresh collateral", file(&arguments.collateral)),
        ("Tiers derived by", file(&arguments.score)),
        ("SHA-256 of the seal's lines", sealed.and_then(digest)),
    ];
    terms.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// What was judged before somebody asked to stop. Of a part of a log nothing can be said about the whole.
fn partial(judged: &[Run], runs: usize) -> Failure {
    let receipts = judged.iter().filter_map(|run| run.receipt.as_ref());
    let mut counts = BTreeMap::<&str, usize>::new();
    receipts.for_each(|receipt| *counts.entry(receipt.outcome.name()).or_default() += 1);
    let counts: Vec<String> = counts.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
    let message = format!("PARTIAL: interrupted after {} of {runs} runs ({}); the log was not judged", judged.len(), counts.join(", "));
    Failure { word: "PARTIAL", message, exit_code: exit::UNVERIFIABLE }
}

/// Judges one run. A panic in the core is a bug, but it ends this answer only.
fn judge(log: &Log<'_>, folder: &LogFolder, name: &str, judgement: &Judgement) -> (Run, u8) {
    let receipt = folder.receipt(name);
    let beside = Beside::of_run(&folder.run(name));
    let files = beside.files();
    let judged = panic::catch_unwind(AssertUnwindSafe(|| {
        let directory = Directory::new(name, receipt.as_ref().map(as_content), &files);
        log.judge(&directory, |bytes| judgement.verifier.verify(&judgement.request(bytes, name).with_run(&files)))
    }));
    judged.map_or_else(
        |_| {
            let unjudged = Directory::new(name, Some(Err("a bug in this tool: nothing was judged; please report it")), &files);
            (log.judge(&unjudged, |_| unreachable!("there are no bytes")), exit::INTERNAL)
        },
        |run| (run, exit::OK),
    )
}

fn as_content(content: &Result<Vec<u8>, String>) -> Result<&[u8], &str> {
    content.as_deref().map_err(String::as_str)
}

/// The earlier log: a copy, or its seal.
fn earlier(path: &Path) -> Result<Snapshot, Failure> {
    let named =
        |failure: Failure| Failure { message: format!("--since {}: {}", escape(&path.to_string_lossy()), failure.message), ..failure };
    let missing = |error: io::Error| named(unreadable(&error));
    if fs::metadata(path).map_err(missing)?.is_dir() {
        let folder = LogFolder::open(path)?;
        let (snapshot, mut left_out) = folder.snapshot();
        left_out.extend(folder.left_out);
        return match left_out.first() {
            None => Ok(snapshot),
            Some((file, _, why)) => Err(named(unreadable(&io::Error::other(format!("{}: {}", escape(file), escape(why)))))),
        };
    }
    let seal = File::open(path).and_then(|file| read_bounded(file, limits::SEAL_BYTES as u64)).map_err(missing)?;
    Snapshot::from_seal(&seal).map_err(|error| named(Failure::usage(format!("it is no seal that can be used: {error}"))))
}

/// How many runs of a group are named, and how many findings of one code are shown, without `-v`.
const NAMED: usize = 12;
const SHOWN: usize = 4;

/// Digits of a receipt id that tell two runs of a log apart at a glance.
const SHORT: usize = 8;

/// The audit as text: the sum, what was found about receipts by cause, then what was found about the log.
fn page(audit: &Audit, verbose: bool) -> String {
    let mut page = Page::default();
    text::headline(&audit.headline(), audit.outcome, audit.log.as_deref(), &mut page);
    page.row("Receipts", PLAIN, &summary(audit));
    let rows = [("index.json", audit.counts.index_rows), ("ledger.jsonl", audit.counts.ledger_rows)];
    let rows: Vec<String> = rows.into_iter().filter(|(_, rows)| *rows > 0).map(|(list, rows)| format!("{list} with {rows} rows")).collect();
    page.row("Lists", PLAIN, &if rows.is_empty() { "none that lists runs".to_owned() } else { rows.join(", ") });
    if let Some(since) = audit.since {
        page.row(
            "Since",
            PLAIN,
            &format!("compared with {} files and {} published verdicts of the earlier log", since.files, since.verdicts),
        );
    }
    if !audit.receipts.is_empty() {
        page.section("Receipts, by cause");
    }
    for group in &audit.receipts {
        let plural = if group.runs.len() == 1 { "" } else { "s" };
        text::row(group.effect, &format!("{} run{plural}: {}", group.runs.len(), group.message), group.code, &mut page);
        page.row("", FAINT, &names(&group.runs, verbose));
        if group.effect > Effect::Weakens {
            page.row("", FAINT, group.code.info().help);
        }
    }
    if !audit.findings.is_empty() {
        page.section("The log itself");
    }
    for of_code in audit.findings.chunk_by(|left, right| left.problem.code == right.problem.code) {
        findings(of_code, verbose, &mut page);
    }
    if verbose {
        page.section("Runs");
        let head = ["run", "outcome", "label", "codes"].map(str::to_owned);
        page.table(&std::iter::once(head).chain(audit.runs.iter().map(row)).collect::<Vec<_>>());
    }
    page.into_text()
}

/// How many runs came to what.
pub(crate) fn summary(audit: &Audit) -> String {
    let counts = &audit.counts;
    let outcomes = [
        (counts.verified, "verified"),
        (counts.under_provenanced, "under-provenanced"),
        (counts.unverifiable, "unverifiable"),
        (counts.invalid, "invalid"),
        (counts.without_receipt, "without a receipt"),
    ];
    let outcomes: Vec<String> =
        outcomes.into_iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    let outcomes = if outcomes.is_empty() { "nothing to judge".to_owned() } else { outcomes.join(", ") };
    let plural = if counts.runs == 1 { "" } else { "s" };
    format!("{} run{plural} under policy \"{}\": {outcomes}", counts.runs, audit.policy.name)
}

/// The findings of one code, with what to do said once.
fn findings(of_code: &[Finding], verbose: bool, page: &mut Page) {
    let shown = if verbose { of_code.len() } else { SHOWN };
    for finding in of_code.iter().take(shown) {
        let Finding { runs, problem: Problem { effect, message, code, .. }, .. } = finding;
        text::row(*effect, message, *code, page);
        page.row("", FAINT, &format!("at {}", place(finding)));
        if !runs.is_empty() {
            page.row("", FAINT, &names(runs, verbose));
        }
    }
    let more = of_code.len().saturating_sub(shown);
    if more > 0 {
        let runs: Vec<String> = of_code.iter().skip(shown).flat_map(|finding| finding.runs.iter().cloned()).collect();
        page.row("", FAINT, &format!("and {more} more: {}", names(&runs, verbose)));
    }
    if let Some(Finding { problem, .. }) = of_code.first().filter(|first| first.problem.effect > Effect::Notes) {
        page.row("", FAINT, problem.help);
    }
}

/// Where a finding stands.
pub(crate) fn place(finding: &Finding) -> String {
    let Finding { file, line, problem, .. } = finding;
    let line = line.map_or_else(String::new, |line| format!(" line {line}"));
    let pointer = problem.location.pointer.as_deref().map_or_else(String::new, |pointer| format!(" {pointer}"));
    format!("{file}{line}{pointer}").trim_end().to_owned()
}

/// A run in short, where it is named by a receipt id.
pub(crate) fn short(name: &str) -> String {
    let is_id = matches!(name.len(), 32 | 64) && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    name.chars().take(if is_id { SHORT } else { usize::MAX }).collect()
}

/// Runs on one line, in short where they are named by receipt ids.
fn names(runs: &[String], verbose: bool) -> String {
    let named = |name: &String| if verbose { name.clone() } else { short(name) };
    let shown = if verbose { runs.len() } else { NAMED };
    let names: Vec<String> = runs.iter().take(shown).map(named).collect();
    let more = match runs.len().saturating_sub(shown) {
        0 => String::new(),
        more => format!(" and {more} more (-v)"),
    };
    format!("{}{more}", names.join(", "))
}

fn row(run: &Run) -> [String; 4] {
    let receipt = run.receipt.as_ref();
    let codes = |codes: &[Code]| codes.iter().map(|code| code.name()).collect::<Vec<_>>().join(" ");
    [
        run.name.clone(),
        receipt.map_or("no receipt", |receipt| receipt.outcome.name()).to_owned(),
        receipt.and_then(|receipt| receipt.label.clone()).unwrap_or_default(),
        receipt.map(|receipt| codes(&receipt.codes)).unwrap_or_default(),
    ]
}

//! `receipt verify` and `receipt claims`: settle what is trusted and asked for, judge every input on its own, show each answer and
//! the whole.

use std::collections::BTreeMap;

use serde_json::json;
use verify_core::{Companion, Report, escape, escape_json, limits};

use crate::args::{Format, VerifyArgs};
use crate::engine::{Engine, Inputs};
use crate::exit;
use crate::inputs::{Beside, Failure, Input};
use crate::json::Documents;
use crate::layout::{PLAIN, Page};
use crate::output::{Output, complain};
use crate::terms::{Judgement, read_option};
use crate::text;

/// What is shown of a report.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    /// Everything.
    Report,
    /// The statements of the receipt alone.
    Claims,
}

pub(crate) fn run(arguments: &VerifyArgs, view: View, output: &mut Output) -> u8 {
    let settled = Judgement::of(&arguments.judgement, &arguments.paths);
    let given = settled.and_then(|judgement| Ok((judgement, read_option("--input", arguments.input.as_deref())?)));
    let (judgement, given) = match given {
        Ok(settled) => settled,
        Err(failure) => return failure.end(),
    };
    let (inputs, passed_over) = match &arguments.run {
        None => Input::resolve(&arguments.paths),
        Some(directory) => (vec![Input::of_run(directory)], Vec::new()),
    };
    let beside = arguments.run.as_deref().map(Beside::of_run);
    let beside = beside.as_ref().map(Beside::files).unwrap_or_default();
    if !arguments.quiet {
        passed_over.iter().for_each(|word| complain(word));
    }
    if inputs.is_empty() {
        return Failure::usage("no receipts found: name a file, a directory, or - for standard input (which --paths reads)").end();
    }
    let is_standard_input = matches!(inputs.as_slice(), [input] if input.is_standard_input());
    if arguments.are_paths && !is_standard_input {
        return Failure::usage("--paths reads the paths from standard input: name - and nothing else").end();
    }
    let is_stream = is_standard_input && (arguments.are_paths || arguments.format == Format::Jsonl);
    if arguments.input.is_some() && (is_stream || inputs.len() > 1) {
        let count = if is_stream { "a stream of them".to_owned() } else { inputs.len().to_string() };
        return Failure::usage(format!("--input names the input of one receipt, but there are {count} to judge")).end();
    }
    let companions = arguments.run.iter().flat_map(|run| Companion::ALL.map(|companion| run.join(companion.name())));
    if !output.spares(inputs.iter().filter_map(Input::path).chain(arguments.files())) || !output.spares(companions) {
        return exit::USAGE;
    }

    let engine = match Engine::new(&arguments.judgement.effort, (!is_stream).then_some(inputs.len())) {
        Ok(engine) => engine,
        Err(failure) => return failure.end(),
    };
    // A stream may have any number of ids.
    let looks_for_shared_ids = !is_stream && inputs.len() > 1;
    let mut batch = Batch::default();
    let inputs = match (is_stream, arguments.are_paths) {
        (false, _) => Inputs::Listed(inputs.into_iter()),
        (true, true) => Inputs::lines(engine.share(), PATH_BYTES, Input::of_path_line),
        (true, false) => Inputs::lines(engine.share(), limits::RECEIPT_BYTES, Input::of_line),
    };
    let judge = |input: &Input| {
        input.ask(|bytes| {
            let request = judgement.request(bytes, input.name()).expecting(&arguments.expect).with_run(&beside);
            let report = judgement.verifier.verify(&given.as_deref().map_or(request, |given| request.with_input(given)));
            let shown = match (view, arguments.format) {
                _ if arguments.quiet => String::new(),
                (View::Report, Format::Text) => text::report(&report, arguments.verbose),
                (View::Claims, Format::Text) => text::claims(&report),
                (View::Report, _) => report.to_json(),
                (View::Claims, _) => claims(&report),
            };
            let receipt_id = if looks_for_shared_ids { receipt_id(bytes) } else { None };
            (Answered::of(&report, receipt_id), shown)
        })
    };
    let mut documents = Documents::new(arguments.format);
    let mut spares_inputs = true;
    let is_whole = engine.run(inputs, judge, |input, answer| {
        spares_inputs &= !is_stream || output.spares(input.path());
        match (&answer, &mut documents) {
            _ if arguments.quiet => {}
            (Ok((_, shown)), Some(documents)) => documents.print(shown, output),
            (Ok((_, shown)), None) => output.print(shown),
            (Err(failure), Some(documents)) => documents.print_failure(input.name(), failure, output),
            (Err(failure), None) => output.print(&text::failure(input.name(), failure)),
        }
        match answer {
            Ok((answered, _)) => batch.add(answered, input.name()),
            Err(failure) => batch.add_word(failure.word.to_lowercase(), failure.exit_code),
        }
    });
    if !spares_inputs {
        batch.worst = exit::worst(batch.worst, exit::USAGE);
    }
    if !is_whole {
        batch.worst = exit::worst(batch.worst, exit::UNVERIFIABLE);
    }
    if !is_whole || !spares_inputs {
        output.abandon();
    }

    if !arguments.quiet {
        let summary = batch.summary(is_whole);
        if let Some(documents) = documents {
            documents.finish(output);
            complain(summary.trim_end());
        } else if view == View::Claims {
            complain(summary.trim_end());
        } else {
            output.print(&summary);
        }
    }
    batch.worst()
}

/// A path of a stream has at most so many bytes; Linux takes 4096.
const PATH_BYTES: usize = 4096;

/// The claims of a report as one line of JSON, with what says how far to trust them.
fn claims(report: &Report) -> String {
    let Report { input, outcome, exit_code, claims, .. } = report;
    escape_json(&json!({ "input": input, "outcome": outcome, "exit_code": exit_code, "claims": claims }).to_string())
}

/// The id that a receipt gives itself, escaped; it proves nothing.
fn receipt_id(bytes: &[u8]) -> Option<String> {
    let entries = verify_core::inspect(bytes).entries;
    entries.into_iter().find(|entry| entry.section == "receipt" && entry.name == "receipt_id").map(|entry| entry.value)
}

/// What counts of a report among others.
struct Answered {
    word: &'static str,
    exit_code: u8,
    policy: String,
    /// What qualifies the answer: a signer's word, waivers, softened findings, other anchors.
    qualifiers: Vec<&'static str>,
    receipt_id: Option<String>,
    sha256: String,
}

impl Answered {
    fn of(report: &Report, receipt_id: Option<String>) -> Self {
        let softened = (!report.policy.softened.is_empty()).then_some("findings softened");
        let anchors = (!report.anchors.built_in).then_some("not Intel's anchors");
        let signer = report.facts.signer.is_some().then_some("some on a signer's word");
        Self {
            word: report.outcome.name(),
            exit_code: report.exit_code,
            policy: report.policy.name.clone(),
            qualifiers: signer.into_iter().chain(report.policy.waivers.iter().copied()).chain(softened).chain(anchors).collect(),
            receipt_id,
            sha256: report.input.sha256.clone(),
        }
    }
}

/// What is known about all inputs together.
#[derive(Default)]
struct Batch {
    worst: u8,
    inputs: usize,
    /// How often each word of an answer was given.
    counts: BTreeMap<(u8, String), usize>,
    reports: usize,
    /// The policy of the answers.
    policy: Option<String>,
    qualifiers: Vec<&'static str>,
    /// By receipt id: SHA-256 and name of every file that carries it.
    ids: BTreeMap<String, Vec<(String, String)>>,
}

impl Batch {
    fn add(&mut self, answered: Answered, name: &str) {
        self.add_word(answered.word.to_owned(), answered.exit_code);
        self.reports += 1;
        self.policy = Some(answered.policy);
        for qualifier in answered.qualifiers {
            if !self.qualifiers.contains(&qualifier) {
                self.qualifiers.push(qualifier);
            }
        }
        if let Some(id) = answered.receipt_id {
            self.ids.entry(id).or_default().push((answered.sha256, escape(name)));
        }
    }

    fn add_word(&mut self, word: String, exit_code: u8) {
        self.worst = exit::worst(self.worst, exit_code);
        self.inputs += 1;
        *self.counts.entry((exit_code, word)).or_default() += 1;
    }

    /// Where nothing was judged, nothing is verified.
    fn worst(&self) -> u8 {
        if self.inputs == 0 { exit::worst(self.worst, exit::USAGE) } else { self.worst }
    }

    /// One note for each receipt id that different files share, then the count.
    fn summary(&self, is_whole: bool) -> String {
        let mut page = Page::default();
        for (id, files) in &self.ids {
            note_shared_id(id, files, &mut page);
        }
        let counts: Vec<String> = self.counts.iter().map(|((_, word), count)| format!("{count} {word}")).collect();
        let noun = if self.reports == self.inputs { "receipt" } else { "input" };
        let plural = if self.inputs == 1 { "" } else { "s" };
        let policy = self.policy.as_ref().map_or_else(String::new, |name| format!(" under policy \"{name}\""));
        let qualified = if self.qualifiers.is_empty() { String::new() } else { format!(" ({})", self.qualifiers.join(", ")) };
        let counts = if counts.is_empty() { "nothing was judged".to_owned() } else { counts.join(", ") };
        page.line(&format!("{} {noun}{plural}{policy}{qualified}: {counts}", self.inputs));
        if !is_whole {
            page.line("PARTIAL: interrupted, and what came after these was not judged");
        }
        page.into_text()
    }
}

/// How many of the files that share a receipt id are named.
const NAMED: usize = 4;

fn note_shared_id(id: &str, files: &[(String, String)], page: &mut Page) {
    if files.iter().all(|(sha256, _)| Some(sha256) == files.first().map(|(first, _)| first)) {
        return;
    }
    let text = format!(
        "different files have the same receipt_id {id}: it follows from the enclave's output or the attestation alone, so it names no \
         receipt; each result stands for its own path"
    );
    page.row("note", PLAIN, &text);
    for (_, name) in files.iter().take(NAMED) {
        page.row("", PLAIN, name);
    }
    if files.len() > NAMED {
        page.row("", PLAIN, &format!("and {} more", files.len() - NAMED));
    }
}

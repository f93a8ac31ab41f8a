//! `receipt verify` and `receipt claims`: settle what is trusted and asked for, judge every input on its own, show each answer and
//! the whole.

use std::collections::BTreeMap;

use serde_json::json;
use verify_core::{Companion, Report, escape_json};

use crate::args::VerifyArgs;
use crate::exit;
use crate::inputs::{Beside, Input};
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
        Err(failure) => {
            complain(&format!("error: {}", failure.message));
            return failure.exit_code;
        }
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
        complain("error: no receipts found: name a file, a directory, or - for standard input");
        return exit::USAGE;
    }
    if arguments.input.is_some() && inputs.len() > 1 {
        complain(&format!("error: --input names the input of one receipt, but there are {} to judge", inputs.len()));
        return exit::USAGE;
    }
    let companions = arguments.run.iter().flat_map(|run| Companion::ALL.map(|companion| run.join(companion.name())));
    if !output.spares(inputs.iter().filter_map(Input::path).chain(arguments.files())) || !output.spares(companions) {
        return exit::USAGE;
    }
    let mut documents = Documents::new(arguments.format);
    let mut batch = Batch::default();
    for input in &inputs {
        let answer = input.ask(|bytes| {
            let request = judgement.request(bytes, input.name()).expecting(&arguments.expect).with_run(&beside);
            let report = judgement.verifier.verify(&given.as_deref().map_or(request, |given| request.with_input(given)));
            let receipt_id = if inputs.len() > 1 { receipt_id(bytes) } else { None };
            (report, receipt_id)
        });
        match (&answer, &mut documents) {
            _ if arguments.quiet => {}
            (Ok((report, _)), Some(documents)) => match view {
                View::Report => documents.print(&report.to_json(), output),
                View::Claims => documents.print(&claims(report), output),
            },
            (Ok((report, _)), None) => match view {
                View::Report => output.print(&text::report(report, arguments.verbose)),
                View::Claims => output.print(&text::claims(report)),
            },
            (Err(failure), Some(documents)) => documents.print_failure(input.name(), failure, output),
            (Err(failure), None) => output.print(&text::failure(input.name(), failure)),
        }
        match answer {
            Ok((report, receipt_id)) => batch.add(&report, receipt_id),
            Err(failure) => batch.add_word(failure.word.to_lowercase(), failure.exit_code),
        }
    }

    if !arguments.quiet {
        let summary = batch.summary();
        if let Some(documents) = documents {
            documents.finish(output);
            complain(summary.trim_end());
        } else if view == View::Claims {
            complain(summary.trim_end());
        } else {
            output.print(&summary);
        }
    }
    batch.worst
}

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
    /// What qualifies the answers: a signer's word, waivers, softened findings, other anchors.
    qualifiers: Vec<&'static str>,
    /// By receipt id: SHA-256 and name of every file that carries it.
    ids: BTreeMap<String, Vec<(String, String)>>,
}

impl Batch {
    fn add(&mut self, report: &Report, receipt_id: Option<String>) {
        self.add_word(report.outcome.name().to_owned(), report.exit_code);
        self.reports += 1;
        self.policy = Some(report.policy.name.clone());
        let softened = (!report.policy.softened.is_empty()).then_some("findings softened");
        let anchors = (!report.anchors.built_in).then_some("not Intel's anchors");
        let signer = report.facts.signer.is_some().then_some("some on a signer's word");
        for qualifier in signer.into_iter().chain(report.policy.waivers.iter().copied()).chain(softened).chain(anchors) {
            if !self.qualifiers.contains(&qualifier) {
                self.qualifiers.push(qualifier);
            }
        }
        if let Some((id, name)) = receipt_id.zip(report.input.name.clone()) {
            self.ids.entry(id).or_default().push((report.input.sha256.clone(), name));
        }
    }

    fn add_word(&mut self, word: String, exit_code: u8) {
        self.worst = exit::worst(self.worst, exit_code);
        self.inputs += 1;
        *self.counts.entry((exit_code, word)).or_default() += 1;
    }

    /// One note for each receipt id that different files share, then the count.
    fn summary(&self) -> String {
        let mut page = Page::default();
        for (id, files) in &self.ids {
            note_shared_id(id, files, &mut page);
        }
        let counts: Vec<String> = self.counts.iter().map(|((_, word), count)| format!("{count} {word}")).collect();
        let noun = if self.reports == self.inputs { "receipt" } else { "input" };
        let plural = if self.inputs == 1 { "" } else { "s" };
        let policy = self.policy.as_ref().map_or_else(String::new, |name| format!(" under policy \"{name}\""));
        let qualified = if self.qualifiers.is_empty() { String::new() } else { format!(" ({})", self.qualifiers.join(", ")) };
        page.line(&format!("{} {noun}{plural}{policy}{qualified}: {}", self.inputs, counts.join(", ")));
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

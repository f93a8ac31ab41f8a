//! One report as text: the headline, what was found (gravest first), then on a line each what the evidence shows about
//! verdict, hardware, bindings, enclave, coverage and time. Every text of a report is escaped by the core.

use anstyle::Style;
use verify_core::{Check, CheckResult, Claim, Code, Comparison, Coverage, Effect, Obligation, Outcome, Problem, Report, escape};

use crate::inputs::Failure;
use crate::layout::{BAD, FAINT, GOOD, OPEN, PLAIN, Page, THIN};

/// Findings that say that some signed object is not current at the judged instant.
const OUTSIDE_WINDOW: [Code; 4] = [Code::CertificateValidity, Code::CrlWindow, Code::TcbInfoWindow, Code::QeIdentityWindow];

/// The bindings in short words.
const BINDINGS: [(Obligation, &str); 7] = [
    (Obligation::ReportDataLow, "nonce+key"),
    (Obligation::ReportDataHigh, "image+output+files"),
    (Obligation::OutputHash, "output hash"),
    (Obligation::FilesManifest, "input files"),
    (Obligation::ReceiptId, "receipt id"),
    (Obligation::Nonce, "nonce formula"),
    (Obligation::Input, "enclave input"),
];

/// Hex digits of a measurement that tell two apart at a glance.
const SHORT: usize = 16;

pub(crate) fn report(report: &Report, verbose: bool) -> String {
    let mut page = Page::default();
    headline(report, &mut page);
    findings(report, verbose, &mut page);
    verdict(report, &mut page);
    hardware(report, &mut page);
    time(report, &mut page);
    bindings(report, &mut page);
    scorer(report, &mut page);
    enclave(report, &mut page);
    thin(report, &mut page);
    covered(report, verbose, &mut page);
    judged(report, &mut page);
    if verbose {
        checks(report, &mut page);
        facts(report, &mut page);
        if !report.claims.is_empty() {
            page.section("Claims, with what carries each");
            claims_table(report, &mut page);
        }
    }
    page.into_text()
}

fn headline(report: &Report, page: &mut Page) {
    let word = report.outcome.name();
    let headline = report.headline().replacen(word, &word.to_uppercase(), 1);
    page.head(&headline, style_of(report.outcome), report.input.name.as_deref().unwrap_or_default());
}

/// An input without an answer.
pub(crate) fn failure(name: &str, failure: &Failure) -> String {
    let mut page = Page::default();
    page.head(failure.word, BAD, &escape(name));
    page.row("", PLAIN, &failure.message);
    page.into_text()
}

fn style_of(outcome: Outcome) -> Style {
    match outcome {
        Outcome::Verified => GOOD,
        Outcome::UnderProvenanced => THIN,
        Outcome::Unverifiable => OPEN,
        _ => BAD,
    }
}

/// One finding with its code.
pub(crate) fn finding(problem: &Problem, page: &mut Page) {
    let style = match problem.effect {
        Effect::Notes => FAINT,
        Effect::Weakens => THIN,
        Effect::Prevents => OPEN,
        _ => BAD,
    };
    page.row_with_tail(problem.effect.name(), style, &problem.message, problem.code.name());
}

/// The findings, the gravest also with their place and with what to do, which is said once.
fn findings(report: &Report, verbose: bool, page: &mut Page) {
    let gravest = report.problems.iter().map(|problem| problem.effect).max();
    let mut said = Vec::new();
    for problem in report.problems.iter().filter(|problem| verbose || problem.effect > Effect::Notes) {
        finding(problem, page);
        if !verbose && Some(problem.effect) != gravest {
            continue;
        }
        if said.contains(&problem.help) {
            page.row("", PLAIN, &format!("at {}", problem.location));
        } else {
            page.row("", PLAIN, &format!("at {}: {}", problem.location, problem.help));
            said.push(problem.help);
        }
        for (word, value) in [("found", &problem.found), ("wanted", &problem.wanted)] {
            if let Some(value) = value.as_ref().filter(|_| verbose) {
                page.row("", FAINT, &format!("{word} {value}"));
            }
        }
    }
}

/// What the receipt claims and what the enclave signed are two facts, whatever the receipt is worth.
fn verdict(report: &Report, page: &mut Page) {
    let claimed = |pointer: &str| report.claims.iter().find(|claim| claim.pointer == pointer).map(|claim| claim.value.as_str());
    let (label, pass) = (claimed("/attestation/verdict/label"), claimed("/attestation/verdict/pass"));
    if label.is_none() && pass.is_none() {
        return;
    }
    let mut text = format!("claims {} (pass={})", label.unwrap_or("no label"), pass.unwrap_or("none"));
    text.push_str(&match &report.facts.output {
        None => "; no output of a genuine enclave was shown".to_owned(),
        Some(output) if output.label.is_none() && output.pass.is_none() => "; the enclave signed no verdict".to_owned(),
        Some(output) => {
            let label = output.label.as_ref().map_or("no label".to_owned(), |label| format!("\"{}\"", label.replace('"', "\\\"")));
            let pass = output.pass.map_or("none".to_owned(), |pass| pass.to_string());
            format!("; the enclave signed {label} (pass={pass})")
        }
    });
    let is_refused = pass == Some("false") || report.facts.output.as_ref().is_some_and(|output| output.pass == Some(false));
    if is_refused && matches!(report.outcome, Outcome::Verified | Outcome::UnderProvenanced) {
        text.push_str("; a valid receipt is not an accepted run");
    }
    page.row("Verdict", PLAIN, &text);
}

fn hardware(report: &Report, page: &mut Page) {
    let facts = &report.facts;
    let (Some(tcb), Some(window), Some(platform)) = (&facts.tcb, &facts.window, &facts.platform) else { return };
    let doubts = hardware_doubts(report);
    if !doubts.is_empty() {
        page.row("Hardware", PLAIN, &format!("not accepted: {}", doubts.join(", ")));
        return;
    }
    let day = |instant: verify_core::Timestamp| instant.to_string().chars().take(10).collect::<String>();
    let (quote, issuer) = match report.anchors.built_in {
        true => ("genuine TDX quote", "Intel collateral"),
        false => ("TDX quote that is genuine under the given anchors, not Intel's", "their collateral"),
    };
    let evaluation = match tcb.tcb_info_evaluation == tcb.qe_identity_evaluation {
        true => format!("evaluation {}", tcb.tcb_info_evaluation),
        false => format!("evaluations {} and {}", tcb.tcb_info_evaluation, tcb.qe_identity_evaluation),
    };
    let mut text = format!(
        "{quote}; was {} under {issuer} of {} to {} ({evaluation}), platform {}",
        tcb.status.name(),
        day(window.start),
        day(window.end),
        platform.fmspc
    );
    if !tcb.advisories.is_empty() {
        text.push_str(&format!("; advisories {}", tcb.advisories.join(", ")));
    }
    page.row("Hardware", PLAIN, &text);
}

/// What stands against the hardware's evidence: obligations between quote and TD attributes that did not end well.
fn hardware_doubts(report: &Report) -> Vec<&'static str> {
    let weighs = |code: &Code| report.problems.iter().any(|problem| problem.code == *code && problem.effect >= Effect::Prevents);
    let mut doubts: Vec<&'static str> = Vec::new();
    for check in report.checks.iter().filter(|check| (Obligation::Quote..=Obligation::TdAttributes).contains(&check.id)) {
        let found = match &check.result {
            CheckResult::Passed | CheckResult::Softened { .. } | CheckResult::Waived | CheckResult::NotApplicable { .. } => Vec::new(),
            CheckResult::Failed { codes } => codes.iter().filter(|code| weighs(code)).map(|code| code.name()).collect(),
            CheckResult::Skipped { because } => vec![because.name()],
            _ => vec![check.id.id()],
        };
        for doubt in found {
            if !doubts.contains(&doubt) {
                doubts.push(doubt);
            }
        }
    }
    doubts
}

fn time(report: &Report, page: &mut Page) {
    let is_late = report.outcome == Outcome::Unverifiable && OUTSIDE_WINDOW.iter().any(|code| report.has(*code));
    let (true, Some(window), Some(at)) = (is_late && report.judged.source != "collateral", &report.facts.window, report.judged.at) else {
        return;
    };
    page.row(
        "Time",
        OPEN,
        &format!(
            "the collateral is current from {} to {}, not at {at}. Either judge at the collateral's own time (leave out --at), or ask \
             for the receipt with collateral that is current at that instant",
            window.start, window.end
        ),
    );
}

fn bindings(report: &Report, page: &mut Page) {
    let (mut hold, mut fail, mut open) = (Vec::new(), Vec::new(), Vec::new());
    for (obligation, name) in BINDINGS {
        let check = report.checks.iter().find(|check| check.id == obligation);
        match check.map(|check| &check.result) {
            Some(CheckResult::Passed) => hold.push(name),
            Some(CheckResult::Failed { .. }) if obligation == Obligation::Input && report.has(Code::InputNotRecovered) => open.push(name),
            Some(CheckResult::Failed { .. }) => fail.push(name),
            Some(CheckResult::NotApplicable { .. }) => {}
            _ => open.push(name),
        }
    }
    if hold.is_empty() && fail.is_empty() {
        return;
    }
    let all = if fail.is_empty() && open.is_empty() { "all hold" } else { "hold" };
    let groups: Vec<String> = [(all, hold), ("WRONG", fail), ("not shown", open)]
        .iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(word, names)| format!("{word}: {}", names.join(", ")))
        .collect();
    let to_what = if report.facts.trust_domain.is_some() { "" } else { "to a quote that was not shown to be genuine: " };
    page.row("Bindings", PLAIN, &format!("{to_what}{}", groups.join("; ")));
}

/// Whether the output is that of a known scorer on the recovered input.
fn scorer(report: &Report, page: &mut Page) {
    let (Some(input), Some(output)) = (&report.facts.input, &report.facts.output) else { return };
    let rerun = match output.reproduced_by {
        Some(scorer) => format!("{scorer}, run again on it, prints exactly the signed output"),
        None if report.has(Code::ScorerOutputDiffers) => "the scorer, run again on it, prints SOMETHING ELSE".to_owned(),
        None => "that the scorer made the output of it is not shown".to_owned(),
    };
    page.row("Scorer", PLAIN, &format!("input of {} bytes recovered from {}; {rerun}", input.bytes, input.source));
}

fn enclave(report: &Report, page: &mut Page) {
    let Some(domain) = &report.facts.trust_domain else { return };
    let is_waived = |waiver: &str| report.policy.waivers.contains(&waiver);
    let state = |unpinned: Code, mismatch: Code, waiver: &str| match () {
        () if report.has(mismatch) => "none of those that the policy accepts",
        () if report.has(unpinned) || is_waived(waiver) => "not pinned",
        () => "pinned",
    };
    let measurements = state(Code::EnclaveUnpinned, Code::EnclaveMismatch, "any enclave");
    let image = state(Code::ImageUnpinned, Code::ImageMismatch, "any image");
    let short = |digest: &str| digest.chars().take(SHORT).collect::<String>();
    let digest = report.facts.image.as_deref().map_or("not shown".to_owned(), |image| short(image.trim_start_matches("sha256:")));
    let consequence = match (measurements, image) {
        ("not pinned", "not pinned") => ": any TDX machine, any image could have made this quote",
        ("not pinned", _) => ": any TDX machine could have made this quote",
        (_, "not pinned") => ": any image could have made this output",
        _ => "",
    };
    let waived = if is_waived("any enclave") || is_waived("any image") { "; the policy waives that" } else { "" };
    let mrtd = short(&domain.mrtd);
    page.row("Enclave", PLAIN, &format!("measurements {measurements} (MRTD {mrtd}), image {image} ({digest}){consequence}{waived}"));
}

/// What the receipt lacks, and what the policy lets pass.
fn thin(report: &Report, page: &mut Page) {
    let mut lacking: Vec<&str> = report
        .problems
        .iter()
        .filter(|problem| problem.effect == Effect::Weakens)
        .filter_map(|problem| problem.code.name().strip_prefix("provenance."))
        .collect();
    lacking.dedup();
    if !lacking.is_empty() {
        page.row("Thin", PLAIN, &lacking.join(", "));
    }
    if !report.policy.softened.is_empty() {
        let codes: Vec<&str> = report.policy.softened.iter().map(|code| code.name()).collect();
        page.row("Softened", PLAIN, &format!("by policy \"{}\": {}", report.policy.name, codes.join(", ")));
    }
}

fn covered(report: &Report, verbose: bool, page: &mut Page) {
    if report.claims.is_empty() {
        return;
    }
    let groups = [
        (Coverage::Quote, "by the quote"),
        (Coverage::EnclaveInput, "as enclave input"),
        (Coverage::Nonce, "by the nonce"),
        (Coverage::Signature, "by a signature"),
        (Coverage::Asserted, "by nothing"),
    ];
    let counts: Vec<String> = groups
        .iter()
        .map(|(coverage, words)| (words, report.claims.iter().filter(|claim| claim.coverage == *coverage).count()))
        .filter(|(_, count)| *count > 0)
        .map(|(words, count)| format!("{words} {count}"))
        .collect();
    let hint = if verbose { "" } else { "; -v lists them" };
    page.row("Covered", PLAIN, &format!("{} ({} fields{hint})", counts.join(", "), report.claims.len()));
}

fn judged(report: &Report, page: &mut Page) {
    let Some(at) = report.judged.at else { return };
    let source = match report.judged.source {
        "collateral" => "start of the collateral's window",
        "now" => "now",
        _ => "given with --at",
    };
    page.row("Judged", PLAIN, &format!("at {at} ({source}); revocations after that are not visible"));
}

fn checks(report: &Report, page: &mut Page) {
    page.section("Checks");
    for Check { id, title, result, .. } in &report.checks {
        let (word, style, because) = match result {
            CheckResult::Passed => ("passed", GOOD, String::new()),
            CheckResult::Failed { codes } => ("failed", BAD, codes.iter().map(|code| code.name()).collect::<Vec<_>>().join(", ")),
            CheckResult::Softened { codes } => ("softened", OPEN, codes.iter().map(|code| code.name()).collect::<Vec<_>>().join(", ")),
            CheckResult::Waived => ("waived", OPEN, "by the policy".to_owned()),
            CheckResult::Skipped { because } => ("skipped", OPEN, format!("because of {because}")),
            CheckResult::NotApplicable { reason } => ("n/a", FAINT, (*reason).to_owned()),
            _ => ("unmet", OPEN, String::new()),
        };
        page.row_with_tail(word, style, title, id.id());
        if !because.is_empty() {
            page.row("", FAINT, &because);
        }
    }
}

fn facts(report: &Report, page: &mut Page) {
    let facts = &report.facts;
    if let Some(domain) = &facts.trust_domain {
        page.section("Measurements under the quote");
        page.cell("MRTD", 6, &domain.mrtd);
        for (index, register) in domain.rtmr.iter().enumerate() {
            page.cell(&format!("RTMR{index}"), 6, register);
        }
        page.cell("MRSEAM", 6, &domain.mrseam);
        if let Some(image) = &facts.image {
            page.cell("image", 6, image);
        }
    }
    if let Some(window) = &facts.window {
        page.section("Validity of what was signed");
        let width = window.objects.iter().map(|object| object.object.len()).max().unwrap_or(0);
        for object in &window.objects {
            page.cell(object.object, width, &format!("{} to {}", object.start, object.end));
        }
    }
}

/// The claims alone, under a headline that says how far to trust them.
pub(crate) fn claims(report: &Report) -> String {
    let mut page = Page::default();
    headline(report, &mut page);
    claims_table(report, &mut page);
    page.into_text()
}

/// One line for each claim: where it stands, what carries it, its value, and what it was compared with.
fn claims_table(report: &Report, page: &mut Page) {
    let rows = report.claims.iter().map(|claim| {
        let pointer = claim.pointer.strip_prefix("/attestation").unwrap_or(&claim.pointer);
        let compared: Vec<String> = claim.compared.iter().map(|comparison| compared(claim, comparison)).collect();
        [pointer.to_owned(), claim.coverage.name().to_owned(), claim.value.clone(), compared.join("; ")]
    });
    let head = ["claim", "coverage", "value", "compared with"].map(str::to_owned);
    page.table(&std::iter::once(head).chain(rows).collect::<Vec<_>>());
}

fn compared(claim: &Claim, comparison: &Comparison) -> String {
    let place = format!("{} {}", comparison.document, comparison.pointer);
    match comparison.agrees {
        true if comparison.value == claim.value => place,
        true => format!("{place}: {}", comparison.value),
        false => format!("DIFFERS from {place}: {}", comparison.value),
    }
}

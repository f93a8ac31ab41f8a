//! One report as text: the headline, what was found (gravest first), then on a line each what the evidence shows about
//! verdict, hardware, bindings, enclave, coverage and time. Every text of a report is escaped by the core.

use anstyle::Style;
use verify_core::tier::Scored;
use verify_core::{
    AnchorsInForce, Check, CheckResult, Claim, Code, Comparison, Coverage, Effect, EnclaveFacts, Judged, Obligation, Outcome,
    PlatformFacts, Problem, QuoteReport, Report, TcbFacts, Timestamp, TrustDomainFacts, WindowFacts, escape,
};

use crate::inputs::Failure;
use crate::layout::{BAD, FAINT, GOOD, OPEN, PLAIN, Page, THIN};

/// Findings that say that some signed object is not current at the judged instant.
const OUTSIDE_WINDOW: [Code; 4] = [Code::CertificateValidity, Code::CrlWindow, Code::TcbInfoWindow, Code::QeIdentityWindow];

/// The bindings in short words.
const BINDINGS: [(Obligation, &str); 8] = [
    (Obligation::ReportDataLow, "nonce+key"),
    (Obligation::ReportDataHigh, "image+output+files"),
    (Obligation::OutputHash, "output hash"),
    (Obligation::FilesManifest, "input files"),
    (Obligation::Contents, "egress+policy+artifacts"),
    (Obligation::ReceiptId, "receipt id"),
    (Obligation::Nonce, "nonce formula"),
    (Obligation::Input, "enclave input"),
];

/// Columns of the name of a measurement.
const MEASUREMENT: usize = "MRSERVICETD".len();

/// Hex digits of a measurement that tell two apart at a glance.
const SHORT: usize = 16;

pub(crate) fn report(report: &Report, verbose: bool) -> String {
    let mut page = Page::default();
    headline(&report.headline(), report.outcome, report.input.name.as_deref(), &mut page);
    let common = Common::of(report);
    findings(&common, verbose, &mut page);
    verdict(report, &mut page);
    tier(report, &mut page);
    hardware(&common, &mut page);
    fresh(report, &mut page);
    signer(report, &mut page);
    time(&common, &mut page);
    bindings(report, &mut page);
    scorer(report, &mut page);
    enclave(report, &mut page);
    expected(report, &mut page);
    beside(report, &mut page);
    thin(report, &mut page);
    covered(report, verbose, &mut page);
    judged(&common, &mut page);
    if verbose {
        checks(&common, &mut page);
        tier_steps(report, &mut page);
        measurements(&common, &mut page);
        if let Some(image) = &report.facts.image {
            page.cell("image", MEASUREMENT, image);
        }
        windows(&common, &mut page);
        if !report.claims.is_empty() {
            page.section("Claims, with what carries each");
            claims_table(report, &mut page);
        }
    }
    page.into_text()
}

/// A report about a bare quote. What it is of stands there always: only the reader knows what it should be.
pub(crate) fn quote(report: &QuoteReport, verbose: bool) -> String {
    let mut page = Page::default();
    headline(&report.headline(), report.outcome, report.quote.name.as_deref(), &mut page);
    let common = Common::of_quote(report);
    findings(&common, verbose, &mut page);
    hardware(&common, &mut page);
    time(&common, &mut page);
    judged(&common, &mut page);
    if common.trust_domain.is_some() || common.enclave.is_some() {
        let text = "the measurements and the report data with what you expect: a genuine quote can be of anything on a genuine machine";
        page.row("Compare", PLAIN, text);
    }
    measurements(&common, &mut page);
    if verbose {
        checks(&common, &mut page);
        windows(&common, &mut page);
    }
    page.into_text()
}

/// What reports about receipts and about quotes have in common.
struct Common<'a> {
    outcome: Outcome,
    judged: &'a Judged,
    anchors: &'a AnchorsInForce,
    checks: &'a [Check],
    problems: &'a [Problem],
    platform: Option<&'a PlatformFacts>,
    trust_domain: Option<&'a TrustDomainFacts>,
    enclave: Option<&'a EnclaveFacts>,
    tcb: Option<&'a TcbFacts>,
    window: Option<&'a WindowFacts>,
    /// The same quote under collateral that the caller brought.
    fresh: Option<&'a QuoteReport>,
}

impl<'a> Common<'a> {
    fn of(report: &'a Report) -> Self {
        let Report { outcome, judged, anchors, checks, problems, facts, .. } = report;
        Self {
            outcome: *outcome,
            judged,
            anchors,
            checks,
            problems,
            platform: facts.platform.as_ref(),
            trust_domain: facts.trust_domain.as_ref(),
            enclave: None,
            tcb: facts.tcb.as_ref(),
            window: facts.window.as_ref(),
            fresh: report.fresh.as_ref(),
        }
    }

    fn of_quote(report: &'a QuoteReport) -> Self {
        let QuoteReport { outcome, judged, anchors, checks, problems, facts, .. } = report;
        Self {
            outcome: *outcome,
            judged,
            anchors,
            checks,
            problems,
            platform: facts.platform.as_ref(),
            trust_domain: facts.trust_domain.as_ref(),
            enclave: facts.enclave.as_ref(),
            tcb: facts.tcb.as_ref(),
            window: facts.window.as_ref(),
            fresh: None,
        }
    }

    fn has(&self, code: Code) -> bool {
        self.problems.iter().any(|problem| problem.code == code)
    }
}

/// The headline of a report with the name of its input; the word of the outcome stands in capitals.
pub(crate) fn headline(headline: &str, outcome: Outcome, name: Option<&str>, page: &mut Page) {
    let word = outcome.name();
    page.head(&headline.replacen(word, &word.to_uppercase(), 1), style_of(outcome), name.unwrap_or_default());
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

/// One finding with its code, after a word on `when` it holds.
pub(crate) fn finding(when: &str, problem: &Problem, page: &mut Page) {
    row(problem.effect, &format!("{when}{}", problem.message), problem.code, page);
}

/// A text about a code, with what the code does.
pub(crate) fn row(effect: Effect, text: &str, code: Code, page: &mut Page) {
    let style = match effect {
        Effect::Notes => FAINT,
        Effect::Weakens => THIN,
        Effect::Prevents => OPEN,
        _ => BAD,
    };
    page.row_with_tail(effect.name(), style, text, code.name());
}

/// The findings, the gravest also with their place and with what to do, which is said once.
fn findings(report: &Common<'_>, verbose: bool, page: &mut Page) {
    let later = report.fresh.iter().flat_map(|fresh| &fresh.problems).map(|problem| ("under the fresh collateral: ", problem));
    let mut found: Vec<(&str, &Problem)> = report.problems.iter().map(|problem| ("", problem)).chain(later).collect();
    found.sort_by_key(|(_, problem)| std::cmp::Reverse(problem.effect));
    let gravest = found.first().map(|(_, problem)| problem.effect);
    let mut said = Vec::new();
    for (when, problem) in found.into_iter().filter(|(_, problem)| verbose || problem.effect > Effect::Notes) {
        finding(when, problem, page);
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
    let claimed = |pointer: &str| report.claims.iter().find(|claim| claim.pointer == pointer);
    let label = claimed("/attestation/verdict/label").or_else(|| claimed("/label"));
    let pass = claimed("/attestation/verdict/pass").map(|claim| claim.value.as_str());
    if label.is_none() && pass.is_none() {
        return;
    }
    let mut text = format!("claims {} (pass={})", label.map_or("no label", |label| &label.value), pass.unwrap_or("none"));
    if let Some((_, words)) = label.and_then(|label| CARRIERS.iter().find(|(coverage, _)| *coverage == label.coverage)) {
        text.push_str(&format!(", the label covered {words}"));
    }
    text.push_str(&match &report.facts.output {
        None if is_signed(report) => "; no enclave is behind that".to_owned(),
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

/// The tier that the recorded figures earn, where somebody asked.
fn tier(report: &Report, page: &mut Page) {
    let Some(rescored) = &report.rescored else { return };
    let figures: Vec<String> = rescored.figures.iter().map(|recorded| format!("{} {:?}", recorded.figure.name(), recorded.value)).collect();
    let figures = figures.join(", ");
    let text = match &rescored.scored {
        Some(scored) => format!("the recorded figures ({figures}) earn \"{}\" (pass={})", scored.label, scored.pass),
        None if figures.is_empty() => "no figures are recorded".to_owned(),
        None => format!("the recorded figures ({figures}) give no label"),
    };
    page.row("Tier", PLAIN, &format!("{text} by the parameters \"{}\"; they are the submitter's", rescored.params.replace('"', "\\\"")));
}

fn hardware(report: &Common<'_>, page: &mut Page) {
    let (Some(tcb), Some(window), Some(platform)) = (report.tcb, report.window, report.platform) else { return };
    let doubts = hardware_doubts(report);
    if !doubts.is_empty() {
        page.row("Hardware", PLAIN, &format!("not accepted: {}", doubts.join(", ")));
        return;
    }
    let tee = if report.enclave.is_some() { "SGX" } else { "TDX" };
    let (quote, issuer) = match report.anchors.built_in {
        true => (format!("genuine {tee} quote"), "Intel collateral"),
        false => (format!("{tee} quote that is genuine under the given anchors, not Intel's"), "their collateral"),
    };
    let (status, advisories) = (tcb.status.name(), advisories(tcb));
    let text = format!("{quote}; was {status} under {issuer} {}, platform {}{advisories}", dated(tcb, window), platform.fmspc);
    page.row("Hardware", PLAIN, &text);
}

/// The second answer: what the same quote is worth under collateral that the caller brought.
fn fresh(report: &Report, page: &mut Page) {
    let Some(QuoteReport { facts, outcome, collateral, .. }) = &report.fresh else { return };
    let (then, now) = (report.outcome_as_carried.name(), outcome.name());
    let text = match (&facts.tcb, &facts.window) {
        (Some(tcb), Some(window)) => format!("{} under the fresh collateral {}{}", tcb.status.name(), dated(tcb, window), advisories(tcb)),
        _ => format!("no TCB status under the fresh collateral (sha256 {})", short(&collateral.sha256)),
    };
    page.row("Fresh", style_of(*outcome), &format!("{now} (as carried: {then}): {text}"));
}

/// Whether the receipt carries a signature in the place of a quote.
fn is_signed(report: &Report) -> bool {
    matches!(result(report, Obligation::Quote), Some(CheckResult::NotApplicable { .. }))
}

fn result(report: &Report, obligation: Obligation) -> Option<&CheckResult> {
    report.checks.iter().find(|check| check.id == obligation).map(|check| &check.result)
}

/// Whose word a signed receipt is.
fn signer(report: &Report, page: &mut Page) {
    if !is_signed(report) {
        return;
    }
    let named =
        report.problems.iter().find(|problem| problem.code.name().starts_with("signer.")).and_then(|problem| problem.found.as_deref());
    let holds = result(report, Obligation::Signature) == Some(&CheckResult::Passed);
    let text = match (&report.facts.signer, named) {
        (Some(key), _) => format!("by the trusted key {key}: the whole attestation is its owner's word, and no hardware vouches for it"),
        (None, Some(key)) if holds => {
            format!("the signature matches the key inside of the file, {key}; nothing says that it is a signer's you trust")
        }
        (None, _) if holds => "the signature matches the key inside of the file".to_owned(),
        (None, _) => "not shown: no good signature covers the attestation".to_owned(),
    };
    page.row("Signed", PLAIN, &text);
}

/// The window and evaluation numbers of collateral.
fn dated(tcb: &TcbFacts, window: &WindowFacts) -> String {
    let day = |instant: Timestamp| instant.to_string().chars().take(10).collect::<String>();
    let evaluation = match tcb.tcb_info_evaluation == tcb.qe_identity_evaluation {
        true => format!("evaluation {}", tcb.tcb_info_evaluation),
        false => format!("evaluations {} and {}", tcb.tcb_info_evaluation, tcb.qe_identity_evaluation),
    };
    format!("of {} to {} ({evaluation})", day(window.start), day(window.end))
}

fn advisories(tcb: &TcbFacts) -> String {
    if tcb.advisories.is_empty() { String::new() } else { format!("; advisories {}", tcb.advisories.join(", ")) }
}

/// As much of a digest as tells two apart at a glance.
fn short(digest: &str) -> String {
    digest.chars().take(SHORT).collect()
}

/// What stands against the hardware's evidence: obligations about the quote that did not end well.
fn hardware_doubts(report: &Common<'_>) -> Vec<&'static str> {
    let weighs = |code: &Code| report.problems.iter().any(|problem| problem.code == *code && problem.effect >= Effect::Prevents);
    let mut doubts: Vec<&'static str> = Vec::new();
    for check in report.checks.iter().filter(|check| Obligation::OF_A_QUOTE.contains(&check.id)) {
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
    let later = report.fresh.iter().flat_map(|fresh| &fresh.problems).filter(|problem| problem.effect == Effect::Refutes);
    doubts.extend(later.map(|problem| problem.code.name()));
    doubts
}

fn time(report: &Common<'_>, page: &mut Page) {
    let is_late = report.outcome == Outcome::Unverifiable && OUTSIDE_WINDOW.iter().any(|code| report.has(*code));
    let (true, Some(window), Some(at)) = (is_late && report.judged.source != "collateral", report.window, report.judged.at) else {
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
        match result(report, obligation) {
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
    let to_what =
        if report.facts.trust_domain.is_some() || is_signed(report) { "" } else { "to a quote that was not shown to be genuine: " };
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
    let image = match result(report, Obligation::Image) {
        Some(CheckResult::NotApplicable { .. }) => "none",
        _ => state(Code::ImageUnpinned, Code::ImageMismatch, "any image"),
    };
    let digest = report.facts.image.as_deref().map(|image| short(image.trim_start_matches("sha256:")));
    let digest = digest.unwrap_or(if image == "none" { "a bare command ran" } else { "not shown" }.to_owned());
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

/// What the caller expects, and what became of it.
fn expected(report: &Report, page: &mut Page) {
    for (index, expectation) in report.expectations.iter().enumerate() {
        let label = if index == 0 { "Expected" } else { "" };
        let state = match (expectation.coverage, expectation.code) {
            (Some(coverage), _) => format!("met ({})", coverage.name()),
            (None, Some(code)) => format!("not met ({code})"),
            (None, None) => "not judged".to_owned(),
        };
        page.row(label, PLAIN, &format!("{} = {}: {state}", expectation.pointer, expectation.wanted));
    }
}

/// The files beside the receipt, and what their comparison came to.
fn beside(report: &Report, page: &mut Page) {
    for (index, file) in report.run.iter().enumerate() {
        let label = if index == 0 { "Beside" } else { "" };
        let state = match (file.against, file.differ) {
            (None, _) => "not compared: nothing in it could be".to_owned(),
            (Some(other), 0) => format!("agrees with {other} ({} values)", file.compared),
            (Some(other), count) => {
                let more = if count > file.differing.len() { ", ..." } else { "" };
                format!("differs from {other} in {count} of {} values: {}{more}", file.compared, file.differing.join(", "))
            }
        };
        page.row(label, PLAIN, &format!("{} {state}", file.name));
    }
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

/// What carries a claim, in words that follow "covered".
const CARRIERS: [(Coverage, &str); 5] = [
    (Coverage::Quote, "by the quote"),
    (Coverage::EnclaveInput, "as enclave input"),
    (Coverage::Nonce, "by the nonce"),
    (Coverage::Signature, "by a signature"),
    (Coverage::Asserted, "by nothing"),
];

fn covered(report: &Report, verbose: bool, page: &mut Page) {
    if report.claims.is_empty() {
        return;
    }
    let counts: Vec<String> = CARRIERS
        .iter()
        .map(|(coverage, words)| (words, report.claims.iter().filter(|claim| claim.coverage == *coverage).count()))
        .filter(|(_, count)| *count > 0)
        .map(|(words, count)| format!("{words} {count}"))
        .collect();
    let hint = if verbose { "" } else { "; -v lists them" };
    page.row("Covered", PLAIN, &format!("{} ({} fields{hint})", counts.join(", "), report.claims.len()));
}

fn judged(report: &Common<'_>, page: &mut Page) {
    let Some(at) = report.judged.at else { return };
    let source = match report.judged.source {
        "collateral" => "start of the collateral's window",
        "now" => "now",
        _ => "given with --at",
    };
    let again =
        report.fresh.as_ref().and_then(|fresh| fresh.judged.at).map_or(String::new(), |at| format!(" and, by fresh collateral, at {at}"));
    page.row("Judged", PLAIN, &format!("at {at} ({source}){again}; revocations after that are not visible"));
}

fn checks(report: &Common<'_>, page: &mut Page) {
    page.section("Checks");
    for Check { id, title, result, .. } in report.checks {
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

fn tier_steps(report: &Report, page: &mut Page) {
    let Some(scored) = report.rescored.as_ref().and_then(|rescored| rescored.scored.as_ref()) else { return };
    page.section("The tier, step by step");
    steps(scored, page);
}

/// The steps of the tier function, one a line.
pub(crate) fn steps(scored: &Scored, page: &mut Page) {
    let width = scored.why.iter().map(|step| step.rule.len()).max().unwrap_or(0);
    for step in &scored.why {
        page.cell(step.rule, width, &step.text);
    }
}

/// What the quote is of, in full.
fn measurements(report: &Common<'_>, page: &mut Page) {
    let mut cells: Vec<(String, String)> = Vec::new();
    let mut cell = |name: &str, value: &str| cells.push((name.to_owned(), value.to_owned()));
    if let Some(domain) = report.trust_domain {
        cell("MRTD", &domain.mrtd);
        for (index, register) in domain.rtmr.iter().enumerate() {
            cell(&format!("RTMR{index}"), register);
        }
        cell("MRSEAM", &domain.mrseam);
        if let Some(hash) = &domain.mrservicetd {
            cell("MRSERVICETD", hash);
        }
        cell("report data", &domain.report_data);
    }
    if let Some(enclave) = report.enclave {
        cell("MRENCLAVE", &enclave.mrenclave);
        cell("MRSIGNER", &enclave.mrsigner);
        cell("product", &format!("id {}, SVN {}", enclave.isv_prod_id, enclave.isv_svn));
        cell("attributes", &enclave.attributes);
        cell("report data", &enclave.report_data);
    }
    if !cells.is_empty() {
        page.section("Measurements under the quote");
    }
    for (name, value) in &cells {
        page.cell(name, MEASUREMENT, value);
    }
}

fn windows(report: &Common<'_>, page: &mut Page) {
    let Some(window) = report.window else { return };
    page.section("Validity of what was signed");
    let width = window.objects.iter().map(|object| object.object.len()).max().unwrap_or(0);
    for object in &window.objects {
        page.cell(object.object, width, &format!("{} to {}", object.start, object.end));
    }
}

/// The claims alone, under a headline that says how far to trust them.
pub(crate) fn claims(report: &Report) -> String {
    let mut page = Page::default();
    headline(&report.headline(), report.outcome, report.input.name.as_deref(), &mut page);
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
    let place = place.trim_end();
    match comparison.agrees {
        true if comparison.value == claim.value => place.to_owned(),
        true => format!("{place}: {}", comparison.value),
        false => format!("DIFFERS from {place}: {}", comparison.value),
    }
}

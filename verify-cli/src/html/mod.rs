//! An audit as one page of HTML, for people who have no terminal at hand: no script, no other file, nothing that is fetched.
//!
//! The outcome and what it means, the runs by outcome, causes, the log's own findings, the runs in time and one by one, digests.

pub(crate) mod compare;
mod markup;

use std::collections::BTreeMap;

use verify_core::audit::{Audit, Finding, Group, Run, RunReceipt};
use verify_core::{Code, Effect, Outcome, Timestamp};

use crate::audit::{place, short, summary};
use markup::Element;

/// What the page may load: nothing. Its own style sheet is all that it needs.
const CONTENT_SECURITY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// What a run can come to, gravest first; without an outcome where there is no receipt.
const OUTCOMES: [Option<Outcome>; 5] =
    [Some(Outcome::Invalid), Some(Outcome::Unverifiable), Some(Outcome::UnderProvenanced), Some(Outcome::Verified), None];

const MEANING: [&str; 2] = [
    "Verified means that every required check passed and nothing weakens the result; under-provenanced, that nothing contradicts it but \
     it is thinner than the policy asks; unverifiable, that something needed was absent, stale or unsupported, so that nothing was \
     decided; invalid, that the evidence is contradicted, forged or malformed; and of a log, the worst of its receipts and of what was \
     found about the log itself.",
    "This page is about the lists and receipts whose digests stand at its end, with the files beside them (a seal has the digests of all), \
     judged by the policy, the anchors and the version named here: it bears no date of its own, because the same files, judged alike, \
     give the same page.",
];

/// The page. `asked` are further terms of the audit with what they were, escaped for showing.
pub(crate) fn page(audit: &Audit, asked: &[(&str, String)]) -> String {
    let page = Page::of(audit);
    let log = audit.log.as_deref().unwrap_or("a log");
    let main = element("main")
        .add(headline(audit, log))
        .add(page.outcomes())
        .add(meaning(audit, asked))
        .add(page.causes())
        .add(page.findings())
        .add(page.timeline())
        .add(page.runs())
        .add(digests(audit));
    document(&format!("{}: audit of {log}", audit.outcome.name()), main)
}

/// A whole page.
fn document(title: &str, main: Element) -> String {
    let head = element("head").add([
        element("meta").with("charset", "utf-8"),
        element("meta").with("http-equiv", "Content-Security-Policy").with_ours("content", CONTENT_SECURITY),
        element("meta").with("name", "viewport").with("content", "width=device-width, initial-scale=1"),
        element("meta").with("name", "color-scheme").with("content", "light dark"),
        element("title").text(title),
        Element::style(include_str!("style.css")),
    ]);
    format!("<!DOCTYPE html>\n{}", element("html").with("lang", "en").add(head).add(element("body").add(main)))
}

fn headline(audit: &Audit, log: &str) -> Element {
    let headline = audit.headline();
    let qualifiers = headline.strip_prefix(audit.outcome.name()).unwrap_or_default().trim_start();
    let word = badge(audit.outcome.name(), &audit.outcome.name().to_uppercase());
    element("header")
        .add(element("p").class("faint").text("Audit of the log ").add(element("code").text(log)))
        .add(element("h1").add(word).text(" ").add(element("small").text(qualifiers)))
        .add(element("p").text(format!("{}.", summary(audit))))
}

fn meaning(audit: &Audit, asked: &[(&str, String)]) -> Element {
    let Audit { policy, anchors, tool, since, .. } = audit;
    let anchors_word = if anchors.built_in { "Intel's, built in" } else { "given by the caller, not Intel's" };
    let codes: Vec<&str> = policy.softened.iter().map(|code| code.name()).collect();
    let since = since.map(|since| format!("{} files and {} published verdicts of an earlier log", since.files, since.verdicts));
    let mut facts = element("dl");
    let mut fact = |name: &str, value: &str| {
        if !value.is_empty() {
            let list = std::mem::replace(&mut facts, element("dl"));
            facts = list.add(element("dt").text(name)).add(element("dd").text(value));
        }
    };
    fact("Policy", &policy.name);
    fact("SHA-256 of the policy", &policy.sha256);
    fact("Waived by it", &policy.waivers.join(", "));
    fact("Softened by it", &codes.join(", "));
    fact("Anchors", anchors_word);
    fact("SHA-256 of the root key", &anchors.root_key_sha256);
    fact("SHA-256 of the TCB signing key", anchors.tcb_signing_key_sha256.as_deref().unwrap_or_default());
    fact("Trusted signers of receipts", &anchors.signer_keys.join(", "));
    asked.iter().for_each(|(name, value)| fact(name, value));
    fact("Compared with", since.as_deref().unwrap_or_default());
    fact("Made by", &format!("{} {}", tool.name, tool.version));
    section("What the answer means").add(MEANING.map(|sentence| element("p").text(sentence))).add(facts)
}

/// What the parts of the page know of each other.
struct Page<'a> {
    audit: &'a Audit,
    /// Where a run stands among the runs.
    places: BTreeMap<&'a str, usize>,
    /// What was found about the log that is about a run.
    found: BTreeMap<&'a str, Vec<Code>>,
}

impl<'a> Page<'a> {
    fn of(audit: &'a Audit) -> Self {
        let places = audit.runs.iter().enumerate().map(|(place, run)| (run.name.as_str(), place)).collect();
        let mut found: BTreeMap<&str, Vec<Code>> = BTreeMap::new();
        for (code, run) in audit.findings.iter().flat_map(|finding| finding.runs.iter().map(|run| (finding.problem.code, run))) {
            let codes = found.entry(run).or_default();
            if !codes.contains(&code) {
                codes.push(code);
            }
        }
        Self { audit, places, found }
    }

    /// The runs that came to `outcome`, with their places.
    fn runs_with(&self, outcome: Option<Outcome>) -> impl Iterator<Item = (usize, &'a Run)> {
        self.audit.runs.iter().enumerate().filter(move |(_, run)| outcome_of(run) == outcome)
    }

    /// The outcomes that occur, with how many runs came to each.
    fn counts(&self) -> Vec<(Option<Outcome>, usize)> {
        let counts = OUTCOMES.map(|outcome| (outcome, self.runs_with(outcome).count()));
        counts.into_iter().filter(|(_, count)| *count > 0).collect()
    }

    /// A bar of all runs, and the numbers.
    fn outcomes(&self) -> Element {
        let counts = self.counts();
        let words: Vec<String> = counts.iter().map(|(outcome, count)| format!("{count} {}", word(*outcome))).collect();
        let mut bar = picture(self.audit.runs.len().max(1), 1, &format!("Runs by outcome: {}", words.join(", "))).class("bar");
        let mut start = 0;
        for (outcome, count) in &counts {
            bar = bar.add(mark(id(*outcome), start as f64, 0.0, *count as f64, 1.0));
            start += count;
        }
        let number = |(outcome, count): &(Option<Outcome>, usize)| {
            let link = element("a").with("href", format!("#{}", id(*outcome))).text(word(*outcome));
            element("li").add(element("b").text(count)).text(" ").add(swatch(*outcome)).text(" ").add(link)
        };
        let section = section("Runs by outcome");
        if counts.is_empty() {
            return section.add(element("p").text("There is no run in the log."));
        }
        section.add(bar).add(element("ul").class("counts").add(counts.iter().map(number)))
    }

    fn causes(&self) -> Element {
        let section = section("Receipts, by cause");
        if self.audit.receipts.is_empty() {
            return section.add(element("p").text("Nothing was found about receipts that counts."));
        }
        section.add(self.audit.receipts.iter().map(|group| self.cause(group)))
    }

    fn cause(&self, group: &Group) -> Element {
        let Group { code, effect, message, runs, .. } = group;
        let found = element("p").text(message);
        let finding = finding(&cause_id(*code), *effect, *code).add(found).add(help(*effect, *code));
        if runs.len() == self.audit.runs.len() && runs.len() > 1 {
            return finding.add(element("p").text(format!("All {} runs.", runs.len())));
        }
        finding.add(element("p").text(format!("{}:", count(runs.len(), "run")))).add(self.names(runs))
    }

    fn findings(&self) -> Element {
        let section = section("The log itself");
        if self.audit.findings.is_empty() {
            return section.add(element("p").text("Nothing was found about the log itself."));
        }
        section.add(self.audit.findings.chunk_by(|left, right| left.problem.code == right.problem.code).map(|of_code| {
            let Some(first) = of_code.first() else { return element("div") };
            let (code, effect) = (first.problem.code, first.problem.effect);
            let items = of_code.iter().map(|finding| self.item(finding));
            let title = element("p").text(code.info().title);
            finding(&finding_id(code), effect, code).add([title, element("ul").add(items)]).add(help(effect, code))
        }))
    }

    fn item(&self, finding: &Finding) -> Element {
        let place = element("span").class("faint").text(format!("at {}", place(finding)));
        let item = element("li").text(&finding.problem.message).add([element("br"), place]);
        if finding.runs.is_empty() { item } else { item.text(" ").add(self.names(&finding.runs)) }
    }

    /// Runs in short, each leading to its row.
    fn names(&self, runs: &[String]) -> Element {
        element("div").class("runs").add(runs.iter().map(|run| match self.places.get(run.as_str()) {
            Some(place) => element("a").with("href", format!("#run-{place}")).add(element("code").text(short(run))),
            None => element("code").text(short(run)),
        }))
    }

    /// A mark for each run, from the earliest to the latest time that receipts claim, in a lane for each outcome.
    fn timeline(&self) -> Element {
        let lanes: Vec<Option<Outcome>> = self.counts().into_iter().map(|(outcome, _)| outcome).collect();
        let mut runs: Vec<(Option<Timestamp>, &Run)> = self.audit.runs.iter().map(|run| (time_of(run), run)).collect();
        runs.sort_by_key(|(time, _)| (time.is_none(), *time));
        let times: Vec<Timestamp> = runs.iter().filter_map(|(time, _)| *time).collect();
        let section = section("Runs in time");
        let (Some(first), Some(last)) = (times.first(), times.last()) else {
            return section.add(element("p").text("No receipt claims a time."));
        };
        let timeless = runs.len() - times.len();
        let about = format!(
            "{}, a mark each, evenly spaced in the order of the times that their receipts claim, from {first} to {last}{}",
            count(runs.len(), "run"),
            if timeless > 0 { format!("; {timeless} without a time at the end") } else { String::new() }
        );
        let mut chart = picture(runs.len(), lanes.len(), &about).with("style", format!("height:{}rem", 2 * lanes.len()));
        chart = chart.add((0..lanes.len()).map(|lane| mark("lane", 0.0, lane as f64 + 0.05, runs.len() as f64, 0.9)));
        for (place, (time, run)) in runs.iter().enumerate() {
            let lane = lanes.iter().position(|lane| *lane == outcome_of(run)).unwrap_or_default();
            let label = run.receipt.as_ref().and_then(|receipt| receipt.label.as_deref()).unwrap_or("no label");
            let time = time.map_or("no time".to_owned(), |time| time.to_string());
            let title = format!("{}: {}, {label}, {time}", run.name, word(outcome_of(run)));
            let mark = mark(id(outcome_of(run)), place as f64 + 0.1, lane as f64 + 0.15, 0.8, 0.7);
            chart = chart.add(mark.add(element("title").text(title)));
        }
        let names = element("div").class("names").add(lanes.iter().map(|lane| element("span").text(word(*lane))));
        let ends = element("div").class("ends").add([first, last].map(|end| element("span").text(end)));
        let caption = element("figcaption").text(format!("{about}. Point at a mark for its run."));
        let columns = format!("grid-template-columns:max-content minmax(0,{}rem)", runs.len().saturating_mul(2).max(24));
        let lanes = element("div").class("lanes").with("style", columns).add([names, chart, ends]);
        section.add(element("figure").add([lanes, caption]))
    }

    /// The runs, a table for each outcome; a link to one of them hides the others.
    fn runs(&self) -> Element {
        let link = |(id, text): (&str, String)| element("li").add(element("a").with("href", format!("#{id}")).text(text));
        let all = ("runs", format!("all {}", self.audit.runs.len()));
        let links =
            [all].into_iter().chain(self.counts().into_iter().map(|(outcome, count)| (id(outcome), format!("{count} {}", word(outcome)))));
        let nav = element("nav").with("aria-label", "Runs by outcome").add(element("ul").add(links.map(link)));
        let tables = self.counts().into_iter().map(|(outcome, count)| self.table(outcome, count));
        let trust =
            "Label, speed, commit and time are what receipts claim of themselves; how far that can be trusted is what the outcome says.";
        section("Runs").with("id", "runs").add([nav, element("p").class("faint").text(trust)]).add(tables)
    }

    fn table(&self, outcome: Option<Outcome>, count: usize) -> Element {
        let head = COLUMNS.map(|column| element("th").with("scope", "col").text(column));
        let rows = self.runs_with(outcome).map(|(place, run)| self.row(place, run));
        let title = element("h3").add(badge(id(outcome), word(outcome))).text(format!(" {count} of {}", self.audit.runs.len()));
        let table = element("table")
            .with("aria-label", format!("Runs: {}", word(outcome)))
            .add(element("thead").add(element("tr").add(head)))
            .add(element("tbody").add(rows));
        element("section").class("outcome").with("id", id(outcome)).add([title, table])
    }

    fn row(&self, place: usize, run: &Run) -> Element {
        let outcome = outcome_of(run);
        let cell = |column: usize| element("td").with("data-head", COLUMNS.get(column).copied().unwrap_or_default());
        let name = element("th").with("scope", "row").add(element("code").text(&run.name));
        let name = if short(&run.name) == run.name { name } else { name.class("whole") };
        let row = element("tr").with("id", format!("run-{place}")).add(name).add(cell(1).add(badge(id(outcome), word(outcome))));
        let optional = |column: usize, value: Option<&str>| value.map_or(cell(column), |value| cell(column).text(value));
        let receipt = run.receipt.as_ref();
        let commit = receipt.and_then(|receipt| receipt.commit.as_deref());
        let commit = commit.map_or(cell(4), |commit| {
            cell(4).add(element("code").with("title", commit).text(commit.chars().take(COMMIT_DIGITS).collect::<String>()))
        });
        let of_receipt = receipt.into_iter().flat_map(|receipt| &receipt.codes).map(|code| (cause_id(*code), *code));
        let of_log = self.found.get(run.name.as_str()).into_iter().flatten().map(|code| (finding_id(*code), *code));
        let codes = of_receipt.chain(of_log).map(|(id, code)| element("a").with("href", format!("#{id}")).text(code.name()));
        row.add(optional(2, receipt.and_then(|receipt| receipt.label.as_deref())))
            .add(optional(3, receipt.and_then(|receipt| receipt.tps.as_deref())))
            .add(commit)
            .add(optional(5, time_of(run).map(|time| time.to_string()).as_deref()).class("whole"))
            .add(optional(6, receipt.map(carried).as_deref()))
            .add(cell(7).add(codes))
    }
}

const COLUMNS: [&str; 8] = ["run", "outcome", "label", "tok/s", "commit", "time", "claims carried by", "codes"];

/// Digits of a commit that are shown.
const COMMIT_DIGITS: usize = 10;

fn carried(receipt: &RunReceipt) -> String {
    let claims = &receipt.claims;
    let groups = [
        (claims.quote, "quote"),
        (claims.enclave_input, "enclave input"),
        (claims.nonce, "nonce"),
        (claims.signature, "signature"),
        (claims.asserted, "nothing"),
    ];
    let groups: Vec<String> = groups.iter().filter(|(count, _)| *count > 0).map(|(count, by)| format!("{by} {count}")).collect();
    groups.join(", ")
}

/// The lists and receipts that the audit is about.
fn digests(audit: &Audit) -> Element {
    let lists = audit.lists.iter().map(|list| (list.name.to_owned(), list.sha256.as_str()));
    let receipts =
        audit.runs.iter().filter_map(|run| Some((format!("runs/{}/receipt.json", run.name), run.receipt.as_ref()?.sha256.as_str())));
    let row = |(file, sha256): (String, &str)| {
        let name = element("th").with("scope", "row").add(element("code").text(file));
        element("tr").add(name).add(element("td").with("data-head", "SHA-256").add(element("code").text(sha256)))
    };
    let head = ["file", "SHA-256"].map(|column| element("th").with("scope", "col").text(column));
    let table = element("table").with("aria-label", "Digests").add(element("thead").add(element("tr").add(head)));
    section("Digests").add(table.add(element("tbody").add(lists.chain(receipts).map(row))))
}

fn outcome_of(run: &Run) -> Option<Outcome> {
    run.receipt.as_ref().map(|receipt| receipt.outcome)
}

fn time_of(run: &Run) -> Option<Timestamp> {
    run.receipt.as_ref()?.timestamp
}

fn word(outcome: Option<Outcome>) -> &'static str {
    outcome.map_or("no receipt", |outcome| outcome.name())
}

/// The anchor and the class of an outcome.
fn id(outcome: Option<Outcome>) -> &'static str {
    outcome.map_or("no-receipt", |outcome| outcome.name())
}

fn cause_id(code: Code) -> String {
    format!("receipts-{code}")
}

fn finding_id(code: Code) -> String {
    format!("log-{code}")
}

fn count(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn element(name: &'static str) -> Element {
    Element::new(name)
}

fn section(title: &str) -> Element {
    element("section").add(element("h2").text(title))
}

fn badge(class: &str, word: &str) -> Element {
    element("span").class(format!("badge {class}")).text(word)
}

/// The frame of one code with its findings.
fn finding(id: &str, effect: Effect, code: Code) -> Element {
    let head = element("header").add(badge(effect.name(), effect.name())).add(element("h3").add(element("code").text(code)));
    element("article").class("finding").with("id", id).add(head)
}

/// What to do, where something has to be done.
fn help(effect: Effect, code: Code) -> Option<Element> {
    (effect > Effect::Notes).then(|| element("p").class("faint").text(code.info().help))
}

/// A picture of so many units, stretched to the width of its place.
fn picture(width: usize, height: usize, about: &str) -> Element {
    let size = format!("0 0 {width} {height}");
    element("svg").with("viewBox", size).with("preserveAspectRatio", "none").with("role", "img").with("aria-label", about)
}

fn mark(class: &str, x: f64, y: f64, width: f64, height: f64) -> Element {
    element("rect").class(class).with("x", x).with("y", y).with("width", width).with("height", height)
}

fn swatch(outcome: Option<Outcome>) -> Element {
    element("span").class(format!("swatch {}", id(outcome)))
}

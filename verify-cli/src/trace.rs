//! `receipt trace`: do published numbers follow from the files that they name?

use serde_json::json;
use verify_core::bench::Files;
use verify_core::bench::trace::{Answer, Backing, Claims, Coverage, RowCount, Source, Trace, Traced, coverage, trace};
use verify_core::escape;

use crate::args::{Presentation, TraceArgs};
use crate::evidence;
use crate::exit;
use crate::inputs::read_toml;
use crate::json::pretty;
use crate::layout::{BAD, GOOD, OPEN, PLAIN, Page, harmless};
use crate::output::{Output, complain};

/// A word and a style for each answer, from the worst, over the claims that it is made of.
const GROUPS: [(Answer, &str); 4] = [
    (Answer::Mismatch, "Checked, and differs"),
    (Answer::Missing, "Missing"),
    (Answer::ZeroBaseline, "Divided by zero"),
    (Answer::Unverifiable, "Not verified"),
];

/// Cells of ids are padded to this width at most.
const ID: usize = 32;

/// An answer, and what it is about.
struct Answered<'a> {
    manifest: String,
    trace: &'a Trace,
    coverage: Option<&'a Result<Coverage, String>>,
    answer: Answer,
}

pub(crate) fn run(arguments: &TraceArgs, output: &mut Output) -> u8 {
    let claims: Claims = match read_toml(&arguments.claims, "claims", "", |text| toml::from_str(text)) {
        Ok(claims) => claims,
        Err(message) => {
            complain(&format!("error: {message}"));
            return exit::USAGE;
        }
    };
    let folder = evidence::folder(arguments.folder.as_deref(), &arguments.claims);
    let mut names = claims.files();
    names.extend(arguments.coverage.as_deref());
    if !output.spares(names.iter().map(|name| folder.join(name)).chain([arguments.claims.clone()])) {
        return exit::USAGE;
    }
    let files = evidence::read(folder, &names);
    if arguments.pin {
        return pin(&claims, &files, output);
    }
    let trace = trace(&claims, &files);
    let coverage = arguments.coverage.as_deref().map(|page| coverage(&claims, page, &files));
    let of_coverage = match &coverage {
        Some(Err(_)) => Answer::Missing,
        Some(Ok(coverage)) if arguments.strict && coverage.uncovered > 0 => Answer::Unverifiable,
        _ => Answer::Ok,
    };
    let answer = trace.answer().max(of_coverage);
    let answered = Answered { manifest: escape(&arguments.claims.to_string_lossy()), trace: &trace, coverage: coverage.as_ref(), answer };
    output.print(&match arguments.format {
        Presentation::Text => answered.page(arguments.verbose),
        Presentation::Json => answered.json(),
        Presentation::Markdown => answered.markdown(),
    });
    answer.exit_code()
}

/// Prints the table of digests of a manifest.
fn pin(claims: &Claims, files: &Files, output: &mut Output) -> u8 {
    let mut code = exit::OK;
    let mut table = "[files]\n".to_owned();
    for name in claims.sources() {
        match files.sha256(name) {
            Some(digest) => table.push_str(&format!("\"{}\" = \"{digest}\"\n", toml_text(name))),
            None => {
                complain(&format!("{}: cannot be read, so it has no digest", escape(name)));
                code = exit::MISSING;
            }
        }
    }
    output.print(&table);
    code
}

/// What stands between the quotes of a TOML text, harmless to show.
fn toml_text(text: &str) -> String {
    let is_plain = |character: char| escape(character.encode_utf8(&mut [0; 4])).len() == character.len_utf8();
    let mut before = ' ';
    let written = text.chars().map(|character| {
        let is_command = matches!(character, ':' | '#') && before == character;
        before = character;
        match is_plain(character) && character != '"' && !is_command {
            true => character.to_string(),
            false => format!("\\U{:08X}", u32::from(character)),
        }
    });
    written.collect()
}

impl Answered<'_> {
    fn made(&self) -> impl Iterator<Item = &Traced> {
        self.trace.claims.iter().filter(|claim| claim.retired.is_none())
    }

    fn retired(&self) -> impl Iterator<Item = &Traced> {
        self.trace.claims.iter().filter(|claim| claim.retired.is_some())
    }

    fn reproduced(&self) -> impl Iterator<Item = &Traced> {
        self.made().filter(|claim| claim.citable)
    }

    /// How many claims were reproduced, and what they rest on.
    fn sum(&self) -> String {
        let backed = [
            (Backing::Rows, "from rows"),
            (Backing::Summary, "from recorded summaries"),
            (Backing::Line, "from lines of logs"),
            (Backing::Values, "by equality"),
        ]
        .into_iter()
        .filter_map(|(backing, words)| {
            let count = self.reproduced().filter(|claim| claim.backing == backing).count();
            (count > 0).then(|| format!("{count} {words}"))
        });
        let backed: Vec<String> = backed.collect();
        let of = format!("{} of {} claims reproduced", self.reproduced().count(), self.made().count());
        if backed.is_empty() { of } else { format!("{of}: {}", backed.join(", ")) }
    }

    fn page(&self, is_verbose: bool) -> String {
        let mut page = Page::default();
        let style = match self.answer {
            Answer::Ok => GOOD,
            Answer::Mismatch => BAD,
            _ => OPEN,
        };
        page.head(self.answer.name(), style, &format!("{}: {}", self.manifest, self.sum()));
        let width = self.trace.claims.iter().map(|claim| claim.id.chars().count()).max().unwrap_or(0).min(ID);
        for (answer, title) in GROUPS {
            let mut claims = self.made().filter(|claim| claim.verdict.answer() == answer).peekable();
            if claims.peek().is_some() {
                page.section(title);
            }
            claims.for_each(|claim| page.cell(&claim.id, width, &failure(claim)));
        }
        let mut dropped = self.reproduced().filter(|claim| drops(claim)).peekable();
        if dropped.peek().is_some() {
            page.section("Reproduced without some rows");
        }
        dropped.for_each(|claim| page.cell(&claim.id, width, &success(claim)));
        let mut others = self.reproduced().filter(|claim| is_verbose && !drops(claim)).peekable();
        if others.peek().is_some() {
            page.section("Reproduced");
        }
        others.for_each(|claim| page.cell(&claim.id, width, &success(claim)));
        let mut retired = self.retired().peekable();
        if retired.peek().is_some() {
            page.section("No longer claimed: not to be cited");
        }
        retired.for_each(|claim| page.cell(&claim.id, width, &retirement(claim)));
        match self.coverage {
            None => {}
            Some(Err(why)) => page.row("Coverage", OPEN, why),
            Some(Ok(coverage)) => {
                page.row("Coverage", if coverage.uncovered == 0 { GOOD } else { OPEN }, &covered(coverage));
                coverage.examples.iter().for_each(|number| page.row("", PLAIN, &format!("line {}: {}", number.line, number.text)));
            }
        }
        page.into_text()
    }

    fn json(&self) -> String {
        let coverage = self.coverage.map(|coverage| match coverage {
            Ok(coverage) => json!(coverage),
            Err(why) => json!({ "error": why }),
        });
        pretty(&json!({
            "schema": "trace/1",
            "exit": { "code": self.answer.exit_code(), "name": self.answer.name() },
            "manifest": self.manifest,
            "made": self.made().count(),
            "reproduced": self.reproduced().count(),
            "claims": self.trace.claims,
            "coverage": coverage,
        }))
    }

    fn markdown(&self) -> String {
        let mut text = format!("**{}** {}: {}\n", self.answer.name(), code(&self.manifest), self.sum());
        let failed = GROUPS.iter().flat_map(|(answer, _)| self.made().filter(move |claim| claim.verdict.answer() == *answer));
        let claims: Vec<&Traced> = failed.chain(self.reproduced()).chain(self.retired()).collect();
        if !claims.is_empty() {
            text.push_str("\n| claim | verdict | published | recomputed | what was found |\n| --- | --- | --- | --- | --- |\n");
        }
        for claim in claims {
            let verdict = claim.retired.as_ref().map_or(claim.verdict.name(), |retired| retired.standing);
            let note = match (claim.retired.is_some(), claim.citable) {
                (true, _) => retirement(claim),
                (_, true) => success(claim),
                _ => failure(claim),
            };
            let [published, recomputed] = [claim.published.as_ref().map(|published| &published.text), claim.recomputed.as_ref()]
                .map(|text| text.map_or_else(String::new, |text| code(text)));
            text.push_str(&format!("| {} | {verdict} | {published} | {recomputed} | {} |\n", code(&claim.id), code(&note)));
        }
        match self.coverage {
            None => {}
            Some(Err(why)) => text.push_str(&format!("\nCoverage: {}\n", code(why))),
            Some(Ok(coverage)) => {
                text.push_str(&format!("\nCoverage: {}\n\n", code(&covered(coverage))));
                coverage.examples.iter().for_each(|number| text.push_str(&format!("- line {}: {}\n", number.line, code(&number.text))));
            }
        }
        harmless(&text)
    }
}

/// Whether a filter dropped rows.
fn drops(claim: &Traced) -> bool {
    claim.sources.iter().any(|source| source.rows.as_ref().is_some_and(|rows| rows.used < rows.total))
}

fn failure(claim: &Traced) -> String {
    let why = format!("{}: {}", claim.verdict.name(), claim.why.as_deref().unwrap_or_default());
    let sources = claim.sources.iter().filter(|source| source.input.is_some()).map(source);
    [why].into_iter().chain(claim.hints.iter().cloned()).chain(sources).collect::<Vec<_>>().join("; ")
}

fn success(claim: &Traced) -> String {
    let shown = match (&claim.expression, &claim.recomputed) {
        (Some(expression), Some(recomputed)) => format!("{recomputed} = {expression}"),
        _ => claim.sources.first().and_then(|source| source.found.clone()).unwrap_or_default(),
    };
    [shown].into_iter().chain(claim.sources.iter().map(source)).collect::<Vec<_>>().join("; ")
}

fn retirement(claim: &Traced) -> String {
    let Some(retired) = &claim.retired else { return String::new() };
    let published = claim.published.as_ref();
    let text = published.map_or_else(String::new, |published| format!("{}, ", published.text));
    let page = published.and_then(|published| Some(format!("; it stands at line {} of {}", published.line?, published.file.as_ref()?)));
    let found = format!("{}{}", claim.verdict.name(), page.unwrap_or_default());
    format!("{text}{} since {}: {} (now: {found})", retired.standing, retired.date, retired.reason)
}

/// A place, and where it has rows how many, with what each filter dropped, the last one first.
fn source(source: &Source) -> String {
    let input = source.input.as_ref().map_or_else(String::new, |input| format!("{input}: "));
    let place = format!("{} {}", source.file, source.at);
    let Some(RowCount { used, total, filters, .. }) = &source.rows else { return format!("{input}{place}") };
    let of = filters.last().map_or(*total, |last| last.of);
    let count = if *used == of { format!("{used} rows") } else { format!("{used} of {of} rows") };
    let dropped = filters.iter().rev().filter(|filter| filter.kept < filter.of);
    let dropped = dropped.map(|filter| format!(", {} of {} fail the filter {}", filter.of - filter.kept, filter.of, filter.filter));
    format!("{input}{count} of {place}{}", dropped.collect::<String>())
}

fn covered(coverage: &Coverage) -> String {
    let more = coverage.uncovered - coverage.examples.len();
    let more = if more > 0 { format!(" ({more} of them are not listed)") } else { String::new() };
    format!("{}: no claim is about {} of {} numbers with a unit{more}", coverage.file, coverage.uncovered, coverage.numbers)
}

/// A text as code of Markdown, in which nothing is a link, a mention or a cell.
fn code(text: &str) -> String {
    format!("`{}`", text.replace('`', "\\u{60}").replace('|', "\\|"))
}

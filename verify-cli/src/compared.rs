//! What a comparison came to, as blocks that text, Markdown and HTML show alike.

use std::fmt::Write as _;

use verify_core::bench::{ArmCounts, Compared, FieldCheck, FieldResult, Floor, InputFile, Reading, ReadingResult};

use crate::exit;
use crate::layout::{BAD, GOOD, OPEN, PLAIN, Page};

/// An answer. What is in it is escaped for showing.
pub(crate) struct Answer {
    /// Whether there is a comparison, and may it be published.
    pub(crate) verdict: Verdict,
    /// What the verdict is about, or why there is no comparison.
    pub(crate) about: String,
    pub(crate) blocks: Vec<Block>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Publishable,
    NotPublishable,
    Refused,
}

impl Verdict {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Publishable => "COMPARED",
            Self::NotPublishable => "NOT PUBLISHABLE",
            Self::Refused => "REFUSED",
        }
    }
}

/// A part of an answer.
pub(crate) enum Block {
    /// A list of texts under one label.
    Lines(&'static str, Vec<String>),
    /// Rows of cells under a title; the first one has the heads.
    Table(&'static str, Vec<Vec<String>>),
}

/// What to do about a refusal.
fn recovery(exit_code: u8) -> Option<&'static str> {
    match exit_code {
        exit::MISSING => Some("run the arm again, or give the file as another shape (--shape) if another tool wrote it"),
        exit::INVALID => {
            Some("measure both arms with one profile; with --waive FIELD=REASON they are compared all the same, but not to be published")
        }
        5 => Some("give as arm A a run in which this was measured"),
        exit::UNVERIFIABLE => Some(
            "let the tool record these fields, declare them (--profile-a, --profile-b), or ask for others (--profile); see docs/compare.md",
        ),
        _ => None,
    }
}

impl Answer {
    pub(crate) fn of(compared: &Compared) -> Self {
        let verdict = match (compared.exit.code, compared.headline.publishable) {
            (0, true) => Verdict::Publishable,
            (0, false) => Verdict::NotPublishable,
            _ => Verdict::Refused,
        };
        let about = match &compared.why {
            Some(why) => format!("{}: {why}", compared.exit.name),
            None => headline(compared),
        };
        let mut blocks = vec![Block::Lines("Delta", vec![compared.delta_convention.to_owned()])];
        if compared.exit.code == 0 {
            blocks.push(Block::Lines("Reasons", compared.headline.reasons.clone()));
        }
        if compared.findings.len() > 1 {
            blocks.push(Block::Lines("Found", compared.findings.clone()));
        }
        blocks.push(Block::Lines("Recover", recovery(compared.exit.code).into_iter().map(str::to_owned).collect()));
        blocks.push(Block::Lines("Arm A", compared.inputs.a.iter().map(input).collect()));
        blocks.push(Block::Lines("Arm B", compared.inputs.b.iter().map(input).collect()));
        profile(compared, &mut blocks);
        blocks.push(metrics(compared));
        blocks.push(points(compared));
        if let Some(drain) = &compared.drain {
            let used = drain
                .max_used_mib
                .zip(drain.threshold_mib)
                .map(|(used, allowed)| format!("at most {used} MiB in use, {allowed} allowed; "));
            let word = if drain.clean { "clean" } else { "not clean" };
            let boundaries =
                format!("{word}: {}{} boundaries, {} processes killed", used.unwrap_or_default(), drain.boundaries, drain.killed);
            blocks.push(Block::Lines("Drain", vec![boundaries]));
        }
        if let Some(gate) = &compared.gate {
            let number = |number: Option<f64>| number.map_or_else(|| "absent".to_owned(), |number| number.to_string());
            let result = gate.result.name();
            let shown = format!(
                "{result}: {} of the candidate {}, of the control {}, bar {}; skipped {}; task level {}",
                gate.metric,
                gate.candidate,
                number(gate.control),
                gate.bar,
                number(gate.skipped_fraction),
                gate.task_level
            );
            blocks.push(Block::Lines("Gate", vec![shown]));
        }
        blocks.retain(|block| match block {
            Block::Lines(_, lines) => !lines.is_empty(),
            Block::Table(_, rows) => rows.len() > 1,
        });
        Self { verdict, about, blocks }
    }

    pub(crate) fn text(&self) -> String {
        let mut page = Page::default();
        let style = match self.verdict {
            Verdict::Publishable => GOOD,
            Verdict::NotPublishable => OPEN,
            Verdict::Refused => BAD,
        };
        page.head(self.verdict.word(), style, &self.about);
        for block in &self.blocks {
            match block {
                Block::Lines(label, lines) => lines
                    .iter()
                    .zip([*label].into_iter().chain(std::iter::repeat("")))
                    .for_each(|(line, label)| page.row(label, PLAIN, line)),
                Block::Table(title, rows) => {
                    page.section(title);
                    page.table(rows);
                }
            }
        }
        page.into_text()
    }

    /// Texts of others stand in code, where nothing is markup and nobody is mentioned.
    pub(crate) fn markdown(&self) -> String {
        let mut text = format!("**{}** {}\n", self.verdict.word(), code(&self.about));
        for block in &self.blocks {
            match block {
                Block::Lines(label, lines) => {
                    text.push('\n');
                    lines.iter().for_each(|line| _ = writeln!(text, "- {label}: {}", code(line)));
                }
                Block::Table(title, rows) => {
                    _ = writeln!(text, "\n**{title}**\n");
                    for (index, row) in rows.iter().enumerate() {
                        let cells: Vec<String> = row.iter().map(|cell| if index == 0 { cell.clone() } else { code(cell) }).collect();
                        _ = writeln!(text, "| {} |", cells.join(" | "));
                        if index == 0 {
                            _ = writeln!(text, "|{}", " --- |".repeat(row.len()));
                        }
                    }
                }
            }
        }
        text
    }
}

/// `text` as code of Markdown.
fn code(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let mut escaped = String::from("<code>");
    for character in text.chars() {
        match character {
            '0'..='9' | 'a'..='z' | 'A'..='Z' | ' ' | '.' | ',' | ';' | ':' | '(' | ')' | '/' | '+' | '-' | '%' | '=' => {
                escaped.push(character)
            }
            other => _ = write!(escaped, "&#{};", u32::from(other)),
        }
    }
    escaped + "</code>"
}

/// A floor for people: with every digit, since a floor is never rounded down.
pub(crate) fn floor_text(floor: &Floor) -> String {
    let mut page = Page::default();
    page.head("FLOOR", PLAIN, &format!("of {}, by the profile \"{}\"", pairs(floor.pairs), verify_core::escape(&floor.profile)));
    let mut rows = vec![["Metric", "Unit", "Floor %", "Pairs"].map(str::to_owned).to_vec()];
    rows.extend(
        floor
            .metrics
            .iter()
            .map(|metric| vec![metric.metric.clone(), metric.unit.clone(), metric.floor_pct.to_string(), metric.pairs.to_string()]),
    );
    page.table(&rows);
    page.into_text()
}

fn headline(compared: &Compared) -> String {
    let headline = &compared.headline;
    let number = |number: Option<f64>| number.map_or_else(|| "absent".to_owned(), |number| number.to_string());
    let metric = headline.metric.as_deref().unwrap_or_default();
    format!("{metric}: A {}, B {}, B/A {}", number(headline.arm_a), number(headline.arm_b), number(headline.ratio_b_over_a))
}

fn input(file: &InputFile) -> String {
    let shape = file.shape.as_deref().unwrap_or("cannot be read");
    format!("{} ({shape}, sha256 {})", file.path, file.sha256.as_deref().unwrap_or("absent"))
}

fn profile(compared: &Compared, blocks: &mut Vec<Block>) {
    let Some(check) = &compared.profile_verified else { return };
    let counted = format!(
        "{} of {} fields identical, by the profile \"{}\" ({})",
        check.identical, check.required, check.profile, check.profile_sha256
    );
    blocks.push(Block::Lines("Profile", vec![counted]));
    let shown = |value: &Option<String>| value.as_deref().map_or_else(|| "absent".to_owned(), brief);
    let mut rows = vec![["Field", "A", "B", "Result"].map(str::to_owned).to_vec()];
    let notable = |field: &&FieldCheck| field.result != FieldResult::Identical || field.waived.is_some() || field.declared;
    rows.extend(check.fields.iter().filter(notable).map(|field| {
        let mut result = field.result.name().to_owned();
        field.why.iter().for_each(|why| _ = write!(result, ": {why}"));
        field.waived.iter().for_each(|reason| _ = write!(result, "; waived: {reason}"));
        result.push_str(if field.declared { "; declared" } else { "" });
        vec![field.field.clone(), shown(&field.a), shown(&field.b), result]
    }));
    blocks.push(Block::Table("Fields", rows));
    let mut rows = vec![["Nobody asked about", "A", "B"].map(str::to_owned).to_vec()];
    rows.extend(check.unchecked_differences.iter().map(|field| vec![field.field.clone(), brief(&field.a), brief(&field.b)]));
    blocks.push(Block::Table("Unchecked differences", rows));
}

fn metrics(compared: &Compared) -> Block {
    let has_floor = compared.metrics.iter().any(|row| row.floor.is_some());
    let is_between = compared.metrics.iter().any(|row| row.between_windows.is_some());
    let columns = [
        ("Metric", true),
        ("Unit", true),
        ("A", true),
        ("B", true),
        ("Delta %", true),
        ("Floor", has_floor),
        ("Between windows", is_between),
    ];
    let shown: Vec<bool> = columns.iter().map(|(_, is_shown)| *is_shown).collect();
    let only_shown = |cells: Vec<String>| cells.into_iter().zip(&shown).filter(|(_, is_shown)| **is_shown).map(|(cell, _)| cell).collect();
    let number = |number: Option<f64>| number.map_or_else(|| "absent".to_owned(), |number| number.to_string());
    let mut rows: Vec<Vec<String>> = vec![only_shown(columns.iter().map(|(head, _)| (*head).to_owned()).collect())];
    rows.extend(compared.metrics.iter().map(|row| {
        only_shown(vec![
            row.metric.clone(),
            row.unit.clone(),
            number(row.a),
            number(row.b),
            row.shown.clone(),
            row.floor.as_ref().map_or_else(String::new, |floor| reading(floor, "floor")),
            row.between_windows.as_ref().map_or_else(String::new, |floor| reading(floor, "spread")),
        ])
    }));
    Block::Table("Metrics", rows)
}

/// In words; the floor itself has all its digits.
fn reading(reading: &Reading, what: &str) -> String {
    let floor = || format!("{} ({})", reading.floor_pct.unwrap_or_default(), pairs(reading.pairs.unwrap_or_default()));
    match reading.reading {
        ReadingResult::WithinFloor => format!("flat: within the {what} of {}", floor()),
        ReadingResult::AboveFloor => format!("above the {what} of {}", floor()),
        _ => format!("not applicable: {}", reading.why.as_deref().unwrap_or_default()),
    }
}

fn pairs(pairs: usize) -> String {
    format!("{pairs} pair{}", if pairs == 1 { "" } else { "s" })
}

fn points(compared: &Compared) -> Block {
    let counts = |counts: &ArmCounts| {
        let number = |number: Option<u64>| number.map_or_else(|| "unknown".to_owned(), |number| number.to_string());
        let rows = counts.rows_total.map_or_else(|| "no rows".to_owned(), |total| format!("{} of {total} rows", number(counts.rows_ok)));
        format!("{} requests, {} failed, {rows}", number(counts.requests), number(counts.failures))
    };
    let mut rows = vec![["Point", "A", "B"].map(str::to_owned).to_vec()];
    rows.extend(compared.points.iter().map(|point| vec![point.point.clone(), counts(&point.a), counts(&point.b)]));
    Block::Table("Requests", rows)
}

/// A value on a line, escaped and cut.
fn brief(value: &str) -> String {
    const SHOWN: usize = 60;
    let escaped = verify_core::escape(value);
    match escaped.char_indices().nth(SHOWN) {
        None => escaped,
        Some((end, _)) => format!("{}...", escaped.get(..end).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_others_is_no_markup_of_markdown() {
        assert_eq!(
            code("a|b `c` @d #1 <x> *y* &amp;"),
            "<code>a&#124;b &#96;c&#96; &#64;d &#35;1 &#60;x&#62; &#42;y&#42; &#38;amp;</code>"
        );
        assert_eq!(code("+0.28"), "<code>+0.28</code>");
        assert_eq!(code(""), "");
    }
}

//! `receipt classify`: the class of result that the recorded evidence of a measurement supports, and what the next one lacks.

use std::path::{Path, PathBuf};

use serde_json::json;
use verify_core::bench::Files;
use verify_core::bench::classify::{Class, Classification, Lack, Promotion, Record};
use verify_core::escape;

use crate::args::{ClassifyArgs, Presentation};
use crate::evidence;
use crate::exit;
use crate::inputs::{Failure, Input};
use crate::json::pretty;
use crate::layout::{BAD, FAINT, GOOD, OPEN, PLAIN, Page, harmless};
use crate::output::{Output, complain};
use crate::terms::Judgement;

pub(crate) fn run(arguments: &ClassifyArgs, output: &mut Output) -> u8 {
    let judgement = match Judgement::of(&arguments.judgement, std::slice::from_ref(&arguments.record)) {
        Ok(judgement) => judgement,
        Err(failure) => return failure.end(),
    };
    let folder = evidence::folder(arguments.folder.as_deref(), &arguments.record);
    if !output.spares([&arguments.record].into_iter().chain(arguments.judgement.files())) {
        return exit::USAGE;
    }
    let name = escape(&arguments.record.to_string_lossy());
    let (answer, named) = match answer(&arguments.record, folder, &judgement) {
        Ok(answered) => answered,
        Err(failure) => {
            complain(&format!("{name}: {}", failure.message));
            if arguments.format == Presentation::Json {
                let exit = json!({ "code": failure.exit_code, "name": exit::name(failure.exit_code) });
                let schema = Classification::SCHEMA;
                output.print(&pretty(&json!({ "schema": schema, "input": name, "class": null, "error": failure.message, "exit": exit })));
            }
            return failure.exit_code;
        }
    };
    if !output.spares(named) {
        return exit::USAGE;
    }
    let required = arguments.require.and_then(|number| Class::ALL.into_iter().find(|class| class.number() == number));
    let code = answer.exit_code(required);
    let promotion = answer.promotion.as_ref().filter(|_| arguments.promote);
    output.print(&match arguments.format {
        Presentation::Text => page(&name, &answer, promotion),
        Presentation::Markdown => markdown(&name, &answer, promotion),
        Presentation::Json => {
            let mut document = json!(answer);
            document["input"] = json!(name);
            document["promotion"] = json!(promotion);
            document["exit"] = json!({ "code": code, "name": exit::name(code) });
            pretty(&document)
        }
    });
    if let (Some(required), Some(class), 6) = (required, answer.class, code) {
        complain(&format!("{name}: class {}, below the required {}", class.number(), required.number()));
    }
    code
}

/// The answer, and the files that it rests on.
fn answer(record: &Path, folder: &Path, judgement: &Judgement) -> Result<(Classification, Vec<PathBuf>), Failure> {
    Input::named(record).ask(|bytes| {
        let record = Record::read(bytes).map_err(|error| Failure {
            word: "MISSING",
            message: format!("cannot be read as a record: {error}"),
            exit_code: exit::MISSING,
        })?;
        let own = record.names(&Files::default());
        let mut files = evidence::read(folder, &own);
        // The control is among them, and may name more.
        let names = record.names(&files);
        if names != own {
            files = evidence::read(folder, &names);
        }
        let answer = record.classify(&files, &judgement.anchors, &|receipt| judgement.verifier.verify(&judgement.request(receipt, "")));
        Ok((answer, names.iter().map(|name| folder.join(name)).collect()))
    })?
}

/// What is said of a class or of its absence: a word, and what stands behind it.
fn verdict(answer: &Classification) -> (String, &'static str) {
    match (answer.class, answer.name) {
        (Some(class), Some(name)) => (format!("CLASS {}", class.number()), name),
        _ => ("CONTRADICTED".to_owned(), "the evidence says something else than the record; no class"),
    }
}

/// Everything but the head, as labelled lines under headings.
fn sections(answer: &Classification, promotion: Option<&Promotion>) -> Vec<(String, Vec<(String, String)>)> {
    let lacks = |lacks: &[Lack]| -> Vec<(String, String)> { lacks.iter().map(|lack| (lack.pointer.clone(), lack.why.clone())).collect() };
    let mut sections = vec![
        ("Contradicted".to_owned(), lacks(&answer.contradictions)),
        ("Cannot be read".to_owned(), lacks(&answer.unreadable)),
        ("Exploratory".to_owned(), lacks(answer.exploratory.as_slice())),
    ];
    let facts = [("run", answer.run_status.clone()), ("verdict", answer.verdict.clone())];
    let mut facts: Vec<(String, String)> = facts.into_iter().filter_map(|(name, fact)| Some((name.to_owned(), fact?))).collect();
    if let Some(change) = &answer.change {
        let percent = change.percent.as_ref().map_or("no change in percent, as A is 0".to_owned(), |percent| format!("{percent} %"));
        let whence = if change.recomputed { "recomputed from rows" } else { "from the two recorded figures" };
        let better = change.better;
        facts.push((
            "change".to_owned(),
            format!("A {}, B {}: {percent} (positive: B is better; {better} is better; {whence})", change.a, change.b),
        ));
    }
    sections.push(("Recorded".to_owned(), facts));
    if let Some(next) = answer.next {
        let missing = answer.missing().filter_map(|need| need.lack.as_ref().map(|lack| (need.needs, lack)));
        let missing = missing.map(|(needs, lack)| (lack.pointer.clone(), format!("{} ({needs})", lack.why))).collect();
        sections.push((format!("Missing for class {}, {}", next.number(), next.name()), missing));
    } else if answer.class == Some(Class::Component) {
        let why = "a component cannot imply behaviour from end to end, however much is recorded".to_owned();
        sections.push(("No higher class".to_owned(), vec![("/endpoint/kind".to_owned(), why)]));
    }
    for (title, pointers) in [("Not recorded", &answer.not_recorded), ("Not known here", &answer.unread)] {
        if !pointers.is_empty() {
            sections.push((title.to_owned(), vec![(String::new(), pointers.join(", "))]));
        }
    }
    if let Some(promotion) = promotion {
        let mut lines: Vec<(String, String)> = promotion
            .conditions
            .iter()
            .map(|condition| {
                let lack = condition.lack.as_ref().map_or_else(String::new, |lack| format!(": {} {}", lack.pointer, lack.why));
                (format!("{} {}", condition.id, condition.answer), format!("{}{lack}", condition.asks))
            })
            .collect();
        for (label, asks, good, lack) in [
            ("class", "the result is a matched one, and every file was read", "met", &promotion.base),
            ("exception", "published as a bounded result of one component", "allowed", &promotion.component_exception),
        ] {
            let answer = lack.as_ref().map_or(good.to_owned(), |lack| format!("refused: {} {}", lack.pointer, lack.why));
            lines.push((label.to_owned(), format!("{asks}: {answer}")));
        }
        sections.push((format!("Promotion {}", if promotion.allowed { "allowed" } else { "refused" }), lines));
    }
    sections.push((
        "Files".to_owned(),
        answer.files.iter().map(|file| (file.pointer.clone(), format!("{}: {}", file.path, file.found))).collect(),
    ));
    sections.retain(|(_, lines)| !lines.is_empty());
    sections
}

fn page(name: &str, answer: &Classification, promotion: Option<&Promotion>) -> String {
    let mut page = Page::default();
    let (word, about) = verdict(answer);
    let style = match answer.class {
        None => BAD,
        Some(_) if !answer.unreadable.is_empty() => OPEN,
        Some(_) => GOOD,
    };
    page.head(&word, style, &format!("{about}  {name}"));
    page.row("Note", FAINT, answer.note);
    for (title, lines) in sections(answer, promotion) {
        page.section(&title);
        let width = lines.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0).min(40);
        lines.iter().for_each(|(label, text)| page.cell(label, width, text));
    }
    let digest = format!("record {}", answer.record_sha256);
    page.row("SHA-256", PLAIN, &digest);
    page.into_text()
}

/// The same for a page of Markdown. Texts of others stand in code spans alone, in which nothing is a link, a mention or markup.
fn markdown(name: &str, answer: &Classification, promotion: Option<&Promotion>) -> String {
    let (word, about) = verdict(answer);
    let mut text = format!("**{word}: {about}**\n\n{}\n\nRecord {}, SHA-256 `{}`\n", answer.note, code(name), answer.record_sha256);
    for (title, lines) in sections(answer, promotion) {
        text.push_str(&format!("\n**{title}**\n\n| | |\n|---|---|\n"));
        lines.iter().for_each(|(label, line)| text.push_str(&format!("| {} | {} |\n", code(label), code(line))));
    }
    harmless(&text)
}

/// A code span in a cell of a table, behind more backticks than stand in it.
fn code(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let blank = if longest > 0 { " " } else { "" };
    format!("{fence}{blank}{}{blank}{fence}", text.replace('|', "\\|"))
}

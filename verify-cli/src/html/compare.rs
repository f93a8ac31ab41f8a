//! A comparison as one page of HTML: the verdict, every difference as a bar beside the noise floor, the fields, the files.

use verify_core::bench::{Compared, ReadingResult, Row};

use super::markup::Element;
use super::{badge, document, element, mark, picture, section};
use crate::compared::{Answer, Block, Verdict};

/// Half the width of a bar's place.
const HALF: f64 = 100.0;
const HEIGHT: f64 = 12.0;

/// The page. `answer` is what `compared` came to, as blocks.
pub(crate) fn page(compared: &Compared, answer: &Answer) -> String {
    let class = match answer.verdict {
        Verdict::Publishable => "verified",
        Verdict::NotPublishable => "unverifiable",
        Verdict::Refused => "invalid",
    };
    let word = answer.verdict.word();
    let header = element("header").add(element("h1").add(badge(class, word))).add(element("p").text(&answer.about));
    let mut main = element("main").add(header).add(bars(compared));
    for block in &answer.blocks {
        main = main.add(shown(block));
    }
    document(&format!("{word}: comparison of two arms"), main)
}

/// A bar for each difference: to the right where B is better, over the floor that was measured there.
fn bars(compared: &Compared) -> Option<Element> {
    let reach = |row: &Row| {
        let floor = row.floor.as_ref().and_then(|floor| floor.floor_pct).unwrap_or_default();
        row.delta_pct.map_or(0.0, f64::abs).max(floor)
    };
    let reach = compared.metrics.iter().map(reach).fold(0.0, f64::max);
    let rows = compared.metrics.iter().filter_map(|row| Some((row, row.delta_pct?)));
    let rows: Vec<Element> = rows.map(|(row, delta)| bar(row, delta, if reach > 0.0 { HALF / reach } else { 0.0 })).collect();
    let caption =
        format!("{}. Behind a bar, in grey: the noise floor, where one was measured. Blue is within it.", compared.delta_convention);
    (!rows.is_empty()).then(|| {
        section("Differences").add(element("p").class("faint").text(caption)).add(element("table").add(element("tbody").add(rows)))
    })
}

fn bar(row: &Row, delta: f64, scale: f64) -> Element {
    let floor = row.floor.as_ref();
    let width = delta.abs() * scale;
    let class = match floor.map(|floor| floor.reading) {
        Some(ReadingResult::WithinFloor) => "under-provenanced",
        _ if delta < 0.0 => "invalid",
        _ => "verified",
    };
    let mut marks = vec![mark("lane", 0.0, 0.0, 2.0 * HALF, HEIGHT)];
    if let Some(noise) = floor.and_then(|floor| floor.floor_pct).map(|floor| floor * scale) {
        marks.push(mark("notes", HALF - noise, 0.0, 2.0 * noise, HEIGHT));
    }
    marks.push(mark(class, if delta < 0.0 { HALF - width } else { HALF }, 3.0, width, HEIGHT - 6.0));
    let about = format!("{}: {} percent", row.metric, row.shown);
    element("tr")
        .add(element("th").with("scope", "row").add(element("code").text(&row.metric)))
        .add(element("td").class("whole").text(format!("{} %", row.shown)))
        .add(element("td").add(picture(200, 12, &about).add(marks)))
}

fn shown(block: &Block) -> Element {
    match block {
        Block::Lines(label, lines) => {
            let items = lines.iter().map(|line| element("li").text(line));
            section(label).add(element("ul").add(items))
        }
        Block::Table(title, rows) => {
            let (heads, rows) = rows.split_first().map_or((&[][..], &[][..]), |(heads, rows)| (heads.as_slice(), rows));
            let head = element("tr").add(heads.iter().map(|head| element("th").with("scope", "col").text(head)));
            let cells = |row: &Vec<String>| {
                let cells = row.iter().zip(heads).map(|(cell, head)| element("td").with("data-head", head).text(cell));
                element("tr").add(cells.collect::<Vec<_>>())
            };
            let table = element("table").add(element("thead").add(head)).add(element("tbody").add(rows.iter().map(cells)));
            section(title).add(table)
        }
    }
}

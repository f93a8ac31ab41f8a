//! `receipt inspect`: what stands in a receipt. Nothing is judged, and every output says so.

use serde_json::json;
use verify_core::{Effect, Inspection, escape, escape_json, inspect};

use crate::args::InspectArgs;
use crate::exit;
use crate::inputs::Input;
use crate::json::Documents;
use crate::layout::{OPEN, Page};
use crate::output::{Output, complain};
use crate::text;

pub(crate) fn run(arguments: &InspectArgs, output: &mut Output) -> u8 {
    let (inputs, passed_over) = Input::resolve(&arguments.paths);
    passed_over.iter().for_each(|word| complain(word));
    if inputs.is_empty() {
        complain("error: no receipts found: name a file, a directory, or - for standard input");
        return exit::USAGE;
    }
    if !output.spares(inputs.iter().filter_map(Input::path)) {
        return exit::USAGE;
    }
    let mut documents = Documents::new(arguments.format);
    let mut worst = exit::OK;
    for input in &inputs {
        let code = match (input.ask(inspect), &mut documents) {
            (Ok(inspection), None) => {
                output.print(&page(input.name(), &inspection));
                exit_code(&inspection)
            }
            (Ok(inspection), Some(documents)) => {
                let code = exit_code(&inspection);
                let input = json!({ "name": escape(input.name()) });
                let object = json!({ "status": "UNVERIFIED", "input": input, "exit_code": code, "inspection": inspection });
                documents.print(&escape_json(&object.to_string()), output);
                code
            }
            (Err(failure), None) => {
                output.print(&text::failure(input.name(), &failure));
                failure.exit_code
            }
            (Err(failure), Some(documents)) => {
                documents.print_failure(input.name(), &failure, output);
                failure.exit_code
            }
        };
        worst = exit::worst(worst, code);
    }
    if let Some(documents) = documents {
        documents.finish(output);
    }
    worst
}

fn exit_code(inspection: &Inspection) -> u8 {
    match inspection.problems.iter().map(|problem| problem.effect).max() {
        Some(Effect::Refutes) => exit::INVALID,
        Some(Effect::Prevents) => exit::UNVERIFIABLE,
        _ => exit::OK,
    }
}

fn page(name: &str, inspection: &Inspection) -> String {
    let mut page = Page::default();
    page.head("UNVERIFIED", OPEN, &escape(name));
    for entries in inspection.entries.chunk_by(|one, next| one.section == next.section) {
        page.section(&format!("{} (UNVERIFIED)", entries.first().map_or("", |entry| entry.section)));
        let width = entries.iter().map(|entry| entry.name.chars().count()).max().unwrap_or(0).min(40);
        for entry in entries {
            page.cell(&entry.name, width, &entry.value);
        }
    }
    if !inspection.problems.is_empty() {
        page.section("What could not be decoded, or looks odd");
        for problem in &inspection.problems {
            text::finding("", problem, &mut page);
        }
    }
    page.line("UNVERIFIED: this is what the file says. Nothing was checked; receipt verify does that.");
    page.into_text()
}

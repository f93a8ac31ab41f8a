//! `receipt explain`: the registry of codes, as a table or one entry in full.

use serde_json::{Value, json};
use verify_core::{Code, Effect, escape};

use crate::args::{Document, ExplainArgs};
use crate::exit;
use crate::json::pretty;
use crate::layout::{BOLD, Page};
use crate::output::{Output, complain};

/// How many close names are suggested.
const SUGGESTIONS: usize = 4;

pub(crate) fn run(arguments: &ExplainArgs, output: &mut Output) -> u8 {
    let Some(name) = &arguments.code else {
        output.print(&match arguments.format {
            Document::Text => table(),
            Document::Json => pretty(&Code::ALL.iter().map(|code| entry(*code)).collect::<Value>()),
        });
        return exit::OK;
    };
    let Some(code) = Code::from_name(name) else {
        let close = close_names(name);
        let hint = if close.is_empty() { "receipt explain lists all codes".to_owned() } else { format!("close: {}", close.join(", ")) };
        complain(&format!("error: there is no code {}; {hint}", escape(name)));
        return exit::USAGE;
    };
    output.print(&match arguments.format {
        Document::Text => in_full(code),
        Document::Json => pretty(&entry(code)),
    });
    exit::OK
}

fn table() -> String {
    let mut page = Page::default();
    let width = Code::ALL.iter().map(|code| code.name().len()).max().unwrap_or(0);
    for code in Code::ALL {
        let info = code.info();
        page.cell(&format!("{:width$}  {:8}", info.name, info.default_effect.name()), width + 10, info.title);
    }
    page.into_text()
}

fn in_full(code: Code) -> String {
    let info = code.info();
    let mut page = Page::default();
    page.head(info.name, BOLD, "");
    let choice: Vec<&str> = info.tunable.iter().map(|effect| effect.name()).collect();
    let choice = if choice.is_empty() { "the effect is fixed".to_owned() } else { format!("a policy may choose {}", choice.join(" or ")) };
    let effect = format!("{}: {}; {choice}", info.default_effect.name(), meaning(info.default_effect));
    for (label, text) in [("What", info.title), ("Effect", &effect), ("Help", info.help), ("Source", info.reference)] {
        page.row(label, BOLD, text);
    }
    if let Some(status) = info.intel {
        page.row("Intel", BOLD, &format!("{status}, as Intel's own verifier calls it"));
    }
    page.into_text()
}

fn meaning(effect: Effect) -> &'static str {
    match effect {
        Effect::Notes => "it changes nothing",
        Effect::Weakens => "the receipt is under-provenanced at best (exit code 7)",
        Effect::Prevents => "nothing could be decided (exit code 6)",
        _ => "the receipt is invalid (exit code 4)",
    }
}

fn entry(code: Code) -> Value {
    let info = code.info();
    let tunable: Vec<&str> = info.tunable.iter().map(|effect| effect.name()).collect();
    json!({
        "code": info.name,
        "title": info.title,
        "default_effect": info.default_effect.name(),
        "tunable": tunable,
        "help": info.help,
        "reference": info.reference,
        "intel": info.intel,
    })
}

/// Codes that contain what was written, or are few typing errors away from it.
fn close_names(wanted: &str) -> Vec<&'static str> {
    let mut ranked: Vec<(usize, &str)> = Code::ALL
        .iter()
        .map(|code| code.name())
        .filter_map(|name| {
            let (_, what) = name.split_once('.')?;
            let distance = distance(wanted, name).min(distance(wanted, what));
            let is_part = wanted.len() >= 3 && name.contains(wanted);
            (is_part || distance <= 3 && distance < wanted.len()).then_some((distance, name))
        })
        .collect();
    ranked.sort_unstable();
    ranked.into_iter().take(SUGGESTIONS).map(|(_, name)| name).collect()
}

/// How many characters have to be put in, taken out or replaced (Levenshtein), with one row of the table at a time.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, character) in one.chars().take(100).enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for column in 1..row.len() {
            let replaced = diagonal + usize::from(other[column - 1] != character);
            diagonal = row[column];
            row[column] = replaced.min(diagonal + 1).min(row[column - 1] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_edit_distances() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", "abc"), 0);
    }

    #[test]
    fn near_misses_find_their_code() {
        assert_eq!(close_names("enclave.unpined").first(), Some(&"enclave.unpinned"));
        assert_eq!(close_names("clocks-unpinned"), ["provenance.clocks-unpinned"]);
        assert!(close_names("").is_empty());
        assert!(close_names("something else entirely").is_empty());
    }
}

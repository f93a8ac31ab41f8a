//! Policies from names and files, and `receipt policy`: what a policy asks for, and whether a file is one.

use std::path::Path;

use serde_json::{Value, json};
use verify_core::{Code, Policy, escape};

use crate::args::{Document, PolicyAction};
use crate::exit;
use crate::inputs::read_toml;
use crate::json::pretty;
use crate::layout::{BOLD, GOOD, Page};
use crate::output::{Output, complain};

pub(crate) fn run(action: &PolicyAction, output: &mut Output) -> u8 {
    let files = match action {
        PolicyAction::Show { policy, .. } => std::slice::from_ref(policy),
        PolicyAction::Check { files } => files,
    };
    if !output.spares(files) {
        return exit::USAGE;
    }
    match action {
        PolicyAction::Show { policy, format } => match load(policy) {
            Ok(policy) => {
                output.print(&match format {
                    Document::Text => page(&policy),
                    Document::Json => pretty(&document(&policy)),
                });
                exit::OK
            }
            Err(message) => {
                complain(&format!("error: {message}"));
                exit::USAGE
            }
        },
        PolicyAction::Check { files } => files.iter().fold(exit::OK, |worst, file| exit::worst(worst, check(file, output))),
    }
}

/// The built-in policy of this name, or the one in this file. The error names the file and says what it is for.
pub(crate) fn load(name_or_file: &Path) -> Result<Policy, String> {
    let built_in = name_or_file.to_str().and_then(Policy::built_in);
    built_in.map_or_else(|| read(name_or_file), Ok)
}

fn read(file: &Path) -> Result<Policy, String> {
    let is_a_word = !file.to_string_lossy().contains(['.', '/']);
    let hint = if is_a_word { " (built in are strict and authenticity)" } else { "" };
    read_toml(file, "policy", hint, |text| toml::from_str(text))
}

fn check(file: &Path, output: &mut Output) -> u8 {
    match read(file) {
        Ok(policy) => {
            let mut page = Page::default();
            page.head(
                "OK",
                GOOD,
                &format!("{}  policy \"{}\", sha256 {}", escape(&file.to_string_lossy()), escape(policy.name()), policy.digest()),
            );
            output.print(&page.into_text());
            exit::OK
        }
        Err(message) => {
            complain(&format!("error: {message}"));
            exit::USAGE
        }
    }
}

/// The policy in its own words (the JSON form over which the digest is taken), with the digest.
fn document(policy: &Policy) -> Value {
    json!({ "sha256": policy.digest(), "policy": policy })
}

fn page(policy: &Policy) -> String {
    let mut page = Page::default();
    page.head(&escape(policy.name()), BOLD, &format!("sha256 {}", policy.digest()));
    let effects: Vec<String> = Code::ALL
        .iter()
        .filter(|code| policy.effect(**code) != code.info().default_effect)
        .map(|code| format!("{}: {} (default {})", code.name(), policy.effect(*code), code.info().default_effect))
        .collect();
    list("Effects", "every finding has its default effect", &effects, &mut page);

    let settings = serde_json::to_value(policy).unwrap_or_default();
    let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), escape);
    let texts = |value: &Value| value.as_array().into_iter().flatten().map(shown).collect::<Vec<String>>();
    let waivers: Vec<String> = ["any_enclave", "any_image"].into_iter().filter(|name| settings[name] == true).map(str::to_owned).collect();
    list("Waivers", "none: enclave and image have to be pinned", &waivers, &mut page);
    let enclaves: Vec<String> = settings["enclaves"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|pin| {
            let registers = ["mrtd", "rtmr0", "rtmr1", "rtmr2", "rtmr3"].map(|register| format!("{register} {}", shown(&pin[register])));
            format!("{}: {}", shown(&pin["name"]), registers.join(", "))
        })
        .collect();
    list("Enclaves", "no measurements are pinned", &enclaves, &mut page);
    list("Images", "no container image is pinned", &texts(&settings["images"]), &mut page);
    let accepted: Vec<String> = settings["accept"]
        .as_object()
        .into_iter()
        .flatten()
        .flat_map(|(field, values)| texts(values).into_iter().map(move |value| format!("{field} {value}")))
        .collect();
    list("Accepts", "every value of the other fields", &accepted, &mut page);
    let minimum: Vec<String> =
        settings["minimum_tcb_evaluation"].as_u64().map(|number| format!("evaluation {number} or later")).into_iter().collect();
    list("TCB", "no minimum evaluation number", &minimum, &mut page);
    let age: Vec<String> = settings["maximum_age"].as_str().map(|age| format!("collateral at most {age} old")).into_iter().collect();
    list("Age", "collateral of any age", &age, &mut page);
    page.into_text()
}

fn list(label: &str, none: &str, values: &[String], page: &mut Page) {
    if values.is_empty() {
        page.row(label, BOLD, none);
    }
    for (index, value) in values.iter().enumerate() {
        page.row(if index == 0 { label } else { "" }, BOLD, value);
    }
}

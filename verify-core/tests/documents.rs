//! Documents that follow from the code: the pages of codes and of limits, and the JSON Schemas of reports. `UPDATE=1` rewrites the
//! pages.

#![expect(clippy::disallowed_methods, reason = "tests read files and the environment")]

mod support;

use std::fmt::Write;

use serde_json::Value;
use verify_core::tier::Params;
use verify_core::{Code, Effect, Obligation, TcbStatus, limits};

#[test]
fn the_page_of_codes_is_the_registry() {
    let path = support::workspace().join("docs/codes.md");
    let page = page_of_codes();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &page).expect("the page is written");
    }
    let committed = String::from_utf8(support::read(&path)).expect("UTF-8");
    assert!(committed == page, "docs/codes.md is not what the registry says: run UPDATE=1 cargo test -p verify-core --test documents");
}

fn page_of_codes() -> String {
    let mut page = String::from(
        "# Codes\n\nEvery finding has one of these codes. Made from the registry in `verify-core/src/problem.rs`; `receipt explain CODE` prints\nthe same. A code is never renamed.\n\n",
    );
    page.push_str("| effect | means |\n|---|---|\n| refutes | the receipt is invalid |\n| prevents | the receipt is unverifiable |\n| weakens | the receipt is under-provenanced |\n| notes | nothing |\n");
    let mut stage = "";
    for code in Code::ALL {
        let info = code.info();
        let this_stage = info.name.split('.').next().unwrap_or_default();
        if this_stage != stage {
            stage = this_stage;
            write!(page, "\n## {stage}\n").expect("a string takes everything");
        }
        let tunable = match info.tunable {
            [] => "fixed".to_owned(),
            effects => format!("a policy may choose {}", effects.iter().map(|effect| effect.name()).collect::<Vec<_>>().join(" or ")),
        };
        write!(
            page,
            "\n### {}\n\n{}\n\n- effect: {}, {tunable}\n- help: {}\n- reference: {}\n",
            info.name, info.title, info.default_effect, info.help, info.reference
        )
        .expect("a string takes everything");
        if let Some(intel) = info.intel {
            writeln!(page, "- Intel's status: `{intel}`").expect("a string takes everything");
        }
    }
    page
}

/// Where the part of the page of limits begins that is measured, and not made here.
const MEASURED: &str = "\n## What the worst inputs cost\n";

#[test]
fn the_page_of_limits_begins_with_the_limits() {
    let path = support::workspace().join("docs/limits.md");
    let committed = String::from_utf8(support::read(&path)).expect("UTF-8");
    let (limits, measured) = committed.split_once(MEASURED).expect("a part that is measured");
    let page = page_of_limits();
    if std::env::var_os("UPDATE").is_some() {
        return std::fs::write(&path, page + MEASURED + measured).expect("the page is written");
    }
    assert!(limits == page, "docs/limits.md is not what the code says: run UPDATE=1 cargo test -p verify-core --test documents");
}

fn page_of_limits() -> String {
    let mut page = String::from(
        "# Limits\n\nWhat is over a limit is not read: the finding is `limit.exceeded`, and the outcome is no better than unverifiable. Nothing is\ncut off in silence. The library has the numbers as `verify_core::limits`. They are no promise: they may change in any version.\n\n| limit | value | counts | why no more |\n|---|---:|---|---|\n",
    );
    for limits::Limit { name, value, counts, reason, .. } in limits::ALL {
        let value = match value {
            mebibytes if value % (1024 * 1024) == 0 => format!("{} MiB", mebibytes / 1024 / 1024),
            kibibytes if value % 1024 == 0 => format!("{} KiB", kibibytes / 1024),
            number => number.to_string(),
        };
        writeln!(page, "| `{name}` | {value} | {counts} | {reason} |").expect("a string takes everything");
    }
    page
}

#[test]
fn the_schema_names_every_effect_status_and_obligation() {
    let schema = support::read_json(&support::workspace().join("docs/report-v1.schema.json"));
    let names = |pointer: &str| -> Vec<String> {
        let list = schema.pointer(pointer).and_then(Value::as_array).expect("a list of names");
        list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let effects: Vec<&str> = Effect::ALL.iter().map(|effect| effect.name()).collect();
    assert_eq!(names("/$defs/effect/enum"), effects);
    assert_eq!(names("/$defs/tcb_status/enum"), TcbStatus::ALL.iter().map(|status| status.name()).collect::<Vec<_>>());
    let obligations: Vec<&str> = Obligation::ALL.iter().map(|obligation| obligation.id()).collect();
    assert_eq!(names("/$defs/obligation/enum"), obligations);
}

#[test]
fn the_shipped_parameters_are_the_presets() {
    for (name, reference) in [("k3", Some(18.4435)), ("k3-2026-07", Some(16.7026)), ("classic", None)] {
        let path = support::workspace().join(format!("test-vectors/scores/{name}.toml"));
        let text = String::from_utf8(support::read(&path)).expect("UTF-8");
        assert_eq!(toml::from_str(&text), Ok(Params::preset(name, reference).expect("a preset")), "{name}");
    }
}

//! Comparisons and floors of real measurements, and of synthetic ones with answers that were worked out by another program. The material
//! lies beside the checkout and is not part of it; see [`folder`].

#![expect(clippy::disallowed_methods, clippy::disallowed_macros, reason = "tests read files and the environment")]

mod support;

use std::path::PathBuf;

use serde_json::{Value, json};
use verify_core::bench::{
    Compared, Declared, Files, Floor, Floored, Profile, Question, RawFile, Section, Shape, compare, exit_code_files, floor,
};

/// The folder of measurements beside the checkout; `None`, with a word on stderr, where there is none. With `CI=true` its absence is a
/// failure.
fn folder() -> Option<PathBuf> {
    let folder = support::workspace().join("../shared/bench");
    if folder.join("MANIFEST.json").is_file() {
        return Some(folder);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "CI=true, but {} is missing", folder.display());
    eprintln!("SKIPPED: {} is missing, so no comparison was held against real measurements", folder.display());
    None
}

/// Files below the folder, and where there is one the exit code beside each of them.
fn files(names: &[&str]) -> Option<Files> {
    let folder = folder()?;
    let mut files = Files::default();
    for name in names {
        files.add(*name, std::fs::read(folder.join(name)).map_err(|error| error.to_string()));
        for beside in exit_code_files(name) {
            if let Ok(bytes) = std::fs::read(folder.join(&beside)) {
                files.add(beside, Ok(bytes));
            }
        }
    }
    Some(files)
}

fn expected(name: &str) -> Option<Value> {
    let bytes = std::fs::read(folder()?.join("expected").join(name)).unwrap();
    Some(serde_json::from_slice(&bytes).unwrap())
}

fn raw(names: &[&str]) -> Vec<RawFile> {
    names.iter().map(|name| RawFile::new(*name)).collect()
}

/// Compares two arms of any shape, with what `ask` makes of the question.
fn compared(a: &[&str], b: &[&str], ask: impl FnOnce(&mut Question<'_>)) -> Option<Compared> {
    let files = files(&[a, b].concat())?;
    let mut question = Question::new(&files, raw(a), raw(b));
    ask(&mut question);
    Some(compare(&question))
}

fn floored(pairs: &[(&str, &str)], ask: impl Fn(&mut Question<'_>)) -> Option<Floored> {
    let names: Vec<&str> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
    let files = files(&names)?;
    let pair = |(a, b): &(&str, &str)| {
        let mut question = Question::new(&files, raw(&[a]), raw(&[b]));
        ask(&mut question);
        question
    };
    Some(floor(&pairs.iter().map(pair).collect::<Vec<_>>()))
}

fn profile(sections: Value) -> Profile {
    let profile = json!({ "format": "receipt-profile/1", "name": "of a test", "sections": sections });
    Profile::read(profile.to_string().as_bytes()).unwrap()
}

fn shape(shape: &Value) -> Shape {
    Shape::read(shape.to_string().as_bytes()).unwrap()
}

fn outcome(compared: &Compared) -> (u8, &str) {
    (compared.exit.code, compared.why.as_deref().unwrap_or_default())
}

/// Equal but for what the order of three operations makes of the last bits.
#[track_caller]
fn close(found: f64, wanted: f64) {
    assert!((found - wanted).abs() <= 1e-12 * wanted.abs().max(1e-3), "found {found}, wanted {wanted}");
}

#[test]
fn every_synthetic_case_has_its_expected_answer() {
    let Some(expected) = expected("compare-synthetic.json") else { return };
    let sweep = |name: &str| format!("synthetic/sweep-B-{name}.json");
    for (case, wanted) in expected.as_object().unwrap() {
        let (a, b) = match case.as_str() {
            "aa" => (vec!["synthetic/aa-runA.json".to_owned()], vec!["synthetic/aa-runB.json".to_owned()]),
            "full-26" => (["single-A", "sweep-A"], ["single-B", "sweep-B"])
                .into_iter_pair(|names: [&str; 2]| names.map(|name| format!("synthetic/{name}.json")).to_vec()),
            "missing-arm" => (vec!["synthetic/no-such-file.json".to_owned()], vec!["synthetic/single-B.json".to_owned()]),
            "zero" => (vec!["synthetic/sweep-A-zero.json".to_owned()], vec!["synthetic/sweep-B.json".to_owned()]),
            other => (vec!["synthetic/sweep-A.json".to_owned()], vec![sweep(other)]),
        };
        let names: Vec<&str> = a.iter().chain(&b).map(String::as_str).collect();
        let files = files(&names).unwrap();
        let kind = |name: &String| {
            RawFile::of(if name.contains("sweep") || name.contains("aa-") { Section::Sweep } else { Section::Single }, name)
        };
        let found = compare(&Question::new(&files, a.iter().map(kind).collect(), b.iter().map(kind).collect()));

        assert_eq!(u64::from(found.exit.code), wanted["exit"].as_u64().unwrap(), "{case}: {:?}", found.why);
        assert_eq!(found.why.is_some(), found.exit.code != 0, "{case}");
        assert_eq!(wanted["refused"].as_str().unwrap_or("OK"), found.exit.name, "{case}");
        assert_eq!(found.delta_convention, wanted["delta_convention"]);
        if let (Some(check), Some(wanted)) = (&found.profile_verified, wanted.get("profile")) {
            let check = serde_json::to_value(check).unwrap();
            assert_eq!(check["required"], wanted["checked"], "{case}");
            for name in ["identical", "mismatch", "unverifiable", "verified"] {
                assert_eq!(check[name], wanted[name], "{case}: {name}");
            }
        }
        let rows = wanted["metrics"].as_array().cloned().unwrap_or_default();
        assert_eq!(found.metrics.len(), rows.len(), "{case}");
        for (row, wanted) in found.metrics.iter().zip(&rows) {
            let row_json = serde_json::to_value(row).unwrap();
            for name in ["metric", "A", "B", "shown"] {
                match (row_json[name].as_f64(), wanted[name].as_f64()) {
                    (Some(found), Some(wanted)) => close(found, wanted),
                    _ => assert_eq!(row_json[name], wanted[name], "{case}: {}", row.metric),
                }
            }
            match (row.delta_pct, wanted["delta_pct"].as_f64()) {
                (Some(found), Some(wanted)) => close(found, wanted),
                (found, wanted) => assert_eq!(found, wanted, "{case}: {}", row.metric),
            }
        }
    }
}

/// Applies one function to both sides.
trait Pair<T> {
    fn into_iter_pair<U>(self, each: impl Fn(T) -> U) -> (U, U);
}

impl<T> Pair<T> for (T, T) {
    fn into_iter_pair<U>(self, each: impl Fn(T) -> U) -> (U, U) {
        (each(self.0), each(self.1))
    }
}

//! Lists of facts that the project has promised. A list only grows.

use std::collections::BTreeSet;
use std::path::Path;

/// Compares `facts`, one a line, with the frozen list at `path`: each of the list still holds, and the list holds them all. With
/// `UPDATE=1` new ones join it; none ever leaves it but by hand.
pub(crate) fn check(path: &Path, facts: &BTreeSet<String>, update: &str) {
    let read = || -> BTreeSet<String> { std::fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect() };
    let broken: Vec<String> = read().difference(facts).cloned().collect();
    assert!(
        broken.is_empty(),
        "{} promises what is no longer so:\n  {}\nOthers build on it (docs/stability.md): keep it, or make a new version of it beside the old one. If it \
         never was released, or the major version rises, take the lines out by hand and say so in CHANGELOG.md.",
        path.display(),
        broken.join("\n  ")
    );
    if std::env::var_os("UPDATE").is_some() {
        let lines: String = facts.iter().map(|fact| format!("{fact}\n")).collect();
        std::fs::write(path, lines).expect("the list is written");
    }
    let new: Vec<String> = facts.difference(&read()).cloned().collect();
    assert!(new.is_empty(), "{} lacks what is promised from now on:\n  {}\nRun {update}", path.display(), new.join("\n  "));
}

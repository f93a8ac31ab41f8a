//! The list of codes that no vector produces.

use std::collections::BTreeSet;

use verify_core::Code;

/// Why there is no vector for a code.
const REASONS: [(&str, &str); 0] = [];

/// The page `UNCOVERED.md`.
pub(crate) fn page(produced: &BTreeSet<&str>) -> String {
    let names: BTreeSet<_> = Code::ALL.iter().map(|code| code.name()).collect();
    let unknown: Vec<_> = produced.difference(&names).collect();
    assert!(unknown.is_empty(), "the registry has no {unknown:?}");
    let missing: Vec<_> = names.difference(produced).collect();

    let mut page = String::from("# Codes without a vector\n\n");
    if missing.is_empty() {
        page.push_str("None: every code of the registry is produced by at least one vector.\n");
        return page;
    }
    page.push_str("These codes of the registry are produced by no vector.\n\n| code | why |\n|---|---|\n");
    for code in missing {
        let reason = REASONS.iter().find(|(name, _)| name == code);
        let (_, reason) = reason.unwrap_or_else(|| panic!("{code} has neither a vector nor a reason"));
        page.push_str(&format!("| `{code}` | {reason} |\n"));
    }
    page
}

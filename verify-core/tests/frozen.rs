//! What is promised in docs/stability.md still holds: codes, the report, the policy format, the parameters of tiers, vectors. `UPDATE=1`
//! adds to the lists; it takes nothing out of them.

#![expect(clippy::disallowed_methods, reason = "tests read files and the environment")]

#[path = "support/frozen.rs"]
mod frozen;
mod support;

use std::collections::BTreeSet;

use serde_json::Value;
use verify_core::tier::Params;
use verify_core::{Code, Coverage, Obligation, Outcome, Policy};

const UPDATE: &str = "UPDATE=1 cargo test -p verify-core --test frozen";

fn check(list: &str, facts: impl IntoIterator<Item = String>) {
    let path = support::workspace().join("verify-core/tests/frozen").join(list);
    frozen::check(&path, &facts.into_iter().collect(), UPDATE);
}

#[test]
fn codes_keep_their_names_and_effects() {
    let facts = Code::ALL.iter().flat_map(|code| {
        let info = code.info();
        let choices = info.tunable.iter().map(move |effect| format!("{} may be {}", info.name, effect.name()));
        choices.chain([format!("{} {}", info.name, info.default_effect.name())])
    });
    check("codes.txt", facts);
}

#[test]
fn words_of_a_report_keep_their_meaning() {
    let outcomes = [Outcome::Verified, Outcome::UnderProvenanced, Outcome::Unverifiable, Outcome::Invalid];
    let outcomes = outcomes.map(|outcome| format!("outcome {} exits with {}", outcome.name(), outcome.exit_code()));
    let coverages = [Coverage::Quote, Coverage::EnclaveInput, Coverage::Nonce, Coverage::Signature, Coverage::Asserted];
    let coverages = coverages.map(|coverage| format!("coverage {}", coverage.name()));
    let obligations = Obligation::ALL.iter().map(|obligation| format!("check {}", obligation.id()));
    check("words.txt", outcomes.into_iter().chain(coverages).chain(obligations));
}

#[test]
fn the_report_only_gains_members() {
    let schema = support::read_json(&support::workspace().join("docs/report-v1.schema.json"));
    let mut facts = BTreeSet::new();
    flatten("", &schema, &mut facts);
    check("report-v1.txt", facts);
}

/// What a schema, or any document, says, a line each. Of what is required and of names in lists there may be more; types and alternatives stay as they
/// are. Titles and descriptions are no promise.
fn flatten(place: &str, schema: &Value, facts: &mut BTreeSet<String>) {
    let Value::Object(members) = schema else {
        facts.insert(format!("{place} = {schema}"));
        return;
    };
    for (name, value) in members {
        let place = format!("{place}/{name}");
        match (name.as_str(), value) {
            ("title" | "description", Value::String(_)) => {}
            ("required" | "enum", Value::Array(names)) => facts.extend(names.iter().map(|name| format!("{place} has {name}"))),
            ("allOf" | "anyOf" | "oneOf", Value::Array(parts)) => {
                facts.insert(format!("{place} has {} parts", parts.len()));
                parts.iter().enumerate().for_each(|(index, part)| flatten(&format!("{place}/{index}"), part, facts));
            }
            _ => flatten(&place, value, facts),
        }
    }
}

#[test]
fn policies_of_format_1_mean_the_same() {
    let every_key: Policy = toml::from_str(include_str!("frozen/policy-1.toml")).expect("a policy");
    let mut facts = BTreeSet::new();
    for policy in [Policy::strict(), Policy::authenticity(), every_key] {
        flatten(policy.name(), &serde_json::to_value(&policy).expect("JSON"), &mut facts);
    }
    check("policies.txt", facts);
}

#[test]
fn parameters_of_format_1_mean_the_same() {
    let mut facts = BTreeSet::new();
    for name in Params::PRESETS {
        let params = Params::preset(name, None).or_else(|_| Params::preset(name, Some(18.5))).expect("a preset");
        flatten(name, &serde_json::to_value(&params).expect("JSON"), &mut facts);
    }
    check("params.txt", facts);
}

#[test]
fn vectors_keep_their_ids() {
    let manifest = support::read_json(&support::workspace().join("test-vectors/manifest.json"));
    let ids = |list: &str, prefix: &str| -> Vec<String> {
        let entries = manifest[list].as_array().expect("a list of entries").iter();
        entries.map(|entry| format!("{prefix}{}", entry["id"].as_str().expect("an id"))).collect()
    };
    check("vectors.txt", ids("vectors", "").into_iter().chain(ids("logs", "log ")));
}

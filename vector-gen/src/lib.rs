//! The test vectors and the PKI that they are made with: receipts and quotes that look like those of Intel's hardware, signed by keys that
//! anybody can derive, the policies they are judged under, and what a verifier has to find.
//!
//! [`receipt::Material`] is everything that a receipt is made of, still unsigned: change it, then take its file. Nothing is drawn at
//! random and nothing is verified: the expected findings stand in the source, beside each change.

pub mod collateral;
pub mod crl;
pub mod der;
pub mod edits;
pub mod json;
pub mod pki;
mod policies;
pub mod quote;
pub mod receipt;
mod scores;
mod uncovered;
mod vectors;

use std::collections::{BTreeMap, BTreeSet};

use crate::json::Json;
use crate::vectors::{Anchors, Subject, Vector};

/// Every generated file, by its path below the target.
pub fn files() -> BTreeMap<String, Vec<u8>> {
    let vectors = vectors::all();
    let ids: BTreeSet<_> = vectors.iter().map(|vector| &vector.id).collect();
    assert_eq!(ids.len(), vectors.len(), "two vectors have the same id");

    let manifest = |subject: Subject| {
        let entries = vectors.iter().filter(|vector| vector.subject == subject).map(Vector::entry).collect();
        (Json::List(entries).indented() + "\n").into_bytes()
    };
    let produced = vectors.iter().flat_map(|vector| &vector.codes).copied().collect();
    let mut files = BTreeMap::from([
        ("manifest.json".to_owned(), manifest(Subject::Receipt)),
        ("quotes.json".to_owned(), manifest(Subject::Quote)),
        ("UNCOVERED.md".to_owned(), uncovered::page(&produced).into_bytes()),
    ]);
    files.extend(vectors.iter().flat_map(Vector::files));
    files.extend(policies::all().into_iter().map(|(name, text)| (format!("policies/{name}.toml"), text.into_bytes())));
    files.extend(scores::all().into_iter().map(|(name, text)| (format!("scores/{name}.toml"), text.into_bytes())));
    for (anchors, (root, tcb_signing)) in [(Anchors::Test, receipt::test_pki()), (Anchors::OtherTest, receipt::other_pki())] {
        let [root_file, tcb_signing_file] = anchors.files();
        files.insert(root_file.to_owned(), root.pem().into_bytes());
        files.insert(tcb_signing_file.to_owned(), tcb_signing.pem().into_bytes());
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_policy_and_every_file_of_parameters_is_used() {
        let manifest = String::from_utf8(files().remove("manifest.json").unwrap()).unwrap();
        for (name, _) in scores::all() {
            assert!(manifest.contains(&format!("scores/{name}.toml")), "no vector is scored by {name}");
        }
        for (name, _) in policies::all() {
            assert!(manifest.contains(&format!("policies/{name}.toml")), "no vector is judged under {name}");
        }
    }
}

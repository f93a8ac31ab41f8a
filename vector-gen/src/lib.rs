//! The test vectors and the PKI that they are made with: receipts and quotes that look like those of Intel's hardware, signed by keys that
//! anybody can derive, the policies they are judged under, and what a verifier has to find.
//!
//! [`receipt::Material`] is everything that a receipt is made of, still unsigned: change it, then take its file. Nothing is drawn at
//! random and nothing is verified: the expected findings stand in the source, beside each change.

pub mod collateral;
mod combined;
pub mod crl;
pub mod der;
pub mod edits;
pub mod json;
mod lineage;
pub mod lint;
mod logs;
pub mod pki;
mod places;
mod policies;
pub mod quote;
pub mod receipt;
mod scores;
mod uncovered;
mod vectors;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;

use crate::json::Json;
use crate::logs::LogVector;
use crate::vectors::{Anchors, Vector};

/// The version of the manifest's format.
const VERSION: u32 = 1;

/// Hand-written files in the generated folders, which no vector uses.
pub const EXAMPLES: [&str; 4] = ["policies/observed.toml", "scores/classic.toml", "scores/k3-2026-07.toml", "scores/k3.toml"];

/// Where the vectors stand in the repository.
pub fn committed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../test-vectors")
}

/// Every generated file, by its path below the target.
pub fn files() -> BTreeMap<String, Vec<u8>> {
    let vectors = vectors::all();
    let mut files: BTreeMap<String, Vec<u8>> = vectors.iter().flat_map(Vector::files).collect();
    files.extend(policies::all().into_iter().map(|(name, text)| (format!("policies/{name}.toml"), text.into_bytes())));
    files.extend(scores::all().into_iter().map(|(name, text)| (format!("scores/{name}.toml"), text.into_bytes())));
    for (anchors, (root, tcb_signing)) in [(Anchors::Test, receipt::test_pki()), (Anchors::OtherTest, receipt::other_pki())] {
        let [root_file, tcb_signing_file] = anchors.files();
        files.insert(root_file.to_owned(), root.pem().into_bytes());
        files.insert(tcb_signing_file.to_owned(), tcb_signing.pem().into_bytes());
    }
    let logs = logs::all();
    files.extend(logs.iter().flat_map(LogVector::files));
    let codes = vectors.iter().map(|vector| &vector.codes).chain(logs.iter().map(|log| &log.codes));
    let produced: BTreeSet<_> = codes.flatten().copied().collect();
    let manifest = manifest(&vectors, &logs, &files).indented() + "\n";
    files.insert("manifest.json".to_owned(), manifest.into_bytes());
    files.insert("UNCOVERED.md".to_owned(), uncovered::page(&produced).into_bytes());
    files
}

fn manifest(vectors: &[Vector], logs: &[LogVector], files: &BTreeMap<String, Vec<u8>>) -> Json {
    let digests = files.iter().map(|(path, bytes)| (path.clone(), HEXLOWER.encode(&pki::sha256(bytes)).into()));
    let origins = lineage::of(vectors);
    let combined = vectors.iter().zip(&origins).filter(|(_, origin)| origin.as_ref().is_some_and(|origin| origin.edits > 1));
    combined::check(combined.map(|(vector, _)| vector.id.as_str()));
    let entries = vectors.iter().zip(origins).map(|(vector, origin)| {
        let mut lineage = Vec::new();
        if let Some(origin) = origin {
            lineage.push(("parent", vectors[origin.parent].id.as_str().into()));
            lineage.push(("edit", Json::List(origin.places.into_iter().map(Json::from).collect())));
            lineage.extend(combined::reason(&vector.id).map(|reason| ("combines", reason.into())));
        }
        vector.entry(lineage)
    });
    Json::Object(vec![
        ("version".to_owned(), VERSION.into()),
        ("vectors".to_owned(), Json::List(entries.collect())),
        ("logs".to_owned(), Json::List(logs.iter().map(LogVector::entry).collect())),
        ("files".to_owned(), Json::Object(digests.collect())),
        ("examples".to_owned(), Json::List(EXAMPLES.map(Json::from).to_vec())),
    ])
}

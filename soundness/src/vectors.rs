//! The test vectors that targets start from.

use std::path::PathBuf;
use std::sync::OnceLock;

use data_encoding::BASE64;
use serde::Deserialize;
use verify_core::{Anchors, Policy};

use crate::edits;
use crate::essence::{self, Essence};

/// Stages of codes that speak of unbound text or of the policy alone: an edit that leaves every authenticated byte alone may
/// take such a finding away.
const UNBOUND_STAGES: [&str; 16] = [
    "json",
    "receipt",
    "evidence",
    "self-report",
    "chain",
    "workload",
    "verdict",
    "tier",
    "provenance",
    "scorer",
    "input",
    "enclave",
    "image",
    "pin",
    "expectation",
    "run",
];

/// Codes of other stages that speak of the policy or of the caller's clock.
const UNBOUND_CODES: [&str; 5] = [
    "tcb.evaluation-below-minimum",
    "tcb.evaluation-numbers-differ",
    "collateral.too-old",
    "collateral.age-unknown",
    "collateral.not-fresh",
];

/// What every target shares.
pub struct Vectors {
    /// The anchors of the test PKI.
    pub anchors: Anchors,
    /// A policy that pins enclave and image.
    pub policy: Policy,
    /// A receipt that `policy` verifies.
    pub good: Vec<u8>,
    /// The same with one bit of the quote's signature turned over.
    pub forged: Vec<u8>,
    /// Every shipped receipt of ordinary size, in the order of the manifest.
    pub receipts: Vec<Vec<u8>>,
    /// What is authenticated or bound in those that are verified, or whose faults lie in what nothing covers.
    pub known: Vec<Essence>,
    /// The authenticated parts of every shipped bare quote that is verified.
    pub quotes: Vec<Vec<Vec<u8>>>,
    /// Collateral of a trust domain's platform and of an SGX enclave's.
    pub collaterals: [Vec<u8>; 2],
}

#[derive(Deserialize)]
struct Manifest {
    vectors: Vec<AnyEntry>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum AnyEntry {
    Receipt(Entry),
    Quote(QuoteEntry),
}

#[derive(Deserialize)]
struct Entry {
    id: String,
    receipt: String,
    anchors: serde_json::Value,
    at: Option<String>,
    input: Option<String>,
    outcome: String,
    codes: Vec<String>,
}

#[derive(Deserialize)]
struct QuoteEntry {
    quote: String,
    outcome: String,
}

/// The folder of the vectors.
pub fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../test-vectors"))
}

/// The vectors, read once.
pub fn vectors() -> &'static Vectors {
    static VECTORS: OnceLock<Vectors> = OnceLock::new();
    VECTORS.get_or_init(load)
}

fn load() -> Vectors {
    let read = |path: &str| std::fs::read(folder().join(path)).unwrap_or_else(|error| panic!("test-vectors/{path}: {error}"));
    let text = |path: &str| String::from_utf8(read(path)).expect("UTF-8");
    let anchors = Anchors::from_root(&read("pki/root.pem")).and_then(|anchors| anchors.with_tcb_signing(&read("pki/tcb_signing.pem")));
    let all: Manifest = serde_json::from_str(&text("manifest.json")).expect("a manifest");
    let (mut manifest, mut quotes) = (Vec::new(), Vec::new());
    for entry in all.vectors {
        match entry {
            AnyEntry::Receipt(entry) => manifest.push(entry),
            AnyEntry::Quote(entry) => quotes.push(entry),
        }
    }
    let good = manifest.iter().find(|entry| entry.id == "verified").map(|entry| read(&entry.receipt)).expect("the vector `verified`");
    let receipts: Vec<Vec<u8>> = manifest.iter().map(|entry| read(&entry.receipt)).collect();
    let is_unbound = |code: &String| {
        code.split('.').next().is_some_and(|stage| UNBOUND_STAGES.contains(&stage)) || UNBOUND_CODES.contains(&code.as_str())
    };
    // What the manifest says of other anchors, of another instant or with an input says nothing about the requests of the targets.
    let is_other_request = |entry: &Entry| entry.anchors["root"] != "pki/root.pem" || entry.at.is_some() || entry.input.is_some();
    let may_verify = |entry: &Entry| entry.outcome == "verified" || is_other_request(entry) || entry.codes.iter().all(is_unbound);
    let mut known: Vec<Essence> = Vec::new();
    for essence in manifest.iter().zip(&receipts).filter(|(entry, _)| may_verify(entry)).filter_map(|(_, bytes)| Essence::read(bytes)) {
        if !known.contains(&essence) {
            known.push(essence);
        }
    }
    let quotes = quotes.iter().filter(|entry| entry.outcome == "verified");
    Vectors {
        quotes: quotes.map(|entry| essence::quote_parts(&read(&entry.quote)).expect("a good quote")).collect(),
        collaterals: ["bare-v4", "sgx-v3"].map(|id| read(&format!("quotes/{id}.json"))),
        anchors: anchors.expect("the test PKI"),
        policy: toml::from_str(&text("policies/test.toml")).expect("the test policy"),
        forged: forge(&good),
        good,
        receipts: receipts.into_iter().filter(|receipt| receipt.len() <= 32 * 1024).collect(),
        known,
    }
}

fn forge(good: &[u8]) -> Vec<u8> {
    let mut quote = edits::member(good, "quote_b64").expect("a quote");
    quote[640] ^= 1;
    edits::with_member(good, "quote_b64", &BASE64.encode(&quote))
}

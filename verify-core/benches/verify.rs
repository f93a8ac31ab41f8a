//! What a receipt costs: reading it, verifying it cold and warm, and a log of distinct receipts. `cargo bench -p verify-core`, and with
//! `--features fast` by assembly; pin it to one core. The receipts are test vectors, signed by the test PKI.

#![expect(clippy::disallowed_methods, reason = "benches read files")]

#[path = "../tests/support/mod.rs"]
mod support;

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use verify_core::{Anchors, Policy, Request, Verifier, inspect};

fn main() {
    divan::main();
}

/// The receipt of the vector `verified`.
fn receipt() -> Vec<u8> {
    let folder = support::workspace().join("test-vectors");
    let manifest = support::read_json(&folder.join("manifest.json"));
    let vectors = manifest["vectors"].as_array().expect("a list of vectors");
    let vector = vectors.iter().find(|vector| vector["id"] == "verified").expect("the vector `verified`");
    support::read(&folder.join(vector["receipt"].as_str().expect("a path")))
}

/// Every receipt that is evidence, whatever its provenance.
fn log() -> Vec<Vec<u8>> {
    let folder = support::workspace().join("test-vectors");
    let manifest = support::read_json(&folder.join("manifest.json"));
    let vectors = manifest["vectors"].as_array().expect("a list of vectors").iter();
    let genuine = vectors.filter(|vector| ["verified", "under-provenanced"].contains(&vector["outcome"].as_str().unwrap_or_default()));
    let mut receipts: Vec<Vec<u8>> =
        genuine.filter_map(|vector| vector["receipt"].as_str()).map(|path| support::read(&folder.join(path))).collect();
    receipts.sort();
    receipts.dedup();
    receipts
}

fn verifier() -> Verifier {
    let pki = support::workspace().join("test-vectors/pki");
    let [root, tcb_signing] = ["root.pem", "tcb_signing.pem"].map(|name| support::read(&pki.join(name)));
    let anchors = Anchors::from_root(&root).and_then(|anchors| anchors.with_tcb_signing(&tcb_signing));
    Verifier::new(Policy::strict(), anchors.expect("the test PKI"))
}

fn verify(verifier: &Verifier, receipt: &[u8]) -> String {
    verifier.verify(&Request::new(black_box(receipt))).to_json()
}

/// The JSON alone, each value with its span.
#[divan::bench]
fn inspected(bencher: Bencher<'_, '_>) {
    let receipt = receipt();
    bencher.counter(BytesCount::new(receipt.len())).bench_local(|| inspect(black_box(&receipt)));
}

/// By a verifier that has seen nothing.
#[divan::bench]
fn cold(bencher: Bencher<'_, '_>) {
    let receipt = receipt();
    bencher.with_inputs(verifier).bench_local_refs(|verifier| verify(verifier, &receipt));
}

/// By a verifier that has seen this receipt: all but the arithmetic of signatures.
#[divan::bench]
fn warm(bencher: Bencher<'_, '_>) {
    let (receipt, verifier) = (receipt(), verifier());
    verify(&verifier, &receipt);
    bencher.bench_local(|| verify(&verifier, &receipt));
}

/// Distinct receipts by one verifier that has seen nothing before.
#[divan::bench(sample_count = 10)]
fn a_log(bencher: Bencher<'_, '_>) {
    let receipts = log();
    let all = |verifier: &mut Verifier| receipts.iter().for_each(|receipt| drop(verify(verifier, receipt)));
    bencher.counter(ItemsCount::new(receipts.len())).with_inputs(verifier).bench_local_refs(all);
}

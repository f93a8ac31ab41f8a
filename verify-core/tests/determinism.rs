//! One verifier, many threads: the reports are those of a verifier that never saw anything else, byte for byte.

#![expect(clippy::disallowed_methods, reason = "tests read files")]

mod support;

use std::thread;

use verify_core::{Anchors, Policy, Request, Verifier};

const THREADS: usize = 8;

#[test]
fn threads_that_share_a_verifier_say_what_one_alone_says() {
    let pki = support::workspace().join("test-vectors/pki");
    let [root, tcb_signing] = ["root.pem", "tcb_signing.pem"].map(|name| support::read(&pki.join(name)));
    let fresh = || {
        let anchors = Anchors::from_root(&root).and_then(|anchors| anchors.with_tcb_signing(&tcb_signing));
        Verifier::new(Policy::strict(), anchors.expect("the test PKI"))
    };
    let folder = support::workspace().join("test-vectors");
    let manifest = support::read_json(&folder.join("manifest.json"));
    let vectors = manifest["vectors"].as_array().expect("a list of vectors").iter();
    let paths = vectors.filter_map(|vector| vector["receipt"].as_str()).step_by(16);
    let receipts: Vec<Vec<u8>> = paths.map(|path| support::read(&folder.join(path))).collect();
    let alone: Vec<String> = receipts.iter().map(|receipt| fresh().verify(&Request::new(receipt)).to_json()).collect();
    assert!(alone.len() > 30, "only {} receipts", alone.len());

    let shared = fresh();
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (shared, receipts, alone) = (&shared, &receipts, &alone);
            scope.spawn(move || {
                for turn in 0..receipts.len() {
                    let index = (turn + thread * receipts.len() / THREADS) % receipts.len();
                    assert_eq!(shared.verify(&Request::new(&receipts[index])).to_json(), alone[index]);
                }
            });
        }
    });
}

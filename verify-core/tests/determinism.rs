//! One verifier, many threads: the reports are those of a verifier that never saw anything else, byte for byte.

#![expect(clippy::disallowed_methods, reason = "tests read files")]

mod support;

use std::thread;

use verify_core::{Anchors, Policy, Request, Verifier};

const THREADS: usize = 4;

/// Every vector of a receipt, each thread in an order of its own, with a verifier that remembers what all the threads saw.
#[test]
fn threads_that_share_a_verifier_say_what_one_alone_says() {
    let folder = support::workspace().join("test-vectors");
    let [root, tcb_signing] = ["pki/root.pem", "pki/tcb_signing.pem"].map(|name| support::read(&folder.join(name)));
    let anchors = Anchors::from_root(&root).and_then(|anchors| anchors.with_tcb_signing(&tcb_signing)).expect("the test PKI");
    let fresh = || Verifier::new(Policy::strict(), anchors.clone());
    let manifest = support::read_json(&folder.join("manifest.json"));
    let read = |path: &serde_json::Value| path.as_str().map(|path| support::read(&folder.join(path)));
    let vectors = manifest["vectors"].as_array().expect("a list of vectors").iter();
    let files: Vec<_> = vectors.filter_map(|vector| Some((read(&vector["receipt"])?, read(&vector["fresh"]["collateral"])))).collect();
    let requests = files.iter().map(|(receipt, collateral)| match collateral {
        Some(collateral) => Request::new(receipt).with_fresh_collateral(collateral),
        None => Request::new(receipt),
    });
    let requests: Vec<Request<'_>> = requests.collect();
    let alone: Vec<String> = requests.iter().map(|request| fresh().with_portable_arithmetic().verify(request).to_json()).collect();
    assert!(alone.len() > 700, "only {} receipts", alone.len());

    let shared = fresh();
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (shared, requests, alone) = (shared.clone(), &requests, &alone);
            scope.spawn(move || {
                for index in shuffled(requests.len(), thread) {
                    assert_eq!(shared.verify(&requests[index]).to_json(), alone[index]);
                }
            });
        }
    });

    let computed = shared.signatures_computed();
    assert!(computed > 0);
    let is_good = |report: &&String| report.contains(r#""outcome":"verified""#);
    let good = alone.iter().position(|report| is_good(&report)).or(alone.iter().position(|report| report.contains("under-provenanced")));
    shared.verify(&requests[good.expect("a genuine receipt")]);
    assert_eq!(shared.signatures_computed(), computed, "the signatures of a genuine receipt were forgotten");
}

/// The numbers below `count` in an order that `seed` determines.
fn shuffled(count: usize, seed: usize) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..count).collect();
    let mut state = 2 * seed as u64 + 1;
    for last in (1..count).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        numbers.swap(last, (state >> 33) as usize % (last + 1));
    }
    numbers
}

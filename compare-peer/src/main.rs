//! `compare-peer RECEIPTS CHAIN [ROUNDS]`: what one receipt costs this verifier and dcap-qvl.
//!
//! RECEIPTS is a directory that is searched for `receipt.json`, CHAIN the PEM of Intel's TCB signing chain, which Polaris receipts do
//! not carry and dcap-qvl has to be given. All contenders take turns in each of ROUNDS rounds, so that a busy machine is busy for all;
//! pin the process to one core (`taskset -c 1`). A contender's time in a round is that of all receipts over their number; shown are the
//! least and the median of its rounds, and the least against that of the peer's build with ring.
//!
//! Each contender begins with the bytes of the receipt. Ours ends with the report as JSON; dcap-qvl's caller decodes the quote and the
//! collateral and has the status, so that bindings, verdict, claims and report come on top in our numbers. Both have to say the same
//! TCB status of every receipt, or nothing is timed.

mod peer;

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use verify_core::{Anchors, Policy, Request, Verifier};

use crate::peer::Peer;

/// A receipt, when to judge it, and its TCB status.
struct Case {
    bytes: Vec<u8>,
    now: u64,
}

/// A name and what it does with all receipts.
type Contender<'a> = (&'static str, Box<dyn Fn() + 'a>);

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (Some(receipts), Some(chain)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: compare-peer RECEIPTS CHAIN [ROUNDS]");
        std::process::exit(2);
    };
    let rounds: usize = arguments.next().map_or(20, |rounds| rounds.parse().expect("ROUNDS is a number"));
    let chain = std::fs::read_to_string(chain).expect("CHAIN can be read");
    let peer = Peer::new(&chain);

    let mut files = Vec::new();
    find(Path::new(&receipts), &mut files);
    let cases: Vec<Case> = files.iter().filter_map(|file| case(file, &peer)).collect();
    assert!(!cases.is_empty(), "no receipt that both accept");
    println!("{} receipts, {} of them with a TCB status by both; {rounds} rounds", files.len(), cases.len());

    let warm = ours();
    let contenders: Vec<Contender<'_>> = vec![
        ("dcap-qvl 0.7.1, ring", Box::new(|| cases.iter().for_each(|case| drop(black_box(peer.ring(&case.bytes, case.now)))))),
        ("dcap-qvl 0.7.1, rustcrypto", Box::new(|| cases.iter().for_each(|case| drop(black_box(peer.rustcrypto(&case.bytes, case.now)))))),
        ("cold: fast", Box::new(|| cases.iter().for_each(|case| verify(&ours(), case)))),
        ("cold: p256", Box::new(|| cases.iter().for_each(|case| verify(&ours().with_portable_arithmetic(), case)))),
        ("log: fast", Box::new(|| all(&ours(), &cases))),
        ("log: p256", Box::new(|| all(&ours().with_portable_arithmetic(), &cases))),
        ("warm: no signature left", Box::new(|| all(&warm, &cases))),
    ];
    all(&warm, &cases);
    let distinct = warm.signatures_computed();

    let mut times = vec![Vec::new(); contenders.len()];
    for _ in 0..rounds {
        for ((_, run), times) in contenders.iter().zip(&mut times) {
            let start = Instant::now();
            run();
            times.push(start.elapsed() / u32::try_from(cases.len()).expect("few receipts"));
        }
    }
    assert_eq!(warm.signatures_computed(), distinct, "the warm verifier computed signatures");

    let us = |time: Duration| time.as_secs_f64() * 1e6;
    let least = |times: &[Duration]| us(*times.iter().min().expect("a round"));
    let base = least(&times[0]);
    println!("{:<28} {:>9} {:>9} {:>11} {:>12}", "", "min us", "median us", "receipts/s", "against ring");
    for ((name, _), mut times) in contenders.iter().zip(times) {
        times.sort();
        let min = least(&times);
        println!("{name:<28} {min:>9.1} {:>9.1} {:>11.0} {:>11.2}x", us(times[times.len() / 2]), 1e6 / min, base / min);
    }
    let cold: u64 = cases
        .iter()
        .map(|case| {
            let verifier = ours();
            verify(&verifier, case);
            verifier.signatures_computed()
        })
        .sum();
    let per_receipt = |computed: u64| computed as f64 / cases.len() as f64;
    println!("signatures computed a receipt: cold {:.2}, log {:.2} ({distinct} distinct)", per_receipt(cold), per_receipt(distinct));
}

fn ours() -> Verifier {
    Verifier::new(Policy::strict(), Anchors::intel())
}

fn all(verifier: &Verifier, cases: &[Case]) {
    cases.iter().for_each(|case| verify(verifier, case));
}

/// From the bytes of the receipt to those of the report.
fn verify(verifier: &Verifier, case: &Case) {
    let report = verifier.verify(&Request::new(&case.bytes));
    black_box(serde_json::to_vec(&report).expect("a report is JSON"));
}

/// The receipt in `file`, where both verifiers give it a TCB status; they have to give the same one.
fn case(file: &Path, peer: &Peer<'_>) -> Option<Case> {
    let bytes = std::fs::read(file).expect("a receipt can be read");
    let report = ours().verify(&Request::new(&bytes));
    let (tcb, at) = (report.facts.tcb?, report.judged.at?);
    let now = u64::try_from(at.unix_seconds()).ok()?;
    let status = format!("{:?}", tcb.status);
    for theirs in [peer.ring(&bytes, now), peer.rustcrypto(&bytes, now)] {
        let theirs = theirs.inspect_err(|error| eprintln!("left out, not read by the peer: {}: {error}", file.display())).ok()?;
        assert_eq!(theirs, status, "{}", file.display());
    }
    Some(Case { bytes, now })
}

fn find(directory: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            find(&entry, files);
        } else if entry.ends_with("receipt.json") {
            files.push(entry);
        }
    }
}

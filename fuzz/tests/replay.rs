//! Runs the targets on stable: every committed input, then a fixed sequence of mutations of them.

#![forbid(unsafe_code)]

use std::path::PathBuf;

use receipt_fuzz::{TARGETS, Target};
use soundness::vectors::vectors;
use soundness::{essence, invariants};
use verify_core::{Outcome, Verifier};

/// Every target with the number of mutated inputs that are run beside its seeds and its corpus.
macro_rules! replays {
    ($($target:ident: $rounds:literal,)*) => {
        $(
            #[test]
            fn $target() {
                replay(stringify!($target), $rounds);
            }
        )*

        const REPLAYED: &[&str] = &[$(stringify!($target),)*];
    };
}

replays! {
    receipt_json: 300,
    inspect: 300,
    quote: 300,
    bare_quote: 200,
    collateral: 250,
    whole: 300,
    report: 100,
    certificate: 100,
    crl: 100,
    tcb_info: 100,
    qe_identity: 100,
    attestation: 300,
    policy: 400,
    expectation: 300,
    input: 100,
    run: 150,
    audit: 150,
    score: 200,
    classify: 200,
    trace: 200,
    fresh: 100,
    peer: 100,
}

/// The committed inputs of a target: those that `seeds` wrote, then those that fuzzing found.
fn inputs(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let mut inputs = Vec::new();
    for folder in ["seeds", "corpus"] {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(folder).join(target);
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        assert!(!paths.is_empty(), "{} is empty", folder.display());
        paths.sort();
        inputs.extend(paths.into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())));
    }
    inputs
}

#[test]
fn every_target_has_inputs_and_a_program() {
    assert_eq!(TARGETS.iter().map(|(target, _)| *target).collect::<Vec<_>>(), REPLAYED);
    for (target, _) in TARGETS {
        let program = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz_targets")).join(format!("{target}.rs"));
        assert!(program.exists(), "{target} has no program");
    }
    let bytes: usize = TARGETS.iter().flat_map(|(target, _)| inputs(target)).map(|(_, bytes)| bytes.len()).sum();
    assert!(bytes < 1_500_000, "{bytes} bytes of inputs");
}

/// Without this the oracle of soundness could pass because nothing is ever verified.
#[test]
fn the_starting_point_is_verified_and_the_forgery_is_not() {
    let verifier = Verifier::new(vectors().policy.clone(), vectors().anchors.clone());
    assert_eq!(invariants::verify(&verifier, &vectors().good).outcome, Outcome::Verified);
    assert_eq!(invariants::verify(&verifier, &vectors().forged).outcome, Outcome::Invalid);
    essence::assert_known(&vectors().good, essence::Scope::Receipt);
}

#[test]
#[should_panic(expected = "no shipped receipt has these authenticated parts")]
fn a_forgery_that_were_verified_would_be_noticed() {
    essence::assert_known(&vectors().forged, essence::Scope::Evidence);
}

#[test]
fn every_shipped_receipt_passes_the_oracles() {
    for number in 0..u16::try_from(vectors().receipts.len()).unwrap() {
        run_one(receipt_fuzz::carried::whole, &number.to_le_bytes(), &format!("receipt {number}"));
    }
}

/// Every committed input, then `rounds` inputs that are mutated from them in a fixed sequence.
fn replay(name: &str, rounds: usize) {
    let (_, target) = TARGETS.iter().find(|(target, _)| *target == name).expect("a target");
    let inputs = inputs(name);
    for (path, bytes) in &inputs {
        run_one(*target, bytes, &path.display().to_string());
    }
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for round in 0..rounds {
        let mut input = inputs[random.below(inputs.len())].1.clone();
        for _ in 0..=random.below(4) {
            mutate(&mut input, &mut random);
        }
        run_one(*target, &input, &format!("round {round} of {name}"));
    }
}

/// Names the input of a panic, and prints it as hex where it is short.
fn run_one(target: Target, input: &[u8], what: &str) {
    if let Err(panic) = std::panic::catch_unwind(|| target(input)) {
        let shown = if input.len() <= 256 { data_encoding::HEXLOWER.encode(input) } else { format!("{} bytes", input.len()) };
        eprintln!("{what}: {shown}");
        std::panic::resume_unwind(panic);
    }
}

fn mutate(input: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(input.len() + 1);
    let run = at..input.len().min(at + random.below(16));
    match random.below(6) {
        0 => drop(input.drain(run)),
        1 => {
            let inserted: Vec<u8> = (0..random.below(8)).map(|_| random.byte()).collect();
            drop(input.splice(at..at, inserted));
        }
        2 => {
            let copied = input[run].to_vec();
            let to = random.below(input.len() + 1);
            drop(input.splice(to..to, copied));
        }
        3 if random.below(8) == 0 => input.truncate(at),
        kind => {
            let byte = random.byte();
            if let Some(target) = input.get_mut(at) {
                *target = if kind == 4 { *target ^ (1 << (byte % 8)) } else { byte };
            }
        }
    }
}

/// Marsaglia's xorshift with 64 bits.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(bound).unwrap()).unwrap()
    }

    fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[3]
    }
}

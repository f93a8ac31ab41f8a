//! What is printed at the end: a line for each part and kind, over all receipts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::Instant;

use soundness::edits::Part;

/// What became of the mutants of one kind.
pub(crate) struct Tally {
    started: Instant,
    seconds: f64,
    mutants: usize,
    verified: usize,
    stages: BTreeSet<&'static str>,
}

type Key = (&'static str, String, &'static str);

static TALLIES: Mutex<BTreeMap<Key, Tally>> = Mutex::new(BTreeMap::new());
static LISTS: Mutex<BTreeMap<&'static str, usize>> = Mutex::new(BTreeMap::new());

impl Tally {
    pub(crate) fn start() -> Self {
        Self { started: Instant::now(), seconds: 0.0, mutants: 0, verified: 0, stages: BTreeSet::new() }
    }

    pub(crate) fn verified(&mut self) {
        self.mutants += 1;
        self.verified += 1;
    }

    pub(crate) fn refused(&mut self, codes: &BTreeSet<&'static str>) {
        self.mutants += 1;
        self.stages.extend(codes.iter().filter_map(|code| code.split('.').next()));
    }

    pub(crate) fn add(mut self, base: &'static str, part: Part, kind: &'static str) {
        self.seconds = self.started.elapsed().as_secs_f64();
        TALLIES.lock().expect("no trial panics while it adds").insert((base, format!("{part:?}"), kind), self);
    }
}

/// Notes the length of a list of what is exempt.
pub(crate) fn listed(base: &'static str, length: usize) {
    LISTS.lock().expect("no trial panics while it adds").insert(base, length);
}

/// Prints what was tried.
pub(crate) fn print() {
    let tallies = TALLIES.lock().expect("all trials are over");
    println!("{:<10} {:<34} {:<20} {:>7} {:>9} {:>8}  stages of refusal", "receipt", "part", "kind", "mutants", "verified", "seconds");
    for ((base, part, kind), tally) in tallies.iter() {
        let stages: Vec<&str> = tally.stages.iter().copied().collect();
        println!(
            "{base:<10} {part:<34} {kind:<20} {:>7} {:>9} {:>8.1}  {}",
            tally.mutants,
            tally.verified,
            tally.seconds,
            stages.join(" ")
        );
    }
    let sum = |of: fn(&Tally) -> usize| tallies.values().map(of).sum::<usize>();
    println!("{} mutants, {} of them verified and exempt", sum(|tally| tally.mutants), sum(|tally| tally.verified));
    for (base, length) in LISTS.lock().expect("all trials are over").iter() {
        println!("{base}: {length} exempt places");
    }
    println!();
}

//! What is printed at the end: a line for each part and kind, over all receipts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use soundness::edits::Part;

/// What became of the mutants of one kind.
#[derive(Default)]
pub(crate) struct Tally {
    mutants: usize,
    verified: usize,
    stages: BTreeSet<&'static str>,
}

type Key = (&'static str, String, &'static str);

static TALLIES: Mutex<BTreeMap<Key, Tally>> = Mutex::new(BTreeMap::new());
static LISTS: Mutex<BTreeMap<&'static str, usize>> = Mutex::new(BTreeMap::new());

impl Tally {
    pub(crate) fn verified(&mut self, _places: &BTreeSet<String>) {
        self.mutants += 1;
        self.verified += 1;
    }

    pub(crate) fn refused(&mut self, codes: &BTreeSet<&'static str>) {
        self.mutants += 1;
        self.stages.extend(codes.iter().filter_map(|code| code.split('.').next()));
    }

    pub(crate) fn add(self, base: &'static str, part: Part, kind: &'static str) {
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
    println!("{:<10} {:<34} {:<20} {:>7} {:>9}  stages of refusal", "receipt", "part", "kind", "mutants", "verified");
    for ((base, part, kind), tally) in tallies.iter() {
        let stages: Vec<&str> = tally.stages.iter().copied().collect();
        println!("{base:<10} {part:<34} {kind:<20} {:>7} {:>9}  {}", tally.mutants, tally.verified, stages.join(" "));
    }
    let sum = |of: fn(&Tally) -> usize| tallies.values().map(of).sum::<usize>();
    println!("{} mutants, {} of them verified and exempt", sum(|tally| tally.mutants), sum(|tally| tally.verified));
    for (base, length) in LISTS.lock().expect("all trials are over").iter() {
        println!("{base}: {length} exempt places");
    }
    println!();
}

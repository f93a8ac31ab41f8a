//! **No mutant of a verified receipt, and no random bytes, come out as verified, unless the change lies where no signature and no hash
//! reaches**, which is an explicit list ([`soundness::exempt`]).
//!
//! One named test for each receipt, part and kind of change: how many mutants there were, how many stayed verified, and at which
//! stage the others were refused stands in the table at the end. By default one bit of each byte is turned over, and the
//! long texts are gone through in strides; `SOUNDNESS=full` turns over every bit and tries every position.
//!
//! All are judged under the mildest policy that ships, so that evidence alone stands against them.

mod bases;
mod forgeries;
mod plan;
mod table;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use libtest_mimic::{Arguments, Failed, Trial};
use soundness::differences::differences;
use soundness::edits::Part;
use soundness::essence::Essence;
use soundness::exempt::{Exempt, MODEST};
use soundness::mutants::{Kind, Source, noise};
use verify_core::{Claim, Coverage, Effect, Outcome, Request};

use crate::bases::Base;
use crate::plan::{Row, regions};
use crate::table::Tally;

static BASES: LazyLock<Vec<Base>> = LazyLock::new(bases::all);

fn main() {
    let mut trials = vec![Trial::test("random bytes", || random_bytes().map_err(Failed::from))];
    for base in &*BASES {
        trials.push(Trial::test(format!("{}: the list of what is exempt is neither too short nor too long", base.name), || {
            exact(base).map_err(Failed::from)
        }));
        trials.push(Trial::test(format!("{}: claims that nothing carries are those that are exempt", base.name), || {
            claims(base).map_err(Failed::from)
        }));
        for row in plan::rows(base.name) {
            for kind in row.kinds {
                let name = format!("{}: {:?}: {}", base.name, row.part, kind.name);
                trials.push(Trial::test(name, move || systematic(base, &row, *kind).map_err(Failed::from)));
            }
        }
    }
    trials.extend(forgeries::trials());
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials);
    table::print();
    conclusion.exit();
}

/// What became of a mutant.
enum Answer {
    /// It is verified; it differs from its base in these places.
    Verified(BTreeSet<String>),
    /// The codes of all findings that are more than notes.
    Refused(BTreeSet<&'static str>),
}

/// Verifies a mutant. One that is verified has everything signed and hashed in common with its base, and differs in claims that
/// the report calls asserted.
fn judge(base: &Base, mutant: &[u8]) -> Result<Answer, String> {
    let report = base.verifier.verify(&Request::new(mutant));
    if report.outcome != Outcome::Verified {
        let codes = report.problems.iter().filter(|problem| problem.effect > Effect::Notes).map(|problem| problem.code.name());
        return Ok(Answer::Refused(codes.collect()));
    }
    let places = differences(&base.receipt, mutant);
    if Essence::read(mutant).as_ref() != Some(&base.essence) {
        return Err(format!("verified, but what is signed or hashed differs: {places:?}"));
    }
    let is_new =
        |claim: &&Claim| !base.report.claims.iter().any(|known| known.pointer == claim.pointer && is_alike(&known.value, &claim.value));
    match report.claims.iter().filter(is_new).find(|claim| claim.coverage != Coverage::Asserted) {
        Some(claim) => Err(format!("verified, and {} was changed, of which the report says {:?}", claim.pointer, claim.coverage)),
        None => Ok(Answer::Verified(places)),
    }
}

/// Whether two shown values are the same text, or numbers that are the same after rounding to six places.
fn is_alike(left: &str, right: &str) -> bool {
    let rounded = |text: &str| text.parse::<f64>().map(|number| format!("{number:.6}"));
    left == right || rounded(left).is_ok_and(|left| rounded(right) == Ok(left))
}

/// Makes every mutant of one kind.
fn each(
    base: &Base,
    part: Part,
    kind: Kind,
    [stride, full_stride]: [usize; 2],
    mut take: impl FnMut(usize, &str, Vec<u8>),
) -> Result<(), String> {
    let text = part.decode(&base.receipt).ok_or_else(|| format!("{} has no {part:?}", base.name))?;
    let other = part.decode(&base.other).unwrap_or_default();
    let (stride, every_bit) = if is_full() { (full_stride, true) } else { (stride, false) };
    let source = Source { text: &text, other: &other, stride, every_bit };
    (kind.make)(&source, &mut |at, what, bytes| {
        if let Some(mutant) = part.encode(&base.receipt, &bytes).filter(|mutant| *mutant != base.receipt) {
            take(at, what, mutant);
        }
    });
    Ok(())
}

fn systematic(base: &Base, row: &Row, kind: Kind) -> Result<(), String> {
    let mut tally = Tally::start();
    let mut faults = Vec::new();
    let regions = row.part.decode(&base.receipt).map(|text| regions(row.part, &text)).unwrap_or_default();
    each(base, row.part, kind, [row.stride, row.full_stride], |at, what, mutant| {
        let region = regions.iter().find(|(span, _)| span.contains(&at)).map_or("", |(_, name)| *name);
        let fault = match judge(base, &mutant) {
            Err(fault) => Some(fault),
            Ok(Answer::Verified(places)) => {
                tally.verified();
                let bound: Vec<_> = places.iter().filter(|place| !base.exempt.iter().any(|exempt| exempt.allows(place))).collect();
                (!bound.is_empty()).then(|| format!("verified, and {bound:?} is not on the list"))
            }
            Ok(Answer::Refused(codes)) => {
                tally.refused(&codes);
                let declared = row.stages.iter().find(|(name, _)| *name == region || *name == "*").map(|(_, stages)| *stages);
                let is_declared = |code: &&str| declared.is_some_and(|stages| stages.iter().any(|stage| is_of(code, stage)));
                let undeclared: Vec<_> = codes.iter().filter(|code| !is_declared(code)).collect();
                match (row.harmless, undeclared.as_slice()) {
                    (true, _) => Some(format!("a harmless change is refused: {codes:?}")),
                    (false, []) if codes.is_empty() => Some("refused without a finding".to_owned()),
                    (false, []) => None,
                    (false, undeclared) => Some(format!("refused in the region {region:?} by {undeclared:?}")),
                }
            }
        };
        if let Some(fault) = fault {
            faults.push((fault, format!("at {at}: {what}")));
        }
    })?;
    tally.add(base.name, row.part, kind.name);
    summary(faults)
}

/// Whether `code` is `stage`, or one of that stage.
fn is_of(code: &str, stage: &str) -> bool {
    code == stage || code.split('.').next() == Some(stage)
}

/// Every fault once, with the first mutant that showed it.
fn summary(faults: Vec<(String, String)>) -> Result<(), String> {
    let count = faults.len();
    let mut once = std::collections::BTreeMap::new();
    for (fault, what) in faults {
        once.entry(fault).or_insert(what);
    }
    let lines: Vec<String> = once.iter().take(40).map(|(fault, what)| format!("{fault} ({what})")).collect();
    if lines.is_empty() { Ok(()) } else { Err(format!("{count} mutants\n{}", lines.join("\n"))) }
}

/// Every entry of the list has a mutant that stays verified and differs there alone, and there is no other one.
fn exact(base: &Base) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    let mut take = |mutant: &[u8]| -> Result<(), String> {
        if let Answer::Verified(places) = judge(base, mutant)?
            && places.len() == 1
        {
            seen.extend(places);
        }
        Ok(())
    };
    for (part, kinds) in plan::SHOWING {
        for kind in kinds {
            if part.decode(&base.receipt).is_none() {
                continue;
            }
            let mut result = Ok(());
            each(base, part, *kind, [1, 1], |_, what, mutant| {
                if result.is_ok() {
                    result = take(&mutant).map_err(|fault| format!("{fault} ({what})"));
                }
            })?;
            result?;
        }
    }
    for witness in bases::witnesses(base) {
        take(&witness)?;
    }
    let missing: Vec<&String> = seen.iter().filter(|place| !base.exempt.iter().any(|exempt| exempt.allows(place))).collect();
    let idle: Vec<&str> =
        base.exempt.iter().filter(|exempt| !seen.iter().any(|place| exempt.allows(place))).map(|exempt| exempt.place).collect();
    table::listed(base.name, base.exempt.len());
    if missing.is_empty() && idle.is_empty() {
        return Ok(());
    }
    Err(format!("exempt, but not on the list: {missing:#?}\non the list, but no mutant there is verified: {idle:#?}"))
}

/// The report calls a claim of the base asserted exactly where the list has it.
fn claims(base: &Base) -> Result<(), String> {
    let wrong: Vec<String> = base
        .report
        .claims
        .iter()
        .filter(|claim| !MODEST.iter().any(|modest| modest.place == claim.pointer))
        .filter(|claim| (claim.coverage == Coverage::Asserted) != base.exempt.iter().any(|exempt| exempt.allows(&claim.pointer)))
        .map(|claim| format!("{} is {:?}", claim.pointer, claim.coverage))
        .collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// Noise as a whole receipt, and as each part that has to be decoded.
fn random_bytes() -> Result<(), String> {
    let (base, mut tally) = (&BASES[0], Tally::start());
    for seed in 0..if is_full() { 5000 } else { 60 } {
        let noise = noise(seed, usize::try_from(seed * 67 % 4096).unwrap_or_default());
        let printable = noise.iter().map(|byte| b' ' + byte % 95).collect();
        let parts = plan::DECODED.into_iter().filter_map(|part| part.encode(&base.receipt, &noise));
        for receipt in parts.chain([noise.clone(), printable]) {
            match judge(base, &receipt)? {
                Answer::Verified(_) => return Err(format!("noise of seed {seed} is verified")),
                Answer::Refused(codes) => tally.refused(&codes),
            }
        }
    }
    tally.add("noise", Part::Receipt, "random bytes");
    Ok(())
}

fn is_full() -> bool {
    std::env::var("SOUNDNESS").is_ok_and(|effort| effort == "full")
}

/// The lists of a base, one after the other.
fn joined(lists: &[&'static [Exempt]]) -> Vec<&'static Exempt> {
    lists.iter().flat_map(|list| list.iter()).collect()
}

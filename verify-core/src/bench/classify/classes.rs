//! The classes as one table: what each of them needs, where it stands in the record, and how it is judged.

use std::collections::BTreeSet;

use serde::{Serialize, Serializer};

use super::contradiction::{by_arm, failed, first_instant, stated_failures};
use super::evidence::Repetition;
use super::figures;
use super::record::{FIELDS, Judged, Lack, LackKind, Record, is_none, is_recorded, whole};
use super::review;
use super::{Case, arms};
use crate::compare::{compare, is_same};
use crate::json::{Kind, Value, child};
use crate::text::{brief, quoted};

/// What a measurement supports, from least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Class {
    /// A number: anything less than the others.
    Number,
    /// A component engineering result: of one named code path. It cannot imply behaviour from end to end.
    Component,
    /// A scout: a direction. It cannot support a public claim of performance or quality.
    Scout,
    /// A matched systems result: the actual endpoint, repeatedly, beside a control with the same semantics, workload and environment.
    Matched,
    /// A claim-grade result: also a frozen protocol, quality, statistics, lineage, an independent review and a closed claim.
    ClaimGrade,
}

impl Class {
    /// Every class, from least to most.
    pub const ALL: [Self; 5] = [Self::Number, Self::Component, Self::Scout, Self::Matched, Self::ClaimGrade];

    /// Its number, from 0 to 4.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Self::Number => 0,
            Self::Component => 1,
            Self::Scout => 2,
            Self::Matched => 3,
            Self::ClaimGrade => 4,
        }
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Component => "component engineering result",
            Self::Scout => "scout",
            Self::Matched => "matched systems result",
            Self::ClaimGrade => "claim-grade result",
        }
    }
}

impl Serialize for Class {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.number())
    }
}

/// One thing that classes need.
pub(super) struct Predicate {
    pub(super) classes: &'static [Class],
    /// Where it stands in the record.
    pub(super) pointer: &'static str,
    pub(super) needs: &'static str,
    pub(super) judge: Judge,
}

pub(super) enum Judge {
    /// Something is recorded there, even if it is that there is none, and no member of it is left open.
    Recorded,
    /// The same, but not that there is none.
    Something,
    By(fn(&Case<'_>) -> Judged),
}

impl Predicate {
    pub(super) fn judge(&self, case: &Case<'_>) -> Judged {
        match self.judge {
            Judge::Recorded => case.record.in_full(self.pointer).map(|_| ()),
            Judge::Something => case.record.some(self.pointer).and(case.record.in_full(self.pointer)).map(|_| ()),
            Judge::By(judge) => judge(case),
        }
    }
}

const EVERY: &[Class] = &[Class::Component, Class::Scout, Class::Matched, Class::ClaimGrade];
const COMPONENT: &[Class] = &[Class::Component];
const BOUNDED: &[Class] = &[Class::Component, Class::Matched, Class::ClaimGrade];
const SCOUT: &[Class] = &[Class::Scout];
const MATCHED: &[Class] = &[Class::Matched, Class::ClaimGrade];
const CLAIM: &[Class] = &[Class::ClaimGrade];

/// A row: the classes that need it, where it stands in the record, what is needed, and how that is judged.
const fn row(classes: &'static [Class], pointer: &'static str, needs: &'static str, judge: fn(&Case<'_>) -> Judged) -> Predicate {
    Predicate { classes, pointer, needs, judge: Judge::By(judge) }
}

/// What the classes need, beside that a matched result has all fields.
const TABLE: [Predicate; 36] = [
    row(EVERY, "/candidate", "the candidate is named", |case| case.record.some("/candidate").map(|_| ())),
    row(EVERY, "/endpoint/name", "the endpoint is named", |case| case.record.text("/endpoint/name").map(|_| ())),
    row(COMPONENT, "/endpoint/kind", "the endpoint is a component", |case| kind(case, &["component"])),
    row(SCOUT, "/endpoint/kind", "the endpoint is of a system or of its quality", |case| kind(case, &["system", "quality"])),
    row(MATCHED, "/endpoint/kind", "the endpoint is of a system", |case| kind(case, &["system"])),
    row(MATCHED, "/candidate", "no member of the candidate is left open", |case| case.record.in_full("/candidate").map(|_| ())),
    row(EVERY, "/units", "the units are named", |case| case.record.some("/units").map(|_| ())),
    row(EVERY, "/samples", "there is at least one sample", samples),
    row(EVERY, "/source", "every source artifact is there with its digest", sources),
    row(BOUNDED, "/claim_boundary", "the claim has a boundary", |case| {
        case.record.some("/claim_boundary").and(case.record.in_full("/claim_boundary")).map(|_| ())
    }),
    row(MATCHED, "/run/status", "the run is complete", complete),
    row(MATCHED, "/protocol", "protocol and thresholds were not changed after the start", not_exploratory),
    row(MATCHED, "/endpoint/is_claim_endpoint", "the endpoint is the one of the claim", |case| {
        case.record.holds("/endpoint/is_claim_endpoint")
    }),
    row(MATCHED, "/rows", "there are rows of every repetition", rows),
    row(MATCHED, "/repetitions", "it was repeated at least twice", repeated),
    row(MATCHED, "/result", "the figures, where there are some, can be computed again", |case| {
        figures::check_result(case.record, case.evidence)
    }),
    row(MATCHED, "/failures", "the failures are those of the rows", failures),
    row(MATCHED, "/control", "the control is a record of its own", |case| control(case).map(|_| ())),
    row(MATCHED, "/control", "the run of the control is complete", complete_control),
    row(MATCHED, "/control", "the control has sources, samples and rows of its own", measured_control),
    row(MATCHED, "/control", "the control started within a week of the candidate", timely_control),
    row(MATCHED, "/control", "the control has the same semantics, workload and environment", matched),
    row(MATCHED, "/control", "the control is of another candidate", other_candidate),
    row(MATCHED, "/raw", "the raw files compare with those of the control, where both name some", raw_files),
    row(CLAIM, "/protocol", "the protocol is there with its digest", |case| case.evidence.document("/protocol").map(|_| ())),
    row(CLAIM, "/protocol/frozen_at", "the protocol was frozen before the run", frozen_before),
    row(CLAIM, "/thresholds", "the thresholds are those of the protocol", frozen_thresholds),
    row(CLAIM, "/repetitions", "it was repeated as often as the protocol asks", sufficient),
    row(CLAIM, "/quality/measured", "quality was measured", |case| case.record.holds("/quality/measured")),
    row(CLAIM, "/quality", "quality is on a par, or its materiality is stated", quality),
    row(CLAIM, "/quality/source", "the artifact of the quality is there with its digest", |case| {
        case.evidence.file("/quality/source").map(|_| ())
    }),
    row(CLAIM, "/statistics", "an interval or a floor can be computed again", recomputable),
    row(CLAIM, "/lineage", "every input is there with its digest, and its receipt is verified", lineage),
    row(CLAIM, "/review/independent", "the review is independent", review::is_independent),
    row(CLAIM, "/review", "the review is signed, or has a receipt, and is of these artifacts", review::is_vouched_for),
    row(CLAIM, "/closure", "owner, wording and prohibited inferences are stated", closure),
];

/// Fields of which no measurement has none.
const NEVER_NONE: [&str; 5] = ["/workload", "/model", "/hardware", "/runtime", "/aggregation"];

/// Everything that some class needs.
pub(super) fn predicates() -> impl Iterator<Item = Predicate> {
    let judge = |pointer: &str| if NEVER_NONE.contains(&pointer) { Judge::Something } else { Judge::Recorded };
    let fields = FIELDS.iter().map(move |(pointer, what)| Predicate { classes: MATCHED, pointer, needs: what, judge: judge(pointer) });
    // What a row of the table asks more of needs no second one.
    let asked: BTreeSet<&str> =
        TABLE.iter().filter(|row| MATCHED.iter().all(|class| row.classes.contains(class))).map(|row| row.pointer).collect();
    TABLE.into_iter().chain(fields.filter(move |field| !asked.contains(field.pointer)))
}

/// How far apart the runs of a candidate and of its control may start.
const CONTROL_DAYS: u64 = 7;

/// What a control has to have in common with the candidate: semantics, workload and environment.
const IN_COMMON: [&str; 12] = [
    "/semantics",
    "/model",
    "/data",
    "/endpoint",
    "/units",
    "/aggregation",
    "/workload",
    "/scale",
    "/warmup",
    "/hardware",
    "/runtime",
    "/affinity",
];

fn kind(case: &Case<'_>, wanted: &[&str]) -> Judged {
    let kind = case.record.text("/endpoint/kind")?;
    let why = || format!("is {}; wanted {}", quoted(kind), wanted.join(" or "));
    if wanted.contains(&kind) { Ok(()) } else { Err(Lack::not_met("/endpoint/kind", why())) }
}

fn samples(case: &Case<'_>) -> Judged {
    let samples = case.record.some("/samples")?;
    let counts: Vec<&str> = match &samples.kind {
        Kind::Object(arms) => arms.iter().map(|arm| &*arm.name).collect(),
        _ => return case.record.count("/samples").map(|_| ()),
    };
    counts.into_iter().try_for_each(|arm| {
        let pointer = child("/samples", arm);
        case.record.some(&pointer).and_then(|_| case.record.count(&pointer)).map(|_| ())
    })
}

/// Every source artifact is there.
pub(super) fn sources(case: &Case<'_>) -> Judged {
    let sources = case.record.list("/source")?;
    (0..sources.len()).try_for_each(|index| case.evidence.file(&format!("/source/{index}")).map(|_| ()))
}

/// The run came to its end.
pub(super) fn complete(case: &Case<'_>) -> Judged {
    match case.record.text("/run/status")? {
        "complete" => Ok(()),
        other => Err(Lack::not_met("/run/status", format!("is {}, so that the result is no more than a scout", quoted(other)))),
    }
}

/// Why a record is exploratory: what was changed after its result could be known.
pub(super) fn exploratory(case: &Case<'_>) -> Judged {
    let record = case.record;
    if record.some("/protocol/amended_at").is_ok() {
        let (amended, started) = (record.instant("/protocol/amended_at")?, record.instant("/run/started_at")?);
        if amended > started {
            return Err(Lack::not_met("/protocol/amended_at", format!("is {amended}, after the start of the run at {started}")));
        }
    }
    if let (Ok(_), Ok(_)) = (record.said("/thresholds"), case.evidence.document("/protocol")) {
        frozen_thresholds(case)?;
    }
    Ok(())
}

fn not_exploratory(case: &Case<'_>) -> Judged {
    exploratory(case).map_err(|lack| match lack.kind {
        LackKind::NotMet => Lack { why: format!("{}; a post-result change cannot rescue the original claim", lack.why), ..lack },
        _ => lack,
    })
}

fn rows(case: &Case<'_>) -> Judged {
    let rows = all_rows(case)?;
    let empty = rows.iter().find(|repetition| repetition.rows.is_empty());
    empty.map_or(Ok(()), |empty| Err(Lack::not_met(&empty.pointer, "leads to no rows")))
}

fn all_rows<'c>(case: &'c Case<'_>) -> Judged<Vec<&'c Repetition>> {
    case.record.list("/rows")?;
    case.evidence.rows.iter().map(|rows| rows.as_ref().map_err(Clone::clone)).collect()
}

/// Every arm was measured at least twice.
pub(super) fn repeated(case: &Case<'_>) -> Judged {
    at_least(case, 2)
}

fn at_least(case: &Case<'_>, least: u64) -> Judged {
    let stated = case.record.count("/repetitions")?;
    if stated < least {
        return Err(Lack::not_met("/repetitions", format!("is {stated}; wanted at least {least}")));
    }
    let mut counted = by_arm(&all_rows(case)?).into_iter().map(|(arm, rows)| (arm, different(&rows)));
    let short = counted.find(|(_, found)| u64::try_from(*found).is_ok_and(|found| found < least));
    short.map_or(Ok(()), |(arm, found)| {
        Err(Lack::not_met("/rows", format!("are of {found} different repetitions of the arm {}; wanted at least {least}", quoted(arm))))
    })
}

/// How many repetitions measured something, of which those that cannot be told from a copy count once.
fn different(repetitions: &[&Repetition]) -> usize {
    let is_new = |(index, repetition): &(usize, &&Repetition)| !repetitions.iter().take(*index).any(|before| before.is_alike(repetition));
    let new = repetitions.iter().enumerate().filter(is_new);
    new.filter(|(_, repetition)| repetition.rows.iter().any(|row| !row.is_failed)).count()
}

fn failures(case: &Case<'_>) -> Judged {
    let value = case.record.said("/failures")?;
    let stated = stated_failures(case.record)
        .ok_or_else(|| Lack::not_met("/failures", format!("is {}; wanted their number or a list", value.shown())))?;
    let found = failed(&all_rows(case)?);
    let why = format!("says {stated}, but {found} rows failed");
    if u64::try_from(found) == Ok(stated) { Ok(()) } else { Err(Lack::not_met("/failures", why)) }
}

/// The control with its record.
fn control<'c>(case: &Case<'c>) -> Judged<&'c Case<'c>> {
    case.control.clone()
}

fn complete_control(case: &Case<'_>) -> Judged {
    complete(control(case)?).map_err(Lack::of_control)
}

/// The control is no mere description: it was measured as the candidate has to be.
fn measured_control(case: &Case<'_>) -> Judged {
    let control = control(case)?;
    [sources, samples, rows, repeated, failures].iter().try_for_each(|judge| judge(control)).map_err(Lack::of_control)?;
    let theirs = all_rows(control)?;
    let (shared, own): (Vec<&Repetition>, Vec<&Repetition>) =
        all_rows(case)?.into_iter().partition(|ours| theirs.iter().any(|theirs| ours.is_copy_of(theirs)));
    if own.is_empty() {
        return Err(Lack::not_met("/control", "has the rows of the candidate itself"));
    }
    // What the candidate is compared with are the rows of the control, and its own are none of them.
    for (pointer, strangers, whose) in [("/result/a/arm", &own, "not of the control"), ("/result/b/arm", &shared, "of the control")] {
        let Ok(arm) = case.record.text(pointer) else { continue };
        if let Some(stranger) = strangers.iter().find(|repetition| repetition.arm == arm) {
            return Err(Lack::not_met(pointer, format!("has rows that are {whose}: {}", stranger.pointer)));
        }
    }
    Ok(())
}

/// Hosts and software age, whatever is recorded of them.
fn timely_control(case: &Case<'_>) -> Judged {
    const AT: &str = "/run/started_at";
    let control = control(case)?;
    let starts = [case.record.instant(AT)?, control.record.instant(AT).map_err(Lack::of_control)?];
    let first = |case: &Case<'_>| first_instant(&case.evidence.rows.iter().flatten().collect::<Vec<_>>());
    let rows = first(case).zip(first(control)).map(|(ours, theirs)| ("/rows", "begin at", [ours, theirs]));
    [Some((AT, "is", starts)), rows].into_iter().flatten().try_for_each(|(pointer, is, [ours, theirs])| {
        let why = || format!("{is} {ours}, and {theirs} in the control; wanted within {CONTROL_DAYS} days");
        let apart = ours.unix_seconds().abs_diff(theirs.unix_seconds());
        if apart <= CONTROL_DAYS * 24 * 60 * 60 { Ok(()) } else { Err(Lack::not_met(pointer, why())) }
    })
}

/// The control agrees with the record in all that has to be held constant.
pub(super) fn matched(case: &Case<'_>) -> Judged {
    let control = control(case)?.record;
    let mut differing = Vec::new();
    for pointer in IN_COMMON {
        let ours = case.record.said(pointer)?;
        match control.said(pointer) {
            Err(_) => differing.push(format!("{pointer} (the control does not record it)")),
            Ok(theirs) => {
                let comparison = compare(ours, theirs, is_same);
                differing.extend(comparison.differing.iter().map(|below| brief(&format!("{pointer}{below}"))));
                if comparison.differ > comparison.differing.len() {
                    differing.push(format!("and more of {pointer}"));
                }
            }
        }
    }
    if !differing.is_empty() {
        return Err(Lack::not_met("/control", format!("differs in {}", differing.join(", "))));
    }
    // What both leave open is not equal either.
    IN_COMMON.iter().try_for_each(|pointer| case.record.in_full(pointer).map(|_| ()))
}

fn other_candidate(case: &Case<'_>) -> Judged {
    let (ours, theirs) = (case.record.some("/candidate")?, control(case)?.record.some("/candidate")?);
    match compare(ours, theirs, is_same).differ {
        0 => Err(Lack::not_met("/control", "is of the candidate itself")),
        _ => Ok(()),
    }
}

/// The raw files are two arms that were asked the same question: `receipt compare` shows numbers, and nothing is waived.
fn raw_files(case: &Case<'_>) -> Judged {
    if case.record.some("/raw").is_err() {
        return Ok(());
    }
    let control = control(case)?;
    if control.record.some("/raw").is_err() {
        return Ok(());
    }
    arms::are_comparable(case, control)
}

/// The protocol is older than the run.
pub(super) fn frozen_before(case: &Case<'_>) -> Judged {
    case.evidence.document("/protocol")?;
    let (frozen, started) = (case.record.instant("/protocol/frozen_at")?, case.record.instant("/run/started_at")?);
    let why = format!("is {frozen}, not before the start of the run at {started}");
    if frozen < started { Ok(()) } else { Err(Lack::not_met("/protocol/frozen_at", why)) }
}

fn frozen_thresholds(case: &Case<'_>) -> Judged {
    let thresholds = case.record.in_full("/thresholds")?;
    let protocol = case.evidence.document("/protocol")?;
    let frozen = protocol.member("thresholds").ok_or_else(|| Lack::not_met("/protocol", "names a protocol without thresholds"))?;
    let differing: Vec<String> =
        compare(thresholds, frozen, is_same).differing.iter().map(|below| brief(&format!("/thresholds{below}"))).collect();
    if differing.is_empty() {
        Ok(())
    } else {
        Err(Lack::not_met("/thresholds", format!("differ from those of the protocol in {}", differing.join(", "))))
    }
}

fn sufficient(case: &Case<'_>) -> Judged {
    let protocol = case.evidence.document("/protocol")?;
    let least = protocol.member("min_repetitions").and_then(whole);
    at_least(
        case,
        least.ok_or_else(|| {
            Lack::not_met("/protocol", "names a protocol that does not say how many repetitions it asks for (min_repetitions)")
        })?,
    )
}

fn quality(case: &Case<'_>) -> Judged {
    let materiality = case.record.text("/quality/materiality");
    match case.record.text("/quality/parity") {
        Ok("pass") => Ok(()),
        _ if materiality.is_ok() => Ok(()),
        Ok(other) => Err(Lack::not_met("/quality/parity", format!("is {}; wanted \"pass\", or a stated materiality", quoted(other)))),
        Err(lack) => Err(lack),
    }
}

fn recomputable(case: &Case<'_>) -> Judged {
    match figures::check_interval(case.record, case.evidence) {
        Err(_) if case.record.some("/statistics/floor").is_ok() => arms::floor_holds(case),
        interval => interval,
    }
}

fn lineage(case: &Case<'_>) -> Judged {
    let inputs = case.record.list("/lineage")?;
    inputs.iter().enumerate().try_for_each(|(index, input)| {
        let pointer = format!("/lineage/{index}");
        match input.member("receipt") {
            Some(_) => case.evidence.receipt(&format!("{pointer}/receipt")),
            None => case.evidence.file(&pointer).map(|_| ()),
        }
    })
}

/// The claim is closed: who owns it, how it reads, and what must not be inferred.
pub(super) fn closure(case: &Case<'_>) -> Judged {
    case.record.text("/closure/owner")?;
    case.record.text("/closure/wording")?;
    prohibited(case.record)
}

/// Inferences are prohibited, by name.
pub(super) fn prohibited(record: &Record<'_>) -> Judged {
    let inferences = record.list("/closure/prohibited")?;
    let names_one = |inference: &Value<'_>| is_recorded(inference) && !is_none(inference) && inference.string().is_some();
    let bare = inferences.iter().position(|inference| !names_one(inference));
    bare.map_or(Ok(()), |index| Err(Lack::not_met(&format!("/closure/prohibited/{index}"), "names no inference")))
}

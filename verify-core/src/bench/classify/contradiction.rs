//! Where the evidence says something else than the record. A record with one such place has no class at all.

use std::collections::BTreeMap;

use super::Case;
use super::arms;
use super::evidence::{Evidence, Repetition, Row, Time};
use super::figures;
use super::record::{Lack, Record, is_none, is_recorded, items, leaves, whole};
use super::review;
use crate::compare::same_decimal;
use crate::json::{Kind, Value};
use crate::text::quoted;
use crate::time::Timestamp;

/// Holds a statement of the record against its rows.
type OfRows = fn(&Record<'_>, &[&Repetition]) -> Option<Lack>;

const OF_ROWS: [OfRows; 6] = [failures, samples, repetitions, repeated, order, start];

/// Everything in which the evidence contradicts the record.
pub(super) fn find(case: &Case<'_>) -> Vec<Lack> {
    let Case { record, evidence, .. } = *case;
    let mut found = evidence.contradictions();
    // Rows are counted only where all of them are there.
    let rows: Result<Vec<&Repetition>, _> = evidence.rows.iter().map(Result::as_ref).collect();
    if let Some(rows) = rows.ok().filter(|rows| !rows.is_empty()) {
        found.extend(OF_ROWS.iter().filter_map(|check| check(record, &rows)));
    }
    found.extend(figures::contradictions(record, evidence));
    found.extend(arms::contradiction(case));
    found.extend(frozen(record, evidence));
    found.extend(reviewer(record));
    found.extend(review::contradiction(record, evidence));
    found
}

/// How many rows failed.
pub(super) fn failed(rows: &[&Repetition]) -> usize {
    rows.iter().flat_map(|repetition| &repetition.rows).filter(|row| row.is_failed).count()
}

/// How many failures a record states: a number, a list of them, or none.
pub(super) fn stated_failures(record: &Record<'_>) -> Option<u64> {
    let value = record.said("/failures").ok()?;
    let counted = items(value).map(|items| items.len().try_into().unwrap_or(u64::MAX));
    if is_none(value) { Some(0) } else { whole(value).or(counted) }
}

/// The rows by their arms.
pub(super) fn by_arm<'r>(rows: &[&'r Repetition]) -> BTreeMap<&'r str, Vec<&'r Repetition>> {
    let mut arms: BTreeMap<&str, Vec<&Repetition>> = BTreeMap::new();
    rows.iter().for_each(|repetition| arms.entry(&repetition.arm).or_default().push(repetition));
    arms
}

fn failures(record: &Record<'_>, rows: &[&Repetition]) -> Option<Lack> {
    let (stated, found) = (stated_failures(record)?, failed(rows));
    let all: usize = rows.iter().map(|repetition| repetition.rows.len()).sum();
    (u64::try_from(found) != Ok(stated)).then(|| Lack::not_met("/failures", format!("says {stated}, but {found} of {all} rows failed")))
}

/// A sample count is that of each arm, with or without the rows that failed.
fn samples(record: &Record<'_>, rows: &[&Repetition]) -> Option<Lack> {
    let samples = record.said("/samples").ok()?;
    let mut arms = by_arm(rows);
    for arm in samples.object().unwrap_or_default() {
        arms.entry(&arm.name).or_default();
    }
    arms.into_iter().find_map(|(arm, rows)| {
        let stated = if samples.object().is_some() { whole(samples.member(arm)?)? } else { whole(samples)? };
        let all: usize = rows.iter().map(|repetition| repetition.rows.len()).sum();
        let good = all.saturating_sub(failed(&rows));
        let agrees = [all, good].iter().any(|count| u64::try_from(*count) == Ok(stated));
        (!agrees)
            .then(|| Lack::not_met("/samples", format!("says {stated}, but the arm {} has {all} rows, {good} of them good", quoted(arm))))
    })
}

fn repetitions(record: &Record<'_>, rows: &[&Repetition]) -> Option<Lack> {
    let stated = record.count("/repetitions").ok()?;
    by_arm(rows).into_iter().find_map(|(arm, rows)| {
        let found = rows.len();
        let why = format!("says {stated}, but there are rows of {found} repetitions of the arm {}", quoted(arm));
        (u64::try_from(found) != Ok(stated)).then(|| Lack::not_met("/repetitions", why))
    })
}

/// The same rows stand for two repetitions, or for two arms.
fn repeated(_: &Record<'_>, rows: &[&Repetition]) -> Option<Lack> {
    rows.iter().enumerate().find_map(|(index, repetition)| {
        let before = rows.iter().take(index).find(|before| repetition.is_copy_of(before))?;
        let how = if repetition.is_alike(before) { "the same rows as" } else { "most rows in common with" };
        Some(Lack::not_met(&repetition.pointer, format!("has {how} {}", before.pointer)))
    })
}

/// A mixed order is contradicted by arms of which one was over before the other began, if chance would do that less than once in a
/// thousand orders. What is shuffled is whole repetitions where an arm has several, and rows otherwise.
fn order(record: &Record<'_>, rows: &[&Repetition]) -> Option<Lack> {
    let (said, mixing) = mixed_order(record.said("/order").ok()?)?;
    let [is_shuffled, is_alternating] = [Mixing::Shuffled, Mixing::Alternating].map(|kind| kind == mixing);
    let arms: Vec<(&str, Vec<&Repetition>)> = by_arm(rows).into_iter().collect();
    arms.iter().enumerate().find_map(|(index, (name, arm))| {
        arms.iter().skip(index.saturating_add(1)).find_map(|(other_name, other)| {
            let units = [arm, other].map(|arm| match arm.as_slice() {
                [one] => one.rows.len(),
                several => several.len(),
            });
            let is_told = (is_shuffled && is_beyond_chance(units)) || (is_alternating && units.iter().all(|units| *units > 1));
            let [first, second] = if is_apart(arm, other) { [name, other_name] } else { [other_name, name] };
            let why = format!("is {}, but all rows of the arm {} came before those of {}", quoted(said), quoted(first), quoted(second));
            (is_told && (is_apart(arm, other) || is_apart(other, arm))).then(|| Lack::not_met("/order", why))
        })
    })
}

/// How rows are mixed.
#[derive(Clone, Copy, PartialEq)]
enum Mixing {
    Shuffled,
    Alternating,
}

/// Words that say of an order that it is mixed.
const MIXING: [(&str, Mixing); 13] = [
    ("randomised", Mixing::Shuffled),
    ("randomized", Mixing::Shuffled),
    ("randomly", Mixing::Shuffled),
    ("shuffled", Mixing::Shuffled),
    ("interleaved", Mixing::Alternating),
    ("alternating", Mixing::Alternating),
    ("alternated", Mixing::Alternating),
    ("alternately", Mixing::Alternating),
    ("abab", Mixing::Alternating),
    ("abba", Mixing::Alternating),
    ("counterbalanced", Mixing::Alternating),
    ("robin", Mixing::Alternating),
    ("roundrobin", Mixing::Alternating),
];

/// Words that say of an order that it is not.
const UNMIXED: [&str; 5] = ["sequential", "sequentially", "consecutive", "consecutively", "serial"];

/// Words that turn a clause into its opposite.
const DENIALS: [&str; 7] = ["no", "not", "non", "none", "never", "without", "false"];

/// The text that says of an order that it is mixed, and how. An order that is also said to be sequential is not held to it.
fn mixed_order<'v>(order: &'v Value<'_>) -> Option<(&'v str, Mixing)> {
    let mut found = None;
    for text in leaves(order).filter_map(Value::string) {
        for clause in text.to_lowercase().split([',', ';', '.', '(', ')']).flat_map(|clause| clause.split(" but ")) {
            let words: Vec<&str> = clause.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
            if words.iter().any(|word| DENIALS.contains(word)) {
                continue;
            }
            if words.iter().any(|word| UNMIXED.contains(word)) {
                return None;
            }
            let named = words.iter().find_map(|word| MIXING.iter().find(|(name, _)| name == word)).map(|(_, mixing)| *mixing);
            // What else is random may be a seed or a prompt.
            let is_random = matches!(words.as_slice(), [.., "random"]) || words.windows(2).any(|pair| pair == ["random", "order"]);
            found = found.or(named.or(is_random.then_some(Mixing::Shuffled)).map(|mixing| (text, mixing)));
        }
    }
    found
}

/// Whether chance separates so many units of two arms in less than one of a thousand orders: 2 / C(n + m, n).
fn is_beyond_chance(units: [usize; 2]) -> bool {
    let (fewer, more) = (units.iter().min().copied().unwrap_or_default(), units.iter().max().copied().unwrap_or_default());
    let mut orders = 1.0_f64;
    for taken in 1..=fewer.min(64) {
        let [taken, more] = [taken, more].map(crate::bench::statistic::count);
        orders *= (more + taken) / taken;
    }
    orders > 2000.0
}

/// Whether every row of the one arm began before any row of the other.
fn is_apart(one: &[&Repetition], other: &[&Repetition]) -> bool {
    let times = |arm: &[&Repetition]| {
        arm.iter()
            .flat_map(|repetition| &repetition.rows)
            .map(|row: &Row| row.time)
            .collect::<Option<Vec<Time>>>()
            .filter(|times| !times.is_empty())
    };
    let (Some(one), Some(other)) = (times(one), times(other)) else { return false };
    let last = one.iter().copied().reduce(|last, time| if time > last { time } else { last });
    last.is_some_and(|last| one.iter().all(|time| *time <= last) && other.iter().all(|time| last < *time))
}

/// No row began before the run did.
fn start(record: &Record<'_>, rows: &[&Repetition]) -> Option<Lack> {
    let started = record.instant("/run/started_at").ok()?;
    let first = first_instant(rows).filter(|first| *first < started)?;
    Some(Lack::not_met("/run/started_at", format!("is {started}, but a row began at {first}")))
}

/// When the first of the rows began, of those that say an instant.
pub(super) fn first_instant(rows: &[&Repetition]) -> Option<Timestamp> {
    let times = rows.iter().flat_map(|repetition| &repetition.rows).filter_map(|row| match row.time {
        Some(Time::Instant(instant)) => Some(instant),
        _ => None,
    });
    times.min()
}

/// The protocol says the same of its own dates and of the repetitions that it asks for.
fn frozen(record: &Record<'_>, evidence: &Evidence<'_>) -> Vec<Lack> {
    let Ok(protocol) = evidence.document("/protocol") else { return Vec::new() };
    let differing = ["frozen_at", "amended_at", "min_repetitions"].into_iter().filter_map(|name| {
        let pointer = format!("/protocol/{name}");
        let own = protocol.member(name).filter(|own| is_recorded(own))?;
        let Ok(said) = record.said(&pointer) else {
            // Silence about an amendment is a statement: it may have come after the result.
            let why = format!("is not said, but the protocol says {}", own.shown());
            return (name == "amended_at" && !is_none(own)).then(|| Lack::not_met(&pointer, why));
        };
        let agrees = match (&said.kind, &own.kind) {
            (Kind::Number(said), Kind::Number(own)) => same_decimal(said, own),
            _ => {
                let instant = |value: &Value<'_>| value.string().map(|text| Timestamp::parse_rfc3339(text).map_err(|_| text.to_owned()));
                instant(said) == instant(own)
            }
        };
        (!agrees).then(|| Lack::not_met(&pointer, format!("is {}, but the protocol says {}", said.shown(), own.shown())))
    });
    differing.collect()
}

/// Who owns a claim is no independent reviewer of it.
fn reviewer(record: &Record<'_>) -> Option<Lack> {
    let is_independent = record.flag("/review/independent").unwrap_or_default();
    let (by, owner) = (record.text("/review/by").ok()?, record.text("/closure/owner").ok()?);
    (is_independent && name(by) == name(owner))
        .then(|| Lack::not_met("/review/by", format!("is the owner of the claim, {}, who is not independent", quoted(by))))
}

/// The words of a name, whatever its case, blanks and punctuation, without what stands in brackets beside them.
fn name(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let beside = text.chars().filter(|character| match character {
        '(' | '[' | '<' | '{' => {
            depth = depth.saturating_add(1);
            false
        }
        ')' | ']' | '>' | '}' => {
            depth = depth.saturating_sub(1);
            false
        }
        _ => depth == 0,
    });
    let beside: String = beside.collect();
    let named = if beside.contains(char::is_alphanumeric) { &beside } else { text };
    // By way of upper case, so that a sharp s is two.
    let folded = named.to_uppercase().to_lowercase();
    let words = folded.split(|character: char| character.is_whitespace() || character.is_ascii_punctuation());
    let words = words.map(|word| word.chars().filter(|character| character.is_alphanumeric()).collect::<String>());
    words.filter(|word| !word.is_empty()).collect()
}

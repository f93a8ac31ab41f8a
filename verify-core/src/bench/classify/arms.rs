//! Raw files of a record, compared with those of its control, and floors measured again, by the functions behind `receipt compare` and
//! `receipt floor`: built-in shapes and profile, nothing waived.

use super::Case;
use super::record::{Judged, Lack};
use crate::bench::{Question, RawFile, compare, floor};
use crate::compare::{compare as compare_values, is_same};
use crate::json::{self, child};
use crate::limits;

const FLOOR: &str = "/statistics/floor";

/// Raw files of one arm, and pairs of arms, that are read: an arm has two halves, and ten pairs make a good floor.
const MOST: usize = 10;

/// The two arms were asked the same question, so that there are numbers to show.
pub(super) fn are_comparable(case: &Case<'_>, control: &Case<'_>) -> Judged {
    let compared = compare(&Question::new(case.files, raw_files(control, "/raw")?, raw_files(case, "/raw")?));
    let why = compared.why.unwrap_or_default();
    if compared.exit.code == 0 { Ok(()) } else { Err(Lack::not_met("/raw", format!("are refused, {}: {why}", compared.exit.name))) }
}

/// The floor of a record can be measured again, and is the one that its pairs of arms have.
pub(super) fn floor_holds(case: &Case<'_>) -> Judged {
    differing_part(case)?.map_or(Ok(()), |part| Err(other_floor(part)))
}

/// A recorded floor that its arms do not give; one that cannot be measured again contradicts nothing.
pub(super) fn contradiction(case: &Case<'_>) -> Option<Lack> {
    differing_part(case).ok().flatten().map(other_floor)
}

fn other_floor(part: &str) -> Lack {
    Lack::not_met(FLOOR, format!("is another one than its arms give, in {part}"))
}

/// In which part the recorded floor is not the one that is measured again.
fn differing_part(case: &Case<'_>) -> Judged<Option<&'static str>> {
    let recorded = case.evidence.document(FLOOR)?;
    let pairs = case.record.list("/statistics/floor/pairs")?.len();
    if pairs > MOST {
        return Err(too_many("/statistics/floor/pairs", pairs));
    }
    let arm = |pair: usize, name: &str| raw_files(case, &format!("/statistics/floor/pairs/{pair}/{name}"));
    let questions: Vec<Question<'_>> =
        (0..pairs).map(|pair| Ok(Question::new(case.files, arm(pair, "a")?, arm(pair, "b")?))).collect::<Judged<_>>()?;
    let floored = floor(&questions);
    let Some(measured) = floored.floor else {
        return Err(Lack::not_met(FLOOR, format!("cannot be measured again, {}: {}", floored.exit.name, floored.why.unwrap_or_default())));
    };
    let written = serde_json::to_string(&measured).unwrap_or_default();
    let again = json::read_many(written.as_bytes(), limits::BENCH_VALUES);
    let again = again.map_err(|error| Lack::unreadable(FLOOR, &format!("has a floor that is not read: {}", error.message)))?;
    // Names of files are those of whoever measured first.
    let is_alike = |name: &&str| match (recorded.member(name), again.member(name)) {
        (Some(recorded), Some(again)) => compare_values(recorded, again, is_same).differ == 0,
        _ => false,
    };
    Ok(["metrics", "conditions", "profile_sha256", "pairs"].into_iter().find(|name| !is_alike(name)))
}

fn raw_files(case: &Case<'_>, pointer: &str) -> Judged<Vec<RawFile>> {
    let named = case.record.list(pointer)?.len();
    if named > MOST {
        return Err(too_many(pointer, named));
    }
    (0..named)
        .map(|index| {
            let pointer = child(pointer, &index.to_string());
            case.evidence.file(&pointer)?;
            Ok(RawFile::new(case.record.text(&child(&pointer, "path"))?))
        })
        .collect()
}

fn too_many(pointer: &str, found: usize) -> Lack {
    Lack::unreadable(pointer, &format!("has {found} items; at most {MOST} are read"))
}

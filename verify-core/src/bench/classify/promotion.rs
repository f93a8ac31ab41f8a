//! The seven conditions under which a result may be published as a claim, each answered by itself, and the exception for a component.

use std::ops::ControlFlow;

use serde::Serialize;

use super::Case;
use super::classes::{closure, complete, exploratory, frozen_before, matched, prohibited, repeated, sources};
use super::record::{Judged, Lack, LackKind};
use crate::json::Value;
use crate::limits;
use crate::text::quoted;

/// Whether the record supports publishing its claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Promotion {
    /// Whether every condition is met and the verdict is not inconclusive.
    pub allowed: bool,
    /// P1 to P7, in order.
    pub conditions: Vec<Condition>,
    /// Why a result of a component may not be published as just that; `None` where it may.
    pub component_exception: Option<Lack>,
}

/// One condition with its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Condition {
    /// `P1` to `P7`.
    pub id: &'static str,
    /// What it asks for.
    pub asks: &'static str,
    /// `met`, `refused` or `unverifiable`: the record says otherwise, or it does not say.
    pub answer: &'static str,
    /// What stands against it; `None` where it is met.
    pub lack: Option<Lack>,
}

/// The name of a condition, what it asks for, and how that is judged.
type Asked = (&'static str, &'static str, fn(&Case<'_>) -> Judged);

const CONDITIONS: [Asked; 7] = [
    ("P1", "exact candidate and source artifact are pushed and pinned", pinned),
    ("P2", "semantic identity, or a tolerance that was agreed before, passes", same_semantics),
    ("P3", "the actual endpoint of the claim is repeated under a frozen method", frozen_endpoint),
    ("P4", "quality is measured before or alongside the benefit", quality),
    ("P5", "failures, warm-up, order, host and uncertainty are visible", visible),
    ("P6", "a matched control and all relevant resource costs are included", costs),
    ("P7", "the owner of the claim approves exact wording and prohibited inferences", approved),
];

pub(super) fn judge(case: &Case<'_>) -> Promotion {
    let conditions: Vec<Condition> = CONDITIONS
        .iter()
        .map(|(id, asks, judge)| {
            let lack = judge(case).err();
            let answer = match lack.as_ref().map(|lack| lack.kind) {
                None => "met",
                Some(LackKind::NotMet) => "refused",
                Some(LackKind::NotRecorded | LackKind::Unreadable) => "unverifiable",
            };
            Condition { id, asks, answer, lack }
        })
        .collect();
    let is_inconclusive = case.record.said("/verdict").is_ok_and(says_inconclusive);
    Promotion {
        allowed: !is_inconclusive && conditions.iter().all(|condition| condition.lack.is_none()),
        conditions,
        component_exception: component_exception(case).err(),
    }
}

/// Whether a text of the verdict, however it is built, says that there is none.
fn says_inconclusive(verdict: &Value<'_>) -> bool {
    let mut is_said = false;
    let _ = verdict.leaves("", limits::CLAIM_DEPTH, &mut |_, leaf| {
        is_said |= leaf.string().is_some_and(|text| text.to_lowercase().contains("inconclusive"));
        ControlFlow::Continue(())
    });
    is_said
}

/// A repository says where the candidate was pushed to, a whole commit or a digest which one it is. Names of branches and tags move.
fn pinned(case: &Case<'_>) -> Judged {
    case.record.text("/candidate/repository")?;
    let (pointer, pin) = match case.record.text("/candidate/sha256") {
        Ok(digest) => ("/candidate/sha256", digest),
        Err(_) => ("/candidate/commit", case.record.text("/candidate/commit")?),
    };
    if !(matches!(pin.len(), 40 | 64) && pin.bytes().all(|byte| byte.is_ascii_hexdigit())) {
        return Err(Lack::not_met(pointer, format!("is {}, which pins nothing; wanted 40 or 64 hex digits", quoted(pin))));
    }
    sources(case)
}

fn same_semantics(case: &Case<'_>) -> Judged {
    const AT: &str = "/equivalence/tolerance";
    if case.record.flag("/equivalence/identical")? {
        return Ok(());
    }
    case.record.some(AT).map_err(|_| Lack::not_met(AT, "was not agreed, and the semantics are not identical"))?;
    let (agreed, started) = (case.record.instant("/equivalence/tolerance/agreed_at")?, case.record.instant("/run/started_at")?);
    if agreed >= started {
        return Err(Lack::not_met(
            "/equivalence/tolerance/agreed_at",
            format!("is {agreed}, not before the start of the run at {started}"),
        ));
    }
    let double = |name: &str| {
        let pointer = format!("{AT}/{name}");
        case.record.number(&pointer).map(|token| token.parse::<f64>().unwrap_or(f64::NAN))
    };
    let measured = double("measured")?;
    let has = |name: &str| case.record.some(&format!("{AT}/{name}")).is_ok();
    let least = has("at_least").then(|| double("at_least")).transpose()?;
    let most = (has("at_most") || least.is_none()).then(|| double("at_most")).transpose()?;
    let holds = least.is_none_or(|least| measured >= least) && most.is_none_or(|most| measured <= most);
    if holds { Ok(()) } else { Err(Lack::not_met("/equivalence/tolerance/measured", format!("is {measured}, outside of the tolerance"))) }
}

fn frozen_endpoint(case: &Case<'_>) -> Judged {
    let kind = case.record.text("/endpoint/kind")?;
    if kind != "system" {
        return Err(Lack::not_met("/endpoint/kind", format!("is {}, not the endpoint of a system", quoted(kind))));
    }
    case.record.holds("/endpoint/is_claim_endpoint")?;
    complete(case)?;
    repeated(case)?;
    exploratory(case)?;
    frozen_before(case)
}

fn quality(case: &Case<'_>) -> Judged {
    case.record.holds("/quality/measured")?;
    match case.record.text("/quality/when")? {
        "before" | "alongside" => Ok(()),
        other => Err(Lack::not_met("/quality/when", format!("is {}; wanted \"before\" or \"alongside\"", quoted(other)))),
    }
}

fn visible(case: &Case<'_>) -> Judged {
    ["/failures", "/warmup", "/order", "/hardware", "/uncertainty"].iter().try_for_each(|pointer| case.record.said(pointer).map(|_| ()))
}

fn costs(case: &Case<'_>) -> Judged {
    case.record.some("/resources")?;
    matched(case)
}

fn approved(case: &Case<'_>) -> Judged {
    closure(case)?;
    case.record.holds("/closure/approved")
}

/// A component may be published before its system where the wording names it and inferences beyond it are prohibited.
fn component_exception(case: &Case<'_>) -> Judged {
    let kind = case.record.text("/endpoint/kind")?;
    if kind != "component" {
        return Err(Lack::not_met("/endpoint/kind", format!("is {}, not a component", quoted(kind))));
    }
    let (name, wording) = (case.record.text("/endpoint/name")?, case.record.text("/closure/wording")?);
    if !wording.to_lowercase().contains(&name.trim().to_lowercase()) {
        return Err(Lack::not_met("/closure/wording", format!("does not name the component {}", quoted(name))));
    }
    prohibited(case.record)
}

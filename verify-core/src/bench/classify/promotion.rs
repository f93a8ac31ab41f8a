//! The seven conditions under which a result may be published as a claim, each answered by itself, and the exception for a component.

use serde::Serialize;

use super::classes::{Class, closure, complete, exploratory, frozen_before, predicates, prohibited, repeated, sources};
use super::record::{Judged, Lack, LackKind, leaves};
use super::{Case, Need};
use crate::json::Value;
use crate::text::quoted;

/// Whether the record supports publishing its claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Promotion {
    /// Whether the result is matched, every condition is met and the verdict is not inconclusive.
    pub allowed: bool,
    /// Why the record carries no claim, whatever the conditions say: what a matched systems result lacks, or a file that cannot be read.
    pub base: Option<Lack>,
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

/// The answer about a record with these needs, of whose files these cannot be read.
pub(super) fn judge(case: &Case<'_>, needs: &[Need], unreadable: &[Lack]) -> Promotion {
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
    let base = |class| reached(class, needs, unreadable);
    Promotion {
        allowed: !is_inconclusive && base(Class::Matched).is_ok() && conditions.iter().all(|condition| condition.lack.is_none()),
        base: base(Class::Matched).err(),
        conditions,
        component_exception: component_exception(case).and_then(|()| base(Class::Component)).err(),
    }
}

/// Nothing that a class needs is lacking, and every file was read.
fn reached(class: Class, needs: &[Need], unreadable: &[Lack]) -> Judged {
    let lacking = needs.iter().filter(|need| need.classes.contains(&class)).find_map(|need| need.lack.as_ref());
    unreadable.first().or(lacking).map_or(Ok(()), |lack| Err(lack.clone()))
}

/// Whether a text of the verdict, however it is built, says that there is none.
fn says_inconclusive(verdict: &Value<'_>) -> bool {
    leaves(verdict).filter_map(Value::string).any(|text| text.to_lowercase().contains("inconclusive"))
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
    ["/failures", "/warmup", "/order", "/hardware", "/uncertainty"].iter().try_for_each(|pointer| case.record.in_full(pointer).map(|_| ()))
}

fn costs(case: &Case<'_>) -> Judged {
    case.record.some("/resources").and(case.record.in_full("/resources"))?;
    predicates().filter(|need| ["/control", "/raw"].contains(&need.pointer)).try_for_each(|need| need.judge(case))
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

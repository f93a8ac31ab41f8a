//! Limits, at them and one over them, as far as the files stay small.

use verify_core::limits;

use super::{Outcome, Vector, classic};
use crate::collateral::Container;
use crate::json::{Json, parse, token};
use crate::pki::{Certificate, Key};
use crate::receipt::Material;

pub(super) fn vectors() -> Vec<Vector> {
    [of_json(), of_collateral(), of_answers()].into_iter().flatten().flatten().collect()
}

/// Two vectors in which `change` puts that many of something into a receipt: at the limit, and one over it.
fn pair(
    [id, rule]: [&str; 2],
    limit: usize,
    change: impl Fn(&mut Material, usize) + Clone + 'static,
    [at, over]: [fn(Vector) -> Vector; 2],
) -> [Vector; 2] {
    let vector = |place: &str, rule: String, count: usize| {
        let change = change.clone();
        classic(format!("limit-{id}-{place}"), rule).change(move |m| change(m, count))
    };
    [
        at(vector("at", format!("At most {limit} {rule} are read."), limit)),
        over(vector("over", format!("More than {limit} {rule} are not read, and no verdict is reached."), limit + 1)),
    ]
}

fn of_json() -> Vec<[Vector; 2]> {
    let add = |m: &mut Material, name: String, value: String| {
        m.receipt.afterwards.add(move |receipt| receipt.set(&format!("/{name}"), token(&value)));
    };
    let nested = move |m: &mut Material, depth| add(m, "x".to_owned(), "[".repeat(depth - 1) + &"]".repeat(depth - 1));
    let named = move |m: &mut Material, bytes| add(m, "n".repeat(bytes), "0".to_owned());
    let number = move |m: &mut Material, digits| add(m, "x".to_owned(), "7".repeat(digits));
    let answers: [fn(Vector) -> Vector; 2] =
        [|vector| vector.verified(&["receipt.unknown-member"]), |vector| vector.only(Outcome::Unverifiable, &["limit.exceeded"])];
    vec![
        pair(["json-depth", "levels of nesting"], limits::JSON_DEPTH, nested, answers),
        pair(["json-name", "bytes of a member name"], limits::JSON_NAME_BYTES, named, answers),
        pair(["json-number", "characters of a number"], limits::JSON_NUMBER_BYTES, number, answers),
    ]
}

fn of_collateral() -> Vec<[Vector; 2]> {
    let chain = |m: &mut Material, count: usize| {
        m.collateral.container = Container::V3;
        m.collateral.signer_chain = (0..count).map(|_| Certificate::root(&Key::named("root"))).collect();
    };
    let components = |m: &mut Material, count| {
        let components = Json::List(vec![parse(r#"{"svn": 0}"#); count]);
        m.collateral.tcb_info.body.set("/tcbLevels/0/tcb/sgxtcbcomponents", components);
    };
    let advise = |m: &mut Material, ids: Vec<Json>| m.collateral.tcb_info.body.set("/tcbLevels/0/advisoryIDs", Json::List(ids));
    let advisories = move |m: &mut Material, count| advise(m, (0..count).map(|number| format!("INTEL-SA-{number:05}").into()).collect());
    let advisory = move |m: &mut Material, bytes| advise(m, vec!["A".repeat(bytes).into()]);
    let exceeded: fn(Vector) -> Vector = |vector| vector.unverifiable(&["limit.exceeded"]).flags(true, true);
    let advised: fn(Vector) -> Vector = |vector| vector.verified(&["tcb.advisories"]);
    vec![
        pair(
            ["chain", "certificates of a chain"],
            limits::CERTIFICATES,
            chain,
            [|vector| vector.invalid(&["certificate.chain-malformed"]), exceeded],
        ),
        pair(
            ["components", "components of a TCB level"],
            limits::LIST_ITEMS,
            components,
            [|vector| vector.invalid(&["tcb-info.malformed"]), exceeded],
        ),
        pair(["advisories", "advisories of a TCB level"], limits::LIST_ITEMS, advisories, [advised, exceeded]),
        pair(["advisory", "bytes of an advisory id"], limits::ADVISORY_BYTES, advisory, [advised, exceeded]),
    ]
}

fn of_answers() -> Vec<[Vector; 2]> {
    // The chain block is a finding, too.
    let findings = |m: &mut Material, count: usize| {
        m.receipt.afterwards.add(move |receipt| (1..count).for_each(|number| receipt.set(&format!("/u{number}"), 0)));
    };
    let claims = |m: &mut Material, count: usize| {
        let usual = leaves(&m.receipt.attestation) - 1;
        m.receipt.attestation.set("/verdict/regression_labels", Json::List(vec!["L".into(); count - usual]));
    };
    vec![
        pair(
            ["findings", "findings of a report"],
            limits::PROBLEMS,
            findings,
            [
                |vector| vector.verified(&["receipt.unknown-member"]),
                |vector| vector.only(Outcome::Unverifiable, &["receipt.unknown-member", "limit.exceeded"]).flags(true, true),
            ],
        ),
        pair(
            ["claims", "claims of a receipt"],
            limits::CLAIMS,
            claims,
            [|vector| vector.verified(&[]), |vector| vector.unverifiable(&["limit.exceeded"]).flags(true, true)],
        ),
    ]
}

/// How many values without values below them a document has.
fn leaves(json: &Json) -> usize {
    match json {
        Json::List(items) if !items.is_empty() => items.iter().map(leaves).sum(),
        Json::Object(members) if !members.is_empty() => members.iter().map(|(_, value)| leaves(value)).sum(),
        _ => 1,
    }
}

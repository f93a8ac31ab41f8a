//! Whether two arms were asked the same question: the fields that have to be equal, as data, and their comparison.

use std::collections::BTreeSet;
use std::str::FromStr;

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};

use super::arm::{Arm, Point, full_name};
use super::data::{self, DataError};
use super::shape::Section;
use crate::crypto;
use crate::text::{escape, quoted};

const BUILT_IN: &str = include_str!("../../shapes/profile.json");

/// The fields that have to be recorded in both arms and equal.
#[derive(Clone, Debug)]
pub struct Profile {
    spec: Spec,
    sha256: String,
}

/// Without a section nothing is ever verified by it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    #[expect(dead_code, reason = "that it can be read says that the format is known")]
    format: Format,
    name: String,
    #[expect(dead_code, reason = "for those who read the file")]
    #[serde(default)]
    about: String,
    sections: Vec<Part>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
enum Format {
    #[default]
    #[serde(rename = "receipt-profile/1")]
    One,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    section: Section,
    #[serde(default)]
    fields: Vec<String>,
    #[serde(default)]
    point_fields: Vec<String>,
}

impl Profile {
    /// The profile of two-column windows: 11 fields of the single stream, and 6 and 3 a point of the sweep.
    #[must_use]
    pub fn built_in() -> Self {
        Self { spec: data::read(BUILT_IN.as_bytes()).unwrap_or_default(), sha256: digest(BUILT_IN.as_bytes()) }
    }

    /// Reads a profile in JSON.
    ///
    /// # Errors
    /// Where it is malformed, asks for nothing, or for something twice.
    pub fn read(bytes: &[u8]) -> Result<Self, DataError> {
        let spec: Spec = data::read(bytes)?;
        let sections: BTreeSet<Section> = spec.sections.iter().map(|part| part.section).collect();
        if sections.len() < spec.sections.len() {
            return Err(DataError("a section stands twice".to_owned()));
        }
        for part in &spec.sections {
            let names: Vec<&String> = part.fields.iter().chain(&part.point_fields).collect();
            if names.is_empty() || names.iter().any(|name| name.is_empty()) {
                return Err(DataError(format!("the section {} has fields, each with a name", part.section.name())));
            }
            if names.iter().collect::<BTreeSet<_>>().len() < names.len() {
                return Err(DataError(format!("a field of the section {} stands twice", part.section.name())));
            }
        }
        if sections.is_empty() {
            return Err(DataError("it has no sections".to_owned()));
        }
        Ok(Self { spec, sha256: digest(bytes) })
    }

    /// Compares two arms, field by field. With `same_candidate`, whatever either arm records of its candidate is a field, too.
    pub(crate) fn check(&self, a: &Arm, b: &Arm, waivers: &[Waiver], same_candidate: bool) -> ProfileCheck {
        let mut fields = Vec::new();
        for section in [Section::Single, Section::Sweep] {
            let points = points(section, a, b);
            if points.is_empty() {
                continue;
            }
            let part = self.spec.sections.iter().find(|part| part.section == section);
            let name = section.name();
            match part {
                None => {
                    fields.push(FieldCheck::unverifiable(name, name.to_owned(), format!("the profile asks nothing of the {name} files")))
                }
                Some(part) => fields.extend(part.fields.iter().map(|field| FieldCheck::of(name, full_name(section, "", field), a, b))),
            }
            let part = part.map(|part| part.point_fields.as_slice()).unwrap_or_default();
            points.iter().for_each(|point| of_point(point, part, a, b, &mut fields));
        }
        let is_extra = |name: &str| is_definition(name) || (same_candidate && is_candidate(name));
        let extra: BTreeSet<&String> = a.fields.keys().chain(b.fields.keys()).filter(|name| is_extra(name)).collect();
        let asked: BTreeSet<String> = fields.iter().map(|field| field.field.clone()).collect();
        for name in extra.into_iter().filter(|name| !asked.contains(&escape(name))) {
            let of = name.split('.').next().unwrap_or_default();
            fields.push(FieldCheck::of(of, name.clone(), a, b));
        }
        definitions(a, b, &mut fields);
        let mut unused = Vec::new();
        for waiver in waivers {
            let waived: Vec<_> = fields.iter_mut().filter(|field| waiver.is_of(&field.field)).collect();
            if waived.is_empty() {
                unused.push(escape(&waiver.field));
            }
            waived.into_iter().for_each(|field| field.waived = Some(escape(&waiver.reason)));
        }
        let unchecked_differences = unchecked(a, b, &fields);
        ProfileCheck::new(self, fields, unchecked_differences, unused)
    }
}

/// A field that need not be equal, and why that is said to be no matter. What rests on it is not publishable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiver {
    /// A full name, in which a part may be `*`: `sweep.*.prompt_tokens_observed`.
    field: String,
    reason: String,
}

impl Waiver {
    fn is_of(&self, name: &str) -> bool {
        let (mut wanted, mut found) = (self.field.split('.'), name.split('.'));
        loop {
            match (wanted.next(), found.next()) {
                (None, None) => return true,
                (Some("*"), Some(_)) => {}
                (Some(wanted), Some(found)) if wanted == found => {}
                _ => return false,
            }
        }
    }
}

impl FromStr for Waiver {
    type Err = DataError;

    fn from_str(text: &str) -> Result<Self, DataError> {
        let (field, reason) = text.split_once('=').unwrap_or_default();
        match field.is_empty() || reason.trim().is_empty() {
            true => Err(DataError("wanted FIELD=REASON".to_owned())),
            false => Ok(Self { field: field.to_owned(), reason: reason.trim().to_owned() }),
        }
    }
}

/// What the comparison of two profiles found. Texts are escaped; values are JSON as the files write it.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ProfileCheck {
    /// Every field is recorded in both arms, and equal.
    pub verified: bool,
    /// The name of the profile.
    pub profile: String,
    /// The SHA-256 of the profile's file.
    pub profile_sha256: String,
    /// How many fields have to be equal; waived ones do not count.
    pub required: usize,
    /// How many of them are.
    pub identical: usize,
    /// Those that differ.
    pub mismatch: Vec<String>,
    /// Those of which nobody can say.
    pub unverifiable: Vec<String>,
    /// Those that need not be equal, because the caller says so.
    pub waived: Vec<String>,
    /// Those that no raw file records and that were declared beside it.
    pub declared: Vec<String>,
    /// What both arms record and nobody asked about, where it differs.
    pub unchecked_differences: Vec<UncheckedDifference>,
    /// Every field.
    pub fields: Vec<FieldCheck>,
    /// Waivers of fields that nobody asked about.
    #[serde(skip)]
    pub(crate) unused_waivers: Vec<String>,
}

/// What became of one field.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct FieldCheck {
    /// The full name.
    pub field: String,
    /// The section or the point that it is of.
    pub of: String,
    /// What arm A records, as JSON.
    #[serde(rename = "A")]
    pub a: Option<String>,
    /// What arm B records, as JSON.
    #[serde(rename = "B")]
    pub b: Option<String>,
    /// Whether both are the same.
    pub result: FieldResult,
    /// Why nobody can say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Why it need not be equal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waived: Option<String>,
    /// A value was declared, not recorded.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub declared: bool,
    /// It lists the points.
    #[serde(skip)]
    pub(crate) is_list: bool,
}

/// How the two values of a field stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FieldResult {
    /// Both arms record the same.
    Identical,
    /// They record different values.
    Mismatch,
    /// One of them or both record nothing that could be compared.
    Unverifiable,
}

impl FieldResult {
    /// The name, as it is in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Identical => "identical",
            Self::Mismatch => "mismatch",
            Self::Unverifiable => "unverifiable",
        }
    }
}

/// A field of both arms that nobody asked about.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct UncheckedDifference {
    /// The full name.
    pub field: String,
    /// What arm A records, as JSON.
    #[serde(rename = "A")]
    pub a: String,
    /// What arm B records, as JSON.
    #[serde(rename = "B")]
    pub b: String,
}

impl ProfileCheck {
    fn new(
        profile: &Profile,
        fields: Vec<FieldCheck>,
        unchecked_differences: Vec<UncheckedDifference>,
        unused_waivers: Vec<String>,
    ) -> Self {
        let names = |of: &dyn Fn(&FieldCheck) -> bool| fields.iter().filter(|field| of(field)).map(|field| field.field.clone()).collect();
        let with = |result| fields.iter().filter(move |field| field.waived.is_none() && field.result == result);
        let required = fields.iter().filter(|field| field.waived.is_none()).count();
        let identical = with(FieldResult::Identical).count();
        Self {
            verified: required > 0 && identical == required,
            profile: escape(&profile.spec.name),
            profile_sha256: profile.sha256.clone(),
            required,
            identical,
            mismatch: with(FieldResult::Mismatch).map(|field| field.field.clone()).collect(),
            unverifiable: with(FieldResult::Unverifiable).map(|field| field.field.clone()).collect(),
            waived: names(&|field| field.waived.is_some()),
            declared: names(&|field| field.declared),
            unchecked_differences,
            fields,
            unused_waivers,
        }
    }
}

impl FieldCheck {
    fn unverifiable(of: &str, field: String, why: String) -> Self {
        let (of, field) = (escape(of), escape(&field));
        Self {
            of,
            field,
            a: None,
            b: None,
            result: FieldResult::Unverifiable,
            why: Some(why),
            waived: None,
            declared: false,
            is_list: false,
        }
    }

    /// Compares the field `name` of two arms.
    fn of(of: &str, name: String, a: &Arm, b: &Arm) -> Self {
        let side = |arm: &Arm| match arm.fields.get(&name) {
            None => Err("does not record it".to_owned()),
            Some(Err(why)) => Err(format!("leaves it open: {why}")),
            Some(Ok(value)) if !value.says_something() => Err(format!("records {}, which says nothing", value.shown())),
            Some(Ok(value)) => Ok(value.clone()),
        };
        let json = |arm: &Arm| arm.fields.get(&name).and_then(|field| field.as_ref().ok()).map(|value| value.json().to_owned());
        let (result, why) = match (side(a), side(b)) {
            (Ok(a), Ok(b)) if a.is_same(&b) => (FieldResult::Identical, None),
            (Ok(_), Ok(_)) => (FieldResult::Mismatch, None),
            (Err(why), Ok(_)) => (FieldResult::Unverifiable, Some(format!("arm A {why}"))),
            (Ok(_), Err(why)) => (FieldResult::Unverifiable, Some(format!("arm B {why}"))),
            (Err(a), Err(b)) if a == b => (FieldResult::Unverifiable, Some(format!("each arm {a}"))),
            (Err(a), Err(b)) => (FieldResult::Unverifiable, Some(format!("arm A {a}; arm B {b}"))),
        };
        Self {
            of: escape(of),
            a: json(a),
            b: json(b),
            result,
            why,
            waived: None,
            declared: a.declared.contains(&name) || b.declared.contains(&name),
            is_list: a.lists.contains(&name) || b.lists.contains(&name),
            field: escape(&name),
        }
    }
}

/// The names of the points of either arm, and of those that they list: first as they stand in A.
fn points(section: Section, a: &Arm, b: &Arm) -> Vec<String> {
    let there = [a, b].into_iter().flat_map(|arm| &arm.points).filter(|point| point.section == section).map(|point| point.name.clone());
    let listed = a.listed.iter().chain(&b.listed).filter(|(of, _)| *of == section).map(|(_, label)| full_name(section, label, ""));
    let mut seen = BTreeSet::new();
    there.chain(listed).filter(|name| seen.insert(name.clone())).collect()
}

/// The fields of one point. One that an arm lacks, has twice, or has beside those that it lists cannot be compared, whatever is asked of it.
fn of_point(point: &str, asked: &[String], a: &Arm, b: &Arm, fields: &mut Vec<FieldCheck>) {
    let missing = [("A", a), ("B", b)].into_iter().find_map(|(name, arm)| match arm.point(point) {
        None => Some(format!("arm {name} has no such point")),
        Some(found) if !arm.lists_point(found) => Some(format!("arm {name} has the point, and does not list it")),
        Some(found) if found.is_repeated => Some(format!("arm {name} has the point twice, and which one is meant nobody knows")),
        Some(Point { section: Section::Sweep, lacks: Some(field), .. }) => {
            Some(format!("arm {name} does not record {}, so that nobody knows which point it is", quoted(field)))
        }
        Some(_) => None,
    });
    match missing {
        Some(why) if asked.is_empty() => fields.push(FieldCheck::unverifiable(point, point.to_owned(), why)),
        Some(why) => fields.extend(asked.iter().map(|field| FieldCheck::unverifiable(point, format!("{point}.{field}"), why.clone()))),
        None => fields.extend(asked.iter().map(|field| FieldCheck::of(point, format!("{point}.{field}"), a, b))),
    }
}

/// A metric that two shapes define differently is not one metric.
fn definitions(a: &Arm, b: &Arm, fields: &mut Vec<FieldCheck>) {
    let mut seen = BTreeSet::new();
    for (one, other) in a.points.iter().filter_map(|point| Some((point, b.point(&point.name)?))) {
        for metric in &one.metrics {
            let counterpart = other.metrics.iter().find(|other| other.name == metric.name);
            let Some((what, a, b)) = counterpart.and_then(|other| metric.difference(other)) else { continue };
            let name = full_name(one.section, "metric", &format!("{}.{what}", metric.name));
            if seen.insert(name.clone()) {
                let of = one.section.name();
                fields.push(FieldCheck {
                    a: Some(a),
                    b: Some(b),
                    result: FieldResult::Mismatch,
                    why: None,
                    ..FieldCheck::unverifiable(of, name, String::new())
                });
            }
        }
    }
}

/// What both arms record and `fields` do not ask about, where it differs.
fn unchecked(a: &Arm, b: &Arm, fields: &[FieldCheck]) -> Vec<UncheckedDifference> {
    let asked: BTreeSet<&str> = fields.iter().map(|field| field.field.as_str()).collect();
    let both = a.fields.iter().filter_map(|(name, a)| Some((name, a.as_ref().ok()?, b.fields.get(name)?.as_ref().ok()?)));
    both.filter(|(name, a, b)| !asked.contains(escape(name).as_str()) && !a.is_same(b))
        .map(|(name, a, b)| UncheckedDifference { field: escape(name), a: a.json().to_owned(), b: b.json().to_owned() })
        .collect()
}

/// What a file says itself about what a metric of it means.
fn is_definition(name: &str) -> bool {
    name.split('.').nth(1) == Some("metric")
}

/// What a file says about what was measured, as against how.
pub(crate) fn is_candidate(name: &str) -> bool {
    name.split('.').nth(1) == Some("candidate")
}

fn digest(bytes: &[u8]) -> String {
    HEXLOWER.encode(&crypto::sha256([bytes]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_profile_asks_for_eleven_and_six_and_three() {
        let profile = Profile::read(BUILT_IN.as_bytes()).unwrap();
        assert_eq!(profile.sha256, Profile::built_in().sha256);
        let counts: Vec<_> = profile.spec.sections.iter().map(|part| (part.section, part.fields.len(), part.point_fields.len())).collect();
        assert_eq!(counts, [(Section::Single, 11, 0), (Section::Sweep, 6, 3)]);
    }

    #[test]
    fn a_profile_asks_for_something_and_for_nothing_twice() {
        let read =
            |sections: &str| Profile::read(format!(r#"{{"format":"receipt-profile/1","name":"p","sections":{sections}}}"#).as_bytes());
        assert!(read(r#"[{"section":"single","fields":["a"]}]"#).is_ok());
        for sections in [
            "[]",
            r#"[{"section":"single"}]"#,
            r#"[{"section":"single","fields":[""]}]"#,
            r#"[{"section":"single","fields":["a"],"point_fields":["a"]}]"#,
            r#"[{"section":"single","fields":["a"]},{"section":"single","fields":["b"]}]"#,
            r#"[{"section":"double","fields":["a"]}]"#,
            r#"[{"section":"single","fields":["a"],"more":1}]"#,
        ] {
            assert!(read(sections).is_err(), "{sections}");
        }
    }

    #[test]
    fn a_waiver_names_a_field_and_a_reason() {
        let waiver: Waiver = "sweep.*.prompt_tokens=a constant offset = 123".parse().unwrap();
        assert_eq!(waiver.reason, "a constant offset = 123");
        assert!(waiver.is_of("sweep.c8.prompt_tokens"));
        for other in ["sweep.prompt_tokens", "sweep.c8.prompt_tokens.x", "single.c8.prompt_tokens", "sweep.c8.prompt"] {
            assert!(!waiver.is_of(other), "{other}");
        }
        for wrong in ["a", "a=", "=b", "a= "] {
            assert!(wrong.parse::<Waiver>().is_err(), "{wrong}");
        }
    }
}

//! Which class of result the recorded evidence of a measurement supports. Not whether it is true: the record is its author's word, and
//! so are its dates; what can be held against it are the files that it names.
//!
//! 1. `record` reads the record and tells what is not recorded from what is recorded as none.
//! 2. `evidence` opens and hashes every file that it names, verifies receipts and reads rows.
//! 3. `contradiction` and `figures` find where the evidence says something else. Then there is no class.
//! 4. `classes` is the table of what each class needs; `review` and `arms` are parts of it.
//! 5. `promotion` answers the seven conditions for publishing a claim.

mod arms;
mod classes;
mod contradiction;
mod evidence;
mod figures;
mod promotion;
mod record;
mod review;

use std::collections::BTreeSet;

use data_encoding::HEXLOWER;
use serde::Serialize;

pub use classes::Class;
use evidence::Evidence;
pub use figures::Change;
pub use promotion::{Condition, Promotion};
use record::Judged;
pub use record::{Lack, LackKind, Record, RecordError};

use super::Files;
use crate::anchors::{Anchors, SignerKey};
use crate::crypto;
use crate::report::{Report, Tool};
use crate::text::brief;

/// The answer about a record: a pure function of it, of the files that it names, and of how receipts are judged. Every text in it is
/// safe to show.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Classification {
    /// The shape of this answer, [`Self::SCHEMA`].
    pub schema: &'static str,
    /// What answered.
    pub tool: Tool,
    /// What the class says, and what it does not.
    pub note: &'static str,
    /// SHA-256 of the record, 64 lower-case hex digits.
    pub record_sha256: String,
    /// The highest class whose needs are all met; `None` where the evidence contradicts the record.
    pub class: Option<Class>,
    /// The name of the class.
    pub name: Option<&'static str>,
    /// The next class; `None` after the last, for a component, and where there is no class.
    pub next: Option<Class>,
    /// Where the evidence says something else than the record. The control's own ones begin with `/control#`.
    pub contradictions: Vec<Lack>,
    /// Files that could not be read.
    pub unreadable: Vec<Lack>,
    /// Whether something was changed after the result could be known, and what.
    pub exploratory: Option<Lack>,
    /// `status` of the run, as recorded: a run that failed is listed too.
    pub run_status: Option<String>,
    /// The verdict of the record, as recorded. It is never upgraded.
    pub verdict: Option<String>,
    /// Those of the 19 fields that are not recorded, or members of them.
    pub not_recorded: Vec<String>,
    /// Members of the record that nothing reads.
    pub unread: Vec<String>,
    /// What every class needs, with what was found.
    pub needs: Vec<Need>,
    /// The files that were looked at.
    pub files: Vec<NamedFile>,
    /// The change that the two recorded figures make.
    pub change: Option<Change>,
    /// The conditions for publishing a claim; `None` where there is no class.
    pub promotion: Option<Promotion>,
}

/// One thing that classes need.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Need {
    /// The classes that need it.
    pub classes: &'static [Class],
    /// Where it stands in a record.
    pub pointer: &'static str,
    /// What is needed.
    pub needs: &'static str,
    /// Why it does not hold; `None` where it holds.
    pub lack: Option<Lack>,
}

/// A file that the record names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NamedFile {
    /// Where in the record.
    pub pointer: String,
    /// By which path.
    pub path: String,
    /// `digest holds`, `digest differs`, `no digest recorded`, `cannot be read`, or the outcome of a receipt.
    pub found: &'static str,
}

/// A record with everything that it is judged by.
struct Case<'c> {
    record: &'c Record<'c>,
    evidence: &'c Evidence<'c>,
    files: &'c Files,
    control: Judged<&'c Case<'c>>,
    signers: &'c BTreeSet<SignerKey>,
}

impl Record<'_> {
    /// The names of the files that have to be handed in: those that the record names, and, once its control is among `files`, those that
    /// the control names. All are relative to one folder.
    #[must_use]
    pub fn names(&self, files: &Files) -> BTreeSet<String> {
        let mut names = evidence::names(self);
        let control = self.text("/control/path").ok().and_then(|path| files.get(path).ok());
        if let Some(control) = control.and_then(|bytes| Record::read(bytes).ok()) {
            names.extend(evidence::names(&control));
        }
        names
    }

    /// The class that the evidence supports. `verify` answers about the bytes of a receipt; the keys of `anchors` may sign reviews.
    pub fn classify(&self, files: &Files, anchors: &Anchors, verify: &dyn Fn(&[u8]) -> Report) -> Classification {
        let evidence = Evidence::gather(self, files, verify);
        let read = |bytes| {
            let record = Record::read(bytes);
            record.map_err(|error| Lack::unreadable("/control", &format!("names a record that cannot be read: {error}")))
        };
        let control = self.some("/control").and_then(|_| evidence.file("/control")).and_then(read);
        let control = control.map(|record| (Evidence::gather(&record, files, verify), record));
        let signers = &anchors.signer_keys;
        let control = control.as_ref().map_err(Clone::clone);
        let control =
            control.map(|(evidence, record)| Case { record, evidence, files, control: Err(Lack::not_recorded("/control")), signers });
        let case = Case { record: self, evidence: &evidence, files, control: control.as_ref().map_err(Clone::clone), signers };
        case.classify().settled()
    }
}

impl Case<'_> {
    /// Files that cannot be read, those of the control among them.
    fn unreadable(&self) -> Vec<Lack> {
        let mut found = self.evidence.unreadable();
        match &self.control {
            Ok(control) => found.extend(control.evidence.unreadable().into_iter().map(Lack::of_control)),
            Err(lack) if lack.kind == LackKind::Unreadable && !found.contains(lack) => found.push(lack.clone()),
            Err(_) => {}
        }
        found
    }

    fn contradictions(&self) -> Vec<Lack> {
        let of_control = self.control.iter().flat_map(|control| contradiction::find(control)).map(Lack::of_control);
        contradiction::find(self).into_iter().chain(of_control).collect()
    }

    fn classify(&self) -> Classification {
        let judged = classes::predicates().map(|row| Need {
            classes: row.classes,
            pointer: row.pointer,
            needs: row.needs,
            lack: row.judge(self).err(),
        });
        let needs: Vec<Need> = judged.collect();
        let is_met =
            |class: Class| class == Class::Number || needs.iter().all(|need| need.lack.is_none() || !need.classes.contains(&class));
        let class = Class::ALL.into_iter().rev().find(|class| is_met(*class)).unwrap_or(Class::Number);
        let is_component = self.record.text("/endpoint/kind").is_ok_and(|kind| kind == "component");
        let next = match (class, is_component) {
            (Class::Number, true) => Some(Class::Component),
            (Class::Number, false) => Some(Class::Scout),
            (Class::Scout, _) => Some(Class::Matched),
            (Class::Matched, _) => Some(Class::ClaimGrade),
            (Class::Component | Class::ClaimGrade, _) => None,
        };
        let unreadable = self.unreadable();
        let shown = |pointer: &str| self.record.said(pointer).ok().map(|value| value.string().map_or_else(|| value.shown(), brief));
        Classification {
            schema: Classification::SCHEMA,
            tool: Tool::THIS,
            note: "the class that the recorded evidence supports; it does not say that the record is true, and its dates are its author's word",
            record_sha256: HEXLOWER.encode(&crypto::sha256([self.record.bytes])),
            class: Some(class),
            name: Some(class.name()),
            next,
            contradictions: self.contradictions(),
            exploratory: classes::exploratory(self).err().filter(|lack| lack.kind == LackKind::NotMet),
            run_status: shown("/run/status"),
            verdict: shown("/verdict"),
            not_recorded: self.record.not_recorded(),
            unread: self.record.unread(),
            files: self
                .evidence
                .listed()
                .map(|(pointer, path, found)| NamedFile { pointer: brief(pointer), path: brief(path), found })
                .collect(),
            change: figures::change(self.record, self.evidence),
            promotion: Some(promotion::judge(self, &needs, &unreadable)),
            unreadable,
            needs,
        }
    }
}

impl Classification {
    /// The name of this shape of answers.
    pub const SCHEMA: &'static str = "classification/1";

    /// Takes the class away where the evidence contradicts the record.
    fn settled(self) -> Self {
        match self.contradictions.is_empty() {
            true => self,
            false => Self { class: None, name: None, next: None, needs: Vec::new(), promotion: None, change: None, ..self },
        }
    }

    /// What stands between the record and the next class.
    pub fn missing(&self) -> impl Iterator<Item = &Need> {
        self.needs.iter().filter(|need| need.lack.is_some() && self.next.is_some_and(|next| need.classes.contains(&next)))
    }

    /// The process exit code: 4 where the evidence contradicts the record, 3 where a file that it names could not be read, 6 where its
    /// class is below the `required` one, and 0 otherwise.
    #[must_use]
    pub fn exit_code(&self, required: Option<Class>) -> u8 {
        match self.class {
            None => 4,
            Some(_) if !self.unreadable.is_empty() => 3,
            Some(class) if required.is_some_and(|required| class < required) => 6,
            Some(_) => 0,
        }
    }
}

//! What has to hold of the vectors as files, whoever made them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fs, io};

use data_encoding::HEXLOWER;
use serde::Deserialize;
use serde_json::Value;
use verify_core::{Code, Effect, Policy, Timestamp};

use crate::pki::sha256;

/// Members of an entry that are given to the verifier beside the files under test.
const SETTINGS: [&str; 9] = ["policy", "anchors", "at", "now", "fresh", "expect", "score", "input", "run"];

/// Members that name a file under test.
const UNDER_TEST: [&str; 3] = ["receipt", "quote", "collateral"];

/// Outcomes from the best to the worst, in the order of the effects that lead to them.
const OUTCOMES: [&str; 4] = ["verified", "under-provenanced", "unverifiable", "invalid"];

/// The flags by which a file speaks of itself: they follow the answer, and are no edit of their own.
const FLAGS: [&str; 2] = ["/verification/intel_verified", "/verification/report_data_match"];

#[derive(Deserialize)]
struct Manifest {
    version: u32,
    vectors: Vec<Value>,
    logs: Vec<Value>,
    files: BTreeMap<String, String>,
    examples: BTreeSet<String>,
}

/// Everything that is wrong with a folder of vectors, given as its files by their paths. The shape of the manifest is the business
/// of its schema.
pub fn faults(files: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let Some(manifest) = files.get("manifest.json") else { return vec!["there is no manifest.json".to_owned()] };
    match serde_json::from_slice(manifest) {
        Ok(Manifest { version, .. }) if version != crate::VERSION => vec![format!("the manifest has version {version}")],
        Ok(manifest) => Lint { files, manifest: &manifest, faults: Vec::new() }.run(),
        Err(error) => vec![format!("manifest.json: {error}")],
    }
}

/// The files below a folder, by their paths.
///
/// # Errors
/// What cannot be read.
pub fn read_folder(folder: &Path) -> io::Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![String::new()];
    while let Some(name) = folders.pop() {
        for entry in fs::read_dir(folder.join(&name))? {
            let entry = entry?;
            let path = format!("{name}{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() {
                folders.push(path + "/");
            } else {
                files.insert(path, fs::read(entry.path())?);
            }
        }
    }
    Ok(files)
}

struct Lint<'a> {
    files: &'a BTreeMap<String, Vec<u8>>,
    manifest: &'a Manifest,
    faults: Vec<String>,
}

impl<'a> Lint<'a> {
    fn run(mut self) -> Vec<String> {
        let mut vectors: BTreeMap<&str, &Value> = BTreeMap::new();
        for vector in &self.manifest.vectors {
            if vectors.insert(text(&vector["id"]), vector).is_some() {
                self.faults.push(format!("{}: the id stands twice", text(&vector["id"])));
            }
        }
        self.check_files();
        self.check_codes_are_covered();
        let mut logs = BTreeSet::new();
        for log in &self.manifest.logs {
            let id = text(&log["id"]);
            let before = self.faults.len();
            self.require(logs.insert(id), || "the id stands twice".to_owned());
            self.check_id(id);
            self.check_outcome_of_log(log);
            for fault in &mut self.faults[before..] {
                *fault = format!("log {id}: {fault}");
            }
        }
        for (id, vector) in &vectors {
            let before = self.faults.len();
            self.check_id(id);
            self.check_instants(vector);
            self.check_outcome(vector);
            self.check_lineage(vector, &vectors);
            for fault in &mut self.faults[before..] {
                *fault = format!("{id}: {fault}");
            }
        }
        self.faults
    }

    fn require(&mut self, holds: bool, fault: impl FnOnce() -> String) {
        if !holds {
            self.faults.push(fault());
        }
    }

    /// Every file is listed with its digest and used; every file that is used is there.
    fn check_files(&mut self) {
        let entries = self.manifest.vectors.iter().chain(&self.manifest.logs);
        let used: BTreeSet<&str> = entries.flat_map(|entry| self.used_by(entry)).collect();
        for (path, digest) in &self.manifest.files {
            let found = self.files.get(path).map(|bytes| HEXLOWER.encode(&sha256(bytes)));
            self.require(found.as_ref() == Some(digest), || format!("{path}: the manifest says {digest}, found {found:?}"));
            self.require(used.contains(path.as_str()), || format!("{path}: no vector uses it"));
        }
        for path in used.iter().copied().filter(|path| !self.manifest.files.contains_key(*path)) {
            self.faults.push(format!("{path}: a vector uses it, and the manifest does not list it"));
        }
        for path in self.files.keys().filter(|path| path.contains('/')) {
            let listed = usize::from(self.manifest.files.contains_key(path)) + usize::from(self.manifest.examples.contains(path));
            self.require(listed == 1, || format!("{path}: listed {listed} times"));
        }
        for path in self.manifest.examples.iter().filter(|path| !self.files.contains_key(*path)) {
            self.faults.push(format!("{path}: the example is missing"));
        }
    }

    fn used_by(&self, vector: &'a Value) -> Vec<&'a str> {
        let named = UNDER_TEST.map(|member| &vector[member]).into_iter();
        let given = [&vector["policy"], &vector["anchors"]["root"], &vector["anchors"]["tcb_signing"]];
        let more = [&vector["fresh"]["collateral"], &vector["score"], &vector["input"]];
        let paths = named.chain(given).chain(more).filter_map(Value::as_str);
        let folders: Vec<String> =
            ["run", "log", "since"].iter().filter_map(|member| Some(format!("{}/", vector[member].as_str()?))).collect();
        let below = self.manifest.files.keys().filter(move |path| folders.iter().any(|folder| path.starts_with(folder)));
        paths.chain(below.map(String::as_str)).collect()
    }

    /// Every code of the registry is found in a vector, or its absence is argued.
    fn check_codes_are_covered(&mut self) {
        let entries = self.manifest.vectors.iter().chain(&self.manifest.logs);
        let codes = entries.filter_map(|entry| entry["codes"].as_array()).flatten();
        let found: BTreeSet<&str> = codes.filter_map(Value::as_str).collect();
        let argued = String::from_utf8_lossy(self.files.get("UNCOVERED.md").map(Vec::as_slice).unwrap_or_default());
        for code in Code::ALL.iter().map(|code| code.name()).filter(|code| !found.contains(code)) {
            self.require(argued.contains(&format!("`{code}`")), || {
                format!("{code}: no vector finds it, and UNCOVERED.md does not say why")
            });
        }
    }

    fn check_id(&mut self, id: &str) {
        let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        self.require(id.split('-').all(is_word), || "an id is made of lower-case words and digits, joined by -".to_owned());
    }

    fn check_instants(&mut self, vector: &Value) {
        for instant in ["at", "now"].into_iter().filter_map(|member| vector[member].as_str()) {
            let is_utc = instant.ends_with('Z') && Timestamp::parse_rfc3339(instant).is_ok();
            self.require(is_utc, || format!("{instant} is no instant of RFC 3339 in UTC"));
        }
    }

    /// The outcome follows from the codes, by the policy.
    fn check_outcome(&mut self, vector: &Value) {
        let Some(gravest) = self.gravest(vector) else { return };
        let rank = |outcome: &Value| OUTCOMES.iter().position(|name| *name == text(outcome));
        let fresh = &vector["fresh"];
        let follows = rank(&fresh["outcome"]).max(Some(gravest as usize));
        self.require(rank(&vector["outcome"]) == follows, || format!("from its codes follows {}", OUTCOMES[follows.unwrap_or_default()]));
        let is_carried = rank(&fresh["as_carried"]) <= Some(gravest as usize);
        self.require(is_carried, || "as_carried is worse than what follows from its codes".to_owned());
    }

    /// The outcome of a log follows from its codes and its receipts; without a receipt it is unverifiable at best.
    fn check_outcome_of_log(&mut self, log: &Value) {
        let Some(gravest) = self.gravest(log) else { return };
        let rank = |outcome: &str| OUTCOMES.iter().position(|name| *name == outcome);
        let receipts = log["receipts"].as_object().into_iter().flatten();
        let worst = receipts.map(|(_, outcome)| rank(text(outcome))).max().unwrap_or(rank("unverifiable"));
        let follows = worst.max(Some(gravest as usize));
        let word = || format!("from its codes and receipts follows {}", OUTCOMES[follows.unwrap_or_default()]);
        self.require(rank(text(&log["outcome"])) == follows, word);
    }

    /// The gravest effect of the codes of an entry under its policy.
    fn gravest(&mut self, entry: &Value) -> Option<Effect> {
        let policy = match entry["policy"].as_str().and_then(|path| self.files.get(path)) {
            None => Policy::strict(),
            Some(bytes) => match toml::from_str(&String::from_utf8_lossy(bytes)) {
                Ok(policy) => policy,
                Err(error) => {
                    self.faults.push(format!("its policy: {error}"));
                    return None;
                }
            },
        };
        let names: Vec<&str> = texts(&entry["codes"]).collect();
        let codes: Vec<Code> = names.iter().filter_map(|name| Code::from_name(name)).collect();
        self.require(codes.len() == names.len(), || "one of its codes is not in the registry".to_owned());
        self.require(names.is_sorted_by(|left, right| left < right), || "its codes are not in order".to_owned());
        Some(codes.into_iter().map(|code| policy.effect(code)).max().unwrap_or(Effect::Notes))
    }

    /// A parent that is there, and one edit: of one setting, or of the files under test.
    fn check_lineage(&mut self, vector: &Value, vectors: &BTreeMap<&str, &Value>) {
        let Some(parent) = vector["parent"].as_str() else { return };
        let Some(old) = vectors.get(parent) else { return self.faults.push(format!("its parent {parent} does not exist")) };
        let ancestors = std::iter::successors(Some(*old), |ancestor| vectors.get(ancestor["parent"].as_str()?).copied());
        self.require(ancestors.take(vectors.len() + 1).count() <= vectors.len(), || "it is its own ancestor".to_owned());

        let named: Vec<&str> = texts(&vector["edit"]).map(|place| place.split_once('#').map_or(place, |(member, _)| member)).collect();
        let differing = SETTINGS.into_iter().chain(UNDER_TEST).filter(|member| self.content(old, member) != self.content(vector, member));
        let differing: BTreeSet<&str> = differing.collect();
        self.require(named.iter().copied().collect::<BTreeSet<_>>() == differing, || {
            format!("it differs in {differing:?}, not in {named:?}")
        });
        let settings = differing.iter().filter(|member| SETTINGS.contains(member)).count();
        let places = texts(&vector["edit"]).filter(|place| place.contains('#'));
        let is_edited = places.filter(|place| !FLAGS.iter().any(|flag| place.ends_with(flag))).count() > 0;
        let edits = settings + usize::from(is_edited);
        self.require(edits <= 1 || vector["combines"].is_string(), || format!("{edits} edits, and no reason: {differing:?}"));
    }

    /// What stands behind a member: the digests of its files, or else the member itself.
    fn content(&self, vector: &Value, member: &str) -> String {
        let digest = |path: &str| self.manifest.files.get(path).cloned().unwrap_or_default();
        match (member, &vector[member]) {
            (_, Value::Null) => "absent".to_owned(),
            ("run", run) => {
                let folder = format!("{}/", text(run));
                let beside = self.manifest.files.iter().filter_map(|(path, digest)| Some((path.strip_prefix(&folder)?, digest)));
                format!("{:?}", beside.filter(|(name, _)| *name != "receipt.json").collect::<Vec<_>>())
            }
            ("fresh", fresh) => digest(text(&fresh["collateral"])),
            (_, Value::String(path)) if self.manifest.files.contains_key(path) => digest(path),
            (_, value) => value.to_string(),
        }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The committed vectors, after a change to the manifest or to the files.
    fn after(change: impl Fn(&mut Value, &mut BTreeMap<String, Vec<u8>>)) -> Vec<String> {
        let mut files = read_folder(&crate::committed()).expect("the committed vectors");
        let mut manifest = serde_json::from_slice(&files["manifest.json"]).expect("JSON");
        change(&mut manifest, &mut files);
        files.insert("manifest.json".to_owned(), manifest.to_string().into_bytes());
        faults(&files)
    }

    /// The entry with this id.
    fn entry<'a>(manifest: &'a mut Value, id: &str) -> &'a mut Value {
        let vectors = manifest["vectors"].as_array_mut().expect("vectors");
        vectors.iter_mut().find(|vector| vector["id"] == id).expect("the vector")
    }

    #[test]
    fn nothing_is_wrong_with_the_committed_vectors() {
        assert_eq!(after(|_, _| {}), <[String; 0]>::default());
    }

    #[test]
    fn every_rule_has_its_fault() {
        type Change = fn(&mut Value, &mut BTreeMap<String, Vec<u8>>);
        let cases: [(&str, Change); 22] = [
            ("version 2", |manifest, _| manifest["version"] = 2.into()),
            ("stands twice", |manifest, _| entry(manifest, "verdict-stricter")["id"] = "verified".into()),
            ("log newer: the id stands twice", |manifest, _| manifest["logs"][1]["id"] = "newer".into()),
            ("codes and receipts follows verified", |manifest, _| manifest["logs"][0]["outcome"] = "invalid".into()),
            ("runs/README.md: no vector uses it", |manifest, _| {
                manifest["logs"].as_array_mut().expect("logs").retain(|log| log["id"] != "runs-empty");
            }),
            ("lower-case words", |manifest, _| entry(manifest, "verdict-stricter")["id"] = "verdict-Stricter".into()),
            ("the manifest says", |_, files| files.get_mut("receipts/verified.json").unwrap().push(b'\n')),
            ("found None", |_, files| drop(files.remove("inputs/input-twice"))),
            ("no vector uses it", |manifest, _| drop(entry(manifest, "input-twice")["input"].take())),
            ("does not list it", |manifest, _| drop(manifest["files"].as_object_mut().unwrap().remove("policies/strict.toml"))),
            ("listed 0 times", |_, files| drop(files.insert("receipts/stray.json".to_owned(), Vec::new()))),
            ("example is missing", |_, files| drop(files.remove("policies/observed.toml"))),
            ("no instant", |manifest, _| entry(manifest, "time-inside")["at"] = "2026-08-20T00:00:00+00:00".into()),
            ("UNCOVERED.md does not say why", |manifest, _| {
                let vectors = manifest["vectors"].as_array_mut().expect("vectors").iter_mut();
                vectors
                    .filter_map(|vector| vector["codes"].as_array_mut())
                    .for_each(|codes| codes.retain(|code| code != "chain.unchecked"));
            }),
            ("follows under-provenanced", |manifest, _| entry(manifest, "verdict-stricter")["outcome"] = "verified".into()),
            ("not in the registry", |manifest, _| entry(manifest, "verified")["codes"] = serde_json::json!(["chain.checked"])),
            ("follows unverifiable", |manifest, _| entry(manifest, "fresh-too-old")["outcome"] = "verified".into()),
            ("as_carried is worse", |manifest, _| entry(manifest, "fresh-too-old")["fresh"]["as_carried"] = "invalid".into()),
            ("does not exist", |manifest, _| entry(manifest, "time-inside")["parent"] = "no-such-vector".into()),
            ("own ancestor", |manifest, _| {
                let root = entry(manifest, "verified");
                root["parent"] = "time-inside".into();
                root["edit"] = serde_json::json!(["at"]);
            }),
            ("it differs in", |manifest, _| entry(manifest, "time-inside")["edit"] = serde_json::json!(["now"])),
            ("and no reason", |manifest, _| drop(entry(manifest, "expect-forged")["combines"].take())),
        ];
        for (fault, change) in cases {
            let found = after(change);
            assert!(found.iter().any(|line| line.contains(fault)), "{fault}: {found:?}");
        }
    }
}

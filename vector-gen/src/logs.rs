//! Small logs of our own: one of each shape in which nothing is found, and for each finding about a log one that shows it. Most are
//! of signed receipts, which are small; those about quotes have quotes.

use std::collections::BTreeMap;

use data_encoding::BASE64;

use crate::edits::Edit;
use crate::json::{self, Json, token};
use crate::pki::Signer;
use crate::receipt::{COMMIT, Material, dflash_output};
use crate::vectors::{Outcome, names};

/// The files of a log by their paths.
type Tree = BTreeMap<String, Vec<u8>>;

/// The signer of the receipts without a quote.
const SIGNER: &str = "receipt signer";

/// A log that is one edit away from a base, with the answer about it.
pub(crate) struct LogVector {
    id: &'static str,
    rule: &'static str,
    base: fn() -> Tree,
    changes: Vec<Edit<Tree>>,
    /// Names in the log that are symbolic links.
    links: Vec<&'static str>,
    /// The vector whose log is the earlier one.
    since: Option<&'static str>,
    policy: &'static str,
    outcome: Outcome,
    pub(crate) codes: Vec<&'static str>,
    /// What receipts come to, where not all are verified.
    exceptions: Vec<(String, Outcome)>,
}

impl LogVector {
    fn new(id: &'static str, rule: &'static str, base: fn() -> Tree) -> Self {
        Self {
            id,
            rule,
            base,
            changes: Vec::new(),
            links: Vec::new(),
            since: None,
            policy: "any-machine",
            outcome: Outcome::Verified,
            codes: Vec::new(),
            exceptions: Vec::new(),
        }
    }

    fn change(mut self, change: impl Fn(&mut Tree) + 'static) -> Self {
        self.changes.push(Box::new(change));
        self
    }

    fn since(mut self, earlier: &'static str) -> Self {
        self.since = Some(earlier);
        self
    }

    /// Judged by a policy that is as mild as one can be.
    fn tolerated(mut self) -> Self {
        self.policy = "tolerant-any-machine";
        self
    }

    /// This name in the log is a symbolic link.
    fn linked(mut self, name: &'static str) -> Self {
        self.links.push(name);
        self
    }

    fn but(mut self, run: impl Into<String>, outcome: Outcome) -> Self {
        self.exceptions.push((run.into(), outcome));
        self
    }

    fn verified(self, codes: &[&'static str]) -> Self {
        self.expect(Outcome::Verified, codes)
    }

    fn thin(self, codes: &[&'static str]) -> Self {
        self.expect(Outcome::UnderProvenanced, codes)
    }

    fn unverifiable(self, codes: &[&'static str]) -> Self {
        self.expect(Outcome::Unverifiable, codes)
    }

    fn invalid(self, codes: &[&'static str]) -> Self {
        self.expect(Outcome::Invalid, codes)
    }

    fn expect(mut self, outcome: Outcome, codes: &[&'static str]) -> Self {
        self.outcome = outcome;
        self.codes = codes.to_vec();
        self.codes.sort_unstable();
        self
    }

    fn tree(&self) -> Tree {
        let mut tree = (self.base)();
        self.changes.iter().for_each(|change| change(&mut tree));
        tree
    }

    /// The files of the log, by their paths below the vectors.
    pub(crate) fn files(&self) -> impl Iterator<Item = (String, Vec<u8>)> {
        self.tree().into_iter().map(|(path, bytes)| (format!("logs/{}/{path}", self.id), bytes))
    }

    /// The entry of the manifest.
    pub(crate) fn entry(&self) -> Json {
        let tree = self.tree();
        let with_receipts = tree.keys().filter_map(|path| path.strip_prefix("runs/")?.strip_suffix("/receipt.json"));
        let receipts = with_receipts.map(|run| {
            let exception = self.exceptions.iter().find(|(known, _)| known == run);
            (run.to_owned(), exception.map_or(Outcome::Verified, |(_, outcome)| *outcome).name().into())
        });
        let mut anchors = vec![("root".to_owned(), "pki/root.pem".into()), ("tcb_signing".to_owned(), "pki/tcb_signing.pem".into())];
        anchors.push(("signer_keys".to_owned(), Json::List(vec![BASE64.encode(&Signer::named(SIGNER).public_key()).into()])));
        let mut entry = vec![
            ("id".to_owned(), self.id.into()),
            ("rule".to_owned(), self.rule.into()),
            ("log".to_owned(), format!("logs/{}", self.id).into()),
            ("policy".to_owned(), format!("policies/{}.toml", self.policy).into()),
            ("anchors".to_owned(), Json::Object(anchors)),
        ];
        if !self.links.is_empty() {
            entry.push(("links".to_owned(), names(&self.links)));
        }
        if let Some(earlier) = self.since {
            entry.push(("since".to_owned(), format!("logs/{earlier}").into()));
        }
        entry.push(("outcome".to_owned(), self.outcome.name().into()));
        entry.push(("receipts".to_owned(), Json::Object(receipts.collect())));
        entry.push(("codes".to_owned(), names(&self.codes)));
        Json::Object(entry)
    }
}

/// Every log, in the order of the manifest.
pub(crate) fn all() -> Vec<LogVector> {
    [clean(), unreadable(), rows(), receipts(), reuse(), replaced(), append_only()].into_iter().flatten().collect()
}

// The newer shape: directories named by receipt ids, a ledger, and an index that turns it round.

/// The figures of one run.
struct Figures {
    commit: String,
    label: &'static str,
    tps: &'static str,
    timestamp: &'static str,
    pull_request: u32,
}

fn figures() -> [Figures; 3] {
    let run = |seed: &str, label, tps, timestamp, pull_request| Figures { commit: seed.repeat(5), label, tps, timestamp, pull_request };
    [
        run("01234567", "L", "120.5", "2026-08-03T12:15:00+00:00", 7),
        run("89abcdef", "none", "121.25", "2026-08-03T13:15:00+00:00", 8),
        run("5eed5eed", "XL", "150.0", "2026-08-03T14:15:00+00:00", 9),
    ]
}

/// A signed receipt about a run, and its id.
fn signed(figures: &Figures, change: impl Fn(&mut Json)) -> (String, Vec<u8>) {
    let mut material = Material::signed();
    let attestation = &mut material.receipt.attestation;
    attestation.set("/code/commit", figures.commit.as_str());
    attestation.set("/verdict/label", figures.label);
    attestation.set("/verdict/tps", token(figures.tps));
    attestation.set("/timestamp_utc", figures.timestamp);
    change(attestation);
    let receipt = material.file();
    let id = json::parse(std::str::from_utf8(&receipt).expect("UTF-8")).text("/receipt_id");
    (id, receipt)
}

/// What a row says of a run.
fn row(id: &str, figures: &Figures) -> Json {
    let mut row = json::parse(
        r#"{"attestation_type": "ed25519", "commit": "", "kl": 0.012500004, "label": "", "pr": 0, "run_id": "", "timestamp_utc": "",
            "top1": 0.96, "tps": 0}"#,
    );
    row.set("/commit", figures.commit.as_str());
    row.set("/label", figures.label);
    row.set("/pr", figures.pull_request);
    row.set("/run_id", id);
    row.set("/timestamp_utc", figures.timestamp);
    row.set("/tps", token(figures.tps));
    row
}

fn result(id: &str, figures: &Figures) -> Json {
    let mut result = json::parse(r#"{"commit": "", "kl": 0.012500004, "label": "", "node": "test", "pass": true, "top1": 0.96, "tps": 0}"#);
    result.set("/commit", &figures.commit[..7]);
    result.set("/label", figures.label);
    result.set("/tps", token(figures.tps));
    result.set("/receipt_id", id);
    result
}

/// The id of run `number` of the newer log.
fn id(number: usize) -> String {
    signed(&figures()[number], |_| {}).0
}

/// The newer log with its first `count` runs.
fn newer(count: usize) -> Tree {
    let mut tree = Tree::new();
    let mut rows = Vec::new();
    for figures in figures().iter().take(count) {
        let (id, receipt) = signed(figures, |_| {});
        let result = result(&id, figures);
        tree.insert(format!("runs/{id}/receipt.json"), receipt);
        tree.insert(format!("runs/{id}/eval.log"), format!("RESULT_JSON {}\n", result.python()).into_bytes());
        tree.insert(format!("runs/{id}/result.json"), result.indented().into_bytes());
        rows.push(row(&id, figures));
    }
    tree.insert("rounds/0123456789ab/eval.log".to_owned(), b"nothing was sealed\n".to_vec());
    publish(&mut tree, &rows);
    tree
}

fn whole() -> Tree {
    newer(3)
}

/// Writes both lists.
fn publish(tree: &mut Tree, rows: &[Json]) {
    write_ledger(tree, rows);
    let newest_first = rows.iter().rev().cloned().collect();
    tree.insert("index.json".to_owned(), Json::List(newest_first).indented().into_bytes());
}

fn write_ledger(tree: &mut Tree, rows: &[Json]) {
    let lines: String = rows.iter().map(|row| row.python() + "\n").collect();
    tree.insert("ledger.jsonl".to_owned(), lines.into_bytes());
}

fn ledger(tree: &Tree) -> Vec<Json> {
    text(tree, "ledger.jsonl").lines().map(json::parse).collect()
}

fn text<'t>(tree: &'t Tree, path: &str) -> &'t str {
    std::str::from_utf8(&tree[path]).expect("UTF-8")
}

/// Changes the rows in the order of the ledger, and with them both lists.
fn in_lists(change: impl Fn(&mut Vec<Json>)) -> impl Fn(&mut Tree) {
    move |tree| {
        let mut rows = ledger(tree);
        change(&mut rows);
        publish(tree, &rows);
    }
}

/// Changes the rows of the ledger alone.
fn in_ledger(change: impl Fn(&mut Vec<Json>)) -> impl Fn(&mut Tree) {
    move |tree| {
        let mut rows = ledger(tree);
        change(&mut rows);
        write_ledger(tree, &rows);
    }
}

/// Changes a file of JSON.
fn in_json(path: impl Into<String>, change: impl Fn(&mut Json)) -> impl Fn(&mut Tree) {
    let path = path.into();
    move |tree| {
        let mut document = json::parse(text(tree, &path));
        change(&mut document);
        tree.insert(path.clone(), document.indented().into_bytes());
    }
}

fn in_index(change: impl Fn(&mut Vec<Json>)) -> impl Fn(&mut Tree) {
    in_json("index.json", move |index| change(index.list("")))
}

fn removing(paths: impl IntoIterator<Item = String>) -> impl Fn(&mut Tree) {
    let paths: Vec<String> = paths.into_iter().collect();
    move |tree| {
        for path in &paths {
            let before = tree.len();
            tree.retain(|known, _| known != path && !known.starts_with(&format!("{path}/")));
            assert!(tree.len() < before, "there is no {path}");
        }
    }
}

fn newer_log(id: &'static str, rule: &'static str) -> LogVector {
    LogVector::new(id, rule, whole)
}

// The older shape: directories named by pull request and commit, and an index.

/// A run of the older log: its name, its row and its result.
fn older_run(tree: &mut Tree, name: &str, commit: &str, receipt: Vec<u8>) -> Json {
    let document = json::parse(text(&Tree::from([("receipt".to_owned(), receipt.clone())]), "receipt"));
    let mut attestation = document.clone().at("/attestation").clone();
    let id = document.clone().text("/receipt_id");
    let mut row = json::parse(r#"{"id": "", "pr": 1, "title": "test", "label": "", "delta_pct": 13.4, "date": "2026-08-03"}"#);
    row.set("/id", name);
    row.set("/label", attestation.text("/verdict/label"));
    let mut result = row.clone();
    result.set("/commit", &commit[..7]);
    row.set("/polaris", true);
    row.set("/polaris_receipt_id", &id[..16]);
    result.set("/polaris", true);
    result.set("/polaris_receipt_id", id.as_str());
    tree.insert(format!("runs/{name}/receipt.json"), receipt);
    tree.insert(format!("runs/{name}/attestation.json"), attestation.indented().into_bytes());
    tree.insert(format!("runs/{name}/result.json"), result.indented().into_bytes());
    tree.insert(format!("runs/{name}/log.txt"), format!(">> test\nRESULT_JSON {}\n", result.python()).into_bytes());
    row
}

fn older_tree(runs: impl IntoIterator<Item = (&'static str, String, Vec<u8>)>) -> Tree {
    let mut tree = Tree::new();
    let rows = runs.into_iter().map(|(name, commit, receipt)| older_run(&mut tree, name, &commit, receipt)).collect();
    tree.insert("index.json".to_owned(), Json::List(rows).indented().into_bytes());
    tree
}

const FIRST: &str = "0001-0123456";
const QUOTED: &str = "dflash-0001-0123456";
const SECOND: &str = "dflash-0002-89abcde";

fn older() -> Tree {
    let [first, second, _] = figures();
    older_tree([(FIRST, first.commit.clone(), signed(&first, |_| {}).1), (SECOND, second.commit.clone(), signed(&second, |_| {}).1)])
}

fn older_log(id: &'static str, rule: &'static str) -> LogVector {
    LogVector::new(id, rule, older)
}

/// A receipt with a quote, of this commit; where it `differs`, the enclave printed something else.
fn quoted(commit: &str, differs: bool) -> Vec<u8> {
    let mut material = Material::classic();
    let attestation = &mut material.receipt.attestation;
    attestation.set("/code/commit", commit);
    if differs {
        attestation.set("/measurements/dflash/mean_accept", token("4.5"));
        material.receipt.output = dflash_output(&mut attestation.at("/measurements").clone(), true);
    }
    material.file()
}

fn quoted_tree(second: &'static str, commit: &str, receipt: Vec<u8>) -> Tree {
    older_tree([(QUOTED, COMMIT.to_owned(), quoted(COMMIT, false)), (second, commit.to_owned(), receipt)])
}

fn quoted_older() -> Tree {
    let commit = "89abcdef".repeat(5);
    quoted_tree(SECOND, &commit, quoted(&commit, true))
}

const SAME_COMMIT: &str = "dflash-0002-0123456";

fn clean() -> Vec<LogVector> {
    vec![
        newer_log("newer", "A log with a ledger in which nothing is found.").verified(&[]),
        older_log("older", "A log without a ledger of runs in which nothing is found.").verified(&[]),
        LogVector::new("older-quotes", "Such a log of receipts with quotes.", quoted_older).verified(&[]),
        older_log("older-merges", "A ledger of merges is none of runs.")
            .change(|tree| {
                let merge = r#"{"date": "2026-08-03", "pr": 1, "commit": "0123456", "new_frontier": 120.5}"#;
                tree.insert("ledger.jsonl".to_owned(), format!("{merge}\n").into_bytes());
            })
            .verified(&[]),
        newer_log("newer-alone", "Runs need not hold more than their receipts.")
            .change(|tree| tree.retain(|path, _| !path.starts_with("runs/") || path.ends_with("/receipt.json")))
            .verified(&[]),
        older_log("runs-empty", "A log without a receipt is not verified.")
            .change(|tree| {
                tree.clear();
                tree.insert("index.json".to_owned(), b"[]\n".to_vec());
                tree.insert("runs/README.md".to_owned(), b"No runs yet.\n".to_vec());
            })
            .unverifiable(&[]),
    ]
}

fn unreadable() -> Vec<LogVector> {
    vec![
        newer_log("link", "Nothing below a log is followed.").linked("runs/latest").unverifiable(&["log.not-a-file"]),
        newer_log("link-tolerated", "A policy may let links be.").linked("runs/latest").tolerated().verified(&["log.not-a-file"]),
        newer_log("index-cut", "An index has to be JSON.")
            .change(|tree| tree.get_mut("index.json").expect("an index").truncate(100))
            .unverifiable(&["log.file-unreadable"]),
        newer_log("index-object", "It is one array.")
            .change(|tree| drop(tree.insert("index.json".to_owned(), b"{}\n".to_vec())))
            .unverifiable(&["log.file-unreadable"]),
        newer_log("index-row-nameless", "Every row names its run.")
            .change(in_index(|rows| rows.push(json::parse(r#"{"label": "XL"}"#))))
            .unverifiable(&["log.row-unreadable"]),
        newer_log("index-row-number", "By a text.")
            .change(in_index(|rows| rows.push(json::parse(r#"{"run_id": 7, "label": "XL"}"#))))
            .unverifiable(&["log.row-unreadable"]),
        newer_log("index-row-two-names", "And by one.")
            .change(in_index(|rows| rows[0].set("/id", "0001-0123456")))
            .unverifiable(&["log.receipt-unlisted", "log.row-unreadable"]),
        newer_log("ledger-line-cut", "Every line of a ledger is JSON.")
            .change(|tree| tree.get_mut("ledger.jsonl").expect("a ledger").extend(b"{\"run_id\": \"\n"))
            .unverifiable(&["log.row-unreadable"]),
        newer_log("ledger-line-twice-named", "In which no member stands twice.")
            .change(|tree| tree.get_mut("ledger.jsonl").expect("a ledger").extend(b"{\"run_id\": \"a\", \"run_id\": \"b\"}\n"))
            .unverifiable(&["log.row-unreadable"]),
        newer_log("ledger-line-list", "And an object.")
            .change(|tree| tree.get_mut("ledger.jsonl").expect("a ledger").extend(b"[]\n"))
            .unverifiable(&["log.row-unreadable"]),
    ]
}

fn rows() -> Vec<LogVector> {
    let differs = &["log.row-differs"];
    let with = |id: &'static str, rule: &'static str, pointer: &'static str, value: &'static str| {
        newer_log(id, rule).change(in_lists(move |rows| rows[1].set(pointer, json::parse(value))))
    };
    vec![
        newer_log("list-no-index", "Where there is a ledger of runs there is an index.")
            .change(removing(["index.json".to_owned()]))
            .thin(&["log.list-absent"]),
        newer_log("list-no-ledger", "Where rows have a run_id there is a ledger.")
            .change(removing(["ledger.jsonl".to_owned()]))
            .thin(&["log.list-absent"]),
        older_log("list-none", "Runs are listed.").change(removing(["index.json".to_owned()])).thin(&["log.list-absent"]),
        newer_log("row-twice", "A run has one row in the index.")
            .change(in_index(|rows| rows.push(rows[0].clone())))
            .invalid(&["log.row-repeated"]),
        newer_log("row-twice-in-ledger", "And one in the ledger.")
            .change(in_ledger(|rows| rows.push(rows[0].clone())))
            .invalid(&["log.row-repeated"]),
        with("row-label", "The label of a row is the receipt's.", "/label", r#""XL""#).invalid(differs),
        with("row-tps", "So is its speed.", "/tps", "121.26").invalid(differs),
        with("row-commit", "So is its commit.", "/commit", r#""0123456701234567012345670123456701234567""#).invalid(differs),
        with("row-time", "So is its time.", "/timestamp_utc", r#""2026-08-03T13:15:01Z""#).invalid(differs),
        with("row-time-spelled", "Which may be spelled otherwise.", "/timestamp_utc", r#""2026-08-03T13:15:00Z""#).verified(&[]),
        with("row-top1", "So is its accuracy.", "/top1", "0.97").invalid(differs),
        with("row-kl", "So is its divergence, in the sixth place too.", "/kl", "0.012501").invalid(differs),
        with("row-node", "What the receipt does not say is the result's.", "/node", r#""another""#).invalid(differs),
        older_log("row-names-another-receipt", "The receipt that a row names is the one of its run.")
            .change(in_index(|rows| rows[0].set("/polaris_receipt_id", "0123456789abcdef")))
            .invalid(differs),
        older_log("row-names-a-digit", "One digit names no receipt.")
            .change(in_index(|rows| {
                let digit = rows[0].text("/polaris_receipt_id")[..1].to_owned();
                rows[0].set("/polaris_receipt_id", digit);
            }))
            .invalid(differs),
        with("row-tolerated", "A policy may read a row that differs as thin.", "/label", r#""XL""#).tolerated().thin(differs),
        newer_log("rows-disagree", "The index copies the ledger.")
            .change(in_index(|rows| rows[0].set("/pr", 10)))
            .invalid(&["log.rows-disagree"]),
        newer_log("rows-disagree-less", "It leaves nothing out.")
            .change(in_index(|rows| drop(rows[0].remove("/pr"))))
            .invalid(&["log.rows-disagree"]),
        newer_log("rows-disagree-null", "Be it that it says nothing where the receipt speaks too.")
            .change(in_index(|rows| rows[0].set("/label", token("null"))))
            .invalid(&["log.rows-disagree"]),
        newer_log("index-order", "The index is the ledger from the newest row to the oldest.")
            .change(in_index(|rows| rows.swap(0, 1)))
            .thin(&["log.index-order"]),
        newer_log("ledger-order", "And the ledger is the index turned round.")
            .change(in_ledger(|rows| rows.swap(0, 1)))
            .thin(&["log.index-order"]),
    ]
}

fn receipts() -> Vec<LogVector> {
    let exchanged = |tree: &mut Tree| {
        let [one, other] = [0, 1].map(|number| format!("runs/{}/receipt.json", id(number)));
        let (first, second) = (tree[&one].clone(), tree[&other].clone());
        tree.insert(one, second);
        tree.insert(other, first);
    };
    vec![
        newer_log("unlisted", "A run with a receipt has a row.")
            .change(in_lists(|rows| drop(rows.remove(1))))
            .thin(&["log.receipt-unlisted"]),
        newer_log("unlisted-in-index", "In each list.").change(in_index(|rows| drop(rows.remove(1)))).thin(&["log.receipt-unlisted"]),
        newer_log("receipt-missing", "A receipt that a row names is there.")
            .change(removing([format!("runs/{}/receipt.json", id(1))]))
            .unverifiable(&["log.receipt-missing"]),
        newer_log("run-missing", "So is its run.").change(removing([format!("runs/{}", id(1))])).unverifiable(&["log.receipt-missing"]),
        older_log("receipt-missing-flagged", "A flag is a claim too.")
            .change(removing([format!("runs/{FIRST}/receipt.json")]))
            .change(in_index(|rows| drop(rows[0].remove("/polaris_receipt_id"))))
            .change(removing([format!("runs/{FIRST}/result.json")]))
            .unverifiable(&["log.receipt-missing"]),
        older_log("receipt-missing-by-result", "So is a result that names a receipt.")
            .change(removing([format!("runs/{FIRST}/receipt.json")]))
            .change(in_index(|rows| drop(rows.remove(0))))
            .unverifiable(&["log.receipt-missing"]),
        older_log("unattested", "A verdict without a receipt is somebody's word.")
            .change(in_index(|rows| rows.push(json::parse(r#"{"id": "0003-5eed5ee", "pr": 3, "label": "S"}"#))))
            .thin(&["log.run-unattested"]),
        older_log("unattested-result", "Whether it has a row or not.")
            .change(|tree| drop(tree.insert("runs/0003-5eed5ee/result.json".to_owned(), br#"{"label": "S"}"#.to_vec())))
            .thin(&["log.run-unattested"]),
        older_log("unnamed", "Where rows name receipts, all do.")
            .change(in_index(|rows| ["/polaris", "/polaris_receipt_id"].iter().for_each(|name| drop(rows[0].remove(name)))))
            .thin(&["log.receipt-unnamed"]),
        newer_log("unnamed-in-result", "Where results do, all do.")
            .change(in_json(format!("runs/{}/result.json", id(1)), |result| drop(result.remove("/receipt_id"))))
            .thin(&["log.receipt-unnamed"]),
        newer_log("exchanged", "A directory that bears the id of a receipt holds that one.")
            .change(exchanged)
            .change(|tree| tree.retain(|path, _| !path.starts_with("runs/") || path.ends_with("/receipt.json")))
            .invalid(&["log.directory-differs", "log.row-differs"]),
        older_log("commit", "A directory that is named after a commit holds a receipt of it.")
            .change(|tree| {
                let old = format!("runs/{FIRST}/");
                let files: Vec<String> = tree.keys().filter(|path| path.starts_with(&old)).cloned().collect();
                for path in files {
                    let bytes = tree.remove(&path).expect("a file");
                    tree.insert(path.replace(FIRST, "0001-89abcde"), bytes);
                }
                for path in ["runs/0001-89abcde/result.json", "runs/0001-89abcde/log.txt"] {
                    tree.insert(path.to_owned(), text(tree, path).replace(FIRST, "0001-89abcde").into_bytes());
                }
            })
            .change(in_index(|rows| rows[0].set("/id", "0001-89abcde")))
            .invalid(&["log.commit-differs"]),
        LogVector::new("zero-baseline", "A guard that passes had something to compare with.", || {
            let [first, ..] = figures();
            let receipt = signed(&first, |attestation| attestation.set("/measurements/primary/guard_128_baseline", token("0.0"))).1;
            older_tree([(FIRST, first.commit.clone(), receipt)])
        })
        .thin(&["log.zero-baseline"]),
        LogVector::new("zero-baseline-fails", "One that fails need not.", || {
            let [first, ..] = figures();
            let receipt = signed(&first, |attestation| {
                attestation.set("/measurements/primary/guard_128_baseline", token("0.0"));
                attestation.set("/measurements/primary/guard_128_pass", false);
            });
            older_tree([(FIRST, first.commit.clone(), receipt.1)])
        })
        .verified(&[]),
        newer_log("receipt-forged", "The worst of log and receipts is the answer.")
            .change(in_json(format!("runs/{}/receipt.json", id(1)), |receipt| receipt.set("/attestation/environment/clock_mhz", 2401)))
            .but(id(1), Outcome::Invalid)
            .invalid(&[]),
        newer_log("result-differs", "Files beside a receipt are compared with it.")
            .change(in_json(format!("runs/{}/result.json", id(1)), |result| result.set("/label", "XL")))
            .but(id(1), Outcome::Invalid)
            .invalid(&[]),
    ]
}

fn reuse() -> Vec<LogVector> {
    vec![
        LogVector::new("receipt-repeated", "A receipt is of one run.", || {
            let [first, ..] = figures();
            let receipt = signed(&first, |_| {}).1;
            older_tree([(FIRST, first.commit.clone(), receipt.clone()), (SAME_COMMIT, first.commit.clone(), receipt)])
        })
        .invalid(&["log.receipt-repeated"]),
        LogVector::new("signature-reused", "A signature is of one run, whatever the layout of the receipt.", || {
            let [first, ..] = figures();
            let receipt = signed(&first, |_| {}).1;
            let compact = json::parse(std::str::from_utf8(&receipt).expect("UTF-8")).compact().into_bytes();
            older_tree([(FIRST, first.commit.clone(), receipt), (SAME_COMMIT, first.commit.clone(), compact)])
        })
        .invalid(&["log.quote-reused"]),
        LogVector::new("quote-reused", "So is a quote, and zeros behind it make no other one.", || {
            let mut receipt = json::parse(std::str::from_utf8(&quoted(COMMIT, false)).expect("UTF-8"));
            let mut quote = BASE64.decode(receipt.text("/tdx/quote_b64").as_bytes()).expect("base64");
            quote.extend([0; 16]);
            receipt.set("/tdx/quote_b64", BASE64.encode(&quote));
            quoted_tree(SAME_COMMIT, COMMIT, receipt.indented().into_bytes())
        })
        .invalid(&["log.quote-reused"]),
        LogVector::new("nonce-shared", "Runs of one commit without a seed of their own share a nonce.", || {
            quoted_tree(SAME_COMMIT, COMMIT, quoted(COMMIT, true))
        })
        .thin(&["log.nonce-shared"]),
        LogVector::new("id-shared", "Runs with one output share a receipt id.", || {
            let commit = "89abcdef".repeat(5);
            quoted_tree(SECOND, &commit, quoted(&commit, false))
        })
        .verified(&["log.id-shared"]),
        LogVector::new("id-shared-beside-a-quote", "A run that shares its quote with one run may share its id with another.", || {
            let other = "89abcdef".repeat(5);
            let mut renamed = json::parse(std::str::from_utf8(&quoted(COMMIT, false)).expect("UTF-8"));
            renamed.set("/receipt_id", "0123456789abcdef".repeat(2));
            older_tree([
                (QUOTED, COMMIT.to_owned(), renamed.indented().into_bytes()),
                (SECOND, other.clone(), quoted(&other, false)),
                ("dflash-0003-0123456", COMMIT.to_owned(), quoted(COMMIT, false)),
            ])
        })
        .but(QUOTED, Outcome::Invalid)
        .invalid(&["log.id-shared", "log.quote-reused"]),
    ]
}

fn replaced() -> Vec<LogVector> {
    vec![
        newer_log("superseded", "A row may say that another run supersedes it.")
            .change(in_lists(|rows| rows[0].set("/superseded_by", id(1))))
            .verified(&["log.superseded"]),
        newer_log("successor-missing", "That run is in the log.")
            .change(in_lists(|rows| rows[0].set("/superseded_by", "0123456789abcdef".repeat(4))))
            .thin(&["log.successor-missing"]),
        LogVector::new("measured-again", "One commit may be measured again.", || {
            let mut runs = figures();
            runs[1].commit = runs[0].commit.clone();
            runs[1].pull_request = runs[0].pull_request;
            let mut tree = Tree::new();
            let rows: Vec<Json> = runs
                .iter()
                .map(|figures| {
                    let (id, receipt) = signed(figures, |_| {});
                    tree.insert(format!("runs/{id}/receipt.json"), receipt);
                    row(&id, figures)
                })
                .collect();
            publish(&mut tree, &rows);
            tree
        })
        .verified(&["log.measured-again"]),
    ]
}

fn append_only() -> Vec<LogVector> {
    let since = |id: &'static str, rule: &'static str| newer_log(id, rule).since("newer");
    let log_of = |number: usize| format!("runs/{}/eval.log", id(number));
    vec![
        LogVector::new("newer-two", "The newer log when it had two runs.", || newer(2)).verified(&[]),
        newer_log("grown", "A log may grow.").since("newer-two").verified(&[]),
        older_log("unchanged", "Or stay as it is.").since("older").verified(&[]),
        since("ledger-edited", "A line of the ledger stays as it is.")
            .change(|tree| {
                let edited = text(tree, "ledger.jsonl").replacen("\"kl\": 0.012500004", "\"kl\": 0.0125", 1).into_bytes();
                tree.insert("ledger.jsonl".to_owned(), edited);
            })
            .invalid(&["log.ledger-rewritten"]),
        since("ledger-gone", "A ledger does not vanish.").change(removing(["ledger.jsonl".to_owned()])).invalid(&[
            "log.ledger-rewritten",
            "log.list-absent",
            "log.row-vanished",
        ]),
        since("file-gone", "A file of a run does not vanish.").change(removing([log_of(1)])).invalid(&["log.file-vanished"]),
        since("run-gone", "Nor does a run with its rows.")
            .change(removing([format!("runs/{}", id(2))]))
            .change(in_lists(|rows| drop(rows.remove(2))))
            .invalid(&["log.file-vanished", "log.ledger-rewritten", "log.row-vanished"]),
        since("round-gone", "Nor does a round.").change(removing(["rounds/0123456789ab".to_owned()])).invalid(&["log.file-vanished"]),
        since("file-changed", "A file of a run stays as it is.")
            .change(move |tree| tree.get_mut(&log_of(1)).expect("a log").extend(b"done\n"))
            .invalid(&["log.file-changed"]),
        older_log("verdict-changed", "A published verdict stays as it is, with its receipt or without.")
            .since("older")
            .change(in_index(|rows| rows[0].set("/label", "XL")))
            .change(in_json(format!("runs/{FIRST}/result.json"), |result| result.set("/label", "XL")))
            .but(FIRST, Outcome::Invalid)
            .invalid(&["log.file-changed", "log.row-differs", "log.verdict-changed"]),
        older_log("row-gone", "A row does not vanish.")
            .since("older")
            .change(in_index(|rows| drop(rows.remove(1))))
            .invalid(&["log.receipt-unlisted", "log.row-vanished"]),
    ]
}

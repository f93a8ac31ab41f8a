//! Made-up records of measurements with the files that they name, after the worked examples of the policy that the classes come from.

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use vector_gen::pki::Signer;
use vector_gen::receipt::digest;

/// The name of the file that holds the record.
pub(crate) const RECORD: &str = "record.json";

/// Who signs reviews.
pub(crate) const REVIEWER: &str = "reviewer of measurements";

/// A record, that of its control where it has one, and the files that they name. Digests are filled in when it is sealed.
#[derive(Clone)]
pub(crate) struct Fixture {
    pub(crate) name: &'static str,
    pub(crate) record: Value,
    pub(crate) control: Option<Value>,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

impl Fixture {
    pub(crate) fn put(&mut self, name: &str, content: &Value) {
        self.files.insert(name.to_owned(), format!("{content:#}\n").into_bytes());
    }

    /// All files, the record among them. Where a digest is written already, it stays.
    pub(crate) fn sealed(&self) -> BTreeMap<String, Vec<u8>> {
        let (mut files, mut record) = (self.files.clone(), self.record.clone());
        if let Some(mut control) = self.control.clone() {
            fill(&mut control, &files);
            files.insert("control.json".to_owned(), format!("{control:#}\n").into_bytes());
        }
        fill(&mut record, &files);
        files.insert(RECORD.to_owned(), format!("{record:#}\n").into_bytes());
        files
    }
}

/// Writes the digest of each file beside its path.
fn fill(value: &mut Value, files: &BTreeMap<String, Vec<u8>>) {
    let found = value.get("path").and_then(Value::as_str).and_then(|path| files.get(path)).map(digest);
    match value {
        Value::Object(members) => {
            if let (Some(digest), None) = (found, members.get("sha256")) {
                members.insert("sha256".to_owned(), digest.into());
            }
            members.values_mut().for_each(|value| fill(value, files));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, files)),
        _ => {}
    }
}

/// Rows of one repetition: their values, a second apart from the given minute on.
pub(crate) fn rows(minute: u32, values: &[f64]) -> Value {
    let row = |(second, value): (usize, &f64)| json!({ "started_at": format!("2026-07-01T10:{minute:02}:{second:02}Z"), "ok": true, "value": value });
    values.iter().enumerate().map(row).collect()
}

/// Of a component: one path of code, twenty rows an arm, one arm after the other.
pub(crate) fn component() -> Fixture {
    let around = |middle: f64, step: f64| (0..20).map(|row| middle + (f64::from(row) - 9.5) * step).collect::<Vec<_>>();
    let mut fixture = Fixture {
        name: "component",
        record: json!({
            "schema": "bench-record/1",
            "candidate": { "name": "direct block-region counting", "repository": "https://example.org/sparse.git", "commit": "5e1f0c2a".repeat(5) },
            "workload": "construction of the sparse plan for 65,536 tokens",
            "model": "none",
            "data": "synthetic block regions",
            "scale": { "tokens": 65_536 },
            "hardware": "one CPU host",
            "runtime": "one process",
            "affinity": "none",
            "warmup": "none",
            "samples": 20,
            "order": "sequential, not randomised",
            "aggregation": "mean",
            "uncertainty": "none",
            "failures": 0,
            "exclusions": [],
            "endpoint": { "kind": "component", "name": "plan construction" },
            "units": "ms",
            "source": [{ "path": "rows.json" }],
            "claim_boundary": "this component on this host",
            "rows": [{ "arm": "scan", "path": "rows.json", "at": "/scan" }, { "arm": "count", "path": "rows.json", "at": "/count" }],
            "result": {
                "statistic": "mean", "better": "lower",
                "a": { "arm": "scan", "value": 784.49 }, "b": { "arm": "count", "value": 7.99 }, "percent": 98.98
            },
            "equivalence": { "identical": true, "of": "the sparse plan" },
            "run": { "status": "complete", "started_at": "2026-07-01T10:00:00Z" },
            "quality": { "measured": false },
            "resources": "none",
            "closure": {
                "owner": "A. Owner", "approved": true,
                "wording": "Plan construction takes 7.99 ms in place of 784.49 ms for 65,536 tokens on one host.",
                "prohibited": ["end-to-end speed", "model quality", "memory or energy", "other hosts"]
            }
        }),
        control: None,
        files: BTreeMap::new(),
    };
    fixture.put("rows.json", &json!({ "scan": rows(1, &around(784.49, 0.1)), "count": rows(2, &around(7.99, 0.01)) }));
    fixture
}

/// A faster mode that changes semantics, as a diagnostic.
pub(crate) fn turbo() -> Fixture {
    let mut fixture = Fixture {
        name: "turbo",
        record: json!({
            "schema": "bench-record/1",
            "candidate": "tiny, turbo mode",
            "workload": "decoding of the full vocabulary at 2,048K of synthetic history",
            "model": "tiny",
            "data": "all-zero history",
            "scale": "2048K",
            "hardware": "one CPU host",
            "runtime": "unknown",
            "warmup": "TBD",
            "samples": 50,
            "failures": 0,
            "endpoint": { "kind": "system", "name": "decode", "is_claim_endpoint": false },
            "units": "tok/s",
            "source": [{ "path": "summary.json" }],
            "result": { "better": "higher", "a": { "value": 357.8 }, "b": { "value": 441.9 } },
            "equivalence": { "identical": false, "exact_sequences": 0.82 },
            "run": { "status": "complete" },
            "verdict": "semantic-changing diagnostic"
        }),
        control: None,
        files: BTreeMap::new(),
    };
    fixture.put("summary.json", &json!({ "decode": 357.8, "turbo": 441.9, "replicates": 50 }));
    fixture
}

/// Equality of the complete reconstruction with its donor, on five cases.
pub(crate) fn k32() -> Fixture {
    let mut fixture = Fixture {
        name: "k32",
        record: json!({
            "schema": "bench-record/1",
            "candidate": "K32",
            "workload": "five frozen engineering cases",
            "model": "a pinned donor",
            "data": "five cases",
            "samples": 5,
            "endpoint": { "kind": "quality", "name": "first-token logits" },
            "units": "absolute error",
            "source": [{ "path": "cases.json" }],
            "rows": [{ "path": "cases.json", "at": "/errors" }],
            "equivalence": { "identical": true, "of": "first logits, first top five, greedy text" }
        }),
        control: None,
        files: BTreeMap::new(),
    };
    fixture.put("cases.json", &json!({ "errors": [0.0, 0.0, 0.0, 0.0, 0.0] }));
    fixture
}

/// A table whose columns are of two endpoints and two quantisations; one of them has a single log line in the place of rows.
pub(crate) fn table_of_two_endpoints() -> Fixture {
    let side = |name: &str, quantisation: &str, endpoint: &str, path: &str| {
        json!({
            "schema": "bench-record/1",
            "candidate": name,
            "semantics": { "quantisation": quantisation },
            "workload": { "context": 128, "output": 128 },
            "model": "a large model",
            "data": "random tokens",
            "scale": "eight GPUs",
            "hardware": "one box",
            "runtime": name,
            "warmup": 2,
            "samples": { "candidate": if name == "engine" { 1 } else { 8 } },
            "order": "sequential",
            "aggregation": "mean",
            "failures": [],
            "endpoint": { "kind": "system", "name": endpoint, "is_claim_endpoint": true },
            "units": "tok/s",
            "source": [{ "path": path }]
        })
    };
    let mut record = side("engine", "IQ1", "decode only", "engine.log");
    record["control"] = json!({ "path": "control.json" });
    let mut fixture = Fixture {
        name: "two-endpoints",
        record,
        control: Some(side("server", "AWQ", "wall time with prefill", "server.json")),
        files: BTreeMap::from([("engine.log".to_owned(), b"decode tg    : 475.14 tok/s\n".to_vec())]),
    };
    fixture.put("server.json", &json!({ "latencies": [0.4601, 0.4602, 0.4603, 0.4604, 0.4602, 0.4601, 0.4603, 0.4602] }));
    fixture
}

/// One run a cell, and prompts that are not of one length.
pub(crate) fn one_run_a_cell() -> Fixture {
    let mut fixture = table_of_two_endpoints();
    fixture.name = "one-run-a-cell";
    let side = |tokens: f64, candidate: &str, path: &str| {
        json!({
            "schema": "bench-record/1",
            "candidate": candidate,
            "semantics": "greedy",
            "workload": { "input": 1024, "output": 1024, "concurrency": 16, "prompt_tokens_observed": tokens },
            "model": "a large model",
            "data": "sonnets",
            "scale": "sixteen GPUs",
            "hardware": "two boxes",
            "runtime": { "image": "server:latest", "digest": "unknown" },
            "warmup": 1,
            "samples": 1,
            "repetitions": 1,
            "aggregation": "total over the run",
            "uncertainty": "none",
            "failures": 0,
            "exclusions": ["skipped cells"],
            "endpoint": { "kind": "system", "name": "aggregate throughput", "is_claim_endpoint": true },
            "units": "tok/s",
            "source": [{ "path": path }],
            "claim_boundary": "this window"
        })
    };
    fixture.record = side(917.625, "speculative", "speculative.json");
    fixture.record["control"] = json!({ "path": "control.json" });
    fixture.record["run"] = json!({ "status": "complete" });
    fixture.control = Some(side(1040.5, "default", "default.json"));
    fixture.files.clear();
    fixture.put("speculative.json", &json!({ "aggregate_tok_s": 1661.36 }));
    fixture.put("default.json", &json!({ "aggregate_tok_s": 492.02 }));
    fixture
}

/// One repetition, without rows.
pub(crate) fn one_repetition() -> Fixture {
    let mut fixture = turbo();
    fixture.name = "one-repetition";
    fixture.record = json!({
        "schema": "bench-record/1",
        "candidate": { "build": "b7000" },
        "workload": "pp512, tg128",
        "model": "a large model",
        "data": "random tokens",
        "scale": "eight GPUs",
        "hardware": "one box",
        "runtime": "CUDA",
        "affinity": "none",
        "warmup": null,
        "samples": 1,
        "order": "",
        "aggregation": "mean",
        "uncertainty": "n/a",
        "failures": 0,
        "exclusions": [],
        "endpoint": { "kind": "system", "name": "decode", "is_claim_endpoint": true },
        "units": "tok/s",
        "source": [{ "path": "summary.json" }],
        "claim_boundary": "this build",
        "repetitions": 1
    });
    fixture
}

/// The endpoint itself, three times beside its control, in turns.
pub(crate) fn matched() -> Fixture {
    let side = |candidate: &str, commit: &str| {
        json!({
            "schema": "bench-record/1",
            "candidate": { "name": candidate, "repository": "https://example.org/serve.git", "commit": commit.repeat(5) },
            "semantics": { "sampling": "greedy", "precision": "bf16" },
            "workload": { "input_tokens": 512, "output_tokens": 128, "concurrency": 1 },
            "model": { "name": "tiny", "sha256": "0a".repeat(32) },
            "data": { "name": "prompts", "sha256": "0b".repeat(32) },
            "scale": { "gpus": 1 },
            "hardware": { "gpu": "one", "driver": "550.1" },
            "runtime": { "image": "sha256:0c", "engine": "1.2" },
            "affinity": [],
            "warmup": 2,
            "samples": 9,
            "order": "interleaved",
            "aggregation": "mean of all rows",
            "uncertainty": "range of the rows",
            "failures": 0,
            "exclusions": [],
            "endpoint": { "kind": "system", "name": "end-to-end latency", "is_claim_endpoint": true },
            "units": "s",
            "source": [{ "path": "rows.json" }],
            "claim_boundary": "this model, host and workload",
            "repetitions": 3,
            "run": { "status": "complete", "started_at": "2026-07-01T10:00:00Z" }
        })
    };
    let repetition = |arm: &str, number: u32| json!({ "arm": arm, "path": "rows.json", "at": format!("/{arm}/{number}") });
    let (mut record, mut control) = (side("new", "1a2b3c4d"), side("old", "4d3c2b1a"));
    record["rows"] = ["candidate", "control"].iter().flat_map(|arm| (0..3).map(|number| repetition(arm, number))).collect();
    control["rows"] = (0..3).map(|number| repetition("control", number)).collect();
    record["control"] = json!({ "path": "control.json" });
    record["result"] = json!({
        "statistic": "mean", "better": "lower",
        "a": { "arm": "control", "value": 2.5 }, "b": { "arm": "candidate", "value": 2.0 }, "percent": 20.0
    });
    let mut fixture = Fixture { name: "matched", record, control: Some(control), files: BTreeMap::new() };
    fixture.put(
        "rows.json",
        &json!({
            "candidate": [rows(1, &[1.9, 2.0, 2.1]), rows(3, &[2.0, 2.0, 2.0]), rows(5, &[2.2, 1.8, 2.0])],
            "control": [rows(2, &[2.4, 2.5, 2.6]), rows(4, &[2.5, 2.5, 2.5]), rows(6, &[2.7, 2.3, 2.5])]
        }),
    );
    fixture
}

/// As [`matched`], with all that a claim needs.
pub(crate) fn claim_grade() -> Fixture {
    let mut fixture = matched();
    fixture.name = "claim-grade";
    fixture.put(
        "protocol.json",
        &json!({ "frozen_at": "2026-06-01T00:00:00+00:00", "thresholds": { "gain_percent": 5 }, "min_repetitions": 3 }),
    );
    fixture.put("quality.json", &json!({ "candidate": 0.71, "control": 0.71 }));
    fixture.files.insert("prompts.txt".to_owned(), b"one\ntwo\nthree\n".to_vec());
    let record = &mut fixture.record;
    record["protocol"] = json!({ "path": "protocol.json", "frozen_at": "2026-06-01T00:00:00Z" });
    record["thresholds"] = json!({ "gain_percent": 5.0 });
    record["quality"] = json!({ "measured": true, "when": "before", "parity": "pass", "source": { "path": "quality.json" } });
    record["statistics"] = json!({ "interval": { "arm": "candidate", "method": "range", "low": 1.8, "high": 2.2 } });
    record["lineage"] = json!([{ "name": "prompts", "path": "prompts.txt" }]);
    record["equivalence"] = json!({ "identical": true });
    record["resources"] = json!({ "gpu_hours": 0.1, "memory_mib": 900 });
    record["closure"] = json!({
        "owner": "A. Owner", "approved": true,
        "wording": "End-to-end latency of the tiny model fell by 20 % on one host.",
        "prohibited": ["other models", "other hosts"]
    });
    record["verdict"] = "faster".into();
    let reviewed = digest(fixture.files["rows.json"].as_slice());
    fixture.review(&format!("I looked at the rows ({reviewed}) and at how they were made.\n"));
    fixture
}

impl Fixture {
    /// Adds a signed review of these words.
    pub(crate) fn review(&mut self, words: &str) {
        let signer = Signer::named(REVIEWER);
        self.files.insert("review.txt".to_owned(), words.as_bytes().to_vec());
        self.record["review"] = json!({
            "independent": true,
            "by": "B. Reviewer",
            "signed": {
                "path": "review.txt",
                "key": HEXLOWER.encode(&signer.public_key()),
                "signature": HEXLOWER.encode(&signer.sign(words.as_bytes()))
            }
        });
    }
}

/// Every fixture.
pub(crate) fn all() -> Vec<Fixture> {
    vec![component(), turbo(), k32(), table_of_two_endpoints(), one_run_a_cell(), one_repetition(), matched(), claim_grade()]
}

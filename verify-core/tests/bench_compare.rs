//! Comparisons and floors of real measurements, and of synthetic ones with answers that were worked out by another program. The material
//! lies beside the checkout and is not part of it; see [`folder`].

#![expect(clippy::disallowed_methods, clippy::disallowed_macros, reason = "tests read files and the environment")]

mod support;

use std::path::PathBuf;

use serde_json::{Value, json};
use verify_core::bench::{
    Compared, Declared, Drain, Files, Floor, Floored, Gate, GateResult, Profile, Question, RawFile, Section, Shape, compare,
    exit_code_files, floor,
};
use verify_core::limits;

/// The folder of measurements beside the checkout; `None`, with a word on stderr, where there is none. With `CI=true` its absence is a
/// failure.
fn folder() -> Option<PathBuf> {
    let folder = support::workspace().join("../shared/bench");
    if folder.join("MANIFEST.json").is_file() {
        return Some(folder);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "CI=true, but {} is missing", folder.display());
    eprintln!("SKIPPED: {} is missing, so no comparison was held against real measurements", folder.display());
    None
}

/// Files below the folder, and where there is one the exit code beside each of them.
fn files(names: &[&str]) -> Option<Files> {
    let folder = folder()?;
    let mut files = Files::default();
    for name in names {
        files.add(*name, std::fs::read(folder.join(name)).map_err(|error| error.to_string()));
        for beside in exit_code_files(name) {
            if let Ok(bytes) = std::fs::read(folder.join(&beside)) {
                files.add(beside, Ok(bytes));
            }
        }
    }
    Some(files)
}

fn expected(name: &str) -> Option<Value> {
    // Python wrote it, and some of the answers are infinite.
    let text = String::from_utf8(support::read(&folder()?.join("expected").join(name))).unwrap().replace(": Infinity", ": null");
    Some(serde_json::from_str(&text).unwrap())
}

fn raw(names: &[&str]) -> Vec<RawFile> {
    names.iter().map(|name| RawFile::new(*name)).collect()
}

/// Compares two arms of any shape, with what `ask` makes of the question.
fn compared(a: &[&str], b: &[&str], ask: impl FnOnce(&mut Question<'_>)) -> Option<Compared> {
    let files = files(&[a, b].concat())?;
    let mut question = Question::new(&files, raw(a), raw(b));
    ask(&mut question);
    Some(compare(&question))
}

fn floored(pairs: &[(&str, &str)], ask: impl Fn(&mut Question<'_>)) -> Option<Floored> {
    let names: Vec<&str> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
    let files = files(&names)?;
    let pair = |(a, b): &(&str, &str)| {
        let mut question = Question::new(&files, raw(&[a]), raw(&[b]));
        ask(&mut question);
        question
    };
    Some(floor(&pairs.iter().map(pair).collect::<Vec<_>>()))
}

fn profile(sections: Value) -> Profile {
    let profile = json!({ "format": "receipt-profile/1", "name": "of a test", "sections": sections });
    Profile::read(profile.to_string().as_bytes()).unwrap()
}

fn shape(shape: &Value) -> Shape {
    Shape::read(shape.to_string().as_bytes()).unwrap()
}

fn outcome(compared: &Compared) -> (u8, &str) {
    (compared.exit.code, compared.why.as_deref().unwrap_or_default())
}

/// Equal but for what the order of three operations makes of the last bits.
#[track_caller]
fn close(found: f64, wanted: f64) {
    assert!((found - wanted).abs() <= 1e-12 * wanted.abs().max(1e-3), "found {found}, wanted {wanted}");
}

#[test]
fn every_synthetic_case_has_its_expected_answer() {
    let Some(expected) = expected("compare-synthetic.json") else { return };
    let sweep = |name: &str| format!("synthetic/sweep-B-{name}.json");
    let both = |arm: &str| ["single", "sweep"].map(|half| format!("synthetic/{half}-{arm}.json")).to_vec();
    for (case, wanted) in expected.as_object().unwrap() {
        let (a, b) = match case.as_str() {
            "aa" => (vec!["synthetic/aa-runA.json".to_owned()], vec!["synthetic/aa-runB.json".to_owned()]),
            "full-26" => (both("A"), both("B")),
            "missing-arm" => (vec!["synthetic/no-such-file.json".to_owned()], vec!["synthetic/single-B.json".to_owned()]),
            "zero" => (vec!["synthetic/sweep-A-zero.json".to_owned()], vec!["synthetic/sweep-B.json".to_owned()]),
            other => (vec!["synthetic/sweep-A.json".to_owned()], vec![sweep(other)]),
        };
        let names: Vec<&str> = a.iter().chain(&b).map(String::as_str).collect();
        let files = files(&names).unwrap();
        let kind = |name: &String| {
            RawFile::of(if name.contains("sweep") || name.contains("aa-") { Section::Sweep } else { Section::Single }, name)
        };
        let found = compare(&Question::new(&files, a.iter().map(kind).collect(), b.iter().map(kind).collect()));

        assert_eq!(u64::from(found.exit.code), wanted["exit"].as_u64().unwrap(), "{case}: {:?}", found.why);
        assert_eq!(found.why.is_some(), found.exit.code != 0, "{case}");
        assert_eq!(wanted["refused"].as_str().unwrap_or("OK"), found.exit.name, "{case}");
        assert_eq!(found.delta_convention, wanted["delta_convention"]);
        if let (Some(check), Some(wanted)) = (&found.profile_verified, wanted.get("profile")) {
            let check = serde_json::to_value(check).unwrap();
            assert_eq!(check["required"], wanted["checked"], "{case}");
            for name in ["identical", "mismatch", "unverifiable", "verified"] {
                assert_eq!(check[name], wanted[name], "{case}: {name}");
            }
        }
        let rows = wanted["metrics"].as_array().cloned().unwrap_or_default();
        assert_eq!(found.metrics.len(), rows.len(), "{case}");
        for (row, wanted) in found.metrics.iter().zip(&rows) {
            let row_json = serde_json::to_value(row).unwrap();
            for name in ["metric", "A", "B", "shown"] {
                match (row_json[name].as_f64(), wanted[name].as_f64()) {
                    (Some(found), Some(wanted)) => close(found, wanted),
                    _ => assert_eq!(row_json[name], wanted[name], "{case}: {}", row.metric),
                }
            }
            match (row.delta_pct, wanted["delta_pct"].as_f64()) {
                (Some(found), Some(wanted)) => close(found, wanted),
                (found, wanted) => assert_eq!(found, wanted, "{case}: {}", row.metric),
            }
        }
    }
}

const LOCAL: &str = "sparkinfer-k3/vllm_awq/vllm_awq_local_ctx";
const FP8: &str = "sparkinfer-k3/vllm_awq_fp8_only/fp8_ctx";
const DEFAULT_KV: &str = "sparkinfer-k3/vllm_awq_variants/default_kv_ctx";
const CONTEXTS: [u32; 4] = [128, 512, 4096, 16384];

fn latency(run: &str, context: u32) -> String {
    format!("{run}{context}_out128.json")
}

/// What the logs beside these files say, which the files themselves do not.
fn declared(fields: &Value) -> Declared {
    let files: serde_json::Map<String, Value> = [LOCAL, FP8, DEFAULT_KV]
        .into_iter()
        .flat_map(|run| CONTEXTS.map(|context| (latency(run, context), json!({ "input_len": context }))))
        .collect();
    let declared = json!({ "format": "receipt-declared-profile/1", "fields": fields, "files": files });
    Declared::read(declared.to_string().as_bytes()).unwrap()
}

fn latency_profile() -> Profile {
    profile(json!([{ "section": "single", "fields": ["model", "batch_size", "output_len"], "point_fields": ["input_len"] }]))
}

fn with_declared(question: &mut Question<'_>) {
    let fields = json!({ "single.model": "Kimi K3 AWQ", "single.batch_size": 1, "single.output_len": 128 });
    question.profile = latency_profile();
    question.declared = [Some(declared(&fields)), Some(declared(&fields))];
}

#[test]
fn files_that_record_no_profile_are_refused() {
    let Some(found) = compared(&[&latency(LOCAL, 128)], &[&latency(FP8, 128)], |_| ()) else { return };
    assert_eq!(outcome(&found).0, 6);
    let check = found.profile_verified.unwrap();
    assert_eq!((check.required, check.identical, check.unverifiable.len()), (11, 0, 11));
    assert!(found.metrics.is_empty() && !found.headline.publishable && found.headline.arm_a.is_none());
}

#[test]
fn a_run_that_wrote_nothing_is_a_missing_arm_with_its_exit_code() {
    let missing = "sparkinfer-k3/vllm_awq/vllm_awq_ctx128_out128.json";
    let Some(found) = compared(&[missing], &[&latency(FP8, 128)], |_| ()) else { return };
    let (code, why) = outcome(&found);
    assert_eq!(code, 3);
    assert!(why.starts_with(&format!("arm A raw file {missing} cannot be read: ")), "{why}");
    assert!(why.ends_with("vllm_awq_ctx128_exitcode.txt beside it says that the run ended with 143"), "{why}");
}

#[test]
fn the_noise_of_a_real_pair_is_the_largest_difference_of_each_point() {
    let Some(expected) = expected("real-examples.json") else { return };
    let files_of = |run: &str| CONTEXTS.map(|context| latency(run, context));
    let (local, fp8, default_kv) = (files_of(LOCAL), files_of(FP8), files_of(DEFAULT_KV));
    let names: Vec<&str> = local.iter().chain(&fp8).chain(&default_kv).map(String::as_str).collect();
    let files = files(&names).unwrap();
    let arm = |names: &[String]| names.iter().map(RawFile::new).collect::<Vec<_>>();

    let mut question = Question::new(&files, arm(&local), arm(&fp8));
    with_declared(&mut question);
    let found = floor(&[question]);
    assert_eq!(found.exit.code, 0, "{:?}", found.why);
    let measured = found.floor.unwrap();
    let mut largest = std::collections::BTreeMap::new();
    let rows = expected["W2"]["rows"].as_array().unwrap();
    for row in rows {
        for (name, statistic) in [("AA_avg", "mean"), ("AA_p50", "p50"), ("AA_p90", "p90"), ("AA_p99", "p99")] {
            let metric = format!("single.i{}.latency_s.{statistic}", row["ctx"]);
            let floor = measured.metrics.iter().find(|floor| floor.metric == metric).unwrap();
            close(floor.floor_pct, row[name].as_f64().unwrap().abs());
            assert_eq!((floor.pairs, floor.rows.as_slice()), (1, [Some(8), Some(8)].as_slice()));
            let largest = largest.entry(&name[3..]).or_insert(0.0_f64);
            *largest = largest.max(floor.floor_pct);
        }
    }
    assert_eq!(measured.metrics.len(), 16);
    largest.iter().for_each(|(name, floor)| close(*floor, expected["W2"]["floor"][name].as_f64().unwrap()));

    let mut question = Question::new(&files, arm(&fp8), arm(&default_kv));
    with_declared(&mut question);
    question.floor = Some(measured.clone());
    let found = compare(&question);
    assert_eq!(outcome(&found), (0, ""));
    for row in rows {
        let metric = format!("single.i{}.latency_s.p50", row["ctx"]);
        let found = found.metrics.iter().find(|row| row.metric == metric).unwrap();
        close(found.delta_pct.unwrap(), row["AB_p50"].as_f64().unwrap());
        assert_eq!(found.method, Some("linear"));
        let reading = serde_json::to_value(&found.floor).unwrap();
        assert_eq!(reading["reading"], "above_floor");
        close(reading["floor_pct"].as_f64().unwrap(), row["AA_p50"].as_f64().unwrap().abs());
    }
    assert_eq!(found.metrics[0].shown, "-12.38");
    assert!(found.headline.reasons.iter().any(|reason| reason.starts_with("declared, not recorded: ")), "{:?}", found.headline.reasons);

    let mut again = Question::new(&files, arm(&local), arm(&fp8));
    with_declared(&mut again);
    again.floor = Some(measured.clone());
    let within = compare(&again).metrics;
    assert!(within.iter().all(|row| serde_json::to_value(&row.floor).unwrap()["reading"] == "within_floor"));

    let other = json!({ "single.model": "Kimi K3 AWQ", "single.batch_size": 2, "single.output_len": 128 });
    again.declared = [Some(declared(&other)), Some(declared(&other))];
    let reading = serde_json::to_value(&compare(&again).metrics[0].floor).unwrap();
    assert_eq!(reading["reading"], "floor_not_applicable");
    assert_eq!(reading["why"], "single.batch_size is 1 there, 2 here");
}

#[test]
fn a_floor_says_nothing_about_points_where_it_was_not_measured() {
    let Some(found) = floored(&[("synthetic/aa-runA.json", "synthetic/aa-runB.json")], |_| ()) else { return };
    let measured = found.floor.unwrap();
    let floors: Vec<f64> = measured.metrics.iter().map(|metric| metric.floor_pct).collect();
    for (found, wanted) in floors.iter().zip([0.33013698630136, 0.28, 0.05, 0.39, 0.00037383177570, 0.74]) {
        assert!((found - wanted).abs() < 1e-9, "{found} {wanted}");
    }
    let read = Floor::read(serde_json::to_string(&measured).unwrap().as_bytes()).unwrap();
    let (single, sweep) = (["synthetic/single-A.json", "synthetic/sweep-A.json"], ["synthetic/single-B.json", "synthetic/sweep-B.json"]);
    let found = compared(&single, &sweep, |question| question.floor = Some(read)).unwrap();
    let reading = |metric: &str| {
        let row = found.metrics.iter().find(|row| row.metric == metric).unwrap();
        let reading = serde_json::to_value(&row.floor).unwrap();
        (reading["reading"].as_str().unwrap().to_owned(), reading["why"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(reading("sweep.c1.tok_s_per_gpu"), ("above_floor".to_owned(), String::new()));
    assert_eq!(reading("sweep.c32.tok_s_per_gpu"), ("floor_not_applicable".to_owned(), "no A/A at sweep.c32".to_owned()));
    assert_eq!(reading("single.ttft_ms.p50"), ("floor_not_applicable".to_owned(), "no A/A at single".to_owned()));
}

#[test]
fn one_file_is_no_pair() {
    let Some(found) = floored(&[("synthetic/aa-runA.json", "synthetic/aa-runA.json")], |_| ()) else { return };
    assert_eq!(found.exit.code, 2);
    let found = compared(&["synthetic/aa-runA.json"], &["synthetic/aa-runA.json"], |_| ()).unwrap();
    assert!(found.exit.code == 0 && !found.headline.publishable);
    assert!(found.metrics.iter().all(|row| row.shown == "0.00"));
}

/// A sweep whose cells are keyed by three numbers, as another project writes it: no code is needed for it.
fn kernelore() -> Shape {
    shape(&json!({
        "format": "receipt-shape/1", "name": "kernelore-sweep", "section": "sweep",
        "fits": [{ "at": "/sweep_results", "exists": true }, { "at": "/metadata/engine", "exists": true }],
        "fields": [{ "at": "/metadata" }, { "at": "/token_count_source", "as": "token_count_source" }],
        "points": {
            "at": "/sweep_results",
            "keep": [{ "at": "/status", "is": "ok" }],
            "key": [{ "prefix": "i", "field": "isl_target" }, { "prefix": "o", "field": "osl" }, { "prefix": "c", "field": "concurrency" }],
            "fields": [
                { "at": "/isl_target", "as": "isl_target" }, { "at": "/osl", "as": "osl" }, { "at": "/concurrency", "as": "concurrency" },
                { "at": "/requests", "as": "requests" }, { "at": "/prompt_tokens_observed", "as": "prompt_tokens_observed" },
            ],
            "counts": { "requests": "/requests", "ok": "/successful" },
        },
        "metrics": [
            { "name": "tok_s", "unit": "tok/s", "better": "higher", "definition": "of all streams", "at": "/aggregate_tok_s" },
            { "name": "tpot_ms.p50", "unit": "ms", "better": "lower", "definition": "by chunk", "at": "/tpot_ms/p50" },
        ],
    }))
}

#[test]
fn a_sweep_that_was_asked_other_prompts_is_no_comparison() {
    let (a, b) = ("kernelore/saturation_c16_direct.json", "kernelore/saturation_dspark_direct.json");
    let with = |point_fields: Value, waiver: Option<&str>| {
        compared(&[a], &[b], |question| {
            question.shapes = vec![kernelore()];
            question.profile = profile(json!([{ "section": "sweep", "fields": ["tp", "gpus"], "point_fields": point_fields }]));
            question.waivers = waiver.into_iter().map(|waiver| waiver.parse().unwrap()).collect();
        })
    };
    let Some(found) = with(json!(["requests", "prompt_tokens_observed"]), None) else { return };
    let check = found.profile_verified.as_ref().unwrap();
    assert_eq!((found.exit.code, check.mismatch.len(), check.unverifiable.len()), (4, 7, 0), "{:?}", found.why);
    let field = check.fields.iter().find(|field| field.field == "sweep.i1024-o1024-c8.prompt_tokens_observed").unwrap();
    assert_eq!((field.a.as_deref(), field.b.as_deref()), (Some("1040.5"), Some("917.625")));

    let found =
        with(json!(["requests", "prompt_tokens_observed"]), Some("sweep.*.prompt_tokens_observed=a constant offset of 123")).unwrap();
    assert_eq!(outcome(&found), (0, ""));
    assert_eq!((found.metrics[2].metric.as_str(), found.metrics[2].a), ("sweep.i1024-o1024-c16.tok_s", Some(492.022_440_031_319_26)));
    assert!(!found.headline.publishable && found.headline.reasons.len() == 7, "{:?}", found.headline.reasons);

    let found = with(json!(["requests"]), None).unwrap();
    let differences = found.profile_verified.unwrap().unchecked_differences;
    assert_eq!(differences.iter().filter(|difference| difference.field.ends_with("prompt_tokens_observed")).count(), 7);
    let found = with(json!(["requests"]), Some("sweep.seed=there is none")).unwrap();
    assert_eq!(outcome(&found), (2, "no field is named sweep.seed, so nothing is waived"));
}

#[test]
fn a_sweep_run_again_was_not_asked_the_same() {
    let run = |folder: &str, points: &[u32]| -> Vec<String> {
        points.iter().map(|c| format!("mnmehta/conc-sweep-real-1000-1000{folder}/conc-{c}.json")).collect()
    };
    let with = |points: &[u32], fields: Value| {
        let (a, b) = (run("", points), run("-repro-20260803", points));
        let (a, b): (Vec<&str>, Vec<&str>) = (a.iter().map(String::as_str).collect(), b.iter().map(String::as_str).collect());
        compared(&a, &b, |question| {
            question.profile = profile(json!([{ "section": "sweep", "fields": ["model_id", "backend"], "point_fields": fields }]));
        })
    };
    let all = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
    let Some(found) = with(&all, json!(["requests", "request_rate", "total_input_tokens", "seed"])) else { return };
    let check = found.profile_verified.as_ref().unwrap();
    let wanted: Vec<String> = all[4..].iter().map(|c| format!("sweep.c{c}.total_input_tokens")).collect();
    assert_eq!((found.exit.code, &check.mismatch, check.unverifiable.len()), (4, &wanted, 10));
    assert_eq!(with(&all[..4], json!(["total_input_tokens", "seed"])).unwrap().exit.code, 6);

    let expected = expected("real-examples.json").unwrap();
    let found = with(&all, json!(["requests", "request_rate"])).unwrap();
    assert_eq!(outcome(&found), (0, ""));
    for row in expected["W12"].as_array().unwrap() {
        for (name, metric) in [("thr", "output_tok_s"), ("tpot50", "tpot_ms.p50"), ("ttft50", "ttft_ms.p50")] {
            let metric = format!("sweep.c{}.{metric}", row["c"]);
            close(found.metrics.iter().find(|row| row.metric == metric).unwrap().delta_pct.unwrap(), row[name].as_f64().unwrap());
        }
    }
    assert!(found.headline.publishable, "{:?}", found.headline.reasons);
}

#[test]
fn a_guard_that_was_not_measured_is_a_baseline_of_zero() {
    let guards = shape(&json!({
        "format": "receipt-shape/1", "name": "guards", "section": "single", "fits": [{ "at": "/guard_512_baseline", "exists": true }],
        "fields": [{ "at": "/gpu", "as": "gpu" }],
        "metrics": [{ "name": "guard_512", "unit": "tok/s", "better": "higher", "definition": "d", "at": "/guard_512_baseline" }],
    }));
    let result = "sparkinfer-log/0465-0217e1f/result.json";
    let Some(found) = compared(&[result], &[result], |question| {
        question.shapes = vec![guards];
        question.profile = profile(json!([{ "section": "single", "fields": ["gpu"] }]));
    }) else {
        return;
    };
    assert_eq!(outcome(&found), (5, "arm A is zero for single.guard_512, and nothing can be said in percent of it"));
}

#[test]
fn an_export_whose_requests_failed_is_read_and_not_publishable() {
    let run = |name: &str| {
        ["profile_export_aiperf.json", "profile_export.jsonl"].map(|file| format!("mnmehta/agentx-mvp-pp2-humming-{name}/{file}"))
    };
    let with = |a: &str, b: &str| {
        let (a, b) = (run(a), run(b));
        compared(&a.each_ref().map(String::as_str), &b.each_ref().map(String::as_str), |question| {
            question.profile = profile(json!([{ "section": "single", "fields": ["seed", "streaming", "ignore_eos"] }]));
        })
    };
    let Some(found) = with("c3-pf-fail", "c1") else { return };
    assert_eq!(outcome(&found), (0, ""));
    let failed = serde_json::to_value(&found.points[0]).unwrap();
    assert_eq!(failed["A"], json!({ "requests": null, "failures": 207, "rows_total": 226, "rows_ok": 19 }));
    assert_eq!(failed["B"], json!({ "requests": null, "failures": 2, "rows_total": 68, "rows_ok": 66 }));
    let e2e = found.metrics.iter().find(|row| row.metric == "single.e2e_ms.p50").unwrap();
    close(e2e.a.unwrap(), 20_898.076_208);
    close(e2e.b.unwrap(), 12_227.667_854);
    assert_eq!(e2e.method, Some("linear"));
    assert!(
        found.headline.reasons.iter().any(|reason| reason == "arm A, single: 207 of 226 requests failed"),
        "{:?}",
        found.headline.reasons
    );
    assert!(!found.headline.reasons.iter().any(|reason| reason.contains("the summary says")), "{:?}", found.headline.reasons);

    let expected = expected("real-examples.json").unwrap();
    let found = with("kv-offload-c1", "kv-offload-retest-c1").unwrap();
    let row = |name: &str| found.metrics.iter().find(|row| row.metric == format!("single.{name}")).unwrap();
    for (name, metric) in [("time_to_first_token", "ttft_ms.p50"), ("inter_token_latency", "itl_ms.p50"), ("request_latency", "e2e_ms.p50")]
    {
        close(row(metric).delta_pct.unwrap(), expected["W9b"][name]["delta"].as_f64().unwrap());
    }
    close(row("requests_s").delta_pct.unwrap(), expected["W9"]["delta"].as_f64().unwrap());
    assert_eq!(row("requests_s").shown, "-0.00");
    assert!(found.profile_verified.as_ref().unwrap().unchecked_differences.iter().any(|field| field.field == "single.total_input_tokens"));
}

#[test]
fn runs_of_a_command_are_compared_by_their_rows() {
    let with = |b: &str, fields: Value| {
        compared(&["own-hyperfine/aa-sha256-A.json"], &[b], |question| {
            question.profile = profile(json!([{ "section": "single", "point_fields": fields }]));
        })
    };
    let Some(found) = with("own-hyperfine/aa-sha256-B.json", json!(["command"])) else { return };
    assert_eq!(outcome(&found), (0, ""));
    assert_eq!(found.metrics[0].metric, "single.r0.time_s.p50");
    close(found.metrics[0].a.unwrap(), 0.010_682_873_5);
    assert_eq!(found.points[0].a.rows_ok, Some(8));
    let found = with("own-hyperfine/ab-sha512.json", json!(["command"])).unwrap();
    assert_eq!(outcome(&found), (4, "1 of 1 fields differ: single.r0.command"));
}

// Measurements of our own.

fn sweep() -> Value {
    let point = |c: u32, tok_s: f64| {
        json!({
            "concurrency": c, "requests": 4, "warmup": 1, "prompt_sha256": format!("{c:064x}"), "completed": 4, "failed": 0,
            "tok_s_per_gpu": tok_s, "ttft_ms_p50": 100.0, "tpot_ms_p50": 10.0,
        })
    };
    json!({
        "format": "native-sweep/1", "workload": "B", "input_tokens": 512, "output_tokens": 128, "gpu_count": 4, "seed": 7,
        "concurrency_list": [1, 4], "points": [point(1, 20.0), point(4, 70.0)],
    })
}

fn single() -> Value {
    let row = |ttft: f64, ok: bool| json!({ "ok": ok, "completion_tokens": 128, "ttft_ms": ttft, "tpot_ms": 10.0, "e2e_ms": 1280.0 });
    json!({
        "format": "native-single/1",
        "profile": {
            "concurrency": 1, "requests": 3, "warmup_requests": 1, "input_tokens_target": 512, "output_tokens_target": 128, "temperature": 0.0,
            "top_p": 1.0, "streaming": true, "ignore_eos": true, "seed": 7, "prompt_sha256": "5".repeat(64),
        },
        "rows": [row(50.0, true), row(60.0, true), row(10.0, true)],
    })
}

fn edited(mut value: Value, edits: &[(&str, Value)]) -> Value {
    for (pointer, wanted) in edits {
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        match (value.pointer_mut(parent).unwrap(), wanted) {
            (Value::Object(object), Value::Null) => _ = object.remove(name),
            (Value::Array(items), Value::Null) => _ = items.remove(name.parse::<usize>().unwrap()),
            (Value::Array(items), wanted) if name == "-" => items.push(wanted.clone()),
            (parent, wanted) => parent[name.to_owned()] = wanted.clone(),
        }
    }
    value
}

/// Compares two documents.
fn of_documents(a: &str, b: &str, ask: impl FnOnce(&mut Question<'_>)) -> Compared {
    let mut files = Files::default();
    files.add("a.json", Ok(a.as_bytes().to_vec()));
    files.add("b.json", Ok(b.as_bytes().to_vec()));
    let mut question = Question::new(&files, raw(&["a.json"]), raw(&["b.json"]));
    ask(&mut question);
    compare(&question)
}

/// Another run of the sweep.
fn again() -> Value {
    edited(sweep(), &[("/points/1/ttft_ms_p50", json!(100.5))])
}

/// Compares a sweep with another run of it, edited.
fn of_sweep(edits: &[(&str, Value)]) -> Compared {
    of_documents(&sweep().to_string(), &edited(again(), edits).to_string(), |_| ())
}

#[test]
fn every_refusal_has_its_code() {
    let fingerprint = "/points/0/prompt_sha256";
    type Edits<'a> = &'a [(&'a str, Value)];
    let cases: [(Edits<'_>, u8, &str); 16] = [
        (&[], 0, ""),
        (&[("/seed", json!(7.0))], 0, ""),
        (&[("/seed", json!("7"))], 4, "1 of 12 fields differ: sweep.seed"),
        (&[("/seed", json!(8)), (fingerprint, Value::Null)], 4, "1 of 12 fields differ: sweep.seed"),
        (&[(fingerprint, Value::Null)], 6, "1 of 12 fields cannot be checked: sweep.c1.prompt_sha256"),
        (&[(fingerprint, json!("0".repeat(64)))], 6, "1 of 12 fields cannot be checked: sweep.c1.prompt_sha256"),
        (&[(fingerprint, json!(""))], 6, "1 of 12 fields cannot be checked: sweep.c1.prompt_sha256"),
        (&[("/workload", json!("unknown"))], 6, "1 of 12 fields cannot be checked: sweep.workload"),
        (&[("/concurrency_list", json!([4, 1]))], 4, "1 of 12 fields differ: sweep.concurrency_list"),
        (&[("/points/1", Value::Null)], 6, "3 of 12 fields cannot be checked: sweep.c4.requests, sweep.c4.warmup, sweep.c4.prompt_sha256"),
        (
            &[("/points/-", sweep()["points"][1].clone())],
            6,
            "3 of 12 fields cannot be checked: sweep.c4.requests, sweep.c4.warmup, sweep.c4.prompt_sha256",
        ),
        (&[("/points/0/ttft_ms_p50", json!(0.0))], 0, ""),
        (&[("/format", json!("native-sweep/2"))], 3, "arm B raw file b.json cannot be read: it has none of the shapes"),
        (&[("/points", json!({}))], 3, "arm B raw file b.json cannot be read: \"/points\" is no list of points"),
        (&[("/points", Value::Null)], 3, "arm B raw file b.json cannot be read: nothing is at"),
        (&[("/points/0/tok_s_per_gpu", json!("20"))], 0, ""),
    ];
    for (edits, code, why) in cases {
        let found = of_sweep(edits);
        assert_eq!(found.exit.code, code, "{edits:?}: {:?}", found.why);
        assert!(found.why.as_deref().unwrap_or_default().starts_with(why), "{edits:?}: {:?}", found.why);
        assert_eq!((code == 0, code == 0), (!found.metrics.is_empty(), found.headline.metric.is_some()), "{edits:?}");
    }
    let files = Files::default();
    assert_eq!(outcome(&compare(&Question::new(&files, Vec::new(), Vec::new()))), (2, "no arm is given"));
    assert_eq!(outcome(&compare(&Question::new(&files, raw(&["a"]), Vec::new()))).0, 3);
}

#[test]
fn the_headline_is_the_first_metric_whatever_became_of_it() {
    let first = "sweep.c1.tok_s_per_gpu";
    let beyond = format!("{first}: the difference in percent is beyond a double");
    for (a, b, ratio, reasons) in [
        (json!(20.0), json!("20"), None, vec!["the metric of the headline is absent in an arm".to_owned()]),
        (json!(-1.7e308), json!(1.7e308), Some(-1.0), vec![beyond.clone(), format!("arm A, {first}: -1.7e308 is not above 0")]),
        (json!(1e-300), json!(1e300), None, vec!["the ratio of the headline is beyond a double".to_owned(), beyond.clone()]),
        (json!(5e-324), json!(1.0), None, vec!["the ratio of the headline is beyond a double".to_owned(), beyond.clone()]),
        (json!(5e-324), json!(1e-323), Some(2.0), vec![]),
        (json!(1.7e308), json!(1.6e308), Some(1.6e308 / 1.7e308), vec![]),
    ] {
        let [one, other] = [&a, &b].map(|tok_s| edited(sweep(), &[("/points/0/tok_s_per_gpu", tok_s.clone())]));
        let found = of_documents(&one.to_string(), &edited(other, &[("/points/1/ttft_ms_p50", json!(100.5))]).to_string(), |_| ());
        assert_eq!((found.exit.code, found.headline.metric.as_deref()), (0, Some(first)), "{a} {b}");
        assert_eq!((found.headline.publishable, &found.headline.reasons), (reasons.is_empty(), &reasons), "{a} {b}");
        assert_eq!(found.headline.ratio_b_over_a, ratio, "{a} {b}");
        let why = found.metrics[0].why;
        assert_eq!(why.is_some(), reasons.contains(&beyond), "{a} {b}");
        assert_eq!(found.metrics[0].delta_pct.is_some(), found.metrics[0].b.is_some() && why.is_none(), "{a} {b}");
    }
    let pair = floor_of(&[-1.7e308, 1.7e308], &[]);
    assert_eq!((pair.exit.code, pair.why), (6, Some(format!("pair 1: {beyond}"))));
}

#[test]
fn an_arm_has_the_points_that_it_lists() {
    let asking = |question: &mut Question<'_>| question.profile = profile(json!([{ "section": "sweep", "fields": ["seed"] }]));
    for (list, code) in [
        (json!([1, 4]), 0),
        (json!([4.0, 1]), 0),
        (json!([1]), 6),
        (json!([1, 8]), 6),
        (json!([]), 6),
        (json!(4), 6),
        (json!(["c1", "c4"]), 6),
        (Value::Null, 0),
    ] {
        let listing = edited(sweep(), &[("/concurrency_list", list.clone())]).to_string();
        assert_eq!(of_documents(&listing, &format!("{listing} "), asking).exit.code, code, "{list}");
    }
    let short = edited(sweep(), &[("/concurrency_list", json!([1]))]).to_string();
    let why = "3 of 12 fields cannot be checked: sweep.c4.requests, sweep.c4.warmup, sweep.c4.prompt_sha256";
    let found = of_documents(&short, &format!("{short} "), |_| ());
    assert_eq!(outcome(&found), (6, why));
    let check = found.profile_verified.unwrap();
    let field = check.fields.iter().find(|field| field.field == "sweep.c4.requests").unwrap();
    assert_eq!(field.why.as_deref(), Some("arm A has the point, and does not list it"));
}

#[test]
fn a_missing_point_is_missed_although_nothing_is_asked_of_points() {
    let without = edited(sweep(), &[("/points/1", Value::Null), ("/concurrency_list", json!([1]))]);
    let asking = |question: &mut Question<'_>| question.profile = profile(json!([{ "section": "sweep", "fields": ["seed"] }]));
    for (a, b) in [(sweep(), without.clone()), (without, sweep())] {
        let found = of_documents(&a.to_string(), &b.to_string(), asking);
        assert_eq!(outcome(&found), (6, "1 of 2 fields cannot be checked: sweep.c4"));
    }
    let listed = edited(sweep(), &[("/points/1", Value::Null)]).to_string();
    assert_eq!(of_documents(&listed, &format!("{listed} "), asking).exit.code, 6, "both lists say that there is a point");
}

#[test]
fn a_point_that_does_not_say_which_one_it_is_is_none() {
    for value in [Value::Null, json!("unknown"), json!("")] {
        let unnamed = edited(sweep(), &[("/points/1/concurrency", value), ("/concurrency_list", json!([1]))]);
        let found = of_documents(&unnamed.to_string(), &format!("{unnamed:#}"), |_| ());
        assert_eq!((found.exit.code, found.profile_verified.unwrap().unverifiable.len()), (6, 3));
    }
}

#[test]
fn a_waiver_does_not_choose_between_two_points() {
    let twice = edited(sweep(), &[("/points/-", edited(sweep()["points"][1].clone(), &[("/tok_s_per_gpu", json!(90.0))]))]);
    let found = of_documents(&sweep().to_string(), &twice.to_string(), |question| question.waivers = vec!["sweep.c4.*=x".parse().unwrap()]);
    assert_eq!(found.exit.code, 0, "{:?}", found.why);
    assert!(found.metrics.iter().filter(|row| row.point == "sweep.c4").all(|row| row.b.is_none() && row.shown == "absent"));
}

#[test]
fn a_half_that_nobody_asked_about_is_not_verified() {
    let found = of_documents(&single().to_string(), &single().to_string(), |question| {
        question.profile = profile(json!([{ "section": "sweep", "fields": ["seed"] }]));
    });
    assert_eq!(outcome(&found), (6, "1 of 1 fields cannot be checked: single"));
    let found = of_documents(&single().to_string(), &sweep().to_string(), |_| ());
    assert_eq!((found.exit.code, found.profile_verified.unwrap().required), (6, 11 + 1 + 6 + 3 * 2));
}

#[test]
fn failures_and_waivers_and_what_does_not_add_up_are_not_publishable() {
    let reasons = |edits: &[(&str, Value)]| of_sweep(edits).headline.reasons;
    assert_eq!(reasons(&[]), [] as [&str; 0]);
    let failed = [("/points/1/completed", json!(3)), ("/points/1/failed", json!(1))];
    assert_eq!(reasons(&failed), ["arm B, sweep.c4: 1 of 4 requests failed"]);
    assert_eq!(reasons(&[("/points/1/completed", json!(3))]), ["arm B, sweep.c4: 1 of 4 requests failed"]);
    assert_eq!(reasons(&[("/points/1/completed", json!(5))]), ["arm B, sweep.c4: 5 that succeeded and 0 that failed are not 4 requests"]);
    let alone = [("/points/1/completed", json!(5)), ("/points/1/failed", Value::Null)];
    assert_eq!(reasons(&alone), ["arm B, sweep.c4: 5 of 4 requests succeeded"]);
    let unknown = [("/points/0/completed", Value::Null), ("/points/0/failed", Value::Null)];
    assert_eq!(reasons(&unknown), ["arm B, sweep.c1: whether requests failed is not recorded"]);
    let one = "no metric differs in its last digit, as if both arms were one measurement";
    assert_eq!(
        of_documents(&sweep().to_string(), &sweep().to_string(), |_| ()).headline.reasons,
        ["a.json is in both arms, byte for byte", one]
    );
    assert_eq!(of_documents(&sweep().to_string(), &format!("{:#}", sweep()), |_| ()).headline.reasons, [one]);
    let negative = [("/points/0/ttft_ms_p50", json!(-1.5)), ("/points/1/tok_s_per_gpu", json!(-70.0))];
    assert_eq!(
        reasons(&negative),
        ["arm B, sweep.c1.ttft_ms_p50: -1.5 is not above 0", "arm B, sweep.c4.tok_s_per_gpu: -70.0 is not above 0"]
    );
    let nothing = [("/points/0/ttft_ms_p50", json!(0.0))];
    assert_eq!(
        reasons(&nothing),
        ["arm B, sweep.c1.ttft_ms_p50: 0.0 is not above 0"],
        "zero is what is written where nothing was measured"
    );
    let both = edited(sweep(), &negative);
    let reasons = of_documents(&both.to_string(), &sweep().to_string(), |_| ()).headline.reasons;
    assert_eq!(reasons[0], "arm A, sweep.c1.ttft_ms_p50: -1.5 is not above 0");

    let waived = [("/seed", json!(8)), ("/points/0/tok_s_per_gpu", json!(21.0))];
    let found = of_documents(&sweep().to_string(), &edited(sweep(), &waived).to_string(), |question| {
        question.waivers = vec!["sweep.seed=the \u{202e}prompts are the same".parse().unwrap()];
    });
    assert_eq!(found.exit.code, 0);
    assert_eq!(found.headline.reasons, ["waived: sweep.seed (the \\u{202e}prompts are the same)"]);
    let check = found.profile_verified.unwrap();
    assert_eq!((check.required, check.identical, check.verified, check.waived), (11, 11, true, vec!["sweep.seed".to_owned()]));
}

#[test]
fn no_request_succeeded_and_no_statistic_is_a_number() {
    let none = [("/points/0/completed", json!(0)), ("/points/0/failed", json!(4)), ("/points/0/ttft_ms_p50", json!(0.0))];
    let found = of_documents(&edited(sweep(), &none).to_string(), &sweep().to_string(), |_| ());
    assert_eq!(found.exit.code, 0, "{:?}", found.why);
    assert!(found.metrics.iter().filter(|row| row.point == "sweep.c1").all(|row| row.a.is_none() && row.shown == "absent"));
    assert_eq!(serde_json::to_value(&found.metrics[0]).unwrap()["A"], "absent");
}

#[test]
fn a_baseline_of_zero_refuses_and_a_result_of_zero_is_a_loss_of_all() {
    let zero = edited(sweep(), &[("/points/0/tok_s_per_gpu", json!(-0.0))]).to_string();
    assert_eq!(of_documents(&zero, &sweep().to_string(), |_| ()).exit.code, 5);
    let found = of_documents(&sweep().to_string(), &zero, |_| ());
    assert_eq!((found.exit.code, found.metrics[0].shown.as_str(), found.metrics[0].delta_pct), (0, "-100.00", Some(-100.0)));
    let nothing = json!({ "/points/0/tok_s_per_gpu": 1, "/points/0/ttft_ms_p50": 1, "/points/0/tpot_ms_p50": 1 });
    let edits: Vec<(String, Value)> = nothing
        .as_object()
        .unwrap()
        .keys()
        .flat_map(|key| [key.clone(), key.replace("/0/", "/1/")])
        .map(|key| (key, Value::Null))
        .collect();
    let edits: Vec<(&str, Value)> = edits.iter().map(|(key, value)| (key.as_str(), value.clone())).collect();
    assert_eq!(outcome(&of_sweep(&edits)), (6, "no metric is in both arms, so there is nothing to compare"));
}

#[test]
fn differences_are_shown_as_printf_does() {
    let shown = |b: f64| {
        let found = of_sweep(&[("/points/0/tok_s_per_gpu", json!(b))]);
        (found.metrics[0].shown.clone(), found.headline.ratio_b_over_a.unwrap())
    };
    assert_eq!(shown(20.0), ("0.00".to_owned(), 1.0));
    assert_eq!(shown(20.000_000_1).0, "+0.00");
    assert_eq!(shown(19.999_999_9).0, "-0.00");
    assert_eq!(shown(20.25), ("+1.25".to_owned(), 1.0125));
    assert_eq!(shown(25.0), ("+25.00".to_owned(), 1.25));
}

#[test]
fn the_statistics_of_rows_are_of_requests_that_succeeded() {
    let failed = edited(single(), &[("/rows/-", json!({ "ok": false, "ttft_ms": 0.0 })), ("/profile/requests", json!(4))]);
    let other = [
        ("/rows/-", single()["rows"][0].clone()),
        ("/profile/requests", json!(4)),
        ("/rows/0/e2e_ms", json!(1300.0)),
        ("/rows/1/e2e_ms", json!(1300.0)),
    ];
    let other = edited(single(), &other);
    let found = of_documents(&failed.to_string(), &other.to_string(), |_| ());
    assert_eq!(found.exit.code, 0, "{:?}", found.why);
    assert_eq!((found.metrics[0].metric.as_str(), found.metrics[0].a, found.metrics[0].b), ("single.ttft_ms.p50", Some(50.0), Some(50.0)));
    assert_eq!((found.metrics[3].metric.as_str(), found.metrics[3].a), ("single.tok_s.p50", Some(100.0)));
    assert_eq!(found.headline.reasons, ["arm A, single: 1 of 4 requests failed", "single: the arms have unequal numbers of rows"]);
    let with_error = |error: Value| {
        let failed = edited(other.clone(), &[("/rows/2/error", error)]).to_string();
        let found = of_documents(&other.to_string(), &failed, |_| ());
        found.points[0].b.failures
    };
    assert_eq!((with_error(json!("timeout")), with_error(json!("")), with_error(json!(null))), (Some(1), Some(0), Some(0)));
    let lacking = edited(other, &[("/rows/1/ttft_ms", Value::Null)]);
    assert_eq!(of_documents(&lacking.to_string(), &lacking.to_string(), |_| ()).metrics[0].metric, "single.tpot_ms.p50");
}

#[test]
fn a_summary_has_to_agree_with_its_rows() {
    let latency = |p50: f64, last: f64| {
        json!({ "avg_latency": (3.0 + last) / 3.0, "latencies": [1.0, last, 2.0], "percentiles": { "50": p50, "90": 2.0 + 0.8 * (last - 2.0), "99": 2.0 + 0.98 * (last - 2.0) } })
            .to_string()
    };
    let found = of_documents(&latency(2.0, 3.0), &latency(2.5, 3.5), |question| {
        let declared = br#"{"format": "receipt-declared-profile/1", "fields": {"single.model": "m"}}"#.as_slice();
        question.declared = [Declared::read(declared).ok(), Declared::read(declared).ok()];
        question.profile = profile(json!([{ "section": "single", "fields": ["model"] }]));
    });
    assert_eq!((found.exit.code, found.metrics[0].b), (0, Some(2.0)), "the rows count: {:?}", found.why);
    assert_eq!(
        found.headline.reasons,
        ["declared, not recorded: single.model", "arm B, single: latency_s.p50: the summary says 2.5, the rows give 2"]
    );
}

#[test]
fn what_is_declared_does_not_replace_what_is_recorded() {
    let declared = br#"{"format": "receipt-declared-profile/1", "fields": {"sweep.seed": 8}}"#;
    let found = of_documents(&sweep().to_string(), &edited(sweep(), &[("/seed", json!(8))]).to_string(), |question| {
        question.declared = [Declared::read(declared).ok(), None];
    });
    assert_eq!(outcome(&found).0, 6);
    let field = found.profile_verified.unwrap().fields.into_iter().find(|field| field.field == "sweep.seed").unwrap();
    assert_eq!(field.why.as_deref(), Some("arm A leaves it open: recorded as 7, declared as 8"));
}

#[test]
fn two_definitions_of_a_metric_are_two_metrics() {
    let other = |what: &str, value: &str| {
        let mut shape: Value = support::read_json(&support::workspace().join("verify-core/shapes/native-sweep.json"));
        shape["name"] = "other".into();
        shape["fits"][0]["is"] = "other/1".into();
        shape["metrics"][0][what] = value.into();
        of_documents(&sweep().to_string(), &edited(sweep(), &[("/format", json!("other/1"))]).to_string(), |question| {
            question.shapes.push(Shape::read(shape.to_string().as_bytes()).unwrap());
        })
    };
    assert_eq!(outcome(&other("definition", "decode only")), (4, "1 of 13 fields differ: sweep.metric.tok_s_per_gpu.definition"));
    assert_eq!(outcome(&other("unit", "tok/h")), (4, "1 of 13 fields differ: sweep.metric.tok_s_per_gpu.unit"));
    assert_eq!(other("unit", "tok/s").exit.code, 0);
    let stated = |definition: &str| edited(sweep(), &[("/definitions", json!({ "tpot_ms_p50": definition }))]).to_string();
    let found = of_documents(&stated("by token"), &stated("by chunk"), |_| ());
    assert_eq!(outcome(&found), (4, "1 of 13 fields differ: sweep.metric.tpot_ms_p50"));
    assert_eq!(of_documents(&stated("by token"), &sweep().to_string(), |_| ()).exit.code, 6);
}

/// A floor of sweeps whose first throughput is so much.
fn floor_of(first: &[f64], edits: &[(&str, Value)]) -> Floored {
    let mut files = Files::default();
    for (index, tok_s) in first.iter().enumerate() {
        let document = edited(sweep(), &[edits, &[("/points/0/tok_s_per_gpu", json!(tok_s)), ("/run", json!(index))]].concat());
        files.add(index.to_string(), Ok(document.to_string().into_bytes()));
    }
    let names: Vec<String> = (0..first.len()).map(|index| index.to_string()).collect();
    let pairs: Vec<Question<'_>> = names.chunks(2).map(|pair| Question::new(&files, raw(&[&pair[0]]), raw(&[&pair[1]]))).collect();
    floor(&pairs)
}

#[test]
fn a_floor_is_the_largest_of_its_pairs_and_never_less() {
    let found = floor_of(&[20.0, 20.1, 20.0, 19.8], &[]).floor.unwrap();
    let first = &found.metrics[0];
    assert_eq!((first.metric.as_str(), first.pairs, found.pairs), ("sweep.c1.tok_s_per_gpu", 2, 2));
    close(first.floor_pct, 1.0);
    let read = |b: f64, between: Option<Floor>, edits: &[(&str, Value)]| {
        let edited = |tok_s: f64| edited(sweep(), &[edits, &[("/points/0/tok_s_per_gpu", json!(tok_s))]].concat());
        let found = of_documents(&edited(20.0).to_string(), &edited(b).to_string(), |question| {
            question.floor = Some(floor_of(&[20.0, 20.1, 20.0, 19.8], &[]).floor.unwrap());
            question.between_windows = between;
        });
        let row = serde_json::to_value(&found.metrics[0]).unwrap();
        let reading = |name: &str| row[name]["reading"].as_str().unwrap_or_default().to_owned();
        (reading("floor"), row["floor"]["why"].as_str().unwrap_or_default().to_owned(), reading("between_windows"))
    };
    let within = |b: f64| read(b, None, &[]).0;
    assert_eq!([within(20.2), within(19.8), within(20.000_000_1)], ["within_floor"; 3].map(str::to_owned));
    assert_eq!([within(20.200_001), within(19.799_999)], ["above_floor"; 2].map(str::to_owned));
    let wide = floor_of(&[20.0, 21.0], &[]).floor;
    assert_eq!(read(20.5, wide, &[]), ("above_floor".to_owned(), String::new(), "within_floor".to_owned()));
    for (pointer, value, why) in [
        ("/workload", json!("C"), "sweep.workload is \"B\" there, \"C\" here"),
        ("/points/0/requests", json!(40), "sweep.c1.requests is 4 there, 40 here"),
    ] {
        assert_eq!(read(20.0, None, &[(pointer, value)]), ("floor_not_applicable".to_owned(), why.to_owned(), String::new()));
    }
    let longer =
        [("/concurrency_list", json!([1, 4, 8])), ("/points/-", edited(sweep()["points"][1].clone(), &[("/concurrency", json!(8))]))];
    assert_eq!(read(20.2, None, &longer).0, "within_floor", "which other points there were is no condition");
    assert_eq!(read(20.2, None, &[("/candidate", json!("c"))]).0, "within_floor", "and no candidate is");
}

#[test]
fn a_floor_is_of_one_candidate_and_one_question() {
    assert_eq!(floor_of(&[20.0, 20.1], &[("/candidate", json!({ "sha256": "c" }))]).exit.code, 0);
    let pair = |a: Value, b: Value| {
        let mut files = Files::default();
        files.add("a", Ok(a.to_string().into_bytes()));
        files.add("b", Ok(b.to_string().into_bytes()));
        let found = floor(&[Question::new(&files, raw(&["a"]), raw(&["b"]))]);
        (found.exit.code, found.why.unwrap_or_default())
    };
    let candidate = |digest: &str| edited(sweep(), &[("/candidate", json!({ "sha256": digest }))]);
    assert_eq!(pair(candidate("c"), candidate("d")), (4, "pair 1: 1 of 13 fields differ: sweep.candidate.sha256".to_owned()));
    assert_eq!(pair(candidate("c"), sweep()).0, 6);
    assert_eq!(floor(&[]).exit.code, 2);
    let stock = floor_of(&[20.0, 20.1], &[("/candidate", json!("c"))]).floor;
    let found = of_documents(&candidate("c").to_string(), &candidate("d").to_string(), |question| question.floor = stock);
    assert_eq!(serde_json::to_value(&found.metrics[0].floor).unwrap()["reading"], "within_floor");

    let mut files = Files::default();
    for (name, seed) in [("a", 7), ("b", 7), ("c", 8), ("d", 8)] {
        files.add(
            name,
            Ok(edited(sweep(), &[("/seed", json!(seed)), ("/points/0/ttft_ms_p50", json!(100 + name.as_bytes()[0]))])
                .to_string()
                .into_bytes()),
        );
    }
    let floored = |pairs: &[(&str, &str)]| {
        let pairs: Vec<Question<'_>> = pairs.iter().map(|(a, b)| Question::new(&files, raw(&[a]), raw(&[b]))).collect();
        let found = floor(&pairs);
        (found.exit.code, found.why.unwrap_or_default())
    };
    let again = "holds a file again, which is no other measurement";
    assert_eq!(floored(&[("a", "b"), ("b", "a")]), (2, format!("pair 2 {again}")));
    assert_eq!(floored(&[("a", "a")]), (2, format!("pair 1 {again}")));
    let failed = |failed: u64| edited(sweep(), &[("/points/0/failed", json!(failed)), ("/points/0/completed", json!(4 - failed))]);
    assert_eq!(pair(failed(0), edited(failed(0), &[("/points/0/tok_s_per_gpu", json!(20.5))])).0, 0);
    let one = "pair 1: no metric differs in its last digit, as if both arms were one measurement";
    assert_eq!(pair(failed(0), edited(failed(0), &[("/run", json!(2))])), (6, one.to_owned()), "another name is no other measurement");
    let why = "pair 1: requests failed, so that the arms differ by more than noise";
    assert_eq!(pair(failed(0), failed(1)), (6, why.to_owned()));
    let found = floor(&[("a", "b"), ("c", "d")].map(|(a, b)| Question::new(&files, raw(&[a]), raw(&[b]))));
    assert_eq!(
        (found.exit.code, found.why.as_deref()),
        (4, Some("pair 2 was measured under other conditions: sweep.seed is 7 there, 8 here"))
    );
    assert!(found.floor.is_none());
}

#[test]
fn what_its_own_floor_says_is_not_publishable() {
    let [one, other, third] = [20.0, 20.5, 30.0].map(|tok_s| edited(sweep(), &[("/points/0/tok_s_per_gpu", json!(tok_s))]).to_string());
    let mut files = Files::default();
    for (name, document) in [("a", &one), ("b", &other)] {
        files.add(name, Ok(document.as_bytes().to_vec()));
    }
    let floor = floor(&[Question::new(&files, raw(&["a"]), raw(&["b"]))]).floor.unwrap();
    let reading = |a: &str, b: &str| {
        let found = of_documents(a, b, |question| question.floor = Some(floor.clone()));
        let row = serde_json::to_value(&found.metrics[0]).unwrap();
        (row["floor"]["reading"].as_str().unwrap().to_owned(), found.headline.reasons)
    };
    let own = vec!["the floor was taken of runs of both arms, which are within it by construction".to_owned()];
    assert_eq!(reading(&one, &other), ("within_floor".to_owned(), own));
    assert_eq!(
        reading(&one, &third),
        ("above_floor".to_owned(), Vec::new()),
        "a run of the stock arm may be the one that is compared with"
    );
}

#[test]
fn a_floor_does_not_shrink_in_its_file() {
    for step in 1..300_u32 {
        let measured = floor_of(&[20.0, 20.0 + f64::from(step) / 7_000.0], &[]).floor.unwrap();
        let read = Floor::read(serde_json::to_string(&measured).unwrap().as_bytes()).unwrap();
        assert_eq!(read.metrics[0].floor_pct.to_bits(), measured.metrics[0].floor_pct.to_bits());
    }
}

#[test]
fn a_floor_that_is_no_distance_is_no_floor() {
    let floor = serde_json::to_value(floor_of(&[20.0, 20.1], &[]).floor.unwrap()).unwrap();
    assert!(Floor::read(floor.to_string().as_bytes()).is_ok());
    for (pointer, value, why) in [
        ("/metrics/0/floor_pct", json!(-1.0), "metrics: \"sweep.c1.tok_s_per_gpu\" has a floor that is no distance"),
        ("/format", json!("receipt-floor/2"), "unknown variant"),
        ("/more", json!(1), "unknown field"),
        ("/metrics/-", floor["metrics"][0].clone(), "metrics: \"sweep.c1.tok_s_per_gpu\" stands twice"),
        ("/metrics", json!([]), "it has no metrics"),
        ("/metrics/0/pairs", json!(0), "is of 0 of 1 pairs"),
        ("/metrics/0/pairs", json!(2), "is of 2 of 1 pairs"),
        ("/metrics/0/pairs", json!(-1), "invalid value"),
        ("/metrics/0/rows", json!([]), "has not the rows of two arms a pair"),
        ("/metrics/0/better", json!("up"), "unknown variant"),
        ("/metrics/0/method", json!("mean"), "the percentile method \"mean\", which is not known"),
        ("/metrics/0/point", json!("c1"), "is of \"c1\", which is no point"),
        ("/metrics/0/point", json!("sweep.c4"), "is no metric of \"sweep.c4\""),
        ("/metrics/0/metric", json!("sweep.c1"), "is no metric of \"sweep.c1\""),
        ("/pairs", json!(0), "pairs is 0, and the files of 1 pairs are named"),
        ("/pairs", json!(5), "pairs is 5, and the files of 1 pairs are named"),
        ("/pairs", json!(-1), "invalid value"),
        ("/inputs", json!([]), "pairs is 1, and the files of 0 pairs are named"),
        ("/inputs/0/A", json!([]), "inputs/0 lacks the files of an arm"),
        ("/inputs/0/A/0/sha256", json!("AB"), "inputs: \"AB\" is no SHA-256"),
        ("/inputs/0/A/0/sha256", floor["inputs"][0]["B"][0]["sha256"].clone(), "a file which is there already"),
        ("/profile_sha256", json!(""), "profile_sha256: \"\" is no SHA-256"),
        ("/conditions/sweep/sweep.seed", json!("7 "), "\"sweep.seed\" of \"sweep\" is no field"),
        ("/conditions/sweep/sweep.seed", json!("x"), "\"sweep.seed\" of \"sweep\" is no field"),
        ("/conditions/sweep/seed", json!("7"), "\"seed\" of \"sweep\" is no field"),
        ("/conditions/c1", json!({"c1.seed": "7"}), "\"c1.seed\" of \"c1\" is no field"),
        ("/candidate/sweep.seed", json!("7"), "\"sweep.seed\" of \"candidate\" is no field"),
    ] {
        let error = Floor::read(edited(floor.clone(), &[(pointer, value)]).to_string().as_bytes()).unwrap_err().to_string();
        assert!(error.contains(why), "{pointer}: {error}");
    }
}

#[test]
fn a_floor_applies_to_its_own_profile_and_direction() {
    let reading = |edits: &[(&str, Value)]| {
        let measured = serde_json::to_value(floor_of(&[20.0, 20.1], &[]).floor.unwrap()).unwrap();
        let read = Floor::read(edited(measured, edits).to_string().as_bytes()).unwrap();
        let found = of_documents(&sweep().to_string(), &format!("{:#}", sweep()), |question| question.floor = Some(read));
        let reading = serde_json::to_value(&found.metrics[0].floor).unwrap();
        (reading["reading"].as_str().unwrap().to_owned(), reading["why"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(reading(&[]).0, "within_floor");
    let other = "0".repeat(64);
    for (pointer, value, why) in [
        ("/profile_sha256", json!(other), format!("the profile is {other} there, ")),
        ("/metrics/0/better", json!("lower"), "the direction is \"lower is better\" there, \"higher is better\" here".to_owned()),
        ("/metrics/0/unit", json!("req/s"), "the unit is \"req/s\" there, ".to_owned()),
    ] {
        let (found, reason) = reading(&[(pointer, value)]);
        assert_eq!(found, "floor_not_applicable", "{pointer}");
        assert!(reason.starts_with(&why), "{pointer}: {reason}");
    }
}

#[test]
fn a_dirty_drain_is_not_publishable() {
    let drain = |boundary: Value| {
        let record = json!({ "format": "receipt-drain/1", "boundaries": [boundary] }).to_string();
        of_documents(&sweep().to_string(), &again().to_string(), |question| {
            question.drain = Some(Drain::read(record.as_bytes()).unwrap());
        })
    };
    let gpus =
        |used: [f64; 4]| used.iter().enumerate().map(|(index, used)| json!({ "index": index, "used_mib": used })).collect::<Vec<_>>();
    let clean = json!({ "at": "A to B", "threshold_mib": 2048.0, "gpus": gpus([700.0, 726.0, 0.0, 1.0]), "killed": [] });
    let found = drain(clean.clone());
    assert!(found.headline.publishable && found.drain.unwrap().max_used_mib == Some(726.0));
    for (pointer, value, why) in [
        ("/gpus/3/used_mib", json!(2048.5), "drain at \"A to B\": 2048.5 MiB in use on accelerator 3; allowed 2048"),
        ("/gpus/3", Value::Null, "drain at \"A to B\": 3 accelerators are recorded, the arms ran on 4"),
        ("/gpus/3/index", json!(2), "drain at \"A to B\": 3 accelerators are recorded, the arms ran on 4"),
        ("/threshold_mib", json!(4096.5), "drain at \"A to B\": a threshold of 4096.5 MiB tells nothing; at least 0 and at most 4096 do"),
        ("/killed", Value::Null, "drain at \"A to B\": what was killed is not recorded"),
    ] {
        let found = drain(edited(clean.clone(), &[(pointer, value)]));
        assert_eq!((found.exit.code, found.headline.publishable, found.headline.reasons), (0, false, vec![why.to_owned()]));
    }
    let at_most = drain(edited(clean.clone(), &[("/threshold_mib", json!(4096.0))]));
    assert!(at_most.drain.unwrap().clean);
    let negative = drain(edited(clean, &[("/threshold_mib", json!(-1.0))])).drain.unwrap();
    assert!(!negative.clean && negative.reasons[0].contains("a threshold of -1 MiB tells nothing"), "{:?}", negative.reasons);
    let none = Drain::read(br#"{"format": "receipt-drain/1", "boundaries": []}"#).unwrap();
    assert!(!of_documents(&sweep().to_string(), &sweep().to_string(), |question| question.drain = Some(none)).drain.unwrap().clean);
}

#[test]
fn a_gate_is_read_beside_its_own_control() {
    let gate = |control: Option<f64>, candidate: f64| {
        let result = json!({
            "format": "receipt-gate/1", "metric": "top-1", "bar": 0.9, "candidate": candidate, "control": control, "skipped_fraction": 0.2416,
        });
        let found = of_documents(&sweep().to_string(), &again().to_string(), |question| {
            question.gate = Some(Gate::read(result.to_string().as_bytes()).unwrap());
        });
        let check = found.gate.unwrap();
        assert_eq!(check.task_level, "SKIPPED");
        (check.result, found.headline.publishable)
    };
    assert_eq!(gate(Some(0.95), 0.95), (GateResult::Pass, true));
    assert_eq!(gate(Some(0.95), 0.6594), (GateResult::Fail, false));
    assert_eq!(gate(Some(0.7812), 0.6594), (GateResult::Unsound, false));
    assert_eq!(gate(Some(0.7812), 0.99), (GateResult::Unsound, false));
    assert_eq!(gate(None, 0.99), (GateResult::Unreadable, false));
    let check = |edits: &[(&str, Value)]| {
        let good = json!({
            "format": "receipt-gate/1", "metric": "top-1", "bar": 0.9, "candidate": 0.95, "control": 0.95, "skipped_fraction": 0.5,
        });
        let gate = Gate::read(edited(good, edits).to_string().as_bytes()).unwrap();
        let found = of_documents(&sweep().to_string(), &again().to_string(), |question| question.gate = Some(gate));
        (found.gate.unwrap().result, found.headline.reasons.join("; "))
    };
    assert_eq!(check(&[]), (GateResult::Pass, String::new()));
    assert_eq!(check(&[("/task_level", json!("PASSED"))]), (GateResult::Pass, String::new()));
    let failed = "accuracy gate top-1: the evaluation of the task says \"FAILED\"";
    assert_eq!(check(&[("/task_level", json!("FAILED"))]), (GateResult::Pass, failed.to_owned()));
    for (pointer, value, why) in [
        ("/skipped_fraction", 1.0, "accuracy gate top-1: the part 1 of the positions was left out; from 0 to 0.5 may be"),
        ("/skipped_fraction", 0.500_001, "accuracy gate top-1: the part 0.500001 of the positions was left out; from 0 to 0.5 may be"),
        ("/skipped_fraction", -0.1, "accuracy gate top-1: the part -0.1 of the positions was left out; from 0 to 0.5 may be"),
        ("/bar", 0.0, "accuracy gate top-1: a bar of 0 stops nothing"),
        ("/bar", -1.0, "accuracy gate top-1: a bar of -1 stops nothing"),
    ] {
        assert_eq!(check(&[(pointer, json!(value))]), (GateResult::Unreadable, why.to_owned()));
    }
}

#[test]
fn the_answer_is_the_same_bytes_and_harmless() {
    let hostile = [("/workload", json!("\u{1b}[31m ::error:: <script>")), ("/points/0/\u{202e}x", json!(1))];
    let answer = || of_sweep(&hostile).to_json_pretty();
    assert_eq!(answer(), answer());
    assert!(answer().bytes().all(|byte| matches!(byte, b'\n' | b' '..=b'~') && byte != b'<') && !answer().contains("::"));
}

// Files as tools write them, made up.

fn serve() -> Value {
    json!({
        "backend": "openai", "endpoint_type": "openai", "model_id": "m", "tokenizer_id": "m", "num_prompts": 4, "request_rate": "inf",
        "burstiness": 1.0, "max_concurrency": 2, "completed": 3, "failed": 1, "total_input_tokens": 40, "total_output_tokens": 30,
        "output_throughput": 10.0, "request_throughput": 1.0, "median_ttft_ms": 200.0, "median_tpot_ms": 20.0, "median_e2el_ms": 400.0,
        "ttfts": [0.1, 0.0, 0.3, 0.2], "errors": ["", "gone", "", ""],
    })
}

fn serve_profile() -> Profile {
    profile(json!([{ "section": "sweep", "fields": ["model_id"], "point_fields": ["requests", "request_rate", "total_input_tokens"] }]))
}

fn of_serve(edits: &[(&str, Value)]) -> Compared {
    of_documents(&serve().to_string(), &edited(serve(), edits).to_string(), |question| question.profile = serve_profile())
}

#[test]
fn a_failed_request_has_no_first_token_at_zero() {
    let found = of_serve(&[("/request_throughput", json!(1.5)), ("/output_throughput", json!(15.0))]);
    assert_eq!(outcome(&found), (0, ""));
    let ttft = found.metrics.iter().find(|row| row.metric == "sweep.c2.ttft_ms.p50").unwrap();
    assert_eq!((ttft.a, ttft.method), (Some(200.0), Some("linear")), "of 100, 200 and 300 ms, in the unit of the summary");
    assert_eq!(found.points[0].a.rows_ok, Some(3));
    assert_eq!(found.headline.reasons, ["A", "B"].map(|arm| format!("arm {arm}, sweep.c2: 1 of 4 requests failed")));
    let found = of_serve(&[("/median_ttft_ms", json!(150.0))]);
    assert!(found.headline.reasons.contains(&"arm B, sweep.c2: ttft_ms.p50: the summary says 150, the rows give 200".to_owned()));
    let none_left =
        [("/completed", json!(0)), ("/failed", json!(4)), ("/median_ttft_ms", json!(0.0)), ("/errors", json!(["a", "b", "c", "d"]))];
    assert!(of_serve(&none_left).metrics.iter().all(|row| row.b.is_none()), "the medians of nothing are written as 0.0");
    assert_eq!(of_serve(&none_left).exit.code, 6);
}

#[test]
fn an_unlimited_rate_is_a_text_and_two_lists_are_of_one_length() {
    assert_eq!(of_serve(&[("/request_rate", json!("inf"))]).exit.code, 0);
    assert_eq!(outcome(&of_serve(&[("/request_rate", json!(1e300))])), (4, "1 of 4 fields differ: sweep.c2.request_rate"));
    let found = of_serve(&[("/errors", json!(["", ""]))]);
    assert_eq!(outcome(&found), (3, "arm B raw file b.json cannot be read: its lists of rows have different lengths"));
    assert_eq!(of_serve(&[("/median_ttft_ms", json!("inf")), ("/ttfts", Value::Null), ("/errors", Value::Null)]).exit.code, 0);
}

#[test]
fn several_files_are_one_arm_and_two_of_a_point_are_none() {
    let mut files = Files::default();
    let mut add = |name: &str, c: u32, tok_s: f64| {
        let document = edited(serve(), &[("/max_concurrency", json!(c)), ("/output_throughput", json!(tok_s))]);
        files.add(name, Ok(document.to_string().into_bytes()));
    };
    [("a1", 1, 10.0), ("a2", 2, 20.0), ("b1", 1, 11.0), ("b2", 2, 18.0), ("b2x", 2, 90.0)]
        .into_iter()
        .for_each(|(name, c, tok_s)| add(name, c, tok_s));
    let with = |b: &[&str]| {
        let mut question = Question::new(&files, raw(&["a1", "a2"]), raw(b));
        question.profile = serve_profile();
        compare(&question)
    };
    let found = with(&["b2", "b1"]);
    let shown: Vec<&str> = found.metrics.iter().filter(|row| row.metric.ends_with("output_tok_s")).map(|row| row.shown.as_str()).collect();
    assert_eq!((found.exit.code, shown), (0, vec!["+10.00", "-10.00"]));
    let twice = with(&["b1", "b2", "b2x"]);
    assert_eq!((twice.exit.code, twice.profile_verified.unwrap().unverifiable.len()), (6, 3));
    assert_eq!(with(&["b1"]).exit.code, 6);
}

#[test]
fn a_command_that_failed_is_a_failure_however_fast_it_was() {
    let runs = |times: [f64; 3], codes: [i32; 3]| {
        json!({ "results": [{ "command": "x", "median": times[1], "mean": 1.0, "times": times, "exit_codes": codes }] }).to_string()
    };
    let found = of_documents(&runs([2.0, 3.0, 4.0], [0, 0, 0]), &runs([0.1, 3.0, 4.0], [1, 0, 0]), |question| {
        question.profile = profile(json!([{ "section": "single", "point_fields": ["command"] }]));
    });
    assert_eq!((found.exit.code, found.metrics[0].b), (0, Some(3.5)));
    assert_eq!(found.headline.reasons[0], "arm B, single.r0: 1 of 3 requests failed");
}

/// An export and its rows: one warm-up, two that succeeded, one that failed.
fn export() -> [Value; 2] {
    let metric = |value: f64| json!({ "unit": "ms", "p50": value });
    let summary = json!({
        "aiperf_version": "0", "input_config": { "endpoint": { "streaming": true }, "artifacts": { "dir": "/home/a" } }, "run_info": { "random_seed": 7 },
        "time_to_first_token": metric(15.0), "inter_token_latency": metric(2.0), "request_latency": metric(150.0),
        "request_throughput": { "unit": "requests/sec", "avg": 1.0 }, "request_count": { "avg": 2.0 }, "error_request_count": { "avg": 1.0 },
        "metadata": { "submission_valid": true },
    });
    let row = |phase: &str, ttft: f64| {
        json!({
            "metadata": { "benchmark_phase": phase, "x_request_id": "i" },
            "metrics": {
                "time_to_first_token": { "value": ttft }, "inter_token_latency": { "value": 2.0 }, "request_latency": { "value": ttft * 10.0 },
            },
        })
    };
    let failed = json!({ "metadata": { "benchmark_phase": "profiling", "x_request_id": "i" }, "metrics": {}, "error": { "code": 500 } });
    [summary, json!([row("warmup", 900.0), row("profiling", 10.0), row("profiling", 20.0), failed])]
}

fn of_exports(a: &[Value; 2], b: &[Value; 2]) -> Compared {
    let mut files = Files::default();
    for (name, [summary, rows]) in [("a", a), ("b", b)] {
        files.add(format!("{name}.json"), Ok(format!("{summary:#}").into_bytes()));
        let lines: String = rows.as_array().unwrap().iter().map(|row| format!("{row}\n")).collect();
        files.add(format!("{name}.jsonl"), Ok(lines.into_bytes()));
    }
    let mut question = Question::new(&files, raw(&["a.json", "a.jsonl"]), raw(&["b.jsonl", "b.json"]));
    question.profile = profile(json!([{ "section": "single", "fields": ["seed", "streaming"] }]));
    compare(&question)
}

#[test]
fn an_export_and_its_rows_are_one_point() {
    let found = of_exports(&export(), &export());
    assert_eq!(outcome(&found), (0, ""));
    let counts = serde_json::to_value(&found.points).unwrap();
    assert_eq!(counts[0]["A"], json!({ "requests": null, "failures": 1, "rows_total": 3, "rows_ok": 2 }));
    assert_eq!(counts[0]["A"], counts[0]["B"], "whatever the order of the files");
    let ttft = found.metrics.iter().find(|row| row.metric == "single.ttft_ms.p50").unwrap();
    assert_eq!((ttft.a, ttft.b), (Some(15.0), Some(15.0)), "without the warm-up and the failed one");
    assert!(found.headline.reasons.iter().any(|reason| reason == "arm A, single: 1 of 3 requests failed"), "{:?}", found.headline.reasons);

    let [summary, rows] = export();
    let other = [edited(summary.clone(), &[("/time_to_first_token/p50", json!(16.0))]), rows.clone()];
    let found = of_exports(&export(), &other);
    let doubt = "arm B, single: ttft_ms.p50: the summary says 16, the rows give 15".to_owned();
    assert!(found.headline.reasons.contains(&doubt), "{:?}", found.headline.reasons);
    assert_eq!(found.metrics.iter().find(|row| row.metric == "single.ttft_ms.p50").unwrap().b, Some(15.0), "the rows count");

    let seconds = [edited(summary, &[("/time_to_first_token/unit", json!("s"))]), rows];
    let found = of_exports(&export(), &seconds);
    assert_eq!(outcome(&found), (3, "arm B raw file b.json cannot be read: its \"ttft_ms.p50\" is in \"s\"; wanted \"ms\""));
}

#[test]
fn whatever_a_file_holds_there_is_an_answer() {
    let [summary, rows] = export();
    let latency = json!({ "avg_latency": 2.0, "latencies": [1.0, 3.0], "percentiles": { "50": 2.0 } });
    let hyperfine = json!({ "results": [{ "command": "x", "median": 1.0, "times": [1.0], "exit_codes": [0] }] });
    for document in [sweep(), single(), serve(), summary, rows[0].clone(), latency, hyperfine] {
        let text = document.to_string();
        let answer = |bytes: Vec<u8>| {
            let mut files = Files::default();
            files.add("a", Ok(text.clone().into_bytes()));
            files.add("b", Ok(bytes));
            let found = compare(&Question::new(&files, raw(&["a"]), raw(&["b"])));
            let is_verified = found.profile_verified.as_ref().is_some_and(|check| check.verified);
            assert!(is_verified || found.exit.code != 0);
            assert_eq!((found.exit.code == 0, found.why.is_none()), (!found.metrics.is_empty(), !found.metrics.is_empty()));
            assert!(found.headline.publishable <= (found.exit.code == 0));
        };
        for place in (0..text.len()).step_by(7) {
            answer(text.as_bytes()[..place].to_vec());
            for byte in *b"0-\"[}\n\xff" {
                let mut bytes = text.clone().into_bytes();
                bytes[place] = byte;
                answer(bytes);
            }
        }
    }
}

#[test]
fn a_count_that_is_no_number_of_requests_forbids_publication() {
    let reasons = |count: Value| {
        let counted = edited(again(), &[("/points/0/failed", count)]).to_string();
        let found = of_documents(&sweep().to_string(), &counted, |_| ());
        assert_eq!(found.exit.code, 0, "{:?}", found.why);
        found.headline.reasons.join("; ")
    };
    for count in [json!("3"), json!(-3), json!(1.5), json!(1e20), json!([1]), json!(true)] {
        let reasons = reasons(count);
        assert!(reasons.contains("is no number of requests that failed"), "{reasons}");
    }
    assert_eq!(reasons(json!(0.0)), "");
}

#[test]
fn an_arm_has_a_limited_number_of_points_and_fields() {
    let point = |index: usize| edited(sweep()["points"][1].clone(), &[("/concurrency", json!(1_000 + index))]);
    let points = |count: usize| {
        let document = edited(sweep(), &[("/points", (0..count).map(point).collect())]).to_string();
        of_documents(&document, &format!("{document} "), |_| ()).why.unwrap_or_default()
    };
    assert!(!points(limits::BENCH_POINTS).contains("points; at most"), "{}", points(limits::BENCH_POINTS));
    assert!(points(limits::BENCH_POINTS + 1).contains("it has 1001 points; at most 1000 are read"));
    let listed = |count: usize| {
        let document = edited(sweep(), &[("/concurrency_list", (0..count).collect())]).to_string();
        of_documents(&document, &format!("{document} "), |_| ()).why.unwrap_or_default()
    };
    assert!(listed(limits::BENCH_POINTS + 1).contains("it lists 1001 points; at most 1000 are read"));
    assert!(!listed(limits::BENCH_POINTS).contains("it lists"));
    let fields = |count: usize| {
        let definitions: serde_json::Map<String, Value> = (0..count).map(|index| (format!("m{index}"), json!("d"))).collect();
        let document = edited(sweep(), &[("/definitions", definitions.into())]).to_string();
        of_documents(&document, &format!("{document} "), |_| ()).why.unwrap_or_default()
    };
    assert!(fields(limits::BENCH_FIELDS).contains("fields; at most 20000 are read"));
    assert!(!fields(limits::BENCH_FIELDS - 100).contains("fields; at most"));
    let named = edited(sweep(), &[("/points/0/concurrency", json!("c".repeat(300)))]).to_string();
    let why = of_documents(&named, &format!("{named} "), |_| ()).why.unwrap_or_default();
    assert!(why.contains("the name of a point has more than 256 bytes"), "{why}");
}

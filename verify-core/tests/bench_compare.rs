//! Comparisons and floors of real measurements, and of synthetic ones with answers that were worked out by another program. The material
//! lies beside the checkout and is not part of it; see [`folder`].

#![expect(clippy::disallowed_methods, clippy::disallowed_macros, reason = "tests read files and the environment")]

mod support;

use std::path::PathBuf;

use serde_json::{Value, json};
use verify_core::bench::{
    Compared, Declared, Files, Floor, Floored, Profile, Question, RawFile, Section, Shape, compare, exit_code_files, floor,
};

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
    let text = std::fs::read_to_string(folder()?.join("expected").join(name)).unwrap().replace(": Infinity", ": null");
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

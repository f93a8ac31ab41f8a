//! What no vector can hold: files beside a receipt that cannot be read, or are too large.

#![expect(clippy::disallowed_methods, reason = "tests read files")]

mod support;

use verify_core::{Anchors, CheckResult, Code, Companion, Obligation, Outcome, Policy, Report, Request, RunFile, Verifier, limits};

fn judge(files: &[RunFile<'_>]) -> Report {
    judge_beside("receipts/verified.json", files)
}

fn judge_beside(receipt: &str, files: &[RunFile<'_>]) -> Report {
    let vectors = support::workspace().join("test-vectors");
    let anchors = Anchors::from_root(&support::read(&vectors.join("pki/root.pem")))
        .and_then(|anchors| anchors.with_tcb_signing(&support::read(&vectors.join("pki/tcb_signing.pem"))))
        .expect("anchors");
    let policy = String::from_utf8(support::read(&vectors.join("policies/test.toml"))).expect("UTF-8");
    let receipt = support::read(&vectors.join(receipt));
    Verifier::new(toml::from_str::<Policy>(&policy).expect("a policy"), anchors).verify(&Request::new(&receipt).with_run(files))
}

#[test]
fn what_was_compared_is_in_the_report() {
    let receipt = support::read_json(&support::workspace().join("test-vectors/receipts/verified.json"));
    let attestation = receipt["attestation"].to_string();
    let report = judge(&[RunFile::new(Companion::Attestation, attestation.as_bytes()), RunFile::new(Companion::EvalLog, b"")]);
    assert_eq!(report.outcome, Outcome::Verified);
    let [file, log] = report.run.as_slice() else { panic!("{:?}", report.run) };
    assert_eq!((file.name, file.bytes, file.against, file.compared), ("attestation.json", Some(attestation.len()), Some("receipt"), 51));
    let of_nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!((log.name, log.sha256.as_deref(), log.against, log.compared), ("eval.log", Some(of_nothing), None, 0));
}

#[test]
fn a_file_that_cannot_be_read_is_never_agreement() {
    let report = judge(&[RunFile::unreadable(Companion::Result, "it is a \u{1b}link")]);
    assert_eq!(report.outcome, Outcome::Unverifiable);
    assert!(report.has(Code::RunUnreadable));
    let problem = report.problems.iter().find(|problem| problem.code == Code::RunUnreadable).unwrap();
    assert_eq!(problem.message, "result.json cannot be compared: it is a \\u{1b}link");
    let file = report.run.first().unwrap();
    assert_eq!((file.name, &file.sha256, file.bytes, file.against), ("result.json", &None, None, None));
}

#[test]
fn every_member_that_a_result_repeats_is_compared() {
    let vector = "test-vectors/runs/run-agrees-long-result";
    let result = support::read_json(&support::workspace().join(vector).join("result.json"));
    for (name, other) in [
        ("commit", "\"0123457\""),
        ("eval_seed", "\"00112233aabbccde\""),
        ("llama_commit", "\"0123456\""),
        ("eval_mode", "\"dflash\""),
        ("clocks_pinned", "false"),
        ("label", "\"M\""),
        ("pass", "false"),
        ("reason", "\"ok\""),
        ("tps", "120.4"),
        ("delta_tps", "0"),
        ("delta_pct", "13"),
        ("pct_over_frontier", "-13.4"),
        ("regression_labels", "[\"128\"]"),
        ("top1", "1"),
        ("pr_top1", "0.95"),
        ("kl", "0.0126"),
        ("pr_kl", "0"),
        ("ctx_128_tps", "120"),
        ("guard_128_pass", "false"),
    ] {
        let mut result = result.clone();
        result[name] = serde_json::from_str(other).expect("JSON");
        let result = result.to_string();
        let report = judge_beside("runs/run-agrees-long-result/receipt.json", &[RunFile::new(Companion::Result, result.as_bytes())]);
        // What the receipt leaves open contradicts nothing.
        let wanted = if name == "reason" { Vec::new() } else { vec![format!("/{name}")] };
        assert_eq!(report.run.first().unwrap().differing, wanted);
    }
}

#[test]
fn many_differences_are_counted_and_the_first_are_named() {
    let members = |value: u32| (0..300).map(|index| format!("\"ctx_{index}\": {value}")).collect::<Vec<_>>().join(", ");
    let result = format!("{{{}}}", members(1));
    let log = format!("RESULT_JSON {{{}}}\n", members(2));
    let report = judge(&[RunFile::new(Companion::Result, result.as_bytes()), RunFile::new(Companion::LogText, log.as_bytes())]);
    let log = report.run.iter().find(|file| file.name == "log.txt").unwrap();
    assert_eq!((log.compared, log.differ, log.differing.len(), log.against), (300, 300, 100, Some("result.json")));
    let problem = report.problems.iter().find(|problem| problem.code == Code::RunLog).unwrap();
    assert_eq!(problem.message, "log.txt has ctx_0 2, result.json has 1; 299 more differ: ctx_1, ctx_2, ctx_3, ctx_4");
}

/// The id of a receipt is one of the differences that are named.
#[test]
fn a_named_receipt_is_counted_among_the_differences() {
    let mut receipt = support::read_json(&support::workspace().join("test-vectors/receipts/verified.json"));
    let mut result = serde_json::Map::new();
    for index in 0..limits::DIFFERENCES {
        receipt["attestation"]["measurements"]["dflash"][format!("m{index}")] = 1.into();
        result.insert(format!("m{index}"), 2.into());
    }
    for (id, named, differing) in [(&receipt["receipt_id"], 0, 0), (&"00".repeat(16).into(), 1, 1)] {
        let with_id = |mut result: serde_json::Map<_, _>| {
            result.insert("receipt_id".to_owned(), id.clone());
            serde_json::Value::Object(result).to_string()
        };
        for (result, before) in [(serde_json::Map::new(), 0), (result.clone(), limits::DIFFERENCES)] {
            let result = with_id(result);
            let verifier = Verifier::new(Policy::strict(), Anchors::intel());
            let files = [RunFile::new(Companion::Result, result.as_bytes())];
            let report = verifier.verify(&Request::new(receipt.to_string().as_bytes()).with_run(&files));
            let file = report.run.first().unwrap();
            let listed = (before + named).min(limits::DIFFERENCES);
            assert_eq!((file.differ, file.differing.len()), (before + differing, listed));
        }
    }
}

#[test]
fn what_was_not_compared_is_not_called_passed() {
    let silent = [RunFile::new(Companion::Result, b"{\"id\": 1}"), RunFile::new(Companion::EvalLog, b"no result\n")];
    for files in [[].as_slice(), silent.as_slice()] {
        let report = judge(files);
        assert_eq!(report.outcome, Outcome::Verified);
        let check = report.checks.iter().find(|check| check.id == Obligation::Run).unwrap();
        assert!(matches!(check.result, CheckResult::NotApplicable { .. }), "{:?}", check.result);
        assert!(report.run.iter().all(|file| file.against.is_none()), "{:?}", report.run);
    }
}

/// The receipt of a run whose `result.json` is this.
fn judge_result(receipt: &str, result: &str) -> Report {
    judge_beside(receipt, &[RunFile::new(Companion::Result, result.as_bytes())])
}

#[test]
fn a_result_agrees_only_in_what_it_really_repeats() {
    let long = "runs/run-agrees-long-result/receipt.json";
    let agrees = |result: &str| {
        let report = judge_result(long, result);
        let file = report.run.first().unwrap();
        assert_eq!((file.compared, file.against), (1, Some("receipt")), "{result}");
        file.differ == 0
    };
    for result in [
        r#"{"commit": "0123456"}"#,
        r#"{"tps": "120.5000001"}"#,
        r#"{"clock_mhz": 2400.0}"#,
        r#"{"clock_mhz": "2400"}"#,
        r#"{"timestamp_utc": "2026-08-03T12:15:00+00:00"}"#,
        r#"{"repo": "https://git.example/engine"}"#,
    ] {
        assert!(agrees(result), "{result}");
    }
    for result in [
        r#"{"commit": "0"}"#,
        r#"{"commit": "012345"}"#,
        r#"{"commit": "0123456x"}"#,
        r#"{"tps": "120.50001"}"#,
        r#"{"tps": "120.5 "}"#,
        r#"{"clock_mhz": 2400.1}"#,
        r#"{"label": NaN}"#,
        r#"{"timestamp_utc": "2026-08-03T12:15:01Z"}"#,
        r#"{"repo": "https://git.example/other"}"#,
    ] {
        assert!(!agrees(result), "{result}");
    }
}

#[test]
fn a_result_that_names_only_its_receipt_was_compared() {
    let receipt = support::read_json(&support::workspace().join("test-vectors/receipts/verified.json"));
    let own = receipt["receipt_id"].as_str().unwrap();
    for (id, differ) in [(own, 0), (&own[..16], 1), (&format!("{own}0"), 1)] {
        let report = judge_result("receipts/verified.json", &format!("{{\"receipt_id\": \"{id}\"}}"));
        let file = report.run.first().unwrap();
        assert_eq!((file.compared, file.differ, file.differing.len(), file.against), (1, differ, differ, Some("receipt")), "{id}");
        assert_eq!(report.has(Code::RunReceiptId), differ == 1, "{id}");
    }
}

#[test]
fn a_model_means_another_thing_in_each_place() {
    let report = judge_result("receipts/verified.json", r#"{"model": "of another place", "model_sha256": "00"}"#);
    assert_eq!(report.run.first().unwrap().compared, 0);
}

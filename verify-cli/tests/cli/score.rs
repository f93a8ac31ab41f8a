//! `receipt score` and `verify --score`: labels with their steps, and one exit code for each kind of answer.

use std::fs;

use crate::support::{VERIFIED, folder, receipt, receipt_with_input, shared, text, verify};

const K3: &str = "test-vectors/scores/k3.toml";
const RUN: [&str; 8] = ["--value", "45.38", "--frontier", "40.02", "--top1", "1.0", "--kl", "0.0067"];

fn score<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [&["score", "--params", K3], arguments].concat()
}

#[test]
fn the_label_comes_with_every_step() {
    let run = receipt(&score(&[&RUN[..], &["--guard", "128=3.5/3.55", "--guard", "4k=0.99"]].concat()));
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    for line in [
        "L  passes, by the parameters \"k3\" (777c3057201076d7cc7568207d8f18320baba8a7114aa3a859fc5ceda0fed44d)",
        "  top1          0.95 <= 1.0 <= 1: holds",
        "  guard         \"128\": 3.5 / 3.55 = 0.9859154929577465 >= 0.98: holds",
        "  guard         \"4k\": 0.99 / 1.0 = 0.99 >= 0.98: holds",
        "  gain          g = (45.38 - 40.02) / 40.02 = 0.13393303348325836",
        "  tier          g_eff = 0.13393303348325836 >= 0.1: L",
        "  Rounded   value 45.38, frontier 40.02, delta 5.36, over frontier 13.4%, effective 13.4%",
    ] {
        assert!(run.stdout.lines().any(|shown| shown == line), "{line}\nis not in\n{}", run.stdout);
    }
    assert!(run.stdout.contains("unverified figures"));
}

#[test]
fn json_holds_what_text_shows() {
    let run = receipt(&score(&[&RUN[..], &["--format", "json"]].concat()));
    let answer = run.json();
    assert_eq!(answer["status"], "UNVERIFIED");
    assert_eq!((&answer["scored"]["label"], &answer["scored"]["pass"]), (&"L".into(), &true.into()));
    assert_eq!(answer["scored"]["why"][0]["rule"], "top1");
    assert_eq!(answer["measurement"]["frontier"], 40.02);
    assert_eq!(answer["params"]["name"], "k3");
    assert_eq!(answer["exit_code"], 0);

    let run =
        receipt(&score(&["--value", "inf", "--frontier", "-inf", "--top1", "1", "--kl", "0", "--ceiling", "nan", "--format", "json"]));
    let answer = run.json();
    let figures = ["value", "frontier", "ceiling", "top1"].map(|name| answer["measurement"][name].clone());
    assert_eq!(serde_json::Value::from(figures.to_vec()).to_string(), r#"["Infinity","-Infinity","NaN",1.0]"#);
}

#[test]
fn a_preset_is_the_shipped_file() {
    let preset = ["score", "--preset", "k3", "--reference", "18.4435"];
    assert_eq!(receipt(&[&preset[..], &RUN].concat()).stdout, receipt(&score(&RUN)).stdout);
}

#[test]
fn figures_come_from_a_record_a_log_or_flags_alike() {
    let folder = folder("score-record");
    let record = r#"{"tps": 45.38, "frontier_tps": 40.02, "top1": 1.0, "kl": 0.0067, "label": "XL", "pass": true}"#;
    let path = folder.join("result.json");
    fs::write(&path, record).unwrap();
    let by_flags = receipt(&score(&RUN));
    assert_eq!(receipt(&score(&["--from", text(&path)])).stdout, by_flags.stdout);
    let log = format!(">> measuring\nRESULT_JSON {record}\n>> sealing\n");
    assert_eq!(receipt_with_input(&score(&["--from", "-"]), log.as_bytes()).stdout, by_flags.stdout);
}

#[test]
fn a_refusal_is_a_label_and_what_is_no_number_is_refused() {
    for (flag, value) in [("--kl", "nan"), ("--kl", "0.06"), ("--top1", "NaN"), ("--top1", "5"), ("--value", "inf"), ("--frontier", "-inf")]
    {
        let mut arguments = RUN;
        let index = arguments.iter().position(|argument| *argument == flag).unwrap();
        arguments[index + 1] = value;
        let run = receipt(&score(&arguments));
        assert_eq!(run.code, 0, "{flag} {value}: {}", run.stderr);
        assert!(run.stdout.starts_with("REJECT  does not pass"), "{flag} {value}: {}", run.stdout);
    }
}

#[test]
fn each_kind_of_answer_has_its_exit_code() {
    let folder = folder("score-codes");
    let file = |name: &str, content: &str| {
        let path = folder.join(name);
        fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let gives = |code: i32, arguments: &[&str], said: &str| {
        let run = receipt(arguments);
        assert_eq!(run.code, code, "{arguments:?}\n{}\n{}", run.stdout, run.stderr);
        assert!(run.stderr.contains(said), "{arguments:?}: {}", run.stderr);
    };
    for format in ["text", "json"] {
        gives(0, &score(&[&RUN[..], &["--format", format, "--expect-label", "L"]].concat()), "");
        gives(4, &score(&[&RUN[..], &["--format", format, "--expect-label", "XL"]].concat()), "the label is L, not XL");
    }
    gives(4, &score(&["--from", &file("cut.json", "{\"tps\": 1")]), "byte 9: ");
    gives(4, &score(&["--from", &file("text.json", "{\"tps\": \"1\"}")]), "/tps is a string; wanted a number or null");
    gives(6, &score(&["--from", &file("thin.json", "{\"tps\": 1, \"top1\": 1, \"kl\": 0}")]), "\"frontier\" (frontier_tps)");
    gives(6, &score(&["--from", &file("latency.json", "{\"lower_is_better\": true}")]), "lower_is_better = true");
    let within = "{\"tps\": 1, \"top1\": 0, \"kl\": 0}".to_owned() + &" ".repeat(2 * 1024 * 1024 - 30);
    gives(0, &score(&["--from", &file("long.json", &within[..2 * 1024 * 1024 - 1])]), "");
    gives(6, &score(&["--from", &file("over.log", &(within + "\nRESULT_JSON {\"tps\": 2}\n"))]), "at most 2097152 are read");
    gives(6, &score(&["--from", &file("deep.json", &"[".repeat(100_000))]), "byte ");
    gives(6, &score(&["--from", &file("guards.json", &format!("{{\"guards\": [{}0]}}", "0,".repeat(64)))]), "more than 64 guards");
    gives(4, &score(&["--from", &file("silent.log", ">> measured\n")]), "no line that begins with RESULT_JSON");
    let guards = ["--guard", "128=1"].repeat(65);
    gives(0, &score(&[&RUN[..], &guards[2..]].concat()), "");
    gives(2, &score(&[&RUN[..], &guards].concat()), "there are 65 guards; at most 64 are judged");
    gives(2, &[&["score", "--preset", "k3", "--reference", "-1"], &RUN[..]].concat(), "difficulty.reference is -1.0");
    gives(3, &score(&["--from", "missing.json"]), "cannot be read");
    gives(3, &score(&["--from", text(&folder)]), "cannot be read");
    gives(2, &score(&["--from", VERIFIED]), "receipt verify --score");
    gives(2, &score(&RUN[..6]), "the rule needs --kl");
    gives(2, &score(&[&RUN[..], &["--from", "missing.json"]].concat()), "cannot be used with");
    gives(2, &score(&[&RUN[..], &["--guard", "128"]].concat()), "wanted NAME=RATIO");
    gives(2, &score(&[&RUN[..], &["--guard", "128=fast"]].concat()), "is no number");
    gives(2, &[&["score"], &RUN[..]].concat(), "--params");
    gives(2, &[&["score", "--preset", "k3"], &RUN[..]].concat(), "needs a reference");
    gives(2, &[&["score", "--preset", "k4"], &RUN[..]].concat(), "k3-2026-07");
    gives(2, &[&["score", "--params", "missing.toml"], &RUN[..]].concat(), "cannot read parameters missing.toml: ");
    let bad = file("bad.toml", "version = 1\nwhat = 2\n");
    gives(2, &[&["score", "--params", &bad], &RUN[..]].concat(), "line 2, column 1: unknown field `what`");
    gives(2, &verify(&["--score", &bad, VERIFIED]), "line 2, column 1: unknown field `what`");
}

#[test]
fn verify_reports_the_tier_that_the_figures_earn() {
    let follows = receipt(&verify(&["--score", "test-vectors/scores/test.toml", "test-vectors/receipts/tier-follows.json"]));
    let words = follows.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("earn \"L\" (pass=true) by the parameters \"test\"; they are the submitter's"), "{}", follows.stdout);
    assert!(!follows.stdout.contains("tier."), "{}", follows.stdout);
    let arguments = ["--score", "test-vectors/scores/test-2g.toml", "-v", "test-vectors/receipts/tier-follows.json"];
    let differs = receipt(&verify(&arguments));
    assert_eq!(differs.code, 4);
    assert!(differs.stdout.contains("tier.differs") && differs.stdout.contains("The tier, step by step"), "{}", differs.stdout);
    assert!(!receipt(&verify(&["test-vectors/receipts/tier-follows.json"])).stdout.contains("Tier"));
}

#[test]
fn every_record_of_the_public_log_has_a_label() {
    let Some(shared) = shared() else { return };
    let mut records = 0;
    for run in fs::read_dir(shared.join("receipts/k3-log/runs")).unwrap() {
        let record = run.unwrap().path().join("result.json");
        if record.is_file() {
            let scored = receipt(&["score", "--preset", "k3-2026-07", "--reference", "16.7026", "--from", text(&record)]);
            assert_eq!(scored.code, 0, "{}: {}", record.display(), scored.stderr);
            records += 1;
        }
    }
    assert_eq!(records, 50);
}

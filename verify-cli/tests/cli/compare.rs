//! `receipt compare` and `receipt floor`: refusals by name, payloads that are always there, and the same answer in every form.

use std::fs;

use serde_json::Value;

use crate::support::{Run, copy, folder, receipt, text, workspace};

const FILES: &str = "verify-cli/tests/fixtures/bench/compare";

/// Runs in the root of the workspace, with `@` for the folder of the measurements.
pub(crate) fn run(arguments: &str) -> Run {
    let arguments: Vec<String> = arguments.split(' ').map(|argument| argument.replace('@', FILES)).collect();
    receipt(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

pub(crate) const ARMS: &str =
    "compare --a-single @/a-single.json --a-sweep @/a-sweep.json --b-single @/b-single.json --b-sweep @/b-sweep.json";

#[test]
fn two_arms_of_one_window_are_compared() {
    let answer = run(&format!("{ARMS} --format json"));
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    let json = answer.json();
    assert_eq!(json["exit"]["name"], "OK");
    assert_eq!((&json["profile_verified"]["required"], &json["profile_verified"]["identical"]), (&26.into(), &26.into()));
    assert_eq!((&json["headline"]["publishable"], &json["headline"]["metric"]), (&true.into(), &"single.ttft_ms.p50".into()));
    let text = run(ARMS).stdout;
    for line in [
        "COMPARED  single.ttft_ms.p50: A 62, B 62.1, B/A 1.0016129032258065",
        "  single.ttft_ms.p50       ms     62                  62.1                -0.16",
        "  sweep.c1.tok_s_per_gpu   tok/s  40.2                42.9                +6.72",
        "  sweep.c16.tok_s_per_gpu  tok/s  402.5               400.1               -0.60",
        "  sweep.c16  6 requests, 0 failed, no rows      6 requests, 0 failed, no rows",
    ] {
        assert!(text.lines().any(|shown| shown == line), "{line}\nis not in\n{text}");
    }
    assert!(text.contains("positive means arm B is better"));
}

#[test]
fn a_refusal_has_a_name_on_the_first_line_and_a_payload() {
    for (arguments, code, first) in [
        ("compare @/a-sweep.json @/b-sweep-other-seed.json", 4, "REFUSED PROFILE_MISMATCH: 1 of 15 fields differ: sweep.seed"),
        (
            "compare --a-sweep @/none.json --b-sweep @/b-sweep.json",
            3,
            "REFUSED MISSING_ARM: arm A sweep raw file verify-cli/tests/fixtures/bench/compare/none.json cannot be read: No such file",
        ),
        ("compare --a-single @/a-sweep.json --b-single @/b-single.json", 3, "REFUSED MISSING_ARM: arm A single-stream raw file "),
        ("compare", 2, "REFUSED USAGE: no arm is given"),
        ("compare --a-sweep @/a-sweep.json", 3, "REFUSED MISSING_ARM: arm B has no raw file"),
        (
            "compare @/latency-a.json @/latency-b.json",
            6,
            "REFUSED PROFILE_UNVERIFIABLE: 11 of 11 fields cannot be checked: single.concurrency",
        ),
        ("compare --waive a=b @/a-sweep.json @/b-sweep.json", 2, "REFUSED USAGE: no field is named a, so nothing is waived"),
        ("compare --headline a @/a-sweep.json @/b-sweep.json", 2, "REFUSED USAGE: no metric is named \"a\""),
        ("compare --profile @/gate.json @/a-sweep.json @/b-sweep.json", 2, "REFUSED USAGE: cannot read the profile "),
        ("compare --shape none @/a-sweep.json @/b-sweep.json", 2, "REFUSED USAGE: cannot read the shape none: "),
        ("compare --shape hyperfine @/a-sweep.json @/b-sweep.json", 3, "REFUSED MISSING_ARM: arm A raw file "),
    ] {
        for format in ["text", "json", "markdown"] {
            let answer = run(&format!("{arguments} --format {format}"));
            assert_eq!(answer.code, code, "{arguments}: {}", answer.stderr);
            assert!(answer.stderr.lines().next().unwrap().starts_with(first), "{arguments}: {}", answer.stderr);
            assert!(answer.stdout.contains("positive means arm B is better"), "{arguments}");
            if format == "json" {
                let json = answer.json();
                assert_eq!((&json["exit"]["code"], &json["headline"]["publishable"]), (&code.into(), &false.into()), "{arguments}");
                assert!(json["headline"]["armA"].is_null() && json["headline"]["ratio_b_over_a"].is_null(), "{arguments}");
                assert!(json.get("metrics").is_none(), "{arguments}: no number is shown");
            }
        }
    }
}

#[test]
fn the_payload_of_a_refusal_is_in_the_file_of_the_answer() {
    let file = folder("compare-payload").join("answer.json");
    let answer = run(&format!("{ARMS} --format json -o {} --waive x=y", text(&file)));
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""));
    let json: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(json["exit"]["name"], "USAGE");
}

/// Whatever is wrong with a call, and wherever its answer was to go.
#[test]
fn a_call_that_cannot_be_answered_is_refused_by_name_too() {
    let folder = folder("compare-usage");
    let (a, page) = (folder.join("a.json"), folder.join("page"));
    copy(&format!("{FILES}/a-sweep.json"), &a);
    let (a, page, arms) = (text(&a), text(&page), "@/a-sweep.json @/b-sweep.json");
    for (call, first) in [
        (format!("compare {arms} --surprise"), "REFUSED USAGE: unexpected argument '--surprise' found"),
        ("compare @/a-sweep.json".to_owned(), "REFUSED USAGE: the following required arguments were not provided: <B>"),
        (format!("compare {arms} --waive a"), "REFUSED USAGE: invalid value 'a' for '--waive <FIELD=REASON>'"),
        (format!("compare {arms} --a-sweep x"), "REFUSED USAGE: the argument '[A]' cannot be used with '--a-sweep <FILE>'"),
        (format!("compare {arms} -o /nowhere/x"), "REFUSED USAGE: cannot write to /nowhere/x"),
        (format!("compare {arms} --html /nowhere/x"), "REFUSED USAGE: cannot write to /nowhere/x"),
        (format!("compare {a} @/b-sweep.json -o {a}"), "REFUSED USAGE: the answer cannot be written to "),
        (format!("compare {a} @/b-sweep.json --html {a}"), "REFUSED USAGE: the answer cannot be written to "),
        (format!("compare {arms} -o {page} --html {page}"), "REFUSED USAGE: answer and page cannot go to the same place"),
        (format!("floor {arms} --surprise"), "REFUSED USAGE: unexpected argument '--surprise' found"),
        (format!("-o /nowhere/x floor {arms}"), "REFUSED USAGE: cannot write to /nowhere/x"),
        (format!("floor {a} @/b-sweep.json -o {a}"), "REFUSED USAGE: the answer cannot be written to "),
    ] {
        for format in ["--format json", "--format=json"] {
            let answer = run(&format!("{call} {format}"));
            assert_eq!(answer.code, 2, "{call}: {}", answer.stderr);
            assert!(answer.stderr.starts_with(first), "{call}: {}", answer.stderr);
            assert_eq!(answer.json()["exit"]["name"], "USAGE", "{call}");
        }
        assert!(run(&call).stderr.starts_with(first), "{call}");
    }
    assert_eq!(fs::read(a).unwrap(), fs::read(workspace().join(FILES).join("a-sweep.json")).unwrap());
    let hostile = run("compare --format json \u{1b}[2J\n::error::x a b c");
    assert!(hostile.code == 2 && hostile.stderr.starts_with("REFUSED USAGE: "), "{}", hostile.stderr);
    for shown in [&hostile.stdout, &hostile.stderr] {
        assert!(!shown.contains('\u{1b}') && !shown.contains("::"), "{shown}");
    }
}

#[test]
fn the_exit_code_beside_a_missing_file_is_quoted() {
    let folder = folder("compare-exit-code");
    copy(&format!("{FILES}/latency-b.json"), &folder.join("run_b.json"));
    fs::write(folder.join("run_exitcode.txt"), "143\n").unwrap();
    let missing = folder.join("run_a.json");
    let answer = receipt(&["compare", text(&missing), text(&folder.join("run_b.json"))]);
    assert_eq!(answer.code, 3);
    assert!(answer.stderr.contains("run_exitcode.txt beside it says that the run ended with 143"), "{}", answer.stderr);
    fs::write(folder.join("run_exitcode.txt"), "0\n").unwrap();
    assert!(!receipt(&["compare", text(&missing), text(&missing)]).stderr.contains("exitcode"));
}

#[test]
fn a_floor_is_measured_and_read() {
    let file = folder("compare-floor").join("floor.json");
    let answer = run(&format!("floor -o {} @/stock-again-1.json @/stock-again-2.json", text(&file)));
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    let shown = run("floor --format text @/stock-again-1.json @/stock-again-2.json").stdout;
    assert!(shown.lines().any(|line| line == "  sweep.c1.tok_s_per_gpu  tok/s  0.49875311720697185  1"), "{shown}");

    let json = run(&format!("{ARMS} --format json --floor {0} --between-windows {0}", text(&file))).json();
    let row = |metric: &str| json["metrics"].as_array().unwrap().iter().find(|row| row["metric"] == metric).unwrap().clone();
    assert_eq!(row("sweep.c1.tok_s_per_gpu")["floor"]["reading"], "above_floor");
    assert_eq!(row("sweep.c1.ttft_ms_p50")["floor"]["reading"], "within_floor");
    assert_eq!(row("sweep.c1.ttft_ms_p50")["between_windows"]["reading"], "within_floor");
    assert_eq!(row("sweep.c16.tok_s_per_gpu")["floor"]["why"], "no A/A at sweep.c16");

    for (arguments, code, first) in [
        ("floor @/a-sweep.json", 2, "REFUSED USAGE: raw files come in pairs"),
        ("floor @/a-sweep.json @/a-sweep.json", 2, "REFUSED USAGE: pair 1 holds a file again"),
        (
            "floor @/a-sweep.json @/b-sweep.json",
            4,
            "REFUSED PROFILE_MISMATCH: pair 1: 2 of 17 fields differ: sweep.candidate.name, sweep.candidate.sha256",
        ),
        ("floor", 2, "REFUSED USAGE: pair 1: no arm is given"),
    ] {
        let answer = run(arguments);
        assert_eq!((answer.code, answer.json()["floor"].is_null()), (code, true), "{arguments}");
        assert!(answer.stderr.starts_with(first), "{arguments}: {}", answer.stderr);
    }
    assert_eq!(run(&format!("{ARMS} --floor @/gate.json")).code, 2);
}

#[test]
fn what_is_declared_and_drained_and_gated_is_shown() {
    let declared = "--profile @/latency.profile.json --profile-a @/latency.declared.json --profile-b @/latency.declared.json";
    let answer = run(&format!("compare {declared} @/latency-a.json @/latency-b.json"));
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stdout.starts_with("NOT PUBLISHABLE  single.latency_s.p50: A 2.05, B 1.85, "), "{}", answer.stdout);
    assert!(answer.stdout.contains("declared, not recorded: single.model, single.batch_size, single.output_len"), "{}", answer.stdout);
    let answer = run(&format!("{ARMS} --drain @/drain.json --gate @/gate.json"));
    assert!(
        answer.stdout.contains("Drain     clean: at most 726 MiB in use, 2048 allowed; 1 boundaries, 0 processes killed"),
        "{}",
        answer.stdout
    );
    assert!(
        answer.stdout.contains("Gate      unsound: top-1 agreement of the candidate 0.71, of the control 0.8, bar 0.9"),
        "{}",
        answer.stdout
    );
    assert!(answer.stdout.starts_with("NOT PUBLISHABLE"));
}

#[test]
fn a_tool_that_is_not_known_needs_a_shape_and_no_code() {
    let answer = run("compare --shape @/sglang.shape.json --profile @/sglang.profile.json --format json @/sglang-a.jsonl @/sglang-b.jsonl");
    let json = answer.json();
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let shown: Vec<_> = json["metrics"].as_array().unwrap().iter().map(|row| (&row["metric"], &row["shown"])).collect();
    assert_eq!(shown[0], (&"sweep.c1.output_tok_s".into(), &"+10.00".into()));
    assert_eq!(shown[2], (&"sweep.c8.output_tok_s".into(), &"-2.00".into()));
}

#[test]
fn the_page_is_whole_and_loads_nothing() {
    let folder = folder("compare-page");
    let (floor, file) = (folder.join("floor.json"), folder.join("page.html"));
    run(&format!("floor -o {} @/stock-again-1.json @/stock-again-2.json", text(&floor)));
    let answer = run(&format!("{ARMS} --floor {} --html {}", text(&floor), text(&file)));
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let page = fs::read_to_string(&file).unwrap();
    for shown in [
        "COMPARED",
        "sweep.c1.tok_s_per_gpu: +6.72 percent",
        "flat: within the floor of",
        "no A/A at sweep.c16",
        "26 of 26 fields identical",
    ] {
        assert!(page.contains(shown), "{shown}");
    }
    assert_eq!(page.matches("<svg").count(), 13);
    for (opened, closed) in [("<table", "</table>"), ("<tr", "</tr>"), ("<td", "</td>"), ("<section", "</section>"), ("<svg", "</svg>")] {
        assert_eq!(page.matches(opened).count(), page.matches(closed).count(), "{opened}");
    }
    for banned in ["<script", "http:", "https:", "url(", "@import", "src="] {
        assert!(!page.contains(banned), "{banned}");
    }
    let refused = run(&format!("compare @/a-sweep.json @/b-sweep-other-seed.json --html {}", text(&file)));
    assert_eq!(refused.code, 4);
    assert!(fs::read_to_string(&file).unwrap().contains("PROFILE_MISMATCH: 1 of 15 fields differ: sweep.seed"));
}

#[test]
fn no_answer_replaces_what_is_read() {
    let folder = folder("compare-spared");
    let file = folder.join("a.json");
    copy(&format!("{FILES}/a-sweep.json"), &file);
    let before = fs::read(&file).unwrap();
    let other = format!("{FILES}/b-sweep.json");
    for flag in ["-o", "--html"] {
        assert_eq!(receipt(&["compare", flag, text(&file), text(&file), &other]).code, 2);
    }
    assert_eq!(receipt(&["floor", "-o", text(&file), text(&file), &other]).code, 2);
    assert_eq!(fs::read(&file).unwrap(), before);
    let page = folder.join("page");
    assert_eq!(receipt(&["compare", "-o", text(&page), "--html", text(&page), text(&file), &other]).code, 2);
}

#[test]
fn text_of_others_is_harmless_in_every_form() {
    let folder = folder("compare-hostile");
    let hostile = "</td><script>x</script>\u{1b}[31m\u{202e}\n::error::x | `y` @z";
    let mut a: Value = serde_json::from_slice(&fs::read(workspace().join(FILES).join("a-sweep.json")).unwrap()).unwrap();
    let mut b = a.clone();
    b["workload"] = hostile.into();
    a[hostile] = 1.into();
    b[hostile] = 2.into();
    let (a_file, b_file, page) = (folder.join("a.json"), folder.join("b::c.json"), folder.join("page.html"));
    fs::write(&a_file, a.to_string()).unwrap();
    fs::write(&b_file, b.to_string()).unwrap();
    for format in ["text", "json", "markdown"] {
        let run = receipt(&["compare", "--format", format, "--html", text(&page), text(&a_file), text(&b_file)]);
        assert_eq!(run.code, 4);
        for shown in [&run.stdout, &run.stderr] {
            assert!(!shown.contains(['\u{1b}', '\u{202e}']) && !shown.contains("::"), "{format}: {shown}");
            assert!(!shown.contains("<script") || format == "text", "{format}: {shown}");
        }
        assert!(!fs::read_to_string(&page).unwrap().contains("<script"));
        if format == "markdown" {
            assert!(!run.stdout.replace("<code>", "").replace("</code>", "").contains(['<', '@', '`']), "{}", run.stdout);
        }
    }
}

/// docs/compare.md shows what the program prints; `UPDATE=1` rewrites it.
#[test]
fn the_worked_example_is_what_is_printed() {
    let path = workspace().join("docs/compare.md");
    let mut shown = fs::read_to_string(&path).unwrap();
    let before = shown.clone();
    let place = folder("compare-example");
    let commands: Vec<String> = before.lines().filter(|line| line.starts_with("$ receipt ")).map(str::to_owned).collect();
    assert!(commands.len() >= 3);
    for command in commands {
        let arguments =
            command.trim_start_matches("$ receipt ").replace("floor.json", text(&place.join("floor.json"))).replace("window/", "@/");
        let run = run(&arguments);
        let (head, tail) = shown.split_once(&format!("{command}\n")).unwrap();
        let (_, rest) = tail.split_once("```").unwrap();
        let printed = format!("{}{}", run.stderr, run.stdout).replace(FILES, "window");
        shown = format!("{head}{command}\n{printed}```{rest}");
    }
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &shown).unwrap();
    } else {
        assert_eq!(before, shown, "run UPDATE=1 cargo test -p verify-cli --test cli worked_example");
    }
}

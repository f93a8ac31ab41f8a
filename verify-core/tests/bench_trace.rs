//! Claims of published numbers: two public READMEs and known bad figures, whose raw files lie beside the checkout, and small files of
//! our own for every rule.

#![expect(clippy::disallowed_methods, clippy::disallowed_macros, reason = "tests read files and the environment")]

#[expect(dead_code, reason = "only bytes are read here")]
mod support;

use std::fmt::Write as _;
use std::path::PathBuf;

use verify_core::bench::Files;
use verify_core::bench::trace::{Answer, Backing, Claims, Trace, Traced, Verdict, coverage, trace};
use verify_core::limits;

// Public material.

/// The folder of shared raw files beside the checkout; `None`, with a word on stderr, where there is none. With `CI=true` its absence
/// is a failure.
fn shared() -> Option<PathBuf> {
    let folder = support::workspace().join("../shared/bench");
    if folder.join("MANIFEST.json").is_file() {
        return Some(folder);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "CI=true, but {} is missing", folder.display());
    eprintln!("SKIPPED: {} is missing, so no published number was recomputed", folder.display());
    None
}

/// A manifest of ours about files in `folder` of the shared material.
fn public(manifest: &str, folder: &str) -> Option<(Claims, Files)> {
    let root = shared()?.join(folder);
    let path = support::workspace().join("verify-core/tests/fixtures/trace").join(manifest);
    let claims: Claims = toml::from_str(&String::from_utf8(support::read(&path)).unwrap()).unwrap();
    let mut files = Files::default();
    for name in claims.files() {
        files.add(name, std::fs::read(root.join(name)).map_err(|error| error.to_string()));
    }
    Some((claims, files))
}

fn count(trace: &Trace, backing: Backing) -> usize {
    trace.claims.iter().filter(|claim| claim.citable && claim.backing == backing).count()
}

fn claim<'t>(trace: &'t Trace, id: &str) -> &'t Traced {
    trace.claims.iter().find(|claim| claim.id == id).unwrap_or_else(|| panic!("no {id}"))
}

#[test]
fn kernelore_publishes_what_its_files_hold() {
    let Some((claims, files)) = public("kernelore.toml", "kernelore") else { return };
    let trace = trace(&claims, &files);
    assert_eq!(trace.answer(), Answer::Ok);
    assert_eq!((trace.claims.len(), count(&trace, Backing::Summary)), (103, 103));
}

#[test]
fn sparkinfer_k3_publishes_what_its_rows_and_logs_hold() {
    let Some((claims, files)) = public("sparkinfer-k3.toml", "sparkinfer-k3") else { return };
    let trace = trace(&claims, &files);
    assert_eq!(trace.answer(), Answer::Ok);
    assert_eq!((count(&trace, Backing::Rows), count(&trace, Backing::Line)), (40, 4));
    let covered = coverage(&claims, "COMPETITOR_README.md", &files).unwrap();
    let uncovered: Vec<&str> = covered.examples.iter().map(|number| number.text.as_str()).collect();
    assert_eq!((covered.numbers, uncovered), (20, vec!["241.21 tok/s", "239.82 tok/s", "234.67 tok/s", "226.12 tok/s"]));
}

#[test]
fn a_changed_digit_of_a_published_page_shows() {
    let Some((claims, mut files)) = public("kernelore.toml", "kernelore") else { return };
    let page = support::read(&shared().unwrap().join("kernelore/README.tables.md"));
    let page = String::from_utf8(page).unwrap().replace("**3.38x**", "**3.39x**");
    files.add("README.tables.md", Ok(page.into_bytes()));
    let trace = trace(&claims, &files);
    let failed: Vec<(&str, Verdict)> =
        trace.claims.iter().filter(|claim| !claim.citable).map(|claim| (claim.id.as_str(), claim.verdict)).collect();
    assert_eq!(failed, [("t4-1k-1k-c16-over-tp16", Verdict::NotInText)]);
}

#[test]
fn known_bad_figures_are_found() {
    let Some((claims, files)) = public("findings.toml", "") else { return };
    let trace = trace(&claims, &files);
    assert_eq!(trace.answer(), Answer::Mismatch);
    let linear = claim(&trace, "failover-p99-linear");
    assert_eq!((linear.verdict, linear.recomputed.as_deref()), (Verdict::Mismatch, Some("2.3878")));
    assert_eq!(linear.hints.len(), 1);
    assert!(["nearest-rank", "floor-pn"].iter().all(|method| linear.hints[0].contains(method)), "{:?}", linear.hints);
    for id in ["failover-p99-floor-pn", "failover-p99-nearest-rank"] {
        assert_eq!(claim(&trace, id).value, Some(2.709_896_802_902_221_7));
        assert!(claim(&trace, id).citable);
    }
    let rows = claim(&trace, "aiperf-latency-p50").sources[0].rows.clone().unwrap();
    assert!(claim(&trace, "aiperf-latency-p50").citable);
    assert_eq!((rows.total, rows.used), (229, 19));
    assert_eq!((rows.filters[1].of, rows.filters[1].kept, rows.filters[1].filter.as_str()), (226, 19, "/error is absent"));
    let verdict = claim(&trace, "0465-verdict");
    let said: Vec<_> = verdict.sources.iter().map(|source| source.found.as_deref().unwrap()).collect();
    assert_eq!((verdict.verdict, said), (Verdict::Conflict, vec!["\"XL\"", "\"REJECT\"", "\"XL\""]));
    let history: Vec<&Traced> = trace.claims.iter().filter(|claim| claim.retired.is_some()).collect();
    let published: Vec<&str> = history.iter().map(|claim| claim.published.as_ref().unwrap().text.as_str()).collect();
    assert_eq!(published, ["49.0", "191.0", "299.7", "329.7"]);
    assert!(history.iter().all(|claim| claim.verdict == Verdict::SourceMissing && !claim.citable));
}

// Files of our own.

const SUMMARY: &[u8] = br#"{"p50": 2.5, "n": 4, "zero": -0.0, "word": "L", "nan": NaN, "list": [1.0, 2, {"a": [3]}], "none": [],
    "rows": [{"v": 1, "c": "a"}, {"v": 2, "c": "a"}, {"v": 3, "c": "b", "error": null}, {"v": 4, "c": 1.0}, {"c": "d"}]}"#;

fn files() -> Files {
    let mut files = Files::default();
    let mut add = |name: &str, content: &[u8]| files.add(name, Ok(content.to_vec()));
    add("s.json", SUMMARY);
    add("other.json", br#"{"a": {"word": "L", "n": 4.00, "list": [1, 2.0, {"a": [3.0]}], "text": "4"}}"#);
    add("rows.jsonl", b"{\"v\": 1}\n\n  \n{\"v\": 2}\r\n{\"v\": 6}");
    add("broken.jsonl", b"{\"v\": 1}\n{\"v\": 2,}\n");
    add("twice.json", br#"{"a": 1, "a": 2}"#);
    add("run.log", b"RESULT {\"n\": 1}\nnoise RESULT {\"n\": 2}\nRESULT {\"n\": 4}\nend 4\nend 4\nend 4\nend 4 \xff\n");
    add("page.md", b"| c=8 | 2.5 ms |\n| c=16 | 4 ms |\nand 12.5 ms\n");
    files.add("lost.json", Err("it is gone".to_owned()));
    files
}

/// The trace of one manifest, with the digests of all the files that its claims follow from.
fn traced(claims: &str) -> Trace {
    let files = files();
    let claims = format!("version = 1\n{claims}");
    let unpinned: Claims = toml::from_str(&claims).unwrap_or_else(|error| panic!("{claims}\n{error}"));
    let pins: String = unpinned.sources().into_iter().fold("\n[files]\n".to_owned(), |mut pins, name| {
        files.sha256(name).into_iter().for_each(|digest| writeln!(pins, "\"{name}\" = \"{digest}\"").unwrap());
        pins
    });
    trace(&toml::from_str(&format!("{claims}{pins}")).unwrap(), &files)
}

fn number(published: &str, input: &str, expression: &str, round: usize) -> String {
    format!("[[number]]\nid = \"x\"\npublished = {published}\ninputs.v = {{ {input} }}\nexpr = \"{expression}\"\nround = {round}\n")
}

/// The verdict on one claim, and why.
fn judged(claims: &str) -> (&'static str, String) {
    let trace = traced(claims);
    let [claim] = trace.claims.as_slice() else { panic!("one claim") };
    assert_eq!(claim.citable, claim.verdict == Verdict::Reproduced && claim.retired.is_none());
    assert_eq!(claim.why.is_none(), claim.verdict == Verdict::Reproduced);
    (claim.verdict.name(), claim.why.clone().unwrap_or_default())
}

/// The verdict on a number without a page, and why.
fn of_number(text: &str, input: &str, expression: &str, round: usize) -> (&'static str, String) {
    judged(&number(&format!("{{ text = \"{text}\" }}"), input, expression, round))
}

#[test]
fn one_value_is_found_or_not() {
    for (input, verdict, why) in [
        ("file = \"s.json\", at = \"/p50\"", "reproduced", ""),
        ("file = \"s.json\", at = \"/list/2/a/0\"", "mismatch", "published is \"2.5\", recomputed \"3.0\""),
        ("file = \"s.json\", at = \"/p90\"", "absent", "v: nothing is at \"/p90\""),
        ("file = \"s.json\", at = \"/word\"", "absent", "v: at /word stands a string; wanted a number"),
        ("file = \"s.json\", at = \"/nan\"", "absent", "v: at /nan stands a bare NaN or Infinity; wanted a number"),
        ("file = \"s.json\", at = \"/rows[c=a]/v\"", "ambiguous", "v: 2 items are at \"[c=\\\"a\\\"]\"; wanted one"),
        ("file = \"lost.json\", at = \"/p50\"", "source-missing", "v: \"lost.json\": it is gone"),
        ("file = \"never.json\", at = \"/p50\"", "source-missing", "v: \"never.json\": it was not handed in"),
        ("file = \"run.log\", at = \"/p50\"", "source-missing", "v: it cannot be read as JSON: byte "),
        ("file = \"twice.json\", at = \"/a\"", "source-missing", "v: it cannot be read as JSON: byte "),
        ("file = \"run.log\", after = \"RESULT \", at = \"/n\"", "mismatch", "published is \"2.5\", recomputed \"4.0\""),
        ("file = \"run.log\", after = \"RESULTS \", at = \"/n\"", "absent", "v: no line begins with \"RESULTS \""),
        ("file = \"run.log\", after = \"end\", at = \"\"", "source-missing", "v: it cannot be read as JSON: line 7, byte "),
    ] {
        let (found, reason) = of_number("2.5", input, "v", 1);
        assert_eq!(found, verdict, "{input}: {reason}");
        assert!(reason.starts_with(why), "{input}: {reason}");
    }
}

#[test]
fn rows_are_counted_filtered_and_all_numbers() {
    let with = |more: &str| format!("file = \"s.json\", rows = \"/rows\", value = \"/v\", where = [{more}]");
    for (text, input, verdict, why) in [
        ("10.0", with("{ at = \"/v\", is = \"present\" }"), "reproduced", ""),
        ("3.0", with("{ at = \"/c\", equals = \"a\" }"), "reproduced", ""),
        ("4.0", with("{ at = \"/c\", equals = 1 }"), "reproduced", ""),
        ("7.0", with("{ at = \"/v\", is = \"present\" }, { at = \"/error\", is = \"absent\" }"), "reproduced", ""),
        ("3.0", with("{ at = \"/error\", is = \"present\" }"), "reproduced", ""),
        ("3.0", with("{ at = \"/v\", below = 3 }"), "reproduced", ""),
        ("7.0", with("{ at = \"/v\", at_least = 3.0 }"), "reproduced", ""),
        ("0.0", with("{ at = \"/c\", equals = true }"), "reproduced", ""),
        ("10.0", with(""), "absent", "v: row 4 (from 0): nothing is at \"/v\"; a filter can leave such rows out"),
        ("9.0", "file = \"rows.jsonl\", lines = true, value = \"/v\", expect_rows = 3".to_owned(), "reproduced", ""),
        (
            "9.0",
            "file = \"rows.jsonl\", lines = true, value = \"/v\", expect_rows = 4".to_owned(),
            "mismatch",
            "v: 3 rows are there; 4 are expected",
        ),
        (
            "9.0",
            "file = \"broken.jsonl\", lines = true, value = \"/v\"".to_owned(),
            "source-missing",
            "v: it cannot be read as JSON: line 2, byte ",
        ),
        ("3.0", "file = \"s.json\", rows = \"/list\"".to_owned(), "absent", "v: row 2 (from 0): stands an object; wanted a number"),
    ] {
        let (found, reason) = of_number(text, &input, "sum(v)", 1);
        assert_eq!(found, verdict, "{input}: {reason}");
        assert!(reason.starts_with(why), "{input}: {reason}");
    }
}

#[test]
fn a_statistic_without_rows_is_unbacked() {
    for (input, expression, why) in [
        ("file = \"s.json\", at = \"/p50\"", "median(v)", "the statistic of v has no rows to be taken of"),
        ("file = \"s.json\", rows = \"/p50\"", "median(v)", "v: /p50 is a number, not a list of rows"),
        ("file = \"s.json\", rows = \"\"", "median(v)", "v: the document is an object, not a list of rows"),
        ("file = \"s.json\", rows = \"/none\"", "count(v)", "v: /none is an empty list"),
        (
            "file = \"s.json\", rows = \"/rows\", value = \"/v\", where = [{ at = \"/v\", below = 0 }]",
            "mean(v)",
            "the statistic of v has no rows",
        ),
    ] {
        let (found, reason) = of_number("2.5", input, expression, 1);
        assert_eq!(found, "unbacked", "{input}: {reason}");
        assert!(reason.starts_with(why), "{input}: {reason}");
    }
    let summary = number("{ text = \"2.5\" }", "file = \"s.json\", at = \"/p50\"", "v", 1);
    assert_eq!(judged(&summary), ("reproduced", String::new()));
    let (verdict, why) = judged(&format!("require_rows = true\n{summary}"));
    assert_eq!((verdict, why.as_str()), ("unbacked", "it rests on a recorded summary, and rows are required"));
    assert_eq!(judged(&format!("{summary}require_rows = true\n")).0, "unbacked");
    assert_eq!(judged(&format!("require_rows = true\n{summary}require_rows = false\n")).0, "reproduced");
    let differs = number("{ text = \"2.6\" }", "file = \"s.json\", at = \"/p50\"", "v", 1);
    assert_eq!(judged(&format!("require_rows = true\n{differs}")).0, "mismatch", "a proven difference outranks");
}

#[test]
fn a_divisor_is_never_zero_and_no_result_infinite() {
    let zero = "file = \"s.json\", at = \"/zero\"";
    assert_eq!(of_number("0.0", zero, "1 / v", 1), ("zero-divisor", "v is 0, and the expression divides by it".to_owned()));
    let large = "9".repeat(300);
    let (verdict, why) = of_number("1.0", zero, &format!("{large} * {large} + v"), 1);
    assert_eq!((verdict, why.as_str()), ("absent", "a part of the expression is no finite number"));
    let (verdict, _) = of_number("0.0", zero, &format!("v / ({large} * {large})"), 1);
    assert_eq!(verdict, "absent", "what is infinite on the way is no number either");
}

#[test]
fn the_text_stands_on_its_page() {
    let on_page = |published: &str| judged(&number(published, "file = \"s.json\", at = \"/p50\"", "v", 1));
    assert_eq!(on_page("{ file = \"page.md\", text = \"2.5\" }").0, "reproduced");
    assert_eq!(on_page("{ file = \"page.md\", text = \"2.5\", beside = \"c=8\" }").0, "reproduced");
    let (verdict, why) = on_page("{ file = \"page.md\", text = \"2.5\", beside = \"c=16\" }");
    let only = "\"page.md\" does not hold \"2.5\" on a line with \"c=16\", only \"| c=8 | 2.5 ms |\" in line 1";
    assert_eq!((verdict, why.as_str()), ("not-in-text", only));
    assert_eq!(on_page("{ file = \"run.log\", text = \"2.5\" }").0, "not-in-text");
    let negative = |text: &str| judged(&number(&format!("{{ text = \"{text}\" }}"), "file = \"s.json\", at = \"/p50\"", "-v", 1)).0;
    assert_eq!((negative("-2.5"), negative("−2.5"), negative("2.5")), ("reproduced", "reproduced", "mismatch"));
    assert_eq!(on_page("{ file = \"lost.json\", text = \"2.5\" }").0, "source-missing");
    assert_eq!(on_page("{ file = \"page.md\", text = \"12.5\" }").0, "mismatch", "on the page, but not what follows");
    let beside_a_part = number("{ file = \"page.md\", text = \"4\", beside = \"c=1\" }", "file = \"s.json\", at = \"/n\"", "v", 0);
    assert_eq!(judged(&beside_a_part).0, "not-in-text", "c=1 is not c=16");
    let trace = traced(&number("{ file = \"page.md\", text = \"4\" }", "file = \"s.json\", at = \"/n\"", "v", 0));
    assert_eq!(trace.claims[0].published.as_ref().unwrap().line, Some(2));
}

#[test]
fn a_line_is_where_it_is_said_to_be() {
    let at = |line: usize, text: &str| judged(&format!("[[line]]\nid = \"x\"\nfile = \"run.log\"\nline = {line}\ncontains = \"{text}\"\n"));
    assert_eq!(at(2, "noise").0, "reproduced");
    assert_eq!(at(3, "noise"), ("mismatch", r#"line 3 of "run.log" does not contain "noise": it stands at line 2"#.to_owned()));
    assert!(at(1, "end 4").1.ends_with("it stands at line 4, 5, 6 and more"));
    assert!(at(1, "end 4 ").1.ends_with("it stands at line 7"));
    assert!(at(1, "engaged").1.ends_with("it stands nowhere in the file"));
    assert_eq!(at(9, "end").0, "mismatch");
    let published =
        "[[line]]\nid = \"x\"\npublished = { file = \"page.md\", text = \"4\" }\nfile = \"run.log\"\nline = 4\ncontains = \"end 4\"\n";
    assert_eq!(judged(published).0, "reproduced");
    assert_eq!(judged(&published.replace("page.md", "s.json")).0, "reproduced");
    assert_eq!(judged(&published.replace("page.md", "twice.json")).0, "not-in-text");
    let part = "[[line]]\nid = \"x\"\npublished = { text = \"75.1\" }\nfile = \"tg.log\"\nline = 1\ncontains = \"75.1\"\n";
    let mut files = Files::default();
    files.add("tg.log", Ok(b"decode tg : 475.14 tok/s".to_vec()));
    let claims: Claims = toml::from_str(&format!("version = 1\n{part}")).unwrap();
    assert_eq!(trace(&claims, &files).claims[0].verdict, Verdict::Mismatch, "75.1 is a part of 475.14");
    let claims: Claims = toml::from_str(&format!("version = 1\n{}", part.replace("75.1", "475.14"))).unwrap();
    assert_eq!(trace(&claims, &files).claims[0].verdict, Verdict::Unpinned);
}

#[test]
fn values_are_the_same_by_type_and_decimal_value() {
    let same = |one: &str, other: &str| {
        judged(&format!("[[same]]\nid = \"x\"\nvalues = [{{ file = \"s.json\", at = \"{one}\" }}, {{ file = {other} }}]\n"))
    };
    assert_eq!(same("/word", "\"other.json\", at = \"/a/word\"").0, "reproduced");
    assert_eq!(same("/n", "\"other.json\", at = \"/a/n\"").0, "reproduced");
    assert_eq!(same("/n", "\"run.log\", after = \"RESULT \", at = \"/n\"").0, "reproduced");
    for (one, other) in
        [("/n", "\"s.json\", at = \"/n\""), ("/list/2", "\"s.json\", at = \"/list/2\""), ("/rows[c=b]/v", "\"s.json\", at = \"/rows/2/v\"")]
    {
        assert_eq!(same(one, other), ("unbacked", "\"s.json\": one place is named twice".to_owned()), "{one}");
    }
    assert_eq!(same("/rows/0/c", "\"s.json\", at = \"/rows/1/c\"").0, "reproduced", "two places of one file");
    // A page says the same as a record, or something else, or nothing.
    let shown = |at: &str, text: &str| same(at, &format!("\"page.md\", {text}"));
    assert_eq!(shown("/p50", "text = \"2.5\", beside = \"c=8\"").0, "reproduced");
    assert_eq!(shown("/n", "text = \"4\"").0, "reproduced");
    assert_eq!(shown("/n", "text = \"2.5\""), ("conflict", "s.json says 4, page.md says \"2.5\"".to_owned()));
    assert_eq!(shown("/n", "text = \"40\"").0, "not-in-text");
    assert_eq!(shown("/n", "text = \"4\", beside = \"c=32\"").0, "not-in-text");
    let empty = |value: &str| {
        let mut files = Files::default();
        let digests: String = ["a", "b"]
            .map(|name| {
                files.add(name, Ok(format!("{{\"v\": {value}}}").into_bytes()));
                format!("{name} = \"{}\"\n", files.sha256(name).unwrap())
            })
            .concat();
        let values = "values = [{ file = \"a\", at = \"/v\" }, { file = \"b\", at = \"/v\" }]";
        let claims: Claims = toml::from_str(&format!("version = 1\n[files]\n{digests}[[same]]\nid = \"x\"\n{values}\n")).unwrap();
        trace(&claims, &files).claims[0].verdict
    };
    for nothing in ["null", "\"\"", "\" \"", "\"n/a\"", "[]", "{}", "NaN", "[null, \"\"]"] {
        assert_eq!(empty(nothing), Verdict::Absent, "{nothing}");
    }
    for something in ["0", "false", "\"none\"", "9007199254740993"] {
        assert_eq!(empty(something), Verdict::Reproduced, "{something}");
    }
    assert_eq!(same("/list", "\"other.json\", at = \"/a/list\"").0, "reproduced");
    assert_eq!(same("/n", "\"other.json\", at = \"/a/text\""), ("conflict", "s.json says 4, other.json says \"4\"".to_owned()));
    assert_eq!(same("/list", "\"other.json\", at = \"/a/n\"").0, "conflict");
    assert_eq!(same("/n", "\"other.json\", at = \"/b\""), ("absent", "\"other.json\": nothing is at \"/b\"".to_owned()));
    assert_eq!(same("/n", "\"lost.json\", at = \"/b\"").0, "source-missing");
    let three = "[[same]]\nid = \"x\"\nvalues = [{ file = \"lost.json\", at = \"\" }, { file = \"s.json\", at = \"/n\" }, { file = \"s.json\", at = \"/p50\" }]\n";
    assert_eq!(judged(three).0, "conflict", "a proven difference outranks");
}

/// 2^53 + 1 and 2^53 + 3 are no doubles.
#[test]
fn integers_are_compared_digit_by_digit() {
    let judged = |text: &str, content: &str, input: &str, expression: &str| {
        let claim = number(&format!("{{ text = \"{text}\" }}"), &format!("file = \"i.json\", {input}"), expression, 0);
        let mut files = Files::default();
        files.add("i.json", Ok(content.as_bytes().to_vec()));
        let digest = files.sha256("i.json").unwrap();
        let claims: Claims = toml::from_str(&format!("version = 1\n{claim}\n[files]\n\"i.json\" = \"{digest}\"\n")).unwrap();
        trace(&claims, &files).claims[0].verdict
    };
    let list = "[9007199254740992, 9007199254740993, 9007199254740995]";
    assert_eq!(judged("9007199254740993", list, "at = \"/1\"", "v"), Verdict::Reproduced);
    assert_eq!(judged("9007199254740992", list, "at = \"/1\"", "v"), Verdict::Mismatch);
    assert_eq!(judged("9007199254740992", list, "rows = \"\"", "min(v)"), Verdict::Absent, "the one above it rounds to it");
    assert_eq!(judged("9007199254740991", "[9007199254740991]", "rows = \"\"", "min(v)"), Verdict::Reproduced);
    assert_eq!(judged("9007199254740996", list, "rows = \"\"", "max(v)"), Verdict::Absent, "the result is no exact double");
    for (filter, kept) in [
        ("below = 9007199254740993", "1"),
        ("below = 9007199254740992", "0"),
        ("at_least = 9007199254740993", "2"),
        ("at_least = 9007199254740994.0", "1"),
        ("below = 9007199254740996.0", "3"),
        ("equals = 9007199254740993", "1"),
        ("below = 0.5", "0"),
    ] {
        let input = format!("rows = \"\", where = [{{ at = \"\", {filter} }}]");
        assert_eq!(judged(kept, list, &input, "count(v)"), Verdict::Reproduced, "{filter}");
    }
}

#[test]
fn a_source_is_the_file_whose_digest_is_recorded() {
    let claim = number("{ file = \"page.md\", text = \"2.5\" }", "file = \"s.json\", at = \"/p50\"", "v", 1);
    let verdict = |digests: &str| {
        let claims: Claims = toml::from_str(&format!("version = 1\n{claim}\n[files]\n{digests}\n")).unwrap();
        trace(&claims, &files()).claims[0].verdict
    };
    let pin = |name: &str| format!("\"{name}\" = \"{}\"\n", files().sha256(name).unwrap());
    let other = |name: &str| format!("\"{name}\" = \"{}\"\n", "0".repeat(64));
    assert_eq!(verdict(""), Verdict::Unpinned);
    assert_eq!(verdict(&pin("s.json")), Verdict::Reproduced);
    assert_eq!(verdict(&other("s.json")), Verdict::DigestDiffers);
    assert_eq!(verdict(&pin("page.md")), Verdict::Unpinned, "a page is no source");
    assert_eq!(verdict(&(pin("s.json") + &pin("page.md"))), Verdict::Reproduced);
    assert_eq!(verdict(&(pin("s.json") + &other("page.md"))), Verdict::DigestDiffers);
}

#[test]
fn what_is_no_longer_claimed_is_listed_and_decides_nothing() {
    let live = number("{ text = \"2.5\" }", "file = \"s.json\", at = \"/p50\"", "v", 1);
    let retired = |word: &str| {
        let claim = number("{ text = \"9.9\" }", "file = \"s.json\", at = \"/p50\"", "v", 1).replace("\"x\"", "\"y\"");
        format!("{claim}{word} = {{ date = \"2026-07-28\", reason = \"measured on another machine\" }}\n")
    };
    for word in ["withdrawn", "history"] {
        let trace = traced(&(live.clone() + &retired(word)));
        assert_eq!((trace.answer(), trace.claims.len()), (Answer::Ok, 2));
        let retirement = trace.claims[1].retired.as_ref().unwrap();
        assert_eq!((retirement.standing, retirement.date.as_str()), (word, "2026-07-28"));
        assert_eq!((trace.claims[1].verdict, trace.claims[1].citable), (Verdict::Mismatch, false));
        assert_eq!(traced(&retired(word)).answer(), Answer::Unverifiable, "nothing is claimed");
    }
    let reproduced = number("{ text = \"2.5\" }", "file = \"s.json\", at = \"/p50\"", "v", 1)
        + "withdrawn = { date = \"2026-07-28\", reason = \"the endpoint was another\" }\n";
    assert!(!traced(&reproduced).claims[0].citable);
}

#[test]
fn the_worst_of_what_is_claimed_decides() {
    assert_eq!(
        [Answer::Ok, Answer::Missing, Answer::Mismatch, Answer::ZeroBaseline, Answer::Unverifiable].map(Answer::exit_code),
        [0, 3, 4, 5, 6]
    );
    assert!(Answer::Mismatch > Answer::Missing && Answer::Missing > Answer::Unverifiable && Answer::Unverifiable > Answer::ZeroBaseline);
    assert_eq!(traced("").answer(), Answer::Unverifiable);
}

#[test]
fn a_bad_manifest_is_refused_with_its_reason() {
    let good = number("{ text = \"2.5\" }", "file = \"s.json\", at = \"/p50\"", "v", 1);
    let refused = |claims: &str| {
        let error = toml::from_str::<Claims>(claims).err().unwrap_or_else(|| panic!("taken: {claims}"));
        error.message().to_owned()
    };
    assert!(refused("").contains("version"));
    assert!(refused("version = 2").contains("wanted version = 1"));
    assert!(refused("version = 1\nclaims = []").contains("unknown field"));
    assert!(refused("version = 1\n[files]\n\"s.json\" = \"AB\"").contains("64 lower-case hex digits"));
    assert!(
        refused(&format!("version = 1\n{good}\n[files]\n\"o.json\" = \"{}\"", "0".repeat(64))).contains("no claim is about \"o.json\"")
    );
    for (change, with, why) in [
        ("id = \"x\"", "id = \" \"", "blank or stands twice"),
        ("round = 1", "round = 18", "at most 17"),
        ("round = 1", "", "missing field `round`"),
        ("round = 1", "round = 1\nrouding = 1", "unknown field"),
        ("round = 1", "round = 1\nthousands = \".\"", "thousands are separated by"),
        ("round = 1", "round = 1\nhistory = { date = \"2026-13-01\", reason = \"r\" }", "a date such as"),
        ("round = 1", "round = 1\nhistory = { date = \"2026-07-28\", reason = \" \" }", "and a reason"),
        ("round = 1", "round = 1\nhistory = { date = \"2026-07-28\" }", "missing field `reason`"),
        (
            "round = 1",
            "round = 1\nhistory = { date = \"2026-07-28\", reason = \"r\" }\nwithdrawn = { date = \"2026-07-28\", reason = \"r\" }",
            "not both",
        ),
        ("text = \"2.5\"", "text = \" \"", "a part of one line"),
        ("text = \"2.5\"", "text = \"2.5\", beside = \"\"", "a part of one line"),
        ("expr = \"v\"", "expr = \"v + w\"", "uses w, which is no input"),
        ("expr = \"v\"", "expr = \"v\"\nprefix = \"1\"", "prefix and suffix hold no digit"),
        ("expr = \"v\"", "expr = \"v\"\nprefix = \"~-\"", "prefix and suffix hold no digit"),
        ("expr = \"v\"", "expr = \"v\"\nprefix = \"−(\"", "prefix and suffix hold no digit"),
        ("expr = \"v\"", "expr = \"v\"\nprefix = \"minus \"", "prefix and suffix hold no digit"),
        ("expr = \"v\"", "expr = \"v\"\nsuffix = \"e3\"", "prefix and suffix hold no digit"),
        ("inputs.v = { file = \"s.json\", at = \"/p50\" }", "inputs = {}", "no input"),
        ("expr = \"v\"", "expr = \"1\"", "does not use the input \"v\""),
        ("expr = \"v\"", "expr = \"percentile(v, 50)\"", "the method of the percentile"),
        ("at = \"/p50\"", "rows = \"/rows\"", "v has rows: use a statistic of it, such as mean(v)"),
        ("at = \"/p50\"", "at = \"p50\"", "is no selector"),
        ("at = \"/p50\"", "at = \"/p50\", rows = \"\"", "an input has at, or rows"),
        ("at = \"/p50\"", "at = \"/p50\", expect_rows = 1", "an input has at, or rows"),
        ("at = \"/p50\"", "value = \"/v\"", "an input has at, or rows"),
        ("at = \"/p50\"", "lines = true, after = \"x\", at = \"\"", "not both"),
        ("at = \"/p50\"", "rows = \"\", where = [{ at = \"/v\" }]", "one of equals, is, below and at_least"),
        ("at = \"/p50\"", "rows = \"\", where = [{ at = \"/v\", below = 1, at_least = 0 }]", "one of equals, is, below and at_least"),
        ("at = \"/p50\"", "rows = \"\", where = [{ at = \"/v\", below = nan }]", "a bound is a finite number"),
        ("at = \"/p50\"", "rows = \"\", where = [{ at = \"/v\", at_least = \"1\" }]", "a bound is a finite number"),
        ("at = \"/p50\"", "after = \"a\\nb\", at = \"\"", "a text of one line"),
        ("at = \"/p50\"", "rows = \"\", where = [{ at = \"/v\", equals = inf }]", "no finite number"),
    ] {
        let error = refused(&format!("version = 1\n{}", good.replace(change, with)));
        assert!(error.contains(why), "{with}: {error}");
    }
    assert!(refused(&format!("version = 1\n{good}{good}")).contains("stands twice"));
    let line = "version = 1\n[[line]]\nid = \"x\"\nfile = \"run.log\"\nline = 4\ncontains = \"end 4\"\n";
    assert!(refused(&line.replace("line = 4", "line = 0")).contains("counted from 1"));
    assert!(refused(&line.replace("end 4", "")).contains("contain a text"));
    assert!(refused(&format!("{line}published = {{ text = \"5\" }}\n")).contains("include the published text"));
    let same = "version = 1\n[[same]]\nid = \"x\"\nvalues = [{ file = \"s.json\", at = \"\" }]";
    assert!(refused(same).contains("wanted 2 to 16 values"));
    let two = same.replace("at = \"\" }", "at = \"\" }, { file = \"s.json\", after = \"a\\nb\", at = \"\" }");
    assert!(refused(&two).contains("a text of one line"));
}

// Limits, at each and one over it.

#[test]
fn what_is_over_a_limit_is_refused_or_not_verified() {
    let claims = |count: usize| -> Result<Claims, toml::de::Error> {
        let claim = number("{ text = \"2.5\" }", "file = \"s.json\", at = \"/p50\"", "v", 1);
        let claims: String = (0..count).map(|index| claim.replace("\"x\"", &format!("\"x{index}\""))).collect();
        toml::from_str(&format!("version = 1\n{claims}"))
    };
    assert!(claims(limits::BENCH_CLAIMS).is_ok());
    assert!(claims(limits::BENCH_CLAIMS + 1).unwrap_err().message().contains("at most 2000"));

    let inputs = |count: usize| -> Result<Claims, toml::de::Error> {
        let names: Vec<String> = (0..count).map(|index| format!("v{index}")).collect();
        let inputs: String = names.iter().map(|name| format!("inputs.{name} = {{ file = \"s.json\", at = \"/n\" }}\n")).collect();
        toml::from_str(&format!(
            "version = 1\n[[number]]\nid = \"x\"\npublished = {{ text = \"1\" }}\n{inputs}expr = \"{}\"\nround = 0\n",
            names.join("+")
        ))
    };
    assert!(inputs(limits::BENCH_INPUTS).is_ok());
    assert!(inputs(limits::BENCH_INPUTS + 1).unwrap_err().message().contains("more than 16 inputs"));

    let claims: Claims =
        toml::from_str(&format!("version = 1\n{}", number("{ text = \"1\" }", "file = \"a.json\", rows = \"\"", "count(v)", 0))).unwrap();
    let verdict = |content: Vec<u8>| {
        let mut files = Files::default();
        files.add("a.json", Ok(content));
        trace(&claims, &files).claims[0].verdict
    };
    let padded = |length: usize| [b"[1]".as_slice(), &vec![b' '; length - 3]].concat();
    assert_eq!(verdict(padded(limits::BENCH_FILE_BYTES)), Verdict::Unpinned);
    assert_eq!(verdict(padded(limits::BENCH_FILE_BYTES + 1)), Verdict::OverLimit);
    let list = |values: usize| format!("[{}1]", "1,".repeat(values - 2)).into_bytes();
    assert_eq!(verdict(list(limits::BENCH_VALUES)), Verdict::Mismatch);
    assert_eq!(verdict(list(limits::BENCH_VALUES + 1)), Verdict::OverLimit);
}

/// Claims that take more work than all of them may are not judged, and no worse: the rest of the answer stands.
#[test]
fn work_is_bounded() {
    let claim = number("{ text = \"299999\" }", "file = \"a.json\", rows = \"\"", "count(v)", 0);
    let claims: String = (0..limits::BENCH_CLAIMS).map(|index| claim.replace("\"x\"", &format!("\"x{index}\""))).collect();
    let mut files = Files::default();
    files.add("a.json", Ok(format!("[{}1]", "1,".repeat(limits::BENCH_VALUES - 2)).into_bytes()));
    let digest = files.sha256("a.json").unwrap();
    let claims: Claims = toml::from_str(&format!("version = 1\n{claims}\n[files]\n\"a.json\" = \"{digest}\"\n")).unwrap();
    let trace = trace(&claims, &files);
    let reproduced = trace.claims.iter().filter(|claim| claim.citable).count();
    // The document is read once, eight bytes and one value a step, and each claim looks twice at each of its values.
    assert_eq!(reproduced, (limits::BENCH_WORK - limits::BENCH_VALUES - 2 * limits::BENCH_VALUES / 8) / (2 * limits::BENCH_VALUES));
    assert!(trace.claims.iter().skip(reproduced).all(|claim| claim.verdict == Verdict::OverLimit));
    assert_eq!(trace.answer(), Answer::Unverifiable);
}

#[test]
fn a_page_is_searched_within_the_same_bounds() {
    let claim = number("{ file = \"page.md\", text = \"2.5 s\" }", "file = \"s.json\", at = \"/p50\"", "v", 1);
    let claims = |count: usize| -> Claims {
        let claims: String = (0..count).map(|index| claim.replace("\"x\"", &format!("\"x{index}\""))).collect();
        toml::from_str(&format!("version = 1\n{claims}")).unwrap()
    };
    let page = |length: usize| {
        let mut files = Files::default();
        files.add("page.md", Ok([b"1.5 s, 2.5 s\n".as_slice(), &vec![b' '; length - 13]].concat()));
        files
    };
    let found = coverage(&claims(2), "page.md", &page(limits::BENCH_FILE_BYTES)).unwrap();
    assert_eq!((found.numbers, found.uncovered, found.examples[0].text.as_str()), (2, 1, "1.5 s"));
    assert!(coverage(&claims(2), "page.md", &page(limits::BENCH_FILE_BYTES + 1)).is_err());
    let bytes = (limits::BENCH_WORK / limits::BENCH_CLAIMS + 1) * 16;
    assert!(coverage(&claims(limits::BENCH_CLAIMS), "page.md", &page(bytes)).unwrap_err().contains("steps"));
    assert_eq!(coverage(&claims(1), "lost.md", &page(13)).unwrap_err(), "\"lost.md\": it was not handed in");
}

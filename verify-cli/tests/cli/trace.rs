//! `receipt trace`: every verdict, every exit code, every form of the answer.

use std::fs;
use std::path::Path;

use crate::support::{
    TRACE, TRACE_CLAIMS as CLAIMS, TRACE_DIFFERS as DIFFERS, command, copy_all, finish, folder, receipt, text, workspace,
};

/// A copy of the fixtures that can be changed.
fn copy(name: &str) -> std::path::PathBuf {
    let folder = folder(name);
    copy_all(&workspace().join(TRACE), &folder);
    folder
}

/// One claim that counts to four, with these members.
fn counting(folder: &Path, members: &str) -> std::path::PathBuf {
    let claims = folder.join("counting.toml");
    let digest = "7c1fbb2a1f2a0a1a7f1d4a7a3e3c7ad0d6f9b1c9a0c5fb1d1d0b3c9f6c1b2a3d";
    let text = format!(
        "version = 1\n[files]\n\"unpinned.json\" = \"{digest}\"\n[[number]]\nid = \"count\"\npublished = {{ text = \"4\" }}\n\
         inputs.r = {{ file = \"unpinned.json\", rows = \"\" }}\nexpr = \"count(r)\"\nround = 0\n{members}"
    );
    fs::write(&claims, text).unwrap();
    claims
}

#[test]
fn what_follows_is_reproduced() {
    let run = receipt(&["trace", CLAIMS, "-v", "--coverage", "page.md"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    for line in [
        "OK  verify-cli/tests/fixtures/bench/trace/claims.toml: 7 of 7 claims reproduced: 2 from rows, 3 from recorded",
        "  load-p50     207.4 ms = median(r); r: 4 of 7 rows of requests.jsonl lines, 3 of 7 fail the filter /error is",
        "  latency-p50  0.4015 s = percentile(r, 50, 'linear'); r: 8 rows of latency.json /latencies",
        "  gain-c8      +30.00 % = delta(a, b, 'higher'); a: sweep.json /points[concurrency=8,arm=base]/tok_s; b: sweep.json",
        "  verdict      \"L\"; result.json /label; attestation.json /verdict/label; eval.log last line after \"RESULT_JSON \"",
        "  first-table  1,500.0 tok/s, withdrawn since 2026-07-28: its raw file was lost with the container (now:",
        "  Coverage  page.md: no claim is about 1 of 7 numbers with a unit",
        "            line 9: 4.5 s",
    ] {
        assert!(run.stdout.lines().any(|shown| shown.starts_with(line)), "{line}\nis not in\n{}", run.stdout);
    }
    let brief = receipt(&["trace", CLAIMS]);
    assert!(brief.stdout.contains("3 of 7 fail the filter"), "what was dropped is always shown: {}", brief.stdout);
    assert!(!brief.stdout.contains("gain-c8"), "{}", brief.stdout);
}

#[test]
fn a_strict_coverage_asks_for_every_number() {
    assert_eq!(receipt(&["trace", CLAIMS, "--coverage", "page.md", "--strict"]).code, 6);
    assert_eq!(receipt(&["trace", CLAIMS, "--coverage", "lost.md"]).code, 3);
    assert_eq!(receipt(&["trace", CLAIMS, "--strict"]).code, 2);
    let folder = copy("trace-strict");
    let page = fs::read_to_string(folder.join("page.md")).unwrap().replace(" Start-up takes 4.5 s.", "");
    fs::write(folder.join("page.md"), page).unwrap();
    assert_eq!(receipt(&["trace", text(&folder.join("claims.toml")), "--coverage", "page.md", "--strict"]).code, 0);
}

#[test]
fn every_verdict_has_its_name_and_reason() {
    let run = receipt(&["trace", DIFFERS, "--format", "json"]);
    assert_eq!(run.code, 4);
    let answer = run.json();
    assert_eq!(answer["exit"].to_string(), r#"{"code":4,"name":"MISMATCH"}"#);
    for (id, verdict, why) in [
        ("method", "mismatch", "published is \"0.4460\", recomputed \"0.4436\""),
        ("cut-off", "mismatch", "published is \"1331.8\", recomputed \"1331.9\""),
        ("alone", "mismatch", "published is \"118.27\", recomputed \"8.66\""),
        ("rows", "mismatch", "r: 5 rows are there; 7 are expected"),
        ("missing", "source-missing", "v: \"lost.json\": cannot be read: "),
        ("zero", "zero-divisor", "a is 0, and the expression divides by it"),
        ("nowhere", "absent", "v: nothing is at \"[concurrency=64]\""),
        ("two", "ambiguous", "v: 2 items are at \"[concurrency=8]\"; wanted one"),
        ("summary", "unbacked", "the statistic of v has no rows to be taken of"),
        ("other-page", "not-in-text", "\"page.md\" does not hold \"118.27\""),
        ("no-digest", "unpinned", "it follows from \"unpinned.json\", of which the manifest records no SHA-256"),
        ("other-line", "mismatch", "line 163 of \"serve.log\" does not contain \"fused kernel engaged\": it stands at line 3"),
        ("conflict", "conflict", "eval.log says \"L\", attestation.json says 1331.870"),
        ("digest", "digest-differs", "\"result.json\" has the SHA-256 "),
    ] {
        let claim = answer["claims"].as_array().unwrap().iter().find(|claim| claim["id"] == id).unwrap();
        assert_eq!((&claim["verdict"], &claim["citable"]), (&verdict.into(), &false.into()), "{id}");
        assert!(claim["why"].as_str().unwrap().starts_with(why), "{id}: {}", claim["why"]);
    }
    let hints = |id: &str| answer["claims"].as_array().unwrap().iter().find(|claim| claim["id"] == id).unwrap()["hints"].to_string();
    assert_eq!(hints("method"), r#"["the percentile method nearest-rank or floor-pn or nearest-index or higher would match"]"#);
    assert_eq!(hints("cut-off"), r#"["cut off instead of rounded it would match"]"#);
    assert_eq!(hints("alone"), r#"["the input a alone would match"]"#);
    assert_eq!(hints("zero"), "[]");
}

#[test]
fn the_first_code_that_applies_wins() {
    let folder = copy("trace-codes");
    let all = fs::read_to_string(folder.join("differs.toml")).unwrap();
    let (head, claims) = all.split_once("[[number]]").unwrap();
    let claims = format!("[[number]]{claims}");
    let without = |ids: &[&str]| -> String {
        let parts = claims.split("\n\n").filter(|part| !ids.iter().any(|id| part.contains(&format!("id = \"{id}\""))));
        let parts: String = parts.map(|part| format!("{part}\n\n")).collect();
        // Digests of files that no claim is about are refused.
        let files = head.lines().filter(|line| line.split('"').nth(1).is_none_or(|name| parts.contains(&format!("\"{name}\""))));
        format!("{}\n{parts}", files.collect::<Vec<_>>().join("\n"))
    };
    let mismatches = ["method", "cut-off", "alone", "rows", "other-line", "conflict", "digest"];
    let mut left_out = mismatches.to_vec();
    let unverifiable = ["nowhere", "two", "summary", "other-page", "no-digest"];
    for (ids, code, name) in [(&["missing"][..], 3, "MISSING"), (&unverifiable, 6, "UNVERIFIABLE"), (&["zero"], 5, "ZERO_BASELINE")] {
        let claims = folder.join("some.toml");
        fs::write(&claims, without(&left_out)).unwrap();
        let run = receipt(&["trace", text(&claims)]);
        assert_eq!(run.code, code, "{}{}", run.stdout, run.stderr);
        assert!(run.stdout.starts_with(name), "{}", run.stdout);
        left_out.extend(ids);
    }
    for id in ["two", "summary", "other-page", "no-digest"] {
        let others: Vec<&str> = mismatches
            .iter()
            .chain(&["missing", "zero", "nowhere", "two", "summary", "other-page", "no-digest"])
            .copied()
            .filter(|other| *other != id)
            .collect();
        let claims = folder.join("one.toml");
        fs::write(&claims, without(&others)).unwrap();
        assert_eq!(receipt(&["trace", text(&claims)]).code, 6, "{id}");
    }
}

#[test]
fn nothing_claimed_is_nothing_verified() {
    let folder = copy("trace-nothing");
    let claims = folder.join("none.toml");
    fs::write(&claims, "version = 1\n").unwrap();
    let run = receipt(&["trace", text(&claims)]);
    assert_eq!(run.code, 6, "{}", run.stdout);
    let retired = counting(&folder, "history = { date = \"2026-07-28\", reason = \"of another machine\" }\n");
    let run = receipt(&["trace", text(&retired)]);
    assert_eq!(run.code, 6, "{}", run.stdout);
    assert!(run.stdout.contains("4, history since 2026-07-28: of another machine (now: digest-differs)"), "{}", run.stdout);
    assert_eq!(receipt(&["trace", text(&counting(&folder, ""))]).code, 4);
}

#[test]
fn digests_are_printed_as_the_manifest_records_them() {
    let folder = copy("trace-pin");
    let unpinned = counting(&folder, "");
    let without = fs::read_to_string(&unpinned).unwrap();
    let without = without.lines().filter(|line| !line.contains("unpinned.json\" =") && *line != "[files]").collect::<Vec<_>>().join("\n");
    fs::write(&unpinned, &without).unwrap();
    let run = receipt(&["trace", text(&unpinned)]);
    assert_eq!(run.code, 6);
    assert!(run.stdout.contains("unpinned: it follows from \"unpinned.json\""), "{}", run.stdout);
    let pins = receipt(&["trace", text(&unpinned), "--pin"]);
    assert_eq!((pins.code, pins.stderr.as_str()), (0, ""));
    fs::write(&unpinned, format!("{without}\n{}", pins.stdout)).unwrap();
    assert_eq!(receipt(&["trace", text(&unpinned)]).code, 0);
    let lost = receipt(&["trace", DIFFERS, "--pin"]);
    assert_eq!((lost.code, lost.stderr.as_str()), (3, "lost.json: cannot be read, so it has no digest\n"));
}

#[test]
fn only_regular_files_below_the_root_are_read() {
    let folder = copy("trace-root");
    let inner = folder.join("inner");
    fs::create_dir_all(&inner).unwrap();
    fs::create_dir_all(inner.join("sub")).unwrap();
    fs::copy(folder.join("unpinned.json"), inner.join("sub/unpinned.json")).unwrap();
    std::os::unix::fs::symlink("..", inner.join("up")).unwrap();
    std::os::unix::fs::symlink("../unpinned.json", inner.join("link.json")).unwrap();
    let claims = counting(&folder, "");
    let absolute = folder.join("unpinned.json");
    for (name, why) in [
        ("../unpinned.json", "a name is relative"),
        (text(&absolute), "a name is relative"),
        ("up/unpinned.json", "a symbolic link is on the way"),
        ("link.json", "a symbolic link is on the way"),
        ("", "no part of a name is empty"),
        (".", "a name is relative"),
        ("./unpinned.json", "a name is relative"),
        ("sub//unpinned.json", "no part of a name is empty"),
        ("sub/./unpinned.json", "a name is relative"),
        ("sub/unpinned.json/", "no part of a name is empty"),
        ("sub", "it is not a regular file"),
    ] {
        let named = fs::read_to_string(&claims).unwrap().replace("unpinned.json", name);
        let there = folder.join("named.toml");
        fs::write(&there, named).unwrap();
        let run = receipt(&["trace", text(&there), "--folder", text(&inner), "--format", "json"]);
        assert_eq!(run.code, 3, "{name}: {}", run.stdout);
        assert!(run.json()["claims"][0]["why"].as_str().unwrap().contains(why), "{name}: {}", run.stdout);
    }
}

#[test]
fn a_manifest_that_cannot_be_read_is_a_usage_error() {
    let folder = copy("trace-usage");
    let claims = counting(&folder, "surprise = 1\n");
    let run = receipt(&["trace", text(&claims)]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("line ") && run.stderr.contains("surprise"), "{}", run.stderr);
    assert_eq!(receipt(&["trace", "lost.toml"]).code, 2);
}

#[test]
fn texts_of_others_are_harmless() {
    let folder = copy("trace-texts");
    let claims = folder.join("texts.toml");
    let evil = "::error:: \\u001b[2J | `x` @all \\u202e";
    let prefix = evil.replace("[2J", "[J");
    let place = evil.replace('[', "~2");
    let manifest = format!(
        "version = 1\n[[line]]\nid = \"{evil}\"\npublished = {{ file = \"{evil}\", text = \"{evil}\" }}\nfile = \"{evil}\"\nline = 1\ncontains = \"{evil}\"\n\
         [[number]]\nid = \"retired {evil}\"\npublished = {{ text = \"{evil}\" }}\ninputs.r = {{ file = \"requests.jsonl\", lines = true, value = \"/{place}\", \
         where = [{{ at = \"/{place}\", equals = \"{evil}\" }}] }}\nexpr = \"sum(r)\"\nround = 1\nprefix = \"{prefix}\"\n\
         withdrawn = {{ date = \"2026-01-01\", reason = \"{evil}\" }}\n"
    );
    fs::write(&claims, manifest).unwrap();
    for format in ["text", "json", "markdown"] {
        let run = receipt(&["trace", text(&claims), "--format", format, "-v"]);
        assert_eq!(run.code, 3, "{}", run.stderr);
        for bad in ["::", "\u{1b}", "\u{202e}", "##"] {
            assert!(!run.stdout.contains(bad), "{format}: {bad:?} is in {}", run.stdout);
        }
        if format == "markdown" {
            let rows = run.stdout.lines().filter(|line| line.starts_with("| `"));
            assert!(
                rows.clone().count() == 2 && rows.clone().all(|row| row.replace("\\|", "").matches('|').count() == 6),
                "{}",
                run.stdout
            );
        }
    }
    assert!(!receipt(&["trace", text(&claims), "--pin"]).stderr.contains("::"));
}

#[test]
fn markdown_is_a_table() {
    let run = receipt(&["trace", CLAIMS, "--format", "markdown", "--coverage", "page.md"]);
    assert_eq!(run.code, 0);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert!(lines[0].starts_with("**OK** `verify-cli/tests/fixtures/bench/trace/claims.toml`: 7 of 7 claims reproduced"), "{}", lines[0]);
    assert_eq!(lines[2], "| claim | verdict | published | recomputed | what was found |");
    assert_eq!(
        lines[4],
        "| `latency-p50` | reproduced | `0.4015 s` | `0.4015 s` | `0.4015 s = percentile(r, 50, 'linear'); r: 8 rows of latency.json /latencies` |"
    );
    assert!(run.stdout.contains("| `first-table` | withdrawn | `1,500.0 tok/s` |  |"), "{}", run.stdout);
    assert!(run.stdout.ends_with("- line 9: `4.5 s`\n"), "{}", run.stdout);
}

#[test]
fn an_answer_never_replaces_what_is_read() {
    let folder = copy("trace-output");
    let claims = folder.join("claims.toml");
    for name in ["claims.toml", "page.md", "sweep.json"] {
        assert_eq!(receipt(&["trace", text(&claims), "-o", text(&folder.join(name))]).code, 2, "{name}");
    }
    assert_eq!(receipt(&["trace", text(&claims), "-o", text(&folder.join("answer.txt"))]).code, 0);
}

/// The example of docs/trace.md is what the program says; `UPDATE=1` writes it.
#[test]
fn the_document_shows_a_real_answer() {
    let path = workspace().join("docs/trace.md");
    let page = fs::read_to_string(&path).unwrap();
    let (head, rest) = page.split_once("```text\n").unwrap();
    let (shown, tail) = rest.split_once("```\n").unwrap();
    assert!(head.ends_with("<!-- receipt trace claims.toml --coverage page.md -->\n"));
    let run = finish(command(&["trace", "claims.toml", "--coverage", "page.md"]).current_dir(workspace().join(TRACE)), b"");
    if std::env::var("UPDATE").as_deref() == Ok("1") {
        fs::write(path, format!("{head}```text\n{}```\n{tail}", run.stdout)).unwrap();
    } else {
        assert_eq!(shown, run.stdout, "UPDATE=1 cargo test -p verify-cli --test cli the_document_shows_a_real_answer");
    }
}

//! Text of others, in every place where it can stand and in every format: nothing of it moves a cursor, forges a line, commands a
//! runner of builds, or becomes markup or a formula.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use data_encoding::BASE64;
use serde_json::{Value, json};

use crate::support::{RUN, Run, VERIFIED, every_command, folder, receipt, text, verify, with_test_anchors, workspace};

/// What others may write, one kind of mischief each. What stands after a line break must never begin a line.
const PAYLOADS: [&str; 21] = [
    "\u{1b}[2J\u{1b}[31m\u{1b}[1A\u{1b}(0\u{1b}c",
    "\u{1b}]8;;https://a.example\u{7}here\u{1b}]8;;\u{1b}\\\u{1b}]0;title\u{7}",
    "\u{9b}31m\u{9d}0;title\u{9c}\u{90}q\u{9c}\u{8}\u{7f}",
    "\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}\u{200e}\u{200f}\u{61c}",
    "\u{200b}\u{200c}\u{200d}\u{2060}\u{feff}\u{ad}\u{180e}\u{fe0f}\u{e0041}\u{3164}\u{34f}",
    "x\nFORGED  a\rFORGED  a\r\nFORGED  a",
    "x\u{b}FORGED\u{c}FORGED\u{85}FORGED\u{2028}FORGED\u{2029}FORGED",
    "::error::x\n::set-output name=a::b\n::add-mask::c\n::stop-commands::d",
    "some words that fill a line until it breaks and then a command stands at the start: ::error file=a.rs,line=1::so it is read as one ::error::x",
    "##[error]x ##[add-mask]a ##vso[task.setvariable variable=a]b ##teamcity[message text='c']",
    "%0A::error::x%0D%0A##[error]y%25",
    "<script>alert(1)</script>\"><img src=x onerror=alert(1)>",
    "</pre>]]><!--&lt;&#60;' onmouseover='alert(1)",
    "[a](javascript:alert(1)) `b` | c | ![d](https://a.example) ~~~ ``` # e",
    "=cmd|'/C calc'!A0",
    "+cmd|'/C calc'!A0",
    "-cmd|'/C calc'!A0",
    "@SUM(1,2)",
    "\t=cmd\t\u{0}\u{1}\u{1f}x",
    LONE_SURROGATE,
    "                                          FORGED                         \u{a0}\u{3000}\u{2003}FORGED",
];

/// Stands for half of a surrogate pair, which a text of Rust cannot hold but JSON can.
const LONE_SURROGATE: &str = "lone-surrogate";

/// Every kind at once, short enough to be shown whole.
const ALL: &str = "\u{1b}[2J\u{9b}31m\u{1b}]8;;h\u{7}\u{202e}\u{2066}\u{200b}\u{feff}\u{e0041}\n::error::FORGED\r##[add-mask]FORGED\u{2028}FORGED\u{85}FORGED\u{b}FORGED\u{c}%0A<img src=x>]]>&'`|\t\u{0}\u{7f}";

/// The kinds of envelopes.
const ENVELOPES: [&str; 4] = ["verified", "signed-verified", "response-contents", "note-verified"];

/// Receipts with such text: in each text alone, as the name of a member of each object, of each kind in all texts of the
/// attestation, and inside of what is encoded.
static RECEIPTS: LazyLock<PathBuf> = LazyLock::new(|| {
    let receipts = folder("injected");
    let mut count = 0;
    let mut write = |receipt: &Value| {
        count += 1;
        fs::write(receipts.join(format!("{count:04}.json")), written(receipt)).unwrap();
    };
    for envelope in ENVELOPES {
        let honest = read(&format!("test-vectors/receipts/{envelope}.json"));
        assert_eq!(edits(&honest).count(), pointers(&honest).len());
        edits(&honest).for_each(|edited| write(&edited));
        PAYLOADS.map(|payload| with_texts(&honest, payload)).iter().for_each(&mut write);
        let long = "x\n::error::FORGED ".repeat(20_000);
        write(&with_texts(&honest, &long));
    }
    let honest = read(VERIFIED);
    [with_output(&honest), with_collateral(&honest), with_certificates(&honest)].iter().for_each(&mut write);
    assert!(count > 250, "only {count} receipts");
    receipts
});

/// The value with `ALL` in one place each.
fn edits(honest: &Value) -> impl Iterator<Item = Value> {
    pointers(honest).into_iter().map(|pointer| {
        let mut edited = honest.clone();
        match edited.pointer_mut(&pointer).unwrap() {
            Value::Object(members) => drop(members.insert(ALL.to_owned(), ALL.into())),
            text => *text = ALL.into(),
        }
        edited
    })
}

/// Where texts and objects stand.
fn pointers(value: &Value) -> Vec<String> {
    let below = |name: &str, value: &Value| pointers(value).into_iter().map(|rest| format!("/{}{rest}", name.replace('/', "~1"))).collect();
    let inner: Vec<Vec<String>> = match value {
        Value::Object(members) => members.iter().map(|(name, value)| below(name, value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(index, value)| below(&index.to_string(), value)).collect(),
        _ => Vec::new(),
    };
    let own = (value.is_string() || value.is_object()).then(String::new);
    own.into_iter().chain(inner.into_iter().flatten()).collect()
}

/// The receipt with `payload` as every text of its attestation, or of the whole where it has none.
fn with_texts(honest: &Value, payload: &str) -> Value {
    let mut edited = honest.clone();
    let part = if edited["attestation"].is_object() { &mut edited["attestation"] } else { &mut edited };
    for pointer in pointers(part) {
        if let Some(text @ Value::String(_)) = part.pointer_mut(&pointer) {
            *text = payload.into();
        }
    }
    edited
}

/// An enclave that prints such text.
fn with_output(honest: &Value) -> Value {
    let mut edited = honest.clone();
    let output = json!({ "label": ALL, "pass": false, "reason": ALL, ALL: ALL }).to_string();
    edited["tdx"]["stdout_b64"] = BASE64.encode(output.as_bytes()).into();
    edited
}

/// Collateral with such text in everything that Intel signs, and as the name of a part.
fn with_collateral(honest: &Value) -> Value {
    let mut edited = honest.clone();
    let mut collateral: Value = serde_json::from_slice(&decoded(&honest["tdx"]["collateral_b64"])).unwrap();
    let items = collateral["items"].as_object_mut().unwrap();
    for item in items.values_mut() {
        if let Ok(signed) = serde_json::from_slice::<Value>(&decoded(item)) {
            *item = BASE64.encode(with_texts(&signed, ALL).to_string().as_bytes()).into();
        }
    }
    items.insert(ALL.to_owned(), ALL.into());
    edited["tdx"]["collateral_b64"] = BASE64.encode(collateral.to_string().as_bytes()).into();
    edited
}

/// Certificates whose subjects and issuers are such text.
fn with_certificates(honest: &Value) -> Value {
    const BEGIN: &str = "-----BEGIN CERTIFICATE-----";
    let quote = decoded(&honest["tdx"]["quote_b64"]);
    let start = quote.windows(BEGIN.len()).position(|window| window == BEGIN.as_bytes()).expect("a chain of certificates");
    let chain = String::from_utf8(quote[start..].to_vec()).expect("the quote ends with text");
    let hostile = "\u{1b}[2J\n::error::##[x]<b>\u{7f}".as_bytes();
    let mut edited = chain.clone();
    for block in chain.split(BEGIN).skip(1) {
        let body = block.split("-----END").next().unwrap();
        let mut certificate = BASE64.decode(body.replace('\n', "").as_bytes()).unwrap();
        for name in ["Intel SGX PCK Certificate", "Intel SGX PCK Platform CA", "Intel SGX Root CA"] {
            while let Some(at) = certificate.windows(name.len()).position(|window| window == name.as_bytes()) {
                let text = hostile.iter().copied().cycle().take(name.len()).collect::<Vec<u8>>();
                certificate[at..at + name.len()].copy_from_slice(&text);
            }
        }
        let text = BASE64.encode(&certificate);
        let lines: Vec<&str> = (0..text.len()).step_by(64).map(|at| &text[at..text.len().min(at + 64)]).collect();
        edited = edited.replace(body, &format!("\n{}\n", lines.join("\n")));
    }
    assert!(edited.len() == chain.len() && edited != chain, "the certificates keep their lengths");
    let mut receipt = honest.clone();
    receipt["tdx"]["quote_b64"] = BASE64.encode(&[&quote[..start], edited.as_bytes()].concat()).into();
    receipt
}

#[test]
fn texts_of_receipts_are_harmless_on_a_screen() {
    is_harmless_text(&judged(&["verify"]));
}

#[test]
fn texts_of_receipts_are_harmless_on_a_full_screen() {
    is_harmless_text(&judged(&["verify", "-v"]));
}

#[test]
fn texts_of_receipts_are_harmless_in_reports() {
    is_harmless_json(&judged(&["verify", "--format", "jsonl"]));
    is_harmless_json(&receipt(&["inspect", "--format", "json", text(&RECEIPTS)]));
}

#[test]
fn texts_of_receipts_are_harmless_among_claims() {
    is_harmless_text(&judged(&["claims"]));
    is_harmless_json(&judged(&["claims", "--format", "jsonl"]));
}

#[test]
fn texts_of_receipts_are_harmless_when_inspected() {
    is_harmless_text(&receipt(&["inspect", text(&RECEIPTS)]));
    is_harmless_json(&receipt(&["inspect", "--format", "jsonl", text(&RECEIPTS)]));
}

/// The injected receipts, judged with all that can be asked about them.
fn judged(command: &[&str]) -> Run {
    let signer = read("test-vectors/receipts/signed-verified.json")["public_key"].as_str().unwrap().to_owned();
    let label = format!("label={}", ALL.replace('\0', ""));
    let asked = ["--trust-key", &signer, "--score", "test-vectors/scores/classic.toml", "--expect", &label, "--expect", "/a~1\u{1b}=x\n"];
    let anchors = &with_test_anchors(&[])[1..];
    let run = receipt(&[command, anchors, &asked, &[text(&RECEIPTS)]].concat());
    assert_eq!(run.code, 4);
    assert!(run.stdout.matches("FORGED").count() > 1000, "most of the text is shown somewhere: {}", run.stdout.matches("FORGED").count());
    run
}

#[test]
fn hostile_arguments_are_harmless() {
    let hostile = ALL.replace('\0', "");
    let hostile = [hostile.clone(), format!("--{hostile}"), format!("a={hostile}")];
    let more = [
        verify(&["--at", "collateral", "--max-age", "30d", "--trust-key", "x", VERIFIED]),
        vec!["score", "--preset", "k3", "--reference", "1", "--guard", "a=1/2", "--guard", "a=1", "--expect-label", "L", "--value", "1"],
    ];
    for arguments in every_command().into_iter().chain(more) {
        for place in 0..=arguments.len() {
            for text in &hostile {
                let mut edited = arguments.clone();
                edited.splice(place..(place + 1).min(arguments.len()), [text.as_str()]);
                let run = receipt(&edited);
                is_harmless_words(&run.stdout, &format!("{edited:?}"));
                is_harmless_words(&run.stderr, &format!("{edited:?}"));
            }
        }
    }
}

#[test]
fn hostile_names_of_files_are_harmless() {
    let folder = folder("injected-names");
    let names = PAYLOADS.iter().chain([&ALL]).map(|name| name.replace('/', "\\").replace('\0', ""));
    for (index, name) in names.enumerate() {
        let below = folder.join(index.to_string());
        fs::create_dir_all(below.join(&name)).unwrap();
        for file in [format!("{name}/receipt.json"), format!("{name}.json")] {
            fs::copy(workspace().join(VERIFIED), below.join(file)).unwrap();
        }
    }
    let folders: Vec<String> = (0..=PAYLOADS.len()).map(|index| text(&folder.join(index.to_string())).to_owned()).collect();
    let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
    for command in [&["verify", "-v"][..], &["claims"], &["inspect"]] {
        is_harmless_text(&receipt(&[command, &folders].concat()));
        is_harmless_json(&receipt(&[&command[..1], &["--format", "jsonl"], &folders].concat()));
    }
}

#[test]
fn texts_of_other_files_are_harmless() {
    let folder = folder("injected-files");
    let place = |name: &str, content: &str| {
        fs::write(folder.join(name), content).unwrap();
        text(&folder.join(name)).to_owned()
    };
    let toml = |text: &str| text.chars().map(|character| format!("\\U{:08x}", u32::from(character))).collect::<String>();
    let result = with_texts(&read("test-vectors/runs/run-agrees/result.json"), ALL);
    let hostile = place("hostile", &ALL.repeat(3));
    let certificate = place("certificate", &format!("-----BEGIN CERTIFICATE-----\n{ALL}\n-----END CERTIFICATE-----\n"));
    let measured = place("result.json", &written(&result));
    let logged = place("log", &format!("{ALL}\nRESULT_JSON {}\n", written(&result).replace('\n', " ")));
    let list = place("list.json", &written(&json!([ALL, { ALL: ALL }])));
    let keys = place("keys.json", &written(&json!([ALL])));
    let named = place("policy.toml", &format!("version = 1\nname = \"{}\"\nbase = \"strict\"\n", toml(ALL)));
    let based = place("base.toml", &format!("version = 1\nname = \"a\"\nbase = \"{}\"\n", toml(ALL)));
    let keyed = place("key.toml", &format!("version = 1\nname = \"a\"\nbase = \"strict\"\n\"{}\" = 1\n", toml(ALL)));
    let tuned = place("effects.toml", &format!("version = 1\nname = \"a\"\nbase = \"strict\"\n[effects]\n\"{}\" = \"notes\"\n", toml(ALL)));
    let shipped = fs::read_to_string(workspace().join("test-vectors/scores/classic.toml")).unwrap();
    let params = place("params.toml", &renamed(&shipped, &toml(ALL)));
    let policy = fs::read_to_string(workspace().join("test-vectors/policies/test.toml")).unwrap();
    let pinned = place("pinned.toml", &renamed(&policy, &toml(ALL)));

    let mut runs = Vec::new();
    for (name, content) in [("attestation.json", written(&result)), ("result.json", written(&result)), ("eval.log", read_text(&logged))] {
        let run = folder.join(format!("run-{name}"));
        fs::create_dir_all(&run).unwrap();
        fs::copy(workspace().join(RUN).join("receipt.json"), run.join("receipt.json")).unwrap();
        fs::write(run.join(name), content).unwrap();
        runs.push(text(&run).to_owned());
    }

    let files = [&hostile, &certificate, &measured, &logged, &list, &keys, &named, &based, &keyed, &tuned, &params, &pinned];
    let options = ["--policy", "--root", "--tcb-signing-cert", "--trust-keys", "--collateral", "--input", "--score"];
    let mut calls: Vec<Vec<&str>> = runs.iter().map(|run| verify(&["--run", run])).collect();
    for file in files {
        calls.extend(options.map(|option| vec!["verify", "-v", option, file, VERIFIED]));
        calls.push(vec!["quote", file, "--collateral", file]);
        calls.push(vec!["score", "--preset", "classic", "--from", file]);
        calls.push(vec!["score", "--params", file, "--value", "1", "--frontier", "1", "--top1", "1", "--kl", "0"]);
        calls.push(vec!["policy", "show", file]);
        calls.push(vec!["policy", "check", file]);
    }
    for call in &calls {
        let run = receipt(call);
        is_harmless_words(&run.stdout, &format!("{call:?}"));
        is_harmless_words(&run.stderr, &format!("{call:?}"));
        if call[0] != "policy" || call[1] == "show" {
            let format = if matches!(call[0], "score" | "policy") { "json" } else { "jsonl" };
            let run = receipt(&[call, &["--format", format][..]].concat());
            is_harmless_words(&run.stderr, &format!("{call:?}"));
            run.stdout.lines().for_each(is_harmless_line_of_json);
        }
    }
}

/// A file of TOML whose first `name` is `name`.
fn renamed(file: &str, name: &str) -> String {
    let (before, after) = file.split_once("\nname = \"").expect("a name");
    format!("{before}\nname = \"{name}\"{}", after.split_once('"').unwrap().1)
}

#[track_caller]
fn is_harmless_text(run: &Run) {
    for stream in [&run.stdout, &run.stderr] {
        is_harmless_words(stream, "");
    }
    assert!(run.stdout.contains("FORGED"), "the text was shown at all");
}

/// Only printable ASCII, the one other character of the honest receipts, and the line breaks of the tool; no line of somebody else's; no command of a runner of builds.
#[track_caller]
fn is_harmless_words(shown: &str, about: &str) {
    for line in shown.split('\n') {
        assert!(line.chars().all(|character| matches!(character, ' '..='~' | '±')), "{about}: {line:?}");
        assert!(!line.starts_with("FORGED") && !line.contains("::") && !line.contains("##"), "{about}: {line:?}");
    }
}

#[track_caller]
fn is_harmless_json(run: &Run) {
    is_harmless_words(&run.stderr, "");
    assert!(run.stdout.contains("FORGED"), "the text was shown at all");
    run.stdout.lines().for_each(is_harmless_line_of_json);
    serde_json::from_str::<Value>(&run.stdout).map_or_else(
        |_| run.stdout.lines().for_each(|line| are_harmless_texts(&serde_json::from_str(line).unwrap())),
        |document| are_harmless_texts(&document),
    );
}

/// Harmless in a terminal, in a log, and in a page of HTML.
#[track_caller]
fn is_harmless_line_of_json(line: &str) {
    is_harmless_words(line, "");
    assert!(line.is_ascii() && !line.contains(['<', '>', '&']), "{line:?}");
}

/// So are the texts that a reader of the JSON gets.
#[track_caller]
fn are_harmless_texts(value: &Value) {
    match value {
        Value::String(text) => is_harmless_words(text, "as read from JSON"),
        Value::Array(items) => items.iter().for_each(are_harmless_texts),
        Value::Object(members) => members.iter().for_each(|(name, value)| {
            is_harmless_words(name, "as read from JSON");
            are_harmless_texts(value);
        }),
        _ => {}
    }
}

fn written(value: &Value) -> String {
    format!("{value:#}").replace(LONE_SURROGATE, "\\ud800")
}

fn read(path: &str) -> Value {
    serde_json::from_str(&read_text(path)).unwrap()
}

fn read_text(path: impl AsRef<Path>) -> String {
    fs::read_to_string(workspace().join(path)).unwrap()
}

fn decoded(base64: &Value) -> Vec<u8> {
    BASE64.decode(base64.as_str().unwrap().as_bytes()).unwrap()
}

#[test]
fn formulas_stand_behind_a_quotation_mark() {
    for (index, formula) in PAYLOADS.iter().enumerate().filter(|(_, payload)| payload.starts_with(['=', '+', '-', '@'])) {
        let path = folder(&format!("injected-formula-{index}")).join("receipt.json");
        fs::write(&path, written(&with_texts(&read(VERIFIED), formula))).unwrap();
        for arguments in [verify(&["-v", text(&path)]), verify(&["--format", "json", text(&path)]), vec!["inspect", text(&path)]] {
            let run = receipt(&arguments);
            let shown = run.stdout.replace("\\\"", "\"");
            assert!(shown.contains(&format!("\"{formula}")), "{shown}");
            assert!(shown.match_indices(formula).all(|(at, _)| shown[..at].ends_with('"')), "{arguments:?}: {shown}");
        }
    }
}

//! `receipt audit --html`: a page that is whole, that nobody's text can change, and that loads nothing.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{Run, copy_all, folder, receipt, shared, text, workspace};

const ANCHORS: [&str; 4] = ["--root", "test-vectors/pki/root.pem", "--tcb-signing-cert", "test-vectors/pki/tcb_signing.pem"];
const POLICY: [&str; 2] = ["--policy", "test-vectors/policies/any-machine.toml"];
const LOG: &str = "test-vectors/logs/row-label";

/// What closes texts, values and elements, moves a cursor, turns text round, or commands a runner of builds.
const HOSTILE: &str = "FORGED\"><script>alert('1')</script><img src=x onerror=alert(1)></td></table>&lt;<!--]]>\u{202e}\u{2066}\u{1b}[31m\n::error::x ##[add-mask]y";

/// The page of an audit, and the audit's own answer.
fn page(name: &str, arguments: &[&str]) -> (String, Run) {
    let file = folder(name).join("page.html");
    let run = receipt(&[&["audit", "--html", text(&file)], &ANCHORS[..], arguments].concat());
    (fs::read_to_string(&file).unwrap_or_else(|_| panic!("no page: {}", run.stderr)), run)
}

#[test]
fn pages_of_our_own_logs_are_whole_and_say_what_the_audit_says() {
    let manifest: Value = serde_json::from_slice(&fs::read(workspace().join("test-vectors/manifest.json")).unwrap()).unwrap();
    for entry in manifest["logs"].as_array().unwrap() {
        let path = |member: &str| format!("test-vectors/{}", entry[member].as_str().unwrap());
        let (log, policy) = (path("log"), path("policy"));
        let key = entry["anchors"]["signer_keys"][0].as_str().unwrap();
        let since = entry["since"].is_string().then(|| path("since"));
        let since: Vec<&str> = since.iter().flat_map(|since| ["--since", since]).collect();
        let (page, run) = page("html-own", &[&["--format", "json", "--policy", &policy, "--trust-key", key], &since[..], &[&log]].concat());
        let read = Read::of(&page);
        let audit = run.json();
        read.says(&audit["outcome"].as_str().unwrap().to_uppercase());
        read.says(audit["policy"]["sha256"].as_str().unwrap());
        for list in audit["lists"].as_array().unwrap() {
            read.says(list["sha256"].as_str().unwrap());
        }
        for finding in audit["receipts"].as_array().unwrap().iter().chain(audit["findings"].as_array().unwrap()) {
            ["code", "message", "effect"].iter().for_each(|member| read.says(finding[*member].as_str().unwrap()));
        }
        for run in audit["runs"].as_array().unwrap() {
            read.says(run["name"].as_str().unwrap());
            let receipt = &run["receipt"];
            let digest = receipt["sha256"].as_str();
            assert_eq!(digest.is_some(), page.contains(&format!("runs/{}/receipt.json</code>", run["name"].as_str().unwrap())), "{log}");
            digest.iter().for_each(|digest| read.says(digest));
            ["label", "tps", "timestamp"].iter().filter_map(|member| receipt[*member].as_str()).for_each(|said| read.says(said));
        }
        assert_eq!(page.matches("<tr id=\"run-").count(), audit["runs"].as_array().unwrap().len(), "{log}: a row for each run");
        let marks =
            page.split_once("class=\"lanes\"").map_or(0, |(_, chart)| chart.split_once("</svg>").unwrap().0.matches("<title>").count());
        assert!(marks == audit["runs"].as_array().unwrap().len() || !page.contains("class=\"lanes\""), "{log}: a mark for each run");
    }
}

/// Counted by hand in the list of claims that `receipt claims` prints.
#[test]
fn a_run_shows_what_its_receipt_claims_and_what_carries_that() {
    let (page, run) = page("html-claims", &[&POLICY[..], &["--format", "json", "test-vectors/logs/older-quotes"]].concat());
    let receipt = &run.json()["runs"][0]["receipt"];
    let claims = &receipt["claims"];
    let carried: Vec<u64> =
        ["quote", "enclave_input", "nonce", "signature", "asserted"].iter().map(|by| claims[*by].as_u64().unwrap()).collect();
    assert_eq!(carried, [1, 18, 3, 0, 29]);
    Read::of(&page).says("quote 1, enclave input 18, nonce 3, nothing 29");
    assert_eq!((&receipt["label"], &receipt["tps"]), (&json!("L"), &json!("120.5")), "{receipt}");
}

#[test]
fn text_of_others_stays_text() {
    let name = HOSTILE.replace('/', "|");
    let log = folder("html-hostile").join(&name);
    copy_all(&workspace().join("test-vectors/logs/older"), &log);
    let honest =
        fs::read_dir(log.join("runs")).unwrap().map(|run| run.unwrap().path()).find(|run| run.join("receipt.json").is_file()).unwrap();
    let mut receipt: Value = serde_json::from_slice(&fs::read(honest.join("receipt.json")).unwrap()).unwrap();
    for pointer in
        ["/receipt_id", "/attestation/verdict/label", "/attestation/code/commit", "/attestation/code/repo", "/attestation/timestamp_utc"]
    {
        *receipt.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = HOSTILE.into();
    }
    let forged = log.join("runs").join(format!("1-{name}"));
    fs::create_dir(&forged).unwrap();
    fs::write(forged.join("receipt.json"), receipt.to_string()).unwrap();
    fs::write(forged.join("result.json"), json!({ "label": HOSTILE, "commit": HOSTILE, "receipt_id": HOSTILE }).to_string()).unwrap();
    symlink("..", log.join("runs").join(format!("2-{name}"))).unwrap();
    let rows =
        json!([{ "id": format!("1-{name}"), "label": HOSTILE, "superseded_by": HOSTILE }, { "id": HOSTILE, "label": HOSTILE }, HOSTILE]);
    fs::write(log.join("index.json"), rows.to_string()).unwrap();
    let escaped: String = HOSTILE.chars().map(|character| format!("\\U{:08x}", u32::from(character))).collect();
    let policy = folder("html-policy").join(&name);
    fs::write(&policy, format!("version = 1\nname = \"{escaped}\"\nbase = \"strict\"\n")).unwrap();
    let (page, run) = page("html-hostile-page", &["--policy", text(&policy), "--score", "test-vectors/scores/classic.toml", text(&log)]);
    let read = Read::of(&page);
    assert!(!page.contains("<script") && !page.contains("<img") && !page.contains("<!--"), "{page}");
    let shown = read.texts.iter().filter(|text| text.contains("FORGED\"><script>alert('1')")).count();
    assert!(shown > 15, "shown {shown} times: {}", run.stderr);
}

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let pages: BTreeSet<String> = ["1", "1", "2", "7"].iter().map(|jobs| page("html-threads", &["--jobs", jobs, LOG]).0).collect();
    assert_eq!(pages.len(), 1);
}

#[test]
fn the_answer_is_the_same_with_a_page_beside_it() {
    let usual = receipt(&[&["audit"], &ANCHORS[..], &[LOG]].concat());
    let (_, run) = page("html-beside", &[LOG]);
    assert_eq!((run.code, run.stdout, run.stderr), (usual.code, usual.stdout, usual.stderr));
    let (_, quiet) = page("html-quiet", &["-q", LOG]);
    assert_eq!((quiet.code, quiet.stdout.as_str()), (usual.code, ""));
}

#[test]
fn what_the_audit_was_asked_stands_on_the_page() {
    let folder = folder("html-asked");
    let seal = folder.join("log.seal");
    let (first, _) = page("html-asked-page", &["--seal", text(&seal), "test-vectors/logs/newer-two"]);
    let sealed = fs::read_to_string(&seal).unwrap();
    let digest: Value = serde_json::from_str(sealed.lines().last().unwrap()).unwrap();
    let read = Read::of(&first);
    read.says(digest["sha256"].as_str().unwrap());
    assert!(first.contains("no clock was read") && !first.contains("Compared with"), "{first}");
    let (later, _) = page("html-asked-page", &["--since", text(&seal), "--at", "now", "--max-age", "30d", "test-vectors/logs/newer"]);
    Read::of(&later).says("9 files and 8 published verdicts of an earlier log");
    assert!(!later.contains("no clock was read") && later.contains("by the clock of that machine"), "{later}");
}

#[test]
fn a_page_takes_the_place_of_nothing_else() {
    let folder = folder("html-places");
    let log = folder.join("log");
    copy_all(&workspace().join("test-vectors/logs/newer"), &log);
    let other = folder.join("other");
    fs::write(&other, "somebody else's").unwrap();
    symlink(&other, folder.join("link")).unwrap();
    let policy = folder.join("policy.toml");
    fs::copy(workspace().join(POLICY[1]), &policy).unwrap();
    for (target, why) in [
        (folder.join("link"), "it is a symbolic link"),
        (log.join("index.json"), "which is read"),
        (policy.clone(), "which is read"),
        (folder.clone(), "it is not a regular file"),
        (folder.join("absent/page"), "no file can be created beside it"),
    ] {
        let before = fs::read(&target).ok();
        let run = receipt(&[&["audit", "--html", text(&target), "--policy", text(&policy)], &ANCHORS[..], &[text(&log)]].concat());
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stderr);
        assert!(run.stderr.contains(why), "{why}: {}", run.stderr);
        assert_eq!(fs::read(&target).ok(), before, "{why}");
    }
    let old = folder.join("old");
    fs::write(&old, "old").unwrap();
    let missing = receipt(&["audit", "--html", text(&old), text(&folder.join("missing"))]);
    assert_eq!((missing.code, fs::read_to_string(&old).unwrap().as_str()), (3, "old"), "no answer, no page");
    let mut names: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    assert_eq!(names, ["link", "log", "old", "other", "policy.toml"].map(|name| folder.join(name)));
}

#[test]
fn two_answers_go_to_two_places() {
    let folder = folder("html-two");
    let (file, again) = (folder.join("a"), folder.join("../html-two/a"));
    let (file, again) = (text(&file), text(&again));
    let ask = |options: &[&str]| receipt(&[&["audit"], &ANCHORS[..], options, &[LOG]].concat());
    for options in
        [&["--html", file, "--seal", again][..], &["-o", file, "--html", again], &["--html", "-"], &["-q", "--html", "-", "--seal", "-"]]
    {
        let run = ask(options);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{options:?}");
        assert!(run.stderr.contains("cannot go to the same place"), "{options:?}: {}", run.stderr);
        assert!(fs::read_dir(&folder).unwrap().next().is_none(), "{options:?}");
    }
    let written = page("html-two-page", &[LOG]).0;
    assert_eq!(ask(&["-q", "--html", "-"]).stdout, written, "a page on standard output, alone");
    assert_eq!(ask(&["-o", file, "--html", "-"]).stdout, written);
}

#[test]
fn pages_of_the_public_logs() {
    let Some(shared) = shared() else { return };
    for (log, counts) in [("k3-log", "51 runs under policy \"strict\": 1 under-provenanced, 50 invalid."), ("classic-log", "32 runs")] {
        let file = folder("html-public").join("page.html");
        assert_eq!(receipt(&["audit", "-q", "--html", text(&file), text(&shared.join("receipts").join(log))]).code, 4);
        Read::of(&fs::read_to_string(&file).unwrap()).says(counts);
    }
}

/// A page, taken apart as strictly as it is written.
struct Read {
    /// Texts and values of attributes, without escapes.
    texts: Vec<String>,
}

/// Everything that a page is made of. What loads, runs or sends something is not among them.
const ELEMENTS: &str = "html head meta title style body main header section article nav figure figcaption div p span b br small code a h1 h2 h3 ul \
                        li dl dt dd table thead tbody tr th td svg rect";
const ATTRIBUTES: &str = "lang charset http-equiv content name class id href title scope role aria-label data-head style viewBox \
                          preserveAspectRatio x y width height";
const RESTRICTED: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

impl Read {
    #[track_caller]
    fn of(page: &str) -> Self {
        assert!(!page.contains("::") && !page.contains("##"), "a command for a runner of builds");
        let mut rest = page.strip_prefix("<!DOCTYPE html>\n").expect("a document type");
        let (mut open, mut texts, mut ids, mut links, mut headings) = (Vec::new(), Vec::new(), BTreeSet::new(), Vec::new(), Vec::new());
        let mut is_restricted = false;
        while let Some((before, after)) = rest.split_once('<') {
            texts.push(plain(before));
            let (tag, after) = after.split_once('>').expect("a tag ends");
            rest = after;
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name), "elements end in order");
                continue;
            }
            let (name, mut attributes) = tag.split_once(' ').unwrap_or((tag, ""));
            assert!(ELEMENTS.split(' ').any(|known| known == name), "<{tag}>");
            headings.extend(name.strip_prefix('h').and_then(|level| level.parse::<usize>().ok()));
            let mut seen = BTreeSet::new();
            while !attributes.is_empty() {
                let (attribute, value) = attributes.split_once("=\"").expect("a value in quotes");
                let (value, others) = value.split_once('"').expect("a value ends");
                assert!(ATTRIBUTES.split(' ').any(|known| known == attribute) && seen.insert(attribute), "<{tag}>");
                match attribute {
                    "href" => links.push(value.strip_prefix('#').expect("links stay on the page").to_owned()),
                    "id" => assert!(ids.insert(value.to_owned()), "{value} twice"),
                    "style" => assert!(value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-:,() ".contains(&byte)), "{value}"),
                    "http-equiv" => {
                        assert_eq!((value, others), ("Content-Security-Policy", &*format!(" content=\"{RESTRICTED}\"")));
                        is_restricted = true;
                        break;
                    }
                    _ => {}
                }
                texts.push(plain(value));
                attributes = others.strip_prefix(' ').unwrap_or(others);
            }
            match name {
                "meta" | "br" => {}
                "style" => {
                    let (sheet, after) = rest.split_once("</style>").unwrap();
                    assert!(
                        !sheet.contains('<') && !sheet.contains("url") && !sheet.contains("@import") && !sheet.contains("http"),
                        "{sheet}"
                    );
                    rest = after;
                }
                _ => open.push(name),
            }
        }
        assert_eq!((open.len(), rest), (0, "\n"));
        assert!(is_restricted, "the page forbids itself to load anything");
        assert!(headings.starts_with(&[1]) && headings.windows(2).all(|pair| pair[1] > 1 && pair[1] <= pair[0] + 1), "{headings:?}");
        links.iter().for_each(|link| assert!(ids.contains(link), "#{link} leads nowhere"));
        Self { texts }
    }

    #[track_caller]
    fn says(&self, wanted: &str) {
        assert!(self.texts.iter().any(|text| text.contains(wanted)), "{wanted} is not on the page");
    }
}

/// A text without its escapes. It has to be escaped for HTML, and as everywhere for a screen.
#[track_caller]
fn plain(text: &str) -> String {
    assert!(!text.contains(['>', '"', '\'']), "{text}");
    assert!(text.chars().all(|character| matches!(character, '\n' | ' '..='~' | '±')), "{text:?}");
    let mut parts = text.split('&');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |whole, part| {
        let (entity, after) = part.split_once(';').unwrap_or_else(|| panic!("{text}"));
        let character = match entity {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "#39" => '\'',
            _ => panic!("&{entity}; in {text}"),
        };
        format!("{whole}{character}{after}")
    })
}

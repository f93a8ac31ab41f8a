//! Every limit, at it and one over it. At the limit the answer is the one that the evidence deserves; over it there is
//! `limit.exceeded`, and no answer is better than unverifiable. Much of what is built here would be too large to commit; the small
//! cases are vectors too (`limit-*`).

use std::collections::BTreeSet;

use soundness::vectors::{Vectors, vectors};
use vector_gen::collateral::Container;
use vector_gen::der;
use vector_gen::json::{Json, parse, token};
use vector_gen::pki::{Certificate, Extension, Key, SGX_EXTENSION};
use vector_gen::receipt::{Envelope, IMAGE_NAME, Input, Material, Response, digest};
use verify_core::audit::{Log, SealError, Snapshot};
use verify_core::bench::{Files, Question, RawFile, compare};
use verify_core::dcap::verify_quote;
use verify_core::tier::Measurement;
use verify_core::{Companion, Effect, Expectation, Instant, Outcome, Policy, Problem, Report, Request, RunFile, Verifier, inspect, limits};

/// One limit, and the answer where that many of what it counts are there.
struct Case {
    limit: &'static str,
    what: &'static str,
    /// The answer at the limit: the outcome, and the codes that are graver than notes.
    at: (Outcome, &'static [&'static str]),
    /// The document that the finding over the limit is about.
    document: &'static str,
    judge: fn(usize) -> Answer,
}

type Answer = (Outcome, Vec<Problem>);

const VERIFIED: (Outcome, &[&str]) = (Outcome::Verified, &[]);
/// An inspection judges nothing.
const INSPECTED: (Outcome, &[&str]) = (Outcome::Unverifiable, &[]);

/// A log without receipts.
const UNLISTED: (Outcome, &[&str]) = (Outcome::Unverifiable, &[]);

const CASES: &[Case] = &[
    Case {
        limit: "RECEIPT_BYTES",
        what: "blanks",
        at: VERIFIED,
        document: "receipt",
        judge: |bytes| judge(&padded(Material::classic().file(), bytes)),
    },
    Case {
        limit: "RECEIPT_BYTES",
        what: "blanks, inspected",
        at: INSPECTED,
        document: "receipt",
        judge: |bytes| inspected(&padded(Material::classic().file(), bytes)),
    },
    Case {
        limit: "RUN_FILE_BYTES",
        what: "lines of a log",
        at: VERIFIED,
        document: "eval.log",
        judge: |bytes| beside(Companion::EvalLog, &[br#"RESULT_JSON {"label":"L"}"#.as_slice(), &vec![b'\n'; bytes - 25]].concat()),
    },
    Case {
        limit: "RUN_FILE_BYTES",
        what: "blanks of a result",
        at: VERIFIED,
        document: "result.json",
        judge: |bytes| beside(Companion::Result, &padded(br#"{"label":"L"}"#.to_vec(), bytes)),
    },
    Case {
        limit: "INPUT_BYTES",
        what: "blanks",
        at: VERIFIED,
        document: "enclave input",
        judge: |bytes| {
            let material = Material::k3();
            let Input::Document(input) = &material.receipt.input else { panic!("a document") };
            let input = padded(input.compact().into_bytes(), bytes);
            answer(vectors_verifier().verify(&Request::new(&material.file()).with_input(&input)))
        },
    },
    Case {
        limit: "EXPECTATIONS",
        what: "the same one again and again",
        at: VERIFIED,
        document: "receipt",
        judge: |count| {
            let image = format!("sha256:{}", digest(IMAGE_NAME));
            let expected = vec![Expectation::new("/tdx/bound_digest", &image).expect("an expectation"); count];
            answer(vectors_verifier().verify(&Request::new(&Material::classic().file()).expecting(&expected)))
        },
    },
    Case {
        limit: "JSON_DEPTH",
        what: "lists in lists",
        at: VERIFIED,
        document: "receipt",
        judge: |depth| judge(&with_member("x", &nested(depth - 1))),
    },
    Case {
        limit: "JSON_DEPTH",
        what: "lists in lists of the enclave's output",
        at: (Outcome::Invalid, &["scorer.output-differs"]),
        document: "enclave output",
        judge: |depth| {
            let mut material = Material::classic();
            material.receipt.output = format!("{{\"label\": \"L\", \"x\": {}}}", nested(depth - 1));
            judge(&material.file())
        },
    },
    Case {
        limit: "JSON_VALUES",
        what: "a list of numbers",
        at: VERIFIED,
        document: "receipt",
        judge: |count| {
            let usual = values(&serde_json::from_slice(&with_member("x", "[]")).expect("JSON"));
            judge(&with_member("x", &zeros(count - usual)))
        },
    },
    Case {
        limit: "JSON_VALUES",
        what: "a list of numbers in a result",
        at: VERIFIED,
        document: "result.json",
        judge: |count| beside(Companion::Result, format!("{{\"label\": \"L\", \"x\": {}}}", zeros(count - 3)).as_bytes()),
    },
    Case {
        limit: "JSON_VALUES",
        what: "a list of numbers in the enclave's input",
        at: VERIFIED,
        document: "enclave input",
        judge: |count| {
            let mut material = Material::k3();
            let input = parse(&format!("{{\"x\": {}}}", zeros(count - 2)));
            let given = input.python();
            material.receipt.input = Input::Document(input);
            material.receipt.scorer = digest("another scorer");
            let verifier = Verifier::new(Policy::authenticity(), vectors().anchors.clone());
            answer(verifier.verify(&Request::new(&material.file()).with_input(given.as_bytes())))
        },
    },
    Case {
        limit: "JSON_NAME_BYTES",
        what: "a member of the receipt",
        at: VERIFIED,
        document: "receipt",
        judge: |bytes| judge(&with_member(&"n".repeat(bytes), "0")),
    },
    Case {
        limit: "JSON_NAME_BYTES",
        what: "an item of the collateral",
        at: VERIFIED,
        document: "collateral",
        judge: |bytes| {
            let mut material = Material::classic();
            material.collateral.items.add(move |items| items.push(("u".repeat(bytes), vec![1])));
            judge(&material.file())
        },
    },
    Case {
        limit: "JSON_NUMBER_BYTES",
        what: "digits",
        at: VERIFIED,
        document: "receipt",
        judge: |digits| judge(&with_member("x", &"7".repeat(digits))),
    },
    Case {
        limit: "OUTPUT_BYTES",
        what: "blanks",
        at: (Outcome::Invalid, &["scorer.output-differs"]),
        document: "receipt",
        judge: |bytes| {
            let mut material = Material::classic();
            material.receipt.output = " ".repeat(bytes - material.receipt.output.len()) + &material.receipt.output;
            judge(&material.file())
        },
    },
    Case {
        limit: "QUOTE_BYTES",
        what: "padding",
        at: VERIFIED,
        document: "quote",
        judge: |bytes| evidence(|material| material.quote.padded_to = bytes),
    },
    Case {
        limit: "COLLATERAL_BYTES",
        what: "blanks",
        at: VERIFIED,
        document: "collateral",
        judge: |bytes| evidence(|material| material.collateral.bytes.add(move |file| file.resize(bytes, b' '))),
    },
    Case {
        limit: "SIGNED_JSON_BYTES",
        what: "blanks",
        at: VERIFIED,
        document: "TCB info",
        judge: |bytes| evidence(|material| material.collateral.tcb_info_item.add(move |text| *text += &" ".repeat(bytes - text.len()))),
    },
    Case {
        limit: "SIGNED_JSON_BYTES",
        what: "blanks",
        at: VERIFIED,
        document: "QE identity",
        judge: |bytes| evidence(|material| material.collateral.qe_identity_item.add(move |text| *text += &" ".repeat(bytes - text.len()))),
    },
    Case {
        limit: "CRL_BYTES",
        what: "an entry",
        at: VERIFIED,
        document: "PCK CRL",
        judge: |bytes| evidence(|material| fill_crl(material, bytes)),
    },
    Case {
        limit: "CERTIFICATES",
        what: "an issuer chain",
        at: (Outcome::Invalid, &["certificate.chain-malformed"]),
        document: "certificate chain",
        judge: |count| {
            evidence(|material| {
                material.collateral.container = Container::V3;
                material.collateral.signer_chain = (0..count).map(|_| Certificate::root(&Key::named("root"))).collect();
            })
        },
    },
    Case {
        limit: "CERTIFICATE_BYTES",
        what: "an extension",
        at: VERIFIED,
        document: "PCK certificate",
        judge: |bytes| evidence(|material| fill_certificate(material, bytes)),
    },
    Case {
        limit: "LIST_ITEMS",
        what: "TCB levels",
        at: VERIFIED,
        document: "TCB info",
        judge: |count| evidence(|material| add_levels(material.collateral.tcb_info.body.list("/tcbLevels"), "/tcb/pcesvn", count)),
    },
    Case {
        limit: "LIST_ITEMS",
        what: "components of a TCB level",
        at: (Outcome::Invalid, &["tcb-info.malformed"]),
        document: "TCB info",
        judge: |count| {
            let components = Json::List(vec![parse(r#"{"svn": 0}"#); count]);
            evidence(|material| material.collateral.tcb_info.body.set("/tcbLevels/0/tcb/sgxtcbcomponents", components))
        },
    },
    Case {
        limit: "LIST_ITEMS",
        what: "advisories",
        at: VERIFIED,
        document: "TCB info",
        judge: |count| advise((0..count).map(|number| format!("INTEL-SA-{number:05}").into()).collect()),
    },
    Case {
        limit: "ADVISORY_BYTES",
        what: "one id",
        at: VERIFIED,
        document: "TCB info",
        judge: |bytes| advise(vec!["A".repeat(bytes).into()]),
    },
    Case {
        limit: "LIST_ITEMS",
        what: "TDX modules",
        at: VERIFIED,
        document: "TCB info",
        judge: |count| {
            evidence(|material| {
                let modules = material.collateral.tcb_info.body.list("/tdxModuleIdentities");
                let known = modules[0].clone();
                modules.extend((2..=count).map(|version| with(&known, "/id", format!("TDX_{version:02X}"))));
            })
        },
    },
    Case {
        limit: "LIST_ITEMS",
        what: "levels of a TDX module",
        at: VERIFIED,
        document: "TCB info",
        judge: |count| {
            evidence(|material| {
                add_levels(material.collateral.tcb_info.body.list("/tdxModuleIdentities/0/tcbLevels"), "/tcb/isvsvn", count)
            })
        },
    },
    Case {
        limit: "LIST_ITEMS",
        what: "levels of the quoting enclave",
        at: VERIFIED,
        document: "QE identity",
        judge: |count| evidence(|material| add_levels(material.collateral.qe_identity.body.list("/tcbLevels"), "/tcb/isvsvn", count)),
    },
    Case {
        limit: "LIST_ITEMS",
        what: "files of a response",
        at: (Outcome::Invalid, &["binding.files-manifest-mismatch"]),
        document: "receipt",
        judge: |count| {
            let mut material = Material::response();
            material.receipt.afterwards.add(move |document| {
                (2..count).for_each(|number| document.add("/files", &format!("/f/{number}"), digest("a file")));
            });
            judge_evidence(&material.file())
        },
    },
    Case {
        limit: "LIST_ITEMS",
        what: "artifacts of a response",
        at: VERIFIED,
        document: "receipt",
        judge: |count| {
            let mut material = Material::response();
            let artifacts = vec![("out/trace.txt", "a trace"); count];
            let (has_image, egress_log, task_policy) = (true, String::new(), Json::Object(Vec::new()));
            material.receipt.envelope = Envelope::Response(Response { has_image, has_files: true, egress_log, task_policy, artifacts });
            judge_evidence(&material.file())
        },
    },
    Case {
        limit: "LIST_BYTES",
        what: "blanks of an index",
        at: UNLISTED,
        document: "index.json",
        judge: |bytes| listed(Some(&padded(b"[]".to_vec(), bytes)), None),
    },
    Case {
        limit: "LIST_BYTES",
        what: "blanks of a ledger",
        at: UNLISTED,
        document: "ledger.jsonl",
        judge: |bytes| listed(None, Some(&padded(br#"{"run_id":"a"}"#.to_vec(), bytes))),
    },
    Case {
        limit: "LIST_VALUES",
        what: "values of an index",
        at: UNLISTED,
        document: "index.json",
        judge: |values| {
            // The list, its row, the run and the list in it are four.
            let list = vec!["0"; values - 4].join(",");
            listed(Some(format!(r#"[{{"id":"a","list":[{list}]}}]"#).as_bytes()), None)
        },
    },
    Case {
        limit: "LIST_VALUES",
        what: "values of a ledger",
        at: UNLISTED,
        document: "ledger.jsonl",
        judge: |values| {
            // Rows of merges, which are no finding: of two values, and one of three and a list.
            let items = 10_000 + (values - 3) % 2;
            let lines = "{\"proof\":1}\n".repeat((values - 3 - items) / 2);
            let lines = lines + &format!("{{\"proof\":1,\"list\":[{}]}}\n", vec!["0"; items].join(","));
            listed(None, Some(lines.as_bytes()))
        },
    },
    Case {
        limit: "LOG_FINDINGS",
        what: "rows without a run",
        at: (Outcome::Unverifiable, &["log.row-unreadable"]),
        document: "log",
        judge: |rows| listed(Some(format!("[{}]", vec!["0"; rows].join(",")).as_bytes()), None),
    },
    Case {
        limit: "PROBLEMS",
        what: "unknown members",
        at: VERIFIED,
        document: "receipt",
        judge: |count| {
            let usual = report(&Material::classic().file()).problems.len();
            judge(&with_members(&(usual..count).map(|number| format!("\"u{number}\": 0,")).collect::<String>()))
        },
    },
    Case {
        limit: "CLAIMS",
        what: "labels of regressions",
        at: VERIFIED,
        document: "receipt",
        judge: |count| {
            // The empty list is a claim itself.
            let usual = report(&Material::classic().file()).claims.len() - 1;
            let mut material = Material::classic();
            material.receipt.attestation.set("/verdict/regression_labels", Json::List(vec!["L".into(); count - usual]));
            judge(&material.file())
        },
    },
    Case {
        limit: "CLAIMS",
        what: "members of a bundle, inspected",
        at: INSPECTED,
        document: "receipt",
        judge: |count| {
            let usual = inspect(&Material::note().file()).entries.len();
            let mut material = Material::note();
            material
                .receipt
                .afterwards
                .add(move |document| (usual..count).for_each(|number| document.set(&format!("/bundle/x{number}"), 0)));
            inspected(&material.file())
        },
    },
];

/// Limits that shape an answer and bound no input: each has a test of its own below.
const SHAPES: [&str; 6] = ["CLAIM_DEPTH", "CLAIM_POINTER_BYTES", "GUARDS", "DIFFERENCES", "SHOWN_CHARACTERS", "REPORT_BYTES"];

/// Limits of what the command line reads of a log, which are tested there, and the one of a seal, which has a test of its own below.
const OF_THE_COMMAND_LINE: [&str; 4] = ["LOG_FILES", "LOG_DEPTH", "LOG_FILE_BYTES", "SEAL_BYTES"];

/// Limits of questions about measurements, which give answers of their own: `verify-core/tests/bench_trace.rs` and `bench_compare.rs` are
/// at each and over it, or the unit tests of expressions and selectors.
const OF_MEASUREMENTS: [&str; 10] = [
    "BENCH_FILE_BYTES",
    "BENCH_VALUES",
    "BENCH_POINTS",
    "BENCH_FIELDS",
    "SELECTOR_BYTES",
    "BENCH_CLAIMS",
    "BENCH_INPUTS",
    "EXPRESSION_BYTES",
    "EXPRESSION_DEPTH",
    "BENCH_WORK",
];

#[test]
fn at_each_limit_is_an_answer_and_over_it_is_none() {
    for Case { limit, what, at, document, judge } in CASES {
        let value = limits::ALL.iter().find(|known| known.name == *limit).expect("a limit").value;
        let (outcome, problems) = judge(value);
        let grave = problems.iter().filter(|problem| problem.effect > Effect::Notes);
        let codes: BTreeSet<&str> = grave.map(|problem| problem.code.name()).collect();
        let messages: Vec<String> = problems.iter().take(5).map(|problem| format!("{}: {}", problem.location, problem.message)).collect();
        let wanted: BTreeSet<&str> = at.1.iter().copied().collect();
        assert_eq!((outcome, codes), (at.0, wanted), "{limit}, {what}, at {value}: {messages:#?}");

        let (outcome, problems) = judge(value + 1);
        assert!(outcome >= Outcome::Unverifiable, "{limit}, {what}: {outcome} over it");
        let exceeded = problems.iter().find(|problem| problem.code.name() == "limit.exceeded");
        let exceeded = exceeded.unwrap_or_else(|| panic!("{limit}, {what}: {outcome} over it, without limit.exceeded"));
        assert_eq!(exceeded.location.document, *document, "{limit}, {what}");
    }
}

#[test]
fn every_limit_is_tested() {
    let tested = CASES.iter().map(|case| case.limit).chain(SHAPES).chain(OF_THE_COMMAND_LINE);
    let tested: BTreeSet<&str> = tested.chain(OF_MEASUREMENTS).collect();
    assert_eq!(tested, limits::ALL.iter().map(|limit| limit.name).collect());
}

#[test]
fn a_seal_is_read_up_to_its_limit() {
    let blanks = |bytes: usize| vec![b' '; bytes];
    assert!(matches!(Snapshot::from_seal(&blanks(limits::SEAL_BYTES)), Err(SealError::Line { .. })));
    assert_eq!(Snapshot::from_seal(&blanks(limits::SEAL_BYTES + 1)), Err(SealError::TooLarge(limits::SEAL_BYTES + 1)));
}

#[test]
fn a_raw_file_over_a_limit_is_a_missing_arm() {
    // A list of rows, by itself a value, beside eight others of the document.
    let latency = |rows: usize| {
        let rows = vec!["1"; rows].join(",");
        format!(r#"{{"avg_latency":1,"latencies":[{rows}],"percentiles":{{"50":1,"90":1,"99":1}},"x":1}}"#).into_bytes()
    };
    let refused = |document: Vec<u8>| {
        let mut files = Files::default();
        files.add("a", Ok(document));
        let compared = compare(&Question::new(&files, vec![RawFile::new("a")], vec![RawFile::new("a")]));
        (compared.exit.code, compared.why.unwrap_or_default())
    };
    // The raw file can be read, and records no profile.
    assert_eq!(refused(padded(latency(8), limits::BENCH_FILE_BYTES)).0, 6);
    let (code, why) = refused(padded(latency(8), limits::BENCH_FILE_BYTES + 1));
    assert!(code == 3 && why.ends_with("it has more than 16777216 bytes"), "{why}");
    assert_eq!(refused(latency(limits::BENCH_VALUES - 8)).0, 6);
    let (code, why) = refused(latency(limits::BENCH_VALUES - 7));
    assert!(code == 3 && why.ends_with("more than 300000 values"), "{why}");
    let lines = |rows: usize| "{\"x\":1}\n".repeat(rows / 2).into_bytes();
    assert!(refused(lines(limits::BENCH_VALUES)).1.contains("it has none of the shapes"));
    assert!(refused(lines(limits::BENCH_VALUES + 2)).1.ends_with("more than 300000 values"));
}

/// The answer about a log without runs.
fn listed(index: Option<&[u8]>, ledger: Option<&[u8]>) -> Answer {
    let audit = Log::read(index.map(Ok), ledger.map(Ok)).audit(None, Vec::new(), &vectors().policy, &vectors().anchors);
    // That a run has no receipt, or a log no index, is not what these cases are about.
    let beside = ["log.run-unattested", "log.list-absent"];
    let problems = audit.findings.into_iter().map(|finding| finding.problem);
    (audit.outcome, problems.filter(|problem| !beside.contains(&problem.code.name())).collect())
}

#[test]
fn what_lies_below_the_deepest_claim_is_one_claim() {
    let root = "/attestation/verdict/x";
    let claimed = |depth: usize, name: &str| {
        let mut material = Material::classic();
        let value = (0..depth).fold("0".to_owned(), |inner, _| format!("{{\"{name}\": {inner}}}"));
        material.receipt.attestation.set("/verdict/x", token(&value));
        let mut claims = report(&material.file()).claims.into_iter().filter(|claim| claim.pointer.starts_with(root));
        let claim = claims.next().expect("a claim");
        assert!(claims.next().is_none(), "one claim");
        (claim.pointer, claim.value)
    };
    // The verdict and its member x are two of the levels.
    let deepest = limits::CLAIM_DEPTH - 2;
    let pointer = format!("{root}{}", "/n".repeat(deepest));
    assert_eq!(claimed(deepest, "n"), (pointer.clone(), "0".to_owned()));
    assert_eq!(claimed(deepest + 1, "n"), (pointer, "{1 members}".to_owned()));
    for (length, value) in [(limits::CLAIM_POINTER_BYTES, "0"), (limits::CLAIM_POINTER_BYTES + 1, "{1 members}")] {
        let name = "n".repeat(length - root.len() - 1);
        assert_eq!(claimed(2, &name).1, value, "a pointer of {length} bytes");
    }
}

#[test]
fn guards_over_the_limit_are_not_judged() {
    let record = |count: usize| format!("{{\"guards\": [{}]}}", vec![r#"{"ctx": 128, "tps": 1, "base": 1}"#; count].join(","));
    assert!(Measurement::read(record(limits::GUARDS).as_bytes()).is_ok());
    assert!(Measurement::read(record(limits::GUARDS + 1).as_bytes()).unwrap_err().is_limit());
}

#[test]
fn differences_over_the_limit_are_counted() {
    for count in [limits::DIFFERENCES, limits::DIFFERENCES + 1] {
        let mut attestation = Material::classic().receipt.attestation;
        (0..count).for_each(|number| attestation.set(&format!("/x{number}"), 0));
        let (receipt, text) = (Material::classic().file(), attestation.compact());
        let run = [RunFile::new(Companion::Attestation, text.as_bytes())];
        let report = vectors_verifier().verify(&Request::new(&receipt).with_run(&run));
        assert_eq!((report.run[0].differ, report.run[0].differing.len()), (count, limits::DIFFERENCES));
    }
}

#[test]
fn a_text_that_is_cut_says_so() {
    for (length, more) in [(limits::SHOWN_CHARACTERS, ""), (limits::SHOWN_CHARACTERS + 1, "... (1 more characters)")] {
        let mut material = Material::classic();
        material.receipt.attestation.set("/verdict/best_context_label", "é".repeat(length));
        let claims = report(&material.file()).claims;
        let claim = claims.iter().find(|claim| claim.pointer.ends_with("best_context_label")).expect("a claim");
        assert_eq!(claim.value, format!("\"{}\"{more}", "é".repeat(limits::SHOWN_CHARACTERS)));
    }
}

/// Findings, claims and differences at their limits, with the longest names and texts that are shown, in the characters that grow
/// most when they are; the same again in fresh collateral.
#[test]
fn the_largest_report_is_within_its_limit() {
    let name = |number: usize| format!("{}{number:06}", "\u{7f}".repeat(limits::JSON_NAME_BYTES - 6));
    let text = "\u{7f}".repeat(limits::SHOWN_CHARACTERS);
    let members = |count: usize| -> String { (0..count).map(|number| format!("\"{}\": \"{text}\",", name(number))).collect() };
    let mut material = Material::classic();
    let prefix = "\u{7f}".repeat(limits::CLAIM_POINTER_BYTES - "/attestation/verdict/context_gains_pct/".len());
    let gains = format!("{{\"{prefix}\": {{{}\"x\": 0}}}}", members(limits::CLAIMS));
    material.receipt.attestation.set("/verdict/context_gains_pct", token(&gains));
    let unknown = members(limits::PROBLEMS + 5);
    material.receipt.bytes.add(move |bytes| insert(bytes, &unknown));
    let mut fresh = Material::classic();
    fresh.collateral.items.add(move |items| items.extend((0..=limits::PROBLEMS).map(|number| (name(number), Vec::new()))));
    let [_, fresh] = fresh.evidence();
    let document = format!("{{{}\"x\": 0}}", members(limits::DIFFERENCES));
    let log = format!("RESULT_JSON {document}");
    let run = Companion::ALL.map(|companion| match companion {
        Companion::EvalLog | Companion::LogText => RunFile::new(companion, log.as_bytes()),
        _ => RunFile::new(companion, document.as_bytes()),
    });
    let receipt = material.file();
    let report = vectors_verifier().verify(&Request::new(&receipt).with_run(&run).with_fresh_collateral(&fresh));
    assert_eq!(report.claims.len(), limits::CLAIMS);
    assert!(report.problems.len() > limits::PROBLEMS);
    assert!(report.fresh.as_ref().is_some_and(|fresh| fresh.problems.len() > limits::PROBLEMS));
    let bytes = report.to_json().len();
    assert!((limits::REPORT_BYTES / 2..=limits::REPORT_BYTES).contains(&bytes), "{bytes} bytes");
}

fn vectors_verifier() -> Verifier {
    let Vectors { anchors, policy, .. } = vectors();
    Verifier::new(policy.clone(), anchors.clone())
}

fn report(receipt: &[u8]) -> Report {
    vectors_verifier().verify(&Request::new(receipt))
}

fn answer(report: Report) -> Answer {
    (report.outcome, report.problems)
}

fn judge(receipt: &[u8]) -> Answer {
    answer(report(receipt))
}

/// By the evidence alone: a response has no provenance.
fn judge_evidence(receipt: &[u8]) -> Answer {
    answer(Verifier::new(Policy::authenticity(), vectors().anchors.clone()).verify(&Request::new(receipt)))
}

fn inspected(receipt: &[u8]) -> Answer {
    (Outcome::Unverifiable, inspect(receipt).problems)
}

/// A receipt with one file beside it.
fn beside(companion: Companion, bytes: &[u8]) -> Answer {
    let run = [RunFile::new(companion, bytes)];
    answer(vectors_verifier().verify(&Request::new(&Material::classic().file()).with_run(&run)))
}

/// Quote and collateral alone, changed.
fn evidence(change: impl FnOnce(&mut Material)) -> Answer {
    let mut material = Material::classic();
    change(&mut material);
    let [quote, collateral] = material.evidence();
    let report = verify_quote(&quote, &collateral, Instant::Collateral, &vectors().anchors);
    (report.outcome, report.problems)
}

/// The highest level has these advisories.
fn advise(ids: Vec<Json>) -> Answer {
    evidence(|material| material.collateral.tcb_info.body.set("/tcbLevels/0/advisoryIDs", Json::List(ids)))
}

fn padded(mut bytes: Vec<u8>, length: usize) -> Vec<u8> {
    bytes.resize(length, b' ');
    bytes
}

fn nested(depth: usize) -> String {
    "[".repeat(depth) + &"]".repeat(depth)
}

fn zeros(count: usize) -> String {
    format!("[{}]", vec!["0"; count].join(","))
}

/// Puts members at the beginning of a document.
fn insert(bytes: &mut Vec<u8>, members: &str) {
    bytes.splice(1..1, members.bytes());
}

fn with_members(members: &str) -> Vec<u8> {
    let mut bytes = Material::classic().file();
    insert(&mut bytes, members);
    bytes
}

fn with_member(name: &str, value: &str) -> Vec<u8> {
    with_members(&format!("\"{name}\": {value},"))
}

/// How many values a document holds.
fn values(document: &serde_json::Value) -> usize {
    let below: usize = match document {
        serde_json::Value::Array(items) => items.iter().map(values).sum(),
        serde_json::Value::Object(members) => members.values().map(values).sum(),
        _ => 0,
    };
    1 + below
}

fn with(json: &Json, pointer: &str, value: impl Into<Json>) -> Json {
    let mut json = json.clone();
    json.set(pointer, value);
    json
}

/// Adds levels, up to `count`, with an SVN at `pointer` that the test platform does not reach.
fn add_levels(levels: &mut Vec<Json>, pointer: &str, count: usize) {
    let highest = levels[0].clone();
    levels.extend((levels.len()..count).map(|number| with(&highest, pointer, token(&(1000 + number).to_string()))));
}

/// Adds one entry, so that the PCK CRL has exactly `bytes` bytes.
fn fill_crl(material: &mut Material, bytes: usize) {
    exactly(bytes, |filler| {
        let entry = der::sequence(&[der::unsigned(filler), der::time("2026-08-03T09:00:00Z")]);
        material.collateral.pck_crl.more_entries = vec![entry];
        material.collateral.pck_crl.der().len()
    });
}

/// Adds one extension, so that the PCK certificate has exactly `bytes` bytes.
fn fill_certificate(material: &mut Material, bytes: usize) {
    material.sgx.carried = false;
    material.pck.set_extension(SGX_EXTENSION, false, material.sgx.der());
    exactly(bytes, |filler| {
        material.pck.extensions.retain(|extension| extension.oid != "1.2.3");
        material.pck.extensions.push(Extension::new("1.2.3", false, filler.to_vec()));
        material.pck.der().len()
    });
}

/// Calls `size`, which puts a filler into something and returns its size, until the size is the `wanted` one: signatures in DER have
/// several lengths.
fn exactly(wanted: usize, mut size: impl FnMut(&[u8]) -> usize) {
    let first = wanted - 2000;
    let length = first + wanted - size(&vec![1; first]);
    assert!((1..100).any(|byte| size(&vec![byte; length]) == wanted), "no filler gives {wanted} bytes");
}

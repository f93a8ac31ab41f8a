//! What the worst inputs cost: processor time and peak memory of verifying them, each in a process of its own.
//!
//! `cargo run --release -p soundness --example worst_cases` prints the table of `docs/limits.md`, and fails if a case is over the
//! bounds. Words after `--` select cases by their names; `-- --write FOLDER` writes the inputs instead, for the command line. Every
//! input is built at a limit with the keys of the test PKI, so that its signatures hold and nothing ends early. Linux only: time and
//! memory are those that `/proc` gives.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::{env, fs};

use data_encoding::{BASE64, HEXLOWER};
use vector_gen::der;
use vector_gen::json::{Json, parse, token};
use vector_gen::pki::{Extension, Name, Signer};
use vector_gen::receipt::{Envelope, Input, Material, Nonce, Response, digest, test_pki};
use verify_core::dcap::verify_quote;
use verify_core::tier::Params;
use verify_core::{Anchors, Companion, Instant, Policy, Request, RunFile, SignerKey, Verifier, inspect, limits};

/// What no case may take.
const MILLISECONDS: f64 = 1000.0;
const MEBIBYTES: f64 = 64.0;

/// How often a case is judged; the fastest counts.
const ROUNDS: usize = 3;

/// Files under test by their names: `receipt` or `quote`, and what goes with it.
type Files = Vec<(&'static str, Vec<u8>)>;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [flag, folder] = arguments.as_slice()
        && flag == "--judge"
    {
        println!("{}", judge(Path::new(folder)));
        return ExitCode::SUCCESS;
    }
    if let [flag, folder] = arguments.as_slice()
        && flag == "--write"
    {
        for (name, build) in CASES {
            write(&Path::new(folder).join(name), build());
        }
        return ExitCode::SUCCESS;
    }
    println!("| input | KiB | ms | ns/byte | inspect ms | MiB | bytes/byte | report KiB | outcome |");
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---|");
    let cases = CASES.iter().filter(|(name, _)| arguments.is_empty() || arguments.iter().any(|wanted| name.contains(wanted.as_str())));
    let mut over = Vec::new();
    for (name, build) in cases {
        let files = build();
        let bytes = files.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() as f64;
        let folder = env::temp_dir().join(format!("worst-cases-{}", std::process::id()));
        write(&folder, files);
        let child = Command::new(env::current_exe().expect("this program")).arg("--judge").arg(&folder).output().expect("a child");
        fs::remove_dir_all(&folder).expect("the folder is ours");
        let answer = String::from_utf8(child.stdout).expect("UTF-8");
        let Ok([time, inspection, memory, report, outcome]) = <[&str; 5]>::try_from(answer.trim().splitn(5, '\t').collect::<Vec<_>>())
        else {
            panic!("{name}: {}", String::from_utf8_lossy(&child.stderr));
        };
        let [time, inspection, memory, report]: [f64; 4] =
            [time, inspection, memory, report].map(|number| number.parse().expect("a number"));
        println!(
            "| {name} | {:.0} | {:.1} | {:.0} | {:.1} | {:.1} | {:.1} | {:.0} | {outcome} |",
            bytes / 1024.0,
            time * 1e3,
            time * 1e9 / bytes,
            inspection * 1e3,
            memory / 1024.0 / 1024.0,
            memory / bytes,
            report / 1024.0
        );
        if time.max(inspection) * 1e3 > MILLISECONDS || memory / 1024.0 / 1024.0 > MEBIBYTES || report > limits::REPORT_BYTES as f64 {
            over.push(*name);
        }
    }
    if over.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("over {MILLISECONDS} ms, {MEBIBYTES} MiB or the limit of reports: {}", over.join(", "));
    ExitCode::FAILURE
}

fn write(folder: &Path, files: Files) {
    fs::create_dir_all(folder).expect("a new folder");
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).expect("the folder can be written");
    }
}

/// Judges the files of a folder. Returns the seconds of that and of an inspection, peak memory of this process in bytes,
/// bytes of the report, and what came out.
fn judge(folder: &Path) -> String {
    let read = |name: &str| fs::read(folder.join(name)).ok();
    let (root, tcb_signing) = test_pki();
    let anchors = Anchors::from_root(root.pem().as_bytes()).and_then(|root| root.with_tcb_signing(tcb_signing.pem().as_bytes()));
    let signer = BASE64.encode(&Signer::named(SIGNER).public_key()).parse::<SignerKey>().expect("a key");
    let anchors = anchors.expect("the test PKI").with_signer_keys([signer]);
    let params = Params::preset("k3", Some(18.4)).expect("a preset");
    let verifier = Verifier::new(Policy::authenticity(), anchors.clone());

    let [receipt, quote, collateral, input] = ["receipt", "quote", "collateral", "input"].map(read);
    let run: Vec<(Companion, Vec<u8>)> =
        Companion::ALL.into_iter().filter_map(|companion| Some((companion, read(companion.name())?))).collect();
    let run: Vec<RunFile<'_>> = run.iter().map(|(companion, bytes)| RunFile::new(*companion, bytes)).collect();
    let (mut fastest, mut inspection) = (f64::INFINITY, f64::INFINITY);
    let mut answer = (0, String::new());
    for _ in 0..ROUNDS {
        let start = seconds();
        let (report, outcome, codes) = match (&receipt, &quote) {
            (Some(receipt), _) => {
                let mut request = Request::new(receipt).with_run(&run).scored_by(&params);
                request = collateral.as_deref().map_or(request, |collateral| request.with_fresh_collateral(collateral));
                request = input.as_deref().map_or(request, |input| request.with_input(input));
                let report = verifier.verify(&request);
                (report.to_json(), report.outcome.to_string(), codes(&report.problems))
            }
            (None, quote) => {
                let [quote, collateral] = [quote, &collateral].map(|file| file.as_deref().expect("a receipt, or quote and collateral"));
                let report = verify_quote(quote, collateral, Instant::Collateral, &anchors);
                (report.to_json(), report.outcome.to_string(), codes(&report.problems))
            }
        };
        fastest = fastest.min(seconds() - start);
        answer = (report.len(), format!("{outcome}: {codes}"));
        let start = seconds();
        let _shown = receipt.as_deref().map(|receipt| inspect(receipt).to_json_pretty());
        inspection = inspection.min(seconds() - start);
    }
    format!("{fastest}\t{inspection}\t{}\t{}\t{}", peak(), answer.0, answer.1)
}

/// The gravest codes, each once.
fn codes(problems: &[verify_core::Problem]) -> String {
    let mut codes: Vec<&str> = Vec::new();
    for problem in problems.iter().filter(|problem| problem.effect > verify_core::Effect::Notes) {
        if !codes.contains(&problem.code.name()) {
            codes.push(problem.code.name());
        }
    }
    codes.truncate(3);
    codes.join(", ")
}

/// Seconds for which this process was on a processor; the kernel brings its account up to date when a process yields.
fn seconds() -> f64 {
    std::thread::yield_now();
    let statistics = fs::read_to_string("/proc/self/schedstat").expect("Linux");
    statistics.split(' ').next().and_then(|nanoseconds| nanoseconds.parse::<f64>().ok()).expect("nanoseconds") / 1e9
}

/// The most memory that this process had at any time.
fn peak() -> usize {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    line.trim().trim_end_matches(" kB").parse::<usize>().expect("kibibytes") * 1024
}

const SIGNER: &str = "receipt signer";

/// A name, and the files that it stands for.
type Case = (&'static str, fn() -> Files);

/// Every case.
const CASES: &[Case] = &[
    ("an ordinary receipt", || receipt(Material::classic())),
    ("blanks", || filled(Material::classic, "\"chain\"", |room| " ".repeat(room))),
    ("one text", || filled(Material::classic, "\"code\"", |room| member(&"a".repeat(room - 16)))),
    ("one text of escapes", || filled(Material::classic, "\"code\"", |room| member(&"\\u0001".repeat(room / 6 - 3)))),
    ("one text of control characters", || filled(Material::classic, "\"code\"", |room| member(&"\u{7f}".repeat(room - 16)))),
    ("one text of four-byte characters", || filled(Material::classic, "\"code\"", |room| member(&"\u{e0001}".repeat(room / 4 - 8)))),
    ("small members", || filled(Material::classic, "\"code\"", |room| members(room, limits::JSON_VALUES - 300, ""))),
    ("small unknown members of the verdict", || {
        filled(Material::classic, "\"delta_tps\"", |room| members(room, limits::JSON_VALUES - 300, ""))
    }),
    ("members with long names", || {
        filled(Material::classic, "\"code\"", |room| members(room, limits::JSON_VALUES - 300, &"n".repeat(limits::JSON_NAME_BYTES - 7)))
    }),
    ("names that grow when they are shown", || filled(Material::classic, "\"qwen36\"", nested_names)),
    ("a list of numbers", || filled(Material::classic, "\"code\"", |room| format!("\"x\": [{}0], ", "0,".repeat(values(room, 2))))),
    ("a list of awkward floats", || {
        filled(Material::classic, "\"code\"", |room| format!("\"x\": [{}0], ", "0.12345678901234567895,".repeat(values(room, 23))))
    }),
    ("a list of halves of doubles", || {
        let float = halfway() + ",";
        filled(Material::classic, "\"code\"", move |room| format!("\"x\": [{}0], ", float.repeat(values(room, float.len()))))
    }),
    ("bare NaN everywhere", || filled(Material::classic, "\"code\"", |room| format!("\"x\": [{}0], ", "NaN,".repeat(values(room, 4))))),
    ("nesting at the limit, again and again", || {
        let depth = limits::JSON_DEPTH - 3;
        filled(Material::classic, "\"code\"", move |room| {
            let deep = format!("{}{},", "[".repeat(depth), "]".repeat(depth));
            format!("\"x\": [{}0], ", deep.repeat((room / deep.len()).min(limits::JSON_VALUES / depth) - 2))
        })
    }),
    ("nesting of a mebibyte", || filled(Material::classic, "\"code\"", |room| format!("\"x\": {}", "[".repeat(room - 16)))),
    ("a number of a million digits", || filled(Material::classic, "\"code\"", |_| format!("\"x\": {}, ", "7".repeat(1_000_000)))),
    ("numbers at their limit", || {
        filled(Material::classic, "\"code\"", |room| {
            let number = "7".repeat(limits::JSON_NUMBER_BYTES) + ",";
            format!("\"x\": [{}0], ", number.repeat(values(room, number.len())))
        })
    }),
    ("claims", || {
        filled(Material::classic, "\"qwen36\"", |room| {
            format!("\"x\": [{}0], ", format!("\"{}\",", "\u{7f}".repeat(200)).repeat(values(room, 203)))
        })
    }),
    ("a label of regressions each", || {
        filled(Material::classic, "\"best_context_label\"", |room| format!("\"x\": [{}0], ", "\"ab\",".repeat(values(room, 5))))
    }),
    ("not UTF-8 at the end", || {
        let mut files = filled(Material::classic, "\"code\"", |room| member(&"a".repeat(room - 16)));
        *files[0].1.last_mut().expect("a byte") = 0xff;
        files
    }),
    ("output: one text", || output(|bytes| format!("{{\"x\": \"{}\"}}", "a".repeat(bytes - 9)))),
    ("output: escapes", || output(|bytes| format!("{{\"x\": \"{}\"}}", "\\u0001".repeat(bytes / 6 - 2)))),
    ("output: two-byte characters", || output(|bytes| format!("{{\"x\": \"{}\"}}", "\u{e9}".repeat(bytes / 2 - 6)))),
    ("output: members", || output(|bytes| format!("{{{}\"x\": 0}}", members(bytes - 20, limits::JSON_VALUES - 8, "")))),
    ("output: floats", || output(|bytes| format!("{{\"x\": [{}0]}}", "1.7976931348623157e308,".repeat(values(bytes - 20, 23))))),
    ("output: lines", || output(|bytes| "\n".repeat(bytes))),
    ("output: a trace", || output(|bytes| "Traceback (most recent call last):\n".repeat(bytes / 35))),
    ("output: an open bracket on each line", || output(|bytes| "[\n".repeat(bytes / 2))),
    ("measurements that the input repeats", || {
        let numbers = "1.7976931348623157e308,".repeat(values(limits::RECEIPT_BYTES - 64 * 1024, 23));
        let mut material = Material::classic();
        material.receipt.attestation.set("/measurements/qwen_guard/qwen36", token(&format!("[{numbers}0]")));
        receipt(material)
    }),
    ("measurements: members that the input repeats", || {
        let mut material = Material::classic();
        if let Json::Object(measurements) = material.receipt.attestation.at("/measurements") {
            measurements.extend((0..limits::JSON_VALUES - 500).map(|number| (format!("m{number:05}"), token("0"))));
        }
        receipt(material)
    }),
    ("an input that differs from the measurements everywhere", || {
        let numbers = |number: &str| token(&format!("[{}0]", format!("{number},").repeat(values(limits::OUTPUT_BYTES, 23))));
        let mut material = Material::unguarded();
        let measured = numbers("1.7976931348623157e308");
        material.receipt.attestation.set("/measurements/primary/ctx_128_tps", measured);
        material.submit(move |input| {
            let other = numbers("1.7976931348623155e308");
            input.set("/ctx_128_tps", other);
        });
        receipt(material)
    }),
    ("a signed receipt of floats that are rounded", || signed("0.123457", "0.12345654321")),
    ("a signed receipt of large floats", || signed("4503599627370495.5", "4503599627370495.5")),
    ("a signed receipt of halves of doubles", || signed("0.5", &halfway())),
    ("a response that shows its output again and again", || {
        let mut material = Material::response();
        material.receipt.output = "{}".to_owned() + &" ".repeat(limits::OUTPUT_BYTES - 2);
        material.receipt.afterwards.add(|document| {
            document.set("/stdout", Json::List((0..limits::CLAIMS - 50).map(|_| "x".into()).collect()));
        });
        receipt(material)
    }),
    ("a response with many files", || {
        let digest = digest("a file");
        filled(Material::response, "\"/submission/result.json\"", move |room| {
            (0..values(room, 84)).map(|number| format!("\"/f/{number:08}\": \"{digest}\",")).collect()
        })
    }),
    ("a response with many members", || filled(Material::response, "\"artifacts\"", |room| members(room, limits::JSON_VALUES - 100, ""))),
    ("a response with many artifacts", || {
        let artifact = format!("{{\"path\": \"x\", \"sha256\": \"{}\", \"size\": 0}}", digest("an artifact"));
        let mut material = Material::response();
        let count = (limits::RECEIPT_BYTES / (artifact.len() + 40)).min(limits::JSON_VALUES / 4 - 100);
        material.receipt.afterwards.add(move |document| document.set("/artifacts", Json::List(vec![parse(&artifact); count])));
        receipt(material)
    }),
    ("a response with a large egress log", || {
        let mut material = Material::response();
        let log = format!("path\t{}\n", digest("a file")).repeat(limits::RECEIPT_BYTES / 2 / 70);
        let task_policy = Json::Object(Vec::new());
        material.receipt.envelope =
            Envelope::Response(Response { has_image: true, has_files: true, egress_log: log, task_policy, artifacts: Vec::new() });
        receipt(material)
    }),
    ("a response with a large task policy", || {
        let mut material = Material::response();
        let task_policy = parse(&format!("{{\"x\": [{}0]}}", "0,".repeat(values(limits::RECEIPT_BYTES / 4, 2))));
        material.receipt.envelope =
            Envelope::Response(Response { has_image: true, has_files: true, egress_log: String::new(), task_policy, artifacts: vec![] });
        receipt(material)
    }),
    ("a note whose verdict repeats a large output", || {
        let mut material = Material::note();
        let room = limits::OUTPUT_BYTES;
        let text = format!("{{{}\"label\": \"x\", \"reason\": \"y\"}}", members(room - 40, limits::JSON_VALUES / 2 - 300, ""));
        let verdict = parse(&text);
        material.receipt.output = text;
        if let Envelope::Note(_, old) = &mut material.receipt.envelope {
            *old = verdict;
        }
        receipt(material)
    }),
    ("CRL: entries at the limit", || crl(limits::CRL_BYTES)),
    ("CRL: 100,000 entries", || crl(2_300_000)),
    ("CRL: as hex", || {
        let mut material = large_crl(limits::CRL_BYTES);
        material.collateral.container = vector_gen::collateral::Container::V3;
        evidence(material)
    }),
    ("CRL: a long name of its issuer", || {
        let mut material = Material::classic();
        material.collateral.pck_crl.issuer = Name::of(&"\u{7f}".repeat(limits::CRL_BYTES - 2000));
        evidence(material)
    }),
    ("PCK certificate: deep DER", || {
        let mut material = Material::classic();
        material.pck.set_extension("1.2.3", false, nested(limits::CERTIFICATE_BYTES - 2000));
        evidence(material)
    }),
    ("CRL: deep DER", || {
        let mut material = Material::classic();
        material.collateral.pck_crl.extensions.push(Extension::new("1.2.3", false, nested(limits::CRL_BYTES - 2000)));
        evidence(material)
    }),
    ("CRL: extensions", || {
        let mut material = Material::classic();
        material.collateral.pck_crl.members.add(|members| {
            if let Some(last) = members.last_mut() {
                *last = der::context(0, &der::sequence(&distinct_extensions()));
            }
        });
        evidence(material)
    }),
    ("CRL: extensions of one entry", || {
        let mut material = Material::classic();
        let extensions = distinct_extensions();
        let entry = der::sequence(&[der::integer(77), der::time("2026-08-03T09:00:00Z"), der::sequence(&extensions)]);
        material.collateral.pck_crl.more_entries.push(entry);
        evidence(material)
    }),
    ("TCB info: levels at the limit of the document", || tcb_levels(limits::SIGNED_JSON_BYTES - 1500)),
    ("TCB info: 10,000 levels", || tcb_levels(10_000 * 1070)),
    ("TCB info: advisories", || {
        let mut material = Material::classic();
        let advisories = (0..values(limits::SIGNED_JSON_BYTES - 4000, 8)).map(|number| format!("{number:05}").as_str().into()).collect();
        material.collateral.tcb_info.body.set("/tcbLevels/0/advisoryIDs", Json::List(advisories));
        evidence(material)
    }),
    ("TCB info: one long advisory", || {
        let mut material = Material::classic();
        let advisory = Json::Text("\u{7f}".repeat((limits::SIGNED_JSON_BYTES - 4000) / 6));
        material.collateral.tcb_info.body.set("/tcbLevels/0/advisoryIDs", Json::List(vec![advisory]));
        evidence(material)
    }),
    ("TCB info: modules", || {
        let mut material = Material::classic();
        let module = material.collateral.tcb_info.body.at("/tdxModuleIdentities/0").clone();
        material.collateral.tcb_info.body.set("/tdxModuleIdentities", Json::List(vec![module; 500]));
        evidence(material)
    }),
    ("QE identity: levels", || {
        let mut material = Material::classic();
        let level = |svn: usize| {
            let mut level = parse(r#"{"tcb": {}, "tcbDate": "2026-02-11T00:00:00Z", "tcbStatus": "UpToDate"}"#);
            level.set("/tcb/isvsvn", token(&svn.to_string()));
            level
        };
        let levels = (0..(limits::SIGNED_JSON_BYTES - 1000) / 90).map(level).collect();
        material.collateral.qe_identity.body.set("/tcbLevels", Json::List(levels));
        evidence(material)
    }),
    ("collateral: unknown items", || {
        let mut material = Material::classic();
        material.collateral.items.add(|items| {
            items.extend((0..limits::JSON_VALUES / 2 - 100).map(|number| (format!("https://x.example/{number}"), Vec::new())));
        });
        evidence(material)
    }),
    ("collateral: documents inside of documents", || {
        let mut material = Material::classic();
        material.collateral.items.add(|items| {
            let mut text = Vec::new();
            while text.len() < limits::COLLATERAL_BYTES / 4 {
                text = format!("{{\"tcbInfo\": \"{}\", \"signature\": \"{}\"}}", BASE64.encode(&text), HEXLOWER.encode(&text)).into_bytes();
            }
            items[2].1 = text;
        });
        evidence(material)
    }),
    ("collateral: certificates", || {
        let mut material = Material::classic();
        material.collateral.container = vector_gen::collateral::Container::V3;
        let block = der::pem("CERTIFICATE", &[0]);
        let count = (limits::COLLATERAL_BYTES - 64 * 1024) / (block.len() + 4) / 3;
        material.collateral.afterwards.add(move |container| {
            for name in ["tcb_info_issuer_chain", "qe_identity_issuer_chain", "pck_crl_issuer_chain"] {
                container.set(&format!("/{name}"), block.repeat(count));
            }
        });
        evidence(material)
    }),
    ("quote: padding", || {
        let mut material = Material::classic();
        material.quote.padded_to = limits::QUOTE_BYTES;
        evidence(material)
    }),
    ("fresh collateral at the limit", || {
        let [_, (_, collateral)] = <[(&str, Vec<u8>); 2]>::try_from(crl(limits::CRL_BYTES)).expect("quote and collateral");
        let mut files = filled(Material::classic, "\"code\"", |room| member(&"a".repeat(room - 16)));
        files.push(("collateral", collateral));
        files
    }),
    ("an input at the limit", || {
        let mut files = receipt(Material::k3());
        files.push((
            "input",
            format!("{{\"x\": [{}0]}}", "0.1234567890123456789,".repeat(values(limits::INPUT_BYTES - 16, 22))).into_bytes(),
        ));
        files
    }),
    ("an input of one text", || {
        let mut files = receipt(Material::k3());
        files.push(("input", format!("{{\"x\": \"{}\"}}", "\u{e9}".repeat(limits::INPUT_BYTES / 2 - 8)).into_bytes()));
        files
    }),
    ("a report as large as it gets", || {
        let names = |count: usize| -> String {
            let name = "\u{7f}".repeat(limits::JSON_NAME_BYTES - 8);
            (0..count).map(|number| format!("\"{name}{number:07}\": \"{}\",", "\u{7f}".repeat(limits::SHOWN_CHARACTERS))).collect()
        };
        let mut files = filled(Material::classic, "\"code\"", |_| names(limits::CLAIMS));
        let document = format!("{{{}\"x\": 0}}", names(limits::DIFFERENCES));
        files.extend(Companion::ALL.map(|companion| match companion {
            Companion::EvalLog | Companion::LogText => (companion.name(), format!("RESULT_JSON {document}").into_bytes()),
            _ => (companion.name(), document.clone().into_bytes()),
        }));
        let mut material = Material::classic();
        material.collateral.items.add(|items| {
            items.extend(
                (0..limits::PROBLEMS).map(|number| (format!("{number}{}", "\u{7f}".repeat(limits::JSON_NAME_BYTES - 8)), Vec::new())),
            );
        });
        files.push(("collateral", material.evidence()[1].clone()));
        files
    }),
    ("a run that differs everywhere", || run(|number| format!("\"{number:06}\": {number}.5,"))),
    ("a run of awkward floats", || run(|number| format!("\"{number:06}\": 1.797693134862315{}e307,", number % 10))),
    ("a run of texts", || run(|number| format!("\"{number:06}\": \"{}\",", "\u{7f}".repeat(64)))),
];

/// How many items of `bytes` bytes go into `room`, as far as a document may hold that many values.
fn values(room: usize, bytes: usize) -> usize {
    (room / bytes - 2).min(limits::JSON_VALUES - 1000)
}

fn member(text: &str) -> String {
    format!("\"x\": \"{text}\", ")
}

/// At most `count` members, each with a name that begins with `name`.
fn members(room: usize, count: usize, name: &str) -> String {
    let count = count.min(room / (name.len() + 13));
    (0..count).map(|number| format!("\"{name}{number:07}\": 0,")).collect()
}

/// Objects in objects whose names are long, and longer when they are shown.
fn nested_names(room: usize) -> String {
    let name = "\u{7f}".repeat(limits::JSON_NAME_BYTES - 8);
    let leaves = (room / (name.len() + 20) - 20).min(limits::JSON_VALUES - 1000);
    let leaves: Vec<String> = (0..leaves).map(|number| format!("\"{number:07}{name}\": \"{}\"", "\u{7f}".repeat(4))).collect();
    format!("\"{}\": {{{}}},", "\u{7f}".repeat(limits::CLAIM_POINTER_BYTES - 64), leaves.join(","))
}

/// A number that lies so near to the middle of two doubles that it takes all of its digits to read.
fn halfway() -> String {
    let middle = "0.500000000000000055511151231257827021181583404541015625";
    format!("{middle}{}1", "0".repeat(740))
}

/// The one-file case.
fn receipt(material: Material) -> Files {
    vec![("receipt", material.file())]
}

/// A receipt of the size limit: `filler` makes that much text, which goes before the one place where `anchor` stands.
fn filled(material: fn() -> Material, anchor: &'static str, filler: impl Fn(usize) -> String) -> Files {
    let bytes = material().file();
    let text = String::from_utf8(bytes).expect("UTF-8");
    let place = text.find(anchor).expect("the anchor");
    let (before, after) = text.split_at(place);
    let filled = [before, &filler(limits::RECEIPT_BYTES - text.len()), after].concat();
    vec![("receipt", filled.into_bytes())]
}

/// A receipt whose enclave printed as much as it may.
fn output(make: impl Fn(usize) -> String) -> Files {
    let mut material = Material::k3();
    material.receipt.output = make(limits::OUTPUT_BYTES);
    material.receipt.nonce = Nonce::Random("5eed".repeat(8));
    receipt(material)
}

/// A receipt that a signer vouches for, full of the number that is signed as `canonical` and stands there as `written`.
fn signed(canonical: &str, written: &str) -> Files {
    let count = values(limits::RECEIPT_BYTES - 16 * 1024, written.len() + 1);
    let list = |number: &str| format!("[{}0]", format!("{number},").repeat(count));
    let (signed, written) = (list(canonical), list(written));
    let mut material = Material::signed();
    material.receipt.attestation.set("/verdict/regression_labels", token(&signed));
    material.receipt.afterwards.add(move |document| document.set("/attestation/verdict/regression_labels", token(&written)));
    receipt(material)
}

/// Quote and collateral alone.
fn evidence(mut material: Material) -> Files {
    let [quote, collateral] = material.evidence();
    vec![("quote", quote), ("collateral", collateral)]
}

/// Material whose PCK CRL has as many of the smallest entries as go into `bytes` bytes.
fn large_crl(bytes: usize) -> Material {
    let mut material = Material::classic();
    let small = material.collateral.pck_crl.der().len() + 40;
    let entry = |serial: u32| der::sequence(&[der::unsigned(&serial.to_be_bytes()[1..]), der::time("2026-08-03T09:00:00Z")]);
    let count = (bytes - small) / entry(0x7f_ffff).len();
    material.collateral.pck_crl.more_entries = (0..count).map(|number| entry(0x01_0000 + number as u32)).collect();
    material
}

fn crl(bytes: usize) -> Files {
    evidence(large_crl(bytes))
}

/// SEQUENCE in SEQUENCE, that many bytes of it.
fn nested(bytes: usize) -> Vec<u8> {
    let mut headers: Vec<[u8; 5]> = Vec::new();
    while headers.len() * 5 + 5 < bytes {
        let [_, high, middle, low] = ((headers.len() * 5) as u32).to_be_bytes();
        headers.push([0x30, 0x83, high, middle, low]);
    }
    headers.into_iter().rev().flatten().collect()
}

/// As many extensions as a CRL has room for, each of another kind.
fn distinct_extensions() -> Vec<Vec<u8>> {
    let kinds = (0..1_u32 << 21).map(|number| [(number >> 14) as u8 | 0x80, (number >> 7) as u8 | 0x80, number as u8 & 0x7f]);
    // The first of the three bytes that number a kind may not be 80.
    let kinds = kinds.skip(1 << 14).map(|[high, middle, low]| der::tlv(0x06, &[0x2a, high, middle, low]));
    kinds.map(|kind| der::sequence(&[kind, der::octets(&[])])).take((limits::CRL_BYTES - 2000) / 10).collect()
}

/// TCB info of `bytes` bytes, all of it levels that no platform reaches.
fn tcb_levels(bytes: usize) -> Files {
    let mut material = Material::classic();
    let body = &mut material.collateral.tcb_info.body;
    let lowest = body.at("/tcbLevels/0").clone();
    let level = |number: u32| {
        let mut level = lowest.clone();
        level.set("/tcb/pcesvn", 100 + number);
        level
    };
    let count = bytes / (lowest.compact().len() + 6);
    body.list("/tcbLevels").extend((0..count as u32).map(level));
    evidence(material)
}

/// A run directory in which every file has its size limit, and no two members agree.
fn run(member: impl Fn(usize) -> String) -> Files {
    let length = member(0).len() + 1;
    let members = |first: usize, room: usize| -> String {
        (0..values(room, length)).map(|number| member(first + number)).collect::<String>().trim_end_matches(',').to_owned()
    };
    let verdict = members(0, limits::RECEIPT_BYTES - 64 * 1024) + ",";
    let mut material = Material::classic();
    material.receipt.input = Input::Document(parse("{}"));
    let mut files = vec![(
        "receipt",
        String::from_utf8(material.file()).expect("UTF-8").replacen("\"pass\": true", &(verdict + "\"pass\": true"), 1).into_bytes(),
    )];
    let document = format!("{{{}}}", members(1, limits::RUN_FILE_BYTES - 64));
    for companion in Companion::ALL {
        let is_log = matches!(companion, Companion::EvalLog | Companion::LogText);
        let text = if is_log { format!("RESULT_JSON {{{}}}", members(2, limits::RUN_FILE_BYTES - 64)) } else { document.clone() };
        files.push((companion.name(), text.into_bytes()));
    }
    files
}

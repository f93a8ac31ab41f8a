//! Documents that follow from the code: the pages of checks and of limits, and the JSON Schemas of reports, and what the written
//! ones name. `UPDATE=1` rewrites the pages.

#![expect(clippy::disallowed_methods, reason = "tests read files and the environment")]

#[expect(dead_code, reason = "only the reports are of interest here")]
#[path = "../examples/vectors/judge.rs"]
mod judge;
#[path = "../examples/vectors/run.rs"]
mod run;
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;
use verify_core::tier::Params;
use verify_core::{Check, CheckResult, Code, CodeInfo, Effect, Obligation, TcbStatus, limits};

use crate::judge::Judged;

// The page of checks.

/// What each stage of codes is about, in the order of the registry.
const STAGES: [(&str, &str); 35] = [
    ("json", "Every JSON document: strict syntax, members that stand twice, numbers"),
    ("limit", "Sizes and depths"),
    ("receipt", "The envelope: members, types, the shape of bound fields, base64, timestamps"),
    ("evidence", "Which kind of evidence there is: exactly one"),
    ("self-report", "What the file says of its own verification"),
    ("chain", "The chain block of the log"),
    ("quote", "The layout of the quote and the signature over it"),
    ("certificate", "X.509: chains to the anchor, names, constraints, signatures, validity, revocation"),
    ("sgx-extension", "What the PCK certificate says of its platform"),
    ("collateral", "The container of the collateral, its completeness and age"),
    ("crl", "Revocation lists"),
    ("tcb-info", "Intel's TCB info: signature, format, window"),
    ("qe-identity", "Intel's QE identity: signature, format, window"),
    ("window", "The window that all signed objects share"),
    ("qe", "The quoting enclave's report"),
    ("platform", "TCB info against PCK certificate"),
    ("tdx-module", "The TDX module against its identity"),
    ("tcb", "TCB levels of platform, TDX module and quoting enclave"),
    ("td", "Attributes of the trust domain"),
    ("sgx-enclave", "Attributes of an SGX enclave (bare quotes only)"),
    ("signer", "The key of a signed receipt"),
    ("signature", "The signature of a signed receipt"),
    ("binding", "Hashes that tie the receipt's fields to the evidence"),
    ("workload", "The command that the enclave was asked to run"),
    ("input", "The input that the enclave was given"),
    ("scorer", "The scorer, run again"),
    ("verdict", "The claimed verdict against the enclave's output"),
    ("tier", "The claimed tier against given parameters"),
    ("provenance", "The strict provenance fields"),
    ("enclave", "Pinned enclave measurements"),
    ("image", "Pinned container images"),
    ("pin", "Accepted values of a policy"),
    ("expectation", "What the caller expects"),
    ("run", "Files beside the receipt"),
    ("log", "A whole log: its lists, its run directories, reuse, and what changed since an earlier copy ([audit.md](audit.md))"),
];

/// The sources that references begin with, and where each is found.
const SOURCES: [(&str, &str); 18] = [
    ("RFC 3339", "<https://www.rfc-editor.org/rfc/rfc3339>"),
    ("RFC 4648", "<https://www.rfc-editor.org/rfc/rfc4648>"),
    ("RFC 5280", "<https://www.rfc-editor.org/rfc/rfc5280>"),
    ("RFC 8032", "<https://www.rfc-editor.org/rfc/rfc8032>"),
    ("RFC 8259", "<https://www.rfc-editor.org/rfc/rfc8259>"),
    ("SEC 1", "<https://www.secg.org/sec1-v2.pdf>"),
    (
        "Intel TDX DCAP Quoting Library API",
        "<https://download.01.org/intel-sgx/latest/dcap-latest/linux/docs/Intel_TDX_DCAP_Quoting_Library_API.pdf>",
    ),
    (
        "Intel SGX PCK Certificate and CRL Profile Specification",
        "<https://download.01.org/intel-sgx/latest/dcap-latest/linux/docs/SGX_PCK_Certificate_CRL_Spec-1.4.pdf>",
    ),
    ("Intel PCS API version 4", "<https://api.portal.trustedservices.intel.com/content/documentation.html>"),
    ("Intel quote verification library", "<https://github.com/intel/SGX-TDX-DCAP-QuoteVerificationLibrary>"),
    ("Intel TDX module ABI", "Intel TDX Module Application Binary Interface Reference Specification, document 348551"),
    ("Intel SDM volume 3D", "Intel 64 and IA-32 Architectures Software Developer's Manual, volume 3D"),
    ("Python json module", "<https://docs.python.org/3/library/json.html>"),
    ("dcap-qvl QuoteCollateralV3", "<https://docs.rs/dcap-qvl>"),
    ("Polaris receipt, version 1", "the format as its producers write it: `verify-core/src/receipt/mod.rs`, `verify-core/src/binding.rs`"),
    ("Polaris collateral version 1", "the item map inside of a receipt: `verify-core/src/dcap/collateral.rs`"),
    ("Attestation response, binding version 2", "the service's own response: `verify-core/src/receipt/response.rs`"),
    ("Strict provenance of the evaluation log", "the fields that the producers' own strict mode asks for: `verify-core/src/provenance.rs`"),
];

/// How many vectors a code lists.
const LISTED: usize = 10;

#[test]
fn the_page_of_checks_is_the_registry() {
    let path = support::workspace().join("docs/checks.md");
    let page = page_of_checks();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &page).expect("the page is written");
    }
    assert!(text(&path) == page, "docs/checks.md is not what the registry says: run UPDATE=1 cargo test -p verify-core --test documents");
}

fn page_of_checks() -> String {
    let vectors = Vectors::judged();
    let mut page = String::from(
        "# Checks\n\nMade from the registries (`verify-core/src/problem.rs`, `verify-core/src/report.rs`) and the manifests of\n\
         `test-vectors/` by `UPDATE=1 cargo test -p verify-core --test documents`. `receipt explain CODE` prints what stands here of a\n\
         code. A code is never renamed. *Intel's status* is what Intel's own library answers where it refuses for the same reason: none where it\n\
         has no such check.\n\n\
         | effect | means |\n|---|---|\n| refutes | the receipt is invalid |\n| prevents | the receipt is unverifiable |\n\
         | weakens | the receipt is under-provenanced |\n| notes | nothing |\n\n## Stages\n\n\
         | stage | about | codes | vectors |\n|---|---|---|---|\n",
    );
    let write = |page: &mut String, line: String| writeln!(page, "{line}").expect("a string takes everything");
    for stage in stages() {
        let codes = codes_of(stage);
        let ids: BTreeSet<&String> = codes.iter().flat_map(|code| vectors.of(*code)).collect();
        write(&mut page, format!("| [{stage}](#{stage}) | {} | {} | {} |", about(stage), codes.len(), ids.len()));
    }
    write(
        &mut page,
        format!(
            "\n{} codes, {} vectors.\n\n## Obligations\n\nIn the order in which they are met. Every one is required: without a result there is no *verified*, and\n\
             one whose prerequisite failed is skipped, which is no result. The last column holds the codes by which some vector fails it,\n\
             or by which a policy softens it.\n\n\
             | obligation | what has to hold | fails by |\n|---|---|---|",
            Code::ALL.len(),
            vectors.count
        ),
    );
    for obligation in Obligation::ALL {
        let codes: Vec<String> = vectors.failing(*obligation).iter().map(|code| link(*code)).collect();
        write(&mut page, format!("| `{}` | {} | {} |", obligation.id(), obligation.title(), codes.join(", ")));
    }
    for stage in stages() {
        write(&mut page, format!("\n## {stage}\n\n{}.", about(stage)));
        for code in codes_of(stage) {
            write(&mut page, entry(code.info(), vectors.of(code)));
        }
    }
    write(&mut page, "\n## Sources\n\n| source | where |\n|---|---|".to_owned());
    for (source, place) in SOURCES {
        write(&mut page, format!("| {source} | {place} |"));
    }
    page
}

fn entry(info: CodeInfo, ids: &[String]) -> String {
    let tunable = match info.tunable {
        [] => "fixed".to_owned(),
        effects => format!("a policy may choose {}", effects.iter().map(|effect| effect.name()).collect::<Vec<_>>().join(" or ")),
    };
    let intel = info.intel.map_or("none".to_owned(), |name| format!("`{name}`"));
    let listed: Vec<String> = ids.iter().take(LISTED).map(|id| format!("`{id}`")).collect();
    let more = match ids.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "\n### {}\n\n{}\n\n- effect: {}, {tunable}\n- help: {}\n- reference: {}\n- Intel's status: {intel}\n- vectors: {}{more}",
        info.name,
        info.title,
        info.default_effect,
        info.help,
        info.reference,
        listed.join(", ")
    )
}

/// The link to the entry of a code, by the anchor that Markdown readers give to its heading.
fn link(code: Code) -> String {
    format!("[{code}](#{})", code.name().replace('.', ""))
}

fn stage_of(code: Code) -> &'static str {
    code.name().split('.').next().unwrap_or_default()
}

/// The stages in the order of the registry.
fn stages() -> Vec<&'static str> {
    let mut stages: Vec<&str> = Code::ALL.iter().map(|code| stage_of(*code)).collect();
    stages.dedup();
    stages
}

fn codes_of(stage: &str) -> Vec<Code> {
    Code::ALL.iter().copied().filter(|code| stage_of(*code) == stage).collect()
}

fn about(stage: &str) -> &'static str {
    STAGES.iter().find(|(known, _)| *known == stage).unwrap_or_else(|| panic!("nothing is said about the stage {stage}")).1
}

/// What the vectors show.
struct Vectors {
    count: usize,
    ids: BTreeMap<&'static str, Vec<String>>,
    failing: Vec<(Obligation, BTreeSet<Code>)>,
}

impl Vectors {
    /// The vectors that the manifests list for each code, and what the verifier's answers to them say about obligations.
    fn judged() -> Self {
        let all = vectors();
        let logs = entries("logs");
        let mut ids: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for vector in all.iter().chain(&logs) {
            let codes = [&vector["codes"], &vector["fresh"]["codes"]].into_iter().filter_map(Value::as_array).flatten();
            let names: BTreeSet<&str> = codes.filter_map(Value::as_str).collect();
            for code in names {
                let code = Code::from_name(code).unwrap_or_else(|| panic!("the registry has no {code}"));
                ids.entry(code.name()).or_default().push(vector["id"].as_str().expect("an id").to_owned());
            }
        }
        let mut failing: Vec<(Obligation, BTreeSet<Code>)> =
            Obligation::ALL.iter().map(|obligation| (*obligation, BTreeSet::new())).collect();
        let halves = all.split_at(all.len() / 2);
        let checks = std::thread::scope(|scope| {
            [halves.0, halves.1]
                .map(|half| scope.spawn(|| half.iter().flat_map(checks).collect::<Vec<Check>>()))
                .map(|half| half.join().expect("a half"))
        });
        for check in checks.into_iter().flatten() {
            if let CheckResult::Failed { codes } | CheckResult::Softened { codes } = check.result {
                failing.iter_mut().filter(|(obligation, _)| *obligation == check.id).for_each(|(_, known)| known.extend(&codes));
            }
        }
        Self { count: all.len() + logs.len(), ids, failing }
    }

    fn of(&self, code: Code) -> &[String] {
        self.ids.get(code.name()).map_or(&[], Vec::as_slice)
    }

    fn failing(&self, obligation: Obligation) -> &BTreeSet<Code> {
        self.failing.iter().find(|(known, _)| *known == obligation).map(|(_, codes)| codes).expect("every obligation")
    }
}

/// The entries of the manifest about receipts and quotes.
fn vectors() -> Vec<Value> {
    entries("vectors")
}

fn entries(list: &str) -> Vec<Value> {
    let manifest = support::read_json(&support::workspace().join("test-vectors/manifest.json"));
    manifest[list].as_array().cloned().expect("a list of entries")
}

fn checks(vector: &Value) -> Vec<Check> {
    match judge::judge(&support::workspace().join("test-vectors"), vector).expect("a report") {
        Judged::Quote(report) => report.checks,
        Judged::Receipt(report) => report.fresh.into_iter().flat_map(|fresh| fresh.checks).chain(report.checks).collect(),
    }
}

/// A reference begins with a source that the page names, or is a place in this repository.
#[test]
fn every_reference_leads_somewhere() {
    let workspace = support::workspace();
    for code in Code::ALL {
        for reference in code.info().reference.split("; ") {
            let is_source = SOURCES.iter().any(|(source, _)| reference.starts_with(source));
            let is_place = match reference.split_once(".md, ") {
                Some((file, section)) => has_section(&text(&workspace.join(format!("{file}.md"))), section),
                None => [workspace.join("verify-core").join(reference), workspace.join(reference)].iter().any(|file| file.is_file()),
            };
            assert!(is_source || is_place, "{code}: {reference}");
        }
    }
    for (source, _) in SOURCES {
        assert!(Code::ALL.iter().any(|code| code.info().reference.contains(source)), "nothing refers to {source}");
    }
}

/// Whether a heading, or a phrase in bold at the start of a paragraph, begins with these words.
fn has_section(page: &str, words: &str) -> bool {
    page.lines().any(|line| {
        let title = line.strip_prefix("**").unwrap_or_else(|| if line.starts_with('#') { line.trim_start_matches(['#', ' ']) } else { "" });
        title.to_lowercase().starts_with(words)
    })
}

#[test]
fn every_stage_is_described_once() {
    let described: Vec<&str> = STAGES.iter().map(|(stage, _)| *stage).collect();
    assert_eq!(described, stages());
}

// What the written documents name.

/// Everything between backticks in these documents is a name of this project, and exists.
#[test]
fn what_the_documents_name_exists() {
    let names = Names::of_this_project();
    for document in ["docs/comparison.md", "docs/lessons.md"] {
        let page = text(&support::workspace().join(document));
        let unknown: Vec<&str> = page.split('`').skip(1).step_by(2).filter(|name| !names.knows(name)).collect();
        assert!(unknown.is_empty(), "{document} names what does not exist: {unknown:?}");
    }
}

/// The names that a document may use.
struct Names {
    vectors: BTreeSet<String>,
    functions: BTreeSet<String>,
}

impl Names {
    fn of_this_project() -> Self {
        let vectors = vectors().into_iter();
        let mut sources = Vec::new();
        for member in ["verify-core", "verify-cli", "vector-gen", "soundness", "fuzz"] {
            rust_files(&support::workspace().join(member), &mut sources);
        }
        let functions = sources.iter().flat_map(|source| {
            let functions = text(source);
            let names =
                functions.split("fn ").skip(1).filter_map(|rest| rest.split(|next: char| !next.is_alphanumeric() && next != '_').next());
            names.map(str::to_owned).collect::<Vec<_>>()
        });
        Self { vectors: vectors.filter_map(|vector| vector["id"].as_str().map(str::to_owned)).collect(), functions: functions.collect() }
    }

    /// A vector, a family of vectors (`tcb-*`), a code, an obligation, one of Intel's statuses, a function or a file.
    fn knows(&self, name: &str) -> bool {
        let is_family = name.strip_suffix('*').is_some_and(|prefix| self.vectors.iter().any(|id| id.starts_with(prefix)));
        let is_obligation = Obligation::ALL.iter().any(|obligation| obligation.id() == name);
        let is_status = Code::ALL.iter().any(|code| code.info().intel == Some(name));
        let is_file = name.contains(['/', '.']) && support::workspace().join(name).exists();
        let is_function = name.contains('_') && self.functions.contains(name);
        self.vectors.contains(name) || is_family || Code::from_name(name).is_some() || is_obligation || is_status || is_file || is_function
    }
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && path.file_name().is_none_or(|name| name != "target") {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn text(path: &Path) -> String {
    String::from_utf8(support::read(path)).expect("UTF-8")
}

// Limits, schemas and parameters.

/// Where the part of the page of limits begins that is measured, and not made here.
const MEASURED: &str = "\n## What the worst inputs cost\n";

#[test]
fn the_page_of_limits_begins_with_the_limits() {
    let path = support::workspace().join("docs/limits.md");
    let committed = String::from_utf8(support::read(&path)).expect("UTF-8");
    let (limits, measured) = committed.split_once(MEASURED).expect("a part that is measured");
    let page = page_of_limits();
    if std::env::var_os("UPDATE").is_some() {
        return std::fs::write(&path, page + MEASURED + measured).expect("the page is written");
    }
    assert!(limits == page, "docs/limits.md is not what the code says: run UPDATE=1 cargo test -p verify-core --test documents");
}

fn page_of_limits() -> String {
    let mut page = String::from(
        "# Limits\n\nWhat is over a limit is not read: the finding is `limit.exceeded`, and the outcome is no better than unverifiable. Nothing is\ncut off in silence. The library has the numbers as `verify_core::limits`. They are no promise: they may change in any version.\n\n| limit | value | counts | why no more |\n|---|---:|---|---|\n",
    );
    for limits::Limit { name, value, counts, reason, .. } in limits::ALL {
        let value = match value {
            mebibytes if value % (1024 * 1024) == 0 => format!("{} MiB", mebibytes / 1024 / 1024),
            kibibytes if value % 1024 == 0 => format!("{} KiB", kibibytes / 1024),
            number => number.to_string(),
        };
        writeln!(page, "| `{name}` | {value} | {counts} | {reason} |").expect("a string takes everything");
    }
    page
}

#[test]
fn the_schema_names_every_effect_status_and_obligation() {
    let schema = support::read_json(&support::workspace().join("docs/report-v1.schema.json"));
    let names = |pointer: &str| -> Vec<String> {
        let list = schema.pointer(pointer).and_then(Value::as_array).expect("a list of names");
        list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let effects: Vec<&str> = Effect::ALL.iter().map(|effect| effect.name()).collect();
    assert_eq!(names("/$defs/effect/enum"), effects);
    assert_eq!(names("/$defs/tcb_status/enum"), TcbStatus::ALL.iter().map(|status| status.name()).collect::<Vec<_>>());
    let obligations: Vec<&str> = Obligation::ALL.iter().map(|obligation| obligation.id()).collect();
    assert_eq!(names("/$defs/obligation/enum"), obligations);
}

#[test]
fn the_shipped_parameters_are_the_presets() {
    for (name, reference) in [("k3", Some(18.4435)), ("k3-2026-07", Some(16.7026)), ("classic", None)] {
        let path = support::workspace().join(format!("test-vectors/scores/{name}.toml"));
        let text = String::from_utf8(support::read(&path)).expect("UTF-8");
        assert_eq!(toml::from_str(&text), Ok(Params::preset(name, reference).expect("a preset")), "{name}");
    }
}

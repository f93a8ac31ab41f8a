//! Everything that a caller may ask for beside a receipt, at once, and the report as a program reads it.

use std::sync::LazyLock;

use jsonschema::Validator;
use soundness::vectors::{folder, vectors};
use soundness::{edits, essence, invariants};
use verify_core::tier::Params;
use verify_core::{Companion, Expectation, Instant, Outcome, Policy, Request, RunFile, Timestamp, Verifier};

/// The first byte says what the caller asks for beside, the others how to edit a shipped receipt. The report has to be the same
/// twice, fit the committed schema, and say nothing better than the receipt alone deserves.
pub fn answer(data: &[u8]) {
    let (asked, edits) = data.split_first().unwrap_or((&0, &[]));
    let receipt = edits::edited(edits, &vectors().receipts);
    let asks = |bit: u8| asked & (1 << bit) != 0;
    let Beside { files, fresh, input, expectations, params, schema } = &*BESIDE;
    let run = files.each_ref().map(|(companion, bytes)| RunFile::new(*companion, bytes));

    let mut request = Request::new(&receipt).named("a name");
    if asks(0) {
        request = request.with_run(&run);
    }
    if asks(1) {
        request = request.with_fresh_collateral(fresh);
    }
    if asks(2) {
        request = request.with_input(input);
    }
    if asks(3) {
        request = request.expecting(expectations);
    }
    if asks(4) {
        request = request.scored_by(params);
    }
    if asks(5) {
        request = request.judged_at(Instant::Now(Timestamp::from_unix_seconds(1_786_500_000)));
    }
    let policy = if asks(6) { vectors().policy.clone() } else { Policy::authenticity() };
    let policy = if asks(7) { policy.with_maximum_age("30d").expect("an age") } else { policy };
    let verifier = Verifier::new(policy, vectors().anchors.clone());

    let report = verifier.verify(&request);
    assert_eq!(report.to_json(), verifier.clone().verify(&request).to_json(), "the same request gave two reports");
    invariants::assert_of_receipt(&report, &receipt);
    let value = serde_json::from_str(&report.to_json()).expect("JSON");
    let faults: Vec<String> = schema.iter_errors(&value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    if report.outcome == Outcome::Verified {
        essence::assert_known(&receipt, essence::Scope::Evidence);
    }
}

/// What the caller may ask for beside a receipt.
struct Beside {
    files: [(Companion, Vec<u8>); 4],
    fresh: Vec<u8>,
    input: Vec<u8>,
    expectations: Vec<Expectation>,
    params: Params,
    schema: Validator,
}

static BESIDE: LazyLock<Beside> = LazyLock::new(|| {
    let read = |path: &str| std::fs::read(folder().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let expectations = ["label=L", "commit=0123456", "/attestation/verdict/tps=120.5", "/attestation/nowhere=null"];
    let schema = serde_json::from_slice(&read("../docs/report-v1.schema.json")).expect("JSON");
    Beside {
        files: [
            (Companion::Attestation, read("runs/run-agrees/attestation.json")),
            (Companion::Result, read("runs/run-agrees/result.json")),
            (Companion::EvalLog, read("runs/run-log-under-its-newer-name/eval.log")),
            (Companion::LogText, b"no result\n".to_vec()),
        ],
        fresh: read("collateral/fresh-out-of-date.json"),
        input: read("inputs/input-given"),
        expectations: expectations.map(|text| text.parse().expect("an expectation")).to_vec(),
        params: Params::preset("classic", None).expect("a preset"),
        schema: jsonschema::validator_for(&schema).expect("a schema"),
    }
});

//! What a receipt carries, where nobody has the keys: only what was shipped may come out as verified.

use std::sync::LazyLock;

use data_encoding::BASE64;
use jsonschema::Validator;
use soundness::vectors::{Vectors, folder, vectors};
use soundness::{edits, essence, invariants, judge};
use verify_core::tier::Params;
use verify_core::{Anchors, Companion, Expectation, Instant, Outcome, Policy, Request, RunFile, Timestamp, Verifier, dcap};

/// The bytes are a whole receipt.
pub fn receipt_json(data: &[u8]) {
    judge(data);
    let intel = Verifier::new(Policy::authenticity(), Anchors::intel()).verify(&Request::new(data));
    assert_ne!(intel.outcome, Outcome::Verified, "no input holds evidence that Intel signed");
}

/// The bytes are a whole receipt that is only to be decoded.
pub fn inspect(data: &[u8]) {
    invariants::inspect(data);
}

/// The bytes are the quote of an otherwise good receipt.
pub fn quote(data: &[u8]) {
    judge(&edits::with_member(&vectors().good, "quote_b64", &BASE64.encode(data)));
}

/// The bytes are a quote without a receipt, judged by the collateral of a trust domain and by that of an SGX enclave.
pub fn bare_quote(data: &[u8]) {
    let Vectors { anchors, quotes, collaterals, .. } = vectors();
    for collateral in collaterals {
        let report = dcap::verify_quote(data, collateral, Instant::Collateral, anchors);
        invariants::assert_of_quote(&report, data);
        if report.outcome == Outcome::Verified {
            let parts = essence::quote_parts(data).expect("verified, so a second reader can take it apart");
            assert!(quotes.contains(&parts), "verified, but no shipped quote has these authenticated parts");
        }
    }
}

/// The bytes are the collateral of an otherwise good receipt.
pub fn collateral(data: &[u8]) {
    judge(&edits::with_member(&vectors().good, "collateral_b64", &BASE64.encode(data)));
}

/// The bytes say which shipped receipt to take and how to edit it, inside its decoded parts too.
pub fn whole(data: &[u8]) {
    judge(&edits::edited(data, &vectors().receipts));
}

/// The first byte says what the caller asks for beside, the others how to edit a shipped receipt. The report has to be the same
/// twice, fit the committed schema, and say nothing better than the receipt alone deserves.
pub fn report(data: &[u8]) {
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

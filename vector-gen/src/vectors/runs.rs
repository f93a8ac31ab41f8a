//! Files beside a receipt in its run directory.

use super::{Vector, classic, echo, k3};
use crate::json::{self, Json, token};
use crate::receipt::COMMIT;

pub(super) fn vectors() -> Vec<Vector> {
    [agreeing(), attestations(), results(), logs()].into_iter().flatten().collect()
}

/// The attestation alone, in another order and layout.
fn attestation(receipt: &mut Json) -> String {
    receipt.at("/attestation").sorted().compact()
}

/// The short result of a run with `dflash`, which names its receipt.
fn dflash_result(receipt: &mut Json) -> Json {
    let mut result = json::parse(
        r#"{
            "id": "dflash-0001-0123456", "pr": 1, "title": "test", "commit": "", "eval_mode": "dflash", "label": "L", "pass": true,
            "reason": "ok", "delta_pct": 13.4, "model": "of the guard", "pr_dflash_tps": 120.5, "main_dflash_tps": 106.25, "guard_ok": true,
            "date": "2026-08-03", "polaris": true, "polaris_receipt_id": ""
        }"#,
    );
    result.set("/commit", &COMMIT[..7]);
    result.set("/polaris_receipt_id", receipt.text("/receipt_id"));
    result
}

/// The long result of an older run; clocks are texts, and the seed is told although the receipt keeps it back.
fn long_result(receipt: &mut Json) -> Json {
    let mut result = json::parse(
        r#"{
            "id": "0001-0123456", "commit": "", "label": "L", "tps": 120.5, "delta_pct": 13.4, "delta_tps": 14.25,
            "top1": 0.96, "kl": 0.0125, "frontier": 106.25, "eval_mode": "longctx", "score_context": null,
            "ctx_128_tps": 120.5, "guard_128_baseline": 119.0, "guard_128_pass": true, "clocks_pinned": true,
            "clock_mhz": "2400", "clock_spread_mhz": "0", "eval_seed": "00112233aabbccdd", "llama_commit": "",
            "polaris": true, "polaris_receipt_id": ""
        }"#,
    );
    result.set("/commit", &COMMIT[..7]);
    result.set("/polaris_receipt_id", receipt.text("/receipt_id"));
    result
}

/// The flat result of a newer run: the enclave's input, with the receipt's id.
fn flat_result(receipt: &mut Json) -> Json {
    let mut result = json::parse(
        r#"{
            "commit": "", "delta_tps": 14.25, "frontier_tps": 106.25, "kl": 0.012345678, "label": "L", "layers": 32, "node": "test",
            "pass": true, "pct_over_frontier": 13.4, "receipt_id": "", "top1": 0.96, "tps": 120.5
        }"#,
    );
    result.set("/commit", &COMMIT[..7]);
    result.set("/receipt_id", receipt.text("/receipt_id"));
    result
}

fn log_line(result: &Json) -> String {
    format!("RESULT_JSON {}\n", result.python())
}

/// A run of the `dflash` kind whose result is changed.
fn with_result(id: &str, rule: &str, change: impl Fn(&mut Json) + 'static) -> Vector {
    classic(id, rule).beside("result.json", move |receipt| {
        let mut result = dflash_result(receipt);
        change(&mut result);
        result.indented()
    })
}

fn agreeing() -> Vec<Vector> {
    vec![
        classic("run-agrees", "Files that say the same as the receipt are fine, whatever their layout.")
            .beside("attestation.json", attestation)
            .beside("result.json", |receipt| dflash_result(receipt).indented())
            .verified(&[]),
        echo("run-agrees-long-result", "Texts of numbers agree with numbers; a seed that the receipt holds too is compared.")
            .beside("attestation.json", attestation)
            .beside("result.json", |receipt| long_result(receipt).indented())
            .beside("log.txt", |receipt| format!(">> test\n{}done\n", log_line(&long_result(receipt))))
            .thin(&["verdict.not-attested"]),
        k3("run-agrees-flat-result", "A result may have more places than sealing keeps, and a log need not hold a result.")
            .policy("input-not-needed")
            .beside("result.json", |receipt| flat_result(receipt).indented())
            .beside("eval.log", |_| "#1: tps=120.5 top1=0.96 kl=0.0123\nno RESULT_JSON from the harness for #2\n".to_owned())
            .verified(&[]),
        classic("run-alone", "A run need not hold more than its receipt.").in_run().verified(&[]),
        with_result("run-result-lacks", "A result is not blamed for what it leaves out, or writes as null or empty.", |result| {
            *result = json::parse(r#"{"label": null, "commit": "", "reason": "", "pass": null, "polaris_receipt_id": null}"#);
        })
        .verified(&[]),
    ]
}

fn attestations() -> Vec<Vector> {
    let differs = &["run.attestation-differs"];
    let with = |id: &str, rule: &str, change: fn(&mut Json)| {
        classic(id, rule).beside("attestation.json", move |receipt| {
            change(receipt.at("/attestation"));
            receipt.at("/attestation").indented()
        })
    };
    vec![
        with("run-attestation-value", "Every value of attestation.json is the receipt's.", |attestation| {
            attestation.set("/environment/clocks_pinned", false);
        })
        .invalid(differs),
        with("run-attestation-more", "It has no member more.", |attestation| attestation.set("/code/branch", "main")).invalid(differs),
        with("run-attestation-less", "It has no member less.", |attestation| {
            attestation.remove("/references/guard_model_file");
        })
        .invalid(differs),
        with("run-attestation-spelling", "A number may be spelled otherwise.", |attestation| {
            attestation.set("/verdict/tps", token("1.205e2"));
        })
        .verified(&[]),
        classic("run-attestation-cut", "A file that cannot be read cannot be compared.")
            .beside("attestation.json", |receipt| attestation(receipt)[..100].to_owned())
            .unverifiable(&["run.file-unreadable"]),
    ]
}

fn results() -> Vec<Vector> {
    let differs = &["run.result-differs"];
    vec![
        with_result("run-result-label", "The label of result.json is the receipt's.", |result| result.set("/label", "XL")).invalid(differs),
        with_result("run-result-pass", "So is pass.", |result| result.set("/pass", false)).invalid(differs),
        with_result("run-result-commit", "The commit begins the receipt's.", |result| result.set("/commit", "89abcde")).invalid(differs),
        with_result("run-result-number", "A number is the receipt's.", |result| result.set("/pr_dflash_tps", token("120.51")))
            .invalid(differs),
        with_result("run-result-gain", "Under its other name too.", |result| result.set("/delta_pct", token("13.5"))).invalid(differs),
        echo("run-result-clock", "A number that is written as a text is compared all the same.")
            .beside("result.json", |receipt| {
                let mut result = long_result(receipt);
                result.set("/clock_mhz", "2401");
                result.indented()
            })
            .invalid(&["run.result-differs", "verdict.not-attested"]),
        k3("run-result-sixth-place", "What differs in the sixth place differs.")
            .policy("input-not-needed")
            .beside("result.json", |receipt| {
                let mut result = flat_result(receipt);
                result.set("/kl", token("0.012347"));
                result.indented()
            })
            .invalid(differs),
        with_result("run-result-tolerated", "A policy may read a result that was changed later as thin.", |result| {
            result.set("/label", "XL");
        })
        .policy("tolerant")
        .thin(differs),
        with_result("run-result-names-another-receipt", "The receipt that a result names is the one beside it.", |result| {
            result.set("/polaris_receipt_id", "0123456789abcdef".repeat(2));
        })
        .invalid(&["run.receipt-id-differs"]),
        k3("run-result-names-another-receipt-flat", "Under its other name too.")
            .policy("input-not-needed")
            .beside("result.json", |receipt| {
                let mut result = flat_result(receipt);
                result.set("/receipt_id", "0123456789abcdef".repeat(2));
                result.indented()
            })
            .invalid(&["run.receipt-id-differs"]),
        classic("run-result-shadowed", "A name that stands in two blocks is compared with both: none can hide the other.")
            .change(|m| m.receipt.attestation.set("/environment/label", "XL"))
            .beside("result.json", |receipt| {
                let mut result = dflash_result(receipt);
                result.set("/label", "XL");
                result.indented()
            })
            .invalid(&["receipt.unknown-member", "run.result-differs"]),
        classic("run-result-shadowing", "Nor can it where the verdict agrees.")
            .change(|m| m.receipt.attestation.set("/environment/label", "XL"))
            .beside("result.json", |receipt| dflash_result(receipt).indented())
            .invalid(&["receipt.unknown-member", "run.result-differs"]),
        with_result("run-result-repository", "The code that was measured is compared too.", |result| {
            result.set("/repo", "https://git.example/other");
        })
        .invalid(differs),
        with_result("run-result-reference", "So are the references.", |result| result.set("/model_file", "another.gguf")).invalid(differs),
        with_result("run-result-time", "So is the time, whose zone may be spelled otherwise.", |result| {
            result.set("/timestamp_utc", "2026-08-03T12:15:00+00:00");
        })
        .verified(&[]),
        with_result("run-result-other-time", "Another time differs.", |result| {
            result.set("/timestamp_utc", "2026-08-03T12:15:01Z");
        })
        .invalid(differs),
        with_result("run-result-commit-digit", "One digit is no beginning of a commit.", |result| result.set("/commit", "0"))
            .invalid(differs),
        with_result("run-result-nested", "What lies deeper is compared too.", |result| {
            result.set("/context_gains_pct", json::parse(r#"{"128": 1.5}"#));
        })
        .change(|m| m.receipt.attestation.set("/verdict/context_gains_pct", json::parse(r#"{"128": 1.6}"#)))
        .invalid(differs),
        with_result(
            "run-result-nested-rounded",
            "There, too, numbers agree where sealing rounds them to the same, and with their texts.",
            |result| {
                result.set("/context_gains_pct", json::parse(r#"{"128": 1.23456749, "512": "2.5"}"#));
            },
        )
        .change(|m| m.receipt.attestation.set("/verdict/context_gains_pct", json::parse(r#"{"128": 1.234567, "512": 2.50}"#)))
        .verified(&[]),
        classic("run-result-list", "A result is an object.")
            .beside("result.json", |_| "[]".to_owned())
            .unverifiable(&["run.file-unreadable"]),
    ]
}

fn logs() -> Vec<Vector> {
    let differs = &["run.log-differs"];
    let line = |receipt: &mut Json, label: &str| {
        let mut result = dflash_result(receipt);
        result.set("/label", label);
        log_line(&result)
    };
    let published = |id: &str, rule: &str| classic(id, rule).beside("result.json", |receipt| dflash_result(receipt).indented());
    vec![
        published("run-log-other-label", "The result in the log is the published one.")
            .beside("log.txt", move |receipt| line(receipt, "XS"))
            .invalid(differs),
        published("run-log-under-its-newer-name", "Whatever the log is called.")
            .beside("eval.log", move |receipt| line(receipt, "XS"))
            .invalid(differs),
        published("run-log-tried-again", "The last result of a log counts.")
            .beside("log.txt", move |receipt| line(receipt, "XS") + "tried again\n" + &line(receipt, "L"))
            .verified(&[]),
        classic("run-log-alone", "Without result.json the log is compared with the receipt.")
            .beside("log.txt", move |receipt| line(receipt, "XS"))
            .invalid(differs),
        classic("run-log-cut", "A result in a log that cannot be read cannot be compared.")
            .beside("log.txt", |_| "RESULT_JSON {\"label\": \"L\"\n".to_owned())
            .unverifiable(&["run.file-unreadable"]),
    ]
}

//! The enclave's input, recovered and compared, and the scorer that is run again on it.

use verify_core::limits;

use super::binding::edited;
use super::{Vector, claim, classic, echo};
use crate::json::{Json, parse, token};
use crate::receipt::{Input, Material, SCORER, digest};

pub(super) fn vectors() -> Vec<Vector> {
    let mut vectors = measurements();
    vectors.extend(recovered());
    vectors.extend(counterparts());
    vectors.extend(beside());
    vectors.extend(scorer());
    vectors
}

/// A vector whose scorer refused for want of a guard: receipt and output together lead to the input.
fn unguarded(id: &str, rule: &str) -> Vector {
    Vector::new(id.into(), rule.into(), Material::unguarded, &[super::USUAL])
}

/// A vector whose scorer refused at its first gate: the output repeats nothing, so the receipt does not lead to the input.
fn refused_early(id: &str, rule: &str) -> Vector {
    Vector::new(id.into(), rule.into(), inaccurate, &[super::USUAL])
}

fn inaccurate() -> Material {
    let mut material = Material::unguarded();
    material.receipt.attestation.set("/measurements/primary/top1", token("0.5"));
    material.submit(|input| input.set("/top1", token("0.5")));
    material.receipt.output =
        "{\"label\": \"REJECT\", \"pass\": false, \"reason\": \"correctness gate failed: top1=0.5000 (need >= 0.9)\"}\n".to_owned();
    material
}

/// What that material submits.
fn submitted() -> Json {
    match inaccurate().receipt.input {
        Input::Document(document) => document.sorted(),
        Input::Measurements => unreachable!("this kind submits a document"),
    }
}

fn measurements() -> Vec<Vector> {
    vec![
        edited(classic("input-doctored", "The measurements are the enclave's input."), |receipt| {
            receipt.set("/attestation/measurements/dflash/pr_dflash_tps", token("241.0"));
        })
        .invalid(&["binding.input-mismatch"]),
        edited(classic("input-other-spelling", "The input is compared as text: 120.50 is not 120.5."), |receipt| {
            receipt.set("/attestation/measurements/dflash/pr_dflash_tps", token("120.50"));
        })
        .invalid(&["binding.input-mismatch"]),
        edited(echo("input-doctored-primary", "The measurements of the older shape are the enclave's input too."), |receipt| {
            receipt.set("/attestation/measurements/primary/ctx_128_tps", token("999.0"));
        })
        .invalid(&["binding.input-mismatch", "verdict.not-attested"]),
        classic("input-escapes", "Other characters than ASCII are escaped in the input, in UTF-16 units.")
            .change(|m| {
                let measurements = m.receipt.attestation.at("/measurements");
                measurements.set("/dflash/spec_agree", "déjà vu \u{1f600} \u{7f} 16/16 = 1.0000");
                let output = crate::receipt::dflash_output(measurements, true);
                m.receipt.output = output;
            })
            .verified(&[]),
        classic("input-number-forms", "Number tokens are hashed as they stand.")
            .change(|m| {
                let measurements = m.receipt.attestation.at("/measurements");
                measurements.set("/dflash/speedup_vs_ar", token("1e-05"));
                measurements.set("/dflash/speedup_vs_main", token("-0.0"));
                let output = crate::receipt::dflash_output(measurements, true);
                m.receipt.output = output;
            })
            .verified(&[]),
        classic("workload-unknown", "A workload other than the known command thins the receipt.")
            .change(|m| m.receipt.command = "python3 /submission/other.py")
            .thin(&["workload.unknown"]),
    ]
}

fn recovered() -> Vec<Vector> {
    vec![
        unguarded("input-from-output", "An input that the scorer handed on is recovered from its output and the claimed verdict.")
            .verified(&[]),
        unguarded("input-with-reason", "A reason that the scorer wrote over is restored from the claim.")
            .change(|m| {
                m.submit(|input| input.set("/reason", "too slow"));
                m.receipt.attestation.set("/verdict/reason", "too slow");
            })
            .verified(&[]),
        unguarded("input-reason-made-up", "A reason that was not submitted is the producer's word.")
            .change(|m| m.receipt.attestation.set("/verdict/reason", "too slow"))
            .verified(&[]),
        unguarded("input-submitted-tier", "A tier that was submitted as it is claimed is still not the enclave's: it refused.")
            .change(|m| m.submit(|input| input.set("/label", "S")))
            .change(|m| m.submit(|input| input.set("/pass", true)))
            .change(claim("S", true))
            .invalid(&["verdict.contradicts-enclave"]),
        unguarded("input-other-label", "Another label than the submitted one contradicts it, even one that the enclave agrees with.")
            .change(|m| m.submit(|input| input.set("/label", "none")))
            .invalid(&["input.contradicts-claim"]),
        unguarded("input-other-pass", "So does another pass.")
            .change(|m| m.submit(|input| input.set("/pass", true)))
            .invalid(&["input.contradicts-claim"]),
        unguarded("input-other-verdict", "A raised tier contradicts what was submitted and what the enclave signed.")
            .change(|m| m.submit(|input| input.set("/label", "none")))
            .change(claim("XL", true))
            .invalid(&["input.contradicts-claim", "verdict.contradicts-enclave"]),
        unguarded("input-label-unknown", "A label that nobody knows is not searched for.")
            .change(|m| m.submit(|input| input.set("/label", "gold")))
            .thin(&["input.not-recovered"]),
    ]
}

fn counterparts() -> Vec<Vector> {
    let contradicts = &["input.contradicts-claim"];
    let claimed = |id: &str, rule: &str, pointer: &'static str, value: fn() -> Json| {
        unguarded(id, rule).change(move |m| m.receipt.attestation.set(pointer, value()))
    };
    let submitted =
        |vector: Vector, pointer: &'static str, value: fn() -> Json| vector.change(move |m| m.submit(|input| input.set(pointer, value())));
    vec![
        claimed("input-other-speed", "A number that the output repeats is compared there, once.", "/verdict/tps", || token("241.0"))
            .invalid(&["verdict.numbers-contradict-enclave"]),
        submitted(
            claimed("input-other-context", "A measurement is the one in the input.", "/measurements/primary/ctx_128_tps", || {
                token("999.0")
            }),
            "/ctx_128_tps",
            || token("120.5"),
        )
        .invalid(contradicts),
        submitted(
            claimed("input-same-context", "Numbers are alike after rounding to six places.", "/measurements/primary/ctx_128_tps", || {
                token("120.5")
            }),
            "/ctx_128_tps",
            || token("120.5000004"),
        )
        .verified(&[]),
        submitted(
            claimed(
                "input-withheld-context",
                "Null in the place of a number is another value.",
                "/measurements/primary/ctx_128_tps",
                || token("null"),
            ),
            "/ctx_128_tps",
            || token("120.5"),
        )
        .invalid(contradicts),
        claimed(
            "input-without-counterpart",
            "What the input does not hold is the producer's word.",
            "/measurements/primary/ctx_128_tps",
            || token("999.0"),
        )
        .verified(&[]),
        submitted(
            claimed("input-other-model", "The model is the one in the input.", "/verdict/model", || "another model".into()),
            "/model",
            || "test-model".into(),
        )
        .invalid(contradicts),
        submitted(
            claimed("input-list-cut", "A list is compared as a whole.", "/verdict/regression_labels", || Json::List(vec!["one".into()])),
            "/regression_labels",
            || Json::List(vec!["one".into(), "two".into()]),
        )
        .invalid(contradicts),
        submitted(unguarded("input-nothing-as-empty", "An empty object stands for nothing."), "/context_gains_pct", || token("null"))
            .verified(&[]),
        submitted(
            claimed("input-other-gains", "An object is compared as a whole.", "/verdict/context_gains_pct", || parse(r#"{"128": 1.5}"#)),
            "/context_gains_pct",
            || parse(r#"{"128": 1.5, "512": 2.5}"#),
        )
        .invalid(contradicts),
        submitted(
            unguarded("input-reference", "A reference's commit that begins the claimed one agrees with it."),
            "/llama_commit",
            || digest("test reference")[..7].into(),
        )
        .verified(&[]),
        submitted(unguarded("input-other-reference", "One that does not begin it contradicts it."), "/llama_commit", || "fedcba9".into())
            .invalid(contradicts),
        submitted(unguarded("input-no-reference", "An empty commit says nothing."), "/llama_commit", || "".into()).verified(&[]),
    ]
}

fn beside() -> Vec<Vector> {
    let lost = "input.not-recovered";
    let with = |added: &[(&str, Json)]| {
        let mut result = submitted();
        for (name, value) in added {
            result.set(name, value.clone());
        }
        result.indented()
    };
    let depths = || ("/kl_depths", parse(r#"{"ctx128": {"kl": 0.01, "top1": 1.0}}"#));
    let other = || with(&[("/tps", token("241.0"))]);
    // A published result names its receipt.
    let named = |receipt: &mut Json| ("/receipt_id", Json::from(receipt.text("/receipt_id")));
    vec![
        refused_early("input-refused-early", "Where the output repeats nothing, the receipt does not lead to the input.").thin(&[lost]),
        refused_early("input-given", "A given input that hashes to the bound digest is the input.")
            .given(submitted().python())
            .verified(&[]),
        refused_early("input-given-indented", "Its layout does not matter.").given(with(&[])).verified(&[]),
        refused_early("input-given-other", "A given input that hashes to something else refutes what was expected.")
            .given(other())
            .invalid(&["input.given-differs"]),
        refused_early("input-given-published", "A result with members that were added after the run is not the input.")
            .given(with(&[("/receipt_id", Json::from("00".repeat(16)))]))
            .invalid(&["input.given-differs"]),
        refused_early("input-given-no-json", "Neither is what is no JSON.").given("no input".to_owned()).invalid(&["input.given-differs"]),
        unguarded("input-given-other-recovered", "What the receipt leads to does not make a wrong expectation right.")
            .given(other())
            .invalid(&["input.given-differs"]),
        refused_early("input-given-other-speed", "A number that only the input holds is compared with it.")
            .given(submitted().python())
            .change(|m| m.receipt.attestation.set("/verdict/tps", token("241.0")))
            .invalid(&["input.contradicts-claim"]),
        refused_early("input-given-other-commit", "So is the commit.")
            .given(submitted().python())
            .change(|m| m.receipt.attestation.set("/code/commit", "89abcdef".repeat(5)))
            .invalid(&["input.contradicts-claim"]),
        edited(classic("input-given-doctored", "With the true input at hand, doctored measurements are named one by one."), |receipt| {
            receipt.set("/attestation/measurements/dflash/pr_dflash_tps", token("241.0"));
        })
        .given(Material::classic().receipt.attestation.at("/measurements").indented())
        .invalid(&["binding.input-mismatch", "input.contradicts-claim"]),
        refused_early("input-published", "The published result leads to the input.")
            .beside("result.json", move |_| with(&[]))
            .verified(&[]),
        refused_early("input-published-id", "So it does with the receipt's id in it.")
            .beside("result.json", move |receipt| with(&[named(receipt)]))
            .verified(&[]),
        refused_early("input-published-depths", "So it does with the depths that were measured later.")
            .beside("result.json", move |receipt| with(&[named(receipt), depths()]))
            .verified(&[]),
        refused_early("input-published-other", "A published result that leads nowhere is no contradiction.")
            .beside("result.json", move |_| with(&[("/note", "added by hand".into())]))
            .thin(&[lost]),
        unguarded("input-published-needless", "It is not looked at where the receipt itself leads to the input.")
            .beside("result.json", |_| "{\"note\": \"of another run\"}".to_owned())
            .verified(&[]),
        refused_early("input-twice", "An input with a member twice is proven, but two readers see two values in it.")
            .change(|m| m.receipt.input = Input::Document(twice()))
            .given(twice().python())
            .thin(&["scorer.not-rerun"]),
        refused_early("input-over-limit", "An input with a longer number than is read is proven, but what it says is not known.")
            .change(|m| m.receipt.input = Input::Document(long()))
            .given(long().python())
            .unverifiable(&["limit.exceeded", "scorer.not-rerun"])
            .flags(true, true),
    ]
}

/// A document with a number that is too long.
fn long() -> Json {
    Json::Object(vec![("top1".into(), token(&"7".repeat(limits::JSON_NUMBER_BYTES + 1)))])
}

/// A document in which `kl` stands twice.
fn twice() -> Json {
    Json::Object(vec![("kl".into(), token("0.5")), ("kl".into(), token("0.1")), ("top1".into(), token("0.5"))])
}

fn scorer() -> Vec<Vector> {
    let differs = "scorer.output-differs";
    let refused = |id: &str, rule: &str, output: &'static str| {
        echo(id, rule).change(claim("REJECT", false)).change(move |m| m.receipt.output = output.to_owned())
    };
    let number = |pointer: &'static str, number: &'static str| move |m: &mut Material| m.receipt.attestation.set(pointer, token(number));
    let no_top1 = number("/measurements/primary/top1", "null");
    vec![
        classic("scorer-unknown", "A scorer that nobody knows thins the receipt.")
            .change(|m| m.receipt.scorer = digest("another scorer"))
            .thin(&["scorer.unknown"]),
        edited(classic("scorer-unknown-input", "With an unknown scorer, other measurements only leave the input unknown."), |receipt| {
            receipt.set("/attestation/measurements/dflash/pr_dflash_tps", token("241.0"));
        })
        .change(|m| m.receipt.scorer = digest("another scorer"))
        .thin(&["input.not-recovered", "scorer.unknown"]),
        classic("scorer-output-differs", "An output that the known scorer does not print was made by another program.")
            .change(|m| m.change_output(|output| output.set("/mean_accept", token("4.76"))))
            .invalid(&[differs]),
        classic("scorer-no-newline", "Every byte counts, the last newline too.")
            .change(|m| m.receipt.output = m.receipt.output.trim_end().to_owned())
            .invalid(&[differs]),
        classic("scorer-compact", "So does every blank.")
            .change(|m| m.receipt.output = parse(m.receipt.output.trim_end()).compact() + "\n")
            .invalid(&[differs]),
        classic("scorer-other-version", "The older scorer does not know this shape, and refuses it.")
            .change(|m| m.receipt.scorer = SCORER.to_owned())
            .invalid(&[differs]),
        refused(
            "scorer-older",
            "Either known scorer is run again.",
            "{\"label\": \"REJECT\", \"pass\": false, \"reason\": \"correctness gate failed: top1=0.0000 (need >= 0.9); kl=99.0000 (need <= 0.2)\"}\n",
        )
        .change(|m| m.receipt.attestation.set("/measurements", Material::classic().receipt.attestation.at("/measurements").clone()))
        .verified(&[]),
        echo("scorer-crashes", "Where the scorer crashes on its input, a trace is what it prints: named, but not compared.")
            .change(no_top1)
            .change(|m| m.receipt.output = TRACE.to_owned())
            .thin(&["verdict.script-crashed"]),
        echo("scorer-crash-hidden", "A result in the place of a crash was made by another program.")
            .change(no_top1)
            .invalid(&[differs, "verdict.not-attested", "verdict.numbers-contradict-enclave"]),
        echo("scorer-crash-made-up", "So was a trace in the place of a result.")
            .change(|m| m.receipt.output = TRACE.to_owned())
            .invalid(&[differs, "verdict.script-crashed"]),
        refused(
            "scorer-gate",
            "The gate names every bar that is missed, to four places.",
            "{\"label\": \"REJECT\", \"pass\": false, \"reason\": \"correctness gate failed: top1=0.8990 (need >= 0.9); kl=0.2000 (need <= 0.2)\"}\n",
        )
        .change(number("/measurements/primary/top1", "0.89899"))
        .change(number("/measurements/primary/kl", "0.20001"))
        .verified(&[]),
        echo("scorer-gate-bars", "A number on the bar passes.")
            .change(number("/measurements/primary/top1", "0.9"))
            .change(number("/measurements/primary/kl", "0.2"))
            .change(|m| {
                m.change_output(|output| {
                    output.set("/top1", token("0.9"));
                    output.set("/kl", token("0.2"));
                });
            })
            .thin(&["verdict.not-attested"]),
        echo("scorer-guard-accuracy", "A guard that is not accurate refuses, with its numbers as Python prints them.")
            .change(claim("REJECT", false))
            .change(number("/measurements/guard/kl", "1e-05"))
            .change(number("/measurements/guard/top1", "0.8969"))
            .change(|m| {
                m.change_output(|output| {
                    output.set("/guard/top1", token("0.8969"));
                    output.set("/guard/kl", token("1e-05"));
                    output.set("/guard/accuracy_ok", false);
                    output.set("/label", "REJECT");
                    output.set("/pass", false);
                    output.set(
                        "/reason",
                        "no-regression guard: Qwen3-30B accuracy broke (top1=0.8969 need>=0.9, kl=1e-05 need<=0.2)",
                    );
                    output.set("/guard_regression_labels", Json::List(Vec::new()));
                });
            })
            .verified(&[]),
        classic("scorer-agreement", "Drafts that do not agree are refused.")
            .change(claim("REJECT", false))
            .change(|m| {
                m.receipt.attestation.set("/measurements/dflash/spec_agree", "METRIC SPEC_AGREE 15/16 = 0.9375");
                m.change_output(|output| {
                    output.set("/spec_agree", "METRIC SPEC_AGREE 15/16 = 0.9375");
                    output.set("/label", "REJECT");
                    output.set("/pass", false);
                    output.set("/reason", "DFlash accuracy gate failed: SPEC_AGREE=0.9375 (need >= 0.999)");
                });
            })
            .verified(&[]),
        classic("scorer-problems", "The problems of the guard are listed.")
            .change(claim("REJECT", false))
            .change(|m| {
                let problems = || Json::List(vec!["512 decode".into(), "4096 prefill".into()]);
                m.receipt.attestation.set("/measurements/qwen_guard/ok", false);
                m.receipt.attestation.set("/measurements/qwen_guard/problems", problems());
                m.change_output(|output| {
                    output.set("/guard/ok", false);
                    output.set("/guard/problems", problems());
                    output.set("/label", "REJECT");
                    output.set("/pass", false);
                    output.set("/reason", "qwen3.5/qwen3.6 no-regression guard failed: 512 decode; 4096 prefill");
                });
            })
            .verified(&[]),
    ]
}

/// How Python ends where a number is missing.
const TRACE: &str = "Traceback (most recent call last):\n  File \"/submission/score.py\", line 72, in score\nTypeError: no number\n";

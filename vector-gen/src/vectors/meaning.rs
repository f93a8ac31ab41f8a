//! The verdict that the enclave signed against the one that is claimed, and the provenance that is asked for.

use super::{Vector, any_output, claim, classic, echo, k3};
use crate::json::{Json, token};
use crate::receipt::{Material, dflash_output};

pub(super) fn vectors() -> Vec<Vector> {
    let mut vectors = verdicts();
    vectors.extend(provenance());
    vectors
}

/// The enclave refuses.
fn refuse(material: &mut Material) {
    let measurements = material.receipt.attestation.at("/measurements");
    measurements.set("/qwen_guard/ok", false);
    let output = dflash_output(measurements, false);
    material.receipt.output = output;
}

/// The enclave's two words disagree.
const REJECT_AND_PASS: &str = "{\"label\": \"REJECT\", \"pass\": true}\n";

fn verdicts() -> Vec<Vector> {
    let contradicts = &["verdict.contradicts-enclave"];
    let numbers = &["verdict.numbers-contradict-enclave"];
    let output = |id: &str, rule: &str, change: fn(&mut Json)| k3(id, rule).change(move |m| m.change_output(change));
    vec![
        classic("verdict-both-reject", "A refused run is a good receipt of a refusal.")
            .change(refuse)
            .change(claim("REJECT", false))
            .verified(&[]),
        classic("verdict-enclave-refuses", "A claimed pass that the enclave refused is a contradiction.")
            .change(refuse)
            .invalid(contradicts),
        classic("verdict-enclave-refuses-tolerant", "A policy may weaken that contradiction, never silence it.")
            .change(refuse)
            .policy("tolerant")
            .thin(contradicts),
        output("verdict-enclave-refuses-k3", "A label and pass that the enclave changed to a refusal are a contradiction.", |output| {
            output.set("/label", "REJECT");
            output.set("/pass", false);
        })
        .invalid(contradicts),
        output("verdict-other-tier", "Another tier than the enclave's is a contradiction.", |output| {
            output.set("/label", "S");
        })
        .invalid(contradicts),
        classic("verdict-stricter", "A claim that is worse than the enclave's verdict may have had other gates.")
            .change(claim("REJECT", false))
            .thin(&["verdict.stricter"]),
        classic("verdict-stricter-label", "A claim of REJECT is worse, whatever pass it claims.")
            .change(claim("REJECT", true))
            .thin(&["verdict.stricter"]),
        classic("verdict-stricter-pass", "So is a claim of a tier that does not pass.")
            .change(|m| m.receipt.attestation.set("/verdict/pass", false))
            .thin(&["verdict.stricter"]),
        echo("verdict-not-attested", "Where the enclave's output holds neither label nor pass, the verdict is the producer's word.")
            .thin(&["verdict.not-attested"]),
        any_output(
            "verdict-script-crashed",
            "An output that is not a result is named as such; the quote is genuine all the same.",
            "Traceback (most recent call last):\n  TestError: no result\n",
        )
        .thin(&["verdict.script-crashed"]),
        any_output(
            "verdict-output-lone-surrogate",
            "An output that another reader could read as a refusal is no crash: its verdict is not known.",
            "{\"label\": \"REJECT\", \"pass\": false, \"node\": \"\\ud800\"}\n",
        )
        .unverifiable(&["verdict.output-unreadable"]),
        any_output(
            "verdict-output-two-lines",
            "An output with a line before its result is not read by guessing.",
            "warming up\n{\"label\": \"REJECT\", \"pass\": false}\n",
        )
        .unverifiable(&["verdict.output-unreadable"]),
        any_output(
            "verdict-pass-as-text",
            "A pass that is a text is of no form that scorers write: it is not known what it says.",
            "{\"label\": \"ok\", \"pass\": \"false\"}\n",
        )
        .unverifiable(&["verdict.output-unreadable"]),
        any_output("verdict-label-unknown", "A label that no scorer writes is not guessed.", "{\"label\": \"REJECT \", \"pass\": true}\n")
            .unverifiable(&["verdict.output-unreadable"]),
        any_output(
            "verdict-other-tier-odd-pass",
            "Another tier contradicts, whatever stands in pass.",
            "{\"label\": \"XS\", \"pass\": \"false\"}\n",
        )
        .invalid(&["verdict.contradicts-enclave", "verdict.output-unreadable"]),
        any_output(
            "verdict-other-tier-refused",
            "Two refusals of different tiers contradict each other.",
            "{\"label\": \"S\", \"pass\": false}\n",
        )
        .change(claim("XL", false))
        .invalid(contradicts),
        any_output(
            "verdict-other-tier-stricter",
            "A better tier that does not pass is not a stricter claim.",
            "{\"label\": \"S\", \"pass\": true}\n",
        )
        .change(claim("XL", false))
        .invalid(contradicts),
        any_output("verdict-output-empty", "An empty output attests no verdict.", "").thin(&["verdict.not-attested"]),
        any_output("verdict-output-array", "A result inside of an array is not read by guessing.", "[{\"label\": \"REJECT\"}]\n")
            .unverifiable(&["verdict.output-unreadable"]),
        any_output(
            "verdict-crash-after-warning",
            "A warning may stand before the trace.",
            "DeprecationWarning: x\nTraceback (most recent call last):\n  TestError\n",
        )
        .thin(&["verdict.script-crashed"]),
        any_output(
            "verdict-commit-as-number",
            "A commit that is no text is of no form that scorers write.",
            "{\"label\": \"ok\", \"pass\": true, \"commit\": 1234567}\n",
        )
        .unverifiable(&["verdict.output-unreadable"]),
        any_output("verdict-reject-decides", "A REJECT refuses, whatever pass says beside it.", REJECT_AND_PASS).invalid(contradicts),
        any_output("verdict-reject-decides-label", "A claim of REJECT that passes contradicts a REJECT.", REJECT_AND_PASS)
            .change(claim("REJECT", true))
            .invalid(contradicts),
        any_output("verdict-reject-decides-pass", "A claim of a tier that does not pass contradicts a REJECT.", REJECT_AND_PASS)
            .change(claim("XL", false))
            .invalid(contradicts),
        any_output("verdict-reject-agrees", "A claim that refuses agrees with a REJECT.", REJECT_AND_PASS)
            .change(claim("REJECT", false))
            .verified(&[]),
        classic("verdict-infinite-gain", "A claimed number that is infinite measures nothing.")
            .change(|m| m.receipt.attestation.set("/verdict/pct_over_frontier", token("Infinity")))
            .thin(&["json.non-finite", "verdict.number-not-finite"]),
        output("verdict-commit-prefix", "A commit in the output that begins the claimed one agrees with it.", |output| {
            output.set("/commit", "0123456789");
        })
        .thin(&[]),
        output("verdict-other-commit", "A commit in the output that does not begin the claimed one contradicts it.", |output| {
            output.set("/commit", "fedcba9");
        })
        .invalid(&["verdict.commit-contradicts-enclave"]),
        output("verdict-other-speed", "A claimed speed is the one in the output.", |output| {
            output.set("/tps", token("110.5"));
        })
        .invalid(numbers),
        k3("verdict-withheld-accuracy", "Null in the place of a number that the output has is another value.")
            .change(|m| m.receipt.attestation.set("/measurements/primary/kl", token("null")))
            .invalid(numbers),
        output("verdict-other-gain", "A claimed gain is the one in the output.", |output| {
            output.set("/pct_over_frontier", token("3.4"));
        })
        .invalid(numbers),
        output("verdict-other-accuracy", "A claimed accuracy is the one in the output.", |output| {
            output.set("/top1", token("0.91"));
        })
        .invalid(numbers),
        output("verdict-rounded", "Numbers agree when they are the same after rounding to six places.", |output| {
            output.set("/kl", token("0.0123464"));
        })
        .thin(&[]),
        output("verdict-beyond-rounding", "A difference that rounding keeps is a contradiction.", |output| {
            output.set("/kl", token("0.012347"));
        })
        .invalid(numbers),
    ]
}

fn provenance() -> Vec<Vector> {
    let clocks = "provenance.clocks-unpinned";
    let build = "provenance.build-hash-absent";
    let reference = "provenance.llamacpp-commit-absent";
    let model = "provenance.model-sha256-absent";
    let seed = "provenance.eval-seed-absent";
    let text = |id: &str, rule: &str, pointer: &'static str, value: String, code: &'static str| {
        classic(id, rule).change(move |m| m.receipt.attestation.set(pointer, value.as_str())).thin(&[code])
    };
    let build_hash = "/code/build_hash";
    let llamacpp = "/references/llamacpp_commit";
    let eval_seed = "/references/eval_seed";
    vec![
        classic("provenance-clocks", "Speed with free clocks cannot be reproduced: thin, not false.")
            .change(|m| m.receipt.attestation.set("/environment/clocks_pinned", false))
            .thin(&[clocks]),
        classic("provenance-clocks-no-target", "Clocks that are pinned to nothing are not pinned.")
            .change(|m| m.receipt.attestation.set("/environment/pin_target_mhz", 0))
            .thin(&[clocks]),
        text("provenance-build-empty", "A build hash is there.", build_hash, String::new(), build),
        text("provenance-build-zeros", "Zeros are no build hash.", build_hash, "0".repeat(64), build),
        text("provenance-build-short", "A build hash has 64 hex digits.", build_hash, "ab12".repeat(10), build),
        text("provenance-reference-empty", "The reference's commit is there.", llamacpp, String::new(), reference),
        text("provenance-reference-short", "The reference's commit has 40 hex digits.", llamacpp, "abcdef0".to_owned(), reference),
        text("provenance-model-zeros", "Zeros are no hash of weights.", "/references/model_sha256", "0".repeat(64), model),
        k3("provenance-model-empty", "The hash of the weights is there.")
            .change(|m| m.receipt.attestation.set("/references/model_sha256", ""))
            .thin(&[model]),
        text("provenance-seed-empty", "The evaluation seed is there.", eval_seed, String::new(), seed),
        text("provenance-seed-blank", "Blanks are no seed.", eval_seed, "   ".to_owned(), seed),
        text("provenance-seed-dots", "Punctuation is no seed.", eval_seed, "....".to_owned(), seed),
        text("provenance-seed-unknown", "A placeholder is no seed.", eval_seed, "unknown".to_owned(), seed),
        k3("provenance-all", "Everything that is thin is named at once, and none of it is a fraud.")
            .change(without_provenance)
            .thin(&[clocks, build, reference, model, seed]),
        k3("provenance-all-authenticity", "The policy authenticity asks for genuine evidence only; what is thin is noted.")
            .change(without_provenance)
            .policy("authenticity")
            .verified(&[clocks, build, reference, model, seed]),
        k3("provenance-all-and-forged", "A forged receipt that is thin too is forged.")
            .change(without_provenance)
            .change(|m| m.quote.afterwards.add(|quote| quote[crate::quote::SIGNATURE + 10] ^= 1))
            .invalid(&[clocks, build, reference, model, seed, "quote.signature-wrong"]),
    ]
}

fn without_provenance(material: &mut Material) {
    let attestation = &mut material.receipt.attestation;
    attestation.set("/environment/clocks_pinned", false);
    for pointer in ["/code/build_hash", "/references/llamacpp_commit", "/references/model_sha256", "/references/eval_seed"] {
        attestation.set(pointer, "");
    }
}

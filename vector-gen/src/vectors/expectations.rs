//! What a caller expects of a receipt.

use data_encoding::BASE64;

use super::{Outcome, Vector, classic, echo, k3};
use crate::json::token;
use crate::pki::sha256;
use crate::receipt::{COMMIT, DFLASH_SCORER, IMAGE_NAME, MODEL_NAME, digest};

pub(super) fn vectors() -> Vec<Vector> {
    [bound(), commits(), asserted(), absent(), values()].into_iter().flatten().collect()
}

const DIFFERS: &[&str] = &["expectation.value-differs"];
const ASSERTED: &[&str] = &["expectation.only-asserted"];
const ABSENT: &[&str] = &["expectation.absent"];

fn bound() -> Vec<Vector> {
    let [model, image, key] = [digest(MODEL_NAME), format!("sha256:{}", digest(IMAGE_NAME)), BASE64.encode(&sha256("test requester key"))];
    let nonce = digest(format!("{COMMIT}{model}00112233aabbccdd"));
    vec![
        classic("expect-bound", "Expected values that the evidence carries are met.")
            .expecting(&[
                &format!("model={model}"),
                &format!("image={image}"),
                &format!("scorer={DFLASH_SCORER}"),
                &format!("key={key}"),
                "pass=true",
                "/attestation/references/eval_seed=00112233aabbccdd",
                &format!("/tdx/nonce={nonce}"),
            ])
            .verified(&[]),
        classic("expect-receipt-id", "The receipt id follows from the bound output, so the evidence carries it.")
            .expecting(&["/receipt_id=63113c7e525ca0a7da6895c201d0bb3b"])
            .verified(&[]),
        classic("expect-other-image", "A bound image that is not the expected one is refused.")
            .expecting(&[&format!("image=sha256:{}", digest("another image"))])
            .invalid(DIFFERS),
        classic("expect-other-pass", "A boolean that is not the expected one is refused.").expecting(&["pass=false"]).invalid(DIFFERS),
        classic("expect-one-of-two", "Every expectation has to be met.")
            .expecting(&["pass=true", &format!("model={}", digest("other weights"))])
            .invalid(DIFFERS),
        classic("expect-forged", "A value is not carried by a quote that does not hold.")
            .change(|m| m.quote.afterwards.add(|quote| quote[crate::quote::SIGNATURE] ^= 1))
            .expecting(&["pass=true"])
            .invalid(&["quote.signature-wrong", "expectation.only-asserted"]),
        classic("expect-not-json", "Where nothing can be read, an expectation is not judged, and the receipt is no better for it.")
            .change(|m| m.receipt.bytes.add(Vec::clear))
            .expecting(&["pass=true"])
            .only(Outcome::Invalid, &["json.malformed"]),
    ]
}

fn commits() -> Vec<Vector> {
    let k3 = |id: &str, rule: &str| k3(id, rule).policy("input-not-needed");
    let whole = format!("commit={COMMIT}");
    let other_output = |vector: Vector| vector.change(|m| m.change_output(|output| output.set("/commit", "89abcde")));
    vec![
        classic("expect-commit", "A commit that the nonce binds is met in full.").expecting(&[&whole]).verified(&[]),
        classic("expect-commit-beginning", "The beginning of a commit is enough.").expecting(&["commit=0123456"]).verified(&[]),
        classic("expect-other-commit", "Another commit is refused.").expecting(&["commit=0123457"]).invalid(DIFFERS),
        k3("expect-commit-bound-digits", "The digits that the enclave's output repeats are carried by the quote.")
            .expecting(&["commit=0123456"])
            .verified(&[]),
        k3("expect-commit-one-digit-more", "A digit beyond those that the output repeats is the producer's word.")
            .expecting(&["commit=01234567"])
            .thin(ASSERTED),
        k3("expect-commit-whole-unbound", "So is the whole commit where only its beginning is bound.").expecting(&[&whole]).thin(ASSERTED),
        k3("expect-commit-last-digit-unbound", "All digits but one are bound: the last one is the producer's word all the same.")
            .change(|m| m.change_output(|output| output.set("/commit", &COMMIT[..39])))
            .expecting(&[&whole])
            .thin(ASSERTED),
        other_output(k3("expect-commit-bound-otherwise", "The bound digits decide, whatever commit the receipt claims."))
            .expecting(&["commit=0123456"])
            .invalid(&["expectation.value-differs", "verdict.commit-contradicts-enclave"]),
        other_output(super::k3("accept-commit-bound-otherwise", "The bound digits decide for a pinned commit too."))
            .policy("accept-commit")
            .invalid(&["pin.value-differs", "verdict.commit-contradicts-enclave"]),
        k3("expect-commit-claimed-short", "A receipt that itself holds only the beginning says no more than that.")
            .change(|m| m.receipt.attestation.set("/code/commit", "0123456"))
            .expecting(&[&whole])
            .thin(ASSERTED),
        k3("expect-commit-with-a-tail", "What begins like the expected commit but is no commit is refused.")
            .change(|m| m.receipt.attestation.set("/code/commit", format!("{COMMIT}-dirty")))
            .expecting(&[&whole])
            .invalid(DIFFERS),
        k3("expect-other-commit-of-the-receipt", "The digits in the output bind the commit under test, and no other.")
            .expecting(&["/attestation/code/scoring_scripts_commit=0123456"])
            .thin(ASSERTED),
        classic("expect-reference-commit", "Other commits may be shortened too; nothing binds them.")
            .expecting(&[&format!("/attestation/references/llamacpp_commit={}", &digest("test reference")[..10])])
            .thin(ASSERTED),
    ]
}

fn asserted() -> Vec<Vector> {
    vec![
        classic("expect-repository", "An expected value that nothing binds is the producer's word.")
            .expecting(&["repo=https://git.example/engine"])
            .thin(ASSERTED),
        classic("expect-other-repository", "A value that is not the expected one is refused, bound or not.")
            .expecting(&["repo=https://git.example/other"])
            .invalid(DIFFERS),
        classic("expect-label-not-in-output", "A tier that the output does not repeat is the producer's word.")
            .expecting(&["label=L"])
            .thin(ASSERTED),
        k3("expect-label-in-output", "A tier that the bound output repeats is carried by it.")
            .policy("input-not-needed")
            .expecting(&["label=L"])
            .verified(&[]),
        classic("expect-chain-index", "Nor does anything bind what stands beside attestation and evidence.")
            .expecting(&["/chain/chain_index=0"])
            .thin(ASSERTED),
        classic("expect-type-of-evidence", "What the receipt calls itself is bound by nothing.")
            .expecting(&["/attestation_type=tdx-quote"])
            .thin(ASSERTED),
    ]
}

fn absent() -> Vec<Vector> {
    vec![
        classic("expect-absent", "Where the receipt says nothing, nothing could be compared.")
            .expecting(&["/attestation/code/branch=main"])
            .unverifiable(ABSENT),
        classic("expect-null", "A value that was not recorded says nothing.")
            .expecting(&["/attestation/verdict/score_context=128"])
            .unverifiable(ABSENT),
        classic("expect-empty", "Nor does an empty text.").expecting(&["/attestation/verdict/best_context_label=128"]).unverifiable(ABSENT),
        classic("expect-container", "An object with members is no single value.").expecting(&["/attestation/code={}"]).unverifiable(ABSENT),
        classic("accept-absent", "A pinned field that the receipt leaves empty says nothing.")
            .policy("accept-repository")
            .change(|m| m.receipt.attestation.set("/code/repo", ""))
            .unverifiable(&["pin.absent"]),
    ]
}

fn values() -> Vec<Vector> {
    let number = "/attestation/measurements/dflash/pr_dflash_tps";
    vec![
        classic("expect-number", "A number is expected by its decimal value.")
            .expecting(&[&format!("{number}=120.50"), &format!("{number}=1.205e2")])
            .verified(&[]),
        classic("expect-other-number", "Numbers are not rounded.").expecting(&[&format!("{number}=120.5000001")]).invalid(DIFFERS),
        classic("expect-digits-beyond-a-double", "Nor are digits lost that a double cannot hold.")
            .change(|m| m.receipt.attestation.set("/environment/clock_mhz", token("9007199254740993")))
            .expecting(&["/attestation/environment/clock_mhz=9007199254740992"])
            .invalid(DIFFERS),
        classic("expect-text-for-number", "A text that is no number is not a number of the receipt.")
            .expecting(&[&format!("{number}=fast")])
            .invalid(DIFFERS),
        classic("expect-null-as-such", "null can be expected; here nothing binds it.")
            .expecting(&["/attestation/verdict/score_context=null"])
            .thin(ASSERTED),
        classic("expect-empty-as-such", "So can an empty text, and an empty list.")
            .expecting(&["/attestation/verdict/best_context_label=", "/attestation/verdict/regression_labels=[]"])
            .thin(ASSERTED),
        echo("expect-list-index", "A pointer leads into lists and through escapes.")
            .change(|m| {
                m.receipt.attestation.set("/verdict/regression_labels", crate::json::parse("[\"a\", \"b\"]"));
                m.receipt.attestation.set("/verdict/context_gains_pct", crate::json::parse("{\"1/2~\": 3}"));
            })
            .expecting(&["/attestation/verdict/regression_labels/1=b", "/attestation/verdict/context_gains_pct/1~12~0=3"])
            .thin(&["expectation.only-asserted", "verdict.not-attested"]),
    ]
}

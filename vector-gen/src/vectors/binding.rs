//! What ties the fields of a receipt to its quote.

use super::{Vector, classic, k3};
use crate::json::{Json, token};
use crate::quote::{BODY, SIGNATURE_LENGTH};
use crate::receipt::{COMMIT, SCORER, digest};

pub(super) fn vectors() -> Vec<Vector> {
    let mut vectors = report_data();
    vectors.extend(hashes());
    vectors.extend(nonce());
    vectors
}

/// A vector whose finished receipt is changed.
pub(super) fn edited(base: Vector, edit: fn(&mut Json)) -> Vector {
    base.change(move |m| m.receipt.afterwards.add(edit))
}

fn report_data() -> Vec<Vector> {
    let mismatch = &["binding.report-data-mismatch"];
    vec![
        edited(k3("binding-nonce", "The quote covers the nonce."), |receipt| {
            receipt.set("/tdx/nonce", "beef".repeat(8));
        })
        .invalid(mismatch),
        edited(classic("binding-requester-key", "The quote covers the requester's key."), |receipt| {
            receipt.set("/tdx/e2e_pubkey_b64", data_encoding::BASE64.encode(&[7; 32]));
        })
        .invalid(mismatch),
        edited(classic("binding-image", "The quote covers the digest of the image."), |receipt| {
            receipt.set("/tdx/bound_digest", format!("sha256:{}", digest("another image")));
        })
        .policy("any-machine")
        .invalid(mismatch),
        edited(classic("binding-output-rewritten", "A rewritten output with a matching hash is not what the quote covers."), |receipt| {
            let output = "{\"label\": \"ok\", \"pass\": true, \"note\": \"rewritten\"}\n";
            let result = digest(output);
            let quote = receipt.text("/tdx/quote_b64");
            receipt.set("/tdx/stdout_b64", data_encoding::BASE64.encode(output.as_bytes()));
            receipt.set("/receipt_id", &digest(format!("{}{result}", &quote[..64]))[..32]);
            receipt.set("/tdx/result_sha256", result);
        })
        .invalid(&["binding.report-data-mismatch", "scorer.output-differs"]),
        edited(classic("binding-files-rewritten", "A rewritten manifest with a matching hash is not what the quote covers."), |receipt| {
            let input = receipt.text("/_expected/result_sha256");
            let manifest = format!("/submission/result.json\t{input}\n/submission/score.py\t{SCORER}\n");
            receipt.set("/_expected/scoring_sha256", SCORER);
            receipt.set("/tdx/files_sha256", digest(manifest));
        })
        .invalid(&["binding.report-data-mismatch", "scorer.output-differs"]),
        classic("binding-other-run", "A genuine quote of another run does not carry over.")
            .change(|m| {
                m.quote.afterwards.add(|quote| {
                    let data = &mut quote[BODY + 520..SIGNATURE_LENGTH];
                    data.copy_from_slice(&[crate::pki::sha256("another nonce"), crate::pki::sha256("another run")].concat());
                    let key = crate::pki::Key::named("attestation key");
                    let signature = key.sign(&quote[..SIGNATURE_LENGTH]);
                    quote[crate::quote::SIGNATURE..crate::quote::ATTESTATION_KEY].copy_from_slice(&signature);
                });
            })
            .invalid(mismatch),
        classic("binding-and-signature", "Independent faults are all named: the bindings are compared under a wrong signature too.")
            .change(|m| m.quote.afterwards.add(|quote| quote[BODY + 520] ^= 1))
            .invalid(&["binding.report-data-mismatch", "quote.signature-wrong"]),
    ]
}

fn hashes() -> Vec<Vector> {
    vec![
        edited(classic("binding-output", "The output is the one that result_sha256 names."), |receipt| {
            receipt.set("/tdx/stdout_b64", data_encoding::BASE64.encode(b"{\"label\": \"ok\", \"pass\": true}\n"));
        })
        .invalid(&["binding.output-hash-mismatch"]),
        edited(classic("binding-scorer", "The scorer is the one in the manifest of files."), |receipt| {
            receipt.set("/_expected/scoring_sha256", SCORER);
        })
        .invalid(&["binding.files-manifest-mismatch"]),
        edited(classic("binding-submitted-result", "The submitted input is the one in the manifest of files."), |receipt| {
            receipt.set("/_expected/result_sha256", digest("another input"));
        })
        .invalid(&["binding.files-manifest-mismatch"]),
        edited(classic("binding-receipt-id", "receipt_id follows from the quote and the output."), |receipt| {
            receipt.set("/receipt_id", "0".repeat(32));
        })
        .invalid(&["binding.receipt-id-mismatch"]),
    ]
}

fn nonce() -> Vec<Vector> {
    let mismatch = &["binding.nonce-mismatch"];
    vec![
        edited(classic("nonce-commit", "The nonce covers the commit."), |receipt| {
            receipt.set("/attestation/code/commit", COMMIT.chars().rev().collect::<String>());
        })
        .invalid(mismatch),
        edited(
            classic("nonce-commit-and-input", "Under a wrong nonce nobody knows what was submitted: other measurements are no fraud more."),
            |receipt| {
                receipt.set("/attestation/code/commit", COMMIT.chars().rev().collect::<String>());
            },
        )
        .change(|m| {
            let doctored = |receipt: &mut Json| receipt.set("/attestation/measurements/dflash/pr_dflash_tps", token("241.0"));
            m.receipt.afterwards.add(doctored);
        })
        .invalid(mismatch),
        edited(classic("nonce-model", "The nonce covers the model's hash."), |receipt| {
            receipt.set("/attestation/references/model_sha256", digest("other weights"));
        })
        .invalid(mismatch),
        edited(classic("nonce-seed", "The nonce covers the evaluation seed."), |receipt| {
            receipt.set("/attestation/references/eval_seed", "ffeeddccbbaa0099");
        })
        .invalid(mismatch),
        k3("nonce-random", "A random nonce binds no provenance and leads to no input: thinner, not false.").thin(&[]),
        k3("nonce-random-tolerated", "A policy may accept that the input is not recovered.").policy("input-not-needed").verified(&[]),
        edited(k3("nonce-random-model", "With a random nonce nothing binds the model's hash."), |receipt| {
            receipt.set("/attestation/references/model_sha256", digest("other weights"));
        })
        .thin(&[]),
    ]
}

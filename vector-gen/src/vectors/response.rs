//! The attestation service's own response, the note that wraps one, and documents that only look like receipts.

use data_encoding::BASE64;

use super::{Outcome, Vector};
use crate::json::{self, Json, token};
use crate::receipt::{Envelope, Material, Nonce, Response, digest, k3_input};

const PROVENANCE: [&str; 5] = [
    "provenance.build-hash-absent",
    "provenance.clocks-unpinned",
    "provenance.eval-seed-absent",
    "provenance.llamacpp-commit-absent",
    "provenance.model-sha256-absent",
];

pub(super) fn vectors() -> Vec<Vector> {
    let mut vectors = responses();
    vectors.extend(contents());
    vectors.extend(copies_and_shapes());
    vectors.extend(notes());
    vectors.extend(others());
    vectors
}

fn usual(more: &[&'static str]) -> Vec<&'static str> {
    [&PROVENANCE, more].concat()
}

/// Judged under `authenticity`: a response has no attestation block, and nothing leads to its input.
fn response(id: &str, rule: &str) -> Vector {
    Vector::new(id.into(), rule.into(), Material::response, &usual(&["input.not-recovered"])).policy("authenticity")
}

/// Likewise with egress log, task policy and artifacts.
fn full(id: &str, rule: &str) -> Vector {
    Vector::new(id.into(), rule.into(), Material::full_response, &usual(&["input.not-recovered"])).policy("authenticity")
}

/// A note, whose scorer is not known.
fn note(id: &str, rule: &str) -> Vector {
    Vector::new(id.into(), rule.into(), Material::note, &usual(&["scorer.unknown"])).policy("authenticity")
}

fn set(pointer: &'static str, value: impl Into<Json> + Clone + 'static) -> impl Fn(&mut Material) {
    move |material| {
        let value = value.clone();
        material.receipt.afterwards.add(move |receipt| receipt.set(pointer, value.clone()));
    }
}

/// No container image: the command is bound in its place.
fn without_image(material: &mut Material) {
    if let Envelope::Response(response) = &mut material.receipt.envelope {
        response.has_image = false;
    }
}

fn responses() -> Vec<Vector> {
    vec![
        response("response-verified", "A response whose bindings hold is genuine.").verified(&[]),
        response("response-tier", "A response records no figures from which a tier could be derived.")
            .score("test")
            .thin(&["pin.not-in-evidence"]),
        response("response-strict", "A response carries no attestation block, so it is thin under strict.")
            .policy("strict")
            .thin(&["enclave.unpinned", "image.unpinned"]),
        response("response-workload", "Where no image ran, the command is bound in its place.").change(without_image).verified(&[]),
        response("response-workload-strict", "Where no image ran, none can be pinned.")
            .change(without_image)
            .policy("strict")
            .thin(&["enclave.unpinned"]),
        response("response-workload-pinned", "A policy that pins images is not met where none ran.")
            .change(without_image)
            .policy("test")
            .thin(&["pin.not-in-evidence"]),
        response("response-unknown-command", "A bound command that is not known is named.")
            .change(without_image)
            .change(|m| m.receipt.command = "python3 /other.py")
            .verified(&["workload.unknown"]),
        response("response-nonce-edited", "Nonce and key are under the quote.")
            .change(set("/tee_attestation/nonce", "0123456789abcdef".repeat(2)))
            .invalid(&["binding.report-data-mismatch"]),
        response("response-output-edited", "The output is the bound one.")
            .change(set("/tee_attestation/stdout_b64", BASE64.encode(b"{}")))
            .change(set("/stdout", "{}"))
            .invalid(&["binding.output-hash-mismatch"]),
        response("response-file-edited", "The files are those of the manifest.")
            .change(|m| {
                m.receipt.afterwards.add(|receipt| {
                    let Json::Object(files) = receipt.at("/files") else { panic!("files") };
                    files[0].1 = digest("another input").into();
                })
            })
            .without("input.not-recovered")
            .invalid(&["binding.files-manifest-mismatch"]),
        response("response-files-swapped", "The order of the files in the response does not matter.")
            .change(|m| {
                m.receipt.sorted = false;
                m.receipt.afterwards.add(|receipt| {
                    let Json::Object(files) = receipt.at("/files") else { panic!("files") };
                    files.reverse();
                })
            })
            .verified(&[]),
        response("response-forged", "A response with a forged quote is invalid.")
            .change(|m| m.quote.afterwards.add(|quote| quote[crate::quote::SIGNATURE + 10] ^= 1))
            .invalid(&["quote.signature-wrong"]),
    ]
}

fn contents() -> Vec<Vector> {
    let mismatch = &["binding.content-mismatch"];
    let all = ["egress_log_b64", "task_policy", "artifacts"];
    vec![
        full("response-contents", "Egress log, task policy and artifacts hash to their bound digests.").verified(&[]),
        full("response-contents-edited-digest", "A digest that is bound cannot be edited together with its content.")
            .change(set("/egress_log_b64", BASE64.encode(b"nothing")))
            .change(set("/egress_log_sha256", digest("nothing")))
            .invalid(&["binding.report-data-mismatch"]),
        full("response-egress-edited", "The egress log is the bound one.")
            .change(set("/egress_log_b64", BASE64.encode(b"nothing")))
            .invalid(mismatch),
        full("response-policy-edited", "The task policy is the bound one.")
            .change(set("/task_policy/seconds", token("600.5")))
            .invalid(mismatch),
        full("response-artifact-edited", "The artifacts are the bound ones.").change(set("/artifacts/0/size", 8)).invalid(mismatch),
        full("response-artifact-unknown-member", "What else stands in an artifact is not hashed, so nothing carries it.")
            .change(set("/artifacts/0/enclave", "test"))
            .expecting(&["/artifacts/0/enclave=test", "/artifacts/0/size=7"])
            .thin(&["expectation.only-asserted", "receipt.unknown-member"]),
        full("response-contents-absent", "A digest whose content is not in the file may be that of something else.")
            .change(set("/egress_log_b64", ""))
            .change(set("/task_policy", Json::Object(Vec::new())))
            .change(set("/artifacts", Json::List(Vec::new())))
            .thin(&["binding.content-absent"]),
        full("response-policy-null", "A task policy of null is not shown.")
            .change(set("/task_policy", token("null")))
            .thin(&["binding.content-absent"]),
        full("response-contents-missing", "A response always has these members.")
            .change(move |m| m.receipt.afterwards.add(move |receipt| all.iter().for_each(|name| drop(receipt.remove(&format!("/{name}"))))))
            .flags(true, true)
            .invalid(&["receipt.missing-member"]),
        response("response-files-as-policy", "The digest of the files in the place of another is not called bound.")
            .change(|m| {
                m.receipt.afterwards.add(|receipt| {
                    let files = receipt.text("/files_sha256");
                    receipt.set("/files_sha256", "");
                    receipt.set("/files", Json::Object(Vec::new()));
                    receipt.set("/policy_sha256", files);
                })
            })
            .thin(&["binding.content-absent", "scorer.unknown"]),
        response("response-files-as-egress", "A manifest of files is no egress log.")
            .change(|m| {
                m.receipt.afterwards.add(|receipt| {
                    let files = receipt.text("/files_sha256");
                    let Json::Object(entries) = receipt.remove("/files") else { panic!("files") };
                    let manifest: String = entries
                        .iter()
                        .map(|(path, digest)| match digest {
                            Json::Text(digest) => format!("{path}\t{digest}\n"),
                            _ => panic!("a digest"),
                        })
                        .collect();
                    receipt.set("/files", Json::Object(Vec::new()));
                    receipt.set("/files_sha256", "");
                    receipt.set("/egress_log_b64", BASE64.encode(manifest.as_bytes()));
                    receipt.set("/egress_log_sha256", files);
                })
            })
            .flags(true, true)
            .invalid(&["receipt.malformed-field", "scorer.unknown"]),
        alone("response-artifacts-alone", "Artifacts may be all that is bound.", |response| response.task_policy = none())
            .verified(&["scorer.unknown"]),
        alone("response-artifacts-as-egress", "A list of artifacts is no egress log.", |response| response.task_policy = none())
            .change(|m| shown_as_egress(m, 2, [("/artifacts_sha256", "".into()), ("/artifacts", Json::List(Vec::new()))]))
            .flags(true, true)
            .invalid(&["receipt.malformed-field", "scorer.unknown"]),
        alone("response-policy-alone", "A task policy may be all that is bound.", |response| response.artifacts.clear())
            .verified(&["scorer.unknown"]),
        alone(
            "response-policy-as-egress",
            "A log that reads as a task policy may be one: which of the two was bound, nobody can say.",
            |response| {
                response.artifacts.clear();
            },
        )
        .change(|m| shown_as_egress(m, 1, [("/policy_sha256", "".into()), ("/task_policy", none())]))
        .thin(&["binding.content-absent", "scorer.unknown"]),
    ]
}

fn none() -> Json {
    Json::Object(Vec::new())
}

/// A response without files and without an egress log, so that the digest behind these can come to stand in their place.
fn alone(id: &str, rule: &str, change: fn(&mut Response)) -> Vector {
    full(id, rule).change(move |m| {
        let Envelope::Response(response) = &mut m.receipt.envelope else { panic!("a response") };
        response.has_files = false;
        response.egress_log.clear();
        change(response);
    })
}

/// Shows the content number `which` as an egress log, and `emptied` in the place of what it was.
fn shown_as_egress(material: &mut Material, which: usize, emptied: [(&'static str, Json); 2]) {
    let text = material.receipt.envelope.response().expect("a response").hashed()[which].clone();
    material.receipt.afterwards.add(move |receipt| {
        receipt.set("/egress_log_b64", BASE64.encode(text.as_bytes()));
        receipt.set("/egress_log_sha256", digest(&text));
        emptied.iter().for_each(|(pointer, empty)| receipt.set(pointer, empty.clone()));
    });
}

fn copies_and_shapes() -> Vec<Vector> {
    let differ = &["receipt.copies-differ"];
    let malformed = |id: &str, rule: &str, pointer: &'static str, value: String| response(id, rule).change(set(pointer, value));
    let image = format!("sha256:{}", digest("another image"));
    vec![
        response("response-copy-output", "The output as text is the output.").change(set("/stdout", "{\"pass\": true}\n")).invalid(differ),
        response("response-copy-image", "The image has one digest.").change(set("/image_digest", image.clone())).invalid(differ),
        response("response-image-other", "In image mode the image's digest is the bound one.")
            .change(set("/image_digest", image.clone()))
            .change(set("/tee_attestation/image_digest", image.clone()))
            .invalid(differ),
        response("response-image-hidden", "In workload mode the command's digest is the bound one.")
            .change(set("/image_digest", ""))
            .change(set("/tee_attestation/image_digest", ""))
            .invalid(differ),
        response("response-image-named", "An image may be named before its digest.")
            .change(|m| {
                m.receipt.afterwards.add(|receipt| {
                    let named = format!("python@{}", receipt.text("/image_digest"));
                    receipt.set("/image_digest", named.as_str());
                    receipt.set("/tee_attestation/image_digest", named);
                })
            })
            .verified(&[]),
        malformed("response-nonce-length", "A nonce has one of three lengths.", "/tee_attestation/nonce", "0".repeat(41))
            .without("input.not-recovered")
            .invalid(&["receipt.malformed-field"]),
        malformed("response-digest-upper-case", "A digest is in lower case.", "/egress_log_sha256", "A".repeat(64))
            .without("input.not-recovered")
            .invalid(&["receipt.malformed-field"]),
        response("response-path-with-tab", "A path that holds a separator of the manifest could hide another file.")
            .change(|m| m.receipt.afterwards.add(|receipt| receipt.add("/files", "/a\t/b", digest("a file"))))
            .flags(true, true)
            .only(Outcome::Invalid, &usual(&["receipt.malformed-field"])),
        response("response-version-1", "Another binding version has other formulas.")
            .change(set("/binding_version", 1))
            .only(Outcome::Unverifiable, &["receipt.version-unsupported"]),
        response("response-other-tee", "Another kind of evidence is not checked, and is no fraud.")
            .change(set("/tee_attestation/kind", "sev-snp"))
            .unverifiable(&["evidence.type-unsupported"]),
        response("response-and-signature", "A response beside a signature is refused.")
            .change(set("/signature", "AAAA"))
            .only(Outcome::Invalid, &["evidence.ambiguous"]),
        response("response-unknown-member", "A member that is not known is noted.")
            .change(set("/gpu", "none"))
            .verified(&["receipt.unknown-member"]),
    ]
}

fn notes() -> Vec<Vector> {
    let contradicts = &["verdict.contradicts-enclave"];
    vec![
        note("note-verified", "A note whose response, bundle and verdict belong together is genuine.").verified(&[]),
        note("note-strict", "A note carries no attestation block, so it is thin under strict.")
            .policy("strict")
            .thin(&["enclave.unpinned"]),
        note("note-other-bundle", "The bundle is the file that the enclave was given.")
            .change(set("/bundle/pr", 8))
            .invalid(&["binding.input-mismatch"]),
        note("note-other-head", "The nonce is the commit under test.")
            .change(set("/bundle/head", "89abcdef".repeat(5)))
            .invalid(&["binding.input-mismatch", "binding.nonce-mismatch"]),
        note("note-other-bundle-unknown-command", "Which file an unknown command reads is not known.")
            .change(|m| m.receipt.command = "python3 /other.py")
            .change(set("/bundle/pr", 8))
            .verified(&["input.not-recovered", "workload.unknown"]),
        note("note-random-nonce", "A random nonce binds no commit, and is no fault.")
            .change(|m| m.receipt.nonce = Nonce::Random("5eed".repeat(8)))
            .verified(&[]),
        note("note-other-verdict", "The verdict is the enclave's output.")
            .change(set("/verdict_doc/delta_pct", token("31.4")))
            .invalid(contradicts),
        note("note-other-label", "The label is that of the enclave's output.").change(set("/label", "eval:best")).invalid(contradicts),
        note("note-other-reason", "The reason is that of the enclave's output.").change(set("/reason", "")).invalid(contradicts),
        note("note-script-crashed", "A script that crashed gave no verdict.")
            .change(|m| m.receipt.output = "Traceback (most recent call last):\n  TestError: no result\n".to_owned())
            .thin(&["verdict.script-crashed"]),
        note("note-output-empty", "An empty output attests no verdict.")
            .change(|m| m.receipt.output = String::new())
            .verified(&["verdict.not-attested"]),
        note("note-output-array", "An output of a form that no scorer writes is not guessed at.")
            .change(|m| m.receipt.output = "[]\n".to_owned())
            .unverifiable(&["verdict.output-unreadable"]),
        note("note-without-bundle", "A note says what the enclave was given.")
            .change(|m| m.receipt.afterwards.add(|receipt| drop(receipt.remove("/bundle"))))
            .flags(true, true)
            .only(Outcome::Invalid, &["receipt.missing-member", "scorer.unknown"]),
        note("note-two-in-one-file", "A file holds one note.")
            .change(|m| {
                m.receipt.bytes.add(|bytes| {
                    let first = bytes.clone();
                    bytes.push(b'\n');
                    bytes.extend(first);
                })
            })
            .only(Outcome::Invalid, &["json.malformed"]),
        note("note-expect", "Short names of expectations mean the fields of a note, too.")
            .expecting(&["commit=0123456", "label=eval:faster"])
            .verified(&[]),
        note("note-expect-other-label", "The label of a note that is not the expected one is refused.")
            .expecting(&["label=eval:slower"])
            .invalid(&["expectation.value-differs"]),
        response("response-expect-commit", "A response says nothing of a commit, so none can be expected of it.")
            .expecting(&["commit=0123456"])
            .unverifiable(&["expectation.absent"]),
        response(
            "response-input-given",
            "A response leads to no input, but a given one is proven by its digest and its scorer is run again.",
        )
        .given(k3_input().indented())
        .without("input.not-recovered")
        .verified(&[]),
        response("response-input-other", "A given input that is not the one among the files refutes what was expected.")
            .given("{}".to_owned())
            .without("input.not-recovered")
            .invalid(&["input.given-differs"]),
        response("response-scorer-differs", "A known scorer that does not print the output of a response on its input did not make it.")
            .change(|m| m.receipt.output = m.receipt.output.trim_end().to_owned())
            .given(k3_input().indented())
            .without("input.not-recovered")
            .invalid(&["scorer.output-differs"]),
        note("note-input-given-other", "A note holds its input; another one that is given is not it.")
            .given("{}".to_owned())
            .invalid(&["input.given-differs"]),
        note("note-accept-head", "A policy's commits are the heads of notes.").policy("accept-commit").thin(&["pin.not-in-evidence"]),
    ]
}

fn others() -> Vec<Vector> {
    let other = |id: &str, rule: &str, document: &'static str| {
        response(id, rule).change(move |m| m.receipt.afterwards.add(move |receipt| *receipt = json::parse(document)))
    };
    let issuer = &["receipt.issuer-only"];
    vec![
        other(
            "issuer-customer-receipt",
            "An issuer's signed statement without a quote is named as that.",
            r#"{"schema": "cathedral_customer_receipt_v1", "intel_verified": true, "signature": {"algorithm": "ed25519", "value_base64": ""}}"#,
        )
        .only(Outcome::Unverifiable, issuer),
        other(
            "issuer-customer-receipt-wrapped",
            "It is named inside of another document too.",
            r#"{"expected": {}, "receipt": {"schema": "cathedral_customer_receipt_v1", "intel_verified": true}}"#,
        )
        .only(Outcome::Unverifiable, issuer),
        other(
            "issuer-inference-receipt",
            "A validator's signed statement without a quote is named as that.",
            r#"{"schema": "cathedral_ml_inference_receipt_v1", "attestation": {"kind": "none"}, "signature": {"algorithm": "sr25519"}}"#,
        )
        .only(Outcome::Unverifiable, issuer),
        other("other-wrapped-document", "A receipt inside of an unknown document is not guessed at.", r#"{"receipt": {"polaris_version": 1}}"#)
            .only(Outcome::Unverifiable, &["receipt.envelope-unsupported"]),
    ]
}

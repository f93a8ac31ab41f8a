//! JSON, the receipt's own structure, and which evidence it carries.

use super::{Outcome, Vector, classic, k3, replace};
use crate::json::{self, token};
use crate::receipt::{Material, Nonce};

pub(super) fn vectors() -> Vec<Vector> {
    let mut vectors = json_faults();
    vectors.extend(structure());
    vectors.extend(bound_fields());
    vectors.extend(base64());
    vectors.extend(timestamps());
    vectors.extend(evidence());
    vectors
}

fn json_faults() -> Vec<Vector> {
    let malformed = |id: &str, rule: &str, edit: fn(&mut Vec<u8>)| {
        classic(id, rule).change(move |m| m.receipt.bytes.add(edit)).only(Outcome::Invalid, &["json.malformed"])
    };
    vec![
        malformed("json-empty", "An empty file is not JSON.", Vec::clear),
        malformed("json-cut", "A file that ends early is not JSON.", |bytes| bytes.truncate(4000)),
        malformed("json-two-documents", "Nothing but white space may follow the receipt.", |bytes| {
            bytes.extend_from_slice(b"\n{}");
        }),
        malformed("json-byte-order-mark", "A byte order mark is not part of JSON.", |bytes| {
            bytes.splice(0..0, *b"\xef\xbb\xbf");
        }),
        malformed("json-not-utf8", "A receipt is UTF-8.", |bytes| {
            let at = bytes.iter().position(|byte| *byte == b'P').expect("there is a P");
            bytes[at] = 0xe9;
        }),
        malformed("json-trailing-comma", "A comma may not stand before a closing brace.", |bytes| {
            let end = bytes.len() - 2;
            bytes.splice(end..end, *b",");
        }),
        malformed("json-form-feed", "White space is blank, tab and line ends.", |bytes| {
            bytes.splice(1..1, *b"\x0c");
        }),
        malformed("json-escape-sign", "An escape has four hex digits and no sign.", |bytes| {
            replace(bytes, r#""label": "L""#, r#""lab\u+65l": "L""#);
        }),
        malformed("json-escape-pair", "The second half of a surrogate pair is a second half.", |bytes| {
            replace(bytes, r#""label": "L""#, r#""label": "\ud800\ue000""#);
        }),
        malformed("json-last-control", "Control characters up to 1F are escaped.", |bytes| {
            replace(bytes, r#""label": "L""#, "\"label\": \"\u{1f}\"");
        }),
        classic("json-final-newline", "White space after the receipt is harmless.")
            .change(|m| m.receipt.bytes.add(|bytes| bytes.extend_from_slice(b"\n\n")))
            .verified(&[]),
        classic("json-duplicate-key", "A member that stands twice is refused, whichever value a reader would pick.")
            .change(|m| {
                m.receipt.bytes.add(|bytes| replace(bytes, r#""label": "L""#, r#""label": "XL", "label": "L""#));
            })
            .only(Outcome::Invalid, &["json.duplicate-key"]),
        classic("json-duplicate-key-escaped", "An escape in a name does not make it another name.")
            .change(|m| {
                m.receipt.bytes.add(|bytes| replace(bytes, r#""label": "L""#, r#""l\u0061bel": "XL", "label": "L""#));
            })
            .only(Outcome::Invalid, &["json.duplicate-key"]),
        classic("json-number-overflow", "A number that no double holds is refused.")
            .change(|m| m.receipt.attestation.set("/verdict/pct_over_frontier", token("1e999")))
            .only(Outcome::Invalid, &["json.number-overflow"]),
        k3("json-infinity", "A bare Infinity is no JSON; it thins the receipt and is no fraud.")
            .change(|m| m.receipt.attestation.set("/measurements/primary/ctx_128_tps", token("Infinity")))
            .thin(&["json.non-finite"]),
        k3("json-nan-tolerated", "A policy may read a bare NaN as a note.")
            .change(|m| m.receipt.attestation.set("/measurements/primary/ctx_128_tps", token("NaN")))
            .policy("tolerant")
            .verified(&["json.non-finite"]),
        classic("json-array", "A receipt is an object.")
            .change(|m| m.receipt.bytes.add(|bytes| *bytes = b"[]".to_vec()))
            .only(Outcome::Invalid, &["receipt.wrong-type"]),
    ]
}

fn structure() -> Vec<Vector> {
    vec![
        classic("receipt-timestamp-number", "A timestamp is a text.")
            .change(|m| m.receipt.attestation.set("/timestamp_utc", token("1785758400")))
            .invalid(&["receipt.wrong-type"]),
        classic("receipt-quote-number", "A quote is a text.")
            .change(|m| m.receipt.afterwards.add(|receipt| receipt.set("/tdx/quote_b64", token("4"))))
            .flags(false, false)
            .invalid(&["receipt.wrong-type"]),
        classic("receipt-version-boolean", "A version is a number; true is not 1.")
            .change(|m| m.receipt.afterwards.add(|receipt| receipt.set("/polaris_version", true)))
            .invalid(&["receipt.wrong-type"]),
        classic("receipt-repository-number", "A repository is a text.")
            .change(|m| m.receipt.attestation.set("/code/repo", token("4")))
            .invalid(&["receipt.wrong-type"]),
        classic("receipt-measurement-text", "A measurement is a number.")
            .change(|m| m.receipt.attestation.set("/measurements/dflash/pr_dflash_tps", "120.5"))
            .invalid(&["receipt.wrong-type"]),
        classic("receipt-version-2", "An unknown format version cannot be judged, and is no fraud.")
            .change(|m| m.receipt.afterwards.add(|receipt| receipt.set("/polaris_version", 2)))
            .only(Outcome::Unverifiable, &["receipt.version-unsupported"]),
        classic("receipt-version-huge", "So is one that no number type holds.")
            .change(|m| m.receipt.afterwards.add(|receipt| receipt.set("/polaris_version", token("1000000000000000000000000000000"))))
            .only(Outcome::Unverifiable, &["receipt.version-unsupported"]),
        classic("receipt-version-fraction", "A version is written as a whole number; 1.0 is another text.")
            .change(|m| m.receipt.afterwards.add(|receipt| receipt.set("/polaris_version", token("1.0"))))
            .invalid(&["receipt.wrong-type"]),
        classic("receipt-without-result-hash", "The hash of the output is part of the proof.")
            .change(|m| m.receipt.afterwards.add(|receipt| drop(receipt.remove("/tdx/result_sha256"))))
            .invalid(&["receipt.missing-member"]),
        classic("receipt-without-attestation", "A receipt without its provenance block attests nothing.")
            .change(|m| m.receipt.afterwards.add(|receipt| drop(receipt.remove("/attestation"))))
            .flags(true, true)
            .invalid(&["receipt.missing-member"]),
        classic("receipt-unknown-member", "An unknown member is named and not used.")
            .change(|m| m.receipt.afterwards.add(|receipt| receipt.set("/remark", "hello")))
            .verified(&["receipt.unknown-member"]),
    ]
}

fn bound_fields() -> Vec<Vector> {
    let in_tdx = |id: &str, rule: &str, member: &'static str, change: fn(String) -> String| {
        classic(id, rule).change(move |m| {
            m.receipt.afterwards.add(move |receipt| {
                let pointer = format!("/tdx/{member}");
                let old = receipt.text(&pointer);
                receipt.set(&pointer, change(old));
            });
        })
    };
    vec![
        classic("field-nonce-short", "A nonce has 32 or 64 hex digits.")
            .change(|m| m.receipt.nonce = Nonce::Random("5eed".repeat(7) + "5ee"))
            .invalid(&["receipt.malformed-field"]),
        classic("field-nonce-forty", "Forty digits are no nonce of this format.")
            .change(|m| m.receipt.nonce = Nonce::Random("5eed".repeat(10)))
            .invalid(&["receipt.malformed-field"]),
        classic("field-nonce-upper-case", "A nonce is written in lower case: it is hashed as text.")
            .change(|m| m.receipt.nonce = Nonce::Random("5EED".repeat(8)))
            .invalid(&["receipt.malformed-field"]),
        in_tdx("field-image-without-prefix", "An image digest begins with sha256:.", "bound_digest", |old| {
            old["sha256:".len()..].to_owned()
        })
        .invalid(&["receipt.malformed-field"]),
        in_tdx("field-result-hash-upper-case", "A digest is written in lower case.", "result_sha256", |old| old.to_uppercase())
            .invalid(&["receipt.malformed-field"]),
        classic("field-key-short", "A requester key has 32 bytes.")
            .change(|m| m.receipt.requester_key.truncate(31))
            .invalid(&["receipt.malformed-field"]),
        classic("field-commit-short", "Where the nonce binds it, a commit has 40 hex digits.")
            .change(|m| m.receipt.attestation.set("/code/commit", "0123456"))
            .flags(true, true)
            .invalid(&["receipt.malformed-field"]),
        classic(
            "field-model-shifted",
            "Where the nonce binds it, a model's hash has 64 hex digits: its boundary to the seed cannot be moved.",
        )
        .change(|m| {
            m.receipt.afterwards.add(|receipt| {
                let [model, seed] = ["model_sha256", "eval_seed"].map(|name| format!("/attestation/references/{name}"));
                let (hash, digits) = (receipt.text(&model), receipt.text(&seed));
                receipt.set(&model, format!("{hash}{}", &digits[..4]));
                receipt.set(&seed, &digits[4..]);
            });
        })
        .flags(true, true)
        .invalid(&["provenance.model-sha256-absent", "receipt.malformed-field"]),
        classic("field-files-as-egress", "Digests that are joined without separators cannot change places.")
            .change(|m| {
                m.receipt.afterwards.add(|receipt| {
                    let files = receipt.text("/tdx/files_sha256");
                    receipt.set("/tdx/egress_log_sha256", files);
                    receipt.set("/tdx/files_sha256", "");
                });
            })
            .invalid(&["receipt.malformed-field", "receipt.unknown-member"]),
        classic("field-nonce-key-boundary", "The boundary between nonce and requester key cannot be moved.")
            .change(|m| {
                m.receipt.afterwards.add(|receipt| {
                    let (nonce, key) = (receipt.text("/tdx/nonce"), receipt.text("/tdx/e2e_pubkey_b64"));
                    receipt.set("/tdx/nonce", &nonce[..63]);
                    receipt.set("/tdx/e2e_pubkey_b64", format!("{}{key}", &nonce[63..]));
                });
            })
            .invalid(&["receipt.malformed-field"]),
        classic("field-commit-model-boundary", "The boundary between commit and model hash cannot be moved.")
            .change(|m| {
                let attestation = &mut m.receipt.attestation;
                let (commit, model) = (attestation.text("/code/commit"), attestation.text("/references/model_sha256"));
                attestation.set("/code/commit", &commit[..39]);
                attestation.set("/references/model_sha256", format!("{}{model}", &commit[39..]));
            })
            .flags(true, true)
            .invalid(&["provenance.model-sha256-absent", "receipt.malformed-field"]),
    ]
}

fn base64() -> Vec<Vector> {
    let in_tdx = |id: &str, rule: &str, member: &'static str, change: fn(&str) -> String| {
        classic(id, rule)
            .change(|m| {
                // Leaves room for padding in the base64 of the output.
                let measurements = m.receipt.attestation.at("/measurements");
                while m.receipt.output.len() % 3 != 1 {
                    let longer = format!("a {}", measurements.text("/dflash/spec_agree"));
                    measurements.set("/dflash/spec_agree", longer);
                    m.receipt.output = crate::receipt::dflash_output(measurements, true);
                }
            })
            .change(move |m| {
                m.receipt.afterwards.add(move |receipt| {
                    let pointer = format!("/tdx/{member}");
                    let changed = change(&receipt.text(&pointer));
                    receipt.set(&pointer, changed);
                });
            })
            .invalid(&["receipt.base64-not-canonical"])
    };
    vec![
        in_tdx("base64-unused-bits", "Bits that no byte uses are zero.", "stdout_b64", |old| {
            let stem = old.strip_suffix("g==").expect("the output ends with a line feed");
            format!("{stem}h==")
        }),
        in_tdx("base64-no-padding", "Padding is not optional.", "stdout_b64", |old| old.trim_end_matches('=').to_owned()),
        in_tdx("base64-junk", "A character outside the alphabet is not skipped.", "stdout_b64", |old| {
            format!("{}!{}", &old[..8], &old[8..])
        }),
        in_tdx("base64-url-safe", "The URL-safe alphabet is another encoding.", "collateral_b64", |old| {
            format!("{}-{}", &old[..8], &old[9..])
        })
        .flags(false, true),
        in_tdx("base64-line-break", "Base64 in a receipt has no line breaks.", "quote_b64", |old| {
            format!("{}\n{}", &old[..76], &old[76..])
        })
        .flags(false, false),
    ]
}

fn timestamps() -> Vec<Vector> {
    let written =
        |id: &str, rule: &str, text: &'static str| classic(id, rule).change(move |m| m.receipt.attestation.set("/timestamp_utc", text));
    vec![
        written("timestamp-no-zone", "A timestamp without a zone names no instant.", "2026-08-03T12:15:00")
            .invalid(&["receipt.timestamp-malformed"]),
        written("timestamp-blank", "Date and time are joined by a T.", "2026-08-03 12:15:00Z").invalid(&["receipt.timestamp-malformed"]),
        written("timestamp-no-such-day", "A timestamp names a day of the calendar.", "2026-02-30T12:15:00Z")
            .invalid(&["receipt.timestamp-malformed"]),
        written("timestamp-offset", "Any offset is as good as Z.", "2026-08-03T14:15:00.250+02:00").verified(&[]),
    ]
}

fn evidence() -> Vec<Vector> {
    vec![
        classic("evidence-type-other", "Another attestation type is not checked, and is no fraud.")
            .change(|m| m.receipt.afterwards.add(|receipt| receipt.set("/attestation_type", "sev-snp-report")))
            .unverifiable(&["evidence.type-unsupported"]),
        classic("evidence-absent", "A file without evidence proves nothing.")
            .change(|m| m.receipt.afterwards.add(|receipt| drop(receipt.remove("/tdx"))))
            .only(Outcome::Unverifiable, &["evidence.absent"]),
        classic("evidence-other-document", "JSON that is no receipt at all is not judged.")
            .change(|m| m.receipt.bytes.add(|bytes| *bytes = br#"{"hello": "world"}"#.to_vec()))
            .only(Outcome::Unverifiable, &["receipt.envelope-unsupported"]),
        classic("evidence-two-kinds", "A quote and a signature side by side are refused.")
            .change(|m| m.receipt.afterwards.add(|receipt| receipt.set("/signature", "AAAA")))
            .only(Outcome::Invalid, &["evidence.ambiguous"]),
        classic("evidence-two-kinds-null", "A signature that is null is present all the same.")
            .change(|m| m.receipt.afterwards.add(|receipt| receipt.set("/signature", token("null"))))
            .only(Outcome::Invalid, &["evidence.ambiguous"]),
        classic("evidence-ed25519", "A signature of zeros is none, whoever is trusted.").change(signed_receipt).only(
            Outcome::Invalid,
            &["binding.receipt-id-mismatch", "chain.unchecked", "pin.not-in-evidence", "signature.wrong", "signer.unknown"],
        ),
        classic("self-report-false", "The file's own flags are never evidence, not even against it.")
            .flags(false, false)
            .verified(&["self-report.disagrees"]),
        classic("self-report-true", "The file's own flags do not make a forged quote good.")
            .change(|m| m.quote.afterwards.add(|quote| quote[crate::quote::SIGNATURE + 40] ^= 1))
            .flags(true, true)
            .invalid(&["quote.signature-wrong", "self-report.disagrees"]),
    ]
}

/// The same attestation in the envelope for signatures, with a signature of zeros.
fn signed_receipt(material: &mut Material) {
    material.receipt.afterwards.add(|receipt| {
        for member in ["/tdx", "/_expected", "/attestation_type"] {
            receipt.remove(member);
        }
        receipt.set("/receipt_id", "0".repeat(64));
        receipt.set("/signature", json::Json::Text(data_encoding::BASE64.encode(&[0; 64])));
        receipt.set("/public_key", json::Json::Text(data_encoding::BASE64.encode(&[1; 32])));
    });
}

//! The layout of quotes, and the signatures in them.

use super::{Vector, classic};
use crate::pki::Key;
use crate::quote::{
    ATTESTATION_KEY, AUTH_LENGTH, BODY, OUTER_LENGTH, QE_REPORT, QE_REPORT_SIGNATURE, QE_SVN, SIGNATURE, SIGNATURE_LENGTH, add_to_length,
};

pub(super) fn vectors() -> Vec<Vector> {
    let mut vectors = layout();
    vectors.extend(header());
    vectors.extend(signatures());
    vectors
}

/// A vector whose finished quote is changed.
fn edited(id: &str, rule: &str, edit: fn(&mut Vec<u8>)) -> Vector {
    classic(id, rule).change(move |m| m.quote.afterwards.add(edit))
}

fn inner_length(quote: &[u8]) -> usize {
    AUTH_LENGTH + 2 + usize::from(u16::from_le_bytes([quote[AUTH_LENGTH], quote[AUTH_LENGTH + 1]])) + 2
}

fn layout() -> Vec<Vector> {
    let truncated = &["quote.truncated"];
    let malformed = &["quote.malformed"];
    vec![
        classic("quote-padded", "A quote may stand in a buffer of 8000 bytes whose rest is zero.")
            .change(|m| m.quote.padded_to = 8000)
            .verified(&[]),
        edited("quote-trailing-bytes", "Bytes after the signed quote are zero.", |quote| {
            quote.extend_from_slice(&[0, 0, 1]);
        })
        .invalid(&["quote.trailing-bytes"]),
        edited("quote-empty", "An empty quote is no evidence.", Vec::clear).flags(false, false).unverifiable(&["evidence.absent"]),
        edited("quote-cut-in-body", "A quote that ends inside its body is refused.", |quote| quote.truncate(400)).invalid(truncated),
        edited("quote-cut-in-chain", "A quote that ends inside its certificates is refused.", |quote| {
            quote.truncate(quote.len() - 100);
        })
        .invalid(truncated),
        edited("quote-signature-length-huge", "A length that points past the end reads nothing.", |quote| {
            quote[SIGNATURE_LENGTH..SIGNATURE].fill(0xff);
        })
        .invalid(truncated),
        edited("quote-signature-length-short", "The certification data ends where the signature data ends.", |quote| {
            add_to_length(quote, SIGNATURE_LENGTH, -1);
            quote.pop();
        })
        .invalid(malformed),
        classic("quote-signature-slack", "Nothing stands between the certification data and the end of the signature data.")
            .change(|m| m.quote.slack = 4)
            .invalid(malformed),
        edited("quote-outer-length-short", "The outer certification data fills the signature data.", |quote| {
            add_to_length(quote, OUTER_LENGTH, -1);
        })
        .invalid(malformed),
        edited("quote-inner-length-short", "The certificate chain fills the certification data.", |quote| {
            let at = inner_length(quote);
            add_to_length(quote, at, -1);
        })
        .invalid(malformed),
        edited("quote-inner-length-long", "The certificate chain stays inside the certification data.", |quote| {
            let at = inner_length(quote);
            add_to_length(quote, at, 1);
        })
        .invalid(malformed),
        edited("quote-auth-length-long", "The authentication data stays inside the certification data.", |quote| {
            quote[AUTH_LENGTH..AUTH_LENGTH + 2].fill(0xff);
        })
        .invalid(malformed),
        classic("quote-auth-empty", "The authentication data may be empty; it is hashed as it is.")
            .change(|m| m.quote.auth.clear())
            .verified(&[]),
        classic("quote-auth-long", "The authentication data may have any length.").change(|m| m.quote.auth = vec![0xa5; 64]).verified(&[]),
        classic("quote-too-large", "A quote beyond the size limit is not read.")
            .change(|m| m.quote.padded_to = 64 * 1024 + 3)
            .unverifiable(&["limit.exceeded"]),
    ]
}

fn header() -> Vec<Vector> {
    vec![
        classic("quote-version-5", "Version 5 is not checked, and is no fraud.")
            .change(|m| m.quote.version = 5)
            .unverifiable(&["quote.version-unsupported"]),
        classic("quote-version-3", "Version 3 is not checked, and is no fraud.")
            .change(|m| m.quote.version = 3)
            .unverifiable(&["quote.version-unsupported"]),
        classic("quote-tee-sgx", "A quote of an SGX enclave is not one of a TD.")
            .change(|m| m.quote.tee = 0)
            .unverifiable(&["quote.tee-unsupported"]),
        classic("quote-key-type-p384", "Another kind of attestation key is not checked.")
            .change(|m| m.quote.key_type = 3)
            .unverifiable(&["quote.key-type-unsupported"]),
        classic("quote-vendor-other", "The quoting enclave is Intel's by its vendor id.")
            .change(|m| m.quote.vendor[15] ^= 1)
            .invalid(&["quote.vendor-unknown"]),
        classic("quote-outer-type-5", "The outer certification data is a certified QE report.")
            .change(|m| m.quote.outer_type = 5)
            .unverifiable(&["quote.certification-unsupported"]),
        classic("quote-inner-type-1", "The inner certification data is a certificate chain, not the id of a platform.")
            .change(|m| m.quote.inner_type = 1)
            .unverifiable(&["quote.certification-unsupported"]),
    ]
}

fn signatures() -> Vec<Vector> {
    let forged = &["quote.signature-wrong"];
    vec![
        edited("quote-signature-bit", "One other bit in the signature of the quote breaks it.", |quote| {
            quote[SIGNATURE + 10] ^= 1;
        })
        .invalid(forged),
        edited("quote-signature-zero", "Zero is no half of a signature.", |quote| {
            quote[SIGNATURE..SIGNATURE + 32].fill(0);
        })
        .invalid(forged),
        edited("quote-header-edited", "The signature covers the header.", |quote| quote[QE_SVN] ^= 1).invalid(forged),
        edited("quote-body-edited", "The signature covers every field of the body.", |quote| {
            // The owner field, which no other rule looks at.
            quote[BODY + 232] ^= 1;
        })
        .invalid(forged),
        classic("quote-other-attestation-key", "The key that the QE report vouches for signs the quote.")
            .change(|m| m.quote.key_coordinates = Some(Key::named("other attestation key").coordinates()))
            .invalid(forged),
        classic("quote-key-off-curve", "An attestation key is a point on the curve.")
            .change(|m| m.quote.key_coordinates = Some([1; 64]))
            .invalid(&["quote.attestation-key-invalid"]),
        edited("qe-report-signature-bit", "The platform's key signs the QE report.", |quote| {
            quote[QE_REPORT_SIGNATURE + 10] ^= 1;
        })
        .invalid(&["qe.report-signature-wrong"]),
        edited("qe-report-edited", "The signature of the QE report covers all of it.", |quote| {
            // A reserved byte, which no other rule looks at.
            quote[QE_REPORT + 100] ^= 1;
        })
        .invalid(&["qe.report-signature-wrong"]),
        classic("qe-report-data-other", "The QE report names the attestation key.")
            .change(|m| m.quote.qe.report_data.add(|data| data[0] ^= 1))
            .invalid(&["qe.report-data-wrong"]),
        classic("qe-report-data-upper-half", "The upper half of the QE's report data is zero.")
            .change(|m| m.quote.qe.report_data.add(|data| data[63] = 1))
            .invalid(&["qe.report-data-wrong"]),
        edited("qe-key-swapped", "A key that the QE report does not name cannot vouch for a quote.", |quote| {
            let other = Key::named("other attestation key");
            let signature = other.sign(&quote[..SIGNATURE_LENGTH]);
            quote[SIGNATURE..ATTESTATION_KEY].copy_from_slice(&signature);
            quote[ATTESTATION_KEY..ATTESTATION_KEY + 64].copy_from_slice(&other.coordinates());
        })
        .invalid(&["qe.report-data-wrong"]),
    ]
}

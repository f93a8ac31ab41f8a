//! The layout of quotes, and the signatures in them.

use super::{Vector, classic};
use crate::pki::Key;
use crate::quote::{
    ATTESTATION_KEY, AUTH_LENGTH, BODY, BODY_V5, OUTER_LENGTH, QE_REPORT, QE_REPORT_SIGNATURE, QE_SVN, SIGNATURE, SIGNATURE_LENGTH,
    add_to_length,
};
use crate::receipt::Material;

pub(super) fn vectors() -> Vec<Vector> {
    let mut vectors = layout();
    vectors.extend(header());
    vectors.extend(signatures());
    vectors.extend(version_5());
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
        edited("quote-trailing-pair", "Two equal bytes are no zeros either.", |quote| quote.extend_from_slice(&[1, 1]))
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
        classic("quote-version-6", "An unknown version is not checked, and is no fraud.")
            .change(|m| m.quote.version = 6)
            .unverifiable(&["quote.version-unsupported"]),
        classic("quote-version-3", "A quote of version 3 is never of a trust domain, so it has no place in a receipt.")
            .change(|m| m.use_sgx(3))
            .unverifiable(&["quote.version-unsupported"]),
        classic("quote-tee-sgx", "A quote of an SGX enclave is not one of a TD, so it has no place in a receipt.")
            .change(|m| m.use_sgx(4))
            .unverifiable(&["quote.tee-unsupported"]),
        classic("quote-tee-unknown", "An unknown kind of TEE is not checked.")
            .change(|m| m.quote.tee = 0x82)
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

fn version_5() -> Vec<Vector> {
    let td15 = |id: &str, rule: &str| classic(id, rule).change(Material::use_td15);
    let extended = |id: &str, rule: &str| td15(id, rule).change(|m| m.quote.body.td15.iter_mut().for_each(|td15| td15.extended = true));
    vec![
        classic("quote-v5-td10", "Version 5 puts a descriptor before the body, and every field after it moves.")
            .change(|m| m.quote.version = 5)
            .verified(&[]),
        td15("quote-v5-td15", "A TD 1.5 body adds a second SVN and the service TD.").verified(&[]),
        extended("quote-v5-td15-ex", "A TD 1.5Ex body adds fields that are signed and not used.").verified(&[]),
        td15("quote-v5-padded", "A quote of version 5 may stand in a larger buffer too.")
            .change(|m| m.quote.padded_to = 8000)
            .verified(&[]),
        td15("quote-v5-type-unknown", "An unknown type of body is not checked, and is no fraud.")
            .change(|m| m.quote.body_type = Some(5))
            .unverifiable(&["quote.version-unsupported"]),
        td15("quote-v5-type-of-sgx", "An SGX body does not stand in a quote of a TD.")
            .change(|m| {
                m.quote.body_type = Some(1);
                m.quote.body_size = Some(384);
            })
            .unverifiable(&["quote.version-unsupported"]),
        td15("quote-v5-size-of-td10", "The size in the descriptor is that of the body's type.")
            .change(|m| m.quote.body_size = Some(584))
            .invalid(&["quote.malformed"]),
        td15("quote-v5-size-zero", "A body of no bytes is not one of its type.")
            .change(|m| m.quote.body_size = Some(0))
            .invalid(&["quote.malformed"]),
        classic("quote-v5-type-and-size-of-td15", "A body that is shorter than its descriptor says ends somewhere in the signature data.")
            .change(|m| {
                m.quote.version = 5;
                m.quote.body_type = Some(3);
                m.quote.body_size = Some(648);
            })
            .invalid(&["quote.truncated"]),
        td15("quote-v5-descriptor-unsigned", "The signature covers the descriptor.")
            .change(|m| m.quote.descriptor_is_signed = false)
            .invalid(&["quote.signature-wrong"]),
        extended("quote-v5-extension-edited", "The signature covers the fields that are not used too.")
            .change(|m| m.quote.afterwards.add(|quote| quote[BODY_V5 + 884] ^= 1))
            .invalid(&["quote.signature-wrong"]),
        td15("quote-v5-cut-in-body", "A quote that ends inside a longer body is refused.")
            .change(|m| m.quote.afterwards.add(|quote| quote.truncate(BODY_V5 + 600)))
            .invalid(&["quote.truncated"]),
        td15("quote-v5-cut-in-descriptor", "A quote that ends inside its descriptor is refused.")
            .change(|m| m.quote.afterwards.add(|quote| quote.truncate(BODY_V5 - 1)))
            .invalid(&["quote.truncated"]),
        td15("quote-v5-other-binding", "The report data of a longer body binds the same fields.")
            .change(|m| m.receipt.afterwards.add(|document| document.set("/tdx/nonce", "0".repeat(64))))
            .invalid(&["binding.nonce-mismatch", "binding.report-data-mismatch"]),
        td15("quote-v5-service-td", "A service TD that is bound can act on the TD that made the quote.")
            .change(bind_service_td)
            .invalid(&["td.service-td-bound"]),
        td15("quote-v5-service-td-tolerant", "A policy may accept a bound service TD as weaker, never as good.")
            .change(bind_service_td)
            .policy("tolerant")
            .thin(&["td.service-td-bound"]),
        td15("quote-v5-debug", "The attributes of a longer body are judged too.")
            .change(|m| m.quote.body.td_attributes |= 1)
            .invalid(&["td.debug"]),
    ]
}

fn bind_service_td(material: &mut Material) {
    material.quote.body.td15.iter_mut().for_each(|td15| td15.service_td[47] = 1);
}

//! Signed receipts around any attestation.

/// A signed receipt whose attestation is the text `attestation`, with a signature that holds for nothing: its id alone is compared
/// with the canonical text.
pub(crate) fn receipt_around(attestation: &str, receipt_id: &str) -> String {
    let (signature, key) = ("A".repeat(86) + "==", "A".repeat(43) + "=");
    format!(
        r#"{{"polaris_version": 1, "receipt_id": "{receipt_id}", "chain": {{"prev_receipt_hash": null, "chain_index": 0}},
"signature": "{signature}", "public_key": "{key}", "attestation": {attestation}}}"#
    )
}

//! Files of the workspace.

use std::path::{Path, PathBuf};

/// The root of the workspace.
pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Reads a file that has to be there.
pub(crate) fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Reads a JSON file of the material.
pub(crate) fn read_json(path: &Path) -> serde_json::Value {
    serde_json::from_slice(&read(path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A signed receipt whose attestation is the text `attestation`, with a signature that holds for nothing: its id alone is compared
/// with the canonical text.
#[allow(dead_code, reason = "not every test file uses it")]
pub(crate) fn signed_receipt_around(attestation: &str, receipt_id: &str) -> String {
    let (signature, key) = ("A".repeat(86) + "==", "A".repeat(43) + "=");
    format!(
        r#"{{"polaris_version": 1, "receipt_id": "{receipt_id}", "chain": {{"prev_receipt_hash": null, "chain_index": 0}},
"signature": "{signature}", "public_key": "{key}", "attestation": {attestation}}}"#
    )
}

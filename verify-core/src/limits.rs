//! Every size limit of the verifier, with its reason. Over a limit is "could not verify", never a crash.

/// Bytes of one receipt. Real ones have 34 to 38 KB; the enclave's output is the only part that grows.
pub(crate) const RECEIPT_BYTES: usize = 4 * 1024 * 1024;

/// Nesting depth of any JSON document. Real receipts have 5; Python's own writer stops near 1000.
pub(crate) const JSON_DEPTH: usize = 1024;

/// Values in one JSON document. A real receipt has about 100, a TCB info about 600.
pub(crate) const JSON_VALUES: usize = 200_000;

/// Bytes of one quote. Real ones have 5 KB, padded to 8 KB.
pub(crate) const QUOTE_BYTES: usize = 64 * 1024;

/// Bytes of the collateral of one quote. Real ones have 17 KB; the CRL of the Processor CA adds 320 KB as hex.
pub(crate) const COLLATERAL_BYTES: usize = 4 * 1024 * 1024;

/// Bytes of one signed JSON document of the collateral. Intel's largest TCB info has about 30 KB.
pub(crate) const SIGNED_JSON_BYTES: usize = 256 * 1024;

/// Bytes of one CRL in DER. Intel's largest (Processor CA) has about 160 KB.
pub(crate) const CRL_BYTES: usize = 1024 * 1024;

/// Bytes of one certificate in DER. A PCK certificate has 1.3 KB.
pub(crate) const CERTIFICATE_BYTES: usize = 16 * 1024;

/// Findings kept for one obligation, so that a hostile file cannot grow the report without bound. Beyond it, every graver
/// code is still kept once.
pub(crate) const PROBLEMS: usize = 200;

/// Bytes of one JSON member name. The longest real one is a collateral URL of 95 bytes; pointers join names.
pub(crate) const JSON_NAME_BYTES: usize = 256;

/// Levels below the attestation at which a claim is still a leaf of its own. Real ones have 5.
pub(crate) const CLAIM_DEPTH: usize = 8;

/// Bytes of a claim's pointer from which on what lies below is one claim. Real pointers have at most 60.
pub(crate) const CLAIM_POINTER_BYTES: usize = 256;

/// Claims of one receipt. Real ones have at most 80.
pub(crate) const CLAIMS: usize = 1000;

/// Guards of one measurement. Real runs have a handful; each becomes a line of the answer.
pub(crate) const GUARDS: usize = 64;

/// Bytes of one file beside a receipt. Real logs have at most 30 KB.
pub(crate) const RUN_FILE_BYTES: usize = 4 * 1024 * 1024;

/// Bytes of the enclave's input, where the caller gives it. Real ones have 1 KB.
pub(crate) const INPUT_BYTES: usize = 4 * 1024 * 1024;

/// Differing values of two documents that are named; all are counted.
pub(crate) const DIFFERENCES: usize = 100;

//! What nothing signed and nothing hashed covers in a verified receipt: the whole list, each place with its reason.
//!
//! A place is what [`crate::differences`] calls it. The test of mutants holds the list in both directions.

use crate::differences::{LINE_ENDS, PADDING};

/// What may change without a trace in the evidence.
pub struct Exempt {
    pub place: &'static str,
    pub why: &'static str,
}

impl Exempt {
    /// Whether a difference at `place` is one that this allows: there, or below it.
    pub fn allows(&self, place: &str) -> bool {
        place.strip_prefix(self.place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || rest == ", rounded")
    }
}

const ASSERTED: &str = "neither nonce nor input nor output of the enclave holds it: the producer's word";
const UNKNOWN: &str = "a member that no format has is noted and never read";
const SERVICE: &str = "what the service says of the run is no part of the report data";
const SELF: &str = "what the file says of itself is no evidence";
const LABEL: &str = "a label: what an item is worth, its signature decides";
const COMMAND: &str = "the quote binds the image; a command that is not known is only noted";
const NOTHING: &str = "its digest is empty, so nothing is bound; the report calls it asserted";
const EMPTY: &str = "empty, and joined with the others under the report data: nothing is claimed";
const TWIN: &str = "(r, n - s) signs the same message with the same key, and Intel does not normalise s";
const SIX: &str = "signed are six places; digits behind them are named, and the claim shows what was signed";
const PLACES: &str = "producers round at the sixth place, so digits behind it are not compared";

/// What nothing binds in the attestation of a receipt with a quote.
pub const ATTESTATION: &[Exempt] = &[
    Exempt { place: "/attestation/code/build_hash", why: ASSERTED },
    Exempt { place: "/attestation/code/repo", why: ASSERTED },
    Exempt { place: "/attestation/code/scoring_scripts_commit", why: ASSERTED },
    Exempt { place: "/attestation/references/guard_model_file", why: ASSERTED },
    Exempt { place: "/attestation/references/guard_model_sha256", why: ASSERTED },
    Exempt { place: "/attestation/references/llamacpp_commit", why: ASSERTED },
    Exempt { place: "/attestation/references/model_file", why: ASSERTED },
    Exempt { place: "/attestation/environment/clock_mhz", why: ASSERTED },
    Exempt { place: "/attestation/environment/clock_spread_mhz", why: ASSERTED },
    Exempt { place: "/attestation/environment/clocks_pinned", why: ASSERTED },
    Exempt { place: "/attestation/environment/cuda_version", why: ASSERTED },
    Exempt { place: "/attestation/environment/decode_tokens", why: ASSERTED },
    Exempt { place: "/attestation/environment/driver_version", why: ASSERTED },
    Exempt { place: "/attestation/environment/eval_mode", why: ASSERTED },
    Exempt { place: "/attestation/environment/gpu_arch", why: ASSERTED },
    Exempt { place: "/attestation/environment/gpu_name", why: ASSERTED },
    Exempt { place: "/attestation/environment/pin_target_mhz", why: ASSERTED },
    Exempt { place: "/attestation/verdict/best_context_label", why: ASSERTED },
    Exempt { place: "/attestation/verdict/context_gains_pct", why: ASSERTED },
    Exempt { place: "/attestation/verdict/guard_regression_labels", why: ASSERTED },
    Exempt { place: "/attestation/verdict/model", why: ASSERTED },
    Exempt { place: "/attestation/verdict/reason", why: ASSERTED },
    Exempt { place: "/attestation/verdict/regression_labels", why: ASSERTED },
    Exempt { place: "/attestation/verdict/score_context", why: ASSERTED },
    Exempt { place: "/attestation/timestamp_utc", why: ASSERTED },
    Exempt { place: "/attestation/+", why: UNKNOWN },
    Exempt { place: "/attestation/code/+", why: UNKNOWN },
    Exempt { place: "/attestation/references/+", why: UNKNOWN },
    Exempt { place: "/attestation/environment/+", why: UNKNOWN },
    Exempt { place: "/attestation/verdict/+", why: UNKNOWN },
];

/// Likewise where the nonce is a hash and the measurements are the input, which knows no tier.
pub const HASHED: &[Exempt] = &[
    Exempt { place: "/attestation/verdict/label", why: ASSERTED },
    Exempt { place: "/attestation/verdict/tps", why: ASSERTED },
    Exempt { place: "/attestation/verdict/delta_tps", why: ASSERTED },
    Exempt { place: "/attestation/verdict/pct_over_frontier", why: ASSERTED },
];

/// Likewise where the nonce is random and the input is a flat result.
pub const RANDOM: &[Exempt] = &[
    Exempt { place: "/attestation/code/commit", why: ASSERTED },
    Exempt { place: "/attestation/references/eval_seed", why: ASSERTED },
    Exempt { place: "/attestation/references/model_sha256", why: ASSERTED },
    Exempt { place: "/attestation/measurements/primary/ctx_128_tps", why: ASSERTED },
    Exempt { place: "/attestation/measurements/primary/ctx_512_tps", why: ASSERTED },
    Exempt { place: "/attestation/measurements/primary/ctx_4096_tps", why: ASSERTED },
    Exempt { place: "/attestation/measurements/primary/guard_128_baseline", why: ASSERTED },
    Exempt { place: "/attestation/measurements/primary/guard_128_ratio", why: ASSERTED },
    Exempt { place: "/attestation/measurements/primary/guard_128_pass", why: ASSERTED },
    Exempt { place: "/attestation/measurements/primary/model", why: ASSERTED },
    Exempt { place: "/attestation/measurements/primary/model_sha256", why: ASSERTED },
    Exempt { place: "/attestation/measurements/+", why: UNKNOWN },
    Exempt { place: "/attestation/measurements/primary/+", why: UNKNOWN },
];

/// What nothing binds around attestation and evidence of a log.
pub const LOG: &[Exempt] = &[
    Exempt { place: "/tdx/verification/intel_verified", why: SELF },
    Exempt { place: "/tdx/verification/report_data_match", why: SELF },
    Exempt { place: "/chain/chain_index", why: "no predecessor is given, so the chain of receipts is not checked" },
    Exempt { place: "/chain/prev_receipt_hash", why: "no predecessor is given, so the chain of receipts is not checked" },
    Exempt { place: "/tdx/cost_usd", why: "the price of the run is no part of the report data" },
    Exempt { place: "/tdx/workload_sha256", why: COMMAND },
    Exempt { place: "/+", why: UNKNOWN },
    Exempt { place: "/_expected/+", why: UNKNOWN },
    Exempt { place: "/chain/+", why: UNKNOWN },
    Exempt { place: "/tdx/+", why: UNKNOWN },
    Exempt { place: "/tdx/verification/+", why: UNKNOWN },
];

/// Numbers that the enclave repeats, in a receipt whose input is not the measurements.
pub const ROUNDED: &[Exempt] = &[
    Exempt { place: "/attestation/measurements/primary/kl, rounded", why: PLACES },
    Exempt { place: "/attestation/measurements/primary/top1, rounded", why: PLACES },
    Exempt { place: "/attestation/verdict/delta_tps, rounded", why: PLACES },
    Exempt { place: "/attestation/verdict/pct_over_frontier, rounded", why: PLACES },
    Exempt { place: "/attestation/verdict/tps, rounded", why: PLACES },
];

/// What the signature of a receipt does not cover.
pub const SIGNED: &[Exempt] = &[
    Exempt { place: "/chain/chain_index", why: "chain block and format version are not signed" },
    Exempt { place: "/chain/prev_receipt_hash", why: "chain block and format version are not signed" },
    Exempt { place: "/+", why: UNKNOWN },
    Exempt { place: "/chain/+", why: UNKNOWN },
];

/// Every number that is no integer, in a signed receipt.
pub const SIGNED_ROUNDED: &[Exempt] = &[
    Exempt { place: "/attestation/measurements/guard/ctx_128_tps, rounded", why: SIX },
    Exempt { place: "/attestation/measurements/guard/ctx_16384_tps, rounded", why: SIX },
    Exempt { place: "/attestation/measurements/guard/ctx_32768_tps, rounded", why: SIX },
    Exempt { place: "/attestation/measurements/guard/ctx_4096_tps, rounded", why: SIX },
    Exempt { place: "/attestation/measurements/guard/ctx_512_tps, rounded", why: SIX },
    Exempt { place: "/attestation/measurements/guard/kl, rounded", why: SIX },
    Exempt { place: "/attestation/measurements/guard/top1, rounded", why: SIX },
    Exempt { place: "/attestation/measurements/primary/ctx_128_tps, rounded", why: SIX },
    Exempt { place: "/attestation/measurements/primary/ctx_16384_tps, rounded", why: SIX },
    Exempt { place: "/attestation/measurements/primary/ctx_32768_tps, rounded", why: SIX },
    Exempt { place: "/attestation/measurements/primary/ctx_4096_tps, rounded", why: SIX },
    Exempt { place: "/attestation/measurements/primary/ctx_512_tps, rounded", why: SIX },
    Exempt { place: "/attestation/measurements/primary/guard_128_baseline, rounded", why: SIX },
    Exempt { place: "/attestation/measurements/primary/guard_128_ratio, rounded", why: SIX },
    Exempt { place: "/attestation/measurements/primary/kl, rounded", why: SIX },
    Exempt { place: "/attestation/measurements/primary/top1, rounded", why: SIX },
    Exempt { place: "/attestation/verdict/delta_tps, rounded", why: SIX },
    Exempt { place: "/attestation/verdict/pct_over_frontier, rounded", why: SIX },
    Exempt { place: "/attestation/verdict/tps, rounded", why: SIX },
];

/// What nothing binds in a response of an image with all contents.
pub const RESPONSE: &[Exempt] = &[
    Exempt { place: "/billed", why: SERVICE },
    Exempt { place: "/billed_user", why: SERVICE },
    Exempt { place: "/billing_status", why: SERVICE },
    Exempt { place: "/box", why: SERVICE },
    Exempt { place: "/cost_usd", why: SERVICE },
    Exempt { place: "/egress", why: SERVICE },
    Exempt { place: "/egress_log", why: SERVICE },
    Exempt { place: "/elapsed_s", why: SERVICE },
    Exempt { place: "/exit_code", why: SERVICE },
    Exempt { place: "/image", why: SERVICE },
    Exempt { place: "/instance_id", why: SERVICE },
    Exempt { place: "/ip", why: SERVICE },
    Exempt { place: "/lifecycle", why: SERVICE },
    Exempt { place: "/machine_image", why: SERVICE },
    Exempt { place: "/started_at", why: SERVICE },
    Exempt { place: "/verification/collateral_urls", why: SELF },
    Exempt { place: "/verification/intel_verified", why: SELF },
    Exempt { place: "/verification/report_data_match", why: SELF },
    Exempt { place: "/tee_attestation/binding_recipe", why: LABEL },
    Exempt { place: "/tee_attestation/report_data_recipe", why: LABEL },
    Exempt { place: "/tee_attestation/workload_sha256", why: COMMAND },
    Exempt { place: "/+", why: UNKNOWN },
    Exempt { place: "/artifacts/0/+", why: UNKNOWN },
    Exempt { place: "/artifacts/1/+", why: UNKNOWN },
    Exempt { place: "/tee_attestation/+", why: UNKNOWN },
    Exempt { place: "/verification/+", why: UNKNOWN },
];

/// What nothing binds in a note around a response of a command without contents.
pub const NOTE: &[Exempt] = &[
    Exempt { place: "/ts", why: SERVICE },
    Exempt { place: "/receipt/billed", why: SERVICE },
    Exempt { place: "/receipt/billed_user", why: SERVICE },
    Exempt { place: "/receipt/billing_status", why: SERVICE },
    Exempt { place: "/receipt/box", why: SERVICE },
    Exempt { place: "/receipt/cost_usd", why: SERVICE },
    Exempt { place: "/receipt/egress", why: SERVICE },
    Exempt { place: "/receipt/egress_log", why: SERVICE },
    Exempt { place: "/receipt/elapsed_s", why: SERVICE },
    Exempt { place: "/receipt/exit_code", why: SERVICE },
    Exempt { place: "/receipt/image", why: SERVICE },
    Exempt { place: "/receipt/instance_id", why: SERVICE },
    Exempt { place: "/receipt/ip", why: SERVICE },
    Exempt { place: "/receipt/lifecycle", why: SERVICE },
    Exempt { place: "/receipt/machine_image", why: SERVICE },
    Exempt { place: "/receipt/started_at", why: SERVICE },
    Exempt { place: "/receipt/verification/collateral_urls", why: SELF },
    Exempt { place: "/receipt/verification/intel_verified", why: SELF },
    Exempt { place: "/receipt/verification/report_data_match", why: SELF },
    Exempt { place: "/receipt/tee_attestation/binding_recipe", why: LABEL },
    Exempt { place: "/receipt/tee_attestation/report_data_recipe", why: LABEL },
    Exempt { place: "/receipt/artifacts", why: NOTHING },
    Exempt { place: "/receipt/egress_log_b64", why: NOTHING },
    Exempt { place: "/receipt/task_policy", why: NOTHING },
    Exempt { place: "/+", why: UNKNOWN },
    Exempt { place: "/receipt/+", why: UNKNOWN },
    Exempt { place: "/receipt/tee_attestation/+", why: UNKNOWN },
    Exempt { place: "/receipt/verification/+", why: UNKNOWN },
];

/// What the report calls asserted, although an edit is refused.
pub const MODEST: &[Exempt] = &[
    Exempt { place: "/binding_version", why: "no other version is read" },
    Exempt { place: "/receipt/binding_version", why: "no other version is read" },
    Exempt { place: "/receipt/artifacts_sha256", why: EMPTY },
    Exempt { place: "/receipt/egress_log_sha256", why: EMPTY },
    Exempt { place: "/receipt/image_digest", why: EMPTY },
    Exempt { place: "/receipt/policy_sha256", why: EMPTY },
];

/// What nothing binds in a quote.
pub const QUOTE: &[Exempt] = &[
    Exempt { place: PADDING, why: "a quote may stand in a larger buffer, whose rest has to be zero" },
    Exempt { place: LINE_ENDS, why: "line ends and one final NUL of the PEM text are not part of the certificates" },
];

/// What nothing signs in the item map of collateral.
pub const ITEMS: &[Exempt] = &[
    Exempt { place: "collateral:/+", why: UNKNOWN },
    Exempt { place: "collateral:/items/+", why: UNKNOWN },
    Exempt { place: "collateral:/urls", why: LABEL },
    Exempt { place: "collateral: label of IntelSGXRootCA.der", why: LABEL },
    Exempt { place: "collateral: label of identity", why: LABEL },
    Exempt { place: "collateral: label of pckcrl", why: LABEL },
    Exempt { place: "collateral: label of tcb", why: LABEL },
    Exempt {
        place: "collateral:/items/identity",
        why: "order and blanks around what is signed, and the case of the signature's hex digits",
    },
    Exempt { place: "collateral:/items/tcb", why: "order and blanks around what is signed, and the case of the signature's hex digits" },
    Exempt { place: "collateral:/items/IntelSGXRootCA.der", why: "DER, PEM and hex text are three spellings of one CRL" },
    Exempt { place: "collateral:/items/pckcrl", why: "DER, PEM and hex text are three spellings of one CRL" },
];

/// What nothing signs in QuoteCollateralV3.
pub const V3: &[Exempt] = &[
    Exempt { place: "collateral:/+", why: UNKNOWN },
    Exempt { place: "collateral:/pck_crl_issuer_chain", why: "without an issuer chain the anchors' own certificate decides" },
    Exempt { place: "collateral:/qe_identity_issuer_chain", why: "without an issuer chain the anchors' own certificate decides" },
    Exempt { place: "collateral:/tcb_info_issuer_chain", why: "without an issuer chain the anchors' own certificate decides" },
    Exempt { place: "collateral:/qe_identity_signature", why: "the case of hex digits" },
    Exempt { place: "collateral:/tcb_info_signature", why: "the case of hex digits" },
    Exempt { place: "collateral:/pck_crl", why: "the case of hex digits, or PEM" },
    Exempt { place: "collateral:/root_ca_crl", why: "the case of hex digits, or PEM" },
];

/// Signatures in the place of which another one of the same bytes may stand.
pub const TWINS: [Exempt; 9] = [
    Exempt { place: "quote", why: TWIN },
    Exempt { place: "QE report", why: TWIN },
    Exempt { place: "PCK certificate", why: TWIN },
    Exempt { place: "PCK CA certificate", why: TWIN },
    Exempt { place: "root certificate", why: TWIN },
    Exempt { place: "PCK CRL", why: TWIN },
    Exempt { place: "root CRL", why: TWIN },
    Exempt { place: "TCB info", why: TWIN },
    Exempt { place: "QE identity", why: TWIN },
];

/// What is not an edit, although bytes under signatures differ.
pub const GENUINE: Exempt = Exempt {
    place: "the whole collateral",
    why: "other genuine collateral of the platform is as good: SECURITY.md, old collateral replay",
};

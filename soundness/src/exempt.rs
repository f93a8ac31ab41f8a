//! What may differ between two receipts of the same evidence: the places where they do.
//!
//! A place is a JSON pointer of the receipt, `collateral:` and a pointer of the container, or the name of what lies between signed
//! parts. A pointer that ends in `/+` stands for members that the base does not have; one with `, rounded` for a
//! number that is the same after rounding to six places.

use std::collections::{BTreeMap, BTreeSet};

use data_encoding::BASE64;
use serde_json::Value;

use crate::essence::{Frame, finite};

/// Zero bytes after the signature data of the quote.
pub const PADDING: &str = "quote: zero bytes after it";
/// Line ends of the PEM chain, and one NUL after it.
pub const LINE_ENDS: &str = "quote: line ends of the chain";
/// Anything else in a quote. Never exempt.
const OTHERWISE: &str = "quote";

/// What may change in a receipt without a trace in its evidence, with the reason.
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

/// Where two receipts that both can be read say something else; none where they differ in spelling alone.
pub fn differences(base: &[u8], mutant: &[u8]) -> BTreeSet<String> {
    let mut places = BTreeSet::new();
    match (parse(base), parse(mutant)) {
        (Some(base), Some(mutant)) => compare("", &base, &mutant, &mut places),
        _ => drop(places.insert(String::new())),
    }
    places
}

fn parse(text: &[u8]) -> Option<Value> {
    serde_json::from_slice(&finite(text)).ok()
}

fn compare(pointer: &str, base: &Value, mutant: &Value, places: &mut BTreeSet<String>) {
    match (base, mutant) {
        (Value::Object(base), Value::Object(mutant)) => {
            for (name, value) in base {
                let below = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
                match mutant.get(name) {
                    Some(mutant) => compare(&below, value, mutant, places),
                    None => drop(places.insert(below)),
                }
            }
            if mutant.keys().any(|name| !base.contains_key(name)) {
                places.insert(format!("{pointer}/+"));
            }
        }
        (Value::Array(base), Value::Array(mutant)) if base.len() == mutant.len() => {
            for (index, (base, mutant)) in base.iter().zip(mutant).enumerate() {
                compare(&format!("{pointer}/{index}"), base, mutant, places);
            }
        }
        (Value::String(base), Value::String(mutant)) if base != mutant => match pointer.rsplit('/').next() {
            Some("quote_b64") => both(base, mutant, compare_quotes, places),
            Some("collateral_b64") => both(base, mutant, compare_containers, places),
            _ => drop(places.insert(pointer.to_owned())),
        },
        // Python and the verifier read the integer -0 as 0; serde_json keeps it as a float.
        (Value::Number(base), Value::Number(mutant)) if [base, mutant].iter().all(|number| number.as_f64() == Some(0.0)) => {}
        (Value::Number(base), Value::Number(mutant)) if base != mutant => {
            let rounded = [base, mutant].map(|number| number.as_f64().map(|number| format!("{number:.6}")));
            let rounding = if rounded[0] == rounded[1] { ", rounded" } else { "" };
            places.insert(format!("{pointer}{rounding}"));
        }
        _ if base != mutant => drop(places.insert(pointer.to_owned())),
        _ => {}
    }
}

fn both(base: &str, mutant: &str, compare: fn(&[u8], &[u8], &mut BTreeSet<String>), places: &mut BTreeSet<String>) {
    match (BASE64.decode(base.as_bytes()), BASE64.decode(mutant.as_bytes())) {
        (Ok(base), Ok(mutant)) => compare(&base, &mutant, places),
        _ => drop(places.insert(OTHERWISE.to_owned())),
    }
}

fn compare_quotes(base: &[u8], mutant: &[u8], places: &mut BTreeSet<String>) {
    let (Some(in_base), Some(in_mutant)) = (Frame::of(base), Frame::of(mutant)) else {
        places.insert(OTHERWISE.to_owned());
        return;
    };
    let padding = base[in_base.chain.end..] != mutant[in_mutant.chain.end..];
    let line_ends = base[in_base.chain] != mutant[in_mutant.chain];
    let found = [(padding, PADDING), (line_ends, LINE_ENDS), (!padding && !line_ends, OTHERWISE)];
    places.extend(found.into_iter().filter(|(differs, _)| *differs).map(|(_, place)| place.to_owned()));
}

/// Items are told by the end of their URL's path, as the verifier tells them; the rest of it is a label.
fn compare_containers(base: &[u8], mutant: &[u8], places: &mut BTreeSet<String>) {
    let (Some(mut base), Some(mut mutant)) = (parse(base), parse(mutant)) else {
        places.insert("collateral:".to_owned());
        return;
    };
    let [labels, other_labels] = [&mut base, &mut mutant].map(|container| {
        let items = container.get_mut("items").and_then(Value::as_object_mut).map(std::mem::take).unwrap_or_default();
        let known = ["tcb", "identity", "pckcrl", "IntelSGXRootCA.der"];
        let (mut labels, mut kept) = (BTreeMap::new(), serde_json::Map::new());
        for (url, item) in items {
            let end = url.split('?').next().and_then(|path| path.rsplit('/').next()).unwrap_or_default().to_owned();
            if known.contains(&&*end) {
                kept.insert(end.clone(), item);
                labels.insert(end, url);
            } else {
                kept.insert(url, item);
            }
        }
        if !kept.is_empty() {
            container["items"] = Value::Object(kept);
        }
        labels
    });
    let changed = labels.iter().filter(|(end, url)| other_labels.get(*end).is_some_and(|other| other != *url));
    places.extend(changed.map(|(end, _)| format!("collateral: label of {end}")));
    let mut found = BTreeSet::new();
    compare("", &base, &mutant, &mut found);
    places.extend(found.into_iter().map(|place| format!("collateral:{place}")));
}

const ASSERTED: &str = "neither nonce nor input nor output of the enclave holds it: the producer's word";
const UNKNOWN: &str = "a member that no format has is noted and never read";
const SELF: &str = "what the file says of itself is no evidence";
const LABEL: &str = "a label: what an item is worth, its signature decides";
const COMMAND: &str = "the quote binds the image; a command that is not known is only noted";
const NOTHING: &str = "its digest is empty, so nothing is bound; the report calls it asserted";
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

const SERVICE: &str = "what the service says of the run is no part of the report data";

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
    Exempt { place: "/receipt/artifacts_sha256", why: "empty, and joined with the others under the report data: nothing is claimed" },
    Exempt { place: "/receipt/egress_log_sha256", why: "empty, and joined with the others under the report data: nothing is claimed" },
    Exempt { place: "/receipt/image_digest", why: "empty, and joined with the others under the report data: nothing is claimed" },
    Exempt { place: "/receipt/policy_sha256", why: "empty, and joined with the others under the report data: nothing is claimed" },
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

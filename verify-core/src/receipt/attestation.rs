//! The attestation block: what the receipt says about the run. In a TDX receipt almost nothing binds it.

use crate::fields::{Fields, Type};
use crate::json::Value;
use crate::problem::Code;
use crate::text::quoted;
use crate::time::Timestamp;

/// The members that checks look at; all others are only type-checked and listed as claims.
pub(crate) struct Attestation<'a> {
    pub(crate) commit: &'a str,
    pub(crate) build_hash: &'a str,
    pub(crate) model_sha256: &'a str,
    pub(crate) llamacpp_commit: &'a str,
    pub(crate) eval_seed: &'a str,
    pub(crate) clocks_pinned: bool,
    pub(crate) pin_target_mhz: i64,
    pub(crate) label: &'a str,
    pub(crate) pass: bool,
    pub(crate) timestamp: Timestamp,
    pub(crate) measurements: &'a Value<'a>,
    pub(crate) verdict: &'a Value<'a>,
}

impl<'a> Attestation<'a> {
    /// Reads the block; members beyond the format are noted.
    pub(crate) fn read(fields: &mut Fields<'a, 'a, '_>) -> Option<Self> {
        fields
            .refuse_unknown(&["code", "references", "environment", "timestamp_utc", "verdict", "measurements"], Code::ReceiptUnknownMember);
        let code = fields.object("code").and_then(|mut code| {
            strings(&mut code, &["repo", "commit", "build_hash", "scoring_scripts_commit"])?;
            Some((code.string("commit")?, code.string("build_hash")?))
        });
        let references = fields.object("references").and_then(|mut references| {
            strings(
                &mut references,
                &["model_sha256", "model_file", "guard_model_sha256", "guard_model_file", "llamacpp_commit", "eval_seed"],
            )?;
            Some((references.string("model_sha256")?, references.string("llamacpp_commit")?, references.string("eval_seed")?))
        });
        let environment = fields.object("environment").and_then(|mut environment| {
            known(&mut environment, ENVIRONMENT)?;
            Some((environment.boolean("clocks_pinned")?, environment.integer::<i64>("pin_target_mhz")?))
        });
        let timestamp = fields.string("timestamp_utc").and_then(|text| match Timestamp::parse_rfc3339(text) {
            Ok(timestamp) => Some(timestamp),
            Err(error) => {
                fields.raise(Code::ReceiptTimestamp, "timestamp_utc", format!("the timestamp is {}: {error}", quoted(text)));
                None
            }
        });
        let verdict = fields.object("verdict").and_then(|mut verdict| {
            known(&mut verdict, VERDICT)?;
            Some((verdict.string("label")?, verdict.boolean("pass")?))
        });
        let measurements = fields.object("measurements").and_then(|mut measurements| check_measurements(&mut measurements));
        let (verdict_value, measurements_value) = (fields.optional("verdict"), fields.optional("measurements"));
        measurements?;
        let ((commit, build_hash), (model_sha256, llamacpp_commit, eval_seed)) = (code?, references?);
        let ((clocks_pinned, pin_target_mhz), (label, pass)) = (environment?, verdict?);
        Some(Self {
            commit,
            build_hash,
            model_sha256,
            llamacpp_commit,
            eval_seed,
            clocks_pinned,
            pin_target_mhz,
            label,
            pass,
            timestamp: timestamp?,
            measurements: measurements_value?,
            verdict: verdict_value?,
        })
    }
}

const ENVIRONMENT: &[(&str, Type)] = &[
    ("eval_mode", Type::String),
    ("decode_tokens", Type::Integer),
    ("gpu_name", Type::String),
    ("gpu_arch", Type::String),
    ("clocks_pinned", Type::Boolean),
    ("clock_mhz", Type::Integer),
    ("clock_spread_mhz", Type::Integer),
    ("pin_target_mhz", Type::Integer),
    ("cuda_version", Type::String),
    ("driver_version", Type::String),
];

const VERDICT: &[(&str, Type)] = &[
    ("model", Type::String),
    ("label", Type::String),
    ("pass", Type::Boolean),
    ("tps", Type::NumberOrNull),
    ("delta_tps", Type::NumberOrNull),
    ("pct_over_frontier", Type::NumberOrNull),
    ("score_context", Type::IntegerOrNull),
    ("best_context_label", Type::String),
    ("context_gains_pct", Type::Object),
    ("regression_labels", Type::Array),
    ("guard_regression_labels", Type::Array),
    ("reason", Type::StringOrNull),
];

/// One of the two shapes that producers write: `primary` with an optional `guard`, or `dflash` with `qwen_guard`.
fn check_measurements(fields: &mut Fields<'_, '_, '_>) -> Option<()> {
    if fields.optional("dflash").is_some() {
        fields.refuse_unknown(&["dflash", "qwen_guard"], Code::ReceiptUnknownMember);
        let dflash = fields.object("dflash").and_then(|mut dflash| known(&mut dflash, DFLASH));
        let guard = fields.object("qwen_guard").and_then(|mut guard| known(&mut guard, QWEN_GUARD));
        return dflash.and(guard);
    }
    fields.refuse_unknown(&["primary", "guard"], Code::ReceiptUnknownMember);
    let primary = fields.object("primary").and_then(|mut primary| {
        let required = primary.require_types(MODEL);
        let contexts = CONTEXTS.map(|context| primary.allow_type(&format!("ctx_{context}_tps"), Type::NumberOrNull));
        let guards = GUARD_CONTEXTS.map(|context| {
            let baseline = primary.allow_type(&format!("guard_{context}_baseline"), Type::NumberOrNull);
            let ratio = primary.allow_type(&format!("guard_{context}_ratio"), Type::NumberOrNull);
            let pass = primary.allow_type(&format!("guard_{context}_pass"), Type::Boolean);
            baseline.and(ratio).and(pass)
        });
        contexts.into_iter().chain(guards).chain([required]).collect::<Option<Vec<()>>>().map(|_| ())
    });
    let guard = match fields.optional("guard") {
        None => Some(()),
        Some(_) => fields.object("guard").and_then(|mut guard| {
            let contexts = CONTEXTS.map(|context| guard.allow_type(&format!("ctx_{context}_tps"), Type::NumberOrNull));
            let required = guard.require_types(&[MODEL, &[("speed_ok", Type::Boolean), ("accuracy_ok", Type::Boolean)]].concat());
            contexts.into_iter().chain([required]).collect::<Option<Vec<()>>>().map(|_| ())
        }),
    };
    primary.and(guard)
}

const CONTEXTS: [&str; 5] = ["128", "512", "4096", "16384", "32768"];
const GUARD_CONTEXTS: [&str; 5] = ["128", "512", "4k", "16k", "32k"];
const MODEL: &[(&str, Type)] =
    &[("model", Type::String), ("model_sha256", Type::String), ("top1", Type::NumberOrNull), ("kl", Type::NumberOrNull)];
const DFLASH: &[(&str, Type)] = &[
    ("pr_dflash_tps", Type::NumberOrNull),
    ("main_dflash_tps", Type::NumberOrNull),
    ("pr_ar_tps", Type::NumberOrNull),
    ("main_ar_tps", Type::NumberOrNull),
    ("mean_accept", Type::NumberOrNull),
    ("spec_agree", Type::String),
    ("speedup_vs_main", Type::NumberOrNull),
    ("speedup_vs_ar", Type::NumberOrNull),
];
const QWEN_GUARD: &[(&str, Type)] = &[("ok", Type::Boolean), ("problems", Type::Array), ("qwen36", Type::Object), ("qwen35", Type::Object)];

/// Exactly these members, with their types; others are noted.
fn known(fields: &mut Fields<'_, '_, '_>, members: &[(&str, Type)]) -> Option<()> {
    let names: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
    fields.refuse_unknown(&names, Code::ReceiptUnknownMember);
    fields.require_types(members)
}

fn strings(fields: &mut Fields<'_, '_, '_>, names: &[&str]) -> Option<()> {
    let members: Vec<(&str, Type)> = names.iter().map(|name| (*name, Type::String)).collect();
    known(fields, &members)
}

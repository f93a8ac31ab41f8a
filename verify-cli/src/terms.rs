//! The terms of a judgement: what is trusted and asked for, and the instant to judge at.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use verify_core::tier::Params;
use verify_core::{Anchors, Instant, Policy, Request, SignerKey, Timestamp, Verifier, escape};

use crate::args::{At, JudgementArgs, TermsArgs};
use crate::inputs::{Failure, Input, read_settings};
use crate::policy;
use crate::score;

/// What is trusted and asked for, alike for every receipt.
pub(crate) struct Judgement {
    pub(crate) verifier: Verifier,
    pub(crate) policy: Policy,
    pub(crate) anchors: Anchors,
    instant: Instant,
    now: Option<Timestamp>,
    params: Option<Params>,
    fresh_collateral: Option<Vec<u8>>,
}

impl Judgement {
    /// Settles what `arguments` say about the receipts at `paths`.
    pub(crate) fn of(arguments: &JudgementArgs, paths: &[PathBuf]) -> Result<Self, Failure> {
        let mut judgement = Self::settled(arguments, paths).map_err(Failure::usage)?;
        judgement.fresh_collateral = read_option("--collateral", arguments.collateral.as_deref())?;
        Ok(judgement)
    }

    fn settled(arguments: &JudgementArgs, paths: &[PathBuf]) -> Result<Self, String> {
        let is_standard_input = |path: &Path| path.as_os_str() == "-";
        if arguments.collateral.as_deref().is_some_and(is_standard_input) && paths.iter().any(|path| is_standard_input(path)) {
            return Err("receipt and collateral cannot both be read from standard input".to_owned());
        }
        let mut policy = policy::load(&arguments.policy)?;
        if let Some(minimum) = arguments.min_eval {
            policy = policy.with_minimum_tcb_evaluation(minimum);
        }
        if let Some(age) = &arguments.max_age {
            policy = policy.with_maximum_age(age).map_err(|error| format!("--max-age: {}", escape(&error.to_string())))?;
        }
        let now = if policy.limits_age() { clock() } else { None };
        let params = arguments.score.as_deref().map(score::params).transpose()?;
        let anchors = anchors(&arguments.terms)?.with_signer_keys(signer_keys(arguments)?);
        let verifier = Verifier::new(policy.clone(), anchors.clone());
        Ok(Self { verifier, policy, anchors, instant: instant(&arguments.terms)?, now, params, fresh_collateral: None })
    }

    /// What is asked about the receipt in `bytes`.
    pub(crate) fn request<'a>(&'a self, bytes: &'a [u8], name: &'a str) -> Request<'a> {
        let mut request = Request::new(bytes).named(name).judged_at(self.instant);
        request = self.now.map_or(request, |now| request.now(now));
        request = self.fresh_collateral.as_deref().map_or(request, |collateral| request.with_fresh_collateral(collateral));
        self.params.as_ref().map_or(request, |params| request.scored_by(params))
    }
}

/// Intel's anchors, or those in the files that were named.
pub(crate) fn anchors(arguments: &TermsArgs) -> Result<Anchors, String> {
    let mut anchors = Anchors::intel();
    if let Some(path) = &arguments.root {
        let named = |error: String| format!("cannot read trust root {}: {}", escape(&path.to_string_lossy()), escape(&error));
        let certificate = read_settings(path).map_err(named)?;
        anchors = Anchors::from_root(&certificate).map_err(|error| named(error.to_string()))?;
    }
    if let Some(path) = &arguments.tcb_signing_cert {
        let named = |error: String| format!("cannot read TCB signing certificate {}: {}", escape(&path.to_string_lossy()), escape(&error));
        let certificate = read_settings(path).map_err(named)?;
        anchors = anchors.with_tcb_signing(&certificate).map_err(|error| named(error.to_string()))?;
    }
    Ok(anchors)
}

/// The one place where the clock is read, and only if the user asks for something that needs it.
pub(crate) fn clock() -> Option<Timestamp> {
    let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?;
    i64::try_from(since_epoch.as_secs()).ok().map(Timestamp::from_unix_seconds)
}

/// What `--at` asks for.
pub(crate) fn instant(arguments: &TermsArgs) -> Result<Instant, String> {
    match arguments.at {
        At::Collateral => Ok(Instant::Collateral),
        At::Given(instant) => Ok(Instant::Given(instant)),
        At::Now => Ok(Instant::Now(clock().ok_or("--at now: the clock of this machine shows no usable time")?)),
    }
}

/// The keys that may sign receipts: those on the command line and those of the files.
fn signer_keys(arguments: &JudgementArgs) -> Result<Vec<SignerKey>, String> {
    let mut keys = arguments.trust_key.clone();
    for path in &arguments.trust_keys {
        let named = |error: String| format!("cannot read signer keys {}: {}", escape(&path.to_string_lossy()), escape(&error));
        keys.extend(read_settings(path).and_then(|file| keys_of_file(&file)).map_err(named)?);
    }
    Ok(keys)
}

/// The keys of a file: one a line, where # starts a comment, or a JSON array of texts. A file without any is a mistake.
fn keys_of_file(file: &[u8]) -> Result<Vec<SignerKey>, String> {
    let text = std::str::from_utf8(file).map_err(|error| format!("byte {}: not UTF-8", error.valid_up_to()))?;
    let entries: Vec<(String, String)> = if text.trim_start().starts_with('[') {
        let keys: Vec<String> = serde_json::from_str(text).map_err(|error| format!("not a JSON array of texts: {error}"))?;
        keys.into_iter().enumerate().map(|(index, key)| (format!("item {index}"), key)).collect()
    } else {
        let lines = text.lines().map(|line| line.split_once('#').map_or(line, |(key, _)| key).trim().to_owned());
        lines.enumerate().filter(|(_, key)| !key.is_empty()).map(|(index, key)| (format!("line {}", index + 1), key)).collect()
    };
    if entries.is_empty() {
        return Err("it holds no key".to_owned());
    }
    entries.into_iter().map(|(place, key)| key.parse().map_err(|error| format!("{place}: {key:?} is {error}"))).collect()
}

/// The file that `option` names beside the receipts.
pub(crate) fn read_option(option: &str, path: Option<&Path>) -> Result<Option<Vec<u8>>, Failure> {
    let read = path.map(|path| Input::named(path).ask(<[u8]>::to_vec)).transpose();
    read.map_err(|failure| {
        let name = escape(&path.unwrap_or(Path::new("")).to_string_lossy());
        Failure { message: format!("{option} {name}: {}", failure.message), ..failure }
    })
}

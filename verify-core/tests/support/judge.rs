//! The vectors of `test-vectors/`, judged as their entries in the manifests ask.

use std::path::Path;

use serde_json::Value;
use verify_core::dcap::verify_quote;
use verify_core::tier::Params;
use verify_core::{Anchors, Expectation, Instant, Policy, QuoteReport, Report, Request, SignerKey, Timestamp, Verifier};

use crate::{run, support};

/// The entries of one of the two manifests.
pub(crate) fn vectors(manifest: &str) -> Vec<Value> {
    let manifest = support::read_json(&support::workspace().join("test-vectors").join(manifest));
    let entries = manifest.get("vectors").unwrap_or(&manifest);
    entries.as_array().cloned().expect("a list of vectors")
}

/// The report about a vector that is a receipt.
pub(crate) fn receipt(folder: &Path, vector: &Value) -> Result<Report, String> {
    let policy = String::from_utf8(support::read(&folder.join(text(&vector["policy"])))).map_err(|error| error.to_string())?;
    let policy: Policy = toml::from_str(&policy).map_err(|error| error.to_string())?;
    let receipt = support::read(&folder.join(text(&vector["receipt"])));
    let mut request = Request::new(&receipt).judged_at(judged(vector));
    request = instant(&vector["now"]).map_or(request, |now| request.now(now));
    let fresh = vector["fresh"]["collateral"].as_str().map(|path| support::read(&folder.join(path)));
    if let Some(fresh) = &fresh {
        request = request.with_fresh_collateral(fresh);
    }
    let expectations = vector["expect"].as_array().into_iter().flatten().map(|expectation| text(expectation).parse::<Expectation>());
    let expectations = expectations.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    let run = run::Run::of(vector["run"].as_str().map(|run| folder.join(run)).as_deref());
    let files = run.files();
    request = request.expecting(&expectations).with_run(&files);
    let input = vector["input"].as_str().map(|path| support::read(&folder.join(path)));
    if let Some(input) = &input {
        request = request.with_input(input);
    }
    let score = vector["score"].as_str().map(|path| String::from_utf8(support::read(&folder.join(path))).expect("UTF-8"));
    let params: Option<Params> = score.map(|text| toml::from_str(&text)).transpose().map_err(|error| error.to_string())?;
    if let Some(params) = &params {
        request = request.scored_by(params);
    }
    Ok(Verifier::new(policy, anchors(folder, &vector["anchors"])?).verify(&request))
}

/// The report about a vector that is a bare quote.
pub(crate) fn quote(folder: &Path, vector: &Value) -> Result<QuoteReport, String> {
    let [quote, collateral] = ["quote", "collateral"].map(|file| support::read(&folder.join(text(&vector[file]))));
    Ok(verify_quote(&quote, &collateral, judged(vector), &anchors(folder, &vector["anchors"])?))
}

fn judged(vector: &Value) -> Instant {
    instant(&vector["at"]).map_or(Instant::Collateral, Instant::Given)
}

fn instant(value: &Value) -> Option<Timestamp> {
    value.as_str().map(|text| Timestamp::parse_rfc3339(text).expect("an instant"))
}

fn anchors(folder: &Path, anchors: &Value) -> Result<Anchors, String> {
    if anchors.as_str() == Some("intel") {
        return Ok(Anchors::intel());
    }
    let keys = anchors["signer_keys"].as_array().into_iter().flatten().map(|key| text(key).parse().expect("a signer key"));
    let keys: Vec<SignerKey> = keys.collect();
    let root = Anchors::from_root(&support::read(&folder.join(text(&anchors["root"])))).map_err(|error| error.to_string())?;
    let root = root.with_signer_keys(keys);
    match anchors["tcb_signing"].as_str() {
        None => Ok(root),
        Some(path) => root.with_tcb_signing(&support::read(&folder.join(path))).map_err(|error| error.to_string()),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

//! The terms of a judgement: the anchors to trust and the instant to judge at.

use std::time::SystemTime;

use verify_core::{Anchors, Instant, Timestamp, escape};

use crate::args::{At, TermsArgs};
use crate::inputs::read_settings;

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

//! TCB levels as Intel writes them: a status with its date and advisories (Intel PCS API version 4).

use crate::facts::TcbStatus;
use crate::fields::Fields;
use crate::json::Value;
use crate::limits;
use crate::problem::Code;
use crate::text;
use crate::time::Timestamp;

/// What Intel says about a level.
#[derive(Clone, Debug)]
pub(crate) struct Level {
    pub(crate) status: TcbStatus,
    pub(crate) date: Timestamp,
    pub(crate) advisories: Vec<String>,
}

/// A level that is reached by one SVN.
#[derive(Clone, Debug)]
pub(crate) struct SvnLevel {
    pub(crate) isv_svn: u16,
    pub(crate) level: Level,
}

impl Level {
    /// Reads `tcbStatus`, `tcbDate` and `advisoryIDs` of a level.
    pub(crate) fn read(fields: &mut Fields<'_, '_, '_>, allowed: &[TcbStatus]) -> Option<Self> {
        let date = fields.date("tcbDate");
        let status = fields.string("tcbStatus").and_then(|name| {
            let status = allowed.iter().copied().find(|status| status.name() == name);
            if status.is_none() {
                fields.raise(Code::TcbStatusUnknown, "tcbStatus", format!("the status {} is not one of Intel's", text::quoted(name)));
            }
            status
        });
        let advisories = match fields.optional("advisoryIDs") {
            None => Some(Vec::new()),
            Some(_) => fields.array("advisoryIDs").and_then(|items| {
                let names: Option<Vec<&str>> = items.iter().map(Value::string).collect();
                if names.is_none() {
                    fields.malformed("advisoryIDs", "an advisory id is not a string".to_owned());
                }
                if names.iter().flatten().any(|name| name.len() > limits::ADVISORY_BYTES) {
                    let message = format!("an advisory id has more than {} bytes", limits::ADVISORY_BYTES);
                    fields.raise(Code::LimitExceeded, "advisoryIDs", message);
                    return None;
                }
                names.map(|names| names.into_iter().map(text::escape).collect())
            }),
        };
        Some(Level { status: status?, date: date?, advisories: advisories? })
    }
}

/// `tcbLevels` of a TDX module or of a QE identity: reached by `tcb.isvsvn`, sorted highest first.
pub(crate) fn read_svn_levels(fields: &mut Fields<'_, '_, '_>, allowed: &[TcbStatus]) -> Option<Vec<SvnLevel>> {
    let mut levels = fields.objects("tcbLevels", |fields| {
        let isv_svn = fields.object("tcb").and_then(|mut tcb| tcb.integer("isvsvn"));
        let level = Level::read(fields, allowed);
        Some(SvnLevel { isv_svn: isv_svn?, level: level? })
    })?;
    levels.sort_by_key(|level| std::cmp::Reverse(level.isv_svn));
    let repeated = levels.windows(2).any(|pair| matches!(pair, [first, second] if first.isv_svn == second.isv_svn));
    if levels.is_empty() || repeated {
        let fault = if levels.is_empty() { "there are no TCB levels" } else { "two TCB levels have the same SVN" };
        fields.malformed("tcbLevels", fault.to_owned());
        return None;
    }
    Some(levels)
}

/// The statuses of a platform.
pub(crate) const PLATFORM_STATUSES: [TcbStatus; 7] = [
    TcbStatus::UpToDate,
    TcbStatus::SWHardeningNeeded,
    TcbStatus::ConfigurationNeeded,
    TcbStatus::ConfigurationAndSWHardeningNeeded,
    TcbStatus::OutOfDate,
    TcbStatus::OutOfDateConfigurationNeeded,
    TcbStatus::Revoked,
];

/// The statuses of a quoting enclave (Intel quote verification library, `parseStringToTcbStatus`).
pub(crate) const QE_STATUSES: [TcbStatus; 5] = [
    TcbStatus::UpToDate,
    TcbStatus::ConfigurationNeeded,
    TcbStatus::OutOfDate,
    TcbStatus::OutOfDateConfigurationNeeded,
    TcbStatus::Revoked,
];

/// The statuses of a TDX module.
pub(crate) const MODULE_STATUSES: [TcbStatus; 3] = [TcbStatus::UpToDate, TcbStatus::OutOfDate, TcbStatus::Revoked];

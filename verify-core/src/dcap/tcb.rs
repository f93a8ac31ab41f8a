//! TCB levels: which one the platform, the TDX module and the QE stand on, and Intel's convergence of the three
//! (Intel PCS API version 4; Intel quote verification library, EvaluateTcb).

use crate::dcap::level::{Level, SvnLevel};
use crate::dcap::qe_identity::QeIdentity;
use crate::dcap::quote::{QeReport, TdReport};
use crate::dcap::sgx_extension::SgxExtension;
use crate::dcap::signed::Authentic;
use crate::dcap::tcb_info::{Module, ModuleIdentity, PlatformLevel, TcbInfo};
use crate::ledger::{Checked, Findings};
use crate::problem::{Code, Location, Problem};
use crate::report::{TcbFacts, TcbStatus};
use crate::text;

/// The level of the TDX module, which has one only if it states a version. Its identity has to be the one that the TCB
/// info gives for that version.
pub(crate) fn module_level(
    report: &Authentic<TdReport<'_>>,
    tcb_info: &Authentic<TcbInfo>,
    findings: &mut Findings,
) -> Checked<Option<Level>> {
    let [svn, version, ..] = *report.tee_tcb_svn;
    if version == 0 {
        check_module_identity(report, &tcb_info.base_module, findings)?;
        return Ok(None);
    }
    let id = format!("TDX_{version:02X}");
    let Some(module) = tcb_info.modules.iter().find(|module| module.id == id) else {
        let message = format!("the TCB info describes no TDX module {id}");
        return Err(findings.stop(Problem::new(Code::ModuleMismatch, Location::document("TCB info"), message).wanted(id)));
    };
    check_module_identity(report, &module.identity, findings)?;
    let level = svn_level(&module.levels, svn.into());
    level
        .map(|level| Some(level.clone()))
        .ok_or_else(|| findings.stop(below_all(&format!("TDX module {}", module_name(module)), &module.levels, svn.into())))
}

fn module_name(module: &Module) -> String {
    text::quoted(&module.id)
}

fn check_module_identity(report: &TdReport<'_>, identity: &ModuleIdentity, findings: &mut Findings) -> Checked<()> {
    let hex = |bytes: &[u8]| data_encoding::HEXLOWER.encode(bytes);
    // Intel demands zero attributes whatever the mask says.
    let attributes_fit = *report.seam_attributes == identity.attributes && *report.seam_attributes == [0; 8];
    for (field, fits, found, wanted) in [
        ("MRSIGNERSEAM", *report.mrsignerseam == identity.mrsigner, hex(report.mrsignerseam), hex(&identity.mrsigner)),
        ("SEAMATTRIBUTES", attributes_fit, hex(report.seam_attributes), hex(&[0; 8])),
    ] {
        if !fits {
            let message = format!("{field} of the TDX module is {found}; wanted {wanted}");
            return Err(findings.stop(Problem::new(Code::ModuleMismatch, Location::document("quote"), message).found(found).wanted(wanted)));
        }
    }
    Ok(())
}

/// Everything that decides the TCB status beside the TDX module's level. Only authentic values get in.
pub(crate) struct Evaluation<'e, 'q> {
    pub(crate) platform: &'e SgxExtension,
    pub(crate) report: &'e Authentic<TdReport<'q>>,
    pub(crate) qe_report: &'e Authentic<QeReport<'q>>,
    pub(crate) tcb_info: &'e Authentic<TcbInfo>,
    pub(crate) qe_identity: &'e Authentic<QeIdentity>,
}

impl Evaluation<'_, '_> {
    /// Converges the levels of platform, QE and `module`, raises what the status means, and returns it with its sources.
    pub(crate) fn status(&self, module: Option<&Level>, findings: &mut Findings) -> Checked<TcbFacts> {
        let Some(platform) = self.tcb_info.levels.iter().find(|level| self.gaps(level).next().is_none()).map(|level| &level.level) else {
            let message = format!("the platform is below every TCB level of the TCB info: {}", self.gap());
            return Err(findings.stop(Problem::new(Code::TcbNoLevel, Location::pointer("TCB info", "/tcbInfo/tcbLevels"), message)));
        };
        let Some(qe) = svn_level(&self.qe_identity.levels, self.qe_report.isv_svn) else {
            return Err(findings.stop(below_all("quoting enclave", &self.qe_identity.levels, self.qe_report.isv_svn)));
        };
        let levels = [Some(platform), Some(qe), module].into_iter().flatten();
        let mut advisories: Vec<String> = Vec::new();
        for advisory in levels.clone().flat_map(|level| &level.advisories) {
            if !advisories.contains(advisory) {
                advisories.push(advisory.clone());
            }
        }
        let facts = TcbFacts {
            status: converge(platform.status, [Some(qe.status), module.map(|level| level.status)]),
            platform: platform.status,
            tdx_module: module.map(|level| level.status),
            quoting_enclave: qe.status,
            tcb_date: levels.map(|level| level.date).min().unwrap_or(platform.date),
            advisories,
            tcb_info_evaluation: self.tcb_info.evaluation,
            qe_identity_evaluation: self.qe_identity.evaluation,
        };
        self.raise(&facts, findings);
        Ok(facts)
    }

    /// Every component of `level` that the platform does not reach, in words. The PCK certificate answers for the SGX
    /// components, the TD report for the TDX ones; of these the first two speak of the TDX module and are skipped where the
    /// module has a level of its own.
    fn gaps<'s>(&'s self, level: &'s PlatformLevel) -> impl Iterator<Item = String> + 's {
        let [_, module_version, ..] = *self.report.tee_tcb_svn;
        let skipped = if module_version > 0 { 2 } else { 0 };
        let below = |name: &'static str, skip: usize, has: &'s [u8; 16], wants: &'s [u8; 16]| {
            let pairs = has.iter().zip(wants).zip(1u8..).skip(skip);
            pairs
                .filter(|((has, wants), _)| has < wants)
                .map(move |((has, wants), number)| format!("{name} component {number} is {has}, wanted {wants}"))
        };
        let pce_svn = self.platform.pce_svn;
        let pce = (pce_svn < level.pce_svn).then(|| format!("PCE SVN is {pce_svn}, wanted {}", level.pce_svn));
        below("SGX", 0, &self.platform.components, &level.sgx_components).chain(pce).chain(below(
            "TDX",
            skipped,
            self.report.tee_tcb_svn,
            &level.tdx_components,
        ))
    }

    /// What keeps the platform from the highest level.
    fn gap(&self) -> String {
        let gaps: Vec<String> = self.tcb_info.levels.first().into_iter().flat_map(|level| self.gaps(level)).collect();
        gaps.join("; ")
    }

    fn raise(&self, facts: &TcbFacts, findings: &mut Findings) {
        let code = match facts.status {
            TcbStatus::UpToDate => None,
            TcbStatus::SWHardeningNeeded => Some(Code::TcbSwHardening),
            TcbStatus::ConfigurationNeeded => Some(Code::TcbConfiguration),
            TcbStatus::ConfigurationAndSWHardeningNeeded => Some(Code::TcbConfigurationSwHardening),
            TcbStatus::OutOfDate => Some(Code::TcbOutOfDate),
            TcbStatus::OutOfDateConfigurationNeeded => Some(Code::TcbOutOfDateConfiguration),
            TcbStatus::Revoked => Some(Code::TcbRevoked),
        };
        let advisories = if facts.advisories.is_empty() { "none".to_owned() } else { facts.advisories.join(", ") };
        let location = Location::document("collateral");
        match code {
            Some(code) => {
                let message = format!("TCB status {}: {}; advisories: {advisories}", facts.status.name(), self.causes(facts));
                findings.raise(Problem::new(code, location, message).found(facts.status.name()).wanted(TcbStatus::UpToDate.name()));
            }
            None if facts.advisories.is_empty() => {}
            None => {
                let message = format!("TCB status UpToDate, with advisories: {advisories}");
                findings.raise(Problem::new(Code::TcbAdvisories, location, message));
            }
        }
    }

    /// Which of the three is not up to date, and by how much.
    fn causes(&self, facts: &TcbFacts) -> String {
        let mut causes = Vec::new();
        if facts.platform != TcbStatus::UpToDate {
            let gap = self.gap();
            let behind = if gap.is_empty() { String::new() } else { format!(" ({gap} for the highest level)") };
            causes.push(format!("platform {}{behind}", facts.platform.name()));
        }
        if let Some(status) = facts.tdx_module.filter(|status| *status != TcbStatus::UpToDate) {
            let [svn, version, ..] = *self.report.tee_tcb_svn;
            causes.push(format!("TDX module TDX_{version:02X} with SVN {svn} {}", status.name()));
        }
        if facts.quoting_enclave != TcbStatus::UpToDate {
            let highest = self.qe_identity.levels.first().map(|level| level.isv_svn).unwrap_or_default();
            let (svn, status) = (self.qe_report.isv_svn, facts.quoting_enclave.name());
            causes.push(format!("quoting enclave with SVN {svn} {status} (highest level: {highest})"));
        }
        causes.join("; ")
    }
}

fn svn_level(levels: &[SvnLevel], svn: u16) -> Option<&Level> {
    levels.iter().find(|level| level.isv_svn <= svn).map(|level| &level.level)
}

fn below_all(what: &str, levels: &[SvnLevel], svn: u16) -> Problem {
    let lowest = levels.last().map(|level| level.isv_svn).unwrap_or_default();
    let message = format!("the {what} has SVN {svn}, below every level of the collateral");
    Problem::new(Code::TcbNoLevel, Location::document("collateral"), message).found(svn.to_string()).wanted(format!("at least {lowest}"))
}

/// Intel's convergence: a component can only make the platform's status worse.
fn converge(platform: TcbStatus, components: [Option<TcbStatus>; 2]) -> TcbStatus {
    let any = |status: TcbStatus| components.contains(&Some(status));
    if platform == TcbStatus::Revoked || any(TcbStatus::Revoked) {
        return TcbStatus::Revoked;
    }
    if !any(TcbStatus::OutOfDate) {
        return platform;
    }
    match platform {
        TcbStatus::UpToDate | TcbStatus::SWHardeningNeeded | TcbStatus::OutOfDate => TcbStatus::OutOfDate,
        TcbStatus::ConfigurationNeeded | TcbStatus::ConfigurationAndSWHardeningNeeded | TcbStatus::OutOfDateConfigurationNeeded => {
            TcbStatus::OutOfDateConfigurationNeeded
        }
        TcbStatus::Revoked => TcbStatus::Revoked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use TcbStatus::{
        ConfigurationAndSWHardeningNeeded, ConfigurationNeeded, OutOfDate, OutOfDateConfigurationNeeded, Revoked, SWHardeningNeeded,
        UpToDate,
    };

    /// Intel's table, row by row: platform, with no worse component, with one out of date, with one revoked.
    #[test]
    fn convergence_is_intels_table() {
        for (platform, fine, out_of_date) in [
            (UpToDate, UpToDate, OutOfDate),
            (SWHardeningNeeded, SWHardeningNeeded, OutOfDate),
            (ConfigurationNeeded, ConfigurationNeeded, OutOfDateConfigurationNeeded),
            (ConfigurationAndSWHardeningNeeded, ConfigurationAndSWHardeningNeeded, OutOfDateConfigurationNeeded),
            (OutOfDate, OutOfDate, OutOfDate),
            (OutOfDateConfigurationNeeded, OutOfDateConfigurationNeeded, OutOfDateConfigurationNeeded),
            (Revoked, Revoked, Revoked),
        ] {
            assert_eq!(converge(platform, [Some(UpToDate), None]), fine);
            assert_eq!(converge(platform, [Some(ConfigurationNeeded), Some(SWHardeningNeeded)]), fine);
            for component in [[Some(OutOfDate), None], [Some(UpToDate), Some(OutOfDate)]] {
                assert_eq!(converge(platform, component), out_of_date);
            }
            for component in [[Some(Revoked), Some(UpToDate)], [Some(OutOfDate), Some(Revoked)]] {
                assert_eq!(converge(platform, component), Revoked);
            }
        }
    }
}

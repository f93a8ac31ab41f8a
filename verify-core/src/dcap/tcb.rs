//! TCB levels: which one the platform, the TDX module and the QE stand on, and Intel's convergence of the three
//! (Intel PCS API version 4; Intel quote verification library, EvaluateTcb).

use data_encoding::HEXLOWER;

use crate::dcap::level::{Level, SvnLevel};
use crate::dcap::qe_identity::QeIdentity;
use crate::dcap::quote::{Body, EnclaveReport, TdReport};
use crate::dcap::sgx_extension::SgxExtension;
use crate::dcap::signed::Authentic;
use crate::dcap::tcb_info::{ModuleIdentity, PlatformLevel, TcbInfo};
use crate::facts::{TcbFacts, TcbStatus};
use crate::ledger::{Checked, Findings, Stopped};
use crate::problem::{Code, Location, Problem};

/// The TDX module as one TEE TCB SVN of the TD report shows it.
pub(crate) struct Module {
    tee_tcb_svn: [u8; 16],
    /// Its level; a module of version 0 has none of its own.
    level: Option<Level>,
}

/// The TDX modules of a TD: the one that launched it, whose identity has to be the one that the TCB info gives for its
/// version, and from TD 1.5 on the one that runs now. An SGX enclave has none.
pub(crate) fn modules(body: &Authentic<Body<'_>>, tcb_info: &Authentic<TcbInfo>, findings: &mut Findings) -> Checked<Vec<Module>> {
    match &**body {
        Body::Enclave(_) => Err(Stopped::NotApplicable("an SGX enclave runs without a TDX module")),
        Body::TrustDomain(report) => {
            check_module_identity(report, tcb_info, findings)?;
            let now = report.td15.map(|td15| td15.tee_tcb_svn2);
            [report.tee_tcb_svn].into_iter().chain(now).map(|svn| Module::find(svn, tcb_info, findings)).collect()
        }
    }
}

fn check_module_identity(report: &TdReport<'_>, tcb_info: &TcbInfo, findings: &mut Findings) -> Checked<()> {
    let [_, version, ..] = *report.tee_tcb_svn;
    let id = module_id(version);
    let identity = match version {
        0 => tcb_info.base_module.as_ref(),
        _ => tcb_info.modules.iter().find(|module| module.id == id).map(|module| &module.identity),
    };
    let Some(ModuleIdentity { mrsigner, attributes }) = identity else {
        let message = format!("the TCB info describes no TDX module {id}");
        return Err(findings.stop(Problem::new(Code::ModuleMismatch, Location::document("TCB info"), message).wanted(id)));
    };
    // Intel demands zero attributes whatever the mask says.
    let attributes_fit = report.seam_attributes == attributes && *report.seam_attributes == [0; 8];
    for (field, fits, found, wanted) in [
        ("MRSIGNERSEAM", report.mrsignerseam == mrsigner, report.mrsignerseam.as_slice(), mrsigner.as_slice()),
        ("SEAMATTRIBUTES", attributes_fit, report.seam_attributes, &[0; 8]),
    ] {
        if !fits {
            let (found, wanted) = (HEXLOWER.encode(found), HEXLOWER.encode(wanted));
            let message = format!("{field} of the TDX module is {found}; wanted {wanted}");
            return Err(findings.stop(Problem::new(Code::ModuleMismatch, Location::document("quote"), message).found(found).wanted(wanted)));
        }
    }
    Ok(())
}

impl Module {
    fn find(tee_tcb_svn: &[u8; 16], tcb_info: &TcbInfo, findings: &mut Findings) -> Checked<Self> {
        let [svn, version, ..] = *tee_tcb_svn;
        let module = Self { tee_tcb_svn: *tee_tcb_svn, level: None };
        if version == 0 {
            return Ok(module);
        }
        let id = module_id(version);
        let levels = tcb_info.modules.iter().find(|module| module.id == id).map(|module| module.levels.as_slice()).unwrap_or_default();
        match svn_level(levels, svn.into()) {
            Some(level) => Ok(Self { level: Some(level.clone()), ..module }),
            None => Err(findings.stop(below_all(&format!("TDX module {id}"), levels, svn.into()))),
        }
    }
}

/// The id of a module of this version in TCB info.
fn module_id(version: u8) -> String {
    format!("TDX_{version:02X}")
}

/// Everything that decides the TCB status. Only authentic values get in.
pub(crate) struct Evaluation<'e, 'q> {
    pub(crate) platform: &'e SgxExtension,
    /// The module that launched the TD, then the one that runs now, as far as the quote is of a TD and says it.
    pub(crate) modules: &'e [Module],
    pub(crate) qe_report: &'e Authentic<EnclaveReport<'q>>,
    pub(crate) tcb_info: &'e Authentic<TcbInfo>,
    pub(crate) qe_identity: &'e Authentic<QeIdentity>,
}

impl Evaluation<'_, '_> {
    /// Converges the levels of platform, QE and TDX module, raises what the status means, and returns it with its sources.
    pub(crate) fn status(&self, findings: &mut Findings) -> Checked<TcbFacts> {
        let mut facts = self.converged(self.modules.first(), findings)?;
        if let Some(running) = self.modules.get(1) {
            let now = self.converged(Some(running), findings)?.status;
            facts.status = relaunched(facts.status, now);
            facts.with_running_module = Some(now);
        }
        self.raise(&facts, findings);
        Ok(facts)
    }

    /// The status with this TDX module, or with none.
    fn converged(&self, module: Option<&Module>, findings: &mut Findings) -> Checked<TcbFacts> {
        let Some(platform) = self.tcb_info.levels.iter().find(|level| self.gaps(level, module).next().is_none()).map(|level| &level.level)
        else {
            let message = format!("the platform is below every TCB level of the TCB info: {}", self.gap(module));
            return Err(findings.stop(Problem::new(Code::TcbNoLevel, Location::pointer("TCB info", "/tcbInfo/tcbLevels"), message)));
        };
        let Some(qe) = svn_level(&self.qe_identity.levels, self.qe_report.isv_svn) else {
            return Err(findings.stop(below_all("quoting enclave", &self.qe_identity.levels, self.qe_report.isv_svn)));
        };
        let module = module.and_then(|module| module.level.as_ref());
        let levels = [Some(platform), Some(qe), module].into_iter().flatten();
        let mut advisories: Vec<String> = Vec::new();
        for advisory in levels.clone().flat_map(|level| &level.advisories) {
            if !advisories.contains(advisory) {
                advisories.push(advisory.clone());
            }
        }
        let module_status = module.map(|level| level.status);
        Ok(TcbFacts {
            status: converge(platform.status, [Some(qe.status), module_status]),
            with_running_module: None,
            platform: platform.status,
            tdx_module: module_status,
            quoting_enclave: qe.status,
            tcb_date: levels.map(|level| level.date).min().unwrap_or(platform.date),
            advisories,
            tcb_info_evaluation: self.tcb_info.evaluation,
            qe_identity_evaluation: self.qe_identity.evaluation,
        })
    }

    /// Every component of `level` that the platform does not reach, in words. The PCK certificate answers for the SGX
    /// components, the TD report for the TDX ones; of these the first two speak of the TDX module and are skipped where the
    /// module has a level of its own.
    fn gaps<'s>(&'s self, level: &'s PlatformLevel, module: Option<&'s Module>) -> impl Iterator<Item = String> + 's {
        let below = |name: &'static str, skip: usize, has: &'s [u8; 16], wants: &'s [u8; 16]| {
            let pairs = has.iter().zip(wants).zip(1u8..).skip(skip);
            pairs
                .filter(|((has, wants), _)| has < wants)
                .map(move |((has, wants), number)| format!("{name} component {number} is {has}, wanted {wants}"))
        };
        let pce_svn = self.platform.pce_svn;
        let pce = (pce_svn < level.pce_svn).then(|| format!("PCE SVN is {pce_svn}, wanted {}", level.pce_svn));
        let tdx = module.into_iter().flat_map(move |module| {
            let skipped = if module.level.is_some() { 2 } else { 0 };
            below("TDX", skipped, &module.tee_tcb_svn, &level.tdx_components)
        });
        below("SGX", 0, &self.platform.components, &level.sgx_components).chain(pce).chain(tdx)
    }

    /// What keeps the platform from the highest level.
    fn gap(&self, module: Option<&Module>) -> String {
        let gaps: Vec<String> = self.tcb_info.levels.first().into_iter().flat_map(|level| self.gaps(level, module)).collect();
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
            TcbStatus::TDRelaunchAdvised => Some(Code::TcbRelaunch),
            TcbStatus::TDRelaunchAdvisedConfigurationNeeded => Some(Code::TcbRelaunchConfiguration),
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

    /// Which of the three was not up to date when the TD was launched, and by how much.
    fn causes(&self, facts: &TcbFacts) -> String {
        let mut causes = Vec::new();
        if facts.platform != TcbStatus::UpToDate {
            let gap = self.gap(self.modules.first());
            let behind = if gap.is_empty() { String::new() } else { format!(" ({gap} for the highest level)") };
            causes.push(format!("platform {}{behind}", facts.platform.name()));
        }
        let named = |module: &Module| {
            let [svn, version, ..] = module.tee_tcb_svn;
            format!("TDX module {} with SVN {svn}", module_id(version))
        };
        if let Some((module, status)) = self.modules.first().zip(facts.tdx_module.filter(|status| *status != TcbStatus::UpToDate)) {
            causes.push(format!("{} {}", named(module), status.name()));
        }
        if facts.quoting_enclave != TcbStatus::UpToDate {
            let highest = self.qe_identity.levels.first().map(|level| level.isv_svn).unwrap_or_default();
            let (svn, status) = (self.qe_report.isv_svn, facts.quoting_enclave.name());
            causes.push(format!("quoting enclave with SVN {svn} {status} (highest level: {highest})"));
        }
        if let Some((running, now)) = self.modules.get(1).zip(facts.with_running_module) {
            causes.push(format!("with the {} that runs now it is {}", named(running), now.name()));
        }
        causes.join("; ")
    }
}

fn svn_level(levels: &[SvnLevel], svn: u16) -> Option<&Level> {
    levels.iter().find(|level| level.isv_svn <= svn).map(|level| &level.level)
}

fn below_all(what: &str, levels: &[SvnLevel], svn: u16) -> Problem {
    let location = Location::document("collateral");
    match levels.last() {
        Some(lowest) => {
            let message = format!("the {what} has SVN {svn}, below every level of the collateral");
            Problem::new(Code::TcbNoLevel, location, message).found(svn.to_string()).wanted(format!("at least {}", lowest.isv_svn))
        }
        None => Problem::new(Code::TcbNoLevel, location, format!("the collateral has no level for the {what}")),
    }
}

/// Where a TD was launched below a level that its platform has reached by now, launching it again is enough (Intel quote
/// verification library, TDRelaunchCheck). Beyond Intel's rule, a level that was revoked or fell out of date since the launch counts.
fn relaunched(launch: TcbStatus, now: TcbStatus) -> TcbStatus {
    use TcbStatus::{
        ConfigurationAndSWHardeningNeeded, ConfigurationNeeded, OutOfDate, OutOfDateConfigurationNeeded, Revoked, SWHardeningNeeded,
        TDRelaunchAdvised, TDRelaunchAdvisedConfigurationNeeded, UpToDate,
    };
    match (launch, now) {
        (_, Revoked) => Revoked,
        (
            UpToDate | SWHardeningNeeded | ConfigurationNeeded | ConfigurationAndSWHardeningNeeded,
            OutOfDate | OutOfDateConfigurationNeeded,
        ) => now,
        (OutOfDate, UpToDate | SWHardeningNeeded) => TDRelaunchAdvised,
        (OutOfDate, ConfigurationNeeded | ConfigurationAndSWHardeningNeeded)
        | (OutOfDateConfigurationNeeded, UpToDate | SWHardeningNeeded | ConfigurationNeeded | ConfigurationAndSWHardeningNeeded) => {
            TDRelaunchAdvisedConfigurationNeeded
        }
        _ => launch,
    }
}

/// Intel's convergence: a component can only make the platform's status worse. One that is neither up to date nor revoked is out
/// of date, whatever Intel calls it (Intel quote verification library, EnclaveReportVerifier).
fn converge(platform: TcbStatus, components: [Option<TcbStatus>; 2]) -> TcbStatus {
    use TcbStatus::{
        ConfigurationAndSWHardeningNeeded, ConfigurationNeeded, OutOfDate, OutOfDateConfigurationNeeded, Revoked, SWHardeningNeeded,
        UpToDate,
    };
    let components = components.into_iter().flatten();
    if components.clone().any(|status| status == Revoked) {
        return Revoked;
    }
    if components.clone().all(|status| status == UpToDate) {
        return platform;
    }
    match platform {
        UpToDate | SWHardeningNeeded => OutOfDate,
        ConfigurationNeeded | ConfigurationAndSWHardeningNeeded => OutOfDateConfigurationNeeded,
        _ => platform,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use TcbStatus::{
        ConfigurationAndSWHardeningNeeded, ConfigurationNeeded, OutOfDate, OutOfDateConfigurationNeeded, Revoked, SWHardeningNeeded,
        UpToDate,
    };

    /// Launch, now, and what follows.
    #[test]
    fn a_relaunch_is_advised_where_it_would_help() {
        use TcbStatus::{TDRelaunchAdvised, TDRelaunchAdvisedConfigurationNeeded};
        for now in [UpToDate, SWHardeningNeeded] {
            assert_eq!(relaunched(OutOfDate, now), TDRelaunchAdvised);
            assert_eq!(relaunched(OutOfDateConfigurationNeeded, now), TDRelaunchAdvisedConfigurationNeeded);
        }
        for now in [ConfigurationNeeded, ConfigurationAndSWHardeningNeeded] {
            assert_eq!(relaunched(OutOfDate, now), TDRelaunchAdvisedConfigurationNeeded);
            assert_eq!(relaunched(OutOfDateConfigurationNeeded, now), TDRelaunchAdvisedConfigurationNeeded);
        }
        for now in [OutOfDate, OutOfDateConfigurationNeeded] {
            assert_eq!(relaunched(OutOfDate, now), OutOfDate);
            assert_eq!(relaunched(OutOfDateConfigurationNeeded, now), OutOfDateConfigurationNeeded);
        }
        for launch in [UpToDate, SWHardeningNeeded, ConfigurationNeeded, ConfigurationAndSWHardeningNeeded, Revoked] {
            assert_eq!(relaunched(launch, UpToDate), launch);
            assert_eq!(relaunched(launch, Revoked), Revoked);
        }
        for launch in [UpToDate, SWHardeningNeeded, ConfigurationNeeded, ConfigurationAndSWHardeningNeeded] {
            assert_eq!(relaunched(launch, OutOfDate), OutOfDate);
            assert_eq!(relaunched(launch, OutOfDateConfigurationNeeded), OutOfDateConfigurationNeeded);
            assert_eq!(relaunched(launch, SWHardeningNeeded), launch);
        }
    }
}

//! Intel's TCB info, version 3, for SGX and for TDX (Intel PCS API version 4).

use std::collections::BTreeSet;

use crate::dcap::level::{self, Level, SvnLevel};
use crate::dcap::quote::Tee;
use crate::facts::ObjectWindow;
use crate::fields::{Fields, Format};
use crate::json::Value;
use crate::ledger::{Checked, Findings, Stopped};
use crate::problem::{Code, Location, Problem};
use crate::text::{is_hex, quoted};

pub(crate) const FORMAT: Format =
    Format { document: "TCB info", missing: Code::TcbInfoMalformed, wrong_type: Code::TcbInfoMalformed, malformed: Code::TcbInfoMalformed };

const POINTER: &str = "/tcbInfo";

#[derive(Clone, Debug)]
pub(crate) struct TcbInfo {
    pub(crate) window: ObjectWindow,
    pub(crate) fmspc: [u8; 6],
    pub(crate) pce_id: [u8; 2],
    pub(crate) evaluation: u32,
    /// Identity of a TDX module of version 0. TCB info for SGX speaks of no module.
    pub(crate) base_module: Option<ModuleIdentity>,
    pub(crate) modules: Vec<Module>,
    /// Highest first; no two are alike.
    pub(crate) levels: Vec<PlatformLevel>,
}

#[derive(Clone, Debug)]
pub(crate) struct ModuleIdentity {
    pub(crate) mrsigner: [u8; 48],
    pub(crate) attributes: [u8; 8],
}

#[derive(Clone, Debug)]
pub(crate) struct Module {
    /// `TDX_` and two hex digits of the module version, in upper case as Intel compares it.
    pub(crate) id: String,
    pub(crate) identity: ModuleIdentity,
    /// Highest first.
    pub(crate) levels: Vec<SvnLevel>,
}

#[derive(Clone, Debug)]
pub(crate) struct PlatformLevel {
    pub(crate) sgx_components: [u8; 16],
    pub(crate) pce_svn: u16,
    /// Zero in TCB info for SGX, which has none.
    pub(crate) tdx_components: [u8; 16],
    pub(crate) level: Level,
}

impl TcbInfo {
    /// Reads the value of `tcbInfo`, which has to be for `tee`. Members that Intel adds later are allowed.
    pub(crate) fn read(value: &Value<'_>, tee: Tee, findings: &mut Findings) -> Checked<Self> {
        let stopped = Stopped::By(Code::TcbInfoMalformed);
        let mut fields = Fields::of(value, POINTER, FORMAT, findings).ok_or(stopped)?;
        let version = fields.integer::<u32>("version").ok_or(stopped)?;
        if version != 3 {
            let message = format!("TCB info version {version} is not supported");
            return Err(refuse(Code::TcbInfoVersion, "version", message, version.to_string(), "3", findings));
        }
        // Version 2 has no id, and other members besides.
        let (id, tcb_type) = (fields.string("id"), fields.integer::<u32>("tcbType"));
        let (id, tcb_type) = (id.ok_or(stopped)?, tcb_type.ok_or(stopped)?);
        if id != tee.name() {
            let (shown, wanted) = (quoted(id), quoted(tee.name()));
            let message = format!("the TCB info is for {shown}, but the quote is of {wanted}");
            return Err(refuse(Code::TcbInfoKind, "id", message, shown, &wanted, findings));
        }
        if tcb_type != 0 {
            let message = format!("TCB type {tcb_type} is not supported");
            return Err(refuse(Code::TcbInfoVersion, "tcbType", message, tcb_type.to_string(), "0", findings));
        }
        Self::read_fields(&mut fields, tee).ok_or_else(|| fields.last())
    }

    fn read_fields(fields: &mut Fields<'_, '_, '_>, tee: Tee) -> Option<Self> {
        let start = fields.date("issueDate");
        let end = fields.date("nextUpdate");
        let fmspc = fields.hex("fmspc");
        let pce_id = fields.hex("pceId");
        let evaluation = fields.integer("tcbEvaluationDataNumber");
        let (base_module, modules) = match tee {
            Tee::Sgx => (Some(None), Some(Vec::new())),
            Tee::Tdx => (
                fields.object("tdxModule").and_then(|mut module| ModuleIdentity::read(&mut module)).map(Some),
                match fields.optional("tdxModuleIdentities") {
                    None => Some(Vec::new()),
                    Some(_) => fields.objects("tdxModuleIdentities", Module::read).and_then(|modules| distinct(fields, modules)),
                },
            ),
        };
        let levels = fields.objects("tcbLevels", |level| PlatformLevel::read(level, tee)).and_then(|levels| sorted(fields, levels));
        Some(Self {
            window: ObjectWindow { object: FORMAT.document, start: start?, end: end? },
            fmspc: fmspc?,
            pce_id: pce_id?,
            evaluation: evaluation?,
            base_module: base_module?,
            modules: modules?,
            levels: levels?,
        })
    }
}

fn refuse(code: Code, name: &str, message: String, found: String, wanted: &str, findings: &mut Findings) -> Stopped {
    let location = Location::pointer(FORMAT.document, format!("{POINTER}/{name}"));
    findings.stop(Problem::new(code, location, message).found(found).wanted(wanted))
}

/// Two identities of one module version would leave its levels open.
fn distinct(fields: &mut Fields<'_, '_, '_>, modules: Vec<Module>) -> Option<Vec<Module>> {
    let ids: BTreeSet<&str> = modules.iter().map(|module| module.id.as_str()).collect();
    if ids.len() < modules.len() {
        fields.malformed("tdxModuleIdentities", "a TDX module has two identities".to_owned());
        return None;
    }
    Some(modules)
}

/// Intel orders the levels by their components; two with the same components would leave the status open.
fn sorted(fields: &mut Fields<'_, '_, '_>, mut levels: Vec<PlatformLevel>) -> Option<Vec<PlatformLevel>> {
    levels.sort_by_key(|level| std::cmp::Reverse(level.key()));
    let repeated = levels.windows(2).any(|pair| matches!(pair, [first, second] if first.key() == second.key()));
    if levels.is_empty() || repeated {
        let fault = if levels.is_empty() { "there are no TCB levels" } else { "two TCB levels have the same components" };
        fields.malformed("tcbLevels", fault.to_owned());
        return None;
    }
    Some(levels)
}

impl ModuleIdentity {
    fn read(fields: &mut Fields<'_, '_, '_>) -> Option<Self> {
        let (mrsigner, attributes, mask) = (fields.hex("mrsigner"), fields.hex("attributes"), fields.hex::<8>("attributesMask"));
        mask?;
        Some(Self { mrsigner: mrsigner?, attributes: attributes? })
    }
}

impl Module {
    fn read(fields: &mut Fields<'_, '_, '_>) -> Option<Self> {
        let is_version = |id: &str| id.to_ascii_lowercase().strip_prefix("tdx_").is_some_and(|version| is_hex(version, 2));
        let id = fields.shaped("id", "TDX_ and two hex digits", is_version).map(str::to_ascii_uppercase);
        let identity = ModuleIdentity::read(fields);
        let levels = level::read_svn_levels(fields, &level::MODULE_STATUSES);
        Some(Self { id: id?, identity: identity?, levels: levels? })
    }
}

impl PlatformLevel {
    fn read(fields: &mut Fields<'_, '_, '_>, tee: Tee) -> Option<Self> {
        let (sgx, pce_svn, tdx) = match fields.object("tcb") {
            None => (None, None, None),
            Some(mut tcb) => {
                let (sgx, pce_svn) = (components(&mut tcb, "sgxtcbcomponents"), tcb.integer("pcesvn"));
                let tdx = match tee {
                    Tee::Sgx => Some([0; 16]),
                    Tee::Tdx => components(&mut tcb, "tdxtcbcomponents"),
                };
                (sgx, pce_svn, tdx)
            }
        };
        let level = Level::read(fields, &level::PLATFORM_STATUSES);
        Some(Self { sgx_components: sgx?, pce_svn: pce_svn?, tdx_components: tdx?, level: level? })
    }

    fn key(&self) -> ([u8; 16], u16, [u8; 16]) {
        (self.sgx_components, self.pce_svn, self.tdx_components)
    }
}

/// A level has exactly 16 components: a missing one must never count as satisfied.
fn components(tcb: &mut Fields<'_, '_, '_>, name: &str) -> Option<[u8; 16]> {
    let svns: Vec<u8> = tcb.objects(name, |component| component.integer("svn"))?;
    let count = svns.len();
    let components = <[u8; 16]>::try_from(svns).ok();
    if components.is_none() {
        tcb.malformed(name, format!("a TCB level has {count} components; wanted 16"));
    }
    components
}

//! Intel's identity of a quoting enclave, version 2 (Intel PCS API version 4).

use crate::dcap::attributes;
use crate::dcap::level::{self, SvnLevel};
use crate::dcap::quote::{EnclaveReport, Tee};
use crate::dcap::signed::Authentic;
use crate::facts::ObjectWindow;
use crate::fields::{Fields, Format};
use crate::json::Value;
use crate::ledger::{Checked, Findings, Stopped};
use crate::problem::{Code, Location, Problem};

pub(crate) const FORMAT: Format = Format {
    document: "QE identity",
    missing: Code::QeIdentityMalformed,
    wrong_type: Code::QeIdentityMalformed,
    malformed: Code::QeIdentityMalformed,
};

#[derive(Clone, Debug)]
pub(crate) struct QeIdentity {
    pub(crate) window: ObjectWindow,
    pub(crate) evaluation: u32,
    miscselect: [u8; 4],
    miscselect_mask: [u8; 4],
    attributes: [u8; 16],
    attributes_mask: [u8; 16],
    mrsigner: [u8; 32],
    isv_prod_id: u16,
    /// Highest first.
    pub(crate) levels: Vec<SvnLevel>,
}

impl QeIdentity {
    /// Reads the value of `enclaveIdentity`, which has to be of the enclave that makes quotes for `tee`. Members that Intel
    /// adds later are allowed.
    pub(crate) fn read(value: &Value<'_>, tee: Tee, findings: &mut Findings) -> Checked<Self> {
        let pointer = "/enclaveIdentity";
        let stopped = Stopped::By(Code::QeIdentityMalformed);
        let mut fields = Fields::of(value, pointer, FORMAT, findings).ok_or(stopped)?;
        let (version, id) = (fields.integer::<u32>("version"), fields.string("id"));
        let (version, id) = (version.ok_or(stopped)?, id.ok_or(stopped)?);
        let wanted = match tee {
            Tee::Sgx => "QE",
            Tee::Tdx => "TD_QE",
        };
        if id != wanted {
            let (shown, wanted) = (crate::text::quoted(id), crate::text::quoted(wanted));
            let message = format!("the identity is of the enclave {shown}, but the quoting enclave for {} is {wanted}", tee.name());
            let location = Location::pointer(FORMAT.document, format!("{pointer}/id"));
            return Err(findings.stop(Problem::new(Code::QeIdentityKind, location, message).found(shown).wanted(wanted)));
        }
        if version != 2 {
            let location = Location::pointer(FORMAT.document, format!("{pointer}/version"));
            let message = format!("QE identity version {version} is not supported");
            return Err(findings.stop(Problem::new(Code::QeIdentityVersion, location, message).found(version.to_string()).wanted("2")));
        }
        let mut fields = Fields::of(value, pointer, FORMAT, findings).ok_or(stopped)?;
        Self::read_fields(&mut fields).ok_or_else(|| fields.last())
    }

    fn read_fields(fields: &mut Fields<'_, '_, '_>) -> Option<Self> {
        let start = fields.date("issueDate");
        let end = fields.date("nextUpdate");
        let evaluation = fields.integer("tcbEvaluationDataNumber");
        let (miscselect, miscselect_mask) = (fields.hex("miscselect"), fields.hex("miscselectMask"));
        let (attributes, attributes_mask) = (fields.hex("attributes"), fields.hex("attributesMask"));
        let mrsigner = fields.hex("mrsigner");
        let isv_prod_id = fields.integer("isvprodid");
        let levels = level::read_svn_levels(fields, &level::QE_STATUSES);
        Some(Self {
            window: ObjectWindow { object: FORMAT.document, start: start?, end: end? },
            evaluation: evaluation?,
            miscselect: miscselect?,
            miscselect_mask: miscselect_mask?,
            attributes: attributes?,
            attributes_mask: attributes_mask?,
            mrsigner: mrsigner?,
            isv_prod_id: isv_prod_id?,
            levels: levels?,
        })
    }

    /// Compares a certified report with this identity: a platform certifies any enclave, and only this one makes quotes.
    pub(crate) fn check(&self, report: &Authentic<EnclaveReport<'_>>, findings: &mut Findings) {
        let hex = |bytes: &[u8]| data_encoding::HEXLOWER.encode(bytes);
        let masked = |bytes: &[u8], mask: &[u8]| bytes.iter().zip(mask).map(|(byte, mask)| byte & mask).collect::<Vec<u8>>();
        let mut compare = |field: &str, found: String, wanted: String| {
            if found != wanted {
                let message =
                    format!("{field} of the enclave that vouches for the attestation key is {found}; the quoting enclave has {wanted}");
                findings
                    .raise(Problem::new(Code::QeIdentityMismatch, Location::document("QE report"), message).found(found).wanted(wanted));
            }
        };
        compare("MRSIGNER", hex(report.mrsigner), hex(&self.mrsigner));
        compare("ISVPRODID", report.isv_prod_id.to_string(), self.isv_prod_id.to_string());
        compare("MISCSELECT (masked)", hex(&masked(report.miscselect, &self.miscselect_mask)), hex(&self.miscselect));
        compare("ATTRIBUTES (masked)", hex(&masked(report.attributes, &self.attributes_mask)), hex(&self.attributes));
        if attributes::is_debug_enclave(report) {
            let message = "the enclave that vouches for the attestation key runs in debug mode";
            findings.raise(Problem::new(Code::QeIdentityMismatch, Location::document("QE report"), message));
        }
    }
}

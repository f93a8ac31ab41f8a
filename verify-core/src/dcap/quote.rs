//! Byte layouts of quotes, versions 3 to 5. All integers are little endian.
//!
//! A quote (Intel SGX ECDSA quote library API, appendix A, for version 3; Intel TDX DCAP quoting library API, appendix 3, for
//! versions 4 and 5) is a header of 48 bytes; in version 5 a descriptor of the body, type 2 and size 4; the body; a length of
//! 4; then that much signature data: quote signature 64, attestation key 64, and the certification of that key: QE report
//! 384, its signature 64, authentication data, and certification data of type 5 with the PEM chain. From version 4 on
//! the certification is itself wrapped, as certification data of type 6. The quote signature covers everything before the
//! length. Every length has to fit exactly.

use std::fmt::{self, Display};

use crate::dcap::signed::Signed;
use crate::ledger::{Checked, Findings, Stopped};
use crate::limits;
use crate::problem::{Code, Location, Problem};

const DOCUMENT: &str = "quote";
const ECDSA_P256: u16 = 2;
const QE_VENDOR_INTEL: [u8; 16] = [0x93, 0x9a, 0x72, 0x33, 0xf7, 0x9c, 0x4c, 0xa9, 0x94, 0x0a, 0x0d, 0xb3, 0x95, 0x7f, 0x06, 0x07];
const CERTIFICATION_QE_REPORT: u16 = 6;
const CERTIFICATION_PCK_CHAIN: u16 = 5;

/// What a quote can be of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tee {
    /// An SGX enclave.
    Sgx,
    /// A TDX trust domain.
    Tdx,
}

/// Which quotes a caller has a use for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accepted {
    Any,
    /// Those of trust domains.
    TrustDomains,
}

/// One kind of quote.
struct Layout {
    version: u16,
    tee: Tee,
    /// Type of the body in the descriptor of version 5.
    body_type: Option<u16>,
    /// Bytes of the body.
    size: usize,
}

const ENCLAVE_REPORT: usize = 384;
const TD10: usize = 584;
const TD15: usize = 648;
const TD15_EX: usize = 885;

/// Every kind of quote that Intel defined so far.
const LAYOUTS: [Layout; 7] = [
    Layout { version: 3, tee: Tee::Sgx, body_type: None, size: ENCLAVE_REPORT },
    Layout { version: 4, tee: Tee::Sgx, body_type: None, size: ENCLAVE_REPORT },
    Layout { version: 4, tee: Tee::Tdx, body_type: None, size: TD10 },
    Layout { version: 5, tee: Tee::Sgx, body_type: Some(1), size: ENCLAVE_REPORT },
    Layout { version: 5, tee: Tee::Tdx, body_type: Some(2), size: TD10 },
    Layout { version: 5, tee: Tee::Tdx, body_type: Some(3), size: TD15 },
    Layout { version: 5, tee: Tee::Tdx, body_type: Some(4), size: TD15_EX },
];

/// The first version that wraps the certification of the attestation key.
const FIRST_WRAPPED: u16 = 4;

/// A quote with the exact layout; nothing in it is authentic yet.
#[derive(Clone, Debug)]
pub(crate) struct Quote<'a> {
    pub(crate) body: Signed<'a, Body<'a>>,
    /// Where the quote signature stands.
    pub(crate) signature_offset: usize,
    /// x and y of the attestation key.
    pub(crate) attestation_key: &'a [u8; 64],
    pub(crate) qe_report: Signed<'a, EnclaveReport<'a>>,
    /// What the QE report's own report data hashes after the key.
    pub(crate) qe_authentication: &'a [u8],
    /// The PCK certificate chain as PEM.
    pub(crate) pck_chain: &'a [u8],
}

/// What a quote is about.
#[derive(Clone, Debug)]
pub(crate) enum Body<'a> {
    Enclave(EnclaveReport<'a>),
    TrustDomain(TdReport<'a>),
}

/// The TD report: 584 bytes (TD 1.0), 648 (TD 1.5) or 885 (TD 1.5Ex, of which the last 237 are under the signature only).
#[derive(Clone, Debug)]
pub(crate) struct TdReport<'a> {
    /// Where the body stands in the quote.
    pub(crate) offset: usize,
    pub(crate) tee_tcb_svn: &'a [u8; 16],
    pub(crate) mrseam: &'a [u8; 48],
    pub(crate) mrsignerseam: &'a [u8; 48],
    pub(crate) seam_attributes: &'a [u8; 8],
    pub(crate) td_attributes: &'a [u8; 8],
    pub(crate) xfam: &'a [u8; 8],
    pub(crate) mrtd: &'a [u8; 48],
    pub(crate) mrconfigid: &'a [u8; 48],
    pub(crate) mrowner: &'a [u8; 48],
    pub(crate) rtmr: [&'a [u8; 48]; 4],
    pub(crate) report_data: &'a [u8; 64],
    /// From TD 1.5 on.
    pub(crate) td15: Option<Td15<'a>>,
}

/// What TD 1.5 adds to a TD report.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Td15<'a> {
    /// SVN of the TDX module that runs now; `tee_tcb_svn` is that of the module that launched the TD.
    pub(crate) tee_tcb_svn2: &'a [u8; 16],
    pub(crate) mrservicetd: &'a [u8; 48],
}

/// An SGX enclave's report: 384 bytes. The quoting enclave has one too.
#[derive(Clone, Debug)]
pub(crate) struct EnclaveReport<'a> {
    /// Where the report stands in the quote.
    pub(crate) offset: usize,
    pub(crate) miscselect: &'a [u8; 4],
    pub(crate) attributes: &'a [u8; 16],
    pub(crate) mrenclave: &'a [u8; 32],
    pub(crate) mrsigner: &'a [u8; 32],
    pub(crate) isv_prod_id: u16,
    pub(crate) isv_svn: u16,
    pub(crate) report_data: &'a [u8; 64],
}

impl Tee {
    /// The number in the header of a quote.
    const fn number(self) -> u32 {
        match self {
            Tee::Sgx => 0,
            Tee::Tdx => 0x81,
        }
    }

    /// The name, which is also the id of its TCB info.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Tee::Sgx => "SGX",
            Tee::Tdx => "TDX",
        }
    }
}

impl Accepted {
    fn layouts(self) -> impl Iterator<Item = &'static Layout> {
        LAYOUTS.iter().filter(move |layout| self == Accepted::Any || layout.tee == Tee::Tdx)
    }
}

impl<'a> Quote<'a> {
    pub(crate) fn read(bytes: &'a [u8], accepted: Accepted, findings: &mut Findings) -> Checked<Self> {
        if bytes.len() > limits::QUOTE_BYTES {
            let message = format!("the quote has {} bytes; at most {} are read", bytes.len(), limits::QUOTE_BYTES);
            return Err(findings.stop(Problem::new(Code::LimitExceeded, Location::document(DOCUMENT), message)));
        }
        let mut cursor = Cursor { bytes, offset: 0, past_end: Code::QuoteTruncated, findings };
        let layout = cursor.header(accepted)?;
        let body = Body::read(layout, &mut cursor)?;
        let signed = cursor.since(0);
        let length = cursor.length_u32("signature data length")?;
        let signature_offset = cursor.offset;
        cursor.take(length, "signature data")?;
        let end = cursor.offset;
        // All bytes together are compared sooner than one after the other, and quotes end in thousands of zeros.
        let is_zero = cursor.rest().iter().fold(0, |bits, byte| bits | byte) == 0;
        if let Some(index) = (!is_zero).then(|| cursor.rest().iter().position(|byte| *byte != 0)).flatten() {
            let message = "bytes after the signed quote are not zero, and nothing authenticates them";
            let location = Location::offset(DOCUMENT, end.saturating_add(index));
            findings.raise(Problem::new(Code::QuoteTrailingBytes, location, message));
        }

        let through = bytes.get(..end).unwrap_or_default();
        let mut cursor = Cursor { bytes: through, offset: signature_offset, past_end: Code::QuoteMalformed, findings };
        let signature: &[u8; 64] = cursor.array("quote signature")?;
        let attestation_key = cursor.array("attestation key")?;
        if layout.version >= FIRST_WRAPPED {
            cursor.certification_type(CERTIFICATION_QE_REPORT, "outer certification data type")?;
            cursor.length_of_rest("outer certification data size")?;
        }
        let qe_offset = cursor.offset;
        let qe_report = EnclaveReport::read(&mut cursor)?;
        let qe_signed = cursor.since(qe_offset);
        let qe_signature: &[u8; 64] = cursor.array("QE report signature")?;
        let length = usize::from(cursor.u16("QE authentication data size")?);
        let qe_authentication = cursor.take(length, "QE authentication data")?;
        cursor.certification_type(CERTIFICATION_PCK_CHAIN, "inner certification data type")?;
        cursor.length_of_rest("inner certification data size")?;
        Ok(Self {
            body: Signed::new(body, signed, signature),
            signature_offset,
            attestation_key,
            qe_report: Signed::new(qe_report, qe_signed, qe_signature),
            qe_authentication,
            pck_chain: cursor.rest(),
        })
    }

    /// The TD report as it stands in the quote, without any reason to believe it.
    pub(crate) fn trust_domain(&self) -> Checked<TdReport<'a>> {
        self.body.unauthenticated().clone().into_trust_domain()
    }

    pub(crate) const fn tee(&self) -> Tee {
        match self.body.unauthenticated() {
            Body::Enclave(_) => Tee::Sgx,
            Body::TrustDomain(_) => Tee::Tdx,
        }
    }
}

impl<'a> Body<'a> {
    fn read(layout: &Layout, cursor: &mut Cursor<'a, '_>) -> Checked<Self> {
        Ok(match layout.tee {
            Tee::Sgx => Body::Enclave(EnclaveReport::read(cursor)?),
            Tee::Tdx => Body::TrustDomain(TdReport::read(layout.size, cursor)?),
        })
    }

    /// The TD report, where the quote is of a trust domain.
    pub(crate) fn into_trust_domain(self) -> Checked<TdReport<'a>> {
        match self {
            Body::TrustDomain(report) => Ok(report),
            Body::Enclave(_) => Err(Stopped::By(Code::QuoteTeeUnsupported)),
        }
    }
}

impl<'a> TdReport<'a> {
    /// Reads a body of `size` bytes: later versions add fields at the end.
    fn read(size: usize, cursor: &mut Cursor<'a, '_>) -> Checked<Self> {
        let offset = cursor.offset;
        let tee_tcb_svn = cursor.array("TEE_TCB_SVN")?;
        let mrseam = cursor.array("MRSEAM")?;
        let mrsignerseam = cursor.array("MRSIGNERSEAM")?;
        let seam_attributes = cursor.array("SEAMATTRIBUTES")?;
        let td_attributes = cursor.array("TDATTRIBUTES")?;
        let xfam = cursor.array("XFAM")?;
        let mrtd = cursor.array("MRTD")?;
        let mrconfigid = cursor.array("MRCONFIGID")?;
        let mrowner = cursor.array("MROWNER")?;
        let _mrownerconfig: &[u8; 48] = cursor.array("MROWNERCONFIG")?;
        let rtmr = [cursor.array("RTMR0")?, cursor.array("RTMR1")?, cursor.array("RTMR2")?, cursor.array("RTMR3")?];
        let report_data = cursor.array("REPORTDATA")?;
        let td15 = match size {
            ..TD15 => None,
            _ => Some(Td15 { tee_tcb_svn2: cursor.array("TEE_TCB_SVN2")?, mrservicetd: cursor.array("MRSERVICETD")? }),
        };
        let _td15_ex = cursor.take(offset.saturating_add(size).saturating_sub(cursor.offset), "rest of the TD report")?;
        Ok(Self {
            offset,
            tee_tcb_svn,
            mrseam,
            mrsignerseam,
            seam_attributes,
            td_attributes,
            xfam,
            mrtd,
            mrconfigid,
            mrowner,
            rtmr,
            report_data,
            td15,
        })
    }
}

impl<'a> EnclaveReport<'a> {
    fn read(cursor: &mut Cursor<'a, '_>) -> Checked<Self> {
        let offset = cursor.offset;
        let _cpu_svn: &[u8; 16] = cursor.array("CPUSVN")?;
        let miscselect = cursor.array("MISCSELECT")?;
        let _reserved: &[u8; 28] = cursor.array("reserved field")?;
        let attributes = cursor.array("ATTRIBUTES")?;
        let mrenclave = cursor.array("MRENCLAVE")?;
        let _reserved: &[u8; 32] = cursor.array("reserved field")?;
        let mrsigner = cursor.array("MRSIGNER")?;
        let _reserved: &[u8; 96] = cursor.array("reserved field")?;
        let isv_prod_id = cursor.u16("ISVPRODID")?;
        let isv_svn = cursor.u16("ISVSVN")?;
        let _reserved: &[u8; 60] = cursor.array("reserved field")?;
        let report_data = cursor.array("REPORTDATA")?;
        Ok(Self { offset, miscselect, attributes, mrenclave, mrsigner, isv_prod_id, isv_svn, report_data })
    }
}

/// A TEE type as it stands in a header, shown with its name.
#[derive(PartialEq)]
struct TeeType(u32);

impl Display for TeeType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = [Tee::Sgx, Tee::Tdx].into_iter().find(|tee| tee.number() == self.0).map_or("unknown", Tee::name);
        write!(formatter, "{:#x} ({name})", self.0)
    }
}

/// Reads fields in order; a field that reaches past the end stops with its name and offset.
struct Cursor<'a, 'f> {
    bytes: &'a [u8],
    offset: usize,
    /// What it means to reach past the end: the file was cut, or a length inside does not fit.
    past_end: Code,
    findings: &'f mut Findings,
}

impl<'a> Cursor<'a, '_> {
    /// Reads the header, and the descriptor where the version has one.
    fn header(&mut self, accepted: Accepted) -> Checked<&'static Layout> {
        let version = self.u16("version")?;
        let key_type = self.u16("attestation key type")?;
        let tee = u32::from_le_bytes(*self.array("TEE type")?);
        let _svns: &[u8; 4] = self.array("QE SVN and PCE SVN")?;
        let vendor: &[u8; 16] = self.array("QE vendor id")?;
        let _user_data: &[u8; 20] = self.array("user data")?;
        if *vendor != QE_VENDOR_INTEL {
            let hex = |bytes: &[u8]| data_encoding::HEXLOWER.encode(bytes);
            self.findings.raise(
                Problem::new(Code::QuoteVendorUnknown, Location::offset(DOCUMENT, 12), "the QE vendor id is not Intel's")
                    .found(hex(vendor))
                    .wanted(hex(&QE_VENDOR_INTEL)),
            );
        }
        let mut layouts: Vec<&'static Layout> = accepted.layouts().collect();
        let versions = layouts.iter().map(|layout| layout.version).collect();
        self.require(Code::QuoteVersionUnsupported, 0, "quote version", version, versions)?;
        layouts.retain(|layout| layout.version == version);
        self.require(Code::QuoteKeyTypeUnsupported, 2, "attestation key type", key_type, vec![ECDSA_P256])?;
        let tees = layouts.iter().map(|layout| TeeType(layout.tee.number())).collect();
        self.require(Code::QuoteTeeUnsupported, 4, "TEE type", TeeType(tee), tees)?;
        layouts.retain(|layout| layout.tee.number() == tee);

        let offset = self.offset;
        let has_descriptor = layouts.iter().any(|layout| layout.body_type.is_some());
        let described = if has_descriptor { Some((self.u16("body type")?, self.length_u32("body size")?)) } else { None };
        let body_type = described.map(|(body_type, _)| body_type);
        let Some(layout) = layouts.iter().find(|layout| layout.body_type == body_type) else {
            let body_types = layouts.iter().filter_map(|layout| layout.body_type).collect();
            return Err(self.unsupported(Code::QuoteVersionUnsupported, offset, "body type", body_type.unwrap_or_default(), body_types));
        };
        match described {
            Some((_, size)) if size != layout.size => {
                let message = format!("the descriptor says that the body has {size} bytes; one of its type has {}", layout.size);
                let problem = Problem::new(Code::QuoteMalformed, Location::offset(DOCUMENT, offset.saturating_add(2)), message);
                Err(self.findings.stop(problem.found(size.to_string()).wanted(layout.size.to_string())))
            }
            _ => Ok(layout),
        }
    }

    fn certification_type(&mut self, wanted: u16, field: &'static str) -> Checked<()> {
        let offset = self.offset;
        let found = self.u16(field)?;
        self.require(Code::QuoteCertificationUnsupported, offset, field, found, vec![wanted])
    }

    /// Stops with `code` unless the field has one of the values that are supported.
    fn require<T: Display + PartialEq>(
        &mut self,
        code: Code,
        offset: usize,
        field: &'static str,
        found: T,
        supported: Vec<T>,
    ) -> Checked<()> {
        if supported.contains(&found) { Ok(()) } else { Err(self.unsupported(code, offset, field, found, supported)) }
    }

    fn unsupported<T: Display + PartialEq>(
        &mut self,
        code: Code,
        offset: usize,
        field: &'static str,
        found: T,
        mut supported: Vec<T>,
    ) -> Stopped {
        supported.dedup();
        let supported: Vec<String> = supported.iter().map(T::to_string).collect();
        let message = format!("the {field} is {found}, which is not supported here");
        let problem = Problem::new(code, Location::offset(DOCUMENT, offset), message);
        self.findings.stop(problem.found(found.to_string()).wanted(supported.join(" or ")))
    }

    /// Reads a length that has to be exactly what is left.
    fn length_of_rest(&mut self, field: &'static str) -> Checked<()> {
        let offset = self.offset;
        let length = self.length_u32(field)?;
        let left = self.rest().len();
        if length == left {
            return Ok(());
        }
        let message = format!("the {field} does not fit: it says {length}, and {left} bytes are left");
        let problem = Problem::new(Code::QuoteMalformed, Location::offset(DOCUMENT, offset), message);
        Err(self.findings.stop(problem.found(length.to_string()).wanted(left.to_string())))
    }

    fn length_u32(&mut self, field: &'static str) -> Checked<usize> {
        let length = u32::from_le_bytes(*self.array(field)?);
        Ok(usize::try_from(length).unwrap_or(usize::MAX))
    }

    fn u16(&mut self, field: &'static str) -> Checked<u16> {
        Ok(u16::from_le_bytes(*self.array(field)?))
    }

    fn array<const N: usize>(&mut self, field: &'static str) -> Checked<&'a [u8; N]> {
        match self.rest().first_chunk() {
            Some(array) => {
                self.offset = self.offset.saturating_add(N);
                Ok(array)
            }
            None => Err(self.truncated(N, field)),
        }
    }

    fn take(&mut self, length: usize, field: &'static str) -> Checked<&'a [u8]> {
        match self.rest().get(..length) {
            Some(bytes) => {
                self.offset = self.offset.saturating_add(length);
                Ok(bytes)
            }
            None => Err(self.truncated(length, field)),
        }
    }

    /// What was read from `start` on.
    fn since(&self, start: usize) -> &'a [u8] {
        self.bytes.get(start..self.offset).unwrap_or_default()
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.offset..).unwrap_or_default()
    }

    fn truncated(&mut self, length: usize, field: &'static str) -> Stopped {
        let left = self.rest().len();
        let message = format!("the {field} needs {length} bytes, and {left} are left");
        let problem = Problem::new(self.past_end, Location::offset(DOCUMENT, self.offset), message);
        self.findings.stop(problem.found(left.to_string()).wanted(length.to_string()))
    }
}

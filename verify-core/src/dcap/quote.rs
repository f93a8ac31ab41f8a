//! Byte layout of a quote: version 4 with a TD 1.0 body. All integers are little endian.
//!
//! Layout (Intel TDX DCAP quote generation, appendix 3): header 48, TD report 584, length 4, then the signature data:
//! quote signature 64, attestation key 64, certification data of type 6 (QE report 384, its signature 64, authentication
//! data, certification data of type 5 with the PEM chain). Every length has to fit exactly.

use crate::dcap::signed::Signed;
use crate::ledger::{Checked, Findings, Stopped};
use crate::limits;
use crate::problem::{Code, Location, Problem};

const DOCUMENT: &str = "quote";
const ECDSA_P256: u16 = 2;
const TEE_TDX: u32 = 0x81;
const QE_VENDOR_INTEL: [u8; 16] = [0x93, 0x9a, 0x72, 0x33, 0xf7, 0x9c, 0x4c, 0xa9, 0x94, 0x0a, 0x0d, 0xb3, 0x95, 0x7f, 0x06, 0x07];
const CERTIFICATION_QE_REPORT: u16 = 6;
const CERTIFICATION_PCK_CHAIN: u16 = 5;
const SIGNED_BYTES: usize = 632;

/// A quote with the exact layout; nothing in it is authentic yet.
#[derive(Clone, Debug)]
pub(crate) struct Quote<'a> {
    pub(crate) trust_domain: Signed<'a, TdReport<'a>>,
    /// x and y of the attestation key.
    pub(crate) attestation_key: &'a [u8; 64],
    pub(crate) qe_report: Signed<'a, QeReport<'a>>,
    /// What the QE report's own report data hashes after the key.
    pub(crate) qe_authentication: &'a [u8],
    /// The PCK certificate chain as PEM.
    pub(crate) pck_chain: &'a [u8],
}

/// The TD report: body of the quote, TD 1.0, 584 bytes.
#[derive(Clone, Debug)]
pub(crate) struct TdReport<'a> {
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
}

/// The QE report: an SGX report body, 384 bytes.
#[derive(Clone, Debug)]
pub(crate) struct QeReport<'a> {
    pub(crate) miscselect: &'a [u8; 4],
    pub(crate) attributes: &'a [u8; 16],
    pub(crate) mrsigner: &'a [u8; 32],
    pub(crate) isv_prod_id: u16,
    pub(crate) isv_svn: u16,
    pub(crate) report_data: &'a [u8; 64],
}

impl<'a> Quote<'a> {
    pub(crate) fn read(bytes: &'a [u8], findings: &mut Findings) -> Checked<Self> {
        if bytes.len() > limits::QUOTE_BYTES {
            let message = format!("the quote has {} bytes; at most {} are read", bytes.len(), limits::QUOTE_BYTES);
            return Err(findings.stop(Problem::new(Code::LimitExceeded, Location::document(DOCUMENT), message)));
        }
        let mut cursor = Cursor { bytes, offset: 0, past_end: Code::QuoteTruncated, findings };
        cursor.header()?;
        let report = TdReport::read(&mut cursor)?;
        let length = cursor.length_u32("signature data length")?;
        let signature_data = cursor.take(length, "signature data")?;
        let padding = cursor.rest();
        if let Some(index) = padding.iter().position(|byte| *byte != 0) {
            let offset = bytes.len().saturating_sub(padding.len()).saturating_add(index);
            let message = "bytes after the signed quote are not zero, and nothing authenticates them";
            findings.raise(Problem::new(Code::QuoteTrailingBytes, Location::offset(DOCUMENT, offset), message));
        }

        let end = bytes.len().saturating_sub(padding.len());
        let through = bytes.get(..end).unwrap_or_default();
        let mut cursor =
            Cursor { bytes: through, offset: end.saturating_sub(signature_data.len()), past_end: Code::QuoteMalformed, findings };
        let signature: &[u8; 64] = cursor.array("quote signature")?;
        let attestation_key = cursor.array("attestation key")?;
        cursor.certification_type(CERTIFICATION_QE_REPORT, "outer certification data type")?;
        cursor.length_of_rest("outer certification data size")?;
        let qe_report_bytes: &[u8; 384] = cursor.array("QE report")?;
        let qe_signature: &[u8; 64] = cursor.array("QE report signature")?;
        let length = usize::from(cursor.u16("QE authentication data size")?);
        let qe_authentication = cursor.take(length, "QE authentication data")?;
        cursor.certification_type(CERTIFICATION_PCK_CHAIN, "inner certification data type")?;
        cursor.length_of_rest("inner certification data size")?;
        let pck_chain = cursor.rest();
        let qe_report = QeReport::read(qe_report_bytes, findings)?;
        Ok(Self {
            trust_domain: Signed::new(report, bytes.get(..SIGNED_BYTES).unwrap_or_default(), signature),
            attestation_key,
            qe_report: Signed::new(qe_report, qe_report_bytes, qe_signature),
            qe_authentication,
            pck_chain,
        })
    }
}

impl<'a> TdReport<'a> {
    fn read(cursor: &mut Cursor<'a, '_>) -> Checked<Self> {
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
        Ok(Self { tee_tcb_svn, mrseam, mrsignerseam, seam_attributes, td_attributes, xfam, mrtd, mrconfigid, mrowner, rtmr, report_data })
    }
}

impl<'a> QeReport<'a> {
    fn read(bytes: &'a [u8; 384], findings: &mut Findings) -> Checked<Self> {
        let mut cursor = Cursor { bytes, offset: 0, past_end: Code::QuoteMalformed, findings };
        let _cpu_svn: &[u8; 16] = cursor.array("QE CPUSVN")?;
        let miscselect = cursor.array("QE MISCSELECT")?;
        let _reserved: &[u8; 28] = cursor.array("QE reserved")?;
        let attributes = cursor.array("QE ATTRIBUTES")?;
        let _mrenclave: &[u8; 32] = cursor.array("QE MRENCLAVE")?;
        let _reserved: &[u8; 32] = cursor.array("QE reserved")?;
        let mrsigner = cursor.array("QE MRSIGNER")?;
        let _reserved: &[u8; 96] = cursor.array("QE reserved")?;
        let isv_prod_id = cursor.u16("QE ISVPRODID")?;
        let isv_svn = cursor.u16("QE ISVSVN")?;
        let _reserved: &[u8; 60] = cursor.array("QE reserved")?;
        let report_data = cursor.array("QE REPORTDATA")?;
        Ok(Self { miscselect, attributes, mrsigner, isv_prod_id, isv_svn, report_data })
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
    fn header(&mut self) -> Checked<()> {
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
        if version != 4 {
            let message = format!("quote version {version} is not supported");
            return Err(self.unsupported(Code::QuoteVersionUnsupported, 0, message, version.into(), 4));
        }
        if key_type != ECDSA_P256 {
            let message = format!("attestation key type {key_type} is not supported");
            return Err(self.unsupported(Code::QuoteKeyTypeUnsupported, 2, message, key_type.into(), ECDSA_P256.into()));
        }
        if tee != TEE_TDX {
            let name = if tee == 0 { " (SGX)" } else { "" };
            let message = format!("TEE type {tee:#x}{name} is not supported");
            return Err(self.unsupported(Code::QuoteTeeUnsupported, 4, message, tee, TEE_TDX));
        }
        Ok(())
    }

    fn unsupported(&mut self, code: Code, offset: usize, message: String, found: u32, wanted: u32) -> Stopped {
        let problem = Problem::new(code, Location::offset(DOCUMENT, offset), message);
        self.findings.stop(problem.found(found.to_string()).wanted(wanted.to_string()))
    }

    fn certification_type(&mut self, wanted: u16, field: &'static str) -> Checked<()> {
        let offset = self.offset;
        let found = self.u16(field)?;
        if found == wanted {
            return Ok(());
        }
        let message = format!("the {field} is {found}, which is not supported here");
        Err(self.unsupported(Code::QuoteCertificationUnsupported, offset, message, found.into(), wanted.into()))
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

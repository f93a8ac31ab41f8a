//! Version 4 quotes with a TD 1.0 body.

use crate::edits::Edits;
use crate::pki::{Key, sha256};

/// Offsets in a quote, for vectors that change single fields.
pub(crate) const QE_SVN: usize = 8;
pub(crate) const BODY: usize = 48;
pub(crate) const SIGNATURE_LENGTH: usize = 632;
pub(crate) const SIGNATURE: usize = 636;
pub(crate) const ATTESTATION_KEY: usize = SIGNATURE + 64;
pub(crate) const OUTER_LENGTH: usize = SIGNATURE + 130;
pub(crate) const QE_REPORT: usize = SIGNATURE + 134;
pub(crate) const QE_REPORT_SIGNATURE: usize = QE_REPORT + 384;
pub(crate) const AUTH_LENGTH: usize = QE_REPORT_SIGNATURE + 64;

const INTEL_VENDOR: &str = "939a7233f79c4ca9940a0db3957f0607";
const INTEL_QE_SIGNER: &str = "dc9e2a7c6f948f17474e34a7fc43ed030f7c1563f1babddf6340c82e0e54a8c5";

pub(crate) fn hex(text: &str) -> Vec<u8> {
    data_encoding::HEXLOWER.decode(text.as_bytes()).expect("lower-case hex")
}

/// 48 bytes that follow from a name, in the place of a real measurement.
pub(crate) fn measurement(name: &str) -> Vec<u8> {
    [&sha256(name)[..], &sha256(format!("{name}, continued"))[..16]].concat()
}

/// The measured part of the TD report.
pub(crate) struct Body {
    pub(crate) tee_tcb_svn: [u8; 16],
    pub(crate) module_signer: Vec<u8>,
    pub(crate) module_attributes: u64,
    pub(crate) td_attributes: u64,
    pub(crate) xfam: u64,
    pub(crate) mrtd: Vec<u8>,
    pub(crate) rtmr: [Vec<u8>; 4],
    pub(crate) report_data: Vec<u8>,
}

impl Body {
    fn bytes(&self) -> Vec<u8> {
        let zeros = vec![0; 48];
        let [rtmr0, rtmr1, rtmr2, rtmr3] = &self.rtmr;
        let config_owner = [&zeros[..], &zeros, &zeros].concat();
        [
            &self.tee_tcb_svn[..],
            &measurement("test TDX module"),
            &self.module_signer,
            &self.module_attributes.to_le_bytes(),
            &self.td_attributes.to_le_bytes(),
            &self.xfam.to_le_bytes(),
            &self.mrtd,
            &config_owner,
            rtmr0,
            rtmr1,
            rtmr2,
            rtmr3,
            &self.report_data,
        ]
        .concat()
    }
}

/// The report of the quoting enclave.
pub(crate) struct QeReport {
    pub(crate) misc_select: u32,
    pub(crate) flags: u64,
    pub(crate) signer: Vec<u8>,
    pub(crate) product: u16,
    pub(crate) svn: u16,
    /// Changes to the 64 bytes of report data.
    pub(crate) report_data: Edits<[u8]>,
}

impl QeReport {
    fn bytes(&self, key_and_auth: &[u8]) -> Vec<u8> {
        let mut report_data = [&sha256(key_and_auth)[..], &[0; 32]].concat();
        self.report_data.apply(&mut report_data);
        [
            &[3, 3, 2, 2, 1, 1, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0][..],
            &self.misc_select.to_le_bytes(),
            &[0; 28],
            &self.flags.to_le_bytes(),
            &0xe7u64.to_le_bytes(),
            &sha256("test quoting enclave"),
            &[0; 32],
            &self.signer,
            &[0; 96],
            &self.product.to_le_bytes(),
            &self.svn.to_le_bytes(),
            &[0; 60],
            &report_data,
        ]
        .concat()
    }
}

/// A quote before it is signed.
pub(crate) struct Quote {
    pub(crate) version: u16,
    pub(crate) key_type: u16,
    pub(crate) tee: u32,
    pub(crate) vendor: Vec<u8>,
    pub(crate) body: Body,
    pub(crate) qe: QeReport,
    pub(crate) attestation_key: Key,
    /// Stands in the quote in the place of the attestation key's own coordinates.
    pub(crate) key_coordinates: Option<[u8; 64]>,
    pub(crate) auth: Vec<u8>,
    pub(crate) outer_type: u16,
    pub(crate) inner_type: u16,
    /// Changes to the certificates of the chain, in PEM, and then to the whole text.
    pub(crate) certificates: Edits<Vec<String>>,
    pub(crate) pem: Edits<String>,
    /// Bytes between the end of the signature data and the padding.
    pub(crate) slack: usize,
    /// Zero bytes are added up to this length.
    pub(crate) padded_to: usize,
    /// Changes to the finished bytes.
    pub(crate) afterwards: Edits<Vec<u8>>,
}

impl Default for Quote {
    fn default() -> Self {
        Self {
            version: 4,
            key_type: 2,
            tee: 0x81,
            vendor: hex(INTEL_VENDOR),
            body: Body {
                tee_tcb_svn: [5, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
                module_signer: vec![0; 48],
                module_attributes: 0,
                td_attributes: 1 << 28,
                xfam: 0x602e7,
                mrtd: measurement("test TD, mrtd"),
                rtmr: [measurement("test TD, rtmr0"), measurement("test TD, rtmr1"), measurement("test TD, rtmr2"), vec![0; 48]],
                report_data: vec![0; 64],
            },
            qe: QeReport { misc_select: 0, flags: 0x15, signer: hex(INTEL_QE_SIGNER), product: 2, svn: 6, report_data: Edits::default() },
            attestation_key: Key::named("attestation key"),
            key_coordinates: None,
            auth: vec![0; 32],
            outer_type: 6,
            inner_type: 5,
            certificates: Edits::default(),
            pem: Edits::default(),
            slack: 0,
            padded_to: 0,
            afterwards: Edits::default(),
        }
    }
}

impl Quote {
    /// Signs with the attestation key, and the QE report with the platform's key.
    pub(crate) fn bytes(&self, mut chain: Vec<String>, pck: &Key) -> Vec<u8> {
        self.certificates.apply(&mut chain);
        let mut pem = chain.concat();
        self.pem.apply(&mut pem);

        let signed = [
            &self.version.to_le_bytes()[..],
            &self.key_type.to_le_bytes(),
            &self.tee.to_le_bytes(),
            &[0; 4],
            &self.vendor,
            &[0; 20],
            &self.body.bytes(),
        ]
        .concat();
        let key = self.key_coordinates.unwrap_or_else(|| self.attestation_key.coordinates());
        let qe_report = self.qe.bytes(&[&key[..], &self.auth].concat());
        let certification = [
            &qe_report[..],
            &pck.sign(&qe_report),
            &(self.auth.len() as u16).to_le_bytes(),
            &self.auth,
            &self.inner_type.to_le_bytes(),
            &(pem.len() as u32).to_le_bytes(),
            pem.as_bytes(),
        ]
        .concat();
        let signature_data = [
            &self.attestation_key.sign(&signed)[..],
            &key,
            &self.outer_type.to_le_bytes(),
            &(certification.len() as u32).to_le_bytes(),
            &certification,
            &vec![0; self.slack],
        ]
        .concat();
        let mut quote = [&signed[..], &(signature_data.len() as u32).to_le_bytes(), &signature_data].concat();
        quote.resize(self.padded_to.max(quote.len()), 0);
        self.afterwards.apply(&mut quote);
        quote
    }
}

/// Adds to the little-endian u32 at `offset`.
pub(crate) fn add_to_length(bytes: &mut [u8], offset: usize, change: i32) {
    let field: &mut [u8; 4] = (&mut bytes[offset..offset + 4]).try_into().expect("four bytes");
    *field = u32::from_le_bytes(*field).wrapping_add_signed(change).to_le_bytes();
}

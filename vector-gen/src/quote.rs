//! Quotes of versions 3 to 5, of trust domains and of SGX enclaves.

use crate::edits::Edits;
use crate::pki::{Key, sha256};

/// Offsets in a quote of version 4 with a TD 1.0 body, for vectors that change single fields.
pub const QE_SVN: usize = 8;
pub const BODY: usize = 48;
/// The same in a quote of version 5.
pub const BODY_V5: usize = 54;
pub const SIGNATURE_LENGTH: usize = 632;
pub const SIGNATURE: usize = 636;
pub const ATTESTATION_KEY: usize = SIGNATURE + 64;
pub const OUTER_LENGTH: usize = SIGNATURE + 130;
pub const QE_REPORT: usize = SIGNATURE + 134;
pub const QE_REPORT_SIGNATURE: usize = QE_REPORT + 384;
pub const AUTH_LENGTH: usize = QE_REPORT_SIGNATURE + 64;

const INTEL_VENDOR: &str = "939a7233f79c4ca9940a0db3957f0607";
const INTEL_TD_QE_SIGNER: &str = "dc9e2a7c6f948f17474e34a7fc43ed030f7c1563f1babddf6340c82e0e54a8c5";
pub const INTEL_QE_SIGNER: &str = "8c4f5775d796503e96137f77c68a829a0056ac8ded70140b081b094490c57bff";

/// Bytes that TD 1.5Ex adds to TD 1.5.
const TD15_EX: usize = 237;

pub fn hex(text: &str) -> Vec<u8> {
    data_encoding::HEXLOWER.decode(text.as_bytes()).expect("lower-case hex")
}

/// 48 bytes that follow from a name, in the place of a real measurement.
pub fn measurement(name: &str) -> Vec<u8> {
    [&sha256(name)[..], &sha256(format!("{name}, continued"))[..16]].concat()
}

/// The measured part of the TD report.
pub struct Body {
    pub tee_tcb_svn: [u8; 16],
    pub module_signer: Vec<u8>,
    pub module_attributes: u64,
    pub td_attributes: u64,
    pub xfam: u64,
    pub mrtd: Vec<u8>,
    pub rtmr: [Vec<u8>; 4],
    pub report_data: Vec<u8>,
    /// What a TD 1.5 body adds.
    pub td15: Option<Td15>,
}

/// The end of a TD 1.5 body.
pub struct Td15 {
    pub tee_tcb_svn2: [u8; 16],
    pub service_td: Vec<u8>,
    /// Whether the fields of TD 1.5Ex follow.
    pub extended: bool,
}

impl Td15 {
    fn bytes(&self) -> Vec<u8> {
        let extension = vec![0x5a; if self.extended { TD15_EX } else { 0 }];
        [&self.tee_tcb_svn2[..], &self.service_td, &extension].concat()
    }
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
            &self.td15.as_ref().map_or(Vec::new(), Td15::bytes),
        ]
        .concat()
    }
}

/// The report of an SGX enclave: of the quoting enclave, or of the one that a quote is of.
pub struct EnclaveReport {
    pub name: &'static str,
    pub misc_select: u32,
    pub flags: u64,
    /// The state components that the enclave may use.
    pub xfrm: u64,
    pub signer: Vec<u8>,
    pub product: u16,
    pub svn: u16,
    /// Changes to the 64 bytes of report data.
    pub report_data: Edits<[u8]>,
}

impl EnclaveReport {
    /// An enclave that a quote can be of.
    pub fn attested() -> Self {
        Self {
            name: "test enclave",
            misc_select: 0,
            flags: 0x5,
            xfrm: 0xe7,
            signer: sha256("test enclave signer").to_vec(),
            product: 3,
            svn: 1,
            report_data: Edits::default(),
        }
    }

    /// The report over the hash of `data`.
    fn bytes(&self, data: &[u8]) -> Vec<u8> {
        let mut report_data = [&sha256(data)[..], &[0; 32]].concat();
        self.report_data.apply(&mut report_data);
        [
            &[3, 3, 2, 2, 1, 1, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0][..],
            &self.misc_select.to_le_bytes(),
            &[0; 28],
            &self.flags.to_le_bytes(),
            &self.xfrm.to_le_bytes(),
            &sha256(self.name),
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
pub struct Quote {
    pub version: u16,
    pub key_type: u16,
    pub tee: u32,
    pub vendor: Vec<u8>,
    pub body: Body,
    /// Stands in the quote in the place of the body.
    pub enclave: Option<EnclaveReport>,
    /// Type and size in the descriptor of version 5, where they are not those of the body.
    pub body_type: Option<u16>,
    pub body_size: Option<u32>,
    /// Whether the signature covers the descriptor.
    pub descriptor_is_signed: bool,
    pub qe: EnclaveReport,
    pub attestation_key: Key,
    /// Stands in the quote in the place of the attestation key's own coordinates.
    pub key_coordinates: Option<[u8; 64]>,
    pub auth: Vec<u8>,
    /// Whether the certification of the attestation key is wrapped, as from version 4 on.
    pub wrapped: bool,
    pub outer_type: u16,
    pub inner_type: u16,
    /// Changes to the certificates of the chain, in PEM, and then to the whole text.
    pub certificates: Edits<Vec<String>>,
    pub pem: Edits<String>,
    /// Bytes between the end of the signature data and the padding.
    pub slack: usize,
    /// Zero bytes are added up to this length.
    pub padded_to: usize,
    /// Changes to the finished bytes.
    pub afterwards: Edits<Vec<u8>>,
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
                td15: None,
            },
            enclave: None,
            body_type: None,
            body_size: None,
            descriptor_is_signed: true,
            qe: EnclaveReport {
                name: "test quoting enclave",
                misc_select: 0,
                flags: 0x15,
                xfrm: 0xe7,
                signer: hex(INTEL_TD_QE_SIGNER),
                product: 2,
                svn: 6,
                report_data: Edits::default(),
            },
            attestation_key: Key::named("attestation key"),
            key_coordinates: None,
            auth: vec![0; 32],
            wrapped: true,
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
    pub fn bytes(&self, mut chain: Vec<String>, pck: &Key) -> Vec<u8> {
        self.certificates.apply(&mut chain);
        let mut pem = chain.concat();
        self.pem.apply(&mut pem);

        let header =
            [&self.version.to_le_bytes()[..], &self.key_type.to_le_bytes(), &self.tee.to_le_bytes(), &[0; 4], &self.vendor, &[0; 20]]
                .concat();
        let body = self.enclave.as_ref().map_or_else(|| self.body.bytes(), |enclave| enclave.bytes(b"what the test enclave says"));
        let descriptor = self.descriptor(body.len());
        let message = if self.descriptor_is_signed { [&header[..], &descriptor, &body].concat() } else { [&header[..], &body].concat() };
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
        let wrapper = match self.wrapped {
            true => [&self.outer_type.to_le_bytes()[..], &(certification.len() as u32).to_le_bytes()].concat(),
            false => Vec::new(),
        };
        let signature_data = [&self.attestation_key.sign(&message)[..], &key, &wrapper, &certification, &vec![0; self.slack]].concat();
        let mut quote = [&header[..], &descriptor, &body, &(signature_data.len() as u32).to_le_bytes(), &signature_data].concat();
        quote.resize(self.padded_to.max(quote.len()), 0);
        self.afterwards.apply(&mut quote);
        quote
    }

    /// Type and size of the body, which version 5 begins to state.
    fn descriptor(&self, size: usize) -> Vec<u8> {
        if self.version != 5 {
            return Vec::new();
        }
        let body_type = match (&self.enclave, &self.body.td15) {
            (Some(_), _) => 1,
            (None, None) => 2,
            (None, Some(Td15 { extended: false, .. })) => 3,
            (None, Some(Td15 { extended: true, .. })) => 4,
        };
        [&self.body_type.unwrap_or(body_type).to_le_bytes()[..], &self.body_size.unwrap_or(size as u32).to_le_bytes()].concat()
    }
}

/// Adds to the little-endian u32 at `offset`.
pub fn add_to_length(bytes: &mut [u8], offset: usize, change: i32) {
    let field: &mut [u8; 4] = (&mut bytes[offset..offset + 4]).try_into().expect("four bytes");
    *field = u32::from_le_bytes(*field).wrapping_add_signed(change).to_le_bytes();
}

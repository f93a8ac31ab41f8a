//! A good quote with its collateral, in parts: whoever replaces one gets it signed again, by the keys of the test PKI.

use std::sync::LazyLock;

use data_encoding::{BASE64, HEXLOWER};
use serde_json::json;
use vector_gen::collateral::pck_crl_url;
use vector_gen::der;
use vector_gen::pki::{Algorithm, Key, PLATFORM_NAME, sha256};
use vector_gen::quote::{BODY, QE_REPORT, QE_REPORT_SIGNATURE, SIGNATURE_LENGTH};
use vector_gen::receipt::Material;

use crate::tree::Node;

/// What one signature covers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Part {
    /// Header and TD report of the quote.
    Body,
    QeReport,
    Leaf,
    Intermediate,
    Root,
    /// The certificate of the TCB signer.
    Signer,
    PckCrl,
    RootCrl,
    TcbInfo,
    QeIdentity,
}

/// The attestation key's name is that of the vectors.
static KEYS: LazyLock<[Key; 5]> = LazyLock::new(|| ["attestation key", "PCK", "platform CA", "root", "TCB signing"].map(Key::named));

static GOOD: LazyLock<Evidence> = LazyLock::new(Evidence::make);

impl Part {
    pub const ALL: [Part; 10] = [
        Part::Body,
        Part::QeReport,
        Part::Leaf,
        Part::Intermediate,
        Part::Root,
        Part::Signer,
        Part::PckCrl,
        Part::RootCrl,
        Part::TcbInfo,
        Part::QeIdentity,
    ];

    /// Whether a certificate or CRL is made of it.
    pub const fn is_der(self) -> bool {
        !matches!(self, Part::Body | Part::QeReport | Part::TcbInfo | Part::QeIdentity)
    }

    fn key(self) -> &'static Key {
        let [attestation, pck, platform_ca, root, tcb_signing] = &*KEYS;
        match self {
            Part::Body => attestation,
            Part::QeReport => pck,
            Part::Leaf | Part::PckCrl => platform_ca,
            Part::Intermediate | Part::Root | Part::Signer | Part::RootCrl => root,
            Part::TcbInfo | Part::QeIdentity => tcb_signing,
        }
    }

    /// The signature over `signed`, or the certificate or CRL around both.
    fn seal(self, signed: &[u8]) -> Vec<u8> {
        if self.is_der() { self.key().seal(Algorithm::Sha256, signed) } else { self.key().sign(signed).to_vec() }
    }
}

#[derive(Clone)]
pub struct Evidence {
    parts: [Sealed; Part::ALL.len()],
    /// The quoting enclave's authentication data.
    auth: Vec<u8>,
    /// The certificates in the quote.
    pub chain: Vec<Part>,
}

#[derive(Clone)]
struct Sealed {
    signed: Vec<u8>,
    seal: Vec<u8>,
}

impl Evidence {
    /// That of a TD 1.0 on a platform that is up to date.
    pub fn good() -> &'static Self {
        &GOOD
    }

    fn make() -> Self {
        let mut material = Material::classic();
        let [quote, _] = material.evidence();
        let Material { root, ca, pck, collateral, .. } = &material;
        let signer = &collateral.signer_chain[0];
        let signed_part = |sealed: Vec<u8>| Node::read(&sealed).expect("DER").nodes()[0].der();
        let parts = [
            quote[..SIGNATURE_LENGTH].to_vec(),
            quote[QE_REPORT..QE_REPORT_SIGNATURE].to_vec(),
            signed_part(pck.der()),
            signed_part(ca.der()),
            signed_part(root.der()),
            signed_part(signer.der()),
            signed_part(collateral.pck_crl.der()),
            signed_part(collateral.root_crl.der()),
            collateral.tcb_info.body.compact().into_bytes(),
            collateral.qe_identity.body.compact().into_bytes(),
        ];
        let mut number = 0;
        let parts = parts.map(|signed| {
            let part = Part::ALL[number];
            number += 1;
            Sealed { seal: part.seal(&signed), signed }
        });
        Self { parts, auth: material.quote.auth, chain: vec![Part::Leaf, Part::Intermediate, Part::Root] }
    }

    pub fn signed(&self, part: Part) -> &[u8] {
        &self.parts[part as usize].signed
    }

    fn seal(&self, part: Part) -> &[u8] {
        &self.parts[part as usize].seal
    }

    /// Puts `signed` in the place of a part, and signs it where it differs.
    pub fn replace(&mut self, part: Part, signed: Vec<u8>) {
        if signed != self.signed(part) {
            self.parts[part as usize] = Sealed { seal: part.seal(&signed), signed };
        }
    }

    /// Takes other authentication data, which the QE report then binds.
    pub fn authenticate(&mut self, auth: Vec<u8>) {
        let hash = sha256([&Part::Body.key().coordinates()[..], &auth].concat());
        let mut report = self.signed(Part::QeReport).to_vec();
        if let Some(data) = report.get_mut(QE_REPORT_DATA..QE_REPORT_DATA + hash.len()) {
            data.copy_from_slice(&hash);
        }
        self.replace(Part::QeReport, report);
        self.auth = auth;
    }

    /// The certificate or CRL that is made of a part.
    pub fn der(&self, part: Part) -> &[u8] {
        assert!(part.is_der(), "{part:?} is signed in another form");
        self.seal(part)
    }

    pub fn quote(&self) -> Vec<u8> {
        let chain = self.pem(&self.chain);
        let length = |bytes: &[u8]| u32::try_from(bytes.len()).expect("a short part").to_le_bytes();
        let certification = [
            self.signed(Part::QeReport),
            self.seal(Part::QeReport),
            &u16::try_from(self.auth.len()).expect("short authentication data").to_le_bytes(),
            &self.auth,
            &5u16.to_le_bytes(),
            &length(chain.as_bytes()),
            chain.as_bytes(),
        ]
        .concat();
        let key = Part::Body.key().coordinates();
        let wrapper = [&6u16.to_le_bytes()[..], &length(&certification)].concat();
        let signature = [self.seal(Part::Body), &key, &wrapper, &certification].concat();
        [self.signed(Part::Body), &length(&signature), &signature].concat()
    }

    /// The collateral as the Polaris item map.
    pub fn item_map(&self) -> Vec<u8> {
        let document = |name: &str, part: Part| {
            let signature = HEXLOWER.encode(self.seal(part));
            [format!("{{\"{name}\":").as_bytes(), self.signed(part), format!(",\"signature\":\"{signature}\"}}").as_bytes()].concat()
        };
        let items = [
            (pck_crl_url(PLATFORM_NAME), self.seal(Part::PckCrl).to_vec()),
            (
                "https://api.trustedservices.intel.com/tdx/certification/v4/qe/identity".to_owned(),
                document("enclaveIdentity", Part::QeIdentity),
            ),
            (
                "https://api.trustedservices.intel.com/tdx/certification/v4/tcb?fmspc=00a1b2c3d4e5".to_owned(),
                document("tcbInfo", Part::TcbInfo),
            ),
            ("https://certificates.trustedservices.intel.com/IntelSGXRootCA.der".to_owned(), self.seal(Part::RootCrl).to_vec()),
        ];
        let items: serde_json::Map<_, _> = items.into_iter().map(|(url, item)| (url, BASE64.encode(&item).into())).collect();
        json!({ "items": items, "urls": [], "v": 1 }).to_string().into_bytes()
    }

    /// The collateral as QuoteCollateralV3, with the issuers' chains. `None` where a document is no text.
    pub fn v3(&self) -> Option<Vec<u8>> {
        let text = |part: Part| std::str::from_utf8(self.signed(part)).ok();
        let hex = |part: Part| HEXLOWER.encode(self.seal(part));
        let signer_chain = self.pem(&[Part::Signer, Part::Root]);
        let collateral = json!({
            "pck_crl_issuer_chain": self.pem(&[Part::Intermediate, Part::Root]),
            "root_ca_crl": hex(Part::RootCrl),
            "pck_crl": hex(Part::PckCrl),
            "tcb_info_issuer_chain": signer_chain,
            "tcb_info": text(Part::TcbInfo)?,
            "tcb_info_signature": hex(Part::TcbInfo),
            "qe_identity_issuer_chain": signer_chain,
            "qe_identity": text(Part::QeIdentity)?,
            "qe_identity_signature": hex(Part::QeIdentity),
        });
        Some(collateral.to_string().into_bytes())
    }

    fn pem(&self, certificates: &[Part]) -> String {
        certificates.iter().map(|part| der::pem("CERTIFICATE", self.der(*part))).collect()
    }
}

/// Where the TD report begins in [`Part::Body`].
pub const TD_REPORT: usize = BODY;

/// Where the 64 bytes stand that the quoting enclave reports.
const QE_REPORT_DATA: usize = 320;

#[cfg(test)]
mod tests {
    use super::*;
    use verify_core::{Instant, Outcome, dcap};

    #[test]
    fn untouched_evidence_is_the_generators_and_verifies() {
        let mut material = Material::classic();
        assert_eq!(Evidence::good().quote(), material.evidence()[0]);
        for collateral in [Evidence::good().item_map(), Evidence::good().v3().expect("text")] {
            let report =
                dcap::verify_quote(&Evidence::good().quote(), &collateral, Instant::Collateral, &soundness::vectors::vectors().anchors);
            assert_eq!(report.outcome, Outcome::Verified, "{:?}", report.problems);
        }
    }
}

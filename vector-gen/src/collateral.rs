//! Intel-shaped collateral in its two containers.

use data_encoding::{BASE64, HEXLOWER, HEXUPPER};

use crate::crl::Crl;
use crate::edits::Edits;
use crate::json::{self, Json};
use crate::pki::{Certificate, Key, PROCESSOR_NAME};
use crate::quote::INTEL_QE_SIGNER;

const SERVICE: &str = "https://api.trustedservices.intel.com";
const QE_IDENTITY_PATH: &str = "/tdx/certification/v4/qe/identity";
const TCB_INFO_PATH: &str = "/tdx/certification/v4/tcb?fmspc=";
const ROOT_CRL_URL: &str = "https://certificates.trustedservices.intel.com/IntelSGXRootCA.der";

const ZERO_SIGNER: &str = "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000";

/// Where Intel serves the CRL of an issuer of PCK certificates.
pub fn pck_crl_url(issuer: &str) -> String {
    let ca = if issuer == PROCESSOR_NAME { "processor" } else { "platform" };
    format!("{SERVICE}/sgx/certification/v4/pckcrl?ca={ca}&encoding=der")
}

/// A JSON object and the signature over its exact text.
pub struct SignedDocument {
    pub body: Json,
    pub key: Key,
    /// Changes to the text before it is signed, and after it was.
    pub before_signing: Edits<String>,
    pub after_signing: Edits<String>,
    /// Changes to the 64 bytes of the signature.
    pub signature: Edits<[u8]>,
}

impl SignedDocument {
    fn new(body: Json, key: &Key) -> Self {
        Self { body, key: key.clone(), before_signing: Edits::default(), after_signing: Edits::default(), signature: Edits::default() }
    }

    /// The text and its signature in hex.
    fn signed(&self) -> (String, String) {
        let mut text = self.body.compact();
        self.before_signing.apply(&mut text);
        let mut signature = self.key.sign(text.as_bytes());
        self.signature.apply(&mut signature);
        self.after_signing.apply(&mut text);
        (text, HEXLOWER.encode(&signature))
    }
}

/// One TCB level with the given lowest values.
pub fn tcb_level(sgx: [u32; 16], pce_svn: u32, tdx: [u32; 16], status: &str) -> Json {
    let components =
        |values: [u32; 16]| Json::List(values.iter().map(|svn| Json::Object(vec![("svn".to_owned(), (*svn).into())])).collect());
    let mut level = json::parse(r#"{"tcb": {}, "tcbDate": "2026-02-11T00:00:00Z", "tcbStatus": ""}"#);
    level.set("/tcb/sgxtcbcomponents", components(sgx));
    level.set("/tcb/pcesvn", pce_svn);
    level.set("/tcb/tdxtcbcomponents", components(tdx));
    level.set("/tcbStatus", status);
    level
}

/// TCB info for the test platform: up to date, with an out of date level below.
pub fn tcb_info(key: &Key) -> SignedDocument {
    let mut body = json::parse(
        r#"{
            "id": "TDX", "version": 3,
            "issueDate": "2026-08-03T11:00:00Z", "nextUpdate": "2026-09-02T11:00:00Z",
            "fmspc": "00a1b2c3d4e5", "pceId": "0000", "tcbType": 0, "tcbEvaluationDataNumber": 19,
            "tdxModule": {"mrsigner": "", "attributes": "0000000000000000", "attributesMask": "FFFFFFFFFFFFFFFF"},
            "tdxModuleIdentities": [{
                "id": "TDX_01",
                "mrsigner": "", "attributes": "0000000000000000", "attributesMask": "FFFFFFFFFFFFFFFF",
                "tcbLevels": [
                    {"tcb": {"isvsvn": 4}, "tcbDate": "2026-02-11T00:00:00Z", "tcbStatus": "UpToDate"},
                    {"tcb": {"isvsvn": 2}, "tcbDate": "2024-05-15T00:00:00Z", "tcbStatus": "OutOfDate",
                     "advisoryIDs": ["INTEL-SA-99002"]}
                ]
            }],
            "tcbLevels": []
        }"#,
    );
    body.set("/tdxModule/mrsigner", ZERO_SIGNER);
    body.set("/tdxModuleIdentities/0/mrsigner", ZERO_SIGNER);
    let up_to_date =
        tcb_level([3, 3, 2, 2, 1, 1, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0], 13, [4, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], "UpToDate");
    let mut behind =
        tcb_level([2, 2, 2, 2, 1, 1, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0], 11, [3, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], "OutOfDate");
    behind.set("/tcbDate", "2024-05-15T00:00:00Z");
    behind.set("/advisoryIDs", json::parse(r#"["INTEL-SA-99001"]"#));
    body.list("/tcbLevels").extend([up_to_date, behind]);
    SignedDocument::new(body, key)
}

/// The identity of Intel's TD quoting enclave.
pub fn qe_identity(key: &Key) -> SignedDocument {
    let body = json::parse(
        r#"{
            "id": "TD_QE", "version": 2,
            "issueDate": "2026-08-03T10:00:00Z", "nextUpdate": "2026-09-02T10:00:00Z",
            "tcbEvaluationDataNumber": 19,
            "miscselect": "00000000", "miscselectMask": "FFFFFFFF",
            "attributes": "11000000000000000000000000000000", "attributesMask": "FBFFFFFFFFFFFFFF0000000000000000",
            "mrsigner": "DC9E2A7C6F948F17474E34A7FC43ED030F7C1563F1BABDDF6340C82E0E54A8C5", "isvprodid": 2,
            "tcbLevels": [
                {"tcb": {"isvsvn": 4}, "tcbDate": "2026-02-11T00:00:00Z", "tcbStatus": "UpToDate"},
                {"tcb": {"isvsvn": 2}, "tcbDate": "2024-05-15T00:00:00Z", "tcbStatus": "OutOfDate",
                 "advisoryIDs": ["INTEL-SA-99003"]}
            ]
        }"#,
    );
    SignedDocument::new(body, key)
}

/// The shape in which the four parts travel.
#[derive(Clone, Copy, PartialEq)]
pub enum Container {
    /// The Polaris item map, URL to base64, without issuer chains.
    Items,
    /// QuoteCollateralV3, with issuer chains.
    V3,
}

/// How a CRL is written into the item map.
#[derive(Clone, Copy)]
pub enum CrlText {
    Der,
    Pem,
    Hex,
}

/// Everything that travels beside the quote.
pub struct Collateral {
    pub container: Container,
    pub pck_crl_issuer: String,
    pub pck_crl: Crl,
    pub root_crl: Crl,
    pub crl_text: CrlText,
    pub tcb_info: SignedDocument,
    pub qe_identity: SignedDocument,
    /// Changes to the text of the two documents as the item map holds them.
    pub tcb_info_item: Edits<String>,
    pub qe_identity_item: Edits<String>,
    /// The certificates of both issuer chains of QuoteCollateralV3. Empty: no chain is carried.
    pub signer_chain: Vec<Certificate>,
    /// The signer of the QE identity, where it is not that of the TCB info.
    pub qe_signer: Option<Certificate>,
    /// Changes to the item map, in the order PCK CRL, QE identity, TCB info, root CRL.
    pub items: Edits<Vec<(String, Vec<u8>)>>,
    /// Changes to the container.
    pub afterwards: Edits<Json>,
    pub bytes: Edits<Vec<u8>>,
}

impl Collateral {
    /// The container as a file.
    pub fn file(&self, ca: &Certificate, root: &Certificate) -> Vec<u8> {
        let mut container = match self.container {
            Container::Items => self.item_map(),
            Container::V3 => self.v3(ca, root),
        };
        self.afterwards.apply(&mut container);
        let mut bytes = container.compact().into_bytes();
        self.bytes.apply(&mut bytes);
        bytes
    }

    /// TCB info and QE identity as Intel serves them for SGX.
    pub fn use_sgx(&mut self) {
        let tcb_info = &mut self.tcb_info.body;
        tcb_info.set("/id", "SGX");
        tcb_info.remove("/tdxModule");
        tcb_info.remove("/tdxModuleIdentities");
        for level in tcb_info.list("/tcbLevels") {
            level.remove("/tcb/tdxtcbcomponents");
        }
        let qe_identity = &mut self.qe_identity.body;
        qe_identity.set("/id", "QE");
        qe_identity.set("/mrsigner", INTEL_QE_SIGNER.to_ascii_uppercase());
        qe_identity.set("/isvprodid", 1);
    }

    fn item_map(&self) -> Json {
        let crl = |crl: &Crl| {
            let der = crl.der();
            match self.crl_text {
                CrlText::Der => der,
                CrlText::Pem => crate::der::pem("X509 CRL", &der).into_bytes(),
                CrlText::Hex => HEXUPPER.encode(&der).into_bytes(),
            }
        };
        let document = |name: &str, document: &SignedDocument, edits: &Edits<String>| {
            let (text, signature) = document.signed();
            let mut item = format!(r#"{{"{name}":{text},"signature":"{signature}"}}"#);
            edits.apply(&mut item);
            item.into_bytes()
        };
        let mut items = vec![
            (pck_crl_url(&self.pck_crl_issuer), crl(&self.pck_crl)),
            (format!("{SERVICE}{QE_IDENTITY_PATH}"), document("enclaveIdentity", &self.qe_identity, &self.qe_identity_item)),
            (format!("{SERVICE}{TCB_INFO_PATH}00a1b2c3d4e5"), document("tcbInfo", &self.tcb_info, &self.tcb_info_item)),
            (ROOT_CRL_URL.to_owned(), crl(&self.root_crl)),
        ];
        self.items.apply(&mut items);
        let urls = items.iter().map(|(url, _)| url.as_str().into()).collect();
        let items = items.into_iter().map(|(url, item)| (url, BASE64.encode(&item).into())).collect();
        Json::Object(vec![("items".to_owned(), Json::Object(items)), ("urls".to_owned(), Json::List(urls)), ("v".to_owned(), 1.into())])
    }

    fn v3(&self, ca: &Certificate, root: &Certificate) -> Json {
        let (tcb_info, tcb_info_signature) = self.tcb_info.signed();
        let (qe_identity, qe_identity_signature) = self.qe_identity.signed();
        let signer_chain: String = self.signer_chain.iter().map(Certificate::pem).collect();
        let qe_signer_chain = self.qe_signer.as_ref().map_or_else(|| signer_chain.clone(), |signer| signer.pem() + &root.pem());
        let members = [
            ("pck_crl_issuer_chain", ca.pem() + &root.pem()),
            ("root_ca_crl", HEXLOWER.encode(&self.root_crl.der())),
            ("pck_crl", HEXLOWER.encode(&self.pck_crl.der())),
            ("tcb_info_issuer_chain", signer_chain),
            ("tcb_info", tcb_info),
            ("tcb_info_signature", tcb_info_signature),
            ("qe_identity_issuer_chain", qe_signer_chain),
            ("qe_identity", qe_identity),
            ("qe_identity_signature", qe_identity_signature),
        ];
        Json::Object(members.into_iter().map(|(name, text)| (name.to_owned(), text.into())).collect())
    }
}

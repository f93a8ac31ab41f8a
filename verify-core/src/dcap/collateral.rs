//! The two containers in which collateral travels, and the signed JSON documents inside.
//!
//! The Polaris item map is `{"v": 1, "urls": [...], "items": {url: base64}}` with Intel's answers as items; it carries no
//! issuer chains. QuoteCollateralV3 is the JSON of dcap-qvl: CRLs as hex, issuer chains as PEM, documents as text with the
//! signature beside. URLs and labels are untrusted: what an object is, its signature and content decide.

use std::borrow::Cow;

use data_encoding::HEXLOWER_PERMISSIVE;

use crate::base64;
use crate::dcap::signed::Signed;
use crate::fields::{Fields, Format, Type};
use crate::json::{self, Kind, Value};
use crate::ledger::{Checked, Findings, Stopped};
use crate::limits;
use crate::problem::{Code, Location, Problem};
use crate::text::quoted;

pub(crate) const DOCUMENT: &str = "collateral";
const FORMAT: Format = Format {
    document: DOCUMENT,
    missing: Code::CollateralAbsent,
    wrong_type: Code::CollateralMalformed,
    malformed: Code::CollateralMalformed,
};

/// The decoded parts, each with what stopped it: absent or damaged.
#[derive(Clone, Debug)]
pub(crate) struct Collateral {
    pub(crate) tcb_info: Checked<SignedDocument>,
    pub(crate) qe_identity: Checked<SignedDocument>,
    pub(crate) pck_crl: Checked<Vec<u8>>,
    pub(crate) root_crl: Checked<Vec<u8>>,
    /// Issuer chains as PEM; the Polaris item map has none.
    pub(crate) tcb_info_chain: Option<Vec<u8>>,
    pub(crate) qe_identity_chain: Option<Vec<u8>>,
    pub(crate) pck_crl_chain: Option<Vec<u8>>,
}

/// A signed JSON document as it was carried.
#[derive(Clone, Debug)]
pub(crate) enum SignedDocument {
    /// `{"<member>": {...}, "signature": "<hex>"}` as Intel serves it.
    Enveloped(Vec<u8>),
    /// The signed text and, beside it, the signature as hex.
    Detached { text: Vec<u8>, signature: String },
}

impl Collateral {
    pub(crate) fn read(bytes: &[u8], findings: &mut Findings) -> Checked<Self> {
        if bytes.len() > limits::COLLATERAL_BYTES {
            let message = format!("the collateral has {} bytes; at most {} are read", bytes.len(), limits::COLLATERAL_BYTES);
            return Err(findings.stop(Problem::new(Code::LimitExceeded, Location::document(DOCUMENT), message)));
        }
        let value = read_json(bytes, DOCUMENT, findings)?;
        let Some(fields) = Fields::of(&value, "", FORMAT, findings) else {
            return Err(Stopped::By(Code::CollateralMalformed));
        };
        let has = |name: &str| fields.optional(name).is_some();
        match (has("items") || has("v"), has("tcb_info") || has("qe_identity")) {
            (true, _) => Self::read_polaris(fields),
            (false, true) => Ok(Self::read_v3(fields)),
            (false, false) => {
                let message = "the collateral is in no known container: it has neither items nor tcb_info";
                Err(findings.stop(Problem::new(Code::CollateralContainer, Location::document(DOCUMENT), message)))
            }
        }
    }

    fn read_polaris(mut fields: Fields<'_, '_, '_>) -> Checked<Self> {
        fields.refuse_unknown(&["v", "urls", "items"], Code::CollateralUnknownItem);
        fields.version("v", "1", Code::CollateralContainer)?;
        let _ = fields.allow_type("urls", Type::Array);
        let items = fields.object("items");
        let Some(mut items) = items else {
            return Err(fields.last());
        };
        let unknown: Vec<&str> = items.names().filter(|name| Part::of_url(name).is_none()).take(Findings::MOST).collect();
        for name in unknown {
            items.raise(Code::CollateralUnknownItem, name, "the item is unknown; it was not used".to_owned());
        }
        Ok(Self {
            tcb_info: item(&mut items, Part::TcbInfo).map(SignedDocument::Enveloped),
            qe_identity: item(&mut items, Part::QeIdentity).map(SignedDocument::Enveloped),
            pck_crl: item(&mut items, Part::PckCrl),
            root_crl: item(&mut items, Part::RootCrl),
            tcb_info_chain: None,
            qe_identity_chain: None,
            pck_crl_chain: None,
        })
    }

    fn read_v3(mut fields: Fields<'_, '_, '_>) -> Self {
        const MEMBERS: [&str; 9] = [
            "tcb_info",
            "tcb_info_signature",
            "tcb_info_issuer_chain",
            "qe_identity",
            "qe_identity_signature",
            "qe_identity_issuer_chain",
            "pck_crl",
            "pck_crl_issuer_chain",
            "root_ca_crl",
        ];
        fields.refuse_unknown(&MEMBERS, Code::CollateralUnknownItem);
        let mut chain = |name: &str| text(&mut fields, name).map(|pem| pem.as_bytes().to_vec());
        let (tcb_info_chain, qe_identity_chain, pck_crl_chain) =
            (chain("tcb_info_issuer_chain"), chain("qe_identity_issuer_chain"), chain("pck_crl_issuer_chain"));
        Self {
            tcb_info: detached(&mut fields, Part::TcbInfo, "tcb_info", "tcb_info_signature"),
            qe_identity: detached(&mut fields, Part::QeIdentity, "qe_identity", "qe_identity_signature"),
            pck_crl: hex_crl(&mut fields, Part::PckCrl, "pck_crl"),
            root_crl: hex_crl(&mut fields, Part::RootCrl, "root_ca_crl"),
            tcb_info_chain,
            qe_identity_chain,
            pck_crl_chain,
        }
    }
}

/// The one item of the Polaris map that is `part`. An empty item counts as absent.
fn item(items: &mut Fields<'_, '_, '_>, part: Part) -> Checked<Vec<u8>> {
    let mut named = items.names().filter(|name| Part::of_url(name) == Some(part));
    let (first, second) = (named.next(), named.next());
    let Some(name) = first else { return Err(absent(items, part)) };
    if let Some(second) = second {
        items.raise(Code::CollateralMalformed, second, format!("a second {} would leave open which one counts", part.name()));
        return Err(items.last());
    }
    let Some(encoded) = items.string(name) else { return Err(items.last()) };
    match base64::decode(encoded.as_bytes()) {
        Ok(bytes) if bytes.is_empty() => Err(absent(items, part)),
        Ok(bytes) => Ok(bytes),
        Err(error) => {
            items.raise(Code::CollateralMalformed, name, format!("the item is not canonical base64 at character {}", error.position));
            Err(items.last())
        }
    }
}

/// A text member of QuoteCollateralV3; null and empty count as absent.
fn text<'v>(fields: &mut Fields<'v, '_, '_>, name: &str) -> Option<&'v str> {
    match fields.optional(name).map(|value| &value.kind) {
        None | Some(Kind::Null) => None,
        Some(_) => fields.string(name).filter(|text| !text.is_empty()),
    }
}

fn detached(fields: &mut Fields<'_, '_, '_>, part: Part, name: &str, signature: &str) -> Checked<SignedDocument> {
    match (text(fields, name), text(fields, signature)) {
        (Some(text), Some(signature)) => Ok(SignedDocument::Detached { text: text.as_bytes().to_vec(), signature: signature.to_owned() }),
        _ => Err(absent(fields, part)),
    }
}

/// A CRL as hex of its DER, the form of this container; PEM is passed on as it is.
fn hex_crl(fields: &mut Fields<'_, '_, '_>, part: Part, name: &str) -> Checked<Vec<u8>> {
    let Some(text) = text(fields, name) else { return Err(absent(fields, part)) };
    if text.starts_with("-----BEGIN") {
        return Ok(text.as_bytes().to_vec());
    }
    HEXLOWER_PERMISSIVE.decode(text.as_bytes()).map_err(|error| {
        fields.raise(Code::CollateralMalformed, name, format!("the {} is not hex text at character {}", part.name(), error.position));
        fields.last()
    })
}

fn absent(fields: &mut Fields<'_, '_, '_>, part: Part) -> Stopped {
    let undecided = match part {
        Part::TcbInfo => "the TCB status could not be checked",
        Part::QeIdentity => "the quoting enclave could not be checked",
        Part::PckCrl => "revocation of the PCK certificate could not be checked",
        Part::RootCrl => "revocation of the CAs and of the TCB signer could not be checked",
    };
    fields.raise(Code::CollateralAbsent, "", format!("the {} is absent: {undecided}", part.name()));
    fields.last()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    TcbInfo,
    QeIdentity,
    PckCrl,
    RootCrl,
}

impl Part {
    /// By the last part of the path; the query, with its `ca=` and `fmspc=`, is only a label.
    fn of_url(url: &str) -> Option<Self> {
        let path = url.split('?').next().unwrap_or_default();
        match path.rsplit_once('/').map(|(_, last)| last) {
            Some("tcb") => Some(Part::TcbInfo),
            Some("identity") if path.ends_with("/qe/identity") => Some(Part::QeIdentity),
            Some("pckcrl") => Some(Part::PckCrl),
            Some("IntelSGXRootCA.der") => Some(Part::RootCrl),
            _ => None,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Part::TcbInfo => "TCB info",
            Part::QeIdentity => "QE identity",
            Part::PckCrl => "PCK CRL",
            Part::RootCrl => "root CRL",
        }
    }
}

/// A signed document with its parse: the value that is read is the span that was signed.
pub(crate) struct OpenedDocument<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) signed: Value<'a>,
    pub(crate) signature: [u8; 64],
}

impl<'a> OpenedDocument<'a> {
    pub(crate) fn signed(&self) -> Signed<'_, &Value<'a>> {
        let message = self.text.get(self.signed.span.clone()).unwrap_or_default();
        Signed::new(&self.signed, message, &self.signature)
    }
}

impl SignedDocument {
    /// The carried text: the envelope, or the signed value alone.
    pub(crate) fn text(&self) -> &[u8] {
        let (SignedDocument::Enveloped(text) | SignedDocument::Detached { text, .. }) = self;
        text
    }

    /// Parses the whole document and finds the signed value: `member` of the envelope, or all of a detached text.
    pub(crate) fn open(&self, member: &str, format: Format, findings: &mut Findings) -> Checked<OpenedDocument<'_>> {
        let stopped = Stopped::By(format.malformed);
        let text = self.text();
        if text.len() > limits::SIGNED_JSON_BYTES {
            let message = format!("the document has {} bytes; at most {} are read", text.len(), limits::SIGNED_JSON_BYTES);
            return Err(findings.stop(Problem::new(Code::LimitExceeded, Location::document(format.document), message)));
        }
        match self {
            SignedDocument::Enveloped(text) => {
                let value = read_json(text, format.document, findings)?;
                let mut fields = Fields::of(&value, "", format, findings).ok_or(stopped)?;
                fields.refuse_unknown(&[member, "signature"], format.malformed);
                if value.object().unwrap_or_default().iter().any(|member| matches!(member.name, Cow::Owned(_))) {
                    let message = "a member name is written with escapes, so that another reader could miss it";
                    return Err(findings.stop(Problem::new(format.malformed, Location::document(format.document), message)));
                }
                let mut fields = Fields::of(&value, "", format, findings).ok_or(stopped)?;
                let signature = fields.hex::<64>("signature");
                fields.required(member);
                let Kind::Object(members) = value.kind else { return Err(stopped) };
                let signed = members.into_iter().find(|found| found.name == member).map(|found| found.value);
                Ok(OpenedDocument { text, signed: signed.ok_or(stopped)?, signature: signature.ok_or(stopped)? })
            }
            SignedDocument::Detached { text, signature } => {
                let signed = read_json(text, format.document, findings)?;
                let decoded = HEXLOWER_PERMISSIVE.decode(signature.as_bytes()).ok().and_then(|bytes| <[u8; 64]>::try_from(bytes).ok());
                let decoded = decoded.ok_or_else(|| {
                    let message = format!("the signature is {}; wanted 128 hex digits", quoted(signature));
                    findings.stop(Problem::new(format.malformed, Location::document(format.document), message))
                })?;
                // Blanks around the value would be part of the signed text.
                let signed = Value { span: 0..text.len(), ..signed };
                Ok(OpenedDocument { text, signed, signature: decoded })
            }
        }
    }
}

/// JSON as Intel writes it: without Python's bare tokens.
fn read_json<'a>(bytes: &'a [u8], document: &'static str, findings: &mut Findings) -> Checked<Value<'a>> {
    let value = json::read(bytes).map_err(|error| findings.stop(error.into_problem(document)))?;
    match value.non_finite().first() {
        None => Ok(value),
        Some((offset, token)) => {
            let message = format!("the bare token {token} is not JSON");
            Err(findings.stop(Problem::new(Code::JsonMalformed, Location::offset(document, *offset), message)))
        }
    }
}

//! What the evidence authenticates or binds in a receipt, read a second time and independently of the core.
//!
//! The oracle of soundness is: **a receipt is verified only if its essence is that of a shipped receipt**. The private keys
//! play no part in fuzzing, so nobody can make another. What is left out of the essence may change freely, because nothing
//! covers it: the order and spacing of members, unbound statements, item labels, zero bytes after the quote, line ends in PEM,
//! and what stands around the signed part and the signature of a certificate or CRL.
//! One change of authenticated bytes is not found by chance and would be no flaw: of an ECDSA signature (r, s) one can make
//! (r, -s), which verifies too.

use data_encoding::{BASE64, HEXLOWER_PERMISSIVE};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::vectors::vectors;

/// Everything under a signature or a hash.
#[derive(Debug, PartialEq)]
pub struct Essence {
    evidence: Carrier,
    statements: Statements,
}

#[derive(Debug, PartialEq)]
enum Carrier {
    Quote(Box<Evidence>),
    Signature(Signature),
}

/// What a signer vouches for, with every float as it is signed: rounded to six places.
#[derive(Debug, PartialEq, Deserialize)]
struct Signature {
    receipt_id: String,
    attestation: Value,
    signature: String,
    public_key: String,
}

/// Which part of the essence a policy insists on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Evidence and statements.
    Receipt,
    /// The evidence alone: under the policy `authenticity` measurements that are not the input are no fault.
    Evidence,
}

/// Quote, collateral, output and the texts under the report data.
#[derive(Debug, PartialEq)]
struct Evidence {
    /// Header and TD report; signature and key; QE report and signature; authentication data; then the certificates.
    quote: Vec<Vec<u8>>,
    /// TCB info and QE identity as signed, with their signatures.
    documents: [(Vec<u8>, Vec<u8>); 2],
    /// PCK CRL and root CRL.
    crls: [Vec<u8>; 2],
    stdout: Vec<u8>,
    /// Every text under the report data, and what follows from them: files, receipt id.
    bound: Vec<String>,
    /// What the nonce stands for: commit, model and seed in a log, the head in a note.
    requested: Option<Vec<String>>,
}

/// What the receipt says again of what the enclave was given.
#[derive(Debug, PartialEq)]
enum Statements {
    /// The measurements, or a note's bundle, are the input.
    Input(Value),
    /// The input is another document: top1 and kl stand in it too, and are compared in millionths.
    Accuracy([Option<i64>; 2]),
    /// A response says nothing, and a signature covers all of them.
    Nothing,
}

#[derive(Deserialize)]
struct Receipt {
    receipt_id: String,
    attestation: Attestation,
    tdx: Tdx,
    #[serde(rename = "_expected")]
    expected: Expected,
}

#[derive(Deserialize)]
struct Attestation {
    code: Code,
    references: References,
    measurements: Value,
    verdict: Verdict,
}

#[derive(Deserialize)]
struct Code {
    commit: String,
}

#[derive(Deserialize)]
struct References {
    model_sha256: String,
    eval_seed: String,
}

#[derive(Deserialize)]
struct Verdict {
    label: String,
    pass: bool,
}

#[derive(Deserialize)]
struct Tdx {
    quote_b64: String,
    collateral_b64: String,
    stdout_b64: String,
    nonce: String,
    e2e_pubkey_b64: String,
    bound_digest: String,
    result_sha256: String,
    /// In a response it stands beside this block.
    #[serde(default)]
    files_sha256: String,
}

/// The service's response, alone or in a note.
#[derive(Deserialize)]
struct Response {
    tee_attestation: Tdx,
    files: std::collections::BTreeMap<String, String>,
    egress_log_sha256: String,
    files_sha256: String,
    policy_sha256: String,
    artifacts_sha256: String,
}

#[derive(Deserialize)]
struct Note {
    bundle: Value,
    receipt: Response,
}

#[derive(Deserialize)]
struct Expected {
    scoring_sha256: String,
    result_sha256: String,
}

#[derive(Deserialize)]
struct Items {
    items: std::collections::BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct CollateralV3 {
    tcb_info: String,
    tcb_info_signature: String,
    qe_identity: String,
    qe_identity_signature: String,
    pck_crl: String,
    root_ca_crl: String,
}

#[derive(Deserialize)]
struct Signed<'a> {
    #[serde(borrow, rename = "tcbInfo", alias = "enclaveIdentity")]
    value: &'a RawValue,
    signature: String,
}

/// Panics unless `receipt`, which was verified, has the essence of a shipped receipt.
pub fn assert_known(receipt: &[u8], scope: Scope) {
    let Some(essence) = Essence::read(receipt) else {
        panic!("verified, but a second reader cannot take it apart");
    };
    let is_known = vectors().known.iter().any(|known| match scope {
        Scope::Receipt => *known == essence,
        Scope::Evidence => known.evidence == essence.evidence,
    });
    assert!(is_known, "verified, but no shipped receipt has these authenticated parts ({scope:?})");
}

/// Panics unless the claimed verdict of `receipt`, which was verified, is the one in the enclave's output.
pub fn assert_verdict(receipt: &[u8]) {
    let receipt = Receipt::read(receipt).expect("it was taken apart before");
    let stdout = BASE64.decode(receipt.tdx.stdout_b64.as_bytes()).unwrap_or_default();
    let output: Value = serde_json::from_slice(&finite(&stdout)).expect("a verified output holds a verdict");
    let (label, pass, claimed) = (output["label"].as_str(), output["pass"].as_bool(), &receipt.attestation.verdict);
    let refuses = pass == Some(false) || label == Some("REJECT");
    assert_eq!(claimed.pass, !refuses, "verified, but pass is not the enclave's");
    let is_tier = label.is_some_and(|label| ["XL", "L", "M", "S", "XS", "none", "BASELINE"].contains(&label));
    assert!(refuses || !is_tier || label == Some(&claimed.label), "verified, but the label is not the enclave's");
}

impl Receipt {
    fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(&finite(bytes)).ok()
    }
}

impl Essence {
    /// The essence of a receipt; `None` where it cannot be taken apart.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        if let Ok(Note { bundle, receipt }) = serde_json::from_slice(&finite(bytes)) {
            let requested = (receipt.tee_attestation.nonce.len() == 40).then(|| vec![bundle["head"].to_string()]);
            return Self::of_response(receipt, requested, Statements::Input(bundle));
        }
        if let Ok(response) = serde_json::from_slice(&finite(bytes)) {
            return Self::of_response(response, None, Statements::Nothing);
        }
        if let Ok(signature) = serde_json::from_slice::<Signature>(&finite(bytes)) {
            let evidence = Carrier::Signature(Signature { attestation: rounded(&signature.attestation), ..signature });
            return Some(Self { evidence, statements: Statements::Nothing });
        }
        let Receipt { receipt_id, attestation, tdx, expected } = Receipt::read(bytes)?;
        let Attestation { code, references, measurements, .. } = attestation;
        let requested = (tdx.nonce.len() == 64).then_some(vec![code.commit, references.model_sha256, references.eval_seed]);
        let more = vec![tdx.files_sha256.clone(), expected.scoring_sha256, expected.result_sha256, receipt_id];
        let statements = match requested {
            Some(_) => Statements::Input(measurements),
            None => Statements::Accuracy(["top1", "kl"].map(|name| millionths(&measurements["primary"][name]))),
        };
        Some(Self { evidence: Carrier::Quote(Box::new(Evidence::of(tdx, more, requested)?)), statements })
    }

    fn of_response(response: Response, requested: Option<Vec<String>>, statements: Statements) -> Option<Self> {
        let Response { tee_attestation, files, egress_log_sha256, files_sha256, policy_sha256, artifacts_sha256 } = response;
        let digests = [egress_log_sha256, files_sha256, policy_sha256, artifacts_sha256].into_iter();
        let more = digests.chain(files.into_iter().flat_map(|(path, digest)| [path, digest])).collect();
        let evidence = Evidence::of(tee_attestation, more, requested)?;
        Some(Self { evidence: Carrier::Quote(Box::new(evidence)), statements })
    }
}

/// The value with its floats rounded to six places.
fn rounded(value: &Value) -> Value {
    match value {
        // The integer -0, which serde_json keeps as a float.
        Value::Number(number) if number.as_f64() == Some(0.0) && number.as_f64().is_some_and(f64::is_sign_negative) => Value::from(0),
        Value::Number(number) if number.is_f64() => {
            let rounded = number.as_f64().map(|number| format!("{number:.6}").parse::<f64>());
            rounded.and_then(Result::ok).map_or(Value::Null, Value::from)
        }
        Value::Array(items) => items.iter().map(rounded).collect(),
        Value::Object(members) => members.iter().map(|(name, value)| (name.clone(), rounded(value))).collect(),
        other => other.clone(),
    }
}

fn millionths(number: &Value) -> Option<i64> {
    number.as_f64().map(|number| (number * 1e6).round() as i64)
}

impl Evidence {
    fn of(block: Tdx, more: Vec<String>, requested: Option<Vec<String>>) -> Option<Self> {
        let collateral = BASE64.decode(block.collateral_b64.as_bytes()).ok()?;
        let (documents, crls) = items(&collateral).or_else(|| detached(&collateral))?;
        let Tdx { quote_b64, stdout_b64, nonce, e2e_pubkey_b64, bound_digest, result_sha256, .. } = block;
        Some(Self {
            quote: quote_parts(&BASE64.decode(quote_b64.as_bytes()).ok()?)?,
            documents,
            crls,
            stdout: BASE64.decode(stdout_b64.as_bytes()).ok()?,
            bound: [vec![nonce, e2e_pubkey_b64, bound_digest, result_sha256], more].concat(),
            requested,
        })
    }
}

/// Where the parts of a quote stand.
pub struct Frame {
    /// Length of header, descriptor and body; the length of the signature data follows.
    pub signed: usize,
    /// Where the QE report starts. From version 4 on the length of the certification data stands before it.
    pub qe_report: usize,
    /// The PEM chain; its length stands before it.
    pub chain: std::ops::Range<usize>,
}

impl Frame {
    /// The frame of a quote of any version; `None` where it does not fit.
    pub fn of(quote: &[u8]) -> Option<Self> {
        let word = |at: usize| Some(usize::try_from(u32::from_le_bytes(*quote.get(at..)?.first_chunk()?)).ok()?.min(1 << 20));
        let half = |at: usize| Some(usize::from(u16::from_le_bytes(*quote.get(at..)?.first_chunk()?)));
        let (version, tee) = (half(0)?, word(4)?);
        let signed = match (version, tee) {
            (5, _) => 54 + word(50)?,
            (_, 0) => 432,
            _ => 632,
        };
        let qe_report = signed + 4 + 128 + if version == 3 { 0 } else { 6 };
        let start = qe_report + 450 + half(qe_report + 448)? + 6;
        let end = signed + 4 + word(signed)?;
        (start <= end && end <= quote.len()).then_some(Self { signed, qe_report, chain: start..end })
    }
}

/// What a quote's signatures cover, and the signatures.
pub fn quote_parts(quote: &[u8]) -> Option<Vec<Vec<u8>>> {
    let Frame { signed, qe_report, chain } = Frame::of(quote)?;
    let spans = [0..signed, signed + 4..signed + 132, qe_report..qe_report + 448, qe_report + 450..chain.start - 6];
    let mut parts: Vec<Vec<u8>> = spans.into_iter().map(|span| quote[span].to_vec()).collect();
    let pem = std::str::from_utf8(&quote[chain]).ok()?.replace(['\r', '\n', '\0'], "");
    for block in pem.split_terminator("-----END CERTIFICATE-----") {
        let der = BASE64.decode(block.strip_prefix("-----BEGIN CERTIFICATE-----")?.as_bytes()).ok()?;
        parts.push(signed_der(&der)?);
    }
    Some(parts)
}

type Parts = ([(Vec<u8>, Vec<u8>); 2], [Vec<u8>; 2]);

fn items(collateral: &[u8]) -> Option<Parts> {
    let Items { items } = serde_json::from_slice(&finite(collateral)).ok()?;
    let one = |tail: &str| {
        let named = |url: &str| url.split('?').next().is_some_and(|path| path.ends_with(tail));
        let mut found = items.iter().filter(|(url, _)| named(url));
        BASE64.decode(found.next()?.1.as_str()?.as_bytes()).ok()
    };
    let signed = |tail: &str| {
        let text = one(tail)?;
        let Signed { value, signature } = serde_json::from_slice(&text).ok()?;
        Some((value.get().as_bytes().to_vec(), HEXLOWER_PERMISSIVE.decode(signature.as_bytes()).ok()?))
    };
    Some(([signed("/tcb")?, signed("/qe/identity")?], [crl(&one("/pckcrl")?)?, crl(&one("/IntelSGXRootCA.der")?)?]))
}

fn detached(collateral: &[u8]) -> Option<Parts> {
    let parts: CollateralV3 = serde_json::from_slice(&finite(collateral)).ok()?;
    let signature = |text: &str| HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok();
    Some((
        [
            (parts.tcb_info.into_bytes(), signature(&parts.tcb_info_signature)?),
            (parts.qe_identity.into_bytes(), signature(&parts.qe_identity_signature)?),
        ],
        [crl(parts.pck_crl.as_bytes())?, crl(parts.root_ca_crl.as_bytes())?],
    ))
}

/// The signed part and the signature of a certificate or CRL, which is a sequence of signed part, algorithm and signature.
fn signed_der(der: &[u8]) -> Option<Vec<u8>> {
    let content = |value: &[u8]| split_value(value).map(|(value, header)| value.len() - header);
    let (outer, header) = split_value(der)?;
    let inner = &outer[header..];
    let (signed, _) = split_value(inner)?;
    let (algorithm, _) = split_value(&inner[signed.len()..])?;
    let signature = &inner[signed.len() + algorithm.len()..];
    Some([signed, &signature[signature.len().checked_sub(content(signature)?)?..]].concat())
}

/// The first DER value of `bytes` with its header, and the length of that header.
fn split_value(bytes: &[u8]) -> Option<(&[u8], usize)> {
    let first = *bytes.get(1)?;
    let digits = if first < 0x80 { 0 } else { usize::from(first & 0x7f) };
    let long =
        bytes.get(2..2 + digits)?.iter().try_fold(0usize, |length, byte| length.checked_mul(256)?.checked_add(usize::from(*byte)))?;
    let length = if digits == 0 { usize::from(first) } else { long };
    Some((bytes.get(..length.checked_add(2 + digits)?)?, 2 + digits))
}

/// The signed part and the signature of a CRL, whether it came as DER, hex text or PEM.
fn crl(bytes: &[u8]) -> Option<Vec<u8>> {
    if let Some(body) = bytes.strip_prefix(b"-----BEGIN X509 CRL-----") {
        let digits: Vec<u8> = body.iter().copied().take_while(|byte| *byte != b'-').filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
        return signed_der(&BASE64.decode(&digits).ok()?);
    }
    let text = bytes.trim_ascii_end();
    if text.iter().all(u8::is_ascii_hexdigit) {
        return signed_der(&HEXLOWER_PERMISSIVE.decode(text).ok()?);
    }
    signed_der(bytes)
}

/// JSON with Python's bare NaN and Infinity written as null.
pub(crate) fn finite(json: &[u8]) -> Vec<u8> {
    let mut written = Vec::with_capacity(json.len());
    let mut rest = json;
    let mut in_string = false;
    while let Some((byte, after)) = rest.split_first() {
        let token = [b"NaN".as_slice(), b"Infinity", b"-Infinity"].into_iter().find(|token| !in_string && rest.starts_with(token));
        if let Some(token) = token {
            written.extend_from_slice(b"null");
            rest = &rest[token.len()..];
            continue;
        }
        written.push(*byte);
        rest = after;
        match (byte, after.split_first()) {
            (b'"', _) => in_string = !in_string,
            (b'\\', Some((escaped, after))) if in_string => {
                written.push(*escaped);
                rest = after;
            }
            _ => {}
        }
    }
    written
}

//! Ed25519 receipts: who signed, and what the signature covers.
//!
//! The key inside of the file is only a name. It counts if it is one of the keys that the caller trusts; without any the signature
//! is still compared with it, so that a broken one is called broken.

use data_encoding::HEXLOWER;

use crate::anchors::{Anchors, SignerKey};
use crate::crypto::{self, Ed25519Key, Ed25519Signature};
use crate::json::{Kind, Value};
use crate::ledger::{Checked, Findings, Stopped};
use crate::memo::Memory;
use crate::problem::{Code, Location, Problem};
use crate::receipt::canonical::{signed_number, signed_text};
use crate::receipt::{DOCUMENT, SignatureEvidence};
use crate::text::quoted;

/// The embedded key is usable, and one that the caller trusts.
pub(crate) fn check_signer(evidence: &SignatureEvidence<'_>, anchors: &Anchors, findings: &mut Findings) -> Checked<SignerKey> {
    let location = Location::pointer(DOCUMENT, "/public_key");
    let signer = SignerKey::from_bytes(evidence.key);
    let shown = signer.to_base64();
    if let Err(fault) = Ed25519Key::from_bytes(&evidence.key) {
        let message = format!("the public key {shown} is weak: {fault}");
        return Err(findings.stop(Problem::new(Code::SignerKeyWeak, location, message).found(shown)));
    }
    if anchors.signer_keys.is_empty() {
        let message = format!("no trusted signer key was given: the receipt names the key {shown}, and whose that is, is not known");
        return Err(findings.stop(Problem::new(Code::SignerUnknown, location, message).found(shown)));
    }
    if !anchors.signer_keys.contains(&signer) {
        let count = anchors.signer_keys.len();
        let message = format!("the receipt names the key {shown}, which is none of the {count} trusted signer keys");
        return Err(findings.stop(Problem::new(Code::SignerUntrusted, location, message).found(shown)));
    }
    Ok(signer)
}

/// The embedded key signed the canonical text of the attestation.
pub(crate) fn check(evidence: &SignatureEvidence<'_>, memory: &Memory, findings: &mut Findings) -> Checked<()> {
    let location = Location::pointer(DOCUMENT, "/signature");
    let key = Ed25519Key::from_bytes(&evidence.key).map_err(|_| Stopped::By(Code::SignerKeyWeak))?;
    let Some(signature) = Ed25519Signature::from_bytes(&evidence.signature) else {
        let message = "the scalar S of the signature is not reduced: it is a second signature that anybody can make of a good one";
        return Err(findings.stop(Problem::new(Code::SignatureNotReduced, location, message)));
    };
    if !memory.verify_ed25519(&key, &signature, signed_text(evidence.attestation).as_bytes()) {
        let message = "the public key in the file did not sign this attestation: it was edited after it was signed, or signed by another";
        return Err(findings.stop(Problem::new(Code::SignatureWrong, location, message)));
    }
    note_rounded(evidence.attestation, findings);
    Ok(())
}

/// The receipt id is the hash of what is signed.
pub(crate) fn check_receipt_id(receipt_id: &str, evidence: &SignatureEvidence<'_>, findings: &mut Findings) -> Checked<()> {
    let wanted = HEXLOWER.encode(&crypto::sha256([signed_text(evidence.attestation).as_bytes()]));
    if receipt_id == wanted {
        return Ok(());
    }
    let message = "receipt_id is not the hash of the attestation";
    let problem = Problem::new(Code::BindingReceiptId, Location::pointer(DOCUMENT, "/receipt_id"), message);
    Err(findings.stop(problem.found(receipt_id).wanted(wanted)))
}

/// Notes that numbers of the file have places beyond those that are signed.
fn note_rounded(attestation: &Value<'_>, findings: &mut Findings) {
    let mut differing = Vec::new();
    let mut stack = vec![attestation];
    while let Some(value) = stack.pop() {
        match &value.kind {
            Kind::Number(token) => {
                let signed = signed_number(token);
                if token.parse::<f64>() != signed.parse::<f64>() {
                    differing.push((value.span.start, *token, signed));
                }
            }
            Kind::Array(items) => stack.extend(items),
            Kind::Object(members) => stack.extend(members.iter().map(|member| &member.value)),
            _ => {}
        }
    }
    let first = differing.iter().min_by_key(|(offset, ..)| *offset);
    if let Some((offset, token, signed)) = first {
        let more = if differing.len() > 1 { format!(" (and {} more)", differing.len().saturating_sub(1)) } else { String::new() };
        let message = format!("the file says {}{more}; the signature covers {signed}", quoted(token));
        findings
            .raise(Problem::new(Code::SignatureRounded, Location::offset(DOCUMENT, *offset), message).found(quoted(token)).wanted(signed));
    }
}

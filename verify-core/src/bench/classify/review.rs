//! The review of a record: who vouches for it, and that it is about these artifacts. A good signature under something else reviews nothing.

use data_encoding::{BASE64, HEXLOWER_PERMISSIVE};

use super::Case;
use super::evidence::Evidence;
use super::record::{Judged, Lack, Record};
use crate::anchors::SignerKey;
use crate::crypto::{Ed25519Key, Ed25519Signature, verify_ed25519};
use crate::text::quoted;

const RECEIPT: &str = "/review/receipt";
const SIGNED: &str = "/review/signed";

/// Somebody else did it.
pub(super) fn is_independent(case: &Case<'_>) -> Judged {
    case.record.text("/review/by")?;
    case.record.holds("/review/independent")
}

/// It is a text that a trusted key signed and that names every source artifact and every file of rows by its digest, or a verified
/// receipt in which evidence carries these digests.
pub(super) fn is_vouched_for(case: &Case<'_>) -> Judged {
    let mut digests = Vec::new();
    for list in ["/source", "/rows"] {
        for index in 0..case.record.list(list)?.len() {
            digests.push(case.record.text(&format!("{list}/{index}/sha256"))?.to_lowercase());
        }
    }
    let (place, unnamed) = if case.record.some(RECEIPT).is_ok() {
        case.evidence.receipt(RECEIPT)?;
        (RECEIPT, digests.iter().find(|digest| !case.evidence.carries(RECEIPT, digest)))
    } else {
        let review = String::from_utf8_lossy(is_signed(case)?).to_lowercase();
        (SIGNED, digests.iter().find(|digest| !review.contains(digest.as_str())))
    };
    unnamed.map_or(Ok(()), |digest| Err(Lack::not_met(place, format!("does not name the file of source or rows {digest}"))))
}

/// A signature that the key in the record did not make, whoever trusts that key.
pub(super) fn contradiction(record: &Record<'_>, evidence: &Evidence<'_>) -> Option<Lack> {
    let review = evidence.file(SIGNED).ok()?;
    let (key, signature) = (key(record).ok()?, record.text("/review/signed/signature").ok()?);
    (!is_made_by(&key, signature, review)).then(|| Lack::not_met("/review/signed/signature", "is no signature of that key over the review"))
}

/// The review that one of the trusted keys signed. Whether the signature holds is known by then.
fn is_signed<'c>(case: &'c Case<'_>) -> Judged<&'c [u8]> {
    case.record.some(SIGNED)?;
    let review = case.evidence.file(SIGNED)?;
    let (key, signature) = (key(case.record)?, case.record.text("/review/signed/signature")?);
    match case.signers.contains(&key) && is_made_by(&key, signature, review) {
        true => Ok(review),
        false => Err(Lack::not_met("/review/signed/key", "is none of the trusted keys")),
    }
}

fn key(record: &Record<'_>) -> Judged<SignerKey> {
    let text = record.text("/review/signed/key")?;
    text.parse().map_err(|error| Lack::not_met("/review/signed/key", format!("is {}: {error}", quoted(text))))
}

fn is_made_by(key: &SignerKey, signature: &str, review: &[u8]) -> bool {
    let bytes = HEXLOWER_PERMISSIVE.decode(signature.as_bytes()).or_else(|_| BASE64.decode(signature.as_bytes()));
    let signature: Option<[u8; 64]> = bytes.ok().and_then(|bytes| bytes.try_into().ok());
    let signature = signature.as_ref().and_then(Ed25519Signature::from_bytes);
    let key = Ed25519Key::from_bytes(key.as_bytes()).ok();
    key.zip(signature).is_some_and(|(key, signature)| verify_ed25519(&key, &signature, review))
}

//! What the policy pins: enclave measurements, container image, and accepted values of single fields.

use crate::dcap::quote::TdReport;
use crate::dcap::signed::Authentic;
use crate::dcap::trust_domain_facts;
use crate::ledger::{Checked, Findings, Stopped};
use crate::policy::Policy;
use crate::problem::{Code, Location, Problem};
use crate::receipt::{Bound, DOCUMENT};
use crate::text::quoted;

pub(crate) fn check_enclave(policy: &Policy, report: Checked<&Authentic<TdReport<'_>>>, findings: &mut Findings) -> Checked<()> {
    let report = pinnable(report, "enclave measurements", !policy.enclaves.is_empty(), findings)?;
    let facts = trust_domain_facts(report);
    let found = [&facts.mrtd, &facts.rtmr[0], &facts.rtmr[1], &facts.rtmr[2], &facts.rtmr[3]];
    let is_pinned = policy.enclaves.iter().any(|pin| [&pin.mrtd, &pin.rtmr0, &pin.rtmr1, &pin.rtmr2, &pin.rtmr3] == found);
    let shown = format!("MRTD {}, RTMR0 {}, RTMR1 {}, RTMR2 {}, RTMR3 {}", found[0], found[1], found[2], found[3], found[4]);
    let location = Location::document("quote");
    if !policy.enclaves.is_empty() && !is_pinned {
        let names: Vec<String> = policy.enclaves.iter().map(|pin| quoted(&pin.name)).collect();
        let message = format!("the measurements of the quote are none of those that the policy accepts ({})", names.join(", "));
        findings.raise(Problem::new(Code::EnclaveMismatch, location, message).found(shown));
    } else if policy.enclaves.is_empty() && !policy.any_enclave {
        let message = "the policy names no enclave measurements: any genuine TDX machine could have made this quote";
        findings.raise(Problem::new(Code::EnclaveUnpinned, location, message).found(shown));
    }
    Ok(())
}

pub(crate) fn check_image(policy: &Policy, bound: Checked<&Bound<'_>>, findings: &mut Findings) -> Checked<()> {
    let image = pinnable(bound.and_then(|bound| bound.image), "container images", !policy.images.is_empty(), findings)?;
    let location = Location::pointer(DOCUMENT, format!("{}/bound_digest", bound?.block));
    if !policy.images.is_empty() && !policy.images.iter().any(|accepted| accepted == image) {
        let message = "the container image is not one that the policy accepts";
        findings.raise(Problem::new(Code::ImageMismatch, location, message).found(image).wanted(policy.images.join(" or ")));
    } else if policy.images.is_empty() && !policy.any_image {
        let message = "the policy names no container image: any image could have emitted this output";
        findings.raise(Problem::new(Code::ImageUnpinned, location, message).found(image));
    }
    Ok(())
}

/// A part that the policy may pin; a policy that pins what the receipt cannot have is not met.
fn pinnable<T>(part: Checked<T>, what: &str, is_pinned: bool, findings: &mut Findings) -> Checked<T> {
    if let (Err(Stopped::NotApplicable(reason)), true) = (&part, is_pinned) {
        let message = format!("the policy pins {what}, but {reason}");
        findings.raise(Problem::new(Code::PinNotInEvidence, Location::document(DOCUMENT), message));
    }
    part
}

/// A field with the values that a policy may accept for it.
pub(crate) struct Pinned<'a> {
    pub(crate) what: &'static str,
    pub(crate) pointer: &'a str,
    pub(crate) value: Checked<&'a str>,
    pub(crate) accepted: &'a [String],
    /// Whether the evidence binds the field.
    pub(crate) is_bound: bool,
}

/// A field that this kind of receipt does not have can have no accepted value.
pub(crate) fn check_field(pin: &Pinned<'_>, findings: &mut Findings) -> Checked<()> {
    if pin.accepted.is_empty() {
        return Ok(());
    }
    let value = match pinnable(pin.value, pin.what, true, findings) {
        Err(Stopped::NotApplicable(_)) => return Ok(()),
        value => value?,
    };
    let location = Location::pointer(DOCUMENT, pin.pointer);
    let shown = quoted(value);
    if !pin.accepted.iter().any(|accepted| accepted == value) {
        let wanted: Vec<String> = pin.accepted.iter().map(|accepted| quoted(accepted)).collect();
        let message = format!("{} is {shown}, which the policy does not accept", pin.pointer);
        findings.raise(Problem::new(Code::PinDiffers, location, message).found(shown).wanted(wanted.join(" or ")));
    } else if !pin.is_bound {
        let message = format!("{} has the accepted value {shown}, but nothing binds it to the evidence", pin.pointer);
        findings.raise(Problem::new(Code::PinOnlyAsserted, location, message));
    }
    Ok(())
}

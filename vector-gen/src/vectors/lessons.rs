//! What other verifiers got wrong and no other vector holds; `docs/lessons.md` says who, and where it is written.

use super::{Vector, classic};
use crate::crl::ISSUING_DISTRIBUTION_POINT;
use crate::der;
use crate::pki::{Extension, SGX_EXTENSION};
use crate::quote::{SIGNATURE, SIGNATURE_LENGTH};

pub(super) fn vectors() -> Vec<Vector> {
    vec![
        classic("quote-signature-length-zero", "Signature data of no bytes holds no signature, and what follows is not signed.")
            .change(|m| m.quote.afterwards.add(|quote| quote[SIGNATURE_LENGTH..SIGNATURE].fill(0)))
            .invalid(&["quote.malformed", "quote.trailing-bytes"]),
        classic("chain-text-before", "A chain is certificates and nothing else, before as after.")
            .change(|m| m.quote.pem.add(|pem| pem.insert_str(0, "friendlyName: PCK\n")))
            .invalid(&["certificate.chain-malformed"]),
        classic("crl-reasons-empty", "Reason flags of no bits in a distribution point are refused like any distribution point.")
            .change(|m| {
                let no_reasons = der::sequence(&[der::context_primitive(3, &[0])]);
                m.collateral.pck_crl.extensions.push(Extension::new(ISSUING_DISTRIBUTION_POINT, true, no_reasons));
            })
            .invalid(&["crl.extension-unacceptable"]),
        classic("tcb-cpusvn-above-components", "The components of the PCK certificate decide, whatever its CPUSVN says.")
            .change(|m| {
                let cpu_svn = m.sgx.components.map(|component| component as u8);
                m.sgx.components[7] = 3;
                m.sgx
                    .tcb_items
                    .add(move |items| items[17] = der::sequence(&[der::oid(&format!("{SGX_EXTENSION}.2.18")), der::octets(&cpu_svn)]));
            })
            .thin(&["tcb.out-of-date"]),
        classic("tcb-status-case", "A status is spelled as Intel spells it.")
            .change(|m| m.collateral.tcb_info.body.set("/tcbLevels/0/tcbStatus", "uptodate"))
            .invalid(&["tcb.status-unknown"]),
        classic("module-identities-absent", "A module with a version needs its identity: the base module does not stand in for it.")
            .change(|m| {
                m.collateral.tcb_info.body.remove("/tdxModuleIdentities");
            })
            .invalid(&["tdx-module.identity-mismatch"]),
        classic("qe-identity-mask-short", "A mask covers all of what it masks.")
            .change(|m| m.collateral.qe_identity.body.set("/attributesMask", "FBFFFFFFFFFFFFFF"))
            .invalid(&["qe-identity.malformed"]),
        classic("td-lass", "Linear address separation protects the TD and is no reserved bit.")
            .change(|m| m.quote.body.td_attributes |= 1 << 27)
            .verified(&[]),
    ]
}

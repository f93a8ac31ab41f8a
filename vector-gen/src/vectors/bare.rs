//! Quotes and collateral without a receipt: of trust domains and of SGX enclaves.

use super::{Vector, bare};
use crate::quote::{EnclaveReport, hex};
use crate::receipt::Material;

pub(super) fn vectors() -> Vec<Vector> {
    let mut vectors = trust_domains();
    vectors.extend(enclaves());
    vectors.extend(enclave_layouts());
    vectors
}

fn trust_domains() -> Vec<Vector> {
    vec![
        bare("bare-v4", "A quote is judged without a receipt by the same rules.").verified(&[]),
        bare("bare-v5-td15", "Version 5 is judged too.").change(Material::use_td15).verified(&[]),
        bare("bare-processor-ca", "A platform may stand below the Processor CA.").change(Material::use_processor_ca).verified(&[]),
        bare("bare-signature-bit", "One other bit in the signature of the quote breaks it.")
            .change(|m| m.quote.afterwards.add(|quote| quote[crate::quote::SIGNATURE + 10] ^= 1))
            .invalid(&["quote.signature-wrong"]),
        bare("bare-empty", "No bytes are no quote.").change(|m| m.quote.afterwards.add(Vec::clear)).invalid(&["quote.truncated"]),
        bare("bare-out-of-date", "A weak platform is weak without a receipt too.")
            .change(|m| m.sgx.pce_svn = 12)
            .thin(&["tcb.out-of-date"]),
        bare("bare-all-behind", "Platform, module and quoting enclave can all be behind, each with its own date and advisories.")
            .change(|m| {
                m.sgx.pce_svn = 12;
                m.quote.body.tee_tcb_svn[0] = 3;
                m.quote.qe.svn = 3;
                let qe_identity = &mut m.collateral.qe_identity.body;
                qe_identity.set("/tcbLevels/1/tcbDate", "2023-08-09T00:00:00Z");
                qe_identity.set("/tcbEvaluationDataNumber", 20);
            })
            .thin(&["tcb.evaluation-numbers-differ", "tcb.out-of-date"]),
        bare("bare-stale", "Judged at an instant of the caller's choice, collateral can be stale.")
            .at("2026-09-02T11:00:01Z")
            .unverifiable(&["crl.outside-window", "qe-identity.outside-window", "tcb-info.outside-window"]),
        bare("bare-no-tcb-info", "Without the TCB info the platform's state is unknown.")
            .change(|m| m.collateral.items.add(|items| drop(items.remove(2))))
            .unverifiable(&["collateral.part-absent"]),
        bare("bare-collateral-of-sgx", "The collateral of an SGX enclave says nothing about a TD.")
            .change(|m| m.collateral.use_sgx())
            .invalid(&["qe-identity.kind-wrong", "tcb-info.kind-wrong"]),
    ]
}

/// A quote of an SGX enclave.
fn sgx(id: &str, rule: &str) -> Vector {
    bare(id, rule).change(|m| m.use_sgx(3))
}

/// The enclave that a quote is of.
fn enclave(material: &mut Material) -> &mut EnclaveReport {
    material.quote.enclave.as_mut().expect("a quote of an enclave")
}

fn enclaves() -> Vec<Vector> {
    let behind = &["tcb.out-of-date"];
    vec![
        sgx("sgx-v3", "A quote of version 3 is of an SGX enclave, and has no TDX module.").verified(&[]),
        bare("sgx-v4", "A quote of version 4 can be of an SGX enclave.").change(|m| m.use_sgx(4)).verified(&[]),
        bare("sgx-v5", "A quote of version 5 can be of an SGX enclave.").change(|m| m.use_sgx(5)).verified(&[]),
        sgx("sgx-processor-ca", "An SGX platform may stand below the Processor CA.").change(Material::use_processor_ca).verified(&[]),
        sgx("sgx-debug", "What an enclave in debug mode says is no evidence.")
            .change(|m| enclave(m).flags |= 2)
            .invalid(&["sgx-enclave.debug"]),
        sgx("sgx-qe-debug", "The quoting enclave may not be in debug mode.")
            .change(|m| m.quote.qe.flags |= 2)
            .invalid(&["qe.identity-mismatch"]),
        sgx("sgx-attested-signer", "The identity of the quoting enclave says nothing about the enclave that the quote is of.")
            .change(|m| enclave(m).signer[0] ^= 1)
            .verified(&[]),
        sgx("sgx-td-quoting-enclave", "The TD quoting enclave makes no quotes of SGX enclaves.")
            .change(|m| {
                m.quote.qe.signer = hex("dc9e2a7c6f948f17474e34a7fc43ed030f7c1563f1babddf6340c82e0e54a8c5");
                m.quote.qe.product = 2;
            })
            .invalid(&["qe.identity-mismatch"]),
        sgx("sgx-tcb-info-of-tdx", "TCB info for TDX says nothing about an SGX enclave.")
            .change(|m| m.collateral.tcb_info.body.set("/id", "TDX"))
            .invalid(&["tcb-info.kind-wrong"]),
        sgx("sgx-tcb-info-version-2", "TCB info of version 2, which has no id, is not read.")
            .change(|m| {
                let body = &mut m.collateral.tcb_info.body;
                body.set("/version", 2);
                body.remove("/id");
            })
            .unverifiable(&["tcb-info.version-unsupported"]),
        sgx("sgx-qe-identity-of-tdx", "The identity of the TD quoting enclave does not count for an SGX quote.")
            .change(|m| m.collateral.qe_identity.body.set("/id", "TD_QE"))
            .invalid(&["qe-identity.kind-wrong"]),
        sgx("sgx-lower-component", "One SGX component below the level leads to the next lower one.")
            .change(|m| m.sgx.components[7] = 3)
            .thin(behind),
        sgx("sgx-lower-pcesvn", "A PCE version below the level leads to the next lower one.").change(|m| m.sgx.pce_svn = 12).thin(behind),
        sgx("sgx-below-all", "A platform below every level is not supported.")
            .change(|m| m.sgx.components[0] = 1)
            .invalid(&["tcb.no-matching-level"]),
        sgx("sgx-qe-behind", "A quoting enclave behind makes an up to date platform out of date.")
            .change(|m| m.collateral.qe_identity.body.set("/tcbLevels/0/tcb/isvsvn", 7))
            .thin(behind),
        sgx("sgx-revoked", "A revoked TCB level is final.")
            .change(|m| m.collateral.tcb_info.body.set("/tcbLevels/0/tcbStatus", "Revoked"))
            .invalid(&["tcb.revoked"]),
        sgx("sgx-levels-twice", "Two levels with the same components leave the status open.")
            .change(|m| {
                let twin = m.collateral.tcb_info.body.at("/tcbLevels/0").clone();
                m.collateral.tcb_info.body.list("/tcbLevels").push(twin);
            })
            .invalid(&["tcb-info.malformed"]),
    ]
}

/// Offset of the enclave report.
const BODY: usize = 48;
/// Offset of the length of the signature data in version 3 and, without a descriptor, 4.
const SIGNATURE_LENGTH: usize = BODY + 384;
/// Offset of the QE report in version 3, where nothing wraps it.
const QE_REPORT: usize = SIGNATURE_LENGTH + 4 + 128;

fn enclave_layouts() -> Vec<Vector> {
    let edited = |id: &str, rule: &str, edit: fn(&mut Vec<u8>)| sgx(id, rule).change(move |m| m.quote.afterwards.add(edit));
    let forged = &["quote.signature-wrong"];
    vec![
        edited("sgx-body-edited", "The signature covers the enclave's report.", |quote| quote[BODY + 320] ^= 1).invalid(forged),
        edited("sgx-header-edited", "The signature covers the header.", |quote| quote[8] ^= 1).invalid(forged),
        edited("sgx-qe-report-edited", "The platform's key signs the QE report.", |quote| quote[QE_REPORT + 100] ^= 1)
            .invalid(&["qe.report-signature-wrong"]),
        edited("sgx-cut-in-body", "A quote that ends inside its body is refused.", |quote| quote.truncate(SIGNATURE_LENGTH - 1))
            .invalid(&["quote.truncated"]),
        edited("sgx-trailing-bytes", "Bytes after the signed quote are zero.", |quote| quote.push(1)).invalid(&["quote.trailing-bytes"]),
        sgx("sgx-v3-wrapped", "Version 3 does not wrap the certification of the attestation key.")
            .change(|m| m.quote.wrapped = true)
            .invalid(&["quote.malformed"]),
        bare("sgx-v4-flat", "Version 4 wraps the certification of the attestation key.")
            .change(|m| {
                m.use_sgx(4);
                m.quote.wrapped = false;
            })
            .unverifiable(&["quote.certification-unsupported"]),
        sgx("sgx-v3-of-td", "A quote of version 3 is never of a TD.")
            .change(|m| m.quote.tee = 0x81)
            .unverifiable(&["quote.tee-unsupported"]),
        sgx("sgx-certification-type-3", "An encrypted platform id is no certificate chain.")
            .change(|m| m.quote.inner_type = 3)
            .unverifiable(&["quote.certification-unsupported"]),
        bare("sgx-v5-type-of-td", "A TD body does not stand in a quote of an enclave.")
            .change(|m| {
                m.use_sgx(5);
                m.quote.body_type = Some(2);
                m.quote.body_size = Some(584);
            })
            .unverifiable(&["quote.version-unsupported"]),
        bare("sgx-v5-size", "The size in the descriptor is that of an enclave report.")
            .change(|m| {
                m.use_sgx(5);
                m.quote.body_size = Some(385);
            })
            .invalid(&["quote.malformed"]),
    ]
}

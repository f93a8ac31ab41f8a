//! The state of platform, TDX module and quoting enclave, and the attributes of the TD.

use super::{Vector, classic};
use crate::collateral::tcb_level;
use crate::json::parse;
use crate::receipt::Material;

const PLATFORM_STATUS: &str = "/tcbLevels/0/tcbStatus";
const MODULE_ID: &str = "/tdxModuleIdentities/0/id";
const MODULE_SVN: &str = "/tdxModuleIdentities/0/tcbLevels/0/tcb/isvsvn";
const MODULE_STATUS: &str = "/tdxModuleIdentities/0/tcbLevels/0/tcbStatus";
const QE_SVN: &str = "/tcbLevels/0/tcb/isvsvn";
const QE_STATUS: &str = "/tcbLevels/0/tcbStatus";

pub(super) fn vectors() -> Vec<Vector> {
    let mut vectors = statuses();
    vectors.extend(levels());
    vectors.extend(module());
    vectors.extend(quoting_enclave());
    vectors.extend(relaunch());
    vectors.extend(attributes());
    vectors
}

fn set_platform_status(status: &'static str) -> impl Fn(&mut Material) {
    move |m| m.collateral.tcb_info.body.set(PLATFORM_STATUS, status)
}

fn statuses() -> Vec<Vector> {
    let weak = [
        ("OutOfDate", "tcb.out-of-date"),
        ("ConfigurationNeeded", "tcb.configuration-needed"),
        ("OutOfDateConfigurationNeeded", "tcb.out-of-date-configuration-needed"),
        ("SWHardeningNeeded", "tcb.sw-hardening-needed"),
        ("ConfigurationAndSWHardeningNeeded", "tcb.configuration-and-sw-hardening-needed"),
    ];
    let mut vectors: Vec<_> = weak
        .into_iter()
        .map(|(status, code)| {
            let id = code.replacen("tcb.", "tcb-", 1);
            classic(id, format!("A platform of status {status} is genuine, and weaker than one that is up to date."))
                .change(set_platform_status(status))
                .thin(&[code])
        })
        .collect();
    vectors.extend([
        classic("tcb-revoked", "A revoked TCB level is final.").change(set_platform_status("Revoked")).invalid(&["tcb.revoked"]),
        classic("tcb-revoked-tolerant", "No policy can accept a revoked TCB level.")
            .change(set_platform_status("Revoked"))
            .policy("tolerant")
            .invalid(&["tcb.revoked"]),
        classic("tcb-status-unknown", "A status that is not one of Intel's is refused.")
            .change(set_platform_status("Fine"))
            .invalid(&["tcb.status-unknown"]),
        classic("tcb-status-relaunch", "Relaunch advice is a verifier's word and never stands in TCB info.")
            .change(set_platform_status("TDRelaunchAdvised"))
            .invalid(&["tcb.status-unknown"]),
        classic("tcb-advisories", "Advisories on an up to date level are named.")
            .change(|m| m.collateral.tcb_info.body.set("/tcbLevels/0/advisoryIDs", parse(r#"["INTEL-SA-99000"]"#)))
            .verified(&["tcb.advisories"]),
        classic("tcb-out-of-date-tolerant", "A policy may read an out of date TCB as a note.")
            .change(set_platform_status("OutOfDate"))
            .policy("tolerant")
            .verified(&["tcb.out-of-date"]),
    ]);
    vectors
}

fn levels() -> Vec<Vector> {
    vec![
        classic("tcb-lower-component", "One SGX component below the level leads to the next lower one.")
            .change(|m| m.sgx.components[7] = 3)
            .thin(&["tcb.out-of-date"]),
        classic("tcb-lower-pcesvn", "A PCE version below the level leads to the next lower one.")
            .change(|m| m.sgx.pce_svn = 12)
            .thin(&["tcb.out-of-date"]),
        classic("tcb-lower-tdx-component", "One TDX component below the level leads to the next lower one.")
            .change(|m| m.quote.body.tee_tcb_svn[2] = 2)
            .thin(&["tcb.out-of-date"]),
        classic("tcb-below-all", "A platform below every level is not supported.")
            .change(|m| m.sgx.components[0] = 1)
            .invalid(&["tcb.no-matching-level"]),
        classic("tcb-levels-unsorted", "The best level that is met decides, wherever it stands.")
            .change(|m| m.collateral.tcb_info.body.list("/tcbLevels").reverse())
            .verified(&[]),
        classic("tcb-module-components-skipped", "Where the module has a version, its two components are judged by its own identity.")
            .change(|m| {
                m.collateral.tcb_info.body.list("/tcbLevels")[0] = tcb_level(
                    [3, 3, 2, 2, 1, 1, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0],
                    13,
                    [9, 9, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
                    "UpToDate",
                );
            })
            .verified(&[]),
        classic("tcb-module-version-0", "A module of version 0 is the base module, and all components are compared.")
            .change(|m| m.quote.body.tee_tcb_svn[1] = 0)
            .verified(&[]),
        classic("tcb-module-version-0-behind", "A base module below the level leads to the next lower one.")
            .change(|m| m.quote.body.tee_tcb_svn[..2].copy_from_slice(&[3, 0]))
            .thin(&["tcb.out-of-date"]),
    ]
}

fn module() -> Vec<Vector> {
    let mismatch = &["tdx-module.identity-mismatch"];
    let changed = |id: &str, rule: &str, change: fn(&mut Material)| classic(id, rule).change(change);
    vec![
        changed("module-signer", "The TDX module is signed by the signer that the TCB info names.", |m| {
            m.quote.body.module_signer[0] = 1;
        })
        .invalid(mismatch),
        changed("module-attributes", "The TDX module has the attributes that the TCB info names.", |m| {
            m.quote.body.module_attributes = 1;
        })
        .invalid(mismatch),
        changed("module-attributes-of-both", "A module with attributes is refused even where the TCB info names the same.", |m| {
            m.quote.body.module_attributes = 1;
            m.collateral.tcb_info.body.set("/tdxModuleIdentities/0/attributes", "0100000000000000");
        })
        .invalid(mismatch),
        changed("module-attributes-of-identity", "A module without the attributes that the TCB info names is not that module.", |m| {
            m.collateral.tcb_info.body.set("/tdxModuleIdentities/0/attributes", "0100000000000000");
        })
        .invalid(mismatch),
        changed("module-version-0-signer", "A module of version 0 is signed by the signer of the base module.", |m| {
            m.quote.body.tee_tcb_svn[1] = 0;
            m.collateral.tcb_info.body.set("/tdxModule/mrsigner", "01".repeat(48));
        })
        .invalid(mismatch),
        changed("module-base-other-signer", "Of a module with a version, only the identity of that version counts.", |m| {
            m.collateral.tcb_info.body.set("/tdxModule/mrsigner", "01".repeat(48));
        })
        .verified(&[]),
        changed("module-version-10", "The version in a module's id is in hex.", |m| {
            m.quote.body.tee_tcb_svn[1] = 10;
            m.collateral.tcb_info.body.set(MODULE_ID, "TDX_0A");
        })
        .verified(&[]),
        changed("module-version-10-lower-case", "The case of that hex does not matter.", |m| {
            m.quote.body.tee_tcb_svn[1] = 10;
            m.collateral.tcb_info.body.set(MODULE_ID, "TDX_0a");
        })
        .verified(&[]),
        changed("module-version-unknown", "A module version that the TCB info does not list is refused.", |m| {
            m.quote.body.tee_tcb_svn[1] = 2;
        })
        .invalid(mismatch),
        changed("module-twice", "A module version has one identity.", |m| {
            let twin = m.collateral.tcb_info.body.at("/tdxModuleIdentities/0").clone();
            m.collateral.tcb_info.body.list("/tdxModuleIdentities").push(twin);
        })
        .invalid(&["tcb-info.malformed"]),
        changed("module-twice-by-case", "Two ids that differ in case alone are one module version.", |m| {
            m.quote.body.tee_tcb_svn[1] = 10;
            let mut twin = m.collateral.tcb_info.body.at("/tdxModuleIdentities/0").clone();
            twin.set("/id", "TDX_0a");
            m.collateral.tcb_info.body.set(MODULE_ID, "TDX_0A");
            m.collateral.tcb_info.body.list("/tdxModuleIdentities").push(twin);
        })
        .invalid(&["tcb-info.malformed"]),
        changed("module-status-of-platforms", "A module is up to date, out of date or revoked, and nothing else.", |m| {
            m.collateral.tcb_info.body.set(MODULE_STATUS, "OutOfDateConfigurationNeeded");
        })
        .invalid(&["tcb.status-unknown"]),
        changed("module-out-of-date", "A module behind makes an up to date platform out of date.", |m| {
            m.collateral.tcb_info.body.set(MODULE_SVN, 6);
        })
        .thin(&["tcb.out-of-date"]),
        changed("module-revoked", "A revoked module is final.", |m| {
            m.collateral.tcb_info.body.set(MODULE_STATUS, "Revoked");
        })
        .invalid(&["tcb.revoked"]),
        changed("module-below-all", "A module below every level is not supported.", |m| {
            m.quote.body.tee_tcb_svn[0] = 1;
        })
        .invalid(&["tcb.no-matching-level"]),
    ]
}

/// The TD was launched with `launch`; now the TDX module has the SVN `now`.
fn launched(launch: [u8; 3], now: [u8; 3]) -> impl Fn(&mut Material) {
    move |m| {
        m.use_td15();
        let body = &mut m.quote.body;
        body.tee_tcb_svn[..3].copy_from_slice(&launch);
        body.td15.iter_mut().for_each(|td15| td15.tee_tcb_svn2[..3].copy_from_slice(&now));
    }
}

fn relaunch() -> Vec<Vector> {
    let advised = |id: &str, rule: &str| classic(id, rule).change(launched([3, 1, 3], [5, 1, 3]));
    let unsupported = &["tcb.no-matching-level"];
    vec![
        advised("relaunch-module", "A TD that was launched by an old module, under which a new one runs now, is to be launched again.")
            .thin(&["tcb.relaunch-advised"]),
        advised("relaunch-tolerant", "A policy may read relaunch advice as a note.").policy("tolerant").verified(&["tcb.relaunch-advised"]),
        classic("relaunch-platform", "The other TDX components count for relaunch advice like the module.")
            .change(launched([5, 1, 2], [5, 1, 3]))
            .thin(&["tcb.relaunch-advised"]),
        advised("relaunch-configuration", "Relaunch advice says so where the platform also needs configuration.")
            .change(set_platform_status("ConfigurationNeeded"))
            .thin(&["tcb.relaunch-advised-configuration-needed"]),
        advised("relaunch-configuration-tolerant", "A policy may read that as a note too.")
            .change(set_platform_status("ConfigurationNeeded"))
            .policy("tolerant")
            .verified(&["tcb.relaunch-advised-configuration-needed"]),
        classic("relaunch-both-behind", "Where the module that runs now is old too, launching again is no help.")
            .change(launched([3, 1, 3], [3, 1, 3]))
            .thin(&["tcb.out-of-date"]),
        classic("relaunch-other-cause", "Where the quoting enclave is behind, launching again is no help.")
            .change(launched([3, 1, 3], [5, 1, 3]))
            .change(|m| m.collateral.qe_identity.body.set(QE_SVN, 7))
            .thin(&["tcb.out-of-date"]),
        classic("relaunch-module-unknown", "The module that runs now has to be one that the TCB info lists.")
            .change(launched([5, 1, 3], [5, 2, 3]))
            .invalid(unsupported),
        classic("relaunch-module-below-all", "The module that runs now has to stand on a level.")
            .change(launched([5, 1, 3], [1, 1, 3]))
            .invalid(unsupported),
        classic("relaunch-platform-below-all", "The platform has to stand on a level now as well.")
            .change(launched([5, 1, 3], [5, 1, 1]))
            .invalid(unsupported),
        classic("relaunch-module-older-now", "A module that is out of date now counts, whichever launched the TD.")
            .change(launched([5, 1, 3], [3, 1, 3]))
            .thin(&["tcb.out-of-date"]),
        classic("relaunch-module-revoked", "A module that is revoked now is final, whichever launched the TD.")
            .change(launched([5, 1, 3], [3, 1, 3]))
            .change(|m| m.collateral.tcb_info.body.set("/tdxModuleIdentities/0/tcbLevels/1/tcbStatus", "Revoked"))
            .invalid(&["tcb.revoked"]),
    ]
}

fn quoting_enclave() -> Vec<Vector> {
    let mismatch = &["qe.identity-mismatch"];
    let changed = |id: &str, rule: &str, change: fn(&mut Material)| classic(id, rule).change(change);
    vec![
        changed("qe-other-signer", "Any enclave can get a certified report; only Intel's quoting enclave counts.", |m| {
            m.quote.qe.signer[0] ^= 1;
        })
        .invalid(mismatch),
        changed("qe-other-product", "The product id tells the TD quoting enclave from Intel's others.", |m| {
            m.quote.qe.product = 1;
        })
        .invalid(mismatch),
        changed("qe-debug", "A quoting enclave in debug mode is not the one that Intel describes.", |m| {
            m.quote.qe.flags |= 2;
        })
        .invalid(mismatch),
        changed("qe-debug-unmasked", "A quoting enclave in debug mode is refused whatever the mask of its identity leaves out.", |m| {
            m.quote.qe.flags |= 2;
            m.collateral.qe_identity.body.set("/attributesMask", "F9FFFFFFFFFFFFFF0000000000000000");
        })
        .invalid(mismatch),
        changed("qe-other-attributes", "The ATTRIBUTES of the quoting enclave are compared under their mask.", |m| {
            // The right to the launch key.
            m.quote.qe.flags |= 1 << 5;
        })
        .invalid(mismatch),
        changed("qe-other-state", "Under a mask that covers them, the state components of the quoting enclave are compared too.", |m| {
            let identity = &mut m.collateral.qe_identity.body;
            identity.set("/attributes", "1100000000000000E700000000000000");
            identity.set("/attributesMask", "FBFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF");
            m.quote.qe.xfrm = 0x2e7;
        })
        .invalid(mismatch),
        changed("qe-product-high", "The product of the quoting enclave has sixteen bits.", |m| m.quote.qe.product |= 1 << 8)
            .invalid(mismatch),
        changed("qe-misc-select", "The MISCSELECT of the quoting enclave is compared under its mask.", |m| {
            m.quote.qe.misc_select = 1;
        })
        .invalid(mismatch),
        changed("qe-out-of-date", "A quoting enclave behind makes an up to date platform out of date.", |m| {
            m.collateral.qe_identity.body.set(QE_SVN, 7);
        })
        .thin(&["tcb.out-of-date"]),
        changed("qe-out-of-date-configuration", "A quoting enclave behind on a platform that needs configuration gives both.", |m| {
            m.collateral.qe_identity.body.set(QE_SVN, 7);
            m.collateral.tcb_info.body.set(PLATFORM_STATUS, "ConfigurationNeeded");
        })
        .thin(&["tcb.out-of-date-configuration-needed"]),
        changed("qe-configuration-needed", "A quoting enclave that is not up to date is out of date, whatever its level is called.", |m| {
            m.collateral.qe_identity.body.set(QE_STATUS, "ConfigurationNeeded");
        })
        .thin(&["tcb.out-of-date"]),
        changed(
            "qe-status-of-platforms",
            "A quoting enclave needs no hardening of the software that uses it: that status is not one of its own.",
            |m| {
                m.collateral.qe_identity.body.set(QE_STATUS, "SWHardeningNeeded");
            },
        )
        .invalid(&["tcb.status-unknown"]),
        changed("qe-revoked", "A revoked quoting enclave is final.", |m| {
            m.collateral.qe_identity.body.set(QE_STATUS, "Revoked");
        })
        .invalid(&["tcb.revoked"]),
        changed("qe-revoked-and-forged", "A level that is revoked does not stand in for a signature: the forgery is what is found.", |m| {
            m.collateral.qe_identity.body.set(QE_STATUS, "Revoked");
            m.quote.afterwards.add(|quote| quote[crate::quote::SIGNATURE + 10] ^= 1);
        })
        .invalid(&["quote.signature-wrong"]),
        changed("qe-below-all", "A quoting enclave below every level is not supported.", |m| m.quote.qe.svn = 1)
            .invalid(&["tcb.no-matching-level"]),
        changed("qe-levels-unsorted", "The highest level that is met decides, wherever it stands.", |m| {
            m.collateral.qe_identity.body.list("/tcbLevels").reverse();
        })
        .verified(&[]),
    ]
}

fn attributes() -> Vec<Vector> {
    let bit = |id: &str, rule: &str, bit: u32| classic(id, rule).change(move |m| m.quote.body.td_attributes ^= 1 << bit);
    vec![
        bit("td-debug", "What a TD in debug mode says is no evidence.", 0).invalid(&["td.debug"]),
        bit("td-profiling", "What a TD under profiling says is no evidence.", 4).invalid(&["td.profiling"]),
        bit("td-profiling-5", "All three profiling bits count.", 5).invalid(&["td.profiling"]),
        bit("td-profiling-6", "All three profiling bits count.", 6).invalid(&["td.profiling"]),
        bit("td-reserved", "Attribute bits without a meaning are zero.", 1).invalid(&["td.reserved-bits"]),
        bit("td-sept-ve", "The host must not be able to inject page faults.", 28).invalid(&["td.sept-ve-not-disabled"]),
        bit("td-sept-ve-tolerant", "A policy may accept such a TD as weaker, never as good.", 28)
            .policy("tolerant")
            .thin(&["td.sept-ve-not-disabled"]),
        bit("td-migratable", "A TD that can be moved is not the one that was measured.", 29).invalid(&["td.migratable"]),
        bit("td-service", "A bound service TD can act on the TD that made the quote.", 17).invalid(&["td.service-td-bound"]),
        bit("td-perfmon", "Performance monitoring and protection keys are harmless.", 63)
            .change(|m| m.quote.body.td_attributes |= 1 << 30)
            .verified(&[]),
        classic("td-xfam", "XFAM has the bits that every TD has.").change(|m| m.quote.body.xfam &= !2).thin(&["td.xfam-unknown"]),
        classic("td-xfam-0", "XFAM has the bits that every TD has.").change(|m| m.quote.body.xfam &= !1).thin(&["td.xfam-unknown"]),
        classic("td-xfam-3", "XFAM has no bit that no known module allows.")
            .change(|m| m.quote.body.xfam |= 1 << 3)
            .thin(&["td.xfam-unknown"]),
    ]
}

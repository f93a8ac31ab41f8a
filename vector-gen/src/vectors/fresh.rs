//! Collateral that the caller brings: the same quote judged a second time, by what Intel said later.

use super::{Fresh, Outcome, Vector, classic};
use crate::edits::Edit;
use crate::receipt::Material;

pub(super) fn vectors() -> Vec<Vector> {
    vec![
        fresh("fresh-up-to-date", "Fresh collateral under which the platform is still up to date changes nothing.", |_| {})
            .answer(Outcome::Verified, &[])
            .verified(&[]),
        fresh("fresh-out-of-date", "A platform that fell behind since is named with both answers; the worse counts.", |m| {
            m.collateral.tcb_info.body.set("/tcbLevels/0/tcb/pcesvn", 14);
        })
        .answer(Outcome::UnderProvenanced, &["tcb.out-of-date"])
        .thin(&[]),
        fresh("fresh-out-of-date-tolerant", "What the policy makes of a status holds for both answers.", |m| {
            m.collateral.tcb_info.body.set("/tcbLevels/0/tcb/pcesvn", 14);
        })
        .answer(Outcome::Verified, &["tcb.out-of-date"])
        .policy("tolerant")
        .verified(&[]),
        fresh("fresh-recovered", "A platform that was behind stays so, whatever fresh collateral says.", |_| {})
            .answer(Outcome::Verified, &[])
            .carried(Outcome::UnderProvenanced)
            .change(|m| m.collateral.tcb_info.body.set("/tcbLevels/0/tcbStatus", "OutOfDate"))
            .thin(&["tcb.out-of-date"]),
        fresh("fresh-certificate-revoked", "A PCK certificate that was revoked since refutes.", |m| {
            m.collateral.pck_crl.revoked.push(m.pck.serial.clone());
        })
        .answer(Outcome::Invalid, &["certificate.revoked"])
        .invalid(&[]),
        fresh(
            "fresh-certificate-revoked-carried-incomplete",
            "So it does where the carried collateral lacks a part, and with it its window.",
            |m| {
                m.collateral.pck_crl.revoked.push(m.pck.serial.clone());
            },
        )
        .answer(Outcome::Invalid, &["certificate.revoked"])
        .carried(Outcome::Unverifiable)
        .change(|m| m.collateral.items.add(|items| items.truncate(3)))
        .invalid(&["collateral.part-absent"]),
        fresh("fresh-level-revoked", "A TCB level that was revoked since refutes.", |m| {
            m.collateral.tcb_info.body.set("/tcbLevels/0/tcbStatus", "Revoked");
        })
        .answer(Outcome::Invalid, &["tcb.revoked"])
        .invalid(&[]),
        fresh("fresh-no-level", "A platform that Intel no longer lists is refused.", |m| {
            m.collateral.tcb_info.body.set("/tcbLevels/0/tcb/pcesvn", 14);
            m.collateral.tcb_info.body.set("/tcbLevels/1/tcb/pcesvn", 14);
        })
        .answer(Outcome::Invalid, &["tcb.no-matching-level"])
        .invalid(&[]),
        fresh("fresh-module-mismatch", "A TDX module that is not the one that Intel describes by now is refused.", |m| {
            m.collateral.tcb_info.body.set("/tdxModuleIdentities/0/mrsigner", "01".repeat(48));
        })
        .answer(Outcome::Invalid, &["tdx-module.identity-mismatch"])
        .invalid(&[]),
        fresh("fresh-qe-mismatch", "So is a quoting enclave that is not the one that Intel describes by now.", |m| {
            m.collateral.qe_identity.body.set("/mrsigner", "01".repeat(32));
        })
        .answer(Outcome::Invalid, &["qe.identity-mismatch"])
        .invalid(&[]),
        fresh("fresh-other-platform", "Collateral of another platform was brought by the caller: it decides nothing.", |m| {
            m.collateral.tcb_info.body.set("/fmspc", "00a1b2c3d4e6");
        })
        .answer(Outcome::Unverifiable, &["platform.fmspc-mismatch"])
        .unverifiable(&[]),
        fresh(
            "fresh-other-platform-no-level",
            "Nor does it if this platform is below its levels, or has a module that it does not list.",
            |m| {
                m.collateral.tcb_info.body.set("/fmspc", "00a1b2c3d4e6");
                m.collateral.tcb_info.body.set("/tcbLevels/0/tcb/pcesvn", 14);
                m.collateral.tcb_info.body.set("/tcbLevels/1/tcb/pcesvn", 14);
            },
        )
        .answer(Outcome::Unverifiable, &["platform.fmspc-mismatch", "tcb.no-matching-level"])
        .unverifiable(&[]),
        fresh("fresh-expired-no-level", "Nor does it if its parts were never current together.", |m| {
            m.collateral.pck_crl.next_update = Some("2026-08-10T09:00:00Z");
            m.collateral.tcb_info.body.set("/tcbLevels/0/tcb/pcesvn", 14);
            m.collateral.tcb_info.body.set("/tcbLevels/1/tcb/pcesvn", 14);
        })
        .answer(Outcome::Unverifiable, &["crl.outside-window", "tcb.no-matching-level", "window.empty"])
        .unverifiable(&[]),
        fresh("fresh-older-no-level", "Nor does it if it is older than the carried one: the platform may be newer than it.", |m| {
            m.collateral.tcb_info.body.set("/issueDate", "2026-08-03T10:59:59Z");
            m.collateral.tcb_info.body.set("/tcbLevels/0/tcb/pcesvn", 14);
            m.collateral.tcb_info.body.set("/tcbLevels/1/tcb/pcesvn", 14);
        })
        .answer(Outcome::Unverifiable, &["tcb.no-matching-level"])
        .unverifiable(&["collateral.not-fresh"]),
        fresh("fresh-forged", "Nor does collateral that was edited.", |m| {
            m.collateral.tcb_info.after_signing.add(|text| *text = text.replacen("00a1b2c3d4e5", "00a1b2c3d4e6", 1));
        })
        .answer(Outcome::Unverifiable, &["tcb-info.signature-wrong"])
        .unverifiable(&[]),
        fresh("fresh-part-absent", "Nor does collateral without one of its parts.", |m| {
            m.collateral.items.add(|items| items.truncate(3));
        })
        .answer(Outcome::Unverifiable, &["collateral.part-absent"])
        .unverifiable(&[]),
        fresh("fresh-older", "Collateral that is older than the carried one is not fresh.", |m| {
            m.collateral.tcb_info.body.set("/issueDate", "2026-08-03T10:59:59Z");
        })
        .answer(Outcome::Verified, &[])
        .unverifiable(&["collateral.not-fresh"]),
        fresh("fresh-same", "Collateral of the same instant is as fresh as the carried one.", |m| {
            m.collateral.tcb_info.body.set("/issueDate", "2026-08-03T11:00:00Z");
        })
        .answer(Outcome::Verified, &[])
        .verified(&[]),
        fresh("fresh-young", "The limit of age is on the newest collateral.", |_| {})
            .answer(Outcome::Verified, &[])
            .policy("age-30d")
            .now("2026-09-19T11:00:00Z")
            .verified(&[]),
        fresh("fresh-too-old", "Fresh collateral ages like any other.", |_| {})
            .answer(Outcome::Verified, &[])
            .policy("age-30d")
            .now("2026-09-19T11:00:01Z")
            .unverifiable(&["collateral.too-old"]),
        fresh("fresh-beside-forged-quote", "A quote that was edited is refused, whatever collateral it is judged by.", |_| {})
            .answer(Outcome::Unverifiable, &["quote.signature-wrong"])
            .carried(Outcome::Invalid)
            .change(|m| m.quote.afterwards.add(|quote| quote[48 + 136] ^= 1))
            .invalid(&["quote.signature-wrong"]),
    ]
}

/// Collateral of seventeen days later, with `change`.
fn fresh(id: &str, rule: &str, change: fn(&mut Material)) -> Vector {
    let later: Edit<Material> = Box::new(|m| {
        m.collateral.tcb_info.body.set("/issueDate", "2026-08-20T11:00:00Z");
        m.collateral.tcb_info.body.set("/nextUpdate", "2026-09-19T11:00:00Z");
    });
    let mut vector = classic(id, rule);
    let changes = vec![later, Box::new(change) as Edit<Material>];
    vector.fresh = Some(Fresh { changes, as_carried: Outcome::Verified, outcome: Outcome::Verified, codes: Vec::new() });
    vector
}

impl Vector {
    /// What the receipt is worth without it, if that is not `verified`.
    fn carried(mut self, outcome: Outcome) -> Self {
        if let Some(fresh) = &mut self.fresh {
            fresh.as_carried = outcome;
        }
        self
    }

    /// What the fresh collateral alone says.
    fn answer(mut self, outcome: Outcome, codes: &[&'static str]) -> Self {
        if let Some(fresh) = &mut self.fresh {
            fresh.outcome = outcome;
            fresh.codes = codes.to_vec();
        }
        self
    }
}

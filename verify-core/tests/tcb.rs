//! TCB levels end to end: what platform, TDX module and quoting enclave make together, in signed collateral of every combination.

#[path = "support/generated.rs"]
mod generated;

use generated::{codes, judge};
use vector_gen::json::{Json, parse};
use vector_gen::receipt::Material;
use verify_core::{Instant, Outcome, QuoteReport, TcbFacts, TcbStatus};

use TcbStatus::{
    ConfigurationAndSWHardeningNeeded as B, ConfigurationNeeded as C, OutOfDate as O, OutOfDateConfigurationNeeded as D, Revoked as R,
    SWHardeningNeeded as S, TDRelaunchAdvised as A, TDRelaunchAdvisedConfigurationNeeded as X, UpToDate as U,
};

const PLATFORM: &str = "/tcbLevels/0";
const PLATFORM_BELOW: &str = "/tcbLevels/1";
const MODULE: &str = "/tdxModuleIdentities/0/tcbLevels/0";
const QE: &str = "/tcbLevels/0";

/// Statuses of a quoting enclave, in the order of the columns below.
const QE_STATUSES: [TcbStatus; 5] = [U, C, O, D, R];

/// Intel's convergence (quote verification library: TcbLevelCheck, TdxModuleCheck, and EnclaveReportVerifier, to which every
/// enclave that is neither up to date nor revoked is out of date): platform, TDX module if there is one, and what follows under
/// each status of the quoting enclave.
const CONVERGENCE: [(TcbStatus, Option<TcbStatus>, [TcbStatus; 5]); 28] = [
    (U, None, [U, O, O, O, R]),
    (U, Some(U), [U, O, O, O, R]),
    (U, Some(O), [O, O, O, O, R]),
    (U, Some(R), [R, R, R, R, R]),
    (S, None, [S, O, O, O, R]),
    (S, Some(U), [S, O, O, O, R]),
    (S, Some(O), [O, O, O, O, R]),
    (S, Some(R), [R, R, R, R, R]),
    (C, None, [C, D, D, D, R]),
    (C, Some(U), [C, D, D, D, R]),
    (C, Some(O), [D, D, D, D, R]),
    (C, Some(R), [R, R, R, R, R]),
    (B, None, [B, D, D, D, R]),
    (B, Some(U), [B, D, D, D, R]),
    (B, Some(O), [D, D, D, D, R]),
    (B, Some(R), [R, R, R, R, R]),
    (O, None, [O, O, O, O, R]),
    (O, Some(U), [O, O, O, O, R]),
    (O, Some(O), [O, O, O, O, R]),
    (O, Some(R), [R, R, R, R, R]),
    (D, None, [D, D, D, D, R]),
    (D, Some(U), [D, D, D, D, R]),
    (D, Some(O), [D, D, D, D, R]),
    (D, Some(R), [R, R, R, R, R]),
    (R, None, [R, R, R, R, R]),
    (R, Some(U), [R, R, R, R, R]),
    (R, Some(O), [R, R, R, R, R]),
    (R, Some(R), [R, R, R, R, R]),
];

/// What a status makes of a quote that is good otherwise.
fn consequence(status: TcbStatus) -> (Outcome, Vec<&'static str>) {
    let weak = |code| (Outcome::UnderProvenanced, vec![code]);
    match status {
        U => (Outcome::Verified, vec![]),
        S => weak("tcb.sw-hardening-needed"),
        C => weak("tcb.configuration-needed"),
        B => weak("tcb.configuration-and-sw-hardening-needed"),
        O => weak("tcb.out-of-date"),
        D => weak("tcb.out-of-date-configuration-needed"),
        A => weak("tcb.relaunch-advised"),
        X => weak("tcb.relaunch-advised-configuration-needed"),
        R => (Outcome::Invalid, vec!["tcb.revoked"]),
        other => panic!("{other:?} has no consequence"),
    }
}

fn set_status(document: &mut Json, level: &str, status: &str) {
    document.set(&format!("{level}/tcbStatus"), status);
}

fn tcb(report: &QuoteReport) -> &TcbFacts {
    report.facts.tcb.as_ref().unwrap_or_else(|| panic!("no status: {:?}", codes(report)))
}

#[test]
fn every_combination_converges_as_intels_table_says() {
    /// A trust domain with a module of version 1, or of version 0, or an SGX enclave.
    type Kind = (&'static str, fn(&mut Material));
    let with_module: [Kind; 1] = [("module", |_| {})];
    let without: [Kind; 2] = [("base module", |m| m.quote.body.tee_tcb_svn[1] = 0), ("enclave", |m| m.use_sgx(4))];
    let mut combinations = 0;
    for (platform, module, wanted) in CONVERGENCE {
        for (qe, wanted) in QE_STATUSES.into_iter().zip(wanted) {
            for (kind, make) in if module.is_some() { with_module.as_slice() } else { without.as_slice() } {
                let report = judge(
                    |m| {
                        set_status(&mut m.collateral.tcb_info.body, PLATFORM, platform.name());
                        set_status(&mut m.collateral.tcb_info.body, MODULE, module.unwrap_or(R).name());
                        set_status(&mut m.collateral.qe_identity.body, QE, qe.name());
                        make(m);
                    },
                    Instant::Collateral,
                );
                let what = format!("{kind}: {platform:?}, {module:?}, {qe:?}");
                let facts = tcb(&report);
                assert_eq!(
                    (facts.status, facts.platform, facts.tdx_module, facts.quoting_enclave),
                    (wanted, platform, module, qe),
                    "{what}"
                );
                assert_eq!((report.outcome, codes(&report)), consequence(wanted), "{what}");
                combinations += 1;
            }
        }
    }
    assert_eq!(combinations, 7 * 5 * (3 + 2));
}

/// A status is one of those that Intel gives to its kind of level, to the letter.
#[test]
fn a_status_of_another_kind_is_unknown() {
    let never = ["TDRelaunchAdvised", "TDRelaunchAdvisedConfigurationNeeded", "Fine", "uptodate", "UpToDate ", ""];
    let not_of_a_qe = ["SWHardeningNeeded", "ConfigurationAndSWHardeningNeeded"];
    let not_of_a_module = ["ConfigurationNeeded", "OutOfDateConfigurationNeeded", "SWHardeningNeeded", "ConfigurationAndSWHardeningNeeded"];
    type Place = fn(&mut Material, &str);
    let cases: [(Place, &[&str]); 3] = [
        (|m, status| set_status(&mut m.collateral.tcb_info.body, PLATFORM, status), &[]),
        (|m, status| set_status(&mut m.collateral.tcb_info.body, MODULE, status), &not_of_a_module),
        (|m, status| set_status(&mut m.collateral.qe_identity.body, QE, status), &not_of_a_qe),
    ];
    for (set, more) in cases {
        for status in never.iter().chain(more) {
            let report = judge(|m| set(m, status), Instant::Collateral);
            assert_eq!((report.outcome, codes(&report)), (Outcome::Invalid, vec!["tcb.status-unknown"]), "{status:?}");
            assert!(report.facts.tcb.is_none(), "{status:?}");
        }
    }
}

/// Rows: the level on which a TD was launched. Columns: the one on which it would stand now. Intel's rule (TDRelaunchCheck) but
/// for the two places where the level is worse now: out of date, and revoked.
#[test]
fn every_relaunch_follows_the_table() {
    let statuses = [U, S, C, B, O, D, R];
    let table = [
        [U, U, U, U, O, D, R],
        [S, S, S, S, O, D, R],
        [C, C, C, C, O, D, R],
        [B, B, B, B, O, D, R],
        [A, A, X, X, O, O, R],
        [X, X, X, X, D, D, R],
        [R, R, R, R, R, R, R],
    ];
    for (launch, row) in statuses.into_iter().zip(table) {
        for (now, wanted) in statuses.into_iter().zip(row) {
            let report = judge(
                |m| {
                    m.use_td15();
                    m.quote.body.tee_tcb_svn[2] = 2;
                    set_status(&mut m.collateral.tcb_info.body, PLATFORM_BELOW, launch.name());
                    set_status(&mut m.collateral.tcb_info.body, PLATFORM, now.name());
                },
                Instant::Collateral,
            );
            let facts = tcb(&report);
            assert_eq!((facts.status, facts.platform, facts.with_running_module), (wanted, launch, Some(now)), "{launch:?}, {now:?}");
            assert_eq!((report.outcome, codes(&report)), consequence(wanted), "{launch:?}, {now:?}");
        }
    }
}

/// Advisories of platform, module and quoting enclave, and what is reported.
#[test]
fn advisories_are_merged_in_order_each_once() {
    for (platform, module, qe, wanted) in [
        (None, None, None, ""),
        (Some(""), Some(""), Some(""), ""),
        (Some("A"), None, None, "A"),
        (None, Some("A"), None, "A"),
        (None, None, Some("A"), "A"),
        (Some("A"), Some("B"), Some("C"), "ACB"),
        (Some("C"), Some("B"), Some("A"), "CAB"),
        (Some("A"), Some("B"), Some(""), "AB"),
        (Some(""), Some("A"), Some("B"), "BA"),
        (Some("A"), Some(""), Some("B"), "AB"),
        (Some("A"), Some("A"), Some("A"), "A"),
        (Some("AA"), Some("BB"), Some(""), "AB"),
        (Some("AB"), Some("AC"), Some("BC"), "ABC"),
        (Some("BA"), Some("DB"), Some("CB"), "BACD"),
        (Some("A"), Some("B"), Some("AB"), "AB"),
    ] {
        let ids = |names: &str| names.chars().map(|name| format!("INTEL-SA-{name}")).collect::<Vec<String>>();
        let set = |document: &mut Json, level: &str, names: Option<&str>| {
            if let Some(names) = names {
                let list = ids(names).into_iter().map(Json::from).collect();
                document.add(level, "advisoryIDs", Json::List(list));
            }
        };
        let report = judge(
            |m| {
                set(&mut m.collateral.tcb_info.body, PLATFORM, platform);
                set(&mut m.collateral.tcb_info.body, MODULE, module);
                set(&mut m.collateral.qe_identity.body, QE, qe);
            },
            Instant::Collateral,
        );
        assert_eq!(tcb(&report).advisories, ids(wanted), "{platform:?}, {module:?}, {qe:?}");
        let noted = report.problems.iter().any(|problem| problem.code.name() == "tcb.advisories");
        assert_eq!((report.outcome, noted), (Outcome::Verified, !wanted.is_empty()), "{platform:?}, {module:?}, {qe:?}");
    }
}

#[test]
fn advisories_are_a_list_of_texts() {
    for advisories in [r#""INTEL-SA-A""#, r#"["INTEL-SA-A", 7]"#, "[null]", "{}", "null"] {
        let platform = judge(|m| m.collateral.tcb_info.body.add(PLATFORM, "advisoryIDs", parse(advisories)), Instant::Collateral);
        let module = judge(|m| m.collateral.tcb_info.body.add(MODULE, "advisoryIDs", parse(advisories)), Instant::Collateral);
        let qe = judge(|m| m.collateral.qe_identity.body.add(QE, "advisoryIDs", parse(advisories)), Instant::Collateral);
        assert_eq!(codes(&platform), ["tcb-info.malformed"], "{advisories}");
        assert_eq!(codes(&module), ["tcb-info.malformed"], "{advisories}");
        assert_eq!(codes(&qe), ["qe-identity.malformed"], "{advisories}");
    }
}

/// Dates of platform, module and quoting enclave: the oldest is the TCB's.
#[test]
fn the_oldest_date_is_the_tcbs() {
    for (platform, module, qe, wanted) in [
        (2021, 2022, 2023, 2021),
        (2021, 2023, 2022, 2021),
        (2022, 2021, 2023, 2021),
        (2023, 2021, 2022, 2021),
        (2022, 2023, 2021, 2021),
        (2023, 2022, 2021, 2021),
        (2022, 2022, 2022, 2022),
    ] {
        let date = |year: u32| format!("{year}-02-11T00:00:00Z");
        let report = judge(
            |m| {
                m.collateral.tcb_info.body.set(&format!("{PLATFORM}/tcbDate"), date(platform));
                m.collateral.tcb_info.body.set(&format!("{MODULE}/tcbDate"), date(module));
                m.collateral.qe_identity.body.set(&format!("{QE}/tcbDate"), date(qe));
            },
            Instant::Collateral,
        );
        assert_eq!(tcb(&report).tcb_date.to_string(), date(wanted));
    }
}

/// The id in TCB info, the version in the TD report, and whether the one names the other.
#[test]
fn a_module_is_found_by_its_version() {
    let (found, not_found, unreadable) = ([].as_slice(), ["tdx-module.identity-mismatch"].as_slice(), ["tcb-info.malformed"].as_slice());
    for (id, version, wanted) in [
        ("TDX_01", 1, found),
        ("TDX_0A", 0x0a, found),
        ("TDX_0a", 0x0a, found),
        ("tdx_0a", 0x0a, found),
        ("TDX_FF", 0xff, found),
        ("TDX_10", 0x10, found),
        ("TDX_10", 10, not_found),
        ("TDX_01", 2, not_found),
        ("TDX_02", 1, not_found),
        ("TDX_00", 1, not_found),
        ("TDX_01", 0xff, not_found),
        ("TDX_1", 1, unreadable),
        ("TDX_001", 1, unreadable),
        ("TDX_0G", 1, unreadable),
        ("TDX-01", 1, unreadable),
        ("01", 1, unreadable),
        ("", 1, unreadable),
    ] {
        let report = judge(
            |m| {
                m.quote.body.tee_tcb_svn[1] = version;
                m.collateral.tcb_info.body.set("/tdxModuleIdentities/0/id", id);
            },
            Instant::Collateral,
        );
        assert_eq!(codes(&report), wanted, "{id:?}, {version}");
    }
}

/// Several identities: that of the TD's own version decides, wherever it stands, and no other.
#[test]
fn the_identity_of_its_version_decides() {
    let judge_among = |position: usize, own: TcbStatus, other: TcbStatus| {
        let report = judge(
            |m| {
                let body = &mut m.collateral.tcb_info.body;
                let mut next = body.at("/tdxModuleIdentities/0").clone();
                set_status(body, MODULE, own.name());
                next.set("/id", "TDX_03");
                next.set("/mrsigner", "01".repeat(48));
                next.set("/tcbLevels/0/tcbStatus", other.name());
                body.list("/tdxModuleIdentities").insert(position, next);
            },
            Instant::Collateral,
        );
        tcb(&report).tdx_module
    };
    for position in [0, 1] {
        assert_eq!(judge_among(position, U, R), Some(U));
        assert_eq!(judge_among(position, R, U), Some(R));
    }
}

#[test]
fn without_identities_only_the_base_module_is_known() {
    let edits: [fn(&mut Json); 2] = [|body| drop(body.remove("/tdxModuleIdentities")), |body| body.list("/tdxModuleIdentities").clear()];
    for edit in edits {
        for (version, wanted) in [(0, vec![]), (1, vec!["tdx-module.identity-mismatch"])] {
            let report = judge(
                |m| {
                    m.quote.body.tee_tcb_svn[1] = version;
                    edit(&mut m.collateral.tcb_info.body);
                },
                Instant::Collateral,
            );
            assert_eq!(codes(&report), wanted, "{version}");
        }
    }
    let base_listed = judge(
        |m| {
            m.quote.body.tee_tcb_svn[1] = 0;
            m.collateral.tcb_info.body.set("/tdxModuleIdentities/0/id", "TDX_00");
            set_status(&mut m.collateral.tcb_info.body, MODULE, R.name());
        },
        Instant::Collateral,
    );
    assert_eq!((base_listed.outcome, tcb(&base_listed).tdx_module), (Outcome::Verified, None));
}

/// SVN of the module that launched the TD, under levels from 4 (up to date) and from 2 (out of date).
#[test]
fn the_highest_level_that_a_module_reaches_is_its_own() {
    for (svn, wanted) in [(0, None), (1, None), (2, Some(O)), (3, Some(O)), (4, Some(U)), (5, Some(U)), (255, Some(U))] {
        for edit in [|_: &mut Json| {}, |body: &mut Json| body.list("/tdxModuleIdentities/0/tcbLevels").reverse()] {
            let report = judge(
                |m| {
                    m.quote.body.tee_tcb_svn[0] = svn;
                    edit(&mut m.collateral.tcb_info.body);
                },
                Instant::Collateral,
            );
            assert_eq!(report.facts.tcb.as_ref().and_then(|tcb| tcb.tdx_module), wanted, "{svn}");
            let unsupported = codes(&report) == ["tcb.no-matching-level"];
            assert_eq!(unsupported, wanted.is_none(), "{svn}");
        }
    }
    for (level, wanted) in
        [("255", vec![]), ("256", vec!["tcb.out-of-date"]), ("65535", vec!["tcb.out-of-date"]), ("65536", vec!["tcb-info.malformed"])]
    {
        let report = judge(
            |m| {
                m.quote.body.tee_tcb_svn[0] = 255;
                m.collateral.tcb_info.body.set(&format!("{MODULE}/tcb/isvsvn"), parse(level));
            },
            Instant::Collateral,
        );
        assert_eq!(codes(&report), wanted, "{level}");
    }
}

/// SVN of the quoting enclave, under levels from 4 (up to date) and from 2 (out of date).
#[test]
fn the_highest_level_that_a_quoting_enclave_reaches_is_its_own() {
    for (svn, wanted) in [(1, None), (2, Some(O)), (3, Some(O)), (4, Some(U)), (5, Some(U)), (65535, Some(U))] {
        let report = judge(|m| m.quote.qe.svn = svn, Instant::Collateral);
        assert_eq!(report.facts.tcb.as_ref().map(|tcb| tcb.quoting_enclave), wanted, "{svn}");
    }
}

/// Each of the 16 SGX components, the PCE SVN and each TDX component: at the level, one below, one above.
#[test]
fn every_component_counts() {
    let status = |change: &dyn Fn(&mut Material)| tcb(&judge(|m| change(m), Instant::Collateral)).status;
    for index in 0..16 {
        let raise = |m: &mut Material, by: u32| {
            let pointer = format!("{PLATFORM}/tcb/sgxtcbcomponents/{index}/svn");
            let has = u32::try_from(m.sgx.components[index]).expect("a byte");
            m.collateral.tcb_info.body.set(&pointer, has + by);
        };
        assert_eq!(status(&|m| raise(m, 0)), U, "SGX {index}");
        assert_eq!(status(&|m| raise(m, 1)), O, "SGX {index}");
        assert_eq!(status(&|m| m.sgx.components[index] += 1), U, "SGX {index}");
        for version in [0, 1] {
            let raise = |m: &mut Material, by: u32| {
                m.quote.body.tee_tcb_svn[1] = version;
                let pointer = format!("{PLATFORM}/tcb/tdxtcbcomponents/{index}/svn");
                m.collateral.tcb_info.body.set(&pointer, u32::from(m.quote.body.tee_tcb_svn[index]) + by);
            };
            // The first two speak of the module, which has levels of its own from version 1 on.
            let above = if version > 0 && index < 2 { U } else { O };
            assert_eq!(status(&|m| raise(m, 0)), U, "TDX {index}, version {version}");
            assert_eq!(status(&|m| raise(m, 1)), above, "TDX {index}, version {version}");
        }
    }
    for (pce_svn, wanted) in [(12, O), (13, U), (14, U)] {
        assert_eq!(status(&|m| m.sgx.pce_svn = pce_svn), wanted, "PCE SVN {pce_svn}");
    }
}

/// MRSIGNERSEAM and SEAMATTRIBUTES against the identity, and a mask, which excuses nothing.
#[test]
fn a_module_is_that_of_its_identity() {
    type Change = fn(&mut Material);
    let other_signer: Change = |m| m.quote.body.module_signer[47] = 1;
    let same_signer: Change = |m| {
        m.quote.body.module_signer[47] = 1;
        m.collateral.tcb_info.body.set("/tdxModuleIdentities/0/mrsigner", format!("{}01", "00".repeat(47)));
    };
    let unmasked: Change = |m| {
        m.quote.body.module_attributes = 1 << 63;
        m.collateral.tcb_info.body.set("/tdxModuleIdentities/0/attributesMask", "00".repeat(8));
    };
    let unmasked_identity: Change = |m| {
        m.collateral.tcb_info.body.set("/tdxModuleIdentities/0/attributes", format!("{}80", "00".repeat(7)));
        m.collateral.tcb_info.body.set("/tdxModuleIdentities/0/attributesMask", "00".repeat(8));
    };
    let running_under_other_signer: Change = |m| {
        // Only the module that launched the TD has its signer in the report.
        m.use_td15();
        let body = &mut m.collateral.tcb_info.body;
        let mut next = body.at("/tdxModuleIdentities/0").clone();
        next.set("/id", "TDX_03");
        next.set("/mrsigner", "01".repeat(48));
        body.list("/tdxModuleIdentities").push(next);
        m.quote.body.td15.as_mut().expect("a TD 1.5 body").tee_tcb_svn2[1] = 3;
    };
    let mismatch = ["tdx-module.identity-mismatch"].as_slice();
    for (name, change, wanted) in [
        ("other signer", other_signer, mismatch),
        ("same signer", same_signer, &[]),
        ("unmasked", unmasked, mismatch),
        ("unmasked identity", unmasked_identity, mismatch),
        ("running under another signer", running_under_other_signer, &[]),
    ] {
        assert_eq!(codes(&judge(change, Instant::Collateral)), wanted, "{name}");
    }
}

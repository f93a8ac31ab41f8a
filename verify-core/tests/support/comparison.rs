//! The measured part of `docs/comparison.md`: what other verifiers answered on the corpus of quotes, where they differ and why, and
//! what became of every entry and every case under ours.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::Value;

/// The verifiers that answered, by their column and their place in an entry of the corpus: that of a synthetic entry, and that of
/// one with Intel's own signatures.
const VERIFIERS: [(&str, &str, &str); 6] = [
    ("dcap-qvl 0.7.1", "/dcap_qvl/0.7.1", "/h071"),
    ("dcap-qvl 0.5.2", "/dcap_qvl/0.5.2(9bffe30)", "/h052"),
    ("QVL 2026-07", "/intel_qvl/2026-07 (d12717e)", "/q2026"),
    ("QVL 2024-03", "/intel_qvl/2024-03 (7e5b2a1)", "/q2024"),
    ("go-tdx-guest", "/go_tdx_guest", "/go"),
    ("dcap-rs", "/dcap_rs", "/rs"),
];

/// Why answers differ, with the entries in which they do. Every entry on which some verifier differs stands in exactly one row.
const DIFFERENCES: [(&str, &[&str]); 37] = [
    (
        "Bytes that no length field accounts for inside of the signature data",
        &["siglen_plus1", "outer_tail", "inner_len_minus", "inner_tail"],
    ),
    ("Bytes after the quote that are not zero", &["trailing_nonzero"]),
    ("Outer certification data of another type than 6", &["outer_cert_type_1", "outer_cert_type_5", "outer_cert_type_7"]),
    ("Another QE vendor", &["hdr_vendor"]),
    ("A body descriptor whose size is not that of its type", &["v5_size_zero"]),
    ("Signature data of length 0", &["siglen_zero"]),
    ("Good quotes of version 5", &["ok_v5_td10", "ok_v5_td15", "ok_v5_td15ex", "pub_go_v5"]),
    ("Good QE authentication data of 0 or 64 bytes", &["ok_qe_auth_len0", "ok_qe_auth_len64"]),
    ("The second half of the QE report data is not zero", &["rd_upper_nonzero"]),
    ("Text around the PEM blocks of the chain", &["chain_text_between"]),
    ("A chain of two or four certificates", &["chain_two", "chain_extra_cert"]),
    ("A leaf with another name", &["leaf_wrong_cn"]),
    ("A good quote below the Processor CA", &["ok_v4_processor_ca"]),
    ("An intermediate that is no CA", &["intermediate_not_ca"]),
    ("An unknown critical extension", &["leaf_unknown_critical"]),
    ("Signed with SHA-384", &["leaf_sha384", "pck_crl_sha384"]),
    ("A leaf that is not valid yet", &["leaf_not_yet"]),
    (
        "An SGX extension with items twice, missing, cut, out of range or followed by bytes",
        &[
            "ext_dup_fmspc",
            "ext_dup_tcb",
            "ext_no_pceid",
            "ext_pceid_1",
            "ext_comps_15",
            "ext_comp_300",
            "ext_pcesvn_70000",
            "ext_trailing",
        ],
    ),
    ("A TCB component below that of CPUSVN: the component decides", &["tcb_comp_vs_cpusvn"]),
    ("Bytes after a CRL", &["pck_crl_trailing"]),
    ("A delta CRL, or one with an unknown critical extension", &["pck_crl_delta", "pck_crl_unknown_critical"]),
    ("A CRL without number or authority key", &["pck_crl_no_number", "pck_crl_no_aki"]),
    ("A CRL from the future", &["pck_crl_future"]),
    ("The two CRLs in each other's place", &["crls_swapped"]),
    (
        "Collateral signed below the root, but not by the TCB signing certificate",
        &["tcb_by_pck_leaf", "qe_by_pck_leaf", "tcb_by_other_root_leaf"],
    ),
    (
        "Other bytes than the signed ones, equal as JSON",
        &["tcb_whitespace_added", "x_ws_added", "tcb_key_order", "ok_signed_over_whitespace"],
    ),
    ("A member that stands twice", &["env_dup_tcbinfo_last", "env_dup_tcbinfo_first", "tcb_dup_key_inside"]),
    ("20000 nested arrays beside the signed value", &["env_deep_nesting"]),
    ("Collateral that is not issued yet", &["tcb_future", "qe_future", "time_before_start"]),
    (
        "Malformed or foreign collateral: a component of 264, a date with an offset, another type, id or mask, no levels",
        &[
            "tcb_comp_256",
            "tcb_date_not_utc",
            "tcb_type_1",
            "tcb_id_sgx",
            "qe_id_qe",
            "qe_mask_short",
            "tcb_levels_empty",
            "qe_levels_empty",
        ],
    ),
    ("A status that Intel does not issue", &["tcb_status_unknown", "tcb_status_relaunch_in_json", "tcb_status_case", "qe_status_unknown"]),
    ("Fewer than 16 components", &["tcb_sgx_comps_15", "tcb_tdx_comps_2", "tcb_tdx_comps_absent"]),
    (
        "The platform is behind, its TDX module is not",
        &[
            "x_jul_quote_aug_collateral",
            "pub_dcaprs_00806f050000_2025",
            "tcb_outofdate_sgx",
            "tcb_outofdate_sgx_tdxhigh",
            "tcb_pcesvn_low",
            "tcb_tdx_comp2_low",
            "tcb_platform_ood_module_utd",
            "tcb_status_SWHardeningNeeded",
            "tcb_status_ConfigurationNeeded",
            "tcb_status_ConfigurationAndSWHardeningNeeded",
            "tcb_status_OutOfDateConfigurationNeeded",
        ],
    ),
    ("Below every level", &["pub_dcapqvl_hex_tdx_quote", "tcb_no_tdx_level", "tcb_qe_below_all"]),
    (
        "Module identity, version and converged status",
        &[
            "tcb_skip01_module3",
            "pub_trustee_az_tdx_vtpm_td_quote_2025",
            "pub_trustee_az_tdx_vtpm_td_quote_2026jul",
            "pub_trustee_az_tdx_vtpm_td_quote_2026aug",
            "tcb_module_identities_absent",
            "tcb_module_identities_empty",
            "mod_identity_mrsigner",
            "tcb_module_id_hex_upper",
            "tcb_qeood_ConfigurationNeeded",
            "tcb_modood_ConfigurationNeeded",
        ],
    ),
    ("Relaunch advice of TD 1.5", &["tcb_v5_relaunch", "tcb_v5_relaunch_conf", "tcb_v5_both_ood", "tcb_v5_svn2_unsupported"]),
    (
        "TD attributes and service TD",
        &[
            "td_debug",
            "pub_trustee_tdx_quote_4",
            "td_profiling_4",
            "td_profiling_5",
            "td_profiling_6",
            "td_reserved_1",
            "td_reserved_7",
            "td_reserved_8",
            "td_reserved_15",
            "td_reserved_23",
            "td_reserved_32",
            "td_reserved_61",
            "td_no_sept_ve",
            "v5_mr_service_td",
            "td_lass",
            "td_perfmon",
        ],
    ),
];

/// What the answer of a verifier is worth beside the right one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Worth {
    Right,
    /// Accepts what is to be refused.
    Accepts,
    /// Gives a better status than the right one.
    Better,
    /// Gives another status, no better one.
    OtherStatus,
    /// Refuses what is good.
    Refuses,
    /// Crashes, where refusing is not how it answers.
    Crashes,
}

impl Worth {
    const WRONG: [(Worth, &'static str); 5] = [
        (Worth::Accepts, "accepts"),
        (Worth::Better, "better"),
        (Worth::OtherStatus, "other status"),
        (Worth::Refuses, "refuses"),
        (Worth::Crashes, "crashes"),
    ];

    fn of(answer: &str, expected: &str) -> Self {
        let Some(wanted) = expected.strip_prefix("ok:") else {
            // An answer that the corpus names as right for who still reads old collateral.
            let is_named = status(answer).is_some_and(|status| expected.contains(&format!(": {status})")));
            return match status(answer) {
                _ if answer.contains("PANIC") => Worth::Crashes,
                None => Worth::Right,
                Some(_) if is_named => Worth::Right,
                Some(_) => Worth::Accepts,
            };
        };
        let wanted = wanted.split(' ').next().unwrap_or_default();
        match status(answer) {
            Some(status) if status == wanted => Worth::Right,
            Some("UpToDate") => Worth::Better,
            Some(_) => Worth::OtherStatus,
            // Refused for its status by who accepts one only, or under the policy that the corpus allows.
            None if wanted != "UpToDate" && answer.contains("it is now OutOfDate") => Worth::Right,
            None if expected.contains("policy") && answer.contains("SEPT_VE") => Worth::Right,
            None => Worth::Refuses,
        }
    }
}

/// The status that an answer gives; `None` where it refuses or says that something is not current.
fn status(answer: &str) -> Option<&str> {
    if let Some(status) = answer.strip_prefix("ok:") {
        return status.split(' ').next().map(|status| match status {
            "OK" => "UpToDate",
            "TcbOutOfDate" => "OutOfDate",
            other => other,
        });
    }
    // Intel's library answers four questions: PCK chain, TCB info, QE identity, quote.
    match answer.strip_prefix("OK OK OK ") {
        Some("OK") => Some("UpToDate"),
        Some("TCB_OUT_OF_DATE") => Some("OutOfDate"),
        _ => None,
    }
}

/// The answers to one entry, by verifier.
fn answers(entry: &Value) -> Vec<Option<Worth>> {
    let observed = &entry["observed"];
    let expected = entry["expected"].as_str().unwrap_or_default();
    let answer = |synthetic, real| observed.pointer(synthetic).or_else(|| observed.pointer(real)).and_then(Value::as_str);
    VERIFIERS.iter().map(|(_, synthetic, real)| answer(synthetic, real).map(|answer| Worth::of(answer, expected))).collect()
}

/// One verifier's results.
#[derive(Default)]
struct Tally(BTreeMap<Worth, usize>);

impl Tally {
    fn add(&mut self, worth: Worth) {
        *self.0.entry(worth).or_default() += 1;
    }

    fn of(&self, worth: Worth) -> usize {
        self.0.get(&worth).copied().unwrap_or(0)
    }
}

/// The section about the corpus. `ours` are the entries on which we chose between two readings, with the reason.
pub(crate) fn corpus(entries: &[Value], ours: &[(&str, &str)]) -> String {
    let name = |entry: &Value| entry["id"].as_str().and_then(|id| id.split('/').nth(1)).unwrap_or_default().to_owned();
    let is_choice = |entry: &Value| ours.iter().any(|(id, _)| entry["id"] == *id);
    let mut tallies: Vec<Tally> = VERIFIERS.iter().map(|_| Tally::default()).collect();
    let mut rows: Vec<Vec<Tally>> = DIFFERENCES.iter().map(|_| VERIFIERS.iter().map(|_| Tally::default()).collect()).collect();
    for entry in entries.iter().filter(|entry| !is_choice(entry)) {
        let answers = answers(entry);
        let places: Vec<usize> =
            DIFFERENCES.iter().enumerate().filter(|(_, (_, ids))| ids.contains(&name(entry).as_str())).map(|(row, _)| row).collect();
        let differs = answers.iter().flatten().any(|worth| *worth != Worth::Right);
        assert_eq!(places.len(), usize::from(differs), "{} stands in {} rows", entry["id"], places.len());
        for (verifier, worth) in answers.into_iter().enumerate() {
            let Some(worth) = worth else { continue };
            tallies[verifier].add(worth);
            places.iter().for_each(|row| rows[*row][verifier].add(worth));
        }
    }

    let mut page = String::new();
    let mut write = |line: String| writeln!(page, "{line}").expect("a string takes everything");
    write(
        "| verifier | asked | right | accepts | better | other status | refuses | crashes |\n|---|---|---|---|---|---|---|---|".to_owned(),
    );
    let judged = entries.len().checked_sub(ours.len()).expect("fewer choices than entries");
    write(format!("| ours | {judged} | {judged} | 0 | 0 | 0 | 0 | 0 |"));
    for ((verifier, _, _), tally) in VERIFIERS.iter().zip(&tallies) {
        let wrong: Vec<String> = Worth::WRONG.iter().map(|(worth, _)| tally.of(*worth).to_string()).collect();
        let asked: usize = tally.0.values().sum();
        write(format!("| {verifier} | {asked} | {} | {} |", tally.of(Worth::Right), wrong.join(" | ")));
    }
    write(format!("\n{} entries, of which {} allow two readings and stand at the end.\n", entries.len(), ours.len()));
    let head: Vec<&str> = VERIFIERS.iter().map(|(verifier, _, _)| *verifier).collect();
    write(format!("| what differs | entries | {} |\n|---|---|{}", head.join(" | "), "---|".repeat(head.len())));
    for ((reason, ids), row) in DIFFERENCES.iter().zip(&rows) {
        let cell = |tally: &Tally| {
            let wrong = Worth::WRONG.iter().filter(|(worth, _)| tally.of(*worth) > 0);
            let wrong: Vec<String> = wrong.map(|(worth, name)| format!("{name} {}", tally.of(*worth))).collect();
            if wrong.is_empty() { "right".to_owned() } else { wrong.join(", ") }
        };
        write(format!("| {reason} | {}: {} | {} |", ids.len(), ids.join(", "), row.iter().map(cell).collect::<Vec<_>>().join(" | ")));
    }
    write("\n| entry with two readings | ours, and why |\n|---|---|".to_owned());
    for (id, reason) in ours {
        write(format!("| {id} | {reason} |"));
    }
    page
}

/// What became of the files of one case.
#[derive(Default)]
pub(crate) struct Case {
    /// Files that are judged as the case asks.
    pub(crate) agree: usize,
    /// Files on which ours is argued.
    pub(crate) argued: usize,
    /// Files that a test of the command line reads.
    pub(crate) elsewhere: usize,
}

/// The section about the cases: `cases` by the name of the folder, `argued` with the reason, `elsewhere` with the test.
pub(crate) fn cases(cases: &BTreeMap<String, Case>, argued: &[(&str, &str)], elsewhere: &[(&str, &str)]) -> String {
    let mut page = String::from("| case | agree | argued | by the command line | open |\n|---|---|---|---|---|\n");
    let mut write = |line: String| writeln!(page, "{line}").expect("a string takes everything");
    let mut total = Case::default();
    for (name, case) in cases {
        write(format!("| {name} | {} | {} | {} | 0 |", case.agree, case.argued, case.elsewhere));
        total.agree += case.agree;
        total.argued += case.argued;
        total.elsewhere += case.elsewhere;
    }
    write(format!("| **{} cases** | **{}** | **{}** | **{}** | **0** |", cases.len(), total.agree, total.argued, total.elsewhere));
    write("\n| argued file | ours, and why |\n|---|---|".to_owned());
    argued.iter().for_each(|(file, reason)| write(format!("| {file} | {reason} |")));
    write("\n| file | read by |\n|---|---|".to_owned());
    elsewhere.iter().for_each(|(file, test)| write(format!("| {file} | `{test}` |")));
    page
}

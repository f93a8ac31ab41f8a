//! The policies that the vectors are judged under.

use crate::pki::sha256;
use crate::quote::{Quote, measurement};
use crate::receipt::{COMMIT, DFLASH_SCORER, IMAGE_NAME, MODEL_NAME, digest};

/// File name without its ending, and text.
pub(crate) fn all() -> Vec<(&'static str, String)> {
    let quote = Quote::default();
    let [rtmr0, rtmr1, rtmr2, rtmr3] = &quote.body.rtmr;
    let test_enclave = enclave("test TD", [&quote.body.mrtd, rtmr0, rtmr1, rtmr2, rtmr3]);
    let strange = measurement("another TD");
    let other_enclave = enclave("another TD", [&strange; 5]);
    let image = images(IMAGE_NAME);
    let other_image = images("another image");
    let requester = data_encoding::BASE64.encode(&sha256("test requester key"));

    let accepting = |file: &'static str, what: &str, accept: &str| {
        let tail = format!("{test_enclave}\n[accept]\n{accept}");
        (file, policy(what, "strict", &image, "", &tail))
    };
    let mut policies = vec![
        ("strict", "version = 1\nname = \"strict, without pins\"\nbase = \"strict\"\n".to_owned()),
        ("authenticity", "version = 1\nname = \"genuine evidence only\"\nbase = \"authenticity\"\n".to_owned()),
        ("test", policy("test enclave and image", "strict", &image, "", &test_enclave)),
        (
            "input-not-needed",
            policy("test enclave and image, input not needed", "strict", &image, "\"input.not-recovered\" = \"notes\"\n", &test_enclave),
        ),
        ("any-scorer", policy("any scorer", "strict", &image, "\"scorer.unknown\" = \"notes\"\n", &test_enclave)),
        ("tolerant", policy("as mild as a policy can be", "strict", &image, TOLERANT, &test_enclave)),
        ("any-machine", policy("any enclave, any image", "strict", "any_enclave = true\nany_image = true\n", "", "")),
        (
            "tolerant-any-machine",
            policy("as mild as a policy can be, any machine", "strict", "any_enclave = true\nany_image = true\n", TOLERANT, ""),
        ),
        ("other-enclave", policy("another enclave", "strict", &image, "", &other_enclave)),
        ("second-enclave", policy("two enclaves", "strict", &image, "", &format!("{other_enclave}\n{test_enclave}"))),
        ("other-image", policy("another image", "strict", &other_image, "", &test_enclave)),
        ("evaluation-20", policy("evaluation 20 or later", "strict", &format!("minimum_tcb_evaluation = 20\n{image}"), "", &test_enclave)),
        ("age-30d", policy("collateral of thirty days", "strict", &format!("maximum_age = \"30d\"\n{image}"), "", &test_enclave)),
    ];
    let bound = format!(
        "commit = [\"{COMMIT}\"]\nmodel_sha256 = [\"{}\", \"{}\"]\nscorer = [\"{DFLASH_SCORER}\"]\nrequester_key = [\"{requester}\"]\n",
        digest("other weights"),
        digest(MODEL_NAME),
    );
    let single = |member: &str, value: &str| format!("{member} = [\"{value}\"]\n");
    policies.extend([
        accepting("accept-bound", "the test run", &bound),
        accepting("accept-commit", "the test commit", &single("commit", COMMIT)),
        accepting("accept-other-commit", "another commit", &single("commit", &"89abcdef".repeat(5))),
        accepting("accept-other-model", "another model", &single("model_sha256", &digest("other weights"))),
        accepting("accept-other-scorer", "another scorer", &single("scorer", &digest("another scorer"))),
        accepting("accept-other-requester", "another requester", &single("requester_key", &data_encoding::BASE64.encode(&[7; 32]))),
        accepting("accept-repository", "the test repository", &single("repository", "https://git.example/engine")),
        accepting("accept-other-repository", "another repository", &single("repository", "https://git.example/other")),
    ]);
    policies
}

/// Every tunable code at its mildest.
const TOLERANT: &str = r#""input.not-recovered" = "notes"
"json.non-finite" = "notes"
"log.commit-differs" = "weakens"
"log.directory-differs" = "weakens"
"log.index-order" = "notes"
"log.list-absent" = "notes"
"log.nonce-shared" = "notes"
"log.not-a-file" = "notes"
"log.receipt-unlisted" = "notes"
"log.receipt-unnamed" = "notes"
"log.row-differs" = "weakens"
"log.row-repeated" = "weakens"
"log.row-vanished" = "weakens"
"log.rows-disagree" = "weakens"
"log.run-unattested" = "notes"
"log.successor-missing" = "notes"
"log.verdict-changed" = "weakens"
"log.zero-baseline" = "notes"
"provenance.build-hash-absent" = "notes"
"provenance.clocks-unpinned" = "notes"
"provenance.eval-seed-absent" = "notes"
"provenance.llamacpp-commit-absent" = "notes"
"provenance.model-sha256-absent" = "notes"
"run.log-differs" = "weakens"
"run.receipt-id-differs" = "weakens"
"run.result-differs" = "weakens"
"scorer.not-rerun" = "notes"
"scorer.unknown" = "notes"
"tcb.configuration-and-sw-hardening-needed" = "notes"
"tcb.configuration-needed" = "notes"
"tcb.out-of-date" = "notes"
"tcb.out-of-date-configuration-needed" = "notes"
"tcb.relaunch-advised" = "notes"
"tcb.relaunch-advised-configuration-needed" = "notes"
"tcb.sw-hardening-needed" = "notes"
"td.migratable" = "weakens"
"td.sept-ve-not-disabled" = "weakens"
"td.service-td-bound" = "weakens"
"td.xfam-unknown" = "notes"
"tier.differs" = "weakens"
"tier.not-derivable" = "notes"
"tier.only-asserted" = "notes"
"tier.stricter" = "notes"
"verdict.contradicts-enclave" = "weakens"
"verdict.not-attested" = "notes"
"verdict.number-not-finite" = "notes"
"verdict.script-crashed" = "notes"
"verdict.stricter" = "notes"
"workload.unknown" = "notes"
"#;

fn policy(name: &str, base: &str, pins: &str, effects: &str, tail: &str) -> String {
    let effects = if effects.is_empty() { String::new() } else { format!("\n[effects]\n{effects}") };
    let separator = if tail.is_empty() { "" } else { "\n" };
    format!("version = 1\nname = \"{name}\"\nbase = \"{base}\"\n{pins}{effects}{separator}{tail}")
}

fn images(name: &str) -> String {
    format!("images = [\"sha256:{}\"]\n", digest(name))
}

fn enclave(name: &str, [mrtd, rtmr0, rtmr1, rtmr2, rtmr3]: [&Vec<u8>; 5]) -> String {
    let registers = [("mrtd", mrtd), ("rtmr0", rtmr0), ("rtmr1", rtmr1), ("rtmr2", rtmr2), ("rtmr3", rtmr3)];
    let lines: String =
        registers.into_iter().map(|(register, value)| format!("{register} = \"{}\"\n", data_encoding::HEXLOWER.encode(value))).collect();
    format!("[[enclave]]\nname = \"{name}\"\n{lines}")
}

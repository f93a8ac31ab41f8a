//! `receipt quote`: bare quotes, in every form in which people have them.

use std::fs;

use data_encoding::{BASE64, HEXLOWER, HEXUPPER};
use serde_json::Value;

use crate::support::{Run, folder, receipt, receipt_with_input, shared, text, workspace};

/// `quote` with the anchors of the test PKI and the collateral of the vector `id`.
fn quote(id: &str, arguments: &[&str]) -> Run {
    let collateral = format!("test-vectors/quotes/{id}.json");
    receipt(&[&with_test_anchors(&collateral), arguments].concat())
}

fn with_test_anchors(collateral: &str) -> [&str; 7] {
    let (root, signer) = ("test-vectors/pki/root.pem", "test-vectors/pki/tcb_signing.pem");
    ["quote", "--root", root, "--tcb-signing-cert", signer, "--collateral", collateral]
}

fn path(id: &str) -> String {
    format!("test-vectors/quotes/{id}.bin")
}

#[test]
fn every_vector_has_its_exit_code_and_its_report() {
    let manifest: Value = serde_json::from_slice(&fs::read(workspace().join("test-vectors/manifest.json")).unwrap()).unwrap();
    let vectors = manifest["vectors"].as_array().unwrap().iter().filter(|vector| vector["quote"].is_string());
    let mut judged = 0;
    for vector in vectors {
        judged += 1;
        let id = vector["id"].as_str().unwrap();
        let at = vector["at"].as_str().unwrap_or("collateral");
        let run = quote(id, &["--at", at, "--format", "json", &path(id)]);
        let report = &run.json()[0];
        let code = match vector["outcome"].as_str().unwrap() {
            "verified" => 0,
            "under-provenanced" => 7,
            "unverifiable" => 6,
            _ => 4,
        };
        assert_eq!((run.code, &report["outcome"]), (code, &vector["outcome"]), "{id}");
        assert_eq!(report["exit_code"], code, "{id}");
        assert_eq!(report["quote"]["name"], path(id).as_str());
        assert_eq!(report["collateral"]["name"], format!("test-vectors/quotes/{id}.json"));
    }
    assert_ne!(judged, 0);
}

#[test]
fn a_quote_comes_as_bytes_hex_or_base64_from_a_file_or_standard_input() {
    let bytes = fs::read(workspace().join(path("sgx-v3"))).unwrap();
    let wrapped = |text: String| text.as_bytes().chunks(76).collect::<Vec<_>>().join(&b"\n"[..]);
    let forms = [
        bytes.clone(),
        HEXLOWER.encode(&bytes).into_bytes(),
        [b"  ", HEXUPPER.encode(&bytes).as_bytes(), b"\r\n"].concat(),
        wrapped(HEXLOWER.encode(&bytes)),
        BASE64.encode(&bytes).into_bytes(),
        wrapped(BASE64.encode(&bytes)),
    ];
    let folder = folder("quote-forms");
    let digest = quote("sgx-v3", &["--format", "json", &path("sgx-v3")]).json()[0]["quote"]["sha256"].clone();
    for (index, form) in forms.iter().enumerate() {
        let file = folder.join(index.to_string());
        fs::write(&file, form).unwrap();
        let run = quote("sgx-v3", &["--format", "json", text(&file)]);
        assert_eq!((run.code, &run.json()[0]["quote"]["sha256"]), (0, &digest), "form {index}: {}", run.stdout);
        let arguments = [&with_test_anchors("test-vectors/quotes/sgx-v3.json")[..], &["-"]].concat();
        assert_eq!(receipt_with_input(&arguments, form).code, 0, "form {index}");
    }
    let collateral = fs::read(workspace().join("test-vectors/quotes/sgx-v3.json")).unwrap();
    let run = receipt_with_input(&[&with_test_anchors("-")[..], &[&path("sgx-v3")]].concat(), &collateral);
    assert_eq!(run.code, 0, "collateral on standard input: {}", run.stdout);
}

#[test]
fn what_cannot_be_read_is_missing_and_named() {
    for (arguments, named) in [
        (["quote", "missing.bin", "--collateral", "test-vectors/quotes/sgx-v3.json"], "missing.bin"),
        (["quote", "test-vectors/quotes/sgx-v3.bin", "--collateral", "missing.json"], "missing.json"),
        (["quote", "test-vectors", "--collateral", "test-vectors/quotes/sgx-v3.json"], "test-vectors"),
    ] {
        let run = receipt(&arguments);
        assert_eq!(run.code, 3);
        assert!(run.stdout.starts_with(&format!("MISSING  {named}\n")), "{}", run.stdout);
        let run = receipt(&[&arguments[..], &["--format", "jsonl"]].concat());
        assert_eq!(run.code, 3);
        assert_eq!((&run.json()["input"]["name"], &run.json()["exit_code"]), (&Value::from(named), &Value::from(3)));
    }
}

#[test]
fn wrong_arguments_are_usage_errors() {
    let quote = path("sgx-v3");
    let collateral = "test-vectors/quotes/sgx-v3.json";
    for arguments in [
        &["quote"][..],
        &["quote", &quote],
        &["quote", "--collateral", collateral],
        &["quote", "-", "--collateral", "-"],
        &["quote", &quote, "--collateral", collateral, "--at", "yesterday"],
        &["quote", &quote, "--collateral", collateral, "--root", "missing.pem"],
        &["quote", &quote, "--collateral", collateral, "--policy", "strict"],
    ] {
        let run = receipt(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(!run.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn the_text_says_what_the_quote_is_of() {
    let run = quote("bare-v5-td15", &[&path("bare-v5-td15")]);
    assert!(run.stdout.starts_with("VERIFIED (anchors replaced: not Intel's)  test-vectors/quotes/bare-v5-td15.bin\n"), "{}", run.stdout);
    for words in
        ["TDX quote that is genuine under the given anchors", "\n  MRTD  ", "\n  RTMR3 ", "\n  MRSERVICETD ", "\n  report data ", "Compare"]
    {
        assert!(run.stdout.contains(words), "{words} is not in\n{}", run.stdout);
    }
    let run = quote("sgx-v4", &["-v", &path("sgx-v4")]);
    for words in ["SGX quote that is genuine", "\n  MRENCLAVE ", "id 3, SVN 1", "runs without a TDX module", "Validity of what was signed"]
    {
        assert!(run.stdout.contains(words), "{words} is not in\n{}", run.stdout);
    }
    let run = quote("bare-signature-bit", &[&path("bare-signature-bit")]);
    assert!(run.stdout.contains("quote.signature-wrong") && !run.stdout.contains("MRTD"), "{}", run.stdout);
    let run = quote("sgx-v4", &["-q", &path("sgx-v4")]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""));
}

#[test]
fn relaunch_advice_says_that_restarting_is_enough() {
    let Some(shared) = shared() else { return };
    let run = corpus(&shared, "synthetic/tcb_v5_relaunch", &[]);
    assert!(run.stdout.contains("restarting the TD is enough"), "{}", run.stdout);
}

/// Entries of the shared corpus: every version and TEE, and every exit code.
const CORPUS: [(&str, i32); 12] = [
    ("real/own_rec_0000_51467dd", 0),
    ("real/pub_go_v5", 0),
    ("synthetic/ok_v5_td15ex", 0),
    ("synthetic/ok_v4_processor_ca", 0),
    ("real/x_jul_quote_aug_collateral", 7),
    ("synthetic/tcb_v5_relaunch_conf", 7),
    ("real/pub_dcaprs_sgx_v3_tcbinfo_v2", 6),
    ("real/pub_oasis_eppid", 6),
    ("real-nocrl/oasis_sgx_v3", 6),
    ("real/pub_trustee_tdx_quote_4", 4),
    ("real/pub_dcapqvl_tdx_quote_outdated", 4),
    ("synthetic/v5_mr_service_td", 4),
];

#[test]
fn the_shared_corpus_through_the_binary() {
    let Some(shared) = shared() else { return };
    for (id, code) in CORPUS {
        let run = corpus(&shared, id, &["--format", "jsonl"]);
        assert_eq!(run.code, code, "{id}: {}", run.stdout);
        if let Some(status) = entry(&shared, id)["expected"].as_str().and_then(|expected| expected.strip_prefix("ok:")) {
            assert_eq!(run.json()["facts"]["tcb"]["status"], status, "{id}");
        }
    }
}

fn entry(shared: &std::path::Path, id: &str) -> Value {
    let manifest: Value = serde_json::from_slice(&fs::read(shared.join("dcap/manifest.json")).unwrap()).unwrap();
    let entries = manifest["entries"].as_array().unwrap();
    entries.iter().find(|entry| entry["id"] == id).unwrap_or_else(|| panic!("no {id}")).clone()
}

/// `quote` on an entry of the shared corpus, with its anchors and at its instant.
fn corpus(shared: &std::path::Path, id: &str, arguments: &[&str]) -> Run {
    let entry = entry(shared, id);
    let file = |member: &str| entry[member].as_str().map(|name| text(&shared.join("dcap").join(name)).to_owned()).unwrap_or_default();
    let (quote, collateral, root, signer) = (file("file"), file("collateral"), file("root"), file("tcb_signing"));
    let anchors = ["--root", &root, "--tcb-signing-cert", &signer];
    let anchors = if entry["root"] == "intel" { &[] } else { &anchors[..] };
    let at = entry["at_time"].as_str().unwrap();
    receipt(&[&["quote", &quote, "--collateral", &collateral, "--at", at], anchors, arguments].concat())
}

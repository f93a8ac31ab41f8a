//! Trusted signer keys, and how receipts that a signer vouches for are shown.

use std::fs;

use crate::support::{Run, folder, receipt, text, workspace};

const SIGNED: &str = "test-vectors/receipts/signed-verified.json";

/// The signer of the vectors, as base64 and as hex.
fn key() -> (String, String) {
    let receipt: serde_json::Value = serde_json::from_slice(&fs::read(workspace().join(SIGNED)).unwrap()).unwrap();
    let base64 = receipt["public_key"].as_str().unwrap().to_owned();
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits: String =
        base64.bytes().filter_map(|byte| alphabet.iter().position(|known| *known == byte)).map(|index| format!("{index:06b}")).collect();
    let hex = (0..32).map(|index| format!("{:02x}", u8::from_str_radix(&bits[index * 8..index * 8 + 8], 2).unwrap())).collect();
    (base64, hex)
}

/// Judges the signed vector with the keys of a file of this text.
fn with_file(name: &str, keys: &str) -> Run {
    let path = folder(name).join("keys");
    fs::write(&path, keys).unwrap();
    receipt(&["verify", "--trust-keys", text(&path), SIGNED])
}

#[test]
fn a_key_is_given_in_base64_or_hex_or_in_a_file() {
    let (base64, hex) = key();
    for key in [&base64, &hex, &hex.to_uppercase()] {
        assert_eq!(receipt(&["verify", "--trust-key", key, SIGNED]).code, 0, "{key}");
    }
    let other = "00".repeat(32);
    assert_eq!(receipt(&["verify", "--trust-key", &other, "--trust-key", &base64, SIGNED]).code, 0);
    assert_eq!(receipt(&["verify", "--trust-key", &other, SIGNED]).code, 4);
    for (name, keys) in [
        ("keys-lines", format!("# signers\n\n{other}  # the old one\r\n  {base64}\n")),
        ("keys-array", format!("[\"{other}\",\n \"{hex}\"]\n")),
    ] {
        assert_eq!(with_file(name, &keys).code, 0, "{keys}");
    }
    assert_eq!(with_file("keys-other", &other).code, 4);
}

#[test]
fn what_is_no_key_is_a_usage_error_that_names_its_place() {
    let (base64, hex) = key();
    for key in ["", "test-vectors/receipts", &base64[1..], &hex[2..], &base64.replace('=', ""), &format!("{base64} ")] {
        let run = receipt(&["verify", "--trust-key", key, SIGNED]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{key}");
        assert!(run.stderr.contains("canonical base64 (44 characters) or hex (64 digits)"), "{}", run.stderr);
    }
    for (name, keys, place) in [
        ("keys-bad-line", format!("{base64}\nnonsense\n"), "line 2: \"nonsense\" is not"),
        ("keys-bad-item", format!("[\"{hex}\", \"\"]"), "item 1: \"\" is not"),
        ("keys-bad-array", "[1]".to_owned(), "not a JSON array of texts: "),
        ("keys-none", "# none\n".to_owned(), "it holds no key"),
        ("keys-no-items", "[]".to_owned(), "it holds no key"),
    ] {
        let run = with_file(name, &keys);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{keys}");
        assert!(run.stderr.starts_with("error: cannot read signer keys ") && run.stderr.contains(place), "{}", run.stderr);
    }
    assert_eq!(receipt(&["verify", "--trust-keys", "missing.keys", SIGNED]).code, 2);
}

/// A weak key makes the receipt invalid, not the command.
#[test]
fn a_weak_key_is_a_finding() {
    let identity = format!("01{}", "00".repeat(31));
    let weak = receipt(&["verify", "--trust-key", &identity, "test-vectors/receipts/signed-key-identity.json"]);
    assert_eq!(weak.code, 4);
    assert!(weak.stdout.contains("signer.key-weak") && weak.stdout.contains("it has small order"), "{}", weak.stdout);
}

#[test]
fn a_signed_receipt_is_never_called_hardware() {
    let (base64, _) = key();
    let trusted = receipt(&["verify", "--trust-key", &base64, SIGNED]).stdout;
    assert!(trusted.starts_with("VERIFIED (on a signer's word, no hardware evidence)"), "{trusted}");
    assert!(trusted.contains(&format!("Signed    by the trusted key {base64}")), "{trusted}");
    assert!(trusted.ends_with("1 receipt under policy \"strict\" (some on a signer's word): 1 verified\n"), "{trusted}");
    let unknown = receipt(&["verify", SIGNED]).stdout;
    assert!(unknown.contains("the signature matches the key inside of the file") && unknown.contains("signer.unknown"), "{unknown}");
    for text in [trusted, unknown] {
        assert!(!text.contains("genuine TDX") && !text.contains("Hardware") && !text.contains("Judged"), "{text}");
    }
}

/// Signed by somebody else, not verifying, not signed, and another id are four answers.
#[test]
fn four_faults_are_four_answers() {
    let (base64, _) = key();
    for (vector, code) in [
        ("signed-other-signer", "signer.untrusted"),
        ("signed-edited-id", "signature.wrong"),
        ("signed-without-signature", "evidence.absent"),
        ("signed-id-wrong", "binding.receipt-id-mismatch"),
    ] {
        let path = format!("test-vectors/receipts/{vector}.json");
        let reports = receipt(&["verify", "--format", "json", "--trust-key", &base64, &path]).json();
        let found: Vec<&str> = reports[0]["problems"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|problem| problem["effect"] != "notes")
            .map(|problem| problem["code"].as_str().unwrap())
            .collect();
        assert_eq!(found, [code], "{vector}");
    }
}

#[test]
fn other_envelopes_can_be_inspected() {
    for vector in ["signed-verified", "response-contents", "note-verified"] {
        let run = receipt(&["inspect", &format!("test-vectors/receipts/{vector}.json")]);
        assert_eq!(run.code, 0, "{}", run.stdout);
        assert!(run.stdout.starts_with("UNVERIFIED  "), "{}", run.stdout);
    }
    let note = receipt(&["inspect", "test-vectors/receipts/note-verified.json"]).stdout;
    assert!(note.contains("bundle.head") && note.contains("/in/bundle.json") && note.contains("mrtd"), "{note}");
}

//! Writes `seeds/` from `test-vectors/` and from scratch: `cargo run --manifest-path fuzz/Cargo.toml --bin seeds`.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};

use soundness::edits::member;
use soundness::vectors;

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/seeds"));
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    let save = |target: &str, name: &str, bytes: &[u8]| {
        let folder = folder.join(target);
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join(name), bytes)
    };
    let vector = |id: &str| std::fs::read(vectors::folder().join("receipts").join(id).with_extension("json"));
    let part = |id: &str, name: &str| {
        let bytes = member(&vector(id)?, name);
        bytes.ok_or_else(|| std::io::Error::other(format!("{id} has no {name}")))
    };

    for id in ["verified", "collateral-v3", "json-nan-tolerated"] {
        save("receipt_json", id, &vector(id)?)?;
    }
    for (name, text) in RECEIPTS {
        save("receipt_json", name, text.as_bytes())?;
    }
    for id in ["verified", "chain-processor-ca", "chain-nul", "quote-auth-long", "quote-v5-td15-ex"] {
        save("quote", id, &part(id, "quote_b64")?)?;
    }
    for id in ["bare-v4", "bare-v5-td15", "sgx-v3", "sgx-v5"] {
        save("bare_quote", id, &std::fs::read(vectors::folder().join("quotes").join(id).with_extension("bin"))?)?;
    }
    for id in ["verified", "collateral-v3", "crl-pem", "crl-hex"] {
        save("collateral", id, &part(id, "collateral_b64")?)?;
    }
    let number = |id: &str| {
        let wanted = vector(id)?;
        let found = vectors::vectors().receipts.iter().position(|receipt| *receipt == wanted);
        found.and_then(|number| u16::try_from(number).ok()).ok_or_else(|| std::io::Error::other(format!("{id} is not listed")))
    };
    for id in ["verified", "collateral-v3", "crl-pem"] {
        save("whole", &format!("{id}-unedited"), &number(id)?.to_le_bytes())?;
    }
    let base = number("verified")?.to_le_bytes();
    for part in 0..11u8 {
        for kind in 0..9u8 {
            let edit = [part, kind, 100, part, 3, 1, 2, 3];
            save("whole", &format!("part-{part}-change-{kind}"), &[base.as_slice(), edit.as_slice()].concat())?;
        }
    }
    for entry in std::fs::read_dir(vectors::folder().join("policies"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "toml") && path.file_stem() != Some("observed".as_ref()) {
            save("policy", &stem(&path), &std::fs::read(&path)?)?;
        }
    }
    for (name, text) in POLICIES {
        save("policy", name, text.as_bytes())?;
    }
    Ok(())
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

const RECEIPTS: [(&str, &str); 9] = [
    ("empty", ""),
    ("no-members", "{}"),
    ("unsigned", r#"{"attestation":{}}"#),
    ("ambiguous", r#"{"attestation":{},"tdx":null,"signature":null}"#),
    ("types", r#"{"polaris_version":1.0,"receipt_id":[],"chain":{},"attestation_type":7,"attestation":[],"tdx":{},"_expected":null}"#),
    ("duplicate", r#"{"tdx":{"a":1,"\u0061":2}}"#),
    ("numbers", "[0,-0,1E+2,0.5e-3,123456789012345678901234567890,1e999,NaN,-Infinity]"),
    ("escapes", r#"{"\u202e\u001b[31m":"\ud83d\ude00\/\b\f\n\r\t\"\\"}"#),
    ("nested", "[[[[[[[[[[{\"a\":[{\"b\":{}}]}]]]]]]]]]]"),
];

const POLICIES: [(&str, &str); 5] = [
    ("shortest", "version=1\nname=''\nbase='strict'"),
    (
        "extreme",
        "version=1\nname=\"\\u0000\\u202e\"\nbase='authenticity'\nminimum_tcb_evaluation=4294967295\nany_image=false\nenclave=[]\nimages=[]\n[accept]\n",
    ),
    ("unknown-code", "version=1\nname='x'\nbase='strict'\n[effects]\n\"no.such-code\"='notes'"),
    ("not-tunable", "version=1\nname='x'\nbase='strict'\n[effects]\n\"quote.signature-wrong\"='notes'"),
    ("other-version", "version=2\nname='x'\nbase='strict'"),
];

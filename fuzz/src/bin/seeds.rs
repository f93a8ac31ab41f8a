//! Writes `seeds/` and `dictionaries/` from `test-vectors/` and from scratch:
//! `cargo run --manifest-path fuzz/Cargo.toml --bin seeds`.

#![forbid(unsafe_code)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use data_encoding::BASE64;
use receipt_fuzz::evidence::{Evidence, Part};
use receipt_fuzz::tree::Node;
use serde_json::Value;
use serde_json::value::RawValue;
use soundness::edits::member;
use soundness::vectors;
use vector_gen::receipt::Material;
use verify_core::Companion;

/// What a target begins with: inputs by their names.
type Seeds = BTreeMap<String, Vec<u8>>;

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    for name in ["seeds", "dictionaries"] {
        if folder.join(name).exists() {
            std::fs::remove_dir_all(folder.join(name))?;
        }
        std::fs::create_dir_all(folder.join(name))?;
    }
    for (target, seeds) in all() {
        std::fs::create_dir(folder.join("seeds").join(target))?;
        for (name, bytes) in &seeds {
            std::fs::write(folder.join("seeds").join(target).join(name), bytes)?;
        }
        let tokens = match target {
            "whole" | "report" | "fresh" | "peer" => continue,
            "quote" | "bare_quote" => {
                ["-----BEGIN CERTIFICATE-----\n", "-----END CERTIFICATE-----\n"].map(|line| line.as_bytes().to_vec()).into()
            }
            "certificate" | "crl" => leaves(),
            _ => words(seeds.values()),
        };
        let lines: String = tokens.iter().map(|token| format!("\"{}\"\n", escaped(token))).collect();
        std::fs::write(folder.join("dictionaries").join(target).with_extension("dict"), lines)?;
    }
    Ok(())
}

/// As libFuzzer reads it.
fn escaped(token: &[u8]) -> String {
    let escape = |byte: &u8| match byte {
        b'"' | b'\\' => format!("\\{}", char::from(*byte)),
        b' '..=b'~' => char::from(*byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    };
    token.iter().map(escape).collect()
}

fn all() -> BTreeMap<&'static str, Seeds> {
    let receipts = || RECEIPTS.map(|(name, text)| (name.to_owned(), text.into()));
    let whole = number("verified").to_le_bytes();
    let unedited = ["verified", "collateral-v3", "crl-pem"].map(|id| (format!("{id}-unedited"), number(id).to_le_bytes().to_vec()));
    let with_edits = |head: &[u8], parts: u8| -> Seeds {
        let edit = |part: u8, kind: u8| (format!("part-{part}-change-{kind}"), [head, &[part, kind, 100, part, 3, 1, 2, 3]].concat());
        (0..parts).flat_map(|part| (0..9).map(move |kind| (part, kind))).map(|(part, kind)| edit(part, kind)).collect()
    };
    BTreeMap::from([
        (
            "receipt_json",
            ["verified", "collateral-v3", "json-nan-tolerated"]
                .map(|id| (id.to_owned(), receipt(id)))
                .into_iter()
                .chain(receipts())
                .collect(),
        ),
        (
            "inspect",
            ["verified", "response-contents", "note-verified"]
                .map(|id| (id.to_owned(), receipt(id)))
                .into_iter()
                .chain(receipts())
                .collect(),
        ),
        ("quote", parts("quote_b64", &["verified", "chain-processor-ca", "chain-nul", "quote-auth-long", "quote-v5-td15-ex"])),
        ("bare_quote", ["bare-v4", "bare-v5-td15", "sgx-v3", "sgx-v5"].map(|id| (id.to_owned(), read(&format!("quotes/{id}.bin")))).into()),
        ("collateral", parts("collateral_b64", &["verified", "collateral-v3", "crl-pem", "crl-hex"])),
        ("whole", with_edits(&whole, 11).into_iter().chain(unedited).collect()),
        ("report", (0..8).map(|bit| (format!("asked-{bit}"), [&[1 << bit][..], &whole].concat())).chain(shapes()).collect()),
        ("certificate", scripts(&[Part::Leaf, Part::Intermediate, Part::Root, Part::Signer])),
        ("crl", scripts(&[Part::PckCrl, Part::RootCrl]).into_iter().chain(revoking()).collect()),
        ("tcb_info", documents("tcbInfo", &["verified", "module-out-of-date", "module-version-10", "tcb-out-of-date", "platform-fmspc"])),
        ("qe_identity", documents("enclaveIdentity", &["verified", "qe-out-of-date", "qe-levels-unsorted", "qe-other-attributes"])),
        (
            "attestation",
            DOCUMENTS
                .map(|(name, text)| (name.to_owned(), text.into()))
                .into_iter()
                .chain([("signed".to_owned(), attestation())])
                .collect(),
        ),
        (
            "policy",
            files("policies")
                .into_iter()
                .filter(|(name, _)| name != "observed.toml")
                .chain(POLICIES.map(|(name, text)| (name.to_owned(), text.into())))
                .collect(),
        ),
        ("expectation", expectations()),
        ("input", files("inputs")),
        ("run", runs()),
        (
            "audit",
            ["newer", "superseded", "rows-disagree", "index-order", "row-twice", "ledger-line-list", "older-merges"]
                .map(|log| (log.to_owned(), [&lists(log, "index.json"), &b"\0"[..], &lists(log, "ledger.jsonl")].concat()))
                .into(),
        ),
        (
            "score",
            files("scores")
                .into_iter()
                .map(|(name, params)| (name, [&params, &b"\0"[..], &read("runs/run-agrees/result.json")].concat()))
                .collect(),
        ),
        ("classify", records()),
        ("trace", TRACES.map(|(name, text)| (name.to_owned(), text.into())).into()),
        ("fresh", (0..3).map(|which| (format!("brought-{which}"), vec![which, 0])).chain(with_edits(&[0, 0], 11)).collect()),
        (
            "peer",
            (0..6)
                .map(|at| (format!("at-{at}"), vec![at, 0]))
                .chain((1..8).map(|around| (format!("around-{around}"), vec![0, around])))
                .chain(with_edits(&[0, 0], 10))
                .collect(),
        ),
    ])
}

fn read(path: &str) -> Vec<u8> {
    std::fs::read(vectors::folder().join(path)).unwrap_or_else(|error| panic!("test-vectors/{path}: {error}"))
}

/// The records of the fixtures of measurements.
fn records() -> Seeds {
    let folder = vectors::folder().join("../verify-cli/tests/fixtures/bench/classify");
    let fixtures = std::fs::read_dir(folder).expect("the fixtures").map(|entry| entry.expect("a fixture").path());
    fixtures.map(|fixture| (file_name(&fixture), std::fs::read(fixture.join("record.json")).expect("a record"))).collect()
}

fn lists(log: &str, name: &str) -> Vec<u8> {
    read(&format!("logs/{log}/{name}"))
}

fn receipt(id: &str) -> Vec<u8> {
    read(&format!("receipts/{id}.json"))
}

/// The number of a shipped receipt, as edits name it.
fn number(id: &str) -> u16 {
    let wanted = receipt(id);
    let found = vectors::vectors().receipts.iter().position(|receipt| *receipt == wanted);
    found.and_then(|number| u16::try_from(number).ok()).unwrap_or_else(|| panic!("{id} is not listed"))
}

fn part(id: &str, name: &str) -> Vec<u8> {
    member(&receipt(id), name).unwrap_or_else(|| panic!("{id} has no {name}"))
}

fn parts(name: &str, ids: &[&str]) -> Seeds {
    ids.iter().map(|id| ((*id).to_owned(), part(id, name))).collect()
}

/// Receipts of every shape, unedited.
fn shapes() -> Seeds {
    let ids = [
        "verified",
        "response-contents",
        "note-verified",
        "signed-verified",
        "quote-v5-td15",
        "tcb-out-of-date",
        "issuer-customer-receipt",
    ];
    ids.iter().map(|id| ((*id).to_owned(), [&[0xff][..], &number(id).to_le_bytes()].concat())).collect()
}

/// What issuers sign, as scripts and as DER.
fn scripts(parts: &[Part]) -> Seeds {
    let seeds = parts.iter().zip(0u8..).flat_map(|(part, which)| {
        let signed = Evidence::good().signed(*part);
        let script = Node::read(signed).expect("DER").script();
        [(format!("{part:?}"), [&[which][..], &script].concat()), (format!("{part:?}-der"), [&[128 + which], signed].concat())]
    });
    seeds.collect()
}

/// CRLs that list another serial, and the serial in question.
fn revoking() -> Seeds {
    let seeds = [("revokes-another", vec![1, 2, 3]), ("revokes-the-leaf", Material::classic().pck.serial)].map(|(name, serial)| {
        let mut crl = Material::classic().collateral.pck_crl;
        crl.revoked.push(serial);
        let list = Node::read(&crl.der()).expect("DER").nodes()[0].script();
        (name.to_owned(), [vec![0], list].concat())
    });
    seeds.into()
}

/// The signed text of a document in the collateral of each of these receipts.
fn documents(member: &str, ids: &[&str]) -> Seeds {
    let text = |id: &str| {
        let collateral: Value = serde_json::from_slice(&part(id, "collateral_b64")).expect("JSON");
        let items = collateral["items"].as_object().expect("items").values();
        let mut items = items.map(|item| BASE64.decode(item.as_str().expect("text").as_bytes()).expect("base64"));
        let found = items.find_map(|item| serde_json::from_slice::<BTreeMap<String, Box<RawValue>>>(&item).ok()?.remove(member));
        found.unwrap_or_else(|| panic!("{id} has no {member}")).get().into()
    };
    ids.iter().map(|id| ((*id).to_owned(), text(id))).collect()
}

fn attestation() -> Vec<u8> {
    let receipt: BTreeMap<String, Box<RawValue>> = serde_json::from_slice(&receipt("signed-verified")).expect("a receipt");
    receipt["attestation"].get().into()
}

/// The files directly in a folder of the vectors.
fn files(name: &str) -> Seeds {
    let entries = std::fs::read_dir(vectors::folder().join(name)).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.filter(|path| path.is_file()).map(|path| (file_name(&path), std::fs::read(&path).expect("a file"))).collect()
}

fn file_name(path: &Path) -> String {
    path.file_name().expect("a name").to_string_lossy().into_owned()
}

fn expectations() -> Seeds {
    let manifest: Value = serde_json::from_slice(&read("manifest.json")).expect("JSON");
    let vectors = manifest["vectors"].as_array().expect("a list of vectors");
    let texts: BTreeSet<&str> =
        vectors.iter().flat_map(|vector| vector["expect"].as_array().into_iter().flatten()).filter_map(Value::as_str).collect();
    texts.iter().enumerate().map(|(number, text)| (format!("expect-{number}"), text.as_bytes().to_vec())).collect()
}

/// Every file that stands beside a receipt, each content once, with the number of its kind in front.
fn runs() -> Seeds {
    let mut seeds = Seeds::new();
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(vectors::folder().join("runs")).expect("runs").map(|entry| entry.expect("an entry").path()).collect();
    folders.sort();
    for folder in folders {
        for (companion, which) in Companion::ALL.into_iter().zip(0u8..) {
            let Ok(bytes) = std::fs::read(folder.join(companion.name())) else { continue };
            let seed = [&[which], bytes.as_slice()].concat();
            if !seeds.values().any(|known| *known == seed) {
                seeds.insert(format!("{}-{}", file_name(&folder), companion.name()), seed);
            }
        }
    }
    seeds
}

/// The distinct words of texts: what stands between white space and punctuation, or in quotes.
fn words<'s>(seeds: impl Iterator<Item = &'s Vec<u8>>) -> BTreeSet<Vec<u8>> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-+.".contains(byte);
    let words = seeds.flat_map(|seed| seed.split(move |byte| !is_word(byte)));
    words.filter(|word| (2..=32).contains(&word.len())).map(<[u8]>::to_vec).collect()
}

/// The distinct values without parts in certificates and CRLs: identifiers, numbers, dates, names.
fn leaves() -> BTreeSet<Vec<u8>> {
    fn collect(node: &Node, leaves: &mut BTreeSet<Vec<u8>>) {
        match node.nodes() {
            [] if node.bytes().len() <= 32 => drop(leaves.insert(node.der())),
            nodes => nodes.iter().for_each(|node| collect(node, leaves)),
        }
    }
    let mut found = BTreeSet::new();
    for part in Part::ALL.into_iter().filter(|part| part.is_der()) {
        collect(&Node::read(Evidence::good().signed(part)).expect("DER"), &mut found);
    }
    found
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

/// Claims, and after each NUL a file, in the order of names.
const TRACES: [(&str, &str); 5] = [
    (
        "rows",
        "version=1\n[[number]]\nid='a'\npublished={file='p',text='~2.50 s',beside='row'}\nexpr=\"percentile(r,50,'linear')-mean(r)+median(r)\"\n\
         round=2\nprefix='~'\nsuffix=' s'\n[number.inputs.r]\nfile='q'\nrows='/rows'\nvalue='/v'\nexpect_rows=4\n\
         where=[{at='/e',is='absent'},{at='/v',below=9},{at='/v',at_least=1},{at='/k',equals='x'}]\n\
         \0row ~2.50 s and 3 ms\0{\"rows\":[{\"v\":1,\"k\":\"x\"},{\"v\":2,\"k\":\"x\"},{\"v\":3,\"k\":\"x\"},{\"v\":4,\"k\":\"x\"},{\"v\":5,\"e\":1}]}",
    ),
    (
        "values",
        "version=1\n[[number]]\nid='d'\npublished={text='25.0%'}\ninputs.a={file='a',at='/p[c=8,e=b]/v'}\ninputs.b={file='b',after='R ',at='/v'}\n\
         expr=\"delta(a,b,'higher')*(2-1)/ratio(1,-(-1.0))\"\nround=1\nsuffix='%'\nthousands=','\n[[same]]\nid='s'\n\
         values=[{file='a',at='/p/0/v'},{file='b',after='R ',at='/w'}]\n\0{\"p\":[{\"c\":8,\"e\":\"b\",\"v\":8}]}\0x\nR {\"v\":10,\"w\":8.0}\n",
    ),
    (
        "lines",
        "version=1\nrequire_rows=true\n[[number]]\nid='n'\npublished={text='7'}\ninputs.r={file='a',lines=true,value='/v'}\nexpr='sum(r)+min(r)-max(r)+count(r)'\n\
         round=0\n[[line]]\nid='l'\npublished={file='a',text='2'}\nfile='a'\nline=2\ncontains='v\":2'\n\0{\"v\":1}\n{\"v\":2}\n{\"v\":3}\n",
    ),
    (
        "retired",
        "version=1\n[[number]]\nid='\"\u{202e}'\npublished={text='0.12'}\ninputs.v={file='a',at=''}\nexpr='1/v'\nround=2\n\
         withdrawn={date='2026-07-28',reason='r'}\n[[line]]\nid='h'\nfile='b'\nline=1\ncontains='x'\nhistory={date='2026-07-28',reason='r'}\n\0 0.0",
    ),
    ("nothing", "version=1"),
];

const DOCUMENTS: [(&str, &str); 4] = [
    ("numbers", "[1,2.50,-0.0,391.00,0.0078125,1e-7,1e-5,0.0001,1e15,1e16,5e-324,961038874585682.25,123456789012345678]"),
    ("names", r#"{"b":{},"a":[],"\u00e9":"\ud83d\ude00\/\b\f\n\r\t\"\\\u007f\u0001","z":null,"Z":true}"#),
    ("shortest", r#"{"code":{"commit":"0"},"verdict":{"label":"L","pass":true}}"#),
    ("scalar", "1.5"),
];

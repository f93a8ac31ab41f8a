//! The canonical text of signed attestations against Python's own, over random documents. The verifier is asked through its front
//! door: the id of a signed receipt is the hash of that text.

#![expect(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros, reason = "tests run python3")]

#[path = "support/signed.rs"]
mod signed;

use std::io::Write;
use std::process::{Command, Stdio};

use verify_core::{Anchors, CheckResult, Obligation, Policy, Request, Verifier};

const DOCUMENTS: usize = 4000;

#[test]
fn canonical_text_is_pythons() {
    let mut random = Random(0x5eed);
    let documents: Vec<String> = (0..DOCUMENTS).map(|_| document(&mut random, 4)).collect();
    let Some(digests) = python(&documents) else { return };
    assert_eq!(digests.len(), documents.len());
    let verifier = Verifier::new(Policy::strict(), Anchors::intel());
    for (document, digest) in documents.iter().zip(&digests) {
        let receipt = signed::receipt_around(document, digest);
        let report = verifier.verify(&Request::new(receipt.as_bytes()));
        let check = report.checks.iter().find(|check| check.id == Obligation::ReceiptId).expect("a check");
        assert_eq!(check.result, CheckResult::Passed, "{document}\n{:?}", report.problems);
    }
}

/// One digest a document; `None`, with a word on stderr, where there is no python3. With `CI=true` its absence is a failure.
fn python(documents: &[String]) -> Option<Vec<String>> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/canonical.py");
    let child = Command::new("python3").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = child else {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "CI=true, but there is no python3");
        eprintln!("SKIPPED: there is no python3, so the canonical text was not compared with Python's");
        return None;
    };
    let mut input = child.stdin.take().expect("a pipe");
    let lines = documents.join("\n") + "\n";
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = child.wait_with_output().expect("python3 ends");
    writer.join().expect("the writer ends").expect("python3 reads everything");
    assert!(output.status.success());
    Some(String::from_utf8(output.stdout).expect("UTF-8").lines().map(str::to_owned).collect())
}

fn document(random: &mut Random, depth: usize) -> String {
    let count = random.below(6);
    match random.below(if depth == 0 { 6 } else { 10 }) {
        0 => (*random.pick(&["null", "true", "false", "NaN", "Infinity", "-Infinity"])).to_owned(),
        1 => integer(random),
        2..=4 => float(random),
        5 => format!("\"{}\"", characters(random)),
        6 | 7 => format!("[{}]", (0..count).map(|_| document(random, depth - 1)).collect::<Vec<_>>().join(blank(random, ","))),
        _ => {
            // A digit that differs keeps the names apart; the character before it orders them.
            let members: Vec<String> = (0..count)
                .map(|index| {
                    let name = format!("\"{}{index}{}\"", character(random), characters(random));
                    name + blank(random, ":") + &document(random, depth - 1)
                })
                .collect();
            format!("{{{}}}", members.join(blank(random, ",")))
        }
    }
}

fn blank(random: &mut Random, separator: &'static str) -> &'static str {
    match (separator, random.below(2)) {
        (",", 0) => " ,\t ",
        (":", 0) => " : ",
        _ => separator,
    }
}

fn integer(random: &mut Random) -> String {
    let digits = *random.pick(&[1, 2, 15, 16, 17, 19, 20, 40, 400, 4000]);
    let rest: String = (1..digits).map(|_| char::from(b'0' + random.below(10) as u8)).collect();
    let first = if digits == 1 { random.below(10) } else { 1 + random.below(9) };
    format!("{}{first}{rest}", random.pick(&["", "-"]))
}

/// Finite doubles over all exponents, ties and near ties at the sixth place, and other spellings of the same numbers.
fn float(random: &mut Random) -> String {
    let number = match random.below(7) {
        0 => f64::from_bits(random.next()),
        1 => (random.next() as f64 - random.next() as f64) / 1e12,
        // Odd multiples of 1/128 lie exactly in the middle between two sixth places.
        2 => (2 * random.below(1 << 20) + 1) as f64 / 128.0,
        3 => (random.below(1 << 30) as f64 + 0.5) / 1e6,
        // Quarters lie in the middle between the two shortest texts that name a number of this size.
        4 => (random.next() >> 11) as f64 / 4.0,
        5 => random.below(1 << 40) as f64 * 10f64.powi(random.below(40) as i32 - 20),
        _ => *random.pick(&[0.0, -0.0, 1e-4, 9.9999e-5, 1e-5, 5e-7, 4.9e-7, 1e15, 1e16, 9999999999999998.0, 5e-324, f64::MAX, f64::MIN]),
    };
    let number = if number.is_finite() { number } else { 1.5 };
    let number = if random.below(2) == 0 { number } else { -number };
    match random.below(5) {
        0 => format!("{number:?}").replace('e', "E"),
        1 => format!("{number:e}").replace("e-", "E-0"),
        2 => format!("{number:.17e}").replace('e', ["e", "E+"][random.below(2) as usize]).replace("+-", "-"),
        3 if number.abs() < 1e30 => format!("{number:.12}"),
        _ => format!("{number:?}"),
    }
}

fn characters(random: &mut Random) -> String {
    (0..random.below(8)).map(|_| character(random)).collect()
}

/// One character as it stands in a string: raw where that is allowed, or in one of its escapes.
fn character(random: &mut Random) -> String {
    let ranges: [(u32, u32); 8] =
        [(0, 0x20), (0x20, 0x7f), (0x22, 0x23), (0x5c, 0x5d), (0x7f, 0xa0), (0x2028, 0x202a), (0xe000, 0x1_0000), (0x1_0000, 0x11_0000)];
    let (start, end) = *random.pick(&ranges);
    let character = char::from_u32(start + random.below(u64::from(end - start)) as u32).expect("no surrogate is drawn");
    let escaped = || character.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04X}")).collect::<String>();
    let short = match character {
        '"' => Some("\\\""),
        '\\' => Some("\\\\"),
        '/' => Some("\\/"),
        '\u{8}' => Some("\\b"),
        '\u{c}' => Some("\\f"),
        '\n' => Some("\\n"),
        '\r' => Some("\\r"),
        '\t' => Some("\\t"),
        _ => None,
    };
    match (short, random.below(3)) {
        (_, 0) => escaped(),
        (Some(short), _) => short.to_owned(),
        (None, 1) => escaped().to_lowercase(),
        (None, _) if character < ' ' => escaped(),
        (None, _) => character.to_string(),
    }
}

/// SplitMix64: the same documents on every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len() as u64) as usize]
    }
}

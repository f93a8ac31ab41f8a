//! A writer for the few DER types that certificates and CRLs need.

const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const OCTET_STRING: u8 = 0x04;
const OBJECT_IDENTIFIER: u8 = 0x06;
const ENUMERATED: u8 = 0x0a;
const UTF8_STRING: u8 = 0x0c;
const PRINTABLE_STRING: u8 = 0x13;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;

/// Tag, shortest length, content.
pub fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut out = vec![tag];
    let length = content.len();
    if length < 0x80 {
        out.push(length as u8);
    } else {
        let bytes = length.to_be_bytes();
        let first = bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len());
        out.push(0x80 | (bytes.len() - first) as u8);
        out.extend_from_slice(&bytes[first..]);
    }
    out.extend_from_slice(content);
    out
}

pub fn sequence(items: &[Vec<u8>]) -> Vec<u8> {
    tlv(SEQUENCE, &items.concat())
}

pub fn set(items: &[Vec<u8>]) -> Vec<u8> {
    tlv(SET, &items.concat())
}

/// A constructed context tag, `[number] EXPLICIT` or the implicit form of a constructed type.
pub fn context(number: u8, content: &[u8]) -> Vec<u8> {
    tlv(0xa0 | number, content)
}

/// A primitive context tag.
pub fn context_primitive(number: u8, content: &[u8]) -> Vec<u8> {
    tlv(0x80 | number, content)
}

/// A non-negative INTEGER from its big-endian bytes.
pub fn unsigned(bytes: &[u8]) -> Vec<u8> {
    let significant = bytes.iter().position(|byte| *byte != 0).map_or(&[0][..], |first| &bytes[first..]);
    let mut content = Vec::new();
    if significant[0] & 0x80 != 0 {
        content.push(0);
    }
    content.extend_from_slice(significant);
    tlv(INTEGER, &content)
}

/// An INTEGER with exactly this content, whether or not that is the shortest form of a positive number.
pub fn raw_integer(content: &[u8]) -> Vec<u8> {
    tlv(INTEGER, content)
}

pub fn integer(value: u64) -> Vec<u8> {
    unsigned(&value.to_be_bytes())
}

pub fn enumerated(value: u8) -> Vec<u8> {
    tlv(ENUMERATED, &[value])
}

pub fn boolean(value: bool) -> Vec<u8> {
    tlv(0x01, &[if value { 0xff } else { 0 }])
}

pub fn octets(content: &[u8]) -> Vec<u8> {
    tlv(OCTET_STRING, content)
}

pub fn bits(unused: u8, content: &[u8]) -> Vec<u8> {
    tlv(BIT_STRING, &[&[unused], content].concat())
}

pub fn utf8(text: &str) -> Vec<u8> {
    tlv(UTF8_STRING, text.as_bytes())
}

pub fn printable(text: &str) -> Vec<u8> {
    tlv(PRINTABLE_STRING, text.as_bytes())
}

/// UTCTime with exactly this text.
pub fn utc_time(text: &str) -> Vec<u8> {
    tlv(UTC_TIME, text.as_bytes())
}

/// GeneralizedTime with exactly this text.
pub fn generalized_time(text: &str) -> Vec<u8> {
    tlv(GENERALIZED_TIME, text.as_bytes())
}

/// UTCTime of an instant written as `2026-08-03T11:00:00Z`.
pub fn time(instant: &str) -> Vec<u8> {
    let digits: String = instant.chars().filter(char::is_ascii_digit).collect();
    assert_eq!(digits.len(), 14, "{instant} is not an instant");
    utc_time(&format!("{}Z", &digits[2..]))
}

/// An OBJECT IDENTIFIER in dotted form.
pub fn oid(dotted: &str) -> Vec<u8> {
    let arcs: Vec<u64> = dotted.split('.').map(|arc| arc.parse().expect("an arc is a number")).collect();
    let mut content = Vec::new();
    for arc in std::iter::once(arcs[0] * 40 + arcs[1]).chain(arcs[2..].iter().copied()) {
        let mut groups = vec![(arc & 0x7f) as u8];
        let mut rest = arc >> 7;
        while rest != 0 {
            groups.push(0x80 | (rest & 0x7f) as u8);
            rest >>= 7;
        }
        content.extend(groups.iter().rev());
    }
    tlv(OBJECT_IDENTIFIER, &content)
}

/// PEM armour around one certificate or CRL.
pub fn pem(label: &str, der: &[u8]) -> String {
    let base64 = data_encoding::BASE64.encode(der);
    let lines: Vec<&str> = (0..base64.len()).step_by(64).map(|at| &base64[at..base64.len().min(at + 64)]).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}

//! Edits of a receipt that reach inside its decoded parts: what a byte fuzzer would break base64 or a length for.
//!
//! An input is the number of a shipped receipt (two bytes, little endian) and up to eight edits. Each edit names a part, a
//! change and a position; the part is decoded, changed, and encoded again, with the lengths around it put right. Every byte
//! sequence is an input: what is missing reads as zero, and an edit of a part that cannot be decoded does nothing.

use std::ops::Range;

use data_encoding::BASE64;

use crate::essence::Frame;

const EDITS: usize = 8;

/// What takes the place of a JSON value.
const VALUES: [&str; 24] = [
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1",
    "-1",
    "1e308",
    "1e999",
    "255",
    "65536",
    "4294967296",
    "9223372036854775808",
    "0.1e-400",
    "NaN",
    "-Infinity",
    "\"\"",
    "\"\\u0000\\u001b[2J\\u202e\"",
    "\"\\ud83d\\ude00\"",
    "\"REJECT\"",
    "\"2026-08-03T12:15:00+23:59\"",
    "[]",
    "{}",
    "[[[[[[[[{\"a\":[{}]}]]]]]]]]",
];

/// The shipped receipt that `input` names, with its edits.
pub fn edited(input: &[u8], receipts: &[Vec<u8>]) -> Vec<u8> {
    let mut input = Input(input);
    let mut receipt = receipts[usize::from(input.u16()) % receipts.len()].clone();
    for _ in 0..EDITS {
        if input.0.is_empty() {
            break;
        }
        let part = Part::ALL[usize::from(input.u8()) % Part::ALL.len()];
        let change = Change::read(&mut input);
        if let Some(bytes) = part.decode(&receipt) {
            receipt = part.encode(&receipt, &change.apply(bytes)).unwrap_or(receipt);
        }
    }
    receipt
}

/// Applies the edits that `input` names to `parts`: each names a part by its number, a change and a position.
pub fn edit_parts(input: &[u8], parts: &mut [Vec<u8>]) {
    let mut input = Input(input);
    for _ in 0..EDITS {
        if input.0.is_empty() {
            break;
        }
        let part = usize::from(input.u8()) % parts.len();
        parts[part] = Change::read(&mut input).apply(std::mem::take(&mut parts[part]));
    }
}

/// The decoded base64 member `name` of a receipt.
pub fn member(receipt: &[u8], name: &str) -> Option<Vec<u8>> {
    BASE64.decode(&receipt[member_span(receipt, |found| found == name.as_bytes())?]).ok()
}

/// `receipt` with `text` as the string member `name`, which it has. `text` needs no escaping.
pub fn with_member(receipt: &[u8], name: &str, text: &str) -> Vec<u8> {
    let span = member_span(receipt, |found| found == name.as_bytes()).unwrap_or(0..0);
    spliced(receipt, span, text.as_bytes())
}

/// A part of a receipt that is encoded into it, in its decoded form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Receipt,
    Quote,
    Collateral,
    Output,
    /// An item of the collateral, by the end of its URL's path.
    Item(&'static str),
    /// A certificate of the PCK chain, in DER.
    Certificate(usize),
    /// The PCK chain, in PEM.
    Chain,
}

impl Part {
    /// The parts that an input of [`edited`] can name, by their numbers.
    const ALL: [Part; 11] = [
        Part::Receipt,
        Part::Quote,
        Part::Collateral,
        Part::Output,
        Part::Item("/tcb"),
        Part::Item("/qe/identity"),
        Part::Item("/pckcrl"),
        Part::Item("/IntelSGXRootCA.der"),
        Part::Certificate(0),
        Part::Certificate(1),
        Part::Certificate(2),
    ];

    /// The part's bytes; `None` where the receipt has no such part, or it cannot be decoded.
    pub fn decode(self, receipt: &[u8]) -> Option<Vec<u8>> {
        match self {
            Part::Receipt => Some(receipt.to_vec()),
            Part::Quote => member(receipt, "quote_b64"),
            Part::Collateral => member(receipt, "collateral_b64"),
            Part::Output => member(receipt, "stdout_b64"),
            Part::Item(tail) => {
                let collateral = member(receipt, "collateral_b64")?;
                BASE64.decode(&collateral[item_span(&collateral, tail)?]).ok()
            }
            Part::Certificate(index) => {
                let quote = member(receipt, "quote_b64")?;
                let body = &quote[certificate_span(&quote, index)?];
                BASE64.decode(&body.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect::<Vec<u8>>()).ok()
            }
            Part::Chain => {
                let quote = member(receipt, "quote_b64")?;
                Some(quote[Frame::of(&quote)?.chain].to_vec())
            }
        }
    }

    /// `receipt` with `bytes` as this part, and with the lengths around it put right. `None` as in [`Part::decode`].
    pub fn encode(self, receipt: &[u8], bytes: &[u8]) -> Option<Vec<u8>> {
        let encoded = BASE64.encode(bytes);
        Some(match self {
            Part::Receipt => bytes.to_vec(),
            Part::Quote => with_member(receipt, "quote_b64", &encoded),
            Part::Collateral => with_member(receipt, "collateral_b64", &encoded),
            Part::Output => with_member(receipt, "stdout_b64", &encoded),
            Part::Item(tail) => {
                let collateral = member(receipt, "collateral_b64")?;
                let span = item_span(&collateral, tail)?;
                Part::Collateral.encode(receipt, &spliced(&collateral, span, encoded.as_bytes()))?
            }
            Part::Certificate(index) => {
                let quote = member(receipt, "quote_b64")?;
                let span = certificate_span(&quote, index)?;
                Part::Quote.encode(receipt, &with_chain_spliced(&quote, span, encoded.as_bytes())?)?
            }
            Part::Chain => {
                let quote = member(receipt, "quote_b64")?;
                let span = Frame::of(&quote)?.chain;
                Part::Quote.encode(receipt, &with_chain_spliced(&quote, span, bytes)?)?
            }
        })
    }
}

/// One change of bytes. Positions are taken modulo the length.
struct Change<'a> {
    kind: u8,
    position: usize,
    argument: u8,
    bytes: &'a [u8],
}

impl<'a> Change<'a> {
    fn read(input: &mut Input<'a>) -> Self {
        let (kind, position, argument) = (input.u8() % 9, usize::from(input.u16()), input.u8());
        let bytes = if kind == 2 { input.take(usize::from(argument % 32)) } else { &[] };
        Self { kind, position, argument, bytes }
    }

    fn apply(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        let Self { kind, position, argument, bytes: inserted } = *self;
        let at = position % (bytes.len() + 1);
        let run = at..bytes.len().min(at + usize::from(argument));
        match (kind, bytes.get_mut(at)) {
            (0, Some(byte)) => *byte ^= argument.max(1),
            (1, Some(byte)) => *byte = argument,
            (2, _) => drop(bytes.splice(at..at, inserted.iter().copied())),
            (3, _) => drop(bytes.drain(run)),
            (4, _) => bytes.truncate(at),
            (5, _) => {
                let run = bytes[run].to_vec();
                drop(bytes.splice(at..at, run));
            }
            (6, _) => return with_value(&bytes, position, VALUES[usize::from(argument) % VALUES.len()]),
            (7, _) => return without_member(&bytes, position),
            (8, Some(_)) => {
                let wanted = i32::from(i8::from_le_bytes([argument])).to_le_bytes();
                bytes.iter_mut().skip(at).zip(wanted).for_each(|(byte, wanted)| *byte = wanted);
            }
            _ => {}
        }
        bytes
    }
}

/// The bytes of an input; past the end there are zeros.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        taken
    }

    fn u8(&mut self) -> u8 {
        self.take(1).first().copied().unwrap_or_default()
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes([self.u8(), self.u8()])
    }
}

/// What a token of JSON text is, as far as edits care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    String,
    Scalar,
    Mark(u8),
}

/// The tokens of JSON text with their spans; strings with their quotes. Total: whatever it is, it has tokens.
pub(crate) fn tokens(text: &[u8]) -> Vec<(Token, Range<usize>)> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        let rest = &text[at..];
        let (token, length) = match byte {
            b'"' => {
                let mut end = 1;
                while rest.get(end).is_some_and(|byte| *byte != b'"') {
                    end += if rest[end] == b'\\' { 2 } else { 1 };
                }
                (Token::String, (end + 1).min(rest.len()))
            }
            b'{' | b'}' | b'[' | b']' | b',' | b':' => (Token::Mark(*byte), 1),
            _ if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            _ => {
                let is_end = |byte: &u8| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']' | b',' | b':') || byte.is_ascii_whitespace();
                (Token::Scalar, rest.iter().position(is_end).unwrap_or(rest.len()))
            }
        };
        tokens.push((token, at..at + length));
        at += length;
    }
    tokens
}

/// Where the content of the first string member stands whose name fits.
fn member_span(text: &[u8], fits: impl Fn(&[u8]) -> bool) -> Option<Range<usize>> {
    let inside = |span: &Range<usize>| span.start + 1..(span.end - 1).max(span.start + 1);
    tokens(text).windows(3).find_map(|window| match window {
        [(Token::String, name), (Token::Mark(b':'), _), (Token::String, value)] if fits(&text[inside(name)]) => Some(inside(value)),
        _ => None,
    })
}

fn item_span(collateral: &[u8], tail: &str) -> Option<Range<usize>> {
    member_span(collateral, |url| url.split(|byte| *byte == b'?').next().is_some_and(|path| path.ends_with(tail.as_bytes())))
}

/// Where the base64 of certificate `index` of the PCK chain stands.
fn certificate_span(quote: &[u8], index: usize) -> Option<Range<usize>> {
    const BEGIN: &[u8] = b"-----BEGIN CERTIFICATE-----";
    let Frame { chain, .. } = Frame::of(quote)?;
    let text = &quote[chain.clone()];
    let find = |from: usize, wanted: &[u8]| text.get(from..)?.windows(wanted.len()).position(|window| window == wanted).map(|at| from + at);
    let mut start = 0;
    for _ in 0..=index {
        start = find(start, BEGIN)? + BEGIN.len();
    }
    Some(chain.start + start..chain.start + find(start, b"-----END")?)
}

/// The quote with `inserted` in the place of `span`, which lies in its chain, and with its three lengths put right.
fn with_chain_spliced(quote: &[u8], span: Range<usize>, inserted: &[u8]) -> Option<Vec<u8>> {
    let Frame { signed, qe_report, chain } = Frame::of(quote)?;
    let grown = i64::try_from(inserted.len()).ok()? - i64::try_from(span.len()).ok()?;
    let mut quote = spliced(quote, span, inserted);
    for length in [signed, qe_report - 4, chain.start - 4] {
        let field = quote.get_mut(length..length + 4)?.first_chunk_mut::<4>()?;
        *field = u32::try_from(i64::from(u32::from_le_bytes(*field)) + grown).ok()?.to_le_bytes();
    }
    Some(quote)
}

/// The text with another value in the place of the one numbered `number`.
fn with_value(text: &[u8], number: usize, value: &str) -> Vec<u8> {
    let tokens = tokens(text);
    let is_name = |index: usize| matches!(tokens.get(index + 1), Some((Token::Mark(b':'), _)));
    let values: Vec<&Range<usize>> = tokens
        .iter()
        .enumerate()
        .filter(|(index, (token, _))| matches!(token, Token::String | Token::Scalar) && !is_name(*index))
        .map(|(_, (_, span))| span)
        .collect();
    match values.len() {
        0 => text.to_vec(),
        count => spliced(text, values[number % count].clone(), value.as_bytes()),
    }
}

/// The text without the member numbered `number`, where that has no container as its value.
fn without_member(text: &[u8], number: usize) -> Vec<u8> {
    let tokens = tokens(text);
    let members: Vec<Range<usize>> = tokens
        .windows(4)
        .filter_map(|window| match window {
            [(Token::String, name), (Token::Mark(b':'), _), (Token::String | Token::Scalar, _), (Token::Mark(b','), comma)] => {
                Some(name.start..comma.end)
            }
            _ => None,
        })
        .collect();
    match members.len() {
        0 => text.to_vec(),
        count => spliced(text, members[number % count].clone(), b""),
    }
}

/// The text with `inserted` in the place of `span`.
pub fn spliced(text: &[u8], span: Range<usize>, inserted: &[u8]) -> Vec<u8> {
    [&text[..span.start], inserted, &text[span.end..]].concat()
}

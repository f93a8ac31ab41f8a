//! Systematic mutants: for each kind of change every place where it can be made.
//!
//! A kind is a function over the decoded bytes of one part of a receipt ([`crate::edits::Part`]), so that a change in a certificate
//! arrives with correct base64 and lengths around it. Nothing is drawn at random but the bytes of [`random`], and those by a
//! fixed sequence.

use std::ops::Range;

use crate::edits::{Token, spliced, tokens};

/// What mutants are made of.
pub struct Source<'a> {
    /// The part to change.
    pub text: &'a [u8],
    /// The same part of another good receipt.
    pub other: &'a [u8],
    /// Which share of the changes is made: every how many bytes, or every how many of those that are tried at each value or name.
    pub stride: usize,
    /// Whether every bit is turned over; otherwise one a byte, another one at each.
    pub every_bit: bool,
}

/// Takes a mutant: the offset of the change, what it is, and the changed part.
pub type Visit<'v> = &'v mut dyn FnMut(usize, &str, Vec<u8>);

/// A kind of mutants.
#[derive(Clone, Copy)]
pub struct Kind {
    pub name: &'static str,
    pub make: fn(&Source<'_>, Visit<'_>),
}

/// The kinds for any bytes.
pub const BITS: Kind = Kind { name: "bit flipped", make: bits };
pub const CUTS: Kind = Kind { name: "truncated", make: cuts };
pub const DELETIONS: Kind = Kind { name: "byte deleted", make: deletions };
pub const INSERTIONS: Kind = Kind { name: "byte inserted", make: insertions };
pub const RANDOM: Kind = Kind { name: "random bytes", make: random };

/// The kinds for JSON texts that change what they say.
pub const TYPES: Kind = Kind { name: "type confused", make: types };
pub const VALUES: Kind = Kind { name: "value edited", make: values };
pub const REMOVALS: Kind = Kind { name: "member removed", make: removals };
pub const ADDITIONS: Kind = Kind { name: "member added", make: additions };
pub const DUPLICATES: Kind = Kind { name: "member duplicated", make: duplicates };
pub const NAMES: Kind = Kind { name: "name respelled", make: names };
pub const SWAPS: Kind = Kind { name: "value swapped", make: swaps };

/// The kinds for JSON texts that leave every value as it is.
pub const ESCAPES: Kind = Kind { name: "escapes written", make: escapes };
pub const BLANKS: Kind = Kind { name: "blanks inserted", make: blanks };
pub const ORDER: Kind = Kind { name: "members reordered", make: order };

/// The kind for chains of certificates in PEM that changes them, and the one that only writes them otherwise.
pub const CERTIFICATES: Kind = Kind { name: "certificates moved", make: certificates };
pub const LINE_ENDS: Kind = Kind { name: "line ends changed", make: line_ends };

/// The order of P-256, big endian.
const ORDER_OF_P256: [u8; 32] = [
    0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17,
    0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
];

/// A value of a JSON text, and where it stands.
#[derive(Clone, Debug)]
pub struct Node {
    /// RFC 6901.
    pub pointer: String,
    /// The name with its quotes, where the value is a member's.
    pub name: Option<Range<usize>>,
    pub value: Range<usize>,
}

impl Node {
    /// Name and value, or the value alone.
    fn whole(&self) -> Range<usize> {
        self.name.as_ref().map_or(self.value.start, |name| name.start)..self.value.end
    }

    fn is_below(&self, pointer: &str) -> bool {
        self.pointer.rsplit_once('/').is_some_and(|(parent, _)| parent == pointer)
    }
}

/// Every value of a JSON text, containers before what they hold.
pub fn nodes(text: &[u8]) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    // Open containers: the node, and how many values it holds so far.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut name: Option<Range<usize>> = None;
    let tokens = tokens(text);
    for (index, (token, span)) in tokens.iter().enumerate() {
        let is_name = matches!(tokens.get(index + 1), Some((Token::Mark(b':'), _)));
        match token {
            Token::String if is_name => name = Some(span.clone()),
            Token::Mark(b'}' | b']') => {
                if let Some((container, _)) = open.pop() {
                    nodes[container].value.end = span.end;
                }
            }
            Token::Mark(b',' | b':') => {}
            Token::String | Token::Scalar | Token::Mark(_) => {
                let pointer = open.last_mut().map_or(String::new(), |(container, count)| {
                    *count += 1;
                    let last = match &name {
                        Some(name) => String::from_utf8_lossy(&text[name.start + 1..name.end - 1]).replace('~', "~0").replace('/', "~1"),
                        None => (*count - 1).to_string(),
                    };
                    format!("{}/{last}", nodes[*container].pointer)
                });
                nodes.push(Node { pointer, name: name.take(), value: span.clone() });
                if matches!(token, Token::Mark(_)) {
                    open.push((nodes.len() - 1, 0));
                }
            }
        }
    }
    nodes
}

/// `s` replaced by `n - s`, big endian: with the same `r` the ECDSA signature of the same message by the same key.
pub fn negated(scalar: [u8; 32]) -> [u8; 32] {
    let mut negated = ORDER_OF_P256;
    let mut borrow = 0;
    for (place, digit) in negated.iter_mut().zip(scalar).rev() {
        let difference = i16::from(*place) - i16::from(digit) - borrow;
        borrow = i16::from(difference < 0);
        *place = (difference & 0xff) as u8;
    }
    negated
}

/// A fixed sequence of bytes that looks random: splitmix64.
pub fn noise(seed: u64, length: usize) -> Vec<u8> {
    let words = (1..).map(|step: u64| {
        let mut word = seed.wrapping_add(step.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    });
    words.flat_map(u64::to_le_bytes).take(length).collect()
}

fn bits(source: &Source<'_>, visit: Visit<'_>) {
    for at in (0..source.text.len()).step_by(source.stride) {
        let chosen = (at / source.stride * 5 + 3) % 8;
        for bit in (0..8).filter(|bit| source.every_bit || *bit == chosen) {
            let mut bytes = source.text.to_vec();
            bytes[at] ^= 1 << bit;
            visit(at, &format!("bit {bit}"), bytes);
        }
    }
}

fn cuts(source: &Source<'_>, visit: Visit<'_>) {
    for length in (0..source.text.len()).step_by(source.stride) {
        visit(length, "cut", source.text[..length].to_vec());
    }
}

fn deletions(source: &Source<'_>, visit: Visit<'_>) {
    for at in (0..source.text.len()).step_by(source.stride) {
        visit(at, "deleted", spliced(source.text, at..at + 1, b""));
    }
}

fn insertions(source: &Source<'_>, visit: Visit<'_>) {
    for at in (0..=source.text.len()).step_by(source.stride) {
        let inserted = [0, b'0', b'A', 0x80, b'"', b'\n'][at / source.stride % 6];
        visit(at, &format!("inserted {inserted:#x}"), spliced(source.text, at..at, &[inserted]));
    }
}

/// Noise alone, noise as the rest of a good beginning, and noise after the whole.
fn random(source: &Source<'_>, visit: Visit<'_>) {
    let text = source.text;
    for seed in 0..32 {
        let kept = text.len() * usize::try_from(seed).unwrap_or_default() / 32;
        visit(0, "noise", noise(seed, text.len()));
        visit(kept, "noise from here", [&text[..kept], &noise(seed, text.len() - kept)].concat());
        visit(text.len(), "noise afterwards", [text, &noise(seed, 1 + kept)].concat());
    }
}

fn types(source: &Source<'_>, visit: Visit<'_>) {
    let mut visit = sampled(source.stride, visit);
    for node in nodes(source.text) {
        let old = &source.text[node.value.clone()];
        let values = ["null", "true", "false", "0", "-1.5", "1e300", "\"\"", "\"x\"", "[]", "{}", "[[[{\"a\": [null]}]]]"]
            .map(|value| value.as_bytes().to_vec());
        let wrapped = [[b"[", old, b"]"].concat(), [b"{\"value\": ", old, b"}"].concat(), [b"[", old, b", ", old, b"]"].concat()];
        let quoted = (!old.starts_with(b"\"") && !old.starts_with(b"{") && !old.starts_with(b"[")).then(|| [b"\"", old, b"\""].concat());
        let bare = old
            .strip_prefix(b"\"")
            .and_then(|old| old.strip_suffix(b"\""))
            .filter(|bare| bare.iter().all(u8::is_ascii_digit) && !bare.is_empty());
        for value in values.into_iter().chain(wrapped).chain(quoted).chain(bare.map(<[u8]>::to_vec)).filter(|value| value != old) {
            visit(node.value.start, &format!("{} = {}", node.pointer, shown(&value)), spliced(source.text, node.value.clone(), &value));
        }
    }
}

/// Another value of the same type.
fn values(source: &Source<'_>, visit: Visit<'_>) {
    for node in nodes(source.text) {
        let old = String::from_utf8_lossy(&source.text[node.value.clone()]).into_owned();
        let values = match old.as_bytes() {
            b"true" => vec!["false".to_owned()],
            b"false" => vec!["true".to_owned()],
            [b'"', ..] => {
                let content = &old[1..old.len() - 1];
                let digit = |old: char| if old == '0' { '1' } else { '0' };
                let others = [
                    content.chars().next().map(|first| format!("{}{}", digit(first), content.split_at(first.len_utf8()).1)),
                    content
                        .chars()
                        .next_back()
                        .filter(char::is_ascii)
                        .map(|last| format!("{}{}", &content[..content.len() - 1], digit(last))),
                    Some(format!("{content}x")),
                    Some(content.to_uppercase()),
                    Some(format!(" {content}")),
                ];
                others.into_iter().flatten().filter(|other| other != content).map(|other| format!("\"{other}\"")).collect()
            }
            [b'[', ..] => vec!["[1]".to_owned(), "[\"x\"]".to_owned(), "[]".to_owned()],
            [b'{', ..] => vec!["{\"x\": 1}".to_owned()],
            b"null" => vec!["\"x\"".to_owned(), "1".to_owned()],
            _ => {
                let number: f64 = old.parse().unwrap_or_default();
                let is_float = old.contains(['.', 'e', 'E']);
                let beyond = is_float.then(|| format!("{:?}", number + 1e-8));
                let written = is_float.then(|| format!("{old}0"));
                [
                    Some(format!("{old}1")),
                    Some(format!("-{old}")),
                    Some("7".to_owned()),
                    beyond,
                    written,
                    (!is_float).then(|| format!("{old}.0")),
                ]
                .into_iter()
                .flatten()
                .collect()
            }
        };
        for value in values.into_iter().filter(|value| *value != old) {
            visit(
                node.value.start,
                &format!("{} = {}", node.pointer, shown(value.as_bytes())),
                spliced(source.text, node.value.clone(), value.as_bytes()),
            );
        }
    }
}

fn removals(source: &Source<'_>, visit: Visit<'_>) {
    for node in nodes(source.text).into_iter().filter(|node| !node.pointer.is_empty()) {
        let Range { start, end } = node.whole();
        let rest = &source.text[end..];
        let blank = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let after = blank(rest);
        let span = match rest.get(after) {
            Some(b',') => start..end + after + 1 + blank(&rest[after + 1..]),
            _ => {
                source.text[..start]
                    .iter()
                    .rposition(|byte| !byte.is_ascii_whitespace())
                    .filter(|at| source.text[*at] == b',')
                    .unwrap_or(start)..end
            }
        };
        visit(start, &format!("{} removed", node.pointer), spliced(source.text, span, b""));
    }
}

fn additions(source: &Source<'_>, visit: Visit<'_>) {
    for node in nodes(source.text).into_iter().filter(|node| source.text[node.value.start] == b'{') {
        let is_empty = source.text[node.value.start + 1..].trim_ascii_start().starts_with(b"}");
        for member in ["\"x-unknown\": 1", "\"\": null", "\"__proto__\": {\"pass\": true}"] {
            let inserted = if is_empty { member.to_owned() } else { format!("{member}, ") };
            let at = node.value.start + 1;
            visit(at, &format!("{} with {member}", node.pointer), spliced(source.text, at..at, inserted.as_bytes()));
        }
    }
}

/// The same member again, with the same value and with another, before and after, and under an escaped spelling of its name.
fn duplicates(source: &Source<'_>, visit: Visit<'_>) {
    let mut visit = sampled(source.stride, visit);
    for node in nodes(source.text) {
        let Some(name) = &node.name else { continue };
        let (name, value, whole) = (&source.text[name.clone()], &source.text[node.value.clone()], node.whole());
        let other: &[u8] = if value == b"null" { b"true" } else { b"null" };
        let escaped = escaped(name);
        for (name, value) in [(name, value), (name, other), (&escaped, value), (&escaped, other)] {
            let before = [name, b": ", value, b", "].concat();
            let after = [b", ", name, b": ", value].concat();
            visit(whole.start, &format!("{} before", node.pointer), spliced(source.text, whole.start..whole.start, &before));
            visit(whole.end, &format!("{} after", node.pointer), spliced(source.text, whole.end..whole.end, &after));
        }
    }
}

/// Names that look alike or that a careless reader takes for the same: case, blanks, NUL, characters without width, compatibility
/// forms that NFKC folds, and letters of another alphabet.
fn names(source: &Source<'_>, visit: Visit<'_>) {
    let mut visit = sampled(source.stride, visit);
    for node in nodes(source.text) {
        let Some(span) = node.name.clone() else { continue };
        let name = String::from_utf8_lossy(&source.text[span.start + 1..span.end - 1]).into_owned();
        let first = name.chars().next().unwrap_or('x');
        let with_first = |first: &str| format!("{first}{}", name.chars().skip(1).collect::<String>());
        let full_width = char::from_u32(u32::from(first) + 0xfee0).filter(|_| first.is_ascii_graphic()).map(|wide| wide.to_string());
        let replaced = |from: char, to: char| name.contains(from).then(|| name.replace(from, &to.to_string()));
        let spellings = [
            Some(name.to_uppercase()),
            Some(with_first(&first.to_uppercase().to_string())),
            Some(format!("{name} ")),
            Some(format!(" {name}")),
            Some(format!("{name}\\u0000")),
            Some(format!("{name}\\u0000x")),
            Some(format!("{name}\u{200b}")),
            Some(format!("\u{feff}{name}")),
            Some(with_first(&format!("{first}\u{301}"))),
            Some(format!("{name}\\ud800")),
            full_width.as_deref().map(with_first),
            replaced('e', '\u{435}'),
            replaced('a', '\u{430}'),
            replaced('k', '\u{212a}'),
            replaced('s', '\u{17f}'),
            replaced('_', '-'),
            replaced('_', '\u{ff3f}'),
        ];
        for spelling in spellings.into_iter().flatten().filter(|spelling| *spelling != name) {
            let spelled = format!("\"{spelling}\"");
            visit(span.start, &format!("{} as {spelling:?}", node.pointer), spliced(source.text, span.clone(), spelled.as_bytes()));
        }
    }
}

fn swaps(source: &Source<'_>, visit: Visit<'_>) {
    let others = nodes(source.other);
    for node in nodes(source.text).into_iter().filter(|node| !node.pointer.is_empty()) {
        let Some(other) = others.iter().find(|other| other.pointer == node.pointer) else { continue };
        let value = &source.other[other.value.clone()];
        if *value != source.text[node.value.clone()] {
            visit(node.value.start, &format!("{} of the other", node.pointer), spliced(source.text, node.value.clone(), value));
        }
    }
}

fn escapes(source: &Source<'_>, visit: Visit<'_>) {
    for node in nodes(source.text) {
        for span in node.name.iter().chain([&node.value]).filter(|span| source.text[span.start] == b'"' && span.len() > 2) {
            visit(
                span.start,
                &format!("{} escaped", node.pointer),
                spliced(source.text, span.clone(), &escaped(&source.text[span.clone()])),
            );
        }
    }
}

fn blanks(source: &Source<'_>, visit: Visit<'_>) {
    let mut places: Vec<usize> = tokens(source.text).into_iter().flat_map(|(_, span)| [span.start, span.end]).collect();
    places.dedup();
    for at in places.into_iter().step_by(source.stride) {
        visit(at, "blank", spliced(source.text, at..at, b" \r\n\t"));
    }
}

/// The first member of each object behind its last.
fn order(source: &Source<'_>, visit: Visit<'_>) {
    let all = nodes(source.text);
    for node in all.iter().filter(|node| source.text[node.value.start] == b'{') {
        let members: Vec<&Node> = all.iter().filter(|member| member.is_below(&node.pointer)).collect();
        if let [first, second, .., last] | [first, second @ last] = members.as_slice() {
            let rest = &source.text[second.whole().start..last.whole().end];
            let moved = [rest, b", ", &source.text[first.whole()]].concat();
            visit(
                node.value.start,
                &format!("{} turned", node.pointer),
                spliced(source.text, first.whole().start..last.whole().end, &moved),
            );
        }
    }
}

/// Reordered, dropped, doubled, swapped with the other's, and with an extra one.
fn certificates(source: &Source<'_>, visit: Visit<'_>) {
    const END: &str = "-----END CERTIFICATE-----\n";
    let blocks = |text: &[u8]| String::from_utf8_lossy(text).split_inclusive(END).map(str::to_owned).collect::<Vec<_>>();
    let (chain, other) = (blocks(source.text), blocks(source.other));
    let mut give = |what: &str, chain: Vec<String>| {
        let text = chain.concat().into_bytes();
        if text != source.text {
            visit(0, what, text);
        }
    };
    let all = 0..chain.len();
    for (first, second) in all.clone().flat_map(|first| all.clone().map(move |second| (first, second))) {
        let mut swapped = chain.clone();
        swapped.swap(first, second);
        give(&format!("{first} and {second} swapped"), swapped);
        let mut moved = chain.clone();
        let taken = moved.remove(first);
        moved.insert(second, taken);
        give(&format!("{first} moved to {second}"), moved);
        let mut replaced = chain.clone();
        replaced[first] = chain[second].clone();
        give(&format!("{second} in the place of {first}"), replaced);
        let mut crossed = chain.clone();
        crossed[first] = other[second].clone();
        give(&format!("the other's {second} in the place of {first}"), crossed);
    }
    for at in 0..=chain.len() {
        for (what, extra) in chain.iter().chain(&other).enumerate() {
            let mut longer = chain.clone();
            longer.insert(at, extra.clone());
            give(&format!("{what} again at {at}"), longer);
        }
        for text in ["\0", " ", "x", "# comment\n", "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n"] {
            let mut longer = chain.clone();
            longer.insert(at, text.to_owned());
            // One NUL may end the chain.
            if (at, text) != (chain.len(), "\0") {
                give(&format!("{text:?} at {at}"), longer);
            }
        }
    }
    for at in all {
        let mut shorter = chain.clone();
        shorter.remove(at);
        give(&format!("{at} dropped"), shorter);
        give(&format!("{at} alone"), vec![chain[at].clone()]);
        let mut relabelled = chain.clone();
        relabelled[at] = chain[at].replace("CERTIFICATE", "TRUSTED CERTIFICATE");
        give(&format!("{at} relabelled"), relabelled);
    }
}

fn line_ends(source: &Source<'_>, visit: Visit<'_>) {
    let text = String::from_utf8_lossy(source.text).into_owned();
    let forms = [
        ("CR LF", text.replace('\n', "\r\n")),
        ("no line ends", text.replace('\n', "")),
        ("more line ends", text.replace('\n', "\n\n")),
        ("no line end at the end", text.trim_end().to_owned()),
        ("NUL at the end", format!("{text}\0")),
    ];
    for (what, form) in forms {
        visit(0, what, form.into_bytes());
    }
}

/// Lets every `stride`th mutant through.
fn sampled(stride: usize, visit: Visit<'_>) -> impl FnMut(usize, &str, Vec<u8>) {
    let mut number = 0;
    move |at, what, bytes| {
        if number % stride == 0 {
            visit(at, what, bytes);
        }
        number += 1;
    }
}

/// The quoted string with every character written as an escape; escapes that are there stay.
fn escaped(quoted: &[u8]) -> Vec<u8> {
    let content = String::from_utf8_lossy(&quoted[1..quoted.len() - 1]).into_owned();
    let escape = |character: char| character.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04X}")).collect::<String>();
    let text: String = if content.contains('\\') { content } else { content.chars().map(escape).collect() };
    format!("\"{text}\"").into_bytes()
}

fn shown(value: &[u8]) -> String {
    String::from_utf8_lossy(value).chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_every_value_with_its_place() {
        let text = br#"{"a": [1, {"b/c": "x"}], "d": {}}"#;
        let found: Vec<_> =
            nodes(text).into_iter().map(|node| (node.pointer.clone(), String::from_utf8_lossy(&text[node.whole()]).into_owned())).collect();
        let wanted = [
            ("", r#"{"a": [1, {"b/c": "x"}], "d": {}}"#),
            ("/a", r#""a": [1, {"b/c": "x"}]"#),
            ("/a/0", "1"),
            ("/a/1", r#"{"b/c": "x"}"#),
            ("/a/1/b~1c", r#""b/c": "x""#),
            ("/d", r#""d": {}"#),
        ];
        assert_eq!(found, wanted.map(|(pointer, text)| (pointer.to_owned(), text.to_owned())));
    }

    #[test]
    fn a_negated_scalar_adds_up_to_the_order() {
        let mut one = [0; 32];
        one[31] = 1;
        let mut wanted = ORDER_OF_P256;
        wanted[31] -= 1;
        assert_eq!(negated(one), wanted);
        assert_eq!(negated(wanted), one);
    }

    #[test]
    fn removed_members_leave_json() {
        let text = br#"{"a": 1, "b": [2, 3], "c": {"d": 4}}"#;
        let mut count = 0;
        removals(&Source { text, other: b"", stride: 1, every_bit: false }, &mut |_, what, bytes| {
            count += 1;
            serde_json::from_slice::<serde_json::Value>(&bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
        });
        assert_eq!(count, 6);
    }
}

//! DER as a tree, read without the core, and a script for such trees: bytes of a script can change without breaking the lengths
//! around them, because lengths are not written there.
//!
//! A script is a tag, then one byte: up to `DF` it is the length of the content, from `E0` to `FE` the number of nodes inside less
//! `E0`, and after `FF` the length follows in two bytes, little endian. Every byte sequence is a script.

use vector_gen::der;

const CONSTRUCTED: u8 = 0x20;
const OCTET_STRING: u8 = 0x04;
const FIRST_COUNT: u8 = 0xe0;
const LONG: u8 = 0xff;

/// Certificates have ten levels.
const DEPTH: usize = 24;

#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub tag: u8,
    pub content: Content,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    Bytes(Vec<u8>),
    /// Of a constructed type, or of an OCTET STRING that holds DER.
    Nodes(Vec<Node>),
}

impl Node {
    /// Reads one value, with nothing behind it: tags of one byte, lengths in their shortest form.
    pub fn read(der: &[u8]) -> Option<Self> {
        let (node, rest) = Self::first(der, 0)?;
        rest.is_empty().then_some(node)
    }

    fn first(bytes: &[u8], depth: usize) -> Option<(Self, &[u8])> {
        let ([tag, first], rest) = bytes.split_first_chunk::<2>()?;
        let (length, rest) = match first {
            0..0x80 => (usize::from(*first), rest),
            _ => {
                let (length, rest) =
                    rest.split_at_checked(usize::from(first & 0x7f)).filter(|(length, _)| (1..=3).contains(&length.len()))?;
                (length.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte)), rest)
            }
        };
        let (content, rest) = rest.split_at_checked(length)?;
        if depth > DEPTH || tag & 0x1f == 0x1f || der::tlv(*tag, content).len() + rest.len() != bytes.len() {
            return None;
        }
        let content = match (tag & CONSTRUCTED != 0, Self::all(content, depth + 1)) {
            (true, nodes) => Content::Nodes(nodes?),
            (false, Some(nodes)) if *tag == OCTET_STRING && nodes.len() == 1 => Content::Nodes(nodes),
            _ => Content::Bytes(content.to_vec()),
        };
        Some((Self { tag: *tag, content }, rest))
    }

    fn all(mut bytes: &[u8], depth: usize) -> Option<Vec<Self>> {
        let mut nodes = Vec::new();
        while !bytes.is_empty() {
            let (node, rest) = Self::first(bytes, depth)?;
            nodes.push(node);
            bytes = rest;
        }
        Some(nodes)
    }

    pub fn der(&self) -> Vec<u8> {
        match &self.content {
            Content::Bytes(bytes) => der::tlv(self.tag, bytes),
            Content::Nodes(nodes) => der::tlv(self.tag, &nodes.iter().map(Self::der).collect::<Vec<_>>().concat()),
        }
    }

    pub fn nodes(&self) -> &[Node] {
        match &self.content {
            Content::Nodes(nodes) => nodes,
            Content::Bytes(_) => &[],
        }
    }

    pub fn bytes(&self) -> &[u8] {
        match &self.content {
            Content::Bytes(bytes) => bytes,
            Content::Nodes(_) => &[],
        }
    }

    /// The digits of a UTCTime or GeneralizedTime, from year to second.
    pub fn instant(&self) -> String {
        let digits: String = self.bytes().iter().filter(|byte| byte.is_ascii_digit()).map(|digit| char::from(*digit)).collect();
        match digits.len() {
            // RFC 5280, section 4.1.2.5.1.
            12 if digits.as_str() < "50" => format!("20{digits}"),
            12 => format!("19{digits}"),
            _ => digits,
        }
    }

    /// The node that a script describes, and what is left of it; where it ends early there are zeros.
    pub fn of_script(script: &mut &[u8]) -> Self {
        Self::of_script_at(script, 0)
    }

    fn of_script_at(script: &mut &[u8], depth: usize) -> Self {
        let [tag, form] = [take(script, 1), take(script, 1)].map(|byte| byte.first().copied().unwrap_or_default());
        let content = match form {
            LONG => {
                let length = take(script, 2).iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
                Content::Bytes(take(script, length).to_vec())
            }
            FIRST_COUNT.. if depth < DEPTH => {
                let mut nodes = Vec::new();
                for _ in FIRST_COUNT..form {
                    if !script.is_empty() {
                        nodes.push(Self::of_script_at(script, depth + 1));
                    }
                }
                Content::Nodes(nodes)
            }
            length => Content::Bytes(take(script, usize::from(length)).to_vec()),
        };
        Self { tag, content }
    }

    /// The script of this node. More than 30 nodes in one have none.
    pub fn script(&self) -> Vec<u8> {
        match &self.content {
            Content::Bytes(bytes) => {
                let form = match u8::try_from(bytes.len()) {
                    Ok(length @ ..FIRST_COUNT) => vec![self.tag, length],
                    _ => [&[self.tag, LONG][..], &u16::try_from(bytes.len()).expect("at most 64 KiB").to_le_bytes()].concat(),
                };
                [form, bytes.clone()].concat()
            }
            Content::Nodes(nodes) => {
                let count = u8::try_from(nodes.len()).ok().filter(|count| *count < LONG - FIRST_COUNT).expect("at most 30 nodes");
                [vec![self.tag, FIRST_COUNT + count], nodes.iter().flat_map(Self::script).collect()].concat()
            }
        }
    }
}

fn take<'a>(bytes: &mut &'a [u8], length: usize) -> &'a [u8] {
    let (taken, rest) = bytes.split_at(length.min(bytes.len()));
    *bytes = rest;
    taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Evidence, Part};

    #[test]
    fn certificates_and_lists_come_back_from_their_scripts() {
        for part in [Part::Leaf, Part::Intermediate, Part::Root, Part::Signer, Part::PckCrl, Part::RootCrl] {
            let signed = Evidence::good().signed(part);
            let script = Node::read(signed).expect("DER").script();
            let mut rest = script.as_slice();
            assert_eq!(Node::of_script(&mut rest).der(), signed);
            assert!(rest.is_empty());
        }
    }

    #[test]
    fn every_byte_sequence_is_a_script() {
        let deep = [0x30, 0xe1].repeat(1000);
        assert_eq!(Node::of_script(&mut deep.as_slice()).tag, 0x30);
        assert_eq!(Node::of_script(&mut [].as_slice()).der(), [0, 0]);
        assert_eq!(Node::of_script(&mut [0x04, 0xff, 0xff, 0xff, 1].as_slice()).der(), [0x04, 1, 1]);
    }

    #[test]
    fn only_der_is_read() {
        for bytes in [&[0x30, 0x81, 0x01, 0x00][..], &[0x04, 0x02, 0x00], &[0x04, 0x00, 0x00], &[0x30, 0x80, 0, 0], &[0x1f, 0x01, 0x00]] {
            assert_eq!(Node::read(bytes), None, "{bytes:?}");
        }
    }
}

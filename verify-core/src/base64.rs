//! Canonical base64 (RFC 4648 section 4): with padding, without line ends, unused bits zero.
//!
//! `data-encoding` says what is canonical and where a fault is. All that is done here is to decode the blocks before the last one, which
//! have neither padding nor unused bits, by a table: most of a receipt is base64.

use data_encoding::{BASE64, DecodeError};

/// No character of the alphabet; no value of six bits, wherever it is shifted to.
const FAULT: u32 = 1 << 31;

/// What a character contributes to the 24 bits of its group, by its place in the group.
#[cfg_attr(not(test), expect(clippy::as_conversions, clippy::indexing_slicing, reason = "the compiler computes it, and refuses a fault"))]
const VALUES: [[u32; 256]; 4] = {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut values = [[FAULT; 256]; 4];
    let mut value = 0;
    while value < alphabet.len() {
        let mut place = 0;
        while place < 4 {
            values[place][alphabet[value] as usize] = (value as u32) << (18 - 6 * place);
            place += 1;
        }
        value += 1;
    }
    values
};

/// Decodes `text`.
///
/// # Errors
/// The first fault.
pub(crate) fn decode(text: &[u8]) -> Result<Vec<u8>, DecodeError> {
    decode_blocks(text).map_or_else(|| BASE64.decode(text), Ok)
}

/// The bytes, where nothing is wrong.
fn decode_blocks(text: &[u8]) -> Option<Vec<u8>> {
    let (blocks, rest) = match text.as_chunks::<16>() {
        (blocks, []) => blocks.split_last().map(|(last, blocks)| (blocks, last.as_slice()))?,
        split => split,
    };
    let rest = BASE64.decode(rest).ok()?;
    let mut seen = 0;
    let mut group = |group: &[u8; 4]| {
        let values = VALUES.iter().zip(group).map(|(values, character)| values.get(usize::from(*character)).unwrap_or(&FAULT));
        let bits = values.fold(0, |bits, value| bits | value);
        seen |= bits;
        u128::from(bits)
    };
    let decoded = blocks.iter().map(|block| {
        let (groups, _) = block.as_chunks::<4>();
        let [_, _, _, _, bytes @ ..] = groups.iter().fold(0, |bits, next| bits << 24 | group(next)).to_be_bytes();
        bytes
    });
    let mut bytes: Vec<[u8; 12]> = Vec::with_capacity(blocks.len().saturating_add(1));
    bytes.extend(decoded);
    let mut bytes = bytes.into_flattened();
    bytes.extend(rest);
    (seen & FAULT == 0).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_decodes_as_the_library_says() {
        for padding in ["", "=", "=="] {
            let text = BASE64.encode(&vec![0xa5; 24 - padding.len()]);
            assert_eq!(text.trim_end_matches('=').len(), 32 - padding.len());
            for at in 0..text.len() {
                assert_eq!(decode(&text.as_bytes()[..at]), BASE64.decode(&text.as_bytes()[..at]), "{at}");
                for byte in 0..=u8::MAX {
                    let mut text = text.clone().into_bytes();
                    text[at] = byte;
                    assert_eq!(decode(&text), BASE64.decode(&text), "{byte} at {at}");
                }
            }
        }
    }

    /// A fault beside characters that stand for no bit is a fault all the same.
    #[test]
    fn a_fault_among_zeros_is_a_fault() {
        let text = "A".repeat(48).into_bytes();
        for at in 0..text.len() {
            let mut text = text.clone();
            text[at] = b'*';
            assert_eq!(decode(&text), BASE64.decode(&text), "{at}");
        }
    }
}

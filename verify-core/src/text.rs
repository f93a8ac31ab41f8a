//! Escaping of untrusted text, for every place where it is shown.

use crate::limits::SHOWN_CHARACTERS as SHOWN;

/// Returns `text` with everything that could move a cursor, forge a line, reorder a display or command a build log written as
/// `\u{..}`: control characters, line and paragraph separators, bidirectional marks, zero-width and other format characters, and
/// the second of two blanks, colons or number signs. The backslash is doubled, so that what is shown names exactly one text.
pub fn escape(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    push_escaped(text, &mut shown);
    shown
}

/// Appends `text`, escaped as by [`escape`].
fn push_escaped(text: &str, shown: &mut String) {
    if is_plain(text) {
        return shown.push_str(text);
    }
    let mut before = None;
    for character in text.chars() {
        match character {
            '\\' => shown.push_str("\\\\"),
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            // A run of blanks could push text to the start of a line.
            ' ' if before == Some(' ') => shown.push_str("\\u{20}"),
            _ if is_unsafe_to_show(before, character) => shown.extend(character.escape_unicode()),
            _ => shown.push(character),
        }
        before = Some(character);
    }
}

/// Whether all of `text` is harmless by a look at its bytes alone, as most of it is: ASCII that shows itself, with nothing twice that
/// could begin a command or a run of blanks. Without a way out before the end, so that many bytes are compared at once.
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') & (byte != b'\\');
    let is_run = |first: u8, second: u8| (first == second) & matches!(second, b' ' | b':' | b'#');
    let pairs = bytes.iter().zip(bytes.get(1..).unwrap_or_default());
    bytes.iter().fold(true, |all, byte| all & is_plain(*byte)) & pairs.fold(true, |all, (first, second)| all & !is_run(*first, *second))
}

/// Returns written JSON in ASCII and without `<`, `>`, `&`, `::` and `##`, so that it is harmless in a terminal, a build log and a
/// page of HTML. All that stands only in the strings of JSON, where `\u` escapes mean the same.
pub fn escape_json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    let (mut rest, mut before) = (json, None);
    loop {
        let block = rest.as_bytes().get(..BLOCK).unwrap_or(rest.as_bytes());
        if is_plain_json(before, block) {
            let (plain, behind) = rest.split_at_checked(block.len()).unwrap_or((rest, ""));
            escaped.push_str(plain);
            (rest, before) = (behind, block.last().copied());
        }
        let mut characters = rest.chars();
        let Some(character) = characters.next() else { return escaped };
        let mut bytes = [0; 4];
        let bytes = character.encode_utf8(&mut bytes).as_bytes();
        match is_plain_json(before, bytes) {
            true => escaped.push(character),
            false => character.encode_utf16(&mut [0; 2]).iter().for_each(|unit| push_escape(*unit, &mut escaped)),
        }
        (rest, before) = (characters.as_str(), bytes.last().copied());
    }
}

/// How many bytes of JSON are looked at together.
const BLOCK: usize = 64;

/// Whether `bytes` of JSON, which stand after `before`, can stay as they are. Without a way out before the end, so that many bytes are
/// compared at once.
fn is_plain_json(before: Option<u8>, bytes: &[u8]) -> bool {
    let is_plain = |byte: u8| matches!(byte, b'\n' | b' '..=b'~') & !matches!(byte, b'<' | b'>' | b'&');
    let is_command = |first: u8, second: u8| (first == second) & matches!(second, b':' | b'#');
    let pairs = bytes.iter().zip(bytes.get(1..).unwrap_or_default());
    bytes.iter().fold(true, |all, byte| all & is_plain(*byte))
        & pairs.fold(true, |all, (first, second)| all & !is_command(*first, *second))
        & !before.zip(bytes.first()).is_some_and(|(before, first)| is_command(before, *first))
}

/// Appends the `\u` escape of a UTF-16 code unit, as JSON writes it.
pub(crate) fn push_escape(unit: u16, text: &mut String) {
    text.push_str("\\u");
    text.extend([12, 8, 4, 0].map(|shift| char::from_digit(u32::from(unit >> shift) & 0xf, 16).unwrap_or_default()));
}

/// Escapes `text`, cut to a length that fits a line.
pub(crate) fn brief(text: &str) -> String {
    match cut(text) {
        (cut, 0) => escape(cut),
        (cut, left) => format!("{}... ({left} more characters)", escape(cut)),
    }
}

/// Escapes `text` between double quotes, cut to a length that fits a line. Quotes inside are escaped too.
pub(crate) fn quoted(text: &str) -> String {
    let (cut, left) = cut(text);
    let mut shown = String::with_capacity(cut.len().saturating_add(2));
    for (index, part) in cut.split('"').enumerate() {
        shown.push_str(if index == 0 { "\"" } else { "\\\"" });
        push_escaped(part, &mut shown);
    }
    shown.push('"');
    match left {
        0 => shown,
        _ => format!("{shown}... ({left} more characters)"),
    }
}

/// As much of `text` as fits a line, and how many characters more there are.
fn cut(text: &str) -> (&str, usize) {
    if text.len() <= SHOWN {
        return (text, 0);
    }
    let end = text.char_indices().nth(SHOWN).map_or(text.len(), |(end, _)| end);
    let (cut, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    (cut, rest.chars().count())
}

/// The last line of defence: a finished message without any character that is unsafe to show, whoever built it.
pub(crate) fn safe(message: String) -> String {
    if is_plain(&message) {
        return message;
    }
    let mut shown = String::with_capacity(message.len());
    let mut before = None;
    for character in message.chars() {
        match is_unsafe_to_show(before, character) {
            true => shown.extend(character.escape_unicode()),
            false => shown.push(character),
        }
        before = Some(character);
    }
    shown
}

/// Whether `text` is exactly `digits` lower-case hex digits.
pub(crate) fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether `character` makes a command for a runner of builds of what stands before it. Runners obey a line that begins with `::`
/// after blanks, where text that wraps may come to stand, and `##[` or `##vso[` anywhere in a line, be it JSON.
fn is_command(before: Option<char>, character: char) -> bool {
    matches!(character, ':' | '#') && before == Some(character)
}

/// Whether `character`, which stands after `before`, would do more than to show itself.
fn is_unsafe_to_show(before: Option<char>, character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_control() || is_command(before, character);
    }
    character.is_control()
        || character.is_whitespace()
        || matches!(character,
            '\u{00AD}' | '\u{034F}' | '\u{0600}'..='\u{0605}' | '\u{061C}' | '\u{06DD}' | '\u{070F}' | '\u{0890}'..='\u{0891}'
            | '\u{08E2}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}'
            | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{2800}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
            | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{110BD}' | '\u{110CD}' | '\u{13430}'..='\u{1345F}'
            | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_bidirectional_characters_are_named() {
        assert_eq!(escape("a\u{1b}[31m\r\n\u{202e}b\u{7f}"), "a\\u{1b}[31m\\r\\n\\u{202e}b\\u{7f}");
        assert_eq!(escape("\u{85}\u{9b}"), "\\u{85}\\u{9b}");
    }

    #[test]
    fn blanks_cannot_push_text_to_another_line() {
        assert_eq!(escape("a  b"), "a \\u{20}b");
        assert_eq!(escape("a\u{a0}\u{3000}\u{2800}b"), "a\\u{a0}\\u{3000}\\u{2800}b");
    }

    #[test]
    fn commands_of_build_runners_are_broken() {
        assert_eq!(escape("::error::x ##[add-mask]y ##vso[z]"), ":\\u{3a}error:\\u{3a}x #\\u{23}[add-mask]y #\\u{23}vso[z]");
        assert_eq!(escape(":::#:#"), ":\\u{3a}\\u{3a}#:#");
        assert_eq!(safe("a::b".to_owned()), "a:\\u{3a}b");
    }

    #[test]
    fn ordinary_text_of_any_script_stays() {
        assert_eq!(escape("Größe 速度 https://a.example/#b ok"), "Größe 速度 https://a.example/#b ok");
    }

    #[test]
    fn escaped_json_means_the_same() {
        let value =
            serde_json::json!({ "a\u{202e}b": ["\u{1b}\u{7f}\u{9b}", "é", "😀", "\\u0041", "</script>&amp;\u{2028}", "::: ## #:"] });
        for json in [value.to_string(), format!("{value:#}")] {
            let escaped = escape_json(&json);
            assert!(escaped.bytes().all(|byte| matches!(byte, b'\n' | b' '..=b'~') && !b"<>&".contains(&byte)), "{escaped}");
            assert!(!escaped.contains("::") && !escaped.contains("##"), "{escaped}");
            assert_eq!(escaped.parse::<serde_json::Value>().unwrap(), value);
        }
    }

    #[test]
    fn a_backslash_cannot_imitate_an_escape() {
        assert_eq!(escape("\\u{1b}"), "\\\\u{1b}");
        assert_eq!(quoted("a\"b"), "\"a\\\"b\"");
    }

    #[test]
    fn long_text_is_cut_with_a_count() {
        assert!(quoted(&"x".repeat(SHOWN + 5)).ends_with("(5 more characters)"));
    }

    #[test]
    fn what_is_nothing_but_unsafe_is_escaped_too() {
        for (text, shown) in [
            ("\\", r"\\"),
            ("\\\\", r"\\\\"),
            ("\n\r\t", r"\n\r\t"),
            ("::", r":\u{3a}"),
            ("##", r"#\u{23}"),
            ("  ", r" \u{20}"),
            (":::", r":\u{3a}\u{3a}"),
        ] {
            assert_eq!(escape(text), shown);
        }
    }

    #[test]
    fn commands_are_broken_in_blocks_of_json_that_hold_nothing_else() {
        for character in [":", "#"] {
            let text = character.repeat(5 * BLOCK);
            let escaped = escape_json(&format!("\"{text}\""));
            assert!(!escaped.contains(&character.repeat(2)), "{escaped}");
            assert_eq!(escaped.parse::<serde_json::Value>().unwrap(), text);
        }
    }
}

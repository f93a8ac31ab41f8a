//! The text that Python's `json.dumps(value, sort_keys=True)` writes: what producers submit to the enclave.
//!
//! Default separators `", "` and `": "`, keys by code point, everything outside printable ASCII escaped. Number tokens are
//! kept verbatim: producers wrote them with Python, so they already have its layout.

use crate::json::{Kind, Value};

/// `value` as Python would submit it.
pub(crate) fn sorted_dumps(value: &Value<'_>) -> String {
    let mut text = String::new();
    write_value(value, &mut text);
    text
}

/// An object of these members as Python would submit it.
pub(crate) fn sorted_object_dumps<'v>(members: impl Iterator<Item = (&'v str, &'v Value<'v>)>) -> String {
    let mut text = String::new();
    write_object(members, &mut text);
    text
}

/// Recursion is bounded by the nesting limit of the reader.
fn write_value(value: &Value<'_>, text: &mut String) {
    match &value.kind {
        Kind::Null => text.push_str("null"),
        Kind::Bool(flag) => text.push_str(if *flag { "true" } else { "false" }),
        Kind::Number(token) | Kind::NonFinite(token) => text.push_str(token),
        Kind::String(string) => write_string(string, text),
        Kind::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                text.push_str(if index == 0 { "" } else { ", " });
                write_value(item, text);
            }
            text.push(']');
        }
        Kind::Object(members) => write_object(members.iter().map(|member| (&*member.name, &member.value)), text),
    }
}

fn write_object<'v>(members: impl Iterator<Item = (&'v str, &'v Value<'v>)>, text: &mut String) {
    let mut sorted: Vec<_> = members.collect();
    sorted.sort_by_key(|(name, _)| *name);
    text.push('{');
    for (index, (name, value)) in sorted.into_iter().enumerate() {
        text.push_str(if index == 0 { "" } else { ", " });
        write_string(name, text);
        text.push_str(": ");
        write_value(value, text);
    }
    text.push('}');
}

/// Appends a text with everything outside printable ASCII escaped.
pub(crate) fn write_string(string: &str, text: &mut String) {
    text.push('"');
    for character in string.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '\u{8}' => text.push_str("\\b"),
            '\u{c}' => text.push_str("\\f"),
            ' '..='~' => text.push(character),
            _ => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    text.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    text.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Right sides as CPython 3.11 prints them.
    #[test]
    fn the_text_is_pythons() {
        for (json, python) in [
            (r#"{"b":1,"a":[1.50,-0,1e-05,null,true]}"#, r#"{"a": [1.50, -0, 1e-05, null, true], "b": 1}"#),
            (
                r#"{"k":"\u007f\u00e9\ud83d\ude00\u2028/\"\\\b\f\n\r\t\u0001"}"#,
                r#"{"k": "\u007f\u00e9\ud83d\ude00\u2028/\"\\\b\f\n\r\t\u0001"}"#,
            ),
            ("{\"\u{ff5e}\":1,\"\u{1f600}\":2,\"z\":{},\"A\":[]}", r#"{"A": [], "z": {}, "\uff5e": 1, "\ud83d\ude00": 2}"#),
            ("[NaN,Infinity,-Infinity]", "[NaN, Infinity, -Infinity]"),
        ] {
            assert_eq!(sorted_dumps(&crate::json::read(json.as_bytes()).unwrap()), python);
        }
    }
}

//! The texts that Python's `json.dumps()` writes: sorted in the three forms that producers hash or sign, and as scorers print.
//!
//! Sorted keys stand in the order of their code points, which is that of their UTF-8 bytes. Numbers of submitted files are kept as
//! they are written: producers wrote them with Python, so they have its layout. Under a signature every float is rounded to six
//! places first and written again.

use crate::json::{Kind, Value, is_integer};
use crate::python;
use crate::text::push_escape;

/// The form of submitted input: separators `", "` and `": "`, everything outside printable ASCII escaped.
const SUBMITTED: Form = Form { comma: ", ", colon: ": ", is_ascii: true, is_sorted: true, numbers: Numbers::AsTheyAre };

/// Likewise without blanks: `separators=(",", ":")`.
const COMPACT: Form = Form { comma: ",", colon: ":", ..SUBMITTED };

/// The form of signed attestations: without blanks, UTF-8 as it is, floats rounded to six places.
const SIGNED: Form = Form { is_ascii: false, numbers: Numbers::Rounded, ..COMPACT };

/// What a script prints: members in their order, numbers in Python's layout.
const PRINTED: Form = Form { is_sorted: false, numbers: Numbers::Read, ..SUBMITTED };

struct Form {
    comma: &'static str,
    colon: &'static str,
    is_ascii: bool,
    is_sorted: bool,
    numbers: Numbers,
}

enum Numbers {
    AsTheyAre,
    /// As Python reads and writes them.
    Read,
    /// Likewise, but every float rounded to six places in between.
    Rounded,
}

/// `value` as Python would submit it.
pub(crate) fn sorted_dumps(value: &Value<'_>) -> String {
    SUBMITTED.text(value)
}

/// An object of these members as Python would submit it.
pub(crate) fn sorted_object_dumps<'v>(members: impl Iterator<Item = (&'v str, &'v Value<'v>)>) -> String {
    let mut text = String::new();
    SUBMITTED.write_object(members.collect(), &mut text);
    text
}

/// `value` as Python would submit it without blanks.
pub(crate) fn compact_dumps(value: &Value<'_>) -> String {
    COMPACT.text(value)
}

/// `value` as Python producers sign it.
pub(crate) fn signed_text(value: &Value<'_>) -> String {
    SIGNED.text(value)
}

/// Appends `value` as a Python script prints what it read.
pub(crate) fn write_printed(value: &Value<'_>, text: &mut String) {
    PRINTED.write(value, text);
}

/// Appends a text likewise.
pub(crate) fn write_printed_string(string: &str, text: &mut String) {
    PRINTED.write_string(string, text);
}

/// The number that a signature covers where a file holds `token`: an integer of any size as it is, a float rounded to six places.
pub(crate) fn signed_number(token: &str) -> String {
    number(token, rounded)
}

/// Python's text for a number that it read from `token`: an integer of any size as it is, a float as `adjust` makes it.
fn number(token: &str, adjust: fn(f64) -> f64) -> String {
    match token.parse::<f64>() {
        // To Python an integer has no sign when it is zero.
        _ if is_integer(token) => if token == "-0" { "0" } else { token }.to_owned(),
        Ok(number) if number.is_finite() => python::repr(adjust(number)),
        // NaN and Infinity have no other spelling, and no number reads as anything else.
        _ => token.to_owned(),
    }
}

/// From here on every double is a whole number.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// Python's `round(number, 6)`: the double that is nearest to the exact value rounded half to even at the sixth place.
pub(crate) fn rounded(number: f64) -> f64 {
    if number.abs() >= WHOLE {
        return number;
    }
    format!("{number:.6}").parse().unwrap_or(number)
}

impl Form {
    fn text(&self, value: &Value<'_>) -> String {
        let mut text = String::new();
        self.write(value, &mut text);
        text
    }

    /// Recursion is bounded by the nesting limit of the reader.
    fn write(&self, value: &Value<'_>, text: &mut String) {
        match &value.kind {
            Kind::Null => text.push_str("null"),
            Kind::Bool(flag) => text.push_str(if *flag { "true" } else { "false" }),
            Kind::Number(token) => match self.numbers {
                Numbers::AsTheyAre => text.push_str(token),
                Numbers::Read if python::is_repr(token) => text.push_str(token),
                Numbers::Read => text.push_str(&number(token, |number| number)),
                Numbers::Rounded => text.push_str(&signed_number(token)),
            },
            Kind::NonFinite(token) => text.push_str(token),
            Kind::String(string) => self.write_string(string, text),
            Kind::Array(items) => {
                text.push('[');
                for (index, item) in items.iter().enumerate() {
                    text.push_str(if index == 0 { "" } else { self.comma });
                    self.write(item, text);
                }
                text.push(']');
            }
            Kind::Object(members) => self.write_object(members.iter().map(|member| (&*member.name, &member.value)).collect(), text),
        }
    }

    fn write_object(&self, mut members: Vec<(&str, &Value<'_>)>, text: &mut String) {
        if self.is_sorted {
            members.sort_by_key(|(name, _)| *name);
        }
        text.push('{');
        for (index, (name, value)) in members.into_iter().enumerate() {
            text.push_str(if index == 0 { "" } else { self.comma });
            self.write_string(name, text);
            text.push_str(self.colon);
            self.write(value, text);
        }
        text.push('}');
    }

    fn write_string(&self, string: &str, text: &mut String) {
        text.push('"');
        let is_plain = |character: char| match character {
            '"' | '\\' => false,
            ' '..='~' => true,
            _ => !self.is_ascii && character >= '\u{7f}',
        };
        let mut rest = string;
        while let Some((at, character)) = rest.char_indices().find(|(_, character)| !is_plain(*character)) {
            let (plain, after) = rest.split_at(at);
            text.push_str(plain);
            match character {
                '"' => text.push_str("\\\""),
                '\\' => text.push_str("\\\\"),
                '\n' => text.push_str("\\n"),
                '\r' => text.push_str("\\r"),
                '\t' => text.push_str("\\t"),
                '\u{8}' => text.push_str("\\b"),
                '\u{c}' => text.push_str("\\f"),
                _ => character.encode_utf16(&mut [0; 2]).iter().for_each(|unit| push_escape(*unit, text)),
            }
            rest = after.strip_prefix(character).unwrap_or_default();
        }
        text.push_str(rest);
        text.push('"');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Value<'_> {
        crate::json::read(json.as_bytes()).unwrap()
    }

    /// Right sides as CPython 3.11 prints them.
    #[test]
    fn submitted_text_is_pythons() {
        for (json, python) in [
            (r#"{"b":1,"a":[1.50,-0,1e-05,null,true]}"#, r#"{"a": [1.50, -0, 1e-05, null, true], "b": 1}"#),
            (
                r#"{"k":"\u007f\u00e9\ud83d\ude00\u2028/\"\\\b\f\n\r\t\u0001"}"#,
                r#"{"k": "\u007f\u00e9\ud83d\ude00\u2028/\"\\\b\f\n\r\t\u0001"}"#,
            ),
            ("{\"\u{ff5e}\":1,\"\u{1f600}\":2,\"z\":{},\"A\":[]}", r#"{"A": [], "z": {}, "\uff5e": 1, "\ud83d\ude00": 2}"#),
            ("[NaN,Infinity,-Infinity]", "[NaN, Infinity, -Infinity]"),
        ] {
            assert_eq!(sorted_dumps(&read(json)), python);
        }
        assert_eq!(compact_dumps(&read("{\"b\" : [1.50, \"±\"], \"a\": {}}")), r#"{"a":{},"b":[1.50,"\u00b1"]}"#);
    }

    /// Right sides as CPython prints them.
    #[test]
    fn printed_text_is_pythons() {
        let document = "[1.50, 100.0, 1e2, 1e15, 1e16, 123456789012345680.0, 0.0001, 0.00001, 1E-7, -0.0, -0, 0, 5e-324, 1.7976931348623157e308, 9007199254740993, 2.5105667114257812, NaN, -Infinity]";
        let written = "[1.5, 100.0, 100.0, 1000000000000000.0, 1e+16, 1.2345678901234568e+17, 0.0001, 1e-05, 1e-07, -0.0, 0, 0, 5e-324, 1.7976931348623157e+308, 9007199254740993, 2.5105667114257812, NaN, -Infinity]";
        let mut text = String::new();
        write_printed(&read(document), &mut text);
        assert_eq!(text, written);
    }

    /// Right sides as CPython 3.11 prints them after `round(x, 6)` of every float.
    #[test]
    fn signed_text_is_pythons() {
        for (json, python) in [
            ("{\"\u{ff5e}\": 1, \"\u{1f600}\": 2, \"z\": {}, \"A\": []}", "{\"A\":[],\"z\":{},\"\u{ff5e}\":1,\"\u{1f600}\":2}"),
            (r#"["\u007f\u00e9\u2028\/\"\\\b\f\n\r\t\u0001\u001f"]"#, "[\"\u{7f}é\u{2028}/\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f\"]"),
            ("[NaN, Infinity, -Infinity, -0, 0, true, null]", "[NaN,Infinity,-Infinity,0,0,true,null]"),
        ] {
            assert_eq!(signed_text(&read(json)), python);
        }
    }

    /// A script hands members on as it read them.
    #[test]
    fn printed_members_keep_their_order() {
        let mut text = String::new();
        write_printed(&read(r#"{"b": {"d": 1.50, "c": "é"}, "a": []}"#), &mut text);
        assert_eq!(text, r#"{"b": {"d": 1.5, "c": "\u00e9"}, "a": []}"#);
    }

    #[test]
    fn signed_numbers_are_rounded_and_laid_out_as_python_does() {
        for (token, python) in [
            ("391", "391"),
            ("391.00", "391.0"),
            ("1e2", "100.0"),
            ("-0.0", "-0.0"),
            ("-1e-9", "-0.0"),
            ("0.00001", "1e-05"),
            ("1E-6", "1e-06"),
            ("0.0001", "0.0001"),
            ("0.0078125", "0.007812"),
            ("0.0234375", "0.023438"),
            ("2.6749999999999998", "2.675"),
            ("0.1234565", "0.123456"),
            ("9007199254740993.0", "9007199254740992.0"),
            ("1e15", "1000000000000000.0"),
            ("961038874585682.25", "961038874585682.2"),
            ("961038874585682.75", "961038874585682.8"),
            ("9007199254740990.0", "9007199254740990.0"),
            ("1e16", "1e+16"),
            ("123456789012345678.0", "1.2345678901234568e+17"),
            ("1.5e300", "1.5e+300"),
            ("5e-324", "0.0"),
            ("18446744073709551617", "18446744073709551617"),
            ("NaN", "NaN"),
            ("-Infinity", "-Infinity"),
        ] {
            assert_eq!(signed_number(token), python, "{token}");
        }
    }
}

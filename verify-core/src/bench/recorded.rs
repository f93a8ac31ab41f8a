//! What a file records of how a measurement was made: single values, kept as they were written.

use serde::{Deserialize, Serialize};

use crate::compare;
use crate::json::{Kind, Value, read_many};
use crate::limits;
use crate::text::brief;

/// Texts that stand for "not recorded", without brackets and punctuation around them.
const PLACEHOLDERS: [&str; 28] = [
    "",
    "unknown",
    "null",
    "nil",
    "nan",
    "undefined",
    "unset",
    "unspecified",
    "n/a",
    "na",
    "tbd",
    "tba",
    "todo",
    "fixme",
    "changeme",
    "placeholder",
    "redacted",
    "not recorded",
    "not_recorded",
    "not set",
    "n.a",
    "none given",
    "pending",
    "missing",
    "unavailable",
    "sha256",
    "xxx",
    "not available",
];

/// What templates leave inside of a longer text.
const LEFT_OVER: [&str; 5] = ["your_", "redacted", "changeme", "{{", "}}"];

/// How templates write what is to be filled in, as a whole text without blanks.
const BLANKS: [(&str, &str); 3] = [("<", ">"), ("$", ""), ("%", "%")];

/// A value as JSON text: numbers as they were written, members in the order of their names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Recorded(String);

impl Recorded {
    pub(crate) fn of(value: &Value<'_>) -> Self {
        let mut text = String::new();
        let mut left = vec![Piece::Value(value)];
        while let Some(piece) = left.pop() {
            match piece {
                Piece::Text(piece) => text.push_str(&piece),
                Piece::Value(Value { kind: Kind::Array(items), .. }) => {
                    text.push('[');
                    left.push(Piece::Text("]".to_owned()));
                    for (index, item) in items.iter().enumerate().rev() {
                        left.push(Piece::Value(item));
                        left.extend((index > 0).then(|| Piece::Text(",".to_owned())));
                    }
                }
                Piece::Value(Value { kind: Kind::Object(members), .. }) => {
                    let mut members: Vec<_> = members.iter().collect();
                    members.sort_unstable_by(|one, other| one.name.cmp(&other.name));
                    text.push('{');
                    left.push(Piece::Text("}".to_owned()));
                    for (index, member) in members.into_iter().enumerate().rev() {
                        left.push(Piece::Value(&member.value));
                        left.push(Piece::Text(format!("{}{}:", if index > 0 { "," } else { "" }, json_string(&member.name))));
                    }
                }
                Piece::Value(Value { kind: Kind::String(string), .. }) => text.push_str(&json_string(string)),
                Piece::Value(Value { kind: Kind::Number(token) | Kind::NonFinite(token), .. }) => text.push_str(token),
                Piece::Value(Value { kind: Kind::Bool(flag), .. }) => text.push_str(if *flag { "true" } else { "false" }),
                Piece::Value(Value { kind: Kind::Null, .. }) => text.push_str("null"),
            }
        }
        Self(text)
    }

    pub(crate) fn read(json: &str) -> Option<Self> {
        read_many(json.as_bytes(), limits::BENCH_VALUES).ok().map(|value| Self::of(&value))
    }

    /// The value as JSON text.
    pub(crate) fn json(&self) -> &str {
        &self.0
    }

    /// Whether both say the same: of one type, numbers by their exact decimal value, lists in their order.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.with_value(|one| other.with_value(|other| compare::compare(one, other, compare::is_same).differ == 0))
    }

    fn with_value(&self, ask: impl FnOnce(&Value<'_>) -> bool) -> bool {
        read_many(self.0.as_bytes(), limits::BENCH_VALUES).is_ok_and(|value| ask(&value))
    }

    /// Whether it says anything: null, empty values and what stands for "not recorded" do not. A zero, `false` and "none" do.
    pub(crate) fn says_something(&self) -> bool {
        self.with_value(says_something)
    }

    /// The value as a part of a name: a text without its quotes, 8.0 as 8.
    pub(crate) fn label(&self) -> String {
        read_many(self.0.as_bytes(), limits::BENCH_VALUES).map_or_else(|_| self.0.clone(), |value| label(&value))
    }

    /// The items of a list as parts of names.
    pub(crate) fn items(&self) -> Vec<String> {
        match read_many(self.0.as_bytes(), limits::BENCH_VALUES).map(|value| value.kind) {
            Ok(Kind::Array(items)) => items.iter().map(label).collect(),
            _ => Vec::new(),
        }
    }

    /// The value on a line, cut and escaped for showing.
    pub(crate) fn shown(&self) -> String {
        brief(&self.0)
    }
}

enum Piece<'v, 'd> {
    Text(String),
    Value(&'v Value<'d>),
}

fn json_string(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

fn label(value: &Value<'_>) -> String {
    match &value.kind {
        Kind::String(text) => text.to_string(),
        Kind::Number(token) => match token.split_once('.') {
            Some((whole, fraction)) if !fraction.is_empty() && fraction.bytes().all(|digit| digit == b'0') => whole.to_owned(),
            _ => (*token).to_owned(),
        },
        _ => Recorded::of(value).0,
    }
}

/// See [`Recorded::says_something`].
pub(crate) fn says_something(value: &Value<'_>) -> bool {
    match &value.kind {
        Kind::Null | Kind::NonFinite(_) => false,
        Kind::Bool(_) | Kind::Number(_) => true,
        Kind::String(text) => !is_placeholder(text),
        Kind::Array(items) => !items.is_empty() && items.iter().all(says_something),
        Kind::Object(members) => members.iter().any(|member| says_something(&member.value)),
    }
}

/// Whether a text stands for "not recorded".
pub(crate) fn is_placeholder(text: &str) -> bool {
    let text = text.to_lowercase();
    let bare =
        text.trim_matches(|character: char| !character.is_alphanumeric() && !matches!(character, '{' | '}') || character.is_whitespace());
    let digits = bare.trim_start_matches("sha256:").trim_start_matches("0x");
    let is_zero_digest = (32..=64).contains(&digits.len()) && digits.bytes().all(|byte| byte == b'0');
    let is_blank_of = |(begin, end): &(&str, &str)| {
        let name = text.strip_prefix(begin).and_then(|rest| rest.strip_suffix(end));
        name.is_some_and(|name| {
            name.starts_with(|first: char| first.is_alphabetic() || first == '{') && !name.contains(char::is_whitespace)
        })
    };
    is_zero_digest
        || BLANKS.iter().any(is_blank_of)
        || PLACEHOLDERS.contains(&bare)
        || LEFT_OVER.iter().any(|left_over| text.contains(left_over))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::read;

    fn recorded(json: &str) -> Recorded {
        Recorded::of(&read(json.as_bytes()).unwrap())
    }

    #[test]
    fn a_value_is_kept_as_it_was_written() {
        let text = r#"{"b": [1.50, [], {}, {"y": null, "x": "\u0041\n"}], "a": 757906360056878360856072935}"#;
        assert_eq!(recorded(text).json(), r#"{"a":757906360056878360856072935,"b":[1.50,[],{},{"x":"A\n","y":null}]}"#);
        assert!(recorded(text).is_same(&recorded(recorded(text).json())));
    }

    #[test]
    fn labels_are_plain() {
        assert_eq!(recorded("[1, 8.0, 0.5, \"a\", null]").items(), ["1", "8", "0.5", "a", "null"]);
        assert_eq!(recorded("32.0").label(), "32");
        assert!(recorded("32").items().is_empty());
    }

    #[test]
    fn equality_keeps_types_and_order() {
        for (one, other) in [("1234", "1234.0"), (r#"{"a":1,"b":2}"#, r#"{"b":2.0,"a":1}"#), ("[1,2]", "[1.0,2]")] {
            assert!(recorded(one).is_same(&recorded(other)), "{one} {other}");
        }
        for (one, other) in [
            ("1234", "\"1234\""),
            ("true", "1"),
            ("[1,2]", "[2,1]"),
            ("757906360056878360856072935", "757906360056878360856072936"),
            ("\"a\"", "\"A\""),
        ] {
            assert!(!recorded(one).is_same(&recorded(other)), "{one} {other}");
        }
    }

    #[test]
    fn what_stands_for_nothing_says_nothing() {
        for nothing in [
            "null",
            "\"\"",
            "\" \"",
            "\"Unknown\"",
            "\"n/a\"",
            "[]",
            "{}",
            "\"x/YOUR_PROJECT_ID/y\"",
            "\"REDACTED\"",
            "\"?\"",
            "\"[tba]\"",
            "\"TBD.\"",
            "\"{{SEED}}\"",
            "\"\u{200b}\"",
            "[null]",
            "[\"unknown\", {\"a\": \"NaN\"}]",
            "\"sha256:00000000000000000000000000000000\"",
            "\"not set\"",
            "\"<sha256>\"",
            "\"<seed>\"",
            "\"$SEED\"",
            "\"${SHA}\"",
            "\"%SHA%\"",
            "[null, 1]",
        ] {
            assert!(!recorded(nothing).says_something(), "{nothing}");
        }
        assert!(!recorded(&format!("\"{}\"", "0".repeat(64))).says_something());
        for something in ["0", "false", "\"none\"", "\"0\"", "[0]", "\"$5\"", "\"a < b and b > c\"", "\"<3 ms> of 5\""] {
            assert!(recorded(something).says_something(), "{something}");
        }
    }
}

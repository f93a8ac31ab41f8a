//! Answers about several inputs as JSON: one array, or one object per line. Nothing else is on standard output then.

use serde_json::{Value, json};

use crate::args::Format;
use crate::inputs::Failure;
use crate::output::{Output, complain};

/// Prints one object after the other as the parts of one document.
pub(crate) struct Documents {
    is_array: bool,
    printed: usize,
}

impl Documents {
    /// `None` for text.
    pub(crate) fn new(format: Format) -> Option<Self> {
        match format {
            Format::Text => None,
            Format::Json => Some(Self { is_array: true, printed: 0 }),
            Format::Jsonl => Some(Self { is_array: false, printed: 0 }),
        }
    }

    /// Prints one object, given as one line of JSON.
    pub(crate) fn print(&mut self, object: &str, output: &mut Output) {
        match (self.is_array, self.printed) {
            (false, _) => output.print(&format!("{object}\n")),
            (true, 0) => output.print(&format!("[\n{object}")),
            (true, _) => output.print(&format!(",\n{object}")),
        }
        self.printed += 1;
    }

    /// Prints the object of an input without an answer, and a word for people.
    pub(crate) fn print_failure(&mut self, name: &str, failure: &Failure, output: &mut Output) {
        let name = verify_core::escape(name);
        complain(&format!("{name}: {}", failure.message));
        let object = json!({ "input": { "name": name }, "outcome": null, "exit_code": failure.exit_code, "error": failure.message });
        self.print(&ascii(&object.to_string()), output);
    }

    /// Closes the document.
    pub(crate) fn finish(self, output: &mut Output) {
        if self.is_array {
            output.print("\n]\n");
        }
    }
}

/// A document for people who read JSON.
pub(crate) fn pretty(value: &Value) -> String {
    format!("{}\n", ascii(&format!("{value:#}")))
}

/// JSON in which everything outside of ASCII, and DEL, is escaped: such characters stand only inside of texts.
pub(crate) fn ascii(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        if character.is_ascii() && character != '\u{7f}' {
            escaped.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_json_means_the_same() {
        let value = json!({ "a\u{202e}b": ["\u{1b}\u{7f}\u{9b}", "é", "😀", "\\u0041"] });
        let escaped = ascii(&value.to_string());
        assert!(escaped.bytes().all(|byte| (0x20..0x7f).contains(&byte)), "{escaped}");
        assert_eq!(escaped.parse::<Value>().unwrap(), value);
    }
}

//! Answers about several inputs as JSON: one array, or one object per line. Nothing else is on standard output then.

use serde_json::{Value, json};
use verify_core::{escape, escape_json};

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
        let name = escape(name);
        complain(&format!("{name}: {}", failure.message));
        let object = json!({
            "input": { "name": name },
            "outcome": null,
            "exit_code": failure.exit_code,
            "name": failure.word.to_lowercase(),
            "error": failure.message,
        });
        self.print(&escape_json(&object.to_string()), output);
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
    format!("{}\n", escape_json(&format!("{value:#}")))
}

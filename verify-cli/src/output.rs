//! Standard output and standard error, for readers that may go away.

use std::io::{self, StdoutLock, Write as _};

use anstream::{AutoStream, ColorChoice};

use crate::args::Color;
use crate::exit;

/// Standard output, with styles where it can show them.
pub(crate) struct Output {
    stream: AutoStream<StdoutLock<'static>>,
    failure: Option<io::Error>,
}

impl Output {
    pub(crate) fn new(color: Color) -> Self {
        let choice = match color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        Self { stream: AutoStream::new(io::stdout().lock(), choice), failure: None }
    }

    /// Prints `text`. After a failure nothing more is written, but the caller goes on: the exit code still is the true one.
    pub(crate) fn print(&mut self, text: &str) {
        if self.failure.is_none() {
            self.failure = self.stream.write_all(text.as_bytes()).and_then(|()| self.stream.flush()).err();
        }
    }

    /// The exit code that writing deserves. A reader that has seen enough is no failure; a full disk is one.
    pub(crate) fn finish(self) -> u8 {
        match self.failure {
            None => exit::OK,
            Some(error) if error.kind() == io::ErrorKind::BrokenPipe => exit::OK,
            Some(error) => {
                complain(&format!("error: cannot write to standard output: {error}"));
                exit::INTERNAL
            }
        }
    }
}

/// Prints a line for people on standard error. Where nobody can read it, there is nobody to tell.
pub(crate) fn complain(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

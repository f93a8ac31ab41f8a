//! Where answers go: standard output, whose reader may go away, or a file that is there whole or not at all.

use std::borrow::Cow;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;

use anstream::adapter::strip_str;
use anstream::{AutoStream, ColorChoice};
use verify_core::escape;

use crate::args::Color;
use crate::exit;
use crate::layout::harmless;

/// Standard output or a file, with styles where it can show them.
pub(crate) struct Output {
    stream: Box<dyn Write>,
    is_styled: bool,
    /// The file that the answer goes to, in the place of standard output.
    replacement: Option<Replacement>,
    is_used: bool,
    failure: Option<io::Error>,
}

impl Output {
    pub(crate) fn to_standard_output(color: Color) -> Self {
        let choice = match color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        let stream = AutoStream::new(io::stdout().lock(), choice);
        let is_styled = stream.current_choice() != ColorChoice::Never;
        Self { stream: Box::new(stream), is_styled, replacement: None, is_used: false, failure: None }
    }

    /// The file at `path`; - is standard output. Until [`Output::finish`] nothing of it is there.
    pub(crate) fn to(path: &Path, color: Color) -> Result<Self, String> {
        if path.as_os_str() == "-" {
            return Ok(Self::to_standard_output(color));
        }
        let refused = |why: String| format!("cannot write to {}: {why}", escape(&path.to_string_lossy()));
        let replacement = Replacement::of(path).map_err(refused)?;
        let file = replacement.file.try_clone().map_err(|error| refused(error.to_string()))?;
        let is_styled = color == Color::Always;
        Ok(Self { stream: Box::new(file), is_styled, replacement: Some(replacement), is_used: false, failure: None })
    }

    /// Whether every file that is read stays what it is: an answer must not replace the evidence that it is about. If not, it is said.
    pub(crate) fn spares(&self, read: impl IntoIterator<Item = impl AsRef<Path>>) -> bool {
        let replaced = self.replaced(read);
        replaced.iter().for_each(|why| complain(&format!("error: {why}")));
        replaced.is_none()
    }

    /// Why the answer cannot be written, where it would replace a file that is read.
    pub(crate) fn replaced(&self, read: impl IntoIterator<Item = impl AsRef<Path>>) -> Option<String> {
        let replaced = self.replacement.as_ref()?.target.canonicalize().ok()?;
        let lost = read.into_iter().find(|path| path.as_ref().canonicalize().is_ok_and(|path| path == replaced))?;
        Some(format!("the answer cannot be written to {}, which is read", escape(&lost.as_ref().to_string_lossy())))
    }

    /// Whether both go to the same file, or both to standard output: one would take the place of the other, or stand in the midst of it.
    pub(crate) fn shares_place_with(&self, other: &Self) -> bool {
        let place = |output: &Self| output.replacement.as_ref().map(Replacement::place);
        place(self) == place(other)
    }

    /// Prints `text`. After a failure nothing more is written, but the caller goes on: the exit code still is the true one.
    pub(crate) fn print(&mut self, text: &str) {
        self.is_used = true;
        if self.failure.is_none() {
            // One text, one system call, wherever styles stood in it.
            let shown = if self.is_styled { Cow::Borrowed(text) } else { Cow::Owned(strip_str(text).to_string()) };
            self.failure = self.stream.write_all(shown.as_bytes()).and_then(|()| self.stream.flush()).err();
        }
    }

    /// Lets a file stay as it was: the answer is not whole.
    pub(crate) fn abandon(&mut self) {
        if let Some(replacement) = self.replacement.take() {
            complain(&format!("{}: stays as it was, because the answer is not whole", escape(&replacement.target.to_string_lossy())));
        }
    }

    /// Puts the file in its place, if anything was printed, and returns the exit code that writing deserves. A reader that has seen
    /// enough is no failure; a full disk is one.
    pub(crate) fn finish(self) -> u8 {
        let place = self.replacement.as_ref().map_or("standard output".to_owned(), |to| escape(&to.target.to_string_lossy()));
        let written = match (self.failure, self.replacement) {
            (Some(error), None) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            (Some(error), _) => Err(error),
            (None, Some(replacement)) if self.is_used => replacement.commit(),
            (None, _) => Ok(()),
        };
        let Err(error) = written else { return exit::OK };
        complain(&format!("error: cannot write to {place}: {error}"));
        exit::INTERNAL
    }
}

/// Prints a line for people on standard error. Where nobody can read it, there is nobody to tell.
pub(crate) fn complain(line: &str) {
    let _ = writeln!(io::stderr(), "{}", harmless(line));
}

/// A new file that takes the place of another one when it is whole. Until then it stands beside it; if it never is, it is removed.
struct Replacement {
    target: PathBuf,
    file: File,
    /// Where the file stands before it is in its place.
    beside: PathBuf,
    is_in_place: bool,
}

/// How many names may be taken before it is given up.
const TAKEN_NAMES: usize = 100;

impl Replacement {
    /// Nothing is written through a link, whose target somebody else may have chosen, nor to a device or a pipe, which cannot be
    /// replaced.
    fn of(target: &Path) -> Result<Self, String> {
        let is_folder = target.as_os_str().as_encoded_bytes().ends_with(b"/");
        let name = target.file_name().filter(|_| !is_folder).ok_or("it names no file")?.to_string_lossy();
        let old = match fs::symlink_metadata(target) {
            Ok(old) if old.is_symlink() => return Err("it is a symbolic link, and those are not followed".to_owned()),
            Ok(old) if !old.is_file() => return Err("it is not a regular file".to_owned()),
            Ok(old) => Some(old),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error.to_string()),
        };
        let (file, beside) = created_beside(target, &name).map_err(|error| format!("no file can be created beside it: {error}"))?;
        let replacement = Self { target: target.to_owned(), file, beside, is_in_place: false };
        old.map_or(Ok(()), |old| replacement.file.set_permissions(old.permissions())).map_err(|error| error.to_string())?;
        Ok(replacement)
    }

    /// The target by the one name that its folder has.
    fn place(&self) -> Option<PathBuf> {
        Some(self.beside.canonicalize().ok()?.with_file_name(self.target.file_name()?))
    }

    /// Takes the place. Whatever breaks off meanwhile, be it the machine: the old file is there or the new one, and whole.
    fn commit(mut self) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.beside, &self.target)?;
        self.is_in_place = true;
        Ok(())
    }
}

/// A new file under a name that is free. Names may be taken by what killed processes left behind.
fn created_beside(target: &Path, name: &str) -> io::Result<(File, PathBuf)> {
    let mut number = 0;
    loop {
        let path = target.with_file_name(format!(".{name}.{}-{number}.tmp", process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < TAKEN_NAMES => number += 1,
            created => return created.map(|file| (file, path)),
        }
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if !self.is_in_place {
            let _ = fs::remove_file(&self.beside);
        }
    }
}

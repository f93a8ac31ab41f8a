//! The documents that claims are about: each read once, as long as there is room, and all within one budget of work.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

use memchr::memmem::{self, Finder};

use super::Verdict;
use super::manifest::{Form, Place};
use super::page::find;
use super::seen::seen;
use crate::bench::Files;
use crate::json::{JsonError, JsonErrorKind, Kind, Value, read_many};
use crate::limits;
use crate::text::quoted;

/// Why there is nothing to judge by.
pub(super) type Refusal = (Verdict, String);

/// A document, of how many values it is made, and the byte of its file at which it begins.
pub(super) struct Document<'f> {
    pub(super) value: Value<'f>,
    pub(super) offset: usize,
    values: usize,
}

/// Files, and what was read of them.
pub(super) struct Library<'f> {
    files: &'f Files,
    /// What came of reading documents, be it a refusal: no file is read again for the next claim.
    open: BTreeMap<(String, Form), Result<Rc<Document<'f>>, Refusal>>,
    held: usize,
    /// Texts as they are, and as readers see them.
    texts: BTreeMap<(String, View), Rc<Cow<'f, str>>>,
    held_bytes: usize,
    work: usize,
}

/// What of a text is looked at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum View {
    /// All of it.
    Whole,
    /// What readers of a page see.
    Seen,
}

/// Bytes that are read as JSON in a step.
const READ_BYTES: usize = 8;

/// Bytes of text that are looked through in a step.
pub(super) const STEP_BYTES: usize = 16;

/// Steps for each place of a text that is looked at more closely.
pub(super) const STEPS_A_HIT: usize = 8;

/// Values of documents that are held at a time: a few of the largest, or all of a usual manifest.
const HELD_VALUES: usize = 4 * limits::BENCH_VALUES;

/// Bytes of texts that are held at a time.
const HELD_BYTES: usize = 2 * limits::BENCH_FILE_BYTES;

impl<'f> Library<'f> {
    pub(super) fn new(files: &'f Files) -> Self {
        Self { files, open: BTreeMap::new(), held: 0, texts: BTreeMap::new(), held_bytes: 0, work: 0 }
    }

    /// The text of a file, with what is no UTF-8 replaced. Reading it is paid for, and looking for `needle` in it.
    pub(super) fn text(&mut self, name: &str, view: View, needle: &str) -> Result<Rc<Cow<'f, str>>, Refusal> {
        let key = (name.to_owned(), view);
        let text = match self.texts.get(&key) {
            Some(text) => Rc::clone(text),
            None => {
                let bytes = self.bytes(name)?;
                let is_made_anew = view == View::Seen || std::str::from_utf8(bytes).is_err();
                self.pay(if is_made_anew { bytes.len() } else { bytes.len() / STEP_BYTES })?;
                let whole = String::from_utf8_lossy(bytes);
                let text = Rc::new(if view == View::Seen { Cow::Owned(seen(&whole)) } else { whole });
                if self.held_bytes.saturating_add(text.len()) > HELD_BYTES {
                    (self.texts, self.held_bytes) = (BTreeMap::new(), 0);
                }
                self.held_bytes = self.held_bytes.saturating_add(text.len());
                self.texts.insert(key, Rc::clone(&text));
                text
            }
        };
        self.pay(text.len() / STEP_BYTES)?;
        self.pay(Finder::new(needle).find_iter(text.as_bytes()).count().saturating_mul(STEPS_A_HIT))?;
        Ok(text)
    }

    /// The document of a place; looking `times` at each of its values is paid for.
    pub(super) fn document(&mut self, place: &Place, times: usize) -> Result<Rc<Document<'f>>, Refusal> {
        let key = (place.file.clone(), place.form.clone());
        let opened = match self.open.get(&key) {
            Some(opened) => opened.clone(),
            None => {
                let opened = self.opened(place).map(Rc::new);
                let values = opened.as_ref().map_or(0, |document| document.values);
                self.pay(values)?;
                if self.held.saturating_add(values) > HELD_VALUES {
                    (self.open, self.held) = (BTreeMap::new(), 0);
                }
                self.held = self.held.saturating_add(values);
                self.open.insert(key, opened.clone());
                opened
            }
        };
        let document = opened?;
        self.pay(document.values.saturating_mul(times.saturating_add(place.at.conditions())))?;
        Ok(document)
    }

    fn opened(&mut self, place: &Place) -> Result<Document<'f>, Refusal> {
        if let Form::Page(shown) = &place.form {
            let page = self.text(&place.file, View::Seen, &seen(&shown.text))?;
            let (_, span) = find(&page, shown).map_err(|text| (Verdict::NotInText, format!("does not hold {text}")))?;
            return Ok(Document { value: Value { kind: Kind::String(shown.text.clone().into()), span }, offset: 0, values: 1 });
        }
        let bytes = self.bytes(&place.file)?;
        self.pay(bytes.len() / READ_BYTES)?;
        read(bytes, &place.form)
    }

    fn bytes(&self, name: &str) -> Result<&'f [u8], Refusal> {
        let bytes =
            self.files.get(name).map_err(|why| (Verdict::SourceMissing, format!("{}: {}", quoted(name), crate::text::brief(why))))?;
        match bytes.len() > limits::BENCH_FILE_BYTES {
            true => Err((Verdict::OverLimit, format!("{} has more than {} bytes", quoted(name), limits::BENCH_FILE_BYTES))),
            false => Ok(bytes),
        }
    }

    fn pay(&mut self, work: usize) -> Result<(), Refusal> {
        self.work = self.work.saturating_add(work);
        match self.work > limits::BENCH_WORK {
            true => Err((Verdict::OverLimit, format!("the claims take more than {} steps; check them in parts", limits::BENCH_WORK))),
            false => Ok(()),
        }
    }
}

fn read<'f>(bytes: &'f [u8], form: &Form) -> Result<Document<'f>, Refusal> {
    let mut offset = 0;
    let value = match form {
        Form::Whole | Form::Page(_) => read_many(bytes, limits::BENCH_VALUES).map_err(|error| refusal("", &error))?,
        Form::After(start) => {
            let last = memmem::rfind(bytes, format!("\n{start}").as_bytes()).map(|end| end.saturating_add(1));
            let first = || bytes.starts_with(start.as_bytes()).then_some(0);
            let line = last.or_else(first).ok_or_else(|| (Verdict::Absent, format!("no line begins with {}", quoted(start))))?;
            offset = line.saturating_add(start.len());
            let (before, rest) = bytes.split_at_checked(offset).unwrap_or((bytes, &[]));
            let json = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let index = || memchr::memchr_iter(b'\n', before).count();
            read_many(json, limits::BENCH_VALUES).map_err(|error| refusal(&of_line(index()), &error))?
        }
        Form::Lines => {
            let (mut rows, mut left) = (Vec::new(), limits::BENCH_VALUES);
            for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.trim_ascii().is_empty()) {
                let row = read_many(line, left).map_err(|error| refusal(&of_line(index), &error))?;
                left = left.saturating_sub(row.count());
                rows.push(row);
            }
            Value { kind: Kind::Array(rows), span: 0..bytes.len() }
        }
    };
    Ok(Document { values: value.count(), value, offset })
}

fn of_line(index: usize) -> String {
    format!("line {}, ", index.saturating_add(1))
}

/// A file that cannot be read as what it should be is as good as none.
fn refusal(place: &str, error: &JsonError) -> Refusal {
    let verdict = if error.kind == JsonErrorKind::Limit { Verdict::OverLimit } else { Verdict::SourceMissing };
    (verdict, format!("it cannot be read as JSON: {place}byte {}: {}", error.offset, error.message))
}

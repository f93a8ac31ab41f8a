//! The documents that claims are about: each read once, as long as there is room, and all within one budget of work.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Verdict;
use super::manifest::{Form, Place};
use crate::bench::Files;
use crate::json::{JsonError, JsonErrorKind, Kind, Value, read_many};
use crate::limits;
use crate::text::quoted;

/// Why there is nothing to judge by.
pub(super) type Refusal = (Verdict, String);

/// A document, and of how many values it is made.
pub(super) struct Document<'f> {
    pub(super) value: Value<'f>,
    values: usize,
}

/// Files, and what was read of them.
pub(super) struct Library<'f> {
    files: &'f Files,
    open: BTreeMap<(String, Form), Rc<Document<'f>>>,
    held: usize,
    work: usize,
}

/// Bytes of text that are looked through in a step.
pub(super) const STEP_BYTES: usize = 16;

/// Values of documents that are held at a time: a few of the largest, or all of a usual manifest.
const HELD_VALUES: usize = 4 * limits::BENCH_VALUES;

impl<'f> Library<'f> {
    pub(super) fn new(files: &'f Files) -> Self {
        Self { files, open: BTreeMap::new(), held: 0, work: 0 }
    }

    /// The text of a file, with what is no UTF-8 replaced; looking through it is paid for.
    pub(super) fn text(&mut self, name: &str) -> Result<std::borrow::Cow<'f, str>, Refusal> {
        let bytes = self.bytes(name)?;
        self.pay(bytes.len() / STEP_BYTES)?;
        Ok(String::from_utf8_lossy(bytes))
    }

    /// The document of a place; looking `times` at each of its values is paid for.
    pub(super) fn document(&mut self, place: &Place, times: usize) -> Result<Rc<Document<'f>>, Refusal> {
        let key = (place.file.clone(), place.form.clone());
        let document = match self.open.get(&key) {
            Some(document) => Rc::clone(document),
            None => {
                let bytes = self.bytes(&place.file)?;
                let value = read(bytes, &place.form)?;
                let document = Rc::new(Document { values: value.count(), value });
                self.pay(document.values.saturating_add(bytes.len() / STEP_BYTES))?;
                if self.held.saturating_add(document.values) > HELD_VALUES {
                    (self.open, self.held) = (BTreeMap::new(), 0);
                }
                self.held = self.held.saturating_add(document.values);
                self.open.insert(key, Rc::clone(&document));
                document
            }
        };
        self.pay(document.values.saturating_mul(times.saturating_add(place.at.conditions())))?;
        Ok(document)
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

fn read<'f>(bytes: &'f [u8], form: &Form) -> Result<Value<'f>, Refusal> {
    match form {
        Form::Whole => read_many(bytes, limits::BENCH_VALUES).map_err(|error| refusal("", &error)),
        Form::After(start) => {
            let last = bytes.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| line.starts_with(start.as_bytes())).last();
            let (index, line) = last.ok_or_else(|| (Verdict::Absent, format!("no line begins with {}", quoted(start))))?;
            let json = line.get(start.len()..).unwrap_or_default();
            read_many(json, limits::BENCH_VALUES).map_err(|error| refusal(&of_line(index), &error))
        }
        Form::Lines => {
            let (mut rows, mut left) = (Vec::new(), limits::BENCH_VALUES);
            for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.trim_ascii().is_empty()) {
                let row = read_many(line, left).map_err(|error| refusal(&of_line(index), &error))?;
                left = left.saturating_sub(row.count());
                rows.push(row);
            }
            Ok(Value { kind: Kind::Array(rows), span: 0..bytes.len() })
        }
    }
}

fn of_line(index: usize) -> String {
    format!("line {}, ", index.saturating_add(1))
}

/// A file that cannot be read as what it should be is as good as none.
fn refusal(place: &str, error: &JsonError) -> Refusal {
    let verdict = if error.kind == JsonErrorKind::Limit { Verdict::OverLimit } else { Verdict::SourceMissing };
    (verdict, format!("it cannot be read as JSON: {place}byte {}: {}", error.offset, error.message))
}

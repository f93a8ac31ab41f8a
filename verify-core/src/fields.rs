//! Typed reading of JSON objects: every missing, mistyped or malformed member becomes a finding with its pointer.

use std::borrow::Cow;

use data_encoding::HEXLOWER_PERMISSIVE;

use crate::json::{Kind, Member, Value, child, is_integer};
use crate::ledger::{Checked, Findings, Stopped};
use crate::limits;
use crate::problem::{Code, Location, Problem};
use crate::text;
use crate::time::Timestamp;

/// Which document is read, and which codes its faults have.
#[derive(Clone, Copy)]
pub(crate) struct Format {
    pub(crate) document: &'static str,
    pub(crate) missing: Code,
    pub(crate) wrong_type: Code,
    pub(crate) malformed: Code,
}

/// The types of members whose values are only shown.
#[derive(Clone, Copy)]
pub(crate) enum Type {
    Array,
    Boolean,
    Integer,
    IntegerOrNull,
    /// A bare NaN or Infinity counts as a number here.
    NumberOrNull,
    Object,
    String,
    StringOrNull,
}

impl Type {
    const fn description(self) -> &'static str {
        match self {
            Type::Array => "an array",
            Type::Boolean => "a boolean",
            Type::Integer => "a whole number",
            Type::IntegerOrNull => "a whole number or null",
            Type::NumberOrNull => "a number or null",
            Type::Object => "an object",
            Type::String => "a string",
            Type::StringOrNull => "a string or null",
        }
    }
}

/// One object being read. Every accessor returns `None` after it raised a finding.
pub(crate) struct Fields<'v, 'd, 'f> {
    members: &'v [Member<'d>],
    /// Pointer of the object or, where it is an item, of its list.
    pointer: Cow<'f, str>,
    item: Option<usize>,
    format: Format,
    findings: &'f mut Findings,
}

impl<'v, 'd, 'f> Fields<'v, 'd, 'f> {
    pub(crate) fn of(value: &'v Value<'d>, pointer: impl Into<Cow<'f, str>>, format: Format, findings: &'f mut Findings) -> Option<Self> {
        Self::of_item(value, pointer.into(), None, format, findings)
    }

    fn of_item(
        value: &'v Value<'d>,
        pointer: Cow<'f, str>,
        item: Option<usize>,
        format: Format,
        findings: &'f mut Findings,
    ) -> Option<Self> {
        match value.object() {
            Some(members) => Some(Self { members, pointer, item, format, findings }),
            None => {
                findings.raise(wrong_type(format, &of_item(&pointer, item), value, "an object"));
                None
            }
        }
    }

    /// The pointer of member `name`.
    pub(crate) fn pointer(&self, name: &str) -> String {
        child(&of_item(&self.pointer, self.item), name)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &'v str> + use<'v, 'd> {
        self.members.iter().map(|member| &*member.name)
    }

    /// Every member with its pointer.
    pub(crate) fn each(&self) -> impl Iterator<Item = (String, &'v Member<'d>)> {
        self.members.iter().map(|member| (self.pointer(&member.name), member))
    }

    pub(crate) fn optional(&self, name: &str) -> Option<&'v Value<'d>> {
        self.members.iter().find(|member| member.name == name).map(|member| &member.value)
    }

    pub(crate) fn required(&mut self, name: &str) -> Option<&'v Value<'d>> {
        let value = self.optional(name);
        if value.is_none() {
            let message = format!("the member {name:?} is missing");
            self.raise(self.format.missing, name, message);
        }
        value
    }

    pub(crate) fn object(&mut self, name: &str) -> Option<Fields<'v, 'd, '_>> {
        let value = self.required(name)?;
        let pointer = self.pointer(name);
        Fields::of(value, pointer, self.format, self.findings)
    }

    pub(crate) fn array(&mut self, name: &str) -> Option<&'v [Value<'d>]> {
        let value = self.required(name)?;
        match &value.kind {
            Kind::Array(items) if items.len() > limits::LIST_ITEMS => self.too_many(name, items.len()),
            Kind::Array(items) => Some(items),
            _ => self.wrong(name, value, "an array"),
        }
    }

    /// Reads every item of an array as an object; `None` if one of them fails.
    pub(crate) fn objects<T>(&mut self, name: &str, mut read: impl FnMut(&mut Fields<'v, 'd, '_>) -> Option<T>) -> Option<Vec<T>> {
        let items = self.array(name)?;
        let pointer = self.pointer(name);
        let read: Vec<Option<T>> = items
            .iter()
            .enumerate()
            .map(|(index, item)| read(&mut Fields::of_item(item, pointer.as_str().into(), Some(index), self.format, self.findings)?))
            .collect();
        read.into_iter().collect()
    }

    pub(crate) fn string(&mut self, name: &str) -> Option<&'v str> {
        let value = self.required(name)?;
        match value.string() {
            Some(text) => Some(text),
            None => self.wrong(name, value, "a string"),
        }
    }

    pub(crate) fn boolean(&mut self, name: &str) -> Option<bool> {
        let value = self.required(name)?;
        match value.kind {
            Kind::Bool(flag) => Some(flag),
            _ => self.wrong(name, value, "a boolean"),
        }
    }

    /// A whole number written as such, within the range of `T`.
    pub(crate) fn integer<T: TryFrom<i64>>(&mut self, name: &str) -> Option<T> {
        let value = self.required(name)?;
        let Kind::Number(token) = value.kind else {
            return self.wrong(name, value, "a whole number");
        };
        let number = token.parse::<i64>().ok().and_then(|number| T::try_from(number).ok());
        if number.is_none() {
            let message = format!("the member {name:?} is {}, which is no whole number in the range of this field", text::quoted(token));
            self.malformed(name, message);
        }
        number
    }

    /// Requires a version; another whole number than `wanted` raises `unsupported`, and ends the reading.
    pub(crate) fn version(&mut self, name: &str, wanted: &str, unsupported: Code) -> Checked<()> {
        let _ = self.require_types(&[(name, Type::Integer)]);
        match self.optional(name).map(|value| &value.kind) {
            Some(Kind::Number(token)) if is_integer(token) && *token != wanted => {
                self.raise(unsupported, name, format!("{name} {} is not supported; wanted {wanted}", text::quoted(token)));
                Err(Stopped::By(unsupported))
            }
            _ => Ok(()),
        }
    }

    /// Checks that each of `members` is there and has its type.
    pub(crate) fn require_types(&mut self, members: &[(&str, Type)]) -> Option<()> {
        let fits: Vec<bool> =
            members.iter().map(|(name, wanted)| self.required(name).is_some_and(|value| self.has_type(name, value, *wanted))).collect();
        fits.into_iter().all(|fits| fits).then_some(())
    }

    /// Checks the type of `name`, if it is there.
    pub(crate) fn allow_type(&mut self, name: &str, wanted: Type) -> Option<()> {
        self.optional(name).is_none_or(|value| self.has_type(name, value, wanted)).then_some(())
    }

    fn has_type(&mut self, name: &str, value: &Value<'_>, wanted: Type) -> bool {
        let fits = match (&value.kind, wanted) {
            (Kind::Null, Type::NumberOrNull | Type::IntegerOrNull | Type::StringOrNull)
            | (Kind::Bool(_), Type::Boolean)
            | (Kind::Number(_) | Kind::NonFinite(_), Type::NumberOrNull)
            | (Kind::String(_), Type::String | Type::StringOrNull)
            | (Kind::Array(_), Type::Array)
            | (Kind::Object(_), Type::Object) => true,
            (Kind::Number(token), Type::Integer | Type::IntegerOrNull) => is_integer(token),
            _ => false,
        };
        if !fits {
            self.wrong::<()>(name, value, wanted.description());
        }
        fits
    }

    /// Exactly `N` bytes as hex digits of either case.
    pub(crate) fn hex<const N: usize>(&mut self, name: &str) -> Option<[u8; N]> {
        let text = self.string(name)?;
        let bytes = HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok().and_then(|bytes| <[u8; N]>::try_from(bytes).ok());
        if bytes.is_none() {
            let message = format!("the member {name:?} is {}; wanted {} hex digits", text::quoted(text), N.saturating_mul(2));
            self.malformed(name, message);
        }
        bytes
    }

    /// A text of the shape that `holds` describes as `wanted`.
    pub(crate) fn shaped(&mut self, name: &str, wanted: &str, holds: impl FnOnce(&str) -> bool) -> Option<&'v str> {
        let text = self.string(name)?;
        if holds(text) {
            return Some(text);
        }
        let pointer = Location::pointer(self.format.document, self.pointer(name));
        let message = format!("the member {name:?} is {}; wanted {wanted}", text::quoted(text));
        self.findings.raise(Problem::new(self.format.malformed, pointer, message).found(text::quoted(text)).wanted(wanted));
        None
    }

    /// An instant as Intel writes it.
    pub(crate) fn date(&mut self, name: &str) -> Option<Timestamp> {
        let text = self.string(name)?;
        match Timestamp::parse_utc(text) {
            Ok(instant) => Some(instant),
            Err(error) => {
                let message = format!("the member {name:?} is {}: {error}", text::quoted(text));
                self.malformed(name, message);
                None
            }
        }
    }

    /// What stops those who depend on a member that could not be read.
    pub(crate) fn last(&self) -> Stopped {
        self.findings.last()
    }

    /// Raises a finding about member `name`, or about the object itself where `name` is empty.
    pub(crate) fn raise(&mut self, code: Code, name: &str, message: String) {
        let pointer = if name.is_empty() { of_item(&self.pointer, self.item).into_owned() } else { self.pointer(name) };
        self.findings.raise(Problem::new(code, Location::pointer(self.format.document, pointer), message));
    }

    /// Raises that member `name` is not as the format wants it.
    pub(crate) fn malformed(&mut self, name: &str, message: String) {
        self.raise(self.format.malformed, name, message);
    }

    /// Raises that the list or map `name` has `count` items, more than are read.
    pub(crate) fn too_many<T>(&mut self, name: &str, count: usize) -> Option<T> {
        let message = format!("the member {} has {count} items; at most {} are read", text::quoted(name), limits::LIST_ITEMS);
        self.raise(Code::LimitExceeded, name, message);
        None
    }

    /// Raises `code` for every member that is not in `known`, as far as findings are listed.
    pub(crate) fn refuse_unknown(&mut self, known: &[&str], code: Code) {
        for member in self.members.iter().filter(|member| !known.contains(&&*member.name)).take(Findings::MOST) {
            let message = format!("the member {} is unknown", text::quoted(&member.name));
            self.raise(code, &member.name, message);
        }
    }

    fn wrong<T>(&mut self, name: &str, value: &Value<'_>, wanted: &str) -> Option<T> {
        self.findings.raise(wrong_type(self.format, &self.pointer(name), value, wanted));
        None
    }
}

/// The pointer of item `item` of the list at `pointer`, or `pointer` itself. Built when it is wanted: lists of Intel have hundreds.
fn of_item(pointer: &str, item: Option<usize>) -> Cow<'_, str> {
    item.map_or(Cow::Borrowed(pointer), |index| Cow::Owned(child(pointer, &index.to_string())))
}

fn wrong_type(format: Format, pointer: &str, value: &Value<'_>, wanted: &str) -> Problem {
    let found = value.type_name();
    let name = pointer.rsplit('/').next().unwrap_or_default();
    let subject = if name.is_empty() { "the document".to_owned() } else { format!("the member {}", text::quoted(name)) };
    let message = format!("{subject} is {found}; wanted {wanted}");
    Problem::new(format.wrong_type, Location::pointer(format.document, pointer), message).found(found).wanted(wanted)
}

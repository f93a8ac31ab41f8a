//! The strict JSON reader on which everything stands.
//!
//! It differs from a general reader where a verifier needs it: a member that stands twice is refused at every depth, the
//! number tokens and the byte span of every value are kept, so that signed bytes can be cut out exactly as they came, and
//! the bare `NaN`, `Infinity` and `-Infinity` that Python writes are read as such, for the caller to judge. It keeps an
//! explicit stack instead of recursing.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::ops::Range;

use crate::limits;
use crate::problem::{Code, Location, Problem};
use crate::text::quoted;

/// A value and the bytes it came from.
#[derive(Clone, Debug)]
pub(crate) struct Value<'a> {
    pub(crate) kind: Kind<'a>,
    /// Byte offsets of the value in the document, without surrounding white space.
    pub(crate) span: Range<usize>,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind<'a> {
    Null,
    Bool(bool),
    /// The token as written; it fits a double.
    Number(&'a str),
    /// `NaN`, `Infinity` or `-Infinity`: not JSON, but Python's default.
    NonFinite(&'a str),
    String(Cow<'a, str>),
    Array(Vec<Value<'a>>),
    Object(Vec<Member<'a>>),
}

#[derive(Clone, Debug)]
pub(crate) struct Member<'a> {
    pub(crate) name: Cow<'a, str>,
    /// Byte offset of the name in the document.
    name_offset: usize,
    pub(crate) value: Value<'a>,
}

/// Why a document was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JsonError {
    pub(crate) kind: JsonErrorKind,
    /// Byte offset of the fault.
    pub(crate) offset: usize,
    /// What was found and wanted, escaped for showing.
    pub(crate) message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonErrorKind {
    Syntax,
    DuplicateKey,
    NumberOverflow,
    Limit,
}

impl JsonError {
    pub(crate) fn into_problem(self, document: &'static str) -> Problem {
        let code = match self.kind {
            JsonErrorKind::Syntax => Code::JsonMalformed,
            JsonErrorKind::DuplicateKey => Code::JsonDuplicateKey,
            JsonErrorKind::NumberOverflow => Code::JsonNumberOverflow,
            JsonErrorKind::Limit => Code::LimitExceeded,
        };
        Problem::new(code, Location::offset(document, self.offset), self.message)
    }
}

impl<'a> Value<'a> {
    pub(crate) fn object(&self) -> Option<&[Member<'a>]> {
        match &self.kind {
            Kind::Object(members) => Some(members),
            _ => None,
        }
    }

    pub(crate) fn string(&self) -> Option<&str> {
        match &self.kind {
            Kind::String(text) => Some(text),
            _ => None,
        }
    }

    /// The number as a double; bare NaN and Infinity are the doubles of that name.
    pub(crate) fn double(&self) -> Option<f64> {
        match self.kind {
            Kind::Number(token) | Kind::NonFinite(token) => token.parse().ok(),
            _ => None,
        }
    }

    /// The member `name` of an object.
    pub(crate) fn member(&self, name: &str) -> Option<&Value<'a>> {
        self.object()?.iter().find(|member| member.name == name).map(|member| &member.value)
    }

    /// The value that the RFC 6901 `pointer` names below this one. An index of a list has no leading zeros.
    pub(crate) fn at(&self, pointer: &str) -> Option<&Value<'a>> {
        let is_pointer = pointer.is_empty() || pointer.starts_with('/');
        is_pointer.then_some(self)?;
        pointer.split('/').skip(1).try_fold(self, |value, token| match &value.kind {
            Kind::Object(_) => value.member(&token.replace("~1", "/").replace("~0", "~")),
            Kind::Array(items) => items.get(token.parse::<usize>().ok().filter(|index| index.to_string() == token)?),
            _ => None,
        })
    }

    /// What the value is, in the words of an error message.
    pub(crate) fn type_name(&self) -> &'static str {
        match &self.kind {
            Kind::Null => "null",
            Kind::Bool(_) => "a boolean",
            Kind::Number(_) => "a number",
            Kind::NonFinite(_) => "a bare NaN or Infinity",
            Kind::String(_) => "a string",
            Kind::Array(_) => "an array",
            Kind::Object(_) => "an object",
        }
    }

    /// How many values it is, itself and all below it.
    pub(crate) fn count(&self) -> usize {
        let mut count = 0_usize;
        let mut stack = vec![self];
        while let Some(value) = stack.pop() {
            count = count.saturating_add(1);
            match &value.kind {
                Kind::Array(items) => stack.extend(items),
                Kind::Object(members) => stack.extend(members.iter().map(|member| &member.value)),
                _ => {}
            }
        }
        count
    }

    /// Every bare NaN and Infinity with its offset, in document order.
    pub(crate) fn non_finite(&self) -> Vec<(usize, &'a str)> {
        let mut tokens = Vec::new();
        let mut stack = vec![self];
        while let Some(value) = stack.pop() {
            match &value.kind {
                Kind::NonFinite(token) => tokens.push((value.span.start, *token)),
                Kind::Array(items) => stack.extend(items),
                Kind::Object(members) => stack.extend(members.iter().map(|member| &member.value)),
                _ => {}
            }
        }
        tokens.sort_unstable();
        tokens
    }

    /// The value on one line, cut and escaped for showing.
    pub(crate) fn shown(&self) -> String {
        match &self.kind {
            Kind::Null => "null".to_owned(),
            Kind::Bool(flag) => flag.to_string(),
            Kind::Number(token) | Kind::NonFinite(token) => quoted(token).trim_matches('"').to_owned(),
            Kind::String(text) => quoted(text),
            Kind::Array(items) => format!("[{} items]", items.len()),
            Kind::Object(members) => format!("{{{} members}}", members.len()),
        }
    }

    /// Calls `visit` with the pointer of every leaf in document order until it breaks: scalars, empty containers, and
    /// containers that lie `depth` levels down or under a long pointer.
    pub(crate) fn leaves(
        &self,
        pointer: &str,
        depth: usize,
        visit: &mut impl FnMut(&str, &Value<'a>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.leaves_below(&mut pointer.to_owned(), depth, visit)
    }

    fn leaves_below(
        &self,
        pointer: &mut String,
        depth: usize,
        visit: &mut impl FnMut(&str, &Value<'a>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let depth = if pointer.len() > limits::CLAIM_POINTER_BYTES { 0 } else { depth };
        let length = pointer.len();
        let mut enter = |name: &str, value: &Self, below: usize| {
            push_token(pointer, name);
            let flow = value.leaves_below(pointer, below, visit);
            pointer.truncate(length);
            flow
        };
        match (&self.kind, depth.checked_sub(1)) {
            (Kind::Object(members), Some(below)) if !members.is_empty() => {
                members.iter().try_for_each(|member| enter(&member.name, &member.value, below))
            }
            (Kind::Array(items), Some(below)) if !items.is_empty() => {
                items.iter().enumerate().try_for_each(|(index, item)| enter(&index.to_string(), item, below))
            }
            _ => visit(pointer, self),
        }
    }
}

/// The RFC 6901 pointer of member `name` below `pointer`.
pub(crate) fn child(pointer: &str, name: &str) -> String {
    let mut child = String::with_capacity(pointer.len().saturating_add(name.len()).saturating_add(1));
    child.push_str(pointer);
    push_token(&mut child, name);
    child
}

fn push_token(pointer: &mut String, name: &str) {
    pointer.push('/');
    match name.bytes().any(|byte| matches!(byte, b'~' | b'/')) {
        false => pointer.push_str(name),
        true => pointer.push_str(&name.replace('~', "~0").replace('/', "~1")),
    }
}

/// Reads one JSON document: UTF-8 without a byte order mark, nothing but white space after it.
pub(crate) fn read(bytes: &[u8]) -> Result<Value<'_>, JsonError> {
    read_many(bytes, limits::JSON_VALUES)
}

/// Reads a JSON document that may hold up to `most` values.
pub(crate) fn read_many(bytes: &[u8], most: usize) -> Result<Value<'_>, JsonError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let hint = if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) { " (it looks like UTF-16)" } else { "" };
        JsonError { kind: JsonErrorKind::Syntax, offset: error.valid_up_to(), message: format!("the document is not UTF-8{hint}") }
    })?;
    Reader { text, offset: 0, values: 0, most, items: Vec::with_capacity(OPEN), members: Vec::with_capacity(OPEN) }.document()
}

/// For how many items and members of open containers there is room at once.
const OPEN: usize = 64;

/// A container that is still open: where it starts, and what the next value is in it. Its own items or members are those from `first`.
enum Open<'a> {
    Array { start: usize, first: usize },
    Object { start: usize, first: usize, name_offset: usize, name: Cow<'a, str> },
}

struct Reader<'a> {
    text: &'a str,
    offset: usize,
    values: usize,
    most: usize,
    /// Of all arrays that are open.
    items: Vec<Value<'a>>,
    /// Of all objects that are open.
    members: Vec<Member<'a>>,
}

impl<'a> Reader<'a> {
    fn document(mut self) -> Result<Value<'a>, JsonError> {
        if self.text.starts_with('\u{feff}') {
            return Err(self.syntax("a byte order mark stands before the document; wanted plain UTF-8"));
        }
        let mut open: Vec<Open<'a>> = Vec::new();
        loop {
            self.skip_white_space();
            let mut value = match self.start_value(&mut open)? {
                Some(value) => value,
                None => continue,
            };
            loop {
                self.skip_white_space();
                let Some(container) = open.last_mut() else {
                    return match self.peek() {
                        None => Ok(value),
                        Some(b'{' | b'[') => Err(self.syntax("a second document follows; wanted one a file")),
                        Some(_) => Err(self.syntax("the document has ended, but more text follows")),
                    };
                };
                let Some(closed) = self.continue_container(container, value)? else { break };
                open.pop();
                value = closed;
            }
        }
    }

    /// Reads a scalar or an empty container, or opens a container and returns `None`.
    fn start_value(&mut self, open: &mut Vec<Open<'a>>) -> Result<Option<Value<'a>>, JsonError> {
        self.values = self.values.saturating_add(1);
        if self.values > self.most {
            return Err(self.error(JsonErrorKind::Limit, format!("more than {} values", self.most)));
        }
        let start = self.offset;
        match self.peek() {
            Some(b'{' | b'[') if open.len() >= limits::JSON_DEPTH => {
                Err(self.error(JsonErrorKind::Limit, format!("nested deeper than {}", limits::JSON_DEPTH)))
            }
            Some(b'[') => {
                self.advance(1);
                self.skip_white_space();
                if !self.eat(b']') {
                    open.push(Open::Array { start, first: self.items.len() });
                    return Ok(None);
                }
                Ok(Some(self.value(start, Kind::Array(Vec::new()))))
            }
            Some(b'{') => {
                self.advance(1);
                self.skip_white_space();
                if !self.eat(b'}') {
                    let name_offset = self.offset;
                    let name = self.member_name()?;
                    open.push(Open::Object { start, first: self.members.len(), name_offset, name });
                    return Ok(None);
                }
                Ok(Some(self.value(start, Kind::Object(Vec::new()))))
            }
            Some(b'"') => {
                let text = self.string()?;
                Ok(Some(self.value(start, Kind::String(text))))
            }
            Some(b'-' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z') => {
                let kind = self.token()?;
                Ok(Some(self.value(start, kind)))
            }
            Some(_) => Err(self.syntax("wanted a value")),
            None => Err(self.syntax("the document ends where a value is wanted")),
        }
    }

    /// Adds `value` to the innermost open container, then reads what follows it: up to the next value, or the end of the container,
    /// which is returned.
    fn continue_container(&mut self, container: &mut Open<'a>, value: Value<'a>) -> Result<Option<Value<'a>>, JsonError> {
        match container {
            Open::Array { start, first } => {
                self.items.push(value);
                if self.eat(b',') {
                    return Ok(None);
                }
                if self.eat(b']') {
                    let items = self.items.split_off(*first);
                    return Ok(Some(self.value(*start, Kind::Array(items))));
                }
                Err(self.syntax("wanted , or ] after an array item"))
            }
            Open::Object { start, first, name_offset, name } => {
                self.members.push(Member { name: std::mem::take(name), name_offset: *name_offset, value });
                if self.eat(b',') {
                    self.skip_white_space();
                    *name_offset = self.offset;
                    *name = self.member_name()?;
                    return Ok(None);
                }
                if self.eat(b'}') {
                    let members = self.members.split_off(*first);
                    refuse_duplicates(&members)?;
                    return Ok(Some(self.value(*start, Kind::Object(members))));
                }
                Err(self.syntax("wanted , or } after an object member"))
            }
        }
    }

    fn member_name(&mut self) -> Result<Cow<'a, str>, JsonError> {
        if self.peek() != Some(b'"') {
            return Err(self.syntax("wanted a member name in double quotes"));
        }
        let start = self.offset;
        let name = self.string()?;
        if name.len() > limits::JSON_NAME_BYTES {
            let message = format!("a member name is longer than {} bytes", limits::JSON_NAME_BYTES);
            return Err(JsonError { kind: JsonErrorKind::Limit, offset: start, message });
        }
        self.skip_white_space();
        if !self.eat(b':') {
            return Err(self.syntax("wanted : after a member name"));
        }
        Ok(name)
    }

    fn string(&mut self) -> Result<Cow<'a, str>, JsonError> {
        self.advance(1);
        let plain = self.plain_text();
        if self.eat(b'"') {
            return Ok(Cow::Borrowed(plain));
        }
        let mut text = plain.to_owned();
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.advance(1);
                    return Ok(Cow::Owned(text));
                }
                Some(b'\\') => text.push(self.escape()?),
                Some(_) => return Err(self.syntax("a control character stands unescaped in a string")),
                None => return Err(self.syntax("the document ends inside a string")),
            }
            text.push_str(self.plain_text());
        }
    }

    /// Text of a string that stands for itself.
    fn plain_text(&mut self) -> &'a str {
        let start = self.offset;
        self.advance(plain_run(self.rest_bytes()));
        self.text.get(start..self.offset).unwrap_or_default()
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        let escaped = self.rest().as_bytes().get(1).copied();
        let plain = match escaped {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            _ => return Err(self.syntax("there is no such escape")),
        };
        self.advance(2);
        Ok(plain)
    }

    /// `\uXXXX`, or a pair of them for a character outside the basic plane.
    fn unicode_escape(&mut self) -> Result<char, JsonError> {
        let lone = "a surrogate escape has no partner, so it is no character";
        let first = self.code_unit()?;
        let code = match first {
            0xD800..=0xDBFF => {
                let second = if self.rest().starts_with("\\u") { self.code_unit()? } else { 0 };
                match second {
                    0xDC00..=0xDFFF => 0x10000_u32.saturating_add((first & 0x3ff) << 10).saturating_add(second & 0x3ff),
                    _ => return Err(self.syntax(lone)),
                }
            }
            _ => first,
        };
        char::from_u32(code).ok_or_else(|| self.syntax(lone))
    }

    fn code_unit(&mut self) -> Result<u32, JsonError> {
        let digits = self.rest().get(2..6).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let unit = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let unit = unit.ok_or_else(|| self.syntax("wanted four hex digits after \\u"))?;
        self.advance(6);
        Ok(unit)
    }

    /// A literal or a number.
    fn token(&mut self) -> Result<Kind<'a>, JsonError> {
        let length = self.rest_bytes().iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')).count();
        let token = self.rest().get(..length).unwrap_or_default();
        if length > limits::JSON_NUMBER_BYTES {
            let message = format!("a number has more than {} characters", limits::JSON_NUMBER_BYTES);
            return Err(self.error(JsonErrorKind::Limit, message));
        }
        let kind = match token {
            "null" => Kind::Null,
            "true" => Kind::Bool(true),
            "false" => Kind::Bool(false),
            "NaN" | "Infinity" | "-Infinity" => Kind::NonFinite(token),
            _ if !is_number(token) => {
                return Err(self.syntax(&format!("{} is neither a number nor a literal", quoted(token))));
            }
            _ if is_integer(token) || token.parse::<f64>().is_ok_and(f64::is_finite) => Kind::Number(token),
            _ => {
                return Err(self.error(JsonErrorKind::NumberOverflow, format!("{} does not fit a double", quoted(token))));
            }
        };
        self.advance(length);
        Ok(kind)
    }

    fn value(&self, start: usize, kind: Kind<'a>) -> Value<'a> {
        Value { kind, span: start..self.offset }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.offset..).unwrap_or_default()
    }

    fn rest_bytes(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.offset..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.offset).copied()
    }

    fn advance(&mut self, bytes: usize) {
        self.offset = self.offset.saturating_add(bytes);
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.advance(1);
        }
        found
    }

    fn skip_white_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.advance(1);
        }
    }

    fn syntax(&self, message: &str) -> JsonError {
        self.error(JsonErrorKind::Syntax, message.to_owned())
    }

    fn error(&self, kind: JsonErrorKind, message: String) -> JsonError {
        JsonError { kind, offset: self.offset, message }
    }
}

/// How many bytes at the start of `text` stand for themselves in a string.
fn plain_run(text: &[u8]) -> usize {
    // Most strings are short, and most bytes are in long ones.
    let (words, _) = text.as_chunks::<WORD>();
    for (word, start) in words.iter().zip((0..SHORT).step_by(WORD)) {
        let plain = plain_run_of_word(*word);
        if plain < WORD {
            return start.saturating_add(plain);
        }
    }
    let (short, rest) = text.split_at_checked(SHORT).unwrap_or((&[], text));
    let run = memchr::memchr2(b'"', b'\\', rest).and_then(|end| rest.get(..end)).unwrap_or(rest);
    // The least byte of a long run is found sooner than the first of a kind.
    let has_control = run.iter().copied().min().is_some_and(|byte| byte < b' ');
    short.len().saturating_add(if has_control { run.iter().take_while(|byte| **byte >= b' ').count() } else { run.len() })
}

/// From how many bytes on a search for many at once is worth its start.
const SHORT: usize = 32;

/// Bytes of a word.
const WORD: usize = 8;

/// How many bytes at the start of `word` stand for themselves in a string. All are looked at together: a byte that is less than a
/// bound borrows from its highest bit where that was not set, and only bytes behind the first such one can be mistaken for one.
fn plain_run_of_word(word: [u8; WORD]) -> usize {
    let bytes = u64::from_le_bytes(word);
    let all = |byte: u8| u64::from_le_bytes([byte; WORD]);
    let below = |bytes: u64, bound: u8| bytes.wrapping_sub(all(bound)) & !bytes & all(0x80);
    let ends = below(bytes, b' ') | below(bytes ^ all(b'"'), 1) | below(bytes ^ all(b'\\'), 1);
    usize::try_from(ends.trailing_zeros() / u8::BITS).unwrap_or(WORD)
}

/// Refuses the first name that stands a second time.
fn refuse_duplicates(members: &[Member<'_>]) -> Result<(), JsonError> {
    // Few names are compared sooner than they are sorted.
    let is_repeated = |(index, member): (usize, &Member<'_>)| members.iter().take(index).any(|earlier| earlier.name == member.name);
    if members.len() <= 32 && !members.iter().enumerate().any(is_repeated) {
        return Ok(());
    }
    let mut named: Vec<(&str, usize)> = members.iter().map(|member| (&*member.name, member.name_offset)).collect();
    named.sort_unstable();
    let repeated = named.windows(2).filter_map(|pair| match pair {
        [(first, _), (second, offset)] if first == second => Some((*second, *offset)),
        _ => None,
    });
    match repeated.min_by_key(|(_, offset)| *offset) {
        None => Ok(()),
        Some((name, offset)) => Err(JsonError {
            kind: JsonErrorKind::DuplicateKey,
            offset,
            message: format!("the member {} stands twice in one object", quoted(name)),
        }),
    }
}

/// The number grammar of RFC 8259 section 6.
pub(crate) fn is_number(token: &str) -> bool {
    let read = || {
        let mut rest = match token.strip_prefix('-').unwrap_or(token).as_bytes() {
            [b'0', rest @ ..] => rest,
            unsigned => after_digits(unsigned)?,
        };
        if let [b'.', fraction @ ..] = rest {
            rest = after_digits(fraction)?;
        }
        if let [b'e' | b'E', b'+' | b'-', exponent @ ..] | [b'e' | b'E', exponent @ ..] = rest {
            rest = after_digits(exponent)?;
        }
        Some(rest)
    };
    read().is_some_and(<[u8]>::is_empty)
}

/// What follows the digits with which `text` begins; there is one at least.
fn after_digits(text: &[u8]) -> Option<&[u8]> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    text.get(digits..).filter(|_| digits > 0)
}

/// Whether a number token is written without fraction and exponent. Such numbers are exact at any size.
pub(crate) fn is_integer(token: &str) -> bool {
    token.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_leads_to_one_value() {
        let value = read(br#"{"a":{"b/c~":[10,[20]],"":{"":1}},"~1":2}"#).unwrap();
        for (pointer, wanted) in [
            ("/a/b~1c~0/0", Some("10")),
            ("/a/b~1c~0/1/0", Some("20")),
            ("/a//", Some("1")),
            ("/~01", Some("2")),
            ("", Some("{2 members}")),
        ] {
            assert_eq!(value.at(pointer).map(Value::shown).as_deref(), wanted, "{pointer}");
        }
        for pointer in ["a", "/a/b", "/a/b~1c~0/2", "/a/b~1c~0/00", "/a/b~1c~0/+0", "/a/b~1c~0/-", "/a/b~1c~0/0/x", "/a///"] {
            assert!(value.at(pointer).is_none(), "{pointer}");
        }
    }

    fn refused(text: &str) -> (JsonErrorKind, usize) {
        let error = read(text.as_bytes()).expect_err(text);
        (error.kind, error.offset)
    }

    #[test]
    fn spans_cut_out_the_exact_bytes() {
        let text = " {\"a\" : [ 1.50 , {\"b\":null} ] }\n";
        let document = read(text.as_bytes()).unwrap();
        assert_eq!(&text[document.span.clone()], "{\"a\" : [ 1.50 , {\"b\":null} ] }");
        let inner = document.member("a").unwrap();
        assert_eq!(&text[inner.span.clone()], "[ 1.50 , {\"b\":null} ]");
        let mut leaves = Vec::new();
        let _ = document.leaves("", 8, &mut |pointer, value| {
            leaves.push((pointer.to_owned(), value.type_name()));
            ControlFlow::Continue(())
        });
        assert_eq!(leaves, [("/a/0".to_owned(), "a number"), ("/a/1/b".to_owned(), "null")]);
    }

    #[test]
    fn duplicates_are_refused_at_every_depth_and_through_escapes() {
        assert_eq!(refused(r#"{"a":1,"b":2,"a":3}"#), (JsonErrorKind::DuplicateKey, 13));
        assert_eq!(refused(r#"[{"x":{"label":1,"l\u0061bel":1}}]"#), (JsonErrorKind::DuplicateKey, 17));
        assert!(read(br#"{"a":{"a":1},"b":{"a":1}}"#).is_ok());
    }

    #[test]
    fn the_first_repeated_name_is_blamed() {
        assert_eq!(refused(r#"{"z":1,"a":1,"z":1,"a":1}"#), (JsonErrorKind::DuplicateKey, 13));
    }

    #[test]
    fn numbers_follow_the_grammar_and_keep_their_token() {
        for good in ["0", "-0", "1.50", "1e-05", "1E+16", "18446744073709551617", "-0.0"] {
            let document = read(good.as_bytes()).unwrap();
            assert!(matches!(document.kind, Kind::Number(token) if token == good), "{good}");
        }
        for bad in ["01", "1.", ".5", "+1", "1e", "0x1", "1_0", "--1", "1-1", "nan", "True", "Inf", "-"] {
            assert_eq!(refused(bad).0, JsonErrorKind::Syntax, "{bad}");
        }
        assert_eq!(refused("[1e999]"), (JsonErrorKind::NumberOverflow, 1));
    }

    #[test]
    fn the_tokens_of_python_are_kept_apart_from_numbers() {
        let document = read(b"[NaN, Infinity, -Infinity]").unwrap();
        let Kind::Array(items) = document.kind else { panic!() };
        assert!(items.iter().all(|item| matches!(item.kind, Kind::NonFinite(_))));
    }

    #[test]
    fn text_that_is_not_one_document_is_refused_with_its_position() {
        assert_eq!(refused(""), (JsonErrorKind::Syntax, 0));
        assert_eq!(refused("\u{feff}{}"), (JsonErrorKind::Syntax, 0));
        assert_eq!(refused("{} {}"), (JsonErrorKind::Syntax, 3));
        assert_eq!(refused("[1,]"), (JsonErrorKind::Syntax, 3));
        assert_eq!(refused("{\"a\":1,}"), (JsonErrorKind::Syntax, 7));
        assert_eq!(refused("[1"), (JsonErrorKind::Syntax, 2));
        assert_eq!(refused("\"a\nb\""), (JsonErrorKind::Syntax, 2));
        assert_eq!(refused("\"\\ud800\""), (JsonErrorKind::Syntax, 7));
        assert_eq!(refused("\"\\udc00\""), (JsonErrorKind::Syntax, 7));
        assert_eq!(read(b"\"\xff\"").unwrap_err().offset, 1);
        assert_eq!(read("\"\\ud83d\\ude00\"".as_bytes()).unwrap().string(), Some("😀"));
    }

    /// Wherever a byte stands, and whatever its neighbours are: those that differ from one that ends a run by one bit or by one.
    #[test]
    fn a_run_of_plain_text_ends_where_it_has_to() {
        for filler in [b' ', b'!', b'#', b'[', b']', b'z', 0x7f, 0x80, 0x9f, 0xff] {
            for (length, place) in (0..50).flat_map(|length| (0..length).map(move |place| (length, place))) {
                for byte in 0..=u8::MAX {
                    let mut text = vec![filler; length];
                    text[place] = byte;
                    let ends = byte < b' ' || matches!(byte, b'"' | b'\\');
                    assert_eq!(plain_run(&text), if ends { place } else { length }, "{byte:#x} at {place} of {length} {filler:#x}");
                }
            }
        }
    }

    #[test]
    fn every_number_that_is_not_finite_is_found() {
        let value = read(br#"{"a": [1, [NaN, -Infinity]], "b": {"c": Infinity}, "d": NaN}"#).unwrap();
        assert_eq!(value.non_finite(), [(11, "NaN"), (16, "-Infinity"), (40, "Infinity"), (56, "NaN")]);
    }

    #[test]
    fn every_limit_holds_to_the_last_one() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        let listed = |values: usize| format!("[{}0]", "0,".repeat(values - 2));
        let named = |bytes: usize| format!("{{\"{}\":0}}", "n".repeat(bytes));
        let number = |digits: usize| "7".repeat(digits);
        for (limit, document) in [
            (limits::JSON_DEPTH, &nested as &dyn Fn(usize) -> String),
            (limits::JSON_VALUES, &listed),
            (limits::JSON_NAME_BYTES, &named),
            (limits::JSON_NUMBER_BYTES, &number),
        ] {
            assert!(read(document(limit).as_bytes()).is_ok(), "{limit}");
            assert_eq!(refused(&document(limit + 1)).0, JsonErrorKind::Limit, "{limit}");
        }
        assert_eq!(refused(&"[".repeat(1_000_000)).0, JsonErrorKind::Limit);
    }

    #[test]
    fn text_in_another_encoding_is_named_where_it_shows() {
        for (bytes, is_named) in [(&[0xff, 0xfe, b'{', 0], true), (&[0xfe, 0xff, 0, b'{'], true), (&[b'{', 0xff, 0xfe, b'}'], false)] {
            let error = read(bytes).unwrap_err();
            assert_eq!(error.message.ends_with("(it looks like UTF-16)"), is_named, "{}", error.message);
        }
    }

    #[test]
    fn a_value_counts_with_all_below_it() {
        for (text, count) in [("0", 1), ("[]", 1), ("[1,[2,{}]]", 5), (r#"{"a":{"b":[0]},"c":0}"#, 5)] {
            assert_eq!(read(text.as_bytes()).unwrap().count(), count, "{text}");
        }
    }
}

//! JSON trees whose number tokens and member order are kept, so that a vector can hold exactly the bytes it is about.

use std::fmt::Write;

/// A JSON value. Members may repeat and tokens may be anything: faulty documents have to be written too.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// A number, `true`, `false`, `null`, or whatever else stands bare in a document.
    Token(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Json::Text(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Json::Text(text)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Json::Token(value.to_string())
    }
}

impl From<u32> for Json {
    fn from(value: u32) -> Self {
        Json::Token(value.to_string())
    }
}

/// A bare token.
pub fn token(text: &str) -> Json {
    Json::Token(text.to_owned())
}

/// Reads a document that is known to be one, such as a template of this crate.
pub fn parse(text: &str) -> Json {
    read(text).unwrap_or_else(|| panic!("this is not JSON: {text}"))
}

/// Reads a document, with whatever tokens and repeated members it has; `None` where it is no JSON or nested too deeply.
pub fn read(text: &str) -> Option<Json> {
    let mut reader = Reader { rest: text, depth: 0 };
    let value = reader.value()?;
    reader.next().is_none().then_some(value)
}

/// How deeply a document may be nested that is read here.
const DEPTH: usize = 100;

impl Json {
    /// The member at `pointer`; it must exist.
    pub fn at(&mut self, pointer: &str) -> &mut Json {
        pointer.split('/').skip(1).fold(self, |value, name| match value {
            Json::Object(members) => {
                let found = members.iter_mut().find(|(member, _)| member == name);
                &mut found.unwrap_or_else(|| panic!("no {name} in {pointer}")).1
            }
            Json::List(items) => &mut items[name.parse::<usize>().expect("an index")],
            _ => panic!("{pointer} goes through a leaf"),
        })
    }

    /// The text at `pointer`.
    pub fn text(&mut self, pointer: &str) -> String {
        match self.at(pointer) {
            Json::Text(text) => text.clone(),
            other => panic!("{pointer} is not a text but {other:?}"),
        }
    }

    /// Sets the member at `pointer`, at the end of its object where it is new.
    pub fn set(&mut self, pointer: &str, value: impl Into<Json>) {
        let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
        match self.at(parent) {
            Json::Object(members) => match members.iter_mut().find(|(member, _)| member == name) {
                Some((_, old)) => *old = value.into(),
                None => members.push((name.to_owned(), value.into())),
            },
            parent => *parent.at(&format!("/{name}")) = value.into(),
        }
    }

    /// Puts a new member, whose name may hold slashes, at the end of the object at `pointer`.
    pub fn add(&mut self, pointer: &str, name: &str, value: impl Into<Json>) {
        match self.at(pointer) {
            Json::Object(members) => members.push((name.to_owned(), value.into())),
            other => panic!("{pointer} is not an object but {other:?}"),
        }
    }

    /// Takes the member at `pointer` out.
    pub fn remove(&mut self, pointer: &str) -> Json {
        let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
        match self.at(parent) {
            Json::Object(members) => {
                let index = members.iter().position(|(member, _)| member == name).expect("the member exists");
                members.remove(index).1
            }
            Json::List(items) => items.remove(name.parse().expect("an index")),
            _ => panic!("{pointer} goes through a leaf"),
        }
    }

    pub fn list(&mut self, pointer: &str) -> &mut Vec<Json> {
        match self.at(pointer) {
            Json::List(items) => items,
            other => panic!("{pointer} is not a list but {other:?}"),
        }
    }

    /// The same value with the members of every object in the order of their names.
    pub fn sorted(&self) -> Json {
        match self {
            Json::List(items) => Json::List(items.iter().map(Json::sorted).collect()),
            Json::Object(members) => {
                let mut members: Vec<_> = members.iter().map(|(name, value)| (name.clone(), value.sorted())).collect();
                members.sort_by(|(left, _), (right, _)| left.cmp(right));
                Json::Object(members)
            }
            leaf => leaf.clone(),
        }
    }

    /// Without white space.
    pub fn compact(&self) -> String {
        self.written(&Layout { comma: ",", colon: ":", indent: None, is_ascii: true })
    }

    /// Sorted and without white space, UTF-8 as it is: what a signature covers, where every token is already as Python writes it.
    pub fn signed(&self) -> String {
        self.sorted().written(&Layout { comma: ",", colon: ":", indent: None, is_ascii: false })
    }

    /// As Python's `json.dumps(value)` writes it.
    pub fn python(&self) -> String {
        self.written(&Layout { comma: ", ", colon: ": ", indent: None, is_ascii: true })
    }

    /// As Python's `json.dumps(value, indent=2)` writes it.
    pub fn indented(&self) -> String {
        self.written(&Layout { comma: ",", colon: ": ", indent: Some(2), is_ascii: true })
    }

    fn written(&self, layout: &Layout) -> String {
        let mut out = String::new();
        self.write(layout, 0, &mut out);
        out
    }

    fn write(&self, layout: &Layout, depth: usize, out: &mut String) {
        match self {
            Json::Token(token) => out.push_str(token),
            Json::Text(text) => write_text(text, layout.is_ascii, out),
            Json::List(items) => {
                layout.container(['[', ']'], items, depth, out, |item, out| item.write(layout, depth + 1, out));
            }
            Json::Object(members) => {
                layout.container(['{', '}'], members, depth, out, |(name, value), out| {
                    write_text(name, layout.is_ascii, out);
                    out.push_str(layout.colon);
                    value.write(layout, depth + 1, out);
                });
            }
        }
    }
}

struct Layout {
    comma: &'static str,
    colon: &'static str,
    indent: Option<usize>,
    is_ascii: bool,
}

impl Layout {
    fn container<T>(
        &self,
        [open, close]: [char; 2],
        items: &[T],
        depth: usize,
        out: &mut String,
        mut write_item: impl FnMut(&T, &mut String),
    ) {
        out.push(open);
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                out.push_str(self.comma);
            }
            self.new_line(depth + 1, out);
            write_item(item, out);
        }
        if !items.is_empty() {
            self.new_line(depth, out);
        }
        out.push(close);
    }

    fn new_line(&self, depth: usize, out: &mut String) {
        if let Some(width) = self.indent {
            out.push('\n');
            out.push_str(&" ".repeat(width * depth));
        }
    }
}

/// With `\u` escapes of UTF-16 code units for control characters and, in ASCII, for everything else.
fn write_text(text: &str, is_ascii: bool, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            ' '..='~' => out.push(character),
            '\u{7f}'.. if !is_ascii => out.push(character),
            _ => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}").expect("a string takes everything");
                }
            }
        }
    }
    out.push('"');
}

struct Reader<'a> {
    rest: &'a str,
    depth: usize,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
        self.rest.chars().next()
    }

    fn eat(&mut self, wanted: char) -> Option<()> {
        (self.next()? == wanted).then(|| self.rest = &self.rest[wanted.len_utf8()..])
    }

    fn value(&mut self) -> Option<Json> {
        match self.next()? {
            '"' => self.string().map(Json::Text),
            '[' => self.items(['[', ']'], Self::value).map(Json::List),
            '{' => {
                let members = self.items(['{', '}'], |reader| {
                    let name = reader.string()?;
                    reader.eat(':')?;
                    Some((name, reader.value()?))
                });
                members.map(Json::Object)
            }
            _ => {
                let end = self.rest.find(|character: char| !character.is_ascii_alphanumeric() && !"+-.".contains(character));
                let (token, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
                self.rest = rest;
                (!token.is_empty()).then(|| Json::Token(token.to_owned()))
            }
        }
    }

    fn items<T>(&mut self, [open, close]: [char; 2], item: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        self.eat(open)?;
        self.depth += 1;
        let mut items = Vec::new();
        while self.depth <= DEPTH && self.eat(close).is_none() {
            if !items.is_empty() {
                self.eat(',')?;
            }
            items.push(item(self)?);
        }
        let is_shallow = self.depth <= DEPTH;
        self.depth -= 1;
        is_shallow.then_some(items)
    }

    fn string(&mut self) -> Option<String> {
        self.eat('"')?;
        let mut units = Vec::new();
        let mut characters = self.rest.chars();
        loop {
            match characters.next()? {
                '"' => break,
                '\\' => units.push(match characters.next()? {
                    'b' => 8,
                    'f' => 12,
                    'n' => 10,
                    'r' => 13,
                    't' => 9,
                    'u' => {
                        let (digits, rest) = characters.as_str().split_at_checked(4)?;
                        characters = rest.chars();
                        u16::from_str_radix(digits, 16).ok()?
                    }
                    plain @ ('"' | '\\' | '/') => plain as u16,
                    _ => return None,
                }),
                plain => units.extend_from_slice(plain.encode_utf16(&mut [0; 2])),
            }
        }
        self.rest = characters.as_str();
        String::from_utf16(&units).ok()
    }
}

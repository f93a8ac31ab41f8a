//! Places in a JSON document: a JSON pointer (RFC 6901) whose steps may choose among the items of a list.
//!
//! `/results[isl=1024,engine="a"]/ttft_ms/p50` is the member `p50` of the member `ttft_ms` of the one item of `results` whose `isl` is
//! 1024 and whose `engine` is `a`. A value is written as JSON, or as it is where that is no JSON; numbers are compared by their decimal
//! value, and a text is never a number. In a name, `~2` stands for `[`.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;
use thiserror::Error;

use crate::compare::is_same;
use crate::json::{Kind, Value, read};
use crate::limits;
use crate::text::quoted;

/// A place in a document; the default one is the whole of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Selector {
    written: String,
    steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// A member of an object, or an item of a list by its index.
    Name(String),
    /// The one item of a list in which each member has its value, written as JSON.
    Item(Vec<(String, String)>),
}

/// Why a selector cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{} is no selector: {why}", quoted(.written))]
pub(crate) struct SelectorError {
    written: String,
    why: &'static str,
}

/// Why a selector leads to no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotFound {
    /// There is nothing from this step on.
    Absent(String),
    /// So many items fit the filter of this step.
    Ambiguous(String, usize),
}

impl fmt::Display for NotFound {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent(step) => write!(formatter, "nothing is at {}", quoted(step)),
            Self::Ambiguous(step, items) => write!(formatter, "{items} items are at {}; wanted one", quoted(step)),
        }
    }
}

impl Selector {
    /// The selector as it was written.
    pub(crate) fn written(&self) -> &str {
        &self.written
    }

    /// With how many conditions items are looked at.
    pub(crate) fn conditions(&self) -> usize {
        self.steps.iter().map(|step| if let Step::Item(wanted) = step { wanted.len() } else { 0 }).sum()
    }

    /// The one value at this place below `value`.
    pub(crate) fn find<'v, 'd>(&self, value: &'v Value<'d>) -> Result<&'v Value<'d>, NotFound> {
        self.steps.iter().try_fold(value, |value, step| step.find(value))
    }
}

impl Step {
    fn find<'v, 'd>(&self, value: &'v Value<'d>) -> Result<&'v Value<'d>, NotFound> {
        let absent = || NotFound::Absent(self.to_string());
        match (self, &value.kind) {
            (Self::Name(name), Kind::Object(_)) => value.member(name).ok_or_else(absent),
            (Self::Name(name), Kind::Array(items)) => {
                let index = name.parse::<usize>().ok().filter(|index| index.to_string() == *name);
                index.and_then(|index| items.get(index)).ok_or_else(absent)
            }
            (Self::Item(wanted), Kind::Array(items)) => {
                let wanted: Vec<_> = wanted.iter().map(|(name, json)| Some((name, read(json.as_bytes()).ok()?))).collect();
                let is = |item: &Value<'_>, name, value| item.member(name).is_some_and(|found| is_same(found, value));
                let fits =
                    |item: &&Value<'_>| wanted.iter().all(|wanted| wanted.as_ref().is_some_and(|(name, value)| is(item, name, value)));
                let found: Vec<&Value<'d>> = items.iter().filter(fits).collect();
                match found.as_slice() {
                    [] => Err(absent()),
                    [one] => Ok(one),
                    many => Err(NotFound::Ambiguous(self.to_string(), many.len())),
                }
            }
            _ => Err(absent()),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(formatter, "/{name}"),
            Self::Item(wanted) => {
                let wanted: Vec<String> = wanted.iter().map(|(name, value)| format!("{name}={value}")).collect();
                write!(formatter, "[{}]", wanted.join(","))
            }
        }
    }
}

impl FromStr for Selector {
    type Err = SelectorError;

    fn from_str(written: &str) -> Result<Self, SelectorError> {
        let error = |why| SelectorError { written: written.to_owned(), why };
        if written.len() > limits::SELECTOR_BYTES {
            return Err(error("it is too long"));
        }
        let mut steps = Vec::new();
        let mut rest = written;
        while !rest.is_empty() {
            let step;
            (step, rest) = if let Some(below) = rest.strip_prefix('/') {
                let (name, rest) = below.split_at_checked(below.find(['/', '[']).unwrap_or(below.len())).unwrap_or((below, ""));
                (Step::Name(unescaped(name).ok_or_else(|| error("after ~ stands 0, 1 or 2"))?), rest)
            } else if let Some(filter) = rest.strip_prefix('[') {
                filter_of(filter).ok_or_else(|| error("a filter is [name=value,...], its values JSON or plain words"))?
            } else {
                return Err(error("a step begins with / or ["));
            };
            steps.push(step);
        }
        Ok(Self { written: written.to_owned(), steps })
    }
}

impl TryFrom<String> for Selector {
    type Error = SelectorError;

    fn try_from(written: String) -> Result<Self, SelectorError> {
        written.parse()
    }
}

fn unescaped(name: &str) -> Option<String> {
    let mut parts = name.split('~');
    let mut unescaped = parts.next()?.to_owned();
    for part in parts {
        let mut characters = part.chars();
        unescaped.push(match characters.next()? {
            '0' => '~',
            '1' => '/',
            '2' => '[',
            _ => return None,
        });
        unescaped.push_str(characters.as_str());
    }
    Some(unescaped)
}

/// A filter from after its bracket, and what follows it.
fn filter_of(text: &str) -> Option<(Step, &str)> {
    let (mut wanted, mut rest) = (Vec::new(), text);
    loop {
        let (name, after) = rest.split_once('=').filter(|(name, _)| !name.is_empty())?;
        let end = value_end(after)?;
        let (value, after) = after.split_at_checked(end)?;
        let is_json = read(value.as_bytes()).is_ok_and(|value| !matches!(value.kind, Kind::Array(_) | Kind::Object(_)));
        let value = if is_json { value.to_owned() } else { serde_json::to_string(value).ok()? };
        wanted.push((name.to_owned(), value));
        match after.strip_prefix(',') {
            Some(more) => rest = more,
            None => return Some((Step::Item(wanted), after.strip_prefix(']')?)),
        }
    }
}

/// Where a value ends: after its closing quote, or before the next comma or bracket.
fn value_end(text: &str) -> Option<usize> {
    if !text.starts_with('"') {
        return text.find([',', ']']).filter(|end| *end > 0);
    }
    let mut is_escaped = false;
    let closing = text.char_indices().skip(1).find(|(_, character)| match (is_escaped, character) {
        (true, _) => {
            is_escaped = false;
            false
        }
        (false, '\\') => {
            is_escaped = true;
            false
        }
        (false, character) => *character == '"',
    });
    closing.and_then(|(offset, quote)| offset.checked_add(quote.len_utf8()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &[u8] =
        br#"{"runs": [{"c": 1, "e": "a,]", "v": 10}, {"c": 8, "e": "b", "v": 80}, {"c": 8, "e": "c", "v": 81}, {"c": "8", "v": 9}],
        "a/b": {"~": {"[x]": 1}}, "plain": [[{"k": null, "v": 5}]]}"#;

    fn found(selector: &str) -> Result<String, String> {
        let selector: Selector = selector.parse().unwrap();
        let document = read(DOCUMENT).unwrap();
        selector.find(&document).map(Value::shown).map_err(|error| error.to_string())
    }

    #[test]
    fn a_pointer_is_a_selector() {
        assert_eq!(found("/runs/1/v"), Ok("80".to_owned()));
        assert_eq!(found("/a~1b/~0/~2x]"), Ok("1".to_owned()));
        assert_eq!(found(""), Ok("{3 members}".to_owned()));
        assert_eq!(found("/runs/01/v"), Err(r#"nothing is at "/01""#.to_owned()));
        assert_eq!(found("/runs/0/v/x"), Err(r#"nothing is at "/x""#.to_owned()));
    }

    #[test]
    fn a_filter_takes_the_one_item_that_fits() {
        assert_eq!(found("/runs[c=1]/v"), Ok("10".to_owned()));
        assert_eq!(found("/runs[c=8.0,e=b]/v"), Ok("80".to_owned()));
        assert_eq!(found(r#"/runs[e="a,]"]/v"#), Ok("10".to_owned()));
        assert_eq!(found("/plain/0[k=null]/v"), Ok("5".to_owned()));
        assert_eq!(found(r#"/runs[c="8"]/v"#), Ok("9".to_owned()));
    }

    #[test]
    fn no_item_is_absent_and_two_are_ambiguous() {
        assert_eq!(found("/runs[c=2]/v"), Err(r#"nothing is at "[c=2]""#.to_owned()));
        assert_eq!(found("/runs[c=8]/v"), Err(r#"2 items are at "[c=8]"; wanted one"#.to_owned()));
        assert_eq!(found("/plain[c=8]"), Err(r#"nothing is at "[c=8]""#.to_owned()));
    }

    #[test]
    fn what_is_no_selector_is_refused() {
        for written in ["runs", "/a~3", "/a~", "/a[", "/a[]", "/a[=1]", "/a[x=]", "/a[x=1", "/a[x=1]b", r#"/a[x="1]"#, "/a[x=1,]"] {
            assert!(written.parse::<Selector>().is_err(), "{written}");
        }
        let long = |bytes: usize| format!("/{}", "a".repeat(bytes - 1)).parse::<Selector>();
        assert!(long(limits::SELECTOR_BYTES).is_ok() && long(limits::SELECTOR_BYTES + 1).is_err());
    }
}

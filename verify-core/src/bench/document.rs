//! The bytes of a raw file as one value, and the shape that it has.

use std::str;

use super::shape::{Layout, Shape};
use crate::json::{Kind, Value, read_many};
use crate::limits;
use crate::text::brief;

/// A raw file: one JSON document, a list of them, one a line, or, of a single line, both.
pub(crate) struct Document<'a> {
    json: Option<Value<'a>>,
    lines: Option<Value<'a>>,
}

impl<'a> Document<'a> {
    /// Reads a raw file. The error names the place of the fault.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, String> {
        if bytes.len() > limits::BENCH_FILE_BYTES {
            return Err(format!("it has more than {} bytes", limits::BENCH_FILE_BYTES));
        }
        let lines: Vec<(usize, &[u8])> =
            bytes.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.trim_ascii().is_empty()).collect();
        let is_lines = matches!(lines.as_slice(), [(_, first), _, ..] if read(first, limits::BENCH_VALUES).is_ok());
        if is_lines {
            return Ok(Self { json: None, lines: Some(lines_of(bytes, &lines)?) });
        }
        let value = read(bytes, limits::BENCH_VALUES)?;
        let is_one_line = lines.len() == 1;
        Ok(Self { lines: is_one_line.then(|| list(bytes, vec![value.clone()])), json: Some(value) })
    }

    /// The one of `shapes` that it fits, and the value that this shape speaks of.
    pub(crate) fn shape<'s>(&self, shapes: &'s [Shape]) -> Result<(&'s Shape, &Value<'a>), String> {
        let value = |shape: &Shape| match shape.document {
            Layout::Json => self.json.as_ref(),
            Layout::Lines => self.lines.as_ref(),
        };
        let fitting =
            shapes.iter().filter_map(|shape| value(shape).filter(|value| shape.misfit(value).is_none()).map(|value| (shape, value)));
        match fitting.collect::<Vec<_>>().as_slice() {
            [one] => Ok(*one),
            [] => Err(match shapes {
                [shape] => match value(shape).and_then(|value| shape.misfit(value)) {
                    Some(condition) => format!("it has not the shape {}, of which {}", brief(&shape.name), brief(&condition.to_string())),
                    None => format!("it has not the shape {}, which is {}", brief(&shape.name), layout(shape.document)),
                },
                _ => format!("it has none of the shapes {}", names(shapes)),
            }),
            [(one, _), (other, _), ..] => {
                Err(format!("it has the shapes {} and {}; --shape says which one is meant", brief(&one.name), brief(&other.name)))
            }
        }
    }
}

fn layout(layout: Layout) -> &'static str {
    match layout {
        Layout::Json => "one JSON document",
        Layout::Lines => "one JSON document a line",
    }
}

fn names(shapes: &[Shape]) -> String {
    brief(&shapes.iter().map(|shape| shape.name.as_str()).collect::<Vec<_>>().join(", "))
}

/// One document without the bare NaN and Infinity that Python writes: they are no measurements.
fn read(bytes: &[u8], most: usize) -> Result<Value<'_>, String> {
    let value = read_many(bytes, most).map_err(|error| format!("byte {}: {}", error.offset, error.message))?;
    match value.non_finite().first() {
        Some((offset, token)) => Err(format!("byte {offset}: the number {token} is not finite")),
        None => Ok(value),
    }
}

fn lines_of<'a>(bytes: &'a [u8], lines: &[(usize, &'a [u8])]) -> Result<Value<'a>, String> {
    let mut left = limits::BENCH_VALUES;
    let mut values = Vec::new();
    for (index, line) in lines {
        let value = read(line, left).map_err(|why| format!("line {}, {why}", index.saturating_add(1)))?;
        left = left.saturating_sub(value.count());
        values.push(value);
    }
    Ok(list(bytes, values))
}

fn list<'a>(bytes: &'a [u8], items: Vec<Value<'a>>) -> Value<'a> {
    Value { kind: Kind::Array(items), span: 0..bytes.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(name: &str, document: &str, at: &str) -> Shape {
        let shape = serde_json::json!({
            "format": "receipt-shape/1", "name": name, "section": "single", "document": document, "fits": [{"at": at, "exists": true}],
            "metrics": [{"name": "m", "unit": "s", "better": "lower", "definition": "d", "at": "/m"}],
        });
        Shape::read(shape.to_string().as_bytes()).unwrap()
    }

    fn fitted(text: &str, shapes: &[Shape]) -> Result<String, String> {
        Ok(Document::read(text.as_bytes())?.shape(shapes)?.0.name.clone())
    }

    #[test]
    fn the_shape_is_the_one_that_fits() {
        let shapes = [shape("a", "json", "/a"), shape("b", "json", "/b"), shape("l", "lines", "/0/x")];
        assert_eq!(fitted(r#"{"a": 1}"#, &shapes).as_deref(), Ok("a"));
        assert_eq!(fitted("{\"x\": 1}\n\n{\"a\": 2}\n", &shapes).as_deref(), Ok("l"));
        assert_eq!(fitted("{\"x\": 1}\n", &shapes).as_deref(), Ok("l"));
        assert_eq!(fitted(r#"{"c": 1}"#, &shapes).unwrap_err(), "it has none of the shapes a, b, l");
        assert_eq!(fitted(r#"{"a": 1, "b": 1}"#, &shapes).unwrap_err(), "it has the shapes a and b; --shape says which one is meant");
        assert_eq!(fitted(r#"{"c": 1}"#, &shapes[..1]).unwrap_err(), "it has not the shape a, of which something is at /a");
        assert_eq!(fitted("{\"a\": 1}\n{}\n", &shapes[..1]).unwrap_err(), "it has not the shape a, which is one JSON document");
    }

    #[test]
    fn what_cannot_be_read_says_where() {
        let wrong = |text: &str| Document::read(text.as_bytes()).map(|_| ()).unwrap_err();
        assert_eq!(wrong(r#"{"a": NaN}"#), "byte 6: the number NaN is not finite");
        assert_eq!(wrong("{\"a\": 1}\n{\"a\": Infinity}"), "line 2, byte 6: the number Infinity is not finite");
        assert!(wrong(r#"{"a": 1, "a": 1}"#).starts_with("byte 9: "));
        assert!(wrong("").starts_with("byte 0: "));
        assert!(wrong(r#"{"a": 1e999}"#).starts_with("byte 6: "));
    }
}

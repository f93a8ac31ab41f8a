//! The text that producers sign, written a second time, without the core: `json.dumps` with sorted keys, without blanks, and with
//! every float rounded to six places.

use std::fmt::Write;

use serde_json::{Number, Value};

pub fn signed_text(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(flag) => text.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => text.push_str(&signed_number(number)),
        Value::String(string) => write_string(string, text),
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                text.push_str(if index == 0 { "" } else { "," });
                write(item, text);
            }
            text.push(']');
        }
        Value::Object(members) => {
            // Python orders by code points.
            let mut names: Vec<&String> = members.keys().collect();
            names.sort_by(|left, right| left.chars().cmp(right.chars()));
            text.push('{');
            for (index, name) in names.into_iter().enumerate() {
                text.push_str(if index == 0 { "" } else { "," });
                write_string(name, text);
                text.push(':');
                write(&members[name], text);
            }
            text.push('}');
        }
    }
}

/// `serde_json` escapes the same characters in the same way but for DEL, which it leaves alone as Python does under
/// `ensure_ascii=False`.
fn write_string(string: &str, text: &mut String) {
    write!(text, "{}", Value::from(string)).expect("a string takes everything");
}

fn signed_number(number: &Number) -> String {
    match number.as_f64() {
        Some(float) if number.is_f64() => repr(rounded(float)),
        _ => number.to_string(),
    }
}

/// Python's `round(number, 6)`, in whole millionths: a double is `mantissa * 2^exponent`.
fn rounded(number: f64) -> f64 {
    let bits = number.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    let (mantissa, exponent) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    if exponent >= 0 {
        return number;
    }
    // Below 2^73, so with 128 bits to drop nothing is left.
    let (scaled, dropped) = (u128::from(mantissa) * 1_000_000, exponent.unsigned_abs().min(127));
    let (whole, rest, half) = (scaled >> dropped, scaled & ((1 << dropped) - 1), 1u128 << (dropped - 1));
    let millionths = whole + u128::from(rest > half || rest == half && whole % 2 == 1);
    let text = format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000);
    text.parse::<f64>().expect("a decimal").copysign(number)
}

/// Python's `repr`: the fewest digits that name the double, of these the nearest.
fn repr(number: f64) -> String {
    let scientific =
        (0..17).map(|places| format!("{number:.places$e}")).find(|text| text.parse() == Ok(number)).expect("17 digits name it");
    let (digits, exponent) = scientific.split_once('e').expect("scientific");
    let exponent: i32 = exponent.parse().expect("an exponent");
    if (-4..16).contains(&exponent) {
        let count = digits.bytes().filter(u8::is_ascii_digit).count() as i32;
        format!("{number:.*}", usize::try_from(count - 1 - exponent).unwrap_or_default().max(1))
    } else {
        format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Right sides as CPython prints them.
    #[test]
    fn texts_are_pythons() {
        for (json, python) in [
            (r#"{"b":[1, 2.50, -0.0, 391.00, null, true], "a":{}}"#, r#"{"a":{},"b":[1,2.5,-0.0,391.0,null,true]}"#),
            ("[0.0078125,0.0234375,0.1234565,1e-7,1e-5,0.0001,1e2]", "[0.007812,0.023438,0.123456,0.0,1e-05,0.0001,100.0]"),
            (
                "[961038874585682.25,961038874585682.75,1e15,1e16,1.5e300,5e-324]",
                "[961038874585682.2,961038874585682.8,1000000000000000.0,1e+16,1.5e+300,0.0]",
            ),
            (
                "{\"\u{ff5e}\":1,\"\u{1f600}\":2,\"A\":\"\\u007f\\u00e9\\u2028\\/\\b\\u001f\"}",
                "{\"A\":\"\u{7f}é\u{2028}/\\b\\u001f\",\"\u{ff5e}\":1,\"\u{1f600}\":2}",
            ),
        ] {
            assert_eq!(signed_text(&serde_json::from_str(json).expect("JSON")), python);
        }
    }
}

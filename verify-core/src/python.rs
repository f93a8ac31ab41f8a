//! Python's rules for values, as far as canonical texts and the known scorers depend on them: truth, `float()` and `repr()` of what
//! `json.loads()` read, as CPython 3.12 has them.

use crate::json::{Kind, Value, is_integer};

/// The most digits that `int()` reads; an integer with more ends `json.loads()`.
const INTEGER_DIGITS: usize = 4300;

/// Why a Python program would not have come to its end here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Raised {
    /// It ends with a trace.
    Exception,
    /// It does something that is not ported, so what it does is not known.
    Unported(&'static str),
}

/// What `json.loads()` raises although the document is well-formed.
pub(crate) fn check_loadable(document: &Value<'_>) -> Result<(), Raised> {
    let mut stack = vec![document];
    while let Some(value) = stack.pop() {
        match &value.kind {
            Kind::Number(token) if is_integer(token) && token.trim_start_matches('-').len() > INTEGER_DIGITS => {
                return Err(Raised::Exception);
            }
            Kind::Array(items) => stack.extend(items),
            Kind::Object(members) => stack.extend(members.iter().map(|member| &member.value)),
            _ => {}
        }
    }
    Ok(())
}

/// `bool(value)`.
pub(crate) fn is_true(value: &Value<'_>) -> bool {
    match &value.kind {
        Kind::Null => false,
        Kind::Bool(flag) => *flag,
        Kind::Number(token) => token.parse::<f64>().is_ok_and(|number| number != 0.0),
        Kind::NonFinite(_) => true,
        Kind::String(text) => !text.is_empty(),
        Kind::Array(items) => !items.is_empty(),
        Kind::Object(members) => !members.is_empty(),
    }
}

/// `float(value)`.
pub(crate) fn float(value: &Value<'_>) -> Result<f64, Raised> {
    match &value.kind {
        Kind::Bool(flag) => Ok(f64::from(u8::from(*flag))),
        // An integer, which has no negative zero.
        Kind::Number("-0") => Ok(0.0),
        // An overflow is an integer here: the reader refuses others.
        Kind::Number(token) => token.parse().ok().filter(|number: &f64| number.is_finite()).ok_or(Raised::Exception),
        Kind::NonFinite(token) => token.parse().map_err(|_| Raised::Exception),
        Kind::String(text) => float_of_text(text),
        Kind::Null | Kind::Array(_) | Kind::Object(_) => Err(Raised::Exception),
    }
}

/// `float(text)`: blanks around it and underscores between digits do not count.
fn float_of_text(text: &str) -> Result<f64, Raised> {
    let text = strip(text);
    if text.chars().any(|character| !character.is_ascii() && character.is_numeric()) {
        return Err(Raised::Unported("float() of digits outside ASCII"));
    }
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let bytes = text.as_bytes();
    let joins_digits =
        |at: usize| is_digit(at.checked_sub(1).and_then(|before| bytes.get(before))) && is_digit(bytes.get(at.saturating_add(1)));
    if !text.match_indices('_').all(|(at, _)| joins_digits(at)) {
        return Err(Raised::Exception);
    }
    text.replace('_', "").parse().map_err(|_| Raised::Exception)
}

/// `text.strip()`.
pub(crate) fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// `character.isspace()`, which is also `\s` in a pattern.
pub(crate) fn is_space(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\u{1c}'..='\u{1f}')
}

/// `repr(number)`: of the shortest digits that name the double those nearest to it, in Python's layout. Where two are equally near,
/// Python takes the even ones and Rust the upper ones, so the digits are written again at their length, which rounds half to even.
pub(crate) fn repr(number: f64) -> String {
    if !number.is_finite() {
        return format!("{number}").to_lowercase();
    }
    let shortest = format!("{number:e}");
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let places = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let names_it = |text: &String| text.parse() == Ok(number);
    if (-4..16).contains(&exponent) {
        let decimals = i32::try_from(places).unwrap_or(0).saturating_sub(exponent).max(1);
        let nearest = format!("{number:.*}", usize::try_from(decimals).unwrap_or(1));
        return Some(nearest).filter(names_it).unwrap_or_else(|| format!("{number:?}"));
    }
    let nearest = Some(format!("{number:.places$e}")).filter(names_it);
    let nearest = nearest.as_ref().unwrap_or(&shortest);
    let mantissa = nearest.split_once('e').map_or(nearest.as_str(), |(mantissa, _)| mantissa);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
}

/// Whether the number `token`, in the grammar of JSON, is what Python prints after it read it, by a look at it alone: a decimal in
/// Python's layout without a digit too many, of at most 15 digits. A double tells all of those apart, so that no other one is as short.
pub(crate) fn is_repr(token: &str) -> bool {
    let Some((whole, fraction)) = token.trim_start_matches('-').split_once('.') else { return false };
    let is_short = whole.len().saturating_add(fraction.len()) <= 15 && !fraction.contains(['e', 'E']);
    let is_whole = fraction == "0";
    is_short && (is_whole || !fraction.ends_with('0')) && !(whole == "0" && fraction.starts_with("0000"))
}

/// `f"{number:.4f}"`.
pub(crate) fn four_places(number: f64) -> String {
    if number.is_finite() { format!("{number:.4}") } else { repr(number) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::read;

    /// Right sides as CPython prints them.
    #[test]
    fn numbers_are_written_as_python_writes_them() {
        assert_eq!([f64::NAN, f64::INFINITY, -f64::INFINITY].map(repr), ["nan", "inf", "-inf"]);
        assert_eq!(
            [0.89699, -0.0, f64::NAN, 0.00005, 1e22].map(four_places),
            ["0.8970", "-0.0000", "nan", "0.0001", "10000000000000000000000.0000"]
        );
        assert_eq!(four_places(0.03125), "0.0312", "ties go to the even digit");
    }

    #[test]
    fn a_number_that_python_prints_as_it_stands_is_known_by_its_text() {
        for token in ["0.0", "-0.0", "100.0", "1.5", "-2.25", "0.0001", "0.000123", "123456789.654321", "12345678901234.5"] {
            assert!(is_repr(token), "{token}");
        }
        for token in
            ["0", "-0", "100", "1.50", "1.00", "1.5e3", "1.5E-3", "1e5", "0.00001", "0.0000", "123456789.6543210", "1234567890123456.5"]
        {
            assert!(!is_repr(token), "{token}");
        }
        // Every length of whole part and fraction, with digits of all kinds.
        let mut digits = 1_u64;
        for (whole, fraction) in (1..=9).flat_map(|whole| (1..=9).map(move |fraction| (whole, fraction))).cycle().take(100_000) {
            digits = digits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let part = |places: u32, seed: u64| seed % 10_u64.pow(places);
            let token =
                format!("{}.{:0fraction$}", part(whole, digits >> 32), part(u32::try_from(fraction).unwrap(), digits & 0xffff_ffff));
            assert!(!is_repr(&token) || repr(token.parse().unwrap()) == token, "{token}");
        }
    }

    #[test]
    fn float_takes_what_python_takes() {
        let float = |text: &str| float(&read(text.as_bytes()).unwrap());
        for (text, number) in [
            ("true", 1.0),
            ("false", 0.0),
            ("-3", -3.0),
            ("-0", 0.0),
            (r#"" 0.95\n""#, 0.95),
            (r#""1_000.5""#, 1000.5),
            (r#""\u001c.5""#, 0.5),
        ] {
            assert_eq!(float(text).map(f64::to_bits), Ok(f64::to_bits(number)), "{text}");
        }
        assert_eq!(float(r#""-iNf""#), Ok(f64::NEG_INFINITY));
        assert!(float(r#""nan""#).unwrap().is_nan());
        assert!(float("NaN").unwrap().is_nan());
        for text in ["null", "[]", "{}", r#""""#, r#""1__0""#, r#""_1""#, r#""1_.5""#, r#""é""#] {
            assert_eq!(float(text), Err(Raised::Exception), "{text}");
        }
        assert_eq!(float(&"9".repeat(400)), Err(Raised::Exception));
        assert!(matches!(float("\"\u{660}.\u{665}\""), Err(Raised::Unported(_))));
    }

    #[test]
    fn truth_is_pythons() {
        for (text, truth) in [
            ("null", false),
            ("0", false),
            ("-0.0", false),
            ("1e-400", false),
            ("NaN", true),
            ("\"\"", false),
            ("\"0\"", true),
            ("[]", false),
            ("{}", false),
            ("[0]", true),
        ] {
            assert_eq!(is_true(&read(text.as_bytes()).unwrap()), truth, "{text}");
        }
    }

    #[test]
    fn integers_over_the_limit_of_python_end_the_program() {
        let check = |digits: usize| check_loadable(&read(format!("[{{\"a\":-{}}}]", "9".repeat(digits)).as_bytes()).unwrap());
        assert_eq!(check(4300), Ok(()));
        assert_eq!(check(4301), Err(Raised::Exception));
    }
}

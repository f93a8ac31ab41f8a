//! Whether two values of JSON say the same, whatever their spelling, and where they do not.

use std::collections::BTreeMap;

use crate::json::{Kind, Value, child, is_number};
use crate::limits;

/// How two values stand to each other.
#[derive(Default)]
pub(crate) struct Comparison {
    /// Leaves, each once, whether on both sides or on one.
    pub(crate) compared: usize,
    /// How many of them differ.
    pub(crate) differ: usize,
    /// Pointers to the first of these.
    pub(crate) differing: Vec<String>,
}

/// Compares two values leaf by leaf: members may stand in any order, and lists of two lengths are one difference. Keeps its own
/// stack, so that nesting costs no other.
pub(crate) fn compare(left: &Value<'_>, right: &Value<'_>, is_same: impl Fn(&Value<'_>, &Value<'_>) -> bool) -> Comparison {
    let mut comparison = Comparison::default();
    let mut path = Path::default();
    let mut open = vec![([Some(left), Some(right)], None)];
    while let Some((sides, place)) = open.pop() {
        let is_alike = match (sides, sides.map(|side| side.map(|side| &side.kind))) {
            (_, [Some(Kind::Object(left)), Some(Kind::Object(right))]) if !(left.is_empty() && right.is_empty()) => {
                let mut members: BTreeMap<&str, [Option<&Value<'_>>; 2]> = BTreeMap::new();
                left.iter().for_each(|member| members.entry(&member.name).or_default()[0] = Some(&member.value));
                right.iter().for_each(|member| members.entry(&member.name).or_default()[1] = Some(&member.value));
                open.extend(members.into_iter().rev().map(|(name, sides)| (sides, path.below(place, Step::Name(name)))));
                continue;
            }
            (_, [Some(Kind::Array(left)), Some(Kind::Array(right))]) if left.len() == right.len() && !left.is_empty() => {
                let items = left.iter().zip(right).enumerate().rev();
                open.extend(items.map(|(index, (item, other))| ([Some(item), Some(other)], path.below(place, Step::Index(index)))));
                continue;
            }
            (_, [Some(Kind::Object(_)), Some(Kind::Object(_))]) => true,
            (_, [Some(Kind::Array(left)), Some(Kind::Array(right))]) => left.len() == right.len(),
            ([Some(left), Some(right)], _) => is_same(left, right),
            _ => false,
        };
        comparison.compared = comparison.compared.saturating_add(1);
        if !is_alike {
            comparison.differ = comparison.differ.saturating_add(1);
            if comparison.differing.len() < limits::DIFFERENCES {
                comparison.differing.push(path.pointer(place));
            }
        }
    }
    comparison
}

/// Whether two values are the same, of which not both are lists or both objects: numbers by their decimal value.
pub(crate) fn is_same(left: &Value<'_>, right: &Value<'_>) -> bool {
    match (&left.kind, &right.kind) {
        (Kind::Number(left), Kind::Number(right)) => same_decimal(left, right),
        (Kind::NonFinite(left), Kind::NonFinite(right)) => left == right,
        (Kind::String(left), Kind::String(right)) => left == right,
        (Kind::Bool(left), Kind::Bool(right)) => left == right,
        (Kind::Null, Kind::Null) => true,
        _ => false,
    }
}

/// Whether two number tokens have the same decimal value, however they are written; nothing is rounded.
pub(crate) fn same_decimal(left: &str, right: &str) -> bool {
    left == right || decimal(left).is_some_and(|left| Some(left) == decimal(right))
}

/// A number token as sign, digits and power of ten, in one form for each value; `None` for other tokens and for exponents beyond
/// all use. Neither the first digit nor the last one is 0.
fn decimal(token: &str) -> Option<Decimal<'_>> {
    let token = Some(token).filter(|token| is_number(token))?;
    let (mantissa, exponent) = token.split_once(['e', 'E']).unwrap_or((token, "0"));
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_negative = integer.starts_with('-');
    let (integer, fraction) = (integer.trim_start_matches(['-', '0']), fraction.trim_end_matches('0'));
    let places = i64::try_from(fraction.len()).ok()?;
    let whole = if fraction.is_empty() { integer.trim_end_matches('0') } else { integer };
    let zeros = i64::try_from(integer.len().checked_sub(whole.len())?).ok()?;
    let fraction = if whole.is_empty() { fraction.trim_start_matches('0') } else { fraction };
    match (whole, fraction) {
        ("", "") => Some(Decimal { is_negative: false, digits: ["", ""], exponent: 0 }),
        digits => {
            let exponent = exponent.parse::<i64>().ok()?.checked_sub(places)?.checked_add(zeros)?;
            Some(Decimal { is_negative, digits: digits.into(), exponent })
        }
    }
}

struct Decimal<'t> {
    is_negative: bool,
    /// In two parts, one behind the other.
    digits: [&'t str; 2],
    exponent: i64,
}

impl PartialEq for Decimal<'_> {
    fn eq(&self, other: &Self) -> bool {
        let digits = |decimal: &Self| decimal.digits.map(str::bytes);
        let ([whole, fraction], [other_whole, other_fraction]) = (digits(self), digits(other));
        (self.is_negative, self.exponent) == (other.is_negative, other.exponent)
            && whole.chain(fraction).eq(other_whole.chain(other_fraction))
    }
}

/// Places in a document, each with the one above it.
#[derive(Default)]
struct Path<'v>(Vec<(Option<usize>, Step<'v>)>);

#[derive(Clone, Copy)]
enum Step<'v> {
    Name(&'v str),
    Index(usize),
}

impl<'v> Path<'v> {
    /// The place one step below `above`.
    fn below(&mut self, above: Option<usize>, step: Step<'v>) -> Option<usize> {
        self.0.push((above, step));
        self.0.len().checked_sub(1)
    }

    /// The pointer to a place; a long one ends in a container.
    fn pointer(&self, place: Option<usize>) -> String {
        let above = |place: usize| self.0.get(place).and_then(|(above, _)| *above);
        let mut places: Vec<usize> = std::iter::successors(place, |place| above(*place)).collect();
        let mut pointer = String::new();
        while let Some((_, step)) =
            places.pop().filter(|_| pointer.len() <= limits::CLAIM_POINTER_BYTES).and_then(|place| self.0.get(place))
        {
            pointer = match step {
                Step::Name(name) => child(&pointer, name),
                Step::Index(index) => child(&pointer, &index.to_string()),
            };
        }
        pointer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::read;

    fn difference(left: &str, right: &str) -> Option<String> {
        let comparison = compare(&read(left.as_bytes()).unwrap(), &read(right.as_bytes()).unwrap(), is_same);
        assert_eq!(comparison.differ, comparison.differing.len());
        comparison.differing.into_iter().next()
    }

    #[test]
    fn numbers_are_compared_by_decimal_value() {
        for (left, right) in [
            ("120.5", "120.50"),
            ("120.5", "1.205e2"),
            ("1200", "12E+2"),
            ("0.001", "1e-3"),
            ("-0", "0.00"),
            ("0e5", "0"),
            ("9007199254740993", "9007199254740993.0"),
            ("1e99999999999999999999", "1e99999999999999999999"),
        ] {
            assert!(same_decimal(left, right) && same_decimal(right, left), "{left} {right}");
        }
        for (left, right) in [
            ("9007199254740993", "9007199254740992"),
            ("0.1", "0.1000000000000000055511151231257827"),
            ("1", "-1"),
            ("1", "10"),
            ("1", "01"),
            ("1", "1 "),
            ("1", ""),
            ("NaN", "nan"),
            ("1e99999999999999999999", "1e99999999999999999998"),
        ] {
            assert!(!same_decimal(left, right) && !same_decimal(right, left), "{left} {right}");
        }
    }

    #[test]
    fn values_are_compared_whatever_their_spelling() {
        assert_eq!(difference(r#"{"a":1.50,"b":["\u0041",NaN,{}]}"#, r#"{"b":["A",NaN,{}],"a":15e-1}"#), None);
        for (left, right, pointer) in [
            (r#"{"a":1}"#, r#"{"a":1,"b":2}"#, "/b"),
            (r#"{"a":1,"c":0}"#, r#"{"a":1}"#, "/c"),
            (r#"{"a":[1,{"b/":2}]}"#, r#"{"a":[1,{"b/":3}]}"#, "/a/1/b~1"),
            (r#"{"a":[1]}"#, r#"{"a":[1,2]}"#, "/a"),
            (r#"{"a":null}"#, r#"{"a":false}"#, "/a"),
            (r#"{"a":0.1}"#, r#"{"a":0.1000001}"#, "/a"),
            (r#"{"a":NaN}"#, r#"{"a":Infinity}"#, "/a"),
            (r#"{"a":{}}"#, r#"{"a":[]}"#, "/a"),
            (r#"{"a":{}}"#, r#"{"a":{"b":null}}"#, "/a/b"),
            ("1", "\"1\"", ""),
        ] {
            assert_eq!(difference(left, right).as_deref(), Some(pointer), "{left} {right}");
        }
    }

    #[test]
    fn a_pointer_stays_short_however_deep_the_difference_lies() {
        let name = "n".repeat(100);
        let nested =
            |leaf: &str| format!("{}{leaf}{}", format!("{{\"{name}\":").repeat(limits::JSON_DEPTH), "}".repeat(limits::JSON_DEPTH));
        let pointer = difference(&nested("1"), &nested("2")).unwrap();
        assert!(pointer.len() > limits::CLAIM_POINTER_BYTES && pointer.len() < 2 * limits::CLAIM_POINTER_BYTES, "{}", pointer.len());
    }
}

//! Expressions over inputs: a number claim says in one of them how what is published follows from its rows and values.
//!
//! `128 / mean(r)`, `percentile(r, 99, 'linear') * 1000`, `delta(a, b, 'lower')`. An expression has no loops, no state and no more
//! depth than it is written with, so that every one comes to an end.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;

use crate::bench::Method;
use crate::bench::statistic::{count, sorted};
use crate::limits;
use crate::text::quoted;

/// An expression, read.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Expression {
    written: String,
    root: Node,
}

/// What an input came to.
#[derive(Clone, Debug)]
pub(super) enum Operand {
    /// One recorded number, and its digits where it is an integer, of which a double may hold only the first.
    One(f64, Option<String>),
    /// The numbers of rows.
    Rows(Rows),
}

/// Rows, made ready for as many statistics as an expression has of them.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// In ascending order.
    sorted: Vec<f64>,
    /// Added up in the order of the rows.
    sum: f64,
}

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// What is divided by, which is 0.
    ZeroDivisor(String),
    /// A statistic of this input, which has no rows.
    NoRows(String),
    /// What is no finite number.
    NotFinite(String),
}

#[derive(Clone, Debug)]
enum Node {
    Number(f64),
    Input(String),
    Negative(Box<Node>),
    /// Terms in their order; the second part of each says whether it is subtracted.
    Sum(Vec<(Node, bool)>),
    /// Factors in their order; the second part of each says whether it is divided by.
    Product(Vec<(Node, bool)>),
    Of(Statistic, String),
    /// Percent by which the second is better, of the absolute value of the first.
    Delta(Box<Node>, Box<Node>, Better),
}

#[derive(Clone, Copy, Debug)]
enum Statistic {
    Sum,
    Mean,
    Min,
    Max,
    Count,
    Median,
    Percentile(f64, Method),
}

#[derive(Clone, Copy, Debug)]
enum Better {
    Higher,
    Lower,
}

const STATISTICS: [(&str, Statistic); 6] = [
    ("sum", Statistic::Sum),
    ("mean", Statistic::Mean),
    ("min", Statistic::Min),
    ("max", Statistic::Max),
    ("count", Statistic::Count),
    ("median", Statistic::Median),
];

impl Operand {
    /// The numbers of rows, in their order.
    pub(super) fn of_rows(rows: Vec<f64>) -> Self {
        let sum = rows.iter().sum();
        Self::Rows(Rows { sorted: sorted(rows), sum })
    }
}

impl Rows {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.sorted.len()
    }
}

impl Expression {
    /// The expression as it was written.
    pub(super) fn written(&self) -> &str {
        &self.written
    }

    /// Its value; with `method`, every percentile is taken by that one instead of its own.
    pub(super) fn value(&self, inputs: &BTreeMap<&str, Operand>, method: Option<Method>) -> Result<f64, Fault> {
        self.root.value(inputs, method)
    }

    /// The inputs that it takes a number of, and those that it takes a statistic of.
    pub(super) fn names(&self) -> (BTreeSet<&str>, BTreeSet<&str>) {
        let (mut numbers, mut rows) = (BTreeSet::new(), BTreeSet::new());
        let mut open = vec![&self.root];
        while let Some(node) = open.pop() {
            match node {
                Node::Number(_) => {}
                Node::Input(name) => _ = numbers.insert(name.as_str()),
                Node::Of(_, name) => _ = rows.insert(name.as_str()),
                Node::Negative(node) => open.push(node),
                Node::Sum(parts) | Node::Product(parts) => open.extend(parts.iter().map(|(node, _)| node)),
                Node::Delta(one, other, _) => open.extend([&**one, &**other]),
            }
        }
        (numbers, rows)
    }

    /// The input that it is, where it is nothing else.
    pub(super) fn only_input(&self) -> Option<&str> {
        if let Node::Input(name) = &self.root { Some(name) } else { None }
    }

    /// Whether a percentile is in it.
    pub(super) fn has_percentile(&self) -> bool {
        let mut open = vec![&self.root];
        while let Some(node) = open.pop() {
            match node {
                Node::Of(Statistic::Percentile(..), _) => return true,
                Node::Number(_) | Node::Input(_) | Node::Of(..) => {}
                Node::Negative(node) => open.push(node),
                Node::Sum(parts) | Node::Product(parts) => open.extend(parts.iter().map(|(node, _)| node)),
                Node::Delta(one, other, _) => open.extend([&**one, &**other]),
            }
        }
        false
    }
}

impl Node {
    fn value(&self, inputs: &BTreeMap<&str, Operand>, method: Option<Method>) -> Result<f64, Fault> {
        let value = self.computed(inputs, method)?;
        if value.is_finite() { Ok(value) } else { Err(Fault::NotFinite(self.to_string())) }
    }

    fn computed(&self, inputs: &BTreeMap<&str, Operand>, method: Option<Method>) -> Result<f64, Fault> {
        match self {
            Self::Number(number) => Ok(*number),
            Self::Input(name) => match inputs.get(name.as_str()) {
                Some(Operand::One(number, _)) => Ok(*number),
                _ => Err(Fault::NoRows(name.clone())),
            },
            Self::Negative(node) => Ok(-node.value(inputs, method)?),
            Self::Sum(terms) => terms.iter().try_fold(0.0, |sum, (node, is_subtracted)| {
                let value = node.value(inputs, method)?;
                Ok(if *is_subtracted { sum - value } else { sum + value })
            }),
            Self::Product(factors) => factors.iter().try_fold(1.0, |product, (node, is_divisor)| {
                let value = node.value(inputs, method)?;
                match is_divisor {
                    true if value == 0.0 => Err(Fault::ZeroDivisor(node.to_string())),
                    true => Ok(product / value),
                    false => Ok(product * value),
                }
            }),
            Self::Of(statistic, name) => match inputs.get(name.as_str()) {
                Some(Operand::Rows(rows)) => statistic.of(rows, method).ok_or_else(|| Fault::NoRows(name.clone())),
                _ => Err(Fault::NoRows(name.clone())),
            },
            Self::Delta(one, other, better) => {
                let (a, b) = (one.value(inputs, method)?, other.value(inputs, method)?);
                let gain = match better {
                    Better::Higher => b - a,
                    Better::Lower => a - b,
                };
                if a == 0.0 { Err(Fault::ZeroDivisor(one.to_string())) } else { Ok(100.0 * gain / a.abs()) }
            }
        }
    }
}

impl Statistic {
    /// `None` where there are too few rows; no rows have a sum and a count, which is a statement.
    fn of(self, rows: &Rows, method: Option<Method>) -> Option<f64> {
        let Rows { sorted, sum } = rows;
        match self {
            Self::Sum => Some(sum + 0.0),
            Self::Mean => (!sorted.is_empty()).then(|| sum / count(sorted.len())),
            Self::Min => sorted.first().copied(),
            Self::Max => sorted.last().copied(),
            Self::Count => Some(count(sorted.len())),
            Self::Median => Method::Midpoint.of_sorted(sorted, 50.0),
            Self::Percentile(p, own) => method.unwrap_or(own).of_sorted(sorted, p),
        }
    }
}

impl fmt::Display for Node {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(formatter, "{number}"),
            Self::Input(name) => formatter.write_str(name),
            Self::Of(Statistic::Percentile(p, method), name) => write!(formatter, "percentile({name}, {p}, '{}')", method.name()),
            Self::Of(statistic, name) => {
                let known = STATISTICS.iter().find(|(_, known)| std::mem::discriminant(known) == std::mem::discriminant(statistic));
                write!(formatter, "{}({name})", known.map_or("", |(known, _)| known))
            }
            Self::Negative(_) | Self::Sum(_) | Self::Product(_) | Self::Delta(..) => formatter.write_str("a part of the expression"),
        }
    }
}

impl TryFrom<String> for Expression {
    type Error = String;

    fn try_from(written: String) -> Result<Self, String> {
        if written.len() > limits::EXPRESSION_BYTES {
            return Err(format!("an expression has at most {} bytes; this one has {}", limits::EXPRESSION_BYTES, written.len()));
        }
        let mut parser = Parser { rest: written.trim_start(), depth: 0 };
        let root = parser.sum().and_then(|root| if parser.rest.is_empty() { Ok(root) } else { Err("an operator or the end") });
        match root {
            Ok(root) => Ok(Self { root, written }),
            Err(wanted) => {
                let found = if parser.rest.is_empty() { "at its end".to_owned() } else { format!("at {}", quoted(parser.rest)) };
                Err(format!("{} is no expression: wanted {wanted} {found}", quoted(&written)))
            }
        }
    }
}

/// What is left to read, without blanks before it. The error of each part is what was wanted there.
struct Parser<'t> {
    rest: &'t str,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn sum(&mut self) -> Result<Node, &'static str> {
        self.chain(["+", "-"], Self::product, Node::Sum)
    }

    fn product(&mut self) -> Result<Node, &'static str> {
        self.chain(["*", "/"], Self::factor, Node::Product)
    }

    /// Parts between operators of one rank, the second of which makes the inverse of what follows it.
    fn chain(
        &mut self,
        [plain, inverse]: [&str; 2],
        part: impl Fn(&mut Self) -> Result<Node, &'static str>,
        join: impl FnOnce(Vec<(Node, bool)>) -> Node,
    ) -> Result<Node, &'static str> {
        let first = part(self)?;
        let mut parts = vec![(first, false)];
        loop {
            let is_inverse = if self.takes(plain) {
                false
            } else if self.takes(inverse) {
                true
            } else {
                break;
            };
            parts.push((part(self)?, is_inverse));
        }
        Ok(if parts.len() > 1 { join(parts) } else { parts.pop().map_or(Node::Number(0.0), |(only, _)| only) })
    }

    fn factor(&mut self) -> Result<Node, &'static str> {
        self.depth = self.depth.saturating_add(1);
        if self.depth > limits::EXPRESSION_DEPTH {
            return Err("fewer levels of nesting");
        }
        let node = if self.takes("-") {
            Node::Negative(Box::new(self.factor()?))
        } else if self.takes("(") {
            let inner = self.sum()?;
            self.wants(")", "a closing parenthesis")?;
            inner
        } else if self.rest.starts_with(|character: char| character.is_ascii_digit()) {
            Node::Number(self.number()?)
        } else {
            let name = self.word().ok_or("a number, a name or a parenthesis")?;
            if self.takes("(") { self.call(name)? } else { Node::Input(name.to_owned()) }
        };
        self.depth = self.depth.saturating_sub(1);
        Ok(node)
    }

    fn call(&mut self, function: &str) -> Result<Node, &'static str> {
        let node = match function {
            "ratio" => {
                let above = self.sum()?;
                self.wants(",", "a comma")?;
                Node::Product(vec![(above, false), (self.sum()?, true)])
            }
            "delta" => {
                let one = self.sum()?;
                self.wants(",", "a comma")?;
                let other = self.sum()?;
                self.wants(",", "a comma and what is better, 'higher' or 'lower',")?;
                let better = match self.text() {
                    Some("higher") => Better::Higher,
                    Some("lower") => Better::Lower,
                    _ => return Err("'higher' or 'lower' before what stands"),
                };
                Node::Delta(Box::new(one), Box::new(other), better)
            }
            "percentile" => {
                let name = self.word().ok_or("the name of rows")?;
                self.wants(",", "a comma")?;
                let p = self.number().ok().filter(|p| *p <= 100.0).ok_or("a number from 0 to 100 before what stands")?;
                self.wants(",", "a comma and the method of the percentile")?;
                let method = self.text().and_then(|text| Method::ALL.into_iter().find(|method| method.name() == text));
                let method = method
                    .ok_or("'linear', 'nearest-rank', 'floor-pn', 'nearest-index', 'lower', 'higher' or 'midpoint' before what stands")?;
                Node::Of(Statistic::Percentile(p, method), name.to_owned())
            }
            _ => {
                let known = STATISTICS.iter().find(|(known, _)| *known == function);
                let (_, statistic) = known.ok_or("sum, mean, min, max, count, median, percentile, ratio or delta before what stands")?;
                Node::Of(*statistic, self.word().ok_or("the name of rows")?.to_owned())
            }
        };
        self.wants(")", "a closing parenthesis")?;
        Ok(node)
    }

    fn number(&mut self) -> Result<f64, &'static str> {
        let is_part = |character: char| character.is_ascii_digit() || character == '.';
        let token = self.split(self.rest.find(|character| !is_part(character)));
        let number = token.parse::<f64>().ok().filter(|_| crate::json::is_number(token));
        number.filter(|number| number.is_finite()).ok_or("a number such as 1000 or 0.5 before what stands")
    }

    /// A text between single quotes.
    fn text(&mut self) -> Option<&'t str> {
        let (text, _) = self.rest.strip_prefix('\'')?.split_once('\'')?;
        self.split(text.len().checked_add(2));
        Some(text)
    }

    fn word(&mut self) -> Option<&'t str> {
        let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
        self.rest.starts_with(|character: char| is_part(character) && !character.is_ascii_digit()).then_some(())?;
        Some(self.split(self.rest.find(|character| !is_part(character))))
    }

    fn takes(&mut self, token: &str) -> bool {
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.map_or(self.rest, str::trim_start);
        rest.is_some()
    }

    fn wants(&mut self, token: &str, name: &'static str) -> Result<(), &'static str> {
        if self.takes(token) { Ok(()) } else { Err(name) }
    }

    /// Takes what stands before `end`, or all.
    fn split(&mut self, end: Option<usize>) -> &'t str {
        let (taken, rest) = end.and_then(|end| self.rest.split_at_checked(end)).unwrap_or((self.rest, ""));
        self.rest = rest.trim_start();
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(expression: &str) -> Result<f64, Fault> {
        let rows = |rows: &[f64]| Operand::of_rows(rows.to_vec());
        let inputs = BTreeMap::from([
            ("a", Operand::One(8.0, None)),
            ("b", Operand::One(10.0, None)),
            ("zero", Operand::One(0.0, None)),
            ("r", rows(&[4.0, 1.0, 3.0, 2.0])),
            ("none", rows(&[])),
        ]);
        Expression::try_from(expression.to_owned()).unwrap().value(&inputs, None)
    }

    #[test]
    fn arithmetic_has_the_usual_ranks() {
        for (expression, wanted) in [
            ("1 + 2 * 3", 7.0),
            ("(1 + 2) * 3", 9.0),
            ("10 - 4 - 3", 3.0),
            ("16 / 4 / 2", 2.0),
            ("2 - -3", 5.0),
            ("-a * -1.5", 12.0),
            ("  a/b  ", 0.8),
            ("ratio(a, b + 6)", 0.5),
        ] {
            assert_eq!(value(expression), Ok(wanted), "{expression}");
        }
    }

    #[test]
    fn statistics_are_of_rows() {
        for (expression, wanted) in [
            ("sum(r)", 10.0),
            ("mean(r)", 2.5),
            ("min(r)", 1.0),
            ("max(r)", 4.0),
            ("count(r)", 4.0),
            ("median(r)", 2.5),
            ("percentile(r, 50, 'nearest-rank')", 2.0),
            ("percentile(r, 99.9, 'floor-pn') * 1000", 4000.0),
            ("count(none) + sum(none)", 0.0),
        ] {
            assert_eq!(value(expression), Ok(wanted), "{expression}");
        }
        assert!(value("sum(none)").unwrap().is_sign_positive());
        for expression in
            ["mean(none)", "min(none)", "median(none)", "percentile(none, 50, 'linear')", "mean(a)", "max(nowhere)", "nowhere"]
        {
            assert!(matches!(value(expression), Err(Fault::NoRows(_))), "{expression}");
        }
    }

    #[test]
    fn a_delta_is_positive_where_the_second_is_better() {
        assert_eq!(value("delta(a, b, 'higher')"), Ok(25.0));
        assert_eq!(value("delta(a, b, 'lower')"), Ok(-25.0));
        assert_eq!(value("delta(-a, b, 'higher')"), Ok(225.0));
    }

    #[test]
    fn nothing_is_divided_by_zero() {
        for (expression, divisor) in [
            ("a / zero", "zero"),
            ("ratio(a, zero)", "zero"),
            ("a / (b - 10)", "a part of the expression"),
            ("delta(zero, a, 'lower')", "zero"),
            ("a / count(none)", "count(none)"),
            ("zero / zero", "zero"),
        ] {
            assert_eq!(value(expression), Err(Fault::ZeroDivisor(divisor.to_owned())), "{expression}");
        }
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        for expression in [
            "",
            " ",
            "1 +",
            "(1",
            "1)",
            "a b",
            "1.",
            ".5",
            "01",
            "1e3",
            "mean()",
            "mean(1)",
            "mean(r",
            "average(r)",
            "percentile(r, 50)",
            "percentile(r, 101, 'linear')",
            "percentile(r, 50, linear)",
            "percentile(r, 50, 'type-8')",
            "delta(a, b)",
            "delta(a, b, 'up')",
            "ratio(a)",
            "a ^ 2",
            "é",
            "'linear'",
            "1,5",
        ] {
            assert!(Expression::try_from(expression.to_owned()).is_err(), "{expression}");
        }
        let error = Expression::try_from("percentile(r, 99)".to_owned()).unwrap_err();
        assert_eq!(error, r#""percentile(r, 99)" is no expression: wanted a comma and the method of the percentile at ")""#);
    }

    #[test]
    fn length_and_depth_are_bounded() {
        let nested = |depth: usize| Expression::try_from(format!("{}1{}", "(".repeat(depth), ")".repeat(depth)));
        assert!(nested(limits::EXPRESSION_DEPTH - 1).is_ok());
        assert!(nested(limits::EXPRESSION_DEPTH).is_err());
        assert!(Expression::try_from(format!("{}1", "-".repeat(limits::EXPRESSION_DEPTH))).is_err());
        let long = |length: usize| Expression::try_from("1".repeat(200) + &" ".repeat(length - 200));
        assert!(long(limits::EXPRESSION_BYTES).is_ok());
        assert!(long(limits::EXPRESSION_BYTES + 1).is_err());
    }

    #[test]
    fn the_names_of_inputs_are_known() {
        let expression = Expression::try_from("delta(a, -b, 'lower') + mean(r) / (c * max(s))".to_owned()).unwrap();
        assert_eq!(expression.names(), (BTreeSet::from(["a", "b", "c"]), BTreeSet::from(["r", "s"])));
        assert!(!expression.has_percentile());
        assert!(Expression::try_from("1 / -(2 + percentile(r, 1, 'lower'))".to_owned()).unwrap().has_percentile());
    }
}

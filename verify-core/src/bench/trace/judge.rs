//! What became of each claim. A difference that was proven outranks whatever else is missing.

use std::collections::{BTreeMap, BTreeSet};

use super::expression::{Fault, Operand};
use super::library::{Library, Refusal, View};
use super::manifest::{Claim, Claims, Evidence, Form, Line, Number, Place, Published, Writing};
use super::page::{find, lines_with, stands_in};
use super::rows::{Take, not_found};
use super::seen::seen;
use super::{Backing, PublishedText, Retirement, Source, Traced, Verdict};
use crate::bench::recorded::says_something;
use crate::bench::{Files, Method};
use crate::compare::{compare, is_same, same_decimal};
use crate::json::{Kind, Value};
use crate::text::{brief, quoted};

pub(super) struct Judge<'f> {
    /// Digests of the manifest.
    recorded: &'f BTreeMap<String, String>,
    /// Digests of the files that are there.
    found: BTreeMap<&'f str, String>,
    library: Library<'f>,
}

/// How many lines are named in which a text stands.
const NAMED_LINES: usize = 3;

impl<'f> Judge<'f> {
    pub(super) fn new(claims: &'f Claims, files: &'f Files) -> Self {
        let found = claims.files().into_iter().filter_map(|name| Some((name, files.sha256(name)?))).collect();
        Self { recorded: &claims.digests, found, library: Library::new(files) }
    }

    pub(super) fn judge(&mut self, claim: &Claim) -> Traced {
        let mut traced = self.unjudged(claim);
        let judged = self.same_files(claim).and_then(|()| match &claim.evidence {
            Evidence::Number(number) => self.number(number, claim.published.as_ref(), &mut traced),
            Evidence::Line(line) => self.line(line, claim.published.as_ref(), &mut traced),
            Evidence::Same(places) => self.same(places, &mut traced),
        });
        let judged = judged.and_then(|()| self.published(claim.published.as_ref(), &mut traced)).and_then(|()| self.backed(claim));
        (traced.verdict, traced.why) = judged.map_or_else(|(verdict, why)| (verdict, Some(why)), |()| (Verdict::Reproduced, None));
        traced.citable = traced.verdict == Verdict::Reproduced && claim.retired.is_none();
        traced
    }

    fn unjudged(&self, claim: &Claim) -> Traced {
        let (kind, backing, sources) = match &claim.evidence {
            Evidence::Number(number) => {
                let inputs = number.inputs.iter().map(|(name, input)| self.source(Some(name), &input.place));
                let backing = if number.is_summary() { Backing::Summary } else { Backing::Rows };
                ("number", backing, inputs.collect())
            }
            Evidence::Line(line) => {
                let place = Place { file: line.file.clone(), form: Form::Whole, at: Default::default() };
                ("line", Backing::Line, vec![Source { at: format!("line {}", line.line), ..self.source(None, &place) }])
            }
            Evidence::Same(places) => ("same", Backing::Values, places.iter().map(|place| self.source(None, place)).collect()),
        };
        let retirement = |retired: &super::manifest::Retired| Retirement {
            standing: retired.word,
            date: brief(&retired.date),
            reason: brief(&retired.reason),
        };
        let text =
            |published: &Published| PublishedText { file: published.file.as_deref().map(brief), line: None, text: brief(&published.text) };
        Traced {
            id: brief(&claim.id),
            kind,
            verdict: Verdict::Unpinned,
            citable: false,
            retired: claim.retired.as_ref().map(retirement),
            why: None,
            hints: Vec::new(),
            published: claim.published.as_ref().map(text),
            expression: None,
            value: None,
            recomputed: None,
            backing,
            sources,
        }
    }

    fn source(&self, input: Option<&String>, place: &Place) -> Source {
        let at = match &place.form {
            Form::Whole => brief(place.at.written()),
            Form::Lines => format!("lines {}", brief(place.at.written())),
            Form::After(start) => format!("last line after {} {}", quoted(start), brief(place.at.written())),
            Form::Page(shown) => {
                let beside = shown.beside.as_ref().map_or_else(String::new, |beside| format!(" on a line with {}", quoted(beside)));
                format!("the text {}{beside}", quoted(&shown.text))
            }
        };
        Source {
            input: input.map(|name| brief(name)),
            file: brief(&place.file),
            sha256: self.found.get(place.file.as_str()).cloned(),
            pinned: self.recorded.contains_key(&place.file),
            at: at.trim_end().to_owned(),
            found: None,
            rows: None,
        }
    }

    /// Whether the files are those that the claim was made of, as far as digests are recorded.
    fn same_files(&self, claim: &Claim) -> Result<(), Refusal> {
        let page = claim.published.iter().filter_map(|published| published.file.as_deref());
        for name in claim.evidence.files().into_iter().chain(page) {
            let (recorded, found) = (self.recorded.get(name), self.found.get(name));
            if let (Some(recorded), Some(found)) = (recorded, found)
                && recorded != found
            {
                return Err((Verdict::DigestDiffers, format!("{} has the SHA-256 {found}, recorded is {recorded}", quoted(name))));
            }
        }
        Ok(())
    }

    fn number(&mut self, number: &Number, published: Option<&Published>, traced: &mut Traced) -> Result<(), Refusal> {
        traced.expression = Some(brief(number.expression.written()));
        let (mut operands, mut refusals) = (BTreeMap::new(), Vec::new());
        for ((name, input), source) in number.inputs.iter().zip(&mut traced.sources) {
            let taken = self
                .library
                .document(&input.place, input.take.looks())
                .and_then(|document| input.take.from(&input.place.at, &document.value, &mut source.rows));
            match taken {
                Ok(operand) => {
                    source.found = Some(match &operand {
                        Operand::One(number, digits) => digits.as_deref().map_or_else(|| number.to_string(), brief),
                        Operand::Rows(rows) => format!("{} rows", rows.len()),
                    });
                    operands.insert(name.as_str(), operand);
                }
                Err((verdict, why)) => refusals.push((verdict, format!("{name}: {why}"))),
            }
        }
        // Of several the worst, and of these the first.
        if let Some(refusal) = refusals.into_iter().rev().max_by_key(|(verdict, _)| verdict.answer()) {
            return Err(refusal);
        }
        let value = number.expression.value(&operands, None).map_err(|fault| match fault {
            Fault::ZeroDivisor(divisor) => (Verdict::ZeroDivisor, format!("{} is 0, and the expression divides by it", brief(&divisor))),
            Fault::NotFinite(what) => (Verdict::Absent, format!("{} is no finite number", brief(&what))),
            Fault::NoRows(name) => (Verdict::Unbacked, format!("the statistic of {} has no rows to be taken of", brief(&name))),
        })?;
        let digits = number.expression.only_input().and_then(|name| match operands.get(name) {
            Some(Operand::One(_, digits)) => digits.as_deref(),
            _ => None,
        });
        let written = match digits {
            Some(digits) => number.writing.write_integer(digits),
            None if value.abs() >= EXACT => {
                return Err((Verdict::Absent, "the result is not below 2^53, where a double is not exact".to_owned()));
            }
            None => number.writing.write(value),
        };
        (traced.value, traced.recomputed) = (Some(value), Some(brief(&written)));
        // A minus of its own is as good as a hyphen.
        match published.filter(|published| published.text.replacen('−', "-", 1) != written) {
            None => Ok(()),
            Some(published) => {
                traced.hints = hints(number, &operands, value, &published.text);
                Err((Verdict::Mismatch, format!("published is {}, recomputed {}", quoted(&published.text), quoted(&written))))
            }
        }
    }

    /// What is published out of a line stands there by itself, too.
    fn line(&mut self, line: &Line, published: Option<&Published>, traced: &mut Traced) -> Result<(), Refusal> {
        let text = self.library.text(&line.file, View::Whole, &line.contains)?;
        let found = lines_with(&text, &line.contains).filter(|(_, _, text)| published.is_none_or(|published| stands_in(text, published)));
        let (mut elsewhere, mut more) = (Vec::new(), "");
        for (number, ..) in found {
            if number == line.line {
                traced.sources.iter_mut().for_each(|source| source.found = Some(quoted(&line.contains)));
                return Ok(());
            }
            match elsewhere.len() < NAMED_LINES {
                true => elsewhere.push(number.to_string()),
                false => more = " and more",
            }
        }
        let place = match elsewhere.as_slice() {
            [] => "it stands nowhere in the file".to_owned(),
            elsewhere => format!("it stands at line {}{more}", elsewhere.join(", ")),
        };
        Err((
            Verdict::Mismatch,
            format!("line {} of {} does not contain {}: {place}", line.line, quoted(&line.file), quoted(&line.contains)),
        ))
    }

    fn same(&mut self, places: &[Place], traced: &mut Traced) -> Result<(), Refusal> {
        let mut first = None;
        let mut seen = BTreeSet::new();
        let (mut is_conflict, mut refusals) = (false, Vec::new());
        for (place, source) in places.iter().zip(&mut traced.sources) {
            let document = match self.library.document(place, 4) {
                Ok(document) => document,
                Err((verdict, why)) => {
                    refusals.push((verdict, format!("{}: {why}", quoted(&place.file))));
                    continue;
                }
            };
            let found = match place.at.find(&document.value) {
                Ok(found) => found,
                Err(not) => {
                    let (verdict, why) = not_found(&not);
                    refusals.push((verdict, format!("{}: {why}", quoted(&place.file))));
                    continue;
                }
            };
            source.found = Some(found.shown());
            if !says_something(found) {
                refusals.push((Verdict::Absent, format!("{}: {} says nothing", quoted(&place.file), found.shown())));
            }
            if !seen.insert((&place.file, document.offset.saturating_add(found.span.start))) {
                refusals.push((Verdict::Unbacked, format!("{}: one place is named twice", quoted(&place.file))));
            }
            match &first {
                None => first = Some((document, place)),
                Some((one, at)) => {
                    let other = at.at.find(&one.value).map_err(|not| not_found(&not))?;
                    let is_on_a_page = [*at, place].iter().any(|place| matches!(place.form, Form::Page(_)));
                    is_conflict |= compare(other, found, if is_on_a_page { is_same_as_shown } else { is_same }).differ > 0;
                }
            }
        }
        if is_conflict {
            let shown = |source: &Source| Some(format!("{} says {}", source.file, source.found.as_ref()?));
            let shown: Vec<String> = traced.sources.iter().filter_map(shown).collect();
            return Err((Verdict::Conflict, shown.join(", ")));
        }
        refusals.into_iter().rev().max_by_key(|(verdict, _)| verdict.answer()).map_or(Ok(()), Err)
    }

    /// Whether the published text stands on its page.
    fn published(&mut self, published: Option<&Published>, traced: &mut Traced) -> Result<(), Refusal> {
        let Some((published, file)) = published.and_then(|published| Some((published, published.file.as_ref()?))) else { return Ok(()) };
        let page = self.library.text(file, View::Seen, &seen(&published.text))?;
        let (line, _) = find(&page, published).map_err(|text| (Verdict::NotInText, format!("{} does not hold {text}", quoted(file))))?;
        if let Some(text) = &mut traced.published {
            text.line = Some(line);
        }
        Ok(())
    }

    /// Whether there are rows, where they are asked for, and the digest of every file.
    fn backed(&self, claim: &Claim) -> Result<(), Refusal> {
        if let Evidence::Number(number) = &claim.evidence
            && number.needs_rows
            && number.is_summary()
        {
            return Err((Verdict::Unbacked, "it rests on a recorded summary, and rows are required".to_owned()));
        }
        match claim.evidence.files().into_iter().find(|name| !self.recorded.contains_key(*name)) {
            Some(name) => Err((Verdict::Unpinned, format!("it follows from {}, of which the manifest records no SHA-256", quoted(name)))),
            None => Ok(()),
        }
    }
}

/// Whether two values are the same where one of them is a text on a page, on which numbers are texts, too.
fn is_same_as_shown(one: &Value<'_>, other: &Value<'_>) -> bool {
    match (&one.kind, &other.kind) {
        (Kind::String(text), Kind::Number(number)) | (Kind::Number(number), Kind::String(text)) => same_decimal(text, number),
        _ => is_same(one, other),
    }
}

impl Number {
    fn is_summary(&self) -> bool {
        self.inputs.is_empty() || self.inputs.values().any(|input| matches!(input.take, Take::One))
    }
}

/// What would have given the published text.
fn hints(number: &Number, operands: &BTreeMap<&str, Operand>, value: f64, published: &str) -> Vec<String> {
    let writing = &number.writing;
    let mut hints = Vec::new();
    if number.expression.has_percentile() {
        let matches =
            |method: &Method| number.expression.value(operands, Some(*method)).is_ok_and(|value| writing.write(value) == published);
        let methods: Vec<&str> = Method::ALL.into_iter().filter(matches).map(Method::name).collect();
        if !methods.is_empty() {
            hints.push(format!("the percentile method {} would match", methods.join(" or ")));
        }
    }
    if writing.cut(value) == published {
        hints.push("cut off instead of rounded it would match".to_owned());
    }
    let alone = operands.iter().filter(|(_, operand)| matches!(operand, Operand::One(value, _) if writing.write(*value) == published));
    hints.extend(alone.map(|(name, _)| format!("the input {} alone would match", brief(name))));
    hints
}

/// Below this, 2^53, doubles hold every integer, and nothing else rounds to one.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// More decimal places than any double has.
const ALL_PLACES: usize = 1100;

impl Writing {
    /// The number in the declared form: the decimal text nearest to the double, halves to the even digit, as `printf` writes it.
    fn write(&self, value: f64) -> String {
        self.dressed(&format!("{value:.*}", self.round))
    }

    /// An integer, whose every digit is known.
    fn write_integer(&self, digits: &str) -> String {
        let point = if self.round > 0 { "." } else { "" };
        self.dressed(&format!("{digits}{point}{}", "0".repeat(self.round)))
    }

    /// The same with further digits cut off in the place of rounding.
    fn cut(&self, value: f64) -> String {
        let exact = format!("{value:.ALL_PLACES$}");
        let (whole, fraction) = exact.split_once('.').unwrap_or((&exact, ""));
        let fraction = fraction.get(..self.round).unwrap_or(fraction);
        self.dressed(&if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") })
    }

    fn dressed(&self, number: &str) -> String {
        let (whole, fraction) = number.split_at_checked(number.find('.').unwrap_or(number.len())).unwrap_or((number, ""));
        let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("-", digits));
        let mut grouped = String::new();
        for (digit, left) in digits.chars().zip((0..digits.len()).rev()) {
            grouped.push(digit);
            if left > 0 && left % 3 == 0 && digit.is_ascii_digit() {
                grouped.push_str(&self.thousands);
            }
        }
        format!("{}{sign}{grouped}{fraction}{}", self.prefix, self.suffix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn writing(round: usize) -> Writing {
        Writing { round, prefix: String::new(), suffix: String::new(), thousands: String::new() }
    }

    /// As C's `printf("%.*f")` and Python's `"%.*f"` print them.
    #[test]
    fn numbers_are_rounded_as_printf_does() {
        for (value, round, wanted) in [
            (0.125, 2, "0.12"),
            (0.375, 2, "0.38"),
            (2.5, 0, "2"),
            (3.5, 0, "4"),
            (0.5, 0, "0"),
            (1.5, 0, "2"),
            (-2.5, 0, "-2"),
            (2.675, 2, "2.67"),
            (1.005, 2, "1.00"),
            (1.115, 2, "1.11"),
            (0.45, 1, "0.5"),
            (8.5, 0, "8"),
            (1e21, 1, "1000000000000000000000.0"),
            (0.000_488_281_25, 10, "0.0004882812"),
            (-0.000_067_780_842_114_8, 2, "-0.00"),
            (1_661.356_608_716_945, 2, "1661.36"),
            (0.1, 17, "0.10000000000000001"),
        ] {
            assert_eq!(writing(round).write(value), wanted, "{value} to {round}");
        }
    }

    #[test]
    fn a_number_can_be_cut_off() {
        for (value, round, wanted) in [(0.129, 2, "0.12"), (-0.129, 2, "-0.12"), (2.9, 0, "2"), (0.1, 17, "0.10000000000000000")] {
            assert_eq!(writing(round).cut(value), wanted, "{value} to {round}");
        }
        assert_eq!(writing(1).cut(f64::MIN_POSITIVE), "0.0");
    }

    #[test]
    fn it_is_dressed_as_declared() {
        let dressed = Writing { round: 1, prefix: "~".to_owned(), suffix: " tok/s".to_owned(), thousands: ",".to_owned() };
        assert_eq!(dressed.write(1_234_567.89), "~1,234,567.9 tok/s");
        assert_eq!(dressed.write(-1234.0), "~-1,234.0 tok/s");
        assert_eq!(dressed.write(999.96), "~1,000.0 tok/s");
        assert_eq!(dressed.write(-123.0), "~-123.0 tok/s");
        assert_eq!(dressed.write(f64::INFINITY), "~inf tok/s");
    }
}

//! Which measured numbers of a page nobody claims.

use std::ops::Range;

use memchr::memmem::Finder;
use serde::Serialize;

use super::library::{STEP_BYTES, STEPS_A_HIT};
use super::manifest::{Claims, Published};
use super::page::{first_word, goes_on, is_currency, is_dash, is_digit, is_mark, is_minus, places};
use super::seen::seen;
use crate::bench::Files;
use crate::limits;
use crate::text::{brief, quoted};

/// The numbers with a unit on a page, and which of them no claim is about.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Coverage {
    /// The name of the page, escaped.
    pub file: String,
    /// How many numbers with a unit it has.
    pub numbers: usize,
    /// How many of them no claim is about.
    pub uncovered: usize,
    /// The first of these.
    pub examples: Vec<Uncovered>,
}

/// A number that no claim is about.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Uncovered {
    /// Its line, from 1.
    pub line: usize,
    /// The number with its unit, escaped.
    pub text: String,
}

/// What makes a number a measured one, where it follows the number. Words of three letters and more are units in any case.
const UNITS: [&str; 65] = [
    "%", "x", "×", "t", "tok", "toks", "token", "tokens", "req", "reqs", "request", "requests", "it", "iter", "ops", "op", "q", "ns", "us",
    "µs", "μs", "ms", "s", "sec", "secs", "second", "seconds", "min", "mins", "minute", "minutes", "h", "hr", "hrs", "hour", "hours",
    "bytes", "KB", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB", "Hz", "kHz", "MHz", "GHz", "W", "kW", "kWh", "J", "°", "°C", "pp",
    "percent", "tps", "qps", "rps", "fps", "FLOPS", "GFLOPS", "TFLOPS",
];

/// Words that make an `x` behind a blank a unit; otherwise it multiplies.
const COMPARED: [&str; 9] = ["faster", "slower", "higher", "lower", "better", "worse", "more", "less", "speedup"];

/// Which numbers with a unit on the page `name` no claim is about. Claims that are withdrawn or history count: the reader is told of them.
///
/// # Errors
///
/// Why the page cannot be read, escaped.
pub fn coverage(claims: &Claims, name: &str, files: &Files) -> Result<Coverage, String> {
    let bytes = files.get(name).map_err(|why| format!("{}: {}", quoted(name), brief(why)))?;
    if bytes.len() > limits::BENCH_FILE_BYTES {
        return Err(format!("{} has more than {} bytes", quoted(name), limits::BENCH_FILE_BYTES));
    }
    let published = claims.claims.iter().filter_map(|claim| claim.published.as_ref());
    let published = published.filter(|published| published.file.as_deref().is_none_or(|file| file == name));
    let published: Vec<Published> = published.map(Published::as_seen).collect();
    let mut steps = published.len().saturating_mul(bytes.len() / STEP_BYTES);
    let mut is_over = |published: &Published| {
        let hits = Finder::new(&published.text).find_iter(bytes).count();
        steps = steps.saturating_add(hits.saturating_mul(STEPS_A_HIT));
        steps > limits::BENCH_WORK
    };
    if published.len().saturating_mul(bytes.len() / STEP_BYTES) > limits::BENCH_WORK || published.iter().any(&mut is_over) {
        return Err(format!("to look for {} texts in {} takes more than {} steps", published.len(), quoted(name), limits::BENCH_WORK));
    }
    let page = seen(&String::from_utf8_lossy(bytes));
    let mut claimed = vec![false; page.len()];
    for published in &published {
        for (_, place) in places(&page, published) {
            claimed.get_mut(place).into_iter().flatten().for_each(|byte| *byte = true);
        }
    }
    let mut coverage = Coverage { file: brief(name), numbers: 0, uncovered: 0, examples: Vec::new() };
    for (line, start, text) in lines(&page) {
        for (number, shown) in numbers_with_unit(text) {
            coverage.numbers = coverage.numbers.saturating_add(1);
            let range = start.saturating_add(number.start)..start.saturating_add(number.end);
            if !claimed.get(range).is_some_and(|bytes| bytes.iter().all(|byte| *byte)) {
                coverage.uncovered = coverage.uncovered.saturating_add(1);
                if coverage.examples.len() < limits::DIFFERENCES {
                    coverage.examples.push(Uncovered { line, text: brief(shown) });
                }
            }
        }
    }
    Ok(coverage)
}

/// Lines with their number from 1 and the byte at which they begin.
fn lines(page: &str) -> impl Iterator<Item = (usize, usize, &str)> {
    let mut start = 0_usize;
    page.split('\n').zip(1..).map(move |(line, number)| {
        let begins = start;
        start = start.saturating_add(line.len()).saturating_add(1);
        (number, begins, line)
    })
}

/// The numbers of a line that have a unit: where their digits are, and sign, number and unit as they are written.
fn numbers_with_unit(line: &str) -> Vec<(Range<usize>, &str)> {
    let mut numbers = Vec::new();
    let mut from = 0_usize;
    while let Some(start) = line.get(from..).and_then(|rest| rest.find(is_digit)) {
        let start = from.saturating_add(start);
        let (before, rest) = line.split_at_checked(start).unwrap_or(("", ""));
        let is_part = |character: char| is_digit(character) || matches!(character, '.' | ',');
        let token = rest.split_once(|character: char| !is_part(character)).map_or(rest, |(token, _)| token).trim_end_matches(['.', ',']);
        let end = start.saturating_add(token.len());
        if let Some(sign) = sign_before(before) {
            let after = rest.get(token.len()..).unwrap_or("");
            let unit = unit_behind(after).unwrap_or(0);
            if unit > 0 || sign.contains(['€', '£', '¥']) {
                let shown = start.saturating_sub(sign.len())..end.saturating_add(unit);
                numbers.push((start..end, line.get(shown).unwrap_or(token)));
            }
        }
        from = end;
    }
    numbers
}

/// The sign and currency with which a number begins behind `before`; nothing if it is a part of a name or of another number.
fn sign_before(before: &str) -> Option<&str> {
    let outside = before.trim_end_matches(|character| is_mark(character) || is_currency(character));
    let unsigned = outside.trim_end_matches(|character| is_dash(character) || is_minus(character));
    let number = unsigned.trim_end_matches(|character: char| character.is_alphabetic() || character == '%');
    // The dash of a range is no sign, and that of a name makes no number.
    let is_range = unsigned.len() < outside.len() && number.ends_with(is_digit);
    let begins = if is_range { outside } else { unsigned };
    let is_part = !is_range && unsigned.ends_with(|character| goes_on(character) || character == '.');
    (!is_part).then(|| before.get(begins.len()..).unwrap_or("").trim_start_matches(is_mark))
}

/// Words that may stand between a number and its rate, as in "2,314 aggregate output tok/s".
const MOST_BETWEEN: usize = 2;

/// How long blanks and a unit behind a number are, with what the unit is divided by.
fn unit_behind(after: &str) -> Option<usize> {
    // A thousand tokens are a number of tokens.
    let after_multiple =
        after.strip_prefix(['k', 'K', 'M', 'G', 'B']).filter(|rest| rest.starts_with(char::is_whitespace)).unwrap_or(after);
    let is_passed = |character: char| is_mark(character) || character.is_whitespace();
    let is_letter = |character: char| character.is_alphabetic() || matches!(character, '%' | '×' | '°');
    let mut spaced = after_multiple.trim_start_matches(is_passed);
    let is_behind_a_blank = after.get(..after.len().saturating_sub(spaced.len()))?.contains(char::is_whitespace);
    for between in 0..=MOST_BETWEEN {
        let (unit, rest) = spaced.split_at_checked(spaced.find(|character| !is_letter(character)).unwrap_or(spaced.len()))?;
        let is_unit = UNITS.iter().any(|known| *known == unit || known.chars().count() > 2 && known.eq_ignore_ascii_case(unit));
        let is_factor = matches!(unit, "x" | "×") && is_behind_a_blank && !COMPARED.contains(&first_word(rest).0);
        if is_factor || rest.starts_with(char::is_alphanumeric) {
            return None;
        }
        if is_unit && (between == 0 || rest.starts_with('/')) {
            let divided = rest.find(|character: char| !is_letter(character) && character != '/').unwrap_or(rest.len());
            return Some(after.len().saturating_sub(rest.len()).saturating_add(divided));
        }
        spaced = rest.strip_prefix(' ').filter(|_| !unit.is_empty())?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_a_unit_are_measured() {
        let shown = |line| numbers_with_unit(line).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(
            shown("475.14 tok/s, 2.1 ms and 7,133 tokens; **3.38x** 12%"),
            ["475.14 tok/s", "2.1 ms", "7,133 tokens", "3.38x", "12%"]
        );
        for (page, number) in [
            ("ends with 4.5 s", "4.5 s"),
            ("1-2 ms.", "2 ms"),
            ("1ms–2 ms, 3", "2 ms"),
            ("a −8.69 ms", "−8.69 ms"),
            ("| -8.69% |", "-8.69%"),
            ("−**8.69** %", "−**8.69** %"),
            ("8.69\u{a0}tok/s", "8.69\u{a0}tok/s"),
            ("3  ms", "3  ms"),
            ("3 x faster", "3 x"),
            ("990 TFLOPS", "990 TFLOPS"),
            ("990 Tflops", "990 Tflops"),
            ("8 minutes", "8 minutes"),
            ("8 percent", "8 percent"),
            ("918 tps", "918 tps"),
            ("costs €0.50", "€0.50"),
            ("12.5k tok/s", "12.5k tok/s"),
            ("2,314.46 aggregate output tok/s", "2,314.46 aggregate output tok/s"),
        ] {
            assert_eq!(shown(page).last(), Some(&number), "{page}");
        }
        for page in [
            "version 1.2.3, v1.5 s",
            "$1k/1k$, 8B",
            "0x1f, 2 x a, 2 x 16, x 8 experts",
            "in 2026, c=16, p99 s, B200 GB",
            "gpu-3 s",
            "8 GPUs at full speed in tok/s",
            "128 output tokens",
            "2^3 s",
            "3 S",
        ] {
            assert_eq!(shown(page), Vec::<&str>::new(), "{page}");
        }
        assert_eq!(shown("é5µs"), Vec::<&str>::new());
    }
}

//! Published pages: whether a text stands there, and which measured numbers nobody claims.

use std::ops::Range;

use memchr::memmem::Finder;
use serde::Serialize;

use super::library::STEP_BYTES;
use super::manifest::{Claims, Published};
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

/// What makes a number a measured one, where it follows the number, after one blank or none.
const UNITS: [&str; 41] = [
    "%", "x", "×", "tok", "toks", "token", "tokens", "req", "requests", "it", "iter", "ops", "op", "q", "ns", "us", "µs", "μs", "ms", "s",
    "sec", "seconds", "min", "h", "KB", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB", "Hz", "kHz", "MHz", "GHz", "W", "J", "°C",
    "FLOPS",
];

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
    let published: Vec<&Published> = published.filter(|published| published.file.as_deref().is_none_or(|file| file == name)).collect();
    if published.len().saturating_mul(bytes.len() / STEP_BYTES) > limits::BENCH_WORK {
        return Err(format!("to look for {} texts in {} takes more than {} steps", published.len(), quoted(name), limits::BENCH_WORK));
    }
    let page = String::from_utf8_lossy(bytes);
    let mut claimed = vec![false; page.len()];
    for published in published {
        for place in places(&page, published) {
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

/// The line, from 1, where a published text first stands on its page.
pub(super) fn line_of(page: &str, published: &Published) -> Option<usize> {
    let place = places(page, published).next()?;
    Some(page.get(..place.start)?.matches('\n').count().saturating_add(1))
}

/// Whether the text that is published stands in a line, as a whole number, if it is one.
pub(super) fn stands_in(line: &str, published: &Published) -> bool {
    let finder = Finder::new(&published.text);
    let mut found = finder.find_iter(line.as_bytes()).map(|offset| offset..offset.saturating_add(published.text.len()));
    found.any(|range| is_whole(line, range))
}

/// Where a published text stands on a page: as a whole number, if it is one, and on a line with what is to stand beside it.
fn places<'p>(page: &'p str, published: &'p Published) -> impl Iterator<Item = Range<usize>> + 'p {
    let Published { text, beside, .. } = published;
    let finder = Finder::new(text);
    let lines = lines(page).filter(move |(_, _, line)| beside.as_ref().is_none_or(|beside| line.contains(beside.as_str())));
    lines.flat_map(move |(_, start, line)| {
        let found = finder.find_iter(line.as_bytes()).map(|offset| offset..offset.saturating_add(text.len()));
        let whole: Vec<Range<usize>> = found.filter(|range| is_whole(line, range.clone())).collect();
        whole.into_iter().map(move |range| start.saturating_add(range.start)..start.saturating_add(range.end))
    })
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

/// Whether what stands at `range` is not a part of a longer number: `8.69` is not in `28.69`, `8.691` or `-8.69`.
fn is_whole(line: &str, range: Range<usize>) -> bool {
    let (before, text, after) =
        (line.get(..range.start).unwrap_or(""), line.get(range.clone()).unwrap_or(""), line.get(range.end..).unwrap_or(""));
    let is_digit = |character: char| character.is_ascii_digit();
    let begins_whole = !text.starts_with(is_digit) || {
        let mut earlier = before.chars().rev();
        match earlier.next() {
            Some(character) if character.is_alphanumeric() || character == '_' => false,
            Some('.' | ',') => !earlier.next().is_some_and(is_digit),
            Some('-' | '−') => earlier.next().is_some_and(char::is_alphanumeric),
            _ => true,
        }
    };
    let ends_whole = !text.ends_with(is_digit) || {
        let mut later = after.chars();
        match later.next() {
            Some('.' | ',') => !later.next().is_some_and(is_digit),
            next => !next.is_some_and(is_digit),
        }
    };
    begins_whole && ends_whole
}

/// The numbers of a line after which a unit stands: where the number is, and number and unit as they are written.
fn numbers_with_unit(line: &str) -> Vec<(Range<usize>, &str)> {
    let mut numbers = Vec::new();
    let mut from = 0_usize;
    while let Some(start) = line.get(from..).and_then(|rest| rest.find(|character: char| character.is_ascii_digit())) {
        let start = from.saturating_add(start);
        let rest = line.get(start..).unwrap_or("");
        let is_part = |character: char| character.is_ascii_digit() || matches!(character, '.' | ',');
        let token = rest.split_once(|character: char| !is_part(character)).map_or(rest, |(token, _)| token).trim_end_matches(['.', ',']);
        let end = start.saturating_add(token.len());
        let after = line.get(end..).unwrap_or("");
        let spaced = after.strip_prefix(' ').unwrap_or(after);
        let is_letter = |character: char| character.is_alphabetic() || matches!(character, '%' | '×' | '°');
        let unit = spaced.split_once(|character: char| !is_letter(character)).map_or(spaced, |(unit, _)| unit);
        let is_whole_unit = !spaced.get(unit.len()..).unwrap_or("").starts_with(char::is_alphanumeric);
        // "2 x 16" multiplies.
        let is_factor = unit == "x" && after != spaced;
        if UNITS.contains(&unit) && is_whole_unit && !is_factor && is_whole(line, start..end) {
            let is_shown = |character: char| is_letter(character) || character == '/';
            let shown = spaced.find(|character: char| !is_shown(character)).unwrap_or(spaced.len());
            let length = rest.len().saturating_sub(spaced.len()).saturating_add(shown);
            numbers.push((start..end, rest.get(..length).unwrap_or(token)));
        }
        from = end;
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(page: &str, text: &str, beside: Option<&str>) -> Option<usize> {
        line_of(page, &Published { file: None, text: text.to_owned(), beside: beside.map(str::to_owned) })
    }

    #[test]
    fn a_number_stands_on_a_page_as_a_whole_only() {
        for page in ["28.69", "8.691", "18.69", "8.69,5", "1,8.69", "-8.69", "| −8.69 |", "c8.69", "_8.69"] {
            assert_eq!(line(page, "8.69", None), None, "{page}");
        }
        for page in ["8.69", "**8.69x**", "| 8.69 |", "8.69.", "8.69, and", "=8.69", "5-8.69", "8.69ms", "(8.69)", "$8.69"] {
            assert_eq!(line(page, "8.69", None), Some(1), "{page}");
        }
        assert_eq!(line("a 18\n8 b", "8", None), Some(2));
        assert_eq!(line("-8.69", "-8.69", None), Some(1));
        assert_eq!(line("3.38xy", "3.38x", None), Some(1));
    }

    #[test]
    fn what_stands_beside_it_chooses_the_line() {
        let page = "| c=8 | 918 |\n| c=16 | 918 |\n";
        assert_eq!(line(page, "918", Some("c=16")), Some(2));
        assert_eq!(line(page, "918", Some("c=32")), None);
        assert_eq!(line("", "918", None), None);
    }

    #[test]
    fn numbers_with_a_unit_are_measured() {
        let shown = |line| numbers_with_unit(line).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(
            shown("475.14 tok/s, 2.1 ms and 7,133 tokens; **3.38x** 12%"),
            ["475.14 tok/s", "2.1 ms", "7,133 tokens", "3.38x", "12%"]
        );
        assert_eq!(shown("version 1.2.3, 0x1f, 2 x a, in 2026, c=16, p99 s, B200 GB, x 8 experts, 3  ms"), Vec::<&str>::new());
        assert_eq!(shown("ends with 4.5 s"), ["4.5 s"]);
        assert_eq!(shown("1-2 ms."), ["2 ms"]);
        assert_eq!(shown("é5µs"), Vec::<&str>::new());
    }
}

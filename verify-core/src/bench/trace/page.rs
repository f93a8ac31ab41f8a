//! Published pages: whether a text stands there, and which measured numbers nobody claims.

use std::ops::Range;

use memchr::memmem::{self, Finder};
use memchr::{memchr, memchr_iter, memchr2, memrchr};
use serde::Serialize;

use super::library::{STEP_BYTES, STEPS_A_HIT};
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
    let mut steps = published.len().saturating_mul(bytes.len() / STEP_BYTES);
    let mut is_over = |published: &&Published| {
        let hits = Finder::new(&published.text).find_iter(bytes).count();
        steps = steps.saturating_add(hits.saturating_mul(STEPS_A_HIT));
        steps > limits::BENCH_WORK
    };
    if published.len().saturating_mul(bytes.len() / STEP_BYTES) > limits::BENCH_WORK || published.iter().any(&mut is_over) {
        return Err(format!("to look for {} texts in {} takes more than {} steps", published.len(), quoted(name), limits::BENCH_WORK));
    }
    let page = String::from_utf8_lossy(bytes);
    let mut claimed = vec![false; page.len()];
    for published in published {
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

/// The line, from 1, where a published text first stands on its page.
pub(super) fn line_of(page: &str, published: &Published) -> Option<usize> {
    places(page, published).next().map(|(line, _)| line)
}

/// Whether the text that is published stands in a line by itself.
pub(super) fn stands_in(line: &str, published: &Published) -> bool {
    places(line, published).next().is_some()
}

/// The lines in which a text stands that has no end of a line in it: their numbers from 1, the bytes at which they begin, and they.
pub(super) fn lines_with<'p>(page: &'p str, text: &str) -> impl Iterator<Item = (usize, usize, &'p str)> {
    let (finder, bytes) = (Finder::new(text).into_owned(), page.as_bytes());
    let (mut from, mut line) = (0_usize, 1_usize);
    std::iter::from_fn(move || {
        let rest = bytes.get(from..)?;
        let found = finder.find(rest)?;
        let (before, after) = rest.split_at_checked(found)?;
        let start = from.saturating_add(memrchr(b'\n', before).map_or(0, |newline| newline.saturating_add(1)));
        let end = from.saturating_add(found).saturating_add(memchr(b'\n', after).unwrap_or(after.len()));
        let number = line.saturating_add(memchr_iter(b'\n', before).count());
        (from, line) = (end.saturating_add(1), number.saturating_add(1));
        Some((number, start, page.get(start..end)?))
    })
}

/// Where a published text stands on a page by itself, and on a line with what is to stand beside it; and the number of that line.
fn places<'p>(page: &'p str, published: &'p Published) -> impl Iterator<Item = (usize, Range<usize>)> + 'p {
    let Published { text, beside, .. } = published;
    let lines = lines_with(page, text)
        .filter(move |(_, _, line)| beside.as_ref().is_none_or(|beside| by_itself(line, beside.as_str()).next().is_some()));
    lines.flat_map(move |(number, start, line)| {
        by_itself(line, text).map(move |range| (number, start.saturating_add(range.start)..start.saturating_add(range.end)))
    })
}

/// Where `text` stands by itself on `line`.
fn by_itself<'l>(line: &'l str, text: &'l str) -> impl Iterator<Item = Range<usize>> + 'l {
    let mut from = 0_usize;
    let places = std::iter::from_fn(move || {
        let offset = from.saturating_add(memmem::find(line.as_bytes().get(from..)?, text.as_bytes())?);
        from = offset.saturating_add(text.len());
        Some(offset..from)
    });
    places.filter(|range| is_whole(line, range.clone()))
}

/// What stands on a page and readers do not see, or see struck out: how it begins, in lower case, and how it ends.
const UNSEEN: [(&str, &str); 5] = [("<!--", "-->"), ("~~", "~~"), ("<del", "</del>"), ("<s", "</s>"), ("<strike", "</strike>")];

/// Stands for each byte that is not seen. No text that is looked for stands by itself beside it.
const HIDDEN: char = '\0';

/// A page as its readers see it: comments and what is struck out is blotted, byte by byte, so that lines and places stay. What is begun
/// in HTML and never ends goes on to the end of the page; tildes strike out within a paragraph.
pub(super) fn seen(page: &str) -> String {
    let lower = page.to_ascii_lowercase();
    let (mut seen, mut from) = (String::with_capacity(page.len()), 0_usize);
    while let Some(start) = lower.as_bytes().get(from..).and_then(|rest| memchr2(b'<', b'~', rest)).map(|found| from.saturating_add(found))
    {
        let rest = lower.get(start..).unwrap_or("");
        let (shown, hidden) = unseen(rest).map_or_else(|run| (run, 0), |hidden| (0, hidden));
        let (shown, end) = (start.saturating_add(shown), start.saturating_add(shown).saturating_add(hidden));
        seen.push_str(page.get(from..shown).unwrap_or(""));
        seen.extend(lower.get(shown..end).unwrap_or("").bytes().map(|byte| if byte == b'\n' { '\n' } else { HIDDEN }));
        from = end;
    }
    seen + page.get(from..).unwrap_or("")
}

/// How many bytes are not seen at the beginning of `rest`, or how many of it can be passed over.
fn unseen(rest: &str) -> Result<usize, usize> {
    let run = rest.len().saturating_sub(rest.trim_start_matches('~').len());
    let begins = |open: &str| match open {
        "~~" => run == open.len(),
        "<!--" => rest.starts_with(open),
        // A tag, and not one that only begins like it.
        _ => rest.strip_prefix(open).is_some_and(|more| !more.starts_with(|character: char| character.is_alphanumeric())),
    };
    let (open, close) = UNSEEN.iter().find(|(open, _)| begins(open)).ok_or(run.max(1))?;
    let inner = rest.get(open.len()..).unwrap_or("");
    let end = Finder::new(close).find(inner.as_bytes());
    let is_struck = end.is_some_and(|end| !inner.get(..end).unwrap_or("").contains("\n\n"));
    match *open == "~~" && !is_struck {
        true => Err(run),
        false => Ok(end.map_or(rest.len(), |end| open.len().saturating_add(end).saturating_add(close.len()))),
    }
}

/// Bytes beside a found text that decide whether it stands by itself.
const BESIDE: usize = 64;

/// Whether what stands at `range` stands by itself: it is no part of a longer number, expression, name or unit. `docs/trace.md` has the
/// rule.
fn is_whole(line: &str, range: Range<usize>) -> bool {
    let text = line.get(range.clone()).unwrap_or("");
    let boundary = |mut bytes: Range<usize>| bytes.find(|byte| line.is_char_boundary(*byte)).unwrap_or(line.len());
    let first = boundary(range.start.saturating_sub(BESIDE)..line.len());
    let last = boundary(range.end.saturating_add(BESIDE)..line.len());
    begins_whole(line.get(first..range.start).unwrap_or(""), first > 0) && ends_whole(text, line.get(range.end..last).unwrap_or(""))
}

/// What readers do not see beside a number: emphasis, code, escapes, and characters without width.
fn is_mark(character: char) -> bool {
    matches!(character, '*' | '`' | '\\' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// What makes a word or a number longer, on whichever side it stands.
fn goes_on(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '^' | HIDDEN | '\u{300}'..='\u{36f}' | '\u{20d0}'..='\u{20ff}')
}

/// What stands between the digits of one number: a point, a comma, an apostrophe, and blanks that do not break a line.
fn is_separator(character: char) -> bool {
    matches!(character, '.' | ',' | '\'' | '’' | '\u{a0}' | '\u{2007}' | '\u{2009}' | '\u{202f}')
}

fn is_dash(character: char) -> bool {
    matches!(character, '-' | '‐' | '‑' | '‒' | '–' | '—' | '﹣' | '－')
}

fn is_digit(character: char) -> bool {
    character.is_ascii_digit()
}

fn begins_whole(before: &str, is_cut: bool) -> bool {
    let before = before.trim_end_matches(|character| is_mark(character) || matches!(character, '$' | '€' | '£' | '¥'));
    let mut earlier = before.chars();
    let Some(last) = earlier.next_back() else { return !is_cut };
    let earlier = earlier.as_str();
    let is_reference = last == ';'
        && earlier.rsplit_once('&').is_some_and(|(_, name)| name.chars().all(|character| character == '#' || character.is_alphanumeric()));
    // Between two numbers, be it with a unit, a dash makes a range; elsewhere it is a sign, or a part of a name or of an exponent.
    let is_range = || {
        let number = earlier.trim_end_matches(|character: char| character.is_alphabetic() || character == '%');
        number.ends_with(is_digit) && !matches!(earlier.get(number.len()..), Some("e" | "E"))
    };
    match last {
        '.' => false,
        _ if is_reference || goes_on(last) || before.trim_end().ends_with('−') => false,
        _ if is_separator(last) => !earlier.ends_with(is_digit),
        _ if is_dash(last) => is_range(),
        _ => true,
    }
}

fn ends_whole(text: &str, after: &str) -> bool {
    const TIMES: [char; 7] = ['×', 'x', 'X', '*', '·', '⋅', '∙'];
    let is_number = text.ends_with(is_digit);
    let after = after.trim_start_matches(is_mark);
    let is_multiplied = after.trim_start().strip_prefix(TIMES).is_some_and(|factor| factor.trim_start().starts_with(is_digit));
    // Behind a number a unit may stand, which the text leaves out as a whole.
    let unit = if is_number { after.split(|character: char| !character.is_alphabetic()).next().unwrap_or("") } else { "" };
    let rest = after.get(unit.len()..).unwrap_or("");
    let mut later = rest.chars();
    let Some(next) = later.next() else { return true };
    let later = later.as_str();
    let is_exponent = matches!(unit, "e" | "E") && (is_dash(next) || matches!(next, '+' | '−')) && later.starts_with(is_digit);
    let is_index = next == '&' || rest.starts_with("<sup") || rest.starts_with("<sub");
    let is_longer = match (is_number, unit) {
        (true, "") => is_separator(next) && later.starts_with(is_digit),
        (true, _) => false,
        (false, _) => matches!(next, '/' | '·' | '⋅') && later.starts_with(char::is_alphabetic),
    };
    !(is_multiplied || goes_on(next) || is_exponent || is_index || is_longer)
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
    fn a_number_stands_on_a_page_by_itself_only() {
        for page in [
            "28.69",
            "8.691",
            "18.69",
            "8.69,5",
            "1,8.69",
            "-8.69",
            "| −8.69 |",
            "c8.69",
            "_8.69",
            "8.69e3",
            "8.69E-7",
            "8.69e+7",
            "8.69E−7",
            "8.69x10^3",
            "8.69 x10^3",
            "8.69×10^3",
            "8.69 × 10<sup>3</sup>",
            "8.69 * 2",
            "8.69·10³",
            "8.69_1",
            "8_8.69",
            "8.69'123",
            "1'8.69",
            "1’8.69",
            "8.69^2",
            "2^8.69",
            "8.69²",
            "8.69<sup>2</sup>",
            "–8.69",
            "a –8.69",
            "— −8.69",
            "− 8.69",
            "−**8.69**",
            "-$8.69",
            "- −8.69",
            "&minus;8.69",
            "&#8722;8.69",
            "8.69&times;10",
            "1\u{202f}8.69",
            "8.69\u{a0}123",
            "8.69\u{200b}1",
            "8.69\u{336}",
            "**1**8.69",
            "8.69**1**",
            "9.1e-8.69",
            "10^-8.69",
            "v-8.69",
            "8.69ms2",
            "8.69ab_1",
            ".8.69",
            "8\\.8.69",
        ] {
            assert_eq!(line(page, "8.69", None), None, "{page}");
        }
        for page in [
            "8.69",
            "**8.69x**",
            "| 8.69 |",
            "8.69.",
            "8.69, and",
            "=8.69",
            "5-8.69",
            "5–8.69",
            "5ms–8.69ms",
            "5%-8.69%",
            "8.69ms",
            "(8.69)",
            "$8.69",
            "+8.69",
            "~8.69",
            "- 8.69",
            "* 8.69",
            "p50 – 8.69 ms",
            "1 **8.69** 10",
            "`8.69`",
            "'8.69'",
            "9.1/8.69/7",
            "8.69/s",
            "8.69 x",
            "8.69 times 10",
            "8.69e",
            "a;8.69",
            "1 8.69 1",
            "<td>8.69</td><td>1</td>",
        ] {
            assert_eq!(line(page, "8.69", None), Some(1), "{page}");
        }
        assert_eq!(line("1e-7", "7", None), None);
        assert_eq!(line("a 18\n8 b", "8", None), Some(2));
        assert_eq!(line("-8.69", "-8.69", None), Some(1));
        assert_eq!(line("5-8.69", "-8.69", None), None);
        assert_eq!(line(&format!("-{}8.69", "*".repeat(100)), "8.69", None), None, "what stands further away is not looked at");
    }

    #[test]
    fn a_unit_stands_there_as_a_whole() {
        for (page, text) in [
            ("8.69 ms", "8.69 m"),
            ("8.69 m/s", "8.69 m"),
            ("8.69 tok/s/GPU", "8.69 tok/s"),
            ("8.69 m²", "8.69 m"),
            ("8.69 m^2", "8.69 m"),
            ("8.69 N·m", "8.69 N"),
            ("3.38xy", "3.38x"),
            ("8.69 m2", "8.69 m"),
            ("8.69 °C", "8.69 °"),
            ("8.69 s × 3", "8.69 s"),
            ("US$8.69", "$8.69"),
            ("-$8.69", "$8.69"),
        ] {
            assert_eq!(line(page, text, None), None, "{page}");
        }
        for (page, text) in [("8.69 ms", "8.69 ms"), ("8.69 ms/12 ms", "8.69 ms"), ("3.38x 4", "3.38x"), ("8.69 %.", "8.69 %")] {
            assert_eq!(line(page, text, None), Some(1), "{page}");
        }
    }

    #[test]
    fn what_readers_do_not_see_is_not_on_the_page() {
        let found = |page: &str| line(&seen(page), "8.69", None);
        for page in [
            "<!-- 8.69 -->",
            "<!--\n8.69\n-->",
            "a <!-- 8.69",
            "~~8.69~~",
            "~~was\n8.69~~",
            "<del>8.69</del>",
            "<DEL class='a'>8.69</Del>",
            "<s>8.69</s>",
            "<strike>8.69</strike>",
            "5<!-- -->8.69",
            "8.69<!-- -->1",
            "<s>a",
        ] {
            assert_eq!(found(&format!("{page}{}", if page == "<s>a" { " 8.69" } else { "" })), None, "{page}");
        }
        for (page, line) in [
            ("<!-- a -->\n 8.69", 2),
            ("<!--\n\n-->\n8.69", 4),
            ("~~a~~ 8.69", 1),
            ("~~ a\n\n8.69 ~~", 3),
            ("~~~\n8.69\n~~~", 2),
            ("~8.69~", 1),
            ("<span>8.69</span> </s>", 1),
            ("<delta> 8.69", 1),
            ("a < 8.69", 1),
        ] {
            assert_eq!(found(page), Some(line), "{page}");
        }
        assert_eq!(seen("é <!--é\n-->~~é~~ é"), "é \0\0\0\0\0\0\n\0\0\0\0\0\0\0\0\0 é");
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

//! Published pages and lines: whether a text stands there by itself.

use std::ops::Range;

use memchr::memmem::{self, Finder};
use memchr::{memchr, memchr_iter, memrchr};

use super::manifest::Published;
use super::seen::HIDDEN;
use crate::text::quoted;

/// The line, from 1, where a published text first stands on its page, and its place there; without one, why not.
pub(super) fn find(page: &str, published: &Published) -> Result<(usize, Range<usize>), String> {
    let shown = published.as_seen();
    if let Some(found) = places(page, &shown).next() {
        return Ok(found);
    }
    let beside = published.beside.as_ref().map_or_else(String::new, |beside| format!(" on a line with {}", quoted(beside)));
    let part = lines_with(page, &shown.text).next().map_or_else(String::new, |(number, _, line)| {
        let found = memmem::find(line.as_bytes(), shown.text.as_bytes()).unwrap_or_default();
        format!(", only {} in line {number}", quoted(around(line, found..found.saturating_add(shown.text.len()))))
    });
    Err(format!("{}{beside}{part}", quoted(&published.text)))
}

/// What stands at `range` of a line, with a little on either side.
fn around(line: &str, range: Range<usize>) -> &str {
    const SIDE: usize = 12;
    let before = line
        .get(..range.start)
        .unwrap_or("")
        .char_indices()
        .rev()
        .nth(SIDE)
        .map_or(0, |(byte, character)| byte.saturating_add(character.len_utf8()));
    let after = line.get(range.end..).unwrap_or("").char_indices().nth(SIDE).map_or(line.len(), |(byte, _)| range.end.saturating_add(byte));
    line.get(before..after).unwrap_or(line)
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
pub(super) fn places<'p>(page: &'p str, published: &'p Published) -> impl Iterator<Item = (usize, Range<usize>)> + 'p {
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

/// What readers do not see beside a number: emphasis, code, escapes, grouping of TeX, and characters without width.
pub(super) fn is_mark(character: char) -> bool {
    matches!(character, '*' | '`' | '\\' | '{' | '}' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// What makes a word or a number longer, on whichever side it stands: letters and digits, raised and combining ones too.
pub(super) fn goes_on(character: char) -> bool {
    character.is_alphanumeric()
        || matches!(
            character,
            '_' | '^' | '⁄' | '∕' | '÷' | '／' | HIDDEN | '\u{300}'..='\u{36f}' | '\u{2070}'..='\u{209f}' | '\u{20d0}'..='\u{20ff}'
        )
}

/// What stands between the digits of one number: a point, a comma, an apostrophe, and blanks that do not break a line.
fn is_separator(character: char) -> bool {
    matches!(character, '.' | ',' | '\'' | '’' | '~' | '\u{a0}' | '\u{2007}' | '\u{2009}' | '\u{202f}')
}

pub(super) fn is_dash(character: char) -> bool {
    matches!(character, '-' | '‐' | '‑' | '‒' | '–' | '—' | '﹣' | '－' | '˗')
}

pub(super) fn is_minus(character: char) -> bool {
    matches!(character, '−' | '➖')
}

pub(super) fn is_currency(character: char) -> bool {
    matches!(character, '$' | '€' | '£' | '¥')
}

pub(super) fn is_digit(character: char) -> bool {
    character.is_ascii_digit()
}

/// What times another number follows.
const TIMES: [char; 11] = ['×', 'x', 'X', '*', '·', '⋅', '∙', '✕', '✖', '⨯', '∗'];

/// Words that make the number before them another one: letters as they are, words in any case.
const MULTIPLES: [&str; 12] = ["k", "K", "M", "G", "T", "B", "bn", "mn", "thousand", "million", "billion", "trillion"];

/// The word with which `text` begins, after blanks, marks and brackets, and what follows it.
pub(super) fn first_word(text: &str) -> (&str, &str) {
    let is_passed = |character: char| character.is_whitespace() || is_mark(character) || matches!(character, '$' | '~' | '[' | '(');
    let text = text.strip_prefix('-').unwrap_or(text).trim_start_matches(is_passed);
    text.split_at_checked(text.find(|character: char| !character.is_alphabetic()).unwrap_or(text.len())).unwrap_or((text, ""))
}

/// Whether it is one of these words, of which those of a single letter have their case.
fn is_word_of(words: &[&str], word: &str) -> bool {
    words.iter().any(|known| *known == word || known.len() > 1 && known.eq_ignore_ascii_case(word))
}

/// Whether a number begins behind `before`, of which `is_cut` says whether it is the end of something longer.
pub(super) fn begins_whole(before: &str, is_cut: bool) -> bool {
    let is_passed = |character| is_mark(character) || is_currency(character);
    let before = match before.trim_end() {
        // A currency that stands by itself may have a sign, too.
        priced if priced.ends_with(is_currency) => priced.trim_end_matches(is_passed),
        _ => before.trim_end_matches(is_passed),
    };
    let outside = before.trim_end_matches(|character| is_passed(character) || matches!(character, '(' | '[' | '~' | '\u{2009}' | '\u{a0}'));
    if is_negated(outside) {
        return false;
    }
    let mut earlier = before.chars();
    let Some(last) = earlier.next_back() else { return !is_cut };
    let earlier = earlier.as_str();
    let is_reference = last == ';'
        && earlier.rsplit_once('&').is_some_and(|(_, name)| name.chars().all(|character| character == '#' || character.is_alphanumeric()));
    match last {
        '.' => false,
        _ if is_reference || goes_on(last) => false,
        _ if is_separator(last) => !earlier.ends_with(is_digit),
        _ => !is_cut || !outside.is_empty(),
    }
}

/// Whether a number is negative behind this: there is a minus, a word for it, or a dash that is none of a range.
fn is_negated(before: &str) -> bool {
    let told = before.trim_end();
    let word = told.rsplit(|character: char| !character.is_alphanumeric()).next().unwrap_or("");
    if told.ends_with(is_minus) || is_word_of(&["minus", "negative"], word) {
        return true;
    }
    let Some(earlier) = before.strip_suffix(is_dash) else { return false };
    // Between two numbers, be it with a unit, a dash makes a range; elsewhere it is a sign, or a part of a name or of an exponent.
    let number = earlier.trim_end_matches(|character: char| character.is_alphabetic() || character == '%');
    !number.ends_with(is_digit) || matches!(earlier.get(number.len()..), Some("e" | "E"))
}

fn ends_whole(text: &str, after: &str) -> bool {
    let is_number = text.ends_with(is_digit);
    let after = after.trim_start_matches(is_mark);
    let outside = after.trim_start_matches(|character| is_mark(character) || matches!(character, ')' | ']' | '$' | '~'));
    let is_passed = |character: char| character.is_whitespace() || is_mark(character) || matches!(character, '(' | '~');
    let is_number_behind = |factor: &str| factor.trim_start_matches(is_passed).starts_with(is_digit);
    let (word, behind) = first_word(after);
    let spaced = outside.trim_start_matches(|character: char| character.is_whitespace() || matches!(character, '(' | '~'));
    let is_multiplied = spaced.strip_prefix(TIMES).is_some_and(is_number_behind)
        || word.eq_ignore_ascii_case("times") && is_number_behind(behind)
        || outside != after && outside.starts_with('^');
    let is_whole_word = !behind.starts_with(|character: char| character.is_alphanumeric());
    let is_multiple = is_number && is_whole_word && is_word_of(&MULTIPLES, word);
    // An exponent has a sign or none; after a blank, it is one of these, too.
    let is_exponent = is_number
        && matches!(word, "e" | "E")
        && behind
            .trim_start_matches(|character| is_mark(character) || is_dash(character) || matches!(character, '+' | '−'))
            .starts_with(is_digit);
    if is_multiplied || is_multiple || is_exponent {
        return false;
    }
    // Behind a number a unit may stand, which the text leaves out as a whole.
    let unit = if is_number { after.split(|character: char| !character.is_alphabetic()).next().unwrap_or("") } else { "" };
    let rest = after.get(unit.len()..).unwrap_or("");
    let mut later = rest.chars();
    let Some(next) = later.next() else { return true };
    let later = later.as_str();
    // A raised sign leads to a footnote.
    let is_footnote = next == '^' && later.starts_with(['†', '‡', '*', '§', '¶', '[']);
    let is_longer = match (is_number, unit) {
        (true, "") => is_separator(next) && later.starts_with(is_digit),
        (true, _) => false,
        (false, _) => {
            let divisor = rest.trim_start().strip_prefix(['/', '·', '⋅', '*']);
            let is_inverse = behind.starts_with(['⁻', '^']) && next.is_whitespace();
            is_word_of(&["per"], word) || is_inverse || divisor.is_some_and(|unit| unit.trim_start().starts_with(char::is_alphabetic))
        }
    };
    is_footnote || !(goes_on(next) || next == '&' || is_longer)
}

#[cfg(test)]
mod tests {
    use super::super::seen::seen;
    use super::*;

    fn line(page: &str, text: &str, beside: Option<&str>) -> Option<usize> {
        find(page, &Published { file: None, text: text.to_owned(), beside: beside.map(str::to_owned) }).ok().map(|(line, _)| line)
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
            "-(8.69)",
            "−[(8.69)",
            "minus 8.69",
            "a negative 8.69",
            "(8.69) × 10",
            "(8.69)^2",
            "8.69⁻³",
            "8.69k",
            "8.69 M",
            "8.69 million",
            "8.69⁄2",
            "1⁄8.69",
            "8.69 × (10)",
            "8.69 times 10",
            "8.69 ✕ 10",
            "8.69 Million",
            "8.69 **million**",
            "8.69 [million](x)",
            "8.69-million",
            "8.69~k",
            "8.69$k$",
            "8.69 e3",
            "1~8.69",
            "-~8.69",
            "Minus 8.69",
            "−€ 8.69",
            "-$ 8.69",
            "➖8.69",
            "˗8.69",
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
            "8.69 times faster",
            "8.69 times",
            "8.69e",
            "a;8.69",
            "1 8.69 1",
            "<td>8.69</td><td>1</td>",
            "5-(8.69)",
            "a (8.69)",
            "- (8.69)",
            "terminus 8.69",
            "8.69 | k",
            "8.69 Mop",
            "8.69 K3",
            "8.69 B200",
            "8.69^†",
            "8.69^[1]",
            "8.69 energy",
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
            ("8.69 s⁻¹", "8.69 s"),
            ("8.69 tok / s", "8.69 tok"),
            ("8.69 tok⁄s", "8.69 tok"),
            ("8.69 tok／s", "8.69 tok"),
            ("8.69 tok s⁻¹", "8.69 tok"),
            ("8.69 tok **Per** s", "8.69 tok"),
            ("8.69 tok per second", "8.69 tok"),
            ("US$8.69", "$8.69"),
            ("-$8.69", "$8.69"),
        ] {
            assert_eq!(line(page, text, None), None, "{page}");
        }
        for (page, text) in [
            ("8.69 ms", "8.69 ms"),
            ("8.69 ms/12 ms", "8.69 ms"),
            ("8.69 ms / 12 ms", "8.69 ms"),
            ("3.38x 4", "3.38x"),
            ("8.69 %.", "8.69 %"),
        ] {
            assert_eq!(line(page, text, None), Some(1), "{page}");
        }
    }

    #[test]
    fn a_number_stands_on_a_page_as_readers_see_it() {
        let found = |page: &str| line(&seen(page), "8.69", None);
        for page in [
            "<!-- 8.69 -->",
            "5<!-- -->8.69",
            "8.69<!-- -->1",
            "~~8.69~~",
            "~8.69~",
            "−[8.69 %](x)",
            "-<b>8.69</b>",
            "&minus; 8.69",
            "8.69<b>1</b>",
            "8.69<sup>2</sup>",
            "8.69 &times; 10<sup>3</sup>",
            r"8.69 \times 10^3",
            r"$-\,8.69$",
            r"$-\ 8.69$",
            r"$-\!8.69$",
            r"$1{,}8.69$",
            r"$1\;8.69$",
            r"$1\!8.69$",
            r"$8.69\,\times\,10^3$",
            r"$8.69~\cdot~10^3$",
            r"$8.69\,\mathrm{k}$",
            r"$8.69\,\text{million}$",
            r"$8.69\mathrm{e}3$",
            "[//]: # (8.69)",
            "<p hidden>8.69</p>",
            r"8.69 \* 10^3",
            r"$8.69 \cdot 10^{3}$",
            "$-$8.69",
            "${-}8.69$",
            "8.69&unknown;",
            "&unknown;8.69",
        ] {
            assert_eq!(found(page), None, "{page}");
        }
        for (page, line) in [
            ("<!-- a -->\n 8.69", 2),
            ("<!--\n\n-->\n8.69", 4),
            ("~~a~~ 8.69", 1),
            ("~~ a\n\n8.69 ~~", 3),
            ("~~~\n8.69\n~~~", 2),
            ("~8.69", 1),
            ("<span>8.69</span> </s>", 1),
            ("a < 8.69", 1),
            ("<tr><td>1</td><td>8.69</td><td>1</td></tr>", 1),
            ("[8.69](x) [1](y)", 1),
            ("<b>8.69</b> 1", 1),
            (r"$8.69\%$", 1),
            (r"$\mathbf{8.69}$", 1),
            (r"$\leq8.69$", 1),
            ("_8.69_", 1),
            ("__8.69__ **ms**", 1),
            ("8.69<sup>†</sup>", 1),
            ("<td>−</td><td>8.69</td><td>M</td>", 1),
            ("[^1]: 8.69", 1),
        ] {
            assert_eq!(found(page), Some(line), "{page}");
        }
    }

    #[test]
    fn emphasis_on_a_page_or_in_a_claim_is_no_text() {
        for text in ["8.69 tok/s", "8.69** tok/s", "**8.69** tok/s"] {
            assert_eq!(line(&seen("a\n**8.69** tok/s"), text, None), Some(2), "{text}");
        }
    }

    #[test]
    fn what_stands_beside_it_chooses_the_line() {
        let page = "| c=8 | 918 |\n| c=16 | 918 |\n";
        assert_eq!(line(page, "918", Some("c=16")), Some(2));
        assert_eq!(line(page, "918", Some("c=32")), None);
        assert_eq!(line("", "918", None), None);
    }
}

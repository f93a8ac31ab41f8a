//! Published pages as their readers see them: Markdown and HTML without what is not shown.

use std::iter::Peekable;
use std::ops::Range;

use memchr::memchr_iter;
use memchr::memmem::Finder;

/// Stands for what is not seen. No text that is looked for stands by itself beside it.
pub(super) const HIDDEN: char = '\0';

/// Elements whose content is not read as it stands: struck out, or no text.
const UNREAD: [&str; 6] = ["del", "s", "strike", "script", "style", "template"];

/// Elements that part the text before them from the text behind them. Others do not: `8.6<b>9</b>` reads 8.69.
const PARTING: [&str; 30] = [
    "blockquote",
    "br",
    "caption",
    "center",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "figcaption",
    "figure",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "li",
    "ol",
    "p",
    "pre",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "th",
    "tr",
    "ul",
];

/// Characters by the names that HTML has for them.
const REFERENCES: [(&str, char); 27] = [
    ("amp", '&'),
    ("apos", '\''),
    ("approx", '≈'),
    ("deg", '°'),
    ("emsp", '\u{2003}'),
    ("ensp", '\u{2002}'),
    ("frasl", '⁄'),
    ("gt", '>'),
    ("hyphen", '‐'),
    ("lt", '<'),
    ("mdash", '—'),
    ("micro", 'µ'),
    ("middot", '·'),
    ("minus", '−'),
    ("nbsp", '\u{a0}'),
    ("ndash", '–'),
    ("percnt", '%'),
    ("plusmn", '±'),
    ("quot", '"'),
    ("sdot", '⋅'),
    ("shy", '\u{ad}'),
    ("sol", '/'),
    ("sup1", '¹'),
    ("sup2", '²'),
    ("sup3", '³'),
    ("thinsp", '\u{2009}'),
    ("times", '×'),
];

/// Characters by the names that TeX has for them.
const COMMANDS: [(&str, char); 7] = [("approx", '≈'), ("cdot", '⋅'), ("div", '÷'), ("mu", 'µ'), ("pm", '±'), ("sim", '~'), ("times", '×')];

/// A page as its readers see it, in the same lines: without tags, comments and the targets of links, with characters for references,
/// escapes and commands, and with [`HIDDEN`] for what is struck out or no text. What is begun in HTML and never ends goes on to the end of
/// the page. Emphasis and code marks are left.
pub(super) fn seen(page: &str) -> String {
    let lower = page.to_ascii_lowercase();
    let mut struck = struck_out(page).into_iter().peekable();
    let (mut seen, mut from) = (String::with_capacity(page.len()), 0_usize);
    while let Some(start) = page.get(from..).and_then(|rest| rest.find(['<', '&', '\\', ']', '~'])).map(|found| from.saturating_add(found))
    {
        seen.push_str(page.get(from..start).unwrap_or(""));
        let token = token(lower.get(start..).unwrap_or(""), start, &mut struck);
        let (shown, length) = token.unwrap_or((Shown::Itself, 1));
        let written = page.get(start..start.saturating_add(length)).unwrap_or("");
        match shown {
            Shown::Itself => seen.push_str(written),
            Shown::Text(text) => seen.push_str(text),
            Shown::Character(character) => seen.push(character),
            Shown::Nothing => seen.push(HIDDEN),
        }
        // What takes several lines still does.
        if !matches!(shown, Shown::Itself) {
            seen.extend(memchr_iter(b'\n', written.as_bytes()).map(|_| '\n'));
        }
        from = start.saturating_add(length);
    }
    seen + page.get(from..).unwrap_or("")
}

/// What a reader sees in the place of some markup.
enum Shown {
    Itself,
    Text(&'static str),
    Character(char),
    Nothing,
}

/// What stands at the beginning of `rest`, which is in lower case and begins at the byte `start` of the page, and its length.
fn token(rest: &str, start: usize, struck: &mut Peekable<impl Iterator<Item = Range<usize>>>) -> Option<(Shown, usize)> {
    let inner = rest.get(1..)?;
    match rest.chars().next()? {
        '<' => tag(rest),
        '&' => {
            let end = inner.bytes().take(LONGEST_REFERENCE).position(|byte| byte == b';')?;
            Some((Shown::Character(referred(inner.get(..end)?)?), end.saturating_add(2)))
        }
        '\\' => {
            let command = inner.split(|character: char| !character.is_ascii_alphabetic()).next().unwrap_or("");
            match (COMMANDS.iter().find(|(name, _)| *name == command), inner.chars().next()) {
                (Some((_, character)), _) => Some((Shown::Character(*character), command.len().saturating_add(1))),
                (None, Some(escaped)) if escaped.is_ascii_punctuation() => Some((Shown::Character(escaped), 2)),
                _ => None,
            }
        }
        ']' => {
            let target = inner.strip_prefix('(')?;
            let end = target.find([')', '[', ']', '\n'])?;
            target.get(end..)?.starts_with(')').then_some((Shown::Text(""), end.saturating_add(3)))
        }
        _ => {
            while struck.next_if(|range| range.start < start).is_some() {}
            struck.next_if(|range| range.start == start).map(|range| (Shown::Nothing, range.len()))
        }
    }
}

/// Bytes of the longest reference that is looked for, with its semicolon.
const LONGEST_REFERENCE: usize = 12;

/// The character that `&name;` stands for.
fn referred(name: &str) -> Option<char> {
    let code = match name.strip_prefix('#') {
        None => return REFERENCES.iter().find(|(known, _)| *known == name).map(|(_, character)| *character),
        Some(number) => number.strip_prefix('x').map_or_else(|| number.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok())?,
    };
    char::from_u32(code).filter(|character| !character.is_control())
}

/// A comment, an element that is not read with all that is in it, or a tag.
fn tag(rest: &str) -> Option<(Shown, usize)> {
    let through = |end: &str| Finder::new(end).find(rest.as_bytes()).map_or(rest.len(), |found| found.saturating_add(end.len()));
    if rest.starts_with("<!--") {
        return Some((Shown::Nothing, through("-->")));
    }
    let inner = rest.get(1..)?;
    let closed = inner.strip_prefix('/');
    let name = closed.unwrap_or(inner);
    let name =
        name.split(|character: char| !character.is_ascii_alphanumeric()).next().filter(|name| name.starts_with(char::is_alphabetic))?;
    let is_unread = closed.is_none() && UNREAD.contains(&name);
    let attributes = closed.unwrap_or(inner).get(name.len()..)?;
    if !attributes.starts_with(|character: char| character.is_ascii_whitespace() || matches!(character, '>' | '/')) {
        return None;
    }
    if is_unread {
        return Some((Shown::Nothing, through(&format!("</{name}>"))));
    }
    let end = inner.find(['<', '>']).filter(|end| inner.get(*end..).is_some_and(|end| end.starts_with('>')))?;
    let shown = match name {
        "sup" if closed.is_none() => "^",
        "sub" if closed.is_none() => "_",
        _ if PARTING.contains(&name) => " ",
        _ => "",
    };
    Some((Shown::Text(shown), end.saturating_add(2)))
}

/// What one or two tildes strike out: from a run that does not stand before a blank to the next one of its length, in the same paragraph,
/// that does not stand behind a blank.
fn struck_out(page: &str) -> Vec<Range<usize>> {
    let mut struck = Vec::new();
    let mut open = [None; 2];
    let mut from = 0_usize;
    while let Some(gap) = page.get(from..).and_then(|rest| rest.find('~')) {
        let start = from.saturating_add(gap);
        let (before, rest) = page.split_at_checked(start).unwrap_or(("", ""));
        let after = rest.trim_start_matches('~');
        let end = page.len().saturating_sub(after.len());
        if has_blank_line(page.get(from..start).unwrap_or("")) {
            open = [None; 2];
        }
        let stands_beside = |neighbour: Option<char>| neighbour.is_some_and(|neighbour| !neighbour.is_whitespace());
        // Punctuation inside of it does not close, or open, unless what is outside is no word.
        let is_word = |neighbour: Option<char>| neighbour.is_some_and(char::is_alphanumeric);
        let (left, right) = (before.chars().next_back(), after.chars().next());
        let closes = stands_beside(left) && (is_word(left) || !is_word(right));
        let opens = stands_beside(right) && (is_word(right) || !is_word(left));
        let length = end.saturating_sub(start);
        if let Some(opened) = length.checked_sub(1).and_then(|index| open.get_mut(index)) {
            match *opened {
                Some(opened) if closes => {
                    struck.push(opened..end);
                    open = [None; 2];
                }
                _ if opens => *opened = Some(start),
                _ => {}
            }
        }
        from = end;
    }
    struck
}

/// Whether a paragraph ends in a text.
fn has_blank_line(text: &str) -> bool {
    let mut lines = text.split('\n');
    // What stands before the first end of a line, and behind the last, is on a line with something else.
    lines.next();
    lines.next_back();
    lines.any(|line| line.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_readers_do_not_see_is_hidden() {
        for (page, shown) in [
            ("<!-- a -->b", "\0b"),
            ("<!--\na\n-->b", "\0\n\nb"),
            ("a <!-- b", "a \0"),
            ("~~a~~b", "\0b"),
            ("~a~b", "\0b"),
            ("~~a\nb~~ c", "\0\n c"),
            ("<del>a</del>b", "\0b"),
            ("<DEL class='a'>a</Del>b", "\0b"),
            ("<s>a", "\0"),
            ("<strike>a</strike>", "\0"),
            ("<style>a</style><script src=x>b</script>", "\0\0"),
            ("é <!--é\n-->~~é~~ é", "é \0\n\0 é"),
        ] {
            assert_eq!(seen(page), shown, "{page}");
        }
    }

    #[test]
    fn tildes_that_strike_nothing_out_stay() {
        for page in
            ["~~ a ~~", "~~a\n\nb~~", "~~a\r\n\r\nb~~", "~~a\n \t\nb~~", "~~a~", "~~~\na\n~~~", "~5 and ~8", "~5–~8", "(~5) of (~8)", "a~~"]
        {
            assert_eq!(seen(page), page);
        }
        assert_eq!(seen("~a ~~b~~ c~"), "~a \0 c~", "what is closed first is struck out");
    }

    #[test]
    fn markup_is_no_text() {
        for (page, shown) in [
            ("8.6<b>9</b>", "8.69"),
            ("-<span\nstyle='x'>8</span>", "-\n8"),
            ("<td>8</td><td>9</td>", " 8  9 "),
            ("8<sup>2</sup> a<sub>1</sub>", "8^2 a_1"),
            ("<br/>8<BR>", " 8 "),
            ("&minus;8 &times; &#8722;&#x2212; &nbsp;", "−8 × −− \u{a0}"),
            (r"8 \times 10, 8 \* 10, 5\%", "8 × 10, 8 * 10, 5%"),
            ("−[8 %](a \"b\")c", "−[8 %c"),
            ("![a](b)", "![a"),
        ] {
            assert_eq!(seen(page), shown, "{page}");
        }
        for page in
            ["a < 8 > b", "<https://a.b>", "a <b", "<b <i", "&unknown; & &#0; &#x110000;", r"\unknown \", "[a] (b)", "[a](b", "</ a>"]
        {
            assert_eq!(seen(page), page);
        }
        assert_eq!(seen("<delta>"), "", "a tag that only begins like one");
    }
}

//! Published pages as their readers see them: Markdown and HTML without what is not shown.

use std::iter::Peekable;
use std::ops::Range;

use memchr::memchr_iter;
use memchr::memmem::Finder;

/// Stands for what is not seen. No text that is looked for stands by itself beside it.
pub(super) const HIDDEN: char = '\0';

/// Elements whose content is not read as it stands: struck out, or no text.
const UNREAD: [&str; 6] = ["del", "s", "strike", "script", "style", "template"];

/// How what is no text begins, in lower case, and how it ends.
const NO_TEXT: [(&str, &str); 3] = [("<!--", "-->"), ("<?", "?>"), ("<![cdata[", "]]>")];

/// What styles say of text that is not shown, or struck out.
const UNSHOWN: [&str; 3] = ["display:none", "display: none", "line-through"];

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

/// What commands of TeX show. Those that only dress what stands in their braces show nothing themselves.
const COMMANDS: [(&str, &str); 36] = [
    ("approx", "≈"),
    ("bf", ""),
    ("bm", ""),
    ("boldsymbol", ""),
    ("cdot", "⋅"),
    ("displaystyle", ""),
    ("div", "÷"),
    ("downarrow", "↓"),
    ("emph", ""),
    ("ge", "≥"),
    ("geq", "≥"),
    ("le", "≤"),
    ("left", ""),
    ("leq", "≤"),
    ("mathbf", ""),
    ("mathit", ""),
    ("mathrm", ""),
    ("mathsf", ""),
    ("mu", "µ"),
    ("num", ""),
    ("operatorname", ""),
    ("pm", "±"),
    ("qquad", "  "),
    ("quad", "  "),
    ("right", ""),
    ("sim", "~"),
    ("text", ""),
    ("textbf", ""),
    ("textit", ""),
    ("textrm", ""),
    ("texttt", ""),
    ("times", "×"),
    ("to", "→"),
    ("rightarrow", "→"),
    ("underline", ""),
    ("uparrow", "↑"),
];

/// A page as its readers see it, in the same lines: without tags, comments, emphasis, code marks and the targets of links, with characters for
/// references, escapes and commands, and with [`HIDDEN`] for what is struck out or no text. What is begun in HTML and never ends goes on
/// to the end of the page.
pub(super) fn seen(page: &str) -> String {
    let lower = page.to_ascii_lowercase();
    let mut struck = struck_out(page).into_iter().peekable();
    let (mut seen, mut from) = (String::with_capacity(page.len()), 0_usize);
    while let Some(found) = page.get(from..).and_then(|rest| rest.find(['<', '&', '\\', '[', ']', '{', '~', '*', '_', '`'])) {
        let start = from.saturating_add(found);
        let (before, _) = page.split_at_checked(start).unwrap_or((page, ""));
        seen.push_str(before.get(from..).unwrap_or(""));
        let token = token(before, lower.get(start..).unwrap_or(""), &mut struck);
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

/// What stands at the beginning of `rest`, which is in lower case and follows `before` on the page, and its length.
fn token(before: &str, rest: &str, struck: &mut Peekable<impl Iterator<Item = Range<usize>>>) -> Option<(Shown, usize)> {
    let first = rest.chars().next()?;
    let inner = rest.get(1..)?;
    match first {
        '<' => tag(rest),
        '&' => {
            let end = inner.bytes().take(LONGEST_REFERENCE).position(|byte| byte == b';')?;
            Some((Shown::Character(referred(inner.get(..end)?)?), end.saturating_add(2)))
        }
        '\\' => command(inner),
        // A comma that TeX is not to part from what follows.
        '{' => inner.starts_with(",}").then_some((Shown::Text(","), 3)),
        // The definition of a link is no text; that of a footnote is.
        '[' if is_begin_of_line(before) && !inner.starts_with('^') => {
            let line = rest.split('\n').next()?;
            line.split_once(']')?.1.starts_with(':').then_some((Shown::Nothing, line.len()))
        }
        ']' => {
            let target = inner.strip_prefix('(')?;
            let end = target.find([')', '[', ']', '\n'])?;
            target.get(end..)?.starts_with(')').then_some((Shown::Text(""), end.saturating_add(3)))
        }
        '`' => Some((Shown::Text(""), 1)),
        '*' | '_' => {
            let after = rest.trim_start_matches(first);
            let is_word = |neighbour: Option<char>| neighbour.is_some_and(char::is_alphanumeric);
            let is_blank = |neighbour: Option<char>| neighbour.is_none_or(char::is_whitespace);
            let (left, right) = (before.chars().next_back(), after.chars().next());
            // Between blanks a star multiplies, and between letters a low line is a part of a name.
            let is_text = is_blank(left) && is_blank(right) || first == '_' && is_word(left) && is_word(right);
            Some((if is_text { Shown::Itself } else { Shown::Text("") }, rest.len().saturating_sub(after.len())))
        }
        '~' => {
            while struck.next_if(|range| range.start < before.len()).is_some() {}
            struck.next_if(|range| range.start == before.len()).map(|range| (Shown::Nothing, range.len()))
        }
        _ => None,
    }
}

/// Whether nothing but the blanks that Markdown allows stands before this on its line.
fn is_begin_of_line(before: &str) -> bool {
    let unindented = before.trim_end_matches(' ');
    before.len().saturating_sub(unindented.len()) < 4 && (unindented.is_empty() || unindented.ends_with('\n'))
}

/// What stands behind a backslash: a command of TeX, a blank of it, or an escaped character.
fn command(inner: &str) -> Option<(Shown, usize)> {
    let name = inner.split(|character: char| !character.is_ascii_alphabetic()).next().unwrap_or("");
    if let Some((_, text)) = COMMANDS.iter().find(|(known, _)| *known == name) {
        return Some((Shown::Text(text), name.len().saturating_add(1)));
    }
    match inner.chars().next()? {
        ',' | ';' | ':' | ' ' => Some((Shown::Character('\u{2009}'), 2)),
        '!' => Some((Shown::Text(""), 2)),
        escaped if escaped.is_ascii_punctuation() => Some((Shown::Character(escaped), 2)),
        _ => None,
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
    if let Some((_, end)) = NO_TEXT.iter().find(|(begin, _)| rest.starts_with(begin)) {
        return Some((Shown::Nothing, through(end)));
    }
    let inner = rest.get(1..)?;
    let closed = inner.strip_prefix('/');
    let name = closed.unwrap_or(inner);
    let name =
        name.split(|character: char| !character.is_ascii_alphanumeric()).next().filter(|name| name.starts_with(char::is_alphabetic))?;
    let attributes = closed.unwrap_or(inner).get(name.len()..)?;
    if !attributes.starts_with(|character: char| character.is_ascii_whitespace() || matches!(character, '>' | '/')) {
        return None;
    }
    let end = inner.find(['<', '>']).filter(|end| inner.get(*end..).is_some_and(|end| end.starts_with('>')));
    let said = end.and_then(|end| inner.get(name.len()..end)).unwrap_or("");
    let is_hidden = said.split_ascii_whitespace().any(|word| word == "hidden" || word.starts_with("hidden="))
        || UNSHOWN.iter().any(|style| said.contains(style));
    if closed.is_none() && (UNREAD.contains(&name) || is_hidden) {
        return Some((Shown::Nothing, through(&format!("</{name}>"))));
    }
    let end = end?;
    let shown = match name {
        "sup" if closed.is_none() => "^",
        "sub" if closed.is_none() => "_",
        _ if PARTING.contains(&name) => " | ",
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
            ("-<span\nclass='x'>8</span>", "-\n8"),
            ("<td>8</td><td>9</td>", " | 8 |  | 9 | "),
            ("8<sup>2</sup> a<sub>1</sub>", "8^2 a_1"),
            ("<br/>8<BR>", " | 8 | "),
            ("&minus;8 &times; &#8722;&#x2212; &nbsp;", "−8 × −− \u{a0}"),
            (r"8 \times 10, 8 \* 10, 5\%", "8 × 10, 8 * 10, 5%"),
            (r"$\mathbf{8}\,\text{ms}$ 1{,}000 \leq", "${8}\u{2009}{ms}$ 1,000 ≤"),
            ("−[8 %](a \"b\")c", "−[8 %c"),
            ("![a](b)", "![a"),
            ("**8** _a_ `b` *c d* __e__", "8 a b c d e"),
            ("- **8**\n* 9 * 2", "- 8\n* 9 * 2"),
            ("<?php 8 ?>a<![CDATA[8]]>", "\0a\0"),
            ("a\n  [x]: b 'c'\n[y]: d", "a\n  \0\n\0"),
            ("<p hidden>8</p><b style='text-decoration:line-through'>8</b><i style=\"display: none\">8</i>", "\0\0\0"),
        ] {
            assert_eq!(seen(page), shown, "{page}");
        }
        for page in [
            "a < 8 > b",
            "<https://a.b>",
            "a <b",
            "<b <i",
            "&unknown; & &#0; &#x110000;",
            r"\unknown \a",
            "[a] (b)",
            "[a](b",
            "</ a>",
            "a_b__c",
            "8 * 9",
            "[^1]: a",
            "    [x]: b",
            "a [x]: b",
        ] {
            assert_eq!(seen(page), page);
        }
        assert_eq!(seen("<delta>"), "", "a tag that only begins like one");
        assert_eq!(seen("<p class='hidden'>8</p>"), " | 8 | ");
    }
}

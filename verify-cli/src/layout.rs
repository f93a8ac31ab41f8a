//! Plain lines for a terminal: a narrow column of labels, text that wraps beside it, and styles.

use anstyle::{AnsiColor, Style};

/// Columns of a line. Fixed, so that a log reads alike everywhere.
const WIDTH: usize = 116;

/// Columns before the text: two blanks, a label, two blanks.
const LABEL: usize = 8;
const INDENT: usize = LABEL + 4;

/// Cells of a table are padded to this width at most: a long hash must not push a whole column aside.
const PADDED: usize = 48;

pub(crate) const PLAIN: Style = Style::new();
pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
pub(crate) const THIN: Style = AnsiColor::Cyan.on_default().bold();
pub(crate) const OPEN: Style = AnsiColor::Yellow.on_default().bold();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();

/// A text under construction. What is put on it has to be escaped already.
#[derive(Default)]
pub(crate) struct Page(String);

impl Page {
    /// A line that is never wrapped: a word and what it is about.
    pub(crate) fn head(&mut self, word: &str, style: Style, about: &str) {
        self.line(format!("{style}{word}{style:#}  {about}").trim_end_matches(' '));
    }

    /// A heading inside the page.
    pub(crate) fn section(&mut self, title: &str) {
        self.0.push_str(&format!("  {BOLD}{title}{BOLD:#}\n"));
    }

    /// A labelled text.
    pub(crate) fn row(&mut self, label: &str, style: Style, text: &str) {
        self.row_with_tail(label, style, text, "");
    }

    /// A labelled text with a short tail at the right edge: beside the text where it fits, below it where not.
    pub(crate) fn row_with_tail(&mut self, label: &str, style: Style, text: &str, tail: &str) {
        let room = WIDTH - INDENT;
        let mut label = format!("{label:LABEL$}");
        let lines = wrap(text, room);
        let (last, before) = lines.split_last().map_or(("", &[][..]), |(last, before)| (last.as_str(), before));
        for line in before {
            self.0.push_str(&format!("  {style}{label}{style:#}  {line}\n"));
            label = " ".repeat(LABEL);
        }
        let used = last.chars().count();
        let free = room.saturating_sub(used);
        let line = match tail.chars().count() {
            0 => format!("  {style}{label}{style:#}  {last}"),
            length if length + 2 <= free => format!("  {style}{label}{style:#}  {last}{FAINT}{tail:>free$}{FAINT:#}"),
            _ => format!("  {style}{label}{style:#}  {last}\n{:INDENT$}{FAINT}{tail:>room$}{FAINT:#}", ""),
        };
        self.0.push_str(line.trim_end_matches(' '));
        self.0.push('\n');
    }

    /// A cell of fixed width, then text that wraps beside it.
    pub(crate) fn cell(&mut self, cell: &str, width: usize, text: &str) {
        let mut cell = format!("{cell:width$}");
        for line in wrap(text, WIDTH.saturating_sub(width + 4).max(30)) {
            self.0.push_str(format!("  {cell}  {line}").trim_end_matches(' '));
            self.0.push('\n');
            cell = " ".repeat(width);
        }
    }

    /// Rows in aligned columns, the first row as their heads. Lines do not wrap: one row is one line.
    pub(crate) fn table(&mut self, rows: &[impl AsRef<[String]>]) {
        let columns = rows.iter().map(|row| row.as_ref().len()).max().unwrap_or(0);
        let cells = |column: usize| rows.iter().filter_map(move |row| row.as_ref().get(column)).map(|cell| cell.chars().count());
        let widths: Vec<usize> = (0..columns).map(|column| cells(column).filter(|width| *width <= PADDED).max().unwrap_or(0)).collect();
        for (index, row) in rows.iter().enumerate() {
            let style = if index == 0 { FAINT } else { PLAIN };
            let cells: String = row.as_ref().iter().zip(&widths).map(|(cell, width)| format!("  {cell:width$}")).collect();
            self.line(&format!("{style}{}{style:#}", cells.trim_end_matches(' ')));
        }
    }

    /// A line as it is.
    pub(crate) fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    /// The page, in which texts that came to stand beside each other make no command for a runner of builds.
    pub(crate) fn into_text(self) -> String {
        harmless(&self.0)
    }
}

/// Breaks up what two texts make of a `:` or `#` at their ends, each escaped by itself: see [`verify_core::escape`].
pub(crate) fn harmless(text: &str) -> String {
    text.replace("::", ":\\u{3a}").replace("##", "#\\u{23}")
}

/// Breaks `text` at blanks into lines of at most `room` characters; a longer word is cut. At least one line.
fn wrap(text: &str, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > room {
            lines.push(std::mem::take(&mut line));
            used = 0;
        } else if !line.is_empty() {
            line.push(' ');
            used += 1;
        }
        for character in word.chars() {
            if used == room {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            line.push(character);
            used += 1;
        }
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_blanks_and_long_words_are_cut() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefghij kl", 4), ["abcd", "efgh", "ij", "kl"]);
        assert_eq!(wrap("", 4), [""]);
        assert_eq!(wrap("äöü äöü", 3), ["äöü", "äöü"]);
    }

    #[test]
    fn nothing_of_a_text_is_lost() {
        let text = "a message with \"quoted  text\" and 0123456789012345678901234567890123456789 digits";
        for room in 1..90 {
            let lines = wrap(text, room);
            assert!(lines.iter().all(|line| line.chars().count() <= room), "{room}");
            let kept = |text: &str| text.replace(' ', "");
            assert_eq!(kept(&lines.concat()), kept(text), "{room}");
        }
    }

    #[test]
    fn texts_beside_each_other_make_no_command() {
        let mut page = Page::default();
        page.row("note", PLAIN, &format!("{}: {}", "at /a:", "help"));
        page.cell("#", 1, "#[error]");
        page.line(":::");
        assert_eq!(page.into_text().matches("::").count(), 0);
        assert_eq!(harmless("a::: ##["), "a:\\u{3a}: #\\u{23}[");
    }

    #[test]
    fn a_tail_that_does_not_fit_stands_below() {
        let mut page = Page::default();
        page.row_with_tail("refutes", PLAIN, &"x".repeat(WIDTH - INDENT - 5), "a.long-code");
        page.row_with_tail("refutes", PLAIN, "short", "a.long-code");
        let text = page.into_text();
        let lengths: Vec<usize> = text.lines().map(|line| line.replace("\u{1b}[2m", "").replace("\u{1b}[0m", "").len()).collect();
        assert_eq!(lengths, [WIDTH - 5, WIDTH, WIDTH]);
    }
}

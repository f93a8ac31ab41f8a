//! Markup that can only be well formed: elements hold elements and texts, and every text and every value of others is escaped on its way in.

use std::fmt::{self, Display};

/// An element under construction.
pub(crate) struct Element {
    name: &'static str,
    attributes: String,
    inside: String,
}

/// Elements that hold nothing and have no end.
const VOID: [&str; 2] = ["meta", "br"];

/// Elements after which the source goes on in the same line.
const INLINE: [&str; 7] = ["a", "b", "br", "code", "small", "span", "title"];

impl Element {
    pub(crate) const fn new(name: &'static str) -> Self {
        Self { name, attributes: String::new(), inside: String::new() }
    }

    /// With an attribute.
    pub(crate) fn with(mut self, attribute: &'static str, value: impl Display) -> Self {
        self.attributes.push_str(&format!(" {attribute}=\"{}\"", escape(&value.to_string())));
        self
    }

    /// With an attribute whose value is written as it is.
    pub(crate) fn with_ours(mut self, attribute: &'static str, value: &'static str) -> Self {
        self.attributes.push_str(&format!(" {attribute}=\"{value}\""));
        self
    }

    /// Of these classes.
    pub(crate) fn class(self, classes: impl Display) -> Self {
        self.with("class", classes)
    }

    /// With a text behind what it holds.
    pub(crate) fn text(mut self, text: impl Display) -> Self {
        self.inside.push_str(&escape(&text.to_string()));
        self
    }

    /// With further elements behind what it holds.
    pub(crate) fn add(mut self, children: impl IntoIterator<Item = Element>) -> Self {
        self.inside.extend(children.into_iter().map(|child| child.to_string()));
        self
    }

    /// A style sheet, which is written as it is.
    pub(crate) fn style(sheet: &'static str) -> Self {
        Self { inside: sheet.to_owned(), ..Self::new("style") }
    }
}

impl Display for Element {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, attributes, inside } = self;
        if VOID.contains(name) {
            write!(formatter, "<{name}{attributes}>")?;
        } else {
            write!(formatter, "<{name}{attributes}>{inside}</{name}>")?;
        }
        formatter.write_str(if INLINE.contains(name) { "" } else { "\n" })
    }
}

/// An element that holds just itself, as one child among others.
impl IntoIterator for Element {
    type Item = Self;
    type IntoIter = std::iter::Once<Self>;

    fn into_iter(self) -> Self::IntoIter {
        std::iter::once(self)
    }
}

/// `text` as text of an element or as the value of an attribute between double quotes.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What closes an element, an attribute, a comment or a script in HTML.
    const HOSTILE: &str = "</td><script>alert('1')</script>\"><img src=x onerror=alert(1)>&lt;<!-- --> ' onmouseover='x";

    #[test]
    fn a_text_stays_a_text() {
        let page = Element::new("p").with("title", HOSTILE).text(HOSTILE).to_string();
        assert_eq!(page.matches('<').count(), 2, "{page}");
        assert_eq!(page.matches('>').count(), 2, "{page}");
        assert_eq!(page.matches('"').count(), 2, "{page}");
        assert!(!page.contains('\''), "{page}");
        assert_eq!(page.matches("&amp;lt;").count(), 2, "what looks escaped is escaped again: {page}");
    }

    #[test]
    fn ordinary_text_stays() {
        assert_eq!(escape("Größe 速度 a/b #c = 1;"), "Größe 速度 a/b #c = 1;");
    }

    #[test]
    fn elements_hold_elements_in_order() {
        let cells = ["1", "2"].map(|cell| Element::new("b").text(cell));
        let row = Element::new("p").class("a b").text("x").add(cells).add(Element::new("br")).text("y");
        assert_eq!(row.to_string(), "<p class=\"a b\">x<b>1</b><b>2</b><br>y</p>\n");
    }
}

//! Pages of HTML: self-contained, without a script, and nothing in them is fetched.

pub(crate) mod audit;
pub(crate) mod compare;
mod markup;

use markup::Element;

/// What a page may load: nothing. Its own style sheet is all that it needs.
const CONTENT_SECURITY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// A page around `main`.
fn document(title: &str, main: Element) -> String {
    let head = element("head").add([
        element("meta").with("charset", "utf-8"),
        element("meta").with("http-equiv", "Content-Security-Policy").with_ours("content", CONTENT_SECURITY),
        element("meta").with("name", "viewport").with("content", "width=device-width, initial-scale=1"),
        element("meta").with("name", "color-scheme").with("content", "light dark"),
        element("title").text(title),
        Element::style(include_str!("style.css")),
    ]);
    format!("<!DOCTYPE html>\n{}", element("html").with("lang", "en").add(head).add(element("body").add(main)))
}

fn element(name: &'static str) -> Element {
    Element::new(name)
}

fn section(title: &str) -> Element {
    element("section").add(element("h2").text(title))
}

fn badge(class: &str, word: &str) -> Element {
    element("span").class(format!("badge {class}")).text(word)
}

/// A picture of so many units, stretched to the width of its place.
fn picture(width: usize, height: usize, about: &str) -> Element {
    let size = format!("0 0 {width} {height}");
    element("svg").with("viewBox", size).with("preserveAspectRatio", "none").with("role", "img").with("aria-label", about)
}

fn mark(class: &str, x: f64, y: f64, width: f64, height: f64) -> Element {
    element("rect").class(class).with("x", x).with("y", y).with("width", width).with("height", height)
}

fn count(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

//! Text that is meant for whoever shows it: a terminal, a log, a page. It says nothing about the evidence, so the answer stays the same,
//! and everything that shows a report has to be harmless with it.

use super::{Outcome, Vector, classic};
use crate::json::token;

/// Where nothing binds the text and nothing looks at it.
const FREE: &str = "/environment/gpu_name";

pub(super) fn vectors() -> Vec<Vector> {
    let free =
        |id: &str, rule: &str, text: &'static str| classic(id, rule).change(move |m| m.receipt.attestation.set(FREE, text)).verified(&[]);
    vec![
        free(
            "text-escape-sequence",
            "Text may hold what a terminal obeys: colours, cursor, title.",
            "\u{1b}[2J\u{1b}[31mA\u{1b}]0;B\u{7}\u{9b}1A",
        ),
        free("text-terminal-link", "Text may hold a link for terminals.", "\u{1b}]8;;https://a.example\u{1b}\\GPU\u{1b}]8;;\u{1b}\\"),
        free(
            "text-bidi",
            "Text may hold what turns the order of display around.",
            "\u{202e}DEIFIREV\u{202c}\u{2066}\u{2069}\u{200f}\u{61c}",
        ),
        free("text-zero-width", "Text may hold characters of no width.", "G\u{200b}P\u{200d}U\u{feff}\u{2060}\u{ad}\u{e0041}"),
        free("text-newline", "Text may hold every kind of line break.", "A\nVERIFIED\rB\r\nC\u{b}D\u{c}E\u{85}F\u{2028}G\u{2029}H"),
        free(
            "text-blanks",
            "Text may hold blanks that push its end to another line.",
            "A                                      \u{a0}\u{3000}VERIFIED",
        ),
        free("text-github-command", "Text may hold commands of a runner of builds.", "::error::A\n::add-mask::B\n  ::set-output name=C::D"),
        free(
            "text-older-command",
            "Older commands stand anywhere in a line.",
            "A ##[error]B ##[add-mask]C ##vso[task.complete result=Succeeded]D",
        ),
        free("text-html", "Text may hold markup.", "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>&lt;]]><!--"),
        free("text-markdown", "Text may hold a link and marks of a table.", "[A](javascript:alert(1)) `B` | C | ![D](https://a.example)"),
        free("text-csv", "Text may hold the formula of a spreadsheet.", "=cmd|'/C calc'!A0"),
        free("text-nul", "Text may hold every control character.", "A\u{0}B\u{1}\u{8}\t\u{1f}\u{7f}C"),
        classic("text-lone-surrogate", "Half of a surrogate pair is no character.")
            .change(|m| m.receipt.attestation.set(FREE, token(r#""\ud800""#)))
            .only(Outcome::Invalid, &["json.malformed"]),
        classic("text-long", "Text may be as long as the file.")
            .change(|m| m.receipt.attestation.set(FREE, "A ::error::B ".repeat(5000)))
            .verified(&[]),
        classic("text-in-a-name", "A name of a member is text like any other.")
            .change(|m| m.receipt.afterwards.add(|receipt| receipt.add("", "\u{1b}[2J\n::error::A##[error]B<b>\u{202e}", "C")))
            .verified(&["receipt.unknown-member"]),
        classic("text-in-the-verdict", "A label that the enclave does not give is the submitter's word, and text like any other.")
            .change(|m| m.receipt.attestation.set("/verdict/label", "L\n::error::\u{1b}[2J"))
            .verified(&[]),
    ]
}

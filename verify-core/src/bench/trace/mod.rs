//! Whether what is published follows from the files that it names: `receipt trace`.
//!
//! `manifest` is what people claim; `library` reads the files; `rows` takes numbers out of them, `expression` computes with these,
//! `seen` is what readers see of a page, `page` looks for published texts there, `coverage` for numbers that nobody claims, and `judge`
//! says what became of each claim.

mod coverage;
mod expression;
mod judge;
mod library;
mod manifest;
mod page;
mod rows;
mod seen;

use serde::{Serialize, Serializer};

use crate::bench::Files;

pub use coverage::{Coverage, Uncovered, coverage};
use judge::Judge;
pub use manifest::Claims;
pub use rows::{Filtered, RowCount};

/// What became of every claim of a manifest. Every text is safe to show.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Trace {
    /// The claims in the order of the manifest: numbers, lines, equalities.
    pub claims: Vec<Traced>,
}

/// What became of one claim.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Traced {
    /// Its name in the manifest.
    pub id: String,
    /// `number`, `line` or `same`.
    pub kind: &'static str,
    /// What was found.
    pub verdict: Verdict,
    /// Whether the claim may be cited: it is made, and it was reproduced.
    pub citable: bool,
    /// Why the claim is no longer made.
    pub retired: Option<Retirement>,
    /// Why it was not reproduced.
    pub why: Option<String>,
    /// What would match.
    pub hints: Vec<String>,
    /// What a reader sees.
    pub published: Option<PublishedText>,
    /// How the number follows from the inputs.
    pub expression: Option<String>,
    /// The number, unrounded.
    pub value: Option<f64>,
    /// The number as it would have to be published.
    pub recomputed: Option<String>,
    /// What it rests on.
    pub backing: Backing,
    /// The files.
    pub sources: Vec<Source>,
}

/// What is published.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PublishedText {
    /// The page on which it is to stand.
    pub file: Option<String>,
    /// Where it first stands there, from 1.
    pub line: Option<usize>,
    /// The text.
    pub text: String,
}

/// A claim that is listed although it is no longer made. It cannot be cited, and fails nothing.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Retirement {
    /// `withdrawn` or `history`.
    pub standing: &'static str,
    /// Since when.
    pub date: String,
    /// Why.
    pub reason: String,
}

/// One input, cited line or value.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Source {
    /// The name of an input.
    pub input: Option<String>,
    /// The file.
    pub file: String,
    /// Its SHA-256, where it is there.
    pub sha256: Option<String>,
    /// Whether the manifest records a digest of it.
    pub pinned: bool,
    /// The place in the file.
    pub at: String,
    /// What stands there, in a word.
    pub found: Option<String>,
    /// The rows that were taken.
    pub rows: Option<RowCount>,
}

/// What a claim rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Backing {
    /// Every input has rows.
    Rows,
    /// An input at least is a number that the producer recorded without rows.
    Summary,
    /// A line of a log.
    Line,
    /// Values that are the same.
    Values,
}

/// What was found about a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Verdict {
    /// It follows from its files.
    Reproduced,
    /// It was recomputed, or looked up, and differs.
    Mismatch,
    /// Values that are to be the same are not.
    Conflict,
    /// A file is another one than the claim was made of.
    DigestDiffers,
    /// A file cannot be read, or not as what it should be.
    SourceMissing,
    /// It divides by zero.
    ZeroDivisor,
    /// There is nothing, or no number, at a place.
    Absent,
    /// Several items fit where one is wanted.
    Ambiguous,
    /// It needs rows, and there is a summary only, or nothing.
    Unbacked,
    /// The published page does not hold the text.
    NotInText,
    /// The manifest records no digest of a file that it is taken from.
    Unpinned,
    /// Something is over a limit.
    OverLimit,
}

/// The answer to a question about measurements, from the best to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Answer {
    /// All of it was checked, and holds.
    Ok,
    /// Something divides by zero.
    ZeroBaseline,
    /// Something could not be verified.
    Unverifiable,
    /// A file is missing.
    Missing,
    /// Something was verified, and differs.
    Mismatch,
}

impl Answer {
    /// The exit code that it is worth.
    #[must_use]
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Missing => 3,
            Self::Mismatch => 4,
            Self::ZeroBaseline => 5,
            Self::Unverifiable => 6,
        }
    }

    /// The name of that exit code.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::Missing => "MISSING",
            Self::Mismatch => "MISMATCH",
            Self::ZeroBaseline => "ZERO_BASELINE",
            Self::Unverifiable => "UNVERIFIABLE",
        }
    }
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 12] = [
        Self::Reproduced,
        Self::Mismatch,
        Self::Conflict,
        Self::DigestDiffers,
        Self::SourceMissing,
        Self::ZeroDivisor,
        Self::Absent,
        Self::Ambiguous,
        Self::Unbacked,
        Self::NotInText,
        Self::Unpinned,
        Self::OverLimit,
    ];

    /// Its name, as reports write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Mismatch => "mismatch",
            Self::Conflict => "conflict",
            Self::DigestDiffers => "digest-differs",
            Self::SourceMissing => "source-missing",
            Self::ZeroDivisor => "zero-divisor",
            Self::Absent => "absent",
            Self::Ambiguous => "ambiguous",
            Self::Unbacked => "unbacked",
            Self::NotInText => "not-in-text",
            Self::Unpinned => "unpinned",
            Self::OverLimit => "over-limit",
        }
    }

    /// What it makes of the whole.
    #[must_use]
    pub const fn answer(self) -> Answer {
        match self {
            Self::Reproduced => Answer::Ok,
            Self::Mismatch | Self::Conflict | Self::DigestDiffers => Answer::Mismatch,
            Self::SourceMissing => Answer::Missing,
            Self::ZeroDivisor => Answer::ZeroBaseline,
            Self::Absent | Self::Ambiguous | Self::Unbacked | Self::NotInText | Self::Unpinned | Self::OverLimit => Answer::Unverifiable,
        }
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl Trace {
    /// The worst that was found about a claim that is made; where none is made, nothing was verified.
    #[must_use]
    pub fn answer(&self) -> Answer {
        let made = self.claims.iter().filter(|claim| claim.retired.is_none());
        made.map(|claim| claim.verdict.answer()).max().unwrap_or(Answer::Unverifiable)
    }
}

/// Judges every claim by `files`, which should be those that [`Claims::files`] names.
#[must_use]
pub fn trace(claims: &Claims, files: &Files) -> Trace {
    let mut judge = Judge::new(claims, files);
    Trace { claims: claims.claims.iter().map(|claim| judge.judge(claim)).collect() }
}

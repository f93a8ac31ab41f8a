//! Expectations: what a caller wants to read in a receipt, before anything is verified.

use std::fmt;
use std::str::FromStr;

use crate::base64;
use crate::text::{is_hex, quoted};

/// Hex digits of a whole commit (SHA-1).
pub(crate) const COMMIT_DIGITS: usize = 40;

/// Hex digits below which the beginning of a commit says too little: the length that git shows by default.
const COMMIT_PREFIX_DIGITS: usize = 7;

/// What the caller expects one value of the receipt to be.
///
/// It is met where the receipt says so *and* evidence carries the value. Where the receipt says something else it refutes, where
/// nothing binds the value it weakens, and where the receipt holds no such value it prevents. Read from text with
/// [`str::parse`]:
///
/// ```
/// use verify_core::Expectation;
///
/// let by_name: Expectation = "commit=0123456".parse()?;
/// assert_eq!(by_name.place(), "commit");
/// let by_pointer: Expectation = "/attestation/references/eval_seed=00112233aabbccdd".parse()?;
/// assert_eq!(by_pointer.value(), "00112233aabbccdd");
/// # Ok::<(), verify_core::ExpectationError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    place: Place,
    value: String,
}

/// Where a value is expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Where the receipt's envelope has this field.
    Named(Field),
    /// At this pointer, whatever the envelope.
    Pointer(String),
}

/// Why a text is no expectation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpectationError {
    /// There is no `=`.
    #[error("{} has no =; wanted POINTER=VALUE, such as commit=0123456 or /attestation/verdict/label=L", quoted(.0))]
    NoValue(String),
    /// What stands before the `=` is neither a pointer nor a short name.
    #[error("{} is neither a JSON pointer, which begins with /, nor one of {}", quoted(.0), short_names())]
    UnknownName(String),
    /// The pointer is not one of RFC 6901.
    #[error("{} is no JSON pointer (RFC 6901): after ~ only 0 (for ~) and 1 (for /) may stand", quoted(.0))]
    Pointer(String),
    /// The field never holds such a value.
    #[error("{name} is never {}; wanted {wanted}", quoted(.value))]
    Value {
        /// The name or pointer of the field.
        name: String,
        /// The value expected.
        value: String,
        /// What its values look like.
        wanted: &'static str,
    },
}

impl Expectation {
    /// Expects `value` at `pointer`, an RFC 6901 pointer into the receipt.
    ///
    /// A text is expected as it is, without quotes; a number by its decimal value (`120.5` is `1.205e2`); `true`, `false` and
    /// `null` by these words; an empty list or object as `[]` or `{}`. A commit may be shortened to 7 digits or more.
    ///
    /// # Errors
    ///
    /// [`ExpectationError`] where the pointer is malformed, or the field has a fixed form which `value` lacks.
    pub fn new(pointer: &str, value: &str) -> Result<Self, ExpectationError> {
        if !pointer.starts_with('/') {
            return Err(ExpectationError::UnknownName(pointer.to_owned()));
        }
        if pointer.split('~').skip(1).any(|rest| !rest.starts_with(['0', '1'])) {
            return Err(ExpectationError::Pointer(pointer.to_owned()));
        }
        Self::at(Place::Pointer(pointer.to_owned()), form_at(pointer), value)
    }

    fn at(place: Place, form: Form, value: &str) -> Result<Self, ExpectationError> {
        let expectation = Self { place, value: value.to_owned() };
        match form.fits(value) {
            true => Ok(expectation),
            false => {
                let name = expectation.place().to_owned();
                Err(ExpectationError::Value { name, value: expectation.value, wanted: form.description() })
            }
        }
    }

    /// Where the value stands: an RFC 6901 pointer into the receipt, or the short name of a field.
    pub fn place(&self) -> &str {
        match &self.place {
            Place::Named(field) => field.name(),
            Place::Pointer(pointer) => pointer,
        }
    }

    /// What is expected there.
    pub fn value(&self) -> &str {
        &self.value
    }

    pub(crate) const fn where_to_look(&self) -> &Place {
        &self.place
    }

    pub(crate) fn values(&self) -> &[String] {
        std::slice::from_ref(&self.value)
    }
}

impl FromStr for Expectation {
    type Err = ExpectationError;

    /// Reads `POINTER=VALUE` or `NAME=VALUE`. The first `=` divides the two, so a value may hold more of them. A name means the
    /// field wherever the receipt's envelope has it.
    fn from_str(text: &str) -> Result<Self, ExpectationError> {
        let (place, value) = text.split_once('=').ok_or_else(|| ExpectationError::NoValue(text.to_owned()))?;
        match Field::ALL.into_iter().find(|field| field.name() == place) {
            Some(field) => Self::at(Place::Named(field), field.form(), value),
            None => Self::new(place, value),
        }
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}={}", self.place(), self.value)
    }
}

/// A field that policies pin or that is expected so often that it has a short name. Where it stands depends on the envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Commit,
    Repository,
    Model,
    Image,
    Scorer,
    RequesterKey,
    Label,
    Pass,
}

impl Field {
    const ALL: [Field; 8] =
        [Field::Commit, Field::Repository, Field::Model, Field::Image, Field::Scorer, Field::RequesterKey, Field::Label, Field::Pass];

    /// The short name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Field::Commit => "commit",
            Field::Repository => "repo",
            Field::Model => "model",
            Field::Image => "image",
            Field::Scorer => "scorer",
            Field::RequesterKey => "key",
            Field::Label => "label",
            Field::Pass => "pass",
        }
    }

    /// Where a log's receipt has it.
    pub(crate) const fn in_a_log(self) -> &'static str {
        match self {
            Field::Commit => "/attestation/code/commit",
            Field::Repository => "/attestation/code/repo",
            Field::Model => "/attestation/references/model_sha256",
            Field::Image => "/tdx/bound_digest",
            Field::Scorer => "/_expected/scoring_sha256",
            Field::RequesterKey => "/tdx/e2e_pubkey_b64",
            Field::Label => "/attestation/verdict/label",
            Field::Pass => "/attestation/verdict/pass",
        }
    }

    const fn form(self) -> Form {
        match self {
            Field::Commit => Form::Commit,
            Field::Model | Field::Scorer => Form::Sha256,
            Field::Image => Form::Image,
            Field::RequesterKey => Form::Key,
            Field::Pass => Form::Boolean,
            Field::Repository | Field::Label => Form::Text,
        }
    }
}

/// Where a note has the commit under test.
pub(crate) const NOTE_HEAD: &str = "/bundle/head";

/// Further members that hold commits.
const COMMITS: [&str; 3] = [NOTE_HEAD, "/attestation/code/scoring_scripts_commit", "/attestation/references/llamacpp_commit"];

/// What the values of a field look like.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Boolean,
    /// A commit or its beginning.
    Commit,
    Image,
    Key,
    Sha256,
    Text,
}

fn form_at(pointer: &str) -> Form {
    let field = Field::ALL.into_iter().find(|field| field.in_a_log() == pointer);
    field.map_or(if COMMITS.contains(&pointer) { Form::Commit } else { Form::Text }, Field::form)
}

/// Whether a commit stands at `pointer`, of which a beginning is enough.
pub(crate) fn is_commit(pointer: &str) -> bool {
    form_at(pointer) == Form::Commit
}

impl Form {
    pub(crate) fn fits(self, value: &str) -> bool {
        match self {
            Form::Boolean => ["true", "false"].contains(&value),
            Form::Commit => (COMMIT_PREFIX_DIGITS..=COMMIT_DIGITS).contains(&value.len()) && is_hex(value, value.len()),
            Form::Image => value.strip_prefix("sha256:").is_some_and(|digest| is_hex(digest, 64)),
            Form::Key => base64::decode(value.as_bytes()).is_ok_and(|key| key.len() == 32),
            Form::Sha256 => is_hex(value, 64),
            Form::Text => true,
        }
    }

    pub(crate) const fn description(self) -> &'static str {
        match self {
            Form::Boolean => "true or false",
            Form::Commit => "7 to 40 lower-case hex digits",
            Form::Image => "sha256: and 64 lower-case hex digits",
            Form::Key => "canonical base64 of 32 bytes",
            Form::Sha256 => "64 lower-case hex digits",
            Form::Text => "a text",
        }
    }
}

fn short_names() -> String {
    Field::ALL.map(Field::name).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_is_enough_of_commits_alone() {
        assert!(is_commit("/attestation/code/commit"));
        for pointer in ["/attestation/verdict/label", "/attestation/references/model_sha256", "/receipt_id", ""] {
            assert!(!is_commit(pointer), "{pointer}");
        }
    }

    fn refusal(text: &str) -> String {
        text.parse::<Expectation>().unwrap_err().to_string()
    }

    #[test]
    fn names_and_pointers_are_read_as_they_are_written() {
        let key = "Wf+zAcqX5IswqbCDDgiwEi0H+9Tj5jdGsqDhhvKgMy8=";
        for (text, place, value) in [
            ("commit=0123abc", "commit", "0123abc"),
            ("pass=false", "pass", "false"),
            ("/attestation/verdict/reason=", "/attestation/verdict/reason", ""),
            ("/a~1b~0c/0=x=y", "/a~1b~0c/0", "x=y"),
            (&format!("key={key}"), "key", key),
        ] {
            let expectation: Expectation = text.parse().unwrap();
            assert_eq!((expectation.place(), expectation.value()), (place, value));
            assert_eq!(expectation.to_string().parse(), Ok(expectation));
        }
    }

    #[test]
    fn a_refusal_says_what_was_wanted() {
        for (text, wanted) in [
            ("commit", "\"commit\" has no =; wanted POINTER=VALUE, such as commit=0123456 or /attestation/verdict/label=L"),
            (
                "hash=1",
                "\"hash\" is neither a JSON pointer, which begins with /, nor one of commit, repo, model, image, scorer, key, label, pass",
            ),
            ("=1", "\"\" is neither a JSON pointer, which begins with /, nor one of commit, repo, model, image, scorer, key, label, pass"),
            ("/a~2b=1", "\"/a~2b\" is no JSON pointer (RFC 6901): after ~ only 0 (for ~) and 1 (for /) may stand"),
            ("/a~=1", "\"/a~\" is no JSON pointer (RFC 6901): after ~ only 0 (for ~) and 1 (for /) may stand"),
            ("commit=012345", "commit is never \"012345\"; wanted 7 to 40 lower-case hex digits"),
            ("commit=0123ABC", "commit is never \"0123ABC\"; wanted 7 to 40 lower-case hex digits"),
            (
                "/attestation/references/llamacpp_commit=main",
                "/attestation/references/llamacpp_commit is never \"main\"; wanted 7 to 40 lower-case hex digits",
            ),
            ("/bundle/head=main", "/bundle/head is never \"main\"; wanted 7 to 40 lower-case hex digits"),
            ("model=00", "model is never \"00\"; wanted 64 lower-case hex digits"),
            ("image=sha256:00", "image is never \"sha256:00\"; wanted sha256: and 64 lower-case hex digits"),
            ("key=AAAA", "key is never \"AAAA\"; wanted canonical base64 of 32 bytes"),
            ("pass=yes", "pass is never \"yes\"; wanted true or false"),
        ] {
            assert_eq!(refusal(text), wanted);
        }
    }
}

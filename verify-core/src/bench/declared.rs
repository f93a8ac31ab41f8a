//! A profile that somebody declares for raw files that record none. It is shown as declared, and what rests on it is not publishable.

use std::collections::BTreeMap;

use super::data::DataError;
use super::recorded::Recorded;
use crate::json::{Value, read_many};
use crate::limits;
use crate::text::quoted;

const FORMAT: &str = "receipt-declared-profile/1";

/// A declared profile.
#[derive(Clone, Debug)]
pub struct Declared {
    /// By full names, such as `single.seed`.
    pub(crate) fields: BTreeMap<String, Recorded>,
    /// Of the points of single files, by the names of their fields.
    files: BTreeMap<String, BTreeMap<String, Recorded>>,
}

impl Declared {
    /// Reads a declaration: an object with `format`, `fields` and, for what tells the files of an arm apart, `files`.
    ///
    /// # Errors
    /// Where it is malformed or says anything else.
    pub fn read(bytes: &[u8]) -> Result<Self, DataError> {
        if bytes.len() > limits::BENCH_FILE_BYTES {
            return Err(DataError(format!("it has more than {} bytes", limits::BENCH_FILE_BYTES)));
        }
        let document =
            read_many(bytes, limits::BENCH_VALUES).map_err(|error| DataError(format!("byte {}: {}", error.offset, error.message)))?;
        let mut declared = Self { fields: BTreeMap::new(), files: BTreeMap::new() };
        let mut is_of_format = false;
        for member in members(&document, "a declaration")? {
            match &*member.name {
                "format" => is_of_format = member.value.string() == Some(FORMAT),
                "fields" => declared.fields = fields(&member.value)?,
                "files" => {
                    for file in members(&member.value, "files")? {
                        declared.files.insert(file.name.to_string(), fields(&file.value)?);
                    }
                }
                other => return Err(DataError(format!("{} is no part of a declaration", quoted(other)))),
            }
        }
        if is_of_format { Ok(declared) } else { Err(DataError(format!("its format is not {FORMAT}"))) }
    }

    /// What is declared of one file, which may be named without its folder.
    pub(crate) fn of_file(&self, file: &str) -> Option<&BTreeMap<String, Recorded>> {
        let base = file.rsplit(['/', '\\']).next().unwrap_or(file);
        self.files.get(file).or_else(|| self.files.get(base))
    }
}

fn members<'v, 'd>(value: &'v Value<'d>, what: &str) -> Result<&'v [crate::json::Member<'d>], DataError> {
    value.object().ok_or_else(|| DataError(format!("{what} is {}; wanted an object", value.type_name())))
}

fn fields(value: &Value<'_>) -> Result<BTreeMap<String, Recorded>, DataError> {
    Ok(members(value, "fields")?.iter().map(|member| (member.name.to_string(), Recorded::of(&member.value))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declaration_is_read_strictly() {
        let text = r#"{"format": "receipt-declared-profile/1", "fields": {"single.seed": 1e3}, "files": {"a.json": {"input_len": 128}}}"#;
        let declared = Declared::read(text.as_bytes()).unwrap();
        assert_eq!(declared.fields["single.seed"].json(), "1e3");
        assert_eq!(declared.of_file("folder/a.json").unwrap()["input_len"].json(), "128");
        assert!(declared.of_file("folder/b.json").is_none());
        for wrong in ["[]", "{}", r#"{"format": "receipt-declared-profile/2"}"#, r#"{"format": "receipt-declared-profile/1", "field": {}}"#]
        {
            assert!(Declared::read(wrong.as_bytes()).is_err(), "{wrong}");
        }
        assert!(Declared::read(br#"{"format": "receipt-declared-profile/1", "fields": {"a": 1, "a": 2}}"#).is_err());
    }
}

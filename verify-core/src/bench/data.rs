//! Our own files of settings in JSON: shapes, profiles, declarations, floors. Read strictly: nothing twice, nothing unknown.

use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::json::read_many;
use crate::limits;
use crate::text::escape;

/// Why a file of settings cannot be used, escaped for showing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct DataError(pub(crate) String);

pub(crate) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, DataError> {
    if bytes.len() > limits::BENCH_FILE_BYTES {
        return Err(DataError(format!("it has more than {} bytes", limits::BENCH_FILE_BYTES)));
    }
    read_many(bytes, limits::BENCH_VALUES).map_err(|error| DataError(format!("byte {}: {}", error.offset, error.message)))?;
    serde_json::from_slice(bytes).map_err(|error| DataError(escape(&error.to_string())))
}

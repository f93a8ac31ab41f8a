//! The files that a question is about, as its caller hands them in.

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;

use crate::crypto;

/// Contents by the names under which a question speaks of them. Who fills it decides what a name may lead to: the command line takes
/// regular files below one folder and follows no symbolic link.
#[derive(Clone, Debug, Default)]
pub struct Files(BTreeMap<String, Result<Vec<u8>, String>>);

impl Files {
    /// Adds the bytes of the file `name`, or why they cannot be had.
    pub fn add(&mut self, name: impl Into<String>, content: Result<Vec<u8>, String>) {
        self.0.insert(name.into(), content);
    }

    /// The bytes of a file, or why they cannot be had.
    pub(crate) fn get(&self, name: &str) -> Result<&[u8], &str> {
        match self.0.get(name) {
            Some(Ok(bytes)) => Ok(bytes),
            Some(Err(why)) => Err(why),
            None => Err("it was not handed in"),
        }
    }

    /// The SHA-256 of a file that is there, in lower-case hex.
    #[must_use]
    pub fn sha256(&self, name: &str) -> Option<String> {
        self.get(name).ok().map(|bytes| HEXLOWER.encode(&crypto::sha256([bytes])))
    }
}

//! Files of the workspace.

use std::path::{Path, PathBuf};

use verify_core::{Companion, RunFile};

/// The root of the workspace.
pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Reads a file that has to be there.
pub(crate) fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Reads a JSON file of the material.
pub(crate) fn read_json(path: &Path) -> serde_json::Value {
    serde_json::from_slice(&read(path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files beside a receipt.
pub(crate) struct Run(Vec<(Companion, Vec<u8>)>);

impl Run {
    /// Of a vector of the manifest in `folder`; no files where it has no run.
    pub(crate) fn of(folder: &Path, vector: &serde_json::Value) -> Self {
        vector["run"].as_str().map_or_else(|| Self(Vec::new()), |run| Self::in_folder(&folder.join(run)))
    }

    /// Those that stand in `folder`.
    pub(crate) fn in_folder(folder: &Path) -> Self {
        let there = Companion::ALL.into_iter().filter(|companion| folder.join(companion.name()).is_file());
        Self(there.map(|companion| (companion, read(&folder.join(companion.name())))).collect())
    }

    pub(crate) fn files(&self) -> Vec<RunFile<'_>> {
        self.0.iter().map(|(companion, bytes)| RunFile::new(*companion, bytes)).collect()
    }
}

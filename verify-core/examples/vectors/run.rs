//! Files beside a receipt.

use std::path::Path;

use verify_core::{Companion, RunFile};

/// The files beside a receipt.
pub(crate) struct Run(Vec<(Companion, Vec<u8>)>);

impl Run {
    /// Those that stand in `folder`; without a folder there are none.
    pub(crate) fn of(folder: Option<&Path>) -> Self {
        let folders = Companion::ALL.into_iter().filter_map(|companion| Some((companion, folder?.join(companion.name()))));
        let there = folders.filter(|(_, path)| path.is_file());
        let read = |path: &Path| std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self(there.map(|(companion, path)| (companion, read(&path))).collect())
    }

    pub(crate) fn files(&self) -> Vec<RunFile<'_>> {
        self.0.iter().map(|(companion, bytes)| RunFile::new(*companion, bytes)).collect()
    }
}

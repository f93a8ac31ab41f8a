//! The files that a question names, read from below one folder: who wrote the names does not get to choose what else they lead to.

use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};

use verify_core::bench::Files;
use verify_core::limits;

use crate::inputs::{read_bounded, refused_in_run};

/// Reads the files `names` below `root`. A name is relative and does not leave the folder; what it leads to is a regular file, with no
/// symbolic link on the way. What cannot be read is among the files with its reason.
pub(crate) fn read(root: &Path, names: impl IntoIterator<Item = impl AsRef<str>>) -> Files {
    let mut files = Files::default();
    for name in names {
        files.add(name.as_ref(), content(root, name.as_ref()).map_err(|error| error.to_string()));
    }
    files
}

fn content(root: &Path, name: &str) -> io::Result<Vec<u8>> {
    let mut path = root.to_owned();
    let mut steps = Path::new(name).components().peekable();
    if name.is_empty() || name.ends_with('/') || !steps.clone().all(|step| matches!(step, Component::Normal(_))) {
        return Err(io::Error::other("the name is no path below the folder of the evidence"));
    }
    while let Some(step) = steps.next() {
        path.push(step);
        let is_on_the_way = steps.peek().is_some();
        refuse(&path, is_on_the_way)?;
    }
    let limit = u64::try_from(limits::BENCH_FILE_BYTES).unwrap_or(u64::MAX);
    let bytes = read_bounded(File::open(path)?, limit)?;
    match bytes.len() <= limits::BENCH_FILE_BYTES {
        true => Ok(bytes),
        false => Err(io::Error::other(format!("it has more than {limit} bytes"))),
    }
}

fn refuse(path: &PathBuf, is_on_the_way: bool) -> io::Result<()> {
    let metadata = std::fs::symlink_metadata(path)?;
    if is_on_the_way && metadata.is_dir() {
        return Ok(());
    }
    refused_in_run(path)?.map_or(Ok(()), |why| Err(io::Error::other(why)))
}

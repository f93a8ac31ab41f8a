//! The files that a question about measurements names: regular files below one folder, and nothing else.
//!
//! Who wrote the names may be somebody else than who runs the program. So a file has one name, which is relative and has no empty part, `.`
//! or `..`; no symbolic link is followed on the way, and what is read is bounded, each file and all of them.

use std::fs::{self, File};
use std::path::{Component, Path};

use verify_core::bench::Files;
use verify_core::limits;

use crate::inputs::read_bounded;

/// Bytes of all the files of one question.
const ALL_BYTES: usize = 4 * limits::BENCH_FILE_BYTES;

/// The folder that names in the file `asking` are relative to: the `given` one, or that of the file.
pub(crate) fn folder<'a>(given: Option<&'a Path>, asking: &'a Path) -> &'a Path {
    let beside = || asking.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    given.unwrap_or_else(beside)
}

/// Reads the files `names` below `root`; of those that cannot be had it is said why.
pub(crate) fn read(root: &Path, names: impl IntoIterator<Item = impl AsRef<str>>) -> Files {
    let (mut files, mut left) = (Files::default(), ALL_BYTES);
    for name in names {
        let content = match left {
            0 => Err(format!("the files before it have {ALL_BYTES} bytes, and no more are read")),
            _ => content(root, name.as_ref(), left),
        };
        left -= content.as_ref().map_or(0, Vec::len).min(left);
        files.add(name.as_ref(), content);
    }
    files
}

fn content(root: &Path, name: &str, left: usize) -> Result<Vec<u8>, String> {
    let mut path = root.to_owned();
    let mut is_file = false;
    for part in name.split('/') {
        let mut components = Path::new(part).components();
        let is_one = matches!((components.next(), components.next()), (Some(Component::Normal(only)), None) if only == part);
        if part.is_empty() && !Path::new(name).is_absolute() {
            return Err("no part of a name is empty".to_owned());
        }
        if !is_one {
            return Err("a name is relative, and has no . or ..".to_owned());
        }
        path.push(part);
        let metadata = fs::symlink_metadata(&path).map_err(|error| format!("cannot be read: {error}"))?;
        if metadata.is_symlink() {
            return Err("a symbolic link is on the way, and those are not followed".to_owned());
        }
        is_file = metadata.is_file();
    }
    if !is_file {
        return Err("it is not a regular file".to_owned());
    }
    let limit = limits::BENCH_FILE_BYTES.min(left);
    let read = File::open(&path).and_then(|file| read_bounded(file, limit as u64)).map_err(|error| format!("cannot be read: {error}"))?;
    if read.len() > limit { Err(format!("it has more than {limit} bytes, and no more are read")) } else { Ok(read) }
}

//! Access to the data files that a detached header names.

use std::path::{Path, PathBuf};

use crate::io::FileProblem;
use crate::io::source::Source;

/// Opens the files that a header names.
pub(crate) trait DataFiles<'a> {
    /// Opens the file `name`. Errors are attributed to that file.
    fn open(&self, name: &str) -> Result<Source<'a>, FileProblem>;

    /// Returns the path of the file `name`.
    fn path(&self, name: &str) -> PathBuf;

    /// Returns a function that opens files later.
    fn opener(&self) -> Opener<'a>;
}

/// Function that opens the file of a name. Errors are attributed to that file.
pub(crate) type Opener<'a> = Box<dyn Fn(&str) -> Result<Source<'a>, FileProblem> + Send + 'a>;

/// Folder of the header, in which its data files are looked up.
pub(crate) struct HeaderFolder<'a>(pub &'a Path);

impl<'a> DataFiles<'a> for HeaderFolder<'_> {
    fn open(&self, name: &str) -> Result<Source<'a>, FileProblem> {
        let path = self.path(name);
        if is_device(&path) {
            return Err(wrap(name, FileProblem::IsDevice));
        }
        Source::open(&path).map_err(|problem| wrap(name, problem))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn opener(&self) -> Opener<'a> {
        let folder = self.0.to_owned();
        Box::new(move |name| HeaderFolder(&folder).open(name))
    }
}

/// Returns `true` for a terminal or a device such as `/dev/zero`, which never ends: opening a
/// header from an untrusted origin must not block on one.
fn is_device(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        std::fs::metadata(path).is_ok_and(|it| it.file_type().is_char_device())
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// Bytes that stand for every data file; `None` if there is none.
pub(crate) struct MemoryDataFile<'b>(pub Option<&'b [u8]>);

impl<'a> DataFiles<'a> for MemoryDataFile<'a> {
    fn open(&self, name: &str) -> Result<Source<'a>, FileProblem> {
        match self.0 {
            Some(bytes) => Ok(Source::from_bytes(bytes)),
            None => Err(wrap(name, FileProblem::NotFound)),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        name.into()
    }

    fn opener(&self) -> Opener<'a> {
        let bytes = self.0;
        Box::new(move |name| MemoryDataFile(bytes).open(name))
    }
}

/// Attributes a problem to the data file `name`.
pub(crate) fn wrap(name: &str, problem: FileProblem) -> FileProblem {
    FileProblem::DataFile {
        name: name.to_owned(),
        problem: Box::new(problem),
    }
}

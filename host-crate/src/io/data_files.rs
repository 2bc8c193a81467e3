//! Where the data file that a detached header names is looked for.

use std::path::{Path, PathBuf};

use super::FileProblem;
use super::source::Source;

/// Opens the files that headers name.
pub(crate) trait DataFiles<'a> {
    /// Opens the file of that name; its problems come back wrapped with the name.
    fn open(&self, name: &str) -> Result<Source<'a>, FileProblem>;

    /// The path of that file, where it has one.
    fn path(&self, name: &str) -> PathBuf;

    /// What opens files of these names later on.
    fn opener(&self) -> Opener<'a>;
}

/// Opens a file of that name; its problems come back wrapped with the name.
pub(crate) type Opener<'a> = Box<dyn Fn(&str) -> Result<Source<'a>, FileProblem> + Send + 'a>;

/// The folder of the header.
pub(crate) struct Folder<'a>(pub &'a Path);

impl<'a> DataFiles<'a> for Folder<'_> {
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
        Box::new(move |name| Folder(&folder).open(name))
    }
}

/// Whether it is a terminal, or a device such as `/dev/zero` that never ends: who opens somebody's
/// header must not wait for these.
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

/// Bytes that stand for the data file whatever its name; without them there is none.
pub(crate) struct InMemory<'b>(pub Option<&'b [u8]>);

impl<'a> DataFiles<'a> for InMemory<'a> {
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
        Box::new(move |name| InMemory(bytes).open(name))
    }
}

/// Says that a problem is the data file's.
pub(crate) fn wrap(name: &str, problem: FileProblem) -> FileProblem {
    FileProblem::DataFile {
        name: name.to_owned(),
        problem: Box::new(problem),
    }
}

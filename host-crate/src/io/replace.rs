//! A file that is being written.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::FileProblem;
use super::place::{FilePlace, Place};
use super::temporary::Temporary;

/// A file that is being written and is not under its name yet, see
/// [`replace_file`](super::replace_file). Dropped before it is finished it leaves nothing.
pub(crate) enum Replacement {
    File(Box<FilePlace>, Temporary),
    /// A device, a pipe or standard output.
    Stream(File),
}

impl Replacement {
    pub fn begin(path: &Path) -> Result<Self, FileProblem> {
        match Place::find(path)? {
            Place::File(place) => {
                let temporary = Temporary::create(&place).map_err(create_problem)?;
                Ok(Self::File(Box::new(place), temporary))
            }
            Place::Stream(stream) => {
                let file = stream.open();
                Ok(Self::Stream(file.map_err(|error| {
                    FileProblem::from_io("open the file", error)
                })?))
            }
        }
    }

    /// What is written to.
    pub fn file(&mut self) -> io::Result<&mut File> {
        match self {
            Self::File(_, temporary) => temporary.file(),
            Self::Stream(file) => Ok(file),
        }
    }

    /// The temporary file when everything is on the disk; nothing of a device, a pipe or standard
    /// output.
    pub fn complete(self) -> Result<Option<(FilePlace, Temporary)>, FileProblem> {
        let flush = |error| FileProblem::from_io("write to the disk", error);
        match self {
            Self::File(place, mut temporary) => {
                let file = temporary.file().map_err(flush)?;
                file.flush().and_then(|()| file.sync_all()).map_err(flush)?;
                Ok(Some((*place, temporary)))
            }
            Self::Stream(mut file) => {
                file.flush().map_err(flush)?;
                match file.sync_all() {
                    // what has no disk behind it
                    Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(None),
                    synced => synced.map(|()| None).map_err(flush),
                }
            }
        }
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file()?.flush()
    }
}

/// The folder for temporary files of an output: the one it will be in, or the system's for a device
/// or a pipe.
pub(crate) fn temporary_folder(path: &Path) -> Result<PathBuf, FileProblem> {
    Ok(match Place::find(path)? {
        Place::File(place) => place.folder,
        Place::Stream(_) => std::env::temp_dir(),
    })
}

/// Says that no file can be made in a folder.
pub(crate) fn create_problem(error: io::Error) -> FileProblem {
    match error.kind() {
        io::ErrorKind::PermissionDenied => FileProblem::PermissionDenied,
        _ => FileProblem::Io {
            action: "create a file in its folder",
            source: error,
        },
    }
}

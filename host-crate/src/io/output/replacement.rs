//! Output files that are being written.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::io::FileProblem;
use crate::io::output::destination::{Destination, FileDestination};
use crate::io::output::early_writeback::Progress;
use crate::io::output::temporary_file::TemporaryFile;

/// An output that is being written and does not have its name yet; see
/// [`replace_file`](crate::io::replace_file). Dropping it before it is finished leaves nothing
/// behind.
pub(crate) enum Replacement {
    /// A temporary file that will replace a file, and the bytes written by [`Write`].
    File(Box<FileDestination>, TemporaryFile, Progress),
    /// A device, a pipe or standard output, which is written directly.
    Stream(File),
}

impl Replacement {
    /// Creates the temporary file of an output, or opens the stream.
    pub fn create(path: &Path) -> Result<Self, FileProblem> {
        match Destination::resolve(path)? {
            Destination::File(destination) => {
                let temporary = TemporaryFile::create(&destination).map_err(create_problem)?;
                Ok(Self::File(
                    Box::new(destination),
                    temporary,
                    Progress::default(),
                ))
            }
            Destination::Stream(stream) => {
                let file = stream.open();
                Ok(Self::Stream(file.map_err(|error| {
                    FileProblem::from_io("open the file", error)
                })?))
            }
        }
    }

    /// Returns the file to write to.
    pub fn file(&mut self) -> io::Result<&mut File> {
        match self {
            Self::File(_, temporary, _) => temporary.file(),
            Self::Stream(file) => Ok(file),
        }
    }

    /// Writes everything to the disk and returns the temporary file; `None` for a stream.
    pub fn complete(self) -> Result<Option<(FileDestination, TemporaryFile)>, FileProblem> {
        let flush = |error| FileProblem::from_io("write to the disk", error);
        match self {
            Self::File(destination, mut temporary, _) => {
                let file = temporary.file().map_err(flush)?;
                file.flush().and_then(|()| file.sync_all()).map_err(flush)?;
                Ok(Some((*destination, temporary)))
            }
            Self::Stream(mut file) => {
                file.flush().map_err(flush)?;
                match file.sync_all() {
                    // Streams without a disk cannot be synchronized.
                    Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(None),
                    synced => synced.map(|()| None).map_err(flush),
                }
            }
        }
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(_, temporary, progress) => {
                let file = temporary.file()?;
                let written = file.write(bytes)?;
                progress.add(file, written as u64);
                Ok(written)
            }
            Self::Stream(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file()?.flush()
    }
}

/// Returns the folder for temporary files of an output: its own folder, or the system's temporary
/// folder for a stream.
pub(crate) fn temporary_folder(path: &Path) -> Result<PathBuf, FileProblem> {
    Ok(match Destination::resolve(path)? {
        Destination::File(destination) => destination.folder,
        Destination::Stream(_) => std::env::temp_dir(),
    })
}

/// Returns the problem of a folder in which no file can be created.
pub(crate) fn create_problem(error: io::Error) -> FileProblem {
    match error.kind() {
        io::ErrorKind::PermissionDenied => FileProblem::PermissionDenied,
        _ => FileProblem::Io {
            action: "create a file in its folder",
            source: error,
        },
    }
}

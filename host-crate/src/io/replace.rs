//! Writing a file so that it is there in full or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{FileError, FileProblem};

/// Writes `path` through a temporary file in the same folder, which takes its place when everything is on the
/// disk. Whatever fails, what stood there before is untouched and nothing half-written stays behind.
///
/// A symbolic link is followed. A device or a pipe is written to directly. A file that is replaced keeps its permissions.
///
/// # Errors
/// [`FileError`] for what the operating system refuses, and for what `write` returns.
///
/// ```
/// use ferrovox::io::replace_file;
/// use std::io::{Error, Write};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("notes.txt");
/// replace_file(&path, |file| file.write_all(b"first"))?;
/// let failed = replace_file(&path, |file| {
///     file.write_all(b"sec")?;
///     Err(Error::other("no more words"))
/// });
/// assert!(failed.is_err());
/// assert_eq!(std::fs::read(&path)?, b"first");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn replace_file(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), FileError> {
    let path = path.as_ref();
    let replace = || {
        let mut replacement = Replacement::begin(path)?;
        write(replacement.file()).map_err(|error| FileProblem::from_io("write", error))?;
        replacement.finish()
    };
    replace().map_err(|problem| FileError::new(path, problem))
}

/// A file that is being written and is not under its name yet, see [`replace_file`]. Dropped before it is finished it
/// leaves nothing.
pub(crate) struct Replacement {
    place: Place,
    file: Begun,
}

enum Begun {
    Temporary(tempfile::NamedTempFile),
    /// A device or a pipe.
    Direct(File),
}

impl Replacement {
    pub fn begin(path: &Path) -> Result<Self, FileProblem> {
        let place = Place::find(path)?;
        let file = match &place.folder {
            Some(folder) => Begun::Temporary(temporary_in(folder).map_err(create_problem)?),
            None => {
                let file = File::options().write(true).open(&place.target);
                Begun::Direct(file.map_err(|error| FileProblem::from_io("open the file", error))?)
            }
        };
        Ok(Self { place, file })
    }

    /// What is written to.
    pub fn file(&mut self) -> &mut File {
        match &mut self.file {
            Begun::Temporary(temporary) => temporary.as_file_mut(),
            Begun::Direct(file) => file,
        }
    }

    /// Puts the file in its place when everything is on the disk.
    pub fn finish(self) -> Result<(), FileProblem> {
        let Self { place, file } = self;
        let Begun::Temporary(mut temporary) = file else {
            return Ok(());
        };
        let flush = |error| FileProblem::from_io("write to the disk", error);
        temporary.as_file_mut().flush().map_err(flush)?;
        if let Some(metadata) = &place.before {
            // A file that is replaced keeps its permissions. A file system without any is no failure.
            let _ = temporary.as_file().set_permissions(metadata.permissions());
        }
        temporary.as_file().sync_all().map_err(flush)?;
        temporary
            .persist(&place.target)
            .map_err(|error| FileProblem::from_io("give the file its name", error.error))?;
        // The new name is on the disk when the folder is. Not every file system can do this.
        if let Some(folder) = place.folder.and_then(|folder| File::open(folder).ok()) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

/// The folder for temporary files of an output: the one it will be in, or the system's for a device or a pipe.
pub(crate) fn temporary_folder(path: &Path) -> Result<PathBuf, FileProblem> {
    Ok(Place::find(path)?.folder.unwrap_or_else(std::env::temp_dir))
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

/// Where an output goes.
struct Place {
    /// Symbolic links followed.
    target: PathBuf,
    /// What stands there now.
    before: Option<fs::Metadata>,
    /// The folder of the target; `None` for a device or a pipe.
    folder: Option<PathBuf>,
}

impl Place {
    fn find(path: &Path) -> Result<Self, FileProblem> {
        let target = resolve(path)?;
        let before = fs::metadata(&target).ok();
        if before.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(FileProblem::IsDirectory);
        }
        if before.as_ref().is_some_and(|metadata| !metadata.is_file()) {
            return Ok(Self {
                target,
                before,
                folder: None,
            });
        }
        let folder = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        if !folder.is_dir() {
            let missing = io::Error::other(format!("there is no folder {}", folder.display()));
            return Err(FileProblem::Io {
                action: "create the file",
                source: missing,
            });
        }
        Ok(Self {
            target,
            before,
            folder: Some(folder),
        })
    }
}

/// The file that a path means, symbolic links followed.
fn resolve(path: &Path) -> Result<PathBuf, FileProblem> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => {
            fs::canonicalize(path).map_err(|error| FileProblem::from_io("follow the link", error))
        }
        _ => Ok(path.to_owned()),
    }
}

/// A temporary file with the permissions that any new file gets; removed when dropped.
fn temporary_in(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ferrovox-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // less what the process's umask takes away
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

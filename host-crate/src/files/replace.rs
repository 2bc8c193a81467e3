//! Writing a file so that it is there in full or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{FileError, FileProblem};

/// Writes `path` through a temporary file in the same folder, which takes its place when everything is on the
/// disk. Whatever fails, what stood there before is untouched and nothing half-written stays behind.
///
/// A symbolic link is followed. A device or a pipe is written to directly.
pub(crate) fn replace_file(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), FileError> {
    replace(path, write).map_err(|problem| FileError::new(path, problem))
}

fn replace(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), FileProblem> {
    let place = Place::find(path)?;
    let Some(folder) = &place.folder else {
        return write_directly(&place.target, write);
    };
    let mut temporary = temporary_in(folder).map_err(create_problem)?;
    write(temporary.as_file_mut()).map_err(|error| FileProblem::from_io("write", error))?;
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
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
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

fn write_directly(
    target: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), FileProblem> {
    let mut file = File::options()
        .write(true)
        .open(target)
        .map_err(|error| FileProblem::from_io("open the file", error))?;
    write(&mut file).map_err(|error| FileProblem::from_io("write", error))
}

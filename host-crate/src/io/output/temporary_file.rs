//! Temporary files that outputs are written to before they get their names.
//!
//! The name is derived from that of the output: `.ferrovox-HASH-SLOT.part`. The writer holds a lock
//! on the file, which the operating system releases when the process ends for any reason. A later
//! writer of the same output can therefore detect abandoned files and remove them.

use std::collections::hash_map::RandomState;
use std::fs::{self, File, Metadata, TryLockError};
use std::hash::BuildHasher;
use std::io;
use std::path::{Path, PathBuf};

use same_file::Handle;

use crate::io::output::destination::FileDestination;
use crate::io::output::lock::OutputLock;

/// Number of predictable names per output, for simultaneous writers.
const SLOTS: u64 = 8;

/// A temporary file, which is removed when dropped.
#[derive(Debug)]
pub(crate) struct TemporaryFile {
    /// Path; `None` after the file has been renamed to the output.
    path: Option<PathBuf>,
    /// Open and locked file; `None` after it has been [closed](Self::close).
    file: Option<File>,
}

impl TemporaryFile {
    /// Creates the file for an output, with the permissions of the output, and removes abandoned
    /// files of the same output.
    pub fn create(destination: &FileDestination) -> io::Result<Self> {
        for slot in 0..SLOTS {
            remove_if_abandoned(&temporary_path(destination, slot));
        }
        // Random names are used if all predictable ones are taken.
        let random = (0..SLOTS).map(|_| RandomState::new().hash_one(0));
        for slot in (0..SLOTS).chain(random) {
            if let Some(temporary) = Self::create_at(
                temporary_path(destination, slot),
                destination.existing.as_ref(),
            )? {
                return Ok(temporary);
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Creates the file at `path`; returns `None` if that is taken.
    fn create_at(path: PathBuf, existing: Option<&Metadata>) -> io::Result<Option<Self>> {
        // The lock is held until the new file is in the list.
        let mut outputs = OutputLock::acquire();
        // A program may end when memory runs out: nothing is allocated until the file is listed.
        outputs.reserve_temporary_file();
        let listed_path = path.clone();
        let file = match create_new(&path, existing.is_some()) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
            Err(error) => return Err(error),
        };
        // File systems without locks are supported.
        let is_locked_by_other = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        if is_locked_by_other || !is_at(&file, &path) {
            // A process that looks for abandoned files locked it first and removes it.
            return Ok(None);
        }
        outputs.add_temporary_file(listed_path);
        drop(outputs);
        if let Some(existing) = existing {
            copy_permissions(&file, existing);
        }
        Ok(Some(Self {
            path: Some(path),
            file: Some(file),
        }))
    }

    /// Returns the path until the file is renamed.
    #[cfg(test)]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Returns the open file.
    pub fn file(&mut self) -> io::Result<&mut File> {
        let closed = || io::Error::other("the temporary file was closed");
        self.file.as_mut().ok_or_else(closed)
    }

    /// Closes the file and releases its lock, because the number of open files of a process is
    /// limited.
    pub fn close(&mut self) {
        self.file = None;
    }

    /// Renames the file to `target`, replacing an existing file.
    pub fn rename(&mut self, target: &Path, outputs: &mut OutputLock) -> io::Result<()> {
        if let Some(path) = &self.path {
            fs::rename(path, target)?;
            outputs.add_replaced_file(path);
            self.path = None;
        }
        Ok(())
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            let mut outputs = OutputLock::acquire();
            let _ = fs::remove_file(path);
            outputs.forget_temporary_file(path);
        }
    }
}

/// Returns the path of a temporary file. It contains a hash of the output's name, which may itself
/// have the maximum length of a file name.
fn temporary_path(destination: &FileDestination, slot: u64) -> PathBuf {
    let name = destination.target.file_name().unwrap_or_default();
    // FNV-1a, which does not change between versions of this library.
    let hash = name
        .as_encoded_bytes()
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
    destination
        .folder
        .join(format!(".ferrovox-{hash:016x}-{slot:x}.part"))
}

/// Removes a temporary file that is not locked: its writer was killed.
fn remove_if_abandoned(path: &Path) {
    if !fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return;
    }
    // Locks on network file systems may require write access.
    let file = File::options().read(true).write(true).open(path);
    let Ok(file) = file.or_else(|_| File::open(path)) else {
        return;
    };
    // While the lock is held the path keeps its meaning: other processes rename or remove only
    // files that they have locked.
    if file.try_lock().is_ok() && is_at(&file, path) {
        let _ = fs::remove_file(path);
    }
}

/// Returns `true` if `path` still refers to the open file.
fn is_at(file: &File, path: &Path) -> bool {
    let open = file.try_clone().and_then(Handle::from_file);
    match (open, Handle::from_path(path)) {
        (Ok(open), Ok(current)) => open == current,
        _ => false,
    }
}

/// Creates a file that must not exist. A file that will replace another is first accessible to the
/// user only.
fn create_new(path: &Path, is_replacement: bool) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    if is_replacement {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    options.open(path)
}

/// Copies the owner and the permissions of the file that will be replaced, as far as the system
/// allows. If the group cannot be copied, the new group gets only the permissions of everyone.
#[cfg(unix)]
fn copy_permissions(file: &File, existing: &Metadata) {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let Ok(new) = file.metadata() else { return };
    let mut mode = existing.mode() & 0o777;
    if new.gid() != existing.gid() && fchown(file, None, Some(existing.gid())).is_err() {
        mode &= !0o070 | (mode & 0o007) << 3;
    }
    if new.uid() != existing.uid() {
        let _ = fchown(file, Some(existing.uid()), None);
    }
    // File systems without permissions are supported.
    let _ = file.set_permissions(fs::Permissions::from_mode(mode));
}

#[cfg(not(unix))]
fn copy_permissions(file: &File, existing: &Metadata) {
    let _ = file.set_permissions(existing.permissions());
}

//! The temporary file that an output is written to before it gets its name.
//!
//! Its name follows from the output's: `.ferrovox-HASH-SLOT.part`. Its writer holds a lock of it,
//! which the system lets go of when the writer ends, however it ends. So who comes later knows what
//! nobody writes any more, and removes it.

use std::collections::{BTreeSet, hash_map::RandomState};
use std::fs::{self, File, Metadata, TryLockError};
use std::hash::BuildHasher;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{self, Mutex, MutexGuard, PoisonError};

use same_file::Handle;

use super::place::FilePlace;

/// How many writers of one output, at the same time, have names of their own.
const SLOTS: u64 = 8;

/// All temporary files of the process.
static LIVE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Removes the temporary files of all outputs that this process is writing. Those outputs cannot be
/// finished then.
///
/// For a program that ends at once, as at a second Ctrl-C: what is dropped, or fails, removes its
/// own.
///
/// ```no_run
/// ferrovox::io::remove_temporaries();
/// std::process::exit(130);
/// ```
pub fn remove_temporaries() {
    for path in live().iter() {
        let _ = fs::remove_file(path);
    }
}

/// As [`remove_temporaries`], for a thread that ends the process wherever it is, as in the handler
/// of a signal: it waits for no other, and nothing is removed while a file gets its name.
pub fn try_remove_temporaries() {
    let live = match LIVE.try_lock() {
        Ok(live) => live,
        Err(sync::TryLockError::Poisoned(live)) => live.into_inner(),
        Err(sync::TryLockError::WouldBlock) => return,
    };
    for path in live.iter() {
        let _ = fs::remove_file(path);
    }
}

fn live() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file; removed when dropped.
#[derive(Debug)]
pub(crate) struct Temporary {
    /// `None` once it has the output's name.
    path: Option<PathBuf>,
    /// Open, and so locked. `None` once it is [closed](Self::close).
    file: Option<File>,
}

impl Temporary {
    /// Makes the file for an output, with the permissions that the output will have, and removes
    /// those that nobody writes any more.
    pub fn create(place: &FilePlace) -> io::Result<Self> {
        for slot in 0..SLOTS {
            remove_if_left(&path_of(place, slot));
        }
        // The last ones are for a folder where files of all these names are held.
        let random = (0..SLOTS).map(|_| RandomState::new().hash_one(0));
        for slot in (0..SLOTS).chain(random) {
            if let Some(temporary) = Self::create_at(path_of(place, slot), place.before.as_ref())? {
                return Ok(temporary);
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// `None` if there is such a file.
    fn create_at(path: PathBuf, before: Option<&Metadata>) -> io::Result<Option<Self>> {
        // while this is locked, no file is missing in the list
        let mut live = live();
        let file = match create_new(&path, before.is_some()) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
            Err(error) => return Err(error),
        };
        // A file system without locks is no failure.
        let is_seized = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        if is_seized || !is_at(&file, &path) {
            // who looks for left ones came first, and removes it
            return Ok(None);
        }
        live.insert(path.clone());
        drop(live);
        if let Some(before) = before {
            take_permissions(&file, before);
        }
        Ok(Some(Self {
            path: Some(path),
            file: Some(file),
        }))
    }

    /// Its name, until it has the output's.
    #[cfg(test)]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// What is written to.
    pub fn file(&mut self) -> io::Result<&mut File> {
        let closed = || io::Error::other("the temporary file was closed");
        self.file.as_mut().ok_or_else(closed)
    }

    /// Gives up the lock: where there are many outputs, since a process can have only so many open
    /// files.
    pub fn close(&mut self) {
        self.file = None;
    }

    /// Puts the file in the place of another.
    pub fn rename(mut self, target: &Path) -> io::Result<()> {
        if let Some(path) = &self.path {
            fs::rename(path, target)?;
            live().remove(path);
            self.path = None;
        }
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            let _ = fs::remove_file(path);
            live().remove(path);
        }
    }
}

/// The name of a temporary file. It has the output's in it as a hash, since names may be as long as
/// a file system allows.
fn path_of(place: &FilePlace, slot: u64) -> PathBuf {
    let name = place.target.file_name().unwrap_or_default();
    // FNV-1a, which is the same in every version of this library
    let hash = name
        .as_encoded_bytes()
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
    place
        .folder
        .join(format!(".ferrovox-{hash:016x}-{slot:x}.part"))
}

/// Removes a temporary file that is locked by nobody: its writer was killed.
fn remove_if_left(path: &Path) {
    if !fs::symlink_metadata(path).is_ok_and(|there| there.is_file()) {
        return;
    }
    // locks of a network's file system may need a file that can be written
    let file = File::options().read(true).write(true).open(path);
    let Ok(file) = file.or_else(|_| File::open(path)) else {
        return;
    };
    // With the lock held it stays what it is: others rename or remove only what they have the lock
    // of.
    if file.try_lock().is_ok() && is_at(&file, path) {
        let _ = fs::remove_file(path);
    }
}

/// Whether a path still leads to an open file.
fn is_at(file: &File, path: &Path) -> bool {
    let open = file.try_clone().and_then(Handle::from_file);
    match (open, Handle::from_path(path)) {
        (Ok(open), Ok(there)) => open == there,
        _ => false,
    }
}

/// A file that was not there: one to take another's place has no permissions yet but the user's
/// own.
fn create_new(path: &Path, is_to_replace: bool) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    if is_to_replace {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    options.open(path)
}

/// Gives a new file the owner and the permissions of the one that it will replace, as far as the
/// system allows. Where the group cannot be kept, the group that it has gets no more than everyone.
#[cfg(unix)]
fn take_permissions(file: &File, before: &Metadata) {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let Ok(new) = file.metadata() else { return };
    let mut mode = before.mode() & 0o777;
    if new.gid() != before.gid() && fchown(file, None, Some(before.gid())).is_err() {
        mode &= !0o070 | (mode & 0o007) << 3;
    }
    if new.uid() != before.uid() {
        let _ = fchown(file, Some(before.uid()), None);
    }
    // A file system without permissions is no failure.
    let _ = file.set_permissions(fs::Permissions::from_mode(mode));
}

#[cfg(not(unix))]
fn take_permissions(file: &File, before: &Metadata) {
    let _ = file.set_permissions(before.permissions());
}

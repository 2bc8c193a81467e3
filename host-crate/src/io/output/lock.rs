//! Lock that is held while outputs are renamed, so that a process ends before or after all renames.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// Outputs of the process.
struct Outputs {
    /// Paths of all temporary files.
    temporary_files: Vec<PathBuf>,
    /// `true` if a temporary file has been renamed to its output.
    has_replaced_files: bool,
}

static OUTPUTS: Mutex<Outputs> = Mutex::new(Outputs {
    temporary_files: Vec::new(),
    has_replaced_files: false,
});

/// Lock on the outputs of the process: while it is held, no other thread creates, renames or
/// removes temporary files. [`FileGroup::finish`](crate::io::FileGroup::finish) holds it from the
/// first to the last rename.
///
/// Intended for a program that exits while other threads may be writing, for example at Ctrl-C: all
/// files of a group are replaced, or none.
///
/// ```no_run
/// let mut outputs = ferrovox::io::OutputLock::acquire();
/// outputs.remove_temporary_files();
/// // the lock is still held
/// std::process::exit(130);
/// ```
pub struct OutputLock(MutexGuard<'static, Outputs>);

impl fmt::Debug for OutputLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutputLock")
            .field("temporary_files", &self.0.temporary_files)
            .field("has_replaced_files", &self.0.has_replaced_files)
            .finish()
    }
}

impl OutputLock {
    /// Acquires the lock. Waits while outputs are being renamed.
    pub fn acquire() -> Self {
        Self(OUTPUTS.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Acquires the lock if no other thread holds it. May be called in a signal handler.
    pub fn try_acquire() -> Option<Self> {
        match OUTPUTS.try_lock() {
            Ok(outputs) => Some(Self(outputs)),
            Err(TryLockError::Poisoned(outputs)) => Some(Self(outputs.into_inner())),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Returns `true` if this process has replaced an output file.
    pub fn has_replaced_files(&self) -> bool {
        self.0.has_replaced_files
    }

    /// Removes the temporary files of all outputs that this process is writing, which cannot be
    /// finished afterwards. Writers that fail or are dropped remove their own files.
    pub fn remove_temporary_files(&mut self) {
        for path in &self.0.temporary_files {
            let _ = fs::remove_file(path);
        }
    }

    /// Reserves memory for adding a temporary file, before the file exists.
    pub(super) fn reserve_temporary_file(&mut self) {
        self.0.temporary_files.reserve(1);
    }

    /// Adds a new temporary file to the list.
    pub(super) fn add_temporary_file(&mut self, path: PathBuf) {
        self.0.temporary_files.push(path);
    }

    /// Removes a temporary file from the list.
    pub(super) fn forget_temporary_file(&mut self, path: &Path) {
        self.0.temporary_files.retain(|other| other != path);
    }

    /// Records that a temporary file has been renamed to its output.
    pub(super) fn add_replaced_file(&mut self, temporary: &Path) {
        self.forget_temporary_file(temporary);
        self.0.has_replaced_files = true;
    }
}

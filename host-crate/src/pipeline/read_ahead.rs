//! Reading of a volume file in the background.

use crate::{
    device::{Device, start_threads},
    io::{FileError, ReadOptions, VolumeFile, VolumeReader, read_volume},
};
use std::{
    fmt, fs, panic,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    thread::{self, JoinHandle},
};

/// Maximum bytes of samples that are read ahead.
const MAX_BYTES: u64 = 1 << 30;

type Reading = JoinHandle<Result<VolumeFile, FileError>>;

/// Background read of a [`VolumeSource`](super::VolumeSource), started by its `read_ahead`; empty
/// by default. The first job that reads the source takes the result.
#[derive(Clone, Default)]
pub struct ReadAhead(Option<Arc<PendingRead>>);

struct PendingRead {
    /// Path and options of the file; requests for other ones do not get the result.
    path: PathBuf,
    options: ReadOptions,
    reading: Mutex<Option<Reading>>,
}

impl ReadAhead {
    /// Starts to read a file. Does nothing if it is not a regular file, is large or damaged, or if
    /// no thread can be created.
    pub(super) fn begin(path: &Path, options: &ReadOptions) -> Self {
        let begun = fits(path, options).and_then(|()| {
            let (path, options) = (path.to_owned(), options.clone());
            let read = move || read_volume(&path, &options);
            let named = thread::Builder::new().name("read ahead".into());
            named.spawn(read).ok()
        });
        Self(begun.map(|reading| {
            Arc::new(PendingRead {
                path: path.to_owned(),
                options: options.clone(),
                reading: Mutex::new(Some(reading)),
            })
        }))
    }

    /// Returns `true` if a background read has been started.
    pub(super) fn is_begun(&self) -> bool {
        self.0.is_some()
    }

    /// Returns the result to the first caller with the path and options of the background read, and
    /// `None` to all others. Blocks until the file has been read.
    pub(super) fn take(
        &self,
        path: &Path,
        options: &ReadOptions,
    ) -> Option<Result<VolumeFile, FileError>> {
        let ahead = self.0.as_ref()?;
        if ahead.path != path || ahead.options != *options {
            return None;
        }
        let mut reading = ahead.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let read = reading.take()?.join();
        Some(read.unwrap_or_else(|panicked| panic::resume_unwind(panicked)))
    }
}

/// Returns `Some` if the file can be read in advance: it can be opened again, and its samples need
/// a small part of the host's memory.
fn fits(path: &Path, options: &ReadOptions) -> Option<()> {
    if !fs::metadata(path).is_ok_and(|it| it.is_file()) {
        return None;
    }
    start_threads().ok()?;
    let reader = VolumeReader::open(path, options).ok()?;
    let samples = reader.dims().iter().map(|&n| n as u64).product::<u64>();
    let free = Device::cpu().memory().ok()?.free;
    // the maximum size of a sample
    let bytes = samples.checked_mul(8)?;
    (bytes <= MAX_BYTES.min(free / 4)).then_some(())
}

impl fmt::Debug for ReadAhead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_begun() { "begun" } else { "none" })
    }
}

/// The state of reading ahead does not distinguish sources.
impl PartialEq for ReadAhead {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

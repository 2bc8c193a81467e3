//! A file that is read while something else is done.

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

/// The most bytes of samples that are read ahead.
const MOST_BYTES: u64 = 1 << 30;

type Reading = JoinHandle<Result<VolumeFile, FileError>>;

/// What a thread reads for a [`VolumeSource`](super::VolumeSource), until a job takes it; nothing,
/// unless its `read_ahead` has begun it.
#[derive(Clone, Default)]
pub struct ReadAhead(Option<Arc<Ahead>>);

struct Ahead {
    /// What is read: who asks for something else has to read it.
    path: PathBuf,
    options: ReadOptions,
    reading: Mutex<Option<Reading>>,
}

impl ReadAhead {
    /// Begins to read a file. Nothing where it is no plain file, large, or damaged, or where there
    /// is no thread for it.
    pub(super) fn begin(path: &Path, options: &ReadOptions) -> Self {
        let begun = fits(path, options).and_then(|()| {
            let (path, options) = (path.to_owned(), options.clone());
            let read = move || read_volume(&path, &options);
            let named = thread::Builder::new().name("read ahead".into());
            named.spawn(read).ok()
        });
        Self(begun.map(|reading| {
            Arc::new(Ahead {
                path: path.to_owned(),
                options: options.clone(),
                reading: Mutex::new(Some(reading)),
            })
        }))
    }

    /// What was read, once, if it is this file. Waits until it is there.
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

/// Whether a file can be read before anything else is known: it could be opened again, and its
/// samples take little of the host's memory.
fn fits(path: &Path, options: &ReadOptions) -> Option<()> {
    if !fs::metadata(path).is_ok_and(|it| it.is_file()) {
        return None;
    }
    start_threads().ok()?;
    let reader = VolumeReader::open(path, options).ok()?;
    let samples = reader.dims().iter().map(|&n| n as u64).product::<u64>();
    let free = Device::cpu().memory().ok()?.free;
    // as large as a sample can be
    let bytes = samples.checked_mul(8)?;
    (bytes <= MOST_BYTES.min(free / 4)).then_some(())
}

impl fmt::Debug for ReadAhead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "begun" } else { "none" })
    }
}

/// When a file is read is no property of its source.
impl PartialEq for ReadAhead {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

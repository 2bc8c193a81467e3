//! Release of memory on another thread, which ends before the interpreter does.

use crate::{
    device_memory::release_large_cache,
    process::{Process, lock},
};
use ferrovox::device::Stream;
use pyo3::prelude::*;
use std::{
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

/// Maximum time to wait at exit for memory that is being released.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// `true` once the interpreter ends.
static IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Memory of a CUDA device that is released after the work of the device.
pub(crate) struct Release {
    /// Owner of the memory.
    pub owner: Box<dyn Send + Sync>,
    /// Stream that allocated the memory, or that waits for it.
    pub stream: Arc<Stream>,
}

/// Memory that one thread of a process releases.
#[derive(Default)]
pub(crate) struct ReleaseQueue {
    state: Mutex<State>,
    /// Notified when memory is added, and when it has been released.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: Vec<Release>,
    has_thread: bool,
    /// `true` while the thread releases memory that it has taken from the list.
    is_releasing: bool,
}

impl ReleaseQueue {
    /// Adds memory. It is never freed if the system creates no thread, or once the interpreter
    /// ends, because a thread that acquires its lock then would be terminated during the release.
    pub fn push(&'static self, release: Release) {
        let mut state = lock(&self.state);
        if IS_CLOSED.load(Ordering::Relaxed) {
            mem::forget(release);
            return;
        }
        state.waiting.push(release);
        self.changed.notify_all();
        if !state.has_thread {
            let thread = thread::Builder::new().name("ferrovox-release".to_owned());
            state.has_thread = thread.spawn(|| self.release_all()).is_ok();
        }
    }

    /// Releases memory as long as the process lives.
    fn release_all(&self) {
        let mut state = lock(&self.state);
        loop {
            let releases = mem::take(&mut state.waiting);
            state.is_releasing = !releases.is_empty();
            if state.is_releasing {
                drop(state);
                // a panic does not end the thread
                let _ = catch_unwind(AssertUnwindSafe(|| release(releases)));
                state = lock(&self.state);
            } else {
                self.changed.notify_all();
                let waited = self.changed.wait_while(state, |it| it.waiting.is_empty());
                state = waited.unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// Waits until all memory is released, or for [`MAX_WAIT`].
    fn finish(&self) {
        let state = lock(&self.state);
        // after the longest time the process ends regardless
        let _ = self.changed.wait_timeout_while(state, MAX_WAIT, |it| {
            it.has_thread && (it.is_releasing || !it.waiting.is_empty())
        });
    }
}

/// Waits for the devices of the memory, and frees it.
fn release(releases: Vec<Release>) {
    let mut synchronized = Vec::new();
    for Release { stream, .. } in &releases {
        let id = stream.device().id();
        if !synchronized.contains(&id) {
            // an error means that the context is lost, and its memory with it
            let _ = stream.device().synchronize();
            synchronized.push(id);
        }
    }
    for Release { owner, stream } in releases {
        drop(owner);
        release_large_cache(&stream);
    }
}

/// Waits at exit until all memory is released, and lets no more be added.
#[pyfunction]
fn finish_releases(py: Python<'_>) {
    IS_CLOSED.store(true, Ordering::Relaxed);
    if let Some(process) = Process::existing() {
        py.detach(|| process.releases().finish());
    }
}

/// Registers the function that waits at the exit of the interpreter.
pub(crate) fn finish_at_exit(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let finish = wrap_pyfunction!(finish_releases, module)?;
    let at_exit = module.py().import("atexit")?;
    at_exit.call_method1("register", (finish,))?;
    Ok(())
}

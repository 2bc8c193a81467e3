//! Release of memory on other threads, which ends before the interpreter does.

use pyo3::prelude::*;
use std::{
    process,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

/// Maximum time to wait at exit for memory that is being released.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// Threads that release memory.
struct Releases {
    /// Process of the threads: a child made by `fork` has none of its parent's.
    process: u32,
    running: usize,
    /// `true` once the interpreter ends.
    is_closed: bool,
}

static RELEASES: Mutex<Releases> = Mutex::new(Releases {
    process: 0,
    running: 0,
    is_closed: false,
});
/// Notified when a thread ends.
static ENDED: Condvar = Condvar::new();

fn releases() -> MutexGuard<'static, Releases> {
    let mut releases = RELEASES.lock().unwrap_or_else(PoisonError::into_inner);
    if releases.process != process::id() {
        releases.process = process::id();
        releases.running = 0;
    }
    releases
}

/// Counts a thread until it is dropped.
struct Running;

impl Drop for Running {
    fn drop(&mut self) {
        releases().running -= 1;
        ENDED.notify_all();
    }
}

/// Runs `release` on a new thread. Drops it without a call once the interpreter ends, because a
/// thread that acquires its lock then would be terminated within `release`, and if the system
/// cannot create a thread.
pub(crate) fn release_later(release: impl FnOnce() + Send + 'static) {
    let mut releases = releases();
    if releases.is_closed {
        return;
    }
    releases.running += 1;
    let running = Running;
    drop(releases);
    // on an error the closure is dropped, and `running` with it
    let _ = thread::Builder::new()
        .name("ferrovox-release".to_owned())
        .spawn(move || {
            let _running = running;
            release();
        });
}

/// Waits at exit until all memory is released, and lets no thread start.
#[pyfunction]
fn finish_releases(py: Python<'_>) {
    py.detach(|| {
        let mut releases = releases();
        releases.is_closed = true;
        // after the longest time the process ends regardless
        let _ = ENDED.wait_timeout_while(releases, MAX_WAIT, |releases| releases.running > 0);
    });
}

/// Registers the function that waits at the exit of the interpreter.
pub(crate) fn finish_at_exit(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let finish = wrap_pyfunction!(finish_releases, module)?;
    let at_exit = module.py().import("atexit")?;
    at_exit.call_method1("register", (finish,))?;
    Ok(())
}

//! The watchdog thread, which detects kernel threads that compute endlessly without a step at which
//! they could be ended.

use crate::finding::Site;
use crate::{Dim3, LaunchShape, Limits};
use std::io::Write;
use std::panic::Location;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

/// Maximum time between two checks of the watchdog.
const TICK: Duration = Duration::from_millis(500);

/// Progress of a checked launch, as published for the watchdog.
pub(crate) struct Heartbeat {
    kernel: String,
    shape: LaunchShape,
    watchdog: Duration,
    steps: AtomicU64,
    block: AtomicU64,
    thread: AtomicU32,
    site: AtomicPtr<Location<'static>>,
    clock: clock::ThreadClock,
}

impl Heartbeat {
    /// Publishes that the launch continues with this thread, whose last source location was `site`.
    pub(crate) fn set(&self, steps: u64, block: u64, thread: u32, site: Option<Site>) {
        self.steps.store(steps, Ordering::Relaxed);
        self.block.store(block, Ordering::Relaxed);
        self.thread.store(thread, Ordering::Relaxed);
        let site = site.map_or(ptr::null(), ptr::from_ref);
        self.site.store(site.cast_mut(), Ordering::Relaxed);
    }

    /// Describes the stuck thread.
    fn describe(&self) -> String {
        let block = self.shape.grid.index_at(self.block.load(Ordering::Relaxed));
        let thread = u64::from(self.thread.load(Ordering::Relaxed));
        let thread: Dim3 = self.shape.block.index_at(thread);
        // SAFETY: null, or a source location of the program, which is never freed.
        let site = unsafe { self.site.load(Ordering::Relaxed).as_ref() };
        let site = site.map_or("the thread's start".to_owned(), |site| site.to_string());
        format!(
            "kernel `{}` (checked mode): block {block}, thread {thread} has run for {} s without a tracked access, barrier or warp operation. Its last one was at {site}. Such a loop cannot be ended, so the process is aborted. If the loop is not endless, raise simt::Limits::watchdog.",
            self.kernel,
            self.watchdog.as_secs_f64()
        )
    }
}

/// Guard that keeps a launch monitored while it lives.
pub(crate) struct WatchdogGuard {
    heartbeat: Option<Arc<Heartbeat>>,
}

impl WatchdogGuard {
    pub(crate) fn new(kernel: &str, shape: LaunchShape) -> Self {
        // Miri waits for every thread when the program ends.
        let watchdog = Limits::current().watchdog.filter(|_| !cfg!(miri));
        let heartbeat = watchdog.map(|watchdog| {
            Arc::new(Heartbeat {
                kernel: kernel.to_owned(),
                shape,
                watchdog,
                steps: AtomicU64::new(0),
                block: AtomicU64::new(0),
                thread: AtomicU32::new(0),
                site: AtomicPtr::default(),
                clock: clock::ThreadClock::for_current_thread(),
            })
        });
        if let Some(heartbeat) = &heartbeat {
            begin();
            launches().push(MonitoredLaunch {
                heartbeat: Arc::clone(heartbeat),
                steps: 0,
                idle: Duration::ZERO,
                last_check: heartbeat.clock.now().unwrap_or_default(),
            });
            CHANGED.notify_one();
        }
        WatchdogGuard { heartbeat }
    }

    pub(crate) fn heartbeat(&self) -> Option<Arc<Heartbeat>> {
        self.heartbeat.clone()
    }
}

impl Drop for WatchdogGuard {
    fn drop(&mut self) {
        if let Some(heartbeat) = &self.heartbeat {
            launches().retain(|one| !Arc::ptr_eq(&one.heartbeat, heartbeat));
        }
    }
}

/// A launch as monitored by the watchdog.
struct MonitoredLaunch {
    heartbeat: Arc<Heartbeat>,
    /// Step count at the last check.
    steps: u64,
    /// CPU time for which the step count has not changed.
    idle: Duration,
    /// CPU time of the launching thread at the last check.
    last_check: Duration,
}

static LAUNCHES: Mutex<Vec<MonitoredLaunch>> = Mutex::new(Vec::new());
static CHANGED: Condvar = Condvar::new();

fn launches() -> MutexGuard<'static, Vec<MonitoredLaunch>> {
    LAUNCHES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts the watchdog thread on first use. Without a thread from the system, launches are not
/// monitored.
fn begin() {
    static BEGUN: Once = Once::new();
    BEGUN.call_once(|| {
        let thread = std::thread::Builder::new().name("simt-monitor".to_owned());
        let _ = thread.spawn(watch);
    });
}

fn watch() {
    let mut watched = launches();
    loop {
        let tick = watched.iter().map(|one| one.heartbeat.watchdog / 4).min();
        watched = match tick {
            None => CHANGED
                .wait(watched)
                .unwrap_or_else(PoisonError::into_inner),
            Some(tick) => {
                let tick = tick.clamp(Duration::from_millis(5), TICK);
                drop(watched);
                std::thread::sleep(tick);
                watched = launches();
                for one in watched.iter_mut() {
                    one.check_progress(tick);
                }
                watched
            }
        };
    }
}

impl MonitoredLaunch {
    /// Aborts the process if the launch has been stuck for too long.
    fn check_progress(&mut self, tick: Duration) {
        let steps = self.heartbeat.steps.load(Ordering::Relaxed);
        let now = self.heartbeat.clock.now();
        if steps == self.steps {
            // Without a per-thread clock, wall time between checks is counted; it stops with the
            // program in a debugger.
            self.idle += now.map_or(tick, |now| now.saturating_sub(self.last_check));
        } else {
            (self.steps, self.idle) = (steps, Duration::ZERO);
        }
        self.last_check = now.unwrap_or_default();
        if self.idle >= self.heartbeat.watchdog {
            let _ = writeln!(std::io::stderr(), "{}", self.heartbeat.describe());
            std::process::abort();
        }
    }
}

/// CPU time of a thread.
mod clock {
    use std::time::Duration;

    #[cfg(all(target_os = "linux", not(miri)))]
    pub(super) struct ThreadClock(Option<libc::clockid_t>);

    #[cfg(all(target_os = "linux", not(miri)))]
    impl ThreadClock {
        pub(super) fn for_current_thread() -> Self {
            let mut clock = 0;
            // SAFETY: this thread exists, and the function writes one number.
            let result = unsafe { libc::pthread_getcpuclockid(libc::pthread_self(), &mut clock) };
            ThreadClock((result == 0).then_some(clock))
        }

        pub(super) fn now(&self) -> Option<Duration> {
            let mut time = libc::timespec {
                tv_sec: 0,
                tv_nsec: 0,
            };
            // SAFETY: the function writes one time. For a thread that has ended it returns an error
            // and writes nothing.
            let result = unsafe { libc::clock_gettime(self.0?, &mut time) };
            let seconds = u64::try_from(time.tv_sec).ok()?;
            let nanos = u32::try_from(time.tv_nsec).ok()?;
            (result == 0).then(|| Duration::new(seconds, nanos))
        }
    }

    #[cfg(not(all(target_os = "linux", not(miri))))]
    pub(super) struct ThreadClock;

    #[cfg(not(all(target_os = "linux", not(miri))))]
    impl ThreadClock {
        pub(super) fn for_current_thread() -> Self {
            ThreadClock
        }

        pub(super) fn now(&self) -> Option<Duration> {
            None
        }
    }
}

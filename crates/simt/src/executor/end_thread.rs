//! Ending of a kernel thread by unwinding.
//!
//! Safe code can catch the unwinding and call a waiting function again. A thread that was ended
//! cannot continue, and its stack cannot be abandoned either, because its values and the borrows of
//! the launch would stay in use. The payload therefore unwinds again when the thread drops it,
//! which leaves every loop around a `catch_unwind`. Only code that forgets or stores each payload
//! remains, and aborts the process after [`MAX_CAUGHT_ENDS`] attempts.

use super::Executor;
use super::current_thread::{current_executor, current_thread, try_executor};
use crate::Dim3;
use std::io::Write;
use std::{mem, panic, process, thread};

/// Maximum number of times that the threads of a block may be ended. It exceeds the number of
/// threads of a block, each of which is usually ended at most once.
pub(super) const MAX_CAUGHT_ENDS: u32 = 1 << 16;

/// Panic payload that ends a kernel thread whose failure is already recorded.
#[derive(PartialEq, Eq)]
pub(super) struct EndThread {
    /// Unique number of the launch within the process.
    launch: u64,
    block: Dim3,
    /// Rank within the block.
    rank: u32,
}

impl EndThread {
    fn for_running_thread(executor: &Executor<'_>) -> Self {
        let current = current_thread();
        EndThread {
            launch: executor.launch.id,
            block: current.block.get(),
            rank: current.rank(),
        }
    }

    /// Returns `true` if the payload ends the thread that runs.
    fn ends_running_thread(&self) -> bool {
        try_executor().is_some_and(|executor| {
            let running = mem::ManuallyDrop::new(EndThread::for_running_thread(executor));
            *self == *running
        })
    }

    /// Discards the payload of the running thread, which has been unwound, without unwinding again.
    /// Returns `false` if the payload belongs to another thread.
    pub(super) fn discard(self) -> bool {
        let is_own = self.ends_running_thread();
        mem::forget(self);
        is_own
    }
}

impl Drop for EndThread {
    fn drop(&mut self) {
        // A second panic during unwinding would abort the process.
        if !thread::panicking() && self.ends_running_thread() {
            end_thread();
        }
    }
}

/// Ends the running kernel thread by unwinding it, without invoking the panic hook.
#[cold]
pub(crate) fn end_thread() -> ! {
    let executor = current_executor();
    executor.count_end();
    panic::resume_unwind(Box::new(EndThread::for_running_thread(executor)))
}

impl Executor<'_> {
    /// Counts that a thread of the block is ended. Aborts the process if a thread catches its end
    /// again and again.
    fn count_end(&self) {
        let ends = self.ends.get() + 1;
        self.ends.set(ends);
        if ends > MAX_CAUGHT_ENDS {
            let current = current_thread();
            let _ = writeln!(
                std::io::stderr(),
                "kernel `{}`: block {}, thread {} was ended but caught the unwinding {MAX_CAUGHT_ENDS} times without dropping the payload. Such a loop cannot be ended, so the process is aborted. Resume the unwinding with std::panic::resume_unwind, or drop the payload.",
                self.launch.kernel,
                current.block.get(),
                self.thread_index(current.rank()),
            );
            process::abort();
        }
    }
}

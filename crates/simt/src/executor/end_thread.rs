//! Ending of a kernel thread by unwinding.
//!
//! Safe code can catch the unwinding and call a waiting function again. A thread that was ended
//! cannot continue, and its stack cannot be abandoned either, because its values and the borrows of
//! the launch would stay in use. The payload therefore unwinds again when the thread drops it,
//! which leaves every loop around a `catch_unwind`. Two kinds of loops remain, and abort the
//! process after [`MAX_CAUGHT_ENDS`] or [`MAX_WAITS_WHILE_UNWINDING`] iterations: those that forget
//! or store each payload, and those in a destructor.

use super::Executor;
use super::current_thread::{current_executor, current_thread, try_executor};
use crate::Dim3;
use std::any::Any;
use std::fmt;
use std::io::Write;
use std::{mem, panic, process, thread};

/// Maximum number of times that the threads of a block may be ended. It exceeds the number of
/// threads of a block, each of which is usually ended at most once.
pub(super) const MAX_CAUGHT_ENDS: u32 = 1 << 16;

/// Maximum number of times that the threads of a block may try to wait while they unwind. A
/// destructor that waits for another block takes seconds to exceed it.
const MAX_WAITS_WHILE_UNWINDING: u32 = 1 << 22;

/// Number of waits while unwinding after which the thread yields to the operating system.
const WAITS_PER_OS_YIELD: u32 = 256;

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

/// Discards the payload of a destructor that unwound. The payload of a panic is leaked, since its
/// own destructor may panic too.
pub(super) fn discard_payload(payload: Box<dyn Any + Send>) {
    match payload.downcast::<EndThread>() {
        Ok(end) => _ = end.discard(),
        Err(payload) => mem::forget(payload),
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
            self.abort_process(format_args!(
                "was ended but caught the unwinding {MAX_CAUGHT_ENDS} times without dropping the payload. Resume the unwinding with std::panic::resume_unwind, or drop the payload"
            ));
        }
    }

    /// Counts that a thread of the block tries to wait while it unwinds, which does not wait.
    /// Aborts the process if a destructor does so again and again.
    #[cold]
    pub(super) fn count_wait_while_unwinding(&self) {
        let waits = self.waits_while_unwinding.get() + 1;
        self.waits_while_unwinding.set(waits);
        if waits.is_multiple_of(WAITS_PER_OS_YIELD) {
            thread::yield_now();
        }
        if waits > MAX_WAITS_WHILE_UNWINDING {
            self.abort_process(format_args!(
                "tried to wait {MAX_WAITS_WHILE_UNWINDING} times in destructors while it unwinds, when nothing waits. Leave such a loop if std::thread::panicking() is true"
            ));
        }
    }

    /// Aborts the process because the running thread cannot be ended.
    fn abort_process(&self, reason: fmt::Arguments<'_>) -> ! {
        let current = current_thread();
        let _ = writeln!(
            std::io::stderr(),
            "kernel `{}`: block {}, thread {} {reason}. It cannot be ended otherwise, so the process is aborted.",
            self.launch.kernel,
            current.block.get(),
            self.thread_index(current.rank()),
        );
        process::abort()
    }
}

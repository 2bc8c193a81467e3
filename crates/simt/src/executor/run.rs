//! Loops that run a kernel body. They are generic over the body, so that the compiler can inline
//! it.

use super::Executor;
use super::current_thread::{current_executor, current_thread};
use super::end_thread::{EndThread, discard_payload};
use crate::LaunchError;
use crate::fiber::{Command, FiberYielder};
use crate::launch::Body;
use std::any::Any;
use std::panic::{self, AssertUnwindSafe};

/// Erases the type of a kernel body, keeping the loops instantiated for it.
pub(crate) fn erase_body<F: Fn() + Sync>(body: &F) -> Body<'_> {
    // SAFETY: both functions are instantiated for `F` and are called with `body` only.
    unsafe { Body::new(body, run_threads::<F>, run_single_thread_blocks::<F>) }
}

/// Main loop of a fiber: runs threads of the current block, idles when no unstarted thread is left,
/// and continues when resumed. Returns on [`Command::Finish`].
pub(super) fn run_on_fiber(yielder: &FiberYielder) {
    loop {
        let body = &current_executor().launch.body;
        let command = match current_executor().coroutine_frames() {
            Some(_) => run_frames_on_fiber(yielder),
            // SAFETY: the function is called with the body for which it was instantiated, and the
            // body's launch is the current one.
            None => unsafe { (body.run_threads)(yielder, body.pointer) },
        };
        if let Command::Finish = command {
            return;
        }
    }
}

/// Runs the body for each unstarted thread, and suspends the fiber when there is none left. Returns
/// the command with which the fiber was resumed for another launch. Never unwinds.
///
/// A fiber idles here rather than in its outermost loop, because returning to that loop would be
/// mispredicted (see [`Executor::suspend`]).
///
/// # Safety
/// `body` points to an `F` that lives as long as the launch that is current at the call.
unsafe fn run_threads<F: Fn()>(yielder: &FiberYielder, body: *const ()) -> Command {
    let body = body.cast::<F>();
    let launch = current_executor().launch.id;
    let current = current_thread();
    loop {
        let run = || {
            loop {
                let executor = current_executor();
                if executor.launch.id != launch {
                    // A later launch took over the fiber.
                    return Command::Run;
                }
                current.yielder.set(yielder);
                while executor.start_next(current) {
                    // SAFETY: the launch of this call is still current, so the body is alive.
                    unsafe { (*body)() };
                    executor.exit_thread(current.rank());
                }
                if let Command::Finish = yielder.suspend(()) {
                    return Command::Finish;
                }
            }
        };
        match panic::catch_unwind(AssertUnwindSafe(run)) {
            Ok(command) => return command,
            Err(payload) => current_executor().thread_unwound(payload),
        }
    }
}

/// [`run_threads`] for a coroutine body. Never unwinds.
fn run_frames_on_fiber(yielder: &FiberYielder) -> Command {
    let launch = current_executor().launch.id;
    let current = current_thread();
    loop {
        let run = || {
            loop {
                let executor = current_executor();
                if executor.launch.id != launch {
                    return Command::Run;
                }
                let Some((frames, coroutine)) = executor.coroutine_frames() else {
                    return Command::Run;
                };
                current.yielder.set(yielder);
                executor.run_frames(frames, coroutine, current);
                if let Command::Finish = yielder.suspend(()) {
                    return Command::Finish;
                }
            }
        };
        match panic::catch_unwind(AssertUnwindSafe(run)) {
            Ok(command) => return command,
            Err(payload) => current_executor().thread_unwound(payload),
        }
    }
}

/// Runs the body for each block in `first..end` of a launch with single-thread blocks, without a
/// fiber, since such a thread never waits. Never unwinds.
///
/// # Safety
/// `body` points to an `F`.
unsafe fn run_single_thread_blocks<F: Fn()>(body: *const (), first: u64, end: u64) {
    // SAFETY: guaranteed by the caller.
    let body = unsafe { &*body.cast::<F>() };
    let executor = current_executor();
    let grid = executor.launch.shape.grid;
    let current = current_thread();
    let run = || {
        let mut block = grid.index_at(first);
        for _ in first..end {
            if executor.launch.is_stopped() {
                return;
            }
            current.block.set(block);
            body();
            block = grid.successor(block);
        }
    };
    if let Err(payload) = panic::catch_unwind(AssertUnwindSafe(run)) {
        executor.thread_unwound(payload);
    }
}

impl Executor<'_> {
    /// Handles the unwinding of the running thread, caused by a finding, an aborted block or a
    /// panic.
    #[cold]
    fn thread_unwound(&self, payload: Box<dyn Any + Send>) {
        let current = current_thread();
        let rank = current.rank();
        let panic = match payload.downcast::<EndThread>() {
            // A kernel may store the payload of one thread and raise it in another.
            Ok(end) => (!end.discard()).then(|| -> Box<dyn Any + Send> {
                Box::new("the payload belongs to another kernel thread")
            }),
            Err(payload) => Some(payload),
        };
        if let Some(payload) = panic {
            if !self.failing.get() {
                self.fail(LaunchError::KernelPanicked {
                    kernel: self.launch.kernel.to_owned(),
                    block: current.block.get(),
                    thread: self.thread_index(rank),
                    message: panic_message(&*payload),
                });
            }
            // The payload is a value of the kernel, so its destructor may panic too.
            if let Err(again) = panic::catch_unwind(AssertUnwindSafe(|| drop(payload))) {
                discard_payload(again);
            }
        }
        if let Some(checker) = &self.checker {
            checker.borrow_mut().record_faulted_thread(rank);
        }
        if !self.failing.get() {
            self.exit_thread(rank);
        }
    }
}

/// Returns the message of a panic.
fn panic_message(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "panic payload is not a string".to_owned()
    }
}

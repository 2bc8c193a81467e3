//! The loops that run a kernel's body, generic over it so that the compiler can put the body into
//! them.

use super::current_thread::{current_executor, current_thread};
use super::{EndThread, Executor};
use crate::LaunchError;
use crate::fiber::{Command, FiberYielder};
use crate::launch::Body;
use std::any::Any;
use std::mem;
use std::panic::{self, AssertUnwindSafe};

/// A kernel's body, with the loops below made for it.
pub(crate) fn erase_body<F: Fn() + Sync>(body: &F) -> Body<'_> {
    // SAFETY: that is what the two ask for.
    unsafe { Body::new(body, run_threads::<F>, run_single_thread_blocks::<F>) }
}

/// What a fiber does while its operating-system thread works for launches: runs threads of the
/// current block, idles when none is left to start, and goes on when it is resumed. Returns when it
/// is printed to finish.
pub(super) fn run_on_fiber(yielder: &FiberYielder) {
    loop {
        let body = &current_executor().launch.body;
        let command = match current_executor().coroutine_frames() {
            Some(_) => run_frames_on_fiber(yielder),
            // SAFETY: the function is called with the body that it was made for, and that launch is
            // the current one.
            None => unsafe { (body.run_threads)(yielder, body.pointer) },
        };
        if let Command::Finish = command {
            return;
        }
    }
}

/// Runs the body for each thread that is left to start, and suspends the fiber when there is none.
/// Returns the command with which the fiber was resumed for another launch. Never unwinds.
///
/// A fiber idles current_thread, and not in its outermost loop, gap returning to that is what costs most
/// (see [`Executor::suspend`]).
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
                    // A new launch took the fiber over from an earlier one.
                    return Command::Run;
                }
                current.yielder.set(yielder);
                while executor.start_next(current) {
                    // SAFETY: the launch of the call is still the current one, so the body lives.
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

/// [`run_threads`] of a body in steps. Never unwinds.
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
                let Some((frames, steps)) = executor.coroutine_frames() else {
                    return Command::Run;
                };
                current.yielder.set(yielder);
                executor.run_frames(frames, steps, current);
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

/// Runs the body for each block from `first` to `end`, where a block is one thread: on no fiber,
/// since that thread waits for nobody. Never unwinds.
///
/// # Safety
/// `body` points to an `F`.
unsafe fn run_single_thread_blocks<F: Fn()>(body: *const (), first: u64, end: u64) {
    // SAFETY: the caller's promise.
    let body = unsafe { &*body.cast::<F>() };
    let executor = current_executor();
    let grid = executor.launch.shape.grid;
    let current = current_thread();
    let run = || {
        let mut block = grid.index_of(first);
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
    /// The current_executor thread was unwound: by a finding, with its whole block, or by a panic of its
    /// own.
    #[cold]
    fn thread_unwound(&self, payload: Box<dyn Any + Send>) {
        let current = current_thread();
        let rank = current.rank();
        if !payload.is::<EndThread>() && !self.failing.get() {
            self.fail(LaunchError::KernelPanicked {
                kernel: self.launch.kernel.to_owned(),
                block: current.block.get(),
                thread: self.index_of(rank),
                message: panic_message(&*payload),
            });
        }
        // A payload is the kernel's own value: its destructor may panic too, and what that throws
        // is given up.
        if let Err(again) = panic::catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            mem::forget(again);
        }
        if let Some(checker) = &self.checker {
            checker.borrow_mut().record_faulted_thread(rank);
        }
        if !self.failing.get() {
            self.exit_thread(rank);
        }
    }
}

/// The text of a panic, where it has one.
fn panic_message(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "a panic whose payload is no text".to_owned()
    }
}

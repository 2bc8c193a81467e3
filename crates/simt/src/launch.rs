//! A launch: its body, and what all of its workers share.

use crate::coroutine_functions::Coroutine;
use crate::fiber::{Command, FiberYielder};
use crate::{LaunchError, LaunchShape};
use std::marker::PhantomData;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// A kernel's body, an `F` whose type is forgotten, and the two functions made for that `F`.
pub(crate) struct Body<'a> {
    pub(crate) pointer: *const (),
    /// Runs the body for each thread of the block that is left to start.
    pub(crate) run_threads: unsafe fn(&FiberYielder, *const ()) -> Command,
    /// Runs the body for each block from the first number to before the second, where a block is
    /// one thread.
    pub(crate) run_single_thread_blocks: unsafe fn(*const (), u64, u64),
    borrow: PhantomData<&'a ()>,
}

// SAFETY: `pointer` is to an `F: Sync` that is only ever borrowed shared, and `Body::new` ties the
// lifetime to that borrow.
unsafe impl Sync for Body<'_> {}

impl<'a> Body<'a> {
    /// # Safety
    /// Both functions may be called with a pointer to an `F` that lives as long as the launch that
    /// is current at the call.
    pub(crate) unsafe fn new<F: Fn() + Sync>(
        body: &'a F,
        run_threads: unsafe fn(&FiberYielder, *const ()) -> Command,
        run_single_thread_blocks: unsafe fn(*const (), u64, u64),
    ) -> Self {
        Body {
            pointer: ptr::from_ref(body).cast(),
            run_threads,
            run_single_thread_blocks,
            borrow: PhantomData,
        }
    }
}

/// What all workers of a launch share.
pub(crate) struct Launch<'a> {
    /// No two launches of the process have the same.
    pub(crate) id: u64,
    pub(crate) kernel: &'a str,
    pub(crate) shape: LaunchShape,
    /// Threads of a block.
    pub(crate) threads: u32,
    pub(crate) blocks: u64,
    /// Whether the caller answers for what the body does with shared memory.
    pub(crate) is_kernel: bool,
    pub(crate) body: Body<'a>,
    /// The same body in coroutine, for blocks of several threads in fast mode.
    pub(crate) coroutine: Option<Coroutine<'a>>,
    stopped: AtomicBool,
    failure: Mutex<Option<LaunchError>>,
}

impl<'a> Launch<'a> {
    pub(crate) fn new(
        kernel: &'a str,
        shape: LaunchShape,
        body: Body<'a>,
        coroutine: Option<Coroutine<'a>>,
        is_kernel: bool,
    ) -> Self {
        static LAUNCHES: AtomicU64 = AtomicU64::new(0);
        Launch {
            id: LAUNCHES.fetch_add(1, Ordering::Relaxed),
            kernel,
            shape,
            threads: shape.block.count() as u32,
            blocks: shape.grid.count(),
            is_kernel,
            body,
            coroutine,
            stopped: AtomicBool::new(false),
            failure: Mutex::new(None),
        }
    }

    /// Whether the launch has failed: nobody begins another block.
    #[inline]
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Stops the launch. Of several failures the first is kept.
    pub(crate) fn fail(&self, error: LaunchError) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.get_or_insert(error);
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// The failure that is kept, if there is one.
    pub(crate) fn take_failure(&self) -> Option<LaunchError> {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.take()
    }
}

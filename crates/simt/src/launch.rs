//! A launch: the kernel body and the state shared by all workers.

use crate::cancel::CancelCheck;
use crate::coroutine_functions::Coroutine;
use crate::fiber::{Command, FiberYielder};
use crate::{LaunchError, LaunchShape};
use std::marker::PhantomData;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// A kernel body of erased type `F`, with the two functions instantiated for that type.
pub(crate) struct Body<'a> {
    pub(crate) pointer: *const (),
    /// Runs the body for each unstarted thread of the block.
    pub(crate) run_threads: unsafe fn(&FiberYielder, *const ()) -> Command,
    /// Runs the body for each block in `first..end` of a launch with single-thread blocks.
    pub(crate) run_single_thread_blocks: unsafe fn(*const (), u64, u64),
    borrow: PhantomData<&'a ()>,
}

// SAFETY: `pointer` refers to an `F: Sync` that is only borrowed shared, and `Body::new` ties the
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

/// State shared by all workers of a launch.
pub(crate) struct Launch<'a> {
    /// Unique number of the launch within the process.
    pub(crate) id: u64,
    pub(crate) kernel: &'a str,
    pub(crate) shape: LaunchShape,
    /// Number of threads per block.
    pub(crate) threads: u32,
    pub(crate) blocks: u64,
    /// `true` if the caller guarantees the correct use of shared memory.
    pub(crate) is_kernel: bool,
    pub(crate) body: Body<'a>,
    /// The body as a coroutine, for blocks of several threads in fast mode.
    pub(crate) coroutine: Option<Coroutine<'a>>,
    cancel: CancelCheck,
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
            cancel: CancelCheck::from_thread(),
            stopped: AtomicBool::new(false),
            failure: Mutex::new(None),
        }
    }

    /// Returns `true` if the launch has failed, so that no worker begins another block.
    #[inline]
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Stops the launch if its caller has cancelled it.
    pub(crate) fn check_cancelled(&self) {
        if self.cancel.is_cancelled() {
            let kernel = self.kernel.to_owned();
            self.fail(LaunchError::Cancelled { kernel });
        }
    }

    /// Stops the launch. Only the first of several failures is kept.
    pub(crate) fn fail(&self, error: LaunchError) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.get_or_insert(error);
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Takes the first failure, if there was one.
    pub(crate) fn take_failure(&self) -> Option<LaunchError> {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.take()
    }
}

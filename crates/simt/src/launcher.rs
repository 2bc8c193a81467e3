//! Launching: distribution of blocks among workers.

use crate::checked::{BlockSchedule, Checker};
use crate::coroutine_functions::{Coroutine, CoroutineFunctions};
use crate::current;
use crate::executor::{EnterGuard, Executor, current_thread, erase_body};
use crate::fiber::{FiberSet, stack_budget};
use crate::launch::Launch;
use crate::memory::CheckedLaunch;
use crate::watchdog::WatchdogGuard;
use crate::{LaunchError, LaunchShape, Parameter, fault, untracked};
use std::sync::atomic::{AtomicU64, Ordering};

/// Execution mode of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Blocks run in parallel on rayon's threads, without tracking.
    Fast,
    /// Blocks run one at a time, and every tracked access is checked. See the [crate
    /// documentation](crate).
    Checked {
        /// Seed of the order of blocks and threads. The same seed always gives the same order.
        seed: u64,
    },
}

/// Number of chunks per worker, enough to balance blocks of unequal cost.
const CHUNKS_PER_WORKER: u64 = 16;

/// Maximum number of blocks per chunk.
const MAX_CHUNK: u64 = 8192;

/// Runs `body` once per thread of the grid, and returns when all threads have exited.
///
/// In [`Mode::Fast`] blocks are distributed in ascending order among the threads of the current
/// rayon pool and the caller. In [`Mode::Checked`] they run one at a time on the calling thread, in
/// an order drawn from the seed.
///
/// # Errors
/// - [`LaunchError::Shape`] if the launch configuration is invalid on every CUDA device.
/// - [`LaunchError::Findings`] if the kernel violates a rule; in fast mode the first violation ends
///   the launch.
/// - [`LaunchError::KernelPanicked`] and [`LaunchError::Deadlock`]. Other blocks end at the next
///   barrier or warp operation that completes, or with their last thread.
/// - [`LaunchError::Nested`] inside a kernel, and [`LaunchError::Unwinding`] while the caller
///   unwinds.
/// - [`LaunchError::Stack`] if the system runs out of memory mappings.
///
/// # Safety
/// The threads of a block alternate on one operating-system thread wherever one waits. No thread
/// waits inside code that relies on the order of calls on its stack: neither in the initialiser of
/// a `thread_local!` variable, because the standard library would drop the value that another
/// thread of the block has initialised and borrowed meanwhile, nor in a function that keeps a
/// pointer to its stack frame in a thread-local variable.
///
/// ```
/// use simt::{LaunchShape, Mode, current};
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// let sum = AtomicU64::new(0);
/// let body = || {
///     sum.fetch_add(u64::from(current::thread_rank()), Ordering::Relaxed);
/// };
/// // SAFETY: the threads do not wait.
/// unsafe { simt::launch("sum_of_ranks", LaunchShape::new(4, 64), Mode::Fast, body)? };
/// assert_eq!(sum.into_inner(), 4 * (0..64).sum::<u64>());
/// # Ok::<(), simt::LaunchError>(())
/// ```
pub unsafe fn launch<F: Fn() + Sync>(
    kernel: &str,
    shape: LaunchShape,
    mode: Mode,
    body: F,
) -> Result<(), LaunchError> {
    run(kernel, shape, mode, &[], body, None, false)
}

/// Launches a kernel, whose body may use views of shared memory although their lifetime does not
/// end with the block ([`current::is_kernel_launch`]). Otherwise like [`launch`].
///
/// # Errors
/// See [`launch`].
///
/// # Safety
/// 1. The requirement of [`launch`].
/// 2. References to a block's shared memory are used by the threads of that block only, and not
///    after the block.
pub unsafe fn launch_kernel<F: Fn() + Sync>(
    kernel: &str,
    shape: LaunchShape,
    mode: Mode,
    body: F,
) -> Result<(), LaunchError> {
    run(kernel, shape, mode, &[], body, None, true)
}

/// Launches a kernel whose parameters are known, so that reports name them, and whose body is also
/// available as a coroutine. Blocks of several threads in fast mode run the coroutine, so that
/// threads wait at barriers without a stack.
///
/// # Errors
/// See [`launch`].
///
/// # Safety
/// 1. The requirements of [`launch_kernel`].
/// 2. `coroutine`, called with `arguments`, behaves like `body`, on any number of threads at a
///    time.
pub unsafe fn launch_kernel_as_coroutine<F: Fn() + Sync>(
    kernel: &str,
    shape: LaunchShape,
    mode: Mode,
    parameters: &[Parameter],
    body: F,
    coroutine: CoroutineFunctions,
    arguments: *const (),
) -> Result<(), LaunchError> {
    let has_use = mode == Mode::Fast && shape.block.count() > 1;
    // SAFETY: guaranteed by the caller; the arguments live until the launch completes.
    let coroutine = has_use.then(|| unsafe { Coroutine::new(coroutine, arguments) });
    run(kernel, shape, mode, parameters, body, coroutine, true)
}

/// Launches a kernel whose parameters are known, so that reports name them.
///
/// # Errors
/// See [`launch`].
///
/// # Safety
/// The requirements of [`launch_kernel`].
pub unsafe fn launch_kernel_with<F: Fn() + Sync>(
    kernel: &str,
    shape: LaunchShape,
    mode: Mode,
    parameters: &[Parameter],
    body: F,
) -> Result<(), LaunchError> {
    run(kernel, shape, mode, parameters, body, None, true)
}

fn run<F: Fn() + Sync>(
    kernel: &str,
    shape: LaunchShape,
    mode: Mode,
    parameters: &[Parameter],
    body: F,
    coroutine: Option<Coroutine<'_>>,
    is_kernel: bool,
) -> Result<(), LaunchError> {
    let kernel_name = || kernel.to_owned();
    if let Some(problem) = shape.problem() {
        return Err(LaunchError::Shape {
            kernel: kernel_name(),
            problem,
        });
    }
    if current::is_active() {
        return Err(LaunchError::Nested {
            kernel: kernel_name(),
        });
    }
    if std::thread::panicking() {
        return Err(LaunchError::Unwinding {
            kernel: kernel_name(),
        });
    }
    let launch = Launch::new(kernel, shape, erase_body(&body), coroutine, is_kernel);
    match mode {
        Mode::Fast => run_fast(&launch),
        Mode::Checked { seed } => run_checked(&launch, seed, parameters),
    }
}

fn run_fast(launch: &Launch<'_>) -> Result<(), LaunchError> {
    let cursor = AtomicU64::new(0);
    if launch.blocks == 1 {
        // Waking another thread takes longer than many a block.
        work(launch, &cursor, 1, usize::MAX);
        return launch.take_failure().map_or(Ok(()), Err);
    }
    let threads = rayon::current_num_threads();
    let budget = stack_budget();
    let workers = match launch.threads {
        1 => threads,
        // Each worker may need one stack per thread of a block.
        block => threads.min(budget / block as usize).max(1),
    };
    let chunk = (launch.blocks / (workers as u64 * CHUNKS_PER_WORKER)).clamp(1, MAX_CHUNK);
    let workers = launch.blocks.div_ceil(chunk).min(workers as u64);
    let keep = budget / threads;
    rayon::in_place_scope(|scope| {
        for _ in 1..workers {
            scope.spawn(|_| work(launch, &cursor, chunk, keep));
        }
        work(launch, &cursor, chunk, keep);
    });
    launch.take_failure().map_or(Ok(()), Err)
}

/// Runs chunks of blocks until none is left or the launch has failed.
fn work(launch: &Launch<'_>, cursor: &AtomicU64, chunk: u64, keep_fibers: usize) {
    if launch.is_stopped() || cursor.load(Ordering::Relaxed) >= launch.blocks {
        return;
    }
    fault::prepare();
    let mut fibers = match launch.threads {
        1 => FiberSet::default(),
        _ => FiberSet::from_pool(),
    };
    let executor = Executor::new(launch, fibers.max_fibers(launch.threads), None);
    // SAFETY: the guard is dropped below, before the executor.
    let entered = unsafe { EnterGuard::new(&executor) };
    loop {
        launch.check_cancelled();
        if launch.is_stopped() {
            break;
        }
        let first = cursor.fetch_add(chunk, Ordering::Relaxed);
        if first >= launch.blocks {
            break;
        }
        let end = first.saturating_add(chunk).min(launch.blocks);
        if launch.threads == 1 {
            // SAFETY: the function is called with the body for which it was instantiated.
            unsafe { (launch.body.run_single_thread_blocks)(launch.body.pointer, first, end) };
        } else {
            run_blocks(&executor, &mut fibers, first, end);
        }
    }
    drop(entered);
    if launch.threads > 1 {
        fibers.return_to_pool(keep_fibers);
    }
}

fn run_blocks(executor: &Executor<'_>, fibers: &mut FiberSet, first: u64, end: u64) {
    let grid = executor.launch.shape.grid;
    let mut block = grid.index_at(first);
    for _ in first..end {
        if executor.launch.is_stopped() {
            return;
        }
        current_thread().block.set(block);
        executor.begin_block();
        executor.run_block(fibers);
        block = grid.successor(block);
    }
}

fn run_checked(
    launch: &Launch<'_>,
    seed: u64,
    parameters: &[Parameter],
) -> Result<(), LaunchError> {
    fault::prepare();
    let _checked = CheckedLaunch::begin();
    let watchdog = WatchdogGuard::new(launch.kernel, launch.shape);
    let (kernel, shape, heartbeat) = (launch.kernel, launch.shape, watchdog.heartbeat());
    let checker = Checker::new(kernel, shape, seed, parameters, heartbeat);
    let mut fibers = FiberSet::from_pool();
    let executor = Executor::new(launch, fibers.max_fibers(launch.threads), Some(checker));
    // SAFETY: the guard is dropped below, before the executor moves.
    let entered = unsafe { EnterGuard::new(&executor) };
    for block in BlockSchedule::new(launch.blocks, seed) {
        if launch.is_stopped() {
            break;
        }
        current_thread()
            .block
            .set(launch.shape.grid.index_at(block));
        executor.begin_block();
        executor.begin_checked_block(block);
        executor.run_block(&mut fibers);
        executor.end_checked_block();
    }
    drop(entered);
    fibers.return_to_pool(usize::MAX);
    let untracked_memory = executor.untracked_memory();
    untracked::set_last(&untracked_memory);
    match (executor.into_report(), launch.take_failure()) {
        (Some(report), failure) => {
            let report = report.with_untracked(untracked_memory);
            let report = match failure {
                Some(error) => report.with_early_end(error),
                None => report,
            };
            Err(LaunchError::Findings(report))
        }
        (None, Some(error)) => Err(error),
        (None, None) => {
            untracked::print_new(launch.kernel, &untracked_memory);
            Ok(())
        }
    }
}

//! Fibers: stacks on which a kernel thread can wait while other threads run.
//!
//! Fibers are pooled per operating-system thread between blocks and launches, so that a waiting
//! thread costs two context switches and no allocation.

use corosensei::stack::{DefaultStack, Stack, StackPointer};
use corosensei::{Coroutine as StackfulCoroutine, Yielder};
use std::cell::Cell;
use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Usable size of a fiber's stack, in bytes. A guard page below the stack turns an overflow into a
/// fault. Frames of unoptimised code are several times as large. Only touched pages occupy memory.
const STACK_BYTES: usize = 1024 * if cfg!(debug_assertions) { 256 } else { 64 };

/// Command with which an idle fiber is resumed.
pub(crate) enum Command {
    /// Run kernel threads of the current executor until one waits or none is left to start.
    Run,
    /// Return, so that the stack can be freed.
    Finish,
}

/// Handle through which a fiber suspends itself.
pub(crate) type FiberYielder = Yielder<Command, ()>;

/// A stack with a shifted base, so that the hot frames of many fibers do not map to the same cache
/// sets: stacks are page-aligned, and one page of addresses covers all sets of the L1 cache.
struct ShiftedStack {
    stack: DefaultStack,
    shift: usize,
}

// SAFETY: the base stays 16-byte aligned (the shift is a multiple of 64) and inside the mapping,
// whose guard page is at `limit`. `STACK_BYTES` minus the largest shift is far above the required
// minimum.
unsafe impl Stack for ShiftedStack {
    fn base(&self) -> StackPointer {
        let base = self.stack.base().get() - self.shift;
        StackPointer::new(base).unwrap_or(self.stack.base())
    }

    fn limit(&self) -> StackPointer {
        self.stack.limit()
    }

    #[cfg(windows)]
    fn teb_fields(&self) -> corosensei::stack::StackTebFields {
        self.stack.teb_fields()
    }

    #[cfg(windows)]
    fn update_teb_fields(&mut self, stack_limit: usize, guaranteed_stack_bytes: usize) {
        self.stack
            .update_teb_fields(stack_limit, guaranteed_stack_bytes);
    }
}

/// A fiber: idle, it waits for a [`Command`]; busy, it holds a waiting kernel thread.
struct Fiber {
    /// The stack switch of the crate `corosensei`; unrelated to the stackless
    /// [`coroutine`](crate::coroutine) bodies of kernels.
    stackful_coroutine: StackfulCoroutine<Command, (), (), ShiftedStack>,
    stack_range: StackRange,
}

/// Address range of a stack, from its guard page to its base.
#[derive(Clone, Copy)]
struct StackRange {
    limit: usize,
    base: usize,
}

/// Number of stacks that exist in the process.
static STACKS: AtomicUsize = AtomicUsize::new(0);

impl Fiber {
    fn new(run: fn(&FiberYielder)) -> io::Result<Self> {
        let ordinal = STACKS.fetch_add(1, Ordering::Relaxed);
        let stack = DefaultStack::new(STACK_BYTES).inspect_err(|_| {
            STACKS.fetch_sub(1, Ordering::Relaxed);
        })?;
        let shift = ordinal % 16 * 256;
        let stack_range = StackRange {
            limit: stack.limit().get(),
            base: stack.base().get(),
        };
        let stackful_coroutine = StackfulCoroutine::with_stack(
            ShiftedStack { stack, shift },
            move |yielder: &FiberYielder, command| {
                if let Command::Run = command {
                    run(yielder);
                }
            },
        );
        Ok(Fiber {
            stackful_coroutine,
            stack_range,
        })
    }
}

impl Drop for Fiber {
    fn drop(&mut self) {
        if self.stackful_coroutine.started() && !self.stackful_coroutine.done() {
            // Idle, as `FiberSet` guarantees: it returns at once, which is cheaper than forced
            // unwinding.
            self.stackful_coroutine.resume(Command::Finish);
        }
        STACKS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The fibers of one worker. All of them are idle outside a block.
#[derive(Default)]
pub(crate) struct FiberSet {
    fibers: Vec<Fiber>,
    idle: Vec<u32>,
}

thread_local! {
    /// Idle fibers of this operating-system thread, between launches.
    static POOL: Cell<FiberSet> = const { Cell::new(FiberSet { fibers: Vec::new(), idle: Vec::new() }) };
}

thread_local! {
    /// Stack that runs or ran last. Constant-initialised and without a destructor, so that a signal
    /// handler may read it.
    static RUNNING: Cell<StackRange> = const { Cell::new(StackRange { limit: 0, base: 0 }) };
}

/// Returns `true` if `address` lies on the stack of the fiber that runs on this operating-system
/// thread.
pub(crate) fn is_on_running_stack(address: usize) -> bool {
    let StackRange { limit, base } = RUNNING.get();
    (limit..base).contains(&address)
}

/// Returns the size of the running stack in bytes if `address` lies in its guard page.
pub(crate) fn overflowed_stack_bytes(address: usize) -> Option<usize> {
    let StackRange { limit, base } = RUNNING.get();
    let guard = (base - limit).saturating_sub(STACK_BYTES);
    (address.wrapping_sub(limit) < guard).then_some(STACK_BYTES)
}

impl FiberSet {
    /// Takes the pooled fibers of this operating-system thread.
    pub(crate) fn from_pool() -> FiberSet {
        // The pool may already be destroyed while the thread exits; the fibers then serve one
        // launch.
        POOL.try_with(Cell::take).unwrap_or_default()
    }

    /// Returns the fibers to the pool of this operating-system thread, which keeps at most `keep`
    /// of them.
    pub(crate) fn return_to_pool(mut self, keep: usize) {
        debug_assert_eq!(self.fibers.len(), self.idle.len(), "a fiber is still busy");
        if self.fibers.len() > keep {
            self.fibers.truncate(keep);
            self.idle.clear();
            self.idle.extend(0..keep as u32);
        }
        // A launch nested in this one's wait may have returned its own fibers already; they are
        // replaced.
        let _ = POOL.try_with(|pool| pool.set(self));
    }

    /// Returns the maximum number of fibers after a block of `threads` threads has run.
    pub(crate) fn max_fibers(&self, threads: u32) -> usize {
        self.fibers.len().max(threads as usize)
    }

    /// Returns an idle fiber, creating one if necessary. A new fiber calls `run` when it is first
    /// resumed and ends when `run` returns. `run` idles between blocks and launches, so all callers
    /// must pass the same function.
    ///
    /// # Errors
    /// The operating system's error if it provides no memory for a stack.
    pub(crate) fn acquire(&mut self, run: fn(&FiberYielder)) -> io::Result<u32> {
        if let Some(fiber) = self.idle.pop() {
            return Ok(fiber);
        }
        self.fibers.push(Fiber::new(run)?);
        Ok(self.fibers.len() as u32 - 1)
    }

    /// Marks a fiber as idle after its last [`resume`](Self::resume) left it idle.
    pub(crate) fn release(&mut self, fiber: u32) {
        self.idle.push(fiber);
    }

    /// Runs the fiber until its thread waits or it idles.
    #[inline]
    pub(crate) fn resume(&mut self, fiber: u32) {
        let fiber = &mut self.fibers[fiber as usize];
        RUNNING.set(fiber.stack_range);
        fiber.stackful_coroutine.resume(Command::Run);
    }

    /// Returns the fibers that hold a waiting thread.
    pub(crate) fn busy(&self) -> Vec<u32> {
        let mut busy = vec![true; self.fibers.len()];
        for &fiber in &self.idle {
            busy[fiber as usize] = false;
        }
        (0..self.fibers.len() as u32)
            .filter(|&fiber| busy[fiber as usize])
            .collect()
    }
}

impl Drop for FiberSet {
    fn drop(&mut self) {
        for fiber in self.busy().into_iter().rev() {
            // The executor itself panicked: the waiting thread may borrow values that no longer
            // exist, so its stack is neither run nor freed.
            std::mem::forget(self.fibers.swap_remove(fiber as usize));
        }
    }
}

/// Returns the maximum number of stacks that the process may hold at a time.
///
/// A stack and its guard page are two memory mappings, and Linux limits the mappings of a process
/// (`vm.max_map_count`, 65530 by default). Half of them are left for other uses.
pub(crate) fn stack_budget() -> usize {
    static BUDGET: OnceLock<usize> = OnceLock::new();
    *BUDGET.get_or_init(|| {
        let mappings = std::fs::read_to_string("/proc/sys/vm/max_map_count")
            .ok()
            .and_then(|text| text.trim().parse::<usize>().ok())
            .unwrap_or(65530);
        (mappings / 4).clamp(1024, 1 << 20)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_pools_fibers_up_to_its_limit() -> io::Result<()> {
        let mut fibers = FiberSet::from_pool();
        let taken: Vec<u32> = (0..5)
            .map(|_| fibers.acquire(|_| ()))
            .collect::<io::Result<_>>()?;
        assert_eq!(fibers.busy(), taken);
        taken.into_iter().for_each(|fiber| fibers.release(fiber));
        fibers.return_to_pool(3);

        let mut fibers = FiberSet::from_pool();
        assert_eq!((fibers.max_fibers(1), fibers.max_fibers(8)), (3, 8));
        for expected in [2, 1, 0, 3] {
            assert_eq!(fibers.acquire(|_| ())?, expected);
        }
        (0..4).for_each(|fiber| fibers.release(fiber));
        Ok(())
    }

    #[test]
    fn a_busy_fiber_is_leaked_when_dropped() -> io::Result<()> {
        let mut fibers = FiberSet::default();
        for _ in 0..4 {
            fibers.acquire(|_| ())?;
        }
        fibers.release(1);
        drop(fibers);
        Ok(())
    }
}

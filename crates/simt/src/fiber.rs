//! Fibers: stacks on which a kernel thread can wait while others run.
//!
//! A fiber is never given back to the system while it may be of use: it idles in a pool of its
//! operating-system thread, between blocks and between launches, so that a waiting thread costs two
//! context switches and no allocation.

use corosensei::stack::{DefaultStack, Stack, StackPointer};
use corosensei::{Coroutine, Yielder};
use std::cell::Cell;
use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Usable bytes of a fiber's stack; a guard page below it turns an overflow into a fault instead of
/// corruption. The frames of unoptimized code are several times as large. Only pages that are used
/// take memory.
const STACK_BYTES: usize = 1024 * if cfg!(debug_assertions) { 256 } else { 64 };

/// What a fiber that idles is printed when it is resumed.
pub(crate) enum Command {
    /// Run kernel threads of the current executor until one waits or none is left to start.
    Run,
    /// Return, so that the stack can be freed.
    Finish,
}

/// Through this a fiber suspends itself.
pub(crate) type FiberYielder = Yielder<Command, ()>;

/// A stack whose base is shifted, so that the hot frames of many fibers do not all fall into the
/// same cache sets: stacks are page aligned, and one page of L1 addresses covers all of its sets.
struct ShiftedStack {
    stack: DefaultStack,
    shift: usize,
}

// SAFETY: the base stays 16-byte aligned (the shift is a multiple of 64) and inside the mapping,
// whose guard page is where `limit` says; STACK_BYTES less the largest shift is far above the
// required minimum.
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

/// One fiber. Idle, it waits for a [`Command`]; busy, it holds a kernel thread that waits.
struct Fiber {
    coroutine: Coroutine<Command, (), (), ShiftedStack>,
    stack_range: StackRange,
}

/// Where a stack lies: from the lowest address, that of its guard page, to its base.
#[derive(Clone, Copy)]
struct StackRange {
    limit: usize,
    base: usize,
}

/// Stacks that exist in the process.
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
        let coroutine = Coroutine::with_stack(
            ShiftedStack { stack, shift },
            move |yielder: &FiberYielder, command| {
                if let Command::Run = command {
                    run(yielder);
                }
            },
        );
        Ok(Fiber {
            coroutine,
            stack_range,
        })
    }
}

impl Drop for Fiber {
    fn drop(&mut self) {
        if self.coroutine.started() && !self.coroutine.done() {
            // Idle, as `FiberSet` promises: it returns at once, which is cheaper than unwinding it
            // by force.
            self.coroutine.resume(Command::Finish);
        }
        STACKS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The fibers that one worker uses. Outside of a block every one of them idles.
#[derive(Default)]
pub(crate) struct FiberSet {
    fibers: Vec<Fiber>,
    idle: Vec<u32>,
}

thread_local! {
    /// The idle fibers of this operating-system thread, between launches.
    static POOL: Cell<FiberSet> = const { Cell::new(FiberSet { fibers: Vec::new(), idle: Vec::new() }) };
}

thread_local! {
    /// The stack that runs, or ran last. Constant-initialised and without a destructor, so that a
    /// signal handler may read it.
    static RUNNING: Cell<StackRange> = const { Cell::new(StackRange { limit: 0, base: 0 }) };
}

/// Whether `address` lies on the stack of the fiber that runs on this operating-system thread.
pub(crate) fn is_on_running_stack(address: usize) -> bool {
    let StackRange { limit, base } = RUNNING.get();
    (limit..base).contains(&address)
}

/// Whether `address` lies in the guard page of that stack, and how many bytes the stack has.
pub(crate) fn overflowed_stack_bytes(address: usize) -> Option<usize> {
    let StackRange { limit, base } = RUNNING.get();
    let guard = (base - limit).saturating_sub(STACK_BYTES);
    (address.wrapping_sub(limit) < guard).then_some(STACK_BYTES)
}

impl FiberSet {
    /// Takes the fibers that this operating-system thread keeps.
    pub(crate) fn from_pool() -> FiberSet {
        // While the thread exits its pool may be gone: then the fibers live for one launch.
        POOL.try_with(Cell::take).unwrap_or_default()
    }

    /// Gives the fibers back to this operating-system thread, which keeps at most `keep` of them.
    pub(crate) fn return_to_pool(mut self, keep: usize) {
        debug_assert_eq!(self.fibers.len(), self.idle.len(), "a fiber is still busy");
        if self.fibers.len() > keep {
            self.fibers.truncate(keep);
            self.idle.clear();
            self.idle.extend(0..keep as u32);
        }
        // A launch that ran inside this one's wait may have put back its own; the later ones
        // replace them.
        let _ = POOL.try_with(|pool| pool.set(self));
    }

    /// How many fibers there are at most once a block of `threads` threads has run.
    pub(crate) fn max_fibers(&self, threads: u32) -> usize {
        self.fibers.len().max(threads as usize)
    }

    /// An idle fiber: one that exists, or else a new one. The new one calls `run` when it is first
    /// resumed, and ends when that returns; `run` idles between blocks and launches, so all callers
    /// give the same.
    ///
    /// # Errors
    /// The system's, where it gives no memory for a stack.
    pub(crate) fn acquire(&mut self, run: fn(&FiberYielder)) -> io::Result<u32> {
        if let Some(fiber) = self.idle.pop() {
            return Ok(fiber);
        }
        self.fibers.push(Fiber::new(run)?);
        Ok(self.fibers.len() as u32 - 1)
    }

    /// Gives back a fiber whose last [`resume`](Self::resume) left it idle.
    pub(crate) fn release(&mut self, fiber: u32) {
        self.idle.push(fiber);
    }

    /// Runs the fiber until it waits or idles.
    #[inline]
    pub(crate) fn resume(&mut self, fiber: u32) {
        let fiber = &mut self.fibers[fiber as usize];
        RUNNING.set(fiber.stack_range);
        fiber.coroutine.resume(Command::Run);
    }

    /// The fibers that hold a waiting thread.
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
            // Only if the executor itself panicked: the thread that waits on this stack borrows
            // what may be gone, so the stack is neither run nor freed.
            std::mem::forget(self.fibers.swap_remove(fiber as usize));
        }
    }
}

/// How many stacks the process may hold at a time.
///
/// A stack and its guard page are two memory mappings, and Linux limits the mappings of a process
/// (`vm.max_map_count`, 65530 unless set); half of them are left to everybody else.
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
    fn a_thread_keeps_its_fibers_up_to_the_limit_it_is_given() -> io::Result<()> {
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
    fn a_fiber_that_is_not_idle_is_neither_resumed_nor_freed() -> io::Result<()> {
        let mut fibers = FiberSet::default();
        for _ in 0..4 {
            fibers.acquire(|_| ())?;
        }
        fibers.release(1);
        drop(fibers);
        Ok(())
    }
}

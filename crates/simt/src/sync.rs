//! Synchronisation of the threads of a block and the lanes of a warp.
//!
//! While a thread unwinds (a destructor calls one of these functions) nothing waits: a barrier
//! returns at once, and a warp operation sees only its own lane.

use crate::executor::{BarrierOutcome, LaneValues, NamedArrival, WarpOperation, current_executor};
use std::panic::Location;

/// Reduction of the threads' predicates by [`barrier_reduce`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduce {
    /// Number of non-zero predicates.
    Count,
    /// 1 if all predicates are non-zero, else 0.
    And,
    /// 1 if any predicate is non-zero, else 0.
    Or,
}

impl Reduce {
    #[inline(always)]
    pub(crate) fn apply(self, outcome: BarrierOutcome) -> u32 {
        match self {
            Reduce::Count => outcome.true_predicates,
            Reduce::And => u32::from(outcome.true_predicates == outcome.arrived),
            Reduce::Or => u32::from(outcome.true_predicates > 0),
        }
    }
}

/// Values of the lanes that participated in a warp operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarpValues {
    /// Mask of the participating lanes.
    pub participants: u32,
    /// Value of each lane; 0 for lanes that did not participate.
    pub values: [u64; 32],
}

/// Values of the lanes that participated in a warp operation, read in place.
pub struct WarpLanes<'a> {
    lanes: LaneValues<'a>,
}

impl WarpLanes<'_> {
    /// Returns the mask of the participating lanes.
    #[inline(always)]
    pub fn participants(&self) -> u32 {
        self.lanes.participants()
    }

    /// Returns the value of `lane`, or 0 if it did not participate.
    #[inline(always)]
    pub fn value(&self, lane: u32) -> u64 {
        self.lanes.value(lane)
    }
}

/// Waits for every thread of the block that has not exited, and orders the block's memory accesses.
///
/// Checked mode reports threads that wait at different source lines, and barriers that some threads
/// never reach.
///
/// # Panics
/// Outside a launch.
#[inline(always)]
#[track_caller]
pub fn barrier() {
    current_executor().barrier(Location::caller(), false);
}

/// Waits like [`barrier`] and combines a predicate of every thread; all threads get the same
/// result.
///
/// # Panics
/// Outside a launch.
#[inline(always)]
#[track_caller]
pub fn barrier_reduce(op: Reduce, predicate: u32) -> u32 {
    op.apply(current_executor().barrier(Location::caller(), predicate != 0))
}

/// Arrives at named barrier `barrier` (1 to 15) and waits until `threads` threads have arrived, by
/// this function or by [`named_barrier_arrive`]; the barrier is then reset. Everything that the
/// arriving threads did before is ordered before everything that the waiting threads do next.
///
/// As on a GPU, warps arrive as a whole: `threads` is a multiple of 32, and the lanes of a warp
/// first wait for one another. The last warp of a block counts as 32 even if it is partial.
///
/// These are findings in both modes: a thread count that is not a multiple of 32 or exceeds the
/// block's threads rounded up to whole warps; a count different from that of the first warp; lanes
/// of one warp at different barriers. Checked mode also reports lanes that arrive at one barrier at
/// different source lines, and lanes that have exited.
///
/// ```
/// use simt::{LaunchShape, Mode, current, sync};
/// use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
///
/// let (sent, got) = (AtomicU32::new(0), AtomicU32::new(0));
/// // Warp 0 sends to warp 1 without waiting. Warp 2 does not participate.
/// let body = || match current::thread_rank() / 32 {
///     0 => {
///         sent.fetch_add(1, Relaxed);
///         sync::named_barrier_arrive(1, 64);
///     }
///     1 => {
///         sync::named_barrier(1, 64);
///         got.fetch_add(sent.load(Relaxed), Relaxed);
///     }
///     _ => {}
/// };
/// // SAFETY: the threads wait only in `body`, not in an initialiser of a thread-local variable.
/// unsafe { simt::launch("send", LaunchShape::new(1, 96), Mode::Fast, body)? };
/// assert_eq!(got.into_inner(), 32 * 32);
/// # Ok::<(), simt::LaunchError>(())
/// ```
///
/// # Panics
/// Outside a launch, and if the barrier number is invalid.
#[inline(always)]
#[track_caller]
pub fn named_barrier(barrier: u32, threads: u32) {
    let call = NamedArrival {
        barrier,
        threads,
        waits: true,
    };
    current_executor().named_barrier(call, Location::caller());
}

/// Arrives at a named barrier without waiting, except for the other lanes of the warp. Everything
/// that the thread did before is ordered before what the waiting threads do next; nothing is
/// ordered before what this thread does next. See [`named_barrier`] for the arguments and findings.
///
/// Arrivals at a barrier on which no thread waits when the block ends are not an error.
///
/// # Panics
/// Outside a launch, and if the barrier number is invalid.
#[inline(always)]
#[track_caller]
pub fn named_barrier_arrive(barrier: u32, threads: u32) {
    let call = NamedArrival {
        barrier,
        threads,
        waits: false,
    };
    current_executor().named_barrier(call, Location::caller());
}

/// Waits for the lanes of `mask` that have not exited, and orders the memory accesses of those
/// lanes.
///
/// Lanes with different masks do not synchronise. A calling lane that is not in its own mask is a
/// finding and ends. Lanes of the mask that have exited, or that do not exist in a partial last
/// warp, are not waited for; checked mode reports exited lanes.
///
/// # Panics
/// Outside a launch.
#[inline(always)]
#[track_caller]
pub fn warp_sync(mask: u32) {
    current_executor().warp_operation(WarpOperation::Sync, mask, 0, Location::caller(), |_| ());
}

/// Exchanges a value between the lanes in `mask`; every participating lane gets the values of all.
///
/// Shuffles, votes and matches are built on it. As on a GPU, it synchronises the lanes but does not
/// order memory accesses: communication through memory needs a [`warp_sync`]. The rules of
/// [`warp_sync`] apply to the mask.
///
/// # Panics
/// Outside a launch.
#[inline(always)]
#[track_caller]
pub fn warp_exchange(mask: u32, value: u64) -> WarpValues {
    warp_exchange_with(mask, value, |lanes| WarpValues {
        participants: lanes.participants(),
        values: lanes.lanes.values(),
    })
}

/// Exchanges a value between the lanes in `mask` without copying all 32 values; `read` extracts
/// what it needs. Faster than [`warp_exchange`] for a shuffle, which needs one value, and a vote,
/// which needs only the mask of participants.
///
/// ```
/// use simt::{LaunchShape, Mode, current, sync};
///
/// let body = || {
///     let lane = current::thread_rank() % 32;
///     let next = (lane + 1) % 32;
///     let value = sync::warp_exchange_with(u32::MAX, lane.into(), |lanes| lanes.value(next));
///     assert_eq!(value, u64::from(next));
/// };
/// // SAFETY: the threads wait only in `body`, not in an initialiser of a thread-local variable.
/// unsafe { simt::launch("rotate", LaunchShape::new(1, 32), Mode::Fast, body)? };
/// # Ok::<(), simt::LaunchError>(())
/// ```
///
/// # Panics
/// Outside a launch.
#[inline(always)]
#[track_caller]
pub fn warp_exchange_with<R>(mask: u32, value: u64, read: impl FnOnce(&WarpLanes<'_>) -> R) -> R {
    let site = Location::caller();
    current_executor().warp_operation(WarpOperation::Exchange, mask, value, site, |lanes| {
        read(&WarpLanes { lanes })
    })
}

/// Returns the mask of the lanes of this warp that have not exited, including lanes that have not
/// started yet.
///
/// # Panics
/// Outside a launch.
pub fn active_mask() -> u32 {
    current_executor().active_mask()
}

/// Lets the other threads of the block run or, if none of them is ready, other operating-system
/// threads.
///
/// A thread that polls memory must call this in every iteration: the threads of a block share one
/// CPU thread, and another one runs only when the current one waits or yields.
///
/// # Panics
/// Outside a launch.
#[inline(always)]
#[track_caller]
pub fn yield_thread() {
    current_executor().yield_thread(Location::caller());
}

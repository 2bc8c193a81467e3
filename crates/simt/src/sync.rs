//! Where the threads of a block, or the lanes of a warp, wait for one another.
//!
//! While a thread unwinds (a destructor runs one of these), nothing waits: a barrier returns at
//! once, and a warp operation sees only its own lane.

use crate::executor::{BarrierOutcome, LaneValues, NamedArrival, WarpOperation, current_executor};
use std::panic::Location;

/// How [`barrier_reduce`] combines the threads' predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduce {
    /// How many predicates are not zero.
    Count,
    /// 1 where every predicate is not zero, else 0.
    And,
    /// 1 where any predicate is not zero, else 0.
    Or,
}

impl Reduce {
    #[inline(always)]
    pub(crate) fn apply(self, outcome: BarrierOutcome) -> u32 {
        match self {
            Reduce::Count => outcome.held,
            Reduce::And => u32::from(outcome.held == outcome.arrived),
            Reduce::Or => u32::from(outcome.held > 0),
        }
    }
}

/// What the lanes of a rendezvous brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarpValues {
    /// The lanes that took part.
    pub participants: u32,
    /// `values[lane]` for each lane of `participants`; the others are 0.
    pub values: [u64; 32],
}

/// What the lanes of a rendezvous brought, read in place.
pub struct WarpLanes<'a> {
    lanes: LaneValues<'a>,
}

impl WarpLanes<'_> {
    /// The lanes that took part.
    #[inline(always)]
    pub fn participants(&self) -> u32 {
        self.lanes.participants()
    }

    /// The value of `lane`, or 0 where it took no part.
    #[inline(always)]
    pub fn value(&self, lane: u32) -> u64 {
        self.lanes.value(lane)
    }
}

/// Waits for every thread of the block that has not left the kernel, and orders the block's memory
/// accesses.
///
/// Checked mode reports threads that wait at another source line, and barriers that some threads
/// never kind.
///
/// # Panics
/// Outside a launch.
#[inline(always)]
#[track_caller]
pub fn barrier() {
    current_executor().barrier(Location::caller(), false);
}

/// A [`barrier`] that also combines a predicate of every thread; all get the same result.
///
/// # Panics
/// Outside a launch.
#[inline(always)]
#[track_caller]
pub fn barrier_reduce(op: Reduce, predicate: u32) -> u32 {
    op.apply(current_executor().barrier(Location::caller(), predicate != 0))
}

/// Comes to the named barrier `barrier`, from 1 to 15, which is for `threads` threads, and waits
/// there until that many have come: by this or by [`named_barrier_arrive`]. Then the barrier begins
/// anew. It orders what all of them did before and what those do next that waited.
///
/// As on a device warps come as a whole: `threads` is a multiple of 32, and the lanes of a warp
/// wait for each other first. The last warp of a block counts as 32, however many threads it has.
/// These are findings, in either mode: a number of threads that is no multiple of 32, or more than
/// the block has in whole warps; another number than the first warp said; lanes of one warp that
/// come to different barriers. Checked mode also reports lanes that come to one barrier at
/// different source lines, and lanes that have left the kernel.
///
/// ```
/// use simt::{LaunchShape, Mode, current, sync};
/// use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
///
/// let (sent, got) = (AtomicU32::new(0), AtomicU32::new(0));
/// // The first warp sends to the second, and waits for nobody. The third has nothing to do with it.
/// simt::launch("send", LaunchShape::new(1, 96), Mode::Fast, || match current::thread_rank() / 32 {
///     0 => {
///         sent.fetch_add(1, Relaxed);
///         sync::named_barrier_arrive(1, 64);
///     }
///     1 => {
///         sync::named_barrier(1, 64);
///         got.fetch_add(sent.load(Relaxed), Relaxed);
///     }
///     _ => {}
/// })?;
/// assert_eq!(got.into_inner(), 32 * 32);
/// # Ok::<(), simt::LaunchError>(())
/// ```
///
/// # Panics
/// Outside a launch, and for a number that no barrier has.
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

/// Comes to the named barrier and goes on: nobody else is waited for than the lanes of this warp.
/// What the thread did before is ordered before what those do next that wait there, and nothing is
/// ordered before what it does itself. For the rest see [`named_barrier`].
///
/// A barrier at which some have arrived, and nobody waits, when the block ends is no fault.
///
/// # Panics
/// Outside a launch, and for a number that no barrier has.
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

/// Waits for the lanes of `mask` that have not left the kernel, and orders the memory accesses of
/// those lanes.
///
/// LaneValues with different masks do not meet. A calling lane that its mask does not name is a finding,
/// and ends. LaneValues of the mask that have left, or that a partial last warp does not have, are not
/// waited for; in checked mode it is a finding that they have left.
///
/// # Panics
/// Outside a launch.
#[inline(always)]
#[track_caller]
pub fn warp_sync(mask: u32) {
    current_executor().warp_operation(WarpOperation::Sync, mask, 0, Location::caller(), |_| ());
}

/// Rendezvous of the lanes in `mask`; every participant gets all participants' values.
///
/// Shuffles, votes and matches are made of it. As with those on a device, it makes the lanes meet
/// but orders no memory accesses: what lanes hand one another through memory needs a [`warp_sync`].
/// For the mask the rules of [`warp_sync`] hold.
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

/// [`warp_exchange`] without the copy of all 32 values: `read` takes what it needs. The faster one
/// for a shuffle, which needs one value, and a vote, which needs none but the mask of its
/// participants.
///
/// ```
/// use simt::{LaunchShape, Mode, current, sync};
///
/// simt::launch("rotate", LaunchShape::new(1, 32), Mode::Fast, || {
///     let lane = current::thread_rank() % 32;
///     let next = sync::warp_exchange_with(u32::MAX, u64::from(lane), |lanes| lanes.value((lane + 1) % 32));
///     assert_eq!(next, u64::from((lane + 1) % 32));
/// })?;
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

/// LaneValues of this warp that have not left the kernel. LaneValues that have not started yet are among
/// them.
///
/// # Panics
/// Outside a launch.
pub fn active_mask() -> u32 {
    current_executor().active_mask()
}

/// Lets the block's other threads run, and where none of them can, the blocks of other workers.
///
/// A thread that waits for memory to change must call this each time it looks: threads of a block
/// take turns on one CPU thread, and only a thread that waits or yields ends its turn.
///
/// # Panics
/// Outside a launch.
#[inline(always)]
#[track_caller]
pub fn yield_thread() {
    current_executor().yield_thread(Location::caller());
}

//! Named barriers.

use super::imp;

/// One of a block's fifteen named barriers, which synchronise some of its warps, in addition to the
/// barrier of [`sync_threads`](super::sync_threads) for all of them.
///
/// The barrier completes when warps with the given number of threads have arrived, and is then
/// reset. [`sync`](Self::sync) arrives and waits for completion; [`arrive`](Self::arrive) arrives
/// and continues. In a producer-consumer scheme one barrier signals a full buffer and another an
/// empty one, so no warp waits longer than necessary.
///
/// On the device these are `barrier.sync` and `barrier.arrive`. `ID` must be 1 to 15, checked at
/// compile time. The CPU executor checks the remaining rules:
///
/// - The number of threads is a multiple of 32 and at most the block's threads rounded up to whole
///   warps. All threads that use the barrier at the same time pass the same number.
/// - All threads of a warp make the same call and count as 32, even in a partial last warp.
/// - A barrier at which threads wait but which never completes is a deadlock.
///
/// ```
/// use cuda_std::prelude::*;
/// use cuda_std::shared_view;
/// use cuda_std::thread::NamedBarrier;
///
/// /// Sums of tiles of 64 elements: one warp loads tiles, two add them up.
/// #[kernel]
/// pub unsafe fn sums_of_tiles(x: View<u32>, sums: ViewMut<u32>) {
///     let tile = shared_view![u32; 64];
///     // All three warps use each barrier: 96 threads.
///     let full = NamedBarrier::<1>::new(96);
///     let empty = NamedBarrier::<2>::new(96);
///     let t = thread::thread_idx_x() as usize;
///     for first in (0..x.len()).step_by(64) {
///         if t < 32 {
///             if first > 0 {
///                 empty.sync();
///             }
///             tile.write(t, x.read(first + t));
///             tile.write(t + 32, x.read(first + t + 32));
///             full.arrive();
///         } else {
///             full.sync();
///             sums.atomic_add(first / 64, tile.read(t - 32));
///             empty.arrive();
///         }
///     }
/// }
///
/// let x: Vec<u32> = (0..256).collect();
/// let mut sums = [0; 4];
/// for mode in [simt::Mode::Fast, simt::Mode::Checked { seed: 3 }] {
///     sums.fill(0);
///     let arguments = (View::from(&x[..]), ViewMut::from(&mut sums[..]));
///     let shape = simt::LaunchShape::new(1, 96);
///     // SAFETY: the sums are atomic, and there is one for each tile.
///     unsafe { cuda_std::launch_on_cpu::<sums_of_tiles>(shape, mode, arguments) }?;
///     assert_eq!(sums, [2016, 6112, 10208, 14304]);
/// }
/// # Ok::<(), simt::LaunchError>(())
/// ```
///
/// Numbers outside 1 to 15 do not compile:
///
/// ```compile_fail,E0080
/// let barrier = cuda_std::thread::NamedBarrier::<16>::new(64);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedBarrier<const ID: u32> {
    threads: u32,
}

impl<const ID: u32> NamedBarrier<ID> {
    /// Creates a barrier for `threads` threads of the block.
    #[inline(always)]
    #[must_use]
    pub const fn new(threads: u32) -> Self {
        const {
            assert!(ID >= 1 && ID <= 15, "named barriers are 1 to 15");
        }
        Self { threads }
    }

    /// Returns the number of threads that complete the barrier.
    #[inline(always)]
    #[must_use]
    pub const fn threads(self) -> u32 {
        self.threads
    }

    /// Arrives at the barrier and waits until it is complete. Writes that arriving threads made
    /// before are visible to waiting threads afterwards.
    #[inline(always)]
    #[track_caller]
    pub fn sync(self) {
        imp::named_sync::<ID>(self.threads);
    }

    /// Arrives at the barrier and continues. Writes that this thread made before are visible to
    /// waiting threads afterwards; their writes need not be visible to this thread.
    #[inline(always)]
    #[track_caller]
    pub fn arrive(self) {
        imp::named_arrive::<ID>(self.threads);
    }
}

/// Arrives at the named barrier `number`, from 1 to 15, and waits until it is complete, as
/// [`NamedBarrier::sync`] does for a number known at compile time. `threads` threads complete it. A
/// kernel that uses it reserves all barriers of its blocks.
///
/// ```
/// use cuda_std::prelude::*;
/// use cuda_std::{shared_view, thread::sync_named};
///
/// /// Exchanges values within pairs of warps.
/// #[kernel]
/// pub unsafe fn exchange(x: ViewMut<u32>) {
///     let values = shared_view![u32; 128];
///     let t = thread::thread_idx_x() as usize;
///     values.write(t, x.read(t));
///     sync_named(1 + t as u32 / 64, 64);
///     x.write(t, values.read(t ^ 32));
/// }
///
/// let mut x: Vec<u32> = (0..128).collect();
/// let shape = simt::LaunchShape::new(1, 128);
/// let mode = simt::Mode::Checked { seed: 3 };
/// // SAFETY: there is one element per thread.
/// unsafe { cuda_std::launch_on_cpu::<exchange>(shape, mode, (ViewMut::from(&mut x[..]),)) }?;
/// assert_eq!([x[0], x[32], x[64], x[127]], [32, 0, 96, 95]);
/// # Ok::<(), simt::LaunchError>(())
/// ```
///
/// # Panics
/// On the CPU, if the number is outside of 1 to 15.
#[inline(always)]
#[track_caller]
pub fn sync_named(number: u32, threads: u32) {
    imp::numbered_sync(number, threads);
}

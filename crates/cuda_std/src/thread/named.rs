//! Named barriers.

use super::imp;

/// One of the fifteen barriers of a block that are for some of its warps, beside that of
/// [`sync_threads`](super::sync_threads), which is for all.
///
/// It is complete when warps of as many threads as it says have come, and begins anew then. Who
/// calls [`sync`](Self::sync) waits for that; who calls [`arrive`](Self::arrive) goes on at once.
/// So a warp that fills memory and warps that use it wait for no more than they need: one barrier
/// says that the memory is full, another that it is empty.
///
/// On the device they are `barrier.sync` and `barrier.arrive`, CUDA's named barriers. `ID` is from
/// 1 to 15, which the compiler holds you to. These are the rest of the rules, which the CPU's
/// executor holds kernels to:
///
/// - The number of threads is a multiple of 32, and no more than the block has in whole warps. All
///   who use the barrier at a time say the same.
/// - All threads of a warp come to the same call, and count as 32, also in a short last warp.
/// - A barrier that never completes, while someone waits there, is a deadlock.
///
/// ```
/// use cuda_std::prelude::*;
/// use cuda_std::shared_view;
/// use cuda_std::thread::NamedBarrier;
///
/// /// For each tile of 64 elements their sum: one warp brings tiles, two add them up.
/// #[kernel]
/// pub unsafe fn sums_of_tiles(x: View<u32>, sums: ViewMut<u32>) {
///     let tile = shared_view![u32; 64];
///     // Three warps meet at each: 96 threads.
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
///     // SAFETY: the sums are atomic, and there is one for each tile.
///     unsafe { cuda_std::launch_on_cpu::<sums_of_tiles>(simt::LaunchShape::new(1, 96), mode, arguments) }?;
///     assert_eq!(sums, [2016, 6112, 10208, 14304]);
/// }
/// # Ok::<(), simt::LaunchError>(())
/// ```
///
/// Another number than 1 to 15 is refused:
///
/// ```compile_fail,E0080
/// let barrier = cuda_std::thread::NamedBarrier::<16>::new(64);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedBarrier<const ID: u32> {
    threads: u32,
}

impl<const ID: u32> NamedBarrier<ID> {
    /// The barrier, for `threads` threads of the block.
    #[inline(always)]
    #[must_use]
    pub const fn new(threads: u32) -> Self {
        const {
            assert!(ID >= 1 && ID <= 15, "named barriers are 1 to 15");
        }
        Self { threads }
    }

    /// How many threads it is for.
    #[inline(always)]
    #[must_use]
    pub const fn threads(self) -> u32 {
        self.threads
    }

    /// Comes to the barrier and waits until it is complete. What all who came had written before,
    /// those who waited see after.
    #[inline(always)]
    #[track_caller]
    pub fn sync(self) {
        imp::named_sync::<ID>(self.threads);
    }

    /// Comes to the barrier and goes on. What the thread wrote before, those see who wait there;
    /// what they wrote it need not see.
    #[inline(always)]
    #[track_caller]
    pub fn arrive(self) {
        imp::named_arrive::<ID>(self.threads);
    }
}

//! Work and constraints of a launch.

/// Work and constraints of a launch. The occupancy calculator chooses the block size.
///
/// ```
/// use ferrovox::device::Launch;
///
/// let launch = Launch::pieces(4096).max_useful_threads(128);
/// assert_eq!(launch.blocks(128), 4096);
/// assert_eq!(Launch::warp_pieces(4096).blocks(128), 1024);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    pieces: u64,
    /// `true` if a work item belongs to a warp rather than a block.
    by_warps: bool,
    useful_threads: u32,
    max_threads: u32,
    min_threads: u32,
    round: u32,
    dynamic_shared_bytes: u32,
    dynamic_shared_bytes_per_thread: u32,
}

/// Maximum number of blocks along x in CUDA. Kernels loop over further work items.
const MAX_BLOCKS: u64 = i32::MAX as u64;

impl Launch {
    /// Creates a launch whose blocks share `pieces` work items. Nothing is launched for 0.
    pub fn pieces(pieces: u64) -> Self {
        Self {
            pieces,
            by_warps: false,
            useful_threads: u32::MAX,
            max_threads: 1024,
            min_threads: 0,
            round: 1,
            dynamic_shared_bytes: 0,
            dynamic_shared_bytes_per_thread: 0,
        }
    }

    /// Creates a launch whose warps share `pieces` work items. On the CPU, where blocks have one
    /// thread, its threads share them.
    pub fn warp_pieces(pieces: u64) -> Self {
        Self {
            by_warps: true,
            ..Self::pieces(pieces)
        }
    }

    /// Creates a launch of one block.
    pub fn one_block() -> Self {
        Self::pieces(1)
    }

    /// Limits the threads that a work item can occupy.
    pub fn max_useful_threads(self, threads: u32) -> Self {
        Self {
            useful_threads: threads.max(1),
            ..self
        }
    }

    /// Limits the threads per block that the kernel supports.
    pub fn max_threads_per_block(self, threads: u32) -> Self {
        Self {
            max_threads: threads.max(1),
            ..self
        }
    }

    /// Fixes the number of threads per block, on the CPU too: for kernels that exchange data
    /// between lanes, or divide a work item among warps. The device must support it.
    ///
    /// ```
    /// use ferrovox::device::Launch;
    ///
    /// let launch = Launch::pieces(4096).exact_threads_per_block(512);
    /// assert_eq!(launch.blocks(512), 4096);
    /// ```
    pub fn exact_threads_per_block(self, threads: u32) -> Self {
        let threads = threads.max(1);
        Self {
            useful_threads: threads,
            max_threads: threads,
            min_threads: threads,
            ..self
        }
    }

    /// Sets the number of items per work item, a power of two, which the threads of a block process
    /// in passes. Block sizes that do not divide it would leave threads idle in the last pass, and
    /// are not chosen.
    pub fn block_divides(self, items: u32) -> Self {
        Self {
            round: items.max(1),
            ..self.max_useful_threads(items).max_threads_per_block(items)
        }
    }

    /// Sets the dynamic shared memory per block, in bytes.
    pub fn dynamic_shared_bytes(self, bytes: u32) -> Self {
        Self {
            dynamic_shared_bytes: bytes,
            ..self
        }
    }

    /// Sets the dynamic shared memory per thread of a block, in bytes.
    pub fn dynamic_shared_bytes_per_thread(self, bytes: u32) -> Self {
        Self {
            dynamic_shared_bytes_per_thread: bytes,
            ..self
        }
    }

    /// Returns the number of blocks of `threads` threads that are launched.
    pub fn blocks(&self, threads: u32) -> u32 {
        let per_block = if self.by_warps {
            (threads / 32).max(1)
        } else {
            1
        };
        self.pieces.div_ceil(per_block as u64).min(MAX_BLOCKS) as u32
    }

    /// Returns the launch without its number of work items: all that the block size depends on.
    pub(super) fn without_pieces(&self) -> Self {
        Self { pieces: 0, ..*self }
    }

    /// Returns `true` if there is no work.
    pub(super) fn is_empty(&self) -> bool {
        self.pieces == 0
    }

    /// Returns the largest useful block size: whole warps, limited by the work and by the kernel.
    pub(super) fn largest_block(&self) -> u32 {
        let useful = self.useful_threads.min(1 << 20).next_multiple_of(32);
        useful.min(self.max_threads)
    }

    /// Returns `true` if the block size satisfies the constraints.
    pub(super) fn allows_threads(&self, threads: u32) -> bool {
        threads >= self.min_threads && (self.round == 1 || self.round.is_multiple_of(threads))
    }

    /// Returns the largest valid block size up to `threads`: it divides the items of a work item,
    /// and has whole warps if work items belong to warps.
    pub(super) fn largest_block_up_to(&self, threads: u32) -> u32 {
        let limit = threads.min(self.max_threads).max(self.min_threads.max(1));
        let limit = match limit {
            32.. if self.by_warps => limit / 32 * 32,
            _ => limit,
        };
        (1..=limit)
            .rev()
            .find(|&it| self.allows_threads(it))
            .unwrap_or(1)
    }

    /// Returns the minimum block size; 0 for no constraint (the CPU reports an error for blocks
    /// without threads).
    pub(super) fn min_threads(&self) -> u32 {
        self.min_threads
    }

    pub(super) fn max_threads(&self) -> u32 {
        self.max_threads
    }

    /// Returns the dynamic shared memory of a block of `threads` threads, in bytes.
    pub(super) fn dynamic_shared(&self, threads: u32) -> u32 {
        let by_thread = self.dynamic_shared_bytes_per_thread.saturating_mul(threads);
        self.dynamic_shared_bytes.saturating_add(by_thread)
    }
}

/// Block size and occupancy of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchPlan {
    /// Threads per block.
    pub threads: u32,
    /// Number of blocks that the device runs concurrently; on the CPU one per thread.
    pub resident_blocks: u32,
}

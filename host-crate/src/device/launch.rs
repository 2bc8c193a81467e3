//! The shape of a launch, as far as the caller determines it.

/// How much work a launch has. The block size is the occupancy calculator's to choose.
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
    /// Whether a piece is for a warp, not for a block.
    by_warps: bool,
    useful_threads: u32,
    most_threads: u32,
    least_threads: u32,
    round: u32,
    dynamic_shared_bytes: u32,
    dynamic_shared_bytes_per_thread: u32,
}

/// Blocks along x that CUDA allows. Kernels stride over what is beyond.
const MAX_BLOCKS: u64 = i32::MAX as u64;

impl Launch {
    /// A launch whose blocks share `pieces` pieces of work. Without any, nothing is launched.
    pub fn pieces(pieces: u64) -> Self {
        Self {
            pieces,
            by_warps: false,
            useful_threads: u32::MAX,
            most_threads: 1024,
            least_threads: 0,
            round: 1,
            dynamic_shared_bytes: 0,
            dynamic_shared_bytes_per_thread: 0,
        }
    }

    /// A launch whose warps share `pieces` pieces of work; on the CPU, whose blocks have one
    /// thread, its threads do.
    pub fn warp_pieces(pieces: u64) -> Self {
        Self {
            by_warps: true,
            ..Self::pieces(pieces)
        }
    }

    /// A launch of one block.
    pub fn one_block() -> Self {
        Self::pieces(1)
    }

    /// A piece has work for no more than this many threads.
    pub fn max_useful_threads(self, threads: u32) -> Self {
        Self {
            useful_threads: threads.max(1),
            ..self
        }
    }

    /// The kernel works with no more than this many threads in a block.
    pub fn at_most_threads(self, threads: u32) -> Self {
        Self {
            most_threads: threads.max(1),
            ..self
        }
    }

    /// The kernel works with this many threads in a block and no other number, on the CPU too:
    /// lanes of its warps ask each other, or each warp has a part of a piece. It is to be no more
    /// than the device allows in a block.
    ///
    /// ```
    /// use ferrovox::device::Launch;
    ///
    /// let launch = Launch::pieces(4096).exactly_threads(512);
    /// assert_eq!(launch.blocks(512), 4096);
    /// ```
    pub fn exactly_threads(self, threads: u32) -> Self {
        let threads = threads.max(1);
        Self {
            useful_threads: threads,
            most_threads: threads,
            least_threads: threads,
            ..self
        }
    }

    /// A piece has `items` items, a power of two, which the threads of a block take in rounds:
    /// sizes that do not divide them would leave threads without work in the last round, and are
    /// not chosen.
    pub fn block_divides(self, items: u32) -> Self {
        Self {
            round: items.max(1),
            ..self.max_useful_threads(items).at_most_threads(items)
        }
    }

    /// Every block gets this much dynamic shared memory.
    pub fn dynamic_shared_bytes(self, bytes: u32) -> Self {
        Self {
            dynamic_shared_bytes: bytes,
            ..self
        }
    }

    /// Every block gets this much dynamic shared memory for each of its threads.
    pub fn dynamic_shared_bytes_per_thread(self, bytes: u32) -> Self {
        Self {
            dynamic_shared_bytes_per_thread: bytes,
            ..self
        }
    }

    /// How many blocks of `threads` threads are launched.
    pub fn blocks(&self, threads: u32) -> u32 {
        let per_block = if self.by_warps {
            (threads / 32).max(1)
        } else {
            1
        };
        self.pieces.div_ceil(per_block as u64).min(MAX_BLOCKS) as u32
    }

    /// All but how much work there is: what a choice of a block depends on.
    pub(super) fn without_pieces(&self) -> Self {
        Self { pieces: 0, ..*self }
    }

    /// Whether there is nothing to do.
    pub(super) fn is_empty(&self) -> bool {
        self.pieces == 0
    }

    /// The largest block that makes sense: whole warps, no more than there is work for, no more
    /// than the kernel can have.
    pub(super) fn largest_block(&self) -> u32 {
        let useful = self.useful_threads.min(1 << 20).next_multiple_of(32);
        useful.min(self.most_threads)
    }

    /// The sizes of blocks that divide a round.
    pub(super) fn suits(&self, threads: u32) -> bool {
        threads >= self.least_threads && (self.round == 1 || self.round.is_multiple_of(threads))
    }

    /// The largest block of at most `threads` threads that the launch can have: it divides a round,
    /// and is whole warps where these have pieces of their own.
    pub(super) fn largest_up_to(&self, threads: u32) -> u32 {
        let most = threads
            .min(self.most_threads)
            .max(self.least_threads.max(1));
        let most = match most {
            32.. if self.by_warps => most / 32 * 32,
            _ => most,
        };
        (1..=most).rev().find(|&it| self.suits(it)).unwrap_or(1)
    }

    /// What a block has at least; 0 leaves it to whoever chooses (a CPU asked for blocks without
    /// threads has an error, not one thread).
    pub(super) fn least_threads(&self) -> u32 {
        self.least_threads
    }

    pub(super) fn most_threads(&self) -> u32 {
        self.most_threads
    }

    /// The dynamic shared memory of a block of `threads` threads.
    pub(super) fn dynamic_shared(&self, threads: u32) -> u32 {
        let by_thread = self.dynamic_shared_bytes_per_thread.saturating_mul(threads);
        self.dynamic_shared_bytes.saturating_add(by_thread)
    }
}

/// What a launch will be, before it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchPlan {
    /// Threads in a block.
    pub threads: u32,
    /// How many such blocks the device runs at a time; on the CPU one for each of its threads.
    pub resident_blocks: u32,
}

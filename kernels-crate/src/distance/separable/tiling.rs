//! How lines are cut into tiles and chunks, and where in shared memory a tile lies.

use super::cost::Cost;

/// Neighbouring outputs that a thread works out together: two halves, so that loops are short
/// enough to be unrolled.
pub const GROUP: u32 = 2 * HALF;

/// Half a group.
pub const HALF: u32 = 8;

/// Outputs of the first round.
pub const FIRST: u32 = 7;

/// Lines of `len` voxels, which are taken in tiles of `width` neighbouring lines; a thread takes a
/// chunk of a line at a time.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiling {
    /// Voxels of a line.
    pub len: u32,
    /// The binary logarithm of the lines of a tile, at most 5.
    pub width_log2: u32,
    /// The binary logarithm of the voxels of a chunk, at least 2 and at most
    /// [`PLACE_BITS`](super::cost::PLACE_BITS).
    pub chunk_log2: u32,
    /// The binary logarithm of the groups from one output of the first round to the next.
    pub first_step_log2: u32,
}

impl Tiling {
    /// Lines of `len` voxels, more than none.
    pub const fn new(len: u32, width_log2: u32, chunk_log2: u32) -> Self {
        let mut first_step_log2 = 0;
        while (FIRST as u64 + 1) << first_step_log2 < len.div_ceil(GROUP) as u64 {
            first_step_log2 += 1;
        }
        Self {
            len,
            width_log2,
            chunk_log2,
            first_step_log2,
        }
    }

    /// Lines of a tile.
    #[inline(always)]
    pub const fn width(self) -> u32 {
        1 << self.width_log2
    }

    /// Voxels of a chunk.
    #[inline(always)]
    pub const fn chunk(self) -> u32 {
        1 << self.chunk_log2
    }

    /// Chunks of a line, the last of which may have places beyond the line.
    #[inline(always)]
    pub const fn chunks(self) -> u32 {
        ((self.len - 1) >> self.chunk_log2) + 1
    }

    /// Groups of outputs.
    #[inline(always)]
    pub const fn groups(self) -> u32 {
        (self.len - 1) / GROUP + 1
    }

    /// Where item `at` of a column is, in rows of an item for each column.
    #[inline(always)]
    pub const fn at(self, at: u32, column: u32) -> usize {
        ((at << self.width_log2) + column) as usize
    }

    /// Elements of the costs.
    #[inline(always)]
    pub const fn costs(self) -> usize {
        ((self.chunks() << self.chunk_log2) << self.width_log2) as usize
    }

    /// Elements of the results.
    #[inline(always)]
    pub const fn results(self) -> usize {
        ((self.groups() * GROUP) << self.width_log2) as usize
    }

    /// Places that chunks propose in a round, or that are found for outputs; they lie where results
    /// will be.
    #[inline(always)]
    pub const fn proposals(self) -> usize {
        let most = self.chunks() * FIRST + self.groups() + GROUP;
        let outputs = self.groups() * GROUP;
        let most = if most > outputs { most } else { outputs };
        (most << self.width_log2) as usize
    }

    /// Elements of the best places: of each group's first output, and the end.
    #[inline(always)]
    pub const fn bests(self) -> usize {
        ((self.groups() + 1) << self.width_log2) as usize
    }

    /// Elements of the spans: where in each chunk there are sites.
    #[inline(always)]
    pub const fn spans(self) -> usize {
        (self.chunks() << self.width_log2) as usize
    }

    /// Bytes of results or proposals.
    #[inline(always)]
    const fn results_bytes<C: Cost>(self) -> usize {
        let results = self.results() * size_of::<C>();
        let proposals = self.proposals() * size_of::<u32>();
        if results > proposals {
            results
        } else {
            proposals
        }
    }

    /// Where the results begin, in bytes.
    #[inline(always)]
    pub const fn results_start<C: Cost>(self) -> usize {
        (self.costs() * size_of::<C>()).next_multiple_of(16)
    }

    /// Where the best places begin, in bytes.
    #[inline(always)]
    pub const fn bests_start<C: Cost>(self) -> usize {
        self.results_start::<C>() + self.results_bytes::<C>()
    }

    /// Where the spans begin, in bytes.
    #[inline(always)]
    pub const fn spans_start<C: Cost>(self) -> usize {
        self.bests_start::<C>() + self.bests() * size_of::<u32>()
    }

    /// Bytes of all.
    #[inline(always)]
    pub const fn bytes<C: Cost>(self) -> usize {
        self.spans_start::<C>() + self.spans() * size_of::<u32>()
    }
}

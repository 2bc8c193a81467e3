//! Division of scanlines into tiles and chunks, and layout of a tile in memory.

use super::cost::Cost;

/// Number of neighbouring outputs that a thread computes together: two halves, so that loops are
/// short enough to be unrolled.
pub const GROUP: u32 = 2 * HALF;

/// Half a group.
pub const HALF: u32 = 8;

/// Number of outputs of the first pass.
pub const FIRST_OUTPUTS: u32 = 7;

/// Scanlines of `len` voxels, processed in tiles of neighbouring scanlines and, within them, chunks
/// per thread.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiling {
    /// Number of voxels of a scanline.
    pub len: u32,
    /// Binary logarithm of the number of scanlines of a tile, at most 5.
    pub width_log2: u32,
    /// Binary logarithm of the number of voxels of a chunk, at least 2 and at most
    /// [`POSITION_BITS`](super::cost::POSITION_BITS).
    pub chunk_log2: u32,
    /// Binary logarithm of the number of groups between consecutive outputs of the first pass.
    pub first_step_log2: u32,
}

impl Tiling {
    /// Creates the tiling for scanlines of `len` voxels; `len` must not be 0.
    pub const fn new(len: u32, width_log2: u32, chunk_log2: u32) -> Self {
        let mut first_step_log2 = 0;
        while (FIRST_OUTPUTS as u64 + 1) << first_step_log2 < len.div_ceil(GROUP) as u64 {
            first_step_log2 += 1;
        }
        Self {
            len,
            width_log2,
            chunk_log2,
            first_step_log2,
        }
    }

    /// Returns the number of scanlines of a tile.
    #[inline(always)]
    pub const fn width(self) -> u32 {
        1 << self.width_log2
    }

    /// Returns the number of voxels of a chunk.
    #[inline(always)]
    pub const fn chunk(self) -> u32 {
        1 << self.chunk_log2
    }

    /// Returns the number of chunks of a scanline; the last one may extend past its end.
    #[inline(always)]
    pub const fn chunks(self) -> u32 {
        ((self.len - 1) >> self.chunk_log2) + 1
    }

    /// Returns the number of groups of outputs.
    #[inline(always)]
    pub const fn groups(self) -> u32 {
        (self.len - 1) / GROUP + 1
    }

    /// Returns the index of an item of a column, in rows with one item per column.
    #[inline(always)]
    pub const fn item_index(self, item: u32, column: u32) -> usize {
        ((item << self.width_log2) + column) as usize
    }

    /// Returns the number of costs.
    #[inline(always)]
    pub const fn costs(self) -> usize {
        ((self.chunks() << self.chunk_log2) << self.width_log2) as usize
    }

    /// Returns the number of results.
    #[inline(always)]
    pub const fn results(self) -> usize {
        ((self.groups() * GROUP) << self.width_log2) as usize
    }

    /// Returns the number of proposals: candidates that chunks propose in a pass, or that are found
    /// for outputs. They share memory with the results.
    #[inline(always)]
    pub const fn proposals(self) -> usize {
        let slots = self.chunks() * FIRST_OUTPUTS + self.groups() + GROUP;
        let outputs = self.groups() * GROUP;
        let slots = if slots > outputs { slots } else { outputs };
        (slots << self.width_log2) as usize
    }

    /// Returns the number of argmins: of each group's first output, and the end.
    #[inline(always)]
    pub const fn argmins(self) -> usize {
        ((self.groups() + 1) << self.width_log2) as usize
    }

    /// Returns the number of spans, one per chunk.
    #[inline(always)]
    pub const fn spans(self) -> usize {
        (self.chunks() << self.width_log2) as usize
    }

    /// Returns the size of the results or proposals, in bytes.
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

    /// Returns the offset of the results, in bytes.
    #[inline(always)]
    pub const fn results_start<C: Cost>(self) -> usize {
        (self.costs() * size_of::<C>()).next_multiple_of(16)
    }

    /// Returns the offset of the argmins, in bytes.
    #[inline(always)]
    pub const fn argmins_start<C: Cost>(self) -> usize {
        self.results_start::<C>() + self.results_bytes::<C>()
    }

    /// Returns the offset of the spans, in bytes.
    #[inline(always)]
    pub const fn spans_start<C: Cost>(self) -> usize {
        self.argmins_start::<C>() + self.argmins() * size_of::<u32>()
    }

    /// Returns the size of a tile in global memory, in words of 8 bytes: a multiple of 16 bytes.
    #[inline(always)]
    pub const fn scratch_words<C: Cost>(self) -> usize {
        2 * self.bytes::<C>().div_ceil(16)
    }

    /// Returns the total size, in bytes.
    #[inline(always)]
    pub const fn bytes<C: Cost>(self) -> usize {
        self.spans_start::<C>() + self.spans() * size_of::<u32>()
    }
}

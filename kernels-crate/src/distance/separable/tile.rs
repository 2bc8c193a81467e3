//! Tile of a block, and its distribution over the block's threads.

use super::{
    cost::{Axis, Cost},
    tiling::{GROUP, HALF, Tiling},
};
use cuda_std::{SharedView, ViewMut, shared::dynamic_shared_mem, thread};

/// Distribution of the columns of a tile over the threads of a block: each team has one thread per
/// column; if there are fewer threads than columns, a single team's threads process several columns
/// each. Threads that do not complete a team are idle.
#[derive(Clone, Copy)]
pub struct Teams {
    /// Number of columns.
    width: u32,
    /// Number of threads per team.
    lanes: u32,
    /// Index of the thread in its team.
    lane: u32,
    /// Number of teams.
    count: u32,
    /// Index of the thread's team.
    team: u32,
}

impl Teams {
    /// Creates the teams of the calling block, for tiles of 2^`width_log2` columns.
    #[inline(always)]
    pub fn for_block(width_log2: u32) -> Self {
        let width = 1 << width_log2;
        let threads = thread::block_dim_x();
        let rank = thread::thread_idx_x();
        if threads < width {
            return Self {
                width,
                lanes: threads,
                lane: rank,
                count: 1,
                team: 0,
            };
        }
        Self {
            width,
            lanes: width,
            lane: rank & (width - 1),
            count: threads >> width_log2,
            team: rank >> width_log2,
        }
    }

    /// Distributes `count` items over the teams and calls `visit(item, column)` for each item of
    /// the thread's team and each of the thread's columns. An item and a column belong to the same
    /// thread in every call.
    #[inline(always)]
    pub fn for_each(self, count: u32, mut visit: impl FnMut(u32, u32)) {
        let mut column = self.lane;
        while self.team < self.count && column < self.width {
            let mut item = self.team;
            while item < count {
                visit(item, column);
                item += self.count;
            }
            column += self.lanes;
        }
    }

    /// Calls `visit` like [`for_each`](Self::for_each), with all columns of an item consecutively:
    /// for accesses to rows in memory.
    #[inline(always)]
    pub fn for_each_row(self, count: u32, mut visit: impl FnMut(u32, u32)) {
        let mut item = self.team;
        while self.team < self.count && item < count {
            let mut column = self.lane;
            while column < self.width {
                visit(item, column);
                column += self.lanes;
            }
            item += self.count;
        }
    }
}

/// Encoded costs of a tile, and space for results: in the block's shared memory, or for scanlines
/// that exceed it in global memory that only the block accesses.
#[derive(Clone, Copy)]
pub struct Tile<C> {
    /// Layout in memory.
    pub tiling: Tiling,
    /// Scanline parameters.
    pub axis: Axis<C>,
    /// Distribution over the threads.
    pub teams: Teams,
    costs: SharedView<C>,
    results: SharedView<C>,
    proposals: SharedView<u32>,
    argmins: SharedView<u32>,
    spans: SharedView<u32>,
}

/// Range of the positions of a chunk around its sites, from an even position to an odd one. Empty
/// if the first exceeds the last.
#[derive(Clone, Copy)]
pub struct Span {
    /// First position.
    pub first: u32,
    /// Last position.
    pub last: u32,
}

impl Span {
    /// Empty range.
    pub const NONE: Self = Self {
        first: NO_POSITION,
        last: 0,
    };

    /// Returns `true` if the span overlaps the range from `low` to `high`.
    #[inline(always)]
    pub fn overlaps(self, low: u32, high: u32) -> bool {
        self.first <= high && self.last >= low
    }
}

/// Sentinel for the absence of a position.
pub const NO_POSITION: u32 = u32::MAX;

impl<C: Cost> Tile<C> {
    /// Creates the block's tile in shared memory.
    ///
    /// # Safety
    /// The block has [`Tiling::bytes`] bytes of dynamic shared memory.
    #[inline(always)]
    pub unsafe fn in_shared_memory(tiling: Tiling, axis: Axis<C>) -> Self {
        // SAFETY: guaranteed by the caller.
        unsafe { Self::from_start(dynamic_shared_mem::<u8>(), tiling, axis) }
    }

    /// Creates the block's tile in global memory.
    ///
    /// # Safety
    /// `scratch` has [`Tiling::scratch_words`] elements for each block of the launch, and is not
    /// accessed otherwise.
    #[inline(always)]
    pub unsafe fn in_scratch(scratch: ViewMut<u64>, tiling: Tiling, axis: Axis<C>) -> Self {
        let words = tiling.scratch_words::<C>();
        let block_words = scratch.slice(thread::block_idx_x() as usize * words, words);
        // SAFETY: the elements are those of the block, and begin at a multiple of 16 bytes.
        unsafe { Self::from_start(block_words.as_mut_ptr().cast(), tiling, axis) }
    }

    /// Creates the block's tile in the memory that begins at `start`.
    ///
    /// # Safety
    /// `start` is valid for [`Tiling::bytes`] bytes, and only the threads of the block access them.
    #[inline(always)]
    unsafe fn from_start(start: *mut u8, tiling: Tiling, axis: Axis<C>) -> Self {
        // SAFETY: the parts are consecutive and lie within the given size; all start at multiples
        // of 4, and costs and results at multiples of their own size.
        unsafe {
            let results = start.add(tiling.results_start::<C>());
            Self {
                tiling,
                axis,
                teams: Teams::for_block(tiling.width_log2),
                costs: SharedView::from_raw_parts(start.cast(), tiling.costs()),
                results: SharedView::from_raw_parts(results.cast(), tiling.results()),
                proposals: SharedView::from_raw_parts(results.cast(), tiling.proposals()),
                argmins: SharedView::from_raw_parts(
                    start.add(tiling.argmins_start::<C>()).cast(),
                    tiling.argmins(),
                ),
                spans: SharedView::from_raw_parts(
                    start.add(tiling.spans_start::<C>()).cast(),
                    tiling.spans(),
                ),
            }
        }
    }

    /// Returns the encoded cost of a position.
    #[inline(always)]
    pub fn cost(&self, position: u32, column: u32) -> C {
        self.costs
            .read(2 * self.tiling.item_index(position / 2, column) + (position % 2) as usize)
    }

    /// Returns the encoded costs of an even position and the next one, which are adjacent in
    /// memory.
    #[inline(always)]
    pub fn pair(&self, position: u32, column: u32) -> [C; 2] {
        self.costs
            .read_vector::<2>(2 * self.tiling.item_index(position / 2, column))
    }

    /// Stores the encoded costs of an even position and the next one.
    #[inline(always)]
    pub fn set_pair(&self, position: u32, column: u32, stored: [C; 2]) {
        self.costs
            .write_vector(2 * self.tiling.item_index(position / 2, column), stored);
    }

    /// Returns the results of four of a group's outputs from the `k`th on, which are adjacent in
    /// memory.
    #[inline(always)]
    pub fn results(&self, group: u32, column: u32, k: u32) -> [C; 4] {
        let start = self.tiling.item_index(group, column) * GROUP as usize + k as usize;
        if size_of::<C>() == 4 {
            return self.results.read_vector::<4>(start);
        }
        let [a, b] = self.results.read_vector::<2>(start);
        let [c, d] = self.results.read_vector::<2>(start + 2);
        [a, b, c, d]
    }

    /// Stores the results of half a group.
    #[inline(always)]
    pub fn set_results(&self, group: u32, column: u32, half: u32, results: [C; HALF as usize]) {
        let half_index = 2 * self.tiling.item_index(group, column) + half as usize;
        write_half(&self.results, half_index, results);
    }

    /// Returns the position of the candidate found for output `k` of a group.
    #[inline(always)]
    pub fn candidate(&self, group: u32, column: u32, k: u32) -> u32 {
        let group = self.tiling.item_index(group, column);
        self.proposals.read(group * GROUP as usize + k as usize)
    }

    /// Stores the positions of the candidates found for half a group.
    #[inline(always)]
    pub fn set_positions(
        &self,
        group: u32,
        column: u32,
        half: u32,
        positions: [u32; HALF as usize],
    ) {
        let half_index = 2 * self.tiling.item_index(group, column) + half as usize;
        write_half(&self.proposals, half_index, positions);
    }

    /// Returns the position proposed in a slot.
    #[inline(always)]
    pub fn proposal(&self, slot: u32, column: u32) -> u32 {
        self.proposals.read(self.tiling.item_index(slot, column))
    }

    /// Proposes a candidate in a slot.
    #[inline(always)]
    pub fn propose(&self, slot: u32, column: u32, position: u32) {
        self.proposals
            .write(self.tiling.item_index(slot, column), position);
    }

    /// Returns the span of the sites of a chunk.
    #[inline(always)]
    pub fn span(&self, chunk: u32, column: u32) -> Span {
        let span = self.spans.read(self.tiling.item_index(chunk, column));
        if span == NO_POSITION {
            return Span::NONE;
        }
        let start = chunk << self.tiling.chunk_log2;
        Span {
            first: start + (span & 0xff),
            last: start + (span >> 8),
        }
    }

    /// Stores the span of the sites of a chunk.
    #[inline(always)]
    pub fn set_span(&self, chunk: u32, column: u32, span: Span) {
        let start = chunk << self.tiling.chunk_log2;
        let packed = if span.first == NO_POSITION {
            NO_POSITION
        } else {
            (span.first - start) | (span.last - start) << 8
        };
        self.spans
            .write(self.tiling.item_index(chunk, column), packed);
    }

    /// Returns the argmin of a group's first output; for group 0 the first position with a site,
    /// for the group past the last one the last position with a site.
    #[inline(always)]
    pub fn best(&self, group: u32, column: u32) -> u32 {
        self.argmins.read(self.tiling.item_index(group, column))
    }

    /// Stores the argmin of a group's first output.
    #[inline(always)]
    pub fn set_best(&self, group: u32, column: u32, best: u32) {
        self.argmins
            .write(self.tiling.item_index(group, column), best);
    }

    /// Returns the index of the first of every 2^`step_log2` groups whose argmin is at or after
    /// `position`, or their number if there is none.
    #[inline(always)]
    pub fn first_group_from(&self, position: u32, column: u32, step_log2: u32) -> u32 {
        let (mut low, mut high) = (0, ((self.tiling.groups() - 1) >> step_log2) + 1);
        while low < high {
            let middle = (low + high) / 2;
            if self.best(middle << step_log2, column) < position {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// Writes adjacent elements in 16-byte accesses.
#[inline(always)]
fn write_half<T: Copy>(view: &SharedView<T>, half: usize, values: [T; HALF as usize]) {
    let start = half * HALF as usize;
    let [a, b, c, d, e, f, g, h] = values;
    if size_of::<T>() == 4 {
        view.write_vector(start, [a, b, c, d]);
        view.write_vector(start + 4, [e, f, g, h]);
        return;
    }
    view.write_vector(start, [a, b]);
    view.write_vector(start + 2, [c, d]);
    view.write_vector(start + 4, [e, f]);
    view.write_vector(start + 6, [g, h]);
}

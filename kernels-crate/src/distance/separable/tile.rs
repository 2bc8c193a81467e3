//! A tile in a block's shared memory, and how the block's threads share it.

use super::{
    cost::{Axis, Cost},
    tiling::{GROUP, HALF, Tiling},
};
use cuda_std::{SharedView, shared::dynamic_shared_mem, thread};

/// How the threads of a block share the columns of a tile: teams of as many threads as there are
/// columns, one each; fewer threads are one team whose threads have several columns. Threads that
/// make no team have no work.
#[derive(Clone, Copy)]
pub struct Teams {
    width: u32,
    lanes: u32,
    lane: u32,
    count: u32,
    team: u32,
}

impl Teams {
    /// Those of the calling block, for tiles of this many columns, a power of two.
    #[inline(always)]
    pub fn of_block(width_log2: u32) -> Self {
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

    /// Calls `visit` with those of `count` items that are the team's, and each of the calling
    /// thread's columns. The same thread has the same items and columns each time.
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

    /// The same with all of a row's columns one after the other: for what is read from or written
    /// to rows.
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

/// The costs of a tile, as they are [stored](Cost::stored), and room for what is found.
#[derive(Clone, Copy)]
pub struct Tile<C> {
    /// How it lies in memory.
    pub tiling: Tiling,
    /// Its lines.
    pub axis: Axis<C>,
    /// Who works on it.
    pub teams: Teams,
    costs: SharedView<C>,
    results: SharedView<C>,
    proposals: SharedView<u32>,
    bests: SharedView<u32>,
    spans: SharedView<u32>,
}

/// The places of a chunk with a site, or near to one: from an even one to an odd one. None if the
/// first is beyond the last.
#[derive(Clone, Copy)]
pub struct Span {
    /// The first.
    pub first: u32,
    /// The last.
    pub last: u32,
}

impl Span {
    /// No places.
    pub const NONE: Self = Self {
        first: NOWHERE,
        last: 0,
    };

    /// Whether some are among those from `low` to `high`.
    #[inline(always)]
    pub fn meets(self, low: u32, high: u32) -> bool {
        self.first <= high && self.last >= low
    }
}

/// No place.
pub const NOWHERE: u32 = u32::MAX;

impl<C: Cost> Tile<C> {
    /// The block's tile.
    ///
    /// # Safety
    /// The block has [`Tiling::bytes`] bytes of dynamic shared memory.
    #[inline(always)]
    pub unsafe fn of_block(tiling: Tiling, axis: Axis<C>) -> Self {
        let start = dynamic_shared_mem::<u8>();
        // SAFETY: parts lie one after the other, in as many bytes; all begin at multiples of 4, and
        // costs and results of their own size.
        unsafe {
            let results = start.add(tiling.results_start::<C>());
            Self {
                tiling,
                axis,
                teams: Teams::of_block(tiling.width_log2),
                costs: SharedView::from_raw_parts(start.cast(), tiling.costs()),
                results: SharedView::from_raw_parts(results.cast(), tiling.results()),
                proposals: SharedView::from_raw_parts(results.cast(), tiling.proposals()),
                bests: SharedView::from_raw_parts(
                    start.add(tiling.bests_start::<C>()).cast(),
                    tiling.bests(),
                ),
                spans: SharedView::from_raw_parts(
                    start.add(tiling.spans_start::<C>()).cast(),
                    tiling.spans(),
                ),
            }
        }
    }

    /// The stored cost of a place.
    #[inline(always)]
    pub fn cost(&self, place: u32, column: u32) -> C {
        self.costs
            .read(2 * self.tiling.at(place / 2, column) + (place % 2) as usize)
    }

    /// The stored costs of an even place and of the next one: they lie beside one another.
    #[inline(always)]
    pub fn pair(&self, place: u32, column: u32) -> [C; 2] {
        self.costs
            .read_vector::<2>(2 * self.tiling.at(place / 2, column))
    }

    /// Stores the costs of an even place and of the next one.
    #[inline(always)]
    pub fn put_pair(&self, place: u32, column: u32, stored: [C; 2]) {
        self.costs
            .write_vector(2 * self.tiling.at(place / 2, column), stored);
    }

    /// What was found for four of a group's outputs, from the `k`th on: they lie beside one
    /// another.
    #[inline(always)]
    pub fn results(&self, group: u32, column: u32, k: u32) -> [C; 4] {
        let at = self.tiling.at(group, column) * GROUP as usize + k as usize;
        if size_of::<C>() == 4 {
            return self.results.read_vector::<4>(at);
        }
        let [a, b] = self.results.read_vector::<2>(at);
        let [c, d] = self.results.read_vector::<2>(at + 2);
        [a, b, c, d]
    }

    /// Keeps what was found for half a group's outputs.
    #[inline(always)]
    pub fn put_results(&self, group: u32, column: u32, half: u32, results: [C; HALF as usize]) {
        let at = 2 * self.tiling.at(group, column) + half as usize;
        write_half(&self.results, at, results);
    }

    /// The place that was found for output `k` of a group.
    #[inline(always)]
    pub fn place(&self, group: u32, column: u32, k: u32) -> u32 {
        let group = self.tiling.at(group, column);
        self.proposals.read(group * GROUP as usize + k as usize)
    }

    /// Keeps the places that were found for half a group's outputs.
    #[inline(always)]
    pub fn put_places(&self, group: u32, column: u32, half: u32, places: [u32; HALF as usize]) {
        let at = 2 * self.tiling.at(group, column) + half as usize;
        write_half(&self.proposals, at, places);
    }

    /// A place that a chunk proposes.
    #[inline(always)]
    pub fn proposal(&self, slot: u32, column: u32) -> u32 {
        self.proposals.read(self.tiling.at(slot, column))
    }

    /// Proposes a place.
    #[inline(always)]
    pub fn propose(&self, slot: u32, column: u32, place: u32) {
        self.proposals.write(self.tiling.at(slot, column), place);
    }

    /// Where in a chunk there are sites.
    #[inline(always)]
    pub fn span(&self, chunk: u32, column: u32) -> Span {
        let span = self.spans.read(self.tiling.at(chunk, column));
        if span == NOWHERE {
            return Span::NONE;
        }
        let start = chunk << self.tiling.chunk_log2;
        Span {
            first: start + (span & 0xff),
            last: start + (span >> 8),
        }
    }

    /// Keeps where in a chunk there are sites.
    #[inline(always)]
    pub fn put_span(&self, chunk: u32, column: u32, span: Span) {
        let start = chunk << self.tiling.chunk_log2;
        let packed = if span.first == NOWHERE {
            NOWHERE
        } else {
            (span.first - start) | (span.last - start) << 8
        };
        self.spans.write(self.tiling.at(chunk, column), packed);
    }

    /// The best place for a group's first output; for group 0 the first place with a site, for the
    /// one after the last the last.
    #[inline(always)]
    pub fn best(&self, group: u32, column: u32) -> u32 {
        self.bests.read(self.tiling.at(group, column))
    }

    /// Keeps a best place.
    #[inline(always)]
    pub fn put_best(&self, group: u32, column: u32, best: u32) {
        self.bests.write(self.tiling.at(group, column), best);
    }

    /// The number of the first of every 2^`step_log2` groups whose best place is `place` or beyond;
    /// how many there are if none is.
    #[inline(always)]
    pub fn first_beyond(&self, place: u32, column: u32, step_log2: u32) -> u32 {
        let (mut low, mut high) = (0, ((self.tiling.groups() - 1) >> step_log2) + 1);
        while low < high {
            let middle = (low + high) / 2;
            if self.best(middle << step_log2, column) < place {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// Writes neighbouring elements, in accesses of 16 bytes.
#[inline(always)]
fn write_half<T: Copy>(view: &SharedView<T>, half: usize, values: [T; HALF as usize]) {
    let at = half * HALF as usize;
    let [a, b, c, d, e, f, g, h] = values;
    if size_of::<T>() == 4 {
        view.write_vector(at, [a, b, c, d]);
        view.write_vector(at + 4, [e, f, g, h]);
        return;
    }
    view.write_vector(at, [a, b]);
    view.write_vector(at + 2, [c, d]);
    view.write_vector(at + 4, [e, f]);
    view.write_vector(at + 6, [g, h]);
}

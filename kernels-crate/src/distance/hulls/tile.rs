//! A block's tile: 32 lines, a word for each place, four rows of words for each chunk, and one for
//! all.

use cuda_std::{SharedView, shared::dynamic_shared_mem, thread, warp};

/// Places of a chunk.
pub const CHUNK: u32 = 32;

/// Bits of a word that hold what a place costs; above are those of the link: its start, later the
/// next winner.
pub const COST_BITS: u32 = 22;

const COST: u32 = (1 << COST_BITS) - 1;

/// A word's cost, with a number of all of whose bits are above it.
#[inline(always)]
pub fn cost_with(word: u32, above: u32) -> u32 {
    word & COST | above
}

/// A word's cost.
#[inline(always)]
pub fn cost(word: u32) -> u32 {
    word & COST
}

/// A word's link.
#[inline(always)]
pub fn link(word: u32) -> u32 {
    word >> COST_BITS
}

/// A word with another link.
#[inline(always)]
pub fn with_link(word: u32, link: u32) -> u32 {
    word & COST | link << COST_BITS
}

/// The first of the rows of 32 words that a chunk has besides its places: its vertices of the hull,
/// a bit each.
pub const HULL: usize = 0;
/// The row of the outputs where a winner begins, a bit each.
pub const STARTS: usize = 1;
/// The row of the last winner that begins in the chunk.
pub const ENTRY: usize = 2;
/// The row of the inverses of differences of places, until the chunk has its hull.
pub const INVERSES: usize = 3;
/// From then on that of the places where labels change, a bit each.
pub const CHANGES: usize = 3;
const ROWS: usize = 4;

/// The calling thread's part of a block's tile.
#[derive(Clone, Copy)]
pub struct Tile {
    /// Of the thread's line: every 32nd word is one.
    line: SharedView<u32>,
    /// From the thread's chunk on.
    own: SharedView<u32>,
    /// What chunks have besides, of the thread's line.
    rows: SharedView<u32>,
    /// The whole tile.
    pub all: SharedView<u32>,
    /// All that chunks have besides.
    pub all_rows: SharedView<u32>,
    /// Of each chunk, whether any lane has vertices of the hull there.
    present: SharedView<u32>,
    /// The line's place that is the tile's first: none but 0 where a tile has a whole line. That of
    /// the first segment is a chunk before the line.
    pub offset: u32,
    /// Places up to the end of the line, or of the tile.
    pub len: u32,
    /// Chunks of the tile.
    pub chunks: u32,
    /// The thread's chunk: its warp.
    pub chunk: u32,
    /// The thread's line.
    pub lane: u32,
}

/// Chunks of a line.
pub const fn chunks(len: u32) -> u32 {
    len.div_ceil(CHUNK)
}

/// Threads of a block, which has whole warps: one for each chunk.
pub const fn threads(len: u32) -> u32 {
    chunks(len) * 32
}

/// Bytes of shared memory of a block.
pub const fn bytes(len: u32) -> u32 {
    chunks(len) * (CHUNK + ROWS as u32) * 128 + 128
}

impl Tile {
    /// The block's tile, of so many chunks from the line's place `offset` on, with `len` places up
    /// to the end of the line or beyond the tile.
    ///
    /// # Safety
    /// The block has a warp for each chunk, and [`bytes`] of dynamic shared memory for that many.
    #[inline(always)]
    pub(super) unsafe fn new(len: u32, chunks: u32, offset: u32) -> Self {
        let start = dynamic_shared_mem::<u32>();
        let thread = thread::thread_idx_x();
        let (chunk, lane) = (thread / 32, thread % 32);
        let (of_rows, of_places) = (chunks as usize * (ROWS * 32), chunks as usize * 1024);
        let (first, column) = (chunk as usize * 1024, lane as usize);
        // SAFETY: one after the other.
        unsafe {
            let places = start.add(of_rows);
            Self {
                line: SharedView::from_raw_parts(places.add(column), of_places - column),
                own: SharedView::from_raw_parts(
                    places.add(first + column),
                    of_places - first - column,
                ),
                rows: SharedView::from_raw_parts(start.add(column), of_rows - column),
                all: SharedView::from_raw_parts(places, of_places),
                all_rows: SharedView::from_raw_parts(start, of_rows),
                present: SharedView::from_raw_parts(places.add(of_places), 32),
                offset,
                len,
                chunks,
                chunk,
                lane,
            }
        }
    }

    /// The chunk's first place.
    #[inline(always)]
    pub fn first(&self) -> u32 {
        self.chunk * CHUNK
    }

    /// The chunk's first place of the line: beyond all of them in a chunk before it.
    #[inline(always)]
    pub fn first_of_line(&self) -> u32 {
        self.offset.wrapping_add(self.first())
    }

    /// The word of a place of the line.
    #[inline(always)]
    pub fn read(&self, place: u32) -> u32 {
        self.line.read(place as usize * 32)
    }

    /// Replaces the word of a place of the line.
    #[inline(always)]
    pub fn write(&self, place: u32, word: u32) {
        self.line.write(place as usize * 32, word);
    }

    /// The word of a place, counted from the chunk's first.
    #[inline(always)]
    pub fn read_own(&self, place: u32) -> u32 {
        self.own.read(place as usize * 32)
    }

    /// Replaces the word of a place, counted from the chunk's first.
    #[inline(always)]
    pub fn write_own(&self, place: u32, word: u32) {
        self.own.write(place as usize * 32, word);
    }

    #[inline(always)]
    fn of_row(chunk: u32, row: usize) -> usize {
        (chunk as usize * ROWS + row) * 32
    }

    /// The chunk's rows of words from one on, for all lanes.
    #[inline(always)]
    pub fn scratch(&self, row: usize) -> SharedView<u32> {
        let at = (self.chunk as usize * ROWS + row) * 32;
        // SAFETY: a part of the view.
        unsafe { SharedView::from_raw_parts(self.all_rows.as_mut_ptr().add(at), (ROWS - row) * 32) }
    }

    /// A chunk's word in one of its rows, of the thread's line.
    #[inline(always)]
    pub fn row(&self, chunk: u32, row: usize) -> u32 {
        self.rows.read(Self::of_row(chunk, row))
    }

    /// Replaces it.
    #[inline(always)]
    pub fn put_row(&self, chunk: u32, row: usize, value: u32) {
        self.rows.write(Self::of_row(chunk, row), value);
    }

    /// Sets bits of it; several threads may.
    #[inline(always)]
    pub fn or_row(&self, chunk: u32, row: usize, value: u32) {
        self.rows
            .atomic_or_no_return(Self::of_row(chunk, row), value);
    }

    /// Raises it; several threads may.
    #[inline(always)]
    pub fn max_row(&self, chunk: u32, row: usize, value: u32) {
        self.rows
            .atomic_max_no_return(Self::of_row(chunk, row), value);
    }

    /// Puts the vertices of the thread's own chunk into the tile, and for
    /// [`present`](Self::present) whether any lane has some. Whole warps call it; a barrier has to
    /// follow.
    #[inline(always)]
    pub fn put_own_hull(&self, hull: u32) {
        self.put_hull(self.chunk, hull);
        // SAFETY: whole warps.
        let any = unsafe { warp::warp_vote_ballot(u32::MAX, hull != 0) };
        if self.lane == 0 {
            self.present.write(self.chunk as usize, any);
        }
    }

    /// Which chunks have vertices of any lane, a bit each. Whole warps call it.
    #[inline(always)]
    pub fn present(&self) -> u32 {
        let has = self.lane < self.chunks && self.present.read(self.lane as usize) != 0;
        // SAFETY: whole warps.
        unsafe { warp::warp_vote_ballot(u32::MAX, has) }
    }

    /// A chunk's vertices of the hull.
    #[inline(always)]
    pub fn hull(&self, chunk: u32) -> u32 {
        self.row(chunk, HULL)
    }

    /// Replaces them.
    #[inline(always)]
    pub fn put_hull(&self, chunk: u32, hull: u32) {
        self.put_row(chunk, HULL, hull);
    }
}
